// SPDX-License-Identifier: LGPL-2.1
/* Opens of files: by name, by a descriptor's path (/proc/self/fd/3), or nameless.  See state.h. */
#include "base/hash.h"
#include "base/xalloc.h"
#include "graph/classes.h"
#include "graph/state.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

/* open(2) flags on most architectures (x86, arm, riscv, powerpc, s390) */
#define F_ACCMODE	3
#define F_RDONLY	0
#define F_WRONLY	1
#define F_CREAT		0100
#define F_EXCL		0200
#define F_TRUNC		01000
#define F_DIRECTORY	0200000
#define F_CLOEXEC	02000000
#define F_PATH		010000000
#define F_TMPFILE	020000000

static struct identity identity_of(const struct et_event *ev)
{
	struct identity id = { .known = et_has(ev, ET_V_OPEN_ino) && et_has(ev, ET_V_OPEN_dev) };

	if (!id.known)
		return id;
	id.dev = (uint32_t)ev->val[ET_V_OPEN_dev];
	id.ino = (uint64_t)ev->val[ET_V_OPEN_ino];
	id.size = (uint64_t)et_value(ev, ET_V_OPEN_size, 0);
	id.mtime = et_value(ev, ET_V_OPEN_mtime, 0);
	id.type = (uint32_t)et_value(ev, ET_V_OPEN_type, S_IFREG);
	return id;
}

/* Handle what an open for writing does to a file's content (etrace-db(5), rule 3). */
static void open_to_write(struct graph *g, struct process *p, struct description *d,
			  int64_t flags, const struct identity *id, bool was_there, int64_t at)
{
	bool anew = flags & (F_TRUNC | F_EXCL) || (flags & F_CREAT && !was_there);

	d->reads = 0;
	if (!anew && (flags & F_ACCMODE) != F_WRONLY)
		d->reads = object_of(g, d)->version;
	settled_renew(g, p, d->object);
	files_renew(g, d->object, d->file, anew ? GRAPH_WRITTEN : GRAPH_CHANGED, exec_id(g, p), at,
		    id);
	d->writes = object_of(g, d)->version;
	if (anew)
		settled_made(g, d->object);
}

/* Whether a file existed before an open that may have created it. */
static bool was_there(const struct graph *g, uint32_t file, const struct identity *id)
{
	const struct name *n = &g->files.names[file];

	if (n->object)
		return true;
	return !n->gone && !(id->known && !id->size);
}

static void note_script(struct process *p, uint32_t file, const char *path, size_t len)
{
	struct execution *e = &p->exec;

	if (e->script_hash && e->script_hash == hash_bytes(path, len))
		e->script = file;
}

/* ---- without a name ---- */

/* The value of a text that is just a decimal number. Return: -1 if it is anything else */
static int64_t number_of(const char *s, size_t len)
{
	int64_t v = 0;

	if (!len || len > 9)
		return -1;
	for (size_t i = 0; i < len; i++) {
		if (s[i] < '0' || s[i] > '9')
			return -1;
		v = v * 10 + s[i] - '0';
	}
	return v;
}

struct fd *open_by_path(const struct graph *g, const struct process *p, const char *path,
			size_t len)
{
	static const char *const standard[] = { "/dev/stdin", "/dev/stdout", "/dev/stderr" };
	char own[32];
	const char *const places[] = { "/dev/fd/", "/proc/self/fd/", "/proc/thread-self/fd/", own };
	uint64_t pid = p->upid & ((1ull << g->pid_bits) - 1);

	path = path ? roots_inner(g, path, &len) : NULL;
	snprintf(own, sizeof(own), "/proc/%llu/fd/", (unsigned long long)pid);
	for (int i = 0; path && i <= 2; i++)
		if (len == strlen(standard[i]) && !memcmp(path, standard[i], len))
			return fd_get(p->fds, i);
	for (size_t i = 0; path && i < sizeof(places) / sizeof(places[0]); i++) {
		size_t n = strlen(places[i]);

		if (len > n && !memcmp(path, places[i], n))
			return fd_get(p->fds, number_of(path + n, len - n));
	}
	return NULL;
}

static const char deleted[] = " (deleted)";

static bool is_deleted(const char *path, size_t len)
{
	return len >= sizeof(deleted) &&
	       !memcmp(path + len + 1 - sizeof(deleted), deleted, sizeof(deleted) - 1);
}

/* The only open file without a name (and with @ino, unless 0).  Return: 0 if none or several */
static uint32_t only_nameless(const struct graph *g, const struct process *p, uint64_t ino)
{
	uint32_t found = 0;

	for (size_t i = 0; i < p->fds->cap; i++) {
		const struct description *d = p->fds->fds[i].d;
		const struct object *o = d ? object_of(g, d) : NULL;

		if (!o || o->made > GRAPH_CHANGED || (ino && o->ino != ino) ||
		    files_name_of(g, d->object, 0) || d->object == found)
			continue;
		if (found)
			return 0;
		found = d->object;
	}
	return found;
}

uint32_t open_linked(const struct graph *g, const struct process *p, const char *path, size_t len)
{
	const struct fd *fd = open_by_path(g, p, path, len);
	const char *sign = len ? memrchr(path, '#', len) : NULL;
	int64_t ino;

	if (fd)
		return fd->d->object;
	/* AT_EMPTY_PATH: the name is that of the descriptor, "/dir/#17 (deleted)", or none */
	if (!len)
		return only_nameless(g, p, 0);
	if (!sign || !is_deleted(path, len))
		return 0;
	ino = number_of(sign + 1, (size_t)(path + len + 1 - sizeof(deleted) - (sign + 1)));
	return ino > 0 ? only_nameless(g, p, (uint64_t)ino) : 0;
}

/* Whether a path is that of an open file whose name was removed. */
static bool is_gone(struct graph *g, const char *path, size_t len)
{
	const char *full = roots_path(g, path, &len);
	const uint64_t *file;

	if (!is_deleted(full, len))
		return false;
	file = map64_get(&g->files.paths, hash_bytes(full, len));
	return !file || !files_known(g, (uint32_t)*file);
}

/*
 * The object of an open that does not use a file's name: a new one for O_TMPFILE, else found by
 * inode (removed file) or by descriptor (/dev/fd/3).  Return: 0 if unknown, or if it uses a name
 */
static uint32_t nameless_object(struct graph *g, struct process *p, const struct et_event *ev,
				const struct identity *id, int64_t flags, int64_t at)
{
	size_t len;
	const char *path = et_get_string(ev, ET_S_OPEN_name, &len);
	bool gone = is_gone(g, path, len);
	uint32_t o = gone || !len ? files_by_ino(g, id) : 0;
	const struct fd *fd;

	if (flags & F_TMPFILE && (!id->known || S_ISREG(id->type)))
		return files_anonymous(g, GRAPH_WRITTEN, exec_id(g, p), at, id);
	if (o || !len || (*path == '/' && !gone))
		return o;
	path = et_get_string(ev, ET_S_OPEN_orig, &len);
	fd = open_by_path(g, p, path, len);
	return fd ? fd->d->object : 0;
}

/*
 * In another mount namespace, a bind mount can give files names that they do not have outside of
 * it. Without an inode number, such a name is taken for another file.
 */
static void note_unseen_name(const struct graph *g, struct process *p, const struct description *d,
			     const struct identity *id)
{
	const unsigned int others = NAME_SPECIAL | NAME_SYSTEM | NAME_LOADER | NAME_CONFIG;

	if (p->apart && !id->known && object_of(g, d)->made != GRAPH_DIR &&
	    !(files_class(g, d->file) & others))
		p->exec.unseen |= GRAPH_UNSEEN_NAMES;
}

/* Note that a process has opened a file, to write or to read it. */
static void note_open(struct graph *g, const struct process *p, struct description *d,
		      int64_t flags, int64_t number)
{
	if (flags & F_PATH)
		return;
	if ((flags & F_ACCMODE) != F_RDONLY) {
		/* writes through a mapping are not recorded, nor are all writes of an io_uring */
		object_of(g, d)->unsized |= (flags & F_ACCMODE) != F_WRONLY ||
					    p->exec.unseen & GRAPH_UNSEEN_URING;
		settled_writes(g, p, d, (flags & F_ACCMODE) != F_WRONLY);
	}
	settled_open(g, p, d, number);
}

/* Open an object again, not by a name; @flags say whether its current version is read, written. */
static void open_nameless(struct graph *g, struct process *p, uint32_t o, int64_t number,
			  int64_t flags, int64_t at)
{
	struct description *d = description_new(g, o, 0);

	if ((flags & F_ACCMODE) != F_WRONLY)
		d->reads = object_of(g, d)->version;
	if ((flags & F_ACCMODE) != F_RDONLY && object_of(g, d)->made != GRAPH_SPECIAL)
		d->writes = object_of(g, d)->version;
	note_open(g, p, d, flags, number);
	fd_open(g, p, number, d, at, flags & F_CLOEXEC);
}

/*
 * An open for reading with O_CREAT, as for a lock file, may have created the file: its mtime will
 * show.
 */
static void maybe_made(struct graph *g, struct process *p, uint32_t version, int64_t mtime)
{
	g->maybe = xgrow(g->maybe, &g->maybe_cap, g->nmaybe + 1, sizeof(*g->maybe));
	g->maybe[g->nmaybe++] = (struct maybe){ version, exec_id(g, p), mtime };
}

static struct description *open_named(struct graph *g, struct process *p, uint32_t file,
				      int64_t flags, const struct identity *id, int64_t at)
{
	bool writes = (flags & F_ACCMODE) != F_RDONLY, excl = flags & F_CREAT && flags & F_EXCL;
	bool there = was_there(g, file, id) && !(excl && !writes);
	bool creates = !there && flags & F_CREAT && !(files_class(g, file) & NAME_SPECIAL) &&
		       (!id->known || S_ISREG(id->type));
	struct identity before = *id;
	struct description *d;
	enum graph_made made;

	if (creates && (writes || excl || g->files.names[file].gone)) {
		d = description_new(g, files_create(g, file, exec_id(g, p), at, id), file);
		*(writes ? &d->writes : &d->reads) = object_of(g, d)->version;
		settled_made(g, d->object);
		return d;
	}
	before.emptied = writes && flags & F_TRUNC;
	d = description_new(g, files_at(g, file, &before), file);
	made = object_of(g, d)->made;
	if (object_of(g, d)->drained)
		files_renew(g, d->object, file, GRAPH_FIFO, exec_id(g, p), at, id);
	d->reads = (flags & F_ACCMODE) != F_WRONLY ? object_of(g, d)->version : 0;
	if (writes && made == GRAPH_FIFO)
		d->writes = object_of(g, d)->version;
	else if (writes && made <= GRAPH_CHANGED)
		open_to_write(g, p, d, flags, id, there, at);
	if (flags & F_PATH)
		d->reads = d->writes = 0;
	if (creates && d->reads)
		maybe_made(g, p, d->reads, id->mtime);
	return d;
}

void use_open(struct graph *g, struct process *p, const struct et_event *ev, int64_t at)
{
	struct identity id = identity_of(ev);
	int64_t flags = et_value(ev, ET_V_OPEN_flags, 0);
	int64_t number = et_value(ev, ET_V_OPEN_fd, -1);
	struct description *d;
	uint32_t file, o;
	const char *path;
	size_t len;

	path = et_get_string(ev, ET_S_OPEN_name, &len);
	if (!path || !et_has(ev, ET_V_OPEN_fd))
		return;
	g->uses |= id.known;
	if (!id.known && flags & F_DIRECTORY)
		id.type = S_IFDIR;
	o = nameless_object(g, p, ev, &id, flags, at);
	if (o) {
		open_nameless(g, p, o, number, flags, at);
		return;
	}
	if (!len) {
		/* open_by_handle_at(2): any file */
		fd_close(g, p->fds, number);
		p->exec.unseen |= GRAPH_UNSEEN_FD;
		return;
	}
	file = files_name(g, path, len);
	note_script(p, file, path, len);
	if (!p->exec.lowest || number < p->exec.lowest)
		p->exec.lowest = number;
	if (p->exec.starting)
		p->exec.starting = files_class(g, file) & (NAME_SHARED | NAME_LOADER);
	d = open_named(g, p, file, flags, &id, at);
	meaning_note(g, p, d, ev, flags);
	d->asked = ways_opened(g, ev, file, flags & F_ACCMODE || flags & F_CREAT,
			       object_of(g, d)->made == GRAPH_DIR);
	settled_found(g, p, d->object, id.known);
	note_unseen_name(g, p, d, &id);
	note_open(g, p, d, flags, number);
	fd_open(g, p, number, d, at, flags & F_CLOEXEC);
}

