// SPDX-License-Identifier: GPL-2.0
/*
 * Source of the etrace model: the Fuchsia traces that etrace_fxt_out.c writes,
 * so that the same events come out as went in.  Documentation/fxt-mapping.md.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lines/assemble.h"
#include "base/buf.h"
#include "build/etrace_formats.h"
#include "mapping/etrace_fxt.h"
#include "fxt/fxt_in.h"
#include "fxt/fxt_read.h"
#include "base/map64.h"
#include "base/shquote.h"
#include "base/utf8.h"
#include "base/xalloc.h"

static const struct diag_kind broken_file = {
	"broken places in the FXT file", DIAG_DAMAGE };
static const struct diag_kind unknown_parts = {
	"parts of the FXT file that are not in the format document", DIAG_NOTE };
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
	"traces that were incomplete when they were written", DIAG_DAMAGE };
static const struct diag_kind no_verdict = {
	"FXT files without an end: they were cut off", DIAG_DAMAGE };

/* An argument of the event at hand; names and strings are in args_text. */
struct arg {
	size_t name, name_len;
	enum fxt_arg_type type;
	uint64_t v;		/* numbers; sign-extended where signed */
	size_t str, str_len;
};

struct fxt_in {
	struct source source;
	struct in *in;
	struct diag *diag;
	struct sink *sink;
	struct fxt_reader *r;
	int err;
	bool ours, verdict;
	struct map64 upids;	/* of the live threads, by their koids */
	/* the event at hand, until it is known that no more arguments follow */
	bool pending;
	enum et_kind kind;
	uint64_t time, koid, offset;
	struct arg *args;
	size_t nargs, args_cap;
	struct buf args_text;
	struct et_event ev;
};

/* ---- arguments ---- */

static void take_args(struct fxt_in *f, const struct fxt_rec *rec)
{
	struct fxt_arg_iter it = { 0 };
	struct fxt_rarg a;

	while (fxt_next_arg(f->r, rec, &it, &a)) {
		struct arg *to;

		f->args = xgrow(f->args, &f->args_cap, f->nargs + 1, sizeof(*to));
		to = &f->args[f->nargs++];
		memset(to, 0, sizeof(*to));
		to->type = (enum fxt_arg_type)a.type;
		to->name = f->args_text.len;
		to->name_len = a.name.len;
		buf_add(&f->args_text, a.name.s, a.name.len);
		if (a.type == FXT_ARG_I32)
			to->v = (uint64_t)(int64_t)a.i32;
		else if (a.type == FXT_ARG_U32)
			to->v = a.u32;
		else
			to->v = a.u64;
		if (a.type == FXT_ARG_STRING) {
			to->str = f->args_text.len;
			to->str_len = a.str.len;
			buf_add(&f->args_text, a.str.s, a.str.len);
		}
	}
}

static bool is_named(const struct fxt_in *f, const struct arg *a, const char *name,
		     size_t len)
{
	return a->name_len == len && !memcmp(f->args_text.s + a->name, name, len);
}

static const struct arg *find_arg(const struct fxt_in *f, const char *name)
{
	size_t len = strlen(name);

	for (size_t i = 0; i < f->nargs; i++)
		if (is_named(f, &f->args[i], name, len))
			return &f->args[i];
	return NULL;
}

static bool is_number(const struct arg *a)
{
	return a && (a->type == FXT_ARG_I32 || a->type == FXT_ARG_U32 ||
		     a->type == FXT_ARG_I64 || a->type == FXT_ARG_U64);
}

/* The text of "name", "name+1" and so on, which stand in this order. */
static bool join_text(const struct fxt_in *f, const char *name, struct buf *b)
{
	const struct arg *a = find_arg(f, name), *end = f->args + f->nargs;
	char next[80];

	b->len = 0;
	if (!a || a->type != FXT_ARG_STRING)
		return false;
	for (unsigned int i = 1;; i++) {
		buf_add(b, f->args_text.s + a->str, a->str_len);
		snprintf(next, sizeof(next), "%s+%u", name, i);
		a++;
		if (a == end || a->type != FXT_ARG_STRING ||
		    !is_named(f, a, next, strlen(next)))
			return true;
	}
}

/* The bytes of a string argument, from its hex form where it has one. */
static bool join_bytes(const struct fxt_in *f, const char *name, struct buf *b)
{
	char hex[72];

	snprintf(hex, sizeof(hex), "%s" ETRACE_FXT_HEX, name);
	if (join_text(f, hex, b)) {
		/* in place: two digits are read before their byte is written */
		if (!utf8_unhex(b->s ? b->s : "", b->len, b->s))
			return false;
		b->len /= 2;
		return true;
	}
	return join_text(f, name, b);
}

/* ---- an event from its arguments ---- */

static bool tag_of_kind(enum et_tag tag, enum et_kind kind)
{
	return et_tags[tag].kind == kind ||
	       (tag == ET_T_MT && (kind == ET_K_MOUNT || kind == ET_K_UMOUNT));
}

/* Does the event have what a header needs?  Sizes are those of strings. */
static bool header_given(const struct fxt_in *f, enum et_tag tag)
{
	const struct et_tag_row *row = &et_tags[tag];

	for (unsigned int i = 0; i < row->nfields; i++) {
		const struct et_field *fd = &row->fields[i];

		/* an argument list may be empty */
		if (fd->optional || fd->size_of == ET_T_A)
			continue;
		if (!find_arg(f, fd->arg ? fd->arg : et_tags[fd->size_of].arg))
			return false;
	}
	return true;
}

/* Which header begins the event: the one that takes most of what there is. */
static enum et_tag begin_header(const struct fxt_in *f)
{
	enum et_tag best = ET_T_NONE;

	for (enum et_tag t = ET_T_NONE + 1; t < ET_T_FIRST_STRING; t++)
		if (et_tags[t].kind == f->kind && et_tags[t].role == ET_BEGIN &&
		    header_given(f, t) &&
		    (best == ET_T_NONE || et_tags[t].nfields > et_tags[best].nfields))
			best = t;
	return best;
}

static bool add_argv(struct fxt_in *f, uint32_t cpu)
{
	struct buf line = { 0 }, word = { 0 };
	const char *s;
	size_t len;
	uint32_t n = 0;
	bool good;

	if (!join_text(f, et_tags[ET_T_A].arg, &line)) {
		buf_free(&line);
		return true;
	}
	s = line.s;
	len = line.len;
	while (sh_unquote(&s, &len, &word)) {
		et_add_item(&f->ev, ET_T_A, cpu, f->time)->index = n++;
		et_add_bytes(&f->ev, word.s, word.len);
	}
	good = !len;
	buf_free(&line);
	buf_free(&word);
	return good;
}

/* A number from 2^63 on: viewers would show it as a negative one. */
static bool text_number(const struct fxt_in *f, const struct arg *a, uint64_t *v)
{
	char text[24], *end;

	if (a->type != FXT_ARG_STRING || !a->str_len || a->str_len >= sizeof(text))
		return false;
	memcpy(text, f->args_text.s + a->str, a->str_len);
	text[a->str_len] = 0;
	if (*text < '0' || *text > '9')
		return false;
	errno = 0;
	*v = strtoull(text, &end, 10);
	return !*end && !errno && *v > INT64_MAX;
}

/* A header without its sizes: they follow when the strings are there. */
static void add_header(struct fxt_in *f, enum et_tag tag, uint32_t cpu)
{
	const struct et_tag_row *row = &et_tags[tag];

	et_add_item(&f->ev, tag, cpu, f->time);
	for (unsigned int i = 0; i < row->nfields; i++) {
		uint64_t v;
		const struct arg *a = row->fields[i].arg ? find_arg(f, row->fields[i].arg) : NULL;

		if (is_number(a))
			et_set_field(&f->ev, i, (int64_t)a->v,
				     a->type == FXT_ARG_U64 && a->v > INT64_MAX);
		else if (a && text_number(f, a, &v))
			et_set_field(&f->ev, i, (int64_t)v, true);
	}
}

static void add_sizes(struct et_event *ev)
{
	for (uint32_t i = 0; i < ev->nitems; i++) {
		struct et_item *it = &ev->items[i];
		const struct et_tag_row *row = &et_tags[it->tag];

		for (unsigned int j = 0; j < row->nfields; j++) {
			enum et_tag tag = row->fields[j].size_of;
			int64_t size = 0;
			bool there = tag == ET_T_A;

			if (tag == ET_T_NONE)
				continue;
			for (uint32_t k = 0; k < ev->nitems; k++) {
				if (ev->items[k].tag != tag)
					continue;
				there = true;
				size += ev->items[k].len + (tag == ET_T_A);
			}
			if (!there)
				continue;
			it->have |= (uint8_t)(1u << j);
			ev->vals[it->off + j] = size;
		}
	}
}

/* "item,byte,cpu,ns;..." */
static bool add_stamps(struct et_event *ev, const struct buf *text)
{
	const char *s = text->s, *end = text->s + text->len;

	while (s < end) {
		uint64_t v[4];

		for (unsigned int i = 0; i < 4; i++) {
			v[i] = 0;
			while (s < end && *s >= '0' && *s <= '9') {
				if (v[i] > UINT64_MAX / 10 - 1)
					return false;
				v[i] = v[i] * 10 + (uint64_t)(*s++ - '0');
			}
			if (s == end || *s++ != (i < 3 ? ',' : ';'))
				return false;
		}
		if (v[0] >= ev->nitems || v[1] > UINT32_MAX || v[2] > UINT32_MAX ||
		    v[3] > INT64_MAX)
			return false;
		ev->marks = xgrow(ev->marks, &ev->marks_cap, ev->nmarks + 1,
				  sizeof(*ev->marks));
		ev->marks[ev->nmarks++] = (struct et_mark){
			ET_M_STAMP, (uint32_t)v[0], (uint32_t)v[1], (uint32_t)v[2], v[3], 0
		};
	}
	return true;
}

static bool add_others(struct fxt_in *f, uint32_t cpu)
{
	struct buf b = { 0 };
	char name[40];
	bool good = true;

	for (size_t i = 0; i < f->nargs && good; i++) {
		const char *s = f->args_text.s + f->args[i].name;
		size_t n = f->args[i].name_len;

		if (!n || *s < 'A' || *s > 'Z' || n >= sizeof(name) ||
		    memchr(s, '+', n) ||
		    (n > 4 && !memcmp(s + n - 4, ETRACE_FXT_HEX, 4)))
			continue;
		memcpy(name, s, n);
		name[n] = 0;
		good = join_bytes(f, name, &b);
		if (!good)
			break;
		et_add_item(&f->ev, ET_T_OTHER, cpu, f->time);
		et_add_bytes(&f->ev, name, n);
		et_add_bytes(&f->ev, "|", 1);
		et_add_bytes(&f->ev, b.s, b.len);
	}
	buf_free(&b);
	return good;
}

/* The items in the order of the format. */
static bool add_items(struct fxt_in *f, uint32_t cpu)
{
	enum et_tag begin = begin_header(f);
	struct buf b = { 0 };
	bool good = true;

	for (unsigned int order = 1; order < et_tags[ET_T_OTHER].order; order++) {
		for (enum et_tag t = ET_T_NONE + 1; t < ET_T_OTHER && good; t++) {
			const struct et_tag_row *row = &et_tags[t];

			if (row->order != order || !tag_of_kind(t, f->kind))
				continue;
			if (row->role == ET_STRING) {
				if (t == ET_T_A) {
					good = add_argv(f, cpu);
				} else if (find_arg(f, row->arg)) {
					good = join_bytes(f, row->arg, &b);
					et_add_item(&f->ev, t, cpu, f->time);
					et_add_bytes(&f->ev, b.s, b.len);
				}
			} else if (row->role == ET_BEGIN ? t == begin :
				   row->role == ET_FAILED ? find_arg(f, ETRACE_FXT_FAILED) != NULL :
				   header_given(f, t)) {
				add_header(f, t, cpu);
			}
		}
	}
	buf_free(&b);
	good = good && add_others(f, cpu);
	add_sizes(&f->ev);
	return good;
}

static bool make_event(struct fxt_in *f, uint64_t upid)
{
	const struct arg *cpu = find_arg(f, ETRACE_FXT_CPU);
	struct buf b = { 0 };
	bool good;

	if (!is_number(cpu) || cpu->v > UINT32_MAX)
		return false;
	if (find_arg(f, ETRACE_FXT_LINES)) {
		good = join_bytes(f, ETRACE_FXT_LINES, &b) && asm_one(&f->ev, b.s, b.len);
	} else {
		et_reset(&f->ev, f->kind, upid, (uint32_t)cpu->v, f->time);
		good = add_items(f, (uint32_t)cpu->v);
		if (good && join_text(f, ETRACE_FXT_STAMPS, &b))
			good = add_stamps(&f->ev, &b);
	}
	if (find_arg(f, ETRACE_FXT_LATE))
		f->ev.flags |= ET_F_LATE;
	buf_free(&b);
	return good && f->ev.nitems;
}

static bool make_lost(struct fxt_in *f)
{
	const struct arg *cpu = find_arg(f, ETRACE_FXT_CPU);
	const struct arg *n = find_arg(f, ETRACE_FXT_COUNT);

	if (!is_number(cpu) || cpu->v > UINT32_MAX)
		return false;
	et_reset(&f->ev, ET_K_LOST, 0, (uint32_t)cpu->v, f->time);
	if (is_number(n)) {
		f->ev.nvals = 1;
		f->ev.vals[0] = (int64_t)n->v;
		diag_report(f->diag, &lost_events, in_name(f->in), DIAG_OFFSET, f->offset,
			    "%" PRIu64 " events lost on processor %" PRIu64, n->v, cpu->v);
		if (n->v)
			diag_count(f->diag, &lost_events, n->v - 1);
	} else {
		diag_report(f->diag, &lost_unknown, in_name(f->in), DIAG_OFFSET, f->offset,
			    "events lost on processor %" PRIu64, cpu->v);
	}
	return true;
}

/* No more arguments follow: make the event and hand it on. */
static void finish(struct fxt_in *f)
{
	const uint64_t *upid = map64_get(&f->upids, f->koid);
	struct et_finding finding;
	char text[160];
	bool good;

	if (!f->pending)
		return;
	f->pending = false;
	if (f->kind == ET_K_LOST) {
		good = make_lost(f);
	} else {
		if (!upid && !find_arg(f, ETRACE_FXT_LINES)) {
			diag_report(f->diag, &nameless_tasks, in_name(f->in), DIAG_OFFSET,
				    f->offset, "%s of a thread without a record of its upid",
				    et_kinds[f->kind].name);
			return;
		}
		good = make_event(f, upid ? *upid : 0);
	}
	if (!good) {
		diag_report(f->diag, &broken_events, in_name(f->in), DIAG_OFFSET, f->offset,
			    "%s cannot be made again from its records",
			    et_kinds[f->kind].name);
		return;
	}
	f->ev.place = f->offset;
	if (et_check(&f->ev, &finding, 1)) {
		f->ev.flags |= ET_F_INCOMPLETE;
		et_finding_text(&finding, text, sizeof(text));
		diag_report(f->diag, &incomplete, in_name(f->in), DIAG_OFFSET, f->offset,
			    "%s of task %" PRIu64 ": %s", et_kinds[f->ev.kind].name,
			    f->ev.upid, text);
	}
	f->err = sink_item(f->sink, &f->ev);
	if (f->ev.kind == ET_K_EXIT)
		map64_remove(&f->upids, f->koid);
}

/* ---- records ---- */

static bool is(const struct fxt_sref *s, const char *text)
{
	return s->len == strlen(text) && !memcmp(s->s, text, s->len);
}

static void begin_event(struct fxt_in *f, const struct fxt_rec *rec, enum et_kind kind)
{
	f->pending = true;
	f->kind = kind;
	f->time = rec->event.time;
	f->koid = rec->event.thread.thread;
	f->offset = rec->offset;
	f->nargs = 0;
	f->args_text.len = 0;
	take_args(f, rec);
}

/* Records about the trace as a whole. */
static void take_meta(struct fxt_in *f, const struct fxt_rec *rec)
{
	const struct arg *a;

	f->nargs = 0;
	f->args_text.len = 0;
	take_args(f, rec);
	if (is(&rec->event.name, ETRACE_FXT_HEAD)) {
		a = find_arg(f, "version");
		if (is_number(a) && a->v <= ETRACE_FXT_VERSION)
			return;
		diag_fatal(f->diag, "%s: was written by a newer etrace than this %s",
			   in_name(f->in), ETRACE_VERSION);
		f->err = -1;
	} else if (is(&rec->event.name, ETRACE_FXT_VERDICT)) {
		f->verdict = true;
		a = find_arg(f, "complete");
		if (!is_number(a) || !a->v)
			diag_report(f->diag, &was_incomplete, in_name(f->in), DIAG_OFFSET,
				    rec->offset, "the trace was incomplete when it was written");
	}
}

static void take_event(struct fxt_in *f, const struct fxt_rec *rec)
{
	const struct fxt_sref *cat = &rec->event.category, *name = &rec->event.name;
	bool meta = is(cat, ETRACE_FXT_CAT_META);

	if (rec->event.type == FXT_EV_INSTANT && meta && is(name, ETRACE_FXT_MORE)) {
		/* no event has so many bytes: somebody else's file */
		if (f->pending && f->args_text.len < 4 * (size_t)ET_MAX_BYTES)
			take_args(f, rec);
		return;
	}
	finish(f);
	switch (rec->event.type) {
	case FXT_EV_INSTANT:
	case FXT_EV_DURATION_COMPLETE:
		for (unsigned int k = ET_K_NONE + 1; k < ET_K_COUNT; k++)
			if (is(cat, et_kinds[k].category) && is(name, et_kinds[k].name)) {
				begin_event(f, rec, k);
				return;
			}
		if (meta)
			take_meta(f, rec);
		break;
	case FXT_EV_DURATION_BEGIN:
		if (is(cat, et_kinds[ET_K_EXEC].category))
			begin_event(f, rec, ET_K_EXEC);
		break;
	case FXT_EV_DURATION_END:
		/* an exit; other ends have no processor */
		begin_event(f, rec, ET_K_EXIT);
		f->pending = find_arg(f, ETRACE_FXT_CPU);
		if (find_arg(f, "unfinished"))
			map64_remove(&f->upids, f->koid);
		break;
	default:
		break;
	}
}

static void take_object(struct fxt_in *f, const struct fxt_rec *rec)
{
	const struct arg *a;

	if (rec->kobj.type != FXT_KOBJ_THREAD)
		return;
	finish(f);
	f->nargs = 0;
	f->args_text.len = 0;
	take_args(f, rec);
	a = find_arg(f, ETRACE_FXT_UPID);
	if (is_number(a) && a->v <= INT64_MAX)
		map64_put(&f->upids, rec->kobj.koid, a->v);
}

static void on_problem(void *ctx, enum fxt_problem p, uint64_t offset)
{
	struct fxt_in *f = ctx;

	diag_report(f->diag, fxt_problem_is_damage(p) ? &broken_file : &unknown_parts,
		    in_name(f->in), DIAG_OFFSET, offset, "%s", fxt_problem_text(p));
}

/* Where etrace begins to speak in a file. */
static bool is_ours(const struct fxt_rec *rec)
{
	return rec->valid && rec->type == FXT_REC_METADATA &&
	       rec->meta.type == FXT_META_PROVIDER_INFO &&
	       is(&rec->meta.name, ETRACE_FXT_PROVIDER);
}

/* One record. */
static int fxt_in_step(struct source *s, struct sink *sink)
{
	struct fxt_in *f = (struct fxt_in *)s;
	struct fxt_rec rec;

	f->sink = sink;
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
	finish(f);
	if (!f->ours)
		diag_fatal(f->diag, "%s: this FXT file was not written by etrace; it can be shown with --to json",
			   in_name(f->in));
	else if (!f->verdict && !f->err)
		diag_report(f->diag, &no_verdict, in_name(f->in), DIAG_NOWHERE, 0,
			    "the file has no end: it was cut off");
	/* -1: told already */
	return f->err == -1 ? 0 : f->err;
}

static void fxt_in_free(struct source *s)
{
	struct fxt_in *f = (struct fxt_in *)s;

	fxt_reader_free(f->r);
	map64_clear(&f->upids);
	free(f->args);
	buf_free(&f->args_text);
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
	et_init(&f->ev);
	return &f->source;
}

/* Any file of FXT could be meant; it is ours if our provider begins it. */
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
