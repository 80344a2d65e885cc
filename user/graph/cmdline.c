// SPDX-License-Identifier: LGPL-2.1
/* What the arguments of a program name.  See state.h. */
#include "base/path.h"
#include "base/xalloc.h"
#include "graph/state.h"

#include <stdlib.h>
#include <string.h>

static size_t text_of(const struct et_event *ev, unsigned int i, const char **s)
{
	size_t len;

	*s = et_get_string(ev, i, &len);
	return *s ? len : 0;
}

static char *add(char *to, const char *s, size_t len)
{
	memcpy(to, s, len);
	to[len] = '\0';
	return to + len + 1;
}

struct cmdline *cmdline_new(const struct et_event *ev)
{
	const char *cwd, *interp;
	size_t ncwd = text_of(ev, ET_S_EXEC_cwd, &cwd);
	size_t ninterp = text_of(ev, ET_S_EXEC_interp, &interp), room = ncwd + ninterp + 2;
	struct cmdline *c;
	char *at;

	for (uint32_t i = 1; i < ev->nargs; i++)
		room += ev->args[i].len + 1;
	c = xmalloc(sizeof(*c) + room);
	c->refs = 1;
	c->nargs = ev->nargs ? ev->nargs - 1 : 0;
	c->cwd = c->text;
	c->interp = add(c->text, ncwd ? cwd : "", ncwd);
	c->args = add(c->text + ncwd + 1, ninterp ? interp : "", ninterp);
	at = c->text + (c->args - c->text);
	for (uint32_t i = 1; i < ev->nargs; i++)
		at = add(at, et_text(ev, &ev->args[i]), ev->args[i].len);
	return c;
}

struct cmdline *cmdline_get(struct cmdline *c)
{
	if (c)
		c->refs++;
	return c;
}

void cmdline_drop(struct cmdline *c)
{
	if (c && !--c->refs)
		free(c);
}

/* Whether a path is another one, or a directory above it that has @place bytes at least. */
static bool leads_to(const char *s, size_t n, const char *path, size_t len, size_t place)
{
	while (n > 1 && s[n - 1] == '/')
		n--;
	return n >= place && n <= len && !memcmp(s, path, n) && (n == len || path[n] == '/');
}

static bool word_names(struct graph *g, const char *cwd, const char *s, const char *path,
		       size_t len, size_t place)
{
	size_t n = strlen(s), home = strlen(cwd);

	if (!n)
		return false;
	if (*s == '/' && (n == 1 || path_is_clean(s, n)))
		return leads_to(s, n, path, len, place);
	/* a name from there, or from above */
	if (*s != '/' && (home > len || memcmp(cwd, path, home)) && !strstr(s, ".."))
		return false;
	g->path.len = 0;
	if (*s != '/') {
		buf_add(&g->path, cwd, home);
		buf_addc(&g->path, '/');
	}
	buf_add(&g->path, s, n);
	path_clean(&g->path);
	return leads_to(g->path.s, g->path.len, path, len, place);
}

bool cmdline_names(struct graph *g, const struct cmdline *c, const char *path, size_t len,
		   size_t place)
{
	const char *s, *value;

	if (!c)
		return false;
	s = c->args;
	for (uint32_t i = 0; i < c->nargs; i++, s += strlen(s) + 1) {
		if (word_names(g, c->cwd, s, path, len, place))
			return true;
		/* -C/etc, --directory=/etc, if=/etc/hosts, @list */
		value = strchr(s, '=');
		if (value && word_names(g, c->cwd, value + 1, path, len, place))
			return true;
		value = *s == '-' && s[1] ? s + 2 : *s == '@' ? s + 1 : "";
		if (word_names(g, c->cwd, value, path, len, place))
			return true;
	}
	return false;
}
