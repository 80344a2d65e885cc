/* SPDX-License-Identifier: LGPL-2.1 */
/*
 * Inside the compilers: the time traces that a build's programs wrote of themselves
 * (import/chrome), by program, and what was not found.  Files that the trace names are
 * opened: only if somebody asks for it.
 *
 * Memory: the files of such names; one time trace at a time.
 */
#ifndef ETRACE_ANSWERS_INSIDE_H
#define ETRACE_ANSWERS_INSIDE_H

#include "answers/answers.h"
#include "timeline/timeline.h"

struct inside_slice {
	const char *name, *detail;	/* UTF-8; detail "": none */
	int64_t from, to;		/* ns since the first event */
	/* 0: the outermost of the busiest thread; those of others are below each other */
	uint32_t depth;
};

struct inside {
	/* in the order of execs, each one's slices at a time; the rest in that of faults */
	struct inside_row {
		uint32_t exec;		/* of which it tells */
		uint32_t file;		/* 0: there is none */
		uint32_t version;	/* what the build left in it */
		uint32_t writer;	/* exec: crox writes rustc's */
		const char *fault;	/* in words, behind the file's name; NULL: none */
	} *rows;
	size_t n, cap;
};

/**
 * inside_find - read all that are there
 * @t: of the database
 * @below: a directory below which the files are looked for; "": where they were
 * @fn: called for each slice, in the order of execs
 * @list: set to what was read or ought to be there; for inside_free()
 */
void inside_find(const struct timeline *t, const char *below,
		 void (*fn)(void *ctx, uint32_t exec, const struct inside_slice *s), void *ctx,
		 struct inside *list);
void inside_free(struct inside *list);

#endif
