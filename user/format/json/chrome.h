/* SPDX-License-Identifier: LGPL-2.1 */
/*
 * Reads time traces that compilers and linkers write about themselves: Chrome's
 * trace-event JSON, as clang -ftime-trace, lld --time-trace and crox (for rustc's
 * self-profile) write it.  Slices are made from complete events (X), pairs of begin and
 * end (B, E), and asynchronous pairs (b, e), which clang uses for sources.
 *
 * Only the slices and their texts are kept in memory, not the JSON.
 */
#ifndef ETRACE_CHROME_H
#define ETRACE_CHROME_H

#include "base/buf.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Larger files are not read. */
#define CHROME_MAX_BYTES	(256u << 20)
/* Slices nested deeper are left out. */
#define CHROME_MAX_DEPTH	256u

/* Why a file has nothing to show. */
enum chrome_fault {
	CHROME_OK,
	CHROME_FOREIGN,		/* not a time trace */
	CHROME_EMPTY,
	CHROME_DAMAGED,
	CHROME_LARGE,
	CHROME_GONE,
	CHROME_NO_FILE,		/* a directory, a device or a symbolic link */
	CHROME_UNREADABLE,
	CHROME_CHANGED,
	CHROME_UNSURE,
	CHROME_FAULTS
};

/* As text to go after the name of the file: "no longer exists". */
extern const char *const chrome_faults[CHROME_FAULTS];

struct chrome_slice {
	int64_t from, to;	/* ns since the trace's own time 0 */
	uint32_t name, detail;	/* offsets in chrome_trace.texts */
	uint32_t thread;	/* index in chrome_trace.threads */
	uint32_t depth;		/* number of slices of its thread that enclose it */
};

/* Initialize with zeros; chrome_free() frees its memory. */
struct chrome_trace {
	/* sorted by thread, then by time, enclosing slices first */
	struct chrome_slice *slices;
	size_t n, cap;
	/* sorted by @took, longest first */
	struct chrome_thread {
		int64_t tid;
		int64_t took;		/* total of all outermost slices, ns */
		uint32_t name;		/* offset in texts, of "" if unknown */
		uint32_t depth;		/* maximum nested slices */
	} *threads;
	size_t nthreads, threads_cap;
	int64_t begin;		/* date of the trace's time 0, ns since 1970; 0 if unknown */
	struct buf texts;	/* UTF-8, each with a NUL at its end; "" at offset 0 */
};

/** chrome_parse - read a trace from JSON text; empties @t first */
enum chrome_fault chrome_parse(struct chrome_trace *t, const char *json, size_t len);

/* What is recorded about a file. */
struct chrome_was {
	bool known;		/* whether size and mtime are recorded */
	int64_t size, mtime;	/* bytes, ns since 1970 */
	int64_t from, to;	/* else: when it was written, ns since 1970; 0 if unknown */
};

/**
 * chrome_read - read a trace from a file, which must be as it was recorded
 * @below: directory under which @path is looked up, "" if none
 */
enum chrome_fault chrome_read(struct chrome_trace *t, const char *below, const char *path,
			      const struct chrome_was *was);

/**
 * chrome_place - convert the trace's own times to times of the program that wrote it
 * @at, @until: begin and end of the program, ns
 * @begin: time 0 of the trace on that clock; NULL if unknown, assumed to be about @at
 *
 * The clock for times of files is coarse: a trace that begins too early, or ends too
 * late, is moved as far as needed.  A trace longer than the program is cut.
 */
void chrome_place(struct chrome_trace *t, int64_t at, int64_t until, const int64_t *begin);

void chrome_free(struct chrome_trace *t);

static inline const char *chrome_text(const struct chrome_trace *t, uint32_t at)
{
	return t->texts.s + at;
}

#endif
