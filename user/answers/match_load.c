// SPDX-License-Identifier: LGPL-2.1
/* One build in memory, as far as another one is compared with it.  See match.h. */
#include "answers/match.h"
#include "base/hash.h"
#include "base/map64.h"
#include "base/xalloc.h"
#include "graph/graph.h"

#include <stdlib.h>
#include <string.h>

/* ---- files and versions ---- */

/*
 * A number for a name that is the same in each run: what is told, and of several the
 * one that is taken, goes by the order of these.  Who chooses names so that two have one
 * number gets a wrong answer about builds of his own.
 */
static uint64_t number_of(const char *s, size_t len)
{
	uint64_t h = len;

	for (size_t i = 0; i < len; i++) {
		h = (h ^ (unsigned char)s[i]) * 0x9e3779b97f4a7c15ull;
		h ^= h >> 32;
	}
	return h ? h : 1;
}

static void load_files(struct match_side *s)
{
	struct sqlite3_stmt *st;
	struct buf b = { 0 };

	s->nfiles = db_ids(s->db, DB_FILES);
	s->names = xcalloc(s->nfiles + 1ul, sizeof(*s->names));
	s->there = xcalloc(s->nfiles + 1ul, sizeof(*s->there));
	st = db_ask(s->db, "SELECT id, path FROM file", "");
	while (db_row(s->db, st)) {
		size_t len;
		const char *path = db_bytes(st, 1, &len);

		b.len = 0;
		match_name(s, path, len, &b);
		s->names[db_id(s->db, st, 0, DB_FILES)] = number_of(b.s ? b.s : "", b.len);
	}
	buf_free(&b);
}

static void load_versions(struct match_side *s)
{
	static const char versions[] = "SELECT id, file, base, made, at FROM version ORDER BY id";
	static const char names[] = "SELECT file, version, at FROM name ORDER BY rowid";
	int64_t *last = xcalloc(s->nfiles + 1ul, sizeof(*last));
	struct sqlite3_stmt *st;

	s->nversions = db_ids(s->db, DB_VERSIONS);
	s->versions = xcalloc(s->nversions + 1ul, sizeof(*s->versions));
	st = db_ask(s->db, versions, "");
	while (db_row(s->db, st)) {
		uint32_t id = db_id(s->db, st, 0, DB_VERSIONS);
		struct match_version *v = &s->versions[id];

		v->file = db_id(s->db, st, 1, DB_FILES);
		v->base = db_earlier(s->db, st, 2, id);
		v->made = (uint8_t)db_int(st, 3);
		last[v->file] = db_int(st, 4);
		s->there[v->file] = id;
	}
	st = db_ask(s->db, names, "");
	while (db_row(s->db, st)) {
		uint32_t file = db_id(s->db, st, 0, DB_FILES);
		uint32_t version = db_id(s->db, st, 1, DB_VERSIONS);

		s->versions[version].renamed = true;
		if (db_int(st, 2) < last[file])
			continue;
		last[file] = db_int(st, 2);
		s->there[file] = version;
	}
	free(last);
}

/* ---- units ---- */

static uint64_t args_hash(const struct match_side *s, uint32_t unit, struct buf *b)
{
	size_t n;

	b->len = 0;
	match_args(s, unit, b, &n);
	return hash_bytes(b->s ? b->s : "", b->len);
}

static uint64_t base_hash(struct db *db, uint32_t file)
{
	struct buf b = { 0 };
	const char *slash;
	uint64_t hash;

	answers_file_path(db, file, &b);
	slash = b.len ? memrchr(b.s, '/', b.len) : NULL;
	slash = slash ? slash + 1 : b.s;
	hash = b.len ? hash_bytes(slash, (size_t)(b.s + b.len - slash)) : 0;
	buf_free(&b);
	return hash;
}

static void join(struct match_side *s, uint32_t exec, uint32_t unit)
{
	struct match_unit *u = &s->units[unit];

	s->unit_of[exec] = unit;
	if (u->last)
		s->next[u->last] = exec;
	else
		u->first = exec;
	u->last = exec;
}

static void load_units(struct match_side *s)
{
	static const char text[] =
		"SELECT id, parent, before, forked, program, cwd, at, until, status, signal FROM exec\n"
		" ORDER BY id";
	struct sqlite3_stmt *st;
	struct buf b = { 0 };
	size_t cap = 0;

	s->nexecs = db_ids(s->db, DB_EXECS);
	s->unit_of = xcalloc(s->nexecs + 1ul, sizeof(*s->unit_of));
	s->next = xcalloc(s->nexecs + 1ul, sizeof(*s->next));
	s->units = xgrow(NULL, &cap, 1, sizeof(*s->units));
	s->units[0] = (struct match_unit){ 0 };
	st = db_ask(s->db, text, "");
	while (db_row(s->db, st)) {
		uint32_t exec = db_id(s->db, st, 0, DB_EXECS), before = db_earlier(s->db, st, 2, exec);
		uint32_t up = s->unit_of[before ? before : db_earlier(s->db, st, 1, exec)];
		uint32_t program = db_id(s->db, st, 4, DB_FILES), cwd = db_id(s->db, st, 5, DB_FILES);
		struct match_unit *u;

		if (db_int(st, 3) || !program) {
			if (up)
				join(s, exec, up);
			continue;
		}
		s->units = xgrow(s->units, &cap, s->nunits + 2ul, sizeof(*s->units));
		u = &s->units[++s->nunits];
		*u = (struct match_unit){
			.exec = exec, .caller = up, .program = program,
			.cwd = s->names[cwd], .file = s->names[program],
			.at = db_int(st, 6), .until = db_int(st, 7),
			.status = db_null(st, 8) && db_null(st, 9) ? -1 :
				  db_int(st, 9) * 256 + db_int(st, 8),
		};
		join(s, exec, s->nunits);
	}
	for (uint32_t i = 1; i <= s->nunits; i++) {
		struct match_unit *u = &s->units[i];

		u->name = base_hash(s->db, u->program);
		u->args = args_hash(s, i, &b);
		u->context = hash_two(hash_two(u->args, u->cwd),
				      hash_two(u->file, s->units[u->caller].context));
	}
	buf_free(&b);
}

/* ---- what they made ---- */

static int by_version(const void *a, const void *b)
{
	const struct match_write *x = a, *y = b;

	if (x->version != y->version)
		return (x->version > y->version) - (x->version < y->version);
	return (x->unit > y->unit) - (x->unit < y->unit);
}

static void load_writes(struct match_side *s)
{
	static const char text[] =
		"SELECT exec, version, max(until) FROM access WHERE how = 2 AND version IS NOT NULL\n"
		" GROUP BY version, exec\n"
		" UNION ALL SELECT exec, id, at FROM version WHERE made = 1 AND exec IS NOT NULL\n"
		" AND NOT EXISTS (SELECT 1 FROM access WHERE version = id AND how = 2)";
	struct sqlite3_stmt *st = db_ask(s->db, text, "");

	while (db_row(s->db, st)) {
		uint32_t unit = s->unit_of[db_id(s->db, st, 0, DB_EXECS)];

		if (!unit)
			continue;
		s->writes = xgrow(s->writes, &s->writes_cap, s->nwrites + 1, sizeof(*s->writes));
		s->writes[s->nwrites++] = (struct match_write){
			db_id(s->db, st, 1, DB_VERSIONS), unit, db_int(st, 2)
		};
	}
	if (s->nwrites)
		qsort(s->writes, s->nwrites, sizeof(*s->writes), by_version);
}

const struct match_write *match_writes(const struct match_side *s, uint32_t version, size_t *n)
{
	size_t low = 0, high = s->nwrites;

	while (low < high) {
		size_t mid = (low + high) / 2;

		if (s->writes[mid].version < version)
			low = mid + 1;
		else
			high = mid;
	}
	for (*n = 0; low + *n < s->nwrites && s->writes[low + *n].version == version; ++*n)
		;
	return s->writes + low;
}

uint32_t match_version(const struct match_side *s, uint32_t version)
{
	size_t n;

	while (s->versions[version].made == GRAPH_CHANGED && s->versions[version].base) {
		match_writes(s, version, &n);
		if (n)
			break;
		version = s->versions[version].base;
	}
	return version;
}

bool match_is_file(const struct match_version *v)
{
	return v->made == GRAPH_WRITTEN || v->made == GRAPH_CHANGED || v->made == GRAPH_EXISTED;
}

static void widen(struct match_unit *u, uint64_t least, uint64_t most)
{
	if (!least)
		return;
	u->least = u->least && u->least < least ? u->least : least;
	u->most = u->most > most ? u->most : most;
}

static void add_out(struct match_side *s, struct map64 *seen, uint32_t unit, uint32_t file)
{
	uint64_t key = (uint64_t)unit << 32 | file;

	if (!unit || !file || !s->there[file] || map64_get(seen, key))
		return;
	map64_put(seen, key, 1);
	s->units[unit].outs += hash_word(s->names[file]);
	widen(&s->units[unit], s->names[file], s->names[file]);
}

static void load_outs(struct match_side *s)
{
	static const char all[] = "SELECT file, version, exec FROM name WHERE version IS NOT NULL";
	static const char of[] = "SELECT file FROM name WHERE version = ?";
	struct map64 seen = { 0 };
	struct sqlite3_stmt *st;

	for (size_t i = 0; i < s->nwrites; i++) {
		const struct match_write *w = &s->writes[i];
		const struct match_version *v = &s->versions[w->version];

		if (!match_is_file(v))
			continue;
		add_out(s, &seen, w->unit, v->file);
		st = v->renamed ? db_ask(s->db, of, "i", (int64_t)w->version) : NULL;
		while (st && db_row(s->db, st))
			add_out(s, &seen, w->unit, db_id(s->db, st, 0, DB_FILES));
	}
	st = db_ask(s->db, all, "");
	while (db_row(s->db, st))
		if (match_is_file(&s->versions[db_id(s->db, st, 1, DB_VERSIONS)]))
			add_out(s, &seen, s->unit_of[db_id(s->db, st, 2, DB_EXECS)],
				db_id(s->db, st, 0, DB_FILES));
	map64_clear(&seen);
	for (uint32_t i = s->nunits; i; i--) {
		struct match_unit *u = &s->units[i], *up = &s->units[u->caller];

		u->tree += u->outs;
		up->tree += u->tree;
		widen(up, u->least, u->most);
	}
}

void match_load(struct match_side *s)
{
	load_files(s);
	load_versions(s);
	load_units(s);
	load_writes(s);
	load_outs(s);
}

/* ---- inputs ---- */

static bool wrote(const struct match_side *s, uint32_t unit, uint32_t version)
{
	size_t n;
	const struct match_write *w = match_writes(s, version, &n);

	for (size_t i = 0; i < n; i++)
		if (w[i].unit == unit)
			return true;
	return false;
}

void match_inputs_add(const struct match_side *s, uint32_t unit, struct match_inputs *to)
{
	static const char text[] =
		"SELECT version, file, class, at FROM access\n"
		" WHERE exec = ? AND how IN (1, 3) AND version IS NOT NULL";
	static const char what[] = "SELECT size, mtime, ino FROM version WHERE id = ?";

	for (uint32_t exec = s->units[unit].first; exec; exec = s->next[exec]) {
		struct sqlite3_stmt *st = db_ask(s->db, text, "i", (int64_t)exec), *of;

		while (db_row(s->db, st)) {
			uint32_t version = match_version(s, db_id(s->db, st, 0, DB_VERSIONS));
			uint32_t file = db_id(s->db, st, 1, DB_FILES);
			const struct match_version *v = &s->versions[version];
			struct match_input row = {
				.version = version, .file = file ? file : v->file,
				.class = db_class(s->db, st, 2), .at = db_int(st, 3),
				.made = v->made != GRAPH_EXISTED,
			};

			if (!match_is_file(v) || !row.file || wrote(s, unit, version))
				continue;
			row.name = s->names[row.file];
			of = db_ask(s->db, what, "i", (int64_t)version);
			row.identified = db_row(s->db, of) && !db_null(of, 0);
			row.size = row.identified ? db_int(of, 0) : 0;
			row.mtime = row.identified ? db_int(of, 1) : 0;
			row.ino = row.identified ? (uint64_t)db_int(of, 2) : 0;
			to->rows = xgrow(to->rows, &to->cap, to->n + 1, sizeof(*to->rows));
			to->rows[to->n++] = row;
		}
	}
}

static int by_name(const void *a, const void *b)
{
	const struct match_input *x = a, *y = b;

	if (x->name != y->name)
		return (x->name > y->name) - (x->name < y->name);
	return (x->at > y->at) - (x->at < y->at);
}

void match_inputs_sort(struct match_inputs *to)
{
	size_t n = 0;

	if (to->n)
		qsort(to->rows, to->n, sizeof(*to->rows), by_name);
	for (size_t i = 0; i < to->n; i++)
		if (!n || to->rows[n - 1].name != to->rows[i].name)
			to->rows[n++] = to->rows[i];
	to->n = n;
}

void match_inputs(const struct match_side *s, uint32_t unit, struct match_inputs *to)
{
	to->n = 0;
	match_inputs_add(s, unit, to);
	match_inputs_sort(to);
}
