// SPDX-License-Identifier: LGPL-2.1
/*
 * Opens a time trace that a recording names.  The recording can come from anywhere, and
 * name anything: so only regular files are opened, and only those that have not changed
 * since are read.  See chrome.h.
 */
#include "format/json/chrome.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

/* Bytes read first, to reject a file that cannot be JSON. */
#define HEAD	512u

static int open_below(const char *below, const char *path)
{
	struct buf name = { 0 };
	int fd;

	buf_adds(&name, below);
	buf_adds(&name, path);
	buf_addc(&name, '\0');
	fd = open(name.s, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY);
	buf_free(&name);
	return fd;
}

static enum chrome_fault fault_of(int err)
{
	switch (err) {
	case ENOENT:
	case ENOTDIR:
		return CHROME_GONE;
	case ELOOP:
	case ENXIO:
		return CHROME_NO_FILE;
	}
	return CHROME_UNREADABLE;
}

static enum chrome_fault compare_stat(const struct stat *st, const struct chrome_was *was)
{
	int64_t mtime = (int64_t)st->st_mtim.tv_sec * 1000000000 + st->st_mtim.tv_nsec;

	if (!S_ISREG(st->st_mode))
		return CHROME_NO_FILE;
	if (was->known)
		return st->st_size == was->size && mtime == was->mtime ? CHROME_OK : CHROME_CHANGED;
	if (!was->from && !was->to)
		return CHROME_UNSURE;
	return mtime >= was->from && mtime <= was->to ? CHROME_OK : CHROME_CHANGED;
}

/* Reads until @b has @n bytes.  Return: whether there were that many. */
static bool fill_buf(int fd, struct buf *b, size_t n)
{
	buf_room(b, n - b->len);
	while (b->len < n) {
		ssize_t got = read(fd, b->s + b->len, n - b->len);

		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0)
			return false;
		b->len += (size_t)got;
	}
	return true;
}

static bool begins_as_json(const struct buf *b)
{
	for (size_t i = 0; i < b->len; i++)
		if (!isspace((unsigned char)b->s[i]))
			return b->s[i] == '{' || b->s[i] == '[';
	return false;
}

static enum chrome_fault parse_file(struct chrome_trace *t, int fd, const struct chrome_was *was)
{
	enum chrome_fault fault;
	struct buf b = { 0 };
	struct stat st;
	size_t size;

	if (fstat(fd, &st))
		return CHROME_UNREADABLE;
	fault = compare_stat(&st, was);
	if (fault != CHROME_OK)
		return fault;
	if (st.st_size > (off_t)CHROME_MAX_BYTES)
		return CHROME_LARGE;
	size = (size_t)st.st_size;
	if (!fill_buf(fd, &b, size < HEAD ? size : HEAD))
		fault = CHROME_UNREADABLE;
	else if (!begins_as_json(&b))
		fault = CHROME_FOREIGN;
	else
		fault = fill_buf(fd, &b, size) ? chrome_parse(t, b.s, b.len) : CHROME_UNREADABLE;
	buf_free(&b);
	return fault;
}

enum chrome_fault chrome_read(struct chrome_trace *t, const char *below, const char *path,
			      const struct chrome_was *was)
{
	enum chrome_fault fault;
	int fd;

	chrome_free(t);
	fd = open_below(below, path);
	if (fd < 0)
		return fault_of(errno);
	fault = parse_file(t, fd, was);
	close(fd);
	return fault;
}
