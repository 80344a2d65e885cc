/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Hashes a file, and proves that its content was the same from one moment to another.
 *
 * The proof rests on the file's ctime, which the kernel sets to its coarse clock
 * (CLOCK_REALTIME_COARSE) at each change of content, mode, time stamps or names. No call can set
 * it to another value:
 *
 * 1. Before the file is read, the coarse clock is later than ctime, or the kernel gives a file whose
 *    times were read a finer ctime at its next change.  So a change from then on gives the file
 *    another ctime, and an equal one after reading proves that there was no change.
 * 2. The content is as old as ctime, or older. If the file existed before the build, ctime must be
 * clearly earlier than its first use. If the build made the file, ctime must not be later than its
 * last recorded change: a later one means that an untraced program changed the file.
 *
 * Writes to a mapping do not always change ctime, so no process may have the file mapped for
 * writing when it is read. Without a descriptor that is open for writing, none can map it later.
 *
 * The proof holds for local file systems that store times of the kernel's own clock, in ns.
 */
#ifndef ETRACE_FILE_HASH_H
#define ETRACE_FILE_HASH_H

#include "content/content_cache.h"
#include "content/file_mounts.h"
#include "graph/graph.h"

#define FILE_HASH 32		/* bytes of SHA-256 */

/* What to hash. */
struct file_job {
	struct graph_settled of;
	/* kept_job_begin() sets the next three members */
	int kept;		/* descriptor of the file, -1 if none; stays the owner's */
	uint32_t kept_id;	/* 0 if it is not kept */
	uint64_t kept_size;	/* bytes of the file then */
	int pid;		/* process that has the file open as descriptor of.fd; 0 if none */
	char *path;		/* NULL if it has no name; freed by the owner */
};

/* The state of an inode at one moment. */
struct file_look {
	uint64_t mount;		/* id of its mount, 0 if the kernel does not report it */
	uint64_t dev, ino, size;
	int64_t mtime, ctime;	/* ns since 1970 */
};

/* A file that was found but not read yet. */
struct file_found {
	struct file_look look;
	struct file_mount mount;
	int fd;			/* O_PATH; -1 if it is not open */
	bool kept;		/* @fd belongs to the job and stays open */
};

/* The result of hashing a file. */
struct file_result {
	const char *why_not;	/* a constant; NULL if it was hashed */
	bool cached;		/* found in the cache, not read */
	bool empty;		/* it was truncated, and not changed since */
	bool again;		/* trying again later may work */
	bool ended;		/* a possible mapper ended before it could be checked */
	bool mapped;		/* it may work when no process has the file mapped for writing */
	struct content_id id;	/* SHA-256 of the content, and its git object id */
	struct content_key key;	/* key of the file as it was read */
	uint64_t time;		/* CLOCK_MONOTONIC when the content was certainly unchanged, ns */
};

struct file_limits {
	struct mount_ids mounts;	/* files elsewhere are not read; if none, files everywhere are */
	struct mount_ids keeps;		/* only files on these are kept open */
	uint64_t max;		/* largest size, bytes */
	bool early;		/* times of the trace are those at which calls began */
	bool identified;	/* only files whose inode number is recorded */
	bool pids;		/* pids in jobs are valid in this /proc */
	struct content_cache *cache;	/* NULL for none */
};

/**
 * file_find - find a file, and its hash in the cache
 * @mounts: owned by this thread; all zeros at first
 * @found: to pass to file_read() if this returns true
 *
 * Return: whether it has to be read.  Else @to is complete.
 */
bool file_find(const struct file_job *job, const struct file_limits *limits,
	       struct file_mounts *mounts, struct file_found *found, struct file_result *to);

/** file_read - read and hash a file.  May sleep for a clock tick if the file has just changed. */
void file_read(struct file_found *found, struct file_result *to);

/**
 * file_keep - open a file that a program is writing, so that it can be read even after its name
 * was removed. It uses O_PATH, which does not prevent anybody from executing the file
 * @mounts: owned by this thread; all zeros at first
 *
 * Return: the descriptor; -1 if the file does not exist or is not on a mount in limits->keeps.
 */
int file_keep(const struct file_job *job, const struct file_limits *limits,
	      struct file_mounts *mounts);

/**
 * file_still - whether nothing unrecorded has changed a hashed file since
 * @changed: last recorded change, CLOCK_MONOTONIC, ns; 0 if none
 *
 * Return: false only if the file exists and its ctime shows a change.
 */
bool file_still(const char *path, uint64_t ino, int64_t ctime, int64_t changed);

#endif
