// SPDX-License-Identifier: LGPL-2.1
/* Finds a time in the content of a file.  See time_text.h. */
#include "base/time_text.h"

#include <ctype.h>
#include <string.h>
#include <time.h>

/* If a build takes longer than this, in s, a match of minutes and seconds proves nothing. */
#define LONG 600
/* Bytes times seconds above which the chance of a random match of a binary time exceeds 1 %. */
#define CHANCE ((1ull << 31) / 100)
#define DAY 86400

static bool is_then(const struct time_span *w, uint64_t seconds)
{
	return w->to && (int64_t)seconds >= w->from && (int64_t)seconds <= w->to;
}

/* Whether @n digits are a time: s since 1970, and maybe parts of one; or octal, as in tar. */
static bool is_time_number(const struct time_span *w, const char *s, size_t n)
{
	uint64_t v = 0, octal = 0;

	for (size_t i = 0; i < n && i < 10; i++)
		v = v * 10 + (uint64_t)(s[i] - '0');
	for (size_t i = 0; n == 11 && i < n; i++)
		octal = octal * 8 + (uint64_t)(s[i] - '0');
	return n >= 10 && (is_then(w, v) || is_then(w, octal));
}

/*
 * Compare minutes and seconds only, to ignore the time zone: most differ by whole hours, some by
 * half hours. In a long build, any would match.
 */
static bool is_minute(const struct time_span *w, unsigned int minute, unsigned int second)
{
	if (w->to - w->from > LONG && !w->both)
		return false;
	for (int64_t t = w->from; w->to && t <= w->to && t < w->from + 1800; t++)
		if ((unsigned int)(t % 1800) == minute % 30 * 60 + second)
			return true;
	return false;
}

static unsigned int two_digits(const char *s)
{
	return (unsigned int)(s[0] - '0') * 10 + (unsigned int)(s[1] - '0');
}

static bool has_form(const char *s, size_t left, const char *form)
{
	size_t n = strlen(form);

	for (size_t i = 0; i < n && left >= n; i++)
		if (form[i] == '0' ? !isdigit((unsigned char)s[i]) : form[i] != '?' && s[i] != form[i])
			return false;
	return left >= n;
}

/* Whether a text begins with a time of the build: "12:05:31" */
static bool is_time_text(const struct time_span *w, const char *s, size_t left)
{
	return has_form(s, left, "00:00:00") && is_minute(w, two_digits(s + 3), two_digits(s + 6));
}

/* Whether a text begins with a date and a time of the build without seconds: "2026-11-29 12:05" */
static bool is_date_text(const struct time_span *w, const char *s, size_t left)
{
	struct tm tm = { 0 };
	int64_t t;

	if (!has_form(s, left, "0000-00-00?00:00"))
		return false;
	tm.tm_year = (int)(two_digits(s) * 100 + two_digits(s + 2)) - 1900;
	tm.tm_mon = (int)two_digits(s + 5) - 1;
	tm.tm_mday = (int)two_digits(s + 8);
	t = timegm(&tm);
	/* the day in a time zone that may be another */
	if (t > w->to + DAY || t < w->from - 2 * DAY)
		return false;
	for (unsigned int second = 0; second < 60; second++)
		if (is_minute(w, two_digits(s + 14), second))
			return true;
	return false;
}

static bool is_stamp(const struct time_span *w, const char *s, size_t n)
{
	/* the form is YYYYMMDDhhmmss */
	return n == 14 && (s[0] == '1' || s[0] == '2') &&
	       is_minute(w, two_digits(s + 10), two_digits(s + 12));
}

const char *time_in_text(const struct time_span *w, const struct buf *b, size_t *len)
{
	size_t i = 0, n;

	while (i < b->len) {
		if (!isdigit((unsigned char)b->s[i])) {
			i++;
			continue;
		}
		for (n = 0; i + n < b->len && isdigit((unsigned char)b->s[i + n]); n++)
			;
		*len = n;
		if (is_time_number(w, b->s + i, n) || is_stamp(w, b->s + i, n))
			return b->s + i;
		*len = 8;
		if (n == 2 && is_time_text(w, b->s + i, b->len - i))
			return b->s + i;
		*len = 16;
		if (n == 4 && is_date_text(w, b->s + i, b->len - i))
			return b->s + i;
		i += n;
	}
	return NULL;
}

bool time_would_show(const struct time_span *w, const struct buf *b, bool text)
{
	/* at each byte, a few of the 2^32 possible numbers match by chance */
	return w->to && (text ? w->both || w->to - w->from <= LONG :
			 (uint64_t)(w->to - w->from + 1) * b->len <= CHANCE);
}

/* Whether eight hexadecimal digits are a time, as in cpio. */
static bool has_hexadecimal(const struct time_span *w, const char *s)
{
	uint64_t v = 0;

	for (size_t i = 0; i < 8; i++) {
		if (!isxdigit((unsigned char)s[i]))
			return false;
		v = v * 16 + (uint64_t)(isdigit((unsigned char)s[i]) ? s[i] - '0' : (s[i] | 32) - 'a' + 10);
	}
	return is_then(w, v);
}

bool time_in_numbers(const struct time_span *w, const struct buf *b)
{
	const uint8_t *s = (const uint8_t *)b->s;

	for (size_t i = 0; i + 8 <= b->len; i++)
		/* cpio: 8 hexadecimal digits */
		if (has_hexadecimal(w, b->s + i))
			return true;
	for (size_t i = 0; i + 4 <= b->len; i++) {
		uint64_t low = s[i] | s[i + 1] << 8 | s[i + 2] << 16 | (uint64_t)s[i + 3] << 24;
		uint64_t high = s[i + 3] | s[i + 2] << 8 | s[i + 1] << 16 | (uint64_t)s[i] << 24;

		if (is_then(w, low) || is_then(w, high))
			return true;
		if (!memcmp(s + i, "PK\3\4", 4) && i + 12 <= b->len) {
			unsigned int t = s[i + 10] | (unsigned int)s[i + 11] << 8;

			if (is_minute(w, t >> 5 & 63, (t & 31) * 2) ||
			    is_minute(w, t >> 5 & 63, (t & 31) * 2 + 1))
				return true;
		}
	}
	return false;
}
