// SPDX-License-Identifier: LGPL-2.1
/*
 * Sockets between programs of the trace: two ways, each of which is as a pipe.  See state.h.
 *
 * The two ends of a connection are told by two events, in either order.  They belong
 * together if both tell the same inode number, that of the socket that has connected; where a
 * trace has none, by their address, those of one address in their order.  An end that no
 * other one belongs to leads outside of the trace.
 */
#include "base/hash.h"
#include "base/xalloc.h"
#include "graph/state.h"

#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

/* An end that waits for the other one. */
struct meeting {
	uint32_t there, back;	/* objects: what goes from who connected, and what comes back */
	uint32_t next;		/* row of the next one with this key; 0: none */
	uint32_t last;		/* of the first one, the row of the last */
	bool accepts;		/* this end is that of who accepted */
};

/*
 * Daemons that the C library asks for names of users and hosts, and that are told what to log:
 * as files of configuration, they are no data.
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

static void met(struct graph *g, uint32_t there, uint32_t back)
{
	g->files.objects[there].met = g->files.objects[back].met = true;
	files_release(g, there);
	files_release(g, back);
}

void socket_pair(struct graph *g, struct process *p, const struct et_event *ev, int64_t at)
{
	uint32_t there = new_way(g, p, at), back = new_way(g, p, at);
	bool cloexec = et_value(ev, ET_V_SOCKETPAIR_type, 0) & SOCK_CLOEXEC;

	put_end(g, p, et_value(ev, ET_V_SOCKETPAIR_fd1, -1), there, back, at, cloexec);
	put_end(g, p, et_value(ev, ET_V_SOCKETPAIR_fd2, -1), back, there, at, cloexec);
	met(g, there, back);
}

/* What both ends of a connection tell.  Return: 0: nothing */
static uint64_t key_of(const struct et_event *ev)
{
	bool accepts = ev->kind == ET_K_ACCEPT;
	unsigned int ino = accepts ? ET_V_ACCEPT_peer_ino : ET_V_CONNECT_ino;
	size_t len;
	const char *address = et_get_string(ev, 0, &len);

	if (et_value(ev, accepts ? ET_V_ACCEPT_family : ET_V_CONNECT_family, 0) != AF_UNIX)
		return 0;
	if (et_has(ev, ino))
		return hash_two((uint64_t)ev->val[ino], 1);
	return len ? hash_bytes(address, len) : 0;
}

/* The first end of the other kind that waits is taken out of the list.  Return: its row, 0: none */
static uint32_t take_waiting(struct graph *g, uint64_t key, bool accepts)
{
	const uint64_t *first = map64_get(&g->meetings, key);
	uint32_t row = first ? (uint32_t)*first : 0, next;

	/* all that wait are of one kind: others would have met */
	if (!row || g->meeting_rows[row].accepts == accepts)
		return 0;
	next = g->meeting_rows[row].next;
	if (next) {
		g->meeting_rows[next].last = g->meeting_rows[row].last;
		map64_put(&g->meetings, key, next);
	} else {
		map64_remove(&g->meetings, key);
	}
	return row;
}

static void wait_for_other(struct graph *g, uint64_t key, const struct meeting *m)
{
	const uint64_t *first = map64_get(&g->meetings, key);
	uint32_t row = first ? (uint32_t)*first : 0;

	/* row 0 is none */
	g->meeting_rows = xgrow(g->meeting_rows, &g->meetings_cap, g->nmeetings + 2,
				sizeof(*g->meeting_rows));
	g->meeting_rows[++g->nmeetings] = *m;
	if (row) {
		g->meeting_rows[g->meeting_rows[row].last].next = (uint32_t)g->nmeetings;
	} else {
		row = (uint32_t)g->nmeetings;
		map64_put(&g->meetings, key, row);
	}
	g->meeting_rows[row].last = (uint32_t)g->nmeetings;
}

void socket_connected(struct graph *g, struct process *p, const struct et_event *ev, int64_t at)
{
	bool accepts = ev->kind == ET_K_ACCEPT;
	int64_t number = et_value(ev, accepts ? ET_V_ACCEPT_fd : ET_V_CONNECT_fd, -1);
	uint64_t key = key_of(ev);
	uint32_t row = key ? take_waiting(g, key, accepts) : 0;
	struct meeting m = { .accepts = accepts };
	struct description *d;
	size_t len;
	const char *address = et_get_string(ev, 0, &len);

	if (row) {
		m = g->meeting_rows[row];
	} else {
		m.there = new_way(g, p, at);
		m.back = new_way(g, p, at);
	}
	/* execve tells what it closes */
	d = put_end(g, p, number, accepts ? m.back : m.there, accepts ? m.there : m.back, at, false);
	if (d && address && is_service(address, len))
		d->socket = false;
	if (row) {
		met(g, m.there, m.back);
	} else if (key) {
		wait_for_other(g, key, &m);
	} else {
		files_release(g, m.there);
		files_release(g, m.back);
	}
}

void socket_bound(struct graph *g, struct process *p, const struct et_event *ev, int64_t at)
{
	uint32_t there = new_way(g, p, at), back = new_way(g, p, at);

	put_end(g, p, et_value(ev, ET_V_BIND_fd, -1), there, back, at, false);
	files_release(g, there);
	files_release(g, back);
}

void sockets_free(struct graph *g)
{
	map64_clear(&g->meetings);
	free(g->meeting_rows);
}
