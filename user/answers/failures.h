/* SPDX-License-Identifier: LGPL-2.1 */
/*
 * What failed in a build, and which of the failures the others come from.
 *
 * A process fails if its last program ends with a status other than 0, or by a signal.  A
 * failure matters only if it led, from caller to caller, to the failure of the whole build:
 * each of them failed, and did not go on as if nothing had happened.  Who is to blame for the
 * failure of a caller is decided in failures_blame.c; tables of names there only refine that.
 */
#ifndef ETRACE_FAILURES_H
#define ETRACE_FAILURES_H

#include "answers/answers.h"

enum failure_kind {
	FAILURE_NONE,		/* it did not fail, or another program took its process over */
	FAILURE_FIRST,		/* the failure that the failure of the build began with */
	FAILURE_REAL,		/* another one that the build failed of: make -k, parallel jobs */
	FAILURE_PASSED_ON,	/* a caller whose failure is that of a program it called */
	FAILURE_FOLLOWED,	/* stopped, or without an input, because of an earlier failure */
	FAILURE_PROBE,		/* a question of configure, cmake or the like to the system */
	FAILURE_ANSWER,		/* test, grep, diff: the status is an answer */
	FAILURE_IGNORED,	/* its caller went on and did not fail of it */
	FAILURE_KINDS
};

struct build_exec;
struct failures;

/** failures_of - the failures of a build, found when they are asked for first; the database's */
struct failures *failures_of(struct db *db);

/** failures_kind - of an exec */
enum failure_kind failures_kind(const struct failures *f, uint32_t exec);

/** failure_word - "first", "passed on"; "" of FAILURE_NONE */
const char *failure_word(enum failure_kind kind);

/** failures_first - the exec that failed first.  Return: 0 if the build did not fail */
uint32_t failures_first(const struct failures *f);

/** failures_count - how many execs failed in that way */
size_t failures_count(const struct failures *f, enum failure_kind kind);

/** failures_list - all execs that failed, those that ended first before the others */
const uint32_t *failures_list(const struct failures *f, size_t *n);

/** failures_failed - whether the build failed; what has not ended counts by what failed in it */
bool failures_failed(const struct failures *f);

/**
 * failures_status - of the build: of the session, or of its first program
 *
 * A signal is 128 and its number, as of a shell.  Return: -1: not known
 */
int failures_status(const struct failures *f);

/** failures_cause - the call that an exec failed of, the earliest if it was several; 0: none */
uint32_t failures_cause(const struct failures *f, uint32_t exec);

/** failures_caller - who waited for an exec: the last program of that process; 0: nobody */
uint32_t failures_caller(const struct failures *f, uint32_t exec);

/** failures_command - what people called: gcc, of cc1 or ld; else the exec itself */
uint32_t failures_command(const struct failures *f, uint32_t exec);

/** failures_after - how many other commands failed because of it */
size_t failures_after(const struct failures *f, uint32_t exec);

/* Why it failed, as far as that can be seen. */
enum failure_reason {
	FAILURE_OF_INPUT,	/* it failed on @path: a source, a script, what it makes */
	FAILURE_OF_MISSING,	/* @path was looked for, and is nowhere */
	FAILURE_OF_TOOL,	/* the same of a program that it was to run; empty: of some program */
	FAILURE_OF_INTERPRETER,	/* @path was called, and it or what its first line names is nowhere */
	FAILURE_OF_RULE,	/* @name is to be made, and no rule says how */
	FAILURE_OF_RIGHTS,	/* @path could not be opened: not permitted */
	FAILURE_OF_SPACE,	/* the disk was full, or the file too large */
	FAILURE_OF_MEMORY,	/* it could not get more memory */
	FAILURE_OF_TIME,	/* it was stopped, as it took too long */
	FAILURE_OF_NOTHING,	/* nothing is known; @path is empty */
	FAILURE_REASONS
};

struct failure_on {
	enum failure_reason reason;
	struct buf path;	/* absolute, as far as it is known */
	struct buf name;	/* as it was looked for, or as the program says: "sys/x.h" */
	struct buf subject;	/* what it worked at, if that is known: a source, an output */
	bool likely;		/* @name is inferred: all others ran; or that it failed of this file */
};

/** failures_on - what an exec failed on; for failure_on_free() */
void failures_on(struct db *db, uint32_t exec, struct failure_on *on);
void failure_on_free(struct failure_on *on);
/** failure_reason_word - "input", "missing", "tool", ...; "" of FAILURE_OF_NOTHING */
const char *failure_reason_word(enum failure_reason reason);

/**
 * failures_printed - what a process printed last, if that was recorded; appended
 *
 * Return: false: it was not, or it printed nothing.
 */
bool failures_printed(struct db *db, uint32_t exec, struct buf *to);

/** failures_has_word - whether a text names a file */
bool failures_has_word(const char *s, size_t len, const char *word, size_t n);

/** failures_said - why it failed, of what it printed.  Return: false: that is not known */
bool failures_said(struct db *db, uint32_t exec, struct failure_on *on);

/**
 * failures_quote - append the printed line that best explains the failure
 *
 * On descriptor 2: the first line with "error:"; else the first that mentions an error; else the
 * last line.  If nothing was printed there: the same on descriptor 1, but not its last line.
 * Secrets are hidden.
 */
void failures_quote(struct db *db, uint32_t exec, struct buf *to);

/**
 * failures_not_run - whether a shell ended with 127 as it did not find a command
 *
 * Sets the reason, and the name if that can be inferred from the shell's text.
 */
bool failures_not_run(struct db *db, uint32_t exec, struct failure_on *on);

/**
 * failures_may_run - whether a name that a program looked for can be that of a command
 *
 * Return: false: it is a shell, and its text has the name only elsewhere: "cat < name".
 */
bool failures_may_run(struct db *db, uint32_t exec, const char *name, size_t len);

/**
 * failures_not_begun - whether make did not find a command that it was to run without a shell
 *
 * Sets the reason and the name, by the recipes of its makefiles.
 */
bool failures_not_begun(struct db *db, uint32_t exec, struct failure_on *on);

/** failures_how - "exit status 1", "SIGKILL"; appended */
void failures_how(struct db *db, uint32_t exec, struct buf *to);

/**
 * failures_text - what failed first, in one line without a newline; appended
 *
 * "cc1 failed first, on src/parse.c, with exit status 1 (gcc -c src/parse.c in /src); 2 more
 * failed because of it".  Nothing is appended if the build did not fail.
 */
void failures_text(struct db *db, const struct failures *f, struct buf *to);

/**
 * failures_text_of - "cc1 failed, on src/parse.c, with exit status 1" of any exec; appended
 * @quote: add the program's own words if no other reason is known
 */
void failures_text_of(struct db *db, const struct failures *f, uint32_t exec, bool quote,
		      struct buf *to);

/* ---- between failures*.c ---- */

enum failure_caller {
	CALLER_OTHER,
	CALLER_SHELL,		/* a script: what failed last decides, mostly */
	CALLER_BUILDER,		/* make: starts nothing more after a failure that it minds */
	CALLER_GOES_ON,		/* ctest, make -k, ninja: ignores no failure */
	CALLER_DRIVER,		/* gcc, rustc: what it calls is part of it */
	CALLER_CONFIGURES,	/* what it calls are questions */
	CALLER_LIMITS,		/* timeout: ends what takes too long */
};

/* What make or ctest prints about a call that failed, or a makefile shows. */
enum failure_says { SAYS_NOTHING, SAYS_IGNORED, SAYS_FAILED };

/* A process, by its last exec. */
struct failure_node {
	uint32_t up;		/* who waits for it */
	uint32_t begun;		/* its first exec */
	uint32_t first, calls;	/* its children: failures.children, by the end */
	uint32_t cause;		/* the earliest call that it failed of */
	uint8_t kind, caller;
	uint8_t says;		/* of its failure, its caller: enum failure_says */
	bool last;		/* the exec is its process's last one */
	bool failed;
	bool open;		/* the trace ends before it did */
	bool blamed;		/* its caller failed of it */
	bool counts;		/* so did all above it: it led to the build's failure */
	bool followed;		/* stopped, or without an input, after another failure of its caller */
	bool answers;		/* its status is an answer */
};

struct failures {
	struct db *db;
	struct failure_node *nodes;	/* by exec */
	uint32_t *children;
	uint32_t *list;
	size_t nlist;
	size_t counts[FAILURE_KINDS];
	uint32_t root, first;
	int status;
	bool failed;
	bool attached;		/* no command was recorded, but processes that were there */
};

/** failures_shell_status - the status of a program as a shell has it: 128 and more for signals */
int failures_shell_status(const struct build_exec *e);

/** failures_was_stopped - whether a signal ended it that others send, perhaps after a failure */
bool failures_was_stopped(const struct build_exec *e);

/** failures_is_shell - whether an exec runs a shell, or is a child that a shell forked */
bool failures_is_shell(const struct build *b, uint32_t exec);

/** failures_ran - whether a program, or a part of it that it forked, ran one of that name */
bool failures_ran(const struct failures *f, uint32_t exec, const char *word, size_t len);

/**
 * failures_read - the text of a file as it was at a time of the trace
 *
 * Return: false: it is not here, has been changed, is no text, or longer than a script is.
 */
bool failures_read(struct db *db, const char *path, int64_t at, struct buf *text);

/**
 * failures_any_argument - whether a command has one of a list of options, "k,--keep-going"
 *
 * One letter may stand in a cluster: -ik.
 */
bool failures_any_argument(struct db *db, uint32_t exec, const char *list);

/** failures_caller_of - how a program calls others, and whether its status is an answer */
enum failure_caller failures_caller_of(const struct failures *f, uint32_t exec, bool *answers);

/* Programs that print a line about each call that failed. */
enum failure_printer { PRINTER_OTHER, PRINTER_MAKE, PRINTER_CTEST };

/** failures_printer - which of them an exec runs */
enum failure_printer failures_printer(const struct build *b, uint32_t exec);

/** failures_includes - whether a makefile that make read has "include" and that name, not "-include" */
bool failures_includes(struct db *db, uint32_t make, const char *name, size_t len);

/** failures_find_says - set @says of the calls of make or ctest that failed */
void failures_find_says(struct failures *f, uint32_t exec);

/** failures_blame - mark the calls that a node failed of, and set its @cause */
void failures_blame(struct failures *f, uint32_t exec);

#endif
