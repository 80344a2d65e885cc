// SPDX-License-Identifier: LGPL-2.1
/* Finds the program because of whose failure a file was not made.  See answers.h. */
#include "answers/failures.h"
#include "base/path.h"
#include "build/build.h"

#include <stdlib.h>
#include <string.h>

static bool exec_failed(const struct build_exec *e)
{
	return e->status > 0 || e->signal > 0;
}

/* Whether an argument is a path, or ends with it: "x.o", "-ox.o", "--output=x.o". */
static bool arg_names(const char *arg, const char *cwd, size_t len, const struct buf *path)
{
	const char *equal = strchr(arg, '=');
	const char *const tries[] = { arg, equal ? equal + 1 : "", strncmp(arg, "-o", 2) ? "" : arg + 2 };
	struct buf b = { 0 };
	bool same = false;

	for (size_t i = 0; i < sizeof(tries) / sizeof(*tries) && !same; i++) {
		if (!*tries[i])
			continue;
		b.len = 0;
		if (*tries[i] != '/') {
			buf_add(&b, cwd, len);
			buf_addc(&b, '/');
		}
		buf_adds(&b, tries[i]);
		path_clean(&b);
		same = b.len == path->len && !memcmp(b.s, path->s, b.len);
	}
	buf_free(&b);
	return same;
}

bool answers_names(struct db *db, uint32_t exec, const struct buf *path, struct buf *args)
{
	const struct build *b = build_of(db);
	size_t len, n;
	const char *cwd = build_path(b, b->execs[exec].cwd, &len), *at;
	bool found = false;

	args->len = 0;
	n = answers_args(db, exec, args);
	at = args->s;
	for (; n-- && !found; at += strlen(at) + 1)
		found = arg_names(at, cwd, len, path);
	return found;
}

uint32_t answers_failed_on(struct db *db, const struct buf *path)
{
	const struct build *b = build_of(db);
	struct buf args = { 0 };
	uint32_t found = 0;

	/* the last exec that names it: calls come after their callers */
	for (uint32_t i = b->nexecs; i && !found; i--)
		if (exec_failed(&b->execs[i]) && !b->execs[i].forked &&
		    answers_names(db, i, path, &args))
			found = answers_failed_last(db, i);
	buf_free(&args);
	return found;
}

uint32_t answers_failed_last(struct db *db, uint32_t exec)
{
	const struct failures *f = failures_of(db);

	while (failures_cause(f, exec))
		exec = failures_cause(f, exec);
	return exec;
}

void answers_how_failed(struct db *db, uint32_t exec, struct buf *to)
{
	const struct build *b = build_of(db);
	size_t len;
	const char *path = build_path(b, b->execs[exec].program, &len), *slash = memrchr(path, '/', len);
	const char *base = slash ? slash + 1 : path;

	buf_add(to, base, (size_t)(path + len - base));
	buf_adds(to, " failed on it, with ");
	failures_how(db, exec, to);
}

bool answers_not_made(struct db *db, const struct buf *path)
{
	uint32_t exec = answers_failed_on(db, path);
	struct buf how = { 0 };

	if (!exec)
		return false;
	answers_how_failed(db, exec, &how);
	diag_fatal(db->diag, "%.*s: it was not made: %.*s", (int)path->len, path->s, (int)how.len,
		   how.s);
	buf_free(&how);
	return true;
}
