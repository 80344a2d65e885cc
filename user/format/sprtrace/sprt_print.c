// SPDX-License-Identifier: LGPL-2.1
/*
 * Sink "sp-rtrace-text": reports, TEXT_PROTOCOL, byte for byte as
 * sp-rtrace-postproc of version 1.8 prints them, except where it is wrong (see
 * Documentation/sp-rtrace.md).
 *
 * A report begins with what can stand at the end of a log, so each log is kept
 * in memory until it is complete.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "format/sprtrace/sprt_filter.h"
#include "format/sprtrace/sprt_formats.h"
#include "format/sprtrace/sprt_log.h"
#include "format/sprtrace/sprt_words.h"
#include "base/xalloc.h"

/* What the original calls itself, and the format that it writes. */
#define FORMAT_VERSION	"2.0"
#define BINARY_ORIGIN	"sp-rtrace 1.8"

struct report {
	struct sink sink;
	struct out *out;
	struct diag *diag;
	struct sprt_options options;
	struct sprt_log *log;

	/* Of the log that is being printed. */
	const struct sprt_resource *by_id[SPRT_RESOURCE_MAX + 1];
	const struct sprt_kept_comment *comment;	/* the next to print */
};

/* A string of the log; a newline in it must not look like one of ours. */
static void put(struct report *r, const char *s)
{
	for (;;) {
		size_t n = strcspn(s, "\n");

		out_write(r->out, s, n);
		if (!s[n])
			return;
		out_puts(r->out, "\\012");
		s += n + 1;
	}
}

/* --- before the calls --------------------------------------------------- */

static void print_header(struct report *r)
{
	const struct sprt_kept_item *kept;
	const struct sprt_log_start *log = NULL;
	const struct sprt_process *process = NULL;
	unsigned int filters;
	size_t i = 0;

	kept = sprt_log_find(r->log, SPRT_LOG, &i);
	if (kept)
		log = &kept->item.log;
	for (i = 0; (kept = sprt_log_find(r->log, SPRT_PROCESS, &i));)
		process = &kept->item.process;

	out_puts(r->out, "version=" FORMAT_VERSION ", ");
	if (log && *log->arch) {
		out_puts(r->out, "arch=");
		put(r, log->arch);
		out_puts(r->out, ", ");
	}
	if (process && process->has_time) {
		time_t sec = (time_t)process->sec;
		struct tm tm;

		if (localtime_r(&sec, &tm))
			out_printf(r->out, "timestamp=%d.%d.%d %02d:%02d:%02d, ",
				   tm.tm_year + 1900, tm.tm_mon + 1, tm.tm_mday,
				   tm.tm_hour, tm.tm_min, tm.tm_sec);
	}
	/* A report need not tell them; a packet does. */
	if (process && (!log || !log->text || *process->name)) {
		out_puts(r->out, "process=");
		put(r, process->name);
		out_puts(r->out, ", ");
	}
	if (process && (!log || !log->text || process->pid))
		out_printf(r->out, "pid=%" PRIu32 ", ", process->pid);
	filters = log ? log->filters & ~SPRT_FILTER_COMPRESS : 0;
	if (r->options.compress)
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
	if (log && !log->text) {
		out_puts(r->out, "origin=" BINARY_ORIGIN ", ");
	} else if (log && *log->origin) {
		out_puts(r->out, "origin=");
		put(r, log->origin);
		out_puts(r->out, ", ");
	}
	out_puts(r->out, "\n");
}

static void print_files(struct report *r)
{
	const struct sprt_kept_item *kept;

	for (size_t i = 0; (kept = sprt_log_find(r->log, SPRT_FILE, &i));) {
		out_puts(r->out, "& ");
		put(r, kept->item.file.name);
		out_puts(r->out, " : ");
		put(r, kept->item.file.path);
		out_puts(r->out, "\n");
	}
}

static void print_heap(struct report *r)
{
	const struct sprt_kept_item *kept;
	const struct sprt_heap *heap = NULL;

	for (size_t i = 0; (kept = sprt_log_find(r->log, SPRT_HEAP, &i));)
		heap = &kept->item.heap;
	if (!heap)
		return;
	out_puts(r->out, "## " SPRT_HEAP_TITLE "\n");
	for (int i = 0; i < SPRT_HEAP_NWORDS; i++) {
		const struct sprt_heap_word *w = &sprt_heap_words[i];

		out_printf(r->out, "##   %s ", w->label);
		if (w->value >= 0)
			out_printf(r->out, "%" PRId32 "\n",
				   heap->value[w->value]);
		else
			out_printf(r->out, "0x%" PRIx64 "\n",
				   w->value == SPRT_HEAP_BOTTOM ? heap->bottom :
				   w->value == SPRT_HEAP_TOP ? heap->top :
				   w->value == SPRT_HEAP_LOWEST ?
				   r->log->lowest : r->log->highest);
	}
}

static void print_modules(struct report *r)
{
	const struct sprt_kept_item *kept;

	for (size_t i = 0; (kept = sprt_log_find(r->log, SPRT_MODULE, &i));) {
		const struct sprt_module *m = &kept->item.module;

		out_printf(r->out, "## " SPRT_MODULE_TITLE "%" PRIx32 "] ",
			   m->id);
		put(r, m->name);
		out_printf(r->out, " (%u.%u)\n", m->major, m->minor);
	}
}

static void print_contexts(struct report *r)
{
	const struct sprt_kept_item *kept;

	for (size_t i = 0; (kept = sprt_log_find(r->log, SPRT_CONTEXT, &i));) {
		out_printf(r->out, "@ %" PRIx32 " : ", kept->item.context.id);
		put(r, kept->item.context.name);
		out_puts(r->out, "\n");
	}
}

/* Also decides whether calls name their resource: not if there is one only. */
static void print_resources(struct report *r)
{
	const struct sprt_kept_item *kept, *last = NULL;
	size_t n = 0, i;

	for (i = 0; (kept = sprt_log_find(r->log, SPRT_RESOURCE, &i)); n++)
		last = kept;
	for (i = 0; (kept = sprt_log_find(r->log, SPRT_RESOURCE, &i));) {
		const struct sprt_resource *res = &kept->item.resource;
		uint32_t bit = res->id - 1 < SPRT_RESOURCE_MAX ?
			       1u << (res->id - 1) : 0;

		out_printf(r->out, "<%" PRIx32 "> : ", n == 1 ? 1 : bit);
		put(r, res->type);
		out_puts(r->out, " (");
		put(r, res->desc);
		out_puts(r->out, res->flags & SPRT_RES_REFCOUNT ?
				 ") [refcount]\n" : ")\n");
	}
	if (n == 1 && last->item.resource.id <= SPRT_RESOURCE_MAX)
		r->by_id[last->item.resource.id] = NULL;
}

static void print_maps(struct report *r)
{
	const struct sprt_kept_item *kept;

	for (size_t i = 0; (kept = sprt_log_find(r->log, SPRT_MAP, &i));) {
		const struct sprt_map *map = &kept->item.map;

		out_puts(r->out, ": ");
		put(r, map->path);
		out_printf(r->out, " => 0x%" PRIx64 "-0x%" PRIx64 "\n",
			   map->from, map->to);
	}
}

/* --- calls -------------------------------------------------------------- */

static void put_hex(struct report *r, uint64_t v)
{
	char digits[18];
	size_t n = sizeof(digits);

	do {
		digits[--n] = "0123456789abcdef"[v & 15];
		v >>= 4;
	} while (v);
	digits[--n] = 'x';
	digits[--n] = '0';
	out_write(r->out, digits + n, sizeof(digits) - n);
}

/* The comments that stood before the call with this index in the log. */
static void print_comments(struct report *r, size_t index)
{
	for (; r->comment && r->comment->before <= index;
	     r->comment = r->comment->next) {
		put(r, r->comment->text);
		out_puts(r->out, "\n");
	}
}

static void print_call(struct report *r, const struct sprt_call *call)
{
	const struct sprt_resource *res = sprt_resource_of(r->by_id, call);

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
	put(r, call->name);
	if (res) {
		out_puts(r->out, "<");
		put(r, res->type);
		out_puts(r->out, ">");
	}
	out_puts(r->out, "(");
	if (call->type == SPRT_CALL_ALLOC) {
		out_i64(r->out, call->size);
		out_puts(r->out, ") = ");
		put_hex(r, call->id);
		out_puts(r->out, "\n");
	} else {
		put_hex(r, call->id);
		out_puts(r->out, ")\n");
	}
	for (uint32_t i = 0; i < call->nargs; i++) {
		out_puts(r->out, "\t$");
		put(r, call->args[i].name);
		out_puts(r->out, " = ");
		put(r, call->args[i].value);
		out_puts(r->out, "\n");
	}
}

static void print_trace(struct report *r, const struct sprt_call *call)
{
	for (uint32_t i = 0; i < call->nframes; i++) {
		out_puts(r->out, "\t");
		put_hex(r, call->frames[i]);
		if (call->resolved && call->resolved[i]) {
			out_puts(r->out, " ");
			put(r, call->resolved[i]);
		}
		out_puts(r->out, "\n");
	}
	out_puts(r->out, "\n");
}

static void print_calls(struct report *r)
{
	for (size_t i = 0; i < r->log->ncalls; i++) {
		const struct sprt_kept_call *kept = r->log->calls[i];

		if (kept->removed)
			continue;
		print_comments(r, i);
		print_call(r, &kept->call);
		if (kept->call.has_trace)
			print_trace(r, &kept->call);
	}
}

/* --- calls, grouped by backtrace ---------------------------------------- */

/* Calls members[first] to members[first + n - 1], all with one backtrace. */
struct group {
	const struct sprt_kept_call **members;
	size_t n;
	uint64_t total;		/* bytes or units */
};

static int compare(uint64_t a, uint64_t b)
{
	return a < b ? -1 : a > b;
}

static int by_number(const struct sprt_kept_call *x,
		     const struct sprt_kept_call *y)
{
	int order = compare(x->call.number, y->call.number);

	return order ? order : compare(x->pos, y->pos);
}

/* The log keeps equal backtraces once: equal pointers. */
static int by_trace(const void *a, const void *b)
{
	const struct sprt_kept_call *x = *(const struct sprt_kept_call *const *)a;
	const struct sprt_kept_call *y = *(const struct sprt_kept_call *const *)b;
	int order = compare((uintptr_t)x->call.frames,
			    (uintptr_t)y->call.frames);

	return order ? order : by_number(x, y);
}

/* Groups that are alike stand in order of their first calls. */
static int by_size(const void *a, const void *b)
{
	const struct group *x = a, *y = b;
	int order = compare(x->total, y->total);

	return order ? order : by_number(x->members[0], y->members[0]);
}

static int by_size_down(const void *a, const void *b)
{
	const struct group *x = a, *y = b;

	return x->total != y->total ? by_size(b, a) : by_size(a, b);
}

static int by_count(const void *a, const void *b)
{
	const struct group *x = a, *y = b;
	int order = compare(x->n, y->n);

	return order ? order : by_number(x->members[0], y->members[0]);
}

static int by_count_down(const void *a, const void *b)
{
	const struct group *x = a, *y = b;

	return x->n != y->n ? by_count(b, a) : by_count(a, b);
}

static void print_groups(struct report *r)
{
	static int (*const orders[])(const void *, const void *) = {
		[SPRT_SIZE_ASC] = by_size, [SPRT_SIZE] = by_size_down,
		[SPRT_COUNT_ASC] = by_count, [SPRT_COUNT] = by_count_down,
	};
	const struct sprt_kept_call **members;
	struct group *groups = NULL;
	size_t n = 0, ngroups = 0, cap = 0;

	members = xcalloc(r->log->ncalls, sizeof(const struct sprt_kept_call *));
	for (size_t i = 0; i < r->log->ncalls; i++)
		if (!r->log->calls[i]->removed)
			members[n++] = r->log->calls[i];
	if (n)
		qsort(members, n, sizeof(*members), by_trace);
	for (size_t i = 0; i < n; i++) {
		const struct sprt_call *call = &members[i]->call;

		if (!i || call->frames != members[i - 1]->call.frames) {
			groups = xgrow(groups, &cap, ngroups + 1,
				       sizeof(*groups));
			groups[ngroups++] = (struct group){ &members[i], 0, 0 };
		}
		groups[ngroups - 1].n++;
		groups[ngroups - 1].total += sprt_call_amount(call);
	}
	if (ngroups)
		qsort(groups, ngroups, sizeof(*groups), orders[r->options.sort]);
	for (size_t g = 0; g < ngroups; g++) {
		for (size_t i = 0; i < groups[g].n; i++)
			print_call(r, &groups[g].members[i]->call);
		out_printf(r->out, SPRT_SUMMARY_TITLE
			   "%zu block(s) with total size %" PRIu64 "\n",
			   groups[g].n, groups[g].total);
		print_trace(r, &groups[g].members[0]->call);
	}
	free(groups);
	free(members);
}

/* --- after the calls ---------------------------------------------------- */

#define LEAKED "):\n# %" PRIu64 " block(s) leaked with total size of %" PRIu64 " bytes\n"

/*
 * The original numbers the resources in this summary as if their ids were
 * masks, and so tells another one's numbers from the third resource on.
 */
static void print_leaks(struct report *r)
{
	struct { uint64_t blocks, amount; } leaks[SPRT_RESOURCE_MAX + 1] = { 0 };
	bool known[SPRT_RESOURCE_MAX + 1] = { false };
	const struct sprt_kept_item *kept;

	for (size_t i = 0; (kept = sprt_log_find(r->log, SPRT_RESOURCE, &i));)
		if (kept->item.resource.id <= SPRT_RESOURCE_MAX)
			known[kept->item.resource.id] = true;
	known[0] = false;
	for (size_t i = 0; i < r->log->ncalls; i++) {
		const struct sprt_call *call = &r->log->calls[i]->call;
		uint32_t id = call->resource;

		if (r->log->calls[i]->removed || call->type != SPRT_CALL_ALLOC)
			continue;
		if (id > SPRT_RESOURCE_MAX || !known[id])
			id = 0;
		leaks[id].blocks++;
		leaks[id].amount += sprt_call_amount(call);
	}
	for (size_t i = 0; (kept = sprt_log_find(r->log, SPRT_RESOURCE, &i));) {
		const struct sprt_resource *res = &kept->item.resource;

		if (!res->id || res->id > SPRT_RESOURCE_MAX)
			continue;
		out_puts(r->out, "# Resource - ");
		put(r, res->type);
		out_puts(r->out, " (");
		put(r, res->desc);
		out_printf(r->out, LEAKED, leaks[res->id].blocks,
			   leaks[res->id].amount);
	}
	if (leaks[0].blocks)
		out_printf(r->out, "# Resource - unknown (not in the log" LEAKED,
			   leaks[0].blocks, leaks[0].amount);
}

static void print_report(struct report *r)
{
	if (!r->log->nitems)
		return;
	sprt_filter(r->log, &r->options, r->diag);
	sprt_resources(r->log, r->by_id);
	r->comment = r->log->comments;
	print_header(r);
	print_files(r);
	print_heap(r);
	print_modules(r);
	print_contexts(r);
	print_resources(r);
	print_maps(r);
	print_comments(r, 0);
	if (r->options.compress)
		print_groups(r);
	else
		print_calls(r);
	print_comments(r, SIZE_MAX);
	if (r->options.leaks)
		print_leaks(r);
	sprt_log_clear(r->log);
}

static int report_item(struct sink *s, const void *p)
{
	struct report *r = (struct report *)s;
	const struct sprt_item *item = p;

	if (item->kind == SPRT_LOG)
		print_report(r);
	sprt_log_add(r->log, item);
	return out_error(r->out);
}

static int report_end(struct sink *s)
{
	struct report *r = (struct report *)s;

	print_report(r);
	return out_flush(r->out);
}

static void report_free(struct sink *s)
{
	struct report *r = (struct report *)s;

	sprt_log_free(r->log);
	sprt_options_free(&r->options);
	free(r);
}

struct sink *sprt_print_open(const struct sink_args *args)
{
	static const struct sink_ops ops = {
		report_item, report_end, report_free
	};
	struct report *r = xcalloc(1, sizeof(*r));

	r->sink.ops = &ops;
	r->out = args->out;
	r->diag = args->diag;
	r->log = sprt_log_new();
	if (!sprt_options_read(&r->options, args->opts, args->diag)) {
		report_free(&r->sink);
		return NULL;
	}
	return &r->sink;
}
