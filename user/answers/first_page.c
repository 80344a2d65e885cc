// SPDX-License-Identifier: LGPL-2.1
/* Prints the first page.  See first_page.h. */
#include "answers/first_page.h"
#include "answers/check.h"
#include "answers/failures.h"
#include "answers/faster.h"
#include "answers/print_names.h"
#include "answers/times.h"
#include "base/shquote.h"
#include "base/signame.h"
#include "graph/graph.h"
#include "io/stats_out.h"

#include "build/build.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void put_meta(struct db *db, struct out *out, const char *before, const char *key)
{
	const char *s, *end;
	size_t len;

	s = db_meta_text(db, key, &len);
	if (!s)
		return;
	for (end = s + len; s < end; s++) {
		const char *line = memchr(s, '\n', (size_t)(end - s));

		line = line ? line : end;
		out_puts(out, before);
		stats_put_name(out, s, (size_t)(line - s), 0);
		out_puts(out, "\n");
		s = line;
	}
}

static void put_verdict(struct db *db, struct out *out)
{
	if (db->complete) {
		out_puts(out, "The trace is complete: nothing was lost or damaged.\n");
		return;
	}
	out_puts(out, "The trace is NOT complete:\n");
	put_meta(db, out, "  ", "missing");
	put_meta(db, out, "  the recorder: ", "verdict");
}

static void put_recorded(struct db *db, struct out *out)
{
	int64_t status = db_meta(db, "status", -1);

	put_meta(db, out, "Recorded: ", "command");
	if (status >= 0)
		out_printf(out, "  exit status %" PRId64 "\n", status);
	out_printf(out, "%" PRId64 " programs run by %" PRId64 " processes in ",
		   db_one(db, "SELECT count(*) FROM exec WHERE NOT forked AND program IS NOT NULL", ""),
		   db_one(db, "SELECT count(*) FROM process", ""));
}

/* ---- failures ---- */

static void put_failed(struct db *db, const struct draw *d)
{
	const struct failures *f = failures_of(db);
	struct buf text = { 0 };

	if (!failures_failed(f))
		return;
	failures_text(db, f, &text);
	out_printf(d->out, "%sFAILED%s: ", d->bad ? d->bad : "", d->off ? d->off : "");
	out_write(d->out, text.s, text.len);
	out_puts(d->out, "\n");
	buf_free(&text);
}

/* Print the failures that do not matter for the build. */
static void put_harmless(struct db *db, struct out *out)
{
	static const struct { enum failure_kind kind; const char *text; } kinds[] = {
		{ FAILURE_PROBE, "tried by configure, cmake or the like" },
		{ FAILURE_ANSWER, "an answer, as from test or grep" },
		{ FAILURE_IGNORED, "ignored by its caller" },
	};
	const struct failures *f = failures_of(db);
	const char *before = "\nFailures that did no harm: ";

	for (size_t i = 0; i < sizeof(kinds) / sizeof(*kinds); i++) {
		size_t n = failures_count(f, kinds[i].kind);

		if (n)
			out_printf(out, "%s%zu %s", before, n, kinds[i].text);
		before = n ? "; " : before;
	}
	if (*before == ';')
		out_puts(out, "\n");
}

/*
 * Print the part of an exec's label after the program name, which comes from the arguments: "cc1
 * bad.c".
 */
static void put_work(struct db *db, struct out *out, uint32_t exec, bool has_more)
{
	const struct build *b = build_of(db);
	struct buf words = { 0 }, label = { 0 };
	size_t n, len;
	struct work_arg *args = answers_work_args(db, exec, &words, &n);
	const char *program = build_path(b, b->execs[exec].program, &len), *blank;

	work_of(program, len, args, n, &label);
	blank = label.len ? memchr(label.s, ' ', label.len) : NULL;
	if (blank) {
		out_puts(out, has_more ? ", first on " : ", on ");
		stats_put_name(out, blank + 1, (size_t)(label.s + label.len - blank - 1), 0);
	}
	free(args);
	buf_free(&words);
	buf_free(&label);
}

/* @text: SQL with columns program, count, signal or 0, exit status or 0, first exec or 0 */
static void put_programs(struct db *db, struct out *out, uint64_t top, const char *title,
			 const char *text)
{
	struct sqlite3_stmt *st = db_ask(db, text, "i", (int64_t)top);
	char name[32];

	while (db_row(db, st)) {
		if (title)
			out_printf(out, "\n%s:\n", title);
		title = NULL;
		out_printf(out, "  %8" PRId64 "  ", db_int(st, 1));
		if (!put_name(out, db, db_id(db, st, 0, DB_FILES)))
			out_puts(out, "?");
		if (db_int(st, 2)) {
			signal_name((unsigned int)db_int(st, 2), name, sizeof(name));
			out_printf(out, ": %s", name);
		} else if (db_int(st, 3)) {
			out_printf(out, ": exit status %" PRId64, db_int(st, 3));
		}
		if (db_int(st, 4))
			put_work(db, out, db_id(db, st, 4, DB_EXECS), db_int(st, 1) > 1);
		out_puts(out, "\n");
	}
}

static void put_failures(struct db *db, struct out *out, uint64_t top)
{
	static const char failed[] =
		"SELECT program, count(*) AS n, coalesce(signal, 0) AS killed, status, min(id) FROM exec\n"
		" WHERE ended = 0 AND (status <> 0 OR signal <> 0) GROUP BY program, killed, status\n"
		" ORDER BY killed = 0, n DESC, min(id) LIMIT ?";
	static const char rings[] =
		"SELECT program, count(*) AS n, 0, 0, 0 FROM exec WHERE unseen & 4 GROUP BY program\n"
		" ORDER BY n DESC, min(id) LIMIT ?";

	_Static_assert(GRAPH_UNSEEN_URING == 4, "as the question says");
	put_programs(db, out, top, "Failed, or ended by a signal", failed);
	put_harmless(db, out);
	put_programs(db, out, top, "Set up an io_uring, through which they may have done more", rings);
}

/* ---- outside ---- */

static void put_findings(const struct check *c, struct out *out, uint64_t top)
{
	size_t n = 0, network = 0;

	for (size_t i = 0; i < c->n; i++) {
		const struct check_finding *f = &c->rows[i];

		network += f->kind == CHECK_NETWORK;
		if (f->kind != CHECK_OUTSIDE)
			continue;
		if (!n++) {
			out_puts(out, "\nFiles outside ");
			for (size_t k = 0; k < c->ntrees; k++) {
				stats_put_name(out, c->trees[k], strlen(c->trees[k]), 0);
				out_puts(out, k + 1 < c->ntrees ? ", " : "");
			}
			out_puts(out, " and the installed system:\n");
		}
		if (n > top)
			continue;
		out_printf(out, "  %8s  ", f->what);
		check_put_path(out, f);
		out_puts(out, "\n");
	}
	if (n > top)
		out_printf(out, "  and %zu more\n", n - (size_t)top);
	if (network)
		out_printf(out, "\nNetwork addresses tried: %zu\n", network);
}

/*
 * Make the texts about failures, and about the first @top files outside the build, before the
 * timeline is loaded, so that their data and the timeline are not in memory at the same time.
 */
static struct out *find_wrong(struct db *db, uint64_t top, bool *failed)
{
	struct out *text = out_mem();
	struct check c;

	put_failures(db, text, top);
	*failed = failures_failed(failures_of(db));
	failures_forget(db);
	check_init(&c, db);
	check_find(&c);
	put_findings(&c, text, top);
	check_free(&c);
	return text;
}

static void put_wrong(struct out *text, struct out *out)
{
	size_t len;
	const void *s = out_mem_data(text, &len);

	out_write(out, s, len);
	out_close(text);
}

/* Draw the pictures last, so that they are visible on a terminal at the end. */
static void put_pictures(const struct timeline *t, const struct draw *d, uint64_t top)
{
	struct critical_path path = { 0 };
	struct faster faster;

	draw_parallel(t, d);
	timeline_path(t, &path);
	draw_path(t, &path, top, d);
	faster_find(&faster, t, &path);
	faster_put(t, &faster, d->out);
	timeline_path_free(&path);
}

/* ---- suggested commands ---- */

/* Commands to continue with; "@" is replaced by the name of the trace. */
static const char *const commands[][2] = {
	{ "explain @", "what failed first, and what is known about it" },
	{ "time @", "where the time went; the critical path" },
	{ "deps @ FILE", "what a file was made from; rdeps: what was made from it" },
	{ "why @ FILE", "what made a file, and how another file got into it" },
	{ "check @", "what can make the next build wrong" },
	{ "used @", "packages and sources that were used" },
	{ "compdb @", "compile_commands.json" },
	{ "diff OLD @", "where two builds differ; rebuilt: why steps ran again" },
};

/* The description of a longer command goes to the next line. */
#define COMMAND_WIDTH 40u

static void put_commands(struct db *db, struct out *out, bool failed)
{
	struct buf trace = { 0 }, line = { 0 };

	/* a trace from standard input cannot be read again */
	if (access(db->name, R_OK))
		buf_adds(&trace, "TRACE");
	else
		sh_quote(&trace, db->name, strlen(db->name));
	out_puts(out, "\nMore:\n");
	for (size_t i = 0; i < sizeof(commands) / sizeof(*commands); i++) {
		const char *at = strchr(commands[i][0], '@');

		/* etrace explain only for builds that failed */
		if (!i && !failed)
			continue;
		line.len = 0;
		buf_add(&line, commands[i][0], (size_t)(at - commands[i][0]));
		buf_add(&line, trace.s, trace.len);
		buf_adds(&line, at + 1);
		out_printf(out, "  etrace %.*s", (int)line.len, line.s);
		if (line.len > COMMAND_WIDTH)
			out_puts(out, "\n        ");
		out_printf(out, "%*s %s\n", line.len > COMMAND_WIDTH ? 0 : (int)(COMMAND_WIDTH - line.len), "",
			   commands[i][1]);
	}
	buf_free(&trace);
	buf_free(&line);
}

void first_put(struct db *db, uint64_t top, const struct draw *d)
{
	struct times w = { .out = d->out, .top = top };
	struct out *out = d->out, *wrong;
	struct timeline t;
	bool failed;

	put_failed(db, d);
	wrong = find_wrong(db, top, &failed);
	put_verdict(db, out);
	put_recorded(db, out);
	timeline_load(&t, db);
	times_first(&t, &w);
	put_wrong(wrong, out);
	put_pictures(&t, d, top);
	timeline_free(&t);
	put_commands(db, out, failed);
	out_puts(out, "  etrace-read --stats  counts of all events, names and failed calls\n");
}
