/* SPDX-License-Identifier: LGPL-2.1 */
/*
 * Finds out why two builds made different outputs from the same inputs.
 *
 * The search follows the data of a differing file back through the programs that wrote it, as long
 * as their inputs differ or are unknown: inputs known to be equal cannot have caused it. Each
 * program on the way gives clues: what it read or asked the kernel for, which program it is, and
 * which parts of its command and environment differ. The contents of the files give more clues, if
 * they are still what the build left. The clues are sorted by weight.
 */
#ifndef ETRACE_DIFFERENT_H
#define ETRACE_DIFFERENT_H

#include "answers/diff.h"

/* Of clues with equal weight, the earlier cause comes first. */
enum different_cause {
	DIFFERENT_TOOL, DIFFERENT_INPUT, DIFFERENT_PID, DIFFERENT_HOST, DIFFERENT_CPUS,
	DIFFERENT_RANDOM, DIFFERENT_LOCALE, DIFFERENT_ENV, DIFFERENT_LISTING, DIFFERENT_WRITERS,
	DIFFERENT_TIME, DIFFERENT_PATH, DIFFERENT_NET, DIFFERENT_MEMORY, DIFFERENT_UNKNOWN,
	DIFFERENT_NCAUSES
};
extern const char *const different_names[DIFFERENT_NCAUSES];

/*
 * Weights: how certain it is that this is the cause, in percent. From DIFFERENT_SEEN on, the
 * recording or the contents show the difference; from DIFFERENT_LIKELY on, a program used it.
 */
#define DIFFERENT_SEEN		80
#define DIFFERENT_LIKELY	40
/* Weight of random numbers that a program takes when it starts. */
#define DIFFERENT_SEEDS		44

struct different_clue {
	uint8_t cause;		/* enum different_cause */
	uint8_t weight;		/* 1 to 100 */
	uint32_t unit;		/* unit of the second build that it is about; 0 if none */
	char *text;
};

/* A unit that may have caused or passed on the difference. */
struct different_unit {
	uint32_t unit;
	/* an input or its command certainly differs, so it may only pass that difference on */
	bool carries;
	uint32_t root;		/* as in struct different_file */
};

/* A file that differs or may differ. */
struct different_file {
	uint32_t first, second;	/* its versions in both builds; @first is 0 if not known */
	uint32_t file;		/* name in the second build; 0 for a pipe */
	uint32_t root;		/* index in different.files of where the search for it began */
};

/* A file that differs, and why. */
struct different {
	struct diff *d;
	/* files of the first build in @kept_from are now in @kept_to */
	char *kept_from, *kept_to;
	struct different_unit *units;	/* the writers of files[0] come first */
	size_t nunits, units_cap;
	struct different_file *files;	/* files[0] is the file in question */
	size_t nfiles, files_cap;
	uint32_t root;		/* for files and units that are added next */
	/* if files[0] is gone: a differing output that was made from it; @second is 0 if none */
	struct different_file shown;
	struct map64 seen;	/* versions in @files; units in @units, with bit 32 set */
	uint32_t start;		/* id of the second build's directory */
	unsigned int texts;	/* how many texts were examined so far */
	struct different_clue *clues;	/* by weight, the heaviest first */
	size_t nclues, clues_cap;
	bool compared;		/* some contents were text, and their differences hold no time */
	bool scanned;		/* some contents were binary, uncompressed, and hold no time */
	/* contents of both builds were seen, and the differences are printable */
	bool both;
	bool other_words;	/* each build's text has words that are not in the other's */
	bool by_order;		/* contents have the same parts in another order */
	bool passed_args;	/* arguments differ, and nothing known explains them */
};

/**
 * different_find - find the file to explain: @file of the second build or, if 0, the first one
 * that differs
 *
 * @w->d must be set and compared; sets files[0]. Return: false if nothing differs.
 */
bool different_find(struct different *w, uint32_t file);

/** different_explain - find clues; release with different_free() in any case */
void different_explain(struct different *w);
void different_free(struct different *w);

/** different_put - print the answer */
void different_put(const struct different *w, struct out *out, bool json);

/* ---- shared by different*.c ---- */

/** different_clue - add a clue; @text: printf format */
__attribute__((format(printf, 5, 6)))
void different_clue(struct different *w, enum different_cause cause, unsigned int weight,
		    uint32_t unit, const char *text, ...);

/* A program or path that suggests a cause: see different_signs.c. */
struct different_sign {
	/*
	 * Name of a program, followed by an argument if it needs one; or a path, which matches
	 * everything below it if it ends in '/'.
	 */
	const char *name;
	uint8_t cause, weight;
	const char *what;	/* what the program does */
};

/*
 * different_program, different_path - the cause that a program, or a file that it reads, suggests;
 * NULL if none
 */
const struct different_sign *different_program(const char *name);
const struct different_sign *different_path(const char *path, size_t len);

/** different_shows - whether different_look_at_text() would find the output of a program */
bool different_shows(const struct different_sign *sign);

/** different_keeps_times - whether a program keeps the time stamps of its inputs in its output */
bool different_keeps_times(const char *name);

/**
 * different_habit - the weight of something that a program did, less if such programs always do it
 *
 * Many programs, when they start, read random numbers for hash tables and file names, or the
 * amount of memory, which does not affect their output.
 */
unsigned int different_habit(const char *name, enum different_cause cause, unsigned int weight);

/**
 * different_is_installed - whether a file is of an installed package, or below the prefix of a
 * unit's program: the directory above bin
 */
bool different_is_installed(const struct different *w, uint32_t unit, const struct build *b,
			    const char *path, size_t len);

/** different_names_pid - whether a number in a name is a process id of the second build */
bool different_names_pid(const struct different *w, const char *name);

/** different_sorts - whether a program sorts the names that it finds in a directory */
bool different_sorts(const char *name);

/** different_leaves_order - whether an argument makes a program list names unsorted, as ls -U */
bool different_leaves_order(const char *name, const char *arg);

/** different_is_module - whether an interpreter loads files with such a name as parts of a script */
bool different_is_module(const char *interpreter, const char *name, size_t len);

/** different_interprets - whether a program runs its first argument that is not an option */
bool different_interprets(const char *name);

/** different_variable - the cause that an environment variable suggests */
enum different_cause different_variable(const char *name, size_t len);

/**
 * different_decides - the cause whose effect a variable changes: TZ changes the times that
 * programs print. Return: DIFFERENT_NCAUSES if none
 */
enum different_cause different_decides(const char *name);

/** different_look_at_units - clues from what programs did (different_units.c) */
void different_look_at_units(struct different *w);

/**
 * different_look_at_writers - find programs that wrote to a file at the same time
 * (different_writers.c)
 */
void different_look_at_writers(struct different *w, const struct different_file *f);

/** different_look_at_contents - clues in the contents of files (different_contents.c) */
void different_look_at_contents(struct different *w);

/**
 * different_look_at_text - clues in arguments that differ between the builds
 * @was: of the first build; NULL if unknown
 */
void different_look_at_text(struct different *w, uint32_t unit, const struct buf *was,
			    const struct buf *is);

/*
 * Called for a word that suggests a cause. @where: the path of the source; NULL if it is in the
 * arguments
 */
typedef void different_word_fn(void *ctx, enum different_cause cause, unsigned int weight,
			       const char *word, const char *where);

/**
 * different_look_at_words - words in the source or script of a unit that suggest a cause
 * @name: name of its program
 * @fn: called for each
 */
void different_look_at_words(struct different *w, uint32_t unit, const char *name,
			     different_word_fn *fn, void *ctx);

/** different_read - the content of a version of a build, if a file still has it; overwrites @to */
bool different_read(const struct different *w, unsigned int side, uint32_t version,
		    struct buf *to);

/** different_has_word - whether a text contains a whole word */
bool different_has_word(const struct buf *b, const char *word);

/** different_pid - the process id of a unit of a build (0, 1); 0 if unknown */
uint32_t different_pid(const struct different *w, unsigned int side, uint32_t unit);

/** different_string - a string of a build's database, NUL-terminated; freed by the caller */
char *different_string(const struct different *w, unsigned int side, uint32_t string);

#endif
