// SPDX-License-Identifier: GPL-2.0
/* What a build says about itself: build.ninja, make -np, depfiles, .cmd files. */
#include "answers/lists.h"
#include "base/hash.h"
#include "io/diag.h"

#include <cmocka.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static char dir[] = "/tmp/etrace-lists-XXXXXX";
static struct lists lists;
static FILE *messages;
static char *message_text;
static size_t message_len;

static void write_file(const char *name, const char *text)
{
	FILE *f = fopen(name, "we");

	assert_non_null(f);
	fputs(text, f);
	fclose(f);
}

static int begin(void **state)
{
	(void)state;
	if (access(dir, F_OK) && (!mkdtemp(dir) || chdir(dir)))
		return -1;
	messages = open_memstream(&message_text, &message_len);
	lists = (struct lists){ .diag = diag_new(messages, "test") };
	return lists_map(&lists, ".=/b") ? 0 : -1;
}

static int end(void **state)
{
	(void)state;
	diag_free(lists.diag);
	lists_free(&lists);
	fclose(messages);
	free(message_text);
	return 0;
}

static const struct lists_node *node(const char *path)
{
	return &lists.nodes[lists_find(&lists, path, strlen(path))];
}

/* A group's paths in order, separated by spaces. */
static void holds(uint32_t group, const char *paths)
{
	char got[4096] = "";

	for (size_t i = 0; group && i < lists.groups[group].n; i++) {
		strcat(got, *got ? " " : "");
		strcat(got, lists.nodes[lists.groups[group].nodes[i]].path);
	}
	assert_string_equal(got, paths);
}

static void needs(const char *target, const char *paths)
{
	assert_true(lists_find(&lists, target, strlen(target)));
	holds(node(target)->rule, paths);
}

static void reads(const char *target, const char *paths)
{
	assert_true(lists_find(&lists, target, strlen(target)));
	holds(node(target)->read, paths);
}

static void build_ninja(void **state)
{
	(void)state;
	write_file("build.ninja",
		   "ninja_required_version = 1.5\n"
		   "rule cc\n  command = cc $in\n  depfile = $out.d\n"
		   "rule say\n  command = echo $\n    on\n"
		   "d = sub\n"
		   "build $d/a.o | $d/a.su: cc a.c | a.h /usr/b.h || gen.h order |@ check\n"
		   "build b$ c.o b$$.o b$:.o: cc b.c\n  d = other\n"
		   "build alone: phony\n"
		   "build all: phony $d/a.o $\n    b$ c.o\n"
		   "build again: say || only\n"
		   "default all\n");
	write_file("b c.o.d", "b\\ c.o: b.c b.h\n");
	assert_true(lists_ninja(&lists, "."));
	needs("/b/sub/a.o", "/b/a.c /b/a.h /usr/b.h /b/gen.h /b/order");
	needs("/b/sub/a.su", "/b/a.c /b/a.h /usr/b.h /b/gen.h /b/order");
	needs("/b/b c.o", "/b/b.c");
	needs("/b/b$.o", "/b/b.c");
	needs("/b/b:.o", "/b/b.c");
	needs("/b/all", "/b/sub/a.o /b/b c.o");
	needs("/b/again", "/b/only");
	assert_true(lists.rules);
	assert_true(node("/b/again")->target);
	assert_false(node("/b/alone")->target);
	assert_false(node("/b/a.c")->target);
	assert_true(node("/b/gen.h")->input);
	assert_int_equal(lists_find(&lists, "/b/|", 4), 0);
	assert_int_equal(lists_find(&lists, "/b/check", 8) && node("/b/check")->input, 0);
	assert_int_equal(diag_status(lists.diag), 0);
}

static void build_ninja_scopes(void **state)
{
	(void)state;
	write_file("build.ninja", "v = one\nrule r\n  command = x\nsubninja sub.ninja\ninclude in.ninja\n"
		   "build $v: r in\n");
	write_file("sub.ninja", "v = two\nbuild $v: r $v.in\n");
	write_file("in.ninja", "v = three\n");
	assert_true(lists_ninja(&lists, "."));
	needs("/b/two", "/b/two.in");
	needs("/b/three", "/b/in");
	assert_int_equal(lists_find(&lists, "/b/one", 6), 0);
}

/* What the build finds out itself (dyndep) counts as if it were in build.ninja. */
static void ninja_dyndep(void **state)
{
	(void)state;
	write_file("build.ninja",
		   "rule f\n  command = f $in -o $out\n  dyndep = $dd\n"
		   "build a.o: f a.f || x.dd\n  dd = x.dd\n"
		   "build b.o: f b.f || x.dd\n  dd = x.dd\n"
		   "build c.o: f c.f || none.dd\n  dd = none.dd\n"
		   "build x.dd: f a.scan\n  dd =\n"
		   "build all: phony a.o b.o\n");
	write_file("x.dd", "ninja_dyndep_version = 1.0\n"
		   "build a.o | a$ 1.mod: dyndep\n  restat = 1\n\n"
		   "build b.o: dyndep | $\n    a$ 1.mod\n"
		   "build of.nobody | none.mod: dyndep\n");
	assert_true(lists_ninja(&lists, "."));
	needs("/b/a.o", "/b/a.f /b/x.dd");
	needs("/b/a 1.mod", "/b/a.f /b/x.dd");
	needs("/b/b.o", "/b/b.f /b/x.dd /b/a 1.mod");
	assert_true(node("/b/a 1.mod")->target && node("/b/a 1.mod")->wanted);
	assert_int_equal(node("/b/none.mod")->rule, 0);
	assert_true(node("/b/x.dd")->dyndep);
	assert_false(node("/b/none.dd")->dyndep);
	assert_false(lists.groups[node("/b/a.o")->rule].partly);
	assert_true(lists.groups[node("/b/c.o")->rule].partly);
	/* named only by phony rules */
	assert_true(node("/b/b.o")->input);
	assert_false(node("/b/b.o")->wanted);
	assert_true(lists.groups[node("/b/b.o")->rule].command == hash_bytes("f b.f -o b.o", 12));
	assert_int_equal(diag_status(lists.diag), 0);
}

static void depfiles(void **state)
{
	(void)state;
	mkdir("deps", 0700);
	write_file("deps/a.d",
		   "# a comment: with a colon\n"
		   "a.o a.su: a.c \\\n  with\\ blank.h back\\\\slash.h hash\\#.h \\\r\n  dollar$$.h c\\:colon.h\n"
		   "\nwith\\ blank.h:\n\nb.o: /abs/../b.c\n");
	write_file("deps/not.dd", "c.o: c.c\n");
	write_file("deps/d.Po", "# dummy\n");
	write_file("deps/e.Plo", "e.lo: e.c\n");
	assert_true(lists_depfiles(&lists, "deps"));
	reads("/b/deps/a.o", "/b/deps/a.c /b/deps/with blank.h /b/deps/back\\slash.h /b/deps/hash#.h "
	      "/b/deps/dollar$.h /b/deps/c:colon.h");
	reads("/b/deps/a.su", "/b/deps/a.c /b/deps/with blank.h /b/deps/back\\slash.h /b/deps/hash#.h "
	      "/b/deps/dollar$.h /b/deps/c:colon.h");
	/* named in case it is gone (-MP): made from nothing */
	assert_false(node("/b/deps/with blank.h")->target);
	assert_int_equal(node("/b/deps/with blank.h")->read, 0);
	assert_true(node("/b/deps/a.o")->target);
	reads("/b/deps/b.o", "/b.c");
	reads("/b/deps/e.lo", "/b/deps/e.c");
	assert_int_equal(lists_find(&lists, "/b/deps/c.o", 11), 0);
	assert_false(lists.rules);
	assert_false(lists_depfiles(&lists, "deps/*.none"));
	assert_int_equal(diag_status(lists.diag), 2);
}

static void make_database(void **state)
{
	(void)state;
	static const char passed[] = "#  Implicit rule search has not been done.\n";
	static const char searched[] = "#  Implicit rule search has been done.\n";
	char text[12288], here[4096];

	snprintf(text, sizeof(text),
		 "echo: a line that a recipe prints\n"
		 "# Make data base, printed on today\n\n# Variables\nCURDIR := %s\nx: y\n"
		 "define say\n# Files\nno: thing\nendef\n"
		 "# Implicit Rules\n%%.o: %%.c\n\n# Files\n# Not a target:\nMakefile: nothing\n\n"
		 "all: a.o lib/b.o | dir\n\ttouch: all\n"
		 "a.o: a.c c:/odd\nempty:\ndouble:: one\n.PHONY: all\n# files hash-table stats:\nafter: it\n",
		 realpath(".", here));
	write_file("printed", text);
	assert_true(lists_make(&lists, "printed"));
	needs("/b/all", "/b/a.o /b/lib/b.o /b/dir");
	needs("/b/a.o", "/b/a.c /b/c:/odd");
	needs("/b/double", "/b/one");
	assert_false(node("/b/empty")->target);
	assert_true(node("/b/all")->target);
	for (size_t i = 1; i <= lists.n; i++)
		assert_null(strstr("/b/x /b/no /b/Makefile /b/after /b/.PHONY /b/echo /b/%.o",
				   lists.nodes[i].rule ? lists.nodes[i].path : "none"));
	/* a target that one make did not consider may have been considered by another */
	snprintf(text, sizeof(text),
		 "# Make data base\nCURDIR := %s\n# Files\n# Not a target:\nopen.o:\n%s\n"
		 "own: x\n%s\techo\n\nother: x\n%s\n# Not a target:\nsource:\n%s\n"
		 "# Make data base\nCURDIR := %s\n# Files\nother: y\n%s\n",
		 here, passed, passed, passed, searched, here, searched);
	write_file("printed", text);
	assert_true(lists_make(&lists, "printed"));
	assert_true(lists_is_open(node("/b/open.o")));
	assert_int_equal(node("/b/open.o")->rule, 0);
	assert_false(lists_is_open(node("/b/own")));
	assert_false(lists_is_open(node("/b/other")));
	assert_false(lists_is_open(node("/b/source")));
	write_file("printed", "all: a.o\n");
	assert_false(lists_make(&lists, "printed"));
}

static void kbuild(void **state)
{
	(void)state;
	mkdir("lib", 0700);
	write_file("lib/.gcd.o.cmd",
		   "savedcmd_lib/gcd.o := gcc -c -o lib/gcd.o lib/gcd.c\n\nsource_lib/gcd.o := lib/gcd.c\n\n"
		   "deps_lib/gcd.o := \\\n    $(wildcard include/config/SMP) \\\n  include/a.h \\\n  /usr/b.h \\\n\n"
		   "lib/gcd.o: $(deps_lib/gcd.o)\n\n$(deps_lib/gcd.o):\n");
	write_file("lib/.built-in.a.cmd", "cmd_lib/built-in.a := ar lib/gcd.o\n");
	assert_true(lists_kbuild(&lists, "."));
	reads("/b/lib/gcd.o", "/b/lib/gcd.c /b/include/config/SMP /b/include/a.h /usr/b.h "
	      "/b/include/generated/autoconf.h /b/include/autoconf.h /b/include/linux/autoconf.h");
	assert_true(node("/b/lib/built-in.a")->target);
	assert_int_equal(node("/b/lib/built-in.a")->read, 0);
}

static int cleanup(void **state)
{
	char command[64];

	(void)state;
	snprintf(command, sizeof(command), "rm -rf %s", dir);
	return chdir("/") || system(command);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(build_ninja, begin, end),
		cmocka_unit_test_setup_teardown(build_ninja_scopes, begin, end),
		cmocka_unit_test_setup_teardown(ninja_dyndep, begin, end),
		cmocka_unit_test_setup_teardown(depfiles, begin, end),
		cmocka_unit_test_setup_teardown(make_database, begin, end),
		cmocka_unit_test_setup_teardown(kbuild, begin, end),
	};

	return cmocka_run_group_tests(tests, NULL, cleanup);
}
