/* SPDX-License-Identifier: LGPL-2.1 */
/*
 * Versions of a file that began while it was also open through other descriptions.  A program
 * that has opened a temporary file, and then has a child write it by its name, reads what the
 * child wrote, although it opened the file before.
 */
#ifndef ETRACE_RENEWALS_H
#define ETRACE_RENEWALS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct graph;
struct description;
struct fd;
struct graph_access;

struct renewal {
	uint32_t version, exec;	/* @exec began @version */
	uint32_t before;	/* previous row of the same file, 0 if none; next spare row */
	bool anew;		/* nothing of earlier versions is left */
	int64_t at;		/* when it began */
};

struct renewals {
	struct renewal *rows;	/* from 1 on */
	size_t cap;
	uint32_t n, spare;
};

/** renewal_note - the current version of an object has begun; other descriptions are open */
void renewal_note(struct graph *g, uint32_t object, uint32_t exec, bool anew);

/**
 * renewal_last - the file's last version, if others began it after @d was opened
 *
 * Return: 0 if it is the one that @d was opened on.
 */
uint32_t renewal_last(const struct graph *g, const struct description *d);

/**
 * renewals_report - report what an exec read or wrote, also for the versions that others began
 * @a: the access to the version that the description was opened on; changed
 *
 * A read may have seen each version that the file had while the exec had the descriptor.  What
 * was written is in the last one that began anew; those that did not contain it, anyway.
 */
void renewals_report(struct graph *g, const struct fd *fd, struct graph_access *a);

/** renewals_drop - the last description of an object is closed */
void renewals_drop(struct graph *g, uint32_t object);

#endif
