/* SPDX-License-Identifier: LGPL-2.1 */
/* What programs were called with, of a whole database: strings, of which most are shared. */
#ifndef ETRACE_MODEL_ARGS_H
#define ETRACE_MODEL_ARGS_H

#include "base/buf.h"
#include "db/db.h"

struct args {
	struct db *db;
	uint32_t *places;	/* by exec: its first of @strings; the next one's: the end */
	uint32_t nplaces, ntexts;
	uint32_t *strings;
	size_t n, cap;
	struct buf text;
	uint64_t *texts;	/* by string: where it begins in @text; the next one's: the end */
};

/** args_load - all of them; args_free() */
void args_load(struct args *a, struct db *db);
void args_free(struct args *a);

/** args_of - how many an exec has; args_string() - each, from 0 on */
uint32_t args_of(const struct args *a, uint32_t exec);

static inline uint32_t args_string(const struct args *a, uint32_t exec, uint32_t i)
{
	return a->strings[a->places[exec] + i];
}

/** args_text - a string's bytes, not terminated */
const char *args_text(const struct args *a, uint32_t string, size_t *len);

#endif
