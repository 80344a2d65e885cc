/* SPDX-License-Identifier: LGPL-2.1 */
/* Shared by the two searches of reach.h: a queue of nodes that are visited one by one. */
#ifndef ETRACE_MODEL_SEARCH_H
#define ETRACE_MODEL_SEARCH_H

#include "base/map64.h"
#include "build/reach.h"

struct search {
	const struct build *b;
	struct reach *r;
	enum reach_how how;
	unsigned int classes;
	bool back;		/* from inputs to outputs (rdeps): a later time reaches less */
	uint32_t file;		/* name at which the search begins */
	bool *names;		/* by file: failed lookups of it would differ now; NULL if none */
	bool *dirs;		/* by file: listings of it would differ now; NULL if none */
	struct map64 seen;	/* key_of() of versions, accesses of pipes, misses: their node */
	struct map64 execs;	/* by exec: time up to (back: from) which it was visited */
	struct map64 shown;	/* files that are shown */
	uint32_t *queue;	/* nodes to visit */
	size_t nqueue, queue_cap;
	/* node @from leads to node @to; kept for rdeps with REACH_LEAVES only */
	struct edge {
		uint32_t from, to;
	} *edges;
	size_t nedges, edges_cap;
	bool keeps_edges;
	struct reach also;	/* other names of nodes that are shown */
};

/** search_worse - the time that reaches less: the earlier one (back: the later one) */
static inline int64_t search_worse(const struct search *s, int64_t x, int64_t y)
{
	return (x < y) != s->back ? x : y;
}

/** search_wants - whether the search follows this access */
static inline bool search_wants(const struct search *s, const struct build_access *a)
{
	return a->how != GRAPH_WRITE && s->classes >> a->class & 1;
}

/** search_is_content - whether what is read this way can become part of what is written */
static inline bool search_is_content(uint8_t class)
{
	return class == GRAPH_DATA || class == GRAPH_IS_PIPE;
}

/** search_add_node - add a node that is not to be visited */
void search_add_node(struct reach *r, struct reach_node n);

/** search_add - add a node to visit; a known one is visited again if it reaches more now */
void search_add(struct search *s, struct reach_node n, size_t from);

/**
 * search_enter - visit an exec up to a time (back: from that time on)
 *
 * Return: false if all that it did in that time was visited before.
 */
bool search_enter(struct search *s, uint32_t exec, int64_t time);

/** search_show - show node @i as @file, unless the answer has that name already */
void search_show(struct search *s, size_t i, uint32_t file);

/**
 * search_show_also - show another name of node @i, once search_add_also() is called
 *
 * Return: its node, valid until the next call; NULL if the answer has that name already.
 */
struct reach_node *search_show_also(struct search *s, size_t i, uint32_t file);
void search_add_also(struct search *s);

/**
 * search_run - visit all nodes, beginning with those already added
 * @expand: adds the neighbours of a node
 * @look: visits a node; returns whether to expand it
 */
void search_run(struct search *s, void (*expand)(struct search *s, size_t i),
		bool (*look)(struct search *s, size_t i));

#endif
