/* SPDX-License-Identifier: GPL-2.0 OR LGPL-2.1 */
/*
 * Computing the resources that a process used, for the module and the BPF programs.
 * The including file must provide div64_u64().
 */
#ifndef ETRACE_ETRACE_COST_H
#define ETRACE_ETRACE_COST_H

/* Maximum number of threads to add up when a process ends; with more, no cost is recorded. */
#define ETRACE_COST_THREADS	4096

/*
 * Divides the time that a process ran into user and system time, in proportion to the
 * ticks counted in each, as wait4() does. Exact to a millionth.
 */
static __always_inline
unsigned long long etrace_stime(unsigned long long utime, unsigned long long stime,
				unsigned long long ran)
{
	unsigned long long all = utime + stime, share;

	if (!utime || !stime)
		return stime ? ran : 0;
	share = all >> 44 ? div64_u64(stime >> 20 << 20, all >> 20) :
			    div64_u64(stime << 20, all);
	return ran >> 44 ? (ran >> 20) * share : ran * share >> 20;
}

#endif /* ETRACE_ETRACE_COST_H */
