/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Records the operations of io_urings as the system calls that they stand for, as the
 * module's uring.c does.
 *
 * The kernel has a function for each operation.  The submitting task runs it, or a worker
 * that the kernel has started for the process.  A worker is recorded as a thread that
 * joins the process with its first operation.  Programs are attached to these functions
 * once a traced task has a ring; requests before that are only counted.  So are requests of
 * a process whose first thread has ended: a program finds a worker's process only by that
 * thread.
 */
#ifndef ETRACE_RING_CALLS_BPF_H
#define ETRACE_RING_CALLS_BPF_H

#include "record/bpf/adopt.bpf.h"
#include "record/bpf/calls.bpf.h"
#include "record/bpf/hooks.bpf.h"

#define RING_OPENAT	18u
#define RING_CLOSE	19u
#define RING_STATX	21u
#define RING_OPENAT2	28u
#define FIXED_FILE	1u	/* bit of io_kiocb.flags */
#define EIOCBQUEUED	529

/* The part of a request that depends on its operation, struct io_open and so on. */
static __always_inline void *ring_cmd(struct io_kiocb *req)
{
	return (void *)req + bpf_core_field_offset(struct io_kiocb, file);
}

/* Counts a request that is not recorded. */
static __always_inline void ring_unseen(void)
{
	struct scratch *s = own_room(ROOM_RING_ASKED);

	if (s)
		s->counts.rings_unseen++;
}

/* The current task's slot, allocated if it is a new worker of a traced process. */
static __always_inline struct slot *ring_slot(struct task_struct *task)
{
	struct slot *t = slot_of(task);

	if (t || !(task->flags & PF_IO_WORKER) || !tracing || !slot_of(task->group_leader))
		return t;
	if (slot_add(task, task->pid, 1, true))
		t = slot_of(task);
	if (t)
		join_if_new(t);
	else
		ring_unseen();
	return t;
}

/* Does the request use the ring's own file table instead of the program's descriptors? */
static __always_inline bool ring_direct(struct io_kiocb *req, u32 op)
{
	if (op == RING_OPENAT || op == RING_OPENAT2)
		return BPF_CORE_READ((struct io_open *)ring_cmd(req), file_slot);
	if (op == RING_CLOSE)
		return BPF_CORE_READ((struct io_close *)ring_cmd(req), file_slot);
	return BPF_CORE_READ(req, flags) & FIXED_FILE;
}

/* The name in a request, with the type before 7.0 (@cmd) or that since 7.0 (@delayed). */
#define RING_FILENAME(cmd, delayed)							\
	(bpf_core_field_exists((delayed)->filename.__incomplete_filename) ?		\
	 BPF_CORE_READ(delayed, filename.__incomplete_filename) : BPF_CORE_READ(cmd, filename))

/* The name in an open or a statx, and the directory that it starts from. */
static __always_inline const char *ring_name(struct io_kiocb *req, u32 op, s32 *dirfd)
{
	struct io_statx___7_0 *late_statx = ring_cmd(req);
	struct io_open___7_0 *late_open = ring_cmd(req);
	struct io_statx *statx = ring_cmd(req);
	struct io_open *open = ring_cmd(req);
	struct filename *name;

	/* The directory is at the same offset in struct io_open and struct io_statx. */
	*dirfd = BPF_CORE_READ(open, dfd);
	name = op == RING_STATX ? RING_FILENAME(statx, late_statx) :
				  RING_FILENAME(open, late_open);
	return BPF_CORE_READ(name, name);
}

/* Sends the name when the operation begins: at its end the name no longer exists. */
static __always_inline void ring_hold_name(struct slot *t, const char *name, s32 dirfd)
{
	struct scratch *s = own_room(ROOM_RING);

	if (!s)
		return;
	rec_init(s, t, EB_HOLD);
	s->rec.flags = EB_FIRST;
	s->rec.val[0] = EB_H_RING;
	want_string(s, 0, W_KERNEL_JOIN, dirfd, (u64)name);
	put_strings(s, bpf_get_current_task_btf());
	hook_end(s, t, EB_H_RING);
}

static __always_inline bool ring_has_name(u32 op)
{
	return op == RING_OPENAT || op == RING_OPENAT2 || op == RING_STATX;
}

static __always_inline int do_ring_begin(struct io_kiocb *req)
{
	struct slot *t = ring_slot(bpf_get_current_task_btf());
	const char *name;
	char first = 0;
	u32 op, row;
	s32 dirfd;

	if (!t || !tracing)
		return 0;
	op = BPF_CORE_READ(req, opcode);
	/* The end of the previous operation was not seen: the kernel had no kretprobe free. */
	if (t->ring && t->ring_req != (u64)req)
		ring_unseen();
	t->ring = 0;
	t->hold = EB_H_NONE;
	if (op >= EB_MAX_RING || ring_direct(req, op))
		return 0;
	row = ring_row[op];
	/* It was counted when it was submitted. */
	if (row == EB_RING_UNSEEN)
		return 0;
	t->ring = row;
	t->ring_req = (u64)req;
	t->ring_fd = BPF_CORE_READ(req, cqe.fd);
	if (!ring_has_name(op))
		return 0;
	name = ring_name(req, op, &dirfd);
	/* An empty name asks about the descriptor: no name is looked up. */
	if (op == RING_STATX && !bpf_probe_read_kernel(&first, 1, name) && !first)
		t->ring = 0;
	else
		ring_hold_name(t, name, dirfd);
	return 0;
}

/* Sets the arguments as those of the system call, without names. */
static __always_inline void ring_args(struct scratch *s, struct slot *t, struct io_kiocb *req,
				      u32 record)
{
	struct io_rename *rename = ring_cmd(req);
	struct io_connect *connect = ring_cmd(req);
	struct io_unlink *unlink = ring_cmd(req);
	struct io_mkdir *mkdir = ring_cmd(req);
	struct io_statx *statx = ring_cmd(req);
	struct io_open *open = ring_cmd(req);
	struct io_close *close = ring_cmd(req);
	struct io_link *link = ring_cmd(req);

	__builtin_memset(s->arg, 0, sizeof(s->arg));
	switch (record) {
	case EB_R_OPEN:
		s->arg[0] = BPF_CORE_READ(open, dfd);
		s->arg[2] = BPF_CORE_READ(open, how.flags) & ~(u64)O_LARGEFILE;
		s->arg[3] = BPF_CORE_READ(open, how.mode);
		break;
	case EB_R_STAT:
		s->arg[0] = BPF_CORE_READ(statx, dfd);
		s->arg[2] = BPF_CORE_READ(statx, flags);
		break;
	case EB_R_CLOSE:
		s->arg[0] = BPF_CORE_READ(close, fd);
		break;
	case EB_R_UNLINK:
		s->arg[0] = BPF_CORE_READ(unlink, dfd);
		s->arg[2] = BPF_CORE_READ(unlink, flags);
		break;
	case EB_R_MKDIR:
		s->arg[0] = BPF_CORE_READ(mkdir, dfd);
		s->arg[2] = BPF_CORE_READ(mkdir, mode);
		break;
	case EB_R_SYMLINK:
		s->arg[1] = BPF_CORE_READ(link, new_dfd);
		break;
	case EB_R_CONNECT:
		s->arg[0] = t->ring_fd;
		s->arg[1] = (u64)BPF_CORE_READ(connect, addr);
		s->arg[2] = BPF_CORE_READ(connect, addr_len);
		break;
	case EB_R_LINK:
		s->arg[0] = BPF_CORE_READ(link, old_dfd);
		s->arg[2] = BPF_CORE_READ(link, new_dfd);
		s->arg[4] = BPF_CORE_READ(link, flags);
		break;
	case EB_R_RENAME:
		s->arg[0] = BPF_CORE_READ(rename, old_dfd);
		s->arg[2] = BPF_CORE_READ(rename, new_dfd);
		s->arg[4] = BPF_CORE_READ(rename, flags);
	}
}

/*
 * Records an operation that has returned. @ret: 0 if it is done; -EIOCBQUEUED if a read or
 * write has been started; else this was only an attempt, and a worker will perform it.
 */
static __always_inline void ring_done(struct slot *t, s32 ret)
{
	const volatile struct eb_row *def = &rows[t->ring & (EB_MAX_ROWS - 1)];
	struct io_kiocb *req = (void *)t->ring_req;
	struct task_struct *task = bpf_get_current_task_btf();
	struct scratch *s;
	s64 res = 0;

	if (!ret)
		res = (s32)BPF_CORE_READ(req, cqe.res);
	if (def->recorded == ETRACE_RECORDED_USED) {
		/* The number of bytes that a started request will move is unknown here. */
		if ((!ret && res >= 0) || ret == -EIOCBQUEUED) {
			use_fd(t->ring_fd, res,
			       def->record == EB_R_WRITE ? USE_WRITE : USE_READ);
			if (def->record == EB_R_WRITE)
				print_unseen(t->ring_fd, res);
		}
		return;
	}
	s = own_room(ROOM_RING);
	if (ret || !s || etrace_interrupted(res))
		return;
	ring_args(s, t, req, def->record);
	if (make_call(s, t, t->ring, res))
		record_call(s, t, task);
}

static __always_inline int do_ring_end(s32 ret)
{
	struct slot *t = slot_of(bpf_get_current_task_btf());

	if (!t || !t->ring)
		return 0;
	if (tracing)
		ring_done(t, ret);
	t->ring = 0;
	t->hold = EB_H_NONE;
	return 0;
}

/* A task submits a request. With the OLD programs, the layout of @req is unknown. */
static __always_inline int do_ring_asked(u32 op, void *req)
{
	struct task_struct *task = current_task();
	bool first;
	u32 row;

	if (op >= EB_MAX_RING || !tracing)
		return 0;
	row = ring_row[op];
	first = slot_of(GET(task, group_leader));
	if (!row || !(first || slot_of(task)))
		return 0;
	ring_there();
	if (row == EB_RING_UNSEEN || !first || (!OLD && ring_direct(req, op)))
		ring_unseen();
	return 0;
}

#endif
