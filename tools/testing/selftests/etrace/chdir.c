// SPDX-License-Identifier: GPL-2.0
/* Chdir, CD, ChdirFailed: chdir and fchdir. */
#include <errno.h>
#include <fcntl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "lib/etrace_test.h"

#define DIR_FD	100
#define FILE_FD	101

static void want_dir(const char *path)
{
	want_named("Chdir", "CD", path, "%s", "");
}

static void want_fd(const char *path, int fd)
{
	want_named("Chdir", "CD", path, "fd=%d", fd);
}

static void open_files(void)
{
	int n;

	et_file("a");
	et_mkdir("d");
	et_mkdir("d/e");
	MUST(symlink("../d/e", et_path("d/link")));
	n = MUST(open(et_path("d"), O_RDONLY));
	MUST(dup2(n, DIR_FD));
	close(n);
	n = MUST(open(et_path("a"), O_RDONLY));
	MUST(dup2(n, FILE_FD));
	close(n);
}

/* The directory that is recorded is the new one. */
static void do_chdir(void)
{
	CHILD_MUST(et_sys(SYS_chdir, "d/link/."));
	want_dir(et_path("d/e"));
	CHILD_MUST(et_sys(SYS_chdir, ".."));
	want_dir(et_path("d"));
	CHILD_MUST(et_sys(SYS_chdir, "/"));
	want_dir("/");
	CHILD_MUST(et_sys(SYS_fchdir, DIR_FD));
	want_fd(et_path("d"), DIR_FD);
	CHILD_MUST(et_sys(SYS_chdir, "e"));
	want_dir(et_path("d/e"));
	CHILD_MUST(et_sys(SYS_rmdir, et_path("d/e")));
	want_unlink(et_path("d/e"), 1);
	CHILD_MUST(et_sys(SYS_chdir, "."));
	want_dir(et_path("d/e (deleted)"));
}

TEST(chdir)
{
	open_files();
	et_traced(do_chdir);
}

static void do_failed(void)
{
	CHILD_MUST_FAIL(et_sys(SYS_chdir, "nothing"), ENOENT);
	want_dir(NULL);
	want_named_failed("Chdir", NULL, ENOENT);
	CHILD_MUST_FAIL(et_sys(SYS_fchdir, FILE_FD), ENOTDIR);
	want_fd(et_path("a"), FILE_FD);
	want_named_failed("Chdir", NULL, ENOTDIR);
	CHILD_MUST_FAIL(et_sys(SYS_fchdir, 12345), EBADF);
	want_fd(NULL, 12345);
	want_named_failed("Chdir", NULL, EBADF);
}

TEST(failed)
{
	open_files();
	et_traced(do_failed);
}

/* A directory outside the root directory. */
static void do_outside(void)
{
	CHILD_MUST(et_sys(SYS_chroot, "d"));
	want_named("Chroot", "CR", et_path("d"), "%s", "");
	CHILD_MUST(et_sys(SYS_chdir, ".."));
	want_dir("/tmp");
	want_extended("Marks|joined=,unread=,cut=,outside=CD");
	CHILD_MUST(et_sys(SYS_chdir, "/e"));
	want_dir("/e");
	CHILD_MUST(et_sys(SYS_fchdir, DIR_FD));
	want_fd("/", DIR_FD);
}

TEST(outside)
{
	open_files();
	et_traced(do_outside);
}

int main(int argc, char **argv)
{
	et_facts = "CHDIR CHROOT";
	return et_main(argc, argv, "");
}
