// SPDX-License-Identifier: LGPL-2.1
/* Events as lines.  See event_lines.h. */
#include "format/lines/event_lines.h"
#include "format/lines/line_prefix.h"
#include "format/lines/tree.h"

/* Where printing stands inside an event. */
struct printer {
	const struct lt_event *ev;
	struct buf *b;
	uint32_t item;
	uint32_t mark;		/* the next mark that has not taken effect */
	struct line_prefix prefix;	/* of the next line, unless a mark says later */
};

static void put_prefix(struct printer *p)
{
	char *to = buf_room(p->b, PREFIX_ROOM);

	p->b->len += (size_t)(prefix_put(&p->prefix, to) - to);
}

/* Begin a line whose text stands at byte @off of the current item. */
static void begin_line(struct printer *p, uint32_t off)
{
	const struct lt_event *ev = p->ev;

	for (; p->mark < ev->nmarks; p->mark++) {
		const struct et_mark *m = &ev->marks[p->mark];

		if (m->item > p->item || (m->item == p->item && m->off > off))
			break;
		if (m->what != ET_M_STAMP)
			continue;
		prefix_set(&p->prefix, ev->upid, m->cpu,
			   m->time > p->prefix.time ? m->time : p->prefix.time);
	}
	put_prefix(p);
}

static void print_header(struct printer *p, const struct lt_item *it)
{
	const struct lt_tag_row *row = &lt_tags[it->tag];
	bool comma = false;

	begin_line(p, 0);
	buf_add(p->b, row->name, row->name_len);
	buf_addc(p->b, '|');
	for (unsigned int i = 0; i < row->nfields; i++) {
		int64_t v = p->ev->vals[it->off + i];

		if (!(it->have >> i & 1))
			continue;
		if (comma)
			buf_addc(p->b, ',');
		comma = true;
		buf_add(p->b, row->fields[i].name, row->fields[i].len);
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
		buf_add(p->b, p->ev->bytes + it->text, it->len);
	}
	buf_addc(p->b, '\n');
}

/* Where it ends a string it may have a stamp of its own, else it has none. */
static void print_cont_end(struct printer *p)
{
	put_prefix(p);
	buf_adds(p->b, "Cont_end|\n");
}

/*
 * A piece of a string, from @off to @end: the line that the caller began, then
 * a Cont line for each newline and the end of that group; @last if that ends
 * the string.  Return: whether there was a newline.
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

/* The next mark of missing parts in the current item, or NULL. */
static const struct et_mark *next_gap(const struct printer *p, uint32_t from)
{
	for (; from < p->ev->nmarks; from++) {
		const struct et_mark *m = &p->ev->marks[from];

		if (m->item > p->item)
			break;
		if (m->item == p->item && m->what == ET_M_GAP)
			return m;
	}
	return NULL;
}

/*
 * A Cont line that did not belong to this string: the string must have an end,
 * or the line would belong to it when it is read again.
 */
static bool cont_follows(const struct lt_event *ev, uint32_t i)
{
	const struct lt_item *next = &ev->items[i + 1];

	return i + 1 < ev->nitems && next->tag == LT_OTHER && next->len >= 5 &&
	       !memcmp(lt_bytes(ev, next), "Cont|", 5);
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
			gap = next_gap(p, (uint32_t)(gap - p->ev->marks) + 1);
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
		if (!conts && cont_follows(p->ev, p->item))
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
	    it->flags & LT_I_OPEN || cont_follows(p->ev, p->item)) {
		print_parts(p, it, gap);
		return;
	}
	begin_line(p, 0);
	buf_adds(p->b, lt_tags[it->tag].name);
	buf_addc(p->b, '|');
	print_piece(p, it, 0, it->len, true);
}

static void print_lost(const struct lt_event *ev, struct buf *b)
{
	buf_adds(b, "CPU:");
	buf_addu(b, ev->cpu);
	buf_adds(b, " [LOST ");
	if (ev->nvals) {
		buf_addu(b, (uint64_t)ev->vals[0]);
		buf_addc(b, ' ');
	}
	buf_adds(b, "EVENTS]\n");
}

uint64_t lt_print(const struct lt_event *ev, uint64_t earliest, struct buf *b)
{
	struct printer p = { .ev = ev, .b = b };

	if (ev->kind == ET_K_LOST) {
		print_lost(ev, b);
		return earliest;
	}
	/* this one must not look like the end of a record before it */
	if (earliest && ev->nitems && lt_tags[ev->items[0].tag].role == ET_FAILED &&
	    lt_fails_alone(ev->kind))
		earliest++;
	prefix_set(&p.prefix, ev->upid, ev->cpu, ev->time < earliest ? earliest : ev->time);
	for (p.item = 0; p.item < ev->nitems; p.item++) {
		const struct lt_item *it = &ev->items[p.item];

		if (it->tag == LT_OTHER) {
			begin_line(&p, 0);
			buf_add(b, lt_bytes(ev, it), it->len);
			buf_addc(b, '\n');
		} else if (lt_tags[it->tag].role == ET_STRING) {
			print_string(&p, it);
		} else {
			print_header(&p, it);
		}
	}
	return p.prefix.time;
}

uint64_t et_print_lines(const struct et_event *ev, uint64_t earliest, struct buf *b)
{
	struct lt_event lines;

	lt_init(&lines);
	lt_from_event(ev, &lines);
	earliest = lt_print(&lines, earliest, b);
	lt_fini(&lines);
	return earliest;
}

bool et_read_lines(struct et_event *ev, const char *text, size_t len)
{
	struct lt_event lines;
	bool good;

	lt_init(&lines);
	good = lt_read(&lines, text, len);
	if (good)
		lt_to_event(&lines, ev);
	lt_fini(&lines);
	return good;
}
