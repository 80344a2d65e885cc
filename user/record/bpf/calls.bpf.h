/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Records a system call when it returns.  The rules are those of the module's calls.c;
 * decisions that both share are in kernel/etrace_rules.h.
 */
#ifndef ETRACE_CALLS_BPF_H
#define ETRACE_CALLS_BPF_H

#include "record/bpf/call.bpf.h"
#include "record/bpf/join.bpf.h"
#include "record/bpf/use_calls.bpf.h"
#include "record/bpf/look_calls.bpf.h"
#include "record/bpf/fd_calls.bpf.h"
#include "record/bpf/net_calls.bpf.h"
#include "record/bpf/ask_calls.bpf.h"

/*
 * The struct of openat2() is read after the call, and another thread may have changed it:
 * if its flags do not match the open file's, uses the file's.
 */
static __always_inline void check_how(struct scratch *s, struct task_struct *task, s32 fd)
{
	struct file *file = fd_file(task, fd);
	u32 flags = file ? BPF_CORE_READ(file, f_flags) : 0;

	if (!(s->rec.flags & EB_ARGS_UNREAD) &&
	    (!file || !((s->rec.val[EB_V_OPEN_flags] ^ flags) & ETRACE_KEPT_FLAGS)))
		return;
	if (!(s->rec.flags & EB_ARGS_UNREAD))
		args_unread(s);
	s->rec.val[EB_V_OPEN_flags] = flags & ~O_LARGEFILE;
	s->rec.val[EB_V_OPEN_mode] = 0;
}

/* Are these the two ends of one pipe? */
static __always_inline bool are_pipe(struct task_struct *task, const s32 *fd)
{
	struct file *from = fd_file(task, fd[0]), *to = fd_file(task, fd[1]);
	struct inode *pipe;

	if (!from || !to || from == to)
		return false;
	pipe = BPF_CORE_READ(from, f_inode);
	return pipe == BPF_CORE_READ(to, f_inode) &&
	       (BPF_CORE_READ(pipe, i_mode) & S_IFMT) == S_IFIFO;
}

static __always_inline void clone_flags(struct scratch *s, u32 row)
{
	u64 flags = 0;

	if (!has_arg(row, EB_A_STRUCT))
		flags = row_arg(s, row, EB_A_FLAGS, 0);
	/* struct clone_args begins with the flags. */
	else if (bpf_probe_read_user(&flags, sizeof(flags),
				     (void *)row_arg(s, row, EB_A_STRUCT, 0)))
		args_unread(s);
	put_val(s, EB_V_CLONE_flags, flags);
}

/* ---- one function for each ETRACE_RECORD(), as in the module's calls.c ---- */

/* A failed fork() or vfork() is recorded as the corresponding clone(). */
static __always_inline bool fork_failed(const struct call *c, u64 flags)
{
	rec_init(c->s, c->t, EB_CLONE);
	put_val(c->s, EB_V_CLONE_flags, flags);
	return true;
}

static __always_inline bool fill_fork(const struct call *c)
{
	return fork_failed(c, ETRACE_FORK_FLAGS);
}

static __always_inline bool fill_vfork(const struct call *c)
{
	return fork_failed(c, ETRACE_VFORK_FLAGS);
}

static __always_inline bool fill_clone(const struct call *c)
{
	rec_init(c->s, c->t, EB_CLONE);
	clone_flags(c->s, c->row);
	return true;
}

static __always_inline bool fill_open(const struct call *c)
{
	struct {
		u64 flags, mode;
	} how = { 0 };

	if (c->ret < 0)
		return open_failed(c);
	use_new(c, c->ret);
	rec_init(c->s, c->t, EB_OPEN);
	identify_file(c);
	if (has_arg(c->row, EB_A_STRUCT)) {
		if (bpf_probe_read_user(&how, sizeof(how),
					(void *)call_arg(c, EB_A_STRUCT, 0)))
			args_unread(c->s);
	} else {
		how.flags = call_arg(c, EB_A_FLAGS, ETRACE_CREAT_FLAGS);
		how.mode = call_arg(c, EB_A_MODE, 0);
	}
	c->r->val[EB_V_OPEN_fd] = (s32)c->ret;
	c->r->val[EB_V_OPEN_flags] = (u32)how.flags;
	c->r->val[EB_V_OPEN_mode] = etrace_open_mode(how.flags, how.mode);
	if (has_arg(c->row, EB_A_STRUCT))
		check_how(c->s, c->task, c->ret);
	if (c->held)
		want_string(c->s, EB_STR_OPEN_orig, W_HELD, 0, 0);
	else
		want_string(c->s, EB_STR_OPEN_orig, W_JOIN, call_arg(c, EB_A_DIRFD, AT_FDCWD),
		     call_arg(c, EB_A_PATH, 0));
	return true;
}

static __always_inline bool fill_close(const struct call *c)
{
	rec_init(c->s, c->t, EB_CLOSE);
	c->r->val[EB_V_CLOSE_fd] = (s32)call_arg(c, EB_A_FD, 0);
	use_closed(c, call_arg(c, EB_A_FD, 0));
	return true;
}

static __always_inline bool fill_close_range(const struct call *c)
{
	if (call_arg(c, EB_A_FLAGS, 0) & CLOSE_RANGE_CLOEXEC)
		return record_cloexec(c, call_arg(c, EB_A_FD, 0), call_arg(c, EB_A_FD2, 0), true);
	if (!c->held) {
		c->s->counts.lost_fds++;
		return false;
	}
	use_closed_range(c);
	rec_init(c->s, c->t, EB_CLOSE_RANGE);
	c->r->val[0] = (u32)call_arg(c, EB_A_FD, 0);
	c->r->val[1] = (u32)call_arg(c, EB_A_FD2, 0);
	c->t->last += c->t->nr_fds;	/* each close gets a time of its own */
	return true;
}

static __always_inline bool fill_dup_flags(const struct call *c, u32 flags)
{
	if ((s32)c->ret != (s32)call_arg(c, EB_A_FD, 0))
		use_new(c, c->ret);
	rec_init(c->s, c->t, EB_DUP);
	c->r->val[EB_V_DUP_oldfd] = (s32)call_arg(c, EB_A_FD, 0);
	c->r->val[EB_V_DUP_newfd] = (s32)c->ret;
	c->r->val[EB_V_DUP_flags] = flags;
	return true;
}

static __always_inline bool fill_dup(const struct call *c)
{
	return fill_dup_flags(c, call_arg(c, EB_A_FLAGS, 0));
}

static __always_inline bool fill_fcntl(const struct call *c)
{
	u32 cmd = call_arg(c, EB_A_FLAGS, 0), fd = call_arg(c, EB_A_FD, 0);
	s64 flags = etrace_fcntl_dup(cmd);

	if (flags >= 0)
		return fill_dup_flags(c, flags);
	return cmd == F_SETFD && record_cloexec(c, fd, fd, call_arg(c, EB_A_ARG, 0) & FD_CLOEXEC);
}

static __always_inline bool fill_pipe(const struct call *c)
{
	s32 fd[2];
	bool are = !bpf_probe_read_user(fd, sizeof(fd), (void *)call_arg(c, EB_A_STRUCT, 0)) &&
		   are_pipe(c->task, fd);

	made_two(c, EB_PIPE, fd, are);
	c->r->val[EB_V_PIPE_flags] = (u32)call_arg(c, EB_A_FLAGS, 0);
	return true;
}

/* Fill in the two names of rename and link: from the hook, else from the call's arguments. */
static __always_inline bool two_names(const struct call *c, u32 kind, u32 flags)
{
	rec_init(c->s, c->t, kind);
	if (has_arg(c->row, EB_A_FLAGS))
		put_val(c->s, flags, (u32)call_arg(c, EB_A_FLAGS, 0));
	/* A call that failed records at most its source. */
	if (c->held) {
		want_string(c->s, 0, W_HELD, 0, 0);
		if (c->ret >= 0)
			want_string(c->s, 1, W_HELD, 1, 0);
	} else if (c->ret >= 0) {
		want_join(c->s, 0, c->row, EB_A_DIRFD, EB_A_PATH);
		want_join(c->s, 1, c->row, EB_A_DIRFD2, EB_A_PATH2);
	} else if (!etrace_failed_look_up(c->ret)) {
		want_join(c->s, 0, c->row, EB_A_DIRFD, EB_A_PATH);
	}
	return true;
}

static __always_inline bool fill_rename(const struct call *c)
{
	return two_names(c, EB_RENAME, EB_V_RENAME_flags);
}

static __always_inline bool fill_link(const struct call *c)
{
	return two_names(c, EB_LINK, EB_V_LINK_flags);
}

static __always_inline bool fill_symlink(const struct call *c)
{
	rec_init(c->s, c->t, EB_SYMLINK);
	if (c->held) {
		want_string(c->s, EB_STR_SYMLINK_target, W_HELD, 0, 0);
		want_string(c->s, EB_STR_SYMLINK_link, W_HELD, 1, 0);
	} else {
		want_string(c->s, EB_STR_SYMLINK_target, W_USER, 0, call_arg(c, EB_A_TARGET, 0));
		want_join(c->s, EB_STR_SYMLINK_link, c->row, EB_A_DIRFD, EB_A_PATH);
	}
	return true;
}

static __always_inline bool fill_mount(const struct call *c)
{
	rec_init(c->s, c->t, EB_MOUNT);
	c->r->val[EB_V_MOUNT_flags] = call_arg(c, EB_A_FLAGS, 0);
	if (c->held) {
		want_string(c->s, EB_STR_MOUNT_source, W_HELD, 0, 0);
		want_string(c->s, EB_STR_MOUNT_target, W_HELD, 1, 0);
		want_string(c->s, EB_STR_MOUNT_type, W_HELD, 2, 0);
	} else {
		want_string(c->s, EB_STR_MOUNT_source, W_USER, 0, call_arg(c, EB_A_SOURCE, 0));
		want_join(c->s, EB_STR_MOUNT_target, c->row, EB_A_DIRFD, EB_A_PATH);
		want_string(c->s, EB_STR_MOUNT_type, W_USER, 0, call_arg(c, EB_A_TYPE, 0));
	}
	return true;
}

static __always_inline bool fill_umount(const struct call *c)
{
	rec_init(c->s, c->t, EB_UMOUNT);
	c->r->val[EB_V_UMOUNT_flags] = call_arg(c, EB_A_FLAGS, 0);
	return one_name(c, BY_PATH);
}

static __always_inline bool fill_uring(const struct call *c)
{
	rec_init(c->s, c->t, EB_URING);
	c->r->val[EB_V_URING_fd] = (s32)c->ret;
	ring_there();
	return true;
}

static __always_inline bool record_unlink(const struct call *c, bool dir)
{
	rec_init(c->s, c->t, EB_UNLINK);
	c->r->val[EB_V_UNLINK_dir] = dir;
	return one_name(c, BY_PATH);
}

static __always_inline bool fill_unlink(const struct call *c)
{
	return record_unlink(c, call_arg(c, EB_A_FLAGS, 0) & AT_REMOVEDIR);
}

static __always_inline bool fill_rmdir(const struct call *c)
{
	return record_unlink(c, true);
}

#include "record/bpf/tree_calls.bpf.h"

/* ---- at the end of a call ---- */

/*
 * Each kind of record has a function that the verifier checks separately. So it checks the
 * code after the call only once, not once for each kind and each path through it.
 */
static __always_inline bool get_call(struct call *c, ROOM_REF room, SLOT_REF slot)
{
	c->s = room_at(room);
	c->task = current_task();
	c->t = slot_at(slot);
	if (!c->s || !c->t)
		return false;
	c->r = &c->s->rec;
	c->row = c->s->row;
	c->ret = c->s->ret;
	c->held = c->t->hold && (c->t->hold == rows[c->row & (EB_MAX_ROWS - 1)].hook ||
				 c->t->hold == EB_H_RING);
	return true;
}

#define ETRACE_RECORD(ID, id, recorded, where)				\
	__attribute__((noinline)) int call_##id(ROOM_REF room, SLOT_REF slot) \
	{								\
		struct call c;						\
									\
		return get_call(&c, room, slot) && fill_##id(&c);	\
	}
#include "kernel/etrace_syscalls.def"

/* Fills in the record of a call. Returns 0 if there is nothing to send. */
static __always_inline int fill_call(struct scratch *s, struct slot *t, u32 record)
{
	switch (record) {
#define ETRACE_RECORD(ID, id, recorded, where) \
	case EB_R_##ID: return call_##id(room_ref(s), slot_ref(t));
#include "kernel/etrace_syscalls.def"
	}
	return 0;
}

/* Does a kind of record have strings? */
static __always_inline bool has_strings(u32 kind)
{
	const u64 kinds = 0
#define EVENT(ID, id, name, category, where, doc) \
		| (EB_NR_STR_##ID ? 1ull << EB_##ID : 0)
#include "kernel/etrace_events.def"
		;

	return kinds >> (kind & 63) & 1;
}

/* Makes the record of a call with the row @row. Returns whether there is one to send. */
static __always_inline bool make_call(struct scratch *s, struct slot *t, u32 row, s64 ret)
{
	const volatile struct eb_row *def = &rows[row & (EB_MAX_ROWS - 1)];

	s->row = row;
	s->ret = ret;
	if (!etrace_is_recorded(def->recorded, ret) || !fill_call(s, t, def->record))
		return false;
	s->rec.error = ret < 0 ? -ret : 0;
	return true;
}

/* Sends a record that make_call() has made. */
static __always_inline void record_call(struct scratch *s, struct slot *t,
					struct task_struct *task)
{
	if (has_strings(s->rec.kind))
		put_strings(s, task);
	if (s->rec.kind == EB_SYMLINK)
		put_maker(s, t, task);
	send_event(s, t);
}

/*
 * Records a call at its end. @regs: NULL if not known yet. This is never preempted: it is
 * called from a tracepoint that disables preemption, or else by perf.
 */
static __always_inline int do_sys_exit(u64 nr, struct pt_regs *regs, s64 ret)
{
	struct task_struct *task;
	struct scratch *s;
	struct slot *t;
	u32 row;

	/* Most calls end here. */
	if (likely((u32)nr < EB_MAX_NR && !row_any[(u32)nr & (EB_MAX_NR - 1)]))
		return 0;
	task = current_task();
	row = row_of(task, nr);
	if (!row)
		return 0;
	if (!regs)
		regs = task_regs(task);
	if (is_begun(task, regs, nr))
		return 0;
	ret = call_result(task, ret);
	if (rows[row & (EB_MAX_ROWS - 1)].recorded == ETRACE_RECORDED_USED &&
	    use_again(task, regs, row, ret))
		return 0;
	t = slot_of(task);
	/* If a seccomp filter has answered the call, its result says nothing about files. */
	if (!t || t->skipped)
		return 0;
	if (rows[row & (EB_MAX_ROWS - 1)].recorded == ETRACE_RECORDED_USED) {
		if (ret >= 0)
			use_first(task, regs, row, ret);
	} else if (!etrace_interrupted(ret)) {
		join_if_new(t);
		s = own_room(ROOM_SYS_EXIT);
		if (s) {
			get_args(s, task, regs);
			if (make_call(s, t, row, ret)) {
				record_call(s, t, task);
			} else if (unlikely(s->received.left | s->received.nr_msg |
					    s->received.unread)) {
				put_received(s, t);
			}
		}
	}
	t->hold = EB_H_NONE;
	t->cloexec = 0;
	return 0;
}

#endif
