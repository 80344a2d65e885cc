// SPDX-License-Identifier: LGPL-2.1
/*
 * sp-rtrace as FXT: writes the life of a block as an async span, and the live blocks
 * of each resource as a counter.  See sprt_fxt_state.h.
 */
#include "format/sprtrace/sprt_fxt_state.h"
#include "base/xalloc.h"

#include <inttypes.h>
#include <string.h>

struct sprt_fxt_kind *sprt_fxt_kind(struct sprt_fxt *f, uint32_t resource)
{
	if (resource > SPRT_RESOURCE_MAX || !f->kinds[resource].type)
		resource = 0;
	return &f->kinds[resource];
}

void sprt_fxt_set_kind(struct sprt_fxt *f, uint32_t id, const char *type, bool refcounted)
{
	struct sprt_fxt_kind *k = &f->kinds[id];
	bool whole;

	/* Counters are identified by name: each needs its own. */
	type = sprt_fxt_name(f, *type ? type : "unnamed", &whole);
	for (uint32_t i = 0; i <= SPRT_RESOURCE_MAX; i++)
		if (i != id && f->kinds[i].type &&
		    !strcmp(f->kinds[i].type, type)) {
			type = fxt_args_format(&f->args, "%s %" PRIu32, type, id);
			i = (uint32_t)-1;
		}
	k->type = sprt_intern_str(&f->names, type);
	k->counter = sprt_intern_str(&f->names, fxt_args_format(&f->args, "live %s", type));
	k->bytes = sprt_intern_str(&f->names, fxt_args_format(&f->args, "%s bytes", type));
	k->blocks = sprt_intern_str(&f->names, fxt_args_format(&f->args, "%s blocks", type));
	k->refcounted = refcounted;
}

static void write_counter(struct sprt_fxt *f, struct sprt_fxt_kind *k)
{
	struct fxt_arg args[] = {
		fxt_arg_u(fxt_cstr(k->bytes), k->live_bytes),
		fxt_arg_u(fxt_cstr(k->blocks), k->live_blocks),
	};

	k->any = true;
	sprt_fxt_event(f, FXT_EV_COUNTER, k->type, k->counter, 0, args, 2);
}

/* "category\0name": an End must repeat both from its Begin. */
static const char *span_label(struct sprt_fxt *f, const char *category,
			      const char *name)
{
	size_t a = strlen(category) + 1, b = strlen(name) + 1;
	char *both = fxt_args_keep(&f->args, xmalloc(a + b));

	memcpy(both, category, a);
	memcpy(both + a, name, b);
	return sprt_intern(&f->names, both, a + b);
}

void sprt_fxt_track(struct sprt_fxt *f, const struct sprt_call *call, struct fxt_arg backtrace)
{
	struct sprt_fxt_kind *k = sprt_fxt_kind(f, call->resource);
	struct sprt_block block = {
		.id = call->id, .resource = call->resource,
		.amount = sprt_call_amount(call), .cookie = f->spans + 1,
		.time = f->now, .kind = (uint32_t)(k - f->kinds),
	};
	struct fxt_arg args[4] = {
		fxt_arg_ptr(FXT_STR("id"), call->id),
		fxt_arg_u(FXT_STR("number"), call->number),
		fxt_arg_u(FXT_STR("size"), block.amount),
		backtrace,
	};
	const char *name;
	uint64_t now;
	bool whole;

	if (call->type == SPRT_CALL_ALLOC) {
		name = sprt_fxt_name(f, *call->name ? call->name : "unnamed", &whole);
		block.label = span_label(f, k->type, name);
		if (!sprt_live_alloc(&f->live, &block, k->refcounted))
			return;
		f->spans++;
		k->live_bytes += block.amount;
		k->live_blocks++;
		sprt_fxt_event(f, FXT_EV_ASYNC_BEGIN, k->type, name, block.cookie,
			       args, backtrace.type == FXT_ARG_NULL ? 3 : 4);
	} else if (call->type == SPRT_CALL_FREE) {
		if (!sprt_live_release(&f->live, call->resource, call->id,
				       k->refcounted, &block))
			return;
		/* The log may have redefined its resource since. */
		k = &f->kinds[block.kind];
		k->live_bytes -= block.amount;
		k->live_blocks--;
		args[1].name = FXT_STR("freed_by");
		/* With damaged times the block must not end before it began. */
		now = f->now;
		if (now < block.time)
			f->now = block.time;
		sprt_fxt_event(f, FXT_EV_ASYNC_END, block.label,
			       block.label + strlen(block.label) + 1, block.cookie,
			       args, 2);
		f->now = now;
	} else {
		return;
	}
	write_counter(f, k);
}

void sprt_fxt_end_blocks(struct sprt_fxt *f)
{
	for (uint32_t i = 0; i <= SPRT_RESOURCE_MAX; i++) {
		struct sprt_fxt_kind *k = &f->kinds[i];

		if (k->any) {
			fxt_args_u64(&f->args, "blocks", k->live_blocks);
			fxt_args_u64(&f->args, "bytes", k->live_bytes);
			fxt_args_cstr(&f->args, "resource", k->type);
			sprt_fxt_instant(f, k->type, "never freed");
		}
	}
	memset(f->kinds, 0, sizeof(f->kinds));
	sprt_live_free(&f->live);
	sprt_fxt_set_kind(f, 0, "unknown resource", false);
}
