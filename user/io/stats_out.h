/* SPDX-License-Identifier: LGPL-2.1 */
/*
 * How a summary is laid out, as text for a person or as one JSON object:
 * numbers, tables, and at the end whether the trace is complete.  What is
 * counted is the business of the summaries: *_stats.c, one for each model, and
 * report.c for etrace's events.
 */
#ifndef ETRACE_STATS_OUT_H
#define ETRACE_STATS_OUT_H

#include "io/diag.h"
#include "io/formats.h"
#include "io/json_out.h"
#include "base/tally.h"

/* The option of all summaries; a row in their tables of options. */
#define STATS_OPTION { "json", NULL, "as one JSON object" }

/* Rows that a table of what comes most has. */
#define STATS_TOP 10

/* A column of a table: @key in JSON, @head above it in text. */
struct stats_col {
	const char *key;
	const char *head;
	bool text;		/* a name; else a number */
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
 * stats_begin - a summary begins
 * @args: of the sink; its option "json" decides the form
 *
 * Return: false if nothing could be read: then nothing is to be written.
 */
bool stats_begin(struct stats *s, const struct sink_args *args);

/* One number, time span in ns, or text, in a line of its own. */
void stats_number(struct stats *s, const char *key, const char *label, uint64_t v);
void stats_time(struct stats *s, const char *key, const char *label, uint64_t ns);
void stats_text(struct stats *s, const char *key, const char *label, const char *v, size_t n);

/**
 * stats_table - a table begins
 * @title: line above it; a table without rows has none
 *
 * Then the cells of each row in order, and stats_table_end().
 */
void stats_table(struct stats *s, const char *key, const char *title,
		 const struct stats_col *cols, unsigned int ncols);
void stats_cell(struct stats *s, uint64_t v);
void stats_name(struct stats *s, const char *v, size_t n);
void stats_table_end(struct stats *s);

/**
 * stats_top - a table of the names that come most
 * @cols: how often; then, if it is a number, the sum of its values; then a
 *        column for each part of the names, which NULs separate
 */
void stats_top(struct stats *s, const char *key, const char *title,
	       const struct stats_col *cols, unsigned int ncols, const struct tally *t);

/**
 * stats_end - whether the trace is complete, by the diag, and the end
 *
 * Return: 0 or the output's negative errno.
 */
int stats_end(struct stats *s);

/* ---- parts of it, for report.c ---- */

/**
 * stats_seconds - a time for a person: seconds with as many digits as say something
 * @buf: STATS_SECONDS_SIZE bytes for it
 *
 * Return: @buf.
 */
const char *stats_seconds(char *buf, uint64_t ns);
#define STATS_SECONDS_SIZE 40
/* The same, for a place in a call's arguments. */
#define STATS_SECONDS(ns) stats_seconds((char[STATS_SECONDS_SIZE]) { 0 }, ns)

/** stats_put_name - a name as text, at least @width wide; longer ones lose their beginning */
void stats_put_name(struct out *out, const char *name, size_t n, size_t width);

/** stats_put_low - a line that says by how much the counts may be too low, if they may */
void stats_put_low(struct out *out, const struct tally *t);

/** stats_json_low - as member "@key_low_by", if there are estimates */
void stats_json_low(struct json *j, const char *key, const struct tally *t);

/** stats_put_damage - a line for each kind of damage */
void stats_put_damage(struct out *out, const struct diag *diag);

/** stats_json_damage - as member "damage" */
void stats_json_damage(struct json *j, const struct diag *diag);

#endif
