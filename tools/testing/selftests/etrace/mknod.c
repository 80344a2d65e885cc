// SPDX-License-Identifier: GPL-2.0
/*
 * Mknod, KN, MknodFailed: mknod and mknodat. The name is read from user memory: the place where
 * the kernel has its own name is also passed by every open with O_CREAT.
 */
#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "lib/etrace_test.h"

static void want_mknod(const char *path, unsigned int mode, unsigned int dev)
{
	want_named("Mknod", "KN", path, "mode=%u,dev=%u", mode, dev);
}

#define DIR_FD	100

static void do_mknod(void)
{
	char fifo[] = "fifo";	/* in memory, although the kernel does not read it */

	CHILD_MUST(et_sys(SYS_mknod, fifo, S_IFIFO | 0640, 0));
	want_mknod(et_path("fifo"), S_IFIFO | 0640, 0);
	want_named_joined("KN");
	CHILD_MUST(et_sys(SYS_mknod, et_path("file"), 0600, 7));
	want_mknod(et_path("file"), 0600, 7);
	want_named_joined("KN");
	CHILD_MUST(et_sys(SYS_mknod, "d/../null", S_IFCHR | 0666, (int)makedev(1, 3)));
	want_mknod(et_path("d/../null"), S_IFCHR | 0666, makedev(1, 3));
	want_named_joined("KN");
	CHILD_MUST(et_sys(SYS_mknodat, DIR_FD, "block", S_IFBLK, 0xffffffff));
	want_mknod(et_path("d/block"), S_IFBLK, 0xffffffff);
	want_named_joined("KN");
	CHILD_MUST(et_sys(SYS_mknodat, AT_FDCWD, "socket", S_IFSOCK | 0777, 0));
	want_mknod(et_path("socket"), S_IFSOCK | 0777, 0);
	want_named_joined("KN");
}

static void open_dir(void)
{
	int d;

	et_mkdir("d");
	d = MUST(open(et_path("d"), O_PATH | O_DIRECTORY));
	MUST(dup2(d, DIR_FD));
	close(d);
}

TEST(mknod)
{
	open_dir();
	et_traced(do_mknod);
}

static void do_failed(void)
{
	char d[] = "d";

	CHILD_MUST_FAIL(et_sys(SYS_mknod, d, S_IFREG | 0600, 0), EEXIST);
	want_mknod(et_path("d"), S_IFREG | 0600, 0);
	want_named_failed("Mknod", "KN", EEXIST);
	CHILD_MUST_FAIL(et_sys(SYS_mknodat, DIR_FD, "x", S_IFDIR | 0700, 0), EPERM);
	want_mknod(et_path("d/x"), S_IFDIR | 0700, 0);
	want_named_failed("Mknod", "KN", EPERM);
	CHILD_MUST_FAIL(et_sys(SYS_mknod, "nothing/x", S_IFIFO, 0), ENOENT);
	want_mknod(NULL, S_IFIFO, 0);
	want_named_failed("Mknod", NULL, ENOENT);
	CHILD_MUST_FAIL(et_sys(SYS_mknodat, 12345, "x", S_IFIFO, 0), EBADF);
	want_mknod(NULL, S_IFIFO, 0);
	want_named_failed("Mknod", NULL, EBADF);
}

TEST(failed)
{
	open_dir();
	et_traced(do_failed);
}

int main(int argc, char **argv)
{
	et_facts = "MKNOD";
	return et_main(argc, argv, "");
}
