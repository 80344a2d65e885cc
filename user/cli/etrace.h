/* SPDX-License-Identifier: GPL-2.0 */
/* The subcommands of the program etrace, and what they share. */
#ifndef ETRACE_PROGRAM_H
#define ETRACE_PROGRAM_H

#include <stdint.h>
#include <stdio.h>

#include "base/clock.h"

#define PROG "etrace"

/* The trace that run and attach write, and other commands read, by default. */
#define TRACE_FILE "etrace.fxt"

/* Exit statuses of our own. */
#define EXIT_INCOMPLETE	123	/* --strict, and something is missing */
#define EXIT_FAILED	125	/* tracing could not start */
#define EXIT_NOT_RUN	126	/* the command cannot be run */
#define EXIT_NOT_FOUND	127	/* the command was not found */

/* A row of the table in etrace.c. */
struct command {
	const char *name;
	const char *help;	/* one line */
	/* @argv[0] is the subcommand's name.  Return: the exit status. */
	int (*main)(int argc, char **argv);
};

int cmd_run(int argc, char **argv);
int cmd_attach(int argc, char **argv);
int cmd_top(int argc, char **argv);
int cmd_report(int argc, char **argv);
int cmd_explain(int argc, char **argv);
int cmd_db(int argc, char **argv);
int cmd_compdb(int argc, char **argv);
int cmd_deps(int argc, char **argv);
int cmd_rdeps(int argc, char **argv);
int cmd_why(int argc, char **argv);
int cmd_time(int argc, char **argv);
int cmd_diff(int argc, char **argv);
int cmd_why_different(int argc, char **argv);
int cmd_affected(int argc, char **argv);
int cmd_rebuilt(int argc, char **argv);
int cmd_check(int argc, char **argv);
int cmd_used(int argc, char **argv);
int cmd_attest(int argc, char **argv);
int cmd_skip(int argc, char **argv);
int cmd_doctor(int argc, char **argv);

/** say - print a line on standard error, with the program's name before it */
void say(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

/** now_ns - CLOCK_MONOTONIC, in ns */
static inline uint64_t now_ns(void)
{
	return (uint64_t)clock_ns(CLOCK_MONOTONIC);
}


#endif
