/* SPDX-License-Identifier: LGPL-2.1 */
/*
 * Writes JSON (RFC 8259) to an output stream, value by value, without holding it in
 * memory.  All JSON output of etrace uses it.
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

/* State of the writer; start with { .out = stream }. */
struct json {
	struct out *out;
	bool comma;	/* the next value or key needs a comma before it */
};

/* More bytes than a comma, a bracket, quotes and a colon take. */
#define JSON_ROOM 8u

/*
 * Make room for @n bytes and JSON_ROOM more, and write a comma if one is needed.
 * Return: where to write next.
 */
static inline char *json_room(struct json *j, size_t n)
{
	char *to = out_reserve(j->out, n + JSON_ROOM);

	*to = ',';
	return to + j->comma;
}

/* Append what was written from json_room() up to @to.  @comma: whether a comma must follow. */
static inline void json_put(struct json *j, const char *to, bool comma)
{
	out_commit(j->out, (size_t)(to - (char *)out_reserve(j->out, 0)));
	j->comma = comma;
}

/** json_begin - begin an object or array; @bracket is '{' or '[' */
static inline void json_begin(struct json *j, char bracket)
{
	char *to = json_room(j, 1);

	*to = bracket;
	json_put(j, to + 1, false);
}

/** json_end - end an object or array; @bracket is '}' or ']' */
static inline void json_end(struct json *j, char bracket)
{
	out_write(j->out, &bracket, 1);
	j->comma = true;
}

/** json_key - write the name of the next member: ASCII that needs no escapes */
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
 * json_ready - write text that is JSON already: a key with its quotes and colon, or a
 * value
 * @value: whether it is a value, after which a comma may be needed
 */
static inline void json_ready(struct json *j, const char *s, size_t n, bool value)
{
	char *to = json_room(j, n);

	bytes_copy(to, s, n);
	json_put(j, to + n, value);
}
/* Like json_key(), for a name that is a string constant. */
#define JSON_READY_KEY(j, name)	json_ready(j, "\"" name "\":", sizeof(name) + 2, false)

/** json_list - begin a member that is an array */
static inline void json_list(struct json *j, const char *name)
{
	json_key(j, name);
	json_begin(j, '[');
}

/** json_line - end the line after a complete top-level value */
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

/** json_f64 - write a number with enough digits to read back the same value; "NaN",
 * "Infinity" and "-Infinity" as strings
 */
void json_f64(struct json *j, double v);

/** json_addr - write an address as a string like "0xb6f00000" */
void json_addr(struct json *j, uint64_t v);

/* Write a key and a number, or an address as json_addr() does. */
static inline void json_member_u64(struct json *j, const char *name, uint64_t v)
{
	json_key(j, name);
	json_u64(j, v);
}

static inline void json_member_addr(struct json *j, const char *name, uint64_t v)
{
	json_key(j, name);
	json_addr(j, v);
}

/**
 * json_str - write bytes as a string; those that are not UTF-8 become U+FFFD
 *
 * Return: whether they are UTF-8 without NUL.
 */
bool json_str(struct json *j, const char *s, size_t len);

/** json_cstr - json_str() for a string that ends with NUL */
void json_cstr(struct json *j, const char *s);
/** json_member - write a key and a string that ends with NUL */
void json_member(struct json *j, const char *name, const char *value);

/** json_hex - write bytes, any number of them, as a string of hexadecimal digits */
void json_hex(struct json *j, const void *data, size_t len);

/** json_hex_begin - json_hex() for bytes that come piece by piece */
void json_hex_begin(struct json *j);
void json_hex_more(struct json *j, const void *data, size_t len);
void json_hex_end(struct json *j);

/**
 * json_text - write member @name, bytes as a string
 *
 * If they are not UTF-8 without NUL, a member "@name_hex" with all of them follows, so
 * that nothing is lost.
 */
void json_text(struct json *j, const char *name, const char *s, size_t len);
/* The part of json_text() after the key. */
void json_text_value(struct json *j, const char *name, const char *s, size_t len);

#endif
