// SPDX-License-Identifier: LGPL-2.1
/* Compilation databases.  See compdb.h. */
#include "answers/compdb.h"
#include "answers/compdb_old.h"
#include "base/path.h"
#include "base/shquote.h"
#include "io/json_out.h"
#include "base/xalloc.h"
#include "model/args.h"

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
	bool only_paths;	/* exec, file and output are all that is wanted */
};

/* ---- entries ---- */

static char *absolute(const char *directory, const char *path)
{
	struct buf b = { 0 };

	buf_room(&b, strlen(directory) + strlen(path) + 2);
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
	*e = (struct entry){ .exec = exec };
	if (l->only_paths)
		return e;
	e->directory = xstrdup(directory);
	e->nargs = c->nwrappers + c->nargs;
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
		const char *output = command_output(c, c->inputs[i], buf, sizeof(buf));
		struct entry *e;

		if (o->no_configure && is_trial(file)) {
			free(file);
			continue;
		}
		e = add_entry(l, c, exec, directory);
		e->file = file;
		e->output = absolute(directory, output);
		if (!l->only_paths)
			e->said = xstrdup(output);
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

struct collector {
	struct db *db;
	const struct compdb *o;
	struct entries *l;
	/* Of each exec, whether it is a compilation or below one: what a driver starts is no entry. */
	bool *inside;
	struct args all;
	struct buf args;	/* of the exec that is looked at: each with a NUL behind it */
	char **list;		/* the same */
	size_t list_cap;
	uint32_t cwd;		/* whose path is in @directory */
	struct buf directory;
};

/*
 * The arguments of an exec.  Return: how many; 0: the first two tell that it is no command of
 * a tool, as those of nearly all do.
 */
static size_t take_args(struct collector *c, uint32_t exec)
{
	uint32_t i;
	size_t len;

	c->args.len = 0;
	for (i = 0; i < args_of(&c->all, exec) && db_args_fit(c->db, c->args.len); i++) {
		const char *s = args_text(&c->all, args_string(&c->all, exec, i), &len);

		buf_add(&c->args, s, len);
		buf_addc(&c->args, 0);
		if (i == 1 && !command_of_tool(c->o->tools, c->args.s,
					       c->args.s + strlen(c->args.s) + 1))
			return 0;
	}
	return i;
}

/* Not build_of(): for the tables of a new database, all of it need not be in memory. */
static void add_path(struct db *db, uint32_t file, struct buf *to)
{
	struct sqlite3_stmt *st = db_ask(db, "SELECT path FROM file WHERE id = ?", "i", (int64_t)file);
	size_t len;

	while (db_row(db, st)) {
		const char *path = db_bytes(st, 0, &len);

		buf_add(to, path, len);
	}
}

static const char *path_of_cwd(struct collector *c, uint32_t cwd)
{
	if (!c->directory.len || c->cwd != cwd) {
		c->directory.len = 0;
		add_path(c->db, cwd, &c->directory);
		buf_addc(&c->directory, 0);
		c->cwd = cwd;
	}
	return c->directory.s;
}

/* Return: whether the exec with @n arguments is a compilation. */
static bool look_at(struct collector *c, uint32_t exec, uint32_t cwd, size_t n)
{
	const char *directory = path_of_cwd(c, cwd);
	char *at = c->args.s;
	struct command_line line;
	bool found;

	c->list = xgrow(c->list, &c->list_cap, n, sizeof(*c->list));
	for (size_t i = 0; i < n; i++, at += strlen(at) + 1)
		c->list[i] = at;
	command_parse(&line, c->o->tools, c->list, n, directory);
	found = line.kind != COMMAND_OTHER;
	if (line.kind == COMMAND_COMPILE)
		add_compilation(c->l, c->o, &line, exec, directory);
	else if (found && c->o->links)
		add_link(c->l, c->o, &line, exec, directory);
	command_free(&line);
	return found;
}

static void collect(struct db *db, const struct compdb *o, struct entries *l)
{
	/* parents come before their children: ids are given in the order of their beginning */
	static const char text[] = "SELECT id, coalesce(before, parent), cwd FROM exec ORDER BY id";
	struct collector c = {
		.db = db, .o = o, .l = l, .inside = xcalloc(db_ids(db, DB_EXECS) + 1ul, sizeof(*c.inside)),
	};
	struct sqlite3_stmt *st = db_ask(db, text, "");

	args_load(&c.all, db);
	while (db_row(db, st)) {
		uint32_t exec = db_id(db, st, 0, DB_EXECS), up = db_earlier(db, st, 1, exec);
		size_t n;

		c.inside[exec] = c.inside[up];
		if (c.inside[exec])
			continue;
		n = take_args(&c, exec);
		c.inside[exec] = n && look_at(&c, exec, db_id(db, st, 2, DB_FILES), n);
	}
	args_free(&c.all);
	free(c.inside);
	free(c.list);
	buf_free(&c.args);
	buf_free(&c.directory);
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
	static const char insert[] = "INSERT INTO compilation SELECT ?1, s.id, o.id\n"
		" FROM file AS s LEFT JOIN file AS o ON o.path = ?3 WHERE s.path = ?2";
	const struct tools none = { 0 };
	const struct compdb all = { .tools = &none };
	struct entries l = { .only_paths = true };

	db_one(db, "BEGIN", "");
	collect(db, &all, &l);
	for (size_t i = 0; i < l.n; i++) {
		const struct entry *e = &l.rows[i];

		db_one(db, insert, "ibb", (int64_t)e->exec, e->file, strlen(e->file), e->output,
		       strlen(e->output));
	}
	db_one(db, "COMMIT", "");
	free_entries(&l);
}
