// SPDX-License-Identifier: LGPL-2.1
/* Writes to a file descriptor.  See out_file.h. */
#include "io/out_file.h"
#include "io/disk.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

/* Check, by its size, whether another process wrote to the file or truncated it. */
static void check_file(struct out_file *f)
{
	struct stat st;

	if (f->lasting && !fstat(f->fd, &st))
		f->changed |= (uint64_t)st.st_size != f->written;
}

static int wait_for_room(const struct out_file *f)
{
	struct pollfd fds[] = {
		{ .fd = f->fd, .events = POLLOUT },
		{ .fd = f->cancel, .events = POLLIN },
	};

	if (poll(fds, 2, -1) < 0 && errno != EINTR)
		return -errno;
	return fds[1].revents ? -ECANCELED : 0;
}

int out_file_write(struct out_file *f, const void *data, size_t n)
{
	const char *at = data;

	check_file(f);
	while (n && !f->err) {
		ssize_t done = write(f->fd, at, n);

		if (done >= 0) {
			at += done;
			n -= (size_t)done;
			f->written += (uint64_t)done;
		} else if (errno == EAGAIN) {
			f->err = wait_for_room(f);
		} else if (errno != EINTR) {
			f->err = -errno;
		}
	}
	return f->err;
}

int out_file_sync(struct out_file *f)
{
	if (f->lasting && !f->disk)
		f->disk = disk_new(f->fd);
	if (f->disk)
		disk_sync(f->disk);
	return 0;
}

int out_file_close(struct out_file *f)
{
	int err = disk_free(f->disk);

	check_file(f);
	if (f->lasting && fsync(f->fd) && !err)
		err = -errno;
	if (f->owned && close(f->fd) && errno != EINTR && !err)
		err = -errno;
	if (f->changed && !err)
		err = -ESTALE;
	free(f);
	return err;
}

/* ---- as a backend ---- */

static int plain_write(void *ctx, const void *data, size_t n)
{
	return out_file_write(ctx, data, n);
}

static int plain_close(void *ctx)
{
	return out_file_close(ctx);
}

static int plain_sync(void *ctx)
{
	return out_file_sync(ctx);
}

const struct out_backend out_plain = { .write = plain_write, .close = plain_close, .sync = plain_sync };
