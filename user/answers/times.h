/* SPDX-License-Identifier: LGPL-2.1 */
/* etrace time: prints a timeline (timeline.h) as text and as JSON. */
#ifndef ETRACE_TIMES_H
#define ETRACE_TIMES_H

#include "answers/timeline_load.h"
#include "base/map64.h"

enum times_key { TIMES_PROGRAM, TIMES_OUTPUT, TIMES_DIRECTORY };

struct times {
	struct out *out;
	bool json;
	uint64_t top;		/* rows of each list */
	enum times_key by;
	bool longest;		/* sort the critical path by duration, not by time */
	const struct lists *lists;	/* declared inputs; NULL if unknown */
};

/* One row of a list of the slowest; times are in ns. */
struct times_row {
	uint32_t file;		/* 0 if unknown */
	uint32_t exec;		/* the longest one */
	uint64_t n;		/* number of runs, or jobs */
	int64_t took;		/* sum of working times; for outputs, from begin to end */
	int64_t cpu, longest;
	int64_t at, until;	/* begin and end of the longest run */
};

struct times_list {
	struct times_row *rows;	/* the slowest first; to be freed */
	size_t n, cap;
	struct map64 by_file;	/* used while the list is being made */
};

/** times_find - find the slowest programs, outputs or directories */
void times_find(struct times_list *l, const struct timeline *t, enum times_key by);

/** times_put - print everything */
void times_put(struct db *db, const struct times *w);

/** times_first - print the parts for the first page, as text: totals, and the slowest */
void times_first(const struct timeline *t, const struct times *w);

#endif
