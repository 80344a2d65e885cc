/* SPDX-License-Identifier: LGPL-2.1 */
/*
 * Shared by the two files that read events back from etrace's Fuchsia traces:
 * etrace_fxt_in.c reads the records, etrace_fxt_args.c their arguments.
 */
#ifndef ETRACE_MAPPING_FXT_IN_H
#define ETRACE_MAPPING_FXT_IN_H

#include "base/buf.h"
#include "base/map64.h"
#include "format/fxt/fxt_plain.h"
#include "format/fxt/fxt_read.h"
#include "io/formats.h"
#include "format/fxt_events/etrace_fxt.h"

/*
 * The known words: categories, names of events and of arguments.  A word may have several
 * of these meanings. Each string is looked up once; its tag keeps the result.
 */
struct word {
	const char *s;
	size_t len;
	enum et_kind kind;	/* the kind with that name, or ET_K_NONE */
	uint8_t marking;	/* 1 + enum et_marking */
};

enum {
	SLOT_STRING = 0x10, SLOT_ARGV = 0x20,
	/* room for all words of the schema; a word that several events use counts once */
	MAX_WORDS = 512,
};

/* The fixed words, which are not names of the schema; W_NONE: not a known word. */
enum {
	W_NONE, W_CPU, W_FAILED, W_ERROR, W_LINES, W_STAMPS, W_LATE, W_UPID, W_COUNT,
	W_UNFINISHED, W_VIEW, W_VERSION, W_COMPLETE, W_META, W_MORE, W_HEAD, W_VERDICT,
	/* a line outside the format: a name that begins with a capital letter */
	W_EXTRA,
	W_SCHEMA
};

/* A string's tag: the number of the word, and bits for a suffix. */
#define TAG_WORD	0x0ffffu
#define TAG_HEX		0x10000u	/* "name_hex" */
#define TAG_ON		0x20000u	/* "name+1", "name_hex+1": a continuation */
#define TAG_KNOWN	FXT_TAG_NAME	/* always set, so that the tag of W_NONE is not 0 */
#define TAG_VALUES	0x80000u	/* it is a path for which f->values has the steady values */
#define TAG_ERROR_SHIFT	20		/* for the name of an error, its errno begins here */

/*
 * How to read the arguments of a record, worked out once: records with equal headers nearly
 * always have the same arguments in the same order.
 */
enum { ARG_I32, ARG_U32, ARG_64, ARG_BIG, ARG_STRING, ARG_ERROR };
struct shape {
	uint64_t key;		/* header without the thread; 0 if not set */
	uint64_t names;		/* valid while fxt_names() returns this */
	uint32_t last;		/* tag of the last argument */
	uint32_t has;		/* bit i: fixed word i is present */
	uint16_t given;		/* bit i: value i is present */
	uint16_t must;		/* bit i: a complete event needs value i, even if steady */
	uint8_t strings;
	uint8_t kind, nargs;
	bool whole;		/* apart from @must, exactly what a complete event needs */
	struct shape_arg {
		uint32_t header;	/* lower half */
		uint8_t what;
		uint8_t slot;		/* if @what is ARG_BIG or ARG_STRING */
		uint16_t bytes;
		int64_t *to;		/* where to store a number */
	} arg[FXT_MAX_ARGS];
};
#define SHAPE_KEY	(~0xff000000ull)
/* Shapes kept for each key: records with equal headers can differ in their arguments. */
#define SHAPE_WAYS	4u
#define SHAPE_SET_BITS	8
struct shape_set {
	struct shape way[SHAPE_WAYS];
	unsigned int next;	/* the shape to replace next, modulo SHAPE_WAYS */
};

struct fxt_in {
	struct source source;
	struct in *in;
	struct diag *diag;
	struct sink *sink;
	struct fxt_reader *r;
	int err;
	bool ours, verdict;
	struct map64 live;	/* index in @threads by koid */
	struct thread {
		uint64_t upid, cpu;
		bool has_upid, has_cpu;
		size_t next_free;
	} *threads;		/* entry 0, with nothing known, stands for all other threads */
	size_t nthreads, threads_cap, free_thread;
	/* koid and index of the thread looked up last; koid 0 if none */
	uint64_t known_koid;
	size_t known;
	struct etrace_fxt_values *values;	/* steady values last recorded with each path, by its ref */
	struct fxt_sref path;	/* string 0 of the current event; ref 0 if not in @values */
	struct word words[MAX_WORDS];
	/* meaning of a word in a kind: 1 + index of a value, or SLOT_STRING + index of a string */
	uint8_t slot[ET_K_COUNT][MAX_WORDS];
	unsigned int nwords;
	unsigned int category[ET_K_COUNT];	/* the words of the kinds' categories */
	/* the current event is pending until no more arguments can follow */
	bool pending;
	uint64_t koid, offset;
	struct et_event ev;
	uint32_t has;		/* bit i: fixed word i has been read */
	uint64_t number[W_SCHEMA];	/* values of the fixed words that are numbers */
	struct buf argv, lines, stamps;
	struct buf word;	/* current word of @argv */
	/* the argument that the next one may continue */
	uint32_t last;		/* its tag */
	size_t hex;		/* if it is hex digits: 1 + their offset in ev.bytes; else 0 */
	bool broken;
	bool whole;		/* complete, and read only by take_shape() */
	size_t taken;		/* bytes of arguments so far */
	struct shape_set shapes[1u << SHAPE_SET_BITS];
};

/* ---- etrace_fxt_args.c ---- */

void fxt_in_make_words(struct fxt_in *f);

/* Finds and sets the tag of a string that has none yet. */
uint32_t fxt_in_find_tag(struct fxt_in *f, struct fxt_sref *s);

/** fxt_in_take_args - read all arguments of a record into the current event */
void fxt_in_take_args(struct fxt_in *f, const struct fxt_rec *rec);

/** fxt_in_take_hex - convert the collected hex digits of a string; at least one is there */
void fxt_in_take_hex(struct fxt_in *f);

/** fxt_in_error - errno for an error's name; looked up once for each string */
int32_t fxt_in_error(struct fxt_string *s);

/**
 * fxt_in_learn - work out the shape of records like this one
 * @id: kind of the event just begun, an FXT_EV_INSTANT; ET_K_NONE if it has no meaning here
 */
void fxt_in_learn(struct fxt_in *f, const struct fxt_rec *rec, enum et_kind id);

/* ---- etrace_fxt_make.c ---- */

/** fxt_in_make_event - restore the current event. Return: false if that is impossible. */
bool fxt_in_make_event(struct fxt_in *f);

/* ---- shared ---- */

/* The tag of a name; looked up once for each index of the string table. */
static inline uint32_t tag_of(struct fxt_in *f, struct fxt_sref *s)
{
	return s->tag & TAG_KNOWN ? s->tag : fxt_in_find_tag(f, s);
}

static inline bool has_word(const struct fxt_in *f, unsigned int w)
{
	return f->has >> w & 1;
}

/* Converts the hex digits of a string, which may have come in pieces, once all are read. */
static inline void end_hex(struct fxt_in *f)
{
	if (f->hex)
		fxt_in_take_hex(f);
}

static inline struct shape_set *shapes_of(struct fxt_in *f, uint64_t key)
{
	return &f->shapes[key * 0x9e3779b97f4a7c15ull >> (64 - SHAPE_SET_BITS)];
}

#endif
