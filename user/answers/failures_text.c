// SPDX-License-Identifier: LGPL-2.1
/* Writes the line about the first failure.  See failures.h. */
#include "answers/failures.h"
#include "base/screen.h"
#include "build/build.h"

#include <errno.h>
#include <string.h>

/* Longer commands and lines are cut. */
#define COMMAND_COLUMNS	160u
#define QUOTE_COLUMNS	120u
#define PATH_COLUMNS	200u

/* Append a path, relative to the directory in which the build was started. */
static void add_path(struct db *db, struct buf *to, const struct buf *path)
{
	const char *s;
	size_t len;

	answers_relative(db, path, &s, &len);
	screen_add(to, s, len, PATH_COLUMNS, true);
}

/* Append the name of a program that people know: the first word of its label. */
static void add_program(struct db *db, uint32_t exec, struct buf *to)
{
	struct buf label = { 0 };
	char *blank;

	answers_label(db, build_with_command(build_of(db), exec), 0, &label);
	blank = label.len ? memchr(label.s, ' ', label.len) : NULL;
	if (blank)
		label.len = (size_t)(blank - label.s);
	if (label.len && label.s[label.len - 1] == ':')
		label.len--;
	if (label.len)
		screen_add(to, label.s, label.len, PATH_COLUMNS, true);
	else
		buf_adds(to, "a program");
	buf_free(&label);
}

static void add_command(struct db *db, uint32_t exec, struct buf *to)
{
	const struct build *b = build_of(db);
	uint32_t as = build_with_command(b, exec);
	struct buf command = { 0 };
	size_t len;
	const char *cwd = build_path(b, b->execs[exec].cwd, &len);

	answers_command(db, as, &command);
	if (command.len) {
		buf_adds(to, " (");
		if (screen_add(to, command.s, command.len, COMMAND_COLUMNS, true) >= COMMAND_COLUMNS)
			buf_adds(to, "...");
		if (len) {
			buf_adds(to, " in ");
			screen_add(to, cwd, len, PATH_COLUMNS, true);
		}
		buf_addc(to, ')');
	}
	buf_free(&command);
}

static void add_reason(struct db *db, const struct failure_on *on, struct buf *to)
{
	/* text before the name, text after it, and the text if there is no name */
	static const char *const text[FAILURE_REASONS][3] = {
		[FAILURE_OF_MISSING] = { "", " was not found", "a file was not found" },
		[FAILURE_OF_TOOL] = { "", " is not installed, or not on the PATH", "a command was not found" },
		/* the kernel uses one error code for both */
		[FAILURE_OF_INTERPRETER] = { "", " or its interpreter was not found", "" },
		[FAILURE_OF_RULE] = { "no rule makes ", "", "no rule makes a file" },
		[FAILURE_OF_RIGHTS] = { "", ": permission denied", "permission denied" },
		[FAILURE_OF_SPACE] = { "no space for ", "", "no space is left" },
		[FAILURE_OF_MEMORY] = { "no memory for ", "", "it ran out of memory" },
	};
	static const struct {
		int error;
		const char *text[3];
	} errors[] = {
		{ EROFS, { "the file system of ", " is read-only", "" } },
		{ ENOTDIR, { "a part of the path ", " is not a directory", "" } },
		{ ELOOP, { "too many levels of symbolic links: ", "", "" } },
		{ ENAMETOOLONG, { "file name too long: ", "", "" } },
		{ ETXTBSY, { "", " is busy: a process runs it, or writes to it", "" } },
		{ EMFILE, { "too many open files to open ", "", "" } },
		{ ENFILE, { "too many open files in the system to open ", "", "" } },
		{ E2BIG, { "argument list too long to run ", "", "" } },
		{ ENOEXEC, { "", " is not a program for this machine", "" } },
	};
	const char *const *t = text[on->reason];
	const struct buf *name = on->name.len ? &on->name : &on->path;

	for (size_t i = 0; i < sizeof(errors) / sizeof(*errors); i++)
		if (errors[i].error == on->error)
			t = errors[i].text;
	if (on->reason == FAILURE_OF_TIME)
		buf_adds(to, ", as it took too long");
	if (!t[0])
		return;
	buf_adds(to, ": ");
	if (on->likely && on->reason != FAILURE_OF_TOOL)
		buf_adds(to, on->reason == FAILURE_OF_MISSING ? "probably because " : "probably ");
	buf_adds(to, name->len ? t[0] : t[2]);
	if (!name->len)
		return;
	add_path(db, to, name);
	buf_adds(to, on->likely && on->reason == FAILURE_OF_TOOL ? " was probably not found" : t[1]);
}

/* Append what a script printed about a failed test or grep; they are silent. */
static void quote_script(struct db *db, const struct failures *f, uint32_t exec, struct buf *to)
{
	uint32_t up = failures_caller(f, exec);

	while (up && build_of(db)->execs[up].forked)
		up = failures_caller(f, up);
	if (!up || !f->nodes[up].failed || f->nodes[up].caller > CALLER_SHELL)
		return;
	failures_quote(db, up, to);
	/* of set -x */
	if (to->len > 1 && !memcmp(to->s, "+ ", 2))
		to->len = 0;
}

/* Append the program's own message, for failures without another known reason. */
static void add_quote(struct db *db, const struct failures *f, uint32_t exec, struct buf *to)
{
	struct buf line = { 0 };

	failures_quote(db, exec, &line);
	if (!line.len && failures_command(f, exec) != exec)
		failures_quote(db, failures_command(f, exec), &line);
	if (!line.len && f->nodes[exec].answers)
		quote_script(db, f, exec, &line);
	if (line.len) {
		buf_adds(to, ": \"");
		if (screen_add(to, line.s, line.len, QUOTE_COLUMNS, true) >= QUOTE_COLUMNS)
			buf_adds(to, "...");
		buf_addc(to, '"');
	}
	buf_free(&line);
}

void failures_text_of(struct db *db, const struct failures *f, uint32_t exec, bool quote,
		      struct buf *to)
{
	struct failure_on on;

	failures_on(f, exec, &on);
	add_program(db, exec, to);
	buf_adds(to, exec == f->first ? " failed first" : " failed");
	if (on.subject.len) {
		buf_adds(to, ", on ");
		add_path(db, to, &on.subject);
	}
	buf_adds(to, ", with ");
	failures_how(db, exec, to);
	add_reason(db, &on, to);
	if (quote && (on.reason == FAILURE_OF_INPUT || on.reason == FAILURE_OF_NOTHING))
		add_quote(db, f, exec, to);
	failure_on_free(&on);
}

void failures_text(struct db *db, const struct failures *f, struct buf *to)
{
	size_t after;

	if (!f->first)
		return;
	failures_text_of(db, f, f->first, true, to);
	add_command(db, failures_command(f, f->first), to);
	after = failures_after(f, f->first);
	if (after) {
		buf_adds(to, "; ");
		buf_addu(to, after);
		buf_adds(to, " more failed because of it");
	}
}
