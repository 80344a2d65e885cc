// SPDX-License-Identifier: LGPL-2.1
/* Reads strace's log in place of a recorder that died.  See guard.h. */
#include "record/strace/guard.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* Longest wait for strace to open the FIFO after the recorder has ended, in ms. */
#define COMES_MS	2000
/* Longest wait until strace has handled all stops of its tasks, in ms. */
#define RESTS_MS	100

/* In the guard: wait until the recorder ends, then read until strace ends.  Never returns. */
static void read_on(int fifo, int alive, const char *dir, const char *path)
{
	struct pollfd fd = { .fd = fifo, .events = POLLIN };
	static char bytes[65536];

	prctl(PR_SET_NAME, "strace-reader");
	while (read(alive, bytes, 1) < 0 && errno == EINTR)
		;
	poll(&fd, 1, COMES_MS);
	unlink(path);
	rmdir(dir);
	while (read(fifo, bytes, sizeof(bytes)) > 0)
		;
	_exit(0);
}

/* In the guard: close the recorder's descriptors, and leave its process group and session. */
static void become_guard(int fifo, int alive, const char *dir, const char *path)
{
	sigset_t all;
	int null;

	sigfillset(&all);
	sigprocmask(SIG_BLOCK, &all, NULL);
	/* fork again, so that no process has to wait for the guard */
	if (setsid() < 0 || fork())
		_exit(0);
	null = open("/dev/null", O_RDWR);
	for (int fd = 0; fd < 3 && null >= 0; fd++)
		dup2(null, fd);
	/* first move them above descriptors 0 to 4 */
	fifo = fcntl(fifo, F_DUPFD, 10);
	alive = fcntl(alive, F_DUPFD, 10);
	if (fifo < 0 || alive < 0 || dup2(fifo, 3) < 0 || dup2(alive, 4) < 0 ||
	    fcntl(3, F_SETFL, 0) || chdir("/"))
		_exit(0);
	syscall(SYS_close_range, 5, ~0u, 0);
	read_on(3, 4, dir, path);
}

int guard_start(const char *dir, const char *fifo)
{
	int alive[2], fd = open(fifo, O_RDONLY | O_NONBLOCK | O_CLOEXEC), err;
	pid_t pid;

	if (fd < 0)
		return -errno;
	if (pipe2(alive, O_CLOEXEC)) {
		err = -errno;
		close(fd);
		return err;
	}
	pid = fork();
	if (!pid) {
		close(alive[1]);
		become_guard(fd, alive[0], dir, fifo);
	}
	err = pid < 0 ? -errno : 0;
	close(fd);
	close(alive[0]);
	if (pid > 0)
		waitpid(pid, NULL, 0);
	if (err)
		close(alive[1]);
	return err ? err : alive[1];
}

/* ---- the end of strace ---- */

/*
 * Read up to @size - 1 bytes of a file in /proc/PID, and add a NUL; @pid 0 is the caller.
 * Return: the number of bytes.
 */
static size_t read_proc(pid_t pid, const char *file, char *buf, size_t size)
{
	char path[64];
	ssize_t n;
	int fd;

	/* not by our own pid: /proc may belong to another pid namespace */
	if (pid)
		snprintf(path, sizeof(path), "/proc/%d/%s", (int)pid, file);
	else
		snprintf(path, sizeof(path), "/proc/self/%s", file);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	n = fd < 0 ? 0 : read(fd, buf, size - 1);
	if (fd >= 0)
		close(fd);
	n = n > 0 ? n : 0;
	buf[n] = 0;
	return (size_t)n;
}

pid_t guard_tracer(pid_t task)
{
	static const char field[] = "\nTracerPid:";
	char status[4096];
	const char *at;

	read_proc(task, "status", status, sizeof(status));
	at = strstr(status, field);
	return at ? (pid_t)strtol(at + sizeof(field) - 1, NULL, 10) : 0;
}

/* Whether strace sleeps: then it has handled all stops of its tasks, and delivered signals. */
static bool strace_sleeps(pid_t pid)
{
	char stat[256];
	const char *end;

	read_proc(pid, "stat", stat, sizeof(stat));
	end = strrchr(stat, ')');
	return !end || end[1] != ' ' || end[2] == 'S' || end[2] == 'Z';
}

bool guard_release(pid_t task, const char *dir)
{
	/* room for all of strace's own options, which come first */
	static char words[65536];
	const struct timespec ms = { .tv_nsec = 1000000 };
	pid_t pid = guard_tracer(task);
	size_t n = pid > 0 ? read_proc(pid, "cmdline", words, sizeof(words)) : 0;

	if (!n || !memmem(words, n, dir, strlen(dir)))
		return false;
	for (int i = 0; i < RESTS_MS && !strace_sleeps(pid); i++)
		nanosleep(&ms, NULL);
	/* strace reacts to no other signal; its tasks continue untraced */
	return !kill(pid, SIGKILL);
}
