/* SPDX-License-Identifier: LGPL-2.1 */
/*
 * What failed in a build, and which of the failures caused the others.
 *
 * A process fails if its last program ends with a status other than 0, or by a signal.  A
 * failure matters only if it made its caller fail, and so on up to the whole build.
 * failures_blame.c decides which call made a caller fail; the names of programs in
 * failures_callers.c only refine that.
 */
#ifndef ETRACE_FAILURES_H
#define ETRACE_FAILURES_H

#include "answers/answers.h"

enum failure_kind {
	FAILURE_NONE,		/* it did not fail, or its process then ran another program */
	/* the first failure that made the build fail, even if only by what it did not make */
	FAILURE_FIRST,
	/* another failure that made the build fail: make -k, parallel jobs */
	FAILURE_REAL,
	FAILURE_PASSED_ON,	/* it failed only because a program that it called failed */
	FAILURE_FOLLOWED,	/* stopped, or lacked an input, because of an earlier failure */
	FAILURE_PROBE,		/* a test of the system by configure, cmake or the like */
	FAILURE_ANSWER,		/* test, grep, diff: the status is an answer */
	FAILURE_IGNORED,	/* its caller continued and did not fail because of it */
	FAILURE_KINDS
};

struct build_exec;
struct failures;

/**
 * failures_of - the failures of a build, found on first use; owned by the database
 * failures_forget - free the result of failures_of(); the next use finds it again
 */
struct failures *failures_of(struct db *db);
void failures_forget(struct db *db);

/** failures_kind - the kind of failure of an exec */
enum failure_kind failures_kind(const struct failures *f, uint32_t exec);

/** failure_word - the name of a kind: "first", "passed on"; "" for FAILURE_NONE */
const char *failure_word(enum failure_kind kind);

/** failures_first - the exec that failed first.  Return: 0 if the build did not fail */
uint32_t failures_first(const struct failures *f);

/** failures_count - number of execs with that kind of failure */
size_t failures_count(const struct failures *f, enum failure_kind kind);

/** failures_list - all execs that failed, in the order in which they ended */
const uint32_t *failures_list(const struct failures *f, size_t *n);

/**
 * failures_failed - whether the build failed
 *
 * A process without an end counts as failed if its calls did.
 */
bool failures_failed(const struct failures *f);

/**
 * failures_status - exit status of the build: the recording's, or else its first program's
 *
 * 128 + its number for a signal, as in a shell.  Return: -1 if unknown.
 */
int failures_status(const struct failures *f);

/** failures_cause - the call whose failure made an exec fail, the earliest of several; 0 if none */
uint32_t failures_cause(const struct failures *f, uint32_t exec);

/** failures_caller - last exec of the process that waited for an exec; 0 if none */
uint32_t failures_caller(const struct failures *f, uint32_t exec);

/** failures_command - the command that people know: gcc for its cc1 or ld; else the exec itself */
uint32_t failures_command(const struct failures *f, uint32_t exec);

/** failures_after - number of other commands that failed because of an exec */
size_t failures_after(const struct failures *f, uint32_t exec);

/* Why a program failed, as far as the trace shows. */
enum failure_reason {
	FAILURE_OF_INPUT,	/* failed on @path: a source, a script, or an output */
	FAILURE_OF_MISSING,	/* looked for @path, which does not exist */
	FAILURE_OF_TOOL,	/* program @path was not found; empty if unknown which */
	FAILURE_OF_INTERPRETER,	/* @path, or the interpreter in its first line, was not found */
	FAILURE_OF_RULE,	/* no rule makes @name */
	FAILURE_OF_RIGHTS,	/* no permission to open @path */
	FAILURE_OF_SPACE,	/* the disk was full, or the file too large */
	FAILURE_OF_MEMORY,	/* it could not get more memory */
	FAILURE_OF_TIME,	/* stopped because it took too long */
	FAILURE_OF_ERROR,	/* @error when it opened or ran @path: a loop of links, a busy file */
	FAILURE_OF_NOTHING,	/* unknown; @path is empty */
	FAILURE_REASONS
};

struct failure_on {
	enum failure_reason reason;
	struct buf path;	/* absolute, as far as known */
	struct buf name;	/* as looked up, or as printed by the program: "sys/x.h" */
	struct buf subject;	/* the source or output that it worked on; empty if unknown */
	/* inferred, not certain: @name is missing, or @path is the reason */
	bool likely;
	int error;		/* errno of a look-up of @path; 0: not known */
};

/** failures_on - find out why an exec failed; release @on with failure_on_free() */
void failures_on(const struct failures *f, uint32_t exec, struct failure_on *on);
void failure_on_free(struct failure_on *on);
/** failure_reason_word - "input", "missing", "tool", ...; "" for FAILURE_OF_NOTHING */
const char *failure_reason_word(enum failure_reason reason);

/**
 * failures_printed - append the end of a process's output
 *
 * Return: false if it printed nothing, or its output was not recorded.
 */
bool failures_printed(struct db *db, uint32_t exec, struct buf *to);

/** failures_has_word - whether a text names a file */
bool failures_has_word(const char *s, size_t len, const char *word, size_t n);

/** failures_said - find out from its output why an exec failed.  Return: false if unknown */
bool failures_said(struct db *db, uint32_t exec, struct failure_on *on);

/**
 * failures_quote - append the printed line that best explains the failure
 *
 * From descriptor 2: the first line with "error:"; else the first that mentions an error; else the
 * last line.  But if that is just the last line, the first one from descriptor 1 with "error:". If
 * nothing was printed there, likewise from descriptor 1, but never just its last line. Secrets are
 * hidden.
 */
void failures_quote(struct db *db, uint32_t exec, struct buf *to);

/**
 * failures_not_run - whether a shell ended with 127 because it did not find a command
 *
 * Sets the reason, and the name if that can be inferred from the shell's text.
 */
bool failures_not_run(const struct failures *f, uint32_t exec, struct failure_on *on);

/**
 * failures_may_run - whether a name that a program looked up can be the name of a command
 *
 * Return: false if it is a shell whose text has the name only in other places: "cat < name".
 */
bool failures_may_run(struct db *db, uint32_t exec, const char *name, size_t len);

/**
 * failures_not_begun - whether make did not find a command that it wanted to run without a shell
 *
 * Sets the reason and the name, by the recipes of its makefiles.
 */
bool failures_not_begun(const struct failures *f, uint32_t exec, struct failure_on *on);

/** failures_how - append "exit status 1", "SIGKILL" */
void failures_how(struct db *db, uint32_t exec, struct buf *to);

/**
 * failures_text - append a description of the first failure, in one line without a newline
 *
 * "cc1 failed first, on src/parse.c, with exit status 1 (gcc -c src/parse.c in /src); 2 more
 * failed because of it".  Nothing is appended if the build did not fail.
 */
void failures_text(struct db *db, const struct failures *f, struct buf *to);

/**
 * failures_text_of - append "cc1 failed, on src/parse.c, with exit status 1", for any exec
 * @quote: add what the program printed if no other reason is known
 */
void failures_text_of(struct db *db, const struct failures *f, uint32_t exec, bool quote,
		      struct buf *to);

/* ---- shared by failures*.c ---- */

#define STATUS_NOT_FOUND 127	/* of shells, env and others */

enum failure_caller {
	CALLER_OTHER,
	CALLER_SHELL,		/* a script: usually, the last failure decides */
	CALLER_BUILDER,		/* make: starts nothing more after a failure that counts */
	CALLER_GOES_ON,		/* ctest, make -k, ninja: ignores no failure */
	CALLER_DRIVER,		/* gcc, rustc: its calls are parts of its work */
	CALLER_CONFIGURES,	/* configure, cmake: its calls test the system */
	CALLER_LIMITS,		/* timeout: ends calls that take too long */
};

/* What the output of make or ctest, or a makefile, says about a call that failed. */
enum failure_says { SAYS_NOTHING, SAYS_IGNORED, SAYS_FAILED };

/* A process, represented by its last exec. */
struct failure_node {
	uint32_t up;		/* node of the process that waits for it; 0 if none */
	uint32_t begun;		/* its first exec */
	uint32_t first, calls;	/* its children in failures.children, by their end */
	uint32_t cause;		/* the earliest call that made it fail; 0 if none */
	uint8_t kind;		/* enum failure_kind */
	/* enum failure_caller; valid if this or a call below failed or is @open */
	uint8_t caller;
	uint8_t says;		/* enum failure_says: what its caller says about its failure */
	bool last;		/* the exec is the last one of its process */
	bool failed;
	bool open;		/* the trace ends before the process does */
	bool blamed;		/* it made its caller fail */
	bool counts;		/* @blamed all the way up, so it made the build fail */
	bool followed;		/* stopped, or lacked an input, after another call had failed */
	bool answers;		/* its status is an answer; valid if @caller is set */
};

struct script;

struct failures {
	struct db *db;
	struct failure_node *nodes;	/* by exec */
	uint32_t *children;
	uint32_t *list;
	size_t nlist;
	size_t counts[FAILURE_KINDS];
	uint32_t root, first;
	uint32_t lacking;	/* the command that lacked what @first should have made; 0 if none */
	int status;
	bool failed;
	bool attached;		/* running processes were recorded, not a command */
	struct script *script;	/* the last one that failures_handling() read */
};

/** failures_shell_status - status of an exec as in a shell: 128 + its number for a signal */
int failures_shell_status(const struct build_exec *e);

/** failures_was_stopped - whether it was ended by a signal that other processes send */
bool failures_was_stopped(const struct build_exec *e);

/**
 * failures_is_shell - whether an exec runs a shell, be it by the "#!" of a script, or is a child
 *	that a shell forked
 */
bool failures_is_shell(struct db *db, uint32_t exec);

/** failures_ran - whether a program, or a child that it forked, ran a program of that name */
bool failures_ran(const struct failures *f, uint32_t exec, const char *word, size_t len);

/**
 * failures_read - the text of a file as it was at a time of the trace
 *
 * Return: false if it does not exist here, has changed since, is not text, or is too long. Then @text
 * has its first bytes if it is binary.
 */
bool failures_read(struct db *db, const char *path, int64_t at, struct buf *text);

/**
 * failures_any_argument - whether a command has one of a list of options, "k,--keep-going"
 *
 * An option of one letter is also found in a cluster: -ik.
 */
bool failures_any_argument(struct db *db, uint32_t exec, const char *list);

/** failures_is_own - whether a path is below the directory in which the build was started */
bool failures_is_own(struct db *db, const char *path, size_t len);

/** failures_subject - append the path of the source, script or output that a program worked on */
void failures_subject(struct db *db, uint32_t exec, struct buf *to);

/** failures_caller_of - how a program reacts to failed calls; @answers: its status is an answer */
enum failure_caller failures_caller_of(const struct failures *f, uint32_t exec, bool *answers);

/* Programs that print a line about each call that failed. */
enum failure_printer { PRINTER_OTHER, PRINTER_MAKE, PRINTER_CTEST };

/** failures_printer - which of these programs an exec runs */
enum failure_printer failures_printer(const struct build *b, uint32_t exec);

/** failures_includes - whether make read a makefile with "include" (not "-include") of that name */
bool failures_includes(struct db *db, uint32_t make, const char *name, size_t len);

/** failures_find_says - set failure_node.says of the failed calls of make or ctest */
void failures_find_says(struct failures *f, uint32_t exec);

/** failures_was_to_make - whether a failed command should have made a file, by its arguments */
bool failures_was_to_make(const struct failures *f, uint32_t call, const char *path, size_t len);

/** failures_is_target - whether a missing file is what cp, ln or mv would have made */
bool failures_is_target(struct db *db, uint32_t exec, const char *path, size_t len);

/* What a script does with the failure of a call. */
enum failure_handling {
	HANDLING_UNKNOWN,
	HANDLING_KEEPS,		/* "x || bad=1", and it exits by $bad */
	HANDLING_IGNORES,	/* "x || true", "x && y", "if x; then y; fi" */
	HANDLING_TRAPS,		/* x runs when the script ends: "trap x EXIT" */
};

/**
 * failures_handling - what the text of a script does with the failure of a call
 * @last: the call is the last one that failed: the script ignores it only if it does not fail
 *	of it either if nothing follows
 */
enum failure_handling failures_handling(const struct failures *f, uint32_t script, uint32_t call,
					bool last);

/** failures_new_script, failures_free_script - failures.script */
struct script *failures_new_script(void);
void failures_free_script(struct script *t);

/** failures_script - append the text of a shell: after -c, or its script.  Return: false if unknown */
bool failures_script(const struct failures *f, uint32_t exec, struct buf *text);

/** failures_fed - whether an exec read a pipe into which a failed call wrote, or should have */
bool failures_fed(const struct failures *f, uint32_t reader, uint32_t call);

/**
 * failures_earlier - the ignored failure of a command that should have made a file
 * @exec: the failed command that lacked the file
 *
 * Return: 0 if there is none
 */
uint32_t failures_earlier(const struct failures *f, uint32_t exec);

/** failures_blame - mark the calls that made a node fail, and set its cause */
void failures_blame(struct failures *f, uint32_t exec);

#endif
