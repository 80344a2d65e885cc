// SPDX-License-Identifier: GPL-2.0
/*
 * Bind, BA, BindFailed: bind. In root_pid's tree, recorded only with the parameter extended.
 * connect.c tests how addresses are written.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <stddef.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <unistd.h>

#include "lib/etrace_test.h"

#define FD	100		/* sockets already open in the child */
#define FD2	101

static void want_bind(const char *address, int fd, int family)
{
	want_extended("Bind|addresssize=%zu,fd=%d,family=%d", strlen(address), fd, family);
	want_extended("BA|%s", address);
}

static void want_failed(int err)
{
	want_extended("BindFailed|");
	want_extended("Failed|error=%d", err);
}

static void have_sockets(int family)
{
	int s = MUST(socket(family, SOCK_STREAM, 0));

	MUST(dup2(s, FD));
	close(s);
	s = MUST(socket(family, SOCK_STREAM, 0));
	MUST(dup2(s, FD2));
	close(s);
}

static void do_unix(void)
{
	struct sockaddr_un a = { .sun_family = AF_UNIX, .sun_path = "x.sock" };
	const socklen_t head = offsetof(struct sockaddr_un, sun_path);

	CHILD_MUST(et_sys(SYS_bind, FD, &a, sizeof(a)));
	want_bind("x.sock", FD, AF_UNIX);
	CHILD_MUST_FAIL(et_sys(SYS_bind, FD2, &a, sizeof(a)), EADDRINUSE);
	want_bind("x.sock", FD2, AF_UNIX);
	want_failed(EADDRINUSE);
	memcpy(a.sun_path, "\0etrace\0test", 12);
	CHILD_MUST(et_sys(SYS_bind, FD2, &a, head + 12));
	want_bind("@etrace@test", FD2, AF_UNIX);
}

TEST(unix)
{
	have_sockets(AF_UNIX);
	et_traced(do_unix);
}

/* The kernel chooses the name. */
static void do_any(void)
{
	struct sockaddr_un a = { .sun_family = AF_UNIX };

	CHILD_MUST(et_sys(SYS_bind, FD, &a, 2));
	want_bind("", FD, AF_UNIX);
}

TEST(any_name)
{
	have_sockets(AF_UNIX);
	et_traced(do_any);
}

static void do_inet(void)
{
	struct sockaddr_in a = { .sin_family = AF_INET };

	CHILD_MUST(et_sys(SYS_bind, FD, &a, sizeof(a)));
	want_bind("0.0.0.0:0", FD, AF_INET);
	a.sin_addr.s_addr = htonl(0xc0000201);
	a.sin_port = htons(81);
	CHILD_MUST_FAIL(et_sys(SYS_bind, FD2, &a, sizeof(a)), EADDRNOTAVAIL);
	want_bind("192.0.2.1:81", FD2, AF_INET);
	want_failed(EADDRNOTAVAIL);
	CHILD_MUST_FAIL(et_sys(SYS_bind, FD2, (void *)8, sizeof(a)), EFAULT);
	want_extended("Bind|fd=%d,family=0", FD2);
	want_failed(EFAULT);
	CHILD_MUST_FAIL(et_sys(SYS_bind, 99, &a, sizeof(a)), EBADF);
	want_bind("192.0.2.1:81", 99, AF_INET);
	want_failed(EBADF);
}

TEST(inet)
{
	have_sockets(AF_INET);
	et_traced(do_inet);
}

static void do_inet6(void)
{
	struct sockaddr_in6 a = { .sin6_family = AF_INET6, .sin6_addr = IN6ADDR_LOOPBACK_INIT };

	CHILD_MUST(et_sys(SYS_bind, FD, &a, sizeof(a)));
	want_bind("[::1]:0", FD, AF_INET6);
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
	have_sockets(AF_INET6);
	et_traced(do_inet6);
}

#ifdef SYS_socketcall
static void do_socketcall(void)
{
	struct sockaddr_in a = { .sin_family = AF_INET };

	CHILD_MUST(et_sys(SYS_socketcall, 2, (long[]){ FD, (long)&a, sizeof(a) }));
	want_bind("0.0.0.0:0", FD, AF_INET);
}

TEST(socketcall)
{
	have_sockets(AF_INET);
	et_traced(do_socketcall);
}
#endif

int main(int argc, char **argv)
{
	et_facts = "BIND";
	return et_main(argc, argv, "");
}
