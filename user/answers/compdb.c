// SPDX-License-Identifier: LGPL-2.1
/* Writes compilation databases.  See compdb.h. */
#include "answers/compdb_parts.h"
#include "answers/compdb_old.h"
#include "io/json_out.h"
#include "base/utf8.h"
#include "base/xalloc.h"

#include <stdlib.h>
#include <string.h>

void compdb_free_entries(struct compdb_entries *l)
{
	for (size_t i = 0; i < l->n; i++)
		compdb_free_entry(&l->rows[i]);
	free(l->rows);
}

/* ---- old entries ---- */

static int by_file(const void *a, const void *b)
{
	const struct compdb_entry *x = a, *y = b;

	return strcmp(x->file, y->file);
}

/* Whether one of the @n entries of this build replaces an old one: same file and output. */
static bool is_anew(const struct compdb_old_entry *old, const struct compdb_entry *made, size_t n)
{
	const struct compdb_entry key = { .file = old->file };
	const struct compdb_entry *found = n ? bsearch(&key, made, n, sizeof(*made), by_file) : NULL;
	size_t i = found ? (size_t)(found - made) : n;

	while (i && i < n && !by_file(&made[i - 1], &key))
		i--;
	for (; i < n && !by_file(&made[i], &key); i++)
		/* an old entry may lack the output: then only the file is compared */
		if (!old->output || (made[i].output && !strcmp(old->output, made[i].output)))
			return true;
	return false;
}

/* Keep the old entries that this build did not make. */
static void merge_old(struct compdb_entries *l, const struct compdb_old *old)
{
	size_t made = l->n;

	for (size_t i = 0; i < old->n; i++) {
		const struct compdb_old_entry *e = &old->rows[i];

		if (is_anew(e, l->rows, made))
			continue;
		l->rows = xgrow(l->rows, &l->cap, l->n + 1, sizeof(*l->rows));
		l->rows[l->n++] = (struct compdb_entry){
			.directory = e->directory, .file = xstrdup(e->file), .old = e->text,
			.output = e->output ? xstrdup(e->output) : NULL,
		};
	}
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

/* Quote as the format requires: only double quotes and backslashes are special. */
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

/* Append a path relative to a directory, both normalized: "../lib/a.c". */
static void add_relative(struct buf *b, const char *directory, const char *path)
{
	size_t same = 0, i = 0;

	for (; directory[i] && directory[i] == path[i]; i++)
		if (path[i] == '/')
			same = i;
	if (!directory[i] && path[i] == '/')
		same = i;
	for (const char *up = directory + same; up && up[0] && up[1]; up = strchr(up + 1, '/'))
		buf_adds(b, "../");
	buf_adds(b, path + same + 1);
}

/*
 * A path in the form that the configuration asks for.
 * @said: as in the command; @path: absolute; @b: memory for a new path
 */
static const char *path_for(enum config_paths how, const struct compdb_entry *e, const char *said,
			    const char *path, struct buf *b)
{
	if (how == PATHS_AS_IS)
		return said;
	if (how != PATHS_RELATIVE)
		return path;
	b->len = 0;
	add_relative(b, e->directory, path);
	buf_addc(b, 0);
	return b->s;
}

static void put_directory(struct json *j, const struct compdb_entry *e, enum config_paths how)
{
	char *real = how == PATHS_CANONICAL ? realpath(e->directory, NULL) : NULL;

	put_text(j, "directory", real ? real : e->directory);
	free(real);
}

static void put_inputs(struct json *j, const struct compdb_entry *e)
{
	json_list(j, "inputs");
	for (size_t i = 0; i < e->ninputs; i++)
		json_cstr(j, e->inputs[i]);
	json_end(j, ']');
}

static void put_entry(struct json *j, const struct compdb_entry *e, const struct compdb *c)
{
	bool command = c->style == COMPDB_CMAKE || !c->config->use_array;
	enum config_paths how = (enum config_paths)c->config->file;
	struct buf path = { 0 };

	if (e->old) {
		json_ready(j, e->old, strlen(e->old), true);
		return;
	}
	json_begin(j, '{');
	if (c->style == COMPDB_BEAR && !command)
		put_arguments(j, e);
	put_directory(j, e, (enum config_paths)c->config->directory);
	if (command)
		put_command(j, e);
	put_text(j, "file", path_for(how, e, e->file_said, e->file, &path));
	if (c->style != COMPDB_BEAR && !command)
		put_arguments(j, e);
	if (c->style == COMPDB_CMAKE)
		how = PATHS_AS_IS;
	if (e->output && c->config->output)
		put_text(j, "output", path_for(how, e, e->said, e->output, &path));
	if (e->inputs)
		put_inputs(j, e);
	json_end(j, '}');
	buf_free(&path);
}

static bool is_text(const char *s)
{
	return !s || utf8_valid(s, strlen(s));
}

/* Warn about bytes that are not UTF-8: they become U+FFFD in JSON, which names another file. */
static void check_text(struct diag *diag, const struct compdb_entry *e)
{
	static const struct diag_kind kind = {
		"entries with bytes that are not UTF-8, and so cannot be in JSON", DIAG_DAMAGE };
	bool text = is_text(e->directory) && is_text(e->file) && is_text(e->output);

	for (size_t i = 0; text && i < e->nargs; i++)
		text = is_text(e->args[i]);
	if (!text)
		diag_report(diag, &kind, NULL, DIAG_NOWHERE, 0,
			    "%s: bytes that are not UTF-8 are U+FFFD in its entry", e->file);
}

static void put_entries(struct json *j, const struct compdb_entries *l, const struct compdb *c)
{
	json_begin(j, '[');
	for (size_t i = 0; i < l->n; i++) {
		json_ready(j, "\n", 1, false);
		j->comma = false;
		put_entry(j, &l->rows[i], c);
	}
	out_puts(j->out, l->n ? "\n" : "");
	json_end(j, ']');
	json_line(j);
}

void compdb_find(struct compdb_entries *l, struct compdb_list *list, struct db *db,
		 const struct compdb *c)
{
	compdb_collect(list, db, c);
	compdb_load_env(list);
	compdb_judge(list);
	compdb_select(list);
	compdb_make_entries(l, list);
	if (!c->paths)
		compdb_drop_duplicates(l, list);
	compdb_sort(l);
}

void compdb_write(struct db *db, const struct compdb *c, struct out *out)
{
	struct json j = { .out = out };
	struct compdb_list list;
	struct compdb_entries l = { 0 };

	compdb_find(&l, &list, db, c);
	compdb_check_env(&list);
	if (c->old) {
		merge_old(&l, c->old);
		compdb_sort(&l);
	}
	for (size_t i = 0; i < l.n; i++)
		check_text(db->diag, &l.rows[i]);
	put_entries(&j, &l, c);
	compdb_free_entries(&l);
	compdb_list_free(&list);
}

void compdb_fill(struct db *db)
{
	static const char insert[] = "INSERT INTO compilation SELECT ?1, s.id, o.id\n"
		" FROM file AS s LEFT JOIN file AS o ON o.path = ?3 WHERE s.path = ?2";
	struct config config;
	const struct compdb all = { .config = &config, .paths = true };
	struct compdb_list list;
	struct compdb_entries l = { 0 };

	config_init(&config);
	config.environment = false;
	compdb_find(&l, &list, db, &all);
	db_one(db, "BEGIN", "");
	for (size_t i = 0; i < l.n; i++) {
		const struct compdb_entry *e = &l.rows[i];
		const char *output = e->output ? e->output : "";

		db_one(db, insert, "ibb", (int64_t)e->exec, e->file, strlen(e->file), output,
		       strlen(output));
	}
	db_one(db, "COMMIT", "");
	compdb_free_entries(&l);
	compdb_list_free(&list);
}
