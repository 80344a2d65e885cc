// SPDX-License-Identifier: LGPL-2.1
/* Compares a failed command with an earlier recording.  See explain.h. */
#include "answers/explain.h"
#include "answers/diff.h"
#include "answers/match_put.h"
#include "base/xalloc.h"

#include <stdlib.h>
#include <string.h>

struct comparing {
	struct explain *x;
	struct diff *d;
	uint32_t unit;		/* the failed command's unit in the second build */
};

static void add_difference(struct explain *x, const char *what, char *then, char *now,
			   const char *how)
{
	if (x->nchanges == EXPLAIN_ROWS) {
		free(then);
		free(now);
		return;
	}
	x->changes[x->nchanges++] = (struct explain_change){ what, then, now, how };
}

static char *path_of(const struct match_side *s, uint32_t file)
{
	size_t len;
	const char *path = build_path(s->b, file, &len);

	return xstrndup(path, len);
}

/* ---- arguments ---- */

static void add_words(struct comparing *c, bool now)
{
	const struct match_side *side = c->d->m.side;
	uint32_t pair = side[1].units[c->unit].pair;
	struct buf words = { 0 };
	size_t n = now ? match_other_args(&side[1], c->unit, &side[0], pair, true, &words) :
		   match_other_args(&side[0], pair, &side[1], c->unit, true, &words);
	const char *s = words.s;

	for (; s && n--; s += strlen(s) + 1)
		add_difference(c->x, "argument", now ? NULL : xstrdup(s), now ? xstrdup(s) : NULL,
			       NULL);
	buf_free(&words);
}

/* ---- inputs ---- */

/* Whether the failed command, or its caller, failed to find a file. */
static bool was_missed(const struct comparing *c, const char *path)
{
	const struct build *b = build_of(c->x->db);
	uint32_t n = build_misses(b, c->x->exec);
	size_t len;

	for (uint32_t i = 0; i < n; i++) {
		const char *s = build_path(b, build_miss_of(b, c->x->exec, i)->file, &len);

		if (len == strlen(path) && !memcmp(s, path, len))
			return true;
	}
	return false;
}

static const char *const changes[DIFF_NINPUTS] = {
	[DIFF_SIZE] = "different size", [DIFF_TIME_ONLY] = "changed or touched",
	[DIFF_CONTENT] = "made with a different size", [DIFF_HELD] = "its content differs",
	[DIFF_MADE] = "made with a different content",
};

static void add_input(void *ctx, const struct match_input *a, const struct match_input *b)
{
	struct comparing *c = ctx;
	enum diff_input how = diff_input_of(c->d, a, b, NULL);
	const struct match_side *side = &c->d->m.side[b != NULL];
	const struct match_input *any = b ? b : a;
	char *path;

	if (how == DIFF_SAME || !any)
		return;
	path = path_of(side, any->file);
	/* a file that was not read because the command failed earlier is not a difference */
	if (how == DIFF_ONLY_FIRST && !was_missed(c, path)) {
		free(path);
		return;
	}
	add_difference(c->x, "input", a ? path : NULL, b && !a ? path : b ? xstrdup(path) : NULL,
		       changes[how]);
}

static void add_inputs(struct comparing *c)
{
	struct match_inputs inputs[2] = { 0 };

	match_inputs(&c->d->m.side[0], c->d->m.side[1].units[c->unit].pair, &inputs[0]);
	match_inputs(&c->d->m.side[1], c->unit, &inputs[1]);
	diff_pairs(&inputs[0], &inputs[1], add_input, c);
	free(inputs[0].rows);
	free(inputs[1].rows);
}

/* ---- the environment ---- */

static char *var_text(struct db *db, const struct diff_var *v)
{
	static const char text[] = "SELECT s FROM string WHERE id = ?";
	uint32_t ids[] = { v->name, v->value };
	struct buf b = { 0 };
	size_t len;
	char *found;

	for (unsigned int i = 0; i < 2; i++) {
		struct sqlite3_stmt *st = db_ask(db, text, "i", (int64_t)ids[i]);
		const char *s;

		buf_adds(&b, i ? "=" : "");
		if (!db_row(db, st))
			continue;
		s = db_bytes(st, 0, &len);
		buf_add(&b, s, len);
	}
	found = xstrndup(b.s ? b.s : "", b.len);
	buf_free(&b);
	return found;
}

static void add_variable(void *ctx, const struct diff_var *a, const struct diff_var *b)
{
	struct comparing *c = ctx;

	add_difference(c->x, "environment", a ? var_text(c->d->m.side[0].db, a) : NULL,
		       b ? var_text(c->d->m.side[1].db, b) : NULL, NULL);
}

/* ---- the whole comparison ---- */

static void compare_commands(struct comparing *c)
{
	const struct match_side *side = c->d->m.side;
	uint32_t pair = side[1].units[c->unit].pair;
	int32_t status = side[0].units[pair].status;

	c->x->matched = true;
	c->x->before_status = status >= 256 ? 128 + status / 256 : status;
	add_words(c, false);
	add_words(c, true);
	if (!match_same_program(&c->d->m, pair, c->unit))
		add_difference(c->x, "program", path_of(&side[0], side[0].units[pair].program),
			       path_of(&side[1], side[1].units[c->unit].program), NULL);
	add_inputs(c);
	diff_env_pairs(c->d, c->unit, add_variable, c);
}

bool explain_before(struct explain *x, struct db *old, const char *map)
{
	struct diff d = { 0 };
	struct comparing c = { x, &d, 0 };
	const uint32_t tries[] = { x->exec, x->command };
	bool good;

	x->before = true;
	x->before_status = -1;
	if (!x->exec)
		return true;
	good = match_builds(&d.m, old, x->db, map);
	if (good) {
		diff_env_load(&d);
		/*
		 * first try the exec that failed, because it read the files; then
		 * failures_command()
		 */
		for (size_t i = 0; i < 2 && !x->matched; i++) {
			c.unit = d.m.side[1].unit_of[tries[i]];
			if (c.unit && d.m.side[1].units[c.unit].pair)
				compare_commands(&c);
		}
	}
	diff_free(&d);
	return good;
}
