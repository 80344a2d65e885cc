// SPDX-License-Identifier: LGPL-2.1
/* Keeps the nodes of a search, and visits each once.  See search.h. */
#include "build/search.h"
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

/* Keys of nodes that are not versions: failed lookups, and accesses of pipes. */
#define MISSED	(1ull << 32)
#define THROUGH	(2ull << 32)

static uint64_t key_of(const struct search *s, const struct reach_node *n)
{
	if (n->through)
		return THROUGH | (uint64_t)(n->through - s->b->accesses);
	return n->version ? n->version : MISSED | n->file;
}

static bool is_better(const struct search *s, int64_t x, int64_t than)
{
	return s->back ? x < than : x > than;
}

static void push_node(struct search *s, size_t node)
{
	s->queue = xgrow(s->queue, &s->queue_cap, s->nqueue + 1, sizeof(*s->queue));
	s->queue[s->nqueue++] = (uint32_t)node;
}

static void add_edge(struct search *s, size_t from, size_t to)
{
	if (!s->keeps_edges)
		return;
	s->edges = xgrow(s->edges, &s->edges_cap, s->nedges + 1, sizeof(*s->edges));
	s->edges[s->nedges++] = (struct edge){ (uint32_t)from, (uint32_t)to };
}

void search_add_node(struct reach *r, struct reach_node n)
{
	r->nodes = xgrow(r->nodes, &r->cap, r->n + 1, sizeof(*r->nodes));
	r->nodes[r->n++] = n;
}

void search_add(struct search *s, struct reach_node n, size_t from)
{
	uint64_t key = key_of(s, &n);
	const uint64_t *there = map64_get(&s->seen, key);
	struct reach *r = s->r;
	struct reach_node *old = there ? &r->nodes[*there] : NULL;

	add_edge(s, from, old ? *there : r->n);
	n.from = (int32_t)from;
	if (old) {
		if (!is_better(s, n.time, old->time) || old->from < 0)
			return;
		old->time = n.time;
		old->exec = n.exec;
		old->from = n.from;
		push_node(s, *there);
		return;
	}
	map64_put(&s->seen, key, r->n);
	push_node(s, r->n);
	search_add_node(r, n);
}

bool search_enter(struct search *s, uint32_t exec, int64_t time)
{
	const uint64_t *there = map64_get(&s->execs, exec);

	/* if edges are recorded, every path must be followed */
	if (!s->keeps_edges && there && !is_better(s, time, (int64_t)*there))
		return false;
	if (!there) {
		struct reach *r = s->r;

		r->execs = xgrow(r->execs, &r->execs_cap, r->nexecs + 1, sizeof(*r->execs));
		r->execs[r->nexecs++] = exec;
	}
	map64_put(&s->execs, exec, (uint64_t)time);
	return true;
}

void search_show(struct search *s, size_t i, uint32_t file)
{
	struct reach_node *n = &s->r->nodes[i];

	if (n->shown)
		return;
	n->file = file;
	if (map64_get(&s->shown, file))
		return;
	map64_put(&s->shown, file, 1);
	n->shown = true;
}

struct reach_node *search_show_also(struct search *s, size_t i, uint32_t file)
{
	struct reach *l = &s->also;

	if (map64_get(&s->shown, file))
		return NULL;
	map64_put(&s->shown, file, 1);
	l->nodes = xgrow(l->nodes, &l->cap, l->n + 1, sizeof(*l->nodes));
	l->nodes[l->n] = s->r->nodes[i];
	l->nodes[l->n].file = file;
	return &l->nodes[l->n++];
}

/* Add the other names, each shown if the node with its version is shown. */
void search_add_also(struct search *s)
{
	struct map64 shown = { 0 };

	for (size_t i = 0; s->also.n && i < s->r->n; i++)
		map64_put(&shown, s->r->nodes[i].version, s->r->nodes[i].shown);
	for (size_t i = 0; i < s->also.n; i++) {
		struct reach_node n = s->also.nodes[i];

		n.shown = *map64_get(&shown, n.version);
		search_add_node(s->r, n);
	}
	map64_clear(&shown);
	free(s->also.nodes);
}

static void end_search(struct search *s)
{
	map64_clear(&s->seen);
	map64_clear(&s->execs);
	map64_clear(&s->shown);
	free(s->queue);
}

void search_run(struct search *s, void (*expand)(struct search *s, size_t i),
		bool (*look)(struct search *s, size_t i))
{
	s->r->nodes[0].from = -1;
	expand(s, 0);
	/* queue[0] is node 0, which is expanded already */
	for (size_t k = 1; k < s->nqueue; k++)
		if (look(s, s->queue[k]))
			expand(s, s->queue[k]);
	end_search(s);
}

void reach_free(struct reach *r)
{
	free(r->nodes);
	free(r->execs);
	*r = (struct reach){ 0 };
}
