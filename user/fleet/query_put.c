// SPDX-License-Identifier: LGPL-2.1
/* Prints answers as a table and as JSON.  See query.h. */
#include "fleet/query.h"
#include "base/screen.h"
#include "base/text_num.h"
#include "fleet/when.h"
#include "io/json_out.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* Maximum width of a text, in columns. */
#define WIDEST 400u
/* Digits of a hash that a table shows. */
#define HASH_SHOWN 12u

enum kind {
	TEXT,
	LIST,		/* texts separated by NULs */
	COUNT,
	YES,		/* 0 or 1 */
	SPAN,		/* nanoseconds */
	CHANGE,		/* difference in nanoseconds */
	PERCENT,	/* difference in percent */
	SIZE,		/* bytes */
	BEGAN,		/* seconds since 1970 */
	STAMP,		/* nanoseconds since 1970 */
	HASH,
};

/* All columns of all answers: their names in JSON, and how a table shows them. */
static const struct column {
	const char *name;
	const char *heading;	/* NULL if only in JSON */
	enum kind kind;
} columns[] = {
	{ "accesses", NULL, COUNT },
	{ "again", "again", COUNT },
	{ "backend", NULL, TEXT },
	{ "before_times", NULL, COUNT },
	{ "before_ns", "before", SPAN },
	{ "begin", "begin", BEGAN },
	{ "build", NULL, TEXT },
	{ "builds", "builds", COUNT },
	{ "change_ns", "change", CHANGE },
	{ "change_percent", "%", PERCENT },
	{ "class", "class", TEXT },
	{ "command", NULL, TEXT },
	{ "complete", NULL, YES },
	{ "failed", "failed", COUNT },
	{ "file", NULL, COUNT },
	{ "files", "files", COUNT },
	{ "first", "first", BEGAN },
	{ "host", "host", TEXT },
	{ "hosts", "hosts", COUNT },
	{ "kernel", NULL, TEXT },
	{ "label", "step", TEXT },
	{ "last", "last", BEGAN },
	{ "made", NULL, YES },
	{ "median_ns", "median", SPAN },
	{ "missing", "missing", TEXT },
	{ "mtime_ns", "changed", STAMP },
	{ "name", "name", TEXT },
	{ "output", "output", TEXT },
	{ "package", "package", TEXT },
	{ "path", "file", TEXT },
	{ "project", "project", TEXT },
	{ "reason", "why", TEXT },
	{ "rebuild_ns", "rebuild", SPAN },
	{ "rebuilds", "steps", COUNT },
	{ "root", NULL, TEXT },
	{ "saved_ns", "saved", SPAN },
	{ "sha256", "SHA-256", HASH },
	{ "size_bytes", "size", SIZE },
	{ "status", "status", COUNT },
	{ "statuses", "statuses", LIST },
	{ "steps", "steps", COUNT },
	{ "tags", "tags", LIST },
	{ "times", "times", COUNT },
	{ "took_ns", "took", SPAN },
	{ "version", "version", TEXT },
	{ "worst_ns", "worst", SPAN },
};

static const struct column *column_of(const char *name)
{
	static const struct column other = { "other", "other", TEXT };

	for (size_t i = 0; i < sizeof(columns) / sizeof(*columns); i++)
		if (!strcmp(columns[i].name, name))
			return &columns[i];
	return &other;
}

static bool is_number(enum kind kind)
{
	return kind >= COUNT && kind != BEGAN && kind != STAMP && kind != HASH;
}

/* ---- tables ---- */

static void add_span(struct buf *b, int64_t ns)
{
	if (ns < 0)
		buf_addc(b, '-');
	buf_adds(b, text_time(ns < 0 ? -(uint64_t)ns : (uint64_t)ns));
}

static void add_list(struct buf *b, const char *text, size_t len)
{
	for (size_t i = 0; i < len; i++)
		buf_addc(b, text[i] ? text[i] : ' ');
}

/* Append a cell as it is shown; control characters are replaced later. */
static void add_cell(struct buf *b, enum kind kind, const char *text, size_t len)
{
	int64_t v = strtoll(text, NULL, 10);
	char when[WHEN_ROOM];

	switch (kind) {
	case COUNT:
		buf_adds(b, v < 0 ? "-" : "");
		buf_adds(b, text_count(v < 0 ? -(uint64_t)v : (uint64_t)v));
		break;
	case CHANGE:
	case PERCENT:
		buf_adds(b, v > 0 ? "+" : "");
		if (kind == CHANGE)
			add_span(b, v);
		else
			buf_add(b, text, len);
		break;
	case SPAN:
		add_span(b, v);
		break;
	case SIZE:
		buf_adds(b, text_bytes((uint64_t)v));
		break;
	case BEGAN:
		buf_adds(b, when_text(v, when));
		break;
	case STAMP:
		buf_adds(b, when_text(v / 1000000000 - (v % 1000000000 < 0), when));
		break;
	case HASH:
		buf_add(b, text, len < HASH_SHOWN ? len : HASH_SHOWN);
		break;
	case LIST:
		add_list(b, text, len);
		break;
	default:
		buf_add(b, text, len);
	}
}

/* The text of a cell. */
struct shown {
	size_t at, len;		/* where it is in table.text */
	unsigned int width;
};

struct table {
	const struct server_answer *answer;
	const struct column **columns;	/* NULL if not shown: only in JSON, or empty */
	unsigned int *widths;
	struct shown *cells;	/* row by row, the headings first */
	size_t nrows;		/* including the headings */
	struct buf text;
};

static void put_cell(struct table *t, size_t row, size_t column, const char *text, size_t len)
{
	struct shown *s = &t->cells[row * t->answer->ncolumns + column];

	s->at = t->text.len;
	s->width = screen_add(&t->text, text, len, WIDEST, true);
	s->len = t->text.len - s->at;
	if (s->width > t->widths[column])
		t->widths[column] = s->width;
}

static bool is_empty(const struct server_answer *a, size_t column, size_t nrows)
{
	for (size_t r = 0; r < nrows; r++)
		if (!a->cells[r * a->ncolumns + column] || a->lens[r * a->ncolumns + column])
			return false;
	return true;
}

static void table_fill(struct table *t, const struct server_answer *a, size_t nrows)
{
	struct buf b = { 0 };

	t->answer = a;
	t->nrows = nrows + 1;
	t->columns = xcalloc(a->ncolumns, sizeof(*t->columns));
	t->widths = xcalloc(a->ncolumns, sizeof(*t->widths));
	t->cells = xcalloc(t->nrows * a->ncolumns, sizeof(*t->cells));
	for (size_t c = 0; c < a->ncolumns; c++) {
		const struct column *column = column_of(a->names[c]);

		if (!column->heading || is_empty(a, c, nrows))
			continue;
		t->columns[c] = column;
		put_cell(t, 0, c, column->heading, strlen(column->heading));
		for (size_t r = 0; r < nrows; r++) {
			size_t i = r * a->ncolumns + c;

			b.len = 0;
			if (a->cells[i])
				add_cell(&b, column->kind, a->cells[i], a->lens[i]);
			else
				buf_addc(&b, '-');
			put_cell(t, r + 1, c, b.s ? b.s : "", b.len);
		}
	}
	buf_free(&b);
}

static void table_free(struct table *t)
{
	free(t->columns);
	free(t->widths);
	free(t->cells);
	buf_free(&t->text);
}

static void put_row(const struct table *t, size_t row, struct out *out)
{
	unsigned int blanks = 0;

	for (size_t c = 0; c < t->answer->ncolumns; c++) {
		const struct shown *s = &t->cells[row * t->answer->ncolumns + c];
		unsigned int pad = t->widths[c] - s->width;

		if (!t->columns[c])
			continue;
		if (is_number(t->columns[c]->kind)) {
			blanks += pad;
			pad = 0;
		}
		/* no blanks at the end of a line */
		if (s->len && t->text.s) {
			out_printf(out, "%*s", (int)blanks, "");
			out_write(out, t->text.s + s->at, s->len);
		}
		blanks = (s->len ? 0 : blanks + s->width) + pad + 2;
	}
	out_puts(out, "\n");
}

static void put_table(const struct server_answer *a, size_t nrows, struct out *out)
{
	struct table t = { 0 };

	table_fill(&t, a, nrows);
	for (size_t r = 0; r < t.nrows; r++)
		put_row(&t, r, out);
	table_free(&t);
}

/* ---- JSON ---- */

static void json_list_of(struct json *j, const char *text, size_t len)
{
	json_begin(j, '[');
	for (size_t at = 0; at < len;) {
		size_t n = strnlen(text + at, len - at);

		json_str(j, text + at, n);
		at += n + 1;
	}
	json_end(j, ']');
}

static void json_cell(struct json *j, const char *name, const char *text, size_t len)
{
	enum kind kind = column_of(name)->kind;
	char when[WHEN_ROOM];

	if (text && (kind == TEXT || kind == HASH)) {
		json_text(j, name, text, len);
		return;
	}
	json_key(j, name);
	if (!text)
		json_null(j);
	else if (kind == LIST)
		json_list_of(j, text, len);
	else if (kind == YES)
		json_bool(j, *text != '0');
	else if (kind == BEGAN)
		json_cstr(j, when_iso(strtoll(text, NULL, 10), when));
	else
		json_i64(j, strtoll(text, NULL, 10));
}

static void put_json(const char *part, const struct server_answer *a, size_t nrows, struct out *out)
{
	struct json j = { .out = out };

	for (size_t r = 0; r < nrows; r++) {
		json_begin(&j, '{');
		json_member(&j, "fleet", part);
		for (size_t c = 0; c < a->ncolumns; c++) {
			size_t i = r * a->ncolumns + c;

			json_cell(&j, a->names[c], a->cells[i], a->lens[i]);
		}
		json_end(&j, '}');
		json_line(&j);
	}
}

/* ---- the whole answer ---- */

void query_put(const struct query *q, size_t part, const struct server_answer *a, uint64_t limit,
	       struct out *out, bool json)
{
	const struct query_part *p = &q->parts[part];
	size_t nrows = a->nrows < limit ? a->nrows : limit;

	if (json) {
		put_json(p->name, a, nrows, out);
		return;
	}
	if (!nrows) {
		if (p->none)
			out_printf(out, "%s\n", p->none);
		return;
	}
	if (p->heading)
		out_printf(out, "\n%s\n", p->heading);
	put_table(a, nrows, out);
	if (nrows < a->nrows)
		out_printf(out, "There are more rows than the limit of %" PRIu64 "; --limit N prints more\n", limit);
}
