/* SPDX-License-Identifier: LGPL-2.1 */
/*
 * A thread that reads and expands an input ahead of who uses it, some blocks at
 * most: so much memory is all that it takes.
 */
#ifndef ETRACE_IN_AHEAD_H
#define ETRACE_IN_AHEAD_H

#include "io/in_feed.h"

struct in_ahead;

/**
 * in_ahead_start - let a thread read
 * @f: the thread's from now on, until in_ahead_stop()
 *
 * Return: NULL if there can be no thread; then nothing has changed.
 */
struct in_ahead *in_ahead_start(struct in_feed *f);

/**
 * in_ahead_read - bytes that it has read, in their order; waits for them
 * @end: set when there are no more; then all that @f says of errors can be read
 *
 * Return: how many of @n there are; 0 only at the end.
 */
size_t in_ahead_read(struct in_ahead *a, uint8_t *to, size_t n, bool *end);

/** in_ahead_stop - end the thread, wherever it is, and free all but @f */
void in_ahead_stop(struct in_ahead *a);

#endif
