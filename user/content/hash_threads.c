// SPDX-License-Identifier: GPL-2.0
/* Threads that hash files.  See hash_threads.h. */
#include "content/hash_threads.h"
#include "base/clock.h"
#include "base/worker.h"
#include "base/xalloc.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#define THREADS		2u
#define NICE		10		/* niceness of the threads: the build comes first */
/* How long due_of() delays a result that a pending event may contradict. */
#define HOLD_NS		50000000u
/* How long to wait at the end for threads that still work, in s: see hash_threads_free(). */
#define END_S		1
/* Up to this much work, one thread is enough: waking another one would cost more. */
#define WORK_FEW	8u

struct work_list {
	struct hash_work *first, **end;
};

struct hash_threads {
	const struct file_limits *limits;
	pthread_t threads[THREADS + 1];
	unsigned int nthreads;
	/* protected by @lock: */
	pthread_mutex_t lock;
	pthread_cond_t more, more_keeps, done;
	struct work_list files, keeps, results;
	struct work_list stores;	/* hashes to store in the cache when no file waits */
	unsigned int waiting;	/* amount of work in @files, @keeps and @stores, or being done */
	unsigned int idle;	/* threads that wait for @more */
	bool stop;
	atomic_ullong due;	/* time when the first of @results counts; UINT64_MAX if none */
};

static void list_init(struct work_list *l)
{
	l->first = NULL;
	l->end = &l->first;
}

static void list_add(struct work_list *l, struct hash_work *w)
{
	w->next = NULL;
	*l->end = w;
	l->end = &w->next;
}

static struct hash_work *list_take(struct work_list *l)
{
	struct hash_work *w = l->first;

	if (!w)
		return NULL;
	l->first = w->next;
	if (!l->first)
		l->end = &l->first;
	return w;
}

static void list_free(struct work_list *l)
{
	struct hash_work *w;

	while ((w = list_take(l)))
		hash_work_free(w);
}

void hash_work_free(struct hash_work *w)
{
	if (w->kind == HASH_WORK_KEEP && w->job.kept >= 0)
		close(w->job.kept);
	free(w->job.path);
	free(w);
}

/*
 * When a result may be taken. A call that has changed a file but not returned yet has no event. So
 * wait for such an event if the file had changed unexpectedly; and also if an open may have
 * truncated it unnoticed, because no recorded size would show that. Return: CLOCK_MONOTONIC, ns
 */
static uint64_t due_of(const struct hash_work *w)
{
	bool waits = w->result.why_not ? w->result.again : !w->job.of.sized && !w->result.empty;

	if (w->kind == HASH_WORK_KEEP)
		return w->result.time;
	return w->result.time + (waits ? HOLD_NS : 0);
}

/* The caller holds @lock. */
static void add_result(struct hash_threads *t, struct hash_work *w)
{
	list_add(&t->results, w);
	if (due_of(w) < t->due)
		t->due = due_of(w);
	pthread_cond_signal(&t->done);
}

/* ---- the threads ---- */

/* Reading takes long, so wake another thread if there is more work. */
static void read_file(struct hash_threads *t, struct file_found *found, struct file_result *result)
{
	pthread_mutex_lock(&t->lock);
	if (t->files.first)
		pthread_cond_signal(&t->more);
	pthread_mutex_unlock(&t->lock);
	file_read(found, result);
}

static void do_work(struct hash_threads *t, struct hash_work *w, struct file_mounts *mounts)
{
	struct file_found found;

	switch (w->kind) {
	case HASH_WORK_STORE:
		content_cache_put(t->limits->cache, &w->result.key, &w->result.id);
		break;
	case HASH_WORK_FILE:
		if (file_find(&w->job, t->limits, mounts, &found, &w->result))
			read_file(t, &found, &w->result);
		break;
	case HASH_WORK_KEEP:
		w->job.kept = file_keep(&w->job, t->limits, mounts);
		w->result.time = (uint64_t)clock_ns(CLOCK_MONOTONIC);
		break;
	}
}

static struct hash_work *take_work(struct hash_threads *t, bool keeps)
{
	struct hash_work *w = list_take(keeps ? &t->keeps : &t->files);

	return w || keeps ? w : list_take(&t->stores);
}

/* The caller holds @lock. */
static void wait_for_work(struct hash_threads *t, bool keeps)
{
	t->idle += !keeps;
	pthread_cond_wait(keeps ? &t->more_keeps : &t->more, &t->lock);
	t->idle -= !keeps;
}

static void run_worker(struct hash_threads *t, bool keeps)
{
	struct file_mounts mounts = { 0 };
	struct hash_work *w;

	pthread_mutex_lock(&t->lock);
	while (!t->stop) {
		w = take_work(t, keeps);
		if (!w) {
			wait_for_work(t, keeps);
			continue;
		}
		pthread_mutex_unlock(&t->lock);
		do_work(t, w, &mounts);
		pthread_mutex_lock(&t->lock);
		t->waiting--;
		if (w->kind == HASH_WORK_STORE) {
			hash_work_free(w);
			pthread_cond_signal(&t->done);
		} else {
			add_result(t, w);
		}
	}
	pthread_mutex_unlock(&t->lock);
}

static void *hash_files(void *arg)
{
	/* on Linux, this sets the thread's priority only */
	setpriority(PRIO_PROCESS, 0, NICE);
	run_worker(arg, false);
	return NULL;
}

/* Runs at normal priority: a file may be removed before it is opened. */
static void *keep_files(void *arg)
{
	run_worker(arg, true);
	return NULL;
}

/* ---- the caller's side ---- */

static struct work_list *list_of(struct hash_threads *t, enum hash_work_kind kind)
{
	switch (kind) {
	case HASH_WORK_STORE:
		return &t->stores;
	case HASH_WORK_KEEP:
		return &t->keeps;
	default:
		return &t->files;
	}
}

bool hash_threads_add(struct hash_threads *t, struct hash_work *w)
{
	bool room;

	pthread_mutex_lock(&t->lock);
	room = w->kind != HASH_WORK_FILE || t->waiting < HASH_WORK_MAX;
	if (room) {
		list_add(list_of(t, w->kind), w);
		t->waiting++;
	}
	if (w->kind == HASH_WORK_KEEP)
		pthread_cond_signal(&t->more_keeps);
	else if (w->kind == HASH_WORK_FILE && (t->idle == THREADS || t->waiting > WORK_FEW))
		pthread_cond_signal(&t->more);
	pthread_mutex_unlock(&t->lock);
	return room;
}

void hash_threads_answer(struct hash_threads *t, struct hash_work *w)
{
	pthread_mutex_lock(&t->lock);
	add_result(t, w);
	pthread_mutex_unlock(&t->lock);
}

bool hash_threads_due(struct hash_threads *t, uint64_t time)
{
	return time >= atomic_load_explicit(&t->due, memory_order_relaxed);
}

struct hash_work *hash_threads_take(struct hash_threads *t, uint64_t time)
{
	struct work_list done, now;
	struct hash_work *w;

	list_init(&now);
	list_init(&done);
	pthread_mutex_lock(&t->lock);
	while ((w = list_take(&t->results)))
		list_add(due_of(w) > time ? &done : &now, w);
	t->due = UINT64_MAX;
	while ((w = list_take(&done)))
		add_result(t, w);
	pthread_mutex_unlock(&t->lock);
	return now.first;
}

void hash_threads_wait(struct hash_threads *t, int ms)
{
	struct timespec until;

	clock_gettime(CLOCK_REALTIME, &until);
	until.tv_nsec += ms * 1000000l;
	until.tv_sec += until.tv_nsec / 1000000000;
	until.tv_nsec %= 1000000000;
	pthread_mutex_lock(&t->lock);
	pthread_cond_signal(&t->more);
	if (t->waiting && !t->results.first)
		pthread_cond_timedwait(&t->done, &t->lock, &until);
	pthread_mutex_unlock(&t->lock);
}

uint64_t hash_threads_left(struct hash_threads *t)
{
	uint64_t left;

	pthread_mutex_lock(&t->lock);
	left = t->waiting + !!t->results.first;
	pthread_mutex_unlock(&t->lock);
	return left;
}

uint64_t hash_threads_cpu(const struct hash_threads *t)
{
	uint64_t cpu = 0;
	clockid_t clock;

	for (unsigned int i = 0; i < t->nthreads; i++)
		if (!pthread_getcpuclockid(t->threads[i], &clock))
			cpu += (uint64_t)clock_ns(clock);
	return cpu;
}

struct hash_threads *hash_threads_new(const struct file_limits *limits, int *err)
{
	struct hash_threads *t = xcalloc(1, sizeof(*t));

	t->limits = limits;
	t->due = UINT64_MAX;
	pthread_mutex_init(&t->lock, NULL);
	pthread_cond_init(&t->more, NULL);
	pthread_cond_init(&t->more_keeps, NULL);
	pthread_cond_init(&t->done, NULL);
	list_init(&t->files);
	list_init(&t->keeps);
	list_init(&t->stores);
	list_init(&t->results);
	for (*err = 0; t->nthreads < THREADS + 1 && !*err; t->nthreads += !*err)
		*err = worker_start(&t->threads[t->nthreads],
				    t->nthreads < THREADS ? hash_files : keep_files, t);
	if (!*err)
		return t;
	hash_threads_free(t);
	return NULL;
}

bool hash_threads_free(struct hash_threads *t)
{
	bool busy, ended = true;
	struct timespec until;

	if (!t)
		return true;
	pthread_mutex_lock(&t->lock);
	t->stop = true;
	busy = t->waiting;
	pthread_cond_broadcast(&t->more);
	pthread_cond_broadcast(&t->more_keeps);
	pthread_mutex_unlock(&t->lock);
	clock_gettime(CLOCK_REALTIME, &until);
	until.tv_sec += END_S;
	for (unsigned int i = 0; i < t->nthreads; i++) {
		if (!busy) {
			pthread_join(t->threads[i], NULL);
		} else if (pthread_timedjoin_np(t->threads[i], NULL, &until)) {
			pthread_detach(t->threads[i]);
			ended = false;
		}
	}
	if (!ended)
		return false;
	pthread_mutex_destroy(&t->lock);
	pthread_cond_destroy(&t->more);
	pthread_cond_destroy(&t->more_keeps);
	pthread_cond_destroy(&t->done);
	list_free(&t->files);
	list_free(&t->keeps);
	list_free(&t->stores);
	list_free(&t->results);
	free(t);
	return true;
}
