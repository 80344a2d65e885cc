/* SPDX-License-Identifier: LGPL-2.1 */
/*
 * Draws the model of etrace top as spans of text, each with a place and a style, for a
 * terminal of any size; and handles keys.  The cost of a frame depends on its rows, not on
 * the number of programs.
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
	TOP_HEAD,		/* heading of a section */
	TOP_SELECTED,
	TOP_STYLES
};

/* Text at a place of a frame. */
struct top_span {
	unsigned int row, col, cols;
	enum top_style style;
	size_t off, len;	/* offset and length in the frame's text */
};

struct top_frame {
	unsigned int rows, cols;
	bool utf8;		/* draw UTF-8; otherwise only ASCII */
	struct buf text;
	struct top_span *span;
	size_t nspans, spans_cap;
	uint64_t looked;	/* number of programs visited to draw the frame */
};

/** top_frame_begin - begin an empty frame, reusing the memory of the previous one */
void top_frame_begin(struct top_frame *f, unsigned int rows, unsigned int cols);
void top_frame_free(struct top_frame *f);

/** top_put - add text at a place, at most @cols columns.  Return: the columns that it takes. */
unsigned int top_put(struct top_frame *f, unsigned int row, unsigned int col, unsigned int cols,
		     enum top_style style, const char *s, size_t len);

/** top_puts - top_put() for a string; top_fill - top_put(), then blanks up to @cols */
unsigned int top_puts(struct top_frame *f, unsigned int row, unsigned int col,
		      unsigned int cols, enum top_style style, const char *s);
void top_fill(struct top_frame *f, unsigned int row, unsigned int col, unsigned int cols,
	      enum top_style style, const char *s, size_t len);

/* Load of the recording machine; known only if it is this machine. */
struct top_machine {
	bool known;
	unsigned int processors;
	unsigned int busy;	/* percent of all processors */
	uint64_t memory, memory_used;	/* bytes */
};

/* Keys that are not characters.  A character is represented by its code point. */
enum top_key {
	TOP_KEY_UP = 0x110000, TOP_KEY_DOWN, TOP_KEY_PAGE_UP, TOP_KEY_PAGE_DOWN, TOP_KEY_HOME,
	TOP_KEY_ENTER, TOP_KEY_ESCAPE, TOP_KEY_ERASE, TOP_KEY_OTHER,
};

/* Maximum number of rows that can be selected in one frame. */
#define TOP_ROWS_MAX	512u
/* Number of rows of a list that can be reached by scrolling; the search reaches all. */
#define TOP_SCROLL_MAX	1000u

struct top_view {
	enum { TOP_MAIN, TOP_PROGRAM, TOP_HELP } shown;
	uint64_t program;	/* upid that TOP_PROGRAM shows */
	bool typing;		/* the user types the text of the search */
	struct buf search;
	uint64_t selected;	/* upid of the selected program, 0 if none */
	uint64_t first;		/* number of rows of the list above the screen */
	uint64_t row[TOP_ROWS_MAX];	/* upids of the programs in the last frame */
	unsigned int nrows, list_row;	/* number of these; where the list begins in @row */
	const char *quit;	/* what the key q does: "ends the view" */
	const char *source;	/* name of what is watched */
	struct top_machine machine;
};

/** top_draw - draw the page that is shown, at time @now in ns */
void top_draw(struct top_frame *f, struct top_view *v, const struct top_model *m, uint64_t now);

/** top_draw_program, top_draw_help - draw the page of a program, and that of help: top_pages.c */
void top_draw_program(struct top_frame *f, const struct top_view *v, const struct top_model *m,
		      uint64_t now);
void top_draw_help(struct top_frame *f, const struct top_view *v);

/** top_press - handle a key.  Return: false if the view should end. */
bool top_press(struct top_view *v, struct top_model *m, unsigned int key);

/** top_view_free - free the memory of its fields */
void top_view_free(struct top_view *v);

#endif
