/* SPDX-License-Identifier: LGPL-2.1 */
/*
 * What etrace top shows of a model, as text with a place and a style each, for a terminal
 * of any size; and what the keys do.  A frame costs what its rows cost, however many
 * programs there are.
 */
#ifndef ETRACE_TOP_SCREEN_H
#define ETRACE_TOP_SCREEN_H

#include "show/top_model.h"

enum top_style {
	TOP_PLAIN,
	TOP_DIM,
	TOP_BOLD,
	TOP_GOOD,
	TOP_BAD,
	TOP_HEAD,		/* of a section */
	TOP_SELECTED,
	TOP_STYLES
};

/* Text at a place of a frame. */
struct top_span {
	unsigned int row, col, cols;
	enum top_style style;
	size_t off, len;	/* in the frame's text */
};

struct top_frame {
	unsigned int rows, cols;
	bool utf8;		/* else nothing but ASCII is drawn */
	struct buf text;
	struct top_span *span;
	size_t nspans, spans_cap;
	uint64_t looked;	/* programs that were looked at for it */
};

/** top_frame_begin - an empty frame, that reuses the memory of the one before */
void top_frame_begin(struct top_frame *f, unsigned int rows, unsigned int cols);
void top_frame_free(struct top_frame *f);

/** top_put - text at a place, at most @cols columns.  Return: the columns that it takes. */
unsigned int top_put(struct top_frame *f, unsigned int row, unsigned int col, unsigned int cols,
		     enum top_style style, const char *s, size_t len);

/** top_puts, top_fill - the same of a string; and to that width with blanks behind it */
unsigned int top_puts(struct top_frame *f, unsigned int row, unsigned int col,
		      unsigned int cols, enum top_style style, const char *s);
void top_fill(struct top_frame *f, unsigned int row, unsigned int col, unsigned int cols,
	      enum top_style style, const char *s, size_t len);

/* Of the machine that records, where it is this one. */
struct top_machine {
	bool known;
	unsigned int processors;
	unsigned int busy;	/* percent of all processors */
	uint64_t memory, memory_used;	/* bytes */
};

/* Characters are themselves. */
enum top_key {
	TOP_KEY_UP = 0x110000, TOP_KEY_DOWN, TOP_KEY_PAGE_UP, TOP_KEY_PAGE_DOWN, TOP_KEY_HOME,
	TOP_KEY_ENTER, TOP_KEY_ESCAPE, TOP_KEY_ERASE, TOP_KEY_OTHER,
};

/* Rows that can be selected on one frame. */
#define TOP_ROWS_MAX	512u
/* Of a list, no more than that are reached by scrolling; the search reaches all. */
#define TOP_SCROLL_MAX	1000u

struct top_view {
	enum { TOP_MAIN, TOP_PROGRAM, TOP_HELP } shown;
	uint64_t program;	/* of TOP_PROGRAM */
	bool typing;		/* of a search */
	struct buf search;
	uint64_t selected;	/* upid; 0: none */
	uint64_t first;		/* how many of the list are above the screen */
	uint64_t row[TOP_ROWS_MAX];	/* what the last frame showed: upids */
	unsigned int nrows, list_row;	/* the list's are those from @list_row on */
	const char *quit;	/* what q does: "ends the view" */
	const char *source;	/* what is watched */
	struct top_machine machine;
};

/** top_draw - a frame of what there is at a time */
void top_draw(struct top_frame *f, struct top_view *v, const struct top_model *m, uint64_t now);

/** top_draw_program, top_draw_help - these pages: top_pages.c */
void top_draw_program(struct top_frame *f, const struct top_view *v, const struct top_model *m,
		      uint64_t now);
void top_draw_help(struct top_frame *f, const struct top_view *v);

/** top_press - a key.  Return: false if the view is to end. */
bool top_press(struct top_view *v, struct top_model *m, unsigned int key);

/** top_view_free - free what it holds */
void top_view_free(struct top_view *v);

#endif
