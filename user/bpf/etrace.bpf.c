// SPDX-License-Identifier: GPL-2.0
/*
 * The programs: tracepoints that say that something happened, hooks that show
 * the names as the kernel has resolved them, and the iterator that finds the
 * tasks that live already.  They record what the module's probes.c, syscalls.c
 * and hooks.c record; what is recorded is decided there and here, and nothing
 * that reads the records knows which of the two made them.
 *
 * Each program is a function with the constant @old and, at the end, three
 * programs made of it: see common.bpf.h.
 */
#include "bpf/common.bpf.h"
#include "bpf/strings.bpf.h"

#define O_CREAT		0100u
#define O_TRUNC		01000u
#define O_WRONLY	01u
#define O_CLOEXEC	02000000u
#define O_TMPFILE_BIT	020000000u
#define O_LARGEFILE	0100000u
/* O_ACCMODE, O_APPEND, O_DIRECTORY, O_NOFOLLOW, O_PATH: what no file changes. */
#define KEPT_FLAGS	(3u | 02000u | 0200000u | 0400000u | 010000000u | O_TMPFILE_BIT)
#define S_IFMT		0170000u
#define S_IFIFO		0010000u
#define F_DUPFD		0u
#define F_DUPFD_CLOEXEC	1030u
#define CLOSE_RANGE_CLOEXEC 4u
#define CLONE_VM	0x100u
#define CLONE_VFORK	0x4000u
#define SIGCHLD		17u
#define PF_EXITING	4u

#define EBADF		9

/* Of the first name of a call that failed: was looking it up what failed? */
static __always_inline bool failed_look_up(s64 ret)
{
	switch (-ret) {
	case 2:		/* ENOENT */
	case 9:		/* EBADF */
	case 13:	/* EACCES */
	case 14:	/* EFAULT */
	case 20:	/* ENOTDIR */
	case 36:	/* ENAMETOOLONG */
	case 40:	/* ELOOP */
	case 116:	/* ESTALE */
		return true;
	}
	return false;
}

static __always_inline void want(struct scratch *s, u32 i, u32 how, s32 fd, u64 addr)
{
	s->want[i].how = how;
	s->want[i].joined = 0;
	s->want[i].fd = fd;
	s->want[i].addr = addr;
}

static __always_inline void want_path(struct scratch *s, u32 i, u32 how, u64 mnt, u64 dentry,
				      u64 child)
{
	s->want[i].how = how;
	s->want[i].joined = 0;
	s->want[i].mnt = mnt;
	s->want[i].dentry = dentry;
	s->want[i].child = child;
}

/* The user's path, where the kernel showed no name. */
static __always_inline void want_join(struct scratch *s, u32 i, u32 row, enum eb_arg dirfd,
				      enum eb_arg path)
{
	want(s, i, W_JOIN, arg(s, row, dirfd, AT_FDCWD), arg(s, row, path, 0));
	s->want[i].joined = 1;
}

/* ---- who makes a link, and who reads ---- */

/* The process id that a task has for the reader; 0: none. */
static __always_inline s32 pid_of(struct task_struct *task, u64 *ns)
{
	struct pid *pid = BPF_CORE_READ(task, thread_pid);
	u32 level = reader.pid_level;
	struct upid *upid;
	s32 nr = 0;

	if (!pid || BPF_CORE_READ(pid, level) < level)
		return 0;
	upid = (void *)pid + bpf_core_field_offset(struct pid, numbers) +
	       level * bpf_core_type_size(struct upid);
	*ns = (u64)BPF_CORE_READ(upid, ns);
	bpf_core_read(&nr, sizeof(nr), &upid->nr);
	return *ns == reader.pid_ns ? nr : 0;
}

/* The task that reads the iterator is the one that will read the records. */
static __always_inline void find_reader(void)
{
	struct task_struct *task = (void *)bpf_get_current_task();
	struct pid *pid = BPF_CORE_READ(task, thread_pid);
	u32 level = BPF_CORE_READ(pid, level);
	struct upid *upid = (void *)pid + bpf_core_field_offset(struct pid, numbers) +
			    level * bpf_core_type_size(struct upid);

	reader.root_mnt = (u64)BPF_CORE_READ(task, fs, root.mnt);
	reader.root_dentry = (u64)BPF_CORE_READ(task, fs, root.dentry);
	reader.pid_level = level;
	reader.pid_ns = (u64)BPF_CORE_READ(upid, ns);
}

static __always_inline s32 mount_id(u64 mnt)
{
	struct mount *m = (void *)mnt - bpf_core_field_offset(struct mount, mnt);

	return BPF_CORE_READ(m, mnt_id);
}

/* So that who looks at the directory later sees that it is this one. */
static __always_inline void hold_dir(struct slot *t, u64 mnt, struct dentry *dir)
{
	t->dir_mount = mount_id(mnt);
	t->dir_ino = BPF_CORE_READ(dir, d_inode, i_ino);
}

/* Behind the strings of a symbolic link: whose it is, and where. */
static __always_inline void put_maker(struct scratch *s, struct slot *t, struct task_struct *task)
{
	const struct cred *cred = BPF_CORE_READ(task, cred);
	struct group_info *groups = BPF_CORE_READ(cred, group_info);
	struct pid *pid = BPF_CORE_READ(task, thread_pid);
	struct dentry *root = (void *)s->walk.root_dentry;
	u64 fill, n, ns = 0, parent_ns;
	struct eb_maker *m;

	if (s->fill > EB_FULL)
		flush(s);
	fill = below(EB_DATA, s->fill);
	m = (void *)(s->data + fill);
	m->caps = 0;
	if (!BPF_CORE_READ(cred, user_ns, level))
		bpf_probe_read_kernel(&m->caps, sizeof(m->caps), (void *)cred +
				      bpf_core_field_offset(struct cred, cap_effective));
	m->dir_ino = t->dir_ino;
	m->dir_mount = t->hold == EB_H_PATH_SYMLINK ? t->dir_mount : -1;
	m->root_ino = BPF_CORE_READ(root, d_inode, i_ino);
	m->root_mount = mount_id(s->walk.root_mnt);
	m->parent = pid_of((void *)BPF_CORE_READ(task, real_parent), &parent_ns);
	m->pad = 0;
	m->fsuid = BPF_CORE_READ(cred, fsuid.val);
	m->fsgid = BPF_CORE_READ(cred, fsgid.val);
	m->flags = 0;
	if (s->walk.root_mnt != reader.root_mnt || s->walk.root_dentry != reader.root_dentry)
		m->flags |= EB_OTHER_ROOT;
	m->pid = pid_of(task, &ns);
	m->tgid = pid_of((void *)BPF_CORE_READ(task, group_leader), &ns);
	if (BPF_CORE_READ(pid, level) != reader.pid_level || ns != reader.pid_ns)
		m->flags |= EB_OTHER_PIDS;
	fill += sizeof(*m);
	n = (u32)BPF_CORE_READ(groups, ngroups);
	m->ngroups = n;
	n *= sizeof(u32);
	if (n > EB_GROUPS_MAX * sizeof(u32) ||
	    bpf_probe_read_kernel(s->data + fill, below(2 * EB_GROUPS_MAX * sizeof(u32), n),
				  (void *)groups + bpf_core_field_offset(struct group_info, gid))) {
		m->ngroups = EB_GROUPS_UNREAD;
		n = 0;
	}
	s->fill = fill + n;
}

/* ---- system calls ---- */

/* The structure or the numbers that a call points to. */
static __always_inline void args_unread(struct scratch *s)
{
	s->rec.flags |= EB_ARGS_UNREAD;
	s->counts.strings_unread++;
}

/*
 * The struct of openat2() as it is after the call: another thread may have
 * written to it meanwhile, and then the file knows better.
 */
static __always_inline void check_how(struct scratch *s, struct task_struct *task, s32 fd,
				      const bool old)
{
	struct file *file = fd_file(task, fd, old);
	u32 flags = file ? BPF_CORE_READ(file, f_flags) : 0;

	if (!(s->rec.flags & EB_ARGS_UNREAD) &&
	    (!file || !((s->rec.val[EB_V_OPEN_flags] ^ flags) & KEPT_FLAGS)))
		return;
	if (!(s->rec.flags & EB_ARGS_UNREAD))
		args_unread(s);
	s->rec.val[EB_V_OPEN_flags] = flags & ~O_LARGEFILE;
	s->rec.val[EB_V_OPEN_mode] = 0;
}

/* Are these the two ends of one pipe? */
static __always_inline bool are_pipe(struct task_struct *task, const s32 *fd, const bool old)
{
	struct file *from = fd_file(task, fd[0], old), *to = fd_file(task, fd[1], old);
	struct inode *pipe;

	if (!from || !to || from == to)
		return false;
	pipe = BPF_CORE_READ(from, f_inode);
	return pipe == BPF_CORE_READ(to, f_inode) &&
	       (BPF_CORE_READ(pipe, i_mode) & S_IFMT) == S_IFIFO;
}

static __always_inline void clone_flags(struct scratch *s, u32 row)
{
	u64 flags = 0;

	if (!has_arg(row, EB_A_STRUCT))
		flags = arg(s, row, EB_A_FLAGS, 0);
	/* struct clone_args begins with the flags. */
	else if (bpf_probe_read_user(&flags, sizeof(flags), (void *)arg(s, row, EB_A_STRUCT, 0)))
		args_unread(s);
	put_val(s, EB_V_CLONE_flags, flags);
}

/* Fills in the record of a call. Returns false if there is none. */
static __always_inline bool fill_call(struct scratch *s, struct task_struct *task,
				      struct slot *t, u32 row, s64 ret, const bool old)
{
	u32 record = rows[row & (EB_MAX_ROWS - 1)].record;
	bool held = t->hold && t->hold == rows[row & (EB_MAX_ROWS - 1)].hook;
	struct eb_rec *r = &s->rec;

	switch (record) {
	case EB_R_FORK:
	case EB_R_VFORK:
		if (ret >= 0)
			return false;
		rec_init(s, t, EB_CLONE);
		put_val(s, EB_V_CLONE_flags,
			SIGCHLD | (record == EB_R_VFORK ? CLONE_VFORK | CLONE_VM : 0));
		break;
	case EB_R_CLONE:
		if (ret >= 0)
			return false;
		rec_init(s, t, EB_CLONE);
		clone_flags(s, row);
		break;
	case EB_R_OPEN: {
		struct {
			u64 flags, mode;
		} how = { 0 };

		if (ret < 0)
			return false;
		rec_init(s, t, EB_OPEN);
		if (has_arg(row, EB_A_STRUCT)) {
			if (bpf_probe_read_user(&how, sizeof(how),
						(void *)arg(s, row, EB_A_STRUCT, 0)))
				args_unread(s);
		} else {
			/* What creat() is short for. */
			how.flags = arg(s, row, EB_A_FLAGS, O_CREAT | O_WRONLY | O_TRUNC);
			how.mode = arg(s, row, EB_A_MODE, 0);
		}
		r->val[EB_V_OPEN_fd] = (s32)ret;
		r->val[EB_V_OPEN_flags] = (u32)how.flags;
		/* Without these it need not have been passed at all. */
		r->val[EB_V_OPEN_mode] = how.flags & (O_CREAT | O_TMPFILE_BIT) ?
					 (u16)how.mode : 0;
		if (has_arg(row, EB_A_STRUCT))
			check_how(s, task, ret, old);
		want(s, 0, W_FD, ret, 0);
		want(s, 1, W_JOIN, arg(s, row, EB_A_DIRFD, AT_FDCWD),
		     arg(s, row, EB_A_PATH, 0));
		break;
	}
	case EB_R_CLOSE:
		/* Whatever else it returns, the descriptor is closed. */
		if (ret == -EBADF)
			return false;
		rec_init(s, t, EB_CLOSE);
		r->val[EB_V_CLOSE_fd] = (s32)arg(s, row, EB_A_FD, 0);
		break;
	case EB_R_CLOSE_RANGE:
		if (ret < 0 || arg(s, row, EB_A_FLAGS, 0) & CLOSE_RANGE_CLOEXEC)
			return false;
		if (!held) {
			s->counts.lost_fds++;
			return false;
		}
		rec_init(s, t, EB_CLOSE_RANGE);
		r->val[0] = (u32)arg(s, row, EB_A_FD, 0);
		r->val[1] = (u32)arg(s, row, EB_A_FD2, 0);
		t->last += t->nr_fds;	/* each close gets a time of its own */
		break;
	case EB_R_FCNTL:
	case EB_R_DUP: {
		u32 flags = arg(s, row, EB_A_FLAGS, 0);

		if (ret < 0)
			return false;
		if (record == EB_R_FCNTL) {
			if (flags != F_DUPFD && flags != F_DUPFD_CLOEXEC)
				return false;
			flags = flags == F_DUPFD ? 0 : O_CLOEXEC;
		}
		rec_init(s, t, EB_DUP);
		r->val[EB_V_DUP_oldfd] = (s32)arg(s, row, EB_A_FD, 0);
		r->val[EB_V_DUP_newfd] = (s32)ret;
		r->val[EB_V_DUP_flags] = flags;
		break;
	}
	case EB_R_PIPE: {
		s32 fd[2] = { -1, -1 };

		if (ret < 0)
			return false;
		rec_init(s, t, EB_PIPE);
		if (bpf_probe_read_user(fd, sizeof(fd), (void *)arg(s, row, EB_A_STRUCT, 0)) ||
		    !are_pipe(task, fd, old)) {
			args_unread(s);
			fd[0] = fd[1] = -1;
		}
		r->val[EB_V_PIPE_fd1] = fd[0];
		r->val[EB_V_PIPE_fd2] = fd[1];
		r->val[EB_V_PIPE_flags] = (u32)arg(s, row, EB_A_FLAGS, 0);
		break;
	}
	case EB_R_URING:
		if (ret < 0)
			return false;
		rec_init(s, t, EB_URING);
		r->val[EB_V_URING_fd] = (s32)ret;
		break;
	case EB_R_RENAME:
	case EB_R_LINK:
		rec_init(s, t, record == EB_R_RENAME ? EB_RENAME : EB_LINK);
		if (has_arg(row, EB_A_FLAGS))
			put_val(s, EB_V_RENAME_flags, (u32)arg(s, row, EB_A_FLAGS, 0));
		/* A call that failed has a source at the most. */
		if (held) {
			want(s, 0, W_HELD, 0, 0);
			if (ret >= 0)
				want(s, 1, W_HELD, 1, 0);
		} else if (ret >= 0) {
			want_join(s, 0, row, EB_A_DIRFD, EB_A_PATH);
			want_join(s, 1, row, EB_A_DIRFD2, EB_A_PATH2);
		} else if (!failed_look_up(ret)) {
			want_join(s, 0, row, EB_A_DIRFD, EB_A_PATH);
		}
		break;
	case EB_R_SYMLINK:
		if (ret < 0)
			return false;
		rec_init(s, t, EB_SYMLINK);
		if (held) {
			want(s, 0, W_HELD, 0, 0);
			want(s, 2, W_HELD, 1, 0);
		} else {
			want(s, 0, W_USER, 0, arg(s, row, EB_A_TARGET, 0));
			want_join(s, 2, row, EB_A_DIRFD, EB_A_PATH);
		}
		break;
	case EB_R_MOUNT:
		rec_init(s, t, EB_MOUNT);
		r->val[EB_V_MOUNT_flags] = arg(s, row, EB_A_FLAGS, 0);
		if (held) {
			want(s, 0, W_HELD, 0, 0);
			want(s, 1, W_HELD, 1, 0);
			want(s, 2, W_HELD, 2, 0);
		} else {
			want(s, 0, W_USER, 0, arg(s, row, EB_A_SOURCE, 0));
			want_join(s, 1, row, EB_A_DIRFD, EB_A_PATH);
			want(s, 2, W_USER, 0, arg(s, row, EB_A_TYPE, 0));
		}
		break;
	case EB_R_UMOUNT:
		rec_init(s, t, EB_UMOUNT);
		r->val[EB_V_UMOUNT_flags] = arg(s, row, EB_A_FLAGS, 0);
		if (held)
			want(s, 0, W_HELD, 0, 0);
		else if (ret >= 0 || !failed_look_up(ret))
			want_join(s, 0, row, EB_A_DIRFD, EB_A_PATH);
		break;
	default:
		return false;
	}
	r->error = ret < 0 ? -ret : 0;
	return true;
}

static __always_inline bool has_strings(u32 kind)
{
	return kind == EB_OPEN || kind == EB_RENAME || kind == EB_LINK ||
	       kind == EB_SYMLINK || kind == EB_MOUNT || kind == EB_UMOUNT;
}

/* @regs: NULL: they are to be looked for */
static __always_inline int do_sys_exit(u64 nr, struct pt_regs *regs, s64 ret, const bool old)
{
	struct task_struct *task;
	struct scratch *s;
	struct slot *t;
	u32 row;

	/* Most calls end here. */
	if (likely((u32)nr < EB_MAX_NR && !row_any[(u32)nr & (EB_MAX_NR - 1)]))
		return 0;
	task = current_task(old);
	t = slot_of(task, old);
	/* Who answered in the kernel's place may have answered anything. */
	if (!t || t->skipped)
		return 0;
	row = row_of(task, nr, old);
	if (!row)
		return 0;
	if (!regs)
		regs = task_regs(task, old);
	hold_cpu(old);
	/* -512..-516: the kernel will restart the call, or say EINTR. */
	if (ret > -512 || ret < -516) {
		s = room(ROOM_SYS_EXIT);
		if (s) {
			get_args(s, task, regs, old);
			if (fill_call(s, task, t, row, ret, old)) {
				if (has_strings(s->rec.kind))
					put_strings(s, task, old);
				if (s->rec.kind == EB_SYMLINK)
					put_maker(s, t, task);
				send(s, t);
			}
		}
	}
	t->hold = EB_H_NONE;
	free_cpu(old);
	return 0;
}

/* ---- birth, program, end ---- */

static __always_inline int do_fork(struct task_struct *parent, struct task_struct *child,
				   const bool old)
{
	struct slot *t = slot_of(parent, old), *c = NULL;
	struct pt_regs *regs;
	struct scratch *s;
	u32 row;

	if (!t)
		return 0;
	hold_cpu(old);
	s = room(ROOM_FORK);
	if (s) {
		rec_init(s, t, EB_CLONE);
		regs = task_regs(parent, old);
		row = row_of(parent, GET(old, regs, orig_ax), old);
		if (row && rows[row & (EB_MAX_ROWS - 1)].record == EB_R_CLONE) {
			get_args(s, parent, regs, old);
			clone_flags(s, row);
		}
		if (tracing)
			c = slot_add(child, GET(old, child, pid), 0, old);
		if (c) {
			put_val(s, EB_V_CLONE_child, c->upid);
		} else {
			/* A child that cannot be traced is born all the same. */
			s->counts.lost_tasks += tracing;
			put_val(s, EB_V_CLONE_child, new_upid(GET(old, child, pid), 0));
		}
		send(s, t);
	}
	free_cpu(old);
	return 0;
}

#define ARGS_STEP	4096u	/* a page: what one read can fail for */
#define ARGS_MAX	2048u	/* pages: the kernel allows 6 MiB */
#define ARGS_MAX_OLD	1536u	/* the verifier goes through each of them */

/* A piece of the argument list. Returns 1 at the end. */
static __noinline long args_step(struct scratch *s)
{
	u64 pos = s->args_pos, left = s->args_end - pos;
	u64 n = ARGS_STEP - (pos & (ARGS_STEP - 1));
	u64 fill;

	if (pos >= s->args_end)
		return 1;
	if (n > left)
		n = left;
	n = below(2 * ARGS_STEP, n);
	if (s->fill > EB_FULL)
		flush(s);
	fill = below(EB_DATA, s->fill);
	if (bpf_probe_read_user(s->data + fill, n, (void *)pos)) {
		s->args_failed = 1;
		return 1;
	}
	s->fill = fill + n;
	s->args_pos = pos + n;
	return 0;
}

static long args_step_cb(u32 i, struct scratch **s)
{
	return args_step(*s);
}

/* As walk_old(). */
__attribute__((noinline)) int args_old(u32 which)
{
	struct scratch *s = room_again(which);
	u32 i;

	if (!s)
		return 0;
#pragma clang loop unroll(disable)
	for (i = 0; i < ARGS_MAX_OLD; i++)
		if (args_step(s))
			break;
	return 0;
}

/* @name: as the caller gave it; @same: it is the program's, not a script's */
static __always_inline int do_exec(struct task_struct *p, struct file *file, u64 name, bool same,
				   const bool old)
{
	struct slot *t = slot_of(p, old);
	struct mm_struct *mm;
	struct scratch *s;

	if (!t)
		return 0;
	hold_cpu(old);
	s = room(ROOM_EXEC);
	if (s) {
		struct scratch *ctx = s;

		rec_init(s, t, EB_EXEC);
		want_path(s, 0, W_PATH, (u64)GET(old, file, f_path.mnt),
			  (u64)GET(old, file, f_path.dentry), 0);
		if (same) {
			want(s, 1, W_SAME, 0, 0);
		} else if (t->hold == EB_H_BPRM_CHECK) {
			want(s, 1, W_HELD, 0, 0);
		} else {
			want(s, 1, W_KERNEL_JOIN, 0, name);
			s->want[1].joined = 1;
		}
		want(s, 2, W_CWD, 0, 0);
		put_strings(s, p, old);

		mm = GET(old, p, mm);
		s->args_pos = GET(old, mm, arg_start);
		s->args_end = GET(old, mm, arg_end);
		s->args_failed = 0;
		s->rec.val[EB_V_EXEC_args] = s->args_end - s->args_pos;
		if (old)
			args_old(s->which);
		else
			bpf_loop(ARGS_MAX, args_step_cb, &ctx, 0);
		if (s->args_failed) {
			s->rec.flags |= EB_ARGS_UNREAD;
			s->counts.strings_unread++;
		} else if (s->args_pos < s->args_end) {
			s->counts.strings_cut++;
		}
		send(s, t);
	}
	t->hold = EB_H_NONE;
	free_cpu(old);
	return 0;
}

static __always_inline int do_exit(struct task_struct *p, const bool old)
{
	struct slot *t = slot_of(p, old);
	struct scratch *s;
	int code;

	if (!t)
		return 0;
	hold_cpu(old);
	s = room(ROOM_EXIT);
	if (s) {
		code = GET(old, p, exit_code);
		rec_init(s, t, EB_EXIT);
		s->rec.val[EB_V_EXIT_status] = code >> 8 & 0xff;
		if (code & 0x7f) {
			put_val(s, EB_V_EXIT_signal, code & 0x7f);
			put_val(s, EB_V_EXIT_core, !!(code & 0x80));
		}
		send(s, t);
	}
	slot_drop(p, old);
	free_cpu(old);
	return 0;
}

/* Called in the middle of prctl() or write(). */
static __always_inline int do_comm(struct task_struct *target, const char *comm, const bool old)
{
	struct task_struct *task = current_task(old);
	struct slot *t = slot_of(task, old), *other;
	struct pt_regs *regs;
	struct scratch *s;
	u32 row;

	if (!t)
		return 0;
	regs = task_regs(task, old);
	row = row_of(task, GET(old, regs, orig_ax), old);
	if (row && rows[row & (EB_MAX_ROWS - 1)].record == EB_R_EXEC)
		return 0;	/* the exec event tells the program */
	hold_cpu(old);
	s = room(ROOM_COMM);
	if (s) {
		rec_init(s, t, EB_COMM);
		other = slot_of(target, old);
		if (other && other->upid != t->upid)
			put_val(s, EB_V_COMM_target, other->upid);
		want(s, 0, W_KERNEL, 0, (u64)comm);
		put_strings(s, task, old);
		send(s, t);
	}
	free_cpu(old);
	return 0;
}

/* ---- hooks ---- */

/*
 * The room for a hook's record, if the current task is traced and in a call
 * that waits for @hook: others reach the same functions, too.
 */
static __always_inline struct scratch *hook_begin(enum eb_hook hook, enum room which,
						  struct slot **t, const bool old)
{
	struct task_struct *task = current_task(old);
	struct pt_regs *regs;
	struct scratch *s;
	u32 row;

	*t = slot_of(task, old);
	/* The hooks outlive the tracepoints. */
	if (!*t || !tracing)
		return NULL;
	regs = task_regs(task, old);
	row = row_of(task, GET(old, regs, orig_ax), old);
	if (!row || rows[row & (EB_MAX_ROWS - 1)].hook != hook)
		return NULL;
	s = room(which);
	if (s) {
		rec_init(s, *t, EB_HOLD);
		s->rec.flags = EB_FIRST;
		s->rec.val[0] = hook;
	}
	return s;
}

static __always_inline void hook_end(struct scratch *s, struct slot *t, enum eb_hook hook,
				     const bool old)
{
	put_strings(s, current_task(old), old);
	/* Without it, the call's own record has the user's strings. */
	t->hold = send_rec(s) ? hook : EB_H_NONE;
}

#define HOOK(hook, which, ...)						\
	do {								\
		struct scratch *s;					\
		struct slot *t;						\
									\
		hold_cpu(old);						\
		s = hook_begin(hook, which, &t, old);			\
		if (s) {						\
			__VA_ARGS__;					\
			hook_end(s, t, hook, old);			\
		}							\
		free_cpu(old);						\
		return 0;						\
	} while (0)

static __always_inline int do_bprm_check(struct linux_binprm *bprm, const bool old)
{
	struct file *file = GET(old, bprm, file);

	/* Later calls are for the interpreters of a script, one by one. */
	if (GET(old, bprm, interp) != GET(old, bprm, filename))
		return 0;
	HOOK(EB_H_BPRM_CHECK, ROOM_BPRM,
	     want_path(s, 0, W_PATH, (u64)GET(old, file, f_path.mnt),
		       (u64)GET(old, file, f_path.dentry), 0));
}

static __always_inline int do_path_rename(const struct path *old_dir, struct dentry *from,
					  const struct path *new_dir, struct dentry *to,
					  const bool old)
{
	HOOK(EB_H_PATH_RENAME, ROOM_RENAME,
	     want_path(s, 0, W_CHILD, (u64)GET(old, old_dir, mnt),
		       (u64)GET(old, old_dir, dentry), (u64)from),
	     want_path(s, 1, W_CHILD, (u64)GET(old, new_dir, mnt),
		       (u64)GET(old, new_dir, dentry), (u64)to));
}

static __always_inline int do_path_link(struct dentry *from, const struct path *dir,
					struct dentry *to, const bool old)
{
	/* A link does not cross mounts, so the old name is on the same one. */
	HOOK(EB_H_PATH_LINK, ROOM_LINK,
	     want_path(s, 0, W_PATH, (u64)GET(old, dir, mnt), (u64)from, 0),
	     want_path(s, 1, W_CHILD, (u64)GET(old, dir, mnt),
		       (u64)GET(old, dir, dentry), (u64)to));
}

static __always_inline int do_path_symlink(const struct path *dir, struct dentry *dentry,
					   const char *target, const bool old)
{
	HOOK(EB_H_PATH_SYMLINK, ROOM_SYMLINK,
	     hold_dir(t, (u64)GET(old, dir, mnt), GET(old, dir, dentry)),
	     want(s, 0, W_KERNEL, 0, (u64)target),
	     want_path(s, 1, W_CHILD, (u64)GET(old, dir, mnt),
		       (u64)GET(old, dir, dentry), (u64)dentry));
}

static __always_inline int do_sb_mount(const char *dev, const struct path *path,
				       const char *type, const bool old)
{
	HOOK(EB_H_SB_MOUNT, ROOM_MOUNT,
	     want(s, 0, W_KERNEL, 0, (u64)dev),
	     want_path(s, 1, W_PATH, (u64)GET(old, path, mnt),
		       (u64)GET(old, path, dentry), 0),
	     want(s, 2, W_KERNEL, 0, (u64)type));
}

static __always_inline int do_sb_umount(struct vfsmount *mnt, const bool old)
{
	HOOK(EB_H_SB_UMOUNT, ROOM_UMOUNT,
	     want_path(s, 0, W_PATH, (u64)mnt, (u64)GET(old, mnt, mnt_root), 0));
}

/**
 * struct fds - the bitmap of open descriptors on its way out
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

/* Which descriptors close_range() finds open: after it, nobody knows. */
static __always_inline int do_close_range(enum room which, const bool old)
{
	struct task_struct *task = current_task(old);
	struct fdtable *fdt;
	struct scratch *s;
	struct slot *t;
	u32 first, last, max, i;

	hold_cpu(old);
	s = hook_begin(EB_H_CLOSE_RANGE, which, &t, old);
	if (s) {
		struct fds f = { .s = s };
		struct pt_regs *regs = task_regs(task, old);

		get_args(s, task, regs, old);
		first = s->arg[0];
		last = s->arg[1];
		fdt = old ? BPF_CORE_READ(task, files, fdt) : task->files->fdt;
		max = GET(old, fdt, max_fds);
		f.bits = (u64)GET(old, fdt, open_fds);
		if (last >= max)
			last = max - 1;
		f.pos = first & ~63u;
		f.end = last;
		t->nr_fds = first <= last ? last - first + 1 : 0;
		if (first > last) {
			f.failed = !send_rec(s);
		} else if (old) {
			for (i = 0; i < FDS_MAX_OLD; i++)
				if (fds_step(i, &f))
					break;
		} else {
			bpf_loop(FDS_MAX, fds_step_cb, &f, 0);
		}
		t->hold = f.failed || (first <= last && f.pos <= f.end) ?
			  EB_H_NONE : EB_H_CLOSE_RANGE;
	}
	free_cpu(old);
	return 0;
}

/*
 * What the seccomp filters say of a call: if they have answered, it is not made.
 * The next call of the task comes here, too.
 */
static __always_inline int do_seccomp(bool skipped, const bool old)
{
	struct slot *t = slot_of(current_task(old), old);

	if (t)
		t->skipped = skipped;
	return 0;
}

/* ---- the tasks that live already ---- */

/*
 * Lists the traced tasks, or lets go of them, or adds those of a tree: root_pid,
 * its threads and all that is below.  Read again and again until nothing is
 * added: a child that was born between its parent's being passed over and being
 * added is met in the next pass.
 */
static __always_inline int do_adopt(struct seq_file *seq, struct task_struct *task,
				    const bool old)
{
	struct task_struct *leader, *parent;
	struct scratch *s;
	struct slot *t;
	u64 ns = 0;
	bool in;

	if (!task)
		return 0;
	find_reader();
	t = slot_of(task, old);
	if (t && !root_pid) {
		struct eb_task info = {
			.upid = t->upid,
			.pid = pid_of(task, &ns),
			.tgid = pid_of(GET(old, task, group_leader), &ns),
		};

		bpf_seq_write(seq, &info, sizeof(info));
	}
	if (t && root_pid == EB_RELEASE)
		slot_drop(task, old);
	if (root_pid <= 0)
		return 0;
	leader = GET(old, task, group_leader);
	parent = GET(old, task, real_parent);
	if (!leader || !parent)
		return 0;
	if (pid_of(leader, &ns) == root_pid && !(BPF_CORE_READ(task, flags) & PF_EXITING))
		root_seen = true;
	/* A thread stands for its process, of which some may have been passed. */
	if (leader != task && pid_of(task, &ns) == root_pid) {
		root_pid = pid_of(leader, &ns);
		adopted++;
	}
	if (t)
		return 0;
	in = pid_of(leader, &ns) == root_pid || slot_of(leader, old) ||
	     pid_of((void *)BPF_CORE_READ(parent, group_leader), &ns) == root_pid ||
	     slot_of(parent, old);
	if (!in || BPF_CORE_READ(task, flags) & PF_EXITING)
		return 0;
	if (!slot_add(task, GET(old, task, pid), 1, old)) {
		s = room(ROOM_ADOPT);
		if (s)
			s->counts.lost_tasks++;
		return 0;
	}
	/* It may have passed its exit's program before it was added. */
	if (BPF_CORE_READ(task, flags) & PF_EXITING) {
		slot_drop(task, old);
		return 0;
	}
	adopted++;
	return 0;
}

/* ---- the programs ---- */

#define PROGRAM(sec, name, call, ...)					\
SEC(sec) int BPF_PROG(name, ##__VA_ARGS__)				\
{									\
	const bool old = false;						\
									\
	return call;							\
}									\
SEC(sec) int BPF_PROG(name##_old, ##__VA_ARGS__)			\
{									\
	const bool old = true;						\
									\
	return call;							\
}

PROGRAM("tp_btf/sys_exit", sys_exit, do_sys_exit(GET(old, regs, orig_ax), regs, ret, old),
	struct pt_regs *regs, s64 ret)
PROGRAM("tp_btf/sched_process_fork", process_fork, do_fork(parent, child, old),
	struct task_struct *parent, struct task_struct *child)
PROGRAM("tp_btf/sched_process_exec", process_exec,
	do_exec(p, GET(old, bprm, file), (u64)GET(old, bprm, filename),
		GET(old, bprm, filename) == GET(old, bprm, interp), old),
	struct task_struct *p, s32 old_pid, struct linux_binprm *bprm)
PROGRAM("tp_btf/sched_process_exit", process_exit, do_exit(p, old),
	struct task_struct *p)
PROGRAM("tp_btf/task_rename", task_rename, do_comm(target, comm, old),
	struct task_struct *target, const char *comm)
PROGRAM("fentry/security_bprm_check", bprm_check, do_bprm_check(bprm, old),
	struct linux_binprm *bprm)
PROGRAM("fentry/security_path_rename", path_rename,
	do_path_rename(old_dir, old_dentry, new_dir, new_dentry, old),
	const struct path *old_dir, struct dentry *old_dentry,
	const struct path *new_dir, struct dentry *new_dentry)
PROGRAM("fentry/security_path_link", path_link,
	do_path_link(old_dentry, new_dir, new_dentry, old),
	struct dentry *old_dentry, const struct path *new_dir, struct dentry *new_dentry)
PROGRAM("fentry/security_path_symlink", path_symlink,
	do_path_symlink(dir, dentry, old_name, old),
	const struct path *dir, struct dentry *dentry, const char *old_name)
PROGRAM("fentry/security_sb_mount", sb_mount, do_sb_mount(dev_name, path, type, old),
	const char *dev_name, const struct path *path, const char *type)
PROGRAM("fentry/security_sb_umount", sb_umount, do_sb_umount(mnt, old),
	struct vfsmount *mnt)
PROGRAM("fentry/__x64_sys_close_range", close_range,
	do_close_range(ROOM_CLOSE_RANGE, old))
PROGRAM("fentry/__ia32_sys_close_range", close_range32,
	do_close_range(ROOM_CLOSE_RANGE32, old))

/*
 * The same as perf calls them: with preemption off, whatever the kernel.  What
 * perf shows of a tracepoint are numbers and texts, and a kprobe has registers;
 * all else is found by them.
 */
#define TYPED(type, p) \
	((struct type *)bpf_rdonly_cast((void *)(p), bpf_core_type_id_kernel(struct type)))

SEC("tracepoint/raw_syscalls/sys_exit")
int sys_exit_perf(struct trace_event_raw_sys_exit *ctx)
{
	return do_sys_exit(ctx->id, NULL, ctx->ret, false);
}

SEC("tracepoint/sched/sched_process_fork")
int process_fork_perf(struct trace_event_raw_sched_process_fork *ctx)
{
	struct task_struct *parent = bpf_get_current_task_btf(), *child;
	struct scratch *s;

	if (!slot_of(parent, false))
		return 0;
	child = bpf_task_from_pid(ctx->child_pid);
	if (child) {
		do_fork(parent, child, false);
		bpf_task_release(child);
	} else {
		s = room(ROOM_FORK);
		if (s)
			s->counts.lost_tasks++;
	}
	return 0;
}

SEC("tracepoint/sched/sched_process_exec")
int process_exec_perf(struct trace_event_raw_sched_process_exec *ctx)
{
	struct task_struct *task = bpf_get_current_task_btf();

	return do_exec(task, TYPED(file, BPF_CORE_READ(task, mm, exe_file)),
		       (u64)ctx + (ctx->__data_loc_filename & 0xffff), false, false);
}

SEC("tracepoint/sched/sched_process_exit")
int process_exit_perf(void *ctx)
{
	return do_exit(bpf_get_current_task_btf(), false);
}

SEC("tracepoint/task/task_rename")
int task_rename_perf(struct trace_event_raw_task_rename *ctx)
{
	struct task_struct *task = bpf_get_current_task_btf(), *target;

	if (!slot_of(task, false))
		return 0;
	target = bpf_task_from_pid(ctx->pid);
	if (target) {
		do_comm(target, ctx->newcomm, false);
		bpf_task_release(target);
	}
	return 0;
}

SEC("kprobe/security_bprm_check") int bprm_check_perf(struct pt_regs *ctx)
{
	return do_bprm_check(TYPED(linux_binprm, ctx->di), false);
}

SEC("kprobe/security_path_rename") int path_rename_perf(struct pt_regs *ctx)
{
	return do_path_rename(TYPED(path, ctx->di), TYPED(dentry, ctx->si),
			      TYPED(path, ctx->dx), TYPED(dentry, ctx->cx), false);
}

SEC("kprobe/security_path_link") int path_link_perf(struct pt_regs *ctx)
{
	return do_path_link(TYPED(dentry, ctx->di), TYPED(path, ctx->si),
			    TYPED(dentry, ctx->dx), false);
}

SEC("kprobe/security_path_symlink") int path_symlink_perf(struct pt_regs *ctx)
{
	return do_path_symlink(TYPED(path, ctx->di), TYPED(dentry, ctx->si),
			       (const char *)ctx->dx, false);
}

SEC("kprobe/security_sb_mount") int sb_mount_perf(struct pt_regs *ctx)
{
	return do_sb_mount((const char *)ctx->di, TYPED(path, ctx->si),
			   (const char *)ctx->dx, false);
}

SEC("kprobe/security_sb_umount") int sb_umount_perf(struct pt_regs *ctx)
{
	return do_sb_umount(TYPED(vfsmount, ctx->di), false);
}

SEC("kprobe/__x64_sys_close_range") int close_range_perf(struct pt_regs *ctx)
{
	return do_close_range(ROOM_CLOSE_RANGE, false);
}

SEC("kprobe/__ia32_sys_close_range") int close_range32_perf(struct pt_regs *ctx)
{
	return do_close_range(ROOM_CLOSE_RANGE32, false);
}

/* At the end of a function whose arguments differ between kernels. */
SEC("kretprobe/__secure_computing") int seccomp(struct pt_regs *ctx)
{
	return do_seccomp((s32)ctx->ax == -1, false);
}

SEC("kretprobe/__secure_computing") int seccomp_old(struct pt_regs *ctx)
{
	return do_seccomp((s32)ctx->ax == -1, true);
}

SEC("kretprobe/__secure_computing") int seccomp_perf(struct pt_regs *ctx)
{
	return do_seccomp((s32)ctx->ax == -1, false);
}

/* What it is since 7.3. */
SEC("kretprobe/__seccomp_permit_syscall") int permit(struct pt_regs *ctx)
{
	return do_seccomp(!(u8)ctx->ax, false);
}

SEC("kretprobe/__seccomp_permit_syscall") int permit_perf(struct pt_regs *ctx)
{
	return do_seccomp(!(u8)ctx->ax, false);
}

SEC("iter/task") int adopt(struct bpf_iter__task *ctx)
{
	return do_adopt(ctx->meta->seq, ctx->task, false);
}

SEC("iter/task") int adopt_old(struct bpf_iter__task *ctx)
{
	return do_adopt(ctx->meta->seq, ctx->task, true);
}

char LICENSE[] SEC("license") = "GPL";
