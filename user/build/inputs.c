// SPDX-License-Identifier: LGPL-2.1
/* Searches from outputs to inputs.  See reach.h and search.h. */
#include "build/search.h"
#include "base/xalloc.h"

/*
 * Add the reads of an exec before a time. @write: only reads that this write may contain; NULL for
 * all.
 */
static void add_reads(struct search *s, uint32_t exec, int64_t before,
		      const struct build_access *write, size_t from)
{
	const struct build *b = s->b;
	const struct build_exec *e = &b->execs[exec];
	bool probes = s->classes >> GRAPH_PROBE & 1;

	for (uint32_t i = 0; i < e->uses; i++) {
		const struct build_access *a = &b->accesses[e->first + i];
		bool queue = build_is_queue(&b->versions[a->version]);

		if (!search_wants(s, a) || build_began(b, a) >= before ||
		    (write && search_is_content(a->class) && !build_is_from(b, write, a->version)))
			continue;
		search_add(s, (struct reach_node){
			.version = queue ? a->version : b->versions[a->version].holds,
			.file = a->file, .class = a->class, .exec = exec,
			.through = queue ? a : NULL, .time = search_worse(s, a->until, before),
		}, from);
	}
	for (uint32_t i = 0; probes && i < build_misses(b, exec); i++) {
		const struct build_miss *m = build_miss_of(b, exec, i);

		if (m->at < before)
			search_add(s, (struct reach_node){ .file = m->file, .class = GRAPH_PROBE,
						    .exec = exec }, from);
	}
}

/* Add versions that the exec wrote itself and let the kernel copy from, without reading them. */
static void add_own_copies(struct search *s, const struct build_access *write, int64_t before,
			   size_t from)
{
	const struct build *b = s->b;
	size_t n;
	const uint32_t *rows = build_list(b, BUILD_COPIED_TO, write->version, &n);

	for (size_t i = 0; i < n; i++) {
		const struct build_copy *c = &b->copies[rows[i] - 1];
		const struct build_version *v = &b->versions[c->input];

		for (uint32_t k = 0; c->exec == write->exec && k < v->writes; k++) {
			const struct build_access *own = build_use(b, c->input, k);

			if (own->exec == write->exec && own->at < before && !build_is_queue(v))
				search_add(s, (struct reach_node){
					.version = v->holds, .class = GRAPH_DATA,
					.exec = write->exec, .time = before,
				}, from);
		}
	}
}

/* Add the reads of an exec. A forked child also knows what its parent read before the fork. */
static void add_exec(struct search *s, uint32_t exec, int64_t before, size_t from)
{
	const struct build_exec *e;

	for (; exec && search_enter(s, exec, before); exec = e->parent) {
		e = &s->b->execs[exec];
		add_reads(s, exec, before, NULL, from);
		if (!e->forked)
			return;
		before = search_worse(s, e->at, before);
	}
}

static void add_writers(struct search *s, const struct reach_node *n, size_t from)
{
	const struct build *b = s->b;
	const struct build_version *v = &b->versions[n->version];
	int64_t before;

	for (uint32_t i = 0; i < v->writes; i++) {
		const struct build_access *w = build_use(b, n->version, i);

		if (w->at >= n->time || (n->through && !build_flows(b, w, n->through)))
			continue;
		before = search_worse(s, w->until, n->time);
		if (!w->copied) {
			add_exec(s, w->exec, before, from);
			continue;
		}
		add_reads(s, w->exec, before, w, from);
		add_own_copies(s, w, before, from);
	}
}

static void expand_inputs(struct search *s, size_t i)
{
	const struct build *b = s->b;
	const struct reach_node n = s->r->nodes[i];
	const struct build_version *v = &b->versions[n.version];

	add_writers(s, &n, i);
	if (!v->writes && build_is_whole(v) && v->exec)
		add_exec(s, v->exec, v->at, i);
	if (v->target)
		search_add(s, (struct reach_node){
			.version = build_final(b, v->target), .file = v->target,
			.class = GRAPH_DATA, .exec = v->exec, .time = n.time,
		}, i);
	if (v->base)
		search_add(s, (struct reach_node){
			.version = b->versions[v->base].holds, .file = v->file,
			.class = GRAPH_DATA, .exec = v->exec, .time = n.time,
		}, i);
}

/*
 * Show a version that the build did not make.  If the build renamed or linked it, its new
 * name is an output, final or intermediate; its original name is the source.
 */
static void show_source(struct search *s, size_t i)
{
	const struct build *b = s->b;
	const struct reach_node n = s->r->nodes[i];
	uint32_t first = b->versions[n.version].file;
	uint32_t namer = n.file && first ? build_namer(b, n.version, n.file) : 0;
	struct reach_node *before;

	if (!n.file || (namer && (s->how == REACH_LEAVES || !build_is_output(b, n.file)))) {
		search_show(s, i, first);
		return;
	}
	search_show(s, i, n.file);
	before = namer && s->how == REACH_ALL ? search_show_also(s, i, first) : NULL;
	if (before) {
		before->exec = namer;
		before->from = (int32_t)i;
	}
}

/* Visit a node.  Return: whether to expand it. */
static bool look_at_input(struct search *s, size_t i)
{
	const struct build *b = s->b;
	struct reach_node *n = &s->r->nodes[i];
	const struct build_version *v = &b->versions[n->version];
	uint32_t name = n->file;

	if (!n->version) {
		search_show(s, i, n->file);
		return false;
	}
	if (!build_is_made(v)) {
		show_source(s, i);
		return false;
	}
	if (s->how == REACH_KEPT) {
		if (!build_is_kept(b, n->version))
			return true;
		search_show(s, i, build_name(b, n->version, 0));
		return false;
	}
	name = build_is_queue(v) ? 0 : build_name(b, n->version, name);
	/* earlier versions of the output itself are passed through, too */
	if (!name || name == s->file)
		return true;
	if (s->how != REACH_LEAVES)
		search_show(s, i, name);
	return s->how != REACH_DIRECT;
}

void reach_inputs(const struct build *b, uint32_t version, uint32_t file, enum reach_how how,
		  unsigned int classes, struct reach *r)
{
	struct search s = { .b = b, .r = r, .how = how, .classes = classes, .file = file };
	const struct build_version *v;

	*r = (struct reach){ 0 };
	version = b->versions[version].holds;
	search_add(&s, (struct reach_node){ .version = version, .file = file, .class = GRAPH_DATA,
				     .time = INT64_MAX }, 0);
	search_run(&s, expand_inputs, look_at_input);
	search_add_also(&s);
	/* the output existed before the build and was only renamed or linked */
	v = &b->versions[version];
	if (v->made != GRAPH_EXISTED || !v->file || v->file == file)
		return;
	search_add_node(r, (struct reach_node){
		.version = version, .file = v->file, .class = GRAPH_DATA, .shown = true,
		.exec = build_namer(b, version, file),
	});
}
