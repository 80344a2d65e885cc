// SPDX-License-Identifier: GPL-2.0
/* Exit: the end of every traced task, whatever its cause. */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "lib/etrace_test.h"

static pid_t child_begin(void)
{
	pid_t pid = CHILD_MUST(et_sys(SYS_fork));

	if (pid)
		want_forked(pid);
	return pid;
}

/* Wait for @pid and return its status as wait() reports it, which is the ground truth. */
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

/* Killed by its own error, in the middle of a program. */
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
 * Threads, created by clone(), so that no code of the C library runs between a thread and its
 * exit.
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

/* A thread ends while its group lives on; then another one. */
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
	/* The group is still alive. */
	CHILD_MUST_FAIL(et_sys(SYS_close, -1), EBADF);
}

TEST(thread)
{
	et_traced(do_thread);
}

/* exit_group() ends all threads with its status. */
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

/* The leader ends first; its thread lives on and ends the group. */
static int thread_last(void *arg)
{
	(void)arg;
	et_until_ended(getpid());
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

/* ---- what a process has used ---- */

#define TICK		10000000LL	/* ns: the longest of any tested kernel */
#define BEHIND		50000000LL	/* ns that the end of a task may take, emulated */
/* The number of tasks that may be ending when the record is made. */
static unsigned int ending = 1;
#define MEMORY		(24 << 20)

/* What others observe of the process. */
static struct {
	atomic_int alive, end;
	struct rusage usage;
	long long rchar, wchar, rbytes, wbytes;
	long long read_later;	/* at most so many bytes more of rchar, read after the last look */
} *use;

/* Use processor time, which is what is recorded, until @ms have been used. */
static void burn(int ms)
{
	struct timespec from, now;
	volatile unsigned long n = 0;
	long i;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &from);
	do {
		for (i = 0; i < 20000; i++)
			n += i;
		for (i = 0; i < 200; i++)
			syscall(SYS_getppid);
		clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
	} while ((now.tv_sec - from.tv_sec) * 1000 + (now.tv_nsec - from.tv_nsec) / 1000000 < ms);
}

static void read_and_write(size_t bytes)
{
	static char buf[4096];
	int fd = CHILD_MUST(open("used", O_RDWR | O_CREAT | O_TRUNC, 0600));
	size_t i;

	for (i = 0; i < bytes; i += sizeof(buf))
		CHILD_MUST(write(fd, buf, sizeof(buf)));
	CHILD_MUST(fsync(fd));
	CHILD_MUST(lseek(fd, 0, SEEK_SET));
	for (i = 0; i < bytes; i += sizeof(buf))
		CHILD_MUST(read(fd, buf, sizeof(buf)));
	close(fd);
}

static void touch_memory(void)
{
	char *m = mmap(NULL, MEMORY, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS,
		       -1, 0);
	size_t i;

	for (i = 0; i < MEMORY; i += 4096)
		m[i] = 1;
	munmap(m, MEMORY);
}

/* Wait until another process has observed the use so far. */
static void be_seen(void)
{
	atomic_store(&use->alive, 1);
	while (!atomic_load(&use->end))
		usleep(1000);
}

static void see(pid_t pid)
{
	char name[64];
	FILE *f;

	while (!atomic_load(&use->alive))
		usleep(1000);
	snprintf(name, sizeof(name), "/proc/%d/io", pid);
	f = fopen(name, "r");
	if (!f || fscanf(f, "rchar: %lld wchar: %lld syscr: %*d syscw: %*d read_bytes: %lld write_bytes: %lld",
			 &use->rchar, &use->wchar, &use->rbytes, &use->wbytes) != 4)
		CHILD_FAIL("%s: %m", name);
	if (f)
		fclose(f);
	atomic_store(&use->end, 1);
}

/* A process that is observed and then ends. */
static void (*process)(void);

static void do_process(void)
{
	pid_t pid;
	int status;

	pid = CHILD_MUST(et_sys(SYS_fork));
	if (!pid) {
		process();
		et_sys(SYS_exit_group, 0);
	}
	see(pid);
	CHILD_MUST(wait4(pid, &status, 0, &use->usage));
	if (!WIFEXITED(status))
		CHILD_FAIL("status %#x", status);
}

static long long ns_of(const struct timeval *tv)
{
	return tv->tv_sec * 1000000000LL + tv->tv_usec * 1000LL;
}

/*
 * A busy host may stop an emulated processor anywhere, even between the record and the time that
 * wait4() reports, and that counts as time of the task. Errors of the recorder show each time, so
 * times are measured several times before they count as a failure.
 */
#define MEASUREMENTS	6
static bool last_measurement;

static bool is_near(const char *what, long long reported, long long due, long long more)
{
	if (reported <= due + TICK + more && reported >= due - TICK - more - ending * BEHIND)
		return true;
	if (last_measurement)
		FAIL("%s is %lld, wait4() returns %lld", what, reported, due);
	else
		et_note("%s is %lld, wait4() returns %lld: measuring again", what, reported, due);
	return false;
}

/* Return: false if it must be measured again. */
static bool expect_use(const struct et_line *time, const struct et_line *io)
{
	bool near;
	long long utime, stime, maxrss, minflt, majflt, rchar, wchar, rbytes, wbytes;
	long long user = ns_of(&use->usage.ru_utime), sys = ns_of(&use->usage.ru_stime);

	if (sscanf(time->text, "ExitTime|utime=%lld,stime=%lld,maxrss=%lld,minflt=%lld,majflt=%lld",
		   &utime, &stime, &maxrss, &minflt, &majflt) != 5 ||
	    sscanf(io->text, "ExitIo|rchar=%lld,wchar=%lld,rbytes=%lld,wbytes=%lld",
		   &rchar, &wchar, &rbytes, &wbytes) != 4) {
		FAIL("%s, %s", time->text, io->text);
		return true;
	}
	near = is_near("utime + stime", utime + stime, user + sys, 0);
	/*
	 * Ticks decide how the time is divided into utime and stime; an emulated machine makes up
	 * for missed ticks after the record.
	 */
	near &= is_near("utime", utime, user, BEHIND + (user + sys) / 10);
	near &= is_near("stime", stime, sys, BEHIND + (user + sys) / 10);
	EXPECT_EQ(maxrss, use->usage.ru_maxrss * 1024LL);
	EXPECT_EQ(minflt, use->usage.ru_minflt);
	EXPECT_EQ(majflt, use->usage.ru_majflt);
	if (rchar < use->rchar || rchar > use->rchar + use->read_later)
		FAIL("rchar is %lld, /proc says %lld", rchar, use->rchar);
	EXPECT_EQ(wchar, use->wchar);
	EXPECT_EQ(rbytes, use->rbytes);
	EXPECT_EQ(wbytes, use->wbytes);
	return near;
}

/* Each of the two processes reports its use once, and its threads do not. */
static bool measured(void (*fn)(void))
{
	const char *facts = et_facts;
	size_t i, j, n = 0;
	struct et_trace tr;
	bool near = true;
	pid_t root;

	if (!use)
		use = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	memset(use, 0, sizeof(*use));
	process = fn;
	et_facts = "ExitTime ExitIo";
	root = et_run(do_process, &tr);
	et_facts = facts;
	for (i = 0; i < tr.nr; i++)
		for (j = 0; j < tr.task[i].nr; j++) {
			const struct et_line *l = &tr.task[i].line[j];

			if (strncmp(l->text, "ExitTime|", 9))
				continue;
			n++;
			if (j + 2 != tr.task[i].nr)
				FAIL("ExitIo is not the only line after ExitTime");
			else if (&tr.task[i] != et_trace_pid(&tr, root))
				near = expect_use(l, l + 1);
		}
	EXPECT_EQ(n, et_extended ? 2 : 0);
	et_trace_free(&tr);
	return near;
}

static void used(void (*fn)(void))
{
	int i = 0;

	do {
		last_measurement = ++i == MEASUREMENTS;
	} while (!measured(fn) && !last_measurement);
}

static void use_alone(void)
{
	touch_memory();
	read_and_write(1 << 20);
	burn(300);
	be_seen();
}

TEST(usage_of_one_thread)
{
	used(use_alone);
}

static int thread_use(void *arg)
{
	burn(40);
	read_and_write(8192);
	atomic_fetch_add(&ready, 1);
	while (!atomic_load(&go))
		usleep(1000);
	et_sys(SYS_exit, (long)arg);
	return 0;
}

#define THREADS	5

static pid_t begun[THREADS];

static void begin_threads(int (*fn)(void *))
{
	int i;

	atomic_store(&ready, 0);
	atomic_store(&go, 0);
	for (i = 0; i < THREADS; i++)
		begun[i] = thread_begin(fn, i);
	until_ready(THREADS);
}

/* The threads end before the process does. */
static void use_dead_threads(void)
{
	int i;

	begin_threads(thread_use);
	atomic_store(&go, 1);
	for (i = 0; i < THREADS; i++)
		until_gone(begun[i]);
	burn(40);
	be_seen();
}

TEST(usage_with_exited_threads)
{
	used(use_dead_threads);
}

/* exit_group() ends all threads. */
static void use_killed_threads(void)
{
	begin_threads(thread_use);
	be_seen();
}

TEST(usage_with_killed_threads)
{
	used(use_killed_threads);
}

/* The leader ends first. */
static int thread_seen(void *arg)
{
	burn(100);
	(void)arg;
	atomic_fetch_add(&ready, 1);
	et_until_ended(getpid());
	be_seen();
	et_sys(SYS_exit, 0);
	return 0;
}

static void use_leader_first(void)
{
	atomic_store(&ready, 0);
	touch_memory();
	burn(100);
	thread_begin(thread_seen, 0);
	until_ready(1);
	et_sys(SYS_exit, 0);
}

TEST(usage_when_leader_exits_first)
{
	used(use_leader_first);
}

/* All threads end by themselves, at the same time. */
static atomic_int at_once;

static int thread_at_once(void *arg)
{
	(void)arg;
	atomic_fetch_add(&ready, 1);
	while (!atomic_load(&use->end))
		sched_yield();
	atomic_fetch_add(&at_once, 1);
	while (atomic_load(&at_once) < THREADS)
		;
	et_sys(SYS_exit, 0);
	return 0;
}

static void use_at_once(void)
{
	atomic_store(&at_once, 0);
	begin_threads(thread_at_once);
	atomic_store(&use->alive, 1);
	et_sys(SYS_exit, 0);
}

TEST(usage_when_threads_exit_at_once)
{
	int i;

	/* one on each processor, and none has to wait for the others */
	ending = 2;
	for (i = 0; i < 10; i++)
		used(use_at_once);
	ending = 1;
}

/*
 * A thread executes a program, which ends the other threads: their use is reported at the end of
 * that program. The kernel reads a part of the file to find out its format.
 */
#define ENDS_AT_ONCE	"ends-at-once"

static int thread_exec(void *arg)
{
	(void)arg;
	burn(40);
	read_and_write(8192);
	be_seen();
	execl("/proc/self/exe", "exit", ENDS_AT_ONCE, NULL);
	CHILD_FAIL("execl: %m");
	return 0;
}

static void use_exec(void)
{
	use->read_later = 65536;
	atomic_store(&ready, 0);
	atomic_store(&go, 0);
	thread_begin(thread_use, 0);
	until_ready(1);
	thread_begin(thread_exec, 0);
	for (;;)
		pause();
}

TEST(usage_after_exec_by_thread)
{
	used(use_exec);
}

int main(int argc, char **argv)
{
	if (argc == 2 && !strcmp(argv[1], ENDS_AT_ONCE))
		et_sys(SYS_exit_group, 0);
	return et_main(argc, argv, "");
}
