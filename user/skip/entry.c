// SPDX-License-Identifier: GPL-2.0
/* Entries: checks them against the present files, and replays them.  See skip.h. */
#include "skip/skip.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#define VARIANTS 16		/* maximum number of entries per key */

/* One row of an entry. */
struct row {
	const char *kind, *path, *what, *more;
};

/* Rows are read from a buffer in which a NUL ends each string. */
struct rows {
	const char *at, *end;
};

static const char *rows_string(struct rows *r)
{
	const char *s = r->at;

	if (s >= r->end)
		return NULL;
	r->at = s + strlen(s) + 1;
	return s;
}

/* Return: false at the end */
static bool rows_next(struct rows *r, struct row *row)
{
	row->kind = rows_string(r);
	row->path = rows_string(r);
	row->what = row->path ? rows_string(r) : NULL;
	row->more = row->what && *row->kind == 'f' ? rows_string(r) : "";
	return row->what && row->more;
}

static bool row_is_output(const struct row *row)
{
	return strchr("fdh", *row->kind);
}

bool skip_add(const struct skip_store *s, const char *key, struct buf *entry)
{
	char path[PATH_MAX], hex[SKIP_HEX + 1];

	skip_hash(entry->s, entry->len, hex);
	buf_add(entry, "=", 2);
	buf_add(entry, hex, SKIP_HEX + 1);
	if (mkdir(skip_path(s, path, "steps", key, ""), 0700) && errno != EEXIST)
		return false;
	return skip_write(s, skip_path(s, path, "steps", key, hex), entry->s, entry->len);
}

/* Read an entry, without its checksum.  Return: false if it is damaged. */
static bool entry_read(const char *path, struct buf *to)
{
	static const size_t tail = 2 + SKIP_HEX + 1;
	char hex[SKIP_HEX + 1];

	if (!skip_read(path, to) || to->len < tail || to->s[to->len - 1])
		return false;
	to->len -= tail;
	skip_hash(to->s, to->len, hex);
	return !strcmp(to->s + to->len, "=") && !strcmp(to->s + to->len + 2, hex);
}

/* Return: false, with the path in @which, if a fact no longer holds */
static bool entry_fits(const struct skip_store *s, const struct buf *entry, char *which)
{
	struct rows r = { entry->s, entry->s + entry->len };
	struct buf fact = { 0 };
	bool fits = true;
	struct row row;

	while (fits && rows_next(&r, &row)) {
		if (row_is_output(&row))
			continue;
		fact.len = 0;
		fits = skip_fact(s, (enum skip_fact)*row.kind, row.path, &fact);
		buf_addc(&fact, '\0');
		fits = fits && !strcmp(fact.s, row.what);
		if (!fits)
			snprintf(which, PATH_MAX, "%s", row.path);
	}
	fits = fits && r.at == r.end;
	buf_free(&fact);
	return fits;
}

/* ---- making outputs ---- */

/* An output prepared in a temporary file next to its destination. */
struct ready {
	const char *path;
	char kind;
	int fd;			/* descriptor of a file; -1 if none */
	bool placed;
	char temporary[PATH_MAX];
};

struct making {
	struct ready *all;
	size_t n, cap;
};

static bool ready_file(const struct skip_store *s, struct ready *r, const struct row *row)
{
	char object[PATH_MAX], is[SKIP_HEX + 1];
	int from = open(skip_path(s, object, "objects", row->more, ""), O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
	bool ok;

	if (from < 0)
		return false;
	r->fd = open(r->temporary, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
	ok = r->fd >= 0 && skip_copy(from, r->fd, is);
	if (ok && strcmp(is, row->more)) {
		/* damaged: remove it, so that it is not found again */
		unlink(object);
		ok = false;
	}
	ok = ok && !fchmod(r->fd, (mode_t)strtoul(row->what, NULL, 8));
	futimens(from, NULL);
	close(from);
	return ok;
}

/* Directories are created in place, because other outputs go into them. */
static bool ready_one(const struct skip_store *s, struct making *m, const struct row *row)
{
	const char *slash = strrchr(row->path, '/');
	struct ready *r;

	m->all = xgrow(m->all, &m->cap, m->n + 1, sizeof(*m->all));
	r = &m->all[m->n++];
	*r = (struct ready){ .path = row->path, .kind = *row->kind, .fd = -1 };
	if (!slash || snprintf(r->temporary, sizeof(r->temporary), "%.*s/.etrace-skip-%d-%zu",
			       (int)(slash - row->path), row->path, getpid(), m->n) >= PATH_MAX)
		return false;
	switch (r->kind) {
	case 'd':
		r->placed = !mkdir(row->path, 0700) &&
			    !chmod(row->path, (mode_t)strtoul(row->what, NULL, 8));
		return r->placed;
	case 'h':
		return !symlink(row->what, r->temporary);
	default:
		return ready_file(s, r, row);
	}
}

static bool ready_place(struct ready *r)
{
	if (r->kind == 'd')
		return true;
	/* set the current time, because make compares times */
	if (r->fd >= 0 && futimens(r->fd, NULL))
		return false;
	r->placed = !syscall(SYS_renameat2, AT_FDCWD, r->temporary, AT_FDCWD, r->path,
			     1 /* RENAME_NOREPLACE */);
	return r->placed;
}

static void making_undo(struct making *m)
{
	for (size_t i = m->n; i--;) {
		struct ready *r = &m->all[i];

		if (r->kind == 'd')
			rmdir(r->path);
		else
			unlink(r->placed ? r->path : r->temporary);
	}
}

static bool entry_make(const struct skip_store *s, const struct buf *entry)
{
	struct rows r = { entry->s, entry->s + entry->len };
	struct making m = { 0 };
	struct row row;
	bool ok = true;

	while (ok && rows_next(&r, &row))
		if (row_is_output(&row))
			ok = ready_one(s, &m, &row);
	for (size_t i = 0; ok && i < m.n; i++)
		ok = ready_place(&m.all[i]);
	if (!ok)
		making_undo(&m);
	for (size_t i = 0; i < m.n; i++)
		if (m.all[i].fd >= 0)
			close(m.all[i].fd);
	free(m.all);
	return ok;
}

const char *skip_replay(const struct skip_store *s, const char *key, char *which)
{
	const char *why = "it is not known";
	char path[PATH_MAX];
	struct buf entry = { 0 };
	int left = VARIANTS;
	struct dirent *e;
	DIR *dir = opendir(skip_path(s, path, "steps", key, ""));

	*which = '\0';
	while (dir && why && left-- && (e = readdir(dir))) {
		if (strlen(e->d_name) != SKIP_HEX) {
			left++;
			continue;
		}
		entry.len = 0;
		if (!entry_read(skip_path(s, path, "steps", key, e->d_name), &entry))
			why = "its entry is damaged";
		else if (!entry_fits(s, &entry, which))
			why = "something is different";
		else
			why = entry_make(s, &entry) ? NULL : "its outputs could not be made";
	}
	if (dir)
		closedir(dir);
	buf_free(&entry);
	return why;
}
