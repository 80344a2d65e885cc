// SPDX-License-Identifier: GPL-2.0
/*
 * Output, OU: what processes wrote to descriptors 1 and 2 before they failed. In root_pid's tree,
 * recorded only with the parameters extended and record=output.
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/io_uring.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/sendfile.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

#include "lib/etrace_test.h"

int clone(int (*fn)(void *), void *stack, int flags, void *arg, ...);

#ifndef __LP64__
#define HELPER	"helper_32"
#else
#define HELPER	"helper"
#endif

#define MOST	4096		/* bytes that are kept */
#define PART	900		/* bytes of a long string on one line */
#define STATUS	3

/* Descriptors already open in the child: a file, another one, a socket, its other end. */
enum { FILE_FD = 100, IN_FD, SOCKET, OTHER_END };

static char helper[PATH_MAX], all[20000];

/* Want the lines of a text: short, with newlines, or long. */
static void want_text(pid_t pid, const char *text, size_t len)
{
	size_t at, n;

	for (at = 0; len >= PART && at < len; at += PART)
		want_extended_of(pid, "OU[%zu]%.*s", at / PART,
				 (int)(len - at < PART ? len - at : PART), text + at);
	if (len >= PART) {
		want_extended_of(pid, "OU_end|");
		return;
	}
	for (at = 0; at <= len; at += n + 1) {
		n = strcspn(text + at, "\n");
		n = n < len - at ? n : len - at;
		want_extended_of(pid, "%s|%.*s", at ? "Cont" : "OU", (int)n, text + at);
	}
	if (memchr(text, '\n', len))
		want_extended_of(pid, "Cont_end|");
}

/* Want the lines for @bytes of output, the last @len of which are @text. */
static void want_output(pid_t pid, int fd, size_t bytes, const char *text, size_t len)
{
	want_extended_of(pid, "Output|textsize=%zu,fd=%d,bytes=%zu", len, fd, bytes);
	want_text(pid, text, len);
}

static void want_printed(pid_t pid, int fd, const char *text)
{
	want_output(pid, fd, strlen(text), text, strlen(text));
}

/* Start a process that runs @fn with descriptor 1 or 2, or both, replaced. */
static pid_t process(int with, void (*fn)(void))
{
	pid_t pid = CHILD_MUST(et_sys(SYS_fork));
	int fd;

	if (!pid) {
		for (fd = 1; fd <= 2; fd++) {
			CHILD_MUST(syscall(SYS_dup3, with, fd, 0));
			want("Dup|oldfd=%d,newfd=%d,flags=0", with, fd);
		}
		fn();
		et_sys(SYS_exit_group, STATUS);
	}
	want_forked(pid);
	CHILD_MUST(waitpid(pid, NULL, 0));
	return pid;
}

static void want_status(pid_t pid, int status)
{
	want_of(pid, "Exit|status=%d", status);
}

static void say(int fd, const char *text, size_t len)
{
	if (CHILD_MUST(et_sys(SYS_write, fd, text, len)) != (long)len)
		CHILD_FAIL("write");
}

static void have_files(void)
{
	size_t i;
	int s[2], fd;

	for (i = 0; i < sizeof(all); i++)
		all[i] = 'a' + (i / 61 + i) % 26;
	fd = MUST(open(et_path("in"), O_RDWR | O_CREAT, 0600));
	MUST(write(fd, all, sizeof(all)));
	MUST(lseek(fd, 0, SEEK_SET));
	MUST(dup2(fd, IN_FD));
	close(fd);
	fd = MUST(open(et_path("out"), O_RDWR | O_CREAT, 0600));
	MUST(dup2(fd, FILE_FD));
	close(fd);
	MUST(socketpair(AF_UNIX, SOCK_DGRAM, 0, s));
	MUST(dup2(s[0], SOCKET));
	close(s[0]);
}

static void run(void (*fn)(void))
{
	have_files();
	et_traced(fn);
	close(FILE_FD);
	close(IN_FD);
	close(SOCKET);
}

/* ---- texts ------------------------------------------------------------------ */

static void say_short(void)
{
	say(2, "hello\n", 6);
}

static void say_both(void)
{
	say(1, "out", 3);
	say(2, "err: \001\377\t\n\n", 10);
	say(1, "put", 3);
	/* not descriptor 1 or 2 */
	say(FILE_FD, "no", 2);
}

static void say_lines(void)
{
	int i;

	for (i = 0; i < 100; i++)
		say(1, "x\n", 2);
}

static void say_nothing(void)
{
	say(1, "", 0);
	CHILD_MUST_FAIL(et_sys(SYS_write, 1, (char *)8, 5), EFAULT);
}

static void do_texts(void)
{
	char lines[200];
	pid_t pid;
	int i;

	pid = process(FILE_FD, say_short);
	want_printed(pid, 2, "hello\n");
	want_status(pid, STATUS);
	pid = process(FILE_FD, say_both);
	want_printed(pid, 1, "output");
	want_printed(pid, 2, "err: \001\377\t\n\n");
	want_status(pid, STATUS);
	pid = process(FILE_FD, say_lines);
	for (i = 0; i < 200; i++)
		lines[i] = i % 2 ? '\n' : 'x';
	want_output(pid, 1, 200, lines, 200);
	want_status(pid, STATUS);
	pid = process(FILE_FD, say_nothing);
	want_status(pid, STATUS);
}

TEST(short_and_long_output)
{
	run(do_texts);
}

/* ---- long output -------------------------------------------------------------- */

static size_t piece;

static void say_long(void)
{
	size_t at;

	for (at = 0; at + piece <= sizeof(all); at += piece)
		say(1, all + at, piece);
}

static void do_long(void)
{
	static const size_t pieces[] = { 13, 4095, 4096, 4097, 9000, 20000 };
	size_t i;
	pid_t pid;

	for (i = 0; i < ET_NELEMS(pieces); i++) {
		size_t bytes;

		piece = pieces[i];
		bytes = sizeof(all) / piece * piece;
		pid = process(FILE_FD, say_long);
		want_output(pid, 1, bytes, all + bytes - MOST, MOST);
		want_status(pid, STATUS);
	}
}

TEST(last_bytes_kept)
{
	run(do_long);
}

/* ---- calls ------------------------------------------------------------------ */

#define PIECES		200

/* On kernels without loops in BPF programs, BPF keeps 64 pieces of a vector: bpf.md. */
static size_t pieces(void)
{
	return et_bpf() && !et_kernel_at_least(5, 17) ? 64 : PIECES;
}

static void say_vectors(void)
{
	static char empty[1];
	struct iovec v[PIECES];
	size_t i;

	for (i = 0; i < pieces(); i++)
		v[i] = (struct iovec){ all + 90 * i, 90 };
	v[0] = (struct iovec){ all, 0 };
	v[7] = (struct iovec){ empty, 0 };
	CHILD_MUST(et_sys(SYS_writev, 1, v, 3));
	CHILD_MUST(et_sys(SYS_writev, 2, v, pieces()));
}

static void say_places(void)
{
	struct iovec v = { all, 2 };

	CHILD_MUST(pwrite(1, "ab", 2, 100));
	CHILD_MUST(pwritev(1, &v, 1, 5));
}

static void say_messages(void)
{
	struct iovec v[2] = { { "one", 3 }, { "two", 3 } };
	struct msghdr m = { .msg_iov = v, .msg_iovlen = 2 };

	CHILD_MUST(syscall(SYS_sendto, 1, "sent", 4, 0, NULL, 0));
	CHILD_MUST(syscall(SYS_sendmsg, 1, &m, 0));
}

/* Data copied between descriptors is counted, and hides the text before it. */
static void say_copies(void)
{
	say(1, "before", 6);
	say(2, "before", 6);
	CHILD_MUST(et_sys(SYS_sendfile, 1, IN_FD, NULL, 10));
	CHILD_MUST(et_sys(SYS_sendfile, 2, IN_FD, NULL, 10));
	say(2, "behind", 6);
}

static void do_calls(void)
{
	static char text[PIECES * 90];
	size_t i, n = 0;
	pid_t pid;

	for (i = 0; i < pieces(); i++)
		if (i && i != 7) {
			memcpy(text + n, all + 90 * i, 90);
			n += 90;
		}
	pid = process(FILE_FD, say_vectors);
	want_output(pid, 1, 180, text, 180);
	want_output(pid, 2, n, text + n - MOST, MOST);
	want_status(pid, STATUS);
	pid = process(FILE_FD, say_places);
	want_printed(pid, 1, "abab");
	want_status(pid, STATUS);
	pid = process(SOCKET, say_messages);
	want_printed(pid, 1, "sentonetwo");
	want_status(pid, STATUS);
	pid = process(FILE_FD, say_copies);
	want_output(pid, 1, 16, "", 0);
	want_output(pid, 2, 22, "behind", 6);
	want_status(pid, STATUS);
}

TEST(all_output_calls)
{
	run(do_calls);
}

/* ---- a vector that changes ------------------------------------------------------ */

#define PIECES_LATE	2000		/* a call accepts 1024 */
#define LONG		(1 << 20)	/* bytes: more than a socket accepts at once */

/* A message that its sender and another process can change. */
static struct changing {
	struct msghdr m;
	struct iovec whole, late[PIECES_LATE + 1];
	char text[LONG];
} *changing;

/*
 * The kernel has read the vector when the first byte arrives. Then the vector is replaced with
 * one that has more pieces than any call accepts, so the tracer does not look at the piece with
 * the text, which is the last.
 */
static void do_changing(void)
{
	static char room[65536];
	pid_t pid = CHILD_MUST(et_sys(SYS_fork));
	ssize_t n, got;

	if (!pid) {
		CHILD_MUST(syscall(SYS_dup3, SOCKET, 1, 0));
		want("Dup|oldfd=%d,newfd=1,flags=0", SOCKET);
		/* Map all of it in this process, too. */
		for (n = 0; n < (ssize_t)sizeof(*changing); n += 4096)
			*((volatile char *)changing + n);
		CHILD_MUST(syscall(SYS_sendmsg, 1, &changing->m, 0));
		et_sys(SYS_exit_group, STATUS);
	}
	want_forked(pid);
	got = CHILD_MUST(read(OTHER_END, room, 1));
	changing->m.msg_iov = changing->late;
	changing->m.msg_iovlen = PIECES_LATE + 1;
	while (got < LONG && (n = CHILD_MUST(read(OTHER_END, room, sizeof(room)))) > 0)
		got += n;
	CHILD_MUST(waitpid(pid, NULL, 0));
	want_output(pid, 1, LONG, "", 0);
	want_extended_of(pid, "Marks|joined=,unread=OU,cut=");
	want_status(pid, STATUS);
	/* BPF records events that need "extended" in both variants. */
	if (et_extended || et_bpf())
		want_count("strings_unread", 1);
}

TEST(iovec_changed_during_call)
{
	int s[2];

	changing = mmap(NULL, sizeof(*changing), PROT_READ | PROT_WRITE,
			MAP_SHARED | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
	if (changing == MAP_FAILED)
		DIE("mmap: %m");
	memset(changing->text, 'x', sizeof(changing->text));
	changing->whole = (struct iovec){ changing->text, LONG };
	changing->late[PIECES_LATE] = changing->whole;
	changing->m = (struct msghdr){ .msg_iov = &changing->whole, .msg_iovlen = 1 };
	MUST(socketpair(AF_UNIX, SOCK_STREAM, 0, s));
	MUST(dup2(s[0], SOCKET));
	MUST(dup2(s[1], OTHER_END));
	close(s[0]);
	close(s[1]);
	et_traced(do_changing);
	close(SOCKET);
	close(OTHER_END);
	munmap(changing, sizeof(*changing));
}

/* ---- whose output it is ------------------------------------------------------- */

#define STACK		65536
#define THREAD_FLAGS	(CLONE_VM | CLONE_FS | CLONE_FILES | CLONE_SIGHAND | \
			 CLONE_THREAD | CLONE_SYSVSEM)

static int thread(void *arg)
{
	(void)arg;
	say(1, "b", 1);
	et_sys(SYS_exit, 0);
	return 0;
}

static void say_by_threads(void)
{
	char *stack = mmap(NULL, STACK, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	pid_t tid;

	say(1, "a", 1);
	tid = CHILD_MUST(clone(thread, stack + STACK, THREAD_FLAGS, NULL));
	want("SysClone|flags=%u", THREAD_FLAGS);
	want_fork(tid);
	want_of(tid, "Exit|status=0");
	/* until it is gone: the last task to end emits what the process printed */
	while (!et_sys(SYS_tgkill, getpid(), tid, 0))
		usleep(1000);
	say(1, "c", 1);
}

/* A child begins with no output, and only its own is recorded for it. */
static void say_by_child(void)
{
	pid_t pid;

	say(1, "parent", 6);
	pid = CHILD_MUST(et_sys(SYS_fork));
	if (!pid) {
		say(1, "child", 5);
		et_sys(SYS_exit_group, 1);
	}
	want_forked(pid);
	CHILD_MUST(waitpid(pid, NULL, 0));
	want_printed(pid, 1, "child");
	want_status(pid, 1);
}

/* Another program in the same process. */
static void say_and_run(void)
{
	size_t size = strlen(helper);

	say(1, "before ", 7);
	want("New_proc|argsize=2,prognameisize=%zu,prognamepsize=%zu,cwdsize=%zu", size, size,
	     strlen(et_dir));
	want("PI|%s", helper);
	want("PP|%s", helper);
	want("CW|%s", et_dir);
	want("A[0]h");
	want("End_of_args|");
	et_sys(SYS_execve, helper, (char *[]) { "h", NULL },
	       (char *[]) { "ETRACE_EXIT=5", "ETRACE_REPORT=1", NULL });
	CHILD_FAIL("execve: %m");
}

static void do_whose(void)
{
	char report[2 * PATH_MAX];
	pid_t pid;
	int n;

	pid = process(FILE_FD, say_by_threads);
	want_printed(pid, 1, "abc");
	want_status(pid, STATUS);
	pid = process(FILE_FD, say_by_child);
	want_printed(pid, 1, "parent");
	want_status(pid, STATUS);
	n = snprintf(report, sizeof(report), "%s%c%s%c1%ch", helper, 0, et_dir, 0, 0) + 1;
	pid = process(FILE_FD, say_and_run);
	want_extended_of(pid, "Output|textsize=%d,fd=1,bytes=%d", 7 + 8 + n, 7 + 8 + n);
	/* the text contains null bytes */
	want_any(pid);
}

TEST(output_of_threads_children_and_exec)
{
	run(do_whose);
}

/* ---- ends of processes -------------------------------------------------------- */

static void say_and_die(void)
{
	say(1, "dying", 5);
	kill(getpid(), SIGKILL);
}

static void say_and_succeed(void)
{
	say(1, "fine", 4);
	et_sys(SYS_exit_group, 0);
}

/* The kernel thread of a ring, which recorded nothing, outlives the last thread of the program. */
static void say_beside_ring(void)
{
	struct io_uring_params params = { .flags = IORING_SETUP_SQPOLL };
	int fd = syscall(SYS_io_uring_setup, 1, &params);

	if (fd >= 0)
		want_extended("IoUring|fd=%d", fd);
	say(1, "beside", 6);
}

static void do_beside_ring(void)
{
	pid_t pid;
	int i;

	/* the kernel thread does not always end last */
	for (i = 0; i < 10; i++) {
		pid = process(FILE_FD, say_beside_ring);
		want_printed(pid, 1, "beside");
		want_status(pid, STATUS);
	}
}

TEST(beside_ring)
{
	if (et_without_module())
		return;
	run(do_beside_ring);
}

static void do_ends(void)
{
	pid_t pid = process(FILE_FD, say_and_die);

	want_printed(pid, 1, "dying");
	want_status(pid, 0);
	want_extended_of(pid, "ExitSignal|signal=%d,core=0", SIGKILL);
	want_status(process(FILE_FD, say_and_succeed), 0);
}

TEST(output_of_failed_processes_only)
{
	run(do_ends);
}

static void do_all(void)
{
	pid_t pid = process(FILE_FD, say_and_succeed);

	want_printed(pid, 1, "fine");
	want_status(pid, 0);
}

TEST(output_of_all_processes)
{
	if (et_without_module())
		return;
	EXPECT_EQ(et_param_write("record", "output=all"), 0);
	run(do_all);
	EXPECT_EQ(et_param_write("record", "output"), 0);
}

static void do_unasked(void)
{
	want_status(process(FILE_FD, say_short), STATUS);
}

TEST(not_recorded_by_default)
{
	if (et_without_module())
		return;
	EXPECT_EQ(et_param_write("record", "dirs"), 0);
	run(do_unasked);
	EXPECT_EQ(et_param_write("record", "output"), 0);
}

/* Without memory, only the number of bytes is recorded, and this is counted. */
static void do_no_memory(void)
{
	pid_t pid = process(FILE_FD, say_short);

	want_output(pid, 2, 6, "", 0);
	want_extended_of(pid, "Marks|joined=,unread=OU,cut=");
	want_status(pid, STATUS);
	if (et_extended)
		want_count("strings_unread", 1);
}

TEST(no_memory)
{
	if (et_without_module())
		return;
	EXPECT_EQ(et_param_write("output_memory", "0"), 0);
	run(do_no_memory);
	EXPECT_EQ(et_param_write("output_memory", "64"), 0);
	/* all memory has been given back */
	run(do_texts);
}

int main(int argc, char **argv)
{
	ssize_t n = readlink("/proc/self/exe", helper, sizeof(helper) - 32);

	if (n < 0)
		et_skip_all("/proc/self/exe: no proc");
	helper[n] = '\0';
	strcpy(strrchr(helper, '/') + 1, HELPER);
	et_facts = "OUTPUT";
	return et_main(argc, argv, "record=output");
}
