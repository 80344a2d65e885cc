// SPDX-License-Identifier: GPL-2.0
/* Chmod, CM, ChmodFailed: chmod, fchmod, fchmodat, fchmodat2. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/mount.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "lib/etrace_test.h"

#ifndef SYS_fchmodat2
#define SYS_fchmodat2	452
#endif

#define DIR_FD	100

static void want_mode(const char *path, unsigned int mode)
{
	want_named("Chmod", "CM", path, "mode=%u", mode);
}

static void want_fd(const char *path, int fd, unsigned int mode)
{
	want_named("Chmod", "CM", path, "fd=%d,mode=%u", fd, mode);
}

static void open_dir(int flags)
{
	int d;

	et_file("a");
	et_mkdir("d");
	MUST(symlink("../a", et_path("d/link")));
	d = MUST(open(et_path("d"), flags));
	MUST(dup2(d, DIR_FD));
	close(d);
}

static void do_chmod(void)
{
	CHILD_MUST(et_sys(SYS_chmod, et_path("a"), 0640));
	want_mode(et_path("a"), 0640);
	CHILD_MUST(et_sys(SYS_chmod, "d/./link", 04755));
	want_mode(et_path("a"), 04755);
	CHILD_MUST(et_sys(SYS_fchmodat, DIR_FD, "link", 0xf1ff));
	want_mode(et_path("a"), 0xf1ff);
	CHILD_MUST(et_sys(SYS_fchmodat, AT_FDCWD, "d", 0711));
	want_mode(et_path("d"), 0711);
	CHILD_MUST(et_sys(SYS_fchmod, DIR_FD, 0700));
	want_fd(et_path("d"), DIR_FD, 0700);
}

TEST(chmod)
{
	open_dir(O_RDONLY);
	et_traced(do_chmod);
}

static void do_fchmodat2(void)
{
	char a[] = "a";

	if (!et_kernel_at_least(6, 6)) {
		CHILD_MUST_FAIL(et_sys(SYS_fchmodat2, AT_FDCWD, a, 0600, 0), ENOSYS);
		want_mode(et_path("a"), 0600);
		want_named_failed("Chmod", "CM", ENOSYS);
		return;
	}
	CHILD_MUST(et_sys(SYS_fchmodat2, DIR_FD, "link", 0600, 0));
	want_mode(et_path("a"), 0600);
	CHILD_MUST_FAIL(et_sys(SYS_fchmodat2, DIR_FD, "link", 0600, AT_SYMLINK_NOFOLLOW),
			EOPNOTSUPP);
	want_mode(et_path("d/link"), 0600);
	want_named_failed("Chmod", NULL, EOPNOTSUPP);
	CHILD_MUST(et_sys(SYS_fchmodat2, DIR_FD, "", 0711, AT_EMPTY_PATH));
	want_mode(et_path("d"), 0711);
	CHILD_MUST_FAIL(et_sys(SYS_fchmodat2, AT_FDCWD, a, 0600, 0x10), EINVAL);
	want_mode(et_path("a"), 0600);
	want_named_failed("Chmod", "CM", EINVAL);
}

TEST(fchmodat2)
{
	open_dir(O_RDONLY);
	et_traced(do_fchmodat2);
}

static void do_failed(void)
{
	char path[64];

	snprintf(path, sizeof(path), "/proc/%d/status", getpid());
	CHILD_MUST_FAIL(et_sys(SYS_chmod, "/proc/self/status", 0600), EPERM);
	want_mode(path, 0600);
	want_named_failed("Chmod", NULL, EPERM);
	CHILD_MUST_FAIL(et_sys(SYS_chmod, "mnt/../mnt", 0600), EROFS);
	want_mode(et_path("mnt/../mnt"), 0600);
	want_named_failed("Chmod", "CM", EROFS);
	CHILD_MUST_FAIL(et_sys(SYS_chmod, "nothing", 0600), ENOENT);
	want_mode(NULL, 0600);
	want_named_failed("Chmod", NULL, ENOENT);
	CHILD_MUST_FAIL(et_sys(SYS_fchmod, 12345, 0600), EBADF);
	want_fd(NULL, 12345, 0600);
	want_named_failed("Chmod", NULL, EBADF);
	/* O_PATH: open, but not for fchmod(). */
	CHILD_MUST_FAIL(et_sys(SYS_fchmod, DIR_FD, 0600), EBADF);
	want_fd(et_path("d"), DIR_FD, 0600);
	want_named_failed("Chmod", NULL, EBADF);
}

TEST(failed)
{
	et_mkdir("mnt");
	open_dir(O_PATH);
	MUST(mount("tmpfs", et_path("mnt"), "tmpfs", MS_RDONLY, NULL));
	et_traced(do_failed);
	MUST(umount(et_path("mnt")));
}

int main(int argc, char **argv)
{
	et_facts = "CHMOD";
	return et_main(argc, argv, "");
}
