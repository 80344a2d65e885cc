/* SPDX-License-Identifier: LGPL-2.1 */
/* The first page of a build: what matters, and which commands show more (etrace-report(1)). */
#ifndef ETRACE_FIRST_PAGE_H
#define ETRACE_FIRST_PAGE_H

#include "answers/draw.h"

/**
 * first_put - print the first page as text
 * @top: rows of each list
 * @d: where to draw, and how
 *
 * Parts of the build that the trace does not show are reported as damage.
 */
void first_put(struct db *db, uint64_t top, const struct draw *d);

#endif
