/* SPDX-License-Identifier: LGPL-2.1 */
/* A build's facts as rows of the tables (tables-1.sql), in RowBinary.  See push.h. */
#ifndef ETRACE_FLEET_PUSH_ROWS_H
#define ETRACE_FLEET_PUSH_ROWS_H

#include "answers/packages.h"
#include "fleet/facts.h"

/* What stands in several rows of a build. */
struct push_build {
	uint8_t id[FACTS_ID];
	uint32_t pushed, begin;	/* s since 1970 */
	const char *host, *project, *name;
	const char *const *tags;	/* "KEY=VALUE" */
	size_t ntags;
	bool hashed;
	const struct packages *packages;	/* NULL: they were not asked for */
};

/* Columns of each table, as the rows have them; what begins all rows but of build is the part. */
extern const char push_build_columns[], push_step_columns[], push_file_columns[],
	push_access_columns[];

/** push_day - days since 1970 of a time in s */
uint16_t push_day(uint32_t time);

/** push_put_access - one row, without its part */
void push_put_access(struct buf *to, const struct push_build *b, const struct facts_access *a);

/** push_put_step - that of a unit */
void push_put_step(struct buf *to, const struct push_build *b, const struct facts *f, uint32_t unit);

/** push_put_file - that of a file */
void push_put_file(struct buf *to, const struct push_build *b, const struct facts *f, uint32_t file);

/** push_put_build - what follows the column parts */
void push_put_build(struct buf *to, const struct push_build *b, const struct facts *f);

#endif
