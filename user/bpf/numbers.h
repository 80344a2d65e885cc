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
#ifndef __NR_mmap2
#define __NR_mmap2	(-1)
#endif
#ifndef __NR_recvmmsg_time64
#define __NR_recvmmsg_time64	(-1)
#endif
#ifndef __NR_sendfile64
#define __NR_sendfile64	(-1)
#endif
#ifndef __NR_ftruncate64
#define __NR_ftruncate64	(-1)
#endif
#ifndef __NR_truncate64
#define __NR_truncate64	(-1)
#endif
#ifndef __NR_fstatat64
#define __NR_fstatat64	(-1)
#endif
#ifndef __NR_lstat64
#define __NR_lstat64	(-1)
#endif
#ifndef __NR_newfstatat
#define __NR_newfstatat	(-1)
#endif
#ifndef __NR_stat64
#define __NR_stat64	(-1)
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
#ifndef __NR_utimensat_time64
#define __NR_utimensat_time64	(-1)
#endif

/* Headers of before 6.6 do not have it. */
#ifndef __NR_fchmodat2
#define __NR_fchmodat2	452
#endif

const int NUMBERS[] = {
#define ETRACE_SYSCALL(name, ...)	__NR_##name,
#include "kernel/etrace_syscalls.def"
};
