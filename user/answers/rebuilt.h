/* SPDX-License-Identifier: LGPL-2.1 */
/*
 * Why steps of an earlier build ran again in this one.  A step is a program that make,
 * ninja or the like, or a script started, with all programs below it.
 */
#ifndef ETRACE_REBUILT_H
#define ETRACE_REBUILT_H

#include "answers/lists.h"
#include "answers/match.h"

enum rebuilt_kind {
	REBUILT_COMMAND,	/* its program, arguments or directory differ */
	REBUILT_PROGRAM,	/* @file, a program or library that it runs, differs */
	REBUILT_INPUT,		/* @file differs */
	REBUILT_NEW_INPUT,	/* @file was not read in the earlier build */
	REBUILT_MADE,		/* @file was made again, by step @by */
	REBUILT_MISSING,	/* its output @file did not exist */
	REBUILT_NEW,		/* it did not run in the earlier build */
	REBUILT_DECLARED,	/* @node, a declared input that was not read, differs */
};


struct rebuilt_reason {
	uint32_t step;		/* first unit of the step in the new build */
	uint8_t kind;		/* enum rebuilt_kind */
	uint8_t change;		/* how @file or @node differs, enum match_change */
	uint32_t file;		/* file of the new build */
	uint32_t by;		/* step that made @file */
	uint32_t node;		/* node of @lists, instead of @file; 0 if none */
};

struct rebuilt {
	struct match m;
	uint32_t *step[2];	/* by unit: first unit of its step; 0 if it only runs steps */
	struct rebuilt_reason *reasons;	/* by step, the most certain first */
	size_t n, cap;
	struct rebuilt_output {
		uint32_t step, file;
	} *outputs;		/* files that exist at the end, by step and path */
	size_t noutputs, outputs_cap;
	/*
	 * Inputs that were written or touched but are equal, so they are not reasons. By step and
	 * path.
	 */
	struct rebuilt_output *touched;
	size_t ntouched, touched_cap;
	/* by unit: how the inputs of its step were compared, enum match_by */
	uint8_t *by;
	struct lists lists;	/* declared inputs; set by the caller, may be empty */
	int64_t *missed;	/* by file of the new build: when a lookup failed; 0 if none did */
};

/** rebuilt_find - find all reasons; m and lists must be set.  Release with rebuilt_free(). */
void rebuilt_find(struct rebuilt *r);
void rebuilt_free(struct rebuilt *r);

/* ---- shared by rebuilt*.c ---- */

/** rebuilt_compare_inputs - add reasons: commands, programs and inputs that differ */
void rebuilt_compare_inputs(struct rebuilt *r);

void rebuilt_add(struct rebuilt *r, struct rebuilt_reason reason);

/**
 * rebuilt_change - how a file that a step uses differs, by its versions in the two builds
 * @file: in the new build; 0 if none. If it was touched but is equal, it is added to r->touched.
 *
 * Return: MATCH_SAME also if unknown.
 */
enum match_change rebuilt_change(struct rebuilt *r, uint32_t step, uint32_t file, uint32_t first,
				 uint32_t second);

/** rebuilt_inputs - files that the units of a step read and ran; @next: match_step_next() */
void rebuilt_inputs(const struct match_side *s, const uint32_t *next, uint32_t first,
		    struct match_inputs *to);

/** rebuilt_declared - add declared inputs that differ, although the step did not read them */
void rebuilt_declared(struct rebuilt *r);

/** rebuilt_put - print the reasons */
void rebuilt_put(const struct rebuilt *r, struct out *out, bool json);

#endif
