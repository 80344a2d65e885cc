// SPDX-License-Identifier: LGPL-2.1
/* Paths of files, and which version has which name: etrace-db(5), rule 2.  See build.h. */
#include "build/build.h"
#include "base/path.h"
#include "base/xalloc.h"

#include <stdlib.h>
#include <string.h>

const char *build_path(const struct build *b, uint32_t file, size_t *len)
{
	*len = (size_t)(b->paths[file + 1] - b->paths[file]);
	return b->text.s + b->paths[file];
}

bool build_is_within(const struct build *b, uint32_t file, const char *dir)
{
	size_t len;
	const char *path = build_path(b, file, &len);

	return path_within(path, len, dir, strlen(dir));
}

const char *build_next_root(const struct build *b, const char *root)
{
	const char *next = root ? root + strlen(root) + 1 : b->roots.s;

	return next != b->roots.s + b->roots.len ? next : NULL;
}

const char *build_inner(const struct build *b, const char *path, size_t *len)
{
	const char *end;
	size_t most = 0;

	for (const char *r = build_next_root(b, NULL); r; r = build_next_root(b, r)) {
		size_t n = strlen(r);

		if (n > most && path_within(path, *len, r, n))
			most = n;
	}
	/* the root of a mount namespace without a known path: mnt:[4026532281]/usr/bin/cc */
	end = *len > 5 && !memcmp(path, "mnt:[", 5) && !most ? memmem(path, *len, "]/", 2) : NULL;
	if (end)
		most = (size_t)(end + 1 - path);
	*len -= most;
	return path + most;
}

uint32_t build_find(const struct build *b, const char *path, size_t len)
{
	return (uint32_t)db_one(b->db, "SELECT id FROM file WHERE path = ?", "b", path, len);
}

bool build_is_use(const struct build_access *a)
{
	return (a->how == GRAPH_READ || a->how == GRAPH_RUN) && a->version;
}

bool build_is_input(const struct build *b, const struct build_access *a)
{
	/* a version that was only opened for writing, as by touch, is still the same */
	return build_is_use(a) && a->file &&
	       b->versions[b->versions[a->version].holds].made == GRAPH_EXISTED;
}

bool build_is_made(const struct build_version *v)
{
	return build_is_written(v) || v->made == GRAPH_MEMORY ||
	       v->made == GRAPH_IS_SYMLINK || build_is_queue(v);
}

bool build_is_kept(const struct build *b, uint32_t version)
{
	const struct build_version *v = &b->versions[version];

	return build_is_made(v) && !build_is_queue(v) && v->made != GRAPH_IS_SYMLINK &&
	       build_name(b, version, 0);
}

bool build_is_file(const struct build_version *v)
{
	return build_is_written(v) || v->made == GRAPH_EXISTED;
}

/*
 * Whether a file is in a directory for temporary files.  If the trace does not record
 * removals, its program is likely to have removed it.
 */
static bool is_temporary(const struct build *b, uint32_t file)
{
	const struct build_version *v = &b->versions[b->files[file].final];
	size_t len;
	const char *path = build_inner(b, build_path(b, file, &len), &len);

	return !b->uses && build_is_written(v) && path_in(path, len, path_temporary);
}

/*
 * Find the version that each name has at the end: the last record of the name decides.
 * Versions and names are both in time order; at the same time, the name is later.
 */
static void find_final(struct build *b)
{
	int64_t *since = xcalloc(b->nfiles + 1ul, sizeof(*since));

	for (uint32_t i = 1; i <= b->nversions; i++) {
		struct build_file *f = &b->files[b->versions[i].file];

		if (f->last && b->versions[i].at < since[b->versions[i].file])
			continue;
		since[b->versions[i].file] = b->versions[i].at;
		*f = (struct build_file){ .final = i, .last = i };
	}
	for (size_t i = 0; i < b->nnames; i++) {
		const struct build_name *n = &b->names[i];
		struct build_file *f = &b->files[n->file];

		if (n->at < since[n->file])
			continue;
		since[n->file] = n->at;
		f->final = n->version;
		f->named = n->exec;
		f->last = n->version ? n->version : f->last;
	}
	b->files[0] = (struct build_file){ 0 };
	free(since);
}

void build_index_names(struct build *b)
{
	find_final(b);
	for (uint32_t i = 1; i <= b->nfiles; i++)
		if (is_temporary(b, i))
			b->files[i].final = 0;
}

uint32_t build_final(const struct build *b, uint32_t file)
{
	return b->versions[b->files[file].last].holds;
}

uint32_t build_namer(const struct build *b, uint32_t version, uint32_t file)
{
	/* a version that was only opened for writing since, as by touch, still has the name */
	for (uint32_t v = version;; v = b->versions[v].base) {
		size_t n;
		const uint32_t *given = build_list(b, BUILD_GIVEN, v, &n);

		while (n--)
			if (b->names[given[n] - 1].file == file)
				return b->names[given[n] - 1].exec;
		if (v == b->versions[version].holds)
			return 0;
	}
}

uint32_t build_name(const struct build *b, uint32_t version, uint32_t file)
{
	const uint32_t *names;
	size_t n;

	if (file && b->files[file].final)
		return file;
	names = build_list(b, BUILD_NAMES_OF, version, &n);
	return n ? names[0] : 0;
}

/*
 * Whether a name that the build gave to an existing file belongs to a directory: there are paths
 * below it.
 */
static bool is_directory(const struct build *b, uint32_t file)
{
	/* "0" follows "/" in ASCII */
	static const char text[] = "SELECT 1 FROM file AS d JOIN file AS b\n"
		" ON b.path > CAST(d.path || '/' AS BLOB) AND b.path < CAST(d.path || '0' AS BLOB)\n"
		" WHERE d.id = ? LIMIT 1";
	const struct build_version *v = &b->versions[build_present(b, file)];

	return !v->identified && !v->uses && db_one(b->db, text, "i", (int64_t)file);
}

bool build_is_output(const struct build *b, uint32_t file)
{
	const struct build_version *v = &b->versions[build_present(b, file)];

	if (build_is_written(v) || v->made == GRAPH_IS_SYMLINK ||
	    (v->made == GRAPH_MEMORY && b->files[file].named))
		return true;
	/* another name of a file that existed before is an output only if the build gave it */
	return v->made == GRAPH_EXISTED && v->file && v->file != file &&
	       build_namer(b, b->files[file].final, file) && !is_directory(b, file);
}

/* ---- makers of a version ---- */

struct maker {
	uint32_t exec;
	int64_t until;
};

struct makers {
	struct maker *rows;
	size_t n, cap;
};

static void add_maker(struct makers *l, uint32_t exec, int64_t until)
{
	for (size_t i = 0; i < l->n; i++) {
		if (l->rows[i].exec != exec)
			continue;
		l->rows[i].until = until > l->rows[i].until ? until : l->rows[i].until;
		return;
	}
	l->rows = xgrow(l->rows, &l->cap, l->n + 1, sizeof(*l->rows));
	l->rows[l->n++] = (struct maker){ exec, until };
}

static int by_until(const void *a, const void *b)
{
	const struct maker *x = a, *y = b;

	if (x->until != y->until)
		return x->until < y->until ? -1 : 1;
	return (x->exec > y->exec) - (x->exec < y->exec);
}

uint32_t *build_makers(const struct build *b, uint32_t version, size_t *n)
{
	struct makers l = { 0 };
	uint32_t *execs;

	for (uint32_t v = version; v; v = b->versions[v].base) {
		for (uint32_t i = 0; i < b->versions[v].writes; i++) {
			const struct build_access *w = build_use(b, v, i);

			add_maker(&l, w->exec, w->until);
		}
		if (b->versions[v].made != GRAPH_CHANGED)
			break;
	}
	if (!l.n && b->versions[version].exec)
		add_maker(&l, b->versions[version].exec, 0);
	if (l.n)
		qsort(l.rows, l.n, sizeof(*l.rows), by_until);
	execs = xcalloc(l.n + 1, sizeof(*execs));
	for (*n = 0; *n < l.n; ++*n)
		execs[*n] = l.rows[*n].exec;
	free(l.rows);
	return execs;
}

uint32_t build_writer(const struct build *b, uint32_t version)
{
	const struct build_version *v = &b->versions[version];
	const struct build_access *last = NULL;

	for (uint32_t i = 0; i < v->writes; i++) {
		const struct build_access *w = build_use(b, version, i);

		if (!last || w->until > last->until ||
		    (w->until == last->until && w->exec >= last->exec))
			last = w;
	}
	return last ? last->exec : build_is_whole(v) ? v->exec : 0;
}

uint32_t build_with_command(const struct build *b, uint32_t exec)
{
	while (b->execs[exec].forked && b->execs[exec].parent)
		exec = b->execs[exec].parent;
	return exec;
}
