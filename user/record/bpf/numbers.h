/* SPDX-License-Identifier: LGPL-2.1 */
/*
 * The numbers of the table's system calls in the ABI whose <asm/unistd_*.h> was
 * included before.  Included once by numbers_native.c and numbers_compat.c,
 * which define NUMBERS as the name of the array.
 */
#include "record/bpf/rows.h"

#include "kernel/etrace_absent.h"

const int NUMBERS[] = {
#define ETRACE_SYSCALL(name, ...)	__NR_##name,
#include "kernel/etrace_syscalls.def"
};
