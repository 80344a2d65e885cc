/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Keeps files open from when the build writes them until they are hashed, since many are removed
 * as soon as another program has read them.
 *
 * The descriptors are O_PATH ones, which do not prevent executing a file. A removed file uses disk
 * space as long as it is kept, so the files that wait to be hashed are limited to KEPT_BYTES.
 */
#ifndef ETRACE_KEPT_H
#define ETRACE_KEPT_H

#include "content/file_hash.h"

#define KEPT_MAX	128u
#define KEPT_BYTES	(64u << 20)

struct kept {
	uint32_t id;
	uint32_t object;	/* its number in the graph */
	int fd;			/* -1 until kept_opened() */
	unsigned int jobs;	/* number of waiting jobs */
};

struct kept_files {
	struct graph *graph;	/* owned by the caller */
	struct kept of[KEPT_MAX];
	unsigned int n;
	uint32_t last;		/* id assigned last */
	uint64_t bytes;		/* size of the files that have jobs */
};

/**
 * kept_begin - note that a file is being written
 *
 * Return: whether to open it with file_keep() and call kept_opened(); false if it is already kept,
 * or too many files are.
 */
bool kept_begin(struct kept_files *k, const struct graph_settled *of);

/**
 * kept_opened - after kept_begin() has returned true
 * @of: as for kept_begin()
 * @fd: owned by @k from now on; -1 if it could not be opened
 */
void kept_opened(struct kept_files *k, const struct graph_settled *of, int fd);

/** kept_job_begin - prepare to hash a file: sets job->kept, and what kept_job_end() needs */
void kept_job_begin(struct kept_files *k, struct file_job *job);
void kept_job_end(struct kept_files *k, const struct file_job *job);

/** kept_end - close all files */
void kept_end(struct kept_files *k);

#endif
