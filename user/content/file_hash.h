/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Hashes a file, and proves that its content was the same from one moment to another.
 *
 * The proof rests on the file's ctime, which the kernel sets to its coarse clock
 * (CLOCK_REALTIME_COARSE) at each change of content, mode, time stamps or names, and which no call
 * sets to anything else:
 *
 * 1. Before the file is read, the coarse clock is later than ctime, or the kernel gives a file whose
 *    times were read a finer ctime at its next change.  So a change from then on gives the file
 *    another ctime, and an equal one after reading proves that there was no change.
 * 2. The content dates from ctime at the latest.  If the file existed before the build, ctime is
 *    clearly earlier than its first use; if the build made it, ctime is not later than the last change
 *    that is recorded.  A later one shows a change by a program outside of the recording.
 *
 * Writes to a mapping change ctime only now and then, so no process may have the file mapped for
 * writing when it is read.  Without a descriptor that is open for writing, none can map it later.
 *
 * It holds for file systems of this machine that keep times of the kernel's own clock, in ns.
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
	/* by kept_job_begin(): */
	int kept;		/* descriptor of the file, -1 if none; stays the owner's */
	uint32_t kept_id;	/* 0 if it is not kept */
	uint64_t kept_size;	/* bytes of the file then */
	int pid;		/* has the file open as descriptor of.fd; 0 if none */
	char *path;		/* NULL if it has no name; freed by the owner */
};

/* An inode at one moment. */
struct file_look {
	uint64_t mount;		/* id of the mount on which it was found, 0 if the kernel gives none */
	uint64_t dev, ino, size;
	int64_t mtime, ctime;	/* ns since 1970 */
};

/* A file that was found, and not yet read. */
struct file_found {
	struct file_look look;
	struct file_mount mount;
	int fd;			/* O_PATH; -1 if it is not open */
	bool kept;		/* @fd is that of the job, and stays open */
};

/* What came of it. */
struct file_result {
	const char *why_not;	/* a constant; NULL if it was hashed */
	bool cached;		/* found in the cache, not read */
	bool empty;		/* it was made empty, and never changed since */
	bool again;		/* it may work later */
	bool ended;		/* a process that may have had the file mapped was not looked at */
	bool mapped;		/* it may work when no process has the file mapped for writing */
	struct content_id id;	/* SHA-256 of the content; of "blob SIZE", NUL, content */
	struct content_key key;	/* of the file as it was read */
	uint64_t time;		/* CLOCK_MONOTONIC at which the content was still that, ns */
};

struct file_limits {
	struct mount_ids mounts;	/* files elsewhere are not read; if none, files everywhere are */
	struct mount_ids keeps;		/* only files there are kept open */
	uint64_t max;		/* largest size, bytes */
	bool early;		/* times of the trace are those at which calls began */
	bool identified;	/* only files whose inode number is recorded */
	bool pids;		/* pids in jobs are those of this /proc */
	struct content_cache *cache;	/* NULL for none */
};

/**
 * file_find - find a file and what the cache knows of it
 * @mounts: this thread's; all zeros at first
 * @found: to be passed to file_read() if this returns true
 *
 * Return: whether it has to be read.  Else @to is complete.
 */
bool file_find(const struct file_job *job, const struct file_limits *limits,
	       struct file_mounts *mounts, struct file_found *found, struct file_result *to);

/** file_read - read and hash a file.  May sleep for a clock tick if the file is that young. */
void file_read(struct file_found *found, struct file_result *to);

/**
 * file_keep - open a file that a program is writing, so that it can be read when it has no name
 *	any more.  The descriptor is an O_PATH one: nobody is kept from running the file
 * @mounts: this thread's; all zeros at first
 *
 * Return: the descriptor; -1 if the file is not there, or is on another mount than limits->keeps.
 */
int file_keep(const struct file_job *job, const struct file_limits *limits,
	      struct file_mounts *mounts);

/**
 * file_still - whether a file that was hashed has not been changed since by something that is not
 *	recorded
 * @changed: last recorded change, CLOCK_MONOTONIC, ns; 0 if none
 *
 * Return: false only if the file is there and its ctime shows a change.
 */
bool file_still(const char *path, uint64_t ino, int64_t ctime, int64_t changed);

#endif
