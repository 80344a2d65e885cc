// SPDX-License-Identifier: GPL-2.0
/*
 * Sink "fxt" of sp-rtrace logs.  What becomes what stands in
 * Documentation/sp-rtrace.md; in short: a log is a process with one thread, a
 * call is an instant, the life of a block an async span, the blocks that live
 * at a time a counter of their resource, everything else an instant of the
 * category "metadata".
 */
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fxt/fxt_write.h"
#include "import/sprtrace/sprt_filter.h"
#include "import/sprtrace/sprt_formats.h"
#include "import/sprtrace/sprt_live.h"
#include "import/sprtrace/sprt_log.h"
#include "import/sprtrace/sprt_model.h"
#include "import/sprtrace/sprt_words.h"
#include "base/utf8.h"
#include "base/xalloc.h"

#define PROVIDER	1u
#define NS_PER_SEC	1000000000ull
#define DAY_US		(24ull * 3600 * 1000000)
/* Above all pids of Linux: koids of processes whose pid is taken or unknown. */
#define KOID_MADE	(1ull << 22)
/* Names longer than that are told in an argument instead. */
#define NAME_MAX_BYTES	1024u

/* What is said of a resource, again and again. */
struct kind {
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
	int err;

	struct sprt_intern names;	/* for as long as the sink lives */
	struct sprt_arena scratch;	/* for one item */
	struct fxt_arg *args;		/* of one item */
	size_t nargs, args_cap;

	/* Items before the one that tells the process. */
	struct sprt_log *waiting;
	uint64_t koid;		/* process and thread; 0: not known yet */
	uint32_t pid;
	const char *process;	/* its name */
	struct sprt_live pids;	/* those that were used, as blocks */
	uint64_t made;		/* koids made so far */

	/* From the log's clock to that of the trace. */
	uint64_t start;		/* ns, of the log's first call */
	bool timed;		/* a call has had a time */
	bool untimed;		/* the first call had none */
	uint64_t first_us, last_us, days_us;
	uint64_t now;		/* ns, of the item before */

	struct kind kinds[SPRT_RESOURCE_MAX + 1];	/* 0: not described */
	const char *contexts[32];	/* names by bit */
	struct sprt_live live;
	uint64_t spans;		/* async ids given so far */
};

/* --- strings ------------------------------------------------------------ */

static struct fxt_str str(const char *s)
{
	return fxt_str(s, strlen(s));
}

static char *scratch(struct sprt_fxt *f, const char *s, size_t n)
{
	char *copy = sprt_arena_alloc(&f->scratch, n + 1);

	memcpy(copy, s, n);
	copy[n] = '\0';
	return copy;
}

__attribute__((format(printf, 2, 3)))
static const char *format(struct sprt_fxt *f, const char *fmt, ...)
{
	const char *kept;
	va_list ap;
	char *s;
	int n;

	va_start(ap, fmt);
	n = vasprintf(&s, fmt, ap);
	va_end(ap);
	if (n < 0)
		return "";
	kept = scratch(f, s, (size_t)n);
	free(s);
	return kept;
}

/*
 * A text as a name: UTF-8 and not too long; *@whole says whether it is all
 * there.
 */
static const char *as_name(struct sprt_fxt *f, const char *s, bool *whole)
{
	size_t n = strlen(s), cut;
	char *clean;

	*whole = true;
	if (n <= NAME_MAX_BYTES && utf8_valid(s, n))
		return s;
	*whole = false;
	clean = utf8_replace(s, n, &n);
	cut = utf8_cut(clean, n, NAME_MAX_BYTES);
	s = scratch(f, clean, cut);
	free(clean);
	return s;
}

/*
 * The same for an instant: a viewer takes those with "frame" in their names
 * for something else, so it is spelled with a capital letter.
 */
static const char *as_instant(struct sprt_fxt *f, const char *s, bool *whole)
{
	char *spelled, *at;

	s = as_name(f, s, whole);
	if (!strstr(s, "frame"))
		return s;
	*whole = false;
	spelled = scratch(f, s, strlen(s));
	for (at = spelled; (at = strstr(at, "frame")); )
		*at = 'F';
	return spelled;
}

/* --- arguments of an event ---------------------------------------------- */

static void add(struct sprt_fxt *f, struct fxt_arg arg)
{
	f->args = xgrow(f->args, &f->args_cap, f->nargs + 1, sizeof(arg));
	f->args[f->nargs++] = arg;
}

static void add_number(struct sprt_fxt *f, const char *name, uint64_t v)
{
	add(f, fxt_arg_u(str(name), v));
}

static void add_pointer(struct sprt_fxt *f, const char *name, uint64_t v)
{
	add(f, fxt_arg_ptr(str(name), v));
}

/* Text of any length: what does not fit goes on in NAME[2], NAME[3] ... */
static void add_pieces(struct sprt_fxt *f, const char *name, const char *s,
		       size_t n)
{
	for (unsigned int part = 1;; part++) {
		size_t cut = n <= FXT_MAX_STRING ? n :
			     utf8_cut(s, n, FXT_MAX_STRING);

		add(f, fxt_arg_str(part == 1 ? str(name) :
				   str(format(f, "%s[%u]", name, part)),
				   fxt_str(s, cut)));
		s += cut;
		n -= cut;
		if (!n)
			return;
	}
}

/*
 * Text of any bytes.  What is not UTF-8 is shown as far as it can be, and
 * NAME_hex has all of it.
 */
static void add_text(struct sprt_fxt *f, const char *name, const char *s)
{
	size_t n = strlen(s), clean_n;
	char *clean, *hex;

	if (utf8_valid(s, n)) {
		add_pieces(f, name, s, n);
		return;
	}
	clean = utf8_replace(s, n, &clean_n);
	add_pieces(f, name, scratch(f, clean, clean_n), clean_n);
	free(clean);
	hex = utf8_hex(s, n);
	add_pieces(f, format(f, "%s_hex", name), scratch(f, hex, 2 * n), 2 * n);
	free(hex);
}

/* --- events ------------------------------------------------------------- */

static bool same_name(const struct fxt_arg *a, const struct fxt_arg *b)
{
	return a->name.len == b->name.len &&
	       !memcmp(a->name.s, b->name.s, a->name.len);
}

/* Names within one event must differ. */
static void rename_doubles(struct sprt_fxt *f, struct fxt_arg *args, size_t n)
{
	for (size_t i = 1; i < n; i++) {
		unsigned int times = 1;

		for (size_t k = 0; k < i; k++)
			if (same_name(&args[k], &args[i])) {
				args[i].name = str(format(f, "%.*s (%u)",
						(int)args[i].name.len,
						args[i].name.s, ++times));
				k = (size_t)-1;
			}
	}
}

static void write_event(struct sprt_fxt *f, enum fxt_event_type type,
			const char *category, const char *name, uint64_t value,
			struct fxt_arg *args, size_t n)
{
	struct fxt_event ev = {
		.type = type, .time = f->now, .process = f->koid,
		.thread = f->koid, .category = str(category),
		.name = str(name), .value = value,
	};
	int err;

	rename_doubles(f, args, n);
	err = fxt_event(f->w, &ev, args, (unsigned int)n);
	if (err && !f->err)
		f->err = err;
}

/*
 * An instant with the arguments that were added; more than fit into one event
 * go into further ones behind it, all of which begin with the same first
 * argument.
 */
static void write_instant(struct sprt_fxt *f, const char *category,
			  const char *name)
{
	struct fxt_arg first = { 0 };
	const char *this_name;
	size_t n = f->nargs, at = 0;
	bool whole;

	category = as_name(f, category, &whole);
	this_name = name = as_instant(f, name, &whole);
	if (n)
		first = f->args[0];
	for (;;) {
		size_t some = n - at < FXT_MAX_ARGS ? n - at : FXT_MAX_ARGS;

		write_event(f, FXT_EV_INSTANT, category, this_name, 0,
			    f->args + at, some);
		at += some;
		if (at == n)
			break;
		this_name = format(f, "%s (more)", name);
		f->args[--at] = first;
	}
	f->nargs = 0;
}

/* --- processes ---------------------------------------------------------- */

static void name_process(struct sprt_fxt *f, const char *name)
{
	bool whole;
	int err;

	err = fxt_process_name(f->w, f->koid, str(as_name(f, name, &whole)));
	if (!err)
		err = fxt_thread_name(f->w, f->koid, f->koid,
				      FXT_STR("all threads"));
	if (err && !f->err)
		f->err = err;
}

/* A process that has no pid of its own in this trace. */
static uint64_t made_koid(struct sprt_fxt *f)
{
	return KOID_MADE + f->made++;
}

/*
 * The log's process.  A log that goes on where the one before it ended, of the
 * same process, stays with it; others that have the same pid are apart.
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

/* Sets now to the time of a call; tells once how the clocks relate. */
static void set_time(struct sprt_fxt *f, const struct sprt_call *call)
{
	uint64_t us;

	if (!call->time_us) {
		if (!f->timed && !f->untimed) {
			f->untimed = true;
			add_text(f, "clock", "calls have no time: they are shown one microsecond apart");
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
		add_number(f, "uptime_of_day_us", us);
		add_text(f, "clock", f->start ?
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

/* --- blocks ------------------------------------------------------------- */

static struct kind *kind_of(struct sprt_fxt *f, uint32_t resource)
{
	if (resource > SPRT_RESOURCE_MAX || !f->kinds[resource].type)
		resource = 0;
	return &f->kinds[resource];
}

static void set_kind(struct sprt_fxt *f, uint32_t id, const char *type,
		     bool refcounted)
{
	struct kind *k = &f->kinds[id];
	bool whole;

	/* Counters are known by their names: two must not have the same. */
	type = as_name(f, *type ? type : "unnamed", &whole);
	for (uint32_t i = 0; i <= SPRT_RESOURCE_MAX; i++)
		if (i != id && f->kinds[i].type &&
		    !strcmp(f->kinds[i].type, type)) {
			type = format(f, "%s %" PRIu32, type, id);
			i = (uint32_t)-1;
		}
	k->type = sprt_intern_str(&f->names, type);
	k->counter = sprt_intern_str(&f->names, format(f, "live %s", type));
	k->bytes = sprt_intern_str(&f->names, format(f, "%s bytes", type));
	k->blocks = sprt_intern_str(&f->names, format(f, "%s blocks", type));
	k->refcounted = refcounted;
}

static void write_counter(struct sprt_fxt *f, struct kind *k)
{
	struct fxt_arg args[] = {
		fxt_arg_u(str(k->bytes), k->live_bytes),
		fxt_arg_u(str(k->blocks), k->live_blocks),
	};

	k->any = true;
	write_event(f, FXT_EV_COUNTER, k->type, k->counter, 0, args, 2);
}

/* An End must repeat category and name of its Begin: both are kept, in one. */
static const char *span_label(struct sprt_fxt *f, const char *category,
			      const char *name)
{
	size_t a = strlen(category) + 1, b = strlen(name) + 1;
	char *both = sprt_arena_alloc(&f->scratch, a + b);

	memcpy(both, category, a);
	memcpy(both + a, name, b);
	return sprt_intern(&f->names, both, a + b);
}

/* @backtrace: argument that tells who allocated, or of type null. */
static void track_block(struct sprt_fxt *f, const struct sprt_call *call,
			struct fxt_arg backtrace)
{
	struct kind *k = kind_of(f, call->resource);
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
		name = as_name(f, *call->name ? call->name : "unnamed", &whole);
		block.label = span_label(f, k->type, name);
		if (!sprt_live_alloc(&f->live, &block, k->refcounted))
			return;
		f->spans++;
		k->live_bytes += block.amount;
		k->live_blocks++;
		write_event(f, FXT_EV_ASYNC_BEGIN, k->type, name, block.cookie,
			    args, backtrace.type == FXT_ARG_NULL ? 3 : 4);
	} else if (call->type == SPRT_CALL_FREE) {
		if (!sprt_live_release(&f->live, call->resource, call->id,
				       k->refcounted, &block))
			return;
		/* Its resource may be described otherwise by now. */
		k = &f->kinds[block.kind];
		k->live_bytes -= block.amount;
		k->live_blocks--;
		args[1].name = FXT_STR("freed_by");
		/* Damaged times must not end it before it begins. */
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

/* What lives when a log ends has leaked, or was in use. */
static void end_log(struct sprt_fxt *f)
{
	for (uint32_t i = 0; i <= SPRT_RESOURCE_MAX; i++) {
		struct kind *k = &f->kinds[i];

		if (k->any) {
			add_number(f, "blocks", k->live_blocks);
			add_number(f, "bytes", k->live_bytes);
			add_text(f, "resource", k->type);
			write_instant(f, k->type, "never freed");
		}
	}
	memset(f->kinds, 0, sizeof(f->kinds));
	memset(f->contexts, 0, sizeof(f->contexts));
	sprt_live_free(&f->live);
	set_kind(f, 0, "unknown resource", false);
	f->timed = f->untimed = false;
	f->start = f->now;
	f->days_us = 0;
}

/* --- calls -------------------------------------------------------------- */

static void add_contexts(struct sprt_fxt *f, uint32_t mask)
{
	const char *names = "";

	if (!mask)
		return;
	add_text(f, "context", format(f, "0x%" PRIx32, mask));
	for (unsigned int i = 0; i < 32; i++)
		if (mask >> i & 1 && f->contexts[i])
			names = format(f, "%s%s%s", names, *names ? ", " : "",
				       f->contexts[i]);
	if (*names)
		add_text(f, "context_names", names);
}

static void add_arguments(struct sprt_fxt *f, const struct sprt_call *call)
{
	for (uint32_t i = 0; i < call->nargs; i++) {
		const struct sprt_arg *arg = &call->args[i];
		bool whole;
		const char *name = as_name(f, arg->name, &whole);

		if (whole)
			add_text(f, format(f, "$%s", name), arg->value);
		else
			add_text(f, format(f, "$%" PRIu32, i + 1),
				 format(f, "%s = %s", arg->name, arg->value));
	}
}

/* One text, a line for each frame: equal backtraces are equal strings. */
static void add_backtrace(struct sprt_fxt *f, const struct sprt_call *call)
{
	size_t n = 0, len = 0;
	char *text;

	if (!call->nframes)
		return;
	for (uint32_t i = 0; i < call->nframes; i++)
		n += 20 + (call->resolved && call->resolved[i] ?
			   strlen(call->resolved[i]) + 1 : 0);
	text = sprt_arena_alloc(&f->scratch, n + 1);
	for (uint32_t i = 0; i < call->nframes; i++) {
		const char *name = call->resolved ? call->resolved[i] : NULL;

		len += (size_t)snprintf(text + len, n + 1 - len,
					"%s0x%" PRIx64 "%s%s", i ? "\n" : "",
					call->frames[i], name ? " " : "",
					name ? name : "");
	}
	add_text(f, "backtrace", text);
}

static void write_call(struct sprt_fxt *f, const struct sprt_call *call)
{
	static const char *const types[] = {
		[SPRT_CALL_UNDEFINED] = "undefined", [SPRT_CALL_FREE] = "free",
		[SPRT_CALL_ALLOC] = "allocation",
	};
	struct fxt_arg backtrace = { .type = FXT_ARG_NULL };
	struct kind *k = kind_of(f, call->resource);
	size_t before;
	bool whole;

	set_time(f, call);
	add_number(f, "number", call->number);
	add_text(f, "type", call->type <= SPRT_CALL_ALLOC ? types[call->type] :
			    format(f, "%" PRIu32, call->type));
	add_pointer(f, "id", call->id);
	if (call->type != SPRT_CALL_FREE || call->size)
		add_number(f, "size", sprt_call_amount(call));
	if (k == f->kinds)
		add_number(f, "resource", call->resource);
	add_contexts(f, call->context);
	as_instant(f, call->name, &whole);
	if (!whole)
		add_text(f, "function", call->name);
	add_arguments(f, call);
	before = f->nargs;
	add_backtrace(f, call);
	if (f->nargs > before)
		backtrace = f->args[before];
	write_instant(f, k->type, *call->name ? call->name : "unnamed");
	track_block(f, call, backtrace);
}

/* --- everything else ---------------------------------------------------- */

static void write_log(struct sprt_fxt *f, const struct sprt_log_start *log)
{
	add_text(f, "source", log->text ? "text" : "binary");
	add_text(f, "version", format(f, "%u.%u", log->major, log->minor));
	add_text(f, "arch", log->arch);
	if (!log->text) {
		add_text(f, "byte_order", log->big_endian ? "big" : "little");
		add_number(f, "pointer_size", log->ptr_size);
	}
	for (unsigned int i = 0; i < 3; i++)
		if (log->filters >> i & 1)
			add_text(f, "filter", sprt_filter_names[i]);
	if (*log->origin)
		add_text(f, "origin", log->origin);
	write_instant(f, "metadata", "log");
}

static void write_process(struct sprt_fxt *f, const struct sprt_process *p)
{
	add_number(f, "pid", p->pid);
	add_text(f, "name", p->name);
	if (p->has_time)
		add_text(f, "time", format(f, "%" PRId64 ".%06" PRIu32, p->sec,
					   p->usec));
	if (p->has_depth)
		add_number(f, "backtrace_depth", p->depth);
	write_instant(f, "metadata", "process");
}

static void write_resource(struct sprt_fxt *f, const struct sprt_resource *res)
{
	add_number(f, "id", res->id);
	add_text(f, "type", res->type);
	add_text(f, "description", res->desc);
	add_text(f, "flags", format(f, "0x%" PRIx32 "%s", res->flags,
				    res->flags & SPRT_RES_REFCOUNT ?
				    " refcount" : ""));
	write_instant(f, "metadata", "resource");
	if (res->id && res->id <= SPRT_RESOURCE_MAX)
		set_kind(f, res->id, res->type, res->flags & SPRT_RES_REFCOUNT);
}

static void write_context(struct sprt_fxt *f, const struct sprt_context *c)
{
	add_text(f, "id", format(f, "0x%" PRIx32, c->id));
	add_text(f, "name", c->name);
	write_instant(f, "metadata", "context");
	for (unsigned int i = 0; i < 32; i++)
		if (c->id == 1u << i)
			f->contexts[i] = sprt_intern_str(&f->names, c->name);
}

static void write_heap(struct sprt_fxt *f, const struct sprt_heap *heap)
{
	add_pointer(f, "heap bottom", heap->bottom);
	add_pointer(f, "heap top", heap->top);
	if (heap->narrow)
		add_text(f, "pointers", "low 32 bits only");
	for (int i = 0; i < SPRT_HEAP_NWORDS; i++) {
		const struct sprt_heap_word *word = &sprt_heap_words[i];

		if (word->value >= 0)
			add(f, fxt_arg_i(str(word->label),
					 heap->value[word->value]));
	}
	write_instant(f, "metadata", "heap");
}

static void write_pair(struct sprt_fxt *f, const char *event, const char *a,
		       const char *a_value, const char *b, const char *b_value)
{
	if (a_value)
		add_text(f, a, a_value);
	if (b_value)
		add_text(f, b, b_value);
	write_instant(f, "metadata", event);
}

static void write_item(struct sprt_fxt *f, const struct sprt_item *item)
{
	switch (item->kind) {
	case SPRT_LOG:
		write_log(f, &item->log);
		break;
	case SPRT_PROCESS:
		write_process(f, &item->process);
		break;
	case SPRT_MODULE:
		add_text(f, "id", format(f, "0x%" PRIx32, item->module.id));
		add_text(f, "name", item->module.name);
		add_text(f, "version", format(f, "%u.%u", item->module.major,
					      item->module.minor));
		write_instant(f, "metadata", "module");
		break;
	case SPRT_MAP:
		add_text(f, "path", item->map.path);
		add_pointer(f, "from", item->map.from);
		add_pointer(f, "to", item->map.to);
		write_instant(f, "metadata", "map");
		break;
	case SPRT_RESOURCE:
		write_resource(f, &item->resource);
		break;
	case SPRT_CONTEXT:
		write_context(f, &item->context);
		break;
	case SPRT_CALL:
		write_call(f, &item->call);
		break;
	case SPRT_HEAP:
		write_heap(f, &item->heap);
		break;
	case SPRT_FILE:
		write_pair(f, "attachment", "name", item->file.name, "path",
			   item->file.path);
		break;
	case SPRT_OUTPUT:
		write_pair(f, "output", "directory", item->output.dir,
			   "options", item->output.options);
		break;
	case SPRT_LIBRARY:
		write_pair(f, "library", "name", item->library, NULL, NULL);
		break;
	case SPRT_COMMENT:
		write_pair(f, "comment", "text", item->comment, NULL, NULL);
		break;
	}
	sprt_arena_reset(&f->scratch);
}

/* --- the sink ----------------------------------------------------------- */

/*
 * A log begins with packets that come before the one that names the process;
 * they wait for it.
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

/* The end, and what was wrong with the input: its counts are complete then. */
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
		add_text(f, "what", kind->what);
		add_number(f, "count", n);
		write_instant(f, "metadata", "damaged input");
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
	sprt_arena_free(&f->scratch);
	sprt_live_free(&f->pids);
	sprt_live_free(&f->live);
	free(f->args);
	free(f);
}

struct sink *sprt_fxt_open(const struct sink_args *args)
{
	static const struct sink_ops ops = { fxt_item, fxt_end, fxt_free };
	struct sprt_fxt *f = xcalloc(1, sizeof(*f));

	f->sink.ops = &ops;
	f->diag = args->diag;
	f->out = args->out;
	f->w = fxt_writer_new(f->out);
	fxt_magic(f->w);
	fxt_provider_info(f->w, PROVIDER, FXT_STR("sp-rtrace"));
	fxt_init(f->w, NS_PER_SEC);
	/* A consumer loses the names of threads if it is not the first. */
	fxt_pin(f->w, FXT_STR("process"));
	set_kind(f, 0, "unknown resource", false);
	return sprt_filter_sink(&f->sink, args);
}
