// SPDX-License-Identifier: GPL-2.0
/*
 * What was recorded and what was lost, and why: a number in each of the files
 * /sys/module/etrace/counters/NAME, counted since the module was loaded, over
 * all sessions. A session's own are in struct etrace_stats.
 */
#include <linux/kobject.h>
#include <linux/module.h>
#include <linux/percpu.h>
#include <linux/sysfs.h>

#include "etrace.h"
#include "compat.h"

/*
 * records		written to the ring buffer, in the module's instance
 * lost_records		refused by it: full and not overwriting
 * lost_disabled	not written because their event is disabled, the buffer
 *			is switched off (tracing_on), or a filter keeps them out
 * lost_tasks		tasks that could not be traced, for want of memory
 * lost_fds		close_range calls whose descriptors are not known
 * strings_joined	user's string joined to a directory's path, where the
 *			kernel did not show the name that it resolved
 * strings_unread	could not be read from the program's memory
 * strings_cut		paths longer than there is room for
 * strings_untold	targets of symbolic links of which nobody can tell whether
 *			they exist without asking a file system; no loss
 */
DEFINE_PER_CPU(struct etrace_counts, etrace_counts);

/**
 * etrace_counts_sum - a counter over all processors
 * @counts: the counters
 * @i: which
 */
u64 etrace_counts_sum(struct etrace_counts __percpu *counts,
		      enum etrace_counter i)
{
	u64 sum = 0;
	int cpu;

	for_each_possible_cpu(cpu)
		sum += READ_ONCE(per_cpu_ptr(counts, cpu)->n[i]);
	return sum;
}

/* Beside those that are counted here. */
enum {
	ETRACE_CNT_overwritten = ETRACE_NR_CNT,	/* in the session of root_pid */
	ETRACE_CNT_hooks_missed,	/* reached while they could not run */
	ETRACE_CNT_hooks_missing,	/* not offered by this kernel */
	ETRACE_NR_FILES,
};

struct etrace_counter_file {
	struct module_attribute attr;
	unsigned int i;
};

static ssize_t etrace_counter_show(etrace_module_attribute *attr,
				   struct module_kobject *mk, char *buf)
{
	unsigned int i = container_of(attr, struct etrace_counter_file, attr)->i;
	u64 n;

	switch (i) {
	case ETRACE_CNT_overwritten:
		n = etrace_output_overwritten(&etrace_root);
		break;
	case ETRACE_CNT_hooks_missed:
		n = etrace_hooks_missed();
		break;
	case ETRACE_CNT_hooks_missing:
		n = etrace_hooks_missing();
		break;
	default:
		n = etrace_counts_sum(&etrace_counts, i);
	}
	return sysfs_emit(buf, "%llu\n", n);
}

static struct etrace_counter_file etrace_counter_files[ETRACE_NR_FILES] = {
#define X(name)								\
	[ETRACE_CNT_##name] = {						\
		__ATTR(name, 0444, etrace_counter_show, NULL),		\
		ETRACE_CNT_##name					\
	},
	ETRACE_COUNTERS(X)
	X(overwritten)
	X(hooks_missed)
	X(hooks_missing)
#undef X
};

static struct attribute *etrace_counter_attrs[ETRACE_NR_FILES + 1];

static const struct attribute_group etrace_counter_group = {
	.name = "counters",
	.attrs = etrace_counter_attrs,
};

int etrace_counters_init(void)
{
	unsigned int i;

	for (i = 0; i < ETRACE_NR_FILES; i++)
		etrace_counter_attrs[i] = &etrace_counter_files[i].attr.attr;
	return sysfs_create_group(&THIS_MODULE->mkobj.kobj,
				  &etrace_counter_group);
}

void etrace_counters_exit(void)
{
	sysfs_remove_group(&THIS_MODULE->mkobj.kobj, &etrace_counter_group);
}
