/* SPDX-License-Identifier: LGPL-2.1 */
/*
 * The backend of an output stream that writes to a file descriptor, with or without a
 * compressor in front of it.
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
	 * It is a regular file, empty at first, that no other process should write
	 * to.  Its size is checked, and it is written to the disk before it is closed.
	 */
	bool lasting;
	/*
	 * A descriptor that becomes readable when waiting for room should stop; -1
	 * if none.  Used only if @fd does not block (O_NONBLOCK).
	 */
	int cancel;
	bool changed;		/* another process wrote to it or truncated it */
	int err;		/* the first error, after which nothing is written */
	uint64_t written;	/* number of bytes written */
	struct disk *disk;
};

/**
 * out_file_write - write all @n bytes
 *
 * Return: 0, or a negative errno; -ECANCELED if it would have to wait after @cancel.
 */
int out_file_write(struct out_file *f, const void *data, size_t n);

/** out_file_sync - start writing a lasting file to the disk, without waiting.  Return: 0 */
int out_file_sync(struct out_file *f);

/**
 * out_file_close - close the file if it is owned, and free @f
 *
 * Return: 0, or the first negative errno of writing it to the disk and closing it; -ESTALE
 * if a lasting file's size is not what was written.
 */
int out_file_close(struct out_file *f);

/**
 * out_backend_of - the backend that writes to a file, compressed by a name's suffix
 * @f: freed by the backend's close()
 * @path: compressed if it ends in .gz or .zst
 * @ctx: set to the backend's context
 */
const struct out_backend *out_backend_of(struct out_file *f, const char *path, void **ctx);

/* The backend without compression; its context is a struct out_file. */
extern const struct out_backend out_plain;

#endif
