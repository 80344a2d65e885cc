/* SPDX-License-Identifier: LGPL-2.1 */
/* Writes the facts of a build as rows of the tables (tables-1.sql), in RowBinary.  See push.h. */
#ifndef ETRACE_FLEET_PUSH_ROWS_H
#define ETRACE_FLEET_PUSH_ROWS_H

#include "answers/packages.h"
#include "fleet/facts.h"

/* Values that several rows of a build share. */
struct push_build {
	uint8_t id[FACTS_ID];
	uint32_t pushed, begin;	/* s since 1970 */
	const char *host, *project, *name;
	const char *const *tags;	/* "KEY=VALUE" */
	size_t ntags;
	bool hashed;
	const struct packages *packages;	/* NULL if not asked for */
};

/* Columns of each table, in the order of its rows; in all but build, the part comes first. */
extern const char push_build_columns[], push_step_columns[], push_file_columns[],
	push_access_columns[];

/** push_day - convert a time in s since 1970 into days since 1970 */
uint16_t push_day(uint32_t time);

/** push_put_access - append the row of an access, without the column part */
void push_put_access(struct buf *to, const struct push_build *b, const struct facts_access *a);

/** push_put_step - append the row of a unit, without the column part */
void push_put_step(struct buf *to, const struct push_build *b, const struct facts *f, uint32_t unit);

/** push_put_file - append the row of a file, without the column part */
void push_put_file(struct buf *to, const struct push_build *b, const struct facts *f, uint32_t file);

/** push_put_build - append the columns of a build that follow the column parts */
void push_put_build(struct buf *to, const struct push_build *b, const struct facts *f);

#endif
