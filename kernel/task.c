// SPDX-License-Identifier: GPL-2.0
/*
 * The traced tasks: a table of slots, found by task pointer. A task has a slot
 * for each session that traces it.
 *
 * Locking: look-ups run under RCU, or a bucket's lock.  A bucket's lock guards changes of that
 * bucket; it is taken only in process context, when a task is created or ends and when tracing
 * starts or stops, never on the path of other system calls; with interrupts off, since the
 * probe of moves between cgroups runs with them off and with the kernel's locks held.
 * etrace_tasks_mutex serialises starting and stopping.
 *
 * The probes (probes.c) are registered while there are slots, and a little longer.
 */
#include <linux/atomic.h>
#include <linux/mutex.h>
#include <linux/rculist.h>
#include <linux/sched/signal.h>
#include <linux/sched/task.h>
#include <linux/slab.h>
#include <linux/spinlock.h>
#include <linux/tracepoint.h>
#include <linux/workqueue.h>

#include "task.h"
#include "compat.h"
#include "counts.h"
#include "return_work.h"

/*
 * Probes stay registered for this time after the last traced task: the next trace may begin soon.
 */
#define ETRACE_IDLE_DELAY	HZ

struct etrace_bucket etrace_buckets[ETRACE_TASK_BUCKETS];
static struct kmem_cache *etrace_task_cache;
static DEFINE_MUTEX(etrace_tasks_mutex);
static atomic_t etrace_slots = ATOMIC_INIT(0);	/* slots, and 1 per etrace_tasks_hold() */
static const struct etrace_listener *etrace_listener;
static bool etrace_listening;	/* the listener is started; guarded by etrace_tasks_mutex */
unsigned int etrace_bits_of_real_pid = 22;

/* ---- listening while tasks are traced -------------------------------- */

static int etrace_listen(void)
{
	int err;

	if (etrace_listening)
		return 0;
	err = etrace_listener->start();
	etrace_listening = !err;
	return err;
}

/* While there are no slots, they are only added with etrace_tasks_mutex held. */
static void etrace_listen_idle(struct work_struct *work)
{
	mutex_lock(&etrace_tasks_mutex);
	if (etrace_listening && !atomic_read(&etrace_slots)) {
		etrace_listener->stop();
		etrace_listening = false;
	}
	mutex_unlock(&etrace_tasks_mutex);
}

static DECLARE_DELAYED_WORK(etrace_listen_work, etrace_listen_idle);

/**
 * etrace_tasks_idle - stop listening immediately
 *
 * Call it when nothing is traced and nothing will be. On return no probe
 * and no hook runs any more.
 */
void etrace_tasks_idle(void)
{
	cancel_delayed_work_sync(&etrace_listen_work);
	etrace_listen_idle(NULL);
}

/* ---- slots --------------------------------------------------------------- */

/**
 * etrace_task_new_upid - create an identifier that is unique in a trace
 * @s: the session
 * @pid: the pid that the identifier contains
 *
 * Return: the identifier, never negative as a signed number.
 */
u64 etrace_task_new_upid(struct etrace_session *s, pid_t pid)
{
	u64 seq = atomic64_inc_return(&s->seq);
	u64 mask = BIT_ULL(etrace_bits_of_real_pid) - 1;

	return ((seq << etrace_bits_of_real_pid) | ((u64)pid & mask)) & S64_MAX;
}

static void etrace_task_free_rcu(struct rcu_head *rcu)
{
	struct etrace_task *t = container_of(rcu, struct etrace_task, rcu);

	etrace_hold_free(t->hold);
	etrace_uses_put(t->uses);
	etrace_process_put(t->process);
	kmem_cache_free(etrace_task_cache, t);
}

/*
 * Adds a slot for @task unless it has one. @sibling: a slot of another thread of its
 * process, NULL if none. Returns the task's slot, NULL if there is no memory.
 */
struct etrace_task *etrace_task_add(struct etrace_session *s, struct task_struct *task,
				    struct etrace_task *sibling, bool joined, bool refused,
				    bool *added)
{
	struct etrace_bucket *b = etrace_bucket(task);
	struct etrace_task *t, *old;
	unsigned long flags;

	*added = false;
	t = kmem_cache_alloc(etrace_task_cache, GFP_ATOMIC | __GFP_NOWARN);
	if (!t) {
		etrace_count(s, lost_tasks, 1);
		return NULL;
	}
	t->task = task;
	t->session = s;
	t->last = 0;
	t->lost = 0;
	t->hold = NULL;
	t->uses = NULL;
	t->process = sibling ? etrace_process_get(&sibling->process, sibling->upid) : NULL;
	t->going_on = false;
	t->skipped = false;
	t->joined = joined;
	t->refused = refused;
	t->ring = NULL;

	spin_lock_irqsave(&b->lock, flags);
	old = etrace_slot_find(task, s);
	if (!old) {
		t->upid = etrace_task_new_upid(s, task_pid_nr(task));
		if (!refused)
			atomic_inc(&s->tasks);
		atomic_inc(&etrace_slots);
		hlist_add_head_rcu(&t->node, &b->head);
		*added = true;
	}
	spin_unlock_irqrestore(&b->lock, flags);

	if (old) {
		etrace_process_put(t->process);
		kmem_cache_free(etrace_task_cache, t);
		return old;
	}
	/* There was no memory for the state shared with the other threads. */
	if (sibling && !t->process)
		etrace_count(s, lost_tasks, 1);
	return t;
}

/* Called when a session traces one task fewer. */
void etrace_task_over(struct etrace_session *s)
{
	if (atomic_dec_and_test(&s->tasks))
		wake_up_interruptible(&s->idle);
}

/* Called when a slot has left the table. */
static void etrace_task_gone(struct etrace_task *t)
{
	if (atomic_dec_and_test(&etrace_slots))
		schedule_delayed_work(&etrace_listen_work, ETRACE_IDLE_DELAY);
	if (!xchg(&t->refused, true))
		etrace_task_over(t->session);
}

/* Removes the slot that @task has for @s, or for any session. */
bool etrace_task_remove(struct task_struct *task, const struct etrace_session *s)
{
	struct etrace_bucket *b = etrace_bucket(task);
	struct etrace_task *t;
	unsigned long flags;

	spin_lock_irqsave(&b->lock, flags);
	t = etrace_slot_find(task, s);
	if (t)
		hlist_del_rcu(&t->node);
	spin_unlock_irqrestore(&b->lock, flags);
	if (!t)
		return false;
	etrace_task_gone(t);
	call_rcu(&t->rcu, etrace_task_free_rcu);
	return true;
}

/**
 * etrace_task_drop - remove the slots of a task that has ended
 * @task: the current task; its slots must not be used after this
 */
void etrace_task_drop(struct task_struct *task)
{
	while (etrace_task_remove(task, NULL))
		;
}

/**
 * etrace_task_fork - trace the child of a traced task
 * @parent: a slot of the current task
 * @child: the child, which has not run yet
 *
 * Return: the child's slot for the parent's session; NULL if the child cannot be
 * traced (counted as lost) or tracing is being stopped.
 */
struct etrace_task *etrace_task_fork(struct etrace_task *parent,
				     struct task_struct *child)
{
	struct etrace_task *sibling = same_thread_group(child, parent->task) ? parent : NULL;
	bool added;

	if (!READ_ONCE(parent->session->tracing))
		return NULL;
	return etrace_task_add(parent->session, child, sibling, false, parent->refused, &added);
}

/**
 * etrace_task_sibling - find a traced thread of a process
 * @task: any thread of the process
 *
 * Call it in an RCU read-side section.
 *
 * Return: the first slot of the first traced thread, NULL if none.
 */
struct etrace_task *etrace_task_sibling(struct task_struct *task)
{
	struct etrace_task *t = etrace_task_find(task->group_leader);
	struct task_struct *other;

	if (t)
		return t;
	for_each_thread(task, other) {
		t = etrace_task_find(other);
		if (t)
			break;
	}
	return t;
}

/**
 * etrace_task_worker - trace an io_uring worker of a traced process
 * @worker: the current task, which has no slot
 *
 * Call it in an RCU read-side section. The worker joins the process as a thread, for
 * sessions that want extended events.
 *
 * Return: its first slot, NULL if none.
 */
struct etrace_task *etrace_task_worker(struct task_struct *worker)
{
	struct etrace_task *t;
	bool added;

	etrace_for_each_slot(t, etrace_task_sibling(worker))
		if (READ_ONCE(t->session->tracing) &&
		    etrace_session_wants(t->session, ETRACE_WHERE_EXTENDED))
			etrace_task_add(t->session, worker, t, true, t->refused, &added);
	return etrace_task_find(worker);
}

/**
 * etrace_task_kin - get the upids of a task's process and parent
 * @t: a slot of the current task
 * @process: set to the upid of the first thread of its process
 * @parent: set to the upid of the parent, 0 if not traced
 *
 * Call it in an RCU read-side section.
 */
void etrace_task_kin(const struct etrace_task *t, u64 *process, u64 *parent)
{
	const struct etrace_process *p = READ_ONCE(t->process);
	const struct etrace_task *above;

	above = etrace_slot_find(rcu_dereference_raw(current->real_parent), t->session);
	*process = p ? p->upid : t->upid;
	*parent = above ? above->upid : 0;
}

/* ---- data in a task's slots --------------------------------------------- */

/**
 * etrace_held_find - find the data that a hook kept for the call in progress
 * @t: first slot of the current task
 * @hook: the hook
 *
 * It is in the slot that was the task's first one when the hook ran; slots of newer
 * sessions come before it.
 *
 * Return: the hold, NULL if none.
 */
struct etrace_hold *etrace_held_find(struct etrace_task *t, u8 hook)
{
	etrace_for_each_slot(t, t)
		if (t->hold && t->hold->hook == hook)
			return t->hold;
	return NULL;
}

/**
 * etrace_held_take - take the data that a hook kept for the call in progress
 * @t: first slot of the current task
 * @hook: the hook
 *
 * Return: the hold, which the caller must free; NULL if none.
 */
struct etrace_hold *etrace_held_take(struct etrace_task *t, u8 hook)
{
	struct etrace_hold *hold;

	etrace_for_each_slot(t, t) {
		hold = t->hold;
		if (!hold || hold->hook != hook)
			continue;
		t->hold = NULL;
		return hold;
	}
	return NULL;
}

/**
 * etrace_held_done - free the data that hooks kept: the call is over
 * @t: first slot of the current task, which is in a system call
 *
 * References are dropped before the program continues: it may unmount their file system.
 */
void etrace_held_done(struct etrace_task *t)
{
	etrace_for_each_slot(t, t) {
		if (t->hold && t->hold->work)
			etrace_work_run(xchg(&t->hold->work, NULL), NULL);
		etrace_hold_free(t->hold);
		t->hold = NULL;
	}
}

/* ---- starting and stopping ----------------------------------------------- */

/**
 * etrace_tasks_begin - begin to add running tasks; the probes are registered
 *
 * Return: 0, and the caller must call etrace_tasks_end(); or a negative error.
 */
int etrace_tasks_begin(void)
{
	int err;

	mutex_lock(&etrace_tasks_mutex);
	err = etrace_listen();
	if (err)
		mutex_unlock(&etrace_tasks_mutex);
	return err;
}

void etrace_tasks_end(void)
{
	if (!atomic_read(&etrace_slots))
		schedule_delayed_work(&etrace_listen_work, ETRACE_IDLE_DELAY);
	mutex_unlock(&etrace_tasks_mutex);
}

/* Keeps the probes registered until etrace_tasks_unhold(), even while no task is traced. */
void etrace_tasks_hold(void)
{
	atomic_inc(&etrace_slots);
}

void etrace_tasks_unhold(void)
{
	if (atomic_dec_and_test(&etrace_slots))
		schedule_delayed_work(&etrace_listen_work, ETRACE_IDLE_DELAY);
}

/* Takes all slots of @s out of the table and puts them before @list. */
static struct etrace_task *etrace_tasks_sweep(const struct etrace_session *s,
					      struct etrace_task *list)
{
	struct etrace_task *t;
	struct hlist_node *next;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(etrace_buckets); i++) {
		struct etrace_bucket *b = &etrace_buckets[i];

		spin_lock_irq(&b->lock);
		hlist_for_each_entry_safe(t, next, &b->head, node) {
			if (t->session != s)
				continue;
			hlist_del_rcu(&t->node);
			t->swept = list;
			list = t;
		}
		spin_unlock_irq(&b->lock);
	}
	return list;
}

/**
 * etrace_tasks_stop - stop all tracing of a session
 * @s: the session
 *
 * Waits until no probe uses a slot of the session, so do not call it from a probe.
 * Does nothing if tracing has been stopped already.
 */
void etrace_tasks_stop(struct etrace_session *s)
{
	struct etrace_task *t, *list = NULL, *before;
	unsigned long rcu;

	mutex_lock(&etrace_tasks_mutex);
	if (!s->tracing) {
		mutex_unlock(&etrace_tasks_mutex);
		return;
	}
	WRITE_ONCE(s->tracing, false);
	/* A running probe may still add a task, which the next pass finds. */
	do {
		before = list;
		list = etrace_tasks_sweep(s, list);
		/* Wait for look-ups and hooks, too; on most kernels the next line does that. */
		rcu = get_state_synchronize_rcu();
		tracepoint_synchronize_unregister();
		cond_synchronize_rcu(rcu);
	} while (list != before);
	mutex_unlock(&etrace_tasks_mutex);

	while ((t = list)) {
		list = t->swept;
		cond_resched();
		etrace_listener->left(t);
		etrace_task_gone(t);
		etrace_task_free_rcu(&t->rcu);
	}
}

/**
 * etrace_tasks_list - list the tasks in one bucket that a session traces
 * @s: the session
 * @bucket: below ETRACE_TASK_BUCKETS
 * @to: room for them; their pids are those of the caller's pid namespace
 * @room: number of tasks that fit
 *
 * Return: number of tasks, of which at most @room were written.
 */
u32 etrace_tasks_list(const struct etrace_session *s, unsigned int bucket,
		      struct etrace_task_info *to, u32 room)
{
	struct etrace_bucket *b = &etrace_buckets[bucket];
	struct etrace_task *t;
	unsigned long flags;
	u32 n = 0;

	/*
	 * The task_struct exists while the slot is in the table: the task has not ended, or
	 * etrace_task_adopt() is about to remove the slot again, in an RCU read-side section
	 * that began while the task was in the kernel's list.
	 */
	spin_lock_irqsave(&b->lock, flags);
	hlist_for_each_entry(t, &b->head, node) {
		if (t->session != s || t->refused)
			continue;
		if (n < room) {
			to[n].upid = t->upid;
			to[n].pid = task_pid_vnr(t->task);
			to[n].tgid = task_tgid_vnr(t->task);
		}
		n++;
	}
	spin_unlock_irqrestore(&b->lock, flags);
	return n;
}

/**
 * etrace_tasks_init - set up the empty table
 * @l: the callbacks to use while tasks are traced
 *
 * Return: 0 or -ENOMEM.
 */
int etrace_tasks_init(const struct etrace_listener *l)
{
	unsigned int i;

	etrace_listener = l;
	for (i = 0; i < ARRAY_SIZE(etrace_buckets); i++) {
		INIT_HLIST_HEAD(&etrace_buckets[i].head);
		spin_lock_init(&etrace_buckets[i].lock);
	}
	/* A slot is charged to the memory cgroup of the task that starts the traced one. */
	etrace_task_cache = KMEM_CACHE(etrace_task, SLAB_ACCOUNT);
	return etrace_task_cache ? 0 : -ENOMEM;
}

void etrace_tasks_exit(void)
{
	rcu_barrier();		/* waits for etrace_task_free_rcu() */
	rcu_barrier();		/* and for what it has freed in turn: etrace_uses_free() */
	kmem_cache_destroy(etrace_task_cache);
}
