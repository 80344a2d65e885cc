// SPDX-License-Identifier: LGPL-2.1
/* Collects what is known about the first failure of a build.  See explain.h. */
#include "answers/explain.h"
#include "base/path.h"
#include "base/utf8.h"
#include "base/xalloc.h"
#include "event/redact.h"
#include "build/build.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

static void add_row(struct explain_list *l, uint32_t row)
{
	for (size_t i = 0; i < l->n && i < EXPLAIN_ROWS; i++)
		if (l->row[i] == row)
			return;
	if (l->n < EXPLAIN_ROWS)
		l->row[l->n] = row;
	l->n++;
}

/* ---- files ---- */

/* Whether a file belongs to the project: below the directory of the build, or made by it. */
static bool is_own(const struct build *b, uint32_t start, uint32_t file)
{
	size_t len, n;
	const char *path = build_path(b, file, &len), *dir = build_path(b, start, &n);

	return n && len > n && (n == 1 || path_within(path, len, dir, n));
}

static void take_files(struct explain *x, uint32_t exec)
{
	const struct build *b = build_of(x->db);
	const struct build_exec *e = &b->execs[exec];
	uint32_t start = answers_start(x->db);

	for (uint32_t i = 0; i < e->uses; i++) {
		const struct build_access *a = &b->accesses[e->first + i];
		const struct build_version *v = &b->versions[a->version];

		if (a->how == GRAPH_READ && a->class == GRAPH_DATA && a->file && !build_is_queue(v) &&
		    (build_is_made(v) || is_own(b, start, a->file)))
			add_row(&x->inputs, a->file);
	}
}

/* Collect the places where the program looked for the missing file. */
static void take_missed(struct explain *x)
{
	const struct build *b = build_of(x->db);
	uint32_t n = build_misses(b, x->exec);
	size_t len;

	for (uint32_t i = 0; i < n && x->on.name.len; i++) {
		uint32_t file = build_miss_of(b, x->exec, i)->file;
		const char *path = build_path(b, file, &len);

		if (len > x->on.name.len && path[len - x->on.name.len - 1] == '/' &&
		    !memcmp(path + len - x->on.name.len, x->on.name.s, x->on.name.len))
			add_row(&x->missed, file);
	}
}

/* ---- what it was making ---- */

static bool take_output(struct explain *x, uint32_t exec)
{
	const struct build *b = build_of(x->db);
	struct buf args = { 0 };
	size_t n = answers_args(x->db, exec, &args), len;
	const char *at = args.s, *out = NULL, *cwd = build_path(b, b->execs[exec].cwd, &len);

	for (size_t i = 0; i < n && !out; i++, at += strlen(at) + 1) {
		if (!strcmp(at, "-o") && i + 1 < n)
			out = at + 3;
		else if (!strncmp(at, "--output=", 9))
			out = at + 9;
	}
	if (out && *out && strcmp(out, "-")) {
		if (*out != '/') {
			buf_add(&x->making, cwd, len);
			buf_addc(&x->making, '/');
		}
		buf_adds(&x->making, out);
		path_clean(&x->making);
	}
	buf_free(&args);
	return x->making.len;
}

/* Collect the files that the program, or its shell, wrote, except temporary ones. */
static void take_written(struct explain *x)
{
	const struct build *b = build_of(x->db);
	const struct build_exec *e = &b->execs[x->command];
	uint32_t start = answers_start(x->db);
	size_t len;

	for (uint32_t i = 0; i < e->uses && !x->making.len; i++) {
		const struct build_access *a = &b->accesses[e->first + i];

		if (a->how == GRAPH_WRITE && a->file && is_own(b, start, a->file)) {
			const char *path = build_path(b, a->file, &len);

			buf_add(&x->making, path, len);
		}
	}
}

/* ---- its output ---- */

/* Maximum number of words shown of the program's output. */
#define PRINTED_WORDS	600u

/* Keep the last lines, with at most PRINTED_WORDS words. */
static void keep_end(struct buf *text)
{
	size_t words = 0, from = text->len;

	while (from && words < PRINTED_WORDS) {
		from--;
		words += !isspace((unsigned char)text->s[from]) &&
			 (!from || isspace((unsigned char)text->s[from - 1]));
	}
	while (from && from < text->len && text->s[from - 1] != '\n')
		from++;
	if (from)
		memmove(text->s, text->s + from, text->len - from);
	text->len -= from;
}

/* Append the output of the program, or of its nearest caller that failed and printed any. */
bool explain_printed(struct explain *x, uint32_t exec, struct buf *to)
{
	bool found = false;

	for (uint32_t i = exec; i && !found; i = failures_caller(x->f, i)) {
		if (!failures_kind(x->f, i))
			break;
		found = failures_printed(x->db, i, to);
	}
	if (found && x->db->redact)
		redact_line(to->s, &to->len);
	return found;
}

/* The length of the path in "path:12:5: error: text".  Return: 0 if the line has another form. */
static size_t place_end(const char *s, size_t len, uint32_t *line, uint32_t *column)
{
	for (size_t i = 1; i + 1 < len; i++) {
		size_t at = i + 1;
		uint32_t n = 0;

		if (s[i] != ':' || !isdigit((unsigned char)s[at]))
			continue;
		while (at < len && isdigit((unsigned char)s[at]) && n < 100000000)
			n = n * 10 + (uint32_t)(s[at++] - '0');
		if (at >= len || s[at] != ':')
			continue;
		*line = n;
		*column = 0;
		for (at++; at < len && isdigit((unsigned char)s[at]) && *column < 100000000; at++)
			*column = *column * 10 + (uint32_t)(s[at] - '0');
		return i;
	}
	return 0;
}

static bool line_contains(const char *s, size_t len, const char *word)
{
	return memmem(s, len, word, strlen(word));
}

/* Whether a line is an error, not a warning, a note, or a line like "In file included from". */
static bool is_error(const char *s, size_t len)
{
	return !line_contains(s, len, "warning:") && !line_contains(s, len, "note:") &&
	       memcmp(s, "In file", len < 7 ? len : 7) && !isspace((unsigned char)*s);
}

static void take_place(struct explain *x, uint32_t exec, const char *s, size_t len,
		       struct explain_place *place)
{
	const struct build *b = build_of(x->db);
	uint32_t line, column;
	size_t end = place_end(s, len, &line, &column), n;
	const char *cwd = build_path(b, b->execs[exec].cwd, &n);

	if (!end || !is_error(s, len) || place->line)
		return;
	if (*s != '/') {
		buf_add(&place->file, cwd, n);
		buf_addc(&place->file, '/');
	}
	buf_add(&place->file, s, end);
	path_clean(&place->file);
	/* "12:30:05: began" is not a place: the build has no file of that name */
	if (!build_find(b, place->file.s, place->file.len)) {
		buf_free(&place->file);
		return;
	}
	place->line = line;
	place->column = column;
	end = end + strcspn(s + end, " ") < len ? end + strcspn(s + end, " ") + 1 : end;
	buf_add(&place->message, s + end, len - end);
}

void explain_place_of(struct explain *x, uint32_t exec, const struct buf *printed,
		      struct explain_place *place)
{
	struct failure_on on;
	struct buf text = { 0 };

	*place = (struct explain_place){ 0 };
	for (size_t at = 0; printed && at < printed->len;) {
		const char *s = printed->s + at, *end = memchr(s, '\n', printed->len - at);
		size_t len = end ? (size_t)(end - s) : printed->len - at;

		take_place(x, exec, s, len, place);
		at += len + 1;
	}
	if (place->line)
		return;
	failures_on(x->f, exec, &on);
	buf_add(&place->file, on.subject.s, on.subject.len);
	failures_text_of(x->db, x->f, exec, true, &text);
	place->message = text;
	failure_on_free(&on);
}

void explain_place_free(struct explain_place *place)
{
	buf_free(&place->file);
	buf_free(&place->message);
}

/* ---- collecting everything ---- */

void explain_first(struct explain *x, struct db *db)
{
	*x = (struct explain){ .db = db, .f = failures_of(db) };
	x->exec = failures_first(x->f);
	if (!x->exec)
		return;
	x->command = failures_command(x->f, x->exec);
	failures_on(x->f, x->exec, &x->on);
}

void explain_take(struct explain *x, struct db *db)
{
	size_t n;
	const uint32_t *all;

	explain_first(x, db);
	if (!x->exec)
		return;
	take_files(x, x->exec);
	if (x->command != x->exec)
		take_files(x, x->command);
	take_missed(x);
	if (!take_output(x, x->command) && !take_output(x, x->exec))
		take_written(x);
	for (uint32_t i = failures_caller(x->f, x->command); i; i = failures_caller(x->f, i))
		add_row(&x->callers, i);
	all = failures_list(x->f, &n);
	for (size_t i = 0; i < n; i++)
		if (failures_kind(x->f, all[i]) == FAILURE_REAL)
			add_row(&x->others, all[i]);
	x->tells_printed = db_one(db, "SELECT count(*) FROM (SELECT 1 FROM printed LIMIT 1)", "");
	x->has_printed = explain_printed(x, x->exec, &x->printed);
	keep_end(&x->printed);
	explain_place_of(x, x->exec, &x->printed, &x->place);
}

void explain_free(struct explain *x)
{
	failure_on_free(&x->on);
	buf_free(&x->making);
	buf_free(&x->printed);
	explain_place_free(&x->place);
	for (size_t i = 0; i < x->nchanges; i++) {
		free(x->changes[i].then);
		free(x->changes[i].now);
	}
}
