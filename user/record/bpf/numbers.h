/* SPDX-License-Identifier: LGPL-2.1 */
/*
 * The numbers of the table's system calls in the ABI whose <asm/unistd_*.h> the including
 * file has included.  numbers_native.c and numbers_compat.c each include this once, with
 * NUMBERS defined as the name of the array.
 */
#include "record/bpf/rows.h"

#include "kernel/etrace_absent.h"

const int NUMBERS[] = {
#define ETRACE_SYSCALL(name, ...)	__NR_##name,
#include "kernel/etrace_syscalls.def"
};
