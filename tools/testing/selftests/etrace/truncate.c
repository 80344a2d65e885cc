// SPDX-License-Identifier: GPL-2.0
/* Truncate, TZ, TruncateFailed: truncate, ftruncate, and their 64-bit versions. */
#include <errno.h>
#include <fcntl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "lib/etrace_test.h"

#define DIR_FD	100
#define FILE_FD	101
#define READ_FD	102

static void want_size(const char *path, long long size)
{
	want_named("Truncate", "TZ", path, "size=%lld", size);
}

static void want_fd(const char *path, int fd, long long size)
{
	want_named("Truncate", "TZ", path, "fd=%d,size=%lld", fd, size);
}

static void open_as(const char *path, int flags, int fd)
{
	int n = MUST(open(path, flags));

	MUST(dup2(n, fd));
	close(n);
}

static void open_files(void)
{
	et_file("a");
	et_mkdir("d");
	MUST(symlink("../a", et_path("d/link")));
	open_as(et_path("d"), O_RDONLY, DIR_FD);
	open_as(et_path("a"), O_RDWR | O_LARGEFILE, FILE_FD);
	open_as(et_path("a"), O_RDONLY, READ_FD);
}

/* ARM's EABI passes a 64-bit number from an even register on. */
#ifdef __arm__
#define HALVES(size)	0L, (long)(size), (long)((size) >> 32)
#else
#define HALVES(size)	(long)(size), (long)((size) >> 32)
#endif

/* As the program's libc makes the call for files of any size. */
static long truncate_to(const char *path, long long size)
{
#ifdef SYS_truncate64
	return et_sys(SYS_truncate64, path, HALVES(size));
#else
	return et_sys(SYS_truncate, path, (long)size);
#endif
}

static long ftruncate_to(int fd, long long size)
{
#ifdef SYS_ftruncate64
	return et_sys(SYS_ftruncate64, fd, HALVES(size));
#else
	return et_sys(SYS_ftruncate, fd, (long)size);
#endif
}

static void do_truncate(void)
{
	CHILD_MUST(et_sys(SYS_truncate, et_path("a"), 1000));
	want_size(et_path("a"), 1000);
	/* Through a link, whose target is recorded; a size of more than 32 bits. */
	CHILD_MUST(truncate_to("./d/link", 0x123456789));
	want_size(et_path("a"), 0x123456789);
	CHILD_MUST(et_sys(SYS_ftruncate, FILE_FD, 5));
	want_fd(et_path("a"), FILE_FD, 5);
	CHILD_MUST(ftruncate_to(FILE_FD, 0x1fffffffe));
	want_fd(et_path("a"), FILE_FD, 0x1fffffffe);
	CHILD_MUST(et_sys(SYS_unlink, "a"));
	want_unlink(et_path("a"), 0);
	CHILD_MUST(et_sys(SYS_ftruncate, FILE_FD, 0));
	want_fd(et_path("a (deleted)"), FILE_FD, 0);
}

TEST(truncate)
{
	open_files();
	et_traced(do_truncate);
}

static void do_failed(void)
{
	char a[] = "a";		/* in memory, although the kernel does not read it */

	/* The path is resolved, and is not a file. */
	CHILD_MUST_FAIL(et_sys(SYS_truncate, "./d", 1), EISDIR);
	want_size(et_path("d"), 1);
	want_named_failed("Truncate", NULL, EISDIR);
	/* The kernel does not look at the path. */
	CHILD_MUST_FAIL(et_sys(SYS_truncate, a, -1L), EINVAL);
	want_size(et_path("a"), -1);
	want_named_failed("Truncate", "TZ", EINVAL);
	CHILD_MUST_FAIL(truncate_to(a, -0x123456789), EINVAL);
	want_size(et_path("a"), -0x123456789);
	want_named_failed("Truncate", "TZ", EINVAL);
	CHILD_MUST_FAIL(et_sys(SYS_truncate, "nothing", 1), ENOENT);
	want_size(NULL, 1);
	want_named_failed("Truncate", NULL, ENOENT);
	/* The descriptor is open, but not for writing, or not a file. */
	CHILD_MUST_FAIL(et_sys(SYS_ftruncate, READ_FD, 1), EINVAL);
	want_fd(et_path("a"), READ_FD, 1);
	want_named_failed("Truncate", NULL, EINVAL);
	CHILD_MUST_FAIL(et_sys(SYS_ftruncate, DIR_FD, 1), EINVAL);
	want_fd(et_path("d"), DIR_FD, 1);
	want_named_failed("Truncate", NULL, EINVAL);
	CHILD_MUST_FAIL(et_sys(SYS_ftruncate, 12345, 1), EBADF);
	want_fd(NULL, 12345, 1);
	want_named_failed("Truncate", NULL, EBADF);
	/* The kernel does not even check whether the descriptor is open. */
	CHILD_MUST_FAIL(et_sys(SYS_ftruncate, -1, -1L), EINVAL);
	want_fd(NULL, -1, -1);
	want_named_failed("Truncate", NULL, EINVAL);
}

TEST(failed)
{
	open_files();
	et_traced(do_failed);
}

int main(int argc, char **argv)
{
	et_facts = "TRUNCATE";
	return et_main(argc, argv, "");
}
