// SPDX-License-Identifier: GPL-2.0
/*
 * Dup: dup, dup2, dup3, fcntl with F_DUPFD and F_DUPFD_CLOEXEC.
 */
#include <errno.h>
#include <fcntl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "lib/etrace_test.h"

#define FD	100

static void do_dup(void)
{
	int fd;

	fd = CHILD_MUST(et_sys(SYS_dup, FD));
	want("Dup|oldfd=%d,newfd=%d,flags=0", FD, fd);
	fd = CHILD_MUST(et_sys(SYS_dup, fd));
	want("Dup|oldfd=%d,newfd=%d,flags=0", fd - 1, fd);
	CHILD_MUST_FAIL(et_sys(SYS_dup, 99), EBADF);
	CHILD_MUST_FAIL(et_sys(SYS_dup, -1), EBADF);
}

TEST(dup)
{
	MUST(dup2(STDIN_FILENO, FD));
	et_traced(do_dup);
}

static void do_dup2(void)
{
	CHILD_MUST(et_sys(SYS_dup2, FD, 200));
	want("Dup|oldfd=100,newfd=200,flags=0");
	/* dup2() closes the file that was open there, without a Close event. */
	CHILD_MUST(et_sys(SYS_dup2, FD, 200));
	want("Dup|oldfd=100,newfd=200,flags=0");
	/* Succeeds without any effect. */
	CHILD_MUST(et_sys(SYS_dup2, FD, FD));
	if (!ET_BY_NEW)
		want("Dup|oldfd=100,newfd=100,flags=0");
	CHILD_MUST_FAIL(et_sys(SYS_dup2, 99, 200), EBADF);
	CHILD_MUST_FAIL(et_sys(SYS_dup2, FD, -1), EBADF);
}

TEST(dup2)
{
	MUST(dup2(STDIN_FILENO, FD));
	et_traced(do_dup2);
}

static void do_dup3(void)
{
	CHILD_MUST(et_sys(SYS_dup3, FD, 200, O_CLOEXEC));
	want("Dup|oldfd=100,newfd=200,flags=%d", O_CLOEXEC);
	CHILD_MUST(et_sys(SYS_dup3, FD, 201, 0));
	want("Dup|oldfd=100,newfd=201,flags=0");
	CHILD_MUST_FAIL(et_sys(SYS_dup3, FD, FD, 0), EINVAL);
	CHILD_MUST_FAIL(et_sys(SYS_dup3, FD, 200, O_APPEND), EINVAL);
	CHILD_MUST_FAIL(et_sys(SYS_dup3, 99, 200, 0), EBADF);
}

TEST(dup3)
{
	MUST(dup2(STDIN_FILENO, FD));
	et_traced(do_dup3);
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
	int fd;

	for (i = 0; i < ET_NELEMS(fcntls); i++) {
		long nr = fcntls[i];

		fd = CHILD_MUST(et_sys(nr, FD, F_DUPFD, 300));
		want("Dup|oldfd=100,newfd=%d,flags=0", fd);
		if (fd < 300)
			CHILD_FAIL("F_DUPFD gave %d", fd);
		fd = CHILD_MUST(et_sys(nr, FD, F_DUPFD_CLOEXEC, 0));
		want("Dup|oldfd=100,newfd=%d,flags=%d", fd, O_CLOEXEC);
		/* Other commands do not duplicate. */
		CHILD_MUST(et_sys(nr, fd, F_GETFD, 0));
		CHILD_MUST(et_sys(nr, fd, F_SETFD, 0));
		CHILD_MUST(et_sys(nr, fd, F_GETFL, 0));
		CHILD_MUST(et_sys(nr, fd, F_SETFL, O_NONBLOCK));
		CHILD_MUST_FAIL(et_sys(nr, 99, F_DUPFD, 0), EBADF);
		CHILD_MUST_FAIL(et_sys(nr, FD, F_DUPFD, -1), EINVAL);
		CHILD_MUST_FAIL(et_sys(nr, FD, 9999, 0), EINVAL);
	}
}

TEST(fcntl)
{
	MUST(dup2(STDIN_FILENO, FD));
	et_traced(do_fcntl);
}

int main(int argc, char **argv)
{
	return et_main(argc, argv, "");
}
