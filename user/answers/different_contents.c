// SPDX-License-Identifier: LGPL-2.1
/* Finds causes in the contents that differ: times, names, numbers.  See different.h. */
#include "answers/different.h"
#include "base/hash.h"
#include "base/map64.h"
#include "base/time_text.h"
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
/* Limits: larger files, and more files or texts, are not examined. */
#define LARGEST (16u << 20)
#define FILES_MAX 8u
#define TEXTS_MAX 32u
/* Maximum number of programs whose process ids and environments are searched in a text. */
#define UNITS_MAX 64u
/* Bytes around a difference that are examined, too: a number may differ only in its last digit. */
#define AROUND 40u
/* Minimum letters of a word: fewer may be random. */
#define WORD_LEAST 4
/*
 * Weight of a text found in the second build, if the content of the first build is unknown and may
 * have it, too.
 */
#define ALONE 70

/* ---- reading the contents ---- */

/* Whether these bytes are the content of a version. */
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

/*
 * The content of a version, if a file still has it.  The first build's files may have been moved
 * away.
 */
bool different_read(const struct different *w, unsigned int side, uint32_t version,
		    struct buf *to)
{
	const struct match_side *s = &w->d->m.side[side];
	size_t len;
	uint32_t file = version ? build_name(s->b, version, s->versions[version].file) : 0;
	const char *path = build_path(s->b, file ? file : s->versions[version].file, &len);
	struct buf name = { 0 };
	struct stat st;
	bool good;

	if (!version || !len || !build_is_file(&s->versions[version]))
		return false;
	answers_moved(&name, path, len, side ? NULL : w->kept_from, w->kept_to);
	buf_addc(&name, '\0');
	good = read_file(name.s, to, &st) && is_content(s, version, to, &st);
	buf_free(&name);
	return good;
}

/* ---- the differences ---- */

static bool is_text(const struct buf *b)
{
	return !b->len || !memchr(b->s, 0, b->len < 8192 ? b->len : 8192);
}

static bool is_blank(char c)
{
	return isspace((unsigned char)c) || !c || strchr(",;:'\"()[]{}<>=|", c);
}

/* A hash of the words that does not depend on their order. @row: set to a hash that does */
static uint64_t sum_words(const struct buf *b, uint64_t *row)
{
	uint64_t sum = 0, word;
	size_t i = 0, begin;

	*row = 0;

	while (i < b->len) {
		while (i < b->len && is_blank(b->s[i]))
			i++;
		begin = i;
		while (i < b->len && !is_blank(b->s[i]))
			i++;
		if (i == begin)
			continue;
		word = hash_bytes(b->s + begin, i - begin);
		sum += word;
		*row = *row * 31 + word;
	}
	return sum;
}

/* Whether @of has a word that @other lacks, made of letters and no part of a number or address. */
static bool has_other_word(const struct buf *of, const struct buf *other)
{
	size_t i = 0, begin;

	while (i < of->len) {
		bool beyond = false;
		char word[64];

		while (i < of->len && !isalpha((unsigned char)of->s[i]))
			i++;
		for (begin = i; i < of->len && isalpha((unsigned char)of->s[i]); i++)
			beyond |= !isxdigit((unsigned char)of->s[i]);
		/* skip words next to a digit, which may be part of something random */
		if (i - begin < WORD_LEAST || i - begin >= sizeof(word) || !beyond ||
		    (begin && isdigit((unsigned char)of->s[begin - 1])) ||
		    (i < of->len && isdigit((unsigned char)of->s[i])))
			continue;
		snprintf(word, sizeof(word), "%.*s", (int)(i - begin), of->s + begin);
		if (!different_has_word(other, word))
			return true;
	}
	return false;
}

static size_t line_end(const struct buf *b, size_t at)
{
	const char *end = at < b->len ? memchr(b->s + at, '\n', b->len - at) : NULL;

	return end ? (size_t)(end - b->s) + 1 : b->len;
}

/* The lines of @of that are not in @other. */
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

/* Whether bytes are printable or zero. */
static bool is_printable(const struct buf *b, size_t from, size_t to)
{
	for (size_t i = from; i < to; i++)
		if (b->s[i] && !isprint((unsigned char)b->s[i]) && !isspace((unsigned char)b->s[i]))
			return false;
	return true;
}

/*
 * The part between a common beginning and a common end, with some bytes around it.
 * Return: whether it is printable, except for zeros
 */
static bool other_bytes(const struct buf *of, const struct buf *other, struct buf *to)
{
	bool printable;
	size_t most = of->len < other->len ? of->len : other->len, head = 0, tail = 0;

	while (head < most && of->s[head] == other->s[head])
		head++;
	while (tail < most - head && of->s[of->len - 1 - tail] == other->s[other->len - 1 - tail])
		tail++;
	printable = is_printable(of, head, of->len - tail);
	head = head > AROUND ? head - AROUND : 0;
	tail = tail > AROUND ? tail - AROUND : 0;
	buf_add(to, of->s + head, of->len - tail - head);
	return printable;
}

/* Whether data is compressed, by its first bytes: nothing in it can be found. */
static bool is_compressed(const struct buf *b)
{
	static const struct {
		const char *s;
		size_t len;
	} magics[] = {
		{ "\037\213", 2 }, { "BZh", 3 }, { "\3757zXZ", 5 }, { "(\265/\375", 4 }, { "LZIP", 4 },
		{ "\4\"M\30", 4 }, { "PK\3\4", 4 }, { "7z\274\257", 4 }, { "hsqs", 4 },
		{ "!<arch>\ndebian", 14 },
		{ "\211PNG", 4 }, { "%PDF", 4 },
	};

	for (size_t i = 0; i < sizeof(magics) / sizeof(*magics); i++)
		if (b->len >= magics[i].len && !memcmp(b->s, magics[i].s, magics[i].len))
			return true;
	return false;
}

/* ---- clues in the text ---- */

struct text_look {
	struct different *w;
	uint32_t unit;
	const struct buf *was, *is;
	struct time_span when;
	bool text;
	/* the differences are printable, but not the whole file: tar headers */
	bool printable;
	bool compressed;
};

static bool is_word_byte(char c)
{
	return isalnum((unsigned char)c) || c == '_';
}

/* Whether a buffer contains a text as a whole word. */
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

static void look_for_times(const struct text_look *l)
{
	size_t len;
	const char *at = time_in_text(&l->when, l->is, &len);

	if (at)
		different_clue(l->w, DIFFERENT_TIME, 95, l->unit, "it holds the time of the build: %.*s",
			       (int)len, at);
	else if (!l->text && time_would_show(&l->when, l->is, false) && time_in_numbers(&l->when, l->is))
		different_clue(l->w, DIFFERENT_TIME, 92, l->unit, "it holds the time of the build, as a number");
	else if (l->text || l->printable)
		l->w->compared |= time_would_show(&l->when, l->is, true);
	else if (!l->compressed)
		l->w->scanned |= time_would_show(&l->when, l->is, false);
}

/* Whether the second content has the text @is where the first, if known, has @was. */
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
			/* skip small numbers, which are everywhere */
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
			       "it holds the value of %s: %.80s", name, is);
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

/* Find a UUID: 8-4-4-4-12 hexadecimal digits. */
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

/* Look for addresses of stack, libraries and programs: 0x7f12345678ab, 0x5581234567f0. */
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
			       "it holds what looks like a memory address: %.14s", b->s + i);
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

/* Look for names of temporary files: they differ between the builds only in a random part. */
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
			bool pid = different_names_pid(l->w, name);

			different_clue(l->w, pid ? DIFFERENT_PID : DIFFERENT_RANDOM, 88, l->unit,
				       "it holds the %s of a file: %s",
				       pid ? "name, with a process id," : "random name", name);
		}
		buf_free(&as);
	}
}

static void look_at_text(struct text_look l)
{
	struct different *w = l.w;
	const struct match_side *s = B(w);
	int64_t begin;

	/* the first texts are enough: a time in all commands is also in these */
	if (!l.is->len || w->texts++ >= TEXTS_MAX)
		return;
	l.when.both = l.was != NULL;
	if (answers_realtime(s->db, &begin)) {
		l.when.from = begin / SECOND - 1;
		l.when.to = (begin + s->units[l.unit].until) / SECOND + 1;
	}
	look_for_times(&l);
	look_for_pids(&l);
	look_for_places(&l);
	look_for_variables(&l);
	look_for_random(&l);
	look_for_addresses(&l);
	look_for_names(&l);
}

void different_look_at_text(struct different *w, uint32_t unit, const struct buf *was,
			    const struct buf *is)
{
	look_at_text((struct text_look){
		/* arguments have zeros between them */
		.w = w, .unit = unit, .was = was, .is = is, .text = true,
	});
}

/* ---- all files ---- */

static void compare_contents(struct different *w, uint32_t unit, const struct buf *was,
			     const struct buf *is)
{
	bool text = is_text(was) && is_text(is), compressed = is_compressed(was) || is_compressed(is);
	bool printable = false;
	struct buf before = { 0 }, after = { 0 };
	uint64_t rows[2];

	if (text) {
		other_lines(was, is, &before);
		other_lines(is, was, &after);
		w->other_words |= has_other_word(&before, is) && has_other_word(&after, was);
	} else {
		printable = other_bytes(was, is, &before);
		printable &= other_bytes(is, was, &after) && !compressed;
	}
	w->both |= text || printable;
	/* different line breaks do not count as a different order */
	if ((text || printable) && sum_words(&before, &rows[0]) == sum_words(&after, &rows[1]) &&
	    (rows[0] != rows[1] || !after.len))
		w->by_order = w->compared = true;
	if (!w->by_order)
		look_at_text((struct text_look){
			.w = w, .unit = unit, .was = &before, .is = &after, .text = is_text(&after),
			.printable = printable, .compressed = compressed,
		});
	buf_free(&before);
	buf_free(&after);
}

/* Examine a file. Return: whether its content is still what the build left */
static bool look_at_file(struct different *w, const struct different_file *f)
{
	struct buf was = { 0 }, is = { 0 };
	size_t writers;
	const struct match_write *x = match_writes(B(w), f->second, &writers);
	uint32_t unit = writers ? x[writers - 1].unit : 0;
	bool there = different_read(w, 1, f->second, &is), compressed = is_compressed(&is);

	if (there && different_read(w, 0, f->first, &was))
		compare_contents(w, unit, &was, &is);
	else if (there)
		look_at_text((struct text_look){
			.w = w, .unit = unit, .is = &is, .text = is_text(&is),
			.compressed = compressed,
			.printable = is_printable(&is, 0, is.len) && !compressed,
		});
	buf_free(&was);
	buf_free(&is);
	return there;
}

void different_look_at_contents(struct different *w)
{
	size_t n = 0;

	/* begin with the last file, which is nearest to the cause */
	for (size_t i = w->nfiles; i-- && n < FILES_MAX;)
		n += look_at_file(w, &w->files[i]);
	if (!n && w->shown.second)
		look_at_file(w, &w->shown);
}
