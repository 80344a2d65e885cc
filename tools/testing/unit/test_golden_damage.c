// SPDX-License-Identifier: GPL-2.0
/*
 * Conversions of damaged inputs: small inputs of every format, with each byte incremented, and
 * alternately with one of its bits flipped or cut there.  All output and messages are compared
 * with earlier ones by digests.  A digest covers every 7th byte of a block, so that a run that
 * tries every 7th byte (common_seed.h) computes complete digests.  For intended changes see
 * golden_compare(); DIR/damage.all has the texts behind the digests.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cmocka.h>

#include "common_etrace.h"
#include "common_fxt.h"
#include "common_seed.h"
#include "common_sprt.h"
#include "common_swap.h"
#include "base/xalloc.h"

#define BLOCK	32u	/* damaged bytes per digest */
#define BASIS	0xcbf29ce484222325ull	/* the digest of nothing */

static struct bytes digests;
static FILE *all;

static uint64_t digest(uint64_t h, const struct bytes *b)
{
	/* the length, too, marks where one text ends and the next begins */
	h ^= b->n;
	for (size_t i = 0; i < b->n; i++)
		h = (h ^ (unsigned char)b->data[i]) * 0x100000001b3ull;
	return h;
}

enum how { MORE, BIT, CUT };

static const struct opt_given *options;

/* Does a line of the text have this name, as in "!FN|", "!FN[0]" or "!FN_end|"? */
static bool has_name(const char *text, size_t n, const char *name, size_t len)
{
	for (const char *s = text, *end = text + n; (s = memchr(s, '!', (size_t)(end - s)));)
		if ((size_t)(end - ++s) > len && !memcmp(s, name, len) && strchr("|[_", s[len]))
			return true;
	return false;
}

static bool is_letter(char c)
{
	return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z');
}

/*
 * A changed letter may result in the name of another line, which is worth a test.  But if a
 * future kind of event had the resulting name, the digest would change: so names that no line
 * has now are changed to names that none will ever have.
 */
static void no_new_name(char *s, size_t n, size_t at, const struct bytes *in)
{
	size_t name = at, end = at;

	while (end < n && is_letter(s[end]))
		end++;
	while (name && is_letter(s[name - 1]))
		name--;
	if (end > at && name && s[name - 1] == '!' &&
	    !has_name(in->data, in->n, s + name, end - name) &&
	    !has_name(every_kind_lines, strlen(every_kind_lines), s + name, end - name))
		s[at] = '~';
}

static uint64_t damage(const char *from, const char *to, const struct bytes *in, size_t at,
		       enum how how, uint64_t h)
{
	size_t n = how == CUT ? at : in->n;
	char *copy = xmemdup(in->data, n);
	struct conversion c;

	if (how == MORE)
		copy[at]++;
	else if (how == BIT)
		copy[at] = (char)(copy[at] ^ 1 << at / 2 % 8);
	if (how != CUT && !strcmp(from, "etrace"))
		no_new_name(copy, n, at, in);
	c = convert(from, to, copy, n, options);
	h = digest(h, &c.out) + (uint64_t)c.status;
	/* one about an FXT file of etrace names the program's version */
	if (strcmp(from, "fxt") || strcmp(to, "etrace"))
		h = digest(h, &c.messages);
	if (all)
		fprintf(all, "== %s to %s, %zu, %d: %d\n%s%s", from, to, at, how, c.status, c.out.data,
			c.messages.data);
	conversion_free(&c);
	free(copy);
	return h;
}

/* The digest, extended by damage to one more byte. */
static uint64_t damage_byte(const char *from, const char *to, const struct bytes *in, size_t at,
			    uint64_t h)
{
	h = damage(from, to, in, at, MORE, h);
	return damage(from, to, in, at, at % 2 ? CUT : BIT, h);
}

/* Add a line to the golden file: what was damaged, and the digest. */
static void __attribute__((format(printf, 2, 3))) add_digest(uint64_t h, const char *format, ...)
{
	char line[200];
	va_list args;
	int n;

	va_start(args, format);
	n = vsnprintf(line, sizeof(line), format, args);
	va_end(args);
	n += snprintf(line + n, sizeof(line) - (size_t)n, ": %016llx\n", (unsigned long long)h);
	bytes_add(&digests, line, (size_t)n);
}

static void damages(const char *name, const char *from, const char *to, const struct bytes *in)
{
	uint64_t h = BASIS;

	for (size_t i = 0; i < in->n; i++)
		if (is_edge(i, in->n))
			h = damage_byte(from, to, in, i, h);
	add_digest(h, "%s to %s, both ends", name, to);
	for (size_t first = 0; first < in->n;) {
		size_t end = first / CASE_STEP * CASE_STEP + CASE_STEP * BLOCK;

		if (is_tried(first)) {
			h = BASIS;
			for (size_t i = first; i < end && i < in->n; i += CASE_STEP)
				if (!is_edge(i, in->n))
					h = damage_byte(from, to, in, i, h);
			add_digest(h, "%s to %s, every %uth byte from %zu", name, to, CASE_STEP, first);
		}
		/* the block's next series, or the next block */
		first = first % CASE_STEP < CASE_STEP - 1 ? first + 1 : end;
	}
}

static void test_damaged_files(void **state)
{
	static const struct {
		const char *from, *file;
		const char *to[3];
	} rows[] = {
		{ "swap", "swap/swap-seqwrap.bin", { "json" } },
		{ "sp-rtrace", "sp-rtrace/64/gobj.rtrace", { "json" } },
		{ "sp-rtrace-text", "sp-rtrace/64/gobj.lcr.txt", { "sp-rtrace-text" } },
		{ "etrace", "../../fuzz/seeds/etrace/mixed", { "json", "stats" } },
		{ "etrace", "../../fuzz/seeds/etrace/long", { "etrace" } },
		{ "fxt", "../../fuzz/seeds/etrace_fxt/mixed", { "etrace" } },
		{ "fxt", "../../fuzz/seeds/fxt/all-little-endian.fxt", { "json", "check" } },
	};

	struct bytes kinds = { (char *)(uintptr_t)every_kind_lines, strlen(every_kind_lines), 0 };

	(void)state;
	damages("every kind", "etrace", "json", &kinds);
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct bytes in = fixture(rows[i].file);

		for (size_t k = 0; k < 3 && rows[i].to[k]; k++)
			damages(rows[i].file, rows[i].from, rows[i].to[k], &in);
		bytes_free(&in);
	}
}

/* Each line left out, and each line swapped with the next. */
static void test_missing_and_swapped_lines(void **state)
{
	struct bytes in = { (char *)(uintptr_t)every_kind_lines, strlen(every_kind_lines), 0 };
	size_t number = 0;

	(void)state;
	for (const char *s = in.data, *end; *s; s = end + 1) {
		uint64_t h = BASIS;

		end = strchr(s, '\n');
		if (!is_tried(number++))
			continue;
		for (unsigned int i = 0; i < 2 && (!i || end[1]); i++) {
			const char *rest = i ? strchr(end + 1, '\n') + 1 : end + 1;
			struct bytes b = { 0 };
			struct conversion c;

			bytes_add(&b, in.data, (size_t)(s - in.data));
			if (i) {
				bytes_add(&b, end + 1, (size_t)(rest - end - 1));
				bytes_add(&b, s, (size_t)(end + 1 - s));
			}
			bytes_add(&b, rest, strlen(rest));
			c = convert("etrace", "json", b.data, b.n, NULL);
			h = digest(digest(h, &c.out), &c.messages) + (uint64_t)c.status;
			conversion_free(&c);
			bytes_free(&b);
		}
		add_digest(h, "line at %zu", (size_t)(s - in.data));
	}
}

/* Every line twice: copies are dropped, except where they may be lines of their own. */
static void test_doubled_lines(void **state)
{
	struct bytes b = { 0 };

	(void)state;
	for (const char *s = every_kind_lines, *end; *s; s = end + 1) {
		end = strchr(s, '\n');
		for (unsigned int i = 0; i < 2; i++)
			bytes_add(&b, s, (size_t)(end + 1 - s));
	}
	damages("twice", "etrace", "etrace", &b);
	bytes_free(&b);
}

/* Counts that follow from a message's length; and other messages around it. */
static void test_damaged_system_messages(void **state)
{
	struct stream s = { 0 };

	(void)state;
	sw_sample(&s, 42, 0x8000);
	sw_system(&s, &(struct sw_system){ .cpus = 2, .devices = 3, .others = 1 });
	sw_system(&s, &(struct sw_system){ .cpus = 2, .devices = 3, .processes = 2, .threads = 1, .others = 2 });
	sw_sample(&s, 42, 0x8000);
	damages("system", "swap", "json", &s.b);
	sw_free(&s);
}

/* A message of each layout; every number that stands for a function has a name. */
static void test_damaged_messages(void **state)
{
	int fd = memfd_create("map", MFD_CLOEXEC);
	struct stream s = { 0 };
	unsigned int n = 0;
	char path[32];

	(void)state;
	assert_true(fd >= 0);
	for (unsigned int i = 0; i < 100; i++)
		dprintf(fd, "%u function %u\n", i, i);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	options = OPTIONS({ "swap-api-map", path });
	for (uint32_t id = 1; id < 0x0120; id++) {
		const struct swap_row *row = swap_row(id);

		if (!row || row->id != id || !row->layouts[0] || id == SWAP_SYSTEM)
			continue;
		sw_message(&s, id, row->layouts[0], 1, &n);
	}
	damages("messages", "swap", "fxt", &s.b);
	damages("messages", "swap", "stats", &s.b);
	options = NULL;
	sw_free(&s);
	close(fd);
}

/* Numbers at their limits, and lines of every kind. */
static void test_damaged_reports(void **state)
{
	static const char *const reports[] = {
		"version=1.1, arch=armv7l, time=2026.11.20 08:27:00, process=a, b, pid=4294967295, backtrace depth=10, origin=x,\x20\n"
		"# tracing module: [ff] memory (65535.65535)\n"
		"@ 80000000 : last\n@ 1 :\n"
		"<1> : memory (size (bytes))\n<80000000> : fd (f) [refcount]\n"
		": /lib/a => b => 0x1000-0xffffffffffffffff\n"
		"& maps : file : 1\n"
		"1. @ffffffff [1048576:59:59.999] malloc<memory>(4294967295) = 0x10\n\t$n = v\n\t0x10 in main at a.c:3\n\t0x20\n"
		"2. [00:00:00.123456] open<fd>(-2147483648) = 0xffffffffffffffff\n"
		"3. free<1>(0x10)\n$1 = v = w\n\n# remark\ntext\n18446744073709551615. close<80000000>(0x2)\n",

		"version=255.9, filter=leaks|compress, timestamp=31.12.9999 23:59:59, process=p,\x20\n"
		"<2> : only (one)\n"
		"## heap status information:\n##   heap bottom 0x1\n##   count of free chunks 2147483647\n"
		"##   total free space -2147483648\n"
		"1. f(1) = 0x1\n2. [08:09:59.9] g<x>(2) = 0x2\ncomment\n# allocation summary: 2 block(s), total size 3\n"
		"\t0x1 in ??\n\n4. @1 h(0) = 0x3\n# allocation summary: 2 block(s)\n\n5. i(0x1)\n\t0x5\n",
	};
	char name[40];

	(void)state;
	for (size_t i = 0; i < sizeof(reports) / sizeof(reports[0]); i++) {
		struct bytes in = { (char *)(uintptr_t)reports[i], strlen(reports[i]), 0 };

		snprintf(name, sizeof(name), "report %zu", i);
		damages(name, "sp-rtrace-text", "json", &in);
	}
}

/* Packets of most types, in the older forms and in the other byte order. */
static void test_damaged_logs(void **state)
{
	(void)state;
	for (unsigned int i = 0; i < 3; i++) {
		struct made m = { .major = i ? 1 : 2, .minor = i == 1 ? 0 : 3, .big = i < 2, .ptr = i ? 4 : 8,
				  .slip = i == 1 };
		char name[20];

		made_start(&m, "armv7l");
		made_process(&m, 4242, 1000000, 999999, 20, "a.out");
		made_module(&m, 8, 0x00020005, "memory");
		made_resource(&m, 2, 1, "fp", "file pointer");
		made_call(&m, 2, 6, 86399999, 2, "malloc", 0x80000000, 0x1230);
		made_packet(&m, "ARGS");
		made_u32(&m, 1);
		if (i != 1)
			made_str(&m, "path");
		made_str(&m, "/a b");
		made_end(&m);
		made_trace(&m, 0x8010, 2);
		made_packet(&m, "HINF");
		made_u32(&m, 0x1000);
		made_u32(&m, 0x2000);
		for (uint32_t k = 0; k < 10; k++)
			made_u32(&m, k);
		made_end(&m);
		made_call(&m, 2, 0, 1, 1, "free", 0, 0x1230);
		snprintf(name, sizeof(name), "log %u", i);
		damages(name, "sp-rtrace", "json", &m.b);
		bytes_free(&m.b);
	}
}

static void test_outputs_match_digests(void **state)
{
	(void)state;
	if (all_cases())
		golden_compare("damage", &digests);
	else
		golden_compare_some("damage", &digests);
	bytes_free(&digests);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_damaged_files),
		cmocka_unit_test(test_missing_and_swapped_lines),
		cmocka_unit_test(test_doubled_lines),
		cmocka_unit_test(test_damaged_system_messages),
		cmocka_unit_test(test_damaged_messages),
		cmocka_unit_test(test_damaged_reports),
		cmocka_unit_test(test_damaged_logs),
		cmocka_unit_test(test_outputs_match_digests),
	};
	const char *to = getenv("ETRACE_GOLDEN");
	char path[4096];

	setenv("TZ", "UTC", 1);
	if (to) {
		/* the golden file has all digests */
		setenv("LONG", "y", 1);
		snprintf(path, sizeof(path), "%s/damage.all", to);
		all = fopen(path, "w");
	}
	return cmocka_run_group_tests(tests, NULL, NULL);
}
