// SPDX-License-Identifier: GPL-2.0
/* Whether a recording is complete, what is missing if not, and numbers for people. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "io/diag.h"
#include "base/text_num.h"
#include "record/verdict.h"

/* The text of a verdict, in one piece and as indented lines. */
static void expect(const struct rec_account *a, const char *want)
{
	struct diag *diag = diag_new(NULL, "test");
	char *lines = NULL, *printed = NULL;
	size_t len = 0, printed_len = 0;
	FILE *to = open_memstream(&printed, &printed_len);
	FILE *indented = open_memstream(&lines, &len);
	struct buf text = { 0 };
	struct verdict v;

	verdict_of(&v, a, diag);
	assert_int_equal(v.complete, !*want);
	assert_int_equal(diag_status(diag), *want ? 1 : 0);
	verdict_text(&v, &text);
	buf_addc(&text, 0);
	assert_string_equal(text.s, *want ? want : "complete");
	verdict_print(&v, to);
	fclose(to);
	for (const char *s = want; *s; s = *s ? s + 1 : s) {
		int n = (int)strcspn(s, "\n");

		fprintf(indented, "  %.*s\n", n, s);
		s += n;
	}
	fclose(indented);
	assert_string_equal(printed, lines);
	free(lines);
	free(printed);
	buf_free(&text);
	diag_free(diag);
}

/* Each thing that can be missing, alone. */
static void each_loss_is_reported(void **state)
{
	struct rec_tally tally = { 0 };
	struct rec_account a = { .tally = &tally };

	(void)state;
	expect(&a, "");
#define REPORTED(member, what)						\
	do {								\
		(member) = 2;						\
		expect(&a, "2 " what);					\
		(member) = 0;						\
	} while (0)
	REPORTED(a.module.lost_records, "records lost: a buffer was full");
	REPORTED(a.module.lost_disabled, "records lost: the kernel switched the ring buffer off after an error (dmesg says which)");
	REPORTED(a.module.overwritten, "records overwritten before being read");
	REPORTED(a.module.records, "records written that did not arrive");
	REPORTED(tally.records, "records arrived without being counted as written");
	REPORTED(a.missed, "calls missed because the BPF program was busy");
	REPORTED(a.module.lost_tasks, "tasks not traced: no memory");
	REPORTED(a.module.lost_fds, "calls of close_range, recvmsg or io_submit whose descriptors are not all known");
	REPORTED(a.module.strings_unread, "strings that could not be read");
	REPORTED(a.module.strings_cut, "paths cut: too long to record in full");
	REPORTED(a.module.rings_unseen, "io_uring requests that this kernel does not show");
	REPORTED(a.urings, "io_urings set up: not everything done through these is recorded");
	REPORTED(tally.incomplete, "events with something missing");
	REPORTED(a.not_taken, "events that this output did not take in time");
#undef REPORTED
	a.read_error = 5;
	expect(&a, "1 buffer that could not be read to the end");
}

/* Differences of counts that are no loss, and those that are. */
static void counts_that_differ_are_reported(void **state)
{
	struct rec_tally tally = { .records = 10, .events = 7 };
	struct rec_account a = { .tally = &tally, .bytes = 1, .buffer = 1, .waited = 1 };

	(void)state;
	a.module.records = 10;
	a.module.strings_joined = 3;
	expect(&a, "");
	a.module.records = 12;
	expect(&a, "2 records written that did not arrive");
	/* overwritten records are reported once */
	a.module.overwritten = 2;
	expect(&a, "2 records overwritten before being read");
	a.module.overwritten = 1;
	expect(&a, "1 record overwritten before being read\n1 record written that did not arrive");
	a.module.overwritten = 0;
	a.module.records = 9;
	expect(&a, "1 record arrived without being counted as written");
	a.module.records = 10;
	a.module.lost_disabled = 3;
	expect(&a, "3 records lost: the kernel switched the ring buffer off after an error (dmesg says which)");
}

/* All of them at once, in order. */
static void all_losses_are_reported_in_order(void **state)
{
	struct rec_tally tally = { .incomplete = 1 };
	struct rec_account a = { .tally = &tally, .missed = 1, .urings = 1,
				 .not_taken = 1, .read_error = 1 };
	struct diag *diag = diag_new(NULL, "test");
	struct verdict v;

	(void)state;
	a.module.overwritten = 1;
	a.module.records = 2;
	a.module.lost_tasks = 1;
	a.module.lost_fds = 1;
	a.module.rings_unseen = 1;
	a.module.strings_unread = 1;
	a.module.strings_cut = 1;
	verdict_of(&v, &a, diag);
	assert_int_equal(v.n, 12);
	for (unsigned int i = 0; i < v.n; i++) {
		uint64_t n = 0;

		assert_int_equal(v.missing[i].n, 1);
		/* also counted as damage, in the same order */
		assert_int_equal(diag_total(diag, v.missing[i].kind), 1);
		assert_ptr_equal(diag_next(diag, i, &n), v.missing[i].kind);
		assert_int_equal(n, 1);
		diag_count(diag, v.missing[i].kind, i);
		assert_int_equal(diag_total(diag, v.missing[i].kind), 1 + i);
	}
	assert_null(diag_next(diag, v.n, &(uint64_t){ 0 }));
	assert_int_equal(diag_total(diag, &(struct diag_kind){ "another", DIAG_DAMAGE }), 0);
	assert_string_equal(v.missing[0].kind->what, "records overwritten before being read");
	assert_string_equal(v.missing[11].kind->what, "buffers that could not be read to the end");
	diag_free(diag);
}

/* Damage counted by a backend's own reader is reported once; notes are not. */
static void reader_damage_is_reported_once(void **state)
{
	static const struct diag_kind unseen = { "tasks that nobody saw", DIAG_DAMAGE };
	static const struct diag_kind same = { "events with something missing", DIAG_DAMAGE };
	static const struct diag_kind note = { "lines of no interest", DIAG_NOTE };
	struct rec_tally tally = { .incomplete = 2 };
	struct diag *diag = diag_new(NULL, "test");
	struct rec_account a = { .tally = &tally, .found = diag };

	(void)state;
	diag_count(diag, &note, 5);
	expect(&a, "2 events with something missing");
	diag_count(diag, &same, 2);
	diag_count(diag, &unseen, 3);
	expect(&a, "2 events with something missing\n3 tasks that nobody saw");
	tally.incomplete = 0;
	expect(&a, "2 events with something missing\n3 tasks that nobody saw");
	diag_free(diag);
}

static void numbers_have_separators(void **state)
{
	/* at least four results can be used at once */
	const char *a = text_count(0), *b = text_count(999), *c = text_count(1000),
		   *d = text_count(UINT64_MAX);

	(void)state;
	assert_string_equal(a, "0");
	assert_string_equal(b, "999");
	assert_string_equal(c, "1,000");
	assert_string_equal(d, "18,446,744,073,709,551,615");
	assert_string_equal(text_count(123456), "123,456");
	assert_string_equal(text_counted(1, "entry", "entries"), "1 entry");
	assert_string_equal(text_counted(1000, "entry", "entries"), "1,000 entries");
	assert_string_equal(text_noun(2, "records lost"), "records lost");
	assert_string_equal(text_noun(1, "records lost"), "record lost");
	assert_string_equal(text_noun(1, "damaged messages"), "damaged message");
	assert_string_equal(text_noun(1, "entries of packages"), "entry of packages");
	assert_string_equal(text_noun(1, "losses"), "loss");
	assert_string_equal(text_noun(1, "all that"), "all that");
	assert_string_equal(text_noun(1, ""), "");
	a = text_bytes(0);
	b = text_bytes(999);
	c = text_bytes(1000);
	d = text_bytes(1549000);
	assert_string_equal(a, "0 B");
	assert_string_equal(b, "999 B");
	assert_string_equal(c, "1.0 kB");
	assert_string_equal(d, "1.5 MB");
	assert_string_equal(text_bytes(2500000000), "2.5 GB");
	assert_string_equal(text_bytes(4000000000000), "4.0 TB");
	assert_string_equal(text_bytes(4000000000000000), "4000.0 TB");
	a = text_time(0);
	b = text_time(12345678901);
	c = text_time(59999000000);
	d = text_time(60000000000);
	assert_string_equal(a, "0 s");
	assert_string_equal(b, "12.3 s");
	assert_string_equal(c, "1 min 00 s");
	assert_string_equal(d, "1 min 00 s");
}

/* Each line of data/times has nanoseconds and the text; the page's tests read the file, too. */
static void times_are_readable(void **state)
{
	const char *dir = getenv("ETRACE_DATA");
	char line[64], path[4096], *text;
	unsigned int n = 0;
	FILE *f;

	(void)state;
	snprintf(path, sizeof(path), "%s/times", dir ? dir : "data");
	f = fopen(path, "r");
	assert_non_null(f);
	for (; fgets(line, sizeof(line), f); n++) {
		uint64_t ns = strtoull(line, &text, 10);

		text[strcspn(text, "\n")] = 0;
		assert_string_equal(text_time(ns), text + 1);
	}
	assert_true(n > 30);
	fclose(f);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_loss_is_reported),
		cmocka_unit_test(counts_that_differ_are_reported),
		cmocka_unit_test(all_losses_are_reported_in_order),
		cmocka_unit_test(reader_damage_is_reported_once),
		cmocka_unit_test(numbers_have_separators),
		cmocka_unit_test(times_are_readable),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
