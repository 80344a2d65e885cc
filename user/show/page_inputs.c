// SPDX-License-Identifier: LGPL-2.1
/*
 * Writes the section inputs of a page: what each version, and each further name of a version,
 * was made from, as etrace deps --direct prints it.
 */
#include "show/page_graph.h"
#include "build/reach.h"
#include "base/xalloc.h"

#include <stdlib.h>

/* An input: the id of its version in the page, and its index in reach.nodes. */
struct input {
	uint32_t id;
	uint32_t node;
};

struct inputs {
	const struct page_graph *g;
	struct page_sections *s;
	struct out *out;	/* output of the current block; NULL after the budget is exceeded */
	size_t lists;
	uint64_t budget;
	uint32_t version;	/* the version that was made from these inputs */
	struct reach r;
	struct input *rows;
	size_t n, cap;
};

static int by_id(const void *a, const void *b)
{
	const struct input *x = a, *y = b;

	if (x->id != y->id)
		return (x->id > y->id) - (x->id < y->id);
	return (x->node > y->node) - (x->node < y->node);
}

static void find_inputs(struct inputs *l, uint32_t file)
{
	reach_inputs(l->g->b, l->version, file, REACH_DIRECT, REACH_DEFAULT_CLASSES, &l->r);
	for (size_t i = 1; i < l->r.n; i++) {
		uint32_t id = l->g->versions[l->r.nodes[i].version].id;

		if (!l->r.nodes[i].shown || !id)
			continue;
		l->rows = xgrow(l->rows, &l->cap, l->n + 1, sizeof(*l->rows));
		l->rows[l->n++] = (struct input){ id, (uint32_t)i };
	}
	if (l->n)
		qsort(l->rows, l->n, sizeof(*l->rows), by_id);
}

/* Whether the last writer of the version itself read the input, under its own name. */
static bool is_plain(const struct inputs *l, const struct reach_node *n)
{
	const struct build *b = l->g->b;

	return n->from <= 0 && n->exec == build_writer(b, l->version) &&
	       n->file == b->versions[n->version].file;
}

/* Write the path from the output to node @at: each exec that read, and the file that it read. */
static void put_way(const struct inputs *l, int32_t at)
{
	const struct reach_node *n = &l->r.nodes[at];

	if (n->from > 0)
		put_way(l, n->from);
	page_number(l->out, n->exec);
	page_number(l->out, l->g->versions[n->version].id);
}

static size_t list_length(const struct inputs *l, int32_t at)
{
	size_t n = 1;

	while ((at = l->r.nodes[at].from) > 0)
		n++;
	return n;
}

static void put_list(const struct inputs *l)
{
	uint32_t before = 0;

	page_number(l->out, l->n);
	for (size_t i = 0; i < l->n; i++) {
		const struct input *in = &l->rows[i];
		const struct reach_node *n = &l->r.nodes[in->node];
		bool plain = is_plain(l, n);

		page_number(l->out, (uint64_t)(in->id - before) << 1 | !plain);
		before = in->id;
		if (plain)
			continue;
		page_number(l->out, page_graph_file(l->g, n->file));
		page_number(l->out, list_length(l, (int32_t)in->node));
		put_way(l, (int32_t)in->node);
	}
}

static void next_block(struct inputs *l)
{
	if (l->out)
		out_close(l->out);
	l->out = l->s->packed > l->budget ? NULL :
		page_section_of(l->s, "inputs", l->lists / PAGE_BLOCK);
}

static void put_of(struct inputs *l, uint32_t version, uint32_t file)
{
	if (l->lists % PAGE_BLOCK == 0)
		next_block(l);
	l->lists++;
	if (!l->out)
		return;
	l->version = version;
	l->n = 0;
	if (file)
		find_inputs(l, file);
	put_list(l);
	reach_free(&l->r);
}

/* A name that a version has at the end, its original one if it still has that; 0 if none. */
static uint32_t name_of(const struct build *b, uint32_t version)
{
	size_t n;
	const uint32_t *names = build_list(b, BUILD_NAMES_OF, version, &n);

	for (size_t i = 0; i < n; i++)
		if (names[i] == b->versions[version].file)
			return names[i];
	return n ? names[0] : 0;
}

bool page_graph_put_inputs(const struct page_graph *g, struct page_sections *s, uint64_t budget)
{
	const struct build *b = g->b;
	struct inputs l = { .g = g, .s = s, .budget = budget };

	for (uint32_t i = 1; i <= b->nversions; i++) {
		const struct build_version *v = &b->versions[i];
		uint32_t name = name_of(b, i);

		name = name ? name : v->file;
		/* a file that existed before under its original name has no inputs */
		if (g->versions[i].id)
			put_of(&l, i, build_is_made(v) || name != v->file ? name : 0);
	}
	for (uint32_t i = 1; i <= b->nfiles; i++) {
		uint32_t version = build_present(b, i);

		if (g->files[i].id && g->versions[version].id && name_of(b, version) != i)
			put_of(&l, version, i);
	}
	if (l.out)
		out_close(l.out);
	free(l.rows);
	return s->packed <= budget;
}
