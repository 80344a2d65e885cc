/* SPDX-License-Identifier: GPL-2.0 */
/* Counting and recording the reads and writes of each descriptor. */
#ifndef ETRACE_CALLS_USE_H
#define ETRACE_CALLS_USE_H

#include "call.h"

#include "compat.h"
#include "table.h"
#include "task.h"
#include "uses.h"

/* Flags of etrace_emit_close(). */
#define ETRACE_CLOSE_GOING_ON	1	/* only for slots with etrace_going_on() */
#define ETRACE_CLOSE_EXTENDED	2	/* not in the line format */
#define ETRACE_CLOSE_EXECVE	4	/* by execve */

void etrace_used_slowly(unsigned int fd, u64 bytes, enum etrace_use_how how);
void etrace_use_read(struct etrace_task *t, int fd, u64 bytes);
void etrace_use_write(struct etrace_task *t, int fd, u64 bytes);
void etrace_use_copy(struct etrace_call *c, u32 in, u32 out, u64 bytes);
void etrace_use_fork(struct etrace_task *t, struct etrace_task *c,
		     struct task_struct *child);
void etrace_use_forgotten(struct etrace_task *t, int fd);

/**
 * etrace_use_new - record uses left from an earlier descriptor with this number
 * @t: first slot of the current task
 * @fd: the descriptor
 *
 * Uses that are kept for @fd are those of an earlier descriptor with that number:
 * dup2() replaced it, or another thread closed it and has not recorded that yet.
 */
static inline void etrace_use_new(struct etrace_task *t, int fd)
{
	etrace_for_each_slot(t, t)
		if (READ_ONCE(t->uses))
			etrace_use_forgotten(t, fd);
}
bool etrace_fd_is_open(unsigned int fd);
void etrace_emit_close(struct etrace_task *t, int fd, unsigned int how);
void etrace_use_over(struct etrace_task *t);
void etrace_use_left(struct etrace_task *t);
void etrace_use_late(struct etrace_task *t, struct etrace_uses *u, unsigned int fd,
		     enum etrace_use_how how);

/* The inode of a descriptor, NULL if none. Inodes are freed after an RCU grace period. */
static __always_inline struct inode *etrace_use_inode(struct files_struct *files,
						      unsigned int fd)
{
	struct fdtable *fdt = etrace_fdtable(files);
	struct file *file;

	if (unlikely(fd >= fdt->max_fds))
		return NULL;
	/* Another thread may close it now. */
	file = rcu_dereference_raw(fdt->fd[fd]);
	return likely(file) ? READ_ONCE(file->f_inode) : NULL;
}

/* Keeps size and time of a file after a write. */
static __always_inline void etrace_use_seen(struct etrace_use *e, const struct inode *inode)
{
	e->size = i_size_read(inode);
	e->mtime = etrace_inode_mtime(inode);
}

/* The counter of a use, and (below) the bits that the use sets in it. */
static __always_inline atomic64_t *etrace_use_bytes(struct etrace_use *e,
						    enum etrace_use_how how)
{
	return how == ETRACE_USE_READ ? &e->read : &e->wrote;
}

static __always_inline u64 etrace_use_bits(enum etrace_use_how how)
{
	return how == ETRACE_USE_WRITE ? ETRACE_USED | ETRACE_WROTE : ETRACE_USED;
}

/*
 * Counts a use for one slot if the descriptor was used in this way before, which is
 * nearly always so.  Otherwise does nothing and returns false.
 */
static __always_inline bool etrace_use_again(struct etrace_task *t, unsigned int fd,
					     u64 bytes, enum etrace_use_how how)
{
	/* One bit is enough to test: a write sets both. */
	const u64 seen = how == ETRACE_USE_WRITE ? ETRACE_WROTE : ETRACE_USED;
	struct files_struct *files = current->files;
	struct etrace_uses *u = READ_ONCE(t->uses);
	struct etrace_use *e;
	struct inode *inode;
	atomic64_t *n;

	if (unlikely(!u || u->files != files))
		return false;
	e = etrace_uses_at(u, fd);
	if (unlikely(!e))
		return false;
	n = etrace_use_bytes(e, how);
	if (unlikely(!(atomic64_read(n) & seen)))
		return false;
	/* the first write sets @size, for regular files only */
	if (how != ETRACE_USE_READ && e->size >= 0) {
		inode = etrace_use_inode(files, fd);
		if (likely(inode))
			etrace_use_seen(e, inode);
	}
	/* Another thread may just have recorded and cleared the earlier uses. */
	if (unlikely(!(atomic64_add_return(bytes << ETRACE_USE_BITS, n) & seen)))
		etrace_use_late(t, u, fd, how);
	return true;
}

/**
 * etrace_used - count that a call has read or written through a descriptor
 * @fd: the descriptor
 * @bytes: number of bytes
 * @how: kind of use
 */
static __always_inline void etrace_used(unsigned int fd, u64 bytes, enum etrace_use_how how)
{
	struct etrace_task *t;
	bool done;

	/* Usually there is one slot, alone in its bucket. */
	etrace_syscall_pin();
	t = etrace_task_first(current);
	done = likely(t && t->task == current && !READ_ONCE(t->node.next)) &&
	       likely(!t->skipped) && likely(!etrace_syscalls_emulated()) &&
	       etrace_use_again(t, fd, bytes, how);
	etrace_syscall_unpin();
	if (unlikely(!done))
		etrace_used_slowly(fd, bytes, how);
}

#endif /* ETRACE_CALLS_USE_H */
