/* SPDX-License-Identifier: LGPL-2.1 */
/*
 * Where the bytes of an input stream come from: a file or pipe, expanded if it is
 * compressed.  Used by one thread: the stream's, or one that reads ahead.
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
	 * A descriptor that becomes readable when waiting for data is to stop, -1
	 * if none.
	 */
	int cancel;
	/* For a growing file, see in_follow(); NULL if none. */
	bool (*wait)(void *ctx);
	void *wait_ctx;
	int err;		/* negative errno, 0 if none */
	const char *why;	/* what is wrong with compressed data */
	bool end;		/* nothing more comes */
	enum in_packing { IN_UNDECIDED, IN_PLAIN, IN_GZIP, IN_ZSTD } packing;
	uint8_t *raw;
	size_t raw_start, raw_fill;
	bool raw_end;
	bool full;		/* the last frame filled the caller's buffer: it may have more */
	bool frame_open;	/* inside a gzip member or zstd frame */
	z_stream gz;
	ZSTD_DStream *zst;
};

/**
 * in_feed_read - more bytes
 *
 * Return: how many of @n came; 0 does not mean the end, @f->end does.
 */
size_t in_feed_read(struct in_feed *f, uint8_t *to, size_t n);

/** in_feed_free - free what it holds; the descriptor stays open */
void in_feed_free(struct in_feed *f);

#endif
