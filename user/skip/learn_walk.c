// SPDX-License-Identifier: GPL-2.0
/* Follows a path through links and "..", and checks that it still leads there.  See learning.h. */
#include "skip/learning.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#define MOST_LINKS 40	/* the kernel's limit of links that a path may follow */

/* @target: target of a link; NULL if not a link */
static bool check_part(struct learning *x, const struct learn_walk *w, const char *path,
		       const char *target)
{
	uint32_t file = build_find(x->b, path, strlen(path));
	const uint64_t *moved = file ? map64_get(&x->moved, file) : NULL;
	struct stat st;

	if (file && x->touched[file] == 1)
		return learn_refuse(x, "it used a name behind a link that it made or moved", path);
	if (!w->now || (file && x->touched[file]))
		return true;
	if ((moved && (int64_t)*moved >= x->b->execs[x->step].at) ||
	    (target && (lstat(path, &st) || timespec_ns(&st.st_ctim) >= learn_begin(x))))
		return learn_refuse(x, "a link or directory on the way was changed later", path);
	return true;
}

/* Follow one component of a path, in @at. */
static bool walk_part(struct learning *x, struct learn_walk *w, const char *at, bool last)
{
	uint32_t file = build_find(x->b, at, strlen(at));
	char target[PATH_MAX], to[2 * PATH_MAX];
	ssize_t n = readlink(at, target, sizeof(target) - 1);
	const char *slash = strrchr(at, '/');

	if (last && (n <= 0 || (file && x->touched[file])))
		return true;
	w->own |= file && x->touched[file] == 2;
	w->links |= n > 0;
	target[n > 0 ? n : 0] = '\0';
	if (!map64_first(&x->parts, hash_two(hash_bytes(at, strlen(at)), w->now)) && !w->all)
		return true;
	if (!check_part(x, w, at, n > 0 ? target : NULL))
		return false;
	if (n <= 0)
		return true;
	if (w->depth >= MOST_LINKS)
		return learn_refuse(x, "a link leads to itself", at);
	snprintf(to, sizeof(to), "%.*s%s", *target == '/' ? 0 : (int)(slash + 1 - at), at, target);
	w->depth++;
	return learn_walk(x, w, to);
}

bool learn_walk(struct learning *x, struct learn_walk *w, const char *path)
{
	char at[2 * PATH_MAX] = "", *real;
	size_t len = 0, n;

	for (const char *s = path; *s; s += n) {
		s += strspn(s, "/");
		n = strcspn(s, "/");
		if (!n || (n == 1 && *s == '.'))
			continue;
		if (n == 2 && s[0] == '.' && s[1] == '.') {
			real = realpath(len ? at : "/", NULL);
			if (!real)
				return !w->now || learn_refuse(x, "a directory on the way is gone", at);
			*strrchr(real, '/') = '\0';
			len = (size_t)snprintf(at, sizeof(at), "%s", real);
			free(real);
			continue;
		}
		if (len + n + 2 > sizeof(at))
			return learn_refuse(x, "a name is too long", "");
		at[len++] = '/';
		memcpy(at + len, s, n);
		len += n;
		at[len] = '\0';
		if (!walk_part(x, w, at, !s[n + strspn(s + n, "/")]))
			return false;
	}
	return true;
}

bool learn_way(struct learning *x, const char *path, bool now)
{
	struct learn_walk w = { .now = now };

	return learn_walk(x, &w, path);
}
