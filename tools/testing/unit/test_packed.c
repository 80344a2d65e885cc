// SPDX-License-Identifier: GPL-2.0
/*
 * Compressed files: what is written can be read back, what was synced can be read while the
 * rest is still to come, and truncation and damage are reported.
 */
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "common_convert.h"
#include "io/in.h"
#include "io/out.h"

static char path[64];
static const char *const ends[] = { "", ".gz", ".zst" };
/* the first bytes of a file */
static const char *const magic[] = { "", "\x1f\x8b", "\x28\xb5\x2f\xfd" };

/* Compressible text. */
static struct bytes text(size_t n)
{
	struct bytes b = { 0 };
	uint64_t x = 1;
	char line[64];

	bytes_add(&b, NULL, 0);
	while (b.n < n) {
		x = x * 6364136223846793005 + 1442695040888963407;
		bytes_add(&b, line, (size_t)snprintf(line, sizeof(line), "%llx %zu\n",
						     (unsigned long long)(x >> 24), b.n));
	}
	return b;
}

static struct out *create(const char *end, int flags)
{
	int fd = open(path, O_WRONLY | O_CREAT | flags, 0600);
	char name[80];

	assert_true(fd >= 0);
	snprintf(name, sizeof(name), "%s%s", path, end);
	return out_named(fd, name);
}

/* Read the whole file in steps of @step bytes. Return: in_error() at its end. */
static int read_all(struct bytes *b, size_t step)
{
	int err = 0;
	struct in *in = in_open(path, &err);
	size_t have;

	assert_non_null(in);
	for (;;) {
		const uint8_t *p = in_peek(in, step, &have);

		if (!have)
			break;
		assert_int_equal(in_offset(in), b->n);
		if (have > step)
			have = step;
		bytes_add(b, p, have);
		in_skip(in, have);
	}
	assert_int_equal(in_offset(in), b->n);
	err = in_error(in);
	if (err)
		assert_non_null(in_why(in));
	in_close(in);
	return err;
}

static struct bytes raw(void)
{
	struct bytes b = { 0 };
	char buf[4096];
	FILE *f = fopen(path, "rb");
	size_t n;

	assert_non_null(f);
	bytes_add(&b, NULL, 0);
	while ((n = fread(buf, 1, sizeof(buf), f)) > 0)
		bytes_add(&b, buf, n);
	fclose(f);
	return b;
}

static void store(const void *data, size_t n)
{
	FILE *f = fopen(path, "wb");

	assert_non_null(f);
	assert_int_equal(fwrite(data, 1, n, f), n);
	assert_int_equal(fclose(f), 0);
}

static void round_trips(void **state)
{
	static const size_t steps[] = { 1, 7, 4096, 65536, 300000 };
	struct bytes want = text(400000);

	(void)state;
	for (size_t k = 0; k < 3; k++) {
		for (size_t i = 0; i < sizeof(steps) / sizeof(steps[0]); i++) {
			size_t n = i ? want.n : 1000;
			struct out *o = create(ends[k], O_TRUNC);
			struct bytes got = { 0 }, file;

			for (size_t at = 0; at < n; at += steps[i])
				assert_int_equal(out_write(o, want.data + at,
							   n - at < steps[i] ? n - at : steps[i]), 0);
			assert_int_equal(out_bytes(o), n);
			assert_int_equal(out_close(o), 0);
			file = raw();
			assert_memory_equal(file.data, magic[k], strlen(magic[k]));
			assert_true(k ? file.n < n : file.n == n);
			bytes_free(&file);
			bytes_add(&got, NULL, 0);
			assert_int_equal(read_all(&got, steps[i]), 0);
			assert_int_equal(got.n, n);
			assert_memory_equal(got.data, want.data, n);
			bytes_free(&got);
		}
	}
	bytes_free(&want);
}

/* Synced data can be read; the file counts as truncated until it is closed. */
static void synced_data_is_readable(void **state)
{
	struct bytes want = text(30000);

	(void)state;
	for (size_t k = 0; k < 3; k++) {
		struct out *o = create(ends[k], O_TRUNC);
		struct bytes before, after;

		for (size_t n = 10000; n <= 30000; n += 10000) {
			struct bytes got = { 0 };

			bytes_add(&got, NULL, 0);
			out_write(o, want.data + n - 10000, 10000);
			assert_int_equal(out_sync(o), 0);
			assert_int_equal(read_all(&got, 512), k ? -ENODATA : 0);
			assert_int_equal(got.n, n);
			assert_memory_equal(got.data, want.data, n);
			bytes_free(&got);
		}
		/* syncing without new data writes nothing */
		before = raw();
		assert_int_equal(out_sync(o), 0);
		after = raw();
		assert_int_equal(after.n, before.n);
		bytes_free(&before);
		bytes_free(&after);
		assert_int_equal(out_close(o), 0);
	}
	bytes_free(&want);
}

/* Incompressible data needs several chunks in every call. */
static void incompressible_data(void **state)
{
	struct bytes want = { 0 };
	uint64_t x = 1;

	(void)state;
	while (want.n < 1 << 20) {
		x = x * 6364136223846793005 + 1442695040888963407;
		bytes_add(&want, (char *)&x + 4, 4);
	}
	for (size_t k = 0; k < 3; k++) {
		struct out *o = create(ends[k], O_TRUNC);
		struct bytes got = { 0 };

		assert_int_equal(out_write(o, want.data, want.n), 0);
		assert_int_equal(out_sync(o), 0);
		assert_int_equal(read_all(&got, 4096), k ? -ENODATA : 0);
		assert_int_equal(got.n, want.n);
		assert_memory_equal(got.data, want.data, want.n);
		bytes_free(&got);
		assert_int_equal(out_write(o, want.data, want.n), 0);
		assert_int_equal(out_close(o), 0);
		assert_int_equal(read_all(&got, 4096), 0);
		assert_int_equal(got.n, 2 * want.n);
		assert_memory_equal(got.data + want.n, want.data, want.n);
		bytes_free(&got);
	}
	bytes_free(&want);
}

/* Concatenated compressed files read as one. */
static void concatenated_files(void **state)
{
	(void)state;
	for (size_t k = 0; k < 3; k++) {
		struct bytes got = { 0 };
		struct out *o = create(ends[k], O_TRUNC);

		bytes_add(&got, NULL, 0);
		out_puts(o, "one ");
		assert_int_equal(out_close(o), 0);
		o = create(ends[k], O_APPEND);
		out_puts(o, "two");
		assert_int_equal(out_close(o), 0);
		assert_int_equal(read_all(&got, 64), 0);
		assert_string_equal(got.data, "one two");
		bytes_free(&got);
	}
}

static void truncated_and_damaged(void **state)
{
	struct bytes want = text(20000);

	(void)state;
	for (size_t k = 1; k < 3; k++) {
		struct out *o = create(ends[k], O_TRUNC);
		struct bytes file;

		out_write(o, want.data, want.n);
		assert_int_equal(out_close(o), 0);
		file = raw();
		for (size_t n = 4; n < file.n; n += file.n / 20) {
			struct bytes got = { 0 };

			bytes_add(&got, NULL, 0);
			store(file.data, n);
			assert_int_equal(read_all(&got, 4096), -ENODATA);
			assert_true(got.n < want.n || n > file.n - 16);
			assert_memory_equal(got.data, want.data, got.n);
			bytes_free(&got);
		}
		/* zstd frames have no checksum here: damage the header of the first block */
		for (size_t at = k == 1 ? file.n / 2 : 6; at < file.n; at += file.n) {
			struct bytes got = { 0 };

			bytes_add(&got, NULL, 0);
			memset(file.data + at, 0xff, 200);
			store(file.data, file.n);
			assert_int_equal(read_all(&got, 4096), -EBADMSG);
			bytes_free(&got);
		}
		bytes_free(&file);
	}
	bytes_free(&want);
}

/* Shorter than a magic number, or with an unknown one. */
static void short_files(void **state)
{
	static const char *const files[] = { "", "a", "\x1f", "\x28\xb5\x2f", "\x28\xb5\x2f\xfe", "abcdef" };

	(void)state;
	for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++) {
		struct bytes got = { 0 };

		bytes_add(&got, NULL, 0);
		store(files[i], strlen(files[i]));
		assert_int_equal(read_all(&got, 16), 0);
		assert_string_equal(got.data, files[i]);
		bytes_free(&got);
	}
}

static void format_by_suffix(void **state)
{
	static const char *const names[][2] = {
		{ "a.json.gz", "json" }, { "a.json.zst", "json" }, { "a.json", "json" },
		{ "a.b.etrace", "etrace" }, { "dir.d/a", "" }, { "dir.d/a.gz", "" },
		{ ".gz", "" }, { "a.", "" }, { ".fxt", "fxt" }, { "d/.fxt", "fxt" }, { "a.gz.b", "b" },
		{ "a.xz", "xz" }, { "", "" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		size_t len = 99;
		const char *s = out_suffix(names[i][0], &len);

		if (len != strlen(names[i][1]) || memcmp(s, names[i][1], len))
			fail_msg("%s: %.*s", names[i][0], (int)len, s);
	}
}

static void long_formats(void **state)
{
	struct bytes want = text(10000);
	struct out *o = out_mem();
	size_t n;

	(void)state;
	assert_int_equal(out_printf(o, "<%s>", want.data), 0);
	out_u64(o, UINT64_MAX);
	out_puts(o, " ");
	out_i64(o, INT64_MIN);
	out_puts(o, " ");
	out_u64(o, 0);
	assert_memory_equal((const char *)out_mem_data(o, &n) + 1, want.data, want.n);
	assert_int_equal(n, out_bytes(o));
	assert_memory_equal((const char *)out_mem_data(o, &n) + want.n + 1,
			    ">18446744073709551615 -9223372036854775808 0", n - want.n - 1);
	assert_int_equal(n - want.n - 1, 44);
	out_close(o);
	bytes_free(&want);
}

/* Wait until a process sleeps; only polling can tell. */
static void wait_for_sleep(pid_t pid)
{
	char path[40], line[400], *name_end;

	snprintf(path, sizeof(path), "/proc/%d/stat", (int)pid);
	do {
		FILE *f = fopen(path, "r");

		usleep(1000);
		if (!f || !fgets(line, sizeof(line), f))
			_exit(1);
		fclose(f);
		name_end = strrchr(line, ')');
	} while (!name_end || name_end[2] != 'S');
}

/* Writing waits for a full pipe only, although standard output is readable here. */
static void full_pipe(void **state)
{
	struct bytes want = text(300000), got = { 0 };
	int p[2], saved, event = eventfd(1, 0), status;
	struct out *o;
	pid_t child;

	(void)state;
	assert_int_equal(pipe(p), 0);
	fflush(stdout);
	child = fork();
	if (!child) {
		char buf[4096];
		ssize_t n;

		close(p[1]);
		wait_for_sleep(getppid());
		while ((n = read(p[0], buf, sizeof(buf))) > 0)
			bytes_add(&got, buf, (size_t)n);
		_exit(got.n != want.n || memcmp(got.data, want.data, want.n));
	}
	close(p[0]);
	fcntl(p[1], F_SETFL, O_NONBLOCK);
	saved = dup(STDOUT_FILENO);
	dup2(event, STDOUT_FILENO);
	o = out_fd(p[1], 1);
	out_write(o, want.data, want.n);
	status = out_close(o);
	dup2(saved, STDOUT_FILENO);
	assert_int_equal(status, 0);
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_int_equal(status, 0);
	close(saved);
	close(event);
	bytes_free(&want);
}

/* The first error persists, and out_close() returns it. */
static void full_disk(void **state)
{
	struct bytes want = text(300000);

	(void)state;
	for (size_t k = 0; k < 3; k++) {
		struct out *o = out_named(open("/dev/full", O_WRONLY), ends[k]);

		for (int i = 0; i < 10; i++)
			out_write(o, want.data, want.n);
		assert_int_equal(out_flush(o), -ENOSPC);
		assert_int_equal(out_error(o), -ENOSPC);
		assert_int_equal(out_sync(o), -ENOSPC);
		assert_int_equal(out_puts(o, "more"), -ENOSPC);
		assert_int_equal(out_close(o), -ENOSPC);
	}
	bytes_free(&want);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(round_trips),
		cmocka_unit_test(synced_data_is_readable),
		cmocka_unit_test(incompressible_data),
		cmocka_unit_test(concatenated_files),
		cmocka_unit_test(truncated_and_damaged),
		cmocka_unit_test(short_files),
		cmocka_unit_test(format_by_suffix),
		cmocka_unit_test(long_formats),
		cmocka_unit_test(full_pipe),
		cmocka_unit_test(full_disk),
	};
	int status;

	snprintf(path, sizeof(path), "/tmp/etrace-packed-%d", (int)getpid());
	status = cmocka_run_group_tests_name("compressed files", tests, NULL, NULL);
	unlink(path);
	return status;
}
