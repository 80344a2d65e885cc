/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Calls about descriptors: those that set close-on-exec, create descriptors of unnamed files, or
 * receive descriptors from another process, like the module's calls_fd.c.
 */
#ifndef ETRACE_FD_CALLS_BPF_H
#define ETRACE_FD_CALLS_BPF_H

#include "record/bpf/call.bpf.h"
#include "record/bpf/use_calls.bpf.h"

#define FIONCLEX	0x5450u
#define FIOCLEX		0x5451u
#define FICLONE		0x40049409u
#define FICLONERANGE	0x4020940du
#define SOL_SOCKET	1
#define SCM_RIGHTS	1
#define SCM_MAX_FD	253u
#define MSG_CMSG_CLOEXEC 0x40000000u

#define CONTROL_MAX	8192u	/* bytes of control data that are searched */
/* Maximum steps to search messages for descriptors; if OLD, the verifier checks each of them. */
#define RECEIVED_STEPS	8192u
#define RECEIVED_STEPS_OLD 512u

/*
 * Begins the record of two descriptors that a call created. @are: @fd contains their
 * numbers; false if another thread may have overwritten them.
 */
static __always_inline void made_two(const struct call *c, u32 kind, const s32 *fd, bool are)
{
	_Static_assert((int)EB_V_PIPE_fd1 == (int)EB_V_SOCKETPAIR_fd1 &&
		       (int)EB_V_PIPE_fd2 == (int)EB_V_SOCKETPAIR_fd2, "the same places");

	if (are) {
		use_new(c, fd[0]);
		use_new(c, fd[1]);
	}
	rec_init(c->s, c->t, kind);
	if (!are)
		args_unread(c->s);
	c->r->val[EB_V_PIPE_fd1] = are ? fd[0] : -1;
	c->r->val[EB_V_PIPE_fd2] = are ? fd[1] : -1;
}

static __always_inline bool record_cloexec(const struct call *c, u32 first, u32 last, bool on)
{
	rec_init(c->s, c->t, EB_CLOEXEC);
	c->r->val[EB_V_CLOEXEC_first] = first;
	c->r->val[EB_V_CLOEXEC_last] = last;
	c->r->val[EB_V_CLOEXEC_on] = on;
	return true;
}

static __always_inline bool fill_ioctl(const struct call *c)
{
	u32 cmd = call_arg(c, EB_A_FLAGS, 0), fd = call_arg(c, EB_A_FD, 0);
	s64 from = call_arg(c, EB_A_ARG, 0);

	if (cmd == FIOCLEX || cmd == FIONCLEX)
		return record_cloexec(c, fd, fd, cmd == FIOCLEX);
	/* struct file_clone_range begins with the descriptor. */
	if (cmd == FICLONERANGE && bpf_probe_read_user(&from, sizeof(from), (void *)from))
		c->s->counts.strings_unread++;
	else if (cmd == FICLONE || cmd == FICLONERANGE)
		return use_copy(c, from, fd, 0);
	return false;
}

static __always_inline bool fill_memfd(const struct call *c)
{
	use_new(c, c->ret);
	rec_init(c->s, c->t, EB_MEMFD);
	c->r->val[EB_V_MEMFD_flags] = (u32)call_arg(c, EB_A_FLAGS, 0);
	c->r->val[EB_V_MEMFD_fd] = (s32)c->ret;
	want_string(c->s, EB_STR_MEMFD_name, W_USER, 0, call_arg(c, EB_A_PATH, 0));
	return true;
}

/* The call identifies the file by a handle, not by a name. */
static __always_inline bool fill_open_handle(const struct call *c)
{
	use_new(c, c->ret);
	rec_init(c->s, c->t, EB_OPEN);
	identify_file(c);
	c->r->val[EB_V_OPEN_fd] = (s32)c->ret;
	c->r->val[EB_V_OPEN_flags] = (u32)call_arg(c, EB_A_FLAGS, 0);
	want_string(c->s, EB_STR_OPEN_orig, W_EMPTY, 0, 0);
	return true;
}

/* ---- from another process ---- */

static __always_inline void received_init(struct scratch *s, struct slot *t, s32 fd, bool on)
{
	rec_init(s, t, EB_RECEIVED);
	s->rec.val[EB_V_RECEIVED_fd] = fd;
	s->rec.val[EB_V_RECEIVED_cloexec] = on;
	want_string(s, EB_STR_RECEIVED_path, W_FD, fd, 0);
}

static __always_inline bool fill_pidfd_getfd(const struct call *c)
{
	use_new(c, c->ret);
	received_init(c->s, c->t, c->ret, true);
	return true;
}

/* Reads user memory. Returns false and sets v->unread if that fails. */
static __always_inline bool received_read(struct received *v, void *to, u64 from, u32 n)
{
	if (likely(!bpf_probe_read_user(to, n, (void *)from)))
		return true;
	v->unread = 1;
	return false;
}

/* Reads two numbers of the program's word size. Returns false if that fails. */
static __always_inline bool user_words(struct received *v, u64 from, u64 *to)
{
	u32 half[2];

	if (!v->compat)
		return received_read(v, to, from, 2 * sizeof(*to));
	if (!received_read(v, half, from, sizeof(half)))
		return false;
	to[0] = half[0];
	to[1] = half[1];
	return true;
}

/* Finds the control data of the next message. */
static __always_inline void next_message(struct received *v)
{
	u64 word = v->compat ? 4 : 8, at[2];

	v->nr_msg--;
	v->left = 0;
	if (user_words(v, v->msg + 4 * word, at)) {
		v->cmsg = at[0];
		v->left = at[1] < CONTROL_MAX ? at[1] : CONTROL_MAX;
	}
	v->msg += 8 * word;
}

/* Finds the descriptors, if any, in the next control message. */
static __always_inline void next_cmsg(struct received *v)
{
	u64 word = v->compat ? 4 : 8, head = word + 8, len[2];
	s32 what[2];

	if (v->left < head || !user_words(v, v->cmsg, len) ||
	    !received_read(v, what, v->cmsg + word, sizeof(what)) ||
	    len[0] < head || len[0] > v->left) {
		v->left = 0;
		return;
	}
	if (what[0] == SOL_SOCKET && what[1] == SCM_RIGHTS) {
		v->fds = v->cmsg + head;
		v->nr_fds = (len[0] - head) / 4;
		if (v->nr_fds > SCM_MAX_FD)
			v->nr_fds = SCM_MAX_FD;
	}
	len[0] = (len[0] + word - 1) & -word;
	if (len[0] > v->left)
		len[0] = v->left;
	v->cmsg += len[0];
	v->left -= len[0];
}

/* Records the next descriptor in a control message, if it is really open. */
static __always_inline void next_fd(struct scratch *s, struct slot *t)
{
	struct task_struct *task = current_task();
	struct received *v = &s->received;
	s32 fd;

	v->nr_fds--;
	if (!received_read(v, &fd, v->fds, sizeof(fd))) {
		v->nr_fds = 0;
		return;
	}
	v->fds += sizeof(fd);
	if (!fd_file(task, fd))
		return;
	received_init(s, t, fd, v->cloexec);
	put_fd_string(s, task);
	send_event(s, t);
}

/* Returns 1 at the end. */
static __always_inline long received_step(struct scratch *s, struct slot *t)
{
	struct received *v = &s->received;

	if (v->nr_fds)
		next_fd(s, t);
	else if (v->left)
		next_cmsg(v);
	else if (v->nr_msg)
		next_message(v);
	else
		return 1;
	return 0;
}

struct received_ctx {
	struct scratch *s;
	struct slot *t;
};

static long received_step_cb(u32 i, struct received_ctx *ctx)
{
	return received_step(ctx->s, ctx->t);
}

/* Not static, so that the verifier checks it once. Returns 1 at the end. */
__attribute__((noinline)) int received_step_old(ROOM_REF room)
{
	struct scratch *s = room_at(room);
	struct slot *t = slot_of(current_task());

	if (!s || !t)
		return 1;
	return received_step(s, t);
}

static __always_inline void put_received(struct scratch *s, struct slot *t)
{
	struct received_ctx ctx = { .s = s, .t = t };
	struct received *v = &s->received;

	REPEAT(RECEIVED_STEPS, RECEIVED_STEPS_OLD, received_step, s, &ctx);
	if (v->nr_fds || v->left || v->nr_msg) {
		s->counts.lost_fds++;
		v->nr_fds = 0;
		v->left = 0;
		v->nr_msg = 0;
	}
	s->counts.strings_unread += v->unread;
	v->unread = 0;
}

/*
 * Prepares put_received(), which records the descriptors that came with messages.  Their
 * numbers are in the program's memory, which may have changed since the kernel wrote
 * them: only numbers of open descriptors count.
 */
static __always_inline bool await_messages(const struct call *c, u64 msg, u32 nr, u32 flags)
{
	struct received *v = &c->s->received;
	struct task_struct *task = c->task;

	v->msg = msg;
	v->nr_msg = nr;
	v->compat = is_narrow(task);
	v->cloexec = !!(flags & MSG_CMSG_CLOEXEC);
	/* Most messages have no descriptors: then put_received() is not needed. */
	if (nr)
		next_message(v);
	return false;
}

static __always_inline bool fill_recvmsg(const struct call *c)
{
	use_read(c, call_arg(c, EB_A_FD, 0), c->ret);
	return await_messages(c, call_arg(c, EB_A_STRUCT, 0), 1, call_arg(c, EB_A_FLAGS, 0));
}

static __always_inline bool fill_recvmmsg(const struct call *c)
{
	use_read(c, call_arg(c, EB_A_FD, 0), 0);
	return await_messages(c, call_arg(c, EB_A_STRUCT, 0), c->ret, call_arg(c, EB_A_FLAGS, 0));
}

#endif
