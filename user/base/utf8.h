/* SPDX-License-Identifier: LGPL-2.1 */
/* UTF-8: what is valid, and how to show what is not.  Shared by all sinks. */
#ifndef ETRACE_UTF8_H
#define ETRACE_UTF8_H

#include <stdbool.h>
#include <stddef.h>

/**
 * utf8_char - length of the valid character that bytes begin with
 *
 * Return: 1 to 4, or 0 if they do not begin with one (NUL is none); @len > 0.
 */
size_t utf8_char(const char *s, size_t len);

/**
 * utf8_valid - whether bytes are text: UTF-8 as RFC 3629 has it (no overlong
 * forms, no surrogates, nothing above U+10FFFF) without NUL bytes
 */
bool utf8_valid(const char *s, size_t len);

/**
 * utf8_cut - the longest beginning of at most @max bytes that does not end
 * inside a character
 *
 * Return: its length; never 0 for @len > 0 and @max >= 4.
 */
size_t utf8_cut(const char *s, size_t len, size_t max);

/**
 * utf8_replace - a copy in which every byte that is not part of valid UTF-8,
 * and every NUL, is U+FFFD
 * @out_len: where the length of the copy goes
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
 * Return: whether it was all hex digits, an even number of them.
 */
bool utf8_unhex(const char *s, size_t len, char *buf);

#endif
