// SPDX-License-Identifier: GPL-2.0
/* Timestamps in the contents of files, and what only looks like one. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "base/time_text.h"

/* 2026-11-29 12:05:30 to 12:05:32, UTC */
static const struct time_span when = { .from = 1795953930, .to = 1795953932, .both = true };

static void test_times_in_text(void **state)
{
	static const struct {
		const char *text, *time;	/* NULL if none */
	} rows[] = {
		{ "at 1795953931.5", "1795953931" }, { "at 1795953940", NULL },
		{ "1795953931000", "1795953931000" },
		/* followed by a process ID */
		{ "x17959539314711", "17959539314711" },
		/* octal, as in tar */
		{ "15303012413", "15303012413" }, { "15303012513", NULL },
		{ "12:05:31", "12:05:31" }, { "17:35:31", "17:35:31" }, { "12:06:31", NULL },
		{ "20261129120531", "20261129120531" }, { "20261129120631", NULL },
		{ "2026-11-29 12:05", "2026-11-29 12:05" }, { "2026-11-30T02:05", "2026-11-30T02:05" },
		{ "2026-11-29 12:07", NULL }, { "2024-11-29 12:05", NULL }, { "2026-12-01 12:05", NULL },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct buf b = { 0 };
		const char *at;
		size_t len;

		buf_adds(&b, rows[i].text);
		at = time_in_text(&when, &b, &len);
		if (!rows[i].time != !at)
			fail_msg("%s: %s", rows[i].text, at ? "found" : "not found");
		if (at) {
			assert_int_equal(len, strlen(rows[i].time));
			assert_memory_equal(at, rows[i].time, len);
		}
		buf_free(&b);
	}
}

static void test_times_in_binary(void **state)
{
	char gzip[] = "\x1f\x8b\x08\0\x0b\x15\x0c\x6b", cpio[] = "070701" "6b0c150b", zip[12] = "PK\3\4";
	const unsigned int time = 12 << 11 | 5 << 5 | 30 / 2;
	struct buf b = { .s = gzip, .len = sizeof(gzip) - 1 };

	(void)state;
	assert_true(time_in_numbers(&when, &b));
	gzip[4] ^= 16;
	assert_false(time_in_numbers(&when, &b));
	b = (struct buf){ .s = cpio, .len = sizeof(cpio) - 1 };
	assert_true(time_in_numbers(&when, &b));
	cpio[13] = '1';
	assert_false(time_in_numbers(&when, &b));
	b = (struct buf){ .s = zip, .len = sizeof(zip) };
	zip[10] = (char)time;
	zip[11] = (char)(time >> 8);
	assert_true(time_in_numbers(&when, &b));
	zip[10] ^= 32;
	assert_false(time_in_numbers(&when, &b));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_times_in_text),
		cmocka_unit_test(test_times_in_binary),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
