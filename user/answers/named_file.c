// SPDX-License-Identifier: LGPL-2.1
/* Finds the file that a user names, or files with similar names.  See answers.h. */
#include "answers/answers.h"
#include "base/path.h"
#include "base/shquote.h"
#include "base/spelling.h"
#include "base/xalloc.h"
#include "build/build.h"

#include <stdlib.h>
#include <string.h>

#define NEAR 3		/* maximum number of similar names to print */

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
	const char *name = path_base_of(path->s, &wanted);

	for (uint32_t i = 1; i <= model->nfiles; i++) {
		const char *s = build_path(model, i, &len), *base;
		unsigned int far;

		n = len;
		base = path_base_of(s, &n);
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
