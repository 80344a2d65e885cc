// SPDX-License-Identifier: LGPL-2.1
/* Where programs and directories lie.  See look.h. */
#include "strace/look.h"

#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Bytes of a file's beginning that the kernel looks at: include/uapi/linux/binfmts.h */
#define FIRST_BYTES 256

static bool is_blank(char c)
{
	return c == ' ' || c == '\t';
}

/* "#!/bin/sh -e": the program and, as one, all that follows it */
static void read_first_line(const char *file, char *interp, char *arg, size_t size)
{
	char line[FIRST_BYTES + 1], *s = line + 2, *end;
	int fd = open(file, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	ssize_t n = fd < 0 ? -1 : read(fd, line, FIRST_BYTES);

	*interp = *arg = 0;
	if (fd >= 0)
		close(fd);
	if (n < 3 || line[0] != '#' || line[1] != '!')
		return;
	line[n] = 0;
	end = s + strcspn(s, "\n");
	while (end > s && is_blank(end[-1]))
		end--;
	*end = 0;
	while (is_blank(*s))
		s++;
	end = s + strcspn(s, " \t");
	if ((size_t)(end - s) >= size)
		return;
	memcpy(interp, s, (size_t)(end - s));
	interp[end - s] = 0;
	while (is_blank(*end))
		end++;
	if (strlen(end) < size)
		strcpy(arg, end);
}

static bool find(const char *name, char *path, size_t size)
{
	char *real = realpath(name, NULL);
	bool good = real && strlen(real) < size;

	if (good)
		strcpy(path, real);
	free(real);
	return good;
}

static bool look_program(void *ctx, const char *name, char *path, char *interp, char *arg,
			 size_t size)
{
	(void)ctx;
	if (!find(name, path, size))
		return false;
	read_first_line(path, interp, arg, size);
	return true;
}

static bool look_directory(void *ctx, const char *name, char *path, size_t size)
{
	(void)ctx;
	return find(name, path, size);
}

const struct st_asks look_asks = { NULL, look_program, look_directory };
