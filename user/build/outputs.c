// SPDX-License-Identifier: LGPL-2.1
/* Searches from inputs to outputs.  See reach.h and search.h. */
#include "build/search.h"
#include "base/xalloc.h"

#include <stdlib.h>

static void add_output(struct search *s, uint32_t version, const struct build_access *w,
		       enum graph_class class, uint32_t exec, int64_t time, size_t from)
{
	const struct build *b = s->b;

	search_add(s, (struct reach_node){
		.version = version, .class = (uint8_t)class, .exec = exec, .time = time,
		.through = w && build_is_queue(&b->versions[version]) ? w : NULL,
	}, from);
}

/*
 * Add everything that an exec wrote after @since, when it read something. @version: the
 * version that it read; 0 if it was something else
 */
static void add_writes(struct search *s, uint32_t exec, int64_t since, enum graph_class class,
		       uint32_t version, size_t from)
{
	const struct build *b = s->b;
	const struct build_exec *e = &b->execs[exec];
	const uint32_t *made;
	size_t n;

	for (uint32_t i = 0; i < e->uses; i++) {
		const struct build_access *a = &b->accesses[e->first + i];

		if (a->how == GRAPH_WRITE && a->version && a->until > since &&
		    (!search_is_content((uint8_t)class) || build_is_from(b, a, version)))
			add_output(s, a->version, a, class, exec,
				   search_worse(s, a->at, since), from);
	}
	made = build_list(b, BUILD_MADE_BY, exec, &n);
	for (size_t i = 0; i < n; i++)
		if (b->versions[made[i]].at > since)
			add_output(s, made[i], NULL, class, exec, b->versions[made[i]].at, from);
}

/*
 * Add the writes of an exec that read something at @since, and of children that it forked later.
 */
static void add_user(struct search *s, uint32_t exec, int64_t since, enum graph_class class,
		     uint32_t version, size_t from)
{
	const struct build *b = s->b;
	uint32_t *stack = NULL;
	size_t n = 0, cap = 0, nforks;

	stack = xgrow(stack, &cap, 1, sizeof(*stack));
	stack[n++] = exec;
	while (n) {
		uint32_t now = stack[--n];
		int64_t then = now == exec ? since : search_worse(s, b->execs[now].at, since);
		const uint32_t *forks;

		/* visited again if it copies: the outputs of copies depend on @version */
		if (!search_enter(s, now, then) && !b->execs[now].copies)
			continue;
		add_writes(s, now, then, class, now == exec ? version : 0, from);
		forks = build_list(b, BUILD_FORKS, now, &nforks);
		stack = xgrow(stack, &cap, n + nforks + 1, sizeof(*stack));
		for (size_t i = nforks; i--;)
			if (b->execs[forks[i]].at > then)
				stack[n++] = forks[i];
	}
	free(stack);
}

/*
 * Add versions that an exec let the kernel copy from a version that it wrote, without reading it.
 */
static void add_own_copies(struct search *s, uint32_t version, const struct build_access *own,
			   size_t from)
{
	const struct build *b = s->b;
	size_t n;
	const uint32_t *rows = build_list(b, BUILD_COPIED_FROM, version, &n);

	for (size_t i = 0; i < n; i++) {
		const struct build_copy *c = &b->copies[rows[i] - 1];
		const struct build_version *v = &b->versions[c->output];

		for (uint32_t k = 0; c->exec == own->exec && k < v->writes; k++) {
			const struct build_access *w = build_use(b, c->output, k);

			if (w->exec == own->exec && w->copied && w->until > own->at)
				add_output(s, c->output, w, GRAPH_DATA, w->exec,
					   search_worse(s, w->at, own->at), from);
		}
	}
}

/* Add programs that failed to find one of the names. */
static void add_missers(struct search *s)
{
	const struct build *b = s->b;

	for (uint32_t exec = 1; exec <= b->nexecs; exec++)
		for (uint32_t i = 0; i < build_misses(b, exec); i++) {
			const struct build_miss *m = build_miss_of(b, exec, i);

			if (s->names[m->file])
				add_user(s, exec, m->at, GRAPH_PROBE, 0, 0);
		}
}

/* Add programs that listed one of the directories, or asked for the type of one of the names. */
static void add_lookers(struct search *s)
{
	const struct build *b = s->b;

	for (size_t i = 0; i < b->naccesses; i++) {
		const struct build_access *a = &b->accesses[i];

		if ((a->how == GRAPH_LIST && s->dirs && s->dirs[a->file]) ||
		    (a->how == GRAPH_LOOK && s->names && s->names[a->file]))
			add_user(s, a->exec, a->at, (enum graph_class)a->class, 0, 0);
	}
}

static void add_symlinks_to(struct search *s, uint32_t file, int64_t time, size_t from)
{
	const struct build *b = s->b;
	size_t n;
	const uint32_t *links = build_list(b, BUILD_LINKS, file, &n);

	for (size_t i = 0; file && i < n; i++)
		add_output(s, links[i], NULL, GRAPH_DATA, b->versions[links[i]].exec, time, from);
}

/* Add symbolic links to any name of a version. */
static void add_symlinks(struct search *s, uint32_t version, int64_t time, size_t from)
{
	size_t n;
	const uint32_t *names = build_list(s->b, BUILD_NAMES_OF, version, &n);

	for (size_t i = 0; i < n; i++)
		add_symlinks_to(s, names[i], time, from);
}

static void expand_outputs(struct search *s, size_t i)
{
	const struct build *b = s->b;
	const struct reach_node n = s->r->nodes[i];
	const struct build_version *v = &b->versions[n.version];
	const uint32_t *based;
	size_t nbased;

	if (!i && s->names)
		add_missers(s);
	if (!i && s->dirs)
		add_lookers(s);
	if (!n.version)
		return;
	for (uint32_t k = 0; k < v->uses; k++) {
		const struct build_access *a = build_use(b, n.version, k);

		if (k < v->writes && !n.through)
			add_own_copies(s, n.version, a, i);
		if (search_wants(s, a) && a->until > n.time &&
		    (!n.through || build_flows(b, n.through, a)))
			add_user(s, a->exec, search_worse(s, build_began(b, a), n.time),
				 a->class, n.version, i);
	}
	add_symlinks(s, n.version, n.time, i);
	based = build_list(b, BUILD_BASED, n.version, &nbased);
	for (size_t k = 0; k < nbased; k++)
		add_output(s, based[k], NULL, GRAPH_DATA, b->versions[based[k]].exec, n.time, i);
}

/* Show the names that node @i has at the end of the build. */
static void show_names(struct search *s, size_t i, bool *any, bool *own)
{
	size_t n;
	const uint32_t *names = build_list(s->b, BUILD_NAMES_OF, s->r->nodes[i].version, &n);

	for (size_t k = 0; k < n; k++) {
		*own |= names[k] == s->file;
		if (names[k] == s->file || map64_get(&s->shown, names[k]))
			continue;
		if (*any)
			search_show_also(s, i, names[k]);
		else
			search_show(s, i, names[k]);
		*any = true;
	}
}

static bool look_at_output(struct search *s, size_t i)
{
	const struct build_version *v = &s->b->versions[s->r->nodes[i].version];
	bool any = s->r->nodes[i].shown, own = false;

	if (v->made == GRAPH_SPECIAL || v->made == GRAPH_DIR)
		return false;
	if (!build_is_queue(v) && !any)
		show_names(s, i, &any, &own);
	return !any || own || s->how != REACH_DIRECT;
}

static int by_to(const void *a, const void *b)
{
	const struct edge *x = a, *y = b;

	return (x->to > y->to) - (x->to < y->to);
}

/* Show only nodes that lead to no other shown node: walk back from each along the edges. */
static void keep_last(struct search *s)
{
	struct reach *r = s->r;
	bool *leads = xcalloc(r->n + 1, sizeof(*leads));
	uint32_t *stack = xcalloc(r->n + 1, sizeof(*stack));
	size_t n = 0, *first = xcalloc(r->n + 1, sizeof(*first));

	if (s->nedges)
		qsort(s->edges, s->nedges, sizeof(*s->edges), by_to);
	for (size_t i = s->nedges; i--;)
		first[s->edges[i].to] = i;
	for (uint32_t i = 0; i < r->n; i++)
		if (r->nodes[i].shown)
			stack[n++] = i;
	while (n) {
		uint32_t to = stack[--n];

		for (size_t i = first[to]; i < s->nedges && s->edges[i].to == to; i++) {
			uint32_t from = s->edges[i].from;

			if (from == to || leads[from])
				continue;
			leads[from] = true;
			/* shown nodes have already been pushed */
			if (!r->nodes[from].shown)
				stack[n++] = from;
		}
	}
	for (size_t i = 0; i < r->n; i++)
		r->nodes[i].shown &= !leads[i];
	free(leads);
	free(stack);
	free(first);
	free(s->edges);
}

static void find_outputs(struct search *s)
{
	search_run(s, expand_outputs, look_at_output);
	if (s->keeps_edges)
		keep_last(s);
	search_add_also(s);
}

static void add_version(struct search *s, uint32_t version)
{
	search_add(s, (struct reach_node){ .version = s->b->versions[version].holds, .file = s->file,
				    .class = GRAPH_DATA, .time = INT64_MIN }, 0);
}

/* Add earlier versions of the name, which were read under this name, too. */
static void add_earlier(struct search *s)
{
	const struct build *b = s->b;
	const uint32_t *rows;
	size_t n;

	rows = build_list(b, BUILD_BEGAN, s->file, &n);
	for (size_t i = 0; i < n; i++)
		add_version(s, rows[i]);
	rows = build_list(b, BUILD_TOOK, s->file, &n);
	for (size_t i = 0; i < n; i++)
		add_version(s, b->names[rows[i] - 1].version);
}

/* For an input that existed before: add the names that the build gave it, as outputs. */
static void add_new_names(struct search *s, uint32_t version)
{
	const struct build *b = s->b;
	const uint32_t *names;
	size_t n;

	names = build_list(b, BUILD_NAMES_OF, version, &n);
	for (size_t i = 0; i < n && b->versions[version].made == GRAPH_EXISTED; i++)
		if (names[i] != s->file && build_is_output(b, names[i])) {
			search_add_node(s->r, (struct reach_node){
				.version = version, .file = names[i], .class = GRAPH_DATA, .shown = true,
			});
		}
}

void reach_outputs(const struct build *b, uint32_t version, uint32_t file, enum reach_how how,
		   unsigned int classes, struct reach *r)
{
	struct search s = {
		.b = b, .r = r, .how = how, .classes = classes, .file = file, .back = true,
		.keeps_edges = how == REACH_LEAVES,
	};

	*r = (struct reach){ 0 };
	if (classes >> GRAPH_PROBE & 1) {
		s.names = xcalloc(b->nfiles + 1ul, sizeof(*s.names));
		s.names[file] = true;
	}
	add_version(&s, version);
	add_earlier(&s);
	/* symbolic links to the input count even if nothing has read it */
	add_symlinks_to(&s, file, INT64_MIN, 0);
	find_outputs(&s);
	add_new_names(&s, b->versions[version].holds);
	free(s.names);
}

/* Add a version that existed before the build if any name it had then has changed. */
static void add_changed(struct search *s, uint32_t version, const bool *changed)
{
	const struct build *b = s->b;
	bool of = changed[b->versions[version].file];
	const uint32_t *given;
	size_t n;

	given = build_list(b, BUILD_GIVEN, version, &n);
	for (size_t i = 0; i < n && !of; i++)
		of = !b->names[given[i] - 1].exec && changed[b->names[given[i] - 1].file];
	if (of)
		search_add(s, (struct reach_node){ .version = version, .class = GRAPH_DATA,
					    .time = INT64_MIN }, 0);
}

void reach_changed(const struct build *b, const struct reach_change *changes, size_t n,
		   struct reach *r)
{
	struct search s = {
		.b = b, .r = r, .how = REACH_ALL, .back = true,
		.classes = ~(1u << GRAPH_PROBE | 1u << GRAPH_IS_DIR),
		.names = xcalloc(b->nfiles + 1ul, sizeof(*s.names)),
		.dirs = xcalloc(b->nfiles + 1ul, sizeof(*s.dirs)),
	};
	bool *changed = xcalloc(b->nfiles + 1ul, sizeof(*changed));

	*r = (struct reach){ 0 };
	for (size_t i = 0; i < n; i++) {
		changed[changes[i].file] = true;
		s.names[changes[i].file] |= changes[i].comes_or_goes;
		s.dirs[changes[i].dir] = true;
	}
	s.names[0] = s.dirs[0] = changed[0] = false;
	/* node 0 stands for all changed files */
	search_add(&s, (struct reach_node){ .class = GRAPH_DATA, .time = INT64_MIN }, 0);
	for (size_t i = 0; i < n; i++)
		add_symlinks_to(&s, changes[i].file, INT64_MIN, 0);
	for (uint32_t i = 1; i <= b->nversions; i++)
		if (b->versions[i].made == GRAPH_EXISTED)
			add_changed(&s, i, changed);
	find_outputs(&s);
	free(s.names);
	free(s.dirs);
	free(changed);
}
