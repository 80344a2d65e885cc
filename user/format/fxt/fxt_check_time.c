// SPDX-License-Identifier: LGPL-2.1
/*
 * The rules of --check for the order of events in time: nesting of durations, and pairs
 * of begin and end for async operations and flows.  See fxt_check_rules.h.
 */
#include "format/fxt/fxt_check_rules.h"
#include "base/hash.h"
#include "base/map64.h"
#include "base/xalloc.h"

#include <stdbool.h>
#include <stdlib.h>

#define MAX_NESTING 512u

/* A duration that is open on a thread. */
struct slice {
	uint64_t begin, end;	/* ticks; @end only if @complete */
	uint64_t offset;
	bool complete;
};

/* A thread with open durations. */
struct track {
	struct slice *slices;
	size_t depth, cap;
	bool gone_last;		/* the last duration pushed was an instant, or has ended */
};

/* An async operation that is open. */
struct async {
	uint64_t names;
	uint64_t offset;
};

/* A flow: its begin's offset, and whether it has ended. */
#define FLOW_ENDED 1u

struct fxt_check_time {
	fxt_broken_fn fn;
	void *ctx;
	/* smallest time first; equal times in the order of the file */
	struct fxt_timed *heap;
	size_t n, cap;
	uint64_t now;		/* time of the last event checked, ticks */
	uint64_t late;
	struct map64 tracks;	/* hash of process and thread to struct track * */
	struct map64 asyncs;	/* id to struct async * */
	struct map64 flows;	/* id to offset << 1 | FLOW_ENDED */
};

static void *as_pointer(uint64_t v)
{
	return (void *)(uintptr_t)v;
}

struct fxt_check_time *fxt_check_time_new(fxt_broken_fn fn, void *ctx)
{
	struct fxt_check_time *c = xcalloc(1, sizeof(*c));

	c->fn = fn;
	c->ctx = ctx;
	return c;
}

void fxt_check_time_free(struct fxt_check_time *c)
{
	struct map64_slot *e;

	if (!c)
		return;
	for (size_t i = 0; (e = map64_each(&c->tracks, &i));) {
		free(((struct track *)as_pointer(e->value))->slices);
		free(as_pointer(e->value));
	}
	for (size_t i = 0; (e = map64_each(&c->asyncs, &i));)
		free(as_pointer(e->value));
	map64_clear(&c->tracks);
	map64_clear(&c->asyncs);
	map64_clear(&c->flows);
	free(c->heap);
	free(c);
}

static void report_broken(struct fxt_check_time *c, enum fxt_rule rule, uint64_t offset)
{
	c->fn(c->ctx, rule, offset, NULL);
}

/* ---- durations ---- */

static struct track *find_track(const struct fxt_check_time *c, const struct fxt_timed *e)
{
	const uint64_t *v = map64_get(&c->tracks, hash_two(e->process, e->thread));

	return v ? as_pointer(*v) : NULL;
}

static struct track *get_track(struct fxt_check_time *c, const struct fxt_timed *e)
{
	struct track *t = find_track(c, e);

	if (t)
		return t;
	t = xcalloc(1, sizeof(*t));
	map64_put(&c->tracks, hash_two(e->process, e->thread), (uintptr_t)t);
	return t;
}

/* A thread without open durations needs no memory. */
static void put_track(struct fxt_check_time *c, struct track *t, const struct fxt_timed *e)
{
	if (t->depth)
		return;
	map64_remove(&c->tracks, hash_two(e->process, e->thread));
	free(t->slices);
	free(t);
}

/* Removes complete durations that have ended, unless an open duration is inside them. */
static void expire_slices(struct track *t, uint64_t time)
{
	while (t->depth && t->slices[t->depth - 1].complete &&
	       t->slices[t->depth - 1].end <= time)
		t->depth--;
	t->gone_last = false;
}

static void push_event(struct fxt_check_time *c, struct track *t, const struct fxt_timed *e)
{
	t->slices = xgrow(t->slices, &t->cap, t->depth + 1, sizeof(*t->slices));
	t->slices[t->depth++] = (struct slice){
		.begin = e->time, .end = e->value, .offset = e->offset,
		.complete = e->type == FXT_EV_DURATION_COMPLETE,
	};
	if (t->depth > MAX_NESTING)
		report_broken(c, RULE_NESTING, e->offset);
}

static void on_begin(struct fxt_check_time *c, const struct fxt_timed *e)
{
	struct track *t = get_track(c, e);

	expire_slices(t, e->time);
	push_event(c, t, e);
}

static void on_complete(struct fxt_check_time *c, const struct fxt_timed *e)
{
	struct track *t = get_track(c, e);
	const struct slice *outer;

	if (e->value < e->time)
		report_broken(c, RULE_COMPLETE_BACKWARDS, e->offset);
	expire_slices(t, e->time);
	outer = t->depth ? &t->slices[t->depth - 1] : NULL;
	if (outer && outer->complete && e->value > outer->end)
		report_broken(c,
			      outer->begin == e->time ? RULE_COMPLETE_ORDER : RULE_COMPLETE_OVERLAP,
			      e->offset);
	push_event(c, t, e);
}

static void on_end(struct fxt_check_time *c, const struct fxt_timed *e)
{
	struct track *t = get_track(c, e);

	expire_slices(t, e->time);
	/* An end closes the innermost duration, even a complete one that is not over. */
	while (t->depth && t->slices[t->depth - 1].complete) {
		report_broken(c, RULE_COMPLETE_OVERLAP, t->slices[t->depth - 1].offset);
		t->depth--;
	}
	if (!t->depth) {
		report_broken(c, RULE_END_STRAY, e->offset);
	} else {
		const struct slice *s = &t->slices[--t->depth];

		if (t->depth && t->slices[t->depth - 1].complete &&
		    t->slices[t->depth - 1].end < e->time)
			report_broken(c, RULE_COMPLETE_OVERLAP, s->offset);
	}
	put_track(c, t, e);
}

static void on_instant(struct fxt_check_time *c, const struct fxt_timed *e)
{
	struct track *t = find_track(c, e);

	if (!t)
		return;
	expire_slices(t, e->time);
	t->gone_last = true;
	put_track(c, t, e);
}

/* ---- async operations ---- */

static void on_async(struct fxt_check_time *c, const struct fxt_timed *e)
{
	const uint64_t *v = map64_get(&c->asyncs, e->value);
	struct async *a = v ? as_pointer(*v) : NULL;

	if (e->type == FXT_EV_ASYNC_BEGIN) {
		if (a) {
			report_broken(c, RULE_ASYNC_AGAIN, e->offset);
		} else {
			a = xcalloc(1, sizeof(*a));
			map64_put(&c->asyncs, e->value, (uintptr_t)a);
		}
		*a = (struct async){ e->names, e->offset };
	} else if (!a) {
		report_broken(c, RULE_ASYNC_STRAY, e->offset);
	} else if (e->type == FXT_EV_ASYNC_END) {
		if (a->names != e->names)
			report_broken(c, RULE_ASYNC_NAMES, e->offset);
		map64_remove(&c->asyncs, e->value);
		free(a);
	}
}

/* ---- flows ---- */

static void flow_place(struct fxt_check_time *c, const struct fxt_timed *e)
{
	struct track *t = find_track(c, e);

	/* A duration that ends exactly now is not removed yet: it still gets the flow. */
	while (t && t->depth && t->slices[t->depth - 1].complete &&
	       t->slices[t->depth - 1].end < e->time) {
		t->depth--;
		t->gone_last = true;
	}
	if (!t || !t->depth)
		report_broken(c, RULE_FLOW_SLICE, e->offset);
	else if (t->gone_last)
		report_broken(c, RULE_FLOW_STOLEN, e->offset);
	if (t)
		put_track(c, t, e);
}

static void on_flow(struct fxt_check_time *c, const struct fxt_timed *e)
{
	uint64_t *flow = map64_get(&c->flows, e->value);

	flow_place(c, e);
	if (e->type == FXT_EV_FLOW_BEGIN) {
		if (flow)
			report_broken(c, RULE_FLOW_AGAIN, e->offset);
		else
			map64_put(&c->flows, e->value, e->offset << 1);
	} else if (!flow) {
		report_broken(c, RULE_FLOW_STRAY, e->offset);
	} else if (*flow & FLOW_ENDED) {
		report_broken(c, RULE_FLOW_AGAIN, e->offset);
	} else if (e->type == FXT_EV_FLOW_END) {
		*flow |= FLOW_ENDED;
	}
}

/* ---- order ---- */

static void judge_event(struct fxt_check_time *c, const struct fxt_timed *e)
{
	static void (*const fns[FXT_EV_COUNT])(struct fxt_check_time *c,
					       const struct fxt_timed *e) = {
		[FXT_EV_INSTANT] = on_instant,
		[FXT_EV_DURATION_BEGIN] = on_begin,
		[FXT_EV_DURATION_END] = on_end,
		[FXT_EV_DURATION_COMPLETE] = on_complete,
		[FXT_EV_ASYNC_BEGIN] = on_async,
		[FXT_EV_ASYNC_INSTANT] = on_async,
		[FXT_EV_ASYNC_END] = on_async,
		[FXT_EV_FLOW_BEGIN] = on_flow,
		[FXT_EV_FLOW_STEP] = on_flow,
		[FXT_EV_FLOW_END] = on_flow,
	};

	c->now = e->time;
	fns[e->type](c, e);
}

static bool event_before(const struct fxt_timed *a, const struct fxt_timed *b)
{
	return a->time != b->time ? a->time < b->time : a->offset < b->offset;
}

static void heap_put(struct fxt_check_time *c, const struct fxt_timed *e)
{
	size_t i = c->n++;

	c->heap = xgrow(c->heap, &c->cap, c->n, sizeof(*c->heap));
	while (i && event_before(e, &c->heap[(i - 1) / 2])) {
		c->heap[i] = c->heap[(i - 1) / 2];
		i = (i - 1) / 2;
	}
	c->heap[i] = *e;
}

static struct fxt_timed heap_take(struct fxt_check_time *c)
{
	struct fxt_timed first = c->heap[0], last = c->heap[--c->n];
	size_t i = 0;

	for (;;) {
		size_t child = 2 * i + 1;

		if (child >= c->n)
			break;
		if (child + 1 < c->n && event_before(&c->heap[child + 1], &c->heap[child]))
			child++;
		if (!event_before(&c->heap[child], &last))
			break;
		c->heap[i] = c->heap[child];
		i = child;
	}
	c->heap[i] = last;
	return first;
}

void fxt_check_time_add(struct fxt_check_time *c, const struct fxt_timed *e)
{
	if (e->type == FXT_EV_COUNTER || (unsigned int)e->type >= FXT_EV_COUNT)
		return;
	if (e->time < c->now) {
		c->late++;
		return;
	}
	heap_put(c, e);
	if (c->n > FXT_CHECK_WINDOW) {
		struct fxt_timed first = heap_take(c);

		judge_event(c, &first);
	}
}

/* Offsets, smallest first. */
static int compare_offsets(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return x < y ? -1 : x > y;
}

struct offsets {
	uint64_t *at;
	size_t n, cap;
};

static void note_offset(struct offsets *o, uint64_t offset)
{
	o->at = xgrow(o->at, &o->cap, o->n + 1, sizeof(*o->at));
	o->at[o->n++] = offset;
}

static void report_all(struct fxt_check_time *c, enum fxt_rule rule, struct offsets *o)
{
	if (o->n)
		qsort(o->at, o->n, sizeof(*o->at), compare_offsets);
	for (size_t i = 0; i < o->n; i++)
		report_broken(c, rule, o->at[i]);
	o->n = 0;
}

uint64_t fxt_check_time_end(struct fxt_check_time *c)
{
	struct offsets open = { 0 };
	struct map64_slot *e;

	while (c->n) {
		struct fxt_timed first = heap_take(c);

		judge_event(c, &first);
	}
	for (size_t i = 0; (e = map64_each(&c->tracks, &i));) {
		const struct track *t = as_pointer(e->value);

		for (size_t k = 0; k < t->depth; k++)
			if (!t->slices[k].complete)
				note_offset(&open, t->slices[k].offset);
	}
	report_all(c, RULE_BEGIN_UNFINISHED, &open);
	for (size_t i = 0; (e = map64_each(&c->asyncs, &i));)
		note_offset(&open, ((const struct async *)as_pointer(e->value))->offset);
	report_all(c, RULE_ASYNC_UNFINISHED, &open);
	for (size_t i = 0; (e = map64_each(&c->flows, &i));)
		if (!(e->value & FLOW_ENDED))
			note_offset(&open, e->value >> 1);
	report_all(c, RULE_FLOW_UNFINISHED, &open);
	free(open.at);
	return c->late;
}
