// SPDX-License-Identifier: GPL-2.0
/*
 * Records the operations of io_urings as the system calls that they stand for.
 *
 * The kernel has a function for each operation. The submitting task runs it, or a worker
 * that the kernel has started for the process (the ring's own thread, or one of
 * many). A worker is recorded as a thread that joins the process with its first operation.
 * A return probe at the function stores at its entry which operation it is, so that the
 * hooks know it, and records the result at its return.
 *
 * Only sessions that want extended events record operations, and the making of the ring:
 * opens and closes are marked as extended, and the others are always made by a worker,
 * which has slots only for these sessions.
 *
 * The probes are registered once a traced task has made a ring, at the end of that call,
 * before the program continues.  Not recorded are operations of older rings, those on the
 * ring's own file table, and those on kernels before 6.1: these requests are counted, at
 * a tracepoint that has a probe for as long as the functions do.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/errno.h>
#include <linux/fcntl.h>
#include <linux/fs.h>
#include <linux/kprobes.h>
#include <linux/mutex.h>
#include <linux/openat2.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>
#include <linux/tracepoint.h>
#include <trace/events/io_uring.h>

#include "uring.h"
#include "call.h"
#include "calls_use.h"
#include "capture.h"
#include "compat.h"
#include "counts.h"
#include "emit.h"
#include "hold.h"
#include "life.h"
#include "return_work.h"
#include "table.h"
#include "task.h"
#include "tracepoint.h"

#if ETRACE_RINGS
#include <linux/io_uring_types.h>
#include <uapi/linux/io_uring.h>

#define ETRACE_RINGS_MAX	256	/* operations that can be in progress at a time */

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

/**
 * struct etrace_ring_call - an operation in progress
 * @req: its request
 * @args: the arguments of the system call that it stands for, without names
 */
struct etrace_ring_call {
	struct io_kiocb *req;
	unsigned long args[ETRACE_MAX_ARGS];
};

/**
 * struct etrace_ring_op - an operation of io_uring
 * @symbol: the kernel function that performs it
 * @nr: number of the system call that it stands for
 * @begin: fills in the arguments; returns false if it is not recorded
 * @done: records it
 * @probe: return probe at the function
 * @live: @probe is registered
 */
struct etrace_ring_op {
	const char *symbol;
	int nr;
	bool (*begin)(struct etrace_task *t, const void *cmd, unsigned long *args);
	void (*done)(struct etrace_call *c);
	struct kretprobe probe;
	bool live;
};

/* Keeps the name of a request, which is freed before the function returns. */
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

/* Returns false if the name is empty: that asks about a descriptor and looks up no name. */
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

/* String @i becomes the name as the program passed it. */
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

/* Argument 0 becomes the request's descriptor. Returns false if it is in the ring's own table. */
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

static void etrace_ring_has_read(struct etrace_call *c)
{
	etrace_use_read(c->t, etrace_arg(c, ETRACE_ARG_FD, 0), c->ret);
}

static void etrace_ring_has_written(struct etrace_call *c)
{
	etrace_use_write(c->t, etrace_arg(c, ETRACE_ARG_FD, 0), c->ret);
}

static struct etrace_ring_op etrace_ring_ops[] = {
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
	{ "io_recvmsg", __NR_read, etrace_ring_fd, etrace_ring_has_read },
	{ "io_sendmsg", __NR_write, etrace_ring_fd, etrace_ring_has_written },
};

static const struct etrace_syscall *etrace_ring_row(const struct etrace_ring_op *op)
{
	return &etrace_syscalls[etrace_row[ETRACE_ABI_NATIVE][op->nr]];
}

static struct etrace_task *etrace_ring_task(void)
{
	struct etrace_task *t = etrace_task_find(current);

	if (t || !(current->flags & PF_IO_WORKER))
		return t;
	t = etrace_task_worker(current);
	if (t)
		etrace_record_join(t);
	return t;
}

static void etrace_ring_set(struct etrace_task *t, const struct etrace_syscall *sc)
{
	etrace_for_each_slot(t, t)
		t->ring = sc;
}

/* Returns 0 if the function's return must be seen, too. */
static int etrace_ring_entry(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	struct etrace_ring_op *op = container_of(get_kretprobe(ri), struct etrace_ring_op, probe);
	struct io_kiocb *req = (void *)regs_get_kernel_argument(regs, 0);
	struct etrace_ring_call *call = (void *)ri->data;
	struct etrace_task *t;
	bool ours = false;

	if (etrace_task_untraced(current) && !(current->flags & PF_IO_WORKER))
		return 1;
	if (!atomic_read(&etrace_wanted[etrace_ring_row(op)->where]))
		return 1;
	rcu_read_lock();
	t = etrace_ring_task();
	if (t) {
		call->req = req;
		memset(call->args, 0, sizeof(call->args));
		ours = op->begin(t, &req->cmd, call->args);
	}
	if (ours)
		etrace_ring_set(t, etrace_ring_row(op));
	rcu_read_unlock();
	return !ours;
}

/* Is a call that ends so recorded? */
static bool etrace_ring_recorded(const struct etrace_syscall *sc, long ret)
{
	if (sc->recorded == ETRACE_RECORDED_USED)
		return ret >= 0;
	return etrace_is_recorded(sc->recorded, ret) && !etrace_interrupted(ret);
}

static void etrace_ring_record(struct etrace_task *t, const struct etrace_ring_op *op,
			       const struct etrace_ring_call *call, bool queued)
{
	struct etrace_call c etrace_uninitialized;

	c.t = t;
	c.sc = etrace_ring_row(op);
	c.work = NULL;
	c.last = true;
	memcpy(c.args + 1, call->args, sizeof(call->args));
	/* The result of a queued operation is unknown here. */
	c.ret = queued ? 0 : call->req->cqe.res;
	if (etrace_ring_recorded(c.sc, c.ret) &&
	    atomic_read(&etrace_wanted[c.sc->where]))
		op->done(&c);
}

/*
 * The function returns 0 if the operation is done; -EIOCBQUEUED if a read or write has
 * begun; otherwise it was only tried, and a worker will do it.
 */
static int etrace_ring_return(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	struct etrace_ring_op *op = container_of(get_kretprobe(ri), struct etrace_ring_op, probe);
	bool queued = (int)regs_return_value(regs) == -EIOCBQUEUED;
	struct etrace_task *t;

	rcu_read_lock();
	t = etrace_task_find(current);
	if (t) {
		etrace_ring_set(t, NULL);
		if (queued ? etrace_ring_row(op)->recorded == ETRACE_RECORDED_USED :
			     !(int)regs_return_value(regs))
			etrace_ring_record(t, op, (void *)ri->data, queued);
		etrace_held_done(t);
	}
	rcu_read_unlock();
	return 0;
}

static unsigned long etrace_uring_before;	/* missed by probes that were unregistered */

static void etrace_rings_hook(void)
{
	unsigned int i;
	int err;

	for (i = 0; i < ARRAY_SIZE(etrace_ring_ops); i++) {
		struct etrace_ring_op *op = &etrace_ring_ops[i];

		if (op->live)
			continue;
		memset(&op->probe, 0, sizeof(op->probe));
		op->probe.kp.symbol_name = op->symbol;
		op->probe.entry_handler = etrace_ring_entry;
		op->probe.handler = etrace_ring_return;
		op->probe.data_size = sizeof(struct etrace_ring_call);
		op->probe.maxactive = ETRACE_RINGS_MAX;
		err = register_kretprobe(&op->probe);
		op->live = !err;
		if (err)
			pr_warn_once("no hook on %s (error %d): not all that an io_uring does is recorded\n",
				     op->symbol, err);
	}
}

static unsigned long etrace_ring_missed(const struct etrace_ring_op *op)
{
	return op->live ? op->probe.nmissed + op->probe.kp.nmissed : 0;
}

static void etrace_rings_unhook(void)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(etrace_ring_ops); i++) {
		if (!etrace_ring_ops[i].live)
			continue;
		unregister_kretprobe(&etrace_ring_ops[i].probe);
		etrace_uring_before += etrace_ring_missed(&etrace_ring_ops[i]);
		etrace_ring_ops[i].live = false;
	}
}

/**
 * etrace_uring_missed - number of times that a probe was reached but could not run
 */
unsigned long etrace_uring_missed(void)
{
	unsigned long n = etrace_uring_before;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(etrace_ring_ops); i++)
		n += etrace_ring_missed(&etrace_ring_ops[i]);
	return n;
}

/* Is there a probe on this function? */
static bool etrace_ring_is_live(const char *function)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(etrace_ring_ops); i++)
		if (!strcmp(etrace_ring_ops[i].symbol, function))
			return etrace_ring_ops[i].live;
	return false;
}

/* Does the request use the ring's own file table instead of the program's descriptors? */
static bool etrace_ring_is_direct(const struct io_kiocb *req, unsigned int number)
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
#else
static void etrace_rings_hook(void)
{
}

static void etrace_rings_unhook(void)
{
}

unsigned long etrace_uring_missed(void)
{
	return 0;
}

static bool etrace_ring_is_live(const char *function)
{
	return false;
}

static bool etrace_ring_is_direct(const void *req, unsigned int number)
{
	return false;
}
#endif

/* ---- counting requests that are not recorded --------------------------------- */

#ifdef ETRACE_RING_ASKED
/* The operations of recorded kinds, the functions that perform them, and their calls. */
static const struct {
	unsigned int number;
	const char *function;		/* "" if only counted */
	int nr;				/* system call that it stands for, -1 if only counted */
} etrace_ring_kinds[] = {
#define ETRACE_RING(number, function, call)	{ number, #function, __NR_##call },
#define ETRACE_RING_UNSEEN(number)		{ number, "", -1 },
#include "etrace_rings.def"
};

enum etrace_ring_how {
	ETRACE_RING_OTHER,	/* not of a recorded kind */
	ETRACE_RING_HOOKED,	/* recorded by a probe */
	ETRACE_RING_HIDDEN,	/* only counted */
};

/* By number of the operation. */
static struct {
	u8 how;		/* enum etrace_ring_how */
	u8 where;	/* which sessions want it: ETRACE_WHERE_* */
} etrace_ring_kind[64];
static struct tracepoint *etrace_ring_asked_at;
static bool etrace_ring_counts;

static void etrace_ring_asked(ETRACE_PROTO_RING_ASKED)
{
	unsigned int number = etrace_ring_number(req);
	struct etrace_task *t;
	u8 how;

	if (number >= ARRAY_SIZE(etrace_ring_kind))
		return;
	how = READ_ONCE(etrace_ring_kind[number].how);
	if (how == ETRACE_RING_OTHER ||
	    (how == ETRACE_RING_HOOKED && !etrace_ring_is_direct(req, number)))
		return;
	rcu_read_lock();
	t = etrace_task_find(current) ?: etrace_task_sibling(current);
	etrace_for_each_slot(t, t)
		if (etrace_session_wants(t->session, READ_ONCE(etrace_ring_kind[number].where)))
			etrace_count(t->session, rings_unseen, 1);
	rcu_read_unlock();
}

static void etrace_rings_count(void)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(etrace_ring_kinds); i++) {
		unsigned int number = etrace_ring_kinds[i].number;
		int nr = etrace_ring_kinds[i].nr;

		/* Requests of rings are at least extended, whatever call they stand for. */
		WRITE_ONCE(etrace_ring_kind[number].where, nr < 0 ? ETRACE_WHERE_EXTENDED :
			   max_t(u8, etrace_syscalls[etrace_row[ETRACE_ABI_NATIVE][nr]].where,
				 ETRACE_WHERE_EXTENDED));
		WRITE_ONCE(etrace_ring_kind[number].how,
			   etrace_ring_is_live(etrace_ring_kinds[i].function) ?
			   ETRACE_RING_HOOKED : ETRACE_RING_HIDDEN);
	}
	if (!etrace_ring_asked_at)
		etrace_ring_asked_at = etrace_tracepoint_find(ETRACE_RING_ASKED);
	if (etrace_ring_counts || !etrace_ring_asked_at)
		return;
	etrace_ring_asked_check(etrace_ring_asked);
	etrace_ring_counts = !tracepoint_probe_register(etrace_ring_asked_at,
							etrace_ring_asked, NULL);
}

static void etrace_rings_uncount(void)
{
	if (!etrace_ring_counts)
		return;
	/* Fails if out of memory; then the kernel has replaced the probe by a stub. */
	WARN_ON_ONCE(tracepoint_probe_unregister(etrace_ring_asked_at, etrace_ring_asked, NULL));
	etrace_ring_counts = false;
	tracepoint_synchronize_unregister();
}
#else
static void etrace_rings_count(void)
{
}

static void etrace_rings_uncount(void)
{
}
#endif

static DEFINE_MUTEX(etrace_uring_mutex);
static bool etrace_uring_allowed;	/* the mutex protects this, .live and etrace_ring_counts */

static void etrace_uring_register(struct etrace_work *l)
{
	mutex_lock(&etrace_uring_mutex);
	if (etrace_uring_allowed) {
		etrace_rings_hook();
		etrace_rings_count();
	}
	mutex_unlock(&etrace_uring_mutex);
}

/**
 * etrace_uring_allow - allow or forbid the probes
 * @allow: if false, they are unregistered, and none is running on return
 */
void etrace_uring_allow(bool allow)
{
	mutex_lock(&etrace_uring_mutex);
	etrace_uring_allowed = allow;
	if (!allow) {
		etrace_rings_uncount();
		etrace_rings_unhook();
	}
	mutex_unlock(&etrace_uring_mutex);
}

/* Registers the probes. If out of memory, counts the ring itself: its requests are not seen. */
static void etrace_uring_made(struct etrace_task *t)
{
	struct etrace_work *l = etrace_work_get();

	if (l) {
		etrace_work_run(l, etrace_uring_register);
		return;
	}
	etrace_for_each_slot(t, t)
		if (etrace_session_wants(t->session, ETRACE_WHERE_EXTENDED))
			etrace_count(t->session, rings_unseen, 1);
}

/* Records that a ring was made: not all of its requests can be recorded. */
void etrace_do_uring(struct etrace_call *c)
{
	etrace_rec_init(&c->r, ETRACE_EV_URING, 0);
	c->r.uring.fd = c->ret;
	etrace_emit(c->t, &c->r);
	etrace_uring_made(c->t);
}
