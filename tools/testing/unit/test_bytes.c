// SPDX-License-Identifier: GPL-2.0
/*
 * Functions that handle several bytes at once give the same result as byte by byte: each
 * value at each position of strings of each length.
 */
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/buf.h"
#include "base/path.h"
#include "base/shquote.h"
#include "base/utf8.h"
#include "base/xalloc.h"
#include "io/json_out.h"
#include "io/out.h"

#define LONGEST 70u

/* A block of exactly this size, so that an access beyond it is noticed. */
static char *filled(size_t n, char c)
{
	char *s = xmalloc(n);

	memset(s, c, n);
	return s;
}

static void copies(void **state)
{
	(void)state;
	for (size_t n = 0; n <= LONGEST; n++) {
		char *from = filled(n, 0), to[LONGEST + 2], want[LONGEST + 2];

		for (size_t i = 0; i < n; i++)
			from[i] = (char)(i + 1);
		memset(to, 'x', sizeof(to));
		memset(want, 'x', sizeof(want));
		memcpy(want + 1, from, n);
		bytes_copy(to + 1, from, n);
		assert_memory_equal(to, want, sizeof(to));
		free(from);
	}
}

static void compares(void **state)
{
	(void)state;
	for (size_t n = 0; n <= LONGEST; n++) {
		char *a = filled(n, 'a'), *b = filled(n, 'a');

		assert_true(bytes_equal(a, b, n));
		for (size_t i = 0; i < n; i++) {
			b[i] = 'b';
			assert_false(bytes_equal(a, b, n));
			b[i] = 'a';
		}
		free(a);
		free(b);
	}
}

static void number(uint64_t v)
{
	char want[24], have[DECIMAL_ROOM + 1];
	struct buf b = { 0 };
	size_t n = (size_t)snprintf(want, sizeof(want), "%" PRIu64, v);

	have[DECIMAL_ROOM] = 'x';
	assert_int_equal(decimal(have, v), n);
	assert_memory_equal(have, want, n);
	assert_int_equal(have[DECIMAL_ROOM], 'x');
	buf_addu(&b, v);
	assert_int_equal(b.len, n);
	assert_memory_equal(b.s, want, n);
	buf_free(&b);
}

static void numbers(void **state)
{
	uint64_t v = 1;

	(void)state;
	for (unsigned int i = 0; i < 20; i++, v *= 10)
		for (uint64_t d = 0; d < 10; d++) {
			number(v * d - 1);
			number(v * d);
			number(v * d + 1);
		}
	for (unsigned int i = 0; i < 64; i++) {
		number((1ull << i) - 1);
		number(1ull << i);
	}
	for (uint64_t i = 0; i < 200000; i++) {
		number(i);
		number(i * 0x9e3779b97f4a7c15ull >> i % 64);
	}
}

/* Try each byte at each position of an otherwise plain text. */
static void each(void (*one)(const char *s, size_t len, size_t at))
{
	for (size_t n = 1; n <= 40; n++) {
		char *s = filled(n, 'p');

		for (size_t i = 0; i < n; i++) {
			for (unsigned int c = 0; c < 256; c++) {
				s[i] = (char)c;
				one(s, n, i);
			}
			s[i] = 'p';
		}
		free(s);
	}
}

static void one_valid(const char *s, size_t len, size_t at)
{
	assert_int_equal(utf8_valid(s, len), (signed char)s[at] > 0);
}

static void texts(void **state)
{
	(void)state;
	each(one_valid);
	/* multi-byte characters at each position */
	for (size_t n = 4; n <= 40; n++) {
		char *s = filled(n, 'p');

		for (size_t i = 0; i + 4 <= n; i++) {
			memcpy(s + i, "\xf0\x9f\x90\xa7", 4);
			assert_true(utf8_valid(s, n));
			s[i + 3] = 'p';
			assert_false(utf8_valid(s, n));
			memset(s + i, 'p', 4);
		}
		free(s);
	}
}

static void one_quoted(const char *s, size_t len, size_t at)
{
	static const char safe[] = "_@%+=:,./-";
	unsigned char c = (unsigned char)s[at];
	bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
		     (c >= '0' && c <= '9') || (c && strchr(safe, c));
	struct buf b = { 0 }, word = { 0 };
	const char *line;
	size_t left;

	sh_quote(&b, s, len);
	assert_int_equal(b.len == len, plain);
	line = b.s;
	left = b.len;
	assert_true(sh_unquote(&line, &left, &word));
	assert_int_equal(left, 0);
	assert_int_equal(word.len, len);
	assert_memory_equal(word.s, s, len);
	buf_free(&b);
	buf_free(&word);
}

static void quotes(void **state)
{
	(void)state;
	each(one_quoted);
}

static struct json json;

static void one_json(const char *s, size_t len, size_t at)
{
	unsigned char c = (unsigned char)s[at];
	char what[8], want[64];
	const char *have;
	size_t before, n;

	if (c >= 0x80)
		snprintf(what, sizeof(what), "\xef\xbf\xbd");
	else if (c == '"' || c == '\\')
		snprintf(what, sizeof(what), "\\%c", c);
	else if (c == '\n' || c == '\t')
		snprintf(what, sizeof(what), "\\%c", c == '\n' ? 'n' : 't');
	else if (c == 0)
		snprintf(what, sizeof(what), "\xef\xbf\xbd");
	else if (c < 0x20 || c == 0x7f)
		snprintf(what, sizeof(what), "\\u%04x", c);
	else
		snprintf(what, sizeof(what), "%c", c);
	json.comma = false;
	out_mem_data(json.out, &before);
	json_str(&json, s, len);
	have = out_mem_data(json.out, &n);
	snprintf(want, sizeof(want), "\"%.*s%s%.*s\"", (int)at, s, what, (int)(len - at - 1),
		 s + at + 1);
	assert_int_equal(n - before, strlen(want));
	assert_memory_equal(have + before, want, n - before);
}

static void json_strings(void **state)
{
	(void)state;
	json.out = out_mem();
	each(one_json);
	out_close(json.out);
}

/* Commas, keys and numbers, written across the end of the buffer many times. */
static void json_values(void **state)
{
	static const char one[] =
		"[{\"a\":0,\"name\":-9223372036854775808,\"b\":[],\"c\":18446744073709551615},-1,2]\n";
	struct out *o = out_mem();
	struct json j = { .out = o };
	const char *have;
	size_t n;

	(void)state;
	for (unsigned int i = 0; i < 20000; i++) {
		json_begin(&j, '[');
		json_begin(&j, '{');
		json_key(&j, "a");
		json_u64(&j, 0);
		json_key(&j, "name");
		json_i64(&j, INT64_MIN);
		json_key(&j, "b");
		json_begin(&j, '[');
		json_end(&j, ']');
		json_key(&j, "c");
		json_u64(&j, UINT64_MAX);
		json_end(&j, '}');
		json_i64(&j, -1);
		json_i64(&j, 2);
		json_end(&j, ']');
		json_line(&j);
	}
	have = out_mem_data(o, &n);
	assert_int_equal(n, 20000 * (sizeof(one) - 1));
	for (size_t i = 0; i < n; i += sizeof(one) - 1)
		assert_memory_equal(have + i, one, sizeof(one) - 1);
	out_close(o);
}

static bool clean_by_byte(const char *s, size_t n)
{
	for (size_t i = 0; i + 1 < n; i++)
		if (s[i] == '/' && (s[i + 1] == '/' || s[i + 1] == '.'))
			return false;
	return n > 1 && s[0] == '/' && s[n - 1] != '/';
}

static void paths(void **state)
{
	static const char *const parts[] = { "a", "/", ".", "//", "/.", "./", "/..", "/b/" };
	struct buf b = { 0 };

	(void)state;
	for (size_t n = 0; n <= LONGEST; n++)
		for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++)
			for (size_t at = 0; at + strlen(parts[i]) <= n; at++) {
				char *s = filled(n, 'a');

				s[0] = '/';
				memcpy(s + at, parts[i], strlen(parts[i]));
				assert_int_equal(path_is_clean(s, n), clean_by_byte(s, n));
				/* only what is added here is removed */
				b.len = 0;
				buf_add(&b, s, n);
				buf_adds(&b, "/.");
				path_clean(&b);
				if (path_is_clean(s, n)) {
					assert_int_equal(b.len, n);
					assert_memory_equal(b.s, s, n);
				}
				free(s);
			}
	buf_free(&b);
}

/* Prints as printf() does, also for values halfway between two results. */
static void ratios(void **state)
{
	static const int64_t ofs[] = { 1000000000, 1, 3, 7, 999, 1048576, 200951234567, INT64_MAX / 2 };
	static const int64_t near[] = { -1, 0, 1 };
	struct out *o = out_mem();
	char want[128];
	uint64_t random = 1;
	size_t len = 0, was;

	(void)state;
	for (unsigned int i = 0; i < 200000; i++) {
		int64_t of = ofs[i % 8], n;

		random = random * 6364136223846793005u + 1442695040888963407u;
		n = (int64_t)(random >> (1 + random % 60));
		if (i % 3 == 0)
			n = n / of * of + of / 2000 * (int64_t)(random % 2000) + near[i % 9 / 3];
		was = len;
		out_ratio(o, n, of, 1 + i % 2 * 2, i % 16);
		snprintf(want, sizeof(want), "%*.*f", (int)(i % 16), (int)(1 + i % 2 * 2),
			 (double)n / (double)of);
		assert_memory_equal((const char *)out_mem_data(o, &len) + was, want, strlen(want));
		assert_int_equal(len - was, strlen(want));
	}
	out_close(o);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(copies),
		cmocka_unit_test(compares),
		cmocka_unit_test(numbers),
		cmocka_unit_test(texts),
		cmocka_unit_test(quotes),
		cmocka_unit_test(paths),
		cmocka_unit_test(ratios),
		cmocka_unit_test(json_strings),
		cmocka_unit_test(json_values),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
