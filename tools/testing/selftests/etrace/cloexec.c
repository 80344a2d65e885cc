// SPDX-License-Identifier: GPL-2.0
/*
 * Cloexec: fcntl with F_SETFD, ioctl with FIOCLEX and FIONCLEX, close_range with
 * CLOSE_RANGE_CLOEXEC. In root_pid's tree, recorded only with the parameter extended.
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "lib/etrace_test.h"

#ifndef CLOSE_RANGE_CLOEXEC
#define CLOSE_RANGE_CLOEXEC	(1U << 2)
#endif
#ifndef SYS_close_range
#define SYS_close_range	436
#endif

#define FD	100

static void want_cloexec(unsigned int first, unsigned int last, int on)
{
	want_extended("Cloexec|first=%u,last=%u,on=%d", first, last, on);
}

/* 32-bit programs have two such calls. */
static const long fcntls[] = {
	SYS_fcntl,
#ifdef SYS_fcntl64
	SYS_fcntl64,
#endif
};

static void do_fcntl(void)
{
	size_t i;

	for (i = 0; i < ET_NELEMS(fcntls); i++) {
		CHILD_MUST(et_sys(fcntls[i], FD, F_SETFD, FD_CLOEXEC));
		want_cloexec(FD, FD, 1);
		/* Only the lowest bit counts. */
		CHILD_MUST(et_sys(fcntls[i], FD, F_SETFD, 6));
		want_cloexec(FD, FD, 0);
		CHILD_MUST(et_sys(fcntls[i], FD, F_SETFD, -1));
		want_cloexec(FD, FD, 1);
		/* Recorded again, although the flag is set already. */
		CHILD_MUST(et_sys(fcntls[i], FD, F_SETFD, FD_CLOEXEC));
		want_cloexec(FD, FD, 1);
		CHILD_MUST(et_sys(fcntls[i], FD, F_GETFD, 0));
		CHILD_MUST(et_sys(fcntls[i], FD, F_GETFL, 1));
		CHILD_MUST_FAIL(et_sys(fcntls[i], 99, F_SETFD, FD_CLOEXEC), EBADF);
	}
}

TEST(fcntl)
{
	MUST(dup2(STDIN_FILENO, FD));
	et_traced(do_fcntl);
}

static void do_ioctl(void)
{
	int n;

	CHILD_MUST(et_sys(SYS_ioctl, FD, FIOCLEX, 0));
	want_cloexec(FD, FD, 1);
	CHILD_MUST(et_sys(SYS_ioctl, FD, FIONCLEX, 0));
	want_cloexec(FD, FD, 0);
	/* The third argument of FIOCLEX is ignored. */
	CHILD_MUST(et_sys(SYS_ioctl, FD, FIOCLEX, 7));
	want_cloexec(FD, FD, 1);
	/* Other requests are not recorded. */
	CHILD_MUST(et_sys(SYS_ioctl, FD, FIONREAD, &n));
	CHILD_MUST_FAIL(et_sys(SYS_ioctl, FD, 0x5abc, 0), ENOTTY);
	CHILD_MUST_FAIL(et_sys(SYS_ioctl, 99, FIOCLEX, 0), EBADF);
}

TEST(ioctl)
{
	et_file("a");
	MUST(dup2(MUST(open(et_path("a"), O_RDONLY)), FD));
	et_traced(do_ioctl);
}

static bool has_cloexec_ranges(void)
{
	return !syscall(SYS_close_range, 5000, 5000, CLOSE_RANGE_CLOEXEC);
}

static void do_close_range(void)
{
	CHILD_MUST(et_sys(SYS_close_range, FD, FD + 1, CLOSE_RANGE_CLOEXEC));
	want_cloexec(FD, FD + 1, 1);
	CHILD_MUST(et_sys(SYS_close_range, 3, UINT_MAX, CLOSE_RANGE_CLOEXEC));
	want_cloexec(3, UINT_MAX, 1);
	/* No descriptor is open there. */
	CHILD_MUST(et_sys(SYS_close_range, 5000, 5000, CLOSE_RANGE_CLOEXEC));
	want_cloexec(5000, 5000, 1);
	/* CLOSE_RANGE_UNSHARE, too: with its own descriptor table. */
	CHILD_MUST(et_sys(SYS_close_range, FD, FD, CLOSE_RANGE_CLOEXEC | 2));
	want_cloexec(FD, FD, 1);
	CHILD_MUST_FAIL(et_sys(SYS_close_range, 5, 4, CLOSE_RANGE_CLOEXEC), EINVAL);
	CHILD_MUST_FAIL(et_sys(SYS_close_range, FD, FD, CLOSE_RANGE_CLOEXEC | 64), EINVAL);
	/* The descriptors are still open. */
	CHILD_MUST(et_sys(SYS_close_range, FD, FD + 1, 0));
	want("Close|fd=%d", FD);
	want("Close|fd=%d", FD + 1);
}

TEST(close_range)
{
	if (!has_cloexec_ranges()) {
		et_skip("close_range has no CLOSE_RANGE_CLOEXEC");
		return;
	}
	MUST(dup2(STDIN_FILENO, FD));
	MUST(dup2(STDIN_FILENO, FD + 1));
	et_traced(do_close_range);
}

int main(int argc, char **argv)
{
	et_facts = "CLOEXEC";
	return et_main(argc, argv, "");
}
