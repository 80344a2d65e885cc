/* SPDX-License-Identifier: LGPL-2.1 */
/* Reads the words of a shell's text. */
#ifndef ETRACE_SHELL_WORDS_H
#define ETRACE_SHELL_WORDS_H

#include "base/buf.h"

struct shell_words {
	const char *s, *end;	/* what is left of the text */
	struct buf words;	/* words without their quotes, one right after the other */
	bool strange;		/* it has syntax that is not understood here */
};

/**
 * shell_word - append a word to @words
 *
 * Return: false if its value is only known when the shell runs.
 */
bool shell_word(struct shell_words *t);

/** shell_blanks - skip blanks, a comment, and the ends of lines that go on */
void shell_blanks(struct shell_words *t);

/** shell_redirection - skip a redirection: "> file", "2>&1".  Return: whether there was one */
bool shell_redirection(struct shell_words *t);

/** shell_name - length of the name of a variable at the start of a text */
size_t shell_name(const char *s, size_t len);

/** shell_is_assignment - whether a word is one: "x=y" */
bool shell_is_assignment(const char *s, size_t len);

#endif
