// SPDX-License-Identifier: GPL-2.0
/*
 * strace logs: what strace 6.1 wrote for one build with several options (data/strace), single
 * lines, and damaged logs.
 *
 * The build: make copies hello.c to hello.o and renames that to hello; a shell copies hello
 * to c2 and moves that to d/c2. Another shell is killed.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "common_convert.h"
#include "common_seed.h"
#include "base/clock.h"
#include "format/strace/st_args.h"
#include "format/strace/st_line.h"
#include "format/strace/st_log.h"
#include "format/strace/st_times.h"
#include "io/in.h"
#include "record/strace/look.h"

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

static void test_line_prefixes(void **state)
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

static void test_return_values(void **state)
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
	line = parse("open(\"a\", O_RDONLY) = -1 (errno 524)");
	assert_int_equal(line.error, 524);
	line = parse("open(\"a\", O_RDONLY) = -512");
	assert_int_equal(line.error, -1);
	line = parse("fork() = 2 /* 1234 in strace's PID NS */ <0.000071>");
	assert_int_equal(line.value, 1234);
	assert_true(line.translated);
	line = parse("fork() = 2 /* 1234 in another PID NS */");
	assert_int_equal(line.value, 2);
	assert_false(line.translated);
	line = parse("read(0x3, 0x1, 0x10) = 0x1f");
	assert_int_equal(line.value, 31);
	line = parse("exit_group(0) = ?");
	assert_int_equal(line.class, ST_CALL);
	assert_false(line.has_value);
	line = parse("connect(3, {sa_family=AF_INET}, 16) = ? ERESTARTSYS (To be restarted)");
	assert_true(line.restarts);
	line = parse("connect(3<TCP:[1.2.3.4:5->6.7.8.9:10]>, {a=b}, 16) = 0");
	assert_text(line.args, "3<TCP:[1.2.3.4:5->6.7.8.9:10]>, {a=b}, 16");
	line = parse("connect(3<UNIX-STREAM:[7->8,\"/run/x-\"]>, {a=b}, 16) = 0");
	assert_text(line.args, "3<UNIX-STREAM:[7->8,\"/run/x-\"]>, {a=b}, 16");
	/* a file name may end like an arrow */
	line = parse("fchown(6</etc/passwd->, 0, 42) = 0");
	assert_text(line.args, "6</etc/passwd->, 0, 42");
	line = parse("close(6<(unreachable)/x->) = 0");
	assert_text(line.args, "6<(unreachable)/x->");
	line = parse("dup(6</dev/x-<char 1:3>>) = 7</dev/x-<char 1:3>>");
	assert_text(line.args, "6</dev/x-<char 1:3>>");
	line = parse("x(1<<4, 0x1 /* :) */, [{a=\"}\"}]) = 0");
	assert_text(line.args, "1<<4, 0x1 /* :) */, [{a=\"}\"}]");
}

static void test_exits_and_interrupted_calls(void **state)
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
	assert_int_equal(parse("open(\"a").class, ST_CUT);
	assert_int_equal(parse("12").class, ST_FOREIGN);
	assert_int_equal(parse("f(x)").class, ST_CUT);
	/* real-time signals as strace names them, wherever the C library's range begins */
	assert_int_equal(parse("+++ killed by SIGRTMIN +++").end, 32);
	assert_int_equal(parse("12 +++ killed by SIGRT_2 +++").end, 34);
	assert_int_equal(parse("12 +++ killed by SIGRT_32 (core dumped) +++").end, 64);
	/* line ends with CR */
	line = parse("12 +++ exited with 3 +++\r");
	assert_int_equal(line.class, ST_EXITED);
	assert_text(parse("open(\"a\\r\", O_RDONLY) = 3\r").ret, "3");
	/* detached tasks */
	assert_int_equal(parse("12 read(0,  <detached ...>").class, ST_DETACHED);
	assert_int_equal(parse("12 <... read resumed> <detached ...>").class, ST_DETACHED);
	line = parse("strace: Process 13 detached");
	assert_int_equal(line.class, ST_DETACHED);
	assert_int_equal(line.pid, 13);
	/* lines interrupted by a message: current, old, of any kind; but not words in a string */
	line = parse("execve(\"/x\", [\"x\"], 0x7 /* 1 var */strace: [ Process PID=9 runs in 32 bit mode. ]");
	assert_int_equal(line.class, ST_UNFINISHED);
	assert_text(line.args, "\"/x\", [\"x\"], 0x7 /* 1 var */");
	line = parse("clone(Process 13 attached");
	assert_int_equal(line.class, ST_UNFINISHED);
	assert_text(line.args, "");
	assert_int_equal(parse("Process 13 attached").class, ST_NOTHING);
	assert_int_equal(parse("Process 13 suspended").class, ST_NOTHING);
	assert_int_equal(parse("Process 13 works").class, ST_FOREIGN);
	assert_int_equal(parse("open(\"strace: x\", O_RD").class, ST_CUT);
}

static uint64_t number(const char *s)
{
	uint64_t v;

	assert_true(st_number((struct st_text){ s, strlen(s) }, &v));
	return v;
}

static void test_names_of_constants(void **state)
{
	static const struct {
		const char *name;
		uint64_t value;
	} table[] = {
#define ST_NAME(name, value) { #name, value },
#include "format/strace/st_names.def"
	}, here[] = {
#define HERE(name) { #name, (uint64_t)(name) }
		/* the same on all architectures, taken from this machine's headers */
		HERE(AF_INET), HERE(AF_INET6), HERE(AT_FDCWD), HERE(CLONE_FS), HERE(CLONE_UNTRACED),
		HERE(CLONE_NEWPID), HERE(F_DUPFD), HERE(F_DUPFD_CLOEXEC), HERE(UTIME_OMIT),
		HERE(X_OK), HERE(SIGCHLD), HERE(W_OK), HERE(UMOUNT_NOFOLLOW), HERE(MS_PRIVATE),
		HERE(MAP_ANONYMOUS), HERE(PROT_EXEC), HERE(S_IFSOCK), HERE(O_CLOEXEC),
	};
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
	/* x86 values on any machine */
	assert_int_equal(number("O_DIRECT|O_DIRECTORY|O_NOFOLLOW"), 0640000);
	assert_int_equal(number("O_TMPFILE"), 020200000);
	assert_false(st_number((struct st_text){ "O_NEW|O_CREAT", 13 }, &v));
	assert_int_equal(v, 0100);
	assert_int_equal(number("SOCK_STREAM|SOCK_CLOEXEC|SOCK_NONBLOCK"), 02004001);
	assert_int_equal(number("EPOLL_CLOEXEC"), 02000000);
	assert_int_equal(number("EFD_CLOEXEC|EFD_NONBLOCK|EFD_SEMAPHORE"), 02004001);
	assert_int_equal(number("MS_MGC_VAL|MS_BIND"), 0xc0ed1000);
	/* binary search finds every name of the table */
	for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
		assert_true(st_name_value(table[i].name, strlen(table[i].name), &v));
		assert_int_equal(v, table[i].value);
	}
	for (size_t i = 0; i < sizeof(here) / sizeof(here[0]); i++) {
		assert_true(st_name_value(here[i].name, strlen(here[i].name), &v));
		assert_int_equal(v, here[i].value);
	}
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

/* The log gives an event that contains @what. */
static void assert_event(const char *log, const char *what)
{
	struct conversion c = to_json(log);

	if (!has_line(&c.out, what))
		print_error("%s\ngives\n%s%s\nexpected %s\n", log, c.out.data ? c.out.data : "",
			    c.messages.data ? c.messages.data : "", what);
	assert_true(has_line(&c.out, what));
	conversion_free(&c);
}

/* The number of events of a log that contain @what. */
static unsigned int count_events(const char *log, const char *what)
{
	struct conversion c = to_json(log);
	const char *s = c.out.data;
	unsigned int n = 0;

	while (s && (s = strstr(s, what))) {
		s++;
		n++;
	}
	conversion_free(&c);
	return n;
}

/* What a failed process wrote to descriptors 1 and 2, as far as the log contains it. */
static void test_output_of_failed_processes(void **state)
{
#define FAILS "+++ exited with 1 +++\n"
#define DUMP(hex) " | 00000  " hex "\n"
	static const struct {
		const char *log, *what;	/* what: NULL if no event */
	} rows[] = {
		{ "write(2, \"a\\n\", 2) = 2\n" FAILS, "\"fd\":2,\"bytes\":2,\"text\":\"a\\n\"}" },
		{ "write(2, \"a\", 1) = 1\n+++ exited with 0 +++\n", NULL },
		{ "write(2, \"a\", 1) = 1\n+++ killed by SIGSEGV +++\n", "\"fd\":2,\"bytes\":1,\"text\":\"a\"}" },
		{ "write(3, \"a\", 1) = 1\nwrite(0, \"a\", 1) = 1\n" FAILS, NULL },
		{ "write(1, \"a\", 1) = -1 EAGAIN (?)\nwrite(1, \"\", 0) = 0\n" FAILS, NULL },
		{ "write(1, \"ab\", 2) = 2\nwrite(1, \"cde\", 3) = 1\n" FAILS, "\"fd\":1,\"bytes\":3,\"text\":\"abc\"}" },
		{ "writev(1, [{iov_base=\"a\", iov_len=1}, {iov_base=\"\", iov_len=0}, {iov_base=\"bc\", iov_len=2}], 3) = 3\n" FAILS,
		  "\"bytes\":3,\"text\":\"abc\"}" },
		{ "sendmsg(1<s>, {msg_name=NULL, msg_namelen=0, msg_iov=[{iov_base=\"ab\", iov_len=2}], msg_iovlen=1, msg_controllen=0, msg_flags=0}, 0) = 2\n" FAILS,
		  "\"bytes\":2,\"text\":\"ab\"}" },
		/* a truncated string hides everything before it */
		{ "write(1, \"ab\", 2) = 2\nwrite(1, \"c\"..., 9) = 9\nwrite(1, \"d\", 1) = 1\n" FAILS,
		  "\"bytes\":12,\"text\":\"d\"}" },
		{ "write(1, \"ab\", 2) = 2\nsendfile(1</b>, 3</a>, NULL, 9) = 9\n" FAILS,
		  "\"bytes\":11,\"text\":\"\"}" },
		{ "write(0x1, 0x7f00, 0x3) = 0x3\n" DUMP("61 00 0a                                          a..") FAILS,
		  "\"text_hex\":\"61000a\"}" },
		{ "write(0x1, 0x7f00, 0x12) = 0x12\n" DUMP("30 31 32 33 34 35 36 37  38 39 61 62 63 64 65 66  0123456789abcdef")
		  " | 00010  67 68                                             gh\n" FAILS, "\"bytes\":18,\"text\":\"0123456789abcdefgh\"}" },
		{ "write(0x1, 0x7f00, 0x3) = 0x1\n" DUMP("61 62 63                                          abc") FAILS,
		  "\"bytes\":1,\"text\":\"a\"}" },
		{ "writev(0x1, 0x7f00, 0x3) = 0x3\n * 1 bytes in buffer 0\n" DUMP("61                                                a")
		  " * 2 bytes in buffer 1\n" DUMP("62 63                                             bc") FAILS,
		  "\"bytes\":3,\"text\":\"abc\"}" },
		/* the dump is incomplete or missing */
		{ "writev(0x1, 0x7f00, 0x3) = 0x3\n * 1 bytes in buffer 0\n" DUMP("61                                                a") FAILS,
		  "\"bytes\":3,\"text\":\"\"}" },
		{ "write(0x1, 0x7f00, 0x3) = 0x3\n" FAILS, "\"bytes\":3,\"text\":\"\"}" },
		/* a string in the call and its dump count only once */
		{ "write(1, \"a\", 1) = 1\n" DUMP("61                                                a") FAILS,
		  "\"bytes\":1,\"text\":\"a\"}" },
		/* of a process: of its threads, not its children, and also after an execve */
		{ "1 write(1, \"a\", 1) = 1\n1 clone(child_stack=NULL, flags=CLONE_VM|CLONE_FILES|CLONE_THREAD) = 2\n"
		  "2 write(1, \"b\", 1) = 1\n2 +++ exited with 1 +++\n1 " FAILS, "\"bytes\":2,\"text\":\"ab\"}" },
		{ "1 write(1, \"a\", 1) = 1\n1 fork() = 2\n2 write(1, \"b\", 1) = 1\n2 +++ exited with 0 +++\n1 " FAILS,
		  "\"bytes\":1,\"text\":\"a\"}" },
		{ "write(1, \"a\", 1) = 1\nexecve(\"/x\", [\"x\"], 0x7 /* 1 var */) = 0\nwrite(1, \"b\", 1) = 1\n" FAILS,
		  "\"bytes\":2,\"text\":\"ab\"}" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		unsigned int n = count_events(rows[i].log, "\"event\":\"output\"");

		if (n != (rows[i].what != NULL))
			print_error("%s\ngives %u events\n", rows[i].log, n);
		assert_int_equal(n, rows[i].what != NULL);
		if (rows[i].what)
			assert_event(rows[i].log, rows[i].what);
	}
#undef FAILS
#undef DUMP
}

/* The last 4096 bytes are kept, whatever the sizes of the writes. */
static void test_last_bytes_of_output(void **state)
{
	static const size_t sizes[] = { 1, 7, 4095, 4096, 4097, 5000, 9000 };

	(void)state;
	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		struct buf log = { 0 }, what = { 0 };
		char all[30000];
		size_t at;

		for (at = 0; at < sizeof(all); at++)
			all[at] = (char)('a' + (at / 61 + at) % 26);
		for (at = 0; at + sizes[i] <= sizeof(all); at += sizes[i]) {
			buf_adds(&log, "write(1, \"");
			buf_add(&log, all + at, sizes[i]);
			buf_adds(&log, "\", ");
			buf_addu(&log, sizes[i]);
			buf_adds(&log, ") = ");
			buf_addu(&log, sizes[i]);
			buf_addc(&log, '\n');
		}
		buf_add(&log, "+++ exited with 1 +++\n", sizeof("+++ exited with 1 +++\n"));
		buf_adds(&what, "\"bytes\":");
		buf_addu(&what, at);
		buf_adds(&what, ",\"text\":\"");
		buf_add(&what, all + at - 4096, 4096);
		buf_add(&what, "\"}", sizeof("\"}"));
		assert_event(log.s, what.s);
		buf_free(&log);
		buf_free(&what);
	}
}

/* Copies between descriptors: recorded once, unless something has changed. */
static void test_copies_between_descriptors(void **state)
{
#define COPY(in, out) "copy_file_range(" #in "</a>, NULL, " #out "</b>, NULL, 9, 0) = 9\n"
	static const struct {
		const char *log;
		unsigned int n;
	} rows[] = {
		{ COPY(3, 4), 1 },
		{ COPY(3, 4) "sendfile(4</b>, 3</a>, NULL, 9) = 9\nioctl(4</b>, FICLONE, 3</a>) = 0\n", 1 },
		{ COPY(3, 4) COPY(3, 5), 2 },
		{ COPY(3, 4) COPY(5, 4), 2 },
		{ COPY(3, 4) COPY(5, 6) COPY(3, 4), 2 },
		{ COPY(3, 4) "close(3) = 0\n" COPY(3, 4), 2 },
		{ COPY(3, 4) "close(4) = 0\n" COPY(3, 4), 2 },
		{ COPY(3, 4) "dup2(1</x>, 3</a>) = 3\n" COPY(3, 4), 2 },
		{ COPY(3, 4) "openat(AT_FDCWD</w>, \"y\", O_RDONLY) = 4</y>\n" COPY(3, 4), 2 },
		{ COPY(3, 4) "execve(\"/x\", [\"x\"], 0x7 /* 1 var */) = 0\n" COPY(3, 4), 2 },
		{ "splice(3</a>, [0], 7<pipe:[1]>, NULL, 9, 0) = 9\nsplice(6<pipe:[1]>, NULL, 4</b>, NULL, 9, 0) = 9\n", 2 },
		{ "ioctl(4</b>, FICLONERANGE, {src_fd=3</a>, src_offset=0, src_length=0, dest_offset=0}) = 0\n", 1 },
		{ "copy_file_range(3</a>, NULL, 4</b>, NULL, 9, 0) = 0\n", 0 },
		{ "copy_file_range(3</a>, NULL, 4</b>, NULL, 9, 0) = -1 EXDEV (Invalid cross-device link)\n", 0 },
		{ "vmsplice(4<pipe:[1]>, [{iov_base=\"x\", iov_len=1}], 1, 0) = 1\n", 0 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		unsigned int n = count_events(rows[i].log, "\"event\":\"copy\"");

		if (n != rows[i].n)
			print_error("%s\ngives %u copies, expected %u\n", rows[i].log, n, rows[i].n);
		assert_int_equal(n, rows[i].n);
	}
	assert_event(COPY(3, 4), "\"in\":3,\"out\":4}");
	assert_event("sendfile(4</b>, 3</a>, NULL, 9) = 9\n", "\"in\":3,\"out\":4}");
	assert_event("ioctl(4</b>, FICLONE, 3</a>) = 0\n", "\"in\":3,\"out\":4}");
#undef COPY
}

static void test_all_calls(void **state)
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
		{ "move_mount(4, \"\", AT_FDCWD</w>, \"m\", MOVE_MOUNT_F_EMPTY_PATH) = 0",
		  "\"flags\":0,\"source\":\"\",\"target\":\"/w/m\"" },
		{ "umount2(\"/m\", MNT_DETACH) = 0", "\"flags\":2,\"target\":\"/m\"" },
		{ "truncate(\"/x\", 5) = 0", "\"size\":5,\"path\":\"/x\"" },
		{ "ftruncate(3</x>, 7) = 0", "\"fd\":3,\"size\":7,\"path\":\"/x\"" },
		{ "fchmod(3</x>, 0600) = 0", "\"fd\":3,\"mode\":384,\"path\":\"/x\"" },
		{ "chmod(\"/proc/self/fd/3\", 0600) = 0", "\"mode\":384,\"path\":\"/proc/self/fd/3\"" },
		{ "chown(\"/x\", 1000, -1) = 0", "\"uid\":1000,\"gid\":-1,\"path\":\"/x\"" },
		{ "lchown(\"/x\", 4294967294, 4294967295) = 0", "\"uid\":4294967294,\"gid\":-1,\"path\":\"/x\"" },
		{ "chown32(\"/x\", 65535, 65536) = 0", "\"uid\":65535,\"gid\":65536" },
		{ "fchown(3</x>, -1, 0) = -1 EPERM (Operation not permitted)",
		  "\"fd\":3,\"uid\":-1,\"gid\":0,\"path\":\"/x\",\"error\":\"EPERM\",\"failed\":true" },
		{ "chown(NULL, 1, 2) = -1 EFAULT (Bad address)",
		  "\"pid\":0,\"uid\":1,\"gid\":2,\"error\":\"EFAULT\"" },
		{ "fchownat(3</d>, NULL, 1, 2, 0) = -1 EFAULT (Bad address)",
		  "\"pid\":0,\"uid\":1,\"gid\":2,\"error\":\"EFAULT\"" },
		{ "fchownat(3</d>, \"x\", 1, 2, AT_SYMLINK_NOFOLLOW) = 0",
		  "\"uid\":1,\"gid\":2,\"path\":\"/d/x\"" },
		{ "fchownat(3</d>, \"\", 1, 2, AT_EMPTY_PATH) = 0", "\"chown\",\"time_ns\":1000,\"cpu\":0,\"upid\":4194304,\"pid\":0,\"uid\":1,\"gid\":2,\"path\":\"/d\"" },
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
		{ "socketpair(AF_UNIX, SOCK_STREAM|SOCK_CLOEXEC, 0, [3<socket:[7]>, 4<socket:[8]>]) = 0",
		  "\"fd1\":3,\"fd2\":4,\"family\":1,\"type\":524289" },
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
		{ "connect(4<UNIX-STREAM:[77]>, {sa_family=AF_UNIX, sun_path=\"a<b\"}, 5) = 0",
		  "\"fd\":4,\"family\":1,\"ino\":77,\"address\":\"a<b\"" },
		{ "accept4(3<UNIX-STREAM:[5,\"a<b\\\"\"]>, {sa_family=AF_UNIX}, [110 => 2], SOCK_CLOEXEC) = 4<UNIX-STREAM:[78->77,\"a<b\\\"\"]>",
		  "\"fd\":4,\"socket\":3,\"family\":1,\"peer_ino\":77,\"address\":\"\"" },
		{ "accept4(3<UNIX-STREAM:[5,@\"a\"]>, NULL, NULL, 0) = 4<UNIX-STREAM:[78,@\"a\"]>",
		  "\"fd\":4,\"socket\":3,\"family\":0,\"address\":\"\"" },
		{ "recvmsg(3, {msg_name=NULL, msg_control=[{cmsg_len=20, cmsg_level=SOL_SOCKET, cmsg_type=SCM_RIGHTS, cmsg_data=[6<UNIX-STREAM:[5,\"/s\"]>]}], msg_controllen=24, msg_flags=0}, 0) = 1",
		  "\"fd\":6,\"cloexec\":0,\"path\":\"socket:[5]\"" },
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
		{ "getrandom(\"\\x0e\\x78\"..., 8, GRND_NONBLOCK) = 8",
		  "\"ask\",\"time_ns\":1000,\"cpu\":0,\"upid\":4194304,\"pid\":0,\"call\":0,\"value\":8,\"flags\":1}" },
		{ "getrandom(0x7f2da4f16478, 0x18, 0x3) = 0x18", "\"call\":0,\"value\":24,\"flags\":3}" },
		{ "uname({sysname=\"Linux\", nodename=\"a\\nb\", ...}) = 0",
		  "\"call\":1,\"value\":0,\"flags\":0,\"name\":\"a\\nb\"}" },
		{ "uname({sysname=\"Linux\", nodename=\"abc\"..., ...}) = 0",
		  "\"call\":1,\"value\":0,\"flags\":0,\"name\":\"abc\",\"cut\":[\"name\"]}" },
		{ "uname({sys=\"Linux\", node=\"x\", ...}) = 0", "\"call\":1,\"value\":0,\"flags\":0}" },
		{ "sched_getaffinity(0, 8192, [0 1 12]) = 8", "\"call\":2,\"value\":3,\"flags\":0}" },
		{ "sched_getaffinity(7, 8, [0, 1]) = 8", "\"call\":2,\"value\":2,\"flags\":0}" },
		{ "sched_getaffinity(0, 8, [0-3,64]) = 8", "\"call\":2,\"value\":5,\"flags\":0}" },
		{ "sched_getaffinity(0, 8, []) = 8", "\"call\":2,\"value\":0,\"flags\":0}" },
		{ "sched_getaffinity(0, 8, [3-1]) = 8", "\"call\":2,\"value\":-1,\"flags\":0}" },
		{ "sched_getaffinity(0, 8, [0 ...]) = 8", "\"call\":2,\"value\":-1,\"flags\":0}" },
		{ "sched_getaffinity(0, 8, 0x7ffc) = 8", "\"call\":2,\"value\":-1,\"flags\":0}" },
		{ "sysinfo({uptime=13389, loads=[1, 2, 3], ...}) = 0",
		  "\"call\":3,\"value\":0,\"flags\":0}" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		char log[1024];

		snprintf(log, sizeof(log), "%s\n", rows[i][0]);
		assert_event(log, rows[i][1]);
	}
	assert_event("openat(AT_FDCWD</w>, \"x\", O_PATH) = 3</w/x>\nchmod(\"/proc/self/fd/3\", 0600) = 0\n",
		     "\"mode\":384,\"path\":\"/w/x\"");
}

/* Uses of descriptors are recorded at close, execve and exit. */
static void test_uses(void **state)
{
	(void)state;
	assert_event("openat(AT_FDCWD</w>, \"x\", O_RDONLY) = 3</w/x>\nread(3</w/x>, \"ab\"..., 9) = 9\nread(0x3, 0x1, 0x9) = 0x1\nclose(3) = 0\n",
		     "\"fd\":3,\"read\":10");
	assert_event("write(1, \"x\", 1) = 1\nexecve(\"/x\", [\"x\"], 0x7 /* 1 var */) = 0\n",
		     "\"use\",\"time_ns\":2000,\"cpu\":0,\"upid\":4194304,\"pid\":0,\"fd\":1,\"wrote\":1");
	assert_event("openat(AT_FDCWD</w>, \"x\", O_RDONLY|O_CLOEXEC) = 3</w/x>\nexecve(\"/x\", [\"x\"], 0x7 /* 1 var */) = 0\n",
		     "\"fd\":3,\"execve\":1");
	assert_event("socketpair(AF_UNIX, SOCK_STREAM|SOCK_CLOEXEC, 0, [3<socket:[7]>, 4<socket:[8]>]) = 0\nsend(4<socket:[8]>, \"ab\", 2, 0) = 2\nexecve(\"/x\", [\"x\"], 0x7 /* 1 var */) = 0\n",
		     "\"use\",\"time_ns\":2000,\"cpu\":0,\"upid\":4194304,\"pid\":0,\"fd\":4,\"wrote\":2");
	assert_event("mmap(NULL, 4096, PROT_READ, MAP_PRIVATE, 3</w/x>, 0) = 0x7f0000000000\n+++ exited with 0 +++\n",
		     "\"fd\":3,\"read\":0");
	assert_event("mmap(0, 0x1000, 0x3, 0x1, 0x3, 0) = 0x7f0000000000\n+++ exited with 0 +++\n",
		     "\"fd\":3,\"read\":0,\"wrote\":0");
	assert_event("ioctl(4</a>, FICLONE, 3</b>) = 0\nclose(3) = 0\n", "\"fd\":3,\"read\":0");
	assert_event("copy_file_range(3</a>, NULL, 4</b>, NULL, 9, 0) = 9\nclose(4) = 0\n",
		     "\"fd\":4,\"wrote\":9,\"copied\":1}");
	assert_event("copy_file_range(3</a>, NULL, 4</b>, NULL, 9, 0) = 9\n+++ exited with 0 +++\n",
		     "\"fd\":4,\"wrote\":9,\"copied\":1}");
	assert_event("sendfile(4</b>, 3</a>, NULL, 9) = 9\nwrite(4</b>, \"x\", 1) = 1\nclose(4) = 0\n",
		     "\"fd\":4,\"wrote\":10}");
	assert_event("sendfile(4</b>, 3</a>, NULL, 9) = 0\nclose(4) = 0\n", "\"fd\":4}");
	/* what the parent did does not count for a child */
	assert_event("1 write(1, \"x\", 1) = 1\n1 fork() = 2\n2 +++ exited with 0 +++\n1 +++ exited with 0 +++\n",
		     "\"upid\":4194305,\"pid\":1,\"fd\":1,\"wrote\":1");
}

/* The text after "fd": in the uses and closes of a log, one after the other. */
static void assert_uses(const char *log, const char *expected)
{
	struct conversion c = to_json(log);
	struct buf got = { 0 };
	const char *s = c.out.data;

	for (size_t n; *s; s += n + (s[n] == '\n')) {
		const char *fd = strstr(s, "\"fd\":");

		n = strcspn(s, "\n");
		if (fd && fd < s + n && (!strncmp(s, "{\"event\":\"use\"", 14) ||
					 !strncmp(s, "{\"event\":\"close\"", 16)))
			buf_add(&got, fd + 5, (size_t)(s + n - fd) - 5);
	}
	buf_addc(&got, '\0');
	assert_string_equal(got.s, expected);
	buf_free(&got);
	conversion_free(&c);
}

/* Uses of sockets are recorded at each write, and before the first read. */
static void test_uses_of_sockets(void **state)
{
	static const char *const made[] = {
		"read(3<socket:[7]>, \"\", 9) = 1\n",
		"socket(AF_UNIX, SOCK_STREAM, 0) = 3\nread(3, \"\", 9) = 1\n",
		"socketpair(AF_UNIX, SOCK_STREAM, 0, [3, 4]) = 0\nread(3, \"\", 9) = 1\n",
		"accept(9, NULL, NULL) = 3\nread(3, \"\", 9) = 1\n",
		"socket(AF_UNIX, SOCK_STREAM, 0) = 5\ndup2(5, 3) = 3\nread(3, \"\", 9) = 1\n",
		"socket(AF_UNIX, SOCK_STREAM, 0) = 3\nclose(2) = 0\nfork() = 7\nread(3, \"\", 9) = 1\n",
	};
	struct buf log = { 0 }, expected = { 0 };

	(void)state;
	for (size_t i = 0; i < sizeof(made) / sizeof(made[0]); i++) {
		log.len = 0;
		buf_adds(&log, made[i]);
		buf_adds(&log, "read(3, \"\", 9) = 2\nwrite(3, \"\", 4) = 4\nwrite(3, \"\", 5) = 5\n"
			 "read(3, \"\", 9) = 7\nclose(3) = 0\n");
		buf_addc(&log, '\0');
		assert_uses(log.s, i == 5 ? "2}3}3,\"read\":3,\"wrote\":4}3,\"wrote\":5}3}3,\"read\":7}" :
				   "3}3,\"read\":3,\"wrote\":4}3,\"wrote\":5}3}3,\"read\":7}");
	}
	/* other files than sockets: only at close */
	assert_uses("read(3</x>, \"\", 9) = 1\nwrite(3, \"\", 4) = 4\nclose(3) = 0\n",
		    "3,\"read\":1,\"wrote\":4}");
	assert_uses("read(3<pipe:[7]>, \"\", 9) = 1\nwrite(3, \"\", 4) = 4\nclose(3) = 0\n",
		    "3,\"read\":1,\"wrote\":4}");
	/* with a second thread, sockets are treated like files */
	assert_uses("1 read(3<socket:[7]>, \"\", 9) = 1\n"
		    "1 clone3({flags=CLONE_VM|CLONE_FILES|CLONE_THREAD, exit_signal=0}, 88) = 2\n"
		    "2 read(3<socket:[7]>, \"\", 9) = 2\n1 write(3, \"\", 4) = 4\n1 close(3) = 0\n",
		    "3}3,\"read\":1}3,\"read\":2,\"wrote\":4}");
	/* at most 255 records per open socket; another program starts from 0 */
	log.len = 0;
	for (int i = 0; i < 258; i++) {
		buf_adds(&log, "write(3<socket:[7]>, \"\", 1) = 1\n");
		if (i < 255)
			buf_adds(&expected, "3,\"wrote\":1}");
	}
	buf_adds(&log, "execve(\"/x\", [\"x\"], 0x7 /* 1 var */) = 0\nwrite(3, \"\", 4) = 4\n"
		 "close(3) = 0\n");
	buf_adds(&expected, "3,\"wrote\":3}3,\"wrote\":4}3}");
	buf_addc(&log, '\0');
	buf_addc(&expected, '\0');
	assert_uses(log.s, expected.s);
	buf_free(&log);
	buf_free(&expected);
}

/* A thread that calls execve takes over the pid of the first one. */
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

static void test_forks_and_exits(void **state)
{
	struct conversion c;

	(void)state;
	/* two tasks create children at once; the parents are only known later */
	c = to_json("1 fork() = 2\n1 vfork( <unfinished ...>\n2 vfork( <unfinished ...>\n"
		    "3 chdir(\"/three\") = 0\n4 chdir(\"/four\") = 0\n"
		    "2 <... vfork resumed>) = 3\n1 <... vfork resumed>) = 4\n"
		    "4 +++ exited with 0 +++\n3 +++ exited with 0 +++\n"
		    "2 +++ exited with 0 +++\n1 +++ exited with 0 +++\n");
	assert_true(has_line(&c.out, "\"upid\":8388610,\"pid\":2,\"child\":12582915"));
	assert_true(has_line(&c.out, "\"upid\":4194305,\"pid\":1,\"child\":16777220"));
	assert_int_equal(c.status, 0);
	conversion_free(&c);
	/* a pid is reused */
	c = to_json("1 fork() = 2\n2 +++ exited with 0 +++\n1 fork() = 2\n2 chdir(\"/\") = 0\n");
	assert_true(has_line(&c.out, "\"upid\":12582914,\"pid\":2,\"path\":\"/\""));
	conversion_free(&c);
	/* threads share their descriptors, children do not */
	c = to_json("1 clone3({flags=CLONE_VM|CLONE_FILES|CLONE_THREAD, exit_signal=0}, 88) = 2\n"
		    "2 openat(AT_FDCWD</w>, \"x\", O_RDONLY) = 3</w/x>\n1 fchdir(3) = 0\n");
	assert_true(has_line(&c.out, "\"pid\":1,\"fd\":3,\"path\":\"/w/x\""));
	conversion_free(&c);
	c = to_json("1 fork() = 2\n2 openat(AT_FDCWD</w>, \"x\", O_RDONLY) = 3</w/x>\n1 fchdir(3) = 0\n");
	assert_false(has_line(&c.out, "\"pid\":1,\"fd\":3,\"path\""));
	conversion_free(&c);
	thread_execs("<unfinished ...>", "0");
	/* as strace 6.1 writes it; with --seccomp-bpf it does not see the end of the call */
	thread_execs("<pid changed to 1 ...>", "?");
	c = to_json("1 chdir(\"/\" <pid changed to ...>\n1 chdir(\"/\" <pid changed to x ...>\n");
	assert_true(has_line(&c.messages, "2 calls cut"));
	conversion_free(&c);
	c = to_json("1 +++ killed by SIGKILL +++\n");
	assert_true(has_line(&c.out, "\"status\":0,\"signal\":\"SIGKILL\",\"core\":0"));
	conversion_free(&c);
	/* without a pid: the only live task */
	c = to_json("fork() = 12\n[pid 11] chdir(\"/a\") = 0\n[pid 12] +++ exited with 0 +++\nchdir(\"/b\") = 0\n");
	assert_int_equal(count_lines(&c.out, "\"upid\":4194304"), 3);
	conversion_free(&c);
}

/* Return: the start of @what in the text; it must be there. */
static const char *place_of(const struct bytes *text, const char *what)
{
	const char *at = memmem(text->data, text->n, what, strlen(what));

	assert_non_null(at);
	return at;
}

/* Threads close and open at once: the descriptor number is free before close has returned. */
static void test_close_overtaken(void **state)
{
	static const char log[] =
		"1 clone3({flags=CLONE_VM|CLONE_FILES|CLONE_THREAD, exit_signal=0}, 88) = 2\n"
		"1 openat(AT_FDCWD</w>, \"a\", O_RDONLY) = 3</w/a>\n"
		"1 read(3</w/a>, \"abc\", 3) = 3\n"
		"2 openat(AT_FDCWD</w>, \"b\", O_WRONLY|O_CREAT, 0600 <unfinished ...>\n"
		"1 close(3</w/a> <unfinished ...>\n"
		"2 <... openat resumed>) = 3</w/b>\n"
		"2 write(3</w/b>, \"ab\", 2 <unfinished ...>\n"
		"1 <... close resumed>) = 0\n"
		"2 <... write resumed>) = 2\n"
		"2 close(3</w/b>) = 0\n"
		"1 close(3 <unfinished ...>\n"
		"2 chdir(\"/\") = 0\n"
		"1 <... close resumed>) = -1 EBADF (Bad file descriptor)\n"
		"2 +++ exited with 0 +++\n1 +++ exited with 0 +++\n";
	struct conversion c = to_json(log);
	const char *read, *opened, *wrote;

	(void)state;
	assert_int_equal(c.status, 0);
	read = place_of(&c.out, "\"pid\":1,\"fd\":3,\"read\":3");
	opened = place_of(&c.out, "\"path\":\"/w/b\"");
	wrote = place_of(&c.out, "\"pid\":2,\"fd\":3,\"wrote\":2");
	assert_true(read < opened && opened < wrote);
	assert_int_equal(count_lines(&c.out, "\"event\":\"close\""), 2);
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
	/* an unknown flag is reported, but is not damage */
	c = to_json("1 open(\"/x\", O_NEW|O_CREAT, 0600) = 3\n1 +++ exited with 0 +++\n");
	assert_int_equal(c.status, 0);
	assert_true(has_line(&c.messages, "line 1: O_NEW"));
	assert_true(has_line(&c.out, "\"flags\":64,"));
	conversion_free(&c);
	c = to_json("make: nothing\n1 chdir(\"/\") = 0\n1 +++ exited with 0 +++\n");
	assert_int_equal(c.status, 0);
	assert_true(has_line(&c.messages, "1 line not from strace"));
	conversion_free(&c);
	c = to_json("1 chdir(\"x\") = 0\n");
	assert_true(has_line(&c.messages, "etrace-read --cwd"));
	conversion_free(&c);
	c = convert("strace", "json", "1 chdir(\"x\") = 0\n", 17,
		    OPTIONS({ "cwd", "/home/me" }));
	assert_true(has_line(&c.out, "\"path\":\"/home/me/x\""));
	conversion_free(&c);
	/* without any name there is no event, since no format could represent it */
	c = to_json("1 umount2(NULL, 0) = 0\n1 rename(NULL, NULL) = 0\n1 chdir(\"/\") = 0\n");
	assert_int_equal(c.status, 1);
	assert_true(has_line(&c.messages, "line 1: events with something missing"));
	assert_false(has_line(&c.out, "\"umount\""));
	assert_false(has_line(&c.out, "\"rename\""));
	assert_true(has_line(&c.out, "\"chdir\""));
	conversion_free(&c);
	c = to_json("1 io_uring_setup(8, {flags=0}) = 3\n");
	assert_int_equal(c.status, 1);
	conversion_free(&c);
	c = to_json("1 getpid() = 1\n");
	assert_int_equal(c.status, 1);
	assert_true(has_line(&c.messages, "no call that is recorded"));
	conversion_free(&c);
}

/* Activity that may be missing in the log is reported as damage, each kind by its name. */
static void test_missing_activity_reported(void **state)
{
#define FILTER "1 seccomp(SECCOMP_SET_MODE_FILTER, 0, {len=2, filter="
	static const char answers[] = "1 seccomp filter that may answer calls";
	static const struct {
		const char *log;
		const char *what;	/* "" if the log is complete */
	} rows[] = {
		{ "1 clone(child_stack=NULL, flags=CLONE_UNTRACED|SIGCHLD) = 2\n",
		  "1 task that asked not to be traced (CLONE_UNTRACED)" },
		{ "1 clone3({flags=CLONE_VM|CLONE_UNTRACED, exit_signal=0}, 88) = 2\n",
		  "1 task that asked not to be traced (CLONE_UNTRACED)" },
		/* traced nevertheless */
		{ "1 clone(child_stack=NULL, flags=CLONE_PTRACE|CLONE_UNTRACED) = 2\n2 +++ exited with 0 +++\n",
		  "" },
		{ "1 ptrace(PTRACE_TRACEME) = -1 EPERM (Operation not permitted)\n",
		  "1 request to trace a task that strace traces" },
		{ "1 ptrace(PTRACE_SEIZE, 2, NULL, 0) = -1 EPERM (Operation not permitted)\n",
		  "1 request to trace a task that strace traces" },
		{ "1 ptrace(PTRACE_PEEKDATA, 2, NULL, 0) = -1 EPERM (Operation not permitted)\n", "" },
		{ "1 seccomp(SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_NEW_LISTENER, {len=2, filter=0x7f}) = 3\n",
		  answers },
		{ FILTER "[BPF_STMT(BPF_RET|BPF_K, SECCOMP_RET_USER_NOTIF)]}) = 3\n", answers },
		{ FILTER "[BPF_STMT(BPF_RET|BPF_K, SECCOMP_RET_TRAP)]}) = 0\n", answers },
		{ FILTER "[BPF_STMT(BPF_RET|BPF_K, SECCOMP_RET_ERRNO)]}) = 0\n", answers },
		{ FILTER "[BPF_STMT(BPF_RET|BPF_A, 0)]}) = 0\n", answers },
		/* an error returned by a filter is an ordinary error */
		{ FILTER "[BPF_STMT(BPF_RET|BPF_K, SECCOMP_RET_ERRNO|0x26), BPF_STMT(BPF_RET|BPF_K, SECCOMP_RET_ALLOW)]}) = 0\n",
		  "" },
		{ "1 prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, {len=1, filter=0x7f}) = 0\n", answers },
		{ "1 prctl(PR_SET_SECCOMP, SECCOMP_MODE_STRICT) = 0\n", "" },
		{ "1 seccomp(SECCOMP_GET_ACTION_AVAIL, 0, [SECCOMP_RET_LOG]) = 0\n", "" },
		/* truncated logs: within a line, after a line, without a newline */
		{ "1 chdir(\"/a\", <detached ...>\n", "" },
		{ "1 openat(AT_FDCWD, \"/a\", O_WRONLY|O_CR\n", "1 call cut" },
		{ "execve(\"/bin/a\", [\"a\"\n", "1 call cut" },
		{ "1 fork() = 2\n2 chdir(\"/\") = 0\n", "1 task whose end is not in the log" },
		/* a pid is reused although the end of its task is not in the log */
		{ "1 fork() = 2\n1 fork() = 2\n2 +++ exited with 0 +++\n",
		  "1 task whose end is missing" },
		{ "1 fork() = 2\n2 exit_group(0) = ?\n1 fork() = 2\n2 +++ exited with 0 +++\n", "" },
		/* the same while children of the task are expected */
		{ "1 clone(flags=CLONE_NEWPID) = 2\n2 fork() = 1\n1 fork() = 2\n7 chdir(\"/\") = 0\n2 +++ exited with 0 +++\n7 +++ exited with 0 +++\n",
		  "1 task whose end is missing" },
		/* a child has the pid of its parent only in a pid namespace */
		{ "1 fork() = 1\n7 chdir(\"/\") = 0\n7 +++ exited with 0 +++\n", "" },
		{ "1 fork() = 1\n", "1 task in pid namespaces that are not recorded" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct conversion c;
		char log[600];

		snprintf(log, sizeof(log), "1 chdir(\"/\") = 0\n%s1 +++ exited with 0 +++\n",
			 rows[i].log);
		c = to_json(log);
		if (c.status != (*rows[i].what != 0) || !has_line(&c.messages, rows[i].what))
			print_error("%s\ngives %d: %s\n", log, c.status, c.messages.data);
		assert_int_equal(c.status, *rows[i].what != 0);
		assert_true(has_line(&c.messages, rows[i].what));
		/* the converted log contains it, too */
		assert_true(has_line(&c.out, *rows[i].what ? "\"complete\":0" : "\"complete\":1"));
		assert_true(has_line(&c.out, rows[i].what));
		conversion_free(&c);
	}
}

/* Pids of other namespaces: strace's translation if printed, else by the lines that follow. */
static void test_pidns(void **state)
{
#define MAKE "1 clone(child_stack=NULL, flags=CLONE_NEWPID|SIGCHLD) = 3\n"
#define ENDS(pid) pid " +++ exited with 0 +++\n"
	static const struct {
		const char *log;
		const char *parts[3];
	} rows[] = {
		{ "1 fork() = 2\n" MAKE "3 fork() = 2 /* 4 in strace's PID NS */\n4 chdir(\"/4\") = 0\n2 chdir(\"/2\") = 0\n"
		  ENDS("4") ENDS("2"),
		  { "\"pid\":3,\"child\":16777220", "\"upid\":16777220,\"pid\":4,\"path\":\"/4\"",
		    "\"upid\":8388610,\"pid\":2,\"path\":\"/2\"" } },
		/* no translation */
		{ MAKE "3 fork() = 2\n4 chdir(\"/4\") = 0\n" ENDS("4"),
		  { "\"pid\":3,\"child\":12582916", "\"pid\":4,\"path\":\"/4\"" } },
		/* both numbers coincide */
		{ MAKE "3 fork() = 5\n3 fork() = 4\n4 chdir(\"/4\") = 0\n5 chdir(\"/5\") = 0\n" ENDS("4") ENDS("5"),
		  { "\"pid\":4,\"path\":\"/4\"", "\"pid\":5,\"path\":\"/5\"" } },
		/* the parent has already ended */
		{ MAKE "3 fork() = 2\n" ENDS("3") "4 chdir(\"/4\") = 0\n" ENDS("4"),
		  { "\"pid\":3,\"child\":12582914", "\"upid\":12582914,\"pid\":2,\"path\":\"/4\"" } },
		/* unshare() and setns() affect only the children */
		{ "1 unshare(CLONE_NEWPID) = 0\n1 fork() = 3\n3 fork() = 2\n4 chdir(\"/4\") = 0\n" ENDS("4"),
		  { "\"pid\":3,\"child\":12582916" } },
		{ "1 setns(3, CLONE_NEWPID) = 0\n1 fork() = 3\n3 fork() = 2\n4 chdir(\"/4\") = 0\n" ENDS("4"),
		  { "\"pid\":3,\"child\":12582916" } },
		/* the child's lines come before the call has returned */
		{ MAKE "3 vfork( <unfinished ...>\n4 chdir(\"/4\") = 0\n3 <... vfork resumed>) = 2\n" ENDS("4"),
		  { "\"pid\":3,\"child\":12582916", "\"pid\":4,\"path\":\"/4\"" } },
	};
	struct conversion c;

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		char log[800];

		snprintf(log, sizeof(log), "%s%s" ENDS("1"), rows[i].log,
			 strstr(rows[i].log, ENDS("3")) ? "" : ENDS("3"));
		c = to_json(log);
		for (size_t j = 0; j < 3 && rows[i].parts[j]; j++) {
			if (!has_line(&c.out, rows[i].parts[j]))
				print_error("%s\ngives\n%s\nexpected %s\n", log, c.out.data,
					    rows[i].parts[j]);
			assert_true(has_line(&c.out, rows[i].parts[j]));
		}
		assert_int_equal(c.status, 0);
		conversion_free(&c);
	}
	/* ambiguous: nobody can know which task is which */
	c = to_json(MAKE "3 fork() = 2\n3 fork() = 6\n4 chdir(\"/4\") = 0\n5 chdir(\"/5\") = 0\n"
		    ENDS("4") ENDS("5") ENDS("3") ENDS("1"));
	assert_int_equal(c.status, 1);
	assert_true(has_line(&c.messages, "1 task whose parent is a guess"));
	assert_int_equal(count_lines(&c.out, "\"event\":\"clone\""), 3);
	conversion_free(&c);
	/* a task without any line is missing */
	c = to_json(MAKE "3 fork() = 2\n" ENDS("3") ENDS("1"));
	assert_int_equal(c.status, 1);
	assert_true(has_line(&c.messages, "1 task in pid namespaces that are not recorded"));
	conversion_free(&c);
}

/* "(deleted)" is kept as the kernel wrote it: a name may also end like that. */
static void test_deleted_suffix(void **state)
{
	(void)state;
	assert_event("openat(AT_FDCWD</w/x (deleted)>, \"a\", O_RDONLY) = 3</w/x (deleted)/a>\n",
		     "\"path\":\"/w/x (deleted)/a\",\"original\":\"/w/x (deleted)/a\"");
	assert_event("rename(\"/1\", \"/2\") = 0\nunlinkat(AT_FDCWD</w/x (deleted)>, \"a\", 0) = 0\n",
		     "\"path\":\"/w/x (deleted)/a\"");
	assert_event("fchdir(3</w/x (deleted)>) = 0\n", "\"path\":\"/w/x (deleted)\"");
	assert_event("openat(AT_FDCWD</w>, \"x\", O_RDONLY) = 3</w/x>(deleted)\n",
		     "\"path\":\"/w/x (deleted)\"");
}

/* ---- times ---- */

static uint64_t time_of(struct st_times *t, const char *text)
{
	struct st_line line = parse(text);

	return st_time(t, &line);
}

/* If the clock is set back or forward, time continues as if it had not been set. */
static void test_clock_set(void **state)
{
	struct st_times t = { 0 };
	const uint64_t s = 1000000000;

	(void)state;
	assert_int_equal(time_of(&t, "1 1700000000.0 chdir(\"/\") = 0"), 1700000000 * s);
	assert_int_equal(time_of(&t, "1 1700000001.0 chdir(\"/\") = 0"), 1700000001 * s);
	assert_int_equal(time_of(&t, "1 1699990001.0 chdir(\"/\") = 0"), 1700000001 * s);
	assert_int_equal(time_of(&t, "1 1699990003.0 chdir(\"/\") = 0"), 1700000003 * s);
	assert_int_equal(t.sets, 1);
	/* a live log: no line is later than now */
	t.now = 1700000005 * s;
	assert_int_equal(time_of(&t, "1 1800000004.0 chdir(\"/\") = 0"), 1700000005 * s);
	t.now = 1700000008 * s;
	assert_int_equal(time_of(&t, "1 1800000006.0 chdir(\"/\") = 0"), 1700000007 * s);
	assert_int_equal(t.sets, 2);
	assert_int_equal(t.ahead, 99999999 * (int64_t)s);
	/* a small step back is not a set clock, and neither is midnight */
	assert_int_equal(time_of(&t, "1 1800000005.98 chdir(\"/\") = 0"), 1700000007 * s);
	assert_int_equal(t.sets, 2);
	t = (struct st_times){ 0 };
	time_of(&t, "1 23:59:59.5 chdir(\"/\") = 0");
	assert_int_equal(time_of(&t, "1 00:00:00.5 chdir(\"/\") = 0"), 86400 * s + s / 2);
	assert_int_equal(t.sets, 0);
}

/* Only times since 1970 tell the date of a log. */
static void test_date(void **state)
{
	static const struct {
		const char *log;
		int dated;
	} rows[] = {
		{ "1 1700000000.1 chdir(\"/\") = 0\n1 1700000000.2 +++ exited with 0 +++\n", 1 },
		{ "1 10:00:00.1 chdir(\"/\") = 0\n1 10:00:00.2 +++ exited with 0 +++\n", 0 },
		{ "1 chdir(\"/\") = 0\n1 +++ exited with 0 +++\n", 0 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct conversion c = to_json(rows[i].log);

		assert_int_equal(count_lines(&c.out, "\"event\":\"session\""), 1);
		assert_int_equal(has_line(&c.out, "\"realtime\":0"), rows[i].dated);
		conversion_free(&c);
	}
}

/* Only variables recorded by default become events; known: the log has the whole environment. */
static void test_environment(void **state)
{
#define RUN(env) "execve(\"/x\", [\"x\"], " env ") = 0\n"
	static const struct {
		const char *log;
		unsigned int events;	/* events of variables */
		bool known;		/* there are no others */
	} rows[] = {
		{ RUN("[\"CPATH=/a\", \"HOME=/root\"]"), 1, true },
		{ RUN("[\"CPATHS=/a\", \"CPAT=/a\", \"cpath=/a\", \"=CPATH\", \"\"]"), 0, true },
		{ RUN("[]"), 0, true },
		{ RUN("[\"CPATH=/a\"]") RUN("[\"SDKROOT=/s\", \"CL\"]"), 3, true },
		{ RUN("[\"CPATH=/a\"]") RUN("NULL"), 1, true },
		{ RUN("[\"CPATH=/a\"]") RUN("0x7f /* 2 vars */"), 1, false },
		{ RUN("[\"CPATH=/a\", ...]"), 1, false },
		{ RUN("[\"CPATH=/a\"..., \"HOM\"...]"), 1, false },
		{ RUN("[\"CPATH=/a\"..., \"HOME=\"...]"), 1, true },
		{ RUN("[\"CPATH=/a\", 0x7f]"), 1, false },
		{ RUN("0x7f /* 2 vars */"), 0, false },
		{ "chdir(\"/\") = 0\n", 0, false },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		assert_int_equal(count_events(rows[i].log, "\"event\":\"env\""), rows[i].events);
		assert_int_equal(count_events(rows[i].log, "\"env\":\""), rows[i].known);
	}
	assert_event(RUN("[\"CPATH=http://u:pass@h\"]"), "\"hidden\":1,\"name\":\"CPATH\",\"value\":\"http://u:***@h\"");
	assert_event(RUN("[\"CPATH=/a\"...]"), "\"name\":\"CPATH\",\"value\":\"/a\",\"cut\":[\"value\"]");
#undef RUN
}

/* ---- files that are looked at ---- */

/* Whether @look considers the file created by this open; never without O_CREAT. */
static bool is_made(struct look *look, const char *path, int64_t since, int fd, struct st_identity *id)
{
	const struct st_asks asks = look_asks(look);
	const struct st_opened file = {
		.path = path, .when = { (uint64_t)since, (uint64_t)clock_ns(CLOCK_REALTIME) },
		.creates = true, .pid = getpid(), .fd = fd,
	};
	struct st_opened other = file;

	other.creates = false;
	assert_false(asks.opened(look, &other, id));
	return asks.opened(look, &file, id);
}

static bool has_btime(const char *path)
{
	struct statx st;

	return !statx(AT_FDCWD, path, 0, STATX_BTIME, &st) && st.stx_mask & STATX_BTIME;
}

/* Only one call creates a file, however soon another one opens it. */
static void test_one_creator_per_file(void **state)
{
	char path[] = "/tmp/test_strace.XXXXXX";
	int64_t since = clock_ns(CLOCK_REALTIME);
	int fd = mkstemp(path);
	struct st_identity id;
	struct look look = { 0 };

	(void)state;
	assert_true(fd >= 0);
	assert_int_equal(write(fd, "abc", 3), 3);
	if (has_btime(path)) {
		assert_true(is_made(&look, path, since, fd, &id));
		assert_int_equal(id.size, 0);
		assert_false(is_made(&look, path, since, fd, &id));
	}
	close(fd);
	unlink(path);
}

/* A file that got the name later is another one. */
static void test_file_renamed_into_place(void **state)
{
	char path[] = "/tmp/test_strace.XXXXXX", other[] = "/tmp/test_strace.XXXXXX";
	int64_t since = clock_ns(CLOCK_REALTIME);
	int fd = mkstemp(path), from = mkstemp(other);
	struct st_identity id;
	struct look look = { 0 };

	(void)state;
	assert_true(fd >= 0 && from >= 0);
	assert_int_equal(write(from, "abc", 3), 3);
	/* the two changes need different timestamps */
	usleep(40000);
	assert_int_equal(rename(other, path), 0);
	if (has_btime(path)) {
		assert_false(is_made(&look, path, since, fd, &id));
		assert_false(is_made(&look, path, since, -1, &id));
		assert_true(is_made(&look, path, since, from, &id));
	}
	close(fd);
	close(from);
	unlink(path);
}

/* An open that is still running may have truncated the file. */
static void test_truncated_by_running_open(void **state)
{
	char path[] = "/tmp/test_strace.XXXXXX";
	int fd = mkstemp(path);
	struct look look = { 0 };
	const struct st_asks asks = look_asks(&look);
	struct st_identity id;
	struct st_span when;
	struct stat st;

	(void)state;
	assert_true(fd >= 0);
	assert_int_equal(write(fd, "abc", 3), 3);
	fstat(fd, &st);
	when.since = when.until = (uint64_t)st.st_ctim.tv_sec * 1000000000 + (uint64_t)st.st_ctim.tv_nsec;
	assert_true(asks.written(&look, path, when, &id));
	assert_int_equal(id.size, 3);
	when.until--;
	assert_false(asks.written(&look, path, when, &id));
	assert_int_equal(ftruncate(fd, 0), 0);
	fstat(fd, &st);
	when.until = (uint64_t)st.st_ctim.tv_sec * 1000000000 + (uint64_t)st.st_ctim.tv_nsec;
	assert_false(asks.written(&look, path, when, &id));
	when.until += (uint64_t)look.grain;
	assert_true(asks.written(&look, path, when, &id));
	assert_int_equal(id.size, 0);
	close(fd);
	unlink(path);
}

/* ---- logs ---- */

/* Logs that were once misread or taken for complete: the expected events, and no others. */
static void test_odd_logs(void **state)
{
	static const struct {
		const char *name;
		int status;
		unsigned int events;	/* without that of the session */
		const char *parts[3];
	} rows[] = {
		{ "broken", 0, 4, { "\"exec\",\"time_ns\":2000" } },
		{ "old", 0, 11, { "\"child\":8419028", "\"pid\":30420,\"status\":0",
				  "\"pid\":0,\"status\":0" } },
		{ "crlf", 0, 8, { "\"child\":8388732", "\"pid\":124,\"status\":1",
				  "\"path\":\"/w/c\",\"error\":\"ENOENT\"" } },
		{ "pidns", 0, 12, { "\"upid\":12582915,\"pid\":3,\"flags\":18874385,\"child\":16777220",
				    "\"upid\":8388610,\"pid\":2,\"flags\":577", "\"pid\":2,\"status\":1" } },
		{ "cut", 1, 1, { "cut, passed over" } },
		{ "failed", 0, 6, { "\"path\":\"/w/u\",\"error\":524", "\"signal\":\"SIGKILL\"" } },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		char name[64];
		struct bytes log;
		struct conversion c;

		snprintf(name, sizeof(name), "strace/%s.log", rows[i].name);
		log = fixture(name);
		c = convert("strace", "json", log.data, log.n, OPTIONS({ "cwd", "/w" }));
		assert_int_equal(c.status, rows[i].status);
		assert_int_equal(count_lines(&c.out, "\"event\""), rows[i].events + 1);
		assert_false(has_line(&c.out, "\"fd\":-1"));
		for (size_t j = 0; j < 3 && rows[i].parts[j]; j++)
			assert_true(has_line(&c.out, rows[i].parts[j]));
		conversion_free(&c);
		bytes_free(&log);
	}
}

static const char *const logs[] = { "plain", "paths", "hex", "relative", "stderr" };

static void test_sample_logs(void **state)
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

/* One log per task gives the same as one log for all, except for the order of calls in between. */
static void test_one_log_per_task(void **state)
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

/* Truncate at each byte and flip each bit: no access out of bounds. */
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
		cmocka_unit_test(test_line_prefixes),
		cmocka_unit_test(test_return_values),
		cmocka_unit_test(test_exits_and_interrupted_calls),
		cmocka_unit_test(test_names_of_constants),
		cmocka_unit_test(test_strings),
		cmocka_unit_test(test_output_of_failed_processes),
		cmocka_unit_test(test_last_bytes_of_output),
		cmocka_unit_test(test_copies_between_descriptors),
		cmocka_unit_test(test_all_calls),
		cmocka_unit_test(test_uses), cmocka_unit_test(test_uses_of_sockets),
		cmocka_unit_test(test_forks_and_exits),
		cmocka_unit_test(test_close_overtaken),
		cmocka_unit_test(test_damage),
		cmocka_unit_test(test_missing_activity_reported),
		cmocka_unit_test(test_pidns),
		cmocka_unit_test(test_deleted_suffix),
		cmocka_unit_test(test_clock_set),
		cmocka_unit_test(test_date),
		cmocka_unit_test(test_environment),
		cmocka_unit_test(test_one_creator_per_file),
		cmocka_unit_test(test_file_renamed_into_place),
		cmocka_unit_test(test_truncated_by_running_open),
		cmocka_unit_test(test_odd_logs),
		cmocka_unit_test(test_sample_logs),
		cmocka_unit_test(test_one_log_per_task),
		cmocka_unit_test(test_any_damage),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
