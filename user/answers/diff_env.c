// SPDX-License-Identifier: LGPL-2.1
/* Compares the environments of two builds.  See diff.h. */
#include "answers/diff.h"
#include "base/hash.h"
#include "base/map64.h"
#include "base/partition.h"
#include "base/xalloc.h"

#include <stdlib.h>
#include <string.h>

/* Whether to ignore a variable that differs in every run, or depends on the number of jobs. */
static bool passed_over(const char *name, size_t len)
{
	static const char *const names[] = {
		"_", "PWD", "OLDPWD", "SHLVL", "MAKEFLAGS", "MFLAGS", "MAKE_TERMOUT", "MAKE_TERMERR",
		"CARGO_MAKEFLAGS", NULL
	};

	for (const char *const *n = names; *n; n++)
		if (strlen(*n) == len && !memcmp(*n, name, len))
			return true;
	return false;
}

static int by_exec(const void *a, const void *b)
{
	const struct diff_var *x = a, *y = b;

	if (x->exec != y->exec)
		return (x->exec > y->exec) - (x->exec < y->exec);
	return (x->key > y->key) - (x->key < y->key);
}

/* Load a build's environments, except variables that @other, the other build, did not record. */
static void load_env(const struct match_side *s, struct db *other, struct diff_env *env)
{
	static const char text[] =
		"SELECT e.exec, n.s, v.s, e.name, e.value FROM env AS e JOIN string AS n ON n.id = e.name\n"
		" LEFT JOIN string AS v ON v.id = e.value WHERE NOT e.hidden";
	struct sqlite3_stmt *st = db_ask(s->db, text, "");
	struct buf value = { 0 };

	while (db_row(s->db, st)) {
		size_t len, n;
		const char *name = db_bytes(st, 1, &len), *v = db_bytes(st, 2, &n);

		if (passed_over(name, len) || !db_has_env(other, name, len))
			continue;
		value.len = 0;
		match_name(s, v, n, &value);
		env->rows = xgrow(env->rows, &env->cap, env->n + 1, sizeof(*env->rows));
		env->rows[env->n++] = (struct diff_var){
			.exec = db_id(s->db, st, 0, DB_EXECS), .key = hash_bytes(name, len),
			.holds = hash_bytes(value.s ? value.s : "", value.len),
			.name = db_id(s->db, st, 3, DB_STRINGS), .value = db_id(s->db, st, 4, DB_STRINGS),
		};
	}
	if (env->n)
		qsort(env->rows, env->n, sizeof(*env->rows), by_exec);
	buf_free(&value);
}

void diff_env_load(struct diff *d)
{
	for (unsigned int i = 0; i < 2; i++)
		load_env(&d->m.side[i], d->m.side[!i].db, &d->env[i]);
}

/* The variables of an exec.  Return: the first; @n is set to their number */
static const struct diff_var *vars_of(const struct diff_env *env, uint32_t exec, size_t *n)
{
	size_t first = partition_point(i, 0, env->n, env->rows[i].exec < exec);

	*n = partition_point(i, first, env->n, env->rows[i].exec == exec) - first;
	return env->rows + first;
}

/* Whether a unit was executed during the trace: only then is its environment recorded. */
static bool has_env(const struct match_side *s, uint32_t unit)
{
	const struct build_exec *e = &s->b->execs[s->units[unit].exec];

	return e->begun && !e->forked;
}

size_t diff_env_pairs(const struct diff *d, uint32_t unit,
		      void (*fn)(void *ctx, const struct diff_var *a, const struct diff_var *b),
		      void *ctx)
{
	const struct match_unit *b = &d->m.side[1].units[unit];
	size_t na, nb, i = 0, k = 0, found = 0;
	const struct diff_var *x = vars_of(&d->env[0], d->m.side[0].units[b->pair].exec, &na);
	const struct diff_var *y = vars_of(&d->env[1], b->exec, &nb);

	while (b->pair && has_env(&d->m.side[0], b->pair) && has_env(&d->m.side[1], unit) &&
	       (i < na || k < nb)) {
		bool mine = k == nb || (i < na && x[i].key <= y[k].key);
		bool theirs = i == na || (k < nb && y[k].key <= x[i].key);

		if (!mine || !theirs || x[i].holds != y[k].holds) {
			found++;
			if (fn)
				fn(ctx, mine ? &x[i] : NULL, theirs ? &y[k] : NULL);
		}
		i += mine;
		k += theirs;
	}
	return found;
}

uint32_t diff_env_unit(const struct diff *d, uint32_t unit)
{
	const struct match_side *s = &d->m.side[1];

	if (!unit || !diff_env_pairs(d, unit, NULL, NULL))
		return 0;
	/* if the caller's environment differs, too, it was inherited */
	while (s->units[unit].caller && diff_env_pairs(d, s->units[unit].caller, NULL, NULL))
		unit = s->units[unit].caller;
	return unit;
}
