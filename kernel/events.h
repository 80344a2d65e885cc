/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The typed trace events, events/etrace/ in tracefs. Their printed form is
 * the etrace line format (Documentation/line-format.md), made by print.c when
 * somebody reads.
 *
 * Fields that all have: upid, the task that made the call; time, nanoseconds
 * of CLOCK_MONOTONIC. Fields of events with strings: NAME_len, the string's
 * length, -1 if the event has none; NAME, the string, if it is in this record
 * (the first @inl strings are); more: records of the kind string or args
 * follow with the rest; joined, unread, cut, untold, outside: bit i tells of the i-th string
 * what struct etrace_rec says; bit 3 of unread: a structure or the arguments.
 * error: errno of a call that failed, else 0. have: bit i: the i-th of the
 * event's values is there, of those that MAY be.
 */
#undef TRACE_SYSTEM
#define TRACE_SYSTEM etrace

#if !defined(ETRACE_EVENTS_H) || defined(TRACE_HEADER_MULTI_READ)
#define ETRACE_EVENTS_H

#include <linux/string.h>
#include <linux/tracepoint.h>

#include "etrace.h"
#include "print.h"

#ifndef ETRACE_EVENTS_HELPERS
#define ETRACE_EVENTS_HELPERS
/* Room for string @i in the record, with a null byte. */
static inline u32 etrace_room(const struct etrace_rec *r, u32 i)
{
	return i < r->inl ? r->str[i].len + 1 : 1;
}

static inline s32 etrace_len(const struct etrace_rec *r, u32 i)
{
	return i < r->nr_str && r->str[i].s ? (s32)r->str[i].len : -1;
}

/* @n bytes and a null byte. */
static inline void etrace_put(char *dst, const char *s, u32 n)
{
	if (likely(n))
		etrace_copy(dst, s, n);
	dst[n] = '\0';
}

/* The record arrives; @where is the event file or whatever else listens. */
static inline void etrace_arrived(struct etrace_rec *r, const void *where)
{
	if (where == r->file)
		r->written = true;
}
#endif

#define ETRACE_HEAD_FIELDS			\
	__field(u64, upid)			\
	__field(u64, time)

#define ETRACE_HEAD_ASSIGN			\
	do {					\
		__entry->upid = r->upid;	\
		__entry->time = r->time;	\
		etrace_arrived(r, __data);	\
	} while (0)

#define ETRACE_HEAD							\
	(&(struct etrace_head) {					\
		p, iter->cpu, __entry->upid, __entry->time })

#define ETRACE_TAIL_FIELDS			\
	__field(s32, error)			\
	__field(u8, inl)			\
	__field(u8, more)			\
	__field(u8, joined)			\
	__field(u8, unread)			\
	__field(u8, cut)			\
	__field(u8, untold)			\
	__field(u8, outside)

/* First read, then written: so the bytes can be copied at one go. */
#define ETRACE_TAIL_ASSIGN						\
	do {								\
		u8 inl = r->inl, more = r->more, joined = r->joined;	\
		u8 unread = r->unread, cut = r->cut;			\
		u8 untold = r->untold, outside = r->outside;		\
									\
		__entry->error = r->error;				\
		__entry->inl = inl;					\
		__entry->more = more;					\
		__entry->joined = joined;				\
		__entry->unread = unread;				\
		__entry->cut = cut;					\
		__entry->untold = untold;				\
		__entry->outside = outside;				\
	} while (0)

#define ETRACE_TAIL							\
	.tail = {							\
		__entry->error, __entry->inl, __entry->more,		\
		__entry->joined, __entry->unread, __entry->cut,		\
		__entry->untold, __entry->outside }

#define ETRACE_STR_FIELDS(name, i)		\
	__field(s32, name##_len)		\
	__dynamic_array(char, name, etrace_room(r, i))

#define ETRACE_STR_ASSIGN(name, i)				\
	do {							\
		__entry->name##_len = etrace_len(r, i);		\
		etrace_put(__get_dynamic_array(name), r->str[i].s,	\
			   __get_dynamic_array_len(name) - 1);	\
	} while (0)

/* What the printer is told of a record: its strings, values and tail. */
#define ETRACE_TOLD(ID, ...)						\
	(&(struct etrace_told) { .ev = ETRACE_EV_##ID, ##__VA_ARGS__ })

#define ETRACE_STR(ID, id)						\
	.str[ETRACE_STR_##ID##_##id] = {				\
		__entry->id##_len, __get_dynamic_array(id) }

#define ETRACE_ARGS(ID, id)						\
	ETRACE_STR(ID, id), .args_room = __get_dynamic_array_len(id)

#define ETRACE_VAL(ID, id)		ETRACE_VAL_IF(ID, id, true)

/* A value that MAY be there: the field have tells. */
#define ETRACE_VAL_MAY(ID, id)						\
	ETRACE_VAL_IF(ID, id, __entry->have >> ETRACE_VAL_##ID##_##id & 1)

#define ETRACE_VAL_IF(ID, id, there)					\
	.val[ETRACE_VAL_##ID##_##id] = { __entry->id, there }

#define ETRACE_PRINT(ID, ...)						\
	etrace_print(ETRACE_HEAD, ETRACE_TOLD(ID, ##__VA_ARGS__))

/*
 * A program is run: execve, execveat. dev, ino: which file the interpreter is, as
 * stat() tells; size, mtime: as it was then.
 */
TRACE_EVENT(etrace_exec,
	TP_PROTO(struct etrace_rec *r),
	TP_ARGS(r),
	TP_STRUCT__entry(
		ETRACE_HEAD_FIELDS
		__field(u64, ino)
		__field(u64, size)
		__field(s64, mtime)
		__field(u32, dev)
		__field(u16, have)
		ETRACE_STR_FIELDS(interp, 0)
		ETRACE_STR_FIELDS(path, 1)
		ETRACE_STR_FIELDS(cwd, 2)
		__field(u32, args_len)
		__dynamic_array(char, args, r->exec.args.len)
		ETRACE_TAIL_FIELDS
	),
	TP_fast_assign(
		ETRACE_HEAD_ASSIGN;
		__entry->dev = r->exec.dev;
		__entry->ino = r->exec.ino;
		__entry->size = r->exec.size;
		__entry->mtime = r->exec.mtime;
		__entry->have = r->have;
		ETRACE_STR_ASSIGN(interp, 0);
		ETRACE_STR_ASSIGN(path, 1);
		ETRACE_STR_ASSIGN(cwd, 2);
		__entry->args_len = r->exec.args_len;
		memcpy(__get_dynamic_array(args), r->exec.args.s, r->exec.args.len);
		ETRACE_TAIL_ASSIGN;
	),
	TP_printk("%s", ETRACE_PRINT(EXEC,
		  ETRACE_VAL_MAY(EXEC, dev), ETRACE_VAL_MAY(EXEC, ino),
		  ETRACE_VAL_MAY(EXEC, size), ETRACE_VAL_MAY(EXEC, mtime),
		  ETRACE_STR(EXEC, interp),
		  ETRACE_STR(EXEC, path), ETRACE_STR(EXEC, cwd),
		  ETRACE_ARGS(EXEC, args), ETRACE_TAIL))
);

/*
 * A task is born, by fork and its kin; or is not. child: upid of the new task.
 */
TRACE_EVENT(etrace_clone,
	TP_PROTO(struct etrace_rec *r),
	TP_ARGS(r),
	TP_STRUCT__entry(
		ETRACE_HEAD_FIELDS
		__field(u64, flags)
		__field(u64, child)
		__field(u16, have)
		ETRACE_TAIL_FIELDS
	),
	TP_fast_assign(
		ETRACE_HEAD_ASSIGN;
		__entry->flags = r->clone.flags;
		__entry->child = r->clone.child;
		__entry->have = r->have;
		ETRACE_TAIL_ASSIGN;
	),
	TP_printk("%s", ETRACE_PRINT(CLONE,
		  ETRACE_VAL_MAY(CLONE, flags),
		  ETRACE_VAL_MAY(CLONE, child), ETRACE_TAIL))
);

/*
 * A task ends. signal: what killed it, 0: nothing; core: and it left a core. The
 * others are of its process, which ends with it: time in ns; memory at most, bytes;
 * page faults; bytes read and written by calls, and from and to storage.
 */
TRACE_EVENT(etrace_exit,
	TP_PROTO(struct etrace_rec *r),
	TP_ARGS(r),
	TP_STRUCT__entry(
		ETRACE_HEAD_FIELDS
		__field(s32, status)
		__field(s32, signal)
		__field(u8, core)
		__field(u64, utime)
		__field(u64, stime)
		__field(u64, maxrss)
		__field(u64, minflt)
		__field(u64, majflt)
		__field(u64, rchar)
		__field(u64, wchar)
		__field(u64, rbytes)
		__field(u64, wbytes)
		__field(u16, have)
	),
	TP_fast_assign(
		ETRACE_HEAD_ASSIGN;
		__entry->status = r->exit.status;
		__entry->signal = r->exit.signal;
		__entry->core = r->exit.core;
		__entry->utime = r->exit.utime;
		__entry->stime = r->exit.stime;
		__entry->maxrss = r->exit.maxrss;
		__entry->minflt = r->exit.minflt;
		__entry->majflt = r->exit.majflt;
		__entry->rchar = r->exit.rchar;
		__entry->wchar = r->exit.wchar;
		__entry->rbytes = r->exit.rbytes;
		__entry->wbytes = r->exit.wbytes;
		__entry->have = r->have;
	),
	TP_printk("%s", ETRACE_PRINT(EXIT, ETRACE_VAL(EXIT, status),
		  ETRACE_VAL_MAY(EXIT, signal),
		  ETRACE_VAL_MAY(EXIT, core),
		  ETRACE_VAL_MAY(EXIT, utime), ETRACE_VAL_MAY(EXIT, stime),
		  ETRACE_VAL_MAY(EXIT, maxrss), ETRACE_VAL_MAY(EXIT, minflt),
		  ETRACE_VAL_MAY(EXIT, majflt), ETRACE_VAL_MAY(EXIT, rchar),
		  ETRACE_VAL_MAY(EXIT, wchar), ETRACE_VAL_MAY(EXIT, rbytes),
		  ETRACE_VAL_MAY(EXIT, wbytes)))
);

/*
 * A file is opened. name: as resolved; orig: as the user named it. dev, ino, type:
 * which file it is, as stat() tells; size, mtime: as it was then.
 */
TRACE_EVENT(etrace_open,
	TP_PROTO(struct etrace_rec *r),
	TP_ARGS(r),
	TP_STRUCT__entry(
		ETRACE_HEAD_FIELDS
		__field(u64, ino)
		__field(u64, size)
		__field(s64, mtime)
		__field(u32, dev)
		__field(s32, fd)
		__field(u32, flags)
		__field(u16, mode)
		__field(u16, type)
		__field(u16, have)
		ETRACE_STR_FIELDS(name, 0)
		ETRACE_STR_FIELDS(orig, 1)
		ETRACE_TAIL_FIELDS
	),
	TP_fast_assign(
		ETRACE_HEAD_ASSIGN;
		__entry->fd = r->open.fd;
		__entry->flags = r->open.flags;
		__entry->mode = r->open.mode;
		__entry->dev = r->open.dev;
		__entry->ino = r->open.ino;
		__entry->size = r->open.size;
		__entry->mtime = r->open.mtime;
		__entry->type = r->open.type;
		__entry->have = r->have;
		ETRACE_STR_ASSIGN(name, 0);
		ETRACE_STR_ASSIGN(orig, 1);
		ETRACE_TAIL_ASSIGN;
	),
	TP_printk("%s", ETRACE_PRINT(OPEN, ETRACE_VAL(OPEN, flags),
		  ETRACE_VAL(OPEN, mode), ETRACE_VAL(OPEN, fd),
		  ETRACE_VAL_MAY(OPEN, dev), ETRACE_VAL_MAY(OPEN, ino),
		  ETRACE_VAL_MAY(OPEN, size), ETRACE_VAL_MAY(OPEN, mtime),
		  ETRACE_VAL_MAY(OPEN, type),
		  ETRACE_STR(OPEN, name), ETRACE_STR(OPEN, orig), ETRACE_TAIL))
);

/*
 * A descriptor is closed, by close, close_range or execve (close); or what a program
 * did with one is told, which stays open (use). read, wrote: bytes that the
 * program read and wrote by it, if it did; size, mtime: of a file that it wrote,
 * behind its last write. reused: the number has been given to another file by now;
 * execve: that has closed it. copied: all that was written by it came by events copy.
 */
TRACE_EVENT(etrace_close,
	TP_PROTO(struct etrace_rec *r),
	TP_ARGS(r),
	TP_STRUCT__entry(
		ETRACE_HEAD_FIELDS
		__field(u64, read)
		__field(u64, wrote)
		__field(u64, size)
		__field(s64, mtime)
		__field(s32, fd)
		__field(u16, have)
		__field(u8, reused)
		__field(u8, execve)
		__field(u8, copied)
	),
	TP_fast_assign(
		ETRACE_HEAD_ASSIGN;
		__entry->read = r->close.read;
		__entry->wrote = r->close.wrote;
		__entry->size = r->close.size;
		__entry->mtime = r->close.mtime;
		__entry->fd = r->close.fd;
		__entry->have = r->have;
		__entry->reused = r->close.reused;
		__entry->execve = r->close.execve;
		__entry->copied = r->close.copied;
	),
	TP_printk("%s", ETRACE_PRINT(CLOSE, ETRACE_VAL(CLOSE, fd),
		  ETRACE_VAL_MAY(CLOSE, read), ETRACE_VAL_MAY(CLOSE, wrote),
		  ETRACE_VAL_MAY(CLOSE, size), ETRACE_VAL_MAY(CLOSE, mtime),
		  ETRACE_VAL_MAY(CLOSE, reused), ETRACE_VAL_MAY(CLOSE, execve),
		  ETRACE_VAL_MAY(CLOSE, copied)))
);

TRACE_EVENT(etrace_use,
	TP_PROTO(struct etrace_rec *r),
	TP_ARGS(r),
	TP_STRUCT__entry(
		ETRACE_HEAD_FIELDS
		__field(u64, read)
		__field(u64, wrote)
		__field(u64, size)
		__field(s64, mtime)
		__field(s32, fd)
		__field(u16, have)
		__field(u8, copied)
	),
	TP_fast_assign(
		ETRACE_HEAD_ASSIGN;
		__entry->read = r->use.read;
		__entry->wrote = r->use.wrote;
		__entry->size = r->use.size;
		__entry->mtime = r->use.mtime;
		__entry->fd = r->use.fd;
		__entry->have = r->have;
		__entry->copied = r->use.copied;
	),
	TP_printk("%s", ETRACE_PRINT(USE, ETRACE_VAL(USE, fd),
		  ETRACE_VAL_MAY(USE, read), ETRACE_VAL_MAY(USE, wrote),
		  ETRACE_VAL_MAY(USE, size), ETRACE_VAL_MAY(USE, mtime),
		  ETRACE_VAL_MAY(USE, copied)))
);

/* A descriptor is copied, by dup and its kin or fcntl. */
TRACE_EVENT(etrace_dup,
	TP_PROTO(struct etrace_rec *r),
	TP_ARGS(r),
	TP_STRUCT__entry(
		ETRACE_HEAD_FIELDS
		__field(s32, oldfd)
		__field(s32, newfd)
		__field(u32, flags)
	),
	TP_fast_assign(
		ETRACE_HEAD_ASSIGN;
		__entry->oldfd = r->dup.oldfd;
		__entry->newfd = r->dup.newfd;
		__entry->flags = r->dup.flags;
	),
	TP_printk("%s", ETRACE_PRINT(DUP, ETRACE_VAL(DUP, oldfd),
		  ETRACE_VAL(DUP, newfd), ETRACE_VAL(DUP, flags)))
);

/* A pipe is made. */
TRACE_EVENT(etrace_pipe,
	TP_PROTO(struct etrace_rec *r),
	TP_ARGS(r),
	TP_STRUCT__entry(
		ETRACE_HEAD_FIELDS
		__field(s32, fd1)
		__field(s32, fd2)
		__field(u32, flags)
	),
	TP_fast_assign(
		ETRACE_HEAD_ASSIGN;
		__entry->fd1 = r->pipe.fd1;
		__entry->fd2 = r->pipe.fd2;
		__entry->flags = r->pipe.flags;
	),
	TP_printk("%s", ETRACE_PRINT(PIPE, ETRACE_VAL(PIPE, fd1),
		  ETRACE_VAL(PIPE, fd2), ETRACE_VAL(PIPE, flags)))
);

/*
 * A file gets another name (rename), or one more (link). flags: those of
 * renameat2 or linkat. A call that failed has no "to", and a "from" only if that
 * could be told.
 */
DECLARE_EVENT_CLASS(etrace_two_names,
	TP_PROTO(struct etrace_rec *r),
	TP_ARGS(r),
	TP_STRUCT__entry(
		ETRACE_HEAD_FIELDS
		__field(u32, flags)
		__field(u16, have)
		ETRACE_STR_FIELDS(from, 0)
		ETRACE_STR_FIELDS(to, 1)
		ETRACE_TAIL_FIELDS
	),
	TP_fast_assign(
		ETRACE_HEAD_ASSIGN;
		__entry->flags = r->rename.flags;
		__entry->have = r->have;
		ETRACE_STR_ASSIGN(from, 0);
		ETRACE_STR_ASSIGN(to, 1);
		ETRACE_TAIL_ASSIGN;
	),
	TP_printk("%s", ETRACE_PRINT(RENAME,
		  ETRACE_VAL_MAY(RENAME, flags),
		  ETRACE_STR(RENAME, from), ETRACE_STR(RENAME, to), ETRACE_TAIL))
);

DEFINE_EVENT(etrace_two_names, etrace_rename,
	TP_PROTO(struct etrace_rec *r),
	TP_ARGS(r)
);

DEFINE_EVENT_PRINT(etrace_two_names, etrace_link,
	TP_PROTO(struct etrace_rec *r),
	TP_ARGS(r),
	TP_printk("%s", ETRACE_PRINT(LINK,
		  ETRACE_VAL_MAY(LINK, flags),
		  ETRACE_STR(LINK, from), ETRACE_STR(LINK, to), ETRACE_TAIL))
);

/*
 * A symbolic link is made. target: its text; resolved: the path of what it
 * leads to, if that exists; link: its own path.
 */
TRACE_EVENT(etrace_symlink,
	TP_PROTO(struct etrace_rec *r),
	TP_ARGS(r),
	TP_STRUCT__entry(
		ETRACE_HEAD_FIELDS
		ETRACE_STR_FIELDS(target, 0)
		ETRACE_STR_FIELDS(resolved, 1)
		ETRACE_STR_FIELDS(link, 2)
		ETRACE_TAIL_FIELDS
	),
	TP_fast_assign(
		ETRACE_HEAD_ASSIGN;
		ETRACE_STR_ASSIGN(target, 0);
		ETRACE_STR_ASSIGN(resolved, 1);
		ETRACE_STR_ASSIGN(link, 2);
		ETRACE_TAIL_ASSIGN;
	),
	TP_printk("%s", ETRACE_PRINT(SYMLINK, ETRACE_STR(SYMLINK, target),
		  ETRACE_STR(SYMLINK, resolved), ETRACE_STR(SYMLINK, link), ETRACE_TAIL))
);

/* mount. source, type: as passed, if they were; target: as resolved. */
TRACE_EVENT(etrace_mount,
	TP_PROTO(struct etrace_rec *r),
	TP_ARGS(r),
	TP_STRUCT__entry(
		ETRACE_HEAD_FIELDS
		__field(u64, flags)
		ETRACE_STR_FIELDS(source, 0)
		ETRACE_STR_FIELDS(target, 1)
		ETRACE_STR_FIELDS(type, 2)
		ETRACE_TAIL_FIELDS
	),
	TP_fast_assign(
		ETRACE_HEAD_ASSIGN;
		__entry->flags = r->mount.flags;
		ETRACE_STR_ASSIGN(source, 0);
		ETRACE_STR_ASSIGN(target, 1);
		ETRACE_STR_ASSIGN(type, 2);
		ETRACE_TAIL_ASSIGN;
	),
	TP_printk("%s", ETRACE_PRINT(MOUNT, ETRACE_VAL(MOUNT, flags),
		  ETRACE_STR(MOUNT, source), ETRACE_STR(MOUNT, target),
		  ETRACE_STR(MOUNT, type), ETRACE_TAIL))
);

/* umount, umount2. target: as resolved, if it could be. */
TRACE_EVENT(etrace_umount,
	TP_PROTO(struct etrace_rec *r),
	TP_ARGS(r),
	TP_STRUCT__entry(
		ETRACE_HEAD_FIELDS
		__field(u64, flags)
		ETRACE_STR_FIELDS(target, 0)
		ETRACE_TAIL_FIELDS
	),
	TP_fast_assign(
		ETRACE_HEAD_ASSIGN;
		__entry->flags = r->umount.flags;
		ETRACE_STR_ASSIGN(target, 0);
		ETRACE_TAIL_ASSIGN;
	),
	TP_printk("%s", ETRACE_PRINT(UMOUNT, ETRACE_VAL(UMOUNT, flags),
		  ETRACE_STR(UMOUNT, target), ETRACE_TAIL))
);

/* A thread gets another name. target: upid of the thread. */
TRACE_EVENT(etrace_comm,
	TP_PROTO(struct etrace_rec *r),
	TP_ARGS(r),
	TP_STRUCT__entry(
		ETRACE_HEAD_FIELDS
		__field(u64, target)
		__field(u16, have)
		ETRACE_STR_FIELDS(comm, 0)
		ETRACE_TAIL_FIELDS
	),
	TP_fast_assign(
		ETRACE_HEAD_ASSIGN;
		__entry->target = r->comm.target;
		__entry->have = r->have;
		ETRACE_STR_ASSIGN(comm, 0);
		ETRACE_TAIL_ASSIGN;
	),
	TP_printk("%s", ETRACE_PRINT(COMM,
		  ETRACE_VAL_MAY(COMM, target),
		  ETRACE_STR(COMM, comm), ETRACE_TAIL))
);

/*
 * An io_uring is made: not all that is done through it is seen. Of root_pid's tree
 * only with the parameter "extended", since the line format has no such line.
 */
TRACE_EVENT(etrace_uring,
	TP_PROTO(struct etrace_rec *r),
	TP_ARGS(r),
	TP_STRUCT__entry(
		ETRACE_HEAD_FIELDS
		__field(s32, fd)
	),
	TP_fast_assign(
		ETRACE_HEAD_ASSIGN;
		__entry->fd = r->uring.fd;
	),
	TP_printk("%s", ETRACE_PRINT(URING, ETRACE_VAL(URING, fd)))
);

/* A file loses a name, or an empty directory goes (dir). */
TRACE_EVENT(etrace_unlink,
	TP_PROTO(struct etrace_rec *r),
	TP_ARGS(r),
	TP_STRUCT__entry(
		ETRACE_HEAD_FIELDS
		__field(u8, dir)
		ETRACE_STR_FIELDS(path, 0)
		ETRACE_TAIL_FIELDS
	),
	TP_fast_assign(
		ETRACE_HEAD_ASSIGN;
		__entry->dir = r->unlink.dir;
		ETRACE_STR_ASSIGN(path, 0);
		ETRACE_TAIL_ASSIGN;
	),
	TP_printk("%s", ETRACE_PRINT(UNLINK, ETRACE_VAL(UNLINK, dir),
		  ETRACE_STR(UNLINK, path), ETRACE_TAIL))
);

/* A directory is made. mode: as passed. */
TRACE_EVENT(etrace_mkdir,
	TP_PROTO(struct etrace_rec *r),
	TP_ARGS(r),
	TP_STRUCT__entry(
		ETRACE_HEAD_FIELDS
		__field(u16, mode)
		ETRACE_STR_FIELDS(path, 0)
		ETRACE_TAIL_FIELDS
	),
	TP_fast_assign(
		ETRACE_HEAD_ASSIGN;
		__entry->mode = r->mkdir.mode;
		ETRACE_STR_ASSIGN(path, 0);
		ETRACE_TAIL_ASSIGN;
	),
	TP_printk("%s", ETRACE_PRINT(MKDIR, ETRACE_VAL(MKDIR, mode),
		  ETRACE_STR(MKDIR, path), ETRACE_TAIL))
);

/* A device, a fifo, a socket or an empty file is made. mode, dev: as passed. */
TRACE_EVENT(etrace_mknod,
	TP_PROTO(struct etrace_rec *r),
	TP_ARGS(r),
	TP_STRUCT__entry(
		ETRACE_HEAD_FIELDS
		__field(u16, mode)
		__field(u32, dev)
		ETRACE_STR_FIELDS(path, 0)
		ETRACE_TAIL_FIELDS
	),
	TP_fast_assign(
		ETRACE_HEAD_ASSIGN;
		__entry->mode = r->mknod.mode;
		__entry->dev = r->mknod.dev;
		ETRACE_STR_ASSIGN(path, 0);
		ETRACE_TAIL_ASSIGN;
	),
	TP_printk("%s", ETRACE_PRINT(MKNOD, ETRACE_VAL(MKNOD, mode),
		  ETRACE_VAL(MKNOD, dev), ETRACE_STR(MKNOD, path), ETRACE_TAIL))
);

/* A file gets another size. fd: ftruncate. */
TRACE_EVENT(etrace_truncate,
	TP_PROTO(struct etrace_rec *r),
	TP_ARGS(r),
	TP_STRUCT__entry(
		ETRACE_HEAD_FIELDS
		__field(s32, fd)
		__field(s64, size)
		__field(u16, have)
		ETRACE_STR_FIELDS(path, 0)
		ETRACE_TAIL_FIELDS
	),
	TP_fast_assign(
		ETRACE_HEAD_ASSIGN;
		__entry->fd = r->truncate.fd;
		__entry->size = r->truncate.size;
		__entry->have = r->have;
		ETRACE_STR_ASSIGN(path, 0);
		ETRACE_TAIL_ASSIGN;
	),
	TP_printk("%s", ETRACE_PRINT(TRUNCATE, ETRACE_VAL_MAY(TRUNCATE, fd),
		  ETRACE_VAL(TRUNCATE, size), ETRACE_STR(TRUNCATE, path),
		  ETRACE_TAIL))
);

/* A file gets another mode, as passed. fd: fchmod. */
TRACE_EVENT(etrace_chmod,
	TP_PROTO(struct etrace_rec *r),
	TP_ARGS(r),
	TP_STRUCT__entry(
		ETRACE_HEAD_FIELDS
		__field(s32, fd)
		__field(u16, mode)
		__field(u16, have)
		ETRACE_STR_FIELDS(path, 0)
		ETRACE_TAIL_FIELDS
	),
	TP_fast_assign(
		ETRACE_HEAD_ASSIGN;
		__entry->fd = r->chmod.fd;
		__entry->mode = r->chmod.mode;
		__entry->have = r->have;
		ETRACE_STR_ASSIGN(path, 0);
		ETRACE_TAIL_ASSIGN;
	),
	TP_printk("%s", ETRACE_PRINT(CHMOD, ETRACE_VAL_MAY(CHMOD, fd),
		  ETRACE_VAL(CHMOD, mode), ETRACE_STR(CHMOD, path),
		  ETRACE_TAIL))
);

/*
 * A file gets other times, in nanoseconds since 1970. A time that is absent is left
 * as it is, or becomes that of the call if now says so (ETRACE_NOW_*). fd: futimens.
 */
TRACE_EVENT(etrace_utimens,
	TP_PROTO(struct etrace_rec *r),
	TP_ARGS(r),
	TP_STRUCT__entry(
		ETRACE_HEAD_FIELDS
		__field(s32, fd)
		__field(s64, atime)
		__field(s64, mtime)
		__field(u8, now)
		__field(u16, have)
		ETRACE_STR_FIELDS(path, 0)
		ETRACE_TAIL_FIELDS
	),
	TP_fast_assign(
		ETRACE_HEAD_ASSIGN;
		__entry->fd = r->utimens.fd;
		__entry->atime = r->utimens.atime;
		__entry->mtime = r->utimens.mtime;
		__entry->now = r->utimens.now;
		__entry->have = r->have;
		ETRACE_STR_ASSIGN(path, 0);
		ETRACE_TAIL_ASSIGN;
	),
	TP_printk("%s", ETRACE_PRINT(UTIMENS, ETRACE_VAL_MAY(UTIMENS, fd),
		  ETRACE_VAL_MAY(UTIMENS, atime),
		  ETRACE_VAL_MAY(UTIMENS, mtime), ETRACE_VAL(UTIMENS, now),
		  ETRACE_STR(UTIMENS, path), ETRACE_TAIL))
);

/* A process goes to another working directory. fd: fchdir. */
TRACE_EVENT(etrace_chdir,
	TP_PROTO(struct etrace_rec *r),
	TP_ARGS(r),
	TP_STRUCT__entry(
		ETRACE_HEAD_FIELDS
		__field(s32, fd)
		__field(u16, have)
		ETRACE_STR_FIELDS(path, 0)
		ETRACE_TAIL_FIELDS
	),
	TP_fast_assign(
		ETRACE_HEAD_ASSIGN;
		__entry->fd = r->chdir.fd;
		__entry->have = r->have;
		ETRACE_STR_ASSIGN(path, 0);
		ETRACE_TAIL_ASSIGN;
	),
	TP_printk("%s", ETRACE_PRINT(CHDIR, ETRACE_VAL_MAY(CHDIR, fd),
		  ETRACE_STR(CHDIR, path), ETRACE_TAIL))
);

/* A process gets another root directory. path: as it was before. */
TRACE_EVENT(etrace_chroot,
	TP_PROTO(struct etrace_rec *r),
	TP_ARGS(r),
	TP_STRUCT__entry(
		ETRACE_HEAD_FIELDS
		ETRACE_STR_FIELDS(path, 0)
		ETRACE_TAIL_FIELDS
	),
	TP_fast_assign(
		ETRACE_HEAD_ASSIGN;
		ETRACE_STR_ASSIGN(path, 0);
		ETRACE_TAIL_ASSIGN;
	),
	TP_printk("%s", ETRACE_PRINT(CHROOT, ETRACE_STR(CHROOT, path),
		  ETRACE_TAIL))
);

/* pivot_root. new_root, put_old: as they were before. */
TRACE_EVENT(etrace_pivot,
	TP_PROTO(struct etrace_rec *r),
	TP_ARGS(r),
	TP_STRUCT__entry(
		ETRACE_HEAD_FIELDS
		ETRACE_STR_FIELDS(new_root, 0)
		ETRACE_STR_FIELDS(put_old, 1)
		ETRACE_TAIL_FIELDS
	),
	TP_fast_assign(
		ETRACE_HEAD_ASSIGN;
		ETRACE_STR_ASSIGN(new_root, 0);
		ETRACE_STR_ASSIGN(put_old, 1);
		ETRACE_TAIL_ASSIGN;
	),
	TP_printk("%s", ETRACE_PRINT(PIVOT, ETRACE_STR(PIVOT, new_root),
		  ETRACE_STR(PIVOT, put_old), ETRACE_TAIL))
);

/* A task gets namespaces, or what else it shared, of its own. */
TRACE_EVENT(etrace_unshare,
	TP_PROTO(struct etrace_rec *r),
	TP_ARGS(r),
	TP_STRUCT__entry(
		ETRACE_HEAD_FIELDS
		__field(u64, flags)
		ETRACE_TAIL_FIELDS
	),
	TP_fast_assign(
		ETRACE_HEAD_ASSIGN;
		__entry->flags = r->unshare.flags;
		ETRACE_TAIL_ASSIGN;
	),
	TP_printk("%s", ETRACE_PRINT(UNSHARE, ETRACE_VAL(UNSHARE, flags),
		  ETRACE_TAIL))
);

/* A task goes to another namespace. path: of the descriptor. */
TRACE_EVENT(etrace_setns,
	TP_PROTO(struct etrace_rec *r),
	TP_ARGS(r),
	TP_STRUCT__entry(
		ETRACE_HEAD_FIELDS
		__field(s32, fd)
		__field(u32, flags)
		ETRACE_STR_FIELDS(path, 0)
		ETRACE_TAIL_FIELDS
	),
	TP_fast_assign(
		ETRACE_HEAD_ASSIGN;
		__entry->fd = r->setns.fd;
		__entry->flags = r->setns.flags;
		ETRACE_STR_ASSIGN(path, 0);
		ETRACE_TAIL_ASSIGN;
	),
	TP_printk("%s", ETRACE_PRINT(SETNS, ETRACE_VAL(SETNS, fd),
		  ETRACE_VAL(SETNS, flags), ETRACE_STR(SETNS, path),
		  ETRACE_TAIL))
);

/* A file is not opened. path: as the caller meant it. */
TRACE_EVENT(etrace_open_failed,
	TP_PROTO(struct etrace_rec *r),
	TP_ARGS(r),
	TP_STRUCT__entry(
		ETRACE_HEAD_FIELDS
		__field(u32, flags)
		ETRACE_STR_FIELDS(path, 0)
		ETRACE_TAIL_FIELDS
	),
	TP_fast_assign(
		ETRACE_HEAD_ASSIGN;
		__entry->flags = r->open_failed.flags;
		ETRACE_STR_ASSIGN(path, 0);
		ETRACE_TAIL_ASSIGN;
	),
	TP_printk("%s", ETRACE_PRINT(OPEN_FAILED, ETRACE_VAL(OPEN_FAILED, flags),
		  ETRACE_STR(OPEN_FAILED, path), ETRACE_TAIL))
);

/* A program is not run. path: the same. */
TRACE_EVENT(etrace_exec_failed,
	TP_PROTO(struct etrace_rec *r),
	TP_ARGS(r),
	TP_STRUCT__entry(
		ETRACE_HEAD_FIELDS
		ETRACE_STR_FIELDS(path, 0)
		ETRACE_TAIL_FIELDS
	),
	TP_fast_assign(
		ETRACE_HEAD_ASSIGN;
		ETRACE_STR_ASSIGN(path, 0);
		ETRACE_TAIL_ASSIGN;
	),
	TP_printk("%s", ETRACE_PRINT(EXEC_FAILED, ETRACE_STR(EXEC_FAILED, path),
		  ETRACE_TAIL))
);

/* Somebody asks what a file is. path: the same. */
TRACE_EVENT(etrace_stat,
	TP_PROTO(struct etrace_rec *r),
	TP_ARGS(r),
	TP_STRUCT__entry(
		ETRACE_HEAD_FIELDS
		__field(u32, flags)
		ETRACE_STR_FIELDS(path, 0)
		ETRACE_TAIL_FIELDS
	),
	TP_fast_assign(
		ETRACE_HEAD_ASSIGN;
		__entry->flags = r->stat.flags;
		ETRACE_STR_ASSIGN(path, 0);
		ETRACE_TAIL_ASSIGN;
	),
	TP_printk("%s", ETRACE_PRINT(STAT, ETRACE_VAL(STAT, flags),
		  ETRACE_STR(STAT, path), ETRACE_TAIL))
);

/* Somebody asks what may be done with a file. path: the same. */
TRACE_EVENT(etrace_access,
	TP_PROTO(struct etrace_rec *r),
	TP_ARGS(r),
	TP_STRUCT__entry(
		ETRACE_HEAD_FIELDS
		__field(u32, mode)
		__field(u32, flags)
		ETRACE_STR_FIELDS(path, 0)
		ETRACE_TAIL_FIELDS
	),
	TP_fast_assign(
		ETRACE_HEAD_ASSIGN;
		__entry->mode = r->access.mode;
		__entry->flags = r->access.flags;
		ETRACE_STR_ASSIGN(path, 0);
		ETRACE_TAIL_ASSIGN;
	),
	TP_printk("%s", ETRACE_PRINT(ACCESS, ETRACE_VAL(ACCESS, mode),
		  ETRACE_VAL(ACCESS, flags), ETRACE_STR(ACCESS, path), ETRACE_TAIL))
);

/* A symbolic link is read. path: the same; target: its text, as the caller got it. */
TRACE_EVENT(etrace_readlink,
	TP_PROTO(struct etrace_rec *r),
	TP_ARGS(r),
	TP_STRUCT__entry(
		ETRACE_HEAD_FIELDS
		ETRACE_STR_FIELDS(path, 0)
		ETRACE_STR_FIELDS(target, 1)
		ETRACE_TAIL_FIELDS
	),
	TP_fast_assign(
		ETRACE_HEAD_ASSIGN;
		ETRACE_STR_ASSIGN(path, 0);
		ETRACE_STR_ASSIGN(target, 1);
		ETRACE_TAIL_ASSIGN;
	),
	TP_printk("%s", ETRACE_PRINT(READLINK, ETRACE_STR(READLINK, path),
		  ETRACE_STR(READLINK, target), ETRACE_TAIL))
);

/* A directory is listed. bytes: how many the caller got; 0: it knows all. */
TRACE_EVENT(etrace_getdents,
	TP_PROTO(struct etrace_rec *r),
	TP_ARGS(r),
	TP_STRUCT__entry(
		ETRACE_HEAD_FIELDS
		__field(s32, fd)
		__field(u32, bytes)
		ETRACE_STR_FIELDS(path, 0)
		ETRACE_TAIL_FIELDS
	),
	TP_fast_assign(
		ETRACE_HEAD_ASSIGN;
		__entry->fd = r->getdents.fd;
		__entry->bytes = r->getdents.bytes;
		ETRACE_STR_ASSIGN(path, 0);
		ETRACE_TAIL_ASSIGN;
	),
	TP_printk("%s", ETRACE_PRINT(GETDENTS, ETRACE_VAL(GETDENTS, fd),
		  ETRACE_VAL(GETDENTS, bytes), ETRACE_STR(GETDENTS, path),
		  ETRACE_TAIL))
);

/* An execve is to close the descriptors from first to last (on), or not to. */
TRACE_EVENT(etrace_cloexec,
	TP_PROTO(struct etrace_rec *r),
	TP_ARGS(r),
	TP_STRUCT__entry(
		ETRACE_HEAD_FIELDS
		__field(u32, first)
		__field(u32, last)
		__field(u8, on)
	),
	TP_fast_assign(
		ETRACE_HEAD_ASSIGN;
		__entry->first = r->cloexec.first;
		__entry->last = r->cloexec.last;
		__entry->on = r->cloexec.on;
	),
	TP_printk("%s", ETRACE_PRINT(CLOEXEC, ETRACE_VAL(CLOEXEC, first),
		  ETRACE_VAL(CLOEXEC, last), ETRACE_VAL(CLOEXEC, on)))
);

/* A file in memory is made. name: as the program calls it. */
TRACE_EVENT(etrace_memfd,
	TP_PROTO(struct etrace_rec *r),
	TP_ARGS(r),
	TP_STRUCT__entry(
		ETRACE_HEAD_FIELDS
		__field(u32, flags)
		__field(s32, fd)
		ETRACE_STR_FIELDS(name, 0)
		ETRACE_TAIL_FIELDS
	),
	TP_fast_assign(
		ETRACE_HEAD_ASSIGN;
		__entry->flags = r->memfd.flags;
		__entry->fd = r->memfd.fd;
		ETRACE_STR_ASSIGN(name, 0);
		ETRACE_TAIL_ASSIGN;
	),
	TP_printk("%s", ETRACE_PRINT(MEMFD, ETRACE_VAL(MEMFD, flags),
		  ETRACE_VAL(MEMFD, fd), ETRACE_STR(MEMFD, name), ETRACE_TAIL))
);

/* A descriptor comes from another process. path: of its file. */
TRACE_EVENT(etrace_received,
	TP_PROTO(struct etrace_rec *r),
	TP_ARGS(r),
	TP_STRUCT__entry(
		ETRACE_HEAD_FIELDS
		__field(s32, fd)
		__field(u8, cloexec)
		ETRACE_STR_FIELDS(path, 0)
		ETRACE_TAIL_FIELDS
	),
	TP_fast_assign(
		ETRACE_HEAD_ASSIGN;
		__entry->fd = r->received.fd;
		__entry->cloexec = r->received.cloexec;
		ETRACE_STR_ASSIGN(path, 0);
		ETRACE_TAIL_ASSIGN;
	),
	TP_printk("%s", ETRACE_PRINT(RECEIVED, ETRACE_VAL(RECEIVED, fd),
		  ETRACE_VAL(RECEIVED, cloexec), ETRACE_STR(RECEIVED, path), ETRACE_TAIL))
);

/*
 * A socket is connected, or is not. address: the program's, as text; ino: inode number
 * of the socket itself, if it is a unix one.
 */
TRACE_EVENT(etrace_connect,
	TP_PROTO(struct etrace_rec *r),
	TP_ARGS(r),
	TP_STRUCT__entry(
		ETRACE_HEAD_FIELDS
		__field(u64, ino)
		__field(s32, fd)
		__field(u16, family)
		__field(u16, have)
		ETRACE_STR_FIELDS(address, 0)
		ETRACE_TAIL_FIELDS
	),
	TP_fast_assign(
		ETRACE_HEAD_ASSIGN;
		__entry->ino = r->connect.ino;
		__entry->fd = r->connect.fd;
		__entry->family = r->connect.family;
		__entry->have = r->have;
		ETRACE_STR_ASSIGN(address, 0);
		ETRACE_TAIL_ASSIGN;
	),
	TP_printk("%s", ETRACE_PRINT(CONNECT, ETRACE_VAL(CONNECT, fd),
		  ETRACE_VAL(CONNECT, family), ETRACE_VAL_MAY(CONNECT, ino),
		  ETRACE_STR(CONNECT, address), ETRACE_TAIL))
);

/* A socket gets an address, or does not. address: the program's, as text. */
TRACE_EVENT(etrace_bind,
	TP_PROTO(struct etrace_rec *r),
	TP_ARGS(r),
	TP_STRUCT__entry(
		ETRACE_HEAD_FIELDS
		__field(s32, fd)
		__field(u16, family)
		ETRACE_STR_FIELDS(address, 0)
		ETRACE_TAIL_FIELDS
	),
	TP_fast_assign(
		ETRACE_HEAD_ASSIGN;
		__entry->fd = r->bind.fd;
		__entry->family = r->bind.family;
		ETRACE_STR_ASSIGN(address, 0);
		ETRACE_TAIL_ASSIGN;
	),
	TP_printk("%s", ETRACE_PRINT(BIND, ETRACE_VAL(BIND, fd),
		  ETRACE_VAL(BIND, family), ETRACE_STR(BIND, address), ETRACE_TAIL))
);

/*
 * A connection is accepted. fd: the new descriptor; address: the peer's; peer_ino:
 * inode number of its socket, if that is a unix one and still there.
 */
TRACE_EVENT(etrace_accept,
	TP_PROTO(struct etrace_rec *r),
	TP_ARGS(r),
	TP_STRUCT__entry(
		ETRACE_HEAD_FIELDS
		__field(u64, peer_ino)
		__field(s32, fd)
		__field(s32, socket)
		__field(u16, family)
		__field(u16, have)
		ETRACE_STR_FIELDS(address, 0)
		ETRACE_TAIL_FIELDS
	),
	TP_fast_assign(
		ETRACE_HEAD_ASSIGN;
		__entry->peer_ino = r->accept.peer_ino;
		__entry->fd = r->accept.fd;
		__entry->socket = r->accept.socket;
		__entry->family = r->accept.family;
		__entry->have = r->have;
		ETRACE_STR_ASSIGN(address, 0);
		ETRACE_TAIL_ASSIGN;
	),
	TP_printk("%s", ETRACE_PRINT(ACCEPT, ETRACE_VAL(ACCEPT, fd),
		  ETRACE_VAL(ACCEPT, socket), ETRACE_VAL(ACCEPT, family),
		  ETRACE_VAL_MAY(ACCEPT, peer_ino),
		  ETRACE_STR(ACCEPT, address), ETRACE_TAIL))
);

/* Two sockets are made that are connected to each other. type: with its flags. */
TRACE_EVENT(etrace_socketpair,
	TP_PROTO(struct etrace_rec *r),
	TP_ARGS(r),
	TP_STRUCT__entry(
		ETRACE_HEAD_FIELDS
		__field(s32, fd1)
		__field(s32, fd2)
		__field(u32, type)
		__field(u16, family)
	),
	TP_fast_assign(
		ETRACE_HEAD_ASSIGN;
		__entry->fd1 = r->socketpair.fd1;
		__entry->fd2 = r->socketpair.fd2;
		__entry->type = r->socketpair.type;
		__entry->family = r->socketpair.family;
	),
	TP_printk("%s", ETRACE_PRINT(SOCKETPAIR, ETRACE_VAL(SOCKETPAIR, fd1),
		  ETRACE_VAL(SOCKETPAIR, fd2), ETRACE_VAL(SOCKETPAIR, family),
		  ETRACE_VAL(SOCKETPAIR, type)))
);

/* Data goes from one descriptor straight to another. */
TRACE_EVENT(etrace_copy,
	TP_PROTO(struct etrace_rec *r),
	TP_ARGS(r),
	TP_STRUCT__entry(
		ETRACE_HEAD_FIELDS
		__field(s32, in)
		__field(s32, out)
	),
	TP_fast_assign(
		ETRACE_HEAD_ASSIGN;
		__entry->in = r->copy.in;
		__entry->out = r->copy.out;
	),
	TP_printk("%s", ETRACE_PRINT(COPY, ETRACE_VAL(COPY, in), ETRACE_VAL(COPY, out)))
);

/*
 * A variable in the environment of a program that is run. value: absent without a
 * '='. hidden: of the value there is not all to see, it looks secret.
 */
TRACE_EVENT(etrace_env,
	TP_PROTO(struct etrace_rec *r),
	TP_ARGS(r),
	TP_STRUCT__entry(
		ETRACE_HEAD_FIELDS
		__field(u8, hidden)
		__field(u16, have)
		ETRACE_STR_FIELDS(name, 0)
		ETRACE_STR_FIELDS(value, 1)
		ETRACE_TAIL_FIELDS
	),
	TP_fast_assign(
		ETRACE_HEAD_ASSIGN;
		__entry->hidden = r->env.hidden;
		__entry->have = r->have;
		ETRACE_STR_ASSIGN(name, 0);
		ETRACE_STR_ASSIGN(value, 1);
		ETRACE_TAIL_ASSIGN;
	),
	TP_printk("%s", ETRACE_PRINT(ENV, ETRACE_VAL_MAY(ENV, hidden),
		  ETRACE_STR(ENV, name), ETRACE_STR(ENV, value), ETRACE_TAIL))
);

/*
 * What a process wrote to a descriptor, 1 or 2, before it ended. bytes: all of that;
 * text: the last of it, up to 4 KiB.
 */
TRACE_EVENT(etrace_output,
	TP_PROTO(struct etrace_rec *r),
	TP_ARGS(r),
	TP_STRUCT__entry(
		ETRACE_HEAD_FIELDS
		__field(u64, bytes)
		__field(s32, fd)
		ETRACE_STR_FIELDS(text, 0)
		ETRACE_TAIL_FIELDS
	),
	TP_fast_assign(
		ETRACE_HEAD_ASSIGN;
		__entry->bytes = r->output.bytes;
		__entry->fd = r->output.fd;
		ETRACE_STR_ASSIGN(text, 0);
		ETRACE_TAIL_ASSIGN;
	),
	TP_printk("%s", ETRACE_PRINT(OUTPUT, ETRACE_VAL(OUTPUT, fd), ETRACE_VAL(OUTPUT, bytes),
		  ETRACE_STR(OUTPUT, text), ETRACE_TAIL))
);

/*
 * A task that runs comes to be traced. process: upid of the first thread of its
 * process; parent: of who made that, 0: not traced.
 */
TRACE_EVENT(etrace_join,
	TP_PROTO(struct etrace_rec *r),
	TP_ARGS(r),
	TP_STRUCT__entry(
		ETRACE_HEAD_FIELDS
		ETRACE_STR_FIELDS(path, 0)
		ETRACE_STR_FIELDS(cwd, 1)
		__field(u32, args_len)
		__dynamic_array(char, args, r->join.args.len)
		__field(u64, process)
		__field(u64, parent)
		ETRACE_TAIL_FIELDS
	),
	TP_fast_assign(
		ETRACE_HEAD_ASSIGN;
		ETRACE_STR_ASSIGN(path, 0);
		ETRACE_STR_ASSIGN(cwd, 1);
		__entry->args_len = r->join.args_len;
		memcpy(__get_dynamic_array(args), r->join.args.s, r->join.args.len);
		__entry->process = r->join.process;
		__entry->parent = r->join.parent;
		ETRACE_TAIL_ASSIGN;
	),
	TP_printk("%s", ETRACE_PRINT(JOIN, ETRACE_STR(JOIN, path),
		  ETRACE_STR(JOIN, cwd), ETRACE_ARGS(JOIN, args),
		  ETRACE_VAL(JOIN, process), ETRACE_VAL(JOIN, parent), ETRACE_TAIL))
);

/*
 * A piece of a string that its event's record had no room for. event: kind of
 * that record, ETRACE_EV_*; tag: which string, ETRACE_TAG_*; part: number of
 * the part, -1 if the string is shorter than 900 bytes; state:
 * ETRACE_PIECE_*; total: bytes of the whole string.
 */
TRACE_EVENT(etrace_string,
	TP_PROTO(struct etrace_rec *r),
	TP_ARGS(r),
	TP_STRUCT__entry(
		ETRACE_HEAD_FIELDS
		__field(u8, event)
		__field(u8, tag)
		__field(u8, state)
		__field(s32, part)
		__field(u32, total)
		__dynamic_array(char, piece, r->string.piece.len)
		ETRACE_TAIL_FIELDS
	),
	TP_fast_assign(
		ETRACE_HEAD_ASSIGN;
		__entry->event = r->string.ev;
		__entry->tag = r->string.tag;
		__entry->state = r->string.state;
		__entry->part = r->string.part;
		__entry->total = r->string.total;
		memcpy(__get_dynamic_array(piece), r->string.piece.s,
		       r->string.piece.len);
		ETRACE_TAIL_ASSIGN;
	),
	TP_printk("%s", etrace_print_string(ETRACE_HEAD,
		  &(struct etrace_told) { .ev = __entry->event, ETRACE_TAIL },
		  __entry->tag, __entry->state, __entry->part, __entry->total,
		  __get_dynamic_array(piece), __get_dynamic_array_len(piece)))
);

/*
 * A piece of an argument list that its event's record had no room for. event: kind
 * of that record, ETRACE_EV_*; first: number of the argument that it begins with or in.
 */
TRACE_EVENT(etrace_args,
	TP_PROTO(struct etrace_rec *r),
	TP_ARGS(r),
	TP_STRUCT__entry(
		ETRACE_HEAD_FIELDS
		__field(u32, first)
		__field(u8, event)
		__dynamic_array(char, piece, r->args.piece.len)
		ETRACE_TAIL_FIELDS
	),
	TP_fast_assign(
		ETRACE_HEAD_ASSIGN;
		__entry->first = r->args.first;
		__entry->event = r->args.ev;
		memcpy(__get_dynamic_array(piece), r->args.piece.s,
		       r->args.piece.len);
		ETRACE_TAIL_ASSIGN;
	),
	TP_printk("%s", etrace_print_args(ETRACE_HEAD,
		  (&(struct etrace_told) { .ev = __entry->event, ETRACE_TAIL }), __entry->first,
		  __get_dynamic_array(piece), __get_dynamic_array_len(piece)))
);

/*
 * Records of this task did not reach the ring buffer, in sessions only. count:
 * how many; since: time of the first of them.
 */
TRACE_EVENT(etrace_lost,
	TP_PROTO(struct etrace_rec *r),
	TP_ARGS(r),
	TP_STRUCT__entry(
		ETRACE_HEAD_FIELDS
		__field(u64, count)
		__field(u64, since)
	),
	TP_fast_assign(
		ETRACE_HEAD_ASSIGN;
		__entry->count = r->lost.count;
		__entry->since = r->lost.since;
	),
	TP_printk("%s", etrace_print_lost(ETRACE_HEAD, __entry->count,
		  __entry->since))
);

#endif /* ETRACE_EVENTS_H */

#undef TRACE_INCLUDE_PATH
#define TRACE_INCLUDE_PATH .
#undef TRACE_INCLUDE_FILE
#define TRACE_INCLUDE_FILE events
#include <trace/define_trace.h>
