/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Captures the strings of an event: turns each struct wanted into bytes in the scratch
 * buffer and a struct eb_str that describes them.  Nothing here sleeps or takes
 * a reference.  Any read may fail; then the string is marked as unread.
 */
#ifndef ETRACE_STRINGS_BPF_H
#define ETRACE_STRINGS_BPF_H

#include "record/bpf/common.bpf.h"

#include <linux/errno.h>
#include <linux/fcntl.h>
#include <linux/net.h>

#include "kernel/etrace_rules.h"

#define NSFS_MAGIC	0x6e736673

/* Maximum components of a path; the longest path of d_path(), "a/a/...", has this many. */
#define WALK_MAX	16384u
#define WALK_MAX_OLD	512u	/* older kernels: the verifier checks each step of a loop */

/*
 * Some fields of a dentry, read at once.  They have had this layout for a long time;
 * is_plain() says whether this kernel still has it.
 */
struct head {
	u64 pprev;
	u64 parent;
	u64 hash_len;
	u64 name;
};

static __always_inline bool is_plain(void)
{
	u32 at = bpf_core_field_offset(struct dentry, d_hash.pprev);

	return bpf_core_field_offset(struct dentry, d_parent) == at + 8 &&
	       bpf_core_field_offset(struct dentry, d_name) == at + 16 &&
	       bpf_core_field_offset(struct qstr, hash_len) == 0 &&
	       bpf_core_field_offset(struct qstr, name) == 8;
}

static __noinline int read_head(struct head *h, u64 dentry)
{
	struct dentry *d = (void *)dentry;

	if (is_plain())
		return bpf_probe_read_kernel(h, sizeof(*h), (void *)dentry +
				bpf_core_field_offset(struct dentry, d_hash.pprev));
	h->pprev = (u64)BPF_CORE_READ(d, d_hash.pprev);
	h->hash_len = BPF_CORE_READ(d, d_name.hash_len);
	h->name = (u64)BPF_CORE_READ(d, d_name.name);
	return bpf_core_read(&h->parent, sizeof(h->parent), &d->d_parent);
}

static __always_inline int put_name(struct scratch *s, u64 name, u32 len)
{
	u64 fill, n = below(EB_NAME_MAX + 1, len);

	if (s->fill > EB_FULL)
		flush_part(s);
	fill = below(EB_DATA, s->fill);
	if (bpf_probe_read_kernel(s->data + fill, n, (void *)name))
		return -1;
	s->data[fill + n] = '/';
	s->fill = fill + n + 1;
	return 0;
}

/* Goes one step towards the root, and appends the name. Returns 1 at the end. */
static __noinline long walk_step(struct scratch *s)
{
	struct walk *w = &s->walk;
	u64 dentry = w->dentry;
	struct head h;

	if (dentry == w->root_dentry && w->mnt == w->root_mnt)
		goto done;
	if (read_head(&h, dentry)) {
		w->mark |= EB_UNREAD;
		goto done;
	}
	if (dentry == w->mnt_root || dentry == h.parent) {
		struct mount *m = (void *)w->mnt - bpf_core_field_offset(struct mount, mnt);
		struct mount *up;

		if (dentry != w->mnt_root) {
			/* Not below its mount: a synthetic name, or unreachable. */
			if (w->steps)
				w->mark |= EB_CUT;
			else
				w->special = 1;
			goto done;
		}
		up = BPF_CORE_READ(m, mnt_parent);
		if (!up || up == m) {
			/* This is the top, and the task's root was not on the way. */
			w->mark |= EB_OUTSIDE;
			goto done;
		}
		w->dentry = (u64)BPF_CORE_READ(m, mnt_mountpoint);
		w->mnt = (u64)up + bpf_core_field_offset(struct mount, mnt);
		w->mnt_root = (u64)BPF_CORE_READ(up, mnt.mnt_root);
		return 0;
	}
	if (!w->steps && !h.pprev)
		w->mark |= EB_DELETED;
	if (put_name(s, h.name, h.hash_len >> 32)) {
		w->mark |= EB_UNREAD;
		goto done;
	}
	w->steps++;
	w->dentry = h.parent;
	return 0;
done:
	w->done = 1;
	return 1;
}

static long walk_step_cb(u32 i, struct scratch **s)
{
	return walk_step(*s);
}

/* Not static, so that the verifier checks it once, not for each step. */
__attribute__((noinline)) int walk_step_old(ROOM_REF room)
{
	struct scratch *s = room_at(room);

	return !s || walk_step(s);
}

/* Appends what the reader needs to make the synthetic name of a file. */
static __always_inline void put_special(struct scratch *s, struct dentry *d)
{
	struct eb_special sp = {
		.magic = BPF_CORE_READ(d, d_sb, s_magic),
		.ino = BPF_CORE_READ(d, d_inode, i_ino),
	};
	const struct proc_ns_operations *ops;
	struct ns_common *ns;
	u64 fill;

	if (sp.magic == NSFS_MAGIC) {
		if (bpf_core_type_exists(struct stashed_operations)) {
			ns = BPF_CORE_READ(d, d_inode, i_private);
			ops = BPF_CORE_READ(ns, ops);
		} else {
			ops = BPF_CORE_READ(d, d_fsdata);
		}
		bpf_probe_read_kernel_str(sp.ns, sizeof(sp.ns), BPF_CORE_READ(ops, name));
	}
	if (s->fill > EB_FULL)
		flush_part(s);
	fill = below(EB_DATA, s->fill);
	__builtin_memcpy(s->data + fill, &sp, sizeof(sp));
	s->fill = fill + sizeof(sp);
	if (put_name(s, (u64)BPF_CORE_READ(d, d_name.name),
		     BPF_CORE_READ(d, d_name.hash_len) >> 32))
		s->walk.mark |= EB_UNREAD;
}

/* Appends the path of s->walk.dentry on s->walk.mnt, last component first. */
static __always_inline void put_path(struct scratch *s, struct eb_str *str)
{
	struct walk *w = &s->walk;
	struct vfsmount *mnt = (void *)w->mnt;
	struct dentry *d = (void *)w->dentry;
	struct scratch *ctx = s;

	w->mnt_root = (u64)BPF_CORE_READ(mnt, mnt_root);
	w->steps = 0;
	w->mark = 0;
	w->special = 0;
	w->done = 0;
	REPEAT(WALK_MAX, WALK_MAX_OLD, walk_step, s, &ctx);
	if (!w->done)
		w->mark |= EB_CUT;
	if (unlikely(w->special) && str->form == EB_S_PATH) {
		str->form = EB_S_SPECIAL;
		put_special(s, d);
	}
	str->mark |= w->mark;
}

/* Appends a text from user or kernel memory. Returns its length, < 0 if unreadable. */
static __always_inline long put_text(struct scratch *s, u64 addr, bool user, u8 *first)
{
	u64 fill;
	long n;

	if (s->fill > EB_FULL)
		flush_part(s);
	fill = below(EB_DATA, s->fill);
	if (user)
		n = bpf_probe_read_user_str(s->data + fill, EB_PATH_MAX + 1, (void *)addr);
	else
		n = bpf_probe_read_kernel_str(s->data + fill, EB_PATH_MAX + 1, (void *)addr);
	if (n < 0)
		return -1;
	/* @n counts the NUL, except for an empty text in user memory, where it is 0. */
	if (!n) {
		*first = 0;
		return 0;
	}
	n--;
	*first = s->data[fill];
	s->fill = fill + n;
	return n;
}

/* Time of the last change of a file, in nanoseconds since 1970. */
static __noinline s64 inode_mtime(struct inode *inode)
{
	struct inode___6_11 *in_two = (void *)inode;
	struct inode___6_6 *hidden = (void *)inode;

	if (bpf_core_field_exists(in_two->i_mtime_sec))
		return BPF_CORE_READ(in_two, i_mtime_sec) * 1000000000ll +
		       BPF_CORE_READ(in_two, i_mtime_nsec);
	if (bpf_core_field_exists(hidden->__i_mtime))
		return BPF_CORE_READ(hidden, __i_mtime.tv_sec) * 1000000000ll +
		       BPF_CORE_READ(hidden, __i_mtime.tv_nsec);
	return BPF_CORE_READ(inode, i_mtime.tv_sec) * 1000000000ll +
	       BPF_CORE_READ(inode, i_mtime.tv_nsec);
}

/* Offset of the start and of the end of the modification time in an inode. */
static __always_inline u32 mtime_at(void)
{
	if (bpf_core_field_exists(struct inode___6_11, i_mtime_sec))
		return bpf_core_field_offset(struct inode___6_11, i_mtime_sec);
	if (bpf_core_field_exists(struct inode___6_6, __i_mtime))
		return bpf_core_field_offset(struct inode___6_6, __i_mtime);
	return bpf_core_field_offset(struct inode, i_mtime);
}

static __always_inline u32 mtime_end(void)
{
	if (bpf_core_field_exists(struct inode___6_11, i_mtime_nsec))
		return bpf_core_field_offset(struct inode___6_11, i_mtime_nsec) + 4;
	return mtime_at() + 16;
}

#define INODE_AT(field)	bpf_core_field_offset(struct inode, field)

/*
 * Reads an inode from offset @from, which is at or before i_size, up to and including its
 * modification time. It does so in one read, since each read costs as much as copying fifty
 * bytes. The verifier sees all offsets as constants. Returns false if this part of the inode
 * cannot be read, or does not fit into @room bytes on this kernel.
 */
static __always_inline bool read_inode(void *part, u32 room, u32 from, struct inode *inode)
{
	u32 size = mtime_end() - from;

	if (size > room || INODE_AT(i_size) + 8 > mtime_end())
		return false;
	return !bpf_probe_read_kernel(part, size, (void *)inode + from);
}

#define INODE_PART(part, from, at, type) (*(type *)((part) + ((at) - (from))))

/* As inode_mtime(), from a part read by read_inode(). */
static __always_inline s64 part_mtime(void *part, u32 from)
{
	s64 sec = INODE_PART(part, from, mtime_at(), s64);

	if (bpf_core_field_exists(struct inode___6_11, i_mtime_nsec))
		return sec * 1000000000ll + INODE_PART(part, from, mtime_end() - 4, u32);
	return sec * 1000000000ll + INODE_PART(part, from, mtime_end() - 8, s64);
}

/*
 * The file of a descriptor in a table, NULL if it is not open. A table has at least 64
 * entries.
 */
static __always_inline struct file *file_in(struct files_struct *files, u32 fd)
{
	struct fdtable *fdt = GET(files, fdt);
	struct file **fds, *file = NULL;

	if (fd >= 64 && fd >= GET(fdt, max_fds))
		return NULL;
	fds = GET(fdt, fd);
	if (bpf_probe_read_kernel(&file, sizeof(file), &fds[fd]))
		return NULL;
	return file;
}

/* The file of a descriptor of the current task, NULL if it is not open. */
static __always_inline struct file *fd_file(struct task_struct *task, u32 fd)
{
	return file_in(GET(task, files), fd);
}

/* A file's path and inode, in one read if they are close together. NULL if unreadable. */
static __always_inline struct inode *file_inode(struct file *file, struct path *path)
{
	u32 at_path = bpf_core_field_offset(struct file, f_path);
	u32 at_inode = bpf_core_field_offset(struct file, f_inode);
	u32 from = at_path < at_inode ? at_path : at_inode;
	u32 size = (at_path < at_inode ? at_inode + 8 : at_path + 16) - from;
	u64 part[8];

	if (size > sizeof(part))
		return bpf_core_read(path, sizeof(*path), &file->f_path) ? NULL :
		       BPF_CORE_READ(file, f_inode);
	if (bpf_probe_read_kernel(part, size, (void *)file + from))
		return NULL;
	*path = *(struct path *)((void *)part + (at_path - from));
	return *(struct inode **)((void *)part + (at_inode - from));
}

/* Makes a descriptor's file the start of the walk. Returns -1 if it is not open or unreadable. */
static __always_inline int fd_path(struct scratch *s, struct task_struct *task, u32 fd)
{
	struct file *file = fd_file(task, fd);
	struct path path;

	if (!file)
		return -1;
	if (bpf_probe_read_kernel(&path, sizeof(path), (void *)file +
				  bpf_core_field_offset(struct file, f_path)))
		return -1;
	s->walk.mnt = (u64)path.mnt;
	s->walk.dentry = (u64)path.dentry;
	return 0;
}

static __always_inline void cwd_path(struct scratch *s, struct task_struct *task)
{
	struct fs_struct *fs = GET(task, fs);

	s->walk.mnt = (u64)GET(fs, pwd.mnt);
	s->walk.dentry = (u64)GET(fs, pwd.dentry);
}

/* Appends bytes that the kernel has written to user memory. */
static __always_inline void put_bytes(struct scratch *s, struct eb_str *str,
				      const struct wanted *w)
{
	u64 fill, n = (u32)w->fd;

	str->form = EB_S_TEXT;
	if (n > EB_PATH_MAX) {
		n = EB_PATH_MAX;
		str->mark |= EB_CUT;
	}
	if (s->fill > EB_FULL)
		flush_part(s);
	fill = below(EB_DATA, s->fill);
	n = below(2 * EB_PATH_MAX, n);
	if (bpf_probe_read_user(s->data + fill, n, (void *)w->addr)) {
		str->mark |= EB_UNREAD;
		return;
	}
	str->text = n;
	s->fill = fill + n;
}

/* Appends a text as a string. Returns false if it cannot be read. */
static __always_inline bool put_text_string(struct scratch *s, struct eb_str *str, u64 addr,
					    bool user, u8 *first)
{
	long n = put_text(s, addr, user, first);

	str->form = EB_S_TEXT;
	if (n < 0) {
		str->mark |= EB_UNREAD;
		return false;
	}
	str->text = n;
	if (n == EB_PATH_MAX)
		str->mark |= EB_CUT;
	return true;
}

/* Appends a text; if it is a relative path, the walk starts at its directory. */
static __always_inline void put_user_path(struct scratch *s, struct eb_str *str,
					  struct wanted *w, struct task_struct *task)
{
	u32 how = w->how;
	u8 first = 0;

	if (!w->addr && (how == W_USER || how == W_KERNEL))
		return;
	if (!put_text_string(s, str, w->addr, how == W_USER || how == W_JOIN, &first))
		return;
	if (first == '/' || how == W_USER || how == W_KERNEL)
		return;
	str->form = EB_S_JOIN;
	if (w->fd == AT_FDCWD) {
		cwd_path(s, task);
	} else if (fd_path(s, task, w->fd)) {
		str->form = EB_S_TEXT;		/* keep at least the relative path */
		str->mark |= EB_UNREAD;
	}
}

/* An unreadable name is not a loss if the call failed because of it. */
static __always_inline void forgive_unread(struct scratch *s, struct eb_str *str)
{
	if (!etrace_failed_unread(-s->rec.error))
		return;
	str->mark &= ~EB_UNREAD;
	if (!str->text)
		str->form = EB_S_NONE;
}

/* Appends a socket's address, @size bytes of s->sockaddr. */
static __always_inline void put_address(struct scratch *s, struct eb_str *str, s32 size)
{
	u64 n = below(2 * EB_SOCKADDR_MAX, size), fill;

	str->form = EB_S_ADDRESS;
	if (size < 0) {
		str->mark |= EB_UNREAD;
		return;
	}
	if (s->fill > EB_FULL)
		flush_part(s);
	fill = below(EB_DATA, s->fill);
	bpf_probe_read_kernel(s->data + fill, n, s->sockaddr);
	str->text = n;
	s->fill = fill + n;
}

/* Starts the walk at a descriptor's file. */
static __always_inline void begin_fd(struct scratch *s, struct eb_str *str, u32 fd,
				     struct task_struct *task)
{
	str->form = EB_S_PATH;
	if (fd_path(s, task, fd))
		str->mark |= EB_UNREAD;
}

static __always_inline void begin_string(struct scratch *s, struct eb_str *str,
					 const struct wanted *w)
{
	str->mark = w->joined ? EB_JOINED : 0;
	str->arg = w->fd;
	str->text = 0;
	str->path = s->flushed + s->fill;
	s->walk.mnt = 0;
}

static __always_inline void end_string(struct scratch *s, struct eb_str *str, bool meant)
{
	if (s->walk.mnt)
		put_path(s, str);
	str->path = s->flushed + s->fill - str->path - str->text;
	if (unlikely(str->mark & EB_UNREAD) && meant)
		forgive_unread(s, str);
	if (unlikely(str->mark)) {
		s->counts.strings_joined += !!(str->mark & EB_JOINED);
		s->counts.strings_unread += !!(str->mark & EB_UNREAD);
		s->counts.strings_cut += !!(str->mark & EB_CUT);
	}
}

/* Captures string @i of the event, as described by s->want[i]. */
static __always_inline void put_string(struct scratch *s, u32 i, struct task_struct *task)
{
	struct wanted *w = &s->want[i & 3];
	struct eb_str *str = &s->rec.str[i > 2 ? 2 : i];
	u32 how = w->how;

	begin_string(s, str, w);
	switch (how) {
	case W_FD:
		begin_fd(s, str, w->fd, task);
		break;
	case W_PATH:
		str->form = EB_S_PATH;
		s->walk.mnt = w->mnt;
		s->walk.dentry = w->dentry;
		break;
	case W_CWD:
		str->form = EB_S_PATH;
		cwd_path(s, task);
		break;
	case W_BYTES:
		put_bytes(s, str, w);
		break;
	case W_HELD:
		str->form = EB_S_HELD;
		break;
	case W_SAME:
		str->form = EB_S_SAME;
		break;
	case W_EMPTY:
		str->form = EB_S_TEXT;
		break;
	case W_ADDRESS:
		put_address(s, str, w->fd);
		break;
	default:
		put_user_path(s, str, w, task);
	}
	end_string(s, str, w->meant);
}

static __always_inline void begin_strings(struct scratch *s, struct task_struct *task)
{
	struct fs_struct *fs = GET(task, fs);

	s->walk.root_mnt = (u64)GET(fs, root.mnt);
	s->walk.root_dentry = (u64)GET(fs, root.dentry);
}

/* For events whose only string is a W_FD: gives the verifier less to check than put_strings(). */
static __always_inline void put_fd_string(struct scratch *s, struct task_struct *task)
{
	begin_strings(s, task);
	begin_string(s, &s->rec.str[0], &s->want[0]);
	begin_fd(s, &s->rec.str[0], s->want[0].fd, task);
	end_string(s, &s->rec.str[0], false);
}

/* A separate function, so that the verifier checks it once, not for each string. */
__attribute__((noinline)) int put_one(ROOM_REF room, u32 i)
{
	struct scratch *s = room_at(room);

	if (s)
		put_string(s, i, current_task());
	return 0;
}

/* Captures all strings of the event. */
static __always_inline void put_strings(struct scratch *s, struct task_struct *task)
{
	u32 i;

	begin_strings(s, task);
#pragma clang loop unroll(disable)
	for (i = 0; i < EB_NR_STR; i++) {
		if (s->want[i].how != W_NONE)
			put_one(room_ref(s), i);
	}
}

/* ---- describing wanted strings ---- */

static __always_inline void want_string(struct scratch *s, u32 i, u32 how, s32 fd, u64 addr)
{
	s->want[i].how = how;
	s->want[i].joined = 0;
	s->want[i].meant = 0;
	s->want[i].fd = fd;
	s->want[i].addr = addr;
}

static __always_inline void want_path(struct scratch *s, u32 i, u64 mnt, u64 dentry)
{
	s->want[i].how = W_PATH;
	s->want[i].joined = 0;
	s->want[i].meant = 0;
	s->want[i].mnt = mnt;
	s->want[i].dentry = dentry;
}

#endif
