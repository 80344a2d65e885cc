// SPDX-License-Identifier: LGPL-2.1
/*
 * Collects the facts about one build that are pushed to a fleet, from its database.  See facts.h.
 */
#include "fleet/facts.h"
#include "base/map64.h"
#include "base/xalloc.h"
#include "db/lists.h"
#include "graph/graph.h"

#include <errno.h>
#include <string.h>

#include <sys/socket.h>

/* ---- files ---- */

static void load_files(struct facts *f)
{
	const struct build *b = f->s.b;

	f->files = xcalloc(b->nfiles + 1ul, sizeof(*f->files));
	for (uint32_t i = 1; i <= b->nfiles; i++) {
		f->files[i].class = GRAPH_NCLASSES;
		f->files[i].version = build_final(b, i);
	}
	for (uint32_t i = 1; i <= b->nversions; i++) {
		const struct build_version *v = &b->versions[i];

		f->files[v->file].existed |= v->made == GRAPH_EXISTED;
		f->files[v->file].used |= build_is_written(v);
	}
}

/* ---- costs of steps ---- */

static void add_number(struct facts_number *to, struct sqlite3_stmt *st, int column)
{
	if (db_null(st, column))
		return;
	to->known = true;
	to->v += db_int(st, column);
}

static void keep_largest(struct facts_number *to, struct sqlite3_stmt *st, int column)
{
	if (db_null(st, column) || (to->known && to->v > db_int(st, column)))
		return;
	*to = (struct facts_number){ true, db_int(st, column) };
}

static struct facts_number number_of(struct sqlite3_stmt *st, int column)
{
	return (struct facts_number){ !db_null(st, column), db_int(st, column) };
}

/* Load the costs of units and steps, and how and when the process of each ended. */
static void load_costs(struct facts *f)
{
	static const char text[] =
		"SELECT id, process, until, status, signal, utime, stime, maxrss, rbytes, wbytes FROM exec\n"
		" ORDER BY id";
	static const char last[] =
		"SELECT process, max(id), until, status, signal FROM exec GROUP BY process";
	uint32_t nprocesses = db_ids(f->s.db, DB_PROCESSES);
	uint32_t *process = xcalloc(f->s.nunits + 1ul, sizeof(*process));
	struct ends {
		int64_t until;
		struct facts_number status, signal;
	} *ends = xcalloc(nprocesses + 1ul, sizeof(*ends));
	struct sqlite3_stmt *st = db_ask(f->s.db, last, "");

	while (db_row(f->s.db, st))
		ends[db_id(f->s.db, st, 0, DB_PROCESSES)] = (struct ends){
			db_int(st, 2), number_of(st, 3), number_of(st, 4)
		};
	st = db_ask(f->s.db, text, "");
	while (db_row(f->s.db, st)) {
		uint32_t exec = db_id(f->s.db, st, 0, DB_EXECS), unit = f->s.unit_of[exec];
		struct facts_step *u = &f->steps[unit], *head = &f->steps[f->step[unit]];

		if (!unit)
			continue;
		if (f->s.units[unit].exec == exec) {
			process[unit] = db_id(f->s.db, st, 1, DB_PROCESSES);
			u->status = number_of(st, 3);
			u->signal = number_of(st, 4);
		}
		for (int i = 0; i < (f->step[unit] && head != u ? 2 : 1); i++) {
			struct facts_step *to = i ? head : u;

			add_number(&to->cpu, st, 5);
			add_number(&to->cpu, st, 6);
			keep_largest(&to->maxrss, st, 7);
			add_number(&to->rbytes, st, 8);
			add_number(&to->wbytes, st, 9);
		}
	}
	for (uint32_t i = 1; i <= f->s.nunits; i++) {
		const struct ends *e = &ends[process[i]];

		f->ends[i] = f->s.units[i].until;
		if (f->step[i] == i) {
			f->ends[i] = e->until;
			f->steps[i].status = e->status;
			f->steps[i].signal = e->signal;
		}
		f->steps[i].took = f->ends[i] - f->s.units[i].at;
	}
	free(ends);
	free(process);
}

/* ---- outputs of steps ---- */

/*
 * Add an output to a step.  The step is named after the output whose last write ended last;
 * if several ended at the same time, the hash of their names decides, as it is the same in
 * each build.
 */
static void add_output(struct facts *f, struct map64 *seen, uint32_t unit, uint32_t file,
		       int64_t until)
{
	struct facts_step *s = &f->steps[unit];
	uint64_t key = (uint64_t)unit << 32 | file;

	if (!map64_get(seen, key)) {
		map64_put(seen, key, 1);
		s->outputs++;
	}
	if (s->output && (until < s->output_until ||
			  (until == s->output_until && f->s.names[file] >= f->s.names[s->output])))
		return;
	s->output = file;
	s->output_until = until;
}

static void add_made(struct facts *f, struct map64 *seen, uint32_t unit, uint32_t file,
		     int64_t until)
{
	uint32_t head = f->step[unit], there = build_present(f->s.b, file);

	if (!unit || !file || !there || !build_is_file(&f->s.versions[there]))
		return;
	add_output(f, seen, unit, file, until);
	if (head && head != unit)
		add_output(f, seen, head, file, until);
}

/* Unit that wrote last to a version, 0 if none (it only got a name). */
static uint32_t last_writer(const struct match_side *s, uint32_t version)
{
	const struct match_write *w, *last = NULL;
	size_t n;

	w = match_writes(s, s->versions[version].holds, &n);
	for (size_t i = 0; i < n; i++)
		if (!last || w[i].until >= last->until)
			last = &w[i];
	return last ? last->unit : 0;
}

static void load_outputs(struct facts *f)
{
	const struct build *b = f->s.b;
	struct map64 seen = { 0 };

	for (size_t i = 0; i < f->s.nwrites; i++) {
		const struct match_write *w = &f->s.writes[i];
		const uint32_t *given;
		size_t n;

		if (!build_is_file(&b->versions[w->version]))
			continue;
		add_made(f, &seen, w->unit, b->versions[w->version].file, w->until);
		given = build_list(b, BUILD_GIVEN, w->version, &n);
		for (size_t k = 0; k < n; k++)
			add_made(f, &seen, w->unit, b->names[given[k] - 1].file, w->until);
	}
	for (size_t i = 0; i < b->nnames; i++) {
		const struct build_name *n = &b->names[i];
		uint32_t unit = f->s.unit_of[n->exec];

		if (!n->version || !build_is_file(&b->versions[n->version]))
			continue;
		f->files[n->file].used = true;
		f->files[n->file].made_by = f->step[unit];
		add_made(f, &seen, unit, n->file, n->at);
	}
	map64_clear(&seen);
	for (uint32_t i = 1; i <= f->s.nfiles; i++) {
		uint32_t unit = f->files[i].version ? last_writer(&f->s, f->files[i].version) : 0;

		if (unit)
			f->files[i].made_by = f->step[unit];
	}
}

/* ---- facts that are not in the trace ---- */

static void load_unknown(struct facts *f)
{
	static const char seen[] = "SELECT id, unseen FROM exec WHERE unseen <> 0";
	static const char net[] =
		"SELECT exec FROM net WHERE what IN ('connect', 'accept') AND family IN (?, ?)\n"
		" AND coalesce(error, 0) IN (0, ?)";
	static const struct {
		unsigned int bit;
		enum facts_unknown why;
	} bits[] = {
		{ GRAPH_UNSEEN_SOCKET, FACTS_SOCKET },
		{ GRAPH_UNSEEN_URING, FACTS_URING },
		{ GRAPH_UNSEEN_FD, FACTS_DESCRIPTOR },
	};
	struct sqlite3_stmt *st = db_ask(f->s.db, seen, "");

	while (db_row(f->s.db, st))
		for (size_t i = 0; i < sizeof(bits) / sizeof(*bits); i++)
			if (db_int(st, 1) & bits[i].bit)
				keys_why(f, f->step[f->s.unit_of[db_id(f->s.db, st, 0, DB_EXECS)]], bits[i].why);
	st = db_ask(f->s.db, net, "iii", (int64_t)AF_INET, (int64_t)AF_INET6, (int64_t)EINPROGRESS);
	while (db_row(f->s.db, st))
		keys_why(f, f->step[f->s.unit_of[db_id(f->s.db, st, 0, DB_EXECS)]], FACTS_NETWORK);
	for (uint32_t i = 1; i <= f->s.nunits; i++)
		if (!f->complete && f->step[i] == i)
			keys_why(f, i, FACTS_INCOMPLETE);
}

/* ---- loading everything ---- */

static char *first_dir(struct db *db)
{
	struct buf b = { 0 };

	answers_file_path(db, answers_start(db), &b);
	while (b.len > 1 && b.s[b.len - 1] == '/')
		b.len--;
	buf_addc(&b, '\0');
	return b.s;
}

/* Other root directories, of which chroot builds often have a new one each time: "root:/usr". */
static void name_roots(struct facts *f)
{
	unsigned int n = 0;
	char name[24] = "root:";

	for (const char *r = build_next_root(f->s.b, NULL); r; r = build_next_root(f->s.b, r)) {
		if (n++)
			snprintf(name, sizeof(name), "root%u:", n);
		match_add_root(&f->s, r, name);
	}
}

void facts_load(struct facts *f, struct db *db, const char *root)
{
	f->s.db = db;
	f->s.from = root ? xstrdup(root) : first_dir(db);
	f->s.to = xstrdup(".");
	/* for a build in "/", names are already the same everywhere */
	if (!strcmp(f->s.from, "/"))
		*f->s.from = '\0';
	match_load(&f->s);
	name_roots(f);
	match_load_names(&f->s);
	f->complete = db->complete;
	f->step = match_steps(&f->s);
	f->next = match_step_next(&f->s, f->step);
	f->steps = xcalloc(f->s.nunits + 1ul, sizeof(*f->steps));
	f->ends = xcalloc(f->s.nunits + 1ul, sizeof(*f->ends));
	f->nsteps = f->s.nunits;
	load_files(f);
	load_costs(f);
	load_outputs(f);
	keys_new(f);
	load_unknown(f);
}

void facts_free(struct facts *f)
{
	keys_free(f);
	match_free_side(&f->s);
	free(f->step);
	free(f->next);
	free(f->steps);
	free(f->ends);
	free(f->files);
	free(f->reads);
	free(f->follows);
	*f = (struct facts){ 0 };
}

/* ---- accesses ---- */

/* Accesses of a unit, joined by file and kind (how). */
struct gathered {
	struct facts_access *rows;
	size_t n, cap;
	struct map64 at;	/* by file and how: row + 1 */
};

static void gather_access(struct gathered *g, uint32_t unit, const struct graph_access *from)
{
	uint64_t key = (uint64_t)from->file << 8 | from->how, *old = map64_get(&g->at, key);
	struct facts_access *a;

	if (!old) {
		g->rows = xgrow(g->rows, &g->cap, g->n + 1, sizeof(*g->rows));
		g->rows[g->n++] = (struct facts_access){
			.unit = unit, .file = from->file, .how = from->how, .class = from->class,
			.at = from->at,
		};
		map64_put(&g->at, key, g->n);
	}
	a = &g->rows[old ? *old - 1 : g->n - 1];
	a->class = from->class < a->class ? from->class : a->class;
	a->at = from->at < a->at ? from->at : a->at;
	a->bytes.known |= from->counted;
	a->bytes.v += (int64_t)from->bytes;
}

static void take_access(struct facts *f, uint32_t unit, struct graph_access *a, struct gathered *g)
{
	/* kinds of use after GRAPH_RUN in enum graph_how, such as lookups, are not pushed */
	if (a->how > GRAPH_RUN)
		return;
	if (!a->file)
		a->file = f->s.versions[a->version].file;
	if (f->step[unit] && a->version && a->how != GRAPH_OPEN)
		keys_input(f, f->step[unit], a->file, a->version, a->how, a->class);
	if (!a->file)
		return;
	f->files[a->file].used = true;
	if (a->class < f->files[a->file].class)
		f->files[a->file].class = a->class;
	gather_access(g, unit, a);
}

static void of_unit(struct facts *f, uint32_t unit, struct gathered *g)
{
	static const char text[] = "SELECT at, list FROM access_list WHERE exec = ?";

	g->n = 0;
	map64_clear(&g->at);
	for (uint32_t exec = f->s.units[unit].first; exec; exec = f->s.next[exec]) {
		struct sqlite3_stmt *st = db_ask(f->s.db, text, "i", (int64_t)exec);

		while (db_row(f->s.db, st)) {
			size_t len;
			const char *s = db_bytes(st, 1, &len);
			struct list l = list_of(f->s.db, s, len);
			struct graph_access a = { .exec = exec };

			while (list_access(&l, db_int(st, 0), &a))
				take_access(f, unit, &a, g);
		}
	}
}

static void emit_unit(struct facts *f, uint32_t unit, struct gathered *g,
		      void (*fn)(void *ctx, const struct facts_access *a), void *ctx)
{
	of_unit(f, unit, g);
	f->naccesses += g->n;
	for (size_t i = 0; i < g->n; i++)
		fn(ctx, &g->rows[i]);
}

/* A step by its head, to be sorted by end: steps then come after those that made their inputs. */
struct ended {
	int64_t at;
	uint32_t head;
};

static int by_end(const void *a, const void *b)
{
	const struct ended *x = a, *y = b;

	if (x->at != y->at)
		return x->at < y->at ? -1 : 1;
	return (x->head > y->head) - (x->head < y->head);
}

void facts_accesses(struct facts *f, void (*fn)(void *ctx, const struct facts_access *a),
		    void *ctx)
{
	struct ended *order = xcalloc(f->s.nunits + 1ul, sizeof(*order));
	struct gathered g = { 0 };
	size_t n = 0;

	for (uint32_t i = 1; i <= f->s.nunits; i++) {
		if (!f->step[i])
			emit_unit(f, i, &g, fn, ctx);
		else if (f->step[i] == i)
			order[n++] = (struct ended){ f->ends[i], i };
	}
	if (n)
		qsort(order, n, sizeof(*order), by_end);
	for (size_t i = 0; i < n; i++) {
		for (uint32_t unit = order[i].head; unit; unit = f->next[unit])
			emit_unit(f, unit, &g, fn, ctx);
		keys_step(f, order[i].head);
	}
	free(order);
	free(g.rows);
	map64_clear(&g.at);
	costs_find(f);
	for (uint32_t i = 1; i <= f->s.nfiles; i++) {
		struct facts_file *file = &f->files[i];

		file->class = file->class == GRAPH_NCLASSES ? GRAPH_DATA : file->class;
		f->nused += file->used;
	}
}

/* ---- id of a build ---- */

void facts_id(struct db *db, uint8_t id[FACTS_ID])
{
	/* a recording has one id, whether it is read as a trace or as a database */
	static const char *const numbers[] = { "begin", "end", "realtime" };
	uint8_t whole[FACTS_HASH];
	struct sqlite3_stmt *st;
	struct sha256_ctx sha;
	const char *host;
	size_t len = 0;

	sha256_init(&sha);
	for (size_t i = 0; i < sizeof(numbers) / sizeof(*numbers); i++)
		keys_hash_number(&sha, (uint64_t)db_meta(db, numbers[i], 0));
	host = db_meta_text(db, "host", &len);
	keys_hash_number(&sha, len);
	sha256_update(&sha, len, (const uint8_t *)(host ? host : ""));
	st = db_ask(db, "SELECT upid, at FROM process ORDER BY id", "");
	while (db_row(db, st)) {
		keys_hash_number(&sha, (uint64_t)db_int(st, 0));
		keys_hash_number(&sha, (uint64_t)db_int(st, 1));
	}
	sha256_digest(&sha, sizeof(whole), whole);
	memcpy(id, whole, FACTS_ID);
	/* RFC 9562: a UUID of version 8, whose other bits are free for any use */
	id[6] = (uint8_t)((id[6] & 0x0f) | 0x80);
	id[8] = (uint8_t)((id[8] & 0x3f) | 0x80);
}
