/* SPDX-License-Identifier: LGPL-2.1 */
/* A compile_commands.json that is there already. */
#ifndef ETRACE_COMPDB_OLD_H
#define ETRACE_COMPDB_OLD_H

#include "io/diag.h"

#include <stdbool.h>
#include <stddef.h>

struct compdb_old {
	struct compdb_old_entry {
		char *directory, *file;
		char *output;	/* NULL: not said */
		char *text;	/* all of it, as JSON */
	} *rows;
	size_t n, cap;
};

/**
 * compdb_old_read - read one
 * @old: set; for compdb_old_free() in any case
 *
 * Return: false after diag_fatal().
 */
bool compdb_old_read(const char *path, struct compdb_old *old, struct diag *diag);
void compdb_old_free(struct compdb_old *old);

#endif
