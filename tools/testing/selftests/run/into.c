// SPDX-License-Identifier: GPL-2.0
/*
 * Ways into a cgroup that no shell has.
 *
 *	into DIR COMMAND [ARG]...	start COMMAND in the cgroup (CLONE_INTO_CGROUP)
 *	into --threads GO		a process with two threads: once the file GO exists,
 *					each opens a file (/etc/hostname or /etc/passwd); when
 *					GO is gone, they end
 */
#include <err.h>
#include <fcntl.h>
#include <linux/sched.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

static int born_in(const char *dir, char **argv)
{
	struct clone_args args = { .flags = CLONE_INTO_CGROUP, .exit_signal = SIGCHLD };
	int fd = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC), status;
	pid_t pid;

	if (fd < 0)
		err(1, "%s", dir);
	args.cgroup = (uint64_t)fd;
	pid = (pid_t)syscall(SYS_clone3, &args, sizeof(args));
	if (pid < 0)
		err(1, "clone3");
	if (!pid) {
		execvp(*argv, argv);
		err(127, "%s", *argv);
	}
	if (waitpid(pid, &status, 0) < 0)
		err(1, "waitpid");
	return WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}

static const char *go;

static void *opens(void *file)
{
	/* Keep opening a file, so that the trace shows when the thread has joined. */
	while (access(go, F_OK)) {
		close(open("/", O_RDONLY | O_DIRECTORY));
		usleep(20000);
	}
	close(open(file, O_RDONLY));
	while (!access(go, F_OK))
		usleep(20000);
	return NULL;
}

int main(int argc, char **argv)
{
	static char first[] = "/etc/hostname", second[] = "/etc/passwd";
	pthread_t other;

	if (argc > 2 && strcmp(argv[1], "--threads"))
		return born_in(argv[1], argv + 2);
	if (argc != 3)
		errx(2, "usage: into DIR COMMAND [ARG]... | --threads GO");
	go = argv[2];
	if (pthread_create(&other, NULL, opens, second))
		errx(1, "no thread");
	opens(first);
	pthread_join(other, NULL);
	return 0;
}
