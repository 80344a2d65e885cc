// SPDX-License-Identifier: GPL-2.0
/*
 * The page of a build: numbers, texts and sections survive a round trip, and what exceeds the
 * budget is left out in the order of Documentation/page.md, and reported. Content of the
 * sections: tools/testing/answers/tests/page.sh.
 */
#include "common_convert.h"
#include "show/page.h"
#include "show/page_section.h"
#include "answers/used_packages.h"

#include <cmocka.h>
#include <nettle/base64.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

/*
 * Replaces the real function (see the Makefile), which would read this machine's packages for
 * each page and make their section any size.
 */
bool __wrap_used_packages(const struct used *u);
bool __wrap_used_packages(const struct used *u)
{
	(void)u;
	return false;
}

/* ---- numbers ---- */

static uint64_t read_number(const uint8_t **at, const uint8_t *end)
{
	uint64_t v = 0;

	for (unsigned int shift = 0;; shift += 7) {
		assert_true(*at < end && shift < 64);
		v |= (uint64_t)(**at & 0x7f) << shift;
		if (*(*at)++ < 0x80)
			return v;
	}
}

static int64_t read_signed(const uint8_t **at, const uint8_t *end)
{
	uint64_t v = read_number(at, end);

	return (int64_t)(v >> 1 ^ -(v & 1));
}

static void test_columns_of_numbers(void **state)
{
	static const uint8_t known[] = { 0, 1, 0x7f, 0x80, 1, 0xac, 2, 0, 1, 2, 3, 0x80, 1 };
	static const uint64_t numbers[] = { 0, 1, 127, 128, 300 };
	static const int64_t integers[] = { 0, -1, 1, -2, 64 };
	static const int64_t plain[] = { 0, 1, -1, 63, -64, 64, INT64_MAX, INT64_MIN };
	struct out *o = out_mem();
	const uint8_t *at;
	size_t len;

	(void)state;
	for (unsigned int i = 0; i < 5; i++)
		page_number(o, numbers[i]);
	for (unsigned int i = 0; i < 5; i++)
		page_signed(o, integers[i]);
	at = out_mem_data(o, &len);
	assert_int_equal(len, sizeof(known));
	assert_memory_equal(at, known, len);
	out_close(o);

	o = out_mem();
	for (unsigned int bit = 0; bit < 64; bit++) {
		page_number(o, 1ull << bit);
		page_number(o, (1ull << bit) - 1);
	}
	page_number(o, UINT64_MAX);
	for (unsigned int i = 0; i < sizeof(plain) / sizeof(plain[0]); i++)
		page_signed(o, plain[i]);
	at = out_mem_data(o, &len);
	for (unsigned int bit = 0; bit < 64; bit++) {
		assert_true(read_number(&at, at + 10) == 1ull << bit);
		assert_true(read_number(&at, at + 10) == (1ull << bit) - 1);
	}
	assert_true(read_number(&at, at + 10) == UINT64_MAX);
	for (unsigned int i = 0; i < sizeof(plain) / sizeof(plain[0]); i++)
		assert_true(read_signed(&at, at + 10) == plain[i]);
	out_close(o);
}

static void test_texts_in_sections(void **state)
{
	static const char expected[] = "a\0\0</script>\0\xef\xbf\xbd(\0\xef\xbf\xbd\0\n\xe6\x97\xa5";
	struct out *o = out_mem();
	const char *got;
	size_t len;

	(void)state;
	page_text(o, "a", 1);
	page_text(o, "", 0);
	page_text(o, "</script>", 9);
	page_text(o, "\xff(", 2);
	page_text(o, "\0", 1);
	page_text(o, "\n\xe6\x97\xa5", 4);
	got = out_mem_data(o, &len);
	assert_int_equal(len, sizeof(expected));
	assert_memory_equal(got, expected, len);
	out_close(o);
}

/* ---- sections ---- */

/* The content of a section of a page, to be freed; NULL if missing. */
static char *section(const char *page, size_t len, const char *name, size_t *size)
{
	struct base64_decode_ctx ctx;
	const char *at, *end;
	uint8_t *packed;
	size_t n;
	uLongf full;
	char head[128];
	char *text;

	snprintf(head, sizeof(head),
		 "<script type=\"application/octet-stream\" id=\"%s\" data-size=\"", name);
	at = memmem(page, len, head, strlen(head));
	if (!at)
		return NULL;
	full = strtoul(at + strlen(head), (char **)&end, 10);
	assert_memory_equal(end, "\">", 2);
	at = end + 2;
	end = memmem(at, len - (size_t)(at - page), "</script>\n", 10);
	assert_non_null(end);
	n = BASE64_DECODE_LENGTH((size_t)(end - at));
	packed = malloc(n + 1);
	base64_decode_init(&ctx);
	assert_true(base64_decode_update(&ctx, &n, packed, (size_t)(end - at), at));
	assert_true(base64_decode_final(&ctx));
	*size = full;
	text = malloc(full + 2);
	full += 1;
	assert_int_equal(uncompress((Bytef *)text, &full, packed, n), Z_OK);
	assert_int_equal(full, *size);
	text[full] = 0;
	free(packed);
	return text;
}

static void fill(char *s, size_t n, unsigned int seed)
{
	for (size_t i = 0; i < n; i++) {
		seed = seed * 1664525 + 1013904223;
		s[i] = (char)(seed >> 24);
	}
}

static void test_sections_of_page(void **state)
{
	static const size_t sizes[] = { 0, 1, 2, 3, 4, 100, 12287, 12288, 12289, 16383, 16384, 16385,
					65536, 1000000 };
	const size_t nr = sizeof(sizes) / sizeof(sizes[0]);
	struct page_sections s = { 0 };
	struct out *o = out_mem();
	char *in = malloc(1000000), *back;
	uint64_t packed;
	size_t len, size;
	const char *page;

	(void)state;
	for (size_t i = 0; i < nr; i++) {
		struct out *to = page_section_of(&s, "part", i);

		/* incompressible data, in two pieces */
		fill(in, sizes[i], (unsigned int)i);
		out_write(to, in, sizes[i] / 3);
		out_write(to, in + sizes[i] / 3, sizes[i] - sizes[i] / 3);
		assert_int_equal(out_close(to), 0);
	}
	packed = s.packed;
	out_close(page_section(&s, "none"));
	assert_true(s.packed > packed);
	page_sections_forget(&s, nr);
	assert_true(s.packed == packed);
	page_sections_put(&s, o);
	page = out_mem_data(o, &len);
	/* the estimate counts more bytes for a name than these names need */
	assert_in_range(len, packed - 60 * nr, packed);
	for (size_t i = 0; i < nr; i++) {
		char name[32];

		snprintf(name, sizeof(name), "part-%zu", i);
		back = section(page, len, name, &size);
		assert_non_null(back);
		assert_int_equal(size, sizes[i]);
		fill(in, size, (unsigned int)i);
		assert_memory_equal(back, in, size);
		free(back);
	}
	assert_null(section(page, len, "none", &size));
	page_sections_free(&s);
	out_close(o);
	free(in);
}

/* ---- over budget ---- */

enum left {
	LEFT_COMMANDS = 1, LEFT_READS_DATA = 2, LEFT_READS_MADE = 4, LEFT_READS_ALL = 8, LEFT_INPUTS = 16,
};

/* The part of @reads that is left at a stage, in the page's encoding. */
static struct out *expected(const char *reads, size_t len, const uint8_t *made, unsigned int stage)
{
	const uint8_t *at = (const uint8_t *)reads, *end = at + len;
	struct out *o = out_mem();
	uint64_t list[10000];

	while (at < end) {
		uint64_t n = read_number(&at, end), v = 0, before = 0;
		size_t kept = 0;

		assert_in_range(n, 0, 9999);
		while (n--) {
			v += read_number(&at, end);
			/* made by the build: neither GRAPH_EXISTED nor GRAPH_SPECIAL and later */
			if (made[v / 2] != 0 && made[v / 2] < 6)
				list[kept++] = v;
			else if (stage == 0 || (stage == LEFT_READS_DATA && v % 2 == 0))
				list[kept++] = v;
		}
		page_number(o, kept);
		for (size_t i = 0; i < kept; i++) {
			page_number(o, list[i] - before);
			before = list[i];
		}
	}
	return o;
}

/* All reads, and how each version was made. */
static struct {
	char *reads;
	size_t len;
	uint8_t made[10000];
} all;

static void load_all(struct db *db)
{
	struct out *o = out_mem();
	const uint8_t *at, *end;
	const char *page;
	char *meta, *versions;
	size_t len, size, n;

	page_put(db, o, NULL, UINT64_MAX);
	page = out_mem_data(o, &len);
	all.reads = section(page, len, "reads-0", &all.len);
	assert_non_null(all.reads);
	meta = section(page, len, "meta", &size);
	n = strtoul(strstr(meta, "\"versions\":") + strlen("\"versions\":"), NULL, 10);
	assert_in_range(n, 10, sizeof(all.made));
	versions = section(page, len, "versions", &size);
	at = (const uint8_t *)versions;
	end = at + size;
	for (size_t i = 0; i < 3 * n; i++) {
		uint64_t v = read_number(&at, end);

		if (i / n == 2)
			all.made[i % n] = (uint8_t)v;
	}
	assert_true(at == end);
	free(versions);
	free(meta);
	out_close(o);
}

/* What a page with this budget reports as left out; check that exactly this is missing. */
static unsigned int left_of(struct db *db, uint64_t budget)
{
	static const char *const always[] = { "writes-0", "files-0", "slices" };
	struct out *o = out_mem();
	unsigned int left = 0;
	size_t len, size, wanted_len;
	const char *page;
	char *meta, *list, *s;

	page_put(db, o, NULL, budget);
	page = out_mem_data(o, &len);
	meta = section(page, len, "meta", &size);
	list = strstr(meta, "\"left_out\":[");
	assert_non_null(list);
	left |= strstr(list, "\"what files were made from;") ? LEFT_INPUTS : 0;
	left |= strstr(list, "\"commands;") ? LEFT_COMMANDS : 0;
	left |= strstr(list, "\"programs and libraries that were used;") ? LEFT_READS_DATA : 0;
	left |= strstr(list, "\"what programs read and the build did not make;") ? LEFT_READS_MADE : 0;
	left |= strstr(list, "\"what programs read;") ? LEFT_READS_ALL : 0;
	free(meta);
	s = section(page, len, "inputs-0", &size);
	assert_int_equal(!s, !!(left & LEFT_INPUTS));
	free(s);
	s = section(page, len, "commands-0", &size);
	assert_int_equal(!s, !!(left & LEFT_COMMANDS));
	free(s);
	s = section(page, len, "reads-0", &size);
	assert_int_equal(!s, !!(left & LEFT_READS_ALL));
	if (s) {
		struct out *e = expected(all.reads, all.len, all.made, left & ~(LEFT_COMMANDS | LEFT_INPUTS));
		const void *wanted = out_mem_data(e, &wanted_len);

		assert_int_equal(size, wanted_len);
		assert_memory_equal(s, wanted, size);
		out_close(e);
	}
	free(s);
	/* sections that are always present */
	for (unsigned int i = 0; i < 3; i++) {
		s = section(page, len, always[i], &size);
		assert_non_null(s);
		free(s);
	}
	out_close(o);
	return left;
}

/* What a page lacks, from the least budget to the largest. */
static const unsigned int stages[] = {
	LEFT_INPUTS | LEFT_COMMANDS | LEFT_READS_ALL, LEFT_INPUTS | LEFT_COMMANDS | LEFT_READS_MADE,
	LEFT_INPUTS | LEFT_COMMANDS | LEFT_READS_DATA, LEFT_INPUTS | LEFT_COMMANDS,
	LEFT_COMMANDS | LEFT_READS_ALL, LEFT_COMMANDS | LEFT_READS_MADE,
	LEFT_COMMANDS | LEFT_READS_DATA, LEFT_COMMANDS,
	LEFT_READS_ALL, LEFT_READS_MADE, LEFT_READS_DATA, 0,
};

#define STAGES		(sizeof(stages) / sizeof(stages[0]))
#define WITH_COMMANDS	8u	/* the first stage that has them */
#define BASE64_STEP	4u	/* bytes by which a section grows */

static size_t stage_of(struct db *db, uint64_t budget)
{
	unsigned int left = left_of(db, budget);
	size_t i = 0;

	while (i < STAGES && stages[i] != left)
		i++;
	if (i == STAGES)
		fail_msg("with %llu bytes the page lacks the parts %x", (unsigned long long)budget, left);
	return i;
}

/* The smallest budget that reaches @stage or a later one; @high reaches it. */
static uint64_t least_budget(struct db *db, size_t stage, uint64_t low, uint64_t high)
{
	while (high - low > BASE64_STEP) {
		uint64_t middle = (low + high) / 2 / BASE64_STEP * BASE64_STEP;

		if (stage_of(db, middle) < stage)
			low = middle;
		else
			high = middle;
	}
	return high;
}

/*
 * Inputs and commands are included as soon as there is room for them; reads take the
 * remaining space. A larger budget leaves out less.
 */
static void test_size_budget(void **state)
{
	struct diag *diag = diag_new(stderr, "test");
	uint64_t least[STAGES], enough = 8192;
	struct opts opts;
	char path[4096];
	char *files[] = { path };
	struct db *db;

	(void)state;
	snprintf(path, sizeof(path), "%s/etrace/hello.etrace", getenv("ETRACE_DATA"));
	opts_init(&opts);
	db = answers_open(files, 1, NULL, &opts, diag);
	assert_non_null(db);
	load_all(db);
	assert_int_equal(stage_of(db, 0), 0);
	assert_int_equal(stage_of(db, enough), STAGES - 1);
	for (size_t i = WITH_COMMANDS; i < STAGES; i++) {
		least[i] = least_budget(db, i, i == WITH_COMMANDS ? 0 : least[i - 1], enough);
		assert_int_equal(stage_of(db, least[i]), i);
	}
	for (uint64_t budget = 64; budget < least[WITH_COMMANDS]; budget += 64)
		assert_true(stage_of(db, budget) < WITH_COMMANDS);
	for (size_t i = WITH_COMMANDS; i < STAGES - 1; i++)
		for (uint64_t budget = least[i]; budget < least[i + 1]; budget += BASE64_STEP)
			assert_int_equal(stage_of(db, budget), i);
	free(all.reads);
	db_close(db);
	opts_free(&opts);
	diag_free(diag);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_columns_of_numbers),
		cmocka_unit_test(test_texts_in_sections),
		cmocka_unit_test(test_sections_of_page),
		cmocka_unit_test(test_size_budget),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
