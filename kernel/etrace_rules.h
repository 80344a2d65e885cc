/* SPDX-License-Identifier: GPL-2.0 OR LGPL-2.1 */
/*
 * Rules for what to record about a call, shared by the module and the BPF programs,
 * which must make the same decisions.  Pure functions; the including file must provide
 * the kernel's names (O_CREAT, ENOENT, ...).
 */
#ifndef ETRACE_RULES_H
#define ETRACE_RULES_H

/* The column "recorded" of ETRACE_RECORD(): which results make a call an event? */
enum etrace_recorded_if {
	ETRACE_RECORDED_NEVER	= 0,	/* recorded elsewhere */
	ETRACE_RECORDED_MADE	= 1,	/* if it succeeded */
	ETRACE_RECORDED_FAILED	= 2,	/* if it failed; a tracepoint reports success */
	ETRACE_RECORDED_BOTH	= 3,
	ETRACE_RECORDED_NOT_EBADF	= 4,
	ETRACE_RECORDED_USED	= 16,	/* if it succeeded: as a use of descriptor argument 0 */
	/* Unless close() returns EBADF, the descriptor is closed. */
	ETRACE_RECORDED_CLOSED	= ETRACE_RECORDED_BOTH | ETRACE_RECORDED_NOT_EBADF,
	/* A failure is a different kind of event, an EXTENDED one. */
	ETRACE_RECORDED_OTHER	= 8,
	ETRACE_RECORDED_APART	= ETRACE_RECORDED_FAILED | ETRACE_RECORDED_OTHER,
	ETRACE_RECORDED_MADE_OR_APART = ETRACE_RECORDED_BOTH | ETRACE_RECORDED_OTHER,
};

static __always_inline
_Bool etrace_is_recorded(unsigned int recorded, long ret)
{
	return recorded >> (ret < 0) & 1 && !(recorded & ETRACE_RECORDED_NOT_EBADF && ret == -EBADF);
}

/* The kernel will restart the call, or return EINTR to the program. */
static __always_inline
_Bool etrace_interrupted(long ret)
{
	return ret <= -512 && ret >= -516;	/* ERESTARTSYS to ERESTART_RESTARTBLOCK */
}

/*
 * May a call have failed while looking up its first name? Then that name means nothing. With
 * any other error it is meaningful, even if the kernel did not resolve the names.
 */
static __always_inline
_Bool etrace_failed_look_up(long ret)
{
	switch (-ret) {
	case ENOENT:
	case ENOTDIR:
	case ELOOP:
	case EACCES:
	case ENAMETOOLONG:
	case EFAULT:
	case EBADF:
	case ESTALE:
		return 1;
	}
	return 0;
}

/*
 * With these errors, the kernel may not have read the name, or has found no directory
 * to search: if the name cannot be read here either, that is not a loss.
 */
static __always_inline
_Bool etrace_failed_unread(long ret)
{
	return ret == -EFAULT || ret == -EBADF || ret == -EINVAL || ret == -E2BIG;
}

/* creat() is open() with these flags. */
#define ETRACE_CREAT_FLAGS	(O_CREAT | O_WRONLY | O_TRUNC)

/* musl defines only O_TMPFILE. */
#ifndef __O_TMPFILE
#define __O_TMPFILE O_TMPFILE
#endif

/* Flags that an open file keeps from its opening. */
#define ETRACE_KEPT_FLAGS \
	(O_ACCMODE | O_PATH | O_APPEND | O_DIRECTORY | O_NOFOLLOW | __O_TMPFILE)

/* Without these flags the caller need not have passed a mode. */
static __always_inline
unsigned short etrace_open_mode(unsigned long flags, unsigned long mode)
{
	return flags & (O_CREAT | __O_TMPFILE) ? (unsigned short)mode : 0;
}

/* Flags of the dup3() call that a command of fcntl() corresponds to, -1 if none. */
static __always_inline
long etrace_fcntl_dup(unsigned int cmd)
{
	return cmd == F_DUPFD ? 0 : cmd == F_DUPFD_CLOEXEC ? O_CLOEXEC : -1;
}

/* The size that was passed to a call: in two halves, or as one word of 64 or 32 bits. */
static __always_inline
long long etrace_file_size(unsigned long low, unsigned long high, _Bool halves, _Bool is_32)
{
	if (halves)
		return (long long)((unsigned long long)(unsigned int)high << 32 |
				   (unsigned int)low);
	return is_32 ? (int)low : (long)low;
}

/* The owner or group that was passed to a call, perhaps in 16 bits; -1 if it should not change. */
static __always_inline
long long etrace_owner(unsigned long id, _Bool is_16)
{
	if (is_16)
		return (unsigned short)id == 0xffff ? -1 : (unsigned short)id;
	return (unsigned int)id == ~0U ? -1 : (long long)(unsigned int)id;
}

/* Bits of etrace_utimens.now: the time is set to that of the call. */
#define ETRACE_NOW_ATIME	1
#define ETRACE_NOW_MTIME	2

/* What utimensat() and similar calls do to a time. */
enum etrace_time_as {
	ETRACE_TIME_KEPT,	/* it is unchanged, or the value is invalid */
	ETRACE_TIME_NOW,
	ETRACE_TIME_SET,
};

/**
 * etrace_time - convert a time that a file gets
 * @sec: seconds since 1970
 * @part: microseconds or nanoseconds, or UTIME_NOW or UTIME_OMIT
 * @per_sec: number of these in a second
 * @ns: set to nanoseconds since 1970, limited to what 64 bits can hold
 */
static __always_inline
enum etrace_time_as etrace_time(long long sec, long long part, unsigned int per_sec,
				long long *ns)
{
	const long long max = 9223372036LL;	/* in the year 2262 */

	if (per_sec == 1000000000 && part == ((1L << 30) - 1L))
		return ETRACE_TIME_NOW;
	if (part < 0 || part >= per_sec)
		return ETRACE_TIME_KEPT;
	if (sec >= max)
		*ns = ~0ULL >> 1;
	else if (sec <= -max)
		*ns = -(long long)(~0ULL >> 1) - 1;
	else
		*ns = sec * 1000000000 + part * (1000000000 / per_sec);
	return ETRACE_TIME_SET;
}

/*
 * connect() and bind() with an address that cannot be read: does the error mean
 * that the kernel had no address either?
 */
static __always_inline
_Bool etrace_failed_address(long ret)
{
	return ret == -EFAULT || ret == -EINVAL || ret == -EBADF || ret == -ENOTSOCK;
}

/*
 * socketcall(): which results of the call that it stands for make an event, and how
 * many of its arguments are read.
 */
#define ETRACE_SOCKETCALL_ARGS	4

static __always_inline
unsigned int etrace_socketcall_recorded(unsigned int what)
{
	switch (what) {
	case SYS_CONNECT:
	case SYS_BIND:
		return ETRACE_RECORDED_BOTH;
	case SYS_ACCEPT:
	case SYS_ACCEPT4:
	case SYS_SOCKETPAIR:
	case SYS_SEND:
	case SYS_SENDTO:
	case SYS_SENDMSG:
	case SYS_SENDMMSG:
	case SYS_RECV:
	case SYS_RECVFROM:
	case SYS_RECVMSG:
	case SYS_RECVMMSG:
		return ETRACE_RECORDED_MADE;
	}
	return ETRACE_RECORDED_NEVER;
}

static __always_inline
unsigned int etrace_socketcall_args(unsigned int what)
{
	return what == SYS_RECVMMSG || what == SYS_SOCKETPAIR ? 4 : 3;
}

/* Maximum records of the use of a socket while it is open. */
#define ETRACE_TURNS_MAX	255

/*
 * io_submit(): the beginning of struct iocb, and the maximum requests of a call that
 * are read.
 */
#define ETRACE_AIO_MAX	128

struct etrace_iocb {
	unsigned long long data;
	unsigned int key, flags;
	unsigned short op;
	short priority;
	unsigned int fd;
};

static __always_inline
_Bool etrace_aio_reads(unsigned int op)
{
	return op == 0 || op == 7;	/* IOCB_CMD_PREAD, IOCB_CMD_PREADV */
}

static __always_inline
_Bool etrace_aio_writes(unsigned int op)
{
	return op == 1 || op == 8;	/* IOCB_CMD_PWRITE, IOCB_CMD_PWRITEV */
}

/* Value "call" of an ask event: numbers that never change. */
#define ETRACE_ASK_GETRANDOM	0
#define ETRACE_ASK_UNAME	1
#define ETRACE_ASK_AFFINITY	2
#define ETRACE_ASK_SYSINFO	3

/* Where nodename is in struct new_utsname, in all ABIs; a NUL ends it. */
#define ETRACE_NODENAME_AT	65

/* The flags of clone() that correspond to fork() and vfork(). */
#define ETRACE_FORK_FLAGS	SIGCHLD
#define ETRACE_VFORK_FLAGS	(SIGCHLD | CLONE_VFORK | CLONE_VM)

/*
 * One of these signals is pending if an execve failed after the old program was gone:
 * the task ends, and the name that it passed is gone, too.
 */
#define ETRACE_KILLING	(1UL << (SIGKILL - 1) | 1UL << (SIGSEGV - 1))

#endif /* ETRACE_RULES_H */
