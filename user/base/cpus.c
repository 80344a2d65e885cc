// SPDX-License-Identifier: LGPL-2.1
/* The numbers of the processors.  See cpus.h. */
#include "base/cpus.h"
#include "base/xalloc.h"

int *cpus_read(FILE *f, size_t *n)
{
	int *cpus = NULL, from, to;
	size_t cap = 0;

	*n = 0;
	while (fscanf(f, "%d", &from) == 1) {
		to = from;
		if (fscanf(f, "-%d", &to) < 0)
			to = from;
		for (; from <= to; from++) {
			cpus = xgrow(cpus, &cap, *n + 1, sizeof(*cpus));
			cpus[(*n)++] = from;
		}
		if (fgetc(f) != ',')
			break;
	}
	return cpus;
}

int *cpus_possible(size_t *n)
{
	FILE *f = fopen("/sys/devices/system/cpu/possible", "re");
	int *cpus;

	*n = 0;
	if (!f)
		return NULL;
	cpus = cpus_read(f, n);
	fclose(f);
	return cpus;
}

unsigned int cpus_above(const int *cpus, size_t n)
{
	return n ? (unsigned int)cpus[n - 1] + 1 : 0;
}
