// SPDX-License-Identifier: GPL-2.0
/*
 * Copy, CloseCopied, UseCopied: data that went from one descriptor directly to another. A pair is
 * recorded once while both stay open; a descriptor that was written only by copies is marked. In
 * root_pid's tree, recorded only with the parameter extended.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/fs.h>
#include <sched.h>
#include <signal.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/sendfile.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "lib/etrace_test.h"

int clone(int (*fn)(void *), void *stack, int flags, void *arg, ...);

/* Descriptors already open in the child, each of a different file. */
enum { IN = 100, IN2, OUT, OUT2, PIPE, PIPE_END, HIGH = 1000 };

static char buf[4096];

static void want_copy(int in, int out)
{
	want_extended("Copy|in=%d,out=%d", in, out);
}

/* @copied: whether everything was copied; -1 if nothing was written */
static void want_closed(int fd, int copied)
{
	want("Close|fd=%d", fd);
	if (copied > 0)
		want_extended("CloseCopied|copied=1");
	CHILD_MUST(close(fd));
}

static void copy(int in, int out)
{
	if (CHILD_MUST(sendfile(out, in, NULL, 10)) != 10)
		CHILD_FAIL("sendfile");
}

static void have_file(const char *name, int fd)
{
	int f = MUST(open(et_path(name), O_RDWR | O_CREAT, 0600));

	MUST(write(f, buf, sizeof(buf)));
	MUST(lseek(f, 0, SEEK_SET));
	MUST(dup2(f, fd));
	close(f);
}

static void have_files(void)
{
	int p[2];

	have_file("in", IN);
	have_file("in2", IN2);
	have_file("out", OUT);
	have_file("out2", OUT2);
	MUST(pipe(p));
	MUST(dup2(p[0], PIPE));
	MUST(dup2(p[1], PIPE_END));
	close(p[0]);
	close(p[1]);
}

static void run(void (*fn)(void))
{
	int fd;

	have_files();
	et_traced(fn);
	for (fd = IN; fd <= PIPE_END; fd++)
		close(fd);
}

static void do_calls(void)
{
	loff_t off = 0;
	int i;

	for (i = 0; i < 3; i++) {
		CHILD_MUST(et_sys(SYS_sendfile, OUT, IN, NULL, 10));
		CHILD_MUST(et_sys(SYS_copy_file_range, IN, NULL, OUT, NULL, 20, 0));
	}
	want_copy(IN, OUT);
	CHILD_MUST(et_sys(SYS_copy_file_range, IN2, NULL, OUT2, NULL, 20, 0));
	want_copy(IN2, OUT2);
	/* Into a pipe, and out of it. */
	CHILD_MUST(et_sys(SYS_splice, IN, &off, PIPE_END, NULL, 20, 0));
	want_copy(IN, PIPE_END);
	CHILD_MUST(et_sys(SYS_splice, PIPE, NULL, OUT, NULL, 20, 0));
	want_copy(PIPE, OUT);
	want_closed(OUT, 1);
	want_closed(OUT2, 1);
	want_closed(PIPE_END, 1);
	want_closed(IN, -1);
}

TEST(calls)
{
	run(do_calls);
}

static void do_tee(void)
{
	int other[2];

	CHILD_MUST(pipe(other));
	want("Pipe|fd1=%d,fd2=%d,flags=0", other[0], other[1]);
	CHILD_MUST(write(PIPE_END, buf, 10));
	CHILD_MUST(et_sys(SYS_tee, PIPE, other[1], 10, 0));
	want_copy(PIPE, other[1]);
	want_closed(PIPE_END, 0);
	want_closed(other[1], 1);
}

TEST(tee)
{
	run(do_tee);
}

/* Calls that failed or copied nothing. */
static void do_nothing(void)
{
	struct file_clone_range range = { .src_fd = IN };

	CHILD_MUST_FAIL(sendfile(OUT, 99, NULL, 10), EBADF);
	CHILD_MUST_FAIL(et_sys(SYS_copy_file_range, IN, NULL, PIPE, NULL, 20, 0), EINVAL);
	CHILD_MUST(lseek(IN, 0, SEEK_END));
	CHILD_MUST(sendfile(OUT, IN, NULL, 10));
	if (!ioctl(OUT, FICLONE, IN))
		CHILD_FAIL("this file system clones: test that it is recorded");
	if (!ioctl(OUT, FICLONERANGE, &range))
		CHILD_FAIL("this file system clones: test that it is recorded");
	want_closed(OUT, -1);
}

TEST(nothing)
{
	run(do_nothing);
}

/* Recorded again if a number now belongs to another file, or after a copy between another pair. */
static void do_again(void)
{
	copy(IN, OUT);
	want_copy(IN, OUT);
	copy(IN, OUT);
	/* another pair in between: both pairs share no descriptor, so neither is recorded again */
	copy(IN2, OUT2);
	want_copy(IN2, OUT2);
	copy(IN, OUT);

	copy(IN, OUT2);
	want_copy(IN, OUT2);
	copy(IN2, OUT2);
	want_copy(IN2, OUT2);

	/* Each number is given to another file. */
	copy(IN, OUT);
	want_copy(IN, OUT);
	want_closed(IN, -1);
	want("Dup|oldfd=%d,newfd=%d,flags=0", IN2, IN);
	CHILD_MUST(dup2(IN2, IN));
	copy(IN, OUT);
	want_copy(IN, OUT);
	want_closed(OUT, 1);
	want("Dup|oldfd=%d,newfd=%d,flags=0", OUT2, OUT);
	CHILD_MUST(dup2(OUT2, OUT));
	copy(IN, OUT);
	want_copy(IN, OUT);
	copy(IN, OUT);
	/* dup2() over an open descriptor: its use so far is recorded. */
	want_extended("Use|fd=%d", IN);
	want("Dup|oldfd=%d,newfd=%d,flags=0", IN2, IN);
	CHILD_MUST(dup2(IN2, IN));
	copy(IN, OUT);
	want_copy(IN, OUT);
	want_closed(OUT, 1);
	want_extended("Use|fd=%d", IN);
	want_extended("Use|fd=%d", IN2);
	want_extended("Use|fd=%d", OUT2);
	want_extended("UseCopied|copied=1");
}

TEST(again)
{
	et_facts = "COPY CloseCopied UseCopied USE";
	run(do_again);
	et_facts = "COPY CloseCopied UseCopied";
}

/* Not everything was copied. */
static void do_mixed(void)
{
	void *p;

	copy(IN, OUT);
	want_copy(IN, OUT);
	CHILD_MUST(write(OUT, buf, 1));
	copy(IN, OUT);
	want_closed(OUT, 0);
	/* A write before the copy counts, too. */
	CHILD_MUST(write(OUT2, buf, 1));
	copy(IN, OUT2);
	want_copy(IN, OUT2);
	want_closed(OUT2, 0);
	/* It is unknown what is written through a mapping. */
	copy(IN, IN2);
	want_copy(IN, IN2);
	p = mmap(NULL, 100, PROT_READ | PROT_WRITE, MAP_SHARED, IN2, 0);
	munmap(p, 100);
	want_closed(IN2, 0);
	/* Copies into a pipe that was also written to by write(). */
	CHILD_MUST(write(PIPE_END, buf, 1));
	CHILD_MUST(read(PIPE, buf, 1));
	CHILD_MUST(splice(IN, NULL, PIPE_END, NULL, 10, 0));
	want_copy(IN, PIPE_END);
	want_closed(PIPE_END, 0);
}

TEST(mixed)
{
	run(do_mixed);
}

/* Uses that are recorded at the end; a child has its own memory. */
static void do_end(void)
{
	int status;
	pid_t pid;

	copy(IN, OUT);
	want_copy(IN, OUT);
	pid = CHILD_MUST(et_sys(SYS_fork));
	if (!pid) {
		copy(IN, OUT);
		want_copy(IN, OUT);
		want_extended("Use|fd=%d", IN);
		want_extended("Use|fd=%d", OUT);
		want_extended("UseCopied|copied=1");
		want("Exit|status=0");
		_exit(0);
	}
	want_forked(pid);
	CHILD_MUST(waitpid(pid, &status, 0));
	copy(IN, OUT);
	CHILD_MUST(write(OUT, buf, 1));
	want_extended("Use|fd=%d", IN);
	want_extended("Use|fd=%d", OUT);
}

TEST(end)
{
	et_facts = "COPY CloseCopied UseCopied USE";
	run(do_end);
	et_facts = "COPY CloseCopied UseCopied";
}

/* Descriptors too high to be remembered: each copy is recorded, before the use. */
static void do_high(void)
{
	int i;

	for (i = 0; i < 2; i++) {
		copy(IN, HIGH);
		want_copy(IN, HIGH);
		want_extended("Use|fd=%d", HIGH);
		want_extended("UseCopied|copied=1");
	}
	CHILD_MUST(write(HIGH, buf, 1));
	want_extended("Use|fd=%d", HIGH);
	want_closed(HIGH, -1);
	want_extended("Use|fd=%d", IN);
}

TEST(high_numbers)
{
	struct rlimit limit = { 4096, 4096 };
	int fd;

	MUST(setrlimit(RLIMIT_NOFILE, &limit));
	fd = MUST(open(et_path("high"), O_WRONLY | O_CREAT, 0600));
	MUST(dup2(fd, HIGH));
	close(fd);
	et_facts = "COPY CloseCopied UseCopied USE";
	run(do_high);
	et_facts = "COPY CloseCopied UseCopied";
	close(HIGH);
}

static char stack[65536];

static void want_shared(void)
{
	want_extended("Use|fd=%d", IN);
	want_extended("Use|fd=%d", OUT);
	want_extended("UseCopied|copied=1");
}

static int sharer(void *arg)
{
	want_copy(IN, OUT);
	want_shared();
	copy(IN, OUT);
	want("Exit|status=0");
	_exit(0);
	return arg ? 1 : 0;
}

/* Two programs that share a table: each copy is recorded for the task that did it. */
static void do_shared(void)
{
	int status, i;
	pid_t pid;

	copy(IN, OUT);
	want_copy(IN, OUT);
	want_shared();
	pid = CHILD_MUST(clone(sharer, stack + sizeof(stack) - 64, CLONE_FILES | SIGCHLD, NULL));
	want("SysClone|flags=%d", CLONE_FILES | SIGCHLD);
	want_fork(pid);
	CHILD_MUST(waitpid(pid, &status, 0));
	for (i = 0; i < 2; i++) {
		copy(IN, OUT);
		want_copy(IN, OUT);
		want_shared();
	}
	want_closed(OUT, -1);
}

TEST(shared_table)
{
	et_facts = "COPY CloseCopied UseCopied USE";
	run(do_shared);
	et_facts = "COPY CloseCopied UseCopied";
}

int main(int argc, char **argv)
{
	et_facts = "COPY CloseCopied UseCopied";
	return et_main(argc, argv, "");
}
