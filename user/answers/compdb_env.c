// SPDX-License-Identifier: LGPL-2.1
/* Turns environment variables of a command into options of its entry.  See compdb_parts.h. */
#include "answers/compdb_parts.h"
#include "base/xalloc.h"
#include "db/scan.h"

#include <string.h>

static const struct diag_kind not_recorded = {
	"recordings without the variables that compilers read", DIAG_NOTE };

/* The row of a family for a variable; NULL if none. */
static const struct family_env *row_of(const struct family *f, const char *name, size_t len)
{
	for (const struct family_env *e = f->env; e && e->name; e++)
		if (strlen(e->name) == len && !memcmp(e->name, name, len))
			return e;
	return NULL;
}

/* The value of a variable of a command; NULL if not set. */
static const char *value_of(const struct compdb_command *c, const char *name)
{
	for (const char *at = c->env.s, *end = at + c->env.len; at < end;) {
		const char *value = at + strlen(at) + 1;

		if (!strcmp(at, name))
			return value;
		at = value + strlen(value) + 1;
	}
	return NULL;
}

static void take_variable(void *ctx, const struct db_cells *cells)
{
	struct compdb_list *l = ctx;
	uint32_t exec = db_cell_id(l->db, cells, 0, DB_EXECS), row = l->near[exec];
	uint32_t string = db_cell_id(l->db, cells, 2, DB_STRINGS);
	struct compdb_command *c = row ? &l->rows[row - 1] : NULL;
	const char *name, *value;
	size_t len, n;

	/* hidden variables have no value */
	if (!c || c->exec != exec || !c->cmd.family->env || !string)
		return;
	name = args_text(&l->args, db_cell_id(l->db, cells, 1, DB_STRINGS), &len);
	if (!row_of(c->cmd.family, name, len))
		return;
	value = args_text(&l->args, string, &n);
	buf_add(&c->env, name, len);
	buf_addc(&c->env, 0);
	buf_add(&c->env, value, strnlen(value, n));
	buf_addc(&c->env, 0);
}

/* ---- variables that hold arguments ---- */

static void add_word(void *ctx, char *word)
{
	compdb_own(ctx, word);
}

/* Add the words of all variables that go before the command's own words, or after them. */
static void add_words(struct compdb_command *c, bool before)
{
	enum at_files how = c->cmd.family->at == AT_WINDOWS ? AT_WINDOWS : AT_GNU;

	for (const struct family_env *e = c->cmd.family->env; e && e->name; e++) {
		const char *value = e->option || e->before != before ? NULL : value_of(c, e->name);

		if (value)
			response_words(how, value, strlen(value), add_word, c);
	}
}

static void take_arguments(struct compdb_list *l, struct compdb_command *c)
{
	size_t first = c->nwords, middle, n = c->nargs - c->inner, at = 0;
	char **args;

	add_words(c, true);
	middle = c->nwords;
	add_words(c, false);
	if (c->nwords == first)
		return;
	args = xcalloc(n + c->nwords - first + 1, sizeof(*args));
	for (size_t i = 0; i < c->own && i < n; i++)
		args[at++] = c->args[c->inner + i];
	for (size_t i = first; i < middle; i++)
		args[at++] = c->words[i];
	for (size_t i = c->own; i < n; i++)
		args[at++] = c->args[c->inner + i];
	for (size_t i = middle; i < c->nwords; i++)
		args[at++] = c->words[i];
	free(c->rebuilt);
	c->rebuilt = args;
	compdb_take(l, c, args, at);
}

/* ---- loading ---- */

/* Whether all variables of a family were recorded. */
static bool has_env(struct db *db, const struct family *f)
{
	for (const struct family_env *e = f->env; e && e->name; e++)
		if (!db_has_env(db, e->name, strlen(e->name)))
			return false;
	return true;
}

void compdb_check_env(struct compdb_list *l)
{
	bool known = true;

	if (!l->o->config->environment)
		return;
	for (size_t i = 0; known && i < l->n; i++)
		known = !compdb_is_entry(&l->rows[i]) || has_env(l->db, l->rows[i].cmd.family);
	if (!known)
		diag_report(l->db->diag, &not_recorded, NULL, DIAG_NOWHERE, 0,
			    "CPATH and the like were not recorded: entries are as if they were not set");
}

void compdb_load_env(struct compdb_list *l)
{
	if (!l->o->config->environment)
		return;
	db_scan(l->db, "env", "exec, name, value", take_variable, l);
	for (size_t i = 0; i < l->n; i++)
		if (l->rows[i].env.len)
			take_arguments(l, &l->rows[i]);
}

static bool is_for(const struct family_env *e, const char *language)
{
	return !e->languages || has_word(e->languages, language, strlen(language));
}

/* Add an option before each directory of a list; an empty one is the current directory. */
static void add_directories(struct compdb_command *c, const struct family_env *e, const char *list)
{
	const char separator[] = { e->separator ? e->separator : ':', 0 };
	const struct option *row;
	enum option_form form;
	const char *value;

	row = option_find(c->cmd.family, e->option, &form, &value);
	for (const char *at = list; *list; at++) {
		size_t len = strcspn(at, separator);
		bool joined = row && !option_values(form);
		struct buf word = { 0 };

		if (joined)
			buf_adds(&word, e->option);
		else
			compdb_own(c, xstrdup(e->option));
		buf_add(&word, len ? at : ".", len ? len : 1);
		buf_addc(&word, 0);
		compdb_own(c, word.s);
		at += len;
		if (!*at)
			break;
	}
}

size_t compdb_env_options(struct compdb_command *c, const char *language, bool before)
{
	size_t first = c->nwords;

	for (const struct family_env *e = c->cmd.family->env; e && e->name; e++) {
		const char *list = e->option && e->before == before && is_for(e, language) ?
				   value_of(c, e->name) : NULL;

		if (list)
			add_directories(c, e, list);
	}
	return c->nwords - first;
}
