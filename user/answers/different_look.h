/* SPDX-License-Identifier: LGPL-2.1 */
/* State of the search for clues about one unit: different_units.c, different_inputs.c */
#ifndef ETRACE_DIFFERENT_LOOK_H
#define ETRACE_DIFFERENT_LOOK_H

#include "answers/different.h"

/* Percentage left of a clue whose cause would show in the contents, but does not. */
#define DIFFERENT_UNSEEN 20u

struct different_look {
	struct different *w;
	uint32_t unit, pair;
	unsigned int less;	/* percentage by which to scale its clues */
	char name[64];		/* of its program */
	bool keeps_times;
	bool lists, sorts;
	bool unsorted;		/* its arguments say that it does not sort */
	bool random_word;	/* its source has a word for random numbers, or for hashes */
	bool other_env;		/* a variable that comes from outside the build differs */
	unsigned int added, gone;	/* files from before the build that only one build read */
	/* directory where an interpreter looks for modules; NULL if none */
	char *script_dir;
	uint32_t touched;	/* an equal input with another time stamp */
	uint32_t only;		/* one of @added or @gone */
	unsigned int only_side;	/* build of @only */
};

/**
 * different_unit_clue - add a clue about a unit, with less weight if the unit may only pass on a
 * difference
 */
__attribute__((format(printf, 4, 5)))
void different_unit_clue(struct different_look *l, enum different_cause cause, unsigned int weight,
			 const char *text, ...);

/** different_is_place - whether a path is below the directory of the build, or of the unit */
bool different_is_place(const struct different_look *l, const char *path, size_t len);

/** different_look_at_inputs - clues from the files that a unit read (different_inputs.c) */
void different_look_at_inputs(struct different_look *l);

#endif
