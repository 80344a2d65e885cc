// SPDX-License-Identifier: LGPL-2.1
/* The processes of a trace for its summary.  See stats_procs.h. */
#include "io/stats_procs.h"
#include "base/xalloc.h"

struct stats_proc *stats_proc(struct stats_procs *p, uint64_t id)
{
	const uint64_t *at = map64_get(&p->by_id, id);

	if (at)
		return &p->rows[*at];
	map64_put(&p->by_id, id, p->n);
	p->rows = xgrow(p->rows, &p->cap, p->n + 1, sizeof(*p->rows));
	p->rows[p->n] = (struct stats_proc){ .id = id };
	return &p->rows[p->n++];
}

void stats_proc_name(struct stats_proc *p, const char *name, size_t len)
{
	p->name.len = 0;
	buf_add(&p->name, name, len);
}

static int by_n(const void *a, const void *b)
{
	const struct stats_proc *x = a, *y = b;

	if (x->n != y->n)
		return x->n < y->n ? 1 : -1;
	return x->id < y->id ? -1 : x->id > y->id;
}

void stats_procs_put(struct stats_procs *p, struct stats *st, const char *key,
		     const struct stats_col cols[3])
{
	if (p->n)
		qsort(p->rows, p->n, sizeof(*p->rows), by_n);
	stats_table(st, key, "Processes", cols, 3);
	for (size_t i = 0; i < p->n && i < STATS_TOP; i++) {
		stats_cell(st, p->rows[i].n);
		stats_cell(st, p->rows[i].id);
		stats_name(st, p->rows[i].name.len ? p->rows[i].name.s : "", p->rows[i].name.len);
	}
	stats_table_end(st);
}

void stats_procs_free(struct stats_procs *p)
{
	for (size_t i = 0; i < p->n; i++)
		buf_free(&p->rows[i].name);
	free(p->rows);
	map64_clear(&p->by_id);
}
