// SPDX-License-Identifier: LGPL-2.1
/* Builds one event from its lines.  See event_builder.h. */
#include "format/lines/event_builder.h"
#include "format/lines/event_lines.h"
#include "base/xalloc.h"

#include <stdlib.h>
#include <string.h>

/* List items that stay allocated when the memory of an event is reused. */
#define KEEP_ITEMS	64u

/* Bit of a string in growing.need; 0 for arguments, and if the kind has no such string. */
static uint8_t need_bit(const struct growing *g, enum lt_tag tag)
{
	unsigned int slot = lt_slot(g->ev.kind, tag);

	return slot && slot != ET_ARGS + 1 ? (uint8_t)(1u << (slot - 1)) : 0;
}

void grow_begin(struct growing *g, enum et_kind kind, uint64_t upid, uint32_t cpu,
		uint64_t time)
{
	grow_head(g, kind, upid, cpu, time);
	g->list.nitems = 0;
	g->list.items = xtrim(g->list.items, &g->list.items_cap, KEEP_ITEMS);
	g->quick.on = g->quick.more = false;
	g->ended = !(lt_needs[kind] & LT_NEEDS_END);
	g->lines = 0;
	g->last_cpu = cpu;
	g->last_time = time - 1;
	g->need = 0;
	g->piece_off = 0;
	g->in_parts = g->in_cont = g->cont_done = false;
}

void grow_fini(struct growing *g)
{
	et_fini(&g->ev);
	free(g->list.items);
}

static struct lt_item *last_item(const struct growing *g)
{
	return &g->list.items[g->list.nitems - 1];
}

/* ---- which record a line came in ---- */

static struct et_mark *add_mark(struct growing *g)
{
	const struct lt_item *last = last_item(g);
	struct et_mark *m = et_add_mark(&g->ev);

	m->item = g->list.nitems - 1;
	m->off = lt_tags[last->tag].role == ET_STRING ? last->len : 0;
	return m;
}

/*
 * Records the time and processor of the line that brings the next bytes of the last item.
 * Each line is later than the one before, by 1 ns within one record.  So a line with
 * that time, or not later than the one before (as in lines that have only their record's
 * time), needs no mark, unless it @must have one.
 */
static void stamp(struct growing *g, const struct et_line *l, bool must)
{
	uint64_t next = g->last_time + 1;
	struct et_mark *m;

	g->last_time = l->time > next ? l->time : next;
	if (l->cpu == g->last_cpu && g->last_time == next && !must)
		return;
	m = add_mark(g);
	m->what = ET_M_STAMP;
	m->cpu = g->last_cpu = l->cpu;
	m->time = g->last_time;
}

/*
 * Drops the stamp at the end of an argument that a line continued with no bytes, and not
 * after a newline.  No line will be printed for that, so the next item needs the stamp.
 * Return: whether it does.
 */
static bool drop_idle_stamp(struct growing *g)
{
	struct et_event *ev = &g->ev;
	const struct et_mark *m = ev->nlater ? &ev->later[ev->nlater - 1] : NULL;
	const struct lt_item *last = last_item(g);

	if (!lt_is_args(last->tag) || !last->len || !m || m->what != ET_M_STAMP ||
	    m->item != g->list.nitems - 1 || m->off != last->len ||
	    ev->bytes[last->off + last->len - 1] == '\n')
		return false;
	ev->nlater--;
	return true;
}

/* Notes that @n numbered parts are missing at the end of the last item. */
static void add_gap(struct growing *g, uint32_t n)
{
	struct et_mark *m = add_mark(g);

	m->what = ET_M_GAP;
	m->n = n;
}

static struct lt_item *add_item(struct growing *g, const struct et_line *l, enum lt_tag tag)
{
	bool moved = g->list.nitems && drop_idle_stamp(g);
	struct lt_item *it = lt_list_add(&g->list, tag);

	it->off = (uint32_t)g->ev.nbytes;
	stamp(g, l, moved);
	return it;
}

/* ---- the event so far ---- */

/* Whether the current string is complete. */
static bool string_done(const struct growing *g)
{
	const struct lt_item *it = &g->list.items[g->string];
	unsigned int slot = lt_slot(g->ev.kind, it->tag);

	if (g->in_parts || g->in_cont)
		return false;
	return !slot || !(g->ev.announced >> (slot - 1) & 1) || it->len >= g->ev.size[slot - 1];
}

/* Ends the current string: a line of another string or header has come. */
static void leave_string(struct growing *g)
{
	struct lt_item *it;

	if (g->string < 0)
		return;
	it = &g->list.items[g->string];
	if (g->in_parts)
		it->flags |= LT_I_OPEN;
	g->no_cont_end |= g->in_cont;
	g->need &= (uint8_t)~need_bit(g, it->tag);
	g->string = -1;
	g->in_parts = g->in_cont = g->cont_done = false;
}

/* Updates what is still missing; called after each line. */
static void update(struct growing *g)
{
	if (g->string >= 0 && string_done(g))
		g->need &= (uint8_t)~need_bit(g, g->list.items[g->string].tag);
	if (g->state != CLOSED)
		g->state = g->ended && !g->need && !g->in_parts && !g->in_cont ? DONE : OPEN;
}

/*
 * Whether the line's processor and time fit the record of the lines before.  Either all
 * lines have the record's time, or each is 1 ns after the one before; never mixed.
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
	/* after a step back, later lines are compared with the time before it */
	if (!g->went_back)
		g->line_time = l->time;
}

/* A header that belongs to this event.  Return: false if it is damaged. */
static bool add_header(struct growing *g, const struct et_line *l, const struct piece *p)
{
	const struct lt_tag_row *row = &lt_tags[p->tag];
	struct lt_item *it;
	bool good;

	leave_string(g);
	count_line(g, l);
	it = add_item(g, l, p->tag);
	good = piece_fields(&g->ev, it, p->text, p->len);
	for (unsigned int i = 0; i < row->nfields; i++) {
		const struct et_field *f = &row->fields[i];

		if (f->is_size && it->have >> i & 1 && g->ev.size[f->slot] >= 0)
			g->need |= need_bit(g, LT_FIRST_STRING + f->tag);
	}
	if (row->role == ET_FAILED)
		g->ev.flags |= ET_F_FAILED;
	/* ET_MORE lines may come in the middle of an event */
	if (row->role != ET_BEGIN && row->role != ET_MORE)
		g->ended = true;
	return good;
}

static void add_string(struct growing *g, const struct et_line *l, const struct piece *p)
{
	struct lt_item *it;

	leave_string(g);
	count_line(g, l);
	it = add_item(g, l, p->tag);
	it->index = lt_is_args(p->tag) ? p->index : 0;
	g->string = (int32_t)g->list.nitems - 1;
	g->in_parts = p->part && !lt_is_args(p->tag);
	g->piece_off = 0;
	if (g->in_parts) {
		it->flags |= LT_I_SPLIT;
		if (p->index)
			add_gap(g, p->index);
		g->next_part = p->index + 1;
	}
	lt_add_bytes(&g->ev, it, p->text, p->len);
}

/* More bytes for the current string, which must be the last item. */
static void add_more(struct growing *g, const struct et_line *l, const struct piece *p)
{
	struct lt_item *it = last_item(g);

	count_line(g, l);
	if (p->what == P_CONT) {
		g->in_cont = true;
		lt_add_bytes(&g->ev, it, "\n", 1);
	} else {
		g->no_cont_end |= g->in_cont;
		g->in_cont = g->cont_done = false;
	}
	stamp(g, l, false);
	if (g->in_parts && p->what == P_STRING) {
		if (p->index > g->next_part)
			add_gap(g, p->index - g->next_part);
		g->next_part = p->index + 1;
	}
	g->piece_off = it->len;
	lt_add_bytes(&g->ev, it, p->text, p->len);
}

/*
 * Cont_end.  Its stamp is kept only where it ends the string: between parts it could
 * not be distinguished from that of the next part.
 */
static void end_conts(struct growing *g, const struct et_line *l)
{
	count_line(g, l);
	if (!g->in_parts && !lt_is_args(g->list.items[g->string].tag))
		stamp(g, l, false);
	else
		g->last_time++;
	g->in_cont = false;
	g->cont_done = true;
}

/* TAG_end */
static void end_parts(struct growing *g, const struct et_line *l)
{
	count_line(g, l);
	stamp(g, l, false);
	g->in_parts = false;
	leave_string(g);
}

/* A line outside the format. */
static void add_other(struct growing *g, const struct et_line *l)
{
	leave_string(g);
	count_line(g, l);
	lt_add_bytes(&g->ev, add_item(g, l, LT_OTHER), l->text, l->len);
}

static bool same_stamp(const struct growing *g, const struct et_line *l)
{
	return g->line_time == l->time && g->line_cpu == l->cpu;
}

/* Whether this line can continue the current string. */
static bool goes_on(const struct growing *g, const struct piece *p)
{
	const struct lt_item *it;

	if (g->string < 0 || (uint32_t)g->string != g->list.nitems - 1)
		return false;
	it = &g->list.items[g->string];
	if (p->what == P_CONT)
		return !g->cont_done;
	if (p->what != P_STRING || p->tag != it->tag || !p->part)
		return false;
	return lt_is_args(it->tag) ? p->index == it->index :
				   g->in_parts && p->index >= g->next_part;
}

static bool same_header(const struct growing *g, const struct lt_item *it, const struct piece *p)
{
	const struct lt_tag_row *row = &lt_tags[p->tag];
	struct lt_item other = { .tag = it->tag };
	struct et_event copy;
	bool same;

	et_init(&copy);
	piece_fields(&copy, &other, p->text, p->len);
	same = other.have == it->have && other.big == it->big && other.len == it->len &&
	       !memcmp(lt_bytes(&copy, &other), lt_bytes(&g->ev, it), it->len);
	for (unsigned int i = 0; same && i < row->nfields; i++)
		same = !(it->have >> i & 1) ||
		       lt_field(&copy, &row->fields[i]) == lt_field(&g->ev, &row->fields[i]);
	et_fini(&copy);
	return same;
}

/* False for lines that the format may repeat: Cont, and parts of arguments. */
bool grow_is_double(const struct growing *g, const struct et_line *l, const struct piece *p)
{
	const struct lt_item *it;

	if (!g->list.nitems || !same_stamp(g, l))
		return false;
	it = last_item(g);
	if (p->what == P_STRING && !lt_is_args(p->tag) && it->tag == p->tag &&
	    p->part == ((it->flags & LT_I_SPLIT) != 0) &&
	    (!p->part || p->index == g->next_part - 1))
		return it->len - g->piece_off == p->len &&
		       !memcmp(lt_bytes(&g->ev, it) + g->piece_off, p->text, p->len);
	if (p->what == P_HEADER && it->tag == p->tag)
		return same_header(g, it, p);
	if (p->what == P_OTHER && it->tag == LT_OTHER)
		return it->len == l->len && !memcmp(lt_bytes(&g->ev, it), l->text, l->len);
	return false;
}

/*
 * Whether another string belongs to this event.  It does not if the event is complete;
 * but if the event's beginning is lost, it is unknown when it is complete.
 */
static bool string_fits(const struct growing *g, enum lt_tag tag)
{
	enum et_role first = lt_tags[g->list.items[0].tag].role;

	if (!lt_kind_has(g->ev.kind, tag) || (!lt_is_args(tag) && lt_list_find(&g->list, tag)))
		return false;
	return g->state == OPEN || first == ET_STRING || first == ET_MIDDLE;
}

/*
 * Whether a header that continues or ends an event belongs to this one.
 * If all lines of an event came in one record, the tracer writes records of several
 * lines, and a line of another record hardly belongs to that event.
 */
static bool header_fits(const struct growing *g, const struct et_line *l, const struct piece *p)
{
	const struct lt_list *list = &g->list;
	unsigned int kind = g->ev.kind;
	bool open = !g->ended;

	/* an event whose beginning is lost may still get its end, if it has none */
	if (lt_tags[list->items[0].tag].role == ET_STRING) {
		open = true;
		for (uint32_t i = 0; i < list->nitems; i++)
			open = open && lt_tags[list->items[i].tag].role == ET_STRING;
	}
	if (lt_tags[p->tag].kind != kind || lt_list_find(list, p->tag))
		return false;
	switch (lt_tags[p->tag].role) {
	case ET_MIDDLE:
	case ET_LAST:
		return open;
	case ET_FAILED:
		/* the line may also be a failed umount of its own, after a complete one */
		if (lt_fails_alone(kind) && g->one_record && !same_record(g, l))
			return false;
		return lt_fails_late(kind) || open;
	default:	/* ET_BEGIN begins another event */
		return lt_tags[p->tag].role == ET_MORE;
	}
}

/* ---- lines ---- */

enum et_kind grow_kind(const struct piece *p)
{
	enum et_kind kind = lt_kind_of(p->tag);

	return kind == ET_K_NONE ? ET_K_FRAGMENT : kind;
}

static bool belongs(const struct growing *g, const struct et_line *l, const struct piece *p)
{
	if (g->sure)
		return lt_is_args(p->tag) || !lt_list_find(&g->list, p->tag);
	return p->what == P_HEADER ? header_fits(g, l, p) : string_fits(g, p->tag);
}

static enum grown take(struct growing *g, const struct et_line *l, const struct piece *p)
{
	bool first = !g->list.nitems;

	switch (p->what) {
	case P_HEADER:
		if (!first && !belongs(g, l, p))
			return GROWN_NOT;
		return add_header(g, l, p) ? GROWN : GROWN_IN_PART;
	case P_STRING:
		if (goes_on(g, p)) {
			add_more(g, l, p);
			return GROWN;
		}
		if (!first && !belongs(g, l, p))
			return GROWN_NOT;
		/* the event's beginning is lost: do not wait for more */
		g->ended |= first;
		add_string(g, l, p);
		return GROWN;
	case P_CONT:
		if (goes_on(g, p)) {
			add_more(g, l, p);
			return GROWN;
		}
		add_other(g, l);
		return GROWN_STRAY;
	case P_CONT_END:
		if (g->string >= 0 && g->in_cont) {
			end_conts(g, l);
			return GROWN;
		}
		g->cont_done = true;
		return GROWN_STRAY;
	case P_STRING_END:
		if (g->string < 0 || !g->in_parts || g->list.items[g->string].tag != p->tag)
			return GROWN_STRAY;
		end_parts(g, l);
		return GROWN;
	case P_OTHER:
		break;
	}
	add_other(g, l);
	return GROWN;
}

enum grown grow_line(struct growing *g, const struct et_line *l, const struct piece *p)
{
	enum grown grown = take(g, l, p);

	if (grown != GROWN_NOT)
		update(g);
	return grown;
}

void grow_close(struct growing *g)
{
	if (g->quick.more)
		grow_list(g);
	if (!g->quick.on)
		leave_string(g);
	g->state = CLOSED;
}

void grow_list(struct growing *g)
{
	struct et_event *ev = &g->ev;
	uint8_t flags = ev->flags;

	if (g->quick.more)
		ev->flags |= ET_F_NO_END;
	lt_list_of(ev, &g->list);
	ev->flags = flags;
	g->ended = !(lt_needs[ev->kind] & LT_NEEDS_END);
	for (uint32_t i = 0; i < g->list.nitems; i++)
		g->ended |= lt_tags[g->list.items[i].tag].role == ET_LAST;
	/* all strings that came have their announced size */
	g->need = ev->announced & (uint8_t)~(ev->strings | 1u << ET_ARGS);
	for (unsigned int i = 0; i <= ET_ARGS; i++)
		if (et_has_string(ev, i))
			et_announce(ev, i, et_announced(ev, i));
	if (lt_tags[last_item(g)->tag].role == ET_STRING)
		g->string = (int32_t)g->list.nitems - 1;
	g->one_record = g->lines > 1;
	g->last_cpu = g->line_cpu;
	g->last_time = ev->time + g->list.nitems - 1;
	g->piece_off = 0;
	g->in_parts = g->in_cont = g->cont_done = false;
	g->quick.on = g->quick.more = false;
	update(g);
}

bool et_read_lines(struct et_event *ev, const char *text, size_t len)
{
	struct growing g = { .ev = *ev, .sure = true, .string = -1 };
	struct line_state st = { 0 };
	bool good = len;

	for (const char *end = text + len, *nl; good && text < end; text = nl + 1) {
		unsigned int foreign;
		enum grown grown;
		struct piece p;

		nl = memchr(text, '\n', (size_t)(end - text));
		if (!nl || line_parse(&st, text, nl, &foreign) != LINE_ETRACE) {
			good = false;
			break;
		}
		p = piece_read(&st.line);
		if (!g.list.nitems)
			grow_begin(&g, grow_kind(&p), st.line.upid, st.line.cpu, st.line.time);
		grown = grow_line(&g, &st.line, &p);
		/* this Cont_end was printed only to separate unrelated lines */
		g.last_time += grown == GROWN_STRAY && p.what == P_CONT_END;
		good = grown != GROWN_NOT && g.list.nitems && et_memory(&g.ev) <= 2 * (size_t)ET_MAX_BYTES;
	}
	if (good) {
		grow_close(&g);
		lt_finish(&g.ev, &g.list);
	}
	free(g.list.items);
	*ev = g.ev;
	return good;
}
