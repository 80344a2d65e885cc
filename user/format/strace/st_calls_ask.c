// SPDX-License-Identifier: LGPL-2.1
/* Calls for random bytes, or about the machine: getrandom, uname, sched_getaffinity, sysinfo. */
#include "format/strace/st_call.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/net.h>
#include <sched.h>
#include <signal.h>

#include "kernel/etrace_rules.h"

static bool ask_number(struct st_text *rest, unsigned long *v)
{
	size_t n = 0;

	for (*v = 0; n < rest->len && isdigit((unsigned char)rest->s[n]) && *v < 1u << 20; n++)
		*v = *v * 10 + (unsigned long)(rest->s[n] - '0');
	*rest = (struct st_text){ rest->s + n, rest->len - n };
	return n;
}

/* Counts the CPUs of a set: "[0 1]", or "[0, 1]", or "[0-3]".  Return: -1 if it is not one. */
static int64_t ask_cpus(struct st_text set)
{
	unsigned long from, to;
	struct st_text rest;
	int64_t n = 0;

	if (!st_inner(set, &rest))
		return -1;
	while (rest.len) {
		if (*rest.s == ' ' || *rest.s == ',') {
			rest = (struct st_text){ rest.s + 1, rest.len - 1 };
			continue;
		}
		if (!ask_number(&rest, &from))
			return -1;
		to = from;
		if (rest.len && *rest.s == '-') {
			rest = (struct st_text){ rest.s + 1, rest.len - 1 };
			if (!ask_number(&rest, &to) || to < from)
				return -1;
		}
		n += (int64_t)(to - from) + 1;
	}
	return n;
}

static void ask_name(const struct call *c)
{
	struct buf *name = &c->log->text;
	struct st_text text;
	bool cut = false;

	name->len = 0;
	if (!st_field(call_arg(c, ROLE_UTSNAME), "nodename", &text) || !st_string(text, name, &cut))
		return;
	et_add_string(&c->log->ev, ET_S_ASK_name, name->s ? name->s : "", name->len);
	if (cut)
		call_cut(c, 1u << ET_S_ASK_name);
}

/* Handle all calls that ask about the machine: the roles of their arguments tell them apart. */
void st_do_ask(struct call *c)
{
	uint64_t flags = call_number(c, call_arg(c, ROLE_FLAGS));
	struct et_event *ev = call_begin(c, ET_K_ASK);
	int64_t which = ETRACE_ASK_SYSINFO, value = 0;

	if (call_where(c, ROLE_FLAGS) >= 0) {
		which = ETRACE_ASK_GETRANDOM;
		value = c->line->value;
	} else if (call_where(c, ROLE_UTSNAME) >= 0) {
		which = ETRACE_ASK_UNAME;
		ask_name(c);
	} else if (call_where(c, ROLE_CPUS) >= 0) {
		which = ETRACE_ASK_AFFINITY;
		value = ask_cpus(call_arg(c, ROLE_CPUS));
	}
	et_set_value(ev, ET_V_ASK_call, which);
	et_set_value(ev, ET_V_ASK_value, value);
	et_set_value(ev, ET_V_ASK_flags, (int64_t)flags);
	st_put(c->log);
}
