// SPDX-License-Identifier: GPL-2.0
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
/* Bytes read at a time, on the stack: they stay in the processor's cache for both hashes. */
#define BLOCK		(32u << 10)
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

/*
 * What to add to a time of the trace, ns.  If the thread stops between the two clocks, the result is
 * too small, never too large: the largest of a few is the best.
 */
static int64_t monotonic_to_real(void)
{
	int64_t best = INT64_MIN, now;

	for (int i = 0; i < 3; i++) {
		now = clock_ns(CLOCK_REALTIME) - clock_ns(CLOCK_MONOTONIC);
		best = now > best ? now : best;
	}
	return best;
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

/* What is found out about a file before it is read. */
struct found {
	int fd;			/* O_PATH */
	int fs;			/* index in file_systems, -1 if it is none of them */
	uint64_t fsid;
	struct stat st;
};

static void find_file_system(struct found *f)
{
	struct statfs fs;

	f->fs = -1;
	if (fstatfs(f->fd, &fs))
		return;
	memcpy(&f->fsid, &fs.f_fsid, sizeof(f->fsid));
	for (size_t i = 0; i < sizeof(file_systems) / sizeof(file_systems[0]); i++)
		if (file_systems[i].magic == (uint32_t)fs.f_type)
			f->fs = (int)i;
}

/* Whether an open file is the one of the trace; if it cannot be told apart by its inode number,
 * size and time decide.
 */
static bool is_same_file(const struct file_job *job, const struct found *f)
{
	const struct stat *st = &f->st;
	bool own_dev = f->fs >= 0 && file_systems[f->fs].own_dev;
	bool own_ino = f->fs >= 0 && file_systems[f->fs].own_ino;

	if (!job->of.identified)
		return true;
	if (job->of.dev != dev_of(st) && !own_dev)
		return false;
	if (job->of.ino == st->st_ino)
		return true;
	return own_ino && (uint64_t)st->st_size == job->of.size &&
	       ns_of(&st->st_mtim) == job->of.mtime;
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

/* An opened device or FIFO would act on the build, so first only the inode is taken.
 * Return: NULL, or why there is none
 */
static const char *find_file(const char *path, bool follow, struct found *f)
{
	f->fd = open(path, O_PATH | O_CLOEXEC | (follow ? 0 : O_NOFOLLOW));
	if (f->fd < 0)
		return why_closed(errno);
	if (fstat(f->fd, &f->st) || !S_ISREG(f->st.st_mode)) {
		close(f->fd);
		return "not a regular file any more";
	}
	find_file_system(f);
	return NULL;
}

static int compare_ids(const void *a, const void *b)
{
	const uint64_t *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

/* Whether a path is on a mount that may be read: an open file keeps others from unmounting it.
 * Asked by name, since an open descriptor would do that, too.
 */
static bool is_on_mount(const char *path, bool follow, const struct file_limits *limits)
{
	struct statx st;

	if (!limits->nmounts ||
	    statx(AT_FDCWD, path, follow ? 0 : AT_SYMLINK_NOFOLLOW, STATX_MNT_ID, &st) ||
	    !(st.stx_mask & STATX_MNT_ID))
		return true;
	return bsearch(&st.stx_mnt_id, limits->mounts, limits->nmounts, sizeof(*limits->mounts),
		       compare_ids);
}

/* Return: descriptor, or -1 with errno */
static int open_found(const struct found *f)
{
	static const int flags = O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK;
	char self[32];
	int fd;

	snprintf(self, sizeof(self), "/proc/self/fd/%d", f->fd);
	fd = open(self, flags | O_NOATIME);
	return fd < 0 && errno == EPERM ? open(self, flags) : fd;
}

/* Finds the file of the trace: by its name, else by the descriptor of a task that has it open.
 * Return: NULL, or why it is not found
 */
static const char *find_job(const struct file_job *job, const struct file_limits *limits,
			    struct found *f)
{
	const char *why = why_closed(ENOENT);
	char link[48];

	for (int way = 0; way < 2; way++) {
		if (way ? !job->pid || job->of.fd < 0 || !job->of.identified : !job->path)
			continue;
		snprintf(link, sizeof(link), "/proc/%d/fd/%d", job->pid, job->of.fd);
		if (!is_on_mount(way ? link : job->path, way || !job->of.identified, limits))
			return "on a file system that was mounted during the recording";
		why = find_file(way ? link : job->path, way || !job->of.identified, f);
		if (why)
			continue;
		if (is_same_file(job, f))
			return NULL;
		close(f->fd);
		why = why_closed(ENOENT);
	}
	return why;
}

/* ---- the proof ---- */

static bool is_equal(const struct stat *a, const struct stat *b)
{
	return a->st_dev == b->st_dev && a->st_ino == b->st_ino && a->st_size == b->st_size &&
	       ns_of(&a->st_mtim) == ns_of(&b->st_mtim) && ns_of(&a->st_ctim) == ns_of(&b->st_ctim);
}

/* Rule 2.  Return: NULL if the content at ctime is that of the trace, else why it need not be */
static const char *check_age(const struct file_job *job, const struct file_limits *limits,
			     const struct stat *st)
{
	int64_t to_real = monotonic_to_real();
	int64_t slack = tick_ns() + CLOCK_SLACK, ctime = ns_of(&st->st_ctim);

	if (job->of.existed && ctime < job->of.since + to_real - slack)
		return NULL;
	if (job->of.changed && ctime <= job->of.changed + to_real + (limits->early ? slack : 0) &&
	    (!job->of.existed || !job->of.identified ||
	     ((uint64_t)st->st_size == job->of.size && ns_of(&st->st_mtim) == job->of.mtime)))
		return NULL;
	return job->of.existed ? "changed at the time of its first use, or after that" :
				 "changed by something that is not recorded";
}

/* Rule 1: wait until a change would show. */
static void wait_for_tick(const struct stat *st)
{
	int64_t changed = ns_of(&st->st_ctim), left;
	struct timespec nap = { 0 };

	/* a ctime in the future would take for ever: check_age() has refused it */
	while (clock_ns(CLOCK_REALTIME_COARSE) <= changed) {
		left = changed + tick_ns() - clock_ns(CLOCK_REALTIME);
		nap.tv_nsec = left > 100000 ? left : 100000;
		nanosleep(&nap, NULL);
	}
}

/* Whether a line of /proc/PID/maps is a shared and writable mapping of an inode. */
static bool is_mapping(const char *line, uint64_t ino, uint64_t other)
{
	/* "7f0000000000-7f0000001000 rw-s 00000000 08:01 1234   /path" */
	const char *flags = strchr(line, ' ');
	unsigned long long of;

	return flags && flags[2] == 'w' && flags[4] == 's' &&
	       sscanf(flags + 5, "%*s %*s %llu", &of) == 1 && (of == ino || of == other);
}

/* Inode numbers decide, whatever the device: which one /proc shows depends on the file system. */
static bool maps_file(uint32_t pid, uint64_t ino, uint64_t other)
{
	char name[32], *line = NULL;
	bool found = false;
	size_t cap = 0;
	FILE *f;

	snprintf(name, sizeof(name), "/proc/%u/maps", pid);
	f = fopen(name, "re");
	if (!f)
		return errno != ENOENT && errno != ESRCH;
	while (!found && getline(&line, &cap, f) > 0)
		found = is_mapping(line, ino, other);
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
	uint8_t block[BLOCK];
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
	sha256_digest(&plain, FILE_HASH, to->id.sha256);
	sha256_digest(&blob, FILE_HASH, to->id.gitoid);
	return !n && have == size;
}

static struct content_key key_of(const struct found *f)
{
	return (struct content_key){
		.dev = f->st.st_dev, .ino = f->st.st_ino, .size = (uint64_t)f->st.st_size,
		.fsid = f->fsid, .mtime = ns_of(&f->st.st_mtim), .ctime = ns_of(&f->st.st_ctim),
	};
}

/* Read it: rule 1.  @f->st is what the file was before. */
static const char *read_found(const struct found *f, struct file_result *to)
{
	struct stat after;
	int fd = open_found(f);
	bool good;

	if (fd < 0)
		return why_closed(errno);
	wait_for_tick(&f->st);
	good = !fstat(fd, &after) && is_equal(&f->st, &after) &&
	       hash_content(fd, (uint64_t)f->st.st_size, to);
	/* before the last look: what comes after it is not proven */
	to->time = (uint64_t)clock_ns(CLOCK_MONOTONIC);
	good = good && !fstat(fd, &after) && is_equal(&f->st, &after);
	close(fd);
	if (!good) {
		to->again = true;
		return "changed while the recorder read it";
	}
	return NULL;
}

static const char *hash_found(const struct file_job *job, const struct file_limits *limits,
			      const struct found *f, struct file_result *to)
{
	const struct content_key key = key_of(f);
	const char *why;

	to->key = key;

	if (f->fs < 0)
		return "its file system is not known to keep exact times";
	if (key.size > limits->max)
		return "larger than the limit of --hash-max";
	/*
	 * An open that empties the file is recorded when it returns, perhaps after all this.  But
	 * then the size is another one, or the file was empty before.
	 */
	why = job->of.identified && job->of.sized && key.size != job->of.size ?
	      "changed by something that is not recorded" : check_age(job, limits, &f->st);
	/* or by a call that is recorded soon: a linker closes its output, and then makes it executable */
	to->again = why;
	if (why)
		return why;
	to->mapped = may_be_mapped(job, limits, &f->st);
	if (to->mapped)
		return "a process may write to it through a mapping";
	to->cached = content_cache_get(limits->cache, &key, &to->id);
	return to->cached ? NULL : read_found(f, to);
}

void file_hash(const struct file_job *job, const struct file_limits *limits,
	       struct file_result *to)
{
	struct found f;

	memset(to, 0, sizeof(*to));
	to->time = (uint64_t)clock_ns(CLOCK_MONOTONIC);
	to->why_not = "its inode number is not recorded";
	if (limits->identified && !job->of.identified)
		return;
	to->why_not = find_job(job, limits, &f);
	if (to->why_not) {
		/* perhaps it has a new name, which is recorded soon */
		to->again = to->why_not == why_closed(ENOENT);
		return;
	}
	to->why_not = hash_found(job, limits, &f, to);
	close(f.fd);
}

bool file_still(const char *path, uint64_t ino, int64_t ctime, int64_t changed)
{
	int64_t to_real = monotonic_to_real();
	struct stat st;

	if (lstat(path, &st) || st.st_ino != ino || ns_of(&st.st_ctim) == ctime)
		return true;
	return changed && ns_of(&st.st_ctim) <= changed + to_real + tick_ns() + CLOCK_SLACK;
}

uint64_t *file_mounts(size_t *n)
{
	uint64_t *ids = NULL;
	char *line = NULL;
	size_t cap = 0, room = 0;
	FILE *f = fopen("/proc/self/mountinfo", "re");

	*n = 0;
	/* "26 1 8:1 / / rw,relatime ..." */
	while (f && getline(&line, &room, f) > 0) {
		ids = xgrow(ids, &cap, *n + 1, sizeof(*ids));
		ids[(*n)++] = strtoull(line, NULL, 10);
	}
	free(line);
	if (f)
		fclose(f);
	if (*n)
		qsort(ids, *n, sizeof(*ids), compare_ids);
	return ids;
}
