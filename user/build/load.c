// SPDX-License-Identifier: LGPL-2.1
/* Loads a build from its database.  See build.h. */
#include "build/build.h"
#include "db/lists.h"
#include "base/path.h"
#include "base/xalloc.h"

#include <stdlib.h>
#include <string.h>

/* ---- tables ---- */

static uint32_t id_of(struct build *b, const struct db_cells *row, int i, enum db_table of)
{
	return db_cell_id(b->db, row, i, of);
}

/* Set where the path of each file up to @upto begins; files without a row have none. */
static void begin_paths(struct build *b, uint32_t upto)
{
	while (b->npaths <= upto)
		b->paths[b->npaths++] = b->text.len;
}

static void take_file(void *ctx, const struct db_cells *row)
{
	struct build *b = ctx;

	begin_paths(b, id_of(b, row, 0, DB_FILES));
	buf_add(&b->text, row->bytes, row->len);
}

static void load_files(struct build *b)
{
	b->nfiles = db_ids(b->db, DB_FILES);
	b->files = xcalloc(b->nfiles + 1ul, sizeof(*b->files));
	b->paths = xcalloc(b->nfiles + 2ul, sizeof(*b->paths));
	db_scan(b->db, "file", "id, path", take_file, b);
	begin_paths(b, b->nfiles + 1);
	buf_addc(&b->text, '\0');
}

static void take_version(void *ctx, const struct db_cells *row)
{
	struct build *b = ctx;
	const int64_t *v = row->v;
	uint32_t id = id_of(b, row, 0, DB_VERSIONS);

	b->versions[id] = (struct build_version){
		.file = id_of(b, row, 1, DB_FILES), .exec = id_of(b, row, 2, DB_EXECS),
		.base = db_earlier_of(b->db, v[3], id), .made = (uint8_t)v[4], .at = v[5],
		.identified = db_cell_known(row, 8) && db_cell_known(row, 9),
		.dev = (uint32_t)v[6], .ino = (uint64_t)v[7],
		.size = (uint64_t)v[8], .mtime = v[9], .target = id_of(b, row, 10, DB_FILES),
	};
}

static void load_versions(struct build *b)
{
	b->nversions = db_ids(b->db, DB_VERSIONS);
	b->versions = xcalloc(b->nversions + 1ul, sizeof(*b->versions));
	db_scan(b->db, "version",
		"id, file, exec, base, made, at, dev, ino, size, mtime, target",
		take_version, b);
}

static void take_name(void *ctx, const struct db_cells *row)
{
	struct build *b = ctx;

	b->names = xgrow(b->names, &b->names_cap, b->nnames + 1, sizeof(*b->names));
	b->names[b->nnames++] = (struct build_name){
		id_of(b, row, 0, DB_FILES), id_of(b, row, 1, DB_VERSIONS),
		id_of(b, row, 2, DB_EXECS), row->v[3],
	};
}

static int32_t number_or_none(const struct db_cells *row, int i)
{
	return db_cell_known(row, i) ? (int32_t)row->v[i] : -1;
}

static void take_exec(void *ctx, const struct db_cells *row)
{
	struct build *b = ctx;
	const int64_t *v = row->v;
	uint32_t id = id_of(b, row, 0, DB_EXECS);

	b->execs[id] = (struct build_exec){
		.process = id_of(b, row, 1, DB_PROCESSES),
		.parent = db_earlier_of(b->db, v[2], id), .before = db_earlier_of(b->db, v[3], id),
		.forked = v[4], .begun = v[5], .program = id_of(b, row, 6, DB_FILES),
		.interp = id_of(b, row, 7, DB_FILES), .cwd = id_of(b, row, 8, DB_FILES), .at = v[9],
		.until = db_cell_known(row, 10) ? v[10] : b->end,
		.ended = db_cell_known(row, 11) ? (uint8_t)v[11] : GRAPH_ENDED_OPEN,
		.status = number_or_none(row, 12), .signal = number_or_none(row, 13),
		.unseen = (uint8_t)v[14],
	};
}

static void load_execs(struct build *b)
{
	b->nexecs = db_ids(b->db, DB_EXECS);
	b->execs = xcalloc(b->nexecs + 1ul, sizeof(*b->execs));
	db_scan(b->db, "exec",
		"id, process, parent, before, forked, begun, program, interp, cwd, at, until,\n"
		"ended, status, signal, unseen", take_exec, b);
}

/* ---- accesses ---- */

static bool may_queue(const struct build *b, uint32_t version)
{
	return build_is_queue(&b->versions[version]);
}

/* Whether a file was mapped, because calls moved no bytes: it is then used until the exec ends. */
static bool is_mapped(const struct build *b, const struct build_access *a, bool counted,
		      uint64_t bytes)
{
	return counted && !bytes && (a->how == GRAPH_READ || a->how == GRAPH_WRITE) &&
	       !may_queue(b, a->version);
}

static void take_access(struct build *b, const struct graph_access *from, struct build_access *a)
{
	*a = (struct build_access){
		.exec = from->exec, .version = from->version,
		.file = from->file ? from->file : b->versions[from->version].file,
		.how = from->how, .class = from->class, .standard = from->fd == 1 || from->fd == 2,
		.at = from->at, .until = from->until, .copied = from->copied,
	};
	b->execs[a->exec].copies |= a->copied;
	if (is_mapped(b, a, from->counted, from->bytes))
		a->until = b->execs[a->exec].until;
	if (may_queue(b, a->version)) {
		map64_put(&b->moved, (uint64_t)(a - b->accesses), from->bytes);
		if (from->since)
			map64_put(&b->since, (uint64_t)(a - b->accesses), (uint64_t)from->since);
		/* other kinds of access only mean that the exec had the pipe open */
		if (a->how == GRAPH_READ || a->how == GRAPH_WRITE)
			b->versions[a->version].counted &= from->counted && from->bytes;
	}
}

static void count_accesses(void *ctx, const struct db_cells *row)
{
	struct build *b = ctx;

	b->execs[id_of(b, row, 0, DB_EXECS)].uses += list_count(row);
}

static void take_accesses(void *ctx, const struct db_cells *row)
{
	struct build *b = ctx;
	struct list l = list_of(b->db, row->bytes, row->len);
	struct graph_access a = { .exec = id_of(b, row, 0, DB_EXECS) };
	struct build_exec *e = &b->execs[a.exec];

	/* more than the counted number means that the file has changed since */
	while (list_access(&l, row->v[1], &a) && e->first + e->uses < b->naccesses)
		take_access(b, &a, &b->accesses[e->first + e->uses++]);
}

static void load_accesses(struct build *b)
{
	db_scan(b->db, "access_list", "exec, list", count_accesses, b);
	for (uint32_t i = 0; i <= b->nexecs; i++) {
		b->execs[i].first = (uint32_t)b->naccesses;
		b->naccesses += b->execs[i].uses;
		b->execs[i].uses = 0;
	}
	b->accesses = xcalloc(b->naccesses + 1, sizeof(*b->accesses));
	for (uint32_t i = 1; i <= b->nversions; i++)
		b->versions[i].counted = may_queue(b, i);
	db_scan(b->db, "access_list", "exec, at, list", take_accesses, b);
}

/*
 * Add the root directory that a chroot sets. The root of the machine itself does not count, nor
 * does a directory for temporary files: bwrap enters it for a moment, and others go on using it.
 */
static void take_root(void *ctx, const struct db_cells *row)
{
	struct build *b = ctx;
	size_t len;
	const char *path = build_path(b, id_of(b, row, 1, DB_FILES), &len);

	if (row->v[0] != GRAPH_CHROOT || row->v[2] || len < 2 ||
	    path_in(path, len, path_temporary) == len)
		return;
	for (const char *r = build_next_root(b, NULL); r; r = build_next_root(b, r))
		if (strlen(r) == len && !memcmp(r, path, len))
			return;
	buf_add(&b->roots, path, len);
	buf_addc(&b->roots, '\0');
}

static void take_copy(void *ctx, const struct db_cells *row)
{
	struct build *b = ctx;

	b->copies = xgrow(b->copies, &b->copies_cap, b->ncopies + 1, sizeof(*b->copies));
	b->copies[b->ncopies++] = (struct build_copy){
		id_of(b, row, 0, DB_EXECS), id_of(b, row, 1, DB_VERSIONS),
		id_of(b, row, 2, DB_VERSIONS),
	};
}

bool build_is_from(const struct build *b, const struct build_access *write, uint32_t input)
{
	size_t n;
	const uint32_t *rows = build_list(b, BUILD_COPIED_TO, write->version, &n);

	if (!write->copied)
		return true;
	for (size_t i = 0; i < n; i++) {
		const struct build_copy *c = &b->copies[rows[i] - 1];

		if (c->exec == write->exec && (!c->input || c->input == input))
			return true;
	}
	return false;
}

/* Index the accesses of each version, writes first. */
static void index_accesses(struct build *b)
{
	uint32_t sum = 0;

	b->by_version = xcalloc(b->naccesses + 1, sizeof(*b->by_version));
	for (size_t i = 0; i < b->naccesses; i++) {
		struct build_version *v = &b->versions[b->accesses[i].version];

		v->uses++;
		v->writes += b->accesses[i].how == GRAPH_WRITE;
	}
	for (uint32_t i = 0; i <= b->nversions; i++) {
		b->versions[i].first = sum;
		sum += b->versions[i].uses;
		b->versions[i].uses = b->versions[i].writes;
		b->versions[i].writes = 0;
	}
	for (size_t i = 0; i < b->naccesses; i++) {
		struct build_version *v = &b->versions[b->accesses[i].version];
		bool write = b->accesses[i].how == GRAPH_WRITE;

		b->by_version[v->first + (write ? v->writes++ : v->uses++)] = (uint32_t)i;
	}
}

/* A version that was opened for writing but not written to holds the content of its base. */
static void find_contents(struct build *b)
{
	for (uint32_t i = 1; i <= b->nversions; i++) {
		struct build_version *v = &b->versions[i];

		v->holds = v->made == GRAPH_CHANGED && v->base && !v->writes ?
			b->versions[v->base].holds : i;
	}
}

/* ---- the whole build ---- */

static void free_build(struct build *b)
{
	build_free_contents(b);
	build_free_asks(b);
	free(b->files);
	free(b->versions);
	free(b->execs);
	free(b->names);
	free(b->accesses);
	free(b->by_version);
	map64_clear(&b->moved);
	map64_clear(&b->since);
	map64_clear(&b->ranges_from);
	map64_clear(&b->ranges_to);
	free(b->misses);
	free(b->misses_at);
	args_free(&b->args);
	free(b->hides);
	free(b->copies);
	free(b->times);
	build_free_lists(b);
	buf_free(&b->text);
	buf_free(&b->roots);
	free(b->paths);
	free(b);
}

const struct build *build_of(struct db *db)
{
	struct build *b = db->build;

	if (b)
		return b;
	b = xcalloc(1, sizeof(*b));
	db->build = b;
	db->free_build = free_build;
	b->db = db;
	b->uses = db->uses;
	b->end = db_meta(db, "end", 0);
	load_files(b);
	load_execs(b);
	load_versions(b);
	db_scan(b->db, "name", "file, version, exec, at", take_name, b);
	load_accesses(b);
	db_scan(b->db, "change", "what, file, error", take_root, b);
	db_scan(b->db, "copy", "exec, input, output", take_copy, b);
	index_accesses(b);
	find_contents(b);
	build_index_names(b);
	build_find_tokens(b);
	return b;
}
