// SPDX-License-Identifier: GPL-2.0
/* Outputs by name: what is replaced and when, what is written in place, and modes. */
#include <setjmp.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>
#include <cmocka.h>

#include "io/out.h"
#include "io/out_place.h"

static char dir[64];

static void put(const char *path, const char *text)
{
	FILE *f = fopen(path, "we");

	assert_non_null(f);
	fputs(text, f);
	fclose(f);
}

static void holds(const char *path, const char *text)
{
	char is[200] = "";
	FILE *f = fopen(path, "re");

	assert_non_null(f);
	is[fread(is, 1, sizeof(is) - 1, f)] = 0;
	fclose(f);
	assert_string_equal(is, text);
}

static mode_t mode_of(const char *path)
{
	struct stat st;

	assert_int_equal(lstat(path, &st), 0);
	return st.st_mode;
}

static bool is_there(const char *path)
{
	struct stat st;

	return !lstat(path, &st);
}

/* Return: the result of out_close(), or of out_create() if that fails. */
static int write_to(const char *path, const char *text)
{
	int err;
	struct out *o = out_create(path, &err);

	if (!o)
		return err;
	out_puts(o, text);
	return out_close(o);
}

static void file_replaced_atomically(void **state)
{
	struct out *o;
	int err;

	(void)state;
	umask(0);
	assert_int_equal(write_to("new", "a"), 0);
	holds("new", "a");
	assert_int_equal(mode_of("new"), S_IFREG | 0600);
	put("old", "before");
	chmod("old", 0644);
	o = out_create("old", &err);
	out_puts(o, "behind");
	out_flush(o);
	/* replaced only when complete */
	holds("old", "before");
	assert_int_equal(mode_of("old" OUT_PART), S_IFREG | 0600);
	assert_int_equal(out_close(o), 0);
	holds("old", "behind");
	assert_int_equal(mode_of("old"), S_IFREG | 0600);
	assert_false(is_there("old" OUT_PART));
	assert_int_equal(write_to("packed.gz", "a"), 0);
	assert_int_equal(mode_of("packed.gz"), S_IFREG | 0600);
}

static void incomplete_file_removed(void **state)
{
	struct rlimit was, small = { 4096, RLIM_INFINITY };
	static char much[1 << 20];
	struct out *o;
	int err;

	(void)state;
	put("kept", "before");
	o = out_create("kept", &err);
	out_puts(o, "behind");
	out_discard(o);
	assert_int_equal(out_close(o), 0);
	holds("kept", "before");
	/* writing fails, as on a full disk */
	signal(SIGXFSZ, SIG_IGN);
	getrlimit(RLIMIT_FSIZE, &was);
	small.rlim_max = was.rlim_max;
	setrlimit(RLIMIT_FSIZE, &small);
	memset(much, 'x', sizeof(much) - 1);
	assert_int_equal(write_to("kept", much), -EFBIG);
	assert_int_equal(write_to("none", much), -EFBIG);
	setrlimit(RLIMIT_FSIZE, &was);
	holds("kept", "before");
	assert_false(is_there("none"));
	assert_false(is_there("kept" OUT_PART));
	assert_int_equal(write_to("no/dir", ""), -ENOENT);
	assert_int_equal(write_to(".", ""), -EISDIR);
	assert_int_equal(write_to("kept/a", ""), -ENOTDIR);
}

static void symbolic_links_followed(void **state)
{
	(void)state;
	mkdir("sub", 0700);
	put("sub/target", "before");
	assert_int_equal(symlink("sub/target", "link"), 0);
	assert_int_equal(symlink("link", "second"), 0);
	assert_int_equal(write_to("second", "behind"), 0);
	assert_int_equal(mode_of("second") & S_IFMT, S_IFLNK);
	assert_int_equal(mode_of("link") & S_IFMT, S_IFLNK);
	holds("sub/target", "behind");
	/* to a file that does not exist yet */
	assert_int_equal(symlink("sub/later", "dangling"), 0);
	assert_int_equal(write_to("dangling", "new"), 0);
	assert_int_equal(mode_of("dangling") & S_IFMT, S_IFLNK);
	holds("sub/later", "new");
	assert_int_equal(symlink("round", "round"), 0);
	assert_int_equal(write_to("round", ""), -ELOOP);
	/* a foreign link under the name of the temporary file */
	put("precious", "mine");
	assert_int_equal(symlink("precious", "trap" OUT_PART), 0);
	assert_int_equal(write_to("trap", "a"), 0);
	holds("precious", "mine");
	holds("trap", "a");
}

#define OTHER	12345	/* an unrelated user */

/*
 * Files and links planted by another user in a world-writable directory are left alone, and
 * so are the targets of the links.
 */
static void planted_files_left_alone(void **state)
{
	(void)state;
	if (geteuid())
		skip();
	assert_int_equal(mkdir("all", 0777), 0);
	assert_int_equal(chmod("all", 01777), 0);
	put("target", "before");
	assert_int_equal(symlink("../target", "all/link"), 0);
	assert_int_equal(lchown("all/link", OTHER, OTHER), 0);
	assert_int_equal(write_to("all/link", "a"), -OUT_PLANTED);
	assert_int_equal(out_place_keep("all/link"), -OUT_PLANTED);
	holds("target", "before");
	assert_false(is_there("target.old"));
	/* the file's owner would own the new content, too */
	put("all/file", "before");
	assert_int_equal(chown("all/file", OTHER, OTHER), 0);
	assert_int_equal(write_to("all/file", "a"), -OUT_PLANTED);
	holds("all/file", "before");
	assert_int_equal(mkfifo("all/fifo", 0666), 0);
	assert_int_equal(chown("all/fifo", OTHER, OTHER), 0);
	assert_int_equal(write_to("all/fifo", "a"), -OUT_PLANTED);

	/* Files of the directory's owner and of the user are trusted. */
	assert_int_equal(chown("all", OTHER, OTHER), 0);
	assert_int_equal(write_to("all/link", "b"), 0);
	holds("target", "b");
	assert_int_equal(write_to("all/file", "b"), 0);
	holds("all/file", "b");
	assert_int_equal(symlink("../target", "all/own"), 0);
	assert_int_equal(write_to("all/own", "c"), 0);
	holds("target", "c");
	/* Without the sticky bit this rule does not apply, as in the kernel. */
	assert_int_equal(chown("all", 0, 0), 0);
	assert_int_equal(chmod("all", 0777), 0);
	assert_int_equal(write_to("all/link", "d"), 0);
	holds("target", "d");
}

static void devices_and_pipes_written_directly(void **state)
{
	char name[32], text[8] = "";
	int fd, reader;

	(void)state;
	assert_int_equal(mkfifo("fifo", 0622), 0);
	reader = open("fifo", O_RDONLY | O_NONBLOCK);
	assert_int_equal(write_to("fifo", "through"), 0);
	assert_int_equal(read(reader, text, sizeof(text) - 1), 7);
	assert_string_equal(text, "through");
	assert_int_equal(mode_of("fifo") & S_IFMT, S_IFIFO);
	close(reader);
	/* a descriptor is written to at its current position */
	put("log", "one\n");
	fd = open("log", O_WRONLY | O_APPEND);
	snprintf(name, sizeof(name), "/dev/fd/%d", fd);
	assert_int_equal(write_to(name, "two\n"), 0);
	snprintf(name, sizeof(name), "/proc/self/fd/%d", fd);
	assert_int_equal(write_to(name, "three\n"), 0);
	close(fd);
	holds("log", "one\ntwo\nthree\n");
	fd = open("log", O_RDONLY);
	snprintf(name, sizeof(name), "/dev/fd/%d", fd);
	assert_int_equal(write_to(name, ""), -EBADF);
	close(fd);
}

static void two_writers_of_one_file(void **state)
{
	int err;
	struct out *o = out_create("both", &err);

	(void)state;
	assert_non_null(o);
	assert_null(out_create("./both", &err));
	assert_int_equal(err, -EBUSY);
	assert_int_equal(out_close(o), 0);
	assert_int_equal(write_to("both", "again"), 0);
	/* the leftover of a killed process is overwritten */
	put("left" OUT_PART, "a longer text than the new one");
	assert_int_equal(write_to("left", "new"), 0);
	holds("left", "new");
}

static void keep(struct out_place *p, const char *path, const char *text)
{
	assert_int_equal(out_place_open(p, path, 0), 0);
	assert_int_equal(write(p->fd, text, strlen(text)), strlen(text));
	close(p->fd);
	assert_int_equal(out_place_commit(p, true), 0);
	out_place_free(p);
}

static void previous_file_kept(void **state)
{
	struct out_place p;

	(void)state;
	keep(&p, "rec", "1");
	assert_false(is_there("rec" OUT_OLD));
	chmod("rec", 0644);
	keep(&p, "rec", "2");
	assert_int_equal(mode_of("rec" OUT_OLD), S_IFREG | 0600);
	keep(&p, "rec", "3");
	holds("rec", "3");
	holds("rec" OUT_OLD, "2");
	/* a database with SQLite's journal */
	put("x.db", "SQLite format 3");
	assert_int_equal(truncate("x.db", 4096), 0);
	put("x.db-journal", "of it");
	keep(&p, "x.db", "new");
	holds("x.db" OUT_OLD "-journal", "of it");
	assert_false(is_there("x.db-journal"));
	put("text-journal", "of nobody");
	keep(&p, "text", "1");
	keep(&p, "text", "2");
	holds("text-journal", "of nobody");
	/* an output that was begun, but not committed */
	assert_int_equal(out_place_open(&p, "rec", 0), 0);
	close(p.fd);
	out_place_free(&p);
	holds("rec", "3");
	assert_false(is_there("rec" OUT_PART));
}

static void longest_file_names(void **state)
{
	char name[256];

	(void)state;
	memset(name, 'n', 255);
	name[255] = 0;
	assert_int_equal(write_to(name, "long"), 0);
	holds(name, "long");
}

static int begin(void **state)
{
	(void)state;
	snprintf(dir, sizeof(dir), "/tmp/out_place.XXXXXX");
	return !mkdtemp(dir) || chdir(dir);
}

static int end(void **state)
{
	char command[100];

	(void)state;
	snprintf(command, sizeof(command), "rm -r %s", dir);
	return chdir("/") || system(command);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(file_replaced_atomically),
		cmocka_unit_test(incomplete_file_removed),
		cmocka_unit_test(symbolic_links_followed),
		cmocka_unit_test(planted_files_left_alone),
		cmocka_unit_test(devices_and_pipes_written_directly),
		cmocka_unit_test(two_writers_of_one_file),
		cmocka_unit_test(previous_file_kept),
		cmocka_unit_test(longest_file_names),
	};

	return cmocka_run_group_tests_name("out_place", tests, begin, end);
}
