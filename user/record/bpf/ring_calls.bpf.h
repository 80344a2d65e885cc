/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Calls that io_urings make, recorded as the system calls that they stand for: what
 * the module's uring.c does.
 *
 * The kernel has a function for each, which the submitting task runs, or a worker
 * that the kernel has started for the process.  A worker is a thread that joins the
 * process with its first call.  Programs are on these functions once a traced task has a
 * ring; what is asked for before that is counted, and so is what may be done by a worker
 * whose process has no first thread any more: from here there is no way to the others.
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
#define FIXED_FILE	1u	/* of io_kiocb.flags */
#define EIOCBQUEUED	529

/* What a request is for, as the files of the kernel's io_uring have it. */
static __always_inline void *ring_cmd(struct io_kiocb *req)
{
	return (void *)req + bpf_core_field_offset(struct io_kiocb, file);
}

static __always_inline void ring_unseen(void)
{
	struct scratch *s = room(ROOM_RING_ASKED);

	if (s)
		s->counts.rings_unseen++;
}

/* The current task's slot; new for a worker of a traced process. */
static __always_inline struct slot *ring_slot(struct task_struct *task)
{
	struct slot *t = slot_of(task);

	if (t || !(task->flags & PF_IO_WORKER) || !tracing || !slot_of(task->group_leader))
		return t;
	if (slot_add(task, task->pid, 1, true))
		t = slot_of(task);
	if (t)
		joins(t);
	else
		ring_unseen();
	return t;
}

/* Is it about a place in the ring's own table, which is no descriptor of the program's? */
static __always_inline bool ring_direct(struct io_kiocb *req, u32 op)
{
	if (op == RING_OPENAT || op == RING_OPENAT2)
		return BPF_CORE_READ((struct io_open *)ring_cmd(req), file_slot);
	if (op == RING_CLOSE)
		return BPF_CORE_READ((struct io_close *)ring_cmd(req), file_slot);
	return BPF_CORE_READ(req, flags) & FIXED_FILE;
}

/* Of an open or a statx. @cmd: the same as two types, as it was and as it is since 7.0 */
#define RING_FILENAME(cmd, delayed)							\
	(bpf_core_field_exists((delayed)->filename.__incomplete_filename) ?		\
	 BPF_CORE_READ(delayed, filename.__incomplete_filename) : BPF_CORE_READ(cmd, filename))

/* The name that a request has, and the directory that it begins in. */
static __always_inline const char *ring_name(struct io_kiocb *req, u32 op, s32 *dirfd)
{
	struct io_statx___7_0 *late_statx = ring_cmd(req);
	struct io_open___7_0 *late_open = ring_cmd(req);
	struct io_statx *statx = ring_cmd(req);
	struct io_open *open = ring_cmd(req);
	struct filename *name;

	/* They begin alike, but for the name. */
	*dirfd = BPF_CORE_READ(open, dfd);
	name = op == RING_STATX ? RING_FILENAME(statx, late_statx) :
				  RING_FILENAME(open, late_open);
	return BPF_CORE_READ(name, name);
}

/* It is not there any more when the call returns. */
static __always_inline void ring_hold_name(struct slot *t, const char *name, s32 dirfd)
{
	struct scratch *s = room(ROOM_RING);

	if (!s)
		return;
	rec_init(s, t, EB_HOLD);
	s->rec.flags = EB_FIRST;
	s->rec.val[0] = EB_H_RING;
	want(s, 0, W_KERNEL_JOIN, dirfd, (u64)name);
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
	/* Where the kernel has no room for one more, it does not tell of a return. */
	if (t->ring && t->ring_req != (u64)req)
		ring_unseen();
	t->ring = 0;
	t->hold = EB_H_NONE;
	if (op >= EB_MAX_RING || ring_direct(req, op))
		return 0;
	row = ring_row[op];
	/* Counted when it was asked for. */
	if (row == EB_RING_UNSEEN)
		return 0;
	t->ring = row;
	t->ring_req = (u64)req;
	t->ring_fd = BPF_CORE_READ(req, cqe.fd);
	if (!ring_has_name(op))
		return 0;
	name = ring_name(req, op, &dirfd);
	/* What is asked of a descriptor is no name that is looked for. */
	if (op == RING_STATX && !bpf_probe_read_kernel(&first, 1, name) && !first)
		t->ring = 0;
	else
		ring_hold_name(t, name, dirfd);
	return 0;
}

/* The arguments, as the system call has them; no names. */
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
 * @ret: 0: it is done; -EIOCBQUEUED: a read or write has begun; else it was only
 * tried, and a worker does it.
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
		/* Of what has only begun, nobody tells here how much it comes to. */
		if ((!ret && res >= 0) || ret == -EIOCBQUEUED) {
			use_fd(t->ring_fd, res,
			       def->record == EB_R_WRITE ? USE_WRITE : USE_READ);
			if (def->record == EB_R_WRITE)
				print_unseen(t->ring_fd, res);
		}
		return;
	}
	s = room(ROOM_RING);
	if (ret || !s || etrace_interrupted(res))
		return;
	ring_args(s, t, req, def->record);
	if (make_call(s, t, t->ring, res))
		tell_call(s, t, task);
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

/* A task asks a ring for something; @req may be of a kernel that hides what that is. */
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
