/* SPDX-License-Identifier: LGPL-2.1 */
/* Who may still change a file, and when what it holds is settled: settled.c, settling.c */
#ifndef ETRACE_GRAPH_SETTLED_H
#define ETRACE_GRAPH_SETTLED_H

#include <stdbool.h>
#include <stdint.h>

struct description;
struct et_event;
struct fd;
struct graph;
struct process;

/* By object. */
struct settling {
	uint32_t writers;	/* descriptions that are writable */
	uint32_t readers;	/* those that can only be read */
	uint32_t mappers;	/* processes that may have it mapped for writing */
	bool filled;		/* one of them closed it when it was not empty */
	bool mapped;		/* one of them has, or may have, as the owner says */
	bool sized;		/* object.size is that after the last write */
	uint32_t reported;	/* version that ops->settled() got last, 0 to report it again */
	uint32_t first;		/* version that was reported first at @since */
	int64_t since;
	int64_t changed;	/* last time at which the trace shows a change of it or its inode */
	/* versions, or 0: */
	uint32_t timed;		/* the trace shows that its time stamps were set */
	uint32_t unsure;	/* programs did not all see one content of it, because of @why */
	uint32_t unsure_passed;	/* ops->unsure() got this one */
	uint32_t again;		/* unsure, but what it holds now is to be hashed */
	uint32_t read;		/* opened to be read while it had mappers, not by @writer */
	uint32_t read_filled;	/* the same, when @filled */
	uint32_t proven;	/* its content was, when it had mappers */
	uint32_t seen_mapped;	/* mapped for writing, as the owner saw */
	const char *why;
	uint64_t writer;	/* upid of the process that opened it for writing last */
	uint32_t unwritten;	/* version that was made empty at @made, until it is written; or 0 */
	int64_t made;
};

/* ---- settling.c ---- */

/** settling_of - who may change an object; only if ops->settled is there */
struct settling *settling_of(struct graph *g, uint32_t object);
/** settling_sized - a file's present size was recorded */
void settling_sized(struct graph *g, uint32_t object);
/** settling_is_left - whether nobody has a file open for writing, and its last size is known */
bool settling_is_left(const struct graph *g, uint32_t object);
/**
 * settling_unsure - the present version of a file has no content that all programs saw
 * @why: a constant
 */
void settling_unsure(struct graph *g, uint32_t object, const char *why);
/* A reason for settling_unsure(). */
extern const char settling_other[];
/** settling_is_timed - whether the trace shows that a file's time stamps were set */
bool settling_is_timed(const struct graph *g, uint32_t object);
/** settling_foreign - a file that the trace does not change has got another size or time stamp */
void settling_foreign(struct graph *g, uint32_t object);
/** settling_again - hash a file again, of which it was not known before which one it is */
void settling_again(struct graph *g, uint32_t object);

/* ---- settled.c: nothing happens unless ops->settled is there ---- */

/** settled_found - a process has found a file by its name; @known: its inode number is recorded */
void settled_found(struct graph *g, const struct process *p, uint32_t object, bool known);
/** settled_open - a process has opened a file that it can read */
void settled_open(struct graph *g, const struct process *p, struct description *d, int64_t number);
/** settled_writes - a description can be written through; @maps: and its file mapped so */
void settled_writes(struct graph *g, const struct process *p, struct description *d, bool maps);
/** settled_renew - a process is about to begin a new version of a file in its place */
void settled_renew(struct graph *g, const struct process *p, uint32_t object);
/** settled_drop - a description is gone */
void settled_drop(struct graph *g, const struct description *d);
/**
 * settled_change - the trace shows a change of an inode by this name: mode, names
 * @times: or its time stamps
 */
void settled_change(struct graph *g, uint32_t file, bool times);
/** settled_made - the present version of a file was made empty; settled_wrote - and is no more */
void settled_made(struct graph *g, uint32_t object);
void settled_wrote(struct graph *g, uint32_t object);
/** settled_run - a file is run, or was changed by name */
void settled_run(struct graph *g, uint32_t object);
/** settled_close - a process closes a descriptor; the file may stay mapped */
void settled_close(struct graph *g, struct process *p, const struct fd *fd);
/** settled_unmap - an execve, or the end of a process: nothing is mapped any more */
void settled_unmap(struct graph *g, struct process *p);
/** settled_fork - a child gets its parent's mappings */
void settled_fork(struct graph *g, const struct process *parent, struct process *child);

/** settled_content - CONTENT: the recorder has hashed the file that is at a path now */
void settled_content(struct graph *g, const struct et_event *ev, int64_t at);

#endif
