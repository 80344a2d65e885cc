/* SPDX-License-Identifier: LGPL-2.1 */
/*
 * Finds programs of a build that wrote time traces of themselves, and the files that
 * may contain these, by names and arguments alone.
 */
#ifndef ETRACE_TRACED_H
#define ETRACE_TRACED_H

#include "base/buf.h"
#include "timeline/timeline.h"
#include "timeline/work.h"
#include "io/diag.h"

/* What a file can be, by its name. */
enum traced_name {
	TRACED_NONE,
	TRACED_TRACE,	/* a time trace, or any other JSON */
	TRACED_PROFILE,	/* from rustc: crox makes a time trace from it */
};

enum traced_name traced_name_of(const char *path, size_t len);

/** traced_is_certain - whether a file of that name is a time trace and nothing else */
bool traced_is_certain(const char *path, size_t len);

/** traced_asked - whether the @n arguments of a command ask for a time trace */
bool traced_asked(enum work_class class, const struct work_arg *args, size_t n);

/* Flags of an exec. */
#define TRACED_ASKED	1u	/* traced_asked(): it was asked to write one */
#define TRACED_REPORTED	2u	/* it wrote one, or was reported for not writing one */
#define TRACED_FAILED	4u	/* its process failed, so it need not have written one */

/**
 * traced_missing - execs that were asked for a time trace and wrote none
 * @execs: TRACED_*, by exec
 * @fn: called for each, in order; for a driver, with the program that it runs
 */
void traced_missing(const struct timeline *t, const uint8_t *execs,
		    void (*fn)(void *ctx, uint32_t exec), void *ctx);

/* Messages about time traces that are not shown.  Starts as all zeros. */
struct traced_faults {
	struct buf text;	/* text of the first messages */
	uint64_t n;		/* number of messages */
};

/** traced_fault - add a fault; @name: the file or program, @len bytes; @fault: as text */
void traced_fault(struct traced_faults *f, const char *name, size_t len, const char *fault);

/** traced_faults_end - report the faults as a note, if there are any, and free @f */
void traced_faults_end(struct traced_faults *f, struct diag *diag);

#endif
