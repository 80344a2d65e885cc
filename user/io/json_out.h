/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Writes JSON (RFC 8259) to an output stream as it comes, with nothing held in
 * memory.  Shared by all JSON sinks; what is written is not known here.
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

/** json_begin - an object or array begins; @bracket is '{' or '[' */
void json_begin(struct json *j, char bracket);

/** json_end - it ends; @bracket is '}' or ']' */
void json_end(struct json *j, char bracket);

/** json_key - name of the next member; plain ASCII that needs no escapes */
void json_key(struct json *j, const char *name);

/** json_line - a top-level value is complete: ends the line */
void json_line(struct json *j);

void json_u64(struct json *j, uint64_t v);
void json_i64(struct json *j, int64_t v);
void json_bool(struct json *j, bool v);
void json_null(struct json *j);

/** json_f64 - a number that reads back the same; "NaN", "Infinity" or
 * "-Infinity" as a string where it is none
 */
void json_f64(struct json *j, double v);

/** json_addr - a string like "0xb6f00000" */
void json_addr(struct json *j, uint64_t v);

/** json_str - bytes as a string; those that are not UTF-8 become U+FFFD */
void json_str(struct json *j, const char *s, size_t len);

/** json_cstr - the same of a string that ends with NUL */
void json_cstr(struct json *j, const char *s);

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

#endif
