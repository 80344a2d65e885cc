// SPDX-License-Identifier: LGPL-2.1
/*
 * Other paths than their own by which programs named files: etrace-db(5), "asked".
 *
 * The kernel follows a link before "..", so where "l/../x" leads does not follow from its text.  Names
 * that were opened are recorded as the kernel resolved them.  Those that were only looked at, or not
 * found, are recorded as the program wrote them, and files_clean() removes ".." by text.  So what was
 * removed is reported here, as the path of a directory: once for all names in it.  See state.h.
 */
#include "graph/state.h"
#include "base/hash.h"
#include "base/path.h"

#include <string.h>

/* Whether ".." stands behind a name: it leads elsewhere if that is a link. */
static bool climbs(const char *path, size_t len)
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

/* Length of the directory's part of a path: all of it if it ends in "." or "..". */
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

/* A path in the present root, as a string. */
static uint32_t way_string(struct graph *g, const char *path, size_t len)
{
	path = roots_path(g, path, &len);
	return graph_string(g, path, len);
}

void ways_asked(struct graph *g, const char *path, size_t len)
{
	uint32_t dir;

	if (!len || *path != '/' || !climbs(path, len))
		return;
	len = directory_of(path, len);
	dir = files_name(g, path, len);
	ways_report(g, dir, way_string(g, path, len), GRAPH_IS_DIR);
}

/* A file is made or changed by another path: report that of its directory, if that says it all. */
static void report_written(struct graph *g, uint32_t file, const char *path, size_t len,
			   const char *by, size_t by_len)
{
	size_t dir = directory_of(path, len), by_dir = directory_of(by, by_len);
	/* behind "/" there is no other slash */
	size_t name = dir + (dir > 1), by_name = by_dir + (by_dir > 1);
	bool same = len - name == by_len - by_name && !memcmp(path + name, by + by_name, len - name);
	/* before files_name(), which may use the buffer that @by is in */
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
		ways_asked(g, by, n);
		return 0;
	}
	if (!climbs(by, n)) {
		by = clean;
		n = clean_len;
	}
	if (writes)
		report_written(g, file, path, len, by, n);
	else if (dir)
		ways_report(g, file, way_string(g, by, n), GRAPH_IS_DIR);
	return way_string(g, by, n);
}
