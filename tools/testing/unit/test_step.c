// SPDX-License-Identifier: GPL-2.0
/*
 * Sources read step by step: the next item is available before the rest of the input is read,
 * and one step delivers only a few.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "event/event.h"
#include "common_convert.h"
#include "format/choose.h"

struct counter {
	struct sink base;
	size_t items;
	uint64_t upids[4096];	/* of events, if @events is set */
	bool events;
};

static int count(struct sink *base, const void *item)
{
	struct counter *c = (struct counter *)base;

	if (c->events && c->items < 4096)
		c->upids[c->items] = ((const struct et_event *)item)->upid;
	c->items++;
	return 0;
}

static const struct sink_ops counts = { .item = count };

static struct source *open_rows(const char *name, enum model model, struct in **in, size_t n,
				struct opts *opts, struct diag *diag)
{
	for (const struct source_format *f = source_formats; f->name; f++)
		if (!strcmp(f->name, name) && f->model == model)
			return f->open(&(struct source_args){ in, n, opts, diag });
	fail_msg("there is no format %s", name);
	return NULL;
}

/* @most: the most items that one step may deliver; 0 if unlimited, at any time */
static void by_steps(const struct bytes *b, const char *name, enum model model, size_t most)
{
	struct counter c = { .base = { &counts } };
	struct diag *diag = diag_new(NULL, "test");
	struct in *in = in_mem(b->data, b->n, "input");
	size_t steps = 0, before = 0;
	struct source *s;
	struct opts opts;
	int ret;

	opts_init(&opts);
	s = open_rows(name, model, &in, 1, &opts, diag);
	do {
		before = c.items;
		ret = s->ops->step(s, &c.base);
		steps++;
		if (most && c.items - before > most)
			fail_msg("%s: %zu items in one step", name, c.items - before);
		if (most && !before && c.items && in_offset(in) > b->n / 2)
			fail_msg("%s: the first item arrives after %zu of %zu bytes", name,
				 (size_t)in_offset(in), b->n);
	} while (ret > 0);
	assert_int_equal(ret, 0);
	if (c.items < 10 || steps < 3)
		fail_msg("%s: %zu items in %zu steps", name, c.items, steps);
	s->ops->free(s);
	in_close(in);
	diag_free(diag);
	opts_free(&opts);
}

/* A line of a task at @ns; it closes descriptor @fd. */
static void add_line(struct bytes *b, unsigned int upid, unsigned int cpu, unsigned int ns,
		     unsigned int fd)
{
	char line[200];

	snprintf(line, sizeof(line),
		 "             cat-%u     [%03u] ...1.     5.109781: etrace_close: %u,%u,5,%u!Close|fd=%u\n",
		 upid, cpu, upid, cpu, ns, fd);
	bytes_add(b, line, strlen(line));
}

static void reads_in_small_steps(void **state)
{
	struct bytes b = { 0 }, fxt;
	struct conversion c;

	(void)state;
	for (unsigned int i = 0; i < 20000; i++)
		add_line(&b, 100 + i % 50, 0, i, i % 7);
	by_steps(&b, "etrace", MODEL_ETRACE, 128);
	c = convert("etrace", "fxt", b.data, b.n, NULL);
	fxt = c.out;
	by_steps(&fxt, "fxt", MODEL_ETRACE, 8);
	by_steps(&fxt, "fxt", MODEL_FXT, 8);
	conversion_free(&c);
	bytes_free(&b);
	b = fixture("sp-rtrace/64/leaky.rtrace");
	by_steps(&b, "sp-rtrace", MODEL_SPRTRACE, 8);
	bytes_free(&b);
	b = fixture("sp-rtrace/64/leaky.plain.txt");
	by_steps(&b, "sp-rtrace-text", MODEL_SPRTRACE, 8);
	bytes_free(&b);
	b = fixture("swap/swap42-session.bin");
	/* messages wait for earlier ones, longer than this file is */
	by_steps(&b, "swap", MODEL_SWAP, 0);
	bytes_free(&b);
}

/* Lines of equal time stay together, even if a step ends between them. */
static void equal_times_across_steps(void **state)
{
	struct counter *c = calloc(1, sizeof(*c));
	struct diag *diag = diag_new(NULL, "test");
	struct bytes one = { 0 }, other = { 0 };
	struct source *s;
	struct in *in[2];
	struct opts opts;

	(void)state;
	add_line(&one, 7, 0, 1000, 0);
	add_line(&other, 8, 1, 500, 0);
	for (unsigned int i = 0; i < 500; i++)
		add_line(&other, 8, 1, 1000, i);
	in[0] = in_mem(one.data, one.n, "one");
	in[1] = in_mem(other.data, other.n, "other");
	opts_init(&opts);
	*c = (struct counter){ .base = { &counts }, .events = true };
	s = open_rows("etrace", MODEL_ETRACE, in, 2, &opts, diag);
	assert_int_equal(source_run(s, &c->base), 0);
	assert_int_equal(c->items, 502);
	for (unsigned int i = 0; i < 501; i++)
		assert_int_equal(c->upids[i], 8);
	assert_int_equal(c->upids[501], 7);
	s->ops->free(s);
	in_close(in[0]);
	in_close(in[1]);
	diag_free(diag);
	opts_free(&opts);
	bytes_free(&one);
	bytes_free(&other);
	free(c);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(reads_in_small_steps),
		cmocka_unit_test(equal_times_across_steps),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
