/* SPDX-License-Identifier: GPL-2.0 */
/* The files that a command line names. */
#ifndef ETRACE_INPUTS_H
#define ETRACE_INPUTS_H

#include "io/diag.h"
#include "io/in.h"

struct inputs {
	struct in **in;		/* @n of them, at least one */
	size_t n;
};

/**
 * inputs_open - open all input files
 * @files: their @n names; "-", or no name at all, is standard input
 *
 * On a machine with several processors, they are read ahead.
 *
 * Return: false after diag_fatal(); inputs_close() is needed in that case, too.
 */
bool inputs_open(struct inputs *inputs, char **files, size_t n, struct diag *diag);

/**
 * inputs_open_usual - inputs_open(); without file names, open the default trace of etrace run
 * @files: set to its name in that case, and @n to 1
 */
bool inputs_open_usual(struct inputs *inputs, char ***files, size_t *n, struct diag *diag);

void inputs_close(struct inputs *inputs);

#endif
