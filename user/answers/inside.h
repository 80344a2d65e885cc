/* SPDX-License-Identifier: LGPL-2.1 */
/*
 * Inside the compilers: finds the time traces that programs of a build wrote about themselves
 * (Chrome's JSON format), and reports missing ones. Runs only on request, because it opens files
 * named in the trace.
 *
 * Memory: the files with such names, and one time trace at a time.
 */
#ifndef ETRACE_ANSWERS_INSIDE_H
#define ETRACE_ANSWERS_INSIDE_H

#include "answers/answers.h"
#include "timeline/timeline.h"

struct inside_slice {
	const char *name, *detail;	/* UTF-8; detail is "" if none */
	int64_t from, to;		/* ns since the first event */
	/* 0 for the outermost slices of the busiest thread; those of other threads are deeper */
	uint32_t depth;
};

struct inside {
	/* sorted by exec; time traces that could not be read are sorted by fault */
	struct inside_row {
		uint32_t exec;		/* program that the time trace is about */
		uint32_t file;		/* 0 if none */
		uint32_t version;	/* the file's content after the build */
		uint32_t writer;	/* exec that wrote it: crox writes time traces of rustc */
		const char *fault;	/* text to print after the file's name; NULL if none */
	} *rows;
	size_t n, cap;
};

/**
 * inside_find - read all time traces of a build
 * @t: timeline of the database
 * @below: directory below which to look for the files; "" to use their paths in the build
 * @fn: called for each slice, in the order of execs
 * @list: set to the files that were read, and the missing ones; release it with inside_free()
 */
void inside_find(const struct timeline *t, const char *below,
		 void (*fn)(void *ctx, uint32_t exec, const struct inside_slice *s), void *ctx,
		 struct inside *list);
void inside_free(struct inside *list);

#endif
