/* SPDX-License-Identifier: LGPL-2.1 */
/* One unit, while clues are looked for: different_units.c, different_inputs.c */
#ifndef ETRACE_DIFFERENT_LOOK_H
#define ETRACE_DIFFERENT_LOOK_H

#include "answers/different.h"

/* What a text would show, and does not, says so much, in percent. */
#define DIFFERENT_UNSEEN 20u

struct different_look {
	struct different *w;
	uint32_t unit, pair;
	unsigned int less;	/* percent that its clues count */
	char name[64];		/* of its program */
	bool keeps_times;
	bool lists, sorts;
	bool other_env;		/* a variable from outside of the build differs */
	unsigned int added, gone;	/* files from before the build that only one build read */
	char *script_dir;	/* of an interpreter that looks for modules there; NULL if none */
	uint32_t touched;	/* a file that it read, equal, but with another time stamp */
	uint32_t only;		/* one of @added or @gone */
	unsigned int only_side;	/* build that it is of */
};

/** different_unit_clue - add a clue about a unit, less if it may only pass on what came to it */
__attribute__((format(printf, 4, 5)))
void different_unit_clue(struct different_look *l, enum different_cause cause, unsigned int weight,
			 const char *text, ...);

/** different_is_place - whether a path is below the directory of the build, or of the unit */
bool different_is_place(const struct different_look *l, const char *path, size_t len);

/** different_look_at_inputs - clues of the files that a unit read (different_inputs.c) */
void different_look_at_inputs(struct different_look *l);

#endif
