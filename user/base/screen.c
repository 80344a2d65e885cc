// SPDX-License-Identifier: LGPL-2.1
/* Text that fits a terminal.  See screen.h. */
#include "base/screen.h"
#include "base/utf8.h"

/* The code point of a valid character of @n bytes; @n is what utf8_char() returned. */
static uint32_t code_point(const char *str, size_t n)
{
	const unsigned char *s = (const unsigned char *)str;
	uint32_t c = n > 1 ? s[0] & (0x7fu >> n) : s[0];

	for (size_t i = 1; i < n; i++)
		c = c << 6 | (s[i] & 0x3f);
	return c;
}

/* C0 and C1 controls, and invisible characters that change how others are shown. */
static bool is_harmful(uint32_t c)
{
	static const struct {
		uint32_t from, to;
	} list[] = {
		{ 0, 0x1f }, { 0x7f, 0x9f }, { 0xad, 0xad }, { 0x61c, 0x61c }, { 0x200b, 0x200f },
		{ 0x2028, 0x202e }, { 0x2060, 0x206f }, { 0xfeff, 0xfeff }, { 0xfff0, 0xfffb },
		{ 0xe0000, 0x10ffff },
	};

	for (size_t i = 0; i < sizeof(list) / sizeof(list[0]); i++)
		if (c >= list[i].from && c <= list[i].to)
			return true;
	return false;
}

unsigned int screen_add(struct buf *to, const char *s, size_t len, unsigned int cols, bool utf8)
{
	unsigned int taken = 0;

	while (len) {
		size_t n = utf8_char(s, len), bytes = n ? n : 1;
		uint32_t c = n ? code_point(s, n) : 0;
		bool plain = !is_harmful(c) && (utf8 || n == 1);
		unsigned int width = plain && c >= 0x1100 ? 2 : 1;

		if (width > cols - taken)
			break;
		if (plain)
			buf_add(to, s, n);
		else
			buf_addc(to, '?');
		taken += width;
		s += bytes;
		len -= bytes;
	}
	return taken;
}
