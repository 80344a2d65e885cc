// SPDX-License-Identifier: LGPL-2.1
/* Puts text at places of a frame of etrace top.  See top_screen.h. */
#include "show/top_screen.h"
#include "base/screen.h"

#include <stdlib.h>

void top_frame_begin(struct top_frame *f, unsigned int rows, unsigned int cols)
{
	f->rows = rows;
	f->cols = cols;
	f->text.len = 0;
	f->nspans = 0;
	f->looked = 0;
}

void top_frame_free(struct top_frame *f)
{
	buf_free(&f->text);
	free(f->span);
	*f = (struct top_frame){ 0 };
}

unsigned int top_put(struct top_frame *f, unsigned int row, unsigned int col, unsigned int cols,
		     enum top_style style, const char *s, size_t len)
{
	struct top_span *span;
	unsigned int taken;
	size_t off = f->text.len;

	if (row >= f->rows || col >= f->cols)
		return 0;
	if (cols > f->cols - col)
		cols = f->cols - col;
	taken = screen_add(&f->text, s, len, cols, f->utf8);
	f->span = xgrow(f->span, &f->spans_cap, f->nspans + 1, sizeof(*f->span));
	span = &f->span[f->nspans++];
	*span = (struct top_span){ row, col, taken, style, off, f->text.len - off };
	return taken;
}

unsigned int top_puts(struct top_frame *f, unsigned int row, unsigned int col,
		      unsigned int cols, enum top_style style, const char *s)
{
	return top_put(f, row, col, cols, style, s, strlen(s));
}

void top_fill(struct top_frame *f, unsigned int row, unsigned int col, unsigned int cols,
	      enum top_style style, const char *s, size_t len)
{
	static const char blanks[] = "                                ";
	unsigned int taken = top_put(f, row, col, cols, style, s, len);

	if (col + cols > f->cols)
		cols = f->cols > col ? f->cols - col : 0;
	while (taken < cols) {
		unsigned int n = cols - taken < sizeof(blanks) - 1 ? cols - taken :
				 (unsigned int)sizeof(blanks) - 1;

		top_put(f, row, col + taken, n, style, blanks, n);
		taken += n;
	}
}
