// SPDX-License-Identifier: GPL-2.0
/*
 * When a process ends, adds up the resources that it used, as wait4() and /proc/PID/io do.
 *
 * The kernel keeps sums for threads that it has released; this file adds those that still
 * exist, dead or alive.
 */
#include <linux/atomic.h>
#include <linux/math64.h>
#include <linux/mm.h>
#include <linux/preempt.h>
#include <linux/rcupdate.h>
#include <linux/sched/clock.h>
#include <linux/sched/signal.h>
#include <linux/seqlock.h>
#include <linux/task_io_accounting_ops.h>

#include "cost.h"
#include "compat.h"
#include "etrace_cost.h"

/**
 * etrace_cost_is_last - does a process end with this thread?
 * @p: the current task, after exit_mm()
 *
 * Several threads may end at the same time. Each thread that finds that all have released
 * their memory counts as last, since only then does the kernel know how much memory the
 * process used. Workers of an io_uring, which the kernel starts for the process, may live
 * longer; then no thread is the last.
 */
bool etrace_cost_is_last(struct task_struct *p)
{
	struct task_struct *t;
	bool left = false;

	if (atomic_read(&p->signal->live))
		return false;
	rcu_read_lock();
	for_each_thread(p, t)
		left |= !!READ_ONCE(t->mm);
	rcu_read_unlock();
	return !left;
}

/* Adds up all threads in @r; its times are counted in ticks. Returns the exact sum, in ns. */
static u64 etrace_cost_sum(struct signal_struct *sig, struct etrace_rec *r)
{
	struct task_io_accounting io;
	struct task_struct *t;
	unsigned int seq;
	u64 ran;

	rcu_read_lock();
	do {
		seq = read_seqbegin(&sig->stats_lock);
		r->exit.utime = sig->utime;
		r->exit.stime = sig->stime;
		ran = sig->sum_sched_runtime;
		r->exit.minflt = sig->min_flt;
		r->exit.majflt = sig->maj_flt;
		io = sig->ioac;
		__for_each_thread(sig, t) {
			r->exit.utime += t->utime;
			r->exit.stime += t->stime;
			ran += READ_ONCE(t->se.sum_exec_runtime);
			r->exit.minflt += t->min_flt;
			r->exit.majflt += t->maj_flt;
			task_io_accounting_add(&io, &t->ioac);
		}
	} while (read_seqretry(&sig->stats_lock, seq));
	rcu_read_unlock();
#ifdef CONFIG_TASK_XACCT
	r->exit.rchar = io.rchar;
	r->exit.wchar = io.wchar;
#endif
#ifdef CONFIG_TASK_IO_ACCOUNTING
	r->exit.rbytes = io.read_bytes;
	r->exit.wbytes = io.write_bytes;
#endif
	return ran;
}

/**
 * etrace_cost - record the resources that the current task's process used
 * @p: the current task, the last of its process
 * @r: the record of its end
 *
 * Return: bits of the values that are set in @r, as in etrace_rec.have.
 */
u16 etrace_cost(struct task_struct *p, struct etrace_rec *r)
{
	struct signal_struct *sig = p->signal;
	u16 have = BIT(ETRACE_VAL_EXIT_utime) | BIT(ETRACE_VAL_EXIT_stime) |
		   BIT(ETRACE_VAL_EXIT_maxrss) | BIT(ETRACE_VAL_EXIT_minflt) |
		   BIT(ETRACE_VAL_EXIT_majflt);
	u64 ran;
	s64 now;

	if (get_nr_threads(p) > ETRACE_COST_THREADS)
		return 0;
	preempt_disable();
	ran = etrace_cost_sum(sig, r);
	/* Add the time that the scheduler has not charged to the task yet. */
	now = etrace_sched_clock(p) - p->se.exec_start;
	preempt_enable();
	if (now > 0)
		ran += now;
	r->exit.stime = etrace_stime(r->exit.utime, r->exit.stime, ran);
	r->exit.utime = ran - r->exit.stime;
	r->exit.maxrss = (u64)sig->maxrss << PAGE_SHIFT;
	if (IS_ENABLED(CONFIG_TASK_XACCT))
		have |= BIT(ETRACE_VAL_EXIT_rchar) | BIT(ETRACE_VAL_EXIT_wchar);
	if (IS_ENABLED(CONFIG_TASK_IO_ACCOUNTING))
		have |= BIT(ETRACE_VAL_EXIT_rbytes) | BIT(ETRACE_VAL_EXIT_wbytes);
	return have;
}
