// SPDX-License-Identifier: GPL-2.0
/* What programs work on: user/timeline/work.h. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "timeline/work.h"

static const struct {
	const char *program;
	const char *args;	/* separated by blanks; a part in "" is one argument */
	const char *class, *label;
} rows[] = {
	{ "/usr/lib/gcc/x86_64-linux-gnu/12/cc1", "cc1 -quiet -MD x.d quotearg.c -o /tmp/cc1.s",
	  "compile", "cc1 quotearg.c" },
	{ "/usr/bin/x86_64-linux-gnu-ld.bfd", "/usr/bin/ld -plugin p.so -o vmlinux a.o", "link", "ld vmlinux" },
	{ "/usr/bin/x86_64-linux-gnu-gcc-12", "gcc -O2 -c lib/a.c -o a.o", "compile", "gcc a.c" },
	{ "/usr/bin/x86_64-linux-gnu-gcc-12", "gcc -o prog a.o b.o", "compile", "gcc prog" },
	{ "/opt/bin/arm-linux-gnueabi-gcc-12", "arm-linux-gnueabi-gcc-12 -c a.c", "compile",
	  "arm-linux-gnueabi-gcc-12 a.c" },
	{ "/usr/bin/clang-14", "/usr/bin/clang-14 -cc1 -main-file-name a.c a.c", "compile", "clang-14 a.c" },
	{ "/usr/bin/as", "as --64 -o hello.o /tmp/x.s", "assemble", "as hello.o" },
	{ "/usr/bin/ar", "ar rcs out/lib.a x.o", "archive", "ar lib.a" },
	{ "/usr/bin/tar", "tar -xf linux.tar.xz", "archive", "tar linux.tar.xz" },
	{ "/bin/dash", "/bin/sh ./configure --prefix=/usr", "configure", "sh configure" },
	{ "/bin/dash", "sh -c \"./configure && make\"", "shell", "sh configure" },
	{ "/bin/dash", "sh -c \"set -e; cd lib && CC=gcc mkdir -p x\"", "shell", "sh mkdir" },
	{ "/bin/dash", "sh -ec \"exec make all\"", "shell", "sh make" },
	{ "/bin/dash", "sh -c \"if test -e x; then echo; fi; gcc -c a.c\"", "shell", "sh gcc" },
	{ "/bin/dash", "sh -c \"for f in a b; do cp $f out; done\"", "shell", "sh cp" },
	{ "/bin/dash", "sh -c \"if ! cmp a b; then mv a b; fi\"", "shell", "sh cmp" },
	{ "/bin/bash", "bash scripts/run_test", "test", "bash run_test" },
	{ "/bin/bash", "bash --norc -eo pipefail +O extglob ci/x.sh", "shell", "bash x.sh" },
	{ "/bin/dash", "sh", "shell", "sh" },
	{ "/bin/busybox", "sh -c true", "shell", "sh true" },
	{ "/usr/bin/make", "make -j8 V=1 all", "other", "make all" },
	{ "/usr/bin/make", "make -j 4 -f x.mk -C src/lib", "other", "make -C lib" },
	{ "/usr/bin/make", "make -j -Cdoc all clean", "other", "make -C doc all" },
	{ "/usr/bin/ninja", "ninja -C out -k 0 test", "other", "ninja -C out test" },
	{ "/usr/bin/python3.11", "python3 ./setup.py build", "other", "python3 setup.py" },
	{ "/usr/bin/cp", "cp -a x dir/y", "other", "cp y" },
	{ "/usr/bin/cp", "cp -a lib/x ..", "other", "cp x" },
	{ "/usr/bin/install", "install -m 644 x.h y.h /usr/include/", "other", "install y.h" },
	{ "/usr/bin/mkdir", "mkdir -p ..", "other", "mkdir .." },
	{ "/usr/bin/mv", "mv -t out/ .", "other", "mv ." },
	{ "/usr/bin/mkdir", "mkdir -p out/dir/", "other", "mkdir dir" },
	{ "/home/me/unit_test", "./unit_test", "test", "unit_test" },
	{ "/home/me/tool", "./tool x.c", "other", "tool" },
	{ "/usr/bin/g++", "", "compile", "g++" },
	{ "/usr/bin/ld", "ld -o", "link", "ld" },
	{ "/usr/bin/ld", "ld -ox.so a.o", "link", "ld x.so" },
	{ "", "", "other", "" },
	{ "/", "", "other", "/" },
};

static size_t split(char *s, struct work_arg *args, size_t max)
{
	size_t n = 0;

	while (*s && n < max) {
		char end = *s == '"' ? '"' : ' ';

		s += end == '"';
		args[n].s = s;
		while (*s && *s != end)
			s++;
		args[n].len = (size_t)(s - args[n].s);
		n++;
		s += *s == '"';
		s += *s == ' ';
	}
	return n;
}

static void known_programs(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct work_arg args[16];
		struct buf label = { 0 };
		enum work_class class;
		char text[200];
		size_t n;

		snprintf(text, sizeof(text), "%s", rows[i].args);
		n = split(text, args, 16);
		class = work_of(rows[i].program, strlen(rows[i].program), n ? args : NULL, n, &label);
		buf_addc(&label, '\0');
		if (strcmp(work_classes[class], rows[i].class) || strcmp(label.s, rows[i].label))
			fail_msg("%s %s: %s, \"%s\"", rows[i].program, rows[i].args,
				 work_classes[class], label.s);
		buf_free(&label);
	}
}

/* Add the file that was made, unless the arguments already tell it. */
static void outputs_are_added(void **state)
{
	static const struct {
		const char *program, *before, *output, *after;
	} cases[] = {
		{ "/bin/sh", "sh", "/src/version.h", "sh: makes version.h" },
		{ "/bin/dash", "sh mk.sh", "/src/a.h", "sh mk.sh: makes a.h" },
		{ "/usr/bin/make", "make -C lib", "/src/lib/libz.a", "make -C lib: makes libz.a" },
		{ "/usr/bin/make", "make libz.a", "/src/lib/libz.a", "make libz.a" },
		{ "/usr/bin/python3.11", "python3 gen.py", "/src/x.c", "python3 gen.py: makes x.c" },
		{ "/usr/bin/cc1", "cc1 a.c", "/src/a.o", "cc1 a.c" },
		{ "/bin/sh", "sh", "", "sh" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct buf label = { 0 };

		buf_adds(&label, cases[i].before);
		work_add_output(cases[i].program, strlen(cases[i].program), cases[i].output,
				strlen(cases[i].output), &label);
		buf_addc(&label, '\0');
		assert_string_equal(label.s, cases[i].after);
		buf_free(&label);
	}
}

/* Arbitrary bytes: only the arguments are accessed (checked by the sanitizers). */
static void arguments_of_any_bytes(void **state)
{
	static const char *const programs[] = { "sh", "cc1", "ar", "ld", "make", "cp" };
	uint32_t seed = 1;

	(void)state;
	for (unsigned int round = 0; round < 20000; round++) {
		static const char bytes[] = "-oc./=; x\n\0\"&()\xff" "1";
		struct work_arg args[4];
		struct buf label = { 0 };
		char *copies[4];
		size_t n;

		seed = seed * 1664525 + 1013904223;
		n = seed >> 16 & 3;
		for (size_t i = 0; i < n; i++) {
			size_t len = (seed = seed * 1664525 + 1013904223) >> 16 & 7;

			copies[i] = test_malloc(len + !len);
			for (size_t k = 0; k < len; k++)
				copies[i][k] = bytes[((seed = seed * 1664525 + 1013904223) >> 16) %
						     (sizeof(bytes) - 1)];
			args[i] = (struct work_arg){ copies[i], len };
		}
		work_of(programs[round % 6], strlen(programs[round % 6]), args, n, &label);
		assert_true(label.len < 200);
		for (size_t i = 0; i < n; i++)
			test_free(copies[i]);
		buf_free(&label);
	}
}

/* A known program's name followed by a zero byte is another name. */
static void name_with_zero(void **state)
{
	static const char name[300] = "cp";

	(void)state;
	for (size_t len = 2; len <= sizeof(name); len++) {
		const struct work_arg args[] = { { name, len }, { "a", 1 }, { "b", 1 } };
		struct buf label = { 0 };

		work_of(name, len, args, 3, &label);
		assert_int_equal(label.len == 4 && !memcmp(label.s, "cp b", 4), len == 2);
		buf_free(&label);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(known_programs),
		cmocka_unit_test(outputs_are_added),
		cmocka_unit_test(arguments_of_any_bytes),
		cmocka_unit_test(name_with_zero),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
