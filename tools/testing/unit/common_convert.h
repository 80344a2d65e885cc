/* SPDX-License-Identifier: GPL-2.0 */
/* Conversions in memory, for tests of any format. */
#ifndef COMMON_CONVERT_H
#define COMMON_CONVERT_H

#include <stddef.h>
#include <stdint.h>

#include "io/formats.h"

/* Bytes, followed by a NUL. */
struct bytes {
	char *data;
	size_t n, cap;
};

/** bytes_add - append */
void bytes_add(struct bytes *b, const void *data, size_t n);
void bytes_free(struct bytes *b);

/** fixture - read a file of data/; the test fails if there is none */
struct bytes fixture(const char *path);

/* What a conversion produced. */
struct conversion {
	struct bytes out;
	struct bytes messages;	/* what went to standard error, with the summary */
	int status;		/* exit status */
	size_t peak;		/* highest heap use while it ran, without the output */
};

#define OPTIONS(...) ((const struct opt_given[]){ __VA_ARGS__, { NULL, NULL } })

/**
 * convert - run the first source of a name into a sink that accepts its items
 * @from: name of the source
 * @to: name of the sink
 * @given: options, ending with a NULL name; or NULL
 */
struct conversion convert(const char *from, const char *to, const void *data, size_t n,
			  const struct opt_given *given);
void conversion_free(struct conversion *c);

/** has_line - whether a line of the text contains @what */
int has_line(const struct bytes *text, const char *what);

/** count_lines - how many lines contain @what */
size_t count_lines(const struct bytes *text, const char *what);

/** assert_fxt_clean - assert that --check finds nothing wrong with an FXT file */
void assert_fxt_clean(const void *data, size_t n);

/**
 * golden_compare - assert that a text is equal to a file of data/golden
 * @name: of the file, without .gz
 * @got: the text
 *
 * If the change is intended, ETRACE_GOLDEN=DIR writes the new files to DIR: look at each
 * difference (zdiff), then copy them into data/golden.
 */
void golden_compare(const char *name, const struct bytes *got);

/** golden_compare_some - like golden_compare(), but the text may lack some of the file's lines */
void golden_compare_some(const char *name, const struct bytes *got);

#endif
