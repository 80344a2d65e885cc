// SPDX-License-Identifier: LGPL-2.1
/* The FXT encoder.  See fxt_write.h; section names are the document's. */
#include "format/fxt/fxt_write.h"
#include "base/bytes.h"
#include "base/hash.h"
#include "base/xalloc.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/*
 * Strings longer than this many bytes are not kept in the table: each use writes a new
 * String record.  This limits the table's memory, and long strings are seldom repeated.
 */
#define KEEP_MAX	512u

#define STRING_SLOTS	(FXT_MAX_STRING_INDEX + 1)	/* slot 0 is not used */
#define STRING_HEADS	32768u
#define GUESS_BITS	13	/* of an index into the table of guesses */
#define THREAD_SLOTS	(FXT_MAX_THREAD_INDEX + 1)
#define THREAD_HEADS	256u

/*
 * Strings up to this many bytes are stored in the slot itself, so that a look-up, which
 * touches one random slot, usually loads only one line of the processor's cache.
 */
#define INLINE_MAX	48u

struct string_slot {
	uint32_t hash;
	uint32_t record;	/* the record that used it last */
	uint16_t len;
	uint16_t next;		/* in the chain of its hash; 0 ends it */
	uint8_t chained;	/* it is in a chain, and can be found by its content */
	uint8_t recent;		/* used since the clock's hand last passed it */
	uint8_t pinned;
	uint8_t own : 1;	/* @copy was allocated */
	uint8_t marked : 1;	/* fxt_mark() */
	union {
		char text[INLINE_MAX];
		char *copy;	/* of a longer string */
	};
};

struct thread_slot {
	uint64_t process, thread;
	uint8_t next;
	bool recent;
	uint32_t record;
};

struct fxt_writer {
	struct out *out;
	uint32_t record;	/* number of the record being written, or the
				 * next; may wrap: then a slot is once kept
				 * needlessly
				 */
	uint8_t last_thread;	/* slot of the thread used last, 0 if none */
	unsigned int string_hand, strings_used, pins;
	unsigned int thread_hand, threads_used;
	uint16_t string_head[STRING_HEADS];
	uint16_t guess[1u << GUESS_BITS];	/* see guess_of() */
	uint8_t thread_head[THREAD_HEADS];
	struct string_slot *strings;	/* STRING_SLOTS, each in one line of cache */
	void *string_memory;
	struct thread_slot threads[THREAD_SLOTS];
};

struct fxt_writer *fxt_writer_new(struct out *out)
{
	struct fxt_writer *w = xcalloc(1, sizeof(*w));

	/* calloc gives untouched pages, of which few are used at first */
	w->string_memory = xcalloc(STRING_SLOTS + 1, sizeof(struct string_slot));
	w->strings = (struct string_slot *)(((uintptr_t)w->string_memory + 63) & ~(uintptr_t)63);
	w->out = out;
	return w;
}

static void drop_copy(struct string_slot *slot)
{
	if (slot->own)
		free(slot->copy);
	slot->own = 0;
}

static void forget_tables(struct fxt_writer *w)
{
	if (!w->strings_used && !w->threads_used)
		return;
	for (unsigned int i = 1; i <= w->strings_used; i++)
		drop_copy(&w->strings[i]);
	memset(w->string_head, 0, sizeof(w->string_head));
	memset(w->thread_head, 0, sizeof(w->thread_head));
	memset(w->strings, 0, (w->strings_used + 1) * sizeof(w->strings[0]));
	memset(w->threads, 0, sizeof(w->threads));
	w->string_hand = w->strings_used = w->pins = 0;
	w->thread_hand = w->threads_used = 0;
	w->last_thread = 0;
}

void fxt_writer_free(struct fxt_writer *w)
{
	if (!w)
		return;
	forget_tables(w);
	free(w->string_memory);
	free(w);
}

/* ---- words and streams ---- */

/* "Record Header" */
static uint64_t record_header(enum fxt_record_type type, unsigned int words)
{
	return (uint64_t)type | (uint64_t)words << 4;
}

/* "Atoms": a stream, padded with zeros; returns what follows it. */
static uint64_t *put_stream(uint64_t *at, const void *data, size_t len)
{
	unsigned int n = fxt_stream_words(len);

	if (!n)
		return at;
	at[n - 1] = 0;
	memcpy(at, data, len);
	return at + n;
}

/* Reserves space for a record of @words words in the output. */
static inline uint64_t *begin_record(struct fxt_writer *w, unsigned int words)
{
	/* aligned, because only whole words are ever written to this stream */
	return out_reserve(w->out, words * 8);
}

/* Ends a String or Thread record, which comes before the record that needs it. */
static inline void finish_part(struct fxt_writer *w, unsigned int words)
{
	out_commit(w->out, words * 8);
}

/* Ends any other record: the slots that it refers to may be recycled now. */
static inline int end_record(struct fxt_writer *w, unsigned int words)
{
	out_commit(w->out, words * 8);
	w->record++;
	return out_error(w->out);
}

/* ---- "String Record" and "String References" ---- */

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
 * Finds a slot for a new string: an unused one, else the first after the clock's hand that
 * was not used recently, and not by this record.  There always is one: a record refers
 * to at most 33 strings, and there are far fewer pins than slots.
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

/* bytes_equal() for typical lengths of paths, inlined. */
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
 * Cache of slots, indexed by a few bytes of the string.  The string in that slot is
 * compared, and if it matches, no hash is needed.  Strings that share an entry of this
 * cache only take longer.
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

/* ---- "Thread Record" and "Thread References" ---- */

static uint8_t take_thread_slot(struct fxt_writer *w)
{
	if (w->threads_used < FXT_MAX_THREAD_INDEX)
		return (uint8_t)(++w->threads_used);
	for (;;) {
		struct thread_slot *slot;
		uint8_t *at;

		w->thread_hand = w->thread_hand % FXT_MAX_THREAD_INDEX + 1;
		slot = &w->threads[w->thread_hand];
		if (slot->record == w->record)
			continue;
		if (slot->recent) {
			slot->recent = false;
			continue;
		}
		at = &w->thread_head[hash_two(slot->process, slot->thread) %
				     THREAD_HEADS];
		while (*at != w->thread_hand)
			at = &w->threads[*at].next;
		*at = slot->next;
		return (uint8_t)w->thread_hand;
	}
}

/* Return: the slot, 0 if the thread is not in the table. */
static uint8_t find_thread(struct fxt_writer *w, uint64_t process, uint64_t thread)
{
	struct thread_slot *slot;
	uint8_t index;

	index = w->thread_head[hash_two(process, thread) % THREAD_HEADS];
	for (; index; index = slot->next) {
		slot = &w->threads[index];
		if (slot->process == process && slot->thread == thread) {
			slot->recent = true;
			slot->record = w->record;
			w->last_thread = index;
			return index;
		}
	}
	return 0;
}

static uint8_t register_thread(struct fxt_writer *w, uint64_t process, uint64_t thread)
{
	uint8_t *head = &w->thread_head[hash_two(process, thread) % THREAD_HEADS];
	uint8_t index = take_thread_slot(w);
	uint64_t *at;

	w->last_thread = index;
	w->threads[index] = (struct thread_slot){ .process = process, .thread = thread,
						  .next = *head, .record = w->record };
	*head = index;

	at = begin_record(w, 3);
	at[0] = record_header(FXT_REC_THREAD, 3) | (uint64_t)index << 16;
	at[1] = process;
	at[2] = thread;
	finish_part(w, 3);
	return index;
}

/* Return: the slot, 0 if the thread is not in the table. */
static inline uint8_t known_thread(struct fxt_writer *w, uint64_t process, uint64_t thread)
{
	struct thread_slot *slot = &w->threads[w->last_thread];

	if (!w->last_thread || slot->process != process || slot->thread != thread)
		return find_thread(w, process, thread);
	slot->recent = true;
	slot->record = w->record;
	return w->last_thread;
}

static inline uint8_t thread_ref(struct fxt_writer *w, uint64_t process, uint64_t thread)
{
	uint8_t index = known_thread(w, process, thread);

	return index ? index : register_thread(w, process, thread);
}

/* ---- "Arguments" ---- */

/*
 * Whether arguments are within the limits of the format; checked before anything is
 * registered or written.
 */
static bool args_fit(const struct fxt_arg *args, unsigned int nargs)
{
	bool bad = nargs > FXT_MAX_ARGS;

	for (unsigned int i = 0; i < nargs && !bad; i++)
		bad = args[i].name.len > FXT_MAX_STRING ||
		      (unsigned int)args[i].type > FXT_ARG_KOID ||
		      (args[i].type == FXT_ARG_STRING && args[i].str.len > FXT_MAX_STRING);
	return !bad;
}

/* Registers the strings of arguments, and adds the arguments to a record. */
static void put_args(struct fxt_writer *w, struct fxt_record *r, const struct fxt_arg *args,
		     unsigned int nargs)
{
	fxt_record_begin(r);
	for (unsigned int i = 0; i < nargs; i++) {
		const struct fxt_arg *a = &args[i];
		uint16_t name = fxt_ref(w, a->name);

		switch (a->type) {
		case FXT_ARG_I32:
		case FXT_ARG_U32:
			fxt_put_word(r, a->type, name, a->u32);
			break;
		case FXT_ARG_STRING:
			fxt_put_word(r, a->type, name, fxt_ref(w, a->str));
			break;
		case FXT_ARG_NULL:
			fxt_put_word(r, a->type, name, 0);
			break;
		default:
			/* u64 of the union has the bits of all other types */
			fxt_put_two(r, a->type, name, a->u64);
			break;
		}
	}
}

/*
 * Writes a complete record, whose strings and thread have been written before: adds its
 * size to the header, and copies it to the output.
 */
static inline int finish_record(struct fxt_writer *w, struct fxt_record *r)
{
	unsigned int words = (unsigned int)(r->end - r->words);
	uint64_t *to = begin_record(w, words + 1);

	r->words[0] |= (uint64_t)words << 4;
	/* two words at a time, which may copy one too many */
	for (unsigned int i = 0; i < words; i += 2)
		memcpy(to + i, r->words + i, 16);
	return end_record(w, words);
}

/* ---- "Metadata Record" and "Initialization Record" ---- */

static int one_word(struct fxt_writer *w, uint64_t word)
{
	*begin_record(w, 1) = word;
	return end_record(w, 1);
}

static uint64_t metadata(unsigned int words, enum fxt_metadata_type type,
			 uint32_t provider)
{
	return record_header(FXT_REC_METADATA, words) | (uint64_t)type << 16 |
	       (uint64_t)provider << 20;
}

int fxt_magic(struct fxt_writer *w)
{
	return one_word(w, FXT_MAGIC);
}

int fxt_init(struct fxt_writer *w, uint64_t ticks)
{
	uint64_t *at = begin_record(w, 2);

	at[0] = record_header(FXT_REC_INIT, 2);
	at[1] = ticks;
	return end_record(w, 2);
}

int fxt_provider_info(struct fxt_writer *w, uint32_t id, struct fxt_str name)
{
	unsigned int words = 1 + fxt_stream_words(name.len);
	uint64_t *at;

	if (name.len > 255)
		return -E2BIG;
	forget_tables(w);
	at = begin_record(w, words);
	at[0] = metadata(words, FXT_META_PROVIDER_INFO, id) |
		(uint64_t)name.len << 52;
	put_stream(at + 1, name.s, name.len);
	return end_record(w, words);
}

int fxt_provider_section(struct fxt_writer *w, uint32_t id)
{
	forget_tables(w);
	return one_word(w, metadata(1, FXT_META_PROVIDER_SECTION, id));
}

int fxt_provider_event(struct fxt_writer *w, uint32_t id, unsigned int event)
{
	if (event > 15)
		return -E2BIG;
	return one_word(w, metadata(1, FXT_META_PROVIDER_EVENT, id) |
			   (uint64_t)event << 52);
}

/* ---- "Event Record" ---- */

static bool has_value(enum fxt_event_type type)
{
	return type == FXT_EV_COUNTER || type >= FXT_EV_DURATION_COMPLETE;
}

int fxt_record_event(struct fxt_writer *w, struct fxt_record *r, const struct fxt_event *ev)
{
	uint64_t refs;

	r->words[1] = ev->time;
	if (has_value(ev->type))
		*r->end++ = ev->value;
	/* this order determines the order of the String and Thread records in the file */
	refs = (uint64_t)fxt_ref(w, ev->category) << 32;
	refs |= (uint64_t)fxt_ref(w, ev->name) << 48;
	refs |= (uint64_t)thread_ref(w, ev->process, ev->thread) << 24;
	r->words[0] = FXT_REC_EVENT | (uint64_t)ev->type << 16 | (uint64_t)r->nargs << 20 | refs;
	return finish_record(w, r);
}

bool fxt_put_known(struct fxt_writer *w, uint64_t *at, const uint64_t *end, uint64_t process,
		   uint64_t thread)
{
	uint64_t words = (uint64_t)(end - at), ref = known_thread(w, process, thread);

	if (!ref)
		return false;
	at[0] |= words << 4 | ref << 24;
	end_record(w, (unsigned int)words);
	return true;
}

int fxt_event(struct fxt_writer *w, const struct fxt_event *ev,
	      const struct fxt_arg *args, unsigned int nargs)
{
	struct fxt_record r;

	if (ev->category.len > FXT_MAX_STRING || ev->name.len > FXT_MAX_STRING ||
	    (unsigned int)ev->type >= FXT_EV_COUNT || !args_fit(args, nargs))
		return -E2BIG;
	put_args(w, &r, args, nargs);
	return fxt_record_event(w, &r, ev);
}

/* ---- objects ---- */

int fxt_kernel_object(struct fxt_writer *w, unsigned int type, uint64_t koid,
		      struct fxt_str name, const struct fxt_arg *args,
		      unsigned int nargs)
{
	struct fxt_record r;

	if (name.len > FXT_MAX_STRING || type > 255 || !args_fit(args, nargs))
		return -E2BIG;
	put_args(w, &r, args, nargs);
	r.words[0] = FXT_REC_KERNEL_OBJECT | (uint64_t)type << 16 |
		     (uint64_t)fxt_ref(w, name) << 24 | (uint64_t)nargs << 40;
	r.words[1] = koid;
	return finish_record(w, &r);
}

int fxt_process_name(struct fxt_writer *w, uint64_t process, struct fxt_str name)
{
	return fxt_kernel_object(w, FXT_KOBJ_PROCESS, process, name, NULL, 0);
}

/* "Kernel Object Record", "Argument Conventions" */
int fxt_thread_name(struct fxt_writer *w, uint64_t process, uint64_t thread,
		    struct fxt_str name)
{
	struct fxt_arg arg = fxt_arg_koid(FXT_STR("process"), process);

	return fxt_kernel_object(w, FXT_KOBJ_THREAD, thread, name, &arg, 1);
}

int fxt_userspace_object(struct fxt_writer *w, uint64_t process, uint64_t thread,
			 uint64_t pointer, struct fxt_str name,
			 const struct fxt_arg *args, unsigned int nargs)
{
	struct fxt_record r;
	uint64_t refs;

	if (name.len > FXT_MAX_STRING || !args_fit(args, nargs))
		return -E2BIG;
	put_args(w, &r, args, nargs);
	refs = (uint64_t)fxt_ref(w, name) << 24;
	refs |= (uint64_t)thread_ref(w, process, thread) << 16;
	r.words[0] = FXT_REC_USERSPACE_OBJECT | (uint64_t)nargs << 40 | refs;
	r.words[1] = pointer;
	return finish_record(w, &r);
}

/* ---- "Log Record", "Blob Record", "Context Switch Record" ---- */

int fxt_log(struct fxt_writer *w, uint64_t time, uint64_t process,
	    uint64_t thread, struct fxt_str text)
{
	unsigned int words = 2 + fxt_stream_words(text.len);
	uint64_t *at;
	uint8_t tref;

	if (text.len > FXT_MAX_STRING)
		return -E2BIG;
	tref = thread_ref(w, process, thread);

	at = begin_record(w, words);
	at[0] = record_header(FXT_REC_LOG, words) | (uint64_t)text.len << 16 |
		(uint64_t)tref << 32;
	at[1] = time;
	put_stream(at + 2, text.s, text.len);
	return end_record(w, words);
}

int fxt_blob(struct fxt_writer *w, struct fxt_str name, unsigned int type,
	     const void *data, size_t len)
{
	unsigned int words;
	uint64_t *at;
	uint16_t ref;

	if (name.len > FXT_MAX_STRING || type > 255 || len > FXT_MAX_BLOB)
		return -E2BIG;
	ref = fxt_ref(w, name);
	words = 1 + fxt_stream_words(len);

	at = begin_record(w, words);
	at[0] = record_header(FXT_REC_BLOB, words) | (uint64_t)ref << 16 |
		(uint64_t)len << 32 | (uint64_t)type << 48;
	put_stream(at + 1, data, len);
	return end_record(w, words);
}

int fxt_context_switch(struct fxt_writer *w, const struct fxt_switch *sw)
{
	uint64_t *at;
	uint8_t out, in;

	if (sw->cpu > 255 || (unsigned int)sw->out_state > 15 ||
	    sw->out_priority > 255 || sw->in_priority > 255)
		return -E2BIG;
	out = thread_ref(w, sw->out_process, sw->out_thread);
	in = thread_ref(w, sw->in_process, sw->in_thread);

	at = begin_record(w, 2);
	at[0] = record_header(FXT_REC_SCHEDULING, 2) | (uint64_t)sw->cpu << 16 |
		(uint64_t)sw->out_state << 24 | (uint64_t)out << 28 |
		(uint64_t)in << 36 | (uint64_t)sw->out_priority << 44 |
		(uint64_t)sw->in_priority << 52;
	at[1] = sw->time;
	return end_record(w, 2);
}
