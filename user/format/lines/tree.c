// SPDX-License-Identifier: LGPL-2.1
/* The lines of one event, put together.  See tree.h. */
#include "format/lines/tree.h"
#include "base/xalloc.h"

#include <stdlib.h>

#define LINE(ID, tag, role, when) enum { FIELDS_##tag = 0
#define SIZE(ID, id, TAG, name) + 1
#define SIZE_MAY(ID, id, TAG, name) + 1
#define FIELD(ID, id, name) + 1
#define END_LINE(ID, tag) };
#include "event/events.def"

const struct lt_tag_row lt_tags[LT_COUNT] = {
	[LT_NONE] = { "", 0, ET_K_NONE, ET_STRING, 0, 0, NULL },
#define LINE(ID, tag, role, when) \
	[LT_##tag] = { #tag, sizeof(#tag) - 1, ET_K_##ID, ET_##role, \
		       ET_##when, FIELDS_##tag, et_rows[ET_R_##tag].fields },
#define TAG(TAG) [LT_##TAG] = { #TAG, sizeof(#TAG) - 1, ET_K_NONE, ET_STRING, 0, 0, NULL },
#include "event/events.def"
	[LT_OTHER] = { "", 0, ET_K_NONE, ET_STRING, 0, 0, NULL },
};

const uint8_t lt_slots[ET_K_COUNT][LT_COUNT - LT_FIRST_STRING] = {
#define TEXT(ID, id, TAG) [ET_K_##ID][LT_##TAG - LT_FIRST_STRING] = ET_S_##ID##_##id + 1,
#define TEXT_ARGS(ID, id, TAG) TEXT(ID, id, TAG)
#include "event/events.def"
};

const struct et_row *const lt_rows[LT_FIRST_STRING] = {
#define LINE(ID, tag, role, when) [LT_##tag] = &et_rows[ET_R_##tag],
#include "event/events.def"
};

const uint8_t lt_of_row[ET_NR_ROWS] = {
#define LINE(ID, tag, role, when) [ET_R_##tag] = LT_##tag,
#define TEXT(ID, id, TAG) [ET_R_##ID##_##TAG] = LT_##TAG,
#define TEXT_ARGS(ID, id, TAG) TEXT(ID, id, TAG)
#include "event/events.def"
};

/* What a line, by its role, says of the events of its kind. */
enum {
	ROLE_BEGIN = 0, ROLE_MIDDLE = LT_NEEDS_END, ROLE_LAST = LT_NEEDS_END,
	ROLE_FAILED = LT_MAY_FAIL, ROLE_MORE = 0,
	WHEN_BEGIN = LT_NEEDS_BEGIN, WHEN_MIDDLE = 0, WHEN_LAST = 0,
	WHEN_FAILED = 0, WHEN_MORE = 0,
};

const uint8_t lt_needs[ET_K_COUNT] = {
#define EVENT(ID, id, name, category, where, doc) [ET_K_##ID] = 0
#define LINE(ID, tag, role, when) | ROLE_##role | (ET_##when == ET_EACH ? WHEN_##role : 0)
#define TEXT(ID, id, TAG) | LT_HAS_TEXT
#define END_EVENT(ID, id) | 0,
#include "event/events.def"
};

#define EVENT(ID, id, name, category, where, doc) _Static_assert(ET_MAX_FIELDS
#define SIZE(ID, id, TAG, name) + 1
#define SIZE_MAY(ID, id, TAG, name) + 1
#define FIELD(ID, id, name) + 1
#define END_EVENT(ID, id) <= LT_MAX_VALS, #id);
#include "event/events.def"

_Static_assert(ET_MAX_FIELDS <= 16, "bits of lt_item.have");

/* ---- making events ---- */

#define KEEP_BYTES	4096u	/* memory that an event keeps for the next */
#define KEEP_ITEMS	64u

void lt_init(struct lt_event *ev)
{
	memset(ev, 0, sizeof(*ev));
}

void lt_fini(struct lt_event *ev)
{
	free(ev->items);
	free(ev->marks);
	free(ev->bytes);
	lt_init(ev);
}

void lt_reset(struct lt_event *ev, enum et_kind kind, uint64_t upid,
	      uint32_t cpu, uint64_t time)
{
	ev->kind = (uint8_t)kind;
	ev->flags = 0;
	ev->nvals = 0;
	ev->cpu = ev->last_cpu = cpu;
	ev->time = time;
	ev->last_time = time - 1;
	ev->upid = upid;
	ev->place = 0;
	ev->nitems = ev->nmarks = 0;
	ev->nbytes = 0;
	ev->bytes = xtrim(ev->bytes, &ev->bytes_cap, KEEP_BYTES);
	ev->items = xtrim(ev->items, &ev->items_cap, KEEP_ITEMS);
	ev->marks = xtrim(ev->marks, &ev->marks_cap, KEEP_ITEMS);
}

static struct et_mark *add_mark(struct lt_event *ev)
{
	const struct lt_item *last = &ev->items[ev->nitems - 1];
	struct et_mark *m;

	ev->marks = xgrow(ev->marks, &ev->marks_cap, ev->nmarks + 1, sizeof(*m));
	m = &ev->marks[ev->nmarks++];
	memset(m, 0, sizeof(*m));
	m->item = ev->nitems - 1;
	m->off = lt_tags[last->tag].role == ET_STRING ? last->len : 0;
	return m;
}

static void stamp(struct lt_event *ev, uint32_t cpu, uint64_t time, bool must)
{
	uint64_t next = ev->last_time + 1;
	struct et_mark *m;

	ev->last_time = time > next ? time : next;
	if (cpu == ev->last_cpu && ev->last_time == next && !must)
		return;
	m = add_mark(ev);
	m->what = ET_M_STAMP;
	m->cpu = ev->last_cpu = cpu;
	m->time = ev->last_time;
}

void lt_stamp(struct lt_event *ev, uint32_t cpu, uint64_t time)
{
	stamp(ev, cpu, time, false);
}

void lt_go_on(struct lt_event *ev, bool newline, uint32_t cpu, uint64_t time)
{
	if (newline)
		lt_add_bytes(ev, "\n", 1);
	lt_stamp(ev, cpu, time);
}

/*
 * An argument that went on with nothing, not even behind a newline: there is no
 * line for that, so what comes next has the stamp.  Return: whether it needs one.
 */
static bool drop_idle_stamp(struct lt_event *ev)
{
	const struct lt_item *last = &ev->items[ev->nitems - 1];
	const struct et_mark *m = ev->nmarks ? &ev->marks[ev->nmarks - 1] : NULL;

	if (!lt_is_args(last->tag) || !last->len || !m || m->what != ET_M_STAMP ||
	    m->item != ev->nitems - 1 || m->off != last->len ||
	    ev->bytes[last->off + last->len - 1] == '\n')
		return false;
	ev->nmarks--;
	return true;
}

void lt_gap(struct lt_event *ev, uint32_t n)
{
	struct et_mark *m = add_mark(ev);

	m->what = ET_M_GAP;
	m->n = n;
}

struct lt_item *lt_add_item(struct lt_event *ev, enum lt_tag tag, uint32_t cpu,
			    uint64_t time)
{
	bool moved = ev->nitems && drop_idle_stamp(ev);
	struct lt_item *it;

	if (ev->nitems == ev->items_cap)
		ev->items = xgrow(ev->items, &ev->items_cap, ev->nitems + 1, sizeof(*it));
	it = &ev->items[ev->nitems++];
	*it = (struct lt_item){ .tag = (uint8_t)tag };
	if (lt_tags[tag].role == ET_STRING) {
		it->off = (uint32_t)ev->nbytes;
	} else {
		it->off = ev->nvals;
		ev->nvals = (uint8_t)(ev->nvals + lt_tags[tag].nfields);
		if (lt_tags[tag].role == ET_FAILED)
			ev->flags |= LT_F_FAILED;
	}
	stamp(ev, cpu, time, moved);
	return it;
}

void lt_add_bytes(struct lt_event *ev, const char *s, size_t n)
{
	size_t need = ev->nbytes + n;

	if (!n)
		return;
	if (need > ev->bytes_cap)
		ev->bytes = xgrow(ev->bytes, &ev->bytes_cap, need > 256 ? need : 256, 1);
	memcpy(ev->bytes + ev->nbytes, s, n);
	ev->nbytes = need;
	ev->items[ev->nitems - 1].len += (uint32_t)n;
}

void lt_set_field(struct lt_event *ev, unsigned int field, int64_t v, bool big)
{
	struct lt_item *it = &ev->items[ev->nitems - 1];

	it->have |= (uint16_t)(1u << field);
	if (big)
		it->big |= (uint16_t)(1u << field);
	ev->vals[it->off + field] = v;
}

/* ---- looking at events ---- */

const struct lt_item *lt_find(const struct lt_event *ev, enum lt_tag tag)
{
	for (uint32_t i = 0; i < ev->nitems; i++)
		if (ev->items[i].tag == tag)
			return &ev->items[i];
	return NULL;
}

enum et_kind lt_kind_of(enum lt_tag tag)
{
	enum et_kind found = ET_K_NONE;

	if (tag < LT_FIRST_STRING || tag == LT_OTHER)
		return lt_tags[tag].kind;
	for (unsigned int k = ET_K_NONE + 1; k < ET_K_COUNT; k++)
		if (k != ET_K_FRAGMENT && lt_slot(k, tag))
			found = found == ET_K_NONE ? k : ET_K_FRAGMENT;
	return found;
}

bool lt_is_plain(const struct lt_event *ev)
{
	const struct lt_item *it = ev->items;

	return ev->nitems == 1 && lt_needs[ev->kind] == LT_NEEDS_BEGIN &&
	       lt_tags[it->tag].role == ET_BEGIN &&
	       it->have == (1u << lt_tags[it->tag].nfields) - 1;
}

/* ---- checking ---- */

static void found(struct et_event *to, enum et_fault fault, enum lt_tag tag,
		  int64_t want, int64_t have)
{
	et_found(to, (struct et_finding){
		fault, lt_tags[tag].name,
		fault == ET_NO_FIELD ? lt_tags[tag].fields[want].name : NULL, want, have });
}

/* An announced size against the string that came; the argument list is one. */
static void check_size(const struct lt_event *ev, struct et_event *to,
		       enum lt_tag tag, int64_t want)
{
	bool args = lt_slot(ev->kind, tag) == ET_ARGS + 1;
	int64_t have = 0;
	bool there = false;

	for (uint32_t i = 0; i < ev->nitems; i++) {
		if (ev->items[i].tag != tag)
			continue;
		there = true;
		/* argsize counts the NUL of each argument */
		have += ev->items[i].len + (args ? 1 : 0);
		if (!args)
			break;
	}
	if (want < 0)
		found(to, ET_NOT_READ, tag, 0, have);
	else if (!there && (want > 0 || !args))
		found(to, ET_NO_STRING, tag, want, 0);
	else if (have < want)
		found(to, ET_SHORT, tag, want, have);
	else if (have > want)
		found(to, ET_LONG, tag, want, have);
}

/* Whether a line that a whole event of this kind has is there: its last, or one of more. */
static bool has_end(const struct lt_event *ev)
{
	if (!(lt_needs[ev->kind] & LT_NEEDS_END) || ev->flags & LT_F_FAILED)
		return true;
	for (uint32_t i = 0; i < ev->nitems; i++) {
		unsigned int role = lt_tags[ev->items[i].tag].role;

		if (role == ET_LAST || role == ET_MIDDLE)
			return true;
	}
	return false;
}

/* Whether the first item may begin an event: of some, the end may be all there is. */
static bool has_begin(const struct lt_event *ev)
{
	unsigned int role = lt_tags[ev->items[0].tag].role;

	return role == ET_BEGIN || ((role == ET_LAST || role == ET_FAILED) &&
				    !(lt_needs[ev->kind] & LT_NEEDS_BEGIN));
}

_Static_assert(LT_COUNT - LT_FIRST_STRING <= 64, "sets of strings are kept in 64 bits");

static uint64_t string_bit(enum lt_tag tag)
{
	return UINT64_C(1) << (tag - LT_FIRST_STRING);
}

void lt_check(const struct lt_event *ev, struct et_event *to)
{
	uint64_t announced = 0;
	bool begun;

	if (!ev->nitems || ev->kind == ET_K_LOST)
		return;
	/* half of all events are one line: see at once that it is whole */
	if (lt_is_plain(ev))
		return;
	begun = ev->kind != ET_K_FRAGMENT && has_begin(ev);
	if (!begun)
		found(to, ET_NO_BEGIN, ev->items[0].tag, 0, 0);
	else if (!has_end(ev))
		found(to, ET_NO_END, ev->items[ev->nitems - 1].tag, 0, 0);
	for (uint32_t i = 0; i < ev->nitems; i++) {
		const struct lt_item *it = &ev->items[i];
		const struct lt_tag_row *row = &lt_tags[it->tag];

		if (it->flags & LT_I_OPEN)
			found(to, ET_NO_STRING_END, it->tag, 0, 0);
		/* a string's header is before it, or it is lost */
		if (begun && row->role == ET_STRING && it->tag != LT_OTHER &&
		    !(announced & string_bit(it->tag)))
			found(to, ET_NO_BEGIN, it->tag, 0, 0);
		for (unsigned int j = 0; j < row->nfields; j++) {
			const struct et_field *f = &row->fields[j];

			if (f->is_size)
				announced |= string_bit(LT_FIRST_STRING + f->tag);
			if (!(it->have >> j & 1)) {
				if (!lt_may_lack(row, f))
					found(to, ET_NO_FIELD, it->tag, j, 0);
			} else if (f->is_size) {
				check_size(ev, to, LT_FIRST_STRING + f->tag,
					   ev->vals[it->off + j]);
			}
		}
	}
	for (uint32_t i = 0; i < ev->nmarks; i++)
		if (ev->marks[i].what == ET_M_GAP)
			found(to, ET_GAP_PARTS, ev->items[ev->marks[i].item].tag,
			      ev->marks[i].n, 0);
}
