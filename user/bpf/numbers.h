/* SPDX-License-Identifier: LGPL-2.1 */
/*
 * The numbers of the table's system calls in the ABI whose <asm/unistd_*.h> was
 * included before.  Included once by numbers_native.c and numbers_compat.c,
 * which define NUMBERS as the name of the array.
 */
#include "bpf/rows.h"

/* Calls that only one of the ABIs has. */
#ifndef __NR_accept
#define __NR_accept	(-1)
#endif
#ifndef __NR_fcntl64
#define __NR_fcntl64	(-1)
#endif
#ifndef __NR_recvmmsg_time64
#define __NR_recvmmsg_time64	(-1)
#endif
#ifndef __NR_socketcall
#define __NR_socketcall	(-1)
#endif
#ifndef __NR_umount
#define __NR_umount	(-1)
#endif

const int NUMBERS[] = {
#define ETRACE_SYSCALL(name, ...)	__NR_##name,
#include "kernel/etrace_syscalls.def"
};
