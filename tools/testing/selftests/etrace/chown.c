// SPDX-License-Identifier: GPL-2.0
/* Chown, CO, ChownFailed: chown, lchown, fchown, fchownat, and their 32-bit versions. */
#include <errno.h>
#include <fcntl.h>
#include <sys/fsuid.h>
#include <sys/mount.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "lib/etrace_test.h"

#define DIR_FD	100
#define FILE_FD	101

/* In 32-bit programs, the calls with the old names take 16-bit IDs. */
#ifdef SYS_chown32
#define NARROW(id)	((unsigned short)(id))
#define WIDE(call)	SYS_##call##32
#else
#define NARROW(id)	(id)
#define WIDE(call)	SYS_##call
#endif

static void want_owner(const char *path, long long uid, long long gid)
{
	want_named("Chown", "CO", path, "uid=%lld,gid=%lld", uid, gid);
}

static void want_fd(const char *path, int fd, long long uid, long long gid)
{
	want_named("Chown", "CO", path, "fd=%d,uid=%lld,gid=%lld", fd, uid, gid);
}

static void open_as(const char *path, int flags, int fd)
{
	int n = MUST(open(path, flags));

	MUST(dup2(n, fd));
	close(n);
}

static void open_files(int flags)
{
	et_file("a");
	et_mkdir("d");
	MUST(symlink("../a", et_path("d/link")));
	open_as(et_path("d"), flags, DIR_FD);
	open_as(et_path("a"), flags, FILE_FD);
}

static void do_chown(void)
{
	CHILD_MUST(et_sys(SYS_chown, et_path("a"), 1, 2));
	want_owner(et_path("a"), 1, 2);
	CHILD_MUST(et_sys(SYS_chown, "d/./link", 3, -1));
	want_owner(et_path("a"), 3, -1);
	CHILD_MUST(et_sys(SYS_lchown, "d/../d/link", -1, 4));
	want_owner(et_path("d/link"), -1, 4);
	CHILD_MUST(et_sys(SYS_fchown, FILE_FD, 5, 6));
	want_fd(et_path("a"), FILE_FD, 5, 6);
	CHILD_MUST(et_sys(SYS_chown, et_path("a"), 0x12345, 0x1ffff));
	want_owner(et_path("a"), NARROW(0x12345), NARROW(0x1ffff) == 0xffff ? -1 : 0x1ffff);
	CHILD_MUST(et_sys(WIDE(chown), "a", 65535, 0xfffffffe));
	want_owner(et_path("a"), 65535, 0xfffffffe);
	CHILD_MUST(et_sys(WIDE(lchown), "d/link", 0xfffffffe, -1));
	want_owner(et_path("d/link"), 0xfffffffe, -1);
	CHILD_MUST(et_sys(WIDE(fchown), DIR_FD, -1, -1));
	want_fd(et_path("d"), DIR_FD, -1, -1);
}

TEST(chown)
{
	open_files(O_RDONLY);
	et_traced(do_chown);
}

static void do_fchownat(void)
{
	CHILD_MUST(et_sys(SYS_fchownat, AT_FDCWD, et_path("d"), 1, 65535, 0));
	want_owner(et_path("d"), 1, 65535);
	CHILD_MUST(et_sys(SYS_fchownat, DIR_FD, "link", 2, 3, 0));
	want_owner(et_path("a"), 2, 3);
	CHILD_MUST(et_sys(SYS_fchownat, DIR_FD, "link", 4, -1, AT_SYMLINK_NOFOLLOW));
	want_owner(et_path("d/link"), 4, -1);
	CHILD_MUST(et_sys(SYS_fchownat, FILE_FD, "", -1, 0x12345, AT_EMPTY_PATH));
	want_owner(et_path("a"), -1, 0x12345);
	CHILD_MUST_FAIL(et_sys(SYS_fchownat, DIR_FD, "link", 5, 6, 0x10), EINVAL);
	want_owner(et_path("d/link"), 5, 6);
	want_named_failed("Chown", "CO", EINVAL);
}

TEST(fchownat)
{
	/* O_PATH: fchownat() also changes the file of such a descriptor. */
	open_files(O_PATH);
	et_traced(do_fchownat);
}

static void do_failed(void)
{
	CHILD_MUST_FAIL(et_sys(SYS_chown, "mnt/../mnt", 1, 2), EROFS);
	want_owner(et_path("mnt/../mnt"), 1, 2);
	want_named_failed("Chown", "CO", EROFS);
	CHILD_MUST_FAIL(et_sys(SYS_lchown, "nothing", 1, -1), ENOENT);
	want_owner(NULL, 1, -1);
	want_named_failed("Chown", NULL, ENOENT);
	CHILD_MUST_FAIL(et_sys(SYS_fchown, 12345, 1, 2), EBADF);
	want_fd(NULL, 12345, 1, 2);
	want_named_failed("Chown", NULL, EBADF);
	/* O_PATH: open, but not for fchown(). */
	CHILD_MUST_FAIL(et_sys(SYS_fchown, DIR_FD, 1, 2), EBADF);
	want_fd(et_path("d"), DIR_FD, 1, 2);
	want_named_failed("Chown", NULL, EBADF);
	/*
	 * Without CAP_CHOWN: the kernel knows the file, but could not look it up in this
	 * directory.
	 */
	setfsuid(1);
	CHILD_MUST_FAIL(et_sys(SYS_fchownat, FILE_FD, "", 1, 2, AT_EMPTY_PATH), EPERM);
	want_owner(et_path("a"), 1, 2);
	want_named_failed("Chown", NULL, EPERM);
}

TEST(failed)
{
	et_mkdir("mnt");
	open_files(O_PATH);
	MUST(mount("tmpfs", et_path("mnt"), "tmpfs", MS_RDONLY, NULL));
	et_traced(do_failed);
	MUST(umount(et_path("mnt")));
}

int main(int argc, char **argv)
{
	et_facts = "CHOWN";
	return et_main(argc, argv, "");
}
