// SPDX-License-Identifier: LGPL-2.1
/*
 * Clues from the inputs of a program: files that the other build did not read, or that differed.
 */
#include "answers/different_look.h"
#include "base/map64.h"
#include "base/path.h"
#include "base/xalloc.h"

#include <stdlib.h>
#include <string.h>

#define A(w) (&(w)->d->m.side[0])
#define B(w) (&(w)->d->m.side[1])
/* Maximum number of files per program that only one build read. */
#define ONLY_MAX 16u

/* Whether an input is a part of the program: it was run, loaded, or is the script of its interpreter. */
static bool is_tool(const struct different_look *l, const struct match_input *in)
{
	const struct match_side *s = B(l->w);
	struct buf args = { 0 };
	size_t n, len, name_len;
	const char *path = build_path(s->b, in->file, &len), *name, *arg;
	bool ret = in->class == GRAPH_PROGRAM || in->class == GRAPH_LOADER;

	name_len = len;
	name = path_base_of(path, &name_len);
	if (!ret && different_interprets(l->name)) {
		/* modules that a script loads have the suffix of the interpreter's sources */
		ret = different_is_module(l->name, name, name_len);
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

static void input_clue(struct different_look *l, const struct match_input *in, const char *what)
{
	size_t len;
	const char *path = build_path(B(l->w)->b, in->file, &len);
	bool tool = is_tool(l, in);

	different_unit_clue(l, tool ? DIFFERENT_TOOL : DIFFERENT_INPUT, tool ? 86 : 84, "%s %.*s, %s",
		  tool ? "runs" : "reads", (int)len, path, what);
}

/* Whether a path belongs to the system or to an installation. */
static bool is_system(const struct different_look *l, const struct build *b, const char *path,
		      size_t len)
{
	static const char *const system[] = { "/etc", "/proc", "/sys", "/dev", "/run", NULL };
	size_t n = len;
	const char *inner = build_inner(b, path, &n);

	/* .pyc: modules that an interpreter compiled on first use */
	return path_in(inner, n, system) || (len > 4 && !memcmp(path + len - 4, ".pyc", 4)) ||
	       different_is_installed(l->w, l->unit, b, path, len);
}

/* Whether a build used a file of this name that existed before it. */
static bool began_with(const struct match_side *s, uint64_t name)
{
	for (uint32_t i = 1; i <= s->nfiles; i++) {
		uint32_t version = s->names[i] == name ? s->there[i] : 0;

		while (version && s->versions[version].made == GRAPH_CHANGED && s->versions[version].base)
			version = s->versions[version].base;
		if (version && !s->versions[version].exec)
			return true;
	}
	return false;
}

/* Note a file from before the build that only build @side read. */
static void look_at_only(struct different_look *l, const struct match_input *in, unsigned int side)
{
	size_t len;
	const struct build *b = l->w->d->m.side[side].b;
	const char *path = build_path(b, in->file, &len);

	/* a file that both builds had is no clue: git, for one, rereads files that just changed */
	if (in->made || in->class != GRAPH_DATA || is_system(l, b, path, len) ||
	    l->added + l->gone >= ONLY_MAX || began_with(&l->w->d->m.side[!side], in->name))
		return;
	l->added += side;
	l->gone += !side;
	if (side || !l->only) {
		l->only = in->file;
		l->only_side = side;
	}
}

static void only_clue(struct different_look *l)
{
	size_t len;
	const char *path = build_path(l->w->d->m.side[l->only_side].b, l->only, &len);
	const struct match *m = &l->w->d->m;
	bool same_call = match_same_call(m, l->pair, l->unit);
	unsigned int weight = 76;

	if (!l->only)
		return;
	/* less weight if it replaces another file, or if its caller or another program chose it */
	if ((l->gone && (l->added || !same_call)) || !different_is_place(l, path, len) ||
	    !match_same_program(m, l->pair, l->unit))
		weight = 38;
	else if (!same_call)
		weight = 45;
	if (l->other_env && weight > 54)
		weight = 54;
	different_clue(l->w, DIFFERENT_INPUT, weight, l->unit,
		       "%s reads %.*s, which only the %s build read",
		       l->name, (int)len, path, l->only_side ? "second" : "first");
}

/* Add a clue if the build made an input with a random name, which debug information may hold. */
static void look_at_name(struct different_look *l, const struct match_input *in)
{
	const struct match_side *s = B(l->w);
	size_t len;
	const char *path = build_path(s->b, in->file, &len), *name = path_base_of(path, &len);
	struct buf as = { 0 };

	if (!in->made || in->class != GRAPH_DATA)
		return;
	if (match_random(name, len) || match_drawn(s, name, len, &as)) {
		char *word = xstrndup(name, len);
		bool pid = different_names_pid(l->w, word);

		different_unit_clue(l, pid ? DIFFERENT_PID : DIFFERENT_RANDOM, l->w->compared ? 9 : 43,
			  "reads %s, %s", word,
			  pid ? "which is named after a process id" : "which has a random name");
		free(word);
	}
	buf_free(&as);
}

static void look_at_input(void *ctx, const struct match_input *a, const struct match_input *b)
{
	struct different_look *l = ctx;

	if (!a || !b) {
		look_at_only(l, a ? a : b, a ? 0 : 1);
		return;
	}
	if (b->class == GRAPH_DATA && a->identified && b->identified && a->mtime != b->mtime)
		l->touched = b->file;
	if (a->made && b->made)
		return;
	switch (match_change(&l->w->d->m, a->version, b->version, NULL)) {
	case MATCH_CONTENT:
		input_clue(l, b, "whose content differs");
		break;
	case MATCH_SIZE:
		input_clue(l, b, "whose size differs");
		break;
	case MATCH_TIME:
		/* hashes are not recorded */
		different_unit_clue(l, DIFFERENT_INPUT, 30, "reads a file that was changed or touched");
		break;
	case MATCH_REPLACED:
		/*
		 * replaced by a file of the same size and time. This is common for other files,
		 * where contents tell more
		 */
		if (l->w->d->nheld && is_tool(l, b))
			different_unit_clue(l, DIFFERENT_TOOL, 30,
					    "runs a file that was replaced; what it held is not recorded");
		break;
	default:
		break;
	}
}

/* Hashes of the names that a unit failed to find. */
static void load_missed(const struct match_side *s, uint32_t unit, struct map64 *to)
{
	for (uint32_t exec = s->units[unit].first; exec; exec = s->next[exec])
		for (uint32_t i = build_misses(s->b, exec); i--;)
			map64_put(to, s->names[build_miss_of(s->b, exec, i)->file], 1);
}

/* Add clues for files from before the build that a unit tested, and only one build has. */
static void look_at_looks(struct different_look *l, unsigned int side)
{
	const struct match_side *s = &l->w->d->m.side[side], *other = &l->w->d->m.side[!side];
	uint32_t unit = side ? l->unit : l->pair, pair = side ? l->pair : l->unit;
	struct map64 missed = { 0 };

	load_missed(other, pair, &missed);
	for (uint32_t exec = s->units[unit].first; exec; exec = s->next[exec])
		for (uint32_t i = 0; i < s->b->execs[exec].uses; i++) {
			const struct build_access *a = &s->b->accesses[s->b->execs[exec].first + i];
			size_t len;
			const char *path;

			if (a->how != GRAPH_LOOK || !a->file || s->versions[a->version].exec)
				continue;
			path = build_path(s->b, a->file, &len);
			if (!is_system(l, s->b, path, len) && map64_get(&missed, s->names[a->file]))
				different_unit_clue(l, DIFFERENT_INPUT,
						    different_is_place(l, path, len) ? 76 : 60,
						    "found %.*s only in the %s build", (int)len, path,
						    side ? "second" : "first");
		}
	map64_clear(&missed);
}

void different_look_at_inputs(struct different_look *l)
{
	struct match_inputs inputs[2] = { 0 };
	const struct match_side *s = B(l->w);
	size_t len;
	const char *path;

	if (!l->pair)
		return;
	for (unsigned int side = 0; side < 2; side++)
		look_at_looks(l, side);
	match_inputs(A(l->w), l->pair, &inputs[0]);
	match_inputs(s, l->unit, &inputs[1]);
	diff_pairs(&inputs[0], &inputs[1], look_at_input, l);
	for (size_t i = 0; i < inputs[1].n; i++)
		look_at_name(l, &inputs[1].rows[i]);
	only_clue(l);
	free(inputs[0].rows);
	free(inputs[1].rows);
	if (!match_same_program(&l->w->d->m, l->pair, l->unit))
		different_unit_clue(l, DIFFERENT_TOOL, 85, "is a different program");
	if (l->keeps_times && l->touched) {
		path = build_path(s->b, l->touched, &len);
		different_unit_clue(l, DIFFERENT_TIME,
				    l->w->compared ? 62 * DIFFERENT_UNSEEN / 100 : 62,
				    "keeps time stamps, and that of %.*s differs", (int)len, path);
	}
}
