// SPDX-License-Identifier: LGPL-2.1
/* Starts helper threads.  See worker.h. */
#include "base/worker.h"

#include <signal.h>

/* Stack size in bytes.  The default would be RLIMIT_STACK, which may be most of the memory. */
#define STACK (512u << 10)

int worker_start(pthread_t *thread, void *(*work)(void *arg), void *arg)
{
	sigset_t all, before;
	pthread_attr_t attr;
	int err;

	pthread_attr_init(&attr);
	pthread_attr_setstacksize(&attr, STACK);
	sigfillset(&all);
	pthread_sigmask(SIG_BLOCK, &all, &before);
	err = pthread_create(thread, &attr, work, arg);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	pthread_attr_destroy(&attr);
	return -err;
}
