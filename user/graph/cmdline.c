// SPDX-License-Identifier: LGPL-2.1
/* Which files the arguments of a program name.  See state.h. */
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
	*c = (struct cmdline){ .refs = 1 };
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
	if (!c || --c->refs)
		return;
	buf_free(&c->names);
	free(c->ends);
	free(c);
}

/* Whether @s is @path or a directory above it, and at least @place bytes long. */
static inline bool leads_to(const char *s, size_t n, const char *path, size_t len, size_t place)
{
	return n >= place && n <= len && (n == len || path[n] == '/') && !memcmp(s, path, n);
}

/* Add a word that may be a path, as it would be opened: absolute and clean. */
static void add_name(struct cmdline *c, const char *word)
{
	size_t n = strlen(word), from = c->names.len;
	struct buf path;

	if (!n)
		return;
	if (*word != '/') {
		buf_adds(&c->names, c->cwd);
		buf_addc(&c->names, '/');
	}
	buf_add(&c->names, word, n);
	/* cleaned in place: it only gets shorter */
	path = (struct buf){ c->names.s + from, c->names.len - from, c->names.len - from };
	path_clean(&path);
	c->names.len = from + path.len;
	c->ends = xgrow(c->ends, &c->ends_cap, c->nends + 1, sizeof(*c->ends));
	c->ends[c->nends++] = (uint32_t)c->names.len;
}

/* On demand: most programs open nothing for which it matters. */
static void find_names(struct cmdline *c)
{
	const char *s = c->args, *value;

	for (uint32_t i = 0; i < c->nargs; i++, s += strlen(s) + 1) {
		add_name(c, s);
		/* -C/etc, --directory=/etc, if=/etc/hosts, @list */
		value = strchr(s, '=');
		if (value)
			add_name(c, value + 1);
		add_name(c, *s == '-' && s[1] ? s + 2 : *s == '@' ? s + 1 : "");
	}
	c->asked = true;
}

bool cmdline_names(struct cmdline *c, const char *path, size_t len, size_t place)
{
	uint32_t from = 0;

	if (!c)
		return false;
	if (!c->asked)
		find_names(c);
	for (const uint32_t *end = c->ends, *behind = end + c->nends; end < behind; from = *end++)
		if (leads_to(c->names.s + from, *end - from, path, len, place))
			return true;
	return false;
}
