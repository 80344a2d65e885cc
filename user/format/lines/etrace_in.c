// SPDX-License-Identifier: LGPL-2.1
/*
 * Source of the etrace model: reads the text of trace_pipe, from one file, or from a file
 * for each processor, which are merged by time.  line_parse.c parses the lines, and
 * assemble.c makes events of them.
 */
#include <stdlib.h>
#include <string.h>

#include "format/lines/assemble.h"
#include "format/lines/lines_format.h"
#include "event/event.h"
#include "event/order.h"
#include "format/lines/line_parse.h"
#include "base/xalloc.h"

/* Lines read in one step. */
#define STEP_LINES	64u
/* Maximum bytes of a line.  etrace's lines are short, but those of other tracers need not be. */
#define MAX_LINE	(4 << 20)

static const struct diag_kind foreign_lines = {
	"lines of other tracers, passed over", DIAG_NOTE };
static const struct diag_kind damaged_lines = {
	"damaged lines, passed over", DIAG_DAMAGE };
static const struct diag_kind long_lines = {
	"lines too long to be one, passed over", DIAG_DAMAGE };
static const struct diag_kind cut_line = {
	"inputs ending inside a line", DIAG_DAMAGE };
static const struct diag_kind only_foreign = {
	"traces without a line of etrace's", DIAG_DAMAGE };

/* One input, positioned at its next etrace line. */
struct stream {
	struct in *in;
	const char *name;
	struct line_state state;	/* state.line: the last etrace line */
	bool at_end;
	bool has_lost;		/* @lost waits for the time of the next line */
	struct et_line lost;
	uint64_t last_time;
	/* window of the input, up to @end; @at is after the current line */
	const char *window, *at, *end;
	char *tail;		/* an unfinished last line, with a newline */
};

struct etrace_in {
	struct source source;
	struct diag *diag;
	bool own, foreign;	/* lines of etrace, and of other tracers, have come */
	struct assembler *a;	/* NULL if nothing has been read */
	struct stream *turn;	/* stream to read next, NULL for the first one in @waiting */
	uint64_t until;		/* @turn is read up to this time, ns */
	struct order waiting;	/* the other streams that are not at their end */
	size_t n;
	struct stream streams[];
};

/* Number of the current line, of any class. */
static uint64_t line_number(const struct stream *st)
{
	return st->state.line.number;
}

/* Moves the window to @at.  Return: its bytes, at least @want except at the end. */
static size_t move_window(struct stream *st, size_t want)
{
	size_t have;

	in_skip(st->in, (size_t)(st->at - st->window));
	st->window = st->at = (const char *)in_peek(st->in, want, &have);
	st->end = st->at + have;
	return have;
}

/*
 * Skips the line at the beginning of the window, which is too long to be one of etrace,
 * in pieces if it is longer than the window.
 */
static void skip_long(struct etrace_in *src, struct stream *st)
{
	st->state.line.number++;
	diag_report(src->diag, &long_lines, st->name, DIAG_LINE, line_number(st), NULL);
	while (st->at < st->end) {
		const char *nl = memchr(st->at, '\n', (size_t)(st->end - st->at));

		if (nl) {
			st->at = nl + 1;
			return;
		}
		st->at = st->end;
		move_window(st, 1);
	}
}

/* The slow path of next_line(): no line of at most MAX_LINE bytes ends in the window. */
static const char *find_line(struct etrace_in *src, struct stream *st, const char **end)
{
	for (;;) {
		size_t left = (size_t)(st->end - st->at), have;
		const char *nl = memchr(st->at, '\n', left), *s = st->at;

		if (nl && nl - s <= MAX_LINE) {
			st->at = nl + 1;
			st->state.line.number++;
			*end = nl;
			return s;
		}
		have = move_window(st, left + 1);
		if (nl || left > MAX_LINE) {
			skip_long(src, st);
			continue;
		}
		if (have > left)
			continue;
		if (!have)
			return NULL;
		/* the last line, without a newline */
		st->state.line.number++;
		diag_report(src->diag, &cut_line, st->name, DIAG_LINE, line_number(st),
			    "the last line has no newline at its end: it may be cut");
		st->tail = xmalloc(have + 1);
		memcpy(st->tail, st->window, have);
		st->tail[have] = '\n';
		*end = st->tail + have;
		st->at = st->end;
		move_window(st, 0);
		return st->tail;
	}
}

/*
 * Goes to the next line.  @end: set to its newline, which may be read
 * Return: the line; NULL after the last.
 */
static inline const char *next_line(struct etrace_in *src, struct stream *st, const char **end)
{
	const char *s = st->at, *nl = memchr(s, '\n', (size_t)(st->end - s));

	if (!nl || nl - s > MAX_LINE)
		return find_line(src, st, end);
	st->at = nl + 1;
	st->state.line.number++;
	*end = nl;
	return s;
}

/* Handles a line that is not an etrace line.  A LOST line waits to get the next line's time. */
static int other_line(struct etrace_in *src, struct stream *st, struct assembler *a,
		      enum line_class class, const char *s)
{
	int err = 0;

	switch (class) {
	case LINE_ETRACE:
	case LINE_PENDING:
		break;
	case LINE_LOST:
		/* the second LOST line without an etrace line in between */
		if (st->has_lost) {
			st->lost.time = st->last_time;
			err = asm_lost(a, &st->lost);
		}
		st->has_lost = true;
		st->lost = st->state.lost;
		st->lost.file = st->name;
		st->lost.number = line_number(st);
		break;
	case LINE_FOREIGN:
		src->foreign |= *s != '#';
		diag_report(src->diag, &foreign_lines, st->name, DIAG_LINE, line_number(st), NULL);
		break;
	case LINE_DAMAGED:
		diag_report(src->diag, &damaged_lines, st->name, DIAG_LINE, line_number(st),
			    "damaged line, passed over");
		break;
	}
	return err;
}

/* Handles the end of an input. */
static int end_stream(struct etrace_in *src, struct stream *st, struct assembler *a)
{
	unsigned int foreign = line_flush(&st->state);

	if (foreign)
		diag_count(src->diag, &foreign_lines, foreign);
	st->at_end = true;
	in_report(st->in, src->diag, DIAG_LINE, line_number(st));
	if (!st->has_lost)
		return 0;
	st->lost.time = st->last_time;
	st->has_lost = false;
	return asm_lost(a, &st->lost);
}

/* The slow path of advance_stream(): line_quick() cannot parse @s; NULL at the end of input. */
static __attribute__((noinline)) int advance_slowly(struct etrace_in *src, struct stream *st,
						    struct assembler *a, const char *s,
						    const char *end)
{
	unsigned int foreign = 0;
	int err = 0;

	while (!err && s) {
		enum line_class class = line_other(&st->state, s, end, &foreign);

		if (foreign)
			diag_count(src->diag, &foreign_lines, foreign);
		foreign = 0;
		if (class == LINE_ETRACE)
			return 0;
		err = other_line(src, st, a, class, s);
		if (err)
			break;
		s = next_line(src, st, &end);
		if (s && line_quick(&st->state, s, end))
			return 0;
	}
	return err ? err : end_stream(src, st, a);
}

/* Goes to the next etrace line. */
static inline int advance_stream(struct etrace_in *src, struct stream *st, struct assembler *a)
{
	const char *end = NULL, *s = next_line(src, st, &end);

	if (s && line_quick(&st->state, s, end))
		return 0;
	return advance_slowly(src, st, a, s, end);
}

/* ---- merging ---- */

/* Queues a stream.  At equal times the order of inputs decides, so the result never varies. */
static void wait_turn(struct etrace_in *src, struct stream *st)
{
	if (!st->at_end)
		order_put(&src->waiting, st->state.line.time, (uint64_t)(st - src->streams), st);
}

/* Moves all inputs to their first etrace lines. */
static int begin_merge(struct etrace_in *src, struct assembler *a)
{
	int err = 0;

	for (size_t i = 0; i < src->n && !err; i++) {
		err = advance_stream(src, &src->streams[i], a);
		src->own |= !err && !src->streams[i].at_end;
		wait_turn(src, &src->streams[i]);
	}
	return err;
}

/* Reads up to STEP_LINES lines of the stream whose turn it is. */
static int merge_streams(struct etrace_in *src, struct assembler *a)
{
	struct stream *st = src->turn;
	unsigned int n = 0;
	int err = 0;

	if (!st) {
		st = src->turn = order_take(&src->waiting);
		src->until = src->waiting.n ? order_first_time(&src->waiting) : UINT64_MAX;
	}
	/* a stream keeps its turn for lines of equal time, which can be one record */
	do {
		if (n++ == STEP_LINES)
			return 0;
		if (st->has_lost) {
			st->lost.time = st->state.line.time;
			st->has_lost = false;
			err = asm_lost(a, &st->lost);
		}
		if (!err)
			err = asm_line(a, &st->state.line);
		if (err > 0) {
			st->at += asm_more(a, &st->state, st->at, st->end, src->until);
			err = 0;
		}
		st->last_time = st->state.line.time;
		if (!err)
			err = advance_stream(src, st, a);
	} while (!err && !st->at_end && st->state.line.time <= src->until);
	src->turn = NULL;
	wait_turn(src, st);
	return err;
}

static int etrace_in_step(struct source *s, struct sink *sink)
{
	struct etrace_in *src = (struct etrace_in *)s;
	int err = 0;

	if (!src->a) {
		src->a = asm_new(sink, src->diag);
		err = begin_merge(src, src->a);
	} else if (src->turn || src->waiting.n) {
		err = merge_streams(src, src->a);
	}
	if (!err && (src->turn || src->waiting.n))
		return 1;
	if (!err && src->foreign && !src->own)
		diag_report(src->diag, &only_foreign, src->streams[0].name, DIAG_NOWHERE, 0,
			    "has lines of other tracers, and none of etrace's");
	/* not after an output error: it would report unfinished events as damaged input */
	if (!err)
		err = asm_end(src->a);
	return err;
}

static void etrace_in_free(struct source *s)
{
	struct etrace_in *src = (struct etrace_in *)s;

	asm_free(src->a);
	for (size_t i = 0; i < src->n; i++)
		free(src->streams[i].tail);
	order_free(&src->waiting);
	free(src);
}

struct source *etrace_in_open(const struct source_args *args)
{
	static const struct source_ops ops = { etrace_in_step, etrace_in_free };
	struct etrace_in *src = xcalloc(1, sizeof(*src) + args->nin * sizeof(src->streams[0]));

	src->source.ops = &ops;
	src->diag = args->diag;
	src->n = args->nin;
	for (size_t i = 0; i < args->nin; i++) {
		src->streams[i].in = args->in[i];
		src->streams[i].name = in_name(args->in[i]);
		src->streams[i].state.line.file = src->streams[i].name;
		src->streams[i].window = src->streams[i].at = src->streams[i].end = "";
	}
	return &src->source;
}

/*
 * Whether a line looks like one that ftrace prints, "TASK-PID [CPU] FLAGS TIME:
 * EVENT ...", or like one of the function graph tracer, "CPU) TIME | CALL".
 */
static bool like_ftrace(const char *s, const char *end)
{
	const char *p = memchr(s, '[', (size_t)(end - s)), *q;
	size_t n = 0;

	if (p) {
		for (p++; p < end && *p >= '0' && *p <= '9'; p++)
			n++;
		q = memmem(p, (size_t)(end - p), ": ", 2);
		return n >= 3 && p < end && *p == ']' && q && q[-1] >= '0' && q[-1] <= '9';
	}
	while (s < end && *s == ' ')
		s++;
	for (; s < end && *s >= '0' && *s <= '9'; s++)
		n++;
	return n && s < end && *s == ')' && memchr(s, '|', (size_t)(end - s));
}

/*
 * An etrace line at the beginning of the file is unmistakable.  But it can also come after
 * any number of other tracers' lines.
 */
int etrace_in_detect(const uint8_t *data, size_t n)
{
	const char *s = (const char *)data, *nl;
	struct line_state st = { 0 };
	size_t traced = 0, others = 0;
	int score = DETECT_NO;
	char tail[512];

	while (n) {
		unsigned int foreign;

		nl = memchr(s, '\n', n);
		if (!nl) {
			/* the sample ends inside a line, but the parser needs a newline */
			n = n < sizeof(tail) ? n : sizeof(tail) - 1;
			memcpy(tail, s, n);
			tail[n++] = '\n';
			s = tail;
			nl = tail + n - 1;
		}
		switch (line_parse(&st, s, nl, &foreign)) {
		case LINE_ETRACE:
			return DETECT_SURE;
		case LINE_LOST:
			score = DETECT_LIKELY;
			break;
		default:
			if (like_ftrace(s, nl))
				traced++;
			else
				others += nl > s && *s != '#';
			break;
		}
		n -= (size_t)(nl + 1 - s);
		s = nl + 1;
	}
	return score == DETECT_NO && traced > others ? DETECT_MAYBE : score;
}
