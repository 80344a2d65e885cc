/* SPDX-License-Identifier: GPL-2.0 */
/* Counts reads and writes, as the module's calls_use.c does. */
#ifndef ETRACE_USE_CALLS_BPF_H
#define ETRACE_USE_CALLS_BPF_H

#include "record/bpf/print_calls.bpf.h"
#include "record/bpf/uses.bpf.h"

#include <linux/mman.h>

/* ---- keeping uses ---- */

/*
 * Stores size and time of a file after a write to @fd. Not inlined, to keep its buffer off
 * the stack of its callers.
 */
static __noinline void use_seen(struct eb_use *e, struct files_struct *files, u32 fd)
{
	const u32 from = INODE_AT(i_size);
	struct inode *inode;
	struct file *file;
	u64 part[6];

	if (e->no_file)
		return;
	file = file_in(files, fd);
	inode = file ? BPF_CORE_READ(file, f_inode) : NULL;
	if (!e->is_file && (!inode || (BPF_CORE_READ(inode, i_mode) & S_IFMT) != S_IFREG)) {
		e->no_file = 1;
	} else if (inode) {
		e->is_file = 1;
		if (read_inode(part, sizeof(part), from, inode)) {
			e->size = INODE_PART((void *)part, from, INODE_AT(i_size), s64);
			e->mtime = part_mtime(part, from);
		} else {
			e->size = BPF_CORE_READ(inode, i_size);
			e->mtime = inode_mtime(inode);
		}
	}
}

/* How a descriptor is used, as in the module. */
enum use_how {
	USE_READ,
	USE_WRITE,
	USE_COPY,
};

/*
 * Does another process share a task's descriptor table? This may have begun before the
 * task was traced, or when there was no memory to store FILES_MIXED.
 */
static __always_inline bool files_shared(struct task_struct *task)
{
	struct files_struct *files = GET(task, files);
	struct signal_struct *signal = GET(task, signal);

	return GET(files, count.counter) > GET(signal, nr_threads);
}

/* The current task's uses of a descriptor; NULL if they must be recorded immediately. */
static __always_inline struct eb_use *use_at(struct task_struct *task, u32 fd)
{
	u64 files = (u64)GET(task, files);
	struct uses *u;

	u = fd < EB_USES_MAX ? uses_of(GET(task, group_leader), true) : NULL;
	if (u && !u->files)
		u->files = files_shared(task) ? FILES_MIXED : files;
	if (!u || u->files != files)
		return NULL;
	u->used[below(sizeof(u->used), fd / EB_USES_GROUP)] = 1;
	return &u->use[below(EB_USES_MAX, fd)];
}

/* Records a use at once: use_fd() for a descriptor whose uses are not kept. */
__attribute__((noinline)) int use_once(u32 fd, u64 bytes, u32 how)
{
	struct task_struct *task = current_task();
	struct eb_use once = { 0 };
	struct scratch *s = own_room(ROOM_USE);
	struct slot *t = slot_of(task);

	if (how == USE_READ) {
		once.did_read = 1;
		once.read = bytes;
	} else {
		once.did_write = 1;
		once.wrote = bytes;
		once.not_copied = how == USE_WRITE;
		use_seen(&once, GET(task, files), fd);
	}
	if (s && t)
		record_use(s, t, fd, &once);
	return 0;
}

static __always_inline bool is_socket(struct task_struct *task, u32 fd)
{
	struct file *file = fd_file(task, fd);
	struct inode *inode = file ? BPF_CORE_READ(file, f_inode) : NULL;

	return inode && (BPF_CORE_READ(inode, i_mode) & S_IFMT) == S_IFSOCK;
}

/* Records the uses of a socket that are kept, and counts that as one of its turns. */
__attribute__((noinline)) int use_turn(u32 fd)
{
	struct task_struct *task = current_task();
	struct eb_use *e = use_at(task, fd);
	struct scratch *s = own_room(ROOM_USE);
	struct slot *t = slot_of(task);

	if (!e)
		return 0;
	if (s && t)
		record_use(s, t, fd, e);
	forget_use(e);
	if (e->turns != ETRACE_TURNS_MAX)
		e->turns++;
	return 0;
}

/*
 * The first read or write since the uses of a descriptor were last recorded, or any use of
 * a socket that is recorded by turns, see the module's etrace_use_turns(). The bytes are
 * already counted, but are recorded only once did_read or did_write is set.
 */
__attribute__((noinline)) int use_begins(u32 fd, u32 how)
{
	struct task_struct *task = current_task();
	struct eb_use *e = use_at(task, fd);
	u64 before = 0, user = (u32)GET(task, pid);
	bool turns;

	if (!e)
		return 0;
	turns = e->turns != ETRACE_TURNS_MAX && is_socket(task, fd);
	if (turns) {
		before = e->user;
		e->user = user;
	}
	if (before && before != user) {
		e->turns = ETRACE_TURNS_MAX - 1;
		use_turn(fd);
		turns = false;
	} else if (turns && how == USE_READ && !e->did_read) {
		use_turn(fd);
	}
	if (how == USE_READ) {
		e->did_read = turns ? EB_HEARD : 1;
		return 0;
	}
	e->did_write = 1;
	return turns ? use_turn(fd) : 0;
}

/* Counts a use. Global, so that the verifier checks it once. @how: enum use_how */
__attribute__((noinline)) int use_fd(u32 fd, u64 bytes, u32 how)
{
	struct task_struct *task = current_task();
	struct eb_use *e = use_at(task, fd);

	if (!e)
		return use_once(fd, bytes, how);
	if (how == USE_READ) {
		__sync_fetch_and_add(&e->read, bytes);
		return likely(e->did_read == 1) ? 0 : use_begins(fd, how);
	}
	__sync_fetch_and_add(&e->wrote, bytes);
	use_seen(e, GET(task, files), fd);
	if (how == USE_WRITE)
		e->not_copied = 1;
	return likely(e->did_write) ? 0 : use_begins(fd, how);
}

/*
 * Fast path of use_first() for a descriptor already used this way: looks up one map.
 * Returns false if use_first() must be called instead; always for a task with a seccomp
 * filter, since the call may have been skipped, which only the task's slot shows.
 */
static __always_inline bool use_again(struct task_struct *task, struct pt_regs *regs, u32 row,
				      s64 bytes)
{
	struct files_struct *files;
	struct eb_use *e;
	struct uses *u;
	u32 fd;

	if (OLD || in_hash || bytes < 0 ||
	    (bpf_core_field_exists(task->bpf_storage) && !task->bpf_storage) ||
	    (bpf_core_field_exists(task->seccomp) && task->seccomp.mode))
		return false;
	files = GET(task, files);
	fd = first_arg(task, regs);
	u = bpf_task_storage_get(&uses, GET(task, group_leader), 0, 0);
	if (!u || u->files != (u64)files || fd >= EB_USES_MAX)
		return false;
	e = &u->use[below(EB_USES_MAX, fd)];
	if (rows[row & (EB_MAX_ROWS - 1)].record != EB_R_WRITE) {
		if (e->did_read != 1)
			return false;
		__sync_fetch_and_add(&e->read, bytes);
	} else {
		if (!e->did_write || want_output)
			return false;
		__sync_fetch_and_add(&e->wrote, bytes);
		use_seen(e, files, fd);
		e->not_copied = 1;
	}
	return true;
}

/* A call with the record read or write: the descriptor is its first argument. */
static __always_inline void use_first(struct task_struct *task, struct pt_regs *regs, u32 row,
				      u64 bytes)
{
	bool wrote = rows[row & (EB_MAX_ROWS - 1)].record == EB_R_WRITE;
	u32 fd = first_arg(task, regs);

	use_fd(fd, bytes, wrote ? USE_WRITE : USE_READ);
	if (wrote && print_is_of(fd))
		print_call(row, bytes);
}

static __always_inline void use_read(const struct call *c, s32 fd, u64 bytes)
{
	use_fd(fd, bytes, USE_READ);
}

static __always_inline void use_write(const struct call *c, s32 fd, u64 bytes)
{
	print_unseen(fd, bytes);
	use_fd(fd, bytes, USE_WRITE);
}

/*
 * Should a copy between two descriptors be recorded? Decides as the module does. Global, so
 * that the verifier checks it once.
 */
__attribute__((noinline)) int copy_is_new(u32 in, u32 out)
{
	struct task_struct *task = current_task();
	struct eb_use *from = use_at(task, in), *to = use_at(task, out);

	if (!from || !to)
		return 1;
	if (from->to == out + 1 && to->from == in + 1)
		return 0;
	from->to = out + 1;
	to->from = in + 1;
	return 1;
}

/*
 * Data was copied directly from one descriptor to another. The copy gets its time before
 * the uses do, since they may be recorded immediately. Returns whether to send its record.
 */
static __always_inline bool use_copy(const struct call *c, u32 in, u32 out, u64 bytes)
{
	bool is_new = copy_is_new(in, out);

	if (is_new) {
		rec_init(c->s, c->t, EB_COPY);
		c->r->val[EB_V_COPY_in] = (s32)in;
		c->r->val[EB_V_COPY_out] = (s32)out;
	}
	print_unseen(out, bytes);
	use_fd(in, bytes, USE_READ);
	use_fd(out, bytes, USE_COPY);
	return is_new;
}

/* ---- calls: only a copy has its own record ---- */

/* For calls that write, but do not return a number of bytes. */
static __always_inline bool fill_write_some(const struct call *c)
{
	use_write(c, call_arg(c, EB_A_FD, 0), 0);
	return false;
}

/* Reads and writes are handled by use_first(). */
static __always_inline bool fill_read(const struct call *c)
{
	return false;
}

static __always_inline bool fill_write(const struct call *c)
{
	return false;
}

/* Counts a copy between descriptors; 0 bytes are a read at end of file, not a write. */
static __always_inline bool fill_copy(const struct call *c)
{
	if (c->ret)
		return use_copy(c, call_arg(c, EB_A_FD, 0), call_arg(c, EB_A_FD2, 0), c->ret);
	use_read(c, call_arg(c, EB_A_FD, 0), 0);
	return false;
}

/* Counts a vmsplice(), which writes to a pipe, or reads from it. */
static __always_inline bool fill_vmsplice(const struct call *c)
{
	s32 fd = call_arg(c, EB_A_FD, 0);
	struct file *file = fd_file(c->task, fd);

	if (file && (BPF_CORE_READ(file, f_flags) & O_ACCMODE) == O_WRONLY)
		use_write(c, fd, c->ret);
	else
		use_read(c, fd, c->ret);
	return false;
}

/*
 * A mapping counts as a read, whatever its protection is now. It also counts as a write if
 * it is shared and writable.
 */
static __always_inline bool fill_mmap(const struct call *c)
{
	u32 of_old[6];

	if (has_arg(c->row, EB_A_OLD) && is_32(c->task)) {
		if (bpf_probe_read_user(of_old, sizeof(of_old), (void *)c->s->arg[0])) {
			c->s->counts.strings_unread++;
			return false;
		}
		c->s->arg[2] = of_old[2];
		c->s->arg[3] = of_old[3];
		c->s->arg[4] = of_old[4];
	}
	if (c->s->arg[3] & MAP_ANONYMOUS)
		return false;
	use_read(c, c->s->arg[4], 0);
	if (c->s->arg[2] & PROT_WRITE && (c->s->arg[3] & MAP_TYPE) != MAP_PRIVATE)
		use_write(c, c->s->arg[4], 0);
	return false;
}

/*
 * Counts the use by the @i-th request of io_submit(). Returns 1 if it cannot be read. Not
 * static, so that the verifier checks it once.
 */
__attribute__((noinline)) int aio_one(u32 i, u64 list, u32 is_32)
{
	struct etrace_iocb iocb;
	u32 word = is_32 ? 4 : 8;
	u64 at = 0;

	if (bpf_probe_read_user(&at, below(16, word), (void *)list + i * word) ||
	    bpf_probe_read_user(&iocb, sizeof(iocb), (void *)at))
		return 1;
	if (etrace_aio_reads(iocb.op) || etrace_aio_writes(iocb.op))
		use_fd(iocb.fd, 0, etrace_aio_writes(iocb.op) ? USE_WRITE : USE_READ);
	return 0;
}

/* Counts the requests that io_submit() has started; their bytes are not known yet. */
static __always_inline bool fill_aio(const struct call *c)
{
	u64 list = call_arg(c, EB_A_STRUCT, 0), n = c->ret;
	u32 narrow = is_narrow(c->task), i;

#pragma clang loop unroll(disable)
	for (i = 0; i < ETRACE_AIO_MAX && i < n; i++)
		if (aio_one(i, list, narrow))
			break;
	c->s->counts.lost_fds += i < n;
	return false;
}

#endif
