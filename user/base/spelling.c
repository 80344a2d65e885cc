// SPDX-License-Identifier: LGPL-2.1
/* Compares spellings.  See spelling.h. */
#include "base/spelling.h"

#include <string.h>

#define MAX_NAME 128	/* maximum number of bytes that are compared */

unsigned int spelling_distance(const char *a, size_t na, const char *b, size_t nb)
{
	unsigned int row[MAX_NAME + 1], diagonal, above;

	na = na > MAX_NAME ? MAX_NAME : na;
	nb = nb > MAX_NAME ? MAX_NAME : nb;
	for (size_t j = 0; j <= nb; j++)
		row[j] = (unsigned int)j;
	for (size_t i = 0; i < na; i++) {
		diagonal = row[0];
		row[0] = (unsigned int)i + 1;
		for (size_t j = 0; j < nb; j++) {
			above = row[j + 1];
			diagonal += a[i] != b[j];
			if (above + 1 < diagonal)
				diagonal = above + 1;
			if (row[j] + 1 < diagonal)
				diagonal = row[j] + 1;
			row[j + 1] = diagonal;
			diagonal = above;
		}
	}
	return row[nb];
}

void spelling_try(struct spelling *s, const char *name)
{
	size_t len = strlen(name), wanted = strlen(s->wanted);
	unsigned int distance = spelling_distance(s->wanted, wanted, name, len);

	/* allow two typos, in short names one; or accept a name that begins with the wanted one */
	if (distance > (wanted < 4 ? 1 : 2) && (wanted < 3 || strncmp(name, s->wanted, wanted)))
		return;
	if (!s->best || distance < s->distance) {
		s->best = name;
		s->distance = distance;
	}
}
