// SPDX-License-Identifier: LGPL-2.1
/* What programs asked the kernel for.  Loaded on first use.  See build.h. */
#include "build/build.h"
#include "base/xalloc.h"

#include <stdlib.h>

static void take_ask(struct build *b, struct sqlite3_stmt *st)
{
	struct asks *a = &b->asks;
	struct build_ask *row;
	const char *s;
	size_t len;

	a->rows = xgrow(a->rows, &a->cap, a->n + 1, sizeof(*a->rows));
	row = &a->rows[a->n++];
	*row = (struct build_ask){
		.exec = db_id(b->db, st, 0, DB_EXECS), .call = (uint8_t)db_int(st, 1),
		.value = db_int(st, 2), .flags = db_int(st, 3), .at = db_int(st, 5),
	};
	s = db_bytes(st, 4, &len);
	if (!len)
		return;
	row->name = (uint32_t)a->text.len;
	buf_add(&a->text, s, len);
	buf_addc(&a->text, '\0');
}

static const struct asks *asks_of(const struct build *build)
{
	static const char text[] =
		"SELECT a.exec, a.call, a.value, a.flags, s.s, a.at FROM ask AS a\n"
		" LEFT JOIN string AS s ON s.id = a.name ORDER BY a.exec, a.at, a.rowid";
	struct build *b = (struct build *)(uintptr_t)build;
	struct asks *a = &b->asks;
	struct sqlite3_stmt *st;
	size_t i = 0;

	if (a->loaded)
		return a;
	a->loaded = true;
	/* offset 0 means no name */
	buf_addc(&a->text, '\0');
	st = db_ask(b->db, text, "");
	while (db_row(b->db, st))
		take_ask(b, st);
	if (!a->n)
		return a;
	a->at = xcalloc(b->nexecs + 2ul, sizeof(*a->at));
	for (uint32_t exec = 0; exec <= b->nexecs + 1; exec++) {
		while (i < a->n && a->rows[i].exec < exec)
			i++;
		a->at[exec] = (uint32_t)i;
	}
	return a;
}

const struct build_ask *build_asks(const struct build *b, uint32_t exec, size_t *n)
{
	const struct asks *a = asks_of(b);

	*n = a->at ? a->at[exec + 1] - a->at[exec] : 0;
	return *n ? a->rows + a->at[exec] : a->rows;
}

const char *build_ask_name(const struct build *b, const struct build_ask *a)
{
	return a->name ? b->asks.text.s + a->name : NULL;
}

void build_free_asks(struct build *b)
{
	free(b->asks.rows);
	free(b->asks.at);
	buf_free(&b->asks.text);
}
