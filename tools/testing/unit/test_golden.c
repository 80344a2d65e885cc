// SPDX-License-Identifier: GPL-2.0
/*
 * All that conversions of the samples write, byte by byte, against data/golden:
 * what other tests look at in parts.  An FXT file is compared as its records.
 * And of a SWAP stream with every message in all its forms.
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

#include "common_swap.h"
#include "in.h"
#include "swap_layout.h"

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

/* What a sink makes of it, with what is said of it and how it ends. */
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
	compare(name, &c.out);
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

/* ---- every message ---- */

static void add_number(struct stream *s, enum swap_type type, uint64_t v)
{
	switch (type) {
	case SWAP_T_U8:
		sw_u8(s, (uint8_t)v);
		break;
	case SWAP_T_U16:
		sw_u16(s, (uint16_t)v);
		break;
	case SWAP_T_F32:
		sw_f32(s, (float)v + 0.5f);
		break;
	case SWAP_T_F64:
		sw_f64(s, (double)v + 0.25);
		break;
	case SWAP_T_U64:
	case SWAP_T_I64:
	case SWAP_T_ADDR:
		sw_u64(s, v);
		break;
	case SWAP_T_TIME:
		sw_u32(s, SWAP_T0);
		sw_u32(s, (uint32_t)v);
		break;
	default:
		sw_u32(s, (uint32_t)v);
		break;
	}
}

/* A payload by its layout: what has a name or decides of others is @v, the rest counts on. */
static void add_fields(struct stream *s, const struct swap_field *f, unsigned int v, unsigned int *n)
{
	uint32_t selected = 0;
	char text[20];

	for (; f->type != SWAP_T_END; f++) {
		if (f->when && !(f->when & selected))
			continue;
		snprintf(text, sizeof(text), "text %u", (*n)++ % 50);
		switch (f->type) {
		case SWAP_T_STR:
			sw_str(s, text);
			break;
		case SWAP_T_SIZED:
			sw_u32(s, v);
			sw_bytes(s, "0123456789abcdefghij", v);
			break;
		case SWAP_T_REST:
			sw_bytes(s, text, strlen(text));
			break;
		case SWAP_T_ARGS:
			sw_u32(s, 2);
			sw_u8(s, 'd');
			sw_u32(s, v);
			sw_u8(s, 's');
			sw_str(s, text);
			break;
		case SWAP_T_ITEM:
			sw_u8(s, 'x');
			sw_u64(s, v);
			break;
		case SWAP_T_LIST:
			sw_u32(s, v % 3);
			for (unsigned int i = 0; i < v % 3; i++)
				add_fields(s, f->sub, v, n);
			break;
		case SWAP_T_INCLUDE:
			add_fields(s, f->sub, v, n);
			break;
		default:
			if (f->selector)
				selected = v < 8 ? 1u << v : 0;
			add_number(s, f->type, f->id == SWAP_F_PID ? 42 : f->id == SWAP_F_TID ? 42 + v % 2 :
				   f->names || f->selector ? v : *n % 100);
			break;
		}
	}
}

/* SYSTEM messages have an arithmetic of their own: test_swap_stream.c. */
static void every_message(void **state)
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
			for (unsigned int v = 0; v < 18; v++) {
				sw_begin(&s, id);
				add_fields(&s, row->layouts[k], v, &n);
				sw_end(&s);
			}
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
	struct CMUnitTest tests[2 * N + 1] = { [2 * N] = cmocka_unit_test(every_message) };

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
	return _cmocka_run_group_tests("golden outputs", tests, 2 * N + 1, NULL, NULL);
}
