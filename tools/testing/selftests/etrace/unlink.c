// SPDX-License-Identifier: GPL-2.0
/*
 * Unlink, UN, UnlinkFailed: unlink, unlinkat and rmdir. In root_pid's tree, recorded only with
 * the parameter extended.
 */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "lib/etrace_test.h"

static void want_failed(int err)
{
	want_extended("UnlinkFailed|");
	want_extended("Failed|error=%d", err);
}

static void do_unlink(void)
{
	CHILD_MUST(et_sys(SYS_unlink, et_path("a")));
	want_unlink(et_path("a"), 0);
	/* Removes the link itself; a file in a directory that is reached through a link. */
	CHILD_MUST(et_sys(SYS_unlink, "link"));
	want_unlink(et_path("link"), 0);
	CHILD_MUST(et_sys(SYS_unlinkat, AT_FDCWD, "./to_d/..//d/x", 0));
	want_unlink(et_path("d/x"), 0);
}

TEST(unlink)
{
	et_file("a");
	et_file("x");
	et_mkdir("d");
	et_file("d/x");
	MUST(symlink("x", et_path("link")));
	MUST(symlink("d", et_path("to_d")));
	et_traced(do_unlink);
}

/* A descriptor already open in the child. */
#define DIR_FD	100

static void do_unlinkat(void)
{
	CHILD_MUST(et_sys(SYS_unlinkat, DIR_FD, "f", 0));
	want_unlink(et_path("d/f"), 0);
	CHILD_MUST(et_sys(SYS_unlinkat, DIR_FD, "../g", 0));
	want_unlink(et_path("g"), 0);
	CHILD_MUST(et_sys(SYS_unlinkat, DIR_FD, "e", AT_REMOVEDIR));
	want_unlink(et_path("d/e"), 1);
	CHILD_MUST(et_sys(SYS_unlinkat, 12345, et_path("h"), 0));
	want_unlink(et_path("h"), 0);
}

TEST(unlinkat)
{
	int d;

	et_mkdir("d");
	et_mkdir("d/e");
	et_file("d/f");
	et_file("g");
	et_file("h");
	d = MUST(open(et_path("d"), O_PATH | O_DIRECTORY));
	MUST(dup2(d, DIR_FD));
	close(d);
	et_traced(do_unlinkat);
}

static void do_rmdir(void)
{
	CHILD_MUST(et_sys(SYS_rmdir, "to_d/e/"));
	want_unlink(et_path("d/e"), 1);
	CHILD_MUST(et_sys(SYS_unlinkat, AT_FDCWD, et_path("d"), AT_REMOVEDIR));
	want_unlink(et_path("d"), 1);
}

TEST(rmdir)
{
	et_mkdir("d");
	et_mkdir("d/e");
	MUST(symlink("d", et_path("to_d")));
	et_traced(do_rmdir);
}

/* The kernel had resolved the name before it refused the removal. */
static void do_refused(void)
{
	CHILD_MUST_FAIL(et_sys(SYS_unlink, "to_d/../d"), EISDIR);
	want_unlink(et_path("d"), 0);
	want_failed(EISDIR);
	CHILD_MUST_FAIL(et_sys(SYS_rmdir, "./a"), ENOTDIR);
	want_unlink(et_path("a"), 1);
	want_failed(ENOTDIR);
	CHILD_MUST_FAIL(et_sys(SYS_unlinkat, AT_FDCWD, "d", AT_REMOVEDIR), ENOTEMPTY);
	want_unlink(et_path("d"), 1);
	want_failed(ENOTEMPTY);
}

TEST(failed_resolved)
{
	et_file("a");
	et_mkdir("d");
	et_file("d/x");
	MUST(symlink("d", et_path("to_d")));
	et_traced(do_refused);
}

static void want_joined_failed(const char *path, int dir, int err)
{
	want_unlink(path, dir);
	want_failed(err);
	want_extended("Marks|joined=UN,unread=,cut=");
	/* BPF always records it; only its reader leaves it out. */
	if (et_extended || et_bpf())
		want_joined(1);
}

/* The call failed before the kernel looked at the name, so it is from user memory. */
static void do_unresolved(void)
{
	char a[] = "a";	/* in memory, although the kernel does not read it */

	CHILD_MUST_FAIL(et_sys(SYS_unlinkat, AT_FDCWD, a, 0x1000), EINVAL);
	want_joined_failed(et_path("a"), 0, EINVAL);
	CHILD_MUST_FAIL(et_sys(SYS_rmdir, "."), EINVAL);
	want_joined_failed(et_path("."), 1, EINVAL);
	CHILD_MUST_FAIL(et_sys(SYS_unlink, "mnt/a"), EROFS);
	want_joined_failed(et_path("mnt/a"), 0, EROFS);
}

TEST(failed_unresolved)
{
	et_file("a");
	et_mkdir("mnt");
	MUST(mount("tmpfs", et_path("mnt"), "tmpfs", MS_RDONLY, NULL));
	et_traced(do_unresolved);
	MUST(umount(et_path("mnt")));
}

/* No such name exists, so none is recorded. */
static void do_absent(void)
{
	CHILD_MUST_FAIL(et_sys(SYS_unlink, "nothing"), ENOENT);
	want_extended("Unlink|dir=0");
	want_failed(ENOENT);
	CHILD_MUST_FAIL(et_sys(SYS_unlinkat, 12345, "a", AT_REMOVEDIR), EBADF);
	want_extended("Unlink|dir=1");
	want_failed(EBADF);
	CHILD_MUST_FAIL(et_sys(SYS_rmdir, (char *)8), EFAULT);
	want_extended("Unlink|dir=1");
	want_failed(EFAULT);
	/* The name of an earlier call must not appear in this one. */
	CHILD_MUST(et_sys(SYS_unlink, "a"));
	want_unlink(et_path("a"), 0);
	CHILD_MUST_FAIL(et_sys(SYS_unlink, "a"), ENOENT);
	want_extended("Unlink|dir=0");
	want_failed(ENOENT);
}

TEST(failed_absent)
{
	et_file("a");
	et_traced(do_absent);
}

int main(int argc, char **argv)
{
	return et_main(argc, argv, "");
}
