/* SPDX-License-Identifier: LGPL-2.1 */
/*
 * State of a SWAP target while its trace is converted: processes, their threads
 * and open slices, mappings, live blocks, and their koids in FXT.  Nothing is read
 * or written here.
 *
 * Memory grows with the number of processes and threads that live at the same time.  A
 * process that has ended is kept for a while for late messages, and then forgotten.
 * Because ends can be missing, the caller forgets the least recently used processes and
 * threads if there are too many.
 */
#ifndef ETRACE_SWAP_PROCESS_H
#define ETRACE_SWAP_PROCESS_H

#include <sys/queue.h>

#include "base/map64.h"
#include "base/ranges.h"

/* Maximum open slices on one thread: those written to FXT, and all that are remembered. */
#define SWAP_MAX_NESTING	500u
#define SWAP_MAX_DEPTH		4096u
/* Number of ended processes that are kept for late messages. */
#define SWAP_KEEP_ENDED		64u
/* Maximum mappings remembered for a process, and bytes of a mapping's name. */
#define SWAP_MAX_MAPS		8192u
#define SWAP_MAX_MAP_NAME	255u
/*
 * Limits for all processes, see swap_process_surplus() and swap_thread_surplus().  Real
 * targets stay below: their 32-bit kernels have 32768 ids for processes and threads.
 */
#define SWAP_MAX_PROCESSES	32768u
#define SWAP_MAX_THREADS	32768u
#define SWAP_MAX_ALL_MAPS	(1u << 18)

/* An open slice.  Its exit must have the same category and key. */
struct swap_slice {
	const char *category;	/* its category in FXT; not copied */
	uint64_t key;		/* address or id of the function, or a hash of its name */
	char *name;		/* owned; NULL if it is nested too deep to be written */
};

struct swap_thread {
	TAILQ_ENTRY(swap_thread) by_use;	/* among all threads, most recently used last */
	struct swap_process *process;
	uint32_t tid;		/* on the target */
	uint64_t koid;		/* in FXT */
	uint64_t time;		/* time of the last begin or end of a slice */
	struct swap_slice *slices;	/* open ones, the innermost last */
	size_t depth, cap;
};

struct swap_process {
	TAILQ_ENTRY(swap_process) by_use;	/* among all processes, most recently used last */
	uint32_t pid;		/* on the target */
	uint64_t koid;		/* in FXT */
	uint64_t stages;	/* koid of the track for its setup stages, 0 if none yet */
	uint64_t stages_end;	/* when the last stage on that track ended, ns */
	bool informed;		/* PROCESS_INFO has come */
	bool ended;		/* TERMINATE has come */
	uint64_t start;		/* start time from PROCESS_INFO, ns */
	struct map64 threads;	/* tid to struct swap_thread * */
	struct map64 blocks;	/* address to size of live blocks */
	uint64_t bytes;		/* sum of the sizes in @blocks */
	struct map64 spans;	/* step << 32 | resource id to the id of an open async span */
	uint64_t spans_time;	/* time of the last begin or end of a span */
	/* Mappings of code.  range.base: original start; range.name: last part of the path */
	struct ranges maps;
	struct swap_processes *all;	/* table that contains the process */
};

/* All processes.  Start with swap_processes_new(). */
struct swap_processes {
	/* Linked by by_use, so most recently used last: */
	TAILQ_HEAD(process_list, swap_process) processes;
	TAILQ_HEAD(thread_list, swap_thread) threads;
	struct map64 by_pid;	/* struct swap_process * */
	struct map64 by_tid;	/* struct swap_thread *, the last one added with each tid */
	size_t nthreads, nmaps;
	struct map64 used_pids, used_tids;	/* bitmaps: id / 64 to 64 bits */
	uint64_t next_koid;	/* for a track that has no pid or tid */
	struct swap_process *ended[SWAP_KEEP_ENDED];
	unsigned int next_ended;
};

struct swap_processes *swap_processes_new(void);
void swap_processes_free(struct swap_processes *ps);

/** swap_process_find - find a process by pid and mark it as used; NULL if none */
struct swap_process *swap_process_find(struct swap_processes *ps, uint32_t pid);

/** swap_process_add - add a process and forget an older one with this pid */
struct swap_process *swap_process_add(struct swap_processes *ps, uint32_t pid);

/** swap_process_end - mark a process as ended; may forget one that ended long before */
void swap_process_end(struct swap_processes *ps, struct swap_process *p);

/**
 * swap_process_surplus - find a process that should be forgotten
 *
 * Return: the least recently used process, if there are more than
 * SWAP_MAX_PROCESSES processes or more than SWAP_MAX_ALL_MAPS mappings; else NULL, also
 * if there is only one process.
 */
struct swap_process *swap_process_surplus(const struct swap_processes *ps);

/** swap_process_forget - remove a process and its threads */
void swap_process_forget(struct swap_processes *ps, struct swap_process *p);

/** swap_thread_surplus - the least recently used thread if above SWAP_MAX_THREADS, or NULL */
struct swap_thread *swap_thread_surplus(const struct swap_processes *ps);

/** swap_thread_forget - remove a thread */
void swap_thread_forget(struct swap_processes *ps, struct swap_thread *t);

/** swap_thread_find - find a thread of a process and mark it as used; NULL if none */
struct swap_thread *swap_thread_find(const struct swap_process *p, uint32_t tid);

/** swap_thread_add - add a thread */
struct swap_thread *swap_thread_add(struct swap_processes *ps, struct swap_process *p,
				    uint32_t tid);

/**
 * swap_map - record a mapping of code
 * @path: @len bytes, no NUL; up to SWAP_MAX_MAP_NAME bytes of its last part are kept
 *
 * Return: false if the process has too many mappings to remember this one.
 */
bool swap_map(struct swap_process *p, uint64_t low, uint64_t high, const char *path,
	      size_t len);

/** swap_unmap - remove all mappings in a range */
void swap_unmap(struct swap_process *p, uint64_t low, uint64_t high);

/* Record an allocation or a free of a block.  Sizes of 2^48 or more are ignored. */
void swap_block_add(struct swap_process *p, uint64_t addr, uint64_t size);
void swap_block_remove(struct swap_process *p, uint64_t addr);

/**
 * swap_slice_push - begin a slice
 * @name: copied if the result is 1
 *
 * Return: 1 if the caller should write it, 0 if it is nested too deep for that, -1 if
 * it is nested too deep to be remembered.
 */
int swap_slice_push(struct swap_thread *t, const char *category, uint64_t key,
		    const char *name);

/**
 * swap_slice_match - find the innermost open slice that an exit can belong to
 *
 * Return: its index, -1 if none.
 */
long swap_slice_match(const struct swap_thread *t, const char *category, uint64_t key);

/** swap_slice_pop - end the innermost slice and free its name */
void swap_slice_pop(struct swap_thread *t);

#endif
