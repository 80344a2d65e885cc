// SPDX-License-Identifier: LGPL-2.1
/* Entries, of the commands of a build.  See compdb_parts.h. */
#include "answers/compdb_parts.h"
#include "base/xalloc.h"

#include <string.h>
#include <unistd.h>

/* ---- what only tries something out ---- */

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

/* ---- arguments ---- */

static void add_arg(struct compdb_entry *e, const char *arg)
{
	e->args = xgrow(e->args, &e->cap, e->nargs + 1, sizeof(*e->args));
	e->args[e->nargs++] = arg;
}

/* The outermost command that has the source, with wrappers and all; @s: set to the source there. */
static const struct compdb_command *outermost(const struct compdb_list *l,
					      const struct compdb_command *c, const char *file,
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

/* @s: NULL: a link. */
static void add_args(const struct compdb_list *l, struct compdb_entry *e,
		     const struct compdb_command *c, const struct command_source *s)
{
	bool told = false;

	if (l->o->wrappers && s)
		c = outermost(l, c, e->file, &s);
	for (size_t i = c->begin; l->o->wrappers && i < c->inner; i++)
		add_arg(e, c->args[i]);
	for (size_t i = 0; i < c->cmd.nargs; i++) {
		if (s && command_drops(&c->cmd, s, i))
			continue;
		told = told || (s && !strcmp(c->cmd.args[i], s->path));
		add_arg(e, c->cmd.args[i]);
	}
	/* the compiler proper had it of somewhere else */
	if (s && s->from == s->to && !told)
		add_arg(e, s->path);
}

/* ---- entries ---- */

static struct compdb_entry *add_entry(struct compdb_entries *l, const struct compdb_command *c)
{
	struct compdb_entry *e;

	l->rows = xgrow(l->rows, &l->cap, l->n + 1, sizeof(*l->rows));
	e = &l->rows[l->n++];
	*e = (struct compdb_entry){ .exec = c->exec, .directory = c->directory };
	return e;
}

static void add_compilation(struct compdb_entries *to, const struct compdb_list *l,
			    struct compdb_command *c, size_t i)
{
	const struct command_source *s = &c->cmd.sources[i];
	struct compdb_entry *e = add_entry(to, c);
	struct buf output = { 0 };

	e->file = xstrdup(c->sources[i].file);
	if (command_output(&c->cmd, s, &output)) {
		e->output = compdb_absolute(c->directory, output.s);
		e->said = output.s;
	} else {
		buf_free(&output);
	}
	add_args(l, e, c, s);
}

static void add_link(struct compdb_entries *to, const struct compdb_list *l,
		     struct compdb_command *c)
{
	struct compdb_entry *e = add_entry(to, c);

	e->inputs = xcalloc(c->cmd.ninputs, sizeof(*e->inputs));
	for (e->ninputs = 0; e->ninputs < c->cmd.ninputs; e->ninputs++)
		e->inputs[e->ninputs] = compdb_absolute(c->directory,
							c->cmd.args[c->cmd.inputs[e->ninputs]]);
	e->file = xstrdup(e->inputs[0]);
	e->output = xstrdup(c->output);
	e->said = xstrdup(c->cmd.output ? c->cmd.output : "a.out");
	add_args(l, e, c, NULL);
}

/* Whether a source is asked for. */
static bool is_wanted(const struct compdb_list *l, const struct compdb_command *c, size_t i)
{
	const struct compdb_source *s = &c->sources[i];

	if (l->o->no_configure && is_trial(s->file))
		return false;
	if (l->o->exists && access(s->file, F_OK))
		return false;
	return s->fate == FATE_ENTRY ||
	       (l->o->preprocess && s->fate == FATE_OTHER && c->cmd.why == WHY_PREPROCESSES);
}

void compdb_make_entries(struct compdb_entries *to, struct compdb_list *l)
{
	for (size_t i = 0; i < l->n; i++) {
		struct compdb_command *c = &l->rows[i];

		for (size_t k = 0; !compdb_is_proper(c) && k < c->cmd.nsources; k++)
			if (is_wanted(l, c, k))
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

/* ---- order, and what is there twice ---- */

static int by_text(const char *a, const char *b)
{
	return strcmp(a ? a : "", b ? b : "");
}

static int by_place(const void *a, const void *b)
{
	const struct compdb_entry *x = a, *y = b;
	int order = strcmp(x->file, y->file);

	order = order ? order : by_text(x->output, y->output);
	order = order ? order : by_text(x->directory, y->directory);
	order = order ? order : !x->inputs - !y->inputs;
	order = order ? order : by_text(x->old, y->old);
	for (size_t i = 0; !order && i < x->nargs && i < y->nargs; i++)
		order = strcmp(x->args[i], y->args[i]);
	return order ? order : (x->nargs > y->nargs) - (x->nargs < y->nargs);
}

/* The same command, run again, is one entry. */
void compdb_sort(struct compdb_entries *l)
{
	size_t to = 0;

	if (l->n)
		qsort(l->rows, l->n, sizeof(*l->rows), by_place);
	for (size_t i = 0; i < l->n; i++) {
		if (to && !by_place(&l->rows[to - 1], &l->rows[i])) {
			compdb_free_entry(&l->rows[i]);
			continue;
		}
		l->rows[to++] = l->rows[i];
	}
	l->n = to;
}
