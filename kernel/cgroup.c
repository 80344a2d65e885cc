// SPDX-License-Identifier: GPL-2.0
/*
 * Traces all tasks of a cgroup, whoever started them: a build that a daemon runs has no
 * root task to trace.
 *
 * A task enters a cgroup by being created there, which the fork probe sees, or by being
 * moved there (tracepoint cgroup_attach_task, probed only while a session traces a
 * cgroup). Once traced, it stays traced when it leaves the cgroup.
 *
 * Locking: etrace_watch_mutex guards changes of the list of watches, and the
 * tracepoint; look-ups run under RCU.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/mutex.h>
#include <linux/rculist.h>
#include <linux/rcupdate.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>
#include <linux/tracepoint.h>

#include "cgroup.h"
#include "adopt.h"
#include "task.h"
#include "tracepoint.h"

LIST_HEAD(etrace_watches);

#ifdef CONFIG_CGROUPS

#include <linux/cgroup.h>
#include <trace/events/cgroup.h>

/**
 * struct etrace_watch - a cgroup whose tasks a session traces
 * @node: in etrace_watches
 * @s: the session
 * @cgrp: the cgroup; referenced
 */
struct etrace_watch {
	struct list_head node;
	struct etrace_session *s;
	struct cgroup *cgrp;
};

static DEFINE_MUTEX(etrace_watch_mutex);
static struct tracepoint *etrace_attach_tp;
static bool etrace_attach_seen;		/* the probe is registered */

static bool etrace_is_watched(struct task_struct *task, const void *ctx)
{
	const struct etrace_watch *w = ctx;

	return task_under_cgroup_hierarchy(task, w->cgrp);
}

/**
 * etrace_cgroup_seen - trace a task if it has entered a traced cgroup
 * @task: the task
 */
void etrace_cgroup_seen(struct task_struct *task)
{
	struct etrace_watch *w;

	rcu_read_lock();
	list_for_each_entry_rcu(w, &etrace_watches, node)
		if (etrace_is_watched(task, w))
			etrace_task_join(w->s, task);
	rcu_read_unlock();
}

/*
 * Called with interrupts off, and with locks held that prevent new threads of @leader
 * and further moves.
 */
static void etrace_probe_attach(void *data, struct cgroup *to, const char *path,
				struct task_struct *leader, bool threadgroup)
{
	struct task_struct *task;

	if (!threadgroup) {
		etrace_cgroup_seen(leader);
		return;
	}
	rcu_read_lock();
	for_each_thread(leader, task)
		etrace_cgroup_seen(task);
	rcu_read_unlock();
}

/* Return: 0 or a negative error. */
static int etrace_attach_listen(void)
{
	int err;

	if (etrace_attach_seen)
		return 0;
	if (!etrace_attach_tp)
		return -EOPNOTSUPP;
	check_trace_callback_type_cgroup_attach_task(etrace_probe_attach);
	err = tracepoint_probe_register(etrace_attach_tp, etrace_probe_attach, NULL);
	etrace_attach_seen = !err;
	return err;
}

static void etrace_attach_idle(void)
{
	if (!etrace_attach_seen || !list_empty(&etrace_watches))
		return;
	WARN_ON_ONCE(tracepoint_probe_unregister(etrace_attach_tp, etrace_probe_attach, NULL));
	etrace_attach_seen = false;
}

static unsigned int etrace_watches_of(const struct etrace_session *s)
{
	struct etrace_watch *w;
	unsigned int n = 0;

	list_for_each_entry(w, &etrace_watches, node)
		n += w->s == s;
	return n;
}

/* Removes @w from the list and frees it. */
static void etrace_watch_drop(struct etrace_watch *w)
{
	list_del_rcu(&w->node);
	etrace_attach_idle();
	synchronize_rcu();
	tracepoint_synchronize_unregister();
	cgroup_put(w->cgrp);
	kfree(w);
}

/**
 * etrace_cgroup_watch - trace all tasks that are in a cgroup, or enter it
 * @s: the session
 * @fd: the current task's descriptor of the cgroup's directory
 *
 * Return: 0 or a negative error, see ETRACE_IOC_CGROUP.
 */
int etrace_cgroup_watch(struct etrace_session *s, int fd)
{
	struct etrace_watch *w;
	struct cgroup *cgrp;
	int err;

	cgrp = cgroup_get_from_fd(fd);
	if (IS_ERR(cgrp))
		return PTR_ERR(cgrp);
	w = kzalloc(sizeof(*w), GFP_KERNEL_ACCOUNT);
	if (!w) {
		cgroup_put(cgrp);
		return -ENOMEM;
	}
	w->s = s;
	w->cgrp = cgrp;

	mutex_lock(&etrace_watch_mutex);
	err = etrace_watches_of(s) < ETRACE_CGROUPS_MAX ? etrace_attach_listen() : -ENOSPC;
	if (err) {
		cgroup_put(cgrp);
		kfree(w);
		goto unlock;
	}
	list_add_rcu(&w->node, &etrace_watches);
	err = etrace_tasks_start_if(s, etrace_is_watched, w);
	if (err)
		etrace_watch_drop(w);
unlock:
	mutex_unlock(&etrace_watch_mutex);
	return err;
}

/**
 * etrace_cgroup_unwatch - stop adding tasks of cgroups to a session
 * @s: the session; its tasks stay traced
 */
void etrace_cgroup_unwatch(struct etrace_session *s)
{
	struct etrace_watch *w, *next;

	mutex_lock(&etrace_watch_mutex);
	list_for_each_entry_safe(w, next, &etrace_watches, node) {
		if (w->s != s)
			continue;
		etrace_watch_drop(w);
		etrace_tasks_unhold();
	}
	mutex_unlock(&etrace_watch_mutex);
}

/* Finds the tracepoint of moves; without it no session can trace a cgroup. */
void etrace_cgroups_init(void)
{
	etrace_attach_tp = etrace_tracepoint_find("cgroup_attach_task");
}

#else /* !CONFIG_CGROUPS */

void etrace_cgroup_seen(struct task_struct *task)
{
}

int etrace_cgroup_watch(struct etrace_session *s, int fd)
{
	return -EOPNOTSUPP;
}

void etrace_cgroup_unwatch(struct etrace_session *s)
{
}

void etrace_cgroups_init(void)
{
}

#endif /* CONFIG_CGROUPS */
