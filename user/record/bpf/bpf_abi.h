/* SPDX-License-Identifier: GPL-2.0 OR LGPL-2.1 */
/*
 * The records that the BPF programs (user/record/bpf) send, and their settings: shared
 * by the programs, their loader and the reader of their records (bpf_rec.c).
 *
 * One event is one record.  If its strings do not fit, parts (EB_PART) precede it.
 * Each struct eb_rec is followed by bytes.  The bytes of the parts and of the event, in
 * the order of arrival, are one stream.  It contains the strings one after the other,
 * str[0] first: the text of the string, then its path, from the last component to the
 * first, each followed by a '/'.
 */
#ifndef ETRACE_BPF_ABI_H
#define ETRACE_BPF_ABI_H

#include <linux/types.h>

/*
 * Kind of a record: an event of etrace_events.def, or
 *
 * EB_CLOSE_RANGE	val[]: the first and the last descriptor; an EB_HOLD before it
 *			says which of them were open
 * EB_USES		struct eb_use, one for each descriptor from 0 on; val[0]:
 *			EB_USES_*
 * EB_PART		bytes of the event that follows
 * EB_HOLD		sent by a hook (val[0]) in the middle of a call: strings that
 *			the call's own record refers to. close_range: val[1] is a
 *			descriptor, the bytes are a bitmap of the open descriptors
 *			from there on
 *
 * The strings of EB_EXEC and EB_JOIN are followed by the part of the arguments that could
 * be read, those of EB_SYMLINK by struct eb_maker. EB_ENV has no strings; it is followed by
 * the part of the environment that could be read.
 */
enum eb_kind {
	EB_NONE,
#define EVENT(ID, id, name, category, where, doc) EB_##ID,
#include "kernel/etrace_events.def"
	EB_CLOSE_RANGE,
	EB_USES,
	EB_PART,
	EB_HOLD,
	EB_NR_KIND
};

/*
 * Index of an event's value in eb_rec.val: EB_V_OPEN_flags, EB_V_OPEN_mode, ... in the
 * order of the table. The value of an argument list is its size in bytes in the kernel.
 * EB_NR_V_OPEN: number of values.
 */
#define EVENT(ID, id, name, category, where, doc) enum {
#define ARGS(ID, id, TAG, name) EB_V_##ID##_##id,
#define VALUE(ID, id, type, name, means, given) EB_V_##ID##_##id,
#define END_EVENT(ID, id) EB_NR_V_##ID };
#include "kernel/etrace_events.def"

/* Index of an event's string in eb_rec.str: EB_STR_OPEN_name, ... */
#define EVENT(ID, id, name, category, where, doc) enum {
#define STRING(ID, id, TAG, name) EB_STR_##ID##_##id,
#define END_EVENT(ID, id) EB_NR_STR_##ID };
#include "kernel/etrace_events.def"

/* Bits of eb_rec.flags. */
#define EB_FIRST	1u	/* EB_PART, EB_HOLD: the first; discard earlier ones */
#define EB_ARGS_UNREAD	2u	/* a structure or the arguments could not be read */

/* eb_str.form: what a string is made of. */
enum eb_form {
	EB_S_NONE,		/* the event does not have it */
	EB_S_TEXT,		/* its text */
	EB_S_PATH,		/* its path */
	EB_S_CHILD,		/* path and text, with exactly one '/' between them */
	EB_S_JOIN,		/* path, '/' and text, all unchanged */
	EB_S_HELD,		/* string @arg of the latest EB_HOLD */
	EB_S_SAME,		/* equal to str[0] */
	EB_S_SPECIAL,		/* struct eb_special, then the entry's name */
	EB_S_ADDRESS,		/* its text is a struct sockaddr, see kernel/etrace_address.h */
	EB_S_BYTES,		/* its text, including NULs */
};

/* Bits of eb_str.mark. */
#define EB_DELETED	1u	/* the path is of an unlinked file */
#define EB_JOINED	2u	/* not a name that the kernel has resolved */
#define EB_UNREAD	4u	/* could not be read */
#define EB_CUT		8u	/* truncated: the limits are in Documentation/bpf.md */
#define EB_OUTSIDE	16u	/* the path does not begin in the task's root directory */
#define EB_UNTOLD	32u	/* set by the reader: EB_TARGET_UNTOLD */

struct eb_str {
	__u8 form;
	__u8 mark;
	__u8 arg;
	__u8 pad;
	__u32 text;		/* bytes of its text in the stream */
	__u32 path;		/* bytes of its path in the stream */
};

/* A file without a path: its file system makes up the name. */
struct eb_special {
	__u64 magic;		/* magic number of the file system */
	__u64 ino;
	char ns[16];		/* nsfs: kind of the namespace */
};

/*
 * The task that made a symbolic link.  With this, the reader can look up the link's
 * target as that task would have, even if the task has ended by then.  @ngroups group
 * ids of 4 bytes follow it.
 */
struct eb_maker {
	__u64 caps;		/* effective ones; 0 outside of the first user namespace */
	__u64 dir_ino;		/* inode of the link's directory */
	__u64 root_ino;		/* inode of the maker's root directory */
	__u32 fsuid, fsgid;
	__u32 ngroups;		/* EB_GROUPS_UNREAD if unknown */
	__s32 pid, tgid, parent; /* in the reader's pid namespace; 0 if not visible there */
	__u32 flags;
	__s32 dir_mount;	/* id of the directory's mount, negative if unknown */
	__s32 root_mount;
	__u32 pad;
};

/* Bits of eb_maker.flags. */
#define EB_OTHER_ROOT	1u	/* "/" is another directory than the reader's */
#define EB_OTHER_PIDS	2u	/* in another pid namespace than the reader */

#define EB_GROUPS_MAX	1024u
#define EB_GROUPS_UNREAD (~0u)

#define EB_NR_STR	3
#define EB_NR_VAL	12

struct eb_rec {
	__u64 upid;		/* the task that made the call */
	__u64 time;		/* CLOCK_MONOTONIC, ns */
	__u64 lost_since;	/* time of the first lost event, in ns */
	__u32 cpu;
	__s32 error;		/* positive errno of a call that failed, else 0 */
	__u32 lost;		/* events of the task lost before this one */
	__u8 kind;		/* enum eb_kind */
	__u8 flags;
	__u16 have;		/* bit i: val[i] is present; used only for MAY values */
	__s64 val[EB_NR_VAL];
	struct eb_str str[EB_NR_STR];
	__u32 pad2;
};

#define EVENT(ID, id, name, category, where, doc)				\
	_Static_assert(EB_NR_V_##ID <= EB_NR_VAL && EB_NR_STR_##ID <= EB_NR_STR,	\
		       "an event has no room in its record");
#include "kernel/etrace_events.def"

/* ---- the programs' table of system calls ---- */

enum eb_record {
	EB_R_NONE,
#define ETRACE_RECORD(ID, id, recorded, where) EB_R_##ID,
#include "kernel/etrace_syscalls.def"
};

enum eb_hook {
#define ETRACE_HOOK(id) EB_H_##id,
#include "kernel/etrace_syscalls.def"
	EB_H_RING,	/* an open or a statx that a ring makes */
	EB_NR_HOOK
};

enum eb_arg {
#define ETRACE_ROLE(id) EB_A_##id,
#include "kernel/etrace_syscalls.def"
	EB_NR_ARG
};

#define EB_SOCKADDR_MAX	128u	/* bytes of a socket's address */
#define EB_FDS_MAX	(1u << 27)	/* descriptors reported for a close_range */
#define EB_MAX_NR	1024	/* maximum system call number, per ABI */
#define EB_MAX_ROWS	256
#define EB_MAX_RING	64	/* operations of an io_uring */
#define EB_RING_UNSEEN	255	/* instead of a row: the operation is only counted */

/* Whether a traced task has an io_uring. */
enum eb_has_ring {
	EB_RING_NONE,
	EB_RING_NEW,		/* the reader has yet to load the programs for rings */
	EB_RING_TAKEN,		/* the reader has handled it */
};

struct eb_row {
	__u8 record;		/* enum eb_record */
	__u8 recorded;		/* ETRACE_RECORDED_* of etrace_rules.h */
	__u8 hook;		/* enum eb_hook */
	__u8 at[EB_NR_ARG];	/* by role: 1 + index of the argument, 0 if none */
};

/* Commands to the iterator, in root_pid instead of a process id: */
#define EB_RELEASE	(-1)	/* stop tracing all tasks */
#define EB_RECORD		(-2)	/* tracing has ended: record the uses not yet recorded */
#define EB_CGROUPS	(-3)	/* trace the tasks in the cgroups */

/*
 * How a program used a descriptor: entry i of an EB_USES record is for descriptor i.
 */
struct eb_use {
	__u64 read, wrote;	/* bytes */
	union {
		__u64 size;	/* size of a written file after the last write, bytes */
		__u64 user;	/* for a socket: thread that used it last, 0 if none */
	};
	__s64 mtime;		/* mtime of a written file, ns since 1970 */
	__u8 did_read;		/* EB_HEARD: a socket, and every read is checked for a turn */
	__u8 did_write;
	__u8 is_file;		/* a regular file: size and mtime are known */
	__u8 no_file;		/* not a regular file */
	__u8 not_copied;	/* it wrote data that no Copy event reports */
	/* Last copies: 1 + the descriptor read from, 1 + the one written to; 0 if none. */
	__u8 from, to;
	__u8 turns;		/* for a socket: times that its uses were recorded while open */
};

#define EB_HEARD		2

#define EB_USES_MAX	128u	/* descriptors whose uses are kept */
#define EB_USES_GROUP	16u

/* What the reader does with an EB_USES record, val[0]. */
#define EB_USES_RECORD	0	/* turns each into an event of the kind use */
#define EB_USES_KEEP	1	/* keeps them: the EB_CLOSE_RANGE that follows closes some */
#define EB_USES_EXEC	2	/* an execve closes the descriptors that came with EB_HOLD */

#define EB_CGROUPS_MAX	16	/* cgroups of a session */

/* A traced task, as the iterator lists it. */
struct eb_task {
	__u64 upid;
	__s32 pid, tgid;	/* in the reader's pid namespace; 0: not visible there */
};

/* ---- counters ---- */

#define EB_COUNTERS(X)							\
	X(events)		/* events sent, without EB_HOLD and EB_PART */ \
	X(lost_records)		/* events not sent: ring buffer full */	\
	X(lost_tasks)		/* tasks that cannot be traced: no memory */ \
	X(lost_fds)		/* calls whose descriptors are not all known */ \
	X(rings_unseen)		/* requests of io_urings that are not recorded */ \
	X(strings_joined)						\
	X(strings_unread)						\
	X(strings_cut)

struct eb_counts {
#define X(name) __u64 name;
	EB_COUNTERS(X)
#undef X
};

#endif
