// SPDX-License-Identifier: GPL-2.0
/* What failed in a build: small builds, and which kind of failure each program is. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "answers/failures.h"
#include "db/write.h"
#include "build/build.h"

#define ROWS	16u
#define NEVER	0	/* still running when the trace ends */

/* A row's parent if it is no process of its own: the process of row @i becomes this program. */
#define BECOMES(i)	((i) + 100u)

/* A process that runs one program, in order of their starts: exec 1, 2, ... */
struct row {
	unsigned int parent;	/* its row, counted from 1; 0 if none */
	unsigned int at, until;	/* in ms */
	const char *command;
	int status, signal;
	const char *kind;	/* expected; NULL if it did not fail */
	/*
	 * path: a file that it did not find; "|": its caller reads its output;
	 * else: it prints this
	 */
	const char *missed;
};

struct build_of_rows {
	const char *name;
	struct row rows[ROWS];
	const char *text;	/* part of the line; NULL: the build did not fail */
};

static const struct build_of_rows builds[] = {
	{ "one chain", {
		{ 0, 1, 90, "/bin/make", 2, 0, "passed on", NULL },
		{ 1, 2, 80, "/bin/sh -c gcc", 1, 0, "passed on", NULL },
		{ 2, 3, 70, "/bin/gcc -c parse.c", 1, 0, "passed on", NULL },
		{ 3, 4, 60, "/lib/cc1 parse.c -o x.s", 1, 0, "first", NULL },
	}, "cc1 failed first, on parse.c, with exit status 1 (/bin/gcc -c parse.c in /src); 2 more" },
	{ "a script passes a status on in a subshell: (exit $status)", {
		{ 0, 1, 90, "/bin/make", 2, 0, "passed on", NULL },
		{ 1, 2, 80, "/bin/sh ./libtool", 1, 0, "passed on", NULL },
		{ 2, 3, 40, "/bin/gcc -o a a.o", 1, 0, "passed on", NULL },
		{ 3, 4, 30, "/bin/ld -o a a.o", 1, 0, "first", NULL },
		{ 2, 41, 50, "", 1, 0, "passed on", NULL },
	}, "ld failed first, on a, with exit status 1 (/bin/gcc -o a a.o in /src); 2 more" },
	{ "a subshell with a status of its own", {
		{ 0, 1, 90, "/bin/sh ./x", 3, 0, "passed on", NULL },
		{ 1, 2, 10, "/bin/cp a b", 1, 0, "ignored", NULL },
		{ 1, 11, 20, "", 3, 0, "first", NULL },
	}, "sh failed first" },
	{ "a subshell fails after the script has continued", {
		{ 0, 1, 90, "/bin/sh ./x", 1, 0, "passed on", NULL },
		{ 1, 2, 10, "/bin/cp a b", 1, 0, "ignored", NULL },
		{ 1, 11, 20, "/bin/cp c d", 0, 0, NULL, NULL },
		{ 1, 21, 30, "", 1, 0, "first", NULL },
	}, "sh failed first" },
	{ "a subshell that ran the failed command", {
		{ 0, 1, 90, "/bin/sh ./x", 1, 0, "passed on", NULL },
		{ 1, 2, 10, "/bin/cp a b", 1, 0, "ignored", NULL },
		{ 1, 11, 40, "", 1, 0, "passed on", NULL },
		{ 3, 12, 30, "/bin/mv c d", 1, 0, "first", NULL },
	}, "mv failed first" },
	{ "make -k", {
		{ 0, 1, 90, "/bin/make -k", 2, 0, "passed on", NULL },
		{ 1, 2, 10, "/bin/cp a b", 1, 0, "first", NULL },
		{ 1, 11, 20, "/bin/cp c d", 0, 0, NULL, NULL },
		{ 1, 21, 30, "/bin/cp e f", 3, 0, "real", NULL },
	}, "cp failed first" },
	{ "a failure that make ignores", {
		{ 0, 1, 90, "/bin/make", 2, 0, "passed on", NULL },
		{ 1, 2, 10, "/bin/rm a", 1, 0, "ignored", NULL },
		{ 1, 11, 20, "/bin/cp c d", 1, 0, "first", NULL },
	}, "cp failed first" },
	{ "jobs whose failure ends their recipes", {
		{ 0, 1, 90, "/bin/make -j3", 2, 0, "passed on", NULL },
		{ 1, 2, 30, "/bin/cp a b", 1, 0, "first", NULL },
		{ 1, 3, 40, "/bin/sleep 1", 0, 0, NULL, NULL },
		{ 1, 4, 42, "/bin/sleep 2", 0, 0, NULL, NULL },
		{ 1, 41, 50, "/bin/touch c", 0, 0, NULL, NULL },
		{ 1, 43, 60, "/bin/touch d", 0, 0, NULL, NULL },
	}, "cp failed first" },
	{ "recipes of many lines continue after failures", {
		{ 0, 1, 90, "/bin/make -j3", 2, 0, "passed on", NULL },
		{ 1, 2, 10, "/bin/cp a b", 1, 0, "first", NULL },
		{ 1, 3, 20, "/bin/touch 1", 0, 0, NULL, NULL },
		{ 1, 21, 22, "/bin/touch 2", 0, 0, NULL, NULL },
		{ 1, 23, 24, "/bin/touch 3", 0, 0, NULL, NULL },
		{ 1, 25, 26, "/bin/touch 4", 0, 0, NULL, NULL },
		{ 1, 27, 28, "/bin/touch 5", 0, 0, NULL, NULL },
		{ 1, 29, 30, "/bin/touch 6", 0, 0, NULL, NULL },
		{ 1, 31, 32, "/bin/touch 7", 0, 0, NULL, NULL },
		{ 1, 33, 34, "/bin/touch 8", 0, 0, NULL, NULL },
		{ 1, 35, 36, "/bin/touch 9", 0, 0, NULL, NULL },
		{ 1, 37, 38, "/bin/touch 10", 0, 0, NULL, NULL },
		{ 1, 39, 40, "/bin/touch 11", 0, 0, NULL, NULL },
		{ 1, 41, 42, "/bin/touch 12", 0, 0, NULL, NULL },
		{ 1, 43, 44, "/bin/touch 13", 0, 0, NULL, NULL },
	}, "cp failed first" },
	{ "make -j ignores one failure, but not the next", {
		{ 0, 1, 90, "/bin/make -j2", 2, 0, "passed on", NULL },
		{ 1, 2, 10, "/bin/rm a", 1, 0, "ignored", NULL },
		{ 1, 3, 40, "/bin/sleep 1", 0, 0, NULL, NULL },
		{ 1, 11, 20, "/bin/cp a b", 1, 0, "first", NULL },
	}, "cp failed first" },
	{ "a job that started before make noticed the failure", {
		{ 0, 1, 90, "/bin/make -j2", 2, 0, "passed on", NULL },
		{ 1, 2, 10, "/bin/cp a b", 1, 0, "first", NULL },
		{ 1, 11, 20, "/bin/touch c", 0, 0, NULL, NULL },
	}, "cp failed first" },
	{ "a job that started before a sub-make noticed the failure", {
		{ 0, 1, 90, "/bin/make --jobs=2", 2, 0, "passed on", NULL },
		{ 1, 2, 80, "/bin/make -C x", 2, 0, "passed on", NULL },
		{ 2, 3, 10, "/bin/cp a b", 1, 0, "first", NULL },
		{ 2, 11, 20, "/bin/touch c", 0, 0, NULL, NULL },
	}, "cp failed first" },
	{ "make -k with one ignored failure", {
		{ 0, 1, 90, "/bin/make -k", 2, 0, "passed on",
		  "make: [Makefile:3: a] Error 1 (ignored)\nmake: *** [Makefile:5: b] Error 1\n"
		  "make: *** [Makefile:5: b] Deleting file 'b'\n" },
		{ 1, 2, 10, "/bin/rm a", 1, 0, "ignored", NULL },
		{ 1, 11, 20, "/bin/cp a b", 1, 0, "first", NULL },
	}, "cp failed first" },
	{ "ctest with an expected failure and a skipped test", {
		{ 0, 1, 90, "/bin/ctest", 8, 0, "passed on",
		  "1/3 Test #1: a ....   Passed    0.05 sec\n2/3 Test #2: b ....***Skipped   0.00 sec\n"
		  "3/3 Test #3: c ....***Failed    0.10 sec\n" },
		{ 1, 2, 10, "/bin/a", 1, 0, "ignored", NULL },
		{ 1, 11, 20, "/bin/b", 77, 0, "ignored", NULL },
		{ 1, 21, 30, "/bin/c", 1, 0, "first", NULL },
	}, "c failed first" },
	{ "make prints which errors it ignores, without -i or -k in its arguments", {
		{ 0, 1, 90, "/bin/make", 2, 0, "passed on",
		  "make: *** [Makefile:3: a] Error 1\nmake: [Makefile:4: b] Error 1 (ignored)\n"
		  "make: *** [Makefile:5: c] Error 1\n" },
		{ 1, 2, 10, "/bin/cp a b", 1, 0, "first", NULL },
		{ 1, 11, 20, "/bin/rm a", 1, 0, "ignored", NULL },
		{ 1, 21, 30, "/bin/mv a b", 1, 0, "real", NULL },
	}, "cp failed first" },
	{ "make -k in MAKEFLAGS of a sub-make", {
		{ 0, 1, 90, "/bin/make -k", 2, 0, "passed on", NULL },
		{ 1, 2, 80, "/bin/sh -c 'cd x; make'", 2, 0, "passed on", NULL },
		{ 2, 3, 70, "/bin/make", 2, 0, "passed on", NULL },
		{ 3, 4, 10, "/bin/cp a b", 1, 0, "first", NULL },
		{ 3, 11, 20, "/bin/mv a b", 1, 0, "real", NULL },
	}, "cp failed first" },
	{ "make -i itself fails", {
		{ 0, 1, 90, "/bin/make -i", 2, 0, "first", NULL },
		{ 1, 2, 10, "/bin/cp a b", 1, 0, "ignored", NULL },
	}, "make failed first" },
	{ "make itself fails after a $(shell) failed", {
		{ 0, 1, 90, "/bin/make", 2, 0, "first", NULL },
		{ 1, 2, 10, "/bin/git describe", 128, 0, "ignored", "|" },
	}, "make failed first" },
	{ "make -k, and a $(shell) that failed", {
		{ 0, 1, 90, "/bin/make -k", 2, 0, "passed on", NULL },
		{ 1, 2, 10, "/bin/git describe", 128, 0, "ignored", "|" },
		{ 1, 11, 20, "/bin/cp a b", 1, 0, "first", NULL },
	}, "cp failed first" },
	{ "make itself fails: the failed job was not the last one", {
		{ 0, 1, 90, "/bin/make", 2, 0, "first", NULL },
		{ 1, 2, 10, "/bin/cp a b", 1, 0, "ignored", NULL },
		{ 1, 11, 20, "/bin/touch c", 0, 0, NULL, NULL },
	}, "make failed first" },
	{ "a job that ends after make according to the trace", {
		{ 0, 1, 50, "/bin/make -j2", 2, 0, "passed on", NULL },
		{ 1, 2, 51, "/bin/cp a b", 1, 0, "first", NULL },
		{ 1, 3, 20, "/bin/touch c", 0, 0, NULL, NULL },
	}, "cp failed first" },
	{ "a command that ends after its script, which did not wait for it", {
		{ 0, 1, 50, "/bin/sh build.sh", 3, 0, "first", NULL },
		{ 1, 2, 51, "/bin/cp a b", 1, 0, "ignored", NULL },
	}, "sh failed first" },
	{ "a job whose exit is missing in the trace", {
		{ 0, 1, 90, "/bin/make -j2", 2, 0, "passed on", NULL },
		{ 1, 2, NEVER, "/bin/cp a b", 0, 0, "first", NULL },
		{ 1, 3, 20, "/bin/touch c", 0, 0, NULL, NULL },
	}, "cp failed first, on b, with an unknown status (" },
	{ "a compiler whose exit is missing in the trace, and that lacked a file", {
		{ 0, 1, 90, "/bin/make -j2", 2, 0, "passed on", NULL },
		{ 1, 2, NEVER, "/bin/gcc -c a.c", 0, 0, "first", "/usr/include/x.h" },
	}, "gcc failed first, on a.c, with an unknown status: /usr/include/x.h was not found" },
	{ "a shell whose exit is missing, above a failed job", {
		{ 0, 1, 90, "/bin/make -j2", 2, 0, "passed on", NULL },
		{ 1, 2, NEVER, "/bin/sh -c cp", 0, 0, "passed on", NULL },
		{ 2, 3, 10, "/bin/cp a b", 1, 0, "first", NULL },
		{ 1, 4, 20, "/bin/touch c", 0, 0, NULL, NULL },
	}, "cp failed first, on b, with exit status 1" },
	{ "two jobs whose exits are missing: either may have failed", {
		{ 0, 1, 90, "/bin/make -j2", 2, 0, "first", NULL },
		{ 1, 2, NEVER, "/bin/cp a b", 0, 0, NULL, NULL },
		{ 1, 3, NEVER, "/bin/cp c d", 0, 0, NULL, NULL },
	}, "make failed first" },
	{ "make is killed while it waits for the other jobs", {
		{ 0, 1, 90, "/bin/make -j3", 0, 15, "passed on", NULL },
		{ 1, 2, 10, "/bin/cp a b", 1, 0, "first", NULL },
		{ 1, 3, 20, "/bin/sleep 1", 0, 0, NULL, NULL },
		{ 1, 4, 89, "/bin/sleep 9", 0, 15, "followed", NULL },
	}, "cp failed first" },
	{ "make is killed, and a job exits because of that", {
		{ 0, 1, 90, "/bin/make -j3", 0, 2, "first", NULL },
		{ 1, 3, 20, "/bin/sleep 1", 0, 0, NULL, NULL },
		{ 1, 4, 88, "/bin/python3 a.py", 1, 0, "ignored", NULL },
		{ 1, 5, 89, "/bin/sleep 9", 0, 2, "ignored", NULL },
	}, "make failed first, with SIGINT" },
	{ "a compiler is killed while other jobs run", {
		{ 0, 1, 90, "/bin/make -j3", 2, 0, "passed on", NULL },
		{ 1, 2, 31, "/bin/gcc -c a.c", 1, 0, "passed on", NULL },
		{ 2, 3, 30, "/lib/cc1 a.c", 0, 9, "first", NULL },
		{ 1, 4, 32, "/bin/gcc -c b.c", 0, 0, NULL, NULL },
		{ 1, 5, 80, "/bin/gcc -c c.c", 0, 0, NULL, NULL },
		{ 1, 33, 40, "/bin/touch b", 0, 0, NULL, NULL },
	}, "cc1 failed first, on a.c, with SIGKILL" },
	{ "probes", {
		{ 0, 1, 90, "/bin/make", 2, 0, "passed on", NULL },
		{ 1, 2, 30, "/bin/sh ./configure", 0, 0, NULL, NULL },
		{ 2, 3, 10, "/bin/gcc conftest.c", 1, 0, "passed on", NULL },
		{ 3, 4, 9, "/lib/cc1 conftest.c", 1, 0, "probe", NULL },
		{ 2, 12, 14, "/bin/grep x y", 1, 0, "probe", NULL },
		{ 1, 31, 40, "/lib/test_words", 1, 0, "first", NULL },
	}, "test_words failed first" },
	{ "configure itself fails", {
		{ 0, 1, 90, "/bin/sh ./configure", 77, 0, "first", NULL },
		{ 1, 2, 10, "/bin/gcc conftest.c", 1, 0, "probe", NULL },
	}, "with exit status 77" },
	{ "a shell that runs configure and make", {
		{ 0, 1, 90, "/bin/sh -c './configure && make'", 2, 0, "passed on", NULL },
		{ 1, 2, 10, "/bin/sh ./configure", 0, 0, NULL, NULL },
		{ 1, 11, 50, "/bin/make", 2, 0, "passed on", NULL },
		{ 3, 12, 20, "/bin/cp a b", 1, 0, "first", NULL },
	}, "cp failed first" },
	{ "subshells of configure are probes", {
		{ 0, 1, 90, "/bin/sh ./configure", 77, 0, "first", NULL },
		{ 1, 2, 10, "", 127, 0, "probe", NULL },
	}, "with exit status 77" },
	{ "a shell replaces itself by its last command", {
		{ 0, 1, NEVER, "/bin/sh -c 'cp a b; gcc -c a.c'", 0, 0, NULL, NULL },
		{ 1, 2, 10, "/bin/cp a b", 1, 0, "ignored", NULL },
		{ BECOMES(1), 11, 80, "/bin/gcc -c a.c", 1, 0, "passed on", NULL },
		{ 3, 12, 20, "/lib/cc1 a.c", 1, 0, "first", NULL },
	}, "cc1 failed first, on a.c, with exit status 1 (/bin/gcc -c a.c in" },
	{ "a shell's last command lacks the output of an earlier one", {
		{ 0, 1, NEVER, "/bin/sh -c 'gcc -c a.c; gcc a.o'", 0, 0, NULL, NULL },
		{ 1, 2, 10, "/bin/gcc -c a.c", 1, 0, "first", NULL },
		{ BECOMES(1), 11, 80, "/bin/gcc a.o", 1, 0, "passed on", NULL },
		{ 3, 12, 20, "/bin/ld a.o", 1, 0, "followed", "/src/a.o" },
	}, "gcc failed first, on a.c, with exit status 1 (/bin/gcc -c a.c in" },
	{ "answers", {
		{ 0, 1, 90, "/bin/sh build.sh", 0, 0, NULL, NULL },
		{ 1, 2, 10, "/bin/grep x y", 1, 0, "answer", NULL },
		{ 1, 11, 12, "/bin/cp a b", 1, 0, "ignored", NULL },
	}, NULL },
	{ "the last command of a script decides its status", {
		{ 0, 1, 90, "/bin/sh build.sh", 1, 0, "passed on", NULL },
		{ 1, 2, 10, "/bin/rm a", 1, 0, "ignored", NULL },
		{ 1, 11, 12, "/bin/grep x y", 1, 0, "first", NULL },
	}, "grep failed first" },
	{ "an answer, and a script with a status of its own", {
		{ 0, 1, 90, "/bin/sh build.sh", 3, 0, "first", NULL },
		{ 1, 2, 10, "/bin/grep x y", 1, 0, "answer", NULL },
		{ 1, 11, 12, "/bin/cp a b", 0, 0, NULL, NULL },
	}, "sh failed first, on build.sh, with exit status 3" },
	{ "a script prints diagnostics after a failed make", {
		{ 0, 1, 90, "/bin/sh build.sh", 1, 0, "passed on", NULL },
		{ 1, 2, 10, "/bin/make", 2, 0, "passed on", NULL },
		{ 2, 3, 9, "/bin/cp a b", 3, 0, "first", NULL },
		{ 1, 11, 12, "/bin/date", 0, 0, NULL, NULL },
		{ 1, 13, 14, "/bin/df", 0, 0, NULL, NULL },
		{ 1, 15, 16, "/bin/env", 0, 0, NULL, NULL },
		{ 1, 17, 18, "/bin/uname", 0, 0, NULL, NULL },
	}, "cp failed first" },
	{ "a script prints diagnostics after another failed command", {
		{ 0, 1, 90, "/bin/sh build.sh", 1, 0, "first", NULL },
		{ 1, 2, 10, "/bin/cp a b", 3, 0, "ignored", NULL },
		{ 1, 11, 12, "/bin/date", 0, 0, NULL, NULL },
		{ 1, 13, 14, "/bin/df", 0, 0, NULL, NULL },
		{ 1, 15, 16, "/bin/env", 0, 0, NULL, NULL },
		{ 1, 17, 18, "/bin/uname", 0, 0, NULL, NULL },
	}, "sh failed first" },
	{ "a script stops its background process after a failure", {
		{ 0, 1, 90, "/bin/sh build.sh", 1, 0, "passed on", NULL },
		{ 1, 2, 50, "/bin/server", 0, 15, "followed", NULL },
		{ 1, 3, 10, "/bin/cp a b", 1, 0, "first", NULL },
	}, "cp failed first" },
	{ "a script stops a part of itself", {
		{ 0, 1, 90, "/bin/python3 build.py", 1, 0, "first", NULL },
		{ 1, 2, 50, "", 0, 15, "ignored", NULL },
	}, "python3 failed first" },
	{ "a worker that the kernel killed", {
		{ 0, 1, 90, "/bin/python3 build.py", 1, 0, "passed on", NULL },
		{ 1, 2, 50, "", 0, 9, "first", NULL },
	}, "python3 failed first, on build.py, with SIGKILL" },
	{ "workers, one of which reports how its command ended", {
		{ 0, 1, 90, "/bin/python3 build.py", 1, 0, "passed on", NULL },
		{ 1, 2, 80, "", 0, 15, "passed on", NULL },
		{ 2, 3, 10, "/bin/cp a b", 1, 0, "first", NULL },
		{ 1, 4, 80, "", 0, 15, "followed", NULL },
		{ 4, 5, 20, "/bin/cp c d", 2, 0, "ignored", NULL },
	}, "cp failed first" },
	{ "make -n, which only asks", {
		{ 0, 1, 90, "/bin/perl dh_auto_test", 2, 0, "passed on", NULL },
		{ 1, 2, 10, "/bin/make -sn test", 2, 0, "answer", NULL },
		{ 1, 11, 20, "/bin/make check", 2, 0, "passed on", NULL },
		{ 3, 12, 19, "/bin/cp a b", 1, 0, "first", NULL },
	}, "cp failed first" },
	{ "a configuring script", {
		{ 0, 1, 90, "/bin/python3 /bin/meson setup b", 1, 0, "first", NULL },
		{ 1, 2, 10, "/bin/pkg-config x", 1, 0, "probe", NULL },
		{ 1, 11, 20, "/bin/ld -o a a.o", 1, 0, "probe", NULL },
	}, "failed first" },
	{ "a script that runs tests", {
		{ 0, 1, 90, "/bin/python3 /bin/meson test", 1, 0, "passed on", NULL },
		{ 1, 2, 10, "/bin/cp a b", 1, 0, "first", NULL },
		{ 1, 11, 20, "/bin/cp c d", 2, 0, "real", NULL },
	}, "cp failed first" },
	{ "a command that something else stops", {
		{ 0, 1, 90, "/bin/sh build.sh", 1, 0, "passed on", NULL },
		{ 1, 2, 50, "/bin/cp a b", 0, 15, "first", NULL },
	}, "cp failed first" },
	{ "a loop in a script with several failures", {
		{ 0, 1, 90, "/bin/sh build.sh", 1, 0, "passed on", NULL },
		{ 1, 2, 10, "/bin/gcc -c a.c", 1, 0, "first", NULL },
		{ 1, 11, 20, "/bin/gcc -c b.c", 1, 0, "real", NULL },
	}, "on a.c" },
	{ "a command lacks the output of an earlier one", {
		{ 0, 1, 90, "/bin/sh build.sh", 1, 0, "passed on", NULL },
		{ 1, 2, 10, "/bin/gcc -c a.c", 1, 0, "first", NULL },
		{ 1, 11, 12, "/bin/gcc -c b.c", 0, 0, NULL, NULL },
		{ 1, 13, 20, "/bin/ar rc lib.a a.o b.o", 1, 0, "followed", "/src/a.o" },
	}, "gcc failed first, on a.c, with exit status 1 (/bin/gcc -c a.c in /src); 2 more" },
	{ "a command stopped because of the first failure", {
		{ 0, 1, 90, "/bin/xargs -P2 sh", 1, 0, "passed on", NULL },
		{ 1, 2, 30, "/bin/cp a b", 1, 0, "first", NULL },
		{ 1, 3, 40, "/bin/sleep 9", 0, 15, "followed", NULL },
	}, "; 2 more failed because of it" },
	{ "a time limit", {
		{ 0, 1, 90, "/bin/timeout 1 sleep 9", 124, 0, "passed on", NULL },
		{ 1, 2, 30, "/bin/sleep 9", 0, 15, "first", NULL },
	}, "sleep failed first, with SIGTERM, as it took too long" },
	{ "a time limit with SIGKILL", {
		{ 0, 1, 30, "/bin/timeout -s KILL 1 sleep 9", 0, 9, "passed on", NULL },
		{ 1, 2, 31, "/bin/sleep 9", 0, 9, "first", NULL },
	}, "sleep failed first, with SIGKILL" },
	{ "timeout is killed before its command", {
		{ 0, 1, 30, "/bin/timeout 1 sleep 9", 0, 9, "first", NULL },
		{ 1, 2, 31, "/bin/sleep 9", 0, 15, "followed", NULL },
	}, "timeout failed first, with SIGKILL" },
	{ "the build is interrupted", {
		{ 0, 1, 90, "/bin/make", 0, 2, "first", NULL },
		{ 1, 2, 80, "/bin/cp a b", 0, 2, "ignored", NULL },
	}, "make failed first, with SIGINT" },
	{ "three makes", {
		{ 0, 1, 90, "/bin/make", 2, 0, "passed on", NULL },
		{ 1, 2, 80, "/bin/make -C a", 2, 0, "passed on", NULL },
		{ 2, 3, 70, "/bin/make -C b", 2, 0, "passed on", NULL },
		{ 3, 4, 60, "/bin/cp a b", 1, 0, "first", NULL },
	}, "; 3 more failed because of it" },
	{ "the trace ends before the build", {
		{ 0, 1, NEVER, "/bin/make", 0, 0, "passed on", NULL },
		{ 1, 2, 30, "/bin/cp a b", 1, 0, "first", NULL },
	}, "cp failed first" },
	{ "nothing failed", {
		{ 0, 1, 90, "/bin/make", 0, 0, NULL, NULL },
		{ 1, 2, 30, "/bin/cp a b", 0, 0, NULL, NULL },
	}, NULL },
};

/* Attached to processes or a cgroup: there is no command with an exit status. */
static const struct build_of_rows attached[] = {
	{ "several processes, one of which fails", {
		{ 0, 1, NEVER, "/bin/daemon", 0, 0, NULL, NULL },
		{ 0, 2, 20, "/bin/make", 0, 0, NULL, NULL },
		{ 0, 3, 50, "/bin/make", 2, 0, "passed on", NULL },
		{ 3, 4, 40, "/bin/cp a b", 1, 0, "first", NULL },
	}, "cp failed first" },
	{ "an answer, and a shell that continues", {
		{ 0, 1, NEVER, "/bin/bash", 0, 0, NULL, NULL },
		{ 1, 2, 20, "/bin/grep x y", 1, 0, "answer", NULL },
		{ 0, 3, 30, "/bin/grep x y", 1, 0, "answer", NULL },
	}, NULL },
	{ "a failed build in a shell that continues", {
		{ 0, 1, NEVER, "/bin/bash", 0, 0, "passed on", NULL },
		{ 1, 2, 50, "/bin/make", 2, 0, "passed on", NULL },
		{ 2, 3, 40, "/bin/cp a b", 1, 0, "first", NULL },
	}, "cp failed first" },
	{ "the process succeeded", {
		{ 0, 1, 90, "/bin/sh build.sh", 0, 0, NULL, NULL },
		{ 1, 2, 50, "/bin/cp a b", 1, 0, "ignored", NULL },
	}, NULL },
};

/* A command that ended with status 2, and others in its cgroup. */
static const struct build_of_rows beside[] = {
	{ "a failure before the command started", {
		{ 0, 1, NEVER, "/bin/daemon", 0, 0, NULL, NULL },
		{ 0, 2, 20, "/bin/cp a b", 1, 0, "ignored", NULL },
		{ 0, 3, 50, "/bin/make", 2, 0, "passed on", NULL },
		{ 3, 4, 40, "/bin/cp a b", 1, 0, "first", NULL },
	}, "cp failed first" },
};

/* What a recording's session event says about its command. */
enum { NO_SESSION = -2, NO_COMMAND = -1 };

/* ---- events ---- */

static uint64_t upid(unsigned int row)
{
	return 100u + row;
}

/* The upid of a row, which is shared by rows that are one process. */
static uint64_t upid_of(const struct row *row, unsigned int i)
{
	return row->parent > ROWS ? row->parent : upid(i);
}

static void reset(struct et_event *ev, enum et_kind kind, uint64_t upid, unsigned int ms)
{
	et_reset(ev, kind, upid, 0, ms * 1000000ull);
}

static void misses(struct sink *sink, struct et_event *ev, const char *path, unsigned int i,
		   unsigned int ms, int error)
{
	reset(ev, ET_K_OPEN_FAILED, upid(i), ms);
	et_add_string(ev, ET_S_OPEN_FAILED_path, path, strlen(path));
	et_set_error(ev, error);
	sink_item(sink, ev);
}

static void prints(struct sink *sink, struct et_event *ev, uint64_t upid, int fd, const char *text)
{
	reset(ev, ET_K_OUTPUT, upid, 10);
	et_set(ev, ET_V_OUTPUT_fd, fd);
	et_set(ev, ET_V_OUTPUT_bytes, (int64_t)strlen(text));
	et_add_string(ev, ET_S_OUTPUT_text, text, strlen(text));
	sink_item(sink, ev);
}

/* A caller opens a pipe with descriptors 3 and 4. */
static void opens_pipe(struct sink *sink, struct et_event *ev, uint64_t upid, unsigned int ms)
{
	reset(ev, ET_K_PIPE, upid, ms);
	et_set(ev, ET_V_PIPE_fd1, 3);
	et_set(ev, ET_V_PIPE_fd2, 4);
	sink_item(sink, ev);
}

static void closes(struct sink *sink, struct et_event *ev, uint64_t upid, int fd, unsigned int ms)
{
	reset(ev, ET_K_CLOSE, upid, ms);
	et_set(ev, ET_V_CLOSE_fd, fd);
	sink_item(sink, ev);
}

static bool has_pipe(const struct row *row)
{
	return row->missed && *row->missed == '|';
}

static uint64_t caller_of(const struct row *row, unsigned int i)
{
	return upid_of(row - i + row->parent, row->parent);
}

static void forks(struct sink *sink, struct et_event *ev, const struct row *row, unsigned int i)
{
	uint64_t caller = caller_of(row, i);

	if (has_pipe(row))
		opens_pipe(sink, ev, caller, row->at);
	reset(ev, ET_K_CLONE, caller, row->at);
	et_set(ev, ET_V_CLONE_child, (int64_t)upid(i));
	sink_item(sink, ev);
	if (has_pipe(row))
		closes(sink, ev, caller, 4, row->at);
}

static void begins(struct sink *sink, struct et_event *ev, const struct row *row, unsigned int i)
{
	const char *s = row->command;
	size_t len = strcspn(s, " ");

	if (row->parent && row->parent <= ROWS)
		forks(sink, ev, row, i);
	if (!len)
		return;
	reset(ev, ET_K_EXEC, upid_of(row, i), row->at);
	et_add_string(ev, ET_S_EXEC_path, s, len);
	et_add_string(ev, ET_S_EXEC_cwd, "/src", 4);
	while (*s) {
		bool quoted = *s == '\'';

		s += quoted;
		len = strcspn(s, quoted ? "\'" : " ");
		et_add_arg(ev, s, len);
		s += len + (s[len] == '\'');
		s += *s == ' ';
	}
	sink_item(sink, ev);
	if (row->missed && *row->missed == '/')
		misses(sink, ev, row->missed, i, row->at, ENOENT);
	else if (row->missed && !has_pipe(row))
		prints(sink, ev, upid(i), 2, row->missed);
}

static void ends(struct sink *sink, struct et_event *ev, const struct row *row, unsigned int i)
{
	reset(ev, ET_K_EXIT, upid_of(row, i), row->until);
	et_set(ev, ET_V_EXIT_status, row->status);
	et_set(ev, ET_V_EXIT_signal, row->signal);
	sink_item(sink, ev);
	if (has_pipe(row))
		closes(sink, ev, caller_of(row, i), 3, row->until);
}

static void put_session(struct sink *sink, struct et_event *ev, int status)
{
	if (status == NO_SESSION)
		return;
	reset(ev, ET_K_SESSION, 0, 100);
	et_add_string(ev, ET_S_SESSION_backend, "module", 6);
	et_set(ev, ET_V_SESSION_complete, 1);
	if (status != NO_COMMAND)
		et_set(ev, ET_V_SESSION_status, status);
	sink_item(sink, ev);
}

static struct db *make_db(const struct row *rows, int status, struct diag *diag)
{
	struct db *db = db_create(NULL, diag);
	struct sink *sink = db_sink(db, 22, "test", diag);
	struct et_event ev;

	et_init(&ev);
	for (unsigned int ms = 1; ms < 100; ms++)
		for (unsigned int i = 1; i <= ROWS && rows[i - 1].command; i++) {
			if (rows[i - 1].at == ms)
				begins(sink, &ev, &rows[i - 1], i);
			if (rows[i - 1].until == ms)
				ends(sink, &ev, &rows[i - 1], i);
		}
	put_session(sink, &ev, status);
	et_fini(&ev);
	assert_int_equal(sink_end(sink), 0);
	sink_free(sink);
	return db;
}

/* ---- the test ---- */

static void check_kinds(const struct build_of_rows *of, const struct failures *f)
{
	for (unsigned int i = 1; i <= ROWS && of->rows[i - 1].command; i++) {
		const char *expected = of->rows[i - 1].kind, *got = failure_word(failures_kind(f, i));

		if (strcmp(got, expected ? expected : ""))
			fail_msg("%s: %s is '%s', expected '%s'", of->name, of->rows[i - 1].command, got,
				 expected ? expected : "");
	}
}

static void check_text(const struct build_of_rows *of, struct db *db, const struct failures *f)
{
	struct buf text = { 0 };

	failures_text(db, f, &text);
	buf_addc(&text, '\0');
	if (of->text ? !strstr(text.s, of->text) : *text.s != '\0')
		fail_msg("%s: '%s' does not contain '%s'", of->name, text.s, of->text ? of->text : "nothing");
	assert_int_equal(failures_failed(f), of->text != NULL);
	buf_free(&text);
}

static void check_builds(const struct build_of_rows *of, size_t n, int status)
{
	for (; n--; of++) {
		struct diag *diag = diag_new(stderr, "test");
		struct db *db = make_db(of->rows, status, diag);
		const struct failures *f = failures_of(db);

		check_kinds(of, f);
		check_text(of, db, f);
		db_close(db);
		diag_free(diag);
	}
}

static void test_kinds_of_failures(void **state)
{
	(void)state;
	check_builds(builds, sizeof(builds) / sizeof(*builds), NO_SESSION);
	check_builds(attached, sizeof(attached) / sizeof(*attached), NO_COMMAND);
	check_builds(beside, sizeof(beside) / sizeof(*beside), 2);
}

/* ---- what it printed, and what it did not find ---- */

/* One failed program, and what the line about it contains. */
static const struct {
	const char *command;
	int status, signal;
	const char *missed[3];
	const char *printed[2];	/* on descriptors 1 and 2 */
	const char *text;
} alone[] = {
	{ "/bin/sh configure", 1, 0, { NULL }, { "checking for cc... gcc\n", "\033[31merror: no nolib\033[0m\n" },
	  "exit status 1: \"error: no nolib\" (" },
	{ "/bin/tool a", 1, 0, { NULL }, { "gcc -Werror -c a.c\n", "a.c: bad\na.c: worse\n" },
	  ": \"a.c: worse\"" },
	{ "/bin/tool a", 1, 0, { NULL }, { "1c1\n< -Werror\n", NULL }, "exit status 1 (" },
	{ "/bin/tool a", 1, 0, { NULL }, { "ok 1\nTypeError: no function\nok 2\n", NULL },
	  ": \"TypeError: no function\"" },
	{ "/bin/tool a", 1, 0, { NULL }, { NULL, "error: password=abc\n" }, ": \"error: password=***\"" },
	{ "/bin/tar cf - no", 2, 0, { NULL }, { NULL, "tar: no: Cannot stat: No such file or directory\n" },
	  ": no was not found (" },
	{ "/bin/tool a", 1, 0, { NULL },
	  { NULL, "tool: load: cannot open shared object lib.so: lib.so: cannot open it: No such file or directory\n" },
	  ": lib.so was not found (" },
	{ "/bin/tool a", 0, 6, { NULL }, { NULL, "a: No such file or directory\ntool.c:3: a > 0 failed\n" },
	  "with SIGABRT: \"tool.c:3: a > 0 failed\"" },
	{ "/bin/tool a", 0, 6, { NULL }, { NULL, "out of memory\n" }, "with SIGABRT: it ran out of memory" },
	{ "/bin/python3 -c x", 1, 0, { NULL },
	  { NULL, "/opt/wrap: line 3: x: No such file or directory\nTraceback\nKeyError: y\n" },
	  ": \"KeyError: y\"" },
	{ "/bin/sh wrap", 1, 0, { NULL }, { NULL, "wrap: 3: cannot open x: No such file or directory\n" },
	  ": x was not found" },
	{ "/bin/node x", 1, 0, { "/src/package.json", NULL },
	  { NULL, "node:3\nError: Cannot find module './a b'\n" }, ": ./a b was not found" },
	{ "/bin/node x", 1, 0, { NULL }, { NULL, "throw new Error('y')\nError: y\n" }, ": \"Error: y\"" },
	{ "/bin/cmake .", 1, 0, { NULL }, { NULL, "CMake Error at x:5 (message):\n\n  no y\n" },
	  ": \"CMake Error at x:5 (message): no y\"" },
	{ "/bin/sh configure", 1, 0, { NULL }, { NULL, "error: in /x:\nerror: no cc\n" }, ": \"error: no cc\"" },
	{ "/bin/cc x.c", 1, 0, { NULL },
	  { NULL, "\033]0;error: t\a\033[1mx.c:1:\033[m\033[K \033[31m\033[Kerror: \033[mbad\n3\n" },
	  ": \"x.c:1: error: bad\"" },
	{ "/bin/cat x", 1, 0, { NULL }, { NULL, "cat: write error: No space left on device\n" },
	  ": no space is left (" },
	{ "/bin/cp x y", 1, 0, { NULL }, { NULL, "cp: error writing 'y': No space left on device\n" },
	  ": no space for y (" },
	{ "/bin/rustc x.rs", 1, 0, { NULL },
	  { NULL, "{\"message\":\"an error\",\"level\":\"warning\"}\n"
		  "{\"message\":\"no \\\"y\\\"\",\"level\":\"error\"}\n" },
	  ": \"no \"y\"\"" },
	{ "/bin/make -C y", 2, 0, { NULL }, { NULL, "make: *** y: No such file or directory.  Stop.\n" },
	  ": y was not found (" },
	/* cp looks whether its destination is a directory */
	{ "/bin/cp x y", 1, 0, { "/src/y", NULL }, { NULL }, "exit status 1 (" },
	{ "/bin/cp y x/y", 1, 0, { "/src/x/y", NULL }, { NULL }, "exit status 1 (" },
	{ "/bin/cp x y", 1, 0, { "/src/y", "/src/y" }, { NULL }, "exit status 1: y was not found (" },
	/* a file that was not found, and may not be the reason */
	{ "/bin/python3 x", 1, 0, { "/src/y", NULL }, { NULL, "ValueError: z\n" }, "1: \"ValueError: z\" (" },
	{ "/bin/python3 x", 1, 0, { "/src/y", NULL }, { NULL, "Error: no y\n" }, "1: y was not found (" },
	{ "/bin/python3 x", 1, 0, { "/src/y", NULL }, { NULL }, "1: probably because y was not found (" },
	{ "/bin/cat y", 1, 0, { "/src/y", NULL }, { NULL }, "1: y was not found (" },
	{ "/bin/git add y", 1, 0, { "/src/.git/index", NULL }, { NULL }, "exit status 1 (" },
	{ "/bin/cargo build", 1, 0, { "/src/benches", NULL }, { NULL }, "exit status 1 (" },
	{ "/bin/ld a.o -lfoo -lc", 1, 0, { "/lib/libc.so", "/lib/libfoo.so", "/lib/libfoo.a" }, { NULL },
	  ": libc.so was not found" },
	{ "/bin/ld a.o -l foo", 1, 0, { "/lib/libfoot.so", "/lib/libfoo.a", NULL }, { NULL },
	  ": libfoo.a was not found" },
	{ "/bin/sh -c ./x", 127, 0, { "/src/./x", NULL }, { NULL }, ": x or its interpreter was not found" },
	{ "/bin/sh -c './x; cat < y'", 127, 0, { "/src/./x", "/src/y" }, { NULL },
	  ": x or its interpreter was not found" },
	{ "/bin/sh -c '. ./y; x'", 127, 0, { "/src/y" }, { NULL }, ": a command was not found (" },
	{ "/bin/sh -c 'cat < y; x'", 127, 0, { "/src/y" }, { NULL }, ": x was probably not found (" },
	{ "/bin/sh -c 'read a < y; x'", 127, 0, { "/src/y" }, { NULL }, ": x was probably not found (" },
	{ "/bin/sh -c '$x'", 127, 0, { "/src/y" }, { NULL }, ": y or its interpreter was not found (" },
	{ "/bin/env x", 127, 0, { "/usr/bin/x", "/bin/x", NULL }, { NULL },
	  ": x is not installed, or not on the PATH" },
	/* a compiler looks for its input to quote it */
	{ "/lib/cc1 -", 1, 0, { "/usr/include/y.h", "/src/<stdin>", NULL }, { NULL }, "/y.h was not found (" },
	/* the dynamic loader */
	{ "/src/x", 127, 0, { "/lib/liby.so.1", "/usr/lib/liby.so.1", NULL }, { NULL },
	  ": liby.so.1 was not found (" },
	{ "/bin/sh -c x", 127, 0, { "/lib/liby.so.1", NULL }, { NULL }, ": x was probably not found (" },
	{ "/bin/tool a", 1, 0, { NULL }, { "tool: error: b\n", "bad\n" }, ": \"tool: error: b\" (" },
	{ "/bin/tool a", 1, 0, { NULL }, { "tool: error: b\n", "1 failed\n" }, ": \"1 failed\" (" },
	/* a shell that went on after a command that it did not find */
	{ "/bin/sh x", 1, 0, { NULL }, { NULL, "x: 1: y: not found\nx: error: z is too old\n" },
	  ": \"x: error: z is too old\" (" },
	{ "/bin/sh x", 1, 0, { NULL }, { NULL, "x: 1: y: not found\nthe build failed\n" },
	  ": y is not installed, or not on the PATH (" },
	{ "/bin/sh x", 127, 0, { NULL }, { NULL, "x: 1: y: not found\nx: error: it failed\n" },
	  ": y is not installed, or not on the PATH (" },
	/* which line is quoted */
	{ "/bin/perl x", 2, 0, { NULL },
	  { NULL, "Can't locate Y/Z.pm in @INC (you may need to install it)\nBEGIN failed at x line 1.\n" },
	  ": Y/Z.pm was not found (" },
	{ "/bin/java x", 1, 0, { NULL },
	  { NULL, "Exception in thread \"main\" y.Z: bad\n\tat A.main(A.java:1)\n" },
	  ": \"Exception in thread \"main\" y.Z: bad\" (" },
	{ "/bin/cp x", 1, 0, { NULL },
	  { NULL, "cp: missing operand\nTry 'cp --help' for more information.\n" }, ": \"cp: missing operand\" (" },
	{ "/bin/tool x", 1, 0, { NULL },
	  { "this is a long line about nothing, which is all text, and so is this\n"
	    "\1\2\3y\1Error:\3\n", NULL }, "exit status 1 (" },
};

/* The line about a program that failed; @errors: errno for each of @missed. */
static void line_of(const struct row *row, const char *const *missed, const int *errors,
		    const char *const *printed, struct buf *text)
{
	struct diag *diag = diag_new(stderr, "test");
	struct db *db = db_create(NULL, diag);
	struct sink *sink = db_sink(db, 22, "test", diag);
	struct et_event ev;

	et_init(&ev);
	begins(sink, &ev, row, 1);
	for (size_t k = 0; k < 3 && missed[k]; k++)
		misses(sink, &ev, missed[k], 1, 2, errors ? errors[k] : ENOENT);
	for (int k = 0; printed && k < 2; k++)
		if (printed[k])
			prints(sink, &ev, upid(1), k + 1, printed[k]);
	ends(sink, &ev, row, 1);
	et_fini(&ev);
	assert_int_equal(sink_end(sink), 0);
	sink_free(sink);
	db->redact = true;
	failures_text(db, failures_of(db), text);
	buf_addc(text, '\0');
	db_close(db);
	diag_free(diag);
}

static void test_text_of_single_failure(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(alone) / sizeof(*alone); i++) {
		struct row row = { 0, 1, 11, alone[i].command, alone[i].status, alone[i].signal, NULL, NULL };
		struct buf text = { 0 };

		line_of(&row, alone[i].missed, NULL, alone[i].printed, &text);
		if (!strstr(text.s, alone[i].text))
			fail_msg("'%s' does not contain '%s'", text.s, alone[i].text);
		buf_free(&text);
	}
}

/* Why a file could not be opened. */
static void test_open_errors(void **state)
{
	static const struct {
		const char *command, *missed[3];
		int errors[2];
		const char *text;
	} rows[] = {
		{ "/bin/as -o o/x.o", { "/src/o/x.o" }, { EACCES }, ": o/x.o: permission denied (" },
		{ "/bin/as -o o/x.o", { "/src/o/x.o" }, { EROFS },
		  ": the file system of o/x.o is read-only (" },
		{ "/bin/as -o o/x.o", { "/src/o/x.o" }, { ENOTDIR },
		  ": a part of the path o/x.o is not a directory (" },
		{ "/bin/as -o o/x.o", { "/src/o/x.o" }, { ELOOP }, ": too many levels of symbolic links: o/x.o (" },
		{ "/bin/as -o o/x.o", { "/src/o/x.o" }, { ENAMETOOLONG }, ": file name too long: o/x.o (" },
		{ "/bin/as -o o/x.o", { "/src/o/x.o" }, { EMFILE }, ": too many open files to open o/x.o (" },
		{ "/bin/as -o o/x.o", { "/src/o/x.o" }, { ENOSPC }, ": no space for o/x.o (" },
		{ "/bin/cp x o/x.o", { "/src/o/x.o", "/src/o/x.o" }, { ENOTDIR, ETXTBSY },
		  ": o/x.o is busy: a process runs it, or writes to it (" },
		{ "/bin/as -o o/x.o", { "/src/o/x.o" }, { EEXIST }, "exit status 1 (" },
		{ "/bin/tool a", { "/src/x" }, { EMFILE }, ": probably too many open files to open x (" },
		{ "/bin/cc -c x", { "/src/a/x", "/src/b/x" }, { ENOENT, ENOTDIR }, ": x was not found (" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct row row = { 0, 1, 11, rows[i].command, 1, 0, NULL, NULL };
		struct buf text = { 0 };

		line_of(&row, rows[i].missed, rows[i].errors, NULL, &text);
		if (!strstr(text.s, rows[i].text))
			fail_msg("'%s' does not contain '%s'", text.s, rows[i].text);
		buf_free(&text);
	}
}

/* ---- a command that was not found ---- */

/*
 * A shell that exits with 127, the programs that it ran, and which one was missing; NULL:
 * unknown.
 */
static const struct {
	const char *command, *ran[3], *name;
} texts[] = {
	{ "/bin/sh -c 'frob a'", { NULL }, "frob" },
	{ "/bin/sh -c 'cp a b && frob b'", { "/bin/cp a b" }, "frob" },
	{ "/bin/sh -c 'cp a b && frob b && install b'", { "/bin/cp a b" }, "frob" },
	{ "/bin/sh -c 'cp a b; frob b; install b'", { "/bin/cp a b" }, "install" },
	{ "/bin/sh -ec 'cp a b; frob b; install b'", { "/bin/cp a b" }, "frob" },
	{ "/bin/sh -c 'set -e; cp a b; frob b; install b'", { "/bin/cp a b" }, "frob" },
	{ "/bin/bash -o errexit -c 'cp a b\n# frob\nfrab b\nfrob'", { "/bin/cp a b" }, "frab" },
	{ "/bin/sh -c 'cd x && X=1 Y=\"$Z\" /opt/frob \"a b\" 2>&1 >log </dev/null'", { NULL }, "frob" },
	{ "/bin/sh -c '>log frob'", { NULL }, "frob" },
	{ "/bin/sh -c 'cp a b\\\n && frob ${x:-y}'", { "/bin/cp a b" }, "frob" },
	{ "/bin/sh -c '\"fr\"o\\b a'", { NULL }, "frob" },
	{ "/bin/sh -c 'exec frob a'", { NULL }, "frob" },
	{ "/bin/sh -c 'if test -f x; then frob x; else cp a b; fi'", { "/bin/cp a b" }, "frob" },
	{ "/bin/sh -c 'for i in a b; do frob $i || exit 1; done; (cd x; frob)'", { NULL }, "frob" },
	{ "/bin/sh -c 'cp a b || { frob; exit 1; }'", { "/bin/cp a b" }, "frob" },
	{ "/bin/sh -c './gen x | frob'", { "/bin/sh ./gen x" }, "frob" },
	/* the missing command is not visible in the text, or is ambiguous */
	{ "/bin/sh -c '$CC -c x.c'", { NULL }, NULL },
	{ "/bin/sh -c '\"$CC\" -c x.c'", { NULL }, NULL },
	{ "/bin/sh -c 'frob $(date)'", { NULL }, NULL },
	{ "/bin/sh -c 'frob `date`'", { NULL }, NULL },
	{ "/bin/sh -c 'frob \"`date`\"'", { NULL }, NULL },
	{ "/bin/sh -c 'frob ${x:-$(date)}'", { NULL }, NULL },
	{ "/bin/sh -c 'frob <<EOF\nx\nEOF'", { NULL }, NULL },
	{ "/bin/sh -c 'eval frob'", { NULL }, NULL },
	{ "/bin/sh -c '. ./x; frob'", { NULL }, NULL },
	{ "/bin/sh -c 'frob() { true; }; frob'", { NULL }, NULL },
	{ "/bin/sh -c 'function frob { true; }; frob'", { NULL }, NULL },
	{ "/bin/sh -c 'frob; exit 127'", { NULL }, NULL },
	{ "/bin/sh -c 'frob; exit $x'", { NULL }, NULL },
	{ "/bin/sh -c 'frob & wait $!'", { NULL }, NULL },
	{ "/bin/sh -c 'case x in x) frob;; esac'", { NULL }, NULL },
	{ "/bin/sh -c '[[ a && frob ]]'", { NULL }, NULL },
	{ "/bin/sh -c 'if test -f x; then frob; else frab; fi'", { NULL }, NULL },
	{ "/bin/sh -c 'frob || frab'", { NULL }, NULL },
	{ "/bin/sh -c 'frob | frab'", { NULL }, NULL },
	{ "/bin/sh -c 'cp a b'", { "/bin/cp a b" }, NULL },
	{ "/bin/sh -c 'true; cd x'", { NULL }, NULL },
	{ "/bin/sh -c 'frob \"a'", { NULL }, NULL },
	{ "/bin/sh -c ''", { NULL }, NULL },
	{ "/bin/sh -c '\"\"'", { NULL }, NULL },
	{ "/bin/sh -c", { NULL }, NULL },
	{ "/bin/sh /nowhere/build.sh", { NULL }, NULL },
	{ "/bin/sh", { NULL }, NULL },
};

static void test_commands_not_found(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++) {
		struct row rows[ROWS] = { { 0, 1, 90, texts[i].command, 127, 0, "first", NULL } };
		struct diag *diag = diag_new(stderr, "test");
		struct buf text = { 0 }, expected = { 0 };
		struct db *db;

		for (unsigned int k = 0; k < 3 && texts[i].ran[k]; k++)
			rows[k + 1] = (struct row){ 1, 2 + k, 10 + k, texts[i].ran[k], 0, 0, NULL, NULL };
		db = make_db(rows, NO_SESSION, diag);
		failures_text(db, failures_of(db), &text);
		buf_addc(&text, '\0');
		buf_adds(&expected, ": ");
		buf_adds(&expected, texts[i].name ? texts[i].name : "a command was not found");
		buf_adds(&expected, texts[i].name ? " was probably not found" : "");
		buf_adds(&expected, " (");
		buf_addc(&expected, '\0');
		if (!strstr(text.s, expected.s))
			fail_msg("%s: '%s' does not contain '%s'", texts[i].command, text.s, expected.s);
		buf_free(&text);
		buf_free(&expected);
		db_close(db);
		diag_free(diag);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_kinds_of_failures),
		cmocka_unit_test(test_text_of_single_failure), cmocka_unit_test(test_open_errors),
		cmocka_unit_test(test_commands_not_found),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
