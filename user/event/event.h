/* SPDX-License-Identifier: LGPL-2.1 */
/*
 * The event model of etrace: one event is one system call (or the end of a task, or a loss
 * of events) with everything known about it.  kernel/etrace_events.def lists the values and
 * strings of each kind of event; they are numbered.  An event does not depend on whether it
 * came from text, from ring-buffer pages or from BPF.
 *
 * An event that only the line format can express (lines in another order, fields that are
 * not in the schema) keeps its lines; see et_event.raw.
 */
#ifndef ETRACE_EVENT_H
#define ETRACE_EVENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/bytes.h"
#include "event/schema.h"

/* A string, at bytes[off]. */
struct et_string {
	uint32_t off, len;
};

/* How a string may differ from the name that the kernel resolved. */
enum et_marking {
	ET_JOINED,	/* the user's path, joined to a directory's */
	ET_UNREAD,	/* could not be read */
	ET_CUT,		/* incomplete */
	ET_UNTOLD,	/* unknown whether it exists: only the file system could tell */
	ET_OUTSIDE,	/* no path from the task's root directory */
	ET_NR_MARKINGS
};
/* Bit of the argument list, or of a structure, next to those of the strings. */
#define ET_MARKED_ARGS	8u

/* Text that is not in the schema, as it was read. */
struct et_extra {
	bool field;		/* "name=value,..." of a line; else a line */
	uint32_t off, len;	/* the text is at bytes[off] */
};

/*
 * A note about a place inside an event: byte @off of its line number @item, where each
 * string counts as one line. Most events have none.
 */
struct et_mark {
	enum {
		/* the next line has this cpu and time, and each line after it is 1 ns later */
		ET_M_STAMP,
		ET_M_GAP,	/* @n numbered parts are missing here */
		ET_M_ARGS,	/* @n arguments are missing before this one */
	} what;
	uint32_t item, off;
	uint32_t cpu;
	uint64_t time;		/* for ET_M_STAMP, ns */
	uint32_t n;
};

/* What can be wrong with an event. */
enum et_fault {
	ET_OK,
	ET_NO_BEGIN,		/* its first lines are missing */
	ET_NO_END,		/* its last lines are missing */
	ET_NO_FIELD,		/* a line lacks a field */
	ET_NO_STRING,		/* an announced string is missing */
	ET_NOT_READ,		/* a string that the tracer could not read */
	ET_SHORT,		/* a string is shorter than announced */
	ET_LONG,		/* a string is longer than announced */
	ET_GAP_PARTS,		/* numbered parts are missing inside */
	ET_NO_STRING_END,	/* a long string's end marker is missing */
};

struct et_finding {
	enum et_fault fault;
	const char *name;	/* tag of the line or string in the line format */
	const char *field;	/* ET_NO_FIELD: name of the missing field */
	int64_t want, have;	/* bytes, or parts */
};

/* Bits of et_event.flags. */
#define ET_F_FAILED	1u	/* the call failed, and its kind has a line for failures */
#define ET_F_INCOMPLETE	2u	/* something is missing: see @findings */
#define ET_F_LATE	4u	/* came too late to be put in order */
#define ET_F_NO_BEGIN	8u	/* its beginning was lost */
#define ET_F_NO_END	16u	/* its end was lost */

#define ET_MAX_FINDINGS	8u
/* No call has so many bytes of strings: argv ends at 6 MiB on Linux. */
#define ET_MAX_BYTES	(64u << 20)

struct et_event {
	uint8_t kind;		/* enum et_kind */
	uint8_t strings;	/* bit i: string i is present; bit ET_ARGS: arguments */
	uint16_t given;		/* bit i: value i is present */
	uint8_t announced;	/* bit i: size[i] differs from the string's size */
	uint8_t open;		/* bit i: the end of string i never came */
	bool pending;		/* nothing was added since et_later() was called */
	bool queued;		/* it is in an event_queue */
	bool closed;		/* nothing more will be added */
	/* et_oddities() tests these up to @flags */
	uint16_t big;		/* bit i: value i is unsigned and above INT64_MAX */
	uint8_t marks[ET_NR_MARKINGS];	/* bit i: string i; ET_MARKED_ARGS */
	uint8_t flags;		/* ET_F_* */
	int32_t error;		/* positive errno of a call that failed, 0 if not recorded */
	uint32_t cpu;
	uint64_t time;		/* CLOCK_MONOTONIC of its beginning, ns */
	uint64_t upid;		/* the task that made the call */
	uint64_t place;		/* where it began in the input: line, offset */
	int64_t val[ET_MAX_VALUES];	/* by ET_V_*; with @big in two's complement */
	struct et_string str[ET_MAX_STRINGS];	/* by ET_S_* */
	struct et_string *args;
	uint32_t nargs, nextras, nlater;
	unsigned int nfindings;	/* may exceed ET_MAX_FINDINGS, the number that is kept */
	struct et_extra *extras;
	struct et_mark *later;	/* marks of its later records, ordered by place */
	char *bytes;
	size_t nbytes;
	/*
	 * The event's lines, as et_print_lines() prints them for a task's first event. Empty if
	 * they can be made from its values and strings.
	 */
	char *raw;
	size_t raw_len;
	struct et_finding findings[ET_MAX_FINDINGS];
	int64_t size[ET_ARGS + 1];	/* announced, by ET_S_* */
	uint32_t later_cpu;	/* set by et_later() */
	uint64_t later_time;
	uint8_t last;		/* the string that et_add_bytes() extends, or ET_ARGS */
	size_t args_cap, extras_cap, later_cap, bytes_cap, raw_cap;
	size_t counted;		/* bytes of its strings in event_queue.bytes */
};

/* Roughly the memory that an event takes, in bytes. */
static inline size_t et_memory(const struct et_event *ev)
{
	return ev->nbytes + ev->raw_len + ev->nargs * sizeof(*ev->args) +
	       ev->nlater * sizeof(*ev->later);
}

/* ---- making events ---- */

/** et_init - make an event empty; et_fini() frees what it holds */
void et_init(struct et_event *ev);
void et_fini(struct et_event *ev);

/* Bytes of memory that an event keeps for reuse. */
#define ET_KEEP_BYTES	4096u
#define ET_KEEP_ROWS	64u
/* Frees memory beyond ET_KEEP_BYTES. */
void et_give_back(struct et_event *ev);

/** et_reset - empty an event for reuse; frees the memory if a long event has grown it */
static inline void et_reset(struct et_event *ev, enum et_kind kind, uint64_t upid,
			    uint32_t cpu, uint64_t time)
{
	memset(ev, 0, offsetof(struct et_event, cpu));
	ev->kind = (uint8_t)kind;
	ev->cpu = cpu;
	ev->time = time;
	ev->upid = upid;
	ev->place = 0;
	ev->nargs = ev->nextras = ev->nlater = 0;
	ev->nfindings = 0;
	ev->nbytes = 0;
	ev->raw_len = 0;
	/* larger than ET_KEEP_BYTES? They grow by doubling, so OR finds the largest. */
	if ((ev->bytes_cap | ev->raw_cap) >= 2 * ET_KEEP_BYTES ||
	    (ev->args_cap | ev->extras_cap | ev->later_cap) >= 2 * ET_KEEP_ROWS)
		et_give_back(ev);
}

/** et_set - set a value, by ET_V_* */
static inline void et_set(struct et_event *ev, unsigned int i, int64_t v)
{
	ev->given |= (uint16_t)(1u << i);
	ev->val[i] = v;
}

/** et_set_unsigned - set a value that may be above INT64_MAX */
static inline void et_set_unsigned(struct et_event *ev, unsigned int i, uint64_t v)
{
	et_set(ev, i, (int64_t)v);
	if (v > INT64_MAX)
		ev->big |= (uint16_t)(1u << i);
}

/** et_set_value - set a value, with the width and sign that the schema gives it */
void et_set_value(struct et_event *ev, unsigned int i, int64_t v);

/** et_set_error - note that the call failed; @error is a positive errno */
void et_set_error(struct et_event *ev, int32_t error);

/**
 * et_later - note that what is added next came in another record
 *
 * The next string, argument or byte gets that record's cpu and time.
 */
void et_later(struct et_event *ev, uint32_t cpu, uint64_t time);

/** et_add_string - add string @i, by ET_S_*, which must not be present yet */
void et_add_string(struct et_event *ev, unsigned int i, const char *s, size_t n);

/* Make room for at least @need bytes of strings. */
void et_grow(struct et_event *ev, size_t need);

/** et_room - find where to write the next string: room for @n bytes */
static inline char *et_room(struct et_event *ev, size_t n)
{
	if (ev->nbytes + n > ev->bytes_cap)
		et_grow(ev, ev->nbytes + n);
	return ev->bytes + ev->nbytes;
}

/** et_added_string - add the @n bytes at et_room() as string @i; not after et_later() */
static inline void et_added_string(struct et_event *ev, unsigned int i, size_t n)
{
	ev->strings |= (uint8_t)(1u << i);
	ev->str[i].off = (uint32_t)ev->nbytes;
	ev->str[i].len = (uint32_t)n;
	ev->last = (uint8_t)i;
	ev->nbytes += n;
}

/**
 * et_place_string - add string @i, or one more argument (ET_ARGS), whose bytes the event has
 * already
 */
void et_place_string(struct et_event *ev, unsigned int i, size_t off, size_t n);

/** et_add_arg - add one more argument */
void et_add_arg(struct et_event *ev, const char *s, size_t n);

/**
 * et_add_bytes - extend the string or argument that was added last
 *
 * The caller makes sure that et_memory() stays below ET_MAX_BYTES.
 */
void et_add_bytes(struct et_event *ev, const char *s, size_t n);

/**
 * et_add_args - add arguments, each ended by a NUL, except perhaps the last
 * @on: the first one continues the argument that was added last
 *
 * Return: whether the last one has no NUL.
 */
bool et_add_args(struct et_event *ev, const char *s, size_t len, bool on);

/** et_add_earlier - et_add_bytes() for the record before the one that et_later() began */
void et_add_earlier(struct et_event *ev, const char *s, size_t n);

/** et_gap - note that @n numbered parts are missing at the end of the last string */
void et_gap(struct et_event *ev, uint32_t n);

/** et_announce - set the announced size of a string, if that is not the size received */
static inline void et_announce(struct et_event *ev, unsigned int i, int64_t size)
{
	ev->announced |= (uint8_t)(1u << i);
	ev->size[i] = size;
}

/** et_gap_args - note that @n arguments are missing before the next one */
void et_gap_args(struct et_event *ev, uint32_t n);

/** et_end - finish an event: note which lines at the end came with the last record */
void et_end(struct et_event *ev);

/** et_add_extra - add text outside the schema */
void et_add_extra(struct et_event *ev, bool field, const char *s, size_t n);
/** et_place_extra - et_add_extra() for bytes that the event has already */
void et_place_extra(struct et_event *ev, bool field, size_t off, size_t n);
/** et_extend_extra - add bytes to the last extra text; nothing was added after it */
void et_extend_extra(struct et_event *ev, const char *s, size_t n);
/** et_add_mark - add a mark; the caller fills it in */
struct et_mark *et_add_mark(struct et_event *ev);
/** et_set_raw - make room for @n bytes of raw lines. Return: that room */
char *et_set_raw(struct et_event *ev, size_t n);
/** et_found - note what is wrong, and that the event is incomplete */
void et_found(struct et_event *ev, struct et_finding f);

/**
 * et_check - find what is missing in an event that was made from records
 *
 * Return: the number of findings; the event keeps them.
 */
unsigned int et_check(struct et_event *ev);

/* ---- looking at events ---- */

/** et_has - whether a value is present */
static inline bool et_has(const struct et_event *ev, unsigned int i)
{
	return ev->given >> i & 1;
}

/** et_value - a value if it is present, else @absent */
static inline int64_t et_value(const struct et_event *ev, unsigned int i, int64_t absent)
{
	return et_has(ev, i) ? ev->val[i] : absent;
}

/** et_has_string - whether a string (ET_ARGS: an argument list) is present */
static inline bool et_has_string(const struct et_event *ev, unsigned int i)
{
	return ev->strings >> i & 1;
}

/** et_text - the bytes of a string */
static inline const char *et_text(const struct et_event *ev, const struct et_string *s)
{
	return ev->bytes ? ev->bytes + s->off : "";
}

/** et_any_marks - whether any string is not the name that the kernel resolved */
static inline bool et_any_marks(const struct et_event *ev)
{
	return ev->marks[ET_JOINED] | ev->marks[ET_UNREAD] | ev->marks[ET_CUT] |
	       ev->marks[ET_UNTOLD] | ev->marks[ET_OUTSIDE];
}

/** et_oddities - big values, marks and flags, which few events have; 0 if none */
static inline uint64_t et_oddities(const struct et_event *ev)
{
	_Static_assert(offsetof(struct et_event, flags) == offsetof(struct et_event, big) + 7,
		       "one word");
	return bytes_8((const char *)ev + offsetof(struct et_event, big));
}

/** et_get_string - a string's bytes, owned by the event; NULL if it is not present */
static inline const char *et_get_string(const struct et_event *ev, unsigned int i, size_t *len)
{
	*len = et_has_string(ev, i) ? ev->str[i].len : 0;
	return et_has_string(ev, i) ? et_text(ev, &ev->str[i]) : NULL;
}

/** et_count_lines - how many lines an event has, each string counting as one */
uint32_t et_count_lines(const struct et_event *ev);

/** et_lacks_begin - whether something that the event's first line needs is missing */
static inline bool et_lacks_begin(const struct et_event *ev)
{
	const struct et_kind_row *kind = &et_kinds[ev->kind];

	/* an argument list may be empty */
	return kind->begins && ((ev->given & kind->must) != kind->must ||
				(ev->strings & kind->must_strings) != kind->must_strings);
}

/** et_is_whole - a quick test: if true, et_check() finds nothing */
static inline bool et_is_whole(const struct et_event *ev)
{
	return et_kinds[ev->kind].begins && !(ev->announced | ev->open) && !ev->nlater &&
	       !(ev->flags & (ET_F_NO_BEGIN | ET_F_NO_END)) && !et_lacks_begin(ev);
}

/** et_announced - announced bytes of a string (ET_ARGS: of all arguments), -1 if not readable */
int64_t et_announced(const struct et_event *ev, unsigned int i);

/** et_row_there - whether an event has a row's line, or the string of that row */
static inline bool et_row_there(const struct et_event *ev, const struct et_row *row)
{
	/* a string announced by the first line may come later */
	uint8_t strings = ev->strings | (row->role == ET_BEGIN ? ev->announced : 0);

	if (row->role == ET_STRING)
		return et_has_string(ev, row->slot);
	if ((row->role == ET_BEGIN && ev->flags & ET_F_NO_BEGIN) ||
	    ((row->role == ET_LAST || row->role == ET_FAILED) && ev->flags & ET_F_NO_END))
		return false;
	switch (row->when) {
	case ET_EACH:
		return true;
	case ET_ERROR:
		return ev->flags & ET_F_FAILED;
	case ET_PLAIN:
		if (ev->given & et_kinds[ev->kind].may)
			return false;
		break;
	}
	return (ev->given & row->values) == row->values &&
	       (strings & row->strings) == row->strings;
}

_Static_assert((int)ET_V_JOIN_process == (int)ET_V_PRESENT_process &&
	       (int)ET_V_JOIN_parent == (int)ET_V_PRESENT_parent &&
	       ET_S_JOIN_cwd == ET_S_JOIN_path + 1 && ET_S_PRESENT_cwd == ET_S_PRESENT_path + 1,
	       "a task that joins is described like one that was there");

/** et_is_present - whether the event describes a task that ran before it was traced */
static inline bool et_is_present(const struct et_event *ev)
{
	return ev->kind == ET_K_PRESENT || ev->kind == ET_K_JOIN;
}

/** et_present_path - the number of its string with the program; the next one is the cwd */
static inline unsigned int et_present_path(const struct et_event *ev)
{
	return ev->kind == ET_K_JOIN ? (unsigned int)ET_S_JOIN_path :
				       (unsigned int)ET_S_PRESENT_path;
}

/**
 * et_is_of_no_task - whether an event is about the trace or a file, so that its upid means nothing
 */
static inline bool et_is_of_no_task(const struct et_event *ev)
{
	return ev->kind == ET_K_LOST || ev->kind == ET_K_SESSION || ev->kind == ET_K_CONTENT;
}

/**
 * et_regular - whether an event's lines can be made from its values and strings
 *
 * Such an event is whole, and its values and strings alone can restore it.
 */
static inline bool et_regular(const struct et_event *ev)
{
	return !ev->raw_len && !ev->nfindings && ev->kind != ET_K_FRAGMENT &&
	       !(ev->flags & (ET_F_NO_BEGIN | ET_F_NO_END));
}

/**
 * et_extra_name - the name in a line outside the format: "Marks|cut=FN"
 *
 * Return: its length, 0 if the line has no name that can be used in FXT and JSON.
 */
size_t et_extra_name(const char *s, size_t len);

/** et_marked - the name of the string that bit @i of a marking stands for, NULL if none */
const char *et_marked(enum et_kind kind, unsigned int i);
/** et_marking_names - names of the markings */
extern const char *const et_marking_names[ET_NR_MARKINGS];

/** et_finding_text - write a finding as text, like "FN: 12 of 300 bytes missing" */
void et_finding_text(const struct et_finding *f, char *buf, size_t size);

/* ---- upids ---- */

#define ET_DEFAULT_PID_BITS 22u

static inline uint64_t et_pid(uint64_t upid, unsigned int bits)
{
	return upid & ((1ull << bits) - 1);
}

static inline uint64_t et_sequence(uint64_t upid, unsigned int bits)
{
	return upid >> bits;
}

#endif
