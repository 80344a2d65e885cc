/* SPDX-License-Identifier: GPL-2.0 */
/* The table of system calls: etrace_syscalls.def. */
#ifndef ETRACE_TABLE_H
#define ETRACE_TABLE_H

#include <linux/atomic.h>
#include <linux/errno.h>
#include <linux/fcntl.h>
#include <linux/net.h>
#include <linux/types.h>

#include "abi.h"
#include "etrace_rules.h"
#include "schema.h"

struct pt_regs;

enum etrace_record {
#define ETRACE_RECORD(ID, id, recorded, where) ETRACE_REC_##ID,
#include "etrace_syscalls.def"
	ETRACE_NR_REC,
};

enum etrace_hook_id {
#define ETRACE_HOOK(id) ETRACE_HOOK_##id,
#include "etrace_syscalls.def"
};

enum etrace_arg {
#define ETRACE_ROLE(id) ETRACE_ARG_##id,
#include "etrace_syscalls.def"
	ETRACE_NR_ARG,
};

#define ETRACE_MAX_ARGS	6

/**
 * struct etrace_syscall - a row of etrace_syscalls.def
 * @nr: number in each ABI
 * @record: kind of record, ETRACE_REC_*
 * @recorded: which results make it an event, ETRACE_RECORDED_*
 * @where: which sessions want it, ETRACE_WHERE_*
 * @hook: the hook that provides its names, ETRACE_HOOK_*
 * @role: meaning of each argument, ETRACE_ARG_*
 * @at: 1 + index of the argument with a given role, 0 if none
 */
struct etrace_syscall {
	int nr[2];
	u8 record;
	u8 recorded;
	u8 where;
	u8 hook;
	u8 role[ETRACE_MAX_ARGS];
	u8 at[ETRACE_NR_ARG];
} __aligned(64);	/* fast to index */

void etrace_syscalls_init(void);
enum {
	ETRACE_NR_ROWS = 1	/* row 0: no call */
#define ETRACE_SYSCALL(name, record, hook, ...) + 1
#include "etrace_syscalls.def"
};

extern struct etrace_syscall etrace_syscalls[ETRACE_NR_ROWS];
/* Number of sessions that want each ETRACE_WHERE_*. */
extern atomic_t etrace_wanted[ETRACE_NR_WHERE];
/* Row of each system call number, 0 if not recorded. */
extern u8 etrace_row[ETRACE_NR_ABI][ETRACE_NR_MAX];

/**
 * etrace_syscall_of - get the row of a call
 * @regs: the user registers of the current task
 * @sc: set to the row
 *
 * Return: true if any session records the call now.
 */
static inline bool etrace_syscall_of(struct pt_regs *regs, const struct etrace_syscall **sc)
{
	int nr = syscall_get_nr(current, regs);
	enum etrace_abi abi = etrace_abi(&nr);
	unsigned long row;

	if (unlikely((unsigned int)nr >= ETRACE_NR_MAX))
		return false;
	row = etrace_row[abi][nr];
	if (likely(!row))
		return false;
	*sc = &etrace_syscalls[row];
	return atomic_read(&etrace_wanted[(*sc)->where]);
}

/* Does any session want more than the line format has? */
static inline bool etrace_wants_extended(void)
{
	return atomic_read(&etrace_wanted[ETRACE_WHERE_EXTENDED]);
}

const struct etrace_syscall *etrace_syscall_current(void);
unsigned long etrace_syscall_arg(const struct etrace_syscall *sc,
				 struct pt_regs *regs, enum etrace_arg role,
				 unsigned long absent);

#endif /* ETRACE_TABLE_H */
