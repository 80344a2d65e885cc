/* SPDX-License-Identifier: LGPL-2.1 */
/* Steps of scanning text in lines of strace, from @s to before @end.  Only st_*.c include this. */
#ifndef ETRACE_ST_SCAN_H
#define ETRACE_ST_SCAN_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

static inline bool scan_is_digit(char c)
{
	return c >= '0' && c <= '9';
}

/* Value of a hexadecimal digit, -1 if it is none. */
static inline int scan_hex_digit(char c)
{
	if (scan_is_digit(c))
		return c - '0';
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

static inline bool scan_is_word(char c)
{
	return scan_is_digit(c) || c == '_' || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

static inline bool scan_begins(const char *s, const char *end, const char *with)
{
	size_t n = strlen(with);

	return (size_t)(end - s) >= n && !memcmp(s, with, n);
}

static inline bool scan_ends(const char *s, const char *end, const char *with)
{
	size_t n = strlen(with);

	return (size_t)(end - s) >= n && !memcmp(end - n, with, n);
}

static inline const char *scan_blanks(const char *s, const char *end)
{
	while (s < end && *s == ' ')
		s++;
	return s;
}

/* Parse decimal digits.  Return: the text after them, @s if there are none or more than 18. */
static inline const char *scan_digits(const char *s, const char *end, uint64_t *v)
{
	const char *p = s;

	*v = 0;
	for (; p < end && scan_is_digit(*p); p++) {
		if (p - s == 18)
			return s;
		*v = *v * 10 + (uint64_t)(*p - '0');
	}
	return p;
}

/* Parse seconds like "12.345678" into ns.  Return: the text after them, @s if there are none. */
static inline const char *scan_seconds(const char *s, const char *end, uint64_t *ns)
{
	uint64_t sec, unit = 100000000;
	const char *p = scan_digits(s, end, &sec);

	if (p == s || sec > INT64_MAX / 1000000000)
		return s;
	*ns = sec * 1000000000;
	if (p == end || *p != '.')
		return p;
	for (p++; p < end && scan_is_digit(*p); p++, unit /= 10)
		*ns += (uint64_t)(*p - '0') * unit;
	return p;
}

#endif
