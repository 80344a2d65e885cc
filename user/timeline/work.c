// SPDX-License-Identifier: LGPL-2.1
/* What a program works on, by its name and arguments.  See work.h. */
#include "timeline/work.h"
#include "base/bytes.h"
#include "base/partition.h"
#include "base/utf8.h"

#include <ctype.h>
#include <stdbool.h>
#include <string.h>

const char *const work_classes[WORK_CLASSES] = {
	"compile", "assemble", "link", "archive", "shell", "configure", "test", "other",
};

/* Where the arguments name the subject of the work. */
enum subject {
	OF_NOTHING,
	OF_OUTPUT,	/* -o FILE */
	OF_SOURCE,	/* the first source; else OF_OUTPUT */
	OF_ARCHIVE,	/* the first word that names an archive; else OF_OUTPUT */
	OF_FIRST,	/* the first word that is not an option */
	OF_MAKE,	/* the first target, after the directory of -C */
	OF_LAST,	/* the last argument */
	OF_SCRIPT,	/* what an interpreter runs: a file, or -c COMMANDS */
};

/*
 * By base name, in strcmp() order. Names with a target before or a version after, as in
 * aarch64-linux-gnu-gcc-12, are also found.
 */
static const struct row {
	const char *name;
	unsigned char class, subject;
} rows[] = {
	{ "aclocal", WORK_CONFIGURE, OF_NOTHING }, { "ar", WORK_ARCHIVE, OF_ARCHIVE },
	{ "as", WORK_ASSEMBLE, OF_OUTPUT }, { "ash", WORK_SHELL, OF_SCRIPT },
	{ "asm", WORK_ASSEMBLE, OF_SOURCE }, { "autoconf", WORK_CONFIGURE, OF_NOTHING },
	{ "autoheader", WORK_CONFIGURE, OF_NOTHING }, { "autom4te", WORK_CONFIGURE, OF_NOTHING },
	{ "automake", WORK_CONFIGURE, OF_NOTHING }, { "autoreconf", WORK_CONFIGURE, OF_NOTHING },
	{ "bash", WORK_SHELL, OF_SCRIPT }, { "bison", WORK_OTHER, OF_LAST },
	{ "c++", WORK_COMPILE, OF_SOURCE }, { "c89", WORK_COMPILE, OF_SOURCE },
	{ "c99", WORK_COMPILE, OF_SOURCE }, { "cc", WORK_COMPILE, OF_SOURCE },
	{ "cc1", WORK_COMPILE, OF_SOURCE }, { "cc1d", WORK_COMPILE, OF_SOURCE },
	{ "cc1obj", WORK_COMPILE, OF_SOURCE }, { "cc1objplus", WORK_COMPILE, OF_SOURCE },
	{ "cc1plus", WORK_COMPILE, OF_SOURCE }, { "ccache", WORK_COMPILE, OF_SOURCE },
	{ "cicc", WORK_COMPILE, OF_SOURCE }, { "clang", WORK_COMPILE, OF_SOURCE },
	{ "clang++", WORK_COMPILE, OF_SOURCE }, { "clang-cl", WORK_COMPILE, OF_SOURCE },
	{ "cmake", WORK_CONFIGURE, OF_NOTHING }, { "collect2", WORK_LINK, OF_OUTPUT },
	{ "compile", WORK_COMPILE, OF_SOURCE }, { "conf", WORK_CONFIGURE, OF_LAST },
	{ "config.status", WORK_CONFIGURE, OF_NOTHING },
	{ "configure", WORK_CONFIGURE, OF_NOTHING }, { "conftest", WORK_CONFIGURE, OF_NOTHING },
	{ "cp", WORK_OTHER, OF_LAST }, { "cpio", WORK_ARCHIVE, OF_NOTHING },
	{ "cpp", WORK_COMPILE, OF_SOURCE }, { "ctest", WORK_TEST, OF_NOTHING },
	{ "d21", WORK_COMPILE, OF_SOURCE }, { "dash", WORK_SHELL, OF_SCRIPT },
	{ "distcc", WORK_COMPILE, OF_SOURCE }, { "dwp", WORK_LINK, OF_OUTPUT },
	{ "f951", WORK_COMPILE, OF_SOURCE }, { "flang", WORK_COMPILE, OF_SOURCE },
	{ "flex", WORK_OTHER, OF_LAST }, { "g++", WORK_COMPILE, OF_SOURCE },
	{ "gcc", WORK_COMPILE, OF_SOURCE }, { "gccgo", WORK_COMPILE, OF_SOURCE },
	{ "gfortran", WORK_COMPILE, OF_SOURCE }, { "ghc", WORK_COMPILE, OF_LAST },
	{ "gmake", WORK_OTHER, OF_MAKE }, { "gnat1", WORK_COMPILE, OF_SOURCE },
	{ "go1", WORK_COMPILE, OF_SOURCE }, { "gold", WORK_LINK, OF_OUTPUT },
	{ "gzip", WORK_OTHER, OF_LAST }, { "icc", WORK_COMPILE, OF_SOURCE },
	{ "icecc", WORK_COMPILE, OF_SOURCE }, { "icpx", WORK_COMPILE, OF_SOURCE },
	{ "icx", WORK_COMPILE, OF_SOURCE }, { "ifort", WORK_COMPILE, OF_SOURCE },
	{ "ifx", WORK_COMPILE, OF_SOURCE }, { "install", WORK_OTHER, OF_LAST },
	{ "jar", WORK_ARCHIVE, OF_ARCHIVE }, { "java", WORK_OTHER, OF_NOTHING },
	{ "javac", WORK_COMPILE, OF_LAST }, { "kotlinc", WORK_COMPILE, OF_LAST },
	{ "ksh", WORK_SHELL, OF_SCRIPT }, { "ld", WORK_LINK, OF_OUTPUT },
	{ "ld.bfd", WORK_LINK, OF_OUTPUT }, { "ld.gold", WORK_LINK, OF_OUTPUT },
	{ "ld.lld", WORK_LINK, OF_OUTPUT }, { "ld.mold", WORK_LINK, OF_OUTPUT },
	{ "lld", WORK_LINK, OF_OUTPUT }, { "ln", WORK_OTHER, OF_LAST },
	{ "lto-wrapper", WORK_LINK, OF_OUTPUT }, { "lto1", WORK_LINK, OF_OUTPUT },
	{ "m4", WORK_OTHER, OF_LAST }, { "make", WORK_OTHER, OF_MAKE },
	{ "meson", WORK_CONFIGURE, OF_FIRST }, { "mkdir", WORK_OTHER, OF_LAST },
	{ "mke2fs", WORK_ARCHIVE, OF_LAST }, { "mksh", WORK_SHELL, OF_SCRIPT },
	{ "mksquashfs", WORK_ARCHIVE, OF_LAST }, { "mold", WORK_LINK, OF_OUTPUT },
	{ "mv", WORK_OTHER, OF_LAST }, { "nasm", WORK_ASSEMBLE, OF_SOURCE },
	{ "ninja", WORK_OTHER, OF_MAKE }, { "nm", WORK_OTHER, OF_LAST },
	{ "node", WORK_OTHER, OF_SCRIPT }, { "nvcc", WORK_COMPILE, OF_SOURCE },
	{ "objcopy", WORK_OTHER, OF_LAST }, { "objdump", WORK_OTHER, OF_LAST },
	{ "ocamlopt.opt", WORK_COMPILE, OF_LAST }, { "perl", WORK_OTHER, OF_SCRIPT },
	{ "pkg-config", WORK_CONFIGURE, OF_LAST }, { "pkgconf", WORK_CONFIGURE, OF_LAST },
	{ "protoc", WORK_OTHER, OF_LAST }, { "prove", WORK_TEST, OF_FIRST },
	{ "ptxas", WORK_ASSEMBLE, OF_OUTPUT }, { "pytest", WORK_TEST, OF_FIRST },
	{ "python", WORK_OTHER, OF_SCRIPT }, { "ranlib", WORK_ARCHIVE, OF_ARCHIVE },
	{ "rm", WORK_OTHER, OF_LAST }, { "ruby", WORK_OTHER, OF_SCRIPT },
	{ "runtest", WORK_TEST, OF_FIRST }, { "rustc", WORK_COMPILE, OF_SOURCE },
	{ "sccache", WORK_COMPILE, OF_SOURCE }, { "sh", WORK_SHELL, OF_SCRIPT },
	{ "strip", WORK_OTHER, OF_LAST }, { "tar", WORK_ARCHIVE, OF_ARCHIVE },
	{ "tcc", WORK_COMPILE, OF_SOURCE }, { "touch", WORK_OTHER, OF_LAST },
	{ "wine", WORK_OTHER, OF_SCRIPT }, { "xz", WORK_OTHER, OF_LAST }, { "yasm", WORK_ASSEMBLE, OF_SOURCE },
	{ "zip", WORK_ARCHIVE, OF_ARCHIVE }, { "zsh", WORK_SHELL, OF_SCRIPT },
	{ "zstd", WORK_OTHER, OF_LAST },
};

/* Maximum length of a label's second part, in bytes. */
#define MAX_SUBJECT	100u

static struct work_arg base_of(const char *s, size_t len)
{
	const char *slash;

	/* drop slashes at the end, to get a directory's own name */
	while (len > 1 && s[len - 1] == '/')
		len--;
	slash = len > 1 ? memrchr(s, '/', len) : NULL;
	if (slash)
		return (struct work_arg){ slash + 1, len - (size_t)(slash + 1 - s) };
	return (struct work_arg){ s, len };
}

static bool arg_is(struct work_arg a, const char *s)
{
	return bytes_are(a.s, a.len, s);
}

static bool arg_begins(struct work_arg a, const char *s)
{
	return a.len >= strlen(s) && !memcmp(a.s, s, strlen(s));
}

static bool arg_ends(struct work_arg a, const char *s)
{
	size_t n = strlen(s);

	return a.len >= n && !memcmp(a.s + a.len - n, s, n);
}

/* ---- programs ---- */

/* A name without the version at its end: "gcc-12", "python3.11". */
static struct work_arg without_version(struct work_arg name)
{
	size_t len = name.len;

	while (len && (isdigit((unsigned char)name.s[len - 1]) || name.s[len - 1] == '.'))
		len--;
	if (len && name.s[len - 1] == '-')
		len--;
	return (struct work_arg){ name.s, len };
}

static const struct row *find_row(struct work_arg name)
{
	const size_t n = sizeof(rows) / sizeof(rows[0]);
	/* a name that contains a NUL matches no row, whichever it is finally compared with */
	size_t i = partition_point(k, 0, n, strncmp(rows[k].name, name.s, name.len) < 0);

	return name.len && i < n && bytes_are(name.s, name.len, rows[i].name) ? &rows[i] : NULL;
}

static const struct row *row_of(struct work_arg name)
{
	const struct row *row = find_row(name);
	struct work_arg bare = without_version(name), tool;
	const char *hyphen;

	/* "cc1" ends in a digit that is not a version */
	if (!row)
		row = find_row(bare);
	hyphen = row ? NULL : memrchr(name.s, '-', bare.len);
	if (!hyphen)
		return row;
	/* skip a target before the name */
	tool = (struct work_arg){ hyphen + 1, name.len - (size_t)(hyphen + 1 - name.s) };
	row = find_row(tool);
	return row ? row : find_row(without_version(tool));
}

bool work_runs_scripts(const char *program, size_t len)
{
	const struct row *row = row_of(base_of(program, len));

	return row && row->subject == OF_SCRIPT;
}

/* Whether a name is one that projects use for tests. */
static bool names_test(struct work_arg name)
{
	static const char *const before[] = { "test-", "test_" };
	static const char *const behind[] = { "-test", "_test", "-tests", "_tests", ".test" };

	for (size_t i = 0; i < sizeof(before) / sizeof(before[0]); i++)
		if (arg_begins(name, before[i]))
			return true;
	for (size_t i = 0; i < sizeof(behind) / sizeof(behind[0]); i++)
		if (arg_ends(name, behind[i]))
			return true;
	return false;
}

/* ---- arguments ---- */

bool work_is_source(const char *name, size_t len)
{
	static const char *const list[] = {
		".c", ".i", ".ii", ".cc", ".cp", ".cxx", ".cpp", ".CPP", ".c++", ".C", ".ixx", ".cppm",
		".m", ".mi", ".mm", ".mii", ".M", ".s", ".S", ".sx", ".asm", ".f", ".for", ".ftn", ".F",
		".FOR", ".fpp", ".FPP", ".FTN", ".f90", ".f95", ".f03", ".f08", ".F90", ".F95", ".F03",
		".F08", ".cu", ".hip", ".rs", ".d", ".adb", ".ads", ".go",
	};
	/* the last 6 bytes contain any of these suffixes, with its dot */
	size_t from = len > 6 ? len - 6 : 0;
	const char *dot = memrchr(name + from, '.', len - from);
	struct work_arg end;

	if (!dot || dot + 1 == name + len)
		return false;
	end = (struct work_arg){ dot, len - (size_t)(dot - name) };
	for (size_t i = 0; i < sizeof(list) / sizeof(list[0]); i++)
		if (list[i][1] == dot[1] && arg_is(end, list[i]))
			return true;
	return false;
}

static bool is_archive(struct work_arg a)
{
	static const char *const list[] = {
		".a", ".lib", ".tar", ".tar.gz", ".tgz", ".tar.xz", ".tar.bz2", ".tar.zst", ".jar", ".zip",
	};

	for (size_t i = 0; i < sizeof(list) / sizeof(list[0]); i++)
		if (a.len > strlen(list[i]) && arg_ends(a, list[i]))
			return true;
	return false;
}

/* Whether an argument is neither an option nor a variable setting for make. */
static bool is_word(struct work_arg a)
{
	return a.len && *a.s != '-' && !memchr(a.s, '=', a.len);
}

static bool is_any(struct work_arg a)
{
	(void)a;
	return true;
}

static struct work_arg output_of(const struct work_arg *args, size_t n)
{
	for (size_t i = 1; i < n; i++) {
		if (args[i].len < 2 || *args[i].s != '-')
			continue;
		if (arg_is(args[i], "-o") && i + 1 < n)
			return args[i + 1];
		if (arg_begins(args[i], "-o") && args[i].len > 2)
			return (struct work_arg){ args[i].s + 2, args[i].len - 2 };
		if (arg_begins(args[i], "--output="))
			return (struct work_arg){ args[i].s + 9, args[i].len - 9 };
	}
	return (struct work_arg){ 0 };
}

static struct work_arg first_arg(const struct work_arg *args, size_t n,
				 bool (*wanted)(struct work_arg))
{
	for (size_t i = 1; i < n; i++)
		if (args[i].len && *args[i].s != '-' && wanted(args[i]) && is_word(args[i]))
			return args[i];
	return (struct work_arg){ 0 };
}

static bool is_number(struct work_arg a)
{
	for (size_t i = 0; i < a.len; i++)
		if (!isdigit((unsigned char)a.s[i]))
			return false;
	return a.len;
}

/*
 * Whether the next argument belongs to @option of make or ninja. After -j, -l and -k only if it is
 * a number: "-j all" makes the target all.
 */
static bool takes_next(struct work_arg option, struct work_arg next)
{
	static const struct {
		const char *option;
		bool number;
	} list[] = {
		{ "-f", false }, { "-I", false }, { "-o", false }, { "-W", false },
		{ "-j", true }, { "-l", true }, { "-k", true },
	};

	for (size_t i = 0; i < sizeof(list) / sizeof(list[0]); i++)
		if (arg_is(option, list[i].option))
			return !list[i].number || is_number(next);
	return false;
}

/* The first target of make or ninja.  @dir: set to the value of -C, if given. */
static struct work_arg target_of(const struct work_arg *args, size_t n, struct work_arg *dir)
{
	for (size_t i = 1; i < n; i++) {
		bool more = i + 1 < n;

		if (arg_is(args[i], "-C") && more)
			*dir = args[++i];
		else if (arg_begins(args[i], "-C") && args[i].len > 2)
			*dir = (struct work_arg){ args[i].s + 2, args[i].len - 2 };
		else if (more && takes_next(args[i], args[i + 1]))
			i++;
		else if (is_word(args[i]))
			return args[i];
	}
	return (struct work_arg){ 0 };
}

/* Whether an argument names a source, not a depfile, whose name contains one. */
static bool names_source(struct work_arg a)
{
	return work_is_source(a.s, a.len) && !arg_ends(a, ".d");
}

/* The first word of a shell's commands that does real work. */
static struct work_arg first_word(struct work_arg commands)
{
	/* words to skip: a command follows the first FOLLOWED ones; the others have arguments */
	static const char *const passed[] = {
		"", "exec", "if", "then", "else", "elif", "do", "while", "until", "fi", "done", "!",
		"set", "cd", ":", "export", "trap", "echo", "test", "for",
	};
	enum { FOLLOWED = 12 };
	const char *at = commands.s, *end = commands.s + commands.len;
	struct work_arg word = { 0 };

	while (at < end) {
		unsigned int i = 0;

		while (at < end && (isspace((unsigned char)*at) || (*at && strchr("(){};&|@", *at))))
			at++;
		word = (struct work_arg){ at, 0 };
		while (at < end && (isalnum((unsigned char)*at) || (*at && strchr("+-./_:", *at))))
			at++;
		word.len = (size_t)(at - word.s);
		/* skip the setting of a variable before a command: "VAR=value cmd" */
		if (at < end && *at == '=') {
			while (at < end && !isspace((unsigned char)*at) && *at != ';')
				at++;
			continue;
		}
		while (i < sizeof(passed) / sizeof(passed[0]) && !arg_is(word, passed[i]))
			i++;
		if (i == sizeof(passed) / sizeof(passed[0]))
			return word;
		/* skip the arguments of "set -e;", but not those of "exec": they are a command */
		while (i >= FOLLOWED && at < end && *at != ';' && *at != '&' && *at != '\n')
			at++;
		at += at < end && !word.len;
	}
	return (struct work_arg){ 0 };
}

static struct work_arg script_of(const struct work_arg *args, size_t n)
{
	for (size_t i = 1; i < n; i++) {
		/* options in one word, "-ec": the next argument has the commands */
		if (args[i].len > 1 && *args[i].s == '-' && args[i].s[1] != '-' &&
		    args[i].s[args[i].len - 1] == 'c' && args[i].len < 5 && i + 1 < n)
			return first_word(args[i + 1]);
		/* the name of an option follows: "-eo pipefail" */
		if (args[i].len > 1 && strchr("-+", *args[i].s) && args[i].s[1] != '-' &&
		    strchr("oO", args[i].s[args[i].len - 1]))
			i++;
		else if (is_word(args[i]))
			return args[i];
	}
	return (struct work_arg){ 0 };
}

/* Whether an argument is a directory, which says less than the file that goes into it. */
static bool is_directory(struct work_arg a)
{
	return arg_ends(a, "/") || arg_is(a, ".") || arg_is(a, "..");
}

static struct work_arg subject_of(enum subject how, const struct work_arg *args, size_t n)
{
	struct work_arg found = { 0 }, dir;

	switch (how) {
	case OF_NOTHING:
		return found;
	case OF_SCRIPT:
		return script_of(args, n);
	case OF_FIRST:
		return first_arg(args, n, is_any);
	case OF_MAKE:
		return target_of(args, n, &dir);
	case OF_LAST:
		for (size_t i = n; i-- > 1 && (!found.len || is_directory(found));)
			if (is_word(args[i]) && (!found.len || !is_directory(args[i])))
				found = args[i];
		return found;
	case OF_SOURCE:
		found = first_arg(args, n, names_source);
		break;
	case OF_ARCHIVE:
		found = first_arg(args, n, is_archive);
		break;
	case OF_OUTPUT:
		break;
	}
	return found.len ? found : output_of(args, n);
}

static void add_subject(struct buf *label, const char *before, struct work_arg subject)
{
	buf_adds(label, before);
	buf_add(label, subject.s, utf8_cut(subject.s, subject.len, MAX_SUBJECT));
}

/* Whether an argument ends with a word: if not, the word is the first of a shell's commands. */
static bool ends_argument(struct work_arg word, const struct work_arg *args, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (args[i].s + args[i].len == word.s + word.len)
			return true;
	return false;
}

enum work_class work_of(const char *program, size_t len, const struct work_arg *args, size_t n,
			struct buf *label)
{
	struct work_arg name = base_of(program, len), subject = { 0 }, dir = { 0 };
	struct work_arg called = n ? base_of(args[0].s, args[0].len) : name;
	const struct row *row = row_of(called);
	enum work_class class;

	/* use the common name: "ld", not "x86_64-linux-gnu-ld.bfd" */
	if (row)
		name = called;
	else
		row = row_of(name);
	class = row ? (enum work_class)row->class : WORK_OTHER;

	buf_add(label, name.s, name.len);
	if (row && row->subject == OF_MAKE)
		target_of(args, n, &dir);
	if (dir.len)
		add_subject(label, " -C ", base_of(dir.s, dir.len));
	if (row)
		subject = subject_of((enum subject)row->subject, args, n);
	if (subject.len)
		subject = base_of(subject.s, subject.len);
	if (subject.len)
		add_subject(label, " ", subject);
	if (class == WORK_SHELL && subject.len) {
		/* a shell that runs a script gets the script's class */
		row = find_row(subject);
		if (row && row->class == WORK_CONFIGURE && subject.s != name.s &&
		    ends_argument(subject, args, n))
			return WORK_CONFIGURE;
		return names_test(subject) ? WORK_TEST : WORK_SHELL;
	}
	return !row && names_test(name) ? WORK_TEST : class;
}

void work_add_output(const char *program, size_t len, const char *output, size_t output_len,
		     struct buf *label)
{
	const struct row *row = row_of(base_of(program, len));
	struct work_arg name = base_of(output, output_len);
	const char *there = label->len >= name.len ? label->s + label->len - name.len : NULL;

	if (!row || !name.len || (row->subject != OF_SCRIPT && row->subject != OF_MAKE))
		return;
	if (!there || memcmp(there, name.s, name.len))
		add_subject(label, ": makes ", name);
}
