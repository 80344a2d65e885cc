// SPDX-License-Identifier: GPL-2.0
/*
 * Comm and CN: prctl(PR_SET_NAME), a write to /proc/PID/comm, and the C library's functions,
 * which use these. Recorded only with the parameter trace_thread_names.
 */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "lib/etrace_test.h"

static void want_comm(const char *name)
{
	want("Comm|size=%zu", strlen(name));
	want("CN|%s", name);
}

static void do_prctl(void)
{
	CHILD_MUST(et_sys(SYS_prctl, PR_SET_NAME, "new_name"));
	want_comm("new_name");
	/* The kernel keeps 15 bytes. */
	CHILD_MUST(et_sys(SYS_prctl, PR_SET_NAME, "a name that is much too long"));
	want_comm("a name that is ");
	CHILD_MUST(et_sys(SYS_prctl, PR_SET_NAME, ""));
	want_comm("");
	CHILD_MUST(et_sys(SYS_prctl, PR_SET_NAME, "a\n\nb"));
	want("Comm|size=4");
	want("CN|a");
	want("Cont|");
	want("Cont|b");
	want("Cont_end|");
	CHILD_MUST(et_sys(SYS_prctl, PR_SET_NAME, "\x80\xff|=,!"));
	want_comm("\x80\xff|=,!");
	/* Not recorded: */
	CHILD_MUST(et_sys(SYS_prctl, PR_SET_DUMPABLE, 1, 0, 0, 0));
	CHILD_MUST_FAIL(et_sys(SYS_prctl, PR_SET_NAME, (char *)8), EFAULT);
}

TEST(prctl)
{
	et_traced(do_prctl);
}

/* @other: the thread that is renamed, if it is not the caller. */
static void write_comm(const char *path, const char *name, pid_t other)
{
	char shown[16];
	int fd = CHILD_MUST(et_sys(SYS_open, path, O_WRONLY));
	const char *real = et_fd_path(fd);

	want("Open|fnamesize=%zu,forigsize=%zu,flags=1,mode=0,fd=%d",
	     strlen(real), strlen(path), fd);
	want("FN|%s", real);
	want("FO|%s", path);
	CHILD_MUST(et_sys(SYS_write, fd, name, strlen(name)));
	snprintf(shown, sizeof(shown), "%s", name);
	want_comm(shown);
	if (other)
		want_extended("CommOf|upid=@%d", other);
	CHILD_MUST(et_sys(SYS_close, fd));
	want("Close|fd=%d", fd);
}

static void do_write(void)
{
	char path[64];

	write_comm("/proc/self/comm", "itself", 0);
	write_comm("/proc/thread-self/comm", "a name that is much too long", 0);
	snprintf(path, sizeof(path), "/proc/%d/comm", getpid());
	write_comm(path, "by pid", 0);
}

TEST(write_to_proc)
{
	et_traced(do_write);
}

/* A thread names itself, and the first thread names it. */
static atomic_int tid, step;

static void *thread(void *arg)
{
	(void)arg;
	atomic_store(&tid, syscall(SYS_gettid));
	while (!atomic_load(&step))
		usleep(1000);
	CHILD_MUST(et_sys(SYS_prctl, PR_SET_NAME, "thread"));
	want_comm("thread");
	atomic_store(&step, 2);
	while (atomic_load(&step) != 3)
		usleep(1000);
	want("Exit|status=0");
	syscall(SYS_exit, 0);
	return NULL;
}

/* The flags that the C library passes. */
#define PTHREAD_FLAGS	(CLONE_VM | CLONE_FS | CLONE_FILES | CLONE_SYSVSEM | \
			 CLONE_SIGHAND | CLONE_THREAD | CLONE_SETTLS |	     \
			 CLONE_PARENT_SETTID | CLONE_CHILD_CLEARTID)

static void do_threads(void)
{
	pthread_t t;
	char path[64];

	atomic_store(&tid, 0);
	atomic_store(&step, 0);
	if (pthread_create(&t, NULL, thread, NULL))
		CHILD_FAIL("pthread_create");
	while (!atomic_load(&tid))
		usleep(1000);
	want("SysClone|flags=%u", PTHREAD_FLAGS);
	want_fork(tid);

	/* The event belongs to the writer, not to the thread that is renamed. */
	snprintf(path, sizeof(path), "/proc/self/task/%d/comm", tid);
	write_comm(path, "other", tid);
	atomic_store(&step, 1);
	while (atomic_load(&step) != 2)
		usleep(1000);
	if (pthread_setname_np(pthread_self(), "by pthread"))
		CHILD_FAIL("pthread_setname_np");
	want_comm("by pthread");
	atomic_store(&step, 3);
	/* Not pthread_join(): the thread ends without the library's help. */
	while (!syscall(SYS_tgkill, getpid(), tid, 0))
		usleep(1000);
}

TEST(threads)
{
	et_traced(do_threads);
}

static void do_exec(void)
{
	static char name[] = "exec changes it as well";
	char *argv[] = { name, NULL };

	/* New_proc reports the name that a new program gets. */
	want_any(getpid());
	et_sys(SYS_execve, "/bin/true", argv, NULL);
	CHILD_FAIL("execve: %m");
}

static size_t comms;

static void count_comm(struct et_task *t, const struct et_line *l)
{
	(void)t;
	if (!strncmp(l->text, "Comm|", 5) || !strncmp(l->text, "CN|", 3))
		comms++;
}

TEST(execve_records_no_comm)
{
	et_trace_watch = count_comm;
	comms = 0;
	et_traced(do_exec);
	et_trace_watch = NULL;
	EXPECT_EQ(comms, 0);
}

int main(int argc, char **argv)
{
	return et_main(argc, argv, "trace_thread_names=1");
}
