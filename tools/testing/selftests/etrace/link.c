// SPDX-License-Identifier: GPL-2.0
/*
 * LinkFrom, LinkatFrom, LinkTo, LinkFailed: link and linkat, in the five forms of the line
 * format.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "lib/etrace_test.h"

#define DIR_FD	100
#define FILE_FD	101

static void want_to(const char *to)
{
	want("LinkTo|fnamesize=%zu", strlen(to));
	want("LT|%s", to);
}

static void want_from(const char *from)
{
	want(ET_LINK_FROM, strlen(from));
	want("LF|%s", from);
}

static void want_from_at(const char *from, unsigned int flags)
{
	want("LinkatFrom|fnamesize=%zu,flags=%u", strlen(from), flags);
	want("LF|%s", from);
}

static void want_failed(int err, bool joined)
{
	want("LinkFailed|");
	want_extended("Failed|error=%d", err);
	if (joined) {
		want_extended("Marks|joined=LF,unread=,cut=");
		want_joined(1);
	}
}

static void fd_at(int fd, const char *name, int flags)
{
	int d = MUST(open(et_path(name), flags));

	MUST(dup2(d, fd));
	close(d);
}

static void do_link(void)
{
	CHILD_MUST(et_sys(SYS_link, et_path("a"), et_path("b")));
	want_from(et_path("a"));
	want_to(et_path("b"));
	CHILD_MUST(et_sys(SYS_link, "./b", "to_d/../d//c"));
	want_from(et_path("b"));
	want_to(et_path("d/c"));
	/* Links the symbolic link itself. */
	CHILD_MUST(et_sys(SYS_link, "to_a", "to_a2"));
	want_from(et_path("to_a"));
	want_to(et_path("to_a2"));
}

TEST(link)
{
	et_file("a");
	et_mkdir("d");
	MUST(symlink("a", et_path("to_a")));
	MUST(symlink("d", et_path("to_d")));
	et_traced(do_link);
}

static void do_linkat(void)
{
	char name[64], from[4200];

	CHILD_MUST(et_sys(SYS_linkat, DIR_FD, "f", AT_FDCWD, "g", 0));
	want_from_at(et_path("d/f"), 0);
	want_to(et_path("g"));
	CHILD_MUST(et_sys(SYS_linkat, AT_FDCWD, "g", DIR_FD, "h", 0));
	want_from_at(et_path("g"), 0);
	want_to(et_path("d/h"));
	/* AT_SYMLINK_FOLLOW: links the target of the symbolic link. */
	CHILD_MUST(et_sys(SYS_linkat, AT_FDCWD, "to_f", AT_FDCWD, "i",
			  AT_SYMLINK_FOLLOW));
	want_from_at(et_path("d/f"), AT_SYMLINK_FOLLOW);
	want_to(et_path("i"));
	CHILD_MUST(et_sys(SYS_linkat, FILE_FD, "", DIR_FD, "j", AT_EMPTY_PATH));
	want_from_at(et_path("d/f"), AT_EMPTY_PATH);
	want_to(et_path("d/j"));

	/* Gives a name to a file that has none. */
	snprintf(name, sizeof(name), "/proc/self/fd/%d", FILE_FD + 1);
	snprintf(from, sizeof(from), "%s", et_fd_path(FILE_FD + 1));
	if (!strstr(from, " (deleted)"))
		CHILD_FAIL("%s does not look deleted", from);
	CHILD_MUST(et_sys(SYS_linkat, AT_FDCWD, name, AT_FDCWD, "named",
			  AT_SYMLINK_FOLLOW));
	want_from_at(from, AT_SYMLINK_FOLLOW);
	want_to(et_path("named"));
}

TEST(linkat)
{
	et_mkdir("d");
	et_file("d/f");
	MUST(symlink("d/f", et_path("to_f")));
	fd_at(DIR_FD, "d", O_PATH);
	fd_at(FILE_FD, "d/f", O_RDONLY);
	fd_at(FILE_FD + 1, ".", O_TMPFILE | O_RDWR);
	et_traced(do_linkat);
	close(FILE_FD + 1);
}

static void do_failed(void)
{
	/* Forms 3 and 5: the source is known. */
	CHILD_MUST_FAIL(et_sys(SYS_link, "a", "b"), EEXIST);
	want_from(et_path("a"));
	want_failed(EEXIST, true);
	CHILD_MUST_FAIL(et_sys(SYS_linkat, DIR_FD, "f", AT_FDCWD, "b", 0), EEXIST);
	want_from_at(et_path("d/f"), 0);
	want_failed(EEXIST, true);
	CHILD_MUST_FAIL(et_sys(SYS_link, "a", "mnt/a"), EXDEV);
	want_from(et_path("a"));
	want_failed(EXDEV, true);
	CHILD_MUST_FAIL(et_sys(SYS_linkat, AT_FDCWD, "a", AT_FDCWD, "x", 1 << 20),
			EINVAL);
	want_from_at(et_path("a"), 1 << 20);
	want_failed(EINVAL, true);

	/* Form 4: neither is known. */
	CHILD_MUST_FAIL(et_sys(SYS_link, "absent", "x"), ENOENT);
	want_failed(ENOENT, false);
	CHILD_MUST_FAIL(et_sys(SYS_linkat, 12345, "a", AT_FDCWD, "x", 0), EBADF);
	want_failed(EBADF, false);
	CHILD_MUST_FAIL(et_sys(SYS_linkat, AT_FDCWD, "a/b", AT_FDCWD, "x", 0),
			ENOTDIR);
	want_failed(ENOTDIR, false);
}

TEST(failed)
{
	et_file("a");
	et_file("b");
	et_mkdir("d");
	et_file("d/f");
	et_mkdir("mnt");
	fd_at(DIR_FD, "d", O_PATH);
	MUST(mount("tmpfs", et_path("mnt"), "tmpfs", 0, NULL));
	et_traced(do_failed);
	MUST(umount(et_path("mnt")));
}

/* The kernel had resolved both names before it refused the link. */
static void do_refused(void)
{
	CHILD_MUST_FAIL(et_sys(SYS_link, "./to_d/../d", "x"), EPERM);
	want_from(et_path("d"));
	want_failed(EPERM, false);
}

TEST(failed_resolved)
{
	et_mkdir("d");
	MUST(symlink("d", et_path("to_d")));
	et_traced(do_refused);
}

int main(int argc, char **argv)
{
	return et_main(argc, argv, "");
}
