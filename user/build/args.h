/* SPDX-License-Identifier: LGPL-2.1 */
/* Loads the arguments of all programs of a database.  Programs share most of their strings. */
#ifndef ETRACE_MODEL_ARGS_H
#define ETRACE_MODEL_ARGS_H

#include "base/buf.h"
#include "db/db.h"

struct args {
	struct db *db;
	uint32_t *places;	/* by exec: first index in @strings; [exec + 1]: its end */
	uint32_t nplaces, ntexts;
	uint32_t *strings;
	size_t n, cap;
	struct buf text;
	uint64_t *texts;	/* by string: its offset in @text; [string + 1]: its end */
};

/** args_load - read all arguments from the database; release them with args_free() */
void args_load(struct args *a, struct db *db);
void args_free(struct args *a);

/** args_of - number of arguments of an exec; args_string() gives argument @i, from 0 */
uint32_t args_of(const struct args *a, uint32_t exec);

static inline uint32_t args_string(const struct args *a, uint32_t exec, uint32_t i)
{
	return a->strings[a->places[exec] + i];
}

/** args_text - the bytes of a string, not NUL-terminated */
const char *args_text(const struct args *a, uint32_t string, size_t *len);

#endif
