/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The iterator over tasks: starts tracing tasks that are already running, and lists or
 * releases those that are traced.
 */
#ifndef ETRACE_ADOPT_BPF_H
#define ETRACE_ADOPT_BPF_H

#include "record/bpf/join.bpf.h"
#include "record/bpf/maker.bpf.h"
#include "record/bpf/use_calls.bpf.h"

/*
 * Called for each task. Depending on root_pid, it lists or releases the traced tasks, or
 * adds the tasks in the cgroups or in a tree: the process root_pid, its threads and all
 * descendants. The loader repeats the pass until it adds none: a child forked after the
 * pass skipped its parent, but before the parent was added, is found in the next pass.
 */
static __always_inline int do_adopt(struct seq_file *seq, struct task_struct *task)
{
	struct task_struct *leader, *parent;
	struct scratch *s;
	struct slot *t;
	u64 ns = 0;
	bool in;

	if (!task)
		return 0;
	find_reader();
	t = slot_of(task);
	if (t && !root_pid) {
		struct eb_task info = {
			.upid = t->upid,
			.pid = pid_of(task, &ns),
			.tgid = pid_of(GET(task, group_leader), &ns),
		};

		bpf_seq_write(seq, &info, sizeof(info));
	}
	s = t && root_pid < 0 ? own_room(ROOM_ADOPT) : NULL;
	if (s)
		uses_over(s, t, task, false);
	if (t && root_pid == EB_RELEASE) {
		slot_drop(task);
		/* discards uses that were counted after uses_over() */
		uses_forget(GET(task, group_leader));
	} else if (root_pid == EB_RELEASE) {
		slot_drop_late(task);
	}
	if (root_pid == EB_CGROUPS && !t && in_cgroup(task) && slot_join(task, 1, adopts_late))
		adopted++;
	if (root_pid <= 0)
		return 0;
	leader = GET(task, group_leader);
	parent = GET(task, real_parent);
	if (!leader || !parent)
		return 0;
	if (pid_of(leader, &ns) == root_pid && !(BPF_CORE_READ(task, flags) & PF_EXITING))
		root_seen = true;
	/*
	 * The id of a thread means its process; threads that the pass has already skipped
	 * are added in the next pass.
	 */
	if (leader != task && pid_of(task, &ns) == root_pid) {
		root_pid = pid_of(leader, &ns);
		adopted++;
	}
	if (t)
		return 0;
	in = pid_of(leader, &ns) == root_pid || slot_of(leader) ||
	     pid_of((void *)BPF_CORE_READ(parent, group_leader), &ns) == root_pid ||
	     slot_of(parent);
	if (in && slot_join(task, 1, false))
		adopted++;
	return 0;
}

#endif
