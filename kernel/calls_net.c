// SPDX-License-Identifier: GPL-2.0
/* Calls about sockets: records the peers that a program talks to. */
#include <linux/file.h>
#include <linux/in.h>
#include <linux/in6.h>
#include <linux/kernel.h>
#include <linux/net.h>
#include <linux/socket.h>
#include <linux/string.h>
#include <linux/un.h>
#include <net/af_unix.h>
#include <net/sock.h>

#include "call.h"
#include "calls_use.h"
#include "capture.h"
#include "compat.h"
#include "etrace_address.h"

static_assert(sizeof(struct sockaddr_storage) == ETRACE_SOCKADDR_MAX);

/* Makes the text of the address at s->path[1] the record's string. Returns the family. */
static u16 etrace_address_str(struct etrace_call *c, struct etrace_scratch *s, u32 size)
{
	const u8 *sa = s->path[1];

	c->r.str[0].s = s->path[0];
	c->r.str[0].len = etrace_address(s->path[0], sa, size);
	return etrace_address_family(sa, size);
}

/* Records the inode of a unix socket that has connected; the peer's accept event has it, too. */
static void etrace_connected(struct etrace_call *c, int fd)
{
	const struct inode *inode = etrace_use_inode(current->files, fd);

	/* Another thread may have put another file there. */
	if (c->r.connect.family != AF_UNIX || !inode || !S_ISSOCK(inode->i_mode))
		return;
	c->r.connect.ino = inode->i_ino;
	c->r.have |= BIT(ETRACE_VAL_CONNECT_ino);
}

/* Records connect() or bind(), whose address is in the program's memory. */
static void etrace_addressed(struct etrace_call *c, enum etrace_event ev, int fd,
			     unsigned long uaddr, int size)
{
	struct etrace_scratch *s = etrace_scratch_get();

	etrace_rec_init(&c->r, ev, 1);
	/* The values of bind are in the same place as those of connect. */
	c->r.connect.fd = fd;
	c->r.connect.family = 0;
	c->r.connect.ino = 0;
	if (size >= 0 && size <= ETRACE_SOCKADDR_MAX &&
	    etrace_call_read(c, s->path[1], uaddr, size)) {
		c->r.connect.family = etrace_address_str(c, s, size);
		if (ev == ETRACE_EV_CONNECT && c->ret >= 0)
			etrace_connected(c, fd);
	} else if (etrace_failed_address(c->ret)) {
		c->r.faulted = false;
		c->r.nr_str = 0;
	} else {
		c->r.str[0].s = "";
		c->r.str[0].len = 0;
		c->r.unread = BIT(0);
	}
	etrace_call_emit(c);
	etrace_scratch_put();
}

void etrace_do_connect(struct etrace_call *c)
{
	etrace_addressed(c, ETRACE_EV_CONNECT, etrace_arg(c, ETRACE_ARG_FD, 0),
			 etrace_arg(c, ETRACE_ARG_STRUCT, 0), etrace_arg(c, ETRACE_ARG_SIZE, 0));
}

void etrace_do_bind(struct etrace_call *c)
{
	etrace_addressed(c, ETRACE_EV_BIND, etrace_arg(c, ETRACE_ARG_FD, 0),
			 etrace_arg(c, ETRACE_ARG_STRUCT, 0), etrace_arg(c, ETRACE_ARG_SIZE, 0));
}

/*
 * Stores the address of a connected socket's peer at @to, only from fields that never change and
 * so need no lock. For a unix socket, stores its own name instead, which is the listening
 * socket's: the peer usually has no name. Returns the number of bytes at @to.
 */
static u32 etrace_peer(const struct sock *sk, void *to)
{
	struct sockaddr_in *in = to;
	struct unix_address *own;
	u32 size;

	memset(to, 0, ETRACE_SOCKADDR_MAX);
	in->sin_family = READ_ONCE(sk->sk_family);
	/* IPv4 and IPv6 addresses have the port at the same place. */
	in->sin_port = sk->sk_dport;
	switch (in->sin_family) {
	case AF_INET:
		in->sin_addr.s_addr = sk->sk_daddr;
		return sizeof(*in);
#if IS_ENABLED(CONFIG_IPV6)
	case AF_INET6:
		((struct sockaddr_in6 *)to)->sin6_addr = sk->sk_v6_daddr;
		return sizeof(struct sockaddr_in6);
#endif
	case AF_UNIX:
		/* Read as in unix_getname(): it is set once, when it is complete. */
		own = smp_load_acquire(&((const struct unix_sock *)sk)->addr);
		size = own ? min_t(u32, own->len, sizeof(*own->name)) : sizeof(in->sin_family);
		if (own)
			memcpy(to, own->name, size);
		return size;
	}
	return sizeof(in->sin_family);
}

/* The socket of a file, which may be NULL; NULL if it is not a socket. */
static const struct sock *etrace_sk(struct file *file)
{
	struct socket *sock = file ? etrace_sock_from_file(file) : NULL;

	return sock ? READ_ONCE(sock->sk) : NULL;
}

/*
 * The other end of a unix socket. For a stream, it exists as long as its own end. A datagram socket
 * may be connected to another one at any time, and then this one may be freed.
 */
static const struct sock *etrace_other_end(const struct sock *sk)
{
	return READ_ONCE(((const struct unix_sock *)sk)->peer);
}

/*
 * Records the inode of the socket that has connected to a unix socket. It may be closed
 * at this moment, but its inode is freed only after an RCU grace period.
 */
static void etrace_accepted_from(struct etrace_call *c, const struct sock *sk)
{
	/* Another thread may have put a datagram socket there. */
	bool stays = sk->sk_family == AF_UNIX && sk->sk_type != SOCK_DGRAM;
	const struct sock *peer = stays ? etrace_other_end(sk) : NULL;
	struct socket *sock = peer ? READ_ONCE(peer->sk_socket) : NULL;

	if (!sock)
		return;
	c->r.accept.peer_ino = SOCK_INODE(sock)->i_ino;
	c->r.have |= BIT(ETRACE_VAL_ACCEPT_peer_ino);
}

static void etrace_accepted(struct etrace_call *c, int socket)
{
	struct etrace_scratch *s = etrace_scratch_get();
	struct file *file = fget(c->ret);
	const struct sock *sk = etrace_sk(file);

	etrace_use_new(c->t, c->ret);
	etrace_rec_init(&c->r, ETRACE_EV_ACCEPT, 1);
	c->r.accept.fd = c->ret;
	c->r.accept.socket = socket;
	c->r.accept.family = 0;
	c->r.accept.peer_ino = 0;
	if (sk) {
		c->r.accept.family = etrace_address_str(c, s, etrace_peer(sk, s->path[1]));
		etrace_accepted_from(c, sk);
	} else {
		/* Another thread has already closed it. */
		c->r.str[0].s = "";
		c->r.str[0].len = 0;
		c->r.unread = BIT(0);
	}
	if (file)
		fput(file);
	etrace_call_emit(c);
	etrace_scratch_put();
}

void etrace_do_accept(struct etrace_call *c)
{
	etrace_accepted(c, etrace_arg(c, ETRACE_ARG_FD, 0));
}

/* Can socketpair() have made these two sockets? */
static bool etrace_fds_are_sockets(const int fd[2])
{
	struct file *file[2] = { fget(fd[0]), fget(fd[1]) };
	const struct sock *a = etrace_sk(file[0]), *b = etrace_sk(file[1]);
	bool are = a && b && a != b && a->sk_family == b->sk_family &&
		   (a->sk_family != AF_UNIX || etrace_other_end(a) == b);
	int i;

	for (i = 0; i < 2; i++)
		if (file[i])
			fput(file[i]);
	return are;
}

static void etrace_paired(struct etrace_call *c, u16 family, u32 type, unsigned long fds)
{
	int fd[2];

	etrace_rec_init(&c->r, ETRACE_EV_SOCKETPAIR, 0);
	etrace_made_two(c, fd, fds, etrace_fds_are_sockets);
	c->r.socketpair.fd1 = fd[0];
	c->r.socketpair.fd2 = fd[1];
	c->r.socketpair.family = family;
	c->r.socketpair.type = type;
	etrace_call_emit(c);
}

void etrace_do_socketpair(struct etrace_call *c)
{
	etrace_paired(c, etrace_arg(c, ETRACE_ARG_TYPE, 0), etrace_arg(c, ETRACE_ARG_FLAGS, 0),
		      etrace_arg(c, ETRACE_ARG_STRUCT, 0));
}

/* socketcall(): i386 programs use it for all calls about sockets. */
void etrace_do_socketcall(struct etrace_call *c)
{
	unsigned int what = etrace_arg(c, ETRACE_ARG_FLAGS, 0);
	u32 arg[ETRACE_SOCKETCALL_ARGS];
	unsigned int recorded = etrace_socketcall_recorded(what);

	if (!etrace_is_recorded(recorded, c->ret))
		return;
	if (!etrace_call_read(c, arg, etrace_arg(c, ETRACE_ARG_STRUCT, 0),
			      etrace_socketcall_args(what) * sizeof(*arg))) {
		etrace_call_unread(c);
		return;
	}
	switch (what) {
	case SYS_CONNECT:
		etrace_addressed(c, ETRACE_EV_CONNECT, arg[0], arg[1], arg[2]);
		break;
	case SYS_BIND:
		etrace_addressed(c, ETRACE_EV_BIND, arg[0], arg[1], arg[2]);
		break;
	case SYS_ACCEPT:
	case SYS_ACCEPT4:
		etrace_accepted(c, arg[0]);
		break;
	case SYS_SOCKETPAIR:
		etrace_paired(c, arg[0], arg[1], arg[3]);
		break;
	case SYS_RECV:
	case SYS_RECVFROM:
		etrace_use_read(c->t, arg[0], c->ret);
		break;
	case SYS_SEND:
	case SYS_SENDTO:
	case SYS_SENDMSG:
		etrace_use_write(c->t, arg[0], c->ret);
		break;
	case SYS_SENDMMSG:
		etrace_use_write(c->t, arg[0], 0);
		break;
	case SYS_RECVMSG:
		etrace_use_read(c->t, arg[0], c->ret);
		etrace_messages(c, arg[1], 1, arg[2]);
		break;
	default:
		etrace_use_read(c->t, arg[0], 0);
		etrace_messages(c, arg[1], c->ret, arg[3]);
	}
}
