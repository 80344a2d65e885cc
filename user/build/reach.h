/* SPDX-License-Identifier: LGPL-2.1 */
/*
 * Finds the files from which an output was made (deps), and what was made from an input
 * (rdeps), by the rules of etrace-db(5).
 *
 * Time matters: a program cannot have read data written after its last read, and data that
 * it read after its last write is not in its output.
 */
#ifndef ETRACE_MODEL_REACH_H
#define ETRACE_MODEL_REACH_H

#include "build/build.h"

/* A version, with the name by which it was used. */
struct reach_node {
	uint32_t version, file;
	uint8_t class;		/* enum graph_class */
	uint32_t exec;		/* deps: the exec that used it; rdeps: the exec that made it */
	int32_t from;		/* node from which it was reached; -1 for the first one */
	bool shown;		/* part of the answer; otherwise only on the way to other nodes */
	const struct build_access *through;	/* for a pipe: its read (deps) or write (rdeps) */
	int64_t time;		/* deps: earlier writes count; rdeps: later reads count */
};

struct reach {
	/* by distance from the first one, where the search began */
	struct reach_node *nodes;
	size_t n, cap;
	uint32_t *execs;	/* execs that the search went through, each once */
	size_t nexecs, execs_cap;
};

/*
 * Which files are shown. Pipes, and files that the build made and removed, are passed
 * through and never shown.
 */
enum reach_how {
	REACH_ALL,		/* everything */
	REACH_DIRECT,		/* the nearest ones: the search stops at each file shown */
	REACH_LEAVES,		/* deps: inputs that the build did not make; rdeps: outputs
				 * from which nothing else was made
				 */
	REACH_KEPT,		/* deps: the nearest versions that exist at the end (build_is_kept())
				 * or that the build did not make.  Of several versions with one
				 * name, only the first is shown; links are not shown.
				 */
};

/* Bits of enum graph_class. */
#define REACH_DEFAULT_CLASSES 3u	/* data, pipe */

/** reach_classes - "data,pipe" as bits.  Return: 0 if a name is unknown. */
unsigned int reach_classes(const char *list);

/**
 * reach_inputs - find what a version was made from
 * reach_outputs - find what was made from it; with the class probe, also the outputs of programs
 * that failed to find @file (@version may be 0)
 * @file: the name from the user
 * @classes: bits of enum graph_class
 * @r: set; release it with reach_free()
 */
void reach_inputs(const struct build *b, uint32_t version, uint32_t file, enum reach_how how,
		  unsigned int classes, struct reach *r);
void reach_outputs(const struct build *b, uint32_t version, uint32_t file, enum reach_how how,
		   unsigned int classes, struct reach *r);
/* A file that has changed since the build read it. */
struct reach_change {
	uint32_t file;		/* 0 if the build did not touch it */
	/* directory that it was added to or removed from: its listings differ */
	uint32_t dir;
	bool comes_or_goes;	/* it was added or removed: lookups of it and its type differ */
};

/**
 * reach_changed - everything that these changes affect
 * @changes: the @n files that have changed
 * @r: set; its execs are the programs that would behave differently
 */
void reach_changed(const struct build *b, const struct reach_change *changes, size_t n,
		   struct reach *r);
void reach_free(struct reach *r);

#endif
