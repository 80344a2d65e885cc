// SPDX-License-Identifier: GPL-2.0
/*
 * ExecFailed, NX: execve and execveat that fail. In root_pid's tree, recorded only with the
 * parameter extended.
 */
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "lib/etrace_test.h"

static char *args[] = { "x", NULL };

static void want_failed(const char *path, int err)
{
	want_extended("ExecFailed|fnamesize=%zu", strlen(path));
	want_extended("NX|%s", path);
	want_extended("Failed|error=%d", err);
}

static void et_program(const char *name, const void *text, size_t n)
{
	int fd = MUST(open(et_path(name), O_CREAT | O_WRONLY, 0777));

	EXPECT(write(fd, text, n) == (ssize_t)n);
	MUST(fchmod(fd, 0777));
	close(fd);
}

#define EXEC_FAILS(name, path, err)					\
	do {								\
		CHILD_MUST_FAIL(et_sys(SYS_execve, name, args, NULL), err); \
		want_failed(path, err);					\
	} while (0)

static void do_execve(void)
{
	/* As a shell searches PATH. */
	EXEC_FAILS("/no/such/bin/cc", "/no/such/bin/cc", ENOENT);
	EXEC_FAILS("absent", et_path("absent"), ENOENT);
	EXEC_FAILS("./d/../absent", et_path("./d/../absent"), ENOENT);
	EXEC_FAILS("d", et_path("d"), EACCES);
	EXEC_FAILS("file", et_path("file"), EACCES);
	EXEC_FAILS("file/x", et_path("file/x"), ENOTDIR);
	EXEC_FAILS("text", et_path("text"), ENOEXEC);
	/* Not the interpreter, which the caller did not name. */
	EXEC_FAILS("script", et_path("script"), ENOENT);
	CHILD_MUST_FAIL(et_sys(SYS_execve, "text", (char **)8, NULL), EFAULT);
	want_failed(et_path("text"), EFAULT);
	CHILD_MUST_FAIL(et_sys(SYS_execve, (char *)8, args, NULL), EFAULT);
	want_extended("ExecFailed|");
	want_extended("Failed|error=%d", EFAULT);
}

TEST(execve)
{
	et_file("file");
	et_mkdir("d");
	et_program("text", "no program\n", 11);
	et_program("script", "#!/no/such/interpreter\n", 23);
	et_traced(do_execve);
}

/* Descriptors already open in the child. */
#define DIR_FD	100
#define FILE_FD	101

#define EXECVEAT_FAILS(fd, name, flags, path, err)			\
	do {								\
		CHILD_MUST_FAIL(et_sys(SYS_execveat, fd, name, args, NULL, flags), err); \
		want_failed(path, err);					\
	} while (0)

static void do_execveat(void)
{
	EXECVEAT_FAILS(DIR_FD, "x", 0, et_path("d/x"), ENOENT);
	EXECVEAT_FAILS(DIR_FD, "x", AT_EMPTY_PATH, et_path("d/x"), ENOENT);
	EXECVEAT_FAILS(DIR_FD, et_path("x"), 0, et_path("x"), ENOENT);
	EXECVEAT_FAILS(AT_FDCWD, "x", 0, et_path("x"), ENOENT);
	EXECVEAT_FAILS(12345, "x", 0, "x", EBADF);
	EXECVEAT_FAILS(AT_FDCWD, "to_text", AT_SYMLINK_NOFOLLOW, et_path("to_text"), ELOOP);
	EXECVEAT_FAILS(AT_FDCWD, "text", 0x100000, et_path("text"), EINVAL);
	/* The descriptor's own path. */
	EXECVEAT_FAILS(FILE_FD, "", AT_EMPTY_PATH, et_path("text"), ENOEXEC);
	EXECVEAT_FAILS(DIR_FD, "", AT_EMPTY_PATH, et_path("d"), EACCES);
	EXECVEAT_FAILS(AT_FDCWD, "", AT_EMPTY_PATH, et_dir, EACCES);
	EXECVEAT_FAILS(FILE_FD, "", 0, et_path("text/"), ENOENT);
	CHILD_MUST_FAIL(et_sys(SYS_execveat, 12345, "", args, NULL, AT_EMPTY_PATH), EBADF);
	want_extended("ExecFailed|");
	want_extended("Failed|error=%d", EBADF);
}

TEST(execveat)
{
	et_mkdir("d");
	et_program("text", "no program\n", 11);
	MUST(symlink("text", et_path("to_text")));
	MUST(dup2(MUST(open(et_path("d"), O_PATH | O_DIRECTORY | O_CLOEXEC)), DIR_FD));
	MUST(dup2(MUST(open(et_path("text"), O_PATH | O_CLOEXEC)), FILE_FD));
	et_traced(do_execveat);
	MUST(close(DIR_FD));
	MUST(close(FILE_FD));
}

/*
 * The execve fails after the old program is gone: the kernel kills the process, and only its Exit
 * is recorded.
 */
static void do_killed(void)
{
	pid_t pid = CHILD_MUST(et_sys(SYS_fork));
	int status;

	if (!pid) {
		et_sys(SYS_execve, "nowhere", args, NULL);
		CHILD_FAIL("execve: %m");
		_exit(1);
	}
	want_forked(pid);
	CHILD_MUST(waitpid(pid, &status, 0));
	if (!WIFSIGNALED(status))
		CHILD_FAIL("the child was not killed: status %x", status);
	want_of(pid, "Exit|status=0");
	want_extended_of(pid, "ExitSignal|signal=%d,core=%d", WTERMSIG(status),
			 !!WCOREDUMP(status));
}

#if defined(__aarch64__) || defined(__arm__)
#define MACHINE	EM_AARCH64
#else
#define MACHINE	EM_X86_64
#endif

/* A 64-bit program with a load address in kernel space. */
TEST(killed_by_failed_exec)
{
	struct {
		Elf64_Ehdr e;
		Elf64_Phdr p;
	} elf = {
		.e = {
			.e_ident = { ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS64,
				     ELFDATA2LSB, EV_CURRENT },
			.e_type = ET_EXEC, .e_machine = MACHINE, .e_version = EV_CURRENT,
			.e_phoff = sizeof(elf.e), .e_ehsize = sizeof(elf.e),
			.e_phentsize = sizeof(elf.p), .e_phnum = 1,
		},
		.p = {
			.p_type = PT_LOAD, .p_flags = PF_R | PF_X,
			.p_vaddr = 0xffff800000000000, .p_filesz = sizeof(elf),
			.p_memsz = sizeof(elf), .p_align = 4096,
		},
	};

	et_program("nowhere", &elf, sizeof(elf));
	et_traced(do_killed);
}

int main(int argc, char **argv)
{
	et_facts = "EXEC_FAILED";
	return et_main(argc, argv, "");
}
