/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What all parts of the module know: a record on its way into the ring buffer,
 * and the session that it is for.  What a file does is in its own header; none
 * sees one that is above it (tools/testing/rooms):
 *
 *	main
 *	counters, session
 *	probes			tracepoints
 *	uring			calls that io_urings make
 *	calls, calls_*		what is recorded, one file for a sort of calls
 *	call, hooks		what handlers share; what the kernel has resolved
 *	env			the environment of a program
 *	emit, target
 *	cgroup			who is traced for being in a cgroup
 *	output, table		records out; system calls
 *	task, print		who is traced; lines
 *	hold, capture, uses	names of a call in progress; strings; uses of descriptors
 *	printed			what processes wrote to descriptors 1 and 2
 *	cost			what a process has used
 *	return_work, counts, schema	the way back to the program; events
 */
#ifndef ETRACE_H
#define ETRACE_H

#include <linux/atomic.h>
#include <linux/bits.h>
#include <linux/bitmap.h>
#include <linux/string.h>
#include <linux/types.h>
#include <linux/wait.h>

#include "etrace_ioctl.h"
#include "schema.h"

/* <linux/logic_pio.h>, on arm64: the name of a field would be another one there. */
#undef inl

struct trace_array;
struct trace_buffer;
struct trace_event_file;
struct etrace_counts;

/**
 * struct etrace_str - a string of a record
 * @s: the bytes, without a null byte at the end; NULL: the record has none
 * @len: number of bytes
 */
struct etrace_str {
	const char *s;
	u32 len;
};

/**
 * struct etrace_rec - one event on its way into the ring buffer
 * @upid: the task that made the call
 * @time: CLOCK_MONOTONIC in nanoseconds
 * @ev: which event
 * @error: 0, or the positive errno of a call that failed
 * @str: the strings, in the order of etrace_events.def
 * @nr_str: how many entries of @str the event has
 * @inl: how many of them are in the event's own record; the others follow in
 *	records of their own
 * @more: records follow this one
 * @joined: bit i: @str[i] is the user's string behind a directory's path, not
 *	a name that the kernel has resolved
 * @unread: bit i: @str[i] could not be read
 * @cut: bit i: @str[i] is not whole
 * @untold: bit i: whether there is an @str[i] cannot be told without asking
 *	somebody
 * @marks: these four, to see whether any bit is set
 * @outside: bit i: @str[i] is no path from the task's root directory, but from
 *	the top of a mount that lies nowhere below it
 * @plain: bit i: @str[i] surely has no newline, and is at most ETRACE_PLAIN_MAX long,
 *	or there is no such string; so ETRACE_PLAIN is said of all
 * @faulted: some of it is unread because its page is not there
 * @where: only for sessions that want these, ETRACE_WHERE_*
 * @file: where the record should arrive, to tell whether it did
 * @buffer: of the session
 * @written: set when it did
 * @have: bit i: the event's value i is there; of those that MAY be
 * @string: a piece of a string: its event's record had no room for it
 * @args: a piece of an argument list
 * @lost: how many records of the task were lost
 *
 * On the stack of probes: only what an event uses is filled in.
 */
struct etrace_rec {
	u64 upid;
	u64 time;
	struct etrace_str str[ETRACE_NR_STR];
	u8 ev;
	u8 nr_str;
	u8 inl;
	u8 more;
	union {
		struct {
			u8 joined;
			u8 unread;
			u8 cut;
			u8 untold;
		};
		u32 marks;
	};
	u8 outside;
	u8 plain;
	bool faulted;
	u8 where;
	u16 have;
	bool written;
	s32 error;
	struct trace_event_file *file;
	struct trace_buffer *buffer;
	/* The values of the event, one struct for each. */
	union {
#define EVENT(ID, id, name, category, where, doc) struct {
#define ARGS(ID, id, TAG, name) u32 id##_len; struct etrace_str id;
#define VALUE(ID, id, type, name, means, given) type id;
#define END_EVENT(ID, id) } id;
#include "etrace_events.def"
		struct {
			struct etrace_str piece;
			u32 total;
			s32 part;
			u8 tag;
			u8 state;
			u8 ev;
		} string;
		struct {
			struct etrace_str piece;
			u32 first;
			u8 ev;
		} args;
		struct {
			u64 count;
			u64 since;
		} lost;
	};
};

#define ETRACE_PLAIN		0xff
#define ETRACE_PLAIN_MAX	512	/* bytes */

/**
 * etrace_rec_init - begin a record: a call that succeeded, no marks
 * @r: the record; its strings and its event's own fields are not touched
 * @ev: which event
 * @nr_str: how many strings it has
 */
static inline void etrace_rec_init(struct etrace_rec *r, enum etrace_event ev,
				   unsigned int nr_str)
{
	r->ev = ev;
	r->nr_str = nr_str;
	r->inl = 0;
	r->more = 0;
	r->marks = 0;
	r->outside = 0;
	r->plain = ETRACE_PLAIN & ETRACE_PLAIN << nr_str;
	r->faulted = false;
	r->have = 0;
	r->where = etrace_event_where[ev];
	r->error = 0;
}

/*
 * etrace_clear_<event>() - no value of the event is there yet: whoever reads the record
 * gets all of them. Stores one by one, as compilers take a slow memset() for some structs.
 */
#define EVENT(ID, id, name, category, where, doc)			\
static inline void etrace_clear_##id(struct etrace_rec *r)		\
{									\
	__maybe_unused typeof(r->id) *v = &r->id;			\

#define VALUE(ID, id, type, name, means, given)	v->id = 0;
#define END_EVENT(ID, id) }
#include "etrace_events.def"

/* etrace_rec.string.state: how a piece lies in its string. */
#define ETRACE_PIECE_CONT	1	/* begins behind a newline */
#define ETRACE_PIECE_OPEN	2	/* the next piece begins behind a newline */
#define ETRACE_PIECE_LAST	4	/* ends the string */

#define ETRACE_PART_MAX		900	/* bytes in a part, by the line format */

#define ETRACE_ONES		(~0UL / 0xff)	/* 0x01 in every byte */
#define ETRACE_TOPS		(ETRACE_ONES << 7)

/*
 * No bit of ETRACE_TOPS is set: none of the bytes of @v is a newline; one is set: one of
 * them may be. The other bits say nothing.
 */
static __always_inline unsigned long etrace_newlines(unsigned long v)
{
	v ^= ETRACE_ONES * '\n';
	return (v - ETRACE_ONES) & ~v;
}

/* The same of @len bytes. The last word overlaps the one before. */
static inline unsigned long etrace_newlines_in(const char *s, u32 len)
{
	const char *last = s + len - sizeof(unsigned long);
	unsigned long nl = 0, v;

	if (len < sizeof(v)) {
		while (len--)
			nl |= etrace_newlines(*s++);
		return nl;
	}
	for (; s < last; s += sizeof(v)) {
		memcpy(&v, s, sizeof(v));
		nl |= etrace_newlines(v);
	}
	memcpy(&v, last, sizeof(v));
	return nl | etrace_newlines(v);
}

/* Copies the first and the last @type of @n bytes, which may overlap. */
#define ETRACE_COPY_ENDS(type, dst, src, n)				\
	do {								\
		type first, last;					\
									\
		memcpy(&first, src, sizeof(type));			\
		memcpy(&last, (src) + (n) - sizeof(type), sizeof(type)); \
		memcpy(dst, &first, sizeof(type));			\
		memcpy((dst) + (n) - sizeof(type), &last, sizeof(type)); \
	} while (0)

/**
 * etrace_copy - copy a short string, a word at a time
 * @dst: to where
 * @src: from where
 * @n: bytes, not 0
 */
static __always_inline void etrace_copy(char *dst, const void *src, u32 n)
{
	u32 i;

	if (n >= sizeof(u64)) {
		for (i = sizeof(u64); i + sizeof(u64) < n; i += sizeof(u64))
			memcpy(dst + i, src + i, sizeof(u64));
		ETRACE_COPY_ENDS(u64, dst, src, n);
	} else if (n >= sizeof(u32)) {
		ETRACE_COPY_ENDS(u32, dst, src, n);
	} else if (n >= sizeof(u16)) {
		ETRACE_COPY_ENDS(u16, dst, src, n);
	} else {
		*dst = *(const char *)src;
	}
}

/*
 * Lines that may be printed from one record, see emit.c; each takes 1 ns. Far
 * below what writing a record takes, so that times stay those of the clock.
 */
#define ETRACE_LINES_MAX	64

/*
 * Names of variables are looked up by hash first: nearly none of an environment are in a
 * list, and few enough others have the hash of one that is.
 */
#define ETRACE_ENV_HASHES	8192

/**
 * etrace_env_hash - the hash of a variable's name
 * @var: "NAME=value", or "NAME"
 * @max: bytes of @var
 * @len: set to the bytes of the name
 *
 * Return: below ETRACE_ENV_HASHES.
 */
static inline u32 etrace_env_hash(const char *var, u32 max, u32 *len)
{
	u32 n, hash = 0;

	for (n = 0; n < max && var[n] != '='; n++)
		hash = hash * 31 + (u8)var[n];
	*len = n;
	return hash % ETRACE_ENV_HASHES;
}

/**
 * struct etrace_session - a trace: who it is for, and where it goes
 * @owner: whose own processes it traces, and no others; NULL: anybody's
 * @fire: the events are fired as trace events, for everybody who has enabled
 *	them; else they are written to the session's own buffer only. Only
 *	the session of the parameter root_pid does so
 * @comm: changes of thread names are recorded
 * @record: what it records on request, bit by bit, ETRACE_SESSION_*
 * @keep_env: variables that are recorded as they are, whatever they look like;
 *	names with commas between them
 * @env_listed: of environments only the variables of @keep_env are recorded, and
 *	what looks secret in them is hidden
 * @env_names: hashes of their names, a bit each
 * @tracing: tasks may be added
 * @tr: of root_pid's session, the ftrace instance; NULL: the top level
 * @buffer: the ring buffer: the instance's, or the session's own
 * @files: the trace events that go there
 * @counts: what was recorded and lost
 * @seq: sequence number of the latest upid
 * @tasks: tasks that are traced now
 * @idle: woken when @tasks gets 0
 * @instance: name of root_pid's instance, empty: the top level
 */
struct etrace_session {
	const struct cred *owner;
	bool fire;
	bool comm;
	u8 record;
	char keep_env[ETRACE_KEEP_ENV_MAX];
	bool env_listed;
	DECLARE_BITMAP(env_names, ETRACE_ENV_HASHES);
	bool tracing;
	struct trace_array *tr;
	struct trace_buffer *buffer;
	struct trace_event_file *files[ETRACE_NR_EV];
	struct etrace_counts __percpu *counts;
	atomic64_t seq;
	atomic_t tasks;
	wait_queue_head_t idle;
	char instance[64];
};

/**
 * etrace_session_wants - is an event for this session?
 * @s: the session
 * @where: of the event
 *
 * Not everything is for root_pid's trace: the line format, in which it is read,
 * does not define it. The reader of another session knows it all.
 */
static inline bool etrace_session_wants(const struct etrace_session *s, u8 where)
{
	if (where <= ETRACE_WHERE_EXTENDED)
		return !where || !s->fire || etrace_extended;
	return s->record & BIT(where) && (!s->fire || etrace_extended);
}

#endif /* ETRACE_H */
