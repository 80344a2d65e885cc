// SPDX-License-Identifier: GPL-2.0
/*
 * Memory runs out while another program reads a trace: at the first allocation, at the
 * second, and so on.  The handle becomes unusable, the process goes on, and files are closed.
 */
#include <dirent.h>
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>
#include <zstd.h>
#include <zstd_errors.h>

#include <cmocka.h>

/* How many more allocations succeed before one fails; -1: all. */
static long left = -1;

static int enough(void)
{
	if (left < 0)
		return 1;
	return left-- > 0;
}

static void *scarce_malloc(size_t n)
{
	return enough() ? malloc(n) : NULL;
}

static void *scarce_calloc(size_t n, size_t size)
{
	return enough() ? calloc(n, size) : NULL;
}

static void *scarce_realloc(void *p, size_t n)
{
	return enough() ? realloc(p, n) : NULL;
}

/* Included with these, in place of the library's files. */
#define malloc(n)	scarce_malloc(n)
#define calloc(n, size)	scarce_calloc(n, size)
#define realloc(p, n)	scarce_realloc(p, n)
#include "base/xalloc.c"
#include "api/read.c"
#undef malloc
#undef calloc
#undef realloc

/* Decompression allocates memory of its own. */
static int scarce_inflate_init(z_stream *gz, int bits)
{
	return enough() ? inflateInit2(gz, bits) : Z_MEM_ERROR;
}

static int scarce_inflate(z_stream *gz, int flush)
{
	return enough() ? inflate(gz, flush) : Z_MEM_ERROR;
}

static ZSTD_DStream *scarce_dstream(void)
{
	return enough() ? ZSTD_createDStream() : NULL;
}

static size_t scarce_expand(ZSTD_DStream *zst, ZSTD_outBuffer *dst, ZSTD_inBuffer *src)
{
	return enough() ? ZSTD_decompressStream(zst, dst, src) :
		      (size_t)-(ssize_t)ZSTD_error_memory_allocation;
}

#undef inflateInit2
#define inflateInit2(gz, bits)			scarce_inflate_init(gz, bits)
#define inflate(gz, flush)			scarce_inflate(gz, flush)
#define ZSTD_createDStream()			scarce_dstream()
#define ZSTD_decompressStream(zst, dst, src)	scarce_expand(zst, dst, src)
#include "io/in_feed.c"

#include "common_convert.h"

/* What was being changed when memory ran out is leaked. */
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

/* Everything that can be called on a dead handle. */
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

/* Return: 0 or -ENOMEM; @used: number of allocations. */
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

static void run_out_of(const char *path)
{
	size_t whole, events;
	long all, unused;

	assert_int_equal(read_with(path, 1000000, &all, &whole), 0);
	assert_true(all > 5 && all < 1000000 && whole > 10);
	/* try at most about 400 of them */
	for (long n = 0; n < all; n += 1 + all / 400) {
		if (read_with(path, n, &unused, &events) != -ENOMEM || events > whole)
			fail_msg("%s: %ld of %ld allocations are enough", path, n, all);
	}
	assert_int_equal(read_with(path, all, &unused, &events), 0);
	assert_int_equal(events, whole);
}

static void run_out(const char *name)
{
	const char *data = getenv("ETRACE_DATA");
	char path[4096];

	snprintf(path, sizeof(path), "%s/%s", data ? data : "data", name);
	run_out_of(path);
}

static void out_of_memory_while_decompressing(void **state)
{
	char dir[] = "/tmp/test_api_memory.XXXXXX", path[64];
	struct bytes b = fixture("etrace/hello.etrace");
	size_t n = ZSTD_compressBound(b.n);
	uint8_t *packed = malloc(n);
	gzFile gz;
	FILE *f;

	(void)state;
	assert_non_null(packed);
	assert_non_null(mkdtemp(dir));
	snprintf(path, sizeof(path), "%s/trace", dir);
	gz = gzopen(path, "wb");
	assert_int_equal(gzwrite(gz, b.data, (unsigned int)b.n), b.n);
	assert_int_equal(gzclose(gz), Z_OK);
	run_out_of(path);
	n = ZSTD_compress(packed, n, b.data, b.n, 3);
	f = fopen(path, "wb");
	assert_non_null(f);
	assert_int_equal(fwrite(packed, 1, n, f), n);
	assert_int_equal(fclose(f), 0);
	run_out_of(path);
	unlink(path);
	rmdir(dir);
	free(packed);
	bytes_free(&b);
}

static void out_of_memory_while_reading(void **state)
{
	(void)state;
	run_out("etrace/hello.etrace");
	run_out("etrace/first.trace");
	run_out("mapping/v1.fxt");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(out_of_memory_while_reading),
		cmocka_unit_test(out_of_memory_while_decompressing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
