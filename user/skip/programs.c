// SPDX-License-Identifier: GPL-2.0
/* Which programs may be skipped.  See programs.h. */
#include "skip/programs.h"
#include "base/path.h"
#include "base/words.h"

#include <fnmatch.h>
#include <stddef.h>

static const struct {
	const char *name;	/* a pattern of fnmatch() */
	enum skip_program is;
} programs[] = {
	{ "gcc", PROGRAM_BLIND }, { "*-gcc", PROGRAM_BLIND }, { "*-gcc-[0-9]*", PROGRAM_BLIND },
	{ "g++", PROGRAM_BLIND }, { "*-g++", PROGRAM_BLIND }, { "*-g++-[0-9]*", PROGRAM_BLIND },
	{ "gcc-[0-9]*", PROGRAM_BLIND }, { "g++-[0-9]*", PROGRAM_BLIND }, { "cc", PROGRAM_BLIND },
	{ "cc1", PROGRAM_BLIND }, { "cc1plus", PROGRAM_BLIND }, { "collect2", PROGRAM_BLIND },
	{ "lto1", PROGRAM_BLIND }, { "lto-wrapper", PROGRAM_BLIND },
	{ "as", PROGRAM_BLIND }, { "*-as", PROGRAM_BLIND },
	{ "ld", PROGRAM_BLIND }, { "ld.bfd", PROGRAM_BLIND }, { "*-ld.bfd", PROGRAM_BLIND },
	/* these have options that compare or keep times */
	{ "ar", PROGRAM_YES }, { "*-ar", PROGRAM_YES }, { "ranlib", PROGRAM_YES },
	{ "*-ranlib", PROGRAM_YES }, { "*-strip", PROGRAM_YES }, { "*-objcopy", PROGRAM_YES },
	{ "cp", PROGRAM_YES }, { "mv", PROGRAM_YES }, { "rm", PROGRAM_YES },
	{ "install", PROGRAM_YES }, { "mkdir", PROGRAM_YES }, { "chmod", PROGRAM_YES },
	{ "ln", PROGRAM_YES }, { "touch", PROGRAM_YES }, { "cat", PROGRAM_YES },
	{ "echo", PROGRAM_YES }, { "printf", PROGRAM_YES }, { "true", PROGRAM_YES },
	{ "false", PROGRAM_YES },
	{ "sed", PROGRAM_YES }, { "grep", PROGRAM_YES }, { "head", PROGRAM_YES },
	{ "tail", PROGRAM_YES }, { "tr", PROGRAM_YES }, { "cut", PROGRAM_YES },
	{ "sort", PROGRAM_YES }, { "uniq", PROGRAM_YES }, { "wc", PROGRAM_YES },
	{ "cmp", PROGRAM_YES }, { "expr", PROGRAM_YES }, { "basename", PROGRAM_YES },
	{ "dirname", PROGRAM_YES }, { "env", PROGRAM_YES },
	{ "sha256sum", PROGRAM_YES }, { "xxd", PROGRAM_YES },
	{ "dash", PROGRAM_SHELL }, { "sh", PROGRAM_SHELL }, { "bash", PROGRAM_SHELL },
	/* their arguments are words of a shell: -nt */
	{ "test", PROGRAM_SHELL }, { "[", PROGRAM_SHELL },
};

#define CLOCK "an option makes it use the clock"

/* Options, as patterns of fnmatch(), that do what a recording does not show. */
static const struct {
	const char *program, *option, *why;
} options[] = {
	{ "*as", "-a*", CLOCK }, { "*as", "--stat*", CLOCK },
	{ "ld*", "-stats", CLOCK }, { "ld*", "--stats", CLOCK },
	{ "*-ld.bfd", "-stats", CLOCK }, { "*-ld.bfd", "--stats", CLOCK },
	/* the number of a build in files of coverage */
	{ "cc1*", "-ftest-coverage", CLOCK }, { "cc1*", "-fprofile-arcs", CLOCK },
	{ "cc1*", "--coverage", CLOCK }, { "cc1*", "-coverage", CLOCK },
	{ "cc1*", "-ftime-report*", CLOCK }, { "lto1", "-ftime-report*", CLOCK },
	{ "*gcc*", "-time*", CLOCK }, { "*g++*", "-time*", CLOCK }, { "cc", "-time*", CLOCK },
	{ "*gcc*", "-Q", CLOCK }, { "*g++*", "-Q", CLOCK }, { "cc", "-Q", CLOCK },
	{ "env", "-C*", "it changes its directory" }, { "env", "-[0iv]*C*", "it changes its directory" },
	{ "env", "--ch*", "it changes its directory" },
};

static bool is_listed(const char *name, const char *list)
{
	size_t len = strlen(name);

	for (const char *at = list; at; at = strchr(at, ',')) {
		at += *at == ',';
		if (!strncmp(at, name, len) && (!at[len] || at[len] == ','))
			return true;
	}
	return false;
}

enum skip_program skip_program(const char *path, const char *allow)
{
	const char *name = path_base(path);

	for (size_t i = 0; i < sizeof(programs) / sizeof(programs[0]); i++)
		if (!fnmatch(programs[i].name, name, 0))
			return programs[i].is;
	return is_listed(name, allow) ? PROGRAM_YES : PROGRAM_NO;
}

bool skip_trusts(const char *path, const char *allow)
{
	return is_listed(path_base(path), allow) ||
	       (path_in(path, strlen(path), path_installed) && skip_program(path, NULL) != PROGRAM_NO);
}

const char *skip_option(const char *path, const char *arg)
{
	for (size_t i = 0; i < sizeof(options) / sizeof(*options); i++) {
		if (fnmatch(options[i].program, path_base(path), 0) || fnmatch(options[i].option, arg, 0))
			continue;
		/* as: -a=FILE and -ahls=FILE list, and only g lists the time */
		if (!strcmp(options[i].option, "-a*") && !memchr(arg, 'g', strcspn(arg, "=")))
			continue;
		return options[i].why;
	}
	return NULL;
}

/* Find a word of a language in a text that returns the time, random numbers or process ids. */
static const char *find_word(const struct buf *text, enum words_language language)
{
	const struct word *w;

	for (size_t i = 0; text->len && (w = words_next(language, &i));)
		if (w->gives <= WORDS_FOR_PID && memmem(text->s, text->len, w->word, strlen(w->word)))
			return w->word;
	return NULL;
}

static bool is_binary(const struct buf *text)
{
	return (text->len >= 4 && !memcmp(text->s, "\177ELF", 4)) ||
	       (text->len >= 7 && !memcmp(text->s, "!<arch>", 7));
}

/* Whether a command has no arguments: what follows its name. */
static bool is_alone(const char *at, const char *end)
{
	while (at < end && (*at == ' ' || *at == '\t'))
		at++;
	return at == end || strchr("\n;&|<>)}`'\"#", *at);
}

/* Whether a shell's text has a command of that name; @alone: without arguments. */
static bool has_command(const struct buf *text, const char *name, bool alone)
{
	const char *end = text->s + text->len, *at = text->s;
	size_t len = strlen(name);

	for (; at && (at = memmem(at, (size_t)(end - at), name, len)); at++) {
		const char *next = at + len;

		/* after '=' it is the value of a variable or an alias */
		if ((at == text->s || strchr("\t\n ;&|(){}`'\"\\=", at[-1])) &&
		    (next == end || strchr("\t\n ;&|<>)}`'\"", *next)) && (!alone || is_alone(next, end)))
			return true;
	}
	return false;
}

const char *skip_source_word(const struct buf *text)
{
	return is_binary(text) ? NULL : find_word(text, WORDS_OF_C);
}

const char *skip_shell_word(const struct buf *text)
{
	/* other things that are not recorded */
	static const char *const words[] = { "{$", "EPOCH", "%(", "times", "kill", "ulimit",
					     "/dev/tcp", "/dev/udp", "wait", "trap", "-nt", "-ot",
					     /* etrace run changes it */
					     "LSAN_OPTIONS" };
	/* eval may run words that another program has read; set prints all variables */
	static const char *const commands[] = { "jobs", "eval" };

	if (is_binary(text))
		return NULL;
	for (size_t i = 0; text->len && i < sizeof(words) / sizeof(*words); i++)
		if (memmem(text->s, text->len, words[i], strlen(words[i])))
			return words[i];
	for (size_t i = 0; i < sizeof(commands) / sizeof(*commands); i++)
		if (has_command(text, commands[i], false))
			return commands[i];
	return has_command(text, "set", true) ? "set" : find_word(text, WORDS_OF_SHELL);
}

const char *skip_shell_directory(const struct buf *text)
{
	static const char *const commands[] = { "cd", "chdir", "pushd", "popd" };

	for (size_t i = 0; i < sizeof(commands) / sizeof(*commands); i++)
		if (!is_binary(text) && has_command(text, commands[i], false))
			return commands[i];
	return NULL;
}
