// SPDX-License-Identifier: LGPL-2.1
/*
 * Numbers by the names that strace has for them: of flags, commands and modes that
 * events tell.  As most of Linux has them (x86, riscv, s390), also where this machine
 * has others (arm64).
 */
#include "import/strace/st_args.h"

#include <fcntl.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mount.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#define NAME(name) { #name, name }

/* Sorted by name: see st_name_value(). */
static const struct name {
	const char *name;
	uint64_t value;
} names[] = {
	NAME(AF_INET),
	NAME(AF_INET6),
	NAME(AF_NETLINK),
	NAME(AF_UNIX),
	NAME(AF_UNSPEC),
	{ "AT_EACCESS", 0x200 },
	NAME(AT_EMPTY_PATH),
	{ "AT_FDCWD", (uint64_t)AT_FDCWD },
	NAME(AT_NO_AUTOMOUNT),
	{ "AT_RECURSIVE", 0x8000 },
	NAME(AT_REMOVEDIR),
	{ "AT_STATX_DONT_SYNC", 0x4000 },
	{ "AT_STATX_FORCE_SYNC", 0x2000 },
	{ "AT_STATX_SYNC_AS_STAT", 0 },
	NAME(AT_SYMLINK_FOLLOW),
	NAME(AT_SYMLINK_NOFOLLOW),
	NAME(CLONE_CHILD_CLEARTID),
	NAME(CLONE_CHILD_SETTID),
	{ "CLONE_CLEAR_SIGHAND", 0x100000000 },
	{ "CLONE_DETACHED", 0x400000 },
	NAME(CLONE_FILES),
	NAME(CLONE_FS),
	{ "CLONE_INTO_CGROUP", 0x200000000 },
	{ "CLONE_IO", 0x80000000 },
	{ "CLONE_NEWCGROUP", 0x2000000 },
	NAME(CLONE_NEWIPC),
	NAME(CLONE_NEWNET),
	NAME(CLONE_NEWNS),
	NAME(CLONE_NEWPID),
	{ "CLONE_NEWTIME", 0x80 },
	NAME(CLONE_NEWUSER),
	NAME(CLONE_NEWUTS),
	NAME(CLONE_PARENT),
	NAME(CLONE_PARENT_SETTID),
	{ "CLONE_PIDFD", 0x1000 },
	NAME(CLONE_PTRACE),
	NAME(CLONE_SETTLS),
	NAME(CLONE_SIGHAND),
	NAME(CLONE_SYSVSEM),
	NAME(CLONE_THREAD),
	NAME(CLONE_UNTRACED),
	NAME(CLONE_VFORK),
	NAME(CLONE_VM),
	{ "CLOSE_RANGE_CLOEXEC", 4 },
	{ "CLOSE_RANGE_UNSHARE", 2 },
	NAME(FD_CLOEXEC),
	{ "FICLONE", 0x40049409 },
	{ "FICLONERANGE", 0x4020940d },
	NAME(FIOCLEX),
	NAME(FIONCLEX),
	NAME(F_DUPFD),
	NAME(F_DUPFD_CLOEXEC),
	NAME(F_OK),
	NAME(F_SETFD),
	NAME(MAP_ANONYMOUS),
	NAME(MAP_DENYWRITE),
	NAME(MAP_FIXED),
	{ "MAP_FIXED_NOREPLACE", 0x100000 },
	NAME(MAP_LOCKED),
	NAME(MAP_NORESERVE),
	NAME(MAP_POPULATE),
	NAME(MAP_PRIVATE),
	NAME(MAP_SHARED),
	{ "MAP_SHARED_VALIDATE", 3 },
	NAME(MAP_STACK),
	NAME(MFD_ALLOW_SEALING),
	NAME(MFD_CLOEXEC),
	NAME(MFD_HUGETLB),
	NAME(MNT_DETACH),
	NAME(MNT_EXPIRE),
	NAME(MNT_FORCE),
	NAME(MSG_CMSG_CLOEXEC),
	NAME(MS_BIND),
	NAME(MS_DIRSYNC),
	NAME(MS_I_VERSION),
	{ "MS_KERNMOUNT", 1 << 22 },
	{ "MS_LAZYTIME", 1 << 25 },
	NAME(MS_MANDLOCK),
	NAME(MS_MOVE),
	NAME(MS_NOATIME),
	NAME(MS_NODEV),
	NAME(MS_NODIRATIME),
	NAME(MS_NOEXEC),
	NAME(MS_NOSUID),
	{ "MS_NOSYMFOLLOW", 256 },
	NAME(MS_POSIXACL),
	NAME(MS_PRIVATE),
	NAME(MS_RDONLY),
	NAME(MS_REC),
	NAME(MS_RELATIME),
	NAME(MS_REMOUNT),
	NAME(MS_SHARED),
	NAME(MS_SILENT),
	NAME(MS_SLAVE),
	NAME(MS_STRICTATIME),
	NAME(MS_SYNCHRONOUS),
	NAME(MS_UNBINDABLE),
	NAME(O_ACCMODE),
	NAME(O_APPEND),
	NAME(O_CLOEXEC),
	NAME(O_CREAT),
	{ "O_DIRECT", 040000 },
	{ "O_DIRECTORY", 0200000 },
	NAME(O_DSYNC),
	NAME(O_EXCL),
	{ "O_LARGEFILE", 0100000 },
	NAME(O_NOATIME),
	NAME(O_NOCTTY),
	{ "O_NOFOLLOW", 0400000 },
	NAME(O_NONBLOCK),
	NAME(O_PATH),
	NAME(O_RDONLY),
	NAME(O_RDWR),
	NAME(O_SYNC),
	{ "O_TMPFILE", 020200000 },
	NAME(O_TRUNC),
	NAME(O_WRONLY),
	NAME(PROT_EXEC),
	NAME(PROT_NONE),
	NAME(PROT_READ),
	NAME(PROT_WRITE),
	NAME(PR_SET_NAME),
	{ "RENAME_EXCHANGE", 2 },
	{ "RENAME_NOREPLACE", 1 },
	{ "RENAME_WHITEOUT", 4 },
	NAME(R_OK),
	{ "SIGCHLD", 17 },
	NAME(SOCK_CLOEXEC),
	NAME(SOCK_NONBLOCK),
	NAME(S_IFBLK),
	NAME(S_IFCHR),
	NAME(S_IFDIR),
	NAME(S_IFIFO),
	NAME(S_IFLNK),
	NAME(S_IFREG),
	NAME(S_IFSOCK),
	NAME(S_ISGID),
	NAME(S_ISUID),
	NAME(S_ISVTX),
	{ "UMOUNT_NOFOLLOW", 8 },
	NAME(UTIME_NOW),
	NAME(UTIME_OMIT),
	NAME(W_OK),
	NAME(X_OK),
};

static int by_name(const void *key, const void *row)
{
	const struct st_text *t = key;
	const struct name *n = row;
	size_t len = strlen(n->name);
	int order = memcmp(t->s, n->name, t->len < len ? t->len : len);

	return order ? order : (t->len > len) - (t->len < len);
}

bool st_name_value(const char *name, size_t len, uint64_t *v)
{
	const struct st_text key = { name, len };
	const struct name *n = bsearch(&key, names, sizeof(names) / sizeof(names[0]),
				       sizeof(names[0]), by_name);

	*v = n ? n->value : 0;
	return n;
}
