/* SPDX-License-Identifier: LGPL-2.1 */
/*
 * The lines of one event, put together: headers ("Open" with its fields) and
 * strings ("FN" with its bytes) in the order in which they came, whatever is
 * missing or was never known.  Only this room knows them so; to_event.c makes
 * events of the model of them, and them of events.
 *
 * The line format is described in Documentation/line-format.md; which lines
 * there are stands in kernel/etrace_events.def.
 */
#ifndef ETRACE_TREE_H
#define ETRACE_TREE_H

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

/* One header or string. */
struct lt_item {
	uint8_t tag;		/* enum lt_tag */
	uint8_t flags;		/* LT_I_* */
	uint16_t have;		/* header: bit i: field i is there */
	uint16_t big;		/* header: bit i: field i is an unsigned number
				 * above INT64_MAX, in two's complement
				 */
	/*
	 * A header's first value in vals[] (it takes one for each field, also
	 * for those not there), or a string's first byte in bytes[].
	 */
	uint32_t off;
	/*
	 * A string's length in bytes.  Of a header: bytes at bytes[text] that
	 * followed the known fields (",newfield=1"), kept as they were.
	 */
	uint32_t len;
	uint32_t text;
	uint32_t index;		/* of lt_is_args(): which argument */
};

/* lt_event.flags */
#define LT_F_FAILED	1u	/* the call failed */

/* Fields of all lines of an event, and of one line more. */
#define LT_MAX_VALS	27

struct lt_event {
	uint8_t kind;		/* enum et_kind */
	uint8_t flags;		/* LT_F_* */
	uint8_t nvals;
	uint32_t cpu;
	uint64_t time;		/* of its first line, ns */
	uint64_t upid;		/* the task that made the call */
	uint64_t place;		/* where it began in the input: line, offset */
	uint32_t nitems, nmarks;
	size_t nbytes;
	struct lt_item *items;
	struct et_mark *marks;	/* in order of their place */
	char *bytes;
	int64_t vals[LT_MAX_VALS];
	/* the last line's, for the next mark; before the first, 1 ns earlier */
	uint32_t last_cpu;
	uint64_t last_time;
	size_t items_cap, marks_cap, bytes_cap;
};

/* Roughly the memory that an event takes, in bytes. */
static inline size_t lt_memory(const struct lt_event *ev)
{
	return ev->nbytes + ev->nitems * sizeof(struct lt_item) +
	       ev->nmarks * sizeof(struct et_mark);
}

/* ---- making them ---- */

/** lt_init - an empty event; lt_fini() frees what it holds */
void lt_init(struct lt_event *ev);
void lt_fini(struct lt_event *ev);

/** lt_reset - empty it for reuse, giving back memory that a long one took */
void lt_reset(struct lt_event *ev, enum et_kind kind, uint64_t upid,
	      uint32_t cpu, uint64_t time);

/**
 * lt_add_item - a new item at the end, with what came before it closed
 * @cpu, @time: of the line that brings it, as for lt_stamp()
 *
 * Return: the item, valid until the next one is added.
 */
struct lt_item *lt_add_item(struct lt_event *ev, enum lt_tag tag, uint32_t cpu,
			    uint64_t time);

/**
 * lt_add_bytes - more bytes for the last item
 *
 * The caller sees to it that lt_memory() stays below ET_MAX_BYTES.
 */
void lt_add_bytes(struct lt_event *ev, const char *s, size_t n);

/**
 * lt_stamp - the next bytes of the last item come in a line of their own
 * @cpu, @time: of that line, or of its record
 *
 * Each line is later than the one before, by 1 ns where they belong to one
 * record.  So a line with that time, or no later than the one before (which is
 * how lines look that have only their record's time), leaves no mark.
 */
void lt_stamp(struct lt_event *ev, uint32_t cpu, uint64_t time);

/**
 * lt_go_on - the last item, a string, goes on with another line
 * @newline: it begins behind a newline, which belongs to what came before
 *
 * The bytes that follow come with this cpu and time.
 */
void lt_go_on(struct lt_event *ev, bool newline, uint32_t cpu, uint64_t time);

/** lt_gap - @n numbered parts are missing at the end of the last item */
void lt_gap(struct lt_event *ev, uint32_t n);

/**
 * lt_set_field - set a header's field; the item must be the event's last
 * @big: the number is unsigned and above INT64_MAX
 */
void lt_set_field(struct lt_event *ev, unsigned int field, int64_t v, bool big);

/* ---- looking at them ---- */

static inline const char *lt_bytes(const struct lt_event *ev,
				   const struct lt_item *it)
{
	return ev->bytes ? ev->bytes + it->off : "";
}

/** lt_find - the first item with a tag, or NULL */
const struct lt_item *lt_find(const struct lt_event *ev, enum lt_tag tag);

/** lt_is_plain - whether an event is one line that is whole by itself */
bool lt_is_plain(const struct lt_event *ev);

/**
 * lt_check - whether an event is whole: announced sizes against what came
 * @to: gets what is wrong
 */
void lt_check(const struct lt_event *ev, struct et_event *to);

/**
 * lt_print - append all lines, each with its newline: event_lines.c
 *
 * As et_print_lines().
 */
uint64_t lt_print(const struct lt_event *ev, uint64_t earliest, struct buf *b);

/**
 * lt_read - put lines together that are known to be those of one event: growing.c
 * @ev: lines that lt_init() made; filled
 * @text: whole lines as lt_print() makes them
 *
 * Return: false if the text is not that.
 */
bool lt_read(struct lt_event *ev, const char *text, size_t len);

/* ---- to_event.c ---- */

/** lt_to_event - the event that lines tell of */
void lt_to_event(const struct lt_event *lines, struct et_event *ev);

/** lt_from_event - the lines of an event; @lines was lt_init()ed */
void lt_from_event(const struct et_event *ev, struct lt_event *lines);

#endif
