// SPDX-License-Identifier: GPL-2.0
/*
 * Arbitrary bytes as a time trace: nothing crashes, and every slice lies within the slice
 * around it and within the program's run time.
 */
#include <stdlib.h>

#include "format/json/chrome.h"

#define AT	1000
#define UNTIL	50000000

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	const struct chrome_slice *around[CHROME_MAX_DEPTH];
	struct chrome_trace t = { 0 };

	if (chrome_parse(&t, (const char *)data, n) == CHROME_OK)
		chrome_place(&t, AT, UNTIL, t.begin ? &t.begin : NULL);
	else
		t.n = 0;
	for (size_t i = 0; i < t.n; i++) {
		const struct chrome_slice *s = &t.slices[i];

		if (s->depth >= CHROME_MAX_DEPTH || s->thread >= t.nthreads || s->from > s->to ||
		    s->from < AT || s->to > UNTIL)
			abort();
		around[s->depth] = s;
		if (s->depth && (around[s->depth - 1]->from > s->from || around[s->depth - 1]->to < s->to))
			abort();
	}
	chrome_free(&t);
	return 0;
}
