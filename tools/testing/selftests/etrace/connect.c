// SPDX-License-Identifier: GPL-2.0
/*
 * Connect, CA, ConnectSocket, ConnectFailed: connect. In root_pid's tree, recorded only with the
 * parameter extended.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <linux/netlink.h>
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

/* Sockets already open in the child. */
#define UNIX	100
#define INET	101
#define INET6	102
#define LINK	103

static void want_connect(const char *address, int fd, int family)
{
	want_extended("Connect|addresssize=%zu,fd=%d,family=%d", strlen(address), fd, family);
	want_extended("CA|%s", address);
}

/* Want the inode of the caller's own socket, not of its peer's. */
static void want_own(int fd)
{
	struct stat st;

	CHILD_MUST(fstat(fd, &st));
	want_extended("ConnectSocket|ino=%llu", (unsigned long long)st.st_ino);
}

static void want_failed(int err)
{
	want_extended("ConnectFailed|");
	want_extended("Failed|error=%d", err);
}

static void have_socket(int fd, int family, int type)
{
	int s = MUST(socket(family, type, 0));

	MUST(dup2(s, fd));
	close(s);
}

static socklen_t unix_addr(struct sockaddr_un *a, const char *name, size_t len)
{
	memset(a, 0, sizeof(*a));
	a->sun_family = AF_UNIX;
	memcpy(a->sun_path, name, len);
	return offsetof(struct sockaddr_un, sun_path) + len;
}

static void do_unix(void)
{
	struct sockaddr_un a;
	socklen_t len;
	char longest[109];

	/* The path as passed. */
	len = unix_addr(&a, "./listens", 10);
	CHILD_MUST(et_sys(SYS_connect, UNIX, &a, len));
	want_connect("./listens", UNIX, AF_UNIX);
	want_own(UNIX);
	CHILD_MUST_FAIL(et_sys(SYS_connect, UNIX, &a, sizeof(a)), EISCONN);
	want_connect("./listens", UNIX, AF_UNIX);
	want_failed(EISCONN);
	/* Without a null byte at its end. */
	len = unix_addr(&a, "/nowhere", 8);
	CHILD_MUST_FAIL(et_sys(SYS_connect, UNIX + 20, &a, len), ENOENT);
	want_connect("/nowhere", UNIX + 20, AF_UNIX);
	want_failed(ENOENT);
	/* An abstract name ends only with its length; null bytes become '@'. */
	len = unix_addr(&a, "\0nobody\0x", 9);
	CHILD_MUST_FAIL(et_sys(SYS_connect, UNIX + 20, &a, len), ECONNREFUSED);
	want_connect("@nobody@x", UNIX + 20, AF_UNIX);
	want_failed(ECONNREFUSED);
	/* The longest possible name. */
	memset(longest, 'n', 108);
	longest[108] = 0;
	len = unix_addr(&a, longest, 108);
	CHILD_MUST_FAIL(et_sys(SYS_connect, UNIX + 20, &a, len), ENOENT);
	want_connect(longest, UNIX + 20, AF_UNIX);
	want_failed(ENOENT);
	CHILD_MUST_FAIL(et_sys(SYS_connect, UNIX + 20, &a, 2), EINVAL);
	want_connect("", UNIX + 20, AF_UNIX);
	want_failed(EINVAL);
}

TEST(unix)
{
	struct sockaddr_un a;
	socklen_t len;
	int s = MUST(socket(AF_UNIX, SOCK_STREAM, 0));

	len = unix_addr(&a, et_path("listens"), strlen(et_path("listens")));
	MUST(bind(s, (void *)&a, len));
	MUST(listen(s, 5));
	have_socket(UNIX, AF_UNIX, SOCK_STREAM);
	have_socket(UNIX + 20, AF_UNIX, SOCK_STREAM);
	et_traced(do_unix);
	close(s);
}

static struct sockaddr_in inet(const char *text, int port)
{
	struct sockaddr_in a = { .sin_family = AF_INET, .sin_port = htons(port) };

	MUST(inet_pton(AF_INET, text, &a.sin_addr) - 1);
	return a;
}

static int listens_at;		/* port on 127.0.0.1 */

static void do_inet(void)
{
	struct sockaddr_in a = inet("127.0.0.1", listens_at);
	char text[64];

	snprintf(text, sizeof(text), "127.0.0.1:%d", listens_at);
	CHILD_MUST(et_sys(SYS_connect, INET, &a, sizeof(a)));
	want_connect(text, INET, AF_INET);
	/* Nothing listens there; for datagrams that does not matter. */
	a = inet("127.0.0.2", 9);
	CHILD_MUST_FAIL(et_sys(SYS_connect, INET + 10, &a, sizeof(a)), ECONNREFUSED);
	want_connect("127.0.0.2:9", INET + 10, AF_INET);
	want_failed(ECONNREFUSED);
	a = inet("127.255.0.100", 65535);
	CHILD_MUST(et_sys(SYS_connect, INET + 20, &a, sizeof(a)));
	want_connect("127.255.0.100:65535", INET + 20, AF_INET);
	/*
	 * Addresses that cannot be formatted: AF_UNSPEC, which disconnects, and one that is too
	 * short.
	 */
	a.sin_family = AF_UNSPEC;
	CHILD_MUST(et_sys(SYS_connect, INET + 20, &a, sizeof(a)));
	want_connect("family 0", INET + 20, AF_UNSPEC);
	a.sin_family = AF_INET;
	CHILD_MUST_FAIL(et_sys(SYS_connect, INET + 20, &a, 8), EINVAL);
	want_connect("family 2", INET + 20, AF_INET);
	want_failed(EINVAL);
}

TEST(inet)
{
	struct sockaddr_in a = inet("127.0.0.1", 0);
	socklen_t len = sizeof(a);
	int s = MUST(socket(AF_INET, SOCK_STREAM, 0));

	MUST(bind(s, (void *)&a, sizeof(a)));
	MUST(listen(s, 5));
	MUST(getsockname(s, (void *)&a, &len));
	listens_at = ntohs(a.sin_port);
	have_socket(INET, AF_INET, SOCK_STREAM);
	have_socket(INET + 10, AF_INET, SOCK_STREAM);
	have_socket(INET + 20, AF_INET, SOCK_DGRAM);
	et_traced(do_inet);
	close(s);
}

/* Non-blocking: EINPROGRESS only says that connecting has begun. */
static void do_in_progress(void)
{
	struct sockaddr_in a = inet("127.0.0.1", listens_at);
	char text[64];

	snprintf(text, sizeof(text), "127.0.0.1:%d", listens_at);
	CHILD_MUST_FAIL(et_sys(SYS_connect, INET, &a, sizeof(a)), EINPROGRESS);
	want_connect(text, INET, AF_INET);
	want_failed(EINPROGRESS);
}

TEST(nonblocking_in_progress)
{
	struct sockaddr_in a = inet("127.0.0.1", 0);
	socklen_t len = sizeof(a);
	int s = MUST(socket(AF_INET, SOCK_STREAM, 0));

	MUST(bind(s, (void *)&a, sizeof(a)));
	MUST(listen(s, 5));
	MUST(getsockname(s, (void *)&a, &len));
	listens_at = ntohs(a.sin_port);
	have_socket(INET, AF_INET, SOCK_STREAM | SOCK_NONBLOCK);
	et_traced(do_in_progress);
	close(s);
}

/* Addresses as they are written. */
static const char *const inet6s[] = {
	"::1", "::", "fe80::1", "2001:db8::1:0:0:1", "2001:db8:0:1:1:1:1:1",
	"2001:0:0:1::1", "1:2:3:4:5:6:7:8", "::ffff:127.0.0.1", "1:2:3:4:5:6:7:0",
	"0:2:3:4:5:6:7:8", "abcd:ef01:2345:6789:abcd:ef01:2345:6789", "1::", "::2:0:0:3:4",
};

static void do_inet6(void)
{
	struct sockaddr_in6 a = { .sin6_family = AF_INET6, .sin6_port = htons(80) };
	char text[64];
	size_t i;

	for (i = 0; i < ET_NELEMS(inet6s); i++) {
		if (inet_pton(AF_INET6, inet6s[i], &a.sin6_addr) != 1)
			CHILD_FAIL("%s", inet6s[i]);
		snprintf(text, sizeof(text), "[%s]:80", inet6s[i]);
		if (et_sys(SYS_connect, INET6, &a, sizeof(a)) == 0) {
			want_connect(text, INET6, AF_INET6);
			continue;
		}
		want_connect(text, INET6, AF_INET6);
		want_failed(errno);
	}
	/* Without the last four bytes (the scope id), which were added to the structure later. */
	if (inet_pton(AF_INET6, "::1", &a.sin6_addr) != 1)
		CHILD_FAIL("::1");
	CHILD_MUST(et_sys(SYS_connect, INET6, &a, 24));
	want_connect("[::1]:80", INET6, AF_INET6);
}

TEST(inet6)
{
	int s = socket(AF_INET6, SOCK_DGRAM, 0);

	if (s < 0) {
		et_skip("no IPv6 in this kernel");
		return;
	}
	close(s);
	have_socket(INET6, AF_INET6, SOCK_DGRAM);
	et_traced(do_inet6);
}

static void do_other(void)
{
	struct sockaddr_nl a = { .nl_family = AF_NETLINK };

	CHILD_MUST(et_sys(SYS_connect, LINK, &a, sizeof(a)));
	want_connect("family 16", LINK, AF_NETLINK);
}

TEST(other_family)
{
	have_socket(LINK, AF_NETLINK, SOCK_RAW);
	et_traced(do_other);
}

static void want_nothing(int fd, int err)
{
	want_extended("Connect|fd=%d,family=0", fd);
	want_failed(err);
}

/* Without an address, or without a matching socket. */
static void do_bad(void)
{
	struct sockaddr_in a = inet("127.0.0.1", 80);

	CHILD_MUST_FAIL(et_sys(SYS_connect, INET, (void *)8, 16), EFAULT);
	want_nothing(INET, EFAULT);
	CHILD_MUST_FAIL(et_sys(SYS_connect, INET, &a, -1), EINVAL);
	want_nothing(INET, EINVAL);
	CHILD_MUST_FAIL(et_sys(SYS_connect, INET, &a, 129), EINVAL);
	want_nothing(INET, EINVAL);
	CHILD_MUST_FAIL(et_sys(SYS_connect, INET, &a, 0), EINVAL);
	want_extended("Connect|addresssize=0,fd=%d,family=0", INET);
	want_extended("CA|");
	want_failed(EINVAL);
	CHILD_MUST_FAIL(et_sys(SYS_connect, 99, &a, sizeof(a)), EBADF);
	want_connect("127.0.0.1:80", 99, AF_INET);
	want_failed(EBADF);
	CHILD_MUST_FAIL(et_sys(SYS_connect, 98, (void *)8, 16), EBADF);
	want_nothing(98, EBADF);
	CHILD_MUST_FAIL(et_sys(SYS_connect, 0, &a, sizeof(a)), ENOTSOCK);
	want_connect("127.0.0.1:80", 0, AF_INET);
	want_failed(ENOTSOCK);
}

TEST(invalid_arguments)
{
	have_socket(INET, AF_INET, SOCK_STREAM);
	et_traced(do_bad);
}

#ifdef SYS_socketcall
static void do_socketcall(void)
{
	struct sockaddr_in a = inet("127.0.0.1", 7);

	CHILD_MUST(et_sys(SYS_socketcall, 3, (long[]){ INET, (long)&a, sizeof(a) }));
	want_connect("127.0.0.1:7", INET, AF_INET);
	CHILD_MUST_FAIL(et_sys(SYS_socketcall, 3, (long[]){ 99, (long)&a, sizeof(a) }), EBADF);
	want_connect("127.0.0.1:7", 99, AF_INET);
	want_failed(EBADF);
}

TEST(socketcall)
{
	have_socket(INET, AF_INET, SOCK_DGRAM);
	et_traced(do_socketcall);
}
#endif

int main(int argc, char **argv)
{
	et_facts = "CONNECT ConnectSocket";
	return et_main(argc, argv, "");
}
