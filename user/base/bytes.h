/* SPDX-License-Identifier: LGPL-2.1 */
/*
 * Copies, compares and converts short strings inline. Every event needs several of these
 * operations, most strings are short, and a call into libc costs more than the work
 * itself.
 */
#ifndef ETRACE_BYTES_H
#define ETRACE_BYTES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/** bytes_8, bytes_4 - the 8 or 4 bytes at an address of any alignment, as a number */
static inline uint64_t bytes_8(const void *p)
{
	uint64_t v;

	memcpy(&v, p, 8);
	return v;
}

static inline uint32_t bytes_4(const void *p)
{
	uint32_t v;

	memcpy(&v, p, 4);
	return v;
}

/** bytes_first_low - 8 bytes as a number, the first byte in the lowest bits on any machine */
static inline uint64_t bytes_first_low(const void *p)
{
	uint64_t v = bytes_8(p);

#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
	v = __builtin_bswap64(v);
#endif
	return v;
}

/* memcpy(), not inline, so that compilers cannot guess @n and warn about the guess. */
void bytes_copy_many(void *to, const void *from, size_t n);

/**
 * bytes_copy - memcpy(), faster for up to 32 bytes
 *
 * Copies the first and the last bytes as whole words, which may overlap.
 */
static inline void bytes_copy(void *to, const void *from, size_t n)
{
	char *t = to;
	const char *f = from;
	uint64_t a, b, c, d;

#ifdef __SANITIZE_ADDRESS__
	/* otherwise gcc 14 would assume every length for each of several constant texts */
	if (!__builtin_constant_p(n))
		asm("" : "+r" (f));
#endif
	if (__builtin_constant_p(n)) {
		memcpy(to, from, n);
	} else if (n > 32) {
		bytes_copy_many(to, from, n);
	} else if (n > 16) {
		a = bytes_8(f);
		b = bytes_8(f + 8);
		c = bytes_8(f + n - 16);
		d = bytes_8(f + n - 8);
		memcpy(t, &a, 8);
		memcpy(t + 8, &b, 8);
		memcpy(t + n - 16, &c, 8);
		memcpy(t + n - 8, &d, 8);
	} else if (n >= 8) {
		a = bytes_8(f);
		b = bytes_8(f + n - 8);
		memcpy(t, &a, 8);
		memcpy(t + n - 8, &b, 8);
	} else if (n >= 4) {
		uint32_t x = bytes_4(f), y = bytes_4(f + n - 4);

		memcpy(t, &x, 4);
		memcpy(t + n - 4, &y, 4);
	} else if (n) {
		t[0] = f[0];
		t[n / 2] = f[n / 2];
		t[n - 1] = f[n - 1];
	}
}

/** bytes_equal - whether @n bytes at @x and at @y are equal; fast if @n is small */
static inline bool bytes_equal(const void *x, const void *y, size_t n)
{
	const char *a = x, *b = y;

	if (__builtin_constant_p(n) || n > 32)
		return !memcmp(x, y, n);
	if (n >= 8) {
		size_t i = 0;

		for (; i + 8 < n; i += 8)
			if (bytes_8(a + i) != bytes_8(b + i))
				return false;
		return bytes_8(a + n - 8) == bytes_8(b + n - 8);
	}
	if (n >= 4)
		return bytes_4(a) == bytes_4(b) && bytes_4(a + n - 4) == bytes_4(b + n - 4);
	return !n || (a[0] == b[0] && a[n / 2] == b[n / 2] && a[n - 1] == b[n - 1]);
}

/** bytes_are - whether the @n bytes at @x are exactly the bytes of a string */
static inline bool bytes_are(const char *x, size_t n, const char *string)
{
	return n == strlen(string) && bytes_equal(x, string, n);
}

/*
 * A vector of 16 bytes.  A comparison compares each byte, and its result is a vector, too; the
 * compiler uses the vector instructions of the processor.
 */
typedef signed char bytes_16 __attribute__((vector_size(16)));

static inline bytes_16 bytes_load_16(const void *p)
{
	bytes_16 v;

	memcpy(&v, p, 16);
	return v;
}

/** bytes_any - whether a comparison is true for any of the 16 bytes */
static inline bool bytes_any(bytes_16 comparison)
{
	typedef uint64_t halves __attribute__((vector_size(16)));
	halves h = (halves)comparison;

	return h[0] | h[1];
}

/** bytes_before - number of bytes before the first for which a comparison is true; 16 if none */
static inline size_t bytes_before(bytes_16 comparison)
{
	uint64_t first = bytes_first_low(&comparison), second;

	if (first)
		return (size_t)__builtin_ctzll(first) / 8;
	second = bytes_first_low((const char *)&comparison + 8);
	return second ? 8 + (size_t)__builtin_ctzll(second) / 8 : 16;
}

/**
 * bytes_digits - read the decimal digits at the beginning of 8 bytes
 * @word: the bytes, as bytes_8() returns them
 * @number: set to the number, if there is a digit
 *
 * Return: the number of digits, 0 to 8.
 */
static inline unsigned int bytes_digits(uint64_t word, uint64_t *number)
{
	uint64_t t, others;
	unsigned int n = 8;

#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
	word = __builtin_bswap64(word);
#endif
	t = word ^ 0x3030303030303030ull;
	/* the lowest set bit is right; higher ones may be wrong because of a carry */
	others = ((t + 0x7676767676767676ull) | t) & 0x8080808080808080ull;
	if (others) {
		n = (unsigned int)__builtin_ctzll(others) / 8;
		if (!n)
			return 0;
		/* pad with leading zeros to 8 digits */
		t <<= 64 - 8 * n;
	}
	t = t * 10 + (t >> 8);
	*number = ((t & 0x000000ff000000ffull) * 0x000f424000000064ull +
		   (t >> 16 & 0x000000ff000000ffull) * 0x0000271000000001ull) >> 32;
	return n;
}

/* A number of at most 8 digits as 8 digits, the first in the lowest byte. */
static inline uint64_t decimal_8(uint32_t v)
{
	uint64_t x = v / 10000 | (uint64_t)(v % 10000) << 32, q;

	/* divide each half by 100, then each quarter by 10; no part carries into the next */
	q = (x * 10486 >> 20) & 0x0000007f0000007full;
	x = q | (x - 100 * q) << 16;
	q = (x * 103 >> 10) & 0x000f000f000f000full;
	return q | (x - 10 * q) << 8;
}

static inline void decimal_store(char *to, uint64_t digits)
{
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
	digits = __builtin_bswap64(digits);
#endif
	memcpy(to, &digits, 8);
}

#define DECIMAL_ZEROS 0x3030303030303030ull
/* Bytes that decimal() may write, including undefined ones after the digits. */
#define DECIMAL_ROOM 24u

/**
 * decimal - write a number in decimal
 * @to: DECIMAL_ROOM bytes of room
 *
 * Return: the number of digits, at most 20; the bytes after them are undefined.
 */
static inline size_t decimal(char *to, uint64_t v)
{
	uint64_t digits;
	size_t n = 0;
	int none;

	if (v < 10) {
		*to = (char)('0' + v);
		return 1;
	}
	if (v >= 100000000u) {
		uint64_t high = v / 100000000u;

		n = decimal(to, high);
		decimal_store(to + n, decimal_8((uint32_t)(v - high * 100000000u)) + DECIMAL_ZEROS);
		return n + 8;
	}
	digits = decimal_8((uint32_t)v);
	none = __builtin_ctzll(digits) & ~7;
	decimal_store(to, (digits + DECIMAL_ZEROS) >> none);
	return 8 - (size_t)none / 8;
}

#endif
