/* SPDX-License-Identifier: LGPL-2.1 */
/*
 * Parses one line of strace's output into its pid, time, call, arguments and result.  It
 * does not know what calls mean.  For the format see strace(1), "DESCRIPTION" and the
 * options -f, -t, -r, -T, -i, -n, -Y.
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
	ST_NOTHING,		/* from strace, but no event: signals, stacks, notes */
	ST_FOREIGN,		/* not from strace */
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
	int64_t pid;		/* -1 if the line has none */
	enum st_clock clock;
	uint64_t time;		/* ns, by @clock */
	struct st_text name;	/* of the call */
	bool broken;		/* ST_UNFINISHED: a message from strace broke it */
	struct st_text args;	/* between the brackets, as far as this line has them */
	/* ST_CALL, ST_RESUMED: the text after the "=" */
	struct st_text ret;
	/* parsed from @ret: */
	bool has_value;		/* false for "?" */
	int64_t value;		/* -1 with @error; a pid as strace sees it if @translated */
	bool translated;	/* @value is strace's pid; the program sees another one */
	int error;		/* positive errno, 0 if none */
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
 * @args: the text after the call's "(", to the end of the line; for a call in two lines,
 *	the texts of both, joined
 *
 * Return: false if the arguments do not end.
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
 * Return: the text after the closing character, @end if it is not closed.
 */
const char *st_skip(const char *s, const char *end);

#endif
