// SPDX-License-Identifier: LGPL-2.1
/* Adds findings, and looks at arguments for several checks.  See check.h. */
#include "answers/check.h"
#include "base/hash.h"
#include "base/path.h"
#include "base/xalloc.h"

#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

static bool is_allowed(const struct check *c, const struct check_finding *f)
{
	for (size_t i = 0; i < c->nallowed; i++) {
		const struct check_allowed *a = &c->allowed[i];

		if ((a->kind == CHECK_NKINDS || a->kind == f->kind) && !fnmatch(a->glob, f->path, 0))
			return true;
	}
	return false;
}

void check_add(struct check *c, struct check_finding f)
{
	uint64_t what = f.name ? hash_bytes(f.name, strlen(f.name)) : f.file;
	uint64_t key = hash_two(what, (uint64_t)f.kind * 2 + f.writes);
	uint64_t *at = map64_get(&c->seen, key);
	struct buf b = { 0 };

	if (at) {
		struct check_finding *before = &c->rows[*at];

		before->more += before->unit != f.unit;
		free(f.name);
		return;
	}
	if (f.name)
		buf_adds(&b, f.name);
	else
		answers_file_path(c->s.db, f.file, &b);
	buf_addc(&b, 0);
	f.path = b.s;
	if (is_allowed(c, &f)) {
		free(f.path);
		free(f.name);
		return;
	}
	map64_put(&c->seen, key, c->n);
	c->rows = xgrow(c->rows, &c->cap, c->n + 1, sizeof(*c->rows));
	c->rows[c->n++] = f;
}

size_t check_args(const struct check *c, uint32_t unit, struct buf *to)
{
	to->len = 0;
	return answers_args(c->s.db, c->s.units[unit].exec, to);
}

static bool is_any(const char *s, const char *const *words)
{
	for (; words && *words; words++)
		if (!strcmp(s, *words))
			return true;
	return !words;
}

bool check_names(const struct check *c, uint32_t unit, uint32_t file, const char *const *options)
{
	struct buf args = { 0 }, path = { 0 };
	const struct build *b = c->s.b;
	size_t n = check_args(c, unit, &args), len, ncwd;
	const char *want = build_path(b, file, &len), *arg = args.s;
	const char *cwd = build_path(b, b->execs[c->s.units[unit].exec].cwd, &ncwd);
	bool found = false, behind = !options;

	for (; n-- && !found; arg += strlen(arg) + 1) {
		if (behind) {
			path.len = 0;
			if (*arg != '/') {
				buf_add(&path, cwd, ncwd);
				buf_addc(&path, '/');
			}
			buf_adds(&path, arg);
			path_clean(&path);
			found = len == path.len && !memcmp(want, path.s, len);
		}
		behind = is_any(arg, options);
	}
	buf_free(&args);
	buf_free(&path);
	return found;
}
