// SPDX-License-Identifier: LGPL-2.1
/* Sockets and their addresses.  See st_call.h. */
#include "format/strace/st_call.h"

#include <fcntl.h>
#include <string.h>
#include <sys/socket.h>

/* Parse "htons(80)". */
static bool port_of(struct st_text t, uint64_t *port)
{
	static const char htons[] = "htons(";

	return t.len > sizeof(htons) && !memcmp(t.s, htons, sizeof(htons) - 1) &&
	       st_number((struct st_text){ t.s + sizeof(htons) - 1, t.len - sizeof(htons) }, port);
}

/* Append the text between the first quotes of an address. */
static bool read_quoted(struct st_text t, struct buf *to)
{
	const char *quote = memchr(t.s, '"', t.len);
	bool cut = false;

	return quote && st_string((struct st_text){ quote, t.len - (size_t)(quote - t.s) }, to, &cut);
}

/* Format an address like kernel/etrace_address.h.  Return: its family, 0 if none. */
static uint64_t read_address(struct st_text t, struct buf *to)
{
	uint64_t family = 0, port = 0;
	struct st_text part;

	to->len = 0;
	if (!st_field(t, "sa_family", &part) || !st_number(part, &family))
		return 0;
	if (family == AF_UNIX) {
		if (!st_field(t, "sun_path", &part))
			return family;
		if (*part.s == '@')
			buf_addc(to, '@');
		read_quoted(part, to);
		for (size_t i = 0; i < to->len; i++)
			if (!to->s[i])
				to->s[i] = '@';
		return family;
	}
	if (family == AF_INET && st_field(t, "sin_port", &part) && port_of(part, &port) &&
	    st_field(t, "sin_addr", &part)) {
		read_quoted(part, to);
	} else if (family == AF_INET6 && st_field(t, "sin6_port", &part) && port_of(part, &port)) {
		const char *pton = memmem(t.s, t.len, "inet_pton(", 10);

		buf_addc(to, '[');
		if (pton)
			read_quoted((struct st_text){ pton, t.len - (size_t)(pton - t.s) }, to);
		buf_addc(to, ']');
	} else {
		buf_adds(to, "family ");
		buf_addu(to, family);
		return family;
	}
	buf_addc(to, ':');
	buf_addu(to, port);
	return family;
}

static void add_address(const struct call *c, struct st_text t, unsigned int value)
{
	struct buf *b = &c->log->text;
	uint64_t family = read_address(t, b);

	if (family)
		et_add_string(&c->log->ev, 0, b->s ? b->s : "", b->len);
	et_set_value(&c->log->ev, value, (int64_t)family);
}

/* Emit the event of a socket with its or its peer's address; @ino: value for the inode, or -1 */
static void put_address(const struct call *c, enum et_kind kind, unsigned int fd_value,
			unsigned int family, int ino)
{
	int64_t fd = call_fd(c, call_arg(c, ROLE_FD));
	struct et_event *ev = call_begin(c, kind);
	struct st_fd_arg socket;

	et_set_value(ev, fd_value, fd);
	add_address(c, call_arg(c, ROLE_STRUCT), family);
	if (ino >= 0 && !c->line->error && st_fd_arg(call_arg(c, ROLE_FD), &socket) && socket.ino)
		et_set_value(ev, (unsigned int)ino, (int64_t)socket.ino);
	st_put(c->log);
}

void st_do_connect(struct call *c)
{
	put_address(c, ET_K_CONNECT, ET_V_CONNECT_fd, ET_V_CONNECT_family, ET_V_CONNECT_ino);
}

void st_do_bind(struct call *c)
{
	put_address(c, ET_K_BIND, ET_V_BIND_fd, ET_V_BIND_family, -1);
}

void st_do_accept(struct call *c)
{
	int64_t socket = call_fd(c, call_arg(c, ROLE_FD));
	bool on = c->args.n > 3 && call_number(c, c->args.arg[3]) & O_CLOEXEC;
	struct et_event *ev = call_begin(c, ET_K_ACCEPT);
	struct st_fd_arg fd;

	et_set_value(ev, ET_V_ACCEPT_fd, c->line->value);
	et_set_value(ev, ET_V_ACCEPT_socket, socket);
	add_address(c, c->args.arg[1], ET_V_ACCEPT_family);
	if (!et_has_string(ev, ET_S_ACCEPT_address))
		et_add_string(ev, ET_S_ACCEPT_address, "", 0);
	if (st_fd_arg(c->line->ret, &fd) && fd.peer)
		et_set_value(ev, ET_V_ACCEPT_peer_ino, (int64_t)fd.peer);
	call_opened(c, c->line->value, on, NULL, 0);
	call_is_socket(c, c->line->value);
	st_put(c->log);
}

/* Not an event, but execve closes the descriptor if the flags say so. */
void st_do_socket(struct call *c)
{
	call_opened(c, c->line->value, call_number(c, call_arg(c, ROLE_FLAGS)) & O_CLOEXEC, NULL, 0);
	call_is_socket(c, c->line->value);
}
