/* SPDX-License-Identifier: LGPL-2.1 */
/* Text for a terminal: fits a number of columns and contains no control sequences. */
#ifndef ETRACE_SCREEN_H
#define ETRACE_SCREEN_H

#include <stdbool.h>

#include "base/buf.h"

/**
 * screen_add - append as much of a text as fits
 * @cols: columns that it may take
 * @utf8: whether the screen shows UTF-8; else all that is not ASCII is '?'
 *
 * Control characters, characters that change the direction of text, and bytes that are
 * not text become '?'.  Characters above U+1100 count as two columns, for some of them take
 * two: what is shown may be shorter than it could be, and is never longer.
 *
 * Return: the number of columns taken.
 */
unsigned int screen_add(struct buf *to, const char *s, size_t len, unsigned int cols, bool utf8);

#endif
