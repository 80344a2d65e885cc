/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What a program has read and written by its descriptors, and nobody has been told
 * yet: a small memory for each table of descriptors, so that a read or write costs
 * next to nothing but the first by a descriptor.
 */
#ifndef ETRACE_USES_H
#define ETRACE_USES_H

#include <linux/atomic.h>
#include <linux/bitmap.h>
#include <linux/rcupdate.h>
#include <linux/refcount.h>
#include <linux/types.h>

struct files_struct;

#define ETRACE_USES_MAX		512	/* descriptors that are remembered */
#define ETRACE_USES_CHUNK	16	/* that memory is made for at a time */

/* Bits of etrace_use.read and .wrote, below the bytes. */
#define ETRACE_USED		1	/* it was read, it was written */
#define ETRACE_WROTE		2	/* and that was not always a copy */
#define ETRACE_HEARD		2	/* a socket was read: what it does is told by turns */
#define ETRACE_USE_BITS		2

/* What is done by a descriptor. */
enum etrace_use_how {
	ETRACE_USE_READ,
	ETRACE_USE_WRITE,
	ETRACE_USE_COPY,	/* it is written: an event copy tells where from */
};

/**
 * struct etrace_use - a descriptor
 * @read: bytes read by it << ETRACE_USE_BITS, and these; 0: it was not read
 * @wrote: bytes written, the same
 * @size: of the file that it wrote, behind its last write; -1: it has none
 * @mtime: when that was changed, nanoseconds since 1970
 * @from: of the last copy to it that was recorded, 1 + the descriptor read; 0: none
 * @to: of the last copy from it, 1 + the descriptor written; 0: none
 * @turns: of a socket, how often it was told while it was open
 * @user: of a socket, the thread that used it last; 0: none did
 *
 * The bits and the bytes are set apart, by threads at the same time.  Its size is a
 * power of two, which is quicker to find.
 */
struct etrace_use {
	atomic64_t read;
	atomic64_t wrote;
	s64 size;
	s64 mtime;
	u16 from;
	u16 to;
	u16 turns;
	pid_t user;
} __aligned(64);

/**
 * struct etrace_uses - the descriptors of a table, for one program and session
 * @refs: slots of tasks that have it: the threads that share the table
 * @files: the table, to see whether a task still has it; never followed
 * @mixed: other programs share the table: each use is told at once
 * @rcu: for freeing
 * @used: descriptors with something to tell
 * @chunk: arrays of ETRACE_USES_CHUNK
 */
struct etrace_uses {
	refcount_t refs;
	struct files_struct *files;
	bool mixed;
	struct rcu_head rcu;
	DECLARE_BITMAP(used, ETRACE_USES_MAX);
	struct etrace_use *chunk[ETRACE_USES_MAX / ETRACE_USES_CHUNK];
};

struct etrace_uses *etrace_uses_new(struct files_struct *files);
void etrace_uses_put(struct etrace_uses *u);
void etrace_uses_free(struct etrace_uses *u);
struct etrace_use *etrace_uses_make(struct etrace_uses *u, unsigned int fd);

/**
 * etrace_uses_at - what is remembered of a descriptor
 * @u: the memory
 * @fd: any number
 *
 * Return: it, or NULL if there is no memory for that one.
 */
static inline struct etrace_use *etrace_uses_at(struct etrace_uses *u, unsigned int fd)
{
	struct etrace_use *chunk;

	if (unlikely(fd >= ETRACE_USES_MAX))
		return NULL;
	chunk = READ_ONCE(u->chunk[fd / ETRACE_USES_CHUNK]);
	return likely(chunk) ? &chunk[fd % ETRACE_USES_CHUNK] : NULL;
}

#endif /* ETRACE_USES_H */
