// SPDX-License-Identifier: GPL-2.0
/*
 * What is made of damage: small inputs of every format with each byte one more,
 * one bit of it another, and cut there.  All that is written and said of it is
 * compared with what it was, by digests of the blocks that the bytes are in.  Where
 * a change is meant: golden_compare(); DIR/damage.all has what the digests are of.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "common_fxt.h"
#include "common_sprt.h"
#include "common_swap.h"
#include "xalloc.h"

#define BLOCK	32u	/* bytes of the input to a digest */

static struct bytes digests;
static FILE *all;

static uint64_t digest(uint64_t h, const struct bytes *b)
{
	/* the length, too: where one text ends and the next begins */
	h ^= b->n;
	for (size_t i = 0; i < b->n; i++)
		h = (h ^ (unsigned char)b->data[i]) * 0x100000001b3ull;
	return h;
}

enum how { MORE, BIT, CUT, NR_HOW };

static uint64_t damage(const char *from, const char *to, const struct bytes *in, size_t at,
		       enum how how, uint64_t h)
{
	size_t n = how == CUT ? at : in->n;
	char *copy = xmemdup(in->data, n);
	struct conversion c;

	if (how == MORE)
		copy[at]++;
	else if (how == BIT)
		copy[at] = (char)(copy[at] ^ 1 << at % 8);
	c = convert(from, to, copy, n, NULL);
	h = digest(h, &c.out) + (uint64_t)c.status;
	/* one about an FXT file of etrace's names the program's version */
	if (strcmp(from, "fxt") || strcmp(to, "etrace"))
		h = digest(h, &c.messages);
	if (all)
		fprintf(all, "== %s to %s, %zu, %d: %d\n%s%s", from, to, at, how, c.status, c.out.data,
			c.messages.data);
	conversion_free(&c);
	free(copy);
	return h;
}

static void damages(const char *name, const char *from, const char *to, const struct bytes *in)
{
	char line[200];

	for (size_t at = 0; at < in->n; at += BLOCK) {
		uint64_t h = 0xcbf29ce484222325ull;

		for (size_t i = at; i < at + BLOCK && i < in->n; i++)
			for (enum how how = MORE; how < NR_HOW; how++)
				h = damage(from, to, in, i, how, h);
		bytes_add(&digests, line, (size_t)snprintf(line, sizeof(line), "%s to %s, bytes from %zu: %016llx\n",
							   name, to, at, (unsigned long long)h));
	}
}

static void test_files(void **state)
{
	static const struct {
		const char *from, *file;
		const char *to[3];
	} rows[] = {
		{ "swap", "swap/swap-seqwrap.bin", { "json" } },
		{ "sp-rtrace", "sp-rtrace/64/gobj.rtrace", { "json" } },
		{ "sp-rtrace-text", "sp-rtrace/64/gobj.lcr.txt", { "json", "sp-rtrace-text" } },
		{ "etrace", "../../fuzz/seeds/etrace/mixed", { "json", "stats" } },
		{ "etrace", "../../fuzz/seeds/etrace/long", { "etrace" } },
		{ "fxt", "../../fuzz/seeds/etrace_fxt/mixed", { "etrace" } },
		{ "fxt", "../../fuzz/seeds/fxt/all-little-endian.fxt", { "json", "check" } },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct bytes in = fixture(rows[i].file);

		for (size_t k = 0; k < 3 && rows[i].to[k]; k++)
			damages(rows[i].file, rows[i].from, rows[i].to[k], &in);
		bytes_free(&in);
	}
}

/* Counts that lengths tell, of messages among others. */
static void test_system(void **state)
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

/* A message of each layout. */
static void test_messages(void **state)
{
	struct stream s = { 0 };
	unsigned int n = 0;

	(void)state;
	for (uint32_t id = 1; id < 0x0120; id++) {
		const struct swap_row *row = swap_row(id);

		if (!row || row->id != id || !row->layouts[0] || id == SWAP_SYSTEM)
			continue;
		sw_message(&s, id, row->layouts[0], 1, &n);
	}
	damages("messages", "swap", "fxt", &s.b);
	sw_free(&s);
}

static void test_digests(void **state)
{
	(void)state;
	golden_compare("damage", &digests);
	bytes_free(&digests);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_files),
		cmocka_unit_test(test_system),
		cmocka_unit_test(test_messages),
		cmocka_unit_test(test_digests),
	};
	const char *to = getenv("ETRACE_GOLDEN");
	char path[4096];

	setenv("TZ", "UTC", 1);
	if (to) {
		snprintf(path, sizeof(path), "%s/damage.all", to);
		all = fopen(path, "w");
	}
	return cmocka_run_group_tests(tests, NULL, NULL);
}
