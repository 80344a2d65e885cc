// SPDX-License-Identifier: LGPL-2.1
/* Finds sources that a build never read.  See used_packages.h. */
#include "answers/lists.h"
#include "answers/used_packages.h"
#include "base/shquote.h"
#include "base/xalloc.h"
#include "build/build.h"
#include "io/json_out.h"

#include <errno.h>
#include <fts.h>
#include <stdlib.h>
#include <string.h>

static int by_name(const FTSENT **a, const FTSENT **b)
{
	return strcmp((*a)->fts_name, (*b)->fts_name);
}

static bool was_read(const struct used *u, const struct build *b, uint32_t version)
{
	for (uint32_t i = b->versions[version].writes; i < b->versions[version].uses; i++) {
		const struct build_access *a = build_use(b, version, i);

		if ((a->how == GRAPH_READ || a->how == GRAPH_RUN) && u->classes >> a->class & 1)
			return true;
	}
	return false;
}

/* Whether the build made a version, other than by changing a file that existed before. */
static bool was_made(const struct build *b, uint32_t version)
{
	const struct build_version *v = &b->versions[version];

	return build_is_written(v) &&
	       !(v->base && b->versions[v->base].made == GRAPH_EXISTED);
}

/*
 * By file: whether it was read or run, or is not a source because the build made it. The
 * caller frees it.
 */
static bool *find_used(const struct used *u)
{
	const struct build *b = build_of(u->db);
	bool *used = xcalloc(b->nfiles + 1ul, sizeof(*used));

	for (uint32_t i = 1; i <= b->nversions; i++)
		used[b->versions[i].file] |= was_made(b, i) || was_read(u, b, i);
	for (size_t i = 0; i < b->nnames; i++)
		used[b->names[i].file] |= b->names[i].version && was_read(u, b, b->names[i].version);
	used[0] = false;
	return used;
}

static void put_source(const struct used *u, const char *path, size_t len)
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
	bool *used = find_used(u);
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
			if (!used[build_find(build_of(u->db), then.s, then.len)])
				put_source(u, then.s, then.len);
		}
	}
	if (fts)
		fts_close(fts);
	free(used);
	lists_free(&l);
	buf_free(&then);
	return ok;
}
