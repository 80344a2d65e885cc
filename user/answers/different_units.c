// SPDX-License-Identifier: LGPL-2.1
/* Clues from what the programs did that may have caused the difference.  See different.h. */
#include "answers/different_look.h"
#include "answers/match_put.h"
#include "base/path.h"
#include "base/xalloc.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define A(w) (&(w)->d->m.side[0])
#define B(w) (&(w)->d->m.side[1])

/* Percentage of its weight that a clue keeps if the program may only pass on a difference. */
#define PASSED_ON 50u
/* Maximum weight of something known to be the same in both builds. */
#define SAME 14u
/* SAME for uname: higher, because the machine type depends on the process's personality. */
#define SAME_UNAME 22u
/* From this weight on, a clue makes a variable that controls its cause relevant. */
#define GIVES 60u

/* ---- one unit ---- */

/* Set the name that people know: for a program with many names, the one it was called by. */
static void name_unit(struct different_look *l)
{
	const struct match_side *s = B(l->w);
	struct buf args = { 0 };
	size_t len, n;
	const char *path = build_path(s->b, s->units[l->unit].program, &len);
	const char *name = path_base_of(path, &len);

	match_args(s, l->unit, &args, &n);
	if (n) {
		len = strlen(args.s);
		name = path_base_of(args.s, &len);
	}
	snprintf(l->name, sizeof(l->name), "%.*s", (int)len, name);
	buf_free(&args);
}

/* The weight of a sign, lower if the contents would show its cause, but do not. */
static unsigned int weight_of(const struct different_look *l, const struct different_sign *sign)
{
	unsigned int weight = different_habit(l->name, (enum different_cause)sign->cause, sign->weight);

	return l->w->compared && different_shows(sign) ? weight * DIFFERENT_UNSEEN / 100 : weight;
}

/* Whether both builds ran on one machine with the same kernel, so that these do not differ. */
static bool is_same_host(const struct different *w)
{
	static const char *const keys[] = { "host", "kernel" };
	bool same = true;

	for (size_t i = 0; i < 2; i++) {
		size_t na = 0, nb = 0;
		const char *a = db_meta_text(A(w)->db, keys[i], &na), *b = db_meta_text(B(w)->db, keys[i], &nb);

		same &= a && b && na && na == nb && !memcmp(a, b, na);
	}
	return same;
}

static void sign_clue(struct different_look *l, const struct different_sign *sign)
{
	unsigned int weight = weight_of(l, sign);

	if (sign->cause == DIFFERENT_HOST && is_same_host(l->w))
		weight = strcmp(sign->name, "uname") ? SAME : SAME_UNAME;
	different_unit_clue(l, (enum different_cause)sign->cause, weight, "%s", sign->what);
}

static void look_at_program(struct different_look *l)
{
	const struct different_sign *sign = different_program(l->name);
	struct buf args = { 0 };
	char name[128];
	const char *arg;
	size_t n;

	if (sign)
		sign_clue(l, sign);
	match_args(B(l->w), l->unit, &args, &n);
	arg = args.s;
	for (size_t i = 0; i < n; i++, arg += strlen(arg) + 1) {
		snprintf(name, sizeof(name), "%s %s", l->name, arg);
		sign = i ? different_program(name) : NULL;
		if (sign)
			sign_clue(l, sign);
		l->sorts |= i && !strncmp(arg, "--sort=", 7);
		l->unsorted |= i && different_leaves_order(l->name, arg);
	}
	buf_free(&args);
	l->keeps_times = different_keeps_times(l->name);
}

/* Whether a path is below the /proc directory of process @pid. */
static bool is_own(const char *path, size_t len, uint32_t pid)
{
	char own[32];
	int n = snprintf(own, sizeof(own), "/proc/%u/", pid);

	return pid && len > (size_t)n && !memcmp(path, own, (size_t)n);
}

static bool is_path(const char *of, const char *path, size_t len)
{
	return of && strlen(of) == len && !memcmp(of, path, len);
}

/* The part after the next '/', which must exist. */
static const char *rest_of(const char *path)
{
	return strchr(path, '/') + 1;
}

/* Weight of random seeds of hash tables: they are likely if only the order of contents differs. */
static unsigned int seeds_weight(const struct different *w)
{
	return w->by_order ? 66 : w->both ? SAME : DIFFERENT_SEEDS;
}

/* Find the directory of a Python script, which Python lists to find modules there. */
static void find_script_dir(struct different_look *l)
{
	const struct match_side *s = B(l->w);
	size_t len, n, dir = 0;
	const char *cwd = build_path(s->b, s->b->execs[s->units[l->unit].exec].cwd, &len), *arg;
	struct buf args = { 0 }, at = { 0 };

	if (strncmp(l->name, "python", 6))
		return;
	match_own_args(s, l->unit, &args, &n);
	arg = args.s;
	for (size_t i = 0; i < n; i++, arg += strlen(arg) + 1) {
		if (i && *arg != '-')
			dir = (size_t)(path_base(arg) - arg);
		if (i && (*arg != '-' || !strcmp(arg, "-c") || !strcmp(arg, "-m")))
			break;
	}
	if (dir <= 1 || *arg != '/')
		buf_add(&at, cwd, len);
	if (dir > 1 && *arg != '/')
		buf_addc(&at, '/');
	if (dir > 1)
		buf_add(&at, arg, dir - 1);
	l->script_dir = xstrndup(at.s ? at.s : "", at.len);
	buf_free(&at);
	buf_free(&args);
}

static void look_at_access(struct different_look *l, const struct build_access *a, uint32_t pid)
{
	const struct match_side *s = B(l->w);
	const struct different_sign *sign;
	char own[128];
	size_t len, n;
	const char *path = build_path(s->b, a->file ? a->file : s->versions[a->version].file, &len);
	const char *inner;

	/* opening a directory counts as listing it, because listing is recorded only on request */
	l->lists |= a->class == GRAPH_IS_DIR && (a->how == GRAPH_LIST || a->how == GRAPH_OPEN) &&
		    different_is_place(l, path, len) && !is_path(l->script_dir, path, len);
	if (a->how != GRAPH_READ && a->how != GRAPH_OPEN)
		return;
	n = len;
	inner = build_inner(s->b, path, &n);
	sign = different_path(inner, n);
	if (sign) {
		unsigned int weight = weight_of(l, sign);

		if (sign->cause == DIFFERENT_RANDOM && weight == DIFFERENT_SEEDS)
			weight = seeds_weight(l->w);
		else if (sign->cause == DIFFERENT_HOST && is_same_host(l->w))
			weight = SAME;
		different_unit_clue(l, (enum different_cause)sign->cause, weight, "%s: %.*s", sign->what, (int)len,
			  path);
	} else if (is_own(inner, n, pid)) {
		snprintf(own, sizeof(own), "/proc/self/%.*s", (int)(n - (size_t)(rest_of(inner + 6) - inner)),
			 rest_of(inner + 6));
		sign = different_path(own, strlen(own));
		different_unit_clue(l, DIFFERENT_PID, weight_of(l, sign), "%s: %.*s", sign->what, (int)len, path);
	}
}

static void look_at_accesses(struct different_look *l)
{
	const struct match_side *s = B(l->w);
	uint32_t pid = different_pid(l->w, 1, l->unit);
	uint8_t unseen = 0;

	for (uint32_t exec = s->units[l->unit].first; exec; exec = s->next[exec]) {
		const struct build_exec *e = &s->b->execs[exec];

		unseen |= e->unseen;
		for (uint32_t i = 0; i < e->uses; i++)
			look_at_access(l, &s->b->accesses[e->first + i], pid);
	}
	if (unseen & GRAPH_UNSEEN_SOCKET)
		different_unit_clue(l, DIFFERENT_NET, 65,
				    "received data from a socket that leads out of the build");
	if (unseen & GRAPH_UNSEEN_FD)
		different_unit_clue(l, DIFFERENT_INPUT, 45,
				    "read a descriptor that was open before the recording");
}

/* ---- what a unit asked the kernel for ---- */

#define GRND_NONBLOCK 1
#define SEED 24
#define SEEDS 1024

/* What a unit asked for, in all its execs. */
struct asked_sum {
	/* getrandom calls for 8 bytes: one by malloc, others for file names */
	unsigned int names;
	/* getrandom calls for SEED bytes, or SEEDS and more: Python's seeds */
	unsigned int seeds;
	unsigned int random;	/* number of other calls of getrandom */
	int64_t bytes;		/* returned by the last call that @random counts */
	bool uname, sysinfo;
	int64_t cpus;		/* 0 if it did not ask */
	const char *host;	/* NULL if unknown */
};

static struct asked_sum asked_by(const struct match_side *s, uint32_t unit)
{
	struct asked_sum sum = { 0 };
	size_t n;

	for (uint32_t exec = unit ? s->units[unit].first : 0; exec; exec = s->next[exec]) {
		const struct build_ask *rows = build_asks(s->b, exec, &n);

		for (size_t i = 0; i < n; i++)
			switch (rows[i].call) {
			case GRAPH_GETRANDOM:
				if (rows[i].value == 8 && rows[i].flags & GRND_NONBLOCK) {
					sum.names++;
				} else if (rows[i].value == SEED ? rows[i].flags & GRND_NONBLOCK :
					   rows[i].value >= SEEDS) {
					sum.seeds++;
				} else {
					sum.random++;
					sum.bytes = rows[i].value;
				}
				break;
			case GRAPH_UNAME:
				sum.uname = true;
				sum.host = build_ask_name(s->b, &rows[i]);
				break;
			case GRAPH_AFFINITY:
				sum.cpus = rows[i].value;
				break;
			case GRAPH_SYSINFO:
				sum.sysinfo = true;
				break;
			}
	}
	return sum;
}

static void look_at_asked(struct different_look *l)
{
	const struct asked_sum was = asked_by(A(l->w), l->pair), is = asked_by(B(l->w), l->unit);
	unsigned int habit = different_habit(l->name, DIFFERENT_RANDOM, 60);

	if (is.random)
		different_unit_clue(l, DIFFERENT_RANDOM,
				    habit == DIFFERENT_SEEDS ? seeds_weight(l->w) : habit,
				    "gets %lld random bytes", (long long)is.bytes);
	if (is.seeds)
		different_unit_clue(l, DIFFERENT_RANDOM, seeds_weight(l->w),
				    "gets random bytes when it starts, for example to seed hash tables");
	if (is.names > 1)
		different_unit_clue(l, DIFFERENT_RANDOM,
				    l->w->compared ? 42 * DIFFERENT_UNSEEN / 100 : 42,
				    "gets random bytes, for example to name a temporary file");
	if (is.host && was.host && strcmp(is.host, was.host))
		different_unit_clue(l, DIFFERENT_HOST, 82,
				    "asks for the host name: %s, before %s", is.host, was.host);
	else if (is.uname)
		different_unit_clue(l, DIFFERENT_HOST, 14,
				    "asks for the names of the host and its kernel");
	if (is.cpus > 0 && was.cpus > 0 && is.cpus != was.cpus)
		different_unit_clue(l, DIFFERENT_CPUS, 82,
				    "asks for the number of processors: %lld, before %lld",
			  (long long)is.cpus, (long long)was.cpus);
	if (is.sysinfo)
		different_unit_clue(l, DIFFERENT_MEMORY, 14, "asks for the amount of memory");
}

/* ---- words in the source of a unit ---- */

/* Whether all variables of both builds were recorded. */
static bool has_all_env(const struct different *w)
{
	size_t na, nb;
	const char *a = db_meta_text(A(w)->db, "env", &na);
	bool all = a && na == 1 && *a == '*';
	const char *b = db_meta_text(B(w)->db, "env", &nb);

	return all && b && nb == 1 && *b == '*';
}

static void word_clue(void *ctx, enum different_cause cause, unsigned int weight, const char *word,
		      const char *where)
{
	struct different_look *l = ctx;

	if (cause == DIFFERENT_ENV && has_all_env(l->w))
		return;
	/* threads end in any order, so they show only as another order */
	if (cause == DIFFERENT_WRITERS && (!l->w->by_order || l->random_word))
		weight = SAME;
	l->random_word |= cause == DIFFERENT_RANDOM;
	if (cause == DIFFERENT_PID && l->w->compared)
		weight /= 2;
	if (where)
		different_unit_clue(l, cause, weight, "reads %s, which has %s", where, word);
	else
		different_unit_clue(l, cause, weight, "was called with %s", word);
}

/* ---- environment ---- */

static void look_at_arguments(struct different_look *l)
{
	struct buf was = { 0 }, is = { 0 };
	size_t n, clues;

	if (!l->pair || match_same_call(&l->w->d->m, l->pair, l->unit))
		return;
	n = match_other_args(A(l->w), l->pair, B(l->w), l->unit, false, &was);
	n += match_other_args(B(l->w), l->unit, A(l->w), l->pair, false, &is);
	clues = l->w->nclues;
	if (n)
		different_look_at_text(l->w, l->unit, &was, &is);
	else
		l->w->by_order = true;
	l->w->passed_args |= n && clues == l->w->nclues;
	buf_free(&was);
	buf_free(&is);
}

/* Whether a unit has a strong clue for a cause. */
static bool gives(const struct different_look *l, enum different_cause cause)
{
	const struct different *w = l->w;

	for (size_t i = 0; i < w->nclues; i++)
		if (w->clues[i].cause == cause && w->clues[i].weight >= GIVES &&
		    w->clues[i].unit == l->unit)
			return true;
	return false;
}

static void env_clue(void *ctx, const struct diff_var *a, const struct diff_var *b)
{
	struct different_look *l = ctx;
	char *name = different_string(l->w, b ? 1 : 0, b ? b->name : a->name);
	char *was = a ? different_string(l->w, 0, a->value) : NULL;
	char *is = b ? different_string(l->w, 1, b->value) : NULL;
	enum different_cause cause = different_variable(name, strlen(name));
	unsigned int weight = cause == DIFFERENT_ENV ? 55 : 58;

	l->other_env = true;
	if (gives(l, different_decides(name)) || (cause == DIFFERENT_LOCALE && l->w->by_order))
		weight = 78;
	different_clue(l->w, cause, weight, l->unit, "%s was %.80s, is %.80s", name,
		       was ? was : "not set", is ? is : "not set");
	free(name);
	free(was);
	free(is);
}

/* Add clues from variables set outside the build; others come from what their caller knew. */
static void look_at_env(struct different_look *l)
{
	uint32_t outer = diff_env_unit(l->w->d, l->unit);

	if (outer && !B(l->w)->units[outer].caller)
		diff_env_pairs(l->w->d, outer, env_clue, l);
}

/* ---- order ---- */

/* Hashes of the names of the data files that a unit read, in reading order. */
static uint64_t *order_of(const struct match_side *s, uint32_t unit, size_t *n)
{
	uint64_t *names = NULL;
	size_t cap = 0;

	*n = 0;
	for (uint32_t exec = s->units[unit].first; exec; exec = s->next[exec])
		for (uint32_t i = 0; i < s->b->execs[exec].uses; i++) {
			const struct build_access *a = &s->b->accesses[s->b->execs[exec].first + i];

			if (a->how != GRAPH_READ || a->class != GRAPH_DATA || !a->file)
				continue;
			names = xgrow(names, &cap, *n + 1, sizeof(*names));
			names[(*n)++] = s->names[a->file];
		}
	return names;
}

static void look_at_listing(struct different_look *l)
{
	size_t na, nb;
	uint64_t *a, *b, sum = 0;
	bool other, sorts = (different_sorts(l->name) || l->sorts) && !l->unsorted;

	if (!l->lists)
		return;
	a = order_of(A(l->w), l->pair, &na);
	b = order_of(B(l->w), l->unit, &nb);
	other = na && na == nb && memcmp(a, b, na * sizeof(*a));
	for (size_t i = 0; i < na && i < nb; i++)
		sum += a[i] - b[i];
	if (other && !sum)
		different_unit_clue(l, DIFFERENT_LISTING, different_habit(l->name, DIFFERENT_LISTING, 82),
				    "lists a directory, and read its files in a different order");
	else if (l->w->by_order && !sorts)
		different_unit_clue(l, DIFFERENT_LISTING, different_habit(l->name, DIFFERENT_LISTING, 83),
				    "lists a directory, and got the same names in a different order");
	else
		different_unit_clue(l, DIFFERENT_LISTING, sorts ? 12 : l->w->both ? SAME :
				    different_habit(l->name, DIFFERENT_LISTING, 46), "lists a directory");
	free(a);
	free(b);
}

/* ---- all units ---- */

static void look_at_unit(struct different *w, const struct different_unit *u)
{
	struct different_look l = {
		.w = w, .unit = u->unit, .pair = B(w)->units[u->unit].pair,
		.less = u->carries ? PASSED_ON : 100,
	};

	name_unit(&l);
	find_script_dir(&l);
	look_at_program(&l);
	look_at_accesses(&l);
	look_at_asked(&l);
	different_look_at_words(w, u->unit, l.name, word_clue, &l);
	look_at_env(&l);
	different_look_at_inputs(&l);
	look_at_listing(&l);
	free(l.script_dir);
}

static void look_at_places(struct different *w)
{
	const char *was = A(w)->from ? A(w)->from : B(w)->to, *is = B(w)->from;

	if (is)
		different_clue(w, DIFFERENT_PATH, 50, 0, "the first build was in %s, the second in %s",
			       was ? was : "?", is);
}

void different_look_at_units(struct different *w)
{
	size_t len;

	/* first the clues from the order of inputs */
	for (size_t i = 0; i < w->nunits; i++) {
		struct different_look l = { .w = w, .unit = w->units[i].unit,
				       .pair = B(w)->units[w->units[i].unit].pair };

		look_at_arguments(&l);
	}
	for (size_t i = 0; i < w->nfiles; i++)
		different_look_at_writers(w, &w->files[i]);
	for (size_t i = 0; i < w->nunits; i++)
		look_at_unit(w, &w->units[i]);
	look_at_places(w);
	different_clue(w, DIFFERENT_TIME, w->compared ? 10 : w->scanned ? 12 : 20, 0,
		       "programs read the clock without a system call, so no recording shows it");
	different_clue(w, DIFFERENT_UNKNOWN, 15, 0,
		       "addresses, uninitialized memory and the order of threads are not recorded");
	if (db_meta_text(B(w)->db, "env", &len) && !has_all_env(w))
		different_clue(w, DIFFERENT_ENV, w->passed_args ? 39 : w->other_words ? 24 : 5, 0,
			       "only the usual variables are recorded; etrace run --record=env records all");
}
