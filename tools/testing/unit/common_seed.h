/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Which cases of a long test a run tries: every 7th, starting at one that a seed
 * chooses.  Each run takes a new seed, so runs together try every case.
 *
 *   ETRACE_SEED=N   repeats a run; its log has the number
 *   LONG=y          tries every case, as make check-all does
 *
 * 7 is prime, so fields of 2, 4 and 8 bytes are damaged in each of their bytes.
 */
#ifndef COMMON_SEED_H
#define COMMON_SEED_H

#include <stdbool.h>
#include <stddef.h>

#define CASE_STEP	7u	/* one case of so many is tried */
#define CASE_EDGE	8u	/* places at either end that every run tries */

/** all_cases - LONG=y: every case is tried */
bool all_cases(void);

/** is_tried - is case @i among those of this run? */
bool is_tried(size_t i);

/** is_edge - is byte @at of @n one of the first or last CASE_EDGE? */
bool is_edge(size_t at, size_t n);

/** is_place_tried - is byte @at of @n damaged in this run?  Those at the edges always are. */
bool is_place_tried(size_t at, size_t n);

#endif
