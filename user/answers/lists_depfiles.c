// SPDX-License-Identifier: LGPL-2.1
/* Reads depfiles, and Kbuild's .cmd files.  See lists.h. */
#include "answers/answers.h"
#include "answers/lists.h"
#include "base/xalloc.h"

#include <errno.h>
#include <fts.h>
#include <glob.h>
#include <string.h>
#include <sys/stat.h>

/*
 * Read a word of a makefile, quoted as by compilers: "\ ", "\#", "\:" and "$$"; a backslash at
 * the end of a line continues it.  Return: the position after the word; @to is empty at the
 * end of the rule.
 */
static const char *parse_word(const char *s, const char *end, struct buf *to)
{
	to->len = 0;
	for (; s < end; s++) {
		if (*s == '\\' && s + 1 < end && (s[1] == '\n' || s[1] == '\r')) {
			if (to->len)
				return s;
			s += s[1] == '\r' && s + 2 < end && s[2] == '\n' ? 2 : 1;
		} else if (*s == '\\' && s + 1 < end && strchr(" #:\\", s[1]) && s[1]) {
			buf_addc(to, *++s);
		} else if (*s == '$' && s + 1 < end && s[1] == '$') {
			buf_addc(to, *s++);
		} else if (*s == '\n') {
			return s;
		} else if (strchr(" \t\r", *s) && *s) {
			if (to->len)
				return s;
		} else {
			buf_addc(to, *s);
		}
	}
	return s;
}

/* Read a rule: targets, a colon, prerequisites.  Return: the position after its line. */
static const char *parse_rule(struct lists *l, const char *cwd, const char *s, const char *end,
			      struct lists_group *targets)
{
	struct buf b = { 0 };
	uint32_t group = 0, node;
	bool behind = false;

	targets->n = 0;
	while ((s = parse_word(s, end, &b)) && b.len) {
		bool colon = !behind && b.s[b.len - 1] == ':';

		b.len -= colon;
		if (b.len) {
			node = lists_node(l, cwd, b.s, b.len);
			if (!behind) {
				targets->nodes = xgrow(targets->nodes, &targets->cap,
						       targets->n + 1, sizeof(*targets->nodes));
				targets->nodes[targets->n++] = node;
			} else {
				group = group ? group : lists_group_new(l);
				lists_group_add(l, group, node);
			}
		}
		behind |= colon;
	}
	/* targets without prerequisites are headers, listed in case they are removed (-MP) */
	for (size_t i = 0; group && i < targets->n; i++) {
		l->nodes[targets->nodes[i]].read = group;
		l->nodes[targets->nodes[i]].target = true;
	}
	buf_free(&b);
	return s < end ? s + 1 : end;
}

void lists_depfile(struct lists *l, const char *cwd, const struct buf *text)
{
	const char *s = text->s, *end = text->s + text->len;
	struct lists_group targets = { 0 };

	while (s < end) {
		if (*s == '#')
			s = memchr(s, '\n', (size_t)(end - s)) ?: end;
		else
			s = parse_rule(l, cwd, s, end, &targets);
		s += s < end && *s == '\n';
	}
	free(targets.nodes);
}

/* Read a depfile.  Return: false if it cannot be read. */
static bool read_depfile(struct lists *l, const char *then_dir, const char *path, struct buf *text)
{
	struct buf then = { 0 }, cwd = { 0 };
	bool ok = lists_text(path, text);

	(void)then_dir;
	if (!ok)
		goto out;
	lists_then(l, path, &then);
	if (!l->cwd || !l->cwd(l->ctx, then.s, then.len, &cwd)) {
		const char *slash = memrchr(then.s, '/', then.len);

		buf_add(&cwd, then.s, (size_t)(slash - then.s));
	}
	buf_addc(&cwd, 0);
	lists_depfile(l, cwd.s, text);
out:
	if (!ok)
		diag_fatal(l->diag, "%s: %s", path, strerror(errno));
	buf_free(&then);
	buf_free(&cwd);
	return ok;
}

/* ---- directories ---- */

static bool ends_with(const char *s, size_t len, const char *const *ends)
{
	for (; *ends; ends++) {
		size_t n = strlen(*ends);

		if (len > n && !memcmp(s + len - n, *ends, n))
			return true;
	}
	return false;
}

/* @then: name of the directory in the build; NULL for depfiles */
typedef bool read_fn(struct lists *l, const char *then, const char *path, struct buf *text);

/*
 * Read all files below a directory whose names end with one of @ends, ended by NULL.
 * Return: their number; SIZE_MAX after diag_fatal().
 */
static size_t read_below(struct lists *l, const char *dir, const char *then, const char *begin,
			 const char *const *ends, read_fn *fn)
{
	char *const dirs[] = { (char *)dir, NULL };
	FTS *fts = fts_open(dirs, FTS_PHYSICAL | FTS_NOCHDIR | FTS_NOSTAT, NULL);
	struct buf text = { 0 };
	size_t n = 0;
	FTSENT *e;

	while (fts && n != SIZE_MAX && (e = fts_read(fts))) {
		if (e->fts_info == FTS_ERR || e->fts_info == FTS_DNR) {
			diag_fatal(l->diag, "%s: %s", e->fts_path, strerror(e->fts_errno));
			n = SIZE_MAX;
		} else if ((e->fts_info == FTS_F || e->fts_info == FTS_NSOK) &&
			   !strncmp(e->fts_name, begin, strlen(begin)) &&
			   ends_with(e->fts_name, e->fts_namelen, ends)) {
			n = fn(l, then, e->fts_path, &text) ? n + 1 : SIZE_MAX;
		}
	}
	if (fts)
		fts_close(fts);
	buf_free(&text);
	return n;
}

static bool is_dir(const char *path)
{
	struct stat st;

	return !stat(path, &st) && S_ISDIR(st.st_mode);
}

bool lists_depfiles(struct lists *l, const char *pattern)
{
	/* depfiles of compilers; of automake and libtool */
	static const char *const ends[] = { ".d", ".Po", ".Plo", NULL };
	struct buf text = { 0 };
	glob_t found = { 0 };
	size_t n = 0;

	if (is_dir(pattern)) {
		n = read_below(l, pattern, NULL, "", ends, read_depfile);
	} else if (!glob(pattern, 0, NULL, &found)) {
		while (n < found.gl_pathc)
			if (!read_depfile(l, NULL, found.gl_pathv[n++], &text))
				n = SIZE_MAX;
	}
	if (!n)
		diag_fatal(l->diag, "%s: no depfile there; give a pattern, or a directory", pattern);
	globfree(&found);
	buf_free(&text);
	return n && n != SIZE_MAX;
}

/* ---- Kbuild ---- */

/*
 * Add the file with all options.  Instead of it, fixdep lists the options that a source uses, as
 * $(wildcard include/config/NAME), which exists if the option is set.
 */
static void add_options(struct lists *l, const char *dir, uint32_t group)
{
	/* the first is Linux's; the others belong to busybox etc. with an older Kbuild */
	static const char *const files[] = { "include/generated/autoconf.h", "include/autoconf.h",
					     "include/linux/autoconf.h" };

	for (size_t i = 0; i < sizeof(files) / sizeof(*files); i++)
		lists_group_add(l, group, lists_node(l, dir, files[i], strlen(files[i])));
}

/* Read the words of a variable as inputs of a node.  Return: the position after it. */
static const char *parse_variable(struct lists *l, const char *dir, const char *s, const char *end,
				  uint32_t node)
{
	struct buf b = { 0 };
	bool options = false;

	while ((s = parse_word(s, end, &b)) && b.len) {
		if (!l->nodes[node].read) {
			uint32_t group = lists_group_new(l);

			l->nodes[node].read = group;
		}
		if (b.s[0] == '$') {
			options = true;
			continue;
		}
		b.len -= b.s[b.len - 1] == ')';
		lists_group_add(l, l->nodes[node].read, lists_node(l, dir, b.s, b.len));
	}
	if (options)
		add_options(l, dir, l->nodes[node].read);
	buf_free(&b);
	return s;
}

static bool read_cmd(struct lists *l, const char *dir, const char *path, struct buf *text)
{
	static const char *const heads[] = { "deps_", "source_", "cmd_", "savedcmd_", NULL };
	const char *s, *end;

	if (!lists_text(path, text)) {
		diag_fatal(l->diag, "%s: %s", path, strerror(errno));
		return false;
	}
	s = text->s;
	for (end = s + text->len; s && s < end; s++) {
		const char *line = memchr(s, '\n', (size_t)(end - s)) ?: end, *sign;

		for (const char *const *head = heads; *head; head++) {
			size_t n = strlen(*head);

			sign = memmem(s, (size_t)(line - s), " := ", 4);
			if (!sign || (size_t)(sign - s) <= n || memcmp(s, *head, n))
				continue;
			uint32_t node = lists_node(l, dir, s + n, (size_t)(sign - s) - n);

			l->nodes[node].target = true;
			if (**head == 'd' || head == &heads[1])
				line = parse_variable(l, dir, sign + 4, end, node);
			break;
		}
		s = line;
	}
	return true;
}

bool lists_kbuild(struct lists *l, const char *dir)
{
	static const char *const ends[] = { ".cmd", NULL };
	struct buf b = { 0 };
	size_t n;

	lists_then(l, dir, &b);
	buf_addc(&b, 0);
	n = read_below(l, dir, b.s, ".", ends, read_cmd);
	buf_free(&b);
	if (!n)
		diag_fatal(l->diag, "%s: no .cmd files there; give the directory of the kernel's build", dir);
	return n && n != SIZE_MAX;
}
