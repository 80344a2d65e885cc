// SPDX-License-Identifier: LGPL-2.1
/* In the place of top_terminal.c where this was built without ncurses. */
#include "show/top_terminal.h"

#include <stdio.h>

struct top_terminal *top_terminal_open(bool color, bool utf8, char *why, size_t size)
{
	(void)color;
	(void)utf8;
	snprintf(why, size, "this etrace was built without ncurses; install libncurses-dev and build it");
	return NULL;
}

/* There is no terminal to call these with. */

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
