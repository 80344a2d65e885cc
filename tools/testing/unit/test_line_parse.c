// SPDX-License-Identifier: GPL-2.0
/*
 * Where the etrace line begins in a line of trace_pipe: ftrace's columns decide, never the first
 * text that looks right.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "format/lines/line_parse.h"

/* Parse a copy of the line of just its size, so that a sanitizer notices reads beyond it. */
static enum line_class parse(struct line_state *st, const char *s, size_t len,
			     unsigned int *foreign)
{
	static char *copy;

	free(copy);
	copy = malloc(len + 1);
	memcpy(copy, s, len);
	copy[len] = '\n';
	return line_parse(st, copy, copy + len, foreign);
}

static enum line_class parse1(const char *s, struct line_state *st)
{
	unsigned int foreign;

	memset(st, 0, sizeof(*st));
	return parse(st, s, strlen(s), &foreign);
}

#define LINE "12582912123,3,12,345678000!Open|fd=3"

static void line_prefixes(void **state)
{
	static const char *const before[] = {
		"",
		"etrace_open: ",
		"etrace_open:          ",
		"0: ",
		"0xffffffffc0a1b2c3: ",
		"bas_trace_print+0x12/0x30: ",
		"bas_trace_print+0x12/0x30 [bas_tracer]: ",
		"            make-123     [001] d..2.    12.345678: etrace_open: ",
		"            make-123     [001] d..2.    12.345678: 0: ",
		"            make-123     [001] d..2.    12.345678: ",
		"            make-123     [001]    12.345678: etrace_open: ",
		"            make-123     [001] .....    12.345678: etrace_open: ",
		"            make-123     (    123) [001] d..2.    12.345678: etrace_open: ",
		"           <...>-123     (-------) [001] d..2.    12.345678: etrace_open: ",
		"            make-4194303 [127] d..2. 98765.345678: etrace_open: ",
		"            make-123     [001] d..2.  12345678: etrace_open: ",
		"            make-123     [001] d..2.    12.345678123: etrace_open: ",
		" 15-characters--123     [001] d..2.    12.345678: etrace_open: ",
		/* without the padding */
		"make-123     [001] d..2.    12.345678: etrace_open: ",
		"a b-1-123 [001] d..2. 12.345678: etrace_open: ",
		/* names that look like something else */
		"   1,2,3,4!Open|-123     [001] d..2.    12.345678: etrace_open: ",
		"  -5 [001] 1.2: -123     [001] d..2.    12.345678: etrace_open: ",
		" x-7 [000] 0.1:-123     [001] d..2.    12.345678: etrace_open: ",
		"     CPU:1 [LOST-123     [001] d..2.    12.345678: etrace_open: ",
		"        # tracer-123     [001] d..2.    12.345678: etrace_open: ",
		"                -123     [001] d..2.    12.345678: etrace_open: ",
	};
	struct line_state st;
	char line[300];

	(void)state;
	for (size_t i = 0; i < sizeof(before) / sizeof(before[0]); i++) {
		snprintf(line, sizeof(line), "%s" LINE, before[i]);
		if (parse1(line, &st) != LINE_ETRACE)
			fail_msg("not recognised: %s", line);
		assert_int_equal(st.line.upid, 12582912123);
		assert_int_equal(st.line.cpu, 3);
		assert_int_equal(st.line.time, 12345678000);
		assert_int_equal(st.line.len, strlen("Open|fd=3"));
		assert_memory_equal(st.line.text, "Open|fd=3", st.line.len);
	}
}

/* What is inside a string belongs to the string, whatever it looks like. */
static void strings_that_look_like_lines(void **state)
{
	static const char *const strings[] = {
		"a: 1,2,3,4!Open|fd=3",
		" x-1   [000] d..1.  1.5: etrace_exit: 1,2,3,4!Exit|status=0",
		"CPU:1 [LOST 3 EVENTS]",
		"1,2,3,4!Exit|status=0",
		"!!!",
	};
	struct line_state st;
	char line[300];

	(void)state;
	for (size_t i = 0; i < sizeof(strings) / sizeof(strings[0]); i++) {
		snprintf(line, sizeof(line), "77,0,1,2!FN|%s", strings[i]);
		assert_int_equal(parse1(line, &st), LINE_ETRACE);
		assert_int_equal(st.line.upid, 77);
		assert_memory_equal(st.line.text + 3, strings[i], strlen(strings[i]));
		snprintf(line, sizeof(line),
			 "              ld-9       [000] d..1.     1.500000: etrace_open: 77,0,1,2!FN|%s",
			 strings[i]);
		assert_int_equal(parse1(line, &st), LINE_ETRACE);
		assert_int_equal(st.line.upid, 77);
		assert_int_equal(st.line.len, 3 + strlen(strings[i]));
	}
}

static void foreign_and_damaged(void **state)
{
	static const struct {
		const char *line;
		enum line_class class;
	} lines[] = {
		{ "", LINE_FOREIGN },
		{ "# tracer: nop", LINE_FOREIGN },
		{ "#           TASK-PID     CPU#  |||||  TIMESTAMP  FUNCTION", LINE_FOREIGN },
		{ "              sh-9       [000] d..1.     1.500000: sched_switch: prev_comm=sh", LINE_FOREIGN },
		{ "              sh-9       [000] d..1.     1.500000: sys_close(fd: 3)", LINE_FOREIGN },
		{ " => __x64_sys_close", LINE_FOREIGN },
		{ " 0)   0.123 us    |  _raw_spin_lock();", LINE_FOREIGN },
		{ "something else, 1,2,3", LINE_FOREIGN },
		{ "sh-9 [000] : " LINE, LINE_DAMAGED },	/* no time */
		{ "sh-9 [000] d..1. : " LINE, LINE_DAMAGED },
		{ "12582912123,3,12,34567", LINE_DAMAGED },
		{ "12582912123,3,12x345678000!Open|fd=3", LINE_DAMAGED },
		{ "1258291212x,3,12,345678000!Open|fd=3", LINE_DAMAGED },
		{ "12582912123,3,12,345678000!", LINE_DAMAGED },
		{ "12582912123,3,12,345678000!?FN|x", LINE_DAMAGED },
		{ "12582912123,3,12,1000000000!FN|x", LINE_DAMAGED },	/* ns of a second */
		{ "9223372036854775808,3,12,1!FN|x", LINE_DAMAGED },	/* upid of 2^63 */
		{ "99999999999999999999999,3,12,1!FN|x", LINE_DAMAGED },
		{ "1,3,9223372036,1!FN|x", LINE_DAMAGED },		/* ns of 2^63 */
		{ "-1,3,12,1!FN|x", LINE_DAMAGED },
		{ "              sh-9       [000] d..1.     1.500000: etrace_open: 1,2", LINE_DAMAGED },
		{ "              sh-9       [000] d..1.     1.500000: etrace_open: etrace: lines of a record too long to print", LINE_DAMAGED },
		{ "\x01\x02\x03", LINE_DAMAGED },
		{ "CPU:1 [LOST 123 EVENTS]", LINE_LOST },
		{ "CPU:0 [LOST EVENTS]", LINE_LOST },
		{ "CPU:0 [12 EVENTS DROPPED]", LINE_LOST },
		{ "CPU:0 [LOST 12 EVENTS", LINE_FOREIGN },
		{ "CPU:x [LOST 12 EVENTS]", LINE_FOREIGN },
	};
	struct line_state st;

	(void)state;
	for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++) {
		enum line_class class = parse1(lines[i].line, &st);

		if (class != lines[i].class)
			fail_msg("class %d, expected %d: %s", class, lines[i].class, lines[i].line);
	}
	parse1("CPU:17 [LOST 123 EVENTS]", &st);
	assert_int_equal(st.lost.cpu, 17);
	assert_true(st.lost.counted);
	assert_int_equal(st.lost.lost, 123);
	parse1("CPU:17 [LOST EVENTS]", &st);
	assert_false(st.lost.counted);
}

/*
 * A task's name may contain newlines: the line then comes in pieces, and the second piece looks
 * like whatever the task wants.
 */
static void newlines_in_names(void **state)
{
	static const struct {
		const char *pieces[4];
		unsigned int n;
	} names[] = {
		{ { "             a", "b-123     [001] d..2.    12.345678: etrace_open: " LINE }, 2 },
		{ { "  ", "1,2,3,4!FN|ab-123     [001] d..2.    12.345678: etrace_open: " LINE }, 2 },
		{ { "              ", "", "-123     [001] d..2.    12.345678: etrace_open: " LINE }, 3 },
		{ { "          a", "b", "c", "-123     [001] d..2.    12.345678: etrace_open: " LINE }, 4 },
	};
	struct line_state st;
	unsigned int foreign;

	(void)state;
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		memset(&st, 0, sizeof(st));
		for (unsigned int j = 0; j < names[i].n; j++) {
			const char *s = names[i].pieces[j];
			enum line_class class = parse(&st, s, strlen(s), &foreign);

			assert_int_equal(foreign, 0);
			if (j + 1 < names[i].n) {
				assert_int_equal(class, LINE_PENDING);
				continue;
			}
			if (class != LINE_ETRACE || st.line.upid != 12582912123)
				fail_msg("name %zu: class %d", i, class);
		}
	}
	/* a short line that turns out not to be part of a name is counted later */
	memset(&st, 0, sizeof(st));
	assert_int_equal(parse(&st, "  x", 3, &foreign), LINE_PENDING);
	assert_int_equal(parse(&st, LINE, strlen(LINE), &foreign), LINE_ETRACE);
	assert_int_equal(foreign, 1);
	assert_int_equal(parse(&st, "  x", 3, &foreign), LINE_PENDING);
	assert_int_equal(line_flush(&st), 1);
	assert_int_equal(line_flush(&st), 0);
}

/* Which bytes may begin a tag, be part of it, or of the name before a line. */
static void allowed_bytes(void **state)
{
	static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";
	static const char more[] = "0123456789_";
	static const char names[] = "+/.-";
	struct line_state st;
	char line[100];

	(void)state;
	for (int c = 1; c < 256; c++) {
		bool letter = strchr(letters, c), word = letter || strchr(more, c);
		bool name = word || strchr(names, c);

		if (c == '\n' || c == '!' || c == ' ')
			continue;
		snprintf(line, sizeof(line), "7,0,1,2!%cN|x", c);
		if ((parse1(line, &st) == LINE_ETRACE) != letter)
			fail_msg("wrong result for a tag that begins with the byte %d", c);
		if (letter)
			assert_int_equal(st.line.tag_len, 2);
		if (c != '|' && c != '[') {
			snprintf(line, sizeof(line), "7,0,1,2!F%c|x", c);
			if ((parse1(line, &st) == LINE_ETRACE) != word)
				fail_msg("wrong result for a tag with the byte %d", c);
		}
		if (c == ':')
			continue;
		snprintf(line, sizeof(line), "a%cb: 7,0,1,2!FN|x", c);
		if ((parse1(line, &st) == LINE_ETRACE) != name)
			fail_msg("wrong result for a name with the byte %d", c);
		snprintf(line, sizeof(line), "a [b%cb]: 7,0,1,2!FN|x", c);
		if (c != ']' && (parse1(line, &st) == LINE_ETRACE) != (word || c == '-'))
			fail_msg("wrong result for a module's name with the byte %d", c);
	}
}

/* The smallest and the greatest numbers, and one beyond. */
static void number_limits(void **state)
{
	static const struct {
		const char *line;
		bool good;
		uint64_t upid, time;
		uint32_t cpu;
	} lines[] = {
		{ "0,0,0,0!A|", true, 0, 0, 0 },
		{ "9223372036854775807,4294967295,9223372035,999999999!A|", true,
		  INT64_MAX, 9223372035999999999ull, UINT32_MAX },
		{ "9223372036854775808,0,0,0!A|", false, 0, 0, 0 },
		{ "1,4294967296,0,0!A|", false, 0, 0, 0 },
		{ "1,0,9223372036,0!A|", false, 0, 0, 0 },
		{ "1,0,0,1000000000!A|", false, 0, 0, 0 },
		/* 19 digits at most */
		{ "0000000000000000001,0,0,5!A|", true, 1, 5, 0 },
		{ "00000000000000000001,0,0,5!A|", false, 0, 0, 0 },
		{ ",0,0,5!A|", false, 0, 0, 0 },
		{ "1,,0,5!A|", false, 0, 0, 0 },
		{ "1,0,,5!A|", false, 0, 0, 0 },
		{ "1,0,0,!A|", false, 0, 0, 0 },
		{ "1;0,0,5!A|", false, 0, 0, 0 },
		{ "1,0;0,5!A|", false, 0, 0, 0 },
		{ "1,0,0;5!A|", false, 0, 0, 0 },
		{ "1,0,0,5?A|", false, 0, 0, 0 },
		/* a tag ends with the line, with '|' or with '[' */
		{ "1,0,0,5!A", true, 1, 5, 0 },
		{ "1,0,0,5!A[0]", true, 1, 5, 0 },
		{ "1,0,0,5!A]", false, 0, 0, 0 },
		{ "1,0,0,5!", false, 0, 0, 0 },
	};
	struct line_state st;

	(void)state;
	for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++) {
		if ((parse1(lines[i].line, &st) == LINE_ETRACE) != lines[i].good)
			fail_msg("%s", lines[i].line);
		if (!lines[i].good)
			continue;
		assert_int_equal(st.line.upid, lines[i].upid);
		assert_int_equal(st.line.time, lines[i].time);
		assert_int_equal(st.line.cpu, lines[i].cpu);
		assert_int_equal(st.line.tag_len, 1);
	}
}

/* Each tag is found by its name, and similar names are not. */
static void tags_found_by_name(void **state)
{
	unsigned int foreign;
	struct line_state st;
	char line[100];

	(void)state;
	for (unsigned int t = LT_NONE + 1; t < LT_OTHER; t++) {
		const char *name = lt_tags[t].name;
		static const char *const behind[] = { "|", "|x", "|x[0]|y", "[0]|", "[0]", "" };

		for (size_t i = 0; i < sizeof(behind) / sizeof(behind[0]); i++) {
			snprintf(line, sizeof(line), "1,0,0,5!%s%s", name, behind[i]);
			assert_int_equal(parse1(line, &st), LINE_ETRACE);
			assert_int_equal(st.line.tag, t);
			assert_int_equal(st.line.tag_len, strlen(name));
			snprintf(line, sizeof(line), "1,0,0,5!%s_%s", name, behind[i]);
			assert_int_equal(parse1(line, &st), LINE_ETRACE);
			assert_int_equal(st.line.tag, LT_NONE);
			assert_int_equal(st.line.tag_len, strlen(name) + 1);
			/* a NUL byte is not part of a tag */
			memset(&st, 0, sizeof(st));
			assert_int_equal(parse(&st, line, (size_t)snprintf(line, sizeof(line),
				"1,0,0,5!%s%c%s", name, 0, behind[i]), &foreign), LINE_DAMAGED);
		}
	}
}

/* NUL bytes are no digits, neither the first time nor later. */
static void null_digits(void **state)
{
	static const char line[] = "1,0,0,\0\0\0\0\0\0\0\0" "5!FN|some text";
	struct line_state st = { 0 };
	unsigned int foreign;

	(void)state;
	for (int i = 0; i < 2; i++) {
		assert_int_equal(parse(&st, line, sizeof(line) - 1, &foreign), LINE_DAMAGED);
		assert_int_equal(parse(&st, "1,0,0,5!FN|", 11, &foreign), LINE_ETRACE);
	}
}

/* Lines that begin like the last one: other nanoseconds, but the same task, CPU and second. */
static void repeated_prefix_parsed_fast(void **state)
{
	static const struct {
		const char *line;
		bool good;
		uint64_t time;
	} lines[] = {
		{ "12,3,4,123456789!FN|", true, 4123456789 },
		{ "12,3,4,123456780!FN|", true, 4123456780 },
		{ "12,3,4,123456790!FN|", true, 4123456790 },
		{ "12,3,4,0!FN|", true, 4000000000 },
		{ "12,3,4,9!", true, 4000000009 },
		{ "12,3,4,12345678!FN|", true, 4012345678 },
		{ "12,3,4,12345678a!FN|", false, 0 },
		{ "12,3,4,1234567890!FN|", false, 0 },
		{ "12,3,4,123456789?FN|", false, 0 },
		{ "12,3,4,!FN|", false, 0 },
		{ "12,3,4,", false, 0 },
		{ "12,3,4", false, 0 },
		{ "12,3,5,123456789!FN|", false, 0 },
		{ "12,4,4,123456789!FN|", false, 0 },
		{ "13,3,4,123456789!FN|", false, 0 },
		{ "", false, 0 },
	};
	static const char first[] = "12,3,4,123456788!Open|";
	unsigned int foreign;
	struct line_state st = { 0 };
	uint64_t time;

	(void)state;
	assert_null(line_again(&st, "1,0,0,5!FN|\n", "1,0,0,5!FN|\n" + 11, &time));
	assert_int_equal(parse(&st, first, sizeof(first) - 1, &foreign), LINE_ETRACE);
	for (size_t i = 0; i < 2 * sizeof(lines) / sizeof(lines[0]); i++) {
		const char *line = lines[i / 2].line, *mark = strchr(line, '!');
		size_t len = strlen(line);
		char *copy = malloc(len + 1);
		const char *text;

		memcpy(copy, line, len);
		copy[len] = '\n';
		text = line_again(&st, copy, copy + len, &time);
		if (lines[i / 2].good != !!text)
			fail_msg("%s", line);
		if (text) {
			assert_int_equal(time, lines[i / 2].time);
			assert_ptr_equal(text, copy + (mark + 1 - line));
		}
		assert_int_equal(st.line.time, 4123456788);
		free(copy);
	}
}

/* Strings of known length: taken only if the whole line is as expected. */
static void strings_of_known_length(void **state)
{
	static const struct {
		const char *line;
		uint64_t time;		/* 0: line_parse() must read it */
	} lines[] = {
		{ "4194405,3,4,123456789!FN|/a/b\n", 4123456789 },
		{ "4194405,3,4,123456790!FN|/a/b\n", 4123456790 },
		{ "4194405,3,4,123456790!FN|/a\nb\n", 0 },
		{ "4194405,3,4,123456789!FO|/a/b\n", 0 },
		{ "4194405,3,4,123456789!FN[/a/b\n", 0 },
		{ "4194405,3,4,123456789!FN|/a/bc\n", 0 },
		{ "4194405,3,4,123456789!FN|/a/\n", 0 },
		{ "4194405,3,4,12345678!FN|/a/b\n", 0 },
		{ "4194405,3,5,123456789!FN|/a/b\n", 0 },
		{ "4194405,4,4,123456789!FN|/a/b\n", 0 },
		{ "4194406,3,4,123456789!FN|/a/b\n", 0 },
	};
	static const char first[] = "4194405,3,4,123456788!Open|";

	(void)state;
	for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++) {
		size_t len = strlen(lines[i].line);
		char *copy = calloc(1, len + LINE_COPY), to[4 + LINE_COPY];
		const char *end = copy + len + LINE_COPY, *next;
		struct line_state st = { 0 };
		unsigned int foreign;
		uint64_t time;

		assert_int_equal(parse(&st, first, sizeof(first) - 1, &foreign), LINE_ETRACE);
		memcpy(copy, lines[i].line, len);
		next = line_string(&st, copy, end, LT_FN, 4, &time, to);
		if (!next != !lines[i].time)
			fail_msg("%s", lines[i].line);
		if (next) {
			assert_ptr_equal(next, copy + len);
			assert_int_equal(time, lines[i].time);
			assert_memory_equal(to, "/a/b", 4);
		}
		/* as many bytes must be readable as are copied at once */
		assert_null(line_string(&st, copy, copy + len, LT_FN, 4, &time, to));
		free(copy);
	}
}

/* Lines with an expected tag and any length, and times with fewer digits. */
static void expected_tag(void **state)
{
	static const struct {
		const char *line;
		uint64_t time;		/* 0: line_parse() must read it */
	} lines[] = {
		{ "4194405,12,4,3456788!A[0]gcc\n", 4003456788 },
		{ "4194405,12,4,3456789!A\n", 4003456789 },
		{ "4194405,12,4,3456790!A|\n", 4003456790 },
		{ "4194405,12,4,3456789!End_of_args|\n", 0 },
		{ "4194405,12,4,3456789!\n", 0 },
		{ "4194405,12,4,3456789!A[0]gcc", 0 },
		{ "4194405,12,5,3456789!A[0]gcc\n", 0 },
	};
	static const char first[] = "4194405,12,4,3456787!New_proc|";

	(void)state;
	for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++) {
		size_t len = strlen(lines[i].line);
		char *copy = malloc(len);
		struct line_state st = { 0 };
		unsigned int foreign;
		struct et_line l;
		const char *next;

		assert_int_equal(parse(&st, first, sizeof(first) - 1, &foreign), LINE_ETRACE);
		memcpy(copy, lines[i].line, len);
		next = line_follows(&st, copy, copy + len, LT_A, &l);
		if (!next != !lines[i].time)
			fail_msg("%s", lines[i].line);
		if (next) {
			assert_ptr_equal(next, copy + len);
			assert_int_equal(l.time, lines[i].time);
			assert_ptr_equal(l.text, memchr(copy, '!', len) + 1);
			assert_ptr_equal(l.text + l.len + 1, next);
			assert_int_equal(l.tag, LT_A);
			assert_int_equal(l.tag_len, 1);
		}
		free(copy);
	}
}

static void loss_lines(void **state)
{
	static const struct {
		const char *line;
		bool good, counted;
		uint64_t lost;
		uint32_t cpu;
	} lines[] = {
		{ "CPU:1 [LOST 12 EVENTS]", true, true, 12, 1 },
		{ "CPU:0 [LOST 0 EVENTS]", true, true, 0, 0 },
		{ "CPU:4294967295 [LOST 9223372036854775807 EVENTS]", true, true, INT64_MAX,
		  UINT32_MAX },
		{ "CPU:4294967296 [LOST 1 EVENTS]", false, false, 0, 0 },
		{ "CPU:1 [LOST 9223372036854775808 EVENTS]", false, false, 0, 0 },
		{ "CPU:31 [LOST EVENTS]", true, false, 0, 31 },
		{ "CPU:2 [77 EVENTS DROPPED]", true, true, 77, 2 },
		{ "CPU:2 [EVENTS DROPPED]", true, false, 0, 2 },
		{ "CPU:2 [LOST 1 EVENTS] ", false, false, 0, 0 },
		{ "CPU:2 [LOST 1 EVENT]", false, false, 0, 0 },
		{ "CPU:2 [LOST 1EVENTS]", false, false, 0, 0 },
		{ "CPU:2 (LOST 1 EVENTS]", false, false, 0, 0 },
		{ "CPU:2[LOST 1 EVENTS]", false, false, 0, 0 },
		{ "CPU: [LOST 1 EVENTS]", false, false, 0, 0 },
		{ "CPU:2 [LOSS 1 EVENTS]", false, false, 0, 0 },
		{ "CPV:2 [LOST 1 EVENTS]", false, false, 0, 0 },
		{ "CPU:2 [77 EVENTS DROPPED", false, false, 0, 0 },
		{ "CPU:2 [", false, false, 0, 0 },
		{ "CPU:123456789", false, false, 0, 0 },
	};
	struct line_state st;

	(void)state;
	for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++) {
		memset(&st.lost, 0xff, sizeof(st.lost));
		if ((parse1(lines[i].line, &st) == LINE_LOST) != lines[i].good)
			fail_msg("%s", lines[i].line);
		if (!lines[i].good)
			continue;
		assert_int_equal(st.lost.cpu, lines[i].cpu);
		assert_int_equal(st.lost.counted, lines[i].counted);
		assert_int_equal(st.lost.lost, lines[i].lost);
	}
}

/* Lines of one record have the same prefix; another prefix is parsed anew. */
static void prefix_of_one_record(void **state)
{
	static const struct {
		const char *line;
		enum line_class class;
		const char *text;
		uint64_t upid;
	} lines[] = {
		{ "11,2,3,4!Open|fd=3", LINE_ETRACE, "Open|fd=3", 11 },
		{ "11,2,3,4!FN|/a", LINE_ETRACE, "FN|/a", 11 },
		{ "11,2,3,4!", LINE_DAMAGED, NULL, 0 },
		{ "11,2,3,4!7|", LINE_DAMAGED, NULL, 0 },
		{ "11,2,3,4!A", LINE_ETRACE, "A", 11 },
		{ "12,2,3,4!FN|/b", LINE_ETRACE, "FN|/b", 12 },
		{ "12,2,3,4!FO|/b", LINE_ETRACE, "FO|/b", 12 },
	};
	struct line_state st;
	unsigned int foreign;

	(void)state;
	memset(&st, 0, sizeof(st));
	for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++) {
		const char *s = lines[i].line;

		assert_int_equal(parse(&st, s, strlen(s), &foreign), lines[i].class);
		if (lines[i].class != LINE_ETRACE)
			continue;
		assert_int_equal(st.line.upid, lines[i].upid);
		assert_int_equal(st.line.time, 3000000004);
		assert_int_equal(st.line.len, strlen(lines[i].text));
		assert_memory_equal(st.line.text, lines[i].text, st.line.len);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(line_prefixes),
		cmocka_unit_test(strings_that_look_like_lines),
		cmocka_unit_test(foreign_and_damaged),
		cmocka_unit_test(newlines_in_names),
		cmocka_unit_test(allowed_bytes),
		cmocka_unit_test(number_limits),
		cmocka_unit_test(tags_found_by_name),
		cmocka_unit_test(null_digits),
		cmocka_unit_test(repeated_prefix_parsed_fast),
		cmocka_unit_test(strings_of_known_length),
		cmocka_unit_test(expected_tag),
		cmocka_unit_test(loss_lines),
		cmocka_unit_test(prefix_of_one_record),
	};

	return cmocka_run_group_tests_name("lines of trace_pipe", tests, NULL, NULL);
}
