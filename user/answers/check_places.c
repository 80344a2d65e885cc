// SPDX-License-Identifier: LGPL-2.1
/* Finds the source trees of a build, and in which kind of place each file is.  See check.h. */
#include "answers/check.h"
#include "base/hash.h"
#include "base/path.h"
#include "base/xalloc.h"

#include <stdlib.h>
#include <string.h>

void check_tree(struct check *c, const char *path)
{
	uint64_t key = hash_bytes(path, strlen(path));

	if (map64_get(&c->tree_of, key))
		return;
	map64_put(&c->tree_of, key, c->ntrees);
	c->trees = xgrow(c->trees, &c->trees_cap, c->ntrees + 1, sizeof(*c->trees));
	c->trees[c->ntrees++] = xstrdup(path);
}

/* Directories of installed packages; directories with data that their tools generate. */
static const char *const installed[] = { "/usr/share/", "/usr/lib/", "/etc/", NULL };
static const char *const made_there[] = { "/var/lib/", "/var/cache/", NULL };

/*
 * Hash of the path component directly below one of @dirs.
 *
 * Return: 0 if the path is in none of them.
 */
static uint64_t name_in(const char *path, size_t len, const char *const *dirs)
{
	for (; *dirs; dirs++) {
		size_t n = strlen(*dirs);
		const char *slash = len > n && !memcmp(path, *dirs, n) ?
			memchr(path + n, '/', len - n) : NULL;

		if (slash)
			return hash_bytes(path + n, (size_t)(slash - path) - n);
	}
	return 0;
}

/* Find the names of installed packages with a file that the build used. */
static void find_installed(struct check *c)
{
	const struct build *b = c->s.b;

	bool *used = xcalloc(b->nfiles + 1ul, sizeof(*used));

	for (size_t i = 0; i < b->naccesses; i++)
		used[b->accesses[i].file] |= b->accesses[i].how == GRAPH_READ ||
					     b->accesses[i].how == GRAPH_RUN;
	for (uint32_t i = 1; i <= b->nfiles; i++) {
		size_t len;
		const char *path = build_inner(b, build_path(b, i, &len), &len);
		uint64_t name = used[i] ? name_in(path, len, installed) : 0;

		if (name)
			map64_put(&c->installed, name, 1);
	}
	free(used);
}

/* Whether a path is one of the build's trees, or in one, that is longer than @from bytes. */
static bool is_in_tree(const struct check *c, const char *path, size_t len, size_t from)
{
	for (size_t i = from + 1; i <= len; i++)
		if ((i == 1 || i == len || path[i] == '/') &&
		    map64_get(&c->tree_of, hash_bytes(path, i)))
			return true;
	return false;
}

static uint8_t place_of(const struct check *c, const char *path, size_t len)
{
	static const char *const local[] = { "/usr/local", NULL };
	static const char *const system[] = { "/etc", "/var/lib/dpkg", "/proc", "/sys", "/dev", NULL };
	const char *whole = path;
	size_t n = len;

	/* a root directory is a system of its own, even in a tree */
	path = build_inner(c->s.b, path, &len);
	if (is_in_tree(c, whole, n, (size_t)(path - whole)))
		return PLACE_TREE;
	if (memmem(path, len, "/.cache/", 8))
		return PLACE_CACHE;
	if (path_in(path, len, path_temporary))
		return PLACE_TEMPORARY;
	if (path_in(path, len, local))
		return PLACE_OTHER;
	if (path_in(path, len, path_installed) || path_in(path, len, system))
		return PLACE_SYSTEM;
	/* /var/lib/texmf is generated from /usr/share/texmf and /etc/texmf */
	return map64_get(&c->installed, name_in(path, len, made_there)) ?
		PLACE_SYSTEM : PLACE_OTHER;
}

/* By file: its enum check_place. */
static uint8_t *place_all(const struct check *c)
{
	const struct build *b = c->s.b;
	uint8_t *place = xcalloc(b->nfiles + 1ul, sizeof(*place));

	for (uint32_t i = 1; i <= b->nfiles; i++) {
		size_t len;
		const char *path = build_path(b, i, &len);

		place[i] = place_of(c, path, len);
	}
	return place;
}

static void add_dir(struct check *c, uint32_t dir)
{
	struct buf b = { 0 };

	if (!dir)
		return;
	answers_file_path(c->s.db, dir, &b);
	buf_addc(&b, 0);
	if (b.len > 2 && place_of(c, b.s, b.len - 1) != PLACE_TREE)
		check_tree(c, b.s);
	buf_free(&b);
}

/* Add the directory of the first command, and the working directories of make and ninja (-C). */
static void add_start(struct check *c)
{
	uint32_t last = 0;

	add_dir(c, answers_start(c->s.db));
	for (uint32_t i = 1; i <= c->s.nunits; i++) {
		uint32_t up = c->s.units[i].caller, cwd = c->s.b->execs[c->s.units[i].exec].cwd;

		if (cwd == last || !match_schedules(&c->s, up) || c->below[up])
			continue;
		add_dir(c, cwd);
		last = cwd;
	}
}

size_t check_top(const char *path, size_t len)
{
	/* each user has a directory there, which contains the projects */
	static const char *const deep[] = { "/home", "/var/tmp", NULL };
	unsigned int names = path_in(path, len, deep) ? 3 : 2;

	for (size_t i = 1; i < len; i++)
		if (path[i] == '/' && !--names)
			return i;
	return 0;
}

/* ---- trees ---- */

/* Directories with sources: for each check_top(), the deepest one that contains all of them. */
struct sources {
	struct check *c;
	char **dirs;
	size_t n, cap;
	struct map64 of;	/* by the hash of a top: its index in @dirs */
};

static void add_source(struct sources *s, const char *path, size_t len)
{
	size_t top = check_top(path, len), n, slash = 0;
	uint64_t key = hash_bytes(path, top + 1), *at = map64_get(&s->of, key);
	char *dir;

	if (!top)
		return;
	while (len && path[len - 1] != '/')
		len--;
	if (at && *at < s->n) {
		dir = s->dirs[*at];
		/* both end with a slash */
		for (n = 0; n < len && dir[n] == path[n]; n++)
			slash = path[n] == '/' ? n + 1 : slash;
		dir[slash] = 0;
		return;
	}
	map64_put(&s->of, key, s->n);
	s->dirs = xgrow(s->dirs, &s->cap, s->n + 1, sizeof(*s->dirs));
	s->dirs[s->n++] = xstrndup(path, len);
}

/*
 * A directory above sources in which programs of the build worked belongs to the same project,
 * unless it also contains the directory of the build.
 */
static void add_around(struct sources *s, uint32_t cwd)
{
	const char *start = s->c->ntrees ? s->c->trees[0] : "", *path;
	size_t len;

	path = build_path(s->c->s.b, cwd, &len);
	for (size_t i = 0; len && i < s->n; i++)
		if (path_within(s->dirs[i], strlen(s->dirs[i]), path, len) &&
		    !path_within(start, strlen(start), path, len))
			s->dirs[i][len + 1] = 0;
}

/* Find generators of makefiles: units outside make and ninja that wrote files which these read. */
static void find_generators(const struct check *c, bool *generates)
{
	const struct build *b = c->s.b;

	for (size_t i = 0; i < b->naccesses; i++) {
		const struct build_access *a = &b->accesses[i];
		const struct match_write *w;
		size_t n;

		if (a->how != GRAPH_READ || !match_schedules(&c->s, c->s.unit_of[a->exec]))
			continue;
		w = match_writes(&c->s, b->versions[a->version].holds, &n);
		for (; n--; w++)
			generates[w->unit] = !c->below[w->unit] && !match_schedules(&c->s, w->unit);
	}
}

/* Find a common parent of the build's directory and @dir, unless all users share it. */
static void find_around(struct check *c, const char *dir)
{
	size_t n = 0, slash = 0, top = check_top(dir, strlen(dir));
	const char *tree = c->ntrees ? c->trees[0] : "";

	for (; tree[n] && tree[n] == dir[n]; n++)
		slash = dir[n] == '/' ? n : slash;
	if (!c->around_trees && top && slash >= top)
		c->around_trees = xstrndup(dir, slash);
}

/*
 * Add the directories of files that existed before the build: sources that are arguments of
 * the program that reads them, and files from which makefiles are generated.
 */
static void add_sources(struct check *c)
{
	const struct build *b = c->s.b;
	bool *generates = xcalloc(c->s.nunits + 1ul, sizeof(*generates));
	bool *source = xcalloc(b->nfiles + 1ul, sizeof(*source));
	uint8_t *place = place_all(c);
	struct sources s = { .c = c };

	find_generators(c, generates);
	for (size_t i = 0; i < b->naccesses; i++) {
		const struct build_access *a = &b->accesses[i];
		uint32_t unit = c->s.unit_of[a->exec];
		size_t len;
		const char *path = build_path(b, a->file, &len);

		if (a->how != GRAPH_READ || a->class != GRAPH_DATA || source[a->file] ||
		    b->versions[b->versions[a->version].holds].made != GRAPH_EXISTED ||
		    place[a->file] <= PLACE_CACHE)
			continue;
		source[a->file] = generates[unit] || (work_is_source(path, len) &&
						      check_names(c, unit, a->file, NULL));
	}
	for (uint32_t i = 1; i <= b->nfiles; i++) {
		size_t len;
		const char *path = build_path(b, i, &len);

		if (source[i])
			add_source(&s, path, len);
	}
	for (uint32_t i = 1; i <= b->nexecs; i++)
		if (s.n && b->execs[i].cwd)
			add_around(&s, b->execs[i].cwd);
	for (size_t i = 0; i < s.n; i++) {
		find_around(c, s.dirs[i]);
		s.dirs[i][strlen(s.dirs[i]) - 1] = 0;
		check_tree(c, s.dirs[i]);
		free(s.dirs[i]);
	}
	free(s.dirs);
	map64_clear(&s.of);
	free(place);
	free(source);
	free(generates);
}

void check_places(struct check *c)
{
	const struct build *b = c->s.b;

	find_installed(c);
	if (!c->trees_given) {
		add_start(c);
		add_sources(c);
	}
	c->place = place_all(c);
	c->node = xcalloc(b->nfiles + 1ul, sizeof(*c->node));
	for (uint32_t i = 1; i <= b->nfiles; i++) {
		size_t len;
		const char *path = build_path(b, i, &len);

		c->node[i] = lists_find(&c->lists, path, len);
	}
}
