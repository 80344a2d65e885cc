/* SPDX-License-Identifier: LGPL-2.1 */
/*
 * One line of strace's output, taken apart: whose, when, which call, with which
 * arguments and result.  What calls mean is not known here.  strace(1), "DESCRIPTION"
 * and the options -f, -t, -r, -T, -i, -n, -Y.
 */
#ifndef ETRACE_ST_LINE_H
#define ETRACE_ST_LINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct st_text {
	const char *s;
	size_t len;
};

enum st_class {
	ST_CALL,		/* "open("x", O_RDONLY) = 3" */
	ST_UNFINISHED,		/* "open("x" <unfinished ...>" */
	ST_RESUMED,		/* "<... open resumed>, O_RDONLY) = 3" */
	ST_CONTINUED,		/* ", O_RDONLY) = 3", behind a line that a message broke */
	ST_CUT,			/* "open("x", O_RD": a call without an end, or another program's words */
	ST_DETACHED,		/* "read(3, <detached ...>", "strace: Process 12 detached" */
	ST_EXITED,		/* "+++ exited with 1 +++" */
	ST_KILLED,		/* "+++ killed by SIGSEGV (core dumped) +++" */
	ST_SUPERSEDED,		/* "+++ superseded by execve in pid 12 +++" */
	ST_DUMP,		/* " | 00000  68 69 0a ...": what the call before wrote (-e write=) */
	ST_NOTHING,		/* of strace's, and no event: signals, stacks, notes */
	ST_FOREIGN,		/* not of strace's */
};

/* What the times of a log are. */
enum st_clock {
	ST_UNTIMED,
	ST_EPOCH,		/* -ttt: since 1970 */
	ST_DAY,			/* -t, -tt: since midnight */
	ST_RELATIVE,		/* -r: since the line before */
};

struct st_line {
	enum st_class class;
	struct st_text whole;	/* all of it, without the newline */
	int64_t pid;		/* -1: the line does not say */
	enum st_clock clock;
	uint64_t time;		/* ns, by @clock */
	struct st_text name;	/* of the call */
	bool broken;		/* ST_UNFINISHED: by a message of strace's */
	struct st_text args;	/* between the brackets, as far as they stand in this line */
	/* ST_CALL, ST_RESUMED: what stands behind the "=" */
	struct st_text ret;
	/* and of that: */
	bool has_value;		/* no: "?" */
	int64_t value;		/* -1 with @error; a pid: as strace sees it, if it says so */
	bool translated;	/* it does: the program sees another pid */
	int error;		/* positive errno; 0: none */
	bool restarts;		/* it was interrupted, and is made again */
	bool has_took;
	uint64_t took;		/* -T: ns */
	/* ST_EXITED: status; ST_KILLED: signal; ST_SUPERSEDED: pid */
	int64_t end;
	bool core;
};

/**
 * st_line_parse - take a line apart
 * @s: its bytes, without the newline; @line points into them
 */
void st_line_parse(struct st_line *line, const char *s, size_t len);

/**
 * st_line_result - where the arguments of a call end, and what it returned
 * @line: gets both; they point into @args
 * @args: what stands behind the call's "(", to the end of the line; of a call in two
 *	lines, that of both, one behind the other
 *
 * Return: false: they do not end.
 */
bool st_line_result(struct st_line *line, const char *args, size_t len);

/**
 * st_line_dump - the bytes that a line ST_DUMP shows
 * @to: room for ST_DUMP_MAX
 *
 * Return: how many.
 */
size_t st_line_dump(const struct st_line *line, uint8_t *to);

#define ST_DUMP_MAX 16

/**
 * st_skip - from a quote, a bracket or a descriptor's "<" on
 *
 * Return: what stands behind that which closes it; @end: nothing does.
 */
const char *st_skip(const char *s, const char *end);

#endif
