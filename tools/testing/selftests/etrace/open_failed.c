// SPDX-License-Identifier: GPL-2.0
/*
 * OpenFailed, NO: open, openat, openat2 and creat that fail. In root_pid's tree, recorded only
 * with the parameter extended.
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/openat2.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <unistd.h>

#include "lib/etrace_test.h"

static void want_failed(const char *path, unsigned int flags, int err)
{
	want_extended("OpenFailed|fnamesize=%zu,flags=%u", strlen(path), flags);
	want_extended("NO|%s", path);
	want_extended("Failed|error=%d", err);
}

#define OPEN_FAILS(name, path, flags, err)				\
	do {								\
		CHILD_MUST_FAIL(et_sys(SYS_open, name, flags, 0600), err); \
		want_failed(path, flags, err);				\
	} while (0)

static void do_open(void)
{
	OPEN_FAILS("absent", et_path("absent"), O_RDONLY, ENOENT);
	OPEN_FAILS(et_path("absent"), et_path("absent"), O_RDWR | O_CLOEXEC, ENOENT);
	OPEN_FAILS("a/b", et_path("a/b"), O_RDONLY | O_DIRECTORY, ENOTDIR);
	OPEN_FAILS("a", et_path("a"), O_CREAT | O_EXCL | O_WRONLY, EEXIST);
	OPEN_FAILS("d", et_path("d"), O_WRONLY, EISDIR);
	OPEN_FAILS("loop", et_path("loop"), O_RDONLY, ELOOP);
	/* The path as the program wrote it; links in it are not followed. */
	OPEN_FAILS("./d/..//to_d/x", et_path("./d/..//to_d/x"), O_RDONLY, ENOENT);
	OPEN_FAILS("", et_path(""), O_RDONLY, ENOENT);
	CHILD_MUST_FAIL(et_sys(SYS_creat, "absent/a", 0600), ENOENT);
	want_failed(et_path("absent/a"), O_CREAT | O_WRONLY | O_TRUNC, ENOENT);
	CHILD_MUST(chdir("/"));
	OPEN_FAILS("absent", "//absent", O_RDONLY, ENOENT);
}

TEST(open)
{
	et_file("a");
	et_mkdir("d");
	MUST(symlink("d", et_path("to_d")));
	MUST(symlink("loop", et_path("loop")));
	et_traced(do_open);
}

#define PART_MAX	900	/* bytes, by the line format */

/* A descriptor already open in the child. */
#define DIR_FD	100

#define OPENAT_FAILS(fd, name, path, flags, err)			\
	do {								\
		CHILD_MUST_FAIL(et_sys(SYS_openat, fd, name, flags, 0), err); \
		want_failed(path, flags, err);				\
	} while (0)

static void do_openat(void)
{
	OPENAT_FAILS(DIR_FD, "x", et_path("d/x"), O_RDONLY, ENOENT);
	OPENAT_FAILS(DIR_FD, "../x", et_path("d/../x"), O_WRONLY, ENOENT);
	OPENAT_FAILS(DIR_FD, et_path("x"), et_path("x"), O_RDONLY, ENOENT);
	OPENAT_FAILS(AT_FDCWD, "x", et_path("x"), O_PATH, ENOENT);
	/* There is no directory to prepend. */
	OPENAT_FAILS(12345, "x", "x", O_RDONLY, EBADF);
	OPENAT_FAILS(12345, et_path("x"), et_path("x"), O_RDONLY, ENOENT);
	/* A file instead of a directory. */
	OPENAT_FAILS(DIR_FD + 1, "x", et_path("a/x"), O_RDONLY, ENOTDIR);
}

TEST(openat)
{
	et_mkdir("d");
	et_file("a");
	MUST(dup2(MUST(open(et_path("d"), O_PATH | O_DIRECTORY | O_CLOEXEC)), DIR_FD));
	MUST(dup2(MUST(open(et_path("a"), O_RDONLY | O_CLOEXEC)), DIR_FD + 1));
	et_traced(do_openat);
	MUST(close(DIR_FD));
	MUST(close(DIR_FD + 1));
}

static void do_openat2(void)
{
	struct open_how how = { .flags = O_RDONLY | O_CLOEXEC };

	CHILD_MUST_FAIL(et_sys(SYS_openat2, AT_FDCWD, "x", &how, sizeof(how)), ENOENT);
	want_failed(et_path("x"), how.flags, ENOENT);
	CHILD_MUST_FAIL(et_sys(SYS_openat2, AT_FDCWD, et_path("a"), &how, 3), EINVAL);
	want_failed(et_path("a"), how.flags, EINVAL);
	how.resolve = RESOLVE_BENEATH;
	CHILD_MUST_FAIL(et_sys(SYS_openat2, DIR_FD, "../a", &how, sizeof(how)), EXDEV);
	want_failed(et_path("d/../a"), how.flags, EXDEV);
	how.resolve = 1ULL << 40;
	CHILD_MUST_FAIL(et_sys(SYS_openat2, AT_FDCWD, et_path("a"), &how, sizeof(how)), EINVAL);
	want_failed(et_path("a"), how.flags, EINVAL);
	/* The flags cannot be read, which is why the call fails. */
	CHILD_MUST_FAIL(et_sys(SYS_openat2, AT_FDCWD, et_path("a"), (void *)8, sizeof(how)), EFAULT);
	want_failed(et_path("a"), 0, EFAULT);
}

TEST(openat2)
{
	et_file("a");
	et_mkdir("d");
	MUST(dup2(MUST(open(et_path("d"), O_PATH | O_DIRECTORY | O_CLOEXEC)), DIR_FD));
	et_traced(do_openat2);
	MUST(close(DIR_FD));
}

/* A name that the kernel cannot read, or that is NULL, is left out; no string counts as lost. */
static void do_no_name(void)
{
	CHILD_MUST_FAIL(et_sys(SYS_open, (char *)8, O_RDWR), EFAULT);
	want_extended("OpenFailed|flags=%u", O_RDWR);
	want_extended("Failed|error=%d", EFAULT);
	CHILD_MUST_FAIL(et_sys(SYS_openat2, AT_FDCWD, (char *)8, (void *)8, 3), EINVAL);
	want_extended("OpenFailed|flags=0");
	want_extended("Failed|error=%d", EINVAL);
	CHILD_MUST_FAIL(et_sys(SYS_openat, DIR_FD, NULL, O_RDONLY), EFAULT);
	want_extended("OpenFailed|flags=0");
	want_extended("Failed|error=%d", EFAULT);
}

TEST(no_name)
{
	et_traced(do_no_name);
}

/* The kernel reads at most PATH_MAX bytes, and so does etrace. */
static void do_too_long(void)
{
	char *name = mmap(NULL, 2 * PATH_MAX, PROT_READ | PROT_WRITE,
			  MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	char part[PART_MAX + 1];
	int i, n;

	if (name == MAP_FAILED)
		CHILD_FAIL("mmap: %m");
	memset(name, '/', PATH_MAX + 10);
	CHILD_MUST_FAIL(et_sys(SYS_open, name, O_RDONLY), ENAMETOOLONG);
	want_extended("OpenFailed|fnamesize=%d,flags=0", PATH_MAX);
	memset(part, '/', PART_MAX);
	for (i = 0; i * PART_MAX < PATH_MAX; i++) {
		n = PATH_MAX - i * PART_MAX;
		want_extended("NO[%d]%.*s", i, n < PART_MAX ? n : PART_MAX, part);
	}
	want_extended("NO_end|");
	want_extended("Failed|error=%d", ENAMETOOLONG);
	want_extended("Marks|joined=,unread=,cut=NO");
	if (et_extended || et_bpf())
		want_count("strings_cut", 1);
}

TEST(too_long)
{
	et_traced(do_too_long);
}

static void on_alarm(int sig)
{
	(void)sig;
}

/* The kernel may restart the call, so there is no event. */
static void do_interrupted(void)
{
	struct sigaction sa = { .sa_handler = on_alarm };
	/* Repeatedly: one signal may come before the call has begun. */
	struct itimerval soon = { .it_value.tv_usec = 50000, .it_interval.tv_usec = 50000 };
	struct itimerval never = { 0 };

	CHILD_MUST(sigaction(SIGALRM, &sa, NULL));
	CHILD_MUST(setitimer(ITIMER_REAL, &soon, NULL));
	CHILD_MUST_FAIL(et_sys(SYS_open, "fifo", O_RDONLY), EINTR);
	CHILD_MUST(setitimer(ITIMER_REAL, &never, NULL));
	OPEN_FAILS("absent", et_path("absent"), O_RDONLY, ENOENT);
}

TEST(interrupted)
{
	MUST(mkfifo(et_path("fifo"), 0600));
	et_traced(do_interrupted);
}

static void do_many(void)
{
	int i;

	for (i = 0; i < 20; i++)
		syscall(SYS_openat, AT_FDCWD, "absent", O_RDONLY);
}

/* Failures that are not wanted make no records either. */
TEST(records)
{
	struct et_trace tr;
	long long before = et_counter("records"), n;

	et_run(do_many, &tr);
	n = et_counter("records") - before;
	et_trace_free(&tr);
	if (et_extended || et_bpf())
		EXPECT(n >= 20, "%lld records", n);
	else
		EXPECT(n < 20, "%lld records", n);
}

int main(int argc, char **argv)
{
	et_facts = "OPEN_FAILED";
	return et_main(argc, argv, "");
}
