// SPDX-License-Identifier: GPL-2.0
/* Keeps the output of a command while a view uses its terminal.  See aside.h. */
#include "cli/aside.h"
#include "base/xalloc.h"
#include "cli/etrace.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <unistd.h>

/* Bytes that a writable terminal takes without blocking. */
#define PART 1024u
/* Maximum number of parts to show at a time, before the recorder does other work. */
#define PARTS_MAX 64u

struct aside {
	int fd;			/* descriptor of the file, opened for appending */
	int terminal;		/* our standard output or error */
	off_t shown;
};

static int temporary_file(void)
{
	const char *dir = getenv("TMPDIR");
	char name[4096];
	int fd;

	dir = dir && *dir ? dir : "/tmp";
	fd = open(dir, O_TMPFILE | O_RDWR | O_APPEND | O_CLOEXEC, 0600);
	if (fd >= 0)
		return fd;
	/* not every file system has O_TMPFILE */
	snprintf(name, sizeof(name), "%s/etrace-output-XXXXXX", dir);
	fd = mkostemp(name, O_APPEND | O_CLOEXEC);
	if (fd >= 0)
		unlink(name);
	return fd;
}

struct aside *aside_new(void)
{
	int terminal = isatty(STDOUT_FILENO) ? STDOUT_FILENO :
		       isatty(STDERR_FILENO) ? STDERR_FILENO : -1;
	struct aside *a;

	if (terminal < 0)
		return NULL;
	a = xcalloc(1, sizeof(*a));
	a->terminal = terminal;
	a->fd = temporary_file();
	if (a->fd >= 0)
		return a;
	say("top: cannot create a file for the command's output: %s; set TMPDIR to a writable directory",
	    strerror(errno));
	free(a);
	return NULL;
}

void aside_take(const struct aside *a)
{
	int none;

	if (!a)
		return;
	for (int fd = STDOUT_FILENO; fd <= STDERR_FILENO; fd++)
		if (isatty(fd))
			dup2(a->fd, fd);
	if (!isatty(STDIN_FILENO))
		return;
	none = open("/dev/null", O_RDONLY);
	if (none > STDIN_FILENO) {
		dup2(none, STDIN_FILENO);
		close(none);
	}
}

void aside_show(struct aside *a, bool all)
{
	struct pollfd ready = { .fd = a->terminal, .events = POLLOUT };
	char text[PART];
	ssize_t n, done;

	for (unsigned int i = 0; all || i < PARTS_MAX; i++) {
		if (!all && (poll(&ready, 1, 0) <= 0 || !(ready.revents & POLLOUT)))
			return;
		n = pread(a->fd, text, sizeof(text), a->shown);
		if (n <= 0)
			return;
		done = write(a->terminal, text, (size_t)n);
		if (done < 0 && errno != EINTR)
			return;
		a->shown += done > 0 ? done : 0;
	}
}

void aside_free(struct aside *a)
{
	if (!a)
		return;
	aside_show(a, true);
	close(a->fd);
	free(a);
}
