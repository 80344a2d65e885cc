// SPDX-License-Identifier: LGPL-2.1
/*
 * Sink "stats" of SWAP: prints messages by kind, processes, most frequent calls, and
 * losses.  Memory grows with the number of different processes, threads and names, up to
 * a limit for each.
 */
#include "format/swap/swap_formats.h"
#include "base/buf.h"
#include "base/map64.h"
#include "io/stats_procs.h"
#include "format/swap/swap_frame.h"
#include "format/swap/swap_process.h"
#include "base/xalloc.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Maximum processes and threads counted separately.  Messages of others have one count. */
#define MAX_PROCESSES	65536u
#define MAX_THREADS	262144u
#define MAX_NAME	255u

struct swap_stats {
	struct sink sink;
	struct sink_args args;
	uint64_t messages, lost, gaps;
	uint64_t of_more_processes, of_more_threads;
	bool begun;
	uint64_t first, last;		/* ns */
	struct tally kinds, calls;
	struct stats_procs procs;	/* by pid */
	struct map64 threads;		/* pid << 32 | tid */
	struct swap_processes *maps;	/* mappings of each process */

	struct swap_fields f;		/* fields of the current message */
};

const struct opt_row swap_stats_options[] = {
	STATS_OPTION,
	{ 0 }
};

/* ---- mappings ---- */

static void map_code(void *ctx, const struct swap_fields *f)
{
	struct swap_stats *s = ctx;
	uint32_t pid = swap_num(&s->f, "pid");
	struct swap_process *p = swap_process_find(s->maps, pid);
	const struct swap_value *path = swap_get(f, "path");

	if (!p)
		p = swap_process_add(s->maps, pid);
	if (path)
		swap_map(p, swap_wide(f, "low"), swap_wide(f, "high"), (const char *)path->p,
			 path->n);
}

static void unmap_code(struct swap_stats *s, uint64_t low, uint64_t high)
{
	struct swap_process *p = swap_process_find(s->maps, swap_num(&s->f, "pid"));

	if (p)
		swap_unmap(p, low, high);
}

/* ---- calls ---- */

/* Append an address as LIBRARY+OFFSET, or in hexadecimal if not mapped. */
static void add_location(struct swap_stats *s, struct buf *b, uint64_t addr)
{
	const struct swap_process *p = swap_process_find(s->maps, swap_num(&s->f, "pid"));
	const struct range *m = p ? ranges_at(&p->maps, addr) : NULL;

	if (m)
		buf_printf(b, "%s+0x%" PRIx64, m->name, addr - m->base);
	else
		buf_printf(b, "0x%" PRIx64, addr);
}

/* Count beginnings of calls and all probe messages, of which a probe that blocks sends two. */
static void count_call(struct swap_stats *s, const struct swap_item *item)
{
	const struct swap_fields *f = &s->f;
	struct buf name = { 0 };

	switch (item->message->header.id) {
	case SWAP_FUNCTION_ENTRY:
		buf_adds(&name, "function");
		break;
	case SWAP_SYSCALL_ENTRY:
		buf_adds(&name, "system call");
		break;
	default:
		if (!swap_get(f, "api_id"))
			return;
		buf_adds(&name, "probe");
	}
	buf_addc(&name, 0);
	if (item->api)
		buf_adds(&name, item->api);
	else if (swap_get(f, "api_id"))
		buf_printf(&name, "api %" PRIu32, swap_num(f, "api_id"));
	else
		add_location(s, &name, swap_wide(f, "pc"));
	tally_add(&s->calls, name.s, name.len, 0);
	buf_free(&name);
}

/* ---- messages ---- */

static void count_kind(struct swap_stats *s, const struct swap_message *m)
{
	char unknown[24];
	const char *name = m->row && m->row->id == m->header.id ? m->row->name : unknown;

	snprintf(unknown, sizeof(unknown), "%s 0x%04" PRIx32, m->row ? m->row->name : "unknown",
		 m->header.id);
	tally_add(&s->kinds, name, strlen(name), 0);
}

static void count_thread(struct swap_stats *s, uint64_t key)
{
	if (s->threads.n < MAX_THREADS)
		map64_put(&s->threads, key, 1);
	else if (!map64_get(&s->threads, key))
		s->of_more_threads++;
}

static void count_process(struct swap_stats *s, const struct swap_message *m)
{
	const struct swap_fields *f = &s->f;
	const struct swap_value *name = swap_get(f, "name");
	uint32_t pid = swap_num(f, "pid");
	struct stats_proc *p = NULL;

	if (!swap_get(f, "pid"))
		return;
	if (s->procs.n < MAX_PROCESSES || map64_get(&s->procs.by_id, pid))
		p = stats_proc(&s->procs, pid);
	if (p)
		p->n++;
	else
		s->of_more_processes++;
	if (swap_get(f, "tid"))
		count_thread(s, (uint64_t)pid << 32 | swap_num(f, "tid"));
	if (p && name &&
	    (m->header.id == SWAP_PROCESS_INFO || m->header.id == SWAP_PROCESS_COMM))
		stats_proc_name(p, (const char *)name->p, name->n < MAX_NAME ? name->n : MAX_NAME);
	if (swap_get(f, "libraries")) {
		/* The message lists all current mappings; the executable may be missing. */
		unmap_code(s, 0, UINT64_MAX);
		map_code(s, f);
		swap_each(m, "libraries", map_code, s);
	} else if (m->header.id == SWAP_PROCESS_MAP && swap_get(f, "path")) {
		map_code(s, f);
	} else if (m->header.id == SWAP_PROCESS_UNMAP) {
		unmap_code(s, swap_wide(f, "low"), swap_wide(f, "high"));
	}
}

static void count_time(struct swap_stats *s, uint64_t time)
{
	if (!s->begun || time < s->first)
		s->first = time;
	if (time > s->last)
		s->last = time;
	s->begun = true;
}

static int stats_item(struct sink *sink, const void *data)
{
	struct swap_stats *s = (struct swap_stats *)sink;
	const struct swap_item *item = data;
	const struct swap_message *m = item->message;
	struct swap_process *old;

	if (item->lost) {
		s->lost += item->lost;
		s->gaps++;
		return 0;
	}
	s->messages++;
	if (!(m->damage & SWAP_DAMAGE_TIME))
		count_time(s, swap_time(m));
	count_kind(s, m);
	swap_collect(m, &s->f);
	count_process(s, m);
	count_call(s, item);
	while ((old = swap_process_surplus(s->maps)))
		swap_process_forget(s->maps, old);
	return 0;
}

/* ---- the summary ---- */

static void put_kinds(const struct swap_stats *s, struct stats *st)
{
	static const struct stats_col cols[] = {
		{ "count", "count", false }, { "kind", "kind", true },
	};
	const struct tally_row *rows[64];
	size_t n = tally_top(&s->kinds, TALLY_N, rows, sizeof(rows) / sizeof(rows[0]));

	stats_table(st, "messages_by_kind", "Messages by kind", cols, 2);
	for (size_t i = 0; i < n; i++) {
		stats_cell(st, rows[i]->n);
		stats_name(st, rows[i]->name, rows[i]->len);
	}
	stats_table_end(st);
}

static int stats_sink_end(struct sink *sink)
{
	static const struct stats_col calls[] = {
		{ "count", "count", false }, { "kind", "kind", true }, { "name", "name", true },
	};
	static const struct stats_col processes[] = {
		{ "messages", "messages", false }, { "pid", "pid", false },
		{ "name", "name", true },
	};
	struct swap_stats *s = (struct swap_stats *)sink;
	struct stats st;

	if (!stats_begin(&st, &s->args))
		return 0;
	stats_number(&st, "messages", "Messages", s->messages);
	stats_time(&st, "wall_ns", "Time from the first to the last of them", s->last - s->first);
	stats_number(&st, "lost_messages", "Lost messages", s->lost);
	stats_number(&st, "gaps", "  in gaps of the sequence numbers", s->gaps);
	stats_number(&st, "processes", "Processes", s->procs.n);
	stats_number(&st, "threads", "Threads that messages name", s->threads.n);
	if (s->of_more_processes)
		stats_number(&st, "messages_of_more_processes", "Messages of more processes",
			     s->of_more_processes);
	if (s->of_more_threads)
		stats_number(&st, "messages_of_more_threads", "Messages of more threads",
			     s->of_more_threads);
	put_kinds(s, &st);
	stats_procs_put(&s->procs, &st, "processes_by_messages", processes);
	stats_top(&st, "calls", "Called most", calls, 3, &s->calls);
	return stats_end(&st);
}

static void stats_free(struct sink *sink)
{
	struct swap_stats *s = (struct swap_stats *)sink;

	stats_procs_free(&s->procs);
	map64_clear(&s->threads);
	tally_free(&s->kinds);
	tally_free(&s->calls);
	swap_processes_free(s->maps);
	free(s);
}

struct sink *swap_stats_open(const struct sink_args *args)
{
	static const struct sink_ops ops = { stats_item, stats_sink_end, stats_free };
	struct swap_stats *s = xcalloc(1, sizeof(*s));

	s->sink.ops = &ops;
	s->args = *args;
	s->maps = swap_processes_new();
	return &s->sink;
}
