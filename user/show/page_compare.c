// SPDX-License-Identifier: LGPL-2.1
/*
 * Compares the build of a page with an earlier one: which programs became slower or faster,
 * are new or gone.  See page_parts.h.
 *
 * Programs are compared by the time that they worked themselves, so that no time counts
 * twice: a compiler's time is not part of make's.
 */
#include "answers/failures.h"
#include "answers/match.h"
#include "show/page_parts.h"
#include "base/xalloc.h"

#include <stdlib.h>

#define ROWS	200u	/* maximum number of rows of each list */

enum change {
	CHANGE_SLOWER, CHANGE_FASTER, CHANGE_ADDED, CHANGE_GONE,
	CHANGES
};

struct compared {
	uint32_t unit;		/* its unit in the build; for CHANGE_GONE in the earlier one */
	int64_t before, after;	/* time that it worked in the earlier build and in this one, ns */
};

struct comparison {
	struct match m;
	struct timeline t[2];	/* in the order of m.side: the earlier build first */
	struct list {
		struct compared *rows;
		size_t n, cap;
		int64_t before, after;	/* sums of all rows, ns */
	} lists[CHANGES];
	size_t same;		/* number of programs that are in both builds */
};

static int64_t work_of_unit(const struct comparison *c, unsigned int side, uint32_t unit)
{
	const struct match_side *s = &c->m.side[side];
	int64_t sum = 0;

	for (uint32_t e = s->units[unit].first; e; e = s->next[e])
		sum += c->t[side].execs[e].worked;
	return sum;
}

static void add_row(struct comparison *c, enum change kind, struct compared row)
{
	struct list *l = &c->lists[kind];

	l->rows = xgrow(l->rows, &l->cap, l->n + 1, sizeof(*l->rows));
	l->rows[l->n++] = row;
	l->before += row.before;
	l->after += row.after;
}

static void compare_builds(struct comparison *c)
{
	const struct match_side *a = &c->m.side[0], *b = &c->m.side[1];

	for (uint32_t u = 1; u <= b->nunits; u++) {
		uint32_t pair = b->units[u].pair;
		struct compared row = { .unit = u, .after = work_of_unit(c, 1, u) };

		if (!b->units[u].program)
			continue;
		if (!pair) {
			add_row(c, CHANGE_ADDED, row);
			continue;
		}
		row.before = work_of_unit(c, 0, pair);
		c->same++;
		if (row.after != row.before)
			add_row(c, row.after > row.before ? CHANGE_SLOWER : CHANGE_FASTER, row);
	}
	for (uint32_t u = 1; u <= a->nunits; u++)
		if (!a->units[u].pair && a->units[u].program)
			add_row(c, CHANGE_GONE, (struct compared){ u, work_of_unit(c, 0, u), 0 });
}

/* The largest difference first. */
static int by_change(const void *a, const void *b)
{
	const struct compared *x = a, *y = b;
	int64_t nx = llabs(x->after - x->before), ny = llabs(y->after - y->before);

	if (nx != ny)
		return nx < ny ? 1 : -1;
	return (x->unit > y->unit) - (x->unit < y->unit);
}

/* ---- in the page ---- */

static void put_number(struct json *j, const char *name, int64_t v)
{
	json_key(j, name);
	json_i64(j, v);
}

static void put_buf(struct json *j, const struct buf *b)
{
	json_str(j, b->s ? b->s : "", b->len);
}

/* A program that is not in the page: write its label, command and directory. */
static void put_gone(const struct comparison *c, struct json *j, uint32_t exec)
{
	const struct match_side *a = &c->m.side[0];
	struct buf label = { 0 }, command = { 0 }, cwd = { 0 };

	answers_label(a->db, exec, c->t[0].outputs[c->t[0].execs[exec].process], &label);
	answers_command(a->db, exec, &command);
	answers_file_path(a->db, a->b->execs[exec].cwd, &cwd);
	put_buf(j, &label);
	put_buf(j, &command);
	put_buf(j, &cwd);
	buf_free(&label);
	buf_free(&command);
	buf_free(&cwd);
}

static void put_list(struct comparison *c, struct json *j, enum change kind)
{
	static const char *const names[CHANGES] = {
		[CHANGE_SLOWER] = "slower", [CHANGE_FASTER] = "faster",
		[CHANGE_ADDED] = "added", [CHANGE_GONE] = "gone",
	};
	struct list *l = &c->lists[kind];

	if (l->n)
		qsort(l->rows, l->n, sizeof(*l->rows), by_change);
	json_key(j, names[kind]);
	json_begin(j, '{');
	put_number(j, "n", (int64_t)l->n);
	put_number(j, "before", l->before);
	put_number(j, "after", l->after);
	json_list(j, "rows");
	for (size_t i = 0; i < l->n && i < ROWS; i++) {
		const struct compared *r = &l->rows[i];
		uint32_t exec = c->m.side[kind != CHANGE_GONE].units[r->unit].exec;

		json_begin(j, '[');
		json_i64(j, kind == CHANGE_GONE ? -1 : (int64_t)exec - 1);
		json_i64(j, r->before);
		json_i64(j, r->after);
		if (kind == CHANGE_GONE)
			put_gone(c, j, exec);
		json_end(j, ']');
	}
	json_end(j, ']');
	json_end(j, '}');
	free(l->rows);
}

static void put_totals(const struct comparison *c, struct json *j, unsigned int side)
{
	static const char *const names[] = { "before", "after" };
	struct db *db = c->m.side[side].db;

	json_key(j, names[side]);
	json_begin(j, '{');
	put_number(j, "wall", c->t[side].wall);
	put_number(j, "worked", c->t[side].worked);
	put_number(j, "cpu", c->t[side].costs ? c->t[side].cpu : -1);
	put_number(j, "programs", db_one(db, "SELECT count(*) FROM exec\n"
					 " WHERE NOT forked AND program IS NOT NULL", ""));
	json_key(j, "failed");
	json_bool(j, failures_failed(failures_of(db)));
	json_key(j, "complete");
	json_bool(j, db->complete);
	json_end(j, '}');
}

void page_compare_put(struct page *p, struct db *before)
{
	struct comparison c = { .same = 0 };
	struct json j = { 0 };

	if (match_builds(&c.m, before, p->db, NULL)) {
		timeline_load(&c.t[0], before);
		timeline_load(&c.t[1], p->db);
		compare_builds(&c);
		j.out = page_section(&p->sections, "compare");
		json_begin(&j, '{');
		json_member(&j, "name", before->name);
		put_totals(&c, &j, 0);
		put_totals(&c, &j, 1);
		put_number(&j, "same", (int64_t)c.same);
		for (unsigned int i = 0; i < CHANGES; i++)
			put_list(&c, &j, (enum change)i);
		json_end(&j, '}');
		out_close(j.out);
		timeline_free(&c.t[0]);
		timeline_free(&c.t[1]);
	}
	match_free(&c.m);
}
