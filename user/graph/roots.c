// SPDX-License-Identifier: LGPL-2.1
/*
 * Root directories: events have paths as their process sees them, so /usr/bin/cc in a
 * container is another file than the machine's. This file prepends the process's root to
 * such paths, if the trace shows it: etrace-db(5).  See state.h.
 */
#include "graph/state.h"
#include "base/path.h"
#include "base/xalloc.h"

#include <stdlib.h>
#include <string.h>

#define CLONE_NEWNS	0x00020000

/* Each root is allocated once and lives as long as the graph.  Return: NULL for the machine's */
static const struct root *root_of(struct graph *g, const char *path, size_t len)
{
	struct root *r;

	while (len && path[len - 1] == '/')
		len--;
	if (!len)
		return NULL;
	for (r = g->roots; r; r = r->next)
		if (r->len == len && !memcmp(r->path, path, len))
			return r;
	r = xmalloc(sizeof(*r) + len);
	r->len = len;
	memcpy(r->path, path, len);
	r->next = g->roots;
	g->roots = r;
	g->nroots++;
	return r;
}

const char *roots_path(struct graph *g, const char *path, size_t *len)
{
	const struct root *root = g->root;

	/* pipe:[5] is not a path, and has no root */
	if (!root || !*len || *path != '/')
		return path;
	g->rooted.len = 0;
	buf_add(&g->rooted, root->path, root->len);
	/* the root directory itself: no slash after its path */
	if (*len > 1)
		buf_add(&g->rooted, path, *len);
	*len = g->rooted.len;
	return g->rooted.s;
}

const char *roots_below(const struct graph *g, const char *path, size_t *len)
{
	size_t n = 0;

	for (const struct root *r = g->roots; r; r = r->next)
		if (r->len > n && path_within(path, *len, r->path, r->len))
			n = r->len;
	*len -= n;
	return path + n;
}

void roots_present(struct graph *g, struct process *p, const struct et_event *ev)
{
	size_t len;
	const char *s = ev->kind == ET_K_PRESENT ? et_get_string(ev, ET_S_PRESENT_root, &len) : NULL;

	if (s)
		p->root = root_of(g, s, len);
	/* /proc has paths as the recorder sees them, except from another mount namespace */
	g->root = s && *s != '/' ? p->root : NULL;
}

void roots_change(struct graph *g, struct process *p, const struct et_event *ev)
{
	static const char mnt[] = "mnt:";
	size_t len;
	const char *s = et_get_string(ev, 0, &len);	/* their first string is the name */

	if (!s || ev->flags & ET_F_FAILED)
		return;
	/* strace gets no paths from the kernel: all its paths are as its first task sees them */
	if (ev->kind == ET_K_CHROOT && ev->marks[ET_JOINED]) {
		root_of(g, s, len);
		return;
	}
	if (ev->kind != ET_K_SETNS) {
		s = roots_path(g, s, &len);
		p->root = root_of(g, s, len);
	} else if (len >= sizeof(mnt) - 1 && !memcmp(s, mnt, sizeof(mnt) - 1)) {
		/* stands for the root of the namespace, which is not in the trace */
		p->root = root_of(g, s, len);
	} else if (et_value(ev, ET_V_SETNS_flags, 0) & CLONE_NEWNS) {
		p->root = root_of(g, "mnt:[?]", 7);
	}
	g->root = p->root;
}

void roots_free(struct graph *g)
{
	while (g->roots) {
		struct root *r = g->roots;

		g->roots = r->next;
		free(r);
	}
	buf_free(&g->rooted);
}
