// SPDX-License-Identifier: GPL-2.0
/* Facts about files, as text.  See skip.h. */
#include "skip/skip.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

/* Append where a path leads, with links resolved: a link with another target changes the fact. */
static bool fact_real(const char *path, struct buf *to)
{
	char real[PATH_MAX];

	if (!realpath(path, real))
		return false;
	buf_adds(to, real);
	return true;
}

static void fact_stat(const struct stat *st, struct buf *to)
{
	char line[96];

	snprintf(line, sizeof(line), "%o %u %u ", st->st_mode, st->st_uid, st->st_gid);
	buf_adds(to, line);
}

/*
 * Attributes of a file that cp -a and others keep: extended attributes, and which hard links
 * belong together.
 */
static bool fact_others(const char *path, const struct stat *st, struct buf *to)
{
	static char names[65536], value[65536];
	ssize_t n = listxattr(path, names, sizeof(names)), len = 0;
	char hex[SKIP_HEX + 1];
	struct buf all = { 0 };

	if (S_ISREG(st->st_mode) && st->st_nlink > 1) {
		buf_addu(to, (uint64_t)st->st_nlink);
		buf_addc(to, ':');
		buf_addu(to, (uint64_t)st->st_ino);
		buf_addc(to, ' ');
	}
	if (n <= 0)
		return !n || errno == ENOTSUP;
	for (const char *name = names; len >= 0 && name < names + n; name += strlen(name) + 1) {
		len = getxattr(path, name, value, sizeof(value));
		buf_add(&all, name, strlen(name) + 1);
		buf_addu(&all, (uint64_t)len);
		buf_add(&all, value, len > 0 ? (size_t)len : 0);
	}
	skip_hash(all.s, all.len, hex);
	buf_free(&all);
	buf_adds(to, hex);
	buf_addc(to, ' ');
	return len >= 0;
}

static bool fact_content(const struct skip_store *s, const char *path, struct buf *to)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	char hex[SKIP_HEX + 1];
	struct stat st;
	bool ok;

	if (fd < 0)
		return false;
	ok = !fstat(fd, &st) && S_ISREG(st.st_mode) && skip_hash_file(s, fd, hex);
	close(fd);
	if (!ok)
		return false;
	fact_stat(&st, to);
	buf_adds(to, hex);
	buf_addc(to, ' ');
	return fact_others(path, &st, to) && fact_real(path, to);
}

static bool fact_look(const char *path, bool times, struct buf *to)
{
	char text[PATH_MAX];
	struct stat st;
	ssize_t n;

	if (lstat(path, &st))
		return false;
	fact_stat(&st, to);
	if (S_ISLNK(st.st_mode)) {
		n = readlink(path, text, sizeof(text));
		if (n < 0)
			return false;
		buf_add(to, text, (size_t)n);
		buf_addc(to, ' ');
		if (stat(path, &st)) {
			buf_adds(to, "dangling");
			return errno == ENOENT;
		}
		fact_stat(&st, to);
	}
	if (S_ISREG(st.st_mode)) {
		/* include the time: programs compare times of files */
		snprintf(text, sizeof(text), "%" PRIdMAX " %" PRIdMAX ".%09ld ", (intmax_t)st.st_size,
			 times ? (intmax_t)st.st_mtim.tv_sec : 0, times ? st.st_mtim.tv_nsec : 0);
		buf_adds(to, text);
	} else if (S_ISDIR(st.st_mode)) {
		/* a default ACL determines the modes of files created in the directory: give up */
		if (getxattr(path, "system.posix_acl_default", text, sizeof(text)) >= 0)
			return false;
	} else if (S_ISCHR(st.st_mode)) {
		snprintf(text, sizeof(text), "%" PRIxMAX " ", (uintmax_t)st.st_rdev);
		buf_adds(to, text);
	} else {
		return false;
	}
	return fact_others(path, &st, to) && fact_real(path, to);
}

/* Hash the names in a directory, in the order in which programs get them: not all sort them. */
static bool fact_list(const char *path, struct buf *to)
{
	char hex[SKIP_HEX + 1];
	struct buf all = { 0 };
	struct dirent *e;
	DIR *dir = opendir(path);

	if (!dir)
		return false;
	while ((e = readdir(dir))) {
		buf_add(&all, e->d_name, strlen(e->d_name) + 1);
		buf_addc(&all, (char)('0' + e->d_type));
	}
	closedir(dir);
	skip_hash(all.s, all.len, hex);
	buf_free(&all);
	buf_adds(to, hex);
	buf_addc(to, ' ');
	return fact_real(path, to);
}

static bool fact_miss(const char *path, struct buf *to)
{
	struct stat st;

	if (!lstat(path, &st))
		return false;
	buf_addu(to, (uint64_t)errno);
	return errno == ENOENT || errno == ENOTDIR;
}

static bool fact_read(const char *path, struct buf *to)
{
	char hex[SKIP_HEX + 1];
	struct buf all = { 0 };
	bool ok = skip_read(path, &all);

	if (ok) {
		skip_hash(all.s, all.len, hex);
		buf_adds(to, hex);
	}
	buf_free(&all);
	return ok;
}

bool skip_fact(const struct skip_store *s, enum skip_fact kind, const char *path, struct buf *to)
{
	switch (kind) {
	case FACT_CONTENT:
		return fact_content(s, path, to);
	case FACT_LOOK:
	case FACT_BLIND:
		return fact_look(path, kind == FACT_LOOK, to);
	case FACT_LIST:
		return fact_list(path, to);
	case FACT_MISS:
		return fact_miss(path, to);
	case FACT_READ:
		return fact_read(path, to);
	case FACT_WAY:
		return fact_real(path, to);
	}
	return false;
}
