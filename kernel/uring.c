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
 * Operations, and the creation of a ring, are recorded only for sessions that want extended
 * events: opens and closes are marked as extended, and workers, which perform all other
 * operations, have slots only for these sessions.
 *
 * The probes are registered when a traced task has created a ring, at the end of that call,
 * before the program continues. Not recorded are operations of older rings, on the ring's
 * own file table, and on kernels before 6.1. Their requests are counted at a tracepoint,
 * which is probed as long as the functions are.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/errno.h>
#include <linux/kprobes.h>
#include <linux/mutex.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>
#include <linux/tracepoint.h>
#include <trace/events/io_uring.h>

#include "uring.h"
#include "uring_ops.h"
#include "call.h"
#include "compat.h"
#include "counts.h"
#include "emit.h"
#include "life.h"
#include "return_work.h"
#include "table.h"
#include "task.h"
#include "tracepoint.h"

#if ETRACE_RINGS
#include <linux/io_uring_types.h>

#define ETRACE_RINGS_MAX	256	/* maximum number of operations in progress at a time */

/**
 * struct etrace_ring_call - an operation in progress
 * @req: its request
 * @args: the arguments of the system call that it stands for, without names
 */
struct etrace_ring_call {
	struct io_kiocb *req;
	unsigned long args[ETRACE_MAX_ARGS];
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

/* Returns 0 if the function's return must be probed, too. */
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

/* Is a call with this result recorded? */
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
 * begun; otherwise this was only an attempt, and a worker will perform it.
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
#endif

/* ---- counting requests that are not recorded --------------------------------- */

#ifdef ETRACE_RING_ASKED
/* Operations that the module records or counts. */
static const struct {
	unsigned int number;
	const char *function;		/* performs the operation; "" if it is only counted */
	int nr;				/* system call with the same effect, -1 if only counted */
} etrace_ring_kinds[] = {
#define ETRACE_RING(number, function, call)	{ number, #function, __NR_##call },
#define ETRACE_RING_UNSEEN(number)		{ number, "", -1 },
#include "etrace_rings.def"
};

enum etrace_ring_how {
	ETRACE_RING_OTHER,	/* its kind is not recorded */
	ETRACE_RING_HOOKED,	/* recorded by a probe */
	ETRACE_RING_HIDDEN,	/* only counted */
};

/* Indexed by the number of the operation. */
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

		/* Only sessions that want extended events record rings, whatever the call. */
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
	/* Fails if out of memory; the kernel has then replaced the probe with a stub. */
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
 * @allow: if false, the probes are unregistered, and none is running on return
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

/*
 * Registers the probes. If out of memory, counts the ring itself, whose requests cannot be
 * counted.
 */
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

/* Records that a ring was created, because not all of its requests can be recorded. */
void etrace_do_uring(struct etrace_call *c)
{
	etrace_rec_init(&c->r, ETRACE_EV_URING, 0);
	c->r.uring.fd = c->ret;
	etrace_emit(c->t, &c->r);
	etrace_uring_made(c->t);
}
