// SPDX-License-Identifier: LGPL-2.1
/* The table of system calls for the BPF programs.  See rows.h. */
#include "bpf/rows.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/net.h>

#include "build/schema.h"
#include "kernel/etrace_rules.h"

/* How a call of each record must end to be an event. */
enum {
#define ETRACE_RECORD(ID, id, told, where) TOLD_##ID = ETRACE_TOLD_##told,
#include "kernel/etrace_syscalls.def"
};

enum {
#define ETRACE_RECORD(ID, id, told, where) WHERE_##ID = ET_##where,
#include "kernel/etrace_syscalls.def"
};

const struct eb_row_def eb_row_defs[] = {
#define ETRACE_SYSCALL(name, record, hook, ...)	\
	{ EB_R_##record, TOLD_##record, EB_H_##hook, WHERE_##record, { ETRACE_ROLES(EB_A_, __VA_ARGS__) } },
#include "kernel/etrace_syscalls.def"
};

const unsigned int eb_nr_rows = sizeof(eb_row_defs) / sizeof(*eb_row_defs);
