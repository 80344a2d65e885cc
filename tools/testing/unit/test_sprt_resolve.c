// SPDX-License-Identifier: GPL-2.0
/*
 * --resolve: build libraries and a program, make a log with frames in each, and compare the
 * result with nm and addr2line.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "common_sprt.h"
#include "base/xalloc.h"

#define OPTS(...) (const struct opt_given[]){ __VA_ARGS__, { NULL, NULL } }
#define COUNT(a) (sizeof(a) / sizeof(*(a)))

static char root[] = "/tmp/sprt-root-XXXXXX";

static const char source[] =
	"int sink;\n"
	"static inline __attribute__((always_inline)) int inner(int x)\n"
	"{\n"
	"	sink += x * 7;\n"
	"	return sink ^ x;\n"
	"}\n"
	"__attribute__((noinline)) int plain(int x)\n"
	"{\n"
	"	sink += x;\n"
	"	return sink + 1;\n"
	"}\n"
	"int method(int) __asm__(\"_ZN3foo6methodEi\");\n"
	"__attribute__((noinline)) int method(int x)\n"
	"{\n"
	"	sink -= x;\n"
	"\n"
	"	return inner(x) + plain(x);\n"
	"}\n"
	"int _start(void)\n"
	"{\n"
	"	return method(1);\n"
	"}\n";

/* Run a command in the root; the test fails if the command fails. */
__attribute__((format(printf, 1, 2)))
static void run(const char *fmt, ...)
{
	char cmd[2048], full[4096];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(cmd, sizeof(cmd), fmt, ap);
	va_end(ap);
	snprintf(full, sizeof(full), "cd %s && { %s; } >log 2>&1 || { cat log; false; }",
		 root, cmd);
	if (system(full))
		fail_msg("%s", cmd);
}

/* The output of a command; to be freed. */
__attribute__((format(printf, 1, 2)))
static char *output(const char *fmt, ...)
{
	char cmd[2048], *text = xcalloc(1, 65536);
	va_list ap;
	FILE *f;

	va_start(ap, fmt);
	vsnprintf(cmd, sizeof(cmd), fmt, ap);
	va_end(ap);
	f = popen(cmd, "r");
	assert_non_null(f);
	assert_true(fread(text, 1, 65535, f) > 0);
	assert_int_equal(pclose(f), 0);
	return text;
}

/* Ways to link: code segment at offset 0 or not, fixed address or not. */
static const struct object {
	const char *path, *flags;
	uint64_t bias;
} objects[] = {
	{ "/opt/app/separate.so", "-shared -fPIC -Wl,-z,separate-code", 0x7f1234560000 },
	{ "/opt/app/one.so", "-shared -fPIC -Wl,-z,noseparate-code", 0x7f2234560000 },
	{ "/opt/app/fast.so", "-O2 -shared -fPIC", 0x7f3234560000 },
	{ "/opt/app/fixed", "-no-pie -static -nostdlib", 0 },
	{ "/opt/app/pie prog", "-pie -fPIE -nostdlib", 0x555555550000 },
};

static int build(void **state)
{
	char path[64];
	FILE *f;

	(void)state;
	assert_non_null(mkdtemp(root));
	run("mkdir -p opt/app usr/lib/debug/.build-id");
	snprintf(path, sizeof(path), "%s/some source.c", root);
	f = fopen(path, "w");
	assert_non_null(f);
	fputs(source, f);
	fclose(f);
	for (size_t i = 0; i < COUNT(objects); i++)
		run("cc -g -O0 %s -Wl,--build-id -nostartfiles -o '.%s' 'some source.c'",
		    objects[i].flags, objects[i].path);
	return 0;
}

static int clean(void **state)
{
	(void)state;
	run("rm -rf opt usr log 'some source.c' *.debug");
	return rmdir(root);
}

/* Page size of the traced machine. */
static uint64_t page = 4096;

/* The executable segment of an object, in its own addresses. */
static void segment(const struct object *o, uint64_t *from, uint64_t *to)
{
	char *text = output("readelf -lW '%s%s'", root, o->path), *line, *save;
	unsigned long long offset, vaddr, paddr, filesz, memsz;
	bool found = false;
	char flags[8];

	for (line = strtok_r(text, "\n", &save); line;
	     line = strtok_r(NULL, "\n", &save))
		if (sscanf(line, " LOAD %llx %llx %llx %llx %llx %7[RWE ]",
			   &offset, &vaddr, &paddr, &filesz, &memsz, flags) == 6 &&
		    strchr(flags, 'E')) {
			*from = vaddr & ~(page - 1);
			*to = (vaddr + filesz + page - 1) & ~(page - 1);
			found = true;
		}
	assert_true(found);
	free(text);
}

static void symbol(const struct object *o, const char *name, uint64_t *addr,
		   uint64_t *size)
{
	char *text = output("nm -S '%s%s'", root, o->path), *line, *save;
	unsigned long long a, s;
	bool found = false;
	char seen[128];

	for (line = strtok_r(text, "\n", &save); line;
	     line = strtok_r(NULL, "\n", &save))
		if (sscanf(line, "%llx %llx %*c %127s", &a, &s, seen) == 3 &&
		    !strcmp(seen, name)) {
			*addr = a;
			*size = s;
			found = true;
		}
	assert_true(found);
	free(text);
}

/* "FILE:LINE" within the function itself: for inlined code, the line of the outermost call. */
static char *source_line(const struct object *o, uint64_t addr)
{
	char *text = output("addr2line -i -e '%s%s' 0x%llx", root, o->path,
			    (unsigned long long)addr);
	char *end, *last, *line;

	end = text + strlen(text) - 1;
	*end = '\0';
	last = strrchr(text, '\n');
	last = last ? last + 1 : text;
	if (strrchr(last, '/'))
		last = strrchr(last, '/') + 1;
	end = strstr(last, " (discriminator");
	if (end)
		*end = '\0';
	line = xstrdup(last);
	free(text);
	return line;
}

/* The text that one frame gets. */
static char *resolved(const struct object *o, const char *path, uint64_t frame,
		      uint64_t shift, const char *sysroot, int status)
{
	struct made m = { .major = 2, .ptr = 8 };
	const struct opt_given given[] = {
		{ "resolve", NULL }, { sysroot ? "sysroot" : NULL, sysroot },
		{ NULL, NULL }
	};
	struct conversion r;
	uint64_t from = 0, to = 0;
	char *at, *text;

	segment(o, &from, &to);
	made_start(&m, "x86_64");
	made_packet(&m, "MMAP");
	made_ptr(&m, o->bias + from);
	made_ptr(&m, o->bias + to + shift);
	made_str(&m, path);
	made_end(&m);
	made_call(&m, 0, 0, 0, 2, "malloc", 1, 1);
	made_trace(&m, o->bias + frame, 1);
	r = sprt_convert("sp-rtrace", m.b.data, m.b.n, "sp-rtrace-text", given);
	assert_int_equal(r.status, status);
	assert_non_null(strstr(r.out.data, "filter=resolve"));
	at = strstr(r.out.data, "\t0x");
	assert_non_null(at);
	at = strchr(at, ' ');
	assert_non_null(at);
	text = xstrdup(at + 1);
	text[strcspn(text, "\n")] = '\0';
	conversion_free(&r);
	bytes_free(&m.b);
	return text;
}

/* Every address of every function of every object. */
static void names_and_lines_are_right(void **state)
{
	static const char *const functions[][2] = {
		{ "plain", "plain()" }, { "_start", "_start()" },
		{ "_ZN3foo6methodEi", "foo::method(int)" },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(objects); i++)
		for (size_t k = 0; k < COUNT(functions); k++) {
			const struct object *o = &objects[i];
			uint64_t addr, size;

			symbol(o, functions[k][0], &addr, &size);
			for (uint64_t at = addr; at < addr + size; at += 3) {
				char *line = source_line(o, at), *want, *got;

				assert_true(asprintf(&want, "%s at %s",
						     functions[k][1], line) > 0);
				/* A frame is a return address: the one after the call. */
				got = resolved(o, o->path, at + 1, 0, root, 0);
				if (strcmp(got, want))
					fail_msg("%s at 0x%llx is \"%s\" instead of \"%s\"",
						 o->path, (unsigned long long)at,
						 got, want);
				free(line);
				free(want);
				free(got);
			}
		}
}

/* Mappings begin and end at page boundaries of the traced machine, whose pages may be larger. */
static void larger_pages_are_supported(void **state)
{
	(void)state;
	for (page = 4096; page <= 65536; page *= 4) {
		uint64_t addr, size;
		char *got;

		symbol(&objects[0], "plain", &addr, &size);
		got = resolved(&objects[0], objects[0].path, addr + 1, 0, root, 0);
		assert_int_equal(strncmp(got, "plain() at ", 11), 0);
		free(got);
	}
	page = 4096;
}

/* Links of the traced machine are resolved within its root. */
static void links_stay_in_the_sysroot(void **state)
{
	const struct object *o = &objects[0];
	uint64_t addr, size;
	char *text;

	(void)state;
	run("ln -sf /opt/app/separate.so opt/link.so");
	symbol(o, "plain", &addr, &size);
	text = resolved(o, "/opt/link.so", addr + 5, 0, root, 0);
	assert_int_equal(strncmp(text, "plain() at ", 11), 0);
	free(text);
	/* Without a sysroot the paths are those of this machine. */
	text = resolved(o, "/opt/link.so", addr + 5, 0, NULL, 1);
	assert_string_equal(text, "from /opt/link.so");
	free(text);
	/* Only regular files are opened: opening the FIFO would block forever. */
	run("rm -f opt/fifo && mkfifo opt/fifo");
	text = resolved(o, "/opt/fifo", addr + 5, 0, root, 1);
	assert_string_equal(text, "from /opt/fifo");
	free(text);
}

static void replaced_files_are_not_used(void **state)
{
	const struct object *o = &objects[0];
	uint64_t addr, size;
	char *text;

	(void)state;
	symbol(o, "plain", &addr, &size);
	text = resolved(o, o->path, addr + 5, 0x1000, root, 1);
	assert_string_equal(text, "from /opt/app/separate.so");
	free(text);
	run("echo no ELF > opt/app/text");
	text = resolved(o, "/opt/app/text", addr + 5, 0, root, 1);
	assert_string_equal(text, "from /opt/app/text");
	free(text);
	/* [vdso] and the like have no file; this is not an error. */
	text = resolved(o, "[vdso]", addr + 5, 0, root, 0);
	assert_string_equal(text, "from [vdso]");
	free(text);
	text = resolved(o, o->path, 0x10, 0, root, 0);
	assert_string_equal(text, "in ??");
	free(text);
}

static void separate_debug_information_is_found(void **state)
{
	struct object o = objects[0];
	uint64_t addr, size;
	char *text, *id;

	(void)state;
	symbol(&o, "plain", &addr, &size);
	id = output("readelf -n '%s%s' | sed -n 's/.*Build ID: //p'", root, o.path);
	id[strcspn(id, "\n")] = '\0';
	run("mkdir -p usr/lib/debug/.build-id/%.2s", id);
	run("objcopy --only-keep-debug ./opt/app/separate.so usr/lib/debug/.build-id/%.2s/%s.debug",
	    id, id + 2);
	run("strip -o opt/app/stripped.so opt/app/separate.so");
	free(id);
	text = resolved(&o, "/opt/app/stripped.so", addr + 5, 0, root, 0);
	assert_int_equal(strncmp(text, "plain() at some source.c:", 25), 0);
	free(text);
	run("rm -r usr/lib/debug/.build-id");
	/* Only the exported names are left. */
	text = resolved(&o, "/opt/app/stripped.so", addr + 5, 0, root, 0);
	assert_string_equal(text, "plain() from /opt/app/stripped.so");
	free(text);
}

/* If two mappings cover an address, the later one counts. */
static void later_mappings_win(void **state)
{
	struct made m = { .major = 2, .ptr = 8 };
	struct conversion r;

	(void)state;
	made_start(&m, "x86_64");
	for (uint64_t i = 0; i < 3; i++) {
		static const uint64_t from[] = { 0x1000, 0x2000, 0x1800 };
		static const char *const names[] = { "[a]", "[b]", "[c]" };

		made_packet(&m, "MMAP");
		made_ptr(&m, from[i]);
		made_ptr(&m, from[i] + 0x1000);
		made_str(&m, names[i]);
		made_end(&m);
	}
	made_call(&m, 0, 0, 0, 2, "malloc", 1, 1);
	made_packet(&m, "BTRC");
	made_u32(&m, 7);
	made_ptr(&m, 0x1000);	/* 0xfff is not mapped */
	made_ptr(&m, 0x1001);
	made_ptr(&m, 0x1801);
	made_ptr(&m, 0x2001);
	made_ptr(&m, 0x2801);
	made_ptr(&m, 0x3001);
	made_ptr(&m, 0);
	made_end(&m);
	r = sprt_convert("sp-rtrace", m.b.data, m.b.n, "sp-rtrace-text",
			 OPTS({ "resolve", NULL }));
	assert_non_null(strstr(r.out.data,
			       "\t0x1000 in ??\n"
			       "\t0x1001 from [a]\n"
			       "\t0x1801 from [c]\n"
			       "\t0x2001 from [c]\n"
			       "\t0x2801 from [b]\n"
			       "\t0x3001 in ??\n"
			       "\t0x0 in ??\n"));
	conversion_free(&r);
	bytes_free(&m.b);
}

/* The same with many mappings, compared with a list; calls share frames or have none. */
static void many_mappings_are_resolved(void **state)
{
	enum { PLACES = 100, MAPS = 60 };
	struct made m = { .major = 2, .ptr = 8 };
	unsigned int owner[PLACES] = { 0 };
	struct bytes want = { 0 };
	struct conversion r;
	uint32_t random = 1;
	char text[64];

	(void)state;
	made_start(&m, "x86_64");
	for (unsigned int i = 1; i <= MAPS; i++) {
		unsigned int from, to;

		random = random * 1103515245 + 12345;
		from = 3 + (random >> 16) % (PLACES - 20);
		to = from + (random >> 24) % 16;
		snprintf(text, sizeof(text), "[%u]", i % 50);
		made_packet(&m, "MMAP");
		made_ptr(&m, from);
		made_ptr(&m, i % 13 ? to : from - 1);
		made_str(&m, text);
		made_end(&m);
		for (unsigned int k = from; i % 13 && k < to; k++)
			owner[k] = i;
	}
	for (unsigned int i = 0; i < 3; i++) {
		made_call(&m, 0, 0, 0, 2, "f", 1, 1);
		if (i == 1)
			continue;
		made_packet(&m, "BTRC");
		made_u32(&m, PLACES);
		for (unsigned int k = 0; k < PLACES; k++)
			made_ptr(&m, k + 1);
		made_end(&m);
	}
	for (unsigned int i = 0; i < 3; i++) {
		bytes_add(&want, text, (size_t)snprintf(text, sizeof(text), "%u. f(1) = 0x1\n", i + 1));
		if (i == 1)
			continue;
		for (unsigned int k = 0; k < PLACES; k++)
			bytes_add(&want, text, (size_t)snprintf(text, sizeof(text), owner[k] ?
				  "\t0x%x from [%u]\n" : "\t0x%x in ??\n", k + 1, owner[k] % 50));
		bytes_add(&want, "\n", 1);
	}
	r = sprt_convert("sp-rtrace", m.b.data, m.b.n, "sp-rtrace-text", OPTS({ "resolve", NULL }));
	assert_int_equal(r.status, 0);
	sprt_assert_text(strstr(r.out.data, "\n1. ") + 1, want.data, "many mappings");
	conversion_free(&r);
	bytes_free(&m.b);
	bytes_free(&want);
}

/* Text that a report already has is kept if nothing better is found. */
static void names_of_reports_stay(void **state)
{
	struct bytes text = sprt_sample("64/leaky.r.txt");
	struct conversion r;

	(void)state;
	r = sprt_convert("sp-rtrace-text", text.data, text.n, "sp-rtrace-text",
			 OPTS({ "resolve", NULL }, { "sysroot", root }));
	assert_int_equal(r.status, 1);
	sprt_assert_text(strchr(r.out.data, '\n'), strchr(text.data, '\n'),
			 "resolved again");
	conversion_free(&r);
	bytes_free(&text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(names_and_lines_are_right),
		cmocka_unit_test(larger_pages_are_supported),
		cmocka_unit_test(links_stay_in_the_sysroot),
		cmocka_unit_test(replaced_files_are_not_used),
		cmocka_unit_test(separate_debug_information_is_found),
		cmocka_unit_test(later_mappings_win),
		cmocka_unit_test(many_mappings_are_resolved),
		cmocka_unit_test(names_of_reports_stay),
	};

	return cmocka_run_group_tests(tests, build, clean);
}
