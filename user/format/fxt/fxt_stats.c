// SPDX-License-Identifier: LGPL-2.1
/*
 * Sink "stats" of FXT: a summary of an FXT file of any origin: records, processes, events
 * by name, and losses that the file mentions.
 */
#include "format/fxt/fxt_in.h"
#include "base/buf.h"
#include "base/map64.h"
#include "io/stats_procs.h"
#include "base/xalloc.h"

#include <stdlib.h>
#include <string.h>

#define NS_PER_SEC	1000000000ull

struct fxt_stats {
	struct sink sink;
	struct sink_args args;
	struct diag *diag;
	uint64_t records[16], events[16], sched[16];
	uint64_t all_records, all_events;
	uint64_t full;			/* provider events: a buffer was full */
	uint64_t rate;			/* ticks per second */
	bool timed;
	uint64_t first, last;		/* ns */
	struct tally providers, names;
	struct stats_procs procs;	/* by koid */
	struct map64 threads;		/* koids */
};

const struct opt_row fxt_stats_options[] = {
	STATS_OPTION,
	{ 0 }
};

static void count_time(struct fxt_stats *s, uint64_t ticks)
{
	uint64_t ns;

	/* later times cannot be real, and viewers drop such events */
	if (!s->rate || ticks >> 63 || ticks / s->rate >= INT64_MAX / NS_PER_SEC)
		return;
	ns = ticks / s->rate * NS_PER_SEC +
	     (uint64_t)((long double)(ticks % s->rate) * NS_PER_SEC / s->rate);
	if (!s->timed || ns < s->first)
		s->first = ns;
	if (!s->timed || ns > s->last)
		s->last = ns;
	s->timed = true;
}

static void count_thread(struct fxt_stats *s, const struct fxt_tref *t)
{
	if (t->undefined || !t->thread)
		return;
	map64_put(&s->threads, t->thread, 1);
}

static void count_event(struct fxt_stats *s, const struct fxt_rec *rec)
{
	struct buf name = { 0 };

	s->all_events++;
	s->events[rec->event.type & 15]++;
	count_time(s, rec->event.time);
	if (rec->event.type == FXT_EV_DURATION_COMPLETE)
		count_time(s, rec->event.value);
	count_thread(s, &rec->event.thread);
	if (!rec->event.thread.undefined)
		stats_proc(&s->procs, rec->event.thread.process)->n++;
	/* end events repeat the name, or have none */
	if (rec->event.type == FXT_EV_DURATION_END || rec->event.type == FXT_EV_ASYNC_END ||
	    rec->event.type == FXT_EV_FLOW_END)
		return;
	buf_add(&name, rec->event.category.s, rec->event.category.len);
	buf_addc(&name, 0);
	buf_add(&name, rec->event.name.s, rec->event.name.len);
	tally_add(&s->names, name.s, name.len, 0);
	buf_free(&name);
}

static void count_object(struct fxt_stats *s, const struct fxt_rec *rec)
{
	if (rec->kobj.type == FXT_KOBJ_THREAD)
		map64_put(&s->threads, rec->kobj.koid, 1);
	if (rec->kobj.type != FXT_KOBJ_PROCESS)
		return;
	stats_proc_name(stats_proc(&s->procs, rec->kobj.koid), rec->kobj.name.s,
			rec->kobj.name.len);
}

static void count_metadata(struct fxt_stats *s, const struct fxt_rec *rec)
{
	if (rec->meta.type == FXT_META_PROVIDER_INFO)
		tally_add(&s->providers, rec->meta.name.s, rec->meta.name.len, 0);
	else if (rec->meta.type == FXT_META_PROVIDER_EVENT)
		s->full += rec->meta.event == FXT_PROVIDER_EVENT_BUFFER_FULL;
}

static void count_record(struct fxt_stats *s, const struct fxt_rec *rec)
{
	s->all_records++;
	s->records[rec->type & 15]++;
	if (!rec->valid)
		return;
	switch (rec->type) {
	case FXT_REC_METADATA:
		count_metadata(s, rec);
		break;
	case FXT_REC_INIT:
		s->rate = rec->init.ticks;
		break;
	case FXT_REC_EVENT:
		count_event(s, rec);
		break;
	case FXT_REC_KERNEL_OBJECT:
		count_object(s, rec);
		break;
	case FXT_REC_SCHEDULING:
		s->sched[rec->sched.kind]++;
		if (!fxt_sched_names[rec->sched.kind])
			break;
		count_time(s, rec->sched.time);
		count_thread(s, &rec->sched.out);
		count_thread(s, &rec->sched.in);
		break;
	case FXT_REC_LOG:
		count_time(s, rec->log.time);
		count_thread(s, &rec->log.thread);
		break;
	case FXT_REC_PROFILER:
		if (rec->prof.kind > FXT_PROF_BACKTRACE)
			break;
		count_time(s, rec->prof.time);
		count_thread(s, &rec->prof.thread);
		break;
	case FXT_REC_LARGE:
		if (!rec->large.known || rec->large.format != FXT_LARGE_BLOB_EVENT)
			break;
		count_time(s, rec->large.time);
		count_thread(s, &rec->large.thread);
		break;
	default:
		break;
	}
}

static int stats_item(struct sink *sink, const void *data)
{
	struct fxt_stats *s = (struct fxt_stats *)sink;
	const struct fxt_item *item = data;

	if (item->kind == FXT_ITEM_BEGIN)
		s->rate = NS_PER_SEC;
	else if (item->kind == FXT_ITEM_RECORD)
		count_record(s, item->rec);
	return 0;
}

/* ---- the summary ---- */

static void put_kinds(struct stats *st, const char *key, const char *title,
		      const char *const names[16], const uint64_t n[16])
{
	static const struct stats_col cols[] = {
		{ "count", "count", false }, { "kind", "kind", true },
	};

	stats_table(st, key, title, cols, 2);
	for (unsigned int i = 0; i < 16; i++) {
		const char *name = names[i] ? names[i] : "unknown";

		if (!n[i])
			continue;
		stats_cell(st, n[i]);
		stats_name(st, name, strlen(name));
	}
	stats_table_end(st);
}

static int stats_sink_end(struct sink *sink)
{
	static const struct diag_kind full = {
		"times that a provider's buffer was full, says the file: records are missing",
		DIAG_DAMAGE };
	static const struct stats_col providers[] = {
		{ "count", "count", false }, { "provider", "provider", true },
	};
	static const struct stats_col names[] = {
		{ "count", "count", false }, { "category", "category", true },
		{ "name", "name", true },
	};
	static const struct stats_col processes[] = {
		{ "events", "events", false }, { "koid", "koid", false },
		{ "name", "name", true },
	};
	struct fxt_stats *s = (struct fxt_stats *)sink;
	struct stats st;

	if (s->full)
		diag_count(s->diag, &full, s->full);
	if (!stats_begin(&st, &s->args))
		return 0;
	stats_number(&st, "records", "Records", s->all_records);
	stats_number(&st, "events", "  events among them", s->all_events);
	if (s->timed)
		stats_time(&st, "wall_ns", "Time from the first to the last",
			   s->last - s->first);
	stats_number(&st, "processes", "Processes", s->procs.n);
	stats_number(&st, "threads", "Threads", s->threads.n);
	stats_top(&st, "providers", "Providers", providers, 2, &s->providers);
	put_kinds(&st, "records_by_kind", "Records by kind", fxt_record_names, s->records);
	if (s->records[FXT_REC_SCHEDULING])
		put_kinds(&st, "scheduling_by_kind", "Scheduling records by kind",
			  fxt_sched_names, s->sched);
	put_kinds(&st, "events_by_kind", "Events by kind", fxt_event_names, s->events);
	stats_procs_put(&s->procs, &st, "processes_by_events", processes);
	stats_top(&st, "names", "Events by name (ends not counted)", names, 3, &s->names);
	return stats_end(&st);
}

static void stats_free(struct sink *sink)
{
	struct fxt_stats *s = (struct fxt_stats *)sink;

	stats_procs_free(&s->procs);
	map64_clear(&s->threads);
	tally_free(&s->providers);
	tally_free(&s->names);
	free(s);
}

struct sink *fxt_stats_open(const struct sink_args *args)
{
	static const struct sink_ops ops = { stats_item, stats_sink_end, stats_free };
	struct fxt_stats *s = xcalloc(1, sizeof(*s));

	s->sink.ops = &ops;
	s->args = *args;
	s->diag = args->diag;
	return &s->sink;
}
