// SPDX-License-Identifier: GPL-2.0
/*
 * Data that passes between programs by sockets, copies and descriptors, and for what purpose
 * files are read: rules 1, 6 and 7 of etrace-db(5).
 */
#include "common_graph.h"

/* ---- sockets ---- */

static void sends(unsigned int task, int fd, int nread, int nwrote)
{
	line(task, "Use|fd=%d", fd);
	if (nread >= 0)
		line(task, "UseRead|bytes=%d", nread);
	if (nwrote >= 0)
		line(task, "UseWrote|bytes=%d", nwrote);
}

/*
 * @one reads /ask, sends a question by a socket and writes the answer to /answered; @two
 * writes the question to /asked and answers from /answer.
 */
static void talks(unsigned int one, int fd1, unsigned int two, int fd2)
{
	reads(one, "/ask", 31);
	sends(one, fd1, -1, 10);
	sends(two, fd2, 10, -1);
	writes(two, "/asked", 32);
	reads(two, "/answer", 33);
	sends(two, fd2, -1, 20);
	sends(one, fd1, 20, -1);
	writes(one, "/answered", 34);
}

static const char talk[] = "-<- -</answer -</ask /answered<- /answered</ask /asked<-";
static const char unseen[] = "SELECT coalesce(unseen, 0) FROM exec WHERE NOT forked ORDER BY id";

static void test_socketpair(void **state)
{
	(void)state;
	starts(true);
	runs(1, "/bin/one");
	opens(1, 8, "/x", RD, 41, 9);
	line(1, "Socketpair|fd1=3,fd2=4,family=1,type=524289");
	line(1, "Cloexec|first=4,last=4,on=0");
	forks(1, 2);
	closes(1, 4, -1, -1);
	/* the execve closes the first end */
	runs(2, "/bin/two");
	talks(1, 3, 2, 4);
	closes(2, 3, 5, -1);
	ends(2);
	ends(1);
	says(edges, talk);
	says(unseen, "0 1");
	says("SELECT count(*) FROM version WHERE made = 3", "2");
	/* no program reads what it wrote itself */
	says("SELECT how || ':' || exec || ':' || version FROM access WHERE class = 1 ORDER BY exec",
	     "2:1:3 1:1:4 1:2:3 2:2:4");
}

/* Accesses in the order in which they were reported. */
#define NUMBERED "WITH numbered AS MATERIALIZED (SELECT *, row_number() OVER () AS n FROM access)"

/* What task 1 read that may have been passed on by what it wrote: "socket written<socket read". */
static const char passed_on[] =
	NUMBERED
	"SELECT w.fd || '<' || r.fd FROM numbered AS w JOIN numbered AS r ON r.exec = w.exec"
	" AND r.how = 1 AND coalesce(r.since, r.at) < w.until"
	" WHERE w.how = 2 AND w.class = 1 AND w.exec = 1 ORDER BY w.n, r.n";

/* Accesses to one direction of a socket that may have begun before an earlier access was over. */
static const char mixed[] =
	NUMBERED
	"SELECT count(*) FROM numbered AS x JOIN numbered AS y ON y.version = x.version"
	" AND y.how = x.how AND y.n > x.n AND y.at < x.until WHERE x.class = 1";

/* The hub asks two others, then begins to read the first one's answer. */
static void hub(void)
{
	starts(true);
	runs(1, "/bin/hub");
	line(1, "Socketpair|fd1=3,fd2=4,family=1,type=1");
	line(1, "Socketpair|fd1=5,fd2=6,family=1,type=1");
	sends(1, 3, -1, 10);
	sends(1, 5, -1, 10);
	sends(1, 3, -1, -1);
}

/* A question can only contain what was read before it. */
static void test_input_before_output(void **state)
{
	(void)state;
	hub();
	sends(1, 5, -1, -1);
	closes(1, 3, 20, -1);
	closes(1, 5, 20, -1);
	ends(1);
	says(passed_on, "");
	hub();
	sends(1, 5, -1, 11);
	sends(1, 3, 20, 11);
	sends(1, 5, -1, -1);
	sends(1, 3, -1, -1);
	closes(1, 3, 20, -1);
	closes(1, 5, 20, -1);
	ends(1);
	says(passed_on, "5<3 3<3");
	says(mixed, "0");
	/* another program in the same process starts afresh */
	hub();
	runs(1, "/bin/other");
	closes(1, 3, 20, 20);
	ends(1);
	says("SELECT coalesce(since, 'none') FROM access WHERE how = 1", "none");
}

/* With several threads, a record does not tell what another thread had begun. */
static void test_uses_by_several_threads(void **state)
{
	(void)state;
	hub();
	forks_by(1, 2, 0x10f00);
	sends(2, 3, 20, 11);
	sends(1, 3, 20, 11);
	ends(2);
	ends(1);
	says(passed_on, "3<3 3<3 3<3 3<3");
	says("SELECT count(*) FROM access WHERE fd = 3 AND at ="
	     " (SELECT min(at) FROM access WHERE fd = 3)", "5");
}

static void connects(unsigned int task, int fd, const char *address, int family, unsigned int ino)
{
	line(task, "Connect|addresssize=%zu,fd=%d,family=%d", strlen(address), fd, family);
	line(task, "CA|%s", address);
	if (ino)
		line(task, "ConnectSocket|ino=%u", ino);
}

static void accepts(unsigned int task, int fd, const char *address, unsigned int ino)
{
	line(task, "Accept|addresssize=%zu,fd=%d,socket=9,family=1", strlen(address), fd);
	line(task, "AC|%s", address);
	if (ino)
		line(task, "AcceptPeer|ino=%u", ino);
}

static void binds(unsigned int task, int fd, const char *address)
{
	line(task, "Bind|addresssize=%zu,fd=%d,family=1", strlen(address), fd);
	line(task, "BA|%s", address);
}

static void goes_to(unsigned int task, const char *path)
{
	named(task, "Chdir", ",fd=-1", "CD", path);
}

/*
 * The two ends are reported in either order, matched by inode or by the name of the listening
 * socket. Without an inode it may be another peer.
 */
static void test_connected_sockets(void **state)
{
	(void)state;
	for (unsigned int i = 0; i < 4; i++) {
		unsigned int ino = i & 1 ? 77 : 0;

		starts(true);
		runs(1, "/bin/one");
		runs(2, "/bin/two");
		opens(1, 8, "/x", RD, 41, 9);
		binds(2, 9, "/run/s");
		if (i & 2)
			accepts(2, 5, "/run/s", ino);
		connects(1, 3, "/run/s", 1, ino);
		if (!(i & 2))
			accepts(2, 5, "/run/s", ino);
		talks(1, 3, 2, 5);
		ends(1);
		ends(2);
		says(edges, talk);
		says(unseen, ino ? "0 0" : "2 10");
	}
}

/* The files that the writers had read, for each program that reads from others. */
static const char whose[] =
	"SELECT CAST(f.path AS TEXT) FROM access AS r JOIN access AS w ON w.version = r.version"
	" AND w.how = 2 JOIN access AS i ON i.exec = w.exec AND i.file"
	" JOIN file AS f ON f.id = i.file WHERE r.how = 1 AND r.class = 1 AND i.how = 1"
	" ORDER BY r.exec, f.path";

/* Changes between bind and connect, and whether the name still leads to the socket. */
static void test_names_of_sockets(void **state)
{
	static const struct {
		const char *bind, *connect;
		char how;
		bool leads;
	} rows[] = {
		{ "/w/d/s", "/w/d/s", ' ', true },
		{ "s", "/w/d/s", ' ', true },		/* both run in /w/d */
		{ "../d/s", "./s", ' ', true },
		{ "s", "s", 'c', false },		/* the client is in /w */
		{ "s", "d/s", 'c', true },
		{ "@s", "@s", 'c', true },
		{ "/w/d/s", "s", 'r', true },		/* /w/d/t was renamed to s */
		{ "/w/d/s", "/w/d/t", 'r', false },
		{ "/w/d/s", "/w/d/s", 'u', false },	/* removed: someone else's name now */
		{ "/w/d/s", "/w/d/s", 'x', false },	/* closed: nobody is listening */
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		char how = rows[i].how;

		starts(true);
		runs_with(1, "/bin/one", "/w/d", "");
		runs_with(2, "/bin/two", "/w/d", "");
		opens(1, 8, "/x", RD, 41, 9);
		binds(2, 9, how == 'r' ? "/w/d/t" : rows[i].bind);
		if (how == 'r')
			renames(2, "/w/d/t", rows[i].bind);
		if (how == 'u')
			removes(2, "/w/d/s");
		if (how == 'x')
			closes(2, 9, -1, -1);
		if (how == 'c')
			goes_to(1, "/w");
		connects(1, 3, rows[i].connect, 1, 0);
		accepts(2, 5, "", 0);
		talks(1, 3, 2, 5);
		ends(1);
		ends(2);
		says(unseen, rows[i].leads ? "2 10" : "10 10");
		says(whose, rows[i].leads ? "/answer /ask" : "");
	}
}

/* Two sockets have the same name, one after the other: each has its own client. */
static void test_reused_socket_name(void **state)
{
	(void)state;
	starts(true);
	for (unsigned int i = 1; i <= 2; i++) {
		runs(i, "/bin/server");
		binds(i, 9, "/run/s");
		runs(2 + i, "/bin/client");
		reads(2 + i, i == 1 ? "/a" : "/b", 20 + i);
		connects(2 + i, 3, "/run/s", 1, 0);
	}
	for (unsigned int i = 2; i; i--) {
		accepts(i, 4, "", 0);
		sends(2 + i, 3, -1, 10);
		sends(i, 4, 10, -1);
		writes(i, i == 1 ? "/to/a" : "/to/b", 30 + i);
	}
	says(whose, "/a /b");
}

/* Datagrams sent to a name: from all that have connected to it, and maybe from others. */
static void test_messages(void **state)
{
	(void)state;
	for (unsigned int ino = 0; ino <= 70; ino += 70) {
		starts(true);
		runs(1, "/bin/receiver");
		binds(1, 9, "/run/log");
		for (unsigned int i = 2; i <= 3; i++) {
			runs(i, "/bin/sender");
			reads(i, i == 2 ? "/a" : "/b", 20 + i);
			connects(i, 3, "/run/log", 1, ino ? ino + i : 0);
			closes(i, 3, -1, 10);
			ends(i);
		}
		sends(1, 9, 20, -1);
		writes(1, "/o", 31);
		ends(1);
		says(whose, "/a /b");
		says(unseen, "2 0 0");
	}
}

/* What the last accepted of three clients had read: /a, /b or /c. */
static void three_clients(unsigned int first_ino, const int *accepted)
{
	static const char *const inputs[] = { "/a", "/b", "/c" };

	starts(true);
	for (unsigned int i = 1; i <= 3; i++) {
		runs(i, "/bin/client");
		reads(i, inputs[i - 1], 20 + i);
	}
	runs(4, "/bin/server");
	binds(4, 9, "@s");
	for (unsigned int i = 1; i <= 3; i++) {
		connects(i, 3, "@s", 1, first_ino ? first_ino + i : 0);
		if (i == 2)
			accepts(4, 4, "@s", first_ino ? first_ino + (unsigned int)accepted[0] : 0);
	}
	for (int i = 1; i < 3; i++)
		accepts(4, 4 + i, "@s", first_ino ? first_ino + (unsigned int)accepted[i] : 0);
	for (unsigned int i = 1; i <= 3; i++)
		sends(i, 3, -1, 10);
	sends(4, 6, 10, -1);
	ends(4);
}

/* If several clients wait at one name, only inodes tell which of them is accepted. */
static void test_several_clients_of_a_name(void **state)
{
	static const int mixed[] = { 2, 3, 1 };

	(void)state;
	three_clients(0, NULL);
	says(whose, "/a /b /c");
	three_clients(70, mixed);
	says(whose, "/a");
}

/* If clients close before the accept, their inodes are unknown: the first of them is accepted. */
static void test_closed_before_accept(void **state)
{
	(void)state;
	starts(true);
	runs(4, "/bin/server");
	binds(4, 9, "/run/s");
	for (unsigned int i = 1; i <= 3; i++) {
		runs(i, "/bin/client");
		reads(i, i == 1 ? "/a" : i == 2 ? "/b" : "/c", 20 + i);
		connects(i, 3, "/run/s", 1, 70 + i);
		sends(i, 3, -1, 10);
		if (i > 1)
			ends(i);
	}
	accepts(4, 4, "", 71);
	accepts(4, 5, "", 0);
	sends(4, 5, 10, -1);
	ends(4);
	says(whose, "/b");
	says("SELECT unseen FROM exec WHERE id = 1", "2");
}

/* Data from or to the outside of the trace, only if something was transferred. */
static void test_data_from_outside(void **state)
{
	static const struct {
		int family, nread, nwrote;
		const char *unseen;
	} rows[] = {
		{ 1, -1, -1, "0" }, { 2, -1, -1, "0" }, { 1, 5, -1, "2" }, { 2, 5, -1, "2" },
		{ 1, -1, 5, "8" }, { 10, 5, 5, "10" },
	};
	static const struct {
		int nread, nwrote;
		const char *unseen;
	} counts[] = {
		{ 8, -1, "0" }, { 64, -1, "0" }, { 8, 8, "0" }, { 8, 24, "0" }, { -1, 5, "0" },
		{ 9, -1, "1" }, { 8, 5, "1" }, { 16, 8, "1" }, { 5, 8, "1" }, { 0, 8, "1" },
	};
	static const struct {
		const char *path, *unseen;
		int nread;
	} devices[] = {
		{ "/dev/ptmx", "1", 5 }, { "/dev/pts/1", "1", 8 }, { "/dev/loop0", "1", 512 },
		{ "/dev/tty", "0", 0 }, { "/dev/null", "0", 5 }, { "/dev/zero", "0", 5 },
		{ "/dev/urandom", "0", 5 }, { "/dev/shm/x", "0", 5 }, { "/proc/stat", "0", 5 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		starts(true);
		runs(1, "/bin/a");
		opens(1, 8, "/x", RD, 41, 9);
		connects(1, 3, "/run/s", rows[i].family, 77);
		closes(1, 3, rows[i].nread, rows[i].nwrote);
		ends(1);
		says(unseen, rows[i].unseen);
	}
	/* looking up a user's name does not count */
	starts(true);
	runs(1, "/bin/a");
	opens(1, 8, "/x", RD, 41, 9);
	connects(1, 3, "/run/systemd/userdb/io.systemd.DynamicUser", 1, 77);
	closes(1, 3, 5, 5);
	ends(1);
	says(unseen, "0");
	/* a descriptor that was open before the trace, or from a call that is not recorded */
	for (int fd = 0; fd < 6; fd++) {
		starts(true);
		runs(1, "/bin/a");
		opens(1, 4, "/x", RD, 41, 9);
		closes(1, fd == 4 ? 9 : fd, 8, -1);
		ends(1);
		says(unseen, fd < 4 ? "1" : "0");
	}
	/* a descriptor of unknown origin: eventfd and timerfd do not count, sockets do */
	for (size_t i = 0; i < sizeof(counts) / sizeof(counts[0]); i++) {
		starts(true);
		runs(1, "/bin/a");
		opens(1, 4, "/x", RD, 41, 9);
		closes(1, 5, counts[i].nread, counts[i].nwrote);
		ends(1);
		says(unseen, counts[i].unseen);
	}
	/* a device, but none that holds no data, and only if something was read */
	for (size_t i = 0; i < sizeof(devices) / sizeof(devices[0]); i++) {
		starts(true);
		runs(1, "/bin/a");
		opens(1, 4, devices[i].path, RDWR, 0, 0);
		closes(1, 4, devices[i].nread, 8);
		ends(1);
		says(unseen, devices[i].unseen);
	}
	/* a file without a name, as by open_by_handle_at, is not another such file */
	starts(true);
	runs(1, "/bin/a");
	opens(1, 4, "", RD, 0, 0);
	closes(1, 4, 9, -1);
	opens(1, 4, "/x", RD, 42, 100);
	opens(1, 5, "", RD, 42, 100);
	closes(1, 5, 9, -1);
	writes(1, "/y", 43);
	ends(1);
	says(unseen, "1");
	says(edges, "/y</x");
	says("SELECT count(*) FROM file WHERE path = x''", "0");
	/* a connect that completes later */
	starts(true);
	runs(1, "/bin/a");
	opens(1, 8, "/x", RD, 41, 9);
	line(1, "Connect|addresssize=6,fd=3,family=2");
	line(1, "CA|[::1]:1");
	line(1, "ConnectFailed|");
	line(1, "Failed|error=115");
	closes(1, 3, 5, -1);
	ends(1);
	says(unseen, "2");
}

/* ---- copies ---- */

static void copies(unsigned int task, int in, int out)
{
	line(task, "Copy|in=%d,out=%d", in, out);
}

static void closes_copied(unsigned int task, int fd)
{
	line(task, "Close|fd=%d", fd);
	line(task, "CloseWrote|bytes=100");
	line(task, "CloseCopied|copied=1");
}

/* Each copy depends only on its own source, unless it was also written to. */
static void test_copies(void **state)
{
	(void)state;
	starts(true);
	runs(1, "/bin/cp");
	for (int i = 0; i < 3; i++) {
		opens(1, 3, i == 0 ? "/a" : i == 1 ? "/b" : "/etc/passwd", CLOEXEC, 11 + i, 100);
		opens(1, 4, i == 0 ? "/to/a" : i == 1 ? "/to/b" : "/to/c", NEW, 21 + i, 0);
		copies(1, 3, 4);
		closes(1, 3, 100, -1);
		if (i == 1)
			closes(1, 4, -1, 100);
		else
			closes_copied(1, 4);
	}
	/* unknown source */
	opens(1, 4, "/to/d", NEW, 24, 0);
	copies(1, 9, 4);
	closes_copied(1, 4);
	ends(1);
	says(edges, "/to/a</a /to/b</a /to/b</b /to/c</etc/passwd");
	says("SELECT count(*) FROM copy WHERE input IS NULL", "1");
}

/* ---- descriptor 0 ---- */

/* What each program read: "program<file". */
static const char read_by[] =
	"SELECT CAST(p.path AS TEXT) || '<' || CAST(f.path AS TEXT) FROM access AS a"
	" JOIN exec AS e ON e.id = a.exec JOIN file AS p ON p.id = e.program"
	" JOIN file AS f ON f.id = a.file WHERE a.how = 1 ORDER BY a.exec";

/* A shell that uses vfork sets up descriptor 0 before it forks. */
static void lends_file(unsigned int task, const char *path)
{
	line(task, "Dup|oldfd=0,newfd=10,flags=0");
	opens(task, 3, path, RD, 11, 100);
	dups(task, 3, 0);
	closes(task, 3, -1, -1);
}

static void test_input_given_to_one_child(void **state)
{
	(void)state;
	/* opened after the fork; programs run later in the same process have it, too */
	starts(true);
	runs(1, "/bin/bash");
	forks(1, 2);
	lends_file(2, "/in");
	runs(2, "/bin/env");
	runs(2, "/bin/wc");
	ends(2);
	ends(1);
	says(read_by, "/bin/env</in /bin/wc</in");
	/* opened before the fork */
	starts(true);
	runs(1, "/bin/dash");
	lends_file(1, "/in");
	forks(1, 2);
	runs(2, "/bin/wc");
	dups(1, 10, 0);
	ends(2);
	ends(1);
	says(read_by, "/bin/wc</in");
	/* passed on by programs that run others */
	starts(true);
	runs(1, "/bin/dash");
	lends_file(1, "/in");
	forks(1, 2);
	runs(2, "/bin/sh");
	forks(2, 3);
	runs(3, "/bin/timeout");
	forks(3, 4);
	runs(4, "/bin/wc");
	ends(4);
	ends(3);
	ends(2);
	dups(1, 10, 0);
	ends(1);
	says(read_by, "/bin/wc</in");
	/* goes on as another descriptor */
	starts(true);
	runs(1, "/bin/bash");
	forks(1, 2);
	lends_file(2, "/in");
	runs(2, "/bin/a");
	dups(2, 0, 5);
	closes(2, 0, -1, -1);
	ends(2);
	ends(1);
	says(read_by, "/bin/a</in");
}

static void test_input_given_to_several(void **state)
{
	(void)state;
	/* the same file for several children */
	starts(true);
	runs(1, "/bin/dash");
	lends_file(1, "/in");
	for (unsigned int i = 2; i <= 3; i++) {
		forks(1, i);
		runs(i, "/bin/cc");
		ends(i);
	}
	ends(1);
	says(read_by, "");
	/* the shell reads the file itself */
	starts(true);
	runs(1, "/bin/dash");
	lends_file(1, "/in");
	forks(1, 2);
	runs(2, "/bin/cc");
	ends(2);
	closes(1, 0, 100, -1);
	ends(1);
	says(read_by, "/bin/dash</in");
	/* opened for writing, and a device */
	starts(true);
	runs(1, "/bin/bash");
	forks(1, 2);
	opens(2, 0, "/log", RDWR | APPEND, 11, 100);
	runs(2, "/bin/cc");
	ends(2);
	forks(1, 3);
	opens(3, 0, "/dev/null", RD, 0, 0);
	runs(3, "/bin/cc");
	ends(3);
	ends(1);
	says(read_by, "");
}

/* ---- rule 7: classes ---- */

/* The classes of what is read by descriptor 9. */
static const char read_as[] =
	"SELECT w.word FROM access AS a JOIN word AS w ON w.of = 'class' AND w.number = a.class"
	" JOIN file AS f ON f.id = a.file WHERE a.how = 1 AND a.fd = 9 ORDER BY a.exec";

struct reading {
	const char *program, *cwd, *words;	/* the reader */
	const char *path;			/* the file */
	int flags;
	unsigned int size;
	int bytes;
	const char *class;
};

static void read_so(const struct reading *r)
{
	starts(true);
	runs_with(1, r->program, r->cwd, r->words);
	opens(1, 3, "/etc/ld.so.cache", CLOEXEC, 21, 5000);
	closes(1, 3, 0, -1);
	opens(1, 3, "/usr/lib/x86_64-linux-gnu/libc.so.6", CLOEXEC, 22, 1900000);
	closes(1, 3, 2400, -1);
	opens(1, 9, r->path, r->flags, 11, r->size);
	closes(1, 9, r->bytes, -1);
	ends(1);
	says(read_as, r->class);
	says("SELECT DISTINCT w.word FROM access AS a JOIN word AS w ON w.of = 'class'"
	     " AND w.number = a.class WHERE a.fd = 3", "loader");
}

static void test_shared_objects(void **state)
{
	static const struct reading rows[] = {
		/* read by the loader, at the start or later: only the header, the rest is mapped */
		{ "/bin/a", "/w", "", "/usr/lib/libz.so.1", CLOEXEC, 90000, 832, "loader" },
		{ "/bin/a", "/w", "", "/usr/lib/libz.so.1", CLOEXEC, 90000, 900, "loader" },
		{ "/bin/a", "/w", "", "/w/hook.bin", CLOEXEC, 90000, 832, "loader" },
		{ "/bin/a", "/w", "", "/w/plugin.so", CLOEXEC, 90000, 1616, "loader" },
		/* data if arguments name it; a linker reads whole blocks, or all */
		{ "/bin/head", "/w", "-c100 libq.so", "/w/libq.so", RD, 90000, 1024, "data" },
		{ "/bin/head", "/w", "../w//./libq.so", "/w/libq.so", RD, 90000, 832, "data" },
		{ "/bin/ld", "/w", "-lfoo", "/w/libfoo.so", RD, 20, 20, "data" },
		{ "/bin/ld", "/w", "-lfoo", "/w/libfoo.so", RD, 20, 40, "data" },
		{ "/bin/ld", "/w", "-lfoo", "/w/libfoo.so", RD, 900, 900, "data" },
		{ "/bin/ld", "/w", "-lc", "/usr/lib/libc.so", RD, 283, 16, "data" },
		{ "/bin/ld", "/w", "-lc", "/usr/lib/libc.so.6", RD, 1900000, 174256, "data" },
		{ "/bin/ld", "/w", "-lm", "/w/libm.a", RD, 90000, 1616, "data" },
		{ "/bin/ld", "/w", "", "/w/libm.so", RD, 90000, 0, "data" },
		{ "/bin/cp", "/w", "p.so q.so", "/w/p.so", RD, 3000, 3000, "data" },
		/* a linker's plugin is loaded, although an argument names it */
		{ "/bin/ld", "/w", "-plugin /usr/lib/p.so", "/usr/lib/p.so", CLOEXEC, 90000, 832,
		  "loader" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		read_so(&rows[i]);
}

static void test_files_of_the_system(void **state)
{
	static const struct reading rows[] = {
		{ "/bin/a", "/w", "", "/etc/passwd", CLOEXEC, 100, 100, "config" },
		{ "/bin/a", "/w", "", "/usr/lib/locale/C.utf8/LC_CTYPE", CLOEXEC, 100, 100, "config" },
		{ "/bin/ld", "/w", "-L/usr/lib/x86_64-linux-gnu",
		  "/usr/lib/x86_64-linux-gnu/gconv/gconv-modules.cache", RD, 100, 100, "config" },
		{ "/bin/a", "/w", "", "/usr/lib/gconv/UTF-16.so", CLOEXEC, 90000, 90000, "config" },
		/* only read on request */
		{ "/bin/a", "/w", "", "/etc/hostname", CLOEXEC, 100, 100, "data" },
		/* a word within a path is not enough */
		{ "/bin/a", "/w", "", "/w/gconv/g.c", RD, 100, 100, "data" },
		{ "/bin/a", "/w", "", "/w/etc/passwd", CLOEXEC, 100, 100, "data" },
		{ "/bin/perl", "/w", "", "/w/perl/a.txt", CLOEXEC, 100, 100, "data" },
		{ "/bin/python3.11", "/w", "", "/w/__pycache__/a.pyc", CLOEXEC, 100, 100, "data" },
		/* named by an argument, or opened as the C library never does */
		{ "/bin/tar", "/w", "cf x /etc/passwd", "/etc/passwd", CLOEXEC, 100, 100, "data" },
		{ "/bin/dd", "/w", "if=/etc/passwd", "/etc/passwd", CLOEXEC, 100, 100, "data" },
		{ "/bin/ld", "/w", "@/etc/passwd", "/etc/passwd", CLOEXEC, 100, 100, "data" },
		{ "/bin/a", "/w", "-o/etc/passwd", "/etc/passwd", CLOEXEC, 100, 100, "data" },
		{ "/bin/cat", "/etc", "passwd", "/etc/passwd", CLOEXEC, 100, 100, "data" },
		{ "/bin/cat", "/etc/x", "../passwd", "/etc/passwd", CLOEXEC, 100, 100, "data" },
		{ "/bin/cpio", "/w", "-o", "/etc/passwd", RD, 100, 100, "data" },
		{ "/bin/tar", "/w", "-C /etc -cf x .", "/etc/passwd", CLOEXEC | NOFOLLOW, 100, 100,
		  "data" },
		{ "/bin/cat", "/w", "/etc/ld.so.cache", "/etc/ld.so.cache", RD, 5000, 5000, "data" },
		{ "/usr/bin/python3", "/w", "pack.py /etc", "/etc/passwd", CLOEXEC, 100, 100, "data" },
		/* a directory does not count if the C library may have opened the file */
		{ "/bin/tar", "/w", "-C /etc -cf x y", "/etc/passwd", CLOEXEC, 100, 100, "config" },
		{ "/bin/a", "/w", "/etc/passwd2 x/etc/passwd", "/etc/passwd", CLOEXEC, 100, 100,
		  "config" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		read_so(&rows[i]);
}

static void test_interpreters(void **state)
{
	static const struct reading rows[] = {
		{ "/usr/bin/python3.11", "/w", "x.py", "/usr/lib/python3/a.py", CLOEXEC, 9, 9, "program" },
		{ "/usr/bin/python3.11", "/w", "", "/usr/lib/python3.11/a.so", CLOEXEC, 90000, 832,
		  "loader" },
		{ "/usr/bin/python3.11", "/w", "", "/usr/local/lib/python3.11/dist-packages/a.py",
		  CLOEXEC, 9, 9, "program" },
		{ "/usr/bin/perl", "/w", "", "/usr/lib/x86_64-linux-gnu/perl/5.36/a.pm", RD, 9, 9,
		  "program" },
		{ "/usr/bin/perl", "/w", "", "/usr/share/perl5/a.pm", RD, 9, 9, "program" },
		{ "/usr/bin/guile-3.0", "/w", "", "/usr/share/guile/3.0/a.scm", RD, 9, 9, "program" },
		{ "/usr/bin/ruby3.1", "/w", "", "/var/lib/gems/3.1.0/a.rb", RD, 9, 9, "program" },
		{ "/usr/lib/jvm/j/bin/javac", "/w", "A.java", "/usr/lib/jvm/j/lib/modules", RD, 9000000,
		  4096, "program" },
		{ "/home/u/py/bin/python3", "/w", "", "/home/u/py/lib/python3.9/a.py", CLOEXEC, 9, 9,
		  "program" },
		/* of another language, outside the library, in the work tree, or requested */
		{ "/usr/bin/node", "/w", "", "/usr/lib/python3/a.py", CLOEXEC, 9, 9, "data" },
		{ "/usr/bin/cat", "/w", "", "/usr/lib/python3/a.py", CLOEXEC, 9, 9, "data" },
		{ "/usr/bin/perl", "/w", "", "/usr/src/perl/a.pm", RD, 9, 9, "data" },
		{ "/usr/bin/perl", "/w", "", "/usr/lib/a/b/perl/a.pm", RD, 9, 9, "data" },
		{ "/usr/lib/jvm/j/bin/javac", "/w", "A.java", "/usr/share/java/a.jar", RD, 9, 9, "data" },
		{ "/home/u/py/bin/python3", "/home/u", "", "/home/u/py/lib/python3.9/a.py", CLOEXEC,
		  9, 9, "data" },
		{ "/usr/bin/python3", "/w", "-m tarfile -c x /usr/lib/python3/", "/usr/lib/python3/a.py",
		  CLOEXEC, 9, 9, "data" },
		{ "/usr/bin/python3", "/w", "x --prefix=/usr /usr/lib", "/usr/lib/python3/a.py", CLOEXEC,
		  9, 9, "program" },
		/* a program's own file: run, or read on request */
		{ "/bin/cp", "/w", "x y", "/bin/cp", RD, 900, 900, "program" },
		{ "/bin/cp", "/w", "/bin/cp y", "/bin/cp", RD, 900, 900, "data" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		read_so(&rows[i]);
}

/* Files made by the build or passed to another program are data, whatever their names. */
static void test_files_passed_on_are_data(void **state)
{
	(void)state;
	starts(true);
	runs(1, "/bin/sh");
	opens(1, 9, "/etc/passwd", RD | CLOEXEC, 11, 100);
	line(1, "Cloexec|first=9,last=9,on=0");
	forks(1, 2);
	line(2, "Use|fd=9");
	line(2, "UseRead|bytes=5");
	runs(2, "/bin/wc");
	closes(2, 9, 100, -1);
	closes(1, 9, 100, -1);
	ends(2);
	runs(3, "/bin/a");
	writes(3, "/etc/group", 12);
	opens(3, 9, "/etc/group", CLOEXEC, 12, 100);
	closes(3, 9, 100, -1);
	ends(3);
	runs(4, "/bin/sh");
	opens(4, 9, "/etc/passwd", CLOEXEC, 11, 100);
	dups(4, 9, 0);
	closes(4, 9, 100, -1);
	ends(4);
	says(read_as, "config data data data data");
}

/* ---- files that are open while others write them ---- */

/* A program that has a file open reads what others write into it then, and writes into that. */
static void test_versions_begun_while_open(void **state)
{
	(void)state;
	starts(true);
	/* /bin/a reads through 3 what /bin/b writes, but not what /bin/c does */
	runs(1, "/bin/a");
	opens(1, 3, "/tmp/x", RDWR | CREAT | EXCL, 20, 0);
	opens(1, 4, "/tmp/x", RD, 20, 0);
	runs(2, "/bin/b");
	reads(2, "/b", 11);
	writes(2, "/tmp/x", 20);
	closes(1, 3, 100, -1);
	closes(1, 4, 0, -1);
	runs(3, "/bin/c");
	reads(3, "/c", 12);
	writes(3, "/tmp/x", 20);
	writes(1, "/o", 21);
	removes(1, "/tmp/x");
	ends(1);
	says(edges, "-</b -</c /o<(/tmp/x)");
	says("SELECT how || ':' || v.exec || ':' || coalesce(bytes, '?') FROM access JOIN version AS v"
	     " ON v.id = version WHERE access.exec = 1 AND how < 2", "1:2:? 1:1:0");
	/* not what it has written itself, nor what was there before it got the descriptor */
	starts(true);
	runs(1, "/bin/a");
	opens(1, 3, "/x", RD, 20, 9);
	writes(1, "/x", 20);
	runs(2, "/bin/b");
	reads(2, "/b", 11);
	writes(2, "/x", 20);
	runs(3, "/bin/c");
	reads(3, "/c", 12);
	writes(3, "/x", 20);
	forks(1, 4);
	closes(4, 3, 100, -1);
	writes(4, "/o", 21);
	ends(4);
	closes(1, 3, 9, -1);
	says(edges, "-<(/x) -</b /o<(/x) /o</x /x</c");
	/* a truncated file has only what is written after that, by whatever descriptor */
	starts(true);
	runs(1, "/bin/a");
	opens(1, 3, "/x", WR | CREAT | APPEND, 20, 0);
	runs(2, "/bin/b");
	reads(2, "/b", 11);
	writes(2, "/x", 20);
	reads(1, "/a", 12);
	closes(1, 3, -1, 100);
	ends(1);
	says(edges, "-</a /x</a /x</b");
	/* what the kernel copies is what the file has then */
	starts(true);
	runs(1, "/bin/a");
	opens(1, 3, "/x", RD, 20, 9);
	writes(2, "/x", 20);
	writes(3, "/x", 20);
	opens(1, 4, "/o", NEW, 21, 0);
	line(1, "Copy|in=3,out=4");
	closes(1, 3, 100, -1);
	closes(1, 4, -1, 100);
	line(1, "CloseCopied|copied=1");
	ends(1);
	says("SELECT input = (SELECT id FROM version WHERE exec = 3) FROM copy", "1");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_socketpair), cmocka_unit_test(test_input_before_output),
		cmocka_unit_test(test_uses_by_several_threads),
		cmocka_unit_test(test_connected_sockets),
		cmocka_unit_test(test_names_of_sockets), cmocka_unit_test(test_reused_socket_name),
		cmocka_unit_test(test_messages), cmocka_unit_test(test_closed_before_accept),
		cmocka_unit_test(test_several_clients_of_a_name),
		cmocka_unit_test(test_data_from_outside),
		cmocka_unit_test(test_copies), cmocka_unit_test(test_input_given_to_one_child),
		cmocka_unit_test(test_input_given_to_several),
		cmocka_unit_test(test_shared_objects),
		cmocka_unit_test(test_files_of_the_system), cmocka_unit_test(test_interpreters),
		cmocka_unit_test(test_files_passed_on_are_data),
		cmocka_unit_test(test_versions_begun_while_open),
	};

	return cmocka_run_group_tests(tests, NULL, over);
}
