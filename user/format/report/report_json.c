// SPDX-License-Identifier: LGPL-2.1
/* The summary of a trace as one JSON object.  See report.h. */
#include "io/json_out.h"
#include "format/report/report.h"
#include "base/signame.h"
#include "io/stats_out.h"

static void put_moment(struct json *j, const char *key, const char *what, uint64_t n,
		       uint64_t at)
{
	json_key(j, key);
	json_begin(j, '{');
	json_member_u64(j, what, n);
	json_member_u64(j, "at_ns", at);
	json_end(j, '}');
}

/* Writes the REPORT_TOP rows that are highest by @by, with their times if @times. */
static void put_tally(struct json *j, const char *key, const char *name, const char *count,
		      const struct tally *t, enum tally_key by, bool times)
{
	const struct tally_row *top[REPORT_TOP];
	size_t n = tally_top(t, by, top, REPORT_TOP);

	json_key(j, key);
	json_begin(j, '[');
	for (size_t i = 0; i < n; i++) {
		json_begin(j, '{');
		json_text(j, name, top[i]->name, top[i]->len);
		json_member_u64(j, count, top[i]->n);
		if (times) {
			json_member_u64(j, "total_ns", top[i]->total);
			json_member_u64(j, "longest_ns", top[i]->most);
		}
		json_end(j, '}');
	}
	json_end(j, ']');
	stats_json_low(j, key, t);
}

/* Writes which programs a signal killed; killed_by() makes the names of the tally. */
static void put_killed(struct json *j, const struct report *r)
{
	const struct tally_row *top[REPORT_TOP];
	size_t n = tally_top(&r->killed, TALLY_N, top, REPORT_TOP);
	char name[32];

	json_member_u64(j, "killed_processes", r->nkilled);
	json_key(j, "killed");
	json_begin(j, '[');
	for (size_t i = 0; i < n; i++) {
		unsigned char signal = (unsigned char)*top[i]->name;

		signal_name(signal, name, sizeof(name));
		json_begin(j, '{');
		json_text(j, "program", top[i]->name + 1, top[i]->len - 1);
		json_member_u64(j, "signal", signal);
		json_text(j, "signal_name", name, strlen(name));
		json_member_u64(j, "times", top[i]->n);
		json_end(j, '}');
	}
	json_end(j, ']');
	stats_json_low(j, "killed", &r->killed);
}

static void put_session(struct json *j, const struct report *r)
{
	json_key(j, "recording");
	if (!r->has_session) {
		json_null(j);
		return;
	}
	json_begin(j, '{');
	json_text(j, "backend", r->session_backend.s, r->session_backend.len);
	json_text(j, "command", r->session_command.s, r->session_command.len);
	json_text(j, "verdict", r->session_verdict.s, r->session_verdict.len);
	json_key(j, "complete");
	json_bool(j, r->session_complete);
	json_key(j, "status");
	if (r->session_status >= 0)
		json_i64(j, r->session_status);
	else
		json_null(j);
	json_end(j, '}');
}

void report_json(const struct report *r, const struct diag *diag, struct out *out,
		 report_more *more, void *ctx)
{
	struct json j = { .out = out };

	json_begin(&j, '{');
	json_key(&j, "complete");
	json_bool(&j, report_complete(r, diag));
	put_session(&j, r);
	json_member_u64(&j, "wall_ns", r->last - r->first);
	json_member_u64(&j, "first_ns", r->first);
	json_member_u64(&j, "events", r->events);
	json_key(&j, "events_by_kind");
	json_begin(&j, '{');
	for (unsigned int k = 0; k < ET_K_COUNT; k++)
		if (r->kinds[k])
			json_member_u64(&j, et_kinds[k].name, r->kinds[k]);
	json_end(&j, '}');
	json_key(&j, "failed_calls");
	json_begin(&j, '{');
	for (unsigned int k = 0; k < ET_K_COUNT; k++)
		if (r->failed[k])
			json_member_u64(&j, et_kinds[k].name, r->failed[k]);
	json_end(&j, '}');
	json_member_u64(&j, "processes", r->processes);
	json_member_u64(&j, "threads", r->threads);
	put_moment(&j, "widest", "processes", r->widest, r->widest_at);
	put_moment(&j, "deepest", "generations", r->deepest, r->deepest_at);
	json_member_u64(&j, "unfinished", r->unfinished);
	json_member_u64(&j, "incomplete_events", r->incomplete);
	json_member_u64(&j, "lost_events", r->lost);
	put_tally(&j, "programs_by_count", "program", "runs", &r->programs, TALLY_N, true);
	put_tally(&j, "programs_by_total_time", "program", "runs", &r->programs, TALLY_TOTAL, true);
	put_tally(&j, "programs_by_longest_time", "program", "runs", &r->programs, TALLY_MOST, true);
	put_tally(&j, "files_read", "path", "opens", &r->read, TALLY_N, false);
	put_tally(&j, "files_written", "path", "opens", &r->written, TALLY_N, false);
	put_tally(&j, "failures", "program", "times", &r->failures, TALLY_N, false);
	put_killed(&j, r);
	put_tally(&j, "io_uring", "program", "times", &r->urings, TALLY_N, false);
	stats_json_damage(&j, diag);
	if (more)
		more(ctx, &j);
	json_end(&j, '}');
	json_line(&j);
}
