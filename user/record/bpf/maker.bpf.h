/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Describes the task that makes a symbolic link, as the task that reads the records sees
 * it: then the reader can look up the link's target as the link's maker would have.
 */
#ifndef ETRACE_MAKER_BPF_H
#define ETRACE_MAKER_BPF_H

#include "record/bpf/common.bpf.h"

/* A task's process id in the reader's pid namespace, 0 if none. */
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

/* Notes root and pid namespace of the reader, which is the task that reads the iterator. */
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

/* Stores a directory, so that the reader can later check that it has found the same one. */
static __always_inline void hold_dir(struct slot *t, u64 mnt, struct dentry *dir)
{
	t->dir_mount = mount_id(mnt);
	t->dir_ino = BPF_CORE_READ(dir, d_inode, i_ino);
}

/* Adds the link's maker and directory, after the strings of a symbolic link. */
static __always_inline void put_maker(struct scratch *s, struct slot *t, struct task_struct *task)
{
	const struct cred *cred = BPF_CORE_READ(task, cred);
	struct group_info *groups = BPF_CORE_READ(cred, group_info);
	struct pid *pid = BPF_CORE_READ(task, thread_pid);
	struct dentry *root = (void *)s->walk.root_dentry;
	u64 fill, n, ns = 0, parent_ns;
	struct eb_maker *m;

	if (s->fill > EB_FULL)
		flush_part(s);
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

#endif
