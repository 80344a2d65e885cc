// SPDX-License-Identifier: GPL-2.0
/*
 * Strings of any length with any bytes: the strings in the trace are those that were passed.
 *
 * They are random; the seed is printed, and $ETRACE_SEED repeats a run.
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "lib/etrace_test.h"

#define LONGEST		20000

/* ---- random strings -------------------------------------------------------- */

static uint64_t seed;

static uint64_t rnd(void)
{
	uint64_t z = (seed += 0x9e3779b97f4a7c15ULL);

	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
	z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
	return z ^ (z >> 31);
}

static unsigned int rnd_below(unsigned int n)
{
	return rnd() % n;
}

enum kind { ANY_BYTE, TEXT, LINES, NEWLINES, NR_KINDS };

static char rnd_byte(enum kind kind)
{
	switch (kind) {
	case TEXT:
		return ' ' + rnd_below(95);
	case LINES:
		return rnd_below(40) ? ' ' + rnd_below(95) : '\n';
	case NEWLINES:
		return rnd_below(3) ? '\n' : 'a' + rnd_below(26);
	default:
		return 1 + rnd_below(255);
	}
}

/* Fill with any bytes except those of @without and null bytes. */
static void fill(char *s, size_t len, const char *without, enum kind kind)
{
	size_t i;

	for (i = 0; i < len; i++)
		do
			s[i] = rnd_byte(kind);
		while (strchr(without, s[i]));
	s[len] = '\0';
	if (len && !strchr(without, '\n')) {
		if (!rnd_below(4))
			s[0] = '\n';
		if (!rnd_below(4))
			s[len - 1] = '\n';
	}
}

static void rnd_fill(char *s, size_t len)
{
	/* Each newline makes a line, so long strings have fewer of them. */
	fill(s, len, "", rnd_below(len < 2000 ? NR_KINDS : NEWLINES));
}

/* Lengths around the sizes where programs may fail. */
static size_t rnd_len(size_t max)
{
	static const size_t edges[] = {
		0, 1, 38, 64, 899, 900, 901, 1799, 1800, 1801, 2000, 2047, 2048,
		2699, 2700, 2701, 3400, 4095, 4096, 8191, 8192, 9000, LONGEST,
	};
	size_t len;

	do
		len = rnd_below(2) ? rnd_below(max + 1) :
			edges[rnd_below(ET_NELEMS(edges))] + rnd_below(3) - 1;
	while (len > max);
	return len;
}

/* ---- reading the trace ------------------------------------------------------ */

static struct et_task *task;
static size_t at;		/* its next line */

static void read_task(struct et_trace *tr, pid_t pid)
{
	task = et_trace_pid(tr, pid);
	at = 0;
	if (!task)
		DIE("no lines of task %d", pid);
}

/* Does not end the case if the line differs, so that one broken string is one failure. */
static bool line_is(const char *fmt, ...) ET_PRINTF(1, 2);
static bool line_is(const char *fmt, ...)
{
	char text[512];
	va_list args;

	va_start(args, fmt);
	vsnprintf(text, sizeof(text), fmt, args);
	va_end(args);
	if (at < task->nr && !strcmp(task->line[at].text, text)) {
		at++;
		return true;
	}
	FAIL("line %zu is '%s', must be '%s'", at, at < task->nr ?
	     et_escape(task->line[at].text, task->line[at].len) : "", text);
	return false;
}

static bool same(const struct et_string *got, const char *what, const char *s,
		 size_t len)
{
	size_t i;

	if (got->len == len && !memcmp(got->s, s, len))
		return true;
	for (i = 0; i < len && i < got->len && got->s[i] == s[i]; i++)
		;
	FAIL("%s of %zu bytes came out with %zu, differing from byte %zu on: '%s', must be '%s'",
	     what, len, got->len, i, et_escape(got->s + i, got->len - i),
	     et_escape(s + i, len - i));
	return false;
}

static bool string_is(const char *tag, const char *s, size_t len)
{
	struct et_string got;
	const char *err = et_string_read(task, &at, tag, &got);
	bool ok = false;

	if (err)
		FAIL("%s of %zu bytes: %s, at line %zu: '%s'", tag, len, err, at,
		     at < task->nr ? et_escape(task->line[at].text,
					       task->line[at].len) : "");
	else
		ok = same(&got, tag, s, len);
	free(got.s);
	return ok;
}

/* ---- arguments --------------------------------------------------------------- */

static char **argv;
static int argc;
static size_t argv_size;

static char helper[4096];

static void argv_new(int n)
{
	argv = calloc(n + 1, sizeof(*argv));
	argc = 0;
	argv_size = 0;
}

static void argv_add(size_t len, bool plain)
{
	char *s = malloc(len + 1);

	if (plain) {
		memset(s, 'x', len);
		s[len] = '\0';
	} else {
		rnd_fill(s, len);
	}
	argv[argc++] = s;
	argv_size += len + 1;
}

static void argv_free(void)
{
	while (argc)
		free(argv[--argc]);
	free(argv);
}

/* The traced task executes the helper. */
static void do_exec(void)
{
	/* More room for arguments than usual; it is a fourth of the stack. */
	const struct rlimit lim = { 64 << 20, 64 << 20 };

	CHILD_MUST(setrlimit(RLIMIT_STACK, &lim));
	execve(helper, argv, (char *[]) { NULL });
	CHILD_FAIL("execve: %m");
	_exit(127);
}

static void check_argv(void)
{
	struct et_string got;
	struct et_trace tr;
	const char *err;
	int i;

	read_task(&tr, et_run(do_exec, &tr));
	line_is("New_proc|argsize=%zu,prognameisize=%zu,prognamepsize=%zu,cwdsize=%zu",
		argv_size, strlen(helper), strlen(helper), strlen(et_dir));
	string_is("PI", helper, strlen(helper));
	string_is("PP", helper, strlen(helper));
	string_is("CW", et_dir, strlen(et_dir));
	for (i = 0; i < argc; i++) {
		err = et_arg_read(task, &at, i, &got);
		if (err) {
			FAIL("argument %d of %zu bytes: %s", i, strlen(argv[i]), err);
			break;
		}
		if (!same(&got, "argument", argv[i], strlen(argv[i])))
			i = argc;
		free(got.s);
	}
	if (i == argc) {
		line_is("End_of_args|");
		line_is("Exit|status=0");
		EXPECT_EQ(at, task->nr);
	}
	et_trace_free(&tr);
	argv_free();
}

TEST(arguments_random)
{
	int runs, i;

	for (runs = 0; runs < 8; runs++) {
		argv_new(10);
		for (i = rnd_below(10); i >= 0; i--)
			argv_add(rnd_len(LONGEST), false);
		check_argv();
	}
}

/* All lengths around the edges, in one argument list. */
TEST(arguments_edges)
{
	size_t edge, len;
	bool plain;

	for (plain = false; ; plain = true) {
		argv_new(200);
		for (edge = 900; edge <= 4500; edge += 900)
			for (len = edge - 2; len <= edge + 2; len++)
				argv_add(len, plain);
		for (len = 0; len < 4; len++)
			argv_add(len, plain);
		for (len = 1990; len <= 2010; len++)
			argv_add(len, plain);
		check_argv();
		if (plain)
			break;
	}
}

/* Move the end of a record byte by byte, over all kinds of neighbouring strings. */
TEST(arguments_at_record_ends)
{
	size_t pad;

	for (pad = 0; pad < 24; pad++) {
		argv_new(80);
		argv_add(1900 + pad, true);
		while (argc < 80)
			argv_add(rnd_below(4) ? rnd_below(60) : 0, false);
		check_argv();
	}
}

/*
 * About as many bytes as one probe writes (ETRACE_ARGS_AT_ONCE), in records that end early
 * because of newlines.
 */
TEST(arguments_at_once)
{
	size_t size;

	for (size = 9500; size <= 12500; size += 250) {
		argv_new(1);
		argv_add(size, false);
		check_argv();
	}
}

TEST(arguments_2_mb)
{
	/* As long as an argument may be. */
	argv_new(20);
	while (argc < 16)
		argv_add(128 * 1024 - 1, argc % 2);
	check_argv();
}

TEST(arguments_2_mb_of_many)
{
	argv_new(20000);
	while (argc < 20000)
		argv_add(100, argc % 50);
	check_argv();
}

TEST(arguments_all_empty)
{
	argv_new(10000);
	while (argc < 10000)
		argv_add(0, true);
	check_argv();
}

/* Only newlines; each makes a line of the trace. */
TEST(arguments_newlines)
{
	static const size_t lens[] = { 1, 2, 37, 38, 39, 76, 899, 900, 5000 };
	size_t i;

	argv_new(ET_NELEMS(lens));
	for (i = 0; i < ET_NELEMS(lens); i++) {
		argv_add(lens[i], true);
		memset(argv[argc - 1], '\n', lens[i]);
	}
	check_argv();
}

/* ---- targets of symbolic links ------------------------------------------------ */

#define LINKS	60

static char targets[LINKS][4096];
static size_t targets_len[LINKS];

static void do_symlinks(void)
{
	char name[16];
	int i;

	for (i = 0; i < LINKS; i++) {
		snprintf(name, sizeof(name), "l%d", i);
		CHILD_MUST(symlink(targets[i], name));
	}
}

TEST(symlink_targets)
{
	struct et_trace tr;
	char name[200];
	int i;

	for (i = 0; i < LINKS; i++) {
		targets_len[i] = i < 8 ? 4095U - i : 1 + rnd_len(4094);
		rnd_fill(targets[i], targets_len[i]);
		/* No such name exists in an empty directory. */
		targets[i][0] = 'x';
	}
	read_task(&tr, et_run(do_symlinks, &tr));
	for (i = 0; i < LINKS; i++) {
		snprintf(name, sizeof(name), "%s/l%d", et_dir, i);
		line_is("Symlink|targetnamesize=%zu,linknamesize=%zu",
			targets_len[i], strlen(name));
		if (!string_is("ST", targets[i], targets_len[i]) ||
		    !string_is("SL", name, strlen(name)))
			break;
	}
	if (i == LINKS)
		line_is("Exit|status=0");
	et_trace_free(&tr);
}

/* ---- paths ---------------------------------------------------------------------- */

#define STEPS	160

/* The path to step i is the first ends[i] bytes of path. */
static char path[STEPS * 256 + 4096];
static size_t ends[STEPS + 1];
static int steps;

static const char *component(int i)
{
	static char name[256];
	size_t len = ends[i + 1] - ends[i] - 1;

	memcpy(name, path + ends[i] + 1, len);
	name[len] = '\0';
	return name;
}

/* A path of random components, about @len bytes long. */
static void path_new(size_t len)
{
	size_t n;

	strcpy(path, et_dir);
	steps = 0;
	ends[0] = strlen(path);
	while (ends[steps] < len && steps < STEPS) {
		char *s = path + ends[steps];

		n = rnd_below(4) ? 255 - rnd_below(100) : 1 + rnd_below(20);
		*s++ = '/';
		do
			fill(s, n, "/", steps == 7 ? NEWLINES :
			     rnd_below(NEWLINES));
		while (!strcmp(s, ".") || !strcmp(s, ".."));
		ends[++steps] = s + n - path;
	}
}

/* Create the path and descend step by step, and use files at its end. */
static void do_path(void)
{
	int dir = CHILD_MUST(open(".", O_PATH));
	int i, fd;

	for (i = 0; i < steps; i++) {
		CHILD_MUST(mkdirat(dir, component(i), 0777));
		fd = CHILD_MUST(openat(dir, component(i), O_DIRECTORY));
		CHILD_MUST(close(dir));
		dir = fd;
	}
	CHILD_MUST(fchdir(dir));
	fd = CHILD_MUST(openat(dir, "f", O_CREAT | O_WRONLY, 0600));
	CHILD_MUST(close(fd));
	CHILD_MUST(rename("f", "g"));
	CHILD_MUST(link("g", "h"));
	CHILD_MUST(symlink("absent", "s"));
	CHILD_MUST(execve(helper, (char *[]) { NULL }, (char *[]) { NULL }));
	_exit(127);
}

/* Whether the next lines contain @name, which is at the end of the path. */
static bool tail_is(const char *tag, const char *name)
{
	size_t len = ends[steps];

	path[len] = '/';
	strcpy(path + len + 1, name);
	return string_is(tag, path, len + 1 + strlen(name));
}

static void check_path(void)
{
	struct et_trace tr;
	size_t len = ends[steps] + 2;
	int i, fd;

	fd = open("/dev/null", O_RDONLY);
	close(fd);		/* the next free descriptor, here and in the child */
	read_task(&tr, et_run(do_path, &tr));
	line_is("Open|fnamesize=%zu,forigsize=%zu,flags=%u,mode=0,fd=%d",
		strlen(et_dir), strlen(et_dir) + 2, O_PATH, fd);
	string_is("FN", et_dir, strlen(et_dir));
	at++;
	for (i = 0; i < steps; i++) {
		line_is("Open|fnamesize=%zu,forigsize=%zu,flags=%u,mode=0,fd=%d",
			ends[i + 1], ends[i + 1], O_DIRECTORY, fd + 1 - i % 2);
		if (!string_is("FN", path, ends[i + 1]) ||
		    !string_is("FO", path, ends[i + 1]) ||
		    !line_is("Close|fd=%d", fd + i % 2))
			goto out;
	}
	line_is("Open|fnamesize=%zu,forigsize=%zu,flags=%u,mode=384,fd=%d",
		len, len, O_CREAT | O_WRONLY, fd + (steps + 1) % 2);
	tail_is("FN", "f");
	tail_is("FO", "f");
	line_is("Close|fd=%d", fd + (steps + 1) % 2);
	line_is("RenameFrom|fnamesize=%zu", len);
	tail_is("RF", "f");
	line_is("RenameTo|fnamesize=%zu", len);
	tail_is("RT", "g");
	line_is(ET_LINK_FROM, len);
	tail_is("LF", "g");
	line_is("LinkTo|fnamesize=%zu", len);
	tail_is("LT", "h");
	line_is("Symlink|targetnamesize=6,linknamesize=%zu", len);
	string_is("ST", "absent", 6);
	tail_is("SL", "s");
	at++;		/* New_proc */
	string_is("PI", helper, strlen(helper));
	string_is("PP", helper, strlen(helper));
	string_is("CW", path, ends[steps]);
out:
	et_trace_free(&tr);
}

TEST(paths_to_path_max)
{
	int i;

	for (i = 0; i < 3; i++) {
		et_dir_new();
		path_new(800 + rnd_below(3200));
		check_path();
	}
}

TEST(paths_deeper)
{
	et_dir_new();
	path_new(LONGEST);
	check_path();
}

/* ---- arguments of mount ------------------------------------------------------- */

static char source[4096], type[4096];

static void do_mount(void)
{
	CHILD_MUST_FAIL(mount(source, "mnt", type, 0, NULL), ENODEV);
}

TEST(mount_source_and_type)
{
	struct et_trace tr;
	char target[200];
	int i;

	et_mkdir("mnt");
	snprintf(target, sizeof(target), "%s/mnt", et_dir);
	for (i = 0; i < 10; i++) {
		rnd_fill(source, i ? rnd_len(4095) : 4095);
		rnd_fill(type, i ? 1 + rnd_len(4094) : 4095);
		/* Not a name by which the kernel would load a module. */
		type[0] = '?';
		read_task(&tr, et_run(do_mount, &tr));
		line_is("Mount|sourcenamesize=%zu,targetnamesize=%zu,typenamesize=%zu,flags=0",
			strlen(source), strlen(target), strlen(type));
		string_is("MS", source, strlen(source));
		string_is("MT", target, strlen(target));
		string_is("MX", type, strlen(type));
		line_is("MountFailed|");
		line_is("Exit|status=0");
		et_trace_free(&tr);
	}
}

int main(int argc_, char **argv_)
{
	const char *s = getenv("ETRACE_SEED");
	ssize_t n = readlink("/proc/self/exe", helper, sizeof(helper) - 32);

	if (n < 0)
		et_skip_all("/proc/self/exe: no proc");
	helper[n] = '\0';
	strcpy(strrchr(helper, '/') + 1, "helper");
	seed = s ? strtoull(s, NULL, 0) : (uint64_t)time(NULL) << 20 | getpid();
	printf("# ETRACE_SEED=%llu\n", (unsigned long long)seed);
	return et_main_once(argc_, argv_, "", 32768);
}
