// SPDX-License-Identifier: LGPL-2.1
/* Packs accesses into lists of numbers, and reads them back.  See lists.h. */
#include "db/lists.h"
#include "db/bind.h"

/* Maximum bytes of text in a row: four rows fit on a page of the database. */
#define BYTES_MAX 960u

#define NR_MISS 2
#define NR_ACCESS 10
#define NR_ACCESS_ALWAYS 6

static const int64_t left_out[NR_ACCESS] = { [6] = -1, -1, 0, 0 };

/* ---- writing ---- */

static struct list_row *row_of(struct list_rows *l, uint32_t exec)
{
	const uint64_t *place = map64_get(&l->of, exec);
	size_t i;

	if (place)
		return &l->rows[*place];
	if (l->nspare) {
		i = l->spare[--l->nspare];
	} else {
		l->rows = xgrow(l->rows, &l->cap, l->n + 1, sizeof(*l->rows));
		i = l->n++;
		l->rows[i] = (struct list_row){ 0 };
	}
	map64_put(&l->of, exec, i);
	l->rows[i].exec = exec;
	return &l->rows[i];
}

static void finish_row(struct list_rows *l, struct list_row *row)
{
	if (!row->text.len)
		return;
	buf_addc(&row->text, ']');
	l->fn(l->ctx, row);
	row->text.len = 0;
}

/* Times of a forged trace may be anything. */
static int64_t bound_time(int64_t t)
{
	if (t > DB_TIME_MAX)
		return DB_TIME_MAX;
	return t < -DB_TIME_MAX ? -DB_TIME_MAX : t;
}

static void put_list(struct buf *b, const int64_t *v, unsigned int n)
{
	char *begin = buf_room(b, 3 + n * (DECIMAL_ROOM + 2)), *to = begin;

	*to++ = b->len ? ',' : '[';
	for (unsigned int i = 0; i < n; i++) {
		*to++ = i ? ',' : '[';
		*to = '-';
		to += v[i] < 0;
		to += decimal(to, v[i] < 0 ? -(uint64_t)v[i] : (uint64_t)v[i]);
	}
	*to++ = ']';
	b->len += (size_t)(to - begin);
}

static void put_access(struct list_row *row, const struct graph_access *a)
{
	int64_t at = bound_time(a->at), v[NR_ACCESS] = {
		a->version, a->file, a->how, a->class, at - row->at, bound_time(a->until) - at,
		a->fd,
		a->counted && a->bytes < INT64_MAX ? (int64_t)a->bytes : -1, a->copied,
		bound_time(a->since),
	};
	unsigned int n = NR_ACCESS;

	while (n > NR_ACCESS_ALWAYS && v[n - 1] == left_out[n - 1])
		n--;
	put_list(&row->text, v, n);
}

void list_rows_add(struct list_rows *l, const struct graph_access *a)
{
	struct list_row *row = row_of(l, a->exec);
	bool miss = a->how == GRAPH_MISS;

	if (row->text.len >= BYTES_MAX || (miss && row->error != a->error))
		finish_row(l, row);
	if (!row->text.len) {
		row->error = a->error;
		row->at = bound_time(a->at);
	}
	if (miss)
		put_list(&row->text, (int64_t[]){ a->file, bound_time(a->at) - row->at }, NR_MISS);
	else
		put_access(row, a);
}

void list_rows_end(struct list_rows *l, uint32_t exec)
{
	const uint64_t *place = map64_get(&l->of, exec);
	uint32_t i;

	if (!place)
		return;
	i = (uint32_t)*place;
	finish_row(l, &l->rows[i]);
	map64_remove(&l->of, exec);
	l->spare = xgrow(l->spare, &l->spare_cap, l->nspare + 1, sizeof(*l->spare));
	l->spare[l->nspare++] = i;
}

void list_rows_end_all(struct list_rows *l)
{
	for (size_t i = 0; i < l->n; i++)
		finish_row(l, &l->rows[i]);
}

void list_rows_free(struct list_rows *l)
{
	for (size_t i = 0; i < l->n; i++)
		buf_free(&l->rows[i].text);
	free(l->rows);
	free(l->spare);
	map64_clear(&l->of);
}

/* ---- reading ---- */

struct list list_of(struct db *db, const char *text, size_t len)
{
	struct list l = { db, text, text + len, false };

	/* read_number() relies on a "]" at the end */
	if (!len || text[len - 1] != ']')
		l.end = l.at;
	return l;
}

/* Each list begins with a bracket, and so does the list of lists. */
uint32_t list_count(const struct db_cells *row)
{
	const char *at = row->bytes, *end = at + row->len;
	uint32_t n = 0;

	while ((at = memchr(at, '[', (size_t)(end - at)))) {
		n += at != row->bytes;
		at++;
	}
	return n;
}

static bool is_bad(struct list *l)
{
	db_damaged(l->db, "a list of numbers has something else in it");
	return false;
}

static bool pass_char(struct list *l, char c)
{
	bool is = l->at < l->end && *l->at == c;

	l->at += is;
	return is;
}

/* Read a number; a "]" ends the text, so no limit is needed.  Return: its end, NULL if none */
static const char *read_number(const char *at, int64_t *to)
{
	bool negative = *at == '-';
	const char *begin = at += negative;
	unsigned int digit;
	uint64_t v = 0;

	for (; (digit = (unsigned int)*at - '0') <= 9; at++)
		v = v * 10 + digit;
	/* 19 digits always fit into 64 bits */
	if (at == begin || at - begin > 19 || v > INT64_MAX)
		return NULL;
	*to = negative ? -(int64_t)v : (int64_t)v;
	return at;
}

/* Return: whether another element begins; anything but that or the end is damage. */
static bool list_begins(struct list *l)
{
	bool good, more;

	if (!l->begun) {
		good = pass_char(l, '[');
		more = good && !pass_char(l, ']');
		l->begun = more;
	} else {
		more = pass_char(l, ',');
		good = more || pass_char(l, ']');
	}
	if (!good || (!more && l->at != l->end))
		is_bad(l);
	return more && good;
}

/* Return: the count of numbers in the next list, 0 if no more lists. */
static unsigned int take_list(struct list *l, int64_t *v, unsigned int max)
{
	const char *at;
	unsigned int n = 0;

	if (!list_begins(l))
		return 0;
	at = l->at;
	if (at == l->end || *at != '[')
		return is_bad(l);
	do {
		at = n < max ? read_number(at + 1, &v[n++]) : NULL;
		if (!at)
			return is_bad(l);
	} while (*at == ',');
	l->at = at + 1;
	return *at == ']' ? n : is_bad(l);
}

bool list_id(struct list *l, enum db_table of, uint32_t *id)
{
	int64_t v;

	if (!list_begins(l))
		return false;
	l->at = l->at < l->end ? read_number(l->at, &v) : NULL;
	if (!l->at) {
		l->at = l->end;
		return is_bad(l);
	}
	*id = db_id_fast(l->db, v, of);
	return true;
}

static bool is_later(int64_t at, int64_t by, int64_t *to)
{
	return !__builtin_add_overflow(at, by, to) && *to >= -DB_TIME_MAX && *to <= DB_TIME_MAX;
}

bool list_miss(struct list *l, int64_t at, struct graph_access *a)
{
	int64_t v[NR_MISS];
	unsigned int n = take_list(l, v, NR_MISS);

	if (!n)
		return false;
	if (n < NR_MISS || !is_later(at, v[1], &a->at))
		return is_bad(l);
	a->file = db_id_fast(l->db, v[0], DB_FILES);
	return true;
}

bool list_access(struct list *l, int64_t at, struct graph_access *a)
{
	int64_t v[NR_ACCESS];
	unsigned int n;

	memcpy(v, left_out, sizeof(v));
	n = take_list(l, v, NR_ACCESS);
	if (!n)
		return false;
	if (n < NR_ACCESS_ALWAYS || (uint64_t)v[2] > GRAPH_LIST || v[2] == GRAPH_MISS ||
	    !is_later(at, v[4], &a->at) || !is_later(a->at, v[5], &a->until) ||
	    v[6] != (int32_t)v[6] || (uint64_t)v[8] > 1 || !is_later(0, v[9], &a->since))
		return is_bad(l);
	a->version = db_id_fast(l->db, v[0], DB_VERSIONS);
	a->file = db_id_fast(l->db, v[1], DB_FILES);
	a->how = (uint8_t)v[2];
	a->class = db_class(l->db, v[3]);
	a->fd = (int32_t)v[6];
	a->counted = v[7] >= 0;
	a->bytes = a->counted ? (uint64_t)v[7] : 0;
	a->copied = v[8];
	return true;
}
