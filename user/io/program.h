/* SPDX-License-Identifier: LGPL-2.1 */
/* Runs another program, like git(1) or rpm(8), and reads its standard output. */
#ifndef ETRACE_PROGRAM_H
#define ETRACE_PROGRAM_H

#include <stdio.h>
#include <sys/types.h>

/**
 * program_start - start a program, which is searched for in PATH
 * @argv: its arguments, ended by NULL
 * @pid: set to its process ID, for program_end()
 *
 * Return: its standard output, NULL with errno on error.
 */
FILE *program_start(char *const argv[], pid_t *pid);

/** program_end - close @from and wait for the program.  Return: its status, see waitpid(2) */
int program_end(FILE *from, pid_t pid);

#endif
