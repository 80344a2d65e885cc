// SPDX-License-Identifier: GPL-2.0
/*
 * The tracepoints that say that something happened.  Probes filter and hand
 * on; what is recorded is decided in syscalls.c.  They are there only while
 * somebody is traced (task.c).
 *
 * A probe may run with preemption off and must not sleep; or it may be
 * preempted, on new kernels.  What keeps the slots that it goes through, those
 * of other tasks on the way too, is the RCU read-side section that it is in
 * from its first look-up to its last.  There is no probe
 * on sys_enter: at sys_exit the registers still hold the arguments of every
 * call but execve, which has a tracepoint of its own, and so a system call
 * that is not traced pays for one probe only.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/binfmts.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>
#include <linux/tracepoint.h>
#include <trace/events/sched.h>
#include <trace/events/syscalls.h>
#include <trace/events/task.h>

#include "etrace.h"
#include "compat.h"

static void etrace_probe_sys_exit(void *data, struct pt_regs *regs, long ret)
{
	/* First what nearly every task stops at. */
	if (unlikely(!etrace_task_untraced(current)))
		etrace_syscall_done(regs, ret);
}

static void etrace_probe_fork(void *data, struct task_struct *parent,
			      struct task_struct *child)
{
	struct etrace_task *t;

	rcu_read_lock();
	t = etrace_task_find(parent);
	if (t)
		etrace_record_fork(t, child);
	rcu_read_unlock();
}

static void etrace_probe_exec(void *data, struct task_struct *p, pid_t old_pid,
			      struct linux_binprm *bprm)
{
	struct etrace_task *t;

	rcu_read_lock();
	t = etrace_task_find(p);
	if (t)
		etrace_record_exec(t, bprm);
	rcu_read_unlock();
}

static void etrace_probe_exit(ETRACE_PROTO_SCHED_PROCESS_EXIT)
{
	struct etrace_task *t;

	rcu_read_lock();
	t = etrace_task_find(p);
	if (t) {
		etrace_record_exit(t, p->exit_code);
		etrace_task_drop(p);
	}
	rcu_read_unlock();
}

/* Called with the task_lock() of @target, which may be another thread. */
static void etrace_probe_rename(void *data, struct task_struct *target,
				const char *comm)
{
	const struct etrace_syscall *sc;
	struct etrace_task *t;

	rcu_read_lock();
	t = etrace_task_find(current);
	sc = t ? etrace_syscall_current() : NULL;
	/* Of an execve, the New_proc lines tell the program. */
	if (t && !(sc && sc->record == ETRACE_REC_EXEC))
		etrace_record_comm(t, target, comm);
	rcu_read_unlock();
}

/* The tracepoints, each with its probe. */
#define ETRACE_PROBES(X)						\
	X(sys_exit,		etrace_probe_sys_exit)			\
	X(sched_process_fork,	etrace_probe_fork)			\
	X(sched_process_exec,	etrace_probe_exec)			\
	X(sched_process_exit,	etrace_probe_exit)			\
	X(task_rename,		etrace_probe_rename)

/* tracepoint_probe_register() takes anything: let the compiler compare. */
static void __maybe_unused etrace_probes_check(void)
{
#define X(tracepoint, probe)	{ check_trace_callback_type_##tracepoint(probe); }
	ETRACE_PROBES(X)
#undef X
}

static struct etrace_probe {
	const char *name;
	void *fn;
	struct tracepoint *tp;
	bool registered;
} etrace_probes[] = {
#define X(tracepoint, probe)	{ .name = #tracepoint, .fn = probe },
	ETRACE_PROBES(X)
#undef X
};

static void etrace_probe_match(struct tracepoint *tp, void *data)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(etrace_probes); i++)
		if (!strcmp(tp->name, etrace_probes[i].name))
			etrace_probes[i].tp = tp;
}

/**
 * etrace_probes_init - find the tracepoints
 *
 * Return: 0, or -ENOENT if the kernel has not all of them.
 */
int etrace_probes_init(void)
{
	unsigned int i;

	for_each_kernel_tracepoint(etrace_probe_match, NULL);
	for (i = 0; i < ARRAY_SIZE(etrace_probes); i++)
		if (!etrace_probes[i].tp) {
			pr_err("this kernel has no tracepoint %s\n",
			       etrace_probes[i].name);
			return -ENOENT;
		}
	return 0;
}

/**
 * etrace_probes_register - start to listen
 *
 * Return: 0 or a negative error, then nothing is registered.
 */
int etrace_probes_register(void)
{
	unsigned int i;
	int err;

	for (i = 0; i < ARRAY_SIZE(etrace_probes); i++) {
		struct etrace_probe *pr = &etrace_probes[i];

		err = tracepoint_probe_register(pr->tp, pr->fn, NULL);
		if (err) {
			pr_err_ratelimited("tracepoint %s: error %d; nothing is traced\n",
					   pr->name, err);
			etrace_probes_unregister();
			return err;
		}
		pr->registered = true;
	}
	return 0;
}

/**
 * etrace_probes_unregister - stop listening
 *
 * On return no probe runs any more.
 */
void etrace_probes_unregister(void)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(etrace_probes); i++) {
		struct etrace_probe *pr = &etrace_probes[i];

		if (!pr->registered)
			continue;
		/* Fails without memory; then it was replaced by a stub. */
		WARN_ON_ONCE(tracepoint_probe_unregister(pr->tp, pr->fn, NULL));
		pr->registered = false;
	}
	tracepoint_synchronize_unregister();
}
