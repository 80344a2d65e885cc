/* SPDX-License-Identifier: LGPL-2.1 */
/*
 * The tags of the line format, and which lines an event has: headers ("Open" with its
 * fields) and strings ("FN" with its bytes) in the order in which they came,
 * whatever is missing or was never known.
 *
 * The line format is described in Documentation/line-format.md; which lines
 * there are stands in kernel/etrace_events.def.
 */
#ifndef ETRACE_LINE_LIST_H
#define ETRACE_LINE_LIST_H

#include "base/buf.h"
#include "event/event.h"

/* The tags of the line format.  The order is that of lt_tags. */
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
	/* not in the format document: the bytes are the whole text of a line */
	LT_OTHER,
	LT_COUNT
};
#define LT_FIRST_STRING	LT_BEHIND_HEADERS
#define LT_LAST_STRING	(LT_OTHER - 1)

struct lt_tag_row {
	const char *name;	/* in the line format */
	uint8_t name_len;
	uint8_t kind;		/* of a header; NONE for strings */
	uint8_t role;		/* enum et_role */
	uint8_t when;		/* enum et_when, of a header */
	uint8_t nfields;
	const struct et_field *fields;
};
extern const struct lt_tag_row lt_tags[LT_COUNT];

/*
 * The number of a string among those of a kind of event: 1 + ET_S_* or ET_ARGS;
 * 0: that kind has no such string.
 */
extern const uint8_t lt_slots[ET_K_COUNT][LT_COUNT - LT_FIRST_STRING];

/** lt_slot - that of a tag of strings; 0: none */
static inline unsigned int lt_slot(unsigned int kind, enum lt_tag tag)
{
	return tag >= LT_FIRST_STRING ? lt_slots[kind][tag - LT_FIRST_STRING] : 0;
}

/** lt_is_args - whether a tag is of the lines of an argument list */
static inline bool lt_is_args(enum lt_tag tag)
{
#define TEXT_ARGS(ID, id, TAG) || tag == LT_##TAG
	return false
#include "event/events.def"
		;
}

/* The row of the schema of a header. */
extern const struct et_row *const lt_rows[LT_FIRST_STRING];
/* The tag of a row of the schema. */
extern const uint8_t lt_of_row[ET_NR_ROWS];

/* What the events of a kind have. */
#define LT_NEEDS_BEGIN	1u	/* a line that begins each of them */
#define LT_NEEDS_END	2u	/* one that ends it, or goes on with it */
#define LT_HAS_TEXT	4u	/* strings */
#define LT_MAY_FAIL	8u	/* a line that says that the call failed */
extern const uint8_t lt_needs[ET_K_COUNT];

/* Whether events of a kind may be whole, and then a line tells that they failed. */
static inline bool lt_fails_late(unsigned int kind)
{
	return (lt_needs[kind] & (LT_MAY_FAIL | LT_NEEDS_END)) == LT_MAY_FAIL;
}

/* Whether that line may also be all that there is of another event. */
static inline bool lt_fails_alone(unsigned int kind)
{
	return lt_fails_late(kind) && !(lt_needs[kind] & LT_NEEDS_BEGIN);
}

/* Whether a whole line may lack a field; others are not there at all then. */
static inline bool lt_may_lack(const struct lt_tag_row *row, const struct et_field *f)
{
	return f->may && row->when == ET_EACH;
}

/* Whether an event of a kind may have more lines, with this tag. */
static inline bool lt_kind_has(unsigned int kind, enum lt_tag tag)
{
	if (tag < LT_FIRST_STRING)
		return lt_tags[tag].kind == kind;
	/* strings of which nothing else is known belong to nothing else */
	return kind != ET_K_FRAGMENT && lt_slot(kind, tag);
}

/**
 * lt_kind_of - the kind of event that a line belongs to
 *
 * Return: ET_K_FRAGMENT for strings of several kinds, ET_K_NONE for lines
 * outside the format.
 */
enum et_kind lt_kind_of(enum lt_tag tag);

/* lt_item.flags */
#define LT_I_OPEN	1u	/* a long string whose end never came */
#define LT_I_SPLIT	2u	/* came in numbered parts */
#define LT_I_FAILED	4u	/* LT_OTHER: the line that says the event's error */
#define LT_I_MARKS	8u	/* LT_OTHER: the line that says the event's marks */

/* One line with fields, one string, or one line outside the format. */
struct lt_item {
	uint8_t tag;		/* enum lt_tag */
	uint8_t flags;		/* LT_I_* */
	uint16_t have;		/* bit i: field i is there */
	uint16_t big;		/* bit i: field i is an unsigned number above INT64_MAX */
	/*
	 * At bytes[off] of the event: the string, or what followed the known fields
	 * (",newfield=1"), as it was.
	 */
	uint32_t off, len;
	uint32_t index;		/* of lt_is_args(): which argument */
};

/*
 * Which lines an event has, in their order.  Values, announced sizes and bytes are
 * the event's: its row of announced sizes has all that lines said.
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
 * lt_add_bytes - more bytes for the last item
 *
 * The caller sees to it that et_memory() stays below ET_MAX_BYTES.
 */
void lt_add_bytes(struct et_event *ev, struct lt_item *it, const char *s, size_t n);

/** lt_list_add - one more at the end, with its tag alone */
struct lt_item *lt_list_add(struct lt_list *list, enum lt_tag tag);

/** lt_list_find - the first with a tag, or NULL */
const struct lt_item *lt_list_find(const struct lt_list *list, enum lt_tag tag);

/** lt_list_of - the lines of an event that its values and strings give back */
void lt_list_of(const struct et_event *ev, struct lt_list *list);

/**
 * lt_list_check - whether an event is whole: announced sizes against what came
 * @ev: notes what is wrong
 */
void lt_list_check(const struct lt_list *list, struct et_event *ev);

/** lt_list_is_plain - whether an event is one line that is whole by itself */
bool lt_list_is_plain(const struct lt_list *list, unsigned int kind);

/** lt_list_print - et_print_lines() of an event with these lines */
uint64_t lt_list_print(const struct et_event *ev, const struct lt_list *list, uint64_t earliest,
		       struct buf *b);

/* ---- event_finish.c ---- */

/**
 * lt_finish - make of an event what its lines say
 *
 * Its values and bytes are there; lines that these do not give back are kept as text.
 */
void lt_finish(struct et_event *ev, const struct lt_list *list);

/* "Failed|error=2", and "Marks|joined=RF+RT,unread=,cut=". */
void lt_print_failed(const struct et_event *ev, struct buf *b);
void lt_print_marks(const struct et_event *ev, struct buf *b);

#endif
