// SPDX-License-Identifier: LGPL-2.1
/* The contents of versions, if the recorder hashed them.  Loaded on first use.  See build.h. */
#include "build/build.h"
#include "base/xalloc.h"

#include <stdlib.h>
#include <string.h>

static int digit_of(char c)
{
	const char *digits = "0123456789abcdef", *at = c ? strchr(digits, c) : NULL;

	return at ? (int)(at - digits) : -1;
}

/* Convert the hexadecimal digits of a hash.  Return: false if the text is no hash */
static bool read_hash(const char *s, size_t len, uint8_t *hash)
{
	if (!s || len != 2 * BUILD_HASH)
		return false;
	for (size_t i = 0; i < BUILD_HASH; i++) {
		int high = digit_of(s[2 * i]), low = digit_of(s[2 * i + 1]);

		if (high < 0 || low < 0)
			return false;
		hash[i] = (uint8_t)(high << 4 | low);
	}
	return true;
}

static void take_content(struct build *b, struct sqlite3_stmt *st)
{
	struct contents *c = &b->contents;
	/* use the version with the same content, before opens for writing that wrote nothing */
	uint32_t version = b->versions[db_id(b->db, st, 0, DB_VERSIONS)].holds;
	struct build_content *row, *before;
	uint64_t *held;
	const char *s;
	size_t len;

	if (!c->of)
		c->of = xcalloc(b->nversions + 1ul, sizeof(*c->of));
	c->rows = xgrow(c->rows, &c->cap, c->n + 1ul, sizeof(*c->rows));
	row = &c->rows[c->n++];
	*row = (struct build_content){
		.at = db_int(st, 4), .why = (uint32_t)c->text.len,
	};
	/* two columns of one row are read one after the other: db_bytes() is valid until the next */
	s = db_bytes(st, 1, &len);
	row->known = read_hash(s, len, row->sha256);
	s = db_bytes(st, 2, &len);
	row->known = read_hash(s, len, row->gitoid) && row->known;
	s = db_bytes(st, 3, &len);
	if (!row->known) {
		buf_add(&c->text, s && len ? s : "", s ? len : 0);
		buf_addc(&c->text, '\0');
	}
	/* the last row of a version counts; an earlier row with another hash shows a change */
	held = map64_at(&c->held, version);
	before = *held ? &c->rows[*held - 1] : NULL;
	if (before && row->known) {
		row->before = before->before;
		if (memcmp(before->sha256, row->sha256, BUILD_HASH)) {
			row->before = (uint32_t)*held;
			map64_put(&c->changed, version, (uint64_t)before->at);
		}
	}
	if (before && !row->known && !strcmp(c->text.s + row->why, GRAPH_WHY_FOREIGN))
		map64_put(&c->foreign, version, (uint64_t)row->at);
	if (row->known)
		*held = c->n;
	c->of[version] = c->n;
}

static const struct contents *contents_of(const struct build *build)
{
	static const char text[] =
		"SELECT version, sha256, gitoid, why_not, at FROM content ORDER BY rowid";
	struct build *b = (struct build *)(uintptr_t)build;
	struct sqlite3_stmt *st;

	if (b->contents.loaded)
		return &b->contents;
	b->contents.loaded = true;
	st = db_ask(b->db, text, "");
	while (db_row(b->db, st))
		take_content(b, st);
	return &b->contents;
}

bool build_hashed(const struct build *b)
{
	return contents_of(b)->n;
}

/* The row of a version; versions with the same content share it. Return: NULL if none. */
static const struct build_content *content_row(const struct build *b, uint32_t version)
{
	const struct contents *c = contents_of(b);
	uint32_t row = c->of ? c->of[b->versions[version].holds] : 0;

	return row ? &c->rows[row - 1] : NULL;
}

const struct build_content *build_content(const struct build *b, uint32_t version)
{
	const struct build_content *row = content_row(b, version);

	return row && row->known ? row : NULL;
}

const struct build_content *build_content_before(const struct build *b,
						 const struct build_content *c)
{
	return c->before ? &contents_of(b)->rows[c->before - 1] : NULL;
}

const char *build_content_why(const struct build *b, uint32_t version)
{
	const struct build_content *row = content_row(b, version);

	if (!build_hashed(b))
		return "the recorder hashed no files";
	if (!row)
		return "changed or gone before the recorder could read it";
	return row->known ? NULL : b->contents.text.s + row->why;
}

bool build_changed(const struct build *b, uint32_t version, int64_t *since)
{
	const uint64_t *at = map64_get(&contents_of(b)->changed, b->versions[version].holds);

	if (!at || b->versions[version].made != GRAPH_EXISTED)
		return false;
	*since = (int64_t)*at;
	return true;
}

bool build_foreign(const struct build *b, uint32_t version, int64_t *until)
{
	const uint64_t *at = map64_get(&contents_of(b)->foreign, version);

	if (!at || !b->versions[version].exec)
		return false;
	*until = (int64_t)*at;
	return true;
}

enum build_same build_same_content(const struct build *a, uint32_t version,
				   const struct build *b, uint32_t other)
{
	const struct build_content *x = build_content(a, version), *y = build_content(b, other);

	if (a == b && a->versions[version].holds == a->versions[other].holds)
		return BUILD_SAME;
	if (!x || !y)
		return BUILD_SAME_UNKNOWN;
	return memcmp(x->sha256, y->sha256, BUILD_HASH) ? BUILD_DIFFERENT : BUILD_SAME;
}

void build_free_contents(struct build *b)
{
	free(b->contents.of);
	free(b->contents.rows);
	map64_clear(&b->contents.held);
	map64_clear(&b->contents.changed);
	map64_clear(&b->contents.foreign);
	buf_free(&b->contents.text);
}
