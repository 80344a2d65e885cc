// SPDX-License-Identifier: LGPL-2.1
/* Registered strings and threads.  See fxt_tables.h. */
#include "format/fxt/fxt_tables.h"
#include "base/xalloc.h"

#include <stdlib.h>
#include <string.h>

struct fxt_tables *fxt_tables_new(void)
{
	/* pages from calloc use no memory until they are written */
	struct fxt_tables *t = xcalloc(1, sizeof(*t));

	t->epoch = 1;
	return t;
}

void fxt_tables_free(struct fxt_tables *t)
{
	if (!t)
		return;
	for (size_t i = 0; i < t->string_places.n; i++)
		free(t->strings[i].s);
	free(t->strings);
	free(t->threads);
	map64_clear(&t->string_places);
	map64_clear(&t->thread_places);
	free(t);
}

void fxt_set_provider(struct fxt_tables *t, uint32_t provider)
{
	if (t->provider == provider)
		return;
	t->provider = provider;
	t->names++;
	if (++t->epoch)
		return;
	memset(t->near_string, 0, sizeof(t->near_string));
	memset(t->near_thread, 0, sizeof(t->near_thread));
	t->epoch = 1;
}

static uint64_t key_of(const struct fxt_tables *t, unsigned int index)
{
	return (uint64_t)t->provider << 16 | index;
}

struct fxt_string *fxt_seek_string(struct fxt_tables *t, unsigned int index)
{
	const uint64_t *at = map64_get(&t->string_places, key_of(t, index));

	if (!at)
		return NULL;
	t->near_string[index] = (struct fxt_near){ t->epoch, (uint32_t)*at };
	return &t->strings[*at];
}

struct fxt_thread *fxt_seek_thread(struct fxt_tables *t, unsigned int index)
{
	const uint64_t *at = map64_get(&t->thread_places, key_of(t, index));

	if (!at)
		return NULL;
	t->near_thread[index] = (struct fxt_near){ t->epoch, (uint32_t)*at };
	return &t->threads[*at];
}

void fxt_put_string(struct fxt_tables *t, unsigned int index, const char *s, uint32_t len)
{
	struct fxt_string *e = fxt_get_string(t, index);

	if (!e) {
		size_t at = t->string_places.n;

		t->strings = xgrow(t->strings, &t->strings_cap, at + 1, sizeof(*e));
		t->strings[at] = (struct fxt_string){ 0 };
		map64_put(&t->string_places, key_of(t, index), at);
		e = fxt_seek_string(t, index);
	}
	/* keep the allocation close to the length: a long string must not keep memory forever */
	if (!e->s || e->cap < len || e->cap / 2 > len + 64) {
		free(e->s);
		e->cap = len;
		e->s = xmalloc(len);
	}
	if (len)
		memcpy(e->s, s, len);
	e->len = len;
	t->names += !!(e->tag & FXT_TAG_NAME);
	e->tag = 0;
}

void fxt_put_thread(struct fxt_tables *t, unsigned int index, uint64_t process,
		    uint64_t thread)
{
	struct fxt_thread *e = fxt_get_thread(t, index);

	if (!e) {
		size_t at = t->thread_places.n;

		t->threads = xgrow(t->threads, &t->threads_cap, at + 1, sizeof(*e));
		map64_put(&t->thread_places, key_of(t, index), at);
		e = fxt_seek_thread(t, index);
	}
	e->process = process;
	e->thread = thread;
}
