/* SPDX-License-Identifier: GPL-2.0 */
/*
 * System calls that new architectures (arm64) do not have.  There syscall() makes the
 * ones that took their place, as a C library does: what is recorded is the same.  The
 * calls that set times are not among them, whose arguments have other units: tests ask
 * for SYS_utime and the like.
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
/* The number of the call that is made. */
long et_new_number(long nr);
/* No "##": what stands beside it is not expanded, which a call may be, too. */
#define syscall(...)	et_old_call(__VA_ARGS__)
#define ET_BY_NEW	true
/* What link() leaves then. */
#define ET_LINK_FROM	"LinkatFrom|fnamesize=%zu,flags=0"
#else
#define et_new_number(nr)	(nr)
#define ET_BY_NEW	false
#define ET_LINK_FROM	"LinkFrom|fnamesize=%zu"
#endif

#endif /* ETRACE_OLD_CALLS_H */
