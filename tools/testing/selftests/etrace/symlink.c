// SPDX-License-Identifier: GPL-2.0
/*
 * Symlink, ST, SR, SL: symlink and symlinkat, with a target that exists or
 * dangles.
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "lib/etrace_test.h"

#define DIR_FD	100

/* @resolved: what the target leads to, NULL if nowhere. */
static void want_symlink(const char *target, const char *resolved,
			 const char *link)
{
	char real[PATH_MAX];

	/* The C library has its own opinion of where a link leads. */
	if (!realpath(link, real))
		real[0] = '\0';
	if (strcmp(real, resolved ?: ""))
		CHILD_FAIL("realpath says '%s', must be '%s'", real, resolved ?: "");

	if (resolved)
		want("Symlink|targetnamesize=%zu,resolvednamesize=%zu,linknamesize=%zu",
		     strlen(target), strlen(resolved), strlen(link));
	else
		want("Symlink|targetnamesize=%zu,linknamesize=%zu",
		     strlen(target), strlen(link));
	want("ST|%s", target);
	if (resolved)
		want("SR|%s", resolved);
	want("SL|%s", link);
}

static void symlink_is(const char *target, const char *name,
		       const char *resolved, const char *link)
{
	CHILD_MUST(et_sys(SYS_symlink, target, name));
	want_symlink(target, resolved, link);
}

static void symlinkat_is(const char *target, int dirfd, const char *name,
			 const char *resolved, const char *link)
{
	CHILD_MUST(et_sys(SYS_symlinkat, target, dirfd, name));
	want_symlink(target, resolved, link);
}

static void do_valid(void)
{
	symlink_is("a", "l1", et_path("a"), et_path("l1"));
	symlink_is(et_path("a"), "l2", et_path("a"), et_path("l2"));
	/* Relative to the link's directory, not to the working one. */
	symlink_is("f", "d/l3", et_path("d/f"), et_path("d/l3"));
	symlink_is("../a", "d/l4", et_path("a"), et_path("d/l4"));
	symlink_is("../../../../../../..", et_path("l5"), "/", et_path("l5"));
	symlink_is("/", "l6", "/", et_path("l6"));
	symlink_is(".", "l7", et_dir, et_path("l7"));
	/* Through links, and to a link. */
	symlink_is("to_d/f", "l8", et_path("d/f"), et_path("l8"));
	symlink_is("f", "to_d/l9", et_path("d/f"), et_path("d/l9"));
	symlink_is("l1", "l10", et_path("a"), et_path("l10"));
	symlink_is("./d/.././/a", "./d/./l11", NULL, et_path("d/l11"));
	/* What a mount hides is not what is found. */
	symlink_is("mnt/f", "l12", et_path("mnt/f"), et_path("l12"));
	symlink_is("/proc/self", "l13", realpath("/proc/self", NULL), et_path("l13"));
}

TEST(valid)
{
	et_file("a");
	et_mkdir("d");
	et_file("d/f");
	MUST(symlink("d", et_path("to_d")));
	et_mkdir("mnt");
	MUST(mount("tmpfs", et_path("mnt"), "tmpfs", 0, NULL));
	et_file("mnt/f");
	et_traced(do_valid);
	MUST(umount(et_path("mnt")));
}

static void do_dangling(void)
{
	symlink_is("absent", "l1", NULL, et_path("l1"));
	symlink_is("/absent/too", "l2", NULL, et_path("l2"));
	symlink_is("f", "l3", NULL, et_path("l3"));	/* it is in d */
	symlink_is("l4", "l4", NULL, et_path("l4"));	/* to itself */
	symlink_is("d/f/g", "l5", NULL, et_path("l5"));
	symlink_is(" any text, = | ! no path", "l6", NULL, et_path("l6"));
}

TEST(dangling)
{
	et_mkdir("d");
	et_file("d/f");
	et_traced(do_dangling);
}

static void do_symlinkat(void)
{
	symlinkat_is("f", DIR_FD, "l1", et_path("d/f"), et_path("d/l1"));
	symlinkat_is("../a", DIR_FD, "l2", et_path("a"), et_path("d/l2"));
	symlinkat_is("f", AT_FDCWD, "l3", NULL, et_path("l3"));
	symlinkat_is("a", DIR_FD, "../l4", et_path("a"), et_path("l4"));
	symlinkat_is("a", 12345, et_path("l5"), et_path("a"), et_path("l5"));
}

TEST(symlinkat)
{
	int d;

	et_file("a");
	et_mkdir("d");
	et_file("d/f");
	d = MUST(open(et_path("d"), O_PATH));
	MUST(dup2(d, DIR_FD));
	close(d);
	et_traced(do_symlinkat);
}

/* What a program cannot reach is not there for it. */
static void do_denied(void)
{
	CHILD_MUST(chdir("open"));
	CHILD_MUST(et_sys(SYS_setuid, 12345));
	symlink_is("../closed/f", "l1", NULL, et_path("open/l1"));
	symlink_is("../closed", "l2", et_path("closed"), et_path("open/l2"));
}

TEST(as_the_program_sees_it)
{
	et_mkdir("open");
	et_mkdir("closed");
	et_file("closed/f");
	MUST(chmod(et_dir, 0755));
	MUST(chmod(et_path("open"), 0777));
	MUST(chmod(et_path("closed"), 0700));
	et_traced(do_denied);
}

static void do_failed(void)
{
	CHILD_MUST_FAIL(et_sys(SYS_symlink, "x", "a"), EEXIST);
	CHILD_MUST_FAIL(et_sys(SYS_symlink, "", "l"), ENOENT);
	CHILD_MUST_FAIL(et_sys(SYS_symlink, "x", "absent/l"), ENOENT);
	CHILD_MUST_FAIL(et_sys(SYS_symlinkat, "x", 12345, "l"), EBADF);
	CHILD_MUST_FAIL(et_sys(SYS_symlink, (char *)8, "l"), EFAULT);
}

TEST(failed_prints_nothing)
{
	et_file("a");
	et_traced(do_failed);
}

int main(int argc, char **argv)
{
	return et_main(argc, argv, "");
}
