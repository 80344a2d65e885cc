/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Differences between architectures: how to get the number and the arguments of a system
 * call, and the arguments of a kernel function.
 */
#ifndef ETRACE_ARCH_BPF_H
#define ETRACE_ARCH_BPF_H

/* A field of a struct: read directly if the verifier knows the pointer's type. */
#define GET(p, f)	(OLD ? BPF_CORE_READ((p), f) : (p)->f)

#ifdef __TARGET_ARCH_arm64

#define SYS_SYMBOL	"__arm64_sys_"	/* both ABIs call the same function */
#define TIF_32BIT	(1ul << 22)

/* In a probe: argument @n of the function, from 0 on; its return value. */
#define PARAM(ctx, n)	((ctx)->regs[n])
#define RETURNED(ctx)	((ctx)->regs[0])

#define call_nr(regs)	((u32)GET(regs, syscallno))

/* The number unchanged, but in a new register, so that the verifier sees its later checks. */
#define native_nr(nr)							\
({									\
	u32 _nr = (nr);							\
									\
	asm volatile("" : "+r"(_nr));					\
	_nr;								\
})

#define X32_OWN		512u	/* no call has this number or a greater one */
#define is_x32_own(nr)	false

/* Does the current task make a call of the 32-bit ABI? */
static __always_inline bool is_32(struct task_struct *task)
{
	return GET(task, thread_info.flags) & TIF_32BIT;
}

/*
 * Is this the end of an execve? The task already has the new program's ABI, but the call's
 * number belongs to the old program's ABI. All registers are 0 then, including the one
 * that the kernel takes the number from.
 */
static __always_inline bool is_begun(struct task_struct *task, struct pt_regs *regs, u32 nr)
{
	return nr && !(is_32(task) ? GET(regs, regs[7]) : GET(regs, regs[8]));
}

/* The tracepoint passes the result of a 32-bit task as signed, even if it is an address. */
static __always_inline s64 call_result(struct task_struct *task, s64 ret)
{
	return ret < -4095 && is_32(task) ? (u32)ret : ret;
}

/* Never needed here: bpf_kernel_check() refuses kernels that would need it. */
static __always_inline struct pt_regs *old_regs(struct task_struct *task)
{
	return NULL;
}

static __always_inline u64 first_arg(struct task_struct *task, struct pt_regs *regs)
{
	return GET(regs, orig_x0);
}

static __always_inline void read_args(u64 *to, struct task_struct *task, struct pt_regs *regs)
{
	u64 mask = is_32(task) ? 0xffffffff : ~0ull;

	to[0] = GET(regs, orig_x0) & mask;
	to[1] = GET(regs, regs[1]) & mask;
	to[2] = GET(regs, regs[2]) & mask;
	to[3] = GET(regs, regs[3]) & mask;
	to[4] = GET(regs, regs[4]) & mask;
	to[5] = GET(regs, regs[5]) & mask;
}

#else

#define SYS_SYMBOL	"__x64_sys_"
#define SYS_SYMBOL_32	"__ia32_sys_"
#define TS_COMPAT	2u
#define X32_BIT		0x40000000u
#define X32_OWN		512u	/* first of etrace_numbers_x32.def */

#define PARAM(ctx, n)	PARAM_##n(ctx)
#define PARAM_0(ctx)	((ctx)->di)
#define PARAM_1(ctx)	((ctx)->si)
#define PARAM_2(ctx)	((ctx)->dx)
#define PARAM_3(ctx)	((ctx)->cx)
#define RETURNED(ctx)	((ctx)->ax)

#define call_nr(regs)	((u32)GET(regs, orig_ax))
/* Calls of x32 have the native numbers plus the x32 bit, but for some with numbers of their own. */
#define native_nr(nr)	((nr) & ~X32_BIT)
#define is_x32_own(nr)	((nr) >= (X32_BIT | X32_OWN))

static __always_inline bool is_32(struct task_struct *task)
{
	return GET(task, thread_info.status) & TS_COMPAT;
}

static __always_inline bool is_begun(struct task_struct *task, struct pt_regs *regs, u32 nr)
{
	return false;
}

static __always_inline s64 call_result(struct task_struct *task, s64 ret)
{
	return ret;
}

/* The registers are at the end of the stack (16 KiB). */
static __always_inline struct pt_regs *old_regs(struct task_struct *task)
{
	return BPF_CORE_READ(task, stack) + 16384 - 168;
}

static __always_inline u64 first_arg(struct task_struct *task, struct pt_regs *regs)
{
	return unlikely(is_32(task)) ? GET(regs, bx) : GET(regs, di);
}

static __always_inline void read_args(u64 *to, struct task_struct *task, struct pt_regs *regs)
{
	if (unlikely(is_32(task))) {
		to[0] = (u32)GET(regs, bx);
		to[1] = (u32)GET(regs, cx);
		to[2] = (u32)GET(regs, dx);
		to[3] = (u32)GET(regs, si);
		to[4] = (u32)GET(regs, di);
		to[5] = (u32)GET(regs, bp);
		return;
	}
	to[0] = GET(regs, di);
	to[1] = GET(regs, si);
	to[2] = GET(regs, dx);
	to[3] = GET(regs, r10);
	to[4] = GET(regs, r8);
	to[5] = GET(regs, r9);
}

#endif
#endif
