// SPDX-License-Identifier: LGPL-2.1
/* Files and versions of a page.  See page_graph.h. */
#include "answers/page_graph.h"
#include "base/xalloc.h"
#include "graph/graph.h"

#include <stdlib.h>
#include <string.h>

/* ---- loading ---- */

/* What a name stands for from a time on: the last that is told of a time counts. */
static void name(struct page_graph *g, uint32_t file, uint32_t version, int64_t at)
{
	if (at < g->files[file].at)
		return;
	g->files[file].at = at;
	g->files[file].final = version;
}

static void load_versions(struct page_graph *g)
{
	static const char text[] = "SELECT id, file, made, exec, base, at FROM version ORDER BY id";
	struct sqlite3_stmt *st = db_ask(g->db, text, "");

	while (db_row(g->db, st)) {
		uint32_t id = db_id(g->db, st, 0, DB_VERSIONS);
		struct page_version *v = &g->versions[id];

		v->file = db_id(g->db, st, 1, DB_FILES);
		v->made = (uint8_t)db_int(st, 2);
		v->exec = db_id(g->db, st, 3, DB_EXECS);
		v->base = db_earlier(g->db, st, 4, id);
		v->wanted = v->made != GRAPH_EXISTED && v->made != GRAPH_SPECIAL &&
			    v->made != GRAPH_DIR;
		name(g, v->file, id, db_int(st, 5));
		if (v->made == GRAPH_EXISTED)
			g->files[v->file].before = true;
	}
}

/* Behind the versions: at the same time, it is the name that counts. */
static void load_names(struct page_graph *g)
{
	static const char text[] = "SELECT file, version, at FROM name ORDER BY rowid";
	struct sqlite3_stmt *st = db_ask(g->db, text, "");

	while (db_row(g->db, st))
		name(g, db_id(g->db, st, 0, DB_FILES), db_id(g->db, st, 1, DB_VERSIONS),
		     db_int(st, 2));
}

static void add(struct page_keys *k, uint64_t key)
{
	k->rows = xgrow(k->rows, &k->cap, k->n + 1, sizeof(*k->rows));
	k->rows[k->n++] = key;
}

static int by_key(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

/* In their order, each once; the lowest @bits bits do not tell one from another. */
static void sort(struct page_keys *k, unsigned int bits)
{
	size_t n = 0;

	if (k->n)
		qsort(k->rows, k->n, sizeof(*k->rows), by_key);
	for (size_t i = 0; i < k->n; i++)
		if (!n || k->rows[i] >> bits != k->rows[n - 1] >> bits)
			k->rows[n++] = k->rows[i];
	k->n = n;
}

static void load_accesses(struct page_graph *g)
{
	static const char text[] =
		"SELECT exec, version, how, class, until FROM access\n"
		" WHERE how IN (1, 2, 3) AND version IS NOT NULL";
	struct sqlite3_stmt *st = db_ask(g->db, text, "");

	while (db_row(g->db, st)) {
		uint64_t exec = db_id(g->db, st, 0, DB_EXECS);
		uint64_t version = db_id(g->db, st, 1, DB_VERSIONS);
		uint8_t class = db_class(g->db, st, 3);
		int64_t until = db_null(st, 4) ? INT64_MAX : db_int(st, 4);
		struct page_version *v;

		v = &g->versions[version];
		v->wanted = true;
		if (db_int(st, 2) != GRAPH_WRITE) {
			add(&g->reads, exec << 33 | version << 1 |
			    (class != GRAPH_DATA && class != GRAPH_IS_PIPE));
			continue;
		}
		add(&g->writes, exec << 32 | version);
		if (!v->writer || until >= v->until) {
			v->writer = (uint32_t)exec;
			v->until = until;
		}
	}
	sort(&g->reads, 1);
	sort(&g->writes, 0);
}

void page_graph_load(struct page_graph *g, struct db *db)
{
	*g = (struct page_graph){ .db = db };
	g->nversions = db_ids(db, DB_VERSIONS);
	g->nfiles = db_ids(db, DB_FILES);
	g->nexecs = db_ids(db, DB_EXECS);
	g->versions = xcalloc(g->nversions + 1, sizeof(*g->versions));
	g->files = xcalloc(g->nfiles + 1, sizeof(*g->files));
	for (size_t i = 0; i <= g->nfiles; i++)
		g->files[i].at = INT64_MIN;
	load_versions(g);
	load_names(g);
	load_accesses(g);
}

void page_graph_free(struct page_graph *g)
{
	free(g->versions);
	free(g->files);
	free(g->reads.rows);
	free(g->writes.rows);
	*g = (struct page_graph){ 0 };
}

/* ---- what is in the page ---- */

void page_graph_want(struct page_graph *g, uint32_t file)
{
	if (file && file <= g->nfiles)
		g->files[file].wanted = true;
}

/* reach_written(), in memory */
static uint32_t written(const struct page_graph *g, uint32_t version)
{
	const struct page_version *v = &g->versions[version];

	while (v->made == GRAPH_CHANGED && !v->writer && v->base && v->base <= g->nversions)
		v = &g->versions[v->base];
	return (uint32_t)(v - g->versions);
}

/* As answers_outputs(): it is there in the end, and the build made it or gave it its name. */
static bool is_output(const struct page_graph *g, uint32_t file)
{
	const struct page_version *v;

	if (!g->files[file].final)
		return false;
	v = &g->versions[written(g, g->files[file].final)];
	return v->made == GRAPH_WRITTEN || v->made == GRAPH_CHANGED ||
	       (v->made == GRAPH_EXISTED && v->file != file);
}

void page_graph_number(struct page_graph *g)
{
	for (uint32_t i = 1; i <= g->nfiles; i++)
		if (is_output(g, i))
			g->versions[g->files[i].final].wanted = true;
	/* what one goes on from has a lower number */
	for (size_t i = g->nversions; i; i--)
		if (g->versions[i].wanted && g->versions[i].base < i)
			g->versions[g->versions[i].base].wanted = true;
	g->versions[0].wanted = false;
	for (size_t i = 1; i <= g->nversions; i++) {
		if (!g->versions[i].wanted)
			continue;
		g->versions[i].id = ++g->versions_put;
		page_graph_want(g, g->versions[i].file);
	}
	for (size_t i = 1; i <= g->nfiles; i++) {
		struct page_file *f = &g->files[i];

		if (f->wanted || g->versions[f->final].wanted)
			f->id = ++g->files_put;
	}
}

uint32_t page_graph_file(const struct page_graph *g, uint32_t file)
{
	return file <= g->nfiles ? g->files[file].id : 0;
}

/* ---- sections ---- */

static void put_files(const struct page_graph *g, struct page_sections *s)
{
	static const char text[] = "SELECT id, path FROM file ORDER BY id";
	struct sqlite3_stmt *st = db_ask(g->db, text, "");
	struct out *out = NULL;

	while (db_row(g->db, st)) {
		uint32_t id = page_graph_file(g, db_id(g->db, st, 0, DB_FILES));
		const char *path;
		size_t len;

		if (!id)
			continue;
		if ((id - 1) % PAGE_BLOCK == 0) {
			if (out)
				out_close(out);
			out = page_section_of(s, "files", (id - 1) / PAGE_BLOCK);
		}
		path = db_bytes(st, 1, &len);
		page_text(out, path, len);
	}
	if (out)
		out_close(out);
}

static void put_filefacts(const struct page_graph *g, struct page_sections *s)
{
	struct out *out = page_section(s, "filefacts");
	uint32_t *first = xcalloc(g->nfiles + 1, sizeof(*first));

	for (size_t i = g->nversions; i; i--)
		if (g->versions[i].id)
			first[g->versions[i].file] = g->versions[i].id;
	for (size_t i = 1; i <= g->nfiles; i++)
		if (g->files[i].id)
			page_number(out, g->versions[g->files[i].final].id);
	for (size_t i = 1; i <= g->nfiles; i++)
		if (g->files[i].id)
			page_number(out, first[i] ? first[i] : g->versions[g->files[i].final].id);
	for (uint32_t i = 1; i <= g->nfiles; i++)
		if (g->files[i].id)
			page_number(out, (is_output(g, i) ? 1 : 0) | (g->files[i].before ? 2 : 0));
	free(first);
	out_close(out);
}

/* Opened anew, a file is made even if nothing is written into it. */
static uint32_t maker(const struct page_version *v)
{
	return v->writer || v->made != GRAPH_WRITTEN ? v->writer : v->exec;
}

static void put_versions(const struct page_graph *g, struct page_sections *s)
{
	const struct page_version *v, *end = g->versions + g->nversions + 1;
	struct out *out = page_section(s, "versions");

	for (v = g->versions; v < end; v++)
		if (v->id)
			page_number(out, page_graph_file(g, v->file));
	for (v = g->versions; v < end; v++)
		if (v->id)
			page_number(out, maker(v));
	for (v = g->versions; v < end; v++)
		if (v->id)
			page_number(out, v->made);
	for (v = g->versions; v < end; v++)
		if (v->id)
			page_number(out, v->base <= g->nversions ? g->versions[v->base].id : 0);
	out_close(out);
}

/* One program behind the other: how many there are, and these. */
struct lists {
	const struct page_graph *g;
	struct page_sections *s;
	const struct page_keys *keys;
	const char *name;
	unsigned int shift;	/* of the exec in a key */
	enum page_reads what;
	uint64_t budget;
	/* of one program */
	uint64_t *list;
	size_t n, cap;
};

/* Return: the number of a key in the page; 0: it is left out. */
static uint64_t number_of(const struct lists *l, uint64_t key)
{
	const struct page_version *v;
	bool plain = l->shift == 33 && key & 1;
	bool old;

	if (l->shift == 32)
		return l->g->versions[(uint32_t)key].id;
	v = &l->g->versions[(key & ((1ull << 33) - 1)) >> 1];
	old = v->made == GRAPH_EXISTED || v->made == GRAPH_SPECIAL || v->made == GRAPH_DIR;
	if (old && (l->what >= PAGE_READS_MADE || (l->what >= PAGE_READS_DATA && plain)))
		return 0;
	return v->id;
}

static void put_list(struct out *out, const struct lists *l)
{
	uint64_t before = 0;

	page_number(out, l->n);
	for (size_t i = 0; i < l->n; i++) {
		page_number(out, l->list[i] - before);
		before = l->list[i];
	}
}

static void put_lists(struct lists *l)
{
	size_t at = 0;

	for (size_t block = 0; block * PAGE_BLOCK < l->g->nexecs; block++) {
		struct out *out = page_section_of(l->s, l->name, block);

		for (size_t i = 0; i < PAGE_BLOCK; i++) {
			uint64_t exec = block * PAGE_BLOCK + i + 1;

			if (exec > l->g->nexecs)
				break;
			for (l->n = 0; at < l->keys->n && l->keys->rows[at] >> l->shift <= exec; at++) {
				uint64_t key = l->keys->rows[at], id = number_of(l, key);

				if (!id || key >> l->shift < exec)
					continue;
				l->list = xgrow(l->list, &l->cap, l->n + 1, sizeof(*l->list));
				l->list[l->n++] = l->shift == 33 ? (id - 1) << 1 | (key & 1) : id - 1;
			}
			put_list(out, l);
		}
		out_close(out);
		if (l->s->packed > l->budget)
			break;
	}
	free(l->list);
}

void page_graph_put_reads(const struct page_graph *g, struct page_sections *s,
			  enum page_reads what, uint64_t budget)
{
	struct lists l = { .g = g, .s = s, .keys = &g->reads, .name = "reads", .shift = 33,
			   .what = what, .budget = budget };

	if (what != PAGE_READS_NONE)
		put_lists(&l);
}

void page_graph_put(const struct page_graph *g, struct page_sections *s)
{
	struct lists l = { .g = g, .s = s, .keys = &g->writes, .name = "writes", .shift = 32,
			   .budget = UINT64_MAX };

	put_files(g, s);
	put_filefacts(g, s);
	put_versions(g, s);
	put_lists(&l);
}
