// SPDX-License-Identifier: GPL-2.0
/*
 * RenameFrom, Rename2From, RenameTo, RenameFailed: rename, renameat and renameat2, in the three
 * forms of the line format.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/fs.h>
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

/* @joined: the kernel did not show the source, so the name is from user memory */
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
	/* Over an existing file. */
	CHILD_MUST(et_sys(SYS_rename, "./d/../d//c", "x"));
	want_from(et_path("d/c"));
	want_to(et_path("x"));
	/* Renames the link itself, to a directory that is reached through a link. */
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

/* Descriptors already open in the child. */
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

/* The kernel had resolved both names before it refused the rename. */
static void do_refused(void)
{
	CHILD_MUST_FAIL(et_sys(SYS_rename, "d", "./full"), ENOTEMPTY);
	want_from(et_path("d"));
	want_failed(ENOTEMPTY, false);
	CHILD_MUST_FAIL(et_sys(SYS_renameat, DIR_FD, "./d", AT_FDCWD, "a"), ENOTDIR);
	/* A failed lookup can also give ENOTDIR; but here the kernel has shown the name. */
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

/* The call failed before the kernel looked at the names, so they are from user memory. */
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

/* A name does not exist, so none is recorded. */
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

/* ---- names during renames -------------------------------------------------- */

#define OPENS		2000
#define BETWEEN		40	/* directories, which take time to walk through */

/* In the root directory's mount, where most files are. */
static char away[] = "/etrace-rename.XXXXXX";
static int leaf;

/* Name @k: short ones are stored in the dentry itself, long ones are not. */
static const char *name(char *text, size_t size, unsigned int k)
{
	snprintf(text, size, "%u%s", k,
		 k % 2 ? ".name.too.long.to.lie.in.the.entry.itself.0123456789" : "");
	return text;
}

/*
 * Rename the entry in the directory @low to its next name, then that in @high, and so on: when
 * both names are read at the same time, the lower number is the higher one or one more.
 */
static pid_t renamer(int high, int low)
{
	pid_t pid = MUST(fork());
	char from[100], to[100];
	unsigned int k;

	for (k = 0; !pid; k++) {
		name(from, sizeof(from), k);
		name(to, sizeof(to), k + 1);
		if (renameat(low, from, low, to) || renameat(high, from, high, to))
			_exit(1);
	}
	return pid;
}

static void open_often(void)
{
	for (int i = 0; i < OPENS; i++) {
		int fd = CHILD_MUST(et_sys(SYS_openat, leaf, "file", O_RDONLY));

		CHILD_MUST(et_sys(SYS_close, fd));
	}
}

/* Whatever its current name is. */
static void remove_directory(int fd)
{
	char link[40], path[400];

	snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
	path[MUST(readlink(link, path, sizeof(path) - 1))] = '\0';
	MUST(rmdir(path));
	close(fd);
}

/* The number in the upper name of a path, -1 if the path never existed. */
static int which(const char *path)
{
	unsigned int high, k;
	char text[400], names[2][100], between[2 * BETWEEN + 1];

	if (sscanf(path + strlen(away), "/%u", &high) != 1)
		return -1;
	for (k = 0; k < BETWEEN; k++)
		strcpy(between + 2 * k, "d/");
	for (k = high; k <= high + 1; k++) {
		snprintf(text, sizeof(text), "%s/%s/%s%s/file", away,
			 name(names[0], sizeof(names[0]), high), between,
			 name(names[1], sizeof(names[1]), k));
		if (!strcmp(path, text))
			return high;
	}
	return -1;
}

static bool is_name(const struct et_line *line)
{
	return !strncmp(line->text, "FN|", 3) || !strncmp(line->text, "FO|", 3);
}

/* A name that is read during renames is one that the file had. */
TEST(names_read_during_renames)
{
	unsigned int found = 0, different = 0;
	int dir[BETWEEN + 3], i, number, last = -1;
	struct et_trace tr;
	struct et_task *t;
	pid_t pid;

	if (et_without_module())	/* BPF reads names without locks: Documentation/bpf.md */
		return;
	MUST(mkdtemp(away) ? 0 : -1);
	dir[0] = MUST(open(away, O_RDONLY | O_DIRECTORY));
	for (i = 0; i < BETWEEN + 2; i++) {
		const char *first = i == 0 || i == BETWEEN + 1 ? "0" : "d";

		MUST(mkdirat(dir[i], first, 0755));
		dir[i + 1] = MUST(openat(dir[i], first, O_RDONLY | O_DIRECTORY));
	}
	leaf = dir[BETWEEN + 2];
	close(MUST(openat(leaf, "file", O_CREAT | O_WRONLY, 0644)));
	fflush(stdout);
	pid = renamer(dir[0], dir[BETWEEN + 1]);
	t = et_trace_pid(&tr, et_run(open_often, &tr));
	EXPECT_EQ(waitpid(pid, NULL, WNOHANG), 0);
	kill(pid, SIGKILL);
	MUST(waitpid(pid, NULL, 0));
	for (size_t k = 0; t && k < t->nr; k++) {
		if (!is_name(&t->line[k]))
			continue;
		number = which(t->line[k].text + 3);
		if (number < 0)
			FAIL("the file never had this name: %s",
			     et_escape(t->line[k].text, t->line[k].len));
		different += number != last;
		last = number;
		found++;
	}
	EXPECT_EQ(found, 2 * OPENS);
	et_note("%u different names", different);
	EXPECT(different > 2, "no name changed during the calls");
	et_trace_free(&tr);
	MUST(unlinkat(leaf, "file", 0));
	for (i = BETWEEN + 2; i >= 0; i--)
		remove_directory(dir[i]);
	strcpy(strchr(away, '.'), ".XXXXXX");
}

int main(int argc, char **argv)
{
	return et_main(argc, argv, "");
}
