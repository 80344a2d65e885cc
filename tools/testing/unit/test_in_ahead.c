// SPDX-License-Identifier: GPL-2.0
/*
 * Reading ahead gives the same as reading: bytes, errors and their offsets, from files and from
 * pipes, complete and damaged; and it ends when no more is wanted.
 */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/xalloc.h"
#include "io/in.h"
#include "io/out.h"

#define SIZE (3u << 20)

static uint8_t *data;		/* content of all files */
static char dir[] = "/tmp/in_aheadXXXXXX";

/* Data that vary, but can be compressed. */
static int setup(void **state)
{
	uint64_t x = 1;

	(void)state;
	/* readers close the pipe when they find damage */
	signal(SIGPIPE, SIG_IGN);
	data = xmalloc(SIZE);
	for (size_t i = 0; i < SIZE; i++) {
		x = x * 6364136223846793005u + 1442695040888963407u;
		data[i] = (uint8_t)("abcdefgh\n"[x >> 60 & 7] + (x >> 40 & 7));
	}
	return mkdtemp(dir) ? 0 : -1;
}

static int teardown(void **state)
{
	(void)state;
	free(data);
	return rmdir(dir);
}

static void path_of(char *path, size_t size, const char *name)
{
	snprintf(path, size, "%s/%s", dir, name);
}

/* Everything that can be observed of a stream. */
struct seen {
	uint64_t hash, bytes, at_error;
	int err;
	char why[128];
};

static void fill_pipe(int fd, const char *path, bool slow)
{
	int from = open(path, O_RDONLY);
	char buf[50000];
	ssize_t n;

	while ((n = read(from, buf, slow ? 7001 : sizeof(buf))) > 0)
		for (ssize_t done = 0, got; done < n; done += got) {
			got = write(fd, buf + done, (size_t)(n - done));
			if (got < 0)
				break;
			/*
			 * let readers find less than they ask for; that they wait cannot be
			 * observed
			 */
			if (slow)
				usleep(100);
		}
	close(from);
	close(fd);
}

struct filler {
	int fd;
	const char *path;
	bool slow;
};

static void *filler(void *arg)
{
	struct filler *f = arg;

	fill_pipe(f->fd, f->path, f->slow);
	return NULL;
}

static struct seen look(const char *path, bool ahead, int piped)
{
	struct seen s = { 0 };
	struct filler f = { -1, path, piped > 1 };
	pthread_t thread;
	unsigned int step = 1;
	char name[64];
	int fds[2], err = 0;
	struct in *in;
	size_t have;

	if (piped) {
		assert_int_equal(pipe2(fds, O_CLOEXEC), 0);
		f.fd = fds[1];
		assert_int_equal(pthread_create(&thread, NULL, filler, &f), 0);
		snprintf(name, sizeof(name), "/dev/fd/%d", fds[0]);
		in = in_open(name, &err);
		close(fds[0]);
	} else {
		in = in_open(path, &err);
	}
	assert_non_null(in);
	if (ahead)
		in_read_ahead(in, true);
	for (;;) {
		size_t want = step * 7919 % 200000 + 1;
		const uint8_t *p = in_peek(in, want, &have);

		/* an error is reported after the last bytes, not before */
		if (have >= want && ahead)
			assert_int_equal(in_error(in), 0);
		if (!have)
			break;
		have = have < want ? have : want;
		for (size_t i = 0; i < have; i++)
			s.hash = s.hash * 31 + p[i];
		s.bytes += have;
		in_skip(in, have);
		step++;
	}
	s.at_error = in_offset(in);
	s.err = in_error(in);
	snprintf(s.why, sizeof(s.why), "%s", s.err ? in_why(in) : "");
	in_close(in);
	if (piped)
		pthread_join(thread, NULL);
	return s;
}

static void write_file(const char *path, size_t n)
{
	int err = 0;
	struct out *o = out_create(path, &err);

	assert_non_null(o);
	out_write(o, data, n);
	assert_int_equal(out_close(o), 0);
}

static uint64_t all_alike(const char *path, int want_err)
{
	struct seen first = look(path, false, 0);

	assert_int_equal(first.err, want_err);
	for (int piped = 0; piped < 3; piped++)
		for (int ahead = 0; ahead < 2; ahead++) {
			struct seen s = look(path, ahead, piped);

			assert_int_equal(s.bytes, first.bytes);
			assert_int_equal(s.hash, first.hash);
			assert_int_equal(s.at_error, first.at_error);
			assert_int_equal(s.err, first.err);
			assert_string_equal(s.why, first.why);
		}
	return first.bytes;
}

static const char *const names[] = { "plain", "some.gz", "some.zst" };

static void complete_files(void **state)
{
	static const size_t sizes[] = { 0, 1, 65535, 65536, 65537, 524288, SIZE };
	char path[64];

	(void)state;
	for (size_t k = 0; k < 3; k++) {
		path_of(path, sizeof(path), names[k]);
		for (size_t i = 0; i < sizeof(sizes) / sizeof(*sizes); i++) {
			write_file(path, sizes[i]);
			assert_int_equal(all_alike(path, 0), sizes[i]);
		}
		unlink(path);
	}
}

/* Truncated, and with overwritten bytes. */
static void damaged_files(void **state)
{
	static uint8_t ones[400000];
	char path[64];
	struct stat st;

	(void)state;
	for (size_t k = 1; k < 3; k++) {
		uint64_t bytes;
		int fd;

		path_of(path, sizeof(path), names[k]);
		write_file(path, SIZE);
		assert_int_equal(stat(path, &st), 0);
		assert_int_equal(truncate(path, st.st_size / 2), 0);
		bytes = all_alike(path, -ENODATA);
		assert_true(bytes > SIZE / 4 && bytes < SIZE);
		write_file(path, SIZE);
		fd = open(path, O_WRONLY);
		/* long enough that no block of either format stays intact there */
		memset(ones, 0xff, sizeof(ones));
		assert_int_equal(pwrite(fd, ones, sizeof(ones), st.st_size / 2), sizeof(ones));
		close(fd);
		all_alike(path, -EBADMSG);
		unlink(path);
	}
}

/* A directory can be opened, but not read. */
static void unreadable_files(void **state)
{
	(void)state;
	for (int ahead = 0; ahead < 2; ahead++) {
		struct seen s = look("/", ahead, 0);

		assert_int_equal(s.bytes, 0);
		assert_int_equal(s.err, -EISDIR);
	}
}

/* Closing does not hang if the writer is silent, or if nothing was read. */
static void closed_early(void **state)
{
	const uint8_t *p;
	int fds[2], err = 0;
	char name[64];
	size_t have;

	(void)state;
	for (unsigned int blocks = 0; blocks < 3; blocks++) {
		struct in *in;

		assert_int_equal(pipe2(fds, O_CLOEXEC), 0);
		assert_int_equal(write(fds[1], data, 60000), 60000);
		snprintf(name, sizeof(name), "/dev/fd/%d", fds[0]);
		in = in_open(name, &err);
		assert_non_null(in);
		in_read_ahead(in, true);
		for (unsigned int i = 0; i < blocks; i++) {
			p = in_peek(in, 60000 + i, &have);
			assert_memory_equal(p, data, 60000);
			assert_int_equal(write(fds[1], data, 1000), 1000);
		}
		in_close(in);
		close(fds[0]);
		close(fds[1]);
	}
	/* with all blocks full */
	path_of(name, sizeof(name), "plain");
	write_file(name, SIZE);
	for (unsigned int i = 0; i < 20; i++) {
		struct in *in = in_open(name, &err);

		in_read_ahead(in, true);
		in_peek(in, 100000, &have);
		/* that the blocks are full cannot be observed; closing earlier must work, too */
		if (i > 10)
			usleep(1000);
		in_close(in);
	}
	unlink(name);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(complete_files),
		cmocka_unit_test(damaged_files),
		cmocka_unit_test(unreadable_files),
		cmocka_unit_test(closed_early),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
