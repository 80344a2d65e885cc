// SPDX-License-Identifier: LGPL-2.1
/* Bump allocator and interned strings.  See sprt_mem.h. */
#include "format/sprtrace/sprt_mem.h"
#include "base/hash.h"
#include "base/xalloc.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#ifdef __SANITIZE_ADDRESS__
#include <sanitizer/asan_interface.h>
/* Let AddressSanitizer find an access past an allocation, as it does with malloc(). */
#define hide(p, n)	__asan_poison_memory_region(p, n)
#define show(p, n)	__asan_unpoison_memory_region(p, n)
#define ARENA_GAP	8u
#else
#define hide(p, n)	((void)(p), (void)(n))
#define show(p, n)	((void)(p), (void)(n))
#define ARENA_GAP	0u
#endif

#define ARENA_BLOCK	4096u

struct sprt_arena_block {
	struct sprt_arena_block *next;
	size_t used, size;

	_Alignas(8) unsigned char data[];
};

void *sprt_arena_alloc(struct sprt_arena *a, size_t size)
{
	struct sprt_arena_block *b = a->block;
	size_t asked = size;
	void *p;

	size = ((size + 7) & ~(size_t)7) + ARENA_GAP;
	if (!b || b->size - b->used < size) {
		/* Blocks grow with the arena, so that both small and large
		 * logs waste at most a fraction of what they hold.
		 */
		size_t n = b ? b->size * 2 : ARENA_BLOCK;

		if (n > 256 * ARENA_BLOCK)
			n = 256 * ARENA_BLOCK;
		if (n < size)
			n = size;
		b = xmalloc(sizeof(*b) + n);
		b->next = a->block;
		b->used = 0;
		b->size = n;
		a->block = b;
		hide(b->data, n);
	}
	p = b->data + b->used;
	b->used += size;
	show(p, asked);
	return p;
}

void sprt_arena_reset(struct sprt_arena *a)
{
	struct sprt_arena rest;

	if (!a->block)
		return;
	rest.block = a->block->next;
	a->block->next = NULL;
	hide(a->block->data, a->block->used);
	a->block->used = 0;
	sprt_arena_free(&rest);
}

void sprt_arena_free(struct sprt_arena *a)
{
	while (a->block) {
		struct sprt_arena_block *next = a->block->next;

		free(a->block);
		a->block = next;
	}
}

void sprt_room_free(struct sprt_room *room)
{
	sprt_arena_free(&room->strings);
	free(room->arg);
	free(room->frame);
}

const void *sprt_intern(struct sprt_intern *in, const void *data, size_t len)
{
	uint64_t *at = map64_at(&in->copies, hash_bytes(data, len));
	char *copy;

	if (*at)
		return (const void *)(uintptr_t)*at;
	copy = sprt_arena_alloc(&in->arena, len + 1);
	memcpy(copy, data, len);
	copy[len] = '\0';
	*at = (uintptr_t)copy;
	return copy;
}

const char *sprt_intern_str(struct sprt_intern *in, const char *s)
{
	return sprt_intern(in, s, strlen(s));
}

void sprt_intern_free(struct sprt_intern *in)
{
	sprt_arena_free(&in->arena);
	map64_clear(&in->copies);
}

const char *sprt_shown(char *buf, size_t size, const char *text)
{
	size_t n;

	for (n = 0; n < size - 1 && text[n]; n++)
		buf[n] = iscntrl((unsigned char)text[n]) ? '?' : text[n];
	buf[n] = '\0';
	return buf;
}
