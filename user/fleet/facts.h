/* SPDX-License-Identifier: LGPL-2.1 */
/*
 * What a fleet is told of one build (etrace-fleet(5)): its steps, files and accesses,
 * each as its tables have it, in terms in which builds in other directories and on
 * other hosts are compared.
 *
 * Memory: as match.h, about 100 bytes more a unit and 40 a file; 8 for each file that a
 * step read and for each step that it followed.  Accesses are told as they come from the database.
 */
#ifndef ETRACE_FLEET_FACTS_H
#define ETRACE_FLEET_FACTS_H

#include "answers/match.h"

#include <nettle/sha2.h>

#define FACTS_ID	16	/* bytes of a build's id */
#define FACTS_HASH	32	/* of SHA-256 */

/* Why a step cannot be said to be told by its command and inputs; the first that holds. */
enum facts_unknown {
	FACTS_KNOWN,
	FACTS_INCOMPLETE,	/* the trace is not complete */
	FACTS_COMMAND,		/* arguments, directory or program are not in the trace */
	FACTS_NETWORK,		/* it was connected to somebody by a network */
	FACTS_SOCKET,		/* by a socket of this machine */
	FACTS_URING,		/* it had an io_uring */
	FACTS_DESCRIPTOR,	/* it read a descriptor of unknown origin */
	FACTS_PIPE,		/* it read a pipe that others wrote */
	FACTS_DEVICE,		/* it read a device */
	FACTS_OUTSIDE,		/* an input was made by what is no step */
	FACTS_UNFINISHED,	/* an input was made by a step that had not ended */
	FACTS_UNIDENTIFIED,	/* of an input, size and time are not known */
	FACTS_INPUT,		/* an input was made by a step of which this is not known */
	FACTS_NUNKNOWN
};
extern const char *const facts_unknown_names[FACTS_NUNKNOWN];

/* A number that may not be known. */
struct facts_number {
	bool known;
	int64_t v;
};

/* Of a unit (match.h).  Heads of steps have the sums of their steps. */
struct facts_step {
	int64_t took;			/* ns */
	struct facts_number cpu;	/* ns */
	struct facts_number maxrss, rbytes, wbytes;	/* bytes */
	struct facts_number status, signal;
	uint32_t output;		/* file, 0: none */
	int64_t output_until;		/* when its last write ended */
	uint32_t outputs, inputs;	/* files */
	uint64_t command_hash, inputs_hash;	/* 0: not known */
	uint8_t unknown;		/* enum facts_unknown */
};

struct facts_file {
	uint8_t class;			/* enum graph_class, the lowest of its uses */
	bool used, existed;		/* used: somebody did something with it, or made it */
	uint32_t version;		/* that is there in the end, or was first used */
	uint32_t made_by;		/* step */
	uint32_t package;		/* + 1; 0: of none */
	uint32_t readers, rebuilds;	/* steps */
	int64_t rebuild_took;		/* ns */
};

struct facts_access {
	uint32_t unit, file;
	uint8_t how, class;		/* enum graph_how, graph_class */
	struct facts_number bytes;
	int64_t at;			/* the first */
};

struct facts_pair {
	uint32_t of, step;
};

struct facts {
	struct match_side s;		/* s.from: the root, s.to: "." */
	uint32_t *step, *next;		/* by unit: match_steps(), match_step_next() */
	int64_t *ends;			/* by unit: when its process ended */
	struct facts_step *steps;	/* by unit */
	struct facts_file *files;	/* by file */
	struct facts_pair *reads;	/* a file, and a step that read it; each once */
	struct facts_pair *follows;	/* a step, and one that read what it made; each once */
	size_t nreads, reads_cap, nfollows, follows_cap;
	uint32_t nsteps, nused;		/* units; files that are used */
	uint64_t naccesses;
	bool complete;
	bool by_name;			/* programs that are not identified are what they are called */
	/* what the database does not tell of a version; false: it is not known.  Or NULL */
	bool (*look)(void *ctx, uint32_t file, int64_t *size, int64_t *mtime);
	bool (*hash)(void *ctx, uint32_t file, uint32_t version, uint8_t *to);
	void *ctx;			/* of both */
	struct facts_keys *keys;	/* keys.c */
};

/**
 * facts_load - of a database, all but accesses and what follows from them
 * @root: directory that is written as "."; NULL: that of the first program
 *
 * look, hash and by_name are to be set before.  facts_free() in any case.
 */
void facts_load(struct facts *f, struct db *db, const char *root);
void facts_free(struct facts *f);

/**
 * facts_accesses - tell all accesses, and find out the rest: steps' inputs, keys, readers
 * @tell: called for each
 */
void facts_accesses(struct facts *f, void (*tell)(void *ctx, const struct facts_access *a),
		    void *ctx);

/** facts_hash_number - a number goes into a hash, little endian */
void facts_hash_number(struct sha256_ctx *sha, uint64_t v);

/**
 * facts_stat - size and time of a version
 * @file: a name of it
 *
 * Return: false: they are not known.
 */
bool facts_stat(const struct facts *f, uint32_t file, uint32_t version, int64_t *size,
		int64_t *mtime);

/** facts_id - a number for the build, by what was recorded: its time, its processes */
void facts_id(struct db *db, uint8_t id[FACTS_ID]);

/* ---- keys (keys.c) ---- */

/** keys_new - before keys of steps are asked for; facts_free() calls keys_free() */
void keys_new(struct facts *f);
void keys_free(struct facts *f);

/** keys_why - something that a step depends on and that is not known; @head 0: it is no step's */
void keys_why(struct facts *f, uint32_t head, enum facts_unknown why);

/**
 * keys_input - what the step that is looked at did with a version, as often as it did
 * @how: enum graph_how; @class: enum graph_class
 */
void keys_input(struct facts *f, uint32_t head, uint32_t file, uint32_t version, uint8_t how,
		uint8_t class);

/**
 * keys_step - all of that was told: set the step's hashes, inputs and unknown
 *
 * Steps that made its inputs must have come before.
 */
void keys_step(struct facts *f, uint32_t head);

/* ---- costs (costs.c) ---- */

/** costs_find - set readers, rebuilds and rebuild_took of all files */
void costs_find(struct facts *f);

#endif
