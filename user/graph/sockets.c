// SPDX-License-Identifier: LGPL-2.1
/*
 * Sockets between traced programs: each of the two directions is like a pipe.  See state.h.
 *
 * The two ends of a connection are recorded by two events, in either order.  They belong
 * together if both have the inode number of the connecting socket.  If one has none (a log
 * of strace, or the connecting end was closed before it was accepted), a socket is taken to
 * accept those that connect to its name, in their order; connections of which only the name
 * is known share their data while several of them wait.  That is a guess, because processes
 * that are not traced may connect, too: so such ends are reported as leading outside the
 * trace, as are all ends without a partner.
 */
#include "base/hash.h"
#include "base/path.h"
#include "base/xalloc.h"
#include "graph/state.h"

#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

/* A connection whose other end is awaited; or several at one name that look alike. */
struct meeting {
	uint32_t there, back;	/* objects: data from the connecting end, and to it */
	uint32_t place;		/* number of the place where it waits, 0 if none */
	uint32_t next;		/* row of the one before it there, or next free row; 0 if none */
	uint64_t ino;		/* of the connecting socket, 0 if unknown */
	int32_t n;		/* how many have connected; below 0, how many have accepted */
};

/* A socket with a name. */
struct place {
	uint64_t name;		/* hash of it */
	uint32_t last;		/* row of the last that waits, 0 if none */
};

/*
 * Daemons that the C library asks for names of users and hosts, or sends log messages to:
 * like configuration files, they are not data.
 */
static bool is_service(const char *address, size_t len)
{
	static const char *const places[] = {
		"/run/systemd/", "/var/run/systemd/", "/run/nscd/", "/var/run/nscd/", "/dev/log",
	};

	for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); i++)
		if (len >= strlen(places[i]) && !memcmp(address, places[i], strlen(places[i])))
			return true;
	return false;
}

/* One end: it writes into one object and reads what is in another. */
static struct description *put_end(struct graph *g, struct process *p, int64_t number,
				   uint32_t out, uint32_t in, int64_t at, bool cloexec)
{
	struct description *d = description_new(g, out, 0);

	d->socket = true;
	d->writes = g->files.objects[out].version;
	d->reads = g->files.objects[in].version;
	return use_put(g, p, number, d, at, cloexec) ? d : NULL;
}

static uint32_t new_way(struct graph *g, struct process *p, int64_t at)
{
	uint32_t o = files_anonymous(g, GRAPH_PIPE, exec_id(g, p), at, NULL);

	files_hold(g, o);
	return o;
}

static void sockets_met(struct graph *g, uint32_t there, uint32_t back)
{
	g->files.objects[there].met = g->files.objects[back].met = true;
}

void socket_pair(struct graph *g, struct process *p, const struct et_event *ev, int64_t at)
{
	uint32_t there = new_way(g, p, at), back = new_way(g, p, at);
	bool cloexec = et_value(ev, ET_V_SOCKETPAIR_type, 0) & SOCK_CLOEXEC;

	put_end(g, p, et_value(ev, ET_V_SOCKETPAIR_fd1, -1), there, back, at, cloexec);
	put_end(g, p, et_value(ev, ET_V_SOCKETPAIR_fd2, -1), back, there, at, cloexec);
	sockets_met(g, there, back);
	files_release(g, there);
	files_release(g, back);
}

/* ---- places ---- */

/* The hash of an absolute path. */
static uint64_t path_hash(struct graph *g, const char *path, size_t len)
{
	const char *full = roots_path(g, path, &len);

	return hash_bytes(full, len);
}

/* The hash of a name of a unix socket: a path is made absolute.  Return: 0 if it has none */
static uint64_t name_hash(struct graph *g, const struct process *p, const char *name, size_t len)
{
	const char *cwd = p->cwd ? p->cwd : p->exec.cmd ? p->exec.cmd->cwd : "";

	if (!len)
		return 0;
	if (*name == '@')
		return hash_bytes(name, len);
	if (*name != '/' && *cwd != '/')
		return 0;
	g->path.len = 0;
	if (*name != '/') {
		buf_adds(&g->path, cwd);
		buf_addc(&g->path, '/');
	}
	buf_add(&g->path, name, len);
	path_clean(&g->path);
	return path_hash(g, g->path.s, g->path.len);
}

/* Return: 0 if no socket of the trace has that name */
static uint32_t place_of(struct graph *g, uint64_t name)
{
	const uint64_t *place = name ? map64_get(&g->place_names, name) : NULL;

	return place ? (uint32_t)*place : 0;
}

/* A socket gets a name, instead of any socket that had it. */
static uint32_t new_place(struct graph *g, uint64_t name)
{
	/* row 0 is none */
	g->places = xgrow(g->places, &g->places_cap, g->nplaces + 2, sizeof(*g->places));
	g->places[++g->nplaces] = (struct place){ .name = name };
	map64_put(&g->place_names, name, g->nplaces);
	return (uint32_t)g->nplaces;
}

void socket_moved(struct graph *g, const char *from, size_t from_len, const char *to,
		  size_t to_len)
{
	uint64_t name = g->place_names.n ? path_hash(g, from, from_len) : 0;
	uint32_t place = place_of(g, name);

	if (!place)
		return;
	map64_remove(&g->place_names, name);
	g->places[place].name = to ? path_hash(g, to, to_len) : 0;
	if (to)
		map64_put(&g->place_names, g->places[place].name, place);
}

/* ---- ends that wait ---- */

static uint32_t new_meeting(struct graph *g, struct process *p, uint32_t place, uint64_t ino,
			    int64_t at)
{
	uint32_t row = g->spare_meeting;
	struct meeting *m;

	if (row) {
		g->spare_meeting = g->meetings[row].next;
	} else {
		/* row 0 is none */
		g->meetings = xgrow(g->meetings, &g->meetings_cap, g->nmeetings + 2,
				    sizeof(*g->meetings));
		g->nmeetings++;
		row = (uint32_t)g->nmeetings;
	}
	m = &g->meetings[row];
	*m = (struct meeting){ .there = new_way(g, p, at), .place = place, .ino = ino };
	m->back = new_way(g, p, at);
	if (ino)
		map64_put(&g->meetings_by_ino, ino, row);
	if (place) {
		m->next = g->places[place].last;
		g->places[place].last = row;
	}
	return row;
}

static void end_meeting(struct graph *g, uint32_t row)
{
	struct meeting *m = &g->meetings[row];
	uint32_t *at;

	if (m->place) {
		for (at = &g->places[m->place].last; *at != row; at = &g->meetings[*at].next)
			;
		*at = m->next;
	}
	if (m->ino)
		map64_remove(&g->meetings_by_ino, m->ino);
	files_release(g, m->there);
	files_release(g, m->back);
	m->next = g->spare_meeting;
	g->spare_meeting = row;
}

/* Whether an end without an inode number may belong to @m, which waits at the same place. */
static bool may_belong(const struct graph *g, const struct meeting *m, bool accepts)
{
	if (!accepts)
		return !m->ino;
	/* if the connecting end were still open, the accepting one would have its inode number */
	return m->n > 0 && (!m->ino || !g->files.objects[m->there].opens);
}

/* The first row at a place that such an end may belong to.  Return: 0 if none */
static uint32_t waiting_at(const struct graph *g, uint32_t place, bool accepts)
{
	uint32_t found = 0;

	for (uint32_t row = place ? g->places[place].last : 0; row; row = g->meetings[row].next)
		if (may_belong(g, &g->meetings[row], accepts))
			found = row;
	return found;
}

void socket_closed(struct graph *g, uint32_t place)
{
	struct place *pl = &g->places[place];

	while (pl->last)
		end_meeting(g, pl->last);
	if (place_of(g, pl->name) == place)
		map64_remove(&g->place_names, pl->name);
}

/* ---- connections ---- */

/* The place of the listening socket, which an end comes to.  Return: 0 if unknown */
static uint32_t place_met(struct graph *g, const struct process *p, const struct et_event *ev)
{
	size_t len;
	const char *address = et_get_string(ev, 0, &len);
	const struct fd *listens;

	if (ev->kind == ET_K_CONNECT)
		return et_value(ev, ET_V_CONNECT_family, 0) != AF_UNIX ? 0 :
			place_of(g, name_hash(g, p, address, len));
	listens = fd_get(p->fds, et_value(ev, ET_V_ACCEPT_socket, -1));
	return listens ? listens->d->place : 0;
}

/*
 * The row of an end: that of its other end if that waits, else a new one.
 * @ino: of the connecting socket, 0 if unknown
 */
static uint32_t meet_sockets(struct graph *g, struct process *p, const struct et_event *ev,
			     uint64_t ino,
			     int64_t at)
{
	bool accepts = ev->kind == ET_K_ACCEPT;
	const uint64_t *other = ino ? map64_get(&g->meetings_by_ino, ino) : NULL;
	uint32_t place = place_met(g, p, ev);
	uint32_t row = other ? (uint32_t)*other : ino ? 0 : waiting_at(g, place, accepts);

	return row ? row : new_meeting(g, p, accepts && ino ? 0 : place, ino, at);
}

void socket_connected(struct graph *g, struct process *p, const struct et_event *ev, int64_t at)
{
	bool accepts = ev->kind == ET_K_ACCEPT;
	int64_t number = et_value(ev, accepts ? ET_V_ACCEPT_fd : ET_V_CONNECT_fd, -1);
	uint64_t ino = (uint64_t)et_value(ev, accepts ? ET_V_ACCEPT_peer_ino : ET_V_CONNECT_ino, 0);
	size_t len;
	const char *address = et_get_string(ev, 0, &len);
	struct description *d;
	struct meeting *m;
	uint32_t row;

	/* the socket may have been bound to a name */
	fd_close(g, p->fds, number);
	row = meet_sockets(g, p, ev, ino, at);
	m = &g->meetings[row];
	/* no cloexec: what an execve closes is recorded */
	d = accepts ? put_end(g, p, number, m->back, m->there, at, false) :
		      put_end(g, p, number, m->there, m->back, at, false);
	if (d)
		d->within = !accepts && m->place;
	if (d && address && is_service(address, len))
		d->socket = false;
	if (ino && m->n)
		sockets_met(g, m->there, m->back);
	m->n += accepts ? -1 : 1;
	if (!m->n || (!m->place && !m->ino))
		end_meeting(g, row);
}

void socket_bound(struct graph *g, struct process *p, const struct et_event *ev, int64_t at)
{
	uint32_t there = new_way(g, p, at), back = new_way(g, p, at);
	size_t len;
	const char *address = et_get_string(ev, 0, &len);
	bool local = et_value(ev, ET_V_BIND_family, 0) == AF_UNIX;
	uint64_t name = local ? name_hash(g, p, address, len) : 0;
	int64_t number = et_value(ev, ET_V_BIND_fd, -1);
	struct description *d = put_end(g, p, number, there, back, at, false);

	if (d && name)
		d->place = new_place(g, name);
	files_release(g, there);
	files_release(g, back);
}

void socket_read(struct graph *g, struct process *p, const struct fd *fd, int64_t number,
		 int64_t at)
{
	struct graph_access a = {
		.how = GRAPH_READ, .class = GRAPH_IS_PIPE, .fd = (int32_t)number, .at = fd->at,
		.until = at,
	};

	for (uint32_t row = g->places[fd->d->place].last; row; row = g->meetings[row].next) {
		a.exec = exec_id(g, p);
		a.version = g->files.objects[g->meetings[row].there].version;
		GRAPH_EMIT(g, access, &a);
	}
}

/* ---- turns ---- */

void socket_event_of(struct fd *fd, uint64_t task)
{
	fd->several |= fd->last_task && fd->last_task != task;
	fd->last_task = task;
}

void socket_event_done(struct fd *fd, int64_t at)
{
	if (!fd->d->socket)
		return;
	fd->before = fd->last;
	fd->last = at;
}

/* Minus 1, because two events may have the same time. */
int64_t socket_since(const struct fd *fd)
{
	return fd->last > fd->at ? fd->last - 1 : 0;
}

/*
 * A read may have begun before the event that precedes it was recorded; it certainly began after
 * the event before that one.  If several tasks use the socket, one may have begun before the
 * last event of another.
 */
int64_t socket_read_began(const struct fd *fd)
{
	return fd->before > fd->at && !fd->several ? fd->before : fd->at;
}

int64_t socket_write_began(const struct fd *fd)
{
	return fd->last > fd->at && !fd->several ? fd->last : fd->at;
}

void sockets_free(struct graph *g)
{
	map64_clear(&g->meetings_by_ino);
	map64_clear(&g->place_names);
	free(g->meetings);
	free(g->places);
}
