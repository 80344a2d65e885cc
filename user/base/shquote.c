// SPDX-License-Identifier: LGPL-2.1
/* Quotes words for a shell, and reads them back.  See shquote.h. */
#include "base/shquote.h"
#include "base/bytes.h"
#include "base/utf8.h"

#include <string.h>

/* Kinds of bytes, by the quoting that they need, from least to most. */
enum {
	SAFE,		/* needs no quotes */
	QUOTED,		/* needs '...' or $'...' */
	BACKSLASH,	/* needs '...', or a backslash in $'...' */
	OTHER,		/* not ASCII: needs '...' or $'...' if it is UTF-8, else an escape */
	ESCAPED,	/* needs an escape in $'...' */
};

static const unsigned char needs[256] = {
	[0 ... 0x1f] = ESCAPED, ['\''] = ESCAPED, [0x7f] = ESCAPED,
	[0x80 ... 0xff] = OTHER, ['\\'] = BACKSLASH,
	[' ' ... '$'] = QUOTED, ['&'] = QUOTED, ['(' ... '*'] = QUOTED, [';' ... '<'] = QUOTED,
	['>' ... '?'] = QUOTED, ['['] = QUOTED, [']' ... '^'] = QUOTED, ['`'] = QUOTED,
	['{' ... '~'] = QUOTED,
};

/* Which of 16 bytes are of a kind above QUOTED. */
static inline bytes_16 more_than_quoted(bytes_16 c)
{
	return (c < ' ') | (c == '\'') | (c == '\\') | (c == 0x7f);
}

/* Which of 16 bytes are of a kind above @most. */
static inline bytes_16 more_of(bytes_16 c, unsigned int most)
{
	switch (most) {
	case SAFE:
		return ~(((c >= '+') & (c <= ':')) | ((c >= '@') & (c <= 'Z')) |
			 ((c >= 'a') & (c <= 'z')) | (c == '_') | (c == '%') | (c == '='));
	case QUOTED:
		return more_than_quoted(c);
	default:
		return ((c < ' ') & (c >= 0)) | (c == '\'') | (c == 0x7f);
	}
}

static inline bool more_16(const char *s, unsigned int most)
{
	return bytes_any(more_of(bytes_load_16(s), most));
}

/* Whether no byte needs quotes.  Some bytes may be read twice. */
static inline bool all_safe(const char *s, size_t len)
{
	uint64_t twice[2];
	bytes_16 c;

	if (len >= 16) {
		for (size_t i = 0; i + 16 < len; i += 16)
			if (more_16(s + i, SAFE))
				return false;
		return !more_16(s + len - 16, SAFE);
	}
	if (len >= 8) {
		twice[0] = bytes_8(s);
		twice[1] = bytes_8(s + len - 8);
	} else if (len >= 4) {
		twice[0] = twice[1] = bytes_4(s) | (uint64_t)bytes_4(s + len - 4) << 32;
	} else {
		for (size_t i = 0; i < len; i++)
			if (needs[(unsigned char)s[i]] != SAFE)
				return false;
		return true;
	}
	memcpy(&c, twice, 16);
	return !bytes_any(more_of(c, SAFE));
}

/* The number of bytes at the beginning that need no more than @most. */
static inline size_t run_len(const char *s, size_t len, unsigned int most)
{
	size_t i = 0, n = 16;

	for (; n == 16 && i + 16 <= len; i += n)
		n = bytes_before(more_of(bytes_load_16(s + i), most));
	if (n != 16)
		return i;
	/* check the last 16 bytes, some of them for the second time */
	if (i && i + 16 > len && !more_16(s + len - 16, most))
		return len;
	while (i < len && needs[(unsigned char)s[i]] <= most)
		i++;
	return i;
}

/*
 * Copy 16 bytes.  Return: how many of them, from the first on, need no more than QUOTED.
 */
static inline size_t copy_run(char *to, const char *s)
{
	bytes_16 c = bytes_load_16(s);

	memcpy(to, &c, 16);
	return bytes_before(more_than_quoted(c));
}

/* Write the character at @s, which needs more than QUOTED.  Return: its length in bytes. */
static size_t escape_one(char **at, const char *s, size_t len)
{
	static const char hex[] = "0123456789abcdef";
	unsigned char c = (unsigned char)*s;
	size_t n = c < 0x80 ? 0 : utf8_char(s, len);
	char *to = *at;

	if (n) {
		memcpy(to, s, n);
		*at = to + n;
		return n;
	}
	*to++ = '\\';
	if (c == '\\' || c == '\'') {
		*to++ = (char)c;
	} else if (c == '\n') {
		*to++ = 'n';
	} else if (c == '\t') {
		*to++ = 't';
	} else {
		*to++ = 'x';
		*to++ = hex[c >> 4];
		*to++ = hex[c & 15];
	}
	*at = to;
	return 1;
}

static __attribute__((noinline)) void escape(struct buf *b, const char *s, size_t len)
{
	/* room for $'', four bytes for each byte, and what copy_run() writes past the end */
	char *begin = buf_room(b, 3 + 4 * len + 16), *to = begin;
	size_t i = 0;

	*to++ = '$';
	*to++ = '\'';
	while (i < len) {
		size_t n = 0;

		if (len - i >= 16)
			n = copy_run(to, s + i);
		else if (needs[(unsigned char)s[i]] <= QUOTED)
			to[n++] = s[i];
		to += n;
		i += n;
		if (n != 16 && i < len && needs[(unsigned char)s[i]] > QUOTED)
			i += escape_one(&to, s + i, len - i);
	}
	*to++ = '\'';
	b->len += (size_t)(to - begin);
}

void sh_quote(struct buf *b, const char *s, size_t len)
{
	if (len && all_safe(s, len)) {
		buf_add(b, s, len);
		return;
	}
	if (run_len(s, len, OTHER) == len && utf8_valid(s, len)) {
		buf_addc(b, '\'');
		buf_add(b, s, len);
		buf_addc(b, '\'');
	} else {
		escape(b, s, len);
	}
}

/* Read an escape; @s is after its backslash. Return: its length, 0 if it is not an escape. */
static size_t read_escape(const char *s, size_t len, struct buf *word)
{
	char c;

	if (!len)
		return 0;
	switch (s[0]) {
	case '\\':
	case '\'':
		buf_addc(word, s[0]);
		return 1;
	case 'n':
		buf_addc(word, '\n');
		return 1;
	case 't':
		buf_addc(word, '\t');
		return 1;
	case 'x':
		if (len < 3 || !utf8_unhex(s + 1, 2, &c))
			return 0;
		buf_addc(word, c);
		return 3;
	default:
		return 0;
	}
}

bool sh_unquote(const char **at, size_t *left, struct buf *word)
{
	const char *s = *at;
	size_t len = *left, i = 0;

	word->len = 0;
	if (!len)
		return false;
	if (s[0] == '\'') {
		const char *end = memchr(s + 1, '\'', len - 1);

		if (!end)
			return false;
		i = (size_t)(end - s) + 1;
		buf_add(word, s + 1, i - 2);
	} else if (len > 1 && s[0] == '$' && s[1] == '\'') {
		for (i = 2; i < len && s[i] != '\'';) {
			size_t n = run_len(s + i, len - i, QUOTED);

			if (!n && s[i] == '\\') {
				n = read_escape(s + i + 1, len - i - 1, word);
				if (!n)
					return false;
				i += n + 1;
				continue;
			}
			/* a byte that sh_quote() would have escaped stands for itself */
			n += !n;
			buf_add(word, s + i, n);
			i += n;
		}
		if (i++ >= len)
			return false;
	} else {
		i = run_len(s, len, SAFE);
		buf_add(word, s, i);
	}
	/* a space and another word must follow, or the end */
	if (!i || (i < len && (s[i] != ' ' || i + 1 == len)))
		return false;
	i += i < len;
	*at = s + i;
	*left = len - i;
	return true;
}
