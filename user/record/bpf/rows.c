// SPDX-License-Identifier: LGPL-2.1
/* The table of system calls for the BPF programs.  See rows.h. */
#include "record/bpf/rows.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/net.h>
#include <stddef.h>

#include "event/schema.h"
#include "kernel/etrace_rules.h"

/* Which results make a call an event, for each kind of record. */
enum {
#define ETRACE_RECORD(ID, id, recorded, where) RECORDED_##ID = ETRACE_RECORDED_##recorded,
#include "kernel/etrace_syscalls.def"
};

enum {
#define ETRACE_RECORD(ID, id, recorded, where) WHERE_##ID = ET_##where,
#include "kernel/etrace_syscalls.def"
};

const struct eb_row_def eb_row_defs[] = {
#define ETRACE_SYSCALL(name, record, hook, ...)	\
	{ EB_R_##record, RECORDED_##record, EB_H_##hook, WHERE_##record, { ETRACE_ROLES(EB_A_, __VA_ARGS__) } },
#include "kernel/etrace_syscalls.def"
};

const unsigned int eb_nr_rows = sizeof(eb_row_defs) / sizeof(*eb_row_defs);

/* The row of each call, as the programs number them: from 1 on. */
enum {
	ROW_NONE,
#define ETRACE_SYSCALL(name, ...) ROW_##name,
#include "kernel/etrace_syscalls.def"
	NR_ROWS
};
_Static_assert(NR_ROWS <= EB_RING_UNSEEN, "no row is taken for EB_RING_UNSEEN");

const int eb_numbers_x32[NR_ROWS - 1] = {
#ifdef __x86_64__
#define ETRACE_NUMBER_X32(name, number) [ROW_##name - 1] = (number),
#include "kernel/etrace_numbers_x32.def"
#endif
};

const struct eb_ring_def eb_ring_defs[] = {
#define ETRACE_RING(number, function, call)	{ number, ROW_##call, #function },
#define ETRACE_RING_UNSEEN(number)		{ number, EB_RING_UNSEEN, NULL },
#include "kernel/etrace_rings.def"
};

const unsigned int eb_nr_rings = sizeof(eb_ring_defs) / sizeof(*eb_ring_defs);
