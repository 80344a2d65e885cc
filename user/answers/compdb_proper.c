// SPDX-License-Identifier: LGPL-2.1
/*
 * Compares drivers with their compilers proper: if they disagree, the sources and outputs of
 * the compilers proper are right.  See compdb_parts.h.
 */
#include "answers/compdb_parts.h"
#include "base/xalloc.h"

#include <stdlib.h>
#include <string.h>

/* Reported only with -v. */
static const struct diag_kind disagrees = {
	"commands whose compilers got something else", DIAG_EACH };
static const struct diag_kind unread = {
	"compilations by @files changed since", DIAG_DAMAGE };

static void report_command(struct compdb_list *l, const struct compdb_command *c, const char *what,
			   const char *path)
{
	if (l->o->verbose)
		diag_report(l->db->diag, &disagrees, NULL, DIAG_NOWHERE, 0, "exec %u, %s in %s: %s %s",
			    c->exec, c->called, c->directory, what, path);
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
		report_command(l, c, "does not tell that it compiles", file);
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

/* What the last program below a driver made of the driver's only source; NULL if unclear. */
static const char *made(struct compdb_list *l, const struct compdb_command *c)
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
	const char *really = made(l, c);
	struct buf output = { 0 };
	char *a, *b;

	if (!really || !command_output(&c->cmd, &c->cmd.sources[0], &output)) {
		buf_free(&output);
		return;
	}
	a = compdb_absolute(c->directory, really);
	b = compdb_absolute(c->directory, output.s);
	if (strcmp(a, b)) {
		report_command(l, c, "does not tell that it makes", a);
		c->cmd.output = really;
		c->cmd.output_dir = NULL;
	}
	free(a);
	free(b);
	buf_free(&output);
}

/* ---- all ---- */

/* Whether it is unknown what a command compiled, or how, because an @file is gone. */
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
				    "exec %u, %s in %s: an @file is not what it was when it was read: its entry has it as it is, or is missing",
				    c->exec, c->called, c->directory);
		if (!c->proper || !compdb_compiles(c) || !compdb_is_entry(c))
			continue;
		if (c->succeeded)
			check_sources(l, c);
		check_output(l, c);
	}
}
