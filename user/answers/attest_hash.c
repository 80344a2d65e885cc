// SPDX-License-Identifier: LGPL-2.1
/* SHA-256 of a file, if it has not changed since the build.  See attest.h. */
#include "answers/attest.h"
#include "base/clock.h"
#include "base/xalloc.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <nettle/sha2.h>

/* Open a file below @root: links cannot lead out of it, and a FIFO does not block (O_NONBLOCK). */
static int open_file(const char *root, const char *path)
{
	struct open_how how = {
		.flags = O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY,
		.resolve = RESOLVE_IN_ROOT | RESOLVE_NO_MAGICLINKS,
	};
	int dir = open(root, O_PATH | O_DIRECTORY | O_CLOEXEC), fd, e;

	if (dir < 0)
		return -errno;
	fd = (int)syscall(SYS_openat2, dir, path, &how, sizeof(how));
	e = fd < 0 ? errno : 0;
	/* openat2() needs Linux 5.6, and seccomp filters may refuse it */
	if ((e == ENOSYS || e == EPERM) && !strcmp(root, "/")) {
		fd = open(path, (int)how.flags);
		e = fd < 0 ? errno : 0;
	}
	close(dir);
	return e ? -e : fd;
}

static bool read_all(int fd, uint8_t *hash)
{
	static const size_t room = 1 << 16;
	uint8_t *buf = xmalloc(room);
	struct sha256_ctx sha;
	ssize_t n;

	sha256_init(&sha);
	while ((n = read(fd, buf, room)) > 0)
		sha256_update(&sha, (size_t)n, buf);
	if (!n)
		sha256_digest(&sha, ATTEST_HASH, hash);
	free(buf);
	return !n;
}

static const char *is_other(const struct attest *a, const struct attest_was *was,
			    const struct stat *st)
{
	if (!S_ISREG(st->st_mode))
		return "no regular file since";
	if (!was->known)
		return a->has_begin && timespec_ns(&st->st_ctim) < a->begin ? NULL :
			"the trace does not tell its size and time";
	if (st->st_size != was->size || llabs(timespec_ns(&st->st_mtim) - was->mtime) > was->slack)
		return "changed since";
	return NULL;
}

const char *attest_hash(const struct attest *a, const struct attest_file *f,
			const struct attest_was *was, uint8_t *hash)
{
	struct stat st, after;
	const char *why;
	int fd = open_file(a->root, f->place ? f->place : f->path);

	if (fd == -ENOENT || fd == -ENOTDIR)
		return "gone since";
	if (fd == -ELOOP)
		return "a link since";
	if (fd < 0)
		return "cannot be opened";
	why = fstat(fd, &st) ? "cannot be read" : is_other(a, was, &st);
	if (!why && !read_all(fd, hash))
		why = "cannot be read";
	if (!why && (fstat(fd, &after) || after.st_size != st.st_size ||
		     timespec_ns(&after.st_mtim) != timespec_ns(&st.st_mtim) ||
		     timespec_ns(&after.st_ctim) != timespec_ns(&st.st_ctim)))
		why = "changes while it is read";
	if (why)
		memset(hash, 0, ATTEST_HASH);
	close(fd);
	return why;
}

bool attest_look(const struct attest *a, const char *path, struct attest_was *was)
{
	int fd = open_file(a->root, path);
	struct stat st;

	if (fd < 0)
		return false;
	was->known = !fstat(fd, &st) && S_ISREG(st.st_mode) && a->has_begin &&
		     timespec_ns(&st.st_ctim) < a->begin;
	if (was->known) {
		was->size = st.st_size;
		was->mtime = timespec_ns(&st.st_mtim);
	}
	close(fd);
	return was->known;
}
