// SPDX-License-Identifier: LGPL-2.1
/* The FXT encoder.  See fxt_write.h.  Quoted names are sections of the format document. */
#include "format/fxt/fxt_writer.h"
#include "base/hash.h"
#include "base/xalloc.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

struct fxt_writer *fxt_writer_new(struct out *out)
{
	struct fxt_writer *w = xcalloc(1, sizeof(*w));

	/* pages from calloc use no memory until they are written */
	w->string_memory = xcalloc(STRING_SLOTS + 1, sizeof(struct string_slot));
	w->strings = (struct string_slot *)(((uintptr_t)w->string_memory + 63) & ~(uintptr_t)63);
	w->out = out;
	return w;
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

/* ---- format document: "Thread Record" and "Thread References" ---- */

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

/* ---- format document: "Arguments" ---- */

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
	/* copies two words at a time, possibly one too many */
	for (unsigned int i = 0; i < words; i += 2)
		memcpy(to + i, r->words + i, 16);
	return end_record(w, words);
}

/* ---- format document: "Metadata Record" and "Initialization Record" ---- */

static int one_word(struct fxt_writer *w, uint64_t word)
{
	*begin_record(w, 1) = word;
	return end_record(w, 1);
}

static uint64_t metadata_header(unsigned int words, enum fxt_metadata_type type,
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
	at[0] = metadata_header(words, FXT_META_PROVIDER_INFO, id) |
		(uint64_t)name.len << 52;
	put_stream(at + 1, name.s, name.len);
	return end_record(w, words);
}

void fxt_begin(struct fxt_writer *w, uint32_t provider, struct fxt_str name)
{
	fxt_magic(w);
	fxt_provider_info(w, provider, name);
	fxt_init(w, 1000000000);
	fxt_pin(w, FXT_STR("process"));
}

int fxt_provider_event(struct fxt_writer *w, uint32_t id, unsigned int event)
{
	if (event > 15)
		return -E2BIG;
	return one_word(w, metadata_header(1, FXT_META_PROVIDER_EVENT, id) |
			   (uint64_t)event << 52);
}

/* ---- format document: "Event Record" ---- */

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

/* Format document: "Kernel Object Record", "Argument Conventions" */
int fxt_thread_name(struct fxt_writer *w, uint64_t process, uint64_t thread,
		    struct fxt_str name)
{
	struct fxt_arg arg = fxt_arg_koid(FXT_STR("process"), process);

	return fxt_kernel_object(w, FXT_KOBJ_THREAD, thread, name, &arg, 1);
}

/* ---- format document: "Context Switch Record" ---- */

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
