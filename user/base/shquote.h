/* SPDX-License-Identifier: LGPL-2.1 */
/*
 * Writes a list of words as one shell command line, and reads it back.  argv is shown
 * this way.  The line is valid UTF-8 without control characters, and exact: any bytes
 * but NUL can be read back.
 */
#ifndef ETRACE_SHQUOTE_H
#define ETRACE_SHQUOTE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"

/**
 * sh_quote - append one word
 *
 * The word is written as it is if that is safe, else in '...', else in $'...' with escapes.
 */
void sh_quote(struct buf *b, const char *s, size_t len);

/**
 * sh_unquote - read the next word of a line of words by sh_quote(), which single
 * spaces separate
 * @s, @len: the rest of the line; moved past the word and its space
 * @word: set to the word
 *
 * Return: false at the end of the line (@len is 0) and if the line is not in that form
 * (@len is not 0).
 */
bool sh_unquote(const char **s, size_t *len, struct buf *word);

#endif
