/* SPDX-License-Identifier: LGPL-2.1 */
/*
 * Chooses the rows of the format tables for a conversion, by the user's options and the
 * content of the inputs.  Opens and converts nothing.
 */
#ifndef ETRACE_CHOOSE_H
#define ETRACE_CHOOSE_H

#include "io/formats.h"

/* One source and at least one sink, all of one model. */
struct choice {
	const struct source_format *source;
	const struct sink_format *main;		/* the output format; NULL if only @extra is used */
	const struct sink_format *extra[16];	/* outputs of options like --stats */
	size_t nextra;
};

/** choose_row_detect - how well an input matches a row's format: DETECT_* */
int choose_row_detect(const struct source_format *f, struct in *in);

/** choose_detect - the first of the rows that match an input best, NULL if none */
const struct source_format *choose_detect(struct in *in);
/** choose_events - choose_detect(), but only among the rows whose source gives events of etrace */
const struct source_format *choose_events(struct in *in);

/**
 * choose_source - the name of the input format
 * @from: the format that the user named; NULL to detect it from the content
 * @in: the inputs, all of which must be of the same format
 *
 * Return: a name of source_formats, or NULL after diag_fatal().
 */
const char *choose_source(const char *from, struct in **in, size_t nin, struct diag *diag);

/**
 * choose_rows - the rows of a conversion
 * @from: from choose_source()
 * @to: name of the output format; NULL if only options like --stats give outputs
 * @in: the first input: its content decides among rows of one name
 * @opts: each option that is the flag of a row adds the output of that row
 * @ch: filled in
 *
 * If several outputs fit, the one that comes first in sink_formats is used.
 *
 * Return: false after diag_fatal().
 */
bool choose_rows(const char *from, const char *to, struct in *in, const struct opts *opts,
		 struct choice *ch, struct diag *diag);

/**
 * choose_options - check that every option given belongs to a row in use
 *
 * Return: false after diag_fatal().
 */
bool choose_options(const struct opts *opts, const struct choice *ch, struct diag *diag);

#endif
