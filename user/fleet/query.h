/* SPDX-License-Identifier: LGPL-2.1 */
/*
 * Questions to the builds in ClickHouse: a row of the table in query.c for each, and
 * its statements in ask-*.sql.  What was asked for comes into them at words between at
 * signs:
 *
 *	@db@		the database
 *	@when@		on the view build: a build is one of those that are asked about
 *	@rows@		on the tables step_rows, file_rows, access_rows: a row is of such a
 *			build, and counts
 *	@now@		the parts of these builds, for IN
 *	@both@		as @rows@, of the span as long before, too
 *	@only@, @order@	what the row of the table says
 *	@path@, @package@	on file_rows: what the argument means
 *	@files@		that (build, file) is in the rows that the first part has shown
 *	@shown@, @limit@	how many rows are shown; one more, to know whether there are more
 *
 * The parts stand in the statements themselves and not in the views of the same rows,
 * so that the days that are not asked about are not read, and each server of a cluster
 * sums its own up.
 */
#ifndef ETRACE_FLEET_QUERY_H
#define ETRACE_FLEET_QUERY_H

#include "base/buf.h"
#include "fleet/server.h"
#include "io/out.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* One statement of a question. */
struct query_part {
	const char *name;	/* of its rows in JSON; NULL: there is none */
	const char *heading;	/* above its table, or NULL */
	const char *none;	/* what is said if there are no rows; NULL: nothing */
	bool of_first;		/* it is about the rows of the first part: none, if they are */
};
#define QUERY_PARTS 3

struct query {
	const char *name;
	const char *args;	/* what it takes, or NULL */
	const char *about;	/* one line */
	const char *sql;	/* a statement for each part */
	const char *only, *order;
	struct query_part parts[QUERY_PARTS];
};

/** query_all - the table of them, up to one without a name */
const struct query *query_all(void);
const struct query *query_find(const char *name);

/** query_parts - how many there are */
size_t query_parts(const struct query *q);

/* Which builds are asked about, and what else. */
struct query_options {
	const char *database;
	int64_t since, until;	/* began in [since, until), seconds since 1970 */
	const char *project, *host;	/* NULL: all */
	const char **tags;	/* "K=V", each of which they have */
	size_t ntags;
	const char *arg;	/* NULL: none */
	uint64_t limit;		/* rows that are shown */
	/*
	 * What the first part was answered, or NULL: it is not known.  A server finds rows
	 * that a statement names at once, those that a part of it finds only by reading all.
	 */
	const struct server_answer *first;
};

/** query_make - the statement of a part, with a NUL behind it; appended to @to */
void query_make(const struct query *q, size_t part, const struct query_options *o, struct buf *to);

/**
 * query_put - an answer: a table for a person, or an object in a line for each row
 * @limit: rows that are shown
 */
void query_put(const struct query *q, size_t part, const struct server_answer *a, uint64_t limit,
	       struct out *out, bool json);

#endif
