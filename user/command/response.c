// SPDX-License-Identifier: LGPL-2.1
/* Splits the text of an @file into words.  See command.h. */
#include "command/command.h"

#include <ctype.h>

/* As in libiberty's buildargv(): a backslash escapes the next character, also in quotes. */
static const char *gnu_word(const char *at, const char *end, struct buf *word)
{
	char quote = 0;

	for (; at < end && (quote || !isspace((unsigned char)*at)); at++) {
		if (*at == '\\' && at + 1 < end)
			buf_addc(word, *++at);
		else if (quote && *at == quote)
			quote = 0;
		else if (!quote && (*at == '\'' || *at == '"'))
			quote = *at;
		else
			buf_addc(word, *at);
	}
	return at;
}

/* As on Windows: backslashes are special only before a double quote. */
static const char *windows_word(const char *at, const char *end, struct buf *word)
{
	bool quoted = false;

	while (at < end && (quoted || !isspace((unsigned char)*at))) {
		size_t n = 0;

		while (at + n < end && at[n] == '\\')
			n++;
		if (at + n < end && at[n] == '"') {
			for (size_t i = 0; i < n / 2; i++)
				buf_addc(word, '\\');
			if (n % 2)
				buf_addc(word, '"');
			else
				quoted = !quoted;
			at += n + 1;
		} else if (n) {
			buf_add(word, at, n);
			at += n;
		} else {
			buf_addc(word, *at++);
		}
	}
	return at;
}

/* As in rustc: each line is one word, including blanks. */
static const char *line_word(const char *at, const char *end, struct buf *word)
{
	while (at < end && *at != '\n' && *at != '\r')
		buf_addc(word, *at++);
	return at;
}

void response_words(enum at_files how, const char *text, size_t len,
		    void (*add)(void *ctx, char *word), void *ctx)
{
	const char *at = text, *end = text + len;

	for (;;) {
		struct buf word = { 0 };

		while (at < end && isspace((unsigned char)*at))
			at++;
		if (at == end)
			return;
		if (how == AT_WINDOWS)
			at = windows_word(at, end, &word);
		else if (how == AT_LINES)
			at = line_word(at, end, &word);
		else
			at = gnu_word(at, end, &word);
		buf_addc(&word, 0);
		add(ctx, word.s);
	}
}
