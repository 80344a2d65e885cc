// SPDX-License-Identifier: GPL-2.0
/* Replacements for system calls that this architecture does not have. */
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <string.h>

#include "old_calls.h"

#ifdef syscall
#undef syscall

#define AT	(-1000)		/* an additional argument in front: the working directory */

/*
 * @args: arguments of the new call: 1 to 3 for one of the old call's, AT, or 100 plus a constant.
 */
static const struct old_call {
	long old, new;
	int args[5];
} calls[] = {
	{ SYS_open,	SYS_openat,	{ AT, 1, 2, 3 } },
	{ SYS_creat,	SYS_openat,	{ AT, 1, 100 + (O_CREAT | O_WRONLY | O_TRUNC), 2 } },
	{ SYS_rename,	SYS_renameat,	{ AT, 1, AT, 2 } },
	{ SYS_link,	SYS_linkat,	{ AT, 1, AT, 2, 100 } },
	{ SYS_symlink,	SYS_symlinkat,	{ 1, AT, 2 } },
	{ SYS_unlink,	SYS_unlinkat,	{ AT, 1, 100 } },
	{ SYS_rmdir,	SYS_unlinkat,	{ AT, 1, 100 + AT_REMOVEDIR } },
	{ SYS_mkdir,	SYS_mkdirat,	{ AT, 1, 2 } },
	{ SYS_mknod,	SYS_mknodat,	{ AT, 1, 2, 3 } },
	{ SYS_chmod,	SYS_fchmodat,	{ AT, 1, 2 } },
	{ SYS_chown,	SYS_fchownat,	{ AT, 1, 2, 3, 100 } },
	{ SYS_lchown,	SYS_fchownat,	{ AT, 1, 2, 3, 100 + AT_SYMLINK_NOFOLLOW } },
	{ SYS_dup2,	SYS_dup3,	{ 1, 2, 100 } },
	{ SYS_pipe,	SYS_pipe2,	{ 1, 100 } },
	{ SYS_fork,	SYS_clone,	{ 100 + SIGCHLD, 100, 100, 100, 100 } },
	{ SYS_access,	SYS_faccessat,	{ AT, 1, 2 } },
	{ SYS_stat,	SYS_newfstatat,	{ AT, 1, 2, 100 } },
	{ SYS_lstat,	SYS_newfstatat,	{ AT, 1, 2, 100 + AT_SYMLINK_NOFOLLOW } },
	{ SYS_readlink,	SYS_readlinkat,	{ AT, 1, 2, 3 } },
	{ SYS_getdents,	SYS_getdents64,	{ 1, 2, 3 } },
	{ SYS_pause,	SYS_ppoll,	{ 100, 100, 100, 100, 100 } },
};

static const struct old_call *find(long nr)
{
	for (size_t i = 0; i < sizeof(calls) / sizeof(*calls); i++)
		if (calls[i].old == nr)
			return &calls[i];
	return NULL;
}

long et_new_number(long nr)
{
	const struct old_call *c = find(nr);

	return c ? c->new : nr;
}

long et_old_call(long nr, ...)
{
	const struct old_call *c = find(nr);
	long a[7], n[5] = { 0 };
	va_list args;

	va_start(args, nr);
	for (int i = 1; i < 7; i++)
		a[i] = va_arg(args, long);
	va_end(args);
	if (!c)
		return syscall(nr, a[1], a[2], a[3], a[4], a[5], a[6]);
	/* dup3() refuses equal descriptors, dup2() does not. */
	if (nr == SYS_dup2 && a[1] == a[2])
		return fcntl((int)a[1], F_GETFD) < 0 ? -1 : a[2];
	for (int i = 0; i < 5; i++)
		n[i] = c->args[i] == AT ? AT_FDCWD :
		       c->args[i] >= 100 ? c->args[i] - 100 : c->args[i] ? a[c->args[i]] : 0;
	return syscall(c->new, n[0], n[1], n[2], n[3], n[4]);
}
#endif
