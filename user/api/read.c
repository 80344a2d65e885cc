// SPDX-License-Identifier: LGPL-2.1
/* libetrace: reading a trace.  See etrace.h. */
#include "api/event.h"
#include "base/xalloc.h"
#include "event/proctab.h"
#include "format/choose.h"
#include "include/etrace.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

struct etrace {
	struct sink sink;	/* queues the events of the source */
	int dead;		/* 0, or -ENOMEM */
	int end;		/* if @ended: 0 or -ENOTSUP, for etrace_next() to return */
	bool begun, ended;
	struct in **in;
	size_t nin;
	struct opts opts;	/* all zeros: no options */
	struct diag *diag;
	const struct source_format *format;
	struct source *source;
	/* events of one step: etrace_next() has not returned [first, n) yet */
	struct etrace_event *queue;
	size_t first, n, made, cap;
	struct proctab *tasks;
	unsigned int pid_bits;
	uint64_t exited;	/* if @exit: upid of the task that exited in the last event */
	bool exit;
};

/* ---- opening ---- */

/*
 * Finds the row of source_formats for an input; *row is NULL if the input is empty.
 * Return: 0 or a negative errno.
 */
static int detect_format(struct in *in, const struct source_format **row)
{
	size_t have;

	*row = choose_detect(in);
	if (in_error(in))
		return in_error(in);
	if (*row)
		return 0;
	in_peek(in, 1, &have);
	return have ? -EINVAL : 0;
}

/* The row with that name whose source gives events of etrace. */
static const struct source_format *our_row(const char *name, struct in *in)
{
	for (const struct source_format *f = source_formats; f->name; f++)
		if (f->model == MODEL_ETRACE && !strcmp(f->name, name) &&
		    choose_row_detect(f, in) != DETECT_NO)
			return f;
	return NULL;
}

static int choose_format(struct etrace *t)
{
	const struct source_format *all = NULL, *row;
	struct in *first = NULL;

	for (size_t i = 0; i < t->nin; i++) {
		int err = detect_format(t->in[i], &row);

		if (err)
			return err;
		if (row && all && strcmp(row->name, all->name))
			return -EINVAL;
		if (row && !all) {
			all = row;
			first = t->in[i];
		}
	}
	if (!all)
		return -ENODATA;
	t->format = our_row(all->name, first);
	return t->format ? 0 : -ENOTSUP;
}

/* Return: 0 or a negative errno. */
static int open_inputs(struct etrace *t, const char *const *paths, size_t npaths)
{
	int err = 0;

	t->diag = diag_new(NULL, "libetrace");
	t->in = xcalloc(npaths, sizeof(struct in *));
	for (size_t i = 0; i < npaths; i++) {
		t->in[i] = in_open(paths[i], &err);
		if (!t->in[i])
			return err;
		t->nin++;
	}
	err = choose_format(t);
	if (err)
		return err;
	t->source = t->format->open(&(struct source_args){ t->in, t->nin, &t->opts, t->diag });
	/* several files, of a format that allows only one */
	return t->source ? 0 : -EINVAL;
}

static int queue_item(struct sink *s, const void *item);

int etrace_open(const char *const *paths, size_t npaths, struct etrace **trace)
{
	static const struct sink_ops ops = { .item = queue_item };
	struct xalloc_trap trap;
	struct etrace *t;
	int err;

	*trace = NULL;
	if (!npaths)
		return -EINVAL;
	t = calloc(1, sizeof(*t));
	if (!t)
		return -ENOMEM;
	t->sink.ops = &ops;
	t->pid_bits = ET_DEFAULT_PID_BITS;
	if (xalloc_caught(&trap)) {
		t->dead = -ENOMEM;
		etrace_close(t);
		return -ENOMEM;
	}
	err = open_inputs(t, paths, npaths);
	xalloc_end(&trap);
	if (err) {
		etrace_close(t);
		return err;
	}
	*trace = t;
	return 0;
}

int etrace_set_pid_bits(struct etrace *t, unsigned int bits)
{
	if (t->dead)
		return t->dead;
	if (bits > 32)
		return -EINVAL;
	if (t->begun)
		return -EBUSY;
	t->pid_bits = bits;
	return 0;
}

const char *etrace_format(const struct etrace *t)
{
	return t->format->name;
}

/* ---- events ---- */

static int queue_item(struct sink *s, const void *item)
{
	struct etrace *t = (struct etrace *)s;

	if (t->n == t->made) {
		t->queue = xgrow(t->queue, &t->cap, t->n + 1, sizeof(*t->queue));
		et_init(&t->queue[t->made++].ev);
	}
	api_event_copy(&t->queue[t->n], item);
	t->n++;
	return 0;
}

/* proctab's notices that a task begins or ends are not needed here. */
static void on_begin(void *ctx, struct task *task, const struct task *parent,
		     const struct et_event *ev)
{
	(void)ctx;
	(void)task;
	(void)parent;
	(void)ev;
}

static void on_end(void *ctx, struct task *task, enum task_end why, uint64_t time,
		   const struct et_event *ev)
{
	(void)ctx;
	(void)task;
	(void)why;
	(void)time;
	(void)ev;
}

/* Updates the tasks after an event; a task that exits stays until the next event. */
static void apply_event(struct etrace *t, struct etrace_event *event)
{
	static const struct proctab_ops ops = { on_begin, on_end };
	const struct et_event *ev = &event->ev;
	struct task *actor;

	if (!t->tasks)
		t->tasks = proctab_new(t->pid_bits, &ops, NULL);
	actor = proctab_actor(t->tasks, ev);
	event->pid = et_pid(ev->upid, t->pid_bits);
	if (ev->kind == ET_K_EXIT) {
		t->exit = true;
		t->exited = ev->upid;
	} else if (actor) {
		proctab_apply(t->tasks, actor, ev);
	}
}

/* If the last event was an exit, removes its task: the caller has asked for the next event. */
static void end_exited(struct etrace *t)
{
	struct et_event ev;

	if (!t->exit)
		return;
	t->exit = false;
	et_init(&ev);
	et_reset(&ev, ET_K_EXIT, t->exited, 0, 0);
	proctab_apply(t->tasks, proctab_actor(t->tasks, &ev), &ev);
}

/* Return: whether memory ran out while an input was decompressed. */
static bool input_starved(const struct etrace *t)
{
	for (size_t i = 0; i < t->nin; i++)
		if (in_error(t->in[i]) == -ENOMEM)
			return true;
	return false;
}

static const struct etrace_event *next_event(struct etrace *t)
{
	t->begun = true;
	end_exited(t);
	if (t->first == t->n)
		t->first = t->n = 0;
	while (!t->n && !t->ended) {
		int ret = t->source->ops->step(t->source, &t->sink);

		t->ended = ret <= 0;
		/* status 2: a newer etrace wrote the trace; sources stop for no other reason */
		if (t->ended && diag_status(t->diag) == 2)
			t->end = -ENOTSUP;
	}
	if (t->ended && input_starved(t))
		xalloc_failed(0);
	if (!t->n)
		return NULL;
	apply_event(t, &t->queue[t->first]);
	return &t->queue[t->first++];
}

int etrace_next(struct etrace *t, const struct etrace_event **event)
{
	struct xalloc_trap trap;

	*event = NULL;
	if (t->dead)
		return t->dead;
	if (xalloc_caught(&trap))
		return t->dead = -ENOMEM;
	*event = next_event(t);
	xalloc_end(&trap);
	return *event ? 1 : t->end;
}

int etrace_complete(const struct etrace *t)
{
	return !t->dead && diag_complete(t->diag);
}

const char *etrace_damage(const struct etrace *t, unsigned int i, uint64_t *n, int *damage)
{
	const struct diag_kind *kind = t->dead ? NULL : diag_next(t->diag, i, n);

	if (kind && damage)
		*damage = kind->level == DIAG_DAMAGE;
	return kind ? kind->what : NULL;
}

void etrace_close(struct etrace *t)
{
	if (!t)
		return;
	/* half-changed memory must not be freed, but files are closed: see xalloc.h */
	if (!t->dead) {
		if (t->source)
			t->source->ops->free(t->source);
		proctab_free(t->tasks);
		for (size_t i = 0; i < t->made; i++)
			et_fini(&t->queue[i].ev);
		free(t->queue);
		diag_free(t->diag);
	}
	for (size_t i = 0; i < t->nin; i++)
		in_close(t->in[i]);
	free(t->in);
	free(t);
}

/* ---- tasks ---- */

/* struct etrace_task is struct task of proctab.h, opaque to other programs. */
static const struct etrace_task *public_task(const struct task *task)
{
	return (const struct etrace_task *)task;
}

static const struct task *inner_task(const struct etrace_task *task)
{
	return (const struct task *)task;
}

const struct etrace_task *etrace_task(const struct etrace *t, uint64_t upid)
{
	return public_task(t->tasks && !t->dead ? proctab_find(t->tasks, upid) : NULL);
}

const struct etrace_task *etrace_task_next(const struct etrace *t, const struct etrace_task *task)
{
	if (task)
		return public_task(inner_task(task)->next);
	return public_task(t->tasks && !t->dead ? proctab_first(t->tasks) : NULL);
}

uint64_t etrace_task_upid(const struct etrace_task *task)
{
	return inner_task(task)->upid;
}

uint64_t etrace_task_pid(const struct etrace_task *task)
{
	return inner_task(task)->pid;
}

int etrace_task_parent(const struct etrace_task *task, uint64_t *upid)
{
	if (!inner_task(task)->parent)
		return 0;
	*upid = inner_task(task)->parent;
	return 1;
}

uint64_t etrace_task_process(const struct etrace_task *task)
{
	return inner_task(task)->process_upid;
}

int etrace_task_is_thread(const struct etrace_task *task)
{
	return inner_task(task)->thread;
}

const char *etrace_task_program(const struct etrace_task *task, size_t *len)
{
	if (len)
		*len = inner_task(task)->program_len;
	return inner_task(task)->program;
}

uint64_t etrace_task_since(const struct etrace_task *task)
{
	return inner_task(task)->since;
}
