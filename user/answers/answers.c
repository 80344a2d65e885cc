// SPDX-License-Identifier: LGPL-2.1
/* Functions that all answers share.  See answers.h. */
#include "answers/answers.h"
#include "base/path.h"
#include "base/shquote.h"
#include "base/spelling.h"
#include "base/xalloc.h"
#include "event/redact.h"
#include "timeline/work.h"
#include "build/build.h"

#include <errno.h>
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

/* ---- similar names ---- */

#define NEAR 3		/* number of similar names that are printed */

static const char *base_name(const char *path, size_t *len)
{
	const char *slash = memrchr(path, '/', *len);

	if (!slash)
		return path;
	*len -= (size_t)(slash + 1 - path);
	return slash + 1;
}

struct near {
	unsigned int far;
	char *path;
	size_t len;
};

static void add_near(struct near *list, unsigned int far, const char *path, size_t len)
{
	size_t i = NEAR - 1;

	if (list[i].path && far >= list[i].far)
		return;
	free(list[i].path);
	for (; i && (!list[i - 1].path || far < list[i - 1].far); i--)
		list[i] = list[i - 1];
	list[i] = (struct near){ far, xstrndup(path, len), len };
}

static void report_nearest(struct db *db, const struct buf *path)
{
	const struct build *model = build_of(db);
	struct near list[NEAR] = { 0 };
	struct buf b = { 0 };
	size_t wanted = path->len, len, n;
	const char *name = base_name(path->s, &wanted);

	for (uint32_t i = 1; i <= model->nfiles; i++) {
		const char *s = build_path(model, i, &len), *base;
		unsigned int far;

		n = len;
		base = base_name(s, &n);
		/* the base name counts more than the directory */
		far = spelling_distance(name, wanted, base, n) * 64;
		if (far <= 64 * (wanted / 2 + 1)) {
			b.len = 0;
			buf_add(&b, s, len);
			buf_addc(&b, 0);
			add_near(list, far + spelling_distance(path->s, path->len, s, len), b.s, len);
		}
	}
	b.len = 0;
	for (size_t i = 0; i < NEAR && list[i].path; i++) {
		buf_adds(&b, i ? ", " : "");
		sh_quote(&b, list[i].path, list[i].len);
		free(list[i].path);
	}
	diag_fatal(db->diag, "%.*s: not in this trace%s%.*s", (int)path->len, path->s,
		   b.len ? "; similar names: " : "", (int)b.len, b.len ? b.s : "");
	buf_free(&b);
}

uint32_t answers_file(struct db *db, const char *path)
{
	const struct build *model = build_of(db);
	struct buf b = { 0 };
	uint32_t file;
	char *real;

	answers_path(&b, path);
	file = build_find(model, b.s, b.len);
	/* for a symbolic link, the trace has the path to which it leads */
	if (!file) {
		buf_addc(&b, 0);
		b.len--;
		real = realpath(b.s, NULL);
		if (real)
			file = build_find(model, real, strlen(real));
		free(real);
	}
	if (!file && !db->failed && !answers_not_made(db, &b))
		report_nearest(db, &b);
	buf_free(&b);
	return file;
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
