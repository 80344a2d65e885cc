// SPDX-License-Identifier: GPL-2.0
/*
 * Property tests of the etrace reader: random events are printed in every style, interleaved,
 * moved between CPUs, split over files, and read back equal.  The same through FXT, and with
 * every kind of damage: equal or reported.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "common_etrace.h"
#include "common_seed.h"

#define CPUS 4

/* Number of a test's traces if a run is to try @tried.  4 cover all styles. */
#define TRACES(tried) ((tried) * CASE_STEP)

static void files_free(struct bytes *files)
{
	for (unsigned int i = 0; i < CPUS; i++)
		bytes_free(&files[i]);
}

static struct gen make_gen(uint64_t s, enum style style)
{
	return (struct gen){
		.r = { s }, .style = style, .tasks = 6, .cpus = CPUS,
		.max_string = 5000, .newlines = s % 4 != 0,
		.one_time = s / 8 % 2,
	};
}

static void check_equal(const struct events *a, const struct events *b)
{
	for (size_t i = 0; i < a->n && i < b->n; i++)
		assert_event_equal(&a->e[i], &b->e[i]);
	assert_int_equal(a->n, b->n);
}

static void random_events_read_back(void **state)
{
	uint64_t first = seed(1);

	(void)state;
	for (uint64_t s = first; s < first + TRACES(9); s++) {
		struct bytes files[CPUS] = { 0 };
		struct gen g = make_gen(s, s % STYLE_COUNT);
		struct events expect = { 0 };
		bool global = s / STYLE_COUNT % 2;
		struct reading r;

		if (!is_tried(s - first))
			continue;
		gen_trace(&g, 400, &expect, files, global);
		r = read_lines(files, global ? 1 : CPUS);
		if (r.status || r.events.n != expect.n)
			print_error("seed %lu:\n%s", (unsigned long)s, r.messages.data);
		assert_int_equal(r.status, 0);
		check_equal(&r.events, &expect);
		reading_free(&r);
		events_free(&expect);
		files_free(files);
	}
}

/* Long strings, up to the 20,000 bytes of the module's tests. */
static void long_strings(void **state)
{
	uint64_t first = seed(1000);

	(void)state;
	for (uint64_t s = first; s < first + 4; s++) {
		struct bytes files[CPUS] = { 0 };
		struct gen g = make_gen(s, STYLE_MODULE);
		struct events expect = { 0 };
		struct reading r;

		g.max_string = 20000;
		gen_trace(&g, 200, &expect, files, false);
		r = read_lines(files, CPUS);
		assert_int_equal(r.status, 0);
		check_equal(&r.events, &expect);
		reading_free(&r);
		events_free(&expect);
		files_free(files);
	}
}

/* A text as canonical lines. */
static struct conversion canonical(const char *text, size_t n)
{
	return convert("etrace", "etrace", text, n, NULL);
}

static void same_bytes(const struct bytes *a, const struct bytes *b)
{
	assert_int_equal(a->n, b->n);
	assert_memory_equal(a->data, b->data, a->n);
}

static void dump(const char *name, const void *data, size_t n)
{
	char path[4096];
	FILE *f;

	snprintf(path, sizeof(path), "%s/%s", getenv("ETRACE_KEEP"), name);
	f = fopen(path, "wb");
	if (f) {
		fwrite(data, 1, n, f);
		fclose(f);
	}
}

/* A text's FXT file gives the same lines as the text does, and passes --check. */
static void check_fxt(const char *text, size_t n, bool clean)
{
	struct conversion lines = canonical(text, n);
	struct conversion fxt = convert("etrace", "fxt", text, n, NULL);
	struct conversion back = convert("fxt", "etrace", fxt.out.data, fxt.out.n, NULL);
	struct conversion again = canonical(lines.out.data, lines.out.n);

	if (getenv("ETRACE_KEEP") &&
	    (lines.out.n != back.out.n || memcmp(lines.out.data, back.out.data, back.out.n) ||
	     (!lines.status && (lines.out.n != again.out.n ||
				memcmp(lines.out.data, again.out.data, again.out.n))))) {
		/* keep them for a comparison */
		dump("given", text, n);
		dump("lines", lines.out.data, lines.out.n);
		dump("fxt", fxt.out.data, fxt.out.n);
		dump("back", back.out.data, back.out.n);
		dump("again", again.out.data, again.out.n);
	}
	same_bytes(&lines.out, &back.out);
	assert_sorted(&lines.out);
	/* fragments that are sorted by time may fit together when they are read again */
	if (!lines.status)
		same_bytes(&lines.out, &again.out);
	assert_int_equal(fxt.status, lines.status);
	/* if the lines show that something is missing, their reader reports it again */
	if (!lines.status)
		assert_int_equal(back.status, 0);
	if (clean) {
		/* lines with times of their own survive FXT unchanged */
		struct conversion fxt2 = convert("etrace", "fxt", lines.out.data, lines.out.n, NULL);
		struct conversion back2 = convert("fxt", "etrace", fxt2.out.data, fxt2.out.n, NULL);

		same_bytes(&lines.out, &back2.out);
		conversion_free(&fxt2);
		conversion_free(&back2);
		assert_fxt_clean(fxt.out.data, fxt.out.n);
	}
	conversion_free(&lines);
	conversion_free(&fxt);
	conversion_free(&back);
	conversion_free(&again);
}

static void random_events_through_fxt(void **state)
{
	uint64_t first = seed(2000);

	(void)state;
	for (uint64_t s = first; s < first + TRACES(4); s++) {
		struct bytes files[CPUS] = { 0 };
		struct gen g = make_gen(s, s % STYLE_COUNT);
		struct events expect = { 0 };

		if (!is_tried(s - first))
			continue;
		gen_trace(&g, 300, &expect, files, true);
		check_fxt(files[0].data, files[0].n, true);
		events_free(&expect);
		files_free(files);
	}
}

/* An argument list of 2 MB: one argument in many parts, and very many arguments. */
static void argument_list_of_2_mb(void **state)
{
	struct bytes text = { 0 };
	size_t size = 0;
	char line[1100];
	int n;

	(void)state;
	for (unsigned int round = 0; round < 2; round++) {
		struct bytes body = { 0 };

		size = 0;
		for (unsigned int i = 0; size < 2000000; i++) {
			size_t len = round ? 7 : 900;

			/* the first round: one argument in many parts */
			n = snprintf(line, sizeof(line), "4194405,0,7,%u!A[%u]", 100 + i / 2,
				     round ? i : 0);
			memset(line + n, 'a' + i % 26, len);
			line[n + (int)len] = '\n';
			bytes_add(&body, line, (size_t)n + len + 1);
			size += len + round;
		}
		size += !round;
		n = snprintf(line, sizeof(line),
			     "4194405,0,7,99!New_proc|argsize=%zu,prognameisize=2,prognamepsize=2,cwdsize=1\n"
			     "4194405,0,7,99!PI|/i\n4194405,0,7,99!PP|/p\n4194405,0,7,99!CW|/\n", size);
		text.n = 0;
		bytes_add(&text, line, (size_t)n);
		bytes_add(&text, body.data, body.n);
		n = snprintf(line, sizeof(line), "4194405,0,8,0!End_of_args|\n");
		bytes_add(&text, line, (size_t)n);
		check_fxt(text.data, text.n, true);
		bytes_free(&body);
	}
	bytes_free(&text);
}

/* ---- damage ---- */

struct line {
	const char *s;
	size_t n;
};

static size_t split(const struct bytes *text, struct line **lines)
{
	size_t n = 0, cap = 0;

	*lines = NULL;
	for (const char *s = text->data, *end = s + text->n; s < end;) {
		const char *nl = memchr(s, '\n', (size_t)(end - s));

		if (n == cap) {
			cap = cap ? 2 * cap : 64;
			*lines = realloc(*lines, cap * sizeof(**lines));
		}
		(*lines)[n].s = s;
		(*lines)[n++].n = (size_t)(nl + 1 - s);
		s = nl + 1;
	}
	return n;
}

/* Does the text after the tag, "|name=value,...", have this field? */
static bool has_field(const char *s, const char *end, const char *name)
{
	size_t n = strlen(name);

	for (; (size_t)(end - s) > n + 1; s++)
		if ((*s == '|' || *s == ',') && !memcmp(s + 1, name, n) && s[n + 1] == '=')
			return true;
	return false;
}

/*
 * Without this line, is its event still complete, or gone altogether?  This is so for lines
 * that begin an event and announce no string, for lines that only add to an event, and for an
 * event's last line if the event may begin with it.
 */
static bool may_miss(const struct line *l)
{
	const char *s = (const char *)memchr(l->s, '!', l->n) + 1, *end = l->s + l->n;
	const char *bar = memchr(s, '|', (size_t)(end - s));
	const struct et_row *row = et_rows;
	bool each = false, announces = false;

	while (bar && row < et_rows + ET_NR_ROWS &&
	       (row->role == ET_STRING || row->len != bar - s || memcmp(row->name, s, row->len) != 0))
		row++;
	if (!bar || row == et_rows + ET_NR_ROWS)
		return false;
	for (unsigned int i = et_kinds[row->kind].row; i < et_kinds[row->kind].end; i++)
		each |= et_rows[i].role == ET_BEGIN && et_rows[i].when == ET_EACH;
	for (const struct et_field *f = row->fields; f->name; f++)
		announces |= f->is_size && has_field(bar, end, f->name);
	switch ((enum et_role)row->role) {
	case ET_BEGIN:
		return !announces;
	case ET_LAST:
		return !each;
	case ET_FAILED:
	case ET_MORE:
		return true;
	default:
		return false;
	}
}

/* "A[3]" or "FN[2]" with nothing after it: a string's last part may be empty. */
static bool is_empty_part(const struct line *l)
{
	const char *s = memchr(l->s, '!', l->n);

	for (s++; *s >= 'A' && *s <= 'Z';)
		s++;
	if (*s++ != '[')
		return false;
	while (*s >= '0' && *s <= '9')
		s++;
	return s[0] == ']' && s[1] == '\n';
}

/* A trace in one file, its events and its lines. */
struct trace {
	struct bytes files[CPUS];
	struct events expect;
	struct line *lines;
	size_t n;
};

static struct trace plain_trace(uint64_t s)
{
	struct gen g = make_gen(s, STYLE_PLAIN);
	struct trace t = { 0 };

	g.max_string = 2000;
	gen_trace(&g, 60, &t.expect, t.files, true);
	t.n = split(&t.files[0], &t.lines);
	return t;
}

static void trace_free(struct trace *t)
{
	free(t->lines);
	events_free(&t->expect);
	files_free(t->files);
}

/*
 * One line left out: its event is reported as damaged, except if the line is a complete event or
 * only says that a call failed; no other event changes.
 */
static void dropped_lines(void **state)
{
	struct trace t = plain_trace(seed(3001));

	(void)state;
	for (size_t skip = 0; skip < t.n; skip++) {
		struct bytes text = { 0 };
		struct reading r;
		size_t same = 0;

		if (!is_place_tried(skip, t.n))
			continue;
		for (size_t i = 0; i < t.n; i++)
			if (i != skip)
				bytes_add(&text, t.lines[i].s, t.lines[i].n);
		r = read_lines(&text, 1);
		/*
		 * Then nothing is missing.  If Cont lines follow, the format does not
		 * tell which argument they belong to.
		 */
		if (!r.status && is_empty_part(&t.lines[skip]))
			assert_int_equal(r.events.n, t.expect.n);
		else if (!may_miss(&t.lines[skip]) && !r.status)
			fail_msg("a dropped line is not reported: %.*s", (int)t.lines[skip].n, t.lines[skip].s);
		/* all events but one are there, and unchanged */
		for (size_t i = 0, j = 0; i < t.expect.n; i++) {
			for (size_t k = j; k < r.events.n; k++) {
				if (r.events.e[k].time == t.expect.e[i].time &&
				    et_count_lines(&r.events.e[k]) == et_count_lines(&t.expect.e[i]) &&
				    r.events.e[k].nbytes == t.expect.e[i].nbytes) {
					same++;
					j = k + 1;
					break;
				}
			}
		}
		if (same + 1 < t.expect.n)
			fail_msg("more than one event changed when this line was dropped: %.*s%s",
				 (int)t.lines[skip].n, t.lines[skip].s, r.messages.data);
		reading_free(&r);
		bytes_free(&text);
	}
	trace_free(&t);
}

/* One line twice: reported, and the events are the same. */
static void doubled_lines(void **state)
{
	struct trace t = plain_trace(seed(3002));

	(void)state;
	for (size_t twice = 0; twice < t.n; twice++) {
		bool may_grow = memmem(t.lines[twice].s, t.lines[twice].n, "!Cont|", 6) ||
				memmem(t.lines[twice].s, t.lines[twice].n, "!A[", 3) ||
				memmem(t.lines[twice].s, t.lines[twice].n, "!JA[", 4);
		struct bytes text = { 0 };
		struct reading r;

		if (!is_place_tried(twice, t.n))
			continue;
		for (size_t i = 0; i < t.n; i++) {
			bytes_add(&text, t.lines[i].s, t.lines[i].n);
			if (i == twice)
				bytes_add(&text, t.lines[i].s, t.lines[i].n);
		}
		r = read_lines(&text, 1);
		if (!r.status && is_empty_part(&t.lines[twice])) {
			check_equal(&r.events, &t.expect);
		} else {
			if (!r.status)
				fail_msg("a doubled line is not reported: %.*s", (int)t.lines[twice].n,
					 t.lines[twice].s);
			if (!may_grow)
				check_equal(&r.events, &t.expect);
		}
		reading_free(&r);
		bytes_free(&text);
	}
	trace_free(&t);
}

/* Cut at every byte and after every line: complete events are kept, a cut one is reported. */
static void truncated_anywhere(void **state)
{
	uint64_t s = seed(3003);
	struct bytes files[CPUS] = { 0 };
	struct gen g = make_gen(s, STYLE_MODULE);
	struct events expect = { 0 };
	size_t whole = 0;

	(void)state;
	g.max_string = 1000;
	g.tasks = 1;
	gen_trace(&g, 14, &expect, files, true);
	for (size_t cut = 1; cut < files[0].n; cut++) {
		struct bytes text = { files[0].data, cut, 0 };
		struct reading r;

		if (files[0].data[cut - 1] != '\n' && !is_place_tried(cut, files[0].n))
			continue;
		r = read_lines(&text, 1);
		if (files[0].data[cut - 1] != '\n')
			assert_int_equal(r.status, 1);
		if (!r.status)
			whole = r.events.n;
		assert_true(r.events.n >= whole);
		for (size_t i = 0; i < whole; i++) {
			/* the last one may still turn out to have failed */
			if (i + 1 < whole)
				assert_event_equal(&r.events.e[i], &expect.e[i]);
		}
		reading_free(&r);
	}
	assert_true(whole >= expect.n - 1);
	events_free(&expect);
	files_free(files);
}

/* Flipped bytes, moved lines, garbage: no crash, and FXT has the same as the lines. */
static void damaged_anywhere(void **state)
{
	uint64_t first = seed(4000);

	(void)state;
	for (uint64_t s = first; s < first + TRACES(9); s++) {
		struct bytes files[CPUS] = { 0 };
		struct gen g = make_gen(s, s % STYLE_COUNT);
		struct events expect = { 0 };
		size_t n;

		if (!is_tried(s - first))
			continue;
		g.max_string = 2000;
		gen_trace(&g, 60, &expect, files, true);
		n = files[0].n;
		for (unsigned int i = 0; i < 1 + s % 50; i++) {
			size_t at = rnd(&g.r, n), len = rnd(&g.r, 200), to = rnd(&g.r, n);

			len = len < n - at ? len : n - at;
			len = len < n - to ? len : n - to;
			switch (rnd(&g.r, 4)) {
			case 0:
				files[0].data[at] = (char)(files[0].data[at] ^ 1 << rnd(&g.r, 8));
				break;
			case 1:
				memmove(files[0].data + to, files[0].data + at, len);
				break;
			case 2:
				for (size_t j = 0; j < len; j++)
					files[0].data[at + j] = (char)rnd(&g.r, 256);
				break;
			default:
				memmove(files[0].data + at, files[0].data + at + len, n - at - len);
				n -= len;
				break;
			}
			if (!n)
				break;
		}
		check_fxt(files[0].data, n, false);
		events_free(&expect);
		files_free(files);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(random_events_read_back),
		cmocka_unit_test(long_strings),
		cmocka_unit_test(random_events_through_fxt),
		cmocka_unit_test(argument_list_of_2_mb),
		cmocka_unit_test(dropped_lines),
		cmocka_unit_test(doubled_lines),
		cmocka_unit_test(truncated_anywhere),
		cmocka_unit_test(damaged_anywhere),
	};

	return cmocka_run_group_tests_name("etrace: random traces", tests, NULL, NULL);
}
