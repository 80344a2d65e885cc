// SPDX-License-Identifier: GPL-2.0
/*
 * Ring-buffer pages into events. data/rec/ holds what one traced workload left in the buffers
 * of two CPUs: the raw pages, the event formats, and the module's own text of the same
 * records (file "trace").
 */
#include <limits.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <traceevent/event-parse.h>
#include <traceevent/kbuffer.h>

#include "common_convert.h"
#include "format/fxt_events/etrace_fxt_format.h"
#include "record/notable.h"
#include "format/lines/event_lines.h"
#include "record/module/rec_merge.h"
#include "record/module/rec_page.h"
#include "base/xalloc.h"

#define PAGE 4096u
#define CPUS 2u
#define LIMIT (200u * PAGE)
#define PID_BITS 22u	/* of the workload's upids */

static struct rec_formats formats;
static struct bytes pages[CPUS];

static int setup(void **state)
{
	struct bytes text = fixture("rec/formats");
	struct tep_handle *tep = tep_alloc();
	char *s = (char *)text.data, *end, why[200];

	(void)state;
	tep_set_loglevel(TEP_LOG_NONE);
	while ((end = strstr(s, "==end\n"))) {
		tep_parse_event(tep, s, (unsigned long)(end - s), "etrace");
		s = end + strlen("==end\n");
	}
	if (!rec_formats_init(&formats, tep, why, sizeof(why)))
		fail_msg("%s", why);
	tep_free(tep);
	bytes_free(&text);
	pages[0] = fixture("rec/pages.0");
	pages[1] = fixture("rec/pages.1");
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	rec_formats_fini(&formats);
	bytes_free(&pages[0]);
	bytes_free(&pages[1]);
	return 0;
}

/* A sink that prints events and checks their order; the summary gets all of them, too. */
struct printer {
	struct sink sink;
	struct buf lines;
	struct notable *notable;	/* NULL if not wanted */
	uint64_t last;
	unsigned int n, incomplete, disorder, lost;
};

static int print_item(struct sink *s, const void *item)
{
	struct printer *p = (struct printer *)s;
	const struct et_event *ev = item;

	p->n++;
	p->incomplete += (ev->flags & ET_F_INCOMPLETE) != 0;
	p->disorder += ev->time < p->last && !(ev->flags & ET_F_LATE);
	p->lost += ev->kind == ET_K_LOST;
	p->last = ev->time > p->last ? ev->time : p->last;
	et_print_lines(ev, 0, &p->lines);
	if (p->notable)
		notable_event(p->notable, ev);
	return 0;
}

static const struct sink_ops print_ops = { .item = print_item };

static size_t give(struct merge *m, unsigned int cpu, size_t from, size_t n)
{
	for (; n && from + PAGE <= pages[cpu].n; n--, from += PAGE) {
		void *room = merge_room(m, cpu);

		assert_non_null(room);
		memcpy(room, pages[cpu].data + from, PAGE);
		merge_page(m, cpu);
	}
	return from;
}

static void give_all(struct merge *m)
{
	size_t at[CPUS] = { 0 }, before;

	do {
		before = at[0] + at[1];
		at[0] = give(m, 0, at[0], 3);
		at[1] = give(m, 1, at[1], 2);
		merge_run(m, 7);
	} while (at[0] + at[1] > before);
	merge_end(m);
}

/* Compare with the module's own text of the same records, which the line reader sorts. */
static void same_text_as_the_module(void **state)
{
	struct bytes text = fixture("rec/trace");
	struct conversion c = convert("etrace", "etrace", text.data, text.n, NULL);
	struct printer p = { .sink.ops = &print_ops };
	struct rec_events *e = rec_events_new(&formats, &p.sink);
	struct merge *m = merge_new(CPUS, PAGE, LIMIT, &formats, e);

	(void)state;
	give_all(m);
	assert_int_equal(rec_events_tally(e)->foreign, 0);
	assert_int_equal(p.incomplete, 0);
	assert_int_equal(p.disorder, 0);
	assert_int_equal(p.n, rec_events_tally(e)->events);
	assert_true(p.n > 300);
	/* both print the same lines, byte by byte */
	assert_int_equal(p.lines.len, c.out.n);
	assert_memory_equal(p.lines.s, c.out.data, c.out.n);

	merge_free(m);
	rec_events_free(e);
	buf_free(&p.lines);
	conversion_free(&c);
	bytes_free(&text);
}

/* The FXT file is the same as well, including the times of each event's later records. */
static void same_fxt_as_from_text(void **state)
{
	struct bytes text = fixture("rec/trace");
	/* without ftrace's own 12 lines, which the verdict would count */
	const char *lines = strstr(text.data, "\n ") + 1;
	struct conversion c = convert("etrace", "fxt", lines,
				      text.n - (size_t)(lines - text.data), NULL);
	struct out *out = out_mem();
	struct opts opts = { 0 };
	struct diag *diag = diag_new(NULL, "test");
	struct sink *fxt = etrace_fxt_open(&(struct sink_args){ out, &opts, diag, "etrace" });
	struct rec_events *e = rec_events_new(&formats, fxt);
	struct merge *m = merge_new(CPUS, PAGE, LIMIT, &formats, e);
	struct conversion ours, theirs;
	const void *data;
	size_t n;

	(void)state;
	give_all(m);
	assert_int_equal(sink_end(fxt), 0);
	data = out_mem_data(out, &n);
	/*
	 * Records contain the flags of a call whose names could not be read; lines do not.
	 * Therefore compare the lines made from both files.
	 */
	ours = convert("fxt", "etrace", data, n, NULL);
	theirs = convert("fxt", "etrace", c.out.data, c.out.n, NULL);
	assert_int_equal(ours.status, 0);
	assert_int_equal(ours.out.n, theirs.out.n);
	assert_memory_equal(ours.out.data, theirs.out.data, ours.out.n);
	conversion_free(&ours);
	conversion_free(&theirs);
	sink_free(fxt);
	out_close(out);
	diag_free(diag);
	merge_free(m);
	rec_events_free(e);
	conversion_free(&c);
	bytes_free(&text);
}

/* Rings grow while the first page is not in the first slot. */
static void rings_grow(void **state)
{
	struct printer p[2] = { { .sink.ops = &print_ops }, { .sink.ops = &print_ops } };

	(void)state;
	for (unsigned int at_once = 0; at_once < 2; at_once++) {
		struct rec_events *e = rec_events_new(&formats, &p[at_once].sink);
		struct merge *m = merge_new(CPUS, PAGE, LIMIT, &formats, e);

		merge_seen(m, 1, UINT64_MAX);
		give(m, 0, 0, 5);
		while (merge_waiting(m) > 2 * PAGE)
			assert_true(merge_run(m, 1));
		/* more pages than a ring holds: the same ones again and again */
		for (unsigned int n = 5; n < 150; n++) {
			size_t at = (n * PAGE) % pages[0].n;

			give(m, 0, at, 1);
			if (!at_once)
				merge_run(m, UINT_MAX);
		}
		if (at_once)
			assert_int_equal(merge_waiting(m), 147 * PAGE);
		merge_end(m);
		assert_int_equal(merge_waiting(m), 0);
		merge_free(m);
		rec_events_free(e);
	}
	assert_true(p[0].n > 300);
	assert_int_equal(p[1].lines.len, p[0].lines.len);
	assert_memory_equal(p[1].lines.s, p[0].lines.s, p[0].lines.len);
	buf_free(&p[0].lines);
	buf_free(&p[1].lines);
}

/* Records with equal times on two CPUs: neither waits for the other forever. */
static void equal_times_on_two_cpus(void **state)
{
	uint64_t records[2];

	(void)state;
	for (unsigned int both = 0; both < 2; both++) {
		struct printer p = { .sink.ops = &print_ops };
		struct rec_events *e = rec_events_new(&formats, &p.sink);
		struct merge *m = merge_new(CPUS, PAGE, LIMIT, &formats, e);

		give(m, 0, 0, 2);
		if (both) {
			memcpy(merge_room(m, 1), pages[0].data, PAGE);
			merge_page(m, 1);
			memcpy(merge_room(m, 1), pages[0].data + PAGE, PAGE);
			merge_page(m, 1);
		}
		merge_end(m);
		records[both] = rec_events_tally(e)->records;
		assert_int_equal(merge_missed(m), 0);
		merge_free(m);
		rec_events_free(e);
		buf_free(&p.lines);
	}
	assert_true(records[0] > 0);
	assert_int_equal(records[1], 2 * records[0]);
}

/* Records of one CPU wait until the other CPU cannot deliver older ones. */
static void records_wait_for_other_cpus(void **state)
{
	struct printer p = { .sink.ops = &print_ops };
	struct rec_events *e = rec_events_new(&formats, &p.sink);
	struct merge *m = merge_new(CPUS, PAGE, LIMIT, &formats, e);
	unsigned int n;

	(void)state;
	give(m, 0, 0, 2);
	merge_run(m, UINT_MAX);
	assert_int_equal(p.n, 0);
	merge_seen(m, 1, UINT64_MAX);
	merge_run(m, UINT_MAX);
	n = p.n;
	assert_true(n > 0);
	assert_true(rec_events_tally(e)->records >= n);
	merge_end(m);
	assert_int_equal(p.disorder, 0);
	merge_free(m);
	rec_events_free(e);
	buf_free(&p.lines);
}

/* Pages in memory stay within the limit. */
static void memory_is_bounded(void **state)
{
	struct printer p = { .sink.ops = &print_ops };
	struct rec_events *e = rec_events_new(&formats, &p.sink);
	struct merge *m = merge_new(CPUS, PAGE, LIMIT, &formats, e);
	unsigned int n = 0;
	void *room;

	(void)state;
	while ((room = merge_room(m, 0)) && n <= 1000) {
		memcpy(room, pages[0].data, PAGE);
		merge_page(m, 0);
		n++;
	}
	assert_int_equal(n, LIMIT / PAGE);
	assert_int_equal(merge_waiting(m), LIMIT);
	/* the other CPU may still add a few pages, otherwise nothing could ever be merged */
	for (n = 0; (room = merge_room(m, 1)) && n <= 1000; n++) {
		memcpy(room, pages[1].data, PAGE);
		merge_page(m, 1);
	}
	assert_int_equal(n, MERGE_PAGES);
	merge_end(m);
	assert_int_equal(merge_waiting(m), 0);
	assert_int_equal(merge_peak(m), LIMIT + MERGE_PAGES * PAGE);
	assert_non_null(merge_room(m, 0));
	merge_free(m);
	rec_events_free(e);
	buf_free(&p.lines);
}

/* The start of the last record of a page that holds only our records. */
static uint8_t *last_record(uint8_t *page)
{
	unsigned long word;
	struct rec_page p;
	uint8_t *last = NULL;
	uint32_t size;
	bool missed;

	memcpy(&word, page + 8, sizeof(word));
	rec_page_begin(&p, page, PAGE, &missed);
	assert_ptr_equal(p.end, page + REC_PAGE_HEAD + (word & REC_PAGE_COMMIT));
	for (uint8_t *at = (uint8_t *)(uintptr_t)p.at; rec_page_next(&p, &size);
	     at = (uint8_t *)(uintptr_t)p.at)
		last = at;
	return last;
}

static uint32_t page_records(uint8_t *page)
{
	struct rec_page p;
	uint32_t size, n = 0;
	bool missed;

	rec_page_begin(&p, page, PAGE, &missed);
	for (; rec_page_next(&p, &size); n++)
		assert_true(size > 0);
	return n;
}

/* A page's header and record lengths can be anything: nothing is read beyond the page. */
static void damaged_pages(void **state)
{
	static const struct {
		uint32_t words[2];
		size_t n;
	} heads[] = {
		/* records longer than the page, or of length 0 */
		{ { 28 }, 1 }, { { 0, 0xfffffffe }, 2 }, { { 0, 4096 }, 2 }, { { 0, 2 }, 2 },
		/* padding with a time, of such lengths */
		{ { 29 | 1 << 5, 0xfffffffe }, 2 }, { { 29 | 1 << 5, 4096 }, 2 },
	};
	const size_t n = sizeof(heads) / sizeof(heads[0]);

	(void)state;
	for (size_t i = 0; i <= n; i++) {
		struct printer p = { .sink.ops = &print_ops };
		struct rec_events *e = rec_events_new(&formats, &p.sink);
		struct merge *m = merge_new(CPUS, PAGE, LIMIT, &formats, e);
		unsigned long all = REC_PAGE_COMMIT;
		uint8_t *page = merge_room(m, 0);
		uint32_t records;

		memcpy(page, pages[0].data, PAGE);
		records = page_records(page);
		if (i < n)
			memcpy(last_record(page), heads[i].words, 4 * heads[i].n);
		else
			memcpy(page + 8, &all, sizeof(all));
		merge_page(m, 0);
		merge_end(m);
		assert_int_equal(rec_events_tally(e)->records, i < n ? records - 1 : records);
		assert_true(rec_events_tally(e)->foreign > 0);
		merge_free(m);
		rec_events_free(e);
		buf_free(&p.lines);
	}
}

/* Take a record whose bytes can be anything. */
static void take_record(struct rec_events *e, uint32_t cpu, const uint8_t *data, uint32_t size)
{
	struct rec r;

	rec_events_take(e, cpu, rec_open(&formats, &r, data, size) ? &r : NULL);
}

/* All records of a CPU, each in an allocation of its exact size. */
struct record {
	uint8_t *data;
	uint32_t size;
};

static size_t all_records(unsigned int cpu, struct record **list)
{
	struct kbuffer *k = kbuffer_alloc(KBUFFER_LSIZE_SAME_AS_HOST,
					  KBUFFER_ENDIAN_SAME_AS_HOST);
	size_t n = 0, cap = 0;

	*list = NULL;
	for (size_t at = 0; at + PAGE <= pages[cpu].n; at += PAGE) {
		unsigned long long ts;
		void *data;

		kbuffer_load_subbuffer(k, pages[cpu].data + at);
		for (data = kbuffer_read_event(k, &ts); data; data = kbuffer_next_event(k, &ts)) {
			uint32_t size = (uint32_t)kbuffer_event_size(k);

			*list = xgrow(*list, &cap, n + 1, sizeof(**list));
			(*list)[n].data = xmemdup(data, size);
			(*list)[n++].size = size;
		}
	}
	kbuffer_free(k);
	return n;
}

/* The first record of a kind that has this value in a field. */
static size_t first_with(const struct record *list, size_t n, enum rec_kind kind,
			 enum rec_field field, int64_t value, struct rec *r)
{
	for (size_t i = 0; i < n; i++) {
		assert_true(rec_open(&formats, r, list[i].data, list[i].size));
		if (r->kind == kind && rec_num(r, field) == value)
			return i;
	}
	fail_msg("no record of this kind is left");
	return n;
}

static void free_records(struct record *list, size_t n)
{
	for (size_t i = 0; i < n; i++)
		free(list[i].data);
	free(list);
}

/* Add a task to the known ones. Return: whether it is new. */
static bool meet(uint64_t *known, unsigned int *n, uint64_t upid)
{
	for (unsigned int i = 0; i < *n; i++)
		if (known[i] == upid)
			return false;
	known[(*n)++] = upid;
	return true;
}

/*
 * A clone creates a process or a thread, depending on its flags. A task seen first as a
 * parent counts as a process, too.
 */
static void forked_tasks_are_counted(void **state)
{
	uint32_t flags = 0x1200011, thread = flags | 0x10000;

	(void)state;
	for (int threads = 0; threads < 2; threads++) {
		struct printer p = {
			.sink.ops = &print_ops, .notable = notable_new(PID_BITS),
		};
		struct rec_events *e = rec_events_new(&formats, &p.sink);
		unsigned int births = 0, others = 0, nknown = 0, processes;
		struct record *list;
		size_t n = all_records(0, &list);
		uint64_t known[2 * n];
		struct rec r;

		for (size_t i = 0; i < n; i++) {
			uint8_t *at = memmem(list[i].data, list[i].size, &flags, sizeof(flags));

			assert_true(rec_open(&formats, &r, list[i].data, list[i].size));
			if (r.kind != REC_clone || rec_num(&r, REC_F_error))
				continue;
			assert_non_null(at);
			if (threads)
				memcpy(at, &thread, sizeof(thread));
			others += meet(known, &nknown, (uint64_t)rec_num(&r, REC_F_upid));
			births++;
			assert_true(meet(known, &nknown, (uint64_t)
				    rec_at(&r, &r.layout->value[ET_V_CLONE_child])));
			take_record(e, 0, list[i].data, list[i].size);
		}
		rec_events_end(e);
		assert_true(births > 10);
		assert_true(others > 0 && others < births);
		processes = others + (threads ? 0 : births);
		assert_int_equal(notable_processes(p.notable), processes);
		assert_int_equal(notable_processes_now(p.notable), processes);
		rec_events_free(e);
		notable_free(p.notable);
		buf_free(&p.lines);
		free_records(list, n);
	}
}

/* Bits of a record become the names of its strings. */
static void marks_have_names(void **state)
{
	static const struct {
		enum rec_field field;
		uint8_t bits;
		const char *line;
	} cases[] = {
		{ REC_F_joined, 1, "Marks|joined=FN,unread=,cut=\n" },
		{ REC_F_unread, 2, "Marks|joined=,unread=FO,cut=\n" },
		{ REC_F_unread, 8, "Marks|joined=,unread=args,cut=\n" },
		{ REC_F_cut, 3, "Marks|joined=,unread=,cut=FN+FO\n" },
	};
	struct record *list;
	size_t n = all_records(0, &list), i;
	struct rec r;

	(void)state;
	i = first_with(list, n, REC_open, REC_F_error, 0, &r);
	for (size_t k = 0; k < sizeof(cases) / sizeof(cases[0]); k++) {
		struct printer p = { .sink.ops = &print_ops };
		struct rec_events *e = rec_events_new(&formats, &p.sink);
		uint8_t *bits = list[i].data + r.layout->field[cases[k].field].offset;
		const char *line;

		*bits = cases[k].bits;
		take_record(e, 0, list[i].data, list[i].size);
		*bits = 0;
		rec_events_end(e);
		line = memmem(p.lines.s, p.lines.len, "Marks|", strlen("Marks|"));
		assert_non_null(line);
		assert_memory_equal(line, cases[k].line, strlen(cases[k].line));
		rec_events_free(e);
		buf_free(&p.lines);
	}
	free_records(list, n);
}

/* All losses are counted; the first NOTABLE_MAX are kept with their tasks. */
static void losses_are_kept(void **state)
{
	struct printer p = { .sink.ops = &print_ops, .notable = notable_new(PID_BITS) };
	struct rec_events *e = rec_events_new(&formats, &p.sink);
	const struct notable_losses *t = notable_losses(p.notable);

	(void)state;
	for (uint64_t i = 0; i < NOTABLE_MAX + 2; i++) {
		uint64_t rec[5] = { 1392, 7 + i, 1000 + i, 1 + i, 900 + i };
		struct rec r;

		assert_true(rec_open(&formats, &r, (uint8_t *)rec, sizeof(rec)));
		assert_int_equal(r.kind, REC_lost);
		take_record(e, 0, (uint8_t *)rec, sizeof(rec));
	}
	rec_events_end(e);
	assert_int_equal(t->n, NOTABLE_MAX + 2);
	assert_int_equal(t->records, (NOTABLE_MAX + 2) * (NOTABLE_MAX + 3) / 2);
	for (uint64_t i = 0; i < NOTABLE_MAX; i++) {
		assert_int_equal(t->loss[i].upid, 7 + i);
		assert_int_equal(t->loss[i].since, 900 + i);
		assert_int_equal(t->loss[i].until, 1000 + i);
		assert_int_equal(t->loss[i].count, 1 + i);
		assert_string_equal(t->loss[i].program, "?");
	}
	/* a loss record does not start a task */
	assert_int_equal(notable_processes(p.notable), 0);
	rec_events_free(e);
	notable_free(p.notable);
	buf_free(&p.lines);
}

/* Leave out each record once: an event with a missing part is marked, other events are not. */
static void one_record_missing(void **state)
{
	unsigned int marked = 0;
	struct record *list;
	size_t n = all_records(0, &list);
	struct rec r;

	(void)state;
	assert_true(n > 100);
	for (size_t gone = 0; gone < n; gone++) {
		struct printer p = { .sink.ops = &print_ops };
		struct rec_events *e = rec_events_new(&formats, &p.sink);
		bool piece;

		for (size_t i = 0; i < n; i++)
			if (i != gone)
				take_record(e, 0, list[i].data, list[i].size);
		rec_events_end(e);
		assert_true(rec_open(&formats, &r, list[gone].data, list[gone].size));
		piece = r.kind == REC_string || r.kind == REC_args ||
			rec_num(&r, REC_F_more);
		/* a missing record that is a whole event leaves no trace */
		assert_int_equal(p.incomplete, piece);
		marked += p.incomplete;
		rec_events_free(e);
		buf_free(&p.lines);
	}
	assert_true(marked > 5);
	free_records(list, n);
}

/* If the first part of a string is missing, the others keep their numbers. */
static void parts_keep_their_numbers(void **state)
{
	struct printer p = { .sink.ops = &print_ops };
	struct rec_events *e = rec_events_new(&formats, &p.sink);
	struct record *list;
	size_t n = all_records(1, &list), i;
	struct rec r;

	(void)state;
	i = first_with(list, n, REC_string, REC_F_part, 1, &r);
	take_record(e, 0, list[i].data, list[i].size);
	rec_events_end(e);
	assert_int_equal(p.incomplete, 1);
	assert_non_null(memmem(p.lines.s, p.lines.len, "[1]", 3));
	rec_events_free(e);
	buf_free(&p.lines);
	free_records(list, n);
}

/* Freed, too: an event that waited too long and whose end never came. */
static void unfinished_events_are_freed(void **state)
{
	struct printer p = { .sink.ops = &print_ops };
	struct rec_events *e = rec_events_new(&formats, &p.sink);
	struct record *list;
	size_t n = all_records(0, &list), i;
	struct rec r;

	(void)state;
	i = first_with(list, n, REC_exec, REC_F_more, 1, &r);
	take_record(e, 0, list[i].data, list[i].size);
	for (uint64_t k = 0; k < 5000; k++) {
		uint64_t lost[5] = { 1392, 7, 1000 + k, 1, 900 };

		take_record(e, 0, (uint8_t *)lost, sizeof(lost));
	}
	assert_true(p.lost > 0);
	rec_events_free(e);
	buf_free(&p.lines);
	free_records(list, n);
}

static void kinds_have_names(void **state)
{
	(void)state;
	assert_string_equal(rec_kind_name(REC_open), "etrace_open");
	for (unsigned int i = 0; i < REC_KIND_COUNT; i++)
		assert_non_null(rec_kind_name(i));
	assert_null(rec_kind_name(REC_KIND_COUNT));
}

static uint32_t next_random(uint32_t *x)
{
	*x ^= *x << 13;
	*x ^= *x >> 17;
	*x ^= *x << 5;
	return *x;
}

/* Change bytes and truncate records anywhere: nothing outside of them is read. */
static void damaged_records(void **state)
{
	uint32_t seed = 20150401;
	struct record *list;
	size_t n = all_records(1, &list);

	(void)state;
	for (unsigned int round = 0; round < 60; round++) {
		struct printer p = { .sink.ops = &print_ops };
		struct rec_events *e = rec_events_new(&formats, &p.sink);

		for (size_t i = 0; i < n; i++) {
			uint32_t size = list[i].size;
			uint8_t *copy;

			if (next_random(&seed) % 8 == 0)
				size = next_random(&seed) % (size + 1);
			copy = xmalloc(size ? size : 1);
			memcpy(copy, list[i].data, size);
			for (uint32_t k = next_random(&seed) % 4; size && k; k--)
				copy[next_random(&seed) % size] = (uint8_t)next_random(&seed);
			/* an allocation of the exact size, for the sanitizer */
			take_record(e, 1, copy, size);
			free(copy);
		}
		rec_events_end(e);
		rec_events_free(e);
		buf_free(&p.lines);
	}
	free_records(list, n);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(same_text_as_the_module),
		cmocka_unit_test(same_fxt_as_from_text),
		cmocka_unit_test(rings_grow),
		cmocka_unit_test(equal_times_on_two_cpus),
		cmocka_unit_test(records_wait_for_other_cpus),
		cmocka_unit_test(memory_is_bounded),
		cmocka_unit_test(forked_tasks_are_counted),
		cmocka_unit_test(marks_have_names),
		cmocka_unit_test(losses_are_kept),
		cmocka_unit_test(one_record_missing),
		cmocka_unit_test(parts_keep_their_numbers),
		cmocka_unit_test(unfinished_events_are_freed),
		cmocka_unit_test(kinds_have_names),
		cmocka_unit_test(damaged_records),
		cmocka_unit_test(damaged_pages),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
