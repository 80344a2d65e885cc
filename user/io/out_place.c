// SPDX-License-Identifier: LGPL-2.1
/* Opens outputs by name, and replaces files only when complete.  See out_place.h. */
#include "io/out_place.h"
#include "base/buf.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/magic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/vfs.h>
#include <unistd.h>

#define LINKS_MAX 40

/* ---- names ---- */

static char *end_text(struct buf *b)
{
	buf_addc(b, '\0');
	return b->s;
}

static size_t dir_len(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? (size_t)(slash - path) + 1 : 0;
}

static char *dir_of(const char *path)
{
	struct buf b = { 0 };
	size_t len = dir_len(path);

	buf_add(&b, len ? path : "./", len ? len : 2);
	return end_text(&b);
}

static char *name_with_end(const char *name, const char *end)
{
	struct buf b = { 0 };

	buf_adds(&b, name);
	buf_adds(&b, end);
	return end_text(&b);
}

static char *part_of(const char *name)
{
	struct buf b = { 0 };
	size_t dir = dir_len(name), len = strlen(name), end = strlen(OUT_PART);

	if (len - dir + end > NAME_MAX)
		len = dir + NAME_MAX - end;
	buf_add(&b, name, len);
	buf_adds(&b, OUT_PART);
	return end_text(&b);
}

static bool is_of_proc(const char *path)
{
	char *dir = dir_of(path);
	struct statfs fs;
	bool is = !statfs(dir, &fs) && fs.f_type == PROC_SUPER_MAGIC;

	free(dir);
	return is;
}

/*
 * Whether another user may have put a name where everybody may make one, as in /tmp. Not even
 * root follows such a link, or writes to such a file: the kernel has these rules, too
 * (fs.protected_symlinks, fs.protected_regular), but does not see that readlink() follows a link,
 * nor that a file is replaced.
 */
static bool is_planted(const char *name, const struct stat *st)
{
	const mode_t everybodys = S_ISVTX | 0002;
	char *dir = dir_of(name);
	struct stat at;
	bool is = !stat(dir, &at) && (at.st_mode & everybodys) == everybodys &&
		  st->st_uid != geteuid() && st->st_uid != at.st_uid;

	free(dir);
	return is;
}

/*
 * Follow symbolic links, whether their target exists or not, but not the links in /proc,
 * whose text is not a name of a file.  Return: the name, NULL with errno on error.
 */
static char *follow_link(const char *path)
{
	char *at = name_with_end(path, ""), to[PATH_MAX];

	for (int i = 0; i < LINKS_MAX; i++) {
		ssize_t n = readlink(at, to, sizeof(to));
		struct buf b = { 0 };
		struct stat st;

		if (n < 0 || is_of_proc(at))
			return at;
		/* after readlink(): the link may have been made just before that */
		if (lstat(at, &st) || is_planted(at, &st)) {
			free(at);
			errno = OUT_PLANTED;
			return NULL;
		}
		if ((size_t)n == sizeof(to))
			break;
		if (*to != '/')
			buf_add(&b, at, dir_len(at));
		buf_add(&b, to, (size_t)n);
		free(at);
		at = end_text(&b);
	}
	free(at);
	errno = ELOOP;
	return NULL;
}

/*
 * The number N if a name is /proc/self/fd/N, to which /dev/fd/N and /dev/stdout lead, too;
 * -1 if it is not.
 */
static int own_descriptor(const char *name)
{
	char *dir, *real, *end, ours[32];
	long n = -1;

	if (!is_of_proc(name))
		return -1;
	dir = dir_of(name);
	real = realpath(dir, NULL);
	snprintf(ours, sizeof(ours), "/proc/%d/", (int)getpid());
	if (real && !strncmp(real, ours, strlen(ours)) && !strcmp(strrchr(real, '/'), "/fd")) {
		n = strtol(name + dir_len(name), &end, 10);
		if (*end || end == name + dir_len(name) || n < 0 || n > INT_MAX)
			n = -1;
	}
	free(dir);
	free(real);
	return (int)n;
}

/* ---- databases ---- */

static bool is_database(const char *name)
{
	static const char magic[16] = "SQLite format 3";
	int fd = open(name, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOFOLLOW);
	char head[sizeof(magic)];
	bool is = fd >= 0 && read(fd, head, sizeof(head)) == sizeof(head) &&
		  !memcmp(head, magic, sizeof(magic));

	if (fd >= 0)
		close(fd);
	return is;
}

/*
 * Rename SQLite's files next to a database; remove them if @to is NULL.  SQLite would use
 * leftover ones with the next database of that name.
 */
static void move_sidecars(const char *from, const char *to)
{
	static const char *const ends[] = { "-journal", "-wal", "-shm" };

	for (size_t i = 0; i < sizeof(ends) / sizeof(ends[0]); i++) {
		char *old = name_with_end(from, ends[i]);
		char *new = to ? name_with_end(to, ends[i]) : NULL;

		if (!new || rename(old, new))
			unlink(old);
		free(old);
		free(new);
	}
}

/* ---- opening ---- */

/* Open the file without truncating it.  Return: a descriptor, or a negative errno. */
static int open_in_place(struct out_place *p, unsigned int how)
{
	int own = own_descriptor(p->name), fd, flags;

	if (own < 0) {
		flags = how & OUT_PLACE_WAITS_NOT ? O_NONBLOCK : 0;
		fd = open(p->name, O_WRONLY | O_CLOEXEC | O_NOCTTY | flags);
		return fd < 0 ? -errno : fd;
	}
	p->own = true;
	flags = fcntl(own, F_GETFL);
	if (flags < 0 || (flags & O_ACCMODE) == O_RDONLY)
		return -EBADF;
	fd = fcntl(own, F_DUPFD_CLOEXEC, 0);
	return fd < 0 ? -errno : fd;
}

/*
 * Whether @name still is the name of an open file that, unless it is @new, belongs to this
 * user and has no other name.
 */
static bool is_ours(int fd, const char *name, bool new)
{
	struct stat st, now;

	return !fstat(fd, &st) && !lstat(name, &now) && st.st_dev == now.st_dev &&
	       st.st_ino == now.st_ino && S_ISREG(st.st_mode) &&
	       (new || (st.st_nlink == 1 && st.st_uid == geteuid()));
}

/* Return: 0 if no other process writes the file, or a negative errno. */
static int lock_file(int fd)
{
	/* some file systems have no locks */
	return flock(fd, LOCK_EX | LOCK_NB) && errno == EWOULDBLOCK ? -EBUSY : 0;
}

/*
 * Open a file for writing and lock it.  A file that a killed process left is reused.
 * Return: a descriptor, or a negative errno: -EBUSY if another process is writing it.
 */
static int open_part(const char *name)
{
	const int flags = O_RDWR | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK;

	for (;;) {
		/* a new file is ours, even if the file system names another owner */
		int fd = open(name, flags | O_CREAT | O_EXCL, 0600), err;
		bool new = fd >= 0;

		if (!new && errno != EEXIST)
			return -errno;
		if (!new)
			fd = open(name, flags);
		err = fd < 0 ? -errno : lock_file(fd);
		if (!err && is_ours(fd, name, new)) {
			if (new || (!ftruncate(fd, 0) && !fchmod(fd, 0600)))
				return fd;
			err = -errno;
		}
		if (fd >= 0)
			close(fd);
		if (err && err != -ELOOP && err != -ENXIO && err != -ENOENT)
			return err;
		/* it is a link, or another user may change it: replace it */
		if (unlink(name) && errno != ENOENT)
			return -errno;
	}
}

/* Return: 0, 1 if @p->name must be written in place, or a negative errno. */
static int begin_part(struct out_place *p)
{
	char *part = part_of(p->name);
	int fd = open_part(part);

	if (fd < 0) {
		free(part);
		/* the directory is not writable, but the existing file may be */
		return p->was.st_nlink && (fd == -EACCES || fd == -EPERM || fd == -EROFS) ? 1 : fd;
	}
	p->part = part;
	p->fd = fd;
	if (p->is_file)
		move_sidecars(part, NULL);
	/* root keeps the owner of the old file if possible */
	if (p->was.st_nlink && !geteuid() && fchown(fd, p->was.st_uid, p->was.st_gid))
		return errno == EPERM ? 0 : -errno;
	return 0;
}

/* Write to a file in TMPDIR, whose contents are copied to the output at the end. */
static int begin_spool(struct out_place *p)
{
	const char *tmp = getenv("TMPDIR");

	p->part = name_with_end(tmp && *tmp ? tmp : "/tmp", "/etrace-XXXXXX");
	p->to = p->fd;
	p->fd = mkostemp(p->part, O_CLOEXEC);
	return p->fd < 0 ? -errno : 0;
}

/* A file that is a mount point, as in a container, cannot be replaced. */
static bool is_mounted(const char *name)
{
	struct statx stx;

	return !statx(AT_FDCWD, name, 0, STATX_TYPE, &stx) &&
	       stx.stx_attributes & STATX_ATTR_MOUNT_ROOT;
}

static int open_file(struct out_place *p, unsigned int how)
{
	bool there = p->was.st_nlink;
	int err = 1;

	if (there && faccessat(AT_FDCWD, p->name, W_OK, AT_EACCESS))
		return -errno;
	if (!there || !is_mounted(p->name))
		err = begin_part(p);
	if (err <= 0)
		return err;
	p->fd = open_in_place(p, how);
	return p->fd < 0 ? p->fd : 0;
}

int out_place_open(struct out_place *p, const char *path, unsigned int how)
{
	int err = 0;

	*p = (struct out_place){
		.fd = -1, .lock = -1, .to = -1, .is_file = how & OUT_PLACE_IS_FILE,
	};
	p->name = follow_link(path);
	if (!p->name)
		return -errno;
	if (stat(p->name, &p->was)) {
		p->was = (struct stat){ 0 };
		err = errno == ENOENT ? open_file(p, how) : -errno;
	} else if (is_planted(p->name, &p->was)) {
		err = -OUT_PLANTED;
	} else if (S_ISREG(p->was.st_mode) && !is_of_proc(p->name)) {
		err = open_file(p, how);
	} else {
		p->was = (struct stat){ 0 };
		p->fd = open_in_place(p, how);
		err = p->fd < 0 ? p->fd : 0;
	}
	if (!err && !p->part && how & OUT_PLACE_IS_FILE)
		err = begin_spool(p);
	if (!err && p->part) {
		p->lock = fcntl(p->fd, F_DUPFD_CLOEXEC, 0);
		err = p->lock < 0 ? -errno : 0;
	}
	if (err) {
		if (p->fd >= 0)
			close(p->fd);
		out_place_free(p);
	}
	return err;
}

int out_place_begin(struct out_place *p)
{
	if (p->part || !p->was.st_nlink)
		return 0;
	return ftruncate(p->fd, 0) || fchmod(p->fd, 0600) ? -errno : 0;
}

/* ---- the end ---- */

/* Copy a file from its beginning.  Return: 0, or a negative errno. */
static int copy_to(int from, int to)
{
	char buf[65536];
	ssize_t n;

	if (lseek(from, 0, SEEK_SET) < 0)
		return -errno;
	while ((n = read(from, buf, sizeof(buf))) > 0)
		for (ssize_t at = 0, done; at < n; at += done) {
			done = write(to, buf + at, (size_t)(n - at));
			if (done < 0 && errno != EINTR)
				return -errno;
			done = done < 0 ? 0 : done;
		}
	return n < 0 ? -errno : 0;
}

/* Rename a regular file and its sidecars to @old; an empty one is not worth keeping. */
static int keep_old(const char *name, const char *old)
{
	struct stat st;

	if (stat(name, &st) || !S_ISREG(st.st_mode) || !st.st_size)
		return 0;
	/* older versions of etrace made it readable for others; only its owner can change that */
	if ((chmod(name, 0600) && errno != EPERM) || rename(name, old))
		return -errno;
	if (is_database(old))
		move_sidecars(name, old);
	return 0;
}

int out_place_keep(const char *path)
{
	char *name = follow_link(path), *old = name ? name_with_end(name, OUT_OLD) : NULL;
	int err = !name ? -errno : is_of_proc(name) ? 0 : keep_old(name, old);

	free(name);
	free(old);
	return err;
}

void out_place_forget(const char *path)
{
	char *name = follow_link(path), *part = name ? part_of(name) : NULL;
	int fd = part ? open_part(part) : -1;

	/* it could be locked, so no process is writing it */
	if (fd >= 0) {
		unlink(part);
		move_sidecars(part, NULL);
		close(fd);
	}
	free(name);
	free(part);
}

static int replace_file(struct out_place *p, bool keep)
{
	char *old = name_with_end(p->name, OUT_OLD);
	int err = keep ? keep_old(p->name, old) : 0;

	if (!err && (is_database(p->part) || is_database(p->name)))
		move_sidecars(p->name, NULL);
	if (!err && rename(p->part, p->name)) {
		err = -errno;
		if (err && keep && access(p->name, F_OK))
			rename(old, p->name);
	}
	free(old);
	return err;
}

int out_place_commit(struct out_place *p, bool keep)
{
	int err;

	if (!p->part)
		return 0;
	if (p->to >= 0)
		return copy_to(p->lock, p->to);
	err = replace_file(p, keep);
	if (!err)
		out_place_leave(p);
	return err;
}

void out_place_leave(struct out_place *p)
{
	free(p->part);
	p->part = NULL;
}

bool out_place_same(const struct out_place *p, const char *path)
{
	char *name = follow_link(path), *part = name ? part_of(name) : NULL;
	struct stat a, b;
	bool same = part && p->lock >= 0 && !fstat(p->lock, &a) && !stat(part, &b) &&
		    a.st_dev == b.st_dev && a.st_ino == b.st_ino;

	free(name);
	free(part);
	return same;
}

const char *out_place_error(int err)
{
	switch (-err) {
	case EBUSY:
		return "somebody else is writing it now: wait, or give another name";
	case OUT_PLANTED:
		return "another user made it where everybody may write: remove it, or give another name";
	default:
		return strerror(-err);
	}
}

void out_place_free(struct out_place *p)
{
	if (p->part)
		unlink(p->part);
	if (p->part && p->is_file)
		move_sidecars(p->part, NULL);
	if (p->lock >= 0)
		close(p->lock);
	if (p->to >= 0)
		close(p->to);
	free(p->part);
	free(p->name);
	*p = (struct out_place){ .fd = -1, .lock = -1, .to = -1 };
}
