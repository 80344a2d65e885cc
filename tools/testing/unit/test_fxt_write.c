// SPDX-License-Identifier: GPL-2.0
/*
 * The FXT encoder: every record word by word as the format document defines it, the limits, and
 * the reuse of table slots.
 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "format/fxt/fxt_read.h"
#include "format/fxt/fxt_write.h"

struct fixture {
	struct out *out;
	struct fxt_writer *w;
	size_t seen;		/* bytes that expect() has looked at */
};

static int setup(void **state)
{
	struct fixture *f = calloc(1, sizeof(*f));

	f->out = out_mem();
	f->w = fxt_writer_new(f->out);
	*state = f;
	return 0;
}

static int teardown(void **state)
{
	struct fixture *f = *state;

	fxt_writer_free(f->w);
	out_close(f->out);
	free(f);
	return 0;
}

/* Expect these words since the last call. */
static void expect(struct fixture *f, size_t n, const uint64_t *words)
{
	size_t len;
	const char *data = out_mem_data(f->out, &len);

	assert_int_equal(len - f->seen, n * 8);
	for (size_t i = 0; i < n; i++) {
		uint64_t v;

		memcpy(&v, data + f->seen + i * 8, 8);
		if (v != words[i])
			fail_msg("word %zu is %016lx, expected %016lx", i, (unsigned long)v,
				 (unsigned long)words[i]);
	}
	f->seen = len;
}

#define EXPECT(f, ...) do {						\
	static const uint64_t words_[] = { __VA_ARGS__ };		\
	expect(f, sizeof(words_) / sizeof(words_[0]), words_);		\
} while (0)

/* Eight characters as a word of a file. */
#define C8(a, b, c, d, e, f, g, h) \
	((uint64_t)(a) | (uint64_t)(b) << 8 | (uint64_t)(c) << 16 | (uint64_t)(d) << 24 | \
	 (uint64_t)(e) << 32 | (uint64_t)(f) << 40 | (uint64_t)(g) << 48 | (uint64_t)(h) << 56)

static void metadata_records(void **state)
{
	struct fixture *f = *state;

	assert_int_equal(fxt_magic(f->w), 0);
	EXPECT(f, 0x0016547846040010);
	assert_int_equal(fxt_provider_info(f->w, 0x12345678, FXT_STR("etrace")), 0);
	/* type 0, 2 words, metadata type 1, id at 20, name length at 52 */
	EXPECT(f, 0x0061234567810020, C8('e', 't', 'r', 'a', 'c', 'e', 0, 0));
	assert_int_equal(fxt_provider_event(f->w, 1, 0), 0);
	EXPECT(f, 0x0000000000130010);
	assert_int_equal(fxt_provider_event(f->w, 1, 3), 0);
	EXPECT(f, 0x0030000000130010);
	assert_int_equal(fxt_init(f->w, 1000000000), 0);
	EXPECT(f, 0x21, 1000000000);
}

static void event_records(void **state)
{
	struct fixture *f = *state;
	struct fxt_event e = { FXT_EV_INSTANT, 100, 7, 8, FXT_STR("cat"), FXT_STR("name"), 0 };

	fxt_event(f->w, &e, NULL, 0);
	/* strings 1 and 2, thread 1, then the event that refers to them */
	EXPECT(f,
	       0x0000000300010022, C8('c', 'a', 't', 0, 0, 0, 0, 0),
	       0x0000000400020022, C8('n', 'a', 'm', 'e', 0, 0, 0, 0),
	       0x0000000000010033, 7, 8,
	       0x0002000101000024, 100);
	e.type = FXT_EV_COUNTER;
	e.value = 0x55;
	fxt_event(f->w, &e, NULL, 0);
	EXPECT(f, 0x0002000101010034, 100, 0x55);
	e.type = FXT_EV_DURATION_BEGIN;
	fxt_event(f->w, &e, NULL, 0);
	EXPECT(f, 0x0002000101020024, 100);
	e.type = FXT_EV_DURATION_END;
	fxt_event(f->w, &e, NULL, 0);
	EXPECT(f, 0x0002000101030024, 100);
	for (unsigned int t = FXT_EV_DURATION_COMPLETE; t < FXT_EV_COUNT; t++) {
		uint64_t words[] = { 0x0002000101000034 | (uint64_t)t << 16, 100, 0x55 };

		e.type = t;
		fxt_event(f->w, &e, NULL, 0);
		expect(f, 3, words);
	}
}

static void event_arguments(void **state)
{
	struct fixture *f = *state;
	struct fxt_event e = { FXT_EV_INSTANT, 1, 0, 0, { 0 }, { 0 }, 0 };
	struct fxt_str n = fxt_pin(f->w, FXT_STR("n"));
	struct fxt_arg a[9];

	EXPECT(f, 0x0000000100010022, 'n');
	fxt_event(f->w, &e, NULL, 0);
	EXPECT(f, 0x0000000000010033, 0, 0, 0x0000000001000024, 1);
	a[0] = fxt_arg_null(n);
	a[1] = fxt_arg_i(n, -2);
	a[2] = fxt_arg_u(n, 0xffffffff);
	a[3] = fxt_arg_i(n, -0x80000001ll);
	a[4] = fxt_arg_u(n, 0x100000000);
	a[5] = fxt_arg_f(n, 1.5);
	a[6] = fxt_arg_str(n, FXT_STR("value"));
	a[7] = fxt_arg_ptr(n, 0x1234);
	a[8] = fxt_arg_koid(n, 0x5678);
	fxt_event(f->w, &e, a, 9);
	EXPECT(f,
	       0x0000000500020022, C8('v', 'a', 'l', 'u', 'e', 0, 0, 0),
	       0x0000000001900104, 1,
	       0x0000000000010010,
	       0xfffffffe00010011,
	       0xffffffff00010012,
	       0x0000000000010023, 0xffffffff7fffffff,
	       0x0000000000010024, 0x100000000,
	       0x0000000000010025, 0x3ff8000000000000,
	       0x0000000200010016,
	       0x0000000000010027, 0x1234,
	       0x0000000000010028, 0x5678);
}

/* The same, built argument by argument; the record's strings are written before it, in order. */
static void record_built_by_argument(void **state)
{
	struct fixture *f = *state;
	struct fxt_event e = { FXT_EV_COUNTER, 1, 2, 3, { 0 }, FXT_STR("name"), 4 };
	struct fxt_record r;
	uint16_t n;

	assert_int_equal(fxt_known(f->w, FXT_STR("n")), 0);
	fxt_record_begin(&r);
	n = fxt_ref(f->w, FXT_STR("n"));
	fxt_put_word(&r, FXT_ARG_I32, n, (uint32_t)-2);
	fxt_put_two(&r, FXT_ARG_I64, n, 0xffffffff7fffffff);
	fxt_put_word(&r, FXT_ARG_STRING, n, fxt_ref(f->w, FXT_STR("value")));
	assert_int_equal(fxt_ref(f->w, (struct fxt_str){ 0 }), 0);
	assert_int_equal(fxt_record_event(f->w, &r, &e), 0);
	EXPECT(f,
	       0x0000000100010022, 'n',
	       0x0000000500020022, C8('v', 'a', 'l', 'u', 'e', 0, 0, 0),
	       0x0000000400030022, C8('n', 'a', 'm', 'e', 0, 0, 0, 0),
	       0x0000000000010033, 2, 3,
	       0x0003000001310074, 1,
	       0xfffffffe00010011,
	       0x0000000000010023, 0xffffffff7fffffff,
	       0x0000000200010016,
	       4);
	/* the last string, an earlier one, and unknown ones */
	assert_int_equal(fxt_known(f->w, FXT_STR("name")), 3);
	assert_int_equal(fxt_known(f->w, FXT_STR("n")), 1);
	assert_int_equal(fxt_known(f->w, FXT_STR("m")), 0);
	assert_int_equal(fxt_known(f->w, (struct fxt_str){ 0 }), 0);
	fxt_provider_info(f->w, 1, (struct fxt_str){ 0 });
	assert_int_equal(fxt_known(f->w, FXT_STR("n")), 0);
}

static void object_records(void **state)
{
	struct fixture *f = *state;
	struct fxt_switch sw = { 9, 3, FXT_THREAD_BLOCKED, 1, 2, 3, 4, 5, 6 };

	fxt_process_name(f->w, 77, FXT_STR("sh"));
	EXPECT(f, 0x0000000200010022, C8('s', 'h', 0, 0, 0, 0, 0, 0),
	       0x0000000001010027, 77);
	fxt_thread_name(f->w, 77, 78, FXT_STR("sh"));
	EXPECT(f, 0x0000000700020022, C8('p', 'r', 'o', 'c', 'e', 's', 's', 0),
	       0x0000010001020047, 78, 0x0000000000020028, 77);
	fxt_context_switch(f->w, &sw);
	EXPECT(f, 0x0000000000010033, 1, 2, 0x0000000000020033, 3, 4, 0x0060502013030028, 9);
}

/* Every kind of record that takes arguments; an event's value comes after them. */
static void records_with_arguments(void **state)
{
	struct fixture *f = *state;
	struct fxt_event e = { FXT_EV_COUNTER, 100, 7, 8, { 0 }, { 0 }, 0x55 };
	struct fxt_arg args[2] = { fxt_arg_ptr(FXT_STR("p"), 0x1234), fxt_arg_str(FXT_STR("s"), FXT_STR("p")) };

	fxt_event(f->w, &e, args, 2);
	EXPECT(f,
	       0x0000000100010022, 'p', 0x0000000100020022, 's', 0x0000000000010033, 7, 8,
	       0x0000000001210064, 100, 0x0000000000010027, 0x1234, 0x0000000100020016, 0x55);
	fxt_kernel_object(f->w, 0xab, 0x99, FXT_STR("s"), args, 2);
	EXPECT(f, 0x0000020002ab0057, 0x99, 0x0000000000010027, 0x1234, 0x0000000100020016);
}

/* Too long, too many, out of range: an error, and nothing is written. */
static void limits_of_records(void **state)
{
	struct fixture *f = *state;
	char *big = calloc(1, 40000);
	size_t none = 0;

	memset(big, 'x', 40000);
	for (unsigned int over = 1; over + 1; over--) {
		struct fxt_str fits = FXT_STR("n"), s = fxt_str(big, FXT_MAX_STRING + over);
		struct fxt_event e = { FXT_EV_INSTANT, 1, 0, 0, fits, fits, 0 };
		struct fxt_switch sw = { 0 };
		int want = over ? -E2BIG : 0;
		struct fxt_arg args[16];

		for (unsigned int i = 0; i < 16; i++)
			args[i] = fxt_arg_u(FXT_STR("a"), i);
		assert_int_equal(fxt_event(f->w, &e, args, 15 + over), want);
		assert_int_equal(fxt_kernel_object(f->w, 1, 1, fits, args, 15 + over), want);
		args[3] = fxt_arg_str(FXT_STR("a"), s);
		assert_int_equal(fxt_event(f->w, &e, args, 15), want);
		assert_int_equal(fxt_kernel_object(f->w, 1, 1, fits, args, 15), want);
		args[3] = fxt_arg_u(s, 1);
		assert_int_equal(fxt_event(f->w, &e, args, 15), want);
		args[3] = fxt_arg_u(fits, 1);
		args[3].type = FXT_ARG_KOID + over;
		assert_int_equal(fxt_event(f->w, &e, args, 15), want);
		e.name = s;
		assert_int_equal(fxt_event(f->w, &e, NULL, 0), want);
		e.name = fits;
		e.category = s;
		assert_int_equal(fxt_event(f->w, &e, NULL, 0), want);
		e.category = fits;
		e.type = FXT_EV_COUNT - 1 + over;
		assert_int_equal(fxt_event(f->w, &e, NULL, 0), want);
		assert_int_equal(fxt_process_name(f->w, 1, s), want);
		assert_int_equal(fxt_thread_name(f->w, 1, 1, s), want);
		assert_int_equal(fxt_kernel_object(f->w, 255 + over, 1, fits, NULL, 0), want);
		assert_int_equal(fxt_provider_event(f->w, 1, 15 + over), want);
		sw.cpu = 255 + over;
		assert_int_equal(fxt_context_switch(f->w, &sw), want);
		sw = (struct fxt_switch){ .out_state = 15 + over };
		assert_int_equal(fxt_context_switch(f->w, &sw), want);
		sw = (struct fxt_switch){ .out_priority = 255 + over };
		assert_int_equal(fxt_context_switch(f->w, &sw), want);
		sw = (struct fxt_switch){ .in_priority = 255 + over };
		assert_int_equal(fxt_context_switch(f->w, &sw), want);
		assert_int_equal(fxt_provider_info(f->w, 1, fxt_str(big, 255 + over)), want);
		if (over)
			assert_int_equal(out_bytes(f->out), none);
	}
	free(big);
}

/* Write an instant and return its header; @strings: number of strings written before it. */
static uint64_t instant(struct fixture *f, struct fxt_str category, struct fxt_str name,
			uint64_t thread, unsigned int *strings)
{
	struct fxt_event e = { FXT_EV_INSTANT, 1, 0, thread, category, name, 0 };
	const char *data;
	uint64_t v = 0;
	size_t len;

	assert_int_equal(fxt_event(f->w, &e, NULL, 0), 0);
	data = out_mem_data(f->out, &len);
	*strings = 0;
	for (size_t at = f->seen; at < len; at += (v >> 4 & 0xfff) * 8) {
		memcpy(&v, data + at, 8);
		*strings += (v & 15) == FXT_REC_STRING;
	}
	f->seen = len;
	return v;
}

/* Write an instant with a name, and return the name's index. */
static unsigned int named(struct fixture *f, unsigned int i, unsigned int *strings)
{
	char name[16];

	snprintf(name, sizeof(name), "%u", i);
	return (unsigned int)(instant(f, (struct fxt_str){ 0 }, fxt_str(name, strlen(name)), 0, strings) >> 48);
}

static void fill_strings(struct fixture *f, unsigned int from, unsigned int to)
{
	unsigned int strings;

	for (unsigned int i = from; i <= to; i++) {
		assert_int_equal(named(f, i, &strings), i);
		assert_int_equal(strings, 1);
	}
}

/* Which slot is reused: the first one not used since the hand last passed it. */
static void string_slots_are_reused(void **state)
{
	enum { ALL = FXT_MAX_STRING_INDEX };
	struct fixture *f = *state;
	unsigned int strings;
	uint64_t head;

	fill_strings(f, 1, ALL);
	/* used again, and therefore kept */
	assert_int_equal(named(f, 2, &strings), 2);
	assert_int_equal(strings, 0);
	assert_int_equal(named(f, ALL, &strings), ALL);
	assert_int_equal(named(f, ALL + 1, &strings), 1);
	assert_int_equal(named(f, ALL + 2, &strings), 3);
	assert_int_equal(strings, 1);
	/* its slot was reused; that of 2 was not */
	assert_int_equal(named(f, 1, &strings), 4);
	assert_int_equal(strings, 1);
	assert_int_equal(named(f, 2, &strings), 2);
	assert_int_equal(strings, 0);
	assert_int_equal(named(f, 3, &strings), 5);
	/* all were used lately: the record's own slots are not reused */
	for (unsigned int i = 6; i <= ALL; i++)
		named(f, i, &strings);
	for (unsigned int i = 1; i <= 3; i++)
		named(f, i, &strings);
	for (unsigned int i = 1; i <= 2; i++)
		named(f, ALL + i, &strings);
	assert_int_equal(strings, 0);
	head = instant(f, FXT_STR("6"), FXT_STR("new"), 0, &strings);
	assert_int_equal(head >> 32 & 0xffff, 6);
	assert_int_equal(head >> 48, 7);
	assert_int_equal(strings, 1);
	/* nor is a slot that a record still being built refers to */
	for (unsigned int i = 8; i < 8 + 30; i++) {
		char name[16];

		snprintf(name, sizeof(name), "late %u", i);
		assert_int_equal(fxt_ref(f->w, FXT_STR("9")), 9);
		assert_int_equal(fxt_ref(f->w, fxt_str(name, strlen(name))), i + (i > 8));
	}
	out_mem_data(f->out, &f->seen);
	/* a new section begins with empty tables */
	fxt_provider_info(f->w, 1, (struct fxt_str){ 0 });
	fill_strings(f, 1, ALL);
	assert_int_equal(named(f, ALL + 1, &strings), 1);
}

static void thread_slots_are_reused(void **state)
{
	enum { ALL = FXT_MAX_THREAD_INDEX };
	static const unsigned int want[][2] = {
		{ 2, 2 }, { ALL, ALL }, { ALL + 1, 1 }, { ALL + 2, 3 }, { 2, 2 }, { 1, 4 }, { 3, 5 },
	};
	struct fixture *f = *state;
	struct fxt_switch sw = { .out_thread = 6, .in_thread = 1000 };
	struct fxt_str none = { 0 };
	unsigned int strings;

	for (unsigned int round = 0; round < 2; round++) {
		for (unsigned int i = 1; i <= ALL; i++)
			assert_int_equal(instant(f, none, none, i, &strings) >> 24, i);
		for (size_t i = 0; i < sizeof(want) / sizeof(*want); i++)
			assert_int_equal(instant(f, none, none, want[i][0], &strings) >> 24, want[i][1]);
		/* all were used lately: the record's own slots are not reused */
		for (unsigned int i = 1; i <= ALL + 2; i++)
			if (i != 4 && i != 5)
				assert_true(instant(f, none, none, i, &strings));
		fxt_context_switch(f->w, &sw);
		EXPECT(f, 0x0000000000070033, 0, 1000, 0x0000007060000028, 0);
		fxt_provider_info(f->w, 1, none);
		EXPECT(f, 0x0000000000110010);
	}
}

/* Strings of up to 512 bytes are remembered; longer ones are written each time. */
static void strings_are_remembered(void **state)
{
	static const size_t lengths[] = { 1, 7, 8, 9, 47, 48, 49, 50, 511, 512, 513 };
	struct fixture *f = *state;
	unsigned int strings;
	char big[600];

	memset(big, 'x', sizeof(big));
	for (unsigned int round = 0; round < 3; round++) {
		for (size_t i = 0; i < sizeof(lengths) / sizeof(*lengths); i++) {
			instant(f, (struct fxt_str){ 0 }, fxt_str(big, lengths[i]), 1, &strings);
			assert_int_equal(strings, !round || lengths[i] > 512);
			big[lengths[i] - 1] = 'y';
			instant(f, (struct fxt_str){ 0 }, fxt_str(big, lengths[i]), 1, &strings);
			assert_int_equal(strings, !round || lengths[i] > 512);
			big[lengths[i] - 1] = 'x';
		}
	}
}

static void pinned_strings(void **state)
{
	struct fixture *f = *state;
	char big[513];

	memset(big, 'x', sizeof(big));
	for (unsigned int round = 0; round < 2; round++) {
		assert_int_equal(fxt_pin(f->w, (struct fxt_str){ 0 }).pin, 0);
		assert_int_equal(fxt_pin(f->w, fxt_str(big, 513)).pin, 0);
		assert_int_equal(fxt_pin(f->w, fxt_str(big, 512)).pin, 1);
		assert_int_equal(fxt_pin(f->w, (struct fxt_str){ big, 600, 9 }).pin, 9);
		for (unsigned int i = 1; i <= FXT_MAX_PINS; i++) {
			char name[16];
			struct fxt_str s = fxt_str(name, (size_t)snprintf(name, sizeof(name), "%u", i));

			/* pinning a string again changes nothing, as long as there is room */
			for (unsigned int k = 0; k < 2; k++)
				assert_int_equal(fxt_pin(f->w, s).pin, i < FXT_MAX_PINS - k ? i + 1 : 0);
		}
		fxt_provider_info(f->w, 1, (struct fxt_str){ 0 });
	}
}

static void on_problem(void *ctx, enum fxt_problem p, uint64_t offset)
{
	(void)ctx;
	fail_msg("offset %lu: %s", (unsigned long)offset, fxt_problem_text(p));
}

/*
 * Far more names and threads than slots: each event has the right ones when it is read back with
 * the tables as they are at its place in the file.
 */
static void recycled_slots_read_back(void **state)
{
	enum { EVENTS = 120000 };
	struct fixture *f = *state;
	struct fxt_str pinned;
	struct fxt_reader *r;
	struct fxt_rec rec;
	struct in *in;
	size_t len, n = 0;
	const void *data;
	char big[700];

	fxt_magic(f->w);
	pinned = fxt_pin(f->w, FXT_STR("always"));
	memset(big, 'b', sizeof(big));
	for (unsigned int i = 0; i < EVENTS; i++) {
		struct fxt_event e = { FXT_EV_INSTANT, i, i / 3 % 1000, i % 700, pinned,
				       { 0 }, 0 };
		struct fxt_arg args[3];
		char name[40], arg[40], value[40];

		/* some names come repeatedly */
		snprintf(name, sizeof(name), "name %u", i % 7 ? i : i % 100);
		snprintf(arg, sizeof(arg), "arg %u", i);
		snprintf(value, sizeof(value), "value %u", i * 17);
		snprintf(big, sizeof(big), "%-10u", i);
		big[10] = 'b';
		e.name = fxt_str(name, strlen(name));
		args[0] = fxt_arg_str(fxt_str(arg, strlen(arg)), fxt_str(value, strlen(value)));
		args[1] = fxt_arg_str(FXT_STR("same"), fxt_str(name, strlen(name)));
		args[2] = fxt_arg_str(FXT_STR("long"), fxt_str(big, sizeof(big)));
		assert_int_equal(fxt_event(f->w, &e, args, 3), 0);
	}
	data = out_mem_data(f->out, &len);
	in = in_mem(data, len, "made");
	r = fxt_reader_new(in, on_problem, NULL);
	while (fxt_next(r, &rec) > 0) {
		struct fxt_arg_iter it = { 0 };
		unsigned int i = (unsigned int)rec.event.time;
		struct fxt_rarg a;
		char text[40];

		if (rec.type != FXT_REC_EVENT)
			continue;
		n++;
		assert_int_equal(rec.event.thread.process, i / 3 % 1000);
		assert_int_equal(rec.event.thread.thread, i % 700);
		assert_int_equal(rec.event.category.len, 6);
		assert_memory_equal(rec.event.category.s, "always", 6);
		snprintf(text, sizeof(text), "name %u", i % 7 ? i : i % 100);
		assert_int_equal(rec.event.name.len, strlen(text));
		assert_memory_equal(rec.event.name.s, text, strlen(text));
		assert_true(fxt_next_arg(r, &rec, &it, &a));
		snprintf(text, sizeof(text), "value %u", i * 17);
		assert_int_equal(a.str.len, strlen(text));
		assert_memory_equal(a.str.s, text, strlen(text));
		assert_true(fxt_next_arg(r, &rec, &it, &a));
		assert_true(fxt_next_arg(r, &rec, &it, &a));
		assert_int_equal(a.str.len, sizeof(big));
		assert_int_equal(strtoul(a.str.s, NULL, 10), i);
		assert_false(fxt_next_arg(r, &rec, &it, &a));
	}
	assert_int_equal(n, EVENTS);
	fxt_reader_free(r);
	in_close(in);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
	const struct CMUnitTest tests[] = {
		TEST(metadata_records),
		TEST(event_records),
		TEST(event_arguments),
		TEST(record_built_by_argument),
		TEST(object_records),
		TEST(records_with_arguments),
		TEST(limits_of_records),
		TEST(string_slots_are_reused),
		TEST(thread_slots_are_reused),
		TEST(strings_are_remembered),
		TEST(pinned_strings),
		TEST(recycled_slots_read_back),
	};

	return cmocka_run_group_tests_name("FXT encoder", tests, NULL, NULL);
}
