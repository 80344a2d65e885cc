// SPDX-License-Identifier: LGPL-2.1
/* The checks writers, overwritten, and outside for writes.  See check.h. */
#include "answers/check.h"
#include "base/xalloc.h"

#include <stdlib.h>

/* An event of a file: it was written, got its name, or lost it. */
struct written {
	uint32_t file, unit, version;	/* version is 0 if it was removed */
	uint32_t maker;		/* unit that wrote it, if @unit only gave it this name; else 0 */
	int64_t at, until;
};

struct all {
	struct written *rows;	/* sorted by file and time */
	size_t n, cap;
};

static void add_written(struct all *all, struct written w)
{
	if (!w.file || !w.unit)
		return;
	all->rows = xgrow(all->rows, &all->cap, all->n + 1, sizeof(*all->rows));
	all->rows[all->n++] = w;
}

static int by_file(const void *a, const void *b)
{
	const struct written *x = a, *y = b;

	if (x->file != y->file)
		return (x->file > y->file) - (x->file < y->file);
	if (x->at != y->at)
		return (x->at > y->at) - (x->at < y->at);
	return (x->unit > y->unit) - (x->unit < y->unit);
}

static void load_writes(struct check *c, struct all *all)
{
	const struct match_side *s = &c->s;
	const struct build *b = s->b;
	size_t n;

	for (size_t i = 0; i < s->nwrites; i++) {
		const struct match_write *w = &s->writes[i];
		const struct build_version *v = &b->versions[w->version];

		if (build_is_written(v))
			add_written(all, (struct written){
				.file = v->file, .unit = w->unit, .version = w->version,
				.at = v->at, .until = w->until,
			});
	}
	for (size_t i = 0; i < b->nnames; i++) {
		const struct build_name *name = &b->names[i];
		const struct match_write *w = match_writes(s, name->version, &n);

		if (!name->version || build_is_file(&b->versions[name->version]))
			add_written(all, (struct written){
				.file = name->file, .unit = s->unit_of[name->exec],
				.version = name->version, .maker = n ? w[n - 1].unit : 0,
				.at = name->at, .until = name->at,
			});
	}
	if (all->n)
		qsort(all->rows, all->n, sizeof(*all->rows), by_file);
}

/* ---- two writers ---- */

/* Whether a version is @older, or was derived from it, directly or not. */
static bool derives_from(const struct check *c, uint32_t version, uint32_t older)
{
	while (version && version != older)
		version = c->s.versions[version].made == GRAPH_CHANGED ?
			c->s.versions[version].base : 0;
	return version;
}

/*
 * Whether unit @y waited for unit @x, which wrote until @until.  Return: 1, 0, or -1 if unknown,
 * like check_ordered(), since lines of one rule look like two rules.
 */
static int in_order(struct check *c, uint32_t x, int64_t until, uint32_t y)
{
	uint32_t a = x, b = y, both;
	int declared;

	if ((c->step[x] && c->step[x] == c->step[y]) || match_schedules(&c->s, x) ||
	    match_schedules(&c->s, y))
		return 1;
	both = check_apart(c, &a, &b);
	if (!both || (c->asked[a] && c->s.units[a].until <= c->s.units[b].at))
		return 1;
	if (!match_schedules(&c->s, both))
		return !match_is_shell(&c->s, both) || c->s.units[b].at >= until;
	declared = check_ordered(c, x, y, 0);
	if (declared == 0)
		declared = check_ordered(c, y, x, 0);
	/* two makes that a third one ran one after the other */
	if (declared < 0 && (a != c->step[x] || b != c->step[y]) &&
	    c->s.units[a].until <= c->s.units[b].at && check_goes_on(c, b, a))
		return 1;
	return declared < 0 && c->s.units[b].at < until ? 0 : declared;
}

static bool is_ordered(struct check *c, const struct written *x, const struct written *y)
{
	/* a unit that renames a file continues the work of the unit that wrote it */
	uint32_t first = x->maker ? x->maker : x->unit, then = y->maker ? y->maker : y->unit;
	int ordered = in_order(c, x->unit, x->until, y->unit);

	if (ordered < 0 && (x->maker || y->maker))
		ordered = in_order(c, first, x->until, then);
	if (ordered >= 0)
		return ordered;
	/*
	 * A unit that changes the older version continues the work, too. A step that uses a file
	 * made by the other step has waited for it.
	 */
	return derives_from(c, y->version, x->version) ||
	       check_follows(c, c->step[then], c->step[first]) ||
	       check_follows(c, c->step[y->unit], c->step[x->unit]);
}

/* Whether the content of a version matters: it is left at the end, or was read. */
static bool is_used(const struct check *c, uint32_t version)
{
	const struct build *b = c->s.b;
	size_t names;

	build_list(b, BUILD_NAMES_OF, b->versions[version].holds, &names);
	for (uint32_t i = b->versions[version].writes; !names && i < b->versions[version].uses; i++)
		names = build_use(b, version, i)->how != GRAPH_LOOK;
	return names;
}

static void find_writers(struct check *c, const struct written *w, size_t n)
{
	const struct written *before = NULL;
	bool used = false;

	for (size_t i = 0; i < n; i++)
		used |= w[i].version && is_used(c, w[i].version);
	for (size_t i = 0; i < n && used; i++) {
		if (!w[i].version)
			continue;
		if (before && before->unit != w[i].unit && !is_ordered(c, before, &w[i]))
			check_add(c, (struct check_finding){
				.kind = CHECK_WRITERS, .file = w[i].file, .unit = w[i].unit,
				.other = before->unit, .what = c->lists.rules ?
				"written by two steps, in no order" : "written by two steps, in no known order",
			});
		before = &w[i];
	}
}

/* ---- sources ---- */

/* A file that existed before the build: what changed it, and whether another step reads it. */
struct source {
	uint32_t unit;		/* first unit that changed it; 0 if none */
	uint32_t old;		/* the version from before the build */
	bool removed;
	bool read_old, read;	/* another step read version @old; read any version */
};

static void find_changes(struct check *c, const struct written *w, size_t n, struct source *s)
{
	for (size_t i = 0; i < n && !s->unit; i++) {
		if (match_schedules(&c->s, w[i].unit))
			continue;
		s->unit = w[i].unit;
		s->removed = !w[i].version;
		/* patch --backup moves it away, and makes it anew */
		for (size_t k = i + 1; k < n; k++)
			s->removed &= !w[k].version || w[k].unit != s->unit;
	}
}

/* Whether a file belongs to a version control system, which changes it in its own time. */
static bool is_in_repository(const struct check *c, uint32_t file)
{
	static const char *const dirs[] = { "/.git/", "/.hg/", "/.svn/" };
	size_t len;
	const char *path = build_path(c->s.b, file, &len);

	for (size_t i = 0; i < sizeof(dirs) / sizeof(*dirs); i++)
		if (memmem(path, len, dirs[i], strlen(dirs[i])))
			return true;
	return false;
}

static void find_overwritten(struct check *c, const struct all *all)
{
	struct source *sources = xcalloc(c->s.nfiles + 1ul, sizeof(*sources));
	const struct match_side *s = &c->s;

	for (uint32_t v = 1; v <= s->nversions; v++)
		if (s->versions[v].made == GRAPH_EXISTED && c->place[s->versions[v].file] == PLACE_TREE)
			sources[s->versions[v].file].old = v;
	for (size_t i = 0, n; i < all->n; i += n) {
		struct source *src = &sources[all->rows[i].file];

		for (n = 1; i + n < all->n && all->rows[i + n].file == all->rows[i].file; n++)
			;
		if (src->old)
			find_changes(c, &all->rows[i], n, src);
	}
	for (size_t i = 0; i < c->nreads; i++) {
		struct source *src = &sources[c->reads[i].file];

		/* make and ninja read depfiles and generated rules, which are not sources */
		if (!src->unit || c->reads[i].class != GRAPH_DATA ||
		    match_schedules(&c->s, c->reads[i].unit) || c->asked[c->reads[i].step] ||
		    (c->step[src->unit] && c->step[src->unit] == c->reads[i].step) ||
		    src->unit == c->reads[i].unit)
			continue;
		src->read = true;
		src->read_old |= c->reads[i].version == src->old;
	}
	for (uint32_t file = 1; file <= s->nfiles; file++) {
		const struct source *src = &sources[file];
		const struct lists_node *node = &c->lists.nodes[c->node[file]];

		if (!src->unit || node->target || !(node->input ? src->read : src->read_old) ||
		    is_in_repository(c, file))
			continue;
		check_add(c, (struct check_finding){
			.kind = CHECK_OVERWRITTEN, .file = file, .unit = src->unit,
			.what = src->removed ? "a source that was removed" : "a source that was changed",
		});
	}
	free(sources);
}

/* ---- elsewhere ---- */

static void find_outside(struct check *c, const struct all *all)
{
	static const char text[] =
		"SELECT c.file, c.exec FROM change AS c JOIN version AS v ON v.id = c.version\n"
		" WHERE c.what = ? AND coalesce(c.error, 0) = 0 AND v.made = 0 ORDER BY c.rowid";
	struct sqlite3_stmt *st;

	for (size_t i = 0; i < all->n; i++) {
		const struct written *w = &all->rows[i];

		/* traces of old modules do not record removals */
		if (c->place[w->file] == PLACE_TREE || c->place[w->file] == PLACE_CACHE ||
		    (c->place[w->file] == PLACE_TEMPORARY && !c->s.db->uses))
			continue;
		if (w->version && c->s.there[w->file] &&
		    c->s.versions[w->version].made != GRAPH_EXISTED)
			check_add(c, (struct check_finding){
				.kind = CHECK_OUTSIDE, .writes = true, .file = w->file,
				.unit = w->unit, .what = "written",
			});
	}
	st = db_ask(c->s.db, text, "i", (int64_t)GRAPH_UNLINK);
	while (db_row(c->s.db, st)) {
		uint32_t file = db_id(c->s.db, st, 0, DB_FILES);
		uint32_t unit = c->s.unit_of[db_id(c->s.db, st, 1, DB_EXECS)];

		if (file && unit && c->place[file] != PLACE_TREE && c->place[file] != PLACE_CACHE)
			check_add(c, (struct check_finding){
				.kind = CHECK_OUTSIDE, .writes = true, .file = file,
				.unit = unit, .what = "removed",
			});
	}
}

void check_writes(struct check *c)
{
	struct all all = { 0 };

	load_writes(c, &all);
	for (size_t i = 0, n; i < all.n; i += n) {
		for (n = 1; i + n < all.n && all.rows[i + n].file == all.rows[i].file; n++)
			;
		if (c->place[all.rows[i].file] == PLACE_TREE ||
		    c->place[all.rows[i].file] == PLACE_TEMPORARY)
			find_writers(c, &all.rows[i], n);
	}
	find_overwritten(c, &all);
	find_outside(c, &all);
	free(all.rows);
}
