// SPDX-License-Identifier: LGPL-2.1
/*
 * Sink "stats" of sp-rtrace logs: prints one summary of all logs.  Resources of the
 * same type are added up.  sprt_live.c tracks which blocks are live.
 */
#include "format/sprtrace/sprt_formats.h"

#include "base/buf.h"
#include "format/sprtrace/sprt_filter.h"
#include "format/sprtrace/sprt_live.h"
#include "format/sprtrace/sprt_model.h"
#include "io/stats_out.h"
#include "base/xalloc.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define DAY_US	(24ull * 3600 * 1000000)
/* Resource types that are counted separately; one log has at most 32. */
#define MAX_TYPES	256u
#define OTHER		"unknown resource"

/* Counts for the resources of one type. */
struct res_stats {
	char *type;
	uint64_t allocs, alloc_bytes;	/* blocks allocated */
	uint64_t frees, free_bytes;	/* blocks freed */
	uint64_t live_bytes;		/* in the current log */
	uint64_t peak_bytes;
};

struct sprt_stats {
	struct sink sink;
	struct sink_args args;
	uint64_t items[SPRT_COMMENT + 1];	/* by enum sprt_kind */
	uint64_t types[3];		/* number of calls by type; [0]: also of unknown types */
	unsigned int filters;		/* SPRT_FILTER_*, applied to the reports */
	struct tally processes, functions, contexts;
	struct res_stats *res;		/* [0]: for calls whose resource is not described */
	size_t nres, res_cap;
	bool any_time;
	uint64_t wall_us;		/* total of the logs before the current one */

	/* For the current log: */
	size_t by_id[SPRT_RESOURCE_MAX + 1];	/* index into res */
	bool refcounted[SPRT_RESOURCE_MAX + 1];
	const char *context_names[32];	/* by bit, or NULL */
	struct sprt_intern strings;	/* storage of @context_names */
	struct sprt_live live;
	bool timed;
	uint64_t first_us, last_us, days_us, most_us;
};

static size_t res_of_type(struct sprt_stats *s, const char *type)
{
	for (size_t i = 1; i < s->nres; i++)
		if (!strcmp(s->res[i].type, type))
			return i;
	if (s->nres == MAX_TYPES)
		return 0;
	s->res = xgrow(s->res, &s->res_cap, s->nres + 1, sizeof(*s->res));
	s->res[s->nres] = (struct res_stats){ .type = xstrdup(type) };
	return s->nres++;
}

/* End a log: its live blocks were never freed.  Each log has its own blocks. */
static void end_log(struct sprt_stats *s)
{
	for (size_t i = 0; i < s->nres; i++)
		s->res[i].live_bytes = 0;
	sprt_live_free(&s->live);
	memset(s->context_names, 0, sizeof(s->context_names));
	sprt_intern_free(&s->strings);
	memset(s->by_id, 0, sizeof(s->by_id));
	memset(s->refcounted, 0, sizeof(s->refcounted));
	if (s->timed)
		s->wall_us += s->most_us - s->first_us;
	s->timed = false;
	s->days_us = 0;
}

/* Count the time of a call: a time of day, so it starts again at midnight. */
static void count_time(struct sprt_stats *s, uint64_t us)
{
	if (!us)
		return;
	if (s->timed && us < s->last_us && s->last_us - us > DAY_US / 2)
		s->days_us += DAY_US;
	s->last_us = us;
	us += s->days_us;
	if (!s->timed)
		s->first_us = s->most_us = us;
	s->timed = s->any_time = true;
	if (us > s->most_us)
		s->most_us = us;
}

static void count_block(struct sprt_stats *s, const struct sprt_call *call, size_t at,
			bool refcounted)
{
	struct sprt_block block = { .amount = sprt_call_amount(call), .cookie = at };
	int change = sprt_live_call(&s->live, call, refcounted, &block);
	/* the log may have redefined the block's resource since it was allocated */
	struct res_stats *r = &s->res[block.cookie];

	if (change > 0) {
		r->allocs++;
		r->alloc_bytes += block.amount;
		r->live_bytes += block.amount;
		if (r->live_bytes > r->peak_bytes)
			r->peak_bytes = r->live_bytes;
	} else if (change < 0) {
		r->frees++;
		r->free_bytes += block.amount;
		r->live_bytes -= block.amount;
	}
}

static void count_contexts(struct sprt_stats *s, uint32_t mask)
{
	char number[16];

	for (unsigned int i = 0; i < 32; i++) {
		const char *name = s->context_names[i];

		if (!(mask >> i & 1))
			continue;
		if (!name || !*name) {
			snprintf(number, sizeof(number), "0x%" PRIx32, (uint32_t)1 << i);
			name = number;
		}
		tally_add(&s->contexts, name, strlen(name), 0);
	}
}

static void count_call(struct sprt_stats *s, const struct sprt_call *call)
{
	uint32_t id = call->resource <= SPRT_RESOURCE_MAX ? call->resource : 0;
	size_t at = s->by_id[id];
	struct buf name = { 0 };

	s->types[call->type <= SPRT_CALL_ALLOC ? call->type : SPRT_CALL_UNDEFINED]++;
	count_time(s, call->time_us);
	count_contexts(s, call->context);
	buf_printf(&name, "%s%c%s", s->res[at].type, 0, call->name);
	tally_add(&s->functions, name.s, name.len,
		  call->type == SPRT_CALL_ALLOC ? sprt_call_amount(call) : 0);
	buf_free(&name);
	count_block(s, call, at, s->refcounted[id]);
}

static void count_process(struct sprt_stats *s, const struct sprt_process *p)
{
	struct buf name = { 0 };

	buf_printf(&name, "%s [%" PRIu32 "]", p->name, p->pid);
	tally_add(&s->processes, name.s, name.len, 0);
	buf_free(&name);
}

/* Keep what calls refer to. */
static void keep_names(struct sprt_stats *s, const struct sprt_item *item)
{
	const struct sprt_resource *r = &item->resource;

	if (item->kind == SPRT_RESOURCE && r->id && r->id <= SPRT_RESOURCE_MAX) {
		s->by_id[r->id] = res_of_type(s, r->type);
		s->refcounted[r->id] = r->flags & SPRT_RES_REFCOUNT;
	}
	for (unsigned int i = 0; item->kind == SPRT_CONTEXT && i < 32; i++)
		if (item->context.id == (uint32_t)1 << i)
			s->context_names[i] = sprt_intern_str(&s->strings, item->context.name);
}

static int stats_item(struct sink *sink, const void *p)
{
	struct sprt_stats *s = (struct sprt_stats *)sink;
	const struct sprt_item *item = p;

	s->items[item->kind]++;
	keep_names(s, item);
	if (item->kind == SPRT_LOG) {
		end_log(s);
		s->filters |= item->log.filters;
	} else if (item->kind == SPRT_PROCESS) {
		count_process(s, &item->process);
	} else if (item->kind == SPRT_CALL) {
		count_call(s, &item->call);
	}
	return 0;
}

/* ---- the summary ---- */

static void put_resources(const struct sprt_stats *s, struct stats *st)
{
	static const struct stats_col cols[] = {
		{ "allocated_blocks", "allocated", false },
		{ "allocated_bytes", "bytes", false },
		{ "freed_blocks", "freed", false },
		{ "freed_bytes", "bytes", false },
		{ "never_freed_blocks", "never freed", false },
		{ "never_freed_bytes", "bytes", false },
		{ "peak_bytes", "peak bytes", false },
		{ "resource", "resource", true },
	};

	stats_table(st, "resources", "Blocks by resource", cols, 8);
	for (size_t i = 0; i < s->nres; i++) {
		const struct res_stats *r = &s->res[i];

		if (!i && !r->allocs)
			continue;
		stats_cell(st, r->allocs);
		stats_cell(st, r->alloc_bytes);
		stats_cell(st, r->frees);
		stats_cell(st, r->free_bytes);
		stats_cell(st, r->allocs - r->frees);
		stats_cell(st, r->alloc_bytes - r->free_bytes);
		stats_cell(st, r->peak_bytes);
		stats_name(st, r->type, strlen(r->type));
	}
	stats_table_end(st);
}

/* Print the filters that a report went through: it may lack calls of the log. */
static void put_filters(const struct sprt_stats *s, struct stats *st)
{
	struct buf names = { 0 };

	for (unsigned int i = 0; i < 3; i++) {
		if (!(s->filters >> i & 1))
			continue;
		if (names.len)
			buf_addc(&names, '|');
		buf_adds(&names, sprt_filter_names[i]);
	}
	if (names.len)
		stats_text(st, "filters", "The report went through the filters", names.s,
			   names.len);
	buf_free(&names);
}

static int stats_sink_end(struct sink *sink)
{
	static const struct stats_col functions[] = {
		{ "calls", "calls", false }, { "bytes", "bytes", false },
		{ "resource", "resource", true }, { "function", "function", true },
	};
	static const struct stats_col contexts[] = {
		{ "calls", "calls", false }, { "context", "context", true },
	};
	static const struct stats_col processes[] = {
		{ "logs", "logs", false }, { "process", "process", true },
	};
	struct sprt_stats *s = (struct sprt_stats *)sink;
	struct stats st;

	end_log(s);
	if (!stats_begin(&st, &s->args))
		return 0;
	stats_number(&st, "calls", "Calls", s->items[SPRT_CALL]);
	stats_number(&st, "allocations", "  allocations", s->types[SPRT_CALL_ALLOC]);
	stats_number(&st, "frees", "  frees", s->types[SPRT_CALL_FREE]);
	stats_number(&st, "other_calls", "  others", s->types[SPRT_CALL_UNDEFINED]);
	if (s->any_time)
		stats_time(&st, "wall_ns", "Time from the first to the last of them",
			   s->wall_us * 1000);
	stats_number(&st, "logs", "Logs", s->items[SPRT_LOG]);
	stats_number(&st, "modules", "Modules", s->items[SPRT_MODULE]);
	stats_number(&st, "mappings", "Mappings", s->items[SPRT_MAP]);
	stats_number(&st, "attachments", "Attachments", s->items[SPRT_FILE]);
	put_filters(s, &st);
	stats_top(&st, "processes", "Processes", processes, 2, &s->processes);
	put_resources(s, &st);
	stats_top(&st, "functions", "Calls by function", functions, 4, &s->functions);
	stats_top(&st, "contexts", "Calls by context", contexts, 2, &s->contexts);
	return stats_end(&st);
}

static void stats_free(struct sink *sink)
{
	struct sprt_stats *s = (struct sprt_stats *)sink;

	for (size_t i = 0; i < s->nres; i++)
		free(s->res[i].type);
	free(s->res);
	sprt_intern_free(&s->strings);
	sprt_live_free(&s->live);
	tally_free(&s->processes);
	tally_free(&s->functions);
	tally_free(&s->contexts);
	free(s);
}

struct sink *sprt_stats_open(const struct sink_args *args)
{
	static const struct sink_ops ops = { stats_item, stats_sink_end, stats_free };
	struct sprt_stats *s = xcalloc(1, sizeof(*s));

	s->sink.ops = &ops;
	s->args = *args;
	/* the first resource stands for all unknown ones */
	res_of_type(s, OTHER);
	return sprt_filter_sink(&s->sink, args);
}
