// SPDX-License-Identifier: LGPL-2.1
/*
 * Completes an event from the list of its lines.  Lines that can be regenerated from the
 * event's values and strings are dropped; others are kept in the event as text.
 */
#include "format/lines/event_lines.h"
#include "format/lines/line_list.h"

#include <stdlib.h>

/* Whether lt_list_of() regenerates exactly these lines, with the same order and fields. */
static bool gives_back(const struct et_event *ev, const struct lt_list *list)
{
	struct lt_list back = { 0 };
	bool same;

	lt_list_of(ev, &back);
	same = back.nitems == list->nitems;
	for (uint32_t i = 0; same && i < list->nitems; i++)
		same = back.items[i].tag == list->items[i].tag &&
		       back.items[i].have == list->items[i].have &&
		       back.items[i].index == list->items[i].index;
	free(back.items);
	return same;
}

/* Whether all lines outside the format have different names.  False for many: this is slow. */
static bool extras_named(const struct et_event *ev)
{
	for (uint32_t i = 0; i < ev->nextras; i++) {
		const char *s = ev->bytes + ev->extras[i].off;
		size_t n = et_extra_name(s, ev->extras[i].len);

		if (!n || ev->extras[i].field || i == 16)
			return false;
		for (uint32_t j = 0; j < i; j++) {
			const char *other = ev->bytes + ev->extras[j].off;

			if (et_extra_name(other, ev->extras[j].len) == n && !memcmp(other, s, n))
				return false;
		}
	}
	return true;
}

static void keep_raw(struct et_event *ev, const struct lt_list *list)
{
	struct buf b = { 0 };

	lt_list_print(ev, list, 0, &b);
	memcpy(et_set_raw(ev, b.len), b.s, b.len);
	buf_free(&b);
}

/* Moves strings, arguments and lines outside the format from the list into the event. */
static void take_items(struct et_event *ev, const struct lt_list *list)
{
	enum { FORMAT, FAILED, MARKS, EXTRA } state = FORMAT;

	/* an argument list that is announced with size 0 is there, and empty */
	ev->strings = (uint8_t)((ev->announced >> ET_ARGS & !ev->size[ET_ARGS]) << ET_ARGS);
	ev->nargs = 0;
	for (uint32_t i = 0; i < list->nitems; i++) {
		const struct lt_item *it = &list->items[i];
		const char *s = lt_bytes(ev, it);
		unsigned int slot = lt_slot(ev->kind, it->tag);

		if (it->tag < LT_FIRST_STRING) {
			if (it->len)
				et_place_extra(ev, true, it->off, it->len);
		} else if (slot) {
			et_place_string(ev, slot - 1, it->off, it->len);
		} else {
			if (state < FAILED && lt_read_failed(ev, s, it->len))
				state = FAILED;
			else if (state < MARKS && lt_read_marks(ev, s, it->len))
				state = MARKS;
			else
				et_place_extra(ev, false, it->off, it->len);
			state = ev->nextras ? EXTRA : state;
		}
	}
}

void lt_finish(struct et_event *ev, const struct lt_list *list)
{
	if (!list->nitems)
		return;
	if (!lt_list_is_plain(list, ev->kind) || list->items[0].len) {
		take_items(ev, list);
		lt_list_check(list, ev);
		if (ev->nfindings || ev->kind == ET_K_FRAGMENT || !extras_named(ev) ||
		    !gives_back(ev, list))
			keep_raw(ev, list);
	}
	/* announced sizes are not needed any more: findings report those that were wrong */
	ev->announced = 0;
}
