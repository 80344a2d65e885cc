// SPDX-License-Identifier: GPL-2.0
/* Hashes of files, kept from one recording to the next.  See content_cache.h. */
#include "content/content_cache.h"
#include "base/hash.h"
#include "base/xalloc.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <nettle/sha2.h>

#define CACHE_MAGIC	"etrhash\n"
#define CACHE_VERSION	2u
#define CACHE_WAYS	8u		/* slots of a set */
#define CACHE_SLOTS_MAX	(1u << 23)	/* keeps offsets within 31 bits */
#define CACHE_SLOTS_AT	4096
/* Number of sets in a page, and of successive inode numbers that share a set. */
#define CACHE_NEAR	4u
/* Number of retries when other processes replace the file at the same time. */
#define CACHE_TRIES	100

struct cache_header {
	char magic[8];
	uint64_t version;
	uint64_t slots;
	uint64_t key[2];
	uint64_t sum;
};
_Static_assert(sizeof(struct cache_header) == 48, "as content_cache.h says");

struct cache_slot {
	uint64_t used;
	struct content_key key;
	struct content_id id;
	uint64_t sum;
};
_Static_assert(sizeof(struct cache_slot) == 128, "as content_cache.h says, without padding");

/* Does not change after opening, so threads need no lock. */
struct content_cache {
	int fd;
	uint64_t sets;
	uint64_t key[2];
};

/* A set as it was read: slots that are empty or could not be read have @used 0. */
struct cache_set {
	off_t at;		/* offset in the file */
	uint64_t newest;	/* after cache_set_check(): the largest @used; 0 if the set is empty */
	struct cache_slot slots[CACHE_WAYS];
};

/* ---- checksums ---- */

/* The first 8 bytes of the SHA-256 of @key and @words words of 8 bytes. */
static uint64_t cache_hash(const uint64_t key[2], const void *data, size_t words)
{
	struct sha256_ctx sha;
	uint64_t sum;

	sha256_init(&sha);
	sha256_update(&sha, 16, (const uint8_t *)key);
	sha256_update(&sha, 8 * words, data);
	sha256_digest(&sha, sizeof(sum), (uint8_t *)&sum);
	return sum;
}

static uint64_t cache_header_sum(const struct cache_header *h)
{
	return cache_hash(h->key, h, offsetof(struct cache_header, sum) / 8);
}

static uint64_t cache_slot_sum(const struct content_cache *c, const struct cache_slot *s)
{
	return cache_hash(c->key, s, offsetof(struct cache_slot, sum) / 8);
}

/* ---- the file ---- */

/* Read as much as there is, and fill the rest with zeros. */
static void cache_read(int fd, void *to, size_t n, off_t at)
{
	ssize_t got;

	do {
		got = pread(fd, to, n, at);
	} while (got < 0 && errno == EINTR);
	if (got < 0)
		got = 0;
	memset((char *)to + got, 0, n - (size_t)got);
}

/* Return: whether everything was written; otherwise errno is set. */
static bool cache_write(int fd, const void *from, size_t n, off_t at)
{
	ssize_t put;

	do {
		put = pwrite(fd, from, n, at);
	} while (put < 0 && errno == EINTR);
	if (put >= 0 && (size_t)put < n)
		errno = ENOSPC;
	return put == (ssize_t)n;
}

static void cache_use(struct content_cache *c, int fd, const struct cache_header *h)
{
	c->fd = fd;
	/* no readahead: neighbouring sets are of no use */
	posix_fadvise(fd, 0, 0, POSIX_FADV_RANDOM);
	c->sets = h->slots / CACHE_WAYS;
	memcpy(c->key, h->key, sizeof(c->key));
}

/* Use an open file as the cache. Return: false if it has no valid cache header. */
static bool cache_use_file(struct content_cache *c, int fd)
{
	struct cache_header h;

	cache_read(fd, &h, sizeof(h), 0);
	if (memcmp(h.magic, CACHE_MAGIC, sizeof(h.magic)) || h.version != CACHE_VERSION ||
	    h.sum != cache_header_sum(&h) || !h.slots || h.slots % CACHE_WAYS ||
	    h.slots > CACHE_SLOTS_MAX)
		return false;
	cache_use(c, fd, &h);
	return true;
}

static struct cache_header cache_header_new(size_t slots)
{
	struct cache_header h = { .version = CACHE_VERSION };

	if (slots > CACHE_SLOTS_MAX)
		slots = CACHE_SLOTS_MAX;
	h.slots = slots ? (slots + CACHE_WAYS - 1) / CACHE_WAYS * CACHE_WAYS : CACHE_WAYS;
	memcpy(h.magic, CACHE_MAGIC, sizeof(h.magic));
	/* random in each run, and unknown to others */
	h.key[0] = hash_word(1);
	h.key[1] = hash_word(2);
	h.sum = cache_header_sum(&h);
	return h;
}

/*
 * Move a new file to its name. @old is a descriptor of the file that it replaces, -1 if none.
 * Return: 0; -EEXIST if another file has appeared there; another negative errno on error.
 */
static int cache_file_name(const char *temp, const char *path, int old)
{
	struct stat was, is;

	if (old >= 0) {
		/* another process may just have replaced it */
		if (fstat(old, &was) || lstat(path, &is) || was.st_dev != is.st_dev ||
		    was.st_ino != is.st_ino)
			return -EEXIST;
		return rename(temp, path) ? -errno : 0;
	}
	/*
	 * unlike rename(), link() lets processes that create the cache at the same time share one
	 * file
	 */
	if (!link(temp, path)) {
		unlink(temp);
		return 0;
	}
	if (errno == EEXIST)
		return -EEXIST;
	/* some file systems have no hard links */
	return rename(temp, path) ? -errno : 0;
}

/* Create a cache file and use it. Return: as for cache_file_name(). */
static int cache_file_make(struct content_cache *c, const char *path, int old, size_t slots)
{
	const struct cache_header h = cache_header_new(slots);
	struct buf temp = { 0 };
	int fd, err = 0;

	buf_adds(&temp, path);
	buf_add(&temp, ".XXXXXX", sizeof(".XXXXXX"));
	fd = mkostemp(temp.s, O_CLOEXEC);
	/* the umask may have removed the owner's bits */
	if (fd < 0 || fchmod(fd, 0600) || !cache_write(fd, &h, sizeof(h), 0))
		err = -errno;
	if (!err)
		err = cache_file_name(temp.s, path, old);
	if (!err) {
		cache_use(c, fd, &h);
	} else if (fd >= 0) {
		unlink(temp.s);
		close(fd);
	}
	buf_free(&temp);
	return err;
}

/* Why a file cannot be trusted; NULL if it can. */
static const char *cache_file_fault(const struct stat *st)
{
	if (S_ISLNK(st->st_mode))
		return "is a symbolic link";
	if (!S_ISREG(st->st_mode))
		return "is not a regular file";
	if (st->st_uid != geteuid())
		return "belongs to another user";
	if (st->st_mode & 0022)
		return "can be written by other users";
	return NULL;
}

/*
 * Open an existing file.  Return: a descriptor; -ENOENT if it does not exist; -1 on error, with
 * @why filled.
 */
static int cache_file_open(const char *path, char *why, size_t size)
{
	const char *fault = NULL;
	struct stat st;
	int fd = -1, err;

	/* stat first: opening a device may have side effects */
	if (!lstat(path, &st)) {
		fault = cache_file_fault(&st);
		if (!fault)
			fd = open(path, O_RDWR | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY);
		/* it may have been replaced in between */
		if (fd >= 0 && !fstat(fd, &st))
			fault = cache_file_fault(&st);
		if (fd >= 0 && !fault)
			return fd;
	}
	err = errno;
	if (fd >= 0)
		close(fd);
	if (!fault && err == ENOENT)
		return -ENOENT;
	if (fault)
		snprintf(why, size, "%s: %s; remove it, and etrace makes a new one", path, fault);
	else
		snprintf(why, size, "%s: cannot open it: %s; remove it or correct its permissions", path,
			 strerror(err));
	return -1;
}

/* Open or create the file.  Return: false on error, with @why filled. */
static bool cache_begin(struct content_cache *c, const char *path, size_t slots, char *why,
			size_t size)
{
	for (int i = 0; i < CACHE_TRIES; i++) {
		int fd = cache_file_open(path, why, size), err;

		if (fd < 0 && fd != -ENOENT)
			return false;
		if (fd >= 0 && cache_use_file(c, fd))
			return true;
		err = cache_file_make(c, path, fd, slots);
		if (fd >= 0)
			close(fd);
		if (!err)
			return true;
		if (err != -EEXIST) {
			snprintf(why, size, "%s: cannot create it: %s; check its directory", path,
				 strerror(-err));
			return false;
		}
	}
	snprintf(why, size, "%s: other programs keep replacing it; stop them or remove it", path);
	return false;
}

struct content_cache *content_cache_open(const char *path, size_t slots, char *why, size_t size)
{
	struct content_cache *c = xmalloc(sizeof(*c));

	if (cache_begin(c, path, slots, why, size))
		return c;
	free(c);
	return NULL;
}

void content_cache_close(struct content_cache *cache)
{
	if (!cache)
		return;
	close(cache->fd);
	free(cache);
}

/* ---- entries ---- */

static void cache_set_read(const struct content_cache *c, const struct content_key *key,
			   struct cache_set *set)
{
	const uint64_t near[] = { key->dev, key->fsid, key->ino / (CACHE_NEAR * CACHE_NEAR) };
	uint64_t hash = cache_hash(c->key, near, sizeof(near) / 8);
	uint64_t page = (uint64_t)((hash_wide)hash * c->sets >> 64) / CACHE_NEAR * CACHE_NEAR;
	uint64_t n = page + key->ino / CACHE_NEAR % CACHE_NEAR;

	/* the last page may have fewer sets */
	if (n >= c->sets)
		n = page;
	set->at = CACHE_SLOTS_AT + (off_t)(n * sizeof(set->slots));
	cache_read(c->fd, set->slots, sizeof(set->slots), set->at);
}

static bool cache_slot_valid(const struct content_cache *c, const struct cache_slot *s)
{
	return s->used && s->sum == cache_slot_sum(c, s);
}

/* Empty the slots that are damaged, and find the newest. */
static void cache_set_check(const struct content_cache *c, struct cache_set *set)
{
	set->newest = 0;
	for (unsigned int i = 0; i < CACHE_WAYS; i++) {
		struct cache_slot *s = &set->slots[i];

		if (!cache_slot_valid(c, s))
			s->used = 0;
		if (s->used > set->newest)
			set->newest = s->used;
	}
}

static struct cache_slot *cache_set_find(const struct content_cache *c, struct cache_set *set,
					 const struct content_key *key)
{
	for (unsigned int i = 0; i < CACHE_WAYS; i++)
		if (!memcmp(&set->slots[i].key, key, sizeof(*key)) &&
		    cache_slot_valid(c, &set->slots[i]))
			return &set->slots[i];
	return NULL;
}

static bool cache_set_full(const struct cache_set *set)
{
	for (unsigned int i = 0; i < CACHE_WAYS; i++)
		if (!set->slots[i].used)
			return false;
	return true;
}

/*
 * The slot for an entry: the slot of an earlier content of the same file, which is useless now;
 * else an empty slot or the least recently used one.
 */
static struct cache_slot *cache_set_choose(struct cache_set *set, const struct content_key *key)
{
	struct cache_slot *oldest = set->slots;

	for (struct cache_slot *s = set->slots; s < set->slots + CACHE_WAYS; s++) {
		if (s->used && s->key.ino == key->ino && s->key.dev == key->dev &&
		    s->key.fsid == key->fsid)
			return s;
		if (s->used < oldest->used)
			oldest = s;
	}
	return oldest;
}

/* Mark a slot as most recently used, and write it.  Return: false on error. */
static bool cache_set_write(const struct content_cache *c, const struct cache_set *set,
			    struct cache_slot *s)
{
	s->used = set->newest + 1;
	s->sum = cache_slot_sum(c, s);
	return cache_write(c->fd, s, sizeof(*s), set->at + (s - set->slots) * (off_t)sizeof(*s));
}

bool content_cache_get(struct content_cache *cache, const struct content_key *key,
		       struct content_id *id)
{
	struct cache_slot *s;
	struct cache_set set;

	if (!cache)
		return false;
	cache_set_read(cache, key, &set);
	s = cache_set_find(cache, &set, key);
	if (!s)
		return false;
	*id = s->id;
	/*
	 * The order of use matters only in a full set, where an entry must be replaced. If another
	 * process has just replaced this slot, its new entry is lost. If the write fails, only the
	 * order is lost.
	 */
	if (!cache_set_full(&set))
		return true;
	cache_set_check(cache, &set);
	if (s->used != set.newest)
		cache_set_write(cache, &set, s);
	return true;
}

bool content_cache_put(struct content_cache *cache, const struct content_key *key,
		       const struct content_id *id)
{
	struct cache_slot *s;
	struct cache_set set;

	if (!cache)
		return false;
	cache_set_read(cache, key, &set);
	cache_set_check(cache, &set);
	s = cache_set_choose(&set, key);
	s->key = *key;
	s->id = *id;
	return cache_set_write(cache, &set, s);
}

/* ---- the default place ---- */

static bool cache_place_in(struct buf *path, const char *variable, const char *below)
{
	const char *dir = getenv(variable);

	if (!dir || *dir != '/')
		return false;
	buf_adds(path, dir);
	buf_adds(path, below);
	return true;
}

/* Create the missing directories of a path.  Return: 0, or a negative errno. */
static int cache_place_make(char *path)
{
	struct stat st;
	int err = 0;

	for (char *slash = strchr(path + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
		*slash = '\0';
		/* the first error caused the others */
		if (mkdir(path, 0700) && errno != EEXIST && !err)
			err = -errno;
		/* mkdir() of an existing directory may fail with another error than EEXIST */
		if (!stat(path, &st))
			err = S_ISDIR(st.st_mode) ? 0 : -ENOTDIR;
		*slash = '/';
	}
	return err;
}

/* Return: false, with an empty path, if the environment names no place. */
static bool cache_place(struct buf *path, bool is_root)
{
	bool is_known = true;

	path->len = 0;
	if (is_root)
		buf_adds(path, "/var/cache");
	else
		is_known = cache_place_in(path, "XDG_CACHE_HOME", "") ||
			   cache_place_in(path, "HOME", "/.cache");
	if (is_known)
		buf_adds(path, "/etrace/hashes");
	*buf_room(path, 1) = '\0';
	return is_known;
}

int content_cache_path(struct buf *path)
{
	return cache_place(path, !geteuid()) ? cache_place_make(path->s) : -ENOENT;
}
