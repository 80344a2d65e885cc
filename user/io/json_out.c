// SPDX-License-Identifier: GPL-2.0
/* JSON as a stream.  See json_out.h. */
#include "io/json_out.h"
#include "base/utf8.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void separate(struct json *j)
{
	if (j->comma)
		out_write(j->out, ",", 1);
	j->comma = true;
}

void json_begin(struct json *j, char bracket)
{
	separate(j);
	out_write(j->out, &bracket, 1);
	j->comma = false;
}

void json_end(struct json *j, char bracket)
{
	out_write(j->out, &bracket, 1);
	j->comma = true;
}

void json_key(struct json *j, const char *name)
{
	separate(j);
	out_write(j->out, "\"", 1);
	out_puts(j->out, name);
	out_write(j->out, "\":", 2);
	j->comma = false;
}

void json_line(struct json *j)
{
	out_write(j->out, "\n", 1);
	j->comma = false;
}

void json_u64(struct json *j, uint64_t v)
{
	separate(j);
	out_u64(j->out, v);
}

void json_i64(struct json *j, int64_t v)
{
	separate(j);
	out_i64(j->out, v);
}

void json_bool(struct json *j, bool v)
{
	separate(j);
	out_puts(j->out, v ? "true" : "false");
}

void json_null(struct json *j)
{
	separate(j);
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
	separate(j);
	out_puts(j->out, text);
	/* A whole number stays a floating one for who reads it. */
	if (!strpbrk(text, ".e"))
		out_puts(j->out, ".0");
}

void json_addr(struct json *j, uint64_t v)
{
	separate(j);
	out_printf(j->out, "\"0x%" PRIx64 "\"", v);
}

/* Valid UTF-8, with what JSON wants escaped. */
static void put_escaped(struct out *o, const char *s, size_t len)
{
	size_t plain = 0;

	for (size_t i = 0; i < len; i++) {
		unsigned char c = (unsigned char)s[i];

		if (c >= 0x20 && c != '"' && c != '\\' && c != 0x7f)
			continue;
		out_write(o, s + plain, i - plain);
		plain = i + 1;
		if (c == '"' || c == '\\')
			out_printf(o, "\\%c", c);
		else if (c == '\n')
			out_puts(o, "\\n");
		else if (c == '\t')
			out_puts(o, "\\t");
		else
			out_printf(o, "\\u%04x", c);
	}
	out_write(o, s + plain, len - plain);
}

void json_str(struct json *j, const char *s, size_t len)
{
	separate(j);
	out_write(j->out, "\"", 1);
	if (utf8_valid(s, len)) {
		put_escaped(j->out, s, len);
	} else {
		size_t n;
		char *copy = utf8_replace(s, len, &n);

		put_escaped(j->out, copy, n);
		free(copy);
	}
	out_write(j->out, "\"", 1);
}

void json_cstr(struct json *j, const char *s)
{
	json_str(j, s, strlen(s));
}

void json_hex_begin(struct json *j)
{
	separate(j);
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
	json_str(j, s, len);
	if (utf8_valid(s, len))
		return;
	separate(j);
	out_write(j->out, "\"", 1);
	out_puts(j->out, name);
	out_puts(j->out, "_hex\":");
	j->comma = false;
	json_hex(j, s, len);
}
