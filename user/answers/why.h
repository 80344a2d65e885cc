/* SPDX-License-Identifier: LGPL-2.1 */
/* Why a file is as it is: who made it, and how another one got into it. */
#ifndef ETRACE_WHY_H
#define ETRACE_WHY_H

#include "answers/answers.h"

struct why {
	struct out *out;
	bool json;
	bool full;	/* commands are not shortened for a person */
};

/** why_made - who made a file, by which command, called by whom up to the root */
void why_made(struct db *db, uint32_t file, const struct why *w);

/**
 * why_from - the shortest chain from an output to an input
 *
 * Data and pipes are looked at first, and all classes if they do not lead there.
 * Return: false after diag_fatal(): there is none.
 */
bool why_from(struct db *db, uint32_t output, uint32_t input, const struct why *w);

#endif
