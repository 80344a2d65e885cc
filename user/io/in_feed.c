// SPDX-License-Identifier: LGPL-2.1
/* Reads and expands the bytes of a file or pipe.  See in_feed.h. */
#include "io/in_feed.h"
#include "base/xalloc.h"
#include "io/in.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zstd_errors.h>

#define RAW_SIZE	(128u << 10)

/* Messages for compressed data that end too early: [is zstd][enum in_writer]. */
static const char *const early[2][IN_WRITERS] = {
	{ "its gzip data end too early: it was cut off",
	  "its gzip data have no end yet: it is still being written",
	  "its gzip data end too early: it was cut off, or is still being written" },
	{ "its zstd data end too early: it was cut off",
	  "its zstd data have no end yet: it is still being written",
	  "its zstd data end too early: it was cut off, or is still being written" },
};

enum in_writer in_writer(int fd)
{
	struct stat st;

	if (fd < 0 || fstat(fd, &st) || !S_ISREG(st.st_mode))
		return IN_WRITER_NONE;
	/*
	 * if a process opens the file for writing now, the kernel reports that with a signal; the
	 * default, SIGIO, would end the program
	 */
	if (fcntl(fd, F_SETSIG, SIGURG))
		return IN_WRITER_UNKNOWN;
	if (fcntl(fd, F_SETLEASE, F_RDLCK))
		return errno == EAGAIN ? IN_WRITER_ANY : IN_WRITER_UNKNOWN;
	fcntl(fd, F_SETLEASE, F_UNLCK);
	return IN_WRITER_NONE;
}

static size_t read_fd(struct in_feed *f, uint8_t *to, size_t n)
{
	struct pollfd fds[] = {
		{ .fd = f->fd, .events = POLLIN },
		{ .fd = f->cancel, .events = POLLIN },
	};
	ssize_t got;

	do {
		/* poll first: a read() that waits for data cannot be cancelled */
		if (f->cancel >= 0 && poll(fds, 2, -1) > 0 && fds[1].revents)
			return 0;
		got = read(f->fd, to, n);
	} while ((got < 0 && errno == EINTR) || (!got && f->wait && f->wait(f->wait_ctx)));
	if (got < 0)
		f->err = -errno;
	return got > 0 ? (size_t)got : 0;
}

/* Read more compressed bytes and append them to those in @f->raw. */
static void fill_raw(struct in_feed *f)
{
	size_t got;

	if (f->raw_start) {
		memmove(f->raw, f->raw + f->raw_start, f->raw_fill - f->raw_start);
		f->raw_fill -= f->raw_start;
		f->raw_start = 0;
	}
	if (f->raw_end || f->raw_fill == RAW_SIZE)
		return;
	got = read_fd(f, f->raw + f->raw_fill, RAW_SIZE - f->raw_fill);
	f->raw_fill += got;
	if (!got)
		f->raw_end = true;
}

/* Detect from the first bytes whether the input is compressed. */
static void detect_packing(struct in_feed *f)
{
	static const uint8_t gzip[] = { 0x1f, 0x8b }, zstd[] = { 0x28, 0xb5, 0x2f, 0xfd };

	f->raw = xmalloc(RAW_SIZE);
	while (f->raw_fill < sizeof(zstd) && !f->raw_end)
		fill_raw(f);
	f->packing = IN_PLAIN;
	if (f->raw_fill >= sizeof(gzip) && !memcmp(f->raw, gzip, sizeof(gzip))) {
		/* 16 makes zlib expect a gzip header */
		int ret = inflateInit2(&f->gz, 16 + MAX_WBITS);

		if (ret == Z_MEM_ERROR)
			xalloc_failed(1u << MAX_WBITS);
		if (ret == Z_OK)
			f->packing = IN_GZIP;
	} else if (f->raw_fill >= sizeof(zstd) && !memcmp(f->raw, zstd, sizeof(zstd))) {
		f->zst = ZSTD_createDStream();
		if (!f->zst)
			xalloc_failed(ZSTD_DStreamOutSize());
		f->packing = IN_ZSTD;
	}
}

static size_t expand_gzip(struct in_feed *f, uint8_t *to, size_t n)
{
	int ret;

	f->gz.next_in = f->raw + f->raw_start;
	f->gz.avail_in = (unsigned int)(f->raw_fill - f->raw_start);
	f->gz.next_out = to;
	f->gz.avail_out = (unsigned int)n;
	ret = inflate(&f->gz, Z_NO_FLUSH);
	f->raw_start = f->raw_fill - f->gz.avail_in;
	f->frame_open = true;
	if (ret == Z_STREAM_END) {
		/* another member may follow */
		f->frame_open = false;
		inflateReset(&f->gz);
	} else if (ret == Z_MEM_ERROR) {
		f->err = -ENOMEM;
	} else if (ret != Z_OK && ret != Z_BUF_ERROR) {
		f->err = -EBADMSG;
		f->why = "its gzip data are damaged";
	}
	return n - f->gz.avail_out;
}

static size_t expand_zstd(struct in_feed *f, uint8_t *to, size_t n)
{
	ZSTD_inBuffer src = { f->raw, f->raw_fill, f->raw_start };
	ZSTD_outBuffer dst = { to, n, 0 };
	size_t ret = ZSTD_decompressStream(f->zst, &dst, &src);

	f->raw_start = src.pos;
	if (ZSTD_isError(ret) && ZSTD_getErrorCode(ret) == ZSTD_error_memory_allocation) {
		/* not xalloc_failed(): this can be the thread that reads ahead */
		f->err = -ENOMEM;
	} else if (ZSTD_isError(ret)) {
		f->err = -EBADMSG;
		f->why = ZSTD_getErrorCode(ret) == ZSTD_error_frameParameter_windowTooLarge ?
			  "its zstd data want too much memory" : "its zstd data are damaged";
	}
	f->frame_open = ret != 0;
	return dst.pos;
}

size_t in_feed_read(struct in_feed *f, uint8_t *to, size_t n)
{
	size_t got;

	if (f->packing == IN_UNDECIDED)
		detect_packing(f);
	if (f->packing == IN_PLAIN) {
		got = f->raw_fill - f->raw_start;
		if (got) {
			/* first return what detect_packing() has read */
			if (got > n)
				got = n;
			memcpy(to, f->raw + f->raw_start, got);
			f->raw_start += got;
			return got;
		}
		got = f->raw_end ? 0 : read_fd(f, to, n);
		if (!got)
			f->end = true;
		return got;
	}
	if (f->raw_start == f->raw_fill && !f->full) {
		fill_raw(f);
		if (f->raw_start == f->raw_fill) {
			if (f->frame_open && !f->err) {
				f->err = -ENODATA;
				f->why = early[f->packing == IN_ZSTD][in_writer(f->fd)];
			}
			f->end = true;
			return 0;
		}
	}
	if (n > 1u << 30)
		n = 1u << 30;
	got = f->packing == IN_GZIP ? expand_gzip(f, to, n) : expand_zstd(f, to, n);
	f->full = got == n && f->frame_open;
	if (f->err)
		f->end = true;
	return got;
}

void in_feed_free(struct in_feed *f)
{
	if (f->packing == IN_GZIP)
		inflateEnd(&f->gz);
	ZSTD_freeDStream(f->zst);
	free(f->raw);
}
