/* SPDX-License-Identifier: LGPL-2.1 */
/*
 * Parses one line of strace's output into pid, time, call, arguments and result.  What
 * calls mean is up to st_call*.c.  For the format see strace(1), "DESCRIPTION" and the
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
	ST_CONTINUED,		/* ", O_RDONLY) = 3": the rest of a line that a message broke */
	ST_CUT,			/* "open("x", O_RD": a call without an end, or foreign output */
	ST_DETACHED,		/* "read(3, <detached ...>", "strace: Process 12 detached" */
	ST_EXITED,		/* "+++ exited with 1 +++" */
	ST_KILLED,		/* "+++ killed by SIGSEGV (core dumped) +++" */
	ST_SUPERSEDED,		/* "+++ superseded by execve in pid 12 +++" */
	ST_DUMP,		/* " | 00000  68 69 ...": output of the call before (-e write=) */
	ST_NOTHING,		/* from strace, but not used: signals, stacks, notes */
	ST_FOREIGN,		/* not from strace */
};

/* The format of a line's time. */
enum st_clock {
	ST_UNTIMED,
	ST_EPOCH,		/* -ttt: since 1970 */
	ST_DAY,			/* -t, -tt: since midnight */
	ST_RELATIVE,		/* -r: since the previous line */
};

struct st_line {
	enum st_class class;
	struct st_text whole;	/* the whole line, without the newline */
	int64_t pid;		/* -1 if the line has none */
	enum st_clock clock;
	uint64_t time;		/* ns, by @clock */
	struct st_text name;	/* name of the call */
	bool broken;		/* ST_UNFINISHED: a message from strace broke it */
	struct st_text args;	/* text between the brackets, or the part in this line */
	/* ST_CALL, ST_RESUMED: the text after the "=" */
	struct st_text ret;
	/* parsed from @ret: */
	bool has_value;		/* false for "?" */
	int64_t value;		/* -1 with @error */
	bool translated;	/* @value is a pid as strace sees it; the program sees another */
	int error;		/* positive errno, 0 if none, -1 if unknown */
	bool restarts;		/* interrupted, with a kernel-internal ERESTART error */
	bool has_took;
	uint64_t took;		/* -T: ns */
	/* ST_EXITED: status; ST_KILLED: signal; ST_SUPERSEDED: pid */
	int64_t end;
	bool core;
};

/**
 * st_line_parse - parse a line
 * @s: bytes of the line, without the newline; @line points into them
 */
void st_line_parse(struct st_line *line, const char *s, size_t len);

/**
 * st_line_result - find the end of a call's arguments, and its result
 * @line: gets args, result and duration; texts point into @args
 * @args: the text after the call's "(", to the end of the line; for a call in two lines,
 *	the texts of both, joined
 *
 * Return: false if the arguments have no end or no "=" follows.
 */
bool st_line_result(struct st_line *line, const char *args, size_t len);

/**
 * st_line_dump - get the bytes in a line of class ST_DUMP
 * @to: ST_DUMP_MAX bytes
 *
 * Return: number of bytes.
 */
size_t st_line_dump(const struct st_line *line, uint8_t *to);

#define ST_DUMP_MAX 16

/**
 * st_skip - skip a text in quotes or brackets, or a descriptor's path in "<>", from @s on
 *
 * Return: the text after the closing character, @end if there is none.
 */
const char *st_skip(const char *s, const char *end);

#endif
