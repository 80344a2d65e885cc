/* SPDX-License-Identifier: LGPL-2.1 */
/*
 * Writes a summary, as text for people or as one JSON object: numbers, tables, and
 * at the end whether the trace is complete.  The counting is done by a *_stats.c for each
 * model, and by report.c for etrace's events.
 */
#ifndef ETRACE_STATS_OUT_H
#define ETRACE_STATS_OUT_H

#include "io/diag.h"
#include "io/formats.h"
#include "io/json_out.h"
#include "base/tally.h"

/* The option that all summaries have, as a row for their tables of options. */
#define STATS_OPTION { "json", NULL, "as one JSON object" }

/* Number of rows of stats_top(). */
#define STATS_TOP 10

/* A column of a table: @key in JSON, @head above it in text. */
struct stats_col {
	const char *key;
	const char *head;
	bool text;		/* it contains names; otherwise numbers */
};

struct stats {
	struct out *out;
	const struct diag *diag;
	bool json;
	struct json j;
	/* the table that is being written */
	const char *title;
	const struct stats_col *cols;
	unsigned int ncols, col;
	bool any;
};

/**
 * stats_begin - begin a summary
 * @args: the sink's; the option "json" decides the form
 *
 * Return: false if the trace could not be read at all: write no summary then.
 */
bool stats_begin(struct stats *s, const struct sink_args *args);

/* Write a number, a time span in ns, or a text, on a separate line. */
void stats_number(struct stats *s, const char *key, const char *label, uint64_t v);
void stats_time(struct stats *s, const char *key, const char *label, uint64_t ns);
void stats_text(struct stats *s, const char *key, const char *label, const char *v, size_t n);

/**
 * stats_table - begin a table
 * @title: the line above it; left out if the table has no rows
 *
 * Then write the cells of each row in order, and call stats_table_end().
 */
void stats_table(struct stats *s, const char *key, const char *title,
		 const struct stats_col *cols, unsigned int ncols);
void stats_cell(struct stats *s, uint64_t v);
void stats_name(struct stats *s, const char *v, size_t n);
void stats_table_end(struct stats *s);

/**
 * stats_top - write a table of the most frequent names
 * @cols: the count; then, if that column is a number, the sum of the values; then a
 *        column for each part of the names, which NULs separate
 */
void stats_top(struct stats *s, const char *key, const char *title,
	       const struct stats_col *cols, unsigned int ncols, const struct tally *t);

/**
 * stats_end - write whether the trace is complete, as the diag knows it, and end the summary
 *
 * Return: 0 or the output's negative errno.
 */
int stats_end(struct stats *s);

/* ---- parts of a summary, for report.c ---- */

/**
 * stats_seconds - format a time as text in seconds, with at least three significant digits
 * @buf: STATS_SECONDS_SIZE bytes for it
 *
 * Return: @buf.
 */
const char *stats_seconds(char *buf, uint64_t ns);
#define STATS_SECONDS_SIZE 40
/* Like stats_seconds(), in a buffer that is valid in the enclosing block: for arguments. */
#define STATS_SECONDS(ns) stats_seconds((char[STATS_SECONDS_SIZE]) { 0 }, ns)

/**
 * stats_put_name - write a name, padded to @width bytes; the beginning of a longer one is cut off
 */
void stats_put_name(struct out *out, const char *name, size_t n, size_t width);

/** stats_put_low - if counts may be too low, write a line with the largest possible error */
void stats_put_low(struct out *out, const struct tally *t);

/** stats_json_low - if counts may be too low, write "@key_low_by": the largest possible error */
void stats_json_low(struct json *j, const char *key, const struct tally *t);

/** stats_put_damage - write a line for each kind of damage */
void stats_put_damage(struct out *out, const struct diag *diag);

/** stats_json_damage - write the kinds of damage as member "damage" */
void stats_json_damage(struct json *j, const struct diag *diag);

#endif
