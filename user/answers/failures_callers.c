// SPDX-License-Identifier: LGPL-2.1
/* How programs react to failed calls, by their names and options.  See failures.h. */
#include "answers/failures.h"
#include "base/path.h"
#include "build/build.h"

#include <stdlib.h>
#include <string.h>

struct caller_row {
	const char *name;	/* base name of a program, or of a script for perl, python... */
	enum failure_caller caller;
	const char *goes_on;	/* arguments with which it is CALLER_GOES_ON, as for is_option() */
	const char *asks;	/* options with which its status is an answer; NULL: none */
	bool answers;
	enum failure_printer printer;
};

/* Options with which make runs no recipes. */
#define MAKE_ASKS "n,--just-print,--dry-run,--recon,q,--question"

static const struct caller_row rows[] = {
	{ .name = "make", .caller = CALLER_BUILDER, .goes_on = "k,--keep-going",
	  .asks = MAKE_ASKS, .printer = PRINTER_MAKE },
	{ .name = "gmake", .caller = CALLER_BUILDER, .goes_on = "k,--keep-going",
	  .asks = MAKE_ASKS, .printer = PRINTER_MAKE },
	{ .name = "ninja", .caller = CALLER_GOES_ON },
	{ .name = "samu", .caller = CALLER_GOES_ON },
	{ .name = "scons", .caller = CALLER_BUILDER, .goes_on = "k,--keep-going" },
	{ .name = "cargo", .caller = CALLER_GOES_ON },
	{ .name = "ctest", .caller = CALLER_GOES_ON, .printer = PRINTER_CTEST },
	{ .name = "prove", .caller = CALLER_GOES_ON },
	{ .name = "xargs", .caller = CALLER_GOES_ON },
	{ .name = "parallel", .caller = CALLER_GOES_ON },
	{ .name = "find", .caller = CALLER_GOES_ON },
	{ .name = "timeout", .caller = CALLER_LIMITS },
	{ .name = "rustc", .caller = CALLER_DRIVER },
	{ .name = "conftest", .caller = CALLER_CONFIGURES },
	{ .name = "meson", .caller = CALLER_CONFIGURES, .goes_on = "compile,dist,install,test" },
	{ .name = "[", .answers = true },
	{ .name = "cmp", .answers = true },
	{ .name = "diff", .answers = true },
	{ .name = "egrep", .answers = true },
	{ .name = "expr", .answers = true },
	{ .name = "false", .answers = true },
	{ .name = "fgrep", .answers = true },
	{ .name = "grep", .answers = true },
	{ .name = "mountpoint", .answers = true },
	{ .name = "pgrep", .answers = true },
	{ .name = "pkg-config", .answers = true },
	{ .name = "pkgconf", .answers = true },
	{ .name = "test", .answers = true },
	{ .name = "which", .answers = true },
};

static bool is_name(const char *s, size_t len, const char *name)
{
	return len == strlen(name) && !memcmp(s, name, len);
}

static const struct caller_row *row_of(const char *path, size_t len)
{
	const char *s = path_base_of(path, &len);

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++)
		if (is_name(s, len, rows[i].name))
			return &rows[i];
	return NULL;
}

/* The row of an exec: that of its program, or of the script that it runs. */
static const struct caller_row *row_of_exec(struct db *db, uint32_t exec)
{
	const struct build *b = build_of(db);
	struct buf args = { 0 };
	size_t len, n = answers_args(db, exec, &args);
	const char *path = build_path(b, b->execs[exec].program, &len), *at = args.s;
	const struct caller_row *row = row_of(path, len);

	if (!row && work_runs_scripts(path, len) && !failures_is_shell(db, exec)) {
		for (size_t i = 0; i < n && (!i || *at == '-'); i++)
			at += strlen(at) + 1;
		row = at < args.s + args.len ? row_of(at, strlen(at)) : NULL;
	}
	buf_free(&args);
	return row;
}

enum failure_printer failures_printer(const struct build *b, uint32_t exec)
{
	size_t len;
	const char *path = build_path(b, b->execs[exec].program, &len);
	const struct caller_row *row = row_of(path, len);

	return row ? row->printer : PRINTER_OTHER;
}

/* Options of make and scons whose value may follow in the same word: -Cbuild, -Oline, -j4. */
#define TAKE_VALUES "CEfIjloOW="

/* Length of the letters in a cluster that are options: 4 of "-skCbuild", with its dash. */
static size_t letters_of(const char *arg)
{
	size_t n = strcspn(arg, TAKE_VALUES);

	return arg[n] && arg[n] != '=' ? n + 1 : n;
}

/* Whether @arg is one of a list of options, "k,--keep-going"; a letter also in a cluster: -sk. */
static bool is_option(const char *arg, const char *list)
{
	for (const char *at = list; at; at = strchr(at, ',') ? strchr(at, ',') + 1 : NULL) {
		size_t len = strcspn(at, ",");

		if (len > 1 && !strncmp(arg, at, len) && (!arg[len] || arg[len] == '='))
			return true;
		if (len == 1 && *arg == '-' && arg[1] != '-' && memchr(arg, *at, letters_of(arg)))
			return true;
	}
	return false;
}

bool failures_any_argument(struct db *db, uint32_t exec, const char *list)
{
	struct buf args = { 0 };
	size_t n = answers_args(db, exec, &args);
	const char *at = args.s;
	bool found = false;

	for (size_t i = 0; i < n && !found; i++, at += strlen(at) + 1)
		found = i && is_option(at, list);
	buf_free(&args);
	return found;
}

/* Options with which cmake does not configure. */
#define CMAKE_WORKS "--build,--install,-E,-P"

static enum failure_caller by_class(struct db *db, uint32_t exec, const char *path, size_t len)
{
	struct buf words = { 0 }, label = { 0 };
	size_t n;
	struct work_arg *args = answers_work_args(db, exec, &words, &n);
	enum work_class class = work_of(path, len, args, n, &label);
	enum failure_caller caller = CALLER_OTHER;

	if (class == WORK_COMPILE || class == WORK_LINK || class == WORK_ASSEMBLE)
		caller = CALLER_DRIVER;
	else if (class == WORK_CONFIGURE && !failures_any_argument(db, exec, CMAKE_WORKS))
		caller = CALLER_CONFIGURES;
	else if (class == WORK_SHELL || class == WORK_TEST)
		caller = CALLER_SHELL;
	free(args);
	buf_free(&words);
	buf_free(&label);
	return caller;
}

/* Whether a make above it runs with -k, which MAKEFLAGS passes on. */
static bool goes_on_above(const struct failures *f, uint32_t exec)
{
	const struct build_exec *execs = build_of(f->db)->execs;

	for (uint32_t i = f->nodes[exec].up; i; i = f->nodes[i].up)
		if (f->nodes[i].caller == CALLER_GOES_ON && execs[i].program == execs[exec].program)
			return true;
	return false;
}

enum failure_caller failures_caller_of(const struct failures *f, uint32_t exec, bool *answers)
{
	struct db *db = f->db;
	const struct build *b = build_of(db);
	uint32_t as = build_with_command(b, exec);
	size_t len;
	const char *path = build_path(b, b->execs[as].program, &len);
	const struct caller_row *row = row_of_exec(db, as);

	*answers = row && (row->answers || (row->asks && failures_any_argument(db, as, row->asks)));
	if (!row)
		return by_class(db, as, path, len);
	if ((row->goes_on && failures_any_argument(db, as, row->goes_on)) ||
	    (row->caller == CALLER_BUILDER && goes_on_above(f, exec)))
		return CALLER_GOES_ON;
	return row->caller;
}

uint32_t failures_command(const struct failures *f, uint32_t exec)
{
	const struct build *b = build_of(f->db);
	uint32_t up = f->nodes[exec].up;

	while (up && f->nodes[exec].blamed && f->nodes[up].caller == CALLER_DRIVER &&
	       b->execs[f->nodes[exec].begun].parent == up) {
		exec = up;
		up = f->nodes[exec].up;
	}
	return exec;
}
