// SPDX-License-Identifier: LGPL-2.1
/* Names and arguments of two builds, made comparable.  See match.h. */
#include "answers/match.h"
#include "base/path.h"
#include "base/xalloc.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

static bool name_byte(char c)
{
	return isalnum((unsigned char)c) || strchr("_-.+~", c) || (c & 0x80);
}

/* Whether a text that ends with a slash, from @from on, ends with such a directory. */
static bool temporary_dir(const struct buf *b, size_t from)
{
	for (const char *const *dir = path_temporary; *dir; dir++) {
		size_t n = strlen(*dir);

		if (b->len - from > n && !memcmp(b->s + b->len - 1 - n, *dir, n))
			return true;
	}
	return false;
}

size_t match_begins(const char *dir, const char *text, size_t len)
{
	size_t n = dir ? strlen(dir) : 0;

	return n && len >= n && !memcmp(text, dir, n) &&
	       (len == n || text[n] == '/' || !name_byte(text[n])) ? n : 0;
}

/* The longest directory that a text begins with and is compared in another form, @as. */
static size_t match_dir(const struct match_side *s, const char *text, size_t len, const char **as)
{
	size_t most = match_begins(s->from, text, len);
	const char *root = s->roots.s, *end = root ? root + s->roots.len : NULL;

	*as = s->to;
	while (root < end) {
		const char *form = root + strlen(root) + 1;
		size_t n = match_begins(root, text, len);

		if (n > most) {
			most = n;
			*as = form;
		}
		root = form + strlen(form) + 1;
	}
	return most;
}

/* Copy a text without a slash.  match_drawn() copies the names of temporary files in it. */
static void copy_words(const struct match_side *s, const char *text, size_t len, struct buf *to)
{
	if (!s->drawn.n) {
		buf_add(to, text, len);
		return;
	}
	for (size_t i = 0, n; i < len; i += n) {
		for (n = 0; i + n < len && name_byte(text[i + n]); n++)
			;
		if (n && match_drawn(s, text + i, n, to))
			continue;
		n = n ? n : 1;
		buf_add(to, text + i, n);
	}
}

void match_name(const struct match_side *s, const char *text, size_t len, struct buf *to)
{
	size_t begin = to->len, n;

	for (size_t i = 0; i < len;) {
		bool first = !i || text[i - 1] != '/';
		const char *as;

		n = text[i] == '/' && first ? match_dir(s, text + i, len - i, &as) : 0;
		if (n) {
			buf_adds(to, as);
			i += n;
			continue;
		}
		n = i && text[i - 1] == '/' && temporary_dir(to, begin) ?
		    match_random(text + i, len - i) : 0;
		if (n) {
			buf_addc(to, '*');
			i += n;
			continue;
		}
		/* copy up to the next slash: replaced parts begin at a slash or after it */
		for (n = 1; text[i] != '/' && i + n < len && text[i + n] != '/'; n++)
			;
		copy_words(s, text + i, n, to);
		i += n;
	}
}

/* ---- arguments ---- */

static bool one_of(const char *s, const char *const *list)
{
	for (; *list; list++)
		if (!strcmp(s, *list))
			return true;
	return false;
}

static bool is_number(const char *s)
{
	return *s && !s[strspn(s, "0123456789.")];
}

bool match_has_jobs(const char *program)
{
	static const char *const tools[] = {
		"make", "gmake", "ninja", "samu", "cmake", "ctest", "scons", "meson", "cargo", NULL
	};

	return one_of(path_base(program), tools);
}

/* Return: number of arguments (0 to 2) that give the number of jobs. */
static size_t jobs_args(const char *arg, const char *next)
{
	static const char *const words[] = { "-j", "--jobs", "--parallel", "-l", NULL };

	if (one_of(arg, words))
		return next && is_number(next) ? 2 : 1;
	if (!strncmp(arg, "--jobs=", 7) || !strncmp(arg, "--jobserver-", 12))
		return 1;
	return !strncmp(arg, "-j", 2) && is_number(arg + 2);
}

/* @s: " -j" in the text of sh -c.  Return: number of bytes that give the number of jobs; or 0. */
static size_t jobs_text(const char *s)
{
	size_t blank = strspn(s + 3, " "), n = strspn(s + 3 + blank, "0123456789");
	char end = s[3 + blank + n];

	if ((!n && !blank) || (end && !strchr(" ;&|)\n", end)))
		return 0;
	return n ? 3 + blank + n : 3;
}

/* Append an argument without the number of jobs in it. */
static void strip_jobs(const char *arg, struct buf *to)
{
	const char *jobs;

	while ((jobs = strstr(arg, " -j"))) {
		size_t skip = jobs_text(jobs);

		buf_add(to, arg, (size_t)(jobs - arg) + !skip);
		arg = jobs + skip + !skip;
	}
	buf_adds(to, arg);
}

void match_arg(const struct match_side *s, const char *arg, struct buf *to)
{
	struct buf b = { 0 };

	if (strstr(arg, " -j")) {
		strip_jobs(arg, &b);
		match_name(s, b.s, b.len, to);
	} else {
		match_name(s, arg, strlen(arg), to);
	}
	buf_free(&b);
}

void match_own_args(const struct match_side *s, uint32_t unit, struct buf *to, size_t *n)
{
	struct buf b = { 0 };
	size_t all = answers_args(s->db, s->units[unit].exec, &b), skip = 0;
	const char *arg = b.s, *end = b.s + b.len;
	bool jobs = all && match_has_jobs(b.s);

	*n = 0;
	for (size_t i = 0; i < all; i++, arg += strlen(arg) + 1) {
		const char *next = arg + strlen(arg) + 1;

		if (!skip && i && jobs)
			skip = jobs_args(arg, next < end ? next : NULL);
		if (skip) {
			skip--;
			continue;
		}
		strip_jobs(arg, to);
		buf_addc(to, 0);
		++*n;
	}
	buf_free(&b);
}

void match_args(const struct match_side *s, uint32_t unit, struct buf *to, size_t *n)
{
	struct buf own = { 0 };
	const char *arg;

	match_own_args(s, unit, &own, n);
	arg = own.s;
	for (size_t i = 0; i < *n; i++, arg += strlen(arg) + 1) {
		match_name(s, arg, strlen(arg), to);
		buf_addc(to, 0);
	}
	buf_free(&own);
}

/* ---- directories ---- */

/* The directory of the first command. */
static char *first_dir(const struct build *b)
{
	uint32_t i = 1;
	const char *path;
	size_t len;

	while (i < b->nexecs && (b->execs[i].forked || !b->execs[i].program))
		i++;
	path = build_path(b, i <= b->nexecs ? b->execs[i].cwd : 0, &len);
	return xstrndup(path, len);
}

/* Whether a build ran a program in a directory, or made a file there. */
static bool worked_in(const struct build *b, const char *dir)
{
	for (uint32_t i = 1; i <= b->nexecs; i++)
		if (b->execs[i].program && build_is_within(b, b->execs[i].cwd, dir))
			return true;
	for (uint32_t i = 1; i <= b->nversions; i++)
		if (b->versions[i].exec && build_is_within(b, b->versions[i].file, dir))
			return true;
	return false;
}

void match_guess(struct match *m)
{
	char *a = first_dir(m->side[0].b), *b = first_dir(m->side[1].b), *x, *y;

	/* drop equal components at the end */
	for (;;) {
		x = strrchr(a, '/');
		y = strrchr(b, '/');
		if (!x || !y || strcmp(x, y) || x == a || y == b)
			break;
		*x = *y = 0;
	}
	/* a part of the same tree, such as the build directory, is not another clone */
	if (strlen(a) > 1 && strlen(b) > 1 && strcmp(a, b) && !worked_in(m->side[0].b, b) &&
	    !worked_in(m->side[1].b, a)) {
		m->side[1].from = b;
		m->side[1].to = a;
		return;
	}
	free(a);
	free(b);
}

/* Whether a side has a root directory that is compared as @path. */
static bool has_root(const struct match_side *s, const char *path)
{
	const struct build *b = s->b;
	struct buf name = { 0 };
	bool has = false;

	for (const char *r = build_next_root(b, NULL); r && !has; r = build_next_root(b, r)) {
		name.len = 0;
		match_name(s, r, strlen(r), &name);
		buf_addc(&name, 0);
		has = !strcmp(name.s, path);
	}
	buf_free(&name);
	return has;
}

void match_add_root(struct match_side *s, const char *root, const char *as)
{
	buf_adds(&s->roots, root);
	buf_addc(&s->roots, 0);
	buf_adds(&s->roots, as);
	buf_addc(&s->roots, 0);
}

/* The next root of the first build that the second one does not have.  Return: NULL if none */
static const char *next_alone(const struct match *m, const char *root)
{
	do
		root = build_next_root(m->side[0].b, root);
	while (root && has_root(&m->side[1], root));
	return root;
}

void match_guess_roots(struct match *m)
{
	const struct build *b = m->side[1].b;
	const char *was = next_alone(m, NULL);
	struct buf name = { 0 };

	for (const char *r = build_next_root(b, NULL); r && was; r = build_next_root(b, r)) {
		name.len = 0;
		match_name(&m->side[1], r, strlen(r), &name);
		buf_addc(&name, 0);
		if (has_root(&m->side[0], name.s))
			continue;
		match_add_root(&m->side[1], r, was);
		was = next_alone(m, was);
	}
	buf_free(&name);
}
