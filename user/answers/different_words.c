// SPDX-License-Identifier: LGPL-2.1
/*
 * Words in sources and scripts that stand for what differs from run to run: most of it is asked
 * without a system call, so nothing else shows it.  See different.h.
 */
#include "answers/different.h"
#include "base/xalloc.h"

#include <stdlib.h>
#include <string.h>

#define B(w) (&(w)->d->m.side[1])
#define ROWS(table) (sizeof(table) / sizeof(*(table)))
/* Larger sources are not looked at, nor more of one program. */
#define LARGEST (1u << 20)
#define SOURCES_MAX 64u

enum language {
	LANGUAGE_NONE, LANGUAGE_SHELL, LANGUAGE_PYTHON, LANGUAGE_PERL, LANGUAGE_AWK, LANGUAGE_C,
	LANGUAGE_RUBY, LANGUAGE_JS, LANGUAGE_LUA, LANGUAGE_MAKE,
};

/* Names of programs; one that ends in '*' is the beginning of a name. */
static const struct {
	const char *name;
	uint8_t language;
} languages[] = {
	{ "sh", LANGUAGE_SHELL }, { "bash", LANGUAGE_SHELL }, { "dash", LANGUAGE_SHELL },
	{ "ash", LANGUAGE_SHELL }, { "zsh", LANGUAGE_SHELL }, { "ksh*", LANGUAGE_SHELL },
	{ "busybox", LANGUAGE_SHELL }, { "python*", LANGUAGE_PYTHON }, { "perl*", LANGUAGE_PERL },
	{ "awk", LANGUAGE_AWK }, { "gawk", LANGUAGE_AWK }, { "mawk", LANGUAGE_AWK },
	{ "cc1*", LANGUAGE_C }, { "clang*", LANGUAGE_C }, { "cpp*", LANGUAGE_C },
	{ "f951", LANGUAGE_C }, { "tcc", LANGUAGE_C }, { "ruby*", LANGUAGE_RUBY },
	{ "node", LANGUAGE_JS }, { "nodejs", LANGUAGE_JS }, { "lua*", LANGUAGE_LUA },
	{ "make", LANGUAGE_MAKE }, { "gmake", LANGUAGE_MAKE },
};

static const struct {
	uint8_t language;
	const char *word;
	uint8_t cause, weight;
} words[] = {
	{ LANGUAGE_C, "__DATE__", DIFFERENT_TIME, 72 },
	{ LANGUAGE_C, "__TIME__", DIFFERENT_TIME, 72 },
	{ LANGUAGE_C, "__TIMESTAMP__", DIFFERENT_TIME, 72 },
	{ LANGUAGE_SHELL, "EPOCHSECONDS", DIFFERENT_TIME, 60 },
	{ LANGUAGE_SHELL, "EPOCHREALTIME", DIFFERENT_TIME, 60 },
	{ LANGUAGE_SHELL, "SECONDS", DIFFERENT_TIME, 50 },
	{ LANGUAGE_SHELL, "RANDOM", DIFFERENT_RANDOM, 60 },
	{ LANGUAGE_SHELL, "SRANDOM", DIFFERENT_RANDOM, 60 },
	{ LANGUAGE_SHELL, "$$", DIFFERENT_PID, 50 },
	{ LANGUAGE_SHELL, "BASHPID", DIFFERENT_PID, 50 },
	{ LANGUAGE_SHELL, "HOSTNAME", DIFFERENT_HOST, 50 },
	{ LANGUAGE_PYTHON, "time.time", DIFFERENT_TIME, 56 },
	{ LANGUAGE_PYTHON, "time_ns", DIFFERENT_TIME, 56 },
	{ LANGUAGE_PYTHON, "strftime", DIFFERENT_TIME, 52 },
	{ LANGUAGE_PYTHON, "ctime", DIFFERENT_TIME, 56 },
	{ LANGUAGE_PYTHON, "now", DIFFERENT_TIME, 56 },
	{ LANGUAGE_PYTHON, "utcnow", DIFFERENT_TIME, 56 },
	{ LANGUAGE_PYTHON, "perf_counter", DIFFERENT_TIME, 56 },
	{ LANGUAGE_PYTHON, "monotonic", DIFFERENT_TIME, 56 },
	{ LANGUAGE_PYTHON, "random", DIFFERENT_RANDOM, 57 },
	{ LANGUAGE_PYTHON, "urandom", DIFFERENT_RANDOM, 57 },
	{ LANGUAGE_PYTHON, "secrets", DIFFERENT_RANDOM, 57 },
	{ LANGUAGE_PYTHON, "uuid", DIFFERENT_RANDOM, 57 },
	{ LANGUAGE_PYTHON, "hash", DIFFERENT_RANDOM, 47 },
	{ LANGUAGE_PYTHON, "set", DIFFERENT_RANDOM, 47 },
	{ LANGUAGE_PYTHON, "frozenset", DIFFERENT_RANDOM, 47 },
	{ LANGUAGE_PYTHON, "getpid", DIFFERENT_PID, 56 },
	{ LANGUAGE_PYTHON, "gethostname", DIFFERENT_HOST, 56 },
	{ LANGUAGE_PYTHON, "platform", DIFFERENT_HOST, 48 },
	{ LANGUAGE_PYTHON, "cpu_count", DIFFERENT_CPUS, 52 },
	{ LANGUAGE_PYTHON, "listdir", DIFFERENT_LISTING, 54 },
	{ LANGUAGE_PYTHON, "scandir", DIFFERENT_LISTING, 54 },
	{ LANGUAGE_PYTHON, "iterdir", DIFFERENT_LISTING, 54 },
	{ LANGUAGE_PYTHON, "os.walk", DIFFERENT_LISTING, 54 },
	{ LANGUAGE_PYTHON, "glob", DIFFERENT_LISTING, 54 },
	{ LANGUAGE_PERL, "time", DIFFERENT_TIME, 50 },
	{ LANGUAGE_PERL, "localtime", DIFFERENT_TIME, 56 },
	{ LANGUAGE_PERL, "gmtime", DIFFERENT_TIME, 56 },
	{ LANGUAGE_PERL, "rand", DIFFERENT_RANDOM, 57 },
	{ LANGUAGE_PERL, "keys", DIFFERENT_RANDOM, 47 },
	{ LANGUAGE_PERL, "each", DIFFERENT_RANDOM, 47 },
	{ LANGUAGE_PERL, "$$", DIFFERENT_PID, 52 },
	{ LANGUAGE_PERL, "readdir", DIFFERENT_LISTING, 54 },
	{ LANGUAGE_AWK, "systime", DIFFERENT_TIME, 60 },
	{ LANGUAGE_AWK, "strftime", DIFFERENT_TIME, 60 },
	{ LANGUAGE_AWK, "srand", DIFFERENT_RANDOM, 60 },
	{ LANGUAGE_RUBY, "Time.now", DIFFERENT_TIME, 56 },
	{ LANGUAGE_RUBY, "rand", DIFFERENT_RANDOM, 57 },
	{ LANGUAGE_RUBY, "SecureRandom", DIFFERENT_RANDOM, 57 },
	{ LANGUAGE_RUBY, "$$", DIFFERENT_PID, 52 },
	{ LANGUAGE_JS, "Date", DIFFERENT_TIME, 52 },
	{ LANGUAGE_JS, "Math.random", DIFFERENT_RANDOM, 57 },
	{ LANGUAGE_JS, "randomUUID", DIFFERENT_RANDOM, 57 },
	{ LANGUAGE_JS, "readdirSync", DIFFERENT_LISTING, 54 },
	{ LANGUAGE_LUA, "os.time", DIFFERENT_TIME, 56 },
	{ LANGUAGE_LUA, "os.date", DIFFERENT_TIME, 56 },
	{ LANGUAGE_LUA, "math.random", DIFFERENT_RANDOM, 57 },
	{ LANGUAGE_MAKE, "wildcard", DIFFERENT_LISTING, 40 },
};

static enum language language_of(const char *name)
{
	for (size_t i = 0; i < ROWS(languages); i++) {
		size_t n = strlen(languages[i].name);

		if (languages[i].name[n - 1] == '*' ? !strncmp(name, languages[i].name, n - 1) :
						      !strcmp(name, languages[i].name))
			return (enum language)languages[i].language;
	}
	return LANGUAGE_NONE;
}

static void look_at_words(enum language language, const struct buf *text, different_word_fn *fn,
			  void *ctx, const char *where)
{
	for (size_t i = 0; i < ROWS(words); i++)
		if (words[i].language == language && different_has_word(text, words[i].word))
			fn(ctx, (enum different_cause)words[i].cause, words[i].weight, words[i].word, where);
}

/* Sources of the build, not the system's: those are what they are for everybody. */
static bool is_source(const struct build *b, const struct match_input *in, size_t *len, const char **path)
{
	*path = build_path(b, in->file, len);
	return in->class == GRAPH_DATA && in->size <= LARGEST &&
	       !(*len > 5 && !memcmp(*path, "/usr/", 5));
}

void different_look_at_words(struct different *w, uint32_t unit, const char *name,
			     different_word_fn *fn, void *ctx)
{
	enum language language = language_of(name);
	struct match_inputs inputs = { 0 };
	struct buf text = { 0 };
	char *where;
	size_t n, len;
	const char *path;

	if (language == LANGUAGE_NONE)
		return;
	/* sh -c, python -c, perl -e, awk */
	if (language != LANGUAGE_C && language != LANGUAGE_MAKE) {
		match_args(B(w), unit, &text, &n);
		look_at_words(language, &text, fn, ctx, NULL);
	}
	match_inputs(B(w), unit, &inputs);
	for (size_t i = 0; i < inputs.n && i < SOURCES_MAX; i++) {
		if (!is_source(B(w)->b, &inputs.rows[i], &len, &path) ||
		    !different_read(w, 1, inputs.rows[i].version, &text))
			continue;
		where = xstrndup(path, len);
		look_at_words(language, &text, fn, ctx, where);
		free(where);
	}
	free(inputs.rows);
	buf_free(&text);
}
