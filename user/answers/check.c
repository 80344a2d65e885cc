// SPDX-License-Identifier: LGPL-2.1
/* What can make the next build wrong.  See check.h. */
#include "answers/check.h"
#include "base/hash.h"
#include "base/xalloc.h"
#include "graph/graph.h"

#include <errno.h>
#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

const char *const check_kinds[CHECK_NKINDS] = {
	[CHECK_UNDECLARED] = "undeclared",	[CHECK_RACE] = "race",
	[CHECK_WRITERS] = "writers",		[CHECK_OVERWRITTEN] = "overwritten",
	[CHECK_OUTSIDE] = "outside",		[CHECK_NETWORK] = "network",
	[CHECK_CLOCK] = "clock",
};

void check_init(struct check *c, struct db *db)
{
	*c = (struct check){ .s.db = db, .lists.diag = db->diag };
}

void check_free(struct check *c)
{
	for (size_t i = 0; i < c->n; i++) {
		free(c->rows[i].path);
		free(c->rows[i].address);
	}
	for (size_t i = 0; i < c->ntrees; i++)
		free(c->trees[i]);
	for (size_t i = 0; i < c->nallowed; i++)
		free(c->allowed[i].glob);
	free(c->rows);
	free(c->trees);
	free(c->allowed);
	free(c->step);
	free(c->place);
	free(c->node);
	free(c->outs);
	free(c->reads);
	free(c->around.in);
	free(c->around.list);
	map64_clear(&c->seen);
	lists_free(&c->lists);
	match_free_side(&c->s);
}

/* ---- what is allowed ---- */

/* "KIND GLOB", or "GLOB" of any kind; "#" begins a comment. */
bool check_allow(struct check *c, const char *path)
{
	struct buf text = { 0 };
	bool ok = lists_text(path, &text);
	char *save = NULL, *line;

	if (!ok)
		diag_fatal(c->s.db->diag, "%s: %s", path, strerror(errno));
	for (line = ok ? strtok_r(text.s, "\n", &save) : NULL; line; line = strtok_r(NULL, "\n", &save)) {
		char *word = line + strspn(line, " \t\r"), *end = word + strlen(word);
		struct check_allowed a = { .kind = CHECK_NKINDS };

		while (end > word && strchr(" \t\r", end[-1]))
			*--end = 0;
		if (!*word || *word == '#')
			continue;
		for (unsigned int i = 0; i < CHECK_NKINDS; i++) {
			size_t n = strlen(check_kinds[i]);

			if (strncmp(word, check_kinds[i], n) || !word[n] || !strchr(" \t", word[n]))
				continue;
			a.kind = (uint8_t)i;
			word += n;
			word += strspn(word, " \t");
			break;
		}
		a.glob = xstrdup(word);
		c->allowed = xgrow(c->allowed, &c->allowed_cap, c->nallowed + 1, sizeof(*c->allowed));
		c->allowed[c->nallowed++] = a;
	}
	buf_free(&text);
	return ok;
}

static bool is_allowed(const struct check *c, const struct check_finding *f)
{
	for (size_t i = 0; i < c->nallowed; i++) {
		const struct check_allowed *a = &c->allowed[i];

		if ((a->kind == CHECK_NKINDS || a->kind == f->kind) && !fnmatch(a->glob, f->path, 0))
			return true;
	}
	return false;
}

void check_add(struct check *c, struct check_finding f)
{
	uint64_t what = f.address ? hash_bytes(f.address, strlen(f.address)) : f.file;
	uint64_t key = hash_two(what, (uint64_t)f.kind * 2 + f.writes), *at = map64_get(&c->seen, key);
	struct buf b = { 0 };

	if (at) {
		struct check_finding *before = &c->rows[*at];

		before->more += before->unit != f.unit;
		free(f.address);
		return;
	}
	if (f.address)
		buf_adds(&b, f.address);
	else
		answers_file_path(c->s.db, f.file, &b);
	buf_addc(&b, 0);
	f.path = b.s;
	if (is_allowed(c, &f)) {
		free(f.path);
		free(f.address);
		return;
	}
	map64_put(&c->seen, key, c->n);
	c->rows = xgrow(c->rows, &c->cap, c->n + 1, sizeof(*c->rows));
	c->rows[c->n++] = f;
}

static int by_kind(const void *a, const void *b)
{
	const struct check_finding *x = a, *y = b;
	int order;

	if (x->kind != y->kind)
		return x->kind - y->kind;
	order = strcmp(x->path, y->path);
	return order ? order : x->writes - y->writes;
}

/* ---- steps ---- */

static void add_out(struct check *c, uint32_t step, uint32_t file)
{
	if (!step || !file)
		return;
	c->outs = xgrow(c->outs, &c->outs_cap, c->nouts + 1, sizeof(*c->outs));
	c->outs[c->nouts++] = (struct check_out){ step, file };
}

static int by_step(const void *a, const void *b)
{
	const struct check_out *x = a, *y = b;

	if (x->step != y->step)
		return (x->step > y->step) - (x->step < y->step);
	return (x->file > y->file) - (x->file < y->file);
}

static void load_outs(struct check *c)
{
	static const char text[] = "SELECT file, version, exec FROM name WHERE version IS NOT NULL";
	struct match_side *s = &c->s;
	struct sqlite3_stmt *st;
	size_t n = 0;

	for (size_t i = 0; i < s->nwrites; i++)
		add_out(c, c->step[s->writes[i].unit], s->versions[s->writes[i].version].file);
	st = db_ask(s->db, text, "");
	while (db_row(s->db, st)) {
		const struct match_write *w;
		uint32_t file = db_id(s->db, st, 0, DB_FILES);
		size_t writes;

		add_out(c, c->step[s->unit_of[db_id(s->db, st, 2, DB_EXECS)]], file);
		w = match_writes(s, db_id(s->db, st, 1, DB_VERSIONS), &writes);
		for (size_t i = 0; i < writes; i++)
			add_out(c, c->step[w[i].unit], file);
	}
	if (c->nouts)
		qsort(c->outs, c->nouts, sizeof(*c->outs), by_step);
	for (size_t i = 0; i < c->nouts; i++)
		if (!n || by_step(&c->outs[n - 1], &c->outs[i]))
			c->outs[n++] = c->outs[i];
	c->nouts = n;
}

const struct check_out *check_outs(const struct check *c, uint32_t step, size_t *n)
{
	size_t low = 0, high = c->nouts;

	while (low < high) {
		size_t mid = (low + high) / 2;

		if (c->outs[mid].step < step)
			low = mid + 1;
		else
			high = mid;
	}
	for (*n = 0; low + *n < c->nouts && c->outs[low + *n].step == step; ++*n)
		;
	return c->outs + low;
}

uint32_t check_apart(const struct check *c, uint32_t *a, uint32_t *b)
{
	const struct match_unit *units = c->s.units;
	uint32_t x = *a, y = *b, below_x = 0, below_y = 0;

	/* callers have the lower numbers */
	while (x != y) {
		if (x > y) {
			below_x = x;
			x = units[x].caller;
		} else {
			below_y = y;
			y = units[y].caller;
		}
	}
	if (!below_x || !below_y)
		return 0;
	*a = below_x;
	*b = below_y;
	return x;
}

/* ---- what is declared ---- */

static void reach(struct check_around *r, uint32_t node)
{
	if (r->in[node])
		return;
	r->in[node] = true;
	r->list[r->n++] = node;
}

/* All that a step's outputs are declared to be made of; @listed: with what compilers listed. */
static void look_around(struct check *c, uint32_t step, bool listed)
{
	struct check_around *r = &c->around;
	const struct lists *l = &c->lists;
	const struct check_out *outs;
	size_t n;

	if (r->in && r->step == step && r->listed == listed)
		return;
	if (!r->in) {
		r->in = xcalloc(l->n + 1, sizeof(*r->in));
		r->list = xcalloc(l->n + 1, sizeof(*r->list));
	}
	while (r->n)
		r->in[r->list[--r->n]] = false;
	r->step = step;
	r->listed = listed;
	outs = check_outs(c, step, &n);
	for (size_t i = 0; i < n; i++)
		if (l->nodes[c->node[outs[i].file]].rule)
			reach(r, c->node[outs[i].file]);
	r->any = r->n > 0;
	for (size_t i = 0; i < r->n; i++) {
		uint32_t groups[] = { l->nodes[r->list[i]].rule,
				      listed ? l->nodes[r->list[i]].read : 0 };

		for (unsigned int k = 0; k < 2; k++)
			for (size_t j = 0; groups[k] && j < l->groups[groups[k]].n; j++)
				reach(r, l->groups[groups[k]].nodes[j]);
	}
}

int check_declares(struct check *c, uint32_t step, uint32_t node)
{
	if (!c->lists.rules || !step)
		return -1;
	look_around(c, step, true);
	return c->around.any ? node && c->around.in[node] : -1;
}

int check_ordered(struct check *c, uint32_t first, uint32_t then, uint32_t file)
{
	const struct lists *l = &c->lists;
	const struct check_out *outs;
	uint32_t node = file ? c->node[file] : 0;
	bool known = false;
	size_t n;

	if (!l->rules || !first || !then)
		return -1;
	look_around(c, then, false);
	if (!c->around.any)
		return -1;
	if (l->nodes[node].rule)
		return c->around.in[node];
	outs = check_outs(c, first, &n);
	for (size_t i = 0; i < n; i++) {
		node = c->node[outs[i].file];
		if (!l->nodes[node].rule)
			continue;
		known = true;
		if (c->around.in[node])
			return 1;
	}
	return known ? 0 : -1;
}

/* ---- network ---- */

static bool connected(struct db *db, int64_t address)
{
	return db_one(db, "SELECT count(*) FROM net WHERE what = 'connect' AND address = ?", "i",
		      address);
}

static void find_network(struct check *c)
{
	static const char text[] =
		"SELECT n.exec, n.what, n.address, n.error, s.s FROM net AS n JOIN string AS s ON s.id = n.address\n"
		" WHERE n.family IN (2, 10) AND n.what IN ('connect', 'bind') ORDER BY n.rowid";
	struct db *db = c->s.db;
	struct sqlite3_stmt *st = db_ask(db, text, "");

	while (db_row(db, st)) {
		struct check_finding f = {
			.kind = CHECK_NETWORK, .unit = c->s.unit_of[db_id(db, st, 0, DB_EXECS)],
		};
		struct buf b = { 0 };
		size_t len;
		const char *s = db_bytes(st, 1, &len);
		bool binds = *s == 'b';

		/* who connects to it is told */
		if (binds && connected(db, db_int(st, 2)))
			continue;
		f.what = binds ? "waits there" : db_int(st, 3) ? "tried to connect" : "connected";
		s = db_bytes(st, 4, &len);
		buf_add(&b, s, len);
		buf_addc(&b, 0);
		f.address = b.s;
		check_add(c, f);
	}
}

void check_find(struct check *c)
{
	match_load(&c->s);
	c->step = match_steps(&c->s);
	for (uint32_t i = 1; i <= c->s.nunits && !c->steps; i++)
		c->steps = match_schedules(&c->s, i);
	/* node 0: nobody names it */
	if (!c->lists.nodes)
		c->lists.nodes = xgrow(NULL, &c->lists.cap, 1, sizeof(*c->lists.nodes));
	c->lists.nodes[0] = (struct lists_node){ 0 };
	check_places(c);
	load_outs(c);
	check_reads(c);
	check_writes(c);
	find_network(c);
	check_clock(c);
	if (c->n)
		qsort(c->rows, c->n, sizeof(*c->rows), by_kind);
}
