// SPDX-License-Identifier: LGPL-2.1
/* Finds the files that a program's arguments name.  See state.h. */
#include "base/path.h"
#include "base/xalloc.h"
#include "graph/state.h"

#include <stdlib.h>
#include <string.h>

/* A path of an event, as the program sees it.  Return: its length, 0 if there is none */
static size_t path_of(const struct graph *g, const struct et_event *ev, unsigned int i,
		      const char **s)
{
	size_t len;

	*s = et_get_string(ev, i, &len);
	if (!*s)
		return 0;
	*s = roots_inner(g, *s, &len);
	return len;
}

static char *add_text(char *to, const char *s, size_t len)
{
	memcpy(to, s, len);
	to[len] = '\0';
	return to + len + 1;
}

struct cmdline *cmdline_new(const struct graph *g, const struct et_event *ev)
{
	const char *cwd, *interp;
	size_t ncwd = path_of(g, ev, ET_S_EXEC_cwd, &cwd);
	size_t ninterp = path_of(g, ev, ET_S_EXEC_interp, &interp), room = ncwd + ninterp + 2;
	struct cmdline *c;
	char *at;

	for (uint32_t i = 1; i < ev->nargs; i++)
		room += ev->args[i].len + 1;
	c = xmalloc(sizeof(*c) + room);
	*c = (struct cmdline){ .refs = 1 };
	c->nargs = ev->nargs ? ev->nargs - 1 : 0;
	c->cwd = c->text;
	c->interp = add_text(c->text, ncwd ? cwd : "", ncwd);
	c->args = add_text(c->text + ncwd + 1, ninterp ? interp : "", ninterp);
	at = c->text + (c->args - c->text);
	for (uint32_t i = 1; i < ev->nargs; i++)
		at = add_text(at, et_text(ev, &ev->args[i]), ev->args[i].len);
	return c;
}

struct cmdline *cmdline_get(struct cmdline *c)
{
	if (c)
		c->refs++;
	return c;
}

static void free_paths(struct named_paths *p)
{
	buf_free(&p->text);
	free(p->ends);
}

void cmdline_drop(struct cmdline *c)
{
	if (!c || --c->refs)
		return;
	free_paths(&c->below);
	free_paths(&c->others);
	free(c);
}

/* Whether @s is @path or a directory above it.  @place: minimum length of @s */
static inline bool leads_to(const char *s, size_t n, const char *path, size_t len, size_t place)
{
	return n >= place && path_within(path, len, s, n);
}

/* Add a word that may be a path, as it would be opened: absolute and clean. */
static void add_path(struct named_paths *p, const char *cwd, const char *word)
{
	size_t n = strlen(word), from = p->text.len;
	struct buf path;

	if (*word != '/') {
		buf_adds(&p->text, cwd);
		buf_addc(&p->text, '/');
	}
	buf_add(&p->text, word, n);
	/* cleaned in place: it only gets shorter */
	path = (struct buf){ p->text.s + from, p->text.len - from, p->text.len - from };
	path_clean(&path);
	p->text.len = from + path.len;
	p->ends = xgrow(p->ends, &p->cap, p->n + 1, sizeof(*p->ends));
	p->ends[p->n++] = (uint32_t)p->text.len;
}

/* Fill @p: @c->below with the relative paths without "..", @c->others with all other paths. */
static void find_paths(const struct cmdline *c, struct named_paths *p)
{
	const char *s = c->args, *words[3];
	bool clean = path_is_clean(c->cwd, strlen(c->cwd));

	for (uint32_t i = 0; i < c->nargs; i++, s += strlen(s) + 1) {
		bool stays = clean && !strstr(s, "..");
		const char *value = strchr(s, '=');

		/* -C/etc, --directory=/etc, if=/etc/hosts, @list */
		words[0] = s;
		words[1] = value ? value + 1 : "";
		words[2] = *s == '-' && s[1] ? s + 2 : *s == '@' ? s + 1 : "";
		for (unsigned int k = 0; k < 3; k++)
			if (*words[k] && (stays && *words[k] != '/') == (p == &c->below))
				add_path(p, c->cwd, words[k]);
	}
	p->found = true;
}

static bool is_named(const struct cmdline *c, struct named_paths *p, const char *path, size_t len,
		     size_t place)
{
	uint32_t from = 0;

	if (!p->found)
		find_paths(c, p);
	for (const uint32_t *end = p->ends, *behind = end + p->n; end < behind; from = *end++)
		if (leads_to(p->text.s + from, *end - from, path, len, place))
			return true;
	return false;
}

/*
 * The paths are found on demand: most programs open no file for which this matters, and most
 * others open none below @cwd.
 */
bool cmdline_names(struct cmdline *c, const char *path, size_t len, size_t place)
{
	size_t n = c ? strlen(c->cwd) : 0;

	if (!c)
		return false;
	return is_named(c, &c->others, path, len, place) ||
	       (len >= n && !memcmp(path, c->cwd, n) && is_named(c, &c->below, path, len, place));
}
