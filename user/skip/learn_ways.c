// SPDX-License-Identifier: GPL-2.0
/*
 * Where names lead, through links and "..".  See learning.h.
 *
 * Facts are about paths, so they hold only if the same paths lead to the same files again. The
 * recording does not show by which path directories and links were made and files were renamed.
 * The arguments of the program are used instead.
 */
#include "skip/learning.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

/* ---- the recording ---- */

static void load_moved(struct learning *x, uint32_t file, int64_t at)
{
	uint64_t *last = file ? map64_at(&x->moved, file) : NULL;

	if (last && *last < (uint64_t)at)
		*last = (uint64_t)at;
}

void learn_load_ways(struct learning *x)
{
	static const char text[] =
		"SELECT a.file, a.class, s.s FROM asked AS a JOIN string AS s ON s.id = a.path";
	struct sqlite3_stmt *st = db_ask(x->db, text, "");
	struct learn_way *w;
	uint64_t *first;
	const char *s;
	size_t len;

	while (db_row(x->db, st)) {
		s = db_bytes(st, 2, &len);
		if (!len || *s != '/' || len >= PATH_MAX || memchr(s, '\0', len))
			continue;
		/* row 0 means none */
		x->ways = xgrow(x->ways, &x->ways_cap, x->nways + 2, sizeof(*x->ways));
		w = &x->ways[++x->nways];
		*w = (struct learn_way){
			.file = db_id(x->db, st, 0, DB_FILES), .class = (uint8_t)db_int(st, 1),
			.path = x->way_paths.len,
		};
		buf_add(&x->way_paths, s, len);
		buf_addc(&x->way_paths, '\0');
		first = map64_at(&x->way_of, w->file);
		w->next = (uint32_t)*first;
		*first = x->nways;
	}
	for (size_t i = 0; i < x->nchanges; i++) {
		const struct change *c = &x->changes[i];

		if (c->error || (c->what > GRAPH_RMDIR && c->what != GRAPH_MOUNT && c->what != GRAPH_UMOUNT))
			continue;
		load_moved(x, c->file, c->at);
		if (c->what == GRAPH_RENAME || c->what == GRAPH_EXCHANGE)
			load_moved(x, c->to, c->at);
	}
}

void learn_forget_ways(struct learning *x)
{
	map64_clear(&x->way_of);
	map64_clear(&x->moved);
	buf_free(&x->way_paths);
	free(x->ways);
}

/* ---- other paths ---- */

/* Whether two paths lead to the same place now. */
static bool is_same(const char *a, const char *b)
{
	char real_a[PATH_MAX], real_b[PATH_MAX];

	return realpath(a, real_a) && realpath(b, real_b) && !strcmp(real_a, real_b);
}

/*
 * Whether the recording shows that nothing was created or removed at a path since the step began.
 */
static bool is_unmoved(const struct learning *x, const char *path)
{
	char real[PATH_MAX + NAME_MAX + 2], dir[PATH_MAX];
	const char *slash = strrchr(path, '/');
	const uint64_t *moved;
	uint32_t file;

	snprintf(dir, sizeof(dir), "%.*s", (int)(slash - path), path);
	if (!realpath(*dir ? dir : "/", real))
		return true;
	snprintf(real + strlen(real), NAME_MAX + 2, "%s", slash + !real[1]);
	file = build_find(x->b, real, strlen(real));
	moved = file ? map64_get(&x->moved, file) : NULL;
	return !moved || (int64_t)*moved < x->b->execs[x->step].at;
}

/* Add a fact about a path that really leads elsewhere than its text suggests. */
static bool add_elsewhere(struct learning *x, const char *path, enum learn_use use, int error)
{
	struct stat st;

	/* the step did not find the file itself: only the path matters if nothing has changed */
	if (use == LEARN_MISSED)
		return learn_is_still(x, path) ? learn_way(x, path, true) : learn_miss(x, path, error);
	/* no fact is needed if no file was there during the step, and none is there now */
	if (lstat(path, &st) && is_unmoved(x, path))
		return true;
	return learn_look(x, path, use == LEARN_BLIND);
}

/* Add one way to a file or to its directory, @path; for a directory, @base is "/NAME". */
static bool add_way(struct learning *x, const char *way, const char *path, const char *base,
		    enum learn_use use, int error)
{
	bool same = is_same(way, path);
	/* for a missed name, the step itself may have changed where @way leads */
	struct learn_walk w = { .now = same || use != LEARN_MISSED, .all = true };
	char name[2 * PATH_MAX];

	if (!learn_walk(x, &w, way))
		return false;
	/*
	 * the way leads through a directory that the step made, which does not exist before the
	 * step
	 */
	if (w.own)
		return !w.links || learn_refuse(x, "it used .. behind a link and what it made", way);
	if (same)
		return learn_fact(x, FACT_WAY, way);
	if (use == LEARN_RESOLVED)
		return true;
	snprintf(name, sizeof(name), "%s%s", way, base);
	if (strlen(name) >= PATH_MAX)
		return learn_refuse(x, "a name is too long", "");
	return add_elsewhere(x, name, use, error);
}

bool learn_ways(struct learning *x, uint32_t file, enum learn_use use, int error)
{
	char path[PATH_MAX], base[PATH_MAX] = "", *slash;

	if (!learn_path(x, file, path))
		return true;
	for (int up = 0; up < 2 && file; up++) {
		const uint64_t *first = map64_get(&x->way_of, file);

		for (uint32_t i = first ? (uint32_t)*first : 0; i; i = x->ways[i].next)
			if (x->ways[i].class == GRAPH_IS_DIR &&
			    !add_way(x, x->way_paths.s + x->ways[i].path, path, base, use, error))
				return false;
		slash = strrchr(path, '/');
		if (!slash[1])
			break;
		memcpy(base, slash, strlen(slash) + 1);
		slash[slash == path] = '\0';
		file = build_find(x->b, path, strlen(path));
	}
	return true;
}

bool learn_linked(const struct learning *x, uint32_t file)
{
	const uint64_t *first = map64_get(&x->way_of, file);

	for (uint32_t i = first ? (uint32_t)*first : 0; i; i = x->ways[i].next)
		if (x->ways[i].class == GRAPH_PROBE)
			return true;
	return false;
}

/* ---- arguments ---- */

/* Whether a path leads to a directory that the step did not make. */
static bool is_older_directory(const struct learning *x, const char *path)
{
	char real[PATH_MAX];
	struct stat st;
	uint32_t file;

	if (!realpath(path, real) || stat(real, &st) || !S_ISDIR(st.st_mode))
		return false;
	file = build_find(x->b, real, strlen(real));
	return !file || !x->touched[file];
}

/* Add where an argument leads, if it is a path with links or "..". */
static bool add_argument(struct learning *x, const char *dir, const char *arg)
{
	struct learn_walk w = { .now = true, .all = true };
	char path[3 * PATH_MAX];

	if (strlen(arg) >= PATH_MAX)
		return true;
	snprintf(path, sizeof(path), "%s/%s", *arg == '/' ? "" : dir, arg);
	while (!is_older_directory(x, path)) {
		*strrchr(path, '/') = '\0';
		if (!*path)
			return true;
	}
	if (!learn_walk(x, &w, path))
		return false;
	return w.own || (!w.links && !strstr(path, "/..")) || learn_fact(x, FACT_WAY, path);
}

bool learn_argument_ways(struct learning *x, uint32_t exec)
{
	struct buf args = { 0 };
	char dir[PATH_MAX];
	bool ok = true;

	if (!learn_path(x, x->b->execs[exec].cwd, dir))
		return learn_refuse(x, "a directory without a name", "");
	build_args_add(x->b, exec, &args);
	for (const char *at = args.s; ok && at && at < args.s + args.len; at += strlen(at) + 1) {
		const char *value = strchr(at, '=');

		/* name, -oname, --option=name */
		ok = add_argument(x, dir, at) && (!value || add_argument(x, dir, value + 1)) &&
		     (*at != '-' || strlen(at) < 3 || add_argument(x, dir, at + 2));
	}
	buf_free(&args);
	return ok;
}
