// SPDX-License-Identifier: GPL-2.0
/* Calls whose results differ between runs or machines: random bytes, names, sizes. */
#include <linux/bitmap.h>

#include "call.h"
#include "capture.h"
#include "etrace_rules.h"

#define ETRACE_ASK_CPU_BYTES	1024	/* size of a set of the maximum number of CPUs */

/* The number of CPUs in the set that sched_getaffinity() wrote, -1 if unreadable. */
static s32 etrace_ask_cpus(struct etrace_call *c, struct etrace_scratch *s)
{
	size_t bytes = c->ret;

	if (bytes > ETRACE_ASK_CPU_BYTES)
		return -1;
	if (etrace_call_read(c, s->path[0], etrace_arg(c, ETRACE_ARG_CPUS, 0), bytes))
		return bitmap_weight((unsigned long *)s->path[0], 8 * bytes);
	c->r.unread |= BIT(ETRACE_NR_STR);
	return -1;
}

/* Handles all calls that ask about the machine: the roles of their arguments tell them apart. */
void etrace_do_ask(struct etrace_call *c)
{
	struct etrace_scratch *s = etrace_scratch_get();

	etrace_rec_init(&c->r, ETRACE_EV_ASK, c->sc->at[ETRACE_ARG_UTSNAME] ? 1 : 0);
	etrace_clear_ask(&c->r);
	if (c->sc->at[ETRACE_ARG_FLAGS]) {
		c->r.ask.call = ETRACE_ASK_GETRANDOM;
		c->r.ask.value = c->ret;
		c->r.ask.flags = etrace_arg(c, ETRACE_ARG_FLAGS, 0);
	} else if (c->sc->at[ETRACE_ARG_UTSNAME]) {
		c->r.ask.call = ETRACE_ASK_UNAME;
		etrace_capture_user(&c->r, ETRACE_STR_ASK_name, s,
				    etrace_arg(c, ETRACE_ARG_UTSNAME, 0) + ETRACE_NODENAME_AT);
	} else if (c->sc->at[ETRACE_ARG_CPUS]) {
		c->r.ask.call = ETRACE_ASK_AFFINITY;
		c->r.ask.value = etrace_ask_cpus(c, s);
	} else {
		c->r.ask.call = ETRACE_ASK_SYSINFO;
	}
	etrace_call_emit(c);
	etrace_scratch_put();
}
