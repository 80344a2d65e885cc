/* SPDX-License-Identifier: LGPL-2.1 */
/*
 * From an output to what it was made from, and back: the rules of etrace-db(5).
 *
 * Time decides.  What was written after somebody had read for the last time is not what he
 * read, and what somebody read after he had written for the last time is not what he wrote.
 */
#ifndef ETRACE_MODEL_REACH_H
#define ETRACE_MODEL_REACH_H

#include "build/build.h"

/* A version, under the name by which it was used. */
struct reach_node {
	uint32_t version, file;
	uint8_t class;		/* enum graph_class */
	uint32_t exec;		/* that leads to it: its user; of rdeps: its maker */
	int32_t from;		/* the node that it was reached from; -1: where it begins */
	bool shown;		/* part of the answer; else only on the way to others */
	const struct build_access *through;	/* of a pipe: who read it; of rdeps: who wrote */
	int64_t time;		/* what was written before counts; of rdeps: read after */
};

struct reach {
	struct reach_node *nodes;	/* in the order of distance; the first: the beginning */
	size_t n, cap;
	uint32_t *execs;	/* that had to do with it, each once */
	size_t nexecs, execs_cap;
};

/*
 * What is shown.  Pipes, and files that the build made and that are gone in the end,
 * are passed through and never shown.
 */
enum reach_how {
	REACH_ALL,		/* everything */
	REACH_DIRECT,		/* what is found first: nothing is looked for behind it */
	REACH_LEAVES,		/* of inputs, what the build did not make; of outputs, what
				 * nothing else was made from
				 */
};

/* Bits of enum graph_class. */
#define REACH_DEFAULT_CLASSES 3u	/* data, pipe */

/** reach_classes - "data,pipe" as bits.  Return: 0 if a name is unknown. */
unsigned int reach_classes(const char *list);

/**
 * reach_inputs - what a version was made from
 * reach_outputs - what was made from it; with the class probe also what was made by who
 *	looked for @file in vain (@version may be 0)
 * @file: the name by which it is asked for
 * @classes: bits of enum graph_class
 * @r: set; for reach_free()
 */
void reach_inputs(const struct build *b, uint32_t version, uint32_t file, enum reach_how how,
		  unsigned int classes, struct reach *r);
void reach_outputs(const struct build *b, uint32_t version, uint32_t file, enum reach_how how,
		   unsigned int classes, struct reach *r);
/* What is other than when the build read it. */
struct reach_change {
	uint32_t file;		/* whose content is; 0: the build has not touched it */
	uint32_t dir;		/* of what comes or goes: who listed it sees that */
	bool comes_or_goes;	/* who looked for it, or asked what it is, sees that */
};

/**
 * reach_changed - what would be made otherwise, all of it
 * @changes: @n of them
 *
 * @r: execs are the programs that would run otherwise.
 */
void reach_changed(const struct build *b, const struct reach_change *changes, size_t n,
		   struct reach *r);
void reach_free(struct reach *r);

#endif
