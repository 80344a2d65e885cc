// SPDX-License-Identifier: LGPL-2.1
/* Records what programs really read and wrote, like the module's calls_use.c.  See st_call.h. */
#include "format/strace/st_call.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/net.h>
#include <sched.h>
#include <signal.h>
#include <string.h>

#include "kernel/etrace_rules.h"

/* Forget what was done with a descriptor, because it has been emitted. */
static void forget_use(struct st_fd *fd)
{
	fd->read = fd->wrote = fd->not_copied = false;
	fd->nread = fd->nwrote = 0;
	fd->from = fd->to = 0;
}

/* Add a file's size and mtime after the last write to it, as values @size and @size + 1. */
static void add_written(struct st_log *log, const struct st_task *task, const struct st_fd *fd,
			unsigned int size)
{
	const struct st_asks *asks = call_asks(log, task);
	const struct st_span now = { log->at, log->at };
	struct st_identity id;

	if (!asks || !fd->path || !asks->written(asks->ctx, fd->path, now, &id))
		return;
	et_set_value(&log->ev, size, (int64_t)id.size);
	et_set_value(&log->ev, size + 1, id.mtime);
}

_Static_assert(ET_V_USE_mtime == ET_V_USE_size + 1 && ET_V_CLOSE_mtime == ET_V_CLOSE_size + 1,
	       "as add_written() has it");

static void put_use(struct st_log *log, const struct st_task *task, int64_t number,
		    struct st_fd *fd)
{
	struct et_event *ev = st_event(log, task, ET_K_USE);

	et_set_value(ev, ET_V_USE_fd, number);
	if (fd->read)
		et_set_value(ev, ET_V_USE_read, (int64_t)fd->nread);
	if (fd->wrote) {
		et_set_value(ev, ET_V_USE_wrote, (int64_t)fd->nwrote);
		add_written(log, task, fd, ET_V_USE_size);
		if (!fd->not_copied)
			et_set_value(ev, ET_V_USE_copied, 1);
	}
	forget_use(fd);
	st_put(log);
}

void call_replaced(struct st_log *log, const struct st_task *task, int64_t number,
		   struct st_fd *fd)
{
	if (fd->read || fd->wrote)
		put_use(log, task, number, fd);
}

static bool is_socket(const struct st_fd *fd)
{
	return fd->socket || (fd->path && !strncmp(fd->path, "socket:[", 8));
}

void call_is_socket(const struct call *c, int64_t number)
{
	struct st_fd *fd = st_fd(c->task->process, number);

	if (fd)
		fd->socket = true;
}

static void emit_turn(const struct call *c, int64_t number, struct st_fd *fd)
{
	fd->turns++;
	put_use(c->log, c->task, number, fd);
}

/* Record a socket's use by turns, as etrace_use_turns() does; false if not by turns. */
static bool use_by_turns(const struct call *c, int64_t number, struct st_fd *fd, bool reads)
{
	const struct st_task *before = fd->user;

	if (!is_socket(fd) || fd->turns >= ETRACE_TURNS_MAX)
		return false;
	fd->user = c->task;
	if (before && before != c->task) {
		emit_turn(c, number, fd);
		fd->turns = ETRACE_TURNS_MAX;
		return false;
	}
	if (reads && !fd->read)
		emit_turn(c, number, fd);
	return true;
}

void call_has_read(const struct call *c, int64_t number, int64_t bytes)
{
	struct st_fd *fd = st_fd(c->task->process, number);

	if (!fd)
		return;
	use_by_turns(c, number, fd, true);
	fd->read = true;
	fd->nread += bytes > 0 ? (uint64_t)bytes : 0;
}

/* ---- output of processes ---- */

static void add_text(struct st_output *o, const char *s, size_t len)
{
	if (len > ET_OUTPUT_MAX) {
		s += len - ET_OUTPUT_MAX;
		len = ET_OUTPUT_MAX;
	}
	if (o->len + len > sizeof(o->text)) {
		memmove(o->text, o->text + o->len - ET_OUTPUT_MAX, ET_OUTPUT_MAX);
		o->len = ET_OUTPUT_MAX;
	}
	memcpy(o->text + o->len, s, len);
	o->len += len;
}

/* Part of the output is not in the log: drop the text before it. */
static void add_gap(struct st_output *o)
{
	o->len = 0;
}

/* Append the strings of [{iov_base="abc", iov_len=3}, ...].  Return: whether all are complete. */
static bool add_pieces(struct st_text list, struct buf *to)
{
	struct st_text rest, one, base;
	bool cut = false;

	if (!st_inner(list, &rest))
		return false;
	while (st_next(&rest, &one))
		if (!st_field(one, "iov_base", &base) || !st_string(base, to, &cut))
			return false;
	return !cut;
}

/* Set log->text to the data that the line of a write shows. Return: whether it is complete. */
static bool is_shown(const struct call *c, uint64_t bytes)
{
	struct st_text what = c->args.arg[1], list;
	struct buf *b = &c->log->text;
	bool cut = false, whole;

	b->len = 0;
	if (st_field(what, "msg_iov", &list) || (what.len && *what.s == '['))
		whole = add_pieces(*what.s == '[' ? what : list, b);
	else
		whole = st_string(what, b, &cut) && !cut;
	return whole && b->len >= bytes;
}

static void has_printed(const struct call *c, int64_t number, uint64_t bytes, bool copied)
{
	struct st_process *p = c->task->process;
	struct st_output *o;

	if (!(c->log->opt.record >> ET_OUTPUT & 1) || number < 1 || number > ST_OUTPUTS || !bytes)
		return;
	o = p->output[number - 1];
	if (!o)
		o = p->output[number - 1] = xcalloc(1, sizeof(*o));
	o->bytes += bytes;
	if (copied) {
		add_gap(o);
	} else if (is_shown(c, bytes)) {
		add_text(o, c->log->text.s, bytes);
	} else {
		/* a dump that shows the output may follow */
		c->log->writer = o;
		c->log->undumped = bytes;
	}
}

void st_dumped(struct st_log *log, const struct st_line *line)
{
	uint8_t bytes[ST_DUMP_MAX];
	size_t n = log->writer ? st_line_dump(line, bytes) : 0;

	/* a dump has all data passed to the call, even if less was written */
	if (n > log->undumped)
		n = (size_t)log->undumped;
	if (n)
		add_text(log->writer, (const char *)bytes, n);
	log->undumped -= n;
}

void st_undumped(struct st_log *log)
{
	if (log->writer && log->undumped)
		add_gap(log->writer);
	log->writer = NULL;
}

void st_printed(struct st_log *log, const struct st_task *task, bool failed)
{
	struct et_event *ev;

	if (!failed && !(log->opt.record & ET_OUTPUT_ALL))
		return;
	for (unsigned int i = 0; i < ST_OUTPUTS; i++) {
		const struct st_output *o = task->process->output[i];
		size_t len = o && o->len > ET_OUTPUT_MAX ? ET_OUTPUT_MAX : o ? o->len : 0;

		if (!o)
			continue;
		ev = st_event(log, task, ET_K_OUTPUT);
		et_add_string(ev, ET_S_OUTPUT_text, o->text + o->len - len, len);
		et_set_value(ev, ET_V_OUTPUT_fd, i + 1);
		et_set_value(ev, ET_V_OUTPUT_bytes, (int64_t)o->bytes);
		st_put(log);
	}
}

void call_has_written(const struct call *c, int64_t number, int64_t bytes, bool copied)
{
	struct st_fd *fd = st_fd(c->task->process, number);
	bool by_turns;

	if (bytes > 0)
		has_printed(c, number, (uint64_t)bytes, copied);
	by_turns = fd && use_by_turns(c, number, fd, false);
	if (!fd)
		return;
	fd->wrote = true;
	fd->not_copied |= !copied;
	fd->nwrote += bytes > 0 ? (uint64_t)bytes : 0;
	if (by_turns)
		emit_turn(c, number, fd);
}

void call_has_copied(const struct call *c, int64_t in, int64_t out, int64_t bytes)
{
	struct st_process *p = c->task->process;
	struct st_fd *from, *to;
	struct et_event *ev;

	/* st_fd() can move entries: create both before using pointers to them */
	st_fd(p, in);
	to = st_fd(p, out);
	from = st_fd_known(p, in);
	if (from && to && (from->to != out + 1 || to->from != in + 1)) {
		from->to = out + 1;
		to->from = in + 1;
		ev = call_begin(c, ET_K_COPY);
		et_set_value(ev, ET_V_COPY_in, in);
		et_set_value(ev, ET_V_COPY_out, out);
		st_put(c->log);
	}
	call_has_read(c, in, bytes);
	call_has_written(c, out, bytes, true);
}

void call_closed(struct st_log *log, const struct st_task *task, int64_t number,
		 struct st_fd *fd, bool exec)
{
	struct et_event *ev = st_event(log, task, ET_K_CLOSE);

	et_set_value(ev, ET_V_CLOSE_fd, number);
	if (fd && fd->read)
		et_set_value(ev, ET_V_CLOSE_read, (int64_t)fd->nread);
	if (fd && fd->wrote) {
		et_set_value(ev, ET_V_CLOSE_wrote, (int64_t)fd->nwrote);
		add_written(log, task, fd, ET_V_CLOSE_size);
		if (!fd->not_copied)
			et_set_value(ev, ET_V_CLOSE_copied, 1);
	}
	if (exec)
		et_set_value(ev, ET_V_CLOSE_execve, 1);
	if (fd)
		st_fd_close(fd);
	st_put(log);
}

void st_uses(struct st_log *log, struct st_task *task, bool exec)
{
	const struct st_fds *fds = task->process->fds;

	for (size_t i = 0; i < fds->cap; i++) {
		struct st_fd *fd = &fds->fd[i];

		if (exec && fd->open && fd->cloexec) {
			call_closed(log, task, (int64_t)i, fd, true);
			continue;
		}
		call_replaced(log, task, (int64_t)i, fd);
		fd->turns = 0;
		fd->user = NULL;
	}
}
