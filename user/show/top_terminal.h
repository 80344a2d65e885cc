/* SPDX-License-Identifier: LGPL-2.1 */
/*
 * Draws etrace top on a terminal with ncurses.  The library is loaded only when a view
 * begins, so that other commands start as fast as without it.
 */
#ifndef ETRACE_TOP_TERMINAL_H
#define ETRACE_TOP_TERMINAL_H

#include "show/top_screen.h"

struct top_terminal;

/**
 * top_terminal_open - take over the controlling terminal of this process
 * @color: colours may be used
 * @utf8: the terminal shows UTF-8
 * @why: set on failure to a message for the user: what is wrong, and what to do
 *
 * Return: NULL on failure.
 */
struct top_terminal *top_terminal_open(bool color, bool utf8, char *why, size_t size);

/** top_terminal_close - restore the terminal, and release it */
void top_terminal_close(struct top_terminal *t);

/** top_terminal_fd - a descriptor that is readable when a key was pressed */
int top_terminal_fd(const struct top_terminal *t);

/** top_terminal_frame - begin an empty frame of the terminal's current size */
struct top_frame *top_terminal_frame(struct top_terminal *t);

/** top_terminal_draw - show the frame of top_terminal_frame() */
void top_terminal_draw(struct top_terminal *t);

/** top_terminal_pause - restore the terminal until the next frame, before the program stops */
void top_terminal_pause(struct top_terminal *t);

/** top_terminal_key - the next key: a character or enum top_key; 0 if there is none */
unsigned int top_terminal_key(struct top_terminal *t);

#endif
