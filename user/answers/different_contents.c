// SPDX-License-Identifier: LGPL-2.1
/* What the contents that differ are made of: times, names, numbers.  See different.h. */
#include "answers/different.h"
#include "base/hash.h"
#include "base/map64.h"
#include "base/xalloc.h"

#include <ctype.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <nettle/sha2.h>

#define A(w) (&(w)->d->m.side[0])
#define B(w) (&(w)->d->m.side[1])
#define SECOND 1000000000ll
/* Larger files are not looked at, nor more than these. */
#define LARGEST (16u << 20)
#define FILES_MAX 8u
#define TEXTS_MAX 32u
/* Programs whose process ids and environments are looked for in a text. */
#define UNITS_MAX 64u
/* Bytes around a difference that are looked at, too: a number may differ only in its last digit. */
#define AROUND 40u
/* Seconds of a build, above which minutes tell nothing. */
#define LONG 600
/* Bytes times seconds, above which a number that is a time may be one by chance: 1 percent. */
#define CHANCE ((1ull << 31) / 100)
/* What only the second build is known to hold may be in the first one, too: then it tells less. */
#define ALONE 70

/* ---- reading them ---- */

/* Whether these are the bytes that a version held. */
static bool is_content(const struct match_side *s, uint32_t version, const struct buf *b,
		       const struct stat *st)
{
	const struct build_content *c = build_content(s->b, version);
	const struct build_version *v = &s->versions[version];
	struct sha256_ctx sha;
	uint8_t hash[BUILD_HASH];

	if (!c)
		return v->identified && v->size == (uint64_t)st->st_size &&
		       v->mtime == (int64_t)st->st_mtim.tv_sec * SECOND + st->st_mtim.tv_nsec;
	sha256_init(&sha);
	sha256_update(&sha, b->len, (const uint8_t *)(b->s ? b->s : ""));
	sha256_digest(&sha, sizeof(hash), hash);
	return !memcmp(hash, c->sha256, sizeof(hash));
}

static bool read_file(const char *path, struct buf *to, struct stat *st)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	bool good = fd >= 0 && !fstat(fd, st) && S_ISREG(st->st_mode) && st->st_size <= LARGEST;
	ssize_t n = 0;

	to->len = 0;
	while (good && to->len <= LARGEST && (n = read(fd, buf_room(to, 65536), 65536)) > 0)
		to->len += (size_t)n;
	if (fd >= 0)
		close(fd);
	return good && !n;
}

/* The content of a version, if a file still has it.  The first build's may have been kept apart. */
bool different_read(const struct different *w, unsigned int side, uint32_t version,
		    struct buf *to)
{
	const struct match_side *s = &w->d->m.side[side];
	size_t len, n = side || !w->kept_from ? 0 : strlen(w->kept_from);
	uint32_t file = version ? build_name(s->b, version, s->versions[version].file) : 0;
	const char *path = build_path(s->b, file ? file : s->versions[version].file, &len);
	struct buf name = { 0 };
	struct stat st;
	bool good;

	if (!version || !len || !build_is_file(&s->versions[version]))
		return false;
	if (n && len > n && !memcmp(path, w->kept_from, n) && path[n] == '/') {
		buf_adds(&name, w->kept_to);
		buf_add(&name, path + n, len - n);
	} else {
		buf_add(&name, path, len);
	}
	buf_addc(&name, '\0');
	good = read_file(name.s, to, &st) && is_content(s, version, to, &st);
	buf_free(&name);
	return good;
}

/* ---- what differs ---- */

static bool is_text(const struct buf *b)
{
	return !b->len || !memchr(b->s, 0, b->len < 8192 ? b->len : 8192);
}

static bool is_blank(char c)
{
	return isspace((unsigned char)c) || !c || strchr(",;:'\"()[]{}<>=|", c);
}

/* A sum over words, whatever their order. */
static uint64_t sum_words(const struct buf *b)
{
	uint64_t sum = 0;
	size_t i = 0, begin;

	while (i < b->len) {
		while (i < b->len && is_blank(b->s[i]))
			i++;
		begin = i;
		while (i < b->len && !is_blank(b->s[i]))
			i++;
		if (i > begin)
			sum += hash_bytes(b->s + begin, i - begin);
	}
	return sum;
}

static size_t line_end(const struct buf *b, size_t at)
{
	const char *end = at < b->len ? memchr(b->s + at, '\n', b->len - at) : NULL;

	return end ? (size_t)(end - b->s) + 1 : b->len;
}

/* The lines of @of that @other does not have. */
static void other_lines(const struct buf *of, const struct buf *other, struct buf *to)
{
	struct map64 there = { 0 };
	size_t i, end;

	for (i = 0; i < other->len; i = end) {
		end = line_end(other, i);
		map64_put(&there, hash_bytes(other->s + i, end - i), 1);
	}
	for (i = 0; i < of->len; i = end) {
		end = line_end(of, i);
		if (!map64_get(&there, hash_bytes(of->s + i, end - i)))
			buf_add(to, of->s + i, end - i);
	}
	map64_clear(&there);
}

/* What is between a common beginning and a common end, with some bytes around it. */
static void other_bytes(const struct buf *of, const struct buf *other, struct buf *to)
{
	size_t most = of->len < other->len ? of->len : other->len, head = 0, tail = 0;

	while (head < most && of->s[head] == other->s[head])
		head++;
	while (tail < most - head && of->s[of->len - 1 - tail] == other->s[other->len - 1 - tail])
		tail++;
	head = head > AROUND ? head - AROUND : 0;
	tail = tail > AROUND ? tail - AROUND : 0;
	buf_add(to, of->s + head, of->len - tail - head);
}

/* ---- what it says ---- */

struct text_look {
	struct different *w;
	uint32_t unit;
	const struct buf *was, *is;
	int64_t from, to;	/* when the second build may have read the clock, s since 1970 */
	bool text;
};

static bool is_then(const struct text_look *l, uint64_t seconds)
{
	return l->to && (int64_t)seconds >= l->from && (int64_t)seconds <= l->to;
}

static bool is_word_byte(char c)
{
	return isalnum((unsigned char)c) || c == '_';
}

/* Whether a buffer has a text as a word of its own. */
bool different_has_word(const struct buf *b, const char *word)
{
	size_t n = strlen(word);

	for (const char *at = b->s; n && b->len >= n; at++) {
		at = memmem(at, b->len - (size_t)(at - b->s), word, n);
		if (!at)
			return false;
		if ((at == b->s || !is_word_byte(at[-1]) || !is_word_byte(*word)) &&
		    (at + n == b->s + b->len || !is_word_byte(at[n]) || !is_word_byte(word[n - 1])))
			return true;
	}
	return false;
}

/* A number of @n digits: seconds since 1970, or ms, us, ns; or 20261129130501. */
static bool is_time_number(const struct text_look *l, const char *s, size_t n)
{
	uint64_t v = 0;

	for (size_t i = 0; i < n && i < 19; i++)
		v = v * 10 + (uint64_t)(s[i] - '0');
	switch (n) {
	case 10:
		return is_then(l, v);
	case 13:
		return is_then(l, v / 1000);
	case 16:
		return is_then(l, v / 1000000);
	case 19:
		return is_then(l, v / 1000000000);
	case 11:
		/* tar: octal */
		return is_then(l, strtoull(s, NULL, 8));
	default:
		return false;
	}
}

/*
 * Minutes and seconds, whatever the time zone: most are whole hours away, some half ones.  In a
 * build that takes long, any would do.
 */
static bool is_minute(const struct text_look *l, unsigned int minute, unsigned int second)
{
	if (l->to - l->from > LONG && !l->was)
		return false;
	for (int64_t t = l->from; l->to && t <= l->to && t < l->from + 1800; t++)
		if ((unsigned int)(t % 1800) == minute % 30 * 60 + second)
			return true;
	return false;
}

/* "12:05:31", and "120531" after a date. */
static bool is_time_text(const struct text_look *l, const char *s, size_t left)
{
	static const char form[] = "00:00:00";

	if (left < 8)
		return false;
	for (size_t i = 0; i < 8; i++)
		if (form[i] == ':' ? s[i] != ':' : !isdigit((unsigned char)s[i]))
			return false;
	return is_minute(l, (unsigned int)(s[3] - '0') * 10 + (unsigned int)(s[4] - '0'),
			 (unsigned int)(s[6] - '0') * 10 + (unsigned int)(s[7] - '0'));
}

static bool is_stamp(const struct text_look *l, const char *s, size_t n)
{
	/* YYYYMMDDhhmmss */
	return n == 14 && (s[0] == '1' || s[0] == '2') &&
	       is_minute(l, (unsigned int)(s[10] - '0') * 10 + (unsigned int)(s[11] - '0'),
			 (unsigned int)(s[12] - '0') * 10 + (unsigned int)(s[13] - '0'));
}

static const char *find_time(const struct text_look *l, size_t *len)
{
	const struct buf *b = l->is;
	size_t i = 0, n;

	while (i < b->len) {
		if (!isdigit((unsigned char)b->s[i])) {
			i++;
			continue;
		}
		for (n = 0; i + n < b->len && isdigit((unsigned char)b->s[i + n]); n++)
			;
		*len = n;
		if (is_time_number(l, b->s + i, n) || is_stamp(l, b->s + i, n))
			return b->s + i;
		*len = 8;
		if (n == 2 && is_time_text(l, b->s + i, b->len - i))
			return b->s + i;
		i += n;
	}
	return NULL;
}

/* Four bytes, as gzip, ar and others have them; or the time of an entry of zip. */
static bool has_binary_time(const struct text_look *l)
{
	const uint8_t *s = (const uint8_t *)l->is->s;

	/* by chance, 2 of 2^32 numbers are one of these seconds, at each byte */
	if ((uint64_t)(l->to - l->from + 1) * l->is->len > CHANCE)
		return false;
	for (size_t i = 0; i + 4 <= l->is->len; i++) {
		uint64_t low = s[i] | s[i + 1] << 8 | s[i + 2] << 16 | (uint64_t)s[i + 3] << 24;
		uint64_t high = s[i + 3] | s[i + 2] << 8 | s[i + 1] << 16 | (uint64_t)s[i] << 24;

		if (is_then(l, low) || is_then(l, high))
			return true;
		if (!memcmp(s + i, "PK\3\4", 4) && i + 12 <= l->is->len) {
			unsigned int t = s[i + 10] | (unsigned int)s[i + 11] << 8;

			if (is_minute(l, t >> 5 & 63, (t & 31) * 2) ||
			    is_minute(l, t >> 5 & 63, (t & 31) * 2 + 1))
				return true;
		}
	}
	return false;
}

static void look_for_times(const struct text_look *l)
{
	size_t len;
	const char *at = find_time(l, &len);

	if (at)
		different_clue(l->w, DIFFERENT_TIME, 95, l->unit, "it holds the time of the build: %.*s",
			       (int)len, at);
	else if (l->text)
		l->w->compared = true;
	else if (has_binary_time(l))
		different_clue(l->w, DIFFERENT_TIME, 92, l->unit, "it holds the time of the build, as a number");
}

/* Each build has its own, where the other has another one. */
static bool has_own(const struct text_look *l, const char *was, const char *is)
{
	return strcmp(was, is) && different_has_word(l->is, is) && (!l->was || different_has_word(l->was, was));
}

static void look_for_pids(const struct text_look *l)
{
	for (size_t i = 0; i < l->w->nunits && i < UNITS_MAX; i++)
		for (uint32_t u = l->w->units[i].unit; u; u = B(l->w)->units[u].caller) {
			uint32_t is = different_pid(l->w, 1, u);
			uint32_t was = different_pid(l->w, 0, B(l->w)->units[u].pair);
			char text[2][16];

			snprintf(text[0], sizeof(text[0]), "%u", was);
			snprintf(text[1], sizeof(text[1]), "%u", is);
			/* small numbers are everywhere */
			if (is >= 100 && was && has_own(l, text[0], text[1]))
				different_clue(l->w, DIFFERENT_PID, l->was ? 94 : ALONE, l->unit,
					       "it holds the process id of a program: %u, before %u", is, was);
		}
}

static void look_for_places(const struct text_look *l)
{
	const char *is = B(l->w)->from, *was = A(l->w)->from ? A(l->w)->from : B(l->w)->to;

	if (is && was && has_own(l, was, is))
		different_clue(l->w, DIFFERENT_PATH, 93, l->unit, "it holds the directory of the build: %s", is);
}

static void variable_clue(void *ctx, const struct diff_var *a, const struct diff_var *b)
{
	const struct text_look *l = ctx;
	char *name = different_string(l->w, b ? 1 : 0, b ? b->name : a->name);
	char *was = a ? different_string(l->w, 0, a->value) : NULL;
	char *is = b ? different_string(l->w, 1, b->value) : NULL;
	size_t len = is ? strlen(is) : 0;

	if (b && len > 1 && different_has_word(l->is, is) &&
	    (!l->was || !was || !*was || different_has_word(l->was, was)))
		different_clue(l->w, different_variable(name, strlen(name)),
			       l->was ? 91 : ALONE, l->unit,
			       "it holds what %s was set to: %.80s", name, is);
	free(name);
	free(was);
	free(is);
}

static void look_for_variables(const struct text_look *l)
{
	for (size_t i = 0; i < l->w->nunits && i < UNITS_MAX; i++) {
		uint32_t outer = diff_env_unit(l->w->d, l->w->units[i].unit);

		if (outer && !B(l->w)->units[outer].caller)
			diff_env_pairs(l->w->d, outer, variable_clue, (void *)(uintptr_t)l);
	}
}

/* 8-4-4-4-12 hexadecimal digits */
static const char *find_uuid(const struct buf *b)
{
	static const char form[] = "xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx";

	for (size_t i = 0; i + sizeof(form) - 1 <= b->len; i++) {
		size_t n = 0;

		while (form[n] && (form[n] == '-' ? b->s[i + n] == '-' : isxdigit((unsigned char)b->s[i + n])))
			n++;
		if (!form[n])
			return b->s + i;
	}
	return NULL;
}

/* 0x7f12345678ab, 0x5581234567f0: of the stack, of libraries, and of programs */
static void look_for_addresses(const struct text_look *l)
{
	const struct buf *b = l->is;

	for (size_t i = 0; i + 14 <= b->len; i++) {
		size_t n = 2;

		if (memcmp(b->s + i, "0x7f", 4) && memcmp(b->s + i, "0x55", 4) && memcmp(b->s + i, "0x56", 4))
			continue;
		while (i + n < b->len && isxdigit((unsigned char)b->s[i + n]))
			n++;
		if (n != 14)
			continue;
		different_clue(l->w, DIFFERENT_UNKNOWN, l->was ? 84 : 47, l->unit,
			       "it holds what looks like an address in memory: %.14s", b->s + i);
		return;
	}
}

static void look_for_random(const struct text_look *l)
{
	const char *uuid = find_uuid(l->is);

	if (uuid)
		different_clue(l->w, DIFFERENT_RANDOM, l->was ? 85 : 47, l->unit,
			       "it holds a random identifier: %.36s", uuid);
}

/* Whether a number in a name is the process id of a program of the second build. */
static bool has_pid(const struct different *w, const char *name)
{
	static const char text[] = "SELECT 1 FROM process WHERE pid = ?", digits[] = "0123456789";
	bool found = false;

	while (*(name += strcspn(name, digits)) && !found) {
		struct sqlite3_stmt *st = db_ask(B(w)->db, text, "i",
						 (int64_t)strtoul(name, (char **)&name, 10));

		while (db_row(B(w)->db, st))
			found = true;
	}
	return found;
}

/* Names of temporaries, of which only the random part differs. */
static void look_for_names(const struct text_look *l)
{
	const struct match_side *s = B(l->w);

	for (uint32_t i = 1; i <= s->nfiles; i++) {
		size_t len;
		const char *path = build_path(s->b, i, &len), *slash = memrchr(path, '/', len);
		struct buf as = { 0 };
		char name[256];

		if (!slash || build_find(A(l->w)->b, path, len))
			continue;
		match_name(s, path, len, &as);
		len -= (size_t)(slash + 1 - path);
		snprintf(name, sizeof(name), "%.*s", (int)len, slash + 1);
		if ((as.len < len || !memmem(as.s, as.len, slash + 1, len)) && len > 4 &&
		    different_has_word(l->is, name)) {
			bool pid = has_pid(l->w, name);

			different_clue(l->w, pid ? DIFFERENT_PID : DIFFERENT_RANDOM, 88, l->unit,
				       "it holds the %s of a file: %s",
				       pid ? "name, with a process id," : "random name", name);
		}
		buf_free(&as);
	}
}

void different_look_at_text(struct different *w, uint32_t unit, const struct buf *was,
			    const struct buf *is)
{
	struct text_look l = { .w = w, .unit = unit, .was = was, .is = is, .text = is_text(is) };
	const struct match_side *s = B(w);
	int64_t begin;

	/* a time in all commands shows in the first ones, too */
	if (!is->len || w->texts++ >= TEXTS_MAX)
		return;
	if (answers_realtime(s->db, &begin)) {
		l.from = begin / SECOND - 1;
		l.to = (begin + s->units[unit].until) / SECOND + 1;
	}
	look_for_times(&l);
	look_for_pids(&l);
	look_for_places(&l);
	look_for_variables(&l);
	look_for_random(&l);
	look_for_addresses(&l);
	look_for_names(&l);
}

/* ---- all of them ---- */

static void compare_contents(struct different *w, uint32_t unit, const struct buf *was,
			     const struct buf *is)
{
	bool text = is_text(was) && is_text(is);
	struct buf before = { 0 }, after = { 0 };

	if (text) {
		other_lines(was, is, &before);
		other_lines(is, was, &after);
		w->by_order |= sum_words(&before) == sum_words(&after);
	} else {
		other_bytes(was, is, &before);
		other_bytes(is, was, &after);
	}
	if (!w->by_order)
		different_look_at_text(w, unit, &before, &after);
	buf_free(&before);
	buf_free(&after);
}

void different_look_at_contents(struct different *w)
{
	struct buf was = { 0 }, is = { 0 };

	/* from the last one on: it is where the difference comes from */
	for (size_t i = w->nfiles, n = 0; i-- && n < FILES_MAX;) {
		const struct different_file *f = &w->files[i];
		size_t writers;
		const struct match_write *x = match_writes(B(w), f->second, &writers);

		if (!different_read(w, 1, f->second, &is))
			continue;
		n++;
		if (different_read(w, 0, f->first, &was))
			compare_contents(w, writers ? x[writers - 1].unit : 0, &was, &is);
		else
			different_look_at_text(w, writers ? x[writers - 1].unit : 0, NULL, &is);
	}
	buf_free(&was);
	buf_free(&is);
}
