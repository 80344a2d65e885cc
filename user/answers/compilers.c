// SPDX-License-Identifier: LGPL-2.1
/* What a command is.  See compilers.h. */
#include "answers/compilers.h"
#include "base/buf.h"
#include "base/xalloc.h"
#include "build/work.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- programs ---- */

/* None has a hyphen: what stands before one is a target, or llvm-ar's "llvm". */
static const struct {
	const char *name;
	enum tool tool;
} known[] = {
	{ "cc", TOOL_COMPILER }, { "gcc", TOOL_COMPILER }, { "clang", TOOL_COMPILER },
	{ "c++", TOOL_COMPILER }, { "g++", TOOL_COMPILER }, { "clang++", TOOL_COMPILER },
	{ "c89", TOOL_COMPILER }, { "c99", TOOL_COMPILER }, { "tcc", TOOL_COMPILER },
	{ "icc", TOOL_COMPILER }, { "icpc", TOOL_COMPILER }, { "icx", TOOL_COMPILER },
	{ "icpx", TOOL_COMPILER }, { "nvcc", TOOL_COMPILER }, { "hipcc", TOOL_COMPILER },
	{ "gfortran", TOOL_COMPILER }, { "f77", TOOL_COMPILER }, { "f95", TOOL_COMPILER },
	{ "flang", TOOL_COMPILER }, { "ifort", TOOL_COMPILER }, { "ifx", TOOL_COMPILER },
	{ "gdc", TOOL_COMPILER }, { "gnat", TOOL_COMPILER }, { "rustc", TOOL_COMPILER },
	{ "mpicc", TOOL_COMPILER }, { "mpicxx", TOOL_COMPILER }, { "mpifort", TOOL_COMPILER },
	{ "emcc", TOOL_COMPILER }, { "em++", TOOL_COMPILER }, { "zapcc", TOOL_COMPILER },
	{ "ccache", TOOL_WRAPPER }, { "distcc", TOOL_WRAPPER }, { "sccache", TOOL_WRAPPER },
	{ "icecc", TOOL_WRAPPER }, { "buildcache", TOOL_WRAPPER },
	{ "ld", TOOL_LINKER }, { "ld.bfd", TOOL_LINKER }, { "ld.gold", TOOL_LINKER },
	{ "ld.lld", TOOL_LINKER }, { "lld", TOOL_LINKER }, { "gold", TOOL_LINKER },
	{ "mold", TOOL_LINKER },
	{ "ar", TOOL_ARCHIVER },
};

static const struct {
	const char *word;
	enum tool tool;
} words[] = {
	{ "compiler", TOOL_COMPILER }, { "wrapper", TOOL_WRAPPER }, { "linker", TOOL_LINKER },
	{ "archiver", TOOL_ARCHIVER },
};

static bool add_line(struct tools *t, char *line)
{
	char *save, *word, *name;

	line[strcspn(line, "#\n")] = 0;
	word = strtok_r(line, " \t", &save);
	if (!word)
		return true;
	name = strtok_r(NULL, " \t", &save);
	if (!name || strtok_r(NULL, " \t", &save))
		return false;
	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
		if (strcmp(words[i].word, word))
			continue;
		t->added = xgrow(t->added, &t->cap, t->n + 1, sizeof(*t->added));
		t->added[t->n++] = (struct tool_name){ xstrdup(name), words[i].tool };
		return true;
	}
	return false;
}

bool tools_read(struct tools *t, const char *path, struct diag *diag)
{
	FILE *f = fopen(path, "re");
	unsigned int number = 0;
	char *line = NULL;
	size_t size = 0;
	bool ok = f;

	if (!f)
		diag_fatal(diag, "%s: %s", path, strerror(errno));
	while (ok && getline(&line, &size, f) > 0) {
		number++;
		ok = add_line(t, line);
	}
	if (f && !ok)
		diag_fatal(diag, "%s: line %u: say compiler, wrapper, linker or archiver, and a program's name",
			   path, number);
	free(line);
	if (f)
		fclose(f);
	return ok;
}

void tools_free(struct tools *t)
{
	for (size_t i = 0; i < t->n; i++)
		free(t->added[i].name);
	free(t->added);
	*t = (struct tools){ 0 };
}

/* Whether @name is @of with a target before it: "arm-linux-gnueabi-gcc". */
static bool is_named(const char *name, size_t len, const char *of)
{
	size_t n = strlen(of);

	return len >= n && !memcmp(name + len - n, of, n) &&
	       (len == n || name[len - n - 1] == '-');
}

static enum tool lookup(const struct tools *t, const char *name, size_t len)
{
	const char *hyphen = memrchr(name, '-', len), *last = hyphen ? hyphen + 1 : name;
	size_t n = len - (size_t)(last - name);

	for (size_t i = 0; i < t->n; i++)
		if (is_named(name, len, t->added[i].name))
			return t->added[i].tool;
	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++)
		if (*known[i].name == *last && !strncmp(known[i].name, last, n) && !known[i].name[n])
			return known[i].tool;
	return TOOL_NONE;
}

enum tool tools_of(const struct tools *t, const char *program)
{
	const char *slash = strrchr(program, '/'), *name = slash ? slash + 1 : program;
	size_t len = strlen(name), cut = len;
	enum tool tool = lookup(t, name, len);

	/* "gcc-12", "clang-15.0" */
	while (cut && (isdigit((unsigned char)name[cut - 1]) || name[cut - 1] == '.'))
		cut--;
	if (tool == TOOL_NONE && cut < len && cut && name[cut - 1] == '-')
		tool = lookup(t, name, cut - 1);
	return tool;
}

/* ---- arguments ---- */

/* Options whose value is the next argument, if it does not stand behind them: letters, words. */
static const char value_letters[] = "oxIDULlTuzABGehFJ";
static const char *const value_words[] = {
	"-include", "-imacros", "-isystem", "-iquote", "-idirafter", "-iprefix", "-iwithprefix",
	"-iwithprefixbefore", "-isysroot", "-imultilib", "-imultiarch", "-include-pch", "-MF", "-MT",
	"-MQ", "-MJ", "-Xpreprocessor", "-Xassembler", "-Xlinker", "-Xclang", "-Xarch_host",
	"-Xarch_device", "-Xopenmp-target", "-Xcompiler", "-arch", "-target", "-triple", "--param",
	"--sysroot", "--target", "--serialize-diagnostics", "-aux-info", "-dumpbase", "-dumpdir",
	"-dumpbase-ext", "-framework", "-install_name", "-mllvm", "-wrapper", "-specs", "-ccbin",
	"-gencode", "--crate-name", "--crate-type", "--edition", "--emit", "--cfg", "--extern",
	"--out-dir", "--version-script", "--dynamic-linker",
};

/* Those that only linkers have so: a compiler has them joined. */
static const char linker_letters[] = "CWmbRV";
static const char *const linker_words[] = {
	"-plugin", "-soname", "-dynamic-linker", "-rpath", "-rpath-link", "-Map",
};

/* Whether @s, not empty, is in a list; the second letter decides for nearly all. */
static bool is_in(const char *s, const char *const *list, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (s[1] == list[i][1] && !strcmp(s, list[i]))
			return true;
	return false;
}

#define IS_IN(s, list) is_in(s, list, sizeof(list) / sizeof((list)[0]))

static bool takes_value(const char *option, enum tool tool)
{
	bool linker = tool == TOOL_LINKER;

	if (!option[1])
		return false;
	if (!option[2])
		return strchr(value_letters, option[1]) ||
		       (linker && strchr(linker_letters, option[1]));
	return IS_IN(option, value_words) || (linker && IS_IN(option, linker_words));
}

/* With one of these a compiler compiles nothing. */
static bool asks_only(const char *arg)
{
	static const char *const whole[] = {
		"-E", "-M", "-MM", "-fsyntax-only", "--version", "-dumpversion", "-dumpmachine",
		"-dumpfullversion", "-dumpspecs", "-###", "-cc1", "-cc1as", "-qversion", "-V", "-vV",
	};
	static const char *const begins[] = { "-print-", "--print", "--help", "-help" };

	if (*arg != '-')
		return false;
	for (size_t i = 0; i < sizeof(begins) / sizeof(begins[0]); i++)
		if (arg[1] == begins[i][1] && !strncmp(arg, begins[i], strlen(begins[i])))
			return true;
	return IS_IN(arg, whole);
}

static void add(char ***list, size_t *n, size_t *cap, char *s)
{
	*list = xgrow(*list, cap, *n + 2, sizeof(**list));
	(*list)[(*n)++] = s;
	(*list)[*n] = NULL;
}

/* ---- @files ---- */

#define MAX_RESPONSE	(16u << 20)
#define MAX_DEPTH	8

/* The next word of a response file, as gcc and clang read it. */
static char *next_word(const char **at, const char *end)
{
	const char *s = *at;
	struct buf b = { 0 };
	char quote = 0;

	while (s < end && isspace((unsigned char)*s))
		s++;
	if (s == end)
		return NULL;
	for (; s < end && (quote || !isspace((unsigned char)*s)); s++) {
		if (*s == '\\' && s + 1 < end)
			buf_addc(&b, *++s);
		else if (quote && *s == quote)
			quote = 0;
		else if (!quote && (*s == '\'' || *s == '"'))
			quote = *s;
		else
			buf_addc(&b, *s);
	}
	buf_addc(&b, 0);
	*at = s;
	return b.s;
}

static char *read_file(const char *cwd, const char *name, size_t *len)
{
	struct buf path = { 0 }, text = { 0 };
	FILE *f;
	size_t n;

	if (*name != '/') {
		buf_adds(&path, cwd);
		buf_addc(&path, '/');
	}
	buf_adds(&path, name);
	buf_addc(&path, 0);
	f = fopen(path.s, "re");
	buf_free(&path);
	if (!f)
		return NULL;
	do {
		n = fread(buf_room(&text, 65536), 1, 65536, f);
		text.len += n;
	} while (n == 65536 && text.len < MAX_RESPONSE);
	fclose(f);
	*len = text.len;
	return text.s;
}

static void take_arg(struct command_line *c, char *arg, const char *cwd, unsigned int depth)
{
	const char *at, *end;
	char *text, *word;
	size_t len;

	text = *arg == '@' && arg[1] && depth < MAX_DEPTH ? read_file(cwd, arg + 1, &len) : NULL;
	if (!text) {
		add(&c->args, &c->nargs, &c->args_cap, arg);
		return;
	}
	for (at = text, end = text + len; (word = next_word(&at, end));) {
		add(&c->owned, &c->nowned, &c->owned_cap, word);
		take_arg(c, word, cwd, depth + 1);
	}
	free(text);
}

/* ---- commands ---- */

static void parse_compiler(struct command_line *c)
{
	bool compiles = false, language = false;

	for (size_t i = 1; i < c->nargs; i++) {
		char *arg = c->args[i];

		if (asks_only(arg))
			return;
		if (!strcmp(arg, "-c"))
			compiles = true;
		if (!strcmp(arg, "-S"))
			compiles = c->assembly = true;
		if (!strcmp(arg, "-o") && i + 1 < c->nargs)
			c->output = c->args[i + 1];
		else if (!strncmp(arg, "-o", 2) && arg[2])
			c->output = arg + 2;
		if (!strncmp(arg, "-x", 2))
			language = strcmp(arg[2] ? arg + 2 : i + 1 < c->nargs ? c->args[i + 1] : "",
					  "none");
		if (*arg == '-' && arg[1]) {
			i += takes_value(arg, TOOL_COMPILER);
			continue;
		}
		/* what comes from a pipe or from nowhere only tries something out */
		if (!strcmp(arg, "-") || !strcmp(arg, "/dev/null"))
			return;
		if (language || work_is_source(arg, strlen(arg)))
			add(&c->inputs, &c->ninputs, &c->inputs_cap, arg);
	}
	if (c->ninputs)
		c->kind = COMMAND_COMPILE;
	c->links = !compiles;
}

/* What is neither an option nor its value. */
static void take_objects(struct command_line *c, size_t from, enum tool tool)
{
	c->ninputs = 0;
	for (size_t i = from; i < c->nargs; i++) {
		char *arg = c->args[i];

		if (*arg != '-')
			add(&c->inputs, &c->ninputs, &c->inputs_cap, arg);
		else if (takes_value(arg, tool))
			i++;
	}
}

static void parse_linker(struct command_line *c, enum tool tool)
{
	for (size_t i = 1; i < c->nargs; i++) {
		if (asks_only(c->args[i]))
			return;
		if (!strcmp(c->args[i], "-o") && i + 1 < c->nargs)
			c->output = c->args[++i];
		else if (!strncmp(c->args[i], "-o", 2) && c->args[i][2])
			c->output = c->args[i] + 2;
	}
	take_objects(c, 1, tool);
	if (!c->ninputs)
		return;
	c->kind = COMMAND_LINK;
	if (!c->output)
		c->output = "a.out";
}

/* "ar rcs lib.a a.o b.o": only what puts members into an archive. */
static void parse_archiver(struct command_line *c)
{
	size_t i = 1;
	const char *keys;

	while (i < c->nargs && !strncmp(c->args[i], "--", 2))
		i++;
	if (i + 1 >= c->nargs)
		return;
	keys = c->args[i++];
	if (!strpbrk(keys, "rq"))
		return;
	c->output = c->args[i++];
	take_objects(c, i, TOOL_ARCHIVER);
	if (c->ninputs)
		c->kind = COMMAND_ARCHIVE;
}

bool command_of_tool(const struct tools *t, const char *program, const char *first)
{
	enum tool tool = tools_of(t, program);

	if (tool == TOOL_NONE && *first != '-') {
		/* a script of a compiler's name, as its interpreter sees it */
		tool = tools_of(t, first);
		return tool != TOOL_NONE && tool != TOOL_WRAPPER;
	}
	return tool != TOOL_NONE;
}

void command_parse(struct command_line *c, const struct tools *t, char **args, size_t n,
		   const char *cwd)
{
	enum tool tool = n ? tools_of(t, args[0]) : TOOL_NONE;

	*c = (struct command_line){ 0 };
	/* a script of a compiler's name, as its interpreter sees it */
	if (tool == TOOL_NONE && n > 1 && *args[1] != '-') {
		tool = tools_of(t, args[1]);
		if (tool == TOOL_NONE || tool == TOOL_WRAPPER)
			return;
		args++;
		n--;
	}
	c->wrappers = args;
	while (tool == TOOL_WRAPPER && n > 1) {
		c->nwrappers++;
		args++;
		n--;
		tool = *args[0] == '-' ? TOOL_NONE : tools_of(t, args[0]);
	}
	if (tool == TOOL_NONE || tool == TOOL_WRAPPER)
		return;
	for (size_t i = 0; i < n; i++)
		take_arg(c, args[i], cwd, i ? 0 : MAX_DEPTH);
	if (tool == TOOL_COMPILER) {
		parse_compiler(c);
		if (c->kind == COMMAND_OTHER && c->links)
			parse_linker(c, tool);
	} else if (tool == TOOL_LINKER) {
		parse_linker(c, tool);
	} else {
		parse_archiver(c);
	}
}

void command_free(struct command_line *c)
{
	for (size_t i = 0; i < c->nowned; i++)
		free(c->owned[i]);
	free(c->owned);
	free(c->args);
	free(c->inputs);
	*c = (struct command_line){ 0 };
}

const char *command_output(const struct command_line *c, const char *source, char *buf,
			   size_t size)
{
	const char *slash = strrchr(source, '/'), *name = slash ? slash + 1 : source;
	const char *dot = strrchr(name, '.');

	if (c->output)
		return c->output;
	if (c->links)
		return "a.out";
	snprintf(buf, size, "%.*s.%c", (int)(dot ? dot - name : (int)strlen(name)), name,
		 c->assembly ? 's' : 'o');
	return buf;
}
