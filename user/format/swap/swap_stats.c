// SPDX-License-Identifier: LGPL-2.1
/*
 * Sink "stats" of SWAP: messages by kind, processes, what was called most, and
 * what was lost.  Memory follows the number of different things, up to a bound.
 */
#include "format/swap/swap_stats.h"
#include "base/buf.h"
#include "base/map64.h"
#include "io/stats_out.h"
#include "format/swap/swap_model.h"
#include "format/swap/swap_process.h"
#include "base/xalloc.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What is told apart; the messages of others are counted together. */
#define MAX_PROCESSES	65536u
#define MAX_THREADS	262144u
#define MAX_NAME	255u

/* A process by its pid, with the last name that a message gave it. */
struct proc_stats {
	uint32_t pid;
	uint64_t messages;
	struct buf name;
};

/* Fields of the message that is being counted. */
struct fields {
	bool has_pid, has_tid, has_pc, has_api;
	uint32_t pid, tid;
	uint64_t pc, low, high;
	uint32_t api;
	const uint8_t *name, *path;
	uint32_t name_len, path_len;
};

struct swap_stats {
	struct sink sink;
	struct sink_args args;
	uint64_t messages, lost, gaps;
	uint64_t of_more_processes, of_more_threads;
	bool begun;
	uint64_t first, last;		/* ns */
	struct tally kinds, calls;
	struct proc_stats *procs;
	size_t nprocs, procs_cap;
	struct map64 by_pid;		/* index into procs */
	struct map64 threads;		/* pid << 32 | tid */
	struct swap_processes *maps;	/* for the mappings */

	/* Of one message: */
	struct fields f;
	unsigned int depth;
	bool in_libraries;
};

const struct opt_row swap_stats_options[] = {
	STATS_OPTION,
	{ 0 }
};

/* Those of a process; NULL: there are too many. */
static struct proc_stats *proc(struct swap_stats *s, uint32_t pid)
{
	const uint64_t *at = map64_get(&s->by_pid, pid);

	if (at)
		return &s->procs[*at];
	if (s->nprocs == MAX_PROCESSES)
		return NULL;
	map64_put(&s->by_pid, pid, s->nprocs);
	s->procs = xgrow(s->procs, &s->procs_cap, s->nprocs + 1, sizeof(*s->procs));
	s->procs[s->nprocs] = (struct proc_stats){ .pid = pid };
	return &s->procs[s->nprocs++];
}

static struct swap_process *mappings(struct swap_stats *s)
{
	struct swap_process *p = swap_process_find(s->maps, s->f.pid);

	return p ? p : swap_process_add(s->maps, s->f.pid);
}

/* ---- fields ---- */

static void on_value(void *ctx, const struct swap_field *field, const struct swap_value *v)
{
	struct swap_stats *s = ctx;
	struct fields *f = &s->f;

	if (s->depth && !(s->in_libraries && s->depth == 1))
		return;
	switch (field->id) {
	case SWAP_F_PID:
		f->has_pid = true;
		f->pid = (uint32_t)v->u;
		break;
	case SWAP_F_TID:
		f->has_tid = true;
		f->tid = (uint32_t)v->u;
		break;
	case SWAP_F_PC:
		f->has_pc = true;
		f->pc = v->u;
		break;
	case SWAP_F_API:
		f->has_api = true;
		f->api = (uint32_t)v->u;
		break;
	case SWAP_F_LOW:
		f->low = v->u;
		break;
	case SWAP_F_HIGH:
		f->high = v->u;
		break;
	case SWAP_F_NAME:
		f->name = v->p;
		f->name_len = v->n;
		break;
	case SWAP_F_PATH:
		f->path = v->p;
		f->path_len = v->n;
		/* the last field of a library */
		if (s->in_libraries && f->has_pid)
			swap_map(mappings(s), f->low, f->high, (const char *)v->p, v->n);
		break;
	default:
		break;
	}
}

static void on_open(void *ctx, const struct swap_field *field, uint32_t count)
{
	struct swap_stats *s = ctx;

	(void)count;
	if (s->depth++)
		return;
	s->in_libraries = field->id == SWAP_F_LIBRARIES;
	if (!s->in_libraries || !s->f.has_pid)
		return;
	/* the list is of all that is mapped now, with the executable or without */
	swap_unmap(mappings(s), 0, UINT64_MAX);
	if (s->f.path)
		swap_map(mappings(s), s->f.low, s->f.high, (const char *)s->f.path,
			 s->f.path_len);
}

static void on_close(void *ctx, const struct swap_field *field)
{
	struct swap_stats *s = ctx;

	(void)field;
	if (!--s->depth)
		s->in_libraries = false;
}

static const struct swap_visitor visitor = {
	.value = on_value,
	.open = on_open,
	.close = on_close,
};

/* ---- what is called ---- */

/* Library and offset of an address, or the address. */
static void add_location(struct swap_stats *s, struct buf *b, uint64_t addr)
{
	const struct swap_process *p = swap_process_find(s->maps, s->f.pid);
	const struct range *m = p ? swap_mapping_at(p, addr) : NULL;
	char number[24];

	if (m) {
		buf_adds(b, m->name);
		buf_addc(b, '+');
	}
	snprintf(number, sizeof(number), "0x%" PRIx64, m ? addr - m->base : addr);
	buf_adds(b, number);
}

/* Only beginnings count; a probe that blocks sends two messages, both are hits. */
static void count_call(struct swap_stats *s, const struct swap_item *item)
{
	const struct fields *f = &s->f;
	struct buf name = { 0 };

	switch (item->message->header.id) {
	case SWAP_FUNCTION_ENTRY:
		buf_adds(&name, "function");
		break;
	case SWAP_SYSCALL_ENTRY:
		buf_adds(&name, "system call");
		break;
	default:
		if (!f->has_api)
			return;
		buf_adds(&name, "probe");
	}
	buf_addc(&name, 0);
	if (item->api) {
		buf_adds(&name, item->api);
	} else if (f->has_api) {
		buf_adds(&name, "api ");
		buf_addu(&name, f->api);
	} else {
		add_location(s, &name, f->pc);
	}
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
	const struct fields *f = &s->f;
	struct proc_stats *p;

	if (!f->has_pid)
		return;
	p = proc(s, f->pid);
	if (p)
		p->messages++;
	else
		s->of_more_processes++;
	if (f->has_tid)
		count_thread(s, (uint64_t)f->pid << 32 | f->tid);
	if (p && f->name && (m->header.id == SWAP_PROCESS_INFO || m->header.id == SWAP_PROCESS_COMM)) {
		p->name.len = 0;
		buf_add(&p->name, (const char *)f->name,
			f->name_len < MAX_NAME ? f->name_len : MAX_NAME);
	}
	if (m->header.id == SWAP_PROCESS_MAP && f->path)
		swap_map(mappings(s), f->low, f->high, (const char *)f->path, f->path_len);
	else if (m->header.id == SWAP_PROCESS_UNMAP)
		swap_unmap(mappings(s), f->low, f->high);
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

	if (item->kind == SWAP_ITEM_LOST) {
		s->lost += item->lost;
		s->gaps++;
		return 0;
	}
	s->messages++;
	if (!(m->damage & SWAP_DAMAGE_TIME))
		count_time(s, swap_time(m));
	count_kind(s, m);
	s->f = (struct fields){ 0 };
	s->depth = 0;
	if (m->layout)
		swap_walk(m->layout, m->payload, m->len, &m->counts, &visitor, s);
	count_process(s, m);
	count_call(s, item);
	while ((old = swap_process_surplus(s->maps)))
		swap_process_forget(s->maps, old);
	return 0;
}

/* ---- the summary ---- */

static int by_messages(const void *a, const void *b)
{
	const struct proc_stats *x = a, *y = b;

	if (x->messages != y->messages)
		return x->messages < y->messages ? 1 : -1;
	return x->pid < y->pid ? -1 : x->pid > y->pid;
}

static void put_processes(struct swap_stats *s, struct stats *st)
{
	static const struct stats_col cols[] = {
		{ "messages", "messages", false }, { "pid", "pid", false },
		{ "name", "name", true },
	};

	if (s->nprocs)
		qsort(s->procs, s->nprocs, sizeof(*s->procs), by_messages);
	stats_table(st, "processes_by_messages", "Processes", cols, 3);
	for (size_t i = 0; i < s->nprocs && i < STATS_TOP; i++) {
		const struct proc_stats *p = &s->procs[i];

		stats_cell(st, p->messages);
		stats_cell(st, p->pid);
		stats_name(st, p->name.len ? p->name.s : "", p->name.len);
	}
	stats_table_end(st);
}

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
	struct swap_stats *s = (struct swap_stats *)sink;
	struct stats st;

	if (!stats_begin(&st, &s->args))
		return 0;
	stats_number(&st, "messages", "Messages", s->messages);
	stats_time(&st, "wall_ns", "Time from the first to the last of them", s->last - s->first);
	stats_number(&st, "lost_messages", "Lost messages", s->lost);
	stats_number(&st, "gaps", "  in gaps of the sequence numbers", s->gaps);
	stats_number(&st, "processes", "Processes", s->nprocs);
	stats_number(&st, "threads", "Threads that messages name", s->threads.n);
	if (s->of_more_processes)
		stats_number(&st, "messages_of_more_processes", "Messages of more processes",
			     s->of_more_processes);
	if (s->of_more_threads)
		stats_number(&st, "messages_of_more_threads", "Messages of more threads",
			     s->of_more_threads);
	put_kinds(s, &st);
	put_processes(s, &st);
	stats_top(&st, "calls", "Called most", calls, 3, &s->calls);
	return stats_end(&st);
}

static void stats_free(struct sink *sink)
{
	struct swap_stats *s = (struct swap_stats *)sink;

	for (size_t i = 0; i < s->nprocs; i++)
		buf_free(&s->procs[i].name);
	free(s->procs);
	map64_clear(&s->by_pid);
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
