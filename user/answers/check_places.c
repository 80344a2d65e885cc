// SPDX-License-Identifier: LGPL-2.1
/* Where files lie, as far as check asks.  See check.h. */
#include "answers/check.h"
#include "base/xalloc.h"
#include "graph/graph.h"

#include <stdlib.h>
#include <string.h>

void check_tree(struct check *c, const char *path)
{
	c->trees = xgrow(c->trees, &c->trees_cap, c->ntrees + 1, sizeof(*c->trees));
	c->trees[c->ntrees++] = xstrdup(path);
}

static bool below(const char *path, size_t len, const char *dir)
{
	size_t n = strlen(dir);

	return len >= n && !memcmp(path, dir, n) && (len == n || path[n] == '/' || n == 1);
}

/* What is installed; the first that fits. */
static const struct {
	const char *dir;
	uint8_t place;
} places[] = {
	{ "/usr/local", PLACE_OTHER },		{ "/usr", PLACE_SYSTEM },
	{ "/bin", PLACE_SYSTEM },		{ "/sbin", PLACE_SYSTEM },
	{ "/lib", PLACE_SYSTEM },		{ "/lib32", PLACE_SYSTEM },
	{ "/lib64", PLACE_SYSTEM },		{ "/libx32", PLACE_SYSTEM },
	{ "/etc", PLACE_SYSTEM },		{ "/opt", PLACE_SYSTEM },
	{ "/nix", PLACE_SYSTEM },		{ "/gnu", PLACE_SYSTEM },
	{ "/var/lib/dpkg", PLACE_SYSTEM },	{ "/proc", PLACE_SYSTEM },
	{ "/sys", PLACE_SYSTEM },		{ "/dev/shm", PLACE_TEMPORARY },
	{ "/dev", PLACE_SYSTEM },		{ "/tmp", PLACE_TEMPORARY },
	{ "/var/tmp", PLACE_TEMPORARY },
};

static uint8_t place_of(const struct check *c, const char *path, size_t len)
{
	for (size_t i = 0; i < c->ntrees; i++)
		if (below(path, len, c->trees[i]))
			return PLACE_TREE;
	for (size_t i = 0; i < sizeof(places) / sizeof(*places); i++)
		if (below(path, len, places[i].dir))
			return places[i].place;
	return PLACE_OTHER;
}

/* Where the command was started. */
static void add_start(struct check *c)
{
	uint32_t cwd = answers_start(c->s.db);
	struct buf b = { 0 };

	if (!cwd)
		return;
	answers_file_path(c->s.db, cwd, &b);
	buf_addc(&b, 0);
	if (b.len > 2)
		check_tree(c, b.s);
	buf_free(&b);
}

static size_t components(const char *s, size_t len)
{
	size_t n = 0;

	for (size_t i = 0; i < len; i++)
		n += s[i] == '/';
	return n;
}

/*
 * The directory that all sources have in common that were compiled and lie elsewhere.
 * One that is a whole home, or wider, says nothing.
 */
static void add_sources(struct check *c)
{
	static const char text[] =
		"SELECT DISTINCT f.path FROM compilation AS k JOIN file AS f ON f.id = k.source";
	struct sqlite3_stmt *st = db_ask(c->s.db, text, "");
	struct buf common = { 0 };

	while (db_row(c->s.db, st)) {
		size_t len, n = 0, slash = 0;
		const char *path = db_bytes(st, 0, &len);

		if (place_of(c, path, len) != PLACE_OTHER)
			continue;
		if (!common.len) {
			buf_add(&common, path, len);
			while (common.len && common.s[common.len - 1] != '/')
				common.len--;
			continue;
		}
		for (; n < len && n < common.len && path[n] == common.s[n]; n++)
			slash = path[n] == '/' ? n + 1 : slash;
		common.len = slash;
	}
	/* it ends with a slash */
	if (common.s && components(common.s, common.len) > (below(common.s, common.len, "/home") ? 3u : 2u)) {
		common.s[common.len - 1] = 0;
		check_tree(c, common.s);
	}
	buf_free(&common);
}

void check_places(struct check *c)
{
	struct sqlite3_stmt *st;

	if (!c->trees_given) {
		add_start(c);
		add_sources(c);
	}
	c->place = xcalloc(c->s.nfiles + 1ul, sizeof(*c->place));
	c->node = xcalloc(c->s.nfiles + 1ul, sizeof(*c->node));
	st = db_ask(c->s.db, "SELECT id, path FROM file", "");
	while (db_row(c->s.db, st)) {
		size_t len;
		const char *path = db_bytes(st, 1, &len);
		uint32_t file = db_id(c->s.db, st, 0, DB_FILES);

		c->place[file] = place_of(c, path, len);
		c->node[file] = lists_find(&c->lists, path, len);
	}
}
