// SPDX-License-Identifier: GPL-2.0
/*
 * io_uring: the calls that rings make, whether the submitting task or a worker of the kernel
 * makes them, are recorded like the system calls that they replace, with the parameter extended.
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/io_uring.h>
#include <linux/sched.h>
#include <linux/stat.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <sys/un.h>
#include <unistd.h>

#include "lib/etrace_test.h"

/* Since 6.1, calls of rings are seen. */
static bool seen(void)
{
	return et_kernel_at_least(6, 1);
}

/* Since 7.0, a ring's names may not have been read yet when its call begins. */
static bool has_names(void)
{
	return et_bpf() || !et_kernel_at_least(7, 0);
}

#define FACTS	"OPEN_FAILED MKDIR CONNECT STAT RECEIVED CloseRead CloseWrote"

/* Then, @n names count as unread. */
static void without_names(unsigned int n)
{
	if (!has_names() && seen() && et_extended)
		want_count("strings_unread", n);
}

#define WANT(...)	do { if (seen()) want_extended(__VA_ARGS__); } while (0)

static void want_open(const char *path, const char *orig, unsigned int flags,
		      unsigned int mode, int fd)
{
	if (!has_names())
		orig = "";
	WANT("Open|fnamesize=%zu,forigsize=%zu,flags=%u,mode=%u,fd=%d", strlen(path),
	     strlen(orig), flags, mode, fd);
	WANT("FN|%s", path);
	WANT("FO|%s", orig);
	if (has_names())
		return;
	WANT("Marks|joined=,unread=FO,cut=");
	without_names(1);
}

static void want_open_failed(const char *path, unsigned int flags, int err)
{
	WANT("OpenFailed|fnamesize=%zu,flags=%u", strlen(path), flags);
	WANT("NO|%s", path);
	WANT("Failed|error=%d", err);
	if (has_names())
		return;
	WANT("Marks|joined=,unread=NO,cut=");
	without_names(1);
}

/* ---- a ring ---- */

#define ENTRIES	4u

static struct ring {
	int fd;
	unsigned int setup;
	atomic_uint *sq_tail, *cq_head, *cq_tail;
	unsigned int *array, sq_mask, cq_mask;
	struct io_uring_sqe *sqes;
	struct io_uring_cqe *cqes;
} ring;

static bool ring_make(unsigned int setup)
{
	struct io_uring_params p = { .flags = setup, .sq_thread_idle = 100 };
	size_t size;
	char *m, *n;

	ring.setup = setup;
	ring.fd = et_sys(SYS_io_uring_setup, ENTRIES, &p);
	if (ring.fd < 0) {
		CHILD_FAIL("io_uring_setup: %m");
		return false;
	}
	want_extended("IoUring|fd=%d", ring.fd);
	size = p.cq_off.cqes + p.cq_entries * sizeof(struct io_uring_cqe);
	if (size < p.sq_off.array + p.sq_entries * sizeof(unsigned int))
		size = p.sq_off.array + p.sq_entries * sizeof(unsigned int);
	m = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_POPULATE, ring.fd,
		 IORING_OFF_SQ_RING);
	n = mmap(NULL, p.sq_entries * sizeof(struct io_uring_sqe), PROT_READ | PROT_WRITE,
		 MAP_SHARED | MAP_POPULATE, ring.fd, IORING_OFF_SQES);
	if (m == MAP_FAILED || n == MAP_FAILED) {
		CHILD_FAIL("mmap: %m");
		return false;
	}
	ring.sq_tail = (void *)(m + p.sq_off.tail);
	ring.sq_mask = *(unsigned int *)(m + p.sq_off.ring_mask);
	ring.array = (void *)(m + p.sq_off.array);
	ring.cq_head = (void *)(m + p.cq_off.head);
	ring.cq_tail = (void *)(m + p.cq_off.tail);
	ring.cq_mask = *(unsigned int *)(m + p.cq_off.ring_mask);
	ring.cqes = (void *)(m + p.cq_off.cqes);
	ring.sqes = (void *)n;
	return true;
}

/* Submit a call to the ring and wait for its result. */
static int ring_do(const struct io_uring_sqe *sqe)
{
	unsigned int at = *ring.sq_tail, head = *ring.cq_head, flags = IORING_ENTER_GETEVENTS;
	int res;

	if (!seen() && et_extended && sqe->opcode != IORING_OP_NOP)
		want_count("rings_unseen", 1);
	ring.sqes[at & ring.sq_mask] = *sqe;
	ring.array[at & ring.sq_mask] = at & ring.sq_mask;
	*ring.sq_tail = at + 1;
	if (ring.setup & IORING_SETUP_SQPOLL)
		flags |= IORING_ENTER_SQ_WAKEUP;
	CHILD_MUST(syscall(SYS_io_uring_enter, ring.fd, 1, 1, flags, NULL, 0));
	while (*ring.cq_tail == head)
		usleep(1000);
	res = ring.cqes[head & ring.cq_mask].res;
	*ring.cq_head = head + 1;
	return res;
}

static unsigned int how;	/* IOSQE_* of all calls */

#define CALL(op, _fd, _addr, _off, _len, _flags)				\
	ring_do(&(struct io_uring_sqe) {					\
		.opcode = IORING_OP_##op, .flags = how, .fd = (_fd),		\
		.addr = (uintptr_t)(_addr), .off = (uintptr_t)(_off), .len = (_len),	\
		.open_flags = (_flags) })

/* The same with a slot in the ring's own table of files, counted from 1. */
#define CALL_AT(place, op, _fd, _addr, _len, _how)				\
	ring_do(&(struct io_uring_sqe) {					\
		.opcode = IORING_OP_##op, .flags = (_how), .fd = (_fd),		\
		.addr = (uintptr_t)(_addr), .len = (_len), .file_index = (place) })

static void expect_res(const char *what, int res, int due)
{
	if (res != due)
		CHILD_FAIL("%s through a ring: %d, expected %d", what, res, due);
}

static void ring_opens(void)
{
	struct { unsigned long long flags, mode, resolve; } o2 = { .flags = O_RDONLY };
	int fd, dir;

	fd = CALL(OPENAT, AT_FDCWD, "file", 0, 0, O_RDONLY);
	if (fd < 0) {
		CHILD_FAIL("open through a ring: %s", strerror(-fd));
		return;
	}
	want_open(et_path("file"), et_path("file"), O_RDONLY, 0, fd);
	expect_res("close", CALL(CLOSE, fd, 0, 0, 0, 0), 0);
	WANT("Close|fd=%d", fd);
	/* The descriptor is not open. */
	expect_res("close", CALL(CLOSE, fd, 0, 0, 0, 0), -EBADF);
	/* Creates the file, which a worker always does. */
	fd = CALL(OPENAT, AT_FDCWD, et_path("new"), 0, 0640, O_CREAT | O_RDWR | O_CLOEXEC);
	want_open(et_path("new"), et_path("new"), O_CREAT | O_RDWR | O_CLOEXEC, 0640, fd);
	expect_res("close", CALL(CLOSE, fd, 0, 0, 0, 0), 0);
	WANT("Close|fd=%d", fd);
	/* The file does not exist. */
	expect_res("open", CALL(OPENAT, AT_FDCWD, "nothing", 0, 0, O_WRONLY), -ENOENT);
	if (seen())
		want_open_failed(has_names() ? et_path("nothing") : "", O_WRONLY, ENOENT);
	/* openat2, relative to a directory. */
	dir = CALL(OPENAT, AT_FDCWD, "dir", 0, 0, O_DIRECTORY);
	want_open(et_path("dir"), et_path("dir"), O_DIRECTORY, 0, dir);
	fd = CALL(OPENAT2, dir, "../file", &o2, sizeof(o2), 0);
	want_open(et_path("file"), et_path("dir/../file"), O_RDONLY, 0, fd);
}

static void ring_names(void)
{
	const char *a = et_path("a"), *b = et_path("b"), *l = et_path("l");

	expect_res("rename", CALL(RENAMEAT, AT_FDCWD, "a", "b", AT_FDCWD, 0), 0);
	WANT("Rename2From|fnamesize=%zu,flags=0", strlen(a));
	WANT("RF|%s", a);
	WANT("RenameTo|fnamesize=%zu", strlen(b));
	WANT("RT|%s", b);
	expect_res("rename", CALL(RENAMEAT, AT_FDCWD, "a", "b", AT_FDCWD, 0), -ENOENT);
	WANT("RenameFailed|");
	WANT("Failed|error=%d", ENOENT);
	expect_res("unlink", CALL(UNLINKAT, AT_FDCWD, "b", 0, 0, 0), 0);
	if (seen())
		want_unlink(b, 0);
	expect_res("rmdir", CALL(UNLINKAT, AT_FDCWD, "dir", 0, 0, AT_REMOVEDIR), 0);
	if (seen())
		want_unlink(et_path("dir"), 1);
	expect_res("unlink", CALL(UNLINKAT, AT_FDCWD, "b", 0, 0, 0), -ENOENT);
	WANT("Unlink|dir=0");
	WANT("UnlinkFailed|");
	WANT("Failed|error=%d", ENOENT);
	if (!et_kernel_at_least(5, 15))
		return;
	expect_res("link", CALL(LINKAT, AT_FDCWD, "file", "l", AT_FDCWD, 0), 0);
	WANT("LinkatFrom|fnamesize=%zu,flags=0", strlen(et_path("file")));
	WANT("LF|%s", et_path("file"));
	WANT("LinkTo|fnamesize=%zu", strlen(l));
	WANT("LT|%s", l);
	expect_res("symlink", CALL(SYMLINKAT, AT_FDCWD, "file", "s", 0, 0), 0);
	WANT("Symlink|targetnamesize=4,resolvednamesize=%zu,linknamesize=%zu",
	     strlen(et_path("file")), strlen(et_path("s")));
	WANT("ST|file");
	WANT("SR|%s", et_path("file"));
	WANT("SL|%s", et_path("s"));
}

/* Reads, writes and other calls of a ring. */
static void ring_uses(void)
{
	struct sockaddr_un sa = { .sun_family = AF_UNIX, .sun_path = "nobody" };
	int fd, sock;
	char text[8];

	fd = CALL(OPENAT, AT_FDCWD, et_path("out"), 0, 0640, O_CREAT | O_RDWR);
	want_open(et_path("out"), et_path("out"), O_CREAT | O_RDWR, 0640, fd);
	expect_res("write", CALL(WRITE, fd, "12345", 0, 5, 0), 5);
	expect_res("read", CALL(READ, fd, text, 0, 3, 0), 3);
	want("Close|fd=%d", fd);
	/* The number of bytes, unless the call was still in progress when the probe looked. */
	WANT("CloseRead|bytes=3");
	WANT("CloseWrote|bytes=5");
	CHILD_MUST(close(fd));

	if (!et_kernel_at_least(5, 15))
		return;
	expect_res("mkdir", CALL(MKDIRAT, AT_FDCWD, "made", 0, 0750, 0), 0);
	WANT("Mkdir|fnamesize=%zu,mode=%d", strlen(et_path("made")), 0750);
	WANT("KD|%s", et_path("made"));
	sock = CHILD_MUST(socket(AF_UNIX, SOCK_STREAM, 0));
	expect_res("connect", CALL(CONNECT, sock, &sa, sizeof(sa), 0, 0), -ENOENT);
	WANT("Connect|addresssize=6,fd=%d,family=%d", sock, AF_UNIX);
	WANT("CA|nobody");
	WANT("ConnectFailed|");
	WANT("Failed|error=%d", ENOENT);
}

/* BPF leaves out events by their kind alone, and opens do not need "extended". */
static void traced(void (*child)(void))
{
	if (et_bpf() && !et_extended) {
		et_skip("BPF records opens of rings in any case");
		return;
	}
	et_see_rings();
	et_file("file");
	et_file("a");
	et_mkdir("dir");
	et_traced(child);
}

static void do_submitter(void)
{
	how = 0;
	if (ring_make(0))
		ring_opens();
}

TEST(opens_by_submitter)
{
	traced(do_submitter);
}

static void do_worker(void)
{
	how = IOSQE_ASYNC;
	if (ring_make(0))
		ring_opens();
}

TEST(opens_by_worker)
{
	traced(do_worker);
}

static void do_poller(void)
{
	how = 0;
	if (ring_make(IORING_SETUP_SQPOLL))
		ring_opens();
}

TEST(opens_by_poller)
{
	if (!et_kernel_at_least(5, 11)) {
		et_skip("the ring's own thread cannot open files (before 5.11)");
		return;
	}
	traced(do_poller);
}

static void do_names(void)
{
	how = 0;
	if (ring_make(0))
		ring_names();
}

TEST(file_name_calls)
{
	if (!et_kernel_at_least(5, 11)) {
		et_skip("this kernel's rings lack these calls");
		return;
	}
	traced(do_names);
}

static void do_uses(void)
{
	how = 0;
	if (ring_make(0))
		ring_uses();
}

static void do_uses_by_worker(void)
{
	how = IOSQE_ASYNC;
	if (ring_make(0))
		ring_uses();
}

/*
 * Without task storage, a use is recorded at once and not with the descriptor's close, so no
 * exact lines can be wanted. "ways" tests uses in this case.
 */
static void traced_uses(void (*child)(void))
{
	if (getenv("ETRACE_REFUSE_STORAGE"))
		et_skip("without task storage, uses are recorded at other times");
	else
		traced(child);
}

TEST(uses_by_submitter)
{
	traced_uses(do_uses);
}

TEST(uses_by_worker)
{
	traced_uses(do_uses_by_worker);
}

/* A descriptor that comes with a message. */
static void do_received(void)
{
	char control[CMSG_SPACE(sizeof(int))] = "", byte = 'x';
	struct iovec iov = { &byte, 1 };
	struct msghdr m = {
		.msg_iov = &iov, .msg_iovlen = 1,
		.msg_control = control, .msg_controllen = sizeof(control),
	};
	struct cmsghdr *c = (void *)control;
	int both[2], fd;

	if (!ring_make(0))
		return;
	CHILD_MUST(syscall(SYS_socketpair, AF_UNIX, SOCK_DGRAM, 0, both));
	fd = CALL(OPENAT, AT_FDCWD, et_path("file"), 0, 0, O_RDONLY);
	want_open(et_path("file"), et_path("file"), O_RDONLY, 0, fd);
	c->cmsg_level = SOL_SOCKET;
	c->cmsg_type = SCM_RIGHTS;
	c->cmsg_len = CMSG_LEN(sizeof(int));
	memcpy(CMSG_DATA(c), &fd, sizeof(fd));
	CHILD_MUST(sendmsg(both[0], &m, 0));
	memset(control, 0, sizeof(control));
	expect_res("recvmsg", CALL(RECVMSG, both[1], &m, 0, 1, MSG_CMSG_CLOEXEC), 1);
	memcpy(&fd, CMSG_DATA(c), sizeof(fd));
	WANT("Received|fnamesize=%zu,fd=%d,cloexec=1", strlen(et_path("file")), fd);
	WANT("RP|%s", et_path("file"));
}

static void do_received_at_once(void)
{
	how = 0;
	do_received();
}

static void do_received_by_worker(void)
{
	how = IOSQE_ASYNC;
	do_received();
}

TEST(received_by_submitter)
{
	if (!et_without_module())
		traced_uses(do_received_at_once);
}

TEST(received_by_worker)
{
	if (!et_without_module())
		traced_uses(do_received_by_worker);
}

/* Requests that cannot be seen are counted once each, and no others are. */
static void do_unseen(void)
{
	int none[2] = { -1, -1 }, fd;
	char text[8];

	how = 0;
	if (!ring_make(0))
		return;
	CHILD_MUST(et_sys(SYS_io_uring_register, ring.fd, IORING_REGISTER_FILES, none, 2));
	expect_res("nothing", CALL(NOP, -1, 0, 0, 0, 0), 0);
	fd = CALL(OPENAT, AT_FDCWD, et_path("out"), 0, 0640, O_CREAT | O_RDWR);
	want_open(et_path("out"), et_path("out"), O_CREAT | O_RDWR, 0640, fd);
	/* A request of a kind without a hook. */
	expect_res("fallocate", CALL(FALLOCATE, fd, 100, 0, 0, 0), 0);
	if (seen() && et_extended)
		want_count("rings_unseen", 1);
	if (!et_kernel_at_least(5, 15))
		return;
	/*
	 * Into and out of the ring's own table of files; the first attempt may not complete a
	 * request.
	 */
	expect_res("open", CALL_AT(1, OPENAT, AT_FDCWD, et_path("file"), 0, 0), 0);
	expect_res("read", CALL_AT(0, READ, 0, text, 0, IOSQE_FIXED_FILE), 0);
	expect_res("close", CALL_AT(1, CLOSE, 0, 0, 0, 0), 0);
	expect_res("open", CALL_AT(2, OPENAT, AT_FDCWD, et_path("file"), 0, IOSQE_ASYNC), 0);
	if (seen() && et_extended)
		want_count("rings_unseen", 4);
}

TEST(unseen_requests_counted)
{
	traced(do_unseen);
}

static void want_stat(const char *path, unsigned int flags, int due)
{
	if (!has_names())
		path = "";
	WANT("Stat|fnamesize=%zu,flags=%u", strlen(path), flags);
	WANT("PS|%s", path);
	if (due) {
		WANT("StatFailed|");
		WANT("Failed|error=%d", -due);
	}
	if (has_names())
		return;
	WANT("Marks|joined=,unread=PS,cut=");
	without_names(1);
}

static void ring_stat(const char *name, unsigned int flags, int due)
{
	struct statx st;

	expect_res("statx", CALL(STATX, AT_FDCWD, name, &st, STATX_SIZE, flags), due);
	want_stat(*name == '/' ? name : et_path(name), flags, due);
}

/*
 * Calls that ask about a path. One about a descriptor is not recorded, unless the missing name
 * hides that it is one.
 */
static void do_asked(void)
{
	char name[] = "no-such-file";
	struct statx st;

	how = 0;
	if (!ring_make(0))
		return;
	ring_stat("file", 0, 0);
	ring_stat(name, AT_SYMLINK_NOFOLLOW, -ENOENT);
	how = IOSQE_ASYNC;
	ring_stat(et_path("file"), 0, 0);
	expect_res("statx", CALL(STATX, ring.fd, "", &st, STATX_SIZE, AT_EMPTY_PATH), 0);
	if (!has_names())
		want_stat("", AT_EMPTY_PATH, 0);
}

TEST(stat_calls)
{
	traced(do_asked);
}

/* ---- which task makes the call -------------------------------------------------- */

/* Whether any task has this line. */
static bool has_line(const struct et_trace *tr, const char *text)
{
	size_t i, j;

	for (i = 0; i < tr->nr; i++)
		for (j = 0; j < tr->task[i].nr; j++)
			if (!strcmp(tr->task[i].line[j].text, text))
				return true;
	return false;
}

static void expect_line(const struct et_trace *tr, const char *tag, const char *path)
{
	char line[PATH_MAX + 10];

	snprintf(line, sizeof(line), "%s|%s", tag, path);
	EXPECT(has_line(tr, line), "no line %s", line);
}

/* The first thread has ended: then BPF cannot find another thread from a worker. */
static void *do_alone(void *arg)
{
	int *fd = arg;

	et_until_state(getpid(), 'Z');
	if (et_bpf())
		want_count("rings_unseen", 3);
	without_names(2);
	how = 0;
	fd[0] = CALL(OPENAT, AT_FDCWD, "by-thread", 0, 0, O_RDONLY);
	how = IOSQE_ASYNC;
	fd[1] = CALL(OPENAT, AT_FDCWD, "by-worker", 0, 0644, O_CREAT | O_RDWR);
	expect_res("unlink", CALL(UNLINKAT, AT_FDCWD, "file", 0, 0, 0), 0);
	_exit(fd[0] < 0 || fd[1] < 0);
}

static void do_without_first(void)
{
	static int fd[2];
	pthread_t thread;

	if (!ring_make(0))
		return;
	CHILD_MUST(-pthread_create(&thread, NULL, do_alone, fd));
	pthread_exit(NULL);
}

TEST(first_thread_has_exited)
{
	struct et_trace tr;

	if (!et_kernel_at_least(6, 1) || !et_extended) {
		et_skip("requests are only seen with extended events, since 6.1");
		return;
	}
	et_file("file");
	et_file("by-thread");
	et_see_rings();
	et_run(do_without_first, &tr);
	expect_line(&tr, "FN", et_path("by-thread"));
	if (!et_bpf()) {
		expect_line(&tr, "FN", et_path("by-worker"));
		expect_line(&tr, "UN", et_path("file"));
	}
	et_trace_free(&tr);
}

#define DEEP	17	/* directories; their names make a path too long for one record */
#define ROUNDS	20

static void deep_path(char path[PATH_MAX], char of)
{
	char *s = path;
	int i;

	for (i = 0; i < DEEP; i++, s += 201) {
		memset(s, of, 200);
		s[200] = '/';
	}
	strcpy(s, "f");
}

static void go_deep(char of)
{
	char path[PATH_MAX], *end;

	deep_path(path, of);
	for (end = strchr(path, '/'); end; end = strchr(end + 1, '/')) {
		*end = 0;
		et_mkdir(path);
		*end = '/';
	}
	et_file(path);
}

/* As many at once as the ring accepts. */
static void do_at_once(void)
{
	static char path[2][PATH_MAX];
	unsigned int i, k, head, tail;

	deep_path(path[0], 'a');
	deep_path(path[1], 'b');
	if (!ring_make(0))
		return;
	without_names(ROUNDS * ENTRIES);
	for (i = 0; i < ROUNDS; i++) {
		head = *ring.cq_head;
		tail = *ring.sq_tail;
		for (k = 0; k < ENTRIES; k++) {
			ring.sqes[(tail + k) & ring.sq_mask] = (struct io_uring_sqe) {
				.opcode = IORING_OP_OPENAT, .flags = IOSQE_ASYNC, .fd = AT_FDCWD,
				.addr = (uintptr_t)path[k % 2], .open_flags = O_RDONLY,
			};
			ring.array[(tail + k) & ring.sq_mask] = (tail + k) & ring.sq_mask;
		}
		*ring.sq_tail = tail + ENTRIES;
		CHILD_MUST(syscall(SYS_io_uring_enter, ring.fd, ENTRIES, ENTRIES,
				   IORING_ENTER_GETEVENTS, NULL, 0));
		for (; head != *ring.cq_tail; head++)
			if (ring.cqes[head & ring.cq_mask].res < 0)
				CHILD_FAIL("open through a ring: %d",
				   ring.cqes[head & ring.cq_mask].res);
		*ring.cq_head = head;
	}
}

/* Events of several records by workers that run at the same time are not mixed up. */
TEST(workers_at_once)
{
	struct et_string s;
	struct et_trace tr;
	size_t i, j, n = 0;
	const char *why;

	if (!et_kernel_at_least(6, 1) || !et_extended) {
		et_skip("requests are only seen with extended events, since 6.1");
		return;
	}
	go_deep('a');
	go_deep('b');
	et_see_rings();
	et_run(do_at_once, &tr);
	for (i = 0; i < tr.nr; i++)
		for (j = 0; j < tr.task[i].nr;) {
			if (strncmp(tr.task[i].line[j].text, "FN[0]", 5)) {
				j++;
				continue;
			}
			why = et_string_read(&tr.task[i], &j, "FN", &s);
			if (why) {
				FAIL("%s", why);
				break;
			}
			n++;
			EXPECT(!memmem(s.s, s.len, "aaa", 3) || !memmem(s.s, s.len, "bbb", 3),
			       "a name mixes two: %s", et_escape(s.s, s.len));
			free(s.s);
		}
	EXPECT_EQ(n, ROUNDS * ENTRIES);
	et_trace_free(&tr);
}

static void want_use(int fd, int read, int wrote)
{
	want_extended("Use|fd=%d", fd);
	if (read >= 0)
		want_extended("UseRead|bytes=%d", read);
	if (wrote >= 0)
		want_extended("UseWrote|bytes=%d", wrote);
}

/* Another process shares the descriptors: a worker's uses are recorded at once. */
static void do_shared(void)
{
	int first, second, status;
	char text[8];
	pid_t pid;

	how = IOSQE_ASYNC;
	if (!ring_make(0))
		return;
	pid = CHILD_MUST(et_sys(SYS_clone, CLONE_FILES | SIGCHLD, 0, 0, 0, 0));
	if (!pid) {
		want("Exit|status=0");
		et_sys(SYS_exit_group, 0);
	}
	/* the ring was mapped */
	want_use(ring.fd, 0, 0);
	want("SysClone|flags=%d", CLONE_FILES | SIGCHLD);
	want_fork(pid);
	CHILD_MUST(waitpid(pid, &status, 0));
	first = CALL(OPENAT, AT_FDCWD, "file", 0, 0, O_RDWR);
	want_open(et_path("file"), et_path("file"), O_RDWR, 0, first);
	expect_res("write", CALL(WRITE, first, "12345", 0, 5, 0), 5);
	if (seen())
		want_use(first, -1, 5);
	CHILD_MUST(close(first));
	want("Close|fd=%d", first);
	second = CALL(OPENAT, AT_FDCWD, "a", 0, 0, O_RDONLY);
	want_open(et_path("a"), et_path("a"), O_RDONLY, 0, second);
	expect_res("read", CALL(READ, second, text, 0, 3, 0), 0);
	if (seen())
		want_use(second, 0, -1);
	CHILD_MUST(close(second));
	want("Close|fd=%d", second);
}

TEST(two_processes_share_descriptors)
{
	et_facts = FACTS " USE UseRead UseWrote";
	traced_uses(do_shared);
	et_facts = FACTS;
}

/* Other threads of the process, and its children, have their own rings. */
static void do_child(void)
{
	int status;
	pid_t pid;

	if (!ring_make(0))
		return;
	pid = CHILD_MUST(et_sys(SYS_fork));
	if (!pid) {
		how = IOSQE_ASYNC;
		if (ring_make(0))
			ring_names();
		want("Exit|status=0");
		et_sys(SYS_exit_group, 0);
	}
	want_forked(pid);
	CHILD_MUST(waitpid(pid, &status, 0));
}

TEST(file_names_of_child_workers)
{
	if (!et_kernel_at_least(5, 11)) {
		et_skip("this kernel's rings lack these calls");
		return;
	}
	traced(do_child);
}

int main(int argc, char **argv)
{
	et_facts = FACTS;
	return et_main(argc, argv, "record=probes");
}
