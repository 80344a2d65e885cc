// SPDX-License-Identifier: LGPL-2.1
/* Words whose value differs from run to run.  See words.h. */
#include "base/words.h"

#include <string.h>

#define ROWS(table) (sizeof(table) / sizeof(*(table)))

/* Names of programs; one that ends in '*' is the beginning of a name. */
static const struct {
	const char *name;
	uint8_t language;
} languages[] = {
	{ "sh", WORDS_OF_SHELL }, { "bash", WORDS_OF_SHELL }, { "dash", WORDS_OF_SHELL },
	{ "ash", WORDS_OF_SHELL }, { "zsh", WORDS_OF_SHELL }, { "ksh*", WORDS_OF_SHELL },
	{ "busybox", WORDS_OF_SHELL }, { "python*", WORDS_OF_PYTHON }, { "perl*", WORDS_OF_PERL },
	{ "awk", WORDS_OF_AWK }, { "gawk", WORDS_OF_AWK }, { "mawk", WORDS_OF_AWK },
	{ "cc1*", WORDS_OF_C }, { "clang*", WORDS_OF_C }, { "cpp*", WORDS_OF_C },
	{ "f951", WORDS_OF_C }, { "tcc", WORDS_OF_C }, { "ruby*", WORDS_OF_RUBY },
	{ "node", WORDS_OF_JS }, { "nodejs", WORDS_OF_JS }, { "lua*", WORDS_OF_LUA },
	{ "make", WORDS_OF_MAKE }, { "gmake", WORDS_OF_MAKE },
};

static const struct word words[] = {
	{ WORDS_OF_C, "__DATE__", WORDS_FOR_TIME, 72 },
	{ WORDS_OF_C, "__TIME__", WORDS_FOR_TIME, 72 },
	{ WORDS_OF_C, "__TIMESTAMP__", WORDS_FOR_TIME, 72 },
	{ WORDS_OF_SHELL, "EPOCHSECONDS", WORDS_FOR_TIME, 60 },
	{ WORDS_OF_SHELL, "EPOCHREALTIME", WORDS_FOR_TIME, 60 },
	{ WORDS_OF_SHELL, "SECONDS", WORDS_FOR_TIME, 50 },
	{ WORDS_OF_SHELL, "RANDOM", WORDS_FOR_RANDOM, 60 },
	{ WORDS_OF_SHELL, "SRANDOM", WORDS_FOR_RANDOM, 60 },
	{ WORDS_OF_SHELL, "$$", WORDS_FOR_PID, 50 },
	{ WORDS_OF_SHELL, "BASHPID", WORDS_FOR_PID, 50 },
	{ WORDS_OF_SHELL, "PPID", WORDS_FOR_PID, 50 },
	{ WORDS_OF_SHELL, "$!", WORDS_FOR_PID, 50 },
	{ WORDS_OF_SHELL, "HOSTNAME", WORDS_FOR_HOST, 50 },
	{ WORDS_OF_PYTHON, "time.time", WORDS_FOR_TIME, 56 },
	{ WORDS_OF_PYTHON, "time_ns", WORDS_FOR_TIME, 56 },
	{ WORDS_OF_PYTHON, "strftime", WORDS_FOR_TIME, 52 },
	{ WORDS_OF_PYTHON, "ctime", WORDS_FOR_TIME, 56 },
	{ WORDS_OF_PYTHON, "now", WORDS_FOR_TIME, 56 },
	{ WORDS_OF_PYTHON, "utcnow", WORDS_FOR_TIME, 56 },
	{ WORDS_OF_PYTHON, "perf_counter", WORDS_FOR_TIME, 56 },
	{ WORDS_OF_PYTHON, "monotonic", WORDS_FOR_TIME, 56 },
	{ WORDS_OF_PYTHON, "random", WORDS_FOR_RANDOM, 57 },
	{ WORDS_OF_PYTHON, "urandom", WORDS_FOR_RANDOM, 57 },
	{ WORDS_OF_PYTHON, "secrets", WORDS_FOR_RANDOM, 57 },
	{ WORDS_OF_PYTHON, "uuid", WORDS_FOR_RANDOM, 57 },
	{ WORDS_OF_PYTHON, "hash", WORDS_FOR_RANDOM, 47 },
	{ WORDS_OF_PYTHON, "set", WORDS_FOR_RANDOM, 47 },
	{ WORDS_OF_PYTHON, "frozenset", WORDS_FOR_RANDOM, 47 },
	{ WORDS_OF_PYTHON, "getpid", WORDS_FOR_PID, 56 },
	{ WORDS_OF_PYTHON, "gethostname", WORDS_FOR_HOST, 56 },
	{ WORDS_OF_PYTHON, "platform", WORDS_FOR_HOST, 48 },
	{ WORDS_OF_PYTHON, "cpu_count", WORDS_FOR_CPUS, 52 },
	{ WORDS_OF_PYTHON, "listdir", WORDS_FOR_LISTING, 54 },
	{ WORDS_OF_PYTHON, "scandir", WORDS_FOR_LISTING, 54 },
	{ WORDS_OF_PYTHON, "iterdir", WORDS_FOR_LISTING, 54 },
	{ WORDS_OF_PYTHON, "os.walk", WORDS_FOR_LISTING, 54 },
	{ WORDS_OF_PYTHON, "glob", WORDS_FOR_LISTING, 54 },
	{ WORDS_OF_PYTHON, "threading", WORDS_FOR_THREADS, 67 },
	{ WORDS_OF_PYTHON, "ThreadPoolExecutor", WORDS_FOR_THREADS, 67 },
	{ WORDS_OF_PYTHON, "ProcessPoolExecutor", WORDS_FOR_THREADS, 67 },
	{ WORDS_OF_PYTHON, "multiprocessing", WORDS_FOR_THREADS, 67 },
	{ WORDS_OF_PYTHON, "asyncio", WORDS_FOR_THREADS, 67 },
	{ WORDS_OF_PYTHON, "environ", WORDS_FOR_ENV, 46 },
	{ WORDS_OF_PYTHON, "getenv", WORDS_FOR_ENV, 46 },
	{ WORDS_OF_PERL, "time", WORDS_FOR_TIME, 50 },
	{ WORDS_OF_PERL, "localtime", WORDS_FOR_TIME, 56 },
	{ WORDS_OF_PERL, "gmtime", WORDS_FOR_TIME, 56 },
	{ WORDS_OF_PERL, "rand", WORDS_FOR_RANDOM, 57 },
	{ WORDS_OF_PERL, "keys", WORDS_FOR_RANDOM, 47 },
	{ WORDS_OF_PERL, "each", WORDS_FOR_RANDOM, 47 },
	{ WORDS_OF_PERL, "$$", WORDS_FOR_PID, 52 },
	{ WORDS_OF_PERL, "readdir", WORDS_FOR_LISTING, 54 },
	{ WORDS_OF_PERL, "ENV", WORDS_FOR_ENV, 46 },
	{ WORDS_OF_AWK, "ENVIRON", WORDS_FOR_ENV, 46 },
	{ WORDS_OF_AWK, "systime", WORDS_FOR_TIME, 60 },
	{ WORDS_OF_AWK, "strftime", WORDS_FOR_TIME, 60 },
	{ WORDS_OF_AWK, "srand", WORDS_FOR_RANDOM, 60 },
	{ WORDS_OF_RUBY, "Time.now", WORDS_FOR_TIME, 56 },
	{ WORDS_OF_RUBY, "rand", WORDS_FOR_RANDOM, 57 },
	{ WORDS_OF_RUBY, "SecureRandom", WORDS_FOR_RANDOM, 57 },
	{ WORDS_OF_RUBY, "$$", WORDS_FOR_PID, 52 },
	{ WORDS_OF_RUBY, "ENV", WORDS_FOR_ENV, 46 },
	{ WORDS_OF_JS, "process.env", WORDS_FOR_ENV, 46 },
	{ WORDS_OF_JS, "Date", WORDS_FOR_TIME, 52 },
	{ WORDS_OF_JS, "Math.random", WORDS_FOR_RANDOM, 57 },
	{ WORDS_OF_JS, "randomBytes", WORDS_FOR_RANDOM, 57 },
	{ WORDS_OF_JS, "getRandomValues", WORDS_FOR_RANDOM, 57 },
	{ WORDS_OF_JS, "randomUUID", WORDS_FOR_RANDOM, 57 },
	{ WORDS_OF_JS, "readdirSync", WORDS_FOR_LISTING, 54 },
	{ WORDS_OF_LUA, "os.time", WORDS_FOR_TIME, 56 },
	{ WORDS_OF_LUA, "os.date", WORDS_FOR_TIME, 56 },
	{ WORDS_OF_LUA, "math.random", WORDS_FOR_RANDOM, 57 },
	{ WORDS_OF_LUA, "os.getenv", WORDS_FOR_ENV, 46 },
	{ WORDS_OF_MAKE, "wildcard", WORDS_FOR_LISTING, 40 },
};

enum words_language words_language(const char *name)
{
	for (size_t i = 0; i < ROWS(languages); i++) {
		size_t n = strlen(languages[i].name);

		if (languages[i].name[n - 1] == '*' ? !strncmp(name, languages[i].name, n - 1) :
						      !strcmp(name, languages[i].name))
			return (enum words_language)languages[i].language;
	}
	return WORDS_OF_NONE;
}

const struct word *words_next(enum words_language language, size_t *i)
{
	while (*i < ROWS(words)) {
		const struct word *w = &words[(*i)++];

		if (w->language == language)
			return w;
	}
	return NULL;
}
