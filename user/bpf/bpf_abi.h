/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the BPF programs (user/bpf) send, and what they are told: shared by
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

/* What kind of record it is, and what the numbers in val[] mean. */
enum eb_kind {
	EB_NONE,
	EB_EXEC,	/* bytes of the arguments that the kernel has; str[2]
			 * is followed by what could be read of them
			 */
	EB_CLONE,	/* flags, upid of the child, whether there are flags */
	EB_EXIT,	/* status, signal, core */
	EB_OPEN,	/* fd, flags, mode */
	EB_CLOSE,	/* fd */
	EB_CLOSE_RANGE,	/* nothing; what was closed came with EB_HOLD */
	EB_DUP,		/* old fd, new fd, flags */
	EB_PIPE,	/* fd, fd, flags */
	EB_URING,	/* fd */
	EB_RENAME,	/* flags, whether the call has flags */
	EB_LINK,	/* the same */
	EB_SYMLINK,	/* behind its strings: struct eb_maker */
	EB_MOUNT,	/* flags */
	EB_UMOUNT,	/* flags */
	EB_COMM,	/* upid of the thread */
	EB_PART,	/* bytes of the event that follows */
	EB_HOLD,	/* of a hook (val[0]), in the middle of a call: strings
			 * that the call's own record refers to. close_range:
			 * val[1] is a descriptor, the bytes are a bitmap of
			 * the open ones from there on
			 */
	EB_NR_KIND
};

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
#define EB_NR_VAL	3

struct eb_rec {
	__u64 upid;		/* the task that made the call */
	__u64 time;		/* CLOCK_MONOTONIC, ns */
	__u64 lost_since;	/* time of the first of the lost */
	__u32 cpu;
	__s32 error;		/* positive errno of a call that failed, else 0 */
	__u32 lost;		/* events of the task lost before this one */
	__u8 kind;		/* enum eb_kind */
	__u8 flags;
	__u16 pad;
	__s64 val[EB_NR_VAL];
	struct eb_str str[EB_NR_STR];
	__u32 pad2;
};

/* ---- the table of system calls, as the programs have it ---- */

enum eb_record {
	EB_R_NONE,
	EB_R_EXEC, EB_R_FORK, EB_R_VFORK, EB_R_CLONE, EB_R_OPEN, EB_R_CLOSE,
	EB_R_CLOSE_RANGE, EB_R_DUP, EB_R_FCNTL, EB_R_PIPE, EB_R_RENAME,
	EB_R_LINK, EB_R_SYMLINK, EB_R_MOUNT, EB_R_UMOUNT, EB_R_URING,
};

enum eb_hook {
	EB_H_NONE,
	EB_H_BPRM_CHECK, EB_H_CLOSE_RANGE, EB_H_PATH_RENAME, EB_H_PATH_LINK,
	EB_H_PATH_SYMLINK, EB_H_SB_MOUNT, EB_H_SB_UMOUNT,
	EB_NR_HOOK
};

enum eb_arg {
	EB_A_SKIP,
	EB_A_DIRFD, EB_A_PATH, EB_A_DIRFD2, EB_A_PATH2, EB_A_TARGET,
	EB_A_SOURCE, EB_A_TYPE, EB_A_FLAGS, EB_A_MODE, EB_A_FD, EB_A_FD2,
	EB_A_STRUCT,
	EB_NR_ARG
};

#define EB_FDS_MAX	(1u << 27)	/* descriptors that close_range tells of */
#define EB_MAX_NR	512	/* system call numbers looked at, per ABI */
#define EB_MAX_ROWS	64

struct eb_row {
	__u8 record;		/* enum eb_record; calls that fail: see syscalls */
	__u8 hook;		/* enum eb_hook */
	__u8 at[EB_NR_ARG];	/* 1 + place of the argument with a role */
};

/* In the place of a process id, to the iterator: trace no task any more. */
#define EB_RELEASE	(-1)

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
	X(lost_fds)		/* close_range without its descriptors */ \
	X(strings_joined)						\
	X(strings_unread)						\
	X(strings_cut)

struct eb_counts {
#define X(name) __u64 name;
	EB_COUNTERS(X)
#undef X
};

#endif
