/* SPDX-License-Identifier: LGPL-2.1 */
/*
 * Computes the facts about one build that are pushed to the fleet's server: the rows of the
 * tables of steps, files and accesses (etrace-fleet(5)).  Names and hashes do not depend on
 * the directory and the host, so that builds can be compared.
 *
 * Memory: that of match.h, about 100 bytes more per unit and 40 per file, and for each step
 * 8 bytes per file that it read and per step whose output it read.  Accesses are not kept.
 */
#ifndef ETRACE_FLEET_FACTS_H
#define ETRACE_FLEET_FACTS_H

#include "answers/match.h"

#include <nettle/sha2.h>

#define FACTS_ID	16	/* bytes of a build's id */
#define FACTS_HASH	32	/* bytes of a SHA-256 hash */

/* Why command and inputs do not identify the work of a step; the first reason that applies. */
enum facts_unknown {
	FACTS_KNOWN,
	FACTS_INCOMPLETE,	/* the trace is not complete */
	FACTS_COMMAND,		/* arguments, directory or program are not in the trace */
	FACTS_NETWORK,		/* it had a network connection */
	FACTS_SOCKET,		/* it had a connection over a local socket */
	FACTS_URING,		/* it used io_uring */
	FACTS_DESCRIPTOR,	/* it read a descriptor of unknown origin */
	FACTS_PIPE,		/* it read a pipe that others wrote */
	FACTS_DEVICE,		/* it read a device */
	FACTS_OUTSIDE,		/* an input was made by a program outside steps */
	FACTS_UNFINISHED,	/* an input was made by a step that had not ended */
	FACTS_UNIDENTIFIED,	/* size and time of an input are unknown */
	FACTS_INPUT,		/* an input was made by a step that has one of these reasons */
	FACTS_NUNKNOWN
};
extern const char *const facts_unknown_names[FACTS_NUNKNOWN];

/* A number that may be unknown. */
struct facts_number {
	bool known;
	int64_t v;
};

/* Facts of a unit (match.h); in the head of a step, totals of the step. */
struct facts_step {
	int64_t took;			/* ns */
	struct facts_number cpu;	/* ns */
	struct facts_number maxrss, rbytes, wbytes;	/* bytes */
	struct facts_number status, signal;
	uint32_t output;		/* file after which it is named, 0 if none */
	int64_t output_until;		/* end of the last write to that file */
	uint32_t outputs, inputs;	/* number of files */
	uint64_t command_hash, inputs_hash;	/* 0 if unknown */
	uint8_t unknown;		/* enum facts_unknown */
};

struct facts_file {
	uint8_t class;			/* enum graph_class, the lowest of its uses */
	bool used, existed;		/* a program used or made it; it existed before the build */
	uint32_t version;		/* the version at the end, or the first one used */
	uint32_t made_by;		/* step, 0 if none */
	uint32_t package;		/* index + 1, 0 if in no package */
	uint32_t readers, rebuilds;	/* steps that read it, that a change runs again */
	int64_t rebuild_took;		/* ns, total of the steps that a change runs again */
};

struct facts_access {
	uint32_t unit, file;
	uint8_t how, class;		/* enum graph_how, graph_class */
	struct facts_number bytes;
	int64_t at;			/* begin of the first use, ns */
};

struct facts_pair {
	uint32_t of, step;
};

struct facts {
	struct match_side s;		/* s.from: the root, s.to: "." */
	uint32_t *step, *next;		/* by unit: match_steps(), match_step_next() */
	int64_t *ends;			/* by unit: end of its process, ns */
	struct facts_step *steps;	/* by unit */
	struct facts_file *files;	/* by file */
	struct facts_pair *reads;	/* @of: file, @step: step that read it; each pair once */
	struct facts_pair *follows;	/* @of: step, @step: reader of its output; each pair once */
	size_t nreads, reads_cap, nfollows, follows_cap;
	uint32_t nsteps, nused;		/* number of rows of @steps, of used files */
	uint64_t naccesses;
	bool complete;
	bool by_name;			/* an unidentified program is identified by its name */
	/* find size and time that the database lacks; returns false if unknown.  May be NULL */
	bool (*look)(void *ctx, uint32_t file, int64_t *size, int64_t *mtime);
	/* compute the SHA-256 of a version; returns false if unknown.  May be NULL */
	bool (*hash)(void *ctx, uint32_t file, uint32_t version, uint8_t *to);
	void *ctx;			/* passed to @look and @hash */
	struct facts_keys *keys;	/* used only by keys.c */
};

/**
 * facts_load - load the facts of a database, except those of facts_accesses()
 * @root: directory that is written as "."; NULL for the first program's
 *
 * Set look, hash and by_name before.  Call facts_free() in any case.
 */
void facts_load(struct facts *f, struct db *db, const char *root);
void facts_free(struct facts *f);

/**
 * facts_accesses - report all accesses, and derive the rest: inputs of steps, keys, readers
 * @fn: called for each access
 */
void facts_accesses(struct facts *f, void (*fn)(void *ctx, const struct facts_access *a),
		    void *ctx);

/** facts_id - compute an id for the build from recorded data: its time, its processes */
void facts_id(struct db *db, uint8_t id[FACTS_ID]);

/* ---- keys (keys.c) ---- */

/** keys_new - prepare for the other functions here; facts_free() calls keys_free() */
void keys_new(struct facts *f);
void keys_free(struct facts *f);

/** keys_why - note why a step depends on something unknown; @head is 0 outside steps */
void keys_why(struct facts *f, uint32_t head, enum facts_unknown why);

/**
 * keys_input - note one use of a version by the current step; may be repeated
 * @how: enum graph_how; @class: enum graph_class
 */
void keys_input(struct facts *f, uint32_t head, uint32_t file, uint32_t version, uint8_t how,
		uint8_t class);

/**
 * keys_step - set the hashes, inputs and unknown of a step, after all other calls for it
 *
 * Must be called first for the steps that made its inputs.
 */
void keys_step(struct facts *f, uint32_t head);

/** keys_hash_number - add a number to a hash, little endian */
void keys_hash_number(struct sha256_ctx *sha, uint64_t v);

/**
 * keys_stat - get size and time of a version
 * @file: a file with this version
 *
 * Return: false if they are unknown.
 */
bool keys_stat(const struct facts *f, uint32_t file, uint32_t version, int64_t *size,
	       int64_t *mtime);

/* ---- costs (costs.c) ---- */

/** costs_find - set readers, rebuilds and rebuild_took of all files */
void costs_find(struct facts *f);

#endif
