// SPDX-License-Identifier: LGPL-2.1
/* fdatasync() in a thread.  See disk.h. */
#include "io/disk.h"
#include "base/worker.h"
#include "base/xalloc.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <unistd.h>

struct disk {
	int fd;
	pthread_t thread;
	pthread_mutex_t lock;	/* guards the fields below */
	pthread_cond_t changed;
	bool wanted, ended;
	int err;
};

static void *run_syncer(void *arg)
{
	struct disk *d = arg;

	pthread_mutex_lock(&d->lock);
	while (!d->ended) {
		int err;

		if (!d->wanted) {
			pthread_cond_wait(&d->changed, &d->lock);
			continue;
		}
		d->wanted = false;
		pthread_mutex_unlock(&d->lock);
		err = fdatasync(d->fd) ? -errno : 0;
		pthread_mutex_lock(&d->lock);
		if (!d->err)
			d->err = err;
	}
	pthread_mutex_unlock(&d->lock);
	return NULL;
}

struct disk *disk_new(int fd)
{
	struct disk *d = xcalloc(1, sizeof(*d));

	d->fd = fd;
	pthread_mutex_init(&d->lock, NULL);
	pthread_cond_init(&d->changed, NULL);
	if (worker_start(&d->thread, run_syncer, d)) {
		free(d);
		return NULL;
	}
	return d;
}

void disk_sync(struct disk *d)
{
	pthread_mutex_lock(&d->lock);
	d->wanted = true;
	pthread_cond_signal(&d->changed);
	pthread_mutex_unlock(&d->lock);
}

int disk_free(struct disk *d)
{
	int err;

	if (!d)
		return 0;
	pthread_mutex_lock(&d->lock);
	d->ended = true;
	pthread_cond_signal(&d->changed);
	pthread_mutex_unlock(&d->lock);
	pthread_join(d->thread, NULL);
	err = d->err;
	pthread_cond_destroy(&d->changed);
	pthread_mutex_destroy(&d->lock);
	free(d);
	return err;
}
