/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A task's life: its fork, the programs that it runs, its name and its end, each recorded
 * at its own tracepoint.
 */
#ifndef ETRACE_LIFE_BPF_H
#define ETRACE_LIFE_BPF_H

#include "record/bpf/calls.bpf.h"
#include "record/bpf/cost.bpf.h"

static __always_inline void record_fork(struct slot *t, struct task_struct *parent,
					struct task_struct *child)
{
	struct pt_regs *regs;
	struct scratch *s;
	u64 upid = 0;
	u32 row;

	join_if_new(t);
	s = own_room(ROOM_FORK);
	if (!s)
		return;
	use_fork(s, t, parent, child);
	rec_init(s, t, EB_CLONE);
	regs = task_regs(parent);
	row = row_of(parent, call_nr(regs));
	if (row && rows[row & (EB_MAX_ROWS - 1)].record == EB_R_CLONE) {
		get_args(s, parent, regs);
		clone_flags(s, row);
	}
	if (tracing)
		upid = slot_add(child, GET(child, pid), 0, false);
	if (!upid) {
		/* The fork is recorded even if the child cannot be traced. */
		s->counts.lost_tasks += tracing;
		upid = new_upid(GET(child, pid), 0);
	}
	put_val(s, EB_V_CLONE_child, upid);
	send_event(s, t);
}

static __always_inline int do_fork(struct task_struct *parent, struct task_struct *child)
{
	struct slot *t = slot_of(parent);

	if (t)
		record_fork(t, parent, child);
	/* A child may start in another cgroup than its parent's. */
	if (nr_cgroups)
		cgroup_seen(child, 0);
	return 0;
}

/* The reader splits it into events; each of their lines, up to two per byte, needs its own time. */
static __always_inline void put_env(struct scratch *s, struct slot *t, struct mm_struct *mm)
{
	rec_init(s, t, EB_ENV);
	put_list(s, GET(mm, env_start), GET(mm, env_end));
	t->last += 2 * (s->args_end - GET(mm, env_start));
	send_event(s, t);
}

/* @name: as the caller passed it; @same: it names the program itself, not a script */
static __always_inline int do_exec(struct task_struct *p, struct file *file, u64 name, bool same)
{
	struct slot *t = slot_of(p);
	struct mm_struct *mm;
	struct scratch *s;

	if (!t)
		return 0;
	s = own_room(ROOM_EXEC);
	if (s) {
		uses_over(s, t, p, t->cloexec);
		rec_init(s, t, EB_EXEC);
		if (file)
			identify_inode(s, EB_V_EXEC_dev, GET(file, f_inode));
		want_path(s, 0, (u64)GET(file, f_path.mnt),
			  (u64)GET(file, f_path.dentry));
		if (same) {
			want_string(s, 1, W_SAME, 0, 0);
		} else if (t->hold == EB_H_BPRM_CHECK) {
			want_string(s, 1, W_HELD, 0, 0);
		} else {
			want_string(s, 1, W_KERNEL_JOIN, AT_FDCWD, name);
			s->want[1].joined = 1;
		}
		want_string(s, 2, W_CWD, 0, 0);
		put_strings(s, p);

		mm = GET(p, mm);
		s->rec.val[EB_V_EXEC_args] = GET(mm, arg_end) - GET(mm, arg_start);
		put_list(s, GET(mm, arg_start), GET(mm, arg_end));
		send_event(s, t);
		if (want_env)
			put_env(s, t, mm);
	}
	t->hold = EB_H_NONE;
	t->cloexec = 0;
	t->joined = 0;		/* the old program needs no join event any more */
	return 0;
}

/* @dead: the kernel says that the process ends with this thread, see is_last() */
static __always_inline int do_exit(struct task_struct *p, bool dead)
{
	struct slot *t = slot_of(p);
	struct scratch *s;
	int code;

	if (!t) {
		slot_drop_late(p);
		return 0;
	}
	s = own_room(ROOM_EXIT);
	/*
	 * The last thread of the process records the uses of all threads. So does the
	 * leader, because a thread that calls execve replaces it.
	 */
	if (s && (is_last(p, dead) || GET(p, group_leader) == p))
		uses_over(s, t, p, false);
	if (s && want_output && is_last(p, dead))
		print_over(s, t, p);
	if (s) {
		code = GET(p, exit_code);
		rec_init(s, t, EB_EXIT);
		s->rec.val[EB_V_EXIT_status] = code >> 8 & 0xff;
		if (code & 0x7f) {
			put_val(s, EB_V_EXIT_signal, code & 0x7f);
			put_val(s, EB_V_EXIT_core, !!(code & 0x80));
		}
		put_cost(s, p, dead);
		send_event(s, t);
	}
	slot_drop(p);
	return 0;
}

/* Called in the middle of prctl() or write(). */
static __always_inline int do_comm(struct task_struct *target, const char *comm)
{
	struct task_struct *task = current_task();
	struct slot *t = slot_of(task), *other;
	struct pt_regs *regs;
	struct scratch *s;
	u32 row;

	if (!t)
		return 0;
	regs = task_regs(task);
	row = row_of(task, call_nr(regs));
	if (row && rows[row & (EB_MAX_ROWS - 1)].record == EB_R_EXEC)
		return 0;	/* the exec event has the program's name */
	s = own_room(ROOM_COMM);
	if (s) {
		rec_init(s, t, EB_COMM);
		other = slot_of(target);
		if (other && other->upid != t->upid)
			put_val(s, EB_V_COMM_target, other->upid);
		want_string(s, 0, W_KERNEL, 0, (u64)comm);
		put_strings(s, task);
		send_event(s, t);
	}
	return 0;
}

#endif
