// SPDX-License-Identifier: LGPL-2.1
/* Finds what a program worked on: a source, a script, or an output.  See failures.h. */
#include "answers/failures.h"
#include "base/path.h"
#include "build/build.h"

#include <stdlib.h>
#include <string.h>

bool failures_is_own(struct db *db, const char *path, size_t len)
{
	size_t n;
	const char *start = build_path(build_of(db), answers_start(db), &n);

	return n && len > n && path_within(path, len, start, n);
}

static bool same_base(struct work_arg a, struct work_arg b)
{
	a = work_base(a.s, a.len);
	return a.len == b.len && !memcmp(a.s, b.s, a.len);
}

/* Append the path of the argument that the label of an exec shows. */
static void find_argument(struct db *db, uint32_t exec, struct buf *to)
{
	const struct build *b = build_of(db);
	struct buf words = { 0 }, label = { 0 };
	size_t n, len;
	struct work_arg *args = answers_work_args(db, exec, &words, &n), wanted;
	const char *program = build_path(b, b->execs[exec].program, &len), *blank;

	work_of(program, len, args, n, &label);
	blank = label.len ? memchr(label.s, ' ', label.len) : NULL;
	wanted = blank ? (struct work_arg){ blank + 1, (size_t)(label.s + label.len - blank - 1) } :
		 (struct work_arg){ 0 };
	for (size_t i = 1; i < n && wanted.len && !to->len; i++) {
		size_t skip = args[i].len > 2 && !memcmp(args[i].s, "-o", 2) ? 2 : 0;
		struct work_arg arg = { args[i].s + skip, args[i].len - skip };

		if (!same_base(arg, wanted))
			continue;
		if (*arg.s != '/') {
			const char *cwd = build_path(b, b->execs[exec].cwd, &len);

			buf_add(to, cwd, len);
			buf_addc(to, '/');
		}
		buf_add(to, arg.s, arg.len);
		path_clean(to);
	}
	free(args);
	buf_free(&words);
	buf_free(&label);
}

/* Find a program or script of the build itself that the process ran: a test. */
static void find_own_program(struct db *db, uint32_t exec, struct buf *to)
{
	const struct build *b = build_of(db);
	size_t len;

	for (uint32_t i = exec; i && !to->len; i = b->execs[i].before) {
		const struct build_exec *e = &b->execs[i];

		for (uint32_t k = 0; k < e->uses && !to->len; k++) {
			const struct build_access *a = &b->accesses[e->first + k];
			const char *path = build_path(b, a->file, &len);

			if (a->how == GRAPH_RUN && failures_is_own(db, path, len))
				buf_add(to, path, len);
		}
	}
}

void failures_subject(struct db *db, uint32_t exec, struct buf *to)
{
	find_argument(db, build_with_command(build_of(db), exec), to);
	if (!to->len)
		find_own_program(db, exec, to);
}
