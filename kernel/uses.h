/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The reads and writes of a program that are not recorded yet. They are kept for each
 * descriptor table, so that only the first read or write of a descriptor is expensive.
 */
#ifndef ETRACE_USES_H
#define ETRACE_USES_H

#include <linux/atomic.h>
#include <linux/bitmap.h>
#include <linux/rcupdate.h>
#include <linux/refcount.h>
#include <linux/types.h>

struct files_struct;

#define ETRACE_USES_MAX		512	/* maximum number of descriptors in a table */
#define ETRACE_USES_CHUNK	16	/* descriptors allocated at a time */

/* Bits of etrace_use.read and .wrote, below the bytes. */
#define ETRACE_USED		1	/* it was read, or written */
#define ETRACE_WROTE		2	/* it was written, not only by copies */
#define ETRACE_HEARD		2	/* a socket was read, and its uses are recorded by turns */
#define ETRACE_USE_BITS		2

/* How a descriptor is used. */
enum etrace_use_how {
	ETRACE_USE_READ,
	ETRACE_USE_WRITE,
	ETRACE_USE_COPY,	/* written; a copy event says from where */
};

/**
 * struct etrace_use - uses of a descriptor
 * @read: bytes read << ETRACE_USE_BITS, plus these bits; 0 if not read
 * @wrote: bytes written << ETRACE_USE_BITS, plus these bits; 0 if not written
 * @size: size in bytes of the written file after the last write, -1 if not a regular file
 * @mtime: modification time of that file, nanoseconds since 1970
 * @from: 1 + the source descriptor of the last recorded copy to it, 0 if none
 * @to: 1 + the target descriptor of the last recorded copy from it, 0 if none
 * @turns: for a socket: number of records while it was open
 * @user: for a socket: the thread that used it last, 0 if none
 *
 * Threads set the bits and the bytes separately, at the same time.  The struct's size
 * is a power of two, so that indexing is fast.
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
 * @refs: number of task slots that use it: the threads that share the table
 * @files: the table, to check whether a task still has it; never dereferenced
 * @mixed: other programs share the table, so each use is recorded immediately
 * @rcu: for freeing
 * @used: descriptors with something to record
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
 * etrace_uses_at - get the uses of a descriptor
 * @u: the uses of its table
 * @fd: any number
 *
 * Return: the uses, NULL if nothing is allocated for that descriptor.
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
