// SPDX-License-Identifier: LGPL-2.1
/* Numbers of paths.  See state.h. */
#include "graph/classes.h"
#include "graph/state.h"
#include "base/hash.h"
#include "base/path.h"
#include "base/xalloc.h"

const char *files_clean(struct graph *g, const char *path, size_t *len)
{
	if (!*len || *path != '/' || path_is_clean(path, *len))
		return path;
	if (path != g->path.s) {
		g->path.len = 0;
		buf_add(&g->path, path, *len);
	}
	path_clean(&g->path);
	*len = g->path.len;
	return g->path.s;
}

static void class_name(struct graph *g, struct name *name, const char *path, size_t len)
{
	path = roots_inner(g, path, &len);
	name->class = classes_of_name(path, len);
	name->roots = g->nroots;
}

uint32_t files_number(struct graph *g, const char *path, size_t len)
{
	struct files *f = &g->files;
	uint64_t *at = map64_at(&f->paths, hash_bytes(path, len));
	uint32_t file = (uint32_t)(*at ? *at : f->paths.n);

	if (!*at) {
		*at = file;
		f->names = xgrow(f->names, &f->names_cap, file + 1, sizeof(*f->names));
		/* row 0 means no path */
		if (file == 1)
			f->names[0] = (struct name){ 0 };
		f->names[file] = (struct name){ 0 };
		class_name(g, &f->names[file], path, len);
		GRAPH_EMIT(g, file, file, path, len);
	} else if (f->names[file].roots != g->nroots) {
		/* files of an image are often put in place before a program uses it as its root */
		class_name(g, &f->names[file], path, len);
	}
	return file;
}

unsigned int files_class(const struct graph *g, uint32_t file)
{
	return g->files.names[file].class.bits;
}

uint32_t files_known(const struct graph *g, uint32_t file)
{
	return g->files.names[file].object;
}
