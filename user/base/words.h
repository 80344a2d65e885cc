/* SPDX-License-Identifier: LGPL-2.1 */
/*
 * Words in sources and scripts, such as __DATE__, whose value differs from run to run. Most
 * programs get such values without a system call, so nothing else in a trace shows their use.
 */
#ifndef ETRACE_WORDS_H
#define ETRACE_WORDS_H

#include <stddef.h>
#include <stdint.h>

enum words_language {
	WORDS_OF_NONE, WORDS_OF_SHELL, WORDS_OF_PYTHON, WORDS_OF_PERL, WORDS_OF_AWK, WORDS_OF_C,
	WORDS_OF_RUBY, WORDS_OF_JS, WORDS_OF_LUA, WORDS_OF_MAKE,
};

/* What the value of a word is. Up to WORDS_FOR_PID, it is never the same in two runs. */
enum words_gives {
	WORDS_FOR_TIME, WORDS_FOR_RANDOM, WORDS_FOR_PID, WORDS_FOR_HOST, WORDS_FOR_CPUS,
	WORDS_FOR_LISTING, WORDS_FOR_ENV, WORDS_FOR_THREADS,
};

struct word {
	uint8_t language;	/* enum words_language */
	const char *word;
	uint8_t gives;		/* enum words_gives */
	uint8_t weight;		/* how likely a source with the word uses it, in percent */
};

/** words_language - the language that a program reads, by its name */
enum words_language words_language(const char *name);

/**
 * words_next - the words of a language, one after the other
 * @i: position, start with 0
 *
 * Return: NULL after the last.
 */
const struct word *words_next(enum words_language language, size_t *i);

#endif
