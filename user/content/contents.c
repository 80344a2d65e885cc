// SPDX-License-Identifier: GPL-2.0
/* Hashes files while the build runs.  See contents.h. */
#include "content/contents.h"
#include "base/buf.h"
#include "base/utf8.h"
#include "base/worker.h"
#include "base/xalloc.h"
#include "content/file_hash.h"
#include "content/kept.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#define THREADS		2u
#define NICE		10		/* of the threads: the build comes first */
/* Jobs that may wait.  Each has a path. */
#define JOBS_MAX	(1u << 16)
/* See due_of(). */
#define HOLD_NS		50000000u
/* How often a file is hashed that changes while it is read. */
#define TRIES		3u
/* Jobs that one thread is enough for: another one costs more to wake. */
#define JOBS_FEW	8u

enum work_kind {
	WORK_HASH,
	WORK_STORE,		/* what is proven, in the cache */
	WORK_KEEP,		/* open what is being written */
};

struct work {
	struct work *next;
	enum work_kind kind;
	struct file_job job;	/* of WORK_KEEP: job.kept is what came of it, until it is taken */
	struct file_result result;
	unsigned int tries;
};

struct work_list {
	struct work *first, **end;
};

/* A content that was proven so far. */
struct proof {
	uint32_t object, version, file;
	uint64_t ino;
	int64_t ctime;		/* ns since 1970 */
};

struct contents {
	struct sink *to;
	struct graph *graph;
	unsigned int pid_bits;
	struct file_limits limits;
	uint64_t *mounts;
	struct contents_counts counts;
	/* paths by file, as the graph reports them; the text ends at that of the next */
	struct buf text;
	size_t *paths;
	size_t npaths, paths_cap;
	struct proof *proofs;
	size_t nproofs, proofs_cap;
	struct et_event ev;
	uint64_t last;		/* time of the last event */
	uint64_t next;		/* of the event that is passed on next; UINT64_MAX if there is none */
	bool own;		/* the last event was a content */
	unsigned int tries;	/* of the version that graph_settle_again() reports */
	bool ends;		/* there are no more events */
	struct kept_files kept;
	pthread_t threads[THREADS + 1];
	unsigned int nthreads;
	/* shared with the threads, under @lock: */
	pthread_mutex_t lock;
	pthread_cond_t more, more_keeps, done;
	struct work_list jobs, keeps, results;
	struct work_list stores;	/* they wait until a thread has something else to do */
	unsigned int waiting;	/* in one of these but @results, or taken from there */
	unsigned int idle;	/* threads that wait for @more */
	bool stop;
	atomic_ullong cpu;	/* of the threads, ns */
	atomic_ullong due;	/* time from which the first of @results counts; UINT64_MAX if none */
};

static void list_add(struct work_list *l, struct work *w)
{
	w->next = NULL;
	*l->end = w;
	l->end = &w->next;
}

static struct work *list_take(struct work_list *l)
{
	struct work *w = l->first;

	if (!w)
		return NULL;
	l->first = w->next;
	if (!l->first)
		l->end = &l->first;
	return w;
}

static void work_free(struct work *w)
{
	if (w && w->kind == WORK_KEEP && w->job.kept >= 0)
		close(w->job.kept);
	if (w)
		free(w->job.path);
	free(w);
}

/* ---- threads ---- */

/*
 * When a result counts.  A call that has changed a file and has not returned has no event yet.  So
 * wait for that if the file had changed; and if it had not, but an open may have emptied it, which
 * the recorded size would show.  Return: CLOCK_MONOTONIC, ns
 */
static uint64_t due_of(const struct work *w)
{
	bool waits = w->result.why_not ? w->result.again : !w->job.of.sized && !w->result.empty;

	if (w->kind == WORK_KEEP)
		return w->result.time;
	return w->result.time + (waits ? HOLD_NS : 0);
}

/* With @lock. */
static void add_job(struct contents *c, struct work *w)
{
	list_add(&c->jobs, w);
	c->waiting++;
	if (c->idle == THREADS || c->waiting > JOBS_FEW)
		pthread_cond_signal(&c->more);
}

/* With @lock. */
static void add_store(struct contents *c, struct work *w)
{
	list_add(&c->stores, w);
	c->waiting++;
}

/* With @lock. */
static void add_result(struct contents *c, struct work *w)
{
	list_add(&c->results, w);
	if (due_of(w) < c->due)
		c->due = due_of(w);
	pthread_cond_signal(&c->done);
}

static uint64_t clock_now(clockid_t clock)
{
	struct timespec t;

	clock_gettime(clock, &t);
	return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

/* Reading takes long: what else there is to do is another thread's. */
static void read_file(struct contents *c, struct file_found *found, struct file_result *result)
{
	pthread_mutex_lock(&c->lock);
	if (c->jobs.first)
		pthread_cond_signal(&c->more);
	pthread_mutex_unlock(&c->lock);
	file_read(found, result);
}

static void count_time(struct contents *c, uint64_t *before)
{
	uint64_t now = clock_now(CLOCK_THREAD_CPUTIME_ID);

	c->cpu += now - *before;
	*before = now;
}

static void *hash_files(void *arg)
{
	struct file_known mounts = { 0 };
	struct contents *c = arg;
	struct file_found found;
	uint64_t cpu = 0;
	struct work *w;

	/* on Linux the priority of a thread */
	setpriority(PRIO_PROCESS, 0, NICE);
	pthread_mutex_lock(&c->lock);
	while (!c->stop) {
		w = list_take(&c->jobs);
		if (!w)
			w = list_take(&c->stores);
		if (!w) {
			count_time(c, &cpu);
			c->idle++;
			pthread_cond_wait(&c->more, &c->lock);
			c->idle--;
			continue;
		}
		pthread_mutex_unlock(&c->lock);
		if (w->kind == WORK_STORE)
			content_cache_put(c->limits.cache, &w->result.key, &w->result.id);
		else if (file_find(&w->job, &c->limits, &mounts, &found, &w->result))
			read_file(c, &found, &w->result);
		pthread_mutex_lock(&c->lock);
		c->waiting--;
		if (w->kind == WORK_STORE) {
			work_free(w);
			pthread_cond_signal(&c->done);
		} else {
			add_result(c, w);
		}
	}
	count_time(c, &cpu);
	pthread_mutex_unlock(&c->lock);
	return NULL;
}

/* Not of low priority: what is opened late is gone. */
static void *keep_files(void *arg)
{
	struct contents *c = arg;
	uint64_t cpu = 0;
	struct work *w;

	pthread_mutex_lock(&c->lock);
	while (!c->stop) {
		w = list_take(&c->keeps);
		if (!w) {
			count_time(c, &cpu);
			pthread_cond_wait(&c->more_keeps, &c->lock);
			continue;
		}
		pthread_mutex_unlock(&c->lock);
		w->job.kept = file_keep(&w->job, &c->limits);
		w->result.time = clock_now(CLOCK_MONOTONIC);
		pthread_mutex_lock(&c->lock);
		c->waiting--;
		add_result(c, w);
	}
	count_time(c, &cpu);
	pthread_mutex_unlock(&c->lock);
	return NULL;
}

/* ---- the graph ---- */

static void on_file(void *ctx, uint32_t id, const char *path, size_t len)
{
	struct contents *c = ctx;

	c->paths = xgrow(c->paths, &c->paths_cap, id + 2ul, sizeof(*c->paths));
	while (c->npaths <= id)
		c->paths[c->npaths++] = c->text.len;
	buf_add(&c->text, path, len);
	c->paths[id + 1] = c->text.len;
}

static const char *path_of(const struct contents *c, uint32_t file, size_t *len)
{
	*len = file && file < c->npaths ? c->paths[file + 1] - c->paths[file] : 0;
	return *len ? c->text.s + c->paths[file] : "";
}

static void on_below(void *ctx, uint32_t dir, graph_below_fn *fn, void *fn_ctx)
{
	struct contents *c = ctx;
	size_t n, len;

	path_of(c, dir, &n);
	for (uint32_t i = 1; i < c->npaths; i++) {
		const char *path = path_of(c, i, &len), *above = path_of(c, dir, &n);

		if (n && len > n && path[n] == '/' && !memcmp(path, above, n))
			fn(fn_ctx, i, path + n, len - n);
	}
}

static struct work *work_new(const struct contents *c, enum work_kind kind,
			     const struct graph_settled *of)
{
	struct work *w = xcalloc(1, sizeof(*w));
	size_t len;
	const char *path = path_of(c, of->file, &len);

	w->kind = kind;
	w->job.of = *of;
	w->job.kept = -1;
	/* in another mount namespace: "mnt:[4026532281]/path" */
	w->job.path = *path == '/' ? xstrndup(path, len) : NULL;
	return w;
}

static void on_written(void *ctx, const struct graph_settled *of)
{
	struct contents *c = ctx;
	struct work *w;
	size_t len;

	if (*path_of(c, of->file, &len) != '/' || !kept_begin(&c->kept, of))
		return;
	w = work_new(c, WORK_KEEP, of);
	pthread_mutex_lock(&c->lock);
	list_add(&c->keeps, w);
	c->waiting++;
	pthread_cond_signal(&c->more_keeps);
	pthread_mutex_unlock(&c->lock);
}

static void on_settled(void *ctx, const struct graph_settled *of)
{
	static const char busy[] = "too many files were waiting to be hashed";
	struct contents *c = ctx;
	struct work *w = work_new(c, WORK_HASH, of);

	w->tries = c->tries;
	/* what nobody has written counts when its hash is known */
	c->counts.versions += of->first && !of->unwritten;
	w->job.pid = of->fd >= 0 ? (int)(of->upid & ((1ull << c->pid_bits) - 1)) : 0;
	kept_job_begin(&c->kept, &w->job);
	/* most programs end soon, and a file that is kept can wait: no need to look what they have mapped */
	if (of->nmappers && !of->unwritten && w->job.kept >= 0 && !c->ends) {
		graph_is_mapped(c->graph, of);
		kept_job_end(&c->kept, &w->job);
		work_free(w);
		return;
	}
	pthread_mutex_lock(&c->lock);
	if (c->waiting < JOBS_MAX) {
		add_job(c, w);
	} else {
		w->result.why_not = busy;
		w->result.time = c->last;
		add_result(c, w);
	}
	pthread_mutex_unlock(&c->lock);
}

/* ---- what was found ---- */

static void add_hex(struct et_event *ev, unsigned int i, const uint8_t *hash)
{
	char *text = utf8_hex((const char *)hash, FILE_HASH);

	et_add_string(ev, i, text, 2ul * FILE_HASH);
	free(text);
}

/*
 * When a content is reported: after all lines of the event before it, each of which is later than
 * the one before by 1 ns, and before the next event.
 */
static uint64_t time_between(const struct contents *c, uint64_t time)
{
	uint64_t half = (c->next - c->last) / 2, lines = c->own ? 16 : 1000;

	return time > c->last + lines ? time : c->last + (half < lines ? half : lines);
}

static void emit_content(struct contents *c, const struct work *w)
{
	const struct file_result *r = &w->result;
	const struct graph_settled *of = &w->job.of;
	struct et_event *ev = &c->ev;
	size_t len;
	const char *path = path_of(c, of->file, &len);

	et_reset(ev, ET_K_CONTENT, 0, 0, time_between(c, r->time));
	et_add_string(ev, ET_S_CONTENT_path, path, len);
	if (of->identified) {
		et_set(ev, ET_V_CONTENT_dev, of->dev);
		et_set_unsigned(ev, ET_V_CONTENT_ino, of->ino);
	}
	if (r->why_not) {
		et_add_string(ev, ET_S_CONTENT_why_not, r->why_not, strlen(r->why_not));
	} else {
		add_hex(ev, ET_S_CONTENT_sha256, r->id.sha256);
		add_hex(ev, ET_S_CONTENT_gitoid, r->id.gitoid);
		et_set_unsigned(ev, ET_V_CONTENT_size, r->key.size);
		et_set(ev, ET_V_CONTENT_mtime, r->key.mtime);
		c->counts.hashed++;
		c->counts.versions += of->unwritten;
		c->counts.bytes += r->cached ? 0 : r->key.size;
		c->proofs = xgrow(c->proofs, &c->proofs_cap, c->nproofs + 1, sizeof(*c->proofs));
		c->proofs[c->nproofs++] = (struct proof){
			of->object, of->version, of->file, r->key.ino, r->key.ctime,
		};
	}
	c->last = ev->time;
	c->own = true;
	sink_item(c->to, ev);
}

static void take_hash(struct contents *c, struct work *w)
{
	bool proven = graph_is_settled(c->graph, &w->job.of, w->result.time);

	if (w->result.mapped) {
		graph_is_mapped(c->graph, &w->job.of);
		return;
	}
	if (!proven || w->result.again) {
		c->tries = w->tries + 1;
		if (c->tries < TRIES && graph_settle_again(c->graph, &w->job.of)) {
			c->tries = 0;
			return;
		}
		c->tries = 0;
	}
	/* of a version that is gone, the trace says nothing: it has no other content */
	if (!proven)
		return;
	emit_content(c, w);
	/* not before: what is not proven may have been written to through a mapping since */
	if (!w->result.why_not && !w->result.cached && !w->result.empty && c->limits.cache &&
	    graph_has_name(c->graph, w->job.of.object))
		w->kind = WORK_STORE;
}

static void take_result(struct contents *c, struct work *w)
{
	if (w->kind == WORK_KEEP) {
		kept_opened(&c->kept, &w->job.of, w->job.kept);
		w->job.kept = -1;
	} else {
		take_hash(c, w);
		kept_job_end(&c->kept, &w->job);
	}
}

/* What was proven up to @time. */
static void take_results(struct contents *c, uint64_t time)
{
	struct work_list now = { NULL, &now.first };
	struct work *w;
	bool later;

	c->next = time > c->last ? time : c->last;
	pthread_mutex_lock(&c->lock);
	if (c->results.first)
		now = c->results;
	c->results = (struct work_list){ NULL, &c->results.first };
	c->due = UINT64_MAX;
	pthread_mutex_unlock(&c->lock);
	while (now.first) {
		w = now.first;
		now.first = w->next;
		later = due_of(w) > time;
		if (!later)
			take_result(c, w);
		pthread_mutex_lock(&c->lock);
		if (later)
			add_result(c, w);
		else if (w->kind == WORK_STORE)
			add_store(c, w);
		else
			work_free(w);
		pthread_mutex_unlock(&c->lock);
	}
}

void contents_event(struct contents *c, const struct et_event *ev)
{
	if (ev->time >= atomic_load_explicit(&c->due, memory_order_relaxed))
		take_results(c, ev->time);
	if (ev->time > c->last)
		c->last = ev->time;
	c->own = false;
	graph_event(c->graph, ev);
}

uint64_t contents_wait(struct contents *c, int ms)
{
	struct timespec until;
	uint64_t left;

	clock_gettime(CLOCK_REALTIME, &until);
	until.tv_nsec += ms * 1000000l;
	until.tv_sec += until.tv_nsec / 1000000000;
	until.tv_nsec %= 1000000000;
	/* once: what is still mapped then stays so */
	if (!c->ends) {
		c->ends = true;
		graph_settle_mapped(c->graph);
	}
	pthread_mutex_lock(&c->lock);
	pthread_cond_signal(&c->more);
	if (c->waiting && !c->results.first)
		pthread_cond_timedwait(&c->done, &c->lock, &until);
	pthread_mutex_unlock(&c->lock);
	take_results(c, UINT64_MAX);
	pthread_mutex_lock(&c->lock);
	left = c->waiting + !!c->results.first;
	pthread_mutex_unlock(&c->lock);
	return left;
}

void contents_end(struct contents *c)
{
	static const char why[] = "changed by something that is not recorded, after it was read";
	struct work w = { 0 };
	char *path;
	size_t len;

	for (size_t i = 0; i < c->nproofs; i++) {
		const struct proof *p = &c->proofs[i];
		const char *name = path_of(c, p->file, &len);
		int64_t changed;

		w.job.of = (struct graph_settled){
			.object = p->object, .version = p->version, .file = p->file,
		};
		changed = graph_unchanged(c->graph, &w.job.of);
		if (changed < 0 || !len)
			continue;
		path = xstrndup(name, len);
		if (!file_still(path, p->ino, p->ctime, changed)) {
			w.result.why_not = why;
			c->counts.hashed--;
			emit_content(c, &w);
		}
		free(path);
	}
}

uint64_t contents_last(const struct contents *c)
{
	return c->last;
}

const struct contents_counts *contents_counts(struct contents *c)
{
	c->counts.cpu = c->cpu;
	return &c->counts;
}

/* ---- begin and end ---- */

struct contents *contents_new(const struct contents_options *o, struct sink *to, char *why,
			      size_t size)
{
	static const struct graph_ops ops = {
		.below = on_below, .file = on_file, .settled = on_settled, .written = on_written,
	};
	struct contents *c = xcalloc(1, sizeof(*c));
	int err = 0;

	c->to = to;
	c->due = UINT64_MAX;
	c->pid_bits = o->pid_bits;
	c->limits = (struct file_limits){ .max = o->max, .pids = o->pids, .cache = o->cache,
		.identified = o->identified, .early = o->early };
	/* a mount that the build makes it may want to unmount at any time */
	c->mounts = file_mounts(&c->limits.nmounts);
	c->limits.mounts = c->mounts;
	file_keeps(&c->limits);
	c->graph = graph_new(o->pid_bits, &ops, c);
	c->kept.graph = c->graph;
	et_init(&c->ev);
	pthread_mutex_init(&c->lock, NULL);
	pthread_cond_init(&c->more, NULL);
	pthread_cond_init(&c->more_keeps, NULL);
	pthread_cond_init(&c->done, NULL);
	c->jobs.end = &c->jobs.first;
	c->keeps.end = &c->keeps.first;
	c->stores.end = &c->stores.first;
	c->results.end = &c->results.first;
	while (c->nthreads < THREADS + 1 && !err) {
		err = worker_start(&c->threads[c->nthreads],
				   c->nthreads < THREADS ? hash_files : keep_files, c);
		c->nthreads += !err;
	}
	if (!err)
		return c;
	snprintf(why, size, "files cannot be hashed: no thread can be started: %s", strerror(-err));
	contents_free(c);
	return NULL;
}

static void free_list(struct work_list *l)
{
	struct work *w;

	while ((w = list_take(l)))
		work_free(w);
}

void contents_free(struct contents *c)
{
	if (!c)
		return;
	pthread_mutex_lock(&c->lock);
	c->stop = true;
	pthread_cond_broadcast(&c->more);
	pthread_cond_broadcast(&c->more_keeps);
	pthread_mutex_unlock(&c->lock);
	for (unsigned int i = 0; i < c->nthreads; i++)
		pthread_join(c->threads[i], NULL);
	pthread_mutex_destroy(&c->lock);
	pthread_cond_destroy(&c->more);
	pthread_cond_destroy(&c->more_keeps);
	pthread_cond_destroy(&c->done);
	free_list(&c->jobs);
	free_list(&c->keeps);
	free_list(&c->stores);
	free_list(&c->results);
	kept_end(&c->kept);
	graph_free(c->graph);
	et_fini(&c->ev);
	buf_free(&c->text);
	free(c->paths);
	free(c->proofs);
	free(c->mounts);
	free(c);
}
