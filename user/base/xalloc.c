// SPDX-License-Identifier: LGPL-2.1
/* Allocation that never returns NULL.  See xalloc.h. */
#include "base/xalloc.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

static _Thread_local struct xalloc_hook hook;

struct xalloc_hook xalloc_set_hook(struct xalloc_hook new)
{
	struct xalloc_hook before = hook;

	hook = new;
	return before;
}

void xalloc_failed(size_t wanted)
{
	if (hook.fn)
		hook.fn(hook.arg, wanted);
	abort();
}

static void go_back(void *arg, size_t wanted)
{
	struct xalloc_trap *trap = arg;

	(void)wanted;
	xalloc_end(trap);
	longjmp(trap->at, 1);
}

void xalloc_arm(struct xalloc_trap *trap)
{
	trap->before = xalloc_set_hook((struct xalloc_hook){ go_back, trap });
}

void xalloc_end(struct xalloc_trap *trap)
{
	hook = trap->before;
}

static void *check_allocated(void *p, size_t n)
{
	if (!p)
		xalloc_failed(n);
	return p;
}

void *xmalloc(size_t n)
{
	return check_allocated(malloc(n ? n : 1), n);
}

void *xcalloc(size_t n, size_t size)
{
	return check_allocated(calloc(n ? n : 1, size ? size : 1), n * size);
}

void *xrealloc(void *p, size_t n)
{
	return check_allocated(realloc(p, n ? n : 1), n);
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

char *xstrndup(const char *s, size_t len)
{
	char *to = xmalloc(len + 1);

	if (len)
		memcpy(to, s, len);
	to[len] = '\0';
	return to;
}

void *xgrow_more(void *p, size_t *cap, size_t need, size_t size)
{
	size_t n = *cap ? *cap : size == 1 ? 64 : 8;

	while (n < need)
		n = n > SIZE_MAX / 2 ? need : n * 2;
	if (size && n > SIZE_MAX / size)
		check_allocated(NULL, SIZE_MAX);
	p = xrealloc(p, n * size);
	*cap = n;
	return p;
}
