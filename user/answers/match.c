// SPDX-License-Identifier: LGPL-2.1
/* Pairs the programs of two builds.  See match.h. */
#include "answers/match.h"
#include "base/hash.h"
#include "base/map64.h"
#include "base/xalloc.h"

#include <stdlib.h>
#include <string.h>

/* ---- pairs ---- */

/* Keys by which units are paired, the most reliable first. 0 if a key does not apply. */
static uint64_t key_whole(const struct match_key *k, uint64_t command, uint32_t caller)
{
	(void)command;
	(void)caller;
	return hash_two(k->context, k->tree);
}

static uint64_t key_command_and_outputs(const struct match_key *k, uint64_t command, uint32_t caller)
{
	(void)caller;
	return k->tree ? hash_two(command, hash_two(k->name, k->tree)) : 0;
}

static uint64_t key_context(const struct match_key *k, uint64_t command, uint32_t caller)
{
	(void)command;
	(void)caller;
	return k->context;
}

static uint64_t key_outputs_and_name(const struct match_key *k, uint64_t command, uint32_t caller)
{
	(void)command;
	(void)caller;
	return k->tree ? hash_two(k->name, k->tree) : 0;
}

static uint64_t key_command(const struct match_key *k, uint64_t command, uint32_t caller)
{
	(void)caller;
	return hash_two(command, k->name);
}

static uint64_t key_outputs(const struct match_key *k, uint64_t command, uint32_t caller)
{
	(void)command;
	(void)caller;
	return k->tree;
}

/*
 * If one output was added or removed, the smallest or the largest hash of an output is still
 * equal.
 */
static uint64_t key_least(const struct match_key *k, uint64_t command, uint32_t caller)
{
	(void)command;
	(void)caller;
	return k->tree ? hash_two(k->name, k->least) : 0;
}

static uint64_t key_most(const struct match_key *k, uint64_t command, uint32_t caller)
{
	(void)command;
	(void)caller;
	return k->tree ? hash_two(k->name, k->most) : 0;
}

/* Units without outputs: same program and same caller, paired in the order of their beginning. */
static uint64_t key_place(const struct match_key *k, uint64_t command, uint32_t caller)
{
	(void)command;
	return caller && !k->tree ? hash_two(hash_two(caller, 1), k->name) : 0;
}

/* @command: hash of arguments and directory; @caller: unit of the first build */
typedef uint64_t key_fn(const struct match_key *k, uint64_t command, uint32_t caller);

static key_fn *const keys[] = {
	key_whole, key_command_and_outputs, key_context, key_outputs_and_name, key_command,
	key_outputs, key_least, key_most, key_place,
};

static uint64_t key_of(const struct match_side *s, uint32_t unit, uint32_t caller, key_fn *key)
{
	const struct match_key *k = &s->keys[unit];

	if (s->units[unit].pair)
		return 0;
	return key(k, hash_two(k->args, match_cwd(s, unit)), caller);
}

static void pair_units(struct match *m, uint32_t a, uint32_t b)
{
	m->side[0].units[a].pair = b;
	m->side[1].units[b].pair = a;
}

static void pair_by(struct match *m, key_fn *key)
{
	struct match_side *a = &m->side[0], *b = &m->side[1];
	uint32_t *next = xcalloc(a->nunits + 1ul, sizeof(*next));
	struct map64 first = { 0 };

	for (uint32_t i = a->nunits; i; i--) {
		uint64_t k = key_of(a, i, a->units[i].caller, key);
		uint64_t *at = k ? map64_get(&first, k) : NULL;

		if (!k)
			continue;
		next[i] = at ? (uint32_t)*at : 0;
		map64_put(&first, k, i);
	}
	for (uint32_t i = 1; i <= b->nunits; i++) {
		uint64_t k = key_of(b, i, b->units[b->units[i].caller].pair, key);
		uint64_t *at = k ? map64_get(&first, k) : NULL;

		if (!at || !*at)
			continue;
		pair_units(m, (uint32_t)*at, i);
		*at = next[*at];
	}
	map64_clear(&first);
	free(next);
}

/* ---- both builds ---- */

static bool read_map(struct match *m, const char *map, struct diag *diag)
{
	if (answers_paths(map, &m->side[1].to, &m->side[1].from))
		return true;
	diag_fatal(diag, "--map %s: must be two directories, as in /first=/second", map);
	return false;
}

bool match_same_args(const struct match *m, uint32_t a, uint32_t b)
{
	return m->side[0].keys[a].args == m->side[1].keys[b].args;
}

bool match_same_call(const struct match *m, uint32_t a, uint32_t b)
{
	return match_same_args(m, a, b) &&
	       match_cwd(&m->side[0], a) == match_cwd(&m->side[1], b);
}

bool match_same_program(const struct match *m, uint32_t a, uint32_t b)
{
	return match_program(&m->side[0], a) == match_program(&m->side[1], b);
}

bool match_builds(struct match *m, struct db *a, struct db *b, const char *map)
{
	*m = (struct match){ .side = { { .db = a, .b = build_of(a) }, { .db = b, .b = build_of(b) } } };
	if (map && !read_map(m, map, a->diag))
		return false;
	if (!map)
		match_guess(m);
	match_guess_roots(m);
	for (unsigned int i = 0; i < 2; i++)
		match_load(&m->side[i]);
	match_load_drawn(m);
	for (unsigned int i = 0; i < 2; i++)
		match_load_keys(&m->side[i]);
	if (m->side[0].nunits && m->side[1].nunits)
		pair_units(m, 1, 1);
	for (size_t i = 0; i < sizeof(keys) / sizeof(*keys); i++)
		pair_by(m, keys[i]);
	return !a->failed && !b->failed;
}

void match_free_work(struct match_side *s)
{
	free(s->unit_of);
	free(s->next);
	free(s->names);
	free(s->keys);
	free(s->there);
	free(s->writes);
	free(s->writes_at);
	*s = (struct match_side){
		.db = s->db, .b = s->b, .units = s->units, .nunits = s->nunits,
		.drawn = s->drawn, .from = s->from, .to = s->to,
		.roots = s->roots,
	};
}

void match_free_side(struct match_side *s)
{
	match_free_work(s);
	free(s->units);
	map64_clear(&s->drawn);
	free(s->from);
	free(s->to);
	buf_free(&s->roots);
}

void match_free(struct match *m)
{
	for (unsigned int i = 0; i < 2; i++)
		match_free_side(&m->side[i]);
}
