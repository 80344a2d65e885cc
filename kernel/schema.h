/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The events of etrace_events.def: their numbers, the numbers of their strings and
 * values, and how they are printed as lines.
 */
#ifndef ETRACE_SCHEMA_H
#define ETRACE_SCHEMA_H

#include <linux/build_bug.h>
#include <linux/compiler.h>
#include <linux/types.h>

#define ETRACE_NR_STR	3	/* maximum strings of a record */
#define ETRACE_NR_VAL	12	/* maximum values of a record */

/*
 * The trace events of events.h: those of the table, then records that continue or report others.
 */
enum etrace_event {
#define EVENT(ID, id, name, category, where, doc) ETRACE_EV_##ID,
#include "etrace_events.def"
	ETRACE_NR_SCHEMA,
	ETRACE_EV_STRING = ETRACE_NR_SCHEMA,
	ETRACE_EV_ARGS,
	ETRACE_EV_LOST,
	ETRACE_NR_EV,
};

enum etrace_tag {
#define TAG(TAG) ETRACE_TAG_##TAG,
#include "etrace_events.def"
	ETRACE_NR_TAG,
};

/*
 * Index of a string in its event: ETRACE_STR_OPEN_name, ...; an argument
 * list comes after the strings. ETRACE_STRS_OPEN: number of strings.
 */
#define EVENT(ID, id, name, category, where, doc) enum {
#define STRING(ID, id, TAG, name) ETRACE_STR_##ID##_##id,
#define ARGS(ID, id, TAG, name) ETRACE_STR_##ID##_##id,
#define END_EVENT(ID, id) ETRACE_STRS_##ID };
#include "etrace_events.def"

/* Index of a value in its event: ETRACE_VAL_OPEN_fd, ... */
#define EVENT(ID, id, name, category, where, doc) enum {
#define VALUE(ID, id, type, name, means, given) ETRACE_VAL_##ID##_##id,
#define END_EVENT(ID, id) ETRACE_VALS_##ID };
#include "etrace_events.def"

#define EVENT(ID, id, name, category, where, doc) \
	static_assert(ETRACE_STRS_##ID <= ETRACE_NR_STR + 1); \
	static_assert(ETRACE_VALS_##ID <= ETRACE_NR_VAL);
#include "etrace_events.def"

/* The column "where": sessions have one bit for each of these that they want. */
enum etrace_where {
	ETRACE_WHERE_ALWAYS,
	ETRACE_WHERE_EXTENDED,
	ETRACE_WHERE_PROBES,
	ETRACE_WHERE_DIRS,
	ETRACE_WHERE_ENV,
	ETRACE_WHERE_OUTPUT,
	ETRACE_NR_WHERE,
};

/* The column "given". */
enum etrace_given { ETRACE_GIVEN_MUST, ETRACE_GIVEN_MAY };

/* Which sessions get an event. Records of the kinds after ETRACE_NR_SCHEMA need no entry. */
static const u8 __maybe_unused etrace_event_where[ETRACE_NR_EV] = {
#define EVENT(ID, id, name, category, where, doc) \
	[ETRACE_EV_##ID] = ETRACE_WHERE_##where,
#include "etrace_events.def"
};

/* Kinds of words in the lines of an event. */
enum etrace_word_kind {
	ETRACE_WORD_LINE,	/* a line, up to END_LINE */
	ETRACE_WORD_END_LINE,
	ETRACE_WORD_SIZE,	/* in a line: the length of a string */
	ETRACE_WORD_SIZE_MAY,	/* in a line: the length of a string, if there is one */
	ETRACE_WORD_FIELD,	/* in a line: a value */
	ETRACE_WORD_TEXT,	/* the lines of a string */
	ETRACE_WORD_TEXT_ARGS,	/* the lines of an argument list */
	ETRACE_WORD_END,
};

/* The column "role" of a line. */
enum etrace_role {
	ETRACE_ROLE_BEGIN,
	ETRACE_ROLE_MIDDLE,
	ETRACE_ROLE_LAST,
	ETRACE_ROLE_FAILED,
	ETRACE_ROLE_MORE,
};

/* The column "when" of a line. */
enum etrace_when {
	ETRACE_WHEN_EACH,
	ETRACE_WHEN_GIVEN,
	ETRACE_WHEN_PLAIN,
	ETRACE_WHEN_ERROR,
	ETRACE_WHEN_EXTRA,
};

/**
 * struct etrace_word - a row of etrace_events.def that describes lines
 * @kind: kind of row, ETRACE_WORD_*
 * @role: of a line: ETRACE_ROLE_*
 * @when: of a line: ETRACE_WHEN_*
 * @i: index of the string or value
 * @is_signed: of a value: it is signed
 * @text: the line's tag with its '|', the name of a size or a field with its '='
 */
struct etrace_word {
	u8 kind;
	u8 role;
	u8 when;
	u8 i;
	bool is_signed;
	const char *text;
};

/**
 * struct etrace_schema - an event of the table
 * @words: its lines
 * @tags: tags of its strings, then the tag of its argument list
 * @nr_tags: number of @tags
 * @has_args: the last tag belongs to an argument list
 * @may: bit i: value i MAY be present
 */
struct etrace_schema {
	const struct etrace_word *words;
	u8 tags[ETRACE_NR_STR + 1];
	u8 nr_tags;
	bool has_args;
	bool may[ETRACE_NR_VAL];
};

extern const struct etrace_schema etrace_schemas[ETRACE_NR_SCHEMA];
extern const char etrace_tag_names[ETRACE_NR_TAG][4];
extern bool etrace_extended;	/* module parameter */

#endif /* ETRACE_SCHEMA_H */
