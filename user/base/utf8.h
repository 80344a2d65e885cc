/* SPDX-License-Identifier: LGPL-2.1 */
/* Checks UTF-8, and converts bytes that are not UTF-8 so that they can be shown. */
#ifndef ETRACE_UTF8_H
#define ETRACE_UTF8_H

#include <stdbool.h>
#include <stddef.h>

/**
 * utf8_char - length of the valid character at the beginning of @len > 0 bytes
 *
 * Return: 1 to 4 bytes, or 0 if they do not begin with one.  NUL does not count as valid.
 */
size_t utf8_char(const char *s, size_t len);

/**
 * utf8_valid - whether bytes are text: UTF-8 by RFC 3629 (no overlong forms, no
 * surrogates, nothing above U+10FFFF) without NUL bytes
 */
bool utf8_valid(const char *s, size_t len);

/**
 * utf8_cut - where to cut a text to at most @max bytes, not inside a character
 *
 * Return: its new length in bytes; never 0 for @len > 0 and @max >= 4.
 */
size_t utf8_cut(const char *s, size_t len, size_t max);

/**
 * utf8_replace - a copy in which every byte that is not part of valid UTF-8,
 * and every NUL, is U+FFFD
 * @out_len: set to the length of the copy in bytes
 *
 * Return: the copy, NUL-terminated, freed by the caller.
 */
char *utf8_replace(const char *s, size_t len, size_t *out_len);

/**
 * utf8_hex - bytes as lower-case hex digits, two for each
 *
 * Return: 2 * @len digits and a NUL, to be freed by the caller.
 */
char *utf8_hex(const char *s, size_t len);

/**
 * utf8_unhex - the reverse of utf8_hex(), into @buf of at least @len / 2 bytes
 *
 * Return: whether the text is an even number of hex digits.
 */
bool utf8_unhex(const char *s, size_t len, char *buf);

#endif
