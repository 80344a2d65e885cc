// SPDX-License-Identifier: GPL-2.0
/* Setns, NS, SetnsFailed: setns. */
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "lib/etrace_test.h"

#define UTS_FD	100
#define FILE_FD	101
#define PID_FD	102

static void want_ns(const char *path, int fd, unsigned int flags)
{
	want_named("Setns", "NS", path, "fd=%d,flags=%u", fd, flags);
}

static void open_as(const char *path, int fd)
{
	int n = MUST(open(path, O_RDONLY));

	MUST(dup2(n, fd));
	close(n);
}

static void do_setns(void)
{
	CHILD_MUST(et_sys(SYS_setns, UTS_FD, CLONE_NEWUTS));
	want_ns(et_fd_path(UTS_FD), UTS_FD, CLONE_NEWUTS);
	CHILD_MUST(et_sys(SYS_setns, UTS_FD, 0));
	want_ns(et_fd_path(UTS_FD), UTS_FD, 0);
	CHILD_MUST(et_sys(SYS_setns, PID_FD, CLONE_NEWIPC));
	want_ns(et_fd_path(PID_FD), PID_FD, CLONE_NEWIPC);
	/* A namespace of another type, a file that is none, and a closed descriptor. */
	CHILD_MUST_FAIL(et_sys(SYS_setns, UTS_FD, CLONE_NEWNET), EINVAL);
	want_ns(et_fd_path(UTS_FD), UTS_FD, CLONE_NEWNET);
	want_named_failed("Setns", NULL, EINVAL);
	CHILD_MUST_FAIL(et_sys(SYS_setns, FILE_FD, 0), EINVAL);
	want_ns(et_path("a"), FILE_FD, 0);
	want_named_failed("Setns", NULL, EINVAL);
	CHILD_MUST_FAIL(et_sys(SYS_setns, 12345, 0), EBADF);
	want_ns(NULL, 12345, 0);
	want_named_failed("Setns", NULL, EBADF);
}

TEST(setns)
{
	int n;

	et_file("a");
	open_as("/proc/self/ns/uts", UTS_FD);
	open_as(et_path("a"), FILE_FD);
	n = MUST(syscall(SYS_pidfd_open, getpid(), 0));
	MUST(dup2(n, PID_FD));
	close(n);
	et_traced(do_setns);
}

int main(int argc, char **argv)
{
	et_facts = "SETNS";
	return et_main(argc, argv, "");
}
