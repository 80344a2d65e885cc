// SPDX-License-Identifier: GPL-2.0
/*
 * The outputs of a recording: locks, queues, and the fault that is reported if a file does
 * not hold what was written.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>
#include <zlib.h>

#include <cmocka.h>

#include "common_convert.h"
#include "event/event.h"
#include "io/in.h"
#include "format/outputs.h"
#include "base/xalloc.h"

#define MANY (1ull << 40)
#define PIPE_ROOM 65536u

static char dir[] = "/tmp/etrace-outputs.XXXXXX";
static struct opts opts;
static unsigned int failures;	/* counted by failed() */

static int enter(void **state)
{
	(void)state;
	failures = 0;
	strcpy(dir + strlen(dir) - 6, "XXXXXX");
	assert_non_null(mkdtemp(dir));
	assert_int_equal(chdir(dir), 0);
	return 0;
}

static int leave(void **state)
{
	char command[128];

	(void)state;
	snprintf(command, sizeof(command), "rm -rf %s", dir);
	assert_int_equal(chdir("/"), 0);
	return system(command);
}

/* write() of the C library, except that it hangs for one file, as it may on a network. */
static dev_t hung_dev;
static ino_t hung_ino;

/* A thread that reports its end on slow_fd runs on for a while; slow_threads counts those done. */
static int slow_fd = -1;
static _Atomic unsigned int slow_threads;

ssize_t write(int fd, const void *data, size_t n)
{
	struct stat st;
	ssize_t ret;

	while (hung_ino && !fstat(fd, &st) && st.st_ino == hung_ino && st.st_dev == hung_dev)
		pause();
	ret = syscall(SYS_write, fd, data, n);
	if (fd == slow_fd && gettid() != getpid()) {
		usleep(200000);
		slow_threads++;
	}
	return ret;
}

/* ---- outputs ---- */

static void failed(void *ctx, const char *path, const char *fault)
{
	(void)ctx;
	assert_non_null(path);
	assert_true(*fault != 0);
	failures++;
}

/* Return: the reason for a failure, "" on success. */
static const char *add(struct outputs *o, const char *path, const char *to)
{
	static char why[512];

	bool good;

	why[0] = 0;
	good = outputs_add(o, path, to, why, sizeof(why));
	assert_int_equal(good, !*why);
	return why;
}

/* Start outputs; the list of names ends with NULL. */
static struct outputs *begin(uint64_t limit, struct sink **sink, ...)
{
	struct outputs *o = outputs_new(limit, failed, NULL);
	const char *path;
	char why[512];
	va_list ap;

	va_start(ap, sink);
	while ((path = va_arg(ap, const char *)))
		assert_string_equal(add(o, path, NULL), "");
	va_end(ap);
	assert_true(outputs_empty(o, why, sizeof(why)));
	*sink = outputs_sink(o, &opts, "session");
	assert_non_null(*sink);
	outputs_appear(o);
	return o;
}

static void make(struct et_event *ev, unsigned int i)
{
	char name[200];

	memset(name, 'x', sizeof(name));
	et_reset(ev, ET_K_OPEN, 7, 0, 1000 + i);
	et_add_string(ev, ET_S_OPEN_name, name, sizeof(name));
}

static void put(struct sink *s, unsigned int from, unsigned int n)
{
	struct et_event ev;

	et_init(&ev);
	for (unsigned int i = from; i < from + n; i++) {
		make(&ev, i);
		assert_int_equal(sink_item(s, &ev), 0);
	}
	et_fini(&ev);
}

static void wait_for_end(struct outputs *o)
{
	struct pollfd fd = { .fd = outputs_fd(o), .events = POLLIN };

	outputs_end(o);
	while (!outputs_ended(o))
		assert_int_equal(poll(&fd, 1, 60000), 1);
}

/* Close @o: its only output must have this fault. */
static void assert_fault(struct outputs *o, const char *fault)
{
	assert_int_equal(outputs_close(o), 1);
	assert_non_null(outputs_fault(o, 0));
	if (!strstr(outputs_fault(o, 0), fault))
		fail_msg("\"%s\", expected \"%s\"", outputs_fault(o, 0), fault);
	outputs_free(o);
}

/* ---- files ---- */

static void write_file(const char *path, const char *text)
{
	FILE *f = fopen(path, "w");

	assert_non_null(f);
	fputs(text, f);
	fclose(f);
}

/* Read a file, decompressed. */
static struct bytes read_file(const char *path)
{
	struct bytes b = { 0 };
	const uint8_t *data;
	struct in *in;
	size_t n;
	int err;

	bytes_add(&b, NULL, 0);
	in = in_open(path, &err);
	assert_non_null(in);
	while ((data = in_peek(in, 1, &n)) && n) {
		bytes_add(&b, data, n);
		in_skip(in, n);
	}
	in_close(in);
	return b;
}

static void assert_file(const char *path, const char *text)
{
	struct bytes b = read_file(path);

	assert_string_equal(b.data, text);
	bytes_free(&b);
}

/* A pipe that is not read, or only at the end. */
static int make_pipe(const char *path)
{
	int fd;

	assert_int_equal(mkfifo(path, 0600), 0);
	fd = open(path, O_RDONLY | O_NONBLOCK);
	assert_true(fd >= 0);
	return fd;
}

/* Append the content of a pipe to @b. */
static void drain(int fd, struct bytes *b)
{
	char buf[4096];
	ssize_t n;

	bytes_add(b, NULL, 0);
	while ((n = read(fd, buf, sizeof(buf))) > 0)
		bytes_add(b, buf, (size_t)n);
}

static void drain_to_end(struct outputs *o, int fd, struct bytes *b)
{
	outputs_end(o);
	while (!outputs_ended(o))
		drain(fd, b);
	drain(fd, b);
}

/* ---- the tests ---- */

static void test_complete_outputs(void **state)
{
	struct bytes plain, packed;
	struct sink *s;
	struct outputs *o = begin(MANY, &s, "a.etrace", "b.etrace.gz", "c.etrace.zst", "d.fxt",
				  "e.json", NULL);

	(void)state;
	put(s, 0, 3000);
	outputs_sync(o);
	put(s, 3000, 3000);
	wait_for_end(o);
	assert_int_equal(outputs_close(o), 0);
	outputs_free(o);
	assert_int_equal(failures, 0);
	plain = read_file("a.etrace");
	assert_int_equal(count_lines(&plain, "!FN|"), 6000);
	packed = read_file("b.etrace.gz");
	assert_string_equal(packed.data, plain.data);
	bytes_free(&packed);
	packed = read_file("c.etrace.zst");
	assert_string_equal(packed.data, plain.data);
	bytes_free(&packed);
	bytes_free(&plain);
	plain = read_file("e.json");
	assert_int_equal(count_lines(&plain, "{\"event\":"), 6000);
	bytes_free(&plain);
}

/* Data that a "view" output leaves out is still in the other outputs. */
static void test_view_output(void **state)
{
	struct bytes all, view;
	struct sink *s;
	struct outputs *o = begin(MANY, &s, "a.fxt", "a.view.fxt.gz", "b.fxt", NULL);

	(void)state;
	/* opens for reading */
	put(s, 0, 3000);
	wait_for_end(o);
	assert_int_equal(outputs_close(o), 0);
	outputs_free(o);
	view = read_file("a.view.fxt.gz");
	assert_in_range(view.n, 100, 3000);
	bytes_free(&view);
	for (unsigned int i = 0; i < 2; i++) {
		all = read_file(i ? "a.fxt" : "b.fxt");
		assert_true(all.n > 3000 * 16);
		bytes_free(&all);
	}
}

/* outputs_sync() writes queued data to the file before its end. */
static void test_sync(void **state)
{
	struct sink *s;
	struct outputs *o = begin(MANY, &s, "a.etrace", "b.etrace.gz", NULL);
	struct bytes b;

	(void)state;
	put(s, 0, 10);
	outputs_sync(o);
	outputs_settle(o, 60000);
	assert_int_equal(outputs_waiting(o), 0);
	b = read_file("a.etrace");
	assert_int_equal(count_lines(&b, "!FN|"), 10);
	bytes_free(&b);
	outputs_free(o);
}

static void test_same_file_refused(void **state)
{
	struct outputs *o = outputs_new(MANY, failed, NULL);
	int fd = make_pipe("pipe.json");

	(void)state;
	write_file("a.fxt", "old");
	assert_int_equal(link("a.fxt", "hard.fxt"), 0);
	assert_int_equal(symlink("a.fxt", "soft.fxt"), 0);
	assert_string_equal(add(o, "a.fxt", NULL), "");
	assert_non_null(strstr(add(o, "./a.fxt", NULL), "same file"));
	assert_non_null(strstr(add(o, "hard.fxt", NULL), "same file"));
	assert_non_null(strstr(add(o, "soft.fxt", NULL), "same file"));
	assert_string_equal(add(o, "pipe.json", NULL), "");
	assert_non_null(strstr(add(o, "pipe.json", NULL), "same file"));
	/* sharing /dev/null is fine */
	assert_string_equal(add(o, "/dev/null", "fxt"), "");
	assert_string_equal(add(o, "/dev/null", "json"), "");
	outputs_free(o);
	/* a run that failed to start did not touch the file */
	assert_file("a.fxt", "old");
	close(fd);
}

static void test_locked_files(void **state)
{
	struct outputs *o = outputs_new(MANY, failed, NULL), *other;
	struct outputs *third = outputs_new(MANY, failed, NULL);
	int fd = make_pipe("pipe.json");
	struct bytes b;
	struct sink *s;

	(void)state;
	other = begin(MANY, &s, "a.etrace", "pipe.json", NULL);
	put(s, 0, 10);
	outputs_sync(other);
	outputs_settle(other, 60000);
	assert_non_null(strstr(add(o, "a.etrace", NULL), "another recording"));
	assert_non_null(strstr(add(o, "pipe.json", NULL), "another recording"));
	wait_for_end(other);
	assert_int_equal(outputs_close(other), 0);
	outputs_free(other);
	b = read_file("a.etrace");
	assert_int_equal(count_lines(&b, "!FN|"), 10);
	bytes_free(&b);
	/* the recording is over and the file unlocked */
	assert_string_equal(add(third, "a.etrace", NULL), "");
	outputs_free(third);
	outputs_free(o);
	close(fd);
}

static void test_pipes_and_sockets(void **state)
{
	struct sockaddr_un un = { .sun_family = AF_UNIX, .sun_path = "sock.fxt" };
	int fd = socket(AF_UNIX, SOCK_STREAM, 0), kept = dup(STDERR_FILENO), log;
	struct outputs *o = outputs_new(MANY, failed, NULL);
	const char *message;

	(void)state;
	assert_int_equal(mkfifo("pipe.json", 0600), 0);
	assert_non_null(strstr(add(o, "pipe.json", NULL), "a pipe that nobody reads"));
	assert_int_equal(bind(fd, (struct sockaddr *)&un, sizeof(un)), 0);
	assert_non_null(strstr(add(o, "sock.fxt", NULL), "a socket"));
	assert_non_null(strstr(add(o, "no/such/dir.fxt", NULL), "No such file"));
	assert_non_null(strstr(add(o, "a.txt", NULL), "does not tell the format"));
	/* standard error of the command and of etrace */
	log = open("log.json", O_WRONLY | O_CREAT, 0600);
	dup2(log, STDERR_FILENO);
	message = add(o, "log.json", NULL);
	dup2(kept, STDERR_FILENO);
	assert_non_null(strstr(message, "belongs to the command"));
	outputs_free(o);
	close(log);
	close(kept);
	close(fd);
}

/* A stalled output neither slows down the others nor delays the end. */
static void test_stalled_output(void **state)
{
	unsigned int n = 20000, bad;
	int fd = make_pipe("pipe.etrace");
	struct sink *s;
	struct outputs *o = begin(1u << 20, &s, "a.etrace", "pipe.etrace", NULL);
	struct bytes b;

	(void)state;
	for (unsigned int i = 0; i < n; i += 500) {
		put(s, i, 500);
		outputs_sync(o);
		/*
		 * Wait until the healthy output's half of the memory has room for the next
		 * events. Shrinking queues send no notification.
		 */
		while (outputs_waiting(o) > (5u << 17))
			usleep(1000);
	}
	assert_int_equal(outputs_lost(o, 0), 0);
	assert_true(outputs_lost(o, 1) > n / 2);
	outputs_end(o);
	/* no notification when one of several outputs has ended */
	while (!strcmp(outputs_stalled(o), "a.etrace"))
		usleep(1000);
	assert_false(outputs_ended(o));
	assert_string_equal(outputs_stalled(o), "pipe.etrace");
	bad = outputs_close(o);
	assert_int_equal(bad, 1);
	assert_null(outputs_fault(o, 0));
	assert_non_null(strstr(outputs_fault(o, 1), "are missing"));
	outputs_free(o);
	b = read_file("a.etrace");
	assert_int_equal(count_lines(&b, "!FN|"), n);
	bytes_free(&b);
	drain(fd, &b);
	assert_true(b.n <= PIPE_ROOM);
	bytes_free(&b);
	close(fd);
}

/* A thread that hangs is abandoned; the descriptor it will write to stays open. */
static void test_hung_thread(void **state)
{
	struct stat st;
	struct sink *s;
	struct outputs *o = begin(MANY, &s, "a.etrace", "b.etrace", NULL);
	int reported = outputs_fd(o);

	(void)state;
	assert_int_equal(stat("a.etrace", &st), 0);
	hung_dev = st.st_dev;
	hung_ino = st.st_ino;
	put(s, 0, 1000);
	outputs_end(o);
	assert_string_equal(outputs_stalled(o), "a.etrace");
	assert_int_equal(outputs_close(o), 1);
	assert_non_null(outputs_fault(o, 0));
	outputs_free(o);
	assert_true(fcntl(reported, F_GETFD) >= 0);
	hung_ino = 0;

	o = begin(MANY, &s, "c.etrace", NULL);
	reported = outputs_fd(o);
	put(s, 0, 1);
	wait_for_end(o);
	assert_int_equal(outputs_close(o), 0);
	outputs_free(o);
	assert_true(fcntl(reported, F_GETFD) < 0);
}

/* The recorder forks after outputs_close(): a thread that is still ending may hold locks. */
static void test_fork_while_thread_ends(void **state)
{
	struct sink *s;
	struct outputs *o = begin(MANY, &s, "a.etrace", "b.fxt.gz", NULL);

	(void)state;
	slow_fd = outputs_fd(o);
	put(s, 0, 10);
	wait_for_end(o);
	assert_int_equal(outputs_close(o), 0);
	slow_fd = -1;
	assert_int_equal(slow_threads, 2);
	outputs_free(o);
}

/* If no thread can be started, the output has a fault with the reason. */
static void test_no_thread_can_start(void **state)
{
	static const struct rlimit none;
	const char *fault;
	struct outputs *o;
	struct sink *s;
	int status;
	pid_t pid;

	(void)state;
	pid = fork();
	assert_true(pid >= 0);
	if (!pid) {
		o = begin(MANY, &s, "a.etrace", NULL);
		/* the limit does not apply to root */
		if (setrlimit(RLIMIT_NPROC, &none) || (!geteuid() && setuid(65534)))
			_exit(2);
		put(s, 0, 1000);
		wait_for_end(o);
		outputs_close(o);
		fault = outputs_fault(o, 0);
		_exit(!fault || !strstr(fault, strerror(EAGAIN)));
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
}

/* A queue that was full reports at the gap how many events it lost, and goes on. */
static void test_gap_reports_losses(void **state)
{
	unsigned int n = 4000, reported, there;
	int fd = make_pipe("pipe.etrace");
	struct sink *s;
	struct outputs *o = begin(100000, &s, "pipe.etrace", NULL);
	struct bytes b = { 0 };
	const char *gap;

	(void)state;
	put(s, 0, n);
	assert_true(outputs_lost(o, 0) > 0);
	while (outputs_waiting(o)) {
		drain(fd, &b);
		/* the pipe can be empty for a moment although the queue is not */
		usleep(1000);
	}
	put(s, n, 10);
	drain_to_end(o, fd, &b);
	gap = strstr(b.data, "[LOST ");
	assert_non_null(gap);
	reported = (unsigned int)strtoul(gap + 6, NULL, 10);
	there = (unsigned int)count_lines(&b, "!FN|");
	assert_int_equal(reported, outputs_lost(o, 0));
	assert_int_equal(there + reported, n + 10);
	assert_fault(o, "events lost");
	assert_int_equal(failures, 0);
	bytes_free(&b);
	close(fd);
}

/* Events lost at the very end are reported before the final event. */
static void test_losses_at_the_end(void **state)
{
	int fd = make_pipe("pipe.etrace");
	struct sink *s;
	struct outputs *o = begin(100000, &s, "pipe.etrace", NULL);
	struct bytes b = { 0 };
	struct et_event ev;

	(void)state;
	put(s, 0, 4000);
	et_init(&ev);
	make(&ev, 4001);
	outputs_last(o, 0, &ev);
	et_fini(&ev);
	drain_to_end(o, fd, &b);
	assert_int_equal(count_lines(&b, "[LOST "), 1);
	assert_non_null(strstr(strstr(b.data, "[LOST "), "!FN|"));
	assert_fault(o, "events lost");
	bytes_free(&b);
	close(fd);
}

static const char *const packings[] = { "a.etrace", "a.etrace.gz", "a.etrace.zst" };
#define FOR_EACH_PACKING(path) \
	for (size_t packing_ = 0; packing_ < 3 && (path = packings[packing_]); packing_++)

/* A name without a known suffix: the error lists the suffixes. */
static void test_unknown_suffix(void **state)
{
	struct outputs *o = outputs_new(MANY, failed, NULL);

	(void)state;
	assert_string_equal(add(o, "a.unknown", NULL),
			    "a.unknown: the name does not tell the format; end it in one of .fxt, etrace, json, or give --to FORMAT");
	outputs_free(o);
}

static void test_file_removed(void **state)
{
	const char *path;
	struct outputs *o;
	struct sink *s;

	(void)state;
	FOR_EACH_PACKING(path) {
		o = begin(MANY, &s, path, NULL);
		put(s, 0, 10);
		unlink(path);
		wait_for_end(o);
		assert_fault(o, "it no longer exists");

		o = begin(MANY, &s, path, NULL);
		put(s, 0, 10);
		rename(path, "b");
		wait_for_end(o);
		assert_fault(o, "it no longer exists");

		o = begin(MANY, &s, path, NULL);
		put(s, 0, 10);
		write_file("other", "another");
		rename("other", path);
		wait_for_end(o);
		assert_fault(o, "another file");
		assert_file(path, "another");

		/* another path to the same file is no fault */
		o = begin(MANY, &s, path, NULL);
		put(s, 0, 10);
		rename(path, "b");
		assert_int_equal(symlink("b", path), 0);
		wait_for_end(o);
		assert_int_equal(outputs_close(o), 0);
		outputs_free(o);
		unlink(path);
	}
}

static void test_file_changed(void **state)
{
	const char *path;
	struct outputs *o;
	struct sink *s;
	FILE *f;

	(void)state;
	FOR_EACH_PACKING(path) {
		/* truncated, then longer again */
		o = begin(MANY, &s, path, NULL);
		put(s, 0, 10);
		outputs_sync(o);
		outputs_settle(o, 60000);
		assert_int_equal(truncate(path, 0), 0);
		put(s, 10, 5000);
		wait_for_end(o);
		assert_fault(o, "somebody else");

		o = begin(MANY, &s, path, NULL);
		put(s, 0, 10);
		outputs_sync(o);
		outputs_settle(o, 60000);
		f = fopen(path, "a");
		fputs("more", f);
		fclose(f);
		wait_for_end(o);
		assert_fault(o, "somebody else");
	}
}

/* Incompressible: more than any compressor buffers. */
static void put_noise(struct sink *s, unsigned int n)
{
	struct et_event ev;
	char name[400];

	et_init(&ev);
	for (unsigned int i = 0; i < n; i++) {
		for (size_t j = 0; j < sizeof(name); j++)
			name[j] = (char)('0' + random() % 64);
		et_reset(&ev, ET_K_OPEN, 7, 0, 1000 + i);
		et_add_string(&ev, ET_S_OPEN_name, name, sizeof(name));
		assert_int_equal(sink_item(s, &ev), 0);
	}
	et_fini(&ev);
}

static void test_disk_full(void **state)
{
	const char *path;
	struct outputs *o;
	struct sink *s;

	(void)state;
	FOR_EACH_PACKING(path) {
		assert_int_equal(symlink("/dev/full", path), 0);
		o = begin(MANY, &s, path, NULL);
		failures = 0;
		put_noise(s, 3000);
		outputs_sync(o);
		outputs_settle(o, 60000);
		/* reported at once, and only once */
		outputs_sync(o);
		outputs_sync(o);
		assert_int_equal(failures, 1);
		wait_for_end(o);
		assert_int_equal(failures, 1);
		assert_fault(o, strerror(ENOSPC));
		unlink(path);

		/* too little to be written before the end */
		assert_int_equal(symlink("/dev/full", path), 0);
		o = begin(MANY, &s, path, NULL);
		put(s, 0, 1);
		wait_for_end(o);
		assert_fault(o, strerror(ENOSPC));
		unlink(path);
	}
}

static void test_file_size_limit(void **state)
{
	struct rlimit before, small = { 100000, RLIM_INFINITY };
	const char *path;
	struct outputs *o;
	struct sink *s;

	(void)state;
	signal(SIGXFSZ, SIG_IGN);
	getrlimit(RLIMIT_FSIZE, &before);
	small.rlim_max = before.rlim_max;
	FOR_EACH_PACKING(path) {
		o = begin(MANY, &s, path, NULL);
		setrlimit(RLIMIT_FSIZE, &small);
		put_noise(s, 2000);
		wait_for_end(o);
		setrlimit(RLIMIT_FSIZE, &before);
		assert_fault(o, strerror(EFBIG));
	}
	signal(SIGXFSZ, SIG_DFL);
}

static void test_reader_gone(void **state)
{
	int fd = make_pipe("pipe.etrace");
	struct sink *s;
	struct outputs *o = begin(MANY, &s, "pipe.etrace", "a.etrace", NULL);

	(void)state;
	signal(SIGPIPE, SIG_IGN);
	put(s, 0, 2000);	/* more than the pipe holds */
	close(fd);
	wait_for_end(o);
	assert_int_equal(outputs_close(o), 1);
	assert_string_equal(outputs_fault(o, 0), strerror(EPIPE));
	assert_null(outputs_fault(o, 1));
	outputs_free(o);
	signal(SIGPIPE, SIG_DFL);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, enter, leave)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_complete_outputs),
		TEST(test_view_output),
		TEST(test_sync),
		TEST(test_same_file_refused),
		TEST(test_locked_files),
		TEST(test_pipes_and_sockets),
		TEST(test_stalled_output),
		TEST(test_hung_thread),
		TEST(test_fork_while_thread_ends),
		TEST(test_no_thread_can_start),
		TEST(test_gap_reports_losses),
		TEST(test_losses_at_the_end),
		TEST(test_unknown_suffix),
		TEST(test_file_removed),
		TEST(test_file_changed),
		TEST(test_disk_full),
		TEST(test_file_size_limit),
		TEST(test_reader_gone),
	};

	opts_init(&opts);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
