/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Colours and the progress line on standard error.  The progress line occupies the last
 * line of the terminal.
 */
#ifndef ETRACE_TERM_H
#define ETRACE_TERM_H

#include <stdbool.h>
#include <stddef.h>

enum term_when { TERM_AUTO, TERM_ALWAYS, TERM_NEVER };

/* Colours of words; "" if colours are off. */
struct term_colors {
	const char *good, *bad, *bold, *off;
};

/** term_colors - colours for @fd: only if it is a terminal and NO_COLOR is not set */
struct term_colors term_colors(int fd);

/** term_utf8 - whether text is UTF-8 in the user's locale */
bool term_utf8(void);

/**
 * term_blocks - whether non-ASCII characters can be drawn on @fd
 * @cols: set to its columns, 0 if unknown or not a terminal
 */
bool term_blocks(int fd, unsigned int *cols);

/** progress_begin - reserve the line, if a progress line will be shown */
void progress_begin(enum term_when when);

/** progress_columns - how many columns the line has */
unsigned int progress_columns(void);

/** progress_show - update the line: @len bytes, of at most progress_columns() columns */
void progress_show(const char *text, size_t len);

/** progress_hide - release the line: at the end, or before stopping */
void progress_hide(void);

/** progress_on - whether a progress line is shown */
bool progress_on(void);

/** progress_resized - handle a new size of the terminal */
void progress_resized(void);

#endif
