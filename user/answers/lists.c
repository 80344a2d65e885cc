// SPDX-License-Identifier: LGPL-2.1
/* Stores the files that rules and depfiles name, and which belong together.  See lists.h. */
#include "answers/lists.h"
#include "answers/answers.h"
#include "base/hash.h"
#include "base/path.h"
#include "base/xalloc.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

bool lists_map(struct lists *l, const char *map)
{
	const char *sign = strchr(map, '=');
	struct buf from = { 0 }, to = { 0 };
	char *now;

	if (!sign || sign == map || sign[1] != '/') {
		diag_fatal(l->diag, "--map %s: must be NOW=THEN, with an absolute path THEN", map);
		return false;
	}
	now = xstrndup(map, (size_t)(sign - map));
	answers_path(&from, now);
	answers_path(&to, sign + 1);
	buf_addc(&from, 0);
	buf_addc(&to, 0);
	l->from = from.s;
	l->to = to.s;
	free(now);
	return true;
}

void lists_free(struct lists *l)
{
	for (size_t i = 1; i <= l->n; i++)
		free(l->nodes[i].path);
	for (size_t i = 1; i <= l->ngroups; i++)
		free(l->groups[i].nodes);
	free(l->nodes);
	free(l->groups);
	free(l->from);
	free(l->to);
	map64_clear(&l->by_path);
}

uint32_t lists_find(const struct lists *l, const char *path, size_t len)
{
	uint64_t *at = map64_get(&l->by_path, hash_bytes(path, len));

	return at ? (uint32_t)*at : 0;
}

void lists_then(const struct lists *l, const char *now, struct buf *to)
{
	struct buf b = { 0 };

	answers_path(&b, now);
	answers_moved(to, b.s, b.len, l->from, l->to);
	buf_free(&b);
}

bool lists_is_there(const struct lists *l, uint32_t node)
{
	struct buf now = { 0 };
	bool there;

	answers_moved(&now, l->nodes[node].path, l->nodes[node].len, l->to, l->from);
	buf_addc(&now, '\0');
	there = !faccessat(AT_FDCWD, now.s, F_OK, AT_SYMLINK_NOFOLLOW);
	buf_free(&now);
	return there;
}

uint32_t lists_node(struct lists *l, const char *dir, const char *path, size_t len)
{
	struct buf b = { 0 };
	uint32_t node;

	if (!len || *path != '/') {
		buf_adds(&b, dir);
		buf_addc(&b, '/');
	}
	buf_add(&b, path, len);
	path_clean(&b);
	node = lists_find(l, b.s, b.len);
	if (node) {
		buf_free(&b);
		return node;
	}
	l->nodes = xgrow(l->nodes, &l->cap, l->n + 2, sizeof(*l->nodes));
	l->n++;
	node = (uint32_t)l->n;
	map64_put(&l->by_path, hash_bytes(b.s, b.len), node);
	buf_addc(&b, 0);
	l->nodes[node] = (struct lists_node){ .path = b.s, .len = b.len - 1 };
	return node;
}

uint32_t lists_group_new(struct lists *l)
{
	l->groups = xgrow(l->groups, &l->groups_cap, l->ngroups + 2, sizeof(*l->groups));
	l->groups[++l->ngroups] = (struct lists_group){ 0 };
	return (uint32_t)l->ngroups;
}

void lists_group_add(struct lists *l, uint32_t group, uint32_t node)
{
	struct lists_group *g = &l->groups[group];

	g->nodes = xgrow(g->nodes, &g->cap, g->n + 1, sizeof(*g->nodes));
	g->nodes[g->n++] = node;
	l->nodes[node].input = true;
}

bool lists_text(const char *path, struct buf *to)
{
	/* O_NONBLOCK: it may be a FIFO */
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK), e = 0;
	struct stat st;
	ssize_t n = 0;

	if (fd < 0)
		return false;
	to->len = 0;
	if (fstat(fd, &st))
		e = errno;
	else if (!S_ISREG(st.st_mode))
		e = S_ISDIR(st.st_mode) ? EISDIR : EINVAL;
	while (!e && (n = read(fd, buf_room(to, 1 << 16), 1 << 16)) > 0)
		to->len += (size_t)n;
	e = n < 0 ? errno : e;
	close(fd);
	buf_addc(to, 0);
	to->len--;
	errno = e;
	return !e;
}
