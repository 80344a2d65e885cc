/* SPDX-License-Identifier: LGPL-2.1 */
/* Why a file is the way it is: which program made it, and how another file got into it. */
#ifndef ETRACE_WHY_H
#define ETRACE_WHY_H

#include "answers/answers.h"

struct why {
	struct out *out;
	bool json;
	bool full;	/* do not shorten commands */
};

/** why_made - print which command made a file, and its callers up to the root */
void why_made(struct db *db, uint32_t file, const struct why *w);

/**
 * why_from - print the shortest chain from an output to an input
 *
 * Searches data and pipes first, and then all classes.
 * Return: false after diag_fatal() if there is none.
 */
bool why_from(struct db *db, uint32_t output, uint32_t input, const struct why *w);

#endif
