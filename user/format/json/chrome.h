/* SPDX-License-Identifier: LGPL-2.1 */
/*
 * Time traces that compilers and linkers write of themselves: Chrome's trace-event
 * JSON, as clang -ftime-trace, lld --time-trace and crox (of rustc's self-profile)
 * have it.  What of that becomes slices: complete events (X), pairs of begin and end
 * (B, E), and asynchronous ones (b, e), which clang uses for sources.
 *
 * Memory: that of the slices and their texts, not of the JSON.
 */
#ifndef ETRACE_CHROME_H
#define ETRACE_CHROME_H

#include "base/buf.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* More than that is not read. */
#define CHROME_MAX_BYTES	(256u << 20)
/* Slices that are deeper are left out. */
#define CHROME_MAX_DEPTH	256u

/* Why there is nothing to show. */
enum chrome_fault {
	CHROME_OK,
	CHROME_FOREIGN,		/* it never was a time trace */
	CHROME_EMPTY,
	CHROME_DAMAGED,
	CHROME_LARGE,
	CHROME_GONE,
	CHROME_NO_FILE,		/* a directory, a device, a symbolic link */
	CHROME_UNREADABLE,
	CHROME_CHANGED,
	CHROME_UNSURE,
	CHROME_FAULTS
};

/* In words, behind the name of the file: "is not there any more". */
extern const char *const chrome_faults[CHROME_FAULTS];

struct chrome_slice {
	int64_t from, to;	/* ns since the trace's own 0 */
	uint32_t name, detail;	/* where they begin in chrome_trace.texts */
	uint32_t thread;	/* of chrome_trace.threads */
	uint32_t depth;		/* how many of its thread are around it */
};

/* Starts as all zeros; chrome_free() ends it. */
struct chrome_trace {
	/* by thread, each thread's in the order of time, what encloses others first */
	struct chrome_slice *slices;
	size_t n, cap;
	/* the one whose slices take longest first */
	struct chrome_thread {
		int64_t tid;
		int64_t took;		/* ns, of all outermost slices */
		uint32_t name;		/* in texts; an empty one: not known */
		uint32_t depth;		/* slices upon each other, at most */
	} *threads;
	size_t nthreads, threads_cap;
	int64_t begin;		/* ns since 1970 at 0; 0: not known */
	struct buf texts;	/* UTF-8, a NUL behind each; an empty one at 0 */
};

/** chrome_parse - a trace from its JSON.  @t is emptied before. */
enum chrome_fault chrome_parse(struct chrome_trace *t, const char *json, size_t len);

/* What the record says of a file. */
struct chrome_was {
	bool known;		/* whether it tells these: */
	int64_t size, mtime;	/* bytes, ns since 1970 */
	int64_t from, to;	/* else: ns since 1970 between which it was written; 0, 0: not known */
};

/**
 * chrome_read - the same from a file that has to be as it was
 * @below: a directory below which it is looked for; "": none
 */
enum chrome_fault chrome_read(struct chrome_trace *t, const char *below, const char *path,
			      const struct chrome_was *was);

/**
 * chrome_place - from the trace's own times to those of the program that wrote it
 * @at, @until: the program's
 * @begin: on the same clock, when the trace's 0 was; NULL: not known, about @at
 *
 * Clocks that files are dated by are coarse: a trace that begins too early, or ends too
 * late, is moved as far as it must be.  What is longer than the program is cut.
 */
void chrome_place(struct chrome_trace *t, int64_t at, int64_t until, const int64_t *begin);

void chrome_free(struct chrome_trace *t);

static inline const char *chrome_text(const struct chrome_trace *t, uint32_t at)
{
	return t->texts.s + at;
}

#endif
