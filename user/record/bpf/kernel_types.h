/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The fields of the kernel's structures that the programs read, and no others.
 * Their offsets are determined when the object is loaded (CO-RE), so their order
 * here does not matter and one object fits every kernel.
 */
#ifndef ETRACE_KERNEL_TYPES_H
#define ETRACE_KERNEL_TYPES_H

#include <stdbool.h>
#include <linux/types.h>

typedef __u8 u8;
typedef __u16 u16;
typedef __u32 u32;
typedef __u64 u64;
typedef __s32 s32;
typedef __s64 s64;

#pragma clang attribute push(__attribute__((preserve_access_index)), apply_to = record)

/* Registers saved by the CPU and the entry code; orig_ax, syscallno: the call's number. */
#ifdef __TARGET_ARCH_arm64
struct pt_regs {
	u64 regs[31];
	u64 orig_x0;
	s32 syscallno;
};

struct thread_info {
	unsigned long flags;
};
#else
struct pt_regs {
	unsigned long r10, r9, r8, ax, bx, cx, dx, si, di, bp, orig_ax;
};

struct thread_info {
	u32 status;
};
#endif

struct hlist_bl_node {
	struct hlist_bl_node **pprev;
};

struct qstr {
	u64 hash_len;
	const unsigned char *name;
};

struct super_block {
	u32 s_dev;
	unsigned long s_magic;
};

struct proc_ns_operations {
	const char *name;
};

struct ns_common {
	const struct proc_ns_operations *ops;
};

/* Since 6.9: where this exists, a namespace's dentry does not point to its operations. */
struct stashed_operations {
	void *put_data;
};

struct timespec64 {
	s64 tv_sec;
	long tv_nsec;
};

struct inode {
	unsigned short i_mode;
	unsigned long i_ino;
	s64 i_size;
	struct timespec64 i_mtime;
	struct super_block *i_sb;
	void *i_private;
};

/* Since 6.6: renamed, since only the kernel's accessors should use it. */
struct inode___6_6 {
	struct timespec64 __i_mtime;
};

/* Since 6.11: split into two fields. */
struct inode___6_11 {
	s64 i_mtime_sec;
	u32 i_mtime_nsec;
};

struct dentry {
	struct hlist_bl_node d_hash;
	struct dentry *d_parent;
	struct qstr d_name;
	struct inode *d_inode;
	struct super_block *d_sb;
	void *d_fsdata;
};

struct vfsmount {
	struct dentry *mnt_root;
};

struct mount {
	struct mount *mnt_parent;
	struct dentry *mnt_mountpoint;
	struct vfsmount mnt;
	int mnt_id;
};

struct path {
	struct vfsmount *mnt;
	struct dentry *dentry;
};

struct file {
	struct path f_path;
	struct inode *f_inode;
	void *private_data;
	unsigned int f_flags;
};

typedef struct {
	int counter;
} atomic_t;

struct in6_addr {
	u8 in6_u[16];
};

struct sock_common {
	u32 skc_daddr;
	u16 skc_dport;
	u16 skc_family;
	struct in6_addr skc_v6_daddr;
};

struct sock {
	struct sock_common __sk_common;
	struct socket *sk_socket;
};

struct socket {
	struct sock *sk;
};

/* A socket and its inode. */
struct socket_alloc {
	struct socket socket;
	struct inode vfs_inode;
};

struct sockaddr_un {
	u16 sun_family;
};

struct unix_address {
	int len;
	struct sockaddr_un name[];
};

struct unix_sock {
	struct unix_address *addr;
	struct sock *peer;
};

struct fdtable {
	unsigned int max_fds;
	struct file **fd;
	unsigned long *close_on_exec;
	unsigned long *open_fds;
};

struct files_struct {
	atomic_t count;
	struct fdtable *fdt;
};

struct fs_struct {
	struct path root;
	struct path pwd;
};

struct mm_struct {
	unsigned long arg_start, arg_end, env_start, env_end;
	struct file *exe_file;
};

struct pid_namespace;

struct user_namespace {
	int level;
};

typedef struct {
	u32 val;
} kuid_t, kgid_t;

struct group_info {
	int ngroups;
	kgid_t gid[];
};

/* Two u32 or one u64, the same bytes. */
typedef struct {
	u64 val;
} kernel_cap_t;

struct cred {
	kuid_t fsuid;
	kgid_t fsgid;
	kernel_cap_t cap_effective;
	struct user_namespace *user_ns;
	struct group_info *group_info;
};

struct upid {
	int nr;
	struct pid_namespace *ns;
};

struct pid {
	unsigned int level;
	struct upid numbers[1];
};

struct bpf_local_storage;

typedef struct {
	unsigned long sig[1];
} sigset_t;

struct sigpending {
	sigset_t signal;
};

struct list_head {
	struct list_head *next;
};

typedef struct seqcount {
	unsigned int sequence;
} seqcount_t;

struct seqcount_spinlock {
	seqcount_t seqcount;
};

typedef struct {
	struct seqcount_spinlock seqcount;
} seqlock_t;

/* Each line is present only if the kernel counts these. */
struct task_io_accounting {
	u64 rchar, wchar;
	u64 read_bytes, write_bytes;
};

struct sched_entity {
	u64 sum_exec_runtime;
};

struct signal_struct {
	atomic_t live;
	int nr_threads;
	unsigned int flags;
	int group_exit_code;
	struct list_head thread_head;
	seqlock_t stats_lock;
	u64 utime, stime;
	unsigned long min_flt, maj_flt;
	unsigned long maxrss;
	u64 sum_sched_runtime;
	struct task_io_accounting ioac;
};

struct kernfs_node {
	u64 id;
};

struct cgroup_subsys_state {
	struct cgroup *cgroup;
	struct cgroup_subsys_state *parent;
};

struct cgroup {
	struct cgroup_subsys_state self;
	struct kernfs_node *kn;
};

/* The cgroups that a task is in; dfl_cgrp is that of version 2. */
struct css_set {
	struct cgroup *dfl_cgrp;
};

struct seccomp {
	int mode;
};

struct task_struct {
	struct thread_info thread_info;
	void *stack;
	unsigned int flags;
	struct mm_struct *mm;
	int exit_code;
	int pid;
	int tgid;
	struct task_struct *real_parent;
	struct task_struct *group_leader;
	struct pid *thread_pid;
	const struct cred *cred;
	struct bpf_local_storage *bpf_storage;
	struct fs_struct *fs;
	struct files_struct *files;
	struct signal_struct *signal;
	struct seccomp seccomp;
	struct sigpending pending;
	struct list_head thread_node;
	struct css_set *cgroups;
	u64 utime, stime, start_time;
	unsigned long min_flt, maj_flt;
	struct sched_entity se;
	struct task_io_accounting ioac;
};

struct linux_binprm {
	struct file *file;
	const char *filename;
	const char *interp;
};

/* The data that perf passes at tracepoints. */
struct trace_event_raw_sys_exit {
	long id;
	long ret;
};

struct trace_event_raw_sched_process_fork {
	int child_pid;
};

struct trace_event_raw_sched_process_exec {
	u32 __data_loc_filename;	/* lower half: its offset; upper half: its size */
};

struct trace_event_raw_sched_process_exit {
	bool group_dead;	/* since 6.16: whether the process ends */
};

struct trace_event_raw_cgroup_migrate {
	int pid;
};

struct trace_event_raw_task_rename {
	int pid;
	char newcomm[16];
};

/* Requests of io_urings: the data of each operation begins at @file. */
struct io_cqe {
	s32 res;
	int fd;
};

struct io_kiocb {
	struct file *file;
	u8 opcode;
	u8 flags;	/* the lowest byte of the flags */
	struct io_cqe cqe;
};

struct filename {
	const char *name;
};

struct io_open {
	int dfd;
	u32 file_slot;
	struct filename *filename;
	struct {
		u64 flags, mode;
	} how;
};

/* Since 7.0: the name is in another struct. */
struct delayed_filename {
	struct filename *__incomplete_filename;
};

struct io_open___7_0 {
	struct delayed_filename filename;
};

struct io_statx {
	int dfd;
	unsigned int flags;
	struct filename *filename;
};

struct io_statx___7_0 {
	struct delayed_filename filename;
};

struct io_close {
	int fd;
	u32 file_slot;
};

struct io_unlink {
	int dfd;
	int flags;
};

struct io_rename {
	int old_dfd;
	int new_dfd;
	int flags;
};

struct io_link {
	int old_dfd;
	int new_dfd;
	int flags;
};

struct io_mkdir {
	int dfd;
	unsigned short mode;
};

struct io_connect {
	void *addr;
	int addr_len;
};

struct trace_event_raw_io_uring_submit_sqe {
	void *req;
	u8 opcode;
};

struct trace_event_raw_io_uring_submit_req {
	void *req;
	u8 opcode;
};

struct seq_file;

struct bpf_iter_meta {
	struct seq_file *seq;
};

struct bpf_iter__task {
	struct bpf_iter_meta *meta;
	struct task_struct *task;
};

#pragma clang attribute pop

#endif
