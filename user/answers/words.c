// SPDX-License-Identifier: LGPL-2.1
/*
 * Strings by their ids.  See words.h.  What is new in one command stands behind
 * what is new in those before, so the table is read on, once; what has been read
 * is kept, as far as there is room.
 */
#include "answers/words.h"
#include "base/buf.h"

#define NR_KEPT		8192u
#define TEXT_MAX	(1u << 20)	/* bytes; then all are forgotten */
#define LONG		4096u		/* scripts and the like: kept when asked for */

struct words {
	struct db *db;
	struct sqlite3_stmt *rest;
	uint32_t last;		/* that was read of it */
	struct buf text;
	struct word {
		uint32_t id;
		uint32_t at, size;	/* in @text, with a NUL; size 0: none */
	} kept[NR_KEPT];
};

struct words *words_new(struct db *db)
{
	struct words *w = xcalloc(1, sizeof(*w));

	w->db = db;
	w->rest = db_ask(db, "SELECT id, s FROM string ORDER BY id", "");
	return w;
}

void words_free(struct words *w)
{
	buf_free(&w->text);
	free(w);
}

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

bool words_next_id(const char **at, const char *end, uint32_t *id)
{
	const char *s = *at;

	while (s < end && !is_digit(*s))
		s++;
	*at = s;
	for (*id = 0; s < end && is_digit(*s); s++)
		*id = *id * 10 + (uint32_t)(*s - '0');
	if (s == *at)
		return false;
	*at = s;
	return true;
}

static void keep(struct words *w, uint32_t id, const char *s, size_t len)
{
	if (w->text.len + len >= TEXT_MAX) {
		w->text.len = 0;
		memset(w->kept, 0, sizeof(w->kept));
	}
	w->kept[id % NR_KEPT] = (struct word){ id, (uint32_t)w->text.len, (uint32_t)len + 1 };
	buf_add(&w->text, s, len);
	buf_addc(&w->text, 0);
}

static void read_on(struct words *w, uint32_t id)
{
	while (w->last < id) {
		const char *s;
		size_t len;

		if (!db_row(w->db, w->rest)) {
			w->last = UINT32_MAX;
			return;
		}
		w->last = db_id(w->db, w->rest, 0, DB_STRINGS);
		s = db_bytes(w->rest, 1, &len);
		if (len < LONG)
			keep(w, w->last, s, len);
	}
}

const char *words_get(struct words *w, uint32_t id, size_t *len)
{
	static const char text[] = "SELECT s FROM string WHERE id = ?";
	const struct word *k = &w->kept[id % NR_KEPT];

	read_on(w, id);
	if (!k->size || k->id != id) {
		struct sqlite3_stmt *st = db_ask(w->db, text, "i", (int64_t)id);
		const char *s;

		if (!db_row(w->db, st))
			return NULL;
		s = db_bytes(st, 0, len);
		keep(w, id, s, *len);
	}
	*len = k->size - 1;
	return w->text.s + k->at;
}
