// SPDX-License-Identifier: LGPL-2.1
/* Selects the entries that the user wants.  See compdb_parts.h. */
#include "answers/compdb_parts.h"

#include <string.h>
#include <unistd.h>

/* ---- one by one ---- */

/* Whether the configuration excludes a source: the last directory that contains it decides. */
static bool is_excluded(const struct config *config, const struct compdb_command *c, size_t source)
{
	for (size_t i = config->ndirectories; i > 0; i--) {
		const struct config_directory *d = &config->directories[i - 1];

		if (config_has_below(d->absolute, c->sources[source].file) ||
		    config_has_below(d->path, c->cmd.sources[source].path))
			return d->exclude;
	}
	return false;
}

static bool is_gone(const struct compdb *o, const char *file)
{
	return (o->exists || o->config->only_existing) && access(file, F_OK);
}

static enum compdb_fate fate_of(struct compdb_list *l, const struct compdb_command *c, size_t i)
{
	const struct compdb *o = l->o;

	if (is_excluded(o->config, c, i))
		return FATE_EXCLUDED;
	if (is_gone(o, c->sources[i].file))
		return FATE_GONE;
	if (o->no_configure && compdb_is_trial(l, c, i))
		return FATE_TRIAL;
	return FATE_ENTRY;
}

/* The fate of a link: the fate of its sources, else of its first input. */
static enum compdb_fate fate_of_link(struct compdb_list *l, const struct compdb_command *c,
				     enum compdb_fate fate)
{
	char *file;

	if (fate != FATE_ENTRY)
		return fate;
	file = compdb_absolute(c->directory, c->cmd.args[c->cmd.inputs[0]]);
	if (is_gone(l->o, file))
		fate = FATE_GONE;
	free(file);
	return fate;
}

void compdb_select(struct compdb_list *l)
{
	for (size_t i = 0; i < l->n; i++) {
		struct compdb_command *c = &l->rows[i];
		enum compdb_fate last = FATE_ENTRY;

		for (size_t k = 0; !compdb_is_proper(c) && k < c->cmd.nsources; k++) {
			struct compdb_source *s = &c->sources[k];

			if (s->fate == FATE_OTHER && c->cmd.why == WHY_PREPROCESSES && l->o->preprocess)
				s->fate = FATE_ENTRY;
			if (s->fate == FATE_ENTRY)
				last = s->fate = fate_of(l, c, k);
		}
		if (c->link == FATE_ENTRY)
			c->link = fate_of_link(l, c, last);
	}
}

/* ---- duplicates ---- */

static int by_text(const char *a, const char *b)
{
	return strcmp(a ? a : "", b ? b : "");
}

static int by_args(const struct compdb_entry *x, const struct compdb_entry *y)
{
	int order = 0;

	for (size_t i = 0; !order && i < x->nargs && i < y->nargs; i++)
		order = strcmp(x->args[i], y->args[i]);
	return order ? order : (x->nargs > y->nargs) - (x->nargs < y->nargs);
}

/* Compare by the members in @fields: bits of enum config_fields. */
static int by_fields(const void *a, const void *b, void *fields)
{
	const struct compdb_entry *x = a, *y = b;
	int of = *(int *)fields, order = !x->inputs - !y->inputs;

	if (!order && of & FIELD_FILE)
		order = strcmp(x->file, y->file);
	if (!order && of & FIELD_OUTPUT)
		order = by_text(x->output, y->output);
	if (!order && of & FIELD_DIRECTORY)
		order = by_text(x->directory, y->directory);
	if (!order && of & (FIELD_ARGUMENTS | FIELD_COMMAND))
		order = by_args(x, y);
	return order;
}

/* Of duplicates, the one that ran first comes first. */
static int by_fields_and_time(const void *a, const void *b, void *fields)
{
	const struct compdb_entry *x = a, *y = b;
	int order = by_fields(a, b, fields);

	return order ? order : (x->exec > y->exec) - (x->exec < y->exec);
}

static void drop_entry(struct compdb_list *l, struct compdb_entry *e,
		       const struct compdb_entry *first)
{
	struct compdb_command *c = &l->rows[e->command - 1];

	if (!e->inputs) {
		c->sources[e->source].fate = FATE_DUPLICATE;
		c->sources[e->source].by = first->command;
	}
	compdb_free_entry(e);
}

void compdb_drop_duplicates(struct compdb_entries *e, struct compdb_list *l)
{
	int fields = l->o->config->match_on;
	size_t to = 0;

	if (!fields)
		fields = FIELD_DIRECTORY | FIELD_FILE | FIELD_ARGUMENTS | FIELD_OUTPUT;
	if (e->n)
		qsort_r(e->rows, e->n, sizeof(*e->rows), by_fields_and_time, &fields);
	for (size_t i = 0; i < e->n; i++)
		if (to && !by_fields(&e->rows[to - 1], &e->rows[i], &fields))
			drop_entry(l, &e->rows[i], &e->rows[to - 1]);
		else
			e->rows[to++] = e->rows[i];
	e->n = to;
}

/* ---- order ---- */

static int by_place(const void *a, const void *b)
{
	const struct compdb_entry *x = a, *y = b;
	int order = strcmp(x->file, y->file);

	order = order ? order : by_text(x->output, y->output);
	order = order ? order : by_text(x->directory, y->directory);
	order = order ? order : by_text(x->old, y->old);
	order = order ? order : !x->inputs - !y->inputs;
	return order ? order : by_args(x, y);
}

void compdb_sort(struct compdb_entries *l)
{
	if (l->n)
		qsort(l->rows, l->n, sizeof(*l->rows), by_place);
}
