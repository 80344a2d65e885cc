// SPDX-License-Identifier: GPL-2.0
/* A child that asks not to be traced writes a file.  Exits with 0, or with errno on failure. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

int main(void)
{
	long pid = syscall(SYS_clone, CLONE_UNTRACED | SIGCHLD, 0, 0, 0, 0);
	int status;

	if (!pid)
		_exit(open("untraced.out", O_CREAT | O_WRONLY, 0644) < 0 ? errno : 0);
	if (pid < 0 || waitpid((pid_t)pid, &status, 0) < 0)
		return 1;
	return WIFEXITED(status) ? WEXITSTATUS(status) : 2;
}
