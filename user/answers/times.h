/* SPDX-License-Identifier: LGPL-2.1 */
/* What etrace time says: timeline.h, as text and as JSON. */
#ifndef ETRACE_TIMES_H
#define ETRACE_TIMES_H

#include "answers/line.h"

enum times_key { TIMES_PROGRAM, TIMES_OUTPUT, TIMES_DIRECTORY };

struct times {
	struct out *out;
	bool json;
	uint64_t top;		/* rows of a list */
	enum times_key by;
};

/** times_by - what the list of the slowest is by; NULL: programs.  Return: false: unknown */
bool times_by(struct times *w, const char *name);

/** times_put - all of it */
void times_put(struct db *db, const struct times *w);

/** times_first - what of it stands on the first page, as text: the sum, the slowest */
void times_first(const struct timeline *t, const struct times *w);

#endif
