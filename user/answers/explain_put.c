// SPDX-License-Identifier: LGPL-2.1
/* Writes the output of etrace explain, for people and as JSON.  See explain.h. */
#include "answers/explain.h"
#include "answers/print_names.h"
#include "base/text_num.h"
#include "io/stats_out.h"
#include "build/build.h"

#include <ctype.h>
#include <inttypes.h>
#include <string.h>

/* ---- text ---- */

struct put {
	struct explain *x;
	struct out *out;
	const char *bold, *off;
};

static void put_head(const struct put *p, const char *head)
{
	out_printf(p->out, "%s%s%s", p->bold, head, p->off);
	out_printf(p->out, "%*s", (int)(strlen(head) < 12 ? 12 - strlen(head) : 1), "");
}

/* Print a path relative to the directory in which the build was started. */
static void put_relative(const struct put *p, const char *path, size_t len)
{
	struct buf whole = { .s = (char *)(uintptr_t)path, .len = len };
	const char *s;

	answers_relative(p->x->db, &whole, &s, &len);
	put_path(p->out, s, len);
}

static void put_row(const struct put *p, uint32_t file)
{
	size_t len;
	const char *path = build_path(build_of(p->x->db), file, &len);

	put_relative(p, path, len);
}

static void put_files(const struct put *p, const char *head, const struct explain_list *l)
{
	for (size_t i = 0; i < l->n && i < EXPLAIN_ROWS; i++) {
		put_head(p, i ? "" : head);
		put_row(p, l->row[i]);
		out_puts(p->out, "\n");
	}
	if (l->n > EXPLAIN_ROWS)
		out_printf(p->out, "            and %zu more\n", l->n - EXPLAIN_ROWS);
}

/* Print the command of an exec; for a forked child, its parent's. */
static void put_run(const struct put *p, uint32_t exec, bool full)
{
	put_command(p->out, p->x->db, build_with_command(build_of(p->x->db), exec), full);
}

static void put_execs(const struct put *p, const char *head, const struct explain_list *l, bool how)
{
	struct buf text = { 0 };

	for (size_t i = 0; i < l->n && i < EXPLAIN_ROWS; i++) {
		put_head(p, i ? "" : head);
		put_run(p, failures_command(p->x->f, l->row[i]), false);
		if (how) {
			text.len = 0;
			failures_how(p->x->db, l->row[i], &text);
			out_printf(p->out, ": %.*s", (int)text.len, text.s);
		}
		out_puts(p->out, "\n");
	}
	if (l->n > EXPLAIN_ROWS)
		out_printf(p->out, "            and %zu more\n", l->n - EXPLAIN_ROWS);
	buf_free(&text);
}

static void put_printed(const struct put *p)
{
	if (p->x->has_printed) {
		out_printf(p->out, "%sPrinted%s\n", p->bold, p->off);
		for (size_t at = 0; at < p->x->printed.len;) {
			const char *s = p->x->printed.s + at;
			const char *end = memchr(s, '\n', p->x->printed.len - at);
			size_t len = end ? (size_t)(end - s) : p->x->printed.len - at;

			out_puts(p->out, "    ");
			stats_put_name(p->out, s, len, 0);
			out_puts(p->out, "\n");
			at += len + 1;
		}
	} else if (!p->x->tells_printed) {
		out_puts(p->out, "What it printed was not recorded; etrace run --record=output records it.\n");
	}
}

static void put_changes(const struct put *p)
{
	const struct explain *x = p->x;

	if (!x->before)
		return;
	put_head(p, "Before");
	if (!x->matched)
		out_puts(p->out, "the earlier build did not run this command\n");
	else if (x->before_status < 0)
		out_puts(p->out, "the earlier build ran it; how it ended is not known\n");
	else
		out_printf(p->out, "the earlier build ran it, and it %s\n",
			   x->before_status ? "failed there, too" : "succeeded");
	for (size_t i = 0; i < x->nchanges; i++) {
		const struct explain_change *c = &x->changes[i];

		out_printf(p->out, "            %s: ", c->what);
		stats_put_name(p->out, c->now ? c->now : c->then, strlen(c->now ? c->now : c->then), 0);
		if (c->how) {
			out_printf(p->out, ": %s", c->how);
		} else if (c->now && c->then) {
			out_puts(p->out, ", before: ");
			stats_put_name(p->out, c->then, strlen(c->then), 0);
		} else {
			out_puts(p->out, c->now ? ", new" : ", removed");
		}
		out_puts(p->out, "\n");
	}
	if (x->matched && !x->nchanges)
		out_puts(p->out, "            no argument, input or variable that was recorded differs\n");
}

static void put_all(const struct put *p)
{
	const struct build *b = build_of(p->x->db);

	put_head(p, "Command");
	put_run(p, p->x->command, true);
	out_puts(p->out, "\n");
	put_head(p, "Directory");
	put_file(p->out, p->x->db, b->execs[p->x->exec].cwd);
	out_puts(p->out, "\n");
	if (p->x->making.len) {
		put_head(p, "To make");
		put_relative(p, p->x->making.s, p->x->making.len);
		out_puts(p->out, "\n");
	}
	put_files(p, "Read", &p->x->inputs);
	put_files(p, "Looked for", &p->x->missed);
	put_changes(p);
	put_printed(p);
	put_execs(p, "Called by", &p->x->callers, false);
	put_execs(p, "Also failed", &p->x->others, true);
}

/* Write whole lines, up to a limit of words. */
static void put_words(struct out *out, const char *s, size_t len, size_t words)
{
	size_t line = 0;

	for (size_t i = 0; i < len; i++) {
		if (s[i] == '\n')
			line = i + 1;
		if (!isspace((unsigned char)s[i]) && (!i || isspace((unsigned char)s[i - 1])) && !words--) {
			out_write(out, s, line);
			out_puts(out, "[cut after 2,000 words; --json has the rest]\n");
			return;
		}
	}
	out_write(out, s, len);
}

void explain_text(struct explain *x, struct out *out, const char *bad, const char *bold,
		  const char *off)
{
	struct out *text = out_mem();
	const struct put p = { x, text, bold, off };
	struct buf line = { 0 };
	size_t len;
	const void *s;

	if (x->exec) {
		failures_text(x->db, x->f, &line);
		out_puts(out, bad);
		out_write(out, line.s, line.len);
		out_printf(out, "%s\n", off);
		put_all(&p);
	} else {
		out_puts(out, "The build did not fail.\n");
	}
	s = out_mem_data(text, &len);
	put_words(out, s, len, EXPLAIN_WORDS - 250);
	out_close(text);
	buf_free(&line);
}

/* ---- JSON ---- */

static void json_files(struct json *j, const char *name, struct explain *x,
		       const struct explain_list *l)
{
	size_t len;

	json_list(j, name);
	for (size_t i = 0; i < l->n && i < EXPLAIN_ROWS; i++) {
		const char *path = build_path(build_of(x->db), l->row[i], &len);

		json_str(j, path, len);
	}
	json_end(j, ']');
}

/* Maximum number of bytes of a command that are shown. */
#define COMMAND_BYTES	4000u

static void json_command(struct json *j, const char *name, struct explain *x, uint32_t exec)
{
	struct buf command = { 0 };

	answers_command(x->db, build_with_command(build_of(x->db), exec), &command);
	json_text(j, name, command.s ? command.s : "",
		  command.len < COMMAND_BYTES ? command.len : COMMAND_BYTES);
	buf_free(&command);
}

static void json_status(struct json *j, const struct build_exec *e)
{
	if (e->signal > 0) {
		json_key(j, "signal");
		json_i64(j, e->signal);
	} else if (e->status >= 0) {
		json_key(j, "status");
		json_i64(j, e->status);
	}
}

static void json_execs(struct json *j, const char *name, struct explain *x,
		       const struct explain_list *l)
{
	json_list(j, name);
	for (size_t i = 0; i < l->n && i < EXPLAIN_ROWS; i++) {
		json_begin(j, '{');
		json_command(j, "command", x, failures_command(x->f, l->row[i]));
		json_file(j, "cwd", x->db, build_of(x->db)->execs[l->row[i]].cwd);
		json_status(j, &build_of(x->db)->execs[l->row[i]]);
		json_end(j, '}');
	}
	json_end(j, ']');
}

static void json_before(struct json *j, const struct explain *x)
{
	if (!x->before)
		return;
	json_key(j, "before");
	json_begin(j, '{');
	json_key(j, "ran");
	json_bool(j, x->matched);
	if (x->before_status >= 0) {
		json_key(j, "status");
		json_i64(j, x->before_status);
	}
	json_list(j, "changes");
	for (size_t i = 0; i < x->nchanges; i++) {
		json_begin(j, '{');
		json_member(j, "what", x->changes[i].what);
		if (x->changes[i].then)
			json_text(j, "then", x->changes[i].then, strlen(x->changes[i].then));
		if (x->changes[i].now)
			json_text(j, "now", x->changes[i].now, strlen(x->changes[i].now));
		if (x->changes[i].how)
			json_member(j, "how", x->changes[i].how);
		json_end(j, '}');
	}
	json_end(j, ']');
	json_end(j, '}');
}

static void json_counts(struct json *j, const struct explain *x)
{
	static const struct { const char *key; enum failure_kind kind; } keys[] = {
		{ "first", FAILURE_FIRST }, { "real", FAILURE_REAL }, { "passed_on", FAILURE_PASSED_ON },
		{ "followed", FAILURE_FOLLOWED }, { "probe", FAILURE_PROBE },
		{ "answer", FAILURE_ANSWER }, { "ignored", FAILURE_IGNORED },
	};

	json_key(j, "counts");
	json_begin(j, '{');
	for (size_t i = 0; i < sizeof(keys) / sizeof(*keys); i++) {
		json_key(j, keys[i].key);
		json_u64(j, failures_count(x->f, keys[i].kind));
	}
	json_end(j, '}');
}

static void json_on(struct json *j, const struct failure_on *on)
{
	json_member(j, "reason", failure_reason_word(on->reason));
	if (on->path.len)
		json_text(j, "path", on->path.s, on->path.len);
	if (on->name.len)
		json_text(j, "name", on->name.s, on->name.len);
	if (on->likely) {
		json_key(j, "likely");
		json_bool(j, true);
	}
	if (on->subject.len)
		json_text(j, "on", on->subject.s, on->subject.len);
}

static void json_place(struct json *j, const struct explain *x)
{
	if (x->making.len)
		json_text(j, "making", x->making.s, x->making.len);
	if (!x->place.line)
		return;
	json_text(j, "file", x->place.file.s, x->place.file.len);
	json_key(j, "line");
	json_u64(j, x->place.line);
	json_key(j, "column");
	json_u64(j, x->place.column);
	json_text(j, "message", x->place.message.s ? x->place.message.s : "", x->place.message.len);
}

/* Write member "first": the content of the first line for people. */
static void json_first_line(struct json *j, struct explain *x)
{
	const struct build_exec *e = &build_of(x->db)->execs[x->exec];

	json_key(j, "first");
	json_begin(j, '{');
	json_key(j, "exec");
	json_u64(j, x->exec);
	json_file(j, "program", x->db, build_of(x->db)->execs[build_with_command(build_of(x->db),
										 x->exec)].program);
	json_command(j, "command", x, x->command);
	json_file(j, "cwd", x->db, e->cwd);
	json_status(j, e);
	json_key(j, "failed_because_of_it");
	json_u64(j, failures_after(x->f, x->exec));
	json_on(j, &x->on);
}

static void json_first(struct json *j, struct explain *x)
{
	json_first_line(j, x);
	json_place(j, x);
	json_files(j, "inputs", x, &x->inputs);
	json_files(j, "looked_for", x, &x->missed);
	if (x->has_printed)
		json_text(j, "printed", x->printed.s ? x->printed.s : "", x->printed.len);
	json_before(j, x);
	json_execs(j, "called_by", x, &x->callers);
	json_end(j, '}');
}

static void json_build(struct json *j, const struct explain *x)
{
	struct buf line = { 0 };

	json_key(j, "failed");
	json_bool(j, failures_failed(x->f));
	if (failures_status(x->f) >= 0) {
		json_key(j, "build_status");
		json_i64(j, failures_status(x->f));
	}
	failures_text(x->db, x->f, &line);
	if (line.len)
		json_text(j, "text", line.s, line.len);
	json_counts(j, x);
	buf_free(&line);
}

void explain_json(struct explain *x, struct out *out)
{
	struct json j = { .out = out };

	json_begin(&j, '{');
	json_build(&j, x);
	if (x->exec)
		json_first(&j, x);
	json_execs(&j, "others", x, &x->others);
	json_end(&j, '}');
	json_line(&j);
}

void explain_json_short(struct db *db, struct json *j)
{
	struct explain x;

	explain_first(&x, db);
	json_key(j, "explain");
	json_begin(j, '{');
	json_build(j, &x);
	if (x.exec) {
		json_first_line(j, &x);
		json_end(j, '}');
	}
	json_end(j, '}');
	explain_free(&x);
}
