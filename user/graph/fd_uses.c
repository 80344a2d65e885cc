// SPDX-License-Identifier: LGPL-2.1
/*
 * Which exec reads and writes which file by which descriptor: etrace-db(5), rules 1 and 3 to 7.
 * See state.h.
 *
 * If the trace records uses, they decide.  If not, an exec counts as using the descriptors that it
 * opened, and the inherited descriptors 0, 1 and 2, unless it put them there for a child
 * (assume_use()).
 */
#include "base/hash.h"
#include "graph/state.h"

#include <string.h>
#include <sys/stat.h>

/* the open(2) flag on all of Linux but alpha, parisc and sparc */
#define F_CLOEXEC	02000000

#define CLOEXEC_OF_MEMFD 1u

/* ---- rows ---- */

/* The uses that a Close or Use event reports; its values have the same meaning in both. */
struct fd_use {
	bool read, wrote, like, copied;
	uint64_t nread, nwrote, size;
	int64_t mtime;
};

/* Report that an exec used a version through a descriptor, which it has had since @since. */
static void emit_access(struct graph *g, struct graph_access *a, uint32_t version, int64_t since)
{
	a->version = version;
	a->at = since;
	GRAPH_EMIT(g, access, a);
}

/* Report that an exec read from a descriptor.  @t: how much; NULL if the trace has no counts */
static void emit_read(struct graph *g, struct process *p, const struct fd *fd, int64_t number,
		      const struct fd_use *t, int64_t at)
{
	struct description *d = fd->d;
	struct graph_access a = {
		.exec = exec_id(g, p), .file = d->file, .fd = (int32_t)number, .until = at,
		.how = GRAPH_READ, .counted = t, .bytes = t ? t->nread : 0,
		.class = (uint8_t)meaning_class(g, p, fd, t, t ? t->nread : 0),
		.since = socket_since(fd),
	};

	d->was_read = true;
	if (d->reads) {
		emit_access(g, &a, d->reads, socket_read_began(fd));
		if (d->asked)
			ways_report(g, d->file, d->asked, a.class);
	}
	/*
	 * an exec also reads what others wrote through the same description, but its own writes
	 * are no input
	 */
	if (d->writes && d->writes != d->reads && a.class != GRAPH_IS_PIPE &&
	    (!fd->own || (d->writer && d->writer != a.exec)))
		emit_access(g, &a, d->writes, fd->at);
	if (object_of(g, d)->renewal)
		renewals_report(g, fd, &a);
}

/* At a write: begin a new version, unless the open already began one. */
static void begin_write(struct graph *g, struct process *p, struct description *d, int64_t at)
{
	enum graph_made made = object_of(g, d)->made;

	if (d->writes || made == GRAPH_SPECIAL || made == GRAPH_DIR)
		return;
	settled_writes(g, p, d, true);
	files_renew(g, d->object, d->file, GRAPH_CHANGED, exec_id(g, p), at, NULL);
	d->writes = object_of(g, d)->version;
}

static void emit_write(struct graph *g, struct process *p, const struct fd *fd, int64_t number,
		       const struct fd_use *t, int64_t at)
{
	struct description *d = fd->d;
	enum graph_made made = object_of(g, d)->made;
	struct graph_access a = {
		.exec = exec_id(g, p), .file = d->file, .fd = (int32_t)number, .until = at,
		.how = GRAPH_WRITE, .counted = t, .bytes = t ? t->nwrote : 0,
		.copied = t && t->copied,
		.class = made == GRAPH_PIPE || made == GRAPH_FIFO ? GRAPH_IS_PIPE :
			 made == GRAPH_SPECIAL ? GRAPH_CONFIG : GRAPH_DATA,
	};

	begin_write(g, p, d, fd->at);
	settled_wrote(g, d->object);
	emit_access(g, &a, d->writes ? d->writes : object_of(g, d)->version,
		    socket_write_began(fd));
	if (object_of(g, d)->renewal)
		renewals_report(g, fd, &a);
	d->writer = a.exec;
}

/*
 * Report a file that was opened, but has no recorded read. It still counts as read if it
 * is empty, or if the descriptor was set up for this program: "wc -c < f" only asks for
 * its size.
 */
static void emit_unused(struct graph *g, struct process *p, const struct fd *fd, int64_t number,
			int64_t at)
{
	static const struct fd_use nothing = { .read = true };
	const struct description *d = fd->d;
	const struct object *o = object_of(g, d);
	bool empty = o->identified && !o->size && o->made <= GRAPH_CHANGED;
	struct graph_access a;

	if ((!fd->own && !fd->given) || fd->used || !d->reads || d->writes || o->made == GRAPH_PIPE)
		return;
	a = (struct graph_access){
		.exec = exec_id(g, p), .file = d->file, .fd = (int32_t)number, .until = at,
		.how = GRAPH_OPEN, .class = o->made == GRAPH_DIR ? GRAPH_IS_DIR : GRAPH_PROBE,
	};
	if (fd->given || (empty && o->made != GRAPH_DIR))
		emit_read(g, p, fd, number, &nothing, at);
	else
		emit_access(g, &a, d->reads, fd->at);
}

/* ---- if the trace records no uses ---- */

static bool fdtab_holds(const struct fdtab *t, const struct description *d)
{
	for (size_t i = 0; i < t->cap; i++)
		if (t->fds[i].d == d)
			return true;
	return false;
}

/*
 * Whether a descriptor that is closed counts as used, judged by where it came from and
 * where it goes: etrace-db(5), rules 1 and 6.
 * @replaced: an execve keeps it open, so the next program has it
 */
static bool use_assumed(const struct process *p, const struct fd *fd, int64_t number, bool replaced)
{
	const struct description *d = fd->d;
	bool standard = number <= 2;

	if (fd->lent || (replaced && (p->exec.forked || (standard && p->exec.lends))))
		return false;
	if (d->other || !d->file)
		return standard ? !fd->own || !p->exec.lends :
				  fd->own && !d->placed &&
				  (!d->other || !fdtab_holds(p->fds, d->other));
	return fd->own || standard;
}

static void assume_use(struct graph *g, struct process *p, struct fd *fd, int64_t number,
		       bool replaced, int64_t at)
{
	const struct description *d = fd->d;

	if (fd->used || !use_assumed(p, fd, number, replaced))
		return;
	if (d->reads)
		emit_read(g, p, fd, number, NULL, at);
	if (d->writes)
		emit_write(g, p, fd, number, NULL, at);
	fd->used = true;
}

/* ---- what calls do ---- */

static void take_use(struct graph *g, struct process *p, struct fd *fd, int64_t number,
		     const struct fd_use *t, int64_t at)
{
	struct object *o = &g->files.objects[fd->d->object];

	if (t->read)
		emit_read(g, p, fd, number, t, at);
	if (t->read && fd->d->place)
		socket_read(g, p, fd, number, at);
	if (t->wrote)
		emit_write(g, p, fd, number, t, at);
	if (fd->d->socket && !o->met)
		p->exec.unseen |= (t->read ? GRAPH_UNSEEN_SOCKET : 0) |
				  (t->wrote && !fd->d->within ? GRAPH_UNSEEN_SENT : 0);
	if (t->nread && files_class(g, fd->d->file) & NAME_DEVICE)
		p->exec.unseen |= GRAPH_UNSEEN_FD;
	o->unsized |= t->wrote;
	if (t->wrote && t->like) {
		o->size = t->size;
		o->mtime = t->mtime;
		o->unsized = false;
		settling_sized(g, fd->d->object);
		if (fd->d->writes)
			GRAPH_EMIT(g, grown, fd->d->writes, t->size, t->mtime);
	} else if (t->wrote && fd->d->writes && o->identified) {
		GRAPH_EMIT(g, unsized, fd->d->writes);
	}
	fd->used |= t->read || t->wrote;
}

/*
 * A descriptor of unknown origin: what was read from it came from outside the trace.  But eventfd,
 * timerfd, inotify and the like carry no data. The calls that create them are not recorded. They
 * are recognized by their numbers, which are above the lowest one that an open returned (open
 * returns the lowest free number), and by reads of 8 bytes each. If it was also written, as an
 * eventfd may be, then 8 bytes at a time, and at least as many bytes as were read.
 */
static void take_unknown(struct process *p, int64_t number, const struct fd_use *t)
{
	bool since = number > 2 && p->exec.lowest && number >= p->exec.lowest;
	bool by_eights = t->nread && t->nread % 8 == 0 &&
			 (!t->wrote || (t->nwrote % 8 == 0 && t->nread <= t->nwrote));

	if (t->read && !(since && by_eights))
		p->exec.unseen |= GRAPH_UNSEEN_FD;
}

void use_close(struct graph *g, struct process *p, const struct et_event *ev, int64_t at)
{
	int64_t number = et_value(ev, ET_V_CLOSE_fd, -1);
	struct fd *fd = fd_get(p->fds, number);
	const struct fd_use t = {
		.read = et_has(ev, ET_V_CLOSE_read), .wrote = et_has(ev, ET_V_CLOSE_wrote),
		.nread = (uint64_t)et_value(ev, ET_V_CLOSE_read, 0),
		.nwrote = (uint64_t)et_value(ev, ET_V_CLOSE_wrote, 0),
		.like = et_has(ev, ET_V_CLOSE_size),
		.copied = et_value(ev, ET_V_CLOSE_copied, 0),
		.size = (uint64_t)et_value(ev, ET_V_CLOSE_size, 0),
		.mtime = et_value(ev, ET_V_CLOSE_mtime, 0),
	};

	g->uses |= t.read || t.wrote;
	/* a new descriptor already has this number; a Use event was about the closed one */
	if (et_value(ev, ET_V_CLOSE_reused, 0))
		return;
	if (!fd) {
		take_unknown(p, number, &t);
		return;
	}
	socket_event_of(fd, ev->upid);
	take_use(g, p, fd, number, &t, at);
	if (!g->uses)
		assume_use(g, p, fd, number, false, at);
	else
		emit_unused(g, p, fd, number, at);
	settled_close(g, p, fd);
	fd_close(g, p->fds, number);
}

void use_use(struct graph *g, struct process *p, const struct et_event *ev, int64_t at)
{
	int64_t number = et_value(ev, ET_V_USE_fd, -1);
	struct fd *fd = fd_get(p->fds, number);
	const struct fd_use t = {
		.read = et_has(ev, ET_V_USE_read), .wrote = et_has(ev, ET_V_USE_wrote),
		.nread = (uint64_t)et_value(ev, ET_V_USE_read, 0),
		.nwrote = (uint64_t)et_value(ev, ET_V_USE_wrote, 0),
		.like = et_has(ev, ET_V_USE_size),
		.copied = et_value(ev, ET_V_USE_copied, 0),
		.size = (uint64_t)et_value(ev, ET_V_USE_size, 0),
		.mtime = et_value(ev, ET_V_USE_mtime, 0),
	};

	g->uses = true;
	if (!fd) {
		take_unknown(p, number, &t);
		return;
	}
	socket_event_of(fd, ev->upid);
	take_use(g, p, fd, number, &t, at);
	socket_event_done(fd, at);
}

void use_dup(struct graph *g, struct process *p, const struct et_event *ev, int64_t at)
{
	int64_t oldfd = et_value(ev, ET_V_DUP_oldfd, -1), newfd = et_value(ev, ET_V_DUP_newfd, -1);
	struct fd *from = fd_get(p->fds, oldfd), *to = fd_get(p->fds, newfd);
	struct fd copy;

	if (oldfd == newfd)
		return;
	if (to && !g->uses)
		assume_use(g, p, to, newfd, false, at);
	else if (to)
		emit_unused(g, p, to, newfd, at);
	if (to)
		settled_close(g, p, to);
	if (!from) {
		fd_close(g, p->fds, newfd);
		return;
	}
	from->d->refs++;
	from->d->placed |= newfd <= 2;
	copy = *from;
	from->used = true;
	to = fd_open(g, p, newfd, copy.d, copy.at,
		 et_value(ev, ET_V_DUP_flags, 0) & F_CLOEXEC);
	if (to) {
		to->own = copy.own;
		to->given = copy.given;
	}
}

void use_copy(struct graph *g, struct process *p, const struct et_event *ev, int64_t at)
{
	const struct fd *in = fd_get(p->fds, et_value(ev, ET_V_COPY_in, -1));
	const struct fd *out = fd_get(p->fds, et_value(ev, ET_V_COPY_out, -1));
	uint32_t from = 0;

	if (in) {
		from = renewal_last(g, in->d);
		if (!from)
			from = in->d->reads ? in->d->reads : in->d->writes;
		/* a program that copies a file reads it as data, whatever its name is */
		in->d->named = true;
	}
	if (!out)
		return;
	begin_write(g, p, out->d, out->at);
	object_of(g, out->d)->unsized = true;
	if (out->d->writes)
		GRAPH_EMIT(g, copy, exec_id(g, p), from, out->d->writes, at);
}

void use_pipe(struct graph *g, struct process *p, const struct et_event *ev, int64_t at)
{
	uint32_t o = files_anonymous(g, GRAPH_PIPE, exec_id(g, p), at, NULL);
	struct description *in = description_new(g, o, 0), *out = description_new(g, o, 0);
	bool cloexec = et_value(ev, ET_V_PIPE_flags, 0) & F_CLOEXEC;

	in->reads = out->writes = object_of(g, in)->version;
	in->other = out;
	out->other = in;
	fd_open(g, p, et_value(ev, ET_V_PIPE_fd1, -1), in, at, cloexec);
	fd_open(g, p, et_value(ev, ET_V_PIPE_fd2, -1), out, at, cloexec);
}

void use_memfd(struct graph *g, struct process *p, const struct et_event *ev, int64_t at)
{
	uint32_t o = files_anonymous(g, GRAPH_MEMORY, exec_id(g, p), at, NULL);
	struct description *d = description_new(g, o, 0);

	d->writes = object_of(g, d)->version;
	fd_open(g, p, et_value(ev, ET_V_MEMFD_fd, -1), d, at,
	    et_value(ev, ET_V_MEMFD_flags, 0) & CLOEXEC_OF_MEMFD);
}

void use_received(struct graph *g, struct process *p, const struct et_event *ev, int64_t at)
{
	int64_t number = et_value(ev, ET_V_RECEIVED_fd, -1);
	struct description *d;
	uint32_t file;
	size_t len;
	const char *path = et_get_string(ev, ET_S_RECEIVED_path, &len);

	fd_close(g, p->fds, number);
	/* "pipe:[77]": unknown which pipe of the trace this is */
	if (!len || *path != '/')
		return;
	file = files_name(g, path, len);
	d = description_new(g, files_at(g, file, NULL), file);
	d->reads = object_of(g, d)->version;
	/* unknown whether it is writable: assume so */
	settled_writes(g, p, d, true);
	fd_open(g, p, number, d, at, et_value(ev, ET_V_RECEIVED_cloexec, 0));
}

void use_cloexec(struct graph *g, struct process *p, const struct et_event *ev, int64_t at)
{
	uint64_t first = (uint64_t)et_value(ev, ET_V_CLOEXEC_first, 0);
	uint64_t last = (uint64_t)et_value(ev, ET_V_CLOEXEC_last, 0);

	(void)g;
	(void)at;
	for (; first <= last && first < p->fds->cap; first++)
		p->fds->fds[first].cloexec = et_value(ev, ET_V_CLOEXEC_on, 0);
}

void use_truncate(struct graph *g, struct process *p, const struct et_event *ev, int64_t at)
{
	int64_t number = et_value(ev, ET_V_TRUNCATE_fd, -1);
	struct fd *fd = fd_get(p->fds, number), by_name = { .own = true, .at = at };
	enum graph_made made;
	size_t len;
	const char *path = et_get_string(ev, ET_S_TRUNCATE_path, &len);
	uint32_t file, o;

	if (fd) {
		emit_write(g, p, fd, number, NULL, at);
		fd->used = true;
		return;
	}
	if (!len || *path != '/')
		return;
	file = files_name(g, path, len);
	o = files_at(g, file, NULL);
	made = et_value(ev, ET_V_TRUNCATE_size, 0) ? GRAPH_CHANGED : GRAPH_WRITTEN;
	settled_renew(g, p, o);
	by_name.d = description_new(g, o, file);
	files_renew(g, o, file, made, exec_id(g, p), at, NULL);
	by_name.d->writes = g->files.objects[o].version;
	emit_write(g, p, &by_name, -1, NULL, at);
	settled_writes(g, p, by_name.d, false);
	description_drop(g, by_name.d);
}

void use_list(struct graph *g, struct process *p, const struct et_event *ev, int64_t at)
{
	const struct identity dir = { .type = S_IFDIR };
	struct graph_access a = { .how = GRAPH_LIST, .class = GRAPH_IS_DIR, .fd = -1, .at = at };
	uint32_t o;
	size_t len;
	const char *path = et_get_string(ev, ET_S_GETDENTS_path, &len);

	if (!len)
		return;
	a.file = files_name(g, path, len);
	o = files_at(g, a.file, &dir);
	a.version = g->files.objects[o].version;
	a.exec = exec_id(g, p);
	a.until = at;
	GRAPH_EMIT(g, access, &a);
}

void use_name(struct graph *g, struct process *p, const struct et_event *ev, int64_t at)
{
	bool misses = ev->kind == ET_K_OPEN_FAILED || ev->kind == ET_K_EXEC_FAILED ||
		      ev->flags & ET_F_FAILED;
	struct graph_access a = {
		.how = misses ? GRAPH_MISS : GRAPH_LOOK, .class = GRAPH_PROBE, .fd = -1,
		.error = ev->error, .at = at, .until = at,
	};
	uint32_t o;
	size_t len;
	const char *path = et_get_string(ev, 0, &len);	/* their first string is the name */

	if (!len)
		return;
	a.file = ways_asked(g, path, len);
	if (!misses) {
		o = files_at(g, a.file, NULL);
		a.version = g->files.objects[o].version;
	}
	a.exec = exec_id(g, p);
	GRAPH_EMIT(g, access, &a);
}

static void run_one(struct graph *g, struct process *p, uint32_t file, const struct identity *id,
		    int64_t at)
{
	uint32_t o = files_at(g, file, id);
	const struct graph_access a = {
		.exec = p->exec.id, .file = file, .how = GRAPH_RUN, .class = GRAPH_PROGRAM,
		.version = g->files.objects[o].version,
		.fd = -1, .at = at, .until = at,
	};

	GRAPH_EMIT(g, access, &a);
	settled_found(g, p, o, id && id->known);
	settled_run(g, o);
}

void use_run(struct graph *g, struct process *p, const struct et_event *ev, int64_t at)
{
	const struct execution *e = &p->exec;
	/* identity of the program, or of the interpreter if it is a script */
	const struct identity id = {
		.known = et_has(ev, ET_V_EXEC_ino) && et_has(ev, ET_V_EXEC_dev),
		.dev = (uint32_t)et_value(ev, ET_V_EXEC_dev, 0),
		.ino = (uint64_t)et_value(ev, ET_V_EXEC_ino, 0),
		.size = (uint64_t)et_value(ev, ET_V_EXEC_size, 0),
		.mtime = et_value(ev, ET_V_EXEC_mtime, 0), .type = S_IFREG,
	};

	if (e->program)
		run_one(g, p, e->program, e->program == e->interp ? &id : NULL, at);
	if (e->interp && e->interp != e->program)
		run_one(g, p, e->interp, &id, at);
}

/* ---- processes ---- */

/* Reset the times of a descriptor's uses: another exec has it from now on. */
static void begin_fd(struct fd *fd, int64_t at)
{
	fd->at = at;
	fd->last_task = 0;
	fd->several = false;
}

void use_fork(struct graph *g, struct process *parent, struct process *child, bool shared,
	      int64_t at)
{
	if (!g->uses && parent->exec.lends)
		for (int64_t i = 0; i <= 2; i++) {
			struct fd *fd = fd_get(parent->fds, i);

			if (fd)
				fd->lent = true;
		}
	settled_fork(g, parent, child);
	if (shared) {
		parent->fds->refs++;
		child->fds = parent->fds;
		return;
	}
	child->fds = fdtab_copy(parent->fds);
	for (size_t i = 0; i < child->fds->cap; i++)
		begin_fd(&child->fds->fds[i], at);
}

void use_before_exec(struct graph *g, struct process *p, int64_t at)
{
	struct fdtab *old = p->fds;

	if (old->refs > 1) {
		p->fds = fdtab_copy(old);
		fdtab_drop(g, old);
	}
	for (size_t i = 0; i < p->fds->cap; i++) {
		struct fd *fd = &p->fds->fds[i];

		if (!fd->d)
			continue;
		if (!g->uses)
			assume_use(g, p, fd, (int64_t)i, !fd->cloexec, at);
		else
			emit_unused(g, p, fd, (int64_t)i, at);
		if (fd->cloexec)
			fd_close(g, p->fds, (int64_t)i);
	}
}

/*
 * Note whether the standard input of a new program is a file that was meant for it, as when this
 * process opened it. If the parent did (a shell that uses vfork), emit_heir() decides: the file was
 * meant for the program if no other one started with it, apart from the program's parent and
 * predecessor, and nothing read it.
 */
static void inherit_fd(struct graph *g, const struct execution *e, struct fd *fd, int64_t at)
{
	struct description *d = fd->d;

	fd->given = false;
	if (!d || !g->uses || !d->reads || d->writes || object_of(g, d)->made > GRAPH_CHANGED)
		return;
	fd->given = fd->placed;
	if (fd->placed)
		return;
	d->many_heirs |= d->heir && d->heir != e->parent && d->heir != e->before;
	d->heir = e->id;
	d->heir_at = at;
}

void use_after_exec(struct graph *g, struct process *p, int64_t at)
{
	for (size_t i = 0; i < p->fds->cap; i++) {
		struct fd *fd = &p->fds->fds[i];

		begin_fd(fd, at);
		fd->own = fd->used = fd->lent = false;
		if (fd->d && i <= 2)
			fd->d->placed = true;
	}
	if (fd_get(p->fds, 0))
		inherit_fd(g, &p->exec, &p->fds->fds[0], at);
}

void use_end(struct graph *g, struct process *p, int64_t at)
{
	/* if the table is shared, it is too early to say what stays unused */
	for (size_t i = 0; p->fds->refs == 1 && i < p->fds->cap; i++) {
		struct fd *fd = &p->fds->fds[i];

		if (!fd->d)
			continue;
		if (!g->uses)
			assume_use(g, p, fd, (int64_t)i, false, at);
		else
			emit_unused(g, p, fd, (int64_t)i, at);
	}
	fdtab_drop(g, p->fds);
	p->fds = NULL;
}
