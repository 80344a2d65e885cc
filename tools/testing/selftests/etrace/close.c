// SPDX-License-Identifier: GPL-2.0
/* Close: close, and close_range with a line for each descriptor that it closed. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/close_range.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "lib/etrace_test.h"

#ifndef CLOSE_RANGE_CLOEXEC
#define CLOSE_RANGE_CLOEXEC	(1U << 2)
#endif

#define FIRST	100

/* Open descriptors for the child, before it is traced. */
static void fds_open(const int *fds, size_t n)
{
	size_t i;

	for (i = 0; i < n; i++)
		MUST(dup2(STDIN_FILENO, FIRST + fds[i]));
}

static void fds_close(const int *fds, size_t n)
{
	size_t i;

	for (i = 0; i < n; i++)
		close(FIRST + fds[i]);
}

static void do_close(void)
{
	CHILD_MUST(et_sys(SYS_close, FIRST + 2));
	want("Close|fd=%d", FIRST + 2);
	CHILD_MUST(et_sys(SYS_close, FIRST));
	want("Close|fd=%d", FIRST);
	/* Not recorded, because no descriptor was closed: */
	CHILD_MUST_FAIL(et_sys(SYS_close, FIRST), EBADF);
	CHILD_MUST_FAIL(et_sys(SYS_close, -1), EBADF);
	CHILD_MUST_FAIL(et_sys(SYS_close, INT_MAX), EBADF);
	CHILD_MUST(et_sys(SYS_close, FIRST + 1));
	want("Close|fd=%d", FIRST + 1);
}

TEST(close)
{
	static const int fds[] = { 0, 1, 2 };

	fds_open(fds, 3);
	et_traced(do_close);
	fds_close(fds, 3);
}

/* A seccomp filter answers instead of the kernel, and the descriptor stays open. */
static void do_close_refused(void)
{
	et_refuse(SYS_close, FIRST, EPERM);
	CHILD_MUST_FAIL(et_sys(SYS_close, FIRST), EPERM);
	CHILD_MUST(et_sys(SYS_close, FIRST + 1));
	want("Close|fd=%d", FIRST + 1);
	CHILD_MUST(et_sys(SYS_dup2, FIRST, FIRST));
	if (!ET_BY_NEW)
		want("Dup|oldfd=%d,newfd=%d,flags=0", FIRST, FIRST);
}

TEST(close_refused)
{
	static const int fds[] = { 0, 1 };

	fds_open(fds, 2);
	et_traced(do_close_refused);
	fds_close(fds, 2);
}

static const int holes[] = { 0, 1, 3, 7, 8, 63, 64, 65, 127, 400 };

static void want_closed(int from, int to)
{
	size_t i;

	for (i = 0; i < ET_NELEMS(holes); i++)
		if (holes[i] >= from && holes[i] <= to)
			want("Close|fd=%d", FIRST + holes[i]);
}

/* Skip the case on kernels without the call (before 5.9). */
static bool have_close_range(void)
{
	if (syscall(SYS_close_range, 3, 2, 0) == -1 && errno == ENOSYS) {
		et_skip("no close_range in this kernel");
		return false;
	}
	return true;
}

static void do_close_range(void)
{
	CHILD_MUST(et_sys(SYS_close_range, FIRST + 1, FIRST + 7, 0));
	want_closed(1, 7);
	/* No descriptors are left there: */
	CHILD_MUST(et_sys(SYS_close_range, FIRST + 1, FIRST + 7, 0));
	/* A single descriptor, and a range that begins and ends with closed descriptors. */
	CHILD_MUST(et_sys(SYS_close_range, FIRST + 8, FIRST + 8, 0));
	want_closed(8, 8);
	CHILD_MUST(et_sys(SYS_close_range, FIRST + 60, FIRST + 64, 0));
	want_closed(60, 64);
	/* To the end of the table. */
	CHILD_MUST(et_sys(SYS_close_range, FIRST + 65, ~0U, 0));
	want_closed(65, INT_MAX);
	CHILD_MUST(et_sys(SYS_close, FIRST));
	want("Close|fd=%d", FIRST);
	CHILD_MUST(et_sys(SYS_close_range, 1000000, ~0U, 0));
	CHILD_MUST_FAIL(et_sys(SYS_close_range, 9, 8, 0), EINVAL);
	CHILD_MUST_FAIL(et_sys(SYS_close_range, 3, ~0U, 1 << 30), EINVAL);
}

TEST(close_range)
{
	if (!have_close_range())
		return;
	fds_open(holes, ET_NELEMS(holes));
	et_traced(do_close_range);
	fds_close(holes, ET_NELEMS(holes));
}

static void do_cloexec(void)
{
	/* Only marked, still open: */
	CHILD_MUST(et_sys(SYS_close_range, FIRST, FIRST + 63, CLOSE_RANGE_CLOEXEC));
	CHILD_MUST(fcntl(FIRST, F_GETFD));
	CHILD_MUST(et_sys(SYS_close_range, FIRST, FIRST + 1, 0));
	want_closed(0, 1);
}

TEST(close_range_cloexec)
{
	if (!have_close_range())
		return;
	if (syscall(SYS_close_range, 9, 9, CLOSE_RANGE_CLOEXEC) == -1) {
		et_skip("no CLOSE_RANGE_CLOEXEC in this kernel (before 5.11)");
		return;
	}
	fds_open(holes, ET_NELEMS(holes));
	et_traced(do_cloexec);
	fds_close(holes, ET_NELEMS(holes));
}

static void do_unshare(void)
{
	CHILD_MUST(et_sys(SYS_close_range, FIRST + 3, FIRST + 63,
			  CLOSE_RANGE_UNSHARE));
	want_closed(3, 63);
	CHILD_MUST(et_sys(SYS_close_range, FIRST + 64, ~0U, CLOSE_RANGE_UNSHARE));
	want_closed(64, INT_MAX);
}

TEST(close_range_unshare)
{
	if (!have_close_range())
		return;
	fds_open(holes, ET_NELEMS(holes));
	et_traced(do_unshare);
	fds_close(holes, ET_NELEMS(holes));
}

/* A descriptor table as large as this kernel allows. */
static void do_wide(void)
{
	CHILD_MUST(et_sys(SYS_close_range, 3, ~0U, 0));
	want("Close|fd=%d", FIRST);
	want("Close|fd=500000");
}

TEST(close_range_wide)
{
	struct rlimit old, lim = { 600000, 600000 };

	if (!have_close_range())
		return;
	getrlimit(RLIMIT_NOFILE, &old);
	MUST(setrlimit(RLIMIT_NOFILE, &lim));
	MUST(dup2(STDIN_FILENO, FIRST));
	MUST(dup2(STDIN_FILENO, 500000));
	et_traced(do_wide);
	close(500000);
	close(FIRST);
	setrlimit(RLIMIT_NOFILE, &old);
}

int main(int argc, char **argv)
{
	return et_main(argc, argv, "");
}
