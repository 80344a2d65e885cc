/* SPDX-License-Identifier: LGPL-2.1 */
/*
 * What a build was made from and by what, with hashes, for those who have to prove it:
 * SPDX 3.0.1 (core, software and build profiles, as JSON-LD) and in-toto's runtime
 * trace, v0.1.
 */
#ifndef ETRACE_ATTEST_H
#define ETRACE_ATTEST_H

#include "answers/answers.h"

#define ATTEST_HASH 32		/* bytes of SHA-256 */

enum attest_role {
	ATTEST_INPUT,		/* the build read it as data, and did not make it */
	ATTEST_TOOL,		/* it ran it, or it was loaded, and it did not make it */
	ATTEST_OUTPUT,		/* it made it, and it is there in the end */
	ATTEST_NROLES
};

/* A file in a role.  Who read it in two ways stands there twice. */
struct attest_file {
	uint8_t role;		/* enum attest_role */
	uint32_t file, version;
	char *path;		/* with a NUL behind its @len bytes */
	size_t len;
	bool hashed;
	const char *why_not;	/* it was not, in words */
	uint8_t hash[ATTEST_HASH];
};

struct attest {
	struct db *db;
	struct out *out;
	const char *root;	/* where the files of the build's machine are; "/": here */
	struct attest_file *rows;	/* by role and path */
	size_t n, cap;
	bool has_begin;
	int64_t begin;		/* ns since 1970: the first event */
	uint8_t id[ATTEST_HASH];	/* of the build and of all that is said of it */
};

/**
 * attest_load - all files, and their hashes: of those that are still what they were
 * when the build used them
 *
 * Return: false after diag_fatal(); attest_free() in any case.
 */
bool attest_load(struct attest *a);
void attest_free(struct attest *a);

/** attest_spdx, attest_in_toto - write it.  Return: false after diag_fatal(). */
bool attest_spdx(struct attest *a);
bool attest_in_toto(struct attest *a);

/* ---- between its files ---- */

/* What a file must be to be hashed. */
struct attest_was {
	bool known;		/* its size and time */
	int64_t size, mtime;	/* bytes; ns since 1970 */
	int64_t slack;		/* by how many ns its time may differ */
};

/**
 * attest_hash - SHA-256 of a file as it is now
 * @was: what it must be; if that is not known, nothing of it (ctime) may have changed
 *	since the build began
 *
 * Return: NULL; or why there is none, in words.
 */
const char *attest_hash(const struct attest *a, const struct attest_file *f,
			const struct attest_was *was, uint8_t *hash);

/**
 * attest_hash_as_used - set hashed, hash and why_not of a file: of the version that is told
 *
 * Of @a are needed db, root and begin.
 */
void attest_hash_as_used(const struct attest *a, struct attest_file *f);

/** attest_time - ns since 1970 as "2026-01-31T12:00:00Z" */
const char *attest_time(int64_t ns, char *buf);
#define ATTEST_TIME 32

/** attest_created - when the statement is dated: SOURCE_DATE_EPOCH, the build's end, or now */
int64_t attest_created(const struct attest *a);

#endif
