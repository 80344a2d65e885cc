// SPDX-License-Identifier: LGPL-2.1
/* A build out of its database.  See build.h. */
#include "model/build.h"
#include "base/buf.h"
#include "base/xalloc.h"

#include <stdlib.h>
#include <string.h>

/* ---- lists ---- */

/*
 * Lists are filled in two passes over what is put into them: first each is counted, then
 * each gets its place.  begin_lists() stands between the two.
 */
static void *begin_lists(struct build_lists *l, uint32_t n)
{
	uint32_t sum = 0;

	for (uint32_t i = 0; i <= n + 1; i++) {
		uint32_t count = l->at[i];

		l->at[i] = sum;
		sum += count;
	}
	l->ids = xcalloc(sum + 1ul, sizeof(*l->ids));
	return xmemdup(l->at, (n + 2ul) * sizeof(*l->at));
}

/* @list_of: the list of @id, 0: none; ids from 1 to @n */
void build_make_lists(const struct build *b, struct build_lists *l, uint32_t nlists, uint32_t n,
		       uint32_t (*list_of)(const struct build *b, uint32_t id))
{
	uint32_t *place;

	l->at = xcalloc(nlists + 2ul, sizeof(*l->at));
	for (uint32_t i = 1; i <= n; i++)
		l->at[list_of(b, i)]++;
	l->at[0] = 0;
	place = begin_lists(l, nlists);
	for (uint32_t i = 1; i <= n; i++)
		if (list_of(b, i))
			l->ids[place[list_of(b, i)]++] = i;
	free(place);
}

static uint32_t given_to(const struct build *b, uint32_t i)
{
	return b->names[i - 1].version;
}

static uint32_t forked_by(const struct build *b, uint32_t exec)
{
	return b->execs[exec].forked ? b->execs[exec].parent : 0;
}

/* Emptied, and nothing was written: who did that has made it. */
static uint32_t begun_by(const struct build *b, uint32_t version)
{
	const struct build_version *v = &b->versions[version];

	return build_is_whole(v) && !v->writes ? v->exec : 0;
}

static uint32_t target_of(const struct build *b, uint32_t version)
{
	return b->versions[version].target;
}

static uint32_t base_of(const struct build *b, uint32_t version)
{
	return b->versions[version].base;
}

/* ---- tables ---- */

static void load_files(struct build *b)
{
	static const char text[] = "SELECT id, path FROM file ORDER BY id";
	struct sqlite3_stmt *st = db_ask(b->db, text, "");
	struct buf paths = { 0 };
	uint32_t next = 0;

	b->nfiles = db_ids(b->db, DB_FILES);
	b->files = xcalloc(b->nfiles + 1ul, sizeof(*b->files));
	b->paths = xcalloc(b->nfiles + 2ul, sizeof(*b->paths));
	while (db_row(b->db, st)) {
		uint32_t file = db_id(b->db, st, 0, DB_FILES);
		size_t len;
		const char *path = db_bytes(st, 1, &len);

		while (next <= file)
			b->paths[next++] = paths.len;
		buf_add(&paths, path, len);
	}
	while (next <= b->nfiles + 1)
		b->paths[next++] = paths.len;
	buf_addc(&paths, '\0');
	b->text = paths.s;
}

static void load_versions(struct build *b)
{
	static const char text[] =
		"SELECT id, file, exec, base, made, at, type, dev, ino, size, mtime, target\n"
		" FROM version ORDER BY id";
	struct sqlite3_stmt *st = db_ask(b->db, text, "");

	b->nversions = db_ids(b->db, DB_VERSIONS);
	b->versions = xcalloc(b->nversions + 1ul, sizeof(*b->versions));
	while (db_row(b->db, st)) {
		uint32_t id = db_id(b->db, st, 0, DB_VERSIONS);

		b->versions[id] = (struct build_version){
			.file = db_id(b->db, st, 1, DB_FILES),
			.exec = db_id(b->db, st, 2, DB_EXECS),
			.base = db_earlier(b->db, st, 3, id),
			.made = (uint8_t)db_int(st, 4), .at = db_int(st, 5),
			.identified = !db_null(st, 9) && !db_null(st, 10),
			.type = (uint32_t)db_int(st, 6),
			.dev = (uint32_t)db_int(st, 7), .ino = (uint64_t)db_int(st, 8),
			.size = (uint64_t)db_int(st, 9), .mtime = db_int(st, 10),
			.target = db_id(b->db, st, 11, DB_FILES),
		};
	}
}

static void load_names(struct build *b)
{
	static const char text[] = "SELECT file, version, exec, at FROM name ORDER BY rowid";
	struct sqlite3_stmt *st = db_ask(b->db, text, "");
	size_t cap = 0;

	while (db_row(b->db, st)) {
		b->names = xgrow(b->names, &cap, b->nnames + 1, sizeof(*b->names));
		b->names[b->nnames++] = (struct build_name){
			db_id(b->db, st, 0, DB_FILES), db_id(b->db, st, 1, DB_VERSIONS),
			db_id(b->db, st, 2, DB_EXECS), db_int(st, 3),
		};
	}
}

static int32_t known(struct sqlite3_stmt *st, int column)
{
	return db_null(st, column) ? -1 : (int32_t)db_int(st, column);
}

static void load_execs(struct build *b)
{
	static const char text[] =
		"SELECT id, process, parent, before, forked, begun, program, interp, cwd, at,\n"
		" until, ended, status, signal, unseen FROM exec ORDER BY id";
	struct sqlite3_stmt *st = db_ask(b->db, text, "");

	b->nexecs = db_ids(b->db, DB_EXECS);
	b->execs = xcalloc(b->nexecs + 1ul, sizeof(*b->execs));
	while (db_row(b->db, st)) {
		uint32_t id = db_id(b->db, st, 0, DB_EXECS);

		b->execs[id] = (struct build_exec){
			.process = db_id(b->db, st, 1, DB_PROCESSES),
			.parent = db_earlier(b->db, st, 2, id),
			.before = db_earlier(b->db, st, 3, id),
			.forked = db_int(st, 4), .begun = db_int(st, 5),
			.program = db_id(b->db, st, 6, DB_FILES),
			.interp = db_id(b->db, st, 7, DB_FILES),
			.cwd = db_id(b->db, st, 8, DB_FILES), .at = db_int(st, 9),
			.until = db_null(st, 10) ? b->end : db_int(st, 10),
			.ended = db_null(st, 11) ? GRAPH_ENDED_OPEN : (uint8_t)db_int(st, 11),
			.status = known(st, 12), .signal = known(st, 13),
			.unseen = (uint8_t)db_int(st, 14),
		};
	}
}

/* ---- accesses ---- */

static bool may_queue(const struct build *b, uint32_t version)
{
	return build_is_queue(&b->versions[version]);
}

/* What was mapped may be read, and written, as long as the program runs. */
static bool is_mapped(const struct build *b, const struct build_access *a, bool counted,
		      uint64_t bytes)
{
	return counted && !bytes && (a->how == GRAPH_READ || a->how == GRAPH_WRITE) &&
	       !may_queue(b, a->version);
}

static void take_access(struct build *b, struct sqlite3_stmt *st, struct build_access *a)
{
	bool counted = !db_null(st, 6);
	int64_t fd = db_null(st, 5) ? -1 : db_int(st, 5);

	*a = (struct build_access){
		.exec = db_id(b->db, st, 0, DB_EXECS), .version = db_id(b->db, st, 1, DB_VERSIONS),
		.file = db_id(b->db, st, 2, DB_FILES), .how = (uint8_t)db_int(st, 3),
		.class = db_class(b->db, st, 4), .standard = fd == 1 || fd == 2,
		.at = db_int(st, 7), .until = db_null(st, 8) ? b->end : db_int(st, 8),
		.copied = db_int(st, 9),
	};
	b->execs[a->exec].copies |= a->copied;
	if (!a->file)
		a->file = b->versions[a->version].file;
	if (is_mapped(b, a, counted, (uint64_t)db_int(st, 6)))
		a->until = b->execs[a->exec].until;
	if (may_queue(b, a->version)) {
		if (!b->moved)
			b->moved = xcalloc(b->naccesses + 1, sizeof(*b->moved));
		if (!b->since && !db_null(st, 10))
			b->since = xcalloc(b->naccesses + 1, sizeof(*b->since));
		if (b->since)
			b->since[a - b->accesses] = db_int(st, 10);
		b->moved[a - b->accesses] = (uint64_t)db_int(st, 6);
		/* who only has it open moves nothing */
		if (a->how == GRAPH_READ || a->how == GRAPH_WRITE)
			b->versions[a->version].counted &= counted && db_int(st, 6) > 0;
	}
}

static void count_accesses(struct build *b)
{
	static const char text[] = "SELECT exec, count(*) FROM access GROUP BY exec";
	struct sqlite3_stmt *st = db_ask(b->db, text, "");
	size_t n = 0;

	while (db_row(b->db, st)) {
		struct build_exec *e = &b->execs[db_id(b->db, st, 0, DB_EXECS)];

		e->uses = (uint32_t)db_int(st, 1);
	}
	for (uint32_t i = 0; i <= b->nexecs; i++) {
		b->execs[i].first = (uint32_t)n;
		n += b->execs[i].uses;
		b->execs[i].uses = 0;
	}
	b->naccesses = n;
}

/* Each exec's own stand together; what an index counted, a table need not have. */
static void load_accesses(struct build *b)
{
	static const char text[] =
		"SELECT exec, version, file, how, class, fd, bytes, at, until, copied,\n"
		" since FROM access ORDER BY rowid";
	struct sqlite3_stmt *st;

	count_accesses(b);
	b->accesses = xcalloc(b->naccesses + 1, sizeof(*b->accesses));
	for (uint32_t i = 1; i <= b->nversions; i++)
		b->versions[i].counted = may_queue(b, i);
	st = db_ask(b->db, text, "");
	while (db_row(b->db, st)) {
		uint32_t exec = db_id(b->db, st, 0, DB_EXECS);
		struct build_exec *e = &b->execs[exec];
		size_t end = exec < b->nexecs ? e[1].first : b->naccesses;

		if (e->first + (size_t)e->uses < end)
			take_access(b, st, &b->accesses[e->first + e->uses++]);
	}
}

static uint32_t copied_to(const struct build *b, uint32_t i)
{
	return b->copies[i - 1].output;
}

static uint32_t copied_from(const struct build *b, uint32_t i)
{
	return b->copies[i - 1].input;
}

static void load_copies(struct build *b)
{
	static const char text[] = "SELECT exec, input, output FROM copy ORDER BY rowid";
	struct sqlite3_stmt *st = db_ask(b->db, text, "");
	size_t cap = 0;

	while (db_row(b->db, st)) {
		b->copies = xgrow(b->copies, &cap, b->ncopies + 1, sizeof(*b->copies));
		b->copies[b->ncopies++] = (struct build_copy){
			db_id(b->db, st, 0, DB_EXECS), db_id(b->db, st, 1, DB_VERSIONS),
			db_id(b->db, st, 2, DB_VERSIONS),
		};
	}
	build_make_lists(b, &b->copied_to, b->nversions, (uint32_t)b->ncopies, copied_to);
	build_make_lists(b, &b->copied_from, b->nversions, (uint32_t)b->ncopies, copied_from);
}

bool build_is_from(const struct build *b, const struct build_access *write, uint32_t input)
{
	size_t n;
	const uint32_t *rows = build_list(&b->copied_to, write->version, &n);

	if (!write->copied)
		return true;
	for (size_t i = 0; i < n; i++) {
		const struct build_copy *c = &b->copies[rows[i] - 1];

		if (c->exec == write->exec && (!c->input || c->input == input))
			return true;
	}
	return false;
}

/* By version: writes first. */
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

/* One that was opened for writing, and not written to, is what was there before. */
static void find_contents(struct build *b)
{
	for (uint32_t i = 1; i <= b->nversions; i++) {
		struct build_version *v = &b->versions[i];

		v->holds = v->made == GRAPH_CHANGED && v->base && !v->writes ?
			b->versions[v->base].holds : i;
	}
}

/* ---- misses ---- */

static uint32_t misser(const struct build *b, uint32_t i)
{
	return b->misses[i - 1].exec;
}

static void load_misses(struct build *b)
{
	static const char text[] = "SELECT exec, file, error, at FROM misses";
	struct sqlite3_stmt *st = db_ask(b->db, text, "");
	size_t cap = 0;

	while (db_row(b->db, st)) {
		b->misses = xgrow(b->misses, &cap, b->nmisses + 1, sizeof(*b->misses));
		b->misses[b->nmisses++] = (struct build_miss){
			db_id(b->db, st, 0, DB_EXECS), db_id(b->db, st, 1, DB_FILES),
			(int32_t)db_int(st, 2), db_int(st, 3),
		};
	}
	build_make_lists(b, &b->misses_of, b->nexecs, (uint32_t)b->nmisses, misser);
}

const struct build_miss *build_miss_of(const struct build *b, uint32_t exec, uint32_t i)
{
	return &b->misses[b->misses_of.ids[b->misses_of.at[exec] + i] - 1];
}

uint32_t build_misses(const struct build *b, uint32_t exec)
{
	/* most answers do not ask for them, and there are as many as accesses */
	if (!b->misses_of.at)
		load_misses((struct build *)(uintptr_t)b);
	return b->misses_of.at[exec + 1] - b->misses_of.at[exec];
}

/* ---- all of it ---- */

const char *build_path(const struct build *b, uint32_t file, size_t *len)
{
	*len = (size_t)(b->paths[file + 1] - b->paths[file]);
	return b->text + b->paths[file];
}

uint32_t build_find(const struct build *b, const char *path, size_t len)
{
	return (uint32_t)db_one(b->db, "SELECT id FROM file WHERE path = ?", "b", path, len);
}

static void free_lists(struct build_lists *l)
{
	free(l->at);
	free(l->ids);
}

static void free_build(struct build *b)
{
	free(b->files);
	free(b->versions);
	free(b->execs);
	free(b->names);
	free(b->accesses);
	free(b->by_version);
	free(b->moved);
	free(b->since);
	free(b->misses);
	free(b->copies);
	free_lists(&b->copied_to);
	free_lists(&b->copied_from);
	free_lists(&b->misses_of);
	free_lists(&b->names_of);
	free_lists(&b->began);
	free_lists(&b->took);
	free_lists(&b->given);
	free_lists(&b->forks);
	free_lists(&b->made_by);
	free_lists(&b->links);
	free_lists(&b->based);
	free(b->text);
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
	load_names(b);
	load_accesses(b);
	load_copies(b);
	index_accesses(b);
	find_contents(b);
	build_index_names(b);
	build_make_lists(b, &b->given, b->nversions, (uint32_t)b->nnames, given_to);
	build_make_lists(b, &b->forks, b->nexecs, b->nexecs, forked_by);
	build_make_lists(b, &b->made_by, b->nexecs, b->nversions, begun_by);
	build_make_lists(b, &b->links, b->nfiles, b->nversions, target_of);
	build_make_lists(b, &b->based, b->nversions, b->nversions, base_of);
	build_find_tokens(b);
	return b;
}
