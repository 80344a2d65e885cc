/* SPDX-License-Identifier: LGPL-2.1 */
/*
 * Tables that readers and writers of logs share: fields of items, and the words for them in
 * text reports, JSON and FXT.
 */
#ifndef SPRT_WORDS_H
#define SPRT_WORDS_H

#include <stddef.h>

#include "format/sprtrace/sprt_model.h"

/* Types of fields.  The order matters: sprt_fxt_fields() selects ranges of it. */
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
};

struct sprt_field {
	enum sprt_field_type type;
	size_t offset;		/* offset in struct sprt_item */
	const char *name;	/* its name in JSON and in FXT */
};

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
