// SPDX-License-Identifier: LGPL-2.1
/* Steady values, which etrace's FXT files may leave out.  See etrace_fxt.h. */
#include "format/fxt_events/etrace_fxt.h"

#define BIT(value)	((uint16_t)(1u << ET_V_##value))

const uint16_t etrace_fxt_steady[ET_K_COUNT] = {
	[ET_K_OPEN] = BIT(OPEN_mode) | BIT(OPEN_dev) | BIT(OPEN_ino) | BIT(OPEN_size) |
		      BIT(OPEN_mtime) | BIT(OPEN_type),
	[ET_K_OPEN_FAILED] = BIT(OPEN_FAILED_flags),
};

bool etrace_fxt_values_match(const struct etrace_fxt_values *v, const struct et_event *ev)
{
	unsigned int n = 0;

	for (unsigned int left = etrace_fxt_steady[ev->kind]; left; left &= left - 1)
		if (v->val[n++] != ev->val[__builtin_ctz(left)])
			return false;
	return v->kind == ev->kind;
}

void etrace_fxt_values_set(struct etrace_fxt_values *v, const struct et_event *ev)
{
	unsigned int n = 0;

	for (unsigned int left = etrace_fxt_steady[ev->kind]; left; left &= left - 1)
		v->val[n++] = ev->val[__builtin_ctz(left)];
	v->kind = ev->kind;
}

void etrace_fxt_values_give(const struct etrace_fxt_values *v, struct et_event *ev)
{
	uint16_t steady = etrace_fxt_steady[ev->kind];
	unsigned int n = 0;

	if (v->kind != ev->kind)
		return;
	ev->given |= steady;
	for (unsigned int left = steady; left; left &= left - 1)
		ev->val[__builtin_ctz(left)] = v->val[n++];
}
