/* SPDX-License-Identifier: LGPL-2.1 */
/*
 * Questions about the builds in ClickHouse: each has a row in the table in query.c, and
 * its statements in ask-*.sql.  Options and arguments replace words between at signs in
 * them:
 *
 *	@db@		the database
 *	@when@		condition on the view build: the build is selected
 *	@rows@		on the tables step_rows, file_rows, access_rows: the row is of a
 *			selected build, and counts
 *	@now@		the parts of the selected builds, for IN
 *	@both@		as @rows@, also for the equally long span before
 *	@only@, @order@	from the row of the table
 *	@path@, @package@	conditions on file_rows: match the argument
 *	@files@		condition: (build, file) is in the rows that the first part showed
 *	@shown@, @limit@	number of rows to show; one more, to know whether there are more
 *
 * These conditions are in the statements, not in views of the tables, so that days that are
 * not selected are not read, and each server of a cluster sums up its own rows.
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
	const char *name;	/* name of its rows in JSON; NULL if none */
	const char *heading;	/* above its table; NULL if none */
	const char *none;	/* printed if there are no rows; NULL for nothing */
	bool of_first;		/* it is about rows of the first part: skipped if that has none */
};
#define QUERY_PARTS 3

struct query {
	const char *name;
	const char *args;	/* its arguments; NULL if none */
	const char *about;	/* description of one line */
	const char *sql;	/* a statement for each part */
	const char *only, *order;
	struct query_part parts[QUERY_PARTS];
};

/** query_all - the table of all questions; the last row has no name */
const struct query *query_all(void);
const struct query *query_find(const char *name);

/** query_parts - number of statements of a question */
size_t query_parts(const struct query *q);

/* Which builds are selected, and other options. */
struct query_options {
	const char *database;
	int64_t since, until;	/* began in [since, until), seconds since 1970 */
	const char *project, *host;	/* NULL for all */
	const char **tags;	/* "K=V"; builds must have all of them */
	size_t ntags;
	const char *arg;	/* NULL if none */
	uint64_t limit;		/* rows to show */
	/*
	 * The answer to the first part; NULL if not known.  A server finds rows at once if the
	 * statement names them, but reads the whole table for rows that a subquery selects.
	 */
	const struct server_answer *first;
};

/** query_make - append the statement of a part to @to, with a NUL behind it */
void query_make(const struct query *q, size_t part, const struct query_options *o, struct buf *to);

/**
 * query_put - print an answer: as a table, or as one JSON object per line and row
 * @limit: rows to show
 */
void query_put(const struct query *q, size_t part, const struct server_answer *a, uint64_t limit,
	       struct out *out, bool json);

#endif
