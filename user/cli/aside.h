/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What a command prints while a view has its terminal: it goes to a file without a name,
 * and from there to the terminal when that is free again.  The command never waits for
 * this, and goes on printing when the recorder is gone.
 */
#ifndef ETRACE_CLI_ASIDE_H
#define ETRACE_CLI_ASIDE_H

#include <stdbool.h>

struct aside;

/** aside_new - if standard output or error is a terminal.  Return: NULL after a message, or if not. */
struct aside *aside_new(void);

/**
 * aside_take - in the command's process: what would go to the terminal goes there, and
 *	nothing is read from the terminal
 */
void aside_take(const struct aside *a);

/**
 * aside_show - write to the terminal what has come
 * @all: else as much as it takes without waiting
 */
void aside_show(struct aside *a, bool all);

/** aside_free - show all, and free; NULL: nothing */
void aside_free(struct aside *a);

#endif
