/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Every difference between kernel versions, each with its reason and the
 * release that changed it.  The other files read as if there were one kernel;
 * no version test belongs anywhere else.
 */
#ifndef ETRACE_COMPAT_H
#define ETRACE_COMPAT_H

#include <linux/version.h>
#include <linux/fs_struct.h>
#include <linux/module.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>
#include <linux/task_work.h>
#include <linux/trace.h>
#include <uapi/linux/close_range.h>

/* 5.11: close_range() can leave descriptors open; before, it refuses to. */
#ifndef CLOSE_RANGE_CLOEXEC
#define CLOSE_RANGE_CLOEXEC	(1U << 2)
#endif

/* 6.8: the systems that an instance shows can be limited; NULL means all. */
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 8, 0)
#define etrace_trace_array_get(name)	trace_array_get_by_name(name, NULL)
#else
#define etrace_trace_array_get(name)	trace_array_get_by_name(name)
#endif

/* 5.12: the flags and the preempt count of the caller became one argument. */
#if LINUX_VERSION_CODE >= KERNEL_VERSION(5, 12, 0)
#define etrace_trace_buffer_reserve(buffer, file, len)			\
	trace_event_buffer_lock_reserve(buffer, file,			\
					(file)->event_call->event.type, len, 0)
#else
#define etrace_trace_buffer_reserve(buffer, file, len)			\
	trace_event_buffer_lock_reserve(buffer, file,			\
					(file)->event_call->event.type, len, 0, 0)
#endif

/* 6.16: sched_process_exit tells whether the whole thread group is dead. */
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 16, 0)
#define ETRACE_PROTO_SCHED_PROCESS_EXIT \
	void *data, struct task_struct *p, bool group_dead
#else
#define ETRACE_PROTO_SCHED_PROCESS_EXIT \
	void *data, struct task_struct *p
#endif

/* 6.14: the attributes of modules are constant. */
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 14, 0)
#define etrace_module_attribute const struct module_attribute
#else
#define etrace_module_attribute struct module_attribute
#endif

/*
 * Some distributions export task_work_add(), mainline does not: NULL where it
 * is missing.  It serves one datum only, see etrace_symlink_resolve().
 */
extern typeof(task_work_add) task_work_add __weak;

/*
 * 6.13: the probes of sys_enter and sys_exit run preemptible under
 * tasks-trace RCU; before, no probe may sleep.
 */
#define ETRACE_SYSCALL_PROBES_SLEEP \
	(LINUX_VERSION_CODE >= KERNEL_VERSION(6, 13, 0))

/*
 * The working directory as getcwd reads it: no reference, so the path is
 * valid only until the caller leaves its RCU read-side section.
 * 6.18: fs_struct::seq is a seqlock_t, before a seqcount_spinlock_t.
 */
static inline void etrace_fs_pwd_rcu(struct fs_struct *fs, struct path *pwd)
{
	unsigned int seq;

#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 18, 0)
	do {
		seq = read_seqbegin(&fs->seq);
		*pwd = fs->pwd;
	} while (read_seqretry(&fs->seq, seq));
#else
	do {
		seq = read_seqcount_begin(&fs->seq);
		*pwd = fs->pwd;
	} while (read_seqcount_retry(&fs->seq, seq));
#endif
}

#endif /* ETRACE_COMPAT_H */
