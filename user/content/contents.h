/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Hashes what the programs of a build read and write, while the build runs: etrace run --hash.
 *
 * A graph of the events knows which version of a file a program has opened, and whether a traced
 * program can still change it.  As soon as none can, threads of low priority read the file
 * (file_hash.h).  What they found becomes a CONTENT event, which is passed on before the first
 * event that is later than the proof.  If the events up to that show no change of the file, the
 * hash is that of the version that the same graph will have when the trace is read.
 *
 * Files that the build makes are kept open until they are hashed (kept.h), since many are removed
 * at once.
 *
 * Memory: that of the graph, the paths, 40 bytes for each hash, 16 for each file that was removed, and
 * a limited number of jobs.
 */
#ifndef ETRACE_CONTENTS_H
#define ETRACE_CONTENTS_H

#include "content/content_cache.h"
#include "event/event.h"
#include "io/formats.h"

struct contents;

struct contents_options {
	unsigned int pid_bits;	/* as the module's bits_of_real_pid */
	bool early;		/* times of the trace are those at which calls began */
	bool identified;	/* do not read what is found by its name alone */
	bool pids;		/* pids of the trace are those of this /proc */
	struct content_cache *cache;	/* stays the caller's; NULL for none */
	uint64_t max;		/* largest file that is hashed, bytes */
};

/* What came of it so far. */
struct contents_counts {
	uint64_t used;		/* contents that programs read, ran or wrote */
	uint64_t hashed;	/* of these, those with a hash */
	uint64_t bytes;		/* read */
	uint64_t cpu;		/* processor time of the threads until each last had nothing to do, ns */
};

/**
 * contents_new - start the threads
 * @to: takes the CONTENT events; stays the caller's
 *
 * Return: NULL with @why if no thread can be started.
 */
struct contents *contents_new(const struct contents_options *o, struct sink *to, char *why,
			      size_t size);

/**
 * contents_event - see an event, in the order of time, before it is passed on
 *
 * May pass on CONTENT events first.
 */
void contents_event(struct contents *c, const struct et_event *ev);

/**
 * contents_wait - after the last event: wait for a file to be hashed, at most @ms, and pass on
 *	what was found
 *
 * Return: how many files are left.
 */
uint64_t contents_wait(struct contents *c, int ms);

/**
 * contents_end - after contents_wait(): look whether files that were hashed have been changed since
 *	by something that is not recorded, and pass on which
 */
void contents_end(struct contents *c);

/** contents_last - time of the last event, seen or made, CLOCK_MONOTONIC, ns */
uint64_t contents_last(const struct contents *c);

/** contents_counts - so far; valid until the next call */
const struct contents_counts *contents_counts(struct contents *c);

/** contents_free - stop the threads; @c may be NULL */
void contents_free(struct contents *c);

#endif
