// SPDX-License-Identifier: GPL-2.0
/*
 * Calls that were not made, because a seccomp filter or a tracer answered instead of the kernel,
 * with success or an error. None of them is recorded.
 */
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <stddef.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>

#include "lib/etrace_test.h"

#define FD	100

/* The registers with a call's number and its return value. */
#ifdef __aarch64__
#define NUMBER		regs[8]
#define RETURNED	regs[0]
#else
#define NUMBER		orig_rax
#define RETURNED	rax
#endif

/* From now on, a filter answers this call with @error. */
static void answer(int call, unsigned int error)
{
	const int nr = et_new_number(call);
	struct sock_filter code[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, nr, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | error),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog filter = { ET_NELEMS(code), code };

	CHILD_MUST(prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter));
}

static void do_seccomp(void)
{
	int fd[2] = { 7, 8 };

	CHILD_MUST(prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0));
	answer(SYS_openat, 0);
	answer(SYS_rename, 0);
	answer(SYS_link, 0);
	answer(SYS_symlink, 0);
	answer(SYS_unlink, 0);
	answer(SYS_mkdir, EPERM);
	answer(SYS_dup, 0);
	answer(SYS_pipe2, 0);
	answer(SYS_close, EIO);
	answer(SYS_close_range, 0);
	answer(SYS_umount2, 0);
	answer(SYS_mount, EPERM);
	answer(SYS_clone3, EPERM);

	CHILD_MUST(syscall(SYS_openat, AT_FDCWD, "/dev/null", O_RDONLY));
	CHILD_MUST(syscall(SYS_rename, "a", "b"));
	CHILD_MUST(syscall(SYS_link, "a", "b"));
	CHILD_MUST(syscall(SYS_symlink, "a", "b"));
	CHILD_MUST(syscall(SYS_unlink, "a"));
	CHILD_MUST_FAIL(syscall(SYS_mkdir, "a", 0700), EPERM);
	CHILD_MUST(syscall(SYS_dup, FD));
	CHILD_MUST(syscall(SYS_pipe2, fd, 0));
	CHILD_MUST_FAIL(syscall(SYS_close, FD), EIO);
	CHILD_MUST(syscall(SYS_close_range, FD, FD, 0));
	CHILD_MUST(syscall(SYS_umount2, "/", 0));
	CHILD_MUST_FAIL(syscall(SYS_mount, "a", "b", "c", 0, NULL), EPERM);
	CHILD_MUST_FAIL(syscall(SYS_clone3, fd, 0), EPERM);
	/* Calls that the filters allow are recorded as usual. */
	CHILD_MUST(syscall(SYS_dup2, FD, FD + 1));
	want("Dup|oldfd=%d,newfd=%d,flags=0", FD, FD + 1);
	CHILD_MUST(syscall(SYS_renameat2, AT_FDCWD, "a", AT_FDCWD, "b", 0));
	want("Rename2From|fnamesize=%zu,flags=0", strlen(et_path("a")));
	want("RF|%s", et_path("a"));
	want("RenameTo|fnamesize=%zu", strlen(et_path("b")));
	want("RT|%s", et_path("b"));
}

TEST(calls_answered_by_seccomp)
{
	MUST(dup2(STDIN_FILENO, FD));
	et_file("a");
	et_traced(do_seccomp);
}

/* The tracer: every call of the child except exit_group returns 0 without being made. */
static void emulate(pid_t pid)
{
	struct user_regs_struct regs;
	struct iovec all = { &regs, sizeof(regs) };
	int status;

	while (waitpid(pid, &status, 0) == pid && WIFSTOPPED(status)) {
		CHILD_MUST(ptrace(PTRACE_GETREGSET, pid, NT_PRSTATUS, &all));
		if (WSTOPSIG(status) != SIGTRAP) {
			CHILD_MUST(ptrace(PTRACE_SYSEMU, pid, NULL, NULL));
		} else if (regs.NUMBER == SYS_getppid) {
			/* This call is the signal to detach. */
			CHILD_MUST(ptrace(PTRACE_DETACH, pid, NULL, NULL));
		} else {
			regs.RETURNED = 0;
			CHILD_MUST(ptrace(PTRACE_SETREGSET, pid, NT_PRSTATUS, &all));
			CHILD_MUST(ptrace(PTRACE_SYSEMU, pid, NULL, NULL));
		}
	}
	if (!WIFEXITED(status) || WEXITSTATUS(status))
		CHILD_FAIL("the emulated process ended with status 0x%x", status);
}

static void do_sysemu(void)
{
	pid_t pid = CHILD_MUST(syscall(SYS_fork));

	if (pid) {
		want_forked(pid);
		want_of(pid, "Exit|status=0");
		emulate(pid);
		return;
	}
	CHILD_MUST(ptrace(PTRACE_TRACEME, 0, NULL, NULL));
	raise(SIGSTOP);
	CHILD_MUST(syscall(SYS_openat, AT_FDCWD, "/dev/null", O_RDONLY));
	CHILD_MUST(syscall(SYS_rename, "a", "b"));
	CHILD_MUST(syscall(SYS_dup, FD));
	syscall(SYS_getppid);
	_exit(0);
}

TEST(calls_emulated_by_ptrace)
{
	if (et_bpf()) {
		et_skip("BPF programs cannot see that a call is emulated");
		return;
	}
	MUST(dup2(STDIN_FILENO, FD));
	et_file("a");
	et_traced(do_sysemu);
}

int main(int argc, char **argv)
{
	return et_main(argc, argv, "");
}
