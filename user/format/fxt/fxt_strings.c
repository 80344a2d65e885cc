// SPDX-License-Identifier: LGPL-2.1
/* The FXT encoder's table of strings: "String Record" and "String References". */
#include "format/fxt/fxt_writer.h"
#include "base/bytes.h"
#include "base/hash.h"
#include "base/xalloc.h"

/*
 * Strings longer than this many bytes are not kept in the table: each use writes a new
 * String record.  This limits the table's memory; long strings are rarely repeated.
 */
#define KEEP_MAX	512u

static void unchain_string(struct fxt_writer *w, uint16_t index)
{
	struct string_slot *slot = &w->strings[index];
	uint16_t *at = &w->string_head[slot->hash % STRING_HEADS];

	while (*at != index)
		at = &w->strings[*at].next;
	*at = slot->next;
	slot->chained = false;
}

/*
 * Finds a slot for a new string by the clock algorithm: an unused slot, else the first
 * after the hand that was used neither recently nor by this record. One always exists: a
 * record refers to at most 33 strings, and there are far fewer pins than slots.
 */
static uint16_t take_string_slot(struct fxt_writer *w)
{
	if (w->strings_used < FXT_MAX_STRING_INDEX)
		return (uint16_t)(++w->strings_used);
	for (;;) {
		struct string_slot *slot;

		w->string_hand = w->string_hand % FXT_MAX_STRING_INDEX + 1;
		slot = &w->strings[w->string_hand];
		if (slot->pinned || slot->record == w->record)
			continue;
		if (slot->recent) {
			slot->recent = false;
			continue;
		}
		if (slot->chained)
			unchain_string(w, (uint16_t)w->string_hand);
		return (uint16_t)w->string_hand;
	}
}

static void write_string(struct fxt_writer *w, uint16_t index, const char *s,
			 uint32_t len)
{
	unsigned int words = 1 + fxt_stream_words(len);
	uint64_t *at = begin_record(w, words);

	at[0] = record_header(FXT_REC_STRING, words) | (uint64_t)index << 16 |
		(uint64_t)len << 32;
	put_stream(at + 1, s, len);
	finish_part(w, words);
}

/* Like bytes_equal(), but inlined and fast for typical lengths of paths. */
static inline bool same_bytes(const char *a, const char *b, size_t n)
{
	size_t i = 0;

	if (n < 16)
		return bytes_equal(a, b, n);
	for (; i + 16 < n; i += 16)
		if ((bytes_8(a + i) ^ bytes_8(b + i)) | (bytes_8(a + i + 8) ^ bytes_8(b + i + 8)))
			return false;
	a += n - 16;
	b += n - 16;
	return !((bytes_8(a) ^ bytes_8(b)) | (bytes_8(a + 8) ^ bytes_8(b + 8)));
}

static inline bool slot_holds(const struct string_slot *slot, struct fxt_str str)
{
	return slot->len == str.len &&
	       same_bytes(slot->own ? slot->copy : slot->text, str.s, str.len);
}

/*
 * Cache of slots, indexed by a few bytes of the string. If the string in the cached
 * slot matches, no hash is needed. A collision costs only time.
 */
static inline uint16_t *guess_of(struct fxt_writer *w, struct fxt_str str)
{
	uint64_t a, b;

	if (str.len >= 8) {
		a = bytes_8(str.s + str.len - 8);
		b = bytes_8(str.s + str.len / 2 - 4);
	} else {
		a = (unsigned char)str.s[0] | (uint64_t)(unsigned char)str.s[str.len / 2] << 8;
		b = (unsigned char)str.s[str.len - 1];
	}
	a = ((a ^ str.len) * 0x9e3779b97f4a7c15ull + b) * 0xff51afd7ed558ccdull;
	return &w->guess[a >> (64 - GUESS_BITS)];
}

static void remember_string(struct string_slot *slot, const struct fxt_str *str)
{
	drop_copy(slot);
	slot->len = (uint16_t)str->len;
	if (str->len <= INLINE_MAX) {
		memcpy(slot->text, str->s, str->len);
	} else {
		slot->copy = xmemdup(str->s, str->len);
		slot->own = 1;
	}
}

/* Writes the String record for a new slot. */
static uint16_t register_string(struct fxt_writer *w, const struct fxt_str *str, uint32_t hash)
{
	uint16_t index = take_string_slot(w), *head;
	struct string_slot *slot = &w->strings[index];

	slot->recent = false;
	slot->marked = false;
	slot->record = w->record;
	if (str->len > KEEP_MAX) {
		drop_copy(slot);
	} else {
		remember_string(slot, str);
		slot->hash = hash;
		head = &w->string_head[hash % STRING_HEADS];
		slot->next = *head;
		*head = index;
		slot->chained = true;
	}
	write_string(w, index, str->s, str->len);
	return index;
}

static inline uint16_t take_note(struct fxt_writer *w, uint16_t index)
{
	w->strings[index].recent = true;
	w->strings[index].record = w->record;
	return index;
}

/* Return: the slot, 0 if the string is not in the table. */
static uint16_t find_string(const struct fxt_writer *w, struct fxt_str str, uint32_t hash)
{
	const struct string_slot *slot;
	uint16_t index;

	for (index = w->string_head[hash % STRING_HEADS]; index; index = slot->next) {
		slot = &w->strings[index];
		if (slot->hash == hash && slot_holds(slot, str))
			return index;
	}
	return 0;
}

static inline bool is_there(const struct fxt_writer *w, uint16_t index, struct fxt_str str)
{
	const struct string_slot *slot = &w->strings[index];

	return slot->chained && slot_holds(slot, str);
}

void fxt_mark(struct fxt_writer *w, uint16_t ref)
{
	w->strings[ref].marked = true;
}

bool fxt_is_marked(const struct fxt_writer *w, uint16_t ref)
{
	return w->strings[ref].marked;
}

uint16_t fxt_peek(struct fxt_writer *w, const char *s, size_t len)
{
	struct fxt_str str = fxt_str(s, len);

	return len && len <= KEEP_MAX ? find_string(w, str, (uint32_t)hash_bytes(s, len)) : 0;
}

/* Not inlined into fxt_known_bytes(), which often needs no hash. */
static __attribute__((noinline)) uint16_t find_by_hash(struct fxt_writer *w, struct fxt_str str,
						       uint16_t *guess)
{
	uint16_t index = find_string(w, str, (uint32_t)hash_bytes(str.s, str.len));

	if (!index)
		return 0;
	*guess = index;
	return take_note(w, index);
}

uint16_t fxt_known_bytes(struct fxt_writer *w, const char *s, size_t len)
{
	struct fxt_str str;
	uint16_t *guess;

	if (!len || len > KEEP_MAX)
		return 0;
	str = fxt_str(s, len);
	guess = guess_of(w, str);
	return is_there(w, *guess, str) ? take_note(w, *guess) : find_by_hash(w, str, guess);
}

uint16_t fxt_look_up(struct fxt_writer *w, struct fxt_str str)
{
	uint16_t *guess;
	uint32_t hash;

	if (str.len > KEEP_MAX)
		return register_string(w, &str, 0);
	guess = guess_of(w, str);
	if (is_there(w, *guess, str))
		return take_note(w, *guess);
	hash = (uint32_t)hash_bytes(str.s, str.len);
	*guess = find_string(w, str, hash);
	if (*guess)
		return take_note(w, *guess);
	*guess = register_string(w, &str, hash);
	return *guess;
}

struct fxt_str fxt_pin(struct fxt_writer *w, struct fxt_str str)
{
	if (str.pin || !str.len || str.len > KEEP_MAX || w->pins >= FXT_MAX_PINS)
		return str;
	str.pin = fxt_ref(w, str);
	if (!w->strings[str.pin].pinned)
		w->pins++;
	w->strings[str.pin].pinned = true;
	return str;
}
