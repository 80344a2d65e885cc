/* SPDX-License-Identifier: LGPL-2.1 */
/*
 * Why what ran before ran again.  A step is what make, ninja or the like started,
 * or a script did, with all below it.
 */
#ifndef ETRACE_REBUILT_H
#define ETRACE_REBUILT_H

#include "answers/lists.h"
#include "answers/match.h"

enum rebuilt_kind {
	REBUILT_COMMAND,	/* its arguments are other */
	REBUILT_PROGRAM,	/* a program or library that it ran: @file */
	REBUILT_INPUT,		/* @file is another one than then */
	REBUILT_NEW_INPUT,	/* @file was not read then */
	REBUILT_MADE,		/* @file was made anew, by @step */
	REBUILT_MISSING,	/* its output @file was not there */
	REBUILT_NEW,		/* it did not run then */
	REBUILT_DECLARED,	/* @node is declared, was not read, and is another one */
};

enum rebuilt_change { REBUILT_SIZE = 1, REBUILT_TIME, REBUILT_REPLACED };

struct rebuilt_reason {
	uint32_t step;		/* unit of the new build, the first of the step */
	uint8_t kind;		/* enum rebuilt_kind */
	uint8_t change;		/* of a file: enum rebuilt_change; 0: not known */
	uint32_t file;		/* of the new build */
	uint32_t by;		/* step that made it */
	uint32_t node;		/* of lists: what stands in the place of @file; 0: nothing */
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
	struct lists lists;	/* what is declared; given, may be empty */
	int64_t *missed;	/* by file of the new build: when it was not found; 0: never */
};

/** rebuilt_find - set all of it but m and lists, which are given; rebuilt_free() */
void rebuilt_find(struct rebuilt *r);
void rebuilt_free(struct rebuilt *r);

/* ---- between its files ---- */

void rebuilt_add(struct rebuilt *r, struct rebuilt_reason reason);

/** rebuilt_inputs - what the units of a step read and ran; @next: match_step_next() */
void rebuilt_inputs(const struct match_side *s, const uint32_t *next, uint32_t first,
		    struct match_inputs *to);

/** rebuilt_declared - inputs that the rules of outputs name, and that nobody read */
void rebuilt_declared(struct rebuilt *r);

/** rebuilt_put - say it */
void rebuilt_put(const struct rebuilt *r, struct out *out, bool json);

#endif
