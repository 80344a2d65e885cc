/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What differs between architectures: the numbers of system calls in each
 * ABI, and the symbol behind one.  Included by table.h and hooks.c only.
 */
#ifndef ETRACE_ABI_H
#define ETRACE_ABI_H

#include <linux/compat.h>
#include <asm/syscall.h>
#include <asm/unistd.h>

#define ETRACE_NR_MAX	512	/* system call numbers looked at, per ABI */
#define ETRACE_NR_NONE	(-1)	/* the ABI does not have this call */

enum etrace_abi {
	ETRACE_ABI_NATIVE,
	ETRACE_ABI_COMPAT,
	ETRACE_NR_ABI,
};

#if defined(CONFIG_X86_64)

#define ETRACE_SYSCALL_SYMBOL(name)		"__x64_sys_" #name
#define ETRACE_SYSCALL_SYMBOL_COMPAT(name)	"__ia32_sys_" #name
#define ETRACE_NR_COMPAT(name)			__NR_ia32_##name

/* Native calls of x32 tasks have the native numbers and a bit of their own. */
static inline enum etrace_abi etrace_abi(int *nr)
{
	if (IS_ENABLED(CONFIG_IA32_EMULATION) &&
	    unlikely(current_thread_info()->status & TS_COMPAT))
		return ETRACE_ABI_COMPAT;
	if (IS_ENABLED(CONFIG_X86_X32_ABI))
		*nr &= ~__X32_SYSCALL_BIT;
	return ETRACE_ABI_NATIVE;
}

/* The first argument of a call. */
static inline unsigned long etrace_first_arg(struct pt_regs *regs)
{
	if (IS_ENABLED(CONFIG_IA32_EMULATION) &&
	    unlikely(current_thread_info()->status & TS_COMPAT))
		return (u32)regs->bx;
	return regs->di;
}
#define etrace_first_arg etrace_first_arg

#ifndef CONFIG_IA32_EMULATION
#undef ETRACE_NR_COMPAT
#define ETRACE_NR_COMPAT(name)			ETRACE_NR_NONE
#endif

#elif defined(CONFIG_ARM64)

#define ETRACE_SYSCALL_SYMBOL(name)		"__arm64_sys_" #name
#define ETRACE_SYSCALL_SYMBOL_COMPAT(name)	NULL
#define ETRACE_NR_COMPAT(name)			ETRACE_NR_NONE

static inline enum etrace_abi etrace_abi(int *nr)
{
	return is_compat_task() ? ETRACE_ABI_COMPAT : ETRACE_ABI_NATIVE;
}

#else

#define ETRACE_SYSCALL_SYMBOL(name)		"sys_" #name
#define ETRACE_SYSCALL_SYMBOL_COMPAT(name)	NULL
#define ETRACE_NR_COMPAT(name)			ETRACE_NR_NONE

static inline enum etrace_abi etrace_abi(int *nr)
{
	return in_compat_syscall() ? ETRACE_ABI_COMPAT : ETRACE_ABI_NATIVE;
}

#endif

#ifndef etrace_first_arg
static inline unsigned long etrace_first_arg(struct pt_regs *regs)
{
	unsigned long args[6];

	syscall_get_arguments(current, regs, args);
	return args[0];
}
#endif

/* Calls that not every ABI has. */
#ifndef __NR_chmod
#define __NR_chmod	ETRACE_NR_NONE
#endif
#ifndef __NR_access
#define __NR_access	ETRACE_NR_NONE
#endif
#ifndef __NR_ia32_accept
#define __NR_ia32_accept	ETRACE_NR_NONE
#endif
#ifndef __NR_creat
#define __NR_creat	ETRACE_NR_NONE
#endif
#ifndef __NR_dup2
#define __NR_dup2	ETRACE_NR_NONE
#endif
#ifndef __NR_fcntl
#define __NR_fcntl	ETRACE_NR_NONE
#endif
#ifndef __NR_fcntl64
#define __NR_fcntl64	ETRACE_NR_NONE
#endif
#ifndef __NR_fork
#define __NR_fork	ETRACE_NR_NONE
#endif
#ifndef __NR_ftruncate
#define __NR_ftruncate	ETRACE_NR_NONE
#endif
#ifndef __NR_ftruncate64
#define __NR_ftruncate64	ETRACE_NR_NONE
#endif
#ifndef __NR_futimesat
#define __NR_futimesat	ETRACE_NR_NONE
#endif
#ifndef __NR_fstatat64
#define __NR_fstatat64	ETRACE_NR_NONE
#endif
#ifndef __NR_getdents
#define __NR_getdents	ETRACE_NR_NONE
#endif
#ifndef __NR_link
#define __NR_link	ETRACE_NR_NONE
#endif
#ifndef __NR_mmap2
#define __NR_mmap2	ETRACE_NR_NONE
#endif
#ifndef __NR_mkdir
#define __NR_mkdir	ETRACE_NR_NONE
#endif
#ifndef __NR_mknod
#define __NR_mknod	ETRACE_NR_NONE
#endif
#ifndef __NR_lstat
#define __NR_lstat	ETRACE_NR_NONE
#endif
#ifndef __NR_lstat64
#define __NR_lstat64	ETRACE_NR_NONE
#endif
#ifndef __NR_newfstatat
#define __NR_newfstatat	ETRACE_NR_NONE
#endif
#ifndef __NR_open
#define __NR_open	ETRACE_NR_NONE
#endif
#ifndef __NR_pipe
#define __NR_pipe	ETRACE_NR_NONE
#endif
#ifndef __NR_recvmmsg_time64
#define __NR_recvmmsg_time64	ETRACE_NR_NONE
#endif
#ifndef __NR_readlink
#define __NR_readlink	ETRACE_NR_NONE
#endif
#ifndef __NR_recvmmsg
#define __NR_recvmmsg	ETRACE_NR_NONE
#endif
#ifndef __NR_recvmmsg_time64
#define __NR_recvmmsg_time64	ETRACE_NR_NONE
#endif
#ifndef __NR_rename
#define __NR_rename	ETRACE_NR_NONE
#endif
#ifndef __NR_renameat
#define __NR_renameat	ETRACE_NR_NONE
#endif
#ifndef __NR_rmdir
#define __NR_rmdir	ETRACE_NR_NONE
#endif
#ifndef __NR_sendfile64
#define __NR_sendfile64	ETRACE_NR_NONE
#endif
#ifndef __NR_stat
#define __NR_stat	ETRACE_NR_NONE
#endif
#ifndef __NR_stat64
#define __NR_stat64	ETRACE_NR_NONE
#endif
#ifndef __NR_socketcall
#define __NR_socketcall	ETRACE_NR_NONE
#endif
#ifndef __NR_symlink
#define __NR_symlink	ETRACE_NR_NONE
#endif
#ifndef __NR_truncate
#define __NR_truncate	ETRACE_NR_NONE
#endif
#ifndef __NR_truncate64
#define __NR_truncate64	ETRACE_NR_NONE
#endif
#ifndef __NR_umount
#define __NR_umount	ETRACE_NR_NONE
#endif
#ifndef __NR_unlink
#define __NR_unlink	ETRACE_NR_NONE
#endif
#ifndef __NR_utime
#define __NR_utime	ETRACE_NR_NONE
#endif
#ifndef __NR_utimensat
#define __NR_utimensat	ETRACE_NR_NONE
#endif
#ifndef __NR_utimensat_time64
#define __NR_utimensat_time64 ETRACE_NR_NONE
#endif
#ifndef __NR_utimes
#define __NR_utimes	ETRACE_NR_NONE
#endif
#ifndef __NR_vfork
#define __NR_vfork	ETRACE_NR_NONE
#endif
#ifndef __NR_ia32_newfstatat
#define __NR_ia32_newfstatat	ETRACE_NR_NONE
#endif

/* 6.6: before, the number is nobody's, and the same everywhere. */
#ifndef __NR_fchmodat2
#define __NR_fchmodat2		452
#endif
#ifndef __NR_ia32_fchmodat2
#define __NR_ia32_fchmodat2	452
#endif

#endif /* ETRACE_ABI_H */
