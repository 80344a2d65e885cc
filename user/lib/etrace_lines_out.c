// SPDX-License-Identifier: GPL-2.0
/* Sink of the etrace model: the plain lines of the format document. */
#include <stdlib.h>

#include "etrace_formats.h"
#include "event_lines.h"

struct lines_out {
	struct sink sink;
	struct out *out;
	struct buf text;
};

static int lines_item(struct sink *s, const void *item)
{
	struct lines_out *l = (struct lines_out *)s;

	l->text.len = 0;
	et_print_lines(item, &l->text);
	return out_write(l->out, l->text.s, l->text.len);
}

static int lines_end(struct sink *s)
{
	return out_flush(((struct lines_out *)s)->out);
}

static void lines_free(struct sink *s)
{
	buf_free(&((struct lines_out *)s)->text);
	free(s);
}

struct sink *etrace_lines_open(const struct sink_args *args)
{
	static const struct sink_ops ops = { lines_item, lines_end, lines_free };
	struct lines_out *l = xcalloc(1, sizeof(*l));

	l->sink.ops = &ops;
	l->out = args->out;
	return &l->sink;
}
