// SPDX-License-Identifier: GPL-2.0
/*
 * CloseRead, CloseWrote, CloseFile, Use: which program really read and wrote. A descriptor's use
 * is recorded with its close, which may be by execve, or when the program ends.
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/aio_abi.h>
#include <pthread.h>
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/sendfile.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

#include "lib/etrace_test.h"

int clone(int (*fn)(void *), void *stack, int flags, void *arg, ...);

static char buf[8192];

/* Open a file, and want its lines. Return: the descriptor. */
static int want_open(const char *name, int flags)
{
	int fd = CHILD_MUST(open(et_path(name), flags, 0600));

	want("Open|fnamesize=%zu,forigsize=%zu,flags=%u,mode=%u,fd=%d",
	     strlen(et_path(name)), strlen(et_path(name)),
	     (unsigned int)flags, flags & O_CREAT ? 0600 : 0, fd);
	want("FN|%s", et_path(name));
	want("FO|%s", et_path(name));
	return fd;
}

static void want_state(const char *line, const struct stat *st)
{
	want_extended("%s|size=%lld,mtime=%lld", line, (long long)st->st_size,
		      st->st_mtim.tv_sec * 1000000000LL + st->st_mtim.tv_nsec);
}

/* Want size and mtime of a file that was written. */
static void want_file(const char *line, int fd)
{
	struct stat st;

	CHILD_MUST(fstat(fd, &st));
	want_state(line, &st);
}

static bool all_copied;	/* whether everything that is written from now on is copied */

/* -1: not read, not written. @is_file: the descriptor that was written is a file's. */
static void want_closed(int fd, long long was_read, long long wrote, bool is_file)
{
	want("Close|fd=%d", fd);
	if (was_read >= 0)
		want_extended("CloseRead|bytes=%lld", was_read);
	if (wrote >= 0)
		want_extended("CloseWrote|bytes=%lld", wrote);
	if (wrote >= 0 && all_copied)
		want_extended("CloseCopied|copied=1");
	if (wrote >= 0 && is_file)
		want_file("CloseFile", fd);
	CHILD_MUST(close(fd));
}

static void want_use(int fd, long long was_read, long long wrote, bool is_file)
{
	want_extended("Use|fd=%d", fd);
	if (was_read >= 0)
		want_extended("UseRead|bytes=%lld", was_read);
	if (wrote >= 0)
		want_extended("UseWrote|bytes=%lld", wrote);
	if (wrote >= 0 && is_file)
		want_file("UseFile", fd);
}

/* Create a file of 1000 bytes. */
static void make_file(const char *name)
{
	int fd = MUST(open(et_path(name), O_CREAT | O_WRONLY, 0600));

	MUST(write(fd, buf, 1000));
	close(fd);
}

static void do_read(void)
{
	struct iovec iov[2] = { { buf, 10 }, { buf + 10, 20 } };
	int fd = want_open("in", O_RDONLY);

	CHILD_MUST(et_sys(SYS_read, fd, buf, 100));
	CHILD_MUST(et_sys(SYS_readv, fd, iov, 2));
	CHILD_MUST(pread(fd, buf, 7, 3));
	CHILD_MUST(preadv(fd, iov, 2, 0));
	CHILD_MUST(preadv2(fd, iov, 2, 0, 0));
	want_closed(fd, 100 + 30 + 7 + 30 + 30, -1, false);

	/* Opened but not used; and a read of 0 bytes. */
	fd = want_open("in", O_RDONLY);
	want_closed(fd, -1, -1, false);
	fd = want_open("in", O_RDONLY);
	CHILD_MUST(lseek(fd, 0, SEEK_END));
	CHILD_MUST(read(fd, buf, 100));
	want_closed(fd, 0, -1, false);
	/* A failed call has read nothing. */
	fd = want_open("in", O_WRONLY);
	CHILD_MUST_FAIL(read(fd, buf, 1), EBADF);
	want_closed(fd, -1, -1, false);
}

TEST(read)
{
	make_file("in");
	et_traced(do_read);
}

static void do_write(void)
{
	struct iovec iov[2] = { { buf, 10 }, { buf + 10, 20 } };
	int fd = want_open("out", O_RDWR | O_CREAT);

	CHILD_MUST(et_sys(SYS_write, fd, buf, 1000));
	CHILD_MUST(et_sys(SYS_writev, fd, iov, 2));
	CHILD_MUST(pwrite(fd, buf, 7, 5000));
	CHILD_MUST(pwritev(fd, iov, 2, 0));
	CHILD_MUST(pwritev2(fd, iov, 2, 0, 0));
	want_closed(fd, -1, 1000 + 30 + 7 + 30 + 30, true);

	/* Both read and written. */
	fd = want_open("out", O_RDWR);
	CHILD_MUST(read(fd, buf, 8));
	CHILD_MUST(write(fd, buf, 9));
	want_closed(fd, 8, 9, true);
}

TEST(write)
{
	et_traced(do_write);
}

/*
 * A refused write must not record the state of the file, which another descriptor has changed
 * meanwhile. Calls that the filter allows count.
 */
static void do_refused(void)
{
	int in = want_open("in", O_RDONLY), fd = want_open("out", O_WRONLY | O_CREAT);
	int other = want_open("out", O_WRONLY);
	struct stat st;

	CHILD_MUST(et_sys(SYS_read, in, buf, 10));
	CHILD_MUST(et_sys(SYS_write, fd, buf, 10));
	CHILD_MUST(fstat(fd, &st));
	et_refuse(SYS_write, fd, 0);
	CHILD_MUST(et_sys(SYS_read, in, buf, 20));
	CHILD_MUST(et_sys(SYS_write, other, buf, 30));
	CHILD_MUST(et_sys(SYS_write, other, buf, 40));
	if (et_sys(SYS_write, fd, buf, 50))
		CHILD_FAIL("the write was not refused");
	want_closed(in, 10 + 20, -1, false);
	want_closed(other, -1, 30 + 40, true);
	want("Close|fd=%d", fd);
	want_extended("CloseWrote|bytes=10");
	want_state("CloseFile", &st);
	CHILD_MUST(close(fd));
}

TEST(write_refused_by_seccomp)
{
	make_file("in");
	et_traced(do_refused);
}

/* io_submit starts the calls; their number of bytes is not known yet. */
static void do_aio(void)
{
	int in = want_open("in", O_RDONLY), idle = want_open("in", O_RDONLY);
	int out = want_open("out", O_WRONLY | O_CREAT);
	struct iocb ask[3] = {
		{ .aio_lio_opcode = IOCB_CMD_FDSYNC, .aio_fildes = (unsigned int)idle },
		{ .aio_lio_opcode = IOCB_CMD_PREAD, .aio_fildes = (unsigned int)in,
		  .aio_buf = (uintptr_t)buf, .aio_nbytes = 100 },
		{ .aio_lio_opcode = IOCB_CMD_PWRITE, .aio_fildes = (unsigned int)out,
		  .aio_buf = (uintptr_t)buf + 4096, .aio_nbytes = 10 },
	}, *list[3] = { &ask[0], &ask[1], &ask[2] };
	struct io_event done[3];
	aio_context_t ctx = 0;

	CHILD_MUST(syscall(SYS_io_setup, 3, &ctx));
	if (CHILD_MUST(syscall(SYS_io_submit, ctx, 3, list)) != 3)
		CHILD_FAIL("io_submit did not accept all requests");
	CHILD_MUST(syscall(SYS_io_getevents, ctx, 3, 3, done, NULL));
	want_closed(in, 0, -1, false);
	want_closed(out, -1, 0, true);
	want_closed(idle, -1, -1, false);
}

TEST(aio)
{
	make_file("in");
	et_traced(do_aio);
}

static void do_map(void)
{
	int fd = want_open("in", O_RDWR);
	char *p;

	p = mmap(NULL, 1000, PROT_READ, MAP_PRIVATE, fd, 0);
	want_closed(fd, 0, -1, false);
	munmap(p, 1000);

	fd = want_open("in", O_RDWR);
	p = mmap(NULL, 1000, PROT_READ | PROT_WRITE, MAP_PRIVATE, fd, 0);
	want_closed(fd, 0, -1, false);
	munmap(p, 1000);

	fd = want_open("in", O_RDWR);
	p = mmap(NULL, 1000, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	want_closed(fd, 0, 0, true);
	munmap(p, 1000);

	/* An anonymous mapping ignores the descriptor. */
	fd = want_open("in", O_RDWR);
	p = mmap(NULL, 1000, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, fd, 0);
	want_closed(fd, -1, -1, false);
	munmap(p, 1000);
}

TEST(mmap)
{
	make_file("in");
	et_traced(do_map);
}

#define PIPE	60	/* its ends in the child */

static void pipe_open(void)
{
	int fd[2];

	MUST(pipe(fd));
	MUST(dup2(fd[0], PIPE));
	MUST(dup2(fd[1], PIPE + 1));
	close(fd[0]);
	close(fd[1]);
}

static void pipe_close(void)
{
	close(PIPE);
	close(PIPE + 1);
}

static void do_copy(void)
{
	int in = want_open("in", O_RDONLY), out = want_open("out", O_RDWR | O_CREAT);
	struct iovec iov = { buf, 50 };
	loff_t off = 0;

	CHILD_MUST(sendfile(out, in, NULL, 100));
	CHILD_MUST(copy_file_range(in, NULL, out, NULL, 200, 0));
	CHILD_MUST(splice(in, &off, PIPE + 1, NULL, 300, 0));
	CHILD_MUST(splice(PIPE, NULL, out, NULL, 300, 0));
	want_closed(in, 100 + 200 + 300, -1, false);
	all_copied = true;
	want_closed(out, -1, 100 + 200 + 300, true);
	all_copied = false;
	/* A copy of 0 bytes: the source was read, but the target was not written. */
	in = want_open("empty", O_RDONLY | O_CREAT);
	out = want_open("out", O_WRONLY);
	CHILD_MUST(sendfile(out, in, NULL, 100));
	want_closed(in, 0, -1, false);
	want_closed(out, -1, -1, false);

	CHILD_MUST(vmsplice(PIPE + 1, &iov, 1, 0));
	CHILD_MUST(vmsplice(PIPE, &iov, 1, 0));
	want_closed(PIPE, 300 + 50, -1, false);
	want_closed(PIPE + 1, -1, 300 + 50, false);
}

TEST(copy)
{
	make_file("in");
	pipe_open();
	et_traced(do_copy);
	pipe_close();
}

/* ---- sockets are recorded by turns ---- */

#define SOCKET	70

static void make_sockets(int type)
{
	int fd[2];

	MUST(socketpair(AF_UNIX, type, 0, fd));
	MUST(dup2(fd[0], SOCKET));
	MUST(dup2(fd[1], SOCKET + 1));
	close(fd[0]);
	close(fd[1]);
}

static void close_sockets(void)
{
	close(SOCKET);
	close(SOCKET + 1);
}

/*
 * Want the record for a turn of a socket: its use before that, which may be none, or what is
 * written.
 */
static void want_turn(int fd, long long was_read, long long wrote)
{
	want_use(fd, was_read, wrote, false);
}

static void do_messages(void)
{
	struct iovec iov = { buf, 5 };
	struct msghdr msg = { .msg_iov = &iov, .msg_iovlen = 1 };
	struct mmsghdr some = { .msg_hdr = msg };

	CHILD_MUST(send(SOCKET, buf, 3, 0));
	want_turn(SOCKET, -1, 3);
	CHILD_MUST(sendmsg(SOCKET, &msg, 0));
	want_turn(SOCKET, -1, 5);
	want_turn(SOCKET + 1, -1, -1);
	CHILD_MUST(recv(SOCKET + 1, buf, 3, 0));
	CHILD_MUST(recvmsg(SOCKET + 1, &msg, 0));
	want_closed(SOCKET, -1, -1, false);
	/* For several messages, the number of bytes is not recorded. */
	CHILD_MUST(sendmmsg(SOCKET + 1, &some, 1, 0));
	want_turn(SOCKET + 1, 3 + 5, 0);
	want_closed(SOCKET + 1, -1, -1, false);
}

TEST(messages)
{
	make_sockets(SOCK_STREAM);
	et_traced(do_messages);
	close_sockets();
}

/* A server: each answer is recorded, and that a question was read. */
static void do_turns(void)
{
	int i;

	for (i = 1; i <= 3; i++) {
		CHILD_MUST(write(SOCKET, buf, 1 + i));
		want_turn(SOCKET, i > 1 ? 7 : -1, 1 + i);
		want_turn(SOCKET + 1, -1, -1);
		CHILD_MUST(read(SOCKET + 1, buf, 1));
		CHILD_MUST(read(SOCKET + 1, buf, i));
		CHILD_MUST(write(SOCKET + 1, buf, 7));
		want_turn(SOCKET + 1, 1 + i, 7);
		want_turn(SOCKET, -1, -1);
		CHILD_MUST(read(SOCKET, buf, 7));
	}
	want_closed(SOCKET, 7, -1, false);
	want_closed(SOCKET + 1, -1, -1, false);
	/* Pipes have one direction, even if a program has both ends. */
	CHILD_MUST(write(PIPE + 1, buf, 1));
	CHILD_MUST(read(PIPE, buf, 1));
	CHILD_MUST(write(PIPE + 1, buf, 1));
	CHILD_MUST(read(PIPE, buf, 1));
	want_closed(PIPE, 2, -1, false);
	want_closed(PIPE + 1, -1, 2, false);
}

TEST(turns_of_a_server)
{
	make_sockets(SOCK_STREAM);
	pipe_open();
	et_traced(do_turns);
	pipe_close();
	close_sockets();
}

/* The number of recorded turns is limited; a new file with the same number starts again. */
#define TURNS	255

static void do_many_turns(void)
{
	int i;

	for (i = 0; i < TURNS; i++) {
		CHILD_MUST(write(SOCKET, buf, 1));
		want_turn(SOCKET, -1, 1);
	}
	want_turn(SOCKET + 1, -1, -1);
	for (i = 0; i < 3; i++) {
		CHILD_MUST(write(SOCKET, buf, 2));
		CHILD_MUST(read(SOCKET + 1, buf, 1));
	}
	CHILD_MUST(write(SOCKET + 1, buf, 1));
	want_turn(SOCKET + 1, 3, 1);
	CHILD_MUST(read(SOCKET, buf, 1));
	CHILD_MUST(dup2(SOCKET + 1, SOCKET));
	want_turn(SOCKET, 1, 6);
	want("Dup|oldfd=%d,newfd=%d,flags=0", SOCKET + 1, SOCKET);
	want_turn(SOCKET, -1, -1);
	CHILD_MUST(read(SOCKET, buf, 4));
	want_closed(SOCKET, 4, -1, false);
	want_closed(SOCKET + 1, -1, -1, false);
}

TEST(many_turns)
{
	make_sockets(SOCK_STREAM);
	et_traced(do_many_turns);
	close_sockets();
}

/* A descriptor received from a socket; then its number is given to another file. */
static void do_received(void)
{
	char control[CMSG_SPACE(sizeof(int))] = { 0 };
	struct iovec iov = { buf, 1 };
	struct msghdr msg = {
		.msg_iov = &iov, .msg_iovlen = 1,
		.msg_control = control, .msg_controllen = sizeof(control),
	};
	struct cmsghdr *c = CMSG_FIRSTHDR(&msg);
	int in = want_open("in", O_RDONLY), fd, other;

	c->cmsg_level = SOL_SOCKET;
	c->cmsg_type = SCM_RIGHTS;
	c->cmsg_len = CMSG_LEN(sizeof(int));
	memcpy(CMSG_DATA(c), &in, sizeof(in));
	CHILD_MUST(sendmsg(SOCKET, &msg, 0));
	want_turn(SOCKET, -1, 1);
	msg.msg_controllen = sizeof(control);
	want_turn(SOCKET + 1, -1, -1);
	CHILD_MUST(recvmsg(SOCKET + 1, &msg, 0));
	memcpy(&fd, CMSG_DATA(CMSG_FIRSTHDR(&msg)), sizeof(fd));
	CHILD_MUST(read(fd, buf, 9));
	want_closed(in, -1, -1, false);
	want_closed(fd, 9, -1, false);
	other = want_open("in", O_RDONLY);
	want_closed(other, -1, -1, false);
	want_closed(SOCKET, -1, -1, false);
	want_closed(SOCKET + 1, 1, -1, false);
}

TEST(use_of_received_descriptors)
{
	make_file("in");
	make_sockets(SOCK_STREAM);
	et_traced(do_received);
	close_sockets();
}

/* The use of descriptors that stay open is recorded when the program ends, by number. */
static void do_end(void)
{
	int in = want_open("in", O_RDONLY), out = want_open("out", O_WRONLY | O_CREAT);
	int other = want_open("in", O_RDONLY);

	CHILD_MUST(write(out, buf, 20));
	CHILD_MUST(read(in, buf, 10));
	(void)other;
	want_use(in, 10, -1, false);
	want_use(out, -1, 20, true);
}

TEST(use_at_exit)
{
	make_file("in");
	et_traced(do_end);
}

/* A number that dup2 gives to another file. */
static void do_dup(void)
{
	int in = want_open("in", O_RDONLY), other = want_open("in", O_RDONLY);

	CHILD_MUST(read(in, buf, 10));
	CHILD_MUST(dup2(other, in));
	want_use(in, 10, -1, false);
	want("Dup|oldfd=%d,newfd=%d,flags=0", other, in);
	CHILD_MUST(read(in, buf, 11));
	CHILD_MUST(read(other, buf, 12));
	want_closed(in, 11, -1, false);
	want_closed(other, 12, -1, false);
}

TEST(dup)
{
	make_file("in");
	et_traced(do_dup);
}

/* A child that uses an inherited descriptor has used it, and its parent has not. */
static void do_fork(void)
{
	int in = want_open("in", O_RDONLY), out = want_open("out", O_WRONLY | O_CREAT), status;
	pid_t pid;

	CHILD_MUST(read(in, buf, 10));
	pid = CHILD_MUST(fork());
	if (!pid) {
		CHILD_MUST(read(in, buf, 30));
		CHILD_MUST(write(out, buf, 40));
		want_closed(in, 30, -1, false);
		want_use(out, -1, 40, true);
		want("Exit|status=0");
		_exit(0);
	}
	want("SysClone|flags=%llu", (unsigned long long)(CLONE_CHILD_SETTID |
							CLONE_CHILD_CLEARTID | SIGCHLD));
	want_fork(pid);
	waitpid(pid, &status, 0);
	want_closed(in, 10, -1, false);
	want_closed(out, -1, -1, false);
}

TEST(fork)
{
	make_file("in");
	et_traced(do_fork);
}

/* Threads are one program: the record at close contains the use of all threads. */
static int shared_in, shared_out;

static void *thread(void *arg)
{
	CHILD_MUST(read(shared_in, buf, 30));
	CHILD_MUST(write(shared_out, buf, 40));
	return arg;
}

static void do_threads(void)
{
	pthread_t t[3];
	int i;

	shared_in = want_open("in", O_RDONLY);
	shared_out = want_open("out", O_WRONLY | O_CREAT);
	for (i = 0; i < 3; i++) {
		if (pthread_create(&t[i], NULL, thread, NULL))
			CHILD_FAIL("cannot create a thread");
		pthread_join(t[i], NULL);
	}
	CHILD_MUST(read(shared_in, buf, 1));
	CHILD_MUST(close(shared_in));
}

/*
 * Once a second thread uses a socket, it is recorded like a file; the second thread's record has
 * the use so far.
 */
static void *answer(void *arg)
{
	CHILD_MUST(write(SOCKET, buf, 20));
	return arg;
}

static void do_two_threads(void)
{
	pthread_t t;

	CHILD_MUST(write(SOCKET + 1, buf, 40));
	CHILD_MUST(read(SOCKET, buf, 10));
	if (pthread_create(&t, NULL, answer, NULL))
		CHILD_FAIL("cannot create a thread");
	pthread_join(t, NULL);
	CHILD_MUST(read(SOCKET, buf, 30));
	CHILD_MUST(write(SOCKET, buf, 1));
	CHILD_MUST(close(SOCKET));
}

static size_t find_line(const struct et_task *t, const char *text)
{
	size_t i;

	for (i = 0; i < t->nr; i++)
		if (!strcmp(t->line[i].text, text))
			return i;
	return t->nr;
}

static bool has_line(const struct et_trace *tr, const char *text)
{
	size_t n;

	for (n = 0; n < tr->nr; n++)
		if (find_line(&tr->task[n], text) < tr->task[n].nr)
			return true;
	return false;
}

/* In any task: when a process ends, its last thread emits the record. */
static void expect_next(const struct et_trace *tr, const char *first, const char *next)
{
	size_t n, i;

	for (n = 0; n < tr->nr; n++) {
		const struct et_task *t = &tr->task[n];

		i = find_line(t, first);
		if (i == t->nr)
			continue;
		if (i + 1 == t->nr || strcmp(t->line[i + 1].text, next))
			FAIL("%s comes behind %s, not %s",
			     i + 1 < t->nr ? t->line[i + 1].text : "nothing", first, next);
		return;
	}
	FAIL("there is no line %s", first);
}

TEST(threads)
{
	struct et_trace tr;
	char text[64];

	make_file("in");
	et_run(do_threads, &tr);
	if (et_extended) {
		/* The first free numbers, which are the same in the parent. */
		int fd = open("/dev/null", O_RDONLY);

		snprintf(text, sizeof(text), "Close|fd=%d", fd);
		expect_next(&tr, text, "CloseRead|bytes=91");
		snprintf(text, sizeof(text), "Use|fd=%d", fd + 1);
		expect_next(&tr, text, "UseWrote|bytes=120");
		close(fd);
	}
	et_trace_free(&tr);
}

TEST(turns_of_two_threads)
{
	static const char *const wanted[] = {
		"UseRead|bytes=10", "Close|fd=70", "CloseRead|bytes=30", "CloseWrote|bytes=21",
	};
	struct et_trace tr;
	size_t i;

	make_sockets(SOCK_STREAM);
	et_run(do_two_threads, &tr);
	for (i = 0; et_extended && i < ET_NELEMS(wanted); i++)
		EXPECT(has_line(&tr, wanted[i]), "no line %s", wanted[i]);
	et_trace_free(&tr);
	close_sockets();
}

/* Processes whose threads end all at once, with uses to record and nothing closed. */
#define PROCESSES	60
#define AT_ONCE		4

static pthread_barrier_t all_have_read;

static void *read_and_end(void *arg)
{
	CHILD_MUST(read((int)(intptr_t)arg, buf, 1));
	pthread_barrier_wait(&all_have_read);
	syscall(SYS_exit, 0);
	return NULL;
}

static void do_last_threads(void)
{
	pthread_t t;
	int i, k;

	for (i = 0; i < PROCESSES; i++) {
		pid_t pid = CHILD_MUST(fork());

		if (pid) {
			CHILD_MUST(waitpid(pid, NULL, 0));
			continue;
		}
		pthread_barrier_init(&all_have_read, NULL, AT_ONCE);
		for (k = 0; k < AT_ONCE - 1; k++)
			pthread_create(&t, NULL, read_and_end,
				       (void *)(intptr_t)open("in", O_RDONLY));
		read_and_end((void *)(intptr_t)open("in", O_RDONLY));
	}
}

TEST(last_threads)
{
	size_t i, j, uses = 0, costs = 0;
	const char *facts = et_facts;
	struct et_trace tr;

	if (!et_extended) {
		et_skip("only with extended events");
		return;
	}
	make_file("in");
	et_facts = "USE UseRead ExitTime";
	et_run(do_last_threads, &tr);
	et_facts = facts;
	for (i = 0; i < tr.nr; i++)
		for (j = 0; j < tr.task[i].nr; j++) {
			uses += !strcmp(tr.task[i].line[j].text, "UseRead|bytes=1");
			costs += !strncmp(tr.task[i].line[j].text, "ExitTime|", 9);
		}
	EXPECT_EQ(uses, PROCESSES * AT_ONCE);
	/* Each process records once what it has used, and so does the one that started them. */
	EXPECT_EQ(costs, PROCESSES + 1);
	et_trace_free(&tr);
}

static char stack[65536];

static int sharer(void *arg)
{
	CHILD_MUST(read(shared_in, buf, 30));
	want_use(shared_in, 30, -1, false);
	CHILD_MUST(write(shared_out, buf, 5));
	want_use(shared_out, -1, 5, true);
	want("Exit|status=0");
	_exit(0);
	return arg ? 1 : 0;
}

static void do_shared(void)
{
	pid_t pid;
	int status;

	shared_in = want_open("in", O_RDONLY);
	shared_out = want_open("out", O_WRONLY | O_CREAT);
	CHILD_MUST(read(shared_in, buf, 10));
	pid = CHILD_MUST(clone(sharer, stack + sizeof(stack) - 64, CLONE_FILES | SIGCHLD, NULL));
	/* The use so far is recorded when a second program shares the table. */
	want_use(shared_in, 10, -1, false);
	want("SysClone|flags=%d", CLONE_FILES | SIGCHLD);
	want_fork(pid);
	waitpid(pid, &status, 0);
	CHILD_MUST(read(shared_in, buf, 20));
	want_use(shared_in, 20, -1, false);
	want_closed(shared_in, -1, -1, false);
	want_closed(shared_out, -1, -1, false);
}

TEST(shared_table)
{
	make_file("in");
	et_traced(do_shared);
}

/* Numbers too high to be remembered. */
#define HIGH	1000

static void do_high(void)
{
	CHILD_MUST(read(HIGH, buf, 10));
	want_use(HIGH, 10, -1, false);
	CHILD_MUST(read(HIGH, buf, 11));
	want_use(HIGH, 11, -1, false);
	want_closed(HIGH, -1, -1, false);
}

TEST(high_numbers)
{
	struct rlimit limit;
	int fd;

	MUST(getrlimit(RLIMIT_NOFILE, &limit));
	if (limit.rlim_cur <= HIGH) {
		limit.rlim_cur = limit.rlim_max = 4096;
		MUST(setrlimit(RLIMIT_NOFILE, &limit));
	}
	make_file("in");
	fd = MUST(open(et_path("in"), O_RDONLY));
	MUST(dup2(fd, HIGH));
	close(fd);
	et_traced(do_high);
	close(HIGH);
}

/* execve closes descriptors; the use by the old program is recorded before the new one runs. */
static void do_exec(void)
{
	int kept = want_open("in", O_RDONLY), gone = want_open("in", O_RDONLY | O_CLOEXEC);

	want_open("in", O_RDONLY | O_CLOEXEC);
	CHILD_MUST(read(kept, buf, 10));
	CHILD_MUST(read(gone, buf, 20));
	execl("/proc/self/exe", "use", "--exec", NULL);
	CHILD_FAIL("execl: %m");
}

/* The wanted lines come directly before those of the new program. */
TEST(use_before_exec)
{
	static const char * const wanted[] = {
		"Close|fd=%d", "CloseRead|bytes=20", "CloseExec|execve=1", "Close|fd=%d",
		"CloseExec|execve=1", "Use|fd=%d", "UseRead|bytes=10", "New_proc|",
	};
	struct et_task *t;
	struct et_trace tr;
	char text[64];
	size_t i, at;
	int fd;

	make_file("in");
	t = et_trace_pid(&tr, et_run(do_exec, &tr));
	fd = open("/dev/null", O_RDONLY);
	snprintf(text, sizeof(text), "Close|fd=%d", fd + 1);
	at = t ? find_line(t, text) : 0;
	for (i = 0; et_extended && i < ET_NELEMS(wanted); i++) {
		snprintf(text, sizeof(text), wanted[i],
			 i == 0 ? fd + 1 : i == 3 ? fd + 2 : fd);
		if (!t || at + i >= t->nr || strncmp(t->line[at + i].text, text, strlen(text)))
			FAIL("line %zu is %s, must be %s", at + i, t && at + i < t->nr ?
			     t->line[at + i].text : "missing", text);
	}
	close(fd);
	et_trace_free(&tr);
}

static void *exec_other(void *arg)
{
	execl("/proc/self/exe", "use", "--exec", NULL);
	CHILD_FAIL("execl: %m");
	return arg;
}

static void do_exec_thread(void)
{
	int kept = want_open("in", O_RDONLY), gone = want_open("in", O_RDONLY | O_CLOEXEC);
	pthread_t t;

	CHILD_MUST(read(kept, buf, 113));
	CHILD_MUST(read(gone, buf, 127));
	if (pthread_create(&t, NULL, exec_other, NULL))
		CHILD_FAIL("cannot create a thread");
	pause();
}

/*
 * The thread that calls execve becomes the leader: uses before that are recorded nevertheless; by
 * BPF when the old leader ends, and so not with the close.
 */
TEST(use_before_exec_by_thread)
{
	struct et_trace tr;

	make_file("in");
	et_run(do_exec_thread, &tr);
	if (et_extended) {
		EXPECT(has_line(&tr, "UseRead|bytes=113"));
		EXPECT(has_line(&tr, "CloseRead|bytes=127") ||
		      (et_bpf() && has_line(&tr, "UseRead|bytes=127")));
	}
	et_trace_free(&tr);
}

int main(int argc, char **argv)
{
	if (argc > 1 && !strcmp(argv[1], "--exec"))
		return 0;
	et_facts = "USE CloseRead CloseWrote CloseFile CloseReused CloseExec UseRead UseWrote UseFile CloseCopied UseCopied";
	return et_main(argc, argv, "");
}
