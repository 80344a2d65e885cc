// SPDX-License-Identifier: LGPL-2.1
/* Writes a page: its sections, and what is left out if they are too large.  See page.h. */
#include "show/page.h"
#include "answers/check.h"
#include "answers/failures.h"
#include "show/page_parts.h"
#include "answers/used_packages.h"
#include "base/path.h"
#include "base/utf8.h"
#include "base/xalloc.h"
#include "timeline/work.h"
#include "graph/graph.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* Version of the format of the data, which Documentation/page.md describes. */
#define PAGE_VERSION 3

/* ---- commands ---- */

static void put_words(const struct page *p, struct json *j, uint32_t exec, struct buf *list)
{
	size_t len;

	list->len = 0;
	answers_args(p->db, exec, list);
	json_begin(j, '[');
	for (size_t at = 0; at < list->len; at += len + 1) {
		len = strlen(list->s + at);
		json_str(j, list->s + at, len);
	}
	json_end(j, ']');
}

static void put_commands(struct page *p, uint64_t budget)
{
	static const char text[] = "SELECT id, args IS NULL, cwd FROM exec ORDER BY id";
	struct sqlite3_stmt *st = db_ask(p->db, text, "");
	struct buf list = { 0 };
	struct json j = { 0 };
	const char *s;
	size_t i, len;

	for (i = 0; db_row(p->db, st); i++) {
		if (i % PAGE_BLOCK == 0) {
			if (j.out) {
				json_end(&j, ']');
				out_close(j.out);
			}
			j = (struct json){ .out = NULL };
			if (p->sections.packed > budget)
				break;
			j.out = page_section_of(&p->sections, "commands", i / PAGE_BLOCK);
			json_begin(&j, '[');
		}
		if (db_int(st, 1)) {
			json_null(&j);
			continue;
		}
		json_begin(&j, '[');
		s = build_path(build_of(p->db), db_id(p->db, st, 2, DB_FILES), &len);
		json_str(&j, s, len);
		put_words(p, &j, db_id(p->db, st, 0, DB_EXECS), &list);
		json_end(&j, ']');
	}
	if (j.out) {
		json_end(&j, ']');
		out_close(j.out);
	}
	buf_free(&list);
	build_forget_args(build_of(p->db));
}

/* ---- size limit ---- */

static void leave_out(struct page *p, const char *what)
{
	p->left_out = xgrow(p->left_out, &p->left_out_cap, p->nleft_out + 1, sizeof(*p->left_out));
	p->left_out[p->nleft_out++] = what;
}

/* ---- findings and packages, as etrace check and etrace used print them ---- */

/* Maximum number of findings of each kind; nobody reads more. */
#define FINDINGS 1000u

static void put_findings(struct page *p)
{
	struct out *out = page_section(&p->sections, "findings");
	unsigned int n[CHECK_NKINDS] = { 0 };
	struct json j = { .out = out };
	bool all = true;
	struct check c;

	check_init(&c, p->db);
	check_find(&c);
	json_begin(&j, '[');
	for (size_t i = 0; i < c.n; i++) {
		if (n[c.rows[i].kind]++ < FINDINGS)
			check_json(&c, &j, &c.rows[i]);
		else
			all = false;
	}
	json_end(&j, ']');
	check_free(&c);
	out_close(out);
	if (!all)
		leave_out(p, "findings after the first 1000 of each kind; etrace check lists all");
}

static void put_packages(struct page *p)
{
	/* no message if this machine has no package manager */
	struct diag *quiet = diag_new(NULL, "");
	struct out *out = page_section(&p->sections, "packages");
	struct json j = { .out = out };
	struct used u = { .db = p->db, .diag = quiet, .out = out, .json = true, .array = &j,
			  .classes = ~0u, .root = "" };

	json_begin(&j, '[');
	if (used_packages(&u)) {
		json_end(&j, ']');
		out_close(out);
	} else {
		out_close(out);
		page_sections_forget(&p->sections, p->sections.n - 1);
		out = page_section(&p->sections, "packages");
		out_puts(out, "null");
		out_close(out);
	}
	diag_free(quiet);
}

/* Write the large sections, the most important first; leave out what does not fit. */
static void put_bulk(struct page *p, uint64_t budget)
{
	static const char *const left[] = {
		[PAGE_READS_DATA] = "programs and libraries that were used; etrace deps --class lists them",
		[PAGE_READS_MADE] = "what programs read and the build did not make; etrace deps lists it",
		[PAGE_READS_NONE] = "what programs read; etrace deps and etrace rdeps list it",
	};
	unsigned int reads;
	size_t n = p->sections.n;

	if (!page_graph_put_inputs(&p->g, &p->sections, budget)) {
		page_sections_forget(&p->sections, n);
		leave_out(p, "what files were made from; etrace deps and etrace rdeps list it");
	}
	if (p->inside && !page_inside_put(p, budget))
		leave_out(p, "time traces of compilers; etrace-read --compiler-traces shows it in FXT");
	n = p->sections.n;
	put_commands(p, budget);
	if (p->sections.packed > budget) {
		page_sections_forget(&p->sections, n);
		leave_out(p, "commands; etrace why --full shows them");
	}
	n = p->sections.n;
	for (reads = PAGE_READS_ALL; reads <= PAGE_READS_NONE; reads++) {
		page_graph_put_reads(&p->g, &p->sections, (enum page_reads)reads, budget);
		if (p->sections.packed <= budget)
			break;
		page_sections_forget(&p->sections, n);
	}
	reads = reads > PAGE_READS_NONE ? PAGE_READS_NONE : reads;
	if (reads)
		leave_out(p, left[reads]);
}

/* ---- meta ---- */

static void put_text(struct page *p, struct json *j, const char *name, const char *key)
{
	size_t len;
	const char *s = db_meta_text(p->db, key, &len);

	json_key(j, name);
	if (s)
		json_str(j, s, len);
	else
		json_null(j);
}

static void put_lines(struct page *p, struct json *j, const char *key)
{
	size_t len;
	const char *s = db_meta_text(p->db, key, &len), *end = s + len, *line;

	for (; s && s < end; s = line + 1) {
		line = memchr(s, '\n', (size_t)(end - s));
		line = line ? line : end;
		if (line > s)
			json_str(j, s, (size_t)(line - s));
	}
}

static void put_number(struct json *j, const char *name, bool known, int64_t v)
{
	json_key(j, name);
	if (known)
		json_i64(j, v);
	else
		json_null(j);
}

static void put_strings(struct json *j, const char *name, const char *const *list, size_t n)
{
	json_list(j, name);
	for (size_t i = 0; i < n; i++)
		json_cstr(j, list[i]);
	json_end(j, ']');
}

/* Write the words for the numbers of a kind, from 0 on. */
static void put_words_of(struct page *p, struct json *j, const char *kind)
{
	static const char text[] = "SELECT word FROM word WHERE of = ? ORDER BY number";
	struct sqlite3_stmt *st = db_ask(p->db, text, "t", kind, strlen(kind));
	const char *s;
	size_t len;

	json_list(j, kind);
	while (db_row(p->db, st)) {
		s = db_bytes(st, 0, &len);
		json_str(j, s, len);
	}
	json_end(j, ']');
}

static const char *title_of(struct db *db, size_t *len)
{
	const char *s = db_meta_text(db, "command", len);

	if (s && *len)
		return s;
	s = path_base(db->name);
	*len = strlen(s);
	return s;
}

static void put_title(struct page *p, struct json *j)
{
	size_t len;
	const char *s = title_of(p->db, &len);

	json_key(j, "title");
	json_str(j, s, len);
}

static void put_counts(struct page *p, struct json *j)
{
	json_key(j, "counts");
	json_begin(j, '{');
	page_times_counts(p, j);
	put_number(j, "files", true, p->g.files_put);
	put_number(j, "versions", true, p->g.versions_put);
	put_number(j, "run", true, db_one(p->db, "SELECT count(*) FROM exec\n"
					  " WHERE NOT forked AND program IS NOT NULL", ""));
	json_end(j, '}');
}

/* Write whether the build failed, and the words for the numbers of the column "failure". */
static void put_failures(struct page *p, struct json *j)
{
	json_key(j, "failed");
	json_bool(j, p->failed);
	json_list(j, "failure_words");
	for (unsigned int kind = 0; kind < FAILURE_KINDS; kind++)
		json_cstr(j, failure_word((enum failure_kind)kind));
	json_end(j, ']');
}

static void put_meta(struct page *p)
{
	struct out *out = page_section(&p->sections, "meta");
	struct json j = { .out = out };
	int64_t status = db_meta(p->db, "status", -1), begin;
	bool known = answers_realtime(p->db, &begin);

	json_begin(&j, '{');
	json_member(&j, "etrace", ETRACE_VERSION);
	put_number(&j, "page", true, PAGE_VERSION);
	put_number(&j, "block", true, PAGE_BLOCK);
	put_title(p, &j);
	put_text(p, &j, "command", "command");
	put_number(&j, "status", status >= 0, status);
	json_key(&j, "complete");
	json_bool(&j, p->db->complete);
	json_list(&j, "missing");
	if (!p->db->complete) {
		put_lines(p, &j, "missing");
		put_lines(p, &j, "verdict");
	}
	json_end(&j, ']');
	put_number(&j, "begin", known, begin / 1000000);
	put_number(&j, "wall", true, p->sum.wall);
	put_number(&j, "cpu", p->sum.costs, p->sum.cpu);
	json_key(&j, "average");
	json_f64(&j, p->sum.average);
	put_number(&j, "endless", true, p->sum.endless);
	put_counts(p, &j);
	put_strings(&j, "classes", work_classes, WORK_CLASSES);
	put_strings(&j, "whys", path_whys, PATH_WHYS);
	put_words_of(p, &j, "made");
	put_failures(p, &j);
	page_inside_meta(p, &j);
	put_strings(&j, "left_out", p->left_out, p->nleft_out);
	json_end(&j, '}');
	out_close(out);
}

/* ---- the whole page ---- */

static void put_html(struct out *out, const char *s, size_t len)
{
	char *text = utf8_replace(s, len, &len);

	for (size_t i = 0; i < len; i++) {
		if (strchr("&<>", text[i]))
			out_printf(out, "&#%d;", text[i]);
		else
			out_write(out, &text[i], 1);
	}
	free(text);
}

/* Write a part of the template with the title inserted, so that it needs no script. */
static void put_template(struct out *out, const char *from, const char *to, struct db *db)
{
	static const char mark[] = "<!--TITLE-->";
	size_t len;
	const char *title = title_of(db, &len), *at;

	while ((at = memmem(from, (size_t)(to - from), mark, strlen(mark)))) {
		out_write(out, from, (size_t)(at - from));
		put_html(out, title, len);
		from = at + strlen(mark);
	}
	out_write(out, from, (size_t)(to - from));
}

void page_put(struct db *db, struct out *out, const struct page_with *with, uint64_t budget)
{
	static const char mark[] = "<!--DATA-->";
	struct page p = { .db = db, .inside = with ? with->inside : NULL };
	/* cppcheck-suppress comparePointers -- both are of page_template.c's one object */
	size_t len = (size_t)(page_template_end - page_template);
	const char *data = memmem(page_template, len, mark, strlen(mark));

	/* these first, while the page does not use memory yet */
	put_findings(&p);
	if (with && with->before)
		page_compare_put(&p, with->before);
	page_graph_load(&p.g, db);
	page_times_load(&p);
	page_graph_number(&p.g);
	page_times_put(&p);
	page_overview_put(&p);
	p.failed = failures_failed(failures_of(db));
	failures_forget(db);
	page_headers_put(&p);
	page_times_drop(&p);
	page_graph_put(&p.g, &p.sections);
	put_packages(&p);
	put_bulk(&p, budget);
	put_meta(&p);
	page_times_free(&p);
	page_graph_free(&p.g);

	put_template(out, page_template, data, db);
	page_sections_put(&p.sections, out);
	put_template(out, data + strlen(mark), page_template_end, db);
	page_sections_free(&p.sections);
	free(p.left_out);
	inside_free(&p.traces);
}
