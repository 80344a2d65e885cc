// SPDX-License-Identifier: LGPL-2.1
/* Tables of tags, and the list of an event's lines.  See line_list.h. */
#include "format/lines/line_list.h"
#include "base/xalloc.h"

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

/* What a line with a role means for the events of its kind: LT_NEEDS_* and LT_MAY_FAIL. */
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

_Static_assert(ET_MAX_FIELDS <= 16, "bits of lt_item.have");

/* ---- the list ---- */

void lt_add_bytes(struct et_event *ev, struct lt_item *it, const char *s, size_t n)
{
	if (n)
		memcpy(et_room(ev, n), s, n);
	ev->nbytes += n;
	it->len += (uint32_t)n;
}

struct lt_item *lt_list_add(struct lt_list *list, enum lt_tag tag)
{
	struct lt_item *it;

	list->items = xgrow(list->items, &list->items_cap, list->nitems + 1, sizeof(*it));
	it = &list->items[list->nitems++];
	*it = (struct lt_item){ .tag = (uint8_t)tag };
	return it;
}

const struct lt_item *lt_list_find(const struct lt_list *list, enum lt_tag tag)
{
	for (uint32_t i = 0; i < list->nitems; i++)
		if (list->items[i].tag == tag)
			return &list->items[i];
	return NULL;
}

static void list_header(const struct et_event *ev, const struct et_row *row, struct lt_item *it)
{
	for (unsigned int i = 0; i < row->nfields; i++) {
		const struct et_field *f = &row->fields[i];
		bool there = f->is_size ? !f->may || et_has_string(ev, f->slot) ||
					  ev->announced >> f->slot & 1 :
					  et_has(ev, f->slot);

		it->have |= (uint16_t)(there << i);
		if (!f->is_size && ev->big >> f->slot & 1)
			it->big |= (uint16_t)(1u << i);
	}
}

static void list_string(const struct et_string *s, struct lt_item *it)
{
	it->off = s->off;
	it->len = s->len;
}

static void list_args(const struct et_event *ev, enum lt_tag tag, struct lt_list *list)
{
	uint32_t index = 0, m = 0;

	for (uint32_t a = 0; a < ev->nargs; a++, index++) {
		/* skip the indexes of lost arguments before this one */
		for (; m < ev->nlater && ev->later[m].item <= list->nitems; m++)
			index += ev->later[m].what == ET_M_ARGS ? ev->later[m].n : 0;
		list_string(&ev->args[a], lt_list_add(list, tag));
		list->items[list->nitems - 1].index = index;
	}
}

static void list_rows(const struct et_event *ev, struct lt_list *list)
{
	const struct et_kind_row *kind = &et_kinds[ev->kind];

	for (unsigned int i = kind->row; i < kind->end; i++) {
		const struct et_row *row = &et_rows[i];
		struct lt_item *it;

		if (!et_row_there(ev, row))
			continue;
		if (row->role == ET_STRING && row->slot == ET_ARGS) {
			list_args(ev, lt_of_row[i], list);
			continue;
		}
		it = lt_list_add(list, lt_of_row[i]);
		if (row->role != ET_STRING)
			list_header(ev, row, it);
		else
			list_string(&ev->str[row->slot], it);
		if (row->role == ET_STRING && ev->open >> row->slot & 1)
			it->flags |= LT_I_OPEN | LT_I_SPLIT;
	}
}

void lt_list_of(const struct et_event *ev, struct lt_list *list)
{
	list->nitems = 0;
	list_rows(ev, list);
	if (ev->error)
		lt_list_add(list, LT_OTHER)->flags = LT_I_FAILED;
	if (et_any_marks(ev))
		lt_list_add(list, LT_OTHER)->flags = LT_I_MARKS;
	for (uint32_t i = 0; i < ev->nextras; i++) {
		struct et_string text = { ev->extras[i].off, ev->extras[i].len };

		if (!ev->extras[i].field)
			list_string(&text, lt_list_add(list, LT_OTHER));
	}
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

bool lt_list_is_plain(const struct lt_list *list, unsigned int kind)
{
	const struct lt_item *it = list->items;

	return list->nitems == 1 && lt_needs[kind] == LT_NEEDS_BEGIN &&
	       lt_tags[it->tag].role == ET_BEGIN &&
	       it->have == (1u << lt_tags[it->tag].nfields) - 1;
}

/* ---- checking ---- */

static void note_fault(struct et_event *to, enum et_fault fault, enum lt_tag tag,
		       int64_t want, int64_t have)
{
	et_found(to, (struct et_finding){
		fault, lt_tags[tag].name,
		fault == ET_NO_FIELD ? lt_tags[tag].fields[want].name : NULL, want, have });
}

/* Compares an announced size with the string, or the argument list, that came. */
static void check_size(const struct lt_list *list, struct et_event *to,
		       enum lt_tag tag, int64_t want)
{
	bool args = lt_slot(to->kind, tag) == ET_ARGS + 1;
	int64_t have = 0;
	bool there = false;

	for (uint32_t i = 0; i < list->nitems; i++) {
		if (list->items[i].tag != tag)
			continue;
		there = true;
		/* argsize counts the NUL of each argument */
		have += list->items[i].len + (args ? 1 : 0);
		if (!args)
			break;
	}
	if (want < 0)
		note_fault(to, ET_NOT_READ, tag, 0, have);
	else if (!there && (want > 0 || !args))
		note_fault(to, ET_NO_STRING, tag, want, 0);
	else if (have < want)
		note_fault(to, ET_SHORT, tag, want, have);
	else if (have > want)
		note_fault(to, ET_LONG, tag, want, have);
}

/* Whether the line is there that completes an event of this kind. */
static bool has_end(const struct lt_list *list, const struct et_event *ev)
{
	if (!(lt_needs[ev->kind] & LT_NEEDS_END) || ev->flags & ET_F_FAILED)
		return true;
	for (uint32_t i = 0; i < list->nitems; i++) {
		unsigned int role = lt_tags[list->items[i].tag].role;

		if (role == ET_LAST || role == ET_MIDDLE)
			return true;
	}
	return false;
}

/* Whether the first item may begin an event; for some kinds, the end may be the only line. */
static bool has_begin(const struct lt_list *list, const struct et_event *ev)
{
	unsigned int role = lt_tags[list->items[0].tag].role;

	return role == ET_BEGIN || ((role == ET_LAST || role == ET_FAILED) &&
				    !(lt_needs[ev->kind] & LT_NEEDS_BEGIN));
}

_Static_assert(LT_COUNT - LT_FIRST_STRING <= 64, "sets of strings are kept in 64 bits");

static uint64_t string_bit(enum lt_tag tag)
{
	return UINT64_C(1) << (tag - LT_FIRST_STRING);
}

void lt_list_check(const struct lt_list *list, struct et_event *ev)
{
	uint64_t announced = 0;
	bool begun;

	if (!list->nitems)
		return;
	begun = ev->kind != ET_K_FRAGMENT && has_begin(list, ev);
	if (!begun)
		note_fault(ev, ET_NO_BEGIN, list->items[0].tag, 0, 0);
	else if (!has_end(list, ev))
		note_fault(ev, ET_NO_END, list->items[list->nitems - 1].tag, 0, 0);
	for (uint32_t i = 0; i < list->nitems; i++) {
		const struct lt_item *it = &list->items[i];
		const struct lt_tag_row *row = &lt_tags[it->tag];

		if (it->flags & LT_I_OPEN)
			note_fault(ev, ET_NO_STRING_END, it->tag, 0, 0);
		/* a string without the header that announces it: the header is lost */
		if (begun && row->role == ET_STRING && it->tag != LT_OTHER &&
		    !(announced & string_bit(it->tag)))
			note_fault(ev, ET_NO_BEGIN, it->tag, 0, 0);
		for (unsigned int j = 0; j < row->nfields; j++) {
			const struct et_field *f = &row->fields[j];

			if (f->is_size)
				announced |= string_bit(LT_FIRST_STRING + f->tag);
			if (!(it->have >> j & 1)) {
				if (!lt_may_lack(row, f))
					note_fault(ev, ET_NO_FIELD, it->tag, j, 0);
			} else if (f->is_size) {
				check_size(list, ev, LT_FIRST_STRING + f->tag, ev->size[f->slot]);
			}
		}
	}
	for (uint32_t i = 0; i < ev->nlater; i++)
		if (ev->later[i].what == ET_M_GAP)
			note_fault(ev, ET_GAP_PARTS, list->items[ev->later[i].item].tag,
				   ev->later[i].n, 0);
}
