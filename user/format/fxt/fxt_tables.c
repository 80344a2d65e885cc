// SPDX-License-Identifier: LGPL-2.1
/* Registered strings and threads.  See fxt_tables.h. */
#include "format/fxt/fxt_tables.h"
#include "base/hash.h"
#include "base/xalloc.h"

#include <stdlib.h>
#include <string.h>

struct fxt_tables *fxt_tables_new(void)
{
	/* comes as untouched pages, of which few are used at first */
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
	free(t->string_places.place);
	free(t->thread_places.place);
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

/* Entries of both arrays begin with their key. */
static uint64_t key_at(const void *entries, size_t size, uint32_t at)
{
	uint64_t key;

	memcpy(&key, (const char *)entries + at * size, sizeof(key));
	return key;
}

/* The place of a key, or the free one where it would go; there is one. */
static uint32_t *find(const struct fxt_places *p, const void *entries, size_t size,
		      uint64_t key)
{
	size_t i = hash_word(key) & (p->cap - 1);

	while (p->place[i] && key_at(entries, size, p->place[i] - 1) != key)
		i = (i + 1) & (p->cap - 1);
	return &p->place[i];
}

/* An entry for a key that has none. Return: its place in the array. */
static uint32_t add(struct fxt_places *p, void **entries, size_t *cap, size_t size,
		    uint64_t key)
{
	uint32_t at = (uint32_t)p->n;

	*entries = xgrow(*entries, cap, p->n + 1, size);
	memset((char *)*entries + at * size, 0, size);
	memcpy((char *)*entries + at * size, &key, sizeof(key));
	if (2 * (p->n + 1) > p->cap) {
		free(p->place);
		p->cap = p->cap ? p->cap * 2 : 64;
		p->place = xcalloc(p->cap, sizeof(*p->place));
		for (uint32_t i = 0; i < at; i++)
			*find(p, *entries, size, key_at(*entries, size, i)) = i + 1;
	}
	*find(p, *entries, size, key) = at + 1;
	p->n++;
	return at;
}

struct fxt_string *fxt_seek_string(struct fxt_tables *t, unsigned int index)
{
	uint32_t place = t->string_places.cap ?
		*find(&t->string_places, t->strings, sizeof(*t->strings), key_of(t, index)) : 0;

	if (!place)
		return NULL;
	t->near_string[index] = (struct fxt_near){ t->epoch, place - 1 };
	return &t->strings[place - 1];
}

struct fxt_thread *fxt_seek_thread(struct fxt_tables *t, unsigned int index)
{
	uint32_t place = t->thread_places.cap ?
		*find(&t->thread_places, t->threads, sizeof(*t->threads), key_of(t, index)) : 0;

	if (!place)
		return NULL;
	t->near_thread[index] = (struct fxt_near){ t->epoch, place - 1 };
	return &t->threads[place - 1];
}

void fxt_put_string(struct fxt_tables *t, unsigned int index, const char *s, uint32_t len)
{
	struct fxt_string *e = fxt_get_string(t, index);

	if (!e) {
		void *entries = t->strings;
		uint32_t at = add(&t->string_places, &entries, &t->strings_cap, sizeof(*e),
				  key_of(t, index));

		t->strings = entries;
		t->near_string[index] = (struct fxt_near){ t->epoch, at };
		e = &t->strings[at];
	}
	/* fit closely: a long string must not hold its slot's memory for ever */
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
		void *entries = t->threads;
		uint32_t at = add(&t->thread_places, &entries, &t->threads_cap, sizeof(*e),
				  key_of(t, index));

		t->threads = entries;
		t->near_thread[index] = (struct fxt_near){ t->epoch, at };
		e = &t->threads[at];
	}
	e->process = process;
	e->thread = thread;
}
