/* SPDX-License-Identifier: GPL-2.0 */
/* A call that has just ended, and helpers for its handlers, like the module's call.h. */
#ifndef ETRACE_CALL_BPF_H
#define ETRACE_CALL_BPF_H

#include "record/bpf/maker.bpf.h"
#include "record/bpf/strings.bpf.h"

#include <linux/close_range.h>
#include <linux/errno.h>
#include <linux/fcntl.h>
#include <linux/net.h>
#include <linux/sched.h>

#define SIGKILL		9
#define SIGSEGV		11
#define SIGCHLD		17u
#define S_IFMT		0170000u
#define S_IFIFO		0010000u

#include "kernel/etrace_rules.h"

/**
 * struct call - a call that has just ended
 * @r: the record that is being filled in, part of @s
 * @row: table row of the call
 * @held: a hook has kept its names
 */
struct call {
	struct scratch *s;
	struct eb_rec *r;
	struct task_struct *task;
	struct slot *t;
	s64 ret;
	u32 row;
	bool held;
};

static __always_inline u64 call_arg(const struct call *c, enum eb_arg role, u64 absent)
{
	return row_arg(c->s, c->row, role, absent);
}

/* Captures the path that the caller passed, if no hook has sent the name. */
static __always_inline void want_join(struct scratch *s, u32 i, u32 row, enum eb_arg dirfd,
				      enum eb_arg path)
{
	want_string(s, i, W_JOIN, row_arg(s, row, dirfd, AT_FDCWD), row_arg(s, row, path, 0));
	s->want[i].joined = 1;
}

/* Marks a record: a structure or numbers that the call points to could not be read. */
static __always_inline void args_unread(struct scratch *s)
{
	s->rec.flags |= EB_ARGS_UNREAD;
	s->counts.strings_unread++;
}

#define BY_PATH	(1ll << 32)	/* passed instead of a descriptor: the name is a path */

/*
 * Captures the only name of a record: from the hook; else from the descriptor @fd if that
 * is open; else from the caller's memory.
 */
static __always_inline bool one_name(const struct call *c, s64 fd)
{
	if (c->held)
		want_string(c->s, 0, W_HELD, 0, 0);
	else if (fd != BY_PATH && (c->ret >= 0 || fd_file(c->task, fd)))
		want_string(c->s, 0, W_FD, fd, 0);
	else if (fd != BY_PATH)
		return true;
	else if (c->ret >= 0 || !etrace_failed_look_up(c->ret))
		want_join(c->s, 0, c->row, EB_A_DIRFD, EB_A_PATH);
	return true;
}

/* Identifies a file, with its current size and time: four values from @at on. */
static __always_inline void identify_inode(struct scratch *s, u32 at, struct inode *inode)
{
	_Static_assert(EB_V_OPEN_ino == EB_V_OPEN_dev + 1 && EB_V_OPEN_size == EB_V_OPEN_dev + 2 &&
		       EB_V_OPEN_mtime == EB_V_OPEN_dev + 3 &&
		       EB_V_EXEC_ino == EB_V_EXEC_dev + 1 && EB_V_EXEC_size == EB_V_EXEC_dev + 2 &&
		       EB_V_EXEC_mtime == EB_V_EXEC_dev + 3, "in this order");
	bool low = INODE_AT(i_sb) + 8 <= mtime_end() && INODE_AT(i_ino) + 8 <= mtime_end();
	u64 part[16];
	struct super_block *sb;
	u32 dev;

	if (!low || !read_inode(part, sizeof(part), 0, inode)) {
		sb = BPF_CORE_READ(inode, i_sb);
		put_val(s, at + 1, BPF_CORE_READ(inode, i_ino));
		put_val(s, at + 2, BPF_CORE_READ(inode, i_size));
		put_val(s, at + 3, inode_mtime(inode));
	} else {
		sb = INODE_PART((void *)part, 0, INODE_AT(i_sb), struct super_block *);
		put_val(s, at + 1, INODE_PART((void *)part, 0, INODE_AT(i_ino), u64));
		put_val(s, at + 2, INODE_PART((void *)part, 0, INODE_AT(i_size), s64));
		put_val(s, at + 3, part_mtime(part, 0));
	}
	dev = BPF_CORE_READ(sb, s_dev);
	/* encode it like stat() */
	dev = (dev & 0xff) | dev >> 20 << 8 | (dev & 0xfff00) << 12;
	put_val(s, at, dev);
}

/* Identifies the file that was opened, and captures its path. */
static __always_inline void identify_file(const struct call *c)
{
	struct file *file = fd_file(c->task, c->ret);
	struct path path;
	struct inode *inode = file ? file_inode(file, &path) : NULL;

	if (!inode) {
		want_string(c->s, EB_STR_OPEN_name, W_FD, c->ret, 0);
		return;
	}
	want_path(c->s, EB_STR_OPEN_name, (u64)path.mnt, (u64)path.dentry);
	c->s->want[EB_STR_OPEN_name].fd = c->ret;
	identify_inode(c->s, EB_V_OPEN_dev, inode);
	put_val(c->s, EB_V_OPEN_type, BPF_CORE_READ(inode, i_mode) & S_IFMT);
}

#endif
