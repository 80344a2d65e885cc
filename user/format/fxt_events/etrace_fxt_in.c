// SPDX-License-Identifier: LGPL-2.1
/*
 * Source of the etrace model: reads the Fuchsia traces that etrace_fxt_out.c writes, and
 * restores exactly the events that went in.  See Documentation/fxt-mapping.md.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "format/fxt_events/etrace_fxt_format.h"
#include "format/fxt_events/etrace_fxt_in.h"
#include "format/fxt/fxt_in.h"
#include "base/xalloc.h"

/* Maximum records of known shapes that are read in one step. */
#define STEP_RECORDS 8u

static const struct diag_kind broken_file = {
	"broken places in the FXT file", DIAG_DAMAGE };
static const struct diag_kind unknown_parts = {
	"parts of the FXT file unknown to the format document", DIAG_NOTE };
static const struct diag_kind broken_events = {
	"events that cannot be made again from their records", DIAG_DAMAGE };
static const struct diag_kind nameless_tasks = {
	"events of threads without a record of their upid", DIAG_DAMAGE };
static const struct diag_kind incomplete = {
	"events with something missing or damaged", DIAG_DAMAGE };
static const struct diag_kind lost_events = {
	"events lost by the tracer", DIAG_DAMAGE };
static const struct diag_kind lost_unknown = {
	"losses of an unknown number of events", DIAG_DAMAGE };
static const struct diag_kind was_incomplete = {
	"traces incomplete when written", DIAG_DAMAGE };
/* A file without a verdict, depending on whether a process still writes it. */
static const struct diag_kind no_verdict[IN_WRITERS] = {
	[IN_WRITER_NONE] = { "FXT files ending early: cut off", DIAG_DAMAGE },
	[IN_WRITER_ANY] = { "recordings still running: this is the beginning", DIAG_DAMAGE },
	[IN_WRITER_UNKNOWN] = { "FXT files ending early: cut off, or still being written",
				DIAG_DAMAGE },
};
static const char *const no_verdict_text[IN_WRITERS] = {
	[IN_WRITER_NONE] = "the file ends early: it was cut off",
	[IN_WRITER_ANY] = "the recording has not ended: the file is still being written",
	[IN_WRITER_UNKNOWN] = "the file ends early: it was cut off, or is still being written",
};

/* Reads a complete string. Return: false if it is not in the table. */
static inline bool take_known_string(struct fxt_in *f, const struct shape_arg *arg, uint64_t ref)
{
	struct fxt_string *s = ref >> 16 ? NULL : fxt_near_string(f->r->tables, (unsigned int)ref);

	if (!s)
		return false;
	f->taken += s->len;
	if (arg->what == ARG_ERROR) {
		f->ev.error = fxt_in_error(s);
		return true;
	}
	if (!arg->slot) {
		f->path.ref = (uint16_t)ref;
		f->path.tag = s->tag;
	}
	bytes_copy(et_room(&f->ev, s->len), s->s, s->len);
	et_added_string(&f->ev, arg->slot, s->len);
	return true;
}

/* Reads a number of 64 bits. Return: false if the header is not that of such a number. */
static inline bool take_long(struct fxt_in *f, const struct shape_arg *arg, uint64_t header,
			     uint64_t v)
{
	*arg->to = (int64_t)v;
	if (arg->what == ARG_BIG && v > INT64_MAX)
		f->ev.big |= (uint16_t)(1u << arg->slot);
	return !(header >> 32);
}

/* Reads a record's arguments. Return: false if they do not match; then call forget_args(). */
static inline bool take_shape(struct fxt_in *f, const struct shape *s, const uint8_t *p)
{
	const struct shape_arg *end = s->arg + s->nargs;

	for (const struct shape_arg *arg = s->arg; arg < end; p += arg++->bytes) {
		uint64_t header = fxt_word_at(p, false), v = header >> 32;

		if ((uint32_t)header != arg->header)
			return false;
		if (arg->what == ARG_I32)
			*arg->to = (int32_t)v;
		else if (arg->what == ARG_U32)
			*arg->to = (int64_t)v;
		else if (arg->what >= ARG_STRING ?
			 !take_known_string(f, arg, v) :
			 !take_long(f, arg, header, fxt_word_at(p + 8, false)))
			return false;
	}
	f->ev.given = s->given;
	f->has = s->has;
	f->last = s->last;
	return true;
}

/* Remembers the steady values of an event, or adds those last written for its path. */
static inline void take_steady(struct fxt_in *f)
{
	unsigned int ref = f->path.ref;
	struct et_event *ev = &f->ev;

	if (!ref || !etrace_fxt_steady[ev->kind])
		return;
	if (etrace_fxt_has_values(ev)) {
		etrace_fxt_values_set(&f->values[ref], ev);
		if (!(f->path.tag & TAG_VALUES))
			fxt_tag(f->r, &f->path, f->path.tag | TAG_VALUES);
	} else if (f->path.tag & TAG_VALUES && !(ev->given & etrace_fxt_steady[ev->kind])) {
		etrace_fxt_values_give(&f->values[ref], ev);
	}
}

/* Resets the current event and its arguments; @kind: ET_K_NONE if it is not an event. */
static inline void forget_args(struct fxt_in *f, enum et_kind kind, uint64_t time)
{
	et_reset(&f->ev, kind, 0, 0, time);
	f->has = 0;
	f->argv.len = f->lines.len = f->stamps.len = 0;
	f->last = 0;
	f->hex = 0;
	f->broken = f->whole = false;
	f->taken = 0;
	f->path.ref = 0;
}

/* ---- threads ---- */

/* Index of a thread in f->threads, 0 if unknown. */
static inline size_t find_thread(struct fxt_in *f, uint64_t koid)
{
	const uint64_t *at;

	/* usually the thread of the previous event */
	if (f->known && f->known_koid == koid)
		return f->known;
	at = map64_get(&f->live, koid);
	f->known_koid = koid;
	return f->known = at ? (size_t)*at : 0;
}

/* Adds a thread to f->threads. Return: its index. */
static __attribute__((noinline)) size_t add_thread(struct fxt_in *f, uint64_t koid)
{
	size_t i = f->free_thread;

	if (i) {
		f->free_thread = f->threads[i].next_free;
	} else {
		i = f->nthreads++;
		f->threads = xgrow(f->threads, &f->threads_cap, f->nthreads, sizeof(*f->threads));
	}
	f->threads[i] = (struct thread){ 0 };
	map64_put(&f->live, koid, i);
	return i;
}

static void forget_task(struct fxt_in *f)
{
	size_t i = find_thread(f, f->koid);

	if (!i)
		return;
	map64_remove(&f->live, f->koid);
	f->threads[i].next_free = f->free_thread;
	f->free_thread = i;
	f->known = 0;
}

/* A task stays on its processor until a record names another. Return: whether it is known. */
static bool know_cpu(struct fxt_in *f, size_t thread)
{
	bool given = has_word(f, W_CPU);

	if (given && !thread)
		thread = add_thread(f, f->koid);
	if (given) {
		f->threads[thread].cpu = f->number[W_CPU];
		f->threads[thread].has_cpu = true;
	}
	f->number[W_CPU] = f->threads[thread].cpu;
	return f->threads[thread].has_cpu;
}

/* ---- an event from its arguments ---- */

static __attribute__((noinline)) bool make_lost(struct fxt_in *f)
{
	uint32_t cpu = f->ev.cpu;

	if (et_has(&f->ev, ET_V_LOST_count)) {
		uint64_t n = (uint64_t)f->ev.val[ET_V_LOST_count];

		diag_report(f->diag, &lost_events, in_name(f->in), DIAG_OFFSET, f->offset,
			    "%" PRIu64 " events lost on processor %" PRIu32, n, cpu);
		if (n)
			diag_count(f->diag, &lost_events, n - 1);
	} else {
		diag_report(f->diag, &lost_unknown, in_name(f->in), DIAG_OFFSET, f->offset,
			    "events lost on processor %" PRIu32, cpu);
	}
	return true;
}

static __attribute__((noinline)) void report_nameless(struct fxt_in *f)
{
	diag_report(f->diag, &nameless_tasks, in_name(f->in), DIAG_OFFSET, f->offset,
		    "%s of a thread without a record of its upid", et_kinds[f->ev.kind].name);
}

static __attribute__((noinline)) void report_broken(struct fxt_in *f, unsigned int kind)
{
	diag_report(f->diag, &broken_events, in_name(f->in), DIAG_OFFSET, f->offset,
		    "%s cannot be made again from its records", et_kinds[kind].name);
}

static __attribute__((noinline)) void report_incomplete(struct fxt_in *f)
{
	char text[160];

	et_finding_text(&f->ev.findings[0], text, sizeof(text));
	diag_report(f->diag, &incomplete, in_name(f->in), DIAG_OFFSET, f->offset,
		    "%s of task %" PRIu64 ": %s", et_kinds[f->ev.kind].name, f->ev.upid, text);
}

/* Return: false if the event cannot be restored. */
static inline bool complete_event(struct fxt_in *f)
{
	if (f->number[W_CPU] > UINT32_MAX)
		return false;
	f->ev.cpu = (uint32_t)f->number[W_CPU];
	return f->whole || (f->ev.kind == ET_K_LOST ? make_lost(f) : fxt_in_make_event(f));
}

/* Restores the event and passes it to the sink. */
static void finish_event(struct fxt_in *f)
{
	unsigned int kind = f->ev.kind;
	const struct thread *t;
	size_t thread;
	bool good;

	f->pending = false;
	end_hex(f);
	thread = find_thread(f, f->koid);
	good = know_cpu(f, thread);
	t = &f->threads[thread];
	f->ev.upid = kind != ET_K_LOST ? t->upid : 0;
	if (!t->has_upid && kind != ET_K_LOST && !has_word(f, W_LINES)) {
		report_nameless(f);
		return;
	}
	if (!good || !complete_event(f)) {
		report_broken(f, kind);
		return;
	}
	f->ev.place = f->offset;
	if (f->ev.nfindings)
		report_incomplete(f);
	f->err = sink_item(f->sink, &f->ev);
	if (f->ev.kind == ET_K_EXIT)
		forget_task(f);
}

/* Finishes the pending event: no more arguments follow. */
static inline void finish_pending(struct fxt_in *f)
{
	if (f->pending)
		finish_event(f);
}

/* ---- records ---- */

static void begin_event(struct fxt_in *f, const struct fxt_rec *rec, enum et_kind kind)
{
	forget_args(f, kind, rec->event.time);
	f->pending = true;
	f->koid = rec->event.thread.thread;
	f->offset = rec->offset;
	fxt_in_take_args(f, rec);
	take_steady(f);
}

/* Reads record @e if it has this shape. Return: whether it has. */
static inline bool is_shaped(struct fxt_in *f, const struct shape *s,
			     const struct fxt_plain_event *e)
{
	if (s->key != (e->header & SHAPE_KEY) || s->names != fxt_names(f->r))
		return false;
	finish_pending(f);
	if (s->kind == ET_K_NONE)
		return true;
	forget_args(f, s->kind, fxt_word_at(e->at + 8, false));
	if (!take_shape(f, s, e->at + 16))
		return false;
	f->pending = true;
	f->koid = e->koid;
	f->offset = in_offset(f->in);
	take_steady(f);
	f->whole = s->whole && (f->ev.given & s->must) == s->must;
	return true;
}

/* Reads the next record if it has a known shape. Return: whether it was read. */
static inline bool take_alike(struct fxt_in *f)
{
	struct fxt_plain_event e;
	const struct shape_set *set;

	if (!fxt_plain_event(f->r, &e))
		return false;
	set = shapes_of(f, e.header & SHAPE_KEY);
	for (const struct shape *s = set->way; s < set->way + SHAPE_WAYS; s++)
		if (is_shaped(f, s, &e)) {
			fxt_plain_taken(f->r, &e);
			return true;
		}
	return false;
}

/* Reads records about the trace as a whole. */
static void take_meta(struct fxt_in *f, const struct fxt_rec *rec, unsigned int name)
{
	forget_args(f, ET_K_NONE, 0);
	fxt_in_take_args(f, rec);
	if (name == W_HEAD) {
		if (has_word(f, W_VERSION) && f->number[W_VERSION] <= ETRACE_FXT_VERSION)
			return;
		if (has_word(f, W_VIEW))
			diag_fatal(f->diag, "%s: is a view, without all that was recorded; give the file that it was made from (its records: --from fxt-records)",
				   in_name(f->in));
		else
			diag_fatal(f->diag, "%s: was written by a newer etrace than this %s",
				   in_name(f->in), ETRACE_VERSION);
		f->err = -1;
	} else if (name == W_VERDICT) {
		f->verdict = true;
		if (!has_word(f, W_COMPLETE) || !f->number[W_COMPLETE])
			diag_report(f->diag, &was_incomplete, in_name(f->in), DIAG_OFFSET,
				    rec->offset, "the trace was incomplete when it was written");
	}
}

static void take_event(struct fxt_in *f, struct fxt_rec *rec)
{
	unsigned int category = tag_of(f, &rec->event.category) & TAG_WORD;
	unsigned int name = tag_of(f, &rec->event.name) & TAG_WORD;
	enum et_kind kind = f->words[name].kind;

	if (rec->event.type == FXT_EV_INSTANT && category == W_META && name == W_MORE) {
		/* more bytes than any event has: etrace did not write this */
		f->whole = false;
		if (f->pending && f->taken < 4 * (size_t)ET_MAX_BYTES)
			fxt_in_take_args(f, rec);
		return;
	}
	finish_pending(f);
	switch (rec->event.type) {
	case FXT_EV_INSTANT:
	case FXT_EV_DURATION_COMPLETE:
		if (kind != ET_K_NONE && category == f->category[kind]) {
			begin_event(f, rec, kind);
			if (!rec->event.has_value)
				fxt_in_learn(f, rec, kind);
		} else if (category == W_META) {
			take_meta(f, rec, name);
		} else {
			fxt_in_learn(f, rec, ET_K_NONE);
		}
		break;
	case FXT_EV_DURATION_BEGIN:
		if (category == f->category[ET_K_EXEC])
			begin_event(f, rec, ET_K_EXEC);
		else
			fxt_in_learn(f, rec, ET_K_NONE);
		break;
	case FXT_EV_DURATION_END:
		/* of an exit's records, only the one that ends it has a processor */
		begin_event(f, rec, ET_K_EXIT);
		f->pending = has_word(f, W_CPU);
		if (has_word(f, W_UNFINISHED))
			forget_task(f);
		break;
	default:
		fxt_in_learn(f, rec, ET_K_NONE);
		break;
	}
}

static void take_object(struct fxt_in *f, const struct fxt_rec *rec)
{
	if (rec->kobj.type != FXT_KOBJ_THREAD)
		return;
	finish_pending(f);
	forget_args(f, ET_K_NONE, 0);
	fxt_in_take_args(f, rec);
	if (has_word(f, W_UPID) && f->number[W_UPID] <= INT64_MAX) {
		size_t i = find_thread(f, rec->kobj.koid);

		if (!i)
			i = add_thread(f, rec->kobj.koid);
		f->threads[i].upid = f->number[W_UPID];
		f->threads[i].has_upid = true;
	}
}

static bool string_is(const struct fxt_sref *s, const char *text)
{
	return s->len == strlen(text) && !memcmp(s->s, text, s->len);
}

static void on_problem(void *ctx, enum fxt_problem p, uint64_t offset)
{
	struct fxt_in *f = ctx;

	diag_report(f->diag, fxt_problem_is_damage(p) ? &broken_file : &unknown_parts,
		    in_name(f->in), DIAG_OFFSET, offset, "%s", fxt_problem_text(p));
}

/* Whether a record introduces etrace as the provider. */
static bool is_ours(const struct fxt_rec *rec)
{
	return rec->valid && rec->type == FXT_REC_METADATA &&
	       rec->meta.type == FXT_META_PROVIDER_INFO &&
	       string_is(&rec->meta.name, ETRACE_FXT_PROVIDER);
}

static void report_early_end(struct fxt_in *f)
{
	enum in_writer writer = in_writer(in_fd(f->in));

	diag_report(f->diag, &no_verdict[writer], in_name(f->in), DIAG_NOWHERE, 0, "%s",
		    no_verdict_text[writer]);
}

/* Reads any record, or the end. */
static __attribute__((noinline)) int take_record(struct fxt_in *f)
{
	struct fxt_rec rec;

	if (!f->r)
		f->r = fxt_reader_new(f->in, on_problem, f);
	if (!f->err && fxt_next(f->r, &rec) > 0) {
		f->ours |= is_ours(&rec);
		if (rec.valid && f->ours && rec.type == FXT_REC_EVENT)
			take_event(f, &rec);
		else if (rec.valid && f->ours && rec.type == FXT_REC_KERNEL_OBJECT)
			take_object(f, &rec);
		return 1;
	}
	finish_pending(f);
	if (!f->ours)
		diag_fatal(f->diag, "%s: this FXT file was not written by etrace; it can be shown with --to json",
			   in_name(f->in));
	else if (!f->verdict && !f->err)
		report_early_end(f);
	/* err is -1 if the sink has reported the error */
	return f->err == -1 ? 0 : f->err;
}

/* Reads several records of known shapes, or one of any kind. */
static int fxt_in_step(struct source *s, struct sink *sink)
{
	struct fxt_in *f = (struct fxt_in *)s;
	unsigned int n = 0;

	f->sink = sink;
	/* a recorder flushes only between events, so the pending event is complete */
	if (f->pending && in_drained(f->in))
		finish_pending(f);
	while (n < STEP_RECORDS && f->ours && !f->err && take_alike(f))
		n++;
	return n ? 1 : take_record(f);
}

static void fxt_in_free(struct source *s)
{
	struct fxt_in *f = (struct fxt_in *)s;

	fxt_reader_free(f->r);
	map64_clear(&f->live);
	free(f->threads);
	free(f->values);
	buf_free(&f->argv);
	buf_free(&f->lines);
	buf_free(&f->stamps);
	buf_free(&f->word);
	et_fini(&f->ev);
	free(f);
}

struct source *etrace_fxt_in_open(const struct source_args *args)
{
	static const struct source_ops ops = { fxt_in_step, fxt_in_free };
	struct fxt_in *f;

	if (args->nin != 1) {
		diag_fatal(args->diag, "an FXT file is a whole trace: give one at a time");
		return NULL;
	}
	f = xcalloc(1, sizeof(*f));
	f->source.ops = &ops;
	f->in = args->in[0];
	f->diag = args->diag;
	f->values = xcalloc(FXT_MAX_STRING_INDEX + 1, sizeof(*f->values));
	f->threads = xgrow(NULL, &f->threads_cap, 1, sizeof(*f->threads));
	f->threads[f->nthreads++] = (struct thread){ 0 };
	et_init(&f->ev);
	fxt_in_make_words(f);
	return &f->source;
}

/* FXT is etrace's if etrace is a provider at the beginning of the file. */
int etrace_fxt_in_detect(const uint8_t *data, size_t n)
{
	bool magic = fxt_in_detect(data, n) != DETECT_NO;
	int score = DETECT_NO;
	struct fxt_reader *r;
	struct fxt_rec rec;
	struct in *in;

	in = in_mem(data, n, "");
	r = fxt_reader_new(in, NULL, NULL);
	while (score == DETECT_NO && fxt_next(r, &rec) > 0)
		if (is_ours(&rec))
			score = magic ? DETECT_SURE : DETECT_LIKELY;
	fxt_reader_free(r);
	in_close(in);
	return score;
}
