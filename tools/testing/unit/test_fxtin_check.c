// SPDX-License-Identifier: GPL-2.0
/*
 * --check, rule by rule: for each rule a file that breaks only this one, which is reported with
 * the right offset and exit status 1; and files that break none.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

#include "common_fxt.h"
#include "format/fxt/fxt_check_rules.h"

static const struct { const char *name, *text; } rules[] = {
#define ROW(id, name, must, text) [RULE_##id] = { name, text },
	FXT_RULES(ROW)
#undef ROW
};

/* Strings of the base file. */
enum { S_PROCESS = 1, S_CAT, S_NAME, S_ARG, S_OTHER, S_FRAME };
/* Threads of the base file; 3 is idle. */
enum { T_ONE = 1, T_TWO, T_IDLE };

static uint64_t arg_header(unsigned int type, unsigned int words, unsigned int name, uint64_t bits)
{
	return type | words << 4 | (uint64_t)name << 16 | bits << 32;
}

static uint64_t event_header(enum fxt_event_type type, unsigned int args)
{
	return FXT_REC_EVENT | (uint64_t)type << 16 | args << 20 | T_ONE << 24 |
	       (uint64_t)S_CAT << 32 | (uint64_t)S_NAME << 48;
}

/* An event on thread one, with the base file's category and name. */
static size_t event(struct raw *r, enum fxt_event_type type, uint64_t time, uint64_t value)
{
	return raw_event(r, type, time, T_ONE, S_CAT, S_NAME, value);
}

/* The same with an argument of one word. */
static size_t event_arg(struct raw *r, enum fxt_event_type type, uint64_t time, uint64_t arg)
{
	size_t at = raw_begin(r, event_header(type, 1));

	raw_word(r, time);
	raw_word(r, arg);
	if (type == FXT_EV_COUNTER)
		raw_word(r, 0);
	raw_end(r);
	return at;
}

static void thread_object(struct raw *r, uint64_t process, uint64_t thread)
{
	raw_begin(r, FXT_REC_KERNEL_OBJECT | FXT_KOBJ_THREAD << 16 | S_NAME << 24 | 1ull << 40);
	raw_word(r, thread);
	raw_word(r, arg_header(FXT_ARG_KOID, 2, S_PROCESS, 0));
	raw_word(r, process);
	raw_end(r);
}

/* What every good file begins with. */
static void base(struct raw *r)
{
	raw_magic(r);
	raw_provider(r, 1, "test");
	raw_init(r, 1000000000);
	raw_string(r, S_PROCESS, "process");
	raw_string(r, S_CAT, "cat");
	raw_string(r, S_NAME, "name");
	raw_string(r, S_ARG, "arg");
	raw_string(r, S_OTHER, "other");
	raw_string(r, S_FRAME, "a frame");
	raw_thread(r, T_ONE, 100, 101);
	raw_thread(r, T_TWO, 100, 102);
	raw_thread(r, T_IDLE, 0, 0);
	raw_begin(r, FXT_REC_KERNEL_OBJECT | FXT_KOBJ_PROCESS << 16 | S_NAME << 24);
	raw_word(r, 100);
	raw_end(r);
	thread_object(r, 100, 101);
}

/* ---- files that keep the rules ---- */

static void good_events(struct raw *r)
{
	base(r);
	event(r, FXT_EV_DURATION_BEGIN, 10, 0);
	event(r, FXT_EV_FLOW_BEGIN, 10, 5);
	event(r, FXT_EV_INSTANT, 11, 0);
	event(r, FXT_EV_DURATION_BEGIN, 12, 0);
	event(r, FXT_EV_FLOW_STEP, 12, 5);
	event(r, FXT_EV_DURATION_END, 13, 0);
	event(r, FXT_EV_DURATION_END, 14, 0);
	raw_event(r, FXT_EV_DURATION_BEGIN, 15, T_TWO, S_CAT, S_NAME, 0);
	raw_event(r, FXT_EV_FLOW_END, 15, T_TWO, S_CAT, S_NAME, 5);
	raw_event(r, FXT_EV_DURATION_END, 16, T_TWO, S_CAT, S_NAME, 0);
	/* Complete ones: an enclosing one first, then those within it, then those after it. */
	event(r, FXT_EV_DURATION_COMPLETE, 20, 30);
	event(r, FXT_EV_DURATION_COMPLETE, 20, 25);
	event(r, FXT_EV_DURATION_COMPLETE, 25, 30);
	event(r, FXT_EV_DURATION_COMPLETE, 30, 30);
	event(r, FXT_EV_DURATION_COMPLETE, 30, 31);
	event(r, FXT_EV_DURATION_COMPLETE, 32, 35);
	event(r, FXT_EV_DURATION_BEGIN, 33, 0);
	event(r, FXT_EV_DURATION_END, 35, 0);
	event(r, FXT_EV_ASYNC_BEGIN, 40, 9);
	event(r, FXT_EV_ASYNC_INSTANT, 41, 9);
	event(r, FXT_EV_ASYNC_END, 42, 9);
	event(r, FXT_EV_ASYNC_BEGIN, 43, 9);
	event(r, FXT_EV_ASYNC_END, 43, 9);
	event_arg(r, FXT_EV_COUNTER, 50, arg_header(FXT_ARG_U32, 1, S_ARG, 1));
	event_arg(r, FXT_EV_COUNTER, 51, arg_header(FXT_ARG_U32, 1, S_ARG, 2));
}

/* Viewers sort by time, so the file's order does not matter. */
static void good_disorder(struct raw *r)
{
	base(r);
	event(r, FXT_EV_DURATION_END, 30, 0);
	event(r, FXT_EV_DURATION_END, 20, 0);
	event(r, FXT_EV_DURATION_BEGIN, 10, 0);
	event(r, FXT_EV_ASYNC_END, 9, 1);
	event(r, FXT_EV_ASYNC_BEGIN, 8, 1);
	event(r, FXT_EV_DURATION_BEGIN, 5, 0);
}

static void good_others(struct raw *r)
{
	base(r);
	raw_begin(r, FXT_REC_BLOB | S_NAME << 16 | 3ull << 32 | (uint64_t)FXT_BLOB_DATA << 48);
	raw_stream(r, "abc", 3);
	raw_end(r);
	raw_begin(r, FXT_REC_USERSPACE_OBJECT | T_ONE << 16 | S_NAME << 24);
	raw_word(r, 0xffff800000000000);
	raw_end(r);
	raw_begin(r, FXT_REC_LOG | 3u << 16 | (uint64_t)T_ONE << 32);
	raw_word(r, 5);
	raw_stream(r, "log", 3);
	raw_end(r);
	raw_begin(r, FXT_REC_SCHEDULING | 3u << 24 | (uint64_t)T_ONE << 28 | (uint64_t)T_IDLE << 36);
	raw_word(r, 6);
	raw_end(r);
	/* later additions to the format: kinds of scheduling, profiles, arguments */
	raw_begin(r, FXT_REC_SCHEDULING | 1u << 16 | 300ull << 20 | 3ull << 36 | 1ull << 60);
	raw_word(r, 6);
	raw_word(r, 101);
	raw_word(r, 0);
	raw_word(r, arg_header(FXT_ARG_I32, 1, S_ARG, 5));
	raw_end(r);
	raw_begin(r, FXT_REC_SCHEDULING | 300ull << 20 | 2ull << 60);
	raw_word(r, 6);
	raw_word(r, 101);
	raw_end(r);
	raw_begin(r, FXT_REC_PROFILER | T_ONE << 20 | 7u << 28 | 5ull << 44 | 2ull << 52);
	raw_word(r, 6);
	raw_stream(r, "libx.", 5);
	raw_stream(r, "\xff\x01", 2);
	raw_end(r);
	raw_begin(r, event_header(FXT_EV_INSTANT, 2));
	raw_word(r, 6);
	raw_word(r, arg_header(FXT_ARG_BOOL, 1, S_ARG, 1));
	raw_word(r, arg_header(FXT_ARG_BLOB, 2, S_OTHER, 3));
	raw_stream(r, "\xff\0\1", 3);
	raw_end(r);
	raw_begin(r, 3u << 16 | 1u << 20);	/* provider event */
	raw_end(r);
	raw_provider(r, 2, "second");
	raw_init(r, 1000000000);
	raw_begin(r, 2u << 16 | 1u << 20);	/* section of the first */
	raw_end(r);
	event(r, FXT_EV_INSTANT, 7, 0);
}

/* An async operation that is open at the end only gets a remark. */
static void good_open_async(struct raw *r)
{
	base(r);
	event(r, FXT_EV_ASYNC_BEGIN, 10, 1);
}

static void good_empty(struct raw *r)
{
	raw_magic(r);
}

/* ---- files that break one rule ---- */

/* A record: header without its size, words, bytes. */
struct part {
	uint64_t header;
	uint64_t word[5];
	unsigned int words;
	const char *stream;
	size_t len;
	bool no_size;		/* the header has the size already, or shall have none */
};

#define COUNT(...)	(sizeof((const uint64_t[]){ __VA_ARGS__ }) / sizeof(uint64_t))
#define WORDS(...)	.word = { __VA_ARGS__ }, .words = COUNT(__VA_ARGS__)
/* A literal without its terminating NUL. */
#define STREAM(text)	.stream = (text), .len = sizeof(text) - 1

#define HEAD(type, thread, category, name, args)			\
	(FXT_REC_EVENT | (uint64_t)(type) << 16 | (args) << 20 | (uint64_t)(thread) << 24 | \
	 (uint64_t)(category) << 32 | (uint64_t)(name) << 48)
#define ARG(type, words, name, bits)					\
	((uint64_t)(type) | (words) << 4 | (uint64_t)(name) << 16 | (uint64_t)(bits) << 32)

#define ALONE(header_)		{ .header = (header_) }
#define RECORD(header_, ...)	{ .header = (header_), WORDS(__VA_ARGS__) }
#define STRING(index, text)						\
	{ .header = FXT_REC_STRING | (index) << 16 | (sizeof(text) - 1ull) << 32, STREAM(text) }
#define THREAD(index, ...)	RECORD(FXT_REC_THREAD | (index) << 16, __VA_ARGS__)
/* Events on thread one with the base file's names: without a value, and with one. */
#define EVENT(type, time)	RECORD(HEAD(FXT_EV_##type, T_ONE, S_CAT, S_NAME, 0), time)
#define VALUE(type, time, v)	RECORD(HEAD(FXT_EV_##type, T_ONE, S_CAT, S_NAME, 0), time, v)
/* With arguments. */
#define ARGS(type, n, ...)						\
	RECORD(HEAD(FXT_EV_##type, T_ONE, S_CAT, S_NAME, n), 1, __VA_ARGS__)
#define SWITCH(state, thread, bits)					\
	RECORD(FXT_REC_SCHEDULING | (uint64_t)(state) << 24 | (uint64_t)T_ONE << 28 | \
	       (uint64_t)(thread) << 36 | (bits), 1)
/* The end of a flow that begins elsewhere, on thread two: three records. */
#define REST_OF_FLOW							\
	RECORD(HEAD(FXT_EV_DURATION_BEGIN, T_TWO, S_CAT, S_NAME, 0), 100), \
	RECORD(HEAD(FXT_EV_FLOW_END, T_TWO, S_CAT, S_NAME, 0), 100, 5), \
	RECORD(HEAD(FXT_EV_DURATION_END, T_TWO, S_CAT, S_NAME, 0), 101)

#define PARTS_MAX 7

/* Long enough for strings that exceed the limit. */
static char long_text[32000];

static const struct broken {
	enum fxt_rule rule;
	unsigned int at;	/* the part that is wrong ... */
	unsigned int plus;	/* ... and the offset in it */
	struct part part[PARTS_MAX];
	bool no_base;		/* preceded only by the magic number and a provider */
	unsigned int cut;	/* bytes missing at the end */
} bad[] = {
	/* Another magic number, in the middle. */
	{ RULE_MAGIC, 0, 0, .part = { { .header = FXT_MAGIC ^ 1ull << 24, .no_size = true } } },
	{ RULE_ZERO_SIZE, 0, 0, .part = { { .no_size = true }, EVENT(INSTANT, 1) } },
	{ RULE_CUT, 0, 0, .part = { EVENT(INSTANT, 1) }, .cut = 3 },
	{ RULE_PARTS, 0, 0, .part = { THREAD(7u, 100, 103, 0) } },
	{ RULE_PARTS, 0, 0, .part = {
		RECORD(HEAD(FXT_EV_INSTANT, T_ONE, S_CAT, S_NAME, 0), 1, 0) } },
	{ RULE_PARTS, 0, 0, .part = { THREAD(7u, 100) } },
	{ RULE_PARTS, 0, 16, .part = { ARGS(INSTANT, 1u, ARG(FXT_ARG_U32, 2, S_ARG, 1), 0) } },
	{ RULE_ARGUMENTS, 0, 24, .part = { ARGS(INSTANT, 2u, ARG(FXT_ARG_U32, 1, S_ARG, 1)) } },
	{ RULE_UNDEFINED_STRING, 0, 0, .part = {
		RECORD(HEAD(FXT_EV_INSTANT, T_ONE, S_CAT, 77, 0), 1) } },
	{ RULE_UNDEFINED_THREAD, 0, 0, .part = {
		RECORD(HEAD(FXT_EV_INSTANT, 77, S_CAT, S_NAME, 0), 1) } },
	{ RULE_UNKNOWN_TYPE, 0, 0, .part = { ALONE(12) } },
	{ RULE_UNKNOWN_TYPE, 0, 16, .part = { ARGS(INSTANT, 1u, ARG(11, 1, S_ARG, 1)) } },
	{ RULE_UNKNOWN_TYPE, 0, 0, .part = { RECORD(HEAD(13, T_ONE, S_CAT, S_NAME, 0), 1) } },
	{ RULE_UNKNOWN_TYPE, 0, 0, .part = { ALONE(7u << 16) } },		/* metadata */
	{ RULE_UNKNOWN_TYPE, 0, 0, .part = { ALONE(4u << 16 | 3u << 20) } },	/* trace info */
	{ RULE_UNKNOWN_TYPE, 0, 0, .part = { ALONE(FXT_REC_BLOB | S_NAME << 16 | 9ull << 48) } },
	{ RULE_UNKNOWN_TYPE, 0, 0, .part = { RECORD(FXT_REC_SCHEDULING | 3ull << 60, 1) } },
	{ RULE_UNKNOWN_TYPE, 0, 0, .part = { ALONE(FXT_REC_PROFILER | 3u << 16) } },
	{ RULE_PARTS, 0, 0, .part = {
		RECORD(FXT_REC_PROFILER | 2u << 16 | T_ONE << 20 | 1u << 28, 1, 2, 3) } },
	{ RULE_PARTS, 0, 0, .part = { RECORD(FXT_REC_SCHEDULING | 2ull << 60, 1, 101, 0) } },
	{ RULE_RECORD_15, 0, 0, .part = { { .header = FXT_REC_LARGE | 1ull << 40,
		WORDS(S_CAT | S_NAME << 16, 5), STREAM("abcde") } } },
	{ RULE_BLOB_3, 0, 0, .part = { ALONE(FXT_REC_BLOB | S_NAME << 16 | 3ull << 48) } },
	{ RULE_RESERVED, 0, 16, .part = { ARGS(INSTANT, 1u, ARG(FXT_ARG_NULL, 1, S_ARG, 1)) } },
	{ RULE_RESERVED, 0, 16, .part = {
		ARGS(INSTANT, 1u, ARG(FXT_ARG_STRING, 1, S_ARG, 1u << 16 | S_NAME)) } },
	{ RULE_PADDING, 0, 14, .part = { { .header = FXT_REC_STRING | 9u << 16 | 3ull << 32,
		STREAM("abc\0\0\0\1\0") } } },
	{ RULE_INDEX_0, 0, 0, .part = { STRING(0u, "abc") } },
	{ RULE_INDEX_0, 0, 0, .part = { THREAD(0u, 1, 2) } },
	{ RULE_UTF8, 0, 0, .part = { STRING(9u, "a\x80") } },
	{ RULE_UTF8, 0, 0, .part = { { .header = FXT_REC_LOG | 1u << 16 | (uint64_t)T_ONE << 32,
		WORDS(1), STREAM("\xff") } } },
	{ RULE_NUL, 0, 0, .part = { STRING(9u, "a\0b") } },
	{ RULE_STRING_LENGTH, 0, 0, .part = {
		{ .header = FXT_REC_STRING | 9u << 16 | 32000ull << 32,
		.stream = long_text, .len = 32000 } } },
	{ RULE_ARGUMENT_NAMES, 0, 32, .part = { ARGS(INSTANT, 3u, ARG(FXT_ARG_U32, 1, S_ARG, 1),
		ARG(FXT_ARG_U32, 1, S_OTHER, 1), ARG(FXT_ARG_I32, 1, S_ARG, 2)) } },
	{ RULE_INIT, 0, 0, .part = { RECORD(FXT_REC_INIT, 1000) } },
	{ RULE_INIT, 4, 0, .part = {
		STRING(S_PROCESS, "process"), STRING(S_CAT, "cat"), STRING(S_NAME, "name"),
		THREAD(T_ONE, 100, 101), EVENT(INSTANT, 1) }, .no_base = true },
	{ RULE_PROVIDER_AGAIN, 0, 0, .part = { { .header = 1u << 16 | 1u << 20 | 4ull << 52,
		STREAM("test") } } },
	{ RULE_PROVIDER_UNKNOWN, 0, 0, .part = { ALONE(2u << 16 | 9u << 20) } },
	{ RULE_INLINE, 0, 0, .part = { { .header = HEAD(0, T_ONE, S_CAT, 0x8003, 0),
		WORDS(1), STREAM("abc") } } },
	{ RULE_INLINE, 0, 0, .part = { RECORD(HEAD(0, 0, S_CAT, S_NAME, 0), 1, 100, 101) } },
	{ RULE_PROCESS_FIRST, 0, 0, .part = { STRING(1u, "another") }, .no_base = true },
	{ RULE_KOID_32, 0, 0, .part = { THREAD(9u, 100, 1ull << 32) } },
	{ RULE_KOID_0, 0, 0, .part = {
		RECORD(FXT_REC_KERNEL_OBJECT | FXT_KOBJ_PROCESS << 16 | S_NAME << 24, 0) } },
	{ RULE_KOID_0, 0, 0, .part = { SWITCH(FXT_THREAD_BLOCKED, T_IDLE, 1ull << 52) } },
	/* The process argument comes second. */
	{ RULE_THREAD_NAME, 0, 0, .part = {
		RECORD(FXT_REC_KERNEL_OBJECT | FXT_KOBJ_THREAD << 16 | S_NAME << 24 | 2ull << 40,
		       102, ARG(FXT_ARG_U32, 1, S_ARG, 1), ARG(FXT_ARG_KOID, 2, S_PROCESS, 0),
		       100) } },
	{ RULE_SWITCH_THREAD, 0, 0, .part = { SWITCH(FXT_THREAD_BLOCKED, T_TWO, 0) } },
	{ RULE_SWITCH_STATE, 0, 0, .part = { SWITCH(FXT_THREAD_RUNNING, T_IDLE, 0) } },
	{ RULE_TIME_63, 0, 0, .part = { EVENT(INSTANT, 1ull << 63) } },
	{ RULE_UNSIGNED_63, 0, 16, .part = {
		ARGS(INSTANT, 1u, ARG(FXT_ARG_U64, 2, S_ARG, 0), 1ull << 63) } },
	{ RULE_INSTANT_FRAME, 0, 0, .part = {
		RECORD(HEAD(FXT_EV_INSTANT, T_ONE, S_CAT, S_FRAME, 0), 1) } },
	{ RULE_COUNTER_VALUES, 0, 16, .part = {
		ARGS(COUNTER, 1u, ARG(FXT_ARG_STRING, 1, S_ARG, S_NAME), 0) } },
	/* Another counter, named "other". */
	{ RULE_COUNTER_NAMES, 1, 16, .part = {
		ARGS(COUNTER, 1u, ARG(FXT_ARG_U32, 1, S_ARG, 1), 0),
		RECORD(HEAD(FXT_EV_COUNTER, T_ONE, S_CAT, S_OTHER, 1u),
		       2, ARG(FXT_ARG_U32, 1, S_ARG, 1), 0) } },
	{ RULE_BEGIN_UNFINISHED, 0, 0, .part = { EVENT(DURATION_BEGIN, 1) } },
	{ RULE_END_STRAY, 0, 0, .part = { EVENT(DURATION_END, 1) } },
	/* By time, the second end comes before the begin. */
	{ RULE_END_STRAY, 2, 0, .part = {
		EVENT(DURATION_BEGIN, 10), EVENT(DURATION_END, 11), EVENT(DURATION_END, 5) } },
	{ RULE_COMPLETE_BACKWARDS, 0, 0, .part = { VALUE(DURATION_COMPLETE, 10, 9) } },
	{ RULE_COMPLETE_ORDER, 1, 0, .part = {
		VALUE(DURATION_COMPLETE, 10, 15), VALUE(DURATION_COMPLETE, 10, 20) } },
	{ RULE_COMPLETE_OVERLAP, 1, 0, .part = {
		VALUE(DURATION_COMPLETE, 10, 15), VALUE(DURATION_COMPLETE, 12, 20) } },
	{ RULE_COMPLETE_OVERLAP, 1, 0, .part = {
		VALUE(DURATION_COMPLETE, 10, 15), EVENT(DURATION_BEGIN, 12),
		EVENT(DURATION_END, 20) } },
	{ RULE_COMPLETE_OVERLAP, 1, 0, .part = {
		EVENT(DURATION_BEGIN, 10), VALUE(DURATION_COMPLETE, 12, 30),
		EVENT(DURATION_END, 20) } },
	{ RULE_ASYNC_AGAIN, 1, 0, .part = {
		VALUE(ASYNC_BEGIN, 1, 5), VALUE(ASYNC_BEGIN, 2, 5), VALUE(ASYNC_END, 3, 5) } },
	{ RULE_ASYNC_STRAY, 0, 0, .part = { VALUE(ASYNC_END, 3, 5) } },
	{ RULE_ASYNC_STRAY, 2, 0, .part = {
		VALUE(ASYNC_BEGIN, 1, 5), VALUE(ASYNC_END, 2, 5), VALUE(ASYNC_INSTANT, 3, 5) } },
	{ RULE_ASYNC_NAMES, 1, 0, .part = { VALUE(ASYNC_BEGIN, 1, 5),
		RECORD(HEAD(FXT_EV_ASYNC_END, T_ONE, S_CAT, S_OTHER, 0), 2, 5) } },
	{ RULE_ASYNC_NAMES, 1, 0, .part = { VALUE(ASYNC_BEGIN, 1, 5),
		RECORD(HEAD(FXT_EV_ASYNC_END, T_ONE, S_OTHER, S_NAME, 0), 2, 5) } },
	{ RULE_FLOW_SLICE, 0, 0, .part = { VALUE(FLOW_BEGIN, 1, 5), REST_OF_FLOW } },
	/* Before the duration's begin in the file, with the same time. */
	{ RULE_FLOW_SLICE, 0, 0, .part = {
		VALUE(FLOW_BEGIN, 1, 5), EVENT(DURATION_BEGIN, 1), EVENT(DURATION_END, 2),
		REST_OF_FLOW } },
	{ RULE_FLOW_STOLEN, 2, 0, .part = {
		EVENT(DURATION_BEGIN, 1), EVENT(INSTANT, 2), VALUE(FLOW_BEGIN, 3, 5),
		EVENT(DURATION_END, 4), REST_OF_FLOW } },
	{ RULE_FLOW_STOLEN, 2, 0, .part = {
		EVENT(DURATION_BEGIN, 1), VALUE(DURATION_COMPLETE, 2, 3), VALUE(FLOW_BEGIN, 5, 5),
		EVENT(DURATION_END, 6), REST_OF_FLOW } },
	{ RULE_FLOW_AGAIN, 5, 0, .part = {
		EVENT(DURATION_BEGIN, 1), VALUE(FLOW_BEGIN, 1, 5), REST_OF_FLOW,
		VALUE(FLOW_BEGIN, 200, 5), EVENT(DURATION_END, 201) } },
	{ RULE_FLOW_AGAIN, 5, 0, .part = {
		EVENT(DURATION_BEGIN, 1), VALUE(FLOW_BEGIN, 1, 5), REST_OF_FLOW,
		VALUE(FLOW_END, 200, 5), EVENT(DURATION_END, 201) } },
	{ RULE_FLOW_STRAY, 1, 0, .part = { REST_OF_FLOW } },
	{ RULE_FLOW_UNFINISHED, 1, 0, .part = {
		EVENT(DURATION_BEGIN, 1), VALUE(FLOW_BEGIN, 1, 5), EVENT(DURATION_END, 2) } },
};

#define BAD (sizeof(bad) / sizeof(bad[0]))

static size_t add_part(struct raw *r, const struct part *p)
{
	size_t at = raw_begin(r, p->header);

	for (unsigned int i = 0; i < p->words; i++)
		raw_word(r, p->word[i]);
	if (p->len)
		raw_stream(r, p->stream, p->len);
	if (!p->no_size)
		raw_end(r);
	return at;
}

/* Return: the offset of the fault. */
static size_t make_bad(struct raw *r, const struct broken *b)
{
	static const struct part none;
	size_t at = 0, part;

	memset(long_text, 'x', sizeof(long_text));
	if (b->no_base) {
		raw_magic(r);
		raw_provider(r, 1, "test");
	} else {
		base(r);
	}
	for (unsigned int i = 0; i < PARTS_MAX && memcmp(&b->part[i], &none, sizeof(none)); i++) {
		part = add_part(r, &b->part[i]);
		if (i == b->at)
			at = part + b->plus;
	}
	r->b.n -= b->cut;
	return at;
}

/* The reserved bits of each record, one after the other. */
static const struct {
	unsigned int bit;
	uint64_t header;
	unsigned int words;	/* after the header */
} reserved[] = {
	{ 63, 1u << 16 | 5u << 20, 0 },				/* provider info */
	{ 52, 2u << 16 | 1u << 20, 0 },				/* provider section */
	{ 60, 3u << 16 | 1u << 20, 0 },				/* provider event */
	{ 16, FXT_REC_INIT, 1 },
	{ 31, FXT_REC_STRING | 9u << 16, 0 },
	{ 47, FXT_REC_STRING | 9u << 16, 0 },
	{ 48, FXT_REC_STRING | 9u << 16, 0 },
	{ 24, FXT_REC_THREAD | 9u << 16, 2 },
	{ 47, FXT_REC_BLOB | S_NAME << 16 | 1ull << 48, 0 },
	{ 56, FXT_REC_BLOB | S_NAME << 16 | 1ull << 48, 0 },
	{ 44, FXT_REC_USERSPACE_OBJECT | T_ONE << 16 | S_NAME << 24, 1 },
	{ 63, FXT_REC_KERNEL_OBJECT | 9u << 16 | S_NAME << 24, 1 },
	{ 40, FXT_REC_SCHEDULING | 3ull << 36 | 1ull << 60, 3 },	/* context switch */
	{ 59, FXT_REC_SCHEDULING | 3ull << 36 | 1ull << 60, 3 },
	{ 36, FXT_REC_SCHEDULING | 2ull << 60, 2 },		/* wakeup */
	{ 60, FXT_REC_PROFILER | T_ONE << 20, 1 },		/* module */
	{ 47, FXT_REC_PROFILER | 1u << 16 | T_ONE << 20, 4 },	/* mmap */
	{ 36, FXT_REC_PROFILER | 2u << 16 | T_ONE << 20, 1 },	/* backtrace */
	{ 31, FXT_REC_LOG | (uint64_t)T_ONE << 32, 1 },
	{ 40, FXT_REC_LOG | (uint64_t)T_ONE << 32, 1 },
};

static size_t reserved_in(struct raw *r, size_t which)
{
	size_t at;

	base(r);
	at = raw_begin(r, reserved[which].header | 1ull << reserved[which].bit);
	for (unsigned int i = 0; i < reserved[which].words; i++)
		raw_word(r, reserved[which].header == FXT_REC_INIT ? 1000000000 :
			 reserved[which].header >> 60 ? 101 : 100);
	raw_end(r);
	return at;
}

/* Exactly one finding: this rule at this offset. */
static void assert_breaks(const struct raw *r, const char *rule, size_t offset)
{
	struct conversion c = convert("fxt", "check", r->b.data, r->b.n, NULL);
	char want[96];

	snprintf(want, sizeof(want), "input: offset %zu: %s: ", offset, rule);
	if (c.status != 1 || !has_line(&c.out, want) || !has_line(&c.out, "input: rules broken: 1") ||
	    count_lines(&c.out, "input: offset") != 1)
		fail_msg("expected %s, got status %d and\n%s%s", want, c.status, c.out.data,
			 c.messages.data);
	conversion_free(&c);
}

static void test_each_broken_rule(void **state)
{
	(void)state;
	for (unsigned int swapped = 0; swapped < 2; swapped++) {
		for (size_t i = 0; i < BAD; i++) {
			struct raw r = { .swapped = swapped };
			size_t at = make_bad(&r, &bad[i]);

			assert_breaks(&r, rules[bad[i].rule].name, at);
			raw_free(&r);
		}
	}
}

/* One level more than allowed. */
static void test_nesting(void **state)
{
	(void)state;
	for (unsigned int swapped = 0; swapped < 2; swapped++) {
		struct raw r = { .swapped = swapped };
		size_t at = 0;

		base(&r);
		for (unsigned int i = 0; i < 513; i++)
			at = event(&r, FXT_EV_DURATION_BEGIN, i, 0);
		for (unsigned int i = 0; i < 513; i++)
			event(&r, FXT_EV_DURATION_END, 1000 + i, 0);
		assert_breaks(&r, rules[RULE_NESTING].name, at);
		raw_free(&r);
	}
}

static void test_reserved_bits(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(reserved) / sizeof(reserved[0]); i++) {
		struct raw r = { 0 };
		size_t at = reserved_in(&r, i);

		assert_breaks(&r, "reserved", at);
		raw_free(&r);
	}
}

/* CPU time of checking @n durations that have ended, followed by @n flows. */
static clock_t time_of(unsigned int n)
{
	struct raw r = { 0 };
	struct conversion c;
	clock_t begin;

	base(&r);
	for (unsigned int i = 0; i < n; i++)
		event(&r, FXT_EV_DURATION_COMPLETE, i, n);
	for (unsigned int i = 0; i < n; i++)
		event(&r, FXT_EV_FLOW_BEGIN, n + 1, i);
	begin = clock();
	c = convert("fxt", "check", r.b.data, r.b.n, NULL);
	begin = clock() - begin;
	assert_true(has_line(&c.out, "flow-slice"));
	conversion_free(&c);
	raw_free(&r);
	return begin;
}

/* The time grows linearly: 4 times as many take about 4 times as long, not 16 times. */
static void test_flow_check_is_linear(void **state)
{
	clock_t few = time_of(20000), many = time_of(80000);

	(void)state;
	if (many > 9 * few)
		fail_msg("%ld and %ld clock ticks", (long)few, (long)many);
}

/*
 * Each rule has a file above that breaks it, except the one that is only a remark; nesting has a
 * test of its own.
 */
static void test_every_rule_can_be_broken(void **state)
{
	bool seen[RULE_COUNT] = {
		[RULE_ASYNC_UNFINISHED] = true, [RULE_NESTING] = true,
	};

	(void)state;
	for (size_t i = 0; i < BAD; i++)
		seen[bad[i].rule] = true;
	for (unsigned int i = 0; i < RULE_COUNT; i++)
		if (!seen[i])
			fail_msg("no test file breaks the rule %s", rules[i].name);
}

/* Each rule is in the documentation, with the same words. */
static void test_documented(void **state)
{
	struct bytes text = fixture("../../../../Documentation/fxt-input.md");
	(void)state;
	for (size_t i = 0; i < RULE_COUNT; i++) {
		char row[256];

		snprintf(row, sizeof(row), "| `%s` | %s |", rules[i].name, rules[i].text);
		if (!has_line(&text, row))
			fail_msg("not in Documentation/fxt-input.md: %s", row);
	}
	bytes_free(&text);
}

static void test_valid_files(void **state)
{
	static void (*const good[])(struct raw *r) = {
		good_empty, base, good_events, good_disorder, good_others, good_open_async,
	};

	(void)state;
	for (unsigned int swapped = 0; swapped < 2; swapped++) {
		for (size_t i = 0; i < sizeof(good) / sizeof(good[0]); i++) {
			struct raw r = { .swapped = swapped };
			struct conversion c;

			good[i](&r);
			c = convert("fxt", "check", r.b.data, r.b.n, NULL);
			if (c.status || !has_line(&c.out, "input: follows the rules"))
				fail_msg("file %zu: %s%s", i, c.out.data, c.messages.data);
			conversion_free(&c);
			raw_free(&r);
		}
	}
}

static void test_remarks(void **state)
{
	struct raw r = { 0 };
	struct conversion c;

	(void)state;
	good_open_async(&r);
	c = convert("fxt", "check", r.b.data, r.b.n, NULL);
	assert_int_equal(c.status, 0);
	assert_true(has_line(&c.out, "remark: async-unfinished"));
	conversion_free(&c);
	raw_free(&r);
}

/* Many findings of one rule: the first ten are printed, the others counted. */
static void test_many_findings(void **state)
{
	struct raw r = { 0 };
	struct conversion c;

	(void)state;
	base(&r);
	for (unsigned int i = 0; i < 1000; i++)
		event(&r, FXT_EV_DURATION_END, i, 0);
	event(&r, FXT_EV_INSTANT, 1ull << 63, 0);
	c = convert("fxt", "check", r.b.data, r.b.n, NULL);
	assert_int_equal(c.status, 1);
	assert_int_equal(count_lines(&c.out, "end-stray: "), 10);
	assert_true(has_line(&c.out, "input: 990 more of: end-stray"));
	assert_int_equal(count_lines(&c.out, "time-63: "), 1);
	assert_true(has_line(&c.out, "rules broken: 1001"));
	assert_true(has_line(&c.messages, "1001 broken rules of FXT"));
	conversion_free(&c);
	raw_free(&r);
}

/* A file that is not FXT breaks the first rule, and nothing else is reported. */
static void test_not_fxt(void **state)
{
	struct conversion c = convert("fxt", "check", "not a trace, really", 19, NULL);

	(void)state;
	assert_true(has_line(&c.out, "offset 0: magic: "));
	assert_int_equal(c.status, 2);
	conversion_free(&c);
}

/* More events than are sorted at a time: memory stays bounded, and the order right. */
static void test_memory_is_bounded(void **state)
{
	struct raw r = { 0 };
	struct conversion c;

	(void)state;
	base(&r);
	for (uint64_t i = 0; i < FXT_CHECK_WINDOW + 1000; i++)
		event(&r, i % 2 ? FXT_EV_DURATION_END : FXT_EV_DURATION_BEGIN, i, 0);
	assert_fxt_clean(r.b.data, r.b.n);
	/* Too far out of order to be checked, which is reported. */
	event(&r, FXT_EV_INSTANT, 1, 0);
	c = convert("fxt", "check", r.b.data, r.b.n, NULL);
	assert_int_equal(c.status, 0);
	assert_true(has_line(&c.messages, "1 event too far out of order for --check to judge"));
	conversion_free(&c);
	raw_free(&r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_each_broken_rule),
		cmocka_unit_test(test_nesting),
		cmocka_unit_test(test_reserved_bits),
		cmocka_unit_test(test_flow_check_is_linear),
		cmocka_unit_test(test_every_rule_can_be_broken),
		cmocka_unit_test(test_documented),
		cmocka_unit_test(test_valid_files),
		cmocka_unit_test(test_remarks),
		cmocka_unit_test(test_many_findings),
		cmocka_unit_test(test_not_fxt),
		cmocka_unit_test(test_memory_is_bounded),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
