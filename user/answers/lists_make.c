// SPDX-License-Identifier: LGPL-2.1
/*
 * Reads the output of "make -np": all rules as make understood them, one database for each
 * make that ran (GNU make's manual, "Options Summary", -p).
 */
#include "answers/lists.h"
#include "base/xalloc.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

struct make {
	struct lists *l;
	struct buf dir;		/* directory, as in the build, of the current make; ends with NUL */
	uint32_t here;		/* the node of @dir */
	uint32_t target;	/* target of the last rule; 0 if none */
	uint32_t file;		/* file that the comments are about; 0 if none */
	bool files;		/* the current line is in the part that lists files */
	bool none;		/* the next rule is marked "# Not a target" */
	bool defines;		/* the current line is between define and endef */
};

static bool line_begins(const char *s, size_t len, const char *with)
{
	size_t n = strlen(with);

	return len >= n && !memcmp(s, with, n);
}

/* Whether a name is a special target of make, such as .PHONY. */
static bool is_special(const char *s)
{
	return s[0] == '.' && s[1] >= 'A' && s[1] <= 'Z';
}

/* Find the colon after the name of a target.  Return: NULL if the line has none. */
static const char *colon_of(const char *s, size_t len)
{
	const char *end = s + len, *colon = s;

	/* no space follows a colon in a name */
	do {
		colon = memchr(colon + (colon > s), ':', (size_t)(end - colon - (colon > s)));
	} while (colon && colon + 1 < end && !strchr(" :|", colon[1]));
	if (!colon || colon == s || is_special(s) || memchr(s, '%', (size_t)(colon - s)) ||
	    memchr(s, ' ', (size_t)(colon - s)))
		return NULL;
	return colon;
}

/* Read the rest of "target: prerequisite... | ordered...". */
static void read_rule(struct make *m, uint32_t target, const char *p, const char *end)
{
	bool any = false;

	p += p < end && *p == ':';
	if (!m->l->nodes[target].rule) {
		uint32_t group = lists_group_new(m->l);

		m->l->nodes[target].rule = group;
		m->l->groups[group].dir = m->here;
	}
	if (m->l->groups[m->l->nodes[target].rule].dir != m->here)
		m->l->groups[m->l->nodes[target].rule].dir = 0;
	while (p < end) {
		const char *space = memchr(p, ' ', (size_t)(end - p)) ?: end;
		size_t n = (size_t)(space - p);

		if (n && !(n == 1 && *p == '|')) {
			uint32_t node = lists_node(m->l, m->dir.s, p, n);

			m->l->nodes[node].wanted = true;
			lists_group_add(m->l, m->l->nodes[target].rule, node);
			any = true;
		}
		p = space + 1;
	}
	m->l->nodes[target].target |= any;
	m->target = target;
}

static void read_file(struct make *m, const char *s, size_t len)
{
	const char *colon = colon_of(s, len);

	if (!colon)
		return;
	m->file = lists_node(m->l, m->dir.s, s, (size_t)(colon - s));
	if (!m->none)
		read_rule(m, m->file, colon + 1, s + len);
}

/* Read a comment of make about a file. */
static void read_comment(struct make *m, const char *s, size_t len)
{
	struct lists_node *node = &m->l->nodes[m->file];

	if (line_begins(s, len, "#  Implicit rule search has not been done"))
		node->passed = true;
	else if (line_begins(s, len, "#  Implicit rule search has been done"))
		node->searched = true;
}

static void read_line(struct make *m, const char *s, size_t len)
{
	static const char dir[] = "CURDIR := ";
	struct buf now = { 0 };

	if (m->defines) {
		m->defines = !line_begins(s, len, "endef");
	} else if (line_begins(s, len, "define ")) {
		m->defines = true;
	} else if (line_begins(s, len, dir)) {
		now.len = m->dir.len = 0;
		buf_add(&now, s + sizeof(dir) - 1, len - (sizeof(dir) - 1));
		buf_addc(&now, 0);
		lists_then(m->l, now.s, &m->dir);
		m->here = lists_node(m->l, "", m->dir.s, m->dir.len);
		buf_addc(&m->dir, 0);
		buf_free(&now);
	} else if (line_begins(s, len, "# Make data base") || line_begins(s, len, "# Variables") ||
		   line_begins(s, len, "# Implicit Rules") ||
		   line_begins(s, len, "# files hash-table")) {
		m->files = false;
		m->target = m->file = 0;
	} else if (line_begins(s, len, "# Files")) {
		m->files = true;
	} else if (line_begins(s, len, "# Not a target")) {
		m->none = true;
	} else if (len && *s == '\t') {
		/* a file with a recipe is a target, even if it has no inputs */
		if (m->target)
			m->l->nodes[m->target].target = m->l->nodes[m->target].searched = true;
	} else if (len && *s != '#') {
		m->target = m->file = 0;
		if (m->files && m->dir.len)
			read_file(m, s, len);
		m->none = false;
	} else if (m->file) {
		read_comment(m, s, len);
	}
}

bool lists_make(struct lists *l, const char *path)
{
	struct make m = { .l = l };
	struct buf text = { 0 };
	bool ok = lists_text(path, &text);
	const char *s = text.s, *end = s + text.len;

	if (!ok)
		diag_fatal(l->diag, "%s: %s", path, strerror(errno));
	while (ok && s < end) {
		const char *line = memchr(s, '\n', (size_t)(end - s)) ?: end;

		read_line(&m, s, (size_t)(line - s));
		s = line + 1;
	}
	if (ok && !m.dir.len) {
		diag_fatal(l->diag, "%s: is not what \"make -np\" prints", path);
		ok = false;
	}
	l->rules |= ok;
	l->before |= ok;
	buf_free(&text);
	buf_free(&m.dir);
	return ok;
}
