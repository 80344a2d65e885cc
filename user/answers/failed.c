// SPDX-License-Identifier: LGPL-2.1
/* Finds the program whose failure kept a file from being made.  See answers.h. */
#include "answers/failures.h"
#include "build/build.h"

#include <stdlib.h>
#include <string.h>

static bool exec_failed(const struct build_exec *e)
{
	return e->status > 0 || e->signal > 0;
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
