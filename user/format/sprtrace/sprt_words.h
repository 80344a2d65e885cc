/* SPDX-License-Identifier: LGPL-2.1 */
/*
 * What readers and writers of logs share: the fields of items, and the words for them in
 * text reports, JSON and FXT.
 */
#ifndef SPRT_WORDS_H
#define SPRT_WORDS_H

#include <stddef.h>

#include "format/sprtrace/sprt_model.h"

/* Types of fields and values. */
enum sprt_field_type {
	SPRT_NO_FIELD,
	SPRT_KEPT,	/* string of an item that has its own reader and writer functions */
	SPRT_ID,	/* 32 bits */
	SPRT_MASK,	/* 32 bits, shown in hexadecimal */
	SPRT_TEXT,
	SPRT_OPTIONAL,	/* text or NULL */
	SPRT_POINTER,
	SPRT_VERSION,	/* major and minor, 16 bits each */
	SPRT_FLAGS,	/* 32 bits of SPRT_RES_*, from protocol 1.3 on */
	SPRT_FILTERS,	/* bits of SPRT_FILTER_*; only a value */
};

struct sprt_field {
	enum sprt_field_type type;
	size_t offset;		/* offset in struct sprt_item */
	const char *name;	/* its name in JSON and in FXT */
	bool late;		/* in FXT, it comes after the other fields */
};

/* What JSON and FXT show of an item: a value, as a text or a number, by @type. */
struct sprt_value {
	enum sprt_field_type type;	/* SPRT_TEXT for a version */
	const char *name;
	const char *text;	/* NULL if it is missing */
	uint64_t number;
};
typedef void sprt_put(void *ctx, const struct sprt_value *v);

/**
 * sprt_values - call @put for each value of an item; not for calls and heap information
 * @fxt: in the order of FXT, instead of that of packets
 */
void sprt_values(const struct sprt_item *item, bool fxt, sprt_put *put, void *ctx);

/* A kind of item: its names in JSON and in FXT, and its fields in packet order. */
struct sprt_kind_words {
	const char *name, *event;
	struct sprt_field fields[5];
};

/* Indexed by enum sprt_kind. */
extern const struct sprt_kind_words sprt_kinds[];

/* Names of the types of calls, indexed by SPRT_CALL_*. */
extern const char *const sprt_call_types[SPRT_CALL_ALLOC + 1];

#define SPRT_HEAP_TITLE	"heap status information:"
#define SPRT_MODULE_TITLE "tracing module: ["
#define SPRT_SUMMARY_TITLE "# allocation summary: "

/* Names of SPRT_FILTER_* in the header line, indexed by bit number. */
extern const char *const sprt_filter_names[3];

/* One line of heap information: the labels of a value. */
struct sprt_heap_word {
	const char *label;	/* as version 1.8 writes it */
	const char *old;	/* as versions 1.1 to 1.6 write it */
	const char *member;	/* its name in JSON */
};

/* The addresses, then the numbers. */
#define SPRT_HEAP_WORDS	(SPRT_HEAP_ADDRESSES + SPRT_HEAP_NUMBERS)
extern const struct sprt_heap_word sprt_heap_words[SPRT_HEAP_WORDS];

#endif
