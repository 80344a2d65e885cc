// SPDX-License-Identifier: GPL-2.0
/*
 * Per-CPU buffers for strings, see capture.h.  They are allocated before a CPU goes
 * online, and freed when it is offline, so a probe always finds its CPU's buffers.
 */
#include <linux/cpu.h>
#include <linux/cpuhotplug.h>
#include <linux/percpu.h>
#include <linux/vmalloc.h>

#include "capture.h"

DEFINE_PER_CPU(struct etrace_scratch *, etrace_scratch);

static int etrace_scratch_up(unsigned int cpu)
{
	per_cpu(etrace_scratch, cpu) = vmalloc_node(sizeof(struct etrace_scratch),
						    cpu_to_node(cpu));
	return per_cpu(etrace_scratch, cpu) ? 0 : -ENOMEM;
}

static int etrace_scratch_down(unsigned int cpu)
{
	vfree(per_cpu(etrace_scratch, cpu));
	per_cpu(etrace_scratch, cpu) = NULL;
	return 0;
}

static int etrace_scratch_state;	/* CPU hotplug state that calls the two functions above */

int etrace_scratch_init(void)
{
	unsigned int cpu;
	int err = 0, state;

	/*
	 * CPUs that are online already are set up here: before 6.10, and in stable
	 * kernels of that time, the call forgets them in this state.
	 */
	cpus_read_lock();
	state = cpuhp_setup_state_nocalls_cpuslocked(CPUHP_BP_PREPARE_DYN,
						     "etrace:scratch",
						     etrace_scratch_up,
						     etrace_scratch_down);
	if (state >= 0)
		for_each_online_cpu(cpu)
			err = err ?: etrace_scratch_up(cpu);
	cpus_read_unlock();
	if (state < 0)
		return state;
	etrace_scratch_state = state;
	if (err)
		etrace_scratch_exit();
	return err;
}

void etrace_scratch_exit(void)
{
	cpuhp_remove_state(etrace_scratch_state);
}
