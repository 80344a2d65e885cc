// SPDX-License-Identifier: GPL-2.0
/*
 * Records of the life of a task: it is created, runs a program, gets a name, ends, or
 * joins a session while it runs. All but failed calls come from their own tracepoints,
 * see probes.c.
 */
#include <linux/binfmts.h>
#include <linux/fcntl.h>
#include <linux/file.h>
#include <linux/fs.h>
#include <linux/mm.h>
#include <linux/ptrace.h>
#include <linux/sched.h>
#include <linux/uaccess.h>

#include "life.h"
#include "call.h"
#include "calls_print.h"
#include "calls_use.h"
#include "capture.h"
#include "compat.h"
#include "cost.h"
#include "counts.h"
#include "emit.h"
#include "env.h"
#include "hold.h"
#include "return_work.h"
#include "table.h"
#include "task.h"

static void etrace_clone_flags(struct etrace_rec *r,
			       const struct etrace_syscall *sc,
			       struct pt_regs *regs)
{
	unsigned long args;
	u64 flags = 0;

	r->have |= BIT(ETRACE_VAL_CLONE_flags);
	if (!sc->at[ETRACE_ARG_STRUCT]) {
		r->clone.flags = etrace_syscall_arg(sc, regs, ETRACE_ARG_FLAGS, 0);
		return;
	}
	/* struct clone_args begins with the flags. */
	args = etrace_syscall_arg(sc, regs, ETRACE_ARG_STRUCT, 0);
	if (copy_from_user_nofault(&flags, (void __user *)args, sizeof(flags)))
		r->unread |= BIT(ETRACE_NR_STR);
	r->clone.flags = flags;
}

static void etrace_clone_failed(struct etrace_call *c)
{
	c->r.clone.child = 0;
	etrace_call_emit(c);
}

/* A failed fork() or vfork() is recorded as the corresponding clone(). */
static void etrace_fork_failed(struct etrace_call *c, u64 flags)
{
	etrace_rec_init(&c->r, ETRACE_EV_CLONE, 0);
	c->r.have = BIT(ETRACE_VAL_CLONE_flags);
	c->r.clone.flags = flags;
	etrace_clone_failed(c);
}

void etrace_do_fork(struct etrace_call *c)
{
	etrace_fork_failed(c, ETRACE_FORK_FLAGS);
}

void etrace_do_vfork(struct etrace_call *c)
{
	etrace_fork_failed(c, ETRACE_VFORK_FLAGS);
}

void etrace_do_clone(struct etrace_call *c)
{
	etrace_rec_init(&c->r, ETRACE_EV_CLONE, 0);
	etrace_clone_flags(&c->r, c->sc, current_pt_regs());
	etrace_clone_failed(c);
}

/*
 * Finds the current program's arguments in its memory. The program may have set any
 * address and length (PR_SET_MM).
 */
static void etrace_argv_find(struct etrace_argv *argv, const struct mm_struct *mm)
{
	argv->pos = READ_ONCE(mm->arg_start);
	argv->end = max(READ_ONCE(mm->arg_end), argv->pos);
	argv->cut = argv->end - argv->pos > ETRACE_ARGV_MAX;
	if (argv->cut)
		argv->end = argv->pos + ETRACE_ARGV_MAX;
}

/**
 * etrace_record_join - record which program the current task runs
 * @t: its first slot; skips slots whose session already has the record
 *
 * io_uring workers are recorded without arguments, which are those of their process.
 */
noinline void etrace_record_join(struct etrace_task *t)
{
	struct mm_struct *mm = current->mm;
	struct etrace_argv argv = { 0 };
	struct etrace_scratch *s;
	struct file *exe = NULL;
	struct etrace_task *slot;
	struct etrace_rec r;
	bool any = false;

	etrace_for_each_slot(slot, t)
		any |= slot->joined;
	if (!any)
		return;
	etrace_for_each_slot(slot, t) {
		slot->going_on = slot->joined && !slot->refused;
		slot->joined = false;
	}
	etrace_rec_init(&r, ETRACE_EV_JOIN, 2);
	r.str[0].s = NULL;
	r.str[0].len = 0;
	s = etrace_scratch_get();
	if (mm)
		exe = etrace_exe_file_get(mm);
	if (mm && !(current->flags & PF_IO_WORKER))
		etrace_argv_find(&argv, mm);
	if (exe)
		etrace_capture_path(&r, 0, s, &exe->f_path);
	etrace_capture_cwd(&r, 1, s);
	etrace_emit_exec(t, &r, &argv, s, NULL);
	etrace_scratch_put();
	if (exe)
		fput(exe);
}

/**
 * etrace_record_fork - record that a task is created
 * @t: slot of its parent, the current task
 * @child: the new task, which has not run yet
 */
void etrace_record_fork(struct etrace_task *t, struct task_struct *child)
{
	const struct etrace_syscall *sc = etrace_syscall_current();
	struct etrace_task *c;
	struct etrace_rec r;

	etrace_joins(t);
	etrace_rec_init(&r, ETRACE_EV_CLONE, 0);
	r.have = BIT(ETRACE_VAL_CLONE_child);
	r.clone.flags = 0;
	if (sc && sc->record == ETRACE_REC_CLONE)
		etrace_clone_flags(&r, sc, current_pt_regs());
	etrace_for_each_slot(t, t) {
		c = etrace_task_fork(t, child);
		/* A child that cannot be traced is recorded, too. */
		if (c)
			etrace_use_fork(t, c, child);
		r.clone.child = c ? c->upid :
				    etrace_task_new_upid(t->session,
							 task_pid_nr(child));
		etrace_emit_one(t, &r);
	}
}

#define ETRACE_CLOSES_BY_EXEC	128	/* maximum number of records; more are counted as lost */

/* Descriptors that execve has closed are recorded before the new program. */
static void etrace_exec_closes(struct etrace_task *first, const struct etrace_hold *hold)
{
	unsigned int fd, n = 0;
	struct etrace_task *t;

	if (likely(!hold || (!hold->nr_fds && !hold->fds_lost)))
		return;
	for_each_set_bit(fd, hold->fds, hold->nr_fds) {
		if (etrace_fd_is_open(fd))
			continue;
		if (n++ == ETRACE_CLOSES_BY_EXEC)
			break;
		etrace_emit_close(first, fd, ETRACE_CLOSE_EXTENDED | ETRACE_CLOSE_EXECVE);
	}
	if (n > ETRACE_CLOSES_BY_EXEC || hold->fds_lost)
		etrace_for_each_slot(t, first)
			etrace_count(t->session, lost_fds, 1);
}

/**
 * etrace_record_exec - record that the current task runs a new program
 * @t: its slot
 * @bprm: the program
 */
void etrace_record_exec(struct etrace_task *t, struct linux_binprm *bprm)
{
	struct etrace_hold *hold = etrace_held_find(t, ETRACE_HOOK_BPRM_CHECK);
	struct mm_struct *mm = current->mm;
	struct etrace_task *slot;
	struct etrace_scratch *s;
	struct etrace_argv argv = {
		.pos = mm->arg_start,
		.end = mm->arg_end,
	};
	struct etrace_rec r;

	/* The old program no longer needs a join record, and all other threads are gone. */
	etrace_for_each_slot(slot, t) {
		slot->joined = false;
		etrace_process_alone(&slot->process, slot->upid);
	}
	etrace_exec_closes(t, hold);
	etrace_use_over(t);
	etrace_rec_init(&r, ETRACE_EV_EXEC, 3);
	s = etrace_scratch_get();
	etrace_capture_program(&r, 0, s, bprm->file);
	if (bprm->interp == bprm->filename) {
		r.str[1] = r.str[0];
		r.cut |= (r.cut & BIT(0)) << 1;
		r.outside |= (r.outside & BIT(0)) << 1;
	} else if (hold) {
		r.str[1] = hold->str[0];
		r.outside |= (hold->outside & BIT(0)) << 1;
	} else {
		/* A script whose path no hook has seen. */
		etrace_capture_kernel(&r, 1, s, AT_FDCWD, bprm->filename);
		r.joined |= BIT(1);
	}
	etrace_capture_cwd(&r, 2, s);
	etrace_going_on(t, true);
	etrace_emit_exec(t, &r, &argv, s, etrace_env_wanted() ? etrace_env_get(t) : NULL);
	etrace_scratch_put();

	etrace_held_done(t);
}

/**
 * etrace_record_exit - record that a task ends
 * @t: its slot
 * @p: the current task
 * @last: the process ends with it, or with another thread that is ending now
 */
void etrace_record_exit(struct etrace_task *t, struct task_struct *p, bool last)
{
	int code = p->exit_code;
	u16 have = 0, cost = 0;
	struct etrace_rec r;

	etrace_use_over(t);
	etrace_rec_init(&r, ETRACE_EV_EXIT, 0);
	etrace_clear_exit(&r);
	r.exit.status = (code >> 8) & 0xff;
	r.exit.signal = code & 0x7f;
	r.exit.core = !!(code & 0x80);
	if (r.exit.signal)
		have = BIT(ETRACE_VAL_EXIT_signal) | BIT(ETRACE_VAL_EXIT_core);
	etrace_for_each_slot(t, t) {
		/*
		 * Several threads may see themselves as the last, but only one may record the
		 * cost.
		 */
		bool over = last && !(t->process && xchg(&t->process->cost_emitted, 1));
		bool wants = over && etrace_session_wants(t->session, ETRACE_WHERE_EXTENDED);

		etrace_print_over(t, p, over);
		if (wants && !cost)
			cost = etrace_cost(p, &r);
		r.have = wants ? have | cost : have;
		etrace_emit_one(t, &r);
	}
}

/**
 * etrace_record_comm - record that a thread gets another name
 * @t: slot of the current task, which sets the name
 * @target: the thread that is renamed
 * @comm: the name
 *
 * Called during prctl() or write(), with @target's task_lock() held.
 */
void etrace_record_comm(struct etrace_task *t, struct task_struct *target,
			const char *comm)
{
	struct etrace_task *other;
	struct etrace_rec r;

	etrace_joins(t);
	etrace_rec_init(&r, ETRACE_EV_COMM, 1);
	r.str[0].s = comm;
	r.str[0].len = strnlen(comm, TASK_COMM_LEN - 1);
	etrace_for_each_slot(t, t) {
		if (!t->session->comm)
			continue;
		etrace_for_each_slot(other, etrace_task_find(target))
			if (other->session == t->session)
				break;
		r.comm.target = other ? other->upid : t->upid;
		r.have = r.comm.target == t->upid ? 0 : BIT(ETRACE_VAL_COMM_target);
		etrace_emit_one(t, &r);
	}
}
