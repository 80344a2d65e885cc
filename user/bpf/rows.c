// SPDX-License-Identifier: GPL-2.0
/* The table of system calls for the BPF programs.  See rows.h. */
#include "bpf/rows.h"

const struct eb_row_def eb_row_defs[] = {
#define SKIP	EB_A_SKIP
#define DIRFD	EB_A_DIRFD
#define PATH	EB_A_PATH
#define DIRFD2	EB_A_DIRFD2
#define PATH2	EB_A_PATH2
#define TARGET	EB_A_TARGET
#define SOURCE	EB_A_SOURCE
#define TYPE	EB_A_TYPE
#define FLAGS	EB_A_FLAGS
#define MODE	EB_A_MODE
#define FD	EB_A_FD
#define FD2	EB_A_FD2
#define STRUCT	EB_A_STRUCT
#define ETRACE_SYSCALL(name, record, hook, ...)	\
	{ EB_R_##record, EB_H_##hook, { __VA_ARGS__ } },
#include "kernel/etrace_syscalls.def"
};

const unsigned int eb_nr_rows = sizeof(eb_row_defs) / sizeof(*eb_row_defs);
