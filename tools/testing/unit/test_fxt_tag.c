// SPDX-License-Identifier: GPL-2.0
/* Tags of registered strings: values that a consumer keeps in the decoder's table. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "format/fxt/fxt_read.h"
#include "format/fxt/fxt.h"

static uint64_t words[64];
static unsigned int nwords;

static void magic(void)
{
	nwords = 0;
	words[nwords++] = FXT_MAGIC;
}

static void provider(uint64_t id)
{
	words[nwords++] = FXT_REC_METADATA | 1u << 4 | FXT_META_PROVIDER_SECTION << 16 | id << 20;
}

/* A String record of up to 8 bytes. */
static void string(uint64_t index, const char *s)
{
	uint64_t len = strlen(s);

	words[nwords++] = FXT_REC_STRING | 2u << 4 | index << 16 | len << 32;
	words[nwords] = 0;
	memcpy(&words[nwords++], s, len);
}

/* An event of inline thread 1.1 with a string as its name and one argument. */
static void event(uint64_t name, uint64_t arg_name)
{
	bool inl = arg_name & 0x8000;

	words[nwords++] = FXT_REC_EVENT | (uint64_t)(inl ? 6 : 5) << 4 | 1u << 20 | name << 48;
	words[nwords++] = 7;
	words[nwords++] = 1;
	words[nwords++] = 1;
	words[nwords++] = FXT_ARG_U32 | (uint64_t)(inl ? 2 : 1) << 4 | arg_name << 16 | 5ull << 32;
	if (inl)
		memcpy(&words[nwords++], "inline!!", 8);
}

static struct in *in;
static struct fxt_reader *r;
static struct fxt_rec rec;
static struct fxt_rarg arg;

static void start(void)
{
	in = in_mem(words, nwords * 8, "test");
	r = fxt_reader_new(in, NULL, NULL);
}

static void next_event(void)
{
	struct fxt_arg_iter it = { 0 };

	do {
		assert_int_equal(fxt_next(r, &rec), 1);
	} while (rec.type != FXT_REC_EVENT);
	assert_true(fxt_next_arg(r, &rec, &it, &arg));
}

static void end(void)
{
	fxt_reader_free(r);
	in_close(in);
}

/* A tag comes with each reference to its string, in any role, until the index is reassigned. */
static void kept_until_index_is_reassigned(void **state)
{
	(void)state;
	magic();
	string(1, "name");
	string(2, "arg");
	event(1, 2);
	event(1, 2);
	event(2, 1);
	string(2, "other");
	event(1, 2);
	string(1, "name");
	event(1, 2);
	start();

	next_event();
	assert_int_equal(rec.event.name.tag, 0);
	assert_int_equal(arg.name.tag, 0);
	fxt_tag(r, &rec.event.name, 11);
	fxt_tag(r, &arg.name, 12);
	assert_int_equal(rec.event.name.tag, 11);
	assert_int_equal(arg.name.tag, 12);
	next_event();
	assert_int_equal(rec.event.name.tag, 11);
	assert_int_equal(arg.name.tag, 12);
	next_event();
	assert_int_equal(rec.event.name.tag, 12);
	assert_int_equal(arg.name.tag, 11);
	next_event();
	assert_int_equal(rec.event.name.tag, 11);
	assert_int_equal(arg.name.tag, 0);
	assert_memory_equal(arg.name.s, "other", 5);
	/* registered again with the same text, which clears the tag, too */
	next_event();
	assert_int_equal(rec.event.name.tag, 0);
	assert_int_equal(arg.name.tag, 0);
	fxt_tag(r, &rec.event.name, 13);
	fxt_tag(r, &rec.event.name, 0);
	assert_int_equal(rec.event.name.tag, 0);
	end();
}

/* Each provider has a table of its own, and so tags of its own. */
static void tags_are_per_provider(void **state)
{
	(void)state;
	magic();
	provider(1);
	string(1, "one");
	event(1, 1);
	provider(2);
	event(1, 1);
	string(1, "two");
	event(1, 1);
	provider(1);
	event(1, 1);
	provider(2);
	event(1, 1);
	start();

	next_event();
	fxt_tag(r, &rec.event.name, 21);
	next_event();
	assert_true(rec.event.name.undefined);
	assert_int_equal(rec.event.name.tag, 0);
	fxt_tag(r, &rec.event.name, 99);
	next_event();
	assert_int_equal(rec.event.name.tag, 0);
	fxt_tag(r, &rec.event.name, 22);
	next_event();
	assert_memory_equal(rec.event.name.s, "one", 3);
	assert_int_equal(rec.event.name.tag, 21);
	next_event();
	assert_memory_equal(rec.event.name.s, "two", 3);
	assert_int_equal(rec.event.name.tag, 22);
	end();
}

/* Tags of strings that are in no table are not kept, and do no harm. */
static void strings_without_a_table(void **state)
{
	(void)state;
	magic();
	string(8, "eight");
	event(0, 0x8008);
	event(8, 0x8008);
	start();

	next_event();
	assert_int_equal(rec.event.name.len, 0);
	fxt_tag(r, &rec.event.name, 31);
	fxt_tag(r, &arg.name, 32);
	assert_int_equal(rec.event.name.tag, 31);
	assert_int_equal(arg.name.tag, 32);
	next_event();
	assert_memory_equal(arg.name.s, "inline!!", 8);
	assert_int_equal(arg.name.tag, 0);
	assert_int_equal(rec.event.name.tag, 0);
	end();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(kept_until_index_is_reassigned),
		cmocka_unit_test(tags_are_per_provider),
		cmocka_unit_test(strings_without_a_table),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
