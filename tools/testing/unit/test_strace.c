// SPDX-License-Identifier: GPL-2.0
/*
 * Logs of strace: what strace 6.1 really wrote of one build with several options
 * (data/strace), lines that say one thing each, and damaged ones.
 *
 * The build: make copies hello.c to hello.o and renames that to hello, which a shell
 * copies to c2; that goes to d/c2.  A shell is killed.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "common_convert.h"
#include "common_seed.h"
#include "import/strace/st_args.h"
#include "import/strace/st_line.h"
#include "io/in.h"

/* ---- one line ---- */

static struct st_line parse(const char *s)
{
	struct st_line line;

	st_line_parse(&line, s, strlen(s));
	return line;
}

static void assert_text(struct st_text t, const char *s)
{
	assert_int_equal(t.len, strlen(s));
	assert_memory_equal(t.s, s, t.len);
}

static void test_heads(void **state)
{
	static const struct {
		const char *line;
		int64_t pid;
		enum st_clock clock;
		uint64_t time;
	} rows[] = {
		{ "close(3) = 0", -1, ST_UNTIMED, 0 },
		{ "12    close(3)            = 0", 12, ST_UNTIMED, 0 },
		{ "[pid    12] close(3) = 0", 12, ST_UNTIMED, 0 },
		{ "12<make> close(3) = 0", 12, ST_UNTIMED, 0 },
		{ "1700000000.000001 close(3) = 0", -1, ST_EPOCH, 1700000000000001000 },
		{ "12 1700000000.5 close(3) = 0", 12, ST_EPOCH, 1700000000500000000 },
		{ "12 1700000000.123456789 close(3) = 0", 12, ST_EPOCH, 1700000000123456789 },
		{ "12 10:00:01 close(3) = 0", 12, ST_DAY, 36001000000000 },
		{ "10:00:01.25 close(3) = 0", -1, ST_DAY, 36001250000000 },
		{ "     0.000123 close(3) = 0", -1, ST_RELATIVE, 123000 },
		{ "12      0.000123 close(3) = 0", 12, ST_RELATIVE, 123000 },
		{ "12 10:00:01 (+     0.000123) close(3) = 0", 12, ST_DAY, 36001000000000 },
		{ "12 [00007f0000000001] close(3) = 0", 12, ST_UNTIMED, 0 },
		{ "[   3] [00007f0000000001] close(3) = 0", -1, ST_UNTIMED, 0 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct st_line line = parse(rows[i].line);

		assert_int_equal(line.class, ST_CALL);
		assert_int_equal(line.pid, rows[i].pid);
		assert_int_equal(line.clock, rows[i].clock);
		assert_int_equal(line.time, rows[i].time);
		assert_text(line.name, "close");
		assert_text(line.args, "3");
	}
}

static void test_results(void **state)
{
	struct st_line line = parse("open(\"a) = 5\", O_RDONLY) = 3</x (y) = 2> <0.000071>");

	(void)state;
	assert_int_equal(line.class, ST_CALL);
	assert_text(line.args, "\"a) = 5\", O_RDONLY");
	assert_int_equal(line.value, 3);
	assert_int_equal(line.took, 71000);
	assert_text(line.ret, "3</x (y) = 2>");

	line = parse("open(\"a\", O_RDONLY) = -1 ENOENT (No such file or directory)");
	assert_int_equal(line.error, 2);
	line = parse("open(\"a\", O_RDONLY) = -1 EWHATEVER (?)");
	assert_int_equal(line.error, -1);
	line = parse("read(0x3, 0x1, 0x10) = 0x1f");
	assert_int_equal(line.value, 31);
	line = parse("exit_group(0) = ?");
	assert_int_equal(line.class, ST_CALL);
	assert_false(line.has_value);
	line = parse("connect(3, {sa_family=AF_INET}, 16) = ? ERESTARTSYS (To be restarted)");
	assert_true(line.restarts);
	line = parse("connect(3<TCP:[1.2.3.4:5->6.7.8.9:10]>, {a=b}, 16) = 0");
	assert_text(line.args, "3<TCP:[1.2.3.4:5->6.7.8.9:10]>, {a=b}, 16");
	line = parse("x(1<<4, 0x1 /* :) */, [{a=\"}\"}]) = 0");
	assert_text(line.args, "1<<4, 0x1 /* :) */, [{a=\"}\"}]");
}

static void test_other_lines(void **state)
{
	struct st_line line = parse("12 +++ killed by SIGSEGV (core dumped) +++");

	(void)state;
	assert_int_equal(line.class, ST_KILLED);
	assert_int_equal(line.end, 11);
	assert_true(line.core);
	line = parse("12 +++ exited with 255 +++");
	assert_int_equal(line.class, ST_EXITED);
	assert_int_equal(line.end, 255);
	line = parse("12 +++ superseded by execve in pid 13 +++");
	assert_int_equal(line.class, ST_SUPERSEDED);
	assert_int_equal(line.end, 13);
	line = parse("12 clone(child_stack=NULL, flags=SIGCHLD <unfinished ...>");
	assert_int_equal(line.class, ST_UNFINISHED);
	assert_text(line.args, "child_stack=NULL, flags=SIGCHLD ");
	line = parse("12 <... clone resumed>, child_tidptr=0x7f) = 13");
	assert_int_equal(line.class, ST_RESUMED);
	assert_text(line.name, "clone");
	line = parse("vfork(strace: Process 28666 attached");
	assert_int_equal(line.class, ST_UNFINISHED);
	assert_text(line.args, "");
	assert_int_equal(parse("12 --- SIGCHLD {si_signo=SIGCHLD} ---").class, ST_NOTHING);
	assert_int_equal(parse("strace: Process 12 attached").class, ST_NOTHING);
	assert_int_equal(parse(" > /lib/libc.so.6(open+0x1) [0x2]").class, ST_NOTHING);
	assert_int_equal(parse("make: *** [all] Error 1").class, ST_FOREIGN);
	assert_int_equal(parse("open(\"a").class, ST_FOREIGN);
	assert_int_equal(parse("12").class, ST_FOREIGN);
	assert_int_equal(parse("f(x)").class, ST_FOREIGN);
}

static uint64_t number(const char *s)
{
	uint64_t v;

	assert_true(st_number((struct st_text){ s, strlen(s) }, &v));
	return v;
}

static void test_numbers(void **state)
{
	uint64_t v;

	(void)state;
	assert_int_equal(number("0"), 0);
	assert_int_equal(number("0666"), 0666);
	assert_int_equal(number("0x1f"), 31);
	assert_int_equal(number("-1"), UINT64_MAX);
	assert_int_equal(number("O_WRONLY|O_CREAT|O_TRUNC|O_CLOEXEC"), 02001101);
	assert_int_equal(number("S_IFREG|0644"), 0100644);
	assert_int_equal(number("0x241 /* O_WRONLY|O_CREAT|O_TRUNC */"), 0x241);
	assert_int_equal(number("CLONE_VM|CLONE_VFORK"), 0x4100);
	assert_int_equal(number("1<<4|0x20"), 0x30);
	assert_int_equal(number("makedev(0x8, 0x1)"), 0x801);
	assert_int_equal(number("MS_BIND|MS_REC"), 0x5000);
	/* as x86 has them, wherever this runs */
	assert_int_equal(number("O_DIRECT|O_DIRECTORY|O_NOFOLLOW"), 0640000);
	assert_int_equal(number("O_TMPFILE"), 020200000);
	assert_false(st_number((struct st_text){ "O_NEW|O_CREAT", 13 }, &v));
	assert_int_equal(v, 0100);
	/* the table is looked up by halves */
	for (const char *const *s = (const char *const[]){ "AF_INET", "AF_INET6", "AT_FDCWD",
	     "CLONE_FS", "CLONE_FILES", "F_DUPFD", "F_DUPFD_CLOEXEC", "UTIME_OMIT", "X_OK",
	     "SIGCHLD", "W_OK", "UMOUNT_NOFOLLOW", NULL }; *s; s++)
		assert_true(st_name_value(*s, strlen(*s), &v));
	assert_false(st_name_value("O_CREA", 6, &v));
	assert_false(st_name_value("O_CREATE", 8, &v));
}

static void test_strings(void **state)
{
	static const char text[] = "\"a\\n\\\"\\303\\251\\x41\\0\\11\\\\\"...";
	struct buf b = { 0 };
	bool cut = false;

	(void)state;
	assert_true(st_string((struct st_text){ text, sizeof(text) - 1 }, &b, &cut));
	assert_true(cut);
	assert_int_equal(b.len, 9);
	assert_memory_equal(b.s, "a\n\"\303\251A\0\t\\", 9);
	assert_false(st_string((struct st_text){ "NULL", 4 }, &b, &cut));
	buf_free(&b);
}

/* ---- events ---- */

static struct conversion to_json(const char *log)
{
	return convert("strace", "json", log, strlen(log), NULL);
}

/* A log becomes events, of which one has @what. */
static void assert_event(const char *log, const char *what)
{
	struct conversion c = to_json(log);

	if (!has_line(&c.out, what))
		print_error("%s\ngives\n%s%s\nand not %s\n", log, c.out.data ? c.out.data : "",
			    c.messages.data ? c.messages.data : "", what);
	assert_true(has_line(&c.out, what));
	conversion_free(&c);
}

static void test_calls(void **state)
{
	static const char *const rows[][2] = {
		{ "openat(AT_FDCWD</w>, \"../x/./y\", O_RDONLY) = 3</x/y>",
		  "\"flags\":0,\"mode\":0,\"fd\":3,\"path\":\"/x/y\",\"original\":\"/w/../x/./y\"" },
		{ "open(\"/x\", O_WRONLY|O_CREAT, 0640) = 4",
		  "\"flags\":65,\"mode\":416,\"fd\":4,\"path\":\"/x\",\"original\":\"/x\",\"joined\":[\"path\"]" },
		{ "creat(\"/x\", 0640) = 4", "\"flags\":577,\"mode\":416" },
		{ "openat2(AT_FDCWD</w>, \"x\", {flags=O_RDWR|O_CREAT, mode=0600, resolve=0}, 24) = 3</w/x>",
		  "\"flags\":66,\"mode\":384,\"fd\":3,\"path\":\"/w/x\"" },
		{ "openat(AT_FDCWD</w>, \"x\", O_RDONLY) = 3</w/x>(deleted)",
		  "\"path\":\"/w/x (deleted)\"" },
		{ "openat(AT_FDCWD</w>, \"no\", O_RDONLY) = -1 ENOENT (No such file or directory)",
		  "\"open_failed\",\"time_ns\":1000,\"cpu\":0,\"upid\":4194304,\"pid\":0,\"flags\":0,\"path\":\"/w/no\",\"error\":\"ENOENT\"" },
		{ "rename(\"/a/../b\", \"/c\") = 0",
		  "\"from\":\"/b\",\"to\":\"/c\",\"joined\":[\"from\",\"to\"]" },
		{ "renameat2(3</d>, \"b\", AT_FDCWD</w>, \"c\", RENAME_NOREPLACE) = 0",
		  "\"flags\":1,\"from\":\"/d/b\",\"to\":\"/w/c\"" },
		{ "rename(\"/a\", \"/b\") = -1 EXDEV (Invalid cross-device link)",
		  "\"from\":\"/a\",\"error\":\"EXDEV\",\"failed\":true,\"joined\":[\"from\"]" },
		{ "linkat(3</d>, \"x\", 3</d>, \"y\", 0) = 0",
		  "\"from\":\"/d/x\",\"to\":\"/d/y\"" },
		{ "symlink(\"x\", \"/y\") = 0",
		  "\"target\":\"x\",\"path\":\"/y\",\"joined\":[\"path\"],\"untold\":[\"resolved\"]" },
		{ "unlinkat(AT_FDCWD</w>, \"d\", AT_REMOVEDIR) = 0", "\"dir\":1,\"path\":\"/w/d\"" },
		{ "unlink(\"/x\") = 0", "\"dir\":0,\"path\":\"/x\"" },
		{ "mkdir(\"/d\", 0755) = 0", "\"mode\":493,\"path\":\"/d\"" },
		{ "mknodat(AT_FDCWD</w>, \"n\", S_IFCHR|0600, makedev(0x1, 0x3)) = 0",
		  "\"mode\":8576,\"dev\":259,\"path\":\"/w/n\"" },
		{ "mount(\"none\", \"/m\", \"tmpfs\", MS_NOSUID, NULL) = 0",
		  "\"flags\":2,\"source\":\"none\",\"target\":\"/m\",\"type\":\"tmpfs\"" },
		{ "umount2(\"/m\", MNT_DETACH) = 0", "\"flags\":2,\"target\":\"/m\"" },
		{ "truncate(\"/x\", 5) = 0", "\"size\":5,\"path\":\"/x\"" },
		{ "ftruncate(3</x>, 7) = 0", "\"fd\":3,\"size\":7,\"path\":\"/x\"" },
		{ "fchmod(3</x>, 0600) = 0", "\"fd\":3,\"mode\":384,\"path\":\"/x\"" },
		{ "utimensat(AT_FDCWD</w>, \"x\", [UTIME_OMIT, {tv_sec=5, tv_nsec=7} /* 1970 */], 0) = 0",
		  "\"mtime_ns\":5000000007,\"now\":0,\"path\":\"/w/x\"" },
		{ "utimensat(3</x>, NULL, [UTIME_NOW, UTIME_OMIT], 0) = 0",
		  "\"fd\":3,\"now\":1,\"path\":\"/x\"" },
		{ "utime(\"/x\", {actime=1 /* 1970 */, modtime=2 /* 1970 */}) = 0",
		  "\"atime_ns\":1000000000,\"mtime_ns\":2000000000,\"now\":0" },
		{ "utimes(\"/x\", [{tv_sec=1, tv_usec=2}, {tv_sec=3, tv_usec=4}]) = 0",
		  "\"atime_ns\":1000002000,\"mtime_ns\":3000004000" },
		{ "chdir(\"/d/..\") = 0", "\"path\":\"/\"" },
		{ "fchdir(3</d>) = 0", "\"fd\":3,\"path\":\"/d\"" },
		{ "unshare(CLONE_NEWNS|CLONE_NEWUSER) = 0", "\"flags\":268566528" },
		{ "setns(3</proc/1/ns/mnt>, CLONE_NEWNS) = 0",
		  "\"fd\":3,\"flags\":131072,\"path\":\"/proc/1/ns/mnt\"" },
		{ "pipe2([3<pipe:[7]>, 4<pipe:[7]>], O_CLOEXEC) = 0",
		  "\"fd1\":3,\"fd2\":4,\"flags\":524288" },
		{ "dup2(3</x>, 1</dev/null<char 1:3>>) = 1</x>", "\"oldfd\":3,\"newfd\":1,\"flags\":0" },
		{ "fcntl(3</x>, F_DUPFD_CLOEXEC, 10) = 10</x>",
		  "\"oldfd\":3,\"newfd\":10,\"flags\":524288" },
		{ "fcntl(3, F_SETFD, FD_CLOEXEC) = 0", "\"first\":3,\"last\":3,\"on\":1" },
		{ "ioctl(3</x>, FIONCLEX) = 0", "\"first\":3,\"last\":3,\"on\":0" },
		{ "close_range(3, 4294967295, CLOSE_RANGE_CLOEXEC) = 0",
		  "\"first\":3,\"last\":4294967295,\"on\":1" },
		{ "memfd_create(\"m\", MFD_CLOEXEC) = 5", "\"flags\":1,\"fd\":5,\"name\":\"m\"" },
		{ "recvmsg(3, {msg_name=NULL, msg_namelen=0, msg_iov=[{iov_base=\"x\", iov_len=1}], msg_iovlen=1, msg_control=[{cmsg_len=20, cmsg_level=SOL_SOCKET, cmsg_type=SCM_RIGHTS, cmsg_data=[6</y>]}], msg_controllen=24, msg_flags=0}, 0) = 1",
		  "\"received\",\"time_ns\":1000,\"cpu\":0,\"upid\":4194304,\"pid\":0,\"fd\":6,\"cloexec\":0,\"path\":\"/y\"" },
		{ "connect(3<TCPv6:[7]>, {sa_family=AF_INET6, sin6_port=htons(80), sin6_flowinfo=htonl(0), inet_pton(AF_INET6, \"::1\", &sin6_addr), sin6_scope_id=0}, 28) = 0",
		  "\"fd\":3,\"family\":10,\"address\":\"[::1]:80\"" },
		{ "bind(3, {sa_family=AF_UNIX, sun_path=@\"abc\"}, 6) = 0", "\"address\":\"@abc\"" },
		{ "accept4(3, {sa_family=AF_INET, sin_port=htons(9), sin_addr=inet_addr(\"127.0.0.1\")}, [16], SOCK_CLOEXEC) = 4",
		  "\"fd\":4,\"socket\":3,\"family\":2,\"address\":\"127.0.0.1:9\"" },
		{ "prctl(PR_SET_NAME, \"123456789012345\"...) = 0", "\"comm\":\"123456789012345\"" },
		{ "execveat(AT_FDCWD</w>, \"./x\", [\"x\", \"a b\"], 0x7f /* 2 vars */, 0) = 0",
		  "\"interpreter\":\"/w/x\",\"path\":\"/w/x\",\"cwd\":\"/w\",\"argv\":[\"x\",\"a b\"],\"joined\":[\"interpreter\",\"path\"]" },
		{ "execve(\"/x\", [\"x\", ...], 0x7f /* 2 vars */) = 0",
		  "\"argv\":[\"x\"],\"joined\":[\"interpreter\",\"path\"],\"unread\":[\"cwd\"],\"cut\":[\"argv\"]" },
		{ "stat(\"/x\", {st_mode=S_IFREG|0644}) = 0", "\"flags\":0,\"path\":\"/x\"" },
		{ "access(\"/x\", R_OK) = -1 EACCES (Permission denied)",
		  "\"mode\":4,\"flags\":0,\"path\":\"/x\",\"error\":\"EACCES\"" },
		{ "readlink(\"/x\", \"y\", 4096) = 1", "\"path\":\"/x\",\"target\":\"y\"" },
		{ "getdents64(3</d>, 0x5 /* 7 entries */, 32768) = 208",
		  "\"fd\":3,\"bytes\":208,\"path\":\"/d\"" },
		{ "clone(child_stack=NULL, flags=CLONE_SIGHAND) = -1 EINVAL (Invalid argument)",
		  "\"flags\":2048,\"error\":\"EINVAL\",\"failed\":true" },
		{ "io_uring_setup(8, {flags=0}) = 3", "\"io_uring\"" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		char log[1024];

		snprintf(log, sizeof(log), "%s\n", rows[i][0]);
		assert_event(log, rows[i][1]);
	}
}

/* What programs did by their descriptors: told at a close, an execve, an end. */
static void test_uses(void **state)
{
	(void)state;
	assert_event("openat(AT_FDCWD</w>, \"x\", O_RDONLY) = 3</w/x>\nread(3</w/x>, \"ab\"..., 9) = 9\nread(0x3, 0x1, 0x9) = 0x1\nclose(3) = 0\n",
		     "\"fd\":3,\"read\":10");
	assert_event("write(1, \"x\", 1) = 1\nexecve(\"/x\", [\"x\"], 0x7 /* 1 var */) = 0\n",
		     "\"use\",\"time_ns\":2000,\"cpu\":0,\"upid\":4194304,\"pid\":0,\"fd\":1,\"wrote\":1");
	assert_event("openat(AT_FDCWD</w>, \"x\", O_RDONLY|O_CLOEXEC) = 3</w/x>\nexecve(\"/x\", [\"x\"], 0x7 /* 1 var */) = 0\n",
		     "\"fd\":3,\"execve\":1");
	assert_event("mmap(NULL, 4096, PROT_READ, MAP_PRIVATE, 3</w/x>, 0) = 0x7f0000000000\n+++ exited with 0 +++\n",
		     "\"fd\":3,\"read\":0");
	assert_event("mmap(0, 0x1000, 0x3, 0x1, 0x3, 0) = 0x7f0000000000\n+++ exited with 0 +++\n",
		     "\"fd\":3,\"read\":0,\"wrote\":0");
	assert_event("ioctl(4</a>, FICLONE, 3</b>) = 0\nclose(3) = 0\n", "\"fd\":3,\"read\":0");
	assert_event("copy_file_range(3</a>, NULL, 4</b>, NULL, 9, 0) = 9\nclose(4) = 0\n",
		     "\"fd\":4,\"wrote\":9");
	/* a child has not done what its parent did */
	assert_event("1 write(1, \"x\", 1) = 1\n1 fork() = 2\n2 +++ exited with 0 +++\n1 +++ exited with 0 +++\n",
		     "\"upid\":4194305,\"pid\":1,\"fd\":1,\"wrote\":1");
}

/* A thread that calls execve takes the place of the first. */
static void thread_execs(const char *breaks_off, const char *result)
{
	struct conversion c;
	char text[400];

	snprintf(text, sizeof(text),
		 "1 clone3({flags=CLONE_VM|CLONE_FILES|CLONE_THREAD, exit_signal=0}, 88) = 2\n"
		 "2 execve(\"/x\", [\"x\"], 0x7 /* 1 var */ %s\n"
		 "1 +++ superseded by execve in pid 2 +++\n1 <... execve resumed>) = %s\n"
		 "1 +++ exited with 3 +++\n", breaks_off, result);
	c = to_json(text);
	assert_true(has_line(&c.out, "\"exec\",\"time_ns\":4000,\"cpu\":0,\"upid\":8388610"));
	assert_true(has_line(&c.out, "\"exit\",\"time_ns\":5000,\"cpu\":0,\"upid\":8388610,\"pid\":2,\"status\":3"));
	assert_false(has_line(&c.messages, "are not strace's"));
	conversion_free(&c);
}

static void test_tasks(void **state)
{
	struct conversion c;

	(void)state;
	/* two tasks make children at once; whose they are is told later */
	c = to_json("1 fork() = 2\n1 vfork( <unfinished ...>\n2 vfork( <unfinished ...>\n"
		    "3 chdir(\"/three\") = 0\n4 chdir(\"/four\") = 0\n"
		    "2 <... vfork resumed>) = 3\n1 <... vfork resumed>) = 4\n");
	assert_true(has_line(&c.out, "\"upid\":8388610,\"pid\":2,\"child\":12582915"));
	assert_true(has_line(&c.out, "\"upid\":4194305,\"pid\":1,\"child\":16777220"));
	assert_int_equal(c.status, 0);
	conversion_free(&c);
	/* a pid comes again */
	c = to_json("1 fork() = 2\n2 +++ exited with 0 +++\n1 fork() = 2\n2 chdir(\"/\") = 0\n");
	assert_true(has_line(&c.out, "\"upid\":12582914,\"pid\":2,\"path\":\"/\""));
	conversion_free(&c);
	/* threads share what they have open, children not */
	c = to_json("1 clone3({flags=CLONE_VM|CLONE_FILES|CLONE_THREAD, exit_signal=0}, 88) = 2\n"
		    "2 openat(AT_FDCWD</w>, \"x\", O_RDONLY) = 3</w/x>\n1 fchdir(3) = 0\n");
	assert_true(has_line(&c.out, "\"pid\":1,\"fd\":3,\"path\":\"/w/x\""));
	conversion_free(&c);
	c = to_json("1 fork() = 2\n2 openat(AT_FDCWD</w>, \"x\", O_RDONLY) = 3</w/x>\n1 fchdir(3) = 0\n");
	assert_false(has_line(&c.out, "\"pid\":1,\"fd\":3,\"path\""));
	conversion_free(&c);
	thread_execs("<unfinished ...>", "0");
	/* as strace 6.1 writes it, which does not see the end with --seccomp-bpf */
	thread_execs("<pid changed to 1 ...>", "?");
	c = to_json("1 chdir(\"/\" <pid changed to ...>\n1 chdir(\"/\" <pid changed to x ...>\n");
	assert_true(has_line(&c.messages, "2 lines that are not strace's"));
	conversion_free(&c);
	c = to_json("1 +++ killed by SIGKILL +++\n");
	assert_true(has_line(&c.out, "\"status\":0,\"signal\":\"SIGKILL\",\"core\":0"));
	conversion_free(&c);
	/* without a pid: the only one that lives */
	c = to_json("fork() = 12\n[pid 11] chdir(\"/a\") = 0\n[pid 12] +++ exited with 0 +++\nchdir(\"/b\") = 0\n");
	assert_int_equal(count_lines(&c.out, "\"upid\":4194304"), 3);
	conversion_free(&c);
}

static void test_damage(void **state)
{
	struct conversion c;

	(void)state;
	c = to_json("1 <... openat resumed>) = 3\n1 chdir(\"/\") = 0\n");
	assert_int_equal(c.status, 1);
	assert_true(has_line(&c.messages, "line 1: calls whose beginning is missing"));
	assert_true(has_line(&c.out, "\"chdir\""));
	conversion_free(&c);
	c = to_json("1 open(\"/x\", O_NEW) = 3\n");
	assert_int_equal(c.status, 1);
	assert_true(has_line(&c.messages, "line 1: O_NEW"));
	conversion_free(&c);
	c = to_json("make: nothing\n1 chdir(\"/\") = 0\n");
	assert_int_equal(c.status, 0);
	assert_true(has_line(&c.messages, "lines that are not strace's"));
	conversion_free(&c);
	c = to_json("1 chdir(\"x\") = 0\n");
	assert_true(has_line(&c.messages, "etrace-read --cwd"));
	conversion_free(&c);
	c = convert("strace", "json", "1 chdir(\"x\") = 0\n", 17,
		    OPTIONS({ "cwd", "/home/me" }));
	assert_true(has_line(&c.out, "\"path\":\"/home/me/x\""));
	conversion_free(&c);
	c = to_json("1 io_uring_setup(8, {flags=0}) = 3\n");
	assert_int_equal(c.status, 1);
	conversion_free(&c);
	c = to_json("1 getpid() = 1\n");
	assert_int_equal(c.status, 1);
	assert_true(has_line(&c.messages, "no call that is recorded"));
	conversion_free(&c);
}

/* ---- logs ---- */

static const char *const logs[] = { "plain", "paths", "hex", "relative", "stderr" };

static void test_logs(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(logs) / sizeof(logs[0]); i++) {
		char name[64];
		struct bytes log;
		struct conversion c;

		snprintf(name, sizeof(name), "strace/%s.log", logs[i]);
		log = fixture(name);
		c = convert("strace", "json", log.data, log.n, NULL);
		assert_true(has_line(&c.out, "\"from\":\"/build/hello/hello.o\",\"to\":\"/build/hello/hello\""));
		assert_true(has_line(&c.out, "\"to\":\"/build/hello/d/c2\""));
		assert_true(has_line(&c.out, "\"from\":\"/build/hello/d/c2\",\"to\":\"/build/hello/d/c3\""));
		assert_true(has_line(&c.out, "\"argv\":[\"cp\",\"hello.c\",\"hello.o\"]"));
		assert_true(has_line(&c.out, "\"signal\":\"SIGKILL\""));
		assert_int_equal(count_lines(&c.out, "\"event\":\"exit\""), 13);
		assert_int_equal(count_lines(&c.out, "\"event\":\"clone\""), 12);
		conversion_free(&c);
		c = convert("strace", "fxt", log.data, log.n, NULL);
		assert_fxt_clean(c.out.data, c.out.n);
		conversion_free(&c);
		bytes_free(&log);
	}
}

/* A log for each task: the same as one for all, but for what happened in between. */
static void test_several(void **state)
{
	static const char first[] = "1700000000.1 fork() = 2\n1700000000.4 chdir(\"/b\") = 0\n";
	static const char second[] = "1700000000.2 chdir(\"/a\") = 0\n1700000000.3 +++ exited with 1 +++\n";
	struct in *in[] = { in_mem(second, sizeof(second) - 1, "log.2"),
			    in_mem(first, sizeof(first) - 1, "log.1") };
	const struct source_format *f = source_formats;
	struct out *out = out_mem();
	struct diag *diag = diag_new(NULL, "test");
	struct opts opts;
	const struct source_args sa = { in, 2, &opts, diag };
	const struct sink_args ka = { out, &opts, diag, "strace" };
	const struct sink_format *to = sink_formats;
	struct source *source;
	struct sink *sink;
	const char *s;
	size_t n;

	(void)state;
	while (strcmp(f->name, "strace"))
		f++;
	while (strcmp(to->name, "json") || to->model != MODEL_ETRACE)
		to++;
	opts_init(&opts);
	source = f->open(&sa);
	sink = to->open(&ka);
	assert_int_equal(source_run(source, sink), 0);
	sink_end(sink);
	s = out_mem_data(out, &n);
	assert_non_null(memmem(s, n, "\"upid\":4194305,\"pid\":1,\"child\":8388610", 38));
	assert_non_null(memmem(s, n, "\"upid\":8388610,\"pid\":2,\"path\":\"/a\"", 34));
	assert_non_null(memmem(s, n, "\"upid\":4194305,\"pid\":1,\"path\":\"/b\"", 34));
	source->ops->free(source);
	sink_free(sink);
	out_close(out);
	diag_free(diag);
	in_close(in[0]);
	in_close(in[1]);
}

/* Cut at each byte, and with each byte changed: nothing but what was there comes of it. */
static void test_any_damage(void **state)
{
	static const char log[] =
		"1 10:00:00.1 execve(\"/bin/sh\", [\"sh\", \"-c\", \"x\"], 0x7f /* 3 vars */) = 0 <0.0001>\n"
		"1 10:00:00.2 openat(AT_FDCWD</w>, \"a\\n\", O_RDONLY|O_CLOEXEC) = 3</w/a\\n> <0.1>\n"
		"1 10:00:00.3 clone(child_stack=NULL, flags=SIGCHLD <unfinished ...>\n"
		"2 10:00:00.4 pipe2([3<pipe:[7]>, 4<pipe:[7]>], O_CLOEXEC) = 0\n"
		"1 10:00:00.5 <... clone resumed>, child_tidptr=0x1) = 2\n"
		"2 10:00:00.6 utimensat(AT_FDCWD</w>, \"x\", [UTIME_OMIT, {tv_sec=5, tv_nsec=7}], 0) = 0\n"
		"2 10:00:00.7 +++ killed by SIGKILL +++\n";
	const size_t n = sizeof(log) - 1;

	(void)state;
	for (size_t i = 0; i < n; i++) {
		struct conversion c;
		char *copy;

		if (!is_place_tried(i, n))
			continue;
		copy = malloc(n);
		c = convert("strace", "json", log, i, NULL);
		conversion_free(&c);
		assert_non_null(copy);
		for (unsigned int bit = 0; bit < 8; bit++) {
			memcpy(copy, log, n);
			copy[i] = (char)(copy[i] ^ 1u << bit);
			c = convert("strace", "fxt", copy, n, NULL);
			conversion_free(&c);
		}
		free(copy);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_heads),
		cmocka_unit_test(test_results),
		cmocka_unit_test(test_other_lines),
		cmocka_unit_test(test_numbers),
		cmocka_unit_test(test_strings),
		cmocka_unit_test(test_calls),
		cmocka_unit_test(test_uses),
		cmocka_unit_test(test_tasks),
		cmocka_unit_test(test_damage),
		cmocka_unit_test(test_logs),
		cmocka_unit_test(test_several),
		cmocka_unit_test(test_any_damage),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
