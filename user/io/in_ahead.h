/* SPDX-License-Identifier: LGPL-2.1 */
/*
 * A thread that reads and expands an input ahead of its user.  It is at most a few blocks
 * ahead, which bounds its memory.
 */
#ifndef ETRACE_IN_AHEAD_H
#define ETRACE_IN_AHEAD_H

#include "io/in_feed.h"

struct in_ahead;

/**
 * in_ahead_start - let a thread read
 * @f: the thread's from now on, until in_ahead_stop()
 *
 * Return: NULL if no thread can be started; then nothing has changed.
 */
struct in_ahead *in_ahead_start(struct in_feed *f);

/**
 * in_ahead_read - take bytes that the thread has read, in order; waits for them
 * @end: set when there are no more; from then on the errors in @f may be read
 *
 * Return: how many of @n there are; 0 only at the end.
 */
size_t in_ahead_read(struct in_ahead *a, uint8_t *to, size_t n, bool *end);

/** in_ahead_stop - end the thread, wherever it is, and free all but @f */
void in_ahead_stop(struct in_ahead *a);

#endif
