/* SPDX-License-Identifier: LGPL-2.1 */
/*
 * What strace does not report about files, found by looking while the build runs: struct st_asks.
 *
 * The look comes a little after the call.  So a file's identity is recorded only if its
 * times prove that it was the same at the call: nothing of it, its names included, has changed
 * since (ctime), or it was made by just that call (btime).
 */
#ifndef ETRACE_LOOK_H
#define ETRACE_LOOK_H

#include "format/strace/st_log.h"

/* What is given to struct st_asks as @ctx. */
#define LOOK_MADE 64u

struct look {
	int64_t realtime;	/* CLOCK_REALTIME minus the log's times, ns */
	int64_t grain;		/* how far a file's times may lag behind the clock, ns */
	/* the files last told to be made by a call: one is made once; dev 0: none */
	struct {
		uint64_t dev, ino;
		int64_t btime;
	} made[LOOK_MADE];
	unsigned int next;
};

/** look_asks - @look outlives it */
struct st_asks look_asks(struct look *look);

#endif
