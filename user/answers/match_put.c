// SPDX-License-Identifier: LGPL-2.1
/* Prints programs and files of two builds.  See match_put.h. */
#include "answers/match_put.h"
#include "answers/print_names.h"
#include "base/hash.h"
#include "base/map64.h"
#include "base/shquote.h"

#include <string.h>

void match_put_file(struct out *out, const struct match_side *s, uint32_t file)
{
	put_file(out, s->db, file);
}

void match_put_unit(struct out *out, const struct match_side *s, uint32_t unit)
{
	put_command(out, s->db, s->units[unit].exec, false);
	out_puts(out, "\n");
}

void match_json_file(struct json *j, const char *name, const struct match_side *s, uint32_t file)
{
	json_file(j, name, s->db, file);
}

void match_json_unit(struct json *j, const char *name, const struct match_side *s, uint32_t unit)
{
	if (!unit)
		return;
	json_key(j, name);
	json_exec(j, s->db, s->units[unit].exec);
}

/*
 * Split the text of sh -c at blanks, to compare words. The directory that differs between the
 * builds stays whole.
 */
static void split_text(struct buf *b, const char *dir, size_t *n)
{
	size_t first = b->len ? strlen(b->s) + 1 : 0;

	if (*n < 3 || strcmp(b->s + first, "-c"))
		return;
	for (size_t i = first + 3; i < b->len; i++) {
		size_t skip = match_begins(dir, b->s + i, b->len - i);

		if (skip) {
			i += skip - 1;
		} else if (b->s[i] == ' ' || b->s[i] == '\n') {
			b->s[i] = 0;
			++*n;
		}
	}
}

/* Append the original arguments of @unit as words. Return: their number */
static size_t own_words(const struct match_side *of, uint32_t unit, const struct match_side *than,
			struct buf *to)
{
	size_t n;

	match_own_args(of, unit, to, &n);
	split_text(to, of->from ? of->from : than->to, &n);
	return n;
}

/* Set @to to the form of a word for comparison. Return: its hash */
static uint64_t match_compared(const struct match_side *s, const char *word, struct buf *to)
{
	to->len = 0;
	match_name(s, word, strlen(word), to);
	return hash_bytes(to->s ? to->s : "", to->len);
}

size_t match_other_args(const struct match_side *of, uint32_t unit, const struct match_side *than,
			uint32_t other, bool own, struct buf *to)
{
	struct buf mine = { 0 }, theirs = { 0 }, word = { 0 };
	size_t n = own_words(of, unit, than, &mine), k = own_words(than, other, of, &theirs);
	struct map64 words = { 0 };
	size_t found = 0;
	const char *s;

	for (s = theirs.s; k--; s += strlen(s) + 1) {
		uint64_t key = match_compared(than, s, &word), *there = map64_get(&words, key);

		map64_put(&words, key, there ? *there + 1 : 1);
	}
	for (s = mine.s; n--; s += strlen(s) + 1) {
		uint64_t *there = map64_get(&words, match_compared(of, s, &word));

		if (there && *there) {
			--*there;
			continue;
		}
		if (!*s)
			continue;
		if (own)
			buf_adds(to, s);
		else
			buf_add(to, word.s, word.len);
		buf_addc(to, 0);
		found++;
	}
	map64_clear(&words);
	buf_free(&mine);
	buf_free(&theirs);
	buf_free(&word);
	return found;
}

/* Print the words that only one of them has, on one line. Return: whether there are any */
static bool put_words(struct out *out, char sign, const struct match_side *of, uint32_t unit,
		      const struct match_side *than, uint32_t other)
{
	struct buf b = { 0 }, quoted = { 0 };
	size_t n = match_other_args(of, unit, than, other, true, &b);
	const char *s = b.s;

	bool any = s && n;

	for (; s && n--; s += strlen(s) + 1) {
		buf_addc(&quoted, ' ');
		sh_quote(&quoted, s, strlen(s));
	}
	if (quoted.len)
		out_printf(out, "    %c%.*s\n", sign, (int)quoted.len, quoted.s);
	buf_free(&b);
	buf_free(&quoted);
	return any;
}

static void put_cwd(struct out *out, char sign, const struct match_side *s, uint32_t unit)
{
	out_printf(out, "    %c in ", sign);
	match_put_file(out, s, s->b->execs[s->units[unit].exec].cwd);
	out_puts(out, "\n");
}

void match_put_call(struct out *out, const struct match *m, uint32_t a, uint32_t b)
{
	bool words = put_words(out, '-', &m->side[0], a, &m->side[1], b);

	if (!put_words(out, '+', &m->side[1], b, &m->side[0], a) && !words && !match_same_args(m, a, b))
		out_puts(out, "    the same ones, in another order or number\n");
	if (match_cwd(&m->side[0], a) == match_cwd(&m->side[1], b))
		return;
	put_cwd(out, '-', &m->side[0], a);
	put_cwd(out, '+', &m->side[1], b);
}
