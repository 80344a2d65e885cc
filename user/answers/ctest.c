// SPDX-License-Identifier: LGPL-2.1
/* Finds the CTest names of tests.  See ctest.h. */
#include "answers/ctest.h"
#include "answers/answers.h"
#include "answers/lists.h"
#include "base/xalloc.h"
#include "build/build.h"

#include <stdlib.h>
#include <string.h>

/*
 * Append the text of a bracket argument, [=[x]=].
 *
 * Return: its end; NULL if @s is not a bracket argument.
 */
static const char *add_bracketed(const char *s, struct buf *to)
{
	size_t equals = *s == '[' ? strspn(s + 1, "=") : 0;
	const char *close;
	char end[32];

	if (*s != '[' || equals > sizeof(end) - 3 || s[1 + equals] != '[')
		return NULL;
	snprintf(end, sizeof(end), "]%.*s]", (int)equals, s + 1);
	s += equals + 2;
	close = strstr(s, end);
	close = close ? close : s + strlen(s);
	buf_add(to, s, (size_t)(close - s));
	return *close ? close + strlen(end) : close;
}

static const char *add_quoted(const char *s, struct buf *to)
{
	for (s++; *s && *s != '"'; s++) {
		s += *s == '\\' && s[1];
		buf_addc(to, *s);
	}
	return s + (*s == '"');
}

/* Read an argument of a CMake command: "x", [=[x]=] or x.  Return: its end; NULL if none. */
static const char *next_arg(const char *s, struct buf *to)
{
	const char *behind;
	size_t n;

	s += strspn(s, " \t\n");
	to->len = 0;
	if (*s == ')' || !*s)
		return NULL;
	behind = *s == '"' ? add_quoted(s, to) : add_bracketed(s, to);
	if (!behind) {
		n = strcspn(s, " \t\n)");
		buf_add(to, s, n);
		behind = s + n;
	}
	buf_addc(to, 0);
	return behind;
}

/* Whether any exec had exactly these arguments, each ended by a NUL as by answers_args(). */
static bool ran_with_args(struct db *db, const uint32_t *execs, size_t n, const struct buf *args)
{
	struct buf has = { 0 };
	bool found = false;

	for (size_t i = 0; i < n && !found; i++) {
		has.len = 0;
		answers_args(db, execs[i], &has);
		found = has.len == args->len && (!has.len || !memcmp(has.s, args->s, has.len));
	}
	buf_free(&has);
	return found;
}

static void put_tests(struct db *db, struct out *out, const char *text, const uint32_t *execs,
		      size_t n)
{
	static const char call[] = "add_test(";
	struct buf name = { 0 }, arg = { 0 }, args = { 0 };

	for (const char *at = text; (at = strstr(at, call));) {
		const char *s = next_arg(at + strlen(call), &name);

		at += strlen(call);
		args.len = 0;
		while (s && (s = next_arg(s, &arg)))
			buf_add(&args, arg.s, arg.len);
		if (name.len > 1 && args.len && ran_with_args(db, execs, n, &args))
			out_printf(out, "%s\n", name.s);
	}
	buf_free(&name);
	buf_free(&arg);
	buf_free(&args);
}

void ctest_put(struct db *db, struct out *out, const uint32_t *execs, size_t n)
{
	static const char file[] = "/CTestTestfile.cmake";
	const struct build *b = build_of(db);

	for (uint32_t i = 1; i <= b->nfiles; i++) {
		struct buf text = { 0 }, path = { 0 };
		size_t len;
		const char *s = build_path(b, i, &len);

		if (len < strlen(file) || memcmp(s + len - strlen(file), file, strlen(file)))
			continue;
		buf_add(&path, s, len);
		buf_addc(&path, 0);
		if (lists_text(path.s, &text))
			put_tests(db, out, text.s, execs, n);
		buf_free(&text);
		buf_free(&path);
	}
}
