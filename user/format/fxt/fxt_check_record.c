// SPDX-License-Identifier: LGPL-2.1
/* The rules of --check for single FXT records.  See fxt_check_rules.h. */
#include "format/fxt/fxt_check_rules.h"
#include "base/hash.h"
#include "base/map64.h"
#include "base/utf8.h"
#include "base/xalloc.h"

#include <stdlib.h>
#include <string.h>

#define TICKS		1000000000u

struct fxt_check_records {
	fxt_broken_fn fn;
	void *ctx;
	struct fxt_check_time *time;	/* the caller's */
	bool strings_begun;
	struct map64 providers;		/* id to flags PROVIDER_* */
	struct map64 counter_args;	/* hash of an argument's name to hash of its counter */
	struct map64 threads;		/* koids that have a kernel object record */
	struct map64 switched;		/* koid of a thread to the offset of a context switch */
};

#define PROVIDER_INTRODUCED	1u
#define PROVIDER_INIT		2u
#define PROVIDER_TIMED		4u

static void report_broken(const struct fxt_check_records *c, enum fxt_rule rule, uint64_t offset,
			  const char *detail)
{
	c->fn(c->ctx, rule, offset, detail);
}

/* ---- words and strings ---- */

static void check_padding(struct fxt_check_records *c, const struct fxt_rec *rec, const void *stream,
			  size_t len)
{
	const uint8_t *p = stream;
	size_t end = 8 * (size_t)fxt_stream_words(len);

	for (size_t i = len; i < end; i++) {
		if (p[i]) {
			report_broken(c, RULE_PADDING, rec->offset + (uint64_t)(p + i - rec->raw),
				      NULL);
			return;
		}
	}
}

/* Checks the bytes of any string. */
static void check_text(struct fxt_check_records *c, const struct fxt_rec *rec, const char *s, size_t len)
{
	if (memchr(s, 0, len))
		report_broken(c, RULE_NUL, rec->offset, NULL);
	else if (!utf8_valid(s, len))
		report_broken(c, RULE_UTF8, rec->offset, NULL);
	if (len > FXT_MAX_STRING)
		report_broken(c, RULE_STRING_LENGTH, rec->offset, NULL);
	check_padding(c, rec, s, len);
}

/* Number of words that a string takes in the record. */
static unsigned int inline_words(const struct fxt_sref *s)
{
	return s->ref & 0x8000 ? fxt_stream_words(s->len) : 0;
}

static void check_string(struct fxt_check_records *c, const struct fxt_rec *rec, const struct fxt_sref *s)
{
	if (!(s->ref & 0x8000))
		return;
	report_broken(c, RULE_INLINE, rec->offset, "string");
	check_text(c, rec, s->s, s->len);
}

static void check_words(struct fxt_check_records *c, const struct fxt_rec *rec, unsigned int words)
{
	if (rec->words != words)
		report_broken(c, RULE_PARTS, rec->offset, "words are left over");
}

/* ---- koids and times ---- */

static void check_koid(struct fxt_check_records *c, uint64_t koid, uint64_t offset)
{
	if (!koid)
		report_broken(c, RULE_KOID_0, offset, NULL);
	else if (koid >> 32)
		report_broken(c, RULE_KOID_32, offset, NULL);
}

static void check_thread(struct fxt_check_records *c, const struct fxt_rec *rec, const struct fxt_tref *t,
			 bool has_thread)
{
	if (!t->ref)
		report_broken(c, RULE_INLINE, rec->offset, "thread");
	if (t->undefined)
		return;
	check_koid(c, t->process, rec->offset);
	if (has_thread)
		check_koid(c, t->thread, rec->offset);
}

static uint64_t *provider_flags(struct fxt_check_records *c, uint32_t provider)
{
	if (!map64_get(&c->providers, provider))
		map64_put(&c->providers, provider, 0);
	return map64_get(&c->providers, provider);
}

static void check_time(struct fxt_check_records *c, const struct fxt_rec *rec, uint64_t time)
{
	uint64_t *flags = provider_flags(c, rec->provider);

	if (!(*flags & (PROVIDER_INIT | PROVIDER_TIMED)))
		report_broken(c, RULE_INIT, rec->offset, "there is none");
	*flags |= PROVIDER_TIMED;
	if (time >> 63)
		report_broken(c, RULE_TIME_63, rec->offset, NULL);
}

/* ---- arguments ---- */

static uint64_t hash_text(const struct fxt_sref *s)
{
	return hash_bytes(s->s, s->len);
}

static bool same_text(const struct fxt_sref *a, const struct fxt_sref *b)
{
	return a->len == b->len && !memcmp(a->s, b->s, a->len);
}

static void check_arg(struct fxt_check_records *c, const struct fxt_rec *rec, const struct fxt_rarg *a)
{
	unsigned int words = 1 + inline_words(&a->name);

	check_string(c, rec, &a->name);
	switch (a->type) {
	case FXT_ARG_NULL:
	case FXT_ARG_I32:
	case FXT_ARG_U32:
	case FXT_ARG_BOOL:
		break;
	case FXT_ARG_BLOB:
		check_padding(c, rec, a->blob.data, a->blob.len);
		words += fxt_stream_words(a->blob.len);
		break;
	case FXT_ARG_STRING:
		check_string(c, rec, &a->str);
		words += inline_words(&a->str);
		break;
	case FXT_ARG_U64:
		if (a->u64 >> 63)
			report_broken(c, RULE_UNSIGNED_63, a->offset, NULL);
		/* fallthrough */
	case FXT_ARG_I64:
	case FXT_ARG_F64:
	case FXT_ARG_POINTER:
	case FXT_ARG_KOID:
		words++;
		break;
	default:	/* reported as a problem */
		return;
	}
	if (a->words != words)
		report_broken(c, RULE_PARTS, a->offset, "words are left over in an argument");
}

static void check_args(struct fxt_check_records *c, const struct fxt_item *item)
{
	const struct fxt_rec *rec = item->rec;

	for (unsigned int i = 0; i < item->nargs; i++) {
		check_arg(c, rec, &item->args[i]);
		for (unsigned int k = 0; k < i; k++)
			if (!item->args[i].name.undefined && !item->args[k].name.undefined &&
			    same_text(&item->args[i].name, &item->args[k].name)) {
				report_broken(c, RULE_ARGUMENT_NAMES, item->args[i].offset, NULL);
				break;
			}
	}
	if (item->nargs == rec->nargs && item->arg_words != rec->arg_words)
		report_broken(c, RULE_PARTS, rec->offset, "words are left over");
}

/* ---- records ---- */

static void check_metadata(struct fxt_check_records *c, const struct fxt_rec *rec)
{
	uint64_t *flags;

	switch (rec->meta.type) {
	case FXT_META_PROVIDER_INFO:
		check_words(c, rec, 1 + fxt_stream_words(rec->meta.name.len));
		check_text(c, rec, rec->meta.name.s, rec->meta.name.len);
		flags = provider_flags(c, rec->meta.provider);
		if (*flags & PROVIDER_INTRODUCED)
			report_broken(c, RULE_PROVIDER_AGAIN, rec->offset, NULL);
		*flags |= PROVIDER_INTRODUCED;
		break;
	case FXT_META_PROVIDER_SECTION:
		check_words(c, rec, 1);
		if (!(*provider_flags(c, rec->meta.provider) & PROVIDER_INTRODUCED))
			report_broken(c, RULE_PROVIDER_UNKNOWN, rec->offset, NULL);
		break;
	case FXT_META_PROVIDER_EVENT:
		check_words(c, rec, 1);
		if (rec->meta.event != FXT_PROVIDER_EVENT_BUFFER_FULL)
			report_broken(c, RULE_UNKNOWN_TYPE, rec->offset, "provider event");
		break;
	case FXT_META_TRACE_INFO:
		/* The decoder reports other types as a problem. */
		if (!rec->meta.info_type && rec->header != FXT_MAGIC)
			report_broken(c, RULE_MAGIC, rec->offset,
				      "this one is not the number of the document");
		break;
	default:	/* reported as a problem */
		break;
	}
}

static void check_init(struct fxt_check_records *c, const struct fxt_rec *rec)
{
	check_words(c, rec, 2);
	*provider_flags(c, rec->provider) |= PROVIDER_INIT;
	if (rec->init.ticks != TICKS)
		report_broken(c, RULE_INIT, rec->offset, "the ticks are others");
}

static void check_string_record(struct fxt_check_records *c, const struct fxt_rec *rec)
{
	check_words(c, rec, 1 + fxt_stream_words(rec->string.len));
	check_text(c, rec, rec->string.s, rec->string.len);
	if (!rec->string.index)
		report_broken(c, RULE_INDEX_0, rec->offset, "string");
	if (!c->strings_begun &&
	    (rec->string.len != 7 || memcmp(rec->string.s, "process", 7)))
		report_broken(c, RULE_PROCESS_FIRST, rec->offset, NULL);
	c->strings_begun = true;
}

static void check_thread_record(struct fxt_check_records *c, const struct fxt_rec *rec)
{
	check_words(c, rec, 3);
	if (!rec->thread.index)
		report_broken(c, RULE_INDEX_0, rec->offset, "thread");
	/* Both are 0 for the idle thread, which a context switch may refer to. */
	if (rec->thread.process || rec->thread.thread) {
		check_koid(c, rec->thread.process, rec->offset);
		check_koid(c, rec->thread.thread, rec->offset);
	}
}

/* Each counter must be distinguishable by the names of its arguments. */
static void check_counter(struct fxt_check_records *c, const struct fxt_item *item)
{
	const struct fxt_rec *rec = item->rec;
	uint64_t counter = hash_two(hash_text(&rec->event.name), rec->event.value);

	for (unsigned int i = 0; i < item->nargs; i++) {
		const struct fxt_rarg *a = &item->args[i];
		uint64_t name = hash_text(&a->name);
		const uint64_t *other = map64_get(&c->counter_args, name);

		if (a->type < FXT_ARG_I32 || a->type > FXT_ARG_F64) {
			report_broken(c, RULE_COUNTER_VALUES, a->offset, NULL);
			continue;
		}
		if (other && *other != counter)
			report_broken(c, RULE_COUNTER_NAMES, a->offset, NULL);
		else if (!other)
			map64_put(&c->counter_args, name, counter);
	}
}

static void check_event(struct fxt_check_records *c, const struct fxt_item *item)
{
	const struct fxt_rec *rec = item->rec;
	struct fxt_timed e = {
		.time = rec->event.time,
		.offset = rec->offset,
		.process = rec->event.thread.process,
		.thread = rec->event.thread.thread,
		.value = rec->event.value,
		.names = hash_two(hash_text(&rec->event.category), hash_text(&rec->event.name)),
		.type = (enum fxt_event_type)rec->event.type,
	};

	check_time(c, rec, rec->event.time);
	check_thread(c, rec, &rec->event.thread, true);
	check_string(c, rec, &rec->event.category);
	check_string(c, rec, &rec->event.name);
	if (rec->event.type >= FXT_EV_COUNT)
		return;
	if (rec->event.type == FXT_EV_DURATION_COMPLETE && rec->event.value >> 63)
		report_broken(c, RULE_TIME_63, rec->offset, "end time");
	if (rec->event.type == FXT_EV_INSTANT &&
	    memmem(rec->event.name.s, rec->event.name.len, "frame", 5))
		report_broken(c, RULE_INSTANT_FRAME, rec->offset, NULL);
	if (rec->event.type == FXT_EV_COUNTER)
		check_counter(c, item);
	if (!rec->event.thread.undefined)
		fxt_check_time_add(c->time, &e);
}

static void check_blob(struct fxt_check_records *c, const struct fxt_rec *rec)
{
	check_string(c, rec, &rec->blob.name);
	check_padding(c, rec, rec->blob.data, rec->blob.len);
	check_words(c, rec, 1 + inline_words(&rec->blob.name) + fxt_stream_words(rec->blob.len));
	if (rec->blob.type == FXT_BLOB_PERFETTO)
		report_broken(c, RULE_BLOB_3, rec->offset, NULL);
}

static void check_userspace_object(struct fxt_check_records *c, const struct fxt_rec *rec)
{
	check_thread(c, rec, &rec->uobj.process, false);
	check_string(c, rec, &rec->uobj.name);
}

static bool is_process_arg(const struct fxt_item *item)
{
	const struct fxt_rarg *a = item->args;

	return item->nargs && a->type == FXT_ARG_KOID && a->name.len == 7 &&
	       !memcmp(a->name.s, "process", 7);
}

static void check_kernel_object(struct fxt_check_records *c, const struct fxt_item *item)
{
	const struct fxt_rec *rec = item->rec;

	check_string(c, rec, &rec->kobj.name);
	if (rec->kobj.type == FXT_KOBJ_PROCESS || rec->kobj.type == FXT_KOBJ_THREAD)
		check_koid(c, rec->kobj.koid, rec->offset);
	if (rec->kobj.type != FXT_KOBJ_THREAD)
		return;
	if (!is_process_arg(item)) {
		report_broken(c, RULE_THREAD_NAME, rec->offset, NULL);
		return;
	}
	check_koid(c, item->args[0].u64, item->args[0].offset);
	map64_put(&c->threads, rec->kobj.koid, 1);
	map64_remove(&c->switched, rec->kobj.koid);
}

static void check_switched(struct fxt_check_records *c, const struct fxt_rec *rec, uint64_t koid)
{
	if (!map64_get(&c->threads, koid) && !map64_get(&c->switched, koid))
		map64_put(&c->switched, koid, rec->offset);
}

/* Checks one side of a legacy switch; the idle thread has koids 0 and priority 0. */
static void check_side(struct fxt_check_records *c, const struct fxt_rec *rec, const struct fxt_tref *t,
		       unsigned int priority)
{
	if (!t->undefined && !t->process && !t->thread) {
		if (!t->ref)
			report_broken(c, RULE_INLINE, rec->offset, "thread");
		if (priority)
			report_broken(c, RULE_KOID_0, rec->offset, "idle has the priority 0");
		return;
	}
	check_thread(c, rec, t, true);
	if (!t->undefined)
		check_switched(c, rec, t->thread);
}

/* Checks a thread given by its koid alone; 0 is the idle thread. */
static void check_sched_thread(struct fxt_check_records *c, const struct fxt_rec *rec, uint64_t koid)
{
	if (!koid)
		return;
	check_koid(c, koid, rec->offset);
	check_switched(c, rec, koid);
}

static void check_scheduling(struct fxt_check_records *c, const struct fxt_item *item)
{
	const struct fxt_rec *rec = item->rec;
	const struct fxt_tref *out = &rec->sched.out, *in = &rec->sched.in;

	if (!fxt_sched_names[rec->sched.kind])
		return;		/* reported as a problem */
	check_time(c, rec, rec->sched.time);
	if (rec->sched.kind == FXT_SCHED_LEGACY_SWITCH) {
		check_side(c, rec, out, rec->sched.out_priority);
		check_side(c, rec, in, rec->sched.in_priority);
		check_words(c, rec, 2 + (out->ref ? 0 : 2) + (in->ref ? 0 : 2));
	} else {
		check_sched_thread(c, rec, out->thread);
		check_sched_thread(c, rec, in->thread);
		check_args(c, item);
	}
	if (rec->sched.kind != FXT_SCHED_WAKEUP &&
	    (rec->sched.out_state == FXT_THREAD_RUNNING ||
	     rec->sched.out_state > FXT_THREAD_DEAD))
		report_broken(c, RULE_SWITCH_STATE, rec->offset, NULL);
}

static void check_profiler(struct fxt_check_records *c, const struct fxt_rec *rec)
{
	unsigned int words = 2 + (rec->prof.thread.ref ? 0 : 2);

	if (rec->prof.kind > FXT_PROF_BACKTRACE)
		return;		/* reported as a problem */
	check_time(c, rec, rec->prof.time);
	check_thread(c, rec, &rec->prof.thread, true);
	switch (rec->prof.kind) {
	case FXT_PROF_MODULE:
		check_text(c, rec, rec->prof.name.s, rec->prof.name.len);
		check_padding(c, rec, rec->prof.build_id.s, rec->prof.build_id.len);
		words += fxt_stream_words(rec->prof.name.len) +
			 fxt_stream_words(rec->prof.build_id.len);
		break;
	case FXT_PROF_MMAP:
		words += 3;
		break;
	case FXT_PROF_BACKTRACE:
		words += rec->prof.nframes;
		break;
	}
	check_words(c, rec, words);
}

static void check_large(struct fxt_check_records *c, const struct fxt_item *item)
{
	const struct fxt_rec *rec = item->rec;

	if (!rec->large.known)
		return;
	check_string(c, rec, &rec->large.category);
	check_string(c, rec, &rec->large.name);
	if (rec->large.format == FXT_LARGE_BLOB_EVENT) {
		check_time(c, rec, rec->large.time);
		check_thread(c, rec, &rec->large.thread, true);
		check_args(c, item);
	}
}

static void check_log(struct fxt_check_records *c, const struct fxt_rec *rec)
{
	check_time(c, rec, rec->log.time);
	check_thread(c, rec, &rec->log.thread, true);
	check_text(c, rec, rec->log.s, rec->log.len);
	check_words(c, rec, 2 + (rec->log.thread.ref ? 0 : 2) + fxt_stream_words(rec->log.len));
}

void fxt_check_records_add(struct fxt_check_records *c, const struct fxt_item *item)
{
	const struct fxt_rec *rec = item->rec;

	if (rec->type == FXT_REC_LARGE)
		report_broken(c, RULE_RECORD_15, rec->offset, NULL);
	if (!rec->valid)
		return;		/* reported as a problem */
	switch (rec->type) {
	case FXT_REC_METADATA:
		check_metadata(c, rec);
		break;
	case FXT_REC_INIT:
		check_init(c, rec);
		break;
	case FXT_REC_STRING:
		check_string_record(c, rec);
		break;
	case FXT_REC_THREAD:
		check_thread_record(c, rec);
		break;
	case FXT_REC_EVENT:
		check_event(c, item);
		check_args(c, item);
		break;
	case FXT_REC_BLOB:
		check_blob(c, rec);
		break;
	case FXT_REC_USERSPACE_OBJECT:
		check_userspace_object(c, rec);
		check_args(c, item);
		break;
	case FXT_REC_KERNEL_OBJECT:
		check_kernel_object(c, item);
		check_args(c, item);
		break;
	case FXT_REC_SCHEDULING:
		check_scheduling(c, item);
		break;
	case FXT_REC_LOG:
		check_log(c, rec);
		break;
	case FXT_REC_PROFILER:
		check_profiler(c, rec);
		break;
	case FXT_REC_LARGE:
		check_large(c, item);
		break;
	default:
		report_broken(c, RULE_UNKNOWN_TYPE, rec->offset, "record");
		break;
	}
}

struct fxt_check_records *fxt_check_records_new(fxt_broken_fn fn, void *ctx,
						struct fxt_check_time *time)
{
	struct fxt_check_records *c = xcalloc(1, sizeof(*c));

	c->fn = fn;
	c->ctx = ctx;
	c->time = time;
	return c;
}

void fxt_check_records_end(struct fxt_check_records *c)
{
	struct map64_slot *switched = map64_sorted(&c->switched, map64_by_value);

	for (size_t i = 0; i < c->switched.n; i++)
		report_broken(c, RULE_SWITCH_THREAD, switched[i].value, NULL);
	free(switched);
}

void fxt_check_records_free(struct fxt_check_records *c)
{
	if (!c)
		return;
	map64_clear(&c->providers);
	map64_clear(&c->counter_args);
	map64_clear(&c->threads);
	map64_clear(&c->switched);
	free(c);
}
