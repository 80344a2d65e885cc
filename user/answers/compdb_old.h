/* SPDX-License-Identifier: LGPL-2.1 */
/* A compile_commands.json that is there already. */
#ifndef ETRACE_COMPDB_OLD_H
#define ETRACE_COMPDB_OLD_H

#include "io/diag.h"

#include <stdbool.h>
#include <stddef.h>

/* Starts as all zeros but for @fd, which is -1. */
struct compdb_old {
	struct compdb_old_entry {
		char *directory;
		char *file, *output;	/* absolute; output NULL: not said */
		char *text;		/* all of the entry, as JSON */
	} *rows;
	size_t n, cap;
	int fd;			/* of the file, locked; -1: there is none */
	char *made;		/* its path, if it was made for the lock */
};

/**
 * compdb_old_read - read one, and let nobody else update it until compdb_old_free()
 * @create: make an empty file if there is none, so that it can be locked; else it has no entries
 *
 * An empty file has no entries.
 *
 * Return: false after diag_fatal().
 */
bool compdb_old_read(struct compdb_old *old, const char *path, bool create, struct diag *diag);
void compdb_old_free(struct compdb_old *old);

#endif
