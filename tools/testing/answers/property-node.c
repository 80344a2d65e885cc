// SPDX-License-Identifier: GPL-2.0
/*
 * A program of a random graph: performs its arguments in their order.
 * What it writes does not matter, only that it writes something.
 *
 *   in=PATH map=PATH stdin	read PATH, with read or mmap, or descriptor 0
 *   out=PATH add=PATH stdout	write: truncate PATH, append to it, to descriptor 1
 *   send=PATH			copy PATH to descriptor 1 with sendfile
 *   to=PATH			make PATH descriptor 1, with open and dup2
 *   mv=PATH ln=PATH		rename or link PATH to the next argument
 *   fork thread vfork		the rest is done in a child, a thread, after an execve
 */
#define _GNU_SOURCE
#include <err.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static char *self;

static int opened(const char *path, int flags)
{
	int fd = open(path, flags | O_CLOEXEC, 0644);

	if (fd < 0)
		err(2, "%s", path);
	return fd;
}

static void take(int fd)
{
	char data[4096];

	while (read(fd, data, sizeof(data)) > 0)
		;
}

static void give(int fd)
{
	if (write(fd, "data\n", 5) != 5)
		err(2, "write");
}

static void map(const char *path)
{
	int fd = opened(path, O_RDONLY);
	const char *data = mmap(NULL, 1, PROT_READ, MAP_PRIVATE, fd, 0);

	if (data == MAP_FAILED)
		err(2, "mmap %s", path);
	if (!*data)
		errx(2, "%s: not text", path);
	close(fd);
}

static void onto_stdout(const char *path)
{
	int fd = opened(path, O_WRONLY | O_CREAT | O_TRUNC);

	if (dup2(fd, 1) < 0)
		err(2, "dup2");
	close(fd);
}

static void ended_well(pid_t child)
{
	int status;

	if (child < 0 || waitpid(child, &status, 0) != child || status)
		errx(2, "a child failed");
}

static void *run(void *args);

static void in_another(char **args)
{
	pthread_t thread;
	pid_t child;

	if (!strcmp(*args, "thread")) {
		if (pthread_create(&thread, NULL, run, args + 1))
			errx(2, "no thread");
		pthread_join(thread, NULL);
		return;
	}
	child = *args[0] == 'v' ? vfork() : fork();
	if (!child && *args[0] == 'v') {
		/* "vfork" becomes argv[0]. */
		execv(self, args);
		_exit(127);
	}
	if (!child) {
		run(args + 1);
		_exit(0);
	}
	ended_well(child);
}

static void one(const char *what, const char *path, char **next)
{
	int fd;

	if (!strcmp(what, "in") || !strcmp(what, "send")) {
		fd = opened(path, O_RDONLY);
		if (*what == 'i')
			take(fd);
		else if (sendfile(1, fd, NULL, 4096) < 0)
			err(2, "sendfile");
		close(fd);
	} else if (!strcmp(what, "map")) {
		map(path);
	} else if (!strcmp(what, "out") || !strcmp(what, "add")) {
		fd = opened(path, O_WRONLY | O_CREAT | (*what == 'o' ? O_TRUNC : O_APPEND));
		give(fd);
		close(fd);
	} else if (!strcmp(what, "to")) {
		onto_stdout(path);
	} else if (!strcmp(what, "mv") ? rename(path, *next) : link(path, *next)) {
		err(2, "%s %s", what, path);
	}
}

static void *run(void *p)
{
	char **args = p, *path;

	for (; *args; args++) {
		path = strchr(*args, '=');
		if (path) {
			char *what = strndup(*args, (size_t)(path - *args));

			one(what, path + 1, args + 1);
			if (!strcmp(what, "mv") || !strcmp(what, "ln"))
				args++;
			free(what);
		} else if (!strcmp(*args, "stdin")) {
			take(0);
		} else if (!strcmp(*args, "stdout")) {
			give(1);
		} else {
			in_another(args);
			return NULL;
		}
	}
	return NULL;
}

int main(int argc, char **argv)
{
	if (argc < 1)
		return 2;
	self = "/proc/self/exe";
	run(argv + 1);
	return 0;
}
