// SPDX-License-Identifier: LGPL-2.1
/* The live tasks of a trace.  See proctab.h. */
#include "event/proctab.h"
#include "base/map64.h"
#include "base/xalloc.h"

#include <stdlib.h>
#include <string.h>

#define CLONE_THREAD	0x00010000

struct proctab {
	struct proctab_head head;	/* must be first, for proctab.h */
	const struct proctab_ops *ops;
	void *ctx;
	unsigned int pid_bits;
	uint64_t processes;
	uint32_t spare_koid;	/* the last koid that is not from a upid */
	struct map64 by_koid;
	/* by pid, or by upid if pid_bits is 0: the latest task; earlier ones at task->by_pid */
	struct map64 by_pid;
	struct task *first;	/* list of all live tasks */
};

#define FIRST_SPARE_KOID	0x80000000u

struct proctab *proctab_new(unsigned int pid_bits, const struct proctab_ops *ops,
			    void *ctx)
{
	struct proctab *t = xcalloc(1, sizeof(*t));

	t->ops = ops;
	t->ctx = ctx;
	t->pid_bits = pid_bits;
	t->spare_koid = FIRST_SPARE_KOID;
	return t;
}

static void free_task(struct task *task)
{
	free(task->program);
	free(task);
}

void proctab_free(struct proctab *t)
{
	if (!t)
		return;
	while (t->first) {
		struct task *task = t->first;

		t->first = task->next;
		free_task(task);
	}
	map64_clear(&t->by_koid);
	map64_clear(&t->by_pid);
	free(t);
}

/* ---- finding them ---- */

static uint64_t pid_key(const struct proctab *t, uint64_t upid)
{
	return t->pid_bits ? et_pid(upid, t->pid_bits) : upid;
}

static void link_task(struct proctab *t, struct task *task)
{
	uint64_t *first = map64_at(&t->by_pid, pid_key(t, task->upid));

	task->by_pid = (struct task *)(uintptr_t)*first;
	*first = (uintptr_t)task;
	map64_put(&t->by_koid, task->koid, (uintptr_t)task);
}

static struct task *find_task(struct proctab *t, uint64_t upid)
{
	struct task *task = t->head.last;

	if (task && task->upid == upid)
		return task;
	task = map64_pointer(&t->by_pid, pid_key(t, upid));
	while (task && task->upid != upid)
		task = task->by_pid;
	return task;
}

static bool koid_used(const struct proctab *t, uint32_t koid)
{
	return map64_get(&t->by_koid, koid);
}

/* The sequence number if it fits and is free, else one from the upper half. */
static uint32_t choose_koid(struct proctab *t, uint64_t upid)
{
	uint64_t seq = et_sequence(upid, t->pid_bits);

	if (seq && seq < PROCTAB_FIRST_OWN_KOID && !koid_used(t, (uint32_t)seq))
		return (uint32_t)seq;
	do {
		t->spare_koid = t->spare_koid == UINT32_MAX ? FIRST_SPARE_KOID :
				t->spare_koid + 1;
	} while (koid_used(t, t->spare_koid));
	return t->spare_koid;
}

static void unlink_task(struct proctab *t, struct task *task)
{
	uint64_t key = pid_key(t, task->upid);
	struct task *first = (struct task *)(uintptr_t)map64_remove(&t->by_pid, key), **at = &first;

	while (*at != task)
		at = &(*at)->by_pid;
	*at = task->by_pid;
	if (first)
		map64_put(&t->by_pid, key, (uintptr_t)first);
	map64_remove(&t->by_koid, task->koid);
	*task->prev = task->next;
	if (task->next)
		task->next->prev = task->prev;
	if (t->head.last == task)
		t->head.last = NULL;
	t->processes -= !task->thread;
	free_task(task);
}

/* ---- beginnings and ends ---- */

static void set_program(struct task *task, const char *s, size_t len)
{
	char *copy = xmalloc(len + 1);

	memcpy(copy, s, len);
	copy[len] = 0;
	free(task->program);
	task->program = copy;
	task->program_len = len;
}

/* Name the program of a task that ran before it was traced. */
static void name_present(struct task *task, const struct et_event *ev)
{
	size_t len;
	const char *s = et_get_string(ev, et_present_path(ev), &len);
	const char *slash = s ? memrchr(s, '/', len) : NULL;

	if (slash && slash + 1 < s + len) {
		set_program(task, slash + 1, (size_t)(s + len - slash - 1));
		return;
	}
	len = 0;
	if (ev->kind == ET_K_PRESENT)
		s = et_get_string(ev, ET_S_PRESENT_comm, &len);
	if (len)
		set_program(task, s, len);
	else
		set_program(task, "?", 1);
}

static void end_task(struct proctab *t, struct task *task, enum task_end why,
		     uint64_t time, const struct et_event *ev)
{
	/* count before the call, so that the owner sees the new number */
	t->processes -= !task->thread;
	t->ops->end(t->ctx, task, why, time, ev);
	t->processes += !task->thread;
	unlink_task(t, task);
}

/* A pid is reused: the task that had it must have ended, and its exit event was lost. */
static void evict_pid(struct proctab *t, uint64_t pid, const struct et_event *ev)
{
	struct task *task = t->pid_bits ? map64_pointer(&t->by_pid, pid) : NULL, *next;

	for (; task; task = next) {
		next = task->by_pid;
		if (!task->left_pid)
			end_task(t, task, TASK_LOST, ev->time, ev);
	}
}

/*
 * upid of the task that created a task, or of the parent if the task ran before it was traced; 0
 * if unknown.
 */
static uint64_t maker_of(const struct task *parent, const struct et_event *ev)
{
	int64_t upid;

	if (!et_is_present(ev))
		return parent ? parent->upid : 0;
	upid = et_value(ev, ET_V_PRESENT_parent, 0);
	return upid > 0 ? (uint64_t)upid : 0;
}

static struct task *add_task(struct proctab *t, uint64_t upid, struct task *parent,
			     bool thread, const struct et_event *ev)
{
	struct task *task = xcalloc(1, sizeof(*task));

	task->upid = upid;
	task->pid = et_pid(upid, t->pid_bits);
	task->koid = choose_koid(t, upid);
	task->thread = thread;
	task->process = thread && parent ? parent->process : task->koid;
	task->process_upid = thread && parent ? parent->process_upid : upid;
	task->parent = maker_of(parent, ev);
	task->depth = parent ? parent->depth + !thread : 1;
	task->forked = parent && !et_is_present(ev);
	task->since = ev->time;
	if (et_is_present(ev))
		name_present(task, ev);
	else if (parent)
		set_program(task, parent->program, parent->program_len);
	else
		set_program(task, "?", 1);
	link_task(t, task);
	task->next = t->first;
	task->prev = &t->first;
	if (t->first)
		t->first->prev = &task->next;
	t->first = task;
	t->processes += !thread;
	t->ops->begin(t->ctx, task, et_is_present(ev) ? NULL : parent, ev);
	return task;
}

/* The process of a thread that ran before it was traced; NULL if unknown. */
static struct task *process_of(struct proctab *t, const struct et_event *ev)
{
	int64_t upid;

	if (!et_is_present(ev))
		return NULL;
	upid = et_value(ev, ET_V_PRESENT_process, -1);
	if (upid < 0 || (uint64_t)upid == ev->upid)
		return NULL;
	return find_task(t, (uint64_t)upid);
}

struct task *proctab_find_actor(struct proctab *t, const struct et_event *ev)
{
	struct task *task;

	if (et_is_of_no_task(ev))
		return NULL;
	task = find_task(t, ev->upid);
	if (!task) {
		struct task *process = process_of(t, ev);

		evict_pid(t, et_pid(ev->upid, t->pid_bits), ev);
		task = add_task(t, ev->upid, process, process, ev);
	}
	t->head.last = task;
	return task;
}

static void apply_fork(struct proctab *t, struct task *parent, const struct et_event *ev)
{
	int64_t child = et_value(ev, ET_V_CLONE_child, -1);
	int64_t flags = et_value(ev, ET_V_CLONE_flags, 0);
	uint64_t pid = et_pid((uint64_t)child, t->pid_bits);

	if (child < 0 || find_task(t, (uint64_t)child))
		return;
	/* in a damaged trace the child may have its parent's pid: do not end the parent */
	if (pid != parent->pid || parent->left_pid)
		evict_pid(t, pid, ev);
	add_task(t, (uint64_t)child, parent, flags & CLONE_THREAD, ev);
}

/* Base name of the program, or of argv[0] if the program is unknown. */
static void name_program(struct task *task, const struct et_event *ev)
{
	size_t len;
	const char *s = et_get_string(ev, ET_S_EXEC_path, &len), *slash;

	if (!len && ev->nargs) {
		s = et_text(ev, &ev->args[0]);
		len = ev->args[0].len;
	}
	if (!len) {
		set_program(task, "?", 1);
		return;
	}
	slash = memrchr(s, '/', len);
	if (slash && slash + 1 < s + len)
		set_program(task, slash + 1, (size_t)(s + len - slash - 1));
	else
		set_program(task, s, len);
}

/*
 * A thread that calls execve becomes the process: the others are gone, and its
 * pid is the old leader's.
 */
static void apply_exec(struct proctab *t, struct task *task, const struct et_event *ev)
{
	t->ops->end(t->ctx, task, TASK_EXEC, ev->time, ev);
	if (task->thread) {
		/* another task can get its old pid from now on */
		task->left_pid = true;
		task->thread = false;
		t->processes++;
	}
	name_program(task, ev);
	task->execed = true;
	task->since = ev->time;
	t->ops->begin(t->ctx, task, NULL, ev);
}

void proctab_apply_change(struct proctab *t, struct task *actor, const struct et_event *ev)
{
	switch (ev->kind) {
	case ET_K_CLONE:
		apply_fork(t, actor, ev);
		break;
	case ET_K_EXEC:
		apply_exec(t, actor, ev);
		break;
	case ET_K_EXIT:
		end_task(t, actor, TASK_EXIT, ev->time, ev);
		break;
	default:
		break;
	}
}

const struct task *proctab_find(struct proctab *t, uint64_t upid)
{
	return find_task(t, upid);
}

const struct task *proctab_first(const struct proctab *t)
{
	return t->first;
}

void proctab_end(struct proctab *t, uint64_t time)
{
	struct task *task, *next;

	for (task = t->first; task; task = next) {
		next = task->next;
		end_task(t, task, TASK_OPEN, time, NULL);
	}
}

uint64_t proctab_processes(const struct proctab *t)
{
	return t->processes;
}
