// SPDX-License-Identifier: GPL-2.0
/* The table of system calls: finds the row of a call, and its arguments by their roles. */
#include <linux/bug.h>
#include <linux/kernel.h>
#include <linux/ptrace.h>
#include <linux/sched.h>
#include <linux/string.h>

#include "table.h"

/* Which results of a call make each record an event, and which sessions want it. */
enum {
#define ETRACE_RECORD(ID, id, recorded, where) ETRACE_REC_RECORDED_##ID = ETRACE_RECORDED_##recorded,
#include "etrace_syscalls.def"
};

enum {
#define ETRACE_RECORD(ID, id, recorded, where) ETRACE_REC_WHERE_##ID = ETRACE_WHERE_##where,
#include "etrace_syscalls.def"
};

struct etrace_syscall etrace_syscalls[ETRACE_NR_ROWS] = {
	{ .nr = { ETRACE_NR_NONE, ETRACE_NR_NONE } },	/* row 0: no call */
#define ETRACE_SYSCALL(_name, _record, _hook, ...)			\
	{								\
		.nr = { __NR_##_name, ETRACE_NR_COMPAT(_name) },	\
		.record = ETRACE_REC_##_record,				\
		.recorded = ETRACE_REC_RECORDED_##_record,			\
		.where = ETRACE_REC_WHERE_##_record,			\
		.hook = ETRACE_HOOK_##_hook,				\
		.role = { ETRACE_ROLES(ETRACE_ARG_, __VA_ARGS__) },	\
	},
#include "etrace_syscalls.def"
};

atomic_t etrace_wanted[ETRACE_NR_WHERE] __read_mostly;
u8 etrace_row[ETRACE_NR_ABI][ETRACE_NR_MAX] __read_mostly;

/**
 * etrace_syscall_current - get the row of the call that the current task is in
 *
 * Return: the row, or NULL if the call is not recorded.
 */
const struct etrace_syscall *etrace_syscall_current(void)
{
	const struct etrace_syscall *sc;

	return etrace_syscall_of(current_pt_regs(), &sc) ? sc : NULL;
}

/**
 * etrace_syscall_arg - get an argument of a call
 * @sc: its row
 * @regs: user registers of the current task
 * @role: what the argument means
 * @absent: value for calls that have no such argument
 *
 * Return: the argument as it was passed; callers narrow it to its type.
 */
unsigned long etrace_syscall_arg(const struct etrace_syscall *sc,
				 struct pt_regs *regs, enum etrace_arg role,
				 unsigned long absent)
{
	unsigned long args[ETRACE_MAX_ARGS];

	if (!sc->at[role])
		return absent;
	syscall_get_arguments(current, regs, args);
	return args[sc->at[role] - 1];
}

/* ---- set-up -------------------------------------------------------------- */

static void etrace_row_set(enum etrace_abi abi, unsigned int row)
{
	int nr = etrace_syscalls[row].nr[abi];

	if (nr == ETRACE_NR_NONE || WARN_ON(nr < 0 || nr >= ETRACE_NR_MAX))
		return;
	etrace_row[abi][nr] = row;
}

/* Sets the rows of x32: those of native calls, and those with numbers of its own. */
static void etrace_rows_set_x32(void)
{
#ifdef CONFIG_X86_X32_ABI
	memcpy(etrace_row[ETRACE_ABI_X32], etrace_row[ETRACE_ABI_NATIVE], ETRACE_X32_OWN);
#define ETRACE_NUMBER_X32(name, number)					\
	etrace_row[ETRACE_ABI_X32][number] = etrace_row[ETRACE_ABI_NATIVE][__NR_##name];
#include "etrace_numbers_x32.def"
#endif
}

void etrace_syscalls_init(void)
{
	unsigned int row, i;

	BUILD_BUG_ON(ARRAY_SIZE(etrace_syscalls) > U8_MAX);
	for (row = 1; row < ARRAY_SIZE(etrace_syscalls); row++) {
		struct etrace_syscall *sc = &etrace_syscalls[row];

		for (i = 0; i < ETRACE_MAX_ARGS; i++)
			if (sc->role[i] != ETRACE_ARG_SKIP)
				sc->at[sc->role[i]] = i + 1;
		etrace_row_set(ETRACE_ABI_NATIVE, row);
		etrace_row_set(ETRACE_ABI_COMPAT, row);
	}
	etrace_rows_set_x32();
}
