// SPDX-License-Identifier: GPL-2.0
/*
 * Stat, PS, StatFailed: stat, lstat, fstatat and statx of a path. In root_pid's tree, recorded
 * only with the parameters extended and record=probes.
 */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "lib/etrace_test.h"

#ifdef SYS_fstatat64	/* 32-bit programs */
#define SYS_STAT	SYS_stat64
#define SYS_LSTAT	SYS_lstat64
#define SYS_FSTATAT	SYS_fstatat64
#else
#define SYS_STAT	SYS_stat
#define SYS_LSTAT	SYS_lstat
#define SYS_FSTATAT	SYS_newfstatat
#endif

static char buf[1024];		/* for whatever the call fills in */

static void want_stat(const char *path, unsigned int flags)
{
	want_extended("Stat|fnamesize=%zu,flags=%u", strlen(path), flags);
	want_extended("PS|%s", path);
}

static void want_failed(const char *path, unsigned int flags, int err)
{
	want_stat(path, flags);
	want_extended("StatFailed|");
	want_extended("Failed|error=%d", err);
}

static void do_stat(void)
{
	CHILD_MUST(et_sys(SYS_STAT, "a", buf));
	want_stat(et_path("a"), 0);
	CHILD_MUST(et_sys(SYS_stat, et_path("a"), buf));
	want_stat(et_path("a"), 0);
	/* The path as the program wrote it; links in it are not followed. */
	CHILD_MUST(et_sys(SYS_STAT, "./link", buf));
	want_stat(et_path("./link"), 0);
	CHILD_MUST(et_sys(SYS_LSTAT, "link", buf));
	want_stat(et_path("link"), AT_SYMLINK_NOFOLLOW);
	CHILD_MUST(et_sys(SYS_lstat, "link", buf));
	want_stat(et_path("link"), AT_SYMLINK_NOFOLLOW);
	CHILD_MUST_FAIL(et_sys(SYS_STAT, "absent", buf), ENOENT);
	want_failed(et_path("absent"), 0, ENOENT);
	CHILD_MUST_FAIL(et_sys(SYS_LSTAT, "a/x", buf), ENOTDIR);
	want_failed(et_path("a/x"), AT_SYMLINK_NOFOLLOW, ENOTDIR);
	CHILD_MUST_FAIL(et_sys(SYS_STAT, "", buf), ENOENT);
	want_failed(et_path(""), 0, ENOENT);
	/* The file exists, but the result cannot be stored. */
	CHILD_MUST_FAIL(et_sys(SYS_STAT, "a", (void *)8), EFAULT);
	want_failed(et_path("a"), 0, EFAULT);
	CHILD_MUST_FAIL(et_sys(SYS_STAT, (void *)8, buf), EFAULT);
	want_extended("Stat|flags=0");
	want_extended("StatFailed|");
	want_extended("Failed|error=%d", EFAULT);
}

TEST(stat)
{
	et_file("a");
	MUST(symlink("a", et_path("link")));
	et_traced(do_stat);
}

/* A descriptor already open in the child. */
#define DIR_FD	100

static void do_at(void)
{
	CHILD_MUST(et_sys(SYS_FSTATAT, DIR_FD, "x", buf, 0));
	want_stat(et_path("d/x"), 0);
	CHILD_MUST(et_sys(SYS_FSTATAT, DIR_FD, et_path("d"), buf, AT_SYMLINK_NOFOLLOW));
	want_stat(et_path("d"), AT_SYMLINK_NOFOLLOW);
	CHILD_MUST(et_sys(SYS_statx, DIR_FD, "../d", AT_STATX_DONT_SYNC | AT_EMPTY_PATH, 0x7ff,
			  buf));
	want_stat(et_path("d/../d"), AT_STATX_DONT_SYNC | AT_EMPTY_PATH);
	CHILD_MUST_FAIL(et_sys(SYS_statx, AT_FDCWD, "absent", 0, 0x7ff, buf), ENOENT);
	want_failed(et_path("absent"), 0, ENOENT);
	CHILD_MUST_FAIL(et_sys(SYS_FSTATAT, 12345, "x", buf, 0), EBADF);
	want_failed("x", 0, EBADF);
	CHILD_MUST_FAIL(et_sys(SYS_FSTATAT, AT_FDCWD, et_path("d"), buf, 0x100000), EINVAL);
	want_failed(et_path("d"), 0x100000, EINVAL);
	/* Not recorded: the call asks for a descriptor, not for a path. */
	CHILD_MUST(et_sys(SYS_FSTATAT, DIR_FD, "", buf, AT_EMPTY_PATH));
	CHILD_MUST(et_sys(SYS_statx, DIR_FD, "", AT_EMPTY_PATH, 0x7ff, buf));
	CHILD_MUST_FAIL(et_sys(SYS_statx, 12345, "", AT_EMPTY_PATH, 0x7ff, buf), EBADF);
	CHILD_MUST(fstat(DIR_FD, (struct stat *)buf));
}

TEST(at)
{
	et_mkdir("d");
	et_file("d/x");
	MUST(dup2(MUST(open(et_path("d"), O_RDONLY | O_DIRECTORY | O_CLOEXEC)), DIR_FD));
	et_traced(do_at);
	MUST(close(DIR_FD));
}

/* Paths after chdir(), and outside the root directory. */
static void do_where(void)
{
	CHILD_MUST(chdir("d"));
	CHILD_MUST(et_sys(SYS_STAT, "x", buf));
	want_stat(et_path("d/x"), 0);
	CHILD_MUST(chroot("."));
	CHILD_MUST(et_sys(SYS_STAT, "x", buf));
	want_stat("//x", 0);
	CHILD_MUST_FAIL(et_sys(SYS_STAT, "y", buf), ENOENT);
	want_failed("//y", 0, ENOENT);
}

TEST(where)
{
	et_mkdir("d");
	et_file("d/x");
	et_traced(do_where);
}

int main(int argc, char **argv)
{
	et_facts = "STAT";
	return et_main(argc, argv, "record=probes");
}
