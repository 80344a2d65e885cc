// SPDX-License-Identifier: LGPL-2.1
/* An event whose lines are still coming.  See growing.h. */
#include "format/lines/growing.h"

#include <string.h>

static uint64_t need_bit(enum lt_tag tag)
{
	return tag >= LT_FIRST_STRING && tag <= LT_LAST_STRING && !lt_is_args(tag) ?
	       UINT64_C(1) << (tag - LT_FIRST_STRING) : 0;
}

/* The size that headers announce for a string, or -1. */
static int64_t announced(const struct growing *g, enum lt_tag tag)
{
	for (uint32_t i = 0; i < g->nwant; i++)
		if (g->want_tag[i] == tag)
			return g->want_size[i];
	return -1;
}

void grow_begin(struct growing *g, enum et_kind kind, uint64_t upid, uint32_t cpu,
		uint64_t time)
{
	lt_reset(&g->ev, kind, upid, cpu, time);
	grow_head(g, kind, upid, time);
	g->quick.on = g->quick.more = false;
	g->ended = !(lt_needs[kind] & LT_NEEDS_END);
	g->lines = 0;
	g->need = 0;
	g->nwant = 0;
	g->piece_off = 0;
	g->in_parts = g->in_cont = g->cont_done = false;
}

/* Is the current string as long as it will get? */
static bool string_done(const struct growing *g)
{
	const struct lt_item *it = &g->ev.items[g->string];
	int64_t size;

	if (g->in_parts || g->in_cont)
		return false;
	size = announced(g, it->tag);
	return size < 0 || it->len >= size;
}

/* Lines of another string or header come: this one gets no more. */
void grow_leave_string(struct growing *g)
{
	struct lt_item *it;

	if (g->string < 0)
		return;
	it = &g->ev.items[g->string];
	if (g->in_parts)
		it->flags |= LT_I_OPEN;
	g->no_cont_end |= g->in_cont;
	g->need &= ~need_bit(it->tag);
	g->string = -1;
	g->in_parts = g->in_cont = g->cont_done = false;
}

void grow_update(struct growing *g)
{
	if (g->string >= 0 && string_done(g))
		g->need &= ~need_bit(g->ev.items[g->string].tag);
	if (g->state != CLOSED)
		g->state = g->ended && !g->need && !g->in_parts && !g->in_cont ? DONE : OPEN;
}

/*
 * Does the line come as those of one record do?  They have the record's time,
 * or each is 1 ns behind the one before; but not now so and now so.
 */
static bool same_record(const struct growing *g, const struct et_line *l)
{
	uint64_t step = l->time - g->line_time;

	return l->cpu == g->line_cpu && (g->lines == 1 ? step <= 1 : step == g->step);
}

/* Count a line, and see whether all lines are of one record. */
static void count_line(struct growing *g, const struct et_line *l)
{
	if (g->lines) {
		g->one_record = (g->lines == 1 || g->one_record) && same_record(g, l);
		g->went_back = l->time < g->line_time;
		if (g->lines == 1)
			g->step = l->time - g->line_time;
	}
	g->lines++;
	g->line_cpu = l->cpu;
	/* what follows goes on from where the time was */
	if (!g->went_back)
		g->line_time = l->time;
}

/* A header that belongs to this event.  Return: false if it is damaged. */
bool grow_header(struct growing *g, const struct et_line *l, const struct piece *p)
{
	const struct lt_tag_row *row = &lt_tags[p->tag];
	const struct lt_item *it;
	bool good;

	grow_leave_string(g);
	count_line(g, l);
	lt_add_item(&g->ev, p->tag, l->cpu, l->time);
	good = piece_fields(&g->ev, p->text, p->len);
	it = &g->ev.items[g->ev.nitems - 1];
	for (unsigned int i = 0; i < row->nfields; i++) {
		enum lt_tag tag = LT_FIRST_STRING + row->fields[i].tag;
		int64_t size = g->ev.vals[it->off + i];

		if (!row->fields[i].is_size || !(it->have >> i & 1) || g->nwant == MAX_WANT)
			continue;
		g->want_tag[g->nwant] = (uint8_t)tag;
		g->want_size[g->nwant++] = size;
		if (size >= 0)
			g->need |= need_bit(tag);
	}
	/* what tells more may come in the middle */
	if (row->role != ET_BEGIN && row->role != ET_MORE)
		g->ended = true;
	return good;
}

void grow_string(struct growing *g, const struct et_line *l, const struct piece *p)
{
	struct lt_item *it;

	grow_leave_string(g);
	count_line(g, l);
	it = lt_add_item(&g->ev, p->tag, l->cpu, l->time);
	it->index = lt_is_args(p->tag) ? p->index : 0;
	g->string = (int32_t)g->ev.nitems - 1;
	g->in_parts = p->part && !lt_is_args(p->tag);
	g->piece_off = 0;
	if (g->in_parts) {
		it->flags |= LT_I_SPLIT;
		if (p->index)
			lt_gap(&g->ev, p->index);
		g->next_part = p->index + 1;
	}
	lt_add_bytes(&g->ev, p->text, p->len);
}

/* More bytes for the current string, which must be the last item. */
void grow_more(struct growing *g, const struct et_line *l, const struct piece *p)
{
	count_line(g, l);
	if (p->what == P_CONT) {
		g->in_cont = true;
	} else {
		g->no_cont_end |= g->in_cont;
		g->in_cont = g->cont_done = false;
	}
	lt_go_on(&g->ev, p->what == P_CONT, l->cpu, l->time);
	if (g->in_parts && p->what == P_STRING) {
		if (p->index > g->next_part)
			lt_gap(&g->ev, p->index - g->next_part);
		g->next_part = p->index + 1;
	}
	g->piece_off = g->ev.items[g->string].len;
	lt_add_bytes(&g->ev, p->text, p->len);
}

/*
 * Cont_end.  Its stamp is kept only where it ends the string: between parts it
 * could not be told from that of the next part.
 */
void grow_end_conts(struct growing *g, const struct et_line *l)
{
	count_line(g, l);
	if (g->string >= 0 && !g->in_parts && !lt_is_args(g->ev.items[g->string].tag))
		lt_stamp(&g->ev, l->cpu, l->time);
	else if (g->string >= 0)
		g->ev.last_time++;
	g->in_cont = false;
	g->cont_done = true;
}

/* TAG_end */
void grow_end_parts(struct growing *g, const struct et_line *l)
{
	count_line(g, l);
	if (g->string >= 0)
		lt_stamp(&g->ev, l->cpu, l->time);
	g->in_parts = false;
	grow_leave_string(g);
}

void grow_other(struct growing *g, const struct et_line *l)
{
	grow_leave_string(g);
	count_line(g, l);
	lt_add_item(&g->ev, LT_OTHER, l->cpu, l->time);
	lt_add_bytes(&g->ev, l->text, l->len);
}

static bool same_stamp(const struct growing *g, const struct et_line *l)
{
	return g->line_time == l->time && g->line_cpu == l->cpu;
}

/* Can this line go on with the current string? */
bool grow_goes_on(const struct growing *g, const struct piece *p)
{
	const struct lt_item *it;

	if (g->string < 0 || (uint32_t)g->string != g->ev.nitems - 1)
		return false;
	it = &g->ev.items[g->string];
	if (p->what == P_CONT)
		return !g->cont_done;
	if (p->what != P_STRING || p->tag != it->tag || !p->part)
		return false;
	return lt_is_args(it->tag) ? p->index == it->index :
				   g->in_parts && p->index >= g->next_part;
}

/*
 * Is this the line before it once more?  Only where the format cannot repeat a
 * line: not Cont, not parts of arguments.
 */
bool grow_is_double(const struct growing *g, const struct et_line *l, const struct piece *p)
{
	const struct lt_item *it;

	if (!g->ev.nitems || !same_stamp(g, l))
		return false;
	it = &g->ev.items[g->ev.nitems - 1];
	if (p->what == P_STRING && !lt_is_args(p->tag) && it->tag == p->tag &&
	    p->part == ((it->flags & LT_I_SPLIT) != 0) &&
	    (!p->part || p->index == g->next_part - 1))
		return it->len - g->piece_off == p->len &&
		       !memcmp(lt_bytes(&g->ev, it) + g->piece_off, p->text, p->len);
	if (p->what == P_HEADER && it->tag == p->tag) {
		struct lt_event copy;
		const struct lt_item *other;
		bool same;

		lt_init(&copy);
		lt_add_item(&copy, p->tag, 0, 0);
		piece_fields(&copy, p->text, p->len);
		other = &copy.items[0];
		same = other->have == it->have && other->big == it->big &&
		       other->len == it->len &&
		       (!it->len || !memcmp(copy.bytes + other->text,
					    g->ev.bytes + it->text, it->len));
		for (unsigned int i = 0; same && i < lt_tags[p->tag].nfields; i++)
			same = !(it->have >> i & 1) ||
			       copy.vals[other->off + i] == g->ev.vals[it->off + i];
		lt_fini(&copy);
		return same;
	}
	if (p->what == P_OTHER && it->tag == LT_OTHER)
		return it->len == l->len && !memcmp(lt_bytes(&g->ev, it), l->text, l->len);
	return false;
}

/*
 * Does another string belong to this event?  Not if it is whole; but one whose
 * beginning is lost never tells when it is.
 */
bool grow_string_fits(const struct growing *g, enum lt_tag tag)
{
	enum et_role first = lt_tags[g->ev.items[0].tag].role;

	if (!lt_kind_has(g->ev.kind, tag) || (!lt_is_args(tag) && lt_find(&g->ev, tag)))
		return false;
	return g->state == OPEN || first == ET_STRING || first == ET_MIDDLE;
}

/*
 * Does a header that goes on with an event or ends it belong to this one?
 * Where all lines of an event came as one record, the tracer writes records of
 * several lines, and a line of another record is hardly of that event.
 */
bool grow_header_fits(const struct growing *g, const struct et_line *l, const struct piece *p)
{
	const struct lt_event *ev = &g->ev;
	bool open = !g->ended;

	/* one whose beginning is lost may still get its end, if it has none */
	if (lt_tags[ev->items[0].tag].role == ET_STRING) {
		open = true;
		for (uint32_t i = 0; i < ev->nitems; i++)
			open = open && lt_tags[ev->items[i].tag].role == ET_STRING;
	}
	if (lt_tags[p->tag].kind != ev->kind || lt_find(ev, p->tag))
		return false;
	switch (lt_tags[p->tag].role) {
	case ET_MIDDLE:
	case ET_LAST:
		return open;
	case ET_FAILED:
		/* a failed umount may also stand alone, behind a whole one */
		if (lt_fails_alone(ev->kind) && g->one_record && !same_record(g, l))
			return false;
		return lt_fails_late(ev->kind) || open;
	default:	/* ET_MORE; with ET_BEGIN another event begins */
		return true;
	}
}

/* ---- one event alone ---- */

/* Return: false for a header or string that the event has already. */
static bool one_line(struct growing *g, const struct et_line *l)
{
	struct piece p = piece_read(l);

	if ((p.what == P_HEADER || p.what == P_STRING) && !grow_goes_on(g, &p) &&
	    !lt_is_args(p.tag) && lt_find(&g->ev, p.tag))
		return false;

	switch (p.what) {
	case P_HEADER:
		grow_header(g, l, &p);
		break;
	case P_STRING:
		if (grow_goes_on(g, &p))
			grow_more(g, l, &p);
		else
			grow_string(g, l, &p);
		break;
	case P_CONT:
		if (grow_goes_on(g, &p))
			grow_more(g, l, &p);
		else
			grow_other(g, l);
		break;
	case P_CONT_END:
		grow_end_conts(g, l);
		break;
	case P_STRING_END:
		grow_end_parts(g, l);
		break;
	case P_OTHER:
		grow_other(g, l);
		break;
	}
	return true;
}

bool lt_read(struct lt_event *ev, const char *text, size_t len)
{
	struct growing g = { .ev = *ev };
	struct line_state st = { 0 };
	bool first = true, good = true;

	while (len && good) {
		const char *nl = memchr(text, '\n', len);
		const struct et_line *l = &st.line;
		unsigned int foreign;

		if (!nl || line_parse(&st, text, nl, &foreign) != LINE_ETRACE)
			good = false;
		if (good && first) {
			struct piece p = piece_read(l);
			enum et_kind kind = lt_kind_of(p.tag);

			grow_begin(&g, kind == ET_K_NONE ? ET_K_FRAGMENT : kind,
				   l->upid, l->cpu, l->time);
			first = false;
		}
		good = good && g.ev.nvals + ET_MAX_FIELDS <= LT_MAX_VALS &&
		       lt_memory(&g.ev) <= 2 * (size_t)ET_MAX_BYTES;
		if (good) {
			good = one_line(&g, l);
			len -= (size_t)(nl + 1 - text);
			text = nl + 1;
		}
	}
	if (!first)
		grow_leave_string(&g);
	*ev = g.ev;
	return good && !first;
}
