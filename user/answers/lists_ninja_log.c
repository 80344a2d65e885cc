// SPDX-License-Identifier: LGPL-2.1
/* Reads ninja's log of dependencies (format: deps_log.h in its source).  See lists.h. */
#include "answers/lists.h"
#include "base/bytes.h"
#include "base/xalloc.h"

#include <stdlib.h>
#include <string.h>

static const struct diag_kind strange_record = {
	"records of .ninja_deps, damaged", DIAG_DAMAGE
};

#define DEPS_HEAD "# ninjadeps\n"

struct deps {
	struct lists *l;
	const char *then, *path;
	uint32_t *nodes;	/* by ninja's number of a path: its node */
	size_t n, cap;
	uint32_t version;
};

static bool read_deps(struct deps *d, const char *s, size_t len)
{
	/* an output's number, its time (64 bits since version 4), its inputs */
	size_t head = d->version >= 4 ? 12 : 8;
	uint32_t out, id, group;

	if (len < head || len % 4)
		return false;
	out = bytes_4(s);
	if (out >= d->n)
		return false;
	group = lists_group_new(d->l);
	for (size_t at = head; at < len; at += 4) {
		id = bytes_4(s + at);
		if (id >= d->n)
			return false;
		lists_group_add(d->l, group, d->nodes[id]);
	}
	d->l->nodes[d->nodes[out]].read = group;
	d->l->nodes[d->nodes[out]].target = true;
	return true;
}

static bool read_path(struct deps *d, const char *s, size_t len)
{
	if (len < 8 || len % 4 || bytes_4(s + len - 4) != ~(uint32_t)d->n)
		return false;
	len -= 4;
	for (unsigned int pad = 0; pad < 3 && !s[len - 1]; pad++)
		len--;
	d->nodes = xgrow(d->nodes, &d->cap, d->n + 1, sizeof(*d->nodes));
	d->nodes[d->n++] = lists_node(d->l, d->then, s, len);
	return true;
}

static void read_log(struct deps *d, const struct buf *b)
{
	size_t at = sizeof(DEPS_HEAD) - 1 + 4;
	bool ok = b->len >= at && !memcmp(b->s, DEPS_HEAD, sizeof(DEPS_HEAD) - 1);

	d->version = ok ? bytes_4(b->s + at - 4) : 0;
	ok = d->version == 3 || d->version == 4;
	at = ok ? at : 0;
	while (ok && b->len - at >= 4) {
		uint32_t size = bytes_4(b->s + at), len = size & 0x7fffffff;
		const char *s = b->s + at + 4;

		ok = len <= b->len - at - 4 &&
		     (size >> 31 ? read_deps(d, s, len) : read_path(d, s, len));
		at += ok ? 4 + len : 0;
	}
	if (!ok || at != b->len)
		diag_report(d->l->diag, &strange_record, d->path, DIAG_OFFSET, at,
			    d->version ? NULL : "is not a known version of ninja's log");
}

void lists_ninja_log(struct lists *l, const char *then, const char *path)
{
	struct deps d = { .l = l, .then = then, .path = path };
	struct buf text = { 0 };

	if (lists_text(path, &text))
		read_log(&d, &text);
	buf_free(&text);
	free(d.nodes);
}
