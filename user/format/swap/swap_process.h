/* SPDX-License-Identifier: LGPL-2.1 */
/*
 * What is known of a SWAP target while its trace is converted: processes,
 * their threads and open slices, mappings, live blocks, and the koids that
 * stand for them in FXT.  Nothing is read or written here.
 *
 * Memory follows what lives at once: a process that has ended is kept for a
 * while, because messages about it can come late, and then forgotten.  Ends can
 * be missing: who uses this forgets those that were not heard of for the longest
 * time when there are too many.
 */
#ifndef ETRACE_SWAP_PROCESS_H
#define ETRACE_SWAP_PROCESS_H

#include "base/map64.h"
#include "base/ranges.h"

/* Slices open on one thread: written to FXT, and remembered at all. */
#define SWAP_MAX_NESTING	500u
#define SWAP_MAX_DEPTH		4096u
/* Mappings of a process that are remembered, and bytes of their names. */
#define SWAP_MAX_MAPS		8192u
#define SWAP_MAX_MAP_NAME	255u
/*
 * What is remembered at once, see swap_process_surplus() and swap_thread_surplus():
 * more than the targets had, 32-bit kernels with 32768 ids for both.
 */
#define SWAP_MAX_PROCESSES	32768u
#define SWAP_MAX_THREADS	32768u
#define SWAP_MAX_ALL_MAPS	(1u << 18)

/* A place in a list that goes round, with its head in it. */
struct swap_ring {
	struct swap_ring *before, *after;
};

/* What a slice was begun by; an exit must be of the same kind. */
enum swap_slice_kind {
	SWAP_SLICE_FUNCTION,	/* key: address of the function */
	SWAP_SLICE_SYSCALL,	/* key: address of the function */
	SWAP_SLICE_FILE,	/* key: 0 */
	SWAP_SLICE_WEB,		/* key: hash of the name */
	SWAP_SLICE_PROBE,	/* key: message id << 32 | function id */
};

/**
 * struct swap_slice - a slice that is open
 * @kind: see above
 * @key:  see above
 * @name: its name, owned; NULL when it is nested too deep to be written
 */
struct swap_slice {
	enum swap_slice_kind kind;
	uint64_t key;
	char *name;
};

/**
 * struct swap_thread - a thread
 * @process: its process
 * @tid:     its id on the target
 * @koid:    its id in FXT
 * @time:    of the last begin or end of a slice
 * @slices:  open slices, the innermost last
 * @depth:   how many
 * @cap:     room in @slices
 * @by_use:  among all threads, those heard of lately last
 */
struct swap_thread {
	struct swap_process *process;
	uint32_t tid;
	uint64_t koid;
	uint64_t time;
	struct swap_slice *slices;
	size_t depth, cap;
	struct swap_ring by_use;
};

/**
 * struct swap_process - a process
 * @pid:     its id on the target
 * @koid:    its id in FXT
 * @stages:  koid of the track for its setup stages, 0 for none yet
 * @stages_end: when the last stage on that track ended, nanoseconds
 * @informed: a PROCESS_INFO has described it
 * @ended:   a TERMINATE has ended it
 * @start:   start time by PROCESS_INFO, nanoseconds
 * @threads: tid to struct swap_thread *
 * @blocks:  address to size of live blocks
 * @bytes:   their sum
 * @spans:   step << 32 | resource id to the id of an open async span
 * @spans_time: of the last begin or end of a span
 * @maps:    of code; base: where they began, what offsets count from; name: last part of
 *           the path
 * @all:     the table that it stands in
 * @by_use:  among all processes, those heard of lately last
 */
struct swap_process {
	uint32_t pid;
	uint64_t koid;
	uint64_t stages;
	uint64_t stages_end;
	bool informed;
	bool ended;
	uint64_t start;
	struct map64 threads;
	struct map64 blocks;
	uint64_t bytes;
	struct map64 spans;
	uint64_t spans_time;
	struct ranges maps;
	struct swap_processes *all;
	struct swap_ring by_use;
};

/* All of them.  Start with swap_processes_new(). */
struct swap_processes;

struct swap_processes *swap_processes_new(void);
void swap_processes_free(struct swap_processes *ps);

/** swap_process_find - a process that is known by its pid, or NULL; it was heard of */
struct swap_process *swap_process_find(struct swap_processes *ps, uint32_t pid);

/** swap_process_add - a new process; the old one with this pid is forgotten */
struct swap_process *swap_process_add(struct swap_processes *ps, uint32_t pid);

/** swap_process_end - it has ended; others are forgotten for it in time */
void swap_process_end(struct swap_processes *ps, struct swap_process *p);

/** swap_process_next - the one heard of after @p, the first for NULL; NULL after the last */
struct swap_process *swap_process_next(const struct swap_processes *ps,
				       const struct swap_process *p);

/**
 * swap_process_surplus - the one to be forgotten next
 *
 * Return: the one that was not heard of for the longest time, while there are
 * more than SWAP_MAX_PROCESSES of them or more than SWAP_MAX_ALL_MAPS mappings;
 * NULL when there are not, or only one process.
 */
struct swap_process *swap_process_surplus(const struct swap_processes *ps);

/** swap_process_forget - it was never there; with its threads */
void swap_process_forget(struct swap_processes *ps, struct swap_process *p);

/** swap_thread_surplus - the same among more than SWAP_MAX_THREADS threads; or NULL */
struct swap_thread *swap_thread_surplus(const struct swap_processes *ps);

/** swap_thread_forget - it was never there */
void swap_thread_forget(struct swap_processes *ps, struct swap_thread *t);

/** swap_thread_find - a thread of a process, or NULL; it was heard of */
struct swap_thread *swap_thread_find(const struct swap_process *p, uint32_t tid);

/** swap_thread_add - a new thread */
struct swap_thread *swap_thread_add(struct swap_processes *ps, struct swap_process *p,
				    uint32_t tid);

/** swap_thread_by_tid - a thread of any process, the last one with this tid, or NULL */
struct swap_thread *swap_thread_by_tid(const struct swap_processes *ps, uint32_t tid);

/** swap_koid - an id for a track that no pid or tid stands for */
uint64_t swap_koid(struct swap_processes *ps);

/**
 * swap_map - code was mapped
 * @path: not terminated; @len bytes.  Of its last part SWAP_MAX_MAP_NAME are kept
 *
 * Return: false when the process has too many mappings to remember this one.
 */
bool swap_map(struct swap_process *p, uint64_t low, uint64_t high, const char *path,
	      size_t len);

/** swap_unmap - whatever was in a range is mapped no longer */
void swap_unmap(struct swap_process *p, uint64_t low, uint64_t high);

/**
 * swap_mapping_at - the mapping that an address lies in
 *
 * Return: it, valid until the next change, or NULL.
 */
const struct range *swap_mapping_at(const struct swap_process *p, uint64_t addr);

/* A block was allocated; freed.  Sizes that no block can have do not count. */
void swap_block_add(struct swap_process *p, uint64_t addr, uint64_t size);
void swap_block_remove(struct swap_process *p, uint64_t addr);

/**
 * swap_slice_push - a slice begins
 * @name: copied if it is to be written
 *
 * Return: 1 when it is to be written, 0 when it is nested too deep for that,
 * -1 when it is nested too deep to be remembered.
 */
int swap_slice_push(struct swap_thread *t, enum swap_slice_kind kind, uint64_t key,
		    const char *name);

/**
 * swap_slice_match - the innermost open slice that an exit can belong to
 *
 * Return: its index, or -1.
 */
long swap_slice_match(const struct swap_thread *t, enum swap_slice_kind kind, uint64_t key);

/** swap_slice_pop - the innermost slice ends; its name is freed */
void swap_slice_pop(struct swap_thread *t);

#endif
