// SPDX-License-Identifier: LGPL-2.1
/* Writes the files, versions, reads and writes of a page.  See page_graph.h. */
#include "show/page_graph.h"
#include "base/xalloc.h"
#include "graph/graph.h"

#include <stdlib.h>
#include <string.h>

/* ---- loading ---- */

static bool is_write(const struct build_access *a)
{
	return a->version && a->how == GRAPH_WRITE;
}

static bool is_old(const struct build_version *v)
{
	return v->made == GRAPH_EXISTED || v->made == GRAPH_SPECIAL || v->made == GRAPH_DIR;
}

void page_graph_load(struct page_graph *g, struct db *db)
{
	const struct build *b = build_of(db);

	*g = (struct page_graph){ .b = b };
	g->files = xcalloc(b->nfiles + 1ul, sizeof(*g->files));
}

void page_graph_free(struct page_graph *g)
{
	free(g->versions);
	free(g->files);
	*g = (struct page_graph){ 0 };
}

/* ---- what is in the page ---- */

void page_graph_want(struct page_graph *g, uint32_t file)
{
	if (file && file <= g->b->nfiles)
		g->files[file].wanted = true;
}

void page_graph_number(struct page_graph *g)
{
	const struct build *b = g->b;

	g->versions = xcalloc(b->nversions + 1ul, sizeof(*g->versions));
	for (uint32_t i = 1; i <= b->nversions; i++)
		g->versions[i].wanted = !is_old(&b->versions[i]);
	for (size_t i = 0; i < b->naccesses; i++)
		if (build_is_use(&b->accesses[i]) || is_write(&b->accesses[i]))
			g->versions[b->accesses[i].version].wanted = true;
	for (uint32_t i = 1; i <= b->nfiles; i++)
		if (build_is_output(b, i))
			g->versions[b->files[i].final].wanted = true;
	/* the base of a version, which has a lower number, is in the page, too */
	for (uint32_t i = b->nversions; i; i--)
		if (g->versions[i].wanted)
			g->versions[b->versions[i].base].wanted = true;
	g->versions[0].wanted = false;
	for (uint32_t i = 1; i <= b->nversions; i++) {
		if (!g->versions[i].wanted)
			continue;
		g->versions[i].id = ++g->versions_put;
		page_graph_want(g, b->versions[i].file);
	}
	for (uint32_t i = 1; i <= b->nfiles; i++) {
		struct page_row *f = &g->files[i];

		if (f->wanted || g->versions[b->files[i].final].wanted)
			f->id = ++g->files_put;
	}
}

uint32_t page_graph_file(const struct page_graph *g, uint32_t file)
{
	return file <= g->b->nfiles ? g->files[file].id : 0;
}

/* ---- sections ---- */

static void put_files(const struct page_graph *g, struct page_sections *s)
{
	struct out *out = NULL;

	for (uint32_t i = 1; i <= g->b->nfiles; i++) {
		uint32_t id = g->files[i].id;
		const char *path;
		size_t len;

		if (!id)
			continue;
		if ((id - 1) % PAGE_BLOCK == 0) {
			if (out)
				out_close(out);
			out = page_section_of(s, "files", (id - 1) / PAGE_BLOCK);
		}
		path = build_path(g->b, i, &len);
		page_text(out, path, len);
	}
	if (out)
		out_close(out);
}

static void put_filefacts(const struct page_graph *g, struct page_sections *s)
{
	const struct build *b = g->b;
	struct out *out = page_section(s, "filefacts");
	bool *before = xcalloc(b->nfiles + 1ul, sizeof(*before));
	uint32_t i;

	for (i = 1; i <= b->nversions; i++)
		before[b->versions[i].file] |= b->versions[i].made == GRAPH_EXISTED;
	for (i = 1; i <= b->nfiles; i++)
		if (g->files[i].id)
			page_number(out, g->versions[build_present(b, i)].id);
	for (i = 1; i <= b->nfiles; i++)
		if (g->files[i].id)
			page_number(out, g->versions[build_final(b, i)].id);
	for (i = 1; i <= b->nfiles; i++)
		if (g->files[i].id)
			page_number(out, (build_is_output(b, i) ? 1 : 0) | (before[i] ? 2 : 0));
	free(before);
	out_close(out);
}

static void put_versions(const struct page_graph *g, struct page_sections *s)
{
	const struct build *b = g->b;
	struct out *out = page_section(s, "versions");
	uint32_t i;

	for (i = 1; i <= b->nversions; i++)
		if (g->versions[i].id)
			page_number(out, page_graph_file(g, b->versions[i].file));
	for (i = 1; i <= b->nversions; i++)
		if (g->versions[i].id)
			page_number(out, build_writer(b, i));
	for (i = 1; i <= b->nversions; i++)
		if (g->versions[i].id)
			page_number(out, b->versions[i].made);
	out_close(out);
}

/* Writes the versions that each program read or wrote: first how many, then their ids. */
struct lists {
	const struct page_graph *g;
	struct page_sections *s;
	bool writes;		/* lists of writes; otherwise of reads */
	enum page_reads what;
	uint64_t budget;
	/* the list of the current program */
	uint64_t *list;		/* version << 1 | 1 if it was not read as data */
	size_t n, cap;
};

static int by_key(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

static void load_list(struct lists *l, const struct build_exec *e)
{
	const struct build *b = l->g->b;

	l->n = 0;
	for (uint32_t i = 0; i < e->uses; i++) {
		const struct build_access *a = &b->accesses[e->first + i];
		bool plain = a->class != GRAPH_DATA && a->class != GRAPH_IS_PIPE;

		if (l->writes ? !is_write(a) : !build_is_use(a))
			continue;
		l->list = xgrow(l->list, &l->cap, l->n + 1, sizeof(*l->list));
		l->list[l->n++] = (uint64_t)a->version << 1 | (!l->writes && plain);
	}
	if (l->n)
		qsort(l->list, l->n, sizeof(*l->list), by_key);
}

static bool is_left_out(const struct lists *l, uint64_t key)
{
	const struct page_graph *g = l->g;

	if (!g->versions[key >> 1].id)
		return true;
	return !l->writes && is_old(&g->b->versions[key >> 1]) &&
	       (l->what >= PAGE_READS_MADE || (l->what >= PAGE_READS_DATA && key & 1));
}

/* Replace versions by their ids in the page, each once; as data if it was ever read as data. */
static void number_list(struct lists *l)
{
	uint64_t last = 0;
	size_t n = 0;

	for (size_t i = 0; i < l->n; i++) {
		uint64_t key = l->list[i], id = l->g->versions[key >> 1].id - 1;
		bool again = key >> 1 == last;

		last = key >> 1;
		if (!again && !is_left_out(l, key))
			l->list[n++] = l->writes ? id : id << 1 | (key & 1);
	}
	l->n = n;
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
	const struct build *b = l->g->b;
	const char *name = l->writes ? "writes" : "reads";

	for (uint32_t block = 0; block * PAGE_BLOCK < b->nexecs; block++) {
		struct out *out = page_section_of(l->s, name, block);

		for (uint32_t i = 1; i <= PAGE_BLOCK && block * PAGE_BLOCK + i <= b->nexecs; i++) {
			load_list(l, &b->execs[block * PAGE_BLOCK + i]);
			number_list(l);
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
	struct lists l = { .g = g, .s = s, .what = what, .budget = budget };

	if (what != PAGE_READS_NONE)
		put_lists(&l);
}

void page_graph_put(const struct page_graph *g, struct page_sections *s)
{
	struct lists l = { .g = g, .s = s, .writes = true, .budget = UINT64_MAX };

	put_files(g, s);
	put_filefacts(g, s);
	put_versions(g, s);
	put_lists(&l);
}
