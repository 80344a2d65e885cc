// SPDX-License-Identifier: LGPL-2.1
/*
 * Sink "fxt": writes sp-rtrace logs as FXT.  A log becomes a process with one thread,
 * a call an instant, the life of a block an async span, the live blocks of a resource
 * a counter, everything else an instant of category "metadata".
 * Documentation/sp-rtrace.md has the details.
 */
#include "format/sprtrace/sprt_filter.h"
#include "format/sprtrace/sprt_formats.h"
#include "format/sprtrace/sprt_fxt_state.h"
#include "format/sprtrace/sprt_words.h"
#include "base/buf.h"
#include "base/xalloc.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define PROVIDER	1u
#define NS_PER_SEC	1000000000ull
#define DAY_US		(24ull * 3600 * 1000000)
/* First koid for processes whose pid is taken or unknown; above all pids of Linux. */
#define KOID_MADE	(1ull << 22)

/* --- processes ---------------------------------------------------------- */

static void name_process(struct sprt_fxt *f, const char *name)
{
	bool whole;
	int err;

	err = fxt_process_name(f->w, f->koid, fxt_cstr(sprt_fxt_name(f, name, &whole)));
	if (!err)
		err = fxt_thread_name(f->w, f->koid, f->koid,
				      FXT_STR("all threads"));
	if (err && !f->err)
		f->err = err;
}

/* Invent a koid for a process whose pid is unknown or taken in this trace. */
static uint64_t made_koid(struct sprt_fxt *f)
{
	return KOID_MADE + f->made++;
}

/*
 * Set the process of a log.  If the log before had the same name and pid, they share a
 * koid.  Another process with an already used pid gets an invented koid.
 */
static void set_process(struct sprt_fxt *f, const struct sprt_process *p)
{
	struct sprt_block block = { .id = p->pid };
	const char *name = sprt_intern_str(&f->names, p->name);
	bool known = f->process == name && f->pid == p->pid;

	if (p->has_time && p->sec > 0 && p->sec < INT64_MAX / (int64_t)NS_PER_SEC)
		f->start = f->now = (uint64_t)p->sec * NS_PER_SEC +
				    p->usec % 1000000 * 1000;
	if (!known) {
		bool fresh = p->pid && p->pid < KOID_MADE &&
			     sprt_live_alloc(&f->pids, &block, true);

		f->koid = fresh ? p->pid : made_koid(f);
	}
	f->process = name;
	f->pid = p->pid;
	name_process(f, *p->name ? p->name : "unknown");
}

/* --- time --------------------------------------------------------------- */

/* Set f->now to the time of a call; once per log, write how the clocks relate. */
static void set_time(struct sprt_fxt *f, const struct sprt_call *call)
{
	uint64_t us;

	if (!call->time_us) {
		if (!f->timed && !f->untimed) {
			f->untimed = true;
			fxt_args_cstr(&f->args, "clock",
				      "calls have no time: they are shown one microsecond apart");
			sprt_fxt_instant(f, "metadata", "clock");
		}
		if (!f->timed)
			f->now = f->start + call->number % (1ull << 40) * 1000;
		return;
	}
	us = call->time_us;
	if (f->timed && us < f->last_us && f->last_us - us > DAY_US / 2)
		f->days_us += DAY_US;
	f->last_us = us;
	us += f->days_us;
	if (!f->timed) {
		f->timed = true;
		f->first_us = us;
		f->now = f->start;
		fxt_args_u64(&f->args, "uptime_of_day_us", us);
		fxt_args_cstr(&f->args, "clock", f->start ?
			      "the first call is shown at the time when the log began" :
			      "the first call is shown at 0");
		sprt_fxt_instant(f, "metadata", "clock");
	}
	if (us >= f->first_us)
		f->now = f->start + (us - f->first_us) * 1000;
	else if (f->start > (f->first_us - us) * 1000)
		f->now = f->start - (f->first_us - us) * 1000;
	else
		f->now = 0;
}

/* End a log: the next one has its own clock. */
static void end_log(struct sprt_fxt *f)
{
	sprt_fxt_end_blocks(f);
	memset(f->contexts, 0, sizeof(f->contexts));
	f->timed = f->untimed = false;
	f->start = f->now;
	f->days_us = 0;
}

/* --- calls -------------------------------------------------------------- */

static void add_contexts(struct sprt_fxt *f, uint32_t mask)
{
	struct fxt_args *a = &f->args;
	const char *names = "";

	if (!mask)
		return;
	fxt_args_cstr(a, "context", fxt_args_format(a, "0x%" PRIx32, mask));
	for (unsigned int i = 0; i < 32; i++)
		if (mask >> i & 1 && f->contexts[i])
			names = fxt_args_format(a, "%s%s%s", names, *names ? ", " : "",
						f->contexts[i]);
	if (*names)
		fxt_args_cstr(a, "context_names", names);
}

static void add_arguments(struct sprt_fxt *f, const struct sprt_call *call)
{
	struct fxt_args *a = &f->args;

	for (uint32_t i = 0; i < call->nargs; i++) {
		const struct sprt_arg *arg = &call->args[i];
		bool whole;
		const char *name = sprt_fxt_name(f, arg->name, &whole);

		if (whole)
			fxt_args_cstr(a, fxt_args_format(a, "$%s", name), arg->value);
		else
			fxt_args_cstr(a, fxt_args_format(a, "$%" PRIu32, i + 1),
				      fxt_args_format(a, "%s = %s", arg->name, arg->value));
	}
}

/* Add the backtrace as one text, a line per frame, so that equal backtraces are equal strings. */
static void add_backtrace(struct fxt_args *a, const struct sprt_call *call)
{
	struct buf text = { 0 };
	char address[24];

	if (!call->nframes)
		return;
	for (uint32_t i = 0; i < call->nframes; i++) {
		snprintf(address, sizeof(address), "%s0x%" PRIx64, i ? "\n" : "", call->frames[i]);
		buf_adds(&text, address);
		if (call->resolved && call->resolved[i]) {
			buf_addc(&text, ' ');
			buf_adds(&text, call->resolved[i]);
		}
	}
	buf_addc(&text, '\0');
	fxt_args_cstr(a, "backtrace", fxt_args_keep(a, text.s));
}

static void write_call(struct sprt_fxt *f, const struct sprt_call *call)
{
	struct fxt_arg backtrace = { .type = FXT_ARG_NULL };
	struct sprt_fxt_kind *k = sprt_fxt_kind(f, call->resource);
	struct fxt_args *a = &f->args;
	size_t before;
	bool whole;

	set_time(f, call);
	fxt_args_u64(a, "number", call->number);
	fxt_args_cstr(a, "type", call->type <= SPRT_CALL_ALLOC ? sprt_call_types[call->type] :
		      fxt_args_format(a, "%" PRIu32, call->type));
	fxt_args_pointer(a, "id", call->id);
	if (call->type != SPRT_CALL_FREE || call->size)
		fxt_args_u64(a, "size", sprt_call_amount(call));
	if (k == f->kinds)
		fxt_args_u64(a, "resource", call->resource);
	add_contexts(f, call->context);
	sprt_fxt_instant_name(f, call->name, &whole);
	if (!whole)
		fxt_args_cstr(a, "function", call->name);
	add_arguments(f, call);
	before = a->n;
	add_backtrace(a, call);
	if (a->n > before)
		backtrace = a->args[before];
	sprt_fxt_instant(f, k->type, *call->name ? call->name : "unnamed");
	sprt_fxt_track(f, call, backtrace);
}

/* --- everything else ---------------------------------------------------- */

static void add_log(struct fxt_args *a, const struct sprt_log_start *log)
{
	fxt_args_cstr(a, "source", log->text ? "text" : "binary");
	fxt_args_cstr(a, "version", fxt_args_format(a, "%u.%u", log->major, log->minor));
	fxt_args_cstr(a, "arch", log->arch);
	if (!log->text) {
		fxt_args_cstr(a, "byte_order", log->big_endian ? "big" : "little");
		fxt_args_u64(a, "pointer_size", log->ptr_size);
	}
	for (unsigned int i = 0; i < 3; i++)
		if (log->filters >> i & 1)
			fxt_args_cstr(a, "filter", sprt_filter_names[i]);
	if (*log->origin)
		fxt_args_cstr(a, "origin", log->origin);
}

static void add_process(struct fxt_args *a, const struct sprt_process *p)
{
	fxt_args_u64(a, "pid", p->pid);
	fxt_args_cstr(a, "name", p->name);
	if (p->has_time)
		fxt_args_cstr(a, "time", fxt_args_format(a, "%" PRId64 ".%06" PRIu32, p->sec,
							 p->usec));
	if (p->has_depth)
		fxt_args_u64(a, "backtrace_depth", p->depth);
}

static void add_heap(struct fxt_args *a, const struct sprt_heap *heap)
{
	fxt_args_pointer(a, "heap bottom", heap->bottom);
	fxt_args_pointer(a, "heap top", heap->top);
	if (heap->narrow)
		fxt_args_cstr(a, "pointers", "low 32 bits only");
	for (int i = 0; i < SPRT_HEAP_NWORDS; i++) {
		const struct sprt_heap_word *word = &sprt_heap_words[i];

		if (word->value >= 0)
			fxt_args_i64(a, word->label, heap->value[word->value]);
	}
}

static void add_field(struct fxt_args *a, const struct sprt_field *field, const void *at)
{
	const uint16_t *version = at;
	const uint32_t *number = at;
	const char *text;

	switch (field->type) {
	case SPRT_ID:
		fxt_args_u64(a, field->name, *number);
		break;
	case SPRT_MASK:
		fxt_args_cstr(a, field->name, fxt_args_format(a, "0x%" PRIx32, *number));
		break;
	case SPRT_POINTER:
		fxt_args_pointer(a, field->name, *(const uint64_t *)at);
		break;
	case SPRT_VERSION:
		fxt_args_cstr(a, field->name,
			      fxt_args_format(a, "%u.%u", version[0], version[1]));
		break;
	case SPRT_FLAGS:
		fxt_args_cstr(a, field->name,
			      fxt_args_format(a, "0x%" PRIx32 "%s", *number,
					      *number & SPRT_RES_REFCOUNT ? " refcount" : ""));
		break;
	default:
		text = *(const char *const *)at;
		if (text)
			fxt_args_cstr(a, field->name, text);
		break;
	}
}

static void add_fields(struct fxt_args *a, const struct sprt_item *item,
		       enum sprt_field_type first, enum sprt_field_type last)
{
	const struct sprt_field *field = sprt_kinds[item->kind].fields;

	for (; field->type; field++)
		if (field->type >= first && field->type <= last)
			add_field(a, field, (const char *)item + field->offset);
}

/* Keep the names that calls refer to. */
static void keep_names(struct sprt_fxt *f, const struct sprt_item *item)
{
	const struct sprt_resource *res = &item->resource;

	if (item->kind == SPRT_RESOURCE && res->id && res->id <= SPRT_RESOURCE_MAX)
		sprt_fxt_set_kind(f, res->id, res->type, res->flags & SPRT_RES_REFCOUNT);
	for (unsigned int i = 0; item->kind == SPRT_CONTEXT && i < 32; i++)
		if (item->context.id == 1u << i)
			f->contexts[i] = sprt_intern_str(&f->names, item->context.name);
}

static void write_item(struct sprt_fxt *f, const struct sprt_item *item)
{
	struct fxt_args *a = &f->args;

	switch (item->kind) {
	case SPRT_LOG:
		add_log(a, &item->log);
		break;
	case SPRT_PROCESS:
		add_process(a, &item->process);
		break;
	case SPRT_CALL:
		write_call(f, &item->call);
		break;
	case SPRT_HEAP:
		add_heap(a, &item->heap);
		break;
	default:
		/* As sprt_kinds describes it: its id, then texts, then the rest. */
		add_fields(a, item, SPRT_ID, SPRT_MASK);
		add_fields(a, item, SPRT_TEXT, SPRT_OPTIONAL);
		add_fields(a, item, SPRT_POINTER, SPRT_FLAGS);
		break;
	}
	if (item->kind != SPRT_CALL)
		sprt_fxt_instant(f, "metadata", sprt_kinds[item->kind].event);
	keep_names(f, item);
	fxt_args_reset(a);
}

/* --- the sink ----------------------------------------------------------- */

/*
 * Set the process, and write the items that precede the packet that names it; they
 * were kept until now.
 */
static void start_process(struct sprt_fxt *f, const struct sprt_process *p)
{
	struct sprt_log *log = f->waiting;

	set_process(f, p);
	f->waiting = NULL;
	for (size_t i = 0; i < log->nitems; i++)
		write_item(f, &log->items[i].item);
	sprt_log_free(log);
}

static const struct sprt_process nobody = { .name = "" };

static int fxt_item(struct sink *sink, const void *p)
{
	struct sprt_fxt *f = (struct sprt_fxt *)sink;
	const struct sprt_item *item = p;

	if (item->kind == SPRT_LOG) {
		if (f->waiting)
			start_process(f, &nobody);
		if (f->koid)
			end_log(f);
		f->waiting = sprt_log_new();
	}
	if (f->waiting) {
		if (item->kind == SPRT_LOG || item->kind == SPRT_OUTPUT) {
			sprt_log_add(f->waiting, item);
			return f->err;
		}
		start_process(f, item->kind == SPRT_PROCESS ? &item->process :
							      &nobody);
	}
	write_item(f, item);
	return f->err ? f->err : out_error(f->out);
}

/* End the trace with the counts of input damage, which are complete only now. */
static int fxt_end(struct sink *sink)
{
	struct sprt_fxt *f = (struct sprt_fxt *)sink;
	const struct diag_kind *kind;
	uint64_t n;
	int err;

	if (f->waiting)
		start_process(f, &nobody);
	if (f->koid)
		end_log(f);
	else
		f->koid = made_koid(f);
	for (unsigned int i = 0; (kind = diag_next(f->diag, i, &n)); i++) {
		fxt_args_cstr(&f->args, "what", kind->what);
		fxt_args_u64(&f->args, "count", n);
		sprt_fxt_instant(f, "metadata", "damaged input");
	}
	err = out_flush(f->out);
	return f->err ? f->err : err;
}

static void fxt_free(struct sink *sink)
{
	struct sprt_fxt *f = (struct sprt_fxt *)sink;

	fxt_writer_free(f->w);
	sprt_log_free(f->waiting);
	sprt_intern_free(&f->names);
	fxt_args_free(&f->args);
	sprt_live_free(&f->pids);
	sprt_live_free(&f->live);
	free(f);
}

struct sink *sprt_fxt_open(const struct sink_args *args)
{
	static const struct sink_ops ops = { fxt_item, fxt_end, fxt_free };
	struct sprt_fxt *f = xcalloc(1, sizeof(*f));

	f->sink.ops = &ops;
	f->diag = args->diag;
	f->out = args->out;
	f->args.brackets = f->args.repeat = true;
	f->w = fxt_writer_new(f->out);
	fxt_begin(f->w, PROVIDER, FXT_STR("sp-rtrace"));
	sprt_fxt_set_kind(f, 0, "unknown resource", false);
	return sprt_filter_sink(&f->sink, args);
}
