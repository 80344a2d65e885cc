/* SPDX-License-Identifier: LGPL-2.1 */
/*
 * Where output streams end: a file descriptor that is written to, and what
 * stands between it and the stream, a compressor or nothing.
 */
#ifndef ETRACE_OUT_FILE_H
#define ETRACE_OUT_FILE_H

#include <stdbool.h>

#include "io/out.h"

struct disk;

/* Used by one thread. */
struct out_file {
	int fd;
	bool owned;		/* out_file_close() closes it */
	/*
	 * A regular file, empty at first, that nobody else is to write to:
	 * looked after until it is on the disk.
	 */
	bool lasting;
	/*
	 * A descriptor that becomes readable when nothing more is to be
	 * waited for, or -1.  Looked at where @fd does not block (O_NONBLOCK).
	 */
	int cancel;
	bool changed;		/* another process wrote to it, or cut it */
	int err;		/* the first error; nothing is written after it */
	uint64_t written;	/* bytes */
	struct disk *disk;
};

/**
 * out_file_write - write all of the @n bytes
 *
 * Return: 0, or a negative errno; -ECANCELED if it would have to wait and is
 * not to.
 */
int out_file_write(struct out_file *f, const void *data, size_t n);

/** out_file_sync - what was written is to reach the disk soon. Return: 0 */
int out_file_sync(struct out_file *f);

/**
 * out_file_close - end it and free @f
 *
 * Return: 0, or the first negative errno of writing it out; -ESTALE if a
 * lasting file holds something else than was written.
 */
int out_file_close(struct out_file *f);

/**
 * out_backend_of - what writes to a file as the end of a name says
 * @f: freed by the backend's close()
 * @path: with .gz or .zst at its end, or not
 * @ctx: set to the backend's
 */
const struct out_backend *out_backend_of(struct out_file *f, const char *path, void **ctx);

/* One that compresses nothing; its context is a struct out_file. */
extern const struct out_backend out_plain;

#endif
