/* SPDX-License-Identifier: LGPL-2.1 */
/*
 * Estimates the remaining time of a build from an earlier recording of it.
 *
 * Programs are recognized by their label, "cc1 parse.c".  Each program that ends advances
 * the build by the time that such a program took in the earlier recording.  The remaining
 * time is the time that the earlier build still needed at that point.
 *
 * That time is scaled by the speed of the present build, but only as far as its parts agree
 * on that speed: if other programs on the machine slowed down one minute of either build,
 * that says nothing about the next minute.
 *
 * Only programs without children count, since the others mostly waited for them.
 */
#ifndef ETRACE_TOP_PAST_H
#define ETRACE_TOP_PAST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct top_past;

/** top_past_new - create an earlier recording that has no programs yet */
struct top_past *top_past_new(void);
void top_past_free(struct top_past *past);

/** top_past_add - add a program: its label, and when it ran; in the order of their ends */
void top_past_add(struct top_past *past, const char *label, size_t len, uint64_t begun,
		  uint64_t ended);

/**
 * top_past_end - finish, after all programs were added; the recording went from @begun to @ended
 */
void top_past_end(struct top_past *past, uint64_t begun, uint64_t ended);

/* The earlier build is divided into this many parts, to compare speeds. */
#define TOP_PAST_PARTS 20u

/* Progress of the present build; starts as all zeros. */
struct top_progress {
	/* when a part ended, ns: in this build; in the earlier build, from its beginning on */
	struct top_past_mark {
		uint64_t now, then;
	} mark[TOP_PAST_PARTS];
	unsigned int nmarks;
	uint64_t done;		/* work done that the earlier build did, too: its time there, ns */
	uint64_t last;		/* when @done last changed, ns */
	uint64_t known, ended;	/* programs that ended: those that the earlier build also ran; all */
};

/** top_past_take - note that a program of the present build has ended */
void top_past_take(struct top_past *past, struct top_progress *p, const char *label, size_t len,
		   uint64_t now);

/**
 * top_past_left - the time remaining in ns
 * @begun: when the present build began
 * @share: set to the part of the build that is over, in percent
 *
 * Return: false if unknown: too few programs have ended, or the builds differ too much.
 */
bool top_past_left(const struct top_past *past, const struct top_progress *p, uint64_t begun,
		   uint64_t now, uint64_t *left, unsigned int *share);

#endif
