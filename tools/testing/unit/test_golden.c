// SPDX-License-Identifier: GPL-2.0
/*
 * All that conversions of the samples write, compared byte by byte with data/golden: other tests
 * look at parts of it.  FXT files are compared as records.  Also a SWAP stream that has every
 * message in all its forms.  For intended changes see golden_compare().
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "common_swap.h"

#define MAX_SINKS 4

static const struct sample {
	const char *from, *file;
	const char *to[MAX_SINKS];
} samples[] = {
	{ "swap", "swap/swap42-session.bin", { "fxt", "stats", "json" } },
	{ "swap", "swap/swap3-arm.bin", { "fxt", "stats", "json" } },
	{ "swap", "swap/swap42-arm.bin", { "fxt", "stats" } },
	{ "swap", "swap/swap-cut.bin", { "fxt", "stats" } },
	{ "swap", "swap/swap-seqwrap.bin", { "fxt", "stats" } },
	{ "sp-rtrace", "sp-rtrace/64/leaky-heap.rtrace", { "fxt", "stats", "json" } },
	{ "sp-rtrace", "sp-rtrace/64/leaky-notime.rtrace", { "fxt", "stats" } },
	{ "sp-rtrace", "sp-rtrace/64/fileops-mem.rtrace", { "fxt", "stats", "json" } },
	{ "sp-rtrace", "sp-rtrace/64/mt.rtrace", { "fxt", "stats" } },
	{ "sp-rtrace", "sp-rtrace/64/gobj.rtrace", { "fxt", "stats" } },
	{ "sp-rtrace", "sp-rtrace/64/cut.rtrace", { "fxt", "stats" } },
	{ "sp-rtrace", "sp-rtrace/old32/leaky32-v1.1.rtrace", { "fxt", "stats" } },
	{ "sp-rtrace-text", "sp-rtrace/64/leaky.lcr.txt", { "fxt", "stats", "json", "sp-rtrace-text" } },
	{ "etrace", "etrace/first.trace", { "fxt", "json", "etrace", "stats" } },
	{ "etrace", "rec/trace", { "stats" } },
};

/* Remove the program's version, which is not compared. */
static void drop_version(struct bytes *b)
{
	static const char writer[] = "etrace-read ";

	for (char *at = b->data; (at = strstr(at, writer)); ) {
		char *end;

		at += strlen(writer);
		end = at + strcspn(at, "\"");
		memmove(at, end, strlen(end) + 1);
		b->n -= (size_t)(end - at);
	}
}

/* Compare a sink's output, messages and exit status. */
static void compare_output(const char *base, const char *from, const char *to, const struct bytes *in)
{
	struct conversion c = convert(from, to, in->data, in->n, NULL);
	char name[200], tail[40];

	if (!strcmp(to, "fxt")) {
		struct conversion records = convert("fxt", "json", c.out.data, c.out.n, NULL);

		bytes_free(&c.out);
		c.out = records.out;
		bytes_free(&records.messages);
		drop_version(&c.out);
	}
	bytes_add(&c.out, c.messages.data, c.messages.n);
	bytes_add(&c.out, tail, (size_t)snprintf(tail, sizeof(tail), "status %d\n", c.status));
	snprintf(name, sizeof(name), "%s.%s", base, to);
	golden_compare(name, &c.out);
	conversion_free(&c);
}

static void outputs(void **state)
{
	const struct sample *s = *state;
	struct bytes in = fixture(s->file);

	for (size_t i = 0; i < MAX_SINKS && s->to[i]; i++)
		compare_output(strrchr(s->file, '/') + 1, s->from, s->to[i], &in);
	bytes_free(&in);
}

/* The JSON summary has more than the text. */
static void summaries(void **state)
{
	const struct sample *s = *state;
	struct bytes in = fixture(s->file);
	struct conversion c = convert(s->from, "stats", in.data, in.n, OPTIONS({ "json", NULL }));
	const char *base = strrchr(s->file, '/') + 1;
	char name[200];

	snprintf(name, sizeof(name), "%s.stats.json", base);
	golden_compare(name, &c.out);
	conversion_free(&c);
	bytes_free(&in);
}

/* ---- every message ---- */

/* The length of SYSTEM messages follows rules of its own: test_swap_stream.c. */
static void output_of_every_message(void **state)
{
	static const char *const sinks[] = { "json", "fxt", "stats" };
	struct stream s = { 0 };
	unsigned int n = 0;

	(void)state;
	for (uint32_t id = 1; id < 0x0120; id++) {
		const struct swap_row *row = swap_row(id);

		if (!row || row->id != id || id == SWAP_SYSTEM)
			continue;
		for (size_t k = 0; k < 3 && row->layouts[k]; k++) {
			for (unsigned int v = 0; v < 18; v++)
				sw_message(&s, id, row->layouts[k], v, &n);
		}
	}
	assert_true(n > 5000);
	for (size_t i = 0; i < sizeof(sinks) / sizeof(sinks[0]); i++)
		compare_output("every-message", "swap", sinks[i], &s.b);
	sw_free(&s);
}

int main(void)
{
	enum { N = sizeof(samples) / sizeof(*samples) };
	struct CMUnitTest tests[2 * N + 1] = { [2 * N] = cmocka_unit_test(output_of_every_message) };

	/* reports have local times */
	setenv("TZ", "UTC", 1);
	for (size_t i = 0; i < N; i++)
		for (size_t k = 0; k < 2; k++)
			tests[2 * i + k] = (struct CMUnitTest){
				.name = samples[i].file,
				.test_func = k ? summaries : outputs,
				.initial_state = (void *)(uintptr_t)&samples[i],
			};
	/* the array is filled at run time: the macro would count its elements */
	return _cmocka_run_group_tests("golden outputs", tests, 2 * N + 1, NULL, NULL);
}
