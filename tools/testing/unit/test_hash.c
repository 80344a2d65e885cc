// SPDX-License-Identifier: GPL-2.0
/*
 * Keys chosen to collide: the cost is counted in slots looked at, not in time.  And no output
 * depends on the hashes of a run.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "common_convert.h"
#include "common_swap.h"
#include "base/hash.h"
#include "base/map64.h"
#include "base/pool.h"
#include "format/sprtrace/sprt_live.h"
#include "format/sprtrace/sprt_log.h"
#include "base/tally.h"
#include "base/xalloc.h"

#define N	4096u
/* Limit of slots passed over by all N look-ups together; with chosen keys it was N * N / 2. */
#define PASSED	(8 * N)

/* The multiplier that tables used; multiplied by its inverse, it is 1. */
#define GOLDEN		0x9e3779b97f4a7c15ull
#define GOLDEN_INVERSE	0xf1de83e19937733dull

/* The i-th of numbers whose product has only zeros in its lower 32 bits. */
static uint64_t number(uint64_t i)
{
	uint64_t product = (i + 1) << 32, low = product >> 32;

	/* once folded, its lower half is 0 */
	return (product ^ low) * GOLDEN_INVERSE;
}

/* The i-th of numbers that differ in their upper bits only. */
static uint64_t upper(uint64_t i)
{
	return i << 40;
}

/* The i-th of numbers that are a constant, large step apart. */
static uint64_t row(uint64_t i)
{
	return i * GOLDEN_INVERSE;
}

static uint64_t (*const numbers[])(uint64_t i) = { number, upper, row };

static void test_inverse_constant(void **state)
{
	(void)state;
	assert_int_equal(GOLDEN * GOLDEN_INVERSE, 1);
}

/* Slots passed over when each key is looked up once. */
static uint64_t passed_in(const struct map64 *m)
{
	struct map64_slot *e;
	uint64_t passed = 0;

	for (size_t i = 0; (e = map64_each(m, &i));)
		passed += ((size_t)(e - m->slots) - hash_word(e->key)) & (m->cap - 1);
	return passed;
}

static void test_map64(void **state)
{
	(void)state;
	for (size_t k = 0; k < sizeof(numbers) / sizeof(numbers[0]); k++) {
		struct map64 m = { 0 };

		for (uint64_t i = 0; i < N; i++)
			map64_put(&m, numbers[k](i), i);
		assert_int_equal(m.n, N);
		assert_in_range(passed_in(&m), 0, PASSED);
		for (uint64_t i = 0; i < N; i++)
			assert_int_equal(*map64_get(&m, numbers[k](i)), i);
		map64_clear(&m);
	}
}

static void test_live_blocks(void **state)
{
	(void)state;
	for (size_t k = 0; k < sizeof(numbers) / sizeof(numbers[0]); k++) {
		struct sprt_live live = { 0 };

		for (uint64_t i = 0; i < N; i++) {
			struct sprt_call call = {
				.type = SPRT_CALL_ALLOC, .id = numbers[k](i), .resource = 1,
			};
			struct sprt_block b = { 0 };

			sprt_live_call(&live, &call, false, &b);
		}
		assert_int_equal(live.blocks.n, N);
		assert_in_range(passed_in(&live.blocks), 0, PASSED);
		sprt_live_free(&live);
	}
}

/* A seed gives the same hashes on every machine; every part of it is used. */
static void test_seed(void **state)
{
	struct hash_key drawn = hash_key;
	char s[3 * HASH_BLOCK];

	(void)state;
	hash_seed(1);
	assert_int_equal(hash_two(3, 4), 0xebb8c636ffd41a65);
	assert_int_equal(hash_two(1ull << 63, 1ull << 62), 0xf59cda50e1b1a751);
	assert_int_equal(hash_bytes("a text of more than eight", 25), 0x26ad2e63eb052f4b);
	memset(s, 'x', sizeof(s));
	assert_int_equal(hash_bytes(s, sizeof(s) - 1), 0x7adfd4f71021f92d);
	hash_key = drawn;
}

/* Tables are never too full, nor too empty for what they held. */
static void test_load_of_tables(void **state)
{
	struct sprt_intern names = { 0 };
	struct sprt_live live = { 0 };
	struct map64 m = { 0 };
	struct tally t = { 0 };
	uint64_t bytes = 0;
	char name[24];

	(void)state;
	for (uint64_t i = 1; i <= 3000; i++) {
		struct sprt_call call = { .type = SPRT_CALL_ALLOC, .id = i, .resource = 1 };
		struct sprt_block b = { .cookie = i };
		int len = snprintf(name, sizeof(name), "%u", (unsigned int)i * 7919);
		const char *kept;

		map64_put(&m, i, i);
		assert_int_equal(m.n, i);
		assert_true(4 * m.n <= 3 * m.cap && (m.cap == 32 || 8 * m.n > 3 * m.cap));
		assert_int_equal(sprt_live_call(&live, &call, true, &b), 1);
		assert_int_equal(sprt_live_call(&live, &call, true, &b), 0);
		assert_int_equal(live.blocks.n, i);
		kept = sprt_intern_str(&names, name);
		assert_string_equal(kept, name);
		assert_ptr_equal(sprt_intern(&names, name, (size_t)len), kept);
		assert_int_equal((uintptr_t)kept % 8, 0);
		assert_int_equal(names.copies.n, i);
		tally_add(&t, name, (size_t)len, 1);
		bytes += (size_t)len + 16;
		assert_int_equal(t.used, i);
		assert_int_equal(t.of.n, i);
		/* at least what is in use, and not much more */
		assert_true(t.bytes >= bytes + t.cap * sizeof(*t.rows) + t.of.cap * sizeof(*t.of.slots) ||
			    i < 64);
		assert_true(t.bytes <= bytes + i * (2 * sizeof(*t.rows) + 48));
	}
	for (uint64_t i = 1; i <= 3000; i++) {
		struct sprt_call call = { .type = SPRT_CALL_FREE, .id = i, .resource = 1 };
		struct sprt_block b = { 0 };

		assert_int_equal(*map64_get(&m, i), i);
		assert_true(map64_remove(&m, i));
		assert_false(map64_remove(&m, i));
		assert_null(map64_get(&m, i));
		assert_int_equal(sprt_live_call(&live, &call, true, &b), 0);
		assert_int_equal(sprt_live_call(&live, &call, true, &b), -1);
		assert_int_equal(b.cookie, i);
		assert_int_equal(sprt_live_call(&live, &call, true, &b), 0);
		assert_int_equal(live.blocks.n, 3000 - i);
		assert_int_equal(m.n, 3000 - i);
		if (i < 3000)
			assert_int_equal(*map64_get(&m, 3000), 3000);
	}
	map64_clear(&m);
	sprt_live_free(&live);
	sprt_intern_free(&names);
	tally_free(&t);
}

/* Look-ups that insert a key if it is missing. */
static void test_insert_if_missing(void **state)
{
	struct map64 m = { 0 };

	(void)state;
	assert_null(map64_pointer(&m, 0));
	for (uint64_t i = 0; i < 100; i++) {
		assert_true(map64_first(&m, i));
		assert_false(map64_first(&m, i));
		assert_int_equal(m.n, i + 1);
		assert_int_equal(*map64_at(&m, i), 2);
	}
	*map64_at(&m, 5) = (uintptr_t)&m;
	assert_ptr_equal(map64_pointer(&m, 5), &m);
	assert_int_equal(*map64_at(&m, 1000), 0);
	assert_int_equal(m.n, 101);
	map64_clear(&m);
}

/* Rows sorted by their keys or values. */
static void test_sorted(void **state)
{
	struct map64 m = { 0 };
	struct map64_slot *s;

	(void)state;
	for (uint64_t i = 0; i < 100; i++)
		map64_put(&m, i * 37 % 101 << 32, i * 59 % 101);
	s = map64_sorted(&m, map64_by_key);
	for (size_t i = 1; i < 100; i++)
		assert_true(s[i - 1].key < s[i].key);
	free(s);
	s = map64_sorted(&m, map64_by_value);
	for (size_t i = 1; i < 100; i++)
		assert_true(s[i - 1].value < s[i].value);
	assert_int_equal(map64_by_key(&s[0], &s[0]), 0);
	assert_int_equal(map64_by_value(&s[0], &s[0]), 0);
	free(s);
	map64_clear(&m);
}

/* Blocks of any size, aligned for words, that do not overlap. */
static void test_pool_blocks(void **state)
{
	struct pool pool = { 0 };
	static unsigned char *at[600];
	char shown[5];

	(void)state;
	for (unsigned int round = 0; round < 2; round++) {
		for (size_t i = 0; i < 600; i++) {
			at[i] = pool_keep(&pool, xmalloc(i * 11));
			assert_int_equal((uintptr_t)at[i] % 8, 0);
			memset(at[i], (int)i, i * 11);
		}
		for (size_t i = 0; i < 600; i++)
			for (size_t k = 0; k < i * 11; k++)
				assert_int_equal(at[i][k], i & 255);
		pool_reset(&pool);
	}
	pool_free(&pool);
	assert_string_equal(sprt_shown(shown, sizeof(shown), "ab"), "ab");
	assert_string_equal(sprt_shown(shown, sizeof(shown), "abcd"), "abcd");
	assert_string_equal(sprt_shown(shown, sizeof(shown), "a\n\177de"), "a??d");
}

/* Words of a text; each bit of a text's number selects a pair of them. */
#define WORDS	24u

/* If the hash is known, the next 8 bytes can cancel any first 8 bytes. */
static void known(uint64_t w[WORDS], uint64_t i)
{
	uint64_t h = WORDS * 8 * 0xff51afd7ed558ccdull;

	w[0] = i << 20;
	h = (h ^ w[0]) * GOLDEN;
	w[1] = h ^ h >> 29;
}

/*
 * If a step is "xor, multiply, fold", a change of one word's upper bit can be cancelled in the
 * next word, whatever the seed is.
 */
static void cancelled(uint64_t w[WORDS], uint64_t i)
{
	for (unsigned int k = 0; k < WORDS / 2; k++)
		if (i >> k & 1) {
			w[2 * k] ^= 1ull << 63;
			w[2 * k + 1] ^= 1ull << 63 | 1ull << 34;
		}
}

static void (*const texts[])(uint64_t w[WORDS], uint64_t i) = { known, cancelled };

static void test_hash_of_bytes(void **state)
{
	(void)state;
	for (size_t k = 0; k < sizeof(texts) / sizeof(texts[0]); k++) {
		struct tally t = { 0 };

		for (uint64_t i = 0; i < N; i++) {
			uint64_t w[WORDS] = { 0 };

			texts[k](w, i);
			tally_add(&t, (const char *)w, sizeof(w), 0);
		}
		assert_int_equal(t.used, N);
		assert_in_range(passed_in(&t.of), 0, PASSED);
		tally_free(&t);
	}
}

/* Lengths around the block size; a byte added, removed or changed changes the hash. */
static void test_different_bytes_differ(void **state)
{
	struct map64 seen = { 0 };
	char s[2 * HASH_BLOCK + 20] = { 0 };

	(void)state;
	for (size_t len = 0; len <= sizeof(s); len++) {
		if (len > 40 && (len + 20) % HASH_BLOCK > 40)
			continue;
		assert_false(map64_get(&seen, hash_bytes(s, len)));
		map64_put(&seen, hash_bytes(s, len), len);
		for (size_t i = 0; i < len; i++) {
			s[i] = 1;
			assert_false(map64_get(&seen, hash_bytes(s, len)));
			map64_put(&seen, hash_bytes(s, len), len);
			s[i] = 0;
		}
	}
	map64_clear(&seen);
}

static void test_alignment_makes_no_difference(void **state)
{
	char s[3 * HASH_BLOCK];

	(void)state;
	for (size_t len = 0; len < 2 * HASH_BLOCK + 20; len++) {
		uint64_t h = 0;

		for (size_t at = 0; at < 8; at++) {
			memset(s, 'x', sizeof(s));
			memset(s + at, 'a', len);
			if (!at)
				h = hash_bytes(s, len);
			assert_int_equal(hash_bytes(s + at, len), h);
		}
	}
}

/* ---- output does not depend on the hashes ---- */

static struct bytes written(const char *from, const char *to, const struct bytes *in,
			    uint64_t seed)
{
	struct conversion c;
	struct bytes all = { 0 };

	hash_seed(seed);
	c = convert(from, to, in->data, in->n, NULL);
	bytes_add(&all, c.out.data, c.out.n);
	bytes_add(&all, c.messages.data, c.messages.n);
	conversion_free(&c);
	return all;
}

static void same(const char *from, const char *to, const struct bytes *in)
{
	struct bytes first = written(from, to, in, 1);

	for (uint64_t seed = 2; seed < 6; seed++) {
		struct bytes other = written(from, to, in, seed);

		assert_int_equal(first.n, other.n);
		assert_memory_equal(first.data, other.data, first.n);
		bytes_free(&other);
	}
	bytes_free(&first);
}

/* Everything is open at the end: threads of several processes, resources, CPUs. */
static void test_swap_output_order(void **state)
{
	struct stream s = { 0 };

	(void)state;
	for (uint32_t i = 0; i < 24; i++) {
		sw_entry(&s, 100 + i % 5, 200 + i, 0x1000 + i);
		sw_begin(&s, 0x001a);
		sw_u32(&s, 100 + i % 5);
		sw_u32(&s, 1);
		sw_u32(&s, 7 * i);
		sw_str(&s, "/r");
		sw_end(&s);
		sw_begin(&s, 0x0010);
		sw_u64(&s, 0);
		sw_u32(&s, 100 + i % 5);
		sw_u32(&s, 200 + i);
		sw_u32(&s, i % 8);
		sw_end(&s);
	}
	sw_terminate(&s, 101);
	same("swap", "fxt", &s.b);
	same("swap", "json", &s.b);
	same("swap", "stats", &s.b);
	sw_free(&s);
}

static void test_output_order_of_samples(void **state)
{
	static const struct {
		const char *from, *file;
		const char *to[4];
	} rows[] = {
		{ "swap", "swap/swap42-session.bin", { "fxt", "stats" } },
		{ "sp-rtrace", "sp-rtrace/64/leaky.rtrace", { "fxt", "stats", "sp-rtrace-text" } },
		{ "etrace", "etrace/first.trace", { "fxt", "json", "stats" } },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct bytes in = fixture(rows[i].file);

		for (size_t k = 0; rows[i].to[k]; k++)
			same(rows[i].from, rows[i].to[k], &in);
		bytes_free(&in);
	}
}

/* Switches to threads that have no name: each is reported, in the file's order. */
static void test_order_of_findings(void **state)
{
	struct stream s = { 0 };
	struct bytes fxt;

	(void)state;
	for (uint32_t i = 0; i < 24; i++)
		sw_entry(&s, 100, 200 + i, 0x1000 + i);
	fxt = written("swap", "fxt", &s.b, 1);
	same("fxt", "check", &fxt);
	bytes_free(&fxt);
	sw_free(&s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_inverse_constant),
		cmocka_unit_test(test_map64),
		cmocka_unit_test(test_live_blocks),
		cmocka_unit_test(test_seed),
		cmocka_unit_test(test_load_of_tables),
		cmocka_unit_test(test_insert_if_missing),
		cmocka_unit_test(test_sorted),
		cmocka_unit_test(test_pool_blocks),
		cmocka_unit_test(test_hash_of_bytes),
		cmocka_unit_test(test_different_bytes_differ),
		cmocka_unit_test(test_alignment_makes_no_difference),
		cmocka_unit_test(test_swap_output_order),
		cmocka_unit_test(test_output_order_of_samples),
		cmocka_unit_test(test_order_of_findings),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
