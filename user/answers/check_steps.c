// SPDX-License-Identifier: LGPL-2.1
/* The checks own-input, by-product and not-made.  See check.h. */
#include "answers/check.h"
#include "base/hash.h"
#include "base/xalloc.h"

#include <stdlib.h>
#include <string.h>

struct steps {
	struct check *c;
	uint32_t *file_of;	/* by node: its file; 0 if the build did not touch it */
	uint32_t *first;	/* by file: the step that wrote it first; 0 if none */
};

static uint32_t rule_of(const struct check *c, uint32_t file)
{
	return c->lists.nodes[c->node[file]].rule;
}

/* ---- overwritten inputs ---- */

static uint32_t writer_in(const struct check *c, uint32_t step, uint32_t file)
{
	size_t n;
	const struct match_write *w = match_writes(&c->s, build_final(c->s.b, file), &n);

	for (size_t i = 0; i < n; i++)
		if (c->step[w[i].unit] == step)
			return w[i].unit;
	return step;
}

/*
 * Find inputs of a step's rule that the step itself wrote. An input that has a rule, and that no
 * other step wrote before, is also an output and therefore not a finding.
 */
static void find_own_inputs(const struct steps *s, const struct check_out *out)
{
	struct check *c = s->c;
	uint32_t rule = rule_of(c, out->file);
	const struct lists_group *g = &c->lists.groups[rule];

	for (size_t i = 0; rule && i < g->n; i++) {
		uint32_t file = s->file_of[g->nodes[i]];

		if (!file || file == out->file || c->place[file] != PLACE_TREE ||
		    !check_made(c, out->step, file))
			continue;
		if (c->lists.nodes[g->nodes[i]].target && s->first[file] == out->step)
			continue;
		check_add(c, (struct check_finding){
			.kind = CHECK_OWN_INPUT, .file = file, .output = out->file,
			.unit = writer_in(c, out->step, file), .what = "written by the step that needs it",
		});
	}
}

/* ---- files without a rule ---- */

/* Whether a rule names an output of a step, directly or through a phony target. */
static bool rule_names(const struct steps *s, uint32_t rule, uint32_t step, unsigned int depth)
{
	const struct lists *l = &s->c->lists;

	for (size_t i = 0; i < l->groups[rule].n; i++) {
		uint32_t node = l->groups[rule].nodes[i], other = l->nodes[node].rule;

		if (s->file_of[node] && check_made(s->c, step, s->file_of[node]))
			return true;
		if (other && !l->before && !l->groups[other].command && depth &&
		    rule_names(s, other, step, depth - 1))
			return true;
	}
	return false;
}

/* Whether a step's rules name an output of @maker; true if only dyndep files have rules. */
static bool is_named(const struct steps *s, uint32_t step, uint32_t maker)
{
	const struct check *c = s->c;
	size_t n;
	const struct check_out *outs = check_outs(c, step, &n);
	bool any = false;

	for (size_t i = 0; i < n; i++) {
		uint32_t rule = rule_of(c, outs[i].file);

		if (!rule || c->lists.nodes[c->node[outs[i].file]].dyndep)
			continue;
		any = true;
		if (rule_names(s, rule, maker, 8))
			return true;
	}
	return !any;
}

/* @named: cache of is_named() by pair of steps */
static void find_by_product(const struct steps *s, const struct check_read *r, uint32_t maker,
			    struct map64 *named)
{
	struct check *c = s->c;
	uint32_t step = c->step[maker], output = check_output(c, step);
	uint64_t pair = (uint64_t)r->step << 32 | step;

	if (!step || step == r->step || !r->step || !output || !rule_of(c, output))
		return;
	if (!map64_get(named, pair))
		map64_put(named, pair, is_named(s, r->step, step));
	if (*map64_get(named, pair) || check_ordered(c, maker, r->unit, r->file) != 1)
		return;
	check_add(c, (struct check_finding){
		.kind = CHECK_BY_PRODUCT, .file = r->file, .unit = r->unit, .other = maker,
		.output = check_output(c, r->step), .what = "read, but made by a rule that does not name it",
	});
}

static void find_by_products(const struct steps *s)
{
	struct check *c = s->c;
	struct map64 named = { 0 };

	for (size_t i = 0; i < c->nreads; i++) {
		const struct check_read *r = &c->reads[i];
		const struct match_write *w;
		size_t n;

		if (c->place[r->file] != PLACE_TREE || rule_of(c, r->file) || c->own[r->file])
			continue;
		w = match_writes(&c->s, r->version, &n);
		for (size_t k = 0; k < n; k++)
			find_by_product(s, r, w[k].unit, &named);
	}
	map64_clear(&named);
}

/* ---- outputs that were not made ---- */

/* By file: whether it is a link or directory that the build made; these have no versions. */
static bool *find_links(struct check *c)
{
	static const char text[] = "SELECT file FROM change WHERE what IN (?, ?) AND file IS NOT NULL";
	bool *links = xcalloc(c->s.b->nfiles + 1ul, sizeof(*links));
	struct sqlite3_stmt *st;

	st = db_ask(c->s.db, text, "ii", (int64_t)GRAPH_SYMLINK, (int64_t)GRAPH_MKDIR);
	while (db_row(c->s.db, st))
		links[db_id(c->s.db, st, 0, DB_FILES)] = true;
	return links;
}

static bool is_there(const struct steps *s, uint32_t node, const bool *links)
{
	uint32_t file = s->file_of[node];

	return (file && (s->c->s.b->files[file].last || links[file])) ||
	       lists_is_there(&s->c->lists, node);
}

/* Index ninja's build statements by command; 0 for a command of several statements. */
static void by_command(const struct lists *l, struct map64 *rules)
{
	for (size_t i = 1; i <= l->ngroups; i++) {
		uint64_t command = l->groups[i].command;

		if (command)
			map64_put(rules, command, map64_get(rules, command) ? 0 : i);
	}
}

/* The ninja statement that a unit was run for; 0 if unknown. */
static uint32_t statement_of(const struct check *c, const struct map64 *rules, uint32_t unit)
{
	struct buf args = { 0 };
	uint64_t *at = NULL;

	if (match_is_shell(&c->s, unit) && check_args(c, unit, &args) == 3) {
		const char *text = args.s + strlen(args.s) + 1;

		text = strcmp(text, "-c") ? "" : text + 3;
		at = map64_get(rules, hash_bytes(text, strlen(text)));
	}
	buf_free(&args);
	return at ? (uint32_t)*at : 0;
}

static void find_not_made(const struct steps *s)
{
	struct check *c = s->c;
	const struct lists *l = &c->lists;
	uint32_t *ran = xcalloc(l->ngroups + 1, sizeof(*ran));
	bool *made = xcalloc(l->ngroups + 1, sizeof(*made)), *links = find_links(c);
	struct map64 rules = { 0 };

	by_command(l, &rules);
	for (uint32_t i = 1; rules.n && i <= c->s.nunits; i++)
		if (c->s.units[i].status == 0 && match_schedules(&c->s, c->s.units[i].caller))
			ran[statement_of(c, &rules, i)] = i;
	ran[0] = 0;
	for (uint32_t i = 1; i <= l->n; i++)
		if (ran[l->nodes[i].rule])
			made[l->nodes[i].rule] |= is_there(s, i, links);
	for (uint32_t i = 1; i <= l->n; i++) {
		const struct lists_node *node = &l->nodes[i];

		/* a phony name that only other rules need is not a file */
		if (!ran[node->rule] || (node->input && !node->wanted && !made[node->rule]) ||
		    is_there(s, i, links))
			continue;
		check_add(c, (struct check_finding){
			.kind = CHECK_NOT_MADE, .name = xstrdup(node->path),
			.unit = ran[node->rule], .what = "declared but not made",
		});
	}
	map64_clear(&rules);
	free(links);
	free(made);
	free(ran);
}

void check_steps(struct check *c)
{
	struct steps s = { .c = c };

	if (!c->lists.rules)
		return;
	s.file_of = xcalloc(c->lists.n + 1, sizeof(*s.file_of));
	s.first = xcalloc(c->s.b->nfiles + 1ul, sizeof(*s.first));
	for (uint32_t i = 1; i <= c->s.b->nfiles; i++)
		s.file_of[c->node[i]] = i;
	for (size_t i = 0; i < c->s.nwrites; i++) {
		const struct match_write *w = &c->s.writes[i];
		uint32_t *first = &s.first[c->s.versions[w->version].file];

		*first = *first ? *first : c->step[w->unit];
	}
	s.file_of[0] = 0;
	for (size_t i = 0; i < c->nouts; i++)
		find_own_inputs(&s, &c->outs[i]);
	find_by_products(&s);
	find_not_made(&s);
	free(s.file_of);
	free(s.first);
}
