/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Keeps the output of a command while a view uses its terminal, in a file without a
 * name, which is copied to the terminal when that is free again. The command never
 * waits for this, and can continue to print when the recorder has ended.
 */
#ifndef ETRACE_CLI_ASIDE_H
#define ETRACE_CLI_ASIDE_H

#include <stdbool.h>

struct aside;

/** aside_new - create the file. Return: NULL if neither output is a terminal, or on failure */
struct aside *aside_new(void);

/**
 * aside_take - in the command's process: output to the terminal goes to the file, and
 *	nothing is read from the terminal
 */
void aside_take(const struct aside *a);

/**
 * aside_show - copy new output to the terminal
 * @all: show everything; otherwise only what the terminal takes without waiting
 */
void aside_show(struct aside *a, bool all);

/** aside_free - show all remaining output, and free; @a may be NULL */
void aside_free(struct aside *a);

#endif
