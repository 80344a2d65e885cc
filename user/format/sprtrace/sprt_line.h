/* SPDX-License-Identifier: LGPL-2.1 */
/*
 * One line of a text report (TEXT_PROTOCOL), taken to pieces.  Nothing here
 * knows what stood in the lines before.
 *
 * Functions that take a char * cut the line up: strings of what they return
 * point into it.
 */
#ifndef SPRT_LINE_H
#define SPRT_LINE_H

#include <stdbool.h>
#include <stdint.h>

#include "format/sprtrace/sprt_model.h"

/* ---- pieces: @p moves behind what is found, and only then ---- */

/** sprt_line_skip - whether @text comes next */
bool sprt_line_skip(char **p, const char *text);

/** sprt_line_number - a number in @base without sign */
bool sprt_line_number(char **p, int base, uint64_t *v);
/* The same, for a number of 32 bits. */
bool sprt_line_number32(char **p, int base, uint32_t *v);
/** sprt_line_hex - a number with 0x before it */
bool sprt_line_hex(char **p, uint64_t *v);

/* ---- the first line ---- */

enum sprt_line_key {
	SPRT_KEY_VERSION, SPRT_KEY_ARCH, SPRT_KEY_TIMESTAMP, SPRT_KEY_PROCESS, SPRT_KEY_PID,
	SPRT_KEY_FILTER, SPRT_KEY_DEPTH, SPRT_KEY_ORIGIN, SPRT_KEY_TIME, SPRT_KEY_TIMESTAMPS,
	SPRT_KEY_COUNT
};

/** sprt_line_is_header - the first line of a report, wherever it stands:
 * reports can be joined
 */
bool sprt_line_is_header(const char *line);

/**
 * sprt_line_header - cut "key=value, key=value, " up
 * @value: set to the text of each key; NULL: there is no such key
 *
 * Only a key that is known ends the value before it, so that a process name may
 * hold commas.
 */
void sprt_line_header(char *line, const char *value[SPRT_KEY_COUNT]);

/** sprt_line_time - the value of a timestamp; @sec: seconds since the Epoch */
bool sprt_line_time(const char *s, int64_t *sec);

/**
 * sprt_line_filters - names divided by "|", as SPRT_FILTER_*
 * @s: may be NULL
 * @known: set to whether all of them are known
 */
unsigned int sprt_line_filters(const char *s, bool *known);

/* ---- calls ---- */

/**
 * sprt_line_call - "N. [@mask ][[time] ]name[<type>](size) = 0xid" or
 * "...(0xid)"
 * @name: set to the name, with the type behind it; @call has neither name nor
 *	resource
 */
bool sprt_line_call(char *line, struct sprt_call *call, char **name);

/** sprt_line_has_block - names and comments can be anything, but they hardly
 * hold this
 */
bool sprt_line_has_block(const char *s);

/** sprt_line_like_call - a line that is no call, but should have been one */
bool sprt_line_like_call(const char *line);

/* ---- the other lines ---- */

/**
 * sprt_line_heap - "#[#]   label value" of heap information
 * @seen: gets the bit of the row of sprt_heap_words
 *
 * Return: false if the line is something else.
 */
bool sprt_line_heap(char *line, struct sprt_heap *heap, unsigned int *seen);

/* What the first characters of a line say it should be. */
struct sprt_line_type {
	const char *begin;
	bool (*parse)(char *line, struct sprt_item *item);
	bool comment;	/* a comment too, if it does not parse */
};

/** sprt_line_type - of a line; NULL if it is none that begins so */
const struct sprt_line_type *sprt_line_type(const char *line);

#endif
