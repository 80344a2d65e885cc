/* SPDX-License-Identifier: LGPL-2.1 */
/* The tags of the line format by their names. */
#ifndef ETRACE_TAG_H
#define ETRACE_TAG_H

#include "format/lines/line_list.h"

/** tag_find - the tag of that name, or LT_NONE */
enum lt_tag tag_find(const char *s, size_t len);

/**
 * tag_begins - the tag that the text of a line begins with
 * @s: the text, up to @end: 8 bytes before that are the line's
 * @len: gets the length of its name, with a '|' or '[' behind it
 *
 * Return: LT_NONE if there is none, and for some with a long name.
 */
enum lt_tag tag_begins(const char *s, const char *end, size_t *len);

#endif
