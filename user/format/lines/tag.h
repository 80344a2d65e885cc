/* SPDX-License-Identifier: LGPL-2.1 */
/* Finds the tags of the line format by their names. */
#ifndef ETRACE_TAG_H
#define ETRACE_TAG_H

#include "format/lines/line_list.h"

/** tag_find - find the tag with a name; LT_NONE if none */
enum lt_tag tag_find(const char *s, size_t len);

/**
 * tag_begins - find the tag that the text of a line begins with
 * @s: the text, up to @end; the 8 bytes before @end must be readable
 * @len: gets the length of the tag's name, which a '|' or '[' follows
 *
 * Return: LT_NONE if there is none, or if the name has 8 bytes or more.
 */
enum lt_tag tag_begins(const char *s, const char *end, size_t *len);

#endif
