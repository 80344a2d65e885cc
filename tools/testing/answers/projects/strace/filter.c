// SPDX-License-Identifier: GPL-2.0
/*
 * A program that installs its own seccomp filter, for renameat2.
 *
 *	filter notify	a supervisor lets the kernel continue the call
 *	filter fake	a supervisor pretends that it succeeded
 *	filter trap	a signal is sent instead
 *	filter error	the call fails with ENOSYS
 *
 * Then "sh -c 'echo a > in; cp in out'" runs, and mv makes the call.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

static const struct {
	const char *name;
	unsigned int answer;
} ways[] = {
	{ "notify", SECCOMP_RET_USER_NOTIF }, { "fake", SECCOMP_RET_USER_NOTIF },
	{ "trap", SECCOMP_RET_TRAP }, { "error", SECCOMP_RET_ERRNO | ENOSYS },
};

static int listener, fake;

static void *supervise(void *unused)
{
	struct seccomp_notif_resp answer;
	struct seccomp_notif asked;

	for (;;) {
		memset(&asked, 0, sizeof(asked));
		memset(&answer, 0, sizeof(answer));
		if (ioctl(listener, SECCOMP_IOCTL_NOTIF_RECV, &asked))
			return unused;
		answer.id = asked.id;
		answer.flags = fake ? 0 : SECCOMP_USER_NOTIF_FLAG_CONTINUE;
		ioctl(listener, SECCOMP_IOCTL_NOTIF_SEND, &answer);
	}
}

static int set_filter(unsigned int answer)
{
	struct sock_filter filter[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_renameat2, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, answer),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog program = { 4, filter };
	bool asks = answer == SECCOMP_RET_USER_NOTIF;

	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0))
		return -1;
	return (int)syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER,
			    asks ? SECCOMP_FILTER_FLAG_NEW_LISTENER : 0, &program);
}

int main(int argc, char **argv)
{
	unsigned int i = 0;
	pthread_t thread;
	int status;
	pid_t pid;

	while (i < 3 && argc > 1 && strcmp(ways[i].name, argv[1]) != 0)
		i++;
	fake = i == 1;
	listener = set_filter(ways[i].answer);
	if (listener < 0) {
		perror("a filter");
		return 77;
	}
	if (listener > 0)
		pthread_create(&thread, NULL, supervise, NULL);
	pid = fork();
	if (!pid) {
		execl("/bin/sh", "sh", "-c", "echo a > in; cp in out; mv out named", NULL);
		_exit(127);
	}
	return waitpid(pid, &status, 0) == pid && WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}
