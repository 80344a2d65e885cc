/* SPDX-License-Identifier: LGPL-2.1 */
/*
 * From an output to what it was made from, and back: rule R on a database.
 */
#ifndef ETRACE_REACH_H
#define ETRACE_REACH_H

#include "db/db.h"

/* A version, under the name by which it was used. */
struct reach_node {
	uint32_t version, file;
	uint8_t class;		/* enum graph_class */
	uint32_t exec;		/* that leads to it: its user; of rdeps: its maker */
	int32_t from;		/* the node that it was reached from; -1: the first */
};

struct reach {
	struct reach_node *nodes;	/* in the order of distance */
	size_t n, cap;
};

enum reach_how {
	REACH_LEAVES,		/* only what the build did not make */
	REACH_DIRECT,		/* of the last program; what is gone at the end is passed through */
	REACH_ALL,		/* everything on the way */
};

/* Bits of enum graph_class. */
#define REACH_DEFAULT_CLASSES 3u	/* data, pipe */

/** reach_classes - "data,pipe" as bits.  Return: 0 if a name is unknown. */
unsigned int reach_classes(const char *list);

/**
 * reach_inputs - what a version was made from
 * reach_outputs - what was made from it
 * @r: set; for reach_free()
 *
 * Pipes and temporary files are passed through and not among the nodes but with
 * REACH_ALL.
 */
void reach_inputs(struct db *db, uint32_t version, enum reach_how how, unsigned int classes,
		  struct reach *r);
void reach_outputs(struct db *db, uint32_t version, enum reach_how how, unsigned int classes,
		   struct reach *r);
void reach_free(struct reach *r);

/** reach_final - the version that a name stands for in the end, or did last.  Return: 0: none */
uint32_t reach_final(struct db *db, uint32_t file);

/** reach_present - whether a name stands for something in the end */
bool reach_present(struct db *db, uint32_t file);

#endif
