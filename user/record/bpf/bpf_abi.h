/* SPDX-License-Identifier: GPL-2.0 OR LGPL-2.1 */
/*
 * What the BPF programs (user/record/bpf) send, and what they are told: shared by
 * them, by their loader and by the reader of their records (bpf_rec.c).
 *
 * One event is one record, preceded by parts where its strings have no room
 * in it.  Behind each struct eb_rec lie bytes; those of the parts and of the
 * event, in the order in which they came, are one stream that holds the
 * strings one after the other, str[0] first: of each its text, then its path,
 * from the last component to the first, with a '/' behind each.
 */
#ifndef ETRACE_BPF_ABI_H
#define ETRACE_BPF_ABI_H

#include <linux/types.h>

/*
 * What kind of record it is: an event of etrace_events.def, or
 *
 * EB_CLOSE_RANGE	val[]: the first and the last descriptor; what was closed
 *			of them came with EB_HOLD
 * EB_USES		struct eb_use, one for each descriptor from 0 on; val[0]:
 *			EB_USES_*
 * EB_PART		bytes of the event that follows
 * EB_HOLD		of a hook (val[0]), in the middle of a call: strings that
 *			the call's own record refers to. close_range: val[1] is a
 *			descriptor, the bytes are a bitmap of the open ones from
 *			there on
 *
 * Behind the strings of EB_EXEC and EB_JOIN lies what could be read of the arguments, behind
 * those of EB_SYMLINK struct eb_maker. EB_ENV has no strings, but behind it what could
 * be read of the environment.
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
 * Where a value of an event lies in eb_rec.val: EB_V_OPEN_flags, EB_V_OPEN_mode,
 * ... in the order of the table; of an argument list, the bytes that the kernel
 * has of it. EB_NR_V_OPEN: how many there are.
 */
#define EVENT(ID, id, name, category, where, doc) enum {
#define ARGS(ID, id, TAG, name) EB_V_##ID##_##id,
#define VALUE(ID, id, type, name, means, given) EB_V_##ID##_##id,
#define END_EVENT(ID, id) EB_NR_V_##ID };
#include "kernel/etrace_events.def"

/* Where a string of an event lies in eb_rec.str: EB_STR_OPEN_name, ... */
#define EVENT(ID, id, name, category, where, doc) enum {
#define STRING(ID, id, TAG, name) EB_STR_##ID##_##id,
#define END_EVENT(ID, id) EB_NR_STR_##ID };
#include "kernel/etrace_events.def"

/* eb_rec.flags */
#define EB_FIRST	1u	/* EB_PART, EB_HOLD: forget what came before */
#define EB_ARGS_UNREAD	2u	/* a structure or the arguments: a read failed */

/* eb_str.form: what a string is made of. */
enum eb_form {
	EB_S_NONE,		/* the event does not have it */
	EB_S_TEXT,		/* its text */
	EB_S_PATH,		/* its path */
	EB_S_CHILD,		/* path / text, one '/' between them */
	EB_S_JOIN,		/* path, '/' and text, whatever they are */
	EB_S_HELD,		/* string @arg of the latest EB_HOLD */
	EB_S_SAME,		/* as str[0] */
	EB_S_SPECIAL,		/* struct eb_special, then the entry's name */
	EB_S_ADDRESS,		/* its text is a struct sockaddr, as kernel/etrace_address.h has it */
	EB_S_BYTES,		/* its text, null bytes included */
};

/* eb_str.mark */
#define EB_DELETED	1u	/* the path is of an unlinked file */
#define EB_JOINED	2u	/* not a name that the kernel has resolved */
#define EB_UNREAD	4u	/* could not be read */
#define EB_CUT		8u	/* not whole: the limits of Documentation/bpf.md */
#define EB_OUTSIDE	16u	/* no path from the task's root directory */
#define EB_UNTOLD	32u	/* the reader's: not to be told without asking somebody */

struct eb_str {
	__u8 form;
	__u8 mark;
	__u8 arg;
	__u8 pad;
	__u32 text;		/* bytes of its text in the stream */
	__u32 path;		/* bytes of its path there */
};

/* A file whose name its file system makes up. */
struct eb_special {
	__u64 magic;		/* of the file system */
	__u64 ino;
	char ns[16];		/* nsfs: kind of the namespace */
};

/*
 * Who made a symbolic link, for looking its target up as the maker would have:
 * the reader does that later, when the maker may be gone.  Behind it lie
 * @ngroups group ids, 4 bytes each.
 */
struct eb_maker {
	__u64 caps;		/* effective, in the first user namespace */
	__u64 dir_ino;		/* of the directory that the link was made in */
	__u64 root_ino;		/* of the maker's root directory */
	__u32 fsuid, fsgid;
	__u32 ngroups;		/* EB_GROUPS_UNREAD: nobody knows them */
	__s32 pid, tgid, parent; /* as the reader numbers them; 0: it cannot */
	__u32 flags;
	__s32 dir_mount;	/* number of its mount; negative: nobody has seen it */
	__s32 root_mount;
	__u32 pad;
};

/* eb_maker.flags */
#define EB_OTHER_ROOT	1u	/* "/" is another directory than the reader's */
#define EB_OTHER_PIDS	2u	/* in another pid namespace than the reader */

#define EB_GROUPS_MAX	1024u
#define EB_GROUPS_UNREAD (~0u)

#define EB_NR_STR	3
#define EB_NR_VAL	12

struct eb_rec {
	__u64 upid;		/* the task that made the call */
	__u64 time;		/* CLOCK_MONOTONIC, ns */
	__u64 lost_since;	/* time of the first of the lost */
	__u32 cpu;
	__s32 error;		/* positive errno of a call that failed, else 0 */
	__u32 lost;		/* events of the task lost before this one */
	__u8 kind;		/* enum eb_kind */
	__u8 flags;
	__u16 have;		/* bit i: val[i] is there; only of values that MAY be */
	__s64 val[EB_NR_VAL];
	struct eb_str str[EB_NR_STR];
	__u32 pad2;
};

#define EVENT(ID, id, name, category, where, doc)				\
	_Static_assert(EB_NR_V_##ID <= EB_NR_VAL && EB_NR_STR_##ID <= EB_NR_STR,	\
		       "an event has no room in its record");
#include "kernel/etrace_events.def"

/* ---- the table of system calls, as the programs have it ---- */

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
#define EB_FDS_MAX	(1u << 27)	/* descriptors that close_range tells of */
#define EB_MAX_NR	512	/* system call numbers looked at, per ABI */
#define EB_MAX_ROWS	256
#define EB_MAX_RING	64	/* what a ring can be asked for */
#define EB_RING_UNSEEN	255	/* in the place of a row */

/* Whether a traced task has an io_uring. */
enum eb_has_ring {
	EB_RING_NONE,
	EB_RING_NEW,		/* the reader is to see to it */
	EB_RING_TAKEN,		/* it has */
};

struct eb_row {
	__u8 record;		/* enum eb_record */
	__u8 recorded;		/* ETRACE_RECORDED_* of etrace_rules.h */
	__u8 hook;		/* enum eb_hook */
	__u8 at[EB_NR_ARG];	/* 1 + place of the argument with a role */
};

/* In the place of a process id, to the iterator: */
#define EB_RELEASE	(-1)	/* trace no task any more */
#define EB_TELL		(-2)	/* nothing more comes: tell what was done and not told */
#define EB_CGROUPS	(-3)	/* trace who is in the cgroups */

/*
 * What a program did by a descriptor: the i-th in a record EB_USES tells of
 * descriptor i.
 */
struct eb_use {
	__u64 read, wrote;	/* bytes */
	union {
		__u64 size;	/* of a file that it wrote, behind the last write */
		__u64 user;	/* of a socket, the thread that used it last; 0: none did */
	};
	__s64 mtime;		/* when that was changed, ns since 1970 */
	__u8 did_read;		/* EB_HEARD: a socket, each read of which is looked at */
	__u8 did_write;
	__u8 is_file;		/* a regular one: size and mtime are known */
	__u8 no_file;		/* it is none */
	__u8 not_copied;	/* not all that it wrote was a copy that a Copy tells of */
	/* Of the last such copies, 1 + the descriptor read, and the one written; 0: none. */
	__u8 from, to;
	__u8 turns;		/* of a socket, how often it was told while it was open */
};

#define EB_HEARD		2

#define EB_USES_MAX	128u	/* descriptors that are remembered */
#define EB_USES_GROUP	16u

/* What becomes of an EB_USES, val[0]. */
#define EB_USES_TELL	0	/* events of the kind use */
#define EB_USES_KEEP	1	/* the EB_CLOSE_RANGE that follows closes some */
#define EB_USES_EXEC	2	/* an execve closes those that came with EB_HOLD */

#define EB_CGROUPS_MAX	16	/* of a session */

/* A traced task, as the iterator lists it. */
struct eb_task {
	__u64 upid;
	__s32 pid, tgid;	/* in the reader's pid namespace; 0: not visible there */
};

/* ---- counters ---- */

#define EB_COUNTERS(X)							\
	X(events)		/* sent, EB_HOLD and EB_PART not counted */ \
	X(lost_records)		/* events not sent: ring buffer full */	\
	X(lost_tasks)		/* tasks that cannot be traced: no memory */ \
	X(lost_fds)		/* calls of which not all descriptors are known */ \
	X(rings_unseen)		/* requests of io_urings that are not seen */ \
	X(strings_joined)						\
	X(strings_unread)						\
	X(strings_cut)

struct eb_counts {
#define X(name) __u64 name;
	EB_COUNTERS(X)
#undef X
};

#endif
