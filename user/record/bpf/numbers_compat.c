// SPDX-License-Identifier: LGPL-2.1
/* System call numbers of 32-bit programs on a 64-bit kernel. */
#ifdef __aarch64__
#include "record/bpf/rows.h"

enum {
#define ETRACE_NUMBER_ARM(name, number) ARM_##name = number,
#include "kernel/etrace_numbers_arm.def"
};

const int eb_numbers_compat[] = {
#define ETRACE_SYSCALL(name, ...)	ARM_##name,
#include "kernel/etrace_syscalls.def"
};
#else
#include <asm/unistd_32.h>

#define NUMBERS eb_numbers_compat
#include "record/bpf/numbers.h"
#endif
