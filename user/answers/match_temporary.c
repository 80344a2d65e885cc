// SPDX-License-Identifier: LGPL-2.1
/*
 * Temporary files with a random part in the name: .tmp_6733 from a Makefile with $$, or
 * TryCompile-gD2ksy from cmake.  See match.h.
 *
 * A name counts as random if the build made it, it does not exist at the end, the other build does
 * not have it, and a part of it looks like a number or random letters.
 */
#include "answers/match.h"
#include "base/hash.h"
#include "base/path.h"

#include <ctype.h>
#include <string.h>

/* Minimum number of digits in a row that look like a process id. */
#define DIGITS	3
/* Minimum number of letters that may be random. */
#define LETTERS	5
/* Number of random characters from mkstemp(). */
#define MKSTEMP	6

/* Random names made by programs: prefix, and minimum and maximum number of random bytes. */
static const struct random_name {
	const char *head;
	size_t random, upto;
} random_names[] = {
	{ "cc", 6, 6 },		/* gcc, clang */
	{ "tmp.", 6, 12 },	/* mktemp */
	{ "tmp", 8, 8 },	/* Python */
	{ "st", 6, 6 },		/* ar, strip */
	{ "sed", 6, 6 },
	{ "GMfifo", 1, 8 },	/* make */
	{ "rustc", 6, 6 },
};

size_t match_random(const char *s, size_t len)
{
	for (size_t i = 0; i < sizeof(random_names) / sizeof(*random_names); i++) {
		const struct random_name *r = &random_names[i];
		size_t head = strlen(r->head), n;

		if (len <= head || memcmp(s, r->head, head))
			continue;
		for (n = head; n < len && (isalnum((unsigned char)s[n]) || s[n] == '_'); n++)
			;
		if (n - head >= r->random && n - head <= r->upto && (n == len || s[n] == '.'))
			return n;
	}
	return 0;
}

static size_t run_of(const char *s, size_t len, int (*is)(int c))
{
	size_t n = 0;

	while (n < len && is((unsigned char)s[n]))
		n++;
	return n;
}

/* Whether letters and digits after a separator look random. */
static bool is_drawn(const char *s, size_t n, bool last)
{
	for (size_t i = 0; n >= DIGITS && i < n; i++)
		if (isdigit((unsigned char)s[i]))
			return true;
	/* mkstemp() and the like, at the end or before a suffix */
	return last && n >= LETTERS;
}

/* Whether the last characters of a word look like mkstemp()'s: not all of one kind. */
static bool ends_drawn(const char *s, size_t len)
{
	size_t upper = 0, digits = 0;

	for (size_t i = len - MKSTEMP; len > MKSTEMP && i < len; i++) {
		upper += !!isupper((unsigned char)s[i]);
		digits += !!isdigit((unsigned char)s[i]);
	}
	return upper ? upper < MKSTEMP : digits && digits < MKSTEMP;
}

/* Append a word with * in place of digits that may be a process id, or of a random end. */
static bool add_word(struct buf *to, const char *s, size_t len)
{
	size_t begin = to->len;
	bool drawn = false;

	for (size_t i = 0, n; i < len; i += n) {
		n = run_of(s + i, len - i, isdigit);
		drawn |= n >= DIGITS;
		if (n >= DIGITS)
			buf_addc(to, '*');
		else
			buf_add(to, s + i, n ? n : 1);
		n = n ? n : 1;
	}
	if (drawn || !ends_drawn(s, len))
		return drawn;
	to->len = begin;
	buf_add(to, s, len - MKSTEMP);
	buf_addc(to, '*');
	return true;
}

/* Append a name with * in place of the parts that look random.  Return: whether there are any */
static bool add_masked(struct buf *to, const char *s, size_t len)
{
	size_t random = match_random(s, len), n;
	bool drawn = random > 0;

	if (random)
		buf_addc(to, '*');
	for (size_t i = random; i < len; i += n) {
		n = run_of(s + i, len - i, isalnum);
		if (!n) {
			buf_addc(to, s[i]);
			n = 1;
		} else if (i && is_drawn(s + i, n, i + n == len || s[i + n] == '.')) {
			buf_addc(to, '*');
			drawn = true;
		} else {
			drawn |= add_word(to, s + i, n);
		}
	}
	return drawn;
}

static const char *base_of(const struct build *b, uint32_t file, size_t *len)
{
	return path_base_of(build_path(b, file, len), len);
}

/* Length of a name without its last suffix; 0 if it has none. */
static size_t stem_of(const char *name, size_t len)
{
	const char *dot = memrchr(name, '.', len);

	return dot ? (size_t)(dot - name) : 0;
}

/* Add a name that the build made and that is gone; also without its suffixes. */
static void add_gone(struct match_side *s, struct buf *masked, uint32_t file)
{
	size_t len;
	const char *base;

	if (!file || s->there[file])
		return;
	for (base = base_of(s->b, file, &len); len; len = stem_of(base, len)) {
		masked->len = 0;
		if (!add_masked(masked, base, len))
			break;
		map64_put(&s->drawn, hash_bytes(base, len), 1);
	}
}

static void load_drawn(struct match_side *s)
{
	const struct build *b = s->b;
	struct buf masked = { 0 };

	for (uint32_t i = 1; i <= s->nversions; i++)
		if (s->versions[i].exec)
			add_gone(s, &masked, s->versions[i].file);
	for (size_t i = 0; i < b->nnames; i++)
		if (b->names[i].version && b->names[i].exec)
			add_gone(s, &masked, b->names[i].file);
	buf_free(&masked);
}

/* Forget names of the other build that this one knows, and its own names that exist at the end. */
static void forget_known(struct match_side *s, struct match_side *other)
{
	for (uint32_t i = 1; s->drawn.n + other->drawn.n && i <= s->nfiles; i++) {
		const char *base;
		size_t len;

		for (base = base_of(s->b, i, &len); len; len = stem_of(base, len)) {
			uint64_t name = hash_bytes(base, len);

			map64_remove(&other->drawn, name);
			if (s->there[i])
				map64_remove(&s->drawn, name);
		}
	}
}

void match_load_drawn(struct match *m)
{
	for (unsigned int i = 0; i < 2; i++)
		load_drawn(&m->side[i]);
	for (unsigned int i = 0; i < 2; i++)
		forget_known(&m->side[i], &m->side[!i]);
}

bool match_drawn(const struct match_side *s, const char *name, size_t len, struct buf *to)
{
	size_t stem = len;

	while (stem && !map64_get(&s->drawn, hash_bytes(name, stem)))
		stem = stem_of(name, stem);
	if (!stem)
		return false;
	add_masked(to, name, stem);
	buf_add(to, name + stem, len - stem);
	return true;
}
