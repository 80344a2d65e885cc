// SPDX-License-Identifier: GPL-2.0
/*
 * State that the threads of a traced process share. It is allocated when a process gets
 * its second thread, or writes output, so most processes have none.
 */
#include <linux/slab.h>

#include "process.h"
#include "printed.h"

/* Drops a reference; @p may be NULL. */
void etrace_process_put(struct etrace_process *p)
{
	if (!p || !refcount_dec_and_test(&p->refs))
		return;
	etrace_prints_free(p->prints);
	kfree_rcu(p, rcu);
}

/*
 * The state that a slot shares with the slots of other threads of its process, allocated if
 * needed. @of: the slot's pointer to it; the slot may belong to another task. Returns NULL
 * if there is no memory.
 */
static struct etrace_process *etrace_process_make(struct etrace_process **of, u64 upid)
{
	struct etrace_process *p = READ_ONCE(*of), *old;

	if (!p) {
		p = kmalloc(sizeof(*p), GFP_ATOMIC | __GFP_NOWARN | __GFP_ACCOUNT);
		if (!p)
			return NULL;
		refcount_set(&p->refs, 1);
		p->upid = upid;
		p->cost_emitted = 0;
		p->prints = NULL;
		old = cmpxchg(of, NULL, p);
		if (old) {
			kfree(p);
			p = old;
		}
	}
	return p;
}

/**
 * etrace_process_get - share a slot's state with another thread of its process
 * @of: the slot's pointer to it, set if it was NULL
 * @upid: upid of the slot
 *
 * Return: the state, with a reference; NULL if there is no memory, or if the last slot
 * that uses it ends or runs another program.
 */
struct etrace_process *etrace_process_get(struct etrace_process **of, u64 upid)
{
	struct etrace_process *p = etrace_process_make(of, upid);

	return p && refcount_inc_not_zero(&p->refs) ? p : NULL;
}

/**
 * etrace_process_alone - handle that the current task is now the only thread of its process
 * @of: its slot's pointer to the state
 * @upid: upid of the slot
 *
 * It keeps the output of the process, since the other threads are gone.
 */
void etrace_process_alone(struct etrace_process **of, u64 upid)
{
	struct etrace_process *p = READ_ONCE(*of);

	if (p && p->prints) {
		p->upid = upid;
		WRITE_ONCE(p->cost_emitted, 0);
	} else {
		etrace_process_put(xchg(of, NULL));
	}
}

/**
 * etrace_process_prints - get the output of the current task's process, allocated if needed
 * @of: its slot's pointer to the state
 * @upid: upid of the slot
 *
 * Return: the output, NULL if there is no memory.
 */
struct etrace_prints *etrace_process_prints(struct etrace_process **of, u64 upid)
{
	struct etrace_process *p = etrace_process_make(of, upid);
	struct etrace_prints *prints, *old;

	if (!p)
		return NULL;
	prints = READ_ONCE(p->prints);
	if (prints)
		return prints;
	prints = kzalloc(sizeof(*prints), GFP_ATOMIC | __GFP_NOWARN | __GFP_ACCOUNT);
	if (!prints)
		return NULL;
	old = cmpxchg(&p->prints, NULL, prints);
	if (old) {
		kfree(prints);
		prints = old;
	}
	return prints;
}
