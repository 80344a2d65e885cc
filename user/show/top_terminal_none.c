// SPDX-License-Identifier: LGPL-2.1
/* Replaces top_terminal.c in builds without ncurses. */
#include "show/top_terminal.h"

#include <stdio.h>

struct top_terminal *top_terminal_open(bool color, bool utf8, char *why, size_t size)
{
	(void)color;
	(void)utf8;
	snprintf(why, size, "this etrace was built without ncurses; install libncurses-dev and build it");
	return NULL;
}

/* The other functions are never called, since top_terminal_open() always fails. */

void top_terminal_close(struct top_terminal *t)
{
	(void)t;
}

int top_terminal_fd(const struct top_terminal *t)
{
	(void)t;
	return -1;
}

struct top_frame *top_terminal_frame(struct top_terminal *t)
{
	static struct top_frame none;

	(void)t;
	return &none;
}

void top_terminal_draw(struct top_terminal *t)
{
	(void)t;
}

void top_terminal_pause(struct top_terminal *t)
{
	(void)t;
}

unsigned int top_terminal_key(struct top_terminal *t)
{
	(void)t;
	return 0;
}
