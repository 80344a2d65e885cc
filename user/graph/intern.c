// SPDX-License-Identifier: LGPL-2.1
/* Numbers for strings.  See intern.h. */
#include "graph/intern.h"
#include "base/hash.h"
#include "base/xalloc.h"

#include <stdlib.h>

/* The slot of a hash, or the free one where it belongs. */
static size_t slot_of(const struct intern *t, uint64_t hash)
{
	size_t i = hash & (t->cap - 1);

	while (t->ids[i] && t->hashes[i] != hash)
		i = (i + 1) & (t->cap - 1);
	return i;
}

static void grow(struct intern *t)
{
	struct intern old = *t;

	t->cap = old.cap ? old.cap * 2 : 1024;
	t->hashes = xmalloc(t->cap * sizeof(*t->hashes));
	t->ids = xcalloc(t->cap, sizeof(*t->ids));
	for (size_t i = 0; i < old.cap; i++) {
		size_t to;

		if (!old.ids[i])
			continue;
		to = slot_of(t, old.hashes[i]);
		t->hashes[to] = old.hashes[i];
		t->ids[to] = old.ids[i];
	}
	free(old.hashes);
	free(old.ids);
}

uint32_t intern_get(struct intern *t, const char *s, size_t len, bool *fresh)
{
	uint64_t hash = hash_bytes(s, len);
	size_t i;

	if (t->n >= t->cap / 4 * 3)
		grow(t);
	i = slot_of(t, hash);
	*fresh = !t->ids[i];
	if (*fresh) {
		t->hashes[i] = hash;
		t->ids[i] = ++t->n;
	}
	return t->ids[i];
}

uint32_t intern_find(const struct intern *t, const char *s, size_t len)
{
	return t->cap ? t->ids[slot_of(t, hash_bytes(s, len))] : 0;
}

void intern_free(struct intern *t)
{
	free(t->hashes);
	free(t->ids);
	*t = (struct intern){ 0 };
}
