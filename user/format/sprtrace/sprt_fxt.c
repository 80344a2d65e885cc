// SPDX-License-Identifier: LGPL-2.1
/*
 * Sink "fxt": writes sp-rtrace logs as FXT.  A log becomes a process with one thread,
 * a call an instant, the life of a block an async span, the live blocks of a resource
 * a counter, everything else an instant of category "metadata".
 * Documentation/sp-rtrace.md has the details.
 */
#include "format/sprtrace/sprt_filter.h"
#include "format/sprtrace/sprt_formats.h"
#include "format/fxt/fxt_args.h"
#include "format/sprtrace/sprt_live.h"
#include "base/buf.h"
#include "base/utf8.h"
#include "base/xalloc.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define PROVIDER	1u
#define NS_PER_SEC	1000000000ull
#define DAY_US		(24ull * 3600 * 1000000)
/* First koid for processes with an unknown or already used pid; above all pids of Linux. */
#define KOID_MADE	(1ull << 22)
/* A longer name is cut, and the whole name goes into an argument. */
#define NAME_MAX_BYTES	1024u

/* Names and totals of one resource. */
struct sprt_fxt_kind {
	const char *type;	/* category of its events */
	const char *counter, *bytes, *blocks;	/* names of its counter */
	bool refcounted;
	uint64_t live_bytes, live_blocks;
	bool any;		/* the counter has been written */
};

struct sprt_fxt {
	struct sink sink;
	struct diag *diag;
	struct out *out;
	struct fxt_writer *w;

	struct sprt_intern names;	/* strings kept as long as the sink */
	struct fxt_args args;		/* arguments of one item; also owns its strings */

	struct sprt_log waiting;	/* the log's items until its process is known */
	uint64_t koid;		/* koid of process and thread, 0 if not known yet */
	uint32_t pid;
	const char *process;	/* its name */
	struct map64 pids;	/* pids already used as koids */
	uint64_t made;		/* number of koids invented so far */

	/* To convert times of the log to times of the trace: */
	uint64_t start;		/* ns, of the log's first call */
	bool timed;		/* a call had a time */
	bool untimed;		/* the first call had no time */
	uint64_t first_us, last_us, days_us;
	uint64_t now;		/* ns, current trace time */

	struct sprt_fxt_kind kinds[SPRT_RESOURCE_MAX + 1];	/* [0]: not described by the log */
	const char *contexts[32];	/* names by bit */
	struct sprt_live live;
	uint64_t spans;		/* async ids used so far */
};

/* --- names ------------------------------------------------------------- */

/* Make a string valid UTF-8 and not too long.  Return: @s itself if it is. */
static const char *make_name(struct sprt_fxt *f, const char *s)
{
	size_t n = strlen(s);
	char *clean;

	if (n <= NAME_MAX_BYTES && utf8_valid(s, n))
		return s;
	clean = fxt_args_keep(&f->args, utf8_replace(s, n, &n));
	clean[utf8_cut(clean, n, NAME_MAX_BYTES)] = '\0';
	return clean;
}

/*
 * A viewer treats instants with "frame" in their names specially, so the word
 * is written with a capital letter.
 */
static const char *make_instant_name(struct sprt_fxt *f, const char *s)
{
	char *spelled, *at;

	s = make_name(f, s);
	if (!strstr(s, "frame"))
		return s;
	spelled = fxt_args_keep(&f->args, xstrdup(s));
	for (at = spelled; (at = strstr(at, "frame")); )
		*at = 'F';
	return spelled;
}

/* --- events ------------------------------------------------------------- */

/* Return: an event on the log's thread, at f->now. */
static struct fxt_event event_now(const struct sprt_fxt *f, enum fxt_event_type type,
				  const char *category, const char *name)
{
	return (struct fxt_event){
		.type = type, .time = f->now, .process = f->koid, .thread = f->koid,
		.category = fxt_cstr(category), .name = fxt_cstr(name),
	};
}

/* Write an event with @args instead of f->args. */
static void write_event(struct sprt_fxt *f, enum fxt_event_type type, const char *category,
		    const char *name, uint64_t value, const struct fxt_arg *args, size_t n)
{
	struct fxt_event ev = event_now(f, type, category, name);

	ev.value = value;
	fxt_event(f->w, &ev, args, (unsigned int)n);
}

/* Write an instant with f->args, and clear them. */
static void write_instant(struct sprt_fxt *f, const char *category, const char *name)
{
	struct fxt_event ev = event_now(f, FXT_EV_INSTANT, make_name(f, category),
					make_instant_name(f, name));

	fxt_args_event(&f->args, f->w, &ev);
	/* Their strings stay until the end of the item. */
	f->args.n = 0;
}

/* --- blocks ------------------------------------------------------------- */

/* Find the strings and counters of a resource. */
static struct sprt_fxt_kind *kind_of(struct sprt_fxt *f, uint32_t resource)
{
	if (resource > SPRT_RESOURCE_MAX || !f->kinds[resource].type)
		resource = 0;
	return &f->kinds[resource];
}

/* Set the type of a resource that the log describes. */
static void set_kind(struct sprt_fxt *f, uint32_t id, const char *type, bool refcounted)
{
	struct sprt_fxt_kind *k = &f->kinds[id];

	/* Counters are identified by name: each needs its own. */
	type = make_name(f, *type ? type : "unnamed");
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
	write_event(f, FXT_EV_COUNTER, k->type, k->counter, 0, args, 2);
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

/*
 * Begin or end the block that a call allocates or frees.  @backtrace: the call's
 * backtrace, of type FXT_ARG_NULL if none
 */
static void track_block(struct sprt_fxt *f, const struct sprt_call *call, struct fxt_arg backtrace)
{
	struct sprt_fxt_kind *k = kind_of(f, call->resource);
	const char *name = make_name(f, *call->name ? call->name : "unnamed");
	struct sprt_block block = {
		.amount = sprt_call_amount(call), .cookie = f->spans + 1,
		.time = f->now, .kind = (uint32_t)(k - f->kinds),
		.label = call->type == SPRT_CALL_ALLOC ? span_label(f, k->type, name) : NULL,
	};
	int change = sprt_live_call(&f->live, call, k->refcounted, &block);
	struct fxt_arg args[4] = {
		fxt_arg_ptr(FXT_STR("id"), call->id),
		fxt_arg_u(FXT_STR("number"), call->number),
		fxt_arg_u(FXT_STR("size"), block.amount),
		backtrace,
	};
	uint64_t now;

	if (change > 0) {
		f->spans++;
		k->live_bytes += block.amount;
		k->live_blocks++;
		write_event(f, FXT_EV_ASYNC_BEGIN, k->type, name, block.cookie,
			       args, backtrace.type == FXT_ARG_NULL ? 3 : 4);
	} else if (change < 0) {
		/* The log may have redefined the block's resource since. */
		k = &f->kinds[block.kind];
		k->live_bytes -= block.amount;
		k->live_blocks--;
		args[1].name = FXT_STR("freed_by");
		/* If times are damaged, the block could end before it began. */
		now = f->now;
		if (now < block.time)
			f->now = block.time;
		write_event(f, FXT_EV_ASYNC_END, block.label,
			       block.label + strlen(block.label) + 1, block.cookie,
			       args, 2);
		f->now = now;
	} else {
		return;
	}
	write_counter(f, k);
}

/* Report blocks live at the end of a log: leaked, or still in use. */
static void end_blocks(struct sprt_fxt *f)
{
	for (uint32_t i = 0; i <= SPRT_RESOURCE_MAX; i++) {
		struct sprt_fxt_kind *k = &f->kinds[i];

		if (k->any) {
			fxt_args_u64(&f->args, "blocks", k->live_blocks);
			fxt_args_u64(&f->args, "bytes", k->live_bytes);
			fxt_args_cstr(&f->args, "resource", k->type);
			write_instant(f, k->type, "never freed");
		}
	}
	memset(f->kinds, 0, sizeof(f->kinds));
	sprt_live_free(&f->live);
	set_kind(f, 0, "unknown resource", false);
}

/* --- processes ---------------------------------------------------------- */

/* Invent a koid for a process whose pid is unknown or taken in this trace. */
static uint64_t made_koid(struct sprt_fxt *f)
{
	return KOID_MADE + f->made++;
}

/*
 * Set the process of a log.  If it has the name and pid of the log before, it has that
 * koid, too.  Another process with an already used pid gets an invented koid.
 */
static void set_process(struct sprt_fxt *f, const struct sprt_process *p)
{
	const char *name = sprt_intern_str(&f->names, p->name);
	bool known = f->process == name && f->pid == p->pid;

	if (p->has_time && p->sec > 0 && p->sec < INT64_MAX / (int64_t)NS_PER_SEC)
		f->start = f->now = (uint64_t)p->sec * NS_PER_SEC +
				    p->usec % 1000000 * 1000;
	if (!known)
		f->koid = p->pid && p->pid < KOID_MADE && map64_first(&f->pids, p->pid) ?
			  p->pid : made_koid(f);
	f->process = name;
	f->pid = p->pid;
	fxt_process_name(f->w, f->koid, fxt_cstr(make_name(f, *name ? name : "unknown")));
	fxt_thread_name(f->w, f->koid, f->koid, FXT_STR("all threads"));
}

/* --- time --------------------------------------------------------------- */

/* Set f->now to the time of a call.  At the first call of a log, write how the clocks relate. */
static void set_time(struct sprt_fxt *f, const struct sprt_call *call)
{
	uint64_t us;

	if (!call->time_us) {
		if (!f->timed && !f->untimed) {
			f->untimed = true;
			fxt_args_cstr(&f->args, "clock",
				      "calls have no time: they are shown one microsecond apart");
			write_instant(f, "metadata", "clock");
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
		write_instant(f, "metadata", "clock");
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
	end_blocks(f);
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
		const char *name = make_name(f, arg->name);

		if (name == arg->name)
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

	if (!call->nframes)
		return;
	for (uint32_t i = 0; i < call->nframes; i++) {
		buf_printf(&text, "%s0x%" PRIx64, i ? "\n" : "", call->frames[i]);
		if (call->resolved && call->resolved[i])
			buf_printf(&text, " %s", call->resolved[i]);
	}
	buf_addc(&text, '\0');
	fxt_args_cstr(a, "backtrace", fxt_args_keep(a, text.s));
}

static void write_call(struct sprt_fxt *f, const struct sprt_call *call)
{
	struct fxt_arg backtrace = { .type = FXT_ARG_NULL };
	struct sprt_fxt_kind *k = kind_of(f, call->resource);
	struct fxt_args *a = &f->args;
	size_t before;

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
	if (make_instant_name(f, call->name) != call->name)
		fxt_args_cstr(a, "function", call->name);
	add_arguments(f, call);
	before = a->n;
	add_backtrace(a, call);
	if (a->n > before)
		backtrace = a->args[before];
	write_instant(f, k->type, *call->name ? call->name : "unnamed");
	track_block(f, call, backtrace);
}

/* --- everything else ---------------------------------------------------- */

/* Add a value of an item that is not a call as an argument. */
static void add_value(void *ctx, const struct sprt_value *v)
{
	struct fxt_args *a = ctx;
	bool counted = v->type == SPRT_FLAGS && v->number & SPRT_RES_REFCOUNT;

	switch (v->type) {
	case SPRT_ID:
		fxt_args_u64(a, v->name, v->number);
		break;
	case SPRT_POINTER:
		fxt_args_pointer(a, v->name, v->number);
		break;
	case SPRT_MASK:
	case SPRT_FLAGS:
		fxt_args_cstr(a, v->name, fxt_args_format(a, "0x%" PRIx64 "%s", v->number,
							  counted ? " refcount" : ""));
		break;
	case SPRT_FILTERS:
		for (unsigned int i = 0; i < 3; i++)
			if (v->number >> i & 1)
				fxt_args_cstr(a, "filter", sprt_filter_names[i]);
		break;
	default:
		if (v->text)
			fxt_args_own(a, v->name, v->text);
		break;
	}
}

static void add_heap(struct fxt_args *a, const struct sprt_heap *heap)
{
	for (int i = SPRT_HEAP_BOTTOM; i <= SPRT_HEAP_TOP; i++)
		fxt_args_pointer(a, sprt_heap_words[i].label, heap->address[i]);
	if (heap->narrow)
		fxt_args_cstr(a, "pointers", "low 32 bits only");
	for (int i = 0; i < SPRT_HEAP_NUMBERS; i++)
		fxt_args_i64(a, sprt_heap_words[SPRT_HEAP_ADDRESSES + i].label, heap->number[i]);
}

/* Keep the names that calls refer to. */
static void keep_names(struct sprt_fxt *f, const struct sprt_item *item)
{
	const struct sprt_resource *res = &item->resource;

	if (item->kind == SPRT_RESOURCE && res->id && res->id <= SPRT_RESOURCE_MAX)
		set_kind(f, res->id, res->type, res->flags & SPRT_RES_REFCOUNT);
	for (unsigned int i = 0; item->kind == SPRT_CONTEXT && i < 32; i++)
		if (item->context.id == 1u << i)
			f->contexts[i] = sprt_intern_str(&f->names, item->context.name);
}

static void write_item(struct sprt_fxt *f, const struct sprt_item *item)
{
	struct fxt_args *a = &f->args;

	if (item->kind == SPRT_CALL) {
		write_call(f, &item->call);
	} else {
		if (item->kind == SPRT_HEAP)
			add_heap(a, &item->heap);
		else
			sprt_values(item, true, add_value, a);
		write_instant(f, "metadata", sprt_kinds[item->kind].event);
	}
	keep_names(f, item);
	fxt_args_reset(a);
}

/* --- the sink ----------------------------------------------------------- */

/*
 * Set the process, and write the items that were kept because they came before it.
 */
static void start_process(struct sprt_fxt *f, const struct sprt_process *p)
{
	set_process(f, p);
	for (struct sprt_kept *at = f->waiting.first; at; at = at->next)
		write_item(f, &at->item);
	sprt_log_clear(&f->waiting);
}

static const struct sprt_process nobody = { .name = "" };

static int fxt_item(struct sink *sink, const void *p)
{
	struct sprt_fxt *f = (struct sprt_fxt *)sink;
	const struct sprt_item *item = p;

	if (item->kind == SPRT_LOG) {
		if (f->waiting.first)
			start_process(f, &nobody);
		if (f->koid)
			end_log(f);
	}
	if (item->kind == SPRT_LOG || (item->kind == SPRT_OUTPUT && f->waiting.first)) {
		sprt_log_add(&f->waiting, item);
		return out_error(f->out);
	}
	if (f->waiting.first)
		start_process(f, item->kind == SPRT_PROCESS ? &item->process :
							      &nobody);
	write_item(f, item);
	return out_error(f->out);
}

/* End the trace with the counts of input damage, which are complete only now. */
static int fxt_end(struct sink *sink)
{
	struct sprt_fxt *f = (struct sprt_fxt *)sink;
	const struct diag_kind *kind;
	uint64_t n;

	if (f->waiting.first)
		start_process(f, &nobody);
	if (f->koid)
		end_log(f);
	else
		f->koid = made_koid(f);
	for (unsigned int i = 0; (kind = diag_next(f->diag, i, &n)); i++) {
		fxt_args_cstr(&f->args, "what", kind->what);
		fxt_args_u64(&f->args, "count", n);
		write_instant(f, "metadata", "damaged input");
	}
	return out_flush(f->out);
}

static void fxt_free(struct sink *sink)
{
	struct sprt_fxt *f = (struct sprt_fxt *)sink;

	fxt_writer_free(f->w);
	sprt_log_clear(&f->waiting);
	sprt_intern_free(&f->names);
	fxt_args_free(&f->args);
	map64_clear(&f->pids);
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
	set_kind(f, 0, "unknown resource", false);
	return sprt_filter_sink(&f->sink, args);
}
