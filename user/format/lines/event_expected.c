// SPDX-License-Identifier: LGPL-2.1
/*
 * Adds lines to events whose lines come just as the module prints them, and need no list.
 * See event_builder.h.
 */
#include "format/lines/event_builder.h"
#include "format/lines/event_lines.h"

/* Maximum bytes of an event to which arguments are added without a list. */
#define MAX_UNLISTED	(1u << 20)

/* Notes that the expected line, of row @i, has come in full. */
static inline void added_expected(struct builder *b, unsigned int i, uint64_t time)
{
	b->one_record = true;
	b->step = time - b->line_time;
	b->lines++;
	b->line_time = b->last_time = time;
	if (!b->args_left)
		builder_expect(b, i);
}

bool builder_take_expected(struct builder *b, const struct et_line *l, const struct line_text *p)
{
	unsigned int i = b->expected;
	const struct et_row *row = &et_rows[i];
	struct et_event *ev = &b->ev;

	if (p->tag != lt_of_row[i] || l->cpu != b->line_cpu || !builder_in_step(b, l->time))
		return false;
	if (p->what == P_HEADER) {
		if (p->len)
			return false;
	} else if (p->what != P_STRING || p->len >= ET_PART_MAX) {
		return false;
	} else if (b->args_left) {
		if (p->index != ev->nargs || (int64_t)p->len >= b->args_left ||
		    ev->nbytes > MAX_UNLISTED)
			return false;
		b->args_left -= (int64_t)p->len + 1;
		et_add_arg(ev, p->text, p->len);
	} else {
		if (p->part || (int64_t)p->len != ev->size[row->slot])
			return false;
		et_add_string(ev, row->slot, p->text, p->len);
	}
	added_expected(b, i, l->time);
	return true;
}

size_t builder_add_more(struct builder *b, struct line_state *st, const char *s, const char *end,
			uint64_t until)
{
	const char *at = s, *next;
	unsigned int i;

	while ((i = b->expected)) {
		const struct et_row *row = &et_rows[i];
		enum lt_tag tag = lt_of_row[i];
		struct line_text p;
		uint64_t time;

		if (row->role == ET_STRING && !b->args_left) {
			size_t n = (size_t)b->ev.size[row->slot];

			if (n >= ET_PART_MAX)
				break;
			next = line_string(st, at, end, tag, n, &time,
					   et_room(&b->ev, n + LINE_COPY));
			if (!next || time > until || !builder_in_step(b, time))
				break;
			et_added_string(&b->ev, row->slot, n);
			added_expected(b, i, time);
			at = next;
		} else {
			struct et_line l = st->line;

			next = line_follows(st, at, end, tag, &l);
			if (!next || l.time > until)
				break;
			p = line_text_split(&l);
			if (!builder_take_expected(b, &l, &p))
				break;
			time = l.time;
			at = next;
		}
		st->line.time = time;
		st->line.number++;
	}
	return (size_t)(at - s);
}
