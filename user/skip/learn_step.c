// SPDX-License-Identifier: GPL-2.0
/* The current step: its own programs and files, and why it is refused.  See learning.h. */
#include "skip/learning.h"

#include <stdio.h>

bool learn_refuse(struct learning *x, const char *why, const char *which)
{
	x->why = why;
	snprintf(x->which, sizeof(x->which), "%s", which);
	return false;
}

bool learn_path(const struct learning *x, uint32_t file, char *to)
{
	size_t len;
	const char *s = build_path(x->b, file, &len);

	if (!file || len >= PATH_MAX || memchr(s, '\0', len))
		return false;
	memcpy(to, s, len);
	to[len] = '\0';
	return *to == '/';
}

bool learn_refuse_file(struct learning *x, const char *why, uint32_t file)
{
	char path[PATH_MAX];

	return learn_refuse(x, why, learn_path(x, file, path) ? path : "");
}

int64_t learn_begin(const struct learning *x)
{
	return x->b->execs[x->step].at + x->real;
}

bool learn_is_mine(const struct learning *x, uint32_t version)
{
	while (version) {
		const struct build_version *v = &x->b->versions[version];

		if (!v->exec || !x->in[v->exec] || x->helper[v->exec])
			return false;
		if (v->made == GRAPH_WRITTEN || v->made == GRAPH_IS_SYMLINK ||
		    v->made == GRAPH_MEMORY)
			return true;
		if (v->made != GRAPH_CHANGED)
			return false;
		version = v->base;
	}
	return false;
}

bool learn_is_own(const struct learning *x, uint32_t exec)
{
	return exec && x->in[exec] && !x->helper[exec];
}
