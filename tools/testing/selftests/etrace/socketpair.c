// SPDX-License-Identifier: GPL-2.0
/*
 * Socketpair: socketpair, and socketcall where it replaces that. In root_pid's tree, recorded
 * only with the parameter extended.
 */
#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "lib/etrace_test.h"

static void want_pair(const int fd[2], int type)
{
	want_extended("Socketpair|fd1=%d,fd2=%d,family=%d,type=%d", fd[0], fd[1], AF_UNIX, type);
}

static void do_socketpair(void)
{
	static const int types[] = {
		SOCK_STREAM, SOCK_DGRAM, SOCK_SEQPACKET, SOCK_STREAM | SOCK_CLOEXEC,
		SOCK_DGRAM | SOCK_NONBLOCK, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK,
	};
	int fd[2];
	size_t i;

	for (i = 0; i < ET_NELEMS(types); i++) {
		CHILD_MUST(et_sys(SYS_socketpair, AF_UNIX, types[i], 0, fd));
		want_pair(fd, types[i]);
	}
	/* The two descriptors need not be adjacent. */
	CHILD_MUST(et_sys(SYS_close, fd[0]));
	want("Close|fd=%d", fd[0]);
	CHILD_MUST(et_sys(SYS_socketpair, AF_UNIX, SOCK_STREAM, 0, fd));
	want_pair(fd, SOCK_STREAM);
	if (fd[1] - fd[0] < 2)
		CHILD_FAIL("the kernel returned %d and %d", fd[0], fd[1]);
}

TEST(socketpair)
{
	et_traced(do_socketpair);
}

static void do_failed(void)
{
	struct rlimit lim = { 4, 4 };
	int fd[2];

	CHILD_MUST_FAIL(et_sys(SYS_socketpair, AF_UNIX, SOCK_STREAM, 0, (void *)8), EFAULT);
	CHILD_MUST_FAIL(et_sys(SYS_socketpair, AF_UNIX, 77, 0, fd), EINVAL);
	CHILD_MUST_FAIL(et_sys(SYS_socketpair, AF_INET, SOCK_STREAM, 0, fd), EOPNOTSUPP);
	CHILD_MUST(setrlimit(RLIMIT_NOFILE, &lim));
	CHILD_MUST_FAIL(et_sys(SYS_socketpair, AF_UNIX, SOCK_STREAM, 0, fd), EMFILE);
}

TEST(failed_call_records_nothing)
{
	et_traced(do_failed);
}

/* Use of both ends, after another file had the same number. */
static void do_used(void)
{
	int old[2], fd[2];
	char c = 'x';

	CHILD_MUST(et_sys(SYS_socketpair, AF_UNIX, SOCK_STREAM, 0, old));
	want_pair(old, SOCK_STREAM);
	CHILD_MUST(write(old[0], &c, 1));
	want_extended("Use|fd=%d", old[0]);
	want_extended("UseWrote|bytes=1");
	want_extended("Use|fd=%d", old[1]);
	CHILD_MUST(read(old[1], &c, 1));
	CHILD_MUST(send(old[1], "abc", 3, 0));
	want_extended("Use|fd=%d", old[1]);
	want_extended("UseRead|bytes=1");
	want_extended("UseWrote|bytes=3");
	CHILD_MUST(close(old[0]));
	want("Close|fd=%d", old[0]);
	CHILD_MUST(et_sys(SYS_socketpair, AF_UNIX, SOCK_STREAM, 0, fd));
	want_pair(fd, SOCK_STREAM);
	CHILD_MUST(close(fd[0]));
	want("Close|fd=%d", fd[0]);
	CHILD_MUST(close(old[1]));
	want("Close|fd=%d", old[1]);
}

TEST(used)
{
	et_facts = "SOCKETPAIR USE UseRead UseWrote CloseRead CloseWrote";
	et_traced(do_used);
	et_facts = "SOCKETPAIR";
}

#ifdef SYS_socketcall
static void do_socketcall(void)
{
	int fd[2];

	CHILD_MUST(et_sys(SYS_socketcall, 8,
			  (long[]){ AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0, (long)fd }));
	want_pair(fd, SOCK_DGRAM | SOCK_CLOEXEC);
	CHILD_MUST_FAIL(et_sys(SYS_socketcall, 8, (long[]){ AF_UNIX, 77, 0, (long)fd }), EINVAL);
}

TEST(socketcall)
{
	et_traced(do_socketcall);
}
#endif

/* Another thread overwrites the numbers that the kernel returns. */
static atomic_bool over;
static volatile int forged[2];

static void *forge(void *arg)
{
	int *other = arg, i = 0;

	while (!atomic_load(&over)) {
		forged[0] = i++ & 1 ? other[0] : -1;
		forged[1] = i & 2 ? other[0] : 12345678;
	}
	return NULL;
}

static void do_forged(void)
{
	int other[2], i;
	pthread_t thread;

	want_any(syscall(SYS_gettid));
	want_count("strings_unread", ET_ANY);
	CHILD_MUST(socketpair(AF_UNIX, SOCK_STREAM, 0, other));
	if (pthread_create(&thread, NULL, forge, other))
		CHILD_FAIL("pthread_create");
	for (i = 0; i < 2000; i++) {
		CHILD_MUST(et_sys(SYS_socketpair, AF_UNIX, SOCK_STREAM, 0, (void *)forged));
		if (i % 64 == 63)
			syscall(SYS_close_range, other[1] + 1, ~0U, 0);
	}
	atomic_store(&over, true);
	pthread_join(thread, NULL);
}

static const char *bad_pair;

static void watch(struct et_task *t, const struct et_line *l)
{
	int fd1, fd2;

	(void)t;
	if (sscanf(l->text, "Socketpair|fd1=%d,fd2=%d", &fd1, &fd2) == 2 &&
	    (fd1 < 0 ? fd2 != -1 : fd1 == fd2 || fd2 > 100000))
		bad_pair = l->text;
}

TEST(pair_changed_during_call)
{
	struct et_trace tr;

	atomic_store(&over, false);
	bad_pair = NULL;
	et_trace_watch = watch;
	et_run(do_forged, &tr);
	et_trace_watch = NULL;
	EXPECT(!bad_pair, "a recorded pair was never created");
	et_trace_free(&tr);
}

int main(int argc, char **argv)
{
	et_facts = "SOCKETPAIR";
	return et_main(argc, argv, "");
}
