// SPDX-License-Identifier: GPL-2.0
/*
 * For each operation of io_uring: the arguments of the system call that it stands for,
 * and how it is recorded. Called by the probes of uring.c.
 */
#include <linux/errno.h>
#include <linux/fcntl.h>
#include <linux/fs.h>
#include <linux/openat2.h>
#include <linux/sched.h>

#include "uring_ops.h"
#include "call.h"
#include "calls_use.h"
#include "capture.h"
#include "emit.h"
#include "hold.h"
#include "table.h"
#include "task.h"

#if ETRACE_RINGS
#include <linux/io_uring_types.h>
#include <uapi/linux/io_uring.h>

/* Copies of the structs of requests, which the kernel defines in files of io_uring/. */
struct etrace_ring_open {
	struct file *file;
	int dfd;
	u32 file_slot;
	struct filename *filename;
	struct open_how how;
};

struct etrace_ring_statx {
	struct file *file;
	int dfd;
	unsigned int mask;
	unsigned int flags;
	struct filename *filename;
};

struct etrace_ring_close {
	struct file *file;
	int fd;
	u32 file_slot;
};

struct etrace_ring_unlink {
	struct file *file;
	int dfd;
	int flags;
};

/* rename, link, symlink */
struct etrace_ring_names {
	struct file *file;
	int old_dfd;
	int new_dfd;
	struct filename *oldpath;
	struct filename *newpath;
	int flags;
};

struct etrace_ring_mkdir {
	struct file *file;
	int dfd;
	umode_t mode;
};

struct etrace_ring_connect {
	struct file *file;
	struct sockaddr __user *addr;
	int addr_len;
};

/* recvmsg */
struct etrace_ring_message {
	struct file *file;
	void __user *msg;
	int len;
	unsigned int done;
	unsigned int flags;
};

/* Keeps the name of a request, because the function frees it before it returns. */
static void etrace_ring_hold(struct etrace_task *t, int dfd, const char *name)
{
	struct etrace_scratch *sc;
	struct etrace_rec r;

	if (!name)
		return;
	r.cut = 0;
	r.outside = 0;
	sc = etrace_scratch_get();
	etrace_capture_kernel(&r, 0, sc, dfd, name);
	etrace_hold_keep(&t->hold, ETRACE_HOOK_NONE, &r, 1);
	etrace_scratch_put();
}

static bool etrace_ring_open(struct etrace_task *t, const void *cmd, unsigned long *args)
{
	const struct etrace_ring_open *open = cmd;

	if (open->file_slot)
		return false;
	args[0] = open->dfd;
	args[2] = open->how.flags & ~O_LARGEFILE;
	args[3] = open->how.mode;
	etrace_ring_hold(t, open->dfd, etrace_ring_name(open->filename));
	return true;
}

/* Returns false if the name is empty: such a request asks about a descriptor. */
static bool etrace_ring_statx(struct etrace_task *t, const void *cmd, unsigned long *args)
{
	const struct etrace_ring_statx *statx = cmd;
	const char *name = etrace_ring_name(statx->filename);

	if (name && !*name)
		return false;
	args[0] = statx->dfd;
	args[2] = statx->flags;
	etrace_ring_hold(t, statx->dfd, name);
	return true;
}

/* Sets string @i to the name as the program passed it. */
static void etrace_ring_orig(struct etrace_call *c, int i, struct etrace_scratch *s)
{
	struct etrace_hold *hold = etrace_held(c);

	if (hold)
		c->r.str[i] = hold->str[0];
	else
		etrace_capture_user(&c->r, i, s, ~0UL);
}

static void etrace_ring_open_failed(struct etrace_call *c)
{
	struct etrace_scratch *s = etrace_scratch_get();

	etrace_rec_init(&c->r, ETRACE_EV_OPEN_FAILED, 1);
	c->r.error = -c->ret;
	c->r.open_failed.flags = etrace_arg(c, ETRACE_ARG_FLAGS, 0);
	etrace_ring_orig(c, 0, s);
	etrace_emit(c->t, &c->r);
	etrace_scratch_put();
}

static void etrace_ring_opened(struct etrace_call *c)
{
	struct etrace_scratch *s;

	if (c->ret < 0) {
		etrace_ring_open_failed(c);
		return;
	}
	etrace_use_new(c->t, c->ret);
	etrace_rec_init(&c->r, ETRACE_EV_OPEN, 2);
	c->r.where = ETRACE_WHERE_EXTENDED;
	etrace_clear_open(&c->r);
	c->r.open.fd = c->ret;
	c->r.open.flags = etrace_arg(c, ETRACE_ARG_FLAGS, 0);
	c->r.open.mode = etrace_open_mode(c->r.open.flags, etrace_arg(c, ETRACE_ARG_MODE, 0));
	s = etrace_scratch_get();
	etrace_capture_opened(&c->r, 0, s, c->ret);
	etrace_ring_orig(c, 1, s);
	etrace_emit(c->t, &c->r);
	etrace_scratch_put();
}

static void etrace_ring_stated(struct etrace_call *c)
{
	struct etrace_scratch *s = etrace_scratch_get();

	etrace_rec_init(&c->r, ETRACE_EV_STAT, 1);
	c->r.error = c->ret < 0 ? -c->ret : 0;
	c->r.stat.flags = etrace_arg(c, ETRACE_ARG_FLAGS, 0);
	etrace_ring_orig(c, 0, s);
	etrace_emit(c->t, &c->r);
	etrace_scratch_put();
}

static bool etrace_ring_close(struct etrace_task *t, const void *cmd, unsigned long *args)
{
	const struct etrace_ring_close *close = cmd;

	args[0] = close->fd;
	return !close->file_slot;
}

static void etrace_ring_closed(struct etrace_call *c)
{
	etrace_emit_close(c->t, etrace_arg(c, ETRACE_ARG_FD, 0), ETRACE_CLOSE_EXTENDED);
}

static bool etrace_ring_unlink(struct etrace_task *t, const void *cmd, unsigned long *args)
{
	const struct etrace_ring_unlink *unlink = cmd;

	args[0] = unlink->dfd;
	args[2] = unlink->flags;
	return true;
}

static bool etrace_ring_names(struct etrace_task *t, const void *cmd, unsigned long *args)
{
	const struct etrace_ring_names *names = cmd;

	args[0] = names->old_dfd;
	args[2] = names->new_dfd;
	args[4] = names->flags;
	return true;
}

static bool etrace_ring_symlink(struct etrace_task *t, const void *cmd, unsigned long *args)
{
	const struct etrace_ring_names *names = cmd;

	args[1] = names->new_dfd;
	return true;
}

static bool etrace_ring_mkdir(struct etrace_task *t, const void *cmd, unsigned long *args)
{
	const struct etrace_ring_mkdir *mkdir = cmd;

	args[0] = mkdir->dfd;
	args[2] = mkdir->mode;
	return true;
}

/* Sets argument 0 to the request's descriptor. Returns false if it is in the ring's own table. */
static bool etrace_ring_fd(struct etrace_task *t, const void *cmd, unsigned long *args)
{
	const struct io_kiocb *req = container_of(cmd, struct io_kiocb, cmd);

	args[0] = req->cqe.fd;
	return !(req->flags & REQ_F_FIXED_FILE);
}

static bool etrace_ring_connect(struct etrace_task *t, const void *cmd, unsigned long *args)
{
	const struct etrace_ring_connect *connect = cmd;

	args[1] = (unsigned long)connect->addr;
	args[2] = connect->addr_len;
	return etrace_ring_fd(t, cmd, args);
}

/* A request that receives many messages puts them elsewhere; their descriptors are not seen. */
static bool etrace_ring_message(struct etrace_task *t, const void *cmd, unsigned long *args)
{
	const struct io_kiocb *req = container_of(cmd, struct io_kiocb, cmd);
	const struct etrace_ring_message *message = cmd;

	if (!(req->flags & REQ_F_APOLL_MULTISHOT))
		args[1] = (unsigned long)message->msg;
	args[2] = message->flags;
	return etrace_ring_fd(t, cmd, args);
}

static void etrace_ring_has_read(struct etrace_call *c)
{
	etrace_use_read(c->t, etrace_arg(c, ETRACE_ARG_FD, 0), c->ret);
}

static void etrace_ring_has_received(struct etrace_call *c)
{
	etrace_ring_has_read(c);
	if (c->args[2])
		etrace_messages(c, c->args[2], 1, c->args[3]);
}

static void etrace_ring_has_written(struct etrace_call *c)
{
	etrace_use_write(c->t, etrace_arg(c, ETRACE_ARG_FD, 0), c->ret);
}

struct etrace_ring_op etrace_ring_ops[ETRACE_NR_RING_OPS] = {
	{ "io_openat2", __NR_openat, etrace_ring_open, etrace_ring_opened },
	{ "io_statx", __NR_statx, etrace_ring_statx, etrace_ring_stated },
	{ "io_close", __NR_close, etrace_ring_close, etrace_ring_closed },
	{ "io_unlinkat", __NR_unlinkat, etrace_ring_unlink, etrace_do_unlink },
	{ "io_renameat", __NR_renameat2, etrace_ring_names, etrace_do_rename },
	{ "io_linkat", __NR_linkat, etrace_ring_names, etrace_do_link },
	{ "io_symlinkat", __NR_symlinkat, etrace_ring_symlink, etrace_do_symlink },
	{ "io_mkdirat", __NR_mkdirat, etrace_ring_mkdir, etrace_do_mkdir },
	{ "io_connect", __NR_connect, etrace_ring_connect, etrace_do_connect },
	{ "io_read", __NR_read, etrace_ring_fd, etrace_ring_has_read },
	{ "io_write", __NR_write, etrace_ring_fd, etrace_ring_has_written },
	{ "io_recv", __NR_read, etrace_ring_fd, etrace_ring_has_read },
	{ "io_send", __NR_write, etrace_ring_fd, etrace_ring_has_written },
	{ "io_recvmsg", __NR_read, etrace_ring_message, etrace_ring_has_received },
	{ "io_sendmsg", __NR_write, etrace_ring_fd, etrace_ring_has_written },
};

/* Does a request use the ring's own file table instead of the program's descriptors? */
bool etrace_ring_is_direct(const struct io_kiocb *req, unsigned int number)
{
	const void *cmd = &req->cmd;

	switch (number) {
	case IORING_OP_OPENAT:
	case IORING_OP_OPENAT2:
		return ((const struct etrace_ring_open *)cmd)->file_slot;
	case IORING_OP_CLOSE:
		return ((const struct etrace_ring_close *)cmd)->file_slot;
	}
	return req->flags & REQ_F_FIXED_FILE;
}
#endif
