/* SPDX-License-Identifier: (GPL-2.0 WITH Linux-syscall-note) OR LGPL-2.1 */
/*
 * The device /dev/etrace: sessions. Shared with userspace.
 *
 * An open file is a session: a tree of tasks that is traced into a ring buffer of
 * its own, isolated from all others; the rest of the kernel does not see it. When the
 * last descriptor is closed, by whatever death of its owner, tracing of the tree ends
 * and the buffer is freed. Files that ETRACE_IOC_OPEN has given do not count.
 *
 * open() fails with EPERM for a caller that has neither CAP_PERFMON nor
 * CAP_SYS_ADMIN, unless the file's mode shuts out others: then who opens it is the
 * session's owner, and traces nothing but itself and what it has started. Sessions
 * pin the module.
 *
 * All pids are those of the caller's pid namespace. A 32-bit program makes the
 * same calls on a 64-bit kernel. Errors of every call: ENOTTY, unknown request;
 * EINVAL, the session has no buffer yet; EFAULT, a bad address.
 *
 *	fd = open("/dev/etrace", O_RDWR | O_CLOEXEC);
 *	ioctl(fd, ETRACE_IOC_CREATE, &create);	buffer made
 *	ioctl(fd, ETRACE_IOC_OPEN, &open);	for each processor, to read it
 *	ioctl(fd, ETRACE_IOC_KEEP_ENV, &list);	if need be
 *	ioctl(fd, ETRACE_IOC_ADD, &pid);	tracing begins
 *	ioctl(fd, ETRACE_IOC_CGROUP, &dir);	and of who is in a cgroup
 *	poll(fd, POLLHUP)			until no traced task lives
 *	ioctl(fd, ETRACE_IOC_STOP);		no record is written after this
 *	ioctl(fd, ETRACE_IOC_STATS, &stats);	what has been recorded and lost
 *	close(fd);
 */
#ifndef ETRACE_IOCTL_H
#define ETRACE_IOCTL_H

#include <linux/ioctl.h>
#include <linux/types.h>

#define ETRACE_ABI_VERSION	6

#define ETRACE_SESSION_COMM	1	/* record changes of thread names */
#define ETRACE_SESSION_PROBES	4	/* and what was asked of names: stat, access, readlink */
#define ETRACE_SESSION_DIRS	8	/* and which directories were listed */
#define ETRACE_SESSION_ENV	16	/* and the environment of programs that are run */
#define ETRACE_SESSION_OUTPUT	32	/* and what processes that fail printed */
#define ETRACE_SESSION_ENV_LISTED 64	/* of ENV, only the variables of ETRACE_IOC_KEEP_ENV */
#define ETRACE_SESSION_OUTPUT_ALL 128	/* with OUTPUT: of all processes */

/* The buffer of each processor, if the session does not ask for another size. */
#define ETRACE_BUFFER_PART	128		/* all together: a part of the memory */
#define ETRACE_BUFFER_LEAST	(1U << 20)	/* but of each at least so many bytes, */
#define ETRACE_BUFFER_MOST	(8U << 20)	/* and at most so many */

/**
 * struct etrace_create - make the ring buffer of a session
 * @abi: in: ETRACE_ABI_VERSION; else the call fails with EPROTO and this is
 *	out: the module's
 * @flags: ETRACE_SESSION_*; unknown ones: EINVAL
 * @bits_of_real_pid: out: how a upid divides
 * @reserved: in: 0, else EINVAL; out: 0
 * @buffer: bytes for each processor; what does not fit is lost, not written over.
 *	in: 0: as many as ETRACE_BUFFER_* say; out: how many
 *
 * EBUSY: the session has one already. EUSERS: there are as many sessions as
 * the parameters max_sessions and max_user_sessions of the module allow. EPERM: the
 * session has an owner, and asks for more than ETRACE_BUFFER_* say. ENOMEM: no memory.
 */
struct etrace_create {
	__u32 abi;
	__u32 flags;
	__u32 bits_of_real_pid;
	__u32 reserved;
	__u64 buffer;
};

/**
 * struct etrace_stats - what a session has recorded, since it was made
 * @records: records written to the ring buffer
 * @lost_records: records that it refused, being full
 * @lost_disabled: records that it refused, being switched off by the kernel after an error
 * @lost_tasks: tasks that could not be traced, for want of memory, or because the
 *	session's owner may not see what they do; not those below these
 * @lost_fds: calls whose descriptors are not all known: close_range,
 *	recvmsg, io_submit
 * @strings_joined: names joined from the user's string and a directory
 * @strings_unread: strings that could not be read
 * @strings_cut: paths longer than there is room for
 * @overwritten: records that the ring buffer threw away unread
 * @tasks: traced tasks that live now
 * @hooks_missing: hooks that this kernel does not offer, known once a task is
 *	traced
 * @strings_untold: targets of symbolic links of which nobody can tell whether
 *	they exist without asking a file system; no loss
 * @rings_unseen: what io_urings were asked for of the kinds that are recorded,
 *	and this kernel does not let us see
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
 * struct etrace_task_info - a traced task that lives
 * @upid: its identifier in this session
 * @pid: its thread id in the caller's pid namespace; 0: not visible there
 * @tgid: its process id, the same
 */
struct etrace_task_info {
	__u64 upid;
	__s32 pid;
	__s32 tgid;
};

/**
 * struct etrace_task_list - the traced tasks that live
 * @tasks: user address of room for struct etrace_task_info
 * @room: in: how many fit
 * @nr: out: how many there are, of which at most @room were written, in no
 *	particular order
 *
 * A task that is born or ends meanwhile may be there or not. EINTR: the caller
 * is killed.
 */
struct etrace_task_list {
	__u64 tasks;
	__u32 room;
	__u32 nr;
};

#define ETRACE_KEEP_ENV_MAX	1024

/**
 * struct etrace_keep_env - variables whose values nobody hides; with
 *	ETRACE_SESSION_ENV_LISTED those that are recorded, hidden as any other
 * @names: user address of their names, with commas between them
 * @len: bytes of that, below ETRACE_KEEP_ENV_MAX
 * @reserved: 0
 *
 * With ETRACE_SESSION_ENV: without it, what looks secret is hidden before it is
 * written (Documentation/line-format.md). EINVAL: that is no such list. EBUSY:
 * a task has been added.
 */
struct etrace_keep_env {
	__u64 names;
	__u32 len;
	__u32 reserved;
};

/* What ETRACE_IOC_OPEN opens. */
#define ETRACE_OPEN_PIPE	1	/* the buffer of a processor */
#define ETRACE_OPEN_HEADER	2	/* events/header_page */
#define ETRACE_OPEN_FORMAT	3	/* the format of a trace event of etrace */

/**
 * struct etrace_open - open a file of the session
 * @what: ETRACE_OPEN_*
 * @cpu: which processor, of ETRACE_OPEN_PIPE
 * @name: which trace event, of ETRACE_OPEN_FORMAT
 *
 * The call returns a descriptor, to read without waiting. EINVAL: there is no such
 * file. EBUSY: that buffer is open. ENOENT: tracefs is not mounted on
 * /sys/kernel/tracing, for ETRACE_OPEN_HEADER and _FORMAT. ENOMEM: no memory.
 *
 * A buffer is read by whole pages, as ftrace's trace_pipe_raw is, but the flags and the
 * preempt count of its records are 0. EINVAL: there is no room for a page;
 * EAGAIN, there is nothing to read. poll() finds it readable when a quarter of it is
 * full. When the session has ended, read() returns 0 and poll() POLLHUP.
 */
struct etrace_open {
	__u32 what;
	__u32 cpu;
	char name[32];
};

#define ETRACE_IOC_MAGIC	0xe7

#define ETRACE_IOC_CREATE	_IOWR(ETRACE_IOC_MAGIC, 1, struct etrace_create)
/*
 * Trace the task with this pid and all below it. ESRCH: there is no such task;
 * EPERM: who opened the device without CAP_PERFMON traces itself and what it has
 * started, with the rights that it has itself and as far as it might debug it, and
 * nobody else; who is refused once is so for the rest of the session, with all that it
 * starts. Others: the kernel does not let the module listen, its log says why.
 */
#define ETRACE_IOC_ADD		_IOW(ETRACE_IOC_MAGIC, 2, __s32)
/* Trace nothing any more; the buffer stays until the session's end. */
#define ETRACE_IOC_STOP		_IO(ETRACE_IOC_MAGIC, 3)
#define ETRACE_IOC_STATS	_IOR(ETRACE_IOC_MAGIC, 4, struct etrace_stats)
#define ETRACE_IOC_TASKS	_IOWR(ETRACE_IOC_MAGIC, 5, struct etrace_task_list)
#define ETRACE_IOC_KEEP_ENV	_IOW(ETRACE_IOC_MAGIC, 6, struct etrace_keep_env)
#define ETRACE_IOC_OPEN		_IOW(ETRACE_IOC_MAGIC, 8, struct etrace_open)
/*
 * Trace who is in the cgroup of which this is a descriptor (of its directory, in a
 * cgroup2 file system), or in one below it, now or later, with all that they
 * start. Once traced, a task is so wherever it goes. The session keeps the cgroup,
 * not the descriptor. EBADF: it is no such descriptor; ENOSPC: there are
 * ETRACE_CGROUPS_MAX in the session; EPERM: who opened the device has no CAP_PERFMON;
 * EOPNOTSUPP: the kernel has no cgroups, or does not tell who moves into one.
 */
#define ETRACE_IOC_CGROUP	_IOW(ETRACE_IOC_MAGIC, 7, __s32)

#define ETRACE_CGROUPS_MAX	16

#endif /* ETRACE_IOCTL_H */
