/* SPDX-License-Identifier: LGPL-2.1 */
/* What etrace time says: timeline.h, as text and as JSON. */
#ifndef ETRACE_TIMES_H
#define ETRACE_TIMES_H

#include "answers/line.h"
#include "base/map64.h"

enum times_key { TIMES_PROGRAM, TIMES_OUTPUT, TIMES_DIRECTORY };

struct times {
	struct out *out;
	bool json;
	uint64_t top;		/* rows of a list */
	enum times_key by;
	bool longest;		/* the critical path's longest parts first, not by time */
	const struct lists *lists;	/* what is declared; NULL: nothing is known of it */
};

/* What took long. */
struct times_row {
	uint32_t file;		/* 0: not known */
	uint32_t exec;		/* the longest */
	uint64_t n;		/* runs, or jobs */
	int64_t took;		/* how long they worked themselves; of outputs: from begin to end */
	int64_t cpu, longest;
	int64_t at, until;	/* of the longest */
};

struct times_list {
	struct times_row *rows;	/* the slowest first; to be freed */
	size_t n, cap;
	struct map64 by_file;	/* while it is made */
};

/** times_find - the slowest, by something */
void times_find(struct times_list *l, const struct timeline *t, enum times_key by);

/** times_put - all of it */
void times_put(struct db *db, const struct times *w);

/** times_first - what of it stands on the first page, as text: the sum, the slowest */
void times_first(const struct timeline *t, const struct times *w);

#endif
