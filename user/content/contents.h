/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Hashes the files that a build reads and writes, while it runs: etrace run --hash.
 *
 * A graph of the events knows which version of a file a program has opened, and whether a traced
 * program can still change it.  As soon as none can, threads of low priority read the file
 * (file_hash.h).  A result becomes a CONTENT event, which is passed on before the first event that
 * is later than the hash. If the events up to then show no change of the file, the hash belongs to
 * the same version in the graph that a reader of the trace will build.
 *
 * Files that the build makes are kept open until they are hashed (kept.h), since many are soon
 * removed.
 *
 * Memory: the graph, the paths, 40 bytes for each hash, 16 bytes for each removed file, and a
 * limited number of jobs.
 */
#ifndef ETRACE_CONTENTS_H
#define ETRACE_CONTENTS_H

#include "content/content_cache.h"
#include "event/event.h"
#include "io/formats.h"

struct contents;

struct contents_options {
	unsigned int pid_bits;	/* as for the module parameter bits_of_real_pid */
	bool early;		/* events have the time when the call began, not when it ended */
	bool identified;	/* hash only files whose inode number is recorded */
	bool pids;		/* pids in the trace are valid in this /proc */
	struct content_cache *cache;	/* stays the caller's; NULL for none */
	uint64_t max;		/* largest file that is hashed, bytes */
};

/* Counts so far. */
struct contents_counts {
	uint64_t used;		/* contents that programs read, ran or wrote */
	uint64_t hashed;	/* number of @used with a hash */
	uint64_t bytes;		/* number of bytes read */
	uint64_t cpu;		/* CPU time of the threads, up to when each was last idle, ns */
};

/**
 * contents_new - start the threads
 * @to: gets the CONTENT events; the caller frees it
 *
 * Return: NULL with @why if no thread can be started.
 */
struct contents *contents_new(const struct contents_options *o, struct sink *to, char *why,
			      size_t size);

/**
 * contents_event - process the next event, in time order, before it is passed on
 *
 * May pass on CONTENT events first.
 */
void contents_event(struct contents *c, const struct et_event *ev);

/**
 * contents_wait - after the last event: wait at most @ms for a file to be hashed, and pass on the
 * results
 *
 * Return: the number of files left.
 */
uint64_t contents_wait(struct contents *c, int ms);

/**
 * contents_end - after contents_wait(): check whether something unrecorded has changed hashed
 * files since, and withdraw their hashes
 */
void contents_end(struct contents *c);

/** contents_last - CLOCK_MONOTONIC time of the last event, including CONTENT events, ns */
uint64_t contents_last(const struct contents *c);

/** contents_counts - counts so far; valid until the next call */
const struct contents_counts *contents_counts(struct contents *c);

/**
 * contents_free - stop the threads; @c may be NULL
 *
 * Return: false if one cannot be stopped, and still uses the cache: see hash_threads_free().
 */
bool contents_free(struct contents *c);

#endif
