// SPDX-License-Identifier: LGPL-2.1
/*
 * Writes the slices of SWAP as FXT: matches ends with begins, and supplies the missing
 * ones.
 */
#include "format/swap/swap_fxt_state.h"
#include "format/fxt/fxt_write.h"

#include <stdio.h>

/*
 * The times of the begins and ends of one thread, or of one process's spans, must never
 * go back: they would nest the wrong way.  They can, because the kernel and the probes
 * use different clocks, one of which has whole microseconds.
 */
uint64_t swap_fxt_not_before(struct swap_fxt *s, uint64_t *last, uint64_t time)
{
	if (time < *last) {
		fxt_args_u64(&s->args, "stamped_earlier_ns", *last - time);
		time = *last;
	}
	*last = time;
	return time;
}

static const char *slice_category(enum swap_slice_kind kind, uint64_t key)
{
	static const char *const names[] = {
		[SWAP_SLICE_FUNCTION] = "function", [SWAP_SLICE_SYSCALL] = "syscall",
		[SWAP_SLICE_FILE] = "file_function", [SWAP_SLICE_WEB] = "web",
	};

	return kind == SWAP_SLICE_PROBE ? swap_row((uint32_t)(key >> 32))->category :
	       names[kind];
}

/* End the innermost slice with the current arguments. */
static void end_slice(struct swap_fxt *s, struct swap_thread *t, uint64_t time)
{
	const struct swap_slice *slice = &t->slices[t->depth - 1];

	time = swap_fxt_not_before(s, &t->time, time);
	swap_fxt_event(s, slice->name ? FXT_EV_DURATION_END : FXT_EV_INSTANT, time, t,
		       slice_category(slice->kind, slice->key),
		       slice->name ? slice->name : "end, nested too deep", 0);
	swap_slice_pop(t);
}

void swap_fxt_end_unfinished(struct swap_fxt *s, struct swap_thread *t, uint64_t time,
			     size_t depth, const char *why)
{
	while (t->depth > depth) {
		fxt_args_reset(&s->args);
		fxt_args_cstr(&s->args, "unfinished", why);
		end_slice(s, t, time);
	}
}

void swap_fxt_begin(struct swap_fxt *s, enum swap_slice_kind kind, uint64_t key,
		    const char *name)
{
	struct swap_thread *t = swap_fxt_thread(s);
	uint64_t time;
	int shown;

	if (!t) {
		swap_fxt_instant(s, "damaged", name);
		return;
	}
	shown = swap_slice_push(t, kind, key, name);
	time = swap_fxt_not_before(s, &t->time, s->time);
	swap_fxt_event(s, shown > 0 ? FXT_EV_DURATION_BEGIN : FXT_EV_INSTANT, time, t,
		       slice_category(kind, key), name, 0);
}

void swap_fxt_finish(struct swap_fxt *s, enum swap_slice_kind kind, uint64_t key,
		     const char *name)
{
	struct swap_thread *t = swap_fxt_thread(s);
	long at = t ? swap_slice_match(t, kind, key) : -1;
	char text[SWAP_NAME_BYTES + 32];

	if (at < 0) {
		snprintf(text, sizeof(text), "end of %s", name);
		swap_fxt_collect(s, NULL);
		swap_fxt_instant(s, slice_category(kind, key), text);
		return;
	}
	swap_fxt_end_unfinished(s, t, s->time, (size_t)at + 1, "its end is missing");
	swap_fxt_collect(s, "end_");
	end_slice(s, t, s->time);
}
