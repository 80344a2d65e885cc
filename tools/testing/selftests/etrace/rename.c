// SPDX-License-Identifier: GPL-2.0
/*
 * RenameFrom, Rename2From, RenameTo, RenameFailed: rename, renameat and
 * renameat2, in the three forms of the line format.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/fs.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "lib/etrace_test.h"

static void want_to(const char *to)
{
	want("RenameTo|fnamesize=%zu", strlen(to));
	want("RT|%s", to);
}

static void want_from(const char *from)
{
	want("RenameFrom|fnamesize=%zu", strlen(from));
	want("RF|%s", from);
}

static void want_from2(const char *from, unsigned int flags)
{
	want("Rename2From|fnamesize=%zu,flags=%u", strlen(from), flags);
	want("RF|%s", from);
}

/* A source that the kernel did not show: as the user wrote it. */
static void want_failed(int err, bool joined)
{
	want("RenameFailed|");
	want_extended("Failed|error=%d", err);
	if (joined) {
		want_extended("Marks|joined=RF,unread=,cut=");
		want_joined(1);
	}
}

static void do_rename(void)
{
	CHILD_MUST(et_sys(SYS_rename, et_path("a"), et_path("b")));
	want_from(et_path("a"));
	want_to(et_path("b"));
	CHILD_MUST(et_sys(SYS_rename, "b", "d/./c"));
	want_from(et_path("b"));
	want_to(et_path("d/c"));
	/* Over a file that is there. */
	CHILD_MUST(et_sys(SYS_rename, "./d/../d//c", "x"));
	want_from(et_path("d/c"));
	want_to(et_path("x"));
	/* The link, not what it leads to; the directory, through a link. */
	CHILD_MUST(et_sys(SYS_rename, "link", "to_d/link"));
	want_from(et_path("link"));
	want_to(et_path("d/link"));
	CHILD_MUST(et_sys(SYS_rename, "d/", "e/"));
	want_from(et_path("d"));
	want_to(et_path("e"));
}

TEST(rename)
{
	et_file("a");
	et_file("x");
	et_mkdir("d");
	MUST(symlink("a", et_path("link")));
	MUST(symlink("d", et_path("to_d")));
	et_traced(do_rename);
}

/* Descriptors that the child finds open. */
#define DIR_FD	100
#define DIR2_FD	101

static void dir_fd(int fd, const char *name)
{
	int d = MUST(open(et_path(name), O_PATH | O_DIRECTORY));

	MUST(dup2(d, fd));
	close(d);
}

static void do_renameat(void)
{
	CHILD_MUST(et_sys(SYS_renameat, DIR_FD, "f", DIR2_FD, "g"));
	want_from(et_path("d/f"));
	want_to(et_path("e/g"));
	CHILD_MUST(et_sys(SYS_renameat, AT_FDCWD, "e/g", DIR_FD, "../h"));
	want_from(et_path("e/g"));
	want_to(et_path("h"));
	CHILD_MUST(et_sys(SYS_renameat, 12345, et_path("h"), 12345, et_path("i")));
	want_from(et_path("h"));
	want_to(et_path("i"));
}

TEST(renameat)
{
	et_mkdir("d");
	et_file("d/f");
	et_mkdir("e");
	dir_fd(DIR_FD, "d");
	dir_fd(DIR2_FD, "e");
	et_traced(do_renameat);
}

static void do_renameat2(void)
{
	CHILD_MUST(et_sys(SYS_renameat2, DIR_FD, "f", DIR2_FD, "g", 0));
	want_from2(et_path("d/f"), 0);
	want_to(et_path("e/g"));
	CHILD_MUST(et_sys(SYS_renameat2, AT_FDCWD, "e/g", AT_FDCWD, "h",
			  RENAME_NOREPLACE));
	want_from2(et_path("e/g"), RENAME_NOREPLACE);
	want_to(et_path("h"));
	CHILD_MUST(et_sys(SYS_renameat2, AT_FDCWD, "h", AT_FDCWD, "e",
			  RENAME_EXCHANGE));
	want_from2(et_path("h"), RENAME_EXCHANGE);
	want_to(et_path("e"));
	CHILD_MUST(et_sys(SYS_renameat2, AT_FDCWD, "e", AT_FDCWD, "w",
			  RENAME_WHITEOUT));
	want_from2(et_path("e"), RENAME_WHITEOUT);
	want_to(et_path("w"));
}

TEST(renameat2)
{
	et_mkdir("d");
	et_file("d/f");
	et_mkdir("e");
	dir_fd(DIR_FD, "d");
	dir_fd(DIR2_FD, "e");
	et_traced(do_renameat2);
}

/* The kernel had resolved both names when it found that it could not. */
static void do_refused(void)
{
	CHILD_MUST_FAIL(et_sys(SYS_rename, "d", "./full"), ENOTEMPTY);
	want_from(et_path("d"));
	want_failed(ENOTEMPTY, false);
	CHILD_MUST_FAIL(et_sys(SYS_renameat, DIR_FD, "./d", AT_FDCWD, "a"), ENOTDIR);
	/*
	 * ENOTDIR is one of the errors that a look-up gives, too; but here the
	 * kernel has shown the name.
	 */
	want_from(et_path("d"));
	want_failed(ENOTDIR, false);
	CHILD_MUST_FAIL(et_sys(SYS_renameat2, AT_FDCWD, "d", AT_FDCWD, "full", 0),
			ENOTEMPTY);
	want_from2(et_path("d"), 0);
	want_failed(ENOTEMPTY, false);
}

TEST(failed_resolved)
{
	et_file("a");
	et_mkdir("d");
	et_mkdir("full");
	et_file("full/f");
	dir_fd(DIR_FD, ".");
	et_traced(do_refused);
}

/* It gave up before it looked at the names: they are the user's. */
static void do_unresolved(void)
{
	CHILD_MUST_FAIL(et_sys(SYS_rename, "a", "mnt/a"), EXDEV);
	want_from(et_path("a"));
	want_failed(EXDEV, true);
	CHILD_MUST_FAIL(et_sys(SYS_renameat, DIR_FD, "f", AT_FDCWD, "mnt/f"), EXDEV);
	want_from(et_path("d/f"));
	want_failed(EXDEV, true);
	CHILD_MUST_FAIL(et_sys(SYS_rename, et_path("mnt"), "."), EBUSY);
	want_from(et_path("mnt"));
	want_failed(EBUSY, true);
	CHILD_MUST_FAIL(et_sys(SYS_renameat2, AT_FDCWD, "a", AT_FDCWD, "d/f",
			       RENAME_NOREPLACE), EEXIST);
	want_from2(et_path("a"), RENAME_NOREPLACE);
	want_failed(EEXIST, true);
	CHILD_MUST_FAIL(et_sys(SYS_renameat2, AT_FDCWD, "a", AT_FDCWD, "d/f",
			       RENAME_NOREPLACE | RENAME_EXCHANGE), EINVAL);
	want_from2(et_path("a"), RENAME_NOREPLACE | RENAME_EXCHANGE);
	want_failed(EINVAL, true);
}

TEST(failed_unresolved)
{
	et_file("a");
	et_mkdir("d");
	et_file("d/f");
	et_mkdir("mnt");
	dir_fd(DIR_FD, "d");
	MUST(mount("tmpfs", et_path("mnt"), "tmpfs", 0, NULL));
	et_traced(do_unresolved);
	MUST(umount(et_path("mnt")));
}

/* A name does not exist: there is nothing to show. */
static void do_absent(void)
{
	CHILD_MUST_FAIL(et_sys(SYS_rename, "absent", "b"), ENOENT);
	want_failed(ENOENT, false);
	CHILD_MUST_FAIL(et_sys(SYS_renameat, 12345, "a", AT_FDCWD, "b"), EBADF);
	want_failed(EBADF, false);
	CHILD_MUST_FAIL(et_sys(SYS_renameat2, AT_FDCWD, "a/b", AT_FDCWD, "b", 0),
			ENOTDIR);
	want_failed(ENOTDIR, false);
	CHILD_MUST_FAIL(et_sys(SYS_rename, (char *)8, "b"), EFAULT);
	want_failed(EFAULT, false);
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
