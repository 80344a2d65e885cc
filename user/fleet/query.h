/* SPDX-License-Identifier: LGPL-2.1 */
/*
 * The questions about builds in ClickHouse.  Each has a row in the table in query.c, and its
 * SQL statements are in ask-*.sql.  Words between at signs in these are replaced according
 * to options and arguments:
 *
 *	@db@		the database
 *	@when@		condition on the view build: the build is selected
 *	@rows@		condition on step_rows, file_rows, access_rows: the row counts and
 *			belongs to a selected build
 *	@now@		the parts of the selected builds, for IN
 *	@both@		as @rows@, but also for the span of equal length before
 *	@only@, @order@	from the row of the table
 *	@path@, @package@	conditions on file_rows: match the argument
 *	@files@		end of a condition on (build, file): it is in a row of the first part
 *	@shown@		number of rows to show
 *	@limit@		one more, to know whether there are more rows
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
	const char *heading;	/* text above its table; NULL if none */
	const char *none;	/* printed if there are no rows; NULL for nothing */
	bool of_first;		/* about the rows of the first part; skipped if there are none */
};
#define QUERY_PARTS 3

struct query {
	const char *name;
	const char *args;	/* its arguments for help, NULL if none */
	const char *about;	/* description in one line */
	const char *sql;	/* a statement for each part */
	const char *only, *order;	/* for @only@ and @order@, NULL if not used */
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
	int64_t since, until;	/* builds that began in [since, until), s since 1970 */
	const char *project, *host;	/* NULL for all */
	const char **tags;	/* "K=V"; builds must have all of them */
	size_t ntags;
	const char *arg;	/* NULL if none */
	uint64_t limit;		/* rows to show */
	/*
	 * The answer to the first part, NULL if unknown.  A server finds rows fast if the
	 * statement lists them, but reads the whole table if a subquery selects them.
	 */
	const struct server_answer *first;
};

/** query_make - append the statement of a part and a NUL to @to */
void query_make(const struct query *q, size_t part, const struct query_options *o, struct buf *to);

/**
 * query_put - print an answer: as a table, or as one JSON object per line and row
 * @limit: rows to show
 */
void query_put(const struct query *q, size_t part, const struct server_answer *a, uint64_t limit,
	       struct out *out, bool json);

#endif
