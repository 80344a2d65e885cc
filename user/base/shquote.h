/* SPDX-License-Identifier: LGPL-2.1 */
/*
 * A list of words as one line that a shell takes apart again: how argv is
 * shown.  Always valid UTF-8 without control characters, and exact: any bytes
 * but NUL come back as they were.
 */
#ifndef ETRACE_SHQUOTE_H
#define ETRACE_SHQUOTE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"

/**
 * sh_quote - append one word
 *
 * As it is where that is safe, else in '...', else in $'...' with escapes.
 */
void sh_quote(struct buf *b, const char *s, size_t len);

/**
 * sh_unquote - take the next word off a line that sh_quote() made with single
 * spaces between words
 * @s, @len: the line; moved on behind the word and its space
 * @word: filled with the word
 *
 * Return: false at the end of the line, or where it is not such a line: then
 * @len is not 0.
 */
bool sh_unquote(const char **s, size_t *len, struct buf *word);

#endif
