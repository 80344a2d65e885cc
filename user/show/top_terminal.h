/* SPDX-License-Identifier: LGPL-2.1 */
/*
 * The terminal that etrace top draws on, by ncurses.  The library is loaded when a view
 * begins, so that no other command pays for it.
 */
#ifndef ETRACE_TOP_TERMINAL_H
#define ETRACE_TOP_TERMINAL_H

#include "show/top_screen.h"

struct top_terminal;

/**
 * top_terminal_open - take the terminal that controls this process
 * @color: whether colours may be used
 * @utf8: whether it shows UTF-8
 * @why: on failure, what is wrong and what to do, for a person
 *
 * Return: NULL on failure.
 */
struct top_terminal *top_terminal_open(bool color, bool utf8, char *why, size_t size);

/** top_terminal_close - give it back as it was */
void top_terminal_close(struct top_terminal *t);

/** top_terminal_fd - readable when a key was pressed */
int top_terminal_fd(const struct top_terminal *t);

/** top_terminal_frame - an empty frame of its present size, to be drawn */
struct top_frame *top_terminal_frame(struct top_terminal *t);

/** top_terminal_draw - show that frame */
void top_terminal_draw(struct top_terminal *t);

/** top_terminal_pause - give it back until the next frame: before the program is stopped */
void top_terminal_pause(struct top_terminal *t);

/** top_terminal_key - the next key: a character or enum top_key; 0 if there is none */
unsigned int top_terminal_key(struct top_terminal *t);

#endif
