// SPDX-License-Identifier: GPL-2.0
/*
 * Entry points of the BPF programs: tracepoints that report that something happened,
 * hooks that see names as the kernel has resolved them, and the iterator that finds
 * tasks that are already running.  They record what the module records; readers of a
 * trace cannot tell which of the two made it.
 *
 * The programs' code is in calls.bpf.h (the end of a call), life.bpf.h (tracepoints of a
 * task's life), hooks.bpf.h, ring_calls.bpf.h and adopt.bpf.h.  This file has one entry
 * point of each program for each way in which kernels call it: see common.bpf.h.
 */
#include "record/bpf/adopt.bpf.h"
#include "record/bpf/calls.bpf.h"
#include "record/bpf/hooks.bpf.h"
#include "record/bpf/life.bpf.h"
#include "record/bpf/ring_calls.bpf.h"

#define PROGRAM(sec, name, call, ...)					\
SEC(sec) int BPF_PROG(name, ##__VA_ARGS__)				\
{									\
	return call;							\
}

PROGRAM("tp_btf/sys_exit", sys_exit, do_sys_exit(call_nr(regs), regs, ret),
	struct pt_regs *regs, s64 ret)
PROGRAM("tp_btf/sched_process_fork", process_fork, do_fork(parent, child),
	struct task_struct *parent, struct task_struct *child)
PROGRAM("tp_btf/sched_process_exec", process_exec,
	do_exec(p, GET(bprm, file), (u64)GET(bprm, filename),
		GET(bprm, filename) == GET(bprm, interp)),
	struct task_struct *p, s32 old_pid, struct linux_binprm *bprm)
/* Before 6.16 the tracepoint has no second argument. */
PROGRAM("tp_btf/sched_process_exit", process_exit,
	do_exit(p, TELLS_DEAD && (u8)ctx[1]), struct task_struct *p)
PROGRAM("tp_btf/task_rename", task_rename, do_comm(target, comm),
	struct task_struct *target, const char *comm)
PROGRAM("tp_btf/cgroup_attach_task", cgroup_attach, do_attach(task),
	struct cgroup *to, const char *path, struct task_struct *task, bool threadgroup)
PROGRAM("fentry/security_bprm_check", bprm_check, do_bprm_check(bprm),
	struct linux_binprm *bprm)
PROGRAM("fentry/security_path_rename", path_rename,
	do_path_rename(old_dir, old_dentry, new_dir, new_dentry),
	const struct path *old_dir, struct dentry *old_dentry,
	const struct path *new_dir, struct dentry *new_dentry)
#define ETRACE_HOOK_CHILD(id, name)					\
	PROGRAM("fentry/security_" #name, name,				\
		do_child(EB_H_##id, ROOM_##name, dir, dentry),	\
		const struct path *dir, struct dentry *dentry)
#define ETRACE_HOOK_PATH(id, name)					\
	PROGRAM("fentry/" #name, name,					\
		do_path(EB_H_##id, ROOM_##name, path), const struct path *path)
#include "kernel/etrace_syscalls.def"
PROGRAM("fentry/security_path_link", path_link,
	do_path_link(old_dentry, new_dir, new_dentry),
	struct dentry *old_dentry, const struct path *new_dir, struct dentry *new_dentry)
PROGRAM("fentry/security_path_symlink", path_symlink,
	do_path_symlink(dir, dentry, old_name),
	const struct path *dir, struct dentry *dentry, const char *old_name)
PROGRAM("fentry/security_sb_mount", sb_mount, do_sb_mount(dev_name, path, type),
	const char *dev_name, const struct path *path, const char *type)
PROGRAM("fentry/security_sb_umount", sb_umount, do_sb_umount(mnt),
	struct vfsmount *mnt)
PROGRAM("fentry/security_sb_pivotroot", sb_pivotroot,
	do_sb_pivotroot(old_path, new_path),
	const struct path *old_path, const struct path *new_path)
PROGRAM("fentry/" SYS_SYMBOL "close_range", close_range,
	do_close_range(ROOM_CLOSE_RANGE))
#ifdef SYS_SYMBOL_32
PROGRAM("fentry/" SYS_SYMBOL_32 "close_range", close_range32,
	do_close_range(ROOM_CLOSE_RANGE32))
#endif

/*
 * The variants that perf calls, always with preemption off.  At a tracepoint perf passes
 * only numbers and texts, and a kprobe has only registers; everything else is looked up
 * from these.
 */
SEC("tracepoint/raw_syscalls/sys_exit")
int sys_exit_perf(struct trace_event_raw_sys_exit *ctx)
{
	return do_sys_exit(ctx->id, NULL, ctx->ret);
}

SEC("tracepoint/sched/sched_process_fork")
int process_fork_perf(struct trace_event_raw_sched_process_fork *ctx)
{
	struct task_struct *parent = bpf_get_current_task_btf(), *child;
	struct scratch *s;

	if (!slot_of(parent) && !nr_cgroups)
		return 0;
	child = bpf_task_from_pid(ctx->child_pid);
	if (child) {
		do_fork(parent, child);
		bpf_task_release(child);
	} else {
		s = own_room(ROOM_FORK);
		if (s)
			s->counts.lost_tasks++;
	}
	return 0;
}

SEC("tracepoint/sched/sched_process_exec")
int process_exec_perf(struct trace_event_raw_sched_process_exec *ctx)
{
	struct task_struct *task = bpf_get_current_task_btf();

	return do_exec(task, bpf_rdonly_cast(BPF_CORE_READ(task, mm, exe_file),
					     bpf_core_type_id_kernel(struct file)),
		       (u64)ctx + (ctx->__data_loc_filename & 0xffff), false);
}

SEC("tracepoint/sched/sched_process_exit")
int process_exit_perf(struct trace_event_raw_sched_process_exit *ctx)
{
	return do_exit(bpf_get_current_task_btf(), TELLS_DEAD && ctx->group_dead);
}

SEC("tracepoint/task/task_rename")
int task_rename_perf(struct trace_event_raw_task_rename *ctx)
{
	struct task_struct *task = bpf_get_current_task_btf(), *target;

	if (!slot_of(task))
		return 0;
	target = bpf_task_from_pid(ctx->pid);
	if (target) {
		do_comm(target, ctx->newcomm);
		bpf_task_release(target);
	}
	return 0;
}

SEC("tracepoint/cgroup/cgroup_attach_task")
int cgroup_attach_perf(struct trace_event_raw_cgroup_migrate *ctx)
{
	struct task_struct *task = bpf_task_from_pid(ctx->pid);

	if (task) {
		do_attach(task);
		bpf_task_release(task);
	} else {
		cgroups_moved = true;	/* the reader looks for the task, which may have ended */
	}
	return 0;
}

SEC("kprobe/security_bprm_check") int bprm_check_perf(struct pt_regs *ctx)
{
	return do_bprm_check((struct linux_binprm *)PARAM(ctx, 0));
}

SEC("kprobe/security_path_rename") int path_rename_perf(struct pt_regs *ctx)
{
	return do_path_rename((struct path *)PARAM(ctx, 0), (struct dentry *)PARAM(ctx, 1),
			      (struct path *)PARAM(ctx, 2), (struct dentry *)PARAM(ctx, 3));
}

#define ETRACE_HOOK_CHILD(id, name)					\
SEC("kprobe/security_" #name) int name##_perf(struct pt_regs *ctx)	\
{									\
	return do_child(EB_H_##id, ROOM_##name, (struct path *)PARAM(ctx, 0),	\
			(struct dentry *)PARAM(ctx, 1));			\
}
#define ETRACE_HOOK_PATH(id, name)					\
SEC("kprobe/" #name) int name##_perf(struct pt_regs *ctx)		\
{									\
	return do_path(EB_H_##id, ROOM_##name, (struct path *)PARAM(ctx, 0)); \
}
#include "kernel/etrace_syscalls.def"

SEC("kprobe/security_path_link") int path_link_perf(struct pt_regs *ctx)
{
	return do_path_link((struct dentry *)PARAM(ctx, 0), (struct path *)PARAM(ctx, 1),
			    (struct dentry *)PARAM(ctx, 2));
}

SEC("kprobe/security_path_symlink") int path_symlink_perf(struct pt_regs *ctx)
{
	return do_path_symlink((struct path *)PARAM(ctx, 0), (struct dentry *)PARAM(ctx, 1),
			       (const char *)PARAM(ctx, 2));
}

SEC("kprobe/security_sb_mount") int sb_mount_perf(struct pt_regs *ctx)
{
	return do_sb_mount((const char *)PARAM(ctx, 0), (struct path *)PARAM(ctx, 1),
			   (const char *)PARAM(ctx, 2));
}

SEC("kprobe/security_sb_umount") int sb_umount_perf(struct pt_regs *ctx)
{
	return do_sb_umount((struct vfsmount *)PARAM(ctx, 0));
}

SEC("kprobe/security_sb_pivotroot") int sb_pivotroot_perf(struct pt_regs *ctx)
{
	return do_sb_pivotroot((struct path *)PARAM(ctx, 0), (struct path *)PARAM(ctx, 1));
}

SEC("kprobe/" SYS_SYMBOL "close_range") int close_range_perf(struct pt_regs *ctx)
{
	return do_close_range(ROOM_CLOSE_RANGE);
}

#ifdef SYS_SYMBOL_32
SEC("kprobe/" SYS_SYMBOL_32 "close_range") int close_range32_perf(struct pt_regs *ctx)
{
	return do_close_range(ROOM_CLOSE_RANGE32);
}
#endif

/* Only the return value is used: the function's arguments differ between kernels. */
SEC("kretprobe/__secure_computing") int seccomp(struct pt_regs *ctx)
{
	return do_seccomp((s32)RETURNED(ctx) == -1);
}

/* Since 7.3 this replaces __secure_computing(). */
SEC("kretprobe/__seccomp_permit_syscall") int permit(struct pt_regs *ctx)
{
	return do_seccomp(!(u8)RETURNED(ctx));
}

/* Attached by the loader to each function that carries out requests of rings. */
SEC("kprobe") int ring_begin(struct pt_regs *ctx)
{
	return do_ring_begin((struct io_kiocb *)PARAM(ctx, 0));
}

SEC("kretprobe") int ring_end(struct pt_regs *ctx)
{
	return do_ring_end(RETURNED(ctx));
}

/* Each kernel has one of these two tracepoints. */
SEC("tracepoint/io_uring/io_uring_submit_sqe")
int ring_sqe(struct trace_event_raw_io_uring_submit_sqe *ctx)
{
	return do_ring_asked(ctx->opcode, ctx->req);
}

SEC("tracepoint/io_uring/io_uring_submit_req")
int ring_req(struct trace_event_raw_io_uring_submit_req *ctx)
{
	return do_ring_asked(ctx->opcode, ctx->req);
}

SEC("iter/task") int adopt(struct bpf_iter__task *ctx)
{
	return do_adopt(ctx->meta->seq, ctx->task);
}

char LICENSE[] SEC("license") = "GPL";
