/* SPDX-License-Identifier: GPL-2.0 */
/* Calls about sockets: records the peers that a program talks to, like the module's calls_net.c. */
#ifndef ETRACE_NET_CALLS_BPF_H
#define ETRACE_NET_CALLS_BPF_H

#include "record/bpf/call.bpf.h"
#include "record/bpf/fd_calls.bpf.h"

#define AF_UNIX		1
#define AF_INET		2
#define AF_INET6	10
#define SOCKFS_MAGIC	0x534f434b

/* The socket of a descriptor, NULL if it is not one. */
static __always_inline struct sock *fd_sock(struct task_struct *task, s32 fd)
{
	struct file *file = fd_file(task, fd);
	struct socket *sock = NULL;

	if (file && BPF_CORE_READ(file, f_inode, i_sb, s_magic) == SOCKFS_MAGIC)
		sock = BPF_CORE_READ(file, private_data);
	return sock ? BPF_CORE_READ(sock, sk) : NULL;
}

/* The other end of a unix socket. */
static __always_inline struct sock *other_end(struct sock *sk)
{
	if (!bpf_core_type_exists(struct unix_sock))
		return NULL;
	return BPF_CORE_READ((struct unix_sock *)sk, peer);
}

/* Records the inode of a unix socket that has connected; the peer's accept event has it, too. */
static __always_inline void record_connected(const struct call *c, s32 fd)
{
	struct file *file = fd_file(c->task, fd);

	/* Another thread may have put another file there. */
	if (file && BPF_CORE_READ(file, f_inode, i_sb, s_magic) == SOCKFS_MAGIC)
		put_val(c->s, EB_V_CONNECT_ino, BPF_CORE_READ(file, f_inode, i_ino));
}

/* Fills in connect() or bind(), whose address is in the program's memory. */
static __always_inline bool record_address(const struct call *c, u32 kind, u64 fd, u64 addr,
					   s32 size)
{
	rec_init(c->s, c->t, kind);
	/* The values of bind have the same index. */
	c->r->val[EB_V_CONNECT_fd] = (s32)fd;
	if (size < 0 || size > (s32)EB_SOCKADDR_MAX ||
	    bpf_probe_read_user(c->s->sockaddr, below(2 * EB_SOCKADDR_MAX, size), (void *)addr)) {
		if (!etrace_failed_address(c->ret))
			want_string(c->s, EB_STR_CONNECT_address, W_ADDRESS, -1, 0);
		return true;
	}
	if (size >= 2)
		c->r->val[EB_V_CONNECT_family] = *(u16 *)c->s->sockaddr;
	if (kind == EB_CONNECT && c->ret >= 0 && c->r->val[EB_V_CONNECT_family] == AF_UNIX)
		record_connected(c, fd);
	want_string(c->s, EB_STR_CONNECT_address, W_ADDRESS, size, 0);
	return true;
}

static __always_inline bool fill_connect(const struct call *c)
{
	return record_address(c, EB_CONNECT, call_arg(c, EB_A_FD, 0), call_arg(c, EB_A_STRUCT, 0),
			 call_arg(c, EB_A_SIZE, 0));
}

static __always_inline bool fill_bind(const struct call *c)
{
	return record_address(c, EB_BIND, call_arg(c, EB_A_FD, 0), call_arg(c, EB_A_STRUCT, 0),
			 call_arg(c, EB_A_SIZE, 0));
}

/* Stores the peer's address at s->sockaddr, as in the module. Returns its bytes. */
static __always_inline s32 store_peer(struct scratch *s, struct sock *sk)
{
	u16 family = BPF_CORE_READ(sk, __sk_common.skc_family);
	struct unix_address *own;
	s32 size;

	__builtin_memset(s->sockaddr, 0, EB_SOCKADDR_MAX);
	*(u16 *)s->sockaddr = family;
	*(u16 *)(s->sockaddr + 2) = BPF_CORE_READ(sk, __sk_common.skc_dport);
	if (family == AF_INET) {
		*(u32 *)(s->sockaddr + 4) = BPF_CORE_READ(sk, __sk_common.skc_daddr);
		return 16;
	}
	if (family == AF_INET6 && bpf_core_field_exists(sk->__sk_common.skc_v6_daddr)) {
		bpf_probe_read_kernel(s->sockaddr + 8, 16, (void *)sk +
				      bpf_core_field_offset(sk->__sk_common.skc_v6_daddr));
		return 28;
	}
	if (family == AF_UNIX && bpf_core_type_exists(struct unix_sock)) {
		own = BPF_CORE_READ((struct unix_sock *)sk, addr);
		size = own ? BPF_CORE_READ(own, len) : 0;
		if (size > 0 && size <= 110 &&
		    !bpf_probe_read_kernel(s->sockaddr, below(EB_SOCKADDR_MAX, size), (void *)own +
					   bpf_core_field_offset(struct unix_address, name)))
			return size;
	}
	return sizeof(family);
}

/*
 * Records the inode of the socket that has connected to a unix socket, if it still exists:
 * it may be closed at this moment, but its inode is freed only after an RCU grace period.
 */
static __always_inline void accepted_from(const struct call *c, struct sock *sk)
{
	struct sock *peer = other_end(sk);
	struct socket *sock = peer ? BPF_CORE_READ(peer, sk_socket) : NULL;

	if (sock && bpf_core_type_exists(struct socket_alloc))
		put_val(c->s, EB_V_ACCEPT_peer_ino,
			BPF_CORE_READ((struct socket_alloc *)sock, vfs_inode.i_ino));
}

static __always_inline bool record_accept(const struct call *c, u64 fd)
{
	struct sock *sk = fd_sock(c->task, c->ret);

	use_new(c, c->ret);
	rec_init(c->s, c->t, EB_ACCEPT);
	c->r->val[EB_V_ACCEPT_fd] = (s32)c->ret;
	c->r->val[EB_V_ACCEPT_socket] = (s32)fd;
	/* Without a socket, another thread has already closed it. */
	want_string(c->s, EB_STR_ACCEPT_address, W_ADDRESS, sk ? store_peer(c->s, sk) : -1, 0);
	if (sk) {
		c->r->val[EB_V_ACCEPT_family] = *(u16 *)c->s->sockaddr;
		if (*(u16 *)c->s->sockaddr == AF_UNIX)
			accepted_from(c, sk);
	}
	return true;
}

static __always_inline bool fill_accept(const struct call *c)
{
	return record_accept(c, call_arg(c, EB_A_FD, 0));
}

/* Can socketpair() have made these two sockets? */
static __always_inline bool are_sockets(struct task_struct *task, const s32 *fd)
{
	struct sock *a = fd_sock(task, fd[0]), *b = fd_sock(task, fd[1]);

	if (!a || !b || a == b)
		return false;
	if (BPF_CORE_READ(a, __sk_common.skc_family) != BPF_CORE_READ(b, __sk_common.skc_family))
		return false;
	return BPF_CORE_READ(a, __sk_common.skc_family) != AF_UNIX ||
	       !bpf_core_type_exists(struct unix_sock) || other_end(a) == b;
}

static __always_inline bool record_pair(const struct call *c, u16 family, u32 type, u64 fds)
{
	s32 fd[2];
	bool are = !bpf_probe_read_user(fd, sizeof(fd), (void *)fds) && are_sockets(c->task, fd);

	made_two(c, EB_SOCKETPAIR, fd, are);
	c->r->val[EB_V_SOCKETPAIR_family] = family;
	c->r->val[EB_V_SOCKETPAIR_type] = type;
	return true;
}

static __always_inline bool fill_socketpair(const struct call *c)
{
	return record_pair(c, call_arg(c, EB_A_TYPE, 0), call_arg(c, EB_A_FLAGS, 0),
		      call_arg(c, EB_A_STRUCT, 0));
}

/* socketcall(): i386 programs use it for all calls about sockets. */
static __always_inline bool fill_socketcall(const struct call *c)
{
	u32 what = call_arg(c, EB_A_FLAGS, 0), arg[ETRACE_SOCKETCALL_ARGS] = { 0 };
	u32 recorded = etrace_socketcall_recorded(what);
	u64 args = call_arg(c, EB_A_STRUCT, 0);

	if (!etrace_is_recorded(recorded, c->ret))
		return false;
	if (bpf_probe_read_user(arg, 3 * sizeof(*arg), (void *)args) ||
	    (etrace_socketcall_args(what) > 3 &&
	     bpf_probe_read_user(&arg[3], sizeof(*arg), (void *)args + 3 * sizeof(*arg)))) {
		c->s->counts.strings_unread++;
		return false;
	}
	switch (what) {
	case SYS_CONNECT:
	case SYS_BIND:
		return record_address(c, what == SYS_BIND ? EB_BIND : EB_CONNECT, arg[0], arg[1],
				 arg[2]);
	case SYS_ACCEPT:
	case SYS_ACCEPT4:
		return record_accept(c, arg[0]);
	case SYS_SOCKETPAIR:
		return record_pair(c, arg[0], arg[1], arg[3]);
	case SYS_RECV:
	case SYS_RECVFROM:
		use_read(c, arg[0], c->ret);
		return false;
	case SYS_SEND:
	case SYS_SENDTO:
	case SYS_SENDMSG:
	case SYS_SENDMMSG:
		use_write(c, arg[0], what == SYS_SENDMMSG ? 0 : c->ret);
		return false;
	default:
		use_read(c, arg[0], what == SYS_RECVMSG ? c->ret : 0);
		return await_messages(c, arg[1], what == SYS_RECVMSG ? 1 : c->ret,
				what == SYS_RECVMSG ? arg[2] : arg[3]);
	}
}

#endif
