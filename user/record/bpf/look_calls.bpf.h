/* SPDX-License-Identifier: GPL-2.0 */
/* Calls that only look up files or programs, or fail to open or run them; calls_look.c. */
#ifndef ETRACE_LOOK_CALLS_BPF_H
#define ETRACE_LOOK_CALLS_BPF_H

#include "record/bpf/call.bpf.h"

/* Has the caller passed an empty name or NULL? */
static __always_inline bool is_unnamed(const struct call *c)
{
	u64 path = call_arg(c, EB_A_PATH, 0);
	char first = 0;

	return !path || (!bpf_probe_read_user(&first, 1, (void *)path) && !first);
}

/* Is the call about a descriptor itself? */
static __always_inline bool is_of_fd(const struct call *c)
{
	return call_arg(c, EB_A_FLAGS, 0) & AT_EMPTY_PATH && is_unnamed(c);
}

/* Captures string 0: the name as the caller passed it. */
static __always_inline bool want_meant(const struct call *c, bool of_fd)
{
	s32 dirfd = call_arg(c, EB_A_DIRFD, AT_FDCWD);

	if (!of_fd)
		want_string(c->s, 0, W_JOIN, dirfd, call_arg(c, EB_A_PATH, 0));
	else
		want_string(c->s, 0, dirfd == AT_FDCWD ? W_CWD : W_FD, dirfd, 0);
	c->s->want[0].meant = 1;
	return true;
}

static __always_inline bool open_failed(const struct call *c)
{
	u64 flags = 0;

	rec_init(c->s, c->t, EB_OPEN_FAILED);
	if (!has_arg(c->row, EB_A_STRUCT))
		flags = call_arg(c, EB_A_FLAGS, ETRACE_CREAT_FLAGS);
	else if (bpf_probe_read_user(&flags, sizeof(flags), (void *)call_arg(c, EB_A_STRUCT, 0)) &&
		 !etrace_failed_unread(c->ret))
		args_unread(c->s);
	c->r->val[EB_V_OPEN_FAILED_flags] = (u32)flags;
	if (c->held) {
		want_string(c->s, 0, W_HELD, 0, 0);
		return true;
	}
	return want_meant(c, false);
}

/* Fills in a failed execve; a successful one has its own tracepoint. */
static __always_inline bool fill_exec(const struct call *c)
{
	struct task_struct *task = c->task;

	if (c->held && BPF_CORE_READ(task, pending.signal.sig[0]) & ETRACE_KILLING)
		return false;
	rec_init(c->s, c->t, EB_EXEC_FAILED);
	return want_meant(c, is_of_fd(c));
}

/* ---- on request ---- */

/* A stat that looks up a name; a query about a descriptor is not recorded. */
static __always_inline bool fill_stat_flags(const struct call *c, u32 flags)
{
	/* For an io_uring, do_ring_begin() has skipped such a query already. */
	if (!c->held && is_of_fd(c))
		return false;
	rec_init(c->s, c->t, EB_STAT);
	c->r->val[EB_V_STAT_flags] = flags;
	if (c->held) {
		want_string(c->s, 0, W_HELD, 0, 0);
		return true;
	}
	return want_meant(c, false);
}

static __always_inline bool fill_stat(const struct call *c)
{
	return fill_stat_flags(c, call_arg(c, EB_A_FLAGS, 0));
}

/* lstat() is recorded as fstatat() with this flag. */
static __always_inline bool fill_lstat(const struct call *c)
{
	return fill_stat_flags(c, AT_SYMLINK_NOFOLLOW);
}

static __always_inline bool fill_access(const struct call *c)
{
	if (is_of_fd(c))
		return false;
	rec_init(c->s, c->t, EB_ACCESS);
	c->r->val[EB_V_ACCESS_mode] = (u32)call_arg(c, EB_A_MODE, 0);
	c->r->val[EB_V_ACCESS_flags] = (u32)call_arg(c, EB_A_FLAGS, 0);
	return want_meant(c, false);
}

/* The text is what the caller received, which may be truncated. */
static __always_inline bool fill_readlink(const struct call *c)
{
	rec_init(c->s, c->t, EB_READLINK);
	if (c->ret >= 0)
		want_string(c->s, EB_STR_READLINK_target, W_BYTES, c->ret,
			    call_arg(c, EB_A_STRUCT, 0));
	/* If it succeeds without a name, it read the link of the descriptor. */
	return want_meant(c, c->ret >= 0 && is_unnamed(c));
}

static __always_inline bool fill_getdents(const struct call *c)
{
	rec_init(c->s, c->t, EB_GETDENTS);
	c->r->val[EB_V_GETDENTS_fd] = (s32)call_arg(c, EB_A_FD, 0);
	c->r->val[EB_V_GETDENTS_bytes] = (u32)c->ret;
	want_string(c->s, EB_STR_GETDENTS_path, W_FD, (s32)call_arg(c, EB_A_FD, 0), 0);
	return true;
}

#endif
