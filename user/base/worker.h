/* SPDX-License-Identifier: LGPL-2.1 */
/* Starts helper threads with all signals blocked: another thread waits for signals. */
#ifndef ETRACE_WORKER_H
#define ETRACE_WORKER_H

#include <pthread.h>

/**
 * worker_start - start a thread with all signals blocked and a small stack
 *
 * Return: 0, or a negative errno if no thread was started.
 */
int worker_start(pthread_t *thread, void *(*work)(void *arg), void *arg);

#endif
