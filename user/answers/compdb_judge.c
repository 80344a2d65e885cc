// SPDX-License-Identifier: LGPL-2.1
/*
 * Decides for each command whether it is an entry, or part of another command's step.
 * See compdb_parts.h.
 */
#include "answers/compdb_parts.h"
#include "base/path.h"
#include "db/lists.h"

#include <string.h>

/* ---- which command compiles a source: the innermost one ---- */

/* Whether a wrapper ran the command that its arguments name, not one that it chose itself. */
static bool is_wrapped(const struct compdb_command *wrapper, const struct compdb_command *c)
{
	return wrapper->wrapper && !strcmp(path_base(wrapper->called), path_base(c->called));
}

/*
 * Decide whether a command, or one of the commands above it, gets the entry for source @s.  If
 * its wrapper gets it, the commands above that one are for the wrapper's turn to decide: it may
 * have a wrapper itself, as with ccache that runs distcc.
 */
static void find_outer(struct compdb_list *l, uint32_t row, struct compdb_source *s)
{
	const struct compdb_command *c = &l->rows[row - 1];

	for (uint32_t up = c->up; up; up = l->rows[up - 1].up) {
		struct compdb_command *outer = &l->rows[up - 1];
		struct compdb_source *same = compdb_compiles(outer) ? compdb_source_of(outer, s->file) : NULL;

		if (!same)
			continue;
		if (s->fate == FATE_ENTRY && is_wrapped(outer, c)) {
			*s = (struct compdb_source){ .file = s->file, .fate = FATE_PART, .by = up };
			return;
		}
		same->fate = FATE_INNER;
		same->by = row;
	}
}

static void find_innermost(struct compdb_list *l)
{
	for (size_t i = 0; i < l->n; i++)
		for (size_t k = 0; compdb_compiles(&l->rows[i]) && k < l->rows[i].cmd.nsources; k++)
			find_outer(l, (uint32_t)i + 1, &l->rows[i].sources[k]);
}

/* ---- scripts: what was read ---- */

struct reads {
	struct compdb_list *l;
	struct map64 files;	/* ids of the sources of commands that are in doubt */
};

/* Whether a command is weak: its name suggests a compiler, but it may do anything. */
static bool in_doubt(const struct compdb_command *c, const struct compdb_source *s)
{
	return c->weak && !c->wrapper && compdb_compiles(c) && s->fate == FATE_ENTRY;
}

static uint32_t file_of(struct db *db, const char *path)
{
	return (uint32_t)db_one(db, "SELECT id FROM file WHERE path = ?", "b", path, strlen(path));
}

static uint32_t file_of_version(struct db *db, uint32_t version)
{
	return (uint32_t)db_one(db, "SELECT file FROM version WHERE id = ?", "i", (int64_t)version);
}

/* Record in all commands above @exec that it read a file. */
static void note_read(struct reads *r, uint32_t exec, uint32_t file)
{
	struct compdb_list *l = r->l;

	for (uint32_t row = l->near[exec]; row; row = l->rows[row - 1].up) {
		struct compdb_command *c = &l->rows[row - 1];

		for (size_t i = 0; i < c->cmd.nsources; i++)
			if (in_doubt(c, &c->sources[i]) && file_of(l->db, c->sources[i].file) == file)
				c->sources[i].read = true;
	}
}

static bool has_doubt(const struct compdb_list *l, uint32_t row)
{
	for (; row; row = l->rows[row - 1].up)
		for (size_t i = 0; i < l->rows[row - 1].cmd.nsources; i++)
			if (in_doubt(&l->rows[row - 1], &l->rows[row - 1].sources[i]))
				return true;
	return false;
}

static void take_list(void *ctx, const struct db_cells *row)
{
	struct reads *r = ctx;
	uint32_t exec = db_cell_id(r->l->db, row, 0, DB_EXECS);
	struct list list = list_of(r->l->db, row->bytes, row->len);
	struct graph_access a;

	if (!has_doubt(r->l, r->l->near[exec]))
		return;
	while (list_access(&list, row->v[1], &a)) {
		uint32_t file = a.file ? a.file : file_of_version(r->l->db, a.version);

		if (a.how == GRAPH_READ && map64_get(&r->files, file))
			note_read(r, exec, file);
	}
}

/* A script named like a compiler counts as one if it, or a program below it, read the source. */
static void judge_scripts(struct compdb_list *l)
{
	struct reads r = { .l = l };

	for (size_t i = 0; i < l->n; i++)
		for (size_t k = 0; k < l->rows[i].cmd.nsources; k++)
			if (in_doubt(&l->rows[i], &l->rows[i].sources[k]))
				map64_put(&r.files, file_of(l->db, l->rows[i].sources[k].file), 1);
	if (r.files.n)
		db_scan(l->db, "access_list", "exec, at, list", take_list, &r);
	map64_clear(&r.files);
	for (size_t i = 0; i < l->n; i++)
		for (size_t k = 0; k < l->rows[i].cmd.nsources; k++) {
			struct compdb_source *s = &l->rows[i].sources[k];

			if (in_doubt(&l->rows[i], s) && !s->read)
				s->fate = FATE_NOT_READ;
		}
}

/* ---- other compilations by a compiler are part of its step ---- */

/* 1 + index of the command above @c to whose step @c belongs; 0 if none. */
static uint32_t step_of(const struct compdb_list *l, const struct compdb_command *c)
{
	for (uint32_t up = c->up; up; up = l->rows[up - 1].up) {
		const struct compdb_command *outer = &l->rows[up - 1];

		if (compdb_is_proper(outer) || (compdb_compiles(outer) && compdb_is_entry(outer)) ||
		    (outer->cmd.kind == COMMAND_LINK && !outer->weak && !outer->wrapper))
			return up;
	}
	return 0;
}

static void find_parts(struct compdb_list *l)
{
	for (size_t i = 0; i < l->n; i++) {
		struct compdb_command *c = &l->rows[i];

		c->step = step_of(l, c);
		for (size_t k = 0; c->step && k < c->cmd.nsources; k++)
			if (c->sources[k].fate == FATE_ENTRY) {
				c->sources[k].fate = FATE_PART;
				c->sources[k].by = c->step;
			}
	}
}

/* ---- links ---- */

static bool command_links(const struct compdb_command *c)
{
	return c->output && !compdb_is_proper(c) &&
	       (c->cmd.kind == COMMAND_LINK || c->cmd.kind == COMMAND_ARCHIVE || c->cmd.links);
}

/*
 * If a driver below another driver makes the same output, the outer one gets no entry.  Other
 * links below a command with an entry, such as a linker below its driver, are part of that
 * command.
 */
static void find_outer_links(struct compdb_list *l, struct compdb_command *c)
{
	for (uint32_t up = c->up; up; up = l->rows[up - 1].up) {
		struct compdb_command *outer = &l->rows[up - 1];

		if (!command_links(outer) && !(compdb_compiles(outer) && compdb_is_entry(outer)))
			continue;
		if (c->cmd.family->tool == TOOL_DRIVER && command_links(outer) &&
		    !strcmp(outer->output, c->output) && !is_wrapped(outer, c))
			outer->link = FATE_INNER;
		else
			c->link = FATE_PART;
	}
}

static void judge_links(struct compdb_list *l)
{
	for (size_t i = 0; i < l->n; i++) {
		struct compdb_command *c = &l->rows[i];

		c->link = command_links(c) ? FATE_ENTRY : FATE_OTHER;
		if (command_links(c))
			find_outer_links(l, c);
	}
}

void compdb_judge(struct compdb_list *l)
{
	compdb_rebuild(l);
	compdb_add_sources(l);
	find_innermost(l);
	judge_scripts(l);
	find_parts(l);
	compdb_check(l);
	judge_links(l);
}
