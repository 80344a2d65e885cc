// SPDX-License-Identifier: LGPL-2.1
/* Joins the findings "outside" of each place into one.  See check.h. */
#include "answers/check.h"
#include "base/hash.h"
#include "base/xalloc.h"

#include <stdlib.h>
#include <string.h>

/* ---- places ---- */

static bool is_prefix_part(const char *name, size_t len)
{
	static const char *const parts[] = { "bin", "sbin", "lib", "lib32", "lib64", "libexec", "include",
					     "share", "etc", NULL };

	for (const char *const *p = parts; *p; p++)
		if (strlen(*p) == len && !memcmp(*p, name, len))
			return true;
	return false;
}

/* The prefix, like /usr, in which a file seems to be installed.  Return: its length; 0 if none. */
static size_t prefix_of(const char *path)
{
	size_t len = strlen(path), top = check_top(path, len);

	for (const char *s = path + (top ? top : len); *s;) {
		const char *end = s + 1 + strcspn(s + 1, "/");

		if (*end && is_prefix_part(s + 1, (size_t)(end - s) - 1))
			return (size_t)(s - path);
		s = end;
	}
	return 0;
}

/* ---- groups ---- */

struct groups {
	struct check_finding *rows;
	size_t n;
	struct map64 prefixes;	/* hashes of prefixes that were found */
	struct map64 by_place;	/* by hash of a place and @writes: index in @rows */
};

/*
 * The part of a path by which findings are grouped: the first prefix in it into which
 * something was installed, otherwise check_top().  Return: its length; 0 if none.
 */
static size_t place_of(const struct groups *g, const char *path)
{
	size_t len = strlen(path), top = check_top(path, len);

	for (size_t i = top; top && i < len; i++)
		if (path[i] == '/' && map64_get(&g->prefixes, hash_bytes(path, i)))
			return i;
	return top;
}

static void join_finding(struct check_finding *g, struct check_finding f)
{
	if (!g->members) {
		struct check_finding *first = xmemdup(g, sizeof(*g));

		g->members = first;
		g->nmembers = 1;
		g->path = xstrdup(g->path);
		g->file = 0;
	}
	g->members = xrealloc(g->members, (g->nmembers + 1) * sizeof(*g->members));
	g->members[g->nmembers++] = f;
	if (g->class != f.class)
		g->class = GRAPH_NCLASSES;
	if (strcmp(g->what, f.what))
		g->what = g->writes ? "written or removed" : "read or used";
}

static void add_finding(struct groups *g, struct check_finding f)
{
	size_t len = f.kind == CHECK_OUTSIDE ? place_of(g, f.path) : 0;
	uint64_t key = hash_two(hash_bytes(f.path, len), f.writes);
	uint64_t *at = len ? map64_get(&g->by_place, key) : NULL;

	if (at && g->rows) {
		join_finding(&g->rows[*at], f);
		return;
	}
	if (len)
		map64_put(&g->by_place, key, g->n);
	g->rows[g->n++] = f;
}

/* Set the path of a group to the deepest directory that contains all its members. */
static void name_group(struct check_finding *g)
{
	size_t len = strlen(g->members[0].path), n;

	for (size_t i = 1; i < g->nmembers; i++) {
		const char *path = g->members[i].path;

		for (n = 0; n < len && path[n] == g->path[n]; n++)
			;
		len = n;
	}
	while (len > 1 && g->path[len] != '/')
		len--;
	g->path[len] = 0;
}

/* Count the units that used any member, besides the first one. */
static void count_users(struct check *c, struct check_finding *g)
{
	bool *user = xcalloc(c->s.nunits + 1ul, sizeof(*user));
	bool *member = xcalloc(c->s.b->nfiles + 1ul, sizeof(*member));

	for (size_t i = 0; i < g->nmembers; i++) {
		member[g->members[i].file] = true;
		user[g->members[i].unit] = true;
	}
	for (size_t i = 0; i < c->nreads && !g->writes; i++)
		user[c->reads[i].unit] |= member[c->reads[i].file];
	g->more = 0;
	user[g->unit] = false;
	for (uint32_t i = 1; i <= c->s.nunits; i++)
		g->more += user[i];
	free(user);
	free(member);
}

void check_group(struct check *c)
{
	/* overwrite the rows in place: there are never more groups than rows visited */
	struct groups g = { .rows = c->rows };

	for (size_t i = 0; i < c->n; i++) {
		size_t len = c->rows[i].kind == CHECK_OUTSIDE ? prefix_of(c->rows[i].path) : 0;

		if (len)
			map64_put(&g.prefixes, hash_bytes(c->rows[i].path, len), 1);
	}
	for (size_t i = 0; i < c->n; i++)
		add_finding(&g, c->rows[i]);
	for (size_t i = 0; i < g.n; i++) {
		if (!g.rows[i].members)
			continue;
		name_group(&g.rows[i]);
		count_users(c, &g.rows[i]);
	}
	map64_clear(&g.prefixes);
	map64_clear(&g.by_place);
	c->n = g.n;
}
