/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Which programs may be skipped.  A recording does not show uses of the clock, the process id and
 * the like, so only programs known to be deterministic may be skipped.
 */
#ifndef ETRACE_SKIP_PROGRAMS_H
#define ETRACE_SKIP_PROGRAMS_H

#include <stdbool.h>

#include "base/buf.h"

enum skip_program {
	PROGRAM_NO,
	PROGRAM_YES,
	PROGRAM_BLIND,		/* its output does not depend on times of files */
	PROGRAM_SHELL,		/* its text is searched for uses of the clock and the like */
};

/** skip_program - the kind of a program; @allow: more names, comma-separated, or NULL */
enum skip_program skip_program(const char *path, const char *allow);

/**
 * skip_trusts - whether a program is what its name suggests: it is installed, or in @allow
 *
 * A build may make programs of its own with names such as test and install.
 */
bool skip_trusts(const char *path, const char *allow);


/**
 * skip_option - find an option with which a program does what the recording does not show
 * @arg: one of its arguments
 *
 * Return: why its step cannot be skipped; NULL if it can
 */
const char *skip_option(const char *path, const char *arg);

/**
 * skip_source_word - find a word in a file that makes a compiler use the time.
 *
 * Return: NULL if none
 */
const char *skip_source_word(const struct buf *text);

/**
 * skip_shell_word - find a word in a shell script that uses something unrecorded.
 *
 * Return: NULL if none
 */
const char *skip_shell_word(const struct buf *text);

/**
 * skip_shell_directory - find a command in a shell script that changes its directory.
 *
 * Return: NULL if none
 */
const char *skip_shell_directory(const struct buf *text);

#endif
