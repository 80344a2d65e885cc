// SPDX-License-Identifier: LGPL-2.1
/* Words as a shell's line.  See shquote.h. */
#include "base/shquote.h"
#include "base/bytes.h"
#include "base/utf8.h"

#include <string.h>

static const char safe[256] = {
	['a' ... 'z'] = 1, ['A' ... 'Z'] = 1, ['0' ... '9'] = 1,
	['_'] = 1, ['@'] = 1, ['%'] = 1, ['+'] = 1, ['='] = 1, [':'] = 1,
	[','] = 1, ['.'] = 1, ['/'] = 1, ['-'] = 1,
};

/* Whether some of 16 bytes are not safe: not in the table above, in its order. */
static bool unsafe_16(const char *s)
{
	bytes_16 c = bytes_load_16(s);

	return bytes_any(~(((c >= '+') & (c <= ':')) | ((c >= '@') & (c <= 'Z')) |
			   ((c >= 'a') & (c <= 'z')) | (c == '_') | (c == '%') | (c == '=')));
}

/* Bytes at the beginning of a word that are safe. */
static size_t safe_len(const char *s, size_t len)
{
	size_t i = 0;

	if (len >= 16) {
		while (i + 16 < len && !unsafe_16(s + i))
			i += 16;
		if (i + 16 >= len && !unsafe_16(s + len - 16))
			return len;
	}
	while (i < len && safe[(unsigned char)s[i]])
		i++;
	return i;
}

static void escape(struct buf *b, const char *s, size_t len)
{
	static const char hex[] = "0123456789abcdef";

	buf_adds(b, "$'");
	for (size_t i = 0; i < len;) {
		unsigned char c = (unsigned char)s[i];
		size_t n = utf8_char(s + i, len - i);

		if (c == '\\' || c == '\'') {
			buf_addc(b, '\\');
			buf_addc(b, (char)c);
		} else if (c == '\n') {
			buf_adds(b, "\\n");
		} else if (c == '\t') {
			buf_adds(b, "\\t");
		} else if (!n || c < 0x20 || c == 0x7f) {
			buf_adds(b, "\\x");
			buf_addc(b, hex[c >> 4]);
			buf_addc(b, hex[c & 15]);
		} else {
			buf_add(b, s + i, n);
		}
		i += n ? n : 1;
	}
	buf_addc(b, '\'');
}

void sh_quote(struct buf *b, const char *s, size_t len)
{
	bool quotable = true;
	size_t i = safe_len(s, len);

	if (len && i == len) {
		buf_add(b, s, len);
		return;
	}
	for (; i < len; i++) {
		unsigned char c = (unsigned char)s[i];

		quotable = quotable && c != '\'' && c >= 0x20 && c != 0x7f;
	}
	if (quotable && utf8_valid(s, len)) {
		buf_addc(b, '\'');
		buf_add(b, s, len);
		buf_addc(b, '\'');
	} else {
		escape(b, s, len);
	}
}

/* One escape behind the backslash.  Return: its length, 0: there is none such. */
static size_t unescape(const char *s, size_t len, struct buf *word)
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
		for (i = 2; i < len && s[i] != '\''; i++) {
			size_t n;

			if (s[i] != '\\') {
				buf_addc(word, s[i]);
				continue;
			}
			n = unescape(s + i + 1, len - i - 1, word);
			if (!n)
				return false;
			i += n;
		}
		if (i++ >= len)
			return false;
	} else {
		i = safe_len(s, len);
		buf_add(word, s, i);
	}
	/* a space and another word, or the end */
	if (!i || (i < len && (s[i] != ' ' || i + 1 == len)))
		return false;
	i += i < len;
	*at = s + i;
	*left = len - i;
	return true;
}
