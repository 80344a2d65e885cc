// SPDX-License-Identifier: LGPL-2.1
/* The rules of etrace-db(5) on a database.  See reach.h. */
#include "answers/reach.h"
#include "base/map64.h"
#include "graph/graph.h"
#include "base/xalloc.h"

#include <stdlib.h>
#include <string.h>

unsigned int reach_classes(const char *list)
{
	unsigned int bits = 0;

	while (*list) {
		size_t len = strcspn(list, ","), i;

		for (i = 0; i < GRAPH_NCLASSES; i++)
			if (strlen(graph_class_names[i]) == len &&
			    !memcmp(graph_class_names[i], list, len))
				break;
		if (i == GRAPH_NCLASSES)
			return 0;
		bits |= 1u << i;
		list += len + (list[len] == ',');
	}
	return bits;
}

/* ---- versions and names ---- */

struct made {
	enum graph_made made;
	uint32_t file, exec, base;
	int64_t at;
};

static struct made made_of(struct db *db, uint32_t version)
{
	static const char text[] = "SELECT made, file, exec, base, at FROM version WHERE id = ?";
	struct sqlite3_stmt *st = db_ask(db, text, "i", (int64_t)version);
	struct made m = { 0 };

	if (!db_row(db, st))
		return m;
	m.made = (enum graph_made)db_int(st, 0);
	m.file = db_id(db, st, 1, DB_FILES);
	m.exec = db_id(db, st, 2, DB_EXECS);
	m.base = db_earlier(db, st, 3, version);
	m.at = db_int(st, 4);
	return m;
}

static bool is_written(struct db *db, uint32_t version)
{
	static const char text[] =
		"SELECT EXISTS (SELECT 1 FROM access WHERE version = ? AND how = 2)";

	return db_one(db, text, "i", (int64_t)version);
}

uint32_t reach_written(struct db *db, uint32_t version)
{
	for (;;) {
		struct made m = made_of(db, version);

		if (m.made != GRAPH_CHANGED || !m.base || is_written(db, version))
			return version;
		version = m.base;
	}
}

static const char last_of_name[] =
	"SELECT version FROM (SELECT version, at, 1 AS named, rowid AS n FROM name WHERE file = ?1\n"
	" UNION ALL SELECT id, at, 0, id FROM version WHERE file = ?1)\n"
	" ORDER BY at DESC, named DESC, n DESC LIMIT 1";

/*
 * Of a trace that does not tell what was removed, whether it is something that programs
 * make for a moment only.
 */
static bool is_temporary(struct db *db, uint32_t file, uint32_t version)
{
	static const char text[] =
		"SELECT made IN (1, 2) AND (substr(path, 1, 5) = x'2f746d702f'\n"
		" OR substr(path, 1, 9) = x'2f7661722f746d702f')\n"
		" FROM version, file WHERE version.id = ? AND file.id = ?";

	return !db->uses && db_one(db, text, "ii", (int64_t)version, (int64_t)file);
}

uint32_t reach_present(struct db *db, uint32_t file)
{
	uint32_t version = (uint32_t)db_one(db, last_of_name, "i", (int64_t)file);

	return version && !is_temporary(db, file, version) ? version : 0;
}

uint32_t reach_final(struct db *db, uint32_t file)
{
	static const char text[] =
		"SELECT version FROM (SELECT version, at, 1 AS named, rowid AS n FROM name\n"
		" WHERE file = ?1 AND version IS NOT NULL\n"
		" UNION ALL SELECT id, at, 0, id FROM version WHERE file = ?1)\n"
		" ORDER BY at DESC, named DESC, n DESC LIMIT 1";
	uint32_t version = (uint32_t)db_one(db, text, "i", (int64_t)file);

	return version ? reach_written(db, version) : 0;
}

/*
 * Calls @fn for each name that a version has in the end, until that returns false.
 */
static void each_name(struct db *db, uint32_t version, bool (*fn)(void *ctx, uint32_t file),
		      void *ctx)
{
	static const char text[] =
		"SELECT file FROM version WHERE id = ?1 AND file IS NOT NULL\n"
		" UNION SELECT file FROM name WHERE version = ?1";
	struct sqlite3_stmt *st = db_ask(db, text, "i", (int64_t)version);

	while (db_row(db, st)) {
		uint32_t name = db_id(db, st, 0, DB_FILES), there = reach_present(db, name);

		if (there && reach_written(db, there) == version && !fn(ctx, name))
			return;
	}
}

static bool take_first(void *ctx, uint32_t file)
{
	*(uint32_t *)ctx = file;
	return false;
}

uint32_t reach_name(struct db *db, uint32_t version, uint32_t file)
{
	uint32_t found = 0;

	if (file && reach_present(db, file))
		return file;
	each_name(db, version, take_first, &found);
	return found;
}

/* ---- a search ---- */

struct search {
	struct db *db;
	struct reach *r;
	enum reach_how how;
	unsigned int classes;
	uint32_t file;		/* where it begins */
	struct map64 seen;	/* versions, and files that were not found: their node */
	struct map64 shown;	/* files */
	/* who leads to whom, where that is asked: of outputs, the last */
	struct edge {
		uint32_t from, to;
	} *edges;
	size_t nedges, edges_cap;
	bool keeps_edges;
	struct reach links;	/* outputs that are there under another name already */
};

/* A name that was not found has no version. */
#define MISSED (1ull << 32)

static struct reach_node *add(struct search *s, uint32_t version, uint32_t file,
			      enum graph_class class, uint32_t exec, size_t from)
{
	uint64_t key = version ? version : MISSED | file;
	struct reach *r = s->r;
	const uint64_t *there = map64_get(&s->seen, key);

	if (s->keeps_edges) {
		s->edges = xgrow(s->edges, &s->edges_cap, s->nedges + 1, sizeof(*s->edges));
		s->edges[s->nedges++] = (struct edge){
			(uint32_t)from, (uint32_t)(there ? *there : r->n)
		};
	}
	if (there)
		return NULL;
	map64_put(&s->seen, key, r->n);
	r->nodes = xgrow(r->nodes, &r->cap, r->n + 1, sizeof(*r->nodes));
	r->nodes[r->n] = (struct reach_node){
		.version = version, .file = file, .class = (uint8_t)class, .exec = exec,
		.from = (int32_t)from,
	};
	return &r->nodes[r->n++];
}

/* It is part of the answer, unless that has its name already. */
static void show(struct search *s, size_t i, uint32_t file)
{
	struct reach_node *n = &s->r->nodes[i];

	n->file = file;
	if (map64_get(&s->shown, file))
		return;
	map64_put(&s->shown, file, 1);
	n->shown = true;
}

/* ---- what it was made from ---- */

static void add_reads(struct search *s, uint32_t exec, int64_t before, size_t from)
{
	static const char text[] =
		"SELECT a.version, coalesce(a.file, v.file), a.class FROM access AS a\n"
		" LEFT JOIN version AS v ON v.id = a.version\n"
		" WHERE a.exec = ?1 AND a.how <> 2 AND a.at < ?2 AND (1 << a.class) & ?3";
	static const char missed[] = "SELECT file FROM misses WHERE exec = ?1 AND at < ?2";
	struct sqlite3_stmt *st = db_ask(s->db, text, "iii", (int64_t)exec, before,
					 (int64_t)s->classes);

	while (db_row(s->db, st))
		add(s, db_id(s->db, st, 0, DB_VERSIONS), db_id(s->db, st, 1, DB_FILES),
		    db_class(s->db, st, 2), exec, from);
	if (!(s->classes >> GRAPH_PROBE & 1))
		return;
	st = db_ask(s->db, missed, "ii", (int64_t)exec, before);
	while (db_row(s->db, st))
		add(s, 0, db_id(s->db, st, 0, DB_FILES), GRAPH_PROBE, exec, from);
}

/* What a program has read is in the memory of those that it forks, too. */
static void add_exec(struct search *s, uint32_t exec, int64_t before, size_t from)
{
	static const char text[] =
		"SELECT parent, at FROM exec WHERE id = ? AND forked AND parent IS NOT NULL";
	struct sqlite3_stmt *st;

	for (;;) {
		add_reads(s, exec, before, from);
		st = db_ask(s->db, text, "i", (int64_t)exec);
		if (!db_row(s->db, st))
			return;
		exec = db_earlier(s->db, st, 0, exec);
		before = db_int(st, 1);
	}
}

struct maker {
	uint32_t exec;
	int64_t until;
};

static size_t makers_of(struct db *db, uint32_t version, struct maker **list)
{
	static const char text[] =
		"SELECT exec, max(until) FROM access WHERE version = ? AND how = 2 GROUP BY exec";
	struct sqlite3_stmt *st = db_ask(db, text, "i", (int64_t)version);
	size_t n = 0, cap = 0;

	*list = NULL;
	while (db_row(db, st)) {
		*list = xgrow(*list, &cap, n + 1, sizeof(**list));
		(*list)[n++] = (struct maker){ db_id(db, st, 0, DB_EXECS), db_int(st, 1) };
	}
	return n;
}

static void expand_inputs(struct search *s, size_t i)
{
	uint32_t version = s->r->nodes[i].version;
	struct made m = made_of(s->db, version);
	struct maker *list;
	size_t n = makers_of(s->db, version, &list);

	for (size_t k = 0; k < n; k++)
		add_exec(s, list[k].exec, list[k].until, i);
	free(list);
	/* emptied, and nothing was written: who did that has made it */
	if (!n && m.made == GRAPH_WRITTEN && m.exec)
		add_exec(s, m.exec, m.at, i);
	if (m.base)
		add(s, m.base, m.file, GRAPH_DATA, m.exec, i);
}

static bool is_made(enum graph_made made)
{
	return made == GRAPH_WRITTEN || made == GRAPH_CHANGED || made == GRAPH_PIPE ||
	       made == GRAPH_FIFO || made == GRAPH_MEMORY;
}

static bool has_name(enum graph_made made)
{
	return made != GRAPH_PIPE && made != GRAPH_MEMORY && made != GRAPH_FIFO;
}

/* Return: whether it is to be expanded. */
static bool look_at_input(struct search *s, size_t i)
{
	struct reach_node *n = &s->r->nodes[i];
	uint32_t name = n->file;
	struct made m;

	if (!n->version) {
		show(s, i, n->file);
		return false;
	}
	n->version = reach_written(s->db, n->version);
	m = made_of(s->db, n->version);
	if (!is_made(m.made)) {
		show(s, i, name ? name : m.file);
		return false;
	}
	name = has_name(m.made) ? reach_name(s->db, n->version, name) : 0;
	/* what the output was before is passed through, too */
	if (!name || name == s->file)
		return true;
	if (s->how != REACH_LEAVES)
		show(s, i, name);
	return s->how != REACH_DIRECT;
}

static void search(struct search *s, uint32_t version, uint32_t file,
		   void (*expand)(struct search *s, size_t i), bool (*look)(struct search *s, size_t i))
{
	struct reach_node *first;

	s->file = file;
	first = add(s, version, file, GRAPH_DATA, 0, 0);
	first->from = -1;
	expand(s, 0);
	for (size_t i = 1; i < s->r->n && !s->db->failed; i++)
		if (look(s, i))
			expand(s, i);
	map64_clear(&s->seen);
	map64_clear(&s->shown);
}

void reach_inputs(struct db *db, uint32_t version, uint32_t file, enum reach_how how,
		  unsigned int classes, struct reach *r)
{
	struct search s = { .db = db, .r = r, .how = how, .classes = classes };
	struct made m;

	*r = (struct reach){ 0 };
	version = reach_written(db, version);
	search(&s, version, file, expand_inputs, look_at_input);
	/* it was there under another name, and has only been moved */
	m = made_of(db, version);
	if (m.made == GRAPH_EXISTED && m.file && m.file != file) {
		map64_clear(&s.seen);
		add(&s, version, m.file, GRAPH_DATA, 0, 0)->shown = true;
		map64_clear(&s.seen);
	}
}

/* ---- what was made from it ---- */

/* Everything that an exec wrote behind the time when it had read something. */
static void add_writes(struct search *s, uint32_t exec, int64_t since, enum graph_class class,
		       size_t from)
{
	static const char text[] =
		"SELECT version FROM access WHERE exec = ?1 AND how = 2 AND until > ?2\n"
		" AND version IS NOT NULL\n"
		" UNION SELECT id FROM version AS v WHERE exec = ?1 AND made = 1 AND at > ?2\n"
		" AND NOT EXISTS (SELECT 1 FROM access WHERE version = v.id AND how = 2)";
	struct sqlite3_stmt *st = db_ask(s->db, text, "ii", (int64_t)exec, since);

	while (db_row(s->db, st))
		add(s, db_id(s->db, st, 0, DB_VERSIONS), 0, class, exec, from);
}

struct reader {
	uint32_t exec;
	int64_t at;
	enum graph_class class;
};

struct readers {
	struct reader *rows;
	size_t n, cap;
};

static void add_reader(struct readers *l, struct reader row)
{
	l->rows = xgrow(l->rows, &l->cap, l->n + 1, sizeof(*l->rows));
	l->rows[l->n++] = row;
}

static void expand_outputs(struct search *s, size_t i)
{
	static const char text[] =
		"SELECT exec, min(at), class FROM access WHERE version = ?1 AND how <> 2\n"
		" AND (1 << class) & ?2 GROUP BY exec";
	static const char forks[] =
		"SELECT id FROM exec WHERE parent = ?1 AND forked AND at > ?2";
	static const char changed[] = "SELECT id, exec FROM version WHERE base = ?";
	uint32_t version = s->r->nodes[i].version;
	struct sqlite3_stmt *st = db_ask(s->db, text, "ii", (int64_t)version,
					 (int64_t)s->classes);
	struct readers l = { 0 };

	while (db_row(s->db, st))
		add_reader(&l, (struct reader){ db_id(s->db, st, 0, DB_EXECS), db_int(st, 1),
						db_class(s->db, st, 2) });
	for (size_t k = 0; k < l.n; k++) {
		struct reader reader = l.rows[k];

		add_writes(s, reader.exec, reader.at, reader.class, i);
		st = db_ask(s->db, forks, "ii", (int64_t)reader.exec, reader.at);
		while (db_row(s->db, st))
			add_reader(&l, (struct reader){ db_id(s->db, st, 0, DB_EXECS), -1,
							reader.class });
	}
	free(l.rows);
	st = db_ask(s->db, changed, "i", (int64_t)version);
	while (db_row(s->db, st))
		add(s, db_id(s->db, st, 0, DB_VERSIONS), 0, GRAPH_DATA,
		    db_id(s->db, st, 1, DB_EXECS), i);
}

/* Where an output is shown: its names. */
struct showing {
	struct search *s;
	size_t node;
	bool any, own;
};

static bool show_name(void *ctx, uint32_t file)
{
	struct showing *w = ctx;
	struct search *s = w->s;
	struct reach *l = &s->links;

	w->own |= file == s->file;
	if (file == s->file || map64_get(&s->shown, file))
		return true;
	if (!w->any) {
		show(s, w->node, file);
		w->any = true;
		return true;
	}
	map64_put(&s->shown, file, 1);
	l->nodes = xgrow(l->nodes, &l->cap, l->n + 1, sizeof(*l->nodes));
	l->nodes[l->n] = s->r->nodes[w->node];
	l->nodes[l->n++].file = file;
	return true;
}

static bool look_at_output(struct search *s, size_t i)
{
	uint32_t version = s->r->nodes[i].version;
	struct showing w = { .s = s, .node = i };
	struct made m = made_of(s->db, version);

	if (m.made == GRAPH_SPECIAL || m.made == GRAPH_DIR)
		return false;
	if (has_name(m.made))
		each_name(s->db, version, show_name, &w);
	return !w.any || w.own || s->how != REACH_DIRECT;
}

/* Other names of what is shown are shown where that is. */
static void add_links(struct search *s)
{
	struct reach *r = s->r;

	for (size_t i = 0; i < s->links.n; i++) {
		struct reach_node n = s->links.nodes[i];

		for (size_t k = 0; k < r->n; k++)
			if (r->nodes[k].version == n.version)
				n.shown = r->nodes[k].shown;
		r->nodes = xgrow(r->nodes, &r->cap, r->n + 1, sizeof(*r->nodes));
		r->nodes[r->n++] = n;
	}
	free(s->links.nodes);
}

/* Only those stay from which no other one is reached. */
static void keep_last(struct search *s)
{
	struct reach *r = s->r;
	bool *leads = xcalloc(r->n, sizeof(*leads)), more = true;

	while (more) {
		more = false;
		for (size_t i = s->nedges; i--;) {
			struct edge e = s->edges[i];

			if (leads[e.from] || e.from == e.to ||
			    !(leads[e.to] || r->nodes[e.to].shown))
				continue;
			leads[e.from] = more = true;
		}
	}
	for (size_t i = 0; i < r->n; i++)
		r->nodes[i].shown &= !leads[i];
	free(leads);
	free(s->edges);
}

void reach_outputs(struct db *db, uint32_t version, uint32_t file, enum reach_how how,
		   unsigned int classes, struct reach *r)
{
	struct search s = {
		.db = db, .r = r, .how = how, .classes = classes,
		.keeps_edges = how == REACH_LEAVES,
	};

	*r = (struct reach){ 0 };
	search(&s, reach_written(db, version), file, expand_outputs, look_at_output);
	if (s.keeps_edges)
		keep_last(&s);
	add_links(&s);
}

void reach_free(struct reach *r)
{
	free(r->nodes);
	*r = (struct reach){ 0 };
}
