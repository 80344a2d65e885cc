// SPDX-License-Identifier: GPL-2.0
/* Sockets: whom a program talks to. */
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

/* The text of the address at s->path[1] is the record's string. Returns the family. */
static u16 etrace_address_str(struct etrace_call *c, struct etrace_scratch *s, u32 size)
{
	const u8 *sa = s->path[1];

	c->r.str[0].s = s->path[0];
	c->r.str[0].len = etrace_address(s->path[0], sa, size);
	return etrace_address_family(sa, size);
}

/* connect and bind: the address is the program's. */
static void etrace_addressed(struct etrace_call *c, enum etrace_event ev, int fd,
			     unsigned long uaddr, int size)
{
	struct etrace_scratch *s = etrace_scratch_get();

	etrace_rec_init(&c->r, ev, 1);
	c->r.error = c->ret < 0 ? -c->ret : 0;
	/* Those of bind lie in the same place. */
	c->r.connect.fd = fd;
	c->r.connect.family = 0;
	c->r.connect.ino = 0;
	if (size >= 0 && size <= ETRACE_SOCKADDR_MAX &&
	    etrace_call_read(c, s->path[1], uaddr, size)) {
		c->r.connect.family = etrace_address_str(c, s, size);
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
 * Who has connected, as far as a connected socket tells without a lock: that
 * never changes. Of a unix socket it is its own name, that of the listening one;
 * who connects to one has none, mostly. Returns the bytes at @to.
 */
static u32 etrace_peer(const struct sock *sk, void *to)
{
	struct sockaddr_in *in = to;
	struct unix_address *own;
	u32 size;

	memset(to, 0, ETRACE_SOCKADDR_MAX);
	in->sin_family = READ_ONCE(sk->sk_family);
	/* At the same place of both. */
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
		/* Set once, whole: as unix_getname() reads it. */
		own = smp_load_acquire(&((const struct unix_sock *)sk)->addr);
		size = own ? min_t(u32, own->len, sizeof(*own->name)) : sizeof(in->sin_family);
		if (own)
			memcpy(to, own->name, size);
		return size;
	}
	return sizeof(in->sin_family);
}

static void etrace_accepted(struct etrace_call *c, int socket)
{
	struct etrace_scratch *s = etrace_scratch_get();
	struct file *file = fget(c->ret);
	struct socket *sock = file ? etrace_sock_from_file(file) : NULL;
	const struct sock *sk = sock ? READ_ONCE(sock->sk) : NULL;

	etrace_use_new(c->t, c->ret);
	etrace_rec_init(&c->r, ETRACE_EV_ACCEPT, 1);
	c->r.accept.fd = c->ret;
	c->r.accept.socket = socket;
	c->r.accept.family = 0;
	c->r.accept.peer_ino = 0;
	if (sk) {
		c->r.accept.family = etrace_address_str(c, s, etrace_peer(sk, s->path[1]));
	} else {
		/* Another thread has closed it. */
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

/* One call for all of them: i386 programs have it. */
void etrace_do_socketcall(struct etrace_call *c)
{
	unsigned int what = etrace_arg(c, ETRACE_ARG_FLAGS, 0);
	u32 arg[ETRACE_SOCKETCALL_ARGS];
	unsigned int told = etrace_socketcall_told(what);

	if (!etrace_is_told(told, c->ret))
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
