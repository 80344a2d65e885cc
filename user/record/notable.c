// SPDX-License-Identifier: LGPL-2.1
/* Collects what to report about a recording's tasks.  See notable.h. */
#include "record/notable.h"
#include "event/proctab.h"
#include "base/xalloc.h"

#include <stdlib.h>

struct notable {
	struct proctab *tab;
	struct live *live;	/* NULL if notable_follow() was not called */
	struct notable_list killed, urings;
	struct notable_losses losses;
	uint64_t processes;
	uint64_t failed;
};

/* Set @buf to the name of the task's program, with '?' for control characters. */
static void put_program(char *buf, size_t size, const struct task *t)
{
	size_t len = t && t->program_len < size ? t->program_len : size - 1;

	if (!t) {
		buf[0] = '?';
		buf[1] = 0;
		return;
	}
	for (size_t i = 0; i < len; i++)
		buf[i] = (unsigned char)t->program[i] < 0x20 || t->program[i] == 0x7f ?
			 '?' : t->program[i];
	buf[len] = 0;
}

/* Count and list a task.  Return: its new entry, NULL if it was only counted. */
static struct notable_task *note_task(struct notable_list *l, const struct task *t)
{
	struct notable_task *to;

	l->n++;
	for (unsigned int i = 0; i < l->ntasks; i++)
		if (l->task[i].upid == t->upid)
			return NULL;
	if (l->ntasks == NOTABLE_MAX)
		return NULL;
	to = &l->task[l->ntasks++];
	to->upid = t->upid;
	put_program(to->program, sizeof(to->program), t);
	return to;
}

static void on_begin(void *ctx, struct task *t, const struct task *parent,
		     const struct et_event *ev)
{
	struct notable *n = ctx;

	n->processes += !t->execed && !t->thread;
	if (n->live)
		live_begin(n->live, t, parent, ev);
}

static void on_end(void *ctx, struct task *t, enum task_end why, uint64_t time,
		   const struct et_event *ev)
{
	struct notable *n = ctx;
	struct notable_task *to;
	int64_t signal;

	if (n->live)
		live_end(n->live, t, why, time);
	/* a signal ends all threads of a process; count it once */
	if (why != TASK_EXIT || t->thread)
		return;
	signal = et_value(ev, ET_V_EXIT_signal, 0);
	n->failed += signal || et_value(ev, ET_V_EXIT_status, 0);
	if (!signal)
		return;
	to = note_task(&n->killed, t);
	if (!to)
		return;
	to->signal = signal;
	to->core = et_value(ev, ET_V_EXIT_core, 0);
}

struct notable *notable_new(unsigned int pid_bits)
{
	static const struct proctab_ops ops = { on_begin, on_end };
	struct notable *n = xcalloc(1, sizeof(*n));

	n->tab = proctab_new(pid_bits, &ops, n);
	return n;
}

void notable_free(struct notable *n)
{
	if (!n)
		return;
	if (n->live)
		proctab_end(n->tab, 0);
	live_free(n->live);
	proctab_free(n->tab);
	free(n);
}

static void note_loss(struct notable *n, const struct et_event *ev)
{
	struct notable_losses *l = &n->losses;
	uint64_t count = (uint64_t)et_value(ev, ET_V_LOST_count, 0);
	struct notable_loss *to;

	l->records += count;
	if (l->n++ >= NOTABLE_MAX)
		return;
	to = &l->loss[l->n - 1];
	to->upid = ev->upid;
	to->since = (uint64_t)et_value(ev, ET_V_LOST_since, (int64_t)ev->time);
	to->until = ev->time;
	to->count = count;
	put_program(to->program, sizeof(to->program), proctab_find(n->tab, ev->upid));
}

void notable_event(struct notable *n, const struct et_event *ev)
{
	switch (ev->kind) {
	case ET_K_EXEC:
	case ET_K_CLONE:
	case ET_K_EXIT:
	case ET_K_PRESENT:
	case ET_K_JOIN:
		proctab_apply(n->tab, proctab_actor(n->tab, ev), ev);
		break;
	case ET_K_URING:
		note_task(&n->urings, proctab_actor(n->tab, ev));
		break;
	case ET_K_LOST:
		note_loss(n, ev);
		break;
	default:
		break;
	}
}

const struct notable_list *notable_killed(const struct notable *n)
{
	return &n->killed;
}

uint64_t notable_failed(const struct notable *n)
{
	return n->failed;
}

const struct notable_list *notable_urings(const struct notable *n)
{
	return &n->urings;
}

const struct notable_losses *notable_losses(const struct notable *n)
{
	return &n->losses;
}

uint64_t notable_processes(const struct notable *n)
{
	return n->processes;
}

uint64_t notable_processes_now(const struct notable *n)
{
	return proctab_processes(n->tab);
}

void notable_follow(struct notable *n)
{
	n->live = live_new(n->tab);
}

void notable_live(const struct notable *n, uint64_t time, struct live_now *now)
{
	live_look(n->live, time, now);
}

bool notable_program(struct notable *n, uint64_t upid, char *buf, size_t size)
{
	const struct task *t = proctab_find(n->tab, upid);

	put_program(buf, size, t);
	return t && !t->thread;
}
