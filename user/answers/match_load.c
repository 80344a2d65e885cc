// SPDX-License-Identifier: LGPL-2.1
/* Loads the tables of one build that are needed to compare it with another.  See match.h. */
#include "answers/match.h"
#include "base/hash.h"
#include "base/map64.h"
#include "base/path.h"
#include "base/xalloc.h"
#include "graph/graph.h"

#include <stdlib.h>
#include <string.h>

/* ---- files and versions ---- */

/*
 * Hash of a name that is the same in every run, unlike those of base/hash.h: the order of
 * these numbers decides the order of the output, and the choice between candidates.
 * Maliciously chosen names can only falsify answers about their own build.
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

void match_load_names(struct match_side *s)
{
	struct buf name = { 0 };

	s->names = xcalloc(s->nfiles + 1ul, sizeof(*s->names));
	for (uint32_t i = 1; i <= s->nfiles; i++) {
		size_t len;
		const char *path = build_path(s->b, i, &len);

		name.len = 0;
		match_name(s, path, len, &name);
		s->names[i] = number_of(name.s ? name.s : "", name.len);
	}
	buf_free(&name);
}

static void load_files(struct match_side *s)
{
	const struct build *b = s->b;

	s->nfiles = b->nfiles;
	s->nversions = b->nversions;
	s->versions = b->versions;
	s->there = xcalloc(s->nfiles + 1ul, sizeof(*s->there));
	for (uint32_t i = 1; i <= s->nfiles; i++)
		s->there[i] = build_present(b, i);
}

/* ---- units ---- */

/* Hashes of arguments: most strings are arguments of many programs. */
struct hashes {
	const struct match_side *s;
	uint64_t *known;	/* by string id: its hash; 0 if not yet computed */
	struct buf text, name;
};

static uint64_t text_hash(struct hashes *a, const char *text)
{
	a->name.len = 0;
	match_arg(a->s, text, &a->name);
	return hash_bytes(a->name.s ? a->name.s : "", a->name.len);
}

static const char *text_of(struct hashes *a, uint32_t string)
{
	size_t len;
	const char *s = args_text(build_args(a->s->b), string, &len);

	a->text.len = 0;
	buf_add(&a->text, s, len);
	buf_addc(&a->text, 0);
	return a->text.s;
}

/* Hash of the result of match_args(), for units with ignored or hidden arguments. */
static uint64_t shown_hash(struct hashes *a, uint32_t unit)
{
	uint64_t h = 0;
	const char *arg;
	size_t n;

	a->name.len = 0;
	match_args(a->s, unit, &a->name, &n);
	for (arg = a->name.s; n--; arg += strlen(arg) + 1)
		h = hash_two(h, hash_bytes(arg, strlen(arg)));
	return h;
}

static uint64_t args_hash(struct hashes *a, uint32_t unit)
{
	const struct args *args = build_args(a->s->b);
	uint32_t exec = a->s->units[unit].exec, n = args_of(args, exec);
	uint64_t h = 0;

	if (n && (match_has_jobs(text_of(a, args_string(args, exec, 0))) ||
		  answers_hides(a->s->db, exec)))
		return shown_hash(a, unit);
	if (!a->known)
		a->known = xcalloc(db_ids(a->s->db, DB_STRINGS) + 1ul, sizeof(*a->known));
	for (uint32_t i = 0; i < n; i++) {
		uint32_t string = args_string(args, exec, i);

		if (!a->known[string])
			a->known[string] = text_hash(a, text_of(a, string));
		h = hash_two(h, a->known[string]);
	}
	return h;
}

static uint64_t base_hash(const struct build *b, uint32_t file)
{
	size_t len;
	const char *path = build_path(b, file, &len), *base;

	if (!len)
		return 0;
	base = path_base_of(path, &len);
	return hash_bytes(base, len);
}

static void join_unit(struct match_side *s, uint32_t exec, uint32_t unit)
{
	struct match_unit *u = &s->units[unit];

	s->unit_of[exec] = unit;
	if (u->last)
		s->next[u->last] = exec;
	else
		u->first = exec;
	u->last = exec;
}

/* Begin a unit: an exec that runs a program. */
static void add_unit(struct match_side *s, uint32_t exec, uint32_t caller)
{
	const struct build_exec *e = &s->b->execs[exec];

	s->units[++s->nunits] = (struct match_unit){
		.exec = exec, .caller = caller, .program = e->program,
		.at = e->at, .until = e->until,
		.status = e->status < 0 ? -1 : e->signal * 256 + e->status,
	};
	join_unit(s, exec, s->nunits);
}

static bool is_unit(const struct build_exec *e)
{
	return !e->forked && e->program;
}

static void load_units(struct match_side *s)
{
	size_t n = 1;

	s->nexecs = s->b->nexecs;
	s->unit_of = xcalloc(s->nexecs + 1ul, sizeof(*s->unit_of));
	s->next = xcalloc(s->nexecs + 1ul, sizeof(*s->next));
	for (uint32_t i = 1; i <= s->nexecs; i++)
		n += is_unit(&s->b->execs[i]);
	s->units = xcalloc(n, sizeof(*s->units));
	for (uint32_t i = 1; i <= s->nexecs; i++) {
		const struct build_exec *e = &s->b->execs[i];
		uint32_t up = s->unit_of[e->before ? e->before : e->parent];

		if (is_unit(e))
			add_unit(s, i, up);
		else if (up)
			join_unit(s, i, up);
	}
	for (uint32_t i = 1; i <= s->nunits; i++)
		match_classify(&s->units[i], base_hash(s->b, s->units[i].program));
}

/* ---- outputs ---- */

static int by_unit(const void *a, const void *b)
{
	const struct match_write *x = a, *y = b;

	return (x->unit > y->unit) - (x->unit < y->unit);
}

static void add_write(struct match_side *s, uint32_t version, uint32_t exec, int64_t until)
{
	if (!s->unit_of[exec] || !version)
		return;
	s->writes = xgrow(s->writes, &s->writes_cap, s->nwrites + 1, sizeof(*s->writes));
	s->writes[s->nwrites++] = (struct match_write){ version, s->unit_of[exec], until };
}

/* Merge the rows of a version, which are the last ones: one row per unit, with the latest end. */
static void join_writes(struct match_side *s, size_t first)
{
	size_t n = first;

	if (s->nwrites > first + 1)
		qsort(s->writes + first, s->nwrites - first, sizeof(*s->writes), by_unit);
	for (size_t i = first; i < s->nwrites; i++) {
		struct match_write *last = n > first ? &s->writes[n - 1] : NULL, *w = &s->writes[i];

		if (last && last->unit == w->unit)
			last->until = w->until > last->until ? w->until : last->until;
		else
			s->writes[n++] = *w;
	}
	s->nwrites = n;
}

/* Truncating a file counts as a write. */
static void load_writes(struct match_side *s)
{
	const struct build *b = s->b;

	s->writes_at = xcalloc(b->nversions + 2ul, sizeof(*s->writes_at));
	for (uint32_t i = 1; i <= b->nversions; i++) {
		const struct build_version *v = &b->versions[i];

		s->writes_at[i] = (uint32_t)s->nwrites;
		for (uint32_t k = 0; k < v->writes; k++)
			add_write(s, i, build_use(b, i, k)->exec, build_use(b, i, k)->until);
		if (!v->writes && v->made == GRAPH_WRITTEN)
			add_write(s, i, v->exec, v->at);
		join_writes(s, s->writes_at[i]);
	}
	s->writes_at[b->nversions + 1] = (uint32_t)s->nwrites;
}

const struct match_write *match_writes(const struct match_side *s, uint32_t version, size_t *n)
{
	*n = s->writes_at[version + 1] - s->writes_at[version];
	return s->writes + s->writes_at[version];
}

void match_load(struct match_side *s)
{
	s->b = build_of(s->db);
	load_files(s);
	load_units(s);
	load_writes(s);
}

/* ---- keys ---- */

static void widen_key(struct match_key *k, uint64_t least, uint64_t most)
{
	if (!least)
		return;
	k->least = k->least && k->least < least ? k->least : least;
	k->most = k->most > most ? k->most : most;
}

static void add_out(struct match_side *s, struct map64 *seen, uint32_t unit, uint32_t file)
{
	uint64_t key = (uint64_t)unit << 32 | file;

	if (!unit || !file || !s->there[file] || map64_get(seen, key))
		return;
	map64_put(seen, key, 1);
	s->keys[unit].outs += hash_word(s->names[file]);
	widen_key(&s->keys[unit], s->names[file], s->names[file]);
}

static void load_outs(struct match_side *s)
{
	const struct build *b = s->b;
	struct map64 seen = { 0 };

	for (size_t i = 0; i < s->nwrites; i++) {
		const struct match_write *w = &s->writes[i];
		const uint32_t *given;
		size_t n;

		if (!build_is_file(&s->versions[w->version]))
			continue;
		add_out(s, &seen, w->unit, s->versions[w->version].file);
		given = build_list(b, BUILD_GIVEN, w->version, &n);
		for (size_t k = 0; k < n; k++)
			add_out(s, &seen, w->unit, b->names[given[k] - 1].file);
	}
	for (size_t i = 0; i < b->nnames; i++)
		if (b->names[i].version && build_is_file(&s->versions[b->names[i].version]))
			add_out(s, &seen, s->unit_of[b->names[i].exec], b->names[i].file);
	map64_clear(&seen);
	for (uint32_t i = s->nunits; i; i--) {
		struct match_key *k = &s->keys[i], *up = &s->keys[s->units[i].caller];

		k->tree += k->outs;
		up->tree += k->tree;
		widen_key(up, k->least, k->most);
	}
}

void match_load_keys(struct match_side *s)
{
	struct hashes args = { .s = s };

	match_load_names(s);
	s->keys = xcalloc(s->nunits + 1ul, sizeof(*s->keys));
	for (uint32_t i = 1; i <= s->nunits; i++) {
		struct match_key *k = &s->keys[i];
		uint64_t command;

		k->name = base_hash(s->b, s->units[i].program);
		k->args = args_hash(&args, i);
		command = hash_two(k->args, match_cwd(s, i));
		k->context = hash_two(command, hash_two(match_program(s, i),
							s->keys[s->units[i].caller].context));
	}
	free(args.known);
	buf_free(&args.text);
	buf_free(&args.name);
	load_outs(s);
}

/* ---- inputs ---- */

static bool unit_wrote(const struct match_side *s, uint32_t unit, uint32_t version)
{
	size_t n;
	const struct match_write *w = match_writes(s, version, &n);

	for (size_t i = 0; i < n; i++)
		if (w[i].unit == unit)
			return true;
	return false;
}

static void add_input(const struct match_side *s, uint32_t unit, const struct build_access *a,
		      struct match_inputs *to)
{
	uint32_t version = s->versions[a->version].holds;
	const struct build_version *v = &s->versions[version];
	struct match_input row = {
		.version = version, .file = a->file ? a->file : v->file, .class = a->class,
		.at = a->at, .made = v->made != GRAPH_EXISTED, .identified = v->identified,
		.size = (int64_t)v->size, .mtime = v->mtime, .ino = v->ino,
	};

	if (!build_is_file(v) || !row.file || unit_wrote(s, unit, version))
		return;
	row.name = s->names[row.file];
	to->rows = xgrow(to->rows, &to->cap, to->n + 1, sizeof(*to->rows));
	to->rows[to->n++] = row;
}

void match_inputs_add(const struct match_side *s, uint32_t unit, struct match_inputs *to)
{
	const struct build *b = s->b;

	for (uint32_t exec = s->units[unit].first; exec; exec = s->next[exec])
		for (uint32_t i = 0; i < b->execs[exec].uses; i++) {
			const struct build_access *a = &b->accesses[b->execs[exec].first + i];

			if (build_is_use(a))
				add_input(s, unit, a, to);
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
