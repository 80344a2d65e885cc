// SPDX-License-Identifier: GPL-2.0
/*
 * Counts reads and writes. At the end of a call that reads or writes, its bytes are
 * added to the uses kept for the descriptor (uses.h). They are recorded when the
 * descriptor is closed, or when the program ends: by execve, with its last thread, or
 * because tracing stops.
 *
 * The threads of a process share the uses, as they share the descriptor table.  Each
 * use is recorded immediately if programs share, or may share, a table (CLONE_FILES without
 * CLONE_THREAD), if the descriptor's number is too high, or if there is no memory.
 *
 * Servers read and write sockets alternately for as long as they run.  A reply can only
 * depend on what was read before it, so each turn of a socket is recorded: see
 * etrace_use_turn().
 */
#include <linux/file.h>
#include <linux/fs.h>
#include <linux/mman.h>
#include <linux/rcupdate.h>
#include <linux/sched/signal.h>
#include <linux/uaccess.h>

#include "calls_use.h"
#include "calls_print.h"
#include "abi.h"
#include "compat.h"
#include "counts.h"
#include "emit.h"
#include "etrace_rules.h"
#include "uses.h"

/* ---- recording ----------------------------------------------------------- */

/* Moves the uses of a descriptor into a record, close or use. */
#define ETRACE_USE_MOVE(r, id, ID, e)						\
	do {									\
		s64 _read = atomic64_xchg(&(e)->read, 0);			\
		s64 _wrote = atomic64_xchg(&(e)->wrote, 0);			\
										\
		if (_read) {							\
			(r)->id.read = (u64)_read >> ETRACE_USE_BITS;		\
			(r)->have |= BIT(ETRACE_VAL_##ID##_read);		\
		}								\
		if (_wrote) {							\
			(r)->id.wrote = (u64)_wrote >> ETRACE_USE_BITS;		\
			(r)->have |= BIT(ETRACE_VAL_##ID##_wrote);		\
		}								\
		if (_wrote && !(_wrote & ETRACE_WROTE)) {			\
			(r)->id.copied = true;					\
			(r)->have |= BIT(ETRACE_VAL_##ID##_copied);		\
		}								\
		if (_wrote && (e)->size >= 0) {					\
			(r)->id.size = (e)->size;				\
			(r)->id.mtime = (e)->mtime;				\
			(r)->have |= BIT(ETRACE_VAL_##ID##_size) |		\
				     BIT(ETRACE_VAL_##ID##_mtime);		\
		}								\
		(e)->from = 0;							\
		(e)->to = 0;							\
	} while (0)

static noinline void etrace_use_emit(struct etrace_task *t, unsigned int fd,
				     struct etrace_use *e)
{
	struct etrace_rec r;

	etrace_rec_init(&r, ETRACE_EV_USE, 0);
	etrace_clear_use(&r);
	r.use.fd = fd;
	ETRACE_USE_MOVE(&r, use, USE, e);
	etrace_emit_one(t, &r);
}

/* Resets the uses: the descriptor now refers to another file. */
static void etrace_use_forget(struct etrace_use *e)
{
	e->turns = 0;
	e->user = 0;
}

/*
 * Leaves the recording of the uses to the next record of @fd, or to the last task that shares @u.
 */
static void etrace_use_keep(struct etrace_task *t, struct etrace_uses *u, unsigned int fd)
{
	set_bit(fd, u->used);
	smp_mb__after_atomic();	/* pairs with etrace_use_fork(): it sets mixed, then reads used */
	if (READ_ONCE(u->mixed) && test_and_clear_bit(fd, u->used))
		etrace_use_emit(t, fd, etrace_uses_at(u, fd));
}

/**
 * etrace_use_late - count a use just after another thread recorded the earlier ones
 * @t: one slot of the current task
 * @u: uses of its descriptor table
 * @fd: the descriptor
 * @how: kind of use
 *
 * The next record of @fd includes it. If programs share the table there may be none, so
 * it is recorded immediately: etrace_use_fork() sets mixed before it records the earlier uses.
 */
void etrace_use_late(struct etrace_task *t, struct etrace_uses *u, unsigned int fd,
		     enum etrace_use_how how)
{
	atomic64_or(etrace_use_bits(how), etrace_use_bytes(etrace_uses_at(u, fd), how));
	etrace_use_keep(t, u, fd);
}

/* Records all remaining uses. */
static void etrace_uses_emit(struct etrace_task *t, struct etrace_uses *u)
{
	unsigned int fd;

	for_each_set_bit(fd, u->used, ETRACE_USES_MAX)
		if (test_and_clear_bit(fd, u->used))
			etrace_use_emit(t, fd, etrace_uses_at(u, fd));
}

/**
 * etrace_use_left - drop a slot's reference to the uses of its descriptor table
 * @t: a slot of the current task, or one that nothing else uses
 *
 * The last slot that shares them records the remaining uses.
 */
void etrace_use_left(struct etrace_task *t)
{
	struct etrace_uses *u = xchg(&t->uses, NULL);

	/* All uses by other slots happen before they drop their references. */
	if (!u || !refcount_dec_and_test(&u->refs))
		return;
	etrace_uses_emit(t, u);
	etrace_uses_free(u);
}

/**
 * etrace_use_over - handle that the current task ends, or runs another program
 * @t: first slot of the current task
 */
void etrace_use_over(struct etrace_task *t)
{
	etrace_for_each_slot(t, t)
		etrace_use_left(t);
}

/**
 * etrace_use_forgotten - see etrace_use_new()
 * @t: one slot of the current task
 * @fd: the descriptor
 */
void etrace_use_forgotten(struct etrace_task *t, int fd)
{
	struct etrace_uses *u = READ_ONCE(t->uses);
	struct etrace_use *e = u ? etrace_uses_at(u, fd) : NULL;

	if (!e)
		return;
	if (test_bit(fd, u->used) && test_and_clear_bit(fd, u->used))
		etrace_use_emit(t, fd, e);
	etrace_use_forget(e);
}

/* Is a descriptor open, in the current task's table? */
bool etrace_fd_is_open(unsigned int fd)
{
	struct fdtable *fdt = etrace_fdtable(current->files);

	return fd < fdt->max_fds && rcu_access_pointer(fdt->fd[fd]);
}

/* Moves the uses of a descriptor into the record of its close. */
static void etrace_use_closed(struct etrace_task *t, struct etrace_rec *r)
{
	struct etrace_uses *u = READ_ONCE(t->uses);
	unsigned int fd = r->close.fd;
	struct etrace_use *e = u ? etrace_uses_at(u, fd) : NULL;

	if (!e)
		return;
	/* Another thread may have opened a new descriptor with this number by now. */
	if (refcount_read(&u->refs) > 1 && etrace_fd_is_open(fd)) {
		r->close.reused = true;
		r->have |= BIT(ETRACE_VAL_CLOSE_reused);
		return;
	}
	if (test_bit(fd, u->used) && test_and_clear_bit(fd, u->used))
		ETRACE_USE_MOVE(r, close, CLOSE, e);
	etrace_use_forget(e);
}

/**
 * etrace_emit_close - record that a descriptor is closed
 * @t: first slot of the current task, in an RCU read-side section
 * @fd: the descriptor
 * @how: ETRACE_CLOSE_*
 */
void etrace_emit_close(struct etrace_task *t, int fd, unsigned int how)
{
	struct etrace_rec r etrace_uninitialized;

	etrace_rec_init(&r, ETRACE_EV_CLOSE, 0);
	if (how & ETRACE_CLOSE_EXTENDED)
		r.where = ETRACE_WHERE_EXTENDED;
	etrace_for_each_slot(t, t) {
		if (how & ETRACE_CLOSE_GOING_ON && !t->going_on)
			continue;
		etrace_clear_close(&r);
		r.close.fd = fd;
		r.have = 0;
		if (how & ETRACE_CLOSE_EXECVE) {
			r.close.execve = true;
			r.have = BIT(ETRACE_VAL_CLOSE_execve);
		}
		etrace_use_closed(t, &r);
		etrace_emit_one(t, &r);
	}
}

/* ---- keeping uses ---------------------------------------------------------- */

/*
 * Would all users of the current task's descriptor table share uses kept for @task? Yes
 * if no other task has the table. Yes also if @task is the first thread and only threads
 * of its process have the table: they find the uses there, and a process that later
 * shares the table inherits them.
 */
static bool etrace_uses_suffice(struct task_struct *task)
{
	unsigned int users = atomic_read(&current->files->count);

	return users == 1 || (thread_group_leader(task) && users <= get_nr_threads(task));
}

/*
 * Shares the uses of the process's first thread with this slot, and allocates them if
 * needed: threads that are older than the trace, and io_uring workers, find them there.
 */
static struct etrace_uses *etrace_uses_share(struct etrace_task *t)
{
	struct etrace_uses *u, *new;
	struct etrace_task *leader;

	if (READ_ONCE(current->group_leader->files) != current->files)
		return NULL;
	etrace_for_each_slot(leader, etrace_task_find(current->group_leader))
		if (leader != t && leader->session == t->session)
			break;
	if (!leader)
		return NULL;
	u = READ_ONCE(leader->uses);
	if (!u && etrace_uses_suffice(current->group_leader)) {
		new = etrace_uses_new(current->files);
		u = cmpxchg(&leader->uses, NULL, new);
		if (u)
			etrace_uses_put(new);
		else
			u = new;
	}
	if (!u || !(READ_ONCE(u->files) == current->files || READ_ONCE(u->mixed)))
		return NULL;
	return refcount_inc_not_zero(&u->refs) ? u : NULL;
}

/* The uses of the current task's table, allocated if needed; NULL if not kept. */
static struct etrace_uses *etrace_uses_of(struct etrace_task *t)
{
	struct etrace_uses *u = READ_ONCE(t->uses), *old;

	if (u && (u->files == current->files || u->mixed))
		return u;
	/* The task no longer shares the table that these uses belong to. */
	etrace_use_left(t);
	u = etrace_uses_share(t);
	if (!u && etrace_uses_suffice(current))
		u = etrace_uses_new(current->files);
	if (!u)
		return NULL;
	old = cmpxchg(&t->uses, NULL, u);
	if (!old)
		return u;
	/* Another thread has just set it for this slot. */
	etrace_uses_put(u);
	return old->files == current->files ? old : NULL;
}

/*
 * Records what a socket did so far: at each write, and before the first read since the last
 * record, even if there is nothing to report.  So a read happened between the previous record and
 * the one that counts it, and a write before the record that counts it.  Turns are no longer
 * recorded once a second thread uses the socket, since its calls may be counted late; nor after
 * ETRACE_TURNS_MAX records, since a server may run for days.
 */
static void etrace_use_turn(struct etrace_task *t, struct etrace_uses *u, unsigned int fd,
			    struct etrace_use *e)
{
	e->turns++;
	clear_bit(fd, u->used);
	etrace_use_emit(t, fd, e);
}

/* Returns whether the use of a socket is recorded by turns. */
static bool etrace_use_turns(struct etrace_task *t, struct etrace_uses *u, unsigned int fd,
			     struct etrace_use *e, enum etrace_use_how how)
{
	pid_t before = e->user;

	if (e->turns >= ETRACE_TURNS_MAX)
		return false;
	e->user = current->pid;
	if (before && before != current->pid) {
		etrace_use_turn(t, u, fd, e);
		e->turns = ETRACE_TURNS_MAX;
		return false;
	}
	if (how == ETRACE_USE_READ && !atomic64_read(&e->read))
		etrace_use_turn(t, u, fd, e);
	return true;
}

static noinline void etrace_use_slow(struct etrace_task *t, unsigned int fd, u64 bytes,
				     enum etrace_use_how how)
{
	u64 bits = etrace_use_bits(how);
	struct etrace_uses *u;
	struct etrace_use *e, once = { .size = -1 };
	struct inode *inode;
	bool turns;

	if (t->refused || !etrace_session_wants(t->session, ETRACE_WHERE_EXTENDED))
		return;
	u = etrace_uses_of(t);
	e = u && !u->mixed ? etrace_uses_make(u, fd) : NULL;
	inode = etrace_use_inode(current->files, fd);
	turns = e && inode && S_ISSOCK(inode->i_mode) && etrace_use_turns(t, u, fd, e, how);
	if (turns && how == ETRACE_USE_READ)
		bits = ETRACE_HEARD;
	if (!e)
		e = &once;
	atomic64_add(bytes << ETRACE_USE_BITS, etrace_use_bytes(e, how));
	atomic64_or(bits, etrace_use_bytes(e, how));
	if (how != ETRACE_USE_READ) {
		if (inode && S_ISREG(inode->i_mode))
			etrace_use_seen(e, inode);
		else
			e->size = -1;
	}
	if (e == &once)
		etrace_use_emit(t, fd, e);
	else if (turns && how != ETRACE_USE_READ)
		etrace_use_turn(t, u, fd, e);
	else
		etrace_use_keep(t, u, fd);
}

static void etrace_use(struct etrace_task *t, unsigned int fd, u64 bytes,
		       enum etrace_use_how how)
{
	if (!etrace_use_again(t, fd, bytes, how))
		etrace_use_slow(t, fd, bytes, how);
}

/**
 * etrace_used_slowly - slow path of etrace_used()
 * @fd: the descriptor
 * @bytes: number of bytes
 * @how: kind of use
 */
void etrace_used_slowly(unsigned int fd, u64 bytes, enum etrace_use_how how)
{
	struct etrace_task *t;

	etrace_syscall_pin();
	t = etrace_task_find(current);
	if (t && likely(!t->skipped) && likely(!etrace_syscalls_emulated()))
		etrace_for_each_slot(t, t)
			etrace_use(t, fd, bytes, how);
	etrace_syscall_unpin();
}

/**
 * etrace_use_read - count that a program has read from a descriptor
 * @t: first slot of the current task, in an RCU read-side section
 * @fd: the descriptor
 * @bytes: number of bytes, 0 if unknown
 */
void etrace_use_read(struct etrace_task *t, int fd, u64 bytes)
{
	etrace_for_each_slot(t, t)
		etrace_use(t, fd, bytes, ETRACE_USE_READ);
}

/**
 * etrace_use_write - count that a program has written to a descriptor
 * @t: first slot of the current task, in an RCU read-side section
 * @fd: the descriptor
 * @bytes: number of bytes, 0 if unknown
 */
void etrace_use_write(struct etrace_task *t, int fd, u64 bytes)
{
	if (static_branch_unlikely(&etrace_printing))
		etrace_print_unseen(t, fd, bytes);
	etrace_for_each_slot(t, t)
		etrace_use(t, fd, bytes, ETRACE_USE_WRITE);
}

/*
 * Should a copy between two descriptors be recorded?  Not again until one of them is closed,
 * or its uses are recorded, or another copy from @in or to @out comes in between.
 */
static bool etrace_copy_is_new(struct etrace_task *t, u32 in, u32 out)
{
	struct etrace_use *from, *to;
	struct etrace_uses *u;

	if (t->refused || !etrace_session_wants(t->session, ETRACE_WHERE_EXTENDED))
		return false;
	u = etrace_uses_of(t);
	from = u && !u->mixed ? etrace_uses_make(u, in) : NULL;
	to = from ? etrace_uses_make(u, out) : NULL;
	if (!to)
		return true;
	if (from->to == out + 1 && to->from == in + 1)
		return false;
	from->to = out + 1;
	to->from = in + 1;
	return true;
}

/**
 * etrace_use_copy - count that a call has copied data from one descriptor to another
 * @c: the call
 * @in: the descriptor that was read
 * @out: the descriptor that was written
 * @bytes: number of bytes, 0 if unknown
 */
void etrace_use_copy(struct etrace_call *c, u32 in, u32 out, u64 bytes)
{
	struct etrace_task *t;

	if (static_branch_unlikely(&etrace_printing))
		etrace_print_unseen(c->t, out, bytes);
	etrace_for_each_slot(t, c->t) {
		if (etrace_copy_is_new(t, in, out)) {
			etrace_rec_init(&c->r, ETRACE_EV_COPY, 0);
			c->r.copy.in = in;
			c->r.copy.out = out;
			etrace_emit_one(t, &c->r);
		}
		etrace_use(t, in, bytes, ETRACE_USE_READ);
		etrace_use(t, out, bytes, ETRACE_USE_COPY);
	}
}

/**
 * etrace_use_fork - share uses with a new task that shares the descriptor table
 * @t: a slot of the parent, the current task
 * @c: the child's slot for that session
 * @child: the new task, which has not run yet
 */
void etrace_use_fork(struct etrace_task *t, struct etrace_task *c,
		     struct task_struct *child)
{
	struct etrace_uses *u;

	if (child->files != current->files ||
	    !etrace_session_wants(t->session, ETRACE_WHERE_EXTENDED))
		return;
	u = etrace_uses_of(t);
	if (!u)
		return;
	refcount_inc(&u->refs);
	WRITE_ONCE(c->uses, u);
	if (!u->mixed && !same_thread_group(child, current)) {
		WRITE_ONCE(u->mixed, true);
		WRITE_ONCE(u->files, NULL);	/* turns off the fast path */
		smp_mb();	/* pairs with etrace_use_keep() */
		etrace_uses_emit(t, u);
	}
}

/* ---- the handlers ----------------------------------------------------------- */

/* Reads and writes do not get here: etrace_syscall_done() calls etrace_used(). */
void etrace_do_read(struct etrace_call *c)
{
}

void etrace_do_write(struct etrace_call *c)
{
}

/* Counts a copy between descriptors; 0 bytes are a read at end of file, not a write. */
void etrace_do_copy(struct etrace_call *c)
{
	if (c->ret)
		etrace_use_copy(c, etrace_arg(c, ETRACE_ARG_FD, 0),
				etrace_arg(c, ETRACE_ARG_FD2, 0), c->ret);
	else
		etrace_use_read(c->t, etrace_arg(c, ETRACE_ARG_FD, 0), 0);
}

/* For calls that write, but do not return a number of bytes. */
void etrace_do_write_some(struct etrace_call *c)
{
	etrace_use_write(c->t, etrace_arg(c, ETRACE_ARG_FD, 0), 0);
}

/* Counts a vmsplice(), which writes to a pipe, or reads from it. */
void etrace_do_vmsplice(struct etrace_call *c)
{
	long flags = etrace_fd_flags(etrace_arg(c, ETRACE_ARG_FD, 0));

	if (flags >= 0 && (flags & O_ACCMODE) == O_WRONLY)
		etrace_use_write(c->t, etrace_arg(c, ETRACE_ARG_FD, 0), c->ret);
	else if (flags >= 0)
		etrace_use_read(c->t, etrace_arg(c, ETRACE_ARG_FD, 0), c->ret);
}

/*
 * A mapping counts as read, whatever its protection is now; and as written, if it is
 * shared and writing is allowed.
 */
void etrace_do_mmap(struct etrace_call *c)
{
	u32 old[6], i;

	if (c->sc->at[ETRACE_ARG_OLD] && etrace_is_32()) {
		if (!etrace_call_read(c, old, c->args[1], sizeof(old))) {
			etrace_call_unread(c);
			return;
		}
		for (i = 0; i < ARRAY_SIZE(old); i++)
			c->args[1 + i] = old[i];
	}
	if (c->args[4] & MAP_ANONYMOUS)
		return;
	etrace_use_read(c->t, c->args[5], 0);
	if (c->args[3] & PROT_WRITE && (c->args[4] & MAP_TYPE) != MAP_PRIVATE)
		etrace_use_write(c->t, c->args[5], 0);
}

/* Reads the @i-th request of io_submit(). Returns false if it cannot be read. */
static bool etrace_aio_read(struct etrace_call *c, unsigned int i, struct etrace_iocb *iocb)
{
	void __user *list = (void __user *)etrace_arg(c, ETRACE_ARG_STRUCT, 0);
	size_t word = etrace_is_32() ? sizeof(u32) : sizeof(unsigned long);
	union {
		unsigned long whole;
		u32 half;
	} at;

	if (copy_from_user_nofault(&at, list + i * word, word))
		return false;
	if (word == sizeof(u32))
		at.whole = at.half;
	return !copy_from_user_nofault(iocb, (void __user *)at.whole, sizeof(*iocb));
}

/* Counts the requests that io_submit() has started; their bytes are not known yet. */
void etrace_do_aio(struct etrace_call *c)
{
	unsigned int i, n = min_t(long, c->ret, ETRACE_AIO_MAX);
	struct etrace_iocb iocb;
	struct etrace_task *t;

	for (i = 0; i < n && etrace_aio_read(c, i, &iocb); i++) {
		if (etrace_aio_reads(iocb.op))
			etrace_use_read(c->t, iocb.fd, 0);
		else if (etrace_aio_writes(iocb.op))
			etrace_use_write(c->t, iocb.fd, 0);
	}
	if (i < c->ret)
		etrace_for_each_slot(t, c->t)
			etrace_count(t->session, lost_fds, 1);
}
