/* SPDX-License-Identifier: LGPL-2.1 */
/*
 * Which processes may still change a file, and when its content is settled: settled.c, settling.c
 */
#ifndef ETRACE_GRAPH_SETTLED_H
#define ETRACE_GRAPH_SETTLED_H

#include <stdbool.h>
#include <stdint.h>

struct description;
struct et_event;
struct fd;
struct graph;
struct process;

/* State of an object. */
struct settling {
	uint32_t writers;	/* descriptions that are writable */
	uint32_t readers;	/* descriptions that are only readable */
	uint32_t mappers;	/* processes that may have it mapped for writing */
	bool filled;		/* a mapper closed it when it was not empty */
	bool mapped;		/* the owner reported that a mapper has it mapped, or may have */
	bool sized;		/* object.size is from after the last write */
	uint32_t reported;	/* version that ops->settled() got last, 0 to report it again */
	uint32_t first;		/* version that was first reported at @since */
	int64_t since;
	int64_t changed;	/* time of the last recorded change of its content or inode */
	/* versions, or 0: */
	uint32_t timed;		/* the trace shows that its time stamps were set */
	uint32_t unsure;	/* programs may have seen different contents, because of @why */
	uint32_t unsure_passed;	/* the version passed to ops->unsure() */
	uint32_t again;		/* unsure, but the current content is to be hashed */
	uint32_t read;		/* opened for reading, not by @writer, while it had mappers */
	uint32_t read_filled;	/* opened for reading like @read, while @filled was set */
	uint32_t proven;	/* certain although it had mappers: graph_is_proven() */
	uint32_t seen_mapped;	/* the owner saw it mapped for writing */
	const char *why;
	uint64_t writer;	/* upid of the process that opened it for writing last */
	uint32_t unwritten;	/* version truncated at @made and not written since; or 0 */
	int64_t made;
};

/* ---- settling.c ---- */

/** settling_of - the state of an object; only if ops->settled is set */
struct settling *settling_of(struct graph *g, uint32_t object);
/** settling_sized - note that a file's current size was recorded */
void settling_sized(struct graph *g, uint32_t object);
/** settling_is_left - whether no process has a file open for writing, and its last size is known */
bool settling_is_left(const struct graph *g, uint32_t object);
/**
 * settling_unsure - note that programs may have seen different contents of a file's current version
 * @why: a constant
 */
void settling_unsure(struct graph *g, uint32_t object, const char *why);
/* A reason for settling_unsure(). */
extern const char settling_other[];
/** settling_is_timed - whether the trace shows that a file's time stamps were set */
bool settling_is_timed(const struct graph *g, uint32_t object);
/**
 * settling_foreign - note that an untraced program has changed a file's size or time stamp
 */
void settling_foreign(struct graph *g, uint32_t object);
/**
 * settling_again - hash a file again, because its identity was unknown before; its content must
 * still be as old as its first use
 */
void settling_again(struct graph *g, uint32_t object);

/* ---- settled.c: these do nothing unless ops->settled is set ---- */

/** settled_found - note that a process has found a file by name; @known: its inode is recorded */
void settled_found(struct graph *g, const struct process *p, uint32_t object, bool known);
/** settled_open - note that a process has opened a file that it can read */
void settled_open(struct graph *g, const struct process *p, struct description *d, int64_t number);
/** settled_writes - note that a description is writable; @maps: it can be mapped for writing */
void settled_writes(struct graph *g, const struct process *p, struct description *d, bool maps);
/**
 * settled_renew - a process is about to truncate or change a file: readers of the old version may
 * see that
 */
void settled_renew(struct graph *g, const struct process *p, uint32_t object);
/** settled_drop - note that a description is freed */
void settled_drop(struct graph *g, const struct description *d);
/**
 * settled_change - the trace shows a change of an inode by this name: mode, names
 * @times: the time stamps may have changed
 */
void settled_change(struct graph *g, uint32_t file, bool times);
/**
 * settled_made - a file's current version was truncated; settled_wrote - it was written after that
 */
void settled_made(struct graph *g, uint32_t object);
void settled_wrote(struct graph *g, uint32_t object);
/** settled_run - note that a file is run, or was changed by name */
void settled_run(struct graph *g, uint32_t object);
/** settled_close - note that a process closes a descriptor; the file may stay mapped */
void settled_close(struct graph *g, struct process *p, const struct fd *fd);
/** settled_unmap - end the mappings of a process, after an execve or at its end */
void settled_unmap(struct graph *g, struct process *p);
/** settled_fork - let a child inherit its parent's mappings */
void settled_fork(struct graph *g, const struct process *parent, struct process *child);

/** settled_content - handle a CONTENT event: the recorder hashed the file that a path leads to */
void settled_content(struct graph *g, const struct et_event *ev, int64_t at);

#endif
