/* SPDX-License-Identifier: GPL-2.0 OR LGPL-2.1 */
/*
 * What of a process' use both the module and the BPF programs have to work out.
 * Whoever includes this has div64_u64().
 */
#ifndef ETRACE_ETRACE_COST_H
#define ETRACE_ETRACE_COST_H

/* Threads of a process whose use is added up at its end; of more, nothing is told. */
#define ETRACE_COST_THREADS	4096

/*
 * How the time that a process ran is divided: by the ticks that met it in its
 * program and in the kernel, as wait4() shows it. Exact to a millionth.
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
