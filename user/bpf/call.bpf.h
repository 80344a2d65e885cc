/* SPDX-License-Identifier: GPL-2.0 */
/* A call that has just ended, and what its functions share: call.h of the module. */
#ifndef ETRACE_CALL_BPF_H
#define ETRACE_CALL_BPF_H

#include "bpf/maker.bpf.h"
#include "bpf/strings.bpf.h"

#include <linux/close_range.h>
#include <linux/errno.h>
#include <linux/fcntl.h>
#include <linux/net.h>
#include <linux/sched.h>

#define SIGCHLD		17u
#define S_IFMT		0170000u
#define S_IFIFO		0010000u

#include "kernel/etrace_rules.h"

/**
 * struct call - a call that has just ended
 * @r: the record that is being made, in @s
 * @row: of the call
 * @held: a hook has shown its names
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
	return arg(c->s, c->row, role, absent);
}

/* The user's path, where the kernel showed no name. */
static __always_inline void want_join(struct scratch *s, u32 i, u32 row, enum eb_arg dirfd,
				      enum eb_arg path)
{
	want(s, i, W_JOIN, arg(s, row, dirfd, AT_FDCWD), arg(s, row, path, 0));
	s->want[i].joined = 1;
}

/* The structure or the numbers that a call points to. */
static __always_inline void args_unread(struct scratch *s)
{
	s->rec.flags |= EB_ARGS_UNREAD;
	s->counts.strings_unread++;
}

/* The only name of a record: from the hook or else from the user. */
static __always_inline bool one_name(const struct call *c)
{
	if (c->held)
		want(c->s, 0, W_HELD, 0, 0);
	else if (c->ret >= 0 || !etrace_failed_look_up(c->ret))
		want_join(c->s, 0, c->row, EB_A_DIRFD, EB_A_PATH);
	return true;
}

#endif
