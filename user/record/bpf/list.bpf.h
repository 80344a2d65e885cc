/* SPDX-License-Identifier: GPL-2.0 */
/* Sends a list of strings in a program's memory: its arguments or its environment. */
#ifndef ETRACE_LIST_BPF_H
#define ETRACE_LIST_BPF_H

#include "record/bpf/common.bpf.h"

#define ARGS_STEP	4096u	/* a page: one read fails for at most this many bytes */
#define ARGS_MAX	2048u	/* pages: the kernel allows 6 MiB */
#define ARGS_MAX_OLD	1536u	/* on old kernels, whose verifier checks each step */

/* Sends a list up to the end of a page. Returns 1 at the end of the list. */
static __noinline long args_step(struct scratch *s)
{
	u64 pos = s->args_pos, left = s->args_end - pos;
	u64 n = ARGS_STEP - (pos & (ARGS_STEP - 1));
	u64 fill;

	if (pos >= s->args_end)
		return 1;
	if (n > left)
		n = left;
	n = below(2 * ARGS_STEP, n);
	if (s->fill > EB_FULL)
		flush_part(s);
	fill = below(EB_DATA, s->fill);
	if (bpf_probe_read_user(s->data + fill, n, (void *)pos)) {
		s->args_failed = 1;
		return 1;
	}
	s->fill = fill + n;
	s->args_pos = pos + n;
	return 0;
}

static long args_step_cb(u32 i, struct scratch **s)
{
	return args_step(*s);
}

/* For old kernels; not static for the same reason as walk_step_old(). */
__attribute__((noinline)) int args_step_old(ROOM_REF room)
{
	struct scratch *s = room_at(room);

	return !s || args_step(s);
}

/* Sends an argument list, or an environment, at the end of a record. */
static __always_inline void put_list(struct scratch *s, u64 from, u64 to)
{
	struct scratch *ctx = s;

	s->args_pos = from;
	s->args_end = to;
	s->args_failed = 0;
	REPEAT(ARGS_MAX, ARGS_MAX_OLD, args_step, s, &ctx);
	if (s->args_failed) {
		s->rec.flags |= EB_ARGS_UNREAD;
		s->counts.strings_unread++;
	} else if (s->args_pos < s->args_end) {
		s->counts.strings_cut++;
	}
}

#endif
