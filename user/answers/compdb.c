// SPDX-License-Identifier: LGPL-2.1
/* Compilation databases.  See compdb.h. */
#include "answers/compdb_parts.h"
#include "answers/compdb_old.h"
#include "io/json_out.h"
#include "base/xalloc.h"

#include <stdlib.h>
#include <string.h>

static void free_entries(struct compdb_entries *l)
{
	for (size_t i = 0; i < l->n; i++)
		compdb_free_entry(&l->rows[i]);
	free(l->rows);
}

/* ---- entries of before ---- */

static int by_output(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

/* An entry that this build has not made anew; its paths are for the order. */
static void take_old(struct compdb_entries *l, const struct compdb_old_entry *old, char *const *made,
		     size_t n)
{
	struct compdb_entry e = {
		.old_directory = xstrdup(old->directory), .file = compdb_absolute(old->directory, old->file),
		.output = compdb_absolute(old->directory, old->output ? old->output : old->file),
		.old = xstrdup(old->text),
	};

	e.directory = e.old_directory;
	if (n && bsearch(&e.output, made, n, sizeof(*made), by_output)) {
		compdb_free_entry(&e);
		return;
	}
	l->rows = xgrow(l->rows, &l->cap, l->n + 1, sizeof(*l->rows));
	l->rows[l->n++] = e;
}

static bool merge(struct compdb_entries *l, const char *path, struct diag *diag)
{
	struct compdb_old old;
	size_t n = 0, made = l->n;
	char **outputs = xcalloc(2 * made + 1, sizeof(*outputs));
	bool ok = compdb_old_read(path, &old, diag);

	/* one of before may not say its output: then the source decides */
	for (size_t i = 0; i < made; i++) {
		if (l->rows[i].output)
			outputs[n++] = l->rows[i].output;
		outputs[n++] = l->rows[i].file;
	}
	qsort(outputs, n, sizeof(*outputs), by_output);
	for (size_t i = 0; ok && i < old.n; i++)
		take_old(l, &old.rows[i], outputs, n);
	free(outputs);
	compdb_old_free(&old);
	return ok;
}

/* ---- JSON ---- */

static void put_arguments(struct json *j, const struct compdb_entry *e)
{
	json_key(j, "arguments");
	json_begin(j, '[');
	for (size_t i = 0; i < e->nargs; i++)
		json_cstr(j, e->args[i]);
	json_end(j, ']');
}

/* As the format has it: only double quotes and backslashes are special. */
static void add_quoted(struct buf *b, const char *arg)
{
	bool quote = !*arg || strpbrk(arg, " \t\n\v\f\r'\"\\");

	if (quote)
		buf_addc(b, '"');
	for (; *arg; arg++) {
		if (*arg == '"' || *arg == '\\')
			buf_addc(b, '\\');
		buf_addc(b, *arg);
	}
	if (quote)
		buf_addc(b, '"');
}

static void put_command(struct json *j, const struct compdb_entry *e)
{
	struct buf b = { 0 };

	for (size_t i = 0; i < e->nargs; i++) {
		if (i)
			buf_addc(&b, ' ');
		add_quoted(&b, e->args[i]);
	}
	json_key(j, "command");
	json_str(j, b.s ? b.s : "", b.len);
	buf_free(&b);
}

static void put_text(struct json *j, const char *name, const char *s)
{
	json_key(j, name);
	json_cstr(j, s);
}

static void put_entry(struct json *j, const struct compdb_entry *e, enum compdb_style style)
{
	if (e->old) {
		json_ready(j, e->old, strlen(e->old), true);
		return;
	}
	json_begin(j, '{');
	if (style == COMPDB_BEAR)
		put_arguments(j, e);
	put_text(j, "directory", e->directory);
	if (style == COMPDB_CMAKE)
		put_command(j, e);
	put_text(j, "file", e->file);
	if (style == COMPDB_ARGUMENTS)
		put_arguments(j, e);
	if (e->output)
		put_text(j, "output", style == COMPDB_CMAKE ? e->said : e->output);
	if (e->inputs) {
		json_key(j, "inputs");
		json_begin(j, '[');
		for (size_t i = 0; i < e->ninputs; i++)
			json_cstr(j, e->inputs[i]);
		json_end(j, ']');
	}
	json_end(j, '}');
}

static void put_entries(struct json *j, const struct compdb_entries *l, enum compdb_style style)
{
	json_begin(j, '[');
	for (size_t i = 0; i < l->n; i++) {
		json_ready(j, "\n", 1, false);
		j->comma = false;
		put_entry(j, &l->rows[i], style);
	}
	out_puts(j->out, l->n ? "\n" : "");
	json_end(j, ']');
	json_line(j);
}

bool compdb_write(struct db *db, const struct compdb *c, struct out *out)
{
	struct json j = { .out = out };
	struct compdb_list list;
	struct compdb_entries l = { 0 };
	bool ok;

	compdb_collect(&list, db, c);
	compdb_judge(&list);
	compdb_make_entries(&l, &list);
	compdb_sort(&l);
	ok = !c->update || merge(&l, c->update, db->diag);
	if (ok) {
		compdb_sort(&l);
		put_entries(&j, &l, c->style);
	}
	free_entries(&l);
	compdb_list_free(&list);
	return ok;
}

void compdb_fill(struct db *db)
{
	static const char insert[] = "INSERT INTO compilation SELECT ?1, s.id, o.id\n"
		" FROM file AS s LEFT JOIN file AS o ON o.path = ?3 WHERE s.path = ?2";
	const struct compdb all = { 0 };
	struct compdb_list list;
	struct compdb_entries l = { 0 };

	compdb_collect(&list, db, &all);
	compdb_judge(&list);
	compdb_make_entries(&l, &list);
	compdb_sort(&l);
	db_one(db, "BEGIN", "");
	for (size_t i = 0; i < l.n; i++) {
		const struct compdb_entry *e = &l.rows[i];
		const char *output = e->output ? e->output : "";

		db_one(db, insert, "ibb", (int64_t)e->exec, e->file, strlen(e->file), output,
		       strlen(output));
	}
	db_one(db, "COMMIT", "");
	free_entries(&l);
	compdb_list_free(&list);
}
