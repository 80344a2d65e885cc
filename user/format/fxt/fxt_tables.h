/* SPDX-License-Identifier: LGPL-2.1 */
/*
 * The decoder's tables: the strings and threads that the providers of a file
 * registered.  Only for the files of the decoder, including fxt_plain.h.
 *
 * Memory use depends on the number of entries registered, not on the provider ids that a
 * file claims to have: the entries of all providers are in one array, and a hash table
 * finds them. After the first look-up, the index alone finds an entry, until another
 * provider's section begins.
 */
#ifndef ETRACE_FXT_TABLES_H
#define ETRACE_FXT_TABLES_H

#include <stdbool.h>

#include "base/map64.h"
#include "format/fxt/fxt.h"

/*
 * A bit of the tag that a consumer gives to a string with fxt_tag().  If the index of such a string
 * gets another string, fxt_names() changes: see fxt_plain.h.
 */
#define FXT_TAG_NAME	0x40000u

struct fxt_string {
	char *s;		/* never NULL after fxt_put_string() */
	uint32_t len;
	uint32_t tag;		/* set by the consumer with fxt_tag() */
	uint32_t cap;
};

struct fxt_thread {
	uint64_t process, thread;
};

/* Position of an index's entry in its array; valid if @epoch is the current one. */
struct fxt_near {
	uint32_t epoch, at;
};

struct fxt_tables {
	uint32_t provider;	/* the current provider */
	uint32_t epoch;		/* changes with the provider; never 0 */
	/* changes with the provider, and when a FXT_TAG_NAME string is replaced */
	uint64_t names;
	struct fxt_near near_string[FXT_MAX_STRING_INDEX + 1];
	struct fxt_near near_thread[FXT_MAX_THREAD_INDEX + 1];
	struct map64 string_places, thread_places;	/* provider and index to position */
	struct fxt_string *strings;
	struct fxt_thread *threads;
	size_t strings_cap, threads_cap;	/* sizes of the arrays */
};

struct fxt_tables *fxt_tables_new(void);
void fxt_tables_free(struct fxt_tables *t);

/** fxt_set_provider - switch to the indices of a provider */
void fxt_set_provider(struct fxt_tables *t, uint32_t provider);

/** fxt_put_string, fxt_put_thread - set an entry; @index must be valid in the format, and not 0 */
void fxt_put_string(struct fxt_tables *t, unsigned int index, const char *s, uint32_t len);
void fxt_put_thread(struct fxt_tables *t, unsigned int index, uint64_t process,
		    uint64_t thread);

/* The slow paths of fxt_get_string() and fxt_get_thread(): the index was not looked up before. */
struct fxt_string *fxt_seek_string(struct fxt_tables *t, unsigned int index);
struct fxt_thread *fxt_seek_thread(struct fxt_tables *t, unsigned int index);

/** fxt_near_string - the entry of a ref; NULL if it was not looked up before, or is 0 */
static inline struct fxt_string *fxt_near_string(const struct fxt_tables *t, unsigned int ref)
{
	const struct fxt_near *near = &t->near_string[ref & FXT_MAX_STRING_INDEX];

	/* bit 15: an inline string, not an index */
	return ref & 0x8000 || near->epoch != t->epoch ? NULL : &t->strings[near->at];
}

/** fxt_near_thread - the entry of a thread's index; NULL if it was not looked up before */
static inline struct fxt_thread *fxt_near_thread(const struct fxt_tables *t, unsigned int index)
{
	const struct fxt_near *near = &t->near_thread[index];

	return near->epoch != t->epoch ? NULL : &t->threads[near->at];
}

/** fxt_get_string - the entry of an index, valid until the next is put; NULL if none */
static inline struct fxt_string *fxt_get_string(struct fxt_tables *t, unsigned int index)
{
	const struct fxt_near *near = &t->near_string[index];

	return near->epoch == t->epoch ? &t->strings[near->at] : fxt_seek_string(t, index);
}

/** fxt_get_thread - the entry of an index, valid until the next is put; NULL if none */
static inline struct fxt_thread *fxt_get_thread(struct fxt_tables *t, unsigned int index)
{
	const struct fxt_near *near = &t->near_thread[index];

	return near->epoch == t->epoch ? &t->threads[near->at] : fxt_seek_thread(t, index);
}

#endif
