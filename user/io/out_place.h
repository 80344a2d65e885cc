/* SPDX-License-Identifier: LGPL-2.1 */
/*
 * Where an output goes, by its name: the one place in which outputs of all programs are
 * opened.  A regular file is replaced, when all of it is there: until then what was
 * there stays, and what is written is beside it under a name of its own.  Everything
 * else - a pipe, a device, /dev/stdout - is written to as it is.  Symbolic links are
 * followed and stay.  A file is its owner's alone, whatever it was before.
 */
#ifndef ETRACE_OUT_PLACE_H
#define ETRACE_OUT_PLACE_H

#include <stdbool.h>
#include <sys/stat.h>

/* Behind the name of a file that is not whole yet. */
#define OUT_PART "-part"
/* Behind the name of a recording that another one takes the place of. */
#define OUT_OLD ".old"

/* How it is opened; bits. */
enum out_place_how {
	OUT_PLACE_WAITS_NOT = 1,	/* O_NONBLOCK, for pipes */
	OUT_PLACE_IS_FILE = 2,		/* the writer needs a regular file: in TMPDIR, if nowhere else */
};

struct out_place {
	char *name;		/* where links lead */
	char *part;		/* the file that is written; NULL if @name itself */
	int fd;			/* open for writing; the caller's, from the beginning */
	int lock;		/* the same file, locked, until out_place_free() */
	bool own;		/* @fd is a copy of a descriptor that was there */
	bool is_file;		/* OUT_PLACE_IS_FILE */
	int to;			/* of OUT_PLACE_IS_FILE: where the file goes in the end, or -1 */
	struct stat was;	/* of the regular file that is replaced; st_nlink is 0 if none */
};

/**
 * out_place_open - open it; nothing changes yet
 * @path: a name
 * @how: enum out_place_how
 *
 * Return: 0, or a negative errno: -EBUSY if another process is writing it.  For
 * out_place_free() only if 0.
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
 * Return: 0, or a negative errno: then what was there is there.
 */
int out_place_commit(struct out_place *p, bool keep);

/** out_place_free - what has not taken its place is removed; @fd stays open */
void out_place_free(struct out_place *p);

/** out_place_error - an error of these, for a person */
const char *out_place_error(int err);

/** out_place_leave - what has not taken its place stays under its own name */
void out_place_leave(struct out_place *p);

/** out_place_same - whether @path is what is written to @p */
bool out_place_same(const struct out_place *p, const char *path);

/** out_place_keep - a regular file that is there goes on with OUT_OLD behind its name */
int out_place_keep(const char *path);

/** out_place_forget - remove what a writer left that was killed before it was whole */
void out_place_forget(const char *path);

#endif
