// SPDX-License-Identifier: GPL-2.0
/* Utimens, UT, UtimensFailed: utime, utimes, futimesat, utimensat. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "lib/etrace_test.h"

#define DIR_FD	100
#define FILE_FD	101

/* As in the kernel's ABI for this program: with words of its width. */
struct seconds {
	long atime, mtime;
};

struct times {
	long asec, apart, msec, mpart;
};

#define S	1000000000LL

static void want_times(const char *path, const char *fields)
{
	want_named("Utimens", "UT", path, "%s", fields);
}

/* A hundredth of a second before 2001-01-01, and 0.99 s before 1970. */
static const struct times two = { 978307199, 990000000, -1, 10000000 };
#define TWO	"atime=978307199990000000,mtime=-990000000,now=0"

static void open_files(void)
{
	int n;

	et_file("a");
	et_mkdir("d");
	MUST(symlink("../a", et_path("d/link")));
	n = MUST(open(et_path("d"), O_RDONLY));
	MUST(dup2(n, DIR_FD));
	close(n);
	n = MUST(open(et_path("a"), O_RDWR));
	MUST(dup2(n, FILE_FD));
	close(n);
}

static void do_utimensat(void)
{
	struct times t = { 5, UTIME_NOW, 1, 2 };

	CHILD_MUST(et_sys(SYS_utimensat, AT_FDCWD, "./d/link", &two, 0));
	want_times(et_path("a"), TWO);
	CHILD_MUST(et_sys(SYS_utimensat, DIR_FD, "link", &two, AT_SYMLINK_NOFOLLOW));
	want_times(et_path("d/link"), TWO);
	CHILD_MUST(et_sys(SYS_utimensat, DIR_FD, "link", NULL, 0));
	want_times(et_path("a"), "now=3");
	CHILD_MUST(et_sys(SYS_utimensat, DIR_FD, "link", &t, 0));
	want_times(et_path("a"), "mtime=1000000002,now=1");
	t.apart = UTIME_OMIT;
	t.mpart = UTIME_NOW;
	CHILD_MUST(et_sys(SYS_utimensat, DIR_FD, "link", &t, 0));
	want_times(et_path("a"), "now=2");
	t.mpart = 999999999;
	CHILD_MUST(et_sys(SYS_utimensat, DIR_FD, "link", &t, 0));
	want_times(et_path("a"), "mtime=1999999999,now=0");
}

TEST(utimensat)
{
	open_files();
	et_traced(do_utimensat);
}

/* futimens() is utimensat() without a name. */
static void do_futimens(void)
{
	char fields[100];

	CHILD_MUST(et_sys(SYS_utimensat, FILE_FD, NULL, &two, 0));
	snprintf(fields, sizeof(fields), "fd=%d,%s", FILE_FD, TWO);
	want_times(et_path("a"), fields);
	CHILD_MUST(et_sys(SYS_utimensat, DIR_FD, NULL, NULL, 0));
	want_times(et_path("d"), "fd=100,now=3");
	CHILD_MUST_FAIL(et_sys(SYS_utimensat, 12345, NULL, NULL, 0), EBADF);
	want_times(NULL, "fd=12345,now=3");
	want_named_failed("Utimens", NULL, EBADF);
}

TEST(futimens)
{
	open_files();
	et_traced(do_futimens);
}

#ifdef SYS_utimes
/* Microseconds or seconds, on architectures that have these calls. */
static void do_older(void)
{
	struct times t = { 7, 8, -1, 999999 };
#ifdef SYS_utime
	struct seconds s = { 1234567890, -2 };
#endif

	CHILD_MUST(et_sys(SYS_utimes, "a", &t));
	want_times(et_path("a"), "atime=7000008000,mtime=-1000,now=0");
	CHILD_MUST(et_sys(SYS_utimes, et_path("d/link"), NULL));
	want_times(et_path("a"), "now=3");
	CHILD_MUST(et_sys(SYS_futimesat, DIR_FD, "link", &t));
	want_times(et_path("a"), "atime=7000008000,mtime=-1000,now=0");
	CHILD_MUST(et_sys(SYS_futimesat, FILE_FD, NULL, &t));
	want_times(et_path("a"), "fd=101,atime=7000008000,mtime=-1000,now=0");
#ifdef SYS_utime
	CHILD_MUST(et_sys(SYS_utime, "d/../a", &s));
	want_times(et_path("a"), "atime=1234567890000000000,mtime=-2000000000,now=0");
	CHILD_MUST(et_sys(SYS_utime, "d", NULL));
	want_times(et_path("d"), "now=3");
#endif
}

TEST(older)
{
	open_files();
	et_traced(do_older);
}
#endif

/* Times beyond the range of 64-bit nanoseconds. */
static void do_far(void)
{
#if LONG_MAX > INT_MAX
	struct times t = { 9223372035, 999999999, -9223372035, 1 };
#ifdef SYS_utime
	struct seconds s = { LONG_MAX, LONG_MIN };

	CHILD_MUST(et_sys(SYS_utime, "a", &s));
	want_times(et_path("a"),
		   "atime=9223372036854775807,mtime=-9223372036854775808,now=0");
#endif
	CHILD_MUST(et_sys(SYS_utimensat, AT_FDCWD, "a", &t, 0));
	want_times(et_path("a"),
		   "atime=9223372035999999999,mtime=-9223372034999999999,now=0");
#else
	/*
	 * The 32-bit program's call for such times; the upper half of the nanoseconds is ignored.
	 */
	struct {
		long long asec;
		unsigned int apart, ahigh;
		long long msec;
		unsigned int mpart, mhigh;
	} t = { 0x100000000, 5, 77, 6, UTIME_NOW, 77 };

	CHILD_MUST(et_sys(SYS_utimensat_time64, AT_FDCWD, "a", &t, 0));
	want_times(et_path("a"), "atime=4294967296000000005,now=2");
#endif
}

TEST(far)
{
	open_files();
	et_traced(do_far);
}

static void do_failed(void)
{
	struct times t = { 1, S, 2, 3 };
	char a[] = "a";		/* in memory, although the kernel does not read it */
	char path[64];

	/* The time is invalid; the kernel finds out after it has resolved the path. */
	CHILD_MUST_FAIL(et_sys(SYS_utimensat, AT_FDCWD, "./a", &t, 0), EINVAL);
	want_times(et_path("a"), "mtime=2000000003,now=0");
	want_named_failed("Utimens", NULL, EINVAL);
#ifdef SYS_utimes
	/* Here it finds out before. */
	t.apart = -1;
	CHILD_MUST_FAIL(et_sys(SYS_utimes, a, &t), EINVAL);
	want_times(et_path("a"), "mtime=2000003000,now=0");
	want_named_failed("Utimens", "UT", EINVAL);
#endif
	/* The path is resolved. */
	snprintf(path, sizeof(path), "/proc/%d", getpid());
	CHILD_MUST_FAIL(et_sys(SYS_utimensat, AT_FDCWD, "/proc/self", &two, 0), EPERM);
	want_times(path, TWO);
	want_named_failed("Utimens", NULL, EPERM);
	CHILD_MUST_FAIL(et_sys(SYS_utimensat, AT_FDCWD, "nothing", &two, 0), ENOENT);
	want_times(NULL, TWO);
	want_named_failed("Utimens", NULL, ENOENT);
	/* The times cannot be read. */
	CHILD_MUST_FAIL(et_sys(SYS_utimensat, AT_FDCWD, a, (void *)8, 0), EFAULT);
	want_times(NULL, "now=0");
	want_named_failed("Utimens", NULL, EFAULT);
	want_extended("Marks|joined=,unread=args,cut=");
	if (et_extended || et_bpf())
		want_count("strings_unread", 1);
}

TEST(failed)
{
	open_files();
	et_traced(do_failed);
}

int main(int argc, char **argv)
{
	et_facts = "UTIMENS";
	return et_main(argc, argv, "");
}
