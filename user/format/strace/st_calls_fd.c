// SPDX-License-Identifier: LGPL-2.1
/* Calls that open, close and duplicate descriptors, and that read and write.  See st_call.h. */
#include "format/strace/st_call.h"
#include "base/xalloc.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/fs.h>
#include <linux/net.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/socket.h>

#include "kernel/etrace_rules.h"

static const struct diag_kind rings = {
	"io_urings set up: not everything done through these is recorded", DIAG_DAMAGE };

void call_opened(const struct call *c, int64_t number, bool cloexec, const char *path, size_t len)
{
	struct st_fd *fd = st_fd(c->task->process, number);

	if (!fd)
		return;
	st_fd_close(fd);
	fd->open = true;
	fd->cloexec = cloexec;
	fd->path = path ? xstrndup(path, len) : NULL;
}

/* ---- opening and closing ---- */

/* Add the path of the opened file: as strace read it from /proc, else the name passed. */
static void add_opened(const struct call *c, const struct buf *orig, bool named)
{
	struct et_event *ev = &c->log->ev;
	struct buf *path = &c->log->path;
	struct st_fd_arg fd;

	if (st_fd_arg(c->line->ret, &fd) && fd.has_path) {
		path->len = 0;
		st_fd_path(&fd, path);
	} else if (named) {
		path->len = 0;
		buf_add(path, orig->s, orig->len);
		call_settle(c);
		ev->marks[ET_JOINED] |= 1u << ET_S_OPEN_name;
	}
	buf_room(path, 1);
	et_add_string(ev, ET_S_OPEN_name, path->s, path->len);
}

/* Add the identity of the opened file, if it can be looked at. */
static void add_identity(const struct call *c, uint64_t flags)
{
	const struct st_asks *asks = call_asks(c->log, c->task);
	const struct st_fd *fd = st_fd_known(c->task->process, c->line->value);
	struct et_event *ev = &c->log->ev;
	struct st_opened file = { .when = call_span(c), .creates = flags & O_CREAT,
		.pid = c->task->pid, .fd = c->line->value };
	struct st_identity id;

	if (!asks || !fd || !fd->path)
		return;
	file.path = fd->path;
	if (!asks->opened(asks->ctx, &file, &id))
		return;
	et_set_value(ev, ET_V_OPEN_dev, id.dev);
	et_set_value(ev, ET_V_OPEN_ino, (int64_t)id.ino);
	et_set_value(ev, ET_V_OPEN_size, (int64_t)id.size);
	et_set_value(ev, ET_V_OPEN_mtime, id.mtime);
	et_set_value(ev, ET_V_OPEN_type, id.type);
}

void st_do_open(struct call *c)
{
	uint64_t flags = call_number(c, call_arg(c, ROLE_FLAGS)), mode = call_number(c, call_arg(c, ROLE_MODE));
	struct st_log *log = c->log;
	struct buf orig = { 0 };
	struct et_event *ev;
	struct st_text t;
	bool named, cut;

	if (call_where(c, ROLE_STRUCT) >= 0) {
		flags = st_field(call_arg(c, ROLE_STRUCT), "flags", &t) ? call_number(c, t) : 0;
		mode = st_field(call_arg(c, ROLE_STRUCT), "mode", &t) ? call_number(c, t) : 0;
	} else if (call_where(c, ROLE_FLAGS) < 0) {
		flags = ETRACE_CREAT_FLAGS;
	}
	if (c->line->error) {
		ev = call_begin_apart(c, ET_K_OPEN_FAILED, ET_S_OPEN_FAILED_path);
		et_set_value(ev, ET_V_OPEN_FAILED_flags, (int64_t)flags);
		st_put(log);
		return;
	}
	ev = call_begin(c, ET_K_OPEN);
	named = call_meant(c, ROLE_DIRFD, ROLE_PATH, &cut);
	if (named)
		buf_add(&orig, log->path.s, log->path.len);
	buf_room(&orig, 1);
	log->path.len = 0;
	add_opened(c, &orig, named);
	et_add_string(ev, ET_S_OPEN_orig, orig.s, orig.len);
	if (named && cut)
		call_cut(c, 1u << ET_S_OPEN_orig);
	buf_free(&orig);
	et_set_value(ev, ET_V_OPEN_flags, (int64_t)flags);
	et_set_value(ev, ET_V_OPEN_mode, etrace_open_mode(flags, mode));
	et_set_value(ev, ET_V_OPEN_fd, c->line->value);
	call_opened(c, c->line->value, flags & O_CLOEXEC, log->path.s, log->path.len);
	add_identity(c, flags);
	st_put(log);
}

/* open_by_handle_at: the program passes no name */
void st_do_open_handle(struct call *c)
{
	uint64_t flags = call_number(c, call_arg(c, ROLE_FLAGS));
	const struct buf none = { 0 };
	struct et_event *ev = call_begin(c, ET_K_OPEN);

	c->log->path.len = 0;
	add_opened(c, &none, false);
	et_add_string(ev, ET_S_OPEN_orig, "", 0);
	et_set_value(ev, ET_V_OPEN_flags, (int64_t)flags);
	et_set_value(ev, ET_V_OPEN_mode, 0);
	et_set_value(ev, ET_V_OPEN_fd, c->line->value);
	call_opened(c, c->line->value, flags & O_CLOEXEC, c->log->path.s, c->log->path.len);
	st_put(c->log);
}

void st_do_close(struct call *c)
{
	int64_t fd = call_fd(c, call_arg(c, ROLE_FD));

	call_closed(c->log, c->task, fd, st_fd_known(c->task->process, fd), false);
}

void st_do_close_range(struct call *c)
{
	uint64_t first = call_number(c, call_arg(c, ROLE_FD)), last = call_number(c, call_arg(c, ROLE_FD2));
	uint64_t flags = call_number(c, call_arg(c, ROLE_FLAGS));
	const bool cloexec = flags & 4, unshare = flags & 2;
	struct st_process *p = c->task->process;
	struct et_event *ev;

	if (unshare)
		st_fds_unshare(p);
	if (cloexec) {
		ev = call_begin(c, ET_K_CLOEXEC);
		et_set_value(ev, ET_V_CLOEXEC_first, (int64_t)first);
		et_set_value(ev, ET_V_CLOEXEC_last, (int64_t)last);
		et_set_value(ev, ET_V_CLOEXEC_on, 1);
		st_put(c->log);
	}
	for (; first <= last && first < p->fds->cap; first++) {
		struct st_fd *fd = &p->fds->fd[first];

		if (fd->open && cloexec)
			fd->cloexec = true;
		else if (fd->open)
			call_closed(c->log, c->task, (int64_t)first, fd, false);
	}
}

static void fd_doubled(const struct call *c, int64_t from, int64_t to, uint64_t flags)
{
	struct st_process *p = c->task->process;
	const struct st_fd *old = st_fd_known(p, from);
	struct st_fd *there = st_fd_known(p, to);
	char *path = old && old->path ? xstrdup(old->path) : NULL;
	bool socket = old && old->socket;
	struct et_event *ev;

	if (there && from != to)
		call_replaced(c->log, c->task, to, there);
	ev = call_begin(c, ET_K_DUP);
	et_set_value(ev, ET_V_DUP_oldfd, from);
	et_set_value(ev, ET_V_DUP_newfd, to);
	et_set_value(ev, ET_V_DUP_flags, (int64_t)flags);
	if (from != to)
		call_opened(c, to, flags & O_CLOEXEC, path, path ? strlen(path) : 0);
	if (socket)
		call_is_socket(c, to);
	free(path);
	st_put(c->log);
}

void st_do_dup(struct call *c)
{
	struct st_fd_arg to;

	/* strace prints the file to which this descriptor referred before the call */
	call_fd(c, call_arg(c, ROLE_FD2));
	fd_doubled(c, call_fd(c, call_arg(c, ROLE_FD)), c->line->value,
		   call_number(c, call_arg(c, ROLE_FLAGS)));
	if (st_fd_arg(c->line->ret, &to))
		call_learn(c, &to);
}

static void set_cloexec(const struct call *c, int64_t number, bool on)
{
	struct st_fd *fd = st_fd(c->task->process, number);
	struct et_event *ev = call_begin(c, ET_K_CLOEXEC);

	if (fd) {
		fd->open = true;
		fd->cloexec = on;
	}
	et_set_value(ev, ET_V_CLOEXEC_first, number);
	et_set_value(ev, ET_V_CLOEXEC_last, number);
	et_set_value(ev, ET_V_CLOEXEC_on, on);
	st_put(c->log);
}

void st_do_fcntl(struct call *c)
{
	struct st_text command = call_arg(c, ROLE_FLAGS);
	uint64_t cmd;
	int64_t fd = call_fd(c, call_arg(c, ROLE_FD));
	long dup;

	/* most commands are not recorded: unknown names do not matter */
	if (!st_number(command, &cmd))
		return;
	dup = etrace_fcntl_dup((unsigned int)cmd);
	if (dup >= 0)
		fd_doubled(c, fd, c->line->value, (uint64_t)dup);
	else if (cmd == F_SETFD)
		set_cloexec(c, fd, call_number(c, call_arg(c, ROLE_ARG)) & FD_CLOEXEC);
}

_Static_assert((int)ET_V_PIPE_fd1 == (int)ET_V_SOCKETPAIR_fd1 &&
	       (int)ET_V_PIPE_fd2 == (int)ET_V_SOCKETPAIR_fd2 && SOCK_CLOEXEC == O_CLOEXEC,
	       "as made_two() has it");

/* Begin the event of two new descriptors.  Return: NULL if strace did not print them. */
static struct et_event *made_two(const struct call *c, enum et_kind kind, uint64_t flags)
{
	struct st_text rest, one;
	int64_t ends[2] = { -1, -1 };
	struct et_event *ev;

	if (!st_inner(call_arg(c, ROLE_STRUCT), &rest))
		return NULL;
	for (int i = 0; i < 2 && st_next(&rest, &one); i++) {
		struct st_fd_arg fd;

		if (st_fd_arg(one, &fd))
			ends[i] = fd.fd;
		call_opened(c, ends[i], flags & O_CLOEXEC, NULL, 0);
		if (kind == ET_K_SOCKETPAIR)
			call_is_socket(c, ends[i]);
	}
	ev = call_begin(c, kind);
	et_set_value(ev, ET_V_PIPE_fd1, ends[0]);
	et_set_value(ev, ET_V_PIPE_fd2, ends[1]);
	return ev;
}

void st_do_pipe(struct call *c)
{
	uint64_t flags = call_number(c, call_arg(c, ROLE_FLAGS));
	struct et_event *ev = made_two(c, ET_K_PIPE, flags);

	if (!ev)
		return;
	et_set_value(ev, ET_V_PIPE_flags, (int64_t)flags);
	st_put(c->log);
}

void st_do_socketpair(struct call *c)
{
	uint64_t type = call_number(c, call_arg(c, ROLE_FLAGS));
	struct et_event *ev = made_two(c, ET_K_SOCKETPAIR, type);

	if (!ev)
		return;
	et_set_value(ev, ET_V_SOCKETPAIR_family, (int64_t)call_number(c, call_arg(c, ROLE_TYPE)));
	et_set_value(ev, ET_V_SOCKETPAIR_type, (int64_t)type);
	st_put(c->log);
}

void st_do_memfd(struct call *c)
{
	uint64_t flags = call_number(c, call_arg(c, ROLE_FLAGS));
	struct et_event *ev = call_begin(c, ET_K_MEMFD);

	call_add_passed(c, ET_S_MEMFD_name, ROLE_PATH);
	et_set_value(ev, ET_V_MEMFD_flags, (int64_t)flags);
	et_set_value(ev, ET_V_MEMFD_fd, c->line->value);
	call_opened(c, c->line->value, flags & 1, NULL, 0);
	st_put(c->log);
}

static void fds_received(const struct call *c, struct st_text t, bool on)
{
	struct st_fd_arg fd;
	struct et_event *ev;

	if (!st_fd_arg(t, &fd))
		return;
	ev = call_begin(c, ET_K_RECEIVED);
	c->log->path.len = 0;
	buf_room(&c->log->path, 1);
	st_fd_path(&fd, &c->log->path);
	et_add_string(ev, ET_S_RECEIVED_path, c->log->path.s, c->log->path.len);
	et_set_value(ev, ET_V_RECEIVED_fd, fd.fd);
	et_set_value(ev, ET_V_RECEIVED_cloexec, on);
	call_opened(c, fd.fd, on, fd.has_path ? c->log->path.s : NULL, c->log->path.len);
	st_put(c->log);
}

void st_do_pidfd_getfd(struct call *c)
{
	fds_received(c, c->line->ret, true);
}

/* Adds the read, and the descriptors that came with messages, wherever strace prints them. */
void st_do_recvmsg(struct call *c)
{
	static const char rights[] = "cmsg_type=SCM_RIGHTS, cmsg_data=";
	const char *end = c->line->args.s + c->line->args.len, *s = c->line->args.s;
	bool on = memmem(s, c->line->args.len, "MSG_CMSG_CLOEXEC", 16);
	struct st_text rest, one;

	call_has_read(c, call_fd(c, call_arg(c, ROLE_FD)), c->line->value);
	while ((s = memmem(s, (size_t)(end - s), rights, sizeof(rights) - 1))) {
		s += sizeof(rights) - 1;
		if (!st_inner((struct st_text){ s, (size_t)(end - s) }, &rest))
			return;
		while (st_next(&rest, &one))
			fds_received(c, one, on);
	}
}

/* ---- reading and writing ---- */

void st_do_read(struct call *c)
{
	call_has_read(c, call_fd(c, call_arg(c, ROLE_FD)), c->line->value);
}

void st_do_write(struct call *c)
{
	call_has_written(c, call_fd(c, call_arg(c, ROLE_FD)), c->line->value, false);
}

/* Note a write of unknown size: the call returns a number of messages, or only reserves space. */
void st_do_write_some(struct call *c)
{
	call_has_written(c, call_fd(c, call_arg(c, ROLE_FD)), 0, false);
}

/* A copy of 0 bytes has read its source, but written nothing. */
void st_do_copy(struct call *c)
{
	int64_t in = call_fd(c, call_arg(c, ROLE_FD)), out = call_fd(c, call_arg(c, ROLE_FD2));

	if (c->line->value)
		call_has_copied(c, in, out, c->line->value);
	else
		call_has_read(c, in, 0);
}

void st_do_mmap(struct call *c)
{
	int64_t fd = call_fd(c, c->args.arg[4]);
	uint64_t prot, flags;

	if (fd < 0)
		return;
	st_number(c->args.arg[2], &prot);
	st_number(c->args.arg[3], &flags);
	if (flags & MAP_ANONYMOUS)
		return;
	call_has_read(c, fd, 0);
	if (flags & MAP_SHARED && prot & PROT_WRITE)
		call_has_written(c, fd, 0, false);
}

/* Note the requests of io_submit: {..., aio_lio_opcode=IOCB_CMD_PWRITE, aio_fildes=3, ...} */
void st_do_aio(struct call *c)
{
	struct st_text rest, one, fd, what;

	if (!st_inner(call_arg(c, ROLE_STRUCT), &rest))
		return;
	while (st_next(&rest, &one)) {
		if (!st_field(one, "aio_fildes", &fd) || !st_field(one, "aio_lio_opcode", &what))
			continue;
		if (memmem(what.s, what.len, "WRITE", 5))
			call_has_written(c, call_fd(c, fd), 0, false);
		else if (memmem(what.s, what.len, "READ", 4))
			call_has_read(c, call_fd(c, fd), 0);
	}
}

void st_do_ioctl(struct call *c)
{
	struct st_text request = call_arg(c, ROLE_FLAGS), from;
	int64_t fd = call_fd(c, call_arg(c, ROLE_FD));
	uint64_t v;

	if (!st_number(request, &v))
		return;
	if (v == FIOCLEX || v == FIONCLEX) {
		set_cloexec(c, fd, v == FIOCLEX);
		return;
	}
	if (v != FICLONE && v != FICLONERANGE)
		return;
	from = call_arg(c, ROLE_ARG);
	if (v == FICLONERANGE)
		st_field(call_arg(c, ROLE_ARG), "src_fd", &from);
	call_has_copied(c, call_fd(c, from), fd, 0);
}

void st_do_getdents(struct call *c)
{
	int64_t fd = call_fd(c, call_arg(c, ROLE_FD));
	struct et_event *ev = call_begin(c, ET_K_GETDENTS);

	if (!call_add_path_of(c, ET_S_GETDENTS_path, fd))
		return;
	et_set_value(ev, ET_V_GETDENTS_fd, fd);
	et_set_value(ev, ET_V_GETDENTS_bytes, c->line->value);
	st_put(c->log);
}

void st_do_uring(struct call *c)
{
	struct et_event *ev = call_begin(c, ET_K_URING);

	diag_report(c->log->diag, &rings, c->log->place.file, DIAG_LINE, c->log->place.number,
		    NULL);
	et_set_value(ev, ET_V_URING_fd, c->line->value);
	call_opened(c, c->line->value, true, NULL, 0);
	st_put(c->log);
}

void st_do_vmsplice(struct call *c)
{
	st_do_write_some(c);
}

void st_do_recvmmsg(struct call *c)
{
	st_do_recvmsg(c);
}

void st_do_socketcall(struct call *c)
{
	/* strace prints the call that socketcall() makes, such as bind() */
	(void)c;
}
