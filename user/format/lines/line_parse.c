// SPDX-License-Identifier: LGPL-2.1
/* Parses one line of trace_pipe text.  See line_parse.h. */
#include "format/lines/line_parse.h"
#include "format/lines/tag.h"

#include "base/bytes.h"

#include <string.h>

#define COMM_WIDTH	16	/* width of task names; ftrace prints "%16s-%-7d" */
#define MAX_SECONDS	9223372036ull	/* below 2^63 ns */

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static const bool alpha[256] = {
	['a' ... 'z'] = true, ['A' ... 'Z'] = true,
};

static bool is_alpha(char c)
{
	return alpha[(unsigned char)c];
}

/* The characters of tags. */
static const bool word_char[256] = {
	['a' ... 'z'] = true, ['A' ... 'Z'] = true, ['0' ... '9'] = true,
	['_'] = true,
};

static bool is_word(char c)
{
	return word_char[(unsigned char)c];
}

/* The characters of an event's name, or of an address, before an etrace line. */
static const bool name_char[256] = {
	['a' ... 'z'] = true, ['A' ... 'Z'] = true, ['0' ... '9'] = true,
	['_'] = true, ['+'] = true, ['/'] = true, ['.'] = true, ['-'] = true,
};

/*
 * Reads a decimal number up to @max.  The caller guarantees that a character other than a
 * digit follows.  Return: what follows, NULL if there is no such number.
 */
static inline const char *read_number(const char *s, uint64_t max, uint64_t *v)
{
	const char *begin = s;
	uint64_t n = 0;
	unsigned int d;

	while ((d = (unsigned int)*s - '0') < 10) {
		n = n * 10 + d;
		s++;
	}
	*v = n;
	/* 19 digits always fit; more may have wrapped */
	return s == begin || s - begin > 19 || n > max ? NULL : s;
}

/* read_number(), but faster for long numbers. */
static inline const char *long_number(const char *s, const char *end, uint64_t max,
				      uint64_t *v)
{
	const char *begin = s;
	uint64_t n = 0;
	unsigned int d;

	if (end - s < 8)
		return read_number(s, max, v);
	d = bytes_digits(bytes_8(s), &n);
	s += d;
	if (d == 8) {
		while ((d = (unsigned int)*s - '0') < 10) {
			n = n * 10 + d;
			s++;
		}
	}
	*v = n;
	return s == begin || s - begin > 19 || n > max ? NULL : s;
}

/* Length of the tag that text begins with: a word and '|', '[' or the end; or 0. */
static size_t tag_len(const char *s, const char *end)
{
	const char *begin = s;

	if (!is_alpha(*s))
		return 0;
	while (is_word(*s))
		s++;
	return s == end || *s == '|' || *s == '[' ? (size_t)(s - begin) : 0;
}

/*
 * Appends the @n digits of the nanoseconds, except the last one, to the stamp.
 * @digits: at least 8 bytes; @nsec: value of the digits, except the last one
 */
static inline void set_stamp(struct line_state *st, const char *digits, size_t n, uint64_t nsec)
{
	size_t len = st->prefix_len + n - 1;

	memcpy(st->stamp + st->prefix_len, digits, 8);
	st->stamp_len = len >= 16 && len <= 32 ? len : 0;
	st->tens = st->seconds + nsec * 10;
}

/* Parses "<timen>!" that does not have nine digits. */
static __attribute__((noinline)) const char *other_digits(struct line_state *st, const char *s,
							  const char *end, uint64_t *time)
{
	const char *begin = s;
	uint64_t nsec;

	s = long_number(s, end, 999999999, &nsec);
	if (!s || *s != '!')
		return NULL;
	if (s - begin < 9 && end - begin >= 8)
		set_stamp(st, begin, (size_t)(s - begin), nsec / 10);
	*time = st->seconds + nsec;
	return s + 1;
}

/* Parses "<timen>!" after the prefix.  Return: what follows, NULL if invalid. */
static inline const char *parse_timen(struct line_state *st, const char *s, const char *end,
				      uint64_t *time)
{
	uint64_t nsec;

	if (end - s < 10 || s[9] != '!' || !is_digit(s[8]) ||
	    bytes_digits(bytes_8(s), &nsec) != 8)
		return other_digits(st, s, end, time);
	set_stamp(st, s, 9, nsec);
	*time = st->tens + (unsigned int)(s[8] - '0');
	return s + 10;
}

/* Parses "<upid>,<cpu>,<time>,".  Return: what follows, NULL if invalid. */
static __attribute__((noinline)) const char *read_prefix(struct line_state *st, const char *s,
							 const char *end)
{
	uint64_t upid, sec, cpu;
	const char *p;

	p = long_number(s, end, INT64_MAX, &upid);
	if (!p || *p != ',')
		return NULL;
	p = read_number(p + 1, UINT32_MAX, &cpu);
	if (!p || *p != ',')
		return NULL;
	p = read_number(p + 1, MAX_SECONDS - 1, &sec);
	if (!p || *p != ',')
		return NULL;
	p++;
	/* leading zeros could make it longer than the buffer */
	st->prefix_len = (size_t)(p - s) <= sizeof(st->stamp) - 8 ? (size_t)(p - s) : 0;
	st->stamp_len = 0;
	bytes_copy(st->stamp, s, st->prefix_len);
	st->seconds = sec * 1000000000u;
	st->line.upid = upid;
	st->line.cpu = (uint32_t)cpu;
	return p;
}

/* Whether a line has the task, processor and second of the last line. */
static inline bool same_prefix(const struct line_state *st, const char *s, const char *end)
{
	return st->prefix_len && (size_t)(end - s) > st->prefix_len &&
	       bytes_equal(s, st->stamp, st->prefix_len);
}

const char *line_again_slow(struct line_state *st, const char *s, const char *end,
			    uint64_t *time)
{
	return same_prefix(st, s, end) ? parse_timen(st, s + st->prefix_len, end, time) : NULL;
}

static struct line_tag *tag_slot(struct line_state *st, uint64_t word)
{
	return &st->tags[word * 0x9e3779b97f4a7c15ull >> (64 - LINE_TAG_BITS)];
}

/* Reads the tag that the line's text begins with.  Return: false if that is not a tag. */
static __attribute__((noinline)) bool read_tag(struct line_state *st, const char *end)
{
	struct et_line *l = &st->line;
	const char *s = l->text;

	l->tag = tag_begins(s, end, &l->tag_len);
	if (!l->tag) {
		l->tag_len = tag_len(s, end);
		l->tag = tag_find(s, l->tag_len);
	}
	/* for a name of 8 bytes, known_tag() must also check what follows the word */
	if (l->tag && l->tag_len <= 8 && end - s > 8) {
		uint64_t word = bytes_8(s);

		*tag_slot(st, word) = (struct line_tag){
			word, (uint8_t)l->tag, (uint8_t)l->tag_len };
	}
	return l->tag_len;
}

/* read_tag(), but faster if an earlier text began with the same 8 bytes. */
static inline bool known_tag(struct line_state *st, const char *end)
{
	struct et_line *l = &st->line;
	const char *s = l->text;
	const struct line_tag *t;
	uint64_t word;

	if (end - s < 9)
		return read_tag(st, end);
	word = bytes_8(s);
	t = tag_slot(st, word);
	if (t->word != word || (t->len == 8 && s[8] != '|'))
		return read_tag(st, end);
	l->tag = t->tag;
	l->tag_len = t->len;
	return t->len;
}

/* Completes st->line with the text after the prefix.  Return: whether it begins with a tag. */
static inline bool parse_text(struct line_state *st, const char *s, const char *end, uint64_t time)
{
	struct et_line *l = &st->line;

	l->time = time;
	l->text = s;
	l->len = (size_t)(end - s);
	return known_tag(st, end);
}

/* line_plain(), but slower for lines of the same record as the last line. */
static inline bool parse_first(struct line_state *st, const char *s, const char *end)
{
	uint64_t time;

	/* most lines have the task, processor and second of the last line */
	s = same_prefix(st, s, end) ? s + st->prefix_len : read_prefix(st, s, end);
	if (s)
		s = parse_timen(st, s, end, &time);
	return s && parse_text(st, s, end, time);
}

bool line_plain(struct line_state *st, const char *s, const char *end)
{
	uint64_t time;
	const char *text = line_of_record(st, s, end, &time);

	return text ? parse_text(st, text, end, time) : parse_first(st, s, end);
}

/* Whether one of 8 bytes is '['. */
static bool has_bracket(uint64_t bytes)
{
	bytes ^= 0x5b5b5b5b5b5b5b5bull;
	return (bytes - 0x0101010101010101ull) & ~bytes & 0x8080808080808080ull;
}

/*
 * Whether @s is like "-123     [001] ", in the columns where ftrace usually prints it, and
 * no other '[' comes first.
 */
static inline bool usual_columns(const char *s)
{
	return s[9] == '[' && s[13] == ']' && is_digit(s[1]) && is_digit(s[10]) &&
	       !has_bracket(bytes_8(s + 1));
}

/* Stores st->columns if these are usual_columns() without a colon.  Return: whether they are. */
static __attribute__((noinline)) bool new_columns(struct line_state *st, const char *s)
{
	if (s[0] != '-' || !usual_columns(s) || bytes_any(bytes_load_16(s) == ':'))
		return false;
	st->columns[0] = bytes_8(s);
	st->columns[1] = bytes_8(s + 8);
	return true;
}

/*
 * Range of st->colon, the usual column of the colon after the time: see padded_context().
 * In this range, line_columns() can search for an earlier colon in two pieces of 16 bytes.
 */
#define FIRST_COLON	42u
#define LAST_COLON	59u

bool line_columns(struct line_state *st, const char *s, const char *end)
{
	static const char name[] = " etrace_";
	size_t colon = st->colon;
	uint64_t word, others;

	/* must contain the colon, " etrace_", up to 8 letters of a name, and what follows these */
	if (!colon || (size_t)(end - s) < colon + 20 ||
	    ((bytes_8(s + COMM_WIDTH) != st->columns[0] ||
	      bytes_8(s + COMM_WIDTH + 8) != st->columns[1]) &&
	     !new_columns(st, s + COMM_WIDTH)) ||
	    bytes_any((bytes_load_16(s + FIRST_COLON - 16) == ':') |
		      (bytes_load_16(s + colon - 17) == ':')) ||
	    !is_digit(s[colon - 1]) || s[colon] != ':' ||
	    bytes_8(s + colon + 1) != bytes_8(name))
		return false;
	s += colon + 9;
	word = bytes_first_low(s);
	/* the first byte that is not a lower-case letter; later ones may be wrong */
	others = (~(word + 0x1f1f1f1f1f1f1f1full) | (word + 0x0505050505050505ull) | word) &
		 0x8080808080808080ull;
	if (!others)
		return false;
	s += (unsigned int)__builtin_ctzll(others) / 8;
	return s[0] == ':' && s[1] == ' ' && parse_first(st, s + 2, end);
}

static const char *skip_spaces(const char *s)
{
	while (*s == ' ')
		s++;
	return s;
}

/*
 * The event's name or an address before an etrace line, with its colon:
 * "etrace_open: ", "0: ", "0xffffffffc0a0b0c0: ", "print+0x1/0x2 [etrace]: ".
 * Return: what follows the spaces after it, NULL if there is none.
 */
static const char *name_prefix(const char *s, const char *end)
{
	const char *begin = s;

	/* nearly always it is an event of the module */
	if (end - s > 8 && bytes_equal(s, "etrace_", 7))
		s += 7;
	while (name_char[(unsigned char)*s])
		s++;
	if (s == begin)
		return NULL;
	if (s[0] == ' ' && s[1] == '[') {
		s += 2;
		while (s < end && (is_word(*s) || *s == '-'))
			s++;
		if (s == end || *s++ != ']')
			return NULL;
	}
	/* the newline at the end stops the loops above, and is neither of these */
	if (s[0] != ':' || s[1] != ' ')
		return NULL;
	return skip_spaces(s + 1);
}

/* Parses an etrace line, with or without a name before it. */
static bool parse_named(struct line_state *st, const char *s, const char *end)
{
	if (is_digit(*s) && line_plain(st, s, end))
		return true;
	s = name_prefix(s, end);
	return s && is_digit(*s) && line_plain(st, s, end);
}

/* The newline at the end of a line stops this loop. */
static const char *skip_digits(const char *s)
{
	while (is_digit(*s))
		s++;
	return s;
}

/* Whether a text is digits with at most one dot. */
static bool is_time(const char *s, const char *end)
{
	const char *dot = skip_digits(s);

	if (dot < end && *dot == '.')
		dot = skip_digits(dot + 1);
	return dot == end && end > s;
}

/*
 * Parses ftrace's columns from the '-' after the task's name on:
 * "-123     (  123) [001] d..2.   12.345678: ".
 * Return: what follows them, NULL if invalid.
 */
static const char *context_at(const char *s, const char *end)
{
	const char *word;

	if (s >= end || s[0] != '-' || !is_digit(s[1]))
		return NULL;
	s = skip_spaces(skip_digits(s + 1));
	if (*s == '(') {
		while (is_digit(*s) || *s == '(' || *s == ' ' || *s == '-')
			s++;
		if (*s++ != ')')
			return NULL;
		s = skip_spaces(s);
	}
	if (s[0] != '[' || !is_digit(s[1]))
		return NULL;
	s = skip_digits(s + 1);
	if (*s++ != ']')
		return NULL;
	/* flags, unless ftrace leaves them out, and the time, which ends with a colon */
	for (int i = 0; i < 2; i++) {
		word = s = skip_spaces(s);
		while (s < end && *s != ' ' && *s != ':')
			s++;
		if (s == end)
			return NULL;
		if (*s == ':')
			return is_time(word, s) && s[1] == ' ' ? s + 2 : NULL;
	}
	return NULL;
}

/*
 * context_at(), but faster, for a '-' in ftrace's usual column.  This one cannot be part of the
 * task's name, so the first colon after it is the one after the time.
 */
static const char *padded_context(struct line_state *st, const char *s, const char *end)
{
	const char *colon = memchr(s, ':', (size_t)(end - s));
	const char *bracket;

	if (!colon || !is_digit(s[1]) || !is_digit(colon[-1]) || colon[1] != ' ')
		return NULL;
	/* usually also "-123     [001] " is in its columns */
	if (colon - s > 14 && usual_columns(s)) {
		size_t at = (size_t)(colon - s) + COMM_WIDTH;

		st->colon = at >= FIRST_COLON && at <= LAST_COLON ? at : 0;
		return colon + 2;
	}
	bracket = memchr(s, '[', (size_t)(colon - s));
	if (!bracket || !is_digit(bracket[1]) ||
	    !memchr(bracket, ']', (size_t)(colon - bracket)))
		return NULL;
	return colon + 2;
}

/*
 * Finds ftrace's columns after the task's name.  The name may contain anything,
 * even text that looks like columns; but it has at most 15 bytes, and is padded to 16.
 * If the padding was removed, the last place that fits is the right one, because the
 * columns after it are longer than 16 bytes.
 */
static const char *find_context(struct line_state *st, const char *s, const char *end)
{
	size_t len = (size_t)(end - s);
	const char *p;

	if (len > COMM_WIDTH && s[COMM_WIDTH] == '-') {
		p = padded_context(st, s + COMM_WIDTH, end);
		if (p)
			return p;
	}
	for (size_t i = len < COMM_WIDTH ? len : COMM_WIDTH; i-- > 0;) {
		p = s[i] == '-' ? context_at(s + i, end) : NULL;
		if (p)
			return p;
	}
	return NULL;
}

/* Parses "CPU:1 [LOST 12 EVENTS]", "CPU:1 [LOST EVENTS]", or trace-cmd's "12 EVENTS DROPPED". */
static bool lost_line(const char *s, const char *end, struct et_line *l)
{
	static const char lost[] = "LOST ", events[] = "EVENTS]", dropped[] = "EVENTS DROPPED]";
	uint64_t cpu;

	if (end - s < 12 || memcmp(s, "CPU:", 4))
		return false;
	s = read_number(s + 4, UINT32_MAX, &cpu);
	if (!s || end - s < 3 || memcmp(s, " [", 2))
		return false;
	s += 2;
	memset(l, 0, sizeof(*l));
	l->cpu = (uint32_t)cpu;
	if ((size_t)(end - s) > sizeof(lost) - 1 && !memcmp(s, lost, sizeof(lost) - 1))
		s += sizeof(lost) - 1;
	if (is_digit(*s)) {
		s = read_number(s, INT64_MAX, &l->lost);
		if (!s || *s++ != ' ')
			return false;
		l->counted = true;
	}
	return ((size_t)(end - s) == sizeof(events) - 1 &&
		!memcmp(s, events, sizeof(events) - 1)) ||
	       ((size_t)(end - s) == sizeof(dropped) - 1 &&
		!memcmp(s, dropped, sizeof(dropped) - 1));
}

/* Whether a text looks like a damaged prefix, "12,3". */
static bool like_prefix(const char *s, const char *end)
{
	const char *begin = s;

	while (s < end && is_digit(*s))
		s++;
	return s > begin && end - s >= 2 && *s == ',' && is_digit(s[1]);
}

/* Decides whether a line is of another tracer, or a damaged etrace line. */
static enum line_class judge_line(const char *s, const char *end, const char *rest)
{
	static const char own[] = "etrace";

	for (const char *p = s; p < end; p++) {
		unsigned char c = (unsigned char)*p;

		/* a number, '!' and a tag: a damaged etrace line */
		if (c == '!' && p > s && is_digit(p[-1]) && tag_len(p + 1, end) &&
		    memchr(p, '|', (size_t)(end - p)))
			return LINE_DAMAGED;
		if ((c < 0x20 && c != '\t') || c == 0x7f)
			return LINE_DAMAGED;
	}
	if (*s == '#')
		return LINE_FOREIGN;
	if (like_prefix(rest, end))
		return LINE_DAMAGED;
	if ((size_t)(end - rest) >= sizeof(own) && !memcmp(rest, own, sizeof(own) - 1) &&
	    (rest[sizeof(own) - 1] == '_' || rest[sizeof(own) - 1] == ':'))
		return LINE_DAMAGED;
	return LINE_FOREIGN;
}

unsigned int line_flush(struct line_state *st)
{
	unsigned int n = st->pieces;

	st->pending = 0;
	st->pieces = 0;
	return n;
}

enum line_class line_other(struct line_state *st, const char *s, const char *end,
			   unsigned int *foreign)
{
	size_t len = (size_t)(end - s);
	const char *rest;

	if (st->pending) {
		/* does this line end a task's name that the lines before began? */
		unsigned int dash = COMM_WIDTH - st->pending;

		rest = dash < len ? context_at(s + dash, end) : NULL;
		if (rest) {
			line_flush(st);
			return parse_named(st, rest, end) ? LINE_ETRACE :
			       judge_line(rest, end, rest);
		}
		if (len < dash) {
			st->pending += (unsigned int)len + 1;
			st->pieces++;
			return LINE_PENDING;
		}
		*foreign = line_flush(st);
		if (is_digit(*s) && line_plain(st, s, end))
			return LINE_ETRACE;
	}
	rest = find_context(st, s, end);
	if (rest)
		return parse_named(st, rest, end) ? LINE_ETRACE : judge_line(rest, end, rest);
	if (parse_named(st, s, end))
		return LINE_ETRACE;
	if (lost_line(s, end, &st->lost))
		return LINE_LOST;
	if (len < COMM_WIDTH && len && *s == ' ') {
		st->pending = (unsigned int)len + 1;
		st->pieces = 1;
		return LINE_PENDING;
	}
	return judge_line(s, end, s);
}
