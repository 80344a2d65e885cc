// SPDX-License-Identifier: LGPL-2.1
/* Sources that a build never read.  See used.h. */
#include "answers/lists.h"
#include "answers/used.h"
#include "base/shquote.h"
#include "graph/graph.h"
#include "io/json_out.h"

#include <errno.h>
#include <fts.h>
#include <string.h>

static int by_name(const FTSENT **a, const FTSENT **b)
{
	return strcmp((*a)->fts_name, (*b)->fts_name);
}

/* Whether a file was read or run; or made by the build, so that it is no source. */
static bool was_used(const struct used *u, const char *path, size_t len)
{
	static const char text[] = "SELECT id FROM file WHERE path = ?";
	static const char made[] =
		"SELECT count(*) FROM version AS v WHERE v.file = ? AND v.made IN (1, 2) AND NOT EXISTS\n"
		" (SELECT 1 FROM version AS o WHERE o.id = v.base AND o.made = 0)";
	static const char read[] =
		"SELECT 1 << a.class FROM version AS v JOIN access AS a ON a.version = v.id AND a.how IN (1, 3)\n"
		" WHERE v.file = ?1 OR v.id IN (SELECT version FROM name WHERE file = ?1)";
	int64_t file = db_one(u->db, text, "b", (const void *)path, len);
	struct sqlite3_stmt *st;

	if (!file)
		return false;
	if (db_one(u->db, made, "i", file))
		return true;
	st = db_ask(u->db, read, "i", file);
	while (db_row(u->db, st))
		if (db_int(st, 0) & u->classes)
			return true;
	return false;
}

static void put(const struct used *u, const char *path, size_t len)
{
	struct json j = { .out = u->out };
	struct buf b = { 0 };

	if (u->json) {
		json_begin(&j, '{');
		json_text(&j, "unused", path, len);
		json_end(&j, '}');
		json_line(&j);
		return;
	}
	sh_quote(&b, path, len);
	buf_addc(&b, '\n');
	out_write(u->out, b.s, b.len);
	buf_free(&b);
}

static bool is_history(const FTSENT *e)
{
	static const char *const names[] = { ".git", ".hg", ".svn", ".bzr", NULL };

	for (const char *const *name = names; *name; name++)
		if (!strcmp(e->fts_name, *name))
			return true;
	return false;
}

bool used_sources(const struct used *u, const char *dir, const char *map)
{
	char *const dirs[] = { (char *)dir, NULL };
	struct lists l = { .diag = u->diag };
	struct buf then = { 0 };
	bool ok = !map || lists_map(&l, map);
	FTS *fts = ok ? fts_open(dirs, FTS_PHYSICAL | FTS_NOCHDIR, by_name) : NULL;
	FTSENT *e;

	while (fts && ok && (e = fts_read(fts))) {
		if (e->fts_info == FTS_ERR || e->fts_info == FTS_DNR || e->fts_info == FTS_NS) {
			diag_fatal(u->diag, "%s: %s", e->fts_path, strerror(e->fts_errno));
			ok = false;
		} else if (e->fts_info == FTS_D && e->fts_level && is_history(e)) {
			fts_set(fts, e, FTS_SKIP);
		} else if (e->fts_info == FTS_F) {
			then.len = 0;
			lists_then(&l, e->fts_path, &then);
			if (!was_used(u, then.s, then.len))
				put(u, then.s, then.len);
		}
	}
	if (fts)
		fts_close(fts);
	lists_free(&l);
	buf_free(&then);
	return ok;
}
