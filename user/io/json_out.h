/* SPDX-License-Identifier: LGPL-2.1 */
/*
 * Writes JSON (RFC 8259) to an output stream as it comes, holding nothing in
 * memory.  Shared by all JSON sinks, whatever they write.
 *
 *	json_begin(&j, '{');
 *	json_key(&j, "pid");
 *	json_u64(&j, 501);
 *	json_end(&j, '}');
 *	json_line(&j);
 *
 * Write errors are sticky in the output stream; nothing here returns them.
 */
#ifndef ETRACE_JSON_OUT_H
#define ETRACE_JSON_OUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "io/out.h"

/* Where the text stands; start with { .out = stream }. */
struct json {
	struct out *out;
	bool comma;	/* the next value or key needs a comma before it */
};

/* What a comma takes, and more than any bracket, quotes and colon. */
#define JSON_ROOM 8u

/* Room for @n bytes and JSON_ROOM more, with the comma there if it is needed. */
static inline char *json_room(struct json *j, size_t n)
{
	char *to = out_reserve(j->out, n + JSON_ROOM);

	*to = ',';
	return to + j->comma;
}

/* What was put at json_room() ends at @to; whether a comma must follow it. */
static inline void json_put(struct json *j, const char *to, bool comma)
{
	out_commit(j->out, (size_t)(to - (char *)out_reserve(j->out, 0)));
	j->comma = comma;
}

/** json_begin - an object or array begins; @bracket is '{' or '[' */
static inline void json_begin(struct json *j, char bracket)
{
	char *to = json_room(j, 1);

	*to = bracket;
	json_put(j, to + 1, false);
}

/** json_end - it ends; @bracket is '}' or ']' */
static inline void json_end(struct json *j, char bracket)
{
	out_write(j->out, &bracket, 1);
	j->comma = true;
}

/** json_key - name of the next member; plain ASCII that needs no escapes */
static inline void json_key(struct json *j, const char *name)
{
	size_t n = strlen(name);
	char *to = json_room(j, n);

	*to++ = '"';
	bytes_copy(to, name, n);
	to[n] = '"';
	to[n + 1] = ':';
	json_put(j, to + n + 2, false);
}

/**
 * json_ready - text that is JSON already: a key with its quotes and colon, or a
 * value
 * @value: it is a value, which a comma may have to follow
 */
static inline void json_ready(struct json *j, const char *s, size_t n, bool value)
{
	char *to = json_room(j, n);

	bytes_copy(to, s, n);
	json_put(j, to + n, value);
}
/* The same of a constant. */
#define JSON_READY_KEY(j, name)	json_ready(j, "\"" name "\":", sizeof(name) + 2, false)

/** json_list - a member that is an array begins */
static inline void json_list(struct json *j, const char *name)
{
	json_key(j, name);
	json_begin(j, '[');
}

/** json_line - a top-level value is complete: ends the line */
static inline void json_line(struct json *j)
{
	out_write(j->out, "\n", 1);
	j->comma = false;
}

static inline void json_u64(struct json *j, uint64_t v)
{
	char *to = json_room(j, DECIMAL_ROOM);

	json_put(j, to + decimal(to, v), true);
}

static inline void json_i64(struct json *j, int64_t v)
{
	char *to = json_room(j, DECIMAL_ROOM);

	*to = '-';
	to += v < 0;
	json_put(j, to + decimal(to, v < 0 ? -(uint64_t)v : (uint64_t)v), true);
}

void json_bool(struct json *j, bool v);
void json_null(struct json *j);

/** json_f64 - a number that reads back the same; "NaN", "Infinity" or
 * "-Infinity" as a string where it is none
 */
void json_f64(struct json *j, double v);

/** json_addr - a string like "0xb6f00000" */
void json_addr(struct json *j, uint64_t v);

/**
 * json_str - bytes as a string; those that are not UTF-8 become U+FFFD
 *
 * Return: whether they are UTF-8 without NUL.
 */
bool json_str(struct json *j, const char *s, size_t len);

/** json_cstr - the same of a string that ends with NUL */
void json_cstr(struct json *j, const char *s);
/** json_member - a key and such a value */
void json_member(struct json *j, const char *name, const char *value);

/** json_hex - bytes as a string of hexadecimal digits, of any length */
void json_hex(struct json *j, const void *data, size_t len);

/** json_hex_begin - the same, of bytes that come piece by piece */
void json_hex_begin(struct json *j);
void json_hex_more(struct json *j, const void *data, size_t len);
void json_hex_end(struct json *j);

/**
 * json_text - member @name with bytes as a string
 *
 * Where they are not UTF-8 without NUL, member "@name_hex" follows with all of
 * them, so that nothing is lost.
 */
void json_text(struct json *j, const char *name, const char *s, size_t len);
/* The same where its key is written already. */
void json_text_value(struct json *j, const char *name, const char *s, size_t len);

#endif
