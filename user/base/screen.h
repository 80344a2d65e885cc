/* SPDX-License-Identifier: LGPL-2.1 */
/* Text for a terminal: fits a number of columns and contains no control sequences. */
#ifndef ETRACE_SCREEN_H
#define ETRACE_SCREEN_H

#include <stdbool.h>

#include "base/buf.h"

/**
 * screen_add - append as much of a text as fits
 * @cols: number of columns that it may take
 * @utf8: whether the terminal shows UTF-8; otherwise everything outside ASCII becomes '?'
 *
 * Control characters, characters that change the direction of text, and bytes that are
 * not text become '?'.  Characters from U+1100 on count as two columns, since some of them
 * take two: the text may be cut earlier than necessary, but never takes more than @cols.
 *
 * Return: the number of columns taken.
 */
unsigned int screen_add(struct buf *to, const char *s, size_t len, unsigned int cols, bool utf8);

#endif
