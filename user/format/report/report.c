// SPDX-License-Identifier: LGPL-2.1
/* The summary of a trace.  See report.h. */
#include "format/report/report.h"
#include "base/clock.h"
#include "base/signame.h"
#include "base/text_num.h"
#include "io/stats_out.h"
#include "base/xalloc.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#define TOP		10
#define NAME_WIDTH	28

/* Flags of open(2) that are equal on all architectures of Linux. */
#define ACCESS_MODE	3
#define READ_ONLY	0
#define WRITE_ONLY	1

static void on_begin(void *ctx, struct task *t, const struct task *parent,
		     const struct et_event *ev)
{
	struct report *r = ctx;
	uint64_t live = proctab_processes(r->tab);

	(void)parent;
	if (!t->execed) {
		r->processes += !t->thread;
		r->threads += t->thread;
	}
	if (live > r->widest) {
		r->widest = live;
		r->widest_at = ev->time;
	}
	if (t->depth > r->deepest) {
		r->deepest = t->depth;
		r->deepest_at = ev->time;
	}
}

static void count_killed(struct report *r, const struct task *t, unsigned char signal)
{
	struct buf name = { 0 };

	buf_addc(&name, (char)signal);
	buf_add(&name, t->program, t->program_len);
	tally_add(&r->killed, name.s, name.len, 0);
	buf_free(&name);
	r->nkilled++;
}

static void on_end(void *ctx, struct task *t, enum task_end why, uint64_t time,
		   const struct et_event *ev)
{
	struct report *r = ctx;
	int64_t status, signal;

	if (why == TASK_OPEN)
		r->unfinished++;
	if (why == TASK_LOST)
		r->ends_lost++;
	if (t->execed && !t->thread)
		tally_add(&r->programs, t->program, t->program_len,
			  time > t->since ? time - t->since : 0);
	if (why != TASK_EXIT || t->thread)
		return;
	status = et_value(ev, ET_V_EXIT_status, 0);
	signal = et_value(ev, ET_V_EXIT_signal, 0);
	if (status || signal)
		tally_add(&r->failures, t->program, t->program_len, 0);
	if (signal)
		count_killed(r, t, (unsigned char)signal);
}

struct report *report_new(unsigned int pid_bits)
{
	static const struct proctab_ops ops = { on_begin, on_end };
	struct report *r = xcalloc(1, sizeof(*r));

	r->tab = proctab_new(pid_bits, &ops, r);
	return r;
}

void report_free(struct report *r)
{
	if (!r)
		return;
	proctab_free(r->tab);
	tally_free(&r->programs);
	tally_free(&r->failures);
	tally_free(&r->killed);
	tally_free(&r->urings);
	tally_free(&r->read);
	tally_free(&r->written);
	buf_free(&r->session_backend);
	buf_free(&r->session_command);
	buf_free(&r->session_verdict);
	free(r);
}

static void count_open(struct report *r, const struct et_event *ev)
{
	size_t len;
	const char *path = et_get_string(ev, ET_S_OPEN_name, &len);
	int64_t flags = et_value(ev, ET_V_OPEN_flags, 0);

	if (!path || !et_has(ev, ET_V_OPEN_flags))
		return;
	if ((flags & ACCESS_MODE) != WRITE_ONLY)
		tally_add(&r->read, path, len, 0);
	if ((flags & ACCESS_MODE) != READ_ONLY)
		tally_add(&r->written, path, len, 0);
}

static void keep_string(struct buf *b, const struct et_event *ev, unsigned int i)
{
	size_t len;
	const char *s = et_get_string(ev, i, &len);

	b->len = 0;
	buf_add(b, s, len);
}

static void take_session(struct report *r, const struct et_event *ev)
{
	r->has_session = true;
	r->session_complete = et_value(ev, ET_V_SESSION_complete, 0) == 1;
	r->session_status = et_value(ev, ET_V_SESSION_status, -1);
	keep_string(&r->session_backend, ev, ET_S_SESSION_backend);
	keep_string(&r->session_command, ev, ET_S_SESSION_command);
	keep_string(&r->session_verdict, ev, ET_S_SESSION_verdict);
}

void report_event(struct report *r, const struct et_event *ev)
{
	struct task *actor;

	if (!r->begun || ev->time < r->first)
		r->first = ev->time;
	if (ev->time > r->last)
		r->last = ev->time;
	r->begun = true;
	if (ev->kind == ET_K_SESSION) {
		take_session(r, ev);
		return;
	}
	r->kinds[ev->kind]++;
	if (ev->kind == ET_K_LOST) {
		if (et_has(ev, ET_V_LOST_count))
			r->lost += (uint64_t)ev->val[ET_V_LOST_count];
		else
			r->lost_unknown++;
		return;
	}
	r->events++;
	r->failed[ev->kind] += (ev->flags & ET_F_FAILED) != 0;
	r->incomplete += (ev->flags & ET_F_INCOMPLETE) != 0;
	if (ev->kind == ET_K_OPEN)
		count_open(r, ev);
	actor = proctab_actor(r->tab, ev);
	if (!actor)
		return;
	if (ev->kind == ET_K_URING)
		tally_add(&r->urings, actor->program, actor->program_len, 0);
	proctab_apply(r->tab, actor, ev);
}

void report_end(struct report *r)
{
	proctab_end(r->tab, r->last);
}

/* ---- text ---- */

static void put_programs(const struct report *r, struct out *out, const char *title,
			 enum tally_key key)
{
	const struct tally_row *top[TOP];
	size_t n = tally_top(&r->programs, key, top, TOP);

	if (!n)
		return;
	out_printf(out, "\nPrograms by %s:\n  %-*s %10s %12s %12s\n", title, NAME_WIDTH,
		   "", "runs", "total s", "longest s");
	for (size_t i = 0; i < n; i++) {
		out_puts(out, "  ");
		stats_put_name(out, top[i]->name, top[i]->len, NAME_WIDTH);
		out_printf(out, " %10" PRIu64 " %12.3f %12.3f\n", top[i]->n,
			   ns_seconds(top[i]->total), ns_seconds(top[i]->most));
	}
	stats_put_low(out, &r->programs);
}

static void put_counts(const struct tally *t, struct out *out, const char *title)
{
	const struct tally_row *top[TOP];
	size_t n = tally_top(t, TALLY_N, top, TOP);

	if (!n)
		return;
	out_printf(out, "\n%s:\n", title);
	for (size_t i = 0; i < n; i++) {
		out_printf(out, "  %10" PRIu64 "  ", top[i]->n);
		stats_put_name(out, top[i]->name, top[i]->len, 0);
		out_puts(out, "\n");
	}
	stats_put_low(out, t);
}

static void put_killed(const struct report *r, struct out *out)
{
	const struct tally_row *top[TOP];
	size_t n = tally_top(&r->killed, TALLY_N, top, TOP);
	char name[32];

	if (!n)
		return;
	out_printf(out, "\nEnded by a signal: %s\n",
		   text_counted(r->nkilled, "process", "processes"));
	for (size_t i = 0; i < n; i++) {
		signal_name((unsigned char)*top[i]->name, name, sizeof(name));
		out_printf(out, "  %10" PRIu64 "  ", top[i]->n);
		stats_put_name(out, top[i]->name + 1, top[i]->len - 1, 0);
		out_printf(out, ": %s\n", name);
	}
	stats_put_low(out, &r->killed);
}

static void put_failures(const struct report *r, struct out *out)
{
	bool any = false;

	for (unsigned int k = 0; k < ET_K_COUNT; k++) {
		if (!r->failed[k])
			continue;
		out_printf(out, "%s%" PRIu64 " %s", any ? ", " : "\nCalls that failed: ",
			   r->failed[k], et_kinds[k].name);
		any = true;
	}
	if (any)
		out_puts(out, "\n");
	put_counts(&r->failures, out,
		   "Programs that ended with a status other than 0, or by a signal");
	put_killed(r, out);
}

bool report_complete(const struct report *r, const struct diag *diag)
{
	return diag_complete(diag) && !r->lost && !r->lost_unknown &&
	       (!r->has_session || r->session_complete);
}

/* Prints what the recorder wrote at the end. */
static void put_session(const struct report *r, struct out *out)
{
	const char *s = r->session_verdict.s;
	size_t left = r->session_verdict.len;

	if (!r->has_session)
		return;
	out_puts(out, "\nRecorded: ");
	out_write(out, r->session_command.s, r->session_command.len);
	if (r->session_status >= 0)
		out_printf(out, "\n  exit status %" PRId64, r->session_status);
	out_puts(out, "\n");
	if (r->session_complete)
		return;
	out_puts(out, "What the recorder says is missing:\n");
	while (left) {
		const char *nl = memchr(s, '\n', left);
		size_t n = nl ? (size_t)(nl - s) : left;

		out_puts(out, "  ");
		out_write(out, s, n);
		out_puts(out, "\n");
		s += n + !!nl;
		left -= n + !!nl;
	}
}

static void put_verdict(const struct report *r, const struct diag *diag, struct out *out)
{
	put_session(r, out);
	put_counts(&r->urings, out, "Programs that set up an io_uring, through which they may have done more");
	if (report_complete(r, diag)) {
		out_puts(out, "\nThe trace is complete: nothing was lost or damaged.\n");
	} else {
		out_puts(out, "\nThe trace is NOT complete:\n");
		stats_put_damage(out, diag);
	}
	if (r->ends_lost)
		out_printf(out, "%s ended, but the trace has no event of that.\n",
			   text_counted(r->ends_lost, "task", "tasks"));
	if (r->unfinished)
		out_printf(out, "%s still alive at the end.\n",
			   text_counted(r->unfinished, "task was", "tasks were"));
}

void report_text(const struct report *r, const struct diag *diag, struct out *out)
{
	bool first = true;

	out_printf(out, "%s in %s", text_counted(r->events, "event", "events"),
		   STATS_SECONDS(r->last - r->first));
	for (unsigned int k = 0; k < ET_K_COUNT; k++) {
		if (!r->kinds[k] || k == ET_K_LOST)
			continue;
		out_printf(out, "%s%" PRIu64 " %s", first ? ": " : ", ", r->kinds[k],
			   et_kinds[k].name);
		first = false;
	}
	out_printf(out, "\n%s and %s; at most %s at once (%s after the beginning); %s deep\n",
		   text_counted(r->processes, "process", "processes"),
		   text_counted(r->threads, "more thread", "more threads"),
		   text_counted(r->widest, "process", "processes"),
		   STATS_SECONDS(r->widest_at - r->first),
		   text_counted(r->deepest, "generation", "generations"));
	if (r->deepest)
		out_printf(out, "deepest %s after the beginning\n",
			   STATS_SECONDS(r->deepest_at - r->first));
	put_programs(r, out, "count", TALLY_N);
	put_programs(r, out, "total time", TALLY_TOTAL);
	put_programs(r, out, "longest time", TALLY_MOST);
	put_counts(&r->read, out, "Files opened most for reading");
	put_counts(&r->written, out, "Files opened most for writing");
	put_failures(r, out);
	put_verdict(r, diag, out);
}
