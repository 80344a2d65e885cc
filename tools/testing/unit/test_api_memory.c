// SPDX-License-Identifier: GPL-2.0
/*
 * Memory that runs out while another program reads a trace, at the first
 * allocation, at the second, and so on: the handle is dead, the process is not,
 * and files are closed.
 */
#include <dirent.h>
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* How many more allocations succeed; -1: all. */
static long left = -1;

static void *counted(void *p)
{
	if (left > 0)
		left--;
	return p;
}

static void *scarce_malloc(size_t n)
{
	return left ? counted(malloc(n)) : NULL;
}

static void *scarce_calloc(size_t n, size_t size)
{
	return left ? counted(calloc(n, size)) : NULL;
}

static void *scarce_realloc(void *p, size_t n)
{
	return left ? counted(realloc(p, n)) : NULL;
}

/* These are linked in place of the library's. */
#define malloc(n)	scarce_malloc(n)
#define calloc(n, size)	scarce_calloc(n, size)
#define realloc(p, n)	scarce_realloc(p, n)
#include "base/xalloc.c"
#include "api/read.c"
#undef malloc
#undef calloc
#undef realloc

#include "common_convert.h"

/* What was in the middle of a change is not given back. */
const char *__asan_default_options(void);
const char *__asan_default_options(void)
{
	return "detect_leaks=0";
}

static unsigned int open_files(void)
{
	DIR *d = opendir("/proc/self/fd");
	unsigned int n = 0;

	assert_non_null(d);
	while (readdir(d))
		n++;
	closedir(d);
	return n;
}

/* What can be asked of a dead handle. */
static void assert_dead(struct etrace *t)
{
	const struct etrace_event *ev = (const struct etrace_event *)t;
	int damage;
	uint64_t n;

	assert_int_equal(etrace_next(t, &ev), -ENOMEM);
	assert_null(ev);
	assert_int_equal(etrace_set_pid_bits(t, 22), -ENOMEM);
	assert_int_equal(etrace_complete(t), 0);
	assert_null(etrace_damage(t, 0, &n, &damage));
	assert_null(etrace_task(t, 1));
	assert_null(etrace_task_next(t, NULL));
}

/* Return: 0 or -ENOMEM; @used: allocations. */
static int read_with(const char *path, long room, long *used, size_t *events)
{
	unsigned int files = open_files();
	const struct etrace_event *ev;
	struct etrace *t;
	int ret;

	*events = 0;
	left = room;
	ret = etrace_open(&path, 1, &t);
	if (!ret)
		while ((ret = etrace_next(t, &ev)) > 0)
			++*events;
	*used = room - left;
	left = -1;
	if (ret && t)
		assert_dead(t);
	etrace_close(t);
	assert_int_equal(open_files(), files);
	return ret;
}

static void run_out(const char *name)
{
	const char *data = getenv("ETRACE_DATA");
	size_t whole, events;
	char path[4096];
	long all, unused;

	snprintf(path, sizeof(path), "%s/%s", data ? data : "data", name);
	assert_int_equal(read_with(path, 1000000, &all, &whole), 0);
	assert_true(all > 5 && all < 1000000 && whole > 10);
	/* of many, some */
	for (long n = 0; n < all; n += 1 + all / 400) {
		if (read_with(path, n, &unused, &events) != -ENOMEM || events > whole)
			fail_msg("%s: %ld of %ld allocations are enough", name, n, all);
	}
	assert_int_equal(read_with(path, all, &unused, &events), 0);
	assert_int_equal(events, whole);
}

static void reading(void **state)
{
	(void)state;
	run_out("etrace/hello.etrace");
	run_out("etrace/first.trace");
	run_out("mapping/v1.fxt");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(reading),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
