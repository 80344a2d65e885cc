/* SPDX-License-Identifier: LGPL-2.1 */
/*
 * A stream to a file that never blocks its writer: data waits in memory until a thread
 * compresses it and writes it to the file.
 *
 * The caller limits how much may wait, by asking out_queue_waiting() before it writes
 * more.  Only the owner's thread may call these functions.
 */
#ifndef ETRACE_OUT_QUEUE_H
#define ETRACE_OUT_QUEUE_H

#include <stdbool.h>

#include "io/out.h"

struct out_queue;

/**
 * out_queue_new - a queue; its thread begins with the first bytes
 * @fd: the queue's from now on; O_NONBLOCK if it is no regular file
 * @path: its suffix gives the compression, as for out_named()
 * @lasting: it is a regular file, empty now, to be watched until it is on the disk: see
 *	struct out_file
 * @told: an eventfd that is signalled when out_queue_ended() becomes true; stays the
 *	caller's
 */
struct out_queue *out_queue_new(int fd, const char *path, bool lasting, int told);

/**
 * out_queue_stream - the stream in front of it; once
 *
 * It reports errors late, as the thread meets them.  Its out_close() only marks the end of
 * the data, and must be called before out_queue_free().
 */
struct out *out_queue_stream(struct out_queue *q);

/** out_queue_waiting - bytes of memory that hold unwritten data */
uint64_t out_queue_waiting(const struct out_queue *q);

/** out_queue_error - 0, or the first negative errno that the thread met */
int out_queue_error(const struct out_queue *q);

/** out_queue_ended - all is written, or has failed, and the file is closed */
bool out_queue_ended(const struct out_queue *q);

/**
 * out_queue_settle - block until no data waits; after out_close(), until the thread is gone
 * @ms: at most so many milliseconds
 */
void out_queue_settle(struct out_queue *q, unsigned int ms);

/** out_queue_cancel - do not write the data that still waits */
void out_queue_cancel(struct out_queue *q);

/**
 * out_queue_free - free it
 *
 * A thread that hangs in the kernel is left to the end of the program, and
 * with it the memory, the descriptor and @told.
 *
 * Return: true if it was freed, false if it was left.
 */
bool out_queue_free(struct out_queue *q);

#endif
