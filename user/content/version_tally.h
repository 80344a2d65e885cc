/* SPDX-License-Identifier: GPL-2.0 */
/* How many of the contents that programs used have a hash: for the summary of a recording. */
#ifndef ETRACE_VERSION_TALLY_H
#define ETRACE_VERSION_TALLY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct graph_access;
struct graph_version;

/* Initialize with zeros. */
struct version_tally {
	uint32_t *rows;		/* by id of a version; see version_tally.c */
	size_t n, cap;
};

/** version_tally_begin - count a new version */
void version_tally_begin(struct version_tally *t, const struct graph_version *v);

/** version_tally_use - count that a program did something with a version */
void version_tally_use(struct version_tally *t, const struct graph_access *a);

/** version_tally_hash - note that the hash of a version's content is known, or no longer is */
void version_tally_hash(struct version_tally *t, uint32_t version, bool known);

/**
 * version_tally_count - how many contents of files were read, run or written
 * @hashed: set to how many of these have a hash
 *
 * A version that was opened for writing but not written to has the content of the one before.
 */
uint64_t version_tally_count(const struct version_tally *t, uint64_t *hashed);

void version_tally_free(struct version_tally *t);

#endif
