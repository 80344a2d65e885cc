/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Shared by all parts of the module: a record on its way into the ring buffer,
 * and the session it is for.  Each file has its own header and may include only
 * headers on its own level or below (tools/testing/rooms):
 *
 *	main
 *	counters, session
 *	probes			tracepoints
 *	uring, uring_ops	operations of io_uring
 *	calls, calls_*		what is recorded of a call, one file for each kind of calls
 *	call, hooks		shared by handlers; names that the kernel has resolved
 *	life			records of tasks: born, exec, exit, joining
 *	env			the environment of a program
 *	emit, target
 *	cgroup			tracing all tasks of a cgroup
 *	output, table		writing records; the table of system calls
 *	task, process, print	the traced tasks; state shared by threads; printing lines
 *	adopt, rights		tracing running tasks; what a session's owner may see
 *	hold, capture, uses	names of a call in progress; strings; uses of descriptors
 *	printed			output of processes to descriptors 1 and 2
 *	cost			resources that a process used
 *	return_work, counts, schema	work on return to user space; counters; events
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

/* On arm64, <linux/logic_pio.h> defines a macro inl, which is a field name here. */
#undef inl

struct trace_array;
struct trace_buffer;
struct trace_event_file;
struct etrace_counts;

/**
 * struct etrace_str - a string of a record
 * @s: the bytes, without a NUL at the end; NULL if the record has none
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
 *	separate records
 * @more: records follow this one
 * @joined: bit i: @str[i] is a directory's path followed by the user's string, not
 *	a name that the kernel has resolved
 * @unread: bit i: @str[i] could not be read
 * @cut: bit i: @str[i] is truncated
 * @untold: bit i: it is unknown whether @str[i] exists: only a file system could answer that
 * @marks: the four fields above as one number, to test whether any bit is set
 * @outside: bit i: @str[i] is not a path from the task's root directory, but from
 *	the top of a mount that is not below that directory
 * @plain: bit i: @str[i] is known to have no newline and at most ETRACE_PLAIN_MAX
 *	bytes, or does not exist; ETRACE_PLAIN if that is true of all
 * @faulted: something could not be read because its page is not in memory
 * @where: which sessions get the record, ETRACE_WHERE_*
 * @file: event file of the session's buffer, to check whether the record arrived there
 * @buffer: the session's ring buffer
 * @written: the record arrived in @file
 * @have: bit i: value i of the event, an optional one (MAY), is present
 * @string: a piece of a string that did not fit into its event's record
 * @args: a piece of an argument list
 * @lost: how many records of the task were lost
 *
 * Probes keep it on the stack, so only the fields that an event uses are filled in.
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
	/* The values of the event, one struct for each kind of event. */
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
 * etrace_clear_<event>() - set all values of an event to 0, since readers of the record
 * get all of them. One store for each: compilers use a slow memset() for some structs.
 */
#define EVENT(ID, id, name, category, where, doc)			\
static inline void etrace_clear_##id(struct etrace_rec *r)		\
{									\
	__maybe_unused typeof(r->id) *v = &r->id;			\

#define VALUE(ID, id, type, name, means, given)	v->id = 0;
#define END_EVENT(ID, id) }
#include "etrace_events.def"

/* etrace_rec.string.state: the position of a piece in its string. */
#define ETRACE_PIECE_CONT	1	/* begins after a newline */
#define ETRACE_PIECE_OPEN	2	/* the next piece begins after a newline */
#define ETRACE_PIECE_LAST	4	/* ends the string */

#define ETRACE_PART_MAX		900	/* bytes in a part of a line */

#define ETRACE_ONES		(~0UL / 0xff)	/* 0x01 in every byte */
#define ETRACE_TOPS		(ETRACE_ONES << 7)

/*
 * Returns 0 in the bits of ETRACE_TOPS if no byte of @v is a newline; if one of these bits is
 * set, there may be a newline. The other bits have no meaning.
 */
static __always_inline unsigned long etrace_newlines(unsigned long v)
{
	v ^= ETRACE_ONES * '\n';
	return (v - ETRACE_ONES) & ~v;
}

/* Like etrace_newlines(), for @len bytes. The last word may overlap the one before. */
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
 * @dst: destination
 * @src: source
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
 * Maximum lines printed from one record, see emit.c; each line adds 1 ns to the time.
 * Writing a record takes far longer, so times stay those of the clock.
 */
#define ETRACE_LINES_MAX	64

/*
 * Names of variables are first looked up by hash: few variables of an environment are
 * listed, and few others have the hash of a listed one.
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
 * struct etrace_session - a trace: its owner, options and buffer
 * @owner: only processes with these credentials are traced; NULL: all processes
 * @fire: fire the events as trace events, for every ftrace instance that has enabled
 *	them; else write them to the session's own buffer only. True only for
 *	the session of the parameter root_pid
 * @comm: record changes of thread names
 * @record: optional events to record, a mask of BIT(ETRACE_WHERE_*)
 * @keep_env: variables to record unchanged even if they look secret;
 *	names separated by commas
 * @env_listed: record only the variables of @keep_env, and hide what looks
 *	secret in them
 * @env_names: hashes of the names in @keep_env, one bit each
 * @tracing: tasks may be added
 * @tr: ftrace instance of root_pid's session, NULL for the top level
 * @buffer: the ring buffer: the instance's, or the session's own
 * @files: the event files of @buffer
 * @counts: counters of recorded and lost records
 * @seq: sequence number of the latest upid
 * @tasks: number of tasks traced now
 * @idle: woken when @tasks becomes 0
 * @instance: name of root_pid's instance, empty for the top level
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
 * @where: ETRACE_WHERE_* of the event
 *
 * root_pid's trace is read in the line format, which does not define all events
 * unless the parameter extended is set. Readers of other sessions know all events.
 */
static inline bool etrace_session_wants(const struct etrace_session *s, u8 where)
{
	if (where <= ETRACE_WHERE_EXTENDED)
		return !where || !s->fire || etrace_extended;
	return s->record & BIT(where) && (!s->fire || etrace_extended);
}

#endif /* ETRACE_H */
