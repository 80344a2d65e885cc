/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Files that the build writes, kept open from then until they are hashed: many are removed as soon
 * as another program has read them.
 *
 * The descriptors are O_PATH ones, so nobody is kept from running a file.  What was removed uses the
 * disk as long as it is kept: what waits to be hashed is limited to KEPT_BYTES.
 */
#ifndef ETRACE_KEPT_H
#define ETRACE_KEPT_H

#include "content/file_hash.h"

#define KEPT_MAX	128u
#define KEPT_BYTES	(64u << 20)

struct kept {
	uint32_t id;
	uint32_t object;	/* of the graph */
	int fd;			/* -1 until kept_opened() */
	unsigned int jobs;	/* that wait */
};

struct kept_files {
	struct graph *graph;	/* stays the caller's */
	struct kept of[KEPT_MAX];
	unsigned int n;
	uint32_t last;		/* id */
	uint64_t bytes;		/* of those that have jobs */
};

/**
 * kept_begin - a file is being written
 *
 * Return: whether to open it, by file_keep(), and call kept_opened(); false if it is kept already,
 * or too many are.
 */
bool kept_begin(struct kept_files *k, const struct graph_settled *of);

/**
 * kept_opened - after kept_begin() has returned true
 * @of: the same
 * @fd: from now on @k's; -1 if it could not be opened
 */
void kept_opened(struct kept_files *k, const struct graph_settled *of, int fd);

/** kept_job_begin - a file is to be hashed: sets job->kept, and what kept_job_end() needs */
void kept_job_begin(struct kept_files *k, struct file_job *job);
void kept_job_end(struct kept_files *k, const struct file_job *job);

/** kept_end - close all */
void kept_end(struct kept_files *k);

#endif
