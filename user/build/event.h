/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The event model of etrace: one event is one system call (or the end of a
 * task, or a loss) with all its strings whole.  It does not know whether it
 * came from text, from ring-buffer pages or from BPF, nor what it becomes.
 *
 * An event is a kind and a list of items in the order of the line format:
 * headers ("Open" with its fields) and strings ("FN" with its bytes).  What
 * headers, fields and strings there are stands in two tables, et_tags and
 * et_kinds, that everything else is driven by.  The line format is described
 * in Documentation/line-format.md.
 */
#ifndef ETRACE_EVENT_H
#define ETRACE_EVENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/*
 * What happened.  The order is that of et_kinds.  PRESENT and SESSION are not
 * in the format document; recordings of the program etrace have them.
 */
enum et_kind {
	ET_K_NONE,		/* of no event: tags outside the format */
	ET_K_EXEC,
	ET_K_CLONE,		/* fork, vfork, clone, clone3; also failed */
	ET_K_EXIT,
	ET_K_OPEN,
	ET_K_CLOSE,
	ET_K_DUP,
	ET_K_PIPE,
	ET_K_RENAME,
	ET_K_LINK,
	ET_K_SYMLINK,
	ET_K_MOUNT,
	ET_K_UMOUNT,
	ET_K_COMM,
	ET_K_URING,		/* io_uring_setup: what is done through it is not seen */
	ET_K_PRESENT,		/* not a call: a task that was there already when
				 * tracing began
				 */
	ET_K_SESSION,		/* not a call: how the recording ended, and what
				 * it misses; the last one; upid 0
				 */
	ET_K_FRAGMENT,		/* lines whose event is not known */
	ET_K_LOST,		/* the tracer lost events: vals[0] is how many,
				 * nvals 0 if that is not known; no upid
				 */
	ET_K_COUNT
};

/* The tags of the line format.  The order is that of et_tags. */
enum et_tag {
	ET_T_NONE,
	/* headers */
	ET_T_NEW_PROC,
	ET_T_END_OF_ARGS,
	ET_T_SYS_CLONE,
	ET_T_SCHED_FORK,
	ET_T_SYS_CLONE_FAILED,
	ET_T_EXIT,
	ET_T_EXIT_SIGNAL,
	ET_T_OPEN,
	ET_T_CLOSE,
	ET_T_DUP,
	ET_T_PIPE,
	ET_T_RENAME_FROM,
	ET_T_RENAME2_FROM,
	ET_T_RENAME_TO,
	ET_T_RENAME_FAILED,
	ET_T_LINK_FROM,
	ET_T_LINKAT_FROM,
	ET_T_LINK_TO,
	ET_T_LINK_FAILED,
	ET_T_SYMLINK,
	ET_T_MOUNT,
	ET_T_MOUNT_FAILED,
	ET_T_UMOUNT,
	ET_T_UMOUNT_FAILED,
	ET_T_COMM,
	ET_T_URING,
	ET_T_PRESENT,
	ET_T_SESSION,
	/* strings */
	ET_T_PI,
	ET_T_PP,
	ET_T_CW,
	ET_T_A,
	ET_T_FN,
	ET_T_FO,
	ET_T_RF,
	ET_T_RT,
	ET_T_LF,
	ET_T_LT,
	ET_T_ST,
	ET_T_SR,
	ET_T_SL,
	ET_T_MS,
	ET_T_MT,
	ET_T_MX,
	ET_T_CN,
	ET_T_TN,
	ET_T_TP,
	ET_T_TW,
	ET_T_TA,
	ET_T_VB,
	ET_T_VC,
	ET_T_VT,
	/* not in the format document: the bytes are the whole text of a line */
	ET_T_OTHER,
	ET_T_COUNT
};
#define ET_T_FIRST_STRING	ET_T_PI
#define ET_T_LAST_STRING	ET_T_VT

#define ET_MAX_FIELDS	8

/* How a header stands in its event. */
enum et_role {
	ET_STRING,		/* not a header */
	ET_BEGIN,		/* begins an event */
	ET_MIDDLE,		/* goes on with one: RenameTo after RenameFrom */
	ET_LAST,		/* ends one: End_of_args, SchedFork */
	ET_FAILED,		/* ends one that failed */
	ET_MORE,		/* tells more of one that is whole without it */
};

struct et_field {
	const char *name;	/* in the line format */
	size_t name_len;
	const char *arg;	/* in FXT and JSON; NULL for sizes */
	enum et_tag size_of;	/* ET_T_NONE, or the string whose size it is */
	bool optional;		/* may be missing from a whole header */
};

struct et_tag_row {
	const char *name;	/* in the line format */
	size_t name_len;
	const char *arg;	/* a string's name in FXT and JSON */
	enum et_kind kind;	/* FRAGMENT: MT belongs to two */
	enum et_role role;
	struct et_field fields[ET_MAX_FIELDS];
	unsigned int nfields;
	unsigned int order;	/* its place among the lines of its event */
};
extern const struct et_tag_row et_tags[ET_T_COUNT];

struct et_kind_row {
	const char *name;	/* in FXT, JSON and reports */
	const char *category;	/* in FXT */
};
extern const struct et_kind_row et_kinds[ET_K_COUNT];

/* et_item.flags */
#define ET_I_OPEN	1u	/* a long string whose end never came */
#define ET_I_SPLIT	2u	/* came in numbered parts */

/* One header or string. */
struct et_item {
	uint8_t tag;		/* enum et_tag */
	uint8_t flags;		/* ET_I_* */
	uint8_t have;		/* header: bit i: field i is there */
	uint8_t big;		/* header: bit i: field i is an unsigned number
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
	uint32_t index;		/* ET_T_A: which argument */
};

/*
 * Something at a place inside an event: at byte @off of string item @item, or
 * at header @item.  Rare; most events have none.
 */
struct et_mark {
	enum {
		/* the next line has this cpu and time, each other 1 ns more */
		ET_M_STAMP,
		ET_M_GAP,	/* @n numbered parts are missing here */
	} what;
	uint32_t item, off;
	uint32_t cpu;
	uint64_t time;		/* ns */
	uint32_t n;
};

/* et_event.flags */
#define ET_F_FAILED	1u	/* the call failed */
#define ET_F_INCOMPLETE	2u	/* something is missing: see et_check() */
#define ET_F_ODD	4u	/* a header has what the format does not know */
#define ET_F_LATE	8u	/* came too late to be put in order */

#define ET_MAX_VALS	16
/* No call has so many bytes of strings: argv ends at 6 MiB on Linux. */
#define ET_MAX_BYTES	(64u << 20)

struct et_event {
	uint8_t kind;		/* enum et_kind */
	uint8_t flags;		/* ET_F_* */
	uint8_t nvals;
	uint32_t cpu;
	uint64_t time;		/* CLOCK_MONOTONIC of its first line, ns */
	uint64_t upid;		/* the task that made the call */
	uint64_t place;		/* where it began in the input: line, offset */
	uint32_t nitems, nmarks;
	size_t nbytes;
	struct et_item *items;
	struct et_mark *marks;	/* in order of their place */
	char *bytes;
	int64_t vals[ET_MAX_VALS];
	/* the last line's, for the next mark; before the first, 1 ns earlier */
	uint32_t last_cpu;
	uint64_t last_time;
	size_t items_cap, marks_cap, bytes_cap;
};

/* Roughly the memory that an event takes, in bytes. */
static inline size_t et_memory(const struct et_event *ev)
{
	return ev->nbytes + ev->nitems * sizeof(struct et_item) +
	       ev->nmarks * sizeof(struct et_mark);
}

/* ---- making events ---- */

/** et_init - an empty event; et_fini() frees what it holds */
void et_init(struct et_event *ev);
void et_fini(struct et_event *ev);

/** et_reset - empty it for reuse, giving back memory that a long one took */
void et_reset(struct et_event *ev, enum et_kind kind, uint64_t upid,
	      uint32_t cpu, uint64_t time);

/**
 * et_add_item - a new item at the end, with what came before it closed
 * @cpu, @time: of the line or record that brings it, as for et_stamp()
 *
 * Return: the item, valid until the next one is added.
 */
struct et_item *et_add_item(struct et_event *ev, enum et_tag tag, uint32_t cpu,
			    uint64_t time);

/**
 * et_add_bytes - more bytes for the last item
 *
 * The caller sees to it that et_memory() stays below ET_MAX_BYTES.
 */
void et_add_bytes(struct et_event *ev, const char *s, size_t n);

/**
 * et_stamp - the next bytes of the last item come in a line of their own
 * @cpu, @time: of that line, or of its record
 *
 * Each line is later than the one before, by 1 ns where they belong to one
 * record.  So a line with that time, or no later than the one before (which is
 * how lines look that have only their record's time), leaves no mark.
 */
void et_stamp(struct et_event *ev, uint32_t cpu, uint64_t time);

/**
 * et_go_on - the last item, a string, goes on with another line or record
 * @newline: it begins behind a newline, which belongs to what came before
 *
 * The bytes that follow come with this cpu and time.
 */
void et_go_on(struct et_event *ev, bool newline, uint32_t cpu, uint64_t time);

/** et_gap - @n numbered parts are missing at the end of the last item */
void et_gap(struct et_event *ev, uint32_t n);

/**
 * et_set_field - set a header's field; the item must be the event's last
 * @big: the number is unsigned and above INT64_MAX
 */
void et_set_field(struct et_event *ev, unsigned int field, int64_t v, bool big);

/* ---- looking at events ---- */

static inline const char *et_bytes(const struct et_event *ev,
				   const struct et_item *it)
{
	return ev->bytes ? ev->bytes + it->off : "";
}

/** et_find - the first item with a tag, or NULL */
const struct et_item *et_find(const struct et_event *ev, enum et_tag tag);

/**
 * et_value - a field of a header
 *
 * Return: whether the event has that header with that field; then @v is set.
 */
bool et_value(const struct et_event *ev, enum et_tag tag, const char *field,
	      int64_t *v);

/** et_no_args - whether it is an execve that was given no arguments at all */
bool et_no_args(const struct et_event *ev);

/**
 * et_regular - whether an event is just what the format describes
 *
 * It is whole, its items are in order, each announced string is there, lines
 * outside the format come last and once each.  Such an event can be made again
 * from its fields and strings alone.
 */
bool et_regular(const struct et_event *ev);

/**
 * et_other_name - the name in a line outside the format: "Marks|cut=FN"
 *
 * Return: its length, 0 if it is not a name that can stand for the line.
 */
size_t et_other_name(const struct et_event *ev, const struct et_item *it);

/* What can be wrong with an event. */
enum et_fault {
	ET_OK,
	ET_NO_BEGIN,		/* its first lines are missing */
	ET_NO_END,		/* its last lines are missing */
	ET_NO_FIELD,		/* a header lacks a field */
	ET_NO_STRING,		/* an announced string is missing */
	ET_UNREAD,		/* a string that the tracer could not read */
	ET_SHORT,		/* a string is shorter than announced */
	ET_LONG,		/* a string is longer than announced */
	ET_GAP_PARTS,		/* numbered parts are missing inside */
	ET_NO_STRING_END,	/* a long string's end marker is missing */
};

struct et_finding {
	enum et_fault fault;
	enum et_tag tag;	/* of the header or string */
	int64_t want, have;	/* bytes, for ET_SHORT, ET_LONG, ET_NO_STRING */
};

/**
 * et_check - whether an event is whole: announced sizes against what came
 * @f: filled with what is wrong, at most @max
 *
 * Return: how many findings there are; 0: the event is whole.
 */
unsigned int et_check(const struct et_event *ev, struct et_finding *f,
		      unsigned int max);

/** et_finding_text - a finding in words, like "FN: 12 of 300 bytes missing" */
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
