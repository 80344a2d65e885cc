/* SPDX-License-Identifier: LGPL-2.1 */
/*
 * The time remaining, estimated from an earlier recording of the build.
 *
 * Programs are known again by their label, "cc1 parse.c".  Each that ends moves the
 * build on by what such a program took in the earlier recording.  How far the earlier
 * build was when it had done as much says how much was left then.
 *
 * That is scaled by how fast the present build is, as far as its parts agree on that: on
 * the same machine, the other programs that slowed down a minute of either build say
 * nothing about the next one.
 *
 * Only programs that started no others count: the others only waited for these.
 */
#ifndef ETRACE_TOP_PAST_H
#define ETRACE_TOP_PAST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct top_past;

/** top_past_new - an earlier recording, without a program */
struct top_past *top_past_new(void);
void top_past_free(struct top_past *past);

/** top_past_add - a program of it: its label, and when it ran; in the order of their ends */
void top_past_add(struct top_past *past, const char *label, size_t len, uint64_t begun,
		  uint64_t ended);

/** top_past_end - all are there: the recording went from @begun to @ended */
void top_past_end(struct top_past *past, uint64_t begun, uint64_t ended);

/* The earlier build is divided into so many parts, to compare speeds. */
#define TOP_PAST_PARTS 20u

/* How far the present build is; begins with zeros. */
struct top_progress {
	/* when parts were over: in this build, and, since its beginning, in the earlier one; ns */
	struct top_past_mark {
		uint64_t now, then;
	} mark[TOP_PAST_PARTS];
	unsigned int nmarks;
	uint64_t done;		/* ns of work that the earlier build did, too */
	uint64_t last;		/* when it was counted, ns */
	uint64_t known, ended;	/* programs that ended: those that the earlier one had, and all */
};

/** top_past_take - a program of the present build has ended */
void top_past_take(struct top_past *past, struct top_progress *p, const char *label, size_t len,
		   uint64_t now);

/**
 * top_past_left - the time remaining in ns
 * @begun: when the present build began
 * @share: set to the part of the build that is over, in percent
 *
 * Return: false if it is unknown: too little has ended, or it is another build.
 */
bool top_past_left(const struct top_past *past, const struct top_progress *p, uint64_t begun,
		   uint64_t now, uint64_t *left, unsigned int *share);

#endif
