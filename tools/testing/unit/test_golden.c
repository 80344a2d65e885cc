// SPDX-License-Identifier: GPL-2.0
/*
 * All that conversions of the samples write, byte by byte, against data/golden:
 * what other tests look at in parts.  An FXT file is compared as its records.
 *
 * Where a change is meant, ETRACE_GOLDEN=DIR writes the new ones there; look at
 * each difference (zdiff), and put them into data/golden.
 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "common_convert.h"
#include "in.h"

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

/* A golden file, which is compressed. */
static struct bytes golden(const char *name)
{
	const char *dir = getenv("ETRACE_DATA");
	struct bytes b = { 0 };
	char path[4096];
	struct in *in;
	size_t n;
	int err;

	snprintf(path, sizeof(path), "%s/golden/%s.gz", dir ? dir : "data", name);
	in = in_open(path, &err);
	if (!in)
		fail_msg("%s is missing", path);
	bytes_add(&b, NULL, 0);
	for (;;) {
		const uint8_t *p = in_peek(in, 4096, &n);

		if (!n)
			break;
		bytes_add(&b, p, n);
		in_skip(in, n);
	}
	assert_int_equal(in_error(in), 0);
	in_close(in);
	return b;
}

static void compare(const char *name, const struct bytes *got)
{
	const char *to = getenv("ETRACE_GOLDEN"), *a = got->data, *b;
	struct bytes want;
	char path[4096];

	if (to) {
		FILE *f;

		snprintf(path, sizeof(path), "%s/%s", to, name);
		f = fopen(path, "w");
		assert_non_null(f);
		assert_int_equal(fwrite(got->data, 1, got->n, f), got->n);
		assert_int_equal(fclose(f), 0);
		return;
	}
	want = golden(name);
	b = want.data;
	for (unsigned int line = 1; *a || *b; line++) {
		size_t n = strcspn(a, "\n"), m = strcspn(b, "\n");

		if (n != m || memcmp(a, b, n))
			fail_msg("%s: line %u is\n%.*s\nand was\n%.*s", name, line, (int)n, a, (int)m, b);
		a += n + !!a[n];
		b += m + !!b[m];
	}
	assert_int_equal(got->n, want.n);
	bytes_free(&want);
}

/* The program's version, which is not what is compared. */
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

static void outputs(void **state)
{
	const struct sample *s = *state;

	for (size_t i = 0; i < MAX_SINKS && s->to[i]; i++) {
		struct bytes in = fixture(s->file);
		struct conversion c = convert(s->from, s->to[i], in.data, in.n, NULL);
		const char *base = strrchr(s->file, '/') + 1;
		char name[200], tail[40];

		if (!strcmp(s->to[i], "fxt")) {
			struct conversion records = convert("fxt", "json", c.out.data, c.out.n, NULL);

			bytes_free(&c.out);
			c.out = records.out;
			bytes_free(&records.messages);
			drop_version(&c.out);
		}
		/* what is said of it, and how it ends */
		bytes_add(&c.out, c.messages.data, c.messages.n);
		bytes_add(&c.out, tail, (size_t)snprintf(tail, sizeof(tail), "status %d\n", c.status));
		snprintf(name, sizeof(name), "%s.%s", base, s->to[i]);
		compare(name, &c.out);
		conversion_free(&c);
		bytes_free(&in);
	}
}

/* The summary for programs has more than that for people. */
static void summaries(void **state)
{
	const struct sample *s = *state;
	struct bytes in = fixture(s->file);
	struct conversion c = convert(s->from, "stats", in.data, in.n, OPTIONS({ "json", NULL }));
	const char *base = strrchr(s->file, '/') + 1;
	char name[200];

	snprintf(name, sizeof(name), "%s.stats.json", base);
	compare(name, &c.out);
	conversion_free(&c);
	bytes_free(&in);
}

int main(void)
{
	enum { N = sizeof(samples) / sizeof(*samples) };
	struct CMUnitTest tests[2 * N];

	/* reports have local times */
	setenv("TZ", "UTC", 1);
	for (size_t i = 0; i < N; i++)
		for (size_t k = 0; k < 2; k++)
			tests[2 * i + k] = (struct CMUnitTest){
				.name = samples[i].file,
				.test_func = k ? summaries : outputs,
				.initial_state = (void *)(uintptr_t)&samples[i],
			};
	/* the tests are made here: the macro would count an array's elements */
	return _cmocka_run_group_tests("golden outputs", tests, 2 * N, NULL, NULL);
}
