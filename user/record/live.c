// SPDX-License-Identifier: LGPL-2.1
/* The current state of a recording.  See live.h. */
#include "record/live.h"
#include "base/map64.h"
#include "base/screen.h"
#include "base/text_num.h"
#include "timeline/work.h"

#include <inttypes.h>
#include <stdio.h>

/* State of a process, in the "owners" field of its task. */
struct live_task {
	uint64_t parent;	/* upid of the process that waits for it, 0 if unknown */
	uint64_t since;		/* when its program began or its last child ended, ns */
	bool led;		/* its program has started other processes */
	struct buf label;	/* if empty, the program's name is its label */
};

struct live {
	struct proctab *tab;
	struct buf last;
	uint64_t last_ns;
};

/* Maximum number of arguments to search for the input; it is usually among the first ones. */
#define MAX_ARGS	512u
/* A label takes at most 1/LABEL_PART of the line and LABEL_MAX columns: two fit into 80. */
#define LABEL_PART	5u
#define LABEL_MAX	26u

static struct live_task *live_of(const struct task *t)
{
	return t ? (struct live_task *)(uintptr_t)t->owners : NULL;
}

static void forget_task(struct task *t)
{
	struct live_task *own = live_of(t);

	if (!own)
		return;
	buf_free(&own->label);
	free(own);
	t->owners = 0;
}

struct live *live_new(struct proctab *tab)
{
	struct live *l = xcalloc(1, sizeof(*l));

	l->tab = tab;
	return l;
}

void live_free(struct live *l)
{
	if (!l)
		return;
	buf_free(&l->last);
	free(l);
}

/* ---- what begins and ends ---- */

static void set_label(struct buf *label, const struct task *t, const struct et_event *ev)
{
	struct work_arg args[MAX_ARGS];
	size_t n = ev->nargs < MAX_ARGS ? ev->nargs : MAX_ARGS;

	work_args(args, ev, n);
	label->len = 0;
	work_of(t->program, t->program_len, args, n, label);
}

void live_begin(struct live *l, struct task *t, const struct task *parent,
		const struct et_event *ev)
{
	struct live_task *own = live_of(t), *process;

	if (t->thread)
		return;
	if (!own) {
		own = xcalloc(1, sizeof(*own));
		t->owners = (uintptr_t)own;
		if (parent)
			own->parent = parent->process_upid;
		else if (et_is_present(ev))
			own->parent = t->parent;
	}
	own->since = ev->time;
	/* children of a thread count as children of its process */
	process = parent ? live_of(proctab_find(l->tab, parent->process_upid)) : NULL;
	if (process)
		process->led = true;
	if (!t->execed)
		return;
	own->led = false;
	set_label(&own->label, t, ev);
}

void live_end(struct live *l, struct task *t, enum task_end why, uint64_t time)
{
	struct live_task *own = live_of(t), *parent;

	if (own && why != TASK_EXEC) {
		parent = live_of(proctab_find(l->tab, own->parent));
		if (parent)
			parent->since = time;
	}
	if (own && why == TASK_EXIT && t->execed && !own->led) {
		l->last.len = 0;
		buf_add(&l->last, own->label.s, own->label.len);
		l->last_ns = time > t->since ? time - t->since : 0;
	}
	if (why != TASK_EXEC)
		forget_task(t);
}

/* ---- the current state ---- */

void live_look(const struct live *l, uint64_t time, struct live_now *now)
{
	const struct task *slowest = NULL;
	struct map64 waiting = { 0 };

	*now = (struct live_now){ 0 };
	for (const struct task *t = proctab_first(l->tab); t; t = t->next)
		if (live_of(t) && live_of(t)->parent)
			map64_put(&waiting, live_of(t)->parent, 1);
	for (const struct task *t = proctab_first(l->tab); t; t = t->next) {
		if (t->thread || map64_get(&waiting, t->process_upid))
			continue;
		now->running++;
		if (live_of(t) && (!slowest || live_of(t)->since < live_of(slowest)->since))
			slowest = t;
	}
	map64_clear(&waiting);
	if (slowest) {
		const struct live_task *own = live_of(slowest);

		now->slowest.label = own->label.len ? own->label.s : slowest->program;
		now->slowest.len = own->label.len ? own->label.len : slowest->program_len;
		now->slowest.ns = time > own->since ? time - own->since : 0;
	}
	if (l->last.len)
		now->last = (struct live_program){ l->last.s, l->last.len, l->last_ns };
}

/* ---- the line ---- */

/* Append a duration: "3.2 s", "12:05" */
static void add_time(struct buf *to, uint64_t ns)
{
	uint64_t s = ns / 1000000000u;
	char text[48];

	if (s < 60)
		snprintf(text, sizeof(text), "%" PRIu64 ".%" PRIu64 " s", s, ns / 100000000u % 10);
	else
		snprintf(text, sizeof(text), "%" PRIu64 ":%02" PRIu64, s / 60, s % 60);
	buf_adds(to, text);
}

/* Append @what and the label of @p.  Return: the number of columns. */
static unsigned int add_label(struct buf *to, const char *what, const struct live_program *p,
			      unsigned int cols, bool utf8)
{
	if (!p->label)
		return 0;
	buf_adds(to, what);
	cols = cols / LABEL_PART < LABEL_MAX ? cols / LABEL_PART : LABEL_MAX;
	return (unsigned int)strlen(what) + screen_add(to, p->label, p->len, cols, utf8);
}

/* Append the slowest program and its time.  Return: the number of columns. */
static unsigned int add_slowest(struct buf *to, const struct live_program *p, unsigned int cols,
				bool utf8)
{
	unsigned int label = add_label(to, "  slowest ", p, cols, utf8);
	size_t begun = to->len;

	if (!label)
		return 0;
	buf_addc(to, ' ');
	add_time(to, p->ns);
	return label + (unsigned int)(to->len - begun);
}

void live_line(struct buf *to, const struct live_now *now, const struct live_counts *counts,
	       unsigned int cols, bool utf8)
{
	enum { TIME, RUNNING, SLOWEST, LAST, PROCESSES, EVENTS, BYTES, LOST, PARTS };
	/* the order in which parts are left out if there is no room */
	static const unsigned char least[] = { BYTES, EVENTS, PROCESSES, LOST, LAST, SLOWEST };
	struct buf part[PARTS] = { 0 }, line = { 0 };
	unsigned int width[PARTS], sum = 0;
	uint64_t s = counts->ns / 1000000000u;
	char text[PARTS][96] = { 0 };

	snprintf(text[TIME], sizeof(*text), "etrace: %" PRIu64 ":%02" PRIu64, s / 60, s % 60);
	snprintf(text[RUNNING], sizeof(*text), "  %s running", text_count(now->running));
	snprintf(text[PROCESSES], sizeof(*text), "  processes %s now, %s in all",
		 text_count(counts->processes_now), text_count(counts->processes));
	snprintf(text[EVENTS], sizeof(*text), "  %s events", text_count(counts->events));
	snprintf(text[BYTES], sizeof(*text), "  %s", text_bytes(counts->bytes));
	snprintf(text[LOST], sizeof(*text), "  lost %s", text_count(counts->lost));
	for (unsigned int i = 0; i < PARTS; i++) {
		buf_adds(&part[i], text[i]);
		width[i] = (unsigned int)part[i].len;
	}
	width[SLOWEST] = add_slowest(&part[SLOWEST], &now->slowest, cols, utf8);
	width[LAST] = add_label(&part[LAST], "  last ", &now->last, cols, utf8);
	for (unsigned int i = 0; i < PARTS; i++)
		sum += width[i];
	for (unsigned int i = 0; i < sizeof(least) && sum > cols; i++) {
		/* lost records are always shown */
		if (least[i] == LOST && counts->lost)
			continue;
		sum -= width[least[i]];
		part[least[i]].len = 0;
	}
	for (unsigned int i = 0; i < PARTS; i++) {
		buf_add(&line, part[i].s, part[i].len);
		buf_free(&part[i]);
	}
	screen_add(to, line.s, line.len, cols, utf8);
	buf_free(&line);
}
