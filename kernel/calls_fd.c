// SPDX-License-Identifier: GPL-2.0
/*
 * Calls about descriptors: those that set close-on-exec, create two descriptors or
 * descriptors of unnamed files, or receive descriptors from another process.
 */
#include <linux/compat.h>
#include <linux/fs.h>
#include <linux/kernel.h>
#include <linux/socket.h>
#include <linux/uaccess.h>
#include <net/scm.h>
#include <asm/ioctls.h>

#include "call.h"
#include "calls_use.h"
#include "capture.h"
#include "compat.h"
#include "counts.h"
#include "emit.h"
#include "return_work.h"
#include "task.h"

#define ETRACE_RECEIVED_AT_ONCE	64	/* maximum records that a probe writes for a call */
#define ETRACE_STEPS_AT_ONCE	512	/* maximum number of steps of its search for descriptors */
#define ETRACE_CONTROL_MAX	8192	/* maximum bytes of control data that are read */

/**
 * etrace_cloexec - record that a call sets or clears close-on-exec of descriptors
 * @c: the call
 * @first: the first descriptor
 * @last: the last one; not all numbers up to it need be open
 * @on: close-on-exec is set
 */
void etrace_cloexec(struct etrace_call *c, u32 first, u32 last, bool on)
{
	etrace_rec_init(&c->r, ETRACE_EV_CLOEXEC, 0);
	c->r.cloexec.first = first;
	c->r.cloexec.last = last;
	c->r.cloexec.on = on;
	etrace_call_emit(c);
}

/**
 * etrace_made_two - get the two descriptors that a call created
 * @c: the call; its record has been initialized
 * @fd: set to the descriptors, both to -1 if unknown
 * @from: user address of their numbers
 * @are: checks whether the call can have created these two descriptors
 *
 * Another thread may have overwritten the numbers, or closed the descriptors.
 */
void etrace_made_two(struct etrace_call *c, int fd[2], unsigned long from,
		     bool (*are)(const int fd[2]))
{
	if (etrace_call_read(c, fd, from, 2 * sizeof(*fd)) && are(fd)) {
		etrace_use_new(c->t, fd[0]);
		etrace_use_new(c->t, fd[1]);
		return;
	}
	fd[0] = -1;
	fd[1] = -1;
	c->r.unread |= BIT(ETRACE_NR_STR);
}

void etrace_do_ioctl(struct etrace_call *c)
{
	u32 fd = etrace_arg(c, ETRACE_ARG_FD, 0);
	unsigned long arg = etrace_arg(c, ETRACE_ARG_ARG, 0);
	unsigned int cmd = etrace_arg(c, ETRACE_ARG_FLAGS, 0);
	s64 from;

	switch (cmd) {
	case FIOCLEX:
	case FIONCLEX:
		etrace_cloexec(c, fd, fd, cmd == FIOCLEX);
		break;
	case FICLONERANGE:
		/* struct file_clone_range begins with the descriptor. */
		if (!etrace_call_read(c, &from, arg, sizeof(from))) {
			etrace_call_unread(c);
			break;
		}
		arg = from;
		fallthrough;
	case FICLONE:
		etrace_use_copy(c, arg, fd, 0);
	}
}

void etrace_do_memfd(struct etrace_call *c)
{
	struct etrace_scratch *s;

	etrace_use_new(c->t, c->ret);
	etrace_rec_init(&c->r, ETRACE_EV_MEMFD, 1);
	c->r.memfd.flags = etrace_arg(c, ETRACE_ARG_FLAGS, 0);
	c->r.memfd.fd = c->ret;
	s = etrace_scratch_get();
	etrace_capture_user(&c->r, 0, s, etrace_arg(c, ETRACE_ARG_PATH, 0));
	etrace_call_emit(c);
	etrace_scratch_put();
}

/* The call identifies the file by a handle, not by a name. */
void etrace_do_open_handle(struct etrace_call *c)
{
	struct etrace_scratch *s;

	etrace_use_new(c->t, c->ret);
	etrace_rec_init(&c->r, ETRACE_EV_OPEN, 2);
	c->r.where = ETRACE_WHERE_EXTENDED;
	etrace_clear_open(&c->r);
	c->r.open.fd = c->ret;
	c->r.open.flags = etrace_arg(c, ETRACE_ARG_FLAGS, 0);
	s = etrace_scratch_get();
	etrace_capture_opened(&c->r, 0, s, c->ret);
	c->r.str[1].s = "";
	c->r.str[1].len = 0;
	etrace_call_emit(c);
	etrace_scratch_put();
}

/* ---- from another process ------------------------------------------------ */

void etrace_do_pidfd_getfd(struct etrace_call *c)
{
	struct etrace_scratch *s;

	etrace_use_new(c->t, c->ret);
	etrace_rec_init(&c->r, ETRACE_EV_RECEIVED, 1);
	c->r.received.fd = c->ret;
	c->r.received.cloexec = true;
	s = etrace_scratch_get();
	etrace_capture_fd(&c->r, 0, s, c->ret);
	etrace_call_emit(c);
	etrace_scratch_put();
}

/* Reads user memory. Returns false and sets @v->faulted if the page is not in memory. */
static bool etrace_received_read(struct etrace_received *v, void *to, unsigned long from,
				 size_t n)
{
	if (likely(!copy_from_user_nofault(to, (void __user *)from, n)))
		return true;
	v->faulted = true;
	v->unread |= v->last;
	return false;
}

/* Reads two numbers of the program's word size. Returns false if that fails. */
static bool etrace_user_words(struct etrace_received *v, unsigned long from,
			      unsigned long to[2])
{
	u32 half[2];

	if (!v->compat)
		return etrace_received_read(v, to, from, 2 * sizeof(*to));
	if (!etrace_received_read(v, half, from, sizeof(half)))
		return false;
	to[0] = half[0];
	to[1] = half[1];
	return true;
}

/* Will a failed read be tried again? */
static bool etrace_received_waits(const struct etrace_received *v)
{
	return v->faulted && !v->last;
}

/*
 * Finds the control data of the next message. Its address and its size, which the call has
 * set, are words 4 and 5 (from 0) of a struct msghdr. A struct mmsghdr of an array has eight words.
 */
static void etrace_next_message(struct etrace_received *v)
{
	unsigned long at[2];

	v->left = 0;
	if (etrace_user_words(v, v->msg + 4 * v->word, at)) {
		v->cmsg = at[0];
		v->left = min_t(unsigned long, at[1], ETRACE_CONTROL_MAX);
	} else if (etrace_received_waits(v)) {
		return;
	}
	v->nr_msg--;
	v->msg += 8 * v->word;
}

/* Finds the descriptors in the next struct cmsghdr: a word and two numbers, then the data. */
static void etrace_next_cmsg(struct etrace_received *v)
{
	const u32 head = v->word + 2 * sizeof(int);
	unsigned long len[2];
	int what[2];

	/* Only the first word is needed. Two can be read: at least two ints follow it. */
	if (v->left < head || !etrace_user_words(v, v->cmsg, len) ||
	    !etrace_received_read(v, what, v->cmsg + v->word, sizeof(what)) ||
	    len[0] < head || len[0] > v->left) {
		if (!etrace_received_waits(v))
			v->left = 0;
		return;
	}
	if (what[0] == SOL_SOCKET && what[1] == SCM_RIGHTS) {
		v->fds = v->cmsg + head;
		v->nr_fds = min_t(u32, (len[0] - head) / sizeof(int), SCM_MAX_FD);
	}
	len[0] = min_t(u32, ALIGN(len[0], v->word), v->left);
	v->cmsg += len[0];
	v->left -= len[0];
}

/* Records the next descriptor in a control message, if it is open. Returns whether it is. */
static bool etrace_next_fd(struct etrace_task *t, struct etrace_received *v)
{
	struct etrace_scratch *s;
	struct etrace_rec r;
	int fd;

	if (!etrace_received_read(v, &fd, v->fds, sizeof(fd))) {
		if (!etrace_received_waits(v))
			v->nr_fds = 0;
		return false;
	}
	v->nr_fds--;
	v->fds += sizeof(fd);
	etrace_use_new(t, fd);
	etrace_rec_init(&r, ETRACE_EV_RECEIVED, 1);
	r.received.fd = fd;
	r.received.cloexec = v->cloexec;
	s = etrace_scratch_get();
	etrace_capture_fd(&r, 0, s, fd);
	if (!r.unread)
		etrace_emit_going_on(t, &r);
	etrace_scratch_put();
	return !r.unread;
}

/* Records at most @max descriptors of the messages. Returns whether no more are left. */
static bool etrace_received(struct etrace_task *t, struct etrace_received *v,
			    unsigned int max)
{
	unsigned int steps;

	v->faulted = false;
	for (steps = 0; max && steps < ETRACE_STEPS_AT_ONCE; steps++) {
		if (etrace_received_waits(v))
			break;
		if (v->nr_fds)
			max -= etrace_next_fd(t, v);
		else if (v->left)
			etrace_next_cmsg(v);
		else if (v->nr_msg)
			etrace_next_message(v);
		else
			return true;
	}
	return false;
}

/* Counts what could not be read, and ends the event.  @t: first slot of the current task */
static void etrace_received_over(struct etrace_task *t, const struct etrace_received *v)
{
	struct etrace_task *slot;

	if (v->unread)
		etrace_for_each_slot(slot, t)
			if (slot->going_on)
				etrace_count(slot->session, strings_unread, 1);
	etrace_going_on(t, false);
}

static void etrace_received_later(struct etrace_work *l)
{
	struct etrace_received *v = &l->received;
	unsigned int looks = 0;
	struct etrace_task *t;
	bool all;

	do {
		if (v->faulted && (!etrace_work_fault_in(v->msg + 4 * v->word) ||
				   !etrace_work_fault_in(v->cmsg) ||
				   !etrace_work_fault_in(v->fds)))
			schedule_timeout_killable(1);
		looks = v->faulted ? looks + 1 : 0;
		v->last = looks == ETRACE_LOOKS || fatal_signal_pending(current);
		rcu_read_lock();
		t = etrace_task_find(current);
		all = !t || etrace_received(t, v, ETRACE_RECEIVED_AT_ONCE);
		if (t && all)
			etrace_received_over(t, v);
		rcu_read_unlock();
		cond_resched();
	} while (!all);
}

/**
 * etrace_messages - record the descriptors that came with messages
 * @c: the call
 * @msg: user address of the struct msghdr, or of an array of struct mmsghdr
 * @nr: number of messages
 * @flags: flags of the call
 *
 * The numbers of the descriptors are in the program's memory, which may have changed since
 * the kernel wrote them: only numbers of open descriptors count.
 */
void etrace_messages(struct etrace_call *c, unsigned long msg, u32 nr, unsigned int flags)
{
	struct etrace_received v = {
		.msg = msg,
		.nr_msg = nr,
		/* A worker of a ring is in no call; the kernel adds this flag. */
		.compat = in_compat_syscall() || flags & MSG_CMSG_COMPAT,
		.cloexec = flags & MSG_CMSG_CLOEXEC,
	};
	struct etrace_work *l;
	struct etrace_task *t;
	unsigned int n;

	v.word = v.compat ? sizeof(u32) : sizeof(long);
	if (!nr)
		return;
	etrace_next_message(&v);
	/* Most messages have no descriptors. */
	if (likely(!v.left && !v.nr_msg))
		return;
	n = etrace_going_on(c->t, true);
	if (etrace_received(c->t, &v, ETRACE_RECEIVED_AT_ONCE / n))
		goto done;
	l = etrace_work_get();
	if (l) {
		l->received = v;
		etrace_work_run(l, etrace_received_later);
		return;
	}
	etrace_for_each_slot(t, c->t)
		etrace_count(t->session, lost_fds, 1);
done:
	etrace_received_over(c->t, &v);
}

void etrace_do_recvmsg(struct etrace_call *c)
{
	etrace_use_read(c->t, etrace_arg(c, ETRACE_ARG_FD, 0), c->ret);
	etrace_messages(c, etrace_arg(c, ETRACE_ARG_STRUCT, 0), 1,
			etrace_arg(c, ETRACE_ARG_FLAGS, 0));
}

void etrace_do_recvmmsg(struct etrace_call *c)
{
	etrace_use_read(c->t, etrace_arg(c, ETRACE_ARG_FD, 0), 0);
	etrace_messages(c, etrace_arg(c, ETRACE_ARG_STRUCT, 0), c->ret,
			etrace_arg(c, ETRACE_ARG_FLAGS, 0));
}
