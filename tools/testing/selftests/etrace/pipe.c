// SPDX-License-Identifier: GPL-2.0
/*
 * Pipe: pipe, pipe2.
 */
#include <errno.h>
#include <fcntl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "lib/etrace_test.h"

static void do_pipe(void)
{
	int fd[2];

	CHILD_MUST(et_sys(SYS_pipe, fd));
	want("Pipe|fd1=%d,fd2=%d,flags=0", fd[0], fd[1]);
	/* The two descriptors need not be adjacent. */
	CHILD_MUST(et_sys(SYS_close, fd[0]));
	want("Close|fd=%d", fd[0]);
	CHILD_MUST(et_sys(SYS_pipe, fd));
	want("Pipe|fd1=%d,fd2=%d,flags=0", fd[0], fd[1]);
	if (fd[1] - fd[0] < 2)
		CHILD_FAIL("the kernel returned %d and %d", fd[0], fd[1]);
	CHILD_MUST_FAIL(et_sys(SYS_pipe, (void *)8), EFAULT);
}

TEST(pipe)
{
	et_traced(do_pipe);
}

static void do_pipe2(void)
{
	static const int flags[] = {
		0, O_CLOEXEC, O_NONBLOCK, O_DIRECT,
		O_CLOEXEC | O_NONBLOCK | O_DIRECT,
	};
	int fd[2];
	size_t i;

	for (i = 0; i < ET_NELEMS(flags); i++) {
		CHILD_MUST(et_sys(SYS_pipe2, fd, flags[i]));
		want("Pipe|fd1=%d,fd2=%d,flags=%d", fd[0], fd[1], flags[i]);
	}
	CHILD_MUST_FAIL(et_sys(SYS_pipe2, fd, O_APPEND), EINVAL);
	CHILD_MUST_FAIL(et_sys(SYS_pipe2, NULL, 0), EFAULT);
}

TEST(pipe2)
{
	et_traced(do_pipe2);
}

static void do_no_room(void)
{
	struct rlimit lim = { 4, 4 };
	int fd[2];

	CHILD_MUST(setrlimit(RLIMIT_NOFILE, &lim));
	CHILD_MUST_FAIL(et_sys(SYS_pipe, fd), EMFILE);
	CHILD_MUST_FAIL(et_sys(SYS_pipe2, fd, 0), EMFILE);
}

TEST(failed_call_records_nothing)
{
	et_traced(do_no_room);
}

int main(int argc, char **argv)
{
	return et_main(argc, argv, "");
}
