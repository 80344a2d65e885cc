// SPDX-License-Identifier: GPL-2.0
/* Mkdir, KD, MkdirFailed: mkdir and mkdirat. */
#include <errno.h>
#include <fcntl.h>
#include <sys/mount.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "lib/etrace_test.h"

static void want_mkdir(const char *path, unsigned int mode)
{
	want_named("Mkdir", "KD", path, "mode=%u", mode);
}

static void want_failed(const char *path, unsigned int mode, bool joined, int err)
{
	want_mkdir(path, mode);
	want_named_failed("Mkdir", joined ? "KD" : NULL, err);
}

static void do_mkdir(void)
{
	CHILD_MUST(et_sys(SYS_mkdir, et_path("a"), 0750));
	want_mkdir(et_path("a"), 0750);
	CHILD_MUST(et_sys(SYS_mkdir, "./to_d/..//d/x/", 01777));
	want_mkdir(et_path("d/x"), 01777);
	/* A mode of 16 bits, some of which the kernel may ignore. */
	CHILD_MUST(et_sys(SYS_mkdir, "all", 0x5ffff));
	want_mkdir(et_path("all"), 0xffff);
}

TEST(mkdir)
{
	et_mkdir("d");
	MUST(symlink("d", et_path("to_d")));
	et_traced(do_mkdir);
}

/* A descriptor already open in the child. */
#define DIR_FD	100

static void open_dir(const char *path)
{
	int d = MUST(open(path, O_PATH | O_DIRECTORY));

	MUST(dup2(d, DIR_FD));
	close(d);
}

static void do_mkdirat(void)
{
	CHILD_MUST(et_sys(SYS_mkdirat, DIR_FD, "f", 0700));
	want_mkdir(et_path("d/f"), 0700);
	CHILD_MUST(et_sys(SYS_mkdirat, DIR_FD, "../g", 0));
	want_mkdir(et_path("g"), 0);
	CHILD_MUST(et_sys(SYS_mkdirat, 12345, et_path("h"), 0755));
	want_mkdir(et_path("h"), 0755);
	CHILD_MUST(et_sys(SYS_mkdirat, AT_FDCWD, "i", 0755));
	want_mkdir(et_path("i"), 0755);
}

TEST(mkdirat)
{
	et_mkdir("d");
	open_dir(et_path("d"));
	et_traced(do_mkdirat);
}

static void do_failed(void)
{
	char there[] = "d";	/* in memory, although the kernel does not read it */

	/* The path is resolved, but the file system refuses the directory. */
	CHILD_MUST_FAIL(et_sys(SYS_mkdir, "/proc/../sys/kernel/x", 0755), EPERM);
	want_failed("/sys/kernel/x", 0755, false, EPERM);
	/* Not resolved, but the path is valid. */
	CHILD_MUST_FAIL(et_sys(SYS_mkdir, there, 0711), EEXIST);
	want_failed(et_path("d"), 0711, true, EEXIST);
	CHILD_MUST_FAIL(et_sys(SYS_mkdirat, DIR_FD, "../mnt/a", 0711), EROFS);
	want_failed(et_path("d/../mnt/a"), 0711, true, EROFS);
	/* No path is recorded. */
	CHILD_MUST_FAIL(et_sys(SYS_mkdir, "nothing/a", 0755), ENOENT);
	want_failed(NULL, 0755, false, ENOENT);
	CHILD_MUST_FAIL(et_sys(SYS_mkdirat, 12345, "a", 0755), EBADF);
	want_failed(NULL, 0755, false, EBADF);
	CHILD_MUST_FAIL(et_sys(SYS_mkdirat, DIR_FD, NULL, 0755), EFAULT);
	want_failed(NULL, 0755, false, EFAULT);
	/* The path of an earlier call must not appear in this one. */
	CHILD_MUST(et_sys(SYS_mkdir, "a", 0700));
	want_mkdir(et_path("a"), 0700);
	CHILD_MUST_FAIL(et_sys(SYS_mkdir, "nothing/a", 0755), ENOENT);
	want_failed(NULL, 0755, false, ENOENT);
}

TEST(failed)
{
	et_mkdir("d");
	et_mkdir("mnt");
	open_dir(et_path("d"));
	MUST(mount("tmpfs", et_path("mnt"), "tmpfs", MS_RDONLY, NULL));
	et_traced(do_failed);
	MUST(umount(et_path("mnt")));
}

/* The root directory is elsewhere: the path is marked as one outside it. */
static void do_outside(void)
{
	CHILD_MUST(et_sys(SYS_chroot, et_path("jail")));
	want_named("Chroot", "CR", et_path("jail"), "%s", "");
	CHILD_MUST(et_sys(SYS_mkdirat, DIR_FD, "x", 0700));
	want_mkdir(et_path("d/x"), 0700);
	want_extended("Marks|joined=,unread=,cut=,outside=KD");
	CHILD_MUST(et_sys(SYS_mkdir, "/x", 0700));
	want_mkdir("/x", 0700);
}

TEST(outside)
{
	et_mkdir("d");
	et_mkdir("jail");
	open_dir(et_path("d"));
	et_traced(do_outside);
}

int main(int argc, char **argv)
{
	et_facts = "MKDIR CHROOT";
	return et_main(argc, argv, "");
}
