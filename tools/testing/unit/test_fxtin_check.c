// SPDX-License-Identifier: GPL-2.0
/*
 * --check, rule by rule: for each rule a file that breaks just this one, which
 * is told with the right offset and exit status 1; and files that keep all.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

#include "common_fxt.h"
#include "fxt/fxt_check_rules.h"

/* Strings of the base: */
enum { S_PROCESS = 1, S_CAT, S_NAME, S_ARG, S_OTHER, S_FRAME };
/* Threads of the base; 3 is idle. */
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

/* An event of the base's names on thread one. */
static size_t event(struct raw *r, enum fxt_event_type type, uint64_t time, uint64_t value)
{
	return raw_event(r, type, time, T_ONE, S_CAT, S_NAME, value);
}

/* With one argument of one word. */
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
	/* Complete ones: the enclosing first, then within it, then behind it. */
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

/* Viewers sort by time: an order of the file that is none of time is fine. */
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
	/* what came later: kinds of scheduling, profiles, arguments */
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

/* An async operation that is open at the end is remarked on, no more. */
static void good_open_async(struct raw *r)
{
	base(r);
	event(r, FXT_EV_ASYNC_BEGIN, 10, 1);
}

static void good_empty(struct raw *r)
{
	raw_magic(r);
}

/* ---- one for each rule; each returns the offset of what is wrong ---- */

static size_t bad_magic(struct raw *r)
{
	base(r);
	/* Another magic number, in the middle. */
	raw_word(r, FXT_MAGIC ^ 1ull << 24);
	return r->b.n - 8;
}

static size_t bad_zero_size(struct raw *r)
{
	base(r);
	raw_word(r, 0);
	event(r, FXT_EV_INSTANT, 1, 0);
	return r->b.n - 24;
}

static size_t bad_cut(struct raw *r)
{
	size_t at;

	base(r);
	at = event(r, FXT_EV_INSTANT, 1, 0);
	r->b.n -= 3;
	return at;
}

static size_t bad_parts(struct raw *r)
{
	size_t at;

	base(r);
	at = raw_begin(r, FXT_REC_THREAD | 7u << 16);
	raw_word(r, 100);
	raw_word(r, 103);
	raw_word(r, 0);
	raw_end(r);
	return at;
}

static size_t bad_parts_event(struct raw *r)
{
	size_t at;

	base(r);
	at = raw_begin(r, event_header(FXT_EV_INSTANT, 0));
	raw_word(r, 1);
	raw_word(r, 0);
	raw_end(r);
	return at;
}

static size_t bad_parts_short(struct raw *r)
{
	size_t at;

	base(r);
	at = raw_begin(r, FXT_REC_THREAD | 7u << 16);
	raw_word(r, 100);
	raw_end(r);
	return at;
}

static size_t bad_parts_argument(struct raw *r)
{
	base(r);
	raw_begin(r, event_header(FXT_EV_INSTANT, 1));
	raw_word(r, 1);
	raw_word(r, arg_header(FXT_ARG_U32, 2, S_ARG, 1));
	raw_word(r, 0);
	raw_end(r);
	return r->b.n - 16;
}

static size_t bad_arguments(struct raw *r)
{
	base(r);
	raw_begin(r, event_header(FXT_EV_INSTANT, 2));
	raw_word(r, 1);
	raw_word(r, arg_header(FXT_ARG_U32, 1, S_ARG, 1));
	raw_end(r);
	return r->b.n;
}

static size_t bad_undefined_string(struct raw *r)
{
	base(r);
	return raw_event(r, FXT_EV_INSTANT, 1, T_ONE, S_CAT, 77, 0);
}

static size_t bad_undefined_thread(struct raw *r)
{
	base(r);
	return raw_event(r, FXT_EV_INSTANT, 1, 77, S_CAT, S_NAME, 0);
}

static size_t bad_unknown_record(struct raw *r)
{
	size_t at;

	base(r);
	at = raw_begin(r, 12);
	raw_end(r);
	return at;
}

static size_t bad_unknown_argument(struct raw *r)
{
	base(r);
	return event_arg(r, FXT_EV_INSTANT, 1, arg_header(11, 1, S_ARG, 1)) + 16;
}

static size_t bad_unknown_event(struct raw *r)
{
	size_t at;

	base(r);
	at = raw_begin(r, event_header((enum fxt_event_type)13, 0));
	raw_word(r, 1);
	raw_end(r);
	return at;
}

static size_t bad_unknown_metadata(struct raw *r)
{
	size_t at;

	base(r);
	at = raw_begin(r, 7u << 16);
	raw_end(r);
	return at;
}

static size_t bad_unknown_trace_info(struct raw *r)
{
	size_t at;

	base(r);
	at = raw_begin(r, 4u << 16 | 3u << 20);
	raw_end(r);
	return at;
}

static size_t bad_unknown_blob(struct raw *r)
{
	size_t at;

	base(r);
	at = raw_begin(r, FXT_REC_BLOB | S_NAME << 16 | 9ull << 48);
	raw_end(r);
	return at;
}

static size_t bad_record_15(struct raw *r)
{
	size_t at;

	base(r);
	at = raw_begin(r, FXT_REC_LARGE | 1ull << 40);
	raw_word(r, S_CAT | S_NAME << 16);
	raw_word(r, 5);
	raw_stream(r, "abcde", 5);
	raw_end(r);
	return at;
}

static size_t bad_unknown_kind(struct raw *r)
{
	size_t at;

	base(r);
	at = raw_begin(r, FXT_REC_SCHEDULING | 3ull << 60);
	raw_word(r, 1);
	raw_end(r);
	return at;
}

static size_t bad_unknown_profiler(struct raw *r)
{
	size_t at;

	base(r);
	at = raw_begin(r, FXT_REC_PROFILER | 3u << 16);
	raw_end(r);
	return at;
}

static size_t bad_parts_profiler(struct raw *r)
{
	size_t at;

	base(r);
	at = raw_begin(r, FXT_REC_PROFILER | 2u << 16 | T_ONE << 20 | 1u << 28);
	raw_word(r, 1);
	raw_word(r, 2);
	raw_word(r, 3);
	raw_end(r);
	return at;
}

static size_t bad_parts_scheduling(struct raw *r)
{
	size_t at;

	base(r);
	at = raw_begin(r, FXT_REC_SCHEDULING | 2ull << 60);
	raw_word(r, 1);
	raw_word(r, 101);
	raw_word(r, 0);
	raw_end(r);
	return at;
}

static size_t bad_blob_3(struct raw *r)
{
	size_t at;

	base(r);
	at = raw_begin(r, FXT_REC_BLOB | S_NAME << 16 | 3ull << 48);
	raw_end(r);
	return at;
}

/* The reserved bits of each record, one after the other. */
static const struct {
	unsigned int bit;
	uint64_t header;
	unsigned int words;	/* behind the header */
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

static size_t bad_reserved_argument(struct raw *r)
{
	base(r);
	return event_arg(r, FXT_EV_INSTANT, 1, arg_header(FXT_ARG_NULL, 1, S_ARG, 1)) + 16;
}

static size_t bad_reserved_string_argument(struct raw *r)
{
	base(r);
	return event_arg(r, FXT_EV_INSTANT, 1, arg_header(FXT_ARG_STRING, 1, S_ARG, 1u << 16 | S_NAME)) + 16;
}

static size_t bad_padding(struct raw *r)
{
	size_t at;

	base(r);
	at = raw_string(r, 9, "abc");
	r->b.data[at + 8 + 6] = 1;
	return at + 8 + 6;
}

static size_t bad_index_0_string(struct raw *r)
{
	base(r);
	return raw_string(r, 0, "abc");
}

static size_t bad_index_0_thread(struct raw *r)
{
	base(r);
	return raw_thread(r, 0, 1, 2);
}

static size_t bad_utf8(struct raw *r)
{
	base(r);
	return raw_string(r, 9, "a\x80");
}

static size_t bad_utf8_log(struct raw *r)
{
	size_t at;

	base(r);
	at = raw_begin(r, FXT_REC_LOG | 1u << 16 | (uint64_t)T_ONE << 32);
	raw_word(r, 1);
	raw_stream(r, "\xff", 1);
	raw_end(r);
	return at;
}

static size_t bad_nul(struct raw *r)
{
	size_t at;

	base(r);
	at = raw_begin(r, FXT_REC_STRING | 9u << 16 | 3ull << 32);
	raw_stream(r, "a\0b", 3);
	raw_end(r);
	return at;
}

static size_t bad_string_length(struct raw *r)
{
	static char text[32001];

	base(r);
	memset(text, 'x', 32000);
	return raw_string(r, 9, text);
}

static size_t bad_argument_names(struct raw *r)
{
	base(r);
	raw_begin(r, event_header(FXT_EV_INSTANT, 3));
	raw_word(r, 1);
	raw_word(r, arg_header(FXT_ARG_U32, 1, S_ARG, 1));
	raw_word(r, arg_header(FXT_ARG_U32, 1, S_OTHER, 1));
	raw_word(r, arg_header(FXT_ARG_I32, 1, S_ARG, 2));
	raw_end(r);
	return r->b.n - 8;
}

static size_t bad_init_ticks(struct raw *r)
{
	base(r);
	return raw_init(r, 1000);
}

static size_t bad_init_none(struct raw *r)
{
	raw_magic(r);
	raw_provider(r, 1, "test");
	raw_string(r, S_PROCESS, "process");
	raw_string(r, S_CAT, "cat");
	raw_string(r, S_NAME, "name");
	raw_thread(r, T_ONE, 100, 101);
	return event(r, FXT_EV_INSTANT, 1, 0);
}

static size_t bad_provider_again(struct raw *r)
{
	base(r);
	return raw_provider(r, 1, "test");
}

static size_t bad_provider_unknown(struct raw *r)
{
	size_t at;

	base(r);
	at = raw_begin(r, 2u << 16 | 9u << 20);
	raw_end(r);
	return at;
}

static size_t bad_inline_string(struct raw *r)
{
	size_t at;

	base(r);
	at = raw_begin(r, FXT_REC_EVENT | T_ONE << 24 | (uint64_t)S_CAT << 32 | 0x8003ull << 48);
	raw_word(r, 1);
	raw_stream(r, "abc", 3);
	raw_end(r);
	return at;
}

static size_t bad_inline_thread(struct raw *r)
{
	size_t at;

	base(r);
	at = raw_begin(r, FXT_REC_EVENT | (uint64_t)S_CAT << 32 | (uint64_t)S_NAME << 48);
	raw_word(r, 1);
	raw_word(r, 100);
	raw_word(r, 101);
	raw_end(r);
	return at;
}

static size_t bad_process_first(struct raw *r)
{
	raw_magic(r);
	raw_provider(r, 1, "test");
	return raw_string(r, 1, "another");
}

static size_t bad_koid_32(struct raw *r)
{
	base(r);
	return raw_thread(r, 9, 100, 1ull << 32);
}

static size_t bad_koid_0(struct raw *r)
{
	size_t at;

	base(r);
	at = raw_begin(r, FXT_REC_KERNEL_OBJECT | FXT_KOBJ_PROCESS << 16 | S_NAME << 24);
	raw_word(r, 0);
	raw_end(r);
	return at;
}

static size_t bad_thread_name(struct raw *r)
{
	size_t at;

	base(r);
	/* The process comes second. */
	at = raw_begin(r, FXT_REC_KERNEL_OBJECT | FXT_KOBJ_THREAD << 16 | S_NAME << 24 | 2ull << 40);
	raw_word(r, 102);
	raw_word(r, arg_header(FXT_ARG_U32, 1, S_ARG, 1));
	raw_word(r, arg_header(FXT_ARG_KOID, 2, S_PROCESS, 0));
	raw_word(r, 100);
	raw_end(r);
	return at;
}

static size_t switch_to(struct raw *r, unsigned int state, unsigned int thread)
{
	size_t at = raw_begin(r, FXT_REC_SCHEDULING | state << 24 | (uint64_t)T_ONE << 28 |
			      (uint64_t)thread << 36);

	raw_word(r, 1);
	raw_end(r);
	return at;
}

static size_t bad_idle_priority(struct raw *r)
{
	size_t at;

	base(r);
	at = switch_to(r, FXT_THREAD_BLOCKED, T_IDLE);
	raw_patch(r, at, raw_get(r, at) | 1ull << 52);
	return at;
}

static size_t bad_switch_thread(struct raw *r)
{
	base(r);
	return switch_to(r, FXT_THREAD_BLOCKED, T_TWO);
}

static size_t bad_switch_state(struct raw *r)
{
	base(r);
	return switch_to(r, FXT_THREAD_RUNNING, T_IDLE);
}

static size_t bad_time_63(struct raw *r)
{
	base(r);
	return event(r, FXT_EV_INSTANT, 1ull << 63, 0);
}

static size_t bad_unsigned_63(struct raw *r)
{
	base(r);
	raw_begin(r, event_header(FXT_EV_INSTANT, 1));
	raw_word(r, 1);
	raw_word(r, arg_header(FXT_ARG_U64, 2, S_ARG, 0));
	raw_word(r, 1ull << 63);
	raw_end(r);
	return r->b.n - 16;
}

static size_t bad_instant_frame(struct raw *r)
{
	base(r);
	return raw_event(r, FXT_EV_INSTANT, 1, T_ONE, S_CAT, S_FRAME, 0);
}

static size_t bad_counter_values(struct raw *r)
{
	base(r);
	return event_arg(r, FXT_EV_COUNTER, 1, arg_header(FXT_ARG_STRING, 1, S_ARG, S_NAME)) + 16;
}

static size_t bad_counter_names(struct raw *r)
{
	size_t at;

	base(r);
	event_arg(r, FXT_EV_COUNTER, 1, arg_header(FXT_ARG_U32, 1, S_ARG, 1));
	/* Another counter, of the name "other". */
	at = raw_begin(r, FXT_REC_EVENT | FXT_EV_COUNTER << 16 | 1u << 20 | T_ONE << 24 |
		       (uint64_t)S_CAT << 32 | (uint64_t)S_OTHER << 48);
	raw_word(r, 2);
	raw_word(r, arg_header(FXT_ARG_U32, 1, S_ARG, 1));
	raw_word(r, 0);
	raw_end(r);
	return at + 16;
}

static size_t bad_begin_unfinished(struct raw *r)
{
	base(r);
	return event(r, FXT_EV_DURATION_BEGIN, 1, 0);
}

static size_t bad_end_stray(struct raw *r)
{
	base(r);
	return event(r, FXT_EV_DURATION_END, 1, 0);
}

static size_t bad_end_before_begin(struct raw *r)
{
	size_t at;

	base(r);
	/* In order of time the second end comes before the begin. */
	event(r, FXT_EV_DURATION_BEGIN, 10, 0);
	event(r, FXT_EV_DURATION_END, 11, 0);
	at = event(r, FXT_EV_DURATION_END, 5, 0);
	return at;
}

static size_t bad_complete_backwards(struct raw *r)
{
	base(r);
	return event(r, FXT_EV_DURATION_COMPLETE, 10, 9);
}

static size_t bad_complete_order(struct raw *r)
{
	base(r);
	event(r, FXT_EV_DURATION_COMPLETE, 10, 15);
	return event(r, FXT_EV_DURATION_COMPLETE, 10, 20);
}

static size_t bad_complete_overlap(struct raw *r)
{
	base(r);
	event(r, FXT_EV_DURATION_COMPLETE, 10, 15);
	return event(r, FXT_EV_DURATION_COMPLETE, 12, 20);
}

static size_t bad_overlap_begin(struct raw *r)
{
	size_t at;

	base(r);
	event(r, FXT_EV_DURATION_COMPLETE, 10, 15);
	at = event(r, FXT_EV_DURATION_BEGIN, 12, 0);
	event(r, FXT_EV_DURATION_END, 20, 0);
	return at;
}

static size_t bad_overlap_end(struct raw *r)
{
	size_t at;

	base(r);
	event(r, FXT_EV_DURATION_BEGIN, 10, 0);
	at = event(r, FXT_EV_DURATION_COMPLETE, 12, 30);
	event(r, FXT_EV_DURATION_END, 20, 0);
	return at;
}

static size_t bad_nesting(struct raw *r)
{
	size_t at = 0;

	base(r);
	for (unsigned int i = 0; i < 513; i++)
		at = event(r, FXT_EV_DURATION_BEGIN, i, 0);
	for (unsigned int i = 0; i < 513; i++)
		event(r, FXT_EV_DURATION_END, 1000 + i, 0);
	return at;
}

static size_t bad_async_again(struct raw *r)
{
	size_t at;

	base(r);
	event(r, FXT_EV_ASYNC_BEGIN, 1, 5);
	at = event(r, FXT_EV_ASYNC_BEGIN, 2, 5);
	event(r, FXT_EV_ASYNC_END, 3, 5);
	return at;
}

static size_t bad_async_stray(struct raw *r)
{
	base(r);
	return event(r, FXT_EV_ASYNC_END, 3, 5);
}

static size_t bad_async_stray_instant(struct raw *r)
{
	base(r);
	event(r, FXT_EV_ASYNC_BEGIN, 1, 5);
	event(r, FXT_EV_ASYNC_END, 2, 5);
	return event(r, FXT_EV_ASYNC_INSTANT, 3, 5);
}

static size_t bad_async_names(struct raw *r)
{
	base(r);
	event(r, FXT_EV_ASYNC_BEGIN, 1, 5);
	return raw_event(r, FXT_EV_ASYNC_END, 2, T_ONE, S_CAT, S_OTHER, 5);
}

static size_t bad_async_category(struct raw *r)
{
	base(r);
	event(r, FXT_EV_ASYNC_BEGIN, 1, 5);
	return raw_event(r, FXT_EV_ASYNC_END, 2, T_ONE, S_OTHER, S_NAME, 5);
}

/* A flow whose begin or end stands at a place of its own. */
static void rest_of_flow(struct raw *r, uint64_t id)
{
	raw_event(r, FXT_EV_DURATION_BEGIN, 100, T_TWO, S_CAT, S_NAME, 0);
	raw_event(r, FXT_EV_FLOW_END, 100, T_TWO, S_CAT, S_NAME, id);
	raw_event(r, FXT_EV_DURATION_END, 101, T_TWO, S_CAT, S_NAME, 0);
}

static size_t bad_flow_slice(struct raw *r)
{
	size_t at;

	base(r);
	at = event(r, FXT_EV_FLOW_BEGIN, 1, 5);
	rest_of_flow(r, 5);
	return at;
}

/* In the file before the duration's begin, at the same time. */
static size_t bad_flow_before(struct raw *r)
{
	size_t at;

	base(r);
	at = event(r, FXT_EV_FLOW_BEGIN, 1, 5);
	event(r, FXT_EV_DURATION_BEGIN, 1, 0);
	event(r, FXT_EV_DURATION_END, 2, 0);
	rest_of_flow(r, 5);
	return at;
}

static size_t bad_flow_stolen(struct raw *r)
{
	size_t at;

	base(r);
	event(r, FXT_EV_DURATION_BEGIN, 1, 0);
	event(r, FXT_EV_INSTANT, 2, 0);
	at = event(r, FXT_EV_FLOW_BEGIN, 3, 5);
	event(r, FXT_EV_DURATION_END, 4, 0);
	rest_of_flow(r, 5);
	return at;
}

static size_t bad_flow_stolen_complete(struct raw *r)
{
	size_t at;

	base(r);
	event(r, FXT_EV_DURATION_BEGIN, 1, 0);
	event(r, FXT_EV_DURATION_COMPLETE, 2, 3);
	at = event(r, FXT_EV_FLOW_BEGIN, 5, 5);
	event(r, FXT_EV_DURATION_END, 6, 0);
	rest_of_flow(r, 5);
	return at;
}

static size_t bad_flow_again(struct raw *r)
{
	size_t at;

	base(r);
	event(r, FXT_EV_DURATION_BEGIN, 1, 0);
	event(r, FXT_EV_FLOW_BEGIN, 1, 5);
	rest_of_flow(r, 5);
	at = event(r, FXT_EV_FLOW_BEGIN, 200, 5);
	event(r, FXT_EV_DURATION_END, 201, 0);
	return at;
}

static size_t bad_flow_end_again(struct raw *r)
{
	size_t at;

	base(r);
	event(r, FXT_EV_DURATION_BEGIN, 1, 0);
	event(r, FXT_EV_FLOW_BEGIN, 1, 5);
	rest_of_flow(r, 5);
	at = event(r, FXT_EV_FLOW_END, 200, 5);
	event(r, FXT_EV_DURATION_END, 201, 0);
	return at;
}

static size_t bad_flow_stray(struct raw *r)
{
	base(r);
	rest_of_flow(r, 5);
	return r->b.n - 16 - 24;
}

static size_t bad_flow_unfinished(struct raw *r)
{
	size_t at;

	base(r);
	event(r, FXT_EV_DURATION_BEGIN, 1, 0);
	at = event(r, FXT_EV_FLOW_BEGIN, 1, 5);
	event(r, FXT_EV_DURATION_END, 2, 0);
	return at;
}

static const struct {
	enum fxt_rule rule;
	const char *name;
	size_t (*make)(struct raw *r);
} bad[] = {
	{ RULE_MAGIC, "magic", bad_magic },
	{ RULE_ZERO_SIZE, "zero-size", bad_zero_size },
	{ RULE_CUT, "cut", bad_cut },
	{ RULE_PARTS, "parts", bad_parts },
	{ RULE_PARTS, "parts", bad_parts_event },
	{ RULE_PARTS, "parts", bad_parts_short },
	{ RULE_PARTS, "parts", bad_parts_argument },
	{ RULE_ARGUMENTS, "arguments", bad_arguments },
	{ RULE_UNDEFINED_STRING, "undefined-string", bad_undefined_string },
	{ RULE_UNDEFINED_THREAD, "undefined-thread", bad_undefined_thread },
	{ RULE_UNKNOWN_TYPE, "unknown-type", bad_unknown_record },
	{ RULE_UNKNOWN_TYPE, "unknown-type", bad_unknown_argument },
	{ RULE_UNKNOWN_TYPE, "unknown-type", bad_unknown_event },
	{ RULE_UNKNOWN_TYPE, "unknown-type", bad_unknown_metadata },
	{ RULE_UNKNOWN_TYPE, "unknown-type", bad_unknown_trace_info },
	{ RULE_UNKNOWN_TYPE, "unknown-type", bad_unknown_blob },
	{ RULE_UNKNOWN_TYPE, "unknown-type", bad_unknown_kind },
	{ RULE_UNKNOWN_TYPE, "unknown-type", bad_unknown_profiler },
	{ RULE_PARTS, "parts", bad_parts_profiler },
	{ RULE_PARTS, "parts", bad_parts_scheduling },
	{ RULE_RECORD_15, "record-15", bad_record_15 },
	{ RULE_BLOB_3, "blob-3", bad_blob_3 },
	{ RULE_RESERVED, "reserved", bad_reserved_argument },
	{ RULE_RESERVED, "reserved", bad_reserved_string_argument },
	{ RULE_PADDING, "padding", bad_padding },
	{ RULE_INDEX_0, "index-0", bad_index_0_string },
	{ RULE_INDEX_0, "index-0", bad_index_0_thread },
	{ RULE_UTF8, "utf8", bad_utf8 },
	{ RULE_UTF8, "utf8", bad_utf8_log },
	{ RULE_NUL, "nul", bad_nul },
	{ RULE_STRING_LENGTH, "string-length", bad_string_length },
	{ RULE_ARGUMENT_NAMES, "argument-names", bad_argument_names },
	{ RULE_INIT, "init", bad_init_ticks },
	{ RULE_INIT, "init", bad_init_none },
	{ RULE_PROVIDER_AGAIN, "provider-again", bad_provider_again },
	{ RULE_PROVIDER_UNKNOWN, "provider-unknown", bad_provider_unknown },
	{ RULE_INLINE, "inline", bad_inline_string },
	{ RULE_INLINE, "inline", bad_inline_thread },
	{ RULE_PROCESS_FIRST, "process-first", bad_process_first },
	{ RULE_KOID_32, "koid-32", bad_koid_32 },
	{ RULE_KOID_0, "koid-0", bad_koid_0 },
	{ RULE_KOID_0, "koid-0", bad_idle_priority },
	{ RULE_THREAD_NAME, "thread-name", bad_thread_name },
	{ RULE_SWITCH_THREAD, "switch-thread", bad_switch_thread },
	{ RULE_SWITCH_STATE, "switch-state", bad_switch_state },
	{ RULE_TIME_63, "time-63", bad_time_63 },
	{ RULE_UNSIGNED_63, "unsigned-63", bad_unsigned_63 },
	{ RULE_INSTANT_FRAME, "instant-frame", bad_instant_frame },
	{ RULE_COUNTER_VALUES, "counter-values", bad_counter_values },
	{ RULE_COUNTER_NAMES, "counter-names", bad_counter_names },
	{ RULE_BEGIN_UNFINISHED, "begin-unfinished", bad_begin_unfinished },
	{ RULE_END_STRAY, "end-stray", bad_end_stray },
	{ RULE_END_STRAY, "end-stray", bad_end_before_begin },
	{ RULE_COMPLETE_BACKWARDS, "complete-backwards", bad_complete_backwards },
	{ RULE_COMPLETE_ORDER, "complete-order", bad_complete_order },
	{ RULE_COMPLETE_OVERLAP, "complete-overlap", bad_complete_overlap },
	{ RULE_COMPLETE_OVERLAP, "complete-overlap", bad_overlap_begin },
	{ RULE_COMPLETE_OVERLAP, "complete-overlap", bad_overlap_end },
	{ RULE_NESTING, "nesting", bad_nesting },
	{ RULE_ASYNC_AGAIN, "async-again", bad_async_again },
	{ RULE_ASYNC_STRAY, "async-stray", bad_async_stray },
	{ RULE_ASYNC_STRAY, "async-stray", bad_async_stray_instant },
	{ RULE_ASYNC_NAMES, "async-names", bad_async_names },
	{ RULE_ASYNC_NAMES, "async-names", bad_async_category },
	{ RULE_FLOW_SLICE, "flow-slice", bad_flow_slice },
	{ RULE_FLOW_SLICE, "flow-slice", bad_flow_before },
	{ RULE_FLOW_STOLEN, "flow-stolen", bad_flow_stolen },
	{ RULE_FLOW_STOLEN, "flow-stolen", bad_flow_stolen_complete },
	{ RULE_FLOW_AGAIN, "flow-again", bad_flow_again },
	{ RULE_FLOW_AGAIN, "flow-again", bad_flow_end_again },
	{ RULE_FLOW_STRAY, "flow-stray", bad_flow_stray },
	{ RULE_FLOW_UNFINISHED, "flow-unfinished", bad_flow_unfinished },
};

#define BAD (sizeof(bad) / sizeof(bad[0]))

/* Exactly one finding: this rule at this offset. */
static void assert_breaks(const struct raw *r, const char *rule, size_t offset)
{
	struct conversion c = convert("fxt", "check", r->b.data, r->b.n, NULL);
	char want[96];

	snprintf(want, sizeof(want), "input: offset %zu: %s: ", offset, rule);
	if (c.status != 1 || !has_line(&c.out, want) || !has_line(&c.out, "input: rules broken: 1") ||
	    count_lines(&c.out, "input: offset") != 1)
		fail_msg("not %s but status %d and\n%s%s", want, c.status, c.out.data,
			 c.messages.data);
	conversion_free(&c);
}

static void test_rules(void **state)
{
	(void)state;
	for (unsigned int swapped = 0; swapped < 2; swapped++) {
		for (size_t i = 0; i < BAD; i++) {
			struct raw r = { .swapped = swapped };
			size_t at = bad[i].make(&r);

			assert_breaks(&r, bad[i].name, at);
			raw_free(&r);
		}
	}
}

static void test_reserved(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(reserved) / sizeof(reserved[0]); i++) {
		struct raw r = { 0 };
		size_t at = reserved_in(&r, i);

		assert_breaks(&r, "reserved", at);
		raw_free(&r);
	}
}

/* Processor time of a check of @n durations that are over, and @n flows behind. */
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

/* Four times as many take about four times as long, not sixteen times. */
static void test_flow_time(void **state)
{
	clock_t few = time_of(20000), many = time_of(80000);

	(void)state;
	if (many > 9 * few)
		fail_msg("%ld and %ld clock ticks", (long)few, (long)many);
}

/* Each rule has a file above that breaks it, but for the one that is no must. */
static void test_all_rules(void **state)
{
	bool seen[RULE_COUNT] = { [RULE_ASYNC_UNFINISHED] = true };
	static const char *const names[] = {
#define NAME(id, name, must, text) [RULE_##id] = name,
		FXT_RULES(NAME)
#undef NAME
	};

	(void)state;
	for (size_t i = 0; i < BAD; i++) {
		seen[bad[i].rule] = true;
		assert_string_equal(bad[i].name, names[bad[i].rule]);
	}
	for (unsigned int i = 0; i < RULE_COUNT; i++)
		if (!seen[i])
			fail_msg("no file breaks %s", names[i]);
}

/* Each rule stands in the documentation, as it is demanded there. */
static void test_documented(void **state)
{
	struct bytes text = fixture("../../../../Documentation/fxt-input.md");
	static const struct { const char *name, *text; } rules[] = {
#define ROW(id, name, must, text) { name, text },
		FXT_RULES(ROW)
#undef ROW
	};

	(void)state;
	for (size_t i = 0; i < RULE_COUNT; i++) {
		char row[256];

		snprintf(row, sizeof(row), "| `%s` | %s |", rules[i].name, rules[i].text);
		if (!has_line(&text, row))
			fail_msg("not in Documentation/fxt-input.md: %s", row);
	}
	bytes_free(&text);
}

static void test_clean(void **state)
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
			if (c.status || !has_line(&c.out, "input: keeps the rules"))
				fail_msg("file %zu: %s%s", i, c.out.data, c.messages.data);
			conversion_free(&c);
			raw_free(&r);
		}
	}
}

static void test_remark(void **state)
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

/* Many findings of one rule: the first ten are told, the others counted. */
static void test_many(void **state)
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

/* A file that is none breaks the first rule, and nothing more can be said. */
static void test_no_file(void **state)
{
	struct conversion c = convert("fxt", "check", "not a trace, really", 19, NULL);

	(void)state;
	assert_true(has_line(&c.out, "offset 0: magic: "));
	assert_int_equal(c.status, 2);
	conversion_free(&c);
}

/* More events than are put in order: memory stays bounded, order is kept. */
static void test_window(void **state)
{
	struct raw r = { 0 };
	struct conversion c;

	(void)state;
	base(&r);
	for (uint64_t i = 0; i < FXT_CHECK_WINDOW + 1000; i++)
		event(&r, i % 2 ? FXT_EV_DURATION_END : FXT_EV_DURATION_BEGIN, i, 0);
	assert_fxt_clean(r.b.data, r.b.n);
	/* Too far back to be judged: that is said. */
	event(&r, FXT_EV_INSTANT, 1, 0);
	c = convert("fxt", "check", r.b.data, r.b.n, NULL);
	assert_int_equal(c.status, 0);
	assert_true(has_line(&c.messages, "1 events too far out of order for --check to judge"));
	conversion_free(&c);
	raw_free(&r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_rules),
		cmocka_unit_test(test_reserved),
		cmocka_unit_test(test_flow_time),
		cmocka_unit_test(test_all_rules),
		cmocka_unit_test(test_documented),
		cmocka_unit_test(test_clean),
		cmocka_unit_test(test_remark),
		cmocka_unit_test(test_many),
		cmocka_unit_test(test_no_file),
		cmocka_unit_test(test_window),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
