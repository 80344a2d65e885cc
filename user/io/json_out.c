// SPDX-License-Identifier: LGPL-2.1
/* Writes JSON to a stream.  See json_out.h. */
#include "io/json_out.h"
#include "base/utf8.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void put_comma(struct json *j)
{
	if (j->comma)
		out_write(j->out, ",", 1);
	j->comma = true;
}

void json_bool(struct json *j, bool v)
{
	put_comma(j);
	out_puts(j->out, v ? "true" : "false");
}

void json_null(struct json *j)
{
	put_comma(j);
	out_puts(j->out, "null");
}

void json_f64(struct json *j, double v)
{
	char text[40];

	if (!isfinite(v)) {
		json_cstr(j, isnan(v) ? "NaN" : v > 0 ? "Infinity" : "-Infinity");
		return;
	}
	for (int digits = 15; digits <= 17; digits++) {
		snprintf(text, sizeof(text), "%.*g", digits, v);
		if (strtod(text, NULL) == v)
			break;
	}
	put_comma(j);
	out_puts(j->out, text);
	/* keep the number recognizable as floating-point */
	if (!strpbrk(text, ".e"))
		out_puts(j->out, ".0");
}

void json_addr(struct json *j, uint64_t v)
{
	put_comma(j);
	out_printf(j->out, "\"0x%" PRIx64 "\"", v);
}

/* Strings up to this length in bytes are copied while they are checked. */
#define COPY_MAX 4096u

/* Which bytes cannot be copied unchecked: those that JSON wants escaped, and non-ASCII. */
static inline bytes_16 not_plain(bytes_16 c)
{
	/* as signed char, non-ASCII is below zero */
	return (c < 0x20) | (c == '"') | (c == '\\') | (c == 0x7f);
}

/* Which bytes JSON wants escaped. */
static inline bytes_16 escaped_bytes(bytes_16 c)
{
	return not_plain(c) & (c >= 0);
}

/* Load fewer than 16 bytes, padded with spaces. */
static inline bytes_16 load_few(const char *s, size_t len)
{
	char few[16];

	memset(few, ' ', 16);
	/* @len & 15 is @len, but tells the compiler that it is below 16 */
	bytes_copy(few, s, len & 15);
	return bytes_load_16(few);
}

/* Copy 16 bytes.  Return: whether none of them is not_plain(). */
static inline bool copy_16(char *to, bytes_16 c)
{
	memcpy(to, &c, 16);
	return !bytes_any(not_plain(c));
}

/*
 * Copy bytes as long as none is not_plain(); @to has room for 16 more than @len.
 * Return: whether all bytes are plain, and so were copied.
 */
static bool copy_plain(char *to, const char *s, size_t len)
{
	size_t i = 0;

	if (len < 16)
		return copy_16(to, load_few(s, len));
	for (; i + 16 < len; i += 16)
		if (!copy_16(to + i, bytes_load_16(s + i)))
			return false;
	return copy_16(to + len - 16, bytes_load_16(s + len - 16));
}

/* The number of bytes at the beginning that JSON does not want escaped. */
static size_t plain_run(const char *s, size_t len)
{
	size_t i = 0, n = 16;

	for (; n == 16 && i + 16 <= len; i += n)
		n = bytes_before(escaped_bytes(bytes_load_16(s + i)));
	if (n == 16)
		i += bytes_before(escaped_bytes(load_few(s + i, len - i)));
	return i < len ? i : len;
}

/* Write valid UTF-8, and escape what JSON wants escaped. */
static void put_escaped(struct out *o, const char *s, size_t len)
{
	static const char hex[] = "0123456789abcdef";
	size_t plain = 0;

	for (size_t i = plain_run(s, len); i < len; i += plain_run(s + i, len - i)) {
		unsigned char c = (unsigned char)s[i];
		char text[6];
		size_t n = 2;

		text[0] = '\\';
		text[1] = (char)c;
		if (c == '\n') {
			text[1] = 'n';
		} else if (c == '\t') {
			text[1] = 't';
		} else if (c != '"' && c != '\\') {
			text[1] = 'u';
			text[2] = text[3] = '0';
			text[4] = hex[c >> 4];
			text[5] = hex[c & 15];
			n = 6;
		}
		out_write(o, s + plain, i - plain);
		out_write(o, text, n);
		plain = ++i;
	}
	out_write(o, s + plain, len - plain);
}

bool json_str(struct json *j, const char *s, size_t len)
{
	bool valid;

	if (len <= COPY_MAX) {
		char *to = json_room(j, len + 16);

		*to++ = '"';
		if (copy_plain(to, s, len)) {
			to[len] = '"';
			json_put(j, to + len + 1, true);
			return true;
		}
	}
	put_comma(j);
	out_write(j->out, "\"", 1);
	valid = utf8_valid(s, len);
	if (valid) {
		put_escaped(j->out, s, len);
	} else {
		size_t n;
		char *copy = utf8_replace(s, len, &n);

		put_escaped(j->out, copy, n);
		free(copy);
	}
	out_write(j->out, "\"", 1);
	return valid;
}

void json_cstr(struct json *j, const char *s)
{
	json_str(j, s, strlen(s));
}

void json_member(struct json *j, const char *name, const char *value)
{
	json_key(j, name);
	json_cstr(j, value);
}

void json_hex_begin(struct json *j)
{
	put_comma(j);
	out_write(j->out, "\"", 1);
}

void json_hex_more(struct json *j, const void *data, size_t len)
{
	static const char digits[] = "0123456789abcdef";
	const uint8_t *p = data;

	while (len) {
		size_t n = len < 4096 ? len : 4096;
		char *text = out_reserve(j->out, 2 * n);

		for (size_t i = 0; i < n; i++) {
			text[2 * i] = digits[p[i] >> 4];
			text[2 * i + 1] = digits[p[i] & 15];
		}
		out_commit(j->out, 2 * n);
		p += n;
		len -= n;
	}
}

void json_hex_end(struct json *j)
{
	out_write(j->out, "\"", 1);
}

void json_hex(struct json *j, const void *data, size_t len)
{
	json_hex_begin(j);
	json_hex_more(j, data, len);
	json_hex_end(j);
}

void json_text(struct json *j, const char *name, const char *s, size_t len)
{
	json_key(j, name);
	json_text_value(j, name, s, len);
}

void json_text_value(struct json *j, const char *name, const char *s, size_t len)
{
	if (json_str(j, s, len))
		return;
	put_comma(j);
	out_write(j->out, "\"", 1);
	out_puts(j->out, name);
	out_puts(j->out, "_hex\":");
	j->comma = false;
	json_hex(j, s, len);
}
