/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Which cases of a long test a run tries: every 7th, starting at a case that the seed
 * chooses.  Each run takes a new seed, so that many runs together try every case.
 *
 *   ETRACE_SEED=N   repeats a run; its log has the number
 *   LONG=y          tries every case, as make check-all does
 *
 * 7 is prime, so in fields of 2, 4 and 8 bytes every byte gets damaged.
 */
#ifndef COMMON_SEED_H
#define COMMON_SEED_H

#include <stdbool.h>
#include <stddef.h>

#define CASE_STEP	7u	/* one of this many cases is tried */
#define CASE_EDGE	8u	/* this many places at either end are tried in every run */

/** all_cases - LONG=y: try every case */
bool all_cases(void);

/** is_tried - is case @i among those of this run? */
bool is_tried(size_t i);

/** is_edge - is byte @at of @n one of the first or last CASE_EDGE bytes? */
bool is_edge(size_t at, size_t n);

/** is_place_tried - is byte @at of @n damaged in this run?  Bytes at the edges always are. */
bool is_place_tried(size_t at, size_t n);

#endif
