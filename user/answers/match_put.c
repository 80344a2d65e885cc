// SPDX-License-Identifier: LGPL-2.1
/* Programs and files of two builds, as they are shown.  See match_put.h. */
#include "answers/match_put.h"
#include "base/hash.h"
#include "base/map64.h"
#include "base/shquote.h"
#include "base/utf8.h"

#include <string.h>

void match_put_file(struct out *out, const struct match_side *s, uint32_t file)
{
	struct buf b = { 0 }, quoted = { 0 };

	answers_file_path(s->db, file, &b);
	sh_quote(&quoted, b.s ? b.s : "", b.len);
	out_write(out, quoted.s, quoted.len);
	buf_free(&b);
	buf_free(&quoted);
}

/* Of a long command, its beginning and its end are shown. */
#define HEAD 90
#define TAIL 50

void match_put_unit(struct out *out, const struct match_side *s, uint32_t unit)
{
	struct buf b = { 0 };
	size_t head, tail;

	answers_command(s->db, s->units[unit].exec, &b);
	if (!b.len) {
		match_put_file(out, s, s->units[unit].program);
	} else if (b.len <= HEAD + TAIL + 20) {
		out_write(out, b.s, b.len);
	} else {
		head = utf8_cut(b.s, b.len, HEAD);
		for (tail = b.len - TAIL; (b.s[tail] & 0xc0) == 0x80;)
			tail++;
		out_write(out, b.s, head);
		out_puts(out, " [...] ");
		out_write(out, b.s + tail, b.len - tail);
	}
	out_puts(out, "\n");
	buf_free(&b);
}

void match_json_file(struct json *j, const char *name, const struct match_side *s, uint32_t file)
{
	struct buf b = { 0 };

	if (!file)
		return;
	answers_file_path(s->db, file, &b);
	json_text(j, name, b.s ? b.s : "", b.len);
	buf_free(&b);
}

void match_json_unit(struct json *j, const char *name, const struct match_side *s, uint32_t unit)
{
	struct buf b = { 0 };
	uint32_t cwd;
	size_t n, at = 0;

	if (!unit)
		return;
	n = answers_args(s->db, s->units[unit].exec, &b);
	cwd = (uint32_t)db_one(s->db, "SELECT cwd FROM exec WHERE id = ?", "i",
			       (int64_t)s->units[unit].exec);
	json_key(j, name);
	json_begin(j, '{');
	json_key(j, "exec");
	json_u64(j, s->units[unit].exec);
	match_json_file(j, "program", s, s->units[unit].program);
	match_json_file(j, "cwd", s, cwd);
	json_key(j, "arguments");
	json_begin(j, '[');
	for (; n--; at += strlen(b.s + at) + 1)
		json_cstr(j, b.s + at);
	json_end(j, ']');
	json_end(j, '}');
	buf_free(&b);
}

/* The text of sh -c is compared by its words, as good as blanks tell them. */
static void split_text(struct buf *b, size_t *n)
{
	size_t first = b->len ? strlen(b->s) + 1 : 0;

	if (*n < 3 || strcmp(b->s + first, "-c"))
		return;
	for (size_t i = first + 3; i < b->len; i++)
		if (b->s[i] == ' ' || b->s[i] == '\n') {
			b->s[i] = 0;
			++*n;
		}
}

size_t match_other_args(const struct match_side *of, uint32_t unit,
			const struct match_side *than, uint32_t other, struct buf *to)
{
	struct buf mine = { 0 }, theirs = { 0 };
	struct map64 words = { 0 };
	size_t n, k, found = 0;
	const char *s;

	match_args(of, unit, &mine, &n);
	match_args(than, other, &theirs, &k);
	split_text(&mine, &n);
	split_text(&theirs, &k);
	for (s = theirs.s; k--; s += strlen(s) + 1) {
		uint64_t key = hash_bytes(s, strlen(s)), *there = map64_get(&words, key);

		map64_put(&words, key, there ? *there + 1 : 1);
	}
	for (s = mine.s; n--; s += strlen(s) + 1) {
		uint64_t *there = map64_get(&words, hash_bytes(s, strlen(s)));

		if (there && *there) {
			--*there;
			continue;
		}
		if (!*s)
			continue;
		buf_add(to, s, strlen(s) + 1);
		found++;
	}
	map64_clear(&words);
	buf_free(&mine);
	buf_free(&theirs);
	return found;
}

void match_put_words(struct out *out, char sign, const struct match_side *of, uint32_t unit,
		     const struct match_side *than, uint32_t other)
{
	struct buf b = { 0 }, quoted = { 0 };
	size_t n = match_other_args(of, unit, than, other, &b);
	const char *s = b.s;

	for (; n--; s += strlen(s) + 1) {
		buf_addc(&quoted, ' ');
		sh_quote(&quoted, s, strlen(s));
	}
	if (quoted.len)
		out_printf(out, "    %c%.*s\n", sign, (int)quoted.len, quoted.s);
	buf_free(&b);
	buf_free(&quoted);
}
