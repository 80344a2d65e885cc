// SPDX-License-Identifier: LGPL-2.1
/* Draws the first page of etrace top.  See top_screen.h. */
#include "show/top_screen.h"
#include "base/container.h"
#include "base/text_num.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>

/* A screen with at least this many columns shows two parts side by side. */
#define WIDE		120u
#define RIGHT_COLS	50u
#define RIGHT_GAP	2u
/* A narrow screen has a row for each class only if it has at least this many rows. */
#define HIGH		40u
#define OUTPUTS_MIN	3u
#define OUTPUTS_MAX	10u
#define LEFT_MIN	20u

/* A part of the screen, which is filled from the top down. */
struct area {
	struct top_frame *f;
	unsigned int row, end;	/* the next row; the row after the last one */
	unsigned int col, cols;
};

static unsigned int left_of(const struct area *a)
{
	return a->end > a->row ? a->end - a->row : 0;
}

__attribute__((format(printf, 3, 4)))
static void put_head(struct area *a, enum top_style style, const char *fmt, ...)
{
	char text[256];
	va_list ap;

	if (!left_of(a))
		return;
	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	top_fill(a->f, a->row++, a->col, a->cols, style, text, strlen(text));
}

/* ---- the lines above ---- */

static uint64_t time_spent(const struct top_model *m, uint64_t now)
{
	return m->begun && now > m->begun ? now - m->begun : 0;
}

static void draw_title(struct area *a, const struct top_view *v, const struct top_model *m,
		       uint64_t now)
{
	struct buf b = { 0 };

	buf_adds(&b, "etrace top  ");
	if (m->command.len)
		buf_add(&b, m->command.s, m->command.len);
	else
		buf_adds(&b, v->source ? v->source : "");
	top_fill(a->f, a->row, a->col, a->cols, TOP_HEAD, b.s, b.len);
	b.len = 0;
	buf_adds(&b, " ");
	buf_adds(&b, text_time(time_spent(m, now)));
	if (a->cols > b.len + LEFT_MIN)
		top_put(a->f, a->row, a->col + a->cols - (unsigned int)b.len,
			(unsigned int)b.len, TOP_HEAD, b.s, b.len);
	a->row++;
	buf_free(&b);
}

/* Draw the state of the build, or how it ended. */
static void draw_state(struct area *a, const struct top_model *m, uint64_t now)
{
	enum top_style style = TOP_BOLD;
	unsigned int share, at = 0;
	char text[160];
	uint64_t left;

	if (m->cut) {
		style = TOP_BAD;
		snprintf(text, sizeof(text), "the recording was cut off: its recorder is gone");
	} else if (m->over && m->status > 0) {
		style = TOP_BAD;
		snprintf(text, sizeof(text), "the build has failed: status %" PRId64, m->status);
	} else if (m->over) {
		style = TOP_GOOD;
		snprintf(text, sizeof(text), "%s", m->status ? "the recording has ended" :
			 "the build has succeeded");
	} else if (top_past_left(m->past, &m->progress, m->begun, now, &left, &share)) {
		snprintf(text, sizeof(text), "about %s left (%u %% done)", text_time(left), share);
	} else {
		snprintf(text, sizeof(text), "time left: unknown");
	}
	at += top_puts(a->f, a->row, a->col, a->cols, style, text);
	snprintf(text, sizeof(text), "   %s running, %s waiting, %s ended", text_count(m->nrunning),
		 text_count(m->nwaiting), text_count(m->nended));
	at += top_puts(a->f, a->row, a->col + at, a->cols - at, TOP_PLAIN, text);
	snprintf(text, sizeof(text), "   %s lost", text_counted(m->lost, "event", "events"));
	top_puts(a->f, a->row++, a->col + at, a->cols - at, m->lost ? TOP_BAD : TOP_DIM, text);
}

/* Add a part to the line of load, with a separator before all but the first. */
static void add_part(struct buf *b, const char *text)
{
	if (b->len)
		buf_adds(b, ", ");
	buf_adds(b, text);
}

static void draw_load(struct area *a, const struct top_view *v, const struct top_model *m,
		      uint64_t now)
{
	struct top_rate rate;
	struct buf b = { 0 };
	char text[160];

	top_rate(m, now, 60, &rate);
	/* recordings with strace have no CPU times */
	if (m->cpu && rate.ns) {
		snprintf(text, sizeof(text), "%.1f CPUs in the last minute",
			 (double)rate.cpu / (double)rate.ns);
		add_part(&b, text);
	}
	if (v->machine.known) {
		snprintf(text, sizeof(text), "machine: %u %% of %s, %s of %s", v->machine.busy,
			 text_counted(v->machine.processors, "CPU", "CPUs"),
			 text_bytes(v->machine.memory_used), text_bytes(v->machine.memory));
		add_part(&b, text);
	}
	if (m->largest) {
		snprintf(text, sizeof(text), "largest: %s ", text_bytes(m->largest));
		add_part(&b, text);
		buf_add(&b, m->largest_by.s, m->largest_by.len);
	}
	if (!b.len)
		add_part(&b, "CPU and memory: unknown");
	top_put(a->f, a->row++, a->col, a->cols, TOP_PLAIN, b.s, b.len);
	buf_free(&b);
}

/* ---- rows that can be selected ---- */

/* Add a program to the rows that can be selected.  Return: the style of its row. */
static enum top_style select_row(struct top_view *v, const struct top_program *p,
				 enum top_style style)
{
	if (v->nrows < TOP_ROWS_MAX)
		v->row[v->nrows++] = p->upid;
	return v->selected == p->upid ? TOP_SELECTED : style;
}

static void draw_failures(struct area *a, struct top_view *v, const struct top_model *m)
{
	unsigned int rows = left_of(a) / 3, n = 0;
	struct buf b = { 0 };

	if (!m->nshown || rows < 2)
		return;
	put_head(a, TOP_BAD, "%s%s", text_counted(m->nshown + m->nover, "failure", "failures"),
		 m->over ? "" : " so far");
	/* there are at most TOP_FAILURES of them */
	for (const struct top_link *l = m->failures.next; l != &m->failures; l = l->next) {
		const struct top_program *p = container_of(l, const struct top_program, by_failure);

		a->f->looked++;
		if (!top_is_shown(p))
			continue;
		if (++n == rows && m->nshown > rows) {
			put_head(a, TOP_DIM, "  and %s more", text_count(m->nshown - n + 1));
			break;
		}
		b.len = 0;
		buf_adds(&b, "  ");
		top_failure_text(p, &b);
		top_fill(a->f, a->row++, a->col, a->cols, select_row(v, p, TOP_PLAIN), b.s, b.len);
	}
	buf_free(&b);
}

static void draw_program(struct area *a, struct top_view *v, const struct top_program *p,
			 uint64_t now)
{
	enum top_style style = select_row(v, p, p->ended ? TOP_DIM : TOP_PLAIN);
	uint64_t from = p->ended ? p->begun : p->since, to = p->ended ? p->ended : now;
	struct buf b = { 0 };
	char text[64];

	snprintf(text, sizeof(text), "%12s  ", text_time(to > from ? to - from : 0));
	buf_adds(&b, text);
	buf_add(&b, p->label.s, p->label.len);
	/* if the label does not show its input, the arguments may */
	if (p->args.len && !memchr(p->label.s, ' ', p->label.len)) {
		const struct buf rest = { p->args.s + strlen(p->args.s) + 1,
					  p->args.len - strlen(p->args.s) - 1, 0 };

		if (rest.len)
			buf_addc(&b, ' ');
		top_command(&rest, &b);
	}
	if (p->output) {
		buf_adds(&b, " -> ");
		buf_adds(&b, p->output);
	}
	if (p->ended) {
		top_how_ended(p, text, sizeof(text));
		buf_adds(&b, "  ");
		buf_adds(&b, text);
	} else if (p->live_children) {
		buf_adds(&b, "  waits for others");
	}
	top_fill(a->f, a->row++, a->col, a->cols, style, b.s, b.len);
	buf_free(&b);
}

/* Functions that return the program to which a link of a list belongs. */
typedef const struct top_program *of_link(const struct top_link *l);

static const struct top_program *of_state(const struct top_link *l)
{
	return container_of(l, const struct top_program, by_state);
}

static const struct top_program *of_search(const struct top_link *l)
{
	return container_of(l, const struct top_program, by_search);
}

static void draw_list(struct area *a, struct top_view *v, const struct top_link *list,
		      uint64_t n, of_link *of, uint64_t now)
{
	const struct top_link *l = list->next;
	uint64_t skipped = 0;

	if (v->first > TOP_SCROLL_MAX)
		v->first = TOP_SCROLL_MAX;
	if (v->first >= n)
		v->first = n ? n - 1 : 0;
	for (; skipped < v->first && l != list; l = l->next, skipped++)
		a->f->looked++;
	v->list_row = v->nrows;
	for (; l != list && left_of(a); l = l->next) {
		a->f->looked++;
		if (left_of(a) == 1 && l->next != list) {
			put_head(a, TOP_DIM, "  and %s more", text_count(n - skipped));
			return;
		}
		draw_program(a, v, of(l), now);
		skipped++;
	}
}

static void draw_programs(struct area *a, struct top_view *v, const struct top_model *m,
			  uint64_t now)
{
	if (v->search.len) {
		put_head(a, TOP_HEAD, "%s with \"%.*s\"",
			 text_counted(m->nfound, "program",
				      "programs"), (int)v->search.len, v->search.s);
		draw_list(a, v, &m->found, m->nfound, of_search, now);
		return;
	}
	put_head(a, TOP_HEAD, "%s running   longest first -> what they make",
		 text_count(m->nrunning));
	draw_list(a, v, &m->running, m->nrunning, of_state, now);
}

/* ---- classes ---- */

static void add_bar(struct buf *b, uint64_t n, uint64_t of, unsigned int cols, bool utf8)
{
	uint64_t full = of ? n * cols / of : 0;

	if (n && !full)
		full = 1;
	for (uint64_t i = 0; i < full; i++)
		buf_adds(b, utf8 ? "\xe2\x96\x88" : "#");
}

static void draw_classes(struct area *a, const struct top_model *m, uint64_t now)
{
	struct top_rate minute, minutes;
	uint64_t most = 0;

	top_rate(m, now, 60, &minute);
	top_rate(m, now, 300, &minutes);
	for (unsigned int c = 0; c < WORK_CLASSES; c++)
		most = minutes.ended[c] > most ? minutes.ended[c] : most;
	put_head(a, TOP_HEAD, "%-10s%6s%8s%8s%9s", "ended", "now", "1 min", "5 min", "in all");
	for (unsigned int c = 0; c < WORK_CLASSES && left_of(a); c++) {
		struct buf b = { 0 };
		char text[96];
		unsigned int at;

		snprintf(text, sizeof(text), "%-10s%6s%8s%8s%9s ", work_classes[c],
			 text_count(m->running_of[c]), text_count(minute.ended[c]),
			 text_count(minutes.ended[c]), text_count(m->ended_of[c]));
		at = top_puts(a->f, a->row, a->col, a->cols, TOP_PLAIN, text);
		add_bar(&b, minutes.ended[c], most, a->cols > at ? a->cols - at : 0, a->f->utf8);
		if (b.len)
			top_put(a->f, a->row, a->col + at, a->cols - at, TOP_GOOD, b.s, b.len);
		a->row++;
		buf_free(&b);
	}
}

/* Draw the classes in one line. */
static void draw_class_line(struct area *a, const struct top_model *m, uint64_t now)
{
	struct top_rate minutes;
	struct buf b = { 0 };

	top_rate(m, now, 300, &minutes);
	buf_adds(&b, "ended in 5 min: ");
	for (unsigned int c = 0; c < WORK_CLASSES; c++) {
		if (!minutes.ended[c])
			continue;
		buf_adds(&b, work_classes[c]);
		buf_addc(&b, ' ');
		buf_adds(&b, text_count(minutes.ended[c]));
		buf_adds(&b, "  ");
	}
	top_fill(a->f, a->row++, a->col, a->cols, TOP_HEAD, b.s, b.len);
	buf_free(&b);
}

/* ---- outputs ---- */

static void draw_outputs(struct area *a, const struct top_model *m, uint64_t now)
{
	uint64_t n = m->noutputs < TOP_OUTPUTS ? m->noutputs : TOP_OUTPUTS;

	put_head(a, TOP_HEAD, "finished last");
	for (uint64_t i = 0; i < n && left_of(a); i++) {
		const struct top_output *o = &m->output[(m->noutputs - 1 - i) % TOP_OUTPUTS];
		struct buf b = { 0 };
		char text[48];

		snprintf(text, sizeof(text), "%12s ago  ",
			 text_time(now > o->time ? now - o->time : 0));
		buf_adds(&b, text);
		/* the end of a long path is more useful than its beginning */
		if (strlen(o->name) + b.len > a->cols && a->cols > b.len + 4) {
			buf_adds(&b, "...");
			buf_adds(&b, o->name + strlen(o->name) - (a->cols - b.len));
		} else {
			buf_adds(&b, o->name);
		}
		top_put(a->f, a->row++, a->col, a->cols, TOP_PLAIN, b.s, b.len);
		buf_free(&b);
	}
}

/* ---- the page ---- */

static void draw_keys(struct top_frame *f, const struct top_view *v)
{
	struct buf b = { 0 };

	if (v->typing) {
		buf_adds(&b, "search: ");
		buf_add(&b, v->search.s, v->search.len);
		buf_adds(&b, "_   Enter: done  Esc: clear");
	} else {
		buf_adds(&b, "q quit  / search  up, down: select  Enter: this program  ? help");
	}
	top_fill(f, f->rows - 1, 0, f->cols, v->typing ? TOP_BOLD : TOP_DIM, b.s, b.len);
	buf_free(&b);
}

static void draw_main(struct top_frame *f, struct top_view *v, const struct top_model *m,
		      uint64_t now)
{
	struct area a = { f, 0, f->rows - 1, 0, f->cols }, below;
	unsigned int outputs;

	v->nrows = v->list_row = 0;
	draw_title(&a, v, m, now);
	draw_state(&a, m, now);
	draw_load(&a, v, m, now);
	if (f->cols >= WIDE) {
		below = a;
		below.col = f->cols - RIGHT_COLS;
		below.cols = RIGHT_COLS;
		draw_classes(&below, m, now);
		draw_outputs(&below, m, now);
		a.cols = f->cols - RIGHT_COLS - RIGHT_GAP;
		draw_failures(&a, v, m);
		draw_programs(&a, v, m, now);
		return;
	}
	outputs = left_of(&a) / 6;
	if (outputs < OUTPUTS_MIN)
		outputs = OUTPUTS_MIN;
	if (outputs > OUTPUTS_MAX)
		outputs = OUTPUTS_MAX;
	below = a;
	below.row = a.end - (outputs + 1 + (f->rows >= HIGH ? WORK_CLASSES + 1 : 1));
	if (below.row <= a.row + 3 || below.row > a.end)
		below.row = a.end;
	a.end = below.row;
	draw_failures(&a, v, m);
	draw_programs(&a, v, m, now);
	if (!left_of(&below))
		return;
	if (f->rows >= HIGH)
		draw_classes(&below, m, now);
	else
		draw_class_line(&below, m, now);
	draw_outputs(&below, m, now);
}

void top_draw(struct top_frame *f, struct top_view *v, const struct top_model *m, uint64_t now)
{
	if (f->rows < 2 || !f->cols)
		return;
	/* the clock stops when the build has ended */
	if (m->over)
		now = m->now;
	switch (v->shown) {
	case TOP_MAIN:
		draw_main(f, v, m, now);
		break;
	case TOP_PROGRAM:
		top_draw_program(f, v, m, now);
		break;
	case TOP_HELP:
		top_draw_help(f, v);
		break;
	}
	draw_keys(f, v);
}
