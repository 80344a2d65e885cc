// SPDX-License-Identifier: GPL-2.0
/*
 * Accept, AC, AcceptPeer: accept and accept4. In root_pid's tree, recorded only with the
 * parameter extended.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <unistd.h>

#include "lib/etrace_test.h"

#define FD	100		/* a listening socket already open in the child */

static char peer[128];		/* address of all waiting clients, or of the one that is checked */
static int family;

/* The number of clients that do_accept() accepts. */
#ifdef SYS_accept
#define NR_ACCEPTED	3
#else
#define NR_ACCEPTED	4
#endif

/* In the order in which they connected; -1 if closed. */
static int clients[NR_ACCEPTED];

/* @client: index of the client whose connection is accepted */
static void want_accept(int fd, int client)
{
	struct stat st;

	want_extended("Accept|addresssize=%zu,fd=%d,socket=%d,family=%d", strlen(peer), fd, FD,
		      family);
	want_extended("AC|%s", peer);
	if (family != AF_UNIX || clients[client] < 0)
		return;
	CHILD_MUST(fstat(clients[client], &st));
	want_extended("AcceptPeer|ino=%llu", (unsigned long long)st.st_ino);
}

static void do_accept(void)
{
	struct sockaddr_storage a;
	socklen_t len = sizeof(a);
	int fd;

	fd = CHILD_MUST(et_sys(SYS_accept4, FD, NULL, NULL, SOCK_CLOEXEC));
	want_accept(fd, 0);
	/* It does not matter whether the program asks for the address. */
	fd = CHILD_MUST(et_sys(SYS_accept4, FD, &a, &len, 0));
	want_accept(fd, 1);
#ifdef SYS_accept
	fd = CHILD_MUST(et_sys(SYS_accept, FD, NULL, NULL));
#else
	fd = CHILD_MUST(et_sys(SYS_socketcall, 5, (long[]){ FD, 0, 0 }));
	want_accept(fd, 2);
	fd = CHILD_MUST(et_sys(SYS_socketcall, 18, (long[]){ FD, 0, 0, SOCK_CLOEXEC }));
#endif
	want_accept(fd, NR_ACCEPTED - 1);
	CHILD_MUST_FAIL(et_sys(SYS_accept4, FD, NULL, NULL, 0), EAGAIN);
	CHILD_MUST_FAIL(et_sys(SYS_accept4, 99, NULL, NULL, 0), EBADF);
	CHILD_MUST_FAIL(et_sys(SYS_accept4, 0, NULL, NULL, 0), ENOTSOCK);
}

/* Listen at @a, and connect the clients. */
static void listen_at(void *a, socklen_t len)
{
	int s = MUST(socket(family, SOCK_STREAM | SOCK_NONBLOCK, 0));
	struct sockaddr_storage own;
	socklen_t size = sizeof(own);
	size_t i;

	MUST(bind(s, a, len));
	MUST(listen(s, 10));
	MUST(dup2(s, FD));
	close(s);
	MUST(getsockname(FD, (void *)&own, &size));
	for (i = 0; i < ET_NELEMS(clients); i++) {
		clients[i] = MUST(socket(family, SOCK_STREAM, 0));
		MUST(connect(clients[i], (void *)&own, size));
	}
}

/* The path is that of the listening socket: clients have none. */
TEST(unix)
{
	struct sockaddr_un a = { .sun_family = AF_UNIX };

	family = AF_UNIX;
	snprintf(a.sun_path, sizeof(a.sun_path), "%s", et_path("sock"));
	snprintf(peer, sizeof(peer), "%s", a.sun_path);
	listen_at(&a, sizeof(a));
	et_traced(do_accept);
}

/* The client may have closed its socket before it is accepted. */
TEST(closed)
{
	struct sockaddr_un a = { .sun_family = AF_UNIX };

	family = AF_UNIX;
	snprintf(a.sun_path, sizeof(a.sun_path), "%s", et_path("sock"));
	snprintf(peer, sizeof(peer), "%s", a.sun_path);
	listen_at(&a, sizeof(a));
	close(clients[1]);
	clients[1] = -1;
	et_traced(do_accept);
}

TEST(abstract)
{
	struct sockaddr_un a = { .sun_family = AF_UNIX };

	family = AF_UNIX;
	memcpy(a.sun_path, "\0etrace\0a", 9);
	a.sun_path[9] = 'a' + et_extended + 2 * et_int80;
	snprintf(peer, sizeof(peer), "@etrace@a%c", a.sun_path[9]);
	listen_at(&a, offsetof(struct sockaddr_un, sun_path) + 10);
	et_traced(do_accept);
}

static void do_inet(void)
{
	int i, n = NR_ACCEPTED;

	for (i = 0; i < n; i++) {
		struct sockaddr_storage a;
		struct sockaddr_in *in = (void *)&a;
		struct sockaddr_in6 *in6 = (void *)&a;
		socklen_t len = sizeof(a);
		char text[64];
		int fd;

		if (getsockname(clients[i], (void *)&a, &len))
			CHILD_FAIL("getsockname: %m");
		if (family == AF_INET)
			snprintf(peer, sizeof(peer), "%s:%d",
				 inet_ntop(AF_INET, &in->sin_addr, text, sizeof(text)),
				 ntohs(in->sin_port));
		else
			snprintf(peer, sizeof(peer), "[%s]:%d",
				 inet_ntop(AF_INET6, &in6->sin6_addr, text, sizeof(text)),
				 ntohs(in6->sin6_port));
		fd = CHILD_MUST(et_sys(SYS_accept4, FD, NULL, NULL, 0));
		want_accept(fd, i);
	}
}

TEST(inet)
{
	struct sockaddr_in a = {
		.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK),
	};

	family = AF_INET;
	listen_at(&a, sizeof(a));
	et_traced(do_inet);
}

TEST(inet6)
{
	struct sockaddr_in6 a = { .sin6_family = AF_INET6, .sin6_addr = IN6ADDR_LOOPBACK_INIT };
	int s = socket(AF_INET6, SOCK_STREAM, 0);

	if (s < 0 || bind(s, (void *)&a, sizeof(a))) {
		et_skip("no IPv6 here");
		return;
	}
	close(s);
	family = AF_INET6;
	listen_at(&a, sizeof(a));
	et_traced(do_inet);
}

int main(int argc, char **argv)
{
	et_facts = "ACCEPT AcceptPeer";
	return et_main(argc, argv, "");
}
