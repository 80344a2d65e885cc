/* SPDX-License-Identifier: LGPL-2.1 */
/*
 * Finds what strace does not report about files by looking at them while the build runs:
 * struct st_asks.
 *
 * It looks shortly after the call. So it records a file's identity only if the times prove that
 * this is the file of the call: neither it nor its names have changed since (ctime), or this very
 * call created it: it was born since (btime), and the task's descriptor still refers to it, or it
 * was not renamed since (ctime and mtime are equal).
 */
#ifndef ETRACE_LOOK_H
#define ETRACE_LOOK_H

#include "format/strace/st_log.h"

/* Number of created files to remember. */
#define LOOK_MADE 64u

/* The @ctx of struct st_asks. */
struct look {
	int64_t realtime;	/* CLOCK_REALTIME minus the log's times, ns */
	int64_t grain;		/* how far a file's times may lag behind the clock, ns */
	/* files last reported as created, since each is created only once; dev 0 if none */
	struct {
		uint64_t dev, ino;
		int64_t btime;
	} made[LOOK_MADE];
	unsigned int next;
};

/** look_asks - callbacks that use @look, which must outlive them */
struct st_asks look_asks(struct look *look);

#endif
