/* SPDX-License-Identifier: (GPL-2.0 WITH Linux-syscall-note) OR LGPL-2.1 */
/*
 * The device /dev/etrace: sessions. Shared with userspace.
 *
 * An open file is a session: a tree of tasks that is traced into its own ring buffer,
 * isolated from other sessions and from the rest of the kernel. When its last descriptor
 * is closed, for example because the owner was killed, tracing stops and the buffer is
 * freed. Descriptors that ETRACE_IOC_OPEN returned do not keep a session alive.
 *
 * open() fails with EPERM for a caller that has neither CAP_PERFMON nor
 * CAP_SYS_ADMIN, unless the file's mode denies access to others: then the caller becomes
 * the session's owner, and can trace only itself and what it has started. Sessions
 * pin the module.
 *
 * All pids are those of the caller's pid namespace. 32-bit programs use
 * the same calls on a 64-bit kernel. Errors of every call: ENOTTY, unknown request;
 * EINVAL, the session has no buffer yet; EFAULT, bad address.
 *
 *	fd = open("/dev/etrace", O_RDWR | O_CLOEXEC);
 *	ioctl(fd, ETRACE_IOC_CREATE, &create);	makes the buffer
 *	ioctl(fd, ETRACE_IOC_OPEN, &open);	for each CPU, to read its buffer
 *	ioctl(fd, ETRACE_IOC_KEEP_ENV, &list);	optional
 *	ioctl(fd, ETRACE_IOC_ADD, &pid);	tracing begins
 *	ioctl(fd, ETRACE_IOC_CGROUP, &dir);	optional: also all tasks of a cgroup
 *	poll(fd, POLLHUP)			until no traced task lives
 *	ioctl(fd, ETRACE_IOC_STOP);		no record is written after this
 *	ioctl(fd, ETRACE_IOC_STATS, &stats);	counts of recorded and lost records
 *	close(fd);
 */
#ifndef ETRACE_IOCTL_H
#define ETRACE_IOCTL_H

#include <linux/ioctl.h>
#include <linux/types.h>

#define ETRACE_ABI_VERSION	6

#define ETRACE_SESSION_COMM	1	/* record changes of thread names */
#define ETRACE_SESSION_PROBES	4	/* record queries of names: stat, access, readlink */
#define ETRACE_SESSION_DIRS	8	/* record listings of directories */
#define ETRACE_SESSION_ENV	16	/* record the environment of programs that are run */
#define ETRACE_SESSION_OUTPUT	32	/* record the output of processes that fail */
#define ETRACE_SESSION_ENV_LISTED 64	/* with ENV: only the variables of ETRACE_IOC_KEEP_ENV */
#define ETRACE_SESSION_OUTPUT_ALL 128	/* with OUTPUT: also of processes that succeed */

/* Default size of each CPU's buffer. */
#define ETRACE_BUFFER_PART	128		/* all buffers together: this fraction of memory */
#define ETRACE_BUFFER_LEAST	(1U << 20)	/* each buffer: at least this many bytes */
#define ETRACE_BUFFER_MOST	(8U << 20)	/* each buffer: at most this many bytes */

/**
 * struct etrace_create - create the ring buffer of a session
 * @abi: in: ETRACE_ABI_VERSION; otherwise the call fails with EPROTO;
 *	out: the module's version
 * @flags: ETRACE_SESSION_*; EINVAL if any is unknown
 * @bits_of_real_pid: out: number of low bits of a upid that hold the pid
 * @reserved: in: 0, else EINVAL; out: 0
 * @buffer: bytes for each CPU; records that do not fit are lost, old ones stay.
 *	in: 0 for the default, see ETRACE_BUFFER_*; out: actual size
 *
 * EBUSY: the session already has a buffer. EUSERS: the module's parameters max_sessions
 * and max_user_sessions allow no more sessions. EPERM: the session has an owner, and
 * asks for more than the default. ENOMEM: no memory.
 */
struct etrace_create {
	__u32 abi;
	__u32 flags;
	__u32 bits_of_real_pid;
	__u32 reserved;
	__u64 buffer;
};

/**
 * struct etrace_stats - counters of a session, since it was created
 * @records: records written to the ring buffer
 * @lost_records: records lost because the buffer was full
 * @lost_disabled: records lost because the kernel switched the buffer off after an error
 * @lost_tasks: tasks that could not be traced because there was no memory, or because
 *	the session's owner may not see what they do; not counting their descendants
 * @lost_fds: calls whose descriptors are not all known: close_range,
 *	recvmsg, io_submit
 * @strings_joined: names joined from the user's string and a directory
 * @strings_unread: strings that could not be read
 * @strings_cut: paths that were too long
 * @overwritten: records that were overwritten before they were read
 * @tasks: living traced tasks
 * @hooks_missing: hooks that this kernel does not offer, known once a task is
 *	traced
 * @strings_untold: targets of symbolic links whose existence is unknown without
 *	asking a file system; not a loss
 * @rings_unseen: io_uring operations of recorded kinds that this kernel does not
 *	let the module see
 */
struct etrace_stats {
	__u64 records;
	__u64 lost_records;
	__u64 lost_disabled;
	__u64 lost_tasks;
	__u64 lost_fds;
	__u64 strings_joined;
	__u64 strings_unread;
	__u64 strings_cut;
	__u64 overwritten;
	__u64 tasks;
	__u64 hooks_missing;
	__u64 strings_untold;
	__u64 rings_unseen;
};

/**
 * struct etrace_task_info - a living traced task
 * @upid: its identifier in this session
 * @pid: its thread id in the caller's pid namespace, 0 if not visible there
 * @tgid: its process id in the caller's pid namespace, 0 if not visible there
 */
struct etrace_task_info {
	__u64 upid;
	__s32 pid;
	__s32 tgid;
};

/**
 * struct etrace_task_list - the living traced tasks
 * @tasks: user address of an array of struct etrace_task_info
 * @room: in: number of entries that fit
 * @nr: out: number of tasks, of which at most @room were written, in no
 *	particular order
 *
 * A task that starts or ends during the call may be listed or not. EINTR: the caller
 * was killed.
 */
struct etrace_task_list {
	__u64 tasks;
	__u32 room;
	__u32 nr;
};

#define ETRACE_KEEP_ENV_MAX	1024

/**
 * struct etrace_keep_env - variables whose values are never hidden; with
 *	ETRACE_SESSION_ENV_LISTED: the only variables recorded, hidden if they look secret
 * @names: user address of their names, separated by commas
 * @len: bytes of @names, below ETRACE_KEEP_ENV_MAX
 * @reserved: 0
 *
 * Used with ETRACE_SESSION_ENV. Without this call, all values that look secret are hidden
 * before they are written (Documentation/line-format.md). EINVAL: not a valid list.
 * EBUSY: a task has already been added.
 */
struct etrace_keep_env {
	__u64 names;
	__u32 len;
	__u32 reserved;
};

/* What ETRACE_IOC_OPEN opens. */
#define ETRACE_OPEN_PIPE	1	/* the buffer of a CPU */
#define ETRACE_OPEN_HEADER	2	/* events/header_page */
#define ETRACE_OPEN_FORMAT	3	/* the format of a trace event of etrace */

/**
 * struct etrace_open - open a file of the session
 * @what: ETRACE_OPEN_*
 * @cpu: CPU number, for ETRACE_OPEN_PIPE
 * @name: name of the trace event, for ETRACE_OPEN_FORMAT
 *
 * The call returns a non-blocking descriptor. EINVAL: no such
 * file. EBUSY: that buffer is open. ENOENT: tracefs is not mounted on
 * /sys/kernel/tracing, for ETRACE_OPEN_HEADER and _FORMAT. ENOMEM: no memory.
 *
 * A buffer is read in whole pages, as ftrace's trace_pipe_raw is, but the flags and the
 * preempt count of its records are 0. EINVAL: no room for a page;
 * EAGAIN: nothing to read. poll() reports it readable when a quarter of it is
 * full. After the session has ended, read() returns 0 and poll() POLLHUP.
 */
struct etrace_open {
	__u32 what;
	__u32 cpu;
	char name[32];
};

#define ETRACE_IOC_MAGIC	0xe7

#define ETRACE_IOC_CREATE	_IOWR(ETRACE_IOC_MAGIC, 1, struct etrace_create)
/*
 * Trace the task with this pid and all its descendants. ESRCH: no such task. EPERM: without
 * CAP_PERFMON when the device was opened, its opener may trace only itself and what it has
 * started, as long as these run with its credentials and it may debug them; a task that is
 * refused stays refused for the rest of the session, and so do its descendants.
 * Other errors: the module cannot register its probes; the kernel log says why.
 */
#define ETRACE_IOC_ADD		_IOW(ETRACE_IOC_MAGIC, 2, __s32)
/* Stop tracing; the buffer stays until the session's end. */
#define ETRACE_IOC_STOP		_IO(ETRACE_IOC_MAGIC, 3)
#define ETRACE_IOC_STATS	_IOR(ETRACE_IOC_MAGIC, 4, struct etrace_stats)
#define ETRACE_IOC_TASKS	_IOWR(ETRACE_IOC_MAGIC, 5, struct etrace_task_list)
#define ETRACE_IOC_KEEP_ENV	_IOW(ETRACE_IOC_MAGIC, 6, struct etrace_keep_env)
#define ETRACE_IOC_OPEN		_IOW(ETRACE_IOC_MAGIC, 8, struct etrace_open)
/*
 * Trace all tasks that are in a cgroup or below it, now or later, and everything that
 * they start. The argument is a descriptor of the cgroup's directory in a cgroup2 file
 * system; it may be closed after the call. A task stays traced when it leaves the cgroup.
 * EBADF: not such a descriptor. ENOSPC: the session already has ETRACE_CGROUPS_MAX
 * cgroups. EPERM: the device was opened without CAP_PERFMON. EOPNOTSUPP: the kernel has
 * no cgroups, or no tracepoint for moves into one.
 */
#define ETRACE_IOC_CGROUP	_IOW(ETRACE_IOC_MAGIC, 7, __s32)

#define ETRACE_CGROUPS_MAX	16

#endif /* ETRACE_IOCTL_H */
