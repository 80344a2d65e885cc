// SPDX-License-Identifier: LGPL-2.1
/* Checks and converts UTF-8.  See utf8.h. */
#include "base/utf8.h"
#include "base/bytes.h"
#include "base/xalloc.h"

#include <stdint.h>
#include <string.h>

size_t utf8_char(const char *str, size_t len)
{
	static const uint32_t least[] = { 0, 0, 0x80, 0x800, 0x10000 };
	const unsigned char *s = (const unsigned char *)str;
	uint32_t c = s[0];
	size_t n;

	if (c < 0x80)
		return c ? 1 : 0;
	if (c < 0xc2 || c > 0xf4)
		return 0;
	n = c < 0xe0 ? 2 : c < 0xf0 ? 3 : 4;
	if (n > len)
		return 0;
	c &= 0x7fu >> n;
	for (size_t i = 1; i < n; i++) {
		if ((s[i] & 0xc0) != 0x80)
			return 0;
		c = c << 6 | (s[i] & 0x3f);
	}
	if (c < least[n] || c > 0x10ffff || (c >= 0xd800 && c <= 0xdfff))
		return 0;
	return n;
}

/* Whether any of 16 bytes is NUL or not ASCII. */
static bool other_16(const char *s)
{
	return bytes_any(bytes_load_16(s) <= 0);
}

/* Whether any of 8 bytes is NUL or not ASCII (its top bit is set). */
static bool other_8(uint64_t v)
{
	return (v | (v - 0x0101010101010101ull)) & 0x8080808080808080ull;
}

/* Whether all bytes are ASCII without NUL.  Some bytes may be read twice. */
static bool all_ascii(const char *s, size_t len)
{
	if (len >= 16) {
		for (size_t i = 0; i + 16 < len; i += 16)
			if (other_16(s + i))
				return false;
		return !other_16(s + len - 16);
	}
	if (len >= 8)
		return !other_8(bytes_8(s)) && !other_8(bytes_8(s + len - 8));
	if (len >= 4)
		return !other_8(bytes_4(s) | (uint64_t)bytes_4(s + len - 4) << 32);
	for (size_t i = 0; i < len; i++)
		if ((signed char)s[i] <= 0)
			return false;
	return true;
}

/* The number of bytes at the beginning of @s that are ASCII without NUL. */
static size_t ascii_len(const char *s, size_t len)
{
	size_t i = 0;

	while (i + 8 <= len && !other_8(bytes_8(s + i)))
		i += 8;
	while (i < len && (signed char)s[i] > 0)
		i++;
	return i;
}

bool utf8_valid(const char *s, size_t len)
{
	size_t i = 0;

	if (all_ascii(s, len))
		return true;
	for (;;) {
		size_t n;

		i += ascii_len(s + i, len - i);
		if (i == len)
			return true;
		n = utf8_char(s + i, len - i);
		if (!n)
			return false;
		i += n;
	}
}

size_t utf8_cut(const char *s, size_t len, size_t max)
{
	size_t n = max;

	if (len <= max)
		return len;
	/* go back over continuation bytes to the start of the character that @max cuts */
	while (n > 0 && max - n < 3 && (s[n] & 0xc0) == 0x80)
		n--;
	if (n > 0 && (s[n] & 0xc0) != 0x80)
		return n;
	return max;
}

char *utf8_replace(const char *s, size_t len, size_t *out_len)
{
	char *buf = xmalloc(len * 3 + 1), *to = buf;
	size_t i = 0;

	while (i < len) {
		size_t n = utf8_char(s + i, len - i);

		if (n) {
			memcpy(to, s + i, n);
			to += n;
			i += n;
		} else {
			memcpy(to, "\xef\xbf\xbd", 3);
			to += 3;
			i++;
		}
	}
	*to = 0;
	*out_len = (size_t)(to - buf);
	return buf;
}

char *utf8_hex(const char *s, size_t len)
{
	static const char digits[] = "0123456789abcdef";
	char *buf = xmalloc(len * 2 + 1);

	for (size_t i = 0; i < len; i++) {
		buf[2 * i] = digits[(unsigned char)s[i] >> 4];
		buf[2 * i + 1] = digits[s[i] & 15];
	}
	buf[2 * len] = 0;
	return buf;
}

static int hex_digit(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	if (c >= 'a' && c <= 'f')
		return c - 'a' + 10;
	if (c >= 'A' && c <= 'F')
		return c - 'A' + 10;
	return -1;
}

bool utf8_unhex(const char *s, size_t len, char *buf)
{
	if (len % 2)
		return false;
	for (size_t i = 0; i < len; i += 2) {
		int hi = hex_digit(s[i]), lo = hex_digit(s[i + 1]);

		if (hi < 0 || lo < 0)
			return false;
		buf[i / 2] = (char)(hi << 4 | lo);
	}
	return true;
}
