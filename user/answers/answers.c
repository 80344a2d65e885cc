// SPDX-License-Identifier: LGPL-2.1
/* Functions that all answers share.  See answers.h. */
#include "answers/answers.h"
#include "base/path.h"
#include "base/shquote.h"
#include "base/xalloc.h"
#include "event/redact.h"
#include "timeline/work.h"
#include "build/build.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

void answers_path(struct buf *to, const char *path)
{
	char cwd[PATH_MAX];

	to->len = 0;
	if (*path != '/') {
		buf_adds(to, getcwd(cwd, sizeof(cwd)) ? cwd : "/");
		buf_addc(to, '/');
	}
	buf_adds(to, path);
	path_clean(to);
}

bool answers_paths(const char *text, char **from, char **to)
{
	const char *equal = strchr(text, '=');
	struct buf a = { 0 }, b = { 0 };
	char *first;

	if (!equal || equal == text || !equal[1])
		return false;
	first = xstrndup(text, (size_t)(equal - text));
	answers_path(&a, first);
	answers_path(&b, equal + 1);
	free(first);
	*from = xstrndup(a.s, a.len);
	*to = xstrndup(b.s, b.len);
	buf_free(&a);
	buf_free(&b);
	return true;
}

void answers_moved(struct buf *out, const char *path, size_t len, const char *from, const char *to)
{
	size_t n = from ? strlen(from) : 0;

	if (n && path_within(path, len, from, n))
		buf_adds(out, to);
	else
		n = 0;
	buf_add(out, path + n, len - n);
}

void answers_relative(struct db *db, const struct buf *path, const char **s, size_t *len)
{
	size_t n;
	const char *start = build_path(build_of(db), answers_start(db), &n);

	*s = path->s;
	*len = path->len;
	if (n && path->len > n + 1 && path_within(path->s, path->len, start, n)) {
		*s += n + 1;
		*len -= n + 1;
	}
}

void answers_file_path(struct db *db, uint32_t file, struct buf *to)
{
	size_t len;
	const char *path = build_path(build_of(db), file, &len);

	buf_add(to, path, len);
}

uint32_t answers_start(struct db *db)
{
	const struct build *b = build_of(db);

	for (uint32_t i = 1; i <= b->nexecs; i++)
		if (b->execs[i].program && b->execs[i].cwd)
			return b->execs[i].cwd;
	return 0;
}

bool answers_hides(struct db *db, uint32_t exec)
{
	enum build_hides *hides;
	struct buf args = { 0 };

	if (!db->redact)
		return false;
	hides = build_hides(build_of(db), exec);
	if (*hides == HIDES_UNKNOWN) {
		build_args_add(build_of(db), exec, &args);
		*hides = redact_list(&args, 0) ? HIDES_SECRETS : HIDES_NOTHING;
		buf_free(&args);
	}
	return *hides == HIDES_SECRETS;
}

size_t answers_args(struct db *db, uint32_t exec, struct buf *to)
{
	size_t from = to->len, n = build_args_add(build_of(db), exec, to);

	if (answers_hides(db, exec))
		redact_list(to, from);
	return db->failed ? 0 : n;
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

struct work_arg *answers_work_args(struct db *db, uint32_t exec, struct buf *words, size_t *n)
{
	struct work_arg *args;
	size_t at = words->len;

	*n = answers_args(db, exec, words);
	args = xcalloc(*n + 1, sizeof(*args));
	for (size_t i = 0; i < *n; i++) {
		args[i] = (struct work_arg){ words->s + at, strlen(words->s + at) };
		at += args[i].len + 1;
	}
	return args;
}

void answers_label(struct db *db, uint32_t exec, uint32_t output, struct buf *to)
{
	const struct build *b = build_of(db);
	struct buf words = { 0 };
	size_t n, len, output_len;
	struct work_arg *args = answers_work_args(db, exec, &words, &n);
	const char *path = build_path(b, b->execs[exec].program, &len);
	const char *made = build_path(b, output, &output_len);
	struct buf label = { 0 };

	if (len) {
		work_of(path, len, args, n, &label);
		work_add_output(path, len, made, output_len, &label);
	} else {
		buf_adds(&label, exec ? "?" : "nobody in the trace");
	}
	buf_add(to, label.s, label.len);
	free(args);
	buf_free(&label);
	buf_free(&words);
}

void answers_command(struct db *db, uint32_t exec, struct buf *to)
{
	struct buf args = { 0 };
	size_t n = answers_args(db, exec, &args);
	const char *s = args.s;

	for (size_t i = 0; s && i < n; i++, s += strlen(s) + 1) {
		if (i)
			buf_addc(to, ' ');
		sh_quote(to, s, strlen(s));
	}
	buf_free(&args);
}

int answers_end(struct db *db, struct diag *diag, const char *prog)
{
	const char *s;
	size_t len;

	if (diag_status(diag) == 2)
		return 2;
	if (db->complete)
		return 0;
	s = db_meta_text(db, "missing", &len);
	fprintf(stderr, "%s: %s is not complete: something may be missing\n", prog, db->name);
	if (s && len)
		fprintf(stderr, "%.*s", (int)len, s);
	return 1;
}
