/* SPDX-License-Identifier: LGPL-2.1 */
/*
 * Input streams: a buffered window over a file, a pipe or memory, independent of the format of
 * the data.  Compressed input (gzip, zstd) is expanded on the way.
 *
 *	while ((p = in_peek(in, want, &have)) && have) { ... in_skip(in, n); }
 */
#ifndef ETRACE_IN_H
#define ETRACE_IN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "io/diag.h"

struct in;

/* First member of struct in, for the inline functions, which run for each line or record. */
struct in_head {
	uint8_t *data;		/* the window is data[start .. fill) */
	size_t start, fill;
	uint64_t offset;
};

static inline struct in_head *in_head(struct in *in)
{
	return (struct in_head *)in;
}

/**
 * in_open - open a file for reading
 * @path: its name; "-" is standard input
 * @err: set to a negative errno on failure
 *
 * Return: the stream, or NULL.
 */
struct in *in_open(const char *path, int *err);

/** in_mem - read from memory, which must outlive the stream */
struct in *in_mem(const void *data, size_t n, const char *name);

/** in_close - close the input, unless it is standard input, and free the stream */
void in_close(struct in *in);

/** in_name - for messages: the path, "standard input", or in_mem()'s name */
const char *in_name(const struct in *in);

/** in_window - the bytes in the buffer, without reading more: @have bytes, often 0 */
static inline const uint8_t *in_window(const struct in *in, size_t *have)
{
	const struct in_head *h = (const struct in_head *)in;

	*have = h->fill - h->start;
	return h->data + h->start;
}

/* Slow path of in_peek(), if the window holds fewer than @want bytes. */
const uint8_t *in_peek_slow(struct in *in, size_t want, size_t *have);

/**
 * in_peek - look at the next bytes without passing over them
 * @want: number of contiguous bytes to get, at most IN_MAX_PEEK
 * @have: set to the number of bytes returned: less than @want only at the end of
 *	the input, often more
 *
 * Return: the bytes, valid until the next call on the stream.
 */
static inline const uint8_t *in_peek(struct in *in, size_t want, size_t *have)
{
	const uint8_t *p = in_window(in, have);

	return *have && *have >= want ? p : in_peek_slow(in, want, have);
}
#define IN_MAX_PEEK (64u << 20)

/**
 * in_look - look at bytes further ahead
 * @at: where they begin, in bytes from the position
 *
 * Return: @want contiguous bytes, valid as those of in_peek(); NULL if the input ends before.
 */
static inline const uint8_t *in_look(struct in *in, size_t at, size_t want)
{
	size_t have;
	const uint8_t *p = in_peek(in, at + want, &have);

	return have < at + want ? NULL : p + at;
}

/** in_skip - pass over @n of the bytes that in_peek() returned */
static inline void in_skip(struct in *in, size_t n)
{
	struct in_head *h = in_head(in);

	h->start += n;
	h->offset += n;
}

/**
 * in_line - look at the next line without passing over it
 * @max: bytes after which the end of a line is not searched for any more, at most IN_MAX_PEEK;
 *	a power of two
 * @len: set to its length without the newline
 * @whole: set to whether it has a newline: the last line may have none, or it is longer
 *	than @max
 *
 * Return: the line, valid as the bytes of in_peek(); NULL at the end.
 */
const char *in_line(struct in *in, size_t max, size_t *len, bool *whole);

/** in_offset - number of bytes passed over so far (of the expanded data) */
static inline uint64_t in_offset(const struct in *in)
{
	return ((const struct in_head *)in)->offset;
}

/** in_error - 0, or the negative errno that ended the input too early */
int in_error(const struct in *in);

/**
 * in_why - the error as text, for a message "NAME: TEXT"; only if in_error() is not 0
 *
 * Return: text that is valid as long as the stream.
 */
const char *in_why(const struct in *in);

/** in_report - report it to @diag if the input ended too early; @unit, @pos: where */
void in_report(const struct in *in, struct diag *diag, enum diag_unit unit, uint64_t pos);

/**
 * in_read_ahead - let a thread read and expand the input, ahead of the caller
 * @plain: whether to do so also if the input is not compressed
 *
 * The thread starts when more data is needed, and is at most a few blocks ahead.  All
 * results, including errors and their offsets, are the same as without it.
 */
void in_read_ahead(struct in *in, bool plain);

/**
 * in_share_processors - call in_read_ahead() for streams where it makes reading faster
 *
 * Reading ahead is faster if this program may use more than one processor, and there
 * are several inputs or a single one that is compressed.
 */
void in_share_processors(struct in **in, size_t n);

/**
 * in_follow - continue reading at the end of an input that is still being written
 * @wait: called when everything written so far was read; waits, and returns true to try
 *	again, false at the final end
 *
 * Do not use it together with in_read_ahead().  If the end of the input was found
 * before, that is forgotten.
 */
void in_follow(struct in *in, bool (*wait)(void *ctx), void *ctx);

bool in_drained_slow(struct in *in);

/** in_drained - for in_follow(): whether everything written so far has been passed over */
static inline bool in_drained(struct in *in)
{
	const struct in_head *h = in_head(in);

	return h->fill == h->start && in_drained_slow(in);
}

/** in_fd - the descriptor of the input, -1 for memory */
int in_fd(const struct in *in);

/*
 * Whether a file is open for writing. If so, data that ends too early is still being
 * written; otherwise it was cut off.
 */
enum in_writer {
	IN_WRITER_NONE,
	IN_WRITER_ANY,		/* some process has it open for writing */
	IN_WRITER_UNKNOWN,
	IN_WRITERS
};

/**
 * in_writer - whether some process has a file open for writing
 *
 * The kernel refuses a read lease while the file is open for writing, and always to a
 * process that does not own the file.  At the end of a pipe there is no writer: all have
 * closed it by then.
 */
enum in_writer in_writer(int fd);

#endif
