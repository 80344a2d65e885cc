// SPDX-License-Identifier: GPL-2.0
/* Allocation that ends the program when memory runs out.  See xalloc.h. */
#include "base/xalloc.h"

#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *doing;

void xalloc_doing(const char *what)
{
	doing = what;
}

static void *check(void *p, size_t n)
{
	if (!p) {
		fprintf(stderr, "%s: %s%sout of memory: %zu bytes more could not be had\n",
			program_invocation_short_name, doing ? doing : "", doing ? ": " : "", n);
		exit(2);
	}
	return p;
}

void *xmalloc(size_t n)
{
	return check(malloc(n ? n : 1), n);
}

void *xcalloc(size_t n, size_t size)
{
	return check(calloc(n ? n : 1, size ? size : 1), n * size);
}

void *xrealloc(void *p, size_t n)
{
	return check(realloc(p, n ? n : 1), n);
}

char *xstrdup(const char *s)
{
	return xmemdup(s, strlen(s) + 1);
}

void *xmemdup(const void *p, size_t n)
{
	void *q = xmalloc(n);

	if (n)
		memcpy(q, p, n);
	return q;
}

void *xgrow(void *p, size_t *cap, size_t need, size_t size)
{
	size_t n = *cap ? *cap : 8;

	if (p && need <= *cap)
		return p;
	while (n < need)
		n = n > SIZE_MAX / 2 ? need : n * 2;
	if (size && n > SIZE_MAX / size)
		check(NULL, SIZE_MAX);
	p = xrealloc(p, n * size);
	*cap = n;
	return p;
}
