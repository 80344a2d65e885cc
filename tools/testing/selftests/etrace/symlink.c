// SPDX-License-Identifier: GPL-2.0
/* Symlink, ST, SR, SL: symlink and symlinkat, with targets that exist or dangle. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "lib/etrace_test.h"

#define DIR_FD	100

/* @resolved: the file that the target leads to, NULL if none */
static void want_lines(const char *target, const char *resolved, const char *link)
{
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

static void want_symlink(const char *target, const char *resolved,
			 const char *link)
{
	char real[PATH_MAX];

	/* Check with the C library where the link leads. */
	if (!realpath(link, real))
		real[0] = '\0';
	if (strcmp(real, resolved ?: ""))
		CHILD_FAIL("realpath says '%s', must be '%s'", real, resolved ?: "");
	want_lines(target, resolved, link);
}

/* The target is unknown without asking a file system, so there is no SR. */
static void want_unresolved(const char *target, const char *link)
{
	want_lines(target, NULL, link);
	want_extended("Marks|joined=,unread=,cut=,untold=SR");
	want_count("strings_untold", 1);
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

static void rename_is(const char *from, const char *to)
{
	CHILD_MUST(rename(from, to));
	want("RenameFrom|fnamesize=%zu", strlen(et_path(from)));
	want("RF|%s", et_path(from));
	want("RenameTo|fnamesize=%zu", strlen(et_path(to)));
	want("RT|%s", et_path(to));
}

static void do_valid(void)
{
	symlink_is("a", "l1", et_path("a"), et_path("l1"));
	symlink_is(et_path("a"), "l2", et_path("a"), et_path("l2"));
	/* Relative to the link's directory, not to the working directory. */
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
	/* The path is the one on the mount, not the one hidden by it. */
	symlink_is("mnt/f", "l12", et_path("mnt/f"), et_path("l12"));
	symlink_is("d/", "l13", et_path("d"), et_path("l13"));
	symlink_is("//tmp/./../tmp//", "l14", "/tmp", et_path("l14"));
	symlink_is("mnt/../mnt/..", "l15", et_dir, et_path("l15"));
	symlink_is("../../../proc/../..", "l16", "/", et_path("l16"));
	/* Newer kernels can tell from memory whether a process exists. */
	if (et_bpf() || et_kernel_at_least(5, 11))
		symlink_is("/proc/self", "p", realpath("/proc/self", NULL), et_path("p"));
	/* An old name of the directory. */
	et_until_links_read();
	rename_is("d", "e");
	symlink_is("d/f", "l17", NULL, et_path("l17"));
	symlink_is("e/f", "l18", et_path("e/f"), et_path("l18"));
	et_until_links_read();
	rename_is("e", "d");
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
	symlink_is("f", "l3", NULL, et_path("l3"));	/* it exists only in d */
	symlink_is("l4", "l4", NULL, et_path("l4"));	/* to itself */
	symlink_is("d/f/g", "l5", NULL, et_path("l5"));
	symlink_is("d/f/", "l7", NULL, et_path("l7"));
	symlink_is("d/f/..", "l8", NULL, et_path("l8"));
	symlink_is(" any text, = | ! no path", "l6", NULL, et_path("l6"));
}

TEST(dangling)
{
	/* Let the kernel know that the file does not exist. */
	access("/absent/too", F_OK);
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

/* Files that a program cannot reach do not exist for it. */
static void do_denied(void)
{
	CHILD_MUST(chdir("open"));
	CHILD_MUST(et_sys(SYS_setuid, 12345));
	symlink_is("../closed/f", "l1", NULL, et_path("open/l1"));
	symlink_is("../closed", "l2", et_path("closed"), et_path("open/l2"));
}

TEST(unreachable_targets)
{
	et_mkdir("open");
	et_mkdir("closed");
	et_file("closed/f");
	MUST(chmod(et_dir, 0755));
	MUST(chmod(et_path("open"), 0777));
	MUST(chmod(et_path("closed"), 0700));
	et_traced(do_denied);
}

/* In another root directory, by a process that has ended when the reader looks. */
static void do_chroot(void)
{
	pid_t pid;

	CHILD_MUST(chroot("."));
	pid = CHILD_MUST(fork());
	if (!pid) {
		CHILD_MUST(et_sys(SYS_symlink, "/a", "l1"));
		want_lines("/a", "/a", "/l1");
		CHILD_MUST(et_sys(SYS_symlink, "../d/f", "d/l2"));
		want_lines("../d/f", "/d/f", "/d/l2");
		CHILD_MUST(et_sys(SYS_symlink, "/tmp/a", "l3"));
		want_lines("/tmp/a", NULL, "/l3");
		want("Exit|status=0");
		_exit(0);
	}
	want("SysClone|flags=%d", 0x1200000 | SIGCHLD);	/* set by the C library */
	want_fork(pid);
	CHILD_MUST(waitpid(pid, NULL, 0));
	et_until_links_read();
}

TEST(target_in_another_root)
{
	et_file("a");
	et_mkdir("d");
	et_file("d/f");
	et_traced(do_chroot);
}

/* ---- targets that are not looked up ---------------------------------------- */

static char never[64];

static void do_unresolved(void)
{
	CHILD_MUST(et_sys(SYS_symlink, never, "l1"));
	/* The BPF reader may look at the disk; the kernel has nothing in memory. */
	if (et_bpf())
		want_lines(never, NULL, et_path("l1"));
	else
		want_unresolved(never, et_path("l1"));
	/* After the program itself has looked, it is known. */
	et_until_links_read();
	access(never, F_OK);
	symlink_is(never, "l2", NULL, et_path("l2"));
}

TEST(uncached_targets_not_looked_up)
{
	static int n;

	/* Not in the case's directory, whose names are all in memory. */
	snprintf(never, sizeof(never), "/usr/bin/etrace-%d-%d", getpid(), n++);
	access("/usr/bin/env", F_OK);
	et_traced(do_unresolved);
}

static bool is_mounted(const char *path)
{
	char line[2 * PATH_MAX], at[PATH_MAX];
	FILE *f = fopen("/proc/self/mountinfo", "r");
	bool found = false;

	if (!f)
		DIE("/proc/self/mountinfo: %m");
	while (fgets(line, sizeof(line), f))
		if (sscanf(line, "%*s %*s %*s %*s %4095s", at) == 1 && !strcmp(at, path))
			found = true;
	fclose(f);
	return found;
}

static void do_automount(void)
{
	char target[PATH_MAX];

	strcpy(target, et_path("debug/tracing/README"));
	CHILD_MUST(et_sys(SYS_symlink, target, "l1"));
	want_unresolved(target, et_path("l1"));
	CHILD_MUST(et_sys(SYS_symlink, "debug/tracing/README", "l2"));
	want_unresolved("debug/tracing/README", et_path("l2"));
	et_until_links_read();
}

TEST(no_automount_triggered)
{
	bool mounts;

	et_mkdir("debug");
	MUST(mount("debugfs", et_path("debug"), "debugfs", 0, NULL));
	et_traced(do_automount);
	EXPECT(!is_mounted(et_path("debug/tracing")));
	/* An access by path does mount it. */
	access(et_path("debug/tracing/README"), F_OK);
	mounts = is_mounted(et_path("debug/tracing"));
	umount2(et_path("debug"), MNT_DETACH);
	if (!mounts)
		et_skip("debugfs has no automount in this kernel");
}

/* An automount daemon that never answers. */
static void do_autofs(void)
{
	CHILD_MUST(et_sys(SYS_symlink, "auto/x/f", "l1"));
	want_unresolved("auto/x/f", et_path("l1"));
	CHILD_MUST(et_sys(SYS_symlink, "direct/f", "l2"));
	want_unresolved("direct/f", et_path("l2"));
	et_until_links_read();
}

/* @daemon: processes of this group are not stopped */
static bool mount_autofs(const char *dir, const char *kind, int fd, pid_t daemon)
{
	char options[128];

	et_mkdir(dir);
	snprintf(options, sizeof(options), "fd=%d,pgrp=%d,minproto=5,maxproto=5,%s",
		 fd, daemon, kind);
	return !mount("etrace", et_path(dir), "autofs", 0, options);
}

TEST(autofs_daemon_not_asked)
{
	pid_t daemon = et_sleeper();
	int fd[2];

	if (system("modprobe -q autofs4"))
		et_note("modprobe autofs4 failed");
	MUST(pipe(fd));
	if (!mount_autofs("auto", "indirect", fd[1], daemon) ||
	    !mount_autofs("direct", "direct", fd[1], daemon)) {
		et_skip("no autofs: %m");
	} else {
		et_traced(do_autofs);
	}
	close(fd[0]);
	close(fd[1]);
	kill(daemon, SIGKILL);
	MUST(waitpid(daemon, NULL, 0));
	umount2(et_path("auto"), MNT_DETACH);
	umount2(et_path("direct"), MNT_DETACH);
}

/* The module resolves the link from the directory itself; the BPF reader has only its name. */
static void do_mounted_over(void)
{
	CHILD_MUST(et_sys(SYS_symlinkat, "f", DIR_FD, "l1"));
	if (et_bpf())
		want_unresolved("f", et_path("d/l1"));
	else
		want_lines("f", et_path("d/f"), et_path("d/l1"));
	CHILD_MUST(et_sys(SYS_symlinkat, "g", DIR_FD, "l2"));
	if (et_bpf())
		want_unresolved("g", et_path("d/l2"));
	else
		want_lines("g", NULL, et_path("d/l2"));
	symlink_is("g", "d/l3", et_path("d/g"), et_path("d/l3"));
	symlink_is("f", "d/l4", NULL, et_path("d/l4"));
	et_until_links_read();
}

TEST(target_below_new_mount)
{
	int d;

	et_mkdir("d");
	et_file("d/f");
	d = MUST(open(et_path("d"), O_PATH));
	MUST(dup2(d, DIR_FD));
	close(d);
	MUST(mount("tmpfs", et_path("d"), "tmpfs", 0, NULL));
	et_file("d/g");
	et_traced(do_mounted_over);
	MUST(umount(et_path("d")));
}

static void do_failed(void)
{
	CHILD_MUST_FAIL(et_sys(SYS_symlink, "x", "a"), EEXIST);
	CHILD_MUST_FAIL(et_sys(SYS_symlink, "", "l"), ENOENT);
	CHILD_MUST_FAIL(et_sys(SYS_symlink, "x", "absent/l"), ENOENT);
	CHILD_MUST_FAIL(et_sys(SYS_symlinkat, "x", 12345, "l"), EBADF);
	CHILD_MUST_FAIL(et_sys(SYS_symlink, (char *)8, "l"), EFAULT);
}

TEST(failed_call_records_nothing)
{
	et_file("a");
	et_traced(do_failed);
}

int main(int argc, char **argv)
{
	return et_main(argc, argv, "");
}
