// SPDX-License-Identifier: LGPL-2.1
/*
 * Paths through links by which programs named files: etrace-db(5), "asked".
 *
 * The kernel follows a link before "..", so the text of "l/../x" does not say where it leads.
 * Opened names are recorded as the kernel resolved them. Names that were only looked up, or not
 * found, are recorded as the program wrote them, and files_clean() removes ".." by text. This file
 * reports the removed part as the path of a directory, once for all names in it.  See state.h.
 */
#include "graph/state.h"
#include "base/hash.h"
#include "base/path.h"

#include <string.h>

#define MOST_LINKS 40	/* the kernel's limit of links that a path may follow */

/* Whether a path has a ".." behind a name: if the name is a link, ".." leads elsewhere. */
static bool path_climbs(const char *path, size_t len)
{
	const char *end = path + len;
	bool named = false;

	if (path_is_clean(path, len))
		return false;
	for (const char *at = path, *slash; at < end; at = slash + 1) {
		size_t n;

		slash = memchr(at, '/', (size_t)(end - at));
		slash = slash ? slash : end;
		n = (size_t)(slash - at);
		if (n == 2 && at[0] == '.' && at[1] == '.') {
			if (named)
				return true;
		} else if (n && !(n == 1 && *at == '.')) {
			named = true;
		}
	}
	return false;
}

/* Length of the directory part of a path: the whole path if it ends in "." or "..". */
static size_t directory_of(const char *path, size_t len)
{
	const char *slash;
	size_t n;

	while (len > 1 && path[len - 1] == '/')
		len--;
	slash = memrchr(path, '/', len);
	n = len - (size_t)(slash + 1 - path);
	if ((n == 1 && slash[1] == '.') || (n == 2 && slash[1] == '.' && slash[2] == '.'))
		return len;
	return slash == path ? 1 : (size_t)(slash - path);
}

void ways_report(struct graph *g, uint32_t file, uint32_t path, enum graph_class class)
{
	if (map64_first(&g->asked, hash_two(hash_two(path, file), class)))
		GRAPH_EMIT(g, asked, file, path, class);
}

/* The string of a path, prefixed with the current process's root directory. */
static uint32_t way_string(struct graph *g, const char *path, size_t len)
{
	path = roots_path(g, path, &len);
	return graph_string(g, path, len);
}

void ways_link(struct graph *g, uint32_t file, const char *target, size_t len)
{
	const struct object *o = &g->files.objects[files_known(g, file)];

	if (!files_known(g, file) || o->made != GRAPH_IS_SYMLINK || !len || *target != '/')
		return;
	/* the key is the version, since objects are reused */
	map64_put(&g->link_targets, o->version, g->targets.len);
	buf_add(&g->targets, target, len);
	buf_addc(&g->targets, '\0');
}

/* Where the link at g->resolved leads.  Return: NULL if the trace shows no link there now. */
static const char *target_of(struct graph *g)
{
	size_t len = g->resolved.len;
	const char *full;
	const uint64_t *at;
	uint32_t i;

	full = roots_path(g, g->resolved.s, &len);
	at = map64_get(&g->files.paths, hash_bytes(full, len));
	i = at ? files_known(g, (uint32_t)*at) : 0;
	if (!i || g->files.objects[i].made != GRAPH_IS_SYMLINK)
		return NULL;
	at = map64_get(&g->link_targets, g->files.objects[i].version);
	return at ? g->targets.s + *at : NULL;
}

/* Set g->resolved to a path, with links that the build made followed, except the last. */
static void resolve_path(struct graph *g, const char *path, size_t len)
{
	struct buf *b = &g->resolved;
	const char *end = path + len;

	b->len = 0;
	for (const char *at = path, *slash, *target; at < end; at = slash + 1) {
		slash = memchr(at, '/', (size_t)(end - at));
		slash = slash ? slash : end;
		if (slash == at || (slash == at + 1 && *at == '.'))
			continue;
		for (int i = 0; b->len && i < MOST_LINKS && (target = target_of(g)); i++) {
			b->len = 0;
			buf_adds(b, target);
		}
		if (slash == at + 2 && at[0] == '.' && at[1] == '.') {
			while (b->len && b->s[--b->len] != '/')
				;
			continue;
		}
		buf_addc(b, '/');
		buf_add(b, at, (size_t)(slash - at));
	}
	if (!b->len)
		buf_addc(b, '/');
	path_clean(b);
}

static uint32_t resolved_name(struct graph *g, const char *path, size_t len)
{
	/* the build made no links, like most builds: the text is enough */
	if (!g->targets.len)
		return files_name(g, path, len);
	resolve_path(g, path, len);
	return files_name(g, g->resolved.s, g->resolved.len);
}

static void report_asked(struct graph *g, const char *path, size_t len)
{
	uint32_t dir;

	len = directory_of(path, len);
	dir = resolved_name(g, path, len);
	ways_report(g, dir, way_string(g, path, len), GRAPH_IS_DIR);
}

uint32_t ways_asked(struct graph *g, const char *path, size_t len)
{
	if (*path != '/' || !path_climbs(path, len))
		return files_name(g, path, len);
	report_asked(g, path, len);
	return resolved_name(g, path, len);
}

/*
 * Report the other path by which a file was made or changed: only its directory if the base name
 * is the same.
 */
static void report_written(struct graph *g, uint32_t file, const char *path, size_t len,
			   const char *by, size_t by_len)
{
	size_t dir = directory_of(path, len), by_dir = directory_of(by, by_len);
	/* no slash follows the directory "/" */
	size_t name = dir + (dir > 1), by_name = by_dir + (by_dir > 1);
	bool same = len - name == by_len - by_name && !memcmp(path + name, by + by_name, len - name);
	/* call this before files_name(), which may overwrite the buffer of @by */
	uint32_t string = way_string(g, by, same ? by_dir : by_len);

	if (same)
		ways_report(g, files_name(g, path, dir), string, GRAPH_IS_DIR);
	else
		ways_report(g, file, string, GRAPH_PROBE);
}

uint32_t ways_opened(struct graph *g, const struct et_event *ev, uint32_t file, bool writes, bool dir)
{
	size_t len, n, clean_len;
	const char *path = et_get_string(ev, ET_S_OPEN_name, &len);
	const char *by = et_get_string(ev, ET_S_OPEN_orig, &n), *clean;

	if (!by || !n || *by != '/' || (n == len && !memcmp(by, path, len)))
		return 0;
	clean_len = n;
	clean = files_clean(g, by, &clean_len);
	if (clean_len == len && !memcmp(clean, path, len)) {
		if (clean != by && path_climbs(by, n))
			report_asked(g, by, n);
		return 0;
	}
	if (clean == by || !path_climbs(by, n)) {
		by = clean;
		n = clean_len;
	}
	if (writes)
		report_written(g, file, path, len, by, n);
	else if (dir)
		ways_report(g, file, way_string(g, by, n), GRAPH_IS_DIR);
	return way_string(g, by, n);
}
