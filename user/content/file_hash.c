// SPDX-License-Identifier: LGPL-2.1
/* Hashes a file, and proves what its content was.  See file_hash.h. */
#include "content/file_hash.h"
#include "base/xalloc.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <linux/magic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/vfs.h>
#include <time.h>
#include <unistd.h>

#include <nettle/sha2.h>

#define SECOND		1000000000ll
/* Bytes read at a time: stays in the processor's cache for both hashes. */
#define BLOCK		(64u << 10)
/* How far the two clocks may drift apart while they are read, ns. */
#define CLOCK_SLACK	1000000ll

#ifndef XFS_SUPER_MAGIC
#define XFS_SUPER_MAGIC	0x58465342
#endif
#ifndef F2FS_SUPER_MAGIC
#define F2FS_SUPER_MAGIC 0xF2F52010
#endif
#define RAMFS_OF_ROOT	0x858458f6
#define EROFS_MAGIC	0xE0F5E1E2

/* File systems whose ctime is of the kernel's own clock, and exact. */
static const struct {
	uint32_t magic;
	bool own_dev;	/* what stat() gives as st_dev is not the device in the trace */
	bool own_ino;	/* nor need st_ino be the inode number in the trace */
} file_systems[] = {
	{ EXT4_SUPER_MAGIC, false, false },
	{ XFS_SUPER_MAGIC, false, false },
	{ BTRFS_SUPER_MAGIC, true, false },
	{ F2FS_SUPER_MAGIC, false, false },
	{ TMPFS_MAGIC, false, false },
	{ RAMFS_OF_ROOT, false, false },
	{ OVERLAYFS_SUPER_MAGIC, true, true },
	{ SQUASHFS_MAGIC, false, false },
	{ EROFS_MAGIC, false, false },
};

static int64_t ns_of(const struct timespec *t)
{
	return (int64_t)t->tv_sec * SECOND + t->tv_nsec;
}

static int64_t clock_ns(clockid_t clock)
{
	struct timespec t;

	clock_gettime(clock, &t);
	return ns_of(&t);
}

/* Length of a tick of the coarse clock, ns. */
static int64_t tick_ns(void)
{
	struct timespec t;

	return clock_getres(CLOCK_REALTIME_COARSE, &t) ? 10000000 : ns_of(&t);
}

/* ---- which file ---- */

static uint32_t dev_of(const struct stat *st)
{
	/* as the kernel and stat encode devices for programs: new_encode_dev() */
	uint32_t major = major(st->st_dev), minor = minor(st->st_dev);

	return (minor & 0xff) | major << 8 | (minor & ~0xffu) << 12;
}

/* Return: the index in file_systems, -1 if it is none of them */
static int file_system_of(int fd)
{
	struct statfs fs;

	if (fstatfs(fd, &fs))
		return -1;
	for (size_t i = 0; i < sizeof(file_systems) / sizeof(file_systems[0]); i++)
		if (file_systems[i].magic == (uint32_t)fs.f_type)
			return (int)i;
	return -1;
}

/* Whether an open file is the one of the trace; if it cannot be told apart by its inode number,
 * size and time decide.
 */
static bool is_same_file(const struct file_job *job, const struct stat *st, int fs)
{
	if (!job->of.identified)
		return true;
	if (job->of.dev != dev_of(st) && !(fs >= 0 && file_systems[fs].own_dev))
		return false;
	if (job->of.ino == st->st_ino)
		return true;
	return fs >= 0 && file_systems[fs].own_ino && (uint64_t)st->st_size == job->of.size &&
	       ns_of(&st->st_mtim) == job->of.mtime;
}

/* An opened device or FIFO would act on the build, so first only the inode is taken.
 * Return: descriptor, or -errno
 */
static int open_regular(const char *path, bool follow, struct stat *st)
{
	int where = open(path, O_PATH | O_CLOEXEC | (follow ? 0 : O_NOFOLLOW)), fd;
	char self[32];

	if (where < 0)
		return -errno;
	if (fstat(where, st) || !S_ISREG(st->st_mode)) {
		close(where);
		return -EISDIR;
	}
	snprintf(self, sizeof(self), "/proc/self/fd/%d", where);
	fd = open(self, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK | O_NOATIME);
	if (fd < 0 && errno == EPERM)
		fd = open(self, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
	if (fd < 0)
		fd = -errno;
	close(where);
	return fd;
}

static const char *why_closed(int error)
{
	switch (error) {
	case EISDIR:
		return "not a regular file any more";
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

/* Opens the file of the trace: by its name, else by the descriptor of a task that has it open.
 * Return: descriptor, or -1 with @why
 */
static int open_job(const struct file_job *job, struct stat *st, int *fs, const char **why)
{
	char link[48];
	int fd = -ENOENT;

	*why = NULL;
	for (int way = 0; way < 2; way++) {
		if (way ? !job->pid || job->of.fd < 0 || !job->of.identified : !job->path)
			continue;
		snprintf(link, sizeof(link), "/proc/%d/fd/%d", job->pid, job->of.fd);
		fd = open_regular(way ? link : job->path, way || !job->of.identified, st);
		if (fd < 0)
			continue;
		*fs = file_system_of(fd);
		if (is_same_file(job, st, *fs))
			return fd;
		close(fd);
		fd = -ENOENT;
	}
	*why = why_closed(-fd);
	return -1;
}

/* ---- the proof ---- */

static bool is_equal(const struct stat *a, const struct stat *b)
{
	return a->st_dev == b->st_dev && a->st_ino == b->st_ino && a->st_size == b->st_size &&
	       ns_of(&a->st_mtim) == ns_of(&b->st_mtim) && ns_of(&a->st_ctim) == ns_of(&b->st_ctim);
}

/* Rule 2.  Return: NULL if the content at ctime is that of the trace, else why it need not be */
static const char *check_age(const struct file_job *job, const struct stat *st)
{
	int64_t to_real = clock_ns(CLOCK_REALTIME) - clock_ns(CLOCK_MONOTONIC);
	int64_t slack = tick_ns() + CLOCK_SLACK, ctime = ns_of(&st->st_ctim);

	if (job->of.existed && ctime < job->of.since + to_real - slack)
		return NULL;
	if (job->of.changed && ctime <= job->of.changed + to_real + slack &&
	    (!job->of.existed || !job->of.identified ||
	     ((uint64_t)st->st_size == job->of.size && ns_of(&st->st_mtim) == job->of.mtime)))
		return NULL;
	return job->of.existed ? "changed at the time of its first use, or after that" :
				 "changed by something that is not recorded";
}

/* Rule 1: wait until a change would show. */
static void wait_for_tick(const struct stat *st)
{
	const struct timespec nap = { .tv_nsec = 1000000 };

	/* a ctime in the future would take for ever: check_age() has refused it */
	while (clock_ns(CLOCK_REALTIME_COARSE) <= ns_of(&st->st_ctim))
		nanosleep(&nap, NULL);
}

/* Whether a process has a file mapped shared and writable.  Inode numbers decide, whatever the
 * device: which one /proc shows depends on the file system.
 */
static bool maps_file(uint32_t pid, uint64_t ino, uint64_t other)
{
	char name[32], *line = NULL, flags[8];
	unsigned long long of;
	bool found = false;
	size_t cap = 0;
	FILE *f;

	snprintf(name, sizeof(name), "/proc/%u/maps", pid);
	f = fopen(name, "re");
	if (!f)
		return errno != ENOENT && errno != ESRCH;
	while (!found && getline(&line, &cap, f) > 0)
		found = sscanf(line, "%*s %7s %*s %*s %llu", flags, &of) == 2 && flags[1] == 'w' &&
			flags[3] == 's' && (of == ino || of == other);
	free(line);
	found |= ferror(f) && errno != ESRCH;
	fclose(f);
	return found;
}

static bool may_be_mapped(const struct file_job *job, const struct file_limits *limits,
			  const struct stat *st)
{
	if (!job->of.nmappers)
		return false;
	if (!limits->pids || job->of.nmappers > GRAPH_MAPPERS)
		return true;
	for (size_t i = 0; i < job->of.nmappers; i++)
		if (maps_file(job->of.mappers[i], st->st_ino, job->of.identified ? job->of.ino : 0))
			return true;
	return false;
}

/* ---- hashing ---- */

static bool hash_content(int fd, uint64_t size, struct file_result *to)
{
	uint8_t *block = xmalloc(BLOCK);
	struct sha256_ctx plain, blob;
	char head[32];
	uint64_t have = 0;
	ssize_t n;
	int len = snprintf(head, sizeof(head), "blob %" PRIu64, size);

	sha256_init(&plain);
	sha256_init(&blob);
	sha256_update(&blob, (size_t)len + 1, (const uint8_t *)head);
	while ((n = read(fd, block, BLOCK)) > 0) {
		sha256_update(&plain, (size_t)n, block);
		sha256_update(&blob, (size_t)n, block);
		have += (uint64_t)n;
	}
	sha256_digest(&plain, FILE_HASH, to->sha256);
	sha256_digest(&blob, FILE_HASH, to->gitoid);
	free(block);
	return !n && have == size;
}

static const char *hash_open(const struct file_job *job, const struct file_limits *limits, int fd,
			     int fs, struct file_result *to)
{
	struct stat before, after;
	const char *why;
	bool good;

	if (fs < 0)
		return "its file system is not known to keep exact times";
	if (fstat(fd, &before))
		return "cannot be read";
	if ((uint64_t)before.st_size > limits->max)
		return "larger than the limit of --hash-max";
	why = check_age(job, &before);
	if (why)
		return why;
	to->mapped = may_be_mapped(job, limits, &before);
	if (to->mapped)
		return "a process may write to it through a mapping";
	wait_for_tick(&before);
	good = !fstat(fd, &after) && is_equal(&before, &after) &&
	       hash_content(fd, (uint64_t)before.st_size, to);
	/* before the last look: what comes after it is not proven */
	to->time = (uint64_t)clock_ns(CLOCK_MONOTONIC);
	if (!good || fstat(fd, &after) || !is_equal(&before, &after)) {
		to->again = true;
		return "changed while the recorder read it";
	}
	to->size = (uint64_t)before.st_size;
	to->mtime = ns_of(&before.st_mtim);
	to->ctime = ns_of(&before.st_ctim);
	to->ino = before.st_ino;
	return NULL;
}

void file_hash(const struct file_job *job, const struct file_limits *limits,
	       struct file_result *to)
{
	struct stat st;
	int fs = -1, fd;

	memset(to, 0, sizeof(*to));
	if (limits->identified && !job->of.identified) {
		to->why_not = "its inode number is not recorded";
		to->time = (uint64_t)clock_ns(CLOCK_MONOTONIC);
		return;
	}
	fd = open_job(job, &st, &fs, &to->why_not);
	if (fd >= 0) {
		to->why_not = hash_open(job, limits, fd, fs, to);
		close(fd);
	}
	if (to->why_not)
		to->time = (uint64_t)clock_ns(CLOCK_MONOTONIC);
}

bool file_still(const char *path, uint64_t ino, int64_t ctime, int64_t changed)
{
	int64_t to_real = clock_ns(CLOCK_REALTIME) - clock_ns(CLOCK_MONOTONIC);
	struct stat st;

	if (lstat(path, &st) || st.st_ino != ino || ns_of(&st.st_ctim) == ctime)
		return true;
	return changed && ns_of(&st.st_ctim) <= changed + to_real + tick_ns() + CLOCK_SLACK;
}
