/* SPDX-License-Identifier: LGPL-2.1 */
/*
 * Opens the outputs of all programs by name.  A regular file is replaced only when the new
 * one is complete: until then the old file stays, and the new one is written beside it
 * under a name of its own.  Everything else - a pipe, a device, /dev/stdout - is written
 * to directly.  Symbolic links are followed and stay.  Only its owner may access a file,
 * whatever its mode was before.
 */
#ifndef ETRACE_OUT_PLACE_H
#define ETRACE_OUT_PLACE_H

#include <stdbool.h>
#include <sys/stat.h>

/* Suffix of a file that is not complete yet. */
#define OUT_PART "-part"
/* Suffix of a recording that another one replaces. */
#define OUT_OLD ".old"

/* How it is opened; bits. */
enum out_place_how {
	OUT_PLACE_WAITS_NOT = 1,	/* O_NONBLOCK, for pipes */
	OUT_PLACE_IS_FILE = 2,		/* the writer needs a regular file: in TMPDIR, if nowhere else */
};

struct out_place {
	char *name;		/* with symbolic links followed */
	char *part;		/* the file that is written; NULL if @name itself */
	int fd;			/* open for writing; the caller's, from the beginning */
	int lock;		/* the same file, locked, until out_place_free() */
	bool own;		/* @fd is a copy of a descriptor that existed before */
	bool is_file;		/* OUT_PLACE_IS_FILE */
	int to;			/* OUT_PLACE_IS_FILE: where the file goes in the end, -1 if none */
	struct stat was;	/* of the regular file that is replaced; st_nlink is 0 if none */
};

/**
 * out_place_open - open an output; nothing changes yet
 * @path: a name
 * @how: enum out_place_how
 *
 * Return: 0, or a negative errno: -EBUSY if another process is writing it.  Call
 * out_place_free() only after 0.
 */
int out_place_open(struct out_place *p, const char *path, unsigned int how);

/**
 * out_place_begin - make what is there go, where it cannot be replaced: the directory
 *	is not ours to write, or the file is mounted by itself
 */
int out_place_begin(struct out_place *p);

/**
 * out_place_commit - what was written takes its place, or what is written yet
 * @keep: what was there stays, with OUT_OLD behind its name, and what belongs to it
 *
 * Return: 0, or a negative errno, and the old file is still there.
 */
int out_place_commit(struct out_place *p, bool keep);

/** out_place_free - remove a file that was not committed; @fd stays open */
void out_place_free(struct out_place *p);

/** out_place_error - text for an error of these functions */
const char *out_place_error(int err);

/** out_place_leave - leave a file that was not committed under its own name */
void out_place_leave(struct out_place *p);

/** out_place_same - whether @path is what is written to @p */
bool out_place_same(const struct out_place *p, const char *path);

/** out_place_keep - append OUT_OLD to the name of a regular file, if it is not empty */
int out_place_keep(const char *path);

/** out_place_forget - remove the incomplete file that a killed writer left */
void out_place_forget(const char *path);

#endif
