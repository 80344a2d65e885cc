/* SPDX-License-Identifier: LGPL-2.1 */
/* The first page of a build: what matters, and who knows more (etrace-report(1)). */
#ifndef ETRACE_FIRST_H
#define ETRACE_FIRST_H

#include "answers/draw.h"

/**
 * first_put - write it, as text
 * @top: rows of each list
 * @d: where to, and what can be drawn there
 *
 * What cannot be seen of the build is counted as damage.
 */
void first_put(struct db *db, uint64_t top, const struct draw *d);

#endif
