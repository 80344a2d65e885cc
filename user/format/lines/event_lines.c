// SPDX-License-Identifier: LGPL-2.1
/* Prints events as lines.  See event_lines.h. */
#include "format/lines/event_lines.h"
#include "format/lines/line_parse.h"
#include "format/lines/line_prefix.h"
#include "format/lines/line_list.h"

#include <stdlib.h>

/* State of printing an event. */
struct printer {
	const struct et_event *ev;
	const struct lt_list *list;
	struct buf *b;
	uint32_t item;
	uint32_t mark;		/* the next mark that has not taken effect */
	struct line_prefix prefix;	/* prefix of the next line; a mark can make it later */
};

static void put_prefix(struct line_prefix *prefix, struct buf *b)
{
	char *to = buf_room(b, PREFIX_ROOM);

	b->len += (size_t)(prefix_put(prefix, to) - to);
}

/* Begins a line whose text is at byte @off of the current item. */
static void begin_line(struct printer *p, uint32_t off)
{
	const struct et_event *ev = p->ev;

	for (; p->mark < ev->nlater; p->mark++) {
		const struct et_mark *m = &ev->later[p->mark];

		if (m->what == ET_M_ARGS)
			continue;
		if (m->item > p->item || (m->item == p->item && m->off > off))
			break;
		if (m->what != ET_M_STAMP)
			continue;
		prefix_set(&p->prefix, ev->upid, m->cpu,
			   m->time > p->prefix.time ? m->time : p->prefix.time);
	}
	put_prefix(&p->prefix, p->b);
}

static void print_header(struct printer *p, const struct lt_item *it)
{
	const struct lt_tag_row *row = &lt_tags[it->tag];
	bool comma = false;

	begin_line(p, 0);
	buf_add(p->b, row->name, row->name_len);
	buf_addc(p->b, '|');
	for (unsigned int i = 0; i < row->nfields; i++) {
		const struct et_field *f = &row->fields[i];
		int64_t v = lt_field(p->ev, f);

		if (!(it->have >> i & 1))
			continue;
		if (comma)
			buf_addc(p->b, ',');
		comma = true;
		buf_add(p->b, f->name, f->len);
		buf_addc(p->b, '=');
		if (v < 0 && !(it->big >> i & 1)) {
			buf_addc(p->b, '-');
			buf_addu(p->b, -(uint64_t)v);
		} else {
			buf_addu(p->b, (uint64_t)v);
		}
	}
	if (it->len) {
		if (comma)
			buf_addc(p->b, ',');
		buf_add(p->b, lt_bytes(p->ev, it), it->len);
	}
	buf_addc(p->b, '\n');
}

/* Prints Cont_end.  Only a Cont_end at the end of a string may have its own stamp. */
static void print_cont_end(struct printer *p)
{
	put_prefix(&p->prefix, p->b);
	buf_adds(p->b, "Cont_end|\n");
}

/*
 * Prints the bytes of a string from @off to @end: completes the line that the caller began,
 * and adds a Cont line for each newline, and Cont_end after those.
 * @last: whether @end is the end of the string.  Return: whether there was a newline.
 */
static bool print_piece(struct printer *p, const struct lt_item *it,
			uint32_t off, uint32_t end, bool last)
{
	const char *s = lt_bytes(p->ev, it);
	bool conts = false;

	for (;;) {
		const char *nl = off < end ? memchr(s + off, '\n', end - off) : NULL;
		uint32_t stop = nl ? (uint32_t)(nl - s) : end;

		buf_add(p->b, s + off, stop - off);
		buf_addc(p->b, '\n');
		if (!nl)
			break;
		off = stop + 1;
		conts = true;
		begin_line(p, off);
		buf_adds(p->b, "Cont|");
	}
	if (conts && last) {
		begin_line(p, end);
		buf_adds(p->b, "Cont_end|\n");
	} else if (conts) {
		print_cont_end(p);
	}
	return conts;
}

/* The next mark of missing parts in the current item, NULL if none. */
static const struct et_mark *next_gap(const struct printer *p, uint32_t from)
{
	for (; from < p->ev->nlater; from++) {
		const struct et_mark *m = &p->ev->later[from];

		if (m->item > p->item)
			break;
		if (m->item == p->item && m->what == ET_M_GAP)
			return m;
	}
	return NULL;
}

/*
 * Whether a Cont line follows that does not belong to this string.  Then the string must have
 * an end, or a reader of the lines would add the Cont line to it.
 */
static bool cont_follows(const struct printer *p)
{
	const struct lt_item *next = &p->list->items[p->item + 1];

	return p->item + 1 < p->list->nitems && next->tag == LT_OTHER && next->len >= 5 &&
	       !memcmp(lt_bytes(p->ev, next), "Cont|", 5);
}

static void print_parts(struct printer *p, const struct lt_item *it,
			const struct et_mark *gap)
{
	const char *name = lt_tags[it->tag].name;
	uint32_t off = 0, part = lt_is_args(it->tag) ? it->index : 0;
	bool conts;

	do {
		uint32_t end = it->len - off > ET_PART_MAX ? off + ET_PART_MAX : it->len;

		while (gap && gap->off == off) {
			part += gap->n;
			gap = next_gap(p, (uint32_t)(gap - p->ev->later) + 1);
		}
		if (gap && gap->off < end)
			end = gap->off;
		begin_line(p, off);
		buf_adds(p->b, name);
		buf_addc(p->b, '[');
		buf_addu(p->b, part);
		buf_addc(p->b, ']');
		conts = print_piece(p, it, off, end, false);
		part += !lt_is_args(it->tag);
		off = end;
	} while (off < it->len || (gap && gap->off == off));
	if (lt_is_args(it->tag) || it->flags & LT_I_OPEN) {
		if (!conts && cont_follows(p))
			print_cont_end(p);
	} else {
		begin_line(p, it->len);
		buf_adds(p->b, name);
		buf_adds(p->b, "_end|\n");
	}
}

static void print_string(struct printer *p, const struct lt_item *it)
{
	const struct et_mark *gap = next_gap(p, p->mark);

	if (lt_is_args(it->tag) || it->len >= ET_PART_MAX || gap ||
	    it->flags & LT_I_OPEN || cont_follows(p)) {
		print_parts(p, it, gap);
		return;
	}
	begin_line(p, 0);
	buf_adds(p->b, lt_tags[it->tag].name);
	buf_addc(p->b, '|');
	print_piece(p, it, 0, it->len, true);
}

static void print_other(struct printer *p, const struct lt_item *it)
{
	begin_line(p, 0);
	if (it->flags & LT_I_FAILED)
		lt_print_failed(p->ev, p->b);
	else if (it->flags & LT_I_MARKS)
		lt_print_marks(p->ev, p->b);
	else
		buf_add(p->b, lt_bytes(p->ev, it), it->len);
	buf_addc(p->b, '\n');
}

/* Whether an event that begins with @first could be mistaken for the end of the previous one. */
static bool stands_alone(const struct et_event *ev, enum lt_tag first)
{
	return lt_tags[first].role == ET_FAILED && lt_fails_alone(ev->kind);
}

uint64_t lt_list_print(const struct et_event *ev, const struct lt_list *list, uint64_t earliest,
		       struct buf *b)
{
	struct printer p = { .ev = ev, .list = list, .b = b };

	if (earliest && list->nitems && stands_alone(ev, list->items[0].tag))
		earliest++;
	prefix_set(&p.prefix, ev->upid, ev->cpu, ev->time < earliest ? earliest : ev->time);
	for (p.item = 0; p.item < list->nitems; p.item++) {
		const struct lt_item *it = &list->items[p.item];

		if (it->tag == LT_OTHER)
			print_other(&p, it);
		else if (lt_tags[it->tag].role == ET_STRING)
			print_string(&p, it);
		else
			print_header(&p, it);
	}
	return p.prefix.time;
}

static void print_lost(const struct et_event *ev, struct buf *b)
{
	buf_adds(b, "CPU:");
	buf_addu(b, ev->cpu);
	buf_adds(b, " [LOST ");
	if (et_has(ev, ET_V_LOST_count)) {
		buf_addu(b, (uint64_t)ev->val[ET_V_LOST_count]);
		buf_addc(b, ' ');
	}
	buf_adds(b, "EVENTS]\n");
}

/* Prints lines that were kept as text, none of them with a time before @earliest. */
static uint64_t print_raw(const struct et_event *ev, uint64_t earliest, struct buf *b)
{
	const char *s = ev->raw, *end = s + ev->raw_len;
	struct line_prefix prefix = { 0 };
	struct line_state st = { 0 };

	while (s < end) {
		const char *nl = memchr(s, '\n', (size_t)(end - s));
		const struct et_line *l = &st.line;

		line_plain(&st, s, nl);
		if (s == ev->raw && earliest && stands_alone(ev, l->tag))
			earliest++;
		if (l->time > earliest || l->cpu != prefix.cpu || !prefix.start)
			prefix_set(&prefix, l->upid, l->cpu,
				   l->time > earliest ? l->time : earliest);
		put_prefix(&prefix, b);
		buf_add(b, l->text, l->len + 1);
		earliest = prefix.time;
		s = nl + 1;
	}
	return earliest;
}

uint64_t et_print_lines(const struct et_event *ev, uint64_t earliest, struct buf *b)
{
	struct lt_list list = { 0 };

	if (ev->raw_len)
		return print_raw(ev, earliest, b);
	if (ev->kind == ET_K_LOST) {
		print_lost(ev, b);
		return earliest;
	}
	lt_list_of(ev, &list);
	earliest = lt_list_print(ev, &list, earliest, b);
	free(list.items);
	return earliest;
}
