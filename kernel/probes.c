// SPDX-License-Identifier: GPL-2.0
/*
 * Probes at the kernel's tracepoints.  They filter events and pass them on; calls.c
 * decides what is recorded.  Probes and hooks are registered only while tasks are
 * traced (task.c).
 *
 * A probe must not sleep, since preemption may be off; on new kernels it may be preempted.
 * From its first look-up to its last it is in an RCU read-side section, which keeps the
 * slots that it uses valid, including slots of other tasks.
 *
 * There is no probe on sys_enter, so an untraced call runs only one probe.  It is not
 * needed: at sys_exit the registers still hold the arguments of every call but execve,
 * which has its own tracepoint.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/binfmts.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>
#include <linux/tracepoint.h>
#include <trace/events/sched.h>
#include <trace/events/syscalls.h>
#include <trace/events/task.h>

#include "probes.h"
#include "calls.h"
#include "calls_use.h"
#include "cgroup.h"
#include "compat.h"
#include "cost.h"
#include "hooks.h"
#include "life.h"
#include "rights.h"
#include "table.h"
#include "task.h"
#include "tracepoint.h"
#include "uring.h"

static void etrace_probe_sys_exit(void *data, struct pt_regs *regs, long ret)
{
	/* Test first what is false for nearly every task. */
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
	etrace_cgroup_fork(child);
}

static void etrace_probe_exec(void *data, struct task_struct *p, pid_t old_pid,
			      struct linux_binprm *bprm)
{
	struct etrace_task *t;

	rcu_read_lock();
	t = etrace_task_find(p);
	if (t) {
		etrace_record_exec(t, bprm);
		etrace_task_rights(t, bprm->secureexec);
	}
	rcu_read_unlock();
}

static void etrace_probe_exit(ETRACE_PROTO_SCHED_PROCESS_EXIT)
{
	struct etrace_task *t;

	rcu_read_lock();
	t = etrace_task_find(p);
	if (t) {
		etrace_record_exit(t, p, etrace_group_dead(p));
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
	/* Not during an execve: its record contains the program's name. */
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

enum etrace_probe_id {
#define X(name, probe)	ETRACE_PROBE_##name,
	ETRACE_PROBES(X)
#undef X
	ETRACE_NR_PROBES,
};

static const char *const etrace_probe_names[ETRACE_NR_PROBES] = {
#define X(name, probe)	#name,
	ETRACE_PROBES(X)
#undef X
};

static struct tracepoint *etrace_tracepoints[ETRACE_NR_PROBES];
static unsigned int etrace_nr_registered;	/* number of probes registered, from the first on */

/*
 * The kernel accepts any pointer as a probe. So each probe has its own functions, where
 * the compiler checks the probe's type against its tracepoint's.
 */
#define X(name, probe)						\
static int etrace_register_##name(struct tracepoint *tp)		\
{									\
	check_trace_callback_type_##name(probe);			\
	return tracepoint_probe_register(tp, probe, NULL);		\
}									\
static int etrace_unregister_##name(struct tracepoint *tp)	\
{									\
	check_trace_callback_type_##name(probe);			\
	return tracepoint_probe_unregister(tp, probe, NULL);		\
}
ETRACE_PROBES(X)
#undef X

static const struct {
	int (*add)(struct tracepoint *tp);
	int (*remove)(struct tracepoint *tp);
} etrace_probe_fns[ETRACE_NR_PROBES] = {
#define X(name, probe)						\
	{ etrace_register_##name, etrace_unregister_##name },
	ETRACE_PROBES(X)
#undef X
};

/**
 * etrace_probes_init - find the tracepoints
 *
 * Return: 0, or -ENOENT if the kernel lacks one of them.
 */
int etrace_probes_init(void)
{
	unsigned int i;

	for (i = 0; i < ETRACE_NR_PROBES; i++) {
		etrace_tracepoints[i] = etrace_tracepoint_find(etrace_probe_names[i]);
		if (!etrace_tracepoints[i]) {
			pr_err("this kernel has no tracepoint %s\n",
			       etrace_probe_names[i]);
			return -ENOENT;
		}
	}
	return 0;
}

/* On return no probe is running. */
static void etrace_probes_unregister(void)
{
	unsigned int i;

	for (i = 0; i < etrace_nr_registered; i++)
		/* Fails if out of memory; the kernel has then replaced the probe with a stub. */
		WARN_ON_ONCE(etrace_probe_fns[i].remove(etrace_tracepoints[i]));
	etrace_nr_registered = 0;
	tracepoint_synchronize_unregister();
}

/* Return: 0, or a negative error with nothing registered. */
static int etrace_probes_register(void)
{
	unsigned int i;
	int err;

	for (i = 0; i < ETRACE_NR_PROBES; i++) {
		err = etrace_probe_fns[i].add(etrace_tracepoints[i]);
		if (err) {
			pr_err_ratelimited("tracepoint %s: error %d; nothing is traced\n",
					   etrace_probe_names[i], err);
			etrace_probes_unregister();
			return err;
		}
		etrace_nr_registered++;
	}
	return 0;
}

static void etrace_probes_unhook(void)
{
	etrace_uring_allow(false);
	etrace_hooks_unregister();
}

static int etrace_probes_start(void)
{
	int err;

	etrace_hooks_register();
	etrace_uring_allow(true);
	err = etrace_probes_register();
	if (err)
		etrace_probes_unhook();
	return err;
}

static void etrace_probes_stop(void)
{
	etrace_probes_unregister();
	etrace_probes_unhook();
}

const struct etrace_listener etrace_probes = {
	.start = etrace_probes_start,
	.stop = etrace_probes_stop,
	.left = etrace_use_left,
};
