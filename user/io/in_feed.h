/* SPDX-License-Identifier: LGPL-2.1 */
/*
 * Reads the bytes of an input stream from a file or pipe, and expands them if they are
 * compressed.  Used by one thread: the stream's own, or the one that reads ahead.
 */
#ifndef ETRACE_IN_FEED_H
#define ETRACE_IN_FEED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <zlib.h>
#include <zstd.h>

struct in_feed {
	int fd;			/* -1 if none */
	/*
	 * A descriptor that becomes readable when the wait for data should stop;
	 * -1 if none.
	 */
	int cancel;
	/* For a growing file, see in_follow(); NULL if none. */
	bool (*wait)(void *ctx);
	void *wait_ctx;
	int err;		/* negative errno, 0 if none */
	const char *why;	/* what is wrong with compressed data; NULL if nothing */
	bool end;		/* no more data will come */
	enum in_packing { IN_UNDECIDED, IN_PLAIN, IN_GZIP, IN_ZSTD } packing;
	uint8_t *raw;
	size_t raw_start, raw_fill;
	bool raw_end;
	bool full;		/* the caller's buffer is full; more output may wait */
	bool frame_open;	/* inside a gzip member or zstd frame */
	z_stream gz;
	ZSTD_DStream *zst;
};

/**
 * in_feed_read - read more bytes
 *
 * Return: the number of bytes, at most @n.  0 does not mean the end; @f->end does.
 */
size_t in_feed_read(struct in_feed *f, uint8_t *to, size_t n);

/** in_feed_free - free the memory of its fields; the descriptor stays open */
void in_feed_free(struct in_feed *f);

#endif
