/* SPDX-License-Identifier: LGPL-2.1 */
/*
 * Parses single lines of a text report (TEXT_PROTOCOL).  Nothing here depends on
 * earlier lines.
 *
 * Functions that take a char * modify the line: the strings that they return
 * point into it.
 */
#ifndef SPRT_LINE_H
#define SPRT_LINE_H

#include <stdbool.h>
#include <stdint.h>

#include "format/sprtrace/sprt_model.h"

/* ---- tokens: on success, @p is moved past the token; else it stays ---- */

/** sprt_line_skip - skip @text; false if it does not come next */
bool sprt_line_skip(char **p, const char *text);

/** sprt_line_number - parse an unsigned number in @base */
bool sprt_line_number(char **p, int base, uint64_t *v);
/** sprt_line_number32 - parse an unsigned 32-bit number in @base */
bool sprt_line_number32(char **p, int base, uint32_t *v);
/** sprt_line_hex - parse a hexadecimal number that begins with 0x */
bool sprt_line_hex(char **p, uint64_t *v);

/* ---- the first line ---- */

enum sprt_line_key {
	SPRT_KEY_VERSION, SPRT_KEY_ARCH, SPRT_KEY_TIMESTAMP, SPRT_KEY_PROCESS, SPRT_KEY_PID,
	SPRT_KEY_FILTER, SPRT_KEY_DEPTH, SPRT_KEY_ORIGIN, SPRT_KEY_TIME, SPRT_KEY_TIMESTAMPS,
	SPRT_KEY_COUNT
};

/** sprt_line_is_header - whether a line is the first of a report.  Reports can be
 * concatenated, so it can occur anywhere in a file.
 */
bool sprt_line_is_header(const char *line);

/**
 * sprt_line_header - split "key=value, key=value, "
 * @value: set to the value of each key, NULL if the key is missing
 *
 * Only a known key ends the value before it, so that a process name may contain
 * commas.
 */
void sprt_line_header(char *line, const char *value[SPRT_KEY_COUNT]);

/** sprt_line_time - parse a timestamp; @sec: seconds since the Epoch */
bool sprt_line_time(const char *s, int64_t *sec);

/**
 * sprt_line_filters - convert filter names separated by "|" to SPRT_FILTER_*
 * @s: may be NULL
 * @known: set to whether all names are known
 */
unsigned int sprt_line_filters(const char *s, bool *known);

/* ---- calls ---- */

/**
 * sprt_line_call - parse "N. [@mask ][[time] ]name[<type>](size) = 0xid" or
 * "...(0xid)"
 * @name: set to "name<type>"; the caller sets name and resource of @call
 */
bool sprt_line_call(char *line, struct sprt_call *call, char **name);

/** sprt_line_has_block - whether @s holds "(0x" or ") = 0x", which is unlikely in
 * names and comments
 */
bool sprt_line_has_block(const char *s);

/** sprt_line_like_call - whether a line that is not a valid call looks like a damaged one */
bool sprt_line_like_call(const char *line);

/* ---- the other lines ---- */

/**
 * sprt_line_heap - parse "#[#]   label value" of heap information
 * @seen: gets the bit of the matching row of sprt_heap_words
 *
 * Return: false if the line is something else.
 */
bool sprt_line_heap(char *line, struct sprt_heap *heap, unsigned int *seen);

/* A type of line, recognised by its first characters. */
struct sprt_line_type {
	const char *begin;
	bool (*parse)(char *line, struct sprt_item *item);
	bool comment;	/* a line that does not parse is a comment, not damage */
};

/** sprt_line_type - find the type of a line by its first characters; NULL if none */
const struct sprt_line_type *sprt_line_type(const char *line);

#endif
