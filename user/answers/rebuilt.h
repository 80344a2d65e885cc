/* SPDX-License-Identifier: LGPL-2.1 */
/*
 * Why what ran before ran again.  A step is what make, ninja or the like started,
 * or a script did, with all below it.
 */
#ifndef ETRACE_REBUILT_H
#define ETRACE_REBUILT_H

#include "answers/match.h"

enum rebuilt_kind {
	REBUILT_COMMAND,	/* its arguments are other */
	REBUILT_PROGRAM,	/* a program or library that it ran: @file */
	REBUILT_INPUT,		/* @file is another one than then */
	REBUILT_NEW_INPUT,	/* @file was not read then */
	REBUILT_MADE,		/* @file was made anew, by @step */
	REBUILT_MISSING,	/* its output @file was not there */
	REBUILT_NEW,		/* it did not run then */
};

enum rebuilt_change { REBUILT_SIZE = 1, REBUILT_TIME, REBUILT_REPLACED };

struct rebuilt_reason {
	uint32_t step;		/* unit of the new build, the first of the step */
	uint8_t kind;		/* enum rebuilt_kind */
	uint8_t change;		/* of a file: enum rebuilt_change; 0: not known */
	uint32_t file;		/* of the new build */
	uint32_t by;		/* step that made it */
};

struct rebuilt {
	struct match m;
	uint32_t *step[2];	/* by unit: the first unit of its step; 0: it only calls steps */
	struct rebuilt_reason *reasons;	/* by step, the surest first */
	size_t n, cap;
	struct rebuilt_output {
		uint32_t step, file;
	} *outputs;		/* by step and path: there in the end */
	size_t noutputs, outputs_cap;
	int64_t *missed;	/* by file of the new build: when it was not found; 0: never */
};

/** rebuilt_find - set all of it but m, which is given; rebuilt_free() */
void rebuilt_find(struct rebuilt *r);
void rebuilt_free(struct rebuilt *r);

/** rebuilt_put - say it */
void rebuilt_put(const struct rebuilt *r, struct out *out, bool json);

#endif
