// SPDX-License-Identifier: GPL-2.0
/* Hashes a file, and proves when it had this content.  See file_hash.h. */
#include "content/file_hash.h"
#include "base/clock.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

#include <nettle/sha2.h>

#define SECOND		1000000000ll
/* Bytes read at a time, on the stack: they stay in the processor's cache for both hashes. */
#define BLOCK		(32u << 10)
/* Up to this many bytes, reading a file again is faster than a cache lookup. */
#define SMALL		(32u << 10)
/* Tolerance for clock_to_real(), ns. */
#define CLOCK_SLACK	1000000ll
/* Maximum lag of the coarse clock in ticks: two were seen in a virtual machine. */
#define STALE_TICKS	4

/* Length of a tick of the coarse clock, ns. */
static int64_t tick_ns(void)
{
	static _Thread_local int64_t tick;
	struct timespec t;

	if (!tick)
		tick = clock_getres(CLOCK_REALTIME_COARSE, &t) ? 10000000 : timespec_ns(&t);
	return tick;
}

/* How much later than the recorded time of a change the ctime may be, ns. */
static int64_t slack_ns(const struct file_limits *limits)
{
	return limits->early ? tick_ns() + CLOCK_SLACK : 0;
}

/* ---- which file ---- */

/* As the kernel and stat encode devices for programs: new_encode_dev() */
static uint32_t encode_dev(uint64_t dev)
{
	uint32_t major = major(dev), minor = minor(dev);

	return (minor & 0xff) | major << 8 | (minor & ~0xffu) << 12;
}

/* Return: 0, -1 with errno, or -2 if it is not a regular file */
static int look_at(int fd, const char *path, int flags, struct file_look *to)
{
	struct statx st;

	if (statx(fd, path, flags, STATX_BASIC_STATS | STATX_MNT_ID, &st))
		return -1;
	if (!S_ISREG(st.stx_mode))
		return -2;
	*to = (struct file_look){
		.mount = st.stx_mask & STATX_MNT_ID ? st.stx_mnt_id : 0,
		.dev = makedev(st.stx_dev_major, st.stx_dev_minor), .ino = st.stx_ino,
		.size = st.stx_size, .mtime = st.stx_mtime.tv_sec * SECOND + st.stx_mtime.tv_nsec,
		.ctime = st.stx_ctime.tv_sec * SECOND + st.stx_ctime.tv_nsec,
	};
	return 0;
}

/* Whether two looks show no change of the file. */
static bool is_equal(const struct file_look *a, const struct file_look *b)
{
	return a->dev == b->dev && a->ino == b->ino && a->size == b->size &&
	       a->mtime == b->mtime && a->ctime == b->ctime;
}

static bool is_unchanged(int fd, const struct file_look *before)
{
	struct file_look now;

	return !look_at(fd, "", AT_EMPTY_PATH, &now) && is_equal(before, &now);
}

/* Whether @fd is the same file, changed or not. */
static bool is_that_file(int fd, const struct file_look *before)
{
	struct file_look now;

	return !look_at(fd, "", AT_EMPTY_PATH, &now) && before->dev == now.dev && before->ino == now.ino;
}

static const char *why_closed(int error)
{
	switch (error) {
	case EACCES:
	case EPERM:
		return "the recorder may not read it";
	case EMFILE:
	case ENFILE:
	case ENOMEM:
		return "no memory or descriptor to open it";
	default:
		return "gone before the recorder could read it";
	}
}

/* Whether to read files of a mount: an open file prevents unmounting. */
static bool may_read_mount(const struct file_limits *limits, uint64_t id)
{
	return !limits->mounts.n || !id || mount_ids_have(&limits->mounts, id);
}

/* A way to find a file. */
struct way {
	int fd;			/* O_PATH descriptor of the file, or AT_FDCWD with @path */
	const char *path;
	int flags;		/* flags for statx() and open(), to follow links or not */
};

static void close_found(struct file_found *f)
{
	if (f->fd >= 0 && !f->kept)
		close(f->fd);
	f->fd = -1;
}

/*
 * Open with O_PATH: really opening a device or FIFO could disturb the build. Return:
 * whether it is still the file of the first look; otherwise @f->fd is -1
 */
static bool open_way(const struct way *way, struct file_found *f)
{
	f->kept = way->fd >= 0;
	f->fd = f->kept ? way->fd :
		open(way->path, O_PATH | O_CLOEXEC |
		     (way->flags & AT_SYMLINK_NOFOLLOW ? O_NOFOLLOW : 0));
	if (f->fd < 0)
		return false;
	if (f->kept || is_that_file(f->fd, &f->look))
		return true;
	close_found(f);
	errno = ENOENT;
	return false;
}

/*
 * Whether a file is the recorded one, by its inode number or, if that is unreliable, by size and
 * time.
 */
static bool is_same_file(const struct file_job *job, const struct file_found *f)
{
	bool own_dev = f->mount.fs && f->mount.fs->own_dev;
	bool own_ino = f->mount.fs && f->mount.fs->own_ino;

	if (!job->of.identified)
		return true;
	if (job->of.dev != encode_dev(f->look.dev) && !own_dev)
		return false;
	if (job->of.ino == f->look.ino)
		return true;
	return own_ino && f->look.size == job->of.size && f->look.mtime == job->of.mtime;
}

/* Return: NULL, or why the file was not found; @f->fd is open only if that was necessary */
static const char *find_by(const struct way *way, const struct file_job *job,
			   const struct file_limits *limits, struct file_mounts *known,
			   struct file_found *f, uint64_t now)
{
	int status = look_at(way->fd, way->path, way->flags, &f->look);

	if (status)
		return status == -1 ? why_closed(errno) : "not a regular file any more";
	/* do not even open it with O_PATH, which would also prevent unmounting */
	if (way->fd < 0 && !may_read_mount(limits, f->look.mount))
		return "on a file system that was mounted during the recording";
	if (!file_mount_known(known, f->look.mount, f->look.dev, now, &f->mount)) {
		if (!open_way(way, f))
			return why_closed(errno);
		file_mount_look(known, f->fd, f->look.mount, f->look.dev, now, &f->mount);
	}
	if (is_same_file(job, f))
		return NULL;
	close_found(f);
	return why_closed(ENOENT);
}

/*
 * Finds the recorded file by the kept descriptor, by its name, or by the descriptor of a task that
 * has it open. Return: NULL, or why it was not found
 */
static const char *find_job(const struct file_job *job, const struct file_limits *limits,
			    struct file_mounts *known, struct file_found *f, struct way *way,
			    char *link, size_t size)
{
	const char *why = why_closed(ENOENT);
	const uint64_t now = (uint64_t)clock_ns(CLOCK_MONOTONIC);

	if (job->kept >= 0) {
		*way = (struct way){ job->kept, "", AT_EMPTY_PATH };
		return find_by(way, job, limits, known, f, now);
	}
	if (job->path) {
		*way = (struct way){ AT_FDCWD, job->path,
			job->of.identified ? AT_SYMLINK_NOFOLLOW : 0 };
		why = find_by(way, job, limits, known, f, now);
	}
	if (!why || !job->pid || job->of.fd < 0 || !job->of.identified)
		return why;
	snprintf(link, size, "/proc/%d/fd/%d", job->pid, job->of.fd);
	*way = (struct way){ AT_FDCWD, link, 0 };
	return find_by(way, job, limits, known, f, now);
}

/* Return: descriptor, or -1 with errno */
static int open_found(const struct file_found *f)
{
	static const int flags = O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK;
	char self[32];
	int fd;

	snprintf(self, sizeof(self), "/proc/self/fd/%d", f->fd);
	fd = open(self, flags | O_NOATIME);
	return fd < 0 && errno == EPERM ? open(self, flags) : fd;
}

/* ---- the proof ---- */

/*
 * Rule 2 of file_hash.h.  Return: NULL if the file has had the recorded content since its ctime,
 * else why it may not
 */
static const char *check_age(const struct file_job *job, const struct file_limits *limits,
			     const struct file_look *look)
{
	int64_t to_real = clock_to_real(), ctime = look->ctime;

	if (job->of.existed && ctime < job->of.since + to_real - STALE_TICKS * tick_ns() - CLOCK_SLACK)
		return NULL;
	if (job->of.changed && ctime <= job->of.changed + to_real + slack_ns(limits) &&
	    (!job->of.existed || !job->of.identified ||
	     (look->size == job->of.size && look->mtime == job->of.mtime)))
		return NULL;
	return job->of.existed ? "changed at the time of its first use, or after that" :
				 GRAPH_WHY_FOREIGN;
}

/*
 * Whether a truncated file is still empty: even an open that has not returned yet would have
 * changed its ctime.
 */
static bool is_as_made(const struct file_job *job, const struct file_limits *limits,
		       const struct file_look *look)
{
	return job->of.unwritten && !look->size &&
	       look->ctime <= job->of.made + clock_to_real() + slack_ns(limits);
}

/*
 * Since Linux 6.13 (multigrain timestamps), a file whose times were read gets a finer ctime at its
 * next change, later than the one that was read.
 */
static bool has_fine_times(void)
{
	static _Thread_local int known;
	unsigned int major, minor;
	struct utsname name;

	if (!known)
		known = !uname(&name) && sscanf(name.release, "%u.%u", &major, &minor) == 2 &&
			(major > 6 || (major == 6 && minor >= 13)) ? 1 : -1;
	return known > 0;
}

/* Wait until a change would show in ctime: rule 1 of file_hash.h. */
static void wait_for_tick(const struct file_found *f)
{
	int64_t changed = f->look.ctime, left;
	struct timespec nap = { 0 };

	if (f->mount.fs->fine && has_fine_times())
		return;

	/* this ends soon: check_age() has refused a ctime in the future */
	while (clock_ns(CLOCK_REALTIME_COARSE) <= changed) {
		left = changed + tick_ns() - clock_ns(CLOCK_REALTIME);
		nap.tv_nsec = left > 100000 ? left : 100000;
		nanosleep(&nap, NULL);
	}
}

/* Whether a line of /proc/PID/maps is a shared and writable mapping of an inode. */
static bool is_mapping(const char *line, uint64_t ino, uint64_t other)
{
	/* a line looks like this: "7f0000000000-7f0000001000 rw-s 00000000 08:01 1234   /path" */
	const char *flags = strchr(line, ' ');
	unsigned long long of;

	return flags && flags[2] == 'w' && flags[4] == 's' &&
	       sscanf(flags + 5, "%*s %*s %llu", &of) == 1 && (of == ino || of == other);
}

/* Inode numbers decide, whatever the device: which one /proc shows depends on the file system. */
static bool maps_file(uint32_t pid, uint64_t ino, uint64_t other, bool *ended)
{
	char name[32], *line = NULL;
	bool found = false, any = false, gone;
	size_t cap = 0;
	FILE *f;

	snprintf(name, sizeof(name), "/proc/%u/maps", pid);
	f = fopen(name, "re");
	if (!f) {
		gone = errno == ENOENT || errno == ESRCH;
		*ended |= gone;
		return !gone;
	}
	for (; !found && getline(&line, &cap, f) > 0; any = true)
		found = is_mapping(line, ino, other);
	free(line);
	/* a zombie has no mappings */
	gone = ferror(f) ? errno == ESRCH : !any;
	*ended |= gone;
	found |= ferror(f) && !gone;
	fclose(f);
	return found;
}

static bool may_be_mapped(const struct file_job *job, const struct file_limits *limits,
			  uint64_t ino, bool *ended)
{
	if (!job->of.nmappers)
		return false;
	if (!limits->pids || job->of.nmappers > GRAPH_MAPPERS)
		return true;
	for (size_t i = 0; i < job->of.nmappers; i++)
		if (maps_file(job->of.mappers[i], ino, job->of.identified ? job->of.ino : 0, ended))
			return true;
	return false;
}

/* ---- hashing ---- */

struct hashes {
	struct sha256_ctx plain, blob;
};

static void hashes_begin(struct hashes *h, uint64_t size)
{
	char head[32];
	int len = snprintf(head, sizeof(head), "blob %" PRIu64, size);

	sha256_init(&h->plain);
	sha256_init(&h->blob);
	sha256_update(&h->blob, (size_t)len + 1, (const uint8_t *)head);
}

static void hashes_end(struct hashes *h, struct content_id *id)
{
	sha256_digest(&h->plain, FILE_HASH, id->sha256);
	sha256_digest(&h->blob, FILE_HASH, id->gitoid);
}

static void hash_nothing(struct content_id *id)
{
	struct hashes h;

	hashes_begin(&h, 0);
	hashes_end(&h, id);
}

static bool hash_content(int fd, uint64_t size, struct file_result *to)
{
	uint8_t block[BLOCK];
	struct hashes h;
	uint64_t have = 0;
	ssize_t n;

	hashes_begin(&h, size);
	while (have < size && (n = read(fd, block, BLOCK)) > 0) {
		sha256_update(&h.plain, (size_t)n, block);
		sha256_update(&h.blob, (size_t)n, block);
		have += (uint64_t)n;
	}
	hashes_end(&h, &to->id);
	/* is_unchanged() shows if it has grown since */
	return have == size;
}

static struct content_key key_of(const struct file_found *f)
{
	return (struct content_key){
		.dev = f->look.dev, .ino = f->look.ino, .size = f->look.size,
		.fsid = f->mount.fsid, .mtime = f->look.mtime, .ctime = f->look.ctime,
	};
}

/* Read and hash a file, by rule 1 of file_hash.h. */
static const char *read_found(const struct file_found *f, struct file_result *to)
{
	int fd = open_found(f);
	bool good;

	if (fd < 0)
		return why_closed(errno);
	wait_for_tick(f);
	good = hash_content(fd, f->look.size, to);
	/* take the time before the last look, which proves nothing about later changes */
	to->time = (uint64_t)clock_ns(CLOCK_MONOTONIC);
	good = good && is_unchanged(fd, &f->look);
	close(fd);
	if (!good) {
		to->again = true;
		return "changed while the recorder read it";
	}
	return NULL;
}

/* Whether to hash a file that was found.  Return: NULL, or why not */
static const char *check_found(const struct file_job *job, const struct file_limits *limits,
			       const struct file_found *f, struct file_result *to)
{
	const char *why;

	if (!f->mount.fs)
		return "its file system is not known to keep exact times";
	if (f->look.size > limits->max)
		return "larger than the limit of --hash-max";
	/*
	 * An open that truncates the file is recorded only when it returns, perhaps after this
	 * check. But then the size differs, or the file was empty before.
	 */
	why = job->of.identified && job->of.sized && f->look.size != job->of.size ?
	      GRAPH_WHY_FOREIGN : check_age(job, limits, &f->look);
	/*
	 * try again: perhaps a recorded call, whose event comes soon, has changed the file, as when
	 * a linker makes its output executable after closing it
	 */
	to->again = why;
	if (why)
		return why;
	/* an empty file cannot be changed through a mapping */
	to->mapped = f->look.size && may_be_mapped(job, limits, f->look.ino, &to->ended);
	return to->mapped ? "a process may write to it through a mapping" : NULL;
}

/*
 * A file that the build has just made is in the cache only if it was opened for writing but not
 * changed.
 */
static bool may_be_cached(const struct file_job *job, const struct content_key *key)
{
	return job->of.existed || key->size > SMALL;
}

bool file_find(const struct file_job *job, const struct file_limits *limits,
	       struct file_mounts *mounts, struct file_found *found, struct file_result *to)
{
	char link[48];
	struct way way;

	memset(to, 0, sizeof(*to));
	found->fd = -1;
	to->time = (uint64_t)clock_ns(CLOCK_MONOTONIC);
	to->why_not = "its inode number is not recorded";
	if (limits->identified && !job->of.identified)
		return false;
	to->why_not = find_job(job, limits, mounts, found, &way, link, sizeof(link));
	if (to->why_not) {
		/* it may have a new name whose event comes soon */
		to->again = to->why_not == why_closed(ENOENT);
		return false;
	}
	to->key = key_of(found);
	to->why_not = check_found(job, limits, found, to);
	to->empty = !to->why_not && is_as_made(job, limits, &found->look);
	if (to->empty)
		hash_nothing(&to->id);
	to->cached = !to->why_not && !to->empty && may_be_cached(job, &to->key) &&
		     content_cache_get(limits->cache, &to->key, &to->id);
	if (to->why_not || to->empty || to->cached) {
		close_found(found);
		return false;
	}
	if (found->fd >= 0 || open_way(&way, found))
		return true;
	to->why_not = why_closed(errno);
	to->again = true;
	return false;
}

void file_read(struct file_found *found, struct file_result *to)
{
	to->why_not = read_found(found, to);
	close_found(found);
}

int file_keep(const struct file_job *job, const struct file_limits *limits,
	      struct file_mounts *mounts)
{
	const struct way way = { AT_FDCWD, job->path, AT_SYMLINK_NOFOLLOW };
	const struct file_limits keeps = { .mounts = limits->keeps };
	struct file_found f = { .fd = -1 };

	if (!keeps.mounts.n ||
	    find_by(&way, job, &keeps, mounts, &f, (uint64_t)clock_ns(CLOCK_MONOTONIC)))
		return -1;
	if (!f.mount.fs)
		close_found(&f);
	else if (f.fd < 0)
		open_way(&way, &f);
	return f.fd;
}

bool file_still(const char *path, uint64_t ino, int64_t ctime, int64_t changed)
{
	int64_t to_real = clock_to_real();
	struct stat st;

	if (lstat(path, &st) || st.st_ino != ino || timespec_ns(&st.st_ctim) == ctime)
		return true;
	return changed && timespec_ns(&st.st_ctim) <= changed + to_real + tick_ns() + CLOCK_SLACK;
}
