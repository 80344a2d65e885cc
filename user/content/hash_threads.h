/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Threads of low priority that hash files, and one that opens what is being written (file_hash.h).
 * contents.c gives them work, and takes what came of it in the order of the trace.
 */
#ifndef ETRACE_HASH_THREADS_H
#define ETRACE_HASH_THREADS_H

#include "content/file_hash.h"

/* What waits at most to be hashed: each has a path. */
#define HASH_WORK_MAX	(1u << 16)

enum hash_work_kind {
	HASH_WORK_FILE,
	HASH_WORK_STORE,	/* what is proven, in the cache */
	HASH_WORK_KEEP,		/* open what is being written */
};

struct hash_work {
	struct hash_work *next;
	enum hash_work_kind kind;
	struct file_job job;	/* of HASH_WORK_KEEP: job.kept is what came of it, until it is taken */
	struct file_result result;
	unsigned int tries;
};

struct hash_threads;

/**
 * hash_threads_new - start the threads
 * @limits: stay the caller's, and valid
 *
 * Return: NULL with a negative errno in @err if no thread can be started.
 */
struct hash_threads *hash_threads_new(const struct file_limits *limits, int *err);

/** hash_threads_free - end the threads and drop what waits; @t may be NULL */
void hash_threads_free(struct hash_threads *t);

void hash_work_free(struct hash_work *w);

/**
 * hash_threads_add - give them work: @w is theirs until hash_threads_take() returns it
 *
 * HASH_WORK_STORE does not come back.
 *
 * Return: false if HASH_WORK_MAX wait; then @w is still the caller's.
 */
bool hash_threads_add(struct hash_threads *t, struct hash_work *w);

/** hash_threads_answer - what there is nothing to do for: hash_threads_take() returns it */
void hash_threads_answer(struct hash_threads *t, struct hash_work *w);

/** hash_threads_due - whether some work may be taken at this time; CLOCK_MONOTONIC, ns */
bool hash_threads_due(struct hash_threads *t, uint64_t time);

/**
 * hash_threads_take - take all that is done and may count at this time
 *
 * Return: a list, of which the caller frees each with hash_work_free(); NULL if nothing is done.
 */
struct hash_work *hash_threads_take(struct hash_threads *t, uint64_t time);

/** hash_threads_wait - wait until something is done, at most @ms */
void hash_threads_wait(struct hash_threads *t, int ms);

/** hash_threads_left - how many wait to be done or to be taken; 0: none */
uint64_t hash_threads_left(struct hash_threads *t);

/** hash_threads_cpu - processor time of the threads so far, ns */
uint64_t hash_threads_cpu(const struct hash_threads *t);

#endif
