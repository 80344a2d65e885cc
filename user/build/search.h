/* SPDX-License-Identifier: LGPL-2.1 */
/* The queue of nodes to visit, and the nodes found; shared by both searches of reach.h. */
#ifndef ETRACE_MODEL_SEARCH_H
#define ETRACE_MODEL_SEARCH_H

#include "base/map64.h"
#include "build/reach.h"

struct search {
	const struct build *b;
	struct reach *r;
	enum reach_how how;
	unsigned int classes;
	bool back;		/* from inputs to outputs (rdeps): later times reach less */
	uint32_t file;		/* name at which the search begins */
	/* by file: whether its failed lookups would differ; NULL if none */
	bool *names;
	bool *dirs;		/* by file: whether listings of it would differ; NULL if none */
	struct map64 seen;	/* by key_of() of a version, access of a pipe or miss: its node */
	struct map64 execs;	/* by exec: time up to which (@back: from which) it was visited */
	struct map64 shown;	/* files that are shown */
	uint32_t *queue;	/* indices of nodes to visit */
	size_t nqueue, queue_cap;
	/* node @from leads to node @to; recorded only for rdeps with REACH_LEAVES */
	struct edge {
		uint32_t from, to;
	} *edges;
	size_t nedges, edges_cap;
	bool keeps_edges;
	struct reach also;	/* other names of shown nodes */
};

/** search_worse - of two times, the one that reaches less: the earlier one (@back: the later) */
static inline int64_t search_worse(const struct search *s, int64_t x, int64_t y)
{
	return (x < y) != s->back ? x : y;
}

/** search_wants - whether the search follows this access */
static inline bool search_wants(const struct search *s, const struct build_access *a)
{
	return a->how != GRAPH_WRITE && s->classes >> a->class & 1;
}

/** search_is_content - whether data read with this class can become part of an output */
static inline bool search_is_content(uint8_t class)
{
	return class == GRAPH_DATA || class == GRAPH_IS_PIPE;
}

/** search_add_node - add a node without visiting it */
void search_add_node(struct reach *r, struct reach_node n);

/** search_add - add a node to visit; a known node is visited again if its new time reaches more */
void search_add(struct search *s, struct reach_node n, size_t from);

/**
 * search_enter - visit an exec up to a time (@back: from that time on)
 *
 * Return: false if everything that it did in that time was visited before.
 */
bool search_enter(struct search *s, uint32_t exec, int64_t time);

/** search_show - show node @i as @file, unless the answer has that name already */
void search_show(struct search *s, size_t i, uint32_t file);

/**
 * search_show_also - show another name of node @i; takes effect with search_add_also()
 *
 * Return: its node, valid until the next call; NULL if the answer has that name already.
 */
struct reach_node *search_show_also(struct search *s, size_t i, uint32_t file);
void search_add_also(struct search *s);

/**
 * search_run - visit all nodes, beginning with those already added
 * @expand: adds the neighbours of node @i
 * @look: visits node @i; returns whether to expand it
 */
void search_run(struct search *s, void (*expand)(struct search *s, size_t i),
		bool (*look)(struct search *s, size_t i));

#endif
