/* SPDX-License-Identifier: LGPL-2.1 */
/* The first page of a build: what matters, and who knows more (etrace-report(1)). */
#ifndef ETRACE_FIRST_H
#define ETRACE_FIRST_H

#include "answers/answers.h"

/**
 * first_put - write it, as text
 * @top: rows of each list
 *
 * What cannot be seen of the build is counted as damage.
 */
void first_put(struct db *db, struct out *out, uint64_t top);

#endif
