// SPDX-License-Identifier: GPL-2.0
/*
 * Fills in the contents of each kind of record.
 *
 * At sys_exit the handler of the call gathers the arguments by their roles, the
 * names from the hook's hold, and passes a struct etrace_rec to emit.c.
 */
#include <linux/errno.h>
#include <linux/fcntl.h>
#include <linux/file.h>
#include <linux/fs.h>
#include <linux/limits.h>
#include <linux/openat2.h>
#include <linux/ptrace.h>
#include <linux/sched.h>
#include <linux/uaccess.h>
#include <asm/syscall.h>

#include "call.h"
#include "calls.h"
#include "calls_print.h"
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

#define ETRACE_CLOSES_AT_ONCE	64	/* maximum records that a probe writes for a call */

/* ---- one handler per kind of record ------------------------------------ */

/*
 * Flags from the struct of openat2(), read after the call: another thread may have
 * changed it, so the flags of the open file take precedence.
 */
static noinline void etrace_open_how(struct etrace_call *c)
{
	long flags = etrace_fd_flags(c->ret);
	struct open_how how;

	if (!etrace_call_read(c, &how, etrace_arg(c, ETRACE_ARG_STRUCT, 0),
			      offsetofend(struct open_how, mode)) ||
	    (flags >= 0 && (how.flags ^ flags) & ETRACE_KEPT_FLAGS)) {
		how.flags = flags < 0 ? 0 : flags & ~O_LARGEFILE;
		how.mode = 0;
		c->r.unread |= BIT(ETRACE_NR_STR);
	}
	c->r.open.flags = how.flags;
	c->r.open.mode = how.mode;
}

void etrace_do_open(struct etrace_call *c)
{
	struct etrace_scratch *s;

	if (c->ret < 0) {
		etrace_open_failed(c);
		return;
	}
	etrace_use_new(c->t, c->ret);
	etrace_rec_init(&c->r, ETRACE_EV_OPEN, 2);
	etrace_clear_open(&c->r);
	c->r.open.fd = c->ret;
	if (c->sc->at[ETRACE_ARG_STRUCT]) {
		etrace_open_how(c);
	} else {
		/* The flags that creat() implies. */
		c->r.open.flags = etrace_arg(c, ETRACE_ARG_FLAGS,
					     ETRACE_CREAT_FLAGS);
		c->r.open.mode = etrace_arg(c, ETRACE_ARG_MODE, 0);
	}
	c->r.open.mode = etrace_open_mode(c->r.open.flags, c->r.open.mode);

	s = etrace_scratch_get();
	if (unlikely(c->work))
		etrace_capture_found(&c->r, 0, s, &c->work->dir);
	else if (etrace_wants_extended())
		etrace_capture_opened(&c->r, 0, s, c->ret);
	else
		etrace_capture_fd(&c->r, 0, s, c->ret);
	etrace_capture_joined(&c->r, 1, s, etrace_dirfd(c, ETRACE_ARG_DIRFD),
			      etrace_arg(c, ETRACE_ARG_PATH, 0));
	etrace_call_emit(c);
	etrace_scratch_put();
}

void etrace_do_close(struct etrace_call *c)
{
	etrace_emit_close(c->t, etrace_arg(c, ETRACE_ARG_FD, 0), 0);
}

/* Records the close of at most @max descriptors, from bit @pos on. Returns whether all are done. */
static bool etrace_closed(struct etrace_task *t, const struct etrace_hold *hold,
			  u32 *pos, unsigned int max)
{
	for (; max; max--) {
		*pos = find_next_bit(hold->fds, hold->nr_fds, *pos);
		if (*pos >= hold->nr_fds)
			return true;
		etrace_emit_close(t, hold->first + (*pos)++, ETRACE_CLOSE_GOING_ON);
	}
	return false;
}

static void etrace_close_range_later(struct etrace_work *l)
{
	struct etrace_task *t;
	bool all;

	do {
		rcu_read_lock();
		t = etrace_task_find(current);
		all = !t || etrace_closed(t, l->hold, &l->pos,
					  ETRACE_CLOSES_AT_ONCE);
		if (t && all)
			etrace_going_on(t, false);
		rcu_read_unlock();
		cond_resched();
	} while (!all);
}

void etrace_do_close_range(struct etrace_call *c)
{
	struct etrace_hold *hold = etrace_held(c);
	struct etrace_work *l = NULL;
	struct etrace_task *t;
	unsigned int n;
	u32 pos = 0;

	if (etrace_arg(c, ETRACE_ARG_FLAGS, 0) & CLOSE_RANGE_CLOEXEC) {
		etrace_cloexec(c, etrace_arg(c, ETRACE_ARG_FD, 0),
			       etrace_arg(c, ETRACE_ARG_FD2, 0), true);
		return;
	}
	n = etrace_going_on(c->t, true);
	if (hold && etrace_closed(c->t, hold, &pos, ETRACE_CLOSES_AT_ONCE / n))
		goto done;
	if (hold)
		l = etrace_work_get();
	if (l) {
		etrace_hold_give(l, etrace_held_take(c->t, ETRACE_HOOK_CLOSE_RANGE));
		l->pos = pos;
		etrace_work_run(l, etrace_close_range_later);
		return;
	}
	etrace_for_each_slot(t, c->t)
		etrace_count(t->session, lost_fds, 1);
done:
	etrace_going_on(c->t, false);
}

static void etrace_emit_dup(struct etrace_call *c, u32 flags)
{
	if (c->ret != (int)etrace_arg(c, ETRACE_ARG_FD, 0))
		etrace_use_new(c->t, c->ret);
	etrace_rec_init(&c->r, ETRACE_EV_DUP, 0);
	c->r.dup.oldfd = etrace_arg(c, ETRACE_ARG_FD, 0);
	c->r.dup.newfd = c->ret;
	c->r.dup.flags = flags;
	etrace_call_emit(c);
}

void etrace_do_dup(struct etrace_call *c)
{
	etrace_emit_dup(c, etrace_arg(c, ETRACE_ARG_FLAGS, 0));
}

void etrace_do_fcntl(struct etrace_call *c)
{
	unsigned int cmd = etrace_arg(c, ETRACE_ARG_FLAGS, 0);
	u32 fd = etrace_arg(c, ETRACE_ARG_FD, 0);
	long flags = etrace_fcntl_dup(cmd);

	if (flags >= 0)
		etrace_emit_dup(c, flags);
	else if (cmd == F_SETFD)
		etrace_cloexec(c, fd, fd, etrace_arg(c, ETRACE_ARG_ARG, 0) & FD_CLOEXEC);
}

void etrace_do_pipe(struct etrace_call *c)
{
	int fd[2];

	etrace_rec_init(&c->r, ETRACE_EV_PIPE, 0);
	etrace_made_two(c, fd, etrace_arg(c, ETRACE_ARG_STRUCT, 0), etrace_fds_are_pipe);
	c->r.pipe.fd1 = fd[0];
	c->r.pipe.fd2 = fd[1];
	c->r.pipe.flags = etrace_arg(c, ETRACE_ARG_FLAGS, 0);
	etrace_call_emit(c);
}

/* ---- at the end of a call ----------------------------------------------- */

static void (*const etrace_handlers[ETRACE_NR_REC])(struct etrace_call *c) = {
#define ETRACE_RECORD(ID, id, recorded, where) \
	[ETRACE_REC_##ID] = etrace_do_##id,
#include "etrace_syscalls.def"
};

static void etrace_look(struct etrace_call *c)
{
	c->r.faulted = false;
	etrace_handlers[c->sc->record](c);
}

/*
 * The first look failed because a page was not in memory: the kernel was moving it, or had
 * reclaimed it.  Here, the page can be faulted in.
 */
static void etrace_look_again(struct etrace_work *l)
{
	struct etrace_call c etrace_uninitialized;
	unsigned int looks = 0, i;
	bool more, wait;

	c.sc = l->sc;
	c.ret = l->ret;
	memcpy(c.args, l->args, sizeof(c.args));
	c.work = l;
	do {
		/* Faulting in arguments that are not addresses is harmless. */
		for (wait = false, i = 1; i <= ETRACE_MAX_ARGS; i++) {
			wait |= !etrace_work_fault_in(c.args[i]);
			etrace_work_fault_in(c.args[i] + PATH_MAX - 1);
		}
		c.last = ++looks == ETRACE_LOOKS || fatal_signal_pending(current);
		rcu_read_lock();
		c.t = etrace_task_find(current);
		if (c.t)
			etrace_look(&c);
		more = c.t && c.r.faulted && !c.last;
		rcu_read_unlock();
		if (more && wait)
			schedule_timeout_killable(1);
	} while (more);
}

/* Takes another look on the way back to the program, which may sleep. */
static noinline void etrace_look_later(struct etrace_call *c)
{
	struct etrace_work *l = etrace_work_get();
	struct file *file;

	if (!l) {
		c->last = true;
		etrace_look(c);
		return;
	}
	l->sc = c->sc;
	l->ret = c->ret;
	memcpy(l->args, c->args, sizeof(l->args));
	if (etrace_held(c))
		etrace_hold_give(l, etrace_held_take(c->t, c->sc->hook));
	/* Take a reference: another thread may close the file before that look. */
	file = c->sc->record == ETRACE_REC_OPEN && c->ret >= 0 ? fget_raw(c->ret) : NULL;
	if (file) {
		l->dir = file->f_path;
		path_get(&l->dir);
		fput(file);
	}
	etrace_work_run(l, etrace_look_again);
}

/* A separate function, so that calls that are not recorded do not pay for its stack. */
static noinline void etrace_syscall_handle(const struct etrace_syscall *sc,
					   struct pt_regs *regs, long ret)
{
	struct etrace_call c etrace_uninitialized;

	/*
	 * Pin for the whole call: most of the work needs it, and it is an RCU read-side section.
	 */
	etrace_syscall_pin();
	c.t = etrace_task_find(current);
	if (c.t)
		etrace_joins(c.t);
	/* If a filter or ptracer answered instead of the kernel, the result means nothing. */
	if (!c.t || unlikely(c.t->skipped) || unlikely(etrace_syscalls_emulated()))
		goto out;
	if (!etrace_interrupted(ret)) {
		c.sc = sc;
		c.ret = ret;
		c.work = NULL;
		c.last = ret == -EFAULT;
		syscall_get_arguments(current, regs, c.args + 1);
		etrace_look(&c);
		if (unlikely(c.r.faulted) && !c.last)
			etrace_look_later(&c);
	}
	if (unlikely(sc->hook != ETRACE_HOOK_NONE))
		etrace_held_done(c.t);
out:
	etrace_syscall_unpin();
}

/* The call is not an event: free what its hook kept. */
static noinline void etrace_syscall_over(void)
{
	struct etrace_task *t;

	rcu_read_lock();
	t = etrace_task_find(current);
	if (t)
		etrace_held_done(t);
	rcu_read_unlock();
}

/* Is a call with this result an event that a session wants now? */
static inline bool etrace_syscall_recorded(const struct etrace_syscall *sc, long ret)
{
	if (!etrace_is_recorded(sc->recorded, ret))
		return false;
	return ret >= 0 || !(sc->recorded & ETRACE_RECORDED_OTHER) ||
	       etrace_wants_extended();
}

/* A separate function, called last, so that other calls need no registers for it. */
static noinline void etrace_wrote(const struct etrace_syscall *sc, struct pt_regs *regs, long ret)
{
	etrace_print_call(sc, regs, ret);
	etrace_used_slowly(etrace_first_arg(regs), ret, ETRACE_USE_WRITE);
}

static __always_inline void etrace_use_done(const struct etrace_syscall *sc, struct pt_regs *regs,
					    long ret)
{
	if (ret < 0)
		return;
	if (sc->record == ETRACE_REC_READ)
		etrace_used(etrace_first_arg(regs), ret, ETRACE_USE_READ);
	else if (static_branch_unlikely(&etrace_printing))
		etrace_wrote(sc, regs, ret);
	else
		etrace_used(etrace_first_arg(regs), ret, ETRACE_USE_WRITE);
}

/*
 * Records the program of a task that reads or writes before anything else is recorded of it. Called
 * last, like etrace_wrote().
 */
static noinline void etrace_use_joins(const struct etrace_syscall *sc, struct pt_regs *regs,
				      long ret)
{
	struct etrace_task *t;

	etrace_syscall_pin();
	t = etrace_task_find(current);
	if (t)
		etrace_joins(t);
	etrace_syscall_unpin();
	etrace_use_done(sc, regs, ret);
}

/**
 * etrace_syscall_done - record a call of the current task that ends
 * @regs: the user registers
 * @ret: what it returns
 */
void etrace_syscall_done(struct pt_regs *regs, long ret)
{
	const struct etrace_syscall *sc;

	if (!etrace_syscall_of(regs, &sc))
		return;
	ret = etrace_returned(ret);
	if (sc->recorded == ETRACE_RECORDED_USED) {
		if (etrace_cgroups_watched())
			etrace_use_joins(sc, regs, ret);
		else
			etrace_use_done(sc, regs, ret);
	} else if (etrace_syscall_recorded(sc, ret)) {
		etrace_syscall_handle(sc, regs, ret);
	} else if (sc->hook != ETRACE_HOOK_NONE) {
		etrace_syscall_over();
	}
}
