// SPDX-License-Identifier: LGPL-2.1
/* Files and versions of a page.  See page_graph.h. */
#include "answers/page_graph.h"
#include "base/xalloc.h"
#include "graph/graph.h"

#include <stdlib.h>
#include <string.h>

/* ---- loading ---- */

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
	const struct build *b = g->b;

	for (size_t i = 0; i < b->naccesses; i++) {
		const struct build_access *a = &b->accesses[i];
		uint64_t exec = a->exec, version = a->version;

		if (!version || (a->how != GRAPH_READ && a->how != GRAPH_WRITE && a->how != GRAPH_RUN))
			continue;
		g->versions[version].wanted = true;
		if (a->how == GRAPH_WRITE)
			add(&g->writes, exec << 32 | version);
		else
			add(&g->reads, exec << 33 | version << 1 |
			    (a->class != GRAPH_DATA && a->class != GRAPH_IS_PIPE));
	}
	sort(&g->reads, 1);
	sort(&g->writes, 0);
}

static bool is_old(const struct build_version *v)
{
	return v->made == GRAPH_EXISTED || v->made == GRAPH_SPECIAL || v->made == GRAPH_DIR;
}

void page_graph_load(struct page_graph *g, struct db *db)
{
	const struct build *b = build_of(db);

	*g = (struct page_graph){ .b = b };
	g->versions = xcalloc(b->nversions + 1ul, sizeof(*g->versions));
	g->files = xcalloc(b->nfiles + 1ul, sizeof(*g->files));
	for (uint32_t i = 1; i <= b->nversions; i++)
		g->versions[i].wanted = !is_old(&b->versions[i]);
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
	if (file && file <= g->b->nfiles)
		g->files[file].wanted = true;
}

void page_graph_number(struct page_graph *g)
{
	const struct build *b = g->b;

	for (uint32_t i = 1; i <= b->nfiles; i++)
		if (build_is_output(b, i))
			g->versions[b->files[i].final].wanted = true;
	/* what one goes on from has a lower number */
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
	uint32_t *first = xcalloc(b->nfiles + 1ul, sizeof(*first));
	bool *before = xcalloc(b->nfiles + 1ul, sizeof(*before));

	for (uint32_t i = b->nversions; i; i--) {
		if (g->versions[i].id)
			first[b->versions[i].file] = g->versions[i].id;
		before[b->versions[i].file] |= b->versions[i].made == GRAPH_EXISTED;
	}
	for (uint32_t i = 1; i <= b->nfiles; i++)
		if (g->files[i].id)
			page_number(out, g->versions[b->files[i].final].id);
	for (uint32_t i = 1; i <= b->nfiles; i++)
		if (g->files[i].id)
			page_number(out, first[i] ? first[i] : g->versions[b->files[i].final].id);
	for (uint32_t i = 1; i <= b->nfiles; i++)
		if (g->files[i].id)
			page_number(out, (build_is_output(b, i) ? 1 : 0) | (before[i] ? 2 : 0));
	free(first);
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
	for (i = 1; i <= b->nversions; i++)
		if (g->versions[i].id)
			page_number(out, g->versions[b->versions[i].base].id);
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
	bool plain = l->shift == 33 && key & 1;
	uint32_t version;

	if (l->shift == 32)
		return l->g->versions[(uint32_t)key].id;
	version = (uint32_t)((key & ((1ull << 33) - 1)) >> 1);
	if (is_old(&l->g->b->versions[version]) &&
	    (l->what >= PAGE_READS_MADE || (l->what >= PAGE_READS_DATA && plain)))
		return 0;
	return l->g->versions[version].id;
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

	for (size_t block = 0; block * PAGE_BLOCK < l->g->b->nexecs; block++) {
		struct out *out = page_section_of(l->s, l->name, block);

		for (size_t i = 0; i < PAGE_BLOCK; i++) {
			uint64_t exec = block * PAGE_BLOCK + i + 1;

			if (exec > l->g->b->nexecs)
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
