/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Which programs may be skipped.  The clock, the process's number and the like cannot be seen in a
 * recording, so only programs may that are known to make the same of the same.
 */
#ifndef ETRACE_SKIP_PROGRAMS_H
#define ETRACE_SKIP_PROGRAMS_H

#include <stdbool.h>

#include "base/buf.h"

enum skip_program {
	PROGRAM_NO,
	PROGRAM_YES,
	PROGRAM_BLIND,		/* times of files decide nothing of what it makes */
	PROGRAM_SHELL,		/* its text is searched for what asks for the clock and the like */
};

/** skip_program - what a program is; @allow: more names, comma-separated, or NULL */
enum skip_program skip_program(const char *path, const char *allow);

/** skip_source_word - a word in a file that gives a compiler the time.  Return: NULL if none */
const char *skip_source_word(const struct buf *text);

/** skip_shell_word - a word in a shell's text that gives it what is not recorded */
const char *skip_shell_word(const struct buf *text);

/** skip_shell_directory - a command in a shell's text that changes its directory.  Return: or NULL */
const char *skip_shell_directory(const struct buf *text);

#endif
