/* SPDX-License-Identifier: LGPL-2.1 */
/*
 * The FXT decoder: reads the records of a Fuchsia trace in either byte order, and keeps
 * the string and thread tables of each provider.  Every access is checked against the
 * bounds of the record.  It knows nothing about what was traced. It skips records and
 * arguments of unknown types by their size.
 *
 *	while (fxt_next(r, &rec) > 0)
 *		switch (rec.type) ... fxt_args(r, &rec, args, &words) ...
 *
 * Everything that a record or argument points to belongs to the reader, and is valid
 * until the next fxt_next() or fxt_next_data().
 */
#ifndef ETRACE_FXT_READ_H
#define ETRACE_FXT_READ_H

#include <stdbool.h>

#include "format/fxt/fxt.h"
#include "io/in.h"

/* A string ref as in the file, and the string that it refers to. */
struct fxt_sref {
	uint16_t ref;		/* raw: 0 empty, bit 15 inline, else an index */
	bool undefined;		/* the index was never registered: len is 0 */
	uint32_t len;		/* bytes */
	uint32_t tag;		/* fxt_tag() of its index, 0 if none */
	const char *s;		/* not terminated by NUL; never NULL */
};

/* A thread ref as in the file, and the thread that it refers to. */
struct fxt_tref {
	uint8_t ref;		/* raw: 0 inline, else an index */
	bool undefined;		/* the index was never registered: koids are 0 */
	uint64_t process;	/* koid */
	uint64_t thread;	/* koid; 0 if the record has no thread */
};

/* One record, decoded as far as its type is known. */
struct fxt_rec {
	uint64_t offset;	/* of its header in the input, in bytes */
	uint64_t header;	/* first word, host order */
	unsigned int type;	/* enum fxt_record_type, or 11 to 14: unknown */
	uint32_t words;		/* size, including the header */
	bool swap;		/* the file's words are in the other byte order */
	/*
	 * false if the record's own structure does not fit into its size: only
	 * the members above are valid (fxt_next() has reported the problem).
	 */
	bool valid;
	uint32_t provider;	/* provider of this section; 0 before the first section */
	/* words * 8 bytes, as in the file; of a large record, only a part */
	const uint8_t *raw;
	/*
	 * Large record: number of bytes that fxt_next_data() returns: the payload, or the
	 * whole record with its header if it is broken or of unknown kind.
	 */
	uint64_t data_bytes;

	bool has_args;		/* its type can have arguments */
	unsigned int nargs;	/* announced number; fxt_next_arg() returns them */
	unsigned int arg_words;	/* words that may contain arguments */
	const uint8_t *arg_raw;

	union {
		struct {
			unsigned int type;	/* enum fxt_metadata_type or unknown */
			uint32_t provider;	/* Provider Info, Section, Event (types 1 to 3) */
			struct fxt_sref name;	/* Provider Info; ref is 0 */
			unsigned int event;	/* Provider Event */
			unsigned int info_type;	/* Trace Info (type 4): 0 is the magic number */
			uint32_t magic;		/* Trace Info with @info_type 0 */
		} meta;
		struct {
			uint64_t ticks;		/* per second */
		} init;
		struct {
			unsigned int index;	/* 0: ignore the record */
			uint32_t len;
			const char *s;
		} string;
		struct {
			unsigned int index;	/* 0: ignore the record */
			uint64_t process, thread;
		} thread;
		struct {
			unsigned int type;	/* enum fxt_event_type or unknown */
			struct fxt_tref thread;
			struct fxt_sref category, name;
			uint64_t time;		/* ticks */
			uint64_t value;		/* the event-type specific word */
			bool has_value;
		} event;
		struct {
			struct fxt_sref name;
			unsigned int type;
			uint32_t len;
			const uint8_t *data;
		} blob;
		struct {
			struct fxt_tref process;
			struct fxt_sref name;
			uint64_t pointer;
		} uobj;
		struct {
			unsigned int type;	/* FXT_KOBJ_* or another */
			struct fxt_sref name;
			uint64_t koid;
		} kobj;
		struct {
			unsigned int kind;	/* enum fxt_sched_kind or unknown */
			unsigned int cpu;
			unsigned int out_state;	/* enum fxt_thread_state */
			/* in: also the thread that wakes up; the process is
			 * set only in FXT_SCHED_LEGACY_SWITCH
			 */
			struct fxt_tref out, in;
			unsigned int out_priority, in_priority;	/* FXT_SCHED_LEGACY_SWITCH */
			uint64_t time;
		} sched;
		struct {
			unsigned int kind;	/* enum fxt_prof_kind or unknown */
			struct fxt_tref thread;
			uint64_t time;
			unsigned int module;	/* id of the module */
			struct fxt_sref name, build_id;	/* FXT_PROF_MODULE; refs are inline */
			unsigned int flags;	/* FXT_PROF_MMAP */
			uint64_t start, range, address;	/* FXT_PROF_MMAP */
			unsigned int nframes;	/* FXT_PROF_BACKTRACE */
			const uint8_t *frames;	/* fxt_word() each */
		} prof;
		struct {
			unsigned int kind;	/* FXT_LARGE_BLOB or unknown */
			unsigned int format;	/* FXT_LARGE_BLOB_* or unknown */
			struct fxt_sref category, name;
			struct fxt_tref thread;	/* FXT_LARGE_BLOB_EVENT */
			uint64_t time;		/* FXT_LARGE_BLOB_EVENT */
			bool known;		/* false: only kind and format above are set */
		} large;
		struct {
			struct fxt_tref thread;
			uint64_t time;
			uint32_t len;
			const char *s;
		} log;
	};
};

/* One argument. */
struct fxt_rarg {
	uint64_t offset;	/* of its header in the input, in bytes */
	uint64_t header;	/* its first word, host order */
	unsigned int type;	/* enum fxt_arg_type, or 11 to 15: unknown */
	unsigned int words;	/* size, including its header */
	const uint8_t *raw;	/* the words * 8 bytes as in the file */
	struct fxt_sref name;
	union {
		int32_t i32;
		uint32_t u32;
		int64_t i64;
		uint64_t u64;	/* also pointers and koids */
		double f64;
		bool b;
		struct fxt_sref str;
		struct {
			const uint8_t *data;
			uint32_t len;	/* bytes */
		} blob;
	};
};

/* Position of fxt_next_arg(); start with all zeros. */
struct fxt_arg_iter {
	unsigned int index;	/* index of the next argument */
	unsigned int word;	/* words of the argument area used so far */
};

/* What can be wrong with a file; fxt_problem_text() describes each. */
enum fxt_problem {
	FXT_BAD_MAGIC,		/* none at the beginning: continue as if it were there */
	FXT_ZERO_SIZE,		/* a record of 0 words: continue at the next word */
	FXT_CUT,		/* the input ends inside a record */
	FXT_BAD_RECORD,		/* the record's parts do not fit into its size */
	FXT_BAD_ARG,		/* an argument does not fit: the rest is skipped */
	FXT_MISSING_ARGS,	/* fewer arguments than announced */
	FXT_UNDEFINED_STRING,	/* a string ref that was never registered */
	FXT_UNDEFINED_THREAD,	/* a thread ref that was never registered */
	FXT_UNKNOWN_RECORD,	/* type 11 to 14, skipped */
	FXT_UNKNOWN_METADATA,
	FXT_UNKNOWN_EVENT,	/* event type 11 to 15 */
	FXT_UNKNOWN_ARG,	/* argument type 11 to 15 */
	FXT_UNKNOWN_KIND,	/* a kind of scheduling, profiler, large or blob record */
	FXT_RESERVED,		/* bits that must be zero are not */
	FXT_READ_ERROR,		/* reading the input failed */
	FXT_PROBLEM_COUNT
};

/**
 * fxt_problem_text - short description of a problem
 * fxt_problem_is_damage - false if something is only unknown, not damaged
 */
const char *fxt_problem_text(enum fxt_problem p);
bool fxt_problem_is_damage(enum fxt_problem p);

/* Called for each problem when it is found; @offset in bytes. */
typedef void (*fxt_problem_fn)(void *ctx, enum fxt_problem p, uint64_t offset);

struct fxt_reader;

/**
 * fxt_reader_new - make a decoder
 * @in: the input; the caller keeps it, and it must outlive the decoder
 * @fn: called for each problem; may be NULL
 * @ctx: passed to @fn
 *
 * Memory: the string tables, at most 32,767 strings of at most 32,767 bytes
 * for each provider, and never more than 300 KiB and a small multiple of the
 * input.
 */
struct fxt_reader *fxt_reader_new(struct in *in, fxt_problem_fn fn, void *ctx);
void fxt_reader_free(struct fxt_reader *r);

/**
 * fxt_next - read the next record
 *
 * String, Thread and Provider records update the tables before they are returned.
 *
 * A file without a magic number is read in the byte order in which more records at its
 * beginning are valid.
 *
 * Return: 1 with @rec filled, 0 at the end, -1 when nothing more can be read
 * (neither a magic number nor a record; read error).
 */
int fxt_next(struct fxt_reader *r, struct fxt_rec *rec);

/**
 * fxt_next_data - read the next bytes of the large record that fxt_next() returned
 * @n: set to their number
 *
 * A large record may have up to 32 GiB, so it is never in memory as a whole. Bytes that
 * are not fetched are skipped. This call invalidates all pointers in the record.
 *
 * Return: the bytes; NULL after rec.data_bytes of them, or at the end of the file.
 */
const uint8_t *fxt_next_data(struct fxt_reader *r, size_t *n);

/**
 * fxt_tag - attach a consumer's number to a registered string
 * @s: from the last fxt_next(), or fxt_next_arg() since; its tag becomes @tag
 * @tag: a number that the consumer chooses; 0 removes it
 *
 * This way a name is compared only once, not each time that it occurs:
 *
 *	if (!arg.name.tag)
 *		fxt_tag(r, &arg.name, look_up(arg.name.s, arg.name.len));
 *	switch (arg.name.tag) ...
 *
 * All refs to the string's index in its provider's table have the tag, until a String
 * record registers that index again, with this or another string: then the tag is 0.
 * Strings that are not in a table (inline, empty, undefined) cannot keep a tag: only
 * @s itself has it.
 */
void fxt_tag(struct fxt_reader *r, struct fxt_sref *s, uint32_t tag);

/** fxt_word - a word of a record's bytes, in the byte order of its file */
uint64_t fxt_word(const struct fxt_rec *rec, const uint8_t *p);

/**
 * fxt_next_arg - read the next argument of a record
 * @rec: from the last fxt_next()
 * @it: the position, which is advanced
 *
 * Return: true with @arg filled; false after the last one, or if the rest does not contain
 * an argument.
 */
bool fxt_next_arg(struct fxt_reader *r, const struct fxt_rec *rec,
		  struct fxt_arg_iter *it, struct fxt_rarg *arg);

/**
 * fxt_args - read all arguments of a record, up to one that cannot be read
 * @rec: from the last fxt_next()
 * @args: filled
 * @words: set to their size in words
 *
 * The result is as from repeated calls of fxt_next_arg(), but this is faster.
 *
 * Return: number of arguments.
 */
unsigned int fxt_args(struct fxt_reader *r, const struct fxt_rec *rec,
		      struct fxt_rarg args[FXT_MAX_ARGS], unsigned int *words);

#endif
