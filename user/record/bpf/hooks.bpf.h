/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Hooks: programs on kernel functions that show, during a call, which files the kernel has
 * resolved.  They send these names immediately (EB_HOLD); the record of the call refers to them.
 * A probe's arguments have no type for the verifier, so they are read as plain memory.
 */
#ifndef ETRACE_HOOKS_BPF_H
#define ETRACE_HOOKS_BPF_H

#include "record/bpf/maker.bpf.h"
#include "record/bpf/strings.bpf.h"

/*
 * Begins a hook's record. Returns its buffer, or NULL unless the current task is traced and
 * in a call that uses @hook: other calls reach the hooked functions, too.
 */
static __always_inline struct scratch *hook_begin(enum eb_hook hook, enum room which,
						  struct slot **t)
{
	struct task_struct *task = current_task();
	struct pt_regs *regs;
	struct scratch *s;
	u32 row;

	*t = slot_of(task);
	/* Hooks stay attached for a while after the tracepoints are detached. */
	if (!*t || !tracing)
		return NULL;
	row = (*t)->ring;
	if (!row) {
		regs = task_regs(task);
		row = row_of(task, call_nr(regs));
	}
	if (!row || rows[row & (EB_MAX_ROWS - 1)].hook != hook)
		return NULL;
	s = own_room(which);
	if (s) {
		rec_init(s, *t, EB_HOLD);
		s->rec.flags = EB_FIRST;
		s->rec.val[0] = hook;
	}
	return s;
}

/*
 * Begins string @i of a hook's record, to be filled in immediately: put_strings() cannot be
 * used, since with preemption disabled the verifier forbids calls to functions that it
 * checks separately, such as put_one().
 */
static __always_inline struct eb_str *hook_string(struct scratch *s, u32 i, u32 form)
{
	struct eb_str *str = &s->rec.str[i];

	str->form = form;
	str->mark = 0;
	str->arg = 0;
	str->text = 0;
	str->path = s->flushed + s->fill;
	s->walk.mnt = 0;
	return str;
}

/* Appends the name of a directory's entry. */
static __always_inline void put_child(struct scratch *s, struct eb_str *str, u64 child)
{
	struct head h;

	if (read_head(&h, child) || put_name(s, h.name, h.hash_len >> 32)) {
		str->mark |= EB_UNREAD;
		return;
	}
	str->text = h.hash_len >> 32;
	s->fill--;		/* no '/' after it */
}

static __always_inline void show_path(struct scratch *s, u32 i, struct vfsmount *mnt,
				      struct dentry *dentry)
{
	struct eb_str *str = hook_string(s, i, EB_S_PATH);

	s->walk.mnt = (u64)mnt;
	s->walk.dentry = (u64)dentry;
	end_string(s, str, false);
}

/* Adds string @i: the name of @child in the directory @dentry. */
static __always_inline void show_child(struct scratch *s, u32 i, struct vfsmount *mnt,
				       struct dentry *dentry, struct dentry *child)
{
	struct eb_str *str = hook_string(s, i, EB_S_CHILD);

	s->walk.mnt = (u64)mnt;
	s->walk.dentry = (u64)dentry;
	put_child(s, str, (u64)child);
	end_string(s, str, false);
}

/* Adds string @i: a text in kernel memory, NULL if none. */
static __always_inline void show_text(struct scratch *s, u32 i, const char *text)
{
	struct eb_str *str = hook_string(s, i, EB_S_NONE);
	u8 first;

	if (text)
		put_text_string(s, str, (u64)text, false, &first);
	end_string(s, str, false);
}

static __always_inline void hook_end(struct scratch *s, struct slot *t, enum eb_hook hook)
{
	/* If this record is lost, the call's record has the caller's own strings instead. */
	t->hold = send_rec(s) ? hook : EB_H_NONE;
}

#define HOOK(hook, which, ...)						\
	do {								\
		struct scratch *s;					\
		struct slot *t;						\
									\
		hold_cpu();						\
		s = hook_begin(hook, which, &t);			\
		if (s) {						\
			begin_strings(s, current_task());	\
			__VA_ARGS__;					\
			hook_end(s, t, hook);				\
		}							\
		free_cpu();						\
		return 0;						\
	} while (0)

#define CLOEXEC_WORDS	16u	/* 1024 descriptors */

/* Sends the bitmap of descriptors that execve will close if it succeeds. */
static __always_inline void hold_cloexec(struct scratch *s, struct slot *t,
					 struct task_struct *task)
{
	struct fdtable *fdt = BPF_CORE_READ(task, files, fdt);
	u64 *to = (u64 *)s->data, all = 0, word, open;
	u32 max = BPF_CORE_READ(fdt, max_fds), i;
	void *close = BPF_CORE_READ(fdt, close_on_exec), *opened = BPF_CORE_READ(fdt, open_fds);

	rec_init(s, t, EB_HOLD);
	s->rec.flags = EB_FIRST;
	s->rec.val[0] = EB_H_CLOSE_RANGE;
#pragma clang loop unroll(disable)
	for (i = 0; i < CLOEXEC_WORDS; i++) {
		word = 0;
		if (i * 64 < max && !bpf_probe_read_kernel(&word, 8, close + i * 8) &&
		    !bpf_probe_read_kernel(&open, 8, opened + i * 8))
			word &= open;
		to[i] = word;
		all |= word;
	}
	s->counts.lost_fds += max > CLOEXEC_WORDS * 64;
	t->cloexec = 0;
	if (!all)
		return;
	s->fill = CLOEXEC_WORDS * 8;
	t->cloexec = send_rec(s);
	s->counts.lost_fds += !t->cloexec;
}

static __always_inline int do_bprm_check(struct linux_binprm *bprm)
{
	struct file *file = BPF_CORE_READ(bprm, file);
	struct scratch *s;
	struct slot *t;

	/* Ignore later calls: they are for the interpreters of a script, one by one. */
	if (BPF_CORE_READ(bprm, interp) != BPF_CORE_READ(bprm, filename))
		return 0;
	hold_cpu();
	s = hook_begin(EB_H_BPRM_CHECK, ROOM_BPRM, &t);
	if (s) {
		begin_strings(s, current_task());
		show_path(s, 0, BPF_CORE_READ(file, f_path.mnt), BPF_CORE_READ(file, f_path.dentry));
		hook_end(s, t, EB_H_BPRM_CHECK);
		hold_cloexec(s, t, current_task());
	}
	free_cpu();
	return 0;
}

static __always_inline int do_path_rename(const struct path *old_dir, struct dentry *from,
					  const struct path *new_dir, struct dentry *to)
{
	HOOK(EB_H_PATH_RENAME, ROOM_RENAME,
	     show_child(s, 0, BPF_CORE_READ(old_dir, mnt), BPF_CORE_READ(old_dir, dentry), from),
	     show_child(s, 1, BPF_CORE_READ(new_dir, mnt), BPF_CORE_READ(new_dir, dentry), to));
}

/* For each function in the table with ETRACE_HOOK_CHILD(): it shows one name. */
static __always_inline int do_child(enum eb_hook hook, enum room which,
				    const struct path *dir, struct dentry *dentry)
{
	HOOK(hook, which,
	     show_child(s, 0, BPF_CORE_READ(dir, mnt), BPF_CORE_READ(dir, dentry), dentry));
}

/* For each function in the table with ETRACE_HOOK_PATH(): it shows a path. */
static __always_inline int do_path(enum eb_hook hook, enum room which,
				   const struct path *path)
{
	HOOK(hook, which,
	     show_path(s, 0, BPF_CORE_READ(path, mnt), BPF_CORE_READ(path, dentry)));
}

static __always_inline int do_path_link(struct dentry *from, const struct path *dir,
					struct dentry *to)
{
	/* A link does not cross mounts, so the old name is on the same one. */
	HOOK(EB_H_PATH_LINK, ROOM_LINK,
	     show_path(s, 0, BPF_CORE_READ(dir, mnt), from),
	     show_child(s, 1, BPF_CORE_READ(dir, mnt), BPF_CORE_READ(dir, dentry), to));
}

static __always_inline int do_path_symlink(const struct path *dir, struct dentry *dentry,
					   const char *target)
{
	HOOK(EB_H_PATH_SYMLINK, ROOM_SYMLINK,
	     hold_dir(t, (u64)BPF_CORE_READ(dir, mnt), BPF_CORE_READ(dir, dentry)),
	     show_text(s, 0, target),
	     show_child(s, 1, BPF_CORE_READ(dir, mnt), BPF_CORE_READ(dir, dentry), dentry));
}

static __always_inline int do_sb_mount(const char *dev, const struct path *path,
				       const char *type)
{
	HOOK(EB_H_SB_MOUNT, ROOM_MOUNT,
	     show_text(s, 0, dev),
	     show_path(s, 1, BPF_CORE_READ(path, mnt), BPF_CORE_READ(path, dentry)),
	     show_text(s, 2, type));
}

static __always_inline int do_sb_umount(struct vfsmount *mnt)
{
	HOOK(EB_H_SB_UMOUNT, ROOM_UMOUNT,
	     show_path(s, 0, mnt, BPF_CORE_READ(mnt, mnt_root)));
}

static __always_inline int do_sb_pivotroot(const struct path *put_old,
					   const struct path *new_root)
{
	HOOK(EB_H_SB_PIVOTROOT, ROOM_PIVOTROOT,
	     show_path(s, 0, BPF_CORE_READ(new_root, mnt), BPF_CORE_READ(new_root, dentry)),
	     show_path(s, 1, BPF_CORE_READ(put_old, mnt), BPF_CORE_READ(put_old, dentry)));
}

/**
 * struct fds - the bitmap of open descriptors that is being sent
 * @pos: the next descriptor to send, a multiple of 64
 */
struct fds {
	struct scratch *s;
	u64 bits;
	u32 pos, end;
	u32 failed;
};

#define FDS_STEP	2048u	/* bytes of the bitmap in a record */
#define FDS_MAX		(EB_FDS_MAX / 8 / FDS_STEP)
#define FDS_MAX_OLD	64u

static long fds_step(u32 i, struct fds *f)
{
	struct scratch *s = f->s;
	u64 n;

	if (f->pos > f->end)
		return 1;
	n = ((f->end - f->pos) / 64 + 1) * 8;
	if (n > FDS_STEP)
		n = FDS_STEP;
	n = below(2 * FDS_STEP, n);
	if (bpf_probe_read_kernel(s->data, n, (void *)f->bits + f->pos / 8)) {
		f->failed = 1;
		return 1;
	}
	s->fill = n;
	s->rec.val[1] = f->pos;
	if (!send_rec(s)) {
		f->failed = 1;
		return 1;
	}
	s->rec.flags = 0;
	f->pos += n * 8;
	return 0;
}

static long fds_step_cb(u32 i, void *f)
{
	return fds_step(i, f);
}

/* Sends which descriptors are open before close_range(): after the call this is unknown. */
static __always_inline int do_close_range(enum room which)
{
	struct task_struct *task = current_task();
	struct fdtable *fdt;
	struct scratch *s;
	struct slot *t;
	u32 first, last, max, i;

	hold_cpu();
	s = hook_begin(EB_H_CLOSE_RANGE, which, &t);
	if (s) {
		struct fds f = { .s = s };
		struct pt_regs *regs = task_regs(task);

		get_args(s, task, regs);
		first = s->arg[0];
		last = s->arg[1];
		fdt = OLD ? BPF_CORE_READ(task, files, fdt) : task->files->fdt;
		max = GET(fdt, max_fds);
		f.bits = (u64)GET(fdt, open_fds);
		if (last >= max)
			last = max - 1;
		f.pos = first & ~63u;
		f.end = last;
		t->nr_fds = first <= last ? last - first + 1 : 0;
		if (first > last) {
			f.failed = !send_rec(s);
		} else if (OLD) {
			for (i = 0; i < FDS_MAX_OLD; i++)
				if (fds_step(i, &f))
					break;
		} else {
			bpf_loop(FDS_MAX, fds_step_cb, &f, 0);
		}
		t->hold = f.failed || (first <= last && f.pos <= f.end) ?
			  EB_H_NONE : EB_H_CLOSE_RANGE;
	}
	free_cpu();
	return 0;
}

/*
 * Keeps the verdict of the seccomp filters on a call: if they have answered it, the kernel
 * does not run it.  Each call of the task gets here, so the next one resets @skipped.
 */
static __always_inline int do_seccomp(bool skipped)
{
	struct slot *t = slot_of(current_task());

	if (t)
		t->skipped = skipped;
	return 0;
}

#endif
