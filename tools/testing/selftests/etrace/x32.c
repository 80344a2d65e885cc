// SPDX-License-Identifier: GPL-2.0
/*
 * A 64-bit program that makes x32 calls that have their own numbers: they are recorded like the
 * calls with the usual numbers, although they point to 32-bit structures.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "lib/etrace_test.h"

#define X32		0x40000000	/* the x32 bit */

enum {
	X32_IOCTL = 514, X32_READV = 515, X32_WRITEV = 516, X32_RECVFROM = 517,
	X32_SENDMSG = 518, X32_RECVMSG = 519, X32_EXECVE = 520, X32_PREADV = 534,
	X32_PWRITEV = 535, X32_EXECVEAT = 545, X32_PREADV2 = 546, X32_PWRITEV2 = 547,
};

/* Descriptors already open in the child: a file, two sockets. */
enum { FILE_FD = 100, SOCKET, OTHER };

#define STATUS	3

#define OTHER_FACTS	"EXEC_FAILED CLOEXEC RECEIVED OUTPUT"

struct vector32 {
	uint32_t base, len;
};

struct message32 {
	uint32_t name, name_len, vector, nr, control, control_len, flags;
};

/* Memory that 32-bit pointers can reach. */
static struct low {
	char text[4096];
	struct vector32 v[2];
	struct message32 m;
	uint32_t args[2];
	uint32_t control[16];
} *low;

static uint32_t at(const void *p)
{
	return (uintptr_t)p;
}

static long x32(long nr, long a, long b, long c, long d, long e, long f)
{
	return syscall(X32 + nr, a, b, c, d, e, f);
}

/* Whether the kernel has x32 calls. Prepares the case. */
static bool setup(void)
{
	int s[2], fd;

	if (syscall(X32 + SYS_getpid) < 0) {
		et_skip("this kernel has no x32, or needs syscall.x32=y");
		return false;
	}
	if (!low)
		low = mmap(NULL, sizeof(*low), PROT_READ | PROT_WRITE,
			   MAP_PRIVATE | MAP_ANONYMOUS | MAP_32BIT, -1, 0);
	if (low == MAP_FAILED)
		DIE("mmap: %m");
	strcpy(low->text, "onetwo");
	low->v[0] = (struct vector32){ at(low->text), 3 };
	low->v[1] = (struct vector32){ at(low->text + 3), 3 };
	low->m = (struct message32){ .vector = at(low->v), .nr = 2 };
	low->args[0] = at(low->text);
	low->args[1] = 0;
	et_file("a");
	fd = MUST(open(et_path("a"), O_RDWR));
	MUST(dup2(fd, FILE_FD));
	close(fd);
	MUST(socketpair(AF_UNIX, SOCK_DGRAM, 0, s));
	MUST(dup2(s[0], SOCKET));
	MUST(dup2(s[1], OTHER));
	close(s[0]);
	close(s[1]);
	return true;
}

static void run(void (*fn)(void))
{
	if (!setup())
		return;
	et_traced(fn);
	close(FILE_FD);
	close(SOCKET);
	close(OTHER);
}

/* ---- uses of descriptors -------------------------------------------------------- */

static void do_uses(void)
{
	CHILD_MUST(x32(X32_WRITEV, FILE_FD, at(low->v), 2, 0, 0, 0));
	CHILD_MUST(x32(X32_PWRITEV, FILE_FD, at(low->v), 1, 0, 0, 0));
	CHILD_MUST(x32(X32_PWRITEV2, FILE_FD, at(low->v), 1, 0, 0, 0));
	CHILD_MUST(lseek(FILE_FD, 0, SEEK_SET));
	CHILD_MUST(x32(X32_READV, FILE_FD, at(low->v), 1, 0, 0, 0));
	CHILD_MUST(x32(X32_PREADV, FILE_FD, at(low->v), 2, 0, 0, 0));
	CHILD_MUST(x32(X32_PREADV2, FILE_FD, at(low->v), 2, 0, 0, 0));
	CHILD_MUST(close(FILE_FD));
	want("Close|fd=%d", FILE_FD);
	want_extended("CloseRead|bytes=%d", 3 + 6 + 6);
	want_extended("CloseWrote|bytes=%d", 6 + 3 + 3);
	/* A socket's use is recorded at once, before that of the other end. */
	CHILD_MUST(x32(X32_SENDMSG, SOCKET, at(&low->m), 0, 0, 0, 0));
	want_extended("Use|fd=%d", SOCKET);
	want_extended("UseWrote|bytes=6");
	CHILD_MUST(x32(X32_RECVFROM, OTHER, at(low->text), 6, 0, 0, 0));
	want_extended("Use|fd=%d", OTHER);
	CHILD_MUST(close(OTHER));
	want("Close|fd=%d", OTHER);
	want_extended("CloseRead|bytes=6");
}

TEST(uses)
{
	et_facts = "USE UseRead UseWrote CloseRead CloseWrote";
	run(do_uses);
	et_facts = OTHER_FACTS;
}

/* ---- other calls ----------------------------------------------------------------- */

static void want_failed(const char *path, int err)
{
	want_extended("ExecFailed|fnamesize=%zu", strlen(path));
	want_extended("NX|%s", path);
	want_extended("Failed|error=%d", err);
}

static void do_calls(void)
{
	strcpy(low->text, "absent");
	CHILD_MUST_FAIL(x32(X32_EXECVE, at(low->text), at(low->args), 0, 0, 0, 0), ENOENT);
	want_failed(et_path("absent"), ENOENT);
	CHILD_MUST_FAIL(x32(X32_EXECVEAT, AT_FDCWD, at(low->text), at(low->args), 0, 0, 0), ENOENT);
	want_failed(et_path("absent"), ENOENT);
	CHILD_MUST(x32(X32_IOCTL, FILE_FD, FIOCLEX, 0, 0, 0, 0));
	want_extended("Cloexec|first=%d,last=%d,on=1", FILE_FD, FILE_FD);
	/* These numbers exist only with the x32 bit, and the 64-bit numbers only without it. */
	CHILD_MUST_FAIL(syscall(X32_EXECVE, low->text, low->args, NULL), ENOSYS);
	CHILD_MUST_FAIL(syscall(X32_IOCTL, FILE_FD, FIONCLEX, 0), ENOSYS);
	CHILD_MUST_FAIL(x32(SYS_ioctl, FILE_FD, FIONCLEX, 0, 0, 0, 0), ENOSYS);
	/* Calls with the same number in both. */
	CHILD_MUST(x32(SYS_dup3, FILE_FD, 120, 0, 0, 0, 0));
	want("Dup|oldfd=%d,newfd=120,flags=0", FILE_FD);
	CHILD_MUST(x32(SYS_close, 120, 0, 0, 0, 0, 0));
	want("Close|fd=120");
}

TEST(calls)
{
	run(do_calls);
}

/* A descriptor received with a message whose header has the 32-bit layout. */
static void do_received(void)
{
	low->control[0] = 16;
	low->control[1] = SOL_SOCKET;
	low->control[2] = SCM_RIGHTS;
	low->control[3] = FILE_FD;
	low->m.control = at(low->control);
	low->m.control_len = 16;
	CHILD_MUST(x32(X32_SENDMSG, SOCKET, at(&low->m), 0, 0, 0, 0));
	memset(low->control, 0, sizeof(low->control));
	low->m.control_len = sizeof(low->control);
	CHILD_MUST(x32(X32_RECVMSG, OTHER, at(&low->m), MSG_CMSG_CLOEXEC, 0, 0, 0));
	want_extended("Received|fnamesize=%zu,fd=%d,cloexec=1", strlen(et_path("a")),
		      (int)low->control[3]);
	want_extended("RP|%s", et_path("a"));
}

TEST(received)
{
	run(do_received);
}

/* What a process that fails wrote to descriptor 1. */
static void do_output(void)
{
	pid_t pid = CHILD_MUST(syscall(SYS_fork));

	if (!pid) {
		CHILD_MUST(dup2(SOCKET, 1));
		want("Dup|oldfd=%d,newfd=1,flags=0", SOCKET);
		CHILD_MUST(x32(X32_WRITEV, 1, at(low->v), 2, 0, 0, 0));
		CHILD_MUST(x32(X32_SENDMSG, 1, at(&low->m), 0, 0, 0, 0));
		syscall(SYS_exit_group, STATUS);
	}
	want_forked(pid);
	CHILD_MUST(waitpid(pid, NULL, 0));
	want_extended_of(pid, "Output|textsize=12,fd=1,bytes=12");
	want_extended_of(pid, "OU|onetwoonetwo");
	want_of(pid, "Exit|status=%d", STATUS);
}

TEST(output)
{
	run(do_output);
}

int main(int argc, char **argv)
{
	et_facts = OTHER_FACTS;
	return et_main(argc, argv, "record=output");
}
