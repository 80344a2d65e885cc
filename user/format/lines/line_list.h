/* SPDX-License-Identifier: LGPL-2.1 */
/*
 * The tags of the line format, and the list of an event's lines: headers ("Open" with
 * its fields) and strings ("FN" with its bytes) in order of arrival.  The list also
 * holds events with missing or unknown lines.
 *
 * Documentation/line-format.md describes the line format; kernel/etrace_events.def
 * defines the lines.
 */
#ifndef ETRACE_LINE_LIST_H
#define ETRACE_LINE_LIST_H

#include "base/buf.h"
#include "event/event.h"

/* The tags of the line format, in the order of lt_tags. */
enum lt_tag {
	LT_NONE,
	/* headers */
#define LINE(ID, tag, role, when) LT_##tag,
#include "event/events.def"
	LT_BEHIND_HEADERS,
	/* strings */
	LT_BEFORE_STRINGS = LT_BEHIND_HEADERS - 1,
#define TAG(TAG) LT_##TAG,
#include "event/events.def"
	/* a line outside the format: the bytes are its whole text */
	LT_OTHER,
	LT_COUNT
};
#define LT_FIRST_STRING	LT_BEHIND_HEADERS
#define LT_LAST_STRING	(LT_OTHER - 1)

struct lt_tag_row {
	const char *name;	/* its name in the line format */
	uint8_t name_len;
	uint8_t kind;		/* enum et_kind of a header; ET_K_NONE for strings */
	uint8_t role;		/* enum et_role */
	uint8_t when;		/* enum et_when, of a header */
	uint8_t nfields;
	const struct et_field *fields;
};
extern const struct lt_tag_row lt_tags[LT_COUNT];

/* Number of a string in a kind of event: 1 + ET_S_* or ET_ARGS, 0 if the kind lacks it. */
extern const uint8_t lt_slots[ET_K_COUNT][LT_COUNT - LT_FIRST_STRING];

/** lt_slot - lt_slots[] of a tag; 0 if none, or if it is not the tag of a string */
static inline unsigned int lt_slot(unsigned int kind, enum lt_tag tag)
{
	return tag >= LT_FIRST_STRING ? lt_slots[kind][tag - LT_FIRST_STRING] : 0;
}

/** lt_is_args - whether lines with a tag are arguments of a list */
static inline bool lt_is_args(enum lt_tag tag)
{
#define TEXT_ARGS(ID, id, TAG) || tag == LT_##TAG
	return false
#include "event/events.def"
		;
}

/* The row of each header in the schema. */
extern const struct et_row *const lt_rows[LT_FIRST_STRING];
/* The tag of each row of the schema. */
extern const uint8_t lt_of_row[ET_NR_ROWS];

/* Which lines the events of a kind have. */
#define LT_NEEDS_BEGIN	1u	/* a line that begins each event */
#define LT_NEEDS_END	2u	/* a line that continues or ends it */
#define LT_HAS_TEXT	4u	/* strings */
#define LT_MAY_FAIL	8u	/* a line that says that the call failed */
extern const uint8_t lt_needs[ET_K_COUNT];

/* Whether a complete event of a kind may still get a line that says that it failed. */
static inline bool lt_fails_late(unsigned int kind)
{
	return (lt_needs[kind] & (LT_MAY_FAIL | LT_NEEDS_END)) == LT_MAY_FAIL;
}

/* Whether a line that says that a call failed may also be an event of its own. */
static inline bool lt_fails_alone(unsigned int kind)
{
	return lt_fails_late(kind) && !(lt_needs[kind] & LT_NEEDS_BEGIN);
}

/* Whether a complete line may lack a field.  An optional line would be left out instead. */
static inline bool lt_may_lack(const struct lt_tag_row *row, const struct et_field *f)
{
	return f->may && row->when == ET_EACH;
}

/* Whether an event of a kind may have lines with this tag. */
static inline bool lt_kind_has(unsigned int kind, enum lt_tag tag)
{
	if (tag < LT_FIRST_STRING)
		return lt_tags[tag].kind == kind;
	/* a string whose event is unknown gets no other strings */
	return kind != ET_K_FRAGMENT && lt_slot(kind, tag);
}

/**
 * lt_kind_of - get the kind of event that a line belongs to
 *
 * Return: ET_K_FRAGMENT for strings of several kinds, ET_K_NONE for lines
 * outside the format.
 */
enum et_kind lt_kind_of(enum lt_tag tag);

/* Bits of lt_item.flags. */
#define LT_I_OPEN	1u	/* a string in parts whose end never came */
#define LT_I_SPLIT	2u	/* came in numbered parts */
#define LT_I_FAILED	4u	/* LT_OTHER: the line with the event's error */
#define LT_I_MARKS	8u	/* LT_OTHER: the line with the event's marks */
#define LT_I_NO_SIZE	16u	/* a header with a negative size, which means unknown */

/* One line with fields, one string, or one line outside the format. */
struct lt_item {
	uint8_t tag;		/* enum lt_tag */
	uint8_t flags;		/* LT_I_* */
	uint16_t have;		/* bit i: field i is there */
	uint16_t big;		/* bit i: field i is unsigned and above INT64_MAX */
	/*
	 * Range in the event's bytes: the string, or the text after the known fields
	 * (",newfield=1"), unchanged.
	 */
	uint32_t off, len;
	uint32_t index;		/* number of the argument, if lt_is_args() */
};

/*
 * The lines of an event, in order.  The event itself has the values, the bytes and
 * all sizes that its lines announced.
 */
struct lt_list {
	struct lt_item *items;
	uint32_t nitems;
	size_t items_cap;
};

static inline const char *lt_bytes(const struct et_event *ev, const struct lt_item *it)
{
	return ev->bytes ? ev->bytes + it->off : "";
}

/* The value, or the announced size, of a field. */
static inline int64_t lt_field(const struct et_event *ev, const struct et_field *f)
{
	return f->is_size ? et_announced(ev, f->slot) : ev->val[f->slot];
}

/**
 * lt_add_bytes - append bytes to the last item
 *
 * The caller must keep et_memory() below ET_MAX_BYTES.
 */
void lt_add_bytes(struct et_event *ev, struct lt_item *it, const char *s, size_t n);

/** lt_list_add - append an item that has only its tag */
struct lt_item *lt_list_add(struct lt_list *list, enum lt_tag tag);

/** lt_list_find - find the first item with a tag; NULL if none */
const struct lt_item *lt_list_find(const struct lt_list *list, enum lt_tag tag);

/** lt_list_of - make the list of lines from an event's values and strings */
void lt_list_of(const struct et_event *ev, struct lt_list *list);

/**
 * lt_list_check - check that an event is complete, and its strings are as long as announced
 * @ev: gets the findings
 */
void lt_list_check(const struct lt_list *list, struct et_event *ev);

/** lt_list_is_plain - whether an event is one line that is complete by itself */
bool lt_list_is_plain(const struct lt_list *list, unsigned int kind);

/** lt_list_print - et_print_lines() for an event with these lines */
uint64_t lt_list_print(const struct et_event *ev, const struct lt_list *list, uint64_t earliest,
		       struct buf *b);

/* ---- event_finish.c ---- */

/**
 * lt_finish - complete an event from the list of its lines
 *
 * The event already has its values and bytes.  If lines cannot be regenerated from these,
 * they are kept as text.
 */
void lt_finish(struct et_event *ev, const struct lt_list *list);

/* ---- line_extras.c: "Failed|error=2", and "Marks|joined=RF+RT,unread=,cut=" ---- */

void lt_print_failed(const struct et_event *ev, struct buf *b);
void lt_print_marks(const struct et_event *ev, struct buf *b);

/** lt_read_failed, lt_read_marks - read a line; false if it is not exactly as printed */
bool lt_read_failed(struct et_event *ev, const char *s, size_t len);
bool lt_read_marks(struct et_event *ev, const char *s, size_t len);

#endif
