// SPDX-License-Identifier: LGPL-2.1
/* Finds the program whose failure kept a file from being made.  See answers.h. */
#include "answers/failures.h"
#include "base/path.h"
#include "base/xalloc.h"
#include "build/build.h"
#include "command/command.h"
#include "command/grammar.h"

#include <stdlib.h>
#include <string.h>

static bool exec_failed(const struct build_exec *e)
{
	return e->status > 0 || e->signal > 0;
}

static bool exec_read(const struct build *b, uint32_t exec, uint32_t file)
{
	const struct build_exec *e = &b->execs[exec];

	for (uint32_t i = 0; i < e->uses; i++)
		if (b->accesses[e->first + i].file == file && b->accesses[e->first + i].how == GRAPH_READ)
			return true;
	return false;
}

/* What a program that failed had to do with a file. */
enum part { PART_UNKNOWN, PART_NONE, PART_MAKER, PART_NEEDS };

struct asked {
	struct db *db;
	const struct buf *path;
	uint32_t cwd;
};

static bool same_path(const struct buf *a, const struct buf *b)
{
	return a->len == b->len && !memcmp(a->s, b->s, a->len);
}

/* Whether a name in a command is that of the file. */
static bool is_asked(const struct asked *a, const char *name)
{
	struct buf path = { 0 };
	bool same;

	if (*name != '/') {
		answers_file_path(a->db, a->cwd, &path);
		buf_addc(&path, '/');
	}
	buf_adds(&path, name);
	path_clean(&path);
	same = same_path(&path, a->path);
	buf_free(&path);
	return same;
}

static enum part part_in(const struct asked *a, const struct command *c)
{
	enum part part = PART_NONE;
	struct buf output = { 0 };

	for (size_t i = 0; i < c->ninputs; i++)
		if (is_asked(a, c->args[c->inputs[i]]))
			part = PART_NEEDS;
	for (size_t i = 0; i < c->nsources; i++) {
		output.len = 0;
		if (command_output(c, &c->sources[i], &output) && is_asked(a, output.s))
			part = PART_MAKER;
	}
	output.len = 0;
	if (c->ninputs && (c->links || c->kind == COMMAND_LINK || c->kind == COMMAND_ARCHIVE) &&
	    command_program(c, &output) && is_asked(a, output.s))
		part = PART_MAKER;
	buf_free(&output);
	return part;
}

/* What the command of a compiler, linker or archiver says. */
static enum part part_in_command(struct db *db, uint32_t exec, const struct buf *path)
{
	struct asked a = { db, path, build_of(db)->execs[exec].cwd };
	enum part part = PART_UNKNOWN;
	struct buf words = { 0 };
	size_t n = answers_args(db, exec, &words), own;
	char **args = xcalloc(n + 1, sizeof(*args)), *at = words.s;
	const struct family *family;
	struct command c = { 0 };

	for (size_t i = 0; i < n; i++, at += strlen(at) + 1)
		args[i] = at;
	family = n ? family_of(args[0], args[1], &own) : NULL;
	if (family && family->tool != TOOL_WRAPPER) {
		command_parse(&c, family, args, n, own, NULL);
		part = part_in(&a, &c);
		command_free(&c);
	}
	free(args);
	buf_free(&words);
	return part;
}

/* @call: the call that made the program fail, or the program itself */
static enum part part_of(struct db *db, uint32_t exec, uint32_t call, const struct buf *path)
{
	enum part part = part_in_command(db, exec, path);
	struct buf args = { 0 };
	struct failure_on on;

	if (part == PART_MAKER || part == PART_NEEDS)
		return part;
	if (!answers_names(db, exec, path, &args)) {
		buf_free(&args);
		return PART_NONE;
	}
	buf_free(&args);
	failures_on(failures_of(db), call, &on);
	part = on.reason == FAILURE_OF_MISSING && same_path(&on.path, path) &&
	       !same_path(&on.subject, path) ? PART_NEEDS : PART_MAKER;
	failure_on_free(&on);
	return part;
}

/* Whether another program has made the file since an exec began. */
static bool made_since(const struct build *b, uint32_t exec, uint32_t file)
{
	uint32_t version = build_final(b, file), writer = version ? build_writer(b, version) : 0;

	return writer && b->versions[version].at > b->execs[exec].at && !b->execs[writer].status &&
	       b->execs[writer].signal <= 0;
}

uint32_t answers_failed_on(struct db *db, const struct buf *path, bool *without)
{
	const struct build *b = build_of(db);
	uint32_t file = build_find(b, path->s, path->len), found = 0;

	*without = false;
	/* the last exec that names it: calls come after their callers */
	for (uint32_t i = b->nexecs; i; i--) {
		uint32_t call;
		enum part part;

		if (!exec_failed(&b->execs[i]) || b->execs[i].forked)
			continue;
		call = answers_failed_last(db, i);
		if (file && made_since(b, call, file))
			continue;
		part = part_of(db, i, call, path);
		if (part == PART_MAKER && !(file && exec_read(b, call, file))) {
			*without = false;
			return call;
		}
		if (part != PART_NEEDS || found || (file && exec_read(b, call, file)))
			continue;
		found = call;
		*without = true;
	}
	return found;
}

uint32_t answers_failed_last(struct db *db, uint32_t exec)
{
	const struct failures *f = failures_of(db);

	while (failures_cause(f, exec))
		exec = failures_cause(f, exec);
	return exec;
}

void answers_how_failed(struct db *db, uint32_t exec, bool without, struct buf *to)
{
	const struct build *b = build_of(db);
	size_t len;
	const char *path = build_path(b, b->execs[exec].program, &len);

	path = path_base_of(path, &len);
	buf_add(to, path, len);
	buf_adds(to, without ? " failed without it, with " : " failed on it, with ");
	failures_how(db, exec, to);
}

bool answers_not_made(struct db *db, const struct buf *path)
{
	bool without;
	uint32_t exec = answers_failed_on(db, path, &without);
	struct buf how = { 0 };

	if (!exec)
		return false;
	answers_how_failed(db, exec, without, &how);
	diag_fatal(db->diag, "%.*s: it was not made: %.*s", (int)path->len, path->s, (int)how.len,
		   how.s);
	buf_free(&how);
	return true;
}
