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
	unsigned int less;	/* percentage of their weight that its clues keep */
	char name[64];		/* name of its program */
	bool keeps_times;
	bool lists, sorts;
	bool unsorted;		/* its arguments say that it does not sort */
	bool random_word;	/* its source has a word for random numbers, or for hashes */
	bool other_env;		/* a variable that comes from outside the build differs */
	unsigned int added, gone;	/* files from before the build that only one build read */
	/* directory where an interpreter looks for modules; NULL if none */
	char *script_dir;
	uint32_t touched;	/* an input with different times in the two builds; 0 if none */
	uint32_t only;		/* one of the files that @added and @gone count; 0 if none */
	unsigned int only_side;	/* the build that read @only: 0 or 1 */
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
