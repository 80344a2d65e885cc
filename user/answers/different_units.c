// SPDX-License-Identifier: LGPL-2.1
/* What the programs on the way did that can differ from run to run.  See different.h. */
#include "answers/different.h"
#include "answers/match_put.h"
#include "base/path.h"
#include "base/xalloc.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define A(w) (&(w)->d->m.side[0])
#define B(w) (&(w)->d->m.side[1])

/* A program that may only pass on what came to it says this much less, in percent. */
#define PASSED_ON 50u
/* Of those that wrote into one file, so many are compared with each other. */
#define WRITERS_MAX 100u

/* ---- one unit ---- */

struct unit_look {
	struct different *w;
	uint32_t unit, pair;
	unsigned int less;	/* percent that its clues count */
	char name[64];		/* of its program */
	bool keeps_times;
	bool lists;
	uint32_t touched;	/* a file that it read, equal, but with another time stamp */
};

__attribute__((format(printf, 4, 5)))
static void unit_clue(struct unit_look *l, enum different_cause cause, unsigned int weight,
		      const char *text, ...)
{
	char line[600];
	va_list args;

	va_start(args, text);
	vsnprintf(line, sizeof(line), text, args);
	va_end(args);
	weight = weight * l->less / 100;
	different_clue(l->w, cause, weight ? weight : 1, l->unit, "%s %s", l->name, line);
}

/* The name that people know: a program with many names is what it was called as. */
static void name_unit(struct unit_look *l)
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

static void look_at_program(struct unit_look *l)
{
	const struct different_sign *sign = different_program(l->name);

	if (sign)
		unit_clue(l, (enum different_cause)sign->cause, sign->weight, "%s", sign->what);
	l->keeps_times = different_keeps_times(l->name);
}

/* A program of the build asks for its own process as /proc/PID. */
static bool is_own(const char *path, size_t len, uint32_t pid)
{
	char own[32];
	int n = snprintf(own, sizeof(own), "/proc/%u/", pid);

	return pid && len > (size_t)n && !memcmp(path, own, (size_t)n);
}

static bool is_below(const struct build *b, uint32_t dir, const char *path, size_t len)
{
	size_t n;
	const char *of = build_path(b, dir, &n);

	return n && len >= n && !memcmp(path, of, n) && (len == n || path[n] == '/');
}

/* Whether a directory is one that the build works in: others are those of tools and libraries. */
static bool is_place(const struct unit_look *l, const char *path, size_t len)
{
	const struct match_side *s = B(l->w);

	return is_below(s->b, s->b->execs[s->units[l->unit].exec].cwd, path, len) ||
	       is_below(s->b, l->w->start, path, len);
}

static void look_at_access(struct unit_look *l, const struct build_access *a, uint32_t pid)
{
	const struct match_side *s = B(l->w);
	const struct different_sign *sign;
	size_t len;
	const char *path = build_path(s->b, a->file ? a->file : s->versions[a->version].file, &len);

	/* a directory is opened to list it; whether it was is recorded only on request */
	l->lists |= a->class == GRAPH_IS_DIR && (a->how == GRAPH_LIST || a->how == GRAPH_OPEN) &&
		    is_place(l, path, len);
	if (a->how != GRAPH_READ && a->how != GRAPH_OPEN)
		return;
	sign = different_path(path, len);
	if (sign) {
		unsigned int weight = sign->weight;

		/* what these read when they start, whatever they do */
		if (sign->cause == DIFFERENT_TIME && !strncmp(l->name, "python", 6))
			weight = 25;
		if (sign->cause == DIFFERENT_RANDOM && !strcmp(l->name, "perl"))
			weight = 44;
		unit_clue(l, (enum different_cause)sign->cause, weight, "%s: %.*s", sign->what, (int)len,
			  path);
		return;
	}
	if (is_own(path, len, pid))
		unit_clue(l, DIFFERENT_PID, 45, "reads about its own process: %.*s", (int)len, path);
}

static void look_at_accesses(struct unit_look *l)
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
		unit_clue(l, DIFFERENT_NET, 65, "received data from a socket that leads out of the build");
	if (unseen & GRAPH_UNSEEN_FD)
		unit_clue(l, DIFFERENT_INPUT, 45, "read a descriptor that was open before the recording");
}

/* ---- what it asked the kernel for ---- */

#define GRND_NONBLOCK 1
#define SEED 24
#define SEEDS 1024

/* What a unit asked, in all of its execs. */
struct asked_sum {
	unsigned int names;	/* calls of getrandom for 8 bytes: one by malloc, others for names of files */
	unsigned int seeds;	/* for 24 bytes, or many: Python's seeds of hashes, and of its module random */
	unsigned int random;	/* for others */
	int64_t bytes;		/* of the last of these */
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

static void look_at_asked(struct unit_look *l)
{
	const struct asked_sum was = asked_by(A(l->w), l->pair), is = asked_by(B(l->w), l->unit);

	if (is.random)
		unit_clue(l, DIFFERENT_RANDOM, 60, "takes %lld random bytes", (long long)is.bytes);
	if (is.seeds)
		unit_clue(l, DIFFERENT_RANDOM, 44, "takes random bytes when it starts, as for the order of hashes");
	if (is.names > 1)
		unit_clue(l, DIFFERENT_RANDOM, 42, "takes random bytes, as for the name of a temporary file");
	if (is.host && was.host && strcmp(is.host, was.host))
		unit_clue(l, DIFFERENT_HOST, 82, "asks for the host name: %s, before %s", is.host, was.host);
	else if (is.uname)
		unit_clue(l, DIFFERENT_HOST, 14, "asks for the names of the host and its kernel");
	if (is.cpus > 0 && was.cpus > 0 && is.cpus != was.cpus)
		unit_clue(l, DIFFERENT_CPUS, 82, "asks for the number of processors: %lld, before %lld",
			  (long long)is.cpus, (long long)was.cpus);
	if (is.sysinfo)
		unit_clue(l, DIFFERENT_MEMORY, 14, "asks for the amount of memory");
}

/* ---- words in its source ---- */

static void word_clue(void *ctx, enum different_cause cause, unsigned int weight, const char *word,
		      const char *where)
{
	struct unit_look *l = ctx;

	if (where)
		unit_clue(l, cause, weight, "reads %s, which has %s", where, word);
	else
		unit_clue(l, cause, weight, "is called with %s", word);
}

/* ---- inputs ---- */

/* Whether an input is a part of the program: it was run, loaded, or is the script of its interpreter. */
static bool is_tool(const struct unit_look *l, const struct match_input *in)
{
	const struct match_side *s = B(l->w);
	struct buf args = { 0 };
	size_t n, len, name_len;
	const char *path = build_path(s->b, in->file, &len), *name, *arg;
	bool ret = in->class == GRAPH_PROGRAM || in->class == GRAPH_LOADER;

	name_len = len;
	name = path_base_of(path, &name_len);
	if (!ret && different_interprets(l->name)) {
		/* modules that a script loads end as the interpreter's sources do */
		ret = (name_len > 3 && !memcmp(name + name_len - 3, ".py", 3)) ||
		      (name_len > 3 && !memcmp(name + name_len - 3, ".pm", 3));
		match_args(s, l->unit, &args, &n);
		arg = args.s;
		for (size_t i = 0; i < n && !ret; i++, arg += strlen(arg) + 1) {
			size_t arg_len = strlen(arg);
			const char *base = path_base_of(arg, &arg_len);

			if (!i || *arg == '-')
				continue;
			ret = arg_len == name_len && !memcmp(base, name, name_len);
			break;
		}
		buf_free(&args);
	}
	return ret;
}

static void input_clue(struct unit_look *l, const struct match_input *in, const char *what)
{
	size_t len;
	const char *path = build_path(B(l->w)->b, in->file, &len);
	bool tool = is_tool(l, in);

	unit_clue(l, tool ? DIFFERENT_TOOL : DIFFERENT_INPUT, tool ? 86 : 84, "%s %.*s, %s",
		  tool ? "runs" : "reads", (int)len, path, what);
}

static void look_at_input(void *ctx, const struct match_input *a, const struct match_input *b)
{
	struct unit_look *l = ctx;

	if (!a || !b)
		return;
	if (b->class == GRAPH_DATA && a->identified && b->identified && a->mtime != b->mtime)
		l->touched = b->file;
	if (a->made && b->made)
		return;
	switch (match_change(&l->w->d->m, a->version, b->version, NULL)) {
	case MATCH_CONTENT:
		input_clue(l, b, "which held something else");
		break;
	case MATCH_SIZE:
		input_clue(l, b, "which had another size");
		break;
	case MATCH_TIME:
		/* without hashes */
		unit_clue(l, DIFFERENT_INPUT, 30, "reads a file that was changed or touched");
		break;
	default:
		break;
	}
}

static void look_at_inputs(struct unit_look *l)
{
	struct match_inputs inputs[2] = { 0 };
	const struct match_side *s = B(l->w);
	size_t len;
	const char *path;

	if (!l->pair)
		return;
	match_inputs(A(l->w), l->pair, &inputs[0]);
	match_inputs(s, l->unit, &inputs[1]);
	diff_pairs(&inputs[0], &inputs[1], look_at_input, l);
	free(inputs[0].rows);
	free(inputs[1].rows);
	if (!match_same_program(&l->w->d->m, l->pair, l->unit))
		unit_clue(l, DIFFERENT_TOOL, 85, "is another program");
	if (l->keeps_times && l->touched) {
		path = build_path(s->b, l->touched, &len);
		unit_clue(l, DIFFERENT_TIME, 62, "keeps time stamps, and that of %.*s differs", (int)len, path);
	}
}

/* ---- what it was called with ---- */

static void look_at_arguments(struct unit_look *l)
{
	struct buf was = { 0 }, is = { 0 };
	size_t n;

	if (!l->pair || match_same_call(&l->w->d->m, l->pair, l->unit))
		return;
	n = match_other_args(A(l->w), l->pair, B(l->w), l->unit, false, &was);
	n += match_other_args(B(l->w), l->unit, A(l->w), l->pair, false, &is);
	if (n)
		different_look_at_text(l->w, l->unit, &was, &is);
	else
		l->w->by_order = true;
	buf_free(&was);
	buf_free(&is);
}

static bool formats_time(const struct unit_look *l)
{
	const struct different *w = l->w;

	for (size_t i = 0; i < w->nclues; i++)
		if (w->clues[i].cause == DIFFERENT_TIME && w->clues[i].weight >= 60 &&
		    w->clues[i].unit == l->unit)
			return true;
	return false;
}

static void env_clue(void *ctx, const struct diff_var *a, const struct diff_var *b)
{
	struct unit_look *l = ctx;
	char *name = different_string(l->w, b ? 1 : 0, b ? b->name : a->name);
	char *was = a ? different_string(l->w, 0, a->value) : NULL;
	char *is = b ? different_string(l->w, 1, b->value) : NULL;
	enum different_cause cause = different_variable(name, strlen(name));

	/* what formats a time uses the time zone */
	different_clue(l->w, cause,
		       !strcmp(name, "TZ") && formats_time(l) ? 78 : cause == DIFFERENT_ENV ? 55 : 58,
		       l->unit,
		       "%s was %.80s, is %.80s", name, was ? was : "not set", is ? is : "not set");
	free(name);
	free(was);
	free(is);
}

/* Only what came from outside: what a caller set is what the caller knew. */
static void look_at_env(struct unit_look *l)
{
	uint32_t outer = diff_env_unit(l->w->d, l->unit);

	if (outer && !B(l->w)->units[outer].caller)
		diff_env_pairs(l->w->d, outer, env_clue, l);
}

/* ---- order ---- */

/* The data that a unit read, in the order in which it did. */
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

static void look_at_listing(struct unit_look *l)
{
	size_t na, nb;
	uint64_t *a, *b, sum = 0;
	bool other;

	if (!l->lists)
		return;
	a = order_of(A(l->w), l->pair, &na);
	b = order_of(B(l->w), l->unit, &nb);
	other = na && na == nb && memcmp(a, b, na * sizeof(*a));
	for (size_t i = 0; i < na && i < nb; i++)
		sum += a[i] - b[i];
	if (other && !sum)
		unit_clue(l, DIFFERENT_LISTING, 82, "lists a directory, and read its files in another order");
	else if (l->w->by_order)
		unit_clue(l, DIFFERENT_LISTING, 83, "lists a directory, and the same came in another order");
	else
		unit_clue(l, DIFFERENT_LISTING, different_sorts(l->name) ? 12 : 46, "lists a directory");
	free(a);
	free(b);
}

/* ---- programs that write into one file ---- */

/* What leads from a common caller to an exec. */
struct branch {
	uint32_t exec;
	int64_t until;
};

static void branch_climb(const struct build *b, struct branch *at)
{
	const struct build_exec *e = &b->execs[at->exec];

	at->exec = e->before ? e->before : e->parent;
	if (at->exec && b->execs[at->exec].until > at->until && b->execs[at->exec].process == e->process)
		at->until = b->execs[at->exec].until;
}

/*
 * Whether two execs, or what started them, ran at the same time, and neither started the other.
 * @caller: set to the exec that started both
 */
static bool is_beside(const struct build *b, uint32_t one, uint32_t other, uint32_t *caller)
{
	struct branch x = { one, b->execs[one].until }, y = { other, b->execs[other].until };
	struct branch top_x = x, top_y = y;

	/* those that begin later have higher numbers */
	while (x.exec != y.exec) {
		struct branch *low = x.exec > y.exec ? &x : &y;

		*(low == &x ? &top_x : &top_y) = *low;
		branch_climb(b, low);
		if (low->until < (low == &x ? top_x : top_y).until)
			low->until = (low == &x ? top_x : top_y).until;
	}
	if (x.exec == one || x.exec == other)
		return false;
	*caller = x.exec;
	return b->execs[top_x.exec].at < top_y.until && b->execs[top_y.exec].at < top_x.until;
}

/* The execs that wrote a version, and those that it was appended to. */
static size_t writers_of(const struct match_side *s, uint32_t version, uint32_t *execs)
{
	size_t n = 0;

	for (; version; version = s->versions[version].made == GRAPH_CHANGED ? s->versions[version].base : 0)
		for (uint32_t i = 0; i < s->versions[version].writes && n < WRITERS_MAX; i++)
			execs[n++] = build_use(s->b, version, i)->exec;
	return n;
}

static void look_at_writers(struct different *w, const struct different_file *f)
{
	const struct match_side *a = A(w), *b = B(w);
	uint32_t x[WRITERS_MAX], y[WRITERS_MAX];
	size_t na = writers_of(a, f->first, x), nb = writers_of(b, f->second, y), len;
	const char *path = build_path(b->b, f->file, &len);
	bool beside = false, other = false;

	for (size_t i = 0; i < nb; i++) {
		uint32_t pair = b->units[b->unit_of[y[i]]].pair, caller = 0;

		for (size_t k = 0; k < i && !beside; k++)
			beside = is_beside(b->b, y[i], y[k], &caller);
		/* make starts its rules in any order */
		other |= na == nb && pair && pair != a->unit_of[x[i]] &&
			 (beside || match_schedules(b, b->unit_of[caller]));
	}
	if (beside || other)
		different_clue(w, DIFFERENT_WRITERS, other ? 81 : w->by_order ? 82 : 46, 0,
			       "several programs write to %.*s at the same time%s", len ? (int)len : 6,
			       len ? path : "a pipe", other ? ", this time in another order" : "");
}

/* ---- all of them ---- */

static void look_at_unit(struct different *w, const struct different_unit *u)
{
	struct unit_look l = {
		.w = w, .unit = u->unit, .pair = B(w)->units[u->unit].pair,
		.less = u->carries ? PASSED_ON : 100,
	};

	name_unit(&l);
	look_at_program(&l);
	look_at_accesses(&l);
	look_at_asked(&l);
	different_look_at_words(w, u->unit, l.name, word_clue, &l);
	look_at_inputs(&l);
	look_at_env(&l);
	look_at_listing(&l);
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
	const char *list;
	size_t len;

	/* first what the order of others shows */
	for (size_t i = 0; i < w->nunits; i++) {
		struct unit_look l = { .w = w, .unit = w->units[i].unit,
				       .pair = B(w)->units[w->units[i].unit].pair };

		look_at_arguments(&l);
	}
	for (size_t i = 0; i < w->nfiles; i++)
		look_at_writers(w, &w->files[i]);
	for (size_t i = 0; i < w->nunits; i++)
		look_at_unit(w, &w->units[i]);
	look_at_places(w);
	different_clue(w, DIFFERENT_TIME, w->compared ? 10 : 20, 0,
		       "programs read the clock without a system call, so no recording shows it");
	different_clue(w, DIFFERENT_UNKNOWN, 15, 0,
		       "addresses, memory that was not set, and the order of threads are not recorded");
	list = db_meta_text(B(w)->db, "env", &len);
	if (list && (len != 1 || *list != '*'))
		different_clue(w, DIFFERENT_ENV, 5, 0,
			       "only the usual variables are recorded; etrace run --record=env records all");
}
