/* SPDX-License-Identifier: LGPL-2.1 */
/*
 * Options that belong to a format.  Its row in the format table declares them, the
 * program parses them, and the format looks them up when it is opened.  So the program
 * knows none of them by name.
 */
#ifndef ETRACE_OPTIONS_H
#define ETRACE_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* One option, "--name" or "--name VALUE".  A table ends with a NULL name. */
struct opt_row {
	const char *name;	/* without the dashes; "o|output" if it has a short form, too */
	/*
	 * Name of its value in --help: "FILE", "DIR" or "USER", which shells complete; all
	 * possible values ("text|json", the default first); or another word.  "[=DIR]" if
	 * the value may be left out, NULL if the option takes none.
	 */
	const char *value;
	const char *help;	/* one line; --help wraps it */
};

/* What was given on the command line, in its order. */
struct opts {
	struct opt_given {
		const char *name;
		const char *value;	/* NULL if the option takes none */
	} *given;
	size_t n, cap;
};

/** opt_row_has - whether a table declares an option; @row may be NULL */
bool opt_row_has(const struct opt_row *row, const char *name);

/** opt_row_long - the long name; opt_row_letter - the short form, 0 if none */
const char *opt_row_long(const struct opt_row *row);
char opt_row_letter(const struct opt_row *row);

/** opt_row_getopt - has_arg for getopt_long(): no_argument, required_argument, optional_argument */
int opt_row_getopt(const struct opt_row *row);

/** opt_row_head - for --help: "--name VALUE" */
void opt_row_head(const struct opt_row *row, char *buf, size_t size);

void opts_init(struct opts *o);
void opts_free(struct opts *o);

/** opts_add - add an option that was given; neither string is copied */
void opts_add(struct opts *o, const char *name, const char *value);

/** opt_flag - whether an option was given */
bool opt_flag(const struct opts *o, const char *name);

/** opt_value - the last value given for an option, or NULL */
const char *opt_value(const struct opts *o, const char *name);

/**
 * opt_choice - the index of a word among the values of a row: "json" in "text|json" is 1
 * @value: the word; NULL for the first one
 *
 * Return: the index, -1 if there is no such word.
 */
int opt_choice(const struct opt_row *row, const char *value);

/** opt_chosen - opt_choice() of the value given last for an option; 0 if none was given */
unsigned int opt_chosen(const struct opts *o, const struct opt_row *rows, const char *name);

/**
 * opt_each - all values given for an option that may be repeated
 * @i: position, start with 0
 *
 * Return: the next value, or NULL after the last.
 */
const char *opt_each(const struct opts *o, const char *name, size_t *i);

/**
 * opt_number - the value of an option as a number within bounds
 * @v: set to the number; left alone if the option was not given
 *
 * Accepts numbers as in C: 12, 0x1f, 017.
 *
 * Return: false if the value is not a number from @min to @max.
 */
bool opt_number(const struct opts *o, const char *name, uint64_t min,
		uint64_t max, uint64_t *v);

#endif
