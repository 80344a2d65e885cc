/* SPDX-License-Identifier: LGPL-2.1 */
/* Another program, whose standard output is read: git(1), rpm(8). */
#ifndef ETRACE_PROGRAM_H
#define ETRACE_PROGRAM_H

#include <stdio.h>
#include <sys/types.h>

/**
 * program_start - run it, found by PATH
 * @argv: ends with NULL
 * @pid: set, for program_end()
 *
 * Return: what it prints; NULL: errno says why there is none.
 */
FILE *program_start(char *const argv[], pid_t *pid);

/** program_end - close it, and wait for the program.  Return: its status as of waitpid(2) */
int program_end(FILE *from, pid_t pid);

#endif
