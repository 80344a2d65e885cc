// SPDX-License-Identifier: GPL-2.0
/*
 * FXT as an input: every record and argument type of the document, made word by word in both byte
 * orders, and read back as JSON; unknown and broken records; and the counts of what etrace's own
 * encoder wrote.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "common_fxt.h"
#include "format/fxt/fxt_read.h"
#include "format/fxt/fxt_write.h"

static uint64_t arg_header(unsigned int type, unsigned int words, unsigned int name, uint64_t bits)
{
	return type | words << 4 | (uint64_t)name << 16 | bits << 32;
}

static uint64_t double_bits(double d)
{
	uint64_t bits;

	memcpy(&bits, &d, 8);
	return bits;
}

/* Later additions to the document. */
static void make_later(struct raw *r)
{
	raw_begin(r, FXT_REC_EVENT | FXT_EV_INSTANT << 16 | 3u << 20 | 5u << 24 | 2ull << 32 | 3ull << 48);
	raw_word(r, 5000);
	raw_word(r, arg_header(FXT_ARG_BOOL, 1, 4, 1));
	raw_word(r, arg_header(FXT_ARG_BOOL, 1, 4, 0));
	raw_word(r, arg_header(FXT_ARG_BLOB, 3, 4, 9));
	raw_stream(r, "\0\1\2\3\4\5\6\7\xff", 9);
	raw_end(r);
	raw_begin(r, FXT_REC_SCHEDULING | 2u << 16 | 300ull << 20 | 5ull << 36 | 1ull << 60);
	raw_word(r, 5001);
	raw_word(r, 101);
	raw_word(r, 1ull << 40);
	raw_word(r, arg_header(FXT_ARG_I32, 1, 4, 0xfffffffb));
	raw_word(r, arg_header(FXT_ARG_I32, 1, 3, 7));
	raw_end(r);
	raw_begin(r, FXT_REC_SCHEDULING | 1u << 16 | 65535ull << 20 | 2ull << 60);
	raw_word(r, 5002);
	raw_word(r, 101);
	raw_word(r, arg_header(FXT_ARG_KOID, 2, 4, 0));
	raw_word(r, 77);
	raw_end(r);
	raw_begin(r, FXT_REC_PROFILER | 4660ull << 28 | 7ull << 44 | 3ull << 52);	/* inline thread */
	raw_word(r, 5003);
	raw_word(r, 200);
	raw_word(r, 201);
	raw_stream(r, "libc.so", 7);
	raw_stream(r, "\xff\0a", 3);
	raw_end(r);
	raw_begin(r, FXT_REC_PROFILER | 1u << 16 | 5u << 20 | 4660ull << 28 | 5ull << 44);
	raw_word(r, 5004);
	raw_word(r, 0xffff800000001000);
	raw_word(r, 0x2000);
	raw_word(r, 0x3000);
	raw_end(r);
	raw_begin(r, FXT_REC_PROFILER | 2u << 16 | 5u << 20 | 2u << 28);
	raw_word(r, 5005);
	raw_word(r, 0x1234);
	raw_word(r, UINT64_MAX);
	raw_end(r);
	raw_begin(r, FXT_REC_LARGE);			/* with time, thread and an argument */
	raw_word(r, 2 | (uint64_t)(0x8000 | 9) << 16 | 1ull << 32);
	raw_stream(r, "nine char", 9);
	raw_word(r, 5006);
	raw_word(r, 200);
	raw_word(r, 201);
	raw_word(r, arg_header(FXT_ARG_U32, 1, 4, 9));
	raw_word(r, 11);
	raw_stream(r, "hello\0world", 11);
	raw_end(r);
	raw_begin(r, FXT_REC_LARGE | 1ull << 40);	/* with a name and 0 bytes */
	raw_word(r, 2 | 3u << 16);
	raw_word(r, 0);
	raw_end(r);
	raw_begin(r, FXT_REC_BLOB | 3u << 16 | 1ull << 48);
	raw_end(r);
	raw_begin(r, FXT_REC_BLOB | 3u << 16 | 3ull << 48);
	raw_end(r);
}

/*
 * One record of every type, as in data/fxt/all-types.txt; strings: 1 "process", 2 "cat", 3 "name",
 * 4 "arg".
 */
static void make_all(struct raw *r)
{
	raw_magic(r);
	raw_provider(r, 7, "maker");
	raw_init(r, 1000000000);
	raw_string(r, 1, "process");
	raw_string(r, 2, "cat");
	raw_string(r, 3, "name");
	raw_string(r, 4, "arg");
	raw_thread(r, 5, 100, 101);

	/* All argument types, the last with everything inline. */
	raw_begin(r, FXT_REC_EVENT | FXT_EV_INSTANT << 16 | 10u << 20 | 5u << 24 | 2ull << 32 | 3ull << 48);
	raw_word(r, 1000);
	raw_word(r, arg_header(FXT_ARG_NULL, 1, 4, 0));
	raw_word(r, arg_header(FXT_ARG_I32, 1, 4, 0xffffffff));
	raw_word(r, arg_header(FXT_ARG_U32, 1, 4, 0xffffffff));
	raw_word(r, arg_header(FXT_ARG_I64, 2, 4, 0));
	raw_word(r, (uint64_t)INT64_MIN);
	raw_word(r, arg_header(FXT_ARG_U64, 2, 4, 0));
	raw_word(r, UINT64_MAX);
	raw_word(r, arg_header(FXT_ARG_F64, 2, 4, 0));
	raw_word(r, double_bits(-0.1));
	raw_word(r, arg_header(FXT_ARG_STRING, 1, 4, 3));
	raw_word(r, arg_header(FXT_ARG_POINTER, 2, 4, 0));
	raw_word(r, 0xffffffff80001000);
	raw_word(r, arg_header(FXT_ARG_KOID, 2, 4, 0));
	raw_word(r, 77);
	raw_word(r, arg_header(FXT_ARG_STRING, 3, 0x8000 | 3, 0x8000 | 5));
	raw_stream(r, "key", 3);
	raw_stream(r, "value", 5);
	raw_end(r);

	/* Everything inline, and each event that ends with a word. */
	raw_begin(r, FXT_REC_EVENT | FXT_EV_DURATION_BEGIN << 16 | 0x8004ull << 32 | 0x8009ull << 48);
	raw_word(r, 2000);
	raw_word(r, 200);
	raw_word(r, 201);
	raw_stream(r, "four", 4);
	raw_stream(r, "nine char", 9);
	raw_end(r);
	raw_event(r, FXT_EV_DURATION_END, 2001, 5, 2, 3, 0);
	raw_event(r, FXT_EV_COUNTER, 2002, 5, 2, 3, 1002);
	raw_event(r, FXT_EV_DURATION_COMPLETE, 2003, 5, 2, 3, 1003);
	raw_event(r, FXT_EV_ASYNC_BEGIN, 2004, 5, 2, 3, 1004);
	raw_event(r, FXT_EV_ASYNC_INSTANT, 2005, 5, 2, 3, 1005);
	raw_event(r, FXT_EV_ASYNC_END, 2006, 5, 2, 3, 1006);
	raw_event(r, FXT_EV_FLOW_BEGIN, 2007, 5, 2, 3, 1007);
	raw_event(r, FXT_EV_FLOW_STEP, 2008, 5, 2, 3, 1008);
	raw_event(r, FXT_EV_FLOW_END, 2009, 5, 2, 3, UINT64_MAX);

	raw_begin(r, FXT_REC_BLOB | 3u << 16 | 5ull << 32 | 2ull << 48);
	raw_stream(r, "\x00\x01\xfe\xff\x80", 5);
	raw_end(r);
	raw_begin(r, FXT_REC_USERSPACE_OBJECT | 5u << 16 | 3u << 24 | 1ull << 40);
	raw_word(r, 0xdeadbeef);
	raw_word(r, arg_header(FXT_ARG_U32, 1, 4, 9));
	raw_end(r);
	raw_begin(r, FXT_REC_USERSPACE_OBJECT | 3u << 24);	/* inline process */
	raw_word(r, 0xdeadbee0);
	raw_word(r, 300);
	raw_end(r);
	raw_begin(r, FXT_REC_KERNEL_OBJECT | 2u << 16 | 3u << 24 | 1ull << 40);
	raw_word(r, 101);
	raw_word(r, arg_header(FXT_ARG_KOID, 2, 1, 0));
	raw_word(r, 100);
	raw_end(r);
	raw_begin(r, FXT_REC_SCHEDULING | 9u << 16 | 3u << 24 | 5ull << 28 | 20ull << 44 | 30ull << 52);
	raw_word(r, 3000);
	raw_word(r, 400);
	raw_word(r, 401);
	raw_end(r);
	raw_begin(r, FXT_REC_LOG | 5u << 16 | 5ull << 32);
	raw_word(r, 4000);
	raw_stream(r, "hello", 5);
	raw_end(r);
	raw_begin(r, 2u << 16 | 7u << 20);	/* provider section */
	raw_end(r);
	raw_begin(r, 3u << 16 | 7u << 20);	/* provider event */
	raw_end(r);
	make_later(r);
}

/* Each line of a text contains the same line of the other one. */
static void assert_lines(const struct bytes *text, const struct bytes *want)
{
	const char *p = text->data, *w = want->data;

	for (size_t i = 1; *w; i++) {
		size_t len = strcspn(p, "\n"), wlen = strcspn(w, "\n");

		if (!memmem(p, len, w, wlen))
			fail_msg("line %zu is\n%.*s\nexpected\n%.*s", i, (int)len, p, (int)wlen, w);
		p += len + (p[len] == '\n');
		w += wlen + (w[wlen] == '\n');
	}
	assert_string_equal(p, "");
}

static void test_all_types(void **state)
{
	struct bytes want = fixture("fxt/all-types.txt");

	(void)state;
	for (unsigned int swapped = 0; swapped < 2; swapped++) {
		struct raw r = { .swapped = swapped };
		struct conversion c;

		make_all(&r);
		assert_int_equal((uint8_t)r.b.data[0], swapped ? 0x00 : 0x10);
		c = convert("fxt", "json", r.b.data, r.b.n, NULL);
		assert_int_equal(c.status, 0);
		assert_string_equal(c.messages.data, "");
		assert_lines(&c.out, &want);
		conversion_free(&c);
		c = convert("fxt", "stats", r.b.data, r.b.n, NULL);
		assert_int_equal(count_lines(&c.out, "1  thread wakeup"), 1);
		assert_int_equal(count_lines(&c.out, "1  context switch"), 1);
		assert_int_equal(count_lines(&c.out, "3  profiler"), 1);
		assert_int_equal(count_lines(&c.out, "2  large"), 1);
		/* threads 101, 201, 401 and the one with a large koid */
		assert_true(has_line(&c.out, "Threads: 4"));
		conversion_free(&c);
		raw_free(&r);
	}
	bytes_free(&want);
}

/* Types that are not in the document are skipped by their size. */
static void test_unknown_types_skipped(void **state)
{
	(void)state;
	for (unsigned int swapped = 0; swapped < 2; swapped++) {
		struct raw r = { .swapped = swapped };
		struct conversion c;

		raw_magic(&r);
		raw_string(&r, 1, "s");
		raw_begin(&r, 11);			/* record, at 24 */
		raw_word(&r, 0x1122334455667788);
		raw_end(&r);
		raw_begin(&r, 9u << 16);		/* metadata, at 40 */
		raw_end(&r);
		raw_begin(&r, FXT_REC_EVENT | 12u << 16 | 1u << 20 | 1ull << 32 | 1ull << 48);	/* event, at 48 */
		raw_word(&r, 5);
		raw_word(&r, 1);
		raw_word(&r, 2);
		raw_word(&r, arg_header(FXT_ARG_U32, 1, 1, 3));
		raw_end(&r);
		raw_begin(&r, FXT_REC_EVENT | 2u << 20 | 1ull << 32 | 1ull << 48);	/* argument, at 88 + 32 */
		raw_word(&r, 6);
		raw_word(&r, 1);
		raw_word(&r, 2);
		raw_word(&r, arg_header(11, 2, 1, 1));
		raw_word(&r, 0xaabbccddeeff0011);
		raw_word(&r, arg_header(FXT_ARG_U32, 1, 1, 4));
		raw_end(&r);
		raw_begin(&r, 4u << 16 | 1u << 20);	/* trace info, at 144 */
		raw_word(&r, 0x0102030405060708);
		raw_end(&r);
		raw_begin(&r, FXT_REC_EVENT | 15u << 16 | 1ull << 32 | 1ull << 48);
		raw_word(&r, 7);
		raw_word(&r, 1);
		raw_word(&r, 2);
		raw_word(&r, 0x1213141516171819);	/* of unknown meaning */
		raw_end(&r);
		c = convert("fxt", "json", r.b.data, r.b.n, NULL);
		assert_int_equal(c.status, 0);
		assert_true(has_line(&c.messages, "2 events of unknown types"));
		assert_true(has_line(&c.messages, "2 metadata of unknown types"));
		assert_true(has_line(&c.out, swapped ? "\"trace_info_type\":1,\"data\":\"0000000000140020" "0102030405060708\"}" :
				     "\"trace_info_type\":1,\"data\":\"2000140000000000" "0807060504030201\"}"));
		assert_true(has_line(&c.out, swapped ? "1213141516171819\",\"args\":[]" :
				     "1918171615141312\",\"args\":[]"));
		assert_true(has_line(&c.messages, "offset 24: record of a type not in the format document"));
		assert_true(has_line(&c.messages, "offset 40: metadata of a type not"));
		assert_true(has_line(&c.messages, "offset 48: event of a type not"));
		assert_true(has_line(&c.messages, "offset 120: argument of a type not"));
		assert_true(has_line(&c.out, "{\"record\":\"unknown\",\"type_number\":11,\"offset\":24,\"words\":2,"));
		assert_true(has_line(&c.out, swapped ? "1122334455667788\"}" : "8877665544332211\"}"));
		assert_true(has_line(&c.out, "\"event\":\"unknown\",\"type_number\":12,\"timestamp\":5,"));
		assert_true(has_line(&c.out, "\"type\":\"uint32\",\"value\":3}"));
		assert_true(has_line(&c.out, "\"type\":\"unknown\",\"type_number\":11,\"data\":\""));
		assert_true(has_line(&c.out, "\"type\":\"uint32\",\"value\":4}"));
		conversion_free(&c);
		raw_free(&r);
	}
}

/* The document allows records to become longer: existing parts stay where they are. */
static void test_longer_records(void **state)
{
	struct raw r = { 0 };
	struct conversion c;

	(void)state;
	raw_magic(&r);
	raw_string(&r, 1, "s");
	raw_thread(&r, 1, 1, 2);
	raw_begin(&r, FXT_REC_EVENT | (uint64_t)FXT_EV_COUNTER << 16 | 2u << 20 | 1u << 24 |
		  1ull << 32 | 1ull << 48);
	raw_word(&r, 5);
	raw_word(&r, arg_header(FXT_ARG_U64, 2, 1, 0));
	raw_word(&r, 6);
	raw_word(&r, arg_header(FXT_ARG_U32, 1, 1, 7));
	raw_word(&r, 4711);		/* the counter id */
	raw_word(&r, 1);		/* added by a later version */
	raw_word(&r, 2);
	raw_end(&r);
	c = convert("fxt", "json", r.b.data, r.b.n, NULL);
	assert_int_equal(c.status, 0);
	assert_true(has_line(&c.out, "\"counter_id\":4711,"));
	assert_true(has_line(&c.out, "\"type\":\"uint32\",\"value\":7}"));
	conversion_free(&c);
	raw_free(&r);
}

/* Faults are reported with their offset, and the records after them are read. */
static void test_broken_records(void **state)
{
	struct raw r = { 0 };
	struct conversion c;
	size_t at;

	(void)state;
	raw_magic(&r);
	raw_string(&r, 1, "s");
	raw_thread(&r, 1, 1, 2);
	/* An event that needs more words than it has, at 48. */
	at = raw_begin(&r, FXT_REC_EVENT | 1u << 24 | 1ull << 32 | 1ull << 48);
	raw_end(&r);
	assert_int_equal(at, 48);
	/* An argument larger than its record, at 56 + 16. */
	raw_begin(&r, FXT_REC_EVENT | 1u << 20 | 1u << 24 | 1ull << 32 | 1ull << 48);
	raw_word(&r, 7);
	raw_word(&r, arg_header(FXT_ARG_U64, 2, 1, 0));
	raw_end(&r);
	/* Two arguments announced, only one present: the record at 80 ends at 104. */
	raw_begin(&r, FXT_REC_EVENT | 2u << 20 | 1u << 24 | 1ull << 32 | 1ull << 48);
	raw_word(&r, 8);
	raw_word(&r, arg_header(FXT_ARG_U32, 1, 1, 5));
	raw_end(&r);
	/* A string and a thread that were never registered, at 104. */
	raw_event(&r, FXT_EV_INSTANT, 9, 9, 1, 99, 0);
	raw_word(&r, 0);		/* a zero header, at 120 */
	raw_event(&r, FXT_EV_INSTANT, 10, 1, 1, 1, 0);
	raw_word(&r, 4 | 5 << 4);	/* cut, at 144 */
	c = convert("fxt", "json", r.b.data, r.b.n, NULL);
	assert_int_equal(c.status, 1);
	assert_true(has_line(&c.messages, "offset 48: record whose parts do not fit its size"));
	assert_true(has_line(&c.messages, "offset 72: argument that does not fit its record"));
	assert_true(has_line(&c.messages, "offset 104: record with fewer arguments than announced"));
	assert_true(has_line(&c.messages, "offset 104: reference to a string that was never registered"));
	assert_true(has_line(&c.messages, "offset 104: reference to a thread that was never registered"));
	assert_true(has_line(&c.messages, "offset 120: record of size 0"));
	assert_true(has_line(&c.messages, "offset 144: the file ends inside a record"));
	assert_true(has_line(&c.out, "\"offset\":48,\"words\":1,\"provider\":0,\"broken\":true,\"data\":\"1400000101000100\"}"));
	assert_true(has_line(&c.out, "\"timestamp\":7,"));
	assert_true(has_line(&c.out, "\"timestamp\":8,"));
	assert_true(has_line(&c.out, "\"thread\":{\"ref\":9},\"category\":\"s\",\"category_ref\":1,\"name\":null,\"name_ref\":99,"));
	assert_true(has_line(&c.out, "\"timestamp\":10,"));
	conversion_free(&c);
	raw_free(&r);
}

static void test_not_fxt(void **state)
{
	static const char *const inputs[] = { "", "1234567", "this is not a trace" };

	(void)state;
	for (size_t i = 0; i < 3; i++) {
		struct conversion c = convert("fxt", "json", inputs[i], strlen(inputs[i]), NULL);

		assert_int_equal(c.status, 2);
		assert_true(has_line(&c.messages, "offset 0: no magic number of FXT"));
		assert_true(has_line(&c.messages, "nothing in it can be read as FXT"));
		conversion_free(&c);
	}
}

/* A file without its first word is still read, and this is reported. */
static void test_missing_magic(void **state)
{
	(void)state;
	for (unsigned int swapped = 0; swapped < 2; swapped++) {
		struct raw r = { .swapped = swapped };
		struct conversion c;

		make_all(&r);
		c = convert("fxt", "json", r.b.data + 8, r.b.n - 8, NULL);
		assert_int_equal(c.status, 1);
		assert_true(has_line(&c.messages, "offset 0: no magic number of FXT at the beginning"));
		assert_true(has_line(&c.out, "\"metadata\":\"provider info\",\"provider_id\":7,\"name\":\"maker\"}"));
		assert_int_equal(count_lines(&c.out, "{"), 36);
		conversion_free(&c);
		c = convert("fxt", "check", r.b.data + 8, r.b.n - 8, NULL);
		assert_int_equal(c.status, 1);
		assert_true(has_line(&c.out, "offset 0: magic: "));
		conversion_free(&c);
		raw_free(&r);
	}
}

/* Reserved bits that are set are reported for every output. */
static void test_reserved_bits_reported(void **state)
{
	static const char *const to[] = { "json", "stats", "check" };
	struct raw r = { 0 };

	(void)state;
	raw_magic(&r);
	raw_init(&r, 1000000000);
	raw_begin(&r, FXT_REC_THREAD | 1u << 16 | 1ull << 40);		/* at 24 */
	raw_word(&r, 1);
	raw_word(&r, 2);
	raw_end(&r);
	raw_begin(&r, FXT_REC_EVENT | 1u << 20 | 1u << 24);
	raw_word(&r, 1);
	raw_word(&r, arg_header(FXT_ARG_BOOL, 1, 0, 3));		/* at 64 */
	raw_end(&r);
	raw_begin(&r, FXT_REC_LARGE | 1ull << 40 | 1ull << 44);	/* at 72 */
	raw_word(&r, 1ull << 32);					/* at 80 */
	raw_word(&r, 0);
	raw_end(&r);
	for (size_t i = 0; i < 3; i++) {
		struct conversion c = convert("fxt", to[i], r.b.data, r.b.n, NULL);

		assert_int_equal(c.status, i == 2);
		assert_true(has_line(&c.messages, "offset 24: reserved bits that are set"));
		assert_true(has_line(&c.messages, "4 places with reserved bits set"));
		conversion_free(&c);
	}
	raw_free(&r);
}

/* A record, and the bits of one of its words that the document reserves. */
struct reserved {
	uint64_t header;
	uint64_t word[2];		/* the first ones after the header; the others are 0 */
	unsigned char words;		/* after the header */
	unsigned char at;		/* the word that has them; 0: the header */
	unsigned char from, to;
};

static bool reserved_is_reported(const struct reserved *row, unsigned int bit)
{
	struct raw r = { 0 };
	struct conversion c;
	bool reported;

	raw_magic(&r);
	raw_begin(&r, row->header | (uint64_t)!row->at << bit);
	for (unsigned int i = 0; i < row->words; i++)
		raw_word(&r, (i < 2 ? row->word[i] : 0) | (uint64_t)(row->at == i + 1) << bit);
	raw_end(&r);
	c = convert("fxt", "json", r.b.data, r.b.n, NULL);
	reported = strstr(c.messages.data, "reserved bits that are set");
	conversion_free(&c);
	raw_free(&r);
	return reported;
}

/* Each of them is reported, and the bit before the first is not. */
static void test_each_reserved_bit(void **state)
{
/* An event with one argument, with or without a value. */
#define ARG(type, words) FXT_REC_EVENT | 1u << 20 | 1u << 24, \
	{ 0, (type) | ((words) << 4) }, 1 + (words), 2
	static const struct reserved rows[] = {
		{ FXT_REC_INIT, { 1 }, 1, 0, 16, 63 },
		{ FXT_REC_STRING, { 0 }, 0, 0, 31, 31 },
		{ FXT_REC_STRING, { 0 }, 0, 0, 47, 63 },
		{ FXT_REC_THREAD, { 0, 1 }, 2, 0, 24, 63 },
		{ FXT_REC_BLOB, { 0 }, 0, 0, 47, 47 },
		{ FXT_REC_BLOB, { 0 }, 0, 0, 56, 63 },
		{ FXT_REC_USERSPACE_OBJECT, { 0 }, 2, 0, 44, 63 },
		{ FXT_REC_KERNEL_OBJECT, { 0 }, 1, 0, 44, 63 },
		{ FXT_REC_LOG, { 0 }, 3, 0, 31, 31 },
		{ FXT_REC_LOG, { 0 }, 3, 0, 40, 63 },
		{ FXT_META_PROVIDER_INFO << 16, { 0 }, 0, 0, 60, 63 },
		{ FXT_META_PROVIDER_SECTION << 16, { 0 }, 0, 0, 52, 63 },
		{ FXT_META_PROVIDER_EVENT << 16, { 0 }, 0, 0, 56, 63 },
		{ FXT_REC_SCHEDULING | (uint64_t)FXT_SCHED_SWITCH << 60, { 0 }, 3, 0, 40, 59 },
		{ FXT_REC_SCHEDULING | (uint64_t)FXT_SCHED_WAKEUP << 60, { 0 }, 2, 0, 36, 59 },
		{ FXT_REC_PROFILER | FXT_PROF_MODULE << 16, { 0 }, 3, 0, 60, 63 },
		{ FXT_REC_PROFILER | FXT_PROF_MMAP << 16, { 0 }, 6, 0, 47, 63 },
		{ FXT_REC_PROFILER | FXT_PROF_BACKTRACE << 16, { 0 }, 3, 0, 36, 63 },
		{ FXT_REC_LARGE | 1ull << 40, { 0 }, 2, 0, 44, 63 },
		{ FXT_REC_LARGE | 1ull << 40, { 0 }, 2, 1, 32, 63 },
		{ FXT_REC_LARGE, { 1ull << 36 }, 3, 1, 44, 63 },
		{ ARG(FXT_ARG_NULL, 1u), 32, 63 },
		{ ARG(FXT_ARG_I64, 2u), 32, 63 },
		{ ARG(FXT_ARG_U64, 2u), 32, 63 },
		{ ARG(FXT_ARG_F64, 2u), 32, 63 },
		{ ARG(FXT_ARG_STRING, 1u), 48, 63 },
		{ ARG(FXT_ARG_POINTER, 2u), 32, 63 },
		{ ARG(FXT_ARG_KOID, 2u), 32, 63 },
		{ ARG(FXT_ARG_BOOL, 1u), 33, 63 },
	};
#undef ARG

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		for (unsigned int bit = rows[i].from; bit <= rows[i].to; bit++)
			if (!reserved_is_reported(&rows[i], bit))
				fail_msg("row %zu: bit %u is not reported", i, bit);
		if (reserved_is_reported(&rows[i], rows[i].from - 1u))
			fail_msg("row %zu: bit %u is reported", i, rows[i].from - 1u);
	}
}

/* Only a bounded part of a large record is in memory at a time. */
static void test_large_record_memory(void **state)
{
	char path[] = "/tmp/etrace-fxt-XXXXXX";
	const uint64_t size = 64 << 20, head[] = {
		FXT_MAGIC, FXT_REC_LARGE | (3 + size / 8) << 4 | 1ull << 40, 0, size,
	};
	int fd = mkstemp(path), err = 0;
	struct fxt_reader *r;
	struct fxt_rec rec;
	uint64_t all = 0;
	struct in *in;
	size_t n;

	(void)state;
	assert_true(fd >= 0);
	assert_int_equal(write(fd, head, sizeof(head)), sizeof(head));
	assert_int_equal(ftruncate(fd, (off_t)(sizeof(head) + size)), 0);
	close(fd);
	in = in_open(path, &err);
	r = fxt_reader_new(in, NULL, NULL);
	assert_int_equal(fxt_next(r, &rec), 1);
	assert_int_equal(fxt_next(r, &rec), 1);
	assert_int_equal(rec.data_bytes, size);
	while (fxt_next_data(r, &n)) {
		assert_true(n <= 2 << 20);
		all += n;
	}
	assert_int_equal(all, size);
	assert_int_equal(fxt_next(r, &rec), 0);
	fxt_reader_free(r);
	in_close(in);
	unlink(path);
}

/* All of a large record is printed, and the record after it is read. */
static void test_large_record(void **state)
{
	static const size_t size = 9 << 20;
	struct raw r = { 0 };
	struct conversion c;
	char *bytes = calloc(1, size);
	size_t at;

	(void)state;
	memset(bytes, 0xab, size);
	raw_magic(&r);
	raw_string(&r, 1, "s");
	raw_begin(&r, FXT_REC_LARGE | 1ull << 40);	/* at 24 */
	raw_word(&r, 1 | 1u << 16);
	raw_word(&r, size - 3);
	bytes_add(&r.b, bytes, size - 3);
	bytes_add(&r.b, "\0\0\0", 3);
	raw_end(&r);
	raw_event(&r, FXT_EV_INSTANT, 77, 0, 1, 1, 0);
	/* the event's record is too short for its thread */
	c = convert("fxt", "json", r.b.data, r.b.n, NULL);
	assert_int_equal(c.status, 1);
	assert_int_equal(c.out.n > 2 * (size - 3), 1);
	assert_true(has_line(&c.out, "\"large\":\"blob\",\"format\":1,\"category\":\"s\",\"category_ref\":1,"
			     "\"name\":\"s\",\"name_ref\":1,\"data_bytes\":9437181,\"data\":\"ababab"));
	assert_true(has_line(&c.out, "abab\"}"));
	assert_true(has_line(&c.out, "{\"record\":\"event\",\"offset\":9437232,\"words\":2,"));
	conversion_free(&c);
	/* cut within the data: those before the cut are printed */
	c = convert("fxt", "json", r.b.data, size / 2, NULL);
	assert_int_equal(c.status, 1);
	assert_true(has_line(&c.messages, "offset 24: the file ends inside a record"));
	assert_true(has_line(&c.out, "abab\"}"));
	conversion_free(&c);
	/* cut before the data */
	c = convert("fxt", "json", r.b.data, 36, NULL);
	assert_int_equal(c.status, 1);
	assert_true(has_line(&c.messages, "offset 24: the file ends inside a record"));
	assert_int_equal(count_lines(&c.out, "large"), 0);
	conversion_free(&c);
	/* a record that consists of its header only */
	raw_patch(&r, 24, FXT_REC_LARGE | 1u << 4 | 1ull << 40);
	c = convert("fxt", "json", r.b.data, 32, NULL);
	assert_true(has_line(&c.messages, "offset 24: record whose parts do not fit its size"));
	assert_true(has_line(&c.out, "{\"record\":\"large\",\"offset\":24,"));
	conversion_free(&c);
	raw_patch(&r, 24, FXT_REC_LARGE | (3 + size / 8) << 4 | 1ull << 40);
	/* more data announced than it holds; then also an unknown kind */
	raw_patch(&r, 40, UINT64_MAX - 7);
	c = convert("fxt", "json", r.b.data, r.b.n, NULL);
	assert_true(has_line(&c.messages, "offset 24: record whose parts do not fit its size"));
	assert_true(has_line(&c.out, "\"broken\":true,\"data_bytes\":9437208,\"data\":\"3f002001"));
	assert_true(has_line(&c.out, "{\"record\":\"event\",\"offset\":9437232,"));
	conversion_free(&c);
	raw_patch(&r, 24, raw_get(&r, 24) | 1ull << 36);
	c = convert("fxt", "json", r.b.data, r.b.n, NULL);
	assert_true(has_line(&c.messages, "offset 24: record of a kind not in the format document"));
	assert_true(has_line(&c.out, "\"large\":\"unknown\",\"type_number\":1,\"format\":1,\"data_bytes\":9437208,"));
	assert_true(has_line(&c.out, "{\"record\":\"event\",\"offset\":9437232,"));
	conversion_free(&c);
	raw_free(&r);
	/* a record of 32 GiB, of which only the beginning is there */
	raw_magic(&r);
	at = raw_begin(&r, FXT_REC_LARGE | 0xffffffffull << 4 | 1ull << 40);
	raw_word(&r, 0);
	raw_word(&r, 0x7ffffffe0);
	c = convert("fxt", "check", r.b.data, r.b.n, NULL);
	assert_int_equal(c.status, 1);
	assert_int_equal(at, 8);
	assert_true(has_line(&c.out, "offset 8: cut: "));
	conversion_free(&c);
	raw_free(&r);
	free(bytes);
}

/* The summary of all types: every number. */
static void test_summary(void **state)
{
	static const struct { const char *file; const struct opt_given given[2]; } forms[] = {
		{ "fxt/all-types.stats.txt", { { NULL, NULL } } },
		{ "fxt/all-types.stats.json", { { "json", NULL }, { NULL, NULL } } },
	};
	struct raw r = { 0 };

	(void)state;
	make_all(&r);
	/* equal numbers of events: sorted by koid */
	for (unsigned int i = 0; i < 4; i++) {
		raw_thread(&r, 20 + i, 900 - 100 * i, 950 + i);
		raw_event(&r, FXT_EV_INSTANT, 900000 - i, 20 + i, 2, 3, 0);
		raw_event(&r, FXT_EV_DURATION_COMPLETE, 900000 + i, 20 + i, 3, 2, 900010 + i);
	}
	for (size_t i = 0; i < 2; i++) {
		struct bytes want = fixture(forms[i].file);
		struct conversion c = convert("fxt", "stats", r.b.data, r.b.n, forms[i].given);

		assert_string_equal(c.out.data, want.data);
		conversion_free(&c);
		bytes_free(&want);
	}
	raw_free(&r);
}

/* What etrace's own encoder writes is read back: the same events in the same order. */
static void test_read_back(void **state)
{
	struct out *out = out_mem();
	struct fxt_writer *w = fxt_writer_new(out);
	struct records rs;
	const void *data;
	size_t n, seen = 0;
	static const char *const names[FXT_EV_COUNT] = {
		"instant", "counter", "duration begin", "duration end", "duration complete",
		"async begin", "async instant", "async end", "flow begin", "flow step", "flow end",
	};

	(void)state;
	fxt_magic(w);
	fxt_provider_info(w, 1, FXT_STR("test"));
	fxt_init(w, 1000000000);
	/* More names and more threads than the tables hold. */
	for (uint64_t i = 0; i < 40000; i++) {
		char text[32];
		int len = snprintf(text, sizeof(text), "name %u", (unsigned int)i);
		struct fxt_arg arg = fxt_arg_u(FXT_STR("number"), i);
		struct fxt_event ev = {
			.type = (enum fxt_event_type)(i % FXT_EV_COUNT), .time = i,
			.process = 1 + i % 300, .thread = 1000 + i % 300,
			.category = FXT_STR("c"), .name = fxt_str(text, (size_t)len), .value = i,
		};

		assert_int_equal(fxt_event(w, &ev, &arg, 1), 0);
	}
	data = out_mem_data(out, &n);
	rs = fxt_records(data, n);
	assert_int_equal(rs.status, 0);
	for (size_t i = 0; i < rs.n; i++) {
		char text[32];

		if (!is_event(rs.r[i], NULL, NULL, NULL))
			continue;
		assert_string_equal(rec_text(rs.r[i], "event"), names[seen % FXT_EV_COUNT]);
		assert_string_equal(rec_text(rs.r[i], "category"), "c");
		snprintf(text, sizeof(text), "name %zu", seen);
		assert_string_equal(rec_text(rs.r[i], "name"), text);
		assert_int_equal(rec_thread(rs.r[i]), 1000 + seen % 300);
		assert_int_equal(json_object_get_int64(rec_arg(rs.r[i], "number")), seen);
		seen++;
	}
	assert_int_equal(seen, 40000);
	records_free(&rs);
	fxt_writer_free(w);
	out_close(out);
}

/* Each provider has tables of its own. */
static void test_providers(void **state)
{
	struct raw r = { 0 };
	struct records rs;

	(void)state;
	raw_magic(&r);
	raw_provider(&r, 1, "one");
	raw_string(&r, 1, "of one");
	raw_thread(&r, 1, 10, 11);
	raw_provider(&r, 2, "two");
	raw_string(&r, 1, "of two");
	raw_thread(&r, 1, 20, 21);
	raw_event(&r, FXT_EV_INSTANT, 1, 1, 1, 1, 0);
	raw_begin(&r, 2u << 16 | 1u << 20);
	raw_end(&r);
	raw_event(&r, FXT_EV_INSTANT, 2, 1, 1, 1, 0);
	rs = fxt_records(r.b.data, r.b.n);
	assert_int_equal(rs.status, 0);
	assert_string_equal(rec_text(rs.r[7], "name"), "of two");
	assert_int_equal(rec_process(rs.r[7]), 20);
	assert_string_equal(rec_text(rs.r[9], "name"), "of one");
	assert_int_equal(rec_thread(rs.r[9]), 11);
	records_free(&rs);
	raw_free(&r);
}

/* Strings of any bytes: those that are not text are printed in hex, too. */
static void test_strings_of_any_bytes(void **state)
{
	struct raw r = { 0 };
	struct conversion c;

	(void)state;
	raw_magic(&r);
	raw_string(&r, 1, "a\x80z");
	raw_begin(&r, FXT_REC_STRING | 2u << 16 | 4ull << 32);
	raw_stream(&r, "a\0b\n", 4);
	raw_end(&r);
	/* the document allows any bytes in a kernel object's name */
	raw_begin(&r, FXT_REC_KERNEL_OBJECT | FXT_KOBJ_PROCESS << 16 | 0x8003ull << 24);
	raw_word(&r, 5);
	raw_stream(&r, "\xff\0n", 3);
	raw_end(&r);
	c = convert("fxt", "json", r.b.data, r.b.n, NULL);
	assert_int_equal(c.status, 0);
	assert_true(has_line(&c.out, "\"koid\":5,\"name\":\"\357\277\275\357\277\275n\",\"name_hex\":\"ff006e\",\"name_ref\":\"inline\""));
	assert_true(has_line(&c.out, "\"index\":1,\"value\":\"a\xef\xbf\xbdz\",\"value_hex\":\"61807a\"}"));
	assert_true(has_line(&c.out, "\"index\":2,\"value\":\"a\357\277\275b\\n\",\"value_hex\":\"6100620a\"}"));
	conversion_free(&c);
	raw_free(&r);
}

/* Every record type cut at every byte and with every byte inverted, in both byte orders. */
static void test_cut_or_inverted_anywhere(void **state)
{
	(void)state;
	for (unsigned int swapped = 0; swapped < 2; swapped++) {
		struct raw r = { .swapped = swapped };

		make_all(&r);
		for (size_t i = 0; i < r.b.n; i++) {
			for (unsigned int how = 0; how < 3; how++) {
				static const char *const to[] = { "json", "json", "check" };
				size_t n = how ? r.b.n : i;
				char *copy = malloc(n + !n);
				struct conversion c;

				memcpy(copy, r.b.data, n);
				if (how)
					copy[i] = (char)~copy[i];
				c = convert("fxt", to[how], copy, n, NULL);
				assert_true(c.status <= 2);
				/* All complete records before the cut are there. */
				if (!how && i >= 128)
					assert_true(count_lines(&c.out, "\"record\"") >= 8);
				assert_true(c.peak < (1u << 20) + 16 * n);
				conversion_free(&c);
				free(copy);
			}
		}
		raw_free(&r);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_all_types),
		cmocka_unit_test(test_unknown_types_skipped),
		cmocka_unit_test(test_longer_records),
		cmocka_unit_test(test_broken_records),
		cmocka_unit_test(test_not_fxt),
		cmocka_unit_test(test_missing_magic),
		cmocka_unit_test(test_reserved_bits_reported),
		cmocka_unit_test(test_each_reserved_bit),
		cmocka_unit_test(test_large_record),
		cmocka_unit_test(test_large_record_memory),
		cmocka_unit_test(test_summary),
		cmocka_unit_test(test_read_back),
		cmocka_unit_test(test_providers),
		cmocka_unit_test(test_strings_of_any_bytes),
		cmocka_unit_test(test_cut_or_inverted_anywhere),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
