// SPDX-License-Identifier: GPL-2.0
/* What a step made, as rows of its entry.  See learning.h. */
#include "skip/learning.h"

#include <ar.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

/* Maximum lag of the kernel's time stamps behind the clock, ns: a tick. */
#define TICK 10000000

/* Whether another program changed a name's content since the step began. */
static bool is_later(const struct learning *x, uint32_t file)
{
	const struct build *b = x->b;
	const uint32_t *ids;
	size_t n;

	for (uint32_t i = 0; i < b->nnames; i++)
		if (b->names[i].file == file && !learn_is_own(x, b->names[i].exec) &&
		    b->names[i].at >= b->execs[x->step].at)
			return true;
	ids = build_list(b, BUILD_BEGAN, file, &n);
	for (size_t i = 0; i < n; i++) {
		const struct build_version *v = &b->versions[ids[i]];

		if (build_is_written(v) && !learn_is_own(x, v->exec) && v->at >= b->execs[x->step].at)
			return true;
	}
	return false;
}

/* Whether the step itself has removed a name. */
static bool is_removed(const struct learning *x, uint32_t file)
{
	const struct build_name *last = NULL;

	if (x->touched[file] == 2) {
		for (size_t i = 0; i < x->nchanges; i++)
			if (x->changes[i].what == GRAPH_RMDIR && x->changes[i].file == file &&
			    !x->changes[i].error && learn_is_own(x, x->changes[i].exec))
				return true;
		return false;
	}
	for (uint32_t i = 0; i < x->b->nnames; i++)
		if (x->b->names[i].file == file && (!last || x->b->names[i].at >= last->at))
			last = &x->b->names[i];
	return last && !last->version && learn_is_own(x, last->exec);
}

/* Whether other programs wrote to a version, through a descriptor from the step. */
static bool is_shared(const struct learning *x, uint32_t version)
{
	const struct build_version *v = &x->b->versions[version];

	for (uint32_t i = 0; i < v->writes; i++)
		if (!learn_is_own(x, build_use(x->b, version, i)->exec))
			return true;
	return false;
}

/* Whether a file is an archive with times of its members, perhaps the time when ar ran. */
static bool has_times(const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
	char magic[SARMAG], digits[sizeof(((struct ar_hdr *)0)->ar_size) + 1] = "";
	struct ar_hdr h;
	long long size = 0;
	off_t at = SARMAG;
	bool found = false, thin;

	if (fd < 0 || pread(fd, magic, SARMAG, 0) != SARMAG)
		magic[0] = '\0';
	thin = !memcmp(magic, "!<thin>\n", SARMAG);
	while ((thin || !memcmp(magic, ARMAG, SARMAG)) && !found && size >= 0 &&
	       pread(fd, &h, sizeof(h), at) == sizeof(h)) {
		for (size_t i = 0; i < sizeof(h.ar_date); i++)
			found |= h.ar_date[i] != '0' && h.ar_date[i] != ' ';
		at += (off_t)sizeof(h);
		memcpy(digits, h.ar_size, sizeof(h.ar_size));
		size = strtoll(digits, NULL, 10);
		if (!thin || h.ar_name[0] == '/')
			at += (size + 1) & ~1ll;
	}
	if (fd >= 0)
		close(fd);
	return found;
}

struct output {
	int64_t mtime;
	size_t begin, len;	/* row, in a buffer */
	bool dir;
};

static bool put_file(struct learning *x, uint32_t file, const char *path, const struct stat *st,
		     struct buf *rows)
{
	uint32_t version = build_present(x->b, file);
	const struct build_content *c = version ? build_content(x->b, version) : NULL;
	char text[PATH_MAX], hex[SKIP_HEX + 1];
	ssize_t n;

	if (!version || !learn_is_mine(x, version) || is_shared(x, version))
		return learn_refuse(x, "another step changed an output", path);
	if (S_ISLNK(st->st_mode)) {
		n = readlink(path, text, sizeof(text) - 1);
		if (n < 0)
			return learn_refuse(x, "an output was changed later", path);
		text[n] = '\0';
		buf_add(rows, "h", 2);
		buf_add(rows, path, strlen(path) + 1);
		buf_add(rows, text, (size_t)n + 1);
		return true;
	}
	if (!c)
		return learn_refuse(x, "the recording has no hash of an output", path);
	if (has_times(path))
		return learn_refuse(x, "an output is an archive with times", path);
	if (!learn_moment(x, path))
		return false;
	for (int i = 0; i < BUILD_HASH; i++)
		snprintf(hex + 2 * i, 3, "%02x", c->sha256[i]);
	if (!skip_keep(x->l->store, path, hex))
		return learn_refuse(x, "an output was changed later", path);
	snprintf(text, sizeof(text), "%o", st->st_mode & 07777);
	buf_add(rows, "f", 2);
	buf_add(rows, path, strlen(path) + 1);
	buf_add(rows, text, strlen(text) + 1);
	buf_add(rows, hex, SKIP_HEX + 1);
	return true;
}

/* Whether an output is new, and has not been touched since the end of the step. */
static bool check_times(struct learning *x, const char *path, const struct stat *st)
{
	int64_t end = x->b->execs[x->end].until + x->real;
	struct statx sx;

	if (statx(AT_FDCWD, path, AT_SYMLINK_NOFOLLOW, STATX_BTIME, &sx) ||
	    !(sx.stx_mask & STATX_BTIME))
		return learn_refuse(x, "the file system does not tell when an output was made", path);
	/* a file that existed before keeps its mode, its owner and its other names */
	if ((int64_t)sx.stx_btime.tv_sec * 1000000000 + sx.stx_btime.tv_nsec < learn_begin(x) - TICK)
		return learn_refuse(x, "an output was there before", path);
	if (!S_ISDIR(st->st_mode) && timespec_ns(&st->st_ctim) > end + TICK)
		return learn_refuse(x, "an output was changed later", path);
	return true;
}

static void parent_of(const char *path, char parent[PATH_MAX])
{
	char *slash;

	snprintf(parent, PATH_MAX, "%s", path);
	slash = strrchr(parent, '/');
	slash[slash == parent] = '\0';
}

/* Whether an output has the owner and group that it would get if made again. */
static bool check_owner(struct learning *x, const char *path, const struct stat *st)
{
	char parent[PATH_MAX];
	struct stat dir;

	parent_of(path, parent);
	if (!stat(parent, &dir) && st->st_uid == geteuid() &&
	    st->st_gid == (dir.st_mode & S_ISGID ? dir.st_gid : getegid()))
		return true;
	return learn_refuse(x, "an output has another owner", path);
}

static bool put_parent(struct learning *x, const char *path)
{
	char parent[PATH_MAX];
	uint32_t file;

	parent_of(path, parent);
	file = build_find(x->b, parent, strlen(parent));
	if (file && x->touched[file])
		return true;
	return learn_look(x, parent, false);
}

static bool put_output(struct learning *x, uint32_t file, struct buf *rows, struct output *o)
{
	char path[PATH_MAX], mode[16];
	struct stat st;

	if (!learn_path(x, file, path))
		return learn_refuse(x, "an output without a name", "");
	if (is_later(x, file))
		return learn_refuse(x, "another step changed an output", path);
	if (learn_linked(x, file))
		return learn_refuse(x, "an output was made by a link to it", path);
	if (!learn_ways(x, file, LEARN_RESOLVED, 0))
		return false;
	*o = (struct output){ .begin = rows->len };
	if (!learn_miss(x, path, ENOENT))
		return false;
	if (lstat(path, &st))
		return is_removed(x, file) || learn_refuse(x, "an output is gone", path);
	if (is_removed(x, file))
		return learn_refuse(x, "an output was changed later", path);
	o->mtime = timespec_ns(&st.st_mtim);
	o->dir = S_ISDIR(st.st_mode);
	if (!check_times(x, path, &st) || !check_owner(x, path, &st) || !put_parent(x, path))
		return false;
	if (llistxattr(path, NULL, 0) > 0)
		return learn_refuse(x, "an output has extended attributes", path);
	if (o->dir) {
		if (x->touched[file] != 2)
			return learn_refuse(x, "a directory was renamed", path);
		snprintf(mode, sizeof(mode), "%o", st.st_mode & 07777);
		buf_add(rows, "d", 2);
		buf_add(rows, path, strlen(path) + 1);
		buf_add(rows, mode, strlen(mode) + 1);
	} else {
		if (st.st_nlink != 1)
			return learn_refuse(x, "an output has hard links", path);
		if ((!S_ISREG(st.st_mode) && !S_ISLNK(st.st_mode)) ||
		    !put_file(x, file, path, &st, rows))
			return x->why ? false : learn_refuse(x, "an output is of a strange kind", path);
	}
	o->len = rows->len - o->begin;
	return true;
}

/* Directories first, outer before inner ones; then files in time order. */
static const char *output_rows;

static int compare_outputs(const void *a, const void *b)
{
	const struct output *p = a, *q = b;

	if (p->dir != q->dir)
		return p->dir ? -1 : 1;
	if (p->dir)
		return strcmp(output_rows + p->begin + 2, output_rows + q->begin + 2);
	return (p->mtime > q->mtime) - (p->mtime < q->mtime);
}

bool learn_outputs(struct learning *x)
{
	struct output *all = xcalloc(x->ntouched + 1, sizeof(*all));
	struct buf rows = { 0 };
	size_t n = 0;
	bool ok = true;

	for (size_t i = 0; ok && i < x->ntouched; i++) {
		ok = put_output(x, x->touched_list[i], &rows, &all[n]);
		n += all[n].len > 0;
	}
	output_rows = rows.s;
	if (ok && n)
		qsort(all, n, sizeof(*all), compare_outputs);
	for (size_t i = 0; ok && i < n; i++)
		buf_add(&x->entry, rows.s + all[i].begin, all[i].len);
	buf_free(&rows);
	free(all);
	return ok;
}
