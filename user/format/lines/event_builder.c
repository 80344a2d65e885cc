// SPDX-License-Identifier: LGPL-2.1
/* Builds one event from its lines.  See event_builder.h. */
#include "format/lines/event_builder.h"
#include "format/lines/event_lines.h"
#include "base/bytes.h"

#include <stdlib.h>
#include <string.h>

/* Bit of a string in builder.need; 0 for arguments, and if the kind has no such string. */
static uint8_t need_bit(const struct builder *b, enum lt_tag tag)
{
	unsigned int slot = lt_slot(b->ev.kind, tag);

	return slot && slot != ET_ARGS + 1 ? (uint8_t)(1u << (slot - 1)) : 0;
}

void builder_fini(void *builder)
{
	struct builder *b = builder;

	free(b->list.items);
}

static struct lt_item *last_item(const struct builder *b)
{
	return &b->list.items[b->list.nitems - 1];
}

/* ---- records that lines came in ---- */

static struct et_mark *add_mark(struct builder *b)
{
	const struct lt_item *last = last_item(b);
	struct et_mark *m = et_add_mark(&b->ev);

	m->item = b->list.nitems - 1;
	m->off = lt_tags[last->tag].role == ET_STRING ? last->len : 0;
	return m;
}

/*
 * Records the time and processor of the line that adds the next bytes to the last item.
 * Lines of one record are printed 1 ns apart.  So no mark is needed for a line that is 1 ns
 * after the line before, or not later than that (some lines have only their record's time).
 * @must: add a mark in any case
 */
static void add_stamp(struct builder *b, const struct et_line *l, bool must)
{
	uint64_t next = b->last_time + 1;
	struct et_mark *m;

	b->last_time = l->time > next ? l->time : next;
	if (l->cpu == b->last_cpu && b->last_time == next && !must)
		return;
	m = add_mark(b);
	m->what = ET_M_STAMP;
	m->cpu = b->last_cpu = l->cpu;
	m->time = b->last_time;
}

/*
 * Drops the stamp of an empty line that ends an argument, because no line will be printed for
 * it (unless the argument ends with a newline).  The next item needs a stamp instead.
 * Return: whether a stamp was dropped.
 */
static bool drop_idle_stamp(struct builder *b)
{
	struct et_event *ev = &b->ev;
	const struct et_mark *m = ev->nlater ? &ev->later[ev->nlater - 1] : NULL;
	const struct lt_item *last = last_item(b);

	if (!lt_is_args(last->tag) || !last->len || !m || m->what != ET_M_STAMP ||
	    m->item != b->list.nitems - 1 || m->off != last->len ||
	    ev->bytes[last->off + last->len - 1] == '\n')
		return false;
	ev->nlater--;
	return true;
}

/* Notes that @n numbered parts are missing at the end of the last item. */
static void add_gap(struct builder *b, uint32_t n)
{
	struct et_mark *m = add_mark(b);

	m->what = ET_M_GAP;
	m->n = n;
}

static struct lt_item *add_item(struct builder *b, const struct et_line *l, enum lt_tag tag)
{
	bool moved = b->list.nitems && drop_idle_stamp(b);
	struct lt_item *it = lt_list_add(&b->list, tag);

	it->off = (uint32_t)b->ev.nbytes;
	add_stamp(b, l, moved);
	return it;
}

/* ---- the event so far ---- */

/* Whether the current string is complete. */
static bool string_done(const struct builder *b)
{
	const struct lt_item *it = &b->list.items[b->string];
	unsigned int slot = lt_slot(b->ev.kind, it->tag);

	if (b->in_parts || b->in_cont)
		return false;
	return !slot || !(b->ev.announced >> (slot - 1) & 1) || it->len >= b->ev.size[slot - 1];
}

/* Ends the current string, because another line has come. */
static void leave_string(struct builder *b)
{
	struct lt_item *it;

	if (b->string < 0)
		return;
	it = &b->list.items[b->string];
	if (b->in_parts)
		it->flags |= LT_I_OPEN;
	b->no_cont_end |= b->in_cont;
	b->need &= (uint8_t)~need_bit(b, it->tag);
	b->string = -1;
	b->in_parts = b->in_cont = b->cont_done = false;
}

/* Updates which parts are still missing.  Called after each line. */
static void update_state(struct builder *b)
{
	if (b->string >= 0 && string_done(b))
		b->need &= (uint8_t)~need_bit(b, b->list.items[b->string].tag);
	b->done = b->ended && !b->need && !b->in_parts && !b->in_cont;
}

/* Whether a line can be of the same record as the lines before. */
static bool same_record(const struct builder *b, const struct et_line *l)
{
	return l->cpu == b->line_cpu && builder_in_step(b, l->time);
}

/* Counts a line, and determines whether all lines are of one record. */
static inline void count_line(struct builder *b, const struct et_line *l)
{
	if (b->lines) {
		b->one_record = (b->lines == 1 || b->one_record) && same_record(b, l);
		b->went_back = l->time < b->line_time;
		if (b->lines == 1)
			b->step = l->time - b->line_time;
	}
	b->lines++;
	b->line_cpu = l->cpu;
	/* after a step back, later lines are compared with the time before it */
	if (!b->went_back)
		b->line_time = l->time;
}

/*
 * Whether an event that begins with this header needs no list, because the header has or
 * announces all parts of the event.
 */
static inline bool needs_no_list(const struct builder *b, const struct et_row *row,
				 const struct lt_item *it, const struct et_line *l)
{
	unsigned int missing = ((1u << row->nfields) - 1) & ~(unsigned int)it->have;

	if (row->role != ET_BEGIN || row->when != ET_EACH || it->len ||
	    it->flags || b->ev.time != l->time)
		return false;
	for (; missing; missing &= missing - 1)
		if (!row->fields[__builtin_ctz(missing)].may)
			return false;
	return true;
}

/* Adds a header to the list. */
static void list_header(struct builder *b, const struct et_line *l, const struct lt_item *header)
{
	const struct lt_tag_row *row = &lt_tags[header->tag];

	*add_item(b, l, header->tag) = *header;
	for (unsigned int i = 0; i < row->nfields; i++) {
		const struct et_field *f = &row->fields[i];

		if (f->is_size && header->have >> i & 1 && b->ev.size[f->slot] >= 0)
			b->need |= need_bit(b, LT_FIRST_STRING + f->tag);
	}
	if (row->role == ET_FAILED)
		b->ev.flags |= ET_F_FAILED;
	/* ET_MORE lines may come in the middle of an event */
	if (row->role != ET_BEGIN && row->role != ET_MORE)
		b->ended = true;
}

/* Adds a header.  Return: false if it is damaged. */
static bool add_header(struct builder *b, const struct et_line *l, const struct line_text *p)
{
	struct lt_item header = { .tag = (uint8_t)p->tag };
	bool good;

	leave_string(b);
	count_line(b, l);
	good = line_text_fields(&b->ev, &header, p->text, p->len);
	list_header(b, l, &header);
	return good;
}

/* Begins an event with a header.  Return: false if the header is damaged. */
static bool begin_with(struct builder *b, const struct et_line *l, const struct line_text *p)
{
	struct lt_item header = { .tag = (uint8_t)p->tag };
	const struct et_row *row = lt_rows[p->tag];
	bool good = line_text_fields(&b->ev, &header, p->text, p->len);

	b->lines = 1;
	b->line_cpu = l->cpu;
	b->line_time = l->time;
	if (!good || !needs_no_list(b, row, &header, l)) {
		b->listed = true;
		list_header(b, l, &header);
		update_state(b);
		return good;
	}
	b->last_time = l->time;
	builder_expect(b, (unsigned int)(row - et_rows));
	return true;
}

static void add_string(struct builder *b, const struct et_line *l, const struct line_text *p)
{
	struct lt_item *it;

	leave_string(b);
	count_line(b, l);
	it = add_item(b, l, p->tag);
	it->index = lt_is_args(p->tag) ? p->index : 0;
	b->string = (int32_t)b->list.nitems - 1;
	b->in_parts = p->part && !lt_is_args(p->tag);
	b->piece_off = 0;
	if (b->in_parts) {
		it->flags |= LT_I_SPLIT;
		if (p->index)
			add_gap(b, p->index);
		b->next_part = p->index + 1;
	}
	lt_add_bytes(&b->ev, it, p->text, p->len);
}

/* Adds bytes to the current string, which must be the last item. */
static void add_more(struct builder *b, const struct et_line *l, const struct line_text *p)
{
	struct lt_item *it = last_item(b);

	count_line(b, l);
	if (p->what == P_CONT) {
		b->in_cont = true;
		lt_add_bytes(&b->ev, it, "\n", 1);
	} else {
		b->no_cont_end |= b->in_cont;
		b->in_cont = b->cont_done = false;
	}
	add_stamp(b, l, false);
	if (b->in_parts && p->what == P_STRING) {
		if (p->index > b->next_part)
			add_gap(b, p->index - b->next_part);
		b->next_part = p->index + 1;
	}
	b->piece_off = it->len;
	lt_add_bytes(&b->ev, it, p->text, p->len);
}

/*
 * Handles Cont_end.  Its stamp is kept only at the end of the string.  Between parts, it
 * would look like the stamp of the next part.
 */
static void end_conts(struct builder *b, const struct et_line *l)
{
	count_line(b, l);
	if (!b->in_parts && !lt_is_args(b->list.items[b->string].tag))
		add_stamp(b, l, false);
	else
		b->last_time++;
	b->in_cont = false;
	b->cont_done = true;
}

/* Handles TAG_end, the end of a string in parts. */
static void end_parts(struct builder *b, const struct et_line *l)
{
	count_line(b, l);
	add_stamp(b, l, false);
	b->in_parts = false;
	leave_string(b);
}

/* Adds a line outside the format. */
static void add_other(struct builder *b, const struct et_line *l)
{
	leave_string(b);
	count_line(b, l);
	lt_add_bytes(&b->ev, add_item(b, l, LT_OTHER), l->text, l->len);
}

/* Whether this line can continue the current string. */
static bool cont_goes_on(const struct builder *b, const struct line_text *p)
{
	const struct lt_item *it;

	if (b->string < 0 || (uint32_t)b->string != b->list.nitems - 1)
		return false;
	it = &b->list.items[b->string];
	if (p->what == P_CONT)
		return !b->cont_done;
	if (p->what != P_STRING || p->tag != it->tag || !p->part)
		return false;
	return lt_is_args(it->tag) ? p->index == it->index :
				   b->in_parts && p->index >= b->next_part;
}

static bool same_header(const struct builder *b, const struct lt_item *it,
			const struct line_text *p)
{
	const struct lt_tag_row *row = &lt_tags[p->tag];
	struct lt_item other = { .tag = it->tag };
	struct et_event copy;
	bool same;

	et_init(&copy);
	line_text_fields(&copy, &other, p->text, p->len);
	same = other.have == it->have && other.big == it->big && other.len == it->len &&
	       !memcmp(lt_bytes(&copy, &other), lt_bytes(&b->ev, it), it->len);
	for (unsigned int i = 0; same && i < row->nfields; i++)
		same = !(it->have >> i & 1) ||
		       lt_field(&copy, &row->fields[i]) == lt_field(&b->ev, &row->fields[i]);
	et_fini(&copy);
	return same;
}

/* False for Cont and parts of arguments, which the format may repeat. */
bool builder_is_double(const struct builder *b, const struct et_line *l, const struct line_text *p)
{
	const struct lt_item *it;

	if (!b->list.nitems || !builder_same_stamp(b, l))
		return false;
	it = last_item(b);
	if (p->what == P_STRING && !lt_is_args(p->tag) && it->tag == p->tag &&
	    p->part == ((it->flags & LT_I_SPLIT) != 0) &&
	    (!p->part || p->index == b->next_part - 1))
		return it->len - b->piece_off == p->len &&
		       !memcmp(lt_bytes(&b->ev, it) + b->piece_off, p->text, p->len);
	if (p->what == P_HEADER && it->tag == p->tag)
		return same_header(b, it, p);
	if (p->what == P_OTHER && it->tag == LT_OTHER)
		return it->len == l->len && !memcmp(lt_bytes(&b->ev, it), l->text, l->len);
	return false;
}

/*
 * Whether another string belongs to this event.  It does not if the event is complete;
 * but if the event's beginning is lost, it is unknown when it is complete.
 */
static bool string_fits(const struct builder *b, enum lt_tag tag)
{
	enum et_role first = lt_tags[b->list.items[0].tag].role;

	if (!lt_kind_has(b->ev.kind, tag) || (!lt_is_args(tag) && lt_list_find(&b->list, tag)))
		return false;
	return !b->done || first == ET_STRING || first == ET_MIDDLE;
}

/*
 * Whether a header that continues or ends an event belongs to this one.
 * If all lines of an event came in one record, a line of another record hardly belongs to it.
 */
static bool header_fits(const struct builder *b, const struct et_line *l, const struct line_text *p)
{
	const struct lt_list *list = &b->list;
	unsigned int kind = b->ev.kind;
	bool open = !b->ended;

	/* an event whose beginning is lost may still get its end if it has only strings */
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
		/* a failed umount may also be an event of its own, after a complete one */
		if (lt_fails_alone(kind) && b->one_record && !same_record(b, l))
			return false;
		return lt_fails_late(kind) || open;
	default:	/* ET_BEGIN begins another event */
		return lt_tags[p->tag].role == ET_MORE;
	}
}

/* ---- lines ---- */

enum et_kind builder_kind(const struct line_text *p)
{
	enum et_kind kind = lt_kind_of(p->tag);

	return kind == ET_K_NONE ? ET_K_FRAGMENT : kind;
}

static bool line_belongs(const struct builder *b, const struct et_line *l,
			 const struct line_text *p)
{
	if (b->sure)
		return lt_is_args(p->tag) || !lt_list_find(&b->list, p->tag);
	return p->what == P_HEADER ? header_fits(b, l, p) : string_fits(b, p->tag);
}

static __attribute__((noinline))
enum builder_result add_fitting(struct builder *b, const struct et_line *l,
				const struct line_text *p)
{
	bool first = !b->list.nitems;

	switch (p->what) {
	case P_HEADER:
		if (!line_belongs(b, l, p))
			return BUILDER_NOT_ADDED;
		return add_header(b, l, p) ? BUILDER_ADDED : BUILDER_IN_PART;
	case P_STRING:
		if (cont_goes_on(b, p)) {
			add_more(b, l, p);
			return BUILDER_ADDED;
		}
		if (!first && !line_belongs(b, l, p))
			return BUILDER_NOT_ADDED;
		/* the event's beginning is lost: do not wait for its end */
		b->ended |= first;
		add_string(b, l, p);
		return BUILDER_ADDED;
	case P_CONT:
		if (cont_goes_on(b, p)) {
			add_more(b, l, p);
			return BUILDER_ADDED;
		}
		add_other(b, l);
		return BUILDER_STRAY;
	case P_CONT_END:
		if (b->string >= 0 && b->in_cont) {
			end_conts(b, l);
			return BUILDER_ADDED;
		}
		b->cont_done = true;
		return BUILDER_STRAY;
	case P_STRING_END:
		if (b->string < 0 || !b->in_parts || b->list.items[b->string].tag != p->tag)
			return BUILDER_STRAY;
		end_parts(b, l);
		return BUILDER_ADDED;
	case P_OTHER:
		break;
	}
	add_other(b, l);
	return BUILDER_ADDED;
}

enum builder_result builder_add(struct builder *b, const struct et_line *l,
				const struct line_text *p)
{
	enum builder_result result;

	if (!b->lines) {
		if (p->what == P_HEADER)
			return begin_with(b, l, p) ? BUILDER_ADDED : BUILDER_IN_PART;
		b->listed = true;
	}
	result = add_fitting(b, l, p);
	if (result != BUILDER_NOT_ADDED)
		update_state(b);
	return result;
}

void builder_close(struct builder *b)
{
	if (b->expected)
		builder_make_list(b);
	if (b->listed)
		leave_string(b);
}

void builder_make_list(struct builder *b)
{
	struct et_event *ev = &b->ev;
	uint8_t flags = ev->flags;

	if (b->listed || !b->lines)
		return;
	if (b->expected)
		ev->flags |= ET_F_NO_END;
	lt_list_of(ev, &b->list);
	ev->flags = flags;
	b->ended = !(lt_needs[ev->kind] & LT_NEEDS_END);
	for (uint32_t i = 0; i < b->list.nitems; i++)
		b->ended |= lt_tags[b->list.items[i].tag].role == ET_LAST;
	/* all strings that came have their announced size */
	b->need = ev->announced & (uint8_t)~(ev->strings | 1u << ET_ARGS);
	for (unsigned int i = 0; i <= ET_ARGS; i++)
		if (et_has_string(ev, i))
			et_announce(ev, i, et_announced(ev, i));
	if (lt_tags[last_item(b)->tag].role == ET_STRING)
		b->string = (int32_t)b->list.nitems - 1;
	b->last_time = ev->time + b->list.nitems - 1;
	b->listed = true;
	b->expected = 0;
	update_state(b);
}

bool et_read_lines(struct et_event *ev, const char *text, size_t len)
{
	struct builder b = { .ev = *ev, .sure = true, .string = -1 };
	struct line_state st = { 0 };
	bool good = len;

	for (const char *end = text + len, *nl; good && text < end; text = nl + 1) {
		unsigned int foreign;
		enum builder_result result;
		struct line_text p;

		nl = memchr(text, '\n', (size_t)(end - text));
		if (!nl || line_parse(&st, text, nl, &foreign) != LINE_ETRACE) {
			good = false;
			break;
		}
		p = line_text_split(&st.line);
		if (!b.lines)
			builder_begin(&b, builder_kind(&p), st.line.upid, st.line.cpu,
				      st.line.time);
		if (b.lines && builder_add_expected(&b, &st.line, &p))
			continue;
		builder_make_list(&b);
		result = builder_add(&b, &st.line, &p);
		/* this Cont_end was printed only to separate unrelated lines */
		b.last_time += result == BUILDER_STRAY && p.what == P_CONT_END;
		good = result != BUILDER_NOT_ADDED && b.lines &&
			et_memory(&b.ev) <= 2 * (size_t)ET_MAX_BYTES;
	}
	if (good) {
		builder_close(&b);
		lt_finish(&b.ev, &b.list);
	}
	free(b.list.items);
	*ev = b.ev;
	return good;
}
