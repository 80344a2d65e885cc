/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Allocation that ends the program with a message and exit status 2 when
 * memory runs out: nothing sensible is left to do then, and no caller has to
 * carry an error path that is never tested.
 */
#ifndef ETRACE_XALLOC_H
#define ETRACE_XALLOC_H

#include <stddef.h>

void *xmalloc(size_t n) __attribute__((malloc, returns_nonnull));
void *xcalloc(size_t n, size_t size) __attribute__((malloc, returns_nonnull));
void *xrealloc(void *p, size_t n) __attribute__((returns_nonnull));
char *xstrdup(const char *s) __attribute__((malloc, returns_nonnull));
void *xmemdup(const void *p, size_t n) __attribute__((malloc, returns_nonnull));

/**
 * xalloc_doing - what the message shall name when memory runs out
 * @what: a file's name, or the like; must stay; NULL: nothing
 */
void xalloc_doing(const char *what);

/**
 * xgrow - make an array hold at least @need elements
 * @p: the array or NULL
 * @cap: its capacity in elements, updated; grows by doubling
 * @need: wanted elements
 * @size: bytes of one element
 *
 * Return: the array, moved if necessary.
 */
void *xgrow(void *p, size_t *cap, size_t need, size_t size)
	__attribute__((returns_nonnull));

#endif
