// SPDX-License-Identifier: GPL-2.0
/*
 * Received, RP: recvmsg and recvmmsg with descriptors, pidfd_getfd. In root_pid's tree, recorded
 * only with the parameter extended.
 */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#include "lib/etrace_test.h"

#define MAX_FDS		253		/* maximum in a message: SCM_MAX_FD */
#define IN		100		/* the two sockets in the child */
#define OUT		101
#define FILE_A		102
#define FILE_B		103

static void want_received(const char *path, int fd, int cloexec)
{
	want_extended("Received|fnamesize=%zu,fd=%d,cloexec=%d", strlen(path), fd, cloexec);
	want_extended("RP|%s", path);
}

/* Send @n descriptors, or a message without any if @n is 0. Sending is not recorded. */
static void send_fds(const int *fds, int n)
{
	char control[CMSG_SPACE(MAX_FDS * sizeof(int))] = "", byte = 'x';
	struct iovec iov = { &byte, 1 };
	struct msghdr m = { .msg_iov = &iov, .msg_iovlen = 1 };
	struct cmsghdr *c = (void *)control;

	if (n) {
		m.msg_control = control;
		m.msg_controllen = CMSG_SPACE(n * sizeof(int));
		c->cmsg_level = SOL_SOCKET;
		c->cmsg_type = SCM_RIGHTS;
		c->cmsg_len = CMSG_LEN(n * sizeof(int));
		memcpy(CMSG_DATA(c), fds, n * sizeof(int));
	}
	CHILD_MUST(sendmsg(OUT, &m, 0));
}

static union {
	struct cmsghdr h;
	char room[16384];
} control;
static char data[64];
static struct iovec iov = { data, sizeof(data) };

static struct msghdr message(size_t room)
{
	memset(&control, 0, sizeof(control));
	return (struct msghdr){
		.msg_iov = &iov, .msg_iovlen = 1,
		.msg_control = room ? &control : NULL, .msg_controllen = room,
	};
}

static int received_fd(int i)
{
	return ((int *)CMSG_DATA(&control.h))[i];
}

static void sockets(int type)
{
	int sv[2];

	MUST(socketpair(AF_UNIX, type, 0, sv));
	MUST(dup2(sv[0], IN));
	MUST(dup2(sv[1], OUT));
	close(sv[0]);
	close(sv[1]);
	et_file("a");
	et_file("b");
	MUST(dup2(MUST(open(et_path("a"), O_RDONLY | O_CLOEXEC)), FILE_A));
	MUST(dup2(MUST(open(et_path("b"), O_RDWR | O_CLOEXEC)), FILE_B));
}

static void do_recvmsg(void)
{
	struct msghdr m = message(CMSG_SPACE(sizeof(int)));

	send_fds((int[]){ FILE_A }, 1);
	CHILD_MUST(et_sys(SYS_recvmsg, IN, &m, 0));
	want_received(et_path("a"), received_fd(0), 0);

	/* Two at once, and with MSG_CMSG_CLOEXEC. */
	send_fds((int[]){ FILE_B, FILE_A }, 2);
	m = message(sizeof(control));
	CHILD_MUST(et_sys(SYS_recvmsg, IN, &m, MSG_CMSG_CLOEXEC));
	want_received(et_path("b"), received_fd(0), 1);
	want_received(et_path("a"), received_fd(1), 1);

	/* MSG_PEEK delivers descriptors, too; then the message is received. */
	send_fds((int[]){ FILE_A }, 1);
	m = message(sizeof(control));
	CHILD_MUST(et_sys(SYS_recvmsg, IN, &m, MSG_PEEK));
	want_received(et_path("a"), received_fd(0), 0);
	m = message(sizeof(control));
	CHILD_MUST(et_sys(SYS_recvmsg, IN, &m, 0));
	want_received(et_path("a"), received_fd(0), 0);

	/* With room for only one of two. */
	send_fds((int[]){ FILE_A, FILE_B }, 2);
	m = message(CMSG_LEN(sizeof(int)));
	CHILD_MUST(et_sys(SYS_recvmsg, IN, &m, 0));
	want_received(et_path("a"), received_fd(0), 0);

	/* Without room for descriptors, and without any sent. */
	send_fds((int[]){ FILE_A }, 1);
	m = message(0);
	CHILD_MUST(et_sys(SYS_recvmsg, IN, &m, 0));
	send_fds(NULL, 0);
	m = message(sizeof(control));
	CHILD_MUST(et_sys(SYS_recvmsg, IN, &m, 0));
	CHILD_MUST_FAIL(et_sys(SYS_recvmsg, IN, &m, MSG_DONTWAIT), EAGAIN);
	CHILD_MUST_FAIL(et_sys(SYS_recvmsg, 99, &m, 0), EBADF);
}

TEST(recvmsg)
{
	sockets(SOCK_DGRAM);
	et_traced(do_recvmsg);
}

/* With other control data before the descriptors. */
static void do_among_others(void)
{
	struct msghdr m = message(sizeof(control));
	struct cmsghdr *c;
	int on = 1;

	CHILD_MUST(setsockopt(IN, SOL_SOCKET, SO_PASSCRED, &on, sizeof(on)));
	CHILD_MUST(setsockopt(IN, SOL_SOCKET, SO_TIMESTAMP, &on, sizeof(on)));
	send_fds((int[]){ FILE_A, FILE_B, FILE_A }, 3);
	CHILD_MUST(et_sys(SYS_recvmsg, IN, &m, 0));
	for (c = CMSG_FIRSTHDR(&m); c && c->cmsg_type != SCM_RIGHTS; c = CMSG_NXTHDR(&m, c))
		;
	if (!c || c == CMSG_FIRSTHDR(&m)) {
		CHILD_FAIL("the descriptors are not preceded by other control data");
		return;
	}
	want_received(et_path("a"), ((int *)CMSG_DATA(c))[0], 0);
	want_received(et_path("b"), ((int *)CMSG_DATA(c))[1], 0);
	want_received(et_path("a"), ((int *)CMSG_DATA(c))[2], 0);
}

TEST(after_other_control_messages)
{
	sockets(SOCK_DGRAM);
	et_traced(do_among_others);
}

/* Descriptors of files without a name. */
static void do_odd_files(void)
{
	struct msghdr m = message(sizeof(control));
	int fd[3], i;

	send_fds((int[]){ IN, 110, 111 }, 3);
	CHILD_MUST(et_sys(SYS_recvmsg, IN, &m, 0));
	for (i = 0; i < 3; i++) {
		fd[i] = received_fd(i);
		want_received(et_fd_path(fd[i]), fd[i], 0);
	}
}

TEST(special_files)
{
	int p[2];

	sockets(SOCK_DGRAM);
	MUST(pipe(p));
	MUST(dup2(p[0], 110));
	MUST(dup2(MUST(syscall(SYS_memfd_create, "mem", 0)), 111));
	et_traced(do_odd_files);
}

/* As many as possible: more than a probe emits at once. */
static void do_many(void)
{
	struct msghdr m = message(sizeof(control));
	int fds[MAX_FDS], i;

	for (i = 0; i < MAX_FDS; i++)
		fds[i] = i % 3 ? FILE_A : FILE_B;
	send_fds(fds, MAX_FDS);
	CHILD_MUST(et_sys(SYS_recvmsg, IN, &m, 0));
	for (i = 0; i < MAX_FDS; i++)
		want_received(et_path(i % 3 ? "a" : "b"), received_fd(i), 0);
	/* Descriptors of the next message come after them. */
	send_fds(fds, 1);
	m = message(sizeof(control));
	CHILD_MUST(et_sys(SYS_recvmsg, IN, &m, MSG_CMSG_CLOEXEC));
	want_received(et_path("b"), received_fd(0), 1);
}

TEST(many)
{
	struct rlimit lim = { 2000, 2000 };

	MUST(setrlimit(RLIMIT_NOFILE, &lim));
	sockets(SOCK_DGRAM);
	et_traced(do_many);
}

static const long recvmmsgs[] = {
	SYS_recvmmsg,
#ifdef SYS_recvmmsg_time64
	SYS_recvmmsg_time64,
#endif
};

static void do_recvmmsg(void)
{
	static char rooms[4][256] __attribute__((aligned(16)));
	struct mmsghdr m[4];
	size_t call;
	int i;

	for (call = 0; call < ET_NELEMS(recvmmsgs); call++) {
		send_fds((int[]){ FILE_A }, 1);
		send_fds(NULL, 0);
		send_fds((int[]){ FILE_B, FILE_A }, 2);
		for (i = 0; i < 4; i++)
			m[i] = (struct mmsghdr){ .msg_hdr = {
				.msg_iov = &iov, .msg_iovlen = 1,
				.msg_control = rooms[i], .msg_controllen = sizeof(rooms[i]),
			} };
		if (CHILD_MUST(et_sys(recvmmsgs[call], IN, m, 4, MSG_DONTWAIT | MSG_CMSG_CLOEXEC,
				      NULL)) != 3)
			CHILD_FAIL("recvmmsg did not return three messages");
		want_received(et_path("a"), ((int *)CMSG_DATA((struct cmsghdr *)rooms[0]))[0], 1);
		want_received(et_path("b"), ((int *)CMSG_DATA((struct cmsghdr *)rooms[2]))[0], 1);
		want_received(et_path("a"), ((int *)CMSG_DATA((struct cmsghdr *)rooms[2]))[1], 1);
		CHILD_MUST_FAIL(et_sys(recvmmsgs[call], IN, m, 4, MSG_DONTWAIT, NULL), EAGAIN);
	}
}

TEST(recvmmsg)
{
	sockets(SOCK_DGRAM);
	et_traced(do_recvmmsg);
}

#ifdef SYS_socketcall
/* The multiplexed call of i386, from before the calls had their own numbers. */
static void do_socketcall(void)
{
	struct msghdr m = message(sizeof(control));
	long args[6] = { IN, (long)&m, MSG_CMSG_CLOEXEC };
	struct mmsghdr two;

	send_fds((int[]){ FILE_A }, 1);
	CHILD_MUST(et_sys(SYS_socketcall, 17, args));	/* recvmsg */
	want_received(et_path("a"), received_fd(0), 1);
	send_fds((int[]){ FILE_B }, 1);
	two.msg_hdr = message(sizeof(control));
	args[1] = (long)&two;
	args[2] = 1;
	CHILD_MUST(et_sys(SYS_socketcall, 19, args));	/* recvmmsg */
	want_received(et_path("b"), received_fd(0), 0);
	/* send */
	CHILD_MUST(et_sys(SYS_socketcall, 9, (long[]){ OUT, (long)"x", 1, 0 }));
	CHILD_MUST_FAIL(et_sys(SYS_socketcall, 17, (void *)8), EFAULT);
	CHILD_MUST_FAIL(et_sys(SYS_socketcall, 99, args), EINVAL);
}

TEST(socketcall)
{
	sockets(SOCK_DGRAM);
	et_traced(do_socketcall);
}
#endif

#ifndef SYS_pidfd_getfd
#define SYS_pidfd_getfd	438
#endif

#define PIDFD	112

static void do_pidfd_getfd(void)
{
	int fd = CHILD_MUST(et_sys(SYS_pidfd_getfd, PIDFD, FILE_A, 0));

	want_received(et_path("a"), fd, 1);
	fd = CHILD_MUST(et_sys(SYS_pidfd_getfd, PIDFD, FILE_B, 0));
	want_received(et_path("b"), fd, 1);
	CHILD_MUST_FAIL(et_sys(SYS_pidfd_getfd, PIDFD, 99, 0), EBADF);
	CHILD_MUST_FAIL(et_sys(SYS_pidfd_getfd, PIDFD, FILE_A, 1), EINVAL);
}

TEST(pidfd_getfd)
{
	sockets(SOCK_DGRAM);
	MUST(dup2(MUST(syscall(SYS_pidfd_open, getpid(), 0)), PIDFD));
	et_traced(do_pidfd_getfd);
}

/*
 * Another thread overwrites everything that the kernel returns, while messages arrive: the
 * recorded data may be the thread's, but nothing breaks, and only open descriptors are recorded.
 * Pointers that the thread has made invalid count as unread.
 */
static atomic_bool over;
static struct msghdr forged;

static void *forge(void *arg)
{
	static const size_t lens[] = {
		0, 1, 12, 16, 17, 20, 64, sizeof(control), 1UL << 30, -1UL, -15UL,
	};
	unsigned int i = 0;

	while (!atomic_load(&over)) {
		size_t len = lens[i++ % ET_NELEMS(lens)];
		volatile struct msghdr *m = &forged;
		volatile struct cmsghdr *c = &control.h;

		m->msg_controllen = len;
		m->msg_control = i % 7 ? (void *)&control : (void *)(i % 2 ? -8UL : 8UL);
		c->cmsg_len = lens[i * 3 % ET_NELEMS(lens)];
		c->cmsg_level = SOL_SOCKET;
		c->cmsg_type = SCM_RIGHTS;
		*(volatile int *)CMSG_DATA(&control.h) = i % 3 ? 12345678 : -1;
	}
	return arg;
}

static void do_forged(void)
{
	pthread_t thread;
	int i;

	want_any(syscall(SYS_gettid));
	want_count("strings_unread", ET_ANY);
	if (pthread_create(&thread, NULL, forge, NULL))
		CHILD_FAIL("pthread_create");
	for (i = 0; i < 3000; i++) {
		int fd = FILE_A;

		send_fds(&fd, i % 5 ? 1 : 0);
		forged = message(sizeof(control));
		et_sys(SYS_recvmsg, IN, &forged, MSG_DONTWAIT);
		/* Close received descriptors from time to time. */
		if (i % 64 == 63)
			syscall(SYS_close_range, 120, ~0U, 0);
	}
	atomic_store(&over, true);
	pthread_join(thread, NULL);
}

static const char *bad_fd;

static void watch(struct et_task *t, const struct et_line *l)
{
	(void)t;
	if (!strncmp(l->text, "Received|", 9) &&
	    (strstr(l->text, "fd=12345678") || strstr(l->text, "fd=-1")))
		bad_fd = l->text;
}

TEST(control_data_changed_during_call)
{
	struct et_trace tr;

	sockets(SOCK_DGRAM);
	atomic_store(&over, false);
	bad_fd = NULL;
	et_trace_watch = watch;
	et_run(do_forged, &tr);
	et_trace_watch = NULL;
	EXPECT(!bad_fd, "a recorded descriptor was never received");
	et_trace_free(&tr);
}

int main(int argc, char **argv)
{
	et_facts = "RECEIVED";
	return et_main(argc, argv, "");
}
