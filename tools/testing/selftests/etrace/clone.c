// SPDX-License-Identifier: GPL-2.0
/*
 * SysClone, SysCloneFailed, SchedFork: fork, vfork, clone, clone3, threads.
 */
#include <errno.h>
#include <linux/sched.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "lib/etrace_test.h"

/* Not from <sched.h>, which conflicts with <linux/sched.h>. */
int clone(int (*fn)(void *), void *stack, int flags, void *arg, ...);

#define STACK	65536

static void *stack_top(void)
{
	char *stack = mmap(NULL, STACK, PROT_READ | PROT_WRITE,
			   MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	return stack + STACK;
}

static void child_end(pid_t pid)
{
	CHILD_MUST(waitpid(pid, NULL, __WALL));
	want_of(pid, "Exit|status=0");
}

static void do_fork(void)
{
	pid_t pid = CHILD_MUST(et_sys(SYS_fork));

	if (!pid) {
		/* A grandchild is traced, too. */
		pid = CHILD_MUST(et_sys(SYS_fork));
		if (!pid)
			_exit(0);
		want_forked(pid);
		child_end(pid);
		_exit(0);
	}
	want_forked(pid);
	child_end(pid);
}

TEST(fork)
{
	et_traced(do_fork);
}

static void do_vfork(void)
{
	pid_t pid = vfork();

	if (!pid)
		_exit(0);
	if (ET_BY_NEW)
		want("SysClone|flags=%d", CLONE_VM | CLONE_VFORK | SIGCHLD);
	want_fork(pid);
	child_end(pid);
}

TEST(vfork)
{
	et_traced(do_vfork);
}

static int clone_child(void *arg)
{
	(void)arg;
	syscall(SYS_exit, 0);
	return 0;
}

static void do_clone(void)
{
	static const unsigned int flags[] = {
		SIGCHLD, 0, CLONE_VM | SIGCHLD, CLONE_FILES | CLONE_FS | SIGUSR1,
		CLONE_PARENT_SETTID | CLONE_CHILD_SETTID | CLONE_CHILD_CLEARTID |
			SIGCHLD,
		CLONE_VM | CLONE_VFORK | SIGCHLD, CLONE_NEWNS | SIGCHLD,
		CLONE_IO | SIGCHLD,	/* the highest bit */
	};
	static int parent_tid, child_tid;
	size_t i;

	signal(SIGUSR1, SIG_IGN);
	for (i = 0; i < ET_NELEMS(flags); i++) {
		pid_t pid = CHILD_MUST(clone(clone_child, stack_top(), flags[i],
					     NULL, &parent_tid, NULL, &child_tid));

		want("SysClone|flags=%u", flags[i]);
		want_fork(pid);
		child_end(pid);
	}
}

TEST(clone)
{
	et_traced(do_clone);
}

static void do_clone3(void)
{
	static const uint64_t flags[] = {
		0, CLONE_FILES | CLONE_FS, CLONE_PARENT,
		CLONE_CLEAR_SIGHAND,	/* beyond 32 bits */
		CLONE_NEWUTS | CLONE_NEWIPC,
	};
	size_t i;

	for (i = 0; i < ET_NELEMS(flags); i++) {
		struct clone_args args = {
			.flags = flags[i],
			.exit_signal = flags[i] & CLONE_PARENT ? 0 : SIGCHLD,
		};
		pid_t pid = CHILD_MUST(et_sys(SYS_clone3, &args, sizeof(args)));

		if (!pid)
			_exit(0);
		/* Without the exit signal, which clone3 does not pass in the flags. */
		want("SysClone|flags=%llu", (unsigned long long)flags[i]);
		want_fork(pid);
		if (flags[i] & CLONE_PARENT) {
			/* A child of the test program, which reaps it. */
			want_of(pid, "Exit|status=0");
		} else {
			child_end(pid);
		}
	}
}

TEST(clone3)
{
	if (syscall(SYS_clone3, NULL, 0) == -1 && errno == ENOSYS) {
		et_skip("no clone3 in this kernel");
		return;
	}
	signal(SIGCHLD, SIG_DFL);
	et_traced(do_clone3);
}

static atomic_int tid;

static void *thread(void *arg)
{
	(void)arg;
	atomic_store(&tid, syscall(SYS_gettid));
	want("Exit|status=0");
	syscall(SYS_exit, 0);
	return NULL;
}

/* Created by the C library, with clone3 or clone. */
static void do_pthread(void)
{
	pthread_t t;

	atomic_store(&tid, 0);
	if (pthread_create(&t, NULL, thread, NULL))
		CHILD_FAIL("pthread_create");
	while (!atomic_load(&tid) || !syscall(SYS_tgkill, getpid(), tid, 0))
		usleep(1000);
	want("SysClone|flags=%u", CLONE_VM | CLONE_FS | CLONE_FILES |
	     CLONE_SYSVSEM | CLONE_SIGHAND | CLONE_THREAD | CLONE_SETTLS |
	     CLONE_PARENT_SETTID | CLONE_CHILD_CLEARTID);
	want_fork(tid);
}

TEST(pthread)
{
	et_traced(do_pthread);
}

/* A thread has its own children. */
static int thread_forks(void *arg)
{
	pid_t pid = CHILD_MUST(et_sys(SYS_fork));

	(void)arg;
	if (!pid) {
		want("Exit|status=0");
		_exit(0);
	}
	want_forked(pid);
	CHILD_MUST(waitpid(pid, NULL, __WALL));
	want("Exit|status=0");
	syscall(SYS_exit, 0);
	return 0;
}

static void do_thread_forks(void)
{
	unsigned int flags = CLONE_VM | CLONE_FS | CLONE_FILES | CLONE_SIGHAND |
		CLONE_THREAD;
	pid_t pid = CHILD_MUST(clone(thread_forks, stack_top(), flags, NULL));

	want("SysClone|flags=%u", flags);
	want_fork(pid);
	while (!syscall(SYS_tgkill, getpid(), pid, 0))
		usleep(1000);
}

TEST(fork_in_thread)
{
	et_traced(do_thread_forks);
}

static void want_failed(unsigned long long flags, int err)
{
	want("SysClone|flags=%llu", flags);
	want("SysCloneFailed|");
	want_extended("Failed|error=%d", err);
}

static void do_failed(void)
{
	struct clone_args args = { .flags = CLONE_CLEAR_SIGHAND | CLONE_SIGHAND };
	const struct rlimit none = { 0, 0 };

	/* CLONE_THREAD without the flags that it requires. */
	CHILD_MUST_FAIL(et_sys(SYS_clone, CLONE_THREAD, 0, 0, 0, 0), EINVAL);
	want_failed(CLONE_THREAD, EINVAL);
	CHILD_MUST_FAIL(et_sys(SYS_clone, CLONE_NEWNS | CLONE_FS | SIGCHLD, 0, 0, 0, 0),
			EINVAL);
	want_failed(CLONE_NEWNS | CLONE_FS | SIGCHLD, EINVAL);
	CHILD_MUST_FAIL(et_sys(SYS_clone3, &args, sizeof(args)), EINVAL);
	want_failed(args.flags, EINVAL);

	CHILD_MUST(setrlimit(RLIMIT_NPROC, &none));
	CHILD_MUST(et_sys(SYS_setuid, 12345));
	CHILD_MUST_FAIL(et_sys(SYS_clone, SIGCHLD, 0, 0, 0, 0), EAGAIN);
	want_failed(SIGCHLD, EAGAIN);
	/* Recorded as the equivalent clone(). */
	CHILD_MUST_FAIL(et_sys(SYS_fork), EAGAIN);
	want_failed(SIGCHLD, EAGAIN);
	CHILD_MUST_FAIL(vfork(), EAGAIN);
	want_failed(CLONE_VFORK | CLONE_VM | SIGCHLD, EAGAIN);
}

TEST(failed)
{
	et_traced(do_failed);
}

int main(int argc, char **argv)
{
	return et_main(argc, argv, "");
}
