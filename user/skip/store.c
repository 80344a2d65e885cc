// SPDX-License-Identifier: GPL-2.0
/* Files of a store, and hashes.  See skip.h. */
#include "skip/skip.h"
#include "base/clock.h"
#include "base/utf8.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <time.h>
#include <unistd.h>

#include <nettle/sha2.h>

#define SLOTS		65536	/* number of slots of the hash cache */
#define LARGEST		(64u << 20)

char *skip_path(const struct skip_store *s, char *to, const char *kind, const char *a,
		const char *b)
{
	snprintf(to, PATH_MAX, "%.2048s/%s%s%s%s%s", s->dir, kind, *a ? "/" : "", a, *b ? "/" : "",
		 b);
	return to;
}

static bool store_make(const char *path)
{
	return !mkdir(path, 0700) || errno == EEXIST;
}

bool skip_open(struct skip_store *s, const char *dir, char *why, size_t size)
{
	/* "is" stays empty: see learn.c */
	static const char *const parts[] = { "steps", "objects", "is" };
	char path[PATH_MAX], reason[256];
	struct stat st;

	*s = (struct skip_store){ 0 };
	if (!store_make(dir) || !realpath(dir, s->dir)) {
		snprintf(why, size, "%.2048s: %s; name a directory with --store", dir, strerror(errno));
		return false;
	}
	/* anybody who can write to it can inject files into builds */
	if (strlen(s->dir) > 2048 || lstat(s->dir, &st) || st.st_uid != geteuid() ||
	    (st.st_mode & 022)) {
		snprintf(why, size, "%s: others may write to it; use a directory of your own",
			 s->dir);
		return false;
	}
	for (size_t i = 0; i < 3; i++)
		if (!store_make(skip_path(s, path, parts[i], "", ""))) {
			snprintf(why, size, "%.2048s: %s; use another --store", path, strerror(errno));
			return false;
		}
	s->cache = content_cache_open(skip_path(s, path, "hashes", "", ""), SLOTS, reason,
				      sizeof(reason));
	return true;
}

void skip_close(struct skip_store *s)
{
	content_cache_close(s->cache);
	s->cache = NULL;
}

void skip_say(const struct skip_store *s, const char *what, const char *which)
{
	char path[PATH_MAX], line[512];
	int fd = open(skip_path(s, path, "log", "", ""), O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0600);
	int n;

	if (fd < 0)
		return;
	n = snprintf(line, sizeof(line) - 1, "%s%s%.300s", what, *which ? ": " : "", which);
	for (int i = 0; i < n; i++)
		if ((unsigned char)line[i] < ' ')
			line[i] = '?';
	line[n] = '\n';
	if (write(fd, line, (size_t)n + 1) < 0)
		errno = 0;	/* harmless: only a summary lacks the line */
	close(fd);
}

static void hash_hex(const uint8_t *digest, char *hex)
{
	char *text = utf8_hex((const char *)digest, SKIP_HEX / 2);

	memcpy(hex, text, SKIP_HEX + 1);
	free(text);
}

static void hash_end(struct sha256_ctx *ctx, char *hex)
{
	uint8_t digest[SHA256_DIGEST_SIZE];

	sha256_digest(ctx, sizeof(digest), digest);
	hash_hex(digest, hex);
}

void skip_hash(const void *data, size_t n, char hex[SKIP_HEX + 1])
{
	struct sha256_ctx ctx;

	sha256_init(&ctx);
	sha256_update(&ctx, n, data);
	hash_end(&ctx, hex);
}

static bool write_all(int fd, const char *s, size_t n)
{
	while (n) {
		ssize_t did = write(fd, s, n);

		if (did < 0 && errno == EINTR)
			continue;
		if (did <= 0)
			return false;
		s += did;
		n -= (size_t)did;
	}
	return true;
}

bool skip_copy(int from, int to, char hex[SKIP_HEX + 1])
{
	static char block[256 << 10];
	struct sha256_ctx ctx;
	off_t at = 0;
	ssize_t n;

	sha256_init(&ctx);
	while ((n = pread(from, block, sizeof(block), at)) > 0) {
		sha256_update(&ctx, (size_t)n, (const uint8_t *)block);
		if (to >= 0 && !write_all(to, block, (size_t)n))
			return false;
		at += n;
	}
	hash_end(&ctx, hex);
	return !n;
}

/* Whether a file's ctime is old enough that a change would set another one. */
static bool is_settled(const struct stat *st)
{
	struct timespec now;

	clock_gettime(CLOCK_REALTIME_COARSE, &now);
	return timespec_ns(&st->st_ctim) + 20000000 < timespec_ns(&now);
}

static struct content_key hash_key(int fd, const struct stat *st)
{
	struct statfs fs;
	struct content_key k = {
		.dev = st->st_dev, .ino = st->st_ino, .size = (uint64_t)st->st_size,
		.mtime = timespec_ns(&st->st_mtim), .ctime = timespec_ns(&st->st_ctim),
	};

	if (!fstatfs(fd, &fs))
		memcpy(&k.fsid, &fs.f_fsid, sizeof(k.fsid));
	return k;
}

bool skip_hash_file(const struct skip_store *s, int fd, char hex[SKIP_HEX + 1])
{
	struct content_id id = { 0 };
	struct content_key key, after;
	struct stat st;
	bool settled;

	if (fstat(fd, &st))
		return false;
	key = hash_key(fd, &st);
	settled = is_settled(&st);
	if (settled && content_cache_get(s->cache, &key, &id)) {
		hash_hex(id.sha256, hex);
		return true;
	}
	if (!skip_copy(fd, -1, hex) || fstat(fd, &st))
		return false;
	after = hash_key(fd, &st);
	if (memcmp(&key, &after, sizeof(key)))
		return false;	/* it is being changed */
	if (settled) {
		utf8_unhex(hex, SKIP_HEX, (char *)id.sha256);
		content_cache_put(s->cache, &key, &id);
	}
	return true;
}

bool skip_read(const char *path, struct buf *to)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	size_t before = to->len;
	ssize_t n = -1;

	if (fd < 0)
		return false;
	do {
		n = read(fd, buf_room(to, 65536), 65536);
		to->len += n > 0 ? (size_t)n : 0;
	} while (n > 0 && to->len - before <= LARGEST);
	close(fd);
	return !n;
}

/* Return: descriptor of a new file in the store, its path in @path; -1 with errno */
static int store_new(const struct skip_store *s, char *path)
{
	skip_path(s, path, "new.XXXXXX", "", "");
	return mkostemp(path, O_CLOEXEC);
}

static bool store_name(int fd, bool ok, const char *path, const char *to)
{
	ok = !close(fd) && ok && !rename(path, to);
	if (!ok)
		unlink(path);
	return ok;
}

bool skip_write(const struct skip_store *s, const char *path, const void *data, size_t n)
{
	char new[PATH_MAX];
	int fd = store_new(s, new);

	return fd >= 0 && store_name(fd, write_all(fd, data, n), new, path);
}

bool skip_keep(const struct skip_store *s, const char *path, const char *hex)
{
	char new[PATH_MAX], to[PATH_MAX], is[SKIP_HEX + 1];
	int from, fd;
	bool ok;

	from = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
	if (from < 0)
		return false;
	fd = store_new(s, new);
	ok = fd >= 0 && skip_copy(from, fd, is) && !strcmp(is, hex);
	close(from);
	return fd >= 0 && store_name(fd, ok, new, skip_path(s, to, "objects", hex, ""));
}

/* ---- the limit ---- */

struct kept {
	struct timespec used;
	uint64_t size;
	char name[SKIP_HEX + 1];
};

static int compare_kept(const void *a, const void *b)
{
	int64_t x = timespec_ns(&((const struct kept *)a)->used), y = timespec_ns(&((const struct kept *)b)->used);

	return (x > y) - (x < y);
}

void skip_shrink(const struct skip_store *s, uint64_t max)
{
	char path[PATH_MAX];
	struct kept *all = NULL;
	size_t n = 0, cap = 0;
	uint64_t sum = 0;
	struct dirent *e;
	struct stat st;
	DIR *dir = opendir(skip_path(s, path, "objects", "", ""));

	while (dir && (e = readdir(dir))) {
		if (strlen(e->d_name) != SKIP_HEX ||
		    lstat(skip_path(s, path, "objects", e->d_name, ""), &st))
			continue;
		all = xgrow(all, &cap, n + 1, sizeof(*all));
		all[n] = (struct kept){ .used = st.st_mtim, .size = (uint64_t)st.st_size };
		memcpy(all[n++].name, e->d_name, SKIP_HEX + 1);
		sum += (uint64_t)st.st_size;
	}
	if (dir)
		closedir(dir);
	if (n)
		qsort(all, n, sizeof(*all), compare_kept);
	for (size_t i = 0; i < n && sum > max; i++) {
		unlink(skip_path(s, path, "objects", all[i].name, ""));
		sum -= all[i].size;
	}
	free(all);
}
