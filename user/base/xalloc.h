/* SPDX-License-Identifier: LGPL-2.1 */
/*
 * Allocation that never returns without memory, so that no caller needs an error path
 * that is never tested.  When memory runs out, the thread's hook is called instead: a
 * program prints a message and exits; a library function jumps back to its entry
 * (longjmp) and returns -ENOMEM.
 *
 * After such a jump, the structures used in between may be half changed: they must not be
 * used any more, nor freed.  Their memory is lost.
 */
#ifndef ETRACE_XALLOC_H
#define ETRACE_XALLOC_H

#include <setjmp.h>
#include <stddef.h>
#include <stdlib.h>

void *xmalloc(size_t n) __attribute__((malloc, returns_nonnull));
void *xcalloc(size_t n, size_t size) __attribute__((malloc, returns_nonnull));
void *xrealloc(void *p, size_t n) __attribute__((returns_nonnull));
char *xstrdup(const char *s) __attribute__((malloc, returns_nonnull));
void *xmemdup(const void *p, size_t n) __attribute__((malloc, returns_nonnull));
/* A copy of @len bytes, followed by a NUL. */
char *xstrndup(const char *s, size_t len) __attribute__((malloc, returns_nonnull));

/* Does the work of xgrow() for an array that is too small. */
void *xgrow_more(void *p, size_t *cap, size_t need, size_t size)
	__attribute__((returns_nonnull));

/**
 * xgrow - make an array hold at least @need elements
 * @p: the array or NULL
 * @cap: its capacity in elements, updated; grows by doubling
 * @need: wanted elements
 * @size: bytes of one element
 *
 * Return: the array, moved if necessary; never NULL.
 */
static inline void *xgrow(void *p, size_t *cap, size_t need, size_t size)
{
	return p && need <= *cap ? p : xgrow_more(p, cap, need, size);
}

/**
 * xtrim - free an array that has become too large to be kept for reuse
 * @p: the array or NULL
 * @cap: its capacity in elements; set to 0 if it is freed
 * @keep: the largest capacity that is kept
 *
 * Return: the array, or NULL if it was freed.
 */
static inline void *xtrim(void *p, size_t *cap, size_t keep)
{
	if (*cap <= keep)
		return p;
	free(p);
	*cap = 0;
	return NULL;
}

/* ---- when memory runs out ---- */

/*
 * Called when this thread runs out of memory.  @fn must not return.  A thread that allocates must
 * have one: without it, the process is aborted.
 */
struct xalloc_hook {
	void (*fn)(void *arg, size_t wanted);
	void *arg;
};

/** xalloc_set_hook - set this thread's hook.  Return: the previous one. */
struct xalloc_hook xalloc_set_hook(struct xalloc_hook hook);

/** xalloc_failed - call the hook: another allocator could not get @wanted bytes */
void xalloc_failed(size_t wanted) __attribute__((noreturn));

/*
 * A point to return to when memory runs out:
 *
 *	struct xalloc_trap trap;
 *
 *	if (xalloc_caught(&trap))
 *		return -ENOMEM;
 *	... what allocates ...
 *	xalloc_end(&trap);
 *
 * The function must not return in between.  Local variables that are changed
 * in between and used after going back must be volatile.
 */
struct xalloc_trap {
	jmp_buf at;
	struct xalloc_hook before;
};

/** xalloc_caught - arm a trap.  False at first; true after memory ran out: the trap is off. */
#define xalloc_caught(trap)	(xalloc_arm(trap), setjmp((trap)->at) != 0)
void xalloc_arm(struct xalloc_trap *trap);
/** xalloc_end - restore the previous hook */
void xalloc_end(struct xalloc_trap *trap);

#endif
