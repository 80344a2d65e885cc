/* SPDX-License-Identifier: LGPL-2.1 */
/* An existing compile_commands.json that is to be updated. */
#ifndef ETRACE_COMPDB_OLD_H
#define ETRACE_COMPDB_OLD_H

#include "io/diag.h"

#include <stdbool.h>
#include <stddef.h>

/* Initialize with zeros, except @fd with -1. */
struct compdb_old {
	struct compdb_old_entry {
		char *directory;
		char *file, *output;	/* absolute; output is NULL if not given */
		char *text;		/* the entry as JSON */
	} *rows;
	size_t n, cap;
	int fd;			/* the locked file, -1 if none */
	char *made;		/* path of the file if it was created for the lock; else NULL */
};

/**
 * compdb_old_read - read the file, and lock it until compdb_old_free()
 * @create: create a missing file, so that it can be locked; if not set, a missing file has no
 *	entries
 *
 * An empty file has no entries.
 *
 * Return: false after diag_fatal().
 */
bool compdb_old_read(struct compdb_old *old, const char *path, bool create, struct diag *diag);
void compdb_old_free(struct compdb_old *old);

#endif
