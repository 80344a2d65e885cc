// SPDX-License-Identifier: LGPL-2.1
/*
 * Filters over a whole sp-rtrace log, in the order in which the original
 * post-processor applies them.  See sprt_filter.h.
 */
#include "format/sprtrace/sprt_filter.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "format/sprtrace/sprt_formats.h"
#include "format/sprtrace/sprt_line.h"
#include "format/sprtrace/sprt_live.h"
#include "io/stats_out.h"
#include "base/xalloc.h"

#define COMMON_OPTIONS							\
	{ "leaks", NULL, "only blocks that were never freed" },		\
	{ "depth", "N", "only the N innermost frames of a backtrace" },	\
	{ "contexts", "MASK",						\
	  "only calls in one of these contexts (hex); 0: in none" },	\
	{ "resources", "MASK", "only these resources (hex, as in reports)" }, \
	{ "include", "FILE", "only the calls whose numbers are in FILE" }, \
	{ "exclude", "FILE", "not the calls whose numbers are in FILE" }, \
	{ "call-address", "TARGET:START+SIZE",				\
	  "calls with a frame in these addresses of a mapped file" }, \
	{ "resolve", NULL, "function names and source lines" },		\
	{ "sysroot", "DIR",						\
	  "with --resolve: where the traced machine's files are" }

const struct opt_row sprt_stats_options[] = {
	COMMON_OPTIONS,
	STATS_OPTION,
	{ 0 }
};

static const struct diag_kind no_target = {
	"ranges of addresses that no mapped file has", DIAG_DAMAGE };

const struct opt_row sprt_options[] = {
	COMMON_OPTIONS,
	{ 0 }
};

const struct opt_row sprt_report_options[] = {
	COMMON_OPTIONS,
	{ "compress", NULL, "calls with the same backtrace together" },
	{ "sort", "ORDER",
	  "of --compress: size, size-asc (default), count, count-asc" },
	{ 0 }
};

/* --- options ------------------------------------------------------------ */

static bool read_mask(const struct opts *opts, const char *name, bool *has,
		      uint32_t *mask, struct diag *diag)
{
	const char *s = opt_value(opts, name);
	char *p = (char *)(uintptr_t)s;

	if (!s)
		return true;
	*has = sprt_line_number32(&p, 16, mask) && !*p;
	if (!*has)
		diag_fatal(diag, "--%s %s: not a hexadecimal mask of 32 bits", name, s);
	return *has;
}

/* Read a file with one number per line, decimal or with C's 0x or 0; empty lines are ignored. */
static bool read_numbers(const struct opts *opts, const char *name, struct map64 *list,
			 struct diag *diag)
{
	const char *path = opt_value(opts, name);
	char line[128], *end;
	unsigned long at = 0;
	bool good = true;
	FILE *f;

	if (!path)
		return true;
	f = fopen(path, "re");
	if (!f) {
		diag_fatal(diag, "--%s %s: %s", name, path, strerror(errno));
		return false;
	}
	for (; good && fgets(line, sizeof(line), f); at++) {
		line[strcspn(line, "\r\n")] = '\0';
		if (!line[strspn(line, " \t")])
			continue;
		errno = 0;
		map64_put(list, strtoull(line, &end, 0), 0);
		good = !errno && end != line && !end[strspn(end, " \t")] &&
		       !strchr(line, '-');
	}
	if (!good)
		diag_fatal(diag, "--%s %s: line %lu is not a call number", name,
			   path, at);
	else if (ferror(f))
		diag_fatal(diag, "--%s %s: cannot be read", name, path);
	good = good && !ferror(f);
	fclose(f);
	return good;
}

static bool read_range(struct sprt_options *o, const struct opts *opts,
		       struct diag *diag)
{
	const char *s = opt_value(opts, "call-address");
	char *colon = s ? strrchr(s, ':') : NULL, *p = colon ? colon + 1 : NULL;

	if (!s)
		return true;
	o->has_range = p && colon > s && sprt_line_number(&p, 16, &o->start) &&
		       sprt_line_skip(&p, "+") && sprt_line_number(&p, 16, &o->size) && !*p;
	if (o->has_range)
		o->target = xstrndup(s, (size_t)(colon - s));
	else
		diag_fatal(diag, "--call-address %s: should be PATH:START+SIZE, the last two hexadecimal",
			   s);
	return o->has_range;
}

static bool read_sort(struct sprt_options *o, const struct opts *opts,
		      struct diag *diag)
{
	/* In order of enum sprt_sort. */
	static const struct opt_row orders = { .value = "size-asc|size|count-asc|count" };
	const char *s = opt_value(opts, "sort");
	int order = opt_choice(&orders, s);

	if (s && !o->compress) {
		diag_fatal(diag, "--sort orders the groups of --compress: give both");
		return false;
	}
	if (order < 0) {
		diag_fatal(diag, "--sort %s: should be size, size-asc, count or count-asc", s);
		return false;
	}
	o->sort = (enum sprt_sort)order;
	return true;
}

static bool read_options(struct sprt_options *o, const struct opts *opts,
			 struct diag *diag)
{
	uint64_t depth = 0;

	o->leaks = opt_flag(opts, "leaks");
	o->compress = opt_flag(opts, "compress");
	o->resolve = opt_flag(opts, "resolve");
	o->sysroot = opt_value(opts, "sysroot");
	o->has_include = opt_flag(opts, "include");
	if (o->sysroot && !o->resolve) {
		diag_fatal(diag, "--sysroot says where --resolve looks: give both");
		return false;
	}
	o->has_depth = opt_flag(opts, "depth");
	if (!opt_number(opts, "depth", 0, UINT32_MAX, &depth)) {
		diag_fatal(diag, "--depth %s: not a number of frames",
			   opt_value(opts, "depth"));
		return false;
	}
	o->depth = (uint32_t)depth;
	return read_mask(opts, "contexts", &o->has_contexts, &o->contexts, diag) &&
	       read_mask(opts, "resources", &o->has_resources, &o->resources, diag) &&
	       read_numbers(opts, "include", &o->include, diag) &&
	       read_numbers(opts, "exclude", &o->exclude, diag) &&
	       read_range(o, opts, diag) && read_sort(o, opts, diag);
}

/* --- filters ------------------------------------------------------------ */

static bool in_mask(uint32_t mask, uint32_t id)
{
	return id >= 1 && id <= SPRT_RESOURCE_MAX && mask >> (id - 1) & 1;
}

/*
 * Find the addresses of --call-address.  START is an offset in the mapping if it is below
 * the mapping's first address; else it is an address, as for programs linked to a fixed one.
 * Return: false if no mapped file matches.
 */
static bool find_range(struct sprt_log *log, const struct sprt_options *o,
		       uint64_t *from, uint64_t *to)
{
	const struct sprt_item *item;
	struct sprt_kept *at = NULL;

	while ((item = sprt_log_find(log, SPRT_MAP, &at))) {
		const struct sprt_map *map = &item->map;

		if (!strstr(map->path, o->target))
			continue;
		*from = o->start;
		if (o->start < map->from)
			*from += map->from;
		*to = *from + o->size;
		if (*to < *from)
			*to = UINT64_MAX;
		return true;
	}
	return false;
}

static bool calls_from(const struct sprt_call *call, uint64_t from, uint64_t to)
{
	for (uint32_t i = 0; i < call->nframes; i++)
		if (call->frames[i] >= from && call->frames[i] < to)
			return true;
	return false;
}

static bool call_is_wanted(const struct sprt_log *log, const struct sprt_call *call,
			   const struct sprt_options *o, bool has_range, uint64_t from, uint64_t to)
{
	if (o->has_resources && sprt_resource_of(log, call) &&
	    !in_mask(o->resources, call->resource))
		return false;
	if (has_range && !calls_from(call, from, to))
		return false;
	if (o->has_include ? !map64_get(&o->include, call->number) :
			     map64_get(&o->exclude, call->number) != NULL)
		return false;
	if (o->has_contexts && (o->contexts ? !(call->context & o->contexts) :
					      call->context != 0))
		return false;
	return true;
}

/* Keep only the allocations of blocks that are never freed. */
static void remove_freed(struct sprt_log *log)
{
	struct sprt_live live = { 0 };

	for (size_t i = 0; i < log->ncalls; i++) {
		struct sprt_kept *kept = log->calls[i];
		const struct sprt_call *call = &kept->item.call;
		const struct sprt_resource *res = sprt_resource_of(log, call);
		bool counted = res && res->flags & SPRT_RES_REFCOUNT;
		struct sprt_block block = { .cookie = i };
		int change;

		if (kept->item.removed)
			continue;
		change = sprt_live_call(&live, call, counted, &block);
		if (call->type == SPRT_CALL_ALLOC || call->type == SPRT_CALL_FREE)
			kept->item.removed = change <= 0;
		if (change < 0)
			log->calls[block.cookie]->item.removed = true;
	}
	sprt_live_free(&live);
}

static void trim_calls(struct sprt_log *log, uint32_t depth)
{
	for (size_t i = 0; i < log->ncalls; i++) {
		struct sprt_call *call = &log->calls[i]->item.call;

		if (call->nframes > depth)
			sprt_log_set_trace(log, call, call->frames,
					   call->resolved, depth);
	}
}

/* Remove the calls that the options leave out, and find the extremes of the others' blocks. */
static void remove_unwanted(struct sprt_log *log, const struct sprt_options *o, bool has_range,
			    uint64_t from, uint64_t to)
{
	log->lowest = UINT64_MAX;
	log->highest = 0;
	for (size_t i = 0; i < log->ncalls; i++) {
		struct sprt_item *item = &log->calls[i]->item;

		item->removed = !call_is_wanted(log, &item->call, o, has_range, from, to);
		if (item->removed || item->call.type != SPRT_CALL_ALLOC)
			continue;
		if (item->call.id < log->lowest)
			log->lowest = item->call.id;
		if (item->call.id > log->highest)
			log->highest = item->call.id;
	}
}

static void filter_calls(struct sprt_log *log, const struct sprt_options *o, struct diag *diag)
{
	uint64_t from = 0, to = 0;
	bool has_range = false;

	if (o->has_depth)
		trim_calls(log, o->depth);
	if (o->has_range) {
		has_range = find_range(log, o, &from, &to);
		if (!has_range)
			diag_report(diag, &no_target, NULL, DIAG_NOWHERE, 0,
				    "--call-address: no file with \"%s\" in its path is mapped, no call is left out",
				    o->target);
	}
	remove_unwanted(log, o, has_range, from, to);
	for (struct sprt_kept *at = log->first; at; at = at->next) {
		struct sprt_item *item = &at->item;

		if (item->kind == SPRT_RESOURCE && o->has_resources)
			item->removed = !in_mask(o->resources, item->resource.id);
		if (item->kind == SPRT_CONTEXT && o->has_contexts)
			item->removed = !(item->context.id & o->contexts);
		if (item->kind == SPRT_PROCESS && o->has_depth) {
			item->process.has_depth = true;
			item->process.depth = o->depth;
		}
		if (item->kind == SPRT_LOG && o->leaks)
			item->log.filters |= SPRT_FILTER_LEAKS;
		if (item->kind == SPRT_LOG && o->resolve)
			item->log.filters |= SPRT_FILTER_RESOLVE;
	}
	if (o->leaks)
		remove_freed(log);
	if (o->resolve)
		sprt_resolve(log, o->sysroot, diag);
}

/* --- whole logs ---------------------------------------------------------- */

/* Filter and pass on the current log, if any.  Return: 0 or negative errno. */
static int pass_log(struct sprt_whole *w)
{
	int ret;

	/* No log yet: filter_calls() would report a missing mapping. */
	if (!w->log.first)
		return 0;
	filter_calls(&w->log, &w->options, w->diag);
	ret = w->take(w);
	sprt_log_clear(&w->log);
	return ret;
}

static int whole_item(struct sink *s, const void *p)
{
	struct sprt_whole *w = (struct sprt_whole *)s;
	const struct sprt_item *item = p;
	int ret = item->kind == SPRT_LOG ? pass_log(w) : 0;

	sprt_log_add(&w->log, item);
	return ret;
}

static int whole_end(struct sink *s)
{
	struct sprt_whole *w = (struct sprt_whole *)s;
	int ret = pass_log(w), end = w->to ? sink_end(w->to) : out_flush(w->out);

	return ret ? ret : end;
}

static void whole_free(struct sink *s)
{
	struct sprt_whole *w = (struct sprt_whole *)s;

	sink_free(w->to);
	sprt_log_clear(&w->log);
	map64_clear(&w->options.include);
	map64_clear(&w->options.exclude);
	free(w->options.target);
	free(w);
}

struct sink *sprt_whole_open(const struct sink_args *args, int (*take)(struct sprt_whole *w),
			     struct sink *to)
{
	static const struct sink_ops ops = { whole_item, whole_end, whole_free };
	struct sprt_whole *w = xcalloc(1, sizeof(*w));

	w->sink.ops = &ops;
	w->diag = args->diag;
	w->out = args->out;
	w->take = take;
	w->to = to;
	if (read_options(&w->options, args->opts, args->diag))
		return &w->sink;
	whole_free(&w->sink);
	return NULL;
}

static int replay_log(struct sprt_whole *w)
{
	return sprt_log_replay(&w->log, w->to);
}

struct sink *sprt_filter_sink(struct sink *to, const struct sink_args *args)
{
	for (const struct opt_row *row = sprt_options; row->name; row++)
		if (opt_flag(args->opts, row->name))
			return sprt_whole_open(args, replay_log, to);
	return to;
}
