// SPDX-License-Identifier: GPL-2.0
/*
 * New_proc, ExecFile, PI, PP, CW, A[n], End_of_args: execve and execveat.
 *
 * The trace must agree with what the new program finds out about itself, which the helper reports
 * through a pipe.
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <sched.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <sys/wait.h>
#include <unistd.h>

#include "lib/etrace_test.h"

#ifndef __LP64__
#define HELPER	"helper_32"
#else
#define HELPER	"helper"
#endif

#define REPORT_FD	"200"

static int report_fd;		/* the end that the child reads */
static char helper_from[PATH_MAX];	/* the helper as it was built */

/* The parts of a helper's report. */
static struct report {
	const char *exe;
	const char *cwd;
	int argc;
	const char *argv[64];
	char text[32768];
} report;

static void read_all(char *to, size_t n)
{
	ssize_t got;

	while (n) {
		got = read(report_fd, to, n);
		if (got <= 0) {
			CHILD_FAIL("no report from the helper: %m");
			_exit(1);
		}
		to += got;
		n -= got;
	}
}

static char *next_text(char **p)
{
	char *s = *p;

	*p += strlen(s) + 1;
	return s;
}

static void report_read(void)
{
	char size[9] = "";
	char *p = report.text;
	int i;

	memset(report.text, 0, sizeof(report.text));
	read_all(size, 8);
	read_all(report.text, atoi(size));
	report.exe = next_text(&p);
	report.cwd = next_text(&p);
	report.argc = atoi(next_text(&p));
	for (i = 0; i < report.argc && i < 64; i++)
		report.argv[i] = next_text(&p);
}

static bool identified;		/* whether cases check which file runs */

/* Want the helper's file, as stat() identifies it. */
static void want_file(pid_t pid)
{
	struct stat st;

	CHILD_MUST(stat(report.exe, &st));
	want_extended_of(pid, "ExecFile|dev=%u,ino=%llu,size=%lld,mtime=%lld",
			 (minor(st.st_dev) & 0xff) | major(st.st_dev) << 8 |
			 (minor(st.st_dev) & ~0xffu) << 12, (unsigned long long)st.st_ino,
			 (long long)st.st_size,
			 st.st_mtim.tv_sec * 1000000000LL + st.st_mtim.tv_nsec);
}

/*
 * Want the lines of task @pid for an execve whose program has reported. @path: the path that was
 * executed, for example a script's, NULL if it is the one that the helper reports.
 */
static void want_exec(pid_t pid, const char *path)
{
	size_t size = 0;
	int i;

	report_read();
	if (!path)
		path = report.exe;
	for (i = 0; i < report.argc; i++)
		size += strlen(report.argv[i]) + 1;
	want_of(pid, "New_proc|argsize=%zu,prognameisize=%zu,prognamepsize=%zu,cwdsize=%zu",
		size, strlen(report.exe), strlen(path), strlen(report.cwd));
	if (identified)
		want_file(pid);
	want_of(pid, "PI|%s", report.exe);
	want_of(pid, "PP|%s", path);
	want_of(pid, "CW|%s", report.cwd);
	for (i = 0; i < report.argc; i++)
		want_of(pid, "A[%d]%s", i, report.argv[i]);
	want_of(pid, "End_of_args|");
}

static char *envp[] = { "ETRACE_REPORT=" REPORT_FD, "ETRACE_EXIT=0", NULL };

/* Execute @path in a child, and want its lines. */
static void exec_is(const char *path, char *const argv[], const char *shown)
{
	pid_t pid = CHILD_MUST(et_sys(SYS_fork));

	if (!pid) {
		et_sys(SYS_execve, path, argv, envp);
		CHILD_FAIL("execve %s: %m", path);
		_exit(127);
	}
	want_forked(pid);
	want_exec(pid, shown);
	CHILD_MUST(waitpid(pid, NULL, 0));
	want_of(pid, "Exit|status=0");
}

static void execveat_is(int dirfd, const char *path, char *const argv[],
			int flags, const char *shown)
{
	pid_t pid = CHILD_MUST(et_sys(SYS_fork));

	if (!pid) {
		et_sys(SYS_execveat, dirfd, path, argv, envp, flags);
		CHILD_FAIL("execveat %d %s: %m", dirfd, path);
		_exit(127);
	}
	want_forked(pid);
	want_exec(pid, shown);
	CHILD_MUST(waitpid(pid, NULL, 0));
	want_of(pid, "Exit|status=0");
}

static void copy_fd(int from, int to)
{
	char buf[65536];
	ssize_t n;

	while ((n = MUST(read(from, buf, sizeof(buf)))) > 0)
		MUST(write(to, buf, n));
}

/* Copy the helper into the case's directory. */
static void helper(const char *name)
{
	int from = MUST(open(helper_from, O_RDONLY));
	int to = MUST(open(et_path(name), O_CREAT | O_WRONLY, 0755));

	copy_fd(from, to);
	close(from);
	close(to);
}

static void script(const char *name, const char *fmt, ...)
{
	int fd = MUST(open(et_path(name), O_CREAT | O_WRONLY, 0755));
	va_list args;

	va_start(args, fmt);
	vdprintf(fd, fmt, args);
	va_end(args);
	close(fd);
}

/* Run @fn with a pipe for the report. */
static void run(void (*fn)(void))
{
	int fds[2];

	MUST(pipe(fds));
	MUST(dup2(fds[1], atoi(REPORT_FD)));
	close(fds[1]);
	report_fd = fds[0];
	et_traced(fn);
	close(report_fd);
	close(atoi(REPORT_FD));
}

static void do_execve(void)
{
	exec_is(et_path("prog"), (char *[]) { "prog", "one", "two", NULL }, NULL);
	exec_is("prog", (char *[]) { "another name", NULL }, NULL);
	exec_is("./d/../prog", (char *[]) { "prog", "-x", "--long=1", NULL }, NULL);
	CHILD_MUST(chdir("d"));
	/* Through a link, and in another directory. */
	exec_is("../to_prog", (char *[]) { "../to_prog", NULL }, NULL);
}

TEST(execve)
{
	helper("prog");
	et_mkdir("d");
	MUST(symlink("prog", et_path("to_prog")));
	run(do_execve);
}

static void do_arguments(void)
{
	exec_is("prog", (char *[]) { "", NULL }, NULL);
	exec_is("prog", (char *[]) { "", "", "", NULL }, NULL);
	exec_is("prog", (char *[]) { "prog", "", "a", "", NULL }, NULL);
	exec_is("prog", (char *[]) { "prog", "a=b|c!,d[1]", "A[0]x", "End_of_args|",
		NULL }, NULL);
	exec_is("prog", (char *[]) { "prog", "\x01\x7f\x80\xff\t\r\x1b[m", NULL }, NULL);
}

TEST(arguments)
{
	helper("prog");
	run(do_arguments);
}

/* Which file runs; for a script, its interpreter. */
static void do_file(void)
{
	const char *s = et_path("script");

	exec_is("prog", (char *[]) { "prog", NULL }, NULL);
	exec_is("same", (char *[]) { "same", NULL }, NULL);
	exec_is("script", (char *[]) { "script", NULL }, s);
}

TEST(program_file)
{
	const char *facts = et_facts;

	helper("prog");
	MUST(link(et_path("prog"), et_path("same")));
	script("script", "#!%s\n", et_path("prog"));
	et_facts = "ExecFile";
	identified = true;
	run(do_file);
	identified = false;
	et_facts = facts;
}

#define ARG_SIZE	800	/* with its null byte: six of them fill several records */

static void do_many(void)
{
	static char arg[ARG_SIZE];

	memset(arg, 'x', sizeof(arg) - 1);
	et_sys(SYS_execve, "prog", (char *[]) { arg, arg, arg, arg, arg, arg, NULL },
	       (char *[]) { NULL });
	CHILD_FAIL("execve: %m");
}

TEST(program_file_many_arguments)
{
	const char *facts = et_facts;
	const struct et_task *t;
	struct et_trace tr;
	char text[64];

	helper("prog");
	et_facts = "ExecFile";
	t = et_trace_pid(&tr, et_run(do_many, &tr));
	et_facts = facts;
	snprintf(text, sizeof(text), "New_proc|argsize=%d,", 6 * ARG_SIZE);
	EXPECT(t && t->nr > 10 && !strncmp(t->line[0].text, text, strlen(text)));
	EXPECT(t && !et_extended == !!strncmp(t->line[1].text, "ExecFile|dev=", 13));
	EXPECT(t && t->nr > 10 && !strcmp(t->line[t->nr - 2].text, "End_of_args|"));
	et_trace_free(&tr);
}

/* Newlines in arguments and paths, which become Cont lines. */
static void do_newlines(void)
{
	pid_t pid = CHILD_MUST(et_sys(SYS_fork));

	if (!pid) {
		et_sys(SYS_execve, "a\nprog", (char *[]) {
			"\n", "a\nb", "\n\nc\n", "plain", NULL }, envp);
		CHILD_FAIL("execve: %m");
		_exit(127);
	}
	want_forked(pid);
	report_read();
	want_of(pid, "New_proc|argsize=17,prognameisize=%zu,prognamepsize=%zu,cwdsize=%zu",
		strlen(report.exe), strlen(report.exe), strlen(et_dir));
	want_of(pid, "PI|%s/a", et_dir);
	want_of(pid, "Cont|prog");
	want_of(pid, "Cont_end|");
	want_of(pid, "PP|%s/a", et_dir);
	want_of(pid, "Cont|prog");
	want_of(pid, "Cont_end|");
	want_of(pid, "CW|%s", et_dir);
	want_of(pid, "A[0]");
	want_of(pid, "Cont|");
	want_of(pid, "Cont_end|");
	want_of(pid, "A[1]a");
	want_of(pid, "Cont|b");
	want_of(pid, "Cont_end|");
	want_of(pid, "A[2]");
	want_of(pid, "Cont|");
	want_of(pid, "Cont|c");
	want_of(pid, "Cont|");
	want_of(pid, "Cont_end|");
	want_of(pid, "A[3]plain");
	want_of(pid, "End_of_args|");
	CHILD_MUST(waitpid(pid, NULL, 0));
	want_of(pid, "Exit|status=0");
}

TEST(newlines)
{
	helper("a\nprog");
	run(do_newlines);
}

/* No arguments at all: since 5.18 the kernel adds an empty one. */
static void do_no_arguments(void)
{
	exec_is("prog", (char *[]) { NULL }, NULL);
}

TEST(no_arguments)
{
	helper("prog");
	run(do_no_arguments);
}

/* PI is the program that runs, PP the path that was executed. */
static void do_scripts(void)
{
	exec_is("script", (char *[]) { "ignored", "x", "y", NULL }, et_path("script"));
	exec_is(et_path("arg"), (char *[]) { "arg", "", NULL }, et_path("arg"));
	exec_is("to_script", (char *[]) { "arg", NULL }, et_path("script"));
	/* A script whose interpreter is a script whose interpreter is a program. */
	exec_is("nested", (char *[]) { "nested", "x", NULL }, et_path("nested"));
	exec_is("d/nested2", (char *[]) { "nested2", NULL }, et_path("d/nested2"));
	/* An interpreter whose path is relative to the working directory. */
	exec_is("relative", (char *[]) { "r", NULL }, et_path("relative"));
}

TEST(scripts)
{
	helper("prog");
	et_mkdir("d");
	script("script", "#!%s\nrest", et_path("prog"));
	script("arg", "#! %s  one argument\n", et_path("prog"));
	script("nested", "#!%s inner\n", et_path("arg"));
	script("d/nested2", "#!%s\n", et_path("nested"));
	script("relative", "#!./prog\n");
	MUST(symlink("script", et_path("to_script")));
	run(do_scripts);
}

static void do_execveat(void)
{
	int d = 100;

	execveat_is(d, "prog", (char *[]) { "p", "1", NULL }, 0, NULL);
	execveat_is(AT_FDCWD, "d/prog", (char *[]) { "p", "2", NULL }, 0, NULL);
	execveat_is(12345, et_path("d/prog"), (char *[]) { "p", NULL }, 0, NULL);
	execveat_is(d + 1, "", (char *[]) { "p", "3", NULL }, AT_EMPTY_PATH, NULL);
	execveat_is(d, "script", (char *[]) { "p", "3", NULL }, 0, et_path("d/script"));
	/* A script that is given only as a descriptor. */
	execveat_is(d + 2, "", (char *[]) { "p", NULL }, AT_EMPTY_PATH,
		    et_path("d/script"));
}

static void fd_is(int fd, int from)
{
	MUST(dup2(MUST(from), fd));
	close(from);
}

TEST(execveat)
{
	et_mkdir("d");
	helper("d/prog");
	script("d/script", "#!%s\n", et_path("d/prog"));
	fd_is(100, open(et_path("d"), O_PATH));
	fd_is(101, open(et_path("d/prog"), O_RDONLY));
	fd_is(102, open(et_path("d/script"), O_RDONLY));
	run(do_execveat);
}

/* Programs that are in no directory. */
static void do_nameless(void)
{
	execveat_is(100, "", (char *[]) { "unlinked", NULL }, AT_EMPTY_PATH, NULL);
	if (!strstr(report.exe, "/prog (deleted)"))
		CHILD_FAIL("the helper is %s", report.exe);
	execveat_is(101, "", (char *[]) { "memfd", NULL }, AT_EMPTY_PATH, NULL);
	if (strcmp(report.exe, "/memfd:a name (deleted)"))
		CHILD_FAIL("the helper is %s", report.exe);
	exec_is("/proc/self/fd/101", (char *[]) { "memfd", NULL }, NULL);
	execveat_is(102, "", (char *[]) { "script", NULL }, AT_EMPTY_PATH,
		    "/memfd:script (deleted)");
}

TEST(program_in_no_directory)
{
	int from = MUST(open(helper_from, O_RDONLY));

	helper("prog");
	helper("prog2");
	fd_is(100, open(et_path("prog"), O_RDONLY));
	MUST(unlink(et_path("prog")));
	fd_is(101, memfd_create("a name", 0));
	copy_fd(from, 101);
	close(from);
	fd_is(102, memfd_create("script", 0));
	dprintf(102, "#!%s\n", et_path("prog2"));
	run(do_nameless);
	close(100);
	close(101);
	close(102);
}

/*
 * A thread that is not the leader: after execve it is still the same task with the same upid, but
 * with the leader's pid.
 */
#define THREAD_FLAGS	(CLONE_VM | CLONE_FS | CLONE_FILES | CLONE_SIGHAND | \
			 CLONE_THREAD | CLONE_SYSVSEM)
#define STACK		65536

static int thread_exec(void *arg)
{
	const volatile pid_t *own_pid = arg;

	/* The execve ends the leader, which must store our pid before. */
	while (!*own_pid)
		sched_yield();
	et_sys(SYS_execve, "prog", (char *[]) { "from a thread", NULL }, envp);
	CHILD_FAIL("execve: %m");
	return 0;
}

static int thread_wait(void *arg)
{
	(void)arg;
	for (;;)
		pause();
	return 0;
}

static pid_t thread_begin(int (*fn)(void *), void *arg)
{
	char *stack = mmap(NULL, STACK, PROT_READ | PROT_WRITE,
			   MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	return CHILD_MUST(clone(fn, stack + STACK, THREAD_FLAGS, arg));
}

static void do_thread(void)
{
	pid_t *shared = mmap(NULL, 4096, PROT_READ | PROT_WRITE,
			     MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	pid_t pid = CHILD_MUST(et_sys(SYS_fork));

	if (!pid) {
		shared[0] = thread_begin(thread_wait, NULL);
		shared[1] = thread_begin(thread_exec, &shared[1]);
		for (;;)
			pause();
	}
	want_forked(pid);
	report_read();
	/* The kernel ends the leader and the other thread. */
	want_of(pid, "SysClone|flags=%u", THREAD_FLAGS);
	want_fork_of(pid, shared[0]);
	want_of(pid, "SysClone|flags=%u", THREAD_FLAGS);
	want_fork_of(pid, shared[1]);
	want_of(pid, "Exit|status=0");
	want_of(shared[0], "Exit|status=0");
	want_of(shared[1], "New_proc|argsize=14,prognameisize=%zu,prognamepsize=%zu,cwdsize=%zu",
		strlen(et_path("prog")), strlen(et_path("prog")), strlen(et_dir));
	want_of(shared[1], "PI|%s", et_path("prog"));
	want_of(shared[1], "PP|%s", et_path("prog"));
	want_of(shared[1], "CW|%s", et_dir);
	want_of(shared[1], "A[0]from a thread");
	want_of(shared[1], "End_of_args|");
	CHILD_MUST(waitpid(pid, NULL, 0));
	want_of(shared[1], "Exit|status=0");
}

TEST(exec_by_thread)
{
	helper("prog");
	run(do_thread);
}

static void do_failed(void)
{
	char *argv[] = { "x", NULL };

	CHILD_MUST_FAIL(et_sys(SYS_execve, "absent", argv, envp), ENOENT);
	CHILD_MUST_FAIL(et_sys(SYS_execve, "d", argv, envp), EACCES);
	CHILD_MUST_FAIL(et_sys(SYS_execve, "text", argv, envp), ENOEXEC);
	CHILD_MUST_FAIL(et_sys(SYS_execve, "bad_interp", argv, envp), ENOENT);
	CHILD_MUST_FAIL(et_sys(SYS_execve, "prog", (char **)8, envp), EFAULT);
	CHILD_MUST_FAIL(et_sys(SYS_execveat, 12345, "prog", argv, envp, 0), EBADF);
	/* A failed execve must not appear in the record of the next one. */
	exec_is("prog", (char *[]) { "prog", NULL }, NULL);
}

TEST(failed_call_records_nothing)
{
	helper("prog");
	et_mkdir("d");
	script("text", "no program\n");
	script("bad_interp", "#!/no/such/interpreter\n");
	run(do_failed);
}

int main(int argc, char **argv)
{
	ssize_t n = readlink("/proc/self/exe", helper_from, sizeof(helper_from) - 32);

	if (n < 0)
		et_skip_all("/proc/self/exe: no proc");
	helper_from[n] = '\0';
	strcpy(strrchr(helper_from, '/') + 1, HELPER);
	return et_main(argc, argv, "");
}
