// SPDX-License-Identifier: LGPL-2.1
/*
 * Data that few answers need, loaded on first use: arguments of programs, names that they
 * failed to find (both are lists in the database, see db/lists.h), and timestamps that
 * programs gave to files.  See build.h.
 */
#include "build/build.h"
#include "db/lists.h"
#include "base/xalloc.h"

#include <stdlib.h>
#include <string.h>

static struct build *mutable_build(const struct build *b)
{
	return (struct build *)(uintptr_t)b;
}

/* ---- arguments ---- */

/* Set where the arguments of each exec up to @upto begin; execs without a row have none. */
static void begin_args(struct args *a, uint32_t upto)
{
	while (a->nplaces <= upto)
		a->places[a->nplaces++] = (uint32_t)a->n;
}

static void take_args(void *ctx, const struct db_cells *row)
{
	struct args *a = ctx;
	struct list l = list_of(a->db, row->bytes, row->len);
	uint32_t string;

	begin_args(a, db_cell_id(a->db, row, 0, DB_EXECS));
	while (db_cell_known(row, 1) && list_id(&l, DB_STRINGS, &string)) {
		a->strings = xgrow(a->strings, &a->cap, a->n + 1, sizeof(*a->strings));
		a->strings[a->n++] = string;
	}
}

static void begin_texts(struct args *a, uint32_t upto)
{
	while (a->ntexts <= upto)
		a->texts[a->ntexts++] = a->text.len;
}

static void take_string(void *ctx, const struct db_cells *row)
{
	struct args *a = ctx;

	begin_texts(a, db_cell_id(a->db, row, 0, DB_STRINGS));
	buf_add(&a->text, row->bytes, row->len);
}

void args_load(struct args *a, struct db *db)
{
	uint32_t nexecs = db_ids(db, DB_EXECS), nstrings = db_ids(db, DB_STRINGS);

	*a = (struct args){ .db = db };
	a->places = xcalloc(nexecs + 2ul, sizeof(*a->places));
	a->texts = xcalloc(nstrings + 2ul, sizeof(*a->texts));
	db_scan(db, "exec", "id, args", take_args, a);
	begin_args(a, nexecs + 1);
	db_scan(db, "string", "id, s", take_string, a);
	begin_texts(a, nstrings + 1);
	buf_addc(&a->text, '\0');
}

void args_free(struct args *a)
{
	free(a->places);
	free(a->strings);
	free(a->texts);
	buf_free(&a->text);
	*a = (struct args){ 0 };
}

uint32_t args_of(const struct args *a, uint32_t exec)
{
	return a->places[exec + 1] - a->places[exec];
}

const char *args_text(const struct args *a, uint32_t string, size_t *len)
{
	*len = (size_t)(a->texts[string + 1] - a->texts[string]);
	return a->text.s + a->texts[string];
}

/*
 * Number of single queries before the arguments of all programs are loaded at once: at least
 * ASKED_ONE_BY_ONE, and at least one for each PROGRAMS_A_QUERY programs. Loading all costs as much
 * as querying one program in 13.
 */
#define ASKED_ONE_BY_ONE 64
#define PROGRAMS_A_QUERY 64

static bool is_asked_alone(struct build *b)
{
	uint32_t most = b->nexecs / PROGRAMS_A_QUERY;

	return !b->args.places &&
	       b->args_asked++ < (most > ASKED_ONE_BY_ONE ? most : ASKED_ONE_BY_ONE);
}

static size_t add_asked(struct db *db, uint32_t exec, struct buf *to)
{
	static const char of[] = "SELECT args FROM exec WHERE id = ?";
	static const char text[] = "SELECT s FROM string WHERE id = ?";
	struct sqlite3_stmt *args = db_ask(db, of, "i", (int64_t)exec), *st;
	bool known = db_row(db, args) && !db_null(args, 0);
	size_t n = 0, len = 0, from = to->len;
	const char *s = known ? db_bytes(args, 0, &len) : "";
	struct list l = list_of(db, s, len);
	uint32_t string;

	while (known && db_args_fit(db, to->len - from) && list_id(&l, DB_STRINGS, &string)) {
		size_t bytes = 0;
		const char *word;

		st = db_ask(db, text, "i", (int64_t)string);
		word = db_row(db, st) ? db_bytes(st, 0, &bytes) : "";
		buf_add(to, word, bytes);
		buf_addc(to, 0);
		n++;
	}
	return n;
}

size_t build_args_add(const struct build *b, uint32_t exec, struct buf *to)
{
	const struct args *a = &b->args;
	size_t len, from = to->len;
	uint32_t n, i;

	if (is_asked_alone(mutable_build(b)))
		return add_asked(b->db, exec, to);
	build_args(b);
	n = args_of(a, exec);
	for (i = 0; i < n && db_args_fit(b->db, to->len - from); i++) {
		const char *s = args_text(a, args_string(a, exec, i), &len);

		buf_add(to, s, len);
		buf_addc(to, 0);
	}
	return i;
}

const struct args *build_args(const struct build *b)
{
	if (!b->args.places)
		args_load(&mutable_build(b)->args, b->db);
	return &b->args;
}

void build_forget_args(const struct build *b)
{
	args_free(&mutable_build(b)->args);
	mutable_build(b)->args_asked = 0;
}

enum build_hides *build_hides(const struct build *b, uint32_t exec)
{
	struct build *to = mutable_build(b);

	if (!b->hides)
		to->hides = xcalloc(b->nexecs + 1ul, sizeof(*b->hides));
	return &to->hides[exec];
}

/* ---- misses ---- */

static void count_misses(void *ctx, const struct db_cells *row)
{
	struct build *b = ctx;

	b->misses_at[db_cell_id(b->db, row, 0, DB_EXECS) + 2] += list_count(row);
}

/* While the lists are filled, misses_at[exec + 1] is where the exec's next miss goes. */
static void take_misses(void *ctx, const struct db_cells *row)
{
	struct build *b = ctx;
	struct list l = list_of(b->db, row->bytes, row->len);
	uint32_t exec = db_cell_id(b->db, row, 0, DB_EXECS);
	struct graph_access a;

	/* more than the counted number means that the file has changed since */
	while (list_miss(&l, row->v[2], &a) && b->misses_at[exec + 1] < b->misses_at[b->nexecs + 2])
		b->misses[b->misses_at[exec + 1]++] = (struct build_miss){
			.file = a.file, .at = a.at,
			.error = row->v[1] < UINT8_MAX ? (uint8_t)row->v[1] : UINT8_MAX,
		};
}

static void load_misses(struct build *b)
{
	b->misses_at = xcalloc(b->nexecs + 3ul, sizeof(*b->misses_at));
	db_scan(b->db, "miss", "exec, list", count_misses, b);
	for (uint32_t i = 1; i <= b->nexecs + 2; i++)
		b->misses_at[i] += b->misses_at[i - 1];
	b->misses = xcalloc(b->misses_at[b->nexecs + 2] + 1ul, sizeof(*b->misses));
	if (!b->db->failed)
		db_scan(b->db, "miss", "exec, error, at, list", take_misses, b);
}

uint32_t build_misses(const struct build *b, uint32_t exec)
{
	if (!b->misses_at)
		load_misses(mutable_build(b));
	return b->misses_at[exec + 1] - b->misses_at[exec];
}

const struct build_miss *build_miss_of(const struct build *b, uint32_t exec, uint32_t i)
{
	return &b->misses[b->misses_at[exec] + i];
}

void build_forget_misses(const struct build *b)
{
	struct build *to = mutable_build(b);

	free(to->misses);
	free(to->misses_at);
	to->misses = NULL;
	to->misses_at = NULL;
}

/* ---- times ---- */

static void take_time(void *ctx, const struct db_cells *row)
{
	struct build *b = ctx;

	if (row->v[0] != GRAPH_UTIMENS || row->v[1])
		return;
	b->times = xgrow(b->times, &b->times_cap, b->ntimes + 1, sizeof(*b->times));
	b->times[b->ntimes++] = (struct build_time){
		db_cell_id(b->db, row, 2, DB_FILES), db_cell_id(b->db, row, 3, DB_VERSIONS),
		row->v[4], row->v[5],
	};
}

static void load_times(struct build *b)
{
	/* allocate even if there are none, so that they are not loaded again */
	b->times = xgrow(b->times, &b->times_cap, 1, sizeof(*b->times));
	db_scan(b->db, "change", "what, error, file, version, value, at", take_time, b);
}

const struct build_time *build_time_of(const struct build *b, uint32_t version, uint32_t file)
{
	const uint32_t *of_file, *of_version;
	uint32_t last = 0;
	size_t n, m;

	if (!b->times)
		load_times(mutable_build(b));
	of_file = build_list(b, BUILD_TIMES_BY_FILE, file, &n);
	of_version = build_list(b, BUILD_TIMES_BY_VERSION, version, &m);
	last = n ? of_file[n - 1] : 0;
	last = m && of_version[m - 1] > last ? of_version[m - 1] : last;
	return last ? &b->times[last - 1] : NULL;
}
