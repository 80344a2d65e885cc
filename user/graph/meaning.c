// SPDX-License-Identifier: LGPL-2.1
/* Why a file is read: etrace-db(5), rule 7.  See state.h. */
#include "base/bytes.h"
#include "graph/classes.h"
#include "graph/state.h"

/* the open(2) flags on most architectures of Linux */
#define F_CLOEXEC	02000000
#define F_NOFOLLOW	0400000

/* ---- when it is opened ---- */

/*
 * Whether a program was asked to open a system file: its arguments name the file, or a directory
 * above it. A directory does not count for files that the C library opens in it.
 */
static bool is_named(const struct graph *g, const struct execution *e, const struct et_event *ev,
		     int64_t flags, size_t place)
{
	bool libc = flags & F_CLOEXEC && e->loaded && !e->interpreter;
	size_t len, n;
	const char *path = et_get_string(ev, ET_S_OPEN_name, &len);
	const char *asked = et_get_string(ev, ET_S_OPEN_orig, &n);

	path = roots_inner(g, path, &len);
	asked = asked ? roots_inner(g, asked, &n) : NULL;
	if (cmdline_names(e->cmd, path, len, place && !libc ? place : len))
		return true;
	/* skip the path that the program passed if it is the same, as usual */
	return asked && !(n == len && bytes_equal(asked, path, n)) &&
	       cmdline_names(e->cmd, asked, n, n);
}

/*
 * Why a system file is opened. The C library, the loader and interpreters open their own files by
 * paths that no argument names; a program that walks a tree opens what it finds with O_NOFOLLOW.
 */
void meaning_note(struct graph *g, struct process *p, struct description *d,
		  const struct et_event *ev, int64_t flags)
{
	struct execution *e = &p->exec;
	struct name_class c = g->files.names[d->file].class;
	size_t len, place = c.place;
	const char *path = et_get_string(ev, ET_S_OPEN_name, &len);

	if (e->interpreter && e->cmd && !place) {
		path = roots_inner(g, path, &len);
		place = classes_library(e->interpreter, e->cmd->interp, e->cmd->cwd, path, len);
		d->library = place;
	}
	if (!place && !(c.bits & NAME_SHARED) && d->file != e->program && d->file != e->interp)
		return;
	d->named = flags & F_NOFOLLOW || (c.bits & NAME_CLOEXEC && !(flags & F_CLOEXEC)) ||
		   is_named(g, e, ev, flags, place);
	if (!(c.bits & NAME_LOADER))
		return;
	d->loads = !d->named || !e->loaded;
	e->loaded = true;
}

/* ---- when it has been read ---- */

/*
 * Whether the dynamic loader did the reading: it reads only the header of a shared object, and
 * maps the rest.  Without counts: a shared object that is opened before any other file.
 */
static bool is_loader(const struct graph *g, const struct process *p, const struct fd *fd,
		      bool counted, uint64_t bytes)
{
	const struct description *d = fd->d;
	const struct object *o = object_of(g, d);
	unsigned int name = files_class(g, d->file);

	if (!fd->own || d->loads)
		return d->loads;
	if (!counted)
		return name & NAME_SHARED && p->exec.starting && !d->named;
	if (bytes < LOADER_READS_FROM || bytes >= LOADER_READS_BELOW ||
	    (o->identified && bytes >= o->size))
		return false;
	if (classes_is_header(bytes, name & NAME_SHARED))
		return !d->named || name & NAME_SYSTEM;
	return name & NAME_SHARED && p->exec.starting && !d->named;
}

enum graph_class meaning_class(const struct graph *g, const struct process *p,
			       const struct fd *fd, bool counted, uint64_t bytes)
{
	const struct description *d = fd->d;
	const struct execution *e = &p->exec;
	enum graph_made made = object_of(g, d)->made;

	if (made == GRAPH_PIPE || made == GRAPH_FIFO)
		return GRAPH_IS_PIPE;
	if (made == GRAPH_DIR)
		return GRAPH_IS_DIR;
	if (made == GRAPH_SPECIAL)
		return GRAPH_CONFIG;
	if (!d->file)
		return GRAPH_DATA;
	if (d->file == e->script || (d->file == e->program && e->interp != e->program) ||
	    (!d->named && (d->file == e->program || d->file == e->interp)))
		return GRAPH_PROGRAM;
	if (is_loader(g, p, fd, counted, bytes))
		return GRAPH_LOADER;
	/*
	 * a file that the build made, or set up as a program's standard input, is data, whatever
	 * its name
	 */
	if (d->named || !fd->own || d->placed || made != GRAPH_EXISTED)
		return GRAPH_DATA;
	if (d->library)
		return GRAPH_PROGRAM;
	return files_class(g, d->file) & NAME_CONFIG ? GRAPH_CONFIG : GRAPH_DATA;
}
