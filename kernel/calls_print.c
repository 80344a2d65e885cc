// SPDX-License-Identifier: GPL-2.0
/*
 * Output of processes, for sessions that want it: keeps the last bytes that a process
 * writes to descriptors 1 and 2 (printed.c), and records them when the process ends.  Bytes
 * are read from the program's memory after the call, as all strings are.
 */
#include <linux/sched/signal.h>
#include <linux/uaccess.h>
#include <linux/uio.h>
#include <asm/syscall.h>

#include "calls_print.h"
#include "call.h"
#include "capture.h"
#include "compat.h"
#include "counts.h"
#include "emit.h"
#include "printed.h"
#include "rights.h"
#include "table.h"
#include "task.h"

DEFINE_STATIC_KEY_FALSE(etrace_printing);

/**
 * etrace_print_want - count the sessions that want the output of processes
 * @on: one more session wants it; else one session fewer
 *
 * May sleep.
 */
void etrace_print_want(bool on)
{
	if (on)
		static_branch_inc(&etrace_printing);
	else
		static_branch_dec(&etrace_printing);
}

/**
 * struct etrace_written - the memory that a call has written
 * @at: user address of the bytes, or of a vector
 * @pieces: number of entries of the vector, 0 if it is not a vector
 * @is_32: the vector has the words of a 32-bit program
 */
struct etrace_written {
	unsigned long at;
	unsigned long pieces;
	bool is_32;
};

/* Reads @n words of the program's memory, at most 4. Returns false if that fails. */
static bool etrace_words_read(unsigned long *to, unsigned long from, unsigned int n, bool is_32)
{
	u32 half[4];
	unsigned int i;

	if (!is_32)
		return !copy_from_user_nofault(to, (void __user *)from, n * sizeof(*to));
	if (copy_from_user_nofault(half, (void __user *)from, n * sizeof(*half)))
		return false;
	for (i = 0; i < n; i++)
		to[i] = half[i];
	return true;
}

/* Finds the memory that a call has written. Returns false if it cannot be read. */
static bool etrace_written_find(const struct etrace_syscall *sc, struct pt_regs *regs,
				struct etrace_written *w)
{
	unsigned long message[4];	/* name, its length, vector, its length */

	w->is_32 = etrace_is_32();
	w->pieces = 0;
	w->at = etrace_syscall_arg(sc, regs, ETRACE_ARG_BUFFER, 0);
	if (sc->at[ETRACE_ARG_BUFFER])
		return true;
	w->at = etrace_syscall_arg(sc, regs, ETRACE_ARG_VECTOR, 0);
	w->pieces = etrace_syscall_arg(sc, regs, ETRACE_ARG_COUNT, 0);
	if (sc->at[ETRACE_ARG_VECTOR])
		return true;
	if (!etrace_words_read(message, etrace_syscall_arg(sc, regs, ETRACE_ARG_STRUCT, 0), 4,
			       w->is_32))
		return false;
	w->at = message[2];
	/* Another thread may have changed it since: the call has accepted no more. */
	w->pieces = min_t(unsigned long, message[3], UIO_MAXIOV);
	return true;
}

/*
 * Adds the first @bytes of a vector; pieces before the last bytes, which are kept, are only
 * counted.
 */
static void etrace_print_pieces(struct etrace_printed *p, const struct etrace_written *w, u64 bytes)
{
	size_t size = 2 * (w->is_32 ? sizeof(u32) : sizeof(unsigned long));
	unsigned long piece[2], i, n;

	for (i = 0; i < w->pieces && bytes; i++, bytes -= n) {
		if (!etrace_words_read(piece, w->at + i * size, 2, w->is_32))
			break;
		n = min_t(u64, piece[1], bytes);
		if (bytes - n >= ETRACE_PRINTED_MAX)
			etrace_printed_skip(p, n, false);
		else if (n)
			etrace_printed_add(p, piece[0], n);
	}
	if (bytes)
		etrace_printed_skip(p, bytes, true);
}

/* The output kept for a slot of the current task; NULL if not wanted, or out of memory. */
static struct etrace_printed *etrace_print_for(struct etrace_task *t, unsigned int fd)
{
	struct etrace_prints *prints;
	struct etrace_printed *p;

	if (t->refused || !etrace_session_wants(t->session, ETRACE_WHERE_OUTPUT) ||
	    (t->session->owner && !etrace_task_shown(t)))
		return NULL;
	prints = etrace_process_prints(&t->process, t->upid);
	p = prints ? etrace_printed_make(prints, fd) : NULL;
	if (!p)
		etrace_count(t->session, strings_unread, 1);
	return p;
}

static inline bool etrace_print_is_of(u32 fd)
{
	return fd - 1 < ETRACE_PRINTED_FDS;
}

/**
 * etrace_print_call - keep the bytes that a call has written
 * @sc: its row
 * @regs: the user registers of the current task
 * @ret: number of bytes
 */
void etrace_print_call(const struct etrace_syscall *sc, struct pt_regs *regs, long ret)
{
	u32 fd = etrace_first_arg(regs);
	struct etrace_written w;
	struct etrace_printed *p;
	struct etrace_task *t;

	if (!etrace_print_is_of(fd) || !ret)
		return;
	etrace_syscall_pin();
	t = etrace_task_find(current);
	if (!t || t->skipped || etrace_syscalls_emulated())
		goto out;
	if (!etrace_written_find(sc, regs, &w)) {
		w.at = 0;
		w.pieces = 0;
	}
	etrace_for_each_slot(t, t) {
		p = etrace_print_for(t, fd);
		if (p && w.pieces)
			etrace_print_pieces(p, &w, ret);
		else if (p)
			etrace_printed_add(p, w.at, ret);
	}
out:
	etrace_syscall_unpin();
}

/**
 * etrace_print_unseen - count output that was not written from the program's memory
 * @t: first slot of the current task, in an RCU read-side section
 * @fd: the descriptor
 * @bytes: number of bytes, 0 if unknown
 */
void etrace_print_unseen(struct etrace_task *t, u32 fd, u64 bytes)
{
	struct etrace_printed *p;

	if (!etrace_print_is_of(fd) || !bytes)
		return;
	etrace_for_each_slot(t, t) {
		p = etrace_print_for(t, fd);
		if (p)
			etrace_printed_skip(p, bytes, false);
	}
}

/* The exit status of the process, as wait() returns it. */
static int etrace_process_code(struct task_struct *p)
{
	if (READ_ONCE(p->signal->flags) & SIGNAL_GROUP_EXIT)
		return p->signal->group_exit_code;
	return READ_ONCE(p->group_leader->exit_code);
}

static void etrace_print_emit(struct etrace_task *t, struct etrace_printed *p, s32 fd)
{
	struct etrace_scratch *s = etrace_scratch_get();
	struct etrace_rec r;

	BUILD_BUG_ON(sizeof(s->path[0]) < ETRACE_PRINTED_MAX);
	etrace_printed_text(p, s->path[0]);
	etrace_rec_init(&r, ETRACE_EV_OUTPUT, ETRACE_STRS_OUTPUT);
	r.str[ETRACE_STR_OUTPUT_text].s = s->path[0];
	r.str[ETRACE_STR_OUTPUT_text].len = p->have;
	r.output.fd = fd;
	r.output.bytes = p->bytes;
	if (p->unread)
		r.unread = BIT(ETRACE_STR_OUTPUT_text);
	etrace_emit_one(t, &r);
	etrace_scratch_put();
}

/*
 * Are all threads of the process ending, but for workers of an io_uring? These may outlive the
 * program, and those that have recorded nothing have no slot.
 */
static bool etrace_only_workers_stay(struct task_struct *p)
{
	struct task_struct *other;
	bool only = true;

	rcu_read_lock();
	for_each_thread(p, other) {
		only = READ_ONCE(other->flags) & (PF_EXITING | PF_IO_WORKER);
		if (!only)
			break;
	}
	rcu_read_unlock();
	return only;
}

/**
 * etrace_print_over - record the output of a process that ends
 * @t: the slot of a task that ends, the current one
 * @p: that task
 * @last: the process ends with it
 */
void etrace_print_over(struct etrace_task *t, struct task_struct *p, bool last)
{
	struct etrace_prints *prints = etrace_task_printed(t);
	unsigned int i;

	if (!prints || READ_ONCE(prints->emitted) ||
	    !(t->session->record & ETRACE_SESSION_OUTPUT_ALL || etrace_process_code(p)) ||
	    !(last || etrace_only_workers_stay(p)) || xchg(&prints->emitted, 1))
		return;
	for (i = 0; i < ETRACE_PRINTED_FDS; i++)
		if (prints->of[i])
			etrace_print_emit(t, prints->of[i], i + 1);
}
