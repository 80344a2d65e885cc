// SPDX-License-Identifier: LGPL-2.1
/* Reading ahead in a thread.  See in_ahead.h. */
#include "io/in_ahead.h"
#include "base/worker.h"
#include "base/xalloc.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#define BLOCKS	4u
#define BLOCK	(128u << 10)

struct in_ahead {
	struct in_feed *feed;	/* used by the thread only */
	pthread_t thread;
	pthread_mutex_t lock;	/* guards the fields below, but not the data in blocks */
	pthread_cond_t changed;
	/*
	 * The reader owns the blocks [first, first + full) of the ring, which are
	 * full; the thread owns the others.
	 */
	unsigned int first, full;
	bool ended;		/* the thread fills no more blocks */
	bool stop;
	size_t len[BLOCKS];
	size_t used;		/* bytes read from the first block; the reader's */
	uint8_t *data[BLOCKS];
};

/* Wait for a free block.  Return: its index, -1 if the thread should stop. */
static int free_block(struct in_ahead *a)
{
	int i = -1;

	pthread_mutex_lock(&a->lock);
	while (a->full == BLOCKS && !a->stop)
		pthread_cond_wait(&a->changed, &a->lock);
	if (!a->stop)
		i = (int)((a->first + a->full) % BLOCKS);
	pthread_mutex_unlock(&a->lock);
	return i;
}

static void *run_reader(void *arg)
{
	struct in_ahead *a = arg;
	int i;

	while (!a->feed->end && (i = free_block(a)) >= 0) {
		size_t n = in_feed_read(a->feed, a->data[i], BLOCK);

		if (!n)
			continue;
		/* pass the block on even if it is not full: a pipe may be slow */
		pthread_mutex_lock(&a->lock);
		a->len[i] = n;
		a->full++;
		pthread_cond_signal(&a->changed);
		pthread_mutex_unlock(&a->lock);
	}
	pthread_mutex_lock(&a->lock);
	a->ended = true;
	pthread_cond_signal(&a->changed);
	pthread_mutex_unlock(&a->lock);
	return NULL;
}

struct in_ahead *in_ahead_start(struct in_feed *f)
{
	struct in_ahead *a = xcalloc(1, sizeof(*a));

	a->feed = f;
	f->cancel = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	pthread_mutex_init(&a->lock, NULL);
	pthread_cond_init(&a->changed, NULL);
	for (unsigned int i = 0; i < BLOCKS; i++)
		a->data[i] = xmalloc(BLOCK);
	if (f->cancel >= 0 && !worker_start(&a->thread, run_reader, a))
		return a;
	a->ended = true;
	a->feed = NULL;
	if (f->cancel >= 0)
		close(f->cancel);
	f->cancel = -1;
	in_ahead_stop(a);
	return NULL;
}

size_t in_ahead_read(struct in_ahead *a, uint8_t *to, size_t n, bool *end)
{
	size_t got;

	pthread_mutex_lock(&a->lock);
	while (!a->full && !a->ended)
		pthread_cond_wait(&a->changed, &a->lock);
	got = a->full ? a->len[a->first] - a->used : 0;
	pthread_mutex_unlock(&a->lock);
	if (!got) {
		*end = true;
		return 0;
	}
	if (got > n)
		got = n;
	memcpy(to, a->data[a->first] + a->used, got);
	a->used += got;
	if (a->used < a->len[a->first])
		return got;
	a->used = 0;
	pthread_mutex_lock(&a->lock);
	a->first = (a->first + 1) % BLOCKS;
	a->full--;
	pthread_cond_signal(&a->changed);
	pthread_mutex_unlock(&a->lock);
	return got;
}

void in_ahead_stop(struct in_ahead *a)
{
	uint64_t one = 1;

	if (!a)
		return;
	if (a->feed) {
		pthread_mutex_lock(&a->lock);
		a->stop = true;
		pthread_cond_signal(&a->changed);
		pthread_mutex_unlock(&a->lock);
		while (write(a->feed->cancel, &one, sizeof(one)) < 0 && errno == EINTR)
			;
		pthread_join(a->thread, NULL);
		close(a->feed->cancel);
		a->feed->cancel = -1;
	}
	for (unsigned int i = 0; i < BLOCKS; i++)
		free(a->data[i]);
	pthread_cond_destroy(&a->changed);
	pthread_mutex_destroy(&a->lock);
	free(a);
}
