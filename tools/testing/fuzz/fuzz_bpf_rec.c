// SPDX-License-Identifier: GPL-2.0
/*
 * Arbitrary bytes as records of the BPF programs, each after two bytes with its length:
 * nothing crashes, every record is counted as good or as damaged, and events are in order or
 * marked as late.
 */
#include <stdlib.h>
#include <string.h>

#include "record/bpf/bpf_abi.h"
#include "record/bpf/bpf_rec.h"
#include "base/buf.h"
#include "format/lines/event_lines.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

struct checker {
	struct sink sink;
	struct buf text;
	uint64_t last;
	uint64_t events;
};

static int check_item(struct sink *s, const void *item)
{
	struct checker *c = (struct checker *)s;
	const struct et_event *ev = item;

	if (ev->time < c->last && !(ev->flags & ET_F_LATE))
		abort();
	if (ev->time > c->last)
		c->last = ev->time;
	c->events += ev->kind != ET_K_LOST;
	c->text.len = 0;
	et_print_lines(ev, 0, &c->text);
	return 0;
}

/* Reads everything it gets. */
static int resolve(void *arg, const struct eb_maker *maker, const uint32_t *groups,
		   const struct buf *target, const struct buf *link, struct buf *to)
{
	uint32_t sum = maker->flags;

	(void)arg;
	for (uint32_t i = 0; groups && i < maker->ngroups; i++)
		sum += groups[i];
	buf_add(to, target->s, target->len);
	buf_add(to, link->s, link->len);
	return (int)(sum % 3) - 1;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	static const struct sink_ops ops = { .item = check_item };
	struct checker c = { .sink = { &ops } };
	struct bpf_rec *b = bpf_rec_new(&c.sink, &(struct bpf_rec_ops){ resolve, NULL, NULL, false });

	while (n >= 2) {
		size_t size = (size_t)(data[0] | data[1] << 8);
		uint8_t *copy;

		data += 2;
		n -= 2;
		if (size > n)
			size = n;
		copy = malloc(size + !size);	/* exact size, for ASan */
		if (!copy)
			abort();
		memcpy(copy, data, size);
		bpf_rec_take(b, copy, size);
		free(copy);
		data += size;
		n -= size;
	}
	bpf_rec_end(b);
	if (bpf_rec_tally(b)->t.events != c.events)
		abort();
	bpf_rec_free(b);
	buf_free(&c.text);
	return 0;
}
