/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Differences between architectures: system call numbers of each ABI, and the
 * symbol that implements a call.  Included by table.h and hooks.c only.
 */
#ifndef ETRACE_ABI_H
#define ETRACE_ABI_H

#include <linux/compat.h>
#include <linux/err.h>
#include <linux/ptrace.h>
#include <asm/syscall.h>
#include <asm/unistd.h>

#define ETRACE_NR_MAX	548	/* system call numbers below this are looked up, per ABI */
#define ETRACE_X32_OWN	512	/* x32 calls from here on: etrace_numbers_x32.def */
#define ETRACE_NR_NONE	(-1)	/* the ABI does not have this call */

enum etrace_abi {
	ETRACE_ABI_NATIVE,
	ETRACE_ABI_COMPAT,
	ETRACE_ABI_X32,		/* its numbers without the x32 bit */
	ETRACE_NR_ABI,
};

#if defined(CONFIG_X86_64)

#define ETRACE_SYSCALL_SYMBOL(name)		"__x64_sys_" #name
#define ETRACE_SYSCALL_SYMBOL_COMPAT(name)	"__ia32_sys_" #name
#define ETRACE_NR_COMPAT(name)			__NR_ia32_##name

static inline enum etrace_abi etrace_abi(int *nr)
{
	if (IS_ENABLED(CONFIG_IA32_EMULATION) &&
	    unlikely(current_thread_info()->status & TS_COMPAT))
		return ETRACE_ABI_COMPAT;
	if (IS_ENABLED(CONFIG_X86_X32_ABI) && unlikely(*nr & __X32_SYSCALL_BIT)) {
		*nr &= ~__X32_SYSCALL_BIT;
		return ETRACE_ABI_X32;
	}
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

enum {
#define ETRACE_NUMBER_ARM(name, number) ETRACE_NR_ARM_##name = (number),
#include "etrace_numbers_arm.def"
};

/* Both ABIs call the same function. */
#define ETRACE_SYSCALL_SYMBOL(name)		"__arm64_sys_" #name
#define ETRACE_SYSCALL_SYMBOL_COMPAT(name)	NULL
#define ETRACE_NR_COMPAT(name)			ETRACE_NR_ARM_##name

/*
 * At the end of an execve the task already has the new program's ABI, but the number is
 * still one of the old program's ABI and must not be looked up. The register that holds the
 * number shows this case: execve has cleared it, like all others.
 */
static inline enum etrace_abi etrace_abi(int *nr)
{
	bool compat = is_compat_task();

	if (*nr && unlikely(!current_pt_regs()->regs[compat ? 7 : 8]))
		*nr = ETRACE_NR_NONE;
	return compat ? ETRACE_ABI_COMPAT : ETRACE_ABI_NATIVE;
}

static inline unsigned long etrace_first_arg(struct pt_regs *regs)
{
	return regs->orig_x0;
}
#define etrace_first_arg etrace_first_arg

/* A 32-bit task's return value is sign-extended, even if it is an address. */
static inline long etrace_returned(long ret)
{
	return is_compat_task() && !IS_ERR_VALUE(ret) ? (u32)ret : ret;
}
#define etrace_returned etrace_returned

#else

#define ETRACE_SYSCALL_SYMBOL(name)		"sys_" #name
#define ETRACE_SYSCALL_SYMBOL_COMPAT(name)	NULL
#define ETRACE_NR_COMPAT(name)			ETRACE_NR_NONE

static inline enum etrace_abi etrace_abi(int *nr)
{
	return in_compat_syscall() ? ETRACE_ABI_COMPAT : ETRACE_ABI_NATIVE;
}

#endif

#ifndef etrace_returned
#define etrace_returned(ret)	(ret)
#endif

#ifndef etrace_first_arg
static inline unsigned long etrace_first_arg(struct pt_regs *regs)
{
	unsigned long args[6];

	syscall_get_arguments(current, regs, args);
	return args[0];
}
#endif

#include "etrace_absent.h"

/* Calls that 32-bit programs on x86 may lack. */
#ifndef __NR_ia32_accept
#define __NR_ia32_accept	ETRACE_NR_NONE
#endif
#ifndef __NR_ia32_recv
#define __NR_ia32_recv	ETRACE_NR_NONE
#endif
#ifndef __NR_ia32_send
#define __NR_ia32_send	ETRACE_NR_NONE
#endif
#ifndef __NR_ia32_newfstatat
#define __NR_ia32_newfstatat	ETRACE_NR_NONE
#endif
#ifndef __NR_ia32_fchmodat2
#define __NR_ia32_fchmodat2	452
#endif

#endif /* ETRACE_ABI_H */
