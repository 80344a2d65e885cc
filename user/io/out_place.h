/* SPDX-License-Identifier: LGPL-2.1 */
/*
 * Opens the outputs of all programs by name.  A regular file is replaced only when the new
 * one is complete: until then the old file stays, and the new one is written next to it
 * under a temporary name.  Everything else - a pipe, a device, /dev/stdout - is written
 * to directly.  Symbolic links are followed and stay.  Only its owner may access a file,
 * whatever its mode was before.
 */
#ifndef ETRACE_OUT_PLACE_H
#define ETRACE_OUT_PLACE_H

#include <errno.h>
#include <stdbool.h>
#include <sys/stat.h>

/* Suffix of a file that is not complete yet. */
#define OUT_PART "-part"
/* Suffix of a recording that another one replaces. */
#define OUT_OLD ".old"
/* The errno for a name that another user made in a sticky directory where everybody may write. */
#define OUT_PLANTED ENOTUNIQ

/* How an output is opened; bits. */
enum out_place_how {
	OUT_PLACE_WAITS_NOT = 1,	/* open pipes with O_NONBLOCK */
	OUT_PLACE_IS_FILE = 2,		/* the writer needs a regular file: if need be in TMPDIR */
};

struct out_place {
	char *name;		/* with symbolic links followed */
	char *part;		/* name of the file that is written; NULL if it is @name */
	int fd;			/* open for writing; the caller must close it */
	int lock;		/* another descriptor of @part that holds the lock; -1 if none */
	bool own;		/* @fd is a copy of a descriptor that existed before */
	bool is_file;		/* OUT_PLACE_IS_FILE */
	int to;			/* where a file in TMPDIR is copied to at the end, -1 if none */
	struct stat was;	/* state of the old regular file; st_nlink is 0 if none */
};

/**
 * out_place_open - open an output; an existing file is not changed yet
 * @path: a name
 * @how: enum out_place_how
 *
 * Return: 0, or a negative errno: -EBUSY if another process is writing it, -OUT_PLANTED.  Call
 * out_place_free() only after 0.
 */
int out_place_open(struct out_place *p, const char *path, unsigned int how);

/**
 * out_place_begin - empty a file that must be written in place, since it cannot be replaced:
 *	its directory is not writable, or it is a mount point
 */
int out_place_begin(struct out_place *p);

/**
 * out_place_commit - give the written file its final name
 * @keep: keep the old file, and SQLite's files next to it, with OUT_OLD appended to the name
 *
 * Return: 0, or a negative errno if the old file is still there.
 */
int out_place_commit(struct out_place *p, bool keep);

/** out_place_free - remove a file that was not committed; @fd stays open */
void out_place_free(struct out_place *p);

/** out_place_error - text for an error of these functions */
const char *out_place_error(int err);

/** out_place_leave - let out_place_free() keep an uncommitted file, under its -part name */
void out_place_leave(struct out_place *p);

/** out_place_same - whether @p writes the output that @path names */
bool out_place_same(const struct out_place *p, const char *path);

/** out_place_keep - append OUT_OLD to the name of a regular file, if it is not empty */
int out_place_keep(const char *path);

/** out_place_forget - remove the incomplete file that a killed writer left */
void out_place_forget(const char *path);

#endif
