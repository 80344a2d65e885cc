// SPDX-License-Identifier: LGPL-2.1
/*
 * Sink "sp-rtrace-text": prints text reports (TEXT_PROTOCOL), byte for byte as
 * sp-rtrace-postproc 1.8 does, except for its errors (see Documentation/sp-rtrace.md).
 *
 * The head of a report contains items that can come last in a log, so each log is kept in
 * memory until it is complete.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "format/sprtrace/sprt_filter.h"
#include "format/sprtrace/sprt_formats.h"
#include "format/sprtrace/sprt_log.h"
#include "base/xalloc.h"

/* What sp-rtrace-postproc writes as its format version, and as the origin of a log. */
#define FORMAT_VERSION	"2.0"
#define BINARY_ORIGIN	"sp-rtrace 1.8"

/* The log that is being printed. */
struct report {
	const struct sprt_log *log;
	const struct sprt_options *options;
	struct out *out;
	struct pool shown;	/* copies of strings with escaped newlines */
	uint32_t only;		/* id of the only resource, which calls do not name; 0 if several */
};

/* Replace newlines in a string by \012, because they would end a line of the report. */
static const char *show_string(struct report *r, const char *s)
{
	size_t n = strlen(s), newlines = 0;
	char *shown, *to;

	for (size_t i = 0; i < n; i++)
		newlines += s[i] == '\n';
	if (!newlines)
		return s;
	to = shown = pool_keep(&r->shown, xmalloc(n + 3 * newlines + 1));
	for (; *s; s++)
		if (*s == '\n')
			to = stpcpy(to, "\\012");
		else
			*to++ = *s;
	*to = '\0';
	return shown;
}

/* --- before the calls --------------------------------------------------- */

/* The last item of a kind, NULL if none. */
static const struct sprt_item *last_item(const struct report *r, enum sprt_kind kind)
{
	const struct sprt_item *item, *last = NULL;

	for (struct sprt_kept *at = NULL; (item = sprt_log_find(r->log, kind, &at));)
		last = item;
	return last;
}

static void print_header(struct report *r)
{
	const struct sprt_log_start *log = &r->log->first->item.log;
	const struct sprt_item *item = last_item(r, SPRT_PROCESS);
	const struct sprt_process *process = item ? &item->process : NULL;
	unsigned int filters = log->filters & ~SPRT_FILTER_COMPRESS;

	out_puts(r->out, "version=" FORMAT_VERSION ", ");
	if (*log->arch)
		out_printf(r->out, "arch=%s, ", show_string(r, log->arch));
	if (process && process->has_time) {
		time_t sec = (time_t)process->sec;
		struct tm tm;

		if (localtime_r(&sec, &tm))
			out_printf(r->out, "timestamp=%d.%d.%d %02d:%02d:%02d, ",
				   tm.tm_year + 1900, tm.tm_mon + 1, tm.tm_mday,
				   tm.tm_hour, tm.tm_min, tm.tm_sec);
	}
	/* A text report may lack name and pid; a packet always has them. */
	if (process && (!log->text || *process->name))
		out_printf(r->out, "process=%s, ", show_string(r, process->name));
	if (process && (!log->text || process->pid))
		out_printf(r->out, "pid=%" PRIu32 ", ", process->pid);
	if (r->options->compress)
		filters |= SPRT_FILTER_COMPRESS;
	if (filters) {
		const char *sep = "filter=";

		for (unsigned int f = 0; f < 3; f++) {
			if (!(filters >> f & 1))
				continue;
			out_puts(r->out, sep);
			out_puts(r->out, sprt_filter_names[f]);
			sep = "|";
		}
		out_puts(r->out, ", ");
	}
	if (process && process->has_depth)
		out_printf(r->out, "backtrace depth=%" PRIu32 ", ",
			   process->depth);
	if (!log->text)
		out_puts(r->out, "origin=" BINARY_ORIGIN ", ");
	else if (*log->origin)
		out_printf(r->out, "origin=%s, ", show_string(r, log->origin));
	out_puts(r->out, "\n");
}

static void print_heap(struct report *r)
{
	const struct sprt_item *item = last_item(r, SPRT_HEAP);
	struct sprt_heap heap;

	if (!item)
		return;
	heap = item->heap;
	heap.address[SPRT_HEAP_LOWEST] = r->log->lowest;
	heap.address[SPRT_HEAP_HIGHEST] = r->log->highest;
	out_puts(r->out, "## " SPRT_HEAP_TITLE "\n");
	for (int i = 0; i < SPRT_HEAP_WORDS; i++) {
		out_printf(r->out, "##   %s ", sprt_heap_words[i].label);
		if (i < SPRT_HEAP_ADDRESSES)
			out_printf(r->out, "0x%" PRIx64 "\n", heap.address[i]);
		else
			out_printf(r->out, "%" PRId32 "\n", heap.number[i - SPRT_HEAP_ADDRESSES]);
	}
}

/* Print all items of a kind, one per line. */
static void print_all(struct report *r, enum sprt_kind kind)
{
	const struct sprt_item *item;

	for (struct sprt_kept *at = NULL; (item = sprt_log_find(r->log, kind, &at));) {
		if (kind == SPRT_FILE)
			out_printf(r->out, "& %s : %s\n", show_string(r, item->file.name),
				   show_string(r, item->file.path));
		else if (kind == SPRT_MODULE)
			out_printf(r->out, "## " SPRT_MODULE_TITLE "%" PRIx32 "] %s (%u.%u)\n",
				   item->module.id, show_string(r, item->module.name), item->module.major,
				   item->module.minor);
		else if (kind == SPRT_CONTEXT)
			out_printf(r->out, "@ %" PRIx32 " : %s\n", item->context.id,
				   show_string(r, item->context.name));
		else
			out_printf(r->out, ": %s => 0x%" PRIx64 "-0x%" PRIx64 "\n",
				   show_string(r, item->map.path), item->map.from, item->map.to);
	}
}

static void print_resources(struct report *r)
{
	const struct sprt_item *item, *last = NULL;
	struct sprt_kept *at = NULL;
	size_t n = 0;

	for (; (item = sprt_log_find(r->log, SPRT_RESOURCE, &at)); n++)
		last = item;
	for (at = NULL; (item = sprt_log_find(r->log, SPRT_RESOURCE, &at));) {
		const struct sprt_resource *res = &item->resource;
		uint32_t bit = res->id - 1 < SPRT_RESOURCE_MAX ?
			       1u << (res->id - 1) : 0;

		out_printf(r->out, "<%" PRIx32 "> : %s (%s)%s\n", n == 1 ? 1 : bit,
			   show_string(r, res->type), show_string(r, res->desc),
			   res->flags & SPRT_RES_REFCOUNT ? " [refcount]" : "");
	}
	r->only = n == 1 ? last->resource.id : 0;
}

/* --- calls -------------------------------------------------------------- */

/* Print the comments from @at on, up to the next call.  Return: that call, NULL if none. */
static struct sprt_kept *print_comments(struct report *r, struct sprt_kept *at)
{
	for (; at && at->item.kind != SPRT_CALL; at = at->next)
		if (at->item.kind == SPRT_COMMENT)
			out_printf(r->out, "%s\n", show_string(r, at->item.comment));
	return at;
}

static void print_call(struct report *r, const struct sprt_call *call)
{
	const struct sprt_resource *res = sprt_resource_of(r->log, call);

	out_u64(r->out, call->number);
	out_puts(r->out, ". ");
	if (call->context)
		out_printf(r->out, "@%" PRIx32 " ", call->context);
	if (call->time_us) {
		uint64_t ms = call->time_us / 1000;
		unsigned int us = (unsigned int)(call->time_us % 1000);

		out_printf(r->out, "[%02u:%02u:%02u.%03u",
			   (unsigned int)(ms / 3600000),
			   (unsigned int)(ms / 60000 % 60),
			   (unsigned int)(ms / 1000 % 60),
			   (unsigned int)(ms % 1000));
		if (us)
			out_printf(r->out, "%03u", us);
		out_puts(r->out, "] ");
	}
	out_puts(r->out, show_string(r, call->name));
	if (res && call->resource != r->only)
		out_printf(r->out, "<%s>", show_string(r, res->type));
	if (call->type == SPRT_CALL_ALLOC)
		out_printf(r->out, "(%" PRId32 ") = 0x%" PRIx64 "\n", call->size, call->id);
	else
		out_printf(r->out, "(0x%" PRIx64 ")\n", call->id);
	for (uint32_t i = 0; i < call->nargs; i++)
		out_printf(r->out, "\t$%s = %s\n", show_string(r, call->args[i].name),
			   show_string(r, call->args[i].value));
}

static void print_trace(struct report *r, const struct sprt_call *call)
{
	for (uint32_t i = 0; i < call->nframes; i++) {
		const char *name = call->resolved ? call->resolved[i] : NULL;

		out_printf(r->out, "\t0x%" PRIx64 "%s%s\n", call->frames[i], name ? " " : "",
			   name ? show_string(r, name) : "");
	}
	out_puts(r->out, "\n");
}

static void print_calls(struct report *r)
{
	const struct sprt_log *log = r->log;
	size_t n = 0;

	for (struct sprt_kept *at = print_comments(r, log->first); at;
	     at = print_comments(r, at->next)) {
		const struct sprt_kept *kept = log->calls[n++];

		if (kept->item.removed)
			continue;
		print_call(r, &kept->item.call);
		if (kept->item.call.has_trace)
			print_trace(r, &kept->item.call);
	}
}

/* --- calls, grouped by backtrace ---------------------------------------- */

/* The calls members[0] to members[n - 1], all with the same backtrace. */
struct group {
	const struct sprt_kept **members;
	size_t n;
	uint64_t total;		/* bytes or units */
	uint64_t key;		/* sort key */
};

static int compare_numbers(uint64_t a, uint64_t b)
{
	return a < b ? -1 : a > b;
}

/* Compare pointers only: the log stores equal backtraces once. */
static int by_trace(const void *a, const void *b)
{
	const struct sprt_kept *x = *(const struct sprt_kept *const *)a;
	const struct sprt_kept *y = *(const struct sprt_kept *const *)b;
	int order = compare_numbers((uintptr_t)x->item.call.frames, (uintptr_t)y->item.call.frames);

	return order ? order : sprt_by_number(&x->item, &y->item);
}

/* Compare by --sort; equal groups stay in order of their first calls. */
static int by_key(const void *a, const void *b)
{
	const struct group *x = a, *y = b;
	int order = compare_numbers(x->key, y->key);

	return order ? order : sprt_by_number(&x->members[0]->item, &y->members[0]->item);
}

static uint64_t key_of(const struct group *g, enum sprt_sort sort)
{
	uint64_t key = sort == SPRT_COUNT || sort == SPRT_COUNT_ASC ? g->n : g->total;

	/* the largest key first */
	return sort == SPRT_SIZE || sort == SPRT_COUNT ? ~key : key;
}

static void print_groups(struct report *r)
{
	const struct sprt_kept **members;
	struct group *groups = NULL;
	struct sprt_kept *at = print_comments(r, r->log->first);
	size_t n = 0, ngroups = 0, cap = 0;

	members = xcalloc(r->log->ncalls, sizeof(const struct sprt_kept *));
	for (size_t i = 0; i < r->log->ncalls; i++)
		if (!r->log->calls[i]->item.removed)
			members[n++] = r->log->calls[i];
	if (n)
		qsort(members, n, sizeof(*members), by_trace);
	for (size_t i = 0; i < n; i++) {
		const struct sprt_call *call = &members[i]->item.call;

		if (!i || call->frames != members[i - 1]->item.call.frames) {
			groups = xgrow(groups, &cap, ngroups + 1,
				       sizeof(*groups));
			groups[ngroups++] = (struct group){ &members[i], 0, 0, 0 };
		}
		groups[ngroups - 1].n++;
		groups[ngroups - 1].total += sprt_call_amount(call);
	}
	for (size_t g = 0; g < ngroups; g++)
		groups[g].key = key_of(&groups[g], r->options->sort);
	if (ngroups)
		qsort(groups, ngroups, sizeof(*groups), by_key);
	for (size_t g = 0; g < ngroups; g++) {
		for (size_t i = 0; i < groups[g].n; i++)
			print_call(r, &groups[g].members[i]->item.call);
		out_printf(r->out, SPRT_SUMMARY_TITLE
			   "%zu block(s) with total size %" PRIu64 "\n",
			   groups[g].n, groups[g].total);
		print_trace(r, &groups[g].members[0]->item.call);
	}
	while (at)
		at = print_comments(r, at->next);
	free(groups);
	free(members);
}

/* --- after the calls ---------------------------------------------------- */

#define LEAKED "):\n# %" PRIu64 " block(s) leaked with total size of %" PRIu64 " bytes\n"

/*
 * The original program treats resource ids as masks in this summary, so it prints wrong
 * counts from the third resource on.
 */
static void print_leaks(struct report *r)
{
	struct { uint64_t blocks, amount; } leaks[SPRT_RESOURCE_MAX + 1] = { 0 };
	const struct sprt_item *item;

	for (size_t i = 0; i < r->log->ncalls; i++) {
		const struct sprt_call *call = &r->log->calls[i]->item.call;
		uint32_t id = sprt_resource_of(r->log, call) ? call->resource : 0;

		if (r->log->calls[i]->item.removed || call->type != SPRT_CALL_ALLOC)
			continue;
		leaks[id].blocks++;
		leaks[id].amount += sprt_call_amount(call);
	}
	for (struct sprt_kept *at = NULL; (item = sprt_log_find(r->log, SPRT_RESOURCE, &at));) {
		const struct sprt_resource *res = &item->resource;

		if (!res->id || res->id > SPRT_RESOURCE_MAX)
			continue;
		out_printf(r->out, "# Resource - %s (%s" LEAKED, show_string(r, res->type),
			   show_string(r, res->desc), leaks[res->id].blocks, leaks[res->id].amount);
	}
	if (leaks[0].blocks)
		out_printf(r->out, "# Resource - unknown (not in the log" LEAKED,
			   leaks[0].blocks, leaks[0].amount);
}

static int print_report(struct sprt_whole *w)
{
	struct report report = { .log = &w->log, .options = &w->options, .out = w->out };
	struct report *r = &report;

	print_header(r);
	print_all(r, SPRT_FILE);
	print_heap(r);
	print_all(r, SPRT_MODULE);
	print_all(r, SPRT_CONTEXT);
	print_resources(r);
	print_all(r, SPRT_MAP);
	if (w->options.compress)
		print_groups(r);
	else
		print_calls(r);
	if (w->options.leaks)
		print_leaks(r);
	pool_free(&r->shown);
	return out_error(r->out);
}

struct sink *sprt_print_open(const struct sink_args *args)
{
	return sprt_whole_open(args, print_report, NULL);
}
