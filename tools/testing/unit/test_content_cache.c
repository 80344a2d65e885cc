// SPDX-License-Identifier: GPL-2.0
/*
 * The cache of hashes: what it remembers and forgets, concurrent use and creation, every kind of
 * damage, files that are refused, and where the file lies.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

/* The effective uid that the cache sees. */
static uid_t faked_euid;

static uid_t fake_geteuid(void)
{
	return faked_euid;
}

/* Included with this, in place of the library's file. */
#define geteuid() fake_geteuid()
#include "content/content_cache.c"
#undef geteuid

#define NAME		"hashes"
#define CHILDREN	8
#define MANY_KEYS	64

static char dir[64];

/* ---- helpers ---- */

static struct content_key key_of(uint64_t n)
{
	return (struct content_key){
		.dev = n % 3, .ino = n, .size = n * 1000, .fsid = n / 2,
		.mtime = -(int64_t)n, .ctime = (int64_t)n << 40,
	};
}

static struct content_id id_of(uint64_t n)
{
	struct content_id id;

	for (size_t i = 0; i < sizeof(id.sha256); i++) {
		id.sha256[i] = (uint8_t)(n * 7 + i);
		id.gitoid[i] = (uint8_t)(n * 11 + i * 3 + 1);
	}
	return id;
}

static bool put(struct content_cache *c, uint64_t n)
{
	const struct content_key key = key_of(n);
	const struct content_id id = id_of(n);

	return content_cache_put(c, &key, &id);
}

/* Return: 1 if the right id is found, 0 if none, -1 if it is wrong or was changed by a miss. */
static int get(struct content_cache *c, uint64_t n)
{
	const struct content_key key = key_of(n);
	const struct content_id right = id_of(n), none = { .sha256 = { 0x5a } };
	struct content_id id = none;
	bool found = content_cache_get(c, &key, &id);

	return memcmp(&id, found ? &right : &none, sizeof(id)) ? -1 : found;
}

static struct content_cache *open_cache(size_t slots)
{
	char why[500] = "";
	struct content_cache *c = content_cache_open(NAME, slots, why, sizeof(why));

	if (!c)
		fail_msg("%s", why);
	return c;
}

/* A cache of one set that has one entry, @n. */
static struct content_cache *one_entry(uint64_t n)
{
	struct content_cache *c;

	unlink(NAME);
	c = open_cache(1);
	assert_true(put(c, n));
	return c;
}

static size_t files_here(void)
{
	DIR *d = opendir(".");
	size_t n = 0;

	assert_non_null(d);
	for (struct dirent *e; (e = readdir(d));)
		n += *e->d_name != '.';
	closedir(d);
	return n;
}

static ino_t inode_of(const char *name)
{
	struct stat st;

	assert_int_equal(lstat(name, &st), 0);
	return st.st_ino;
}

static mode_t mode_of(const char *name)
{
	struct stat st;

	assert_int_equal(lstat(name, &st), 0);
	return st.st_mode;
}

/* Run @run(@n) in a child process, which exits with the result: @run must not use asserts. */
static pid_t spawn(int (*run)(unsigned int n), unsigned int n)
{
	pid_t pid = fork();

	if (!pid)
		_exit(run(n));
	assert_true(pid > 0);
	return pid;
}

/* Return: the exit status, or 1000 + signal. */
static int status_of(pid_t pid)
{
	int status;

	assert_int_equal(waitpid(pid, &status, 0), pid);
	return WIFEXITED(status) ? WEXITSTATUS(status) : 1000 + WTERMSIG(status);
}

/* ---- what it remembers ---- */

static void entries_are_found_again(void **state)
{
	struct content_cache *c = open_cache(1000), *other = open_cache(5);
	const struct content_key zero = { 0 };
	const struct content_id id = id_of(77), changed = id_of(78);
	struct content_id is;
	struct stat st;
	int hits = 0;

	(void)state;
	assert_int_equal(mode_of(NAME), S_IFREG | 0600);
	assert_int_equal(files_here(), 1);
	/* the existing file's size counts */
	assert_int_equal(other->sets, 125);
	assert_false(content_cache_get(c, &zero, &is));
	assert_true(content_cache_put(c, &zero, &id));
	assert_true(content_cache_get(other, &zero, &is));
	assert_memory_equal(&is, &id, sizeof(is));
	assert_true(content_cache_put(other, &zero, &changed));
	assert_true(content_cache_get(c, &zero, &is));
	assert_memory_equal(&is, &changed, sizeof(is));
	content_cache_close(other);
	for (uint64_t n = 1; n <= 300; n++) {
		assert_int_equal(get(c, n), 0);
		assert_true(put(c, n));
		assert_int_equal(get(c, n), 1);
	}
	content_cache_close(c);
	c = open_cache(1000);
	for (uint64_t n = 1; n <= 300; n++) {
		assert_true(get(c, n) >= 0);
		hits += get(c, n);
	}
	/* 300 in 125 sets of 8: hardly one set has more than 8 */
	assert_true(hits > 280);
	/* the file stays bounded, however many entries are put */
	for (uint64_t n = 0; n < 5000; n++)
		assert_true(put(c, n));
	assert_int_equal(stat(NAME, &st), 0);
	assert_true(st.st_size <= 4096 + 128 * 1000);
	content_cache_close(c);
}

/* Files created one after the other: their entries share a page of the cache file. */
static void neighbours_in_one_page(void **state)
{
	static unsigned char page[4096], none[4096];
	struct content_cache *c;
	unsigned int used = 0;
	int fd;

	(void)state;
	unlink(NAME);
	c = open_cache(4096);
	for (uint64_t n = 0; n < 16; n++) {
		const struct content_key key = { .dev = 7, .ino = 160 + n, .fsid = 9 };
		const struct content_id id = id_of(n);

		assert_true(content_cache_put(c, &key, &id));
	}
	fd = open(NAME, O_RDONLY);
	assert_true(fd >= 0);
	lseek(fd, CACHE_SLOTS_AT, SEEK_SET);
	for (ssize_t n; (n = read(fd, page, sizeof(page))) > 0; memset(page, 0, sizeof(page)))
		used += !!memcmp(page, none, sizeof(page));
	assert_int_equal(used, 1);
	close(fd);
	content_cache_close(c);
}

/* A file that changes again and again has one entry, and its neighbours keep theirs. */
static void one_entry_per_changed_file(void **state)
{
	struct content_cache *c = one_entry(1);
	struct content_key key = key_of(8);
	struct content_id id = id_of(8), is;

	(void)state;
	for (uint64_t n = 2; n < 8; n++)
		assert_true(put(c, n));
	for (int i = 0; i < 100; i++) {
		key.ctime++;
		id.sha256[0] = (uint8_t)i;
		assert_true(content_cache_put(c, &key, &id));
		assert_true(content_cache_get(c, &key, &is));
		assert_memory_equal(&is, &id, sizeof(is));
	}
	key.ctime--;
	assert_false(content_cache_get(c, &key, &is));
	for (uint64_t n = 1; n < 8; n++)
		assert_int_equal(get(c, n), 1);
	content_cache_close(c);
}

/* Each field of the key matters. */
static void every_key_field_counts(void **state)
{
	struct content_cache *c = one_entry(5);
	struct content_key key;
	struct content_id id;

	(void)state;
	for (size_t bit = 0; bit < sizeof(key) * 8; bit++) {
		key = key_of(5);
		((unsigned char *)&key)[bit / 8] ^= (unsigned char)(1u << bit % 8);
		assert_false(content_cache_get(c, &key, &id));
	}
	assert_int_equal(get(c, 5), 1);
	content_cache_close(c);
}

static void no_cache(void **state)
{
	(void)state;
	assert_int_equal(get(NULL, 1), 0);
	assert_false(put(NULL, 1));
	content_cache_close(NULL);
}

static void size_is_rounded_to_power_of_two(void **state)
{
	static const struct {
		size_t wanted, is;
	} all[] = {
		{ 0, 8 }, { 1, 8 }, { 8, 8 }, { 9, 16 }, { 8388607, 8388608 }, { 8388608, 8388608 },
		{ 8388609, 8388608 }, { SIZE_MAX, 8388608 },
	};
	struct stat st;

	(void)state;
	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
		struct content_cache *c;

		unlink(NAME);
		c = open_cache(all[i].wanted);
		assert_int_equal(c->sets * 8, all[i].is);
		assert_true(put(c, 1));
		assert_int_equal(get(c, 1), 1);
		content_cache_close(c);
		c = open_cache(3);
		assert_int_equal(c->sets * 8, all[i].is);
		assert_int_equal(get(c, 1), 1);
		content_cache_close(c);
		/* the file is sparse */
		assert_int_equal(stat(NAME, &st), 0);
		assert_true(st.st_blocks * 512 <= 65536);
	}
}

static void replaces_oldest(void **state)
{
	struct content_cache *c = one_entry(0), *other = open_cache(1);

	(void)state;
	for (uint64_t n = 1; n < 8; n++)
		assert_true(put(n % 2 ? c : other, n));
	for (uint64_t n = 0; n < 8; n++)
		assert_int_equal(get(c, n), 1);
	/* a use or another put by any process makes an entry newer */
	assert_int_equal(get(other, 0), 1);
	assert_true(put(other, 2));
	assert_true(put(c, 100));
	assert_int_equal(get(c, 1), 0);
	assert_true(put(c, 101));
	assert_int_equal(get(c, 3), 0);
	assert_int_equal(get(c, 0), 1);
	assert_int_equal(get(c, 2), 1);
	for (uint64_t n = 4; n < 8; n++)
		assert_int_equal(get(c, n), 1);
	assert_int_equal(get(c, 100), 1);
	assert_int_equal(get(c, 101), 1);
	content_cache_close(c);
	content_cache_close(other);
}

/* A damaged slot is reused before an entry is evicted. */
static void fills_damaged(void **state)
{
	struct content_cache *c = one_entry(0);

	(void)state;
	for (uint64_t n = 1; n < 8; n++)
		assert_true(put(c, n));
	assert_int_equal(pwrite(c->fd, "damage", 6, 4096 + 5 * 128 + 70), 6);
	assert_true(put(c, 8));
	for (uint64_t n = 0; n < 9; n++)
		assert_int_equal(get(c, n), n != 5);
	content_cache_close(c);
}

/* ---- concurrent use ---- */

struct worker {
	struct content_cache *cache;
	uint64_t seed, hits;
	bool wrong;
};

static void *work(void *arg)
{
	struct worker *w = arg;

	for (int i = 0; i < 5000; i++) {
		uint64_t n;
		int got;

		w->seed = w->seed * 6364136223846793005ull + 1442695040888963407ull;
		n = (w->seed >> 33) % MANY_KEYS;
		if (w->seed >> 60 < 5 && !put(w->cache, n))
			w->wrong = true;
		got = get(w->cache, n);
		w->hits += got > 0;
		w->wrong = w->wrong || got < 0;
	}
	return NULL;
}

static int use_much(unsigned int n)
{
	struct worker w[2] = { { .seed = n * 2 }, { .seed = n * 2 + 1 } };
	pthread_t thread;
	char why[100];

	w[0].cache = content_cache_open(NAME, 16, why, sizeof(why));
	w[1].cache = w[0].cache;
	if (!w[0].cache || pthread_create(&thread, NULL, work, &w[1]))
		return 2;
	work(&w[0]);
	pthread_join(thread, NULL);
	content_cache_close(w[0].cache);
	return w[0].wrong || w[1].wrong ? 3 : w[0].hits && w[1].hits ? 0 : 4;
}

static void many_processes_use_it(void **state)
{
	struct content_cache *c;
	pid_t pids[CHILDREN];

	(void)state;
	unlink(NAME);
	for (unsigned int i = 0; i < CHILDREN; i++)
		pids[i] = spawn(use_much, i);
	for (unsigned int i = 0; i < CHILDREN; i++)
		assert_int_equal(status_of(pids[i]), 0);
	c = open_cache(16);
	assert_int_equal(c->sets, 2);
	for (uint64_t n = 0; n < MANY_KEYS; n++) {
		assert_true(get(c, n) >= 0);
		assert_true(put(c, n));
		assert_int_equal(get(c, n), 1);
	}
	content_cache_close(c);
	assert_int_equal(files_here(), 1);
}

static int use_for_ever(unsigned int n)
{
	for (;;)
		if (use_much(n) == 3)
			return 3;
}

static void killed_at_any_time(void **state)
{
	struct content_cache *c;

	(void)state;
	for (unsigned int i = 0; i < 60; i++) {
		pid_t pid;

		/* also while it creates the file */
		if (i % 2)
			unlink(NAME);
		pid = spawn(use_for_ever, i);
		usleep(1 + 100 * i);
		kill(pid, SIGKILL);
		assert_int_equal(status_of(pid), 1000 + SIGKILL);
		c = open_cache(16);
		for (uint64_t n = 0; n < MANY_KEYS; n++)
			assert_true(get(c, n) >= 0);
		assert_true(put(c, 1));
		assert_int_equal(get(c, 1), 1);
		content_cache_close(c);
	}
}

static int start_pipe[2];

/* Return: 0 if a cache could be opened and used, and is the file with the name. */
static int make_it(unsigned int n)
{
	struct content_cache *c;
	struct stat mine, named;
	char why[100];

	close(start_pipe[1]);
	/* all start when the parent closes its end */
	if (read(start_pipe[0], why, 1))
		return 2;
	c = content_cache_open(NAME, 64, why, sizeof(why));
	if (!c)
		return 3;
	if (!put(c, n) || get(c, n) < 0)
		return 4;
	if (fstat(c->fd, &mine) || lstat(NAME, &named))
		return 5;
	content_cache_close(c);
	return mine.st_ino == named.st_ino ? 0 : 100;
}

static void all_make_it(bool shared)
{
	pid_t pids[CHILDREN];

	assert_int_equal(pipe(start_pipe), 0);
	for (unsigned int i = 0; i < CHILDREN; i++)
		pids[i] = spawn(make_it, i);
	close(start_pipe[0]);
	usleep(2000);
	close(start_pipe[1]);
	for (unsigned int i = 0; i < CHILDREN; i++) {
		int status = status_of(pids[i]);

		if (status != 100 || shared)
			assert_int_equal(status, 0);
	}
	assert_int_equal(files_here(), 1);
	assert_int_equal(mode_of(NAME), S_IFREG | 0600);
	content_cache_close(open_cache(64));
}

static void many_processes_create_it(void **state)
{
	(void)state;
	for (int i = 0; i < 100; i++) {
		FILE *f;

		unlink(NAME);
		all_make_it(true);
		/* and all find a damaged file */
		f = fopen(NAME, "we");
		assert_non_null(f);
		fputs("damaged", f);
		fclose(f);
		all_make_it(false);
	}
}

/* ---- damage ---- */

static void damaged_slots(void **state)
{
	static const unsigned char changes[] = { 1, 2, 0x10, 0x80, 0xff };
	struct content_cache *c = one_entry(9);
	unsigned char byte, bad;

	(void)state;
	for (off_t at = 4096; at < 4096 + 128; at++) {
		assert_int_equal(pread(c->fd, &byte, 1, at), 1);
		for (size_t i = 0; i <= sizeof(changes); i++) {
			bad = i < sizeof(changes) ? byte ^ changes[i] : 0;
			if (bad == byte)
				continue;
			assert_int_equal(pwrite(c->fd, &bad, 1, at), 1);
			assert_int_equal(get(c, 9), 0);
		}
		assert_int_equal(pwrite(c->fd, &byte, 1, at), 1);
		assert_int_equal(get(c, 9), 1);
	}
	content_cache_close(c);
}

/* A slot with any number of bytes of one entry, followed by those of another one. */
static void torn_slots(void **state)
{
	struct content_cache *c = one_entry(1);
	char first[128], second[128];
	int hits = 0;

	(void)state;
	assert_int_equal(pread(c->fd, first, 128, 4096), 128);
	assert_true(put(c, 2));
	assert_int_equal(pread(c->fd, second, 128, 4096 + 128), 128);
	for (size_t n = 0; n <= 128; n++) {
		char torn[128], none[128] = { 0 };

		memcpy(torn, first, 128);
		memcpy(torn, second, n);
		assert_int_equal(pwrite(c->fd, torn, 128, 4096), 128);
		assert_int_equal(pwrite(c->fd, none, 128, 4096 + 128), 128);
		/* only 0 bytes leave the first entry; the second may be complete with 127 bytes */
		assert_int_equal(get(c, 1), n == 0);
		assert_true(get(c, 2) == !memcmp(torn, second, 128));
		hits += get(c, 2);
	}
	assert_true(hits > 0);
	content_cache_close(c);
}

/* A slot copied from another cache counts as empty: caches have different hash seeds. */
static void slots_of_another_cache(void **state)
{
	struct content_cache *c = one_entry(3);
	char slot[128];

	(void)state;
	assert_int_equal(pread(c->fd, slot, 128, 4096), 128);
	content_cache_close(c);
	hash_seed(12345);
	c = one_entry(4);
	assert_int_equal(pwrite(c->fd, slot, 128, 4096 + 128), 128);
	assert_int_equal(get(c, 3), 0);
	assert_int_equal(get(c, 4), 1);
	content_cache_close(c);
}

static void truncated(void **state)
{
	struct content_cache *c = one_entry(0);

	(void)state;
	for (uint64_t n = 1; n < 8; n++)
		assert_true(put(c, n));
	for (off_t size = 4096 + 8 * 128; size >= 0; size -= 61) {
		int fits = size < 4096 ? 0 : (int)((size - 4096) / 128), hits = 0;

		/* truncated while open: causes misses only */
		assert_int_equal(ftruncate(c->fd, size), 0);
		for (uint64_t n = 0; n < 8; n++) {
			assert_true(get(c, n) >= 0);
			hits += get(c, n);
		}
		assert_int_equal(hits, fits);
		content_cache_close(c);
		c = open_cache(1);
		for (uint64_t n = 0; n < 8; n++) {
			assert_true(put(c, n));
			assert_int_equal(get(c, n), 1);
		}
	}
	content_cache_close(c);
}

/* A file with this content is no cache: it must be replaced by one that works. */
static void must_replace(const void *data, size_t n)
{
	struct content_cache *c, *before = one_entry(1);
	ino_t inode = inode_of(NAME);
	struct stat st;
	char is[48];

	assert_int_equal(ftruncate(before->fd, 0), 0);
	assert_int_equal(pwrite(before->fd, data, n, 0), n);
	c = open_cache(1);
	assert_int_not_equal(inode_of(NAME), inode);
	assert_int_equal(mode_of(NAME), S_IFREG | 0600);
	assert_int_equal(files_here(), 1);
	assert_int_equal(get(c, 1), 0);
	assert_true(put(c, 1));
	assert_int_equal(get(c, 1), 1);
	content_cache_close(c);
	/* the old file is unchanged */
	assert_int_equal(fstat(before->fd, &st), 0);
	assert_int_equal(st.st_size, n);
	assert_int_equal(pread(before->fd, is, n, 0), n);
	assert_memory_equal(is, data, n);
	content_cache_close(before);
}

static void damaged_headers(void **state)
{
	/* numbers of slots that no version writes */
	static const uint64_t numbers[] = { 0, 12, 8388616, UINT64_MAX / 8 * 8 };
	struct content_cache *c = one_entry(1);
	struct cache_header right, h;

	(void)state;
	assert_int_equal(pread(c->fd, &right, sizeof(right), 0), sizeof(right));
	content_cache_close(c);
	for (size_t n = 0; n < sizeof(h); n++) {
		must_replace(&right, n);
		h = right;
		((unsigned char *)&h)[n] ^= (unsigned char)(1u << n % 8);
		must_replace(&h, sizeof(h));
	}
	h = right;
	h.version++;
	h.sum = cache_header_sum(&h);
	must_replace(&h, sizeof(h));
	h = right;
	h.magic[0]++;
	h.sum = cache_header_sum(&h);
	must_replace(&h, sizeof(h));
	for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++) {
		h = right;
		h.slots = numbers[i];
		h.sum = cache_header_sum(&h);
		must_replace(&h, sizeof(h));
	}
}

/* If another process has already replaced a damaged file, its file is kept. */
static void file_replaced_by_another_process(void **state)
{
	struct content_cache *c = one_entry(1), *other;

	(void)state;
	assert_int_equal(ftruncate(c->fd, 0), 0);
	other = open_cache(8);
	assert_true(put(other, 2));
	assert_int_equal(cache_file_make(&(struct content_cache){ 0 }, NAME, c->fd, 8), -EEXIST);
	content_cache_close(other);
	other = open_cache(8);
	assert_int_equal(get(other, 2), 1);
	assert_int_equal(files_here(), 1);
	content_cache_close(other);
	content_cache_close(c);
}

static struct content_cache *limited;

/* When nothing more can be stored, what was stored stays right. */
static int write_too_far(unsigned int n)
{
	const struct rlimit room = { 4096 + 2 * 128, RLIM_INFINITY };
	int hits = 0;

	signal(SIGXFSZ, SIG_IGN);
	if (setrlimit(RLIMIT_FSIZE, &room))
		return 2;
	if (!put(limited, n + 1) || put(limited, n + 2) || errno != EFBIG)
		return 3;
	for (unsigned int i = 0; i < 3; i++)
		hits += get(limited, n + i);
	return hits == 2 ? 0 : 4;
}

static void file_size_limit(void **state)
{
	(void)state;
	limited = one_entry(1);
	assert_int_equal(status_of(spawn(write_too_far, 1)), 0);
	content_cache_close(limited);
}

/* ---- what is refused ---- */

static void refused(const char *path, const char *reason)
{
	char why[500] = "";
	struct content_cache *c = content_cache_open(path, 8, why, sizeof(why));

	assert_null(c);
	if (strncmp(why, path, strlen(path)) || !strstr(why, reason) || !strchr(why, ';') ||
	    strchr(why, '\n'))
		fail_msg("%s", why);
}

static void unsafe_files_refused(void **state)
{
	static const mode_t bad[] = { 0620, 0602, 0666, 0660, 0777 };
	static const mode_t good[] = { 0600, 0644, 0700 };
	char before[4096 + 128], after[sizeof(before)];
	struct content_cache *c = one_entry(1);
	ino_t inode = inode_of(NAME);

	(void)state;
	assert_int_equal(pread(c->fd, before, sizeof(before), 0), sizeof(before));
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		assert_int_equal(chmod(NAME, bad[i]), 0);
		refused(NAME, "written by other users");
	}
	for (size_t i = 0; i < sizeof(good) / sizeof(good[0]); i++) {
		assert_int_equal(chmod(NAME, good[i]), 0);
		content_cache_close(open_cache(8));
	}
	faked_euid++;
	refused(NAME, "belongs to another user");
	faked_euid--;
	assert_int_equal(symlink(NAME, "link"), 0);
	refused("link", "symbolic link");
	assert_int_equal(symlink("nowhere", "dangling"), 0);
	refused("dangling", "symbolic link");
	assert_int_equal(access("nowhere", F_OK), -1);
	assert_int_equal(mkdir("directory", 0700), 0);
	refused("directory", "not a regular file");
	assert_int_equal(mkfifo("fifo", 0600), 0);
	refused("fifo", "not a regular file");
	refused("/dev/null", "not a regular file");
	refused("absent/" NAME, "No such file");
	refused(NAME "/" NAME, "Not a directory");
	/* nothing was changed or left behind */
	assert_int_equal(inode_of(NAME), inode);
	assert_int_equal(pread(c->fd, after, sizeof(after), 0), sizeof(after));
	assert_memory_equal(before, after, sizeof(before));
	assert_int_equal(files_here(), 5);
	content_cache_close(c);
}

static void file_is_private(void **state)
{
	static const mode_t masks[] = { 0, 022, 0777 };
	mode_t before = umask(0);

	(void)state;
	for (size_t i = 0; i < sizeof(masks) / sizeof(masks[0]); i++) {
		umask(masks[i]);
		unlink(NAME);
		content_cache_close(open_cache(8));
		assert_int_equal(mode_of(NAME), S_IFREG | 0600);
	}
	umask(before);
}

/* ---- where the file lies ---- */

/* Set a variable to a directory below the test's one. */
static void set_dir(const char *variable, const char *name)
{
	char value[200];

	snprintf(value, sizeof(value), "%s/%s", dir, name);
	setenv(variable, value, 1);
}

static void is_place(struct buf *path, const char *below)
{
	char is[200];

	snprintf(is, sizeof(is), "%s/%s", dir, below);
	assert_string_equal(path->s, is);
	assert_int_equal(path->len, strlen(is));
}

static void path_of_a_user(void **state)
{
	struct buf path = { 0 };

	(void)state;
	faked_euid = 4711;
	set_dir("HOME", "home");
	set_dir("XDG_CACHE_HOME", "xdg/deep");
	assert_int_equal(content_cache_path(&path), 0);
	is_place(&path, "xdg/deep/etrace/hashes");
	assert_int_equal(mode_of("xdg"), S_IFDIR | 0700);
	assert_int_equal(mode_of("xdg/deep"), S_IFDIR | 0700);
	assert_int_equal(mode_of("xdg/deep/etrace"), S_IFDIR | 0700);
	assert_int_equal(access("xdg/deep/etrace/hashes", F_OK), -1);
	/* again: existing directories keep their modes */
	assert_int_equal(chmod("xdg/deep", 0755), 0);
	assert_int_equal(content_cache_path(&path), 0);
	is_place(&path, "xdg/deep/etrace/hashes");
	assert_int_equal(mode_of("xdg/deep"), S_IFDIR | 0755);
	for (int i = 0; i < 3; i++) {
		if (i < 2)
			setenv("XDG_CACHE_HOME", i ? "" : "relative", 1);
		else
			unsetenv("XDG_CACHE_HOME");
		assert_int_equal(content_cache_path(&path), 0);
		is_place(&path, "home/.cache/etrace/hashes");
	}
	assert_int_equal(mode_of("home/.cache/etrace"), S_IFDIR | 0700);
	setenv("HOME", "relative", 1);
	assert_int_equal(content_cache_path(&path), -ENOENT);
	assert_int_equal(path.len, 0);
	assert_string_equal(path.s, "");
	unsetenv("HOME");
	assert_int_equal(content_cache_path(&path), -ENOENT);
	assert_int_equal(access("relative", F_OK), -1);
	/* a file is in the way */
	assert_int_equal(mknod("file", S_IFREG | 0600, 0), 0);
	set_dir("HOME", "file");
	assert_int_equal(content_cache_path(&path), -ENOTDIR);
	is_place(&path, "file/.cache/etrace/hashes");
	assert_int_equal(mkdir("xdg2", 0700), 0);
	assert_int_equal(mknod("xdg2/etrace", S_IFREG | 0600, 0), 0);
	set_dir("XDG_CACHE_HOME", "xdg2");
	assert_int_equal(content_cache_path(&path), -ENOTDIR);
	buf_free(&path);
	faked_euid = getuid();
}

static void path_of_root(void **state)
{
	struct buf path = { 0 };

	(void)state;
	set_dir("HOME", "home");
	set_dir("XDG_CACHE_HOME", "xdg");
	assert_true(cache_place(&path, true));
	assert_int_equal(path.len, strlen("/var/cache/etrace/hashes"));
	assert_memory_equal(path.s, "/var/cache/etrace/hashes", path.len);
	buf_free(&path);
}

static int begin(void **state)
{
	(void)state;
	faked_euid = getuid();
	snprintf(dir, sizeof(dir), "/tmp/content_cache.XXXXXX");
	return !mkdtemp(dir) || chdir(dir);
}

/* Each test starts in an empty directory. */
static int empty(void **state)
{
	char command[100];

	(void)state;
	snprintf(command, sizeof(command), "rm -rf %s/*", dir);
	return system(command);
}

static int end(void **state)
{
	char command[100];

	(void)state;
	snprintf(command, sizeof(command), "rm -rf %s", dir);
	return chdir("/") || system(command);
}

#define EACH(test)	cmocka_unit_test_setup(test, empty)

int main(void)
{
	const struct CMUnitTest tests[] = {
		EACH(entries_are_found_again),
		EACH(neighbours_in_one_page),
		EACH(one_entry_per_changed_file),
		EACH(every_key_field_counts),
		EACH(no_cache),
		EACH(size_is_rounded_to_power_of_two),
		EACH(replaces_oldest),
		EACH(fills_damaged),
		EACH(many_processes_use_it),
		EACH(killed_at_any_time),
		EACH(many_processes_create_it),
		EACH(damaged_slots),
		EACH(torn_slots),
		EACH(truncated),
		EACH(damaged_headers),
		EACH(file_replaced_by_another_process),
		EACH(file_size_limit),
		EACH(unsafe_files_refused),
		EACH(file_is_private),
		EACH(path_of_a_user),
		EACH(path_of_root),
		/* must be the last: it sets the hash seed */
		EACH(slots_of_another_cache),
	};

	return cmocka_run_group_tests_name("content_cache", tests, begin, end);
}
