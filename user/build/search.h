/* SPDX-License-Identifier: LGPL-2.1 */
/* What the searches of reach.h share: nodes that are looked at one after the other. */
#ifndef ETRACE_MODEL_SEARCH_H
#define ETRACE_MODEL_SEARCH_H

#include "base/map64.h"
#include "build/reach.h"

struct search {
	const struct build *b;
	struct reach *r;
	enum reach_how how;
	unsigned int classes;
	bool back;		/* from inputs to outputs: the later the worse */
	uint32_t file;		/* where it begins */
	bool *names;		/* by file: who looked for it in vain would find it; NULL: none */
	bool *dirs;		/* by file: who listed it sees something else; NULL: none */
	struct map64 seen;	/* keys of versions, accesses of pipes, misses: their node */
	struct map64 execs;	/* by exec: up to, or from when on, it was looked at */
	struct map64 shown;	/* files */
	uint32_t *queue;	/* nodes to look at */
	size_t nqueue, queue_cap;
	/* who leads to whom, where that is asked: of outputs, the last */
	struct edge {
		uint32_t from, to;
	} *edges;
	size_t nedges, edges_cap;
	bool keeps_edges;
	struct reach also;	/* other names of what is shown */
};

/** search_worse - of two times, the one up to which (back: from which on) less counts */
static inline int64_t search_worse(const struct search *s, int64_t x, int64_t y)
{
	return (x < y) != s->back ? x : y;
}

/** search_wants - whether an access is one of those that are followed */
static inline bool search_wants(const struct search *s, const struct build_access *a)
{
	return a->how != GRAPH_WRITE && s->classes >> a->class & 1;
}

/** search_is_content - whether what is read so can be in what is written */
static inline bool search_is_content(uint8_t class)
{
	return class == GRAPH_DATA || class == GRAPH_IS_PIPE;
}

/** search_add_node - a node that nobody is to look at */
void search_add_node(struct reach *r, struct reach_node n);

/** search_add - one to look at; found again, it counts again if more can come through it now */
void search_add(struct search *s, struct reach_node n, size_t from);

/**
 * search_enter - an exec is looked at, up to a time (back: from it on)
 *
 * Return: false: all that it did up to then was looked at before.
 */
bool search_enter(struct search *s, uint32_t exec, int64_t time);

/** search_show - it is part of the answer, unless that has its name already */
void search_show(struct search *s, size_t i, uint32_t file);

/**
 * search_show_also - show another name of what is shown, once search_add_also() is called
 *
 * Return: its node, until the next call; NULL: the answer has that name already.
 */
struct reach_node *search_show_also(struct search *s, size_t i, uint32_t file);
void search_add_also(struct search *s);

/**
 * search_run - look at all nodes, from those that are there on
 * @look: at one; whether it is to be expanded
 */
void search_run(struct search *s, void (*expand)(struct search *s, size_t i),
		bool (*look)(struct search *s, size_t i));

#endif
