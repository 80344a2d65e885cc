// SPDX-License-Identifier: LGPL-2.1
/*
 * Compares drivers with their compilers proper: if they disagree, the sources and outputs of the
 * compilers proper are right; and their arguments replace a missing @file.  See compdb_parts.h.
 */
#include "answers/compdb_parts.h"
#include "base/xalloc.h"
#include "db/scan.h"

#include <stdlib.h>
#include <string.h>

/* Reported only with -v. */
static const struct diag_kind disagrees = {
	"commands whose compilers did something else", DIAG_EACH };
static const struct diag_kind unread = {
	"compilations with @files that changed later", DIAG_DAMAGE };

static void report_command(struct compdb_list *l, const struct compdb_command *c, const char *what,
			   const char *path)
{
	if (l->o->verbose)
		diag_report(l->db->diag, &disagrees, NULL, DIAG_NOWHERE, 0, "exec %u, %s in %s: %s %s",
			    c->exec, c->called, c->directory, what, path);
}

/* ---- arguments in place of an @file ---- */

struct rebuilt {
	char **args;
	size_t n, cap;
};

static void add_arg(struct rebuilt *r, const char *arg)
{
	r->args = xgrow(r->args, &r->cap, r->n + 2, sizeof(*r->args));
	/* not copied: owned by commands, which outlive this */
	r->args[r->n++] = (char *)(uintptr_t)arg;
	r->args[r->n] = NULL;
}

/* Add the arguments of a compiler proper that its driver would also accept as options. */
static void add_options(struct rebuilt *r, const struct command *proper)
{
	for (size_t i = 1; i < proper->nargs;) {
		enum option_form form;
		const char *value;
		const struct option *row = NULL;
		size_t n = 1;

		if (*proper->args[i] == '-')
			row = option_find(proper->family, proper->args[i], &form, &value);
		if (row)
			n += option_values(form);
		if (*proper->args[i] == '-' && !(row && (row->role == ROLE_INTERNAL ||
							 row->role == ROLE_OUTPUT)))
			for (size_t k = i; k < i + n && k < proper->nargs; k++)
				add_arg(r, proper->args[k]);
		i += n;
	}
}

/*
 * Remember COLLECT_GCC_OPTIONS of a compiler proper, which contains all arguments of its
 * driver except files.
 */
static void take_passed(void *ctx, const struct db_cells *row)
{
	static const char name[] = "COLLECT_GCC_OPTIONS";
	struct compdb_list *l = ctx;
	size_t len;
	const char *s = args_text(&l->args, db_cell_id(l->db, row, 1, DB_STRINGS), &len);

	if (len == sizeof(name) - 1 && !memcmp(s, name, len))
		map64_put(&l->passed, db_cell_id(l->db, row, 0, DB_EXECS), (uint64_t)row->v[2]);
}

/* The next word of COLLECT_GCC_OPTIONS, in single quotes; a single quote in it is '\\''. */
static char *passed_word(const char **at, const char *end)
{
	struct buf word = { 0 };
	bool quoted = false;
	const char *s = *at;

	while (s < end && *s == ' ')
		s++;
	if (s == end)
		return NULL;
	for (; s < end && (quoted || *s != ' '); s++) {
		if (*s == '\'')
			quoted = !quoted;
		else if (*s == '\\' && !quoted && s + 1 < end)
			buf_addc(&word, *++s);
		else
			buf_addc(&word, *s);
	}
	buf_addc(&word, 0);
	*at = s;
	return word.s;
}

/* Add the words of COLLECT_GCC_OPTIONS.  Return: false if it was not recorded. */
static bool add_passed(struct compdb_list *l, struct compdb_command *c, struct rebuilt *r)
{
	const uint64_t *string;
	const char *at, *end;
	size_t len;
	char *word;

	if (!l->passed_read)
		db_scan(l->db, "env", "exec, name, value", take_passed, l);
	l->passed_read = true;
	string = map64_get(&l->passed, l->rows[c->proper - 1].exec);
	if (!string || !*string)
		return false;
	at = args_text(&l->args, db_id_of(l->db, (int64_t)*string, DB_STRINGS), &len);
	for (end = at + len; (word = passed_word(&at, end));)
		add_arg(r, compdb_own(c, word));
	return true;
}

/* Without COLLECT_GCC_OPTIONS: add the arguments of cc1, except the ones that its driver adds. */
static void add_received(struct compdb_list *l, struct compdb_command *c, struct rebuilt *r)
{
	const struct command *proper = &l->rows[c->proper - 1].cmd;
	const struct command *last = c->made ? &l->rows[c->made - 1].cmd : proper;

	add_options(r, proper);
	if (last == proper)
		add_arg(r, "-S");
	else if (last->family->compiles_only)
		add_arg(r, "-c");
	if (last->output && (!l->rows[c->proper - 1].next_proper || last->links)) {
		add_arg(r, "-o");
		add_arg(r, last->output);
	}
	/* gcc passes directories on in its own @file */
	c->in_part = proper->unread;
}

static void rebuild_args(struct compdb_list *l, struct compdb_command *c)
{
	struct rebuilt r = { 0 };

	for (size_t i = 0; i < c->own; i++)
		add_arg(&r, c->args[c->inner + i]);
	if (!add_passed(l, c, &r))
		add_received(l, c, &r);
	for (uint32_t p = c->proper; p; p = l->rows[p - 1].next_proper)
		add_arg(&r, l->rows[p - 1].cmd.sources[0].path);
	free(c->rebuilt);
	c->rebuilt = r.args;
	compdb_take(l, c, r.args, r.n);
}

/* Groups of options that a driver passes on; the order is kept only within each group. */
static const char *const passed[] = { "-I", "-D -U", "-include" };

static void add_said(struct buf *to, const struct command *c, const char *names)
{
	for (size_t i = 1; i < c->nargs; i++) {
		enum option_form form;
		const char *value;
		const struct option *row = NULL;

		if (*c->args[i] == '-')
			row = option_find(c->family, c->args[i], &form, &value);
		if (!row)
			continue;
		if (option_values(form))
			value = i + 1 < c->nargs ? c->args[i + 1] : NULL;
		if (value && has_word(names, row->name, strlen(row->name))) {
			buf_adds(to, row->name);
			buf_add(to, value, strlen(value) + 1);
		}
		i += option_values(form);
	}
}

/* Whether a compiler proper received the same macros and directories as its driver. */
static bool args_agree(const struct command *driver, const struct command *proper)
{
	bool same = true;

	/* gcc may pass directories (passed[0]) on in its own @file: skip them then */
	for (size_t i = proper->unread; same && i < sizeof(passed) / sizeof(passed[0]); i++) {
		struct buf a = { 0 }, b = { 0 };

		add_said(&a, driver, passed[i]);
		add_said(&b, proper, passed[i]);
		/* the driver may add other options before or after them */
		same = !a.len || (b.len && memmem(b.s, b.len, a.s, a.len));
		buf_free(&a);
		buf_free(&b);
	}
	return same;
}

void compdb_rebuild(struct compdb_list *l)
{
	for (size_t i = 0; i < l->n; i++) {
		struct compdb_command *c = &l->rows[i];
		const struct command *proper;

		if (!c->proper || !compdb_has_file(c))
			continue;
		proper = &l->rows[c->proper - 1].cmd;
		/* only gcc's compilers proper have the same options as their driver */
		if (proper->family->at == AT_GNU && (c->cmd.unread || !args_agree(&c->cmd, proper)))
			rebuild_args(l, c);
	}
}

/* ---- sources that the driver's arguments do not name ---- */

/* Whether a driver, or a program that it ran, made the file, so that it is intermediate. */
static bool made_below(struct compdb_list *l, uint32_t driver, const char *file)
{
	static const char text[] = "SELECT v.exec FROM file AS f JOIN version AS v ON v.file = f.id\n"
		" WHERE f.path = ? AND v.exec IS NOT NULL";
	struct sqlite3_stmt *st = db_ask(l->db, text, "b", file, strlen(file));
	bool found = false;

	while (db_row(l->db, st)) {
		uint32_t row = l->near[db_id(l->db, st, 0, DB_EXECS)];

		while (row && row != driver)
			row = l->rows[row - 1].up;
		found = found || row;
	}
	return found;
}

static void add_source(struct compdb_command *c, const struct compdb_command *proper, size_t i)
{
	struct command *cmd = &c->cmd;

	cmd->sources = xgrow(cmd->sources, &cmd->sources_cap, cmd->nsources + 1,
			     sizeof(*cmd->sources));
	cmd->sources[cmd->nsources] = (struct command_source){
		.path = proper->cmd.sources[i].path, .language = proper->cmd.sources[i].language,
	};
	c->sources = xrealloc(c->sources, (cmd->nsources + 1) * sizeof(*c->sources));
	c->sources[cmd->nsources++] = (struct compdb_source){ .file = xstrdup(proper->sources[i].file) };
	cmd->kind = COMMAND_COMPILE;
	cmd->why = WHY_NONE;
}

static void add_sources_of(struct compdb_list *l, struct compdb_command *c,
			   const struct compdb_command *proper)
{
	for (size_t i = 0; !proper->cmd.why && i < proper->cmd.nsources; i++) {
		const char *file = proper->sources[i].file;

		if (compdb_source_of(c, file) || made_below(l, (uint32_t)(c - l->rows) + 1, file))
			continue;
		report_command(l, c, "does not show that it compiles", file);
		add_source(c, proper, i);
	}
}

void compdb_add_sources(struct compdb_list *l)
{
	for (size_t i = 0; i < l->n; i++)
		for (uint32_t p = l->rows[i].proper; p; p = l->rows[p - 1].next_proper)
			add_sources_of(l, &l->rows[i], &l->rows[p - 1]);
}

/* ---- sources that were not compiled ---- */

static bool was_compiled(struct compdb_list *l, const struct compdb_command *c, const char *file)
{
	for (uint32_t p = c->proper; p; p = l->rows[p - 1].next_proper)
		if (compdb_source_of(&l->rows[p - 1], file))
			return true;
	return false;
}

/* Whether the source needs a compiler proper; assembly does not. */
static bool needs_proper(const struct command_source *s)
{
	return !has_word("assembler assembler-with-cpp", s->language, strlen(s->language));
}

static void check_sources(struct compdb_list *l, struct compdb_command *c)
{
	for (size_t i = 0; i < c->cmd.nsources; i++) {
		struct compdb_source *s = &c->sources[i];

		if (s->fate != FATE_ENTRY || !needs_proper(&c->cmd.sources[i]) ||
		    was_compiled(l, c, s->file))
			continue;
		s->fate = FATE_NOT_COMPILED;
		report_command(l, c, "did not compile", s->file);
	}
}

/* ---- outputs ---- */

/*
 * The file that the last program below a driver made from the driver's only source; NULL if
 * unclear.
 */
static const char *made_output(struct compdb_list *l, const struct compdb_command *c)
{
	const struct command *proper = &l->rows[c->proper - 1].cmd;

	if (l->rows[c->proper - 1].next_proper || c->cmd.nsources != 1 || c->cmd.links)
		return NULL;
	if (c->cmd.stage == ROLE_OBJECT && c->made)
		return l->rows[c->made - 1].cmd.output;
	return c->cmd.stage == ROLE_ASSEMBLY ? proper->output : NULL;
}

static void check_output(struct compdb_list *l, struct compdb_command *c)
{
	const char *really = made_output(l, c);
	struct buf output = { 0 };
	char *a, *b;

	if (!really || !command_output(&c->cmd, &c->cmd.sources[0], &output)) {
		buf_free(&output);
		return;
	}
	a = compdb_absolute(c->directory, really);
	b = compdb_absolute(c->directory, output.s);
	if (strcmp(a, b)) {
		report_command(l, c, "does not show that it makes", a);
		c->cmd.output = really;
		c->cmd.output_dir = NULL;
	}
	free(a);
	free(b);
	buf_free(&output);
}

/* ---- all ---- */

/* Whether it is unknown what a command compiled, or how, because an @file is missing. */
static bool in_the_dark(const struct compdb_list *l, const struct compdb_command *c)
{
	if (c->in_part)
		return compdb_is_entry(c);
	if (!c->cmd.unread || c->rebuilt || c->weak || c->step || c->cmd.family->tool != TOOL_DRIVER)
		return false;
	if (c->cmd.kind == COMMAND_COMPILE)
		return compdb_is_entry(c);
	/* a command that ran only a linker just links */
	return c->cmd.why != WHY_ASKS && !c->proper && (!c->made || l->o->links);
}

void compdb_check(struct compdb_list *l)
{
	for (size_t i = 0; i < l->n; i++) {
		struct compdb_command *c = &l->rows[i];

		if (in_the_dark(l, c))
			diag_report(l->db->diag, &unread, NULL, DIAG_NOWHERE, 0,
				    "exec %u, %s in %s: an @file has changed since it was read: the entry has its present content, or is missing",
				    c->exec, c->called, c->directory);
		if (!c->proper || !compdb_compiles(c) || !compdb_is_entry(c))
			continue;
		if (c->succeeded)
			check_sources(l, c);
		check_output(l, c);
	}
}
