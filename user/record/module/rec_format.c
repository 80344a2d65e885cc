// SPDX-License-Identifier: LGPL-2.1
/* Tables of the fields of the module's records.  See rec_format.h. */
#include "record/module/rec_format.h"
#include "base/xalloc.h"

#include <stdio.h>
#include <stdlib.h>
#include <traceevent/event-parse.h>

#define SYSTEM "etrace"

static const char * const kind_names[REC_KIND_COUNT] = {
#define EVENT(ID, id, name, category, where, doc) [REC_##id] = "etrace_" #id,
#include "kernel/etrace_events.def"
	[REC_string] = "etrace_string",
	[REC_args] = "etrace_args",
	[REC_lost] = "etrace_lost",
};

/* A field of a record, and where its place is stored in struct rec_layout. */
struct field_row {
	uint8_t kind;		/* REC_KIND_COUNT for all kinds */
	const char *name;
	size_t place;		/* offset in struct rec_layout */
};

#define PLACE(member) offsetof(struct rec_layout, member)

static const struct field_row fields[] = {
#define X(id) { REC_KIND_COUNT, #id, PLACE(field[REC_F_##id]) },
	REC_FIELDS(X)
#undef X
};

#define EVENT(ID, id, name, category, where, doc) enum { IS_##ID = REC_##id };
#include "kernel/etrace_events.def"

static const struct field_row event_fields[] = {
#define VALUE(ID, id, type, name, means, given) \
	{ IS_##ID, #id, PLACE(value[ET_V_##ID##_##id]) },
#define STRING(ID, id, TAG, name) \
	{ IS_##ID, #id "_len", PLACE(len[ET_S_##ID##_##id]) }, \
	{ IS_##ID, #id, PLACE(text[ET_S_##ID##_##id]) },
#define ARGS(ID, id, TAG, name) STRING(ID, id, TAG, name)
#include "kernel/etrace_events.def"
};

const char *rec_kind_name(unsigned int kind)
{
	return kind < REC_KIND_COUNT ? kind_names[kind] : NULL;
}

static struct rec_place *place_of(struct rec_layout *l, const struct field_row *row)
{
	return (struct rec_place *)((char *)l + row->place);
}

static struct rec_place *find_place(struct rec_layout *l, unsigned int kind, const char *name)
{
	for (size_t i = 0; i < sizeof(event_fields) / sizeof(*event_fields); i++)
		if (event_fields[i].kind == kind && !strcmp(event_fields[i].name, name))
			return place_of(l, &event_fields[i]);
	for (size_t i = 0; i < sizeof(fields) / sizeof(*fields); i++)
		if (!strcmp(fields[i].name, name))
			return place_of(l, &fields[i]);
	return NULL;
}

static bool add_field(struct rec_layout *l, unsigned int kind, const struct tep_format_field *tf)
{
	struct rec_place *place = find_place(l, kind, tf->name);
	bool array = tf->flags & TEP_FIELD_IS_DYNAMIC;
	uint32_t end = (uint32_t)(tf->offset + tf->size);

	/* a field of a newer module, which is not needed */
	if (!place)
		return true;
	/* rec_at() reads 8 bytes that end with the field, so end must be at least 8 */
	if (tf->offset < 0 || end < 8 || end > 4096 ||
	    (array && tf->size != 4) ||
	    (tf->size != 1 && tf->size != 2 && tf->size != 4 && tf->size != 8))
		return false;
	*place = (struct rec_place){ (uint16_t)tf->offset, (uint8_t)tf->size,
				     tf->flags & TEP_FIELD_IS_SIGNED, array };
	if (l->size < end)
		l->size = end;
	return true;
}

static const enum rec_field mark_fields[ET_NR_MARKINGS] = {
	[ET_JOINED] = REC_F_joined, [ET_UNREAD] = REC_F_unread, [ET_CUT] = REC_F_cut,
	[ET_UNTOLD] = REC_F_untold, [ET_OUTSIDE] = REC_F_outside,
};

/* If the marks are adjacent bytes, rec_marks() copies them in one go. */
static void place_marks(struct rec_layout *l)
{
	const struct rec_place *first = &l->field[mark_fields[0]];

	l->marks = first->offset;
	for (unsigned int m = 0; m < ET_NR_MARKINGS; m++) {
		const struct rec_place *p = &l->field[mark_fields[m]];

		if (p->size != 1 || p->offset != first->offset + m)
			l->marks = 0;
		l->marked |= p->size != 0;
	}
}

void rec_marks(const struct rec *r, uint8_t marks[ET_NR_MARKINGS])
{
	if (!r->layout->marked)
		return;
	if (r->layout->marks) {
		memcpy(marks, r->data + r->layout->marks, ET_NR_MARKINGS);
		return;
	}
	for (unsigned int m = 0; m < ET_NR_MARKINGS; m++)
		marks[m] = (uint8_t)rec_num(r, mark_fields[m]);
}

bool rec_formats_init(struct rec_formats *f, struct tep_handle *tep,
		      char *why, size_t size)
{
	const struct tep_event *ev[REC_KIND_COUNT];

	memset(f, 0, sizeof(*f));
	f->first = UINT16_MAX;
	for (unsigned int k = 0; k < REC_KIND_COUNT; k++) {
		struct rec_layout *l = &f->layout[k];

		ev[k] = tep_find_event_by_name(tep, SYSTEM, kind_names[k]);
		/* an older module may lack it */
		if (!ev[k] && k < REC_EVENTS && et_kinds[k + 1].where != ET_ALWAYS)
			continue;
		if (!ev[k] || ev[k]->id < 0 || ev[k]->id > UINT16_MAX) {
			snprintf(why, size, "the module has no event %s", kind_names[k]);
			return false;
		}
		for (const struct tep_format_field *tf = ev[k]->format.fields; tf; tf = tf->next)
			if (!add_field(l, k, tf)) {
				snprintf(why, size, "field %s of event %s has an unexpected form",
					 tf->name, kind_names[k]);
				return false;
			}
		place_marks(l);
		if (l->field[REC_F_upid].size != 8 || l->field[REC_F_time].size != 8) {
			snprintf(why, size, "event %s has no upid or no time", kind_names[k]);
			return false;
		}
		if (f->first > ev[k]->id)
			f->first = (uint16_t)ev[k]->id;
		if (f->last < ev[k]->id)
			f->last = (uint16_t)ev[k]->id;
	}
	f->kind = xmalloc((size_t)(f->last - f->first) + 1);
	memset(f->kind, REC_KIND_COUNT, (size_t)(f->last - f->first) + 1);
	for (unsigned int k = 0; k < REC_KIND_COUNT; k++)
		if (ev[k])
			f->kind[ev[k]->id - f->first] = (uint8_t)k;
	return true;
}

void rec_formats_fini(struct rec_formats *f)
{
	free(f->kind);
	memset(f, 0, sizeof(*f));
}

bool rec_open(const struct rec_formats *f, struct rec *r, const void *data,
	      uint32_t size)
{
	uint16_t id;
	uint8_t kind;

	if (size < sizeof(id))
		return false;
	memcpy(&id, data, sizeof(id));
	if (id < f->first || id > f->last)
		return false;
	kind = f->kind[id - f->first];
	if (kind == REC_KIND_COUNT || size < f->layout[kind].size)
		return false;
	r->data = data;
	r->size = size;
	r->kind = (enum rec_kind)kind;
	r->layout = &f->layout[kind];
	return true;
}
