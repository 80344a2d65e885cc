// SPDX-License-Identifier: GPL-2.0
/* Ends a recording: writes the verdict, and prints the summary.  See record.h. */
#include "cli/record_state.h"
#include "base/signame.h"
#include "base/text_num.h"
#include "cli/etrace.h"
#include "cli/term.h"
#include "record/verdict.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

/*
 * At the end, the recorder waits for the outputs without a limit. After a signal that ends
 * programs, it gives up when no output has made progress for this time, in ns; if such a
 * signal arrives while it waits, it gives up immediately.
 */
#define STALL_NS	(5000u * (uint64_t)RECORD_MS)
/* After this time, in ns, print what the recorder is waiting for. */
#define REPORT_NS		(1000u * (uint64_t)RECORD_MS)

/* ---- the verdict ---- */

/* Number of records that were lost because they could not be put into the buffers. */
static uint64_t lost_records(const struct rec_account *a)
{
	return a->module.lost_records + a->module.lost_disabled;
}

/* Add where and when the trace was recorded, for later readers and other machines. */
static void put_where(const struct recording *r, struct et_event *ev)
{
	struct utsname u;

	if (r->realtime >= 0)
		et_set(ev, ET_V_SESSION_realtime, r->realtime);
	if (uname(&u))
		return;
	et_add_string(ev, ET_S_SESSION_host, u.nodename, strlen(u.nodename));
	et_add_string(ev, ET_S_SESSION_kernel, u.release, strlen(u.release));
}

/* The last event of an output: how it ended. */
static void write_verdict(struct recording *r, unsigned int output,
			  const struct rec_account *a, const struct verdict *v,
			  int status, uint64_t ended)
{
	struct buf text = { 0 };
	const char *backend = r->session->ops->name;
	struct et_event ev;

	verdict_text(v, &text);
	et_init(&ev);
	et_reset(&ev, ET_K_SESSION, 0, 0,
		 ended > a->tally->last_time ? ended : a->tally->last_time);
	et_set(&ev, ET_V_SESSION_complete, v->complete);
	if (status >= 0)
		et_set(&ev, ET_V_SESSION_status, status);
	et_set(&ev, ET_V_SESSION_records, (int64_t)a->module.records);
	et_set(&ev, ET_V_SESSION_arrived, (int64_t)a->tally->records);
	et_set(&ev, ET_V_SESSION_lost, (int64_t)(lost_records(a) + a->module.overwritten));
	et_add_string(&ev, ET_S_SESSION_backend, backend, strlen(backend));
	et_add_string(&ev, ET_S_SESSION_command, r->command.s, r->command.len);
	et_add_string(&ev, ET_S_SESSION_verdict, text.s, text.len);
	put_where(r, &ev);
	et_add_string(&ev, ET_S_SESSION_env, r->session->env, strlen(r->session->env));
	outputs_last(r->outputs, output, &ev);
	et_fini(&ev);
	buf_free(&text);
}

/* Write a verdict into each output: events that one output lacks may be in others. */
static void write_verdicts(struct recording *r, const struct rec_account *a, int status,
			   uint64_t ended)
{
	for (unsigned int i = 0; i < outputs_count(r->outputs); i++) {
		struct rec_account own = *a;
		struct verdict v;

		own.not_taken = outputs_lost(r->outputs, i);
		verdict_of(&v, &own, outputs_diag(r->outputs, i));
		write_verdict(r, i, a, &v, status, ended);
	}
}

/* ---- the outputs ---- */

/* Wait until everything is written: see STALL_NS. */
static void wait_for_outputs(struct recording *r)
{
	uint64_t begun = now_ns(), moved = begun, left = outputs_waiting(r->outputs);
	struct pollfd fds[] = {
		{ .fd = r->signals, .events = POLLIN },
		{ .fd = outputs_fd(r->outputs), .events = POLLIN },
	};
	bool reported = false;

	while (!outputs_ended(r->outputs)) {
		uint64_t now, waiting;

		poll(fds, 2, 200);
		if (record_interrupted(r))
			return;
		now = now_ns();
		waiting = outputs_waiting(r->outputs);
		if (waiting != left)
			moved = now;
		left = waiting;
		if (r->hurried && now >= moved + STALL_NS)
			return;
		if (!reported && now >= begun + REPORT_NS && outputs_stalled(r->outputs)) {
			progress_hide();
			say("waiting until %s is written, %s left; Ctrl-C gives up",
			    outputs_stalled(r->outputs), text_bytes(left));
			reported = true;
		}
	}
}

/* Wait until all files that still exist are hashed. */
static void end_contents(struct recording *r)
{
	uint64_t begun = now_ns(), left;
	bool reported = r->opt.quiet;

	while (r->contents && (left = contents_wait(r->contents, 200))) {
		if (record_interrupted(r)) {
			say("%" PRIu64 " files were not hashed: interrupted by a signal", left);
			return;
		}
		if (!reported && now_ns() >= begun + REPORT_NS) {
			progress_hide();
			say("hashing %" PRIu64 " more files; Ctrl-C skips this", left);
			reported = true;
		}
	}
	if (r->contents)
		contents_end(r->contents);
}

static void report_contents(const struct recording *r)
{
	const struct contents_counts *n = r->contents ? contents_counts(r->contents) : NULL;

	if (n)
		fprintf(stderr, "  %s of %s hashed; %s read, %s of CPU time\n",
			text_count(n->hashed),
			text_counted(n->used, "content of a file", "contents of files"),
			text_bytes(n->bytes), text_time(n->cpu));
}

static unsigned int end_outputs(struct recording *r)
{
	unsigned int bad;

	outputs_end(r->outputs);
	wait_for_outputs(r);
	bad = outputs_close(r->outputs);
	return bad + record_made_make(r);
}

/* ---- the summary ---- */

static void report_losses(const struct recording *r, const struct rec_account *a)
{
	const struct notable_losses *all = notable_losses(r->notable);
	uint64_t n = all->n < NOTABLE_MAX ? all->n : NOTABLE_MAX;

	for (uint64_t i = 0; i < n; i++) {
		const struct notable_loss *l = &all->loss[i];

		fprintf(stderr, "  %s of %s [%" PRIu64 "], from %s after the start on, within %s\n",
			text_count(l->count), l->program,
			et_pid(l->upid, r->session->pid_bits),
			text_time(l->since > r->begun ? l->since - r->begun : 0),
			text_time(l->until - l->since));
	}
	if (all->n > n)
		fprintf(stderr, "  and %s\n", text_counted(all->n - n, "more time", "more times"));
	if (lost_records(a) > all->records)
		fprintf(stderr, "  %s of tasks that recorded nothing later, so the time is not known\n",
			text_count(lost_records(a) - all->records));
}

/* Print the listed tasks: @what happened to them, followed by the signal's name. */
static void report_notable(const struct recording *r, const struct notable_list *l,
			   const char *what)
{
	char name[32];

	for (unsigned int i = 0; i < l->ntasks; i++) {
		const struct notable_task *t = &l->task[i];

		name[0] = 0;
		if (t->signal)
			signal_name((int)t->signal, name, sizeof(name));
		fprintf(stderr, "  %s [%" PRIu64 "] %s%s%s\n", t->program,
			et_pid(t->upid, r->session->pid_bits), what, name,
			t->core ? ", core dumped" : "");
	}
	if (l->ntasks == NOTABLE_MAX && l->n > NOTABLE_MAX)
		fprintf(stderr, "  and others\n");
}

/* @quiet: print only incomplete outputs */
static void report_outputs(const struct recording *r, bool quiet)
{
	struct term_colors c = term_colors(STDERR_FILENO);

	for (unsigned int i = 0; i < outputs_count(r->outputs); i++) {
		const struct record_made *made = record_made_of(r, i);
		const char *path = made ? made->path : outputs_path(r->outputs, i);
		const char *fault = outputs_fault(r->outputs, i);

		if (made)
			fault = *made->fault ? made->fault : NULL;
		if (fault)
			fprintf(stderr, "  %s%s%s: %s%s%s: %s\n", c.bold, path, c.off, c.bad,
				made ? "not made" : "incomplete", c.off, fault);
		else if (!quiet)
			fprintf(stderr, "  %s%s%s\n", c.bold, path, c.off);
	}
}

static void report_end(const struct recording *r, const struct rec_account *a,
		       const struct verdict *v, bool complete, uint64_t ended)
{
	struct term_colors c = term_colors(STDERR_FILENO);

	if (!r->opt.quiet) {
		fprintf(stderr, PROG ": %s, %s, %s; %s%s%s\n", text_time(ended - r->begun),
			text_counted(notable_processes(r->notable), "process", "processes"),
			text_counted(a->tally->events, "event", "events"), complete ? c.good : c.bad,
			complete ? "complete" : "NOT COMPLETE", c.off);
	} else if (!complete) {
		say("the trace is not complete");
	}
	if (!v->complete)
		verdict_print(v, stderr);
	if (lost_records(a))
		report_losses(r, a);
	report_notable(r, notable_urings(r->notable), "set up an io_uring");
	if (!r->opt.quiet)
		report_notable(r, notable_killed(r->notable), "was ended by ");
	report_outputs(r, r->opt.quiet);
	if (!r->opt.quiet)
		report_contents(r);
	if (r->opt.verbose && !r->opt.quiet)
		fprintf(stderr, "  %s, %s from the buffers; largest buffer %s; at most %s read ahead; %s joined, %s missing\n",
			text_counted(a->tally->records, "record", "records"), text_bytes(a->bytes),
			text_bytes(a->buffer), text_bytes(a->waited),
			text_counted(a->module.strings_joined, "name", "names"),
			text_counted(a->module.hooks_missing, "hook", "hooks"));
}

/* ---- the end ---- */

bool record_end(struct recording *r, int status)
{
	struct rec_account a;
	struct verdict v;
	uint64_t ended, last;
	bool complete;
	int err;

	record_end_view(r);
	if (r->aside)
		aside_show(r->aside, true);
	ended = now_ns();
	err = r->session->ops->stop(r->session);
	if (!err)
		err = r->session->ops->account(r->session, &a);
	if (err) {
		progress_hide();
		say("cannot end the session: %s; whether the trace is complete is not known",
		    strerror(-err));
		end_outputs(r);
		report_outputs(r, true);
		return false;
	}
	end_contents(r);
	last = r->contents && contents_last(r->contents) > ended ? contents_last(r->contents) : ended;
	a.urings = notable_urings(r->notable)->n;
	verdict_of(&v, &a, r->diag);
	write_verdicts(r, &a, status, last);
	complete = !end_outputs(r) && v.complete;
	progress_hide();
	report_end(r, &a, &v, complete, ended);
	if (status && !r->opt.quiet)
		record_failed(r, a.tally->events, status > 0);
	return complete;
}
