/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Threads of low priority that hash files, and one that opens what is being written (file_hash.h).
 * contents.c gives them work, and takes the results in trace order.
 */
#ifndef ETRACE_HASH_THREADS_H
#define ETRACE_HASH_THREADS_H

#include "content/file_hash.h"

/* Maximum amount of waiting work, to bound the memory for paths. */
#define HASH_WORK_MAX	(1u << 16)

enum hash_work_kind {
	HASH_WORK_FILE,
	HASH_WORK_STORE,	/* store a proven hash in the cache */
	HASH_WORK_KEEP,		/* open a file that is being written */
};

struct hash_work {
	struct hash_work *next;
	enum hash_work_kind kind;
	struct file_job job;	/* HASH_WORK_KEEP: the result is job.kept, -1 once it was used */
	struct file_result result;
	unsigned int tries;
};

struct hash_threads;

/**
 * hash_threads_new - start the threads
 * @limits: owned by the caller; must stay valid
 *
 * Return: NULL with a negative errno in @err if no thread can be started.
 */
struct hash_threads *hash_threads_new(const struct file_limits *limits, int *err);

/**
 * hash_threads_free - end the threads and drop waiting work; @t may be NULL
 *
 * A file system that does not answer can hold a thread for ever.
 *
 * Return: false if a thread still works, and ends with the program: it still uses @t, with its
 * limits and their cache.
 */
bool hash_threads_free(struct hash_threads *t);

void hash_work_free(struct hash_work *w);

/**
 * hash_threads_add - add work; the threads own @w until hash_threads_take() returns it
 *
 * HASH_WORK_STORE is not returned.
 *
 * Return: false if HASH_WORK_MAX items wait; the caller then still owns @w.
 */
bool hash_threads_add(struct hash_threads *t, struct hash_work *w);

/** hash_threads_answer - add work that is done already: hash_threads_take() will return it */
void hash_threads_answer(struct hash_threads *t, struct hash_work *w);

/** hash_threads_due - whether a result may be taken at @time; CLOCK_MONOTONIC, ns */
bool hash_threads_due(struct hash_threads *t, uint64_t time);

/**
 * hash_threads_take - take all results that count at @time
 *
 * Return: a list, whose items the caller frees with hash_work_free(); NULL if empty.
 */
struct hash_work *hash_threads_take(struct hash_threads *t, uint64_t time);

/** hash_threads_wait - wait until something is done, at most @ms */
void hash_threads_wait(struct hash_threads *t, int ms);

/** hash_threads_left - amount of work that is not done or not taken */
uint64_t hash_threads_left(struct hash_threads *t);

/** hash_threads_cpu - CPU time of the threads so far, ns */
uint64_t hash_threads_cpu(const struct hash_threads *t);

#endif
