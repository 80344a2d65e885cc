// SPDX-License-Identifier: LGPL-2.1
/* The live tasks of a trace.  See proctab.h. */
#include "event/proctab.h"
#include "base/hash.h"
#include "base/xalloc.h"

#include <stdlib.h>
#include <string.h>

#define CLONE_THREAD	0x00010000

/* Chains through members of struct task; as many heads as tasks, or more. */
struct proctab {
	struct proctab_head head;	/* the first, see proctab.h */
	const struct proctab_ops *ops;
	void *ctx;
	unsigned int pid_bits;
	uint64_t processes, tasks;
	uint32_t spare_koid;	/* the last one given where none fits the upid */
	size_t heads;
	struct task **by_upid, **by_koid, **by_pid;
	struct task *first;	/* all of them */
};

/* Not found by its pid, and no pid. */
#define NO_PID		UINT64_MAX
#define FIRST_SPARE_KOID	0x80000000u

struct proctab *proctab_new(unsigned int pid_bits, const struct proctab_ops *ops,
			    void *ctx)
{
	struct proctab *t = xcalloc(1, sizeof(*t));

	t->ops = ops;
	t->ctx = ctx;
	t->pid_bits = pid_bits;
	t->spare_koid = FIRST_SPARE_KOID;
	t->heads = 256;
	t->by_upid = xcalloc(t->heads, sizeof(struct task *));
	t->by_koid = xcalloc(t->heads, sizeof(struct task *));
	t->by_pid = xcalloc(t->heads, sizeof(struct task *));
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
	free(t->by_upid);
	free(t->by_koid);
	free(t->by_pid);
	free(t);
}

/* ---- the chains ---- */

static size_t head_of(const struct proctab *t, uint64_t key)
{
	return hash_word(key) & (t->heads - 1);
}

static void link_task(struct proctab *t, struct task *task)
{
	struct task **head = &t->by_upid[head_of(t, task->upid)];

	task->by_upid = *head;
	*head = task;
	head = &t->by_koid[head_of(t, task->koid)];
	task->by_koid = *head;
	*head = task;
	if (task->pid_key == NO_PID)
		return;
	head = &t->by_pid[head_of(t, task->pid_key)];
	task->by_pid = *head;
	*head = task;
}

static void grow(struct proctab *t)
{
	t->heads *= 2;
	free(t->by_upid);
	free(t->by_koid);
	free(t->by_pid);
	t->by_upid = xcalloc(t->heads, sizeof(struct task *));
	t->by_koid = xcalloc(t->heads, sizeof(struct task *));
	t->by_pid = xcalloc(t->heads, sizeof(struct task *));
	for (struct task *task = t->first; task; task = task->next)
		link_task(t, task);
}

static struct task *find(struct proctab *t, uint64_t upid)
{
	struct task *task = t->head.last;

	if (task && task->upid == upid)
		return task;
	task = t->by_upid[head_of(t, upid)];
	while (task && task->upid != upid)
		task = task->by_upid;
	return task;
}

static bool koid_used(const struct proctab *t, uint32_t koid)
{
	const struct task *task = t->by_koid[head_of(t, koid)];

	while (task && task->koid != koid)
		task = task->by_koid;
	return task;
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

/* Its pid is for another one. */
static void unlink_pid(struct proctab *t, struct task *task)
{
	struct task **at;

	if (task->pid_key == NO_PID)
		return;
	for (at = &t->by_pid[head_of(t, task->pid_key)]; *at != task;)
		at = &(*at)->by_pid;
	*at = task->by_pid;
	task->pid_key = NO_PID;
}

static void unlink_task(struct proctab *t, struct task *task)
{
	struct task **at;

	for (at = &t->by_upid[head_of(t, task->upid)]; *at != task;)
		at = &(*at)->by_upid;
	*at = task->by_upid;
	for (at = &t->by_koid[head_of(t, task->koid)]; *at != task;)
		at = &(*at)->by_koid;
	*at = task->by_koid;
	unlink_pid(t, task);
	*task->prev = task->next;
	if (task->next)
		task->next->prev = task->prev;
	if (t->head.last == task)
		t->head.last = NULL;
	t->tasks--;
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

/* What a task runs that was there before it was traced. */
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
	/* counted before the owner is told, so that it sees the new number */
	t->processes -= !task->thread;
	t->ops->end(t->ctx, task, why, time, ev);
	t->processes += !task->thread;
	unlink_task(t, task);
}

/* A pid comes again: whoever had it has ended, and that was lost. */
static void evict_pid(struct proctab *t, uint64_t pid, const struct et_event *ev)
{
	struct task *task = t->by_pid[head_of(t, pid)], *next;

	for (; task; task = next) {
		next = task->by_pid;
		if (task->pid_key == pid)
			end_task(t, task, TASK_LOST, ev->time, ev);
	}
}

/* Who made a task; of one that was there, whose child it is. */
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
	task->pid_key = t->pid_bits ? task->pid : NO_PID;
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
	if (t->tasks >= t->heads)
		grow(t);
	link_task(t, task);
	task->next = t->first;
	task->prev = &t->first;
	if (t->first)
		t->first->prev = &task->next;
	t->first = task;
	t->tasks++;
	t->processes += !thread;
	t->ops->begin(t->ctx, task, et_is_present(ev) ? NULL : parent, ev);
	return task;
}

/* The process of a thread that was there before it was traced, or NULL. */
static struct task *process_of(struct proctab *t, const struct et_event *ev)
{
	int64_t upid;

	if (!et_is_present(ev))
		return NULL;
	upid = et_value(ev, ET_V_PRESENT_process, -1);
	if (upid < 0 || (uint64_t)upid == ev->upid)
		return NULL;
	return find(t, (uint64_t)upid);
}

struct task *proctab_find_actor(struct proctab *t, const struct et_event *ev)
{
	struct task *task;

	if (ev->kind == ET_K_LOST || ev->kind == ET_K_SESSION)
		return NULL;
	task = find(t, ev->upid);
	if (!task) {
		struct task *process = process_of(t, ev);

		if (t->pid_bits)
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

	if (child < 0 || find(t, (uint64_t)child))
		return;
	if (t->pid_bits) {
		uint64_t pid = et_pid((uint64_t)child, t->pid_bits);

		/* damage could make a task its own child's predecessor */
		if (pid != parent->pid_key)
			evict_pid(t, pid, ev);
	}
	add_task(t, (uint64_t)child, parent, flags & CLONE_THREAD, ev);
}

/* Base name of the program, or of argv[0] where the program is not known. */
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
		/* so that its old pid can be reused */
		unlink_pid(t, task);
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
	return find(t, upid);
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
