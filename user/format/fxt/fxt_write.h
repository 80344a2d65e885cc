/* SPDX-License-Identifier: LGPL-2.1 */
/*
 * The FXT encoder: writes records of the Fuchsia trace format, in this machine's byte
 * order, to an output stream.  It knows nothing about what is traced.
 *
 * Strings and threads are always written as indexed references.  The encoder keeps the
 * tables and recycles their slots: the least recently used first, but never one that
 * the current record refers to. It writes String and Thread records right before the
 * record that needs them.
 *
 * Every function that writes a record returns 0; a negative errno of the output stream
 * (sticky, see out.h); or -E2BIG if the record would exceed a limit of the format: a
 * string of more than FXT_MAX_STRING bytes, more than FXT_MAX_ARGS arguments, a field
 * out of range. Then nothing of that record has been written, and the file stays
 * well-formed. The caller must split long values, because only the caller knows where.
 *
 * Strings should be UTF-8 without NUL bytes (the document asks for the first,
 * consumers for the second); see utf8.h.  The encoder does not check that.
 */
#ifndef ETRACE_FXT_WRITE_H
#define ETRACE_FXT_WRITE_H

#include <stdbool.h>
#include <string.h>

#include "format/fxt/fxt.h"
#include "io/out.h"

/*
 * A string: @len bytes at @s, which the caller owns, and which need to be valid only during
 * the call.  @pin is 0, or the slot that fxt_pin() returned for this string, which saves
 * the look-up.
 */
struct fxt_str {
	const char *s;
	uint32_t len;
	uint16_t pin;
};

#define FXT_STR(lit)	((struct fxt_str){ (lit), sizeof(lit) - 1, 0 })

static inline struct fxt_str fxt_str(const char *s, size_t len)
{
	return (struct fxt_str){ s, (uint32_t)(len > UINT32_MAX ? UINT32_MAX : len), 0 };
}

static inline struct fxt_str fxt_cstr(const char *s)
{
	return fxt_str(s, strlen(s));
}

/* An argument; names within one record must differ. Format document: "Argument Types" */
struct fxt_arg {
	struct fxt_str name;
	enum fxt_arg_type type;
	union {
		int32_t i32;
		uint32_t u32;
		int64_t i64;
		uint64_t u64;
		double f64;
		struct fxt_str str;
		uint64_t pointer;
		uint64_t koid;
	};
};

/* These make arguments.  Integers get the smallest type that fits. */
static inline struct fxt_arg fxt_arg_null(struct fxt_str name)
{
	return (struct fxt_arg){ .name = name, .type = FXT_ARG_NULL };
}

static inline struct fxt_arg fxt_arg_str(struct fxt_str name, struct fxt_str v)
{
	return (struct fxt_arg){ .name = name, .type = FXT_ARG_STRING, .str = v };
}

static inline struct fxt_arg fxt_arg_u(struct fxt_str name, uint64_t v)
{
	if (v <= UINT32_MAX)
		return (struct fxt_arg){ .name = name, .type = FXT_ARG_U32,
					 .u32 = (uint32_t)v };
	return (struct fxt_arg){ .name = name, .type = FXT_ARG_U64, .u64 = v };
}

static inline struct fxt_arg fxt_arg_i(struct fxt_str name, int64_t v)
{
	if (v >= INT32_MIN && v <= INT32_MAX)
		return (struct fxt_arg){ .name = name, .type = FXT_ARG_I32,
					 .i32 = (int32_t)v };
	return (struct fxt_arg){ .name = name, .type = FXT_ARG_I64, .i64 = v };
}

static inline struct fxt_arg fxt_arg_f(struct fxt_str name, double v)
{
	return (struct fxt_arg){ .name = name, .type = FXT_ARG_F64, .f64 = v };
}

static inline struct fxt_arg fxt_arg_ptr(struct fxt_str name, uint64_t v)
{
	return (struct fxt_arg){ .name = name, .type = FXT_ARG_POINTER, .pointer = v };
}

static inline struct fxt_arg fxt_arg_koid(struct fxt_str name, uint64_t v)
{
	return (struct fxt_arg){ .name = name, .type = FXT_ARG_KOID, .koid = v };
}

/* An event: format document, "Event Record". */
struct fxt_event {
	enum fxt_event_type type;
	uint64_t time;		/* ticks */
	uint64_t process;	/* koid */
	uint64_t thread;	/* koid */
	struct fxt_str category;
	struct fxt_str name;
	/*
	 * Counter id, end time in ticks (duration complete), or async or flow
	 * correlation id, depending on the type; ignored for other types.
	 */
	uint64_t value;
};

struct fxt_writer;

/**
 * fxt_writer_new - make an encoder
 * @out: gets the records; the caller keeps it, and it must outlive the encoder
 *
 * Writes nothing by itself.
 */
struct fxt_writer *fxt_writer_new(struct out *out);

/** fxt_writer_free - free the encoder; flushes and closes nothing. */
void fxt_writer_free(struct fxt_writer *w);

/** fxt_pin - give a string a slot that is never recycled
 *
 * For names and categories that are used often: the result needs no look-up. Writes the
 * String record.  At most FXT_MAX_PINS strings may be pinned.
 *
 * Return: @str with its pin set, or with pin 0 if it cannot be pinned (it is
 * empty or too long, or the pins are used up); good for use either way.
 */
struct fxt_str fxt_pin(struct fxt_writer *w, struct fxt_str str);
#define FXT_MAX_PINS 4096u

/** fxt_magic - write the Magic Number record, the first one of a file */
int fxt_magic(struct fxt_writer *w);

/** fxt_init - write an Initialization record; @ticks: ticks per second, not 0 */
int fxt_init(struct fxt_writer *w, uint64_t ticks);

/**
 * fxt_provider_info - write a Provider Info record
 * @id: provider id
 * @name: at most 255 bytes
 *
 * Call once per provider: at a second record, consumers forget the provider's tables.
 * This empties the encoder's tables, which it keeps for only one provider, and
 * invalidates all pins.
 */
int fxt_provider_info(struct fxt_writer *w, uint32_t id, struct fxt_str name);

/** fxt_provider_event - write a Provider Event record; @event: 4 bits */
int fxt_provider_event(struct fxt_writer *w, uint32_t id, unsigned int event);

/**
 * fxt_begin - write the beginning of a file with one provider; ticks are nanoseconds
 *
 * "process" becomes the first string; otherwise consumers lose the names of threads.
 */
void fxt_begin(struct fxt_writer *w, uint32_t provider, struct fxt_str name);

/** fxt_event - write an Event record, with its arguments */
int fxt_event(struct fxt_writer *w, const struct fxt_event *ev,
	      const struct fxt_arg *args, unsigned int nargs);

/*
 * An event under construction, for callers that write many: its arguments are added one
 * by one, as words, with references to strings instead of the strings.
 *
 * Call fxt_record_begin(), then fxt_ref() and fxt_put_*() for each argument, at most
 * FXT_MAX_ARGS of them, then fxt_record_event().  References are valid only for this
 * record.  The encoder must not write another record in between: that record's strings
 * could take the slots of this one's.
 */
struct fxt_record {
	uint64_t *end;
	unsigned int nargs;
	/*
	 * The header, the time, arguments of at most two words each, and the event's
	 * value; one word after the end may be copied, too.
	 */
	uint64_t words[2 + 2 * FXT_MAX_ARGS + 1 + 1];
};

static inline void fxt_record_begin(struct fxt_record *r)
{
	r->end = r->words + 2;
	r->nargs = 0;
}

uint16_t fxt_look_up(struct fxt_writer *w, struct fxt_str str);

/**
 * fxt_ref - the reference of a string in the current record
 * @str: at most FXT_MAX_STRING bytes
 *
 * Writes the String record if there is none.  Return: the reference.
 */
static inline uint16_t fxt_ref(struct fxt_writer *w, struct fxt_str str)
{
	return str.pin || !str.len ? str.pin : fxt_look_up(w, str);
}

/**
 * fxt_known_bytes - the reference of a string in the current record, if it is in the table
 *
 * Writes nothing.  Return: the reference, 0 if the string is not in the table.
 */
uint16_t fxt_known_bytes(struct fxt_writer *w, const char *s, size_t len);

/** fxt_known - fxt_known_bytes() of a struct fxt_str */
static inline uint16_t fxt_known(struct fxt_writer *w, struct fxt_str str)
{
	return fxt_known_bytes(w, str.s, str.len);
}

/** fxt_peek - as fxt_known_bytes(), but does not use the string: its slot may be recycled */
uint16_t fxt_peek(struct fxt_writer *w, const char *s, size_t len);

/**
 * fxt_mark - attach a mark to a string in the table
 * @ref: from fxt_known_bytes() or fxt_peek(), with nothing written since
 *
 * The mark stays until another String record is written for the slot, with the same
 * string or another. This matches fxt_tag() in the decoder.
 */
void fxt_mark(struct fxt_writer *w, uint16_t ref);
bool fxt_is_marked(const struct fxt_writer *w, uint16_t ref);

/* The only word of an argument whose value is a 32-bit number or a string's reference. */
static inline uint64_t fxt_arg_word(enum fxt_arg_type type, uint16_t name, uint32_t v)
{
	return (uint64_t)type | 1u << 4 | (uint64_t)name << 16 | (uint64_t)v << 32;
}

/** fxt_put_word - add an argument of one word: a number of 32 bits, or a string's reference */
static inline void fxt_put_word(struct fxt_record *r, enum fxt_arg_type type, uint16_t name,
				uint32_t v)
{
	*r->end++ = fxt_arg_word(type, name, v);
	r->nargs++;
}

/** fxt_put_two - add an argument of two words; @v is the second one */
static inline void fxt_put_two(struct fxt_record *r, enum fxt_arg_type type, uint16_t name,
			       uint64_t v)
{
	*r->end++ = (uint64_t)type | 2u << 4 | (uint64_t)name << 16;
	*r->end++ = v;
	r->nargs++;
}

/**
 * fxt_record_event - write the record as an event, with the arguments added so far
 * @ev: category and name of at most FXT_MAX_STRING bytes
 */
int fxt_record_event(struct fxt_writer *w, struct fxt_record *r, const struct fxt_event *ev);

/**
 * fxt_put_known - finish an event that the caller has built in the output buffer
 * @at: from out_reserve() of the encoder's stream, aligned like records
 * @end: after its last word
 *
 * For events whose strings all have references, from pins and fxt_known(); nothing may have
 * been written since out_reserve().  This adds the size and the thread to the header.
 * Return: false, with nothing written, if the thread is not in the table.
 */
bool fxt_put_known(struct fxt_writer *w, uint64_t *at, const uint64_t *end, uint64_t process,
		   uint64_t thread);

/**
 * fxt_kernel_object - write a Kernel Object record
 * @type: FXT_KOBJ_*, 8 bits
 * @koid: the object
 * @name: its name
 * @args: for a thread the first must be `process` of type koid, or consumers
 *	do not find the process
 */
int fxt_kernel_object(struct fxt_writer *w, unsigned int type, uint64_t koid,
		      struct fxt_str name, const struct fxt_arg *args,
		      unsigned int nargs);

/** fxt_process_name - the kernel object record that names a process */
int fxt_process_name(struct fxt_writer *w, uint64_t process, struct fxt_str name);

/** fxt_thread_name - the kernel object record that names a thread */
int fxt_thread_name(struct fxt_writer *w, uint64_t process, uint64_t thread,
		    struct fxt_str name);

/* A context switch: format document, "Context Switch Record". */
struct fxt_switch {
	uint64_t time;
	unsigned int cpu;		/* 8 bits */
	enum fxt_thread_state out_state;
	uint64_t out_process, out_thread;
	uint64_t in_process, in_thread;
	unsigned int out_priority, in_priority;	/* 8 bits each */
};

/** fxt_context_switch - write a Context Switch record */
int fxt_context_switch(struct fxt_writer *w, const struct fxt_switch *sw);

#endif
