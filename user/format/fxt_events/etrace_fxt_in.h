/* SPDX-License-Identifier: LGPL-2.1 */
/*
 * Shared by the two files that read the Fuchsia traces of etrace: etrace_fxt_in.c reads the
 * records, etrace_fxt_args.c their arguments.
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
 * The words that names are compared with once, by their tag: categories, names
 * of events and of arguments.  A word may be several of these.
 */
struct word {
	const char *s;
	size_t len;
	enum et_kind kind;	/* event of that name, or ET_K_NONE */
	uint8_t marking;	/* 1 + enum et_marking */
};

enum {
	SLOT_STRING = 0x10, SLOT_ARGV = 0x20,
	/* of all events of the schema; each is in it but once */
	MAX_WORDS = 512,
};

/* Those that are no names of the schema; W_NONE: of no meaning. */
enum {
	W_NONE, W_CPU, W_FAILED, W_ERROR, W_LINES, W_STAMPS, W_LATE, W_UPID, W_COUNT,
	W_UNFINISHED, W_VIEW, W_VERSION, W_COMPLETE, W_META, W_MORE, W_HEAD, W_VERDICT,
	/* a line outside the format: a name that begins with a capital letter */
	W_EXTRA,
	W_SCHEMA
};

/* A string's tag: the word, and what stands behind it. */
#define TAG_WORD	0x0ffffu
#define TAG_HEX		0x10000u	/* "name_hex" */
#define TAG_ON		0x20000u	/* "name+1", "name_hex+1": goes on */
#define TAG_KNOWN	FXT_TAG_NAME	/* so that W_NONE is no tag of 0 */
#define TAG_VALUES	0x80000u	/* a path: f->values has the steady values written for it */
#define TAG_ERROR_SHIFT	20		/* the rest, of an error's name: its number */

/*
 * What the arguments of a record are.  Records with equal headers nearly always have the same
 * arguments in the same order, so this is worked out once.
 */
enum { ARG_I32, ARG_U32, ARG_64, ARG_BIG, ARG_STRING, ARG_ERROR };
struct shape {
	uint64_t key;		/* header without the thread; 0: none */
	uint64_t names;		/* fxt_names() that it holds for */
	uint32_t last;		/* tag of the last argument */
	uint32_t has;		/* fixed words, a bit each */
	uint16_t given;		/* values */
	uint16_t must;		/* values that a whole event needs, the steady ones as well */
	uint8_t strings;
	uint8_t kind, nargs;
	bool whole;		/* all else that it needs is there, and nothing else */
	struct shape_arg {
		uint32_t header;	/* lower half */
		uint8_t what;
		uint8_t slot;		/* ARG_BIG, ARG_STRING */
		uint16_t bytes;
		int64_t *to;		/* where a number goes */
	} arg[FXT_MAX_ARGS];
};
#define SHAPE_KEY	(~0xff000000ull)
/* Records that begin alike may have other arguments: so many shapes of one key are kept. */
#define SHAPE_WAYS	4u
#define SHAPE_SET_BITS	8
struct shape_set {
	struct shape way[SHAPE_WAYS];
	unsigned int next;	/* which is given up */
};

struct fxt_in {
	struct source source;
	struct in *in;
	struct diag *diag;
	struct sink *sink;
	struct fxt_reader *r;
	int err;
	bool ours, verdict;
	struct map64 live;	/* numbers in @threads, by koids */
	struct thread {
		uint64_t upid, cpu;
		bool has_upid, has_cpu;
		size_t next_free;
	} *threads;		/* of the first nothing is known: it stands for all others */
	size_t nthreads, threads_cap, free_thread;
	/* of the thread looked up last; 0: none was */
	uint64_t known_koid;
	size_t known;
	struct etrace_fxt_values *values;	/* steady values last recorded with each path, by its ref */
	struct fxt_sref path;	/* string 0 of the current event; ref 0: it has no entry in @values */
	struct word words[MAX_WORDS];
	/* what each is in a kind: 1 + number of the value; STRING + that of the string */
	uint8_t slot[ET_K_COUNT][MAX_WORDS];
	unsigned int nwords;
	unsigned int category[ET_K_COUNT];	/* the words of the kinds' categories */
	/* the event at hand, until it is known that no more arguments follow */
	bool pending;
	uint64_t koid, offset;
	struct et_event ev;
	uint32_t has;		/* of the fixed words, a bit each */
	uint64_t number[W_SCHEMA];	/* of those that are numbers */
	struct buf argv, lines, stamps;
	struct buf word;	/* of @argv, the one at hand */
	/* the argument that the next one may go on with */
	uint32_t last;		/* its tag */
	size_t hex;		/* of hex digits: where they begin in the bytes + 1 */
	bool broken;
	bool whole;		/* nothing but what take_shape() took, which is all that it needs */
	size_t taken;		/* bytes of arguments */
	struct shape_set shapes[1u << SHAPE_SET_BITS];
};

/* ---- etrace_fxt_args.c ---- */

void fxt_in_make_words(struct fxt_in *f);

/* The tag of a string that has none yet, which it gets. */
uint32_t fxt_in_find_tag(struct fxt_in *f, struct fxt_sref *s);

/** fxt_in_take_args - all arguments of a record */
void fxt_in_take_args(struct fxt_in *f, const struct fxt_rec *rec);

/* What end_hex() does where there are digits. */
void fxt_in_take_hex(struct fxt_in *f);

/** fxt_in_error - the number of an error's name, which is looked up once */
int32_t fxt_in_error(struct fxt_string *s);

/**
 * fxt_in_learn - what the arguments of records like this are
 * @id: the event that was just begun, an FXT_EV_INSTANT; ET_K_NONE: of no meaning here
 */
void fxt_in_learn(struct fxt_in *f, const struct fxt_rec *rec, enum et_kind id);

/* What a name means; looked up once for each index of the string table. */
static inline uint32_t tag_of(struct fxt_in *f, struct fxt_sref *s)
{
	return s->tag & TAG_KNOWN ? s->tag : fxt_in_find_tag(f, s);
}

static inline bool has(const struct fxt_in *f, unsigned int w)
{
	return f->has >> w & 1;
}

/* The digits of a string came in one piece or several: now there are all. */
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
