// SPDX-License-Identifier: LGPL-2.1
/* A stream that never blocks its writer.  See out_queue.h. */
#include "io/out_queue.h"
#include "io/out_file.h"
#include "base/worker.h"
#include "base/xalloc.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <time.h>
#include <unistd.h>

/* Longest wait for a thread that was asked to end, in ms. */
#define END_MS 100

struct chunk {
	struct chunk *next;
	size_t len;		/* bytes in @data; 0 asks the thread for out_sync() */
	char data[];		/* what is to be written */
};

struct out_queue {
	_Atomic uint64_t waiting;
	_Atomic int err;
	_Atomic bool ended;
	const struct out_backend *be;	/* used by the thread only, as is @ctx */
	void *ctx;
	pthread_t thread;
	bool started;
	int ended_fd, cancel;	/* eventfds */
	pthread_mutex_t lock;	/* guards the fields below */
	pthread_cond_t changed;
	struct chunk *first, *last;
	bool closed;		/* no more data will come */
};

static size_t size_of(const struct chunk *c)
{
	return sizeof(*c) + c->len;
}

/* ---- the thread ---- */

static void signal_event(int fd)
{
	uint64_t one = 1;

	/* any other error means that the counter is full, which also wakes the reader */
	while (write(fd, &one, sizeof(one)) < 0 && errno == EINTR)
		;
}

static void queue_fails(struct out_queue *q, int err)
{
	int none = 0;

	if (err)
		atomic_compare_exchange_strong(&q->err, &none, err);
}

static struct chunk *take_chunk(struct out_queue *q)
{
	struct chunk *c;

	pthread_mutex_lock(&q->lock);
	while (!q->first && !q->closed)
		pthread_cond_wait(&q->changed, &q->lock);
	c = q->first;
	if (c)
		q->first = c->next;
	pthread_mutex_unlock(&q->lock);
	return c;
}

static void queue_changed(struct out_queue *q)
{
	pthread_mutex_lock(&q->lock);
	pthread_cond_broadcast(&q->changed);
	pthread_mutex_unlock(&q->lock);
}

static int put_chunk(struct out_queue *q, const struct chunk *c)
{
	if (c->len)
		return q->be->write(q->ctx, c->data, c->len);
	return q->be->sync ? q->be->sync(q->ctx) : 0;
}

static void *run_writer(void *arg)
{
	struct out_queue *q = arg;
	struct chunk *c;

	while ((c = take_chunk(q))) {
		size_t size = size_of(c);

		if (!q->err)
			queue_fails(q, put_chunk(q, c));
		free(c);
		/* after an error, data is never written and stays counted as waiting */
		if (!q->err && atomic_fetch_sub(&q->waiting, size) == size)
			queue_changed(q);
	}
	queue_fails(q, q->be->close(q->ctx));
	q->ended = true;
	queue_changed(q);
	signal_event(q->ended_fd);
	return NULL;
}

/* ---- the stream ---- */

static int push_data(struct out_queue *q, const void *data, size_t n)
{
	struct chunk *c;

	if (q->err)
		return q->err;
	if (!q->started) {
		queue_fails(q, worker_start(&q->thread, run_writer, q));
		if (q->err)
			return q->err;
		q->started = true;
	}
	c = malloc(sizeof(*c) + n);
	if (!c) {
		queue_fails(q, -ENOMEM);
		return q->err;
	}
	c->next = NULL;
	c->len = n;
	if (n)
		memcpy(c->data, data, n);
	q->waiting += size_of(c);
	pthread_mutex_lock(&q->lock);
	if (q->first)
		q->last->next = c;
	else
		q->first = c;
	q->last = c;
	pthread_cond_broadcast(&q->changed);
	pthread_mutex_unlock(&q->lock);
	return 0;
}

static int queue_write(void *ctx, const void *data, size_t n)
{
	return push_data(ctx, data, n);
}

static int queue_sync(void *ctx)
{
	return push_data(ctx, NULL, 0);
}

static int queue_close(void *ctx)
{
	struct out_queue *q = ctx;

	/* even without data, the thread must finish the compressed file and sync it */
	if (!q->started)
		push_data(q, NULL, 0);
	pthread_mutex_lock(&q->lock);
	q->closed = true;
	pthread_cond_broadcast(&q->changed);
	pthread_mutex_unlock(&q->lock);
	if (!q->started) {
		signal_event(q->cancel);
		q->be->close(q->ctx);
		q->ended = true;
		signal_event(q->ended_fd);
	}
	return q->err;
}

struct out *out_queue_stream(struct out_queue *q)
{
	static const struct out_backend be = { .write = queue_write, .close = queue_close, .sync = queue_sync };

	return out_new(&be, q);
}

/* ---- the queue ---- */

struct out_queue *out_queue_new(int fd, const char *path, bool lasting, int ended_fd)
{
	struct out_queue *q = xcalloc(1, sizeof(*q));
	struct out_file *f = xcalloc(1, sizeof(*f));
	pthread_condattr_t attr;

	q->ended_fd = ended_fd;
	q->cancel = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	pthread_mutex_init(&q->lock, NULL);
	pthread_condattr_init(&attr);
	pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
	pthread_cond_init(&q->changed, &attr);
	pthread_condattr_destroy(&attr);
	f->fd = fd;
	f->owned = true;
	f->lasting = lasting;
	f->cancel = q->cancel;
	q->be = out_backend_of(f, path, &q->ctx);
	return q;
}

uint64_t out_queue_waiting(const struct out_queue *q)
{
	return q->waiting;
}

int out_queue_error(const struct out_queue *q)
{
	return q->err;
}

bool out_queue_ended(const struct out_queue *q)
{
	return q->ended;
}

void out_queue_settle(struct out_queue *q, unsigned int ms)
{
	struct timespec until;
	bool ended;

	clock_gettime(CLOCK_MONOTONIC, &until);
	until.tv_nsec += (long)ms * 1000000;
	until.tv_sec += until.tv_nsec / 1000000000;
	until.tv_nsec %= 1000000000;
	pthread_mutex_lock(&q->lock);
	while (!(q->closed ? q->ended : !q->waiting || q->err) &&
	       !pthread_cond_timedwait(&q->changed, &q->lock, &until))
		;
	ended = q->ended;
	pthread_mutex_unlock(&q->lock);
	if (ended && q->started) {
		pthread_join(q->thread, NULL);
		q->started = false;
	}
}

void out_queue_cancel(struct out_queue *q)
{
	queue_fails(q, -ECANCELED);
	signal_event(q->cancel);
}

bool out_queue_free(struct out_queue *q)
{
	if (!q)
		return true;
	if (!q->ended)
		out_queue_cancel(q);
	out_queue_settle(q, END_MS);
	if (q->started) {
		pthread_detach(q->thread);
		return false;
	}
	close(q->cancel);
	pthread_cond_destroy(&q->changed);
	pthread_mutex_destroy(&q->lock);
	free(q);
	return true;
}
