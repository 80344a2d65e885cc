/* SPDX-License-Identifier: LGPL-2.1 */
/* Text for a screen: so many columns, and nothing in it that a terminal obeys. */
#ifndef ETRACE_SCREEN_H
#define ETRACE_SCREEN_H

#include <stdbool.h>

#include "base/buf.h"

/**
 * screen_add - append text, as much of it as there are columns for
 * @cols: how many
 * @utf8: whether the screen shows UTF-8; else all that is not ASCII is '?'
 *
 * Control characters, those that turn the direction of text, and bytes that are no
 * text are '?'.  Characters above U+1100 count as two columns, for some of them take
 * two: what is shown may be shorter than it could be, and is never longer.
 *
 * Return: how many columns are taken.
 */
unsigned int screen_add(struct buf *to, const char *s, size_t len, unsigned int cols, bool utf8);

#endif
