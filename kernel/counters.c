// SPDX-License-Identifier: GPL-2.0
/*
 * The files /sys/module/etrace/counters/NAME: totals of the counters in counts.c over all
 * sessions since the module was loaded, and a few more. struct etrace_stats has the
 * counters of one session.
 */
#include <linux/kobject.h>
#include <linux/module.h>
#include <linux/sysfs.h>

#include "counters.h"
#include "compat.h"
#include "counts.h"
#include "hooks.h"
#include "output.h"
#include "uring.h"
#include "session.h"

/* Counters beyond those of counts.h. */
enum {
	ETRACE_CNT_overwritten = ETRACE_NR_CNT,	/* records in the session of root_pid */
	ETRACE_CNT_hooks_missed,	/* times that a hook was reached but could not run */
	ETRACE_CNT_hooks_missing,	/* hooks that this kernel does not have */
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
		n = etrace_hooks_missed() + etrace_uring_missed();
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
		__ATTR(name, 0400, etrace_counter_show, NULL),		\
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
