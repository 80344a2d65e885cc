// SPDX-License-Identifier: LGPL-2.1
/* Compilation databases.  See compdb.h. */
#include "answers/compdb.h"
#include "answers/compdb_old.h"
#include "base/path.h"
#include "base/shquote.h"
#include "io/json_out.h"
#include "base/xalloc.h"

#include <stdlib.h>
#include <string.h>

/* One entry; all are its own. */
struct entry {
	char *directory, *file, *output, *said;	/* @said: the output as the command has it */
	char *args;		/* each with a NUL behind it */
	size_t nargs, args_len;
	char **inputs;		/* of links and archives; or NULL */
	size_t ninputs;
	uint32_t exec;
	char *old;		/* one that was there before, and stays: as JSON */
};

struct entries {
	struct entry *rows;
	size_t n, cap;
};

/* ---- who started whom ---- */

/*
 * Of each exec the one that it was started by, and whether it is a compilation
 * or below one: what a compiler's driver starts is no entry.
 */
struct family {
	uint32_t *up;
	bool *inside;
	size_t n;
};

static void load_family(struct db *db, struct family *f)
{
	static const char text[] = "SELECT id, coalesce(before, parent) FROM exec";
	struct sqlite3_stmt *st;

	f->n = (size_t)db_one(db, "SELECT max(id) FROM exec", "") + 1;
	f->up = xcalloc(f->n, sizeof(*f->up));
	f->inside = xcalloc(f->n, sizeof(*f->inside));
	st = db_ask(db, text, "");
	while (db_row(db, st))
		f->up[db_int(st, 0)] = (uint32_t)db_int(st, 1);
}

/* Parents come before their children: ids are given in the order of their beginning. */
static bool inside(struct family *f, uint32_t exec)
{
	if (f->up[exec] && f->inside[f->up[exec]])
		f->inside[exec] = true;
	return f->inside[exec];
}

/* ---- entries ---- */

static char *absolute(const char *directory, const char *path)
{
	struct buf b = { 0 };

	if (*path != '/') {
		buf_adds(&b, directory);
		buf_addc(&b, '/');
	}
	buf_adds(&b, path);
	path_clean(&b);
	buf_addc(&b, 0);
	return b.s;
}

/* What only tries whether something compiles. */
static bool is_trial(const char *file)
{
	static const char *const parts[] = {
		"/conftest.", "/CMakeFiles/CMakeTmp/", "/CMakeFiles/CMakeScratch/", "/CompilerIdC/",
		"/CompilerIdCXX/", "/CMakeCCompilerABI.c", "/CMakeCXXCompilerABI.cpp",
		"/meson-private/tmp", "/meson-private/sanitycheck", "/config.tests/", "/.conf_check_",
	};

	for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++)
		if (strstr(file, parts[i]))
			return true;
	return false;
}

static struct entry *add_entry(struct entries *l, const struct command_line *c, uint32_t exec,
			       const char *directory)
{
	struct buf args = { 0 };
	struct entry *e;

	l->rows = xgrow(l->rows, &l->cap, l->n + 1, sizeof(*l->rows));
	e = &l->rows[l->n++];
	*e = (struct entry){
		.exec = exec, .directory = xstrdup(directory), .nargs = c->nwrappers + c->nargs,
	};
	for (size_t i = 0; i < c->nwrappers; i++)
		buf_add(&args, c->wrappers[i], strlen(c->wrappers[i]) + 1);
	for (size_t i = 0; i < c->nargs; i++)
		buf_add(&args, c->args[i], strlen(c->args[i]) + 1);
	e->args = args.s;
	e->args_len = args.len;
	return e;
}

static void add_compilation(struct entries *l, const struct compdb *o,
			    const struct command_line *c, uint32_t exec, const char *directory)
{
	char buf[4096];

	for (size_t i = 0; i < c->ninputs; i++) {
		char *file = absolute(directory, c->inputs[i]);
		struct entry *e;

		if (o->no_configure && is_trial(file)) {
			free(file);
			continue;
		}
		e = add_entry(l, c, exec, directory);
		e->file = file;
		e->said = xstrdup(command_output(c, c->inputs[i], buf, sizeof(buf)));
		e->output = absolute(directory, e->said);
	}
}

static void add_link(struct entries *l, const struct compdb *o, const struct command_line *c,
		     uint32_t exec, const char *directory)
{
	const char *output = c->output ? c->output : "a.out";
	char *file = absolute(directory, c->inputs[0]);
	struct entry *e;

	if (o->no_configure && is_trial(file)) {
		free(file);
		return;
	}
	e = add_entry(l, c, exec, directory);
	e->file = file;
	e->said = xstrdup(output);
	e->output = absolute(directory, output);
	e->inputs = xcalloc(c->ninputs, sizeof(*e->inputs));
	e->ninputs = c->ninputs;
	for (size_t i = 0; i < c->ninputs; i++)
		e->inputs[i] = absolute(directory, c->inputs[i]);
}

static void free_entry(struct entry *e)
{
	for (size_t i = 0; i < e->ninputs; i++)
		free(e->inputs[i]);
	free(e->inputs);
	free(e->directory);
	free(e->file);
	free(e->output);
	free(e->said);
	free(e->args);
	free(e->old);
}

static void free_entries(struct entries *l)
{
	for (size_t i = 0; i < l->n; i++)
		free_entry(&l->rows[i]);
	free(l->rows);
}

/* ---- execs ---- */

static void look_at(struct db *db, const struct compdb *o, struct family *f, uint32_t exec,
		    uint32_t cwd, struct entries *l)
{
	struct buf args = { 0 }, directory = { 0 };
	struct command_line c;
	char **list, *at;
	size_t n;

	if (inside(f, exec))
		return;
	n = answers_args(db, exec, &args);
	answers_file_path(db, cwd, &directory);
	buf_addc(&directory, 0);
	list = xcalloc(n + 1, sizeof(*list));
	at = args.s;
	for (size_t i = 0; i < n; i++, at += strlen(at) + 1)
		list[i] = at;
	command_parse(&c, o->tools, list, n, directory.s);
	/* what it starts is part of it */
	f->inside[exec] = c.kind != COMMAND_OTHER;
	if (c.kind == COMMAND_COMPILE)
		add_compilation(l, o, &c, exec, directory.s);
	else if (c.kind != COMMAND_OTHER && o->links)
		add_link(l, o, &c, exec, directory.s);
	command_free(&c);
	free(list);
	buf_free(&args);
	buf_free(&directory);
}

static void collect(struct db *db, const struct compdb *o, struct entries *l)
{
	static const char text[] = "SELECT id, cwd, args IS NOT NULL FROM exec ORDER BY id";
	struct sqlite3_stmt *st;
	struct family f;

	load_family(db, &f);
	st = db_ask(db, text, "");
	while (db_row(db, st)) {
		if (db_int(st, 2))
			look_at(db, o, &f, (uint32_t)db_int(st, 0), (uint32_t)db_int(st, 1), l);
		else
			inside(&f, (uint32_t)db_int(st, 0));
	}
	free(f.up);
	free(f.inside);
}

/* ---- order, and what is there twice ---- */

static int by_place(const void *a, const void *b)
{
	const struct entry *x = a, *y = b;
	int order = strcmp(x->file, y->file);
	size_t len = x->args_len < y->args_len ? x->args_len : y->args_len;

	order = order ? order : strcmp(x->output, y->output);
	order = order ? order : strcmp(x->directory, y->directory);
	order = order || !len ? order : memcmp(x->args, y->args, len);
	return order ? order : (x->args_len > y->args_len) - (x->args_len < y->args_len);
}

/* The same command, run again, is one entry. */
static void sort_entries(struct entries *l)
{
	size_t to = 0;

	if (l->n)
		qsort(l->rows, l->n, sizeof(*l->rows), by_place);
	for (size_t i = 0; i < l->n; i++) {
		if (to && !by_place(&l->rows[to - 1], &l->rows[i])) {
			free_entry(&l->rows[i]);
			continue;
		}
		l->rows[to++] = l->rows[i];
	}
	l->n = to;
}

/* ---- entries of before ---- */

static int by_output(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

/* An entry that this build has not made anew; its paths are for the order. */
static void take_old(struct entries *l, const struct compdb_old_entry *old, char *const *made,
		     size_t n)
{
	struct entry e = {
		.directory = xstrdup(old->directory), .file = absolute(old->directory, old->file),
		.output = absolute(old->directory, old->output ? old->output : old->file),
		.old = xstrdup(old->text),
	};

	if (n && bsearch(&e.output, made, n, sizeof(*made), by_output)) {
		free_entry(&e);
		return;
	}
	l->rows = xgrow(l->rows, &l->cap, l->n + 1, sizeof(*l->rows));
	l->rows[l->n++] = e;
}

static bool merge(struct entries *l, const char *path, struct diag *diag)
{
	struct compdb_old old;
	size_t n = 0, made = l->n;
	char **outputs = xcalloc(2 * made + 1, sizeof(*outputs));
	bool ok = compdb_old_read(path, &old, diag);

	/* one of before may not say its output: then the source decides */
	for (size_t i = 0; i < made; i++) {
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

static void put_arguments(struct json *j, const struct entry *e)
{
	const char *at = e->args;

	json_key(j, "arguments");
	json_begin(j, '[');
	for (size_t i = 0; i < e->nargs; i++, at += strlen(at) + 1)
		json_cstr(j, at);
	json_end(j, ']');
}

static void put_command(struct json *j, const struct entry *e)
{
	const char *at = e->args;
	struct buf b = { 0 };

	for (size_t i = 0; i < e->nargs; i++, at += strlen(at) + 1) {
		if (i)
			buf_addc(&b, ' ');
		sh_quote(&b, at, strlen(at));
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

static void put_entry(struct json *j, const struct entry *e, enum compdb_style style)
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

bool compdb_write(struct db *db, const struct compdb *c, struct out *out)
{
	struct json j = { .out = out };
	struct entries l = { 0 };
	bool ok;

	collect(db, c, &l);
	sort_entries(&l);
	ok = !c->update || merge(&l, c->update, db->diag);
	if (ok) {
		if (c->update)
			sort_entries(&l);
		json_begin(&j, '[');
		for (size_t i = 0; i < l.n; i++) {
			json_ready(&j, "\n", 1, false);
			j.comma = false;
			put_entry(&j, &l.rows[i], c->style);
		}
		out_puts(out, l.n ? "\n" : "");
		json_end(&j, ']');
		json_line(&j);
	}
	free_entries(&l);
	return ok;
}

void compdb_fill(struct db *db)
{
	static const char source[] = "SELECT id FROM file WHERE path = ?";
	static const char insert[] = "INSERT INTO compilation VALUES (?, ?, ?)";
	const struct tools none = { 0 };
	const struct compdb all = { .tools = &none };
	struct entries l = { 0 };

	db_one(db, "BEGIN", "");
	collect(db, &all, &l);
	for (size_t i = 0; i < l.n; i++) {
		const struct entry *e = &l.rows[i];
		int64_t file = db_one(db, source, "b", e->file, strlen(e->file));
		int64_t output = db_one(db, source, "b", e->output, strlen(e->output));

		if (file)
			db_one(db, insert, "iin", (int64_t)e->exec, file, output);
	}
	db_one(db, "COMMIT", "");
	free_entries(&l);
}
