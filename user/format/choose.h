/* SPDX-License-Identifier: LGPL-2.1 */
/*
 * Which rows of the format tables a conversion uses: from what the user said
 * and from what the inputs look like.  Opens and converts nothing.
 */
#ifndef ETRACE_CHOOSE_H
#define ETRACE_CHOOSE_H

#include "io/formats.h"

/* One source and at least one sink, all of one model. */
struct choice {
	const struct source_format *source;
	const struct sink_format *main;		/* NULL: only flags' sinks */
	const struct sink_format *extra[16];	/* those of options like --stats */
	size_t nextra;
};

/** choose_row_detect - how far an input looks like a row's format: DETECT_* */
int choose_row_detect(const struct source_format *f, struct in *in);

/** choose_detect - the row that is the surest of an input, the first of them.  Return: NULL: none. */
const struct source_format *choose_detect(struct in *in);
/** choose_events - the same among those that give events of etrace */
const struct source_format *choose_events(struct in *in);

/**
 * choose_source - the name of the input format
 * @from: what the user says, or NULL: found out from the content
 * @in: the inputs, all of which must be of the same format
 *
 * Return: a name of source_formats, or NULL after diag_fatal().
 */
const char *choose_source(const char *from, struct in **in, size_t nin, struct diag *diag);

/**
 * choose_rows - the rows of a conversion
 * @from: from choose_source()
 * @to: name of the output, or NULL: only those of options like --stats
 * @in: the first input: among rows of one name, what it looks like counts
 * @opts: those among them that are a row's flag add its output
 * @ch: filled in
 *
 * Where several rows fit, that output is taken whose row stands first in
 * sink_formats.
 *
 * Return: false after diag_fatal().
 */
bool choose_rows(const char *from, const char *to, struct in *in, const struct opts *opts,
		 struct choice *ch, struct diag *diag);

/**
 * choose_options - every option that was given must belong to a row in use
 *
 * Return: false after diag_fatal().
 */
bool choose_options(const struct opts *opts, const struct choice *ch, struct diag *diag);

#endif
