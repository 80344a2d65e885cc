/* SPDX-License-Identifier: LGPL-2.1 */
/* Helper threads: all signals are blocked in them, for another thread waits for signals. */
#ifndef ETRACE_WORKER_H
#define ETRACE_WORKER_H

#include <pthread.h>

/**
 * worker_start - a thread in which all signals are blocked, with a small stack
 *
 * Return: 0 or a negative errno; then there is no thread.
 */
int worker_start(pthread_t *thread, void *(*work)(void *arg), void *arg);

#endif
