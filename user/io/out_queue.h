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
 * out_queue_new - create a queue; its thread starts with the first bytes
 * @fd: owned by the queue from now on; O_NONBLOCK unless it is a regular file
 * @path: its suffix gives the compression, as for out_named()
 * @lasting: a regular file, empty now, that must be on the disk at the end: see struct
 *	out_file
 * @ended_fd: an eventfd that is signalled when out_queue_ended() becomes true; the caller
 *	closes it
 */
struct out_queue *out_queue_new(int fd, const char *path, bool lasting, int ended_fd);

/**
 * out_queue_stream - the stream that writes into the queue; call it once
 *
 * The stream reports errors late, after the thread has met them.  Its out_close() only marks
 * the end of the data, and must be called before out_queue_free().
 */
struct out *out_queue_stream(struct out_queue *q);

/** out_queue_waiting - bytes of memory that hold unwritten data */
uint64_t out_queue_waiting(const struct out_queue *q);

/** out_queue_error - 0, or the first negative errno that the thread met */
int out_queue_error(const struct out_queue *q);

/** out_queue_ended - whether everything was written, or failed, and the file is closed */
bool out_queue_ended(const struct out_queue *q);

/**
 * out_queue_settle - wait until all data is written; after out_close(), until the thread has ended
 * @ms: longest wait in milliseconds
 */
void out_queue_settle(struct out_queue *q, unsigned int ms);

/** out_queue_cancel - discard the data that still waits */
void out_queue_cancel(struct out_queue *q);

/**
 * out_queue_free - free the queue
 *
 * If its thread hangs in the kernel, the thread, the memory, the descriptor and @ended_fd stay
 * until the program ends.
 *
 * Return: true if it was freed, false if it was left.
 */
bool out_queue_free(struct out_queue *q);

#endif
