// SPDX-License-Identifier: GPL-2.0
/*
 * Adds the steps of a recording to a store.  See learning.h.
 *
 * Before each program runs, etrace asks the store (cmd_skip.c). If the store has no entry, etrace
 * looks up STORE/is/KEY, which never exists, and then runs the program in the same process. So the
 * recording itself contains the key of each step: there is no second source whose process ids and
 * times would have to be matched with the recording.
 */
#include "skip/skip.h"
#include "skip/learning.h"

#include <stdio.h>

/* ---- a step ---- */

static void step_forget(struct learning *x)
{
	for (size_t i = 0; i < x->ntouched; i++)
		x->touched[x->touched_list[i]] = 0;
	x->ntouched = 0;
	memset(x->in, 0, x->b->nexecs + 1);
	map64_clear(&x->facts);
	map64_clear(&x->paths);
	map64_clear(&x->parts);
	x->entry.len = 0;
	x->why = NULL;
	*x->which = '\0';
}

static void step_mark(struct learning *x)
{
	const struct build_exec *execs = x->b->execs;

	x->end = x->step;
	for (uint32_t e = x->step; e <= x->b->nexecs; e++) {
		x->in[e] = e == x->step || (execs[e].before && x->in[execs[e].before]) ||
			   (!execs[e].before && execs[e].parent && x->in[execs[e].parent]);
		if (x->in[e] && execs[e].process == execs[x->step].process)
			x->end = e;
	}
}

/* The key that an etrace process looked up. Return: false if it did not ask */
static bool find_key(const struct learning *x, uint32_t exec, char key[SKIP_HEX + 1], int64_t *at)
{
	char path[PATH_MAX], prefix[PATH_MAX];
	size_t len = strlen(skip_path(x->l->store, prefix, "is", "", ""));

	for (uint32_t i = 0; i < build_misses(x->b, exec); i++) {
		const struct build_miss *m = build_miss_of(x->b, exec, i);

		if (!learn_path(x, m->file, path) || strncmp(path, prefix, len) ||
		    strlen(path) != len + 1 + SKIP_HEX)
			continue;
		memcpy(key, path + len + 1, SKIP_HEX + 1);
		*at = m->at;
		return true;
	}
	return false;
}

/*
 * Add the files that etrace looked at before it asked: the program's name, and links on the way.
 */
static bool take_asked(struct learning *x, uint32_t helper, int64_t asked)
{
	const struct build_exec *e = &x->b->execs[helper];
	char path[PATH_MAX];

	for (uint32_t i = 0; i < e->uses; i++) {
		const struct build_access *a = &x->b->accesses[e->first + i];

		if (a->how != GRAPH_LOOK || a->at > asked ||
		    x->b->versions[a->version].made == GRAPH_SPECIAL)
			continue;
		if (!learn_path(x, a->file, path))
			return learn_refuse(x, "a program without a name", "");
		if (x->touched[a->file] || !strncmp(path, x->l->store->dir, strlen(x->l->store->dir)))
			continue;
		if (!learn_look(x, path, true) || !learn_ways(x, a->file, LEARN_BLIND, 0))
			return false;
	}
	return true;
}

static bool step_take(struct learning *x, uint32_t helper, int64_t asked)
{
	const struct build *b = x->b;

	if (!x->next[helper])
		return learn_refuse(x, "it was skipped", "");
	x->step = x->next[helper];
	step_mark(x);
	if (b->execs[x->end].status || b->execs[x->end].signal > 0)
		return learn_refuse(x, "it failed", "");
	learn_touched(x);
	learn_fed(x);
	if (!take_asked(x, helper, asked) || !learn_printed(x) || !learn_network(x))
		return false;
	for (uint32_t e = x->step; e <= b->nexecs; e++)
		if (x->in[e] && !learn_exec(x, e))
			return false;
	return learn_changes(x) && learn_outputs(x);
}

static void count_refusal(struct learning *x)
{
	uint64_t *at = map64_at(&x->reasons, (uint64_t)(uintptr_t)x->why);

	if (!*at) {
		x->counts = xgrow(x->counts, &x->counts_cap, x->ncounts + 1, sizeof(*x->counts));
		memset(&x->counts[x->ncounts], 0, sizeof(*x->counts));
		x->counts[x->ncounts].why = x->why;
		snprintf(x->counts[x->ncounts].first, sizeof(x->counts->first), "%.255s", x->which);
		*at = ++x->ncounts;
	}
	x->counts[*at - 1].n++;
}

/* ---- the recording ---- */

static void load_changes(struct learning *x)
{
	static const char text[] =
		"SELECT exec, what, file, to_file, version, error, value, at FROM change ORDER BY rowid";
	struct sqlite3_stmt *st = db_ask(x->db, text, "");

	while (db_row(x->db, st)) {
		x->changes = xgrow(x->changes, &x->changes_cap, x->nchanges + 1, sizeof(*x->changes));
		x->changes[x->nchanges++] = (struct change){
			.exec = db_id(x->db, st, 0, DB_EXECS), .what = (uint8_t)db_int(st, 1),
			.file = db_id(x->db, st, 2, DB_FILES),
			.to = db_id(x->db, st, 3, DB_FILES),
			.version = db_id(x->db, st, 4, DB_VERSIONS), .error = db_int(st, 5),
			.value = db_int(st, 6), .at = db_int(st, 7),
		};
	}
}

/* Check for traces of etrace processes that appear only in a recording with all options. */
static bool check_options(const struct learning *x, uint32_t helper, bool *list, bool *look,
			  bool *asks)
{
	const struct build_exec *e = &x->b->execs[helper];
	size_t n;

	for (uint32_t i = 0; i < e->uses; i++) {
		*list |= x->b->accesses[e->first + i].how == GRAPH_LIST;
		*look |= x->b->accesses[e->first + i].how == GRAPH_LOOK;
	}
	build_asks(x->b, helper, &n);
	*asks |= n > 0;
	return *list && *look && *asks;
}

/* Find the etrace processes that ask. Return: false after diag_fatal() */
static bool find_helpers(struct learning *x)
{
	const struct build *b = x->b;
	bool list = false, look = false, asks = false, asked = false;
	char path[PATH_MAX], key[SKIP_HEX + 1];
	int64_t at;

	for (uint32_t e = 1; e <= b->nexecs; e++) {
		if (b->execs[e].before)
			x->next[b->execs[e].before] = e;
		x->helper[e] = learn_path(x, b->execs[e].program, path) && !strcmp(path, x->l->program);
		if (x->helper[e])
			check_options(x, e, &list, &look, &asks);
		asked |= x->helper[e] && find_key(x, e, key, &at);
	}
	/* without a key, there is nothing to learn */
	if (look && (!asked || (list && asks)) && db_one(x->db, "SELECT count(*) FROM printed", ""))
		return true;
	diag_fatal(x->db->diag, "%s: it does not show all that decides whether a step can be skipped; record with etrace run --hash --record=probes,dirs,output=all -- etrace experimental-skip --store=DIR run -- COMMAND",
		   x->db->name);
	return false;
}

static bool learn_all(struct learning *x)
{
	char key[SKIP_HEX + 1];
	uint32_t learned = 0, asked = 0;
	int64_t at;

	for (uint32_t e = 1; e <= x->b->nexecs && !x->db->failed; e++) {
		if (!x->helper[e] || !find_key(x, e, key, &at))
			continue;
		asked++;
		step_forget(x);
		if (step_take(x, e, at) && !skip_add(x->l->store, key, &x->entry))
			learn_refuse(x, "the store could not be written", "");
		learned += !x->why;
		if (x->why)
			count_refusal(x);
	}
	out_printf(x->out, "%u of %u steps can be skipped\n", learned, asked);
	for (size_t i = 0; i < x->ncounts; i++)
		out_printf(x->out, "%6u  %s%s%s\n", x->counts[i].n, x->counts[i].why,
			   *x->counts[i].first ? ": " : "", x->counts[i].first);
	return !x->db->failed;
}

static bool check_recording(struct db *db)
{
	if (!db->complete || !db->uses) {
		diag_fatal(db->diag, "%s: it is incomplete, so nothing can be learned from it; record again",
			   db->name);
		return false;
	}
	if (!build_hashed(build_of(db))) {
		diag_fatal(db->diag, "%s: it has no hashes of files; record with --hash", db->name);
		return false;
	}
	return true;
}

bool skip_learn(const struct skip_learn *l, struct db *db, struct out *out)
{
	struct learning x = { .l = l, .db = db, .b = build_of(db), .out = out };
	bool ok = check_recording(db);

	if (!ok)
		return false;
	x.real = db_meta(db, "begin", 0) + db_meta(db, "realtime", 0);
	x.helper = xcalloc(x.b->nexecs + 1ul, sizeof(*x.helper));
	x.next = xcalloc(x.b->nexecs + 1ul, sizeof(*x.next));
	x.in = xcalloc(x.b->nexecs + 1ul, sizeof(*x.in));
	x.touched = xcalloc(x.b->nfiles + 1ul, sizeof(*x.touched));
	load_changes(&x);
	learn_load_ways(&x);
	ok = find_helpers(&x) && learn_all(&x);
	step_forget(&x);
	learn_forget_ways(&x);
	map64_clear(&x.reasons);
	buf_free(&x.entry);
	free(x.helper);
	free(x.next);
	free(x.in);
	free(x.touched);
	free(x.touched_list);
	free(x.changes);
	free(x.counts);
	return ok;
}
