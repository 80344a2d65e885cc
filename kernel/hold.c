// SPDX-License-Identifier: GPL-2.0
/*
 * Keeps data from a hook in the task's slot until the end of the system call in
 * progress: names that the kernel has resolved, or descriptors.
 */
#include <linux/slab.h>
#include <linux/string.h>

#include "hold.h"
#include "return_work.h"

#define ETRACE_GFP	(GFP_ATOMIC | __GFP_NOWARN | __GFP_ACCOUNT)

void etrace_hold_free(struct etrace_hold *hold)
{
	int i;

	if (!hold)
		return;
	for (i = 0; i < ETRACE_NR_STR; i++)
		kfree(hold->str[i].s);
	kfree(hold->fds);
	etrace_work_drop(hold->work);
	kfree(hold);
}

/**
 * etrace_hold_new - allocate a hold
 * @at: set to it; a hold from an earlier attempt of the call is freed
 * @hook: the hook that leaves it
 *
 * Return: the hold, NULL if there is no memory.
 */
struct etrace_hold *etrace_hold_new(struct etrace_hold **at, u8 hook)
{
	etrace_hold_free(*at);
	*at = kzalloc(sizeof(**at), ETRACE_GFP);
	if (*at)
		(*at)->hook = hook;
	return *at;
}

void etrace_hold_drop(struct etrace_hold **at)
{
	etrace_hold_free(*at);
	*at = NULL;
}

/**
 * etrace_hold_keep - keep captured strings
 * @at: set to a new hold
 * @hook: the hook that leaves them
 * @r: the record that contains the strings
 * @nr: number of strings
 *
 * If memory runs out, nothing is kept.
 */
void etrace_hold_keep(struct etrace_hold **at, u8 hook, const struct etrace_rec *r, int nr)
{
	struct etrace_hold *hold = etrace_hold_new(at, hook);
	int i;

	if (!hold)
		return;
	hold->outside = r->outside;
	for (i = 0; i < nr; i++) {
		if (!r->str[i].s)
			continue;
		if (r->cut & BIT(i)) {
			etrace_hold_drop(at);
			return;
		}
		hold->str[i].s = kmemdup(r->str[i].s, r->str[i].len ?: 1,
					 ETRACE_GFP);
		hold->str[i].len = r->str[i].len;
		if (!hold->str[i].s) {
			etrace_hold_drop(at);
			return;
		}
	}
}

/**
 * etrace_hold_give - hand a hold over to a work item that runs later
 * @l: the work item
 * @hold: the hold, which is freed after the work
 */
void etrace_hold_give(struct etrace_work *l, struct etrace_hold *hold)
{
	l->hold = hold;
	l->release = etrace_hold_free;
}
