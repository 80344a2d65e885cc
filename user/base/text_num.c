// SPDX-License-Identifier: LGPL-2.1
/* Numbers for people.  See text_num.h. */
#include "base/text_num.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

const char *text_count(uint64_t n)
{
	static _Thread_local char bufs[4][32];
	static _Thread_local unsigned int next;
	char digits[24], *to = bufs[next++ % 4], *at = to;
	int len = snprintf(digits, sizeof(digits), "%" PRIu64, n);

	for (int i = 0; i < len; i++) {
		if (i && (len - i) % 3 == 0)
			*at++ = ',';
		*at++ = digits[i];
	}
	*at = 0;
	return to;
}

const char *text_counted(uint64_t n, const char *one, const char *many)
{
	static _Thread_local char bufs[4][96];
	static _Thread_local unsigned int next;
	char *to = bufs[next++ % 4];

	snprintf(to, sizeof(bufs[0]), "%s %s", text_count(n), n == 1 ? one : many);
	return to;
}

const char *text_noun(uint64_t n, const char *what)
{
	static const struct {
		const char *many, *one;
	} ends[] = { { "ies", "y" }, { "sses", "ss" }, { "s", "" } };
	static _Thread_local char bufs[4][256];
	static _Thread_local unsigned int next;
	char *to = bufs[next++ % 4];
	const char *end = what + strcspn(what, " ");

	while (*end && end[-1] != 's')
		end += 1 + strcspn(end + 1, " ");
	for (size_t i = 0; n == 1 && i < sizeof(ends) / sizeof(ends[0]); i++) {
		size_t len = strlen(ends[i].many), kept = (size_t)(end - what) - len;

		if ((size_t)(end - what) <= len || memcmp(what + kept, ends[i].many, len))
			continue;
		snprintf(to, sizeof(bufs[0]), "%.*s%s%s", (int)kept, what, ends[i].one, end);
		return to;
	}
	return what;
}

const char *text_bytes(uint64_t n)
{
	static const char *const units[] = { "B", "kB", "MB", "GB", "TB" };
	static _Thread_local char bufs[4][32];
	static _Thread_local unsigned int next;
	char *to = bufs[next++ % 4];
	double v = (double)n;
	unsigned int u = 0;

	while (v >= 1000 && u < 4) {
		v /= 1000;
		u++;
	}
	snprintf(to, sizeof(bufs[0]), u ? "%.1f %s" : "%.0f %s", v, units[u]);
	return to;
}

/* How times below @below ns are printed: the value of the last digit in ns, and the unit. */
static const struct {
	uint64_t below, digit;
	unsigned int decimals;
	const char *unit;
} times[] = {
	{ 1000, 1, 0, "ns" },
	{ 999500, 1000, 0, "us" },
	{ 9950000, 100000, 1, "ms" },
	{ 999500000, 1000000, 0, "ms" },
	{ 9995000000, 10000000, 2, "s" },
	{ 59950000000, 100000000, 1, "s" },
};

static uint64_t divide_rounded(uint64_t n, uint64_t unit)
{
	return n / unit + (n % unit >= unit - unit / 2);
}

const char *text_time(uint64_t ns)
{
	static const unsigned int powers[] = { 1, 10, 100 };
	static _Thread_local char bufs[4][32];
	static _Thread_local unsigned int next;
	char *to = bufs[next++ % 4];
	uint64_t s = divide_rounded(ns, 1000000000), min = divide_rounded(s, 60);

	if (!ns)
		return "0 s";
	for (size_t i = 0; i < sizeof(times) / sizeof(times[0]); i++) {
		unsigned int power = powers[times[i].decimals];
		uint64_t n = divide_rounded(ns, times[i].digit);

		if (ns >= times[i].below)
			continue;
		if (power == 1)
			snprintf(to, sizeof(bufs[0]), "%" PRIu64 " %s", n, times[i].unit);
		else
			snprintf(to, sizeof(bufs[0]), "%" PRIu64 ".%0*" PRIu64 " %s", n / power,
				 (int)times[i].decimals, n % power, times[i].unit);
		return to;
	}
	if (s < 3600)
		snprintf(to, sizeof(bufs[0]), "%" PRIu64 " min %02" PRIu64 " s", s / 60, s % 60);
	else
		snprintf(to, sizeof(bufs[0]), "%" PRIu64 " h %02" PRIu64 " min", min / 60, min % 60);
	return to;
}
