// SPDX-License-Identifier: LGPL-2.1
/* The checks undeclared, race, and outside for reads.  See check.h. */
#include "answers/check.h"
#include "base/hash.h"
#include "base/path.h"
#include "base/xalloc.h"

#include <stdlib.h>
#include <string.h>

static int by_step(const void *a, const void *b)
{
	const struct check_read *x = a, *y = b;

	if (x->step != y->step)
		return (x->step > y->step) - (x->step < y->step);
	if (x->file != y->file)
		return (x->file > y->file) - (x->file < y->file);
	if (x->version != y->version)
		return (x->version > y->version) - (x->version < y->version);
	return (x->at > y->at) - (x->at < y->at);
}

static void add_read(struct check *c, const struct build_access *a)
{
	const struct match_side *s = &c->s;
	uint32_t unit = s->unit_of[a->exec], version = s->versions[a->version].holds;
	const struct build_version *v = &s->versions[version];
	bool made = v->made != GRAPH_EXISTED;

	if (match_schedules(s, unit)) {
		c->looked[a->file] = true;
		c->own[a->file] |= a->how == GRAPH_READ;
		c->late[unit] |= a->how == GRAPH_READ && made && c->lists.before;
	}
	if (a->how == GRAPH_LOOK || !version || !build_is_file(v) ||
	    (!made && (c->place[a->file] == PLACE_SYSTEM || c->place[a->file] == PLACE_CACHE)))
		return;
	c->reads = xgrow(c->reads, &c->reads_cap, c->nreads + 1, sizeof(*c->reads));
	c->reads[c->nreads++] = (struct check_read){
		.step = c->step[unit], .unit = unit, .version = version, .file = a->file,
		.class = a->class, .how = a->how, .at = a->at,
	};
}

static void load_reads(struct check *c)
{
	const struct build *b = c->s.b;
	size_t n = 0;

	c->looked = xcalloc(b->nfiles + 1ul, sizeof(*c->looked));
	c->own = xcalloc(b->nfiles + 1ul, sizeof(*c->own));
	for (size_t i = 0; i < b->naccesses; i++) {
		const struct build_access *a = &b->accesses[i];

		if (a->file && c->s.unit_of[a->exec] &&
		    (a->how == GRAPH_READ || a->how == GRAPH_RUN || a->how == GRAPH_LOOK))
			add_read(c, a);
	}
	if (c->nreads)
		qsort(c->reads, c->nreads, sizeof(*c->reads), by_step);
	for (size_t i = 0; i < c->nreads; i++) {
		const struct check_read *r = &c->reads[i], *last = n ? &c->reads[n - 1] : NULL;

		if (!last || last->step != r->step || last->unit != r->unit ||
		    last->file != r->file || last->version != r->version)
			c->reads[n++] = *r;
	}
	c->nreads = n;
}

static bool is_fleeting(const struct check *c, uint32_t file)
{
	return c->place[file] == PLACE_TEMPORARY || c->place[file] == PLACE_CACHE;
}

static bool is_declared(const struct check *c, uint32_t file)
{
	return c->lists.nodes[c->node[file]].rule;
}

/*
 * Find the output of each step: the first declared one, else the first that still exists at the
 * end.
 */
static void find_outputs(struct check *c)
{
	c->output = xcalloc(c->s.nunits + 1ul, sizeof(*c->output));
	for (size_t i = 0; i < c->nouts; i++) {
		uint32_t file = c->outs[i].file, *output = &c->output[c->outs[i].step];
		uint32_t there = c->s.there[file];

		/* files that make or ninja itself reads are not outputs */
		if (is_declared(c, file) ? !*output || !is_declared(c, *output) :
		    !*output && !c->own[file] && !is_fleeting(c, file) && there &&
		    build_is_file(&c->s.versions[there]))
			*output = file;
	}
}

/* ---- outside ---- */

/* Facts about the reads of a unit. */
struct reader {
	int64_t source;		/* when it read its first source; INT64_MAX if it read none */
	bool beside;		/* it reads sources in a sibling of the build's directory */
};

static struct reader *find_readers(const struct check *c)
{
	struct reader *readers = xcalloc(c->s.nunits + 1ul, sizeof(*readers));

	for (uint32_t i = 0; i <= c->s.nunits; i++)
		readers[i].source = INT64_MAX;
	for (size_t i = 0; i < c->nreads; i++) {
		const struct check_read *r = &c->reads[i];
		struct reader *reader = &readers[r->unit];
		bool existed = c->s.versions[r->version].made == GRAPH_EXISTED;
		size_t len;
		const char *path = build_path(c->s.b, r->file, &len);

		if (c->place[r->file] != PLACE_TREE)
			continue;
		if ((existed || work_is_source(path, len)) && r->at < reader->source)
			reader->source = r->at;
		reader->beside |= existed && !build_is_within(c->s.b, r->file, c->trees[0]);
	}
	return readers;
}

/*
 * Whether a read is of modules and settings of an installed program: files in /usr/local that
 * it reads before the first source, if any, and that no argument names.
 */
static bool is_installed(const struct check *c, const struct check_read *r, const struct reader *by)
{
	const struct build *b = c->s.b;
	const struct build_exec *e = &b->execs[c->s.units[r->unit].exec];
	size_t len;
	const char *path = build_inner(b, build_path(b, r->file, &len), &len);

	return r->how == GRAPH_READ && path_within(path, len, "/usr/local", strlen("/usr/local")) &&
	       (c->place[e->program] == PLACE_SYSTEM || c->place[e->interp] == PLACE_SYSTEM) &&
	       r->at < by->source &&
	       !check_names(c, r->unit, r->file, NULL);
}

/*
 * If a source tree is a sibling of the build directory, files in their parent directory
 * that its compilations read belong to the same project.
 */
static bool is_beside(const struct check *c, const struct check_read *r, const struct reader *by)
{
	return r->class == GRAPH_DATA && by->beside && c->around_trees &&
	       build_is_within(c->s.b, r->file, c->around_trees);
}

static void find_outside(struct check *c)
{
	struct reader *readers = find_readers(c);

	for (size_t i = 0; i < c->nreads; i++) {
		const struct check_read *r = &c->reads[i];

		if (c->s.versions[r->version].made == GRAPH_EXISTED &&
		    c->place[r->file] != PLACE_TREE && !is_installed(c, r, &readers[r->unit]) &&
		    !is_beside(c, r, &readers[r->unit]))
			check_add(c, (struct check_finding){
				.kind = CHECK_OUTSIDE, .class = r->class, .file = r->file,
				.unit = r->unit, .what = r->class == GRAPH_DATA ? "read" : "used",
			});
	}
	free(readers);
}

/* ---- undeclared ---- */

/* How rules use a directory: bits in a table by the hash of its path. */
enum { DIR_MADE = 1, DIR_SOURCES = 2 };

static uint64_t dir_of(const char *path, size_t len)
{
	const char *slash = memrchr(path, '/', len);

	return hash_bytes(path, slash ? (size_t)(slash - path) : 0);
}

/* By node: whether it is an input of a rule, other than one that makes a dyndep file. */
static bool *find_inputs(const struct lists *l)
{
	bool *inputs = xcalloc(l->n + 1, sizeof(*inputs));
	bool *finds = xcalloc(l->ngroups + 1, sizeof(*finds));

	for (size_t i = 1; i <= l->n; i++)
		finds[l->nodes[i].rule] |= l->nodes[i].dyndep;
	for (size_t i = 1; i <= l->ngroups; i++)
		for (size_t k = 0; k < l->groups[i].n && !finds[i]; k++)
			inputs[l->groups[i].nodes[k]] = true;
	free(finds);
	return inputs;
}

/* Find directories with outputs of rules, and with inputs that no rule makes. */
static void find_dirs(const struct lists *l, struct map64 *dirs)
{
	bool *inputs = find_inputs(l);

	for (size_t i = 1; i <= l->n; i++) {
		const struct lists_node *node = &l->nodes[i];
		uint64_t key = dir_of(node->path, node->len), *at = map64_get(dirs, key);
		uint64_t is = node->target ? DIR_MADE : inputs[i] ? DIR_SOURCES : 0;

		map64_put(dirs, key, (at ? *at : 0) | is);
	}
	free(inputs);
}

/* Whether a unit wrote to a file, even if the file was removed. */
static bool unit_wrote(const struct match_side *s, uint32_t unit, uint32_t file)
{
	for (uint32_t exec = s->units[unit].first; exec; exec = s->next[exec]) {
		const struct build_access *a = &s->b->accesses[s->b->execs[exec].first];

		for (uint32_t i = 0; i < s->b->execs[exec].uses; i++)
			if (a[i].how == GRAPH_WRITE && s->versions[a[i].version].file == file)
				return true;
	}
	return false;
}

/*
 * Whether a program writes a depfile that was not loaded into @lists: one that make or ninja has
 * read, or one that still exists for them.
 */
static bool lists_itself(const struct check *c, uint32_t unit)
{
	static const char *const options[] = { "-MF", "-MD", "-MMD", "-dependency-file", NULL };
	const struct check_out *outs;
	bool lists = false;
	size_t n;

	outs = check_outs(c, c->step[unit], &n);
	for (size_t i = 0; i < n; i++) {
		uint32_t file = outs[i].file;

		if (c->lists.nodes[c->node[file]].read)
			return false;
		lists |= (c->own[file] || (build_name(c->s.b, build_final(c->s.b, file), 0) &&
					   check_names(c, unit, file, options))) &&
			 unit_wrote(&c->s, unit, file);
	}
	return lists;
}

static void find_undeclared(struct check *c, const struct check_read *r, const struct map64 *dirs)
{
	const struct lists_node *node = &c->lists.nodes[c->node[r->file]];
	uint32_t output = check_output(c, r->step);
	uint64_t *dir;
	int declared;
	size_t len;
	const char *path = build_path(c->s.b, r->file, &len);

	if (r->class != GRAPH_DATA || !output || (c->steps && !c->below[r->unit]))
		return;
	declared = check_declares(c, r->step, c->node[r->file]);
	if (declared < 0)
		declared = c->lists.rules || node->input || node->target || c->looked[r->file];
	/* a file in a directory where rules only make files is not a source: it was generated */
	dir = map64_get(dirs, dir_of(path, len));
	if (declared || (c->lists.rules && dir && *dir == DIR_MADE) || lists_itself(c, r->unit))
		return;
	check_add(c, (struct check_finding){
		.kind = CHECK_UNDECLARED, .class = r->class, .file = r->file, .unit = r->unit,
		.output = output,
		.what = node->input ? "read, but declared only for other steps" : "read, but declared nowhere",
	});
}

/* ---- races ---- */

/* Whether the call that contains @user began before @until, up to which @maker wrote. */
static bool began_before(const struct check *c, uint32_t user, uint32_t maker, int64_t until)
{
	uint32_t a = maker, b = user, both = check_apart(c, &a, &b);

	return both && (match_schedules(&c->s, both) || match_is_shell(&c->s, both)) &&
	       c->s.units[b].at < until;
}

static void find_race(struct check *c, const struct check_read *r, const struct match_write *w)
{
	uint32_t maker = c->step[w->unit];
	int ordered;

	if (!maker || !r->step || maker == r->step)
		return;
	ordered = check_ordered(c, w->unit, r->unit, r->file);
	if (ordered > 0)
		return;
	if (ordered < 0 && !began_before(c, r->unit, w->unit, w->until))
		return;
	check_add(c, (struct check_finding){
		.kind = CHECK_RACE, .class = r->class, .file = r->file, .unit = r->unit,
		.other = w->unit, .output = check_output(c, r->step),
		.what = ordered ? "the step that uses it was started before it was made" :
			"no rule makes the step that uses it wait for it",
	});
}

void check_reads(struct check *c)
{
	struct map64 dirs = { 0 };

	load_reads(c);
	find_outputs(c);
	find_outside(c);
	find_dirs(&c->lists, &dirs);
	for (size_t i = 0; i < c->nreads; i++) {
		const struct check_read *r = &c->reads[i];
		const struct match_write *w;
		size_t n;

		if (c->place[r->file] != PLACE_TREE)
			continue;
		if (c->lists.n && c->s.versions[r->version].made == GRAPH_EXISTED)
			find_undeclared(c, r, &dirs);
		w = match_writes(&c->s, r->version, &n);
		for (size_t j = 0; j < n; j++)
			find_race(c, r, &w[j]);
	}
	map64_clear(&dirs);
}
