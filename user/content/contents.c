// SPDX-License-Identifier: GPL-2.0
/* Hashes files while the build runs.  See contents.h. */
#include "content/contents.h"
#include "base/path.h"
#include "base/buf.h"
#include "base/map64.h"
#include "base/utf8.h"
#include "base/xalloc.h"
#include "content/hash_threads.h"
#include "content/kept.h"
#include "content/version_tally.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Maximum attempts to hash a file that changes while it is read. */
#define TRIES		3u

/* A hash that was reported. */
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
	struct contents_counts counts;
	struct version_tally tally;
	/* @paths: by file, where its path begins in @text; it ends where the next one begins */
	struct buf text;
	size_t *paths;
	size_t npaths, paths_cap;
	struct proof *proofs;
	size_t nproofs, proofs_cap;
	struct map64 proven;	/* version to the first 8 bytes of its last SHA-256 */
	struct et_event ev;
	uint64_t last;		/* time of the last event */
	uint64_t now;		/* time of the event that the graph is processing */
	uint64_t next;		/* time of the event after these results; UINT64_MAX if none */
	bool own;		/* the last event was one of ours, ET_K_CONTENT */
	unsigned int tries;	/* attempts so far, for graph_settle_again() */
	bool ends;		/* the events have ended */
	struct kept_files kept;
	struct hash_threads *threads;
};

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

		if (n && len > n && path_within(path, len, above, n))
			fn(fn_ctx, i, path + n, len - n);
	}
}

static struct hash_work *work_new(const struct contents *c, enum hash_work_kind kind,
			     const struct graph_settled *of)
{
	struct hash_work *w = xcalloc(1, sizeof(*w));
	size_t len;
	const char *path = path_of(c, of->file, &len);

	w->kind = kind;
	w->job.of = *of;
	w->job.kept = -1;
	/* a path in another mount namespace has a prefix: "mnt:[4026532281]/path" */
	w->job.path = *path == '/' ? xstrndup(path, len) : NULL;
	return w;
}

static void on_written(void *ctx, const struct graph_settled *of)
{
	struct contents *c = ctx;
	size_t len;

	if (*path_of(c, of->file, &len) != '/' || !kept_begin(&c->kept, of))
		return;
	hash_threads_add(c->threads, work_new(c, HASH_WORK_KEEP, of));
}

static void on_version(void *ctx, const struct graph_version *v)
{
	struct contents *c = ctx;

	version_tally_begin(&c->tally, v);
}

static void on_access(void *ctx, const struct graph_access *a)
{
	struct contents *c = ctx;

	version_tally_use(&c->tally, a);
}

static void on_settled(void *ctx, const struct graph_settled *of)
{
	static const char busy[] = "too many files were waiting to be hashed";
	struct contents *c = ctx;
	struct hash_work *w = work_new(c, HASH_WORK_FILE, of);

	w->tries = c->tries;
	w->job.pid = of->fd >= 0 ? (int)(of->upid & ((1ull << c->pid_bits) - 1)) : 0;
	kept_job_begin(&c->kept, &w->job);
	/*
	 * a kept file can wait for its mappers, which usually end soon, so do not read their
	 * mappings
	 */
	if (of->nmappers && !of->unwritten && w->job.kept >= 0 && !c->ends && of->fd < 0) {
		graph_is_mapped(c->graph, of, false);
		kept_job_end(&c->kept, &w->job);
		hash_work_free(w);
		return;
	}
	if (hash_threads_add(c->threads, w))
		return;
	w->result.why_not = busy;
	w->result.time = c->now;
	hash_threads_answer(c->threads, w);
}

/* ---- results ---- */

static void add_hex(struct et_event *ev, unsigned int i, const uint8_t *hash)
{
	char *text = utf8_hex((const char *)hash, FILE_HASH);

	et_add_string(ev, i, text, 2ul * FILE_HASH);
	free(text);
}

/*
 * The time of a CONTENT event: after all lines of the event before it, which are 1 ns apart, and
 * before the next event.
 */
static uint64_t time_between(const struct contents *c, uint64_t time)
{
	uint64_t half = (c->next - c->last) / 2, lines = c->own ? 16 : 1000;

	return time > c->last + lines ? time : c->last + (half < lines ? half : lines);
}

static void emit_content(struct contents *c, const struct hash_work *w)
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
		c->counts.bytes += r->cached ? 0 : r->key.size;
		c->proofs = xgrow(c->proofs, &c->proofs_cap, c->nproofs + 1, sizeof(*c->proofs));
		c->proofs[c->nproofs++] = (struct proof){
			of->object, of->version, of->file, r->key.ino, r->key.ctime,
		};
	}
	version_tally_hash(&c->tally, of->version, !r->why_not);
	c->last = ev->time;
	c->own = true;
	sink_item(c->to, ev);
}

/* Whether a different hash of the version was reported before. */
static bool is_other(struct contents *c, const struct hash_work *w)
{
	uint64_t *last = map64_at(&c->proven, w->job.of.version), was = *last;

	memcpy(last, w->result.id.sha256, sizeof(*last));
	return was && was != *last;
}

/* Withdraw the hashes reported for a version. */
static void on_unsure(void *ctx, const struct graph_settled *of)
{
	struct contents *c = ctx;
	const struct hash_work w = { .job.of = *of, .result.why_not = of->unsure };

	for (size_t i = c->nproofs; i--;)
		if (c->proofs[i].version == of->version)
			c->proofs[i].version = 0;
	emit_content(c, &w);
}

static void take_hash(struct contents *c, struct hash_work *w)
{
	bool proven, other;

	if (w->result.mapped) {
		graph_is_mapped(c->graph, &w->job.of, true);
		return;
	}
	if (w->result.ended)
		graph_was_mapped(c->graph, &w->job.of);
	proven = graph_is_settled(c->graph, &w->job.of, w->result.time);
	if (!proven || w->result.again) {
		c->tries = w->tries + 1;
		if (c->tries < TRIES && graph_settle_again(c->graph, &w->job.of)) {
			c->tries = 0;
			return;
		}
		c->tries = 0;
	}
	/* report nothing if the version may have ended */
	if (!proven)
		return;
	other = !w->result.why_not && is_other(c, w);
	emit_content(c, w);
	if (!w->result.why_not)
		graph_is_proven(c->graph, &w->job.of);
	if (other)
		graph_was_changed(c->graph, &w->job.of);
	if (w->job.of.unsure && !w->result.why_not)
		on_unsure(c, &w->job.of);
	/*
	 * store only a proven hash: otherwise the file may have changed through a mapping since
	 * then
	 */
	if (!w->result.why_not && !w->result.cached && !w->result.empty && c->limits.cache &&
	    graph_has_name(c->graph, w->job.of.object))
		w->kind = HASH_WORK_STORE;
}

static void take_result(struct contents *c, struct hash_work *w)
{
	if (w->kind == HASH_WORK_KEEP) {
		kept_opened(&c->kept, &w->job.of, w->job.kept);
		w->job.kept = -1;
	} else {
		take_hash(c, w);
		kept_job_end(&c->kept, &w->job);
	}
}

/* Take the results that count at @time. */
static void take_results(struct contents *c, uint64_t time)
{
	struct hash_work *w, *next;

	c->next = time > c->last ? time : c->last;
	for (w = hash_threads_take(c->threads, time); w; w = next) {
		next = w->next;
		take_result(c, w);
		if (w->kind == HASH_WORK_STORE)
			hash_threads_add(c->threads, w);
		else
			hash_work_free(w);
	}
}

void contents_event(struct contents *c, const struct et_event *ev)
{
	if (hash_threads_due(c->threads, ev->time))
		take_results(c, ev->time);
	/* reports of the graph while it processes this event are passed on before the event */
	c->next = c->now = ev->time > c->last ? ev->time : c->last;
	graph_event(c->graph, ev);
	c->last = c->now;
	c->own = false;
}

uint64_t contents_wait(struct contents *c, int ms)
{
	/* only once: files that are still mapped at the end stay mapped */
	if (!c->ends) {
		c->ends = true;
		graph_settle_mapped(c->graph);
	}
	hash_threads_wait(c->threads, ms);
	take_results(c, UINT64_MAX);
	return hash_threads_left(c->threads);
}

void contents_end(struct contents *c)
{
	static const char why[] = GRAPH_WHY_FOREIGN ", after it was read";
	struct hash_work w = { 0 };
	struct map64 seen = { 0 };
	char *path;
	size_t len;

	/* if a version was hashed twice, the last hash counts */
	for (size_t i = c->nproofs; i--;) {
		const struct proof *p = &c->proofs[i];
		const char *name = path_of(c, p->file, &len);
		int64_t changed;

		if (!p->version || map64_get(&seen, p->version))
			continue;
		map64_put(&seen, p->version, 1);

		w.job.of = (struct graph_settled){
			.object = p->object, .version = p->version, .file = p->file,
		};
		changed = graph_unchanged(c->graph, &w.job.of);
		if (changed < 0 || !len)
			continue;
		path = xstrndup(name, len);
		if (!file_still(path, p->ino, p->ctime, changed)) {
			w.result.why_not = why;
			emit_content(c, &w);
		}
		free(path);
	}
	map64_clear(&seen);
}

uint64_t contents_last(const struct contents *c)
{
	return c->last;
}

const struct contents_counts *contents_counts(struct contents *c)
{
	c->counts.cpu = hash_threads_cpu(c->threads);
	c->counts.used = version_tally_count(&c->tally, &c->counts.hashed);
	return &c->counts;
}

/* ---- begin and end ---- */

struct contents *contents_new(const struct contents_options *o, struct sink *to, char *why,
			      size_t size)
{
	static const struct graph_ops ops = {
		.below = on_below, .file = on_file, .settled = on_settled, .unsure = on_unsure,
		.written = on_written, .version = on_version, .access = on_access,
	};
	struct contents *c = xcalloc(1, sizeof(*c));
	int err = 0;

	c->to = to;
	c->pid_bits = o->pid_bits;
	c->limits = (struct file_limits){ .max = o->max, .pids = o->pids, .cache = o->cache,
		.identified = o->identified, .early = o->early };
	/* only mounts that exist now: the build may unmount its own at any time */
	c->limits.mounts = mount_ids_now();
	c->limits.keeps = mount_ids_lasting();
	c->graph = graph_new(o->pid_bits, &ops, c);
	c->kept.graph = c->graph;
	et_init(&c->ev);
	c->threads = hash_threads_new(&c->limits, &err);
	if (c->threads)
		return c;
	snprintf(why, size, "files cannot be hashed: no thread can be started: %s", strerror(-err));
	contents_free(c);
	return NULL;
}

bool contents_free(struct contents *c)
{
	if (!c)
		return true;
	if (!hash_threads_free(c->threads))
		return false;
	kept_end(&c->kept);
	graph_free(c->graph);
	version_tally_free(&c->tally);
	et_fini(&c->ev);
	buf_free(&c->text);
	free(c->paths);
	free(c->proofs);
	map64_clear(&c->proven);
	mount_ids_free(&c->limits.mounts);
	mount_ids_free(&c->limits.keeps);
	free(c);
	return true;
}
