// SPDX-License-Identifier: LGPL-2.1
/* Makes entries of commands.  See compdb_parts.h. */
#include "answers/compdb_parts.h"
#include "base/xalloc.h"

#include <string.h>

/* ---- arguments ---- */

static void add_arg(struct compdb_entry *e, const char *arg)
{
	e->args = xgrow(e->args, &e->cap, e->nargs + 1, sizeof(*e->args));
	e->args[e->nargs++] = arg;
}

/* Find the outermost command that has a source, maybe a wrapper.  @s: set to its source */
static const struct compdb_command *outermost_command(const struct compdb_list *l,
						      const struct compdb_command *c,
						      const char *file,
						      const struct command_source **s)
{
	const struct compdb_command *found = c;

	for (uint32_t up = c->up; up; up = l->rows[up - 1].up) {
		struct compdb_command *outer = &l->rows[up - 1];
		struct compdb_source *same = compdb_source_of(outer, file);

		if (!same)
			continue;
		found = outer;
		*s = &outer->cmd.sources[same - outer->sources];
	}
	return found;
}

static void add_env(struct compdb_entry *e, struct compdb_command *c, const char *language,
		    bool before)
{
	size_t n = compdb_env_options(c, language, before);

	for (size_t i = c->nwords - n; i < c->nwords; i++)
		add_arg(e, c->words[i]);
}

/* Index where options end: at "--". */
static size_t end_of_options(const struct compdb_command *c)
{
	size_t i = 0;

	while (i < c->cmd.nargs && strcmp(c->cmd.args[i], "--"))
		i++;
	return i;
}

/* Add the arguments for a source: without other sources, and with options from variables. */
static void add_own_args(struct compdb_entry *e, struct compdb_command *variables,
			 const struct compdb_command *c, const struct command_source *s)
{
	size_t end = end_of_options(c);
	bool has_path = false;

	for (size_t i = 0; i < c->cmd.nargs; i++) {
		if (i == c->own)
			add_env(e, variables, s->language, true);
		if (i == end)
			add_env(e, variables, s->language, false);
		if (command_drops(&c->cmd, s, i))
			continue;
		has_path = has_path || !strcmp(c->cmd.args[i], s->path);
		add_arg(e, c->cmd.args[i]);
	}
	if (end == c->cmd.nargs)
		add_env(e, variables, s->language, false);
	/* add a source that only the arguments of the compiler proper name */
	if (s->from == s->to && !has_path)
		add_arg(e, s->path);
}

/* Whether an argument is another source than @s. */
static bool is_other(const struct compdb_command *c, const struct command_source *s, const char *arg)
{
	for (size_t i = 0; !c->cmd.family->together && i < c->cmd.nsources; i++)
		if (&c->cmd.sources[i] != s && !strcmp(c->cmd.sources[i].path, arg))
			return strcmp(arg, s->path);
	return false;
}

/* Add the arguments as they ran, with @files not replaced. */
static void add_given_args(struct compdb_entry *e, struct compdb_command *variables,
			   const struct compdb_command *c, const struct command_source *s)
{
	for (size_t i = c->inner; i < c->nargs; i++) {
		if (i == c->inner + c->own)
			add_env(e, variables, s->language, true);
		if (!is_other(c, s, c->args[i]))
			add_arg(e, c->args[i]);
	}
	add_env(e, variables, s->language, false);
}

/* Add the arguments of an entry; @s: NULL for a link. */
static void add_args(const struct compdb_list *l, struct compdb_entry *e,
		     const struct compdb_command *c, const struct command_source *s)
{
	struct compdb_command *inner = &l->rows[e->command - 1];

	if (l->o->wrappers && s)
		c = outermost_command(l, c, inner->sources[e->source].file, &s);
	for (size_t i = c->begin; l->o->wrappers && i < c->inner; i++)
		add_arg(e, c->args[i]);
	for (size_t i = 0; !s && i < c->cmd.nargs; i++)
		add_arg(e, c->cmd.args[i]);
	if (s && !l->o->config->files && compdb_has_file(c))
		add_given_args(e, inner, c, s);
	else if (s)
		add_own_args(e, inner, c, s);
}

/* ---- entries ---- */

static struct compdb_entry *add_entry(struct compdb_entries *l, const struct compdb_list *of,
				      const struct compdb_command *c)
{
	struct compdb_entry *e;

	l->rows = xgrow(l->rows, &l->cap, l->n + 1, sizeof(*l->rows));
	e = &l->rows[l->n++];
	*e = (struct compdb_entry){
		.exec = c->exec, .directory = c->directory, .command = (uint32_t)(c - of->rows) + 1,
	};
	return e;
}

/* Absolute path in an entry; with links resolved if the configuration says so. */
static char *path_of(const struct compdb_list *l, const struct compdb_command *c, const char *said)
{
	char *path = compdb_absolute(c->directory, said), *real = NULL;

	if (l->o->config->file == PATHS_CANONICAL)
		real = realpath(path, NULL);
	if (!real)
		return path;
	free(path);
	return real;
}

static void add_compilation(struct compdb_entries *to, const struct compdb_list *l,
			    struct compdb_command *c, size_t i)
{
	const struct command_source *s = &c->cmd.sources[i];
	struct compdb_entry *e = add_entry(to, l, c);
	struct buf output = { 0 };

	e->source = (uint32_t)i;
	e->file_said = s->path;
	e->file = path_of(l, c, s->path);
	if (command_output(&c->cmd, s, &output)) {
		e->output = path_of(l, c, output.s);
		e->said = output.s;
	} else {
		buf_free(&output);
	}
	add_args(l, e, c, s);
}

static void add_link(struct compdb_entries *to, const struct compdb_list *l,
		     struct compdb_command *c)
{
	struct compdb_entry *e = add_entry(to, l, c);
	struct buf said = { 0 };

	e->inputs = xcalloc(c->cmd.ninputs, sizeof(*e->inputs));
	for (e->ninputs = 0; e->ninputs < c->cmd.ninputs; e->ninputs++)
		e->inputs[e->ninputs] = path_of(l, c, c->cmd.args[c->cmd.inputs[e->ninputs]]);
	e->file_said = c->cmd.args[c->cmd.inputs[0]];
	e->file = xstrdup(e->inputs[0]);
	e->output = path_of(l, c, c->output);
	command_program(&c->cmd, &said);
	e->said = said.s;
	add_args(l, e, c, NULL);
}

void compdb_make_entries(struct compdb_entries *to, struct compdb_list *l)
{
	for (size_t i = 0; i < l->n; i++) {
		struct compdb_command *c = &l->rows[i];

		for (size_t k = 0; !compdb_is_proper(c) && k < c->cmd.nsources; k++)
			if (c->sources[k].fate == FATE_ENTRY)
				add_compilation(to, l, c, k);
		if (l->o->links && c->link == FATE_ENTRY)
			add_link(to, l, c);
	}
}

void compdb_free_entry(struct compdb_entry *e)
{
	for (size_t i = 0; i < e->ninputs; i++)
		free(e->inputs[i]);
	free(e->inputs);
	free(e->file);
	free(e->output);
	free(e->said);
	free(e->args);
}
