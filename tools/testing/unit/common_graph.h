/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Makes databases of small traces, and compares them with what is expected: test_graph.c and
 * test_uses.c check the rules of etrace-db(5).
 */
#ifndef COMMON_GRAPH_H
#define COMMON_GRAPH_H

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
static bool uses;	/* whether the trace records which descriptors were read and written */

/* The tasks: 1 to 9. */
static inline unsigned long upid(unsigned int task)
{
	return ((unsigned long)task << 22) + 100 + task;
}

__attribute__((format(printf, 2, 3)))
static inline void line(unsigned int task, const char *fmt, ...)
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

static inline void starts(bool with_uses)
{
	text.len = now = 0;
	uses = with_uses;
}

/* @words: arguments after the program's name, separated by spaces */
static inline void runs_with(unsigned int task, const char *program, const char *cwd,
			     const char *words)
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

static inline void runs(unsigned int task, const char *program)
{
	runs_with(task, program, "/", "");
}

static inline void forks_by(unsigned int task, unsigned int child, unsigned int flags)
{
	line(task, "SysClone|flags=%u", flags);
	line(task, "SchedFork|pid=%lu", upid(child));
}

static inline void forks(unsigned int task, unsigned int child)
{
	forks_by(task, child, 17);
}

static inline void ends(unsigned int task)
{
	line(task, "Exit|status=0");
}

/* @ino: 0 if the trace does not record it */
static inline void opens(unsigned int task, int fd, const char *path, int flags, unsigned int ino,
		  unsigned int size)
{
	line(task, "Open|fnamesize=%zu,forigsize=%zu,flags=%d,mode=0,fd=%d", strlen(path),
	     strlen(path), flags, fd);
	line(task, "FN|%s", path);
	line(task, "FO|%s", path);
	if (ino && uses)
		line(task, "OpenFile|dev=1,ino=%u,size=%u,mtime=5,type=32768", ino, size);
}

static inline void closes(unsigned int task, int fd, int nread, int nwrote)
{
	line(task, "Close|fd=%d", fd);
	if (nread >= 0 && uses)
		line(task, "CloseRead|bytes=%d", nread);
	if (nwrote >= 0 && uses)
		line(task, "CloseWrote|bytes=%d", nwrote);
}

static inline void reads(unsigned int task, const char *path, unsigned int ino)
{
	opens(task, 7, path, RD, ino, 100);
	closes(task, 7, 100, -1);
}

static inline void writes(unsigned int task, const char *path, unsigned int ino)
{
	opens(task, 8, path, NEW, ino, 0);
	closes(task, 8, -1, 100);
}

static inline void two(unsigned int task, const char *what, const char *a, const char *from,
		const char *b, const char *to)
{
	line(task, "%sFrom|fnamesize=%zu%s", what, strlen(from),
	     strcmp(what, "Rename2") ? "" : ",flags=2");
	line(task, "%s|%s", a, from);
	line(task, "%sTo|fnamesize=%zu", strncmp(what, "Rename", 6) ? "Link" : "Rename", strlen(to));
	line(task, "%s|%s", b, to);
}

static inline void renames(unsigned int task, const char *from, const char *to)
{
	two(task, "Rename", "RF", from, "RT", to);
}

static inline void exchanges(unsigned int task, const char *from, const char *to)
{
	two(task, "Rename2", "RF", from, "RT", to);
}

static inline void links(unsigned int task, const char *from, const char *to)
{
	two(task, "Link", "LF", from, "LT", to);
}

static inline void removes(unsigned int task, const char *path)
{
	line(task, "Unlink|fnamesize=%zu,dir=0", strlen(path));
	line(task, "UN|%s", path);
}

static inline void dups(unsigned int task, int from, int to)
{
	line(task, "Dup|oldfd=%d,newfd=%d,flags=0", from, to);
}

/* Events whose first line has nothing but a name and some numbers. */
static inline void named(unsigned int task, const char *what, const char *numbers, const char *tag,
		  const char *path)
{
	line(task, "%s|fnamesize=%zu%s", what, strlen(path), numbers);
	line(task, "%s|%s", tag, path);
}

static inline void stats(unsigned int task, const char *path)
{
	named(task, "Stat", ",flags=0", "PS", path);
}

static inline void receives(unsigned int task, int fd, const char *path)
{
	char numbers[32];

	snprintf(numbers, sizeof(numbers), ",fd=%d,cloexec=0", fd);
	named(task, "Received", numbers, "RP", path);
}

static inline void symlinks(unsigned int task, const char *target, const char *path)
{
	line(task, "Symlink|targetnamesize=%zu,linknamesize=%zu", strlen(target), strlen(path));
	line(task, "ST|%s", target);
	line(task, "SL|%s", path);
}

/* Link with linkat and flags. */
static inline void links_at(unsigned int task, const char *from, int flags, const char *to)
{
	line(task, "LinkatFrom|fnamesize=%zu,flags=%d", strlen(from), flags);
	line(task, "LF|%s", from);
	line(task, "LinkTo|fnamesize=%zu", strlen(to));
	line(task, "LT|%s", to);
}

/* ---- what the database has ---- */

/* What was made from what: "out<in" for each pair.  Each by its last name, - if it has none. */
static const char edges[] =
	"WITH n AS (SELECT version, min(CAST(path AS TEXT)) AS path FROM final JOIN file"
	" ON file.id = final.file WHERE version IS NOT NULL GROUP BY version)"
	" SELECT DISTINCT coalesce(o.path, '-') || '<' || coalesce(i.path,"
	" (SELECT '(' || CAST(file.path AS TEXT) || ')' FROM version AS v JOIN file"
	" ON file.id = v.file WHERE v.id = input), '-') AS pair FROM edge"
	" LEFT JOIN n AS o ON o.version = output LEFT JOIN n AS i ON i.version = input"
	" WHERE class IN (0, 1) ORDER BY pair";

/* Which program made the file that ends up under each name: "name=program". */
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

static inline struct db *made(struct diag *diag)
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

static inline void says(const char *query, const char *expected)
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

static inline int over(void **state)
{
	(void)state;
	buf_free(&text);
	return 0;
}

#endif
