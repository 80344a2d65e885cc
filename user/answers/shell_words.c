// SPDX-License-Identifier: LGPL-2.1
/* Reads the words of a shell's text.  See shell_words.h. */
#include "answers/shell_words.h"

#include <string.h>

static bool ends_word(char c)
{
	return strchr(" \t\n;&|<>()", c);
}

/* Read the text between double quotes, up to the closing one. */
static bool take_quoted(struct shell_words *t)
{
	bool literal = true;

	while (t->s < t->end && *t->s != '"') {
		if (*t->s == '`' || (*t->s == '$' && t->s + 1 < t->end && t->s[1] == '('))
			t->strange = true;
		literal &= *t->s != '$' && *t->s != '`';
		if (*t->s == '\\' && t->s + 1 < t->end)
			t->s++;
		buf_addc(&t->words, *t->s++);
	}
	t->strange |= t->s == t->end;
	t->s += t->s < t->end;
	return literal;
}

/* Append "{x:-a b}" of a variable; only command substitutions in it matter. */
static void add_variable(struct shell_words *t)
{
	t->s++;
	if (t->s < t->end && *t->s == '(')
		t->strange = true;
	if (t->s < t->end && *t->s == '{') {
		const char *brace = memchr(t->s, '}', (size_t)(t->end - t->s));

		t->strange |= !brace || memchr(t->s, '`', (size_t)(brace - t->s)) ||
			      memmem(t->s, (size_t)(brace - t->s), "$(", 2);
		brace = brace ? brace + 1 : t->end;
		buf_add(&t->words, t->s, (size_t)(brace - t->s));
		t->s = brace;
	}
}

bool shell_word(struct shell_words *t)
{
	bool literal = *t->s != '~';
	size_t from = t->words.len;

	while (t->s < t->end && !ends_word(*t->s)) {
		const char *quote;

		switch (*t->s) {
		case '\'':
			quote = memchr(t->s + 1, '\'', (size_t)(t->end - t->s - 1));
			t->strange |= !quote;
			quote = quote ? quote : t->end;
			buf_add(&t->words, t->s + 1, (size_t)(quote - t->s - 1));
			t->s = quote < t->end ? quote + 1 : quote;
			break;
		case '"':
			t->s++;
			literal &= take_quoted(t);
			break;
		case '`':
			t->strange = true;
			literal = false;
			t->s++;
			break;
		case '$':
			literal = false;
			buf_addc(&t->words, '$');
			add_variable(t);
			break;
		case '\\':
			t->s += t->s + 1 < t->end;
			buf_addc(&t->words, *t->s++);
			break;
		default:
			/* "[" and "{" are commands */
			literal &= !strchr(t->words.len > from ? "*?[{" : "*?", *t->s);
			buf_addc(&t->words, *t->s++);
		}
	}
	return literal;
}

size_t shell_name(const char *s, size_t len)
{
	size_t i = 0;

	while (i < len && (s[i] == '_' || (s[i] >= '0' && s[i] <= '9') ||
			   ((s[i] | 32) >= 'a' && (s[i] | 32) <= 'z')))
		i++;
	return i;
}

bool shell_is_assignment(const char *s, size_t len)
{
	size_t i = shell_name(s, len);

	return i && i < len && (s[i] == '=' || (s[i] == '+' && i + 1 < len && s[i + 1] == '='));
}

void shell_blanks(struct shell_words *t)
{
	while (t->s < t->end && (*t->s == ' ' || *t->s == '\t' ||
				 (*t->s == '\\' && t->s + 1 < t->end && t->s[1] == '\n')))
		t->s += *t->s == '\\' ? 2 : 1;
	if (t->s < t->end && *t->s == '#')
		while (t->s < t->end && *t->s != '\n')
			t->s++;
}

bool shell_redirection(struct shell_words *t)
{
	const char *s = t->s;
	size_t from = t->words.len;

	while (s < t->end && *s >= '0' && *s <= '9')
		s++;
	if (s == t->end || (*s != '<' && *s != '>'))
		return false;
	/* a here-document, or process substitution */
	t->strange |= s + 1 < t->end && (s[1] == '(' || (*s == '<' && s[1] == '<'));
	while (s < t->end && strchr("<>&|", *s))
		s++;
	t->s = s;
	shell_blanks(t);
	if (t->s < t->end)
		shell_word(t);
	t->words.len = from;
	return true;
}
