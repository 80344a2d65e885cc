// SPDX-License-Identifier: GPL-2.0
/*
 * When a file can be hashed (graph/settled.c), and whether its hash is that of what a program saw
 * (content/file_hash.c).
 */
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sched.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include <cmocka.h>

#include "content/contents.h"
#include "content/file_hash.h"
#include "content/version_tally.h"

#define SECOND	1000000000ll
#define WR	01
#define RDWR	02
#define CREAT	0100
#define TRUNC	01000

/* ---- the graph ---- */

static struct graph *graph;
static uint64_t now;
static char settled_list[400];		/* settled versions: "/a1 " for version 1 of /a */
static struct graph_settled last, written;
static uint32_t content_of;	/* version */
static char names[16][16];
static struct et_event ev;

static void on_file(void *ctx, uint32_t id, const char *path, size_t len)
{
	(void)ctx;
	if (id < sizeof(names) / sizeof(names[0]))
		snprintf(names[id], sizeof(names[id]), "%.*s", (int)len, path);
}

static void on_below(void *ctx, uint32_t dir, graph_below_fn *fn, void *fn_ctx)
{
	(void)ctx;
	(void)dir;
	(void)fn;
	(void)fn_ctx;
}

static void on_settled(void *ctx, const struct graph_settled *s)
{
	size_t len = strlen(settled_list);

	(void)ctx;
	last = *s;
	snprintf(settled_list + len, sizeof(settled_list) - len, "%s%u ",
		 s->file ? names[s->file] : "-", s->version);
}

static void on_written(void *ctx, const struct graph_settled *s)
{
	(void)ctx;
	written = *s;
}

static void on_unsure(void *ctx, const struct graph_settled *s)
{
	size_t len = strlen(settled_list);

	(void)ctx;
	last = *s;
	snprintf(settled_list + len, sizeof(settled_list) - len, "?%u ", s->version);
}

static void on_content(void *ctx, const struct graph_content *of)
{
	(void)ctx;
	content_of = of->version;
}

static int begin(void **state)
{
	static const struct graph_ops ops = {
		.below = on_below, .file = on_file, .settled = on_settled, .written = on_written,
		.unsure = on_unsure, .content = on_content,
	};

	(void)state;
	graph = graph_new(22, &ops, NULL);
	now = 1000 * SECOND;
	*settled_list = '\0';
	et_init(&ev);
	return 0;
}

static int end(void **state)
{
	(void)state;
	graph_free(graph);
	et_fini(&ev);
	return 0;
}

static void reset(enum et_kind kind, unsigned int pid)
{
	now += 1000;
	et_reset(&ev, kind, pid, 0, now);
}

static void opens_sized(unsigned int pid, const char *path, unsigned int flags, int fd,
			unsigned int ino, unsigned int size)
{
	reset(ET_K_OPEN, pid);
	et_set(&ev, ET_V_OPEN_flags, flags);
	et_set(&ev, ET_V_OPEN_fd, fd);
	et_set(&ev, ET_V_OPEN_dev, 1);
	et_set(&ev, ET_V_OPEN_ino, ino);
	et_set(&ev, ET_V_OPEN_size, size);
	et_set(&ev, ET_V_OPEN_mtime, 5);
	et_set(&ev, ET_V_OPEN_type, S_IFREG);
	et_add_string(&ev, ET_S_OPEN_name, path, strlen(path));
	graph_event(graph, &ev);
}

static void opens(unsigned int pid, const char *path, unsigned int flags, int fd, unsigned int ino)
{
	opens_sized(pid, path, flags, fd, ino, 10);
}

static void closes(unsigned int pid, int fd)
{
	reset(ET_K_CLOSE, pid);
	et_set(&ev, ET_V_CLOSE_fd, fd);
	et_set(&ev, ET_V_CLOSE_read, 10);
	graph_event(graph, &ev);
}

static void forks(unsigned int pid, unsigned int child)
{
	reset(ET_K_CLONE, pid);
	et_set(&ev, ET_V_CLONE_child, child);
	graph_event(graph, &ev);
}

static void exits(unsigned int pid)
{
	reset(ET_K_EXIT, pid);
	et_set(&ev, ET_V_EXIT_status, 0);
	graph_event(graph, &ev);
}

static void runs(unsigned int pid, const char *path)
{
	reset(ET_K_EXEC, pid);
	et_add_string(&ev, ET_S_EXEC_path, path, strlen(path));
	et_add_string(&ev, ET_S_EXEC_interp, path, strlen(path));
	graph_event(graph, &ev);
}

static void removes(const char *path)
{
	reset(ET_K_UNLINK, 1);
	et_add_string(&ev, ET_S_UNLINK_path, path, strlen(path));
	graph_event(graph, &ev);
}

static void content(const char *path, unsigned int ino)
{
	content_of = 0;
	reset(ET_K_CONTENT, 1);
	et_add_string(&ev, ET_S_CONTENT_path, path, strlen(path));
	et_set(&ev, ET_V_CONTENT_dev, 1);
	et_set(&ev, ET_V_CONTENT_ino, ino);
	graph_event(graph, &ev);
}

static void says(const char *want)
{
	assert_string_equal(settled_list, want);
	*settled_list = '\0';
}

static void closes_written(unsigned int pid, int fd)
{
	reset(ET_K_CLOSE, pid);
	et_set(&ev, ET_V_CLOSE_fd, fd);
	et_set(&ev, ET_V_CLOSE_wrote, 10);
	graph_event(graph, &ev);
}

/* A file that is read is settled once. */
static void test_read_settles_once(void **state)
{
	(void)state;
	opens(1, "/a", 0, 3, 11);
	says("/a1 ");
	assert_true(last.existed);
	assert_int_equal(last.fd, 3);
	assert_int_equal(last.changed, 0);
	assert_true(graph_is_settled(graph, &last, now));
	closes(1, 3);
	opens(1, "/a", 0, 3, 11);
	says("");
	runs(1, "/b");
	says("/b2 ");
}

/* While any process has the file open for writing, it is not settled. */
static void test_not_settled_while_writable(void **state)
{
	struct graph_settled before;

	(void)state;
	opens(1, "/a", 0, 3, 11);
	before = last;
	opens(1, "/a", WR | TRUNC, 4, 11);
	assert_false(graph_is_settled(graph, &before, now));
	forks(1, 2);
	closes(1, 4);
	says("/a1 ");
	exits(2);
	says("/a2 ");
	assert_false(last.existed);
	assert_int_equal(last.changed, now);
	assert_int_equal(last.nmappers, 0);
	assert_true(graph_is_settled(graph, &last, now));
	/* hashed before the last change */
	assert_false(graph_is_settled(graph, &last, now - 1));
	/* changed in place: a new version */
	opens(1, "/a", WR, 4, 11);
	closes(1, 4);
	says("/a3 ");
}

/* A file that is read while others can still change it has no content that all of them saw. */
static void test_read_while_changing(void **state)
{
	(void)state;
	opens(1, "/a", WR | CREAT | TRUNC, 4, 11);
	/* read by the process that writes it */
	opens(1, "/a", 0, 5, 11);
	says("");
	forks(1, 2);
	opens(2, "/a", 0, 6, 11);
	says("?2 ");
	exits(2);
	closes(1, 4);
	says("");
	assert_false(graph_settle_again(graph, &last) && *settled_list);
	/* changed through a mapping that the owner found, before or after it was read */
	opens(1, "/b", RDWR | CREAT | TRUNC, 4, 12);
	closes(1, 4);
	says("/b4 ");
	graph_is_mapped(graph, &last, true);
	says("");
	opens(3, "/b", 0, 3, 12);
	says("?4 ");
	opens(1, "/c", RDWR | CREAT | TRUNC, 4, 13);
	closes(1, 4);
	says("/c6 ");
	opens(3, "/c", 0, 4, 13);
	graph_is_mapped(graph, &last, true);
	opens(3, "/c", 0, 5, 13);
	says("?6 ");
	/* through a mapping of a process that had ended when the owner looked */
	opens(1, "/e", RDWR | CREAT | TRUNC, 4, 15);
	closes_written(1, 4);
	says("/e8 ");
	graph_was_mapped(graph, &last);
	says("");
	opens(3, "/e", 0, 7, 15);
	graph_was_mapped(graph, &last);
	says("?8 ");
	/* the owner did not look before the process ended; or its content was known by then */
	for (unsigned int known = 0; known < 2; known++) {
		forks(1, 5);
		opens(5, known ? "/g" : "/f", RDWR | CREAT | TRUNC, 4, 16 + known);
		closes_written(5, 4);
		if (known)
			graph_is_proven(graph, &last);
		opens(3, known ? "/g" : "/f", 0, 8, 16 + known);
		*settled_list = '\0';
		exits(5);
		graph_settle_mapped(graph);
		says(known ? "" : "?10 ");
	}
	/* a reader does not have to wait until the owner has looked for mappings */
	opens(1, "/d", RDWR | CREAT | TRUNC, 4, 14);
	closes(1, 4);
	says("/d14 ");
	graph_is_mapped(graph, &last, false);
	opens(3, "/d", 0, 6, 14);
	says("/d14 ");
	/* a process that only created the file, for another one to write, has mapped nothing */
	forks(1, 6);
	opens(6, "/h", RDWR | CREAT | TRUNC, 4, 18);
	closes(6, 4);
	opens(7, "/h", WR, 4, 18);
	closes_written(7, 4);
	opens(3, "/h", 0, 9, 18);
	*settled_list = '\0';
	graph_was_mapped(graph, &last);
	exits(6);
	graph_settle_mapped(graph);
	says("");
}

/* In another mount namespace, a name does not tell which file it is. */
static void test_other_mount_namespace(void **state)
{
	(void)state;
	forks(1, 2);
	reset(ET_K_UNSHARE, 2);
	et_set(&ev, ET_V_UNSHARE_flags, CLONE_NEWNS);
	graph_event(graph, &ev);
	forks(2, 3);
	opens(3, "/a", 0, 3, 11);
	says("/a1 ");
	for (unsigned int pid = 1; pid <= 3; pid += 2) {
		reset(ET_K_OPEN, pid);
		et_set(&ev, ET_V_OPEN_flags, 0);
		et_set(&ev, ET_V_OPEN_fd, 4);
		et_add_string(&ev, ET_S_OPEN_name, "/a", 2);
		graph_event(graph, &ev);
		says(pid == 1 ? "" : "?1 ");
	}
}

/* Two names turn out to be one file: opening one of them changed the content seen by the other. */
static void test_two_names_one_file(void **state)
{
	(void)state;
	opens(1, "/a", 0, 3, 11);
	says("/a1 ");
	reset(ET_K_OPEN, 1);
	et_set(&ev, ET_V_OPEN_flags, WR | TRUNC);
	et_set(&ev, ET_V_OPEN_fd, 4);
	et_add_string(&ev, ET_S_OPEN_name, "/b", 2);
	graph_event(graph, &ev);
	closes(1, 4);
	says("/b3 ");
	opens(1, "/b", 0, 4, 11);
	says("?3 /b3 ");
	opens(1, "/a", 0, 5, 11);
	says("?1 /a1 ");
}

/* A process that keeps a file open reads new content that is recorded as the old version. */
static void test_new_content_read_as_old_version(void **state)
{
	(void)state;
	opens(1, "/a", 0, 3, 11);
	says("/a1 ");
	/* changed by the process itself */
	opens(1, "/a", WR, 4, 11);
	closes(1, 4);
	says("/a2 ");
	opens(2, "/a", WR | TRUNC, 4, 11);
	says("?2 ");
	closes(2, 4);
	says("/a3 ");
	/* shared with a child: others can read it, too */
	closes(1, 3);
	opens(1, "/a", 0, 3, 11);
	forks(1, 4);
	opens(1, "/a", WR, 4, 11);
	says("?3 ");
	closes(1, 4);
	says("/a4 ");
	closes(1, 3);
	exits(4);
	opens(2, "/a", WR | TRUNC, 4, 11);
	says("");
}

/* A file has changed since the trace's last write: reported once, with the size it had. */
static void test_changed_after_last_write(void **state)
{
	(void)state;
	opens(1, "/a", WR | CREAT | TRUNC, 4, 11);
	closes(1, 4);
	opens(1, "/a", 0, 3, 11);
	says("/a2 ");
	opens_sized(2, "/a", 0, 4, 11, 0);
	says("?2 /a2 ");
	assert_non_null(last.unsure);
	assert_int_equal(last.size, 10);
	assert_true(last.sized);
	closes(1, 3);
	opens_sized(1, "/a", 0, 3, 11, 0);
	says("");
	assert_true(graph_is_settled(graph, &last, now));
	/* the current open has emptied it */
	opens_sized(2, "/a", WR | TRUNC, 4, 11, 0);
	assert_false(graph_is_settled(graph, &last, now));
	/* the size it was left with is unknown: cp --reflink writes nothing */
	opens_sized(1, "/b", WR | CREAT | TRUNC, 5, 12, 0);
	closes(1, 5);
	says("/b4 ");
	opens_sized(1, "/b", 0, 5, 12, 20);
	says("");
	closes(1, 5);
	opens_sized(1, "/b", 0, 5, 12, 30);
	says("?4 /b4 ");
}

/* A new name changes the inode's ctime. */
static void test_new_name_changes_ctime(void **state)
{
	(void)state;
	opens(1, "/a", WR | CREAT | TRUNC, 4, 11);
	closes(1, 4);
	says("/a2 ");
	reset(ET_K_RENAME, 1);
	et_add_string(&ev, ET_S_RENAME_from, "/a", 2);
	et_add_string(&ev, ET_S_RENAME_to, "/b", 2);
	graph_event(graph, &ev);
	says("");
	assert_false(graph_is_settled(graph, &last, now - 1));
	assert_true(graph_is_settled(graph, &last, now));
	assert_int_equal(graph_unchanged(graph, &last), now);
	assert_true(graph_settle_again(graph, &last));
	says("/b2 ");
	/* a file that is gone cannot be settled */
	reset(ET_K_UNLINK, 1);
	et_add_string(&ev, ET_S_UNLINK_path, "/b", 2);
	graph_event(graph, &ev);
	assert_false(graph_settle_again(graph, &last));
	says("");
}

/* A file that was open for reading and writing may stay mapped, also in children, until execve. */
static void test_may_stay_mapped(void **state)
{
	(void)state;
	opens(1, "/a", RDWR | CREAT | TRUNC, 4, 11);
	closes(1, 4);
	says("/a2 ");
	assert_int_equal(last.nmappers, 1);
	assert_int_equal(last.mappers[0], 1);
	forks(1, 2);
	graph_is_mapped(graph, &last, true);
	says("");
	runs(1, "/x");
	says("/x3 ");
	exits(2);
	says("/a2 ");
	assert_int_equal(last.nmappers, 0);
	assert_int_equal(last.changed, now);
}

/* A program outside the trace changed the file: its size or mtime differs. */
static void test_changed_from_outside(void **state)
{
	(void)state;
	opens(1, "/a", 0, 3, 11);
	says("/a1 ");
	reset(ET_K_OPEN, 1);
	et_set(&ev, ET_V_OPEN_flags, 0);
	et_set(&ev, ET_V_OPEN_fd, 4);
	et_set(&ev, ET_V_OPEN_dev, 1);
	et_set(&ev, ET_V_OPEN_ino, 11);
	et_set(&ev, ET_V_OPEN_size, 10);
	et_set(&ev, ET_V_OPEN_mtime, 6);
	et_add_string(&ev, ET_S_OPEN_name, "/a", 2);
	graph_event(graph, &ev);
	says("?1 /a1 ");
	assert_non_null(last.unsure);
	assert_int_equal(last.since, now);
}

static void changes_mode(const char *path)
{
	reset(ET_K_CHMOD, 1);
	et_set(&ev, ET_V_CHMOD_mode, 0755);
	et_add_string(&ev, ET_S_CHMOD_path, path, strlen(path));
	graph_event(graph, &ev);
}

/* A change of mode before the file was identified explains its ctime. */
static void test_mode_changed_before(void **state)
{
	uint64_t changed;

	(void)state;
	opens(1, "/b", 0, 3, 12);
	says("/b1 ");
	assert_int_equal(last.changed, 0);
	changes_mode("/a");
	changed = now;
	opens(1, "/a", 0, 3, 11);
	says("/a2 ");
	assert_int_equal(last.changed, changed);
}

/* Something else wrote to a file: after the trace changed its mode, or before it was identified. */
static void test_written_by_something_else(void **state)
{
	int64_t first;

	(void)state;
	opens(1, "/a", 0, 3, 11);
	changes_mode("/a");
	opens_sized(1, "/a", 0, 4, 11, 10);
	says("/a1 ");
	opens_sized(1, "/a", 0, 5, 11, 12);
	says("?1 /a1 ");
	assert_int_equal(last.since, now);
	runs(1, "/b");
	says("/b2 ");
	first = last.since;
	opens(1, "/b", 0, 6, 12);
	says("/b2 ");
	/* who used it first may have seen what it held before */
	assert_int_equal(last.since, first);
	opens(1, "/b", 0, 7, 12);
	says("");
}

/* A file that the owner keeps open stays identified when it is removed. */
static void test_kept_open_after_removal(void **state)
{
	struct graph_settled file;

	(void)state;
	opens(1, "/a", WR | CREAT | TRUNC, 4, 11);
	says("");
	file = written;
	assert_int_equal(file.ino, 11);
	assert_true(graph_may_change(graph, file.object));
	assert_true(graph_keep(graph, &file));
	closes(1, 4);
	says("/a2 ");
	assert_false(graph_may_change(graph, file.object));
	assert_true(graph_has_name(graph, file.object));
	removes("/a");
	assert_false(graph_has_name(graph, file.object));
	assert_true(graph_is_settled(graph, &last, now));
	/* another file with the same inode number: it is uncertain which of the two was opened */
	opens(1, "/b", WR | CREAT | TRUNC, 4, 11);
	assert_false(graph_is_settled(graph, &last, now));
	graph_drop(graph, file.object);
	/* removed before the owner could keep it open */
	removes("/b");
	assert_false(graph_keep(graph, &written));
}

/* Created empty, and not written to. */
static void test_created_and_not_written(void **state)
{
	(void)state;
	opens(1, "/a", RDWR | CREAT | TRUNC, 4, 11);
	reset(ET_K_CLOSE, 1);
	et_set(&ev, ET_V_CLOSE_fd, 4);
	graph_event(graph, &ev);
	says("/a2 ");
	assert_true(last.unwritten);
	assert_int_equal(last.made, now - 1000);
	opens(1, "/a", WR, 4, 11);
	closes_written(1, 4);
	says("/a3 ");
	assert_false(last.unwritten);
	opens(1, "/a", WR | TRUNC, 4, 11);
	forks(1, 2);
	closes(1, 4);
	closes_written(2, 4);
	says("/a4 ");
	assert_false(last.unwritten);
}

/* Which version a recorded content belongs to when a trace is read. */
static void test_content_belongs_to_version(void **state)
{
	(void)state;
	opens(1, "/a", WR | CREAT | TRUNC, 4, 11);
	closes(1, 4);
	content("/a", 11);
	assert_int_equal(content_of, 2);
	removes("/a");
	content("", 11);
	assert_int_equal(content_of, 2);
	/* another file gets the name */
	opens(1, "/a", WR | CREAT | TRUNC, 4, 12);
	closes(1, 4);
	content("/a", 11);
	assert_int_equal(content_of, 2);
	content("/a", 12);
	assert_int_equal(content_of, 3);
	/* and another one the inode number */
	opens(1, "/b", WR | CREAT | TRUNC, 4, 11);
	content("/b", 11);
	assert_int_equal(content_of, 5);
	content("/b", 13);
	assert_int_equal(content_of, 0);
	*settled_list = '\0';
}

/* ---- files ---- */

static char dir[] = "/tmp/contents.XXXXXX";
static struct file_limits limits = { .max = 1 << 20, .pids = true };
static struct file_result result;

static int in_directory(void **state)
{
	(void)state;
	limits.keeps = mount_ids_lasting();
	return !mkdtemp(dir) || chdir(dir);
}

static int remove_directory(void **state)
{
	(void)state;
	unlink("f");
	return chdir("/") || rmdir(dir);
}

static int64_t monotonic(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (int64_t)t.tv_sec * SECOND + t.tv_nsec;
}

static void nap(long ms)
{
	const struct timespec t = { .tv_nsec = ms * 1000000 };

	nanosleep(&t, NULL);
}

static void put(const char *text)
{
	int fd = open("f", O_WRONLY | O_CREAT | O_TRUNC, 0600);

	assert_int_equal(write(fd, text, strlen(text)), strlen(text));
	close(fd);
}

/* A job for the file "f". */
static struct file_job job_of(bool existed)
{
	struct file_job job = {
		.path = (char *)"f", .kept = -1, .of = { .existed = existed, .fd = -1 }
	};
	struct stat st;

	assert_int_equal(stat("f", &st), 0);
	job.of.identified = true;
	job.of.dev = (uint32_t)((st.st_dev & 0xff) | (st.st_dev >> 8 & 0xfff) << 8);
	job.of.ino = st.st_ino;
	job.of.size = (uint64_t)st.st_size;
	job.of.mtime = (int64_t)st.st_mtim.tv_sec * SECOND + st.st_mtim.tv_nsec;
	*(existed ? &job.of.since : &job.of.changed) = monotonic();
	return job;
}

/* The time of the file's last change, on the monotonic clock. */
static int64_t changed_at(void)
{
	struct timespec now_real;
	struct stat st;

	clock_gettime(CLOCK_REALTIME, &now_real);
	assert_int_equal(stat("f", &st), 0);
	return (int64_t)(st.st_ctim.tv_sec - now_real.tv_sec) * SECOND + st.st_ctim.tv_nsec -
	       now_real.tv_nsec + monotonic();
}

static struct file_mounts mounts;

static const char *hash_by(const struct file_job *job, const struct file_limits *by)
{
	struct file_found found;

	if (file_find(job, by, &mounts, &found, &result))
		file_read(&found, &result);
	return result.why_not;
}

static const char *hash(const struct file_job *job)
{
	return hash_by(job, &limits);
}

static bool is_hash(const uint8_t *have, const char *want)
{
	char text[2 * FILE_HASH + 1];

	for (size_t i = 0; i < FILE_HASH; i++)
		snprintf(text + 2 * i, 3, "%02x", have[i]);
	return !strcmp(text, want);
}

static void test_hash(void **state)
{
	struct file_job job;
	int64_t before;

	(void)state;
	put("hello\n");
	job = job_of(false);
	before = monotonic();
	assert_null(hash(&job));
	/* sha256sum; git hash-object in a repository with --object-format=sha256 */
	assert_true(is_hash(result.id.sha256,
			    "5891b5b522d5df086d0ff0b110fbd9d21bb4fc7163af34d08286a2e846f6be03"));
	assert_true(is_hash(result.id.gitoid,
			    "2cf8d83d9ee29543b34a87727421fdecb7e3f3a183d337639025de576db9ebb4"));
	assert_int_equal(result.key.size, 6);
	assert_in_range(result.time, before, monotonic());
	assert_true(file_still("f", result.key.ino, result.key.ctime, 0));
	nap(30);
	put("hallo\n");
	assert_false(file_still("f", result.key.ino, result.key.ctime, 0));
	assert_true(file_still("f", result.key.ino, result.key.ctime, monotonic()));
	assert_true(file_still("gone", result.key.ino, result.key.ctime, 0));
}

static void test_age(void **state)
{
	struct file_job job;

	(void)state;
	put("first");
	/* changed in the tick of its first use: it is unknown which content was used */
	job = job_of(true);
	job.of.since = changed_at();
	assert_string_equal(hash(&job), "changed at the time of its first use, or after that");
	nap(40);
	job = job_of(true);
	assert_null(hash(&job));
	put("after");
	assert_non_null(hash(&job));
	/* the build changed it, which is known; later something else did */
	job = job_of(false);
	assert_null(hash(&job));
	nap(40);
	put("later");
	assert_string_equal(hash(&job), "changed by something that is not recorded");
	/* an open that is not yet recorded has emptied it */
	put("");
	job = job_of(false);
	assert_null(hash(&job));
	job.of.size = 5;
	job.of.sized = true;
	assert_string_equal(hash(&job), "changed by something that is not recorded");
	/* the same size and mtime do not help */
	job = job_of(true);
	job.of.since = changed_at() - 20000000;
	assert_non_null(hash(&job));
}

/* Hashed in the tick in which it was written: another change in that tick must be noticed. */
static void test_change_in_the_same_tick(void **state)
{
	struct file_job job;
	struct stat st;
	int fd;

	(void)state;
	for (int i = 0; i < 50; i++) {
		put("text");
		job = job_of(false);
		assert_null(hash(&job));
		fd = open("f", O_WRONLY);
		assert_int_equal(write(fd, "next", 4), 4);
		close(fd);
		stat("f", &st);
		assert_int_not_equal((int64_t)st.st_ctim.tv_sec * SECOND + st.st_ctim.tv_nsec,
				     result.key.ctime);
		assert_false(file_still("f", result.key.ino, result.key.ctime, 0));
	}
}

static void test_other(void **state)
{
	struct file_job job;

	(void)state;
	put("text");
	nap(40);
	job = job_of(true);
	job.of.ino++;
	assert_string_equal(hash(&job), "gone before the recorder could read it");
	job = job_of(true);
	job.path = (char *)"g";
	assert_string_equal(hash(&job), "gone before the recorder could read it");
	/* through a process's descriptor, whatever the name is */
	job.of.fd = open("f", O_RDONLY);
	job.pid = getpid();
	assert_null(hash(&job));
	assert_int_equal(result.key.size, 4);
	close(job.of.fd);
	unlink("f");
	assert_int_equal(mkfifo("f", 0600), 0);
	job.path = (char *)"f";
	job.pid = 0;
	assert_string_equal(hash(&job), "not a regular file any more");
	unlink("f");
	put("");
	assert_int_equal(truncate("f", (1 << 20) + 1), 0);
	job = job_of(false);
	assert_string_equal(hash(&job), "larger than the limit of --hash-max");
	assert_int_equal(truncate("f", 1 << 20), 0);
	job = job_of(false);
	assert_null(hash(&job));
	job.path = (char *)"/proc/version";
	job.of.identified = false;
	assert_string_equal(hash(&job), "its file system is not known to keep exact times");
}

/* Only files on mounts that existed at the start are hashed. */
static void test_only_mounts_of_the_start(void **state)
{
	struct file_limits some = limits;
	uint64_t none = 0;
	struct file_job job;

	(void)state;
	put("text");
	nap(40);
	job = job_of(true);
	some.mounts = mount_ids_now();
	assert_true(some.mounts.n > 0);
	assert_null(hash_by(&job, &some));
	mount_ids_free(&some.mounts);
	some.mounts = (struct mount_ids){ &none, 1 };
	assert_string_equal(hash_by(&job, &some),
			    "on a file system that was mounted during the recording");
	/* nor are files kept open on a mount that may be unmounted */
	some.keeps = some.mounts;
	assert_int_equal(file_keep(&job, &some, &mounts), -1);
	some.keeps.n = 0;
	assert_int_equal(file_keep(&job, &some, &mounts), -1);
}

static void test_mapping(void **state)
{
	struct file_job job;
	int fd, ready[2], go[2];
	char c;
	pid_t pid;

	(void)state;
	put("text");
	assert_int_equal(pipe(ready) | pipe(go), 0);
	fd = open("f", O_RDWR);
	pid = fork();
	if (!pid) {
		mmap(NULL, 4, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
		close(fd);
		_exit(write(ready[1], "", 1) != 1 || read(go[0], &c, 1) != 1);
	}
	close(fd);
	assert_int_equal(read(ready[0], &c, 1), 1);
	job = job_of(false);
	job.of.nmappers = 1;
	job.of.mappers[0] = (uint32_t)pid;
	assert_string_equal(hash(&job), "a process may write to it through a mapping");
	assert_true(result.mapped);
	job.of.mappers[0] = (uint32_t)getpid();
	assert_null(hash(&job));
	job.of.nmappers = GRAPH_MAPPERS + 1;
	assert_non_null(hash(&job));
	assert_int_equal(write(go[1], "", 1), 1);
	waitpid(pid, NULL, 0);
	/* the mapping is gone with the process */
	job.of.nmappers = 1;
	job.of.mappers[0] = (uint32_t)pid;
	assert_null(hash(&job));
	close(ready[0]);
	close(ready[1]);
	close(go[0]);
	close(go[1]);
}

/* The file no longer has a name. */
static void test_file_without_a_name(void **state)
{
	struct file_job job;
	int fd, status;

	(void)state;
	put("text");
	job = job_of(false);
	memset(&mounts, 0, sizeof(mounts));
	job.kept = file_keep(&job, &limits, &mounts);
	assert_true(job.kept >= 0);
	/* on a mount that is already known */
	fd = file_keep(&job, &limits, &mounts);
	assert_true(fd >= 0 && fd != job.kept);
	close(fd);
	/* a kept file can still be executed */
	assert_int_equal(chmod("f", 0700), 0);
	fd = fork();
	if (!fd) {
		execl("f", "f", NULL);
		_exit(errno == ENOEXEC ? 0 : 1);
	}
	waitpid(fd, &status, 0);
	assert_int_equal(status, 0);
	unlink("f");
	job.of.changed = monotonic();
	assert_null(hash(&job));
	assert_int_equal(result.key.size, 4);
	/* its name now belongs to another file */
	put("other");
	assert_null(hash(&job));
	assert_int_equal(result.key.size, 4);
	close(job.kept);
	job.kept = -1;
	assert_non_null(hash(&job));
}

/* A file created empty and unchanged since need not be read, and needs no wait for a tick. */
static void test_empty_files_not_read(void **state)
{
	struct file_job job;

	(void)state;
	put("");
	job = job_of(false);
	job.of.unwritten = true;
	job.of.made = job.of.changed;
	assert_null(hash(&job));
	assert_true(result.empty);
	assert_true(is_hash(result.id.gitoid,
			    "473a0f4c3be8a93681a267e3b1e9a7dcda1185436fe141f7749120a303721813"));
	/* changed after it was created, even if it is empty again */
	nap(40);
	put("text");
	put("");
	job.of.changed = monotonic();
	assert_null(hash(&job));
	assert_false(result.empty);
	put("text");
	job = job_of(false);
	job.of.unwritten = true;
	job.of.made = job.of.changed;
	assert_null(hash(&job));
	assert_false(result.empty);
}

/* ---- both ---- */

static unsigned int events_seen;

static int count_event(struct sink *s, const void *item)
{
	const struct et_event *of = item;

	(void)s;
	events_seen += of->kind == ET_K_CONTENT && et_has_string(of, ET_S_CONTENT_sha256);
	return 0;
}

static const struct sink_ops counting = { .item = count_event };
static struct sink counter = { .ops = &counting };

static int64_t opened_dev, opened_ino;	/* set by open_at() */

/* An event that opens the file "f" at @at. */
static void open_at(struct contents *c, unsigned int flags, int fd, int64_t at)
{
	char path[64];
	struct stat st;

	assert_int_equal(stat("f", &st), 0);
	opened_dev = (st.st_dev & 0xff) | (st.st_dev >> 8 & 0xfff) << 8;
	opened_ino = (int64_t)st.st_ino;
	et_reset(&ev, ET_K_OPEN, 1, 0, (uint64_t)at);
	et_set(&ev, ET_V_OPEN_flags, flags);
	et_set(&ev, ET_V_OPEN_fd, fd);
	et_set(&ev, ET_V_OPEN_dev, opened_dev);
	et_set(&ev, ET_V_OPEN_ino, opened_ino);
	et_set(&ev, ET_V_OPEN_size, st.st_size);
	et_set(&ev, ET_V_OPEN_mtime, (int64_t)st.st_mtim.tv_sec * SECOND + st.st_mtim.tv_nsec);
	snprintf(path, sizeof(path), "%s/f", dir);
	et_add_string(&ev, ET_S_OPEN_name, path, strlen(path));
	contents_event(c, &ev);
}

/*
 * A hash that was not proven is not cached, either: while it was computed, another program had
 * opened the file for writing, and may have mapped it, so that two contents may have the same
 * ctime.
 */
static void test_unproven_hash_not_cached(void **state)
{
	struct contents_options o = { .pid_bits = 22, .pids = true, .max = 1 << 20 };
	struct content_id id;
	struct contents *c;
	struct file_job job;
	char why[200];
	int64_t at;

	(void)state;
	et_init(&ev);
	for (int written = 1; written >= 0; written--) {
		put(written ? "written" : "read");
		nap(40);
		o.cache = content_cache_open("cache", 64, why, sizeof(why));
		assert_non_null(o.cache);
		c = contents_new(&o, &counter, why, sizeof(why));
		assert_non_null(c);
		events_seen = 0;
		/* both before the hash is computed, however busy the machine is */
		at = monotonic();
		open_at(c, 0, 3, at);
		if (written)
			open_at(c, RDWR, 4, at + 1);
		while (contents_wait(c, 100))
			;
		contents_end(c);
		contents_free(c);
		assert_int_equal(events_seen, !written);
		job = job_of(true);
		assert_null(hash(&job));
		assert_int_equal(content_cache_get(o.cache, &result.key, &id), !written);
		assert_true(written || !memcmp(&id, &result.id, sizeof(id)));
		content_cache_close(o.cache);
		unlink("cache");
	}
	et_fini(&ev);
}

/* Start hashing without a cache, and reset the count of events. */
static struct contents *start(void)
{
	const struct contents_options o = { .pid_bits = 22, .pids = true, .max = 1 << 20 };
	char why[200];
	struct contents *c = contents_new(&o, &counter, why, sizeof(why));

	assert_non_null(c);
	events_seen = 0;
	return c;
}

/* Change the mode or the owner of "f", which only changes its ctime. */
static void change_inode(bool owner)
{
	assert_int_equal(owner ? chown("f", geteuid(), (gid_t)-1) : chmod("f", 0700), 0);
}

static void event_inode(bool owner, const char *path)
{
	et_reset(&ev, owner ? ET_K_CHOWN : ET_K_CHMOD, 1, 0, (uint64_t)monotonic());
	if (owner) {
		et_set(&ev, ET_V_CHOWN_uid, geteuid());
		et_set(&ev, ET_V_CHOWN_gid, -1);
	} else {
		et_set(&ev, ET_V_CHMOD_mode, 0700);
	}
	et_add_string(&ev, owner ? ET_S_CHOWN_path : ET_S_CHMOD_path, path, strlen(path));
}

/*
 * A linker closes its output and then calls chmod, or an installer chown: the file may be looked
 * at before that call is recorded.
 */
static void close_then_change(bool owner)
{
	struct contents *c;
	char path[64];
	int64_t at;

	et_init(&ev);
	snprintf(path, sizeof(path), "%s/f", dir);
	put("linked");
	at = monotonic();
	nap(40);
	change_inode(owner);
	c = start();
	open_at(c, WR | CREAT | TRUNC, 3, at);
	et_reset(&ev, ET_K_CLOSE, 1, 0, (uint64_t)at + 1);
	et_set(&ev, ET_V_CLOSE_fd, 3);
	contents_event(c, &ev);
	/* a thread looks at the file, and finds a ctime that no event explains */
	nap(30);
	event_inode(owner, path);
	contents_event(c, &ev);
	while (contents_wait(c, 100))
		;
	assert_int_equal(events_seen, 1);
	contents_free(c);
	et_fini(&ev);
}

static void test_late(void **state)
{
	(void)state;
	close_then_change(false);
	close_then_change(true);
}

/* The compiler's output for the assembler is removed as soon as the assembler has read it. */
static void test_removed_after_use(void **state)
{
	struct contents *c;
	char path[64];

	(void)state;
	et_init(&ev);
	snprintf(path, sizeof(path), "%s/f", dir);
	for (int other = 0; other <= 1; other++) {
		put("assembler");
		c = start();
		open_at(c, WR | CREAT | TRUNC, 3, monotonic());
		while (contents_wait(c, 100))
			;
		assert_int_equal(events_seen, 0);
		unlink("f");
		et_reset(&ev, ET_K_CLOSE, 1, 0, (uint64_t)monotonic());
		et_set(&ev, ET_V_CLOSE_fd, 3);
		et_set(&ev, ET_V_CLOSE_wrote, 9);
		contents_event(c, &ev);
		et_reset(&ev, ET_K_UNLINK, 1, 0, (uint64_t)monotonic());
		et_add_string(&ev, ET_S_UNLINK_path, path, strlen(path));
		contents_event(c, &ev);
		if (other) {
			/* a reused inode number: it is uncertain which of the files has it */
			et_reset(&ev, ET_K_OPEN, 1, 0, (uint64_t)monotonic());
			et_set(&ev, ET_V_OPEN_flags, WR | CREAT);
			et_set(&ev, ET_V_OPEN_fd, 3);
			et_set(&ev, ET_V_OPEN_dev, opened_dev);
			et_set(&ev, ET_V_OPEN_ino, opened_ino);
			et_add_string(&ev, ET_S_OPEN_name, path, strlen(path));
			contents_event(c, &ev);
		}
		while (contents_wait(c, 100))
			;
		assert_int_equal(events_seen, !other);
		contents_free(c);
	}
	et_fini(&ev);
}

static void test_tally(void **state)
{
	static const struct graph_version begin[] = {
		{ .id = 1, .made = GRAPH_EXISTED },
		/* opened for writing but not written to: same content as the version before */
		{ .id = 2, .made = GRAPH_CHANGED, .base = 1 },
		{ .id = 3, .made = GRAPH_WRITTEN },
		{ .id = 4, .made = GRAPH_CHANGED, .base = 3 },
		{ .id = 5, .made = GRAPH_CHANGED, .base = 4 },
		{ .id = 6, .made = GRAPH_CHANGED, .base = 5 },
		/* only looked up, and not a regular file */
		{ .id = 7, .made = GRAPH_EXISTED }, { .id = 8, .made = GRAPH_SPECIAL },
	};
	static const struct graph_access uses[] = {
		{ .version = 1, .how = GRAPH_READ }, { .version = 2, .how = GRAPH_OPEN },
		{ .version = 3, .how = GRAPH_WRITE }, { .version = 5, .how = GRAPH_RUN },
		{ .version = 6, .how = GRAPH_WRITE }, { .version = 7, .how = GRAPH_LOOK },
		{ .version = 8, .how = GRAPH_READ }, { .how = GRAPH_READ },
	};
	struct version_tally t = { 0 };
	uint64_t hashed;

	(void)state;
	assert_int_equal(version_tally_count(&t, &hashed), 0);
	for (size_t i = 0; i < sizeof(begin) / sizeof(begin[0]); i++)
		version_tally_begin(&t, &begin[i]);
	for (size_t i = 0; i < sizeof(uses) / sizeof(uses[0]); i++)
		version_tally_use(&t, &uses[i]);
	assert_int_equal(version_tally_count(&t, &hashed), 3);
	assert_int_equal(hashed, 0);
	version_tally_hash(&t, 5, true);
	version_tally_hash(&t, 6, true);
	version_tally_hash(&t, 7, true);
	version_tally_hash(&t, 8, true);
	assert_int_equal(version_tally_count(&t, &hashed), 3);
	assert_int_equal(hashed, 2);
	version_tally_hash(&t, 1, true);
	version_tally_hash(&t, 6, false);
	assert_int_equal(version_tally_count(&t, &hashed), 3);
	assert_int_equal(hashed, 2);
	version_tally_free(&t);
}

int main(void)
{
	const struct CMUnitTest of_graph[] = {
		cmocka_unit_test_setup_teardown(test_read_settles_once, begin, end),
		cmocka_unit_test_setup_teardown(test_not_settled_while_writable, begin, end),
		cmocka_unit_test_setup_teardown(test_read_while_changing, begin, end),
		cmocka_unit_test_setup_teardown(test_other_mount_namespace, begin, end),
		cmocka_unit_test_setup_teardown(test_two_names_one_file, begin, end),
		cmocka_unit_test_setup_teardown(test_new_content_read_as_old_version, begin, end),
		cmocka_unit_test_setup_teardown(test_changed_after_last_write, begin, end),
		cmocka_unit_test_setup_teardown(test_new_name_changes_ctime, begin, end),
		cmocka_unit_test_setup_teardown(test_may_stay_mapped, begin, end),
		cmocka_unit_test_setup_teardown(test_changed_from_outside, begin, end),
		cmocka_unit_test_setup_teardown(test_written_by_something_else, begin, end),
		cmocka_unit_test_setup_teardown(test_mode_changed_before, begin, end),
		cmocka_unit_test_setup_teardown(test_kept_open_after_removal, begin, end),
		cmocka_unit_test_setup_teardown(test_created_and_not_written, begin, end),
		cmocka_unit_test_setup_teardown(test_content_belongs_to_version, begin, end),
	};
	const struct CMUnitTest of_files[] = {
		cmocka_unit_test(test_hash),
		cmocka_unit_test(test_age),
		cmocka_unit_test(test_change_in_the_same_tick),
		cmocka_unit_test(test_other),
		cmocka_unit_test(test_only_mounts_of_the_start),
		cmocka_unit_test(test_mapping),
		cmocka_unit_test(test_unproven_hash_not_cached),
		cmocka_unit_test(test_late),
		cmocka_unit_test(test_file_without_a_name),
		cmocka_unit_test(test_empty_files_not_read),
		cmocka_unit_test(test_removed_after_use),
		cmocka_unit_test(test_tally),
	};

	return cmocka_run_group_tests(of_graph, NULL, NULL) |
	       cmocka_run_group_tests(of_files, in_directory, remove_directory);
}
