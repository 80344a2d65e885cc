/* SPDX-License-Identifier: GPL-2.0 */
/* Calls for random bytes, or about the machine, like the module's calls_ask.c. */
#ifndef ETRACE_ASK_CALLS_BPF_H
#define ETRACE_ASK_CALLS_BPF_H

#include "record/bpf/call.bpf.h"

#define ASK_CPU_WORDS	(EB_SOCKADDR_MAX / 8)	/* of 64 CPUs each; larger sets are not counted */

/* The number of CPUs in the set that sched_getaffinity() wrote, -1 if unknown. */
static __always_inline s32 ask_cpus(const struct call *c)
{
	u64 *set = (u64 *)c->s->sockaddr;
	s32 n = 0;
	u32 i;

	if (c->ret > EB_SOCKADDR_MAX)
		return -1;
	__builtin_memset(set, 0, EB_SOCKADDR_MAX);
	if (bpf_probe_read_user(set, below(2 * EB_SOCKADDR_MAX, c->ret),
				(void *)call_arg(c, EB_A_CPUS, 0))) {
		args_unread(c->s);
		return -1;
	}
	_Pragma("clang loop unroll(disable)")
	for (i = 0; i < ASK_CPU_WORDS; i++)
		n += __builtin_popcountll(set[i]);
	return n;
}

/* Handles all calls that ask about the machine: the roles of their arguments tell them apart. */
static __always_inline bool fill_ask(const struct call *c)
{
	rec_init(c->s, c->t, EB_ASK);
	if (has_arg(c->row, EB_A_FLAGS)) {
		c->r->val[EB_V_ASK_call] = ETRACE_ASK_GETRANDOM;
		c->r->val[EB_V_ASK_value] = (s32)c->ret;
		c->r->val[EB_V_ASK_flags] = (u32)call_arg(c, EB_A_FLAGS, 0);
	} else if (has_arg(c->row, EB_A_UTSNAME)) {
		c->r->val[EB_V_ASK_call] = ETRACE_ASK_UNAME;
		want_string(c->s, EB_STR_ASK_name, W_USER, 0,
		     call_arg(c, EB_A_UTSNAME, 0) + ETRACE_NODENAME_AT);
	} else if (has_arg(c->row, EB_A_CPUS)) {
		c->r->val[EB_V_ASK_call] = ETRACE_ASK_AFFINITY;
		c->r->val[EB_V_ASK_value] = ask_cpus(c);
	} else {
		c->r->val[EB_V_ASK_call] = ETRACE_ASK_SYSINFO;
	}
	return true;
}

#endif
