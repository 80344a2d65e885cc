// SPDX-License-Identifier: GPL-2.0
/*
 * Finds the running tasks that a session traces: the tree of a task, or all that
 * satisfy a condition.
 */
#include <linux/pid.h>
#include <linux/sched/signal.h>
#include <linux/sched/task.h>

#include "adopt.h"
#include "counts.h"
#include "rights.h"
#include "task.h"

#define ETRACE_ADOPT_BATCH	1024	/* tasks examined before a pause */

/* The slot that another thread of the task's process has for @s, NULL if none. */
static struct etrace_task *etrace_sibling_find(struct task_struct *task,
					       const struct etrace_session *s)
{
	struct etrace_task *t = etrace_slot_find(READ_ONCE(task->group_leader), s);
	struct task_struct *other;

	if (t || thread_group_leader(task))
		return t;
	for_each_thread(task, other) {
		t = etrace_slot_find(other, s);
		if (t)
			break;
	}
	return t;
}

/*
 * Adds a running task; marks it as refused if the session's owner may not see it.
 * @joined: the task must record its program itself. Returns whether the slot is new.
 */
static bool etrace_task_adopt(struct etrace_session *s, struct task_struct *task, bool joined)
{
	struct etrace_task *t, *sibling, *above;
	bool added, refused;

	if (etrace_slot_find(task, s))
		return false;
	sibling = etrace_sibling_find(task, s);
	above = etrace_slot_find(rcu_dereference(task->real_parent), s);
	refused = (sibling && sibling->refused) || (above && above->refused) ||
		  !etrace_task_may_adopt(s, task);
	t = etrace_task_add(s, task, sibling, joined, refused, &added);
	if (!t || !added)
		return false;
	if (refused)
		etrace_count(s, lost_tasks, 1);
	/* It may have run another program after the first check, before its slot existed. */
	else if (!etrace_task_may_adopt(s, task))
		etrace_task_refuse(t);
	/*
	 * A task that is ending may have passed the probe of its exit before
	 * it was added. It set PF_EXITING earlier than that, so either the
	 * probe finds the slot or the flag is seen here.
	 */
	smp_mb();
	if (READ_ONCE(task->flags) & PF_EXITING) {
		etrace_task_remove(task, s);
		return false;
	}
	return true;
}

/**
 * etrace_task_join - start to trace a running task
 * @s: the session
 * @task: the task; its next record is a join event
 *
 * Call it in an RCU read-side section, with interrupts on or off. Does nothing if the
 * task is traced already, or is ending, or tracing is being stopped.
 */
void etrace_task_join(struct etrace_session *s, struct task_struct *task)
{
	/* Pairs with etrace_adopt(): either that sees the task, or this sees s->tracing. */
	smp_mb();
	/* io_uring workers get a slot at their first operation. */
	if (READ_ONCE(s->tracing) && !(READ_ONCE(task->flags) & (PF_EXITING | PF_IO_WORKER)))
		etrace_task_adopt(s, task, true);
}

static bool etrace_in_tree(struct etrace_session *s, struct task_struct *task,
			   struct task_struct *root)
{
	struct task_struct *leader = READ_ONCE(task->group_leader);
	struct task_struct *parent = rcu_dereference(task->real_parent);

	return leader == root || etrace_slot_find(leader, s) ||
	       READ_ONCE(parent->group_leader) == root ||
	       etrace_slot_find(parent, s);
}

/* Lets other tasks run. Returns false if the walk cannot continue from @task afterwards. */
static bool etrace_adopt_pause(struct task_struct *p, struct task_struct *task)
{
	bool alive;

	get_task_struct(p);
	get_task_struct(task);
	rcu_read_unlock();
	cond_resched();
	rcu_read_lock();
	alive = pid_alive(p) && pid_alive(task);
	put_task_struct(task);
	put_task_struct(p);
	return alive;
}

/* Which tasks a pass adds: the tree of @root, or if that is NULL, those that @in selects. */
struct etrace_adopted {
	struct etrace_session *s;
	struct task_struct *root;
	bool (*in)(struct task_struct *task, const void *ctx);
	const void *ctx;
};

static bool etrace_is_adopted(const struct etrace_adopted *a, struct task_struct *task)
{
	if (a->root)
		return etrace_in_tree(a->s, task, a->root);
	return !(READ_ONCE(task->flags) & PF_IO_WORKER) && a->in(task, a->ctx);
}

/* One pass over all tasks. Returns the number of added tasks. */
static unsigned int etrace_adopt_pass(const struct etrace_adopted *a)
{
	unsigned int n = 0, batch = ETRACE_ADOPT_BATCH, seen;
	struct task_struct *p, *task;

again:
	seen = 0;
	rcu_read_lock();
	for_each_process_thread(p, task) {
		if (etrace_is_adopted(a, task) && etrace_task_adopt(a->s, task, false))
			n++;
		if (++seen % batch || etrace_adopt_pause(p, task))
			continue;
		rcu_read_unlock();
		batch *= 2;	/* grows, so that the loop ends */
		goto again;
	}
	rcu_read_unlock();
	return n;
}

/*
 * Repeats passes until one finds nothing new: a child born after the pass skipped
 * its parent, but before the parent was added, is found by the next pass.
 * Returns the number of added tasks.
 */
static unsigned int etrace_adopt(const struct etrace_adopted *a)
{
	unsigned int n, all = 0;

	WRITE_ONCE(a->s->tracing, true);
	/* The pass sees tasks that entered a cgroup before this; pairs with etrace_task_join(). */
	smp_mb();
	do {
		n = etrace_adopt_pass(a);
		all += n;
		cond_resched();
	} while (n);
	return all;
}

/**
 * etrace_task_get - find a task
 * @nr: its pid in the caller's pid namespace
 *
 * Return: the task, with a reference; NULL if none.
 */
struct task_struct *etrace_task_get(pid_t nr)
{
	struct pid *pid = find_get_pid(nr);
	struct task_struct *task = get_pid_task(pid, PIDTYPE_PID);

	put_pid(pid);
	return task;
}

/**
 * etrace_tasks_start - trace a task, its threads and all its descendants
 * @s: the session
 * @task: the task; the caller has a reference
 *
 * Return: 0; -ESRCH if the task has ended; -EPERM if the session's owner may not see
 * it; or another negative error if the probes cannot be registered.
 */
int etrace_tasks_start(struct etrace_session *s, struct task_struct *task)
{
	struct etrace_adopted a = { .s = s };
	struct etrace_task *t;
	unsigned int n;
	int err;

	err = etrace_tasks_begin();
	if (err)
		return err;
	a.root = READ_ONCE(task->group_leader);
	n = etrace_adopt(&a);
	rcu_read_lock();
	t = etrace_slot_find(task, s);
	if (!t && !n)
		err = -ESRCH;
	else if (t && t->refused)
		err = -EPERM;
	rcu_read_unlock();
	etrace_tasks_end();
	return err;
}

/**
 * etrace_tasks_start_if - trace all tasks that satisfy a condition
 * @s: the session
 * @in: the condition; called in an RCU read-side section
 * @ctx: argument for @in
 *
 * The probes stay registered until etrace_tasks_unhold(), even while no task is traced:
 * later tasks are added by etrace_task_join().
 *
 * Return: 0 or a negative error.
 */
int etrace_tasks_start_if(struct etrace_session *s,
			  bool (*in)(struct task_struct *task, const void *ctx),
			  const void *ctx)
{
	struct etrace_adopted a = { .s = s, .in = in, .ctx = ctx };
	int err;

	err = etrace_tasks_begin();
	if (err)
		return err;
	etrace_tasks_hold();
	etrace_adopt(&a);
	etrace_tasks_end();
	return 0;
}
