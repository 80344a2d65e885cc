// SPDX-License-Identifier: GPL-2.0
/*
 * A program that uses descriptors in every possible way and logs what it read and wrote by each:
 * the trace must say exactly the same.
 */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/sendfile.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>
#ifdef HAVE_LIBURING
#include <liburing.h>
#endif

#include "lib/etrace_test.h"

#define SIZE	3000		/* size of the input file in bytes */
#define FDS	64

/* What a program did with a descriptor while it was open; -1 if nothing. */
struct use {
	long long did_read, wrote;
};

/* An entry of a log: what @pid had done with @fd. */
struct entry {
	pid_t pid;
	int fd;
	struct use use;
};

/* The log of all programs, in shared memory. */
static struct {
	atomic_uint nr;
	struct entry entry[256];
} *log_of_all;

/* The use by this program, by descriptor. */
static struct use now[FDS];
static char buf[SIZE];

static void log_clear(void)
{
	int fd;

	for (fd = 0; fd < FDS; fd++)
		now[fd] = (struct use) { -1, -1 };
}

static void log_done(int fd)
{
	struct use none = { -1, -1 };

	if (now[fd].did_read >= 0 || now[fd].wrote >= 0)
		log_of_all->entry[log_of_all->nr++] =
			(struct entry) { getpid(), fd, now[fd] };
	now[fd] = none;
}

static void add(long long *to, long long n)
{
	*to = (*to < 0 ? 0 : *to) + n;
}

/* @n: return value of the call, which must be @due. */
static void did_read(int fd, long long n, long long due)
{
	if (n != due)
		CHILD_FAIL("read %lld by %d, must be %lld: %m", n, fd, due);
	add(&now[fd].did_read, due);
}

static void did_write(int fd, long long n, long long due)
{
	if (n != due)
		CHILD_FAIL("wrote %lld by %d, must be %lld: %m", n, fd, due);
	add(&now[fd].wrote, due);
}

static void did_copy(int from, int to, long long n, long long due)
{
	did_read(from, n, due);
	did_write(to, n, due);
}

static void do_close(int fd)
{
	CHILD_MUST(close(fd));
	log_done(fd);
}

/* The use of open descriptors is recorded when the program ends or executes another one. */
static void program_ends(void)
{
	int fd;

	for (fd = 0; fd < FDS; fd++)
		log_done(fd);
}

static int do_open(const char *name, int flags)
{
	return CHILD_MUST(open(name, flags, 0600));
}

/* A child begins without any use, whatever its parent did. */
static pid_t do_fork(void)
{
	pid_t pid = CHILD_MUST(fork());

	if (!pid)
		log_clear();
	return pid;
}

static void wait_for(pid_t pid)
{
	int status;

	CHILD_MUST(waitpid(pid, &status, 0));
	if (status)
		CHILD_FAIL("child: status %x", status);
}

/* ---- the ways -------------------------------------------------------------------- */

static void plain(void)
{
	struct iovec v[2] = { { buf, 10 }, { buf + 10, 20 } };
	int in = do_open("in", O_RDONLY), out = do_open("out", O_WRONLY | O_CREAT);

	do_open("in", O_RDONLY);	/* never used */
	did_read(in, read(in, buf, 7), 7);
	did_read(in, readv(in, v, 2), 30);
	did_read(in, pread(in, buf, 5, 100), 5);
	did_read(in, preadv(in, v, 1, 50), 10);
	did_read(in, preadv2(in, v, 2, 60, 0), 30);
	did_read(in, pread(in, buf, 5, 10 * SIZE), 0);
	did_write(out, write(out, buf, 8), 8);
	did_write(out, writev(out, v, 2), 30);
	did_write(out, pwrite(out, buf, 9, 200), 9);
	did_write(out, pwritev(out, v, 1, 50), 10);
	did_write(out, pwritev2(out, v, 2, 60, 0), 30);
	do_close(in);
	do_close(out);
}

static void inherited(int in, int out)
{
	pid_t pid = do_fork();

	if (!pid) {
		did_read(in, read(in, buf, 11), 11);
		did_write(out, write(out, buf, 12), 12);
		do_close(out);
		/* Log for the next program in advance, because this one is about to end. */
		program_ends();
		did_read(in, 13, 13);
		program_ends();
		execl("/proc/self/exe", "ways", "--read", in == 3 ? "3" : "4", NULL);
		_exit(1);
	}
	wait_for(pid);
}

/* Like a shell: the parent opens the files that the child uses. */
static void redirected(void)
{
	int out = do_open("redirected", O_WRONLY | O_CREAT);
	pid_t pid = do_fork();

	if (!pid) {
		CHILD_MUST(dup2(out, 20));
		do_close(out);
		did_write(20, write(20, buf, 14), 14);
		program_ends();		/* recorded at its end */
		_exit(0);
	}
	do_close(out);
	wait_for(pid);
}

static void duplicated(void)
{
	int in = do_open("in", O_RDONLY), other = CHILD_MUST(dup(in)), third;

	did_read(in, read(in, buf, 3), 3);
	did_read(other, read(other, buf, 4), 4);
	third = CHILD_MUST(fcntl(in, F_DUPFD_CLOEXEC, 30));
	did_read(third, read(third, buf, 5), 5);
	/* Takes the number of a descriptor that was used. */
	CHILD_MUST(dup2(third, other));
	log_done(other);
	did_read(other, read(other, buf, 6), 6);
	do_close(in);
	/* The same number for another file. */
	if (do_open("out", O_WRONLY) != in)
		CHILD_FAIL("another number");
	did_write(in, write(in, buf, 7), 7);
	do_close(in);
	CHILD_MUST(syscall(SYS_close_range, other, third, 0));
	log_done(other);
	log_done(third);
}

static void pass(int socket, int fd)
{
	char control[CMSG_SPACE(sizeof(int))] = { 0 };
	struct iovec v = { buf, 1 };
	struct msghdr msg = { .msg_iov = &v, .msg_iovlen = 1, .msg_control = control,
			      .msg_controllen = sizeof(control) };
	struct cmsghdr *c = CMSG_FIRSTHDR(&msg);

	c->cmsg_level = SOL_SOCKET;
	c->cmsg_type = SCM_RIGHTS;
	c->cmsg_len = CMSG_LEN(sizeof(int));
	memcpy(CMSG_DATA(c), &fd, sizeof(fd));
	did_write(socket, sendmsg(socket, &msg, 0), 1);
}

static int receive(int socket)
{
	char control[CMSG_SPACE(sizeof(int))] = { 0 };
	struct iovec v = { buf, 1 };
	struct msghdr msg = { .msg_iov = &v, .msg_iovlen = 1, .msg_control = control,
			      .msg_controllen = sizeof(control) };
	int fd = -1;

	did_read(socket, recvmsg(socket, &msg, 0), 1);
	if (CMSG_FIRSTHDR(&msg))
		memcpy(&fd, CMSG_DATA(CMSG_FIRSTHDR(&msg)), sizeof(fd));
	return fd;
}

static void passed(void)
{
	int pair[2], in = do_open("in", O_RDONLY), fd;
	pid_t pid;

	CHILD_MUST(socketpair(AF_UNIX, SOCK_STREAM, 0, pair));
	pid = do_fork();
	if (!pid) {
		do_close(pair[0]);
		do_close(in);
		fd = receive(pair[1]);
		did_read(fd, read(fd, buf, 15), 15);
		did_write(pair[1], send(pair[1], buf, 2, 0), 2);
		program_ends();
		_exit(0);
	}
	do_close(pair[1]);
	pass(pair[0], in);
	do_close(in);
	did_read(pair[0], recv(pair[0], buf, 10, MSG_WAITALL), 2);
	do_close(pair[0]);
	wait_for(pid);
}

static int by_threads[2];

static void *thread(void *arg)
{
	did_read(by_threads[0], read(by_threads[0], buf, 16), 16);
	did_write(by_threads[1], write(by_threads[1], buf, 17), 17);
	return arg;
}

static void shared_by_threads(void)
{
	pthread_t t;
	int i;

	by_threads[0] = do_open("in", O_RDONLY);
	by_threads[1] = do_open("threads", O_WRONLY | O_CREAT);
	for (i = 0; i < 3; i++) {
		if (pthread_create(&t, NULL, thread, NULL))
			CHILD_FAIL("no thread");
		pthread_join(t, NULL);
	}
	did_read(by_threads[0], read(by_threads[0], buf, 1), 1);
	do_close(by_threads[0]);
	do_close(by_threads[1]);
}

static void mapped(void)
{
	int in = do_open("in", O_RDONLY), out = do_open("out", O_RDWR);
	int kept = do_open("out", O_RDWR);

	/* A private mapping: writes change only the program's memory. */
	CHILD_MUST(mmap(NULL, SIZE, PROT_READ | PROT_WRITE, MAP_PRIVATE, in, 0));
	did_read(in, 0, 0);
	CHILD_MUST(mmap(NULL, SIZE, PROT_READ | PROT_WRITE, MAP_SHARED, out, 0));
	did_read(out, 0, 0);
	did_write(out, 0, 0);
	CHILD_MUST(mmap(NULL, SIZE, PROT_READ, MAP_SHARED, kept, 0));
	did_read(kept, 0, 0);
	do_close(in);
	do_close(out);
	do_close(kept);
}

static void copied(void)
{
	int in = do_open("in", O_RDONLY), out = do_open("copy", O_WRONLY | O_CREAT);
	struct iovec v = { buf, 18 };
	int pipe1[2], pipe2[2];
	loff_t at = 100;

	CHILD_MUST(pipe(pipe1));
	CHILD_MUST(pipe(pipe2));
	did_copy(in, out, sendfile(out, in, NULL, 100), 100);
	did_copy(in, out, copy_file_range(in, &at, out, NULL, 200, 0), 200);
	did_copy(in, pipe1[1], splice(in, NULL, pipe1[1], NULL, 300, 0), 300);
	did_copy(pipe1[0], pipe2[1], tee(pipe1[0], pipe2[1], 300, 0), 300);
	did_copy(pipe2[0], out, splice(pipe2[0], NULL, out, NULL, 300, 0), 300);
	did_read(pipe1[0], read(pipe1[0], buf, 300), 300);
	did_write(pipe1[1], vmsplice(pipe1[1], &v, 1, 0), 18);
	did_read(pipe1[0], read(pipe1[0], buf, 300), 18);
	CHILD_MUST(fallocate(out, 0, 1000, 1000));
	did_write(out, 0, 0);
	do_close(in);
	do_close(out);
	do_close(pipe1[0]);
	do_close(pipe1[1]);
	do_close(pipe2[0]);
	do_close(pipe2[1]);
}

#ifdef HAVE_LIBURING
static int ring_result(struct io_uring *ring)
{
	struct io_uring_cqe *cqe;
	int res;

	if (io_uring_submit(ring) != 1 || io_uring_wait_cqe(ring, &cqe))
		CHILD_FAIL("the ring completes no request");
	res = cqe->res;
	io_uring_cqe_seen(ring, cqe);
	return res;
}

/* Since 6.1, calls of rings are seen; before, nothing is recorded of them. */
static void by_ring(void)
{
	int in = do_open("in", O_RDONLY), out = do_open("ring", O_WRONLY | O_CREAT), fd;
	struct iovec v[2] = { { buf, 21 }, { buf + 21, 22 } };
	bool seen = et_kernel_at_least(6, 1);
	struct io_uring ring;
	int res[4];

	if (io_uring_queue_init(4, &ring, 0)) {
		CHILD_FAIL("no ring");
		return;
	}
	fd = ring.ring_fd;
	/* The library maps the ring. */
	did_read(fd, 0, 0);
	did_write(fd, 0, 0);
	io_uring_prep_read(io_uring_get_sqe(&ring), in, buf, 19, 0);
	res[0] = ring_result(&ring);
	io_uring_prep_readv(io_uring_get_sqe(&ring), in, v, 2, 0);
	res[1] = ring_result(&ring);
	io_uring_prep_write(io_uring_get_sqe(&ring), out, buf, 23, 0);
	res[2] = ring_result(&ring);
	io_uring_prep_writev(io_uring_get_sqe(&ring), out, v, 2, 0);
	res[3] = ring_result(&ring);
	if (res[0] != 19 || res[1] != 43 || res[2] != 23 || res[3] != 43)
		CHILD_FAIL("the ring read and wrote %d, %d, %d, %d", res[0], res[1], res[2],
			   res[3]);
	if (seen) {
		did_read(in, 19 + 43, 19 + 43);
		did_write(out, 23 + 43, 23 + 43);
	} else if (et_extended || et_bpf()) {	/* which always counts them */
		want_count("rings_unseen", 4);
	}
	io_uring_queue_exit(&ring);
	log_done(fd);
	do_close(in);
	do_close(out);
}
#else
static void by_ring(void)
{
}
#endif

/* Closed by execve; uses of descriptors that stay open are recorded before it, too. */
static void closed_by_execve(void)
{
	pid_t pid = do_fork();

	if (!pid) {
		int gone = do_open("in", O_RDONLY | O_CLOEXEC), kept = do_open("in", O_RDONLY);

		did_read(gone, read(gone, buf, 24), 24);
		did_read(kept, read(kept, buf, 25), 25);
		program_ends();
		execl("/proc/self/exe", "ways", "--read", NULL);
		_exit(1);
	}
	wait_for(pid);
}

static int from_parent[2];

static void do_ways(void)
{
	log_clear();
	plain();
	inherited(from_parent[0], from_parent[1]);
	redirected();
	duplicated();
	passed();
	shared_by_threads();
	mapped();
	copied();
	by_ring();
	closed_by_execve();
	program_ends();
}

/* ---- the trace ------------------------------------------------------------------- */

/* Parse an entry of the trace, whose first line is @at, with the lines that belong to it. */
static bool traced_entry(const struct et_task *t, size_t at, struct entry *e)
{
	bool use = sscanf(t->line[at].text, "Use|fd=%d", &e->fd) == 1;

	if (!use && sscanf(t->line[at].text, "Close|fd=%d", &e->fd) != 1)
		return false;
	e->pid = t->upid & ((1u << ET_PID_BITS) - 1);
	e->use = (struct use) { -1, -1 };
	for (at++; at < t->nr; at++) {
		const char *text = t->line[at].text + (use ? 3 : 5);

		if (strncmp(t->line[at].text, use ? "Use" : "Close", use ? 3 : 5) ||
		    *text == '|')
			break;
		sscanf(text, "Read|bytes=%lld", &e->use.did_read);
		sscanf(text, "Wrote|bytes=%lld", &e->use.wrote);
	}
	return e->use.did_read >= 0 || e->use.wrote >= 0;
}

static bool same(const struct entry *a, const struct entry *b)
{
	return a->pid == b->pid && a->fd == b->fd && a->use.did_read == b->use.did_read &&
	       a->use.wrote == b->use.wrote;
}

static void fail_use(const char *what, const struct entry *e)
{
	FAIL("%s: process %d, descriptor %d, read %lld, wrote %lld", what, e->pid, e->fd,
	     e->use.did_read, e->use.wrote);
}

/* The same entry of the log, if not found before. Return: NULL if none. */
static struct entry *find(const struct entry *e)
{
	unsigned int n;

	for (n = 0; n < log_of_all->nr; n++)
		if (same(&log_of_all->entry[n], e))
			return &log_of_all->entry[n];
	return NULL;
}

/* Add the uses that were recorded for the same descriptor before @e. */
static struct entry with_parts(const struct entry *part, unsigned int nr, struct entry e)
{
	for (; nr; part++, nr--) {
		if (part->pid != e.pid || part->fd != e.fd)
			continue;
		if (part->use.did_read >= 0)
			add(&e.use.did_read, part->use.did_read);
		if (part->use.wrote >= 0)
			add(&e.use.wrote, part->use.wrote);
	}
	return e;
}

/*
 * The use of a descriptor may be recorded in parts: for each turn of a socket, and by BPF if it
 * had no memory for the sum.
 */
static void compare(const struct et_trace *tr)
{
	struct entry part[FDS], e, all, *found;
	unsigned int n, nr = 0, seen = 0;
	size_t i, j;

	for (i = 0; i < tr->nr; i++) {
		for (j = 0; j < tr->task[i].nr; j++) {
			if (!traced_entry(&tr->task[i], j, &e))
				continue;
			all = with_parts(part, nr, e);
			found = find(&e) ?: find(&all);
			if (!found) {
				if (nr == FDS)
					fail_use("only in the trace", &e);
				if (nr < FDS)
					part[nr++] = e;
				continue;
			}
			if (!same(found, &e)) {
				for (n = 0; n < nr; n++)
					if (part[n].pid == e.pid && part[n].fd == e.fd)
						part[n].pid = 0;
			}
			found->pid = 0;
			seen++;
		}
	}
	for (n = 0; n < nr; n++)
		if (part[n].pid)
			fail_use("only in the trace", &part[n]);
	for (n = 0; n < log_of_all->nr; n++)
		if (log_of_all->entry[n].pid)
			fail_use("only in the log", &log_of_all->entry[n]);
	et_note("%u uses are the same in log and trace, %u recorded in parts", seen, nr);
}

TEST(all_calls_that_read_or_write)
{
	struct et_trace tr;
	char text[SIZE];
	int fd;

	et_see_rings();
	memset(text, 'x', sizeof(text));
	et_file("out");
	fd = MUST(open(et_path("in"), O_WRONLY | O_CREAT, 0600));
	MUST(write(fd, text, sizeof(text)));
	close(fd);
	from_parent[0] = MUST(open(et_path("in"), O_RDONLY));
	from_parent[1] = MUST(open(et_path("out"), O_WRONLY));
	log_of_all = mmap(NULL, sizeof(*log_of_all), PROT_READ | PROT_WRITE,
			  MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (log_of_all == MAP_FAILED)
		DIE("mmap: %m");
	et_run(do_ways, &tr);
	if (et_extended)
		compare(&tr);
	et_trace_free(&tr);
	munmap(log_of_all, sizeof(*log_of_all));
	close(from_parent[0]);
	close(from_parent[1]);
}

int main(int argc, char **argv)
{
	/* The program that continues reading where another one has begun. */
	if (argc > 1 && !strcmp(argv[1], "--read"))
		return argc > 2 && read(atoi(argv[2]), buf, 13) != 13;
	et_facts = "USE CloseRead CloseWrote UseRead UseWrote";
	return et_main(argc, argv, "");
}
