/* SPDX-License-Identifier: LGPL-2.1 */
/*
 * Collects what went wrong: counts each kind of damage, prints the first few of each
 * with their place, and decides the exit status.  During a conversion nothing else
 * writes to standard error.
 */
#ifndef ETRACE_DIAG_H
#define ETRACE_DIAG_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "base/buf.h"

/*
 * A kind of thing to report.  Each format declares its own, static const, and
 * the address tells them apart.
 */
struct diag_kind {
	/*
	 * What is counted, as it follows a number in the summary:
	 * "12 lines of other tracers, passed over".
	 */
	const char *what;
	/* DIAG_DAMAGE: something is missing or damaged, exit status 1; DIAG_EACH: a note */
	enum { DIAG_NOTE, DIAG_DAMAGE, DIAG_EACH } level;
};

enum diag_unit {
	DIAG_NOWHERE,		/* the message names no place */
	DIAG_LINE,		/* line number, from 1 */
	DIAG_OFFSET,		/* offset in bytes, from 0 */
};

struct diag;

/**
 * diag_new - create a collector
 * @to: where messages are printed, usually stderr; NULL to count only
 * @prog: name of the program, with which each message begins; not copied
 */
struct diag *diag_new(FILE *to, const char *prog);
void diag_free(struct diag *d);

/**
 * diag_report - count one thing, and print it if it is among the first few of
 * its kind
 * @file: the input's name, NULL if none
 * @pos: line or offset, depending on @unit
 * @fmt: the message; NULL for the kind's own text
 *
 * The first DIAG_FIRST of a kind are printed (notes: the first one; DIAG_EACH: all).
 */
void diag_report(struct diag *d, const struct diag_kind *kind, const char *file,
		 enum diag_unit unit, uint64_t pos, const char *fmt, ...)
	__attribute__((format(printf, 6, 7)));
#define DIAG_FIRST 3

/** diag_count - count @n more of a kind, without printing a message */
void diag_count(struct diag *d, const struct diag_kind *kind, uint64_t n);

/** diag_fatal - print why the program cannot continue; the exit status becomes 2 */
void diag_fatal(struct diag *d, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

/** diag_total - the count of a kind so far */
uint64_t diag_total(const struct diag *d, const struct diag_kind *kind);

/** diag_next - walk over the kinds that were counted, by index @i from 0 on
 *
 * Return: the kind, with its count in @n, or NULL after the last.
 */
const struct diag_kind *diag_next(const struct diag *d, unsigned int i, uint64_t *n);

/** diag_missing - append a line for each kind of damage (DIAG_DAMAGE), with its count */
void diag_missing(const struct diag *d, struct buf *b);

/** diag_complete - whether there was neither damage nor a fatal error */
bool diag_complete(const struct diag *d);

/** diag_summary - print the count of each kind; call once at the end */
void diag_summary(struct diag *d);

/**
 * diag_stdout - flush standard output, and check that all was written
 * @prog: name of the program, with which the message begins
 * @status: exit status so far
 *
 * Return: @status, or 2 after a message if something could not be written.
 */
int diag_stdout(const char *prog, int status);

/** diag_status - exit status: 0 complete, 1 damaged or missing, 2 fatal */
int diag_status(const struct diag *d);

#endif
