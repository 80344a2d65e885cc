// SPDX-License-Identifier: GPL-2.0
/*
 * Exit: the end of every traced task, in whatever way it comes.
 */
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "lib/etrace_test.h"

static pid_t child_begin(void)
{
	pid_t pid = CHILD_MUST(et_sys(SYS_fork));

	if (pid)
		want_fork(pid);
	return pid;
}

/* Waits for it and says what wait() made of it; the ground truth. */
static int child_status(pid_t pid)
{
	int status = -1;

	CHILD_MUST(waitpid(pid, &status, 0));
	return status;
}

static void do_status(void)
{
	static const int codes[] = { 0, 1, 42, 127, 128, 255, 256, 0x1234, -1 };
	size_t i;
	int status;

	for (i = 0; i < ET_NELEMS(codes); i++) {
		pid_t pid = child_begin();

		if (!pid)
			et_sys(i % 2 ? SYS_exit : SYS_exit_group, codes[i]);
		status = child_status(pid);
		if (!WIFEXITED(status))
			CHILD_FAIL("status %#x", status);
		want_of(pid, "Exit|status=%d", WEXITSTATUS(status));
	}
}

TEST(status)
{
	et_traced(do_status);
}

static void do_killed(void)
{
	static const int signals[] = {
		SIGKILL, SIGTERM, SIGHUP, SIGINT, SIGUSR1, SIGPIPE, SIGALRM,
	};
	size_t i;
	int status;

	for (i = 0; i < ET_NELEMS(signals); i++) {
		pid_t pid = child_begin();

		if (!pid)
			for (;;)
				pause();
		CHILD_MUST(kill(pid, signals[i]));
		status = child_status(pid);
		if (!WIFSIGNALED(status) || WTERMSIG(status) != signals[i])
			CHILD_FAIL("status %#x", status);
		want_of(pid, "Exit|status=0");
		want_extended_of(pid, "ExitSignal|signal=%d,core=0", signals[i]);
	}
}

TEST(killed)
{
	et_traced(do_killed);
}

/* By its own fault, in the middle of a program. */
static volatile int *volatile nowhere;

static void do_crashed(void)
{
	static const struct rlimit no_core;
	int status;
	pid_t pid;

	CHILD_MUST(setrlimit(RLIMIT_CORE, &no_core));
	pid = child_begin();
	if (!pid)
		*nowhere = 0;
	status = child_status(pid);
	if (!WIFSIGNALED(status) || WTERMSIG(status) != SIGSEGV)
		CHILD_FAIL("status %#x", status);
	want_of(pid, "Exit|status=0");
	want_extended_of(pid, "ExitSignal|signal=%d,core=%d", SIGSEGV,
			 !!WCOREDUMP(status));
}

TEST(crashed)
{
	et_traced(do_crashed);
}

/*
 * Threads. They come from clone(), so that nothing of the C library is between
 * a thread and its exit.
 */
#define THREAD_FLAGS	(CLONE_VM | CLONE_FS | CLONE_FILES | CLONE_SIGHAND | \
			 CLONE_THREAD | CLONE_SYSVSEM)
#define STACK		65536

static atomic_int ready, go;

static int thread_exit(void *arg)
{
	atomic_fetch_add(&ready, 1);
	while (!atomic_load(&go))
		usleep(1000);
	et_sys(SYS_exit, (long)arg);
	return 0;
}

static int thread_wait(void *arg)
{
	(void)arg;
	atomic_fetch_add(&ready, 1);
	for (;;)
		pause();
	return 0;
}

static pid_t thread_begin(int (*fn)(void *), long arg)
{
	char *stack = mmap(NULL, STACK, PROT_READ | PROT_WRITE,
			   MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	pid_t tid = CHILD_MUST(clone(fn, stack + STACK, THREAD_FLAGS, (void *)arg));

	want("SysClone|flags=%u", THREAD_FLAGS);
	want_fork(tid);
	return tid;
}

static void until_ready(int n)
{
	while (atomic_load(&ready) < n)
		usleep(1000);
}

static void until_gone(pid_t tid)
{
	while (!syscall(SYS_tgkill, getpid(), tid, 0))
		usleep(1000);
}

/* A thread ends, its group lives on; then another one. */
static void do_thread(void)
{
	pid_t a, b;

	atomic_store(&ready, 0);
	atomic_store(&go, 0);
	a = thread_begin(thread_exit, 7);
	b = thread_begin(thread_exit, 8);
	until_ready(2);
	atomic_store(&go, 1);
	until_gone(a);
	until_gone(b);
	want_of(a, "Exit|status=7");
	want_of(b, "Exit|status=8");
	/* And the group is alive. */
	CHILD_MUST_FAIL(et_sys(SYS_close, -1), EBADF);
}

TEST(thread)
{
	et_traced(do_thread);
}

/* exit_group() ends all of them with its status. */
static void do_group(void)
{
	atomic_store(&ready, 0);
	want_of(thread_begin(thread_wait, 0), "Exit|status=5");
	want_of(thread_begin(thread_wait, 0), "Exit|status=5");
	until_ready(2);
	want("Exit|status=5");
	et_sys(SYS_exit_group, 5);
}

TEST(exit_group)
{
	et_traced(do_group);
}

/* The leader ends first; its thread lives on, and ends the group. */
static int thread_last(void *arg)
{
	(void)arg;
	usleep(200000);
	want("Exit|status=9");
	et_sys(SYS_exit, 9);
	return 0;
}

static void do_leader_first(void)
{
	thread_begin(thread_last, 0);
	want("Exit|status=3");
	et_sys(SYS_exit, 3);
}

TEST(leader_first)
{
	et_traced(do_leader_first);
}

/* A signal ends every thread of the group. */
static void do_group_killed(void)
{
	int status;
	pid_t pid, *tids;

	tids = mmap(NULL, 4096, PROT_READ | PROT_WRITE,
		    MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	pid = child_begin();
	if (!pid) {
		atomic_store(&ready, 0);
		tids[1] = thread_begin(thread_wait, 0);
		tids[2] = thread_begin(thread_wait, 0);
		until_ready(2);
		tids[0] = 1;
		for (;;)
			pause();
	}
	while (!*(volatile pid_t *)tids)
		usleep(1000);
	CHILD_MUST(kill(pid, SIGKILL));
	status = child_status(pid);
	if (!WIFSIGNALED(status))
		CHILD_FAIL("status %#x", status);
	want_of(pid, "Exit|status=0");
	want_of(tids[1], "Exit|status=0");
	want_of(tids[2], "Exit|status=0");
	want_extended_of(pid, "ExitSignal|signal=9,core=0");
	want_extended_of(tids[1], "ExitSignal|signal=9,core=0");
	want_extended_of(tids[2], "ExitSignal|signal=9,core=0");
}

TEST(group_killed)
{
	et_traced(do_group_killed);
}

int main(int argc, char **argv)
{
	return et_main(argc, argv, "");
}
