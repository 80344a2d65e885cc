/* SPDX-License-Identifier: GPL-2.0 */
/* The traced tasks: slots, found by task pointer. */
#ifndef ETRACE_TASK_H
#define ETRACE_TASK_H

#include <linux/hash.h>
#include <linux/rculist.h>
#include <linux/sched.h>
#include <linux/spinlock.h>
#include <linux/timekeeping.h>

#include "etrace.h"
#include "hold.h"
#include "process.h"
#include "uses.h"

struct etrace_syscall;

/* Many buckets, so that an untraced task rarely shares one with a traced task. */
#define ETRACE_TASK_BITS	12
#define ETRACE_TASK_BUCKETS	(1U << ETRACE_TASK_BITS)

/**
 * struct etrace_task - a task that a session traces
 * @node: link in the table
 * @rcu: for freeing
 * @task: the key in the table; never dereferenced, no reference held
 * @session: the session that traces it
 * @upid: its unique identifier in that session
 * @last: time in ns; its next record must be later: each line that is printed from a
 *	record has its own time, and a task's times strictly increase, so that a reader
 *	can sort them
 * @lost: number of its lost records that no record reports yet
 * @lost_since: time of the first of these, in nanoseconds
 * @hold: data that a hook kept until the end of the system call in progress
 * @uses: uses of its program's descriptors, shared by threads; NULL if none
 * @process: state shared with the other threads of its process, NULL if none
 * @going_on: the session has the beginning of an event that the task will complete later
 * @ring: the operation that it performs for an io_uring, NULL if none
 * @refused: the session's owner may see neither this task nor its children
 * @skipped: a seccomp filter has answered the call in progress, so the kernel does not
 *	run it; valid for the latest call that a filter has seen
 * @joined: the task was running before it was traced, and has no join record yet
 * @swept: links slots that left the table because tracing stops
 *
 * Only the task itself reads and writes @last, @lost, @hold,
 * @going_on, @ring, @skipped and @joined.
 */
struct etrace_task {
	struct hlist_node node;
	struct rcu_head rcu;
	struct task_struct *task;
	struct etrace_session *session;
	u64 upid;
	u64 last;
	u64 lost;
	u64 lost_since;
	struct etrace_hold *hold;
	struct etrace_uses *uses;
	struct etrace_process *process;
	bool going_on;
	bool skipped;
	bool refused;
	bool joined;
	const struct etrace_syscall *ring;
	struct etrace_task *swept;
};

/**
 * struct etrace_listener - callbacks needed while tasks are traced
 * @start: register the probes; returns 0 or a negative error
 * @stop: unregister them; on return none of them runs any more
 * @left: a living task is no longer traced; nothing else uses its slot
 */
struct etrace_listener {
	int (*start)(void);
	void (*stop)(void);
	void (*left)(struct etrace_task *t);
};

extern unsigned int etrace_bits_of_real_pid;

int etrace_tasks_init(const struct etrace_listener *l);
void etrace_tasks_exit(void);
int etrace_tasks_begin(void);
void etrace_tasks_end(void);
void etrace_tasks_hold(void);
void etrace_tasks_unhold(void);
struct etrace_task *etrace_task_add(struct etrace_session *s, struct task_struct *task,
				    struct etrace_task *sibling, bool joined, bool refused,
				    bool *added);
bool etrace_task_remove(struct task_struct *task, const struct etrace_session *s);
void etrace_task_over(struct etrace_session *s);
void etrace_task_kin(const struct etrace_task *t, u64 *process, u64 *parent);
void etrace_tasks_stop(struct etrace_session *s);
void etrace_tasks_idle(void);
u32 etrace_tasks_list(const struct etrace_session *s, unsigned int bucket,
		      struct etrace_task_info *to, u32 room);
struct etrace_task *etrace_task_fork(struct etrace_task *parent,
				     struct task_struct *child);
struct etrace_task *etrace_task_sibling(struct task_struct *task);
struct etrace_task *etrace_task_worker(struct task_struct *worker);
void etrace_task_drop(struct task_struct *task);
u64 etrace_task_new_upid(struct etrace_session *s, pid_t pid);

/**
 * struct etrace_bucket - slots of tasks with the same hash
 * @head: the slots; look-ups run under RCU
 * @lock: guards changes of @head
 */
struct etrace_bucket {
	struct hlist_head head;
	spinlock_t lock;
};

extern struct etrace_bucket etrace_buckets[ETRACE_TASK_BUCKETS];

static inline struct etrace_bucket *etrace_bucket(struct task_struct *task)
{
	return &etrace_buckets[hash_ptr(task, ETRACE_TASK_BITS)];
}

/**
 * etrace_task_untraced - fast check for untraced tasks
 * @task: any task
 *
 * Return: true if the task is certainly not traced; if false, ask
 * etrace_task_find().
 */
static inline bool etrace_task_untraced(struct task_struct *task)
{
	return hlist_empty(&etrace_bucket(task)->head);
}

/* The first slot of @task from @pos on. */
static inline struct etrace_task *etrace_bucket_find(struct hlist_node *pos,
						     struct task_struct *task)
{
	struct etrace_task *t;

	for (; pos; pos = rcu_dereference_raw(hlist_next_rcu(pos))) {
		t = hlist_entry(pos, struct etrace_task, node);
		if (t->task == task)
			return t;
	}
	return NULL;
}

/*
 * The first slot in the bucket of @task, which may be another task's; NULL if empty.
 * Call it as etrace_task_find().
 */
static inline struct etrace_task *etrace_task_first(struct task_struct *task)
{
	struct hlist_node *pos = rcu_dereference_raw(hlist_first_rcu(&etrace_bucket(task)->head));

	return hlist_entry_safe(pos, struct etrace_task, node);
}

/**
 * etrace_task_find - find the first slot of a task
 * @task: any task
 *
 * Call it with the bucket's lock held, or in an RCU read-side section that lasts as
 * long as this slot, and slots found from it by etrace_task_next(), are used.
 *
 * Return: its first slot, or NULL if the task is not traced.
 */
static inline struct etrace_task *etrace_task_find(struct task_struct *task)
{
	struct hlist_head *head = &etrace_bucket(task)->head;

	return etrace_bucket_find(rcu_dereference_raw(hlist_first_rcu(head)), task);
}

/**
 * etrace_task_next - get the next slot of the task, for another session
 * @t: a slot, found by etrace_task_find()
 *
 * Return: the next slot, NULL if none.
 */
static inline struct etrace_task *etrace_task_next(struct etrace_task *t)
{
	return etrace_bucket_find(rcu_dereference_raw(hlist_next_rcu(&t->node)),
				  t->task);
}

/* For all slots of a task, one for each session that traces it. */
#define etrace_for_each_slot(t, first)	\
	for ((t) = (first); (t); (t) = etrace_task_next(t))

/* The slot that @task has for @s, or for any session. */
static inline struct etrace_task *etrace_slot_find(struct task_struct *task,
						   const struct etrace_session *s)
{
	struct etrace_task *t;

	etrace_for_each_slot(t, etrace_task_find(task))
		if (!s || t->session == s)
			break;
	return t;
}

/**
 * etrace_task_now - get the time of a task's next record
 * @t: the task's slot
 *
 * Return: CLOCK_MONOTONIC in nanoseconds, later than every line of the task's
 * earlier records.
 */
static inline u64 etrace_task_now(struct etrace_task *t)
{
	u64 now = ktime_get_ns();

	if (unlikely(now <= t->last))
		now = t->last + 1;
	t->last = now + ETRACE_LINES_MAX;
	return now;
}

/**
 * etrace_task_printed - get the output of the current task's process
 * @t: a slot of the task
 *
 * Return: the output, NULL if none.
 */
static inline struct etrace_prints *etrace_task_printed(const struct etrace_task *t)
{
	const struct etrace_process *p = READ_ONCE(t->process);

	return p ? READ_ONCE(p->prints) : NULL;
}

struct etrace_hold *etrace_held_find(struct etrace_task *t, u8 hook);
struct etrace_hold *etrace_held_take(struct etrace_task *t, u8 hook);
void etrace_held_done(struct etrace_task *t);

#endif /* ETRACE_TASK_H */
