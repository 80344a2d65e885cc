/* SPDX-License-Identifier: LGPL-2.1 */
/*
 * Reads and expands an input in a thread, ahead of the code that uses the data.  The thread is
 * at most a few blocks ahead, which bounds its memory.
 */
#ifndef ETRACE_IN_AHEAD_H
#define ETRACE_IN_AHEAD_H

#include "io/in_feed.h"

struct in_ahead;

/**
 * in_ahead_start - start a thread that reads an input
 * @f: only the thread may use it until in_ahead_stop()
 *
 * Return: NULL if no thread can be started; @f can be used as before.
 */
struct in_ahead *in_ahead_start(struct in_feed *f);

/**
 * in_ahead_read - take the next bytes that the thread has read; waits for them
 * @end: set at the end of the input; from then on the errors in @f may be read
 *
 * Return: the number of bytes, at most @n; 0 only at the end.
 */
size_t in_ahead_read(struct in_ahead *a, uint8_t *to, size_t n, bool *end);

/** in_ahead_stop - end the thread, even while it waits for data, and free all but @f */
void in_ahead_stop(struct in_ahead *a);

#endif
