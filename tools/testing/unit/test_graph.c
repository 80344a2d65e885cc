// SPDX-License-Identifier: GPL-2.0
/*
 * The rules by which inputs belong to outputs (etrace-db(5)): small traces, made
 * here, become databases, and these say who made what of what.
 */
#include "common_convert.h"
#include "answers/answers.h"
#include "db/write.h"
#include "io/diag.h"

#include <cmocka.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
	RD = 0, WR = 1, RDWR = 2, CREAT = 0100, EXCL = 0200, TRUNC = 01000, APPEND = 02000,
	NOFOLLOW = 0400000, CLOEXEC = 02000000, TMPFILE = 020200000,
};

#define NEW (WR | CREAT | TRUNC)

/* ---- a trace ---- */

static struct buf text;
static unsigned int now;
static bool uses;	/* whether it tells who read and wrote */

/* The tasks: 1 to 9. */
static unsigned long upid(unsigned int task)
{
	return ((unsigned long)task << 22) + 100 + task;
}

__attribute__((format(printf, 2, 3)))
static void line(unsigned int task, const char *fmt, ...)
{
	char s[512];
	va_list ap;

	snprintf(s, sizeof(s), "%lu,0,%u,%u!", upid(task), 10 + now / 1000, now % 1000 * 1000000);
	now++;
	buf_adds(&text, s);
	va_start(ap, fmt);
	vsnprintf(s, sizeof(s), fmt, ap);
	va_end(ap);
	buf_adds(&text, s);
	buf_addc(&text, '\n');
}

static void starts(bool with_uses)
{
	text.len = now = 0;
	uses = with_uses;
}

/* @words: arguments behind the program's name, with a space between them */
static void runs_with(unsigned int task, const char *program, const char *cwd, const char *words)
{
	line(task, "New_proc|argsize=%zu,prognameisize=%zu,prognamepsize=%zu,cwdsize=%zu",
	     strlen(program) + 1 + (*words ? strlen(words) + 1 : 0), strlen(program),
	     strlen(program), strlen(cwd));
	line(task, "PI|%s", program);
	line(task, "PP|%s", program);
	line(task, "CW|%s", cwd);
	line(task, "A[0]%s", program);
	for (int i = 1; *words; i++) {
		size_t n = strcspn(words, " ");

		line(task, "A[%d]%.*s", i, (int)n, words);
		words += n + (words[n] == ' ');
	}
	line(task, "End_of_args|");
}

static void runs(unsigned int task, const char *program)
{
	runs_with(task, program, "/", "");
}

static void forks_by(unsigned int task, unsigned int child, unsigned int flags)
{
	line(task, "SysClone|flags=%u", flags);
	line(task, "SchedFork|pid=%lu", upid(child));
}

static void forks(unsigned int task, unsigned int child)
{
	forks_by(task, child, 17);
}

static void ends(unsigned int task)
{
	line(task, "Exit|status=0");
}

/* @ino: 0: the trace does not tell */
static void opens(unsigned int task, int fd, const char *path, int flags, unsigned int ino,
		  unsigned int size)
{
	line(task, "Open|fnamesize=%zu,forigsize=%zu,flags=%d,mode=0,fd=%d", strlen(path),
	     strlen(path), flags, fd);
	line(task, "FN|%s", path);
	line(task, "FO|%s", path);
	if (ino && uses)
		line(task, "OpenFile|dev=1,ino=%u,size=%u,mtime=5,type=32768", ino, size);
}

static void closes(unsigned int task, int fd, int nread, int nwrote)
{
	line(task, "Close|fd=%d", fd);
	if (nread >= 0 && uses)
		line(task, "CloseRead|bytes=%d", nread);
	if (nwrote >= 0 && uses)
		line(task, "CloseWrote|bytes=%d", nwrote);
}

static void reads(unsigned int task, const char *path, unsigned int ino)
{
	opens(task, 7, path, RD, ino, 100);
	closes(task, 7, 100, -1);
}

static void writes(unsigned int task, const char *path, unsigned int ino)
{
	opens(task, 8, path, NEW, ino, 0);
	closes(task, 8, -1, 100);
}

static void two(unsigned int task, const char *what, const char *a, const char *from,
		const char *b, const char *to)
{
	line(task, "%sFrom|fnamesize=%zu%s", what, strlen(from),
	     strcmp(what, "Rename2") ? "" : ",flags=2");
	line(task, "%s|%s", a, from);
	line(task, "%sTo|fnamesize=%zu", strncmp(what, "Rename", 6) ? "Link" : "Rename", strlen(to));
	line(task, "%s|%s", b, to);
}

static void renames(unsigned int task, const char *from, const char *to)
{
	two(task, "Rename", "RF", from, "RT", to);
}

static void exchanges(unsigned int task, const char *from, const char *to)
{
	two(task, "Rename2", "RF", from, "RT", to);
}

static void links(unsigned int task, const char *from, const char *to)
{
	two(task, "Link", "LF", from, "LT", to);
}

static void removes(unsigned int task, const char *path)
{
	line(task, "Unlink|fnamesize=%zu,dir=0", strlen(path));
	line(task, "UN|%s", path);
}

static void dups(unsigned int task, int from, int to)
{
	line(task, "Dup|oldfd=%d,newfd=%d,flags=0", from, to);
}

/* The events whose first line has nothing but a name and some numbers. */
static void named(unsigned int task, const char *what, const char *numbers, const char *tag,
		  const char *path)
{
	line(task, "%s|fnamesize=%zu%s", what, strlen(path), numbers);
	line(task, "%s|%s", tag, path);
}

static void stats(unsigned int task, const char *path)
{
	named(task, "Stat", ",flags=0", "PS", path);
}

static void receives(unsigned int task, int fd, const char *path)
{
	char numbers[32];

	snprintf(numbers, sizeof(numbers), ",fd=%d,cloexec=0", fd);
	named(task, "Received", numbers, "RP", path);
}

static void symlinks(unsigned int task, const char *target, const char *path)
{
	line(task, "Symlink|targetnamesize=%zu,linknamesize=%zu", strlen(target), strlen(path));
	line(task, "ST|%s", target);
	line(task, "SL|%s", path);
}

/* By linkat, with flags. */
static void links_at(unsigned int task, const char *from, int flags, const char *to)
{
	line(task, "LinkatFrom|fnamesize=%zu,flags=%d", strlen(from), flags);
	line(task, "LF|%s", from);
	line(task, "LinkTo|fnamesize=%zu", strlen(to));
	line(task, "LT|%s", to);
}

/* ---- what it says ---- */

/* What was made of what: "out<in" for each pair, by names in the end or, of what has none, -. */
static const char edges[] =
	"WITH n AS (SELECT version, min(CAST(path AS TEXT)) AS path FROM final JOIN file"
	" ON file.id = final.file WHERE version IS NOT NULL GROUP BY version)"
	" SELECT DISTINCT coalesce(o.path, '-') || '<' || coalesce(i.path,"
	" (SELECT '(' || CAST(file.path AS TEXT) || ')' FROM version AS v JOIN file"
	" ON file.id = v.file WHERE v.id = input), '-') AS pair FROM edge"
	" LEFT JOIN n AS o ON o.version = output LEFT JOIN n AS i ON i.version = input"
	" WHERE class IN (0, 1) ORDER BY pair";

/* Who made what stands under each name: "name=program". */
static const char makers[] =
	"SELECT CAST(f.path AS TEXT) || '=' || coalesce((SELECT CAST(p.path AS TEXT) FROM"
	" exec AS e JOIN file AS p ON p.id = e.program WHERE e.id = v.exec), '') FROM final"
	" JOIN file AS f ON f.id = final.file LEFT JOIN version AS v ON v.id = final.version"
	" WHERE final.version IS NOT NULL AND CAST(f.path AS TEXT) LIKE '/%.o' ORDER BY f.path";

static const char ends_of[] =
	"SELECT CAST(p.path AS TEXT) || ' ' || w.word FROM exec AS e JOIN file AS p"
	" ON p.id = e.program JOIN word AS w ON w.of = 'ended' AND w.number = e.ended"
	" ORDER BY e.id";

static const char whole[] = "SELECT value FROM meta WHERE key = 'complete'";

static struct db *made(struct diag *diag)
{
	char path[] = "/tmp/test_graph.XXXXXX";
	struct opts opts;
	struct db *db;
	struct in *in;
	int fd = mkstemp(path), err;

	assert_true(fd >= 0);
	assert_int_equal(write(fd, text.s, text.len), text.len);
	close(fd);
	opts_init(&opts);
	in = in_open(path, &err);
	assert_non_null(in);
	db = db_create(NULL, diag);
	assert_non_null(db);
	assert_true(answers_read(db, &in, 1, "etrace", &opts, diag));
	in_close(in);
	opts_free(&opts);
	unlink(path);
	return db;
}

static void says(const char *query, const char *expected)
{
	struct diag *diag = diag_new(NULL, "");
	struct db *db = made(diag);
	struct sqlite3_stmt *st = db_ask(db, query, "");
	struct buf got = { 0 };

	while (db_row(db, st)) {
		size_t len;
		const char *s = db_bytes(st, 0, &len);

		if (got.len)
			buf_addc(&got, ' ');
		buf_add(&got, s, len);
	}
	buf_addc(&got, 0);
	if (strcmp(got.s, expected))
		print_message("%.*s\n", (int)(text.len < 3000 ? text.len : 3000), text.s);
	assert_string_equal(got.s, expected);
	buf_free(&got);
	db_close(db);
	diag_free(diag);
}

/* ---- roots ---- */

static const char paths[] = "SELECT CAST(path AS TEXT) FROM file ORDER BY path";

/* A path is valid in the root directory of its process, and of nobody else. */
static void test_roots(void **state)
{
	(void)state;
	starts(true);
	runs(1, "/bin/sh");
	writes(1, "/c/in.c", 11);
	forks(1, 2);
	line(2, "Chroot|fnamesize=2");
	line(2, "CR|/c");
	runs(2, "/bin/cc");
	reads(2, "/in.c", 11);
	writes(2, "/out.o", 12);
	/* what is no path, and what failed */
	line(2, "ChrootFailed|");
	opens(2, 9, "pipe:[5]", WR, 0, 0);
	/* a root within that one, which its child has, too */
	line(2, "PivotRoot|newnamesize=2,oldnamesize=4");
	line(2, "NR|/d");
	line(2, "PO|/d/o");
	forks(2, 3);
	runs(3, "/bin/as");
	reads(3, "/", 0);
	/* a root of which only the namespace is known */
	line(3, "Setns|fnamesize=16,fd=3,flags=131072");
	line(3, "NS|mnt:[4026532281]");
	reads(3, "/lib/a.so", 0);
	ends(3);
	ends(2);
	/* who made them has the machine's all the time */
	removes(1, "/in.c");
	ends(1);
	says(paths, "/ /bin/sh /c /c/bin/cc /c/d /c/d/bin/as /c/in.c /c/out.o /in.c "
		    "mnt:[4026532281]/lib/a.so pipe:[5]");
	says(edges, "/c/out.o</c/in.c");
}

/* What leads to a file by another path is in the same root, however that was asked for. */
static void test_asked_in_root(void **state)
{
	static const char *const paths_asked[] = { "/l/in.c", "/l//x/../in.c" };

	(void)state;
	for (size_t i = 0; i < 2; i++) {
		starts(true);
		runs(1, "/bin/cc");
		line(1, "Chroot|fnamesize=2");
		line(1, "CR|/c");
		line(1, "Open|fnamesize=7,forigsize=%zu,flags=0,mode=0,fd=7", strlen(paths_asked[i]));
		line(1, "FN|/t/in.c");
		line(1, "FO|%s", paths_asked[i]);
		closes(1, 7, 100, -1);
		writes(1, "/out.o", 12);
		ends(1);
		says("SELECT CAST(s.s AS TEXT) FROM asked JOIN string AS s ON s.id = asked.path"
		     " JOIN file ON file.id = asked.file WHERE CAST(file.path AS TEXT) = '/c/t/in.c'",
		     "/c/l/in.c");
	}
}

/* Which file is the script, whatever options stand before it. */
static void test_scripts(void **state)
{
	static const struct {
		const char *program, *words, *edges;
	} cases[] = {
		{ "/bin/bash", "-eu /in.c", "" },
		{ "/bin/bash", "-o pipefail /in.c", "" },
		{ "/bin/sh", "-ec true /in.c", "/out.o</in.c" },
		{ "/usr/bin/perl", "-w /in.c", "" },
		{ "/usr/bin/perl", "-eprint /in.c", "/out.o</in.c" },
		{ "/usr/bin/perl", "-e print /in.c", "/out.o</in.c" },
		{ "/usr/bin/python3", "-W error /in.c", "" },
		{ "/usr/bin/python3", "-m tool /in.c", "/out.o</in.c" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		starts(true);
		runs_with(1, cases[i].program, "/", cases[i].words);
		opens(1, 3, "/in.c", RD, 41, 9);
		closes(1, 3, 9, -1);
		opens(1, 3, "/out.o", WR, 42, 0);
		closes(1, 3, -1, 9);
		ends(1);
		says(edges, cases[i].edges);
	}
}

/* A program that is several: which one, its arguments tell. */
static void test_applets(void **state)
{
	static const struct {
		const char *words[4];
		const char *edges;
	} cases[] = {
		{ { "cat", "/in.c" }, "/out.o</in.c" },
		{ { "/bin/busybox", "cat", "/in.c" }, "/out.o</in.c" },
		/* what interprets reads a script */
		{ { "sh", "/in.c" }, "" },
		{ { "busybox", "ash", "/in.c" }, "" },
		{ { "busybox" }, "/out.o</in.c" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		starts(true);
		line(1, "New_proc|argsize=1,prognameisize=12,prognamepsize=12,cwdsize=1");
		line(1, "PI|/bin/busybox");
		line(1, "PP|/bin/busybox");
		line(1, "CW|/");
		for (int k = 0; k < 4 && cases[i].words[k]; k++)
			line(1, "A[%d]%s", k, cases[i].words[k]);
		line(1, "End_of_args|");
		reads(1, "/in.c", 11);
		writes(1, "/out.o", 12);
		ends(1);
		says("SELECT CAST(o.path AS TEXT) || '<' || CAST(i.path AS TEXT)"
		     " FROM edge JOIN version AS v ON v.id = output JOIN file AS o ON o.id = v.file"
		     " JOIN version AS w ON w.id = input JOIN file AS i ON i.id = w.file"
		     " WHERE class = 0", cases[i].edges);
	}
}

/* Who is there already, or joins. */
static void test_present_roots(void **state)
{
	(void)state;
	starts(true);
	line(1, "Present|commsize=1,pathsize=8,cwdsize=4,rootsize=2,process=%lu,parent=0", upid(1));
	line(1, "TN|x");
	line(1, "TP|/c/bin/x");
	line(1, "TW|/c/w");
	line(1, "TR|/c");
	reads(1, "/etc/a", 0);
	line(2, "Present|commsize=1,pathsize=6,cwdsize=2,rootsize=16,process=%lu,parent=0", upid(2));
	line(2, "TN|y");
	line(2, "TP|/bin/y");
	line(2, "TW|/w");
	line(2, "TR|mnt:[4026532281]");
	reads(2, "/etc/a", 0);
	line(3, "Join|argsize=2,pathsize=6,cwdsize=2,process=%lu,parent=%lu", upid(3), upid(2));
	line(3, "JP|/bin/z");
	line(3, "JW|/v");
	line(3, "JA[0]z");
	line(3, "Joined|");
	reads(3, "/etc/b", 0);
	ends(3);
	ends(2);
	ends(1);
	says(paths, "/bin/z /c/bin/x /c/etc/a /c/w /etc/b /v mnt:[4026532281]/bin/y "
		    "mnt:[4026532281]/etc/a mnt:[4026532281]/w");
	says("SELECT CAST(p.path AS TEXT) || ':' || coalesce((SELECT CAST(q.path AS TEXT) FROM exec AS f"
	     " JOIN file AS q ON q.id = f.program WHERE f.id = e.parent), '') FROM exec AS e"
	     " JOIN file AS p ON p.id = e.program ORDER BY e.id",
	     "/c/bin/x: mnt:[4026532281]/bin/y: /bin/z:mnt:[4026532281]/bin/y");
}

/* ---- rule 1: descriptors ---- */

/* sh opens, its child reads and writes through 0 and 1, with facts of use and without. */
static void test_inherited(void **state)
{
	(void)state;
	for (int with = 0; with <= 1; with++) {
		starts(with);
		runs(1, "/bin/sh");
		forks(1, 2);
		opens(2, 3, "/in.c", RD, 11, 100);
		dups(2, 3, 0);
		closes(2, 3, -1, -1);
		opens(2, 4, "/out.o", NEW, 12, 0);
		dups(2, 4, 1);
		closes(2, 4, -1, -1);
		runs(2, "/bin/cc");
		closes(2, 0, 100, -1);
		closes(2, 1, -1, 100);
		ends(2);
		ends(1);
		says(edges, "/out.o</in.c");
		says(makers, "/out.o=/bin/sh");
	}
}

static void test_cloexec(void **state)
{
	(void)state;
	/* without: what has close-on-exec is not there for the next program */
	starts(false);
	runs(1, "/bin/a");
	opens(1, 0, "/secret.c", RD | CLOEXEC, 11, 100);
	runs(1, "/bin/b");
	writes(1, "/b.o", 12);
	ends(1);
	says(edges, "");
}

/* CLONE_FILES: what one opens the other has. */
static void test_shared_table(void **state)
{
	(void)state;
	starts(true);
	runs(1, "/bin/a");
	forks_by(1, 2, 0x400);
	opens(2, 5, "/in.c", RD, 11, 100);
	opens(1, 6, "/out.o", NEW, 12, 0);
	closes(1, 5, 100, -1);
	closes(1, 6, -1, 100);
	ends(2);
	ends(1);
	says(edges, "/out.o</in.c");
}

static void test_unknown_origin(void **state)
{
	(void)state;
	/* 1 led to a file, and gets what nobody knows: the file is not written any more */
	starts(true);
	runs(1, "/bin/a");
	reads(1, "/in.c", 11);
	opens(1, 1, "/out.o", NEW, 12, 0);
	dups(1, 9, 1);
	closes(1, 1, -1, 100);
	ends(1);
	says(edges, "");
}

/* What was asked for by no path is asked for by none, whatever stands behind it. */
static void test_empty_original(void **state)
{
	(void)state;
	starts(true);
	runs(1, "/bin/a");
	reads(1, "/a/b/c/d", 11);
	line(1, "Open|fnamesize=8,forigsize=0,flags=0,mode=0,fd=7");
	line(1, "FN|/e/f/g/h");
	line(1, "FO|");
	line(1, "OpenFile|dev=1,ino=12,size=100,mtime=5,type=32768");
	closes(1, 7, 100, -1);
	ends(1);
	says("SELECT count(*) FROM asked", "0");
}

/* ---- rule 2: names and versions ---- */

static void test_rename_over(void **state)
{
	(void)state;
	for (int with = 0; with <= 1; with++) {
		starts(with);
		runs(1, "/bin/cc");
		reads(1, "/in.c", 11);
		writes(1, "/tmp.o", 12);
		ends(1);
		runs(2, "/bin/mv");
		renames(2, "/tmp.o", "/out.o");
		ends(2);
		runs(3, "/bin/ld");
		reads(3, "/out.o", 12);
		writes(3, "/app", 13);
		ends(3);
		says(edges, "/app</out.o /out.o</in.c");
		says(makers, "/out.o=/bin/cc");
	}
}

static void test_exchange(void **state)
{
	(void)state;
	starts(true);
	runs(1, "/bin/a");
	writes(1, "/a.o", 11);
	runs(1, "/bin/b");
	writes(1, "/b.o", 12);
	exchanges(1, "/a.o", "/b.o");
	ends(1);
	says(makers, "/a.o=/bin/b /b.o=/bin/a");
}

/* One file under two names; what is written by the one is read by the other. */
static void test_hard_link(void **state)
{
	(void)state;
	for (int with = 0; with <= 1; with++) {
		starts(with);
		runs(1, "/bin/a");
		writes(1, "/one.o", 11);
		links(1, "/one.o", "/two.o");
		runs(1, "/bin/b");
		reads(1, "/in.c", 12);
		writes(1, "/one.o", 11);
		ends(1);
		says(makers, "/one.o=/bin/b /two.o=/bin/b");
	}
}

/* Its names change; what is written by the other one is still read by each. */
static void test_hard_link_renamed(void **state)
{
	(void)state;
	for (int with = 0; with <= 1; with++) {
		starts(with);
		runs(1, "/bin/a");
		writes(1, "/one.o", 11);
		writes(1, "/other.o", 12);
		links(1, "/one.o", "/two.o");
		renames(1, "/one.o", "/new.o");
		exchanges(1, "/new.o", "/other.o");
		runs(1, "/bin/b");
		writes(1, "/two.o", 11);
		ends(1);
		says(makers, "/new.o=/bin/a /other.o=/bin/b /two.o=/bin/b");
	}
}

/* It was linked before the trace began: its inode tells. */
static void test_hard_link_of_before(void **state)
{
	(void)state;
	starts(true);
	runs(1, "/bin/a");
	reads(1, "/one.o", 11);
	reads(1, "/two.o", 11);
	reads(1, "/three.o", 11);
	runs(1, "/bin/b");
	writes(1, "/two.o", 11);
	ends(1);
	says(makers, "/one.o=/bin/b /three.o=/bin/b /two.o=/bin/b");
}

static void test_directory_renamed(void **state)
{
	(void)state;
	starts(true);
	runs(1, "/bin/a");
	line(1, "Mkdir|fnamesize=4,mode=511");
	line(1, "KD|/dir");
	writes(1, "/dir/a.o", 11);
	writes(1, "/dir2.o", 12);
	renames(1, "/dir", "/new");
	runs(1, "/bin/b");
	reads(1, "/new/a.o", 11);
	writes(1, "/app", 13);
	ends(1);
	says(edges, "/app</new/a.o");
	says(makers, "/dir2.o=/bin/a /new/a.o=/bin/a");
}

/* The number of a removed file is given to another one. */
static void test_inode_again(void **state)
{
	(void)state;
	starts(true);
	runs(1, "/bin/a");
	writes(1, "/a.o", 11);
	removes(1, "/a.o");
	writes(1, "/b.o", 11);
	runs(1, "/bin/b");
	reads(1, "/b.o", 11);
	writes(1, "/app", 13);
	ends(1);
	says(edges, "/app</b.o");
	says(makers, "/b.o=/bin/a");
}

static void test_removed(void **state)
{
	(void)state;
	starts(true);
	runs(1, "/bin/a");
	writes(1, "/a.o", 11);
	removes(1, "/a.o");
	runs(1, "/bin/b");
	writes(1, "/a.o", 12);
	ends(1);
	says(makers, "/a.o=/bin/b");
}

static const char backwards[] =
	"SELECT count(*) FROM version AS v JOIN version AS b ON b.id = v.base WHERE v.at <= b.at";

/* A descriptor that was open before the file was written anew writes last. */
static void test_late_writer(void **state)
{
	(void)state;
	starts(true);
	runs(1, "/bin/a");
	reads(1, "/in1", 11);
	receives(1, 5, "/x.o");
	runs(2, "/bin/b");
	reads(2, "/in2", 12);
	writes(2, "/x.o", 13);
	closes(1, 5, -1, 9);
	ends(1);
	ends(2);
	says(makers, "/x.o=/bin/a");
	says(edges, "-</in2 /x.o</in1");
	says(backwards, "0");
}

/* What is written has the name that it has by then, not that by which it was opened. */
static void test_late_name(void **state)
{
	(void)state;
	starts(true);
	runs(1, "/bin/a");
	receives(1, 5, "/x.o");
	receives(1, 6, "/z.o");
	runs(2, "/bin/b");
	renames(2, "/x.o", "/y.o");
	writes(2, "/x.o", 12);
	links(2, "/z.o", "/zz.o");
	removes(2, "/z.o");
	closes(1, 5, -1, 9);
	closes(1, 6, -1, 9);
	ends(2);
	says(makers, "/x.o=/bin/b /y.o=/bin/a /zz.o=/bin/a");
	starts(true);
	runs(1, "/bin/a");
	receives(1, 5, "/x.o");
	removes(1, "/x.o");
	closes(1, 5, -1, 9);
	ends(1);
	says(makers, "");
	says("SELECT count(*) FROM version WHERE made = 2 AND file IS NULL", "1");
}

/* What each version is: its name, device, inode, size and time. */
static const char identities[] =
	"SELECT CAST(path AS TEXT) || '=' || coalesce(dev || ':' || ino || ':' ||"
	" coalesce(size, '?') || ':' || coalesce(mtime, '?'), '')"
	" FROM version AS v JOIN file ON file.id = v.file WHERE v.made < 3 ORDER BY v.id";

/* A version that began by a look or an execve is identified once the file is opened. */
static void test_identified(void **state)
{
	(void)state;
	starts(true);
	runs(1, "/bin/a");
	stats(1, "/in.c");
	stats(1, "/old.o");
	stats(1, "/none.c");
	reads(1, "/in.c", 11);
	opens(1, 3, "/bin/a", RD, 12, 100);
	/* what it was like before it was emptied is not known */
	opens(1, 4, "/old.o", NEW, 13, 0);
	ends(1);
	says(identities, "/bin/a=1:12:100:5 /in.c=1:11:100:5 /old.o=1:13:?:? /none.c= /old.o=1:13:0:5");
}

/* What an execve tells of its file; of a script, that is the interpreter. */
static void test_identified_program(void **state)
{
	(void)state;
	starts(true);
	for (unsigned int i = 1; i <= 2; i++) {
		line(i, "New_proc|argsize=2,prognameisize=7,prognamepsize=%d,cwdsize=1", i == 1 ? 7 : 4);
		line(i, "ExecFile|dev=1,ino=11,size=900,mtime=5");
		line(i, "PI|/bin/sh");
		line(i, "PP|%s", i == 1 ? "/bin/sh" : "/x.s");
		line(i, "CW|/");
		line(i, "A[0]a");
		line(i, "End_of_args|");
		ends(i);
	}
	says(identities, "/bin/sh=1:11:900:5 /x.s=");
}

/* The same where the row has long been written. */
static void test_identified_late(void **state)
{
	char path[16];

	(void)state;
	starts(true);
	runs(1, "/bin/a");
	stats(1, "/in.c");
	stats(1, "/old.o");
	for (int i = 0; i < 5000; i++) {
		snprintf(path, sizeof(path), "/%d", i);
		stats(1, path);
	}
	reads(1, "/in.c", 11);
	opens(1, 4, "/old.o", NEW, 13, 0);
	ends(1);
	says("SELECT CAST(path AS TEXT) || '=' || dev || ':' || ino || ':' || coalesce(size, '?')"
	     " FROM version AS v JOIN file ON file.id = v.file WHERE v.made = 0 AND dev ORDER BY v.id",
	     "/in.c=1:11:100 /old.o=1:13:?");
}

/* Two names of one file, one of them known by a look only before. */
static void test_hard_link_looked_at(void **state)
{
	(void)state;
	starts(true);
	runs(1, "/bin/a");
	stats(1, "/one.o");
	reads(1, "/two.o", 11);
	reads(1, "/one.o", 11);
	runs(1, "/bin/b");
	writes(1, "/two.o", 11);
	ends(1);
	says(makers, "/one.o=/bin/b /two.o=/bin/b");
	/* nobody of the trace gave it that name */
	says("SELECT coalesce(exec, 'nobody') FROM name ORDER BY rowid", "nobody 2");
}

/* What symbolic links lead to, and who made them; what stands under their names in the end. */
static const char symbolic[] =
	"SELECT CAST(f.path AS TEXT) || '>' || coalesce(CAST(t.path AS TEXT), '') || ' by ' ||"
	" CAST(p.path AS TEXT) FROM final JOIN version AS v ON v.id = final.version AND v.made = 8"
	" JOIN file AS f ON f.id = final.file JOIN exec AS e ON e.id = v.exec"
	" JOIN file AS p ON p.id = e.program LEFT JOIN file AS t ON t.id = v.target ORDER BY f.path";

static void test_symlink(void **state)
{
	(void)state;
	starts(true);
	runs(1, "/bin/ln");
	named(1, "Mkdir", ",mode=511", "KD", "/d");
	symlinks(1, "../in", "/d/rel");
	symlinks(1, "/abs/./in", "/d/abs");
	symlinks(1, "gone", "/removed");
	symlinks(1, "x", "/replaced.o");
	symlinks(1, "new", "/tmp1");
	runs(1, "/bin/mv");
	removes(1, "/removed");
	removes(1, "/replaced.o");
	writes(1, "/replaced.o", 12);
	renames(1, "/d", "/e");
	renames(1, "/tmp1", "/link");
	/* what is opened by the name is what lies there now */
	reads(1, "/link", 13);
	symlinks(1, "y", "/last");
	ends(1);
	says(symbolic, "/e/abs>/abs/in by /bin/ln /e/rel>/in by /bin/ln /last>/y by /bin/mv");
	says(makers, "/replaced.o=/bin/mv");
}

/* ---- rules 3 to 5 ---- */

/* O_RDWR without O_TRUNC keeps what was there, O_TRUNC and O_EXCL do not. */
static void test_changed(void **state)
{
	static const struct {
		int flags;
		const char *expected;
	} rows[] = {
		{ RDWR, "/b.o<(/b.o)" }, { RDWR | TRUNC, "" }, { RDWR | CREAT | EXCL, "" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		starts(true);
		runs(1, "/bin/a");
		writes(1, "/b.o", 11);
		runs(1, "/bin/b");
		if (rows[i].flags & EXCL)
			removes(1, "/b.o");
		opens(1, 3, "/b.o", rows[i].flags, 11, rows[i].flags == RDWR ? 100 : 0);
		closes(1, 3, rows[i].flags == RDWR ? 100 : -1, 100);
		ends(1);
		says(edges, rows[i].expected);
	}
}

/* What is opened after the output was closed is no input of it. */
static void test_order(void **state)
{
	(void)state;
	starts(true);
	runs(1, "/bin/a");
	reads(1, "/before.c", 11);
	writes(1, "/a.o", 12);
	reads(1, "/after.c", 13);
	writes(1, "/b.o", 14);
	ends(1);
	says(edges, "/a.o</before.c /b.o</after.c /b.o</before.c");
}

/* ---- rule 6: pipes ---- */

static void test_pipe(void **state)
{
	(void)state;
	for (int with = 0; with <= 1; with++) {
		starts(with);
		runs(1, "/bin/sh");
		line(1, "Pipe|fd1=3,fd2=4,flags=0");
		forks(1, 2);
		forks(1, 3);
		closes(1, 3, -1, -1);
		closes(1, 4, -1, -1);
		dups(2, 4, 1);
		closes(2, 3, -1, -1);
		closes(2, 4, -1, -1);
		runs(2, "/bin/a");
		reads(2, "/in.c", 11);
		closes(2, 1, -1, 100);
		ends(2);
		dups(3, 3, 0);
		closes(3, 3, -1, -1);
		closes(3, 4, -1, -1);
		runs(3, "/bin/b");
		opens(3, 5, "/out.o", NEW, 12, 0);
		closes(3, 0, 100, -1);
		closes(3, 5, -1, 100);
		ends(3);
		ends(1);
		says(edges, "-</in.c /out.o<-");
	}
}

/* ---- sockets ---- */

static void sends(unsigned int task, int fd, int nread, int nwrote)
{
	line(task, "Use|fd=%d", fd);
	if (nread >= 0)
		line(task, "UseRead|bytes=%d", nread);
	if (nwrote >= 0)
		line(task, "UseWrote|bytes=%d", nwrote);
}

/* Who asks by a socket, and who answers: "from" reads /ask, "to" reads /answer. */
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
	/* the first end is closed by the execve */
	runs(2, "/bin/two");
	talks(1, 3, 2, 4);
	closes(2, 3, 5, -1);
	ends(2);
	ends(1);
	says(edges, talk);
	says(unseen, "0 1");
	says("SELECT count(*) FROM version WHERE made = 3", "2");
	/* nobody reads what it wrote itself */
	says("SELECT how || ':' || exec || ':' || version FROM access WHERE class = 1",
	     "2:1:3 1:2:3 2:2:4 1:1:4");
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

/* Two ends, in either order, told by inode or by their address. */
static void test_connected(void **state)
{
	(void)state;
	for (unsigned int i = 0; i < 4; i++) {
		unsigned int ino = i & 1 ? 77 : 0;

		starts(true);
		runs(1, "/bin/one");
		runs(2, "/bin/two");
		opens(1, 8, "/x", RD, 41, 9);
		if (i & 2)
			accepts(2, 5, "/run/s", ino);
		connects(1, 3, "/run/s", 1, ino);
		if (!(i & 2))
			accepts(2, 5, "/run/s", ino);
		talks(1, 3, 2, 5);
		ends(1);
		ends(2);
		says(edges, talk);
		says(unseen, "0 0");
	}
}

/* Who wrote what the last of three was told: a, b or c. */
static void three_clients(unsigned int first_ino, const int *accepted)
{
	static const char *const inputs[] = { "/a", "/b", "/c" };

	starts(true);
	for (unsigned int i = 1; i <= 3; i++) {
		runs(i, "/bin/client");
		reads(i, inputs[i - 1], 20 + i);
	}
	runs(4, "/bin/server");
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

/* Of one address, the first who connects is the first who is accepted; inodes know better. */
static void test_several_connected(void **state)
{
	static const char whose[] =
		"SELECT CAST(f.path AS TEXT) FROM access AS r JOIN access AS w ON w.version = r.version"
		" AND w.how = 2 JOIN access AS i ON i.exec = w.exec AND i.file"
		" JOIN file AS f ON f.id = i.file WHERE r.how = 1 AND r.class = 1 AND i.how = 1";
	static const int mixed[] = { 2, 3, 1 };

	(void)state;
	three_clients(0, NULL);
	says(whose, "/c");
	three_clients(70, mixed);
	says(whose, "/a");
}

/* What leads out of the trace, and only if anything went there or came from there. */
static void test_unseen(void **state)
{
	static const struct {
		int family, nread, nwrote;
		const char *unseen;
	} rows[] = {
		{ 1, -1, -1, "0" }, { 2, -1, -1, "0" }, { 1, 5, -1, "2" }, { 2, 5, -1, "2" },
		{ 1, -1, 5, "8" }, { 10, 5, 5, "10" },
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
	/* one that was there before it, and one that a call made that is not recorded */
	for (int fd = 0; fd < 6; fd++) {
		starts(true);
		runs(1, "/bin/a");
		opens(1, 4, "/x", RD, 41, 9);
		closes(1, fd == 4 ? 9 : fd, 8, -1);
		ends(1);
		says(unseen, fd < 4 ? "1" : "0");
	}
	/* one that is not connected at once */
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

/* Each file of its own source only, but for one that was written to, too. */
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
	/* from where nobody knows */
	opens(1, 4, "/to/d", NEW, 24, 0);
	copies(1, 9, 4);
	closes_copied(1, 4);
	ends(1);
	says(edges, "/to/a</a /to/b</a /to/b</b /to/c</etc/passwd");
	says("SELECT count(*) FROM copy WHERE input IS NULL", "1");
}

/* ---- descriptor 0 ---- */

/* What each program has read: "program<file". */
static const char read_by[] =
	"SELECT CAST(p.path AS TEXT) || '<' || CAST(f.path AS TEXT) FROM access AS a"
	" JOIN exec AS e ON e.id = a.exec JOIN file AS p ON p.id = e.program"
	" JOIN file AS f ON f.id = a.file WHERE a.how = 1 ORDER BY a.rowid";

/* A shell that forks by vfork has put it there before. */
static void lends_file(unsigned int task, const char *path)
{
	line(task, "Dup|oldfd=0,newfd=10,flags=0");
	opens(task, 3, path, RD, 11, 100);
	dups(task, 3, 0);
	closes(task, 3, -1, -1);
}

static void test_given_to_one(void **state)
{
	(void)state;
	/* opened behind the fork; what it runs in its place has it, too */
	starts(true);
	runs(1, "/bin/bash");
	forks(1, 2);
	lends_file(2, "/in");
	runs(2, "/bin/env");
	runs(2, "/bin/wc");
	ends(2);
	ends(1);
	says(read_by, "/bin/env</in /bin/wc</in");
	/* before it */
	starts(true);
	runs(1, "/bin/dash");
	lends_file(1, "/in");
	forks(1, 2);
	runs(2, "/bin/wc");
	dups(1, 10, 0);
	ends(2);
	ends(1);
	says(read_by, "/bin/wc</in");
	/* passed through by what runs others */
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
	/* it goes on under another number */
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

static void test_given_to_nobody(void **state)
{
	(void)state;
	/* the same one of several */
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
	/* of a shell that reads it itself */
	starts(true);
	runs(1, "/bin/dash");
	lends_file(1, "/in");
	forks(1, 2);
	runs(2, "/bin/cc");
	ends(2);
	closes(1, 0, 100, -1);
	ends(1);
	says(read_by, "/bin/dash</in");
	/* what is written, and what is no file */
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

/* What is read by a descriptor, as what: "data" if that is of the last file. */
static const char read_as[] =
	"SELECT w.word FROM access AS a JOIN word AS w ON w.of = 'class' AND w.number = a.class"
	" JOIN file AS f ON f.id = a.file WHERE a.how = 1 AND a.fd = 9";

struct reading {
	const char *program, *cwd, *words;	/* who */
	const char *path;			/* and what */
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
		/* by the loader, before anything else or later: a header, the rest is mapped */
		{ "/bin/a", "/w", "", "/usr/lib/libz.so.1", CLOEXEC, 90000, 832, "loader" },
		{ "/bin/a", "/w", "", "/usr/lib/libz.so.1", CLOEXEC, 90000, 900, "loader" },
		{ "/bin/a", "/w", "", "/w/hook.bin", CLOEXEC, 90000, 832, "loader" },
		{ "/bin/a", "/w", "", "/w/plugin.so", CLOEXEC, 90000, 1616, "loader" },
		/* whoever is told to reads it, and a linker reads whole blocks, or all */
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
		/* a linker's plugin is run by it, though an argument names it */
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
		/* nobody reads these without being told to */
		{ "/bin/a", "/w", "", "/etc/hostname", CLOEXEC, 100, 100, "data" },
		/* a word in a path says nothing */
		{ "/bin/a", "/w", "", "/w/gconv/g.c", RD, 100, 100, "data" },
		{ "/bin/a", "/w", "", "/w/etc/passwd", CLOEXEC, 100, 100, "data" },
		{ "/bin/perl", "/w", "", "/w/perl/a.txt", CLOEXEC, 100, 100, "data" },
		{ "/bin/python3.11", "/w", "", "/w/__pycache__/a.pyc", CLOEXEC, 100, 100, "data" },
		/* arguments do, and how it is opened: as the C library never does */
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
		/* a directory does not where the C library may have opened what is in it */
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
		/* of another one, or no library; of the tree that is worked on; asked for */
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
		/* its own file: run, and read if it is told to */
		{ "/bin/cp", "/w", "x y", "/bin/cp", RD, 900, 900, "program" },
		{ "/bin/cp", "/w", "/bin/cp y", "/bin/cp", RD, 900, 900, "data" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		read_so(&rows[i]);
}

/* What was made here, or is handed to another program, is data, whatever its name. */
static void test_handed_over(void **state)
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
	says(read_as, "data data config data data");
}

/* ---- what is odd ---- */

static void test_tmpfile(void **state)
{
	(void)state;
	/* a file without a name, in a directory: that is not what is written */
	starts(true);
	runs(1, "/bin/a");
	opens(1, 3, "/tmp", RDWR | TMPFILE, 11, 0);
	closes(1, 3, -1, 100);
	reads(1, "/in.c", 12);
	writes(1, "/a.o", 13);
	ends(1);
	says(edges, "/a.o</in.c");
}

/* A file without a name gets one, through its descriptor. */
static void test_tmpfile_linked(void **state)
{
	static const struct {
		const char *from;
		int flags;
	} ways[] = {
		{ "/proc/self/fd/3", 0x400 }, { "/proc/101/fd/3", 0x400 }, { "/dev/fd/3", 0x400 },
		{ "", 0x1000 }, { "/tmp/#11 (deleted)", 0x1000 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(ways) / sizeof(ways[0]); i++) {
		starts(true);
		runs(1, "/bin/a");
		reads(1, "/in.c", 12);
		opens(1, 3, "/tmp/#11 (deleted)", RDWR | TMPFILE, 11, 0);
		links_at(1, ways[i].from, ways[i].flags, "/out.o");
		closes(1, 3, -1, 100);
		runs(1, "/bin/b");
		reads(1, "/out.o", 11);
		writes(1, "/app", 13);
		ends(1);
		says(makers, "/out.o=/bin/a");
		says(edges, "/app</out.o /out.o</in.c");
	}
	/* one of several, and nothing tells which: whoever gave the name made it */
	starts(true);
	runs(1, "/bin/a");
	opens(1, 3, "/tmp/#11 (deleted)", RDWR | TMPFILE, 11, 0);
	opens(1, 4, "/tmp/#12 (deleted)", RDWR | TMPFILE, 12, 0);
	links_at(1, "", 0x1000, "/out.o");
	ends(1);
	says(makers, "/out.o=/bin/a");
	says("SELECT coalesce(ino, 0) FROM final JOIN version AS v ON v.id = final.version"
	     " JOIN file AS f ON f.id = final.file WHERE CAST(f.path AS TEXT) = '/out.o'", "0");
}

/* A number is only as long as its string, whatever stood there before. */
static void test_descriptor_name(void **state)
{
	(void)state;
	starts(true);
	runs(1, "/bin/a");
	line(1, "Pipe|fd1=1,fd2=4,flags=0");
	line(1, "Pipe|fd1=12,fd2=13,flags=0");
	for (int i = 0; i < 2; i++) {
		line(1, "Open|fnamesize=8,forigsize=%d,flags=0,mode=0,fd=%d", 10 - i, 20 + i);
		line(1, "FN|pipe:[5]");
		line(1, "FO|/dev/fd/%s", i ? "1" : "12");
	}
	closes(1, 21, 10, -1);
	ends(1);
	says("SELECT version FROM access WHERE how = 1",
	     "2");
}

/* A FIFO that everybody has closed is empty for whoever opens it next. */
static void test_fifo_again(void **state)
{
	(void)state;
	starts(true);
	runs(1, "/bin/sh");
	named(1, "Mknod", ",mode=4516,dev=0", "KN", "/g");
	for (unsigned int i = 0; i < 2; i++) {
		forks(1, 2 + 2 * i);
		forks(1, 3 + 2 * i);
		runs(2 + 2 * i, "/bin/from");
		reads(2 + 2 * i, i ? "/in2" : "/in1", 11 + i);
		runs(3 + 2 * i, "/bin/to");
		opens(2 + 2 * i, 3, "/g", WR, 0, 0);
		opens(3 + 2 * i, 3, "/g", RD, 0, 0);
		closes(2 + 2 * i, 3, -1, 100);
		writes(3 + 2 * i, i ? "/out2" : "/out1", 21 + i);
		closes(3 + 2 * i, 3, 100, -1);
		ends(2 + 2 * i);
		ends(3 + 2 * i);
	}
	ends(1);
	says(edges, "-</in1 /g</in2 /out1<(/g) /out2</g");
}

/* A thread calls execve: the process goes on, under the leader's number. */
static void test_thread_runs(void **state)
{
	(void)state;
	starts(true);
	runs(1, "/bin/a");
	forks_by(1, 2, 0x10000 | 0x400);
	reads(2, "/in.c", 11);
	writes(1, "/a.o", 12);
	ends(1);
	ends(2);
	says(edges, "/a.o</in.c");
	says(ends_of, "/bin/a exit");
}

/* The end of the trace is missing: what is open has been used, and that is said. */
static void test_no_end(void **state)
{
	(void)state;
	starts(true);
	runs(1, "/bin/a");
	reads(1, "/in.c", 11);
	writes(1, "/a.o", 12);
	says(ends_of, "/bin/a open");
	says(edges, "/a.o</in.c");
	buf_adds(&text, "4194405,0,12,5!Open|fnamesize=9,for");
	says(whole, "0");
}

/* Names are bytes. */
static void test_hostile(void **state)
{
	char path[400] = "/long";

	(void)state;
	memset(path + 5, 'x', sizeof(path) - 6);
	path[sizeof(path) - 1] = '\0';
	starts(true);
	runs(1, "/bin/a");
	reads(1, "/<script>'\";--\xff\xfe", 11);
	reads(1, path, 12);
	writes(1, "/a.o", 13);
	ends(1);
	says("SELECT count(*) || ' ' || max(length(path)) FROM file", "5 399");
	says("SELECT hex(path) FROM file WHERE CAST(path AS TEXT) LIKE '/<%'",
	     "2F3C7363726970743E27223B2D2DFFFE");
}

/* An argument may be empty. */
static void test_empty(void **state)
{
	(void)state;
	starts(true);
	runs(1, "");
	ends(1);
	says("SELECT count(*) || ' ' || typeof(s) FROM string", "1 blob");
	says("SELECT args FROM exec WHERE args IS NOT NULL", "[1]");
}

static int over(void **state)
{
	(void)state;
	buf_free(&text);
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_roots), cmocka_unit_test(test_present_roots),
		cmocka_unit_test(test_scripts), cmocka_unit_test(test_applets), cmocka_unit_test(test_asked_in_root),
		cmocka_unit_test(test_inherited), cmocka_unit_test(test_cloexec),
		cmocka_unit_test(test_shared_table), cmocka_unit_test(test_unknown_origin),
		cmocka_unit_test(test_empty_original),
		cmocka_unit_test(test_rename_over), cmocka_unit_test(test_exchange),
		cmocka_unit_test(test_hard_link), cmocka_unit_test(test_hard_link_renamed),
		cmocka_unit_test(test_hard_link_of_before),
		cmocka_unit_test(test_hard_link_looked_at),
		cmocka_unit_test(test_late_writer), cmocka_unit_test(test_late_name),
		cmocka_unit_test(test_identified), cmocka_unit_test(test_identified_late),
		cmocka_unit_test(test_identified_program),
		cmocka_unit_test(test_socketpair), cmocka_unit_test(test_connected),
		cmocka_unit_test(test_several_connected), cmocka_unit_test(test_unseen),
		cmocka_unit_test(test_copies), cmocka_unit_test(test_given_to_one),
		cmocka_unit_test(test_given_to_nobody),
		cmocka_unit_test(test_symlink), cmocka_unit_test(test_tmpfile_linked),
		cmocka_unit_test(test_descriptor_name), cmocka_unit_test(test_fifo_again),
		cmocka_unit_test(test_directory_renamed),
		cmocka_unit_test(test_inode_again), cmocka_unit_test(test_removed),
		cmocka_unit_test(test_changed), cmocka_unit_test(test_order),
		cmocka_unit_test(test_shared_objects), cmocka_unit_test(test_files_of_the_system),
		cmocka_unit_test(test_interpreters), cmocka_unit_test(test_handed_over),
		cmocka_unit_test(test_pipe), cmocka_unit_test(test_tmpfile),
		cmocka_unit_test(test_thread_runs), cmocka_unit_test(test_no_end),
		cmocka_unit_test(test_hostile), cmocka_unit_test(test_empty),
	};

	return cmocka_run_group_tests(tests, NULL, over);
}
