/* SPDX-License-Identifier: LGPL-2.1 */
/*
 * Why two builds made different things of the same inputs.
 *
 * From a file that differs, its data is followed back through the programs that wrote it, as long
 * as what they read differs, or is not known: what is known to be equal brought no difference.
 * Each program on the way gives clues: what it read or asked the kernel for, what it is, and what
 * of its command and environment differs.  The contents of the files give more, if they are still
 * what the build left.  The clues are sorted by how much they say.
 */
#ifndef ETRACE_DIFFERENT_H
#define ETRACE_DIFFERENT_H

#include "answers/diff.h"

/* In this order if nothing else decides. */
enum different_cause {
	DIFFERENT_TOOL, DIFFERENT_INPUT, DIFFERENT_PID, DIFFERENT_HOST, DIFFERENT_CPUS,
	DIFFERENT_RANDOM, DIFFERENT_LOCALE, DIFFERENT_ENV, DIFFERENT_LISTING, DIFFERENT_WRITERS,
	DIFFERENT_TIME, DIFFERENT_PATH, DIFFERENT_NET, DIFFERENT_MEMORY, DIFFERENT_UNKNOWN,
	DIFFERENT_NCAUSES
};
extern const char *const different_names[DIFFERENT_NCAUSES];

/*
 * Weights, in percent of certainty that this is the cause.  From DIFFERENT_SEEN on, the record or
 * the contents show that it differs; from DIFFERENT_LIKELY on, a program used it.
 */
#define DIFFERENT_SEEN		80
#define DIFFERENT_LIKELY	40
/* Random numbers that a program takes when it starts. */
#define DIFFERENT_SEEDS		44

struct different_clue {
	uint8_t cause;		/* enum different_cause */
	uint8_t weight;		/* 1 to 100 */
	uint32_t unit;		/* of the second build; 0 if it is about none */
	char *text;
};

/* A unit that the difference may have come from or through. */
struct different_unit {
	uint32_t unit;
	bool carries;		/* an input, or its command, is known to differ: it may only pass that on */
	uint32_t root;		/* as in struct different_file */
};

/* Versions that differ, or may. */
struct different_file {
	uint32_t first, second;	/* versions; @first is 0 if not known */
	uint32_t file;		/* name in the second build; 0 for a pipe */
	uint32_t root;		/* index in different.files of what led here */
};

/* A file that differs, and why. */
struct different {
	struct diff *d;
	char *kept_from, *kept_to;	/* files of the first build below @kept_from are below @kept_to */
	struct different_unit *units;	/* those that wrote it first */
	size_t nunits, units_cap;
	struct different_file *files;	/* files[0] is what was asked about */
	size_t nfiles, files_cap;
	uint32_t root;		/* of what is added next */
	/* if files[0] is gone: an output that was made from it, and differs; second is 0 if none */
	struct different_file shown;
	struct map64 seen;	/* versions of @files; units of @units, as a number above 32 bits */
	uint32_t start;		/* directory of the second build: a file */
	unsigned int texts;	/* that were looked at */
	struct different_clue *clues;	/* the heaviest first */
	size_t nclues, clues_cap;
	bool compared;		/* contents seen: text, and no time was found in what differs */
	bool scanned;		/* contents seen: no text, not compressed, and no time was found */
	bool both;		/* contents seen, of both builds, and what differs is printable */
	bool by_order;		/* contents seen: the same parts in another order */
	bool passed_args;	/* arguments differ, and nothing known explains them */
};

/**
 * different_find - find what differs: @file of the second build; the first thing that does if 0
 *
 * d must be set and compared; sets files[0].  Return: false if nothing differs.
 */
bool different_find(struct different *w, uint32_t file);

/** different_explain - find clues; release with different_free() in any case */
void different_explain(struct different *w);
void different_free(struct different *w);

/** different_put - print the answer */
void different_put(const struct different *w, struct out *out, bool json);

/* ---- between the files ---- */

/** different_clue - add a clue; @text: printf format */
__attribute__((format(printf, 5, 6)))
void different_clue(struct different *w, enum different_cause cause, unsigned int weight,
		    uint32_t unit, const char *text, ...);

/* What shows a cause: see different_signs.c. */
struct different_sign {
	/*
	 * Of a program, with one of its arguments if it needs one; or a path; one that ends in
	 * '/': all below.
	 */
	const char *name;
	uint8_t cause, weight;
	const char *what;	/* what the program does */
};

/** different_program, different_path - what a program, or a file that it reads, shows; or NULL */
const struct different_sign *different_program(const char *name);
const struct different_sign *different_path(const char *path, size_t len);

/** different_shows - whether different_look_at_text() would find what it gives */
bool different_shows(const struct different_sign *sign);

/** different_keeps_times - whether a program keeps the time stamps of its inputs in its output */
bool different_keeps_times(const char *name);

/**
 * different_habit - the weight that what a program did has, less if such programs always do that
 *
 * They read random numbers for hashes and for names of files, or the amount of memory, when they
 * start, whatever they make.
 */
unsigned int different_habit(const char *name, enum different_cause cause, unsigned int weight);

/** different_is_installed - whether a file is below the directory that has a unit's program in bin */
bool different_is_installed(const struct different *w, uint32_t unit, const char *path, size_t len);

/** different_names_pid - whether a number in a name is the process id of a program of the second build */
bool different_names_pid(const struct different *w, const char *name);

/** different_sorts - whether a program sorts what it finds in a directory */
bool different_sorts(const char *name);

/** different_interprets - whether a program runs its first argument that is no option */
bool different_interprets(const char *name);

/** different_variable - the cause that a variable of the environment stands for */
enum different_cause different_variable(const char *name, size_t len);

/**
 * different_decides - the cause that a variable stands in for: TZ changes what programs print as the
 *	time.  Return: DIFFERENT_NCAUSES if none
 */
enum different_cause different_decides(const char *name);

/** different_look_at_units - clues of what programs did (different_units.c) */
void different_look_at_units(struct different *w);

/** different_look_at_writers - find programs that wrote to a file at once (different_writers.c) */
void different_look_at_writers(struct different *w, const struct different_file *f);

/* When the second build may have read the clock. */
struct different_when {
	int64_t from, to;	/* s since 1970; @to: 0 if unknown */
	bool both;		/* what is looked at is known to differ */
};

/** different_time_in - a time in a text.  Return: NULL if none; @len: its length */
const char *different_time_in(const struct different_when *w, const struct buf *b, size_t *len);

/** different_number_in - whether there is a time as binary archives have it */
bool different_number_in(const struct different_when *w, const struct buf *b);

/** different_would_see - whether any time would be found: not if the build took too long */
bool different_would_see(const struct different_when *w, const struct buf *b, bool text);

/** different_look_at_contents - clues in the contents of files (different_contents.c) */
void different_look_at_contents(struct different *w);

/**
 * different_look_at_text - clues in the arguments that two builds gave instead of each other
 * @was: of the first build; NULL if it is not known
 */
void different_look_at_text(struct different *w, uint32_t unit, const struct buf *was,
			    const struct buf *is);

/* A word that stands for a cause.  @where: the path of the source; NULL: in the arguments */
typedef void different_word_fn(void *ctx, enum different_cause cause, unsigned int weight,
			       const char *word, const char *where);

/**
 * different_look_at_words - words in the source or script of a unit that stand for a cause
 * @name: of its program
 * @fn: called for each
 */
void different_look_at_words(struct different *w, uint32_t unit, const char *name,
			     different_word_fn *fn, void *ctx);

/** different_read - the content of a version of a build, if a file still has it; overwrites @to */
bool different_read(const struct different *w, unsigned int side, uint32_t version,
		    struct buf *to);

/** different_has_word - whether a text has a word that is no part of a longer one */
bool different_has_word(const struct buf *b, const char *word);

/** different_pid - the process id of a unit of a build (0, 1); 0 if unknown */
uint32_t different_pid(const struct different *w, unsigned int side, uint32_t unit);

/** different_string - a string of a build's database, NUL-terminated; freed by the caller */
char *different_string(const struct different *w, unsigned int side, uint32_t string);

#endif
