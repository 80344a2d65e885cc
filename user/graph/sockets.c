// SPDX-License-Identifier: LGPL-2.1
/*
 * Sockets between traced programs: each of the two directions is like a pipe.  See state.h.
 *
 * The two ends of a connection are recorded by two events, in either order.  They belong
 * together if both have the inode number of the connecting socket.  If one has none (a log
 * of strace, or the connecting end was closed before it was accepted), a socket is assumed
 * to accept the connections to its name in order; while several connections known only by
 * name wait, they share their data. This is a guess, because untraced processes may
 * connect, too. So such ends are reported as leading outside the trace, and so are all ends
 * without a partner.
 */
#include "graph/state.h"

#include <string.h>
#include <sys/socket.h>

/*
 * Daemons that the C library asks for names of users and hosts, or sends log messages to:
 * like configuration files, they are not data.
 */
static bool is_service(const struct graph *g, const char *address, size_t len)
{
	static const char *const places[] = {
		"/run/systemd/", "/var/run/systemd/", "/run/nscd/", "/var/run/nscd/", "/dev/log",
	};

	address = roots_inner(g, address, &len);
	for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); i++)
		if (len >= strlen(places[i]) && !memcmp(address, places[i], strlen(places[i])))
			return true;
	return false;
}

/* Make a descriptor one end of a connection: it writes to one object and reads from another. */
static struct description *put_end(struct graph *g, struct process *p, int64_t number,
				   uint32_t out, uint32_t in, int64_t at, bool cloexec)
{
	struct description *d = description_new(g, out, 0);

	d->socket = true;
	d->writes = g->files.objects[out].version;
	d->reads = g->files.objects[in].version;
	return fd_open(g, p, number, d, at, cloexec) ? d : NULL;
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

/* ---- connections ---- */

/* The name (place) of the listening socket of a CONNECT or ACCEPT event.  Return: 0 if unknown */
static uint32_t place_met(struct graph *g, const struct process *p, const struct et_event *ev)
{
	size_t len;
	const char *address = et_get_string(ev, 0, &len);
	const struct fd *listens;

	if (ev->kind == ET_K_CONNECT)
		return et_value(ev, ET_V_CONNECT_family, 0) != AF_UNIX ? 0 :
			place_of(g, place_hash(g, p, address, len));
	listens = fd_get(p->fds, et_value(ev, ET_V_ACCEPT_socket, -1));
	return listens ? listens->d->place : 0;
}

/*
 * The row of g->meetings for a connection: that of the other end if it waits, else a new one.
 * @ino: of the connecting socket, 0 if unknown
 */
static uint32_t meet_sockets(struct graph *g, struct process *p, const struct et_event *ev,
			     uint64_t ino,
			     int64_t at)
{
	bool accepts = ev->kind == ET_K_ACCEPT;
	const uint64_t *other = ino ? map64_get(&g->meetings_by_ino, ino) : NULL;
	uint32_t place = place_met(g, p, ev);
	uint32_t row = other ? (uint32_t)*other : ino ? 0 : meeting_at(g, place, accepts);
	uint32_t there, back;

	if (row)
		return row;
	there = new_way(g, p, at);
	back = new_way(g, p, at);
	return meeting_new(g, there, back, accepts && ino ? 0 : place, ino);
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

	/* drop the old description: the socket may have been bound to a name */
	fd_close(g, p->fds, number);
	row = meet_sockets(g, p, ev, ino, at);
	m = &g->meetings[row];
	/* pass false for cloexec: the trace has an event if an execve closes the descriptor */
	d = accepts ? put_end(g, p, number, m->back, m->there, at, false) :
		      put_end(g, p, number, m->there, m->back, at, false);
	if (d)
		d->within = !accepts && m->place;
	if (d && address && is_service(g, address, len))
		d->socket = false;
	if (ino && m->n)
		sockets_met(g, m->there, m->back);
	m->n += accepts ? -1 : 1;
	if (!m->n || (!m->place && !m->ino))
		meeting_end(g, row);
}

void socket_bound(struct graph *g, struct process *p, const struct et_event *ev, int64_t at)
{
	uint32_t there = new_way(g, p, at), back = new_way(g, p, at);
	size_t len;
	const char *address = et_get_string(ev, 0, &len);
	bool local = et_value(ev, ET_V_BIND_family, 0) == AF_UNIX;
	uint64_t name = local ? place_hash(g, p, address, len) : 0;
	int64_t number = et_value(ev, ET_V_BIND_fd, -1);
	struct description *d = put_end(g, p, number, there, back, at, false);

	if (d && name)
		d->place = place_new(g, name);
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

/* Subtract 1 because two events may have the same time. */
int64_t socket_since(const struct fd *fd)
{
	return fd->last > fd->at ? fd->last - 1 : 0;
}

/*
 * A read may have begun before the event that precedes it was recorded; it certainly began after
 * the event before that one.  If several tasks use the socket, a read may have begun before
 * another task's last event.
 */
int64_t socket_read_began(const struct fd *fd)
{
	return fd->before > fd->at && !fd->several ? fd->before : fd->at;
}

int64_t socket_write_began(const struct fd *fd)
{
	return fd->last > fd->at && !fd->several ? fd->last : fd->at;
}
