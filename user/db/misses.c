// SPDX-License-Identifier: LGPL-2.1
/* What programs looked for in vain.  See misses.h. */
#include "db/misses.h"

/* Of a row's JSON. */
#define BYTES_MAX 4096u

static struct miss_row *row_of(struct misses *m, uint32_t exec)
{
	const uint64_t *place = map64_get(&m->of, exec);
	size_t i;

	if (place)
		return &m->rows[*place];
	if (m->nspare) {
		i = m->spare[--m->nspare];
	} else {
		m->rows = xgrow(m->rows, &m->cap, m->n + 1, sizeof(*m->rows));
		i = m->n++;
		m->rows[i] = (struct miss_row){ 0 };
	}
	map64_put(&m->of, exec, i);
	m->rows[i].exec = exec;
	return &m->rows[i];
}

static void tell(struct miss_row *row, miss_fn *fn, void *ctx)
{
	if (!row->files.len)
		return;
	buf_addc(&row->files, ']');
	fn(ctx, row);
	row->files.len = 0;
}

void misses_add(struct misses *m, const struct graph_access *a, miss_fn *fn, void *ctx)
{
	struct miss_row *row = row_of(m, a->exec);
	struct buf *b = &row->files;

	/* times only go on, so that what is added to the first one is never negative */
	if (b->len >= BYTES_MAX || row->error != a->error || a->at < row->at)
		tell(row, fn, ctx);
	if (!b->len) {
		row->error = a->error;
		row->at = a->at;
	}
	buf_add(b, b->len ? ",[" : "[[", 2);
	buf_addu(b, a->file);
	buf_addc(b, ',');
	buf_addu(b, (uint64_t)(a->at - row->at));
	buf_addc(b, ']');
}

void misses_end(struct misses *m, uint32_t exec, miss_fn *fn, void *ctx)
{
	const uint64_t *place = map64_get(&m->of, exec);
	uint32_t i;

	if (!place)
		return;
	i = (uint32_t)*place;
	tell(&m->rows[i], fn, ctx);
	map64_remove(&m->of, exec);
	m->spare = xgrow(m->spare, &m->spare_cap, m->nspare + 1, sizeof(*m->spare));
	m->spare[m->nspare++] = i;
}

void misses_free(struct misses *m)
{
	for (size_t i = 0; i < m->n; i++)
		buf_free(&m->rows[i].files);
	free(m->rows);
	free(m->spare);
	map64_clear(&m->of);
}
