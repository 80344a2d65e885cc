// SPDX-License-Identifier: GPL-2.0
/* Files on their way to the disk.  See disk.h. */
#include "disk.h"
#include "xalloc.h"

#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <unistd.h>

struct disk {
	pthread_t thread;
	pthread_mutex_t lock;	/* guards what follows */
	pthread_cond_t changed;
	int *fds;
	size_t n, cap;
	bool wanted, ended;
};

static void *work(void *arg)
{
	struct disk *d = arg;

	pthread_mutex_lock(&d->lock);
	while (!d->ended) {
		if (!d->wanted) {
			pthread_cond_wait(&d->changed, &d->lock);
			continue;
		}
		d->wanted = false;
		for (size_t i = 0; i < d->n && !d->ended; i++) {
			int fd = d->fds[i];

			/* an error is told by whoever writes */
			pthread_mutex_unlock(&d->lock);
			fdatasync(fd);
			pthread_mutex_lock(&d->lock);
		}
	}
	pthread_mutex_unlock(&d->lock);
	return NULL;
}

struct disk *disk_new(void)
{
	struct disk *d = xcalloc(1, sizeof(*d));
	sigset_t all, before;
	int err;

	pthread_mutex_init(&d->lock, NULL);
	pthread_cond_init(&d->changed, NULL);
	/* signals are for the thread that waits for them */
	sigfillset(&all);
	pthread_sigmask(SIG_BLOCK, &all, &before);
	err = pthread_create(&d->thread, NULL, work, d);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	if (err) {
		free(d);
		return NULL;
	}
	return d;
}

void disk_add(struct disk *d, int fd)
{
	int own = fcntl(fd, F_DUPFD_CLOEXEC, 0);

	if (own < 0)
		return;
	pthread_mutex_lock(&d->lock);
	d->fds = xgrow(d->fds, &d->cap, d->n + 1, sizeof(own));
	d->fds[d->n++] = own;
	pthread_mutex_unlock(&d->lock);
}

void disk_sync(struct disk *d)
{
	pthread_mutex_lock(&d->lock);
	d->wanted = true;
	pthread_cond_signal(&d->changed);
	pthread_mutex_unlock(&d->lock);
}

void disk_free(struct disk *d)
{
	if (!d)
		return;
	pthread_mutex_lock(&d->lock);
	d->ended = true;
	pthread_cond_signal(&d->changed);
	pthread_mutex_unlock(&d->lock);
	pthread_join(d->thread, NULL);
	for (size_t i = 0; i < d->n; i++)
		close(d->fds[i]);
	free(d->fds);
	pthread_cond_destroy(&d->changed);
	pthread_mutex_destroy(&d->lock);
	free(d);
}
