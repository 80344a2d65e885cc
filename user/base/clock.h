/* SPDX-License-Identifier: LGPL-2.1 */
/* Clocks and times in ns. */
#ifndef ETRACE_CLOCK_H
#define ETRACE_CLOCK_H

#include <stdint.h>
#include <time.h>

static inline int64_t timespec_ns(const struct timespec *t)
{
	return (int64_t)t->tv_sec * 1000000000 + t->tv_nsec;
}

static inline double ns_seconds(int64_t ns)
{
	return (double)ns / 1e9;
}

static inline int64_t clock_ns(clockid_t clock)
{
	struct timespec t;

	clock_gettime(clock, &t);
	return timespec_ns(&t);
}

/**
 * clock_to_real - CLOCK_REALTIME minus CLOCK_MONOTONIC, ns
 *
 * The thread may be preempted between reading the clocks, so the shortest of three tries counts.
 *
 * Return: the difference; never too large, and too small by at most the duration of the shortest
 * try.
 */
static inline int64_t clock_to_real(void)
{
	int64_t best = INT64_MAX, ahead = 0;

	for (int i = 0; i < 3; i++) {
		int64_t before = clock_ns(CLOCK_MONOTONIC), real = clock_ns(CLOCK_REALTIME),
			after = clock_ns(CLOCK_MONOTONIC);

		if (after - before < best) {
			best = after - before;
			ahead = real - after;
		}
	}
	return ahead;
}

#endif
