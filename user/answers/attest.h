/* SPDX-License-Identifier: LGPL-2.1 */
/*
 * Attestations: the inputs, tools and outputs of a build, with their hashes.  Formats: SPDX 3.0.1
 * (core, software and build profiles, as JSON-LD), and in-toto statements with a runtime trace,
 * v0.1, or SLSA provenance, v1.
 *
 * Hashes come from the recorder, taken when the file was used. Without a recorded one, the present
 * file is hashed if it has not changed since; documents distinguish the two.
 */
#ifndef ETRACE_ATTEST_H
#define ETRACE_ATTEST_H

#include "answers/answers.h"
#include "io/json_out.h"

#define ATTEST_HASH 32		/* bytes of SHA-256 */

struct build_content;

enum attest_role {
	ATTEST_INPUT,		/* read as data by the build, but not made by it */
	ATTEST_TOOL,		/* run or loaded by the build, but not made by it */
	ATTEST_OUTPUT,		/* made by the build, and still present at its end */
	ATTEST_NROLES
};

/* A file in a role.  A file that was used both as data and as a tool has two rows. */
struct attest_file {
	uint8_t role;		/* enum attest_role */
	uint32_t file, version;
	uint32_t now;		/* a name of @version at the end of the build, else @file */
	char *path;		/* path of @file: @len bytes and a NUL */
	size_t len;
	char *place;		/* path of @now; NULL if equal to @path */
	bool hashed;
	bool recorded;		/* @hash was recorded when the file was used */
	/* @recorded, but the present file has another hash, although it looks unchanged */
	bool differs;
	const struct build_content *content;	/* NULL for the last content of @version, if any */
	const char *why_not;	/* why it has no hash, in words; NULL if @hashed */
	uint8_t hash[ATTEST_HASH];
};

struct attest {
	struct db *db;
	struct out *out;
	const char *root;	/* root directory of the build's files; "/" for this machine */
	struct attest_file *rows;	/* by role and path */
	size_t n, cap;
	bool has_begin;		/* @begin is known */
	int64_t begin;		/* time of the first event, ns since 1970 */
	uint8_t build[ATTEST_HASH];	/* hash of everything known about the build as a whole */
	uint8_t id[ATTEST_HASH];	/* hash of the build and of @rows */
};

/**
 * attest_load - load all files with their hashes; hash files without a recorded one if they have
 * not changed since the build used them
 *
 * Return: false after diag_fatal(); release with attest_free() in any case.
 */
bool attest_load(struct attest *a);
void attest_free(struct attest *a);

/*
 * attest_spdx, attest_in_toto, attest_slsa - write a document.
 *
 * Return: false after diag_fatal().
 */
bool attest_spdx(struct attest *a);
bool attest_in_toto(struct attest *a);
bool attest_slsa(struct attest *a);

/**
 * attest_omnibor - write OmniBOR input manifests below a directory, and list the outputs
 * @a: with db and out only; not loaded
 * @lacks: set to whether an output has no manifest because an input is unknown, which is reported
 *
 * Prints a line for each output: its path, its gitoid and its manifest's gitoid, separated by
 * tabs; "-" for a missing one.  Return: false after diag_fatal().
 */
bool attest_omnibor(struct attest *a, const char *dir, bool *lacks);

/* ---- shared by attest*.c ---- */

/* The state of a file in the build; it is hashed only if it is still in that state. */
struct attest_was {
	bool known;		/* @size and @mtime are known */
	int64_t size, mtime;	/* bytes; ns since 1970 */
	int64_t slack;		/* tolerance of @mtime in ns */
};

/**
 * attest_hash - SHA-256 of a file as it is now
 * @was: its size and mtime, which must still be the same; if they are unknown, its ctime must be
 *	older than the build
 *
 * Return: NULL on success, else why there is no hash, in words.
 */
const char *attest_hash(const struct attest *a, const struct attest_file *f,
			const struct attest_was *was, uint8_t *hash);

/**
 * attest_look - set size and mtime from the present file, if its ctime is older than the
 * build
 *
 * For files whose size and mtime are not in the trace.  Return: was->known.
 */
bool attest_look(const struct attest *a, const char *path, struct attest_was *was);

/**
 * attest_hash_as_used - set hashed, recorded, hash and why_not from the recorded hash of
 * f->version, else from the present file if it is still f->version
 *
 * Uses only db, root, has_begin and begin of @a.
 */
void attest_hash_as_used(const struct attest *a, struct attest_file *f);

/**
 * attest_put_hashed - write members of an object: hashed ("recorded" at the time of
 * use, or "afterwards"), else not_hashed; not_recorded; differs
 */
void attest_put_hashed(struct json *j, const struct attest *a, const struct attest_file *f);

/** attest_has_subjects - whether the hash of any output is known.  Return: false after diag_fatal() */
bool attest_has_subjects(const struct attest *a);

/** attest_gitoid - format a hash as "gitoid:blob:sha256:...", in @buf */
const char *attest_gitoid(const uint8_t *hash, char *buf);
#define ATTEST_GITOID (sizeof("gitoid:blob:sha256:") + 2ul * ATTEST_HASH)

/**
 * attest_is_link - whether the build made a file as a symbolic link, which has no content to hash
 */
bool attest_is_link(const struct attest *a, const struct attest_file *f);

/* Bits of build_exec.unseen: the program read something that the trace does not show. */
#define ATTEST_UNSEEN	(GRAPH_UNSEEN_FD | GRAPH_UNSEEN_SOCKET | GRAPH_UNSEEN_URING | \
			 GRAPH_UNSEEN_NAMES)

/* The message about files with @differs. */
#define ATTEST_DIFFERS	"the file has the size and time of then, but another content now"

/** attest_time - format ns since 1970 as "2026-01-31T12:00:00Z" */
const char *attest_time(int64_t ns, char *buf);
#define ATTEST_TIME 32

/**
 * attest_created - date of the document: SOURCE_DATE_EPOCH, else the end of the build, else now
 */
int64_t attest_created(const struct attest *a);

#endif
