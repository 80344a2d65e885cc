// SPDX-License-Identifier: LGPL-2.1
/* Runs all checks, and contains the network checks.  See check.h. */
#include "answers/check.h"
#include "base/hash.h"
#include "base/path.h"
#include "base/xalloc.h"
#include "graph/graph.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

const char *const check_kinds[CHECK_NKINDS] = {
	[CHECK_UNDECLARED] = "undeclared",	[CHECK_RACE] = "race",
	[CHECK_EARLY] = "early",		[CHECK_LISTING] = "listing",
	[CHECK_ENVIRONMENT] = "environment",	[CHECK_WRITERS] = "writers",
	[CHECK_OVERWRITTEN] = "overwritten",	[CHECK_OWN_INPUT] = "own-input",
	[CHECK_BY_PRODUCT] = "by-product",	[CHECK_NOT_MADE] = "not-made",
	[CHECK_OUTSIDE] = "outside",		[CHECK_NETWORK] = "network",
	[CHECK_CLOCK] = "clock",		[CHECK_CHANGED] = "changed",
};

void check_init(struct check *c, struct db *db)
{
	*c = (struct check){ .s.db = db, .lists.diag = db->diag };
}

/* Free everything that is not needed to print findings. */
static void free_working(struct check *c)
{
	free(c->step);
	free(c->below);
	free(c->late);
	free(c->asked);
	free(c->looked);
	free(c->own);
	free(c->place);
	map64_clear(&c->installed);
	free(c->node);
	free(c->outs);
	free(c->output);
	free(c->reads);
	free(c->around.in);
	free(c->around.list);
	map64_clear(&c->seen);
	map64_clear(&c->goes_on);
	match_free_work(&c->s);
	*c = (struct check){
		.s = c->s, .lists = c->lists, .rows = c->rows, .n = c->n, .cap = c->cap,
		.trees = c->trees, .ntrees = c->ntrees, .tree_of = c->tree_of,
		.nopen = c->nopen, .around_trees = c->around_trees, .allowed = c->allowed, .nallowed = c->nallowed,
	};
}

void check_free(struct check *c)
{
	for (size_t i = 0; i < c->n; i++) {
		for (size_t k = 0; k < c->rows[i].nmembers; k++)
			free(c->rows[i].members[k].path);
		free(c->rows[i].members);
		free(c->rows[i].path);
		free(c->rows[i].name);
	}
	for (size_t i = 0; i < c->ntrees; i++)
		free(c->trees[i]);
	for (size_t i = 0; i < c->nallowed; i++)
		free(c->allowed[i].glob);
	free(c->rows);
	free(c->trees);
	free(c->around_trees);
	free(c->allowed);
	free_working(c);
	map64_clear(&c->tree_of);
	lists_free(&c->lists);
	match_free_side(&c->s);
}

/* ---- accepted findings ---- */

/* Lines are "KIND GLOB", or "GLOB" for any kind; "#" begins a comment. */
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

static int by_kind(const void *a, const void *b)
{
	const struct check_finding *x = a, *y = b;
	int order;

	if (x->kind != y->kind)
		return x->kind - y->kind;
	order = strcmp(x->path, y->path);
	return order ? order : x->writes - y->writes;
}

/* ---- network ---- */

static bool is_connected_to(struct db *db, int64_t address)
{
	return db_one(db, "SELECT count(*) FROM net WHERE what = 'connect' AND address = ?", "i",
		      address);
}

static void add_network(struct check *c, uint32_t exec, const char *what, uint32_t string)
{
	static const char text[] = "SELECT s FROM string WHERE id = ?";
	struct sqlite3_stmt *st = db_ask(c->s.db, text, "i", (int64_t)string);
	struct buf b = { 0 };
	size_t len = 0;
	const char *s = db_row(c->s.db, st) ? db_bytes(st, 0, &len) : "";

	buf_add(&b, s, len);
	buf_addc(&b, 0);
	check_add(c, (struct check_finding){
		.kind = CHECK_NETWORK, .unit = c->s.unit_of[exec], .what = what, .name = b.s });
}

static void find_internet(struct check *c)
{
	static const char text[] =
		"SELECT exec, what, address, error FROM net WHERE family IN (2, 10)\n"
		" AND what IN ('connect', 'bind') AND address IS NOT NULL ORDER BY rowid";
	struct db *db = c->s.db;
	struct sqlite3_stmt *st = db_ask(db, text, "");

	while (db_row(db, st)) {
		uint32_t exec = db_id(db, st, 0, DB_EXECS), address = db_id(db, st, 2, DB_STRINGS);
		bool fails = db_int(st, 3);
		size_t len;
		bool binds = *db_bytes(st, 1, &len) == 'b';

		/* report the program that connects to this address instead */
		if (binds && (fails || is_connected_to(db, address)))
			continue;
		add_network(c, exec, binds ? "can be reached there" :
			    fails ? "tried to connect" : "connected", address);
	}
}

/* Find programs that used a unix socket leading out of the trace; report the last such socket. */
static void find_sockets(struct check *c)
{
	static const char text[] =
		"SELECT n.exec, n.what, n.address FROM net AS n\n"
		" JOIN string AS s ON s.id = n.address WHERE n.family = 1\n"
		" AND coalesce(n.error, 0) = 0 AND length(s.s) > 0 ORDER BY n.rowid";
	const struct build *b = c->s.b;
	struct had {
		uint32_t address;
		bool connects;
	} *had = xcalloc(b->nexecs + 1ul, sizeof(*had));
	struct sqlite3_stmt *st = db_ask(c->s.db, text, "");
	size_t len;

	while (db_row(c->s.db, st))
		had[db_id(c->s.db, st, 0, DB_EXECS)] = (struct had){
			db_id(c->s.db, st, 2, DB_STRINGS), *db_bytes(st, 1, &len) == 'c' };
	for (uint32_t i = 1; i <= b->nexecs; i++) {
		const struct build_exec *e = &b->execs[i];

		/* descriptors are inherited; execs that pass them on have lower ids */
		if (!had[i].address)
			had[i] = had[e->forked ? e->parent : e->before];
		if (had[i].address && e->unseen & (GRAPH_UNSEEN_SOCKET | GRAPH_UNSEEN_SENT))
			add_network(c, i, had[i].connects ? "connected outside the trace" :
				    "connected there, by which program is unknown", had[i].address);
	}
	free(had);
}

static void find_steps(struct check *c)
{
	const struct match_side *s = &c->s;

	c->step = match_steps(s);
	c->below = xcalloc(s->nunits + 1ul, sizeof(*c->below));
	c->late = xcalloc(s->nunits + 1ul, sizeof(*c->late));
	for (uint32_t i = 1; i <= s->nunits; i++) {
		uint32_t up = s->units[i].caller;

		c->below[i] = up && (c->below[up] || match_schedules(s, up));
		c->steps |= match_schedules(s, i);
	}
}

static void sort_findings(struct check *c)
{
	if (c->n)
		qsort(c->rows, c->n, sizeof(*c->rows), by_kind);
}

void check_find(struct check *c)
{
	match_load(&c->s);
	find_steps(c);
	/* node 0 stands for files that no list names, group 0 for no rule */
	if (!c->lists.nodes)
		c->lists.nodes = xgrow(NULL, &c->lists.cap, 1, sizeof(*c->lists.nodes));
	c->lists.nodes[0] = (struct lists_node){ 0 };
	check_places(c);
	check_load_outs(c);
	check_find_asked(c);
	check_reads(c);
	check_writes(c);
	check_steps(c);
	check_asked(c);
	find_internet(c);
	find_sockets(c);
	check_clock(c);
	check_contents(c);
	map64_clear(&c->seen);
	sort_findings(c);
	check_group(c);
	sort_findings(c);
	free_working(c);
}
