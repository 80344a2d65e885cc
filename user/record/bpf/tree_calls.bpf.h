/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Calls that create or change files and directories, and that change a task's working or
 * root directory or its namespaces, like the module's calls_tree.c.
 */
#ifndef ETRACE_TREE_CALLS_BPF_H
#define ETRACE_TREE_CALLS_BPF_H

#include "record/bpf/call.bpf.h"

/* Sets value 0 to the descriptor of the file, if the call has one. Returns it, or BY_PATH. */
static __always_inline s64 file_fd(const struct call *c)
{
	if (!has_arg(c->row, EB_A_FD))
		return BY_PATH;
	put_val(c->s, 0, (s32)call_arg(c, EB_A_FD, 0));
	return c->r->val[0];
}

static __always_inline bool fill_mkdir(const struct call *c)
{
	rec_init(c->s, c->t, EB_MKDIR);
	c->r->val[EB_V_MKDIR_mode] = (u16)call_arg(c, EB_A_MODE, 0);
	return one_name(c, BY_PATH);
}

static __always_inline bool fill_mknod(const struct call *c)
{
	rec_init(c->s, c->t, EB_MKNOD);
	c->r->val[EB_V_MKNOD_mode] = (u16)call_arg(c, EB_A_MODE, 0);
	c->r->val[EB_V_MKNOD_dev] = (u32)call_arg(c, EB_A_DEV, 0);
	return one_name(c, BY_PATH);
}

static __always_inline bool fill_truncate(const struct call *c)
{
	rec_init(c->s, c->t, EB_TRUNCATE);
	c->r->val[EB_V_TRUNCATE_size] =
		etrace_file_size(call_arg(c, EB_A_SIZE, 0), call_arg(c, EB_A_HIGH, 0),
				 has_arg(c->row, EB_A_HIGH), is_32(c->task));
	return one_name(c, file_fd(c));
}

static __always_inline bool fill_chmod(const struct call *c)
{
	rec_init(c->s, c->t, EB_CHMOD);
	c->r->val[EB_V_CHMOD_mode] = (u16)call_arg(c, EB_A_MODE, 0);
	return one_name(c, file_fd(c));
}

static __always_inline bool fill_chown(const struct call *c)
{
	bool is_16 = has_arg(c->row, EB_A_UID16) && is_32(c->task);

	rec_init(c->s, c->t, EB_CHOWN);
	c->r->val[EB_V_CHOWN_uid] = etrace_owner(call_arg(c, EB_A_UID, 0) |
						 call_arg(c, EB_A_UID16, 0), is_16);
	c->r->val[EB_V_CHOWN_gid] = etrace_owner(call_arg(c, EB_A_GID, 0) |
						 call_arg(c, EB_A_GID16, 0), is_16);
	return one_name(c, file_fd(c));
}

/* Records a new time of a file: as value @i or, if it is the current time, as bit @now. */
static __always_inline void put_time(struct scratch *s, u32 i, u32 now, s64 sec, s64 part,
				     u32 per_sec)
{
	long long ns;

	switch (etrace_time(sec, part, per_sec, &ns)) {
	case ETRACE_TIME_SET:
		put_val(s, i, ns);
		break;
	case ETRACE_TIME_NOW:
		s->rec.val[EB_V_UTIMENS_now] |= now;
		break;
	case ETRACE_TIME_KEPT:
		break;
	}
}

/*
 * Records the new times of a file, from user address @from, in the format given by the row.
 * Not static: otherwise the verifier would check the code after it once for each path
 * through it.
 */
__attribute__((noinline)) int put_times(ROOM_REF room, u32 row, u32 wide, u64 from)
{
	bool seconds = has_arg(row, EB_A_SECONDS);
	u32 per_sec = seconds ? 1 : has_arg(row, EB_A_TIMEVALS) ? 1000000 : 1000000000;
	struct scratch *s = room_at(room);
	s64 raw[4] = { 0 };
	s32 narrow[4] = { 0 };
	long err;

	if (!s)
		return 0;
	if (wide)
		err = seconds ? bpf_probe_read_user(raw, 2 * sizeof(*raw), (void *)from) :
				bpf_probe_read_user(raw, sizeof(raw), (void *)from);
	else
		err = seconds ? bpf_probe_read_user(narrow, 2 * sizeof(*narrow), (void *)from) :
				bpf_probe_read_user(narrow, sizeof(narrow), (void *)from);
	if (err) {
		args_unread(s);
		return 0;
	}
	if (!wide) {
		raw[0] = narrow[0];
		raw[1] = narrow[1];
		raw[2] = narrow[2];
		raw[3] = narrow[3];
	}
	if (seconds) {
		raw[2] = raw[1];
		raw[1] = raw[3] = 0;
	}
	/* The kernel ignores the upper half of a 32-bit program's nanoseconds. */
	if (has_arg(row, EB_A_TIMESPECS64)) {
		raw[1] = (u32)raw[1];
		raw[3] = (u32)raw[3];
	}
	put_time(s, EB_V_UTIMENS_atime, ETRACE_NOW_ATIME, raw[0], raw[1], per_sec);
	put_time(s, EB_V_UTIMENS_mtime, ETRACE_NOW_MTIME, raw[2], raw[3], per_sec);
	return 0;
}

static __always_inline bool fill_utimens(const struct call *c)
{
	u64 from = call_arg(c, EB_A_SECONDS, 0) | call_arg(c, EB_A_TIMEVALS, 0) |
		   call_arg(c, EB_A_TIMESPECS, 0) | call_arg(c, EB_A_TIMESPECS64, 0);
	s64 fd = BY_PATH;

	rec_init(c->s, c->t, EB_UTIMENS);
	/* futimens() calls it like this. */
	if (!call_arg(c, EB_A_PATH, 0) && (s32)call_arg(c, EB_A_DIRFD, AT_FDCWD) != AT_FDCWD) {
		fd = (s32)call_arg(c, EB_A_DIRFD, AT_FDCWD);
		put_val(c->s, EB_V_UTIMENS_fd, fd);
	}
	if (from)
		put_times(room_ref(c->s), c->row,
			  has_arg(c->row, EB_A_TIMESPECS64) || !is_32(c->task), from);
	else
		c->r->val[EB_V_UTIMENS_now] = ETRACE_NOW_ATIME | ETRACE_NOW_MTIME;
	return one_name(c, fd);
}

/* Fills in the directory after the call; if it failed, the one that it asked for. */
static __always_inline bool fill_chdir(const struct call *c)
{
	s64 fd;

	rec_init(c->s, c->t, EB_CHDIR);
	fd = file_fd(c);
	if (c->ret < 0)
		return one_name(c, fd);
	want_string(c->s, EB_STR_CHDIR_path, W_CWD, 0, 0);
	return true;
}

static __always_inline bool fill_chroot(const struct call *c)
{
	rec_init(c->s, c->t, EB_CHROOT);
	return one_name(c, BY_PATH);
}

static __always_inline bool fill_pivot(const struct call *c)
{
	rec_init(c->s, c->t, EB_PIVOT);
	if (c->held) {
		want_string(c->s, EB_STR_PIVOT_new_root, W_HELD, 0, 0);
		want_string(c->s, EB_STR_PIVOT_put_old, W_HELD, 1, 0);
	} else if (c->ret >= 0 || !etrace_failed_look_up(c->ret)) {
		want_join(c->s, EB_STR_PIVOT_new_root, c->row, EB_A_DIRFD, EB_A_PATH);
		want_join(c->s, EB_STR_PIVOT_put_old, c->row, EB_A_DIRFD2, EB_A_PATH2);
	}
	return true;
}

static __always_inline bool fill_unshare(const struct call *c)
{
	rec_init(c->s, c->t, EB_UNSHARE);
	c->r->val[EB_V_UNSHARE_flags] = call_arg(c, EB_A_FLAGS, 0);
	return true;
}

static __always_inline bool fill_setns(const struct call *c)
{
	rec_init(c->s, c->t, EB_SETNS);
	c->r->val[EB_V_SETNS_fd] = (s32)call_arg(c, EB_A_FD, 0);
	c->r->val[EB_V_SETNS_flags] = (u32)call_arg(c, EB_A_FLAGS, 0);
	return one_name(c, c->r->val[EB_V_SETNS_fd]);
}

#endif
