/* SPDX-License-Identifier: LGPL-2.1 */
/*
 * A stream to a file that never waits for it: what is written waits in memory,
 * and a thread compresses it and writes it.
 *
 * How much may wait is the caller's business, who asks out_queue_waiting()
 * before writing more.  All functions are for one thread, the owner's.
 */
#ifndef ETRACE_OUT_QUEUE_H
#define ETRACE_OUT_QUEUE_H

#include <stdbool.h>

#include "io/out.h"

struct out_queue;

/**
 * out_queue_new - a queue; its thread begins with the first bytes
 * @fd: the queue's from now on; O_NONBLOCK if it is no regular file
 * @path: its end says the compression, as for out_named()
 * @lasting: a regular file that is empty now, to be looked after until it is
 *	on the disk: see struct out_file
 * @told: an eventfd that is told when out_queue_ended() has become true; stays
 *	the caller's
 */
struct out_queue *out_queue_new(int fd, const char *path, bool lasting, int told);

/**
 * out_queue_stream - the stream in front of it; once
 *
 * Its errors come late, as the thread meets them.  Its out_close() only says
 * that nothing more comes, and must be called before out_queue_free().
 */
struct out *out_queue_stream(struct out_queue *q);

/** out_queue_waiting - bytes of memory that hold what is not written yet */
uint64_t out_queue_waiting(const struct out_queue *q);

/** out_queue_error - 0, or the first negative errno that the thread met */
int out_queue_error(const struct out_queue *q);

/** out_queue_ended - all is written, or has failed, and the file is closed */
bool out_queue_ended(const struct out_queue *q);

/**
 * out_queue_settle - wait until nothing waits, after out_close() until the thread is gone
 * @ms: no longer than that
 */
void out_queue_settle(struct out_queue *q, unsigned int ms);

/** out_queue_cancel - what waits is not written any more */
void out_queue_cancel(struct out_queue *q);

/**
 * out_queue_free - free it
 *
 * A thread that hangs in the kernel is left to the end of the program, and
 * with it the memory, the descriptor and @told.
 *
 * Return: whether it was freed, and not left.
 */
bool out_queue_free(struct out_queue *q);

#endif
