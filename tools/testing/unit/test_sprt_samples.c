// SPDX-License-Identifier: GPL-2.0
/*
 * The genuine captures in data/sp-rtrace: their content is compared with dumps made by an
 * independent decoder, and reports with those of the original post-processor.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "common_sprt.h"
#include "base/xalloc.h"

#define OPTS(...) (const struct opt_given[]){ __VA_ARGS__, { NULL, NULL } }
#define LEAKS		{ "leaks", NULL }
#define COMPRESS	{ "compress", NULL }

/* ---- reports ---- */

/*
 * One report of the original. @wrong: what it gets wrong (the last occurrence), @right: the
 * correct text. @groups: groups that sort alike are in the order of an internal table, which
 * is not compared.
 */
static const struct report {
	const char *log, *report;
	const struct opt_given *given;
	bool groups;
	const char *wrong, *right;
} reports[] = {
	{ .log = "32/leaky.rtrace", .report = "32/leaky.plain.txt" },
	{ .log = "32/leaky.rtrace", .report = "32/leaky.lc.txt", .given = OPTS(LEAKS, COMPRESS), .groups = true },
	{ .log = "32/fileops-mem.rtrace", .report = "32/fileops-mem.plain.txt" },
	{ .log = "32/fileops-mem.rtrace", .report = "32/fileops-mem.lc.txt",
	  .given = OPTS(LEAKS, COMPRESS), .groups = true, .wrong = "# 8 block(s) leaked with total size of 7 ",
	  .right = "# 1 block(s) leaked with total size of 304 " },

	{ .log = "64/cut.rtrace", .report = "64/cut.plain.txt" },
	{ .log = "64/gobj.rtrace", .report = "64/gobj.plain.txt" },
	{ .log = "64/gobj.rtrace", .report = "64/gobj.l.txt", .given = OPTS(LEAKS) },
	{ .log = "64/gobj.rtrace", .report = "64/gobj.c.txt", .given = OPTS(COMPRESS), .groups = true },
	{ .log = "64/gobj.rtrace", .report = "64/gobj.lc.txt", .given = OPTS(LEAKS, COMPRESS), .groups = true },
	{ .log = "64/leaky.rtrace", .report = "64/leaky.plain.txt" },
	{ .log = "64/leaky.rtrace", .report = "64/leaky.l.txt", .given = OPTS(LEAKS) },
	{ .log = "64/leaky.rtrace", .report = "64/leaky.c.txt", .given = OPTS(COMPRESS), .groups = true },
	{ .log = "64/leaky.rtrace", .report = "64/leaky.lc.txt", .given = OPTS(LEAKS, COMPRESS), .groups = true },
	{ .log = "64/leaky-notime.rtrace", .report = "64/leaky-notime.plain.txt" },
	{ .log = "64/leaky-notime.rtrace", .report = "64/leaky-notime.l.txt", .given = OPTS(LEAKS) },
	{ .log = "64/leaky-notime.rtrace", .report = "64/leaky-notime.c.txt", .given = OPTS(COMPRESS), .groups = true },
	{ .log = "64/leaky-notime.rtrace", .report = "64/leaky-notime.lc.txt",
	  .given = OPTS(LEAKS, COMPRESS), .groups = true },
	{ .log = "64/mt.rtrace", .report = "64/mt.plain.txt" },
	{ .log = "64/mt.rtrace", .report = "64/mt.l.txt", .given = OPTS(LEAKS) },
	{ .log = "64/mt.rtrace", .report = "64/mt.c.txt", .given = OPTS(COMPRESS), .groups = true },
	{ .log = "64/mt.rtrace", .report = "64/mt.lc.txt", .given = OPTS(LEAKS, COMPRESS), .groups = true },
	{ .log = "64/pagemap.rtrace", .report = "64/pagemap.plain.txt" },
	{ .log = "64/pagemap.rtrace", .report = "64/pagemap.l.txt", .given = OPTS(LEAKS) },
	{ .log = "64/pagemap.rtrace", .report = "64/pagemap.c.txt", .given = OPTS(COMPRESS), .groups = true },
	{ .log = "64/pagemap.rtrace", .report = "64/pagemap.lc.txt", .given = OPTS(LEAKS, COMPRESS), .groups = true },

	/* Leaks of the third resource: the original prints those of another one. */
	{ .log = "64/fileops-mem.rtrace", .report = "64/fileops-mem.plain.txt" },
	{ .log = "64/fileops-mem.rtrace", .report = "64/fileops-mem.l.txt", .given = OPTS(LEAKS),
	  .wrong = "# 8 block(s) leaked with total size of 7 ",
	  .right = "# 1 block(s) leaked with total size of 472 " },
	{ .log = "64/fileops-mem.rtrace", .report = "64/fileops-mem.c.txt", .given = OPTS(COMPRESS), .groups = true },
	{ .log = "64/fileops-mem.rtrace", .report = "64/fileops-mem.lc.txt",
	  .given = OPTS(LEAKS, COMPRESS), .groups = true, .wrong = "# 8 block(s) leaked with total size of 7 ",
	  .right = "# 1 block(s) leaked with total size of 472 " },
	{ .log = "64/shm.rtrace", .report = "64/shm.plain.txt" },
	{ .log = "64/shm.rtrace", .report = "64/shm.l.txt", .given = OPTS(LEAKS),
	  .wrong = "# 1 block(s) leaked with total size of 8192 ",
	  .right = "# 0 block(s) leaked with total size of 0 " },
	{ .log = "64/shm.rtrace", .report = "64/shm.c.txt", .given = OPTS(COMPRESS), .groups = true },
	{ .log = "64/shm.rtrace", .report = "64/shm.lc.txt", .given = OPTS(LEAKS, COMPRESS), .groups = true,
	  .wrong = "# 1 block(s) leaked with total size of 8192 ",
	  .right = "# 0 block(s) leaked with total size of 0 " },

	/* Options one by one. */
	{ .log = "64/leaky.rtrace", .report = "64/leaky.b2.txt", .given = OPTS({ "depth", "2" }) },
	{ .log = "64/leaky.rtrace", .report = "64/leaky.C1.txt", .given = OPTS({ "contexts", "1" }) },
	{ .log = "64/leaky.rtrace", .report = "64/leaky.calladdr.txt",
	  .given = OPTS({ "call-address", "bin/leaky:401000+1000" }) },
	{ .log = "64/leaky.rtrace", .report = "64/leaky.lc.sort-count.txt",
	  .given = OPTS(LEAKS, COMPRESS, { "sort", "count" }), .groups = true },
	{ .log = "64/fileops-mem.rtrace", .report = "64/fileops-mem.R1.txt",
	  .given = OPTS({ "resources", "1" }) },
	{ .log = "64/fileops-mem.rtrace", .report = "64/fileops-mem.R3.txt",
	  .given = OPTS({ "resources", "0x3" }) },

	/* Logs of older programs. */
	{ .log = "old32/leaky32-v1.2.rtrace", .report = "old32/leaky32-v1.2.newpp.txt" },
	{ .log = "old32/leaky32-v1.3.rtrace", .report = "old32/leaky32-v1.3.newpp.txt" },
	{ .log = "old32/leaky32-v1.6.rtrace", .report = "old32/leaky32-v1.6.newpp.txt" },
};

/* 64-bit logs of 2.0 have 32-bit pointers in heap information; the original reads 64-bit ones. */
static const char *const heap_reports[][2] = {
	{ "64/leaky-heap.plain.txt", NULL }, { "64/leaky-heap.l.txt", "leaks" },
};
static const char heap_right[] =
	"## heap status information:\n"
	"##   heap bottom 0x35227000\n"
	"##   heap top 0x35248000\n"
	"##   lowest block 0x352272a0\n"
	"##   highest block 0x352298b0\n"
	"##   non-mapped space allocated from system 135168\n"
	"##   count of free chunks 1\n"
	"##   count of freed fastbin blocks 0\n"
	"##   count of mapped regions 0\n"
	"##   space in mapped regions 0\n"
	"##   maximum total allocated space 0\n"
	"##   space available in freed fastbin blocks 0\n"
	"##   total allocated space, both normal and mmapped 10496\n"
	"##   total free space 124672\n"
	"##   space ideally releasable via malloc_trim 124672\n";

static char *replace_last(char *s, const char *wrong, const char *right)
{
	char *at = NULL, *made;

	for (char *p = s; (p = strstr(p, wrong)); p++)
		at = p;
	assert_non_null(at);
	*at = '\0';
	assert_true(asprintf(&made, "%s%s%s", s, right, at + strlen(wrong)) > 0);
	free(s);
	return made;
}

static int compare_text(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

/*
 * Sort the blocks between empty lines, beginning with the first call, alphabetically. What
 * follows the last block stays at the end.
 */
static char *sort_groups(char *s)
{
	char *groups[1024], *from = s, *end, *sorted;
	size_t n = 0, len = 0;

	while (*from && !(*from >= '0' && *from <= '9')) {
		from = strchr(from, '\n');
		assert_non_null(from);
		from++;
	}
	sorted = xcalloc(strlen(s) + 1, 1);
	len = (size_t)(from - s);
	memcpy(sorted, s, len);
	while ((end = strstr(from, "\n\n"))) {
		assert_true(n < 1024);
		groups[n] = xmemdup(from, (size_t)(end - from) + 3);
		groups[n++][end - from + 2] = '\0';
		from = end + 2;
	}
	qsort(groups, n, sizeof(*groups), compare_text);
	for (size_t i = 0; i < n; i++) {
		strcpy(sorted + len, groups[i]);
		len += strlen(groups[i]);
		free(groups[i]);
	}
	strcpy(sorted + len, from);
	free(s);
	return sorted;
}

static void reports_match_the_original(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(reports) / sizeof(*reports); i++) {
		const struct report *t = &reports[i];
		struct bytes log = sprt_sample(t->log);
		struct bytes want = sprt_sample(t->report);
		struct conversion got;

		got = sprt_convert("sp-rtrace", log.data, log.n,
				   "sp-rtrace-text", t->given);
		if (t->wrong)
			want.data = replace_last(want.data, t->wrong, t->right);
		if (t->groups) {
			want.data = sort_groups(want.data);
			got.out.data = sort_groups(got.out.data);
		}
		sprt_assert_text(got.out.data, want.data, t->report);
		assert_int_equal(got.status, !strcmp(t->log, "64/cut.rtrace"));
		bytes_free(&log);
		bytes_free(&want);
		conversion_free(&got);
	}
}

static void heap_information_matches(void **state)
{
	struct bytes log = sprt_sample("64/leaky-heap.rtrace");

	(void)state;
	for (size_t i = 0; i < 2; i++) {
		struct bytes want = sprt_sample(heap_reports[i][0]);
		const struct opt_given given[] = {
			{ heap_reports[i][1], NULL }, { NULL, NULL }
		};
		struct conversion got;
		char *from, *to, *made;

		got = sprt_convert("sp-rtrace", log.data, log.n,
				   "sp-rtrace-text", given);
		from = strstr(want.data, "## heap");
		to = strstr(want.data, "## tracing");
		assert_true(from && to);
		*from = '\0';
		assert_true(asprintf(&made, "%s%s%s", want.data, heap_right,
				     (*to = '#', to)) > 0);
		sprt_assert_text(got.out.data, made, heap_reports[i][0]);
		free(made);
		bytes_free(&want);
		conversion_free(&got);
	}
	bytes_free(&log);
}

/* --include and --exclude, with numbers in C notation. */
static void lists_of_calls_select_calls(void **state)
{
	static const char *const names[] = { "include", "exclude" };
	struct bytes log = sprt_sample("64/leaky.rtrace");
	char path[] = "/tmp/sprt-list-XXXXXX", report[64];
	int fd = mkstemp(path);
	FILE *f = fdopen(fd, "w");

	(void)state;
	assert_non_null(f);
	fputs("1\n2\n\n0x13\n032\n", f);
	fclose(f);
	for (size_t i = 0; i < 2; i++) {
		const struct opt_given given[] = {
			{ names[i], path }, { NULL, NULL }
		};
		struct conversion got;
		struct bytes want;

		snprintf(report, sizeof(report), "64/leaky.%s.txt", names[i]);
		want = sprt_sample(report);
		got = sprt_convert("sp-rtrace", log.data, log.n,
				   "sp-rtrace-text", given);
		sprt_assert_text(got.out.data, want.data, report);
		bytes_free(&want);
		conversion_free(&got);
	}
	remove(path);
	bytes_free(&log);
}

/* ---- contents ---- */

static const char *const logs[] = {
	"32/fileops-mem", "32/leaky", "64/cut", "64/fileops-mem", "64/gobj",
	"64/leaky", "64/leaky-heap", "64/leaky-notime", "64/mt", "64/pagemap",
	"64/shm", "old32/leaky32-v1.1", "old32/leaky32-v1.2",
	"old32/leaky32-v1.3", "old32/leaky32-v1.6",
};
#define NLOGS (sizeof(logs) / sizeof(*logs))

/* Takes "WORD=... " out of a line. */
static void drop_word(char *line, const char *word)
{
	char *at = strstr(line, word), *end;

	if (!at)
		return;
	end = strchr(at, ' ');
	assert_non_null(end);
	memmove(at, end + 1, strlen(end + 1) + 1);
}

/*
 * Convert a dump to the form that sprt_convert() gives for "plain": without offsets and
 * lengths, with current type names, without the packet that the end truncated.
 */
static char *plain_dump(char *dump)
{
	static const char *const old[][2] = {
		{ "OCCC", "OCFG" }, { "PIII", "PINF" }, { "MIII", "MINF" },
		{ "MMMM", "MMAP" }, { "REEE", "RESR" }, { "CAAA", "CALL" },
		{ "BTTT", "BTRC" }, { "CTTT", "CTXR" }, { "HIII", "HINF" },
		{ "ARRR", "ARGS" },
	};
	char *made = xcalloc(strlen(dump) + 2, 1), *save, *line;

	for (line = strtok_r(dump, "\n", &save); line;
	     line = strtok_r(NULL, "\n", &save)) {
		if (strstr(line, "TRUNCATED"))
			continue;
		if (*line == '@')
			line = strchr(line, ' ') + 1;
		for (size_t i = 0; i < sizeof(old) / sizeof(*old); i++)
			if (!strncmp(line, old[i][0], 4))
				memcpy(line, old[i][1], 4);
		drop_word(line, "size_byte=");
		drop_word(line, "len=");
		drop_word(line, "ptrwidth=");
		if (strstr(line, " total="))
			*strstr(line, " total=") = '\0';
		if (line[strlen(line) - 1] == ' ')
			line[strlen(line) - 1] = '\0';
		strcat(made, line);
		strcat(made, "\n");
	}
	free(dump);
	return made;
}

static void contents_match_the_dumps(void **state)
{
	char name[64];

	(void)state;
	for (size_t i = 0; i < NLOGS; i++) {
		struct conversion got;
		struct bytes log, dump;

		snprintf(name, sizeof(name), "%s.rtrace", logs[i]);
		log = sprt_sample(name);
		snprintf(name, sizeof(name), "%s.rtrace.dump.txt", logs[i]);
		dump = sprt_sample(name);
		dump.data = plain_dump(dump.data);
		got = sprt_convert("sp-rtrace", log.data, log.n, "plain", NULL);
		sprt_assert_text(got.out.data, dump.data, logs[i]);
		bytes_free(&log);
		bytes_free(&dump);
		conversion_free(&got);
	}
}

/*
 * What both a text report and a binary log contain: everything but the handshake, the output
 * directory and microseconds.
 */
static char *common_part(const char *plain)
{
	char *made = xcalloc(strlen(plain) + 1, 1), *copy = xstrdup(plain);
	char *save, *line, *lines[4096];
	size_t n = 0;

	for (line = strtok_r(copy, "\n", &save); line;
	     line = strtok_r(NULL, "\n", &save)) {
		if (!strncmp(line, "HANDSHAKE", 9) || !strncmp(line, "OCFG", 4))
			continue;
		drop_word(line, "usec=");
		assert_true(n < 4096);
		lines[n++] = line;
	}
	/* Other records than calls are elsewhere in a report. */
	for (int calls = 0; calls < 2; calls++) {
		size_t k = 0;
		char *some[4096];

		for (size_t i = 0; i < n; i++) {
			bool call = !strncmp(lines[i], "CALL", 4) ||
				    !strncmp(lines[i], "ARGS", 4) ||
				    !strncmp(lines[i], "BTRC", 4);

			if (call == calls)
				some[k++] = lines[i];
		}
		if (!calls)
			qsort(some, k, sizeof(*some), compare_text);
		for (size_t i = 0; i < k; i++) {
			strcat(made, some[i]);
			strcat(made, "\n");
		}
	}
	free(copy);
	return made;
}

static void assert_same_contents(const char *from_a, const struct bytes *a,
				 const char *from_b, const struct bytes *b)
{
	struct conversion x = sprt_convert(from_a, a->data, a->n, "plain", NULL);
	struct conversion y = sprt_convert(from_b, b->data, b->n, "plain", NULL);
	char *m = common_part(x.out.data), *n = common_part(y.out.data);

	sprt_assert_text(n, m, from_b);
	assert_true(strlen(m) > 500);
	free(m);
	free(n);
	conversion_free(&x);
	conversion_free(&y);
}

/* Reports of the original, of each version, contain the same as their logs. */
static void text_reports_match_binary_logs(void **state)
{
	/* Without leaky-heap: the original's heap information is wrong. */
	static const char *const pairs[][2] = {
		{ "32/fileops-mem.rtrace", "32/fileops-mem.plain.txt" },
		{ "32/leaky.rtrace", "32/leaky.plain.txt" },
		{ "64/cut.rtrace", "64/cut.plain.txt" },
		{ "64/fileops-mem.rtrace", "64/fileops-mem.plain.txt" },
		{ "64/fileops-mem.rtrace", "64/fileops-mem.c.txt" },
		{ "64/fileops-mem.rtrace", "64/fileops-mem.r.txt" },
		{ "64/gobj.rtrace", "64/gobj.c.txt" },
		{ "64/gobj.rtrace", "64/gobj.r.txt" },
		{ "64/leaky.rtrace", "64/leaky.plain.txt" },
		{ "64/leaky.rtrace", "64/leaky.c.txt" },
		{ "64/leaky.rtrace", "64/leaky.r.txt" },
		{ "64/leaky-notime.rtrace", "64/leaky-notime.c.txt" },
		{ "64/mt.rtrace", "64/mt.plain.txt" },
		{ "64/mt.rtrace", "64/mt.c.txt" },
		{ "64/mt.rtrace", "64/mt.r.txt" },
		{ "64/pagemap.rtrace", "64/pagemap.c.txt" },
		{ "64/shm.rtrace", "64/shm.c.txt" },
		{ "old32/leaky32-v1.1.rtrace", "old32/leaky32-v1.1.ownpp.txt" },
		{ "old32/leaky32-v1.2.rtrace", "old32/leaky32-v1.2.ownpp.txt" },
		{ "old32/leaky32-v1.3.rtrace", "old32/leaky32-v1.3.ownpp.txt" },
		{ "old32/leaky32-v1.6.rtrace", "old32/leaky32-v1.6.ownpp.txt" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(pairs) / sizeof(*pairs); i++) {
		struct bytes log = sprt_sample(pairs[i][0]);
		struct bytes report = sprt_sample(pairs[i][1]);

		assert_same_contents("sp-rtrace", &log, "sp-rtrace-text",
				     &report);
		bytes_free(&log);
		bytes_free(&report);
	}
}

/* Binary to text to model, with our own report. */
static void our_reports_lose_nothing(void **state)
{
	char name[64];

	(void)state;
	for (size_t i = 0; i < NLOGS; i++) {
		struct conversion plain, grouped;
		struct bytes log;

		snprintf(name, sizeof(name), "%s.rtrace", logs[i]);
		log = sprt_sample(name);
		plain = sprt_convert("sp-rtrace", log.data, log.n,
				     "sp-rtrace-text", NULL);
		assert_same_contents("sp-rtrace", &log, "sp-rtrace-text",
				     &plain.out);
		grouped = sprt_convert("sp-rtrace", log.data, log.n,
				       "sp-rtrace-text", OPTS(COMPRESS));
		/* In a grouped report, a call without a backtrace packet has an empty backtrace. */
		if (strcmp(logs[i], "64/cut"))
			assert_same_contents("sp-rtrace", &log, "sp-rtrace-text",
					     &grouped.out);
		conversion_free(&plain);
		conversion_free(&grouped);
		bytes_free(&log);
	}
}

/* Contexts survive, which the original loses when it reads its own report. */
static void reading_a_report_keeps_contexts(void **state)
{
	static const char *const names[] = {
		"32/leaky.plain.txt", "64/fileops-mem.plain.txt",
		"64/leaky.plain.txt", "64/leaky.r.txt", "64/leaky.C1.txt",
		"64/mt.plain.txt", "64/shm.plain.txt", "64/pagemap.plain.txt",
		"64/gobj.plain.txt", "64/leaky-notime.plain.txt",
		"64/leaky.calladdr.txt", "64/leaky-heap.plain.txt",
		"old32/leaky32-v1.2.newpp.txt",
	};

	(void)state;
	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		struct bytes report = sprt_sample(names[i]);
		struct conversion got;

		got = sprt_convert("sp-rtrace-text", report.data, report.n,
				   "sp-rtrace-text", NULL);
		sprt_assert_text(got.out.data, report.data, names[i]);
		assert_int_equal(got.status, 0);
		bytes_free(&report);
		conversion_free(&got);
	}
}

/* Options have the same effect on a report as on its log. */
static void options_work_on_reports(void **state)
{
	const struct opt_given *const options[] = {
		OPTS(LEAKS), OPTS(COMPRESS), OPTS(LEAKS, COMPRESS),
		OPTS({ "depth", "3" }), OPTS({ "contexts", "6" }),
		OPTS({ "resources", "4" }), OPTS({ "resources", "1" }, LEAKS),
	};
	static const char *const names[] = {
		"64/leaky", "64/fileops-mem", "64/shm", "32/fileops-mem",
	};
	char name[64];

	(void)state;
	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		for (size_t k = 0; k < sizeof(options) / sizeof(*options); k++) {
			struct bytes log, report;
			struct conversion a, b;

			snprintf(name, sizeof(name), "%s.rtrace", names[i]);
			log = sprt_sample(name);
			snprintf(name, sizeof(name), "%s.plain.txt", names[i]);
			report = sprt_sample(name);
			a = sprt_convert("sp-rtrace", log.data, log.n,
					 "sp-rtrace-text", options[k]);
			b = sprt_convert("sp-rtrace-text", report.data, report.n,
					 "sp-rtrace-text", options[k]);
			sprt_assert_text(b.out.data, a.out.data, names[i]);
			bytes_free(&log);
			bytes_free(&report);
			conversion_free(&a);
			conversion_free(&b);
		}
}

static void formats_detected_by_content(void **state)
{
	char name[64];

	(void)state;
	for (size_t i = 0; i < NLOGS; i++) {
		struct bytes log, report;

		snprintf(name, sizeof(name), "%s.rtrace", logs[i]);
		log = sprt_sample(name);
		report = sprt_sample("old32/leaky32-v1.1.ownpp.txt");
		for (const struct source_format *f = source_formats; f->name; f++) {
			int in_log = f->detect((uint8_t *)log.data, log.n);
			int in_report = f->detect((uint8_t *)report.data,
						  report.n);

			assert_int_equal(in_log == DETECT_SURE,
					 !strcmp(f->name, "sp-rtrace"));
			assert_int_equal(in_report == DETECT_SURE,
					 !strcmp(f->name, "sp-rtrace-text"));
		}
		bytes_free(&log);
		bytes_free(&report);
	}
}

static int set_time_zone(void **state)
{
	(void)state;
	/* The samples' reports were printed in UTC. */
	return setenv("TZ", "UTC", 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(reports_match_the_original),
		cmocka_unit_test(heap_information_matches),
		cmocka_unit_test(lists_of_calls_select_calls),
		cmocka_unit_test(contents_match_the_dumps),
		cmocka_unit_test(text_reports_match_binary_logs),
		cmocka_unit_test(our_reports_lose_nothing),
		cmocka_unit_test(reading_a_report_keeps_contexts),
		cmocka_unit_test(options_work_on_reports),
		cmocka_unit_test(formats_detected_by_content),
	};

	return cmocka_run_group_tests(tests, set_time_zone, NULL);
}
