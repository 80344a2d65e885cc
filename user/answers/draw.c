// SPDX-License-Identifier: LGPL-2.1
/* Draws a timeline with characters.  See draw.h. */
#include "answers/draw.h"
#include "answers/print_names.h"
#include "base/clock.h"
#include "base/screen.h"
#include "build/build.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/* Characters to draw with: in Unicode, and in ASCII. */
static const struct glyphs {
	const char *eighths[9];	/* a cell filled from below by 0 to 8 eighths */
	const char *side, *corner, *line, *tick;
} unicode = {
	{ " ", "\u2581", "\u2582", "\u2583", "\u2584", "\u2585", "\u2586", "\u2587", "\u2588" },
	"\u2502", "\u2514", "\u2500", "\u252c",
}, ascii = {
	{ " ", ".", ".", ".", ":", ":", ":", "#", "#" },
	"|", "+", "-", "+",
};
#define FULL	8

static const struct glyphs *glyphs_of(const struct draw *d)
{
	return d->utf8 ? &unicode : &ascii;
}

static void put_repeated(struct out *out, const char *s, unsigned int n)
{
	while (n--)
		out_puts(out, s);
}

/* ---- parallelism ---- */

/* Rows of the picture; columns of its margin, with the number at the upper edge of a row. */
#define ROWS	8u
#define MARGIN	8u
/* Minimum number of columns between two labels of the time axis. */
#define TICK	12u

/*
 * Set @column to the average number of running programs in each of @n equal parts of the time.
 * Return: the largest.
 */
static double find_averages(const struct timeline *t, double *column, unsigned int n)
{
	double width = (double)t->wall / n, most = 0;
	size_t step = 0;

	for (unsigned int i = 0; i < n; i++) {
		double from = width * i, to = width * (i + 1), sum = 0;

		for (; step < t->nsteps; step++) {
			int64_t until = step + 1 < t->nsteps ? t->steps[step + 1].at : t->wall;
			double a = fmax(from, (double)t->steps[step].at);
			double b = fmin(to, (double)until);

			if (b > a)
				sum += (b - a) * t->steps[step].working;
			if ((double)until > to)
				break;
		}
		column[i] = sum / width;
		most = fmax(most, column[i]);
	}
	return most;
}

/* The vertical scale: @rows rows; @parts rows stand for @step programs. */
struct scale {
	unsigned int rows, step, parts;
};

static struct scale scale_of(double most)
{
	unsigned int top = most > 1 ? (unsigned int)ceil(most - 1e-6) : 1;
	struct scale s = { .step = (top + ROWS - 1) / ROWS, .parts = 1 };

	while (s.parts < 4 && top * (s.parts + 1) <= ROWS)
		s.parts++;
	s.rows = (top + s.step - 1) / s.step * s.parts;
	return s;
}

/* How much of the cell in row @row (from 0) is filled, in eighths. */
static unsigned int filled_eighths(double working, const struct scale *s, unsigned int row)
{
	double cells = working * s->parts / s->step - row;

	/* a small value is still visible */
	if (!row && working > 0 && cells < 1.0 / FULL)
		return 1;
	return cells <= 0 ? 0 : cells >= 1 ? FULL : (unsigned int)(cells * FULL + 0.5);
}

/* Distance of ticks in ns: the least of 1, 2, 5, 10, 20 ... with TICK columns for each tick. */
static int64_t tick_of(int64_t wall, unsigned int cols)
{
	static const int64_t digits[] = { 1, 2, 5 };
	int64_t unit = 1;

	for (;; unit *= 10)
		for (size_t i = 0; i < 3; i++)
			if ((double)wall / (double)(unit * digits[i]) * TICK <= cols)
				return unit * digits[i];
}

static void put_axis(const struct timeline *t, const struct draw *d, unsigned int cols)
{
	const struct glyphs *g = glyphs_of(d);
	int64_t tick = tick_of(t->wall, cols), next = 0;
	unsigned int at = 0;
	struct buf numbers = { 0 };

	out_printf(d->out, "%*s %s", (int)MARGIN - 2, "0", g->corner);
	for (unsigned int i = 0; i < cols; i++) {
		bool here = next <= t->wall && (double)next / (double)t->wall * cols < i + 1;
		char text[32];
		int n;

		out_puts(d->out, here ? g->tick : g->line);
		if (!here)
			continue;
		n = snprintf(text, sizeof(text), "%.9g%s", ns_seconds(next), next ? "" : " s");
		next += tick;
		for (; at < MARGIN + i; at++)
			buf_addc(&numbers, ' ');
		if (i + (unsigned int)n > cols)
			continue;
		buf_add(&numbers, text, (size_t)n);
		at += (unsigned int)n;
	}
	while (numbers.len && numbers.s[numbers.len - 1] == ' ')
		numbers.len--;
	out_puts(d->out, "\n");
	out_write(d->out, numbers.s, numbers.len);
	out_puts(d->out, "\n");
	buf_free(&numbers);
}

void draw_parallel(const struct timeline *t, const struct draw *d)
{
	unsigned int cols = d->width - MARGIN, last;
	size_t most = t->nwidths;
	double column[DRAW_MAX];
	struct scale s;

	while (most && !t->width[most - 1])
		most--;
	if (t->wall <= 0 || most < 2)
		return;
	s = scale_of(find_averages(t, column, cols));
	out_printf(d->out, "\nPrograms running over time: %.2f on average, at most %zu\n",
		   timeline_average(t), most - 1);
	for (unsigned int row = s.rows; row--;) {
		char number[16] = "";

		if ((row + 1) % s.parts == 0)
			snprintf(number, sizeof(number), "%u", (row + 1) / s.parts * s.step);
		out_printf(d->out, "%*s %s", (int)MARGIN - 2, number, glyphs_of(d)->side);
		for (last = cols; last && !filled_eighths(column[last - 1], &s, row);)
			last--;
		for (unsigned int i = 0; i < last; i++)
			out_puts(d->out, glyphs_of(d)->eighths[filled_eighths(column[i], &s, row)]);
		out_puts(d->out, "\n");
	}
	put_axis(t, d, cols);
}

/* ---- the critical path ---- */

/* A bar takes at most 1/BAR_PART of the columns; a label takes LABEL columns. */
#define BAR_PART	3u
#define LABEL		24u

/* The part of the critical path that belongs to one job. */
struct stretch {
	struct path_segment s;	/* its first segment, up to the end, with the longest one's exec */
	uint32_t before;	/* exec that it waited for, or that started it; 0 if none */
};

static int64_t stretch_length(const struct stretch *s)
{
	return s->s.to - s->s.from;
}

static int by_length(const void *a, const void *b)
{
	const struct stretch *x = a, *y = b;

	if (stretch_length(x) != stretch_length(y))
		return stretch_length(x) < stretch_length(y) ? 1 : -1;
	return (x->s.from > y->s.from) - (x->s.from < y->s.from);
}

static int by_time(const void *a, const void *b)
{
	const struct stretch *x = a, *y = b;

	return (x->s.from > y->s.from) - (x->s.from < y->s.from);
}

/*
 * The exec that a stretch waited for, or that started it; @n stretches come before it.  If the
 * last of them is its parent, which only started it, it waited for the one before that.
 */
static uint32_t exec_before(const struct timeline *t, const struct stretch *list, size_t n,
			    const struct path_segment *s)
{
	bool waited = s->why == PATH_PLACE || s->why == PATH_NEEDED || s->why == PATH_ORDER;
	uint32_t exec = n ? list[n - 1].s.exec : 0;

	if (waited && n > 1 && s->exec && exec &&
	    t->execs[exec].process == t->processes[t->execs[s->exec].process].parent)
		return list[n - 2].s.exec;
	return exec;
}

/* Divide the path into stretches.  Return: their number; the caller frees *list. */
static size_t find_stretches(const struct timeline *t, const struct critical_path *path,
			     struct stretch **list)
{
	size_t count = 0;

	*list = xcalloc(path->n + 1, sizeof(**list));
	for (size_t i = 0, n; i < path->n; i += n) {
		const struct path_segment *longest;

		n = timeline_stretch(t, path, i, &longest);
		(*list)[count] = (struct stretch){
			.s = path->rows[i], .before = exec_before(t, *list, count, &path->rows[i]),
		};
		(*list)[count].s.exec = longest->exec;
		(*list)[count++].s.to = path->rows[i + n - 1].to;
	}
	return count;
}

/* Append the last component of a path. */
static void add_name(struct buf *to, struct db *db, uint32_t file)
{
	size_t len;
	const char *path = build_path(build_of(db), file, &len), *slash = memrchr(path, '/', len);

	if (slash)
		buf_add(to, slash + 1, (size_t)(path + len - slash - 1));
}

/* Append why a stretch did not begin earlier. */
static void add_why(struct buf *to, struct db *db, const struct stretch *s)
{
	static const char *const texts[PATH_WHYS][2] = {
		[PATH_BEGIN] = { "the build began", "" }, [PATH_STARTED] = { "started by ", "" },
		[PATH_ENDED] = { "after ", "" }, [PATH_NEEDED] = { "needed ", "" },
		[PATH_PLACE] = { "waited for a free job slot (", " ended)" },
		[PATH_ORDER] = { "started after ", "" },
		[PATH_PIPE] = { "waited for data from ", "" },
	};

	buf_adds(to, texts[s->s.why][0]);
	if (s->s.why == PATH_NEEDED)
		add_name(to, db, s->s.file);
	else if (s->s.why != PATH_BEGIN)
		answers_label(db, s->before, 0, to);
	buf_adds(to, texts[s->s.why][1]);
}

static void put_bar(const struct timeline *t, const struct draw *d, const struct stretch *s,
		    unsigned int cols)
{
	const struct glyphs *g = glyphs_of(d);
	double scale = (double)cols / (double)t->wall;
	unsigned int from = (unsigned int)((double)s->s.from * scale);
	unsigned int to = (unsigned int)((double)s->s.to * scale + 0.5);

	from = from < cols ? from : cols - 1;
	to = to > from ? to : from + 1;
	to = to < cols ? to : cols;
	out_printf(d->out, "  %s", g->side);
	put_repeated(d->out, " ", from);
	put_repeated(d->out, g->eighths[FULL], to - from);
	put_repeated(d->out, " ", cols - to);
	out_puts(d->out, g->side);
}

static void put_stretch(const struct timeline *t, const struct draw *d, const struct stretch *s)
{
	unsigned int cols = d->width / BAR_PART, taken, left;
	/* output to a file has names unchanged, as in the rest of the page */
	bool utf8 = d->utf8 || !d->line;
	struct buf label = { 0 }, line = { 0 };
	char number[32];

	put_bar(t, d, s, cols);
	buf_addc(&label, ' ');
	answers_label(t->db, s->s.exec, s->s.output, &label);
	snprintf(number, sizeof(number), "%10.3f s ", ns_seconds(stretch_length(s)));
	buf_adds(&line, number);
	taken = screen_add(&line, label.s, label.len, LABEL, utf8);
	for (; taken < LABEL; taken++)
		buf_addc(&line, ' ');
	buf_adds(&line, "  ");
	add_why(&line, t->db, s);
	/* columns that the bar and its sides leave */
	left = d->line > cols + 4 ? d->line - cols - 4 : d->line ? 0 : UINT32_MAX;
	label.len = 0;
	screen_add(&label, line.s, line.len, left, utf8);
	out_write(d->out, label.s, label.len);
	out_puts(d->out, "\n");
	buf_free(&label);
	buf_free(&line);
}

void draw_path(const struct timeline *t, const struct critical_path *path, uint64_t top,
	       const struct draw *d)
{
	struct stretch *list;
	size_t n = find_stretches(t, path, &list), shown = top < n ? (size_t)top : n;
	int64_t sum = 0;

	if (t->wall > 0 && n) {
		qsort(list, n, sizeof(*list), by_length);
		qsort(list, shown, sizeof(*list), by_time);
		for (size_t i = 0; i < shown; i++)
			sum += stretch_length(&list[i]);
		if (shown < n)
			out_printf(d->out, "\nCritical path: its %zu longest steps of %zu (%.1f %% of the time)\n",
				   shown, n, 100.0 * (double)sum / (double)t->wall);
		else
			out_puts(d->out, "\nCritical path: the steps that decided how long the build took\n");
		for (size_t i = 0; i < shown; i++)
			put_stretch(t, d, &list[i]);
	}
	free(list);
}
