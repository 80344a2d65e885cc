// SPDX-License-Identifier: GPL-2.0
/* Finds the kernel's tracepoints by name. */
#include <linux/string.h>
#include <linux/tracepoint.h>

#include "tracepoint.h"

struct etrace_tracepoint {
	const char *name;
	struct tracepoint *tp;
};

static void etrace_tracepoint_match(struct tracepoint *tp, void *data)
{
	struct etrace_tracepoint *wanted = data;

	if (!strcmp(tp->name, wanted->name))
		wanted->tp = tp;
}

/**
 * etrace_tracepoint_find - find a tracepoint in the kernel image, not in a module
 * @name: its name
 *
 * Return: the tracepoint, NULL if none.
 */
struct tracepoint *etrace_tracepoint_find(const char *name)
{
	struct etrace_tracepoint wanted = { .name = name };

	for_each_kernel_tracepoint(etrace_tracepoint_match, &wanted);
	return wanted.tp;
}
