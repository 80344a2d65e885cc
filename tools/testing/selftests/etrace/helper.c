// SPDX-License-Identifier: GPL-2.0
/*
 * The program that the tests execute: static, and its exit is its only recorded system call.
 *
 * Ends with status $ETRACE_EXIT, or 0. With $ETRACE_REPORT=FD it first writes to that descriptor
 * what the kernel reports about it: the size of the rest as 8 digits; then, each with a null byte
 * at its end, the path of /proc/self/exe, the working directory, the number of its arguments, and
 * the arguments.
 */
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char buf[32768];
static size_t len = 8;

static void put(const char *s)
{
	size_t n = strlen(s) + 1;

	if (len + n > sizeof(buf))
		_exit(125);
	memcpy(buf + len, s, n);
	len += n;
}

int main(int argc, char **argv)
{
	const char *status = getenv("ETRACE_EXIT");
	const char *report = getenv("ETRACE_REPORT");
	char text[PATH_MAX + 16];
	ssize_t n;
	int i;

	if (report) {
		n = readlink("/proc/self/exe", text, sizeof(text) - 1);
		text[n < 0 ? 0 : n] = '\0';
		put(text);
		put(getcwd(text, sizeof(text)) ? text : "");
		snprintf(text, sizeof(text), "%d", argc);
		put(text);
		for (i = 0; i < argc; i++)
			put(argv[i]);
		snprintf(text, sizeof(text), "%08zu", len - 8);
		memcpy(buf, text, 8);
		if (write(atoi(report), buf, len) != (ssize_t)len)
			_exit(125);
	}
	_exit(status ? atoi(status) : 0);
}
