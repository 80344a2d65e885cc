// SPDX-License-Identifier: LGPL-2.1
/* Which program of one build is which of another.  See match.h. */
#include "answers/match.h"
#include "base/hash.h"
#include "base/map64.h"
#include "base/xalloc.h"

#include <stdlib.h>
#include <string.h>

/* ---- pairs ---- */

/* By what units are paired, the surest first.  0: not by this. */
static uint64_t key_whole(const struct match_unit *u, uint32_t caller)
{
	(void)caller;
	return hash_two(u->context, u->tree);
}

static uint64_t key_command_and_outputs(const struct match_unit *u, uint32_t caller)
{
	(void)caller;
	return u->tree ? hash_two(hash_two(u->args, u->cwd), hash_two(u->name, u->tree)) : 0;
}

static uint64_t key_context(const struct match_unit *u, uint32_t caller)
{
	(void)caller;
	return u->context;
}

static uint64_t key_outputs_and_name(const struct match_unit *u, uint32_t caller)
{
	(void)caller;
	return u->tree ? hash_two(u->name, u->tree) : 0;
}

static uint64_t key_command(const struct match_unit *u, uint32_t caller)
{
	(void)caller;
	return hash_two(hash_two(u->args, u->cwd), u->name);
}

static uint64_t key_outputs(const struct match_unit *u, uint32_t caller)
{
	(void)caller;
	return u->tree;
}

/* One output more or less: the first or the last of them, in any order, is the same. */
static uint64_t key_least(const struct match_unit *u, uint32_t caller)
{
	(void)caller;
	return u->tree ? hash_two(u->name, u->least) : 0;
}

static uint64_t key_most(const struct match_unit *u, uint32_t caller)
{
	(void)caller;
	return u->tree ? hash_two(u->name, u->most) : 0;
}

/* What made nothing, the same program called by the same one: in the order of their beginning. */
static uint64_t key_place(const struct match_unit *u, uint32_t caller)
{
	return caller && !u->tree ? hash_two(hash_two(caller, 1), u->name) : 0;
}

static uint64_t (*const keys[])(const struct match_unit *u, uint32_t caller) = {
	key_whole, key_command_and_outputs, key_context, key_outputs_and_name, key_command,
	key_outputs, key_least, key_most, key_place,
};

static void pair(struct match *m, uint32_t a, uint32_t b)
{
	m->side[0].units[a].pair = b;
	m->side[1].units[b].pair = a;
}

static void pair_by(struct match *m, uint64_t (*key)(const struct match_unit *u, uint32_t caller))
{
	struct match_side *a = &m->side[0], *b = &m->side[1];
	uint32_t *next = xcalloc(a->nunits + 1ul, sizeof(*next));
	struct map64 first = { 0 };

	for (uint32_t i = a->nunits; i; i--) {
		uint64_t k = a->units[i].pair ? 0 : key(&a->units[i], a->units[i].caller);
		uint64_t *at = k ? map64_get(&first, k) : NULL;

		if (!k)
			continue;
		next[i] = at ? (uint32_t)*at : 0;
		map64_put(&first, k, i);
	}
	for (uint32_t i = 1; i <= b->nunits; i++) {
		struct match_unit *u = &b->units[i];
		uint64_t k = u->pair ? 0 : key(u, b->units[u->caller].pair);
		uint64_t *at = k ? map64_get(&first, k) : NULL;

		if (!at || !*at)
			continue;
		pair(m, (uint32_t)*at, i);
		*at = next[*at];
	}
	map64_clear(&first);
	free(next);
}

/* ---- both ---- */

static bool read_map(struct match *m, const char *map, struct diag *diag)
{
	const char *equal = strchr(map, '=');
	struct buf a = { 0 }, b = { 0 };
	char *first;

	if (!equal || equal == map || !equal[1]) {
		diag_fatal(diag, "--map %s: say two directories, as /first=/second", map);
		return false;
	}
	first = xstrndup(map, (size_t)(equal - map));
	answers_path(&a, first);
	answers_path(&b, equal + 1);
	free(first);
	buf_addc(&a, 0);
	buf_addc(&b, 0);
	m->side[1].to = a.s;
	m->side[1].from = b.s;
	return true;
}

bool match_builds(struct match *m, struct db *a, struct db *b, const char *map)
{
	*m = (struct match){ .side = { { .db = a, .b = build_of(a) }, { .db = b, .b = build_of(b) } } };
	if (map && !read_map(m, map, a->diag))
		return false;
	if (!map)
		match_guess(m);
	for (unsigned int i = 0; i < 2; i++)
		match_load(&m->side[i]);
	if (m->side[0].nunits && m->side[1].nunits)
		pair(m, 1, 1);
	for (size_t i = 0; i < sizeof(keys) / sizeof(*keys); i++)
		pair_by(m, keys[i]);
	return !a->failed && !b->failed;
}

void match_free_side(struct match_side *s)
{
	free(s->units);
	free(s->unit_of);
	free(s->next);
	free(s->names);
	free(s->there);
	free(s->writes);
	free(s->from);
	free(s->to);
}

void match_free(struct match *m)
{
	for (unsigned int i = 0; i < 2; i++)
		match_free_side(&m->side[i]);
}
