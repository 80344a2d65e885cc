// SPDX-License-Identifier: LGPL-2.1
/* Numbers for people.  See text_num.h. */
#include "base/text_num.h"

#include <inttypes.h>
#include <stdio.h>

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

const char *text_time(uint64_t ns)
{
	static _Thread_local char bufs[4][32];
	static _Thread_local unsigned int next;
	char *to = bufs[next++ % 4];
	uint64_t s = ns / 1000000000u;

	if (s < 60)
		snprintf(to, sizeof(bufs[0]), "%.3f s", (double)ns / 1e9);
	else if (s < 3600)
		snprintf(to, sizeof(bufs[0]), "%" PRIu64 " min %02" PRIu64 " s", s / 60, s % 60);
	else
		snprintf(to, sizeof(bufs[0]), "%" PRIu64 " h %02" PRIu64 " min", s / 3600,
			 s / 60 % 60);
	return to;
}
