/* SPDX-License-Identifier: GPL-2.0 */
/*
 * System calls that new architectures (arm64) do not have. There, syscall() makes the calls that
 * replaced them, as a C library does, so the same is recorded. Calls that set times are not
 * included, because the units of their arguments differ: tests check for SYS_utime and the like.
 */
#ifndef ETRACE_OLD_CALLS_H
#define ETRACE_OLD_CALLS_H

#include <stdbool.h>
#include <sys/syscall.h>
#include <unistd.h>

#ifndef SYS_open
enum {
	ET_OLD_CALLS = 100000,	/* no call has such a number */
	SYS_open, SYS_creat, SYS_rename, SYS_link, SYS_symlink, SYS_unlink, SYS_rmdir,
	SYS_mkdir, SYS_mknod, SYS_chmod, SYS_chown, SYS_lchown, SYS_dup2, SYS_pipe, SYS_fork,
	SYS_access, SYS_stat, SYS_lstat, SYS_readlink, SYS_getdents, SYS_pause,
};

long et_old_call(long nr, ...);
/* The number of the call that is really made. */
long et_new_number(long nr);
/* No "##" here: it would prevent the expansion of its operand, which may be a call, too. */
#define syscall(...)	et_old_call(__VA_ARGS__)
#define ET_BY_NEW	true
/* What link() prints then. */
#define ET_LINK_FROM	"LinkatFrom|fnamesize=%zu,flags=0"
#else
#define et_new_number(nr)	(nr)
#define ET_BY_NEW	false
#define ET_LINK_FROM	"LinkFrom|fnamesize=%zu"
#endif

#endif /* ETRACE_OLD_CALLS_H */
