/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Starts tracing tasks that are already running when they enter a traced cgroup, as the
 * module's cgroup.c does.
 */
#ifndef ETRACE_JOIN_BPF_H
#define ETRACE_JOIN_BPF_H

#include "record/bpf/list.bpf.h"
#include "record/bpf/strings.bpf.h"

#define CGROUP_DEPTH	64u	/* cgroups nested deeper are not searched */

/* The traced cgroups, by the inode numbers of their directories. */
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, EB_CGROUPS_MAX);
	__type(key, u64);
	__type(value, u8);
} cgroups SEC(".maps");

/* Is the task in one of the cgroups, or in a cgroup below one? */
static __noinline bool in_cgroup(struct task_struct *task)
{
	struct cgroup_subsys_state *up;
	struct cgroup *at;
	u64 id;
	u32 i;

	if (!bpf_core_field_exists(task->cgroups))
		return false;
	at = BPF_CORE_READ(task, cgroups, dfl_cgrp);
#pragma clang loop unroll(disable)
	for (i = 0; i < CGROUP_DEPTH; i++) {
		id = BPF_CORE_READ(at, kn, id);
		if (bpf_map_lookup_elem(&cgroups, &id))
			return true;
		up = BPF_CORE_READ(at, self.parent);
		if (!up)
			break;
		at = BPF_CORE_READ(up, cgroup);
	}
	return false;
}

/*
 * Starts tracing a running task. @which: as in new_upid(). Returns whether it did; false
 * for a task that is ending, and for an io_uring worker, which gets a slot with its first
 * call.
 */
static __always_inline bool slot_join(struct task_struct *task, u32 which, bool joined)
{
	struct scratch *s;

	if (BPF_CORE_READ(task, flags) & (PF_EXITING | PF_IO_WORKER) || slot_is_late(task))
		return false;
	if (!slot_add(task, GET(task, pid), which, joined)) {
		s = own_room(ROOM_JOINING);
		if (s)
			s->counts.lost_tasks++;
		return false;
	}
	/* If it is ending, the exit program may have run before the task was added. */
	if (BPF_CORE_READ(task, flags) & PF_EXITING) {
		slot_drop(task);
		return false;
	}
	return true;
}

/* Starts tracing a task that has entered one of the cgroups. */
static __always_inline void cgroup_seen(struct task_struct *task, u32 which)
{
	if (tracing && !slot_of(task) && in_cgroup(task))
		slot_join(task, which, true);
}

/* Tasks are moved to a cgroup: one, or a process with all its threads. */
static __always_inline int do_attach(struct task_struct *task)
{
	struct signal_struct *signal = GET(task, signal);

	cgroup_seen(task, 2);
	/* Other threads cannot be reached from here: the reader adds them. */
	if (BPF_CORE_READ(task, thread_node.next) !=
	    (void *)signal + bpf_core_field_offset(struct signal_struct, thread_head))
		cgroups_moved = true;
	return 0;
}

/* Records which program the current task is running, before its first event. */
__attribute__((noinline)) int record_join(ROOM_REF room, SLOT_REF slot)
{
	struct task_struct *task = current_task(), *other;
	struct scratch *s = room_at(room);
	struct slot *t = slot_at(slot), *kin;
	struct mm_struct *mm = GET(task, mm);
	struct file *exe;

	if (!s || !t)
		return 0;
	t->joined = 0;
	rec_init(s, t, EB_JOIN);
	other = GET(task, group_leader);
	kin = other ? slot_of(other) : NULL;
	s->rec.val[EB_V_JOIN_process] = kin ? kin->upid : t->upid;
	other = GET(task, real_parent);
	kin = other ? slot_of(other) : NULL;
	s->rec.val[EB_V_JOIN_parent] = kin ? kin->upid : 0;
	exe = mm ? GET(mm, exe_file) : NULL;
	if (exe)
		want_path(s, EB_STR_JOIN_path, (u64)GET(exe, f_path.mnt),
			  (u64)GET(exe, f_path.dentry));
	want_string(s, EB_STR_JOIN_cwd, W_CWD, 0, 0);
	put_strings(s, task);
	/* io_uring workers are recorded without arguments, which are those of their process. */
	if (mm && !(BPF_CORE_READ(task, flags) & PF_IO_WORKER)) {
		s->rec.val[EB_V_JOIN_args] = GET(mm, arg_end) - GET(mm, arg_start);
		put_list(s, GET(mm, arg_start), GET(mm, arg_end));
	}
	send_event(s, t);
	return 0;
}

/* If the task was running before, records that before its first event. */
static __always_inline void join_if_new(struct slot *t)
{
	struct scratch *s;

	if (likely(!t->joined))
		return;
	s = own_room(ROOM_JOIN);
	if (s)
		record_join(room_ref(s), slot_ref(t));
}

#endif
