// SPDX-License-Identifier: LGPL-2.1
/* Prints FXT records as JSON, one object each, with the names of the format document. */
#include "format/fxt/fxt_in.h"
#include "io/json_out.h"
#include "base/xalloc.h"

#include <stdio.h>
#include <stdlib.h>

struct fxt_json {
	struct sink base;
	struct json j;
};

static const char *const metadata_names[16] = {
	[FXT_META_PROVIDER_INFO] = "provider info",
	[FXT_META_PROVIDER_SECTION] = "provider section",
	[FXT_META_PROVIDER_EVENT] = "provider event",
	[FXT_META_TRACE_INFO] = "trace info",
};

/* The document's names for the last word of some events. */
static const char *const value_names[16] = {
	[FXT_EV_COUNTER] = "counter_id",
	[FXT_EV_DURATION_COMPLETE] = "end_time",
	[FXT_EV_ASYNC_BEGIN] = "async_correlation_id",
	[FXT_EV_ASYNC_INSTANT] = "async_correlation_id",
	[FXT_EV_ASYNC_END] = "async_correlation_id",
	[FXT_EV_FLOW_BEGIN] = "flow_correlation_id",
	[FXT_EV_FLOW_STEP] = "flow_correlation_id",
	[FXT_EV_FLOW_END] = "flow_correlation_id",
};

static const char *const arg_names[16] = {
	[FXT_ARG_NULL] = "null",
	[FXT_ARG_I32] = "int32",
	[FXT_ARG_U32] = "uint32",
	[FXT_ARG_I64] = "int64",
	[FXT_ARG_U64] = "uint64",
	[FXT_ARG_F64] = "double",
	[FXT_ARG_STRING] = "string",
	[FXT_ARG_POINTER] = "pointer",
	[FXT_ARG_KOID] = "koid",
	[FXT_ARG_BOOL] = "boolean",
	[FXT_ARG_BLOB] = "blob",
};

static const char *const blob_names[16] = {
	[FXT_BLOB_DATA] = "data",
	[FXT_BLOB_LAST_BRANCH] = "last branch records",
	[FXT_BLOB_PERFETTO] = "perfetto",
};

static const char *const prof_names[16] = {
	[FXT_PROF_MODULE] = "module",
	[FXT_PROF_MMAP] = "mmap",
	[FXT_PROF_BACKTRACE] = "backtrace",
};

static const char *const large_names[16] = {
	[FXT_LARGE_BLOB] = "blob",
};

static const char *const state_names[16] = {
	[FXT_THREAD_NEW] = "new",
	[FXT_THREAD_RUNNING] = "running",
	[FXT_THREAD_SUSPENDED] = "suspended",
	[FXT_THREAD_BLOCKED] = "blocked",
	[FXT_THREAD_DYING] = "dying",
	[FXT_THREAD_DEAD] = "dead",
};

/* Writes a four-bit number of the document by its name, or "unknown" and the number. */
static void put_named(struct json *j, const char *key, const char *const names[16],
		      unsigned int n)
{
	json_member(j, key, names[n] ? names[n] : "unknown");
	if (names[n])
		return;
	json_key(j, "type_number");
	json_u64(j, n);
}

/* Writes a string with its ref: 0 (empty), an index, or inline with a length. */
static void put_string(struct json *j, const char *key, const struct fxt_sref *s)
{
	char ref[32];

	if (s->undefined) {
		json_key(j, key);
		json_null(j);
	} else {
		json_text(j, key, s->s, s->len);
	}
	snprintf(ref, sizeof(ref), "%s_ref", key);
	json_key(j, ref);
	if (s->ref & 0x8000)
		json_cstr(j, "inline");
	else
		json_u64(j, s->ref);
}

static void put_thread(struct json *j, const char *key, const struct fxt_tref *t, bool process_only)
{
	json_key(j, key);
	json_begin(j, '{');
	json_key(j, "ref");
	if (t->ref)
		json_u64(j, t->ref);
	else
		json_cstr(j, "inline");
	if (!t->undefined) {
		json_member_u64(j, "process", t->process);
		if (!process_only)
			json_member_u64(j, "thread", t->thread);
	}
	json_end(j, '}');
}

static void put_arg(struct json *j, const struct fxt_rarg *a)
{
	json_begin(j, '{');
	put_string(j, "name", &a->name);
	put_named(j, "type", arg_names, a->type);
	switch (a->type) {
	case FXT_ARG_NULL:
		break;
	case FXT_ARG_STRING:
		put_string(j, "value", &a->str);
		break;
	case FXT_ARG_I32:
		json_key(j, "value");
		json_i64(j, a->i32);
		break;
	case FXT_ARG_U32:
		json_member_u64(j, "value", a->u32);
		break;
	case FXT_ARG_I64:
		json_key(j, "value");
		json_i64(j, a->i64);
		break;
	case FXT_ARG_U64:
	case FXT_ARG_KOID:
		json_member_u64(j, "value", a->u64);
		break;
	case FXT_ARG_F64:
		json_key(j, "value");
		json_f64(j, a->f64);
		break;
	case FXT_ARG_POINTER:
		json_member_addr(j, "value", a->u64);
		break;
	case FXT_ARG_BOOL:
		json_key(j, "value");
		json_bool(j, a->b);
		break;
	case FXT_ARG_BLOB:
		json_key(j, "value");
		json_hex(j, a->blob.data, a->blob.len);
		break;
	default:
		json_key(j, "data");
		json_hex(j, a->raw, 8ull * a->words);
		break;
	}
	json_end(j, '}');
}

/* Writes the bytes of a record whose content the document does not define. */
static void put_bytes(struct json *j, const struct fxt_rec *rec)
{
	json_key(j, "data");
	json_hex(j, rec->raw, 8ull * rec->words);
}

static void put_metadata(struct json *j, const struct fxt_rec *rec)
{
	put_named(j, "metadata", metadata_names, rec->meta.type);
	switch (rec->meta.type) {
	case FXT_META_PROVIDER_INFO:
		json_member_u64(j, "provider_id", rec->meta.provider);
		json_text(j, "name", rec->meta.name.s, rec->meta.name.len);
		break;
	case FXT_META_PROVIDER_SECTION:
		json_member_u64(j, "provider_id", rec->meta.provider);
		break;
	case FXT_META_PROVIDER_EVENT:
		json_member_u64(j, "provider_id", rec->meta.provider);
		json_member_u64(j, "event_id", rec->meta.event);
		break;
	case FXT_META_TRACE_INFO:
		json_member_u64(j, "trace_info_type", rec->meta.info_type);
		if (rec->meta.info_type) {
			put_bytes(j, rec);
		} else {
			json_key(j, "magic");
			json_addr(j, rec->meta.magic);
		}
		break;
	default:
		put_bytes(j, rec);
		break;
	}
}

static void put_event(struct json *j, const struct fxt_rec *rec)
{
	put_named(j, "event", fxt_event_names, rec->event.type);
	json_member_u64(j, "timestamp", rec->event.time);
	put_thread(j, "thread", &rec->event.thread, false);
	put_string(j, "category", &rec->event.category);
	put_string(j, "name", &rec->event.name);
	if (rec->event.has_value)
		json_member_u64(j, value_names[rec->event.type], rec->event.value);
	if (rec->event.type >= FXT_EV_COUNT)
		put_bytes(j, rec);
}

/* Writes a thread that is switched or wakes up; the record has no process for it. */
static void put_sched_thread(struct json *j, const char *key, uint64_t koid)
{
	json_key(j, key);
	json_begin(j, '{');
	json_member_u64(j, "thread", koid);
	json_end(j, '}');
}

static void put_scheduling(struct json *j, const struct fxt_rec *rec)
{
	unsigned int kind = rec->sched.kind;

	put_named(j, "scheduling", fxt_sched_names, kind);
	if (!fxt_sched_names[kind]) {
		put_bytes(j, rec);
		return;
	}
	json_member_u64(j, "timestamp", rec->sched.time);
	json_member_u64(j, "cpu", rec->sched.cpu);
	if (kind != FXT_SCHED_WAKEUP)
		put_named(j, "outgoing_state", state_names, rec->sched.out_state);
	switch (kind) {
	case FXT_SCHED_LEGACY_SWITCH:
		put_thread(j, "outgoing", &rec->sched.out, false);
		json_member_u64(j, "outgoing_priority", rec->sched.out_priority);
		put_thread(j, "incoming", &rec->sched.in, false);
		json_member_u64(j, "incoming_priority", rec->sched.in_priority);
		break;
	case FXT_SCHED_SWITCH:
		put_sched_thread(j, "outgoing", rec->sched.out.thread);
		put_sched_thread(j, "incoming", rec->sched.in.thread);
		break;
	case FXT_SCHED_WAKEUP:
		put_sched_thread(j, "waking", rec->sched.in.thread);
		break;
	}
}

static void put_profiler(struct json *j, const struct fxt_rec *rec)
{
	unsigned int kind = rec->prof.kind;

	put_named(j, "profiler", prof_names, kind);
	if (!prof_names[kind]) {
		put_bytes(j, rec);
		return;
	}
	json_member_u64(j, "timestamp", rec->prof.time);
	put_thread(j, "thread", &rec->prof.thread, false);
	if (kind != FXT_PROF_BACKTRACE)
		json_member_u64(j, "module_id", rec->prof.module);
	switch (kind) {
	case FXT_PROF_MODULE:
		json_text(j, "name", rec->prof.name.s, rec->prof.name.len);
		json_text(j, "build_id", rec->prof.build_id.s, rec->prof.build_id.len);
		break;
	case FXT_PROF_MMAP:
		json_member_u64(j, "flags", rec->prof.flags);
		json_member_addr(j, "start", rec->prof.start);
		json_member_u64(j, "range", rec->prof.range);
		json_member_addr(j, "module_address", rec->prof.address);
		break;
	case FXT_PROF_BACKTRACE:
		json_key(j, "frames");
		json_begin(j, '[');
		for (unsigned int i = 0; i < rec->prof.nframes; i++)
			json_addr(j, fxt_word(rec, rec->prof.frames + 8 * i));
		json_end(j, ']');
		break;
	}
}

/* Writes the parts before the payload, which comes in separate items. */
static void put_large(struct json *j, const struct fxt_rec *rec)
{
	put_named(j, "large", large_names, rec->large.kind);
	json_member_u64(j, "format", rec->large.format);
	if (!rec->large.known)
		return;
	if (rec->large.format == FXT_LARGE_BLOB_EVENT) {
		json_member_u64(j, "timestamp", rec->large.time);
		put_thread(j, "thread", &rec->large.thread, false);
	}
	put_string(j, "category", &rec->large.category);
	put_string(j, "name", &rec->large.name);
}

static void put_fields(struct json *j, const struct fxt_rec *rec)
{
	switch (rec->type) {
	case FXT_REC_METADATA:
		put_metadata(j, rec);
		break;
	case FXT_REC_INIT:
		json_member_u64(j, "ticks_per_second", rec->init.ticks);
		break;
	case FXT_REC_STRING:
		json_member_u64(j, "index", rec->string.index);
		json_text(j, "value", rec->string.s, rec->string.len);
		break;
	case FXT_REC_THREAD:
		json_member_u64(j, "index", rec->thread.index);
		json_member_u64(j, "process", rec->thread.process);
		json_member_u64(j, "thread", rec->thread.thread);
		break;
	case FXT_REC_EVENT:
		put_event(j, rec);
		break;
	case FXT_REC_BLOB:
		put_string(j, "name", &rec->blob.name);
		json_member_u64(j, "blob_type", rec->blob.type);
		json_member(j, "blob", rec->blob.type < 16 && blob_names[rec->blob.type] ?
			 blob_names[rec->blob.type] : "unknown");
		json_key(j, "data");
		json_hex(j, rec->blob.data, rec->blob.len);
		break;
	case FXT_REC_USERSPACE_OBJECT:
		json_key(j, "pointer");
		json_addr(j, rec->uobj.pointer);
		put_thread(j, "process", &rec->uobj.process, true);
		put_string(j, "name", &rec->uobj.name);
		break;
	case FXT_REC_KERNEL_OBJECT:
		json_member_u64(j, "object_type", rec->kobj.type);
		json_member_u64(j, "koid", rec->kobj.koid);
		put_string(j, "name", &rec->kobj.name);
		break;
	case FXT_REC_SCHEDULING:
		put_scheduling(j, rec);
		break;
	case FXT_REC_LOG:
		json_member_u64(j, "timestamp", rec->log.time);
		put_thread(j, "thread", &rec->log.thread, false);
		json_text(j, "message", rec->log.s, rec->log.len);
		break;
	case FXT_REC_PROFILER:
		put_profiler(j, rec);
		break;
	case FXT_REC_LARGE:
		put_large(j, rec);
		break;
	default:
		put_bytes(j, rec);
		break;
	}
}

static void put_record(struct json *j, const struct fxt_item *item)
{
	const struct fxt_rec *rec = item->rec;

	json_begin(j, '{');
	put_named(j, "record", fxt_record_names, rec->type);
	json_member_u64(j, "offset", rec->offset);
	json_member_u64(j, "words", rec->words);
	json_member_u64(j, "provider", rec->provider);
	if (rec->valid) {
		put_fields(j, rec);
	} else {
		json_key(j, "broken");
		json_bool(j, true);
	}
	if (rec->has_args) {
		json_key(j, "args");
		json_begin(j, '[');
		for (unsigned int i = 0; i < item->nargs; i++)
			put_arg(j, &item->args[i]);
		json_end(j, ']');
	}
	if (rec->type == FXT_REC_LARGE) {
		json_member_u64(j, "data_bytes", rec->data_bytes);
		json_key(j, "data");
		json_hex_begin(j);
		return;
	}
	if (!rec->valid)
		put_bytes(j, rec);
	json_end(j, '}');
	json_line(j);
}

static void put_data(struct json *j, const struct fxt_item *item)
{
	json_hex_more(j, item->data, item->ndata);
	if (item->ndata)
		return;
	json_hex_end(j);
	json_end(j, '}');
	json_line(j);
}

static int fxt_json_item(struct sink *base, const void *data)
{
	struct fxt_json *s = (struct fxt_json *)base;
	const struct fxt_item *item = data;

	/* Problems are reported on standard error, not here. */
	if (item->kind == FXT_ITEM_RECORD)
		put_record(&s->j, item);
	else if (item->kind == FXT_ITEM_DATA)
		put_data(&s->j, item);
	return out_error(s->j.out);
}

static int fxt_json_end(struct sink *base)
{
	return out_flush(((struct fxt_json *)base)->j.out);
}

static void fxt_json_free(struct sink *base)
{
	free(base);
}

static const struct sink_ops fxt_json_ops = {
	.item = fxt_json_item,
	.end = fxt_json_end,
	.free = fxt_json_free,
};

struct sink *fxt_in_json_open(const struct sink_args *args)
{
	struct fxt_json *s = xcalloc(1, sizeof(*s));

	s->base.ops = &fxt_json_ops;
	s->j.out = args->out;
	return &s->base;
}
