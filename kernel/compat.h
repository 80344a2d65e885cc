/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Every difference between kernel versions, each with its reason and the
 * release that changed it.  The other files read as if there were one kernel;
 * no version test belongs anywhere else.
 */
#ifndef ETRACE_COMPAT_H
#define ETRACE_COMPAT_H

#include <linux/version.h>
#include <linux/fdtable.h>
#include <linux/ftrace.h>
#include <linux/fs.h>
#include <linux/fs_struct.h>
#include <linux/magic.h>
#include <linux/module.h>
#include <linux/mount.h>
#include <linux/namei.h>
#include <linux/net.h>
#include <linux/ptrace.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>
#include <linux/sched/coredump.h>
#include <linux/sched/mm.h>
#include <linux/sched/task.h>
#include <linux/time64.h>
#include <linux/trace.h>
#include <uapi/linux/close_range.h>

/*
 * For large local variables that are written before they are read. The kernel may be
 * built to clear all local variables, which is slow for these; compilers that can do so
 * (gcc 12) know this attribute.
 */
#if defined(__has_attribute) && __has_attribute(__uninitialized__)
#define etrace_uninitialized	__attribute__((__uninitialized__))
#else
#define etrace_uninitialized
#endif

/* New in 5.11; earlier kernels reject it. */
#ifndef CLOSE_RANGE_CLOEXEC
#define CLOSE_RANGE_CLOEXEC	(1U << 2)
#endif

/* In 5.10 it is private to FUSE. */
#ifndef FUSE_SUPER_MAGIC
#define FUSE_SUPER_MAGIC	0x65735546
#endif

/* 6.8: a new argument limits the event systems of an instance; NULL means all. */
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 8, 0)
#define etrace_trace_array_get(name)	trace_array_get_by_name(name, NULL)
#else
#define etrace_trace_array_get(name)	trace_array_get_by_name(name)
#endif

/* 5.12: the start of the look-up became a single argument, a path. */
#if LINUX_VERSION_CODE >= KERNEL_VERSION(5, 12, 0)
#define etrace_file_open_root(root, name, flags)			\
	file_open_root(root, name, flags, 0)
#else
#define etrace_file_open_root(root, name, flags)			\
	file_open_root((root)->dentry, (root)->mnt, name, flags, 0)
#endif

/*
 * A page that is read out of a ring buffer.
 * 6.8: a struct describes the page, which may be larger than the machine's pages.
 * 7.3: the struct is returned through an argument; the old one is freed.
 */
#if LINUX_VERSION_CODE >= KERNEL_VERSION(7, 3, 0)
#define etrace_read_page_get(buffer, cpu, page)	ring_buffer_alloc_read_page(buffer, cpu, page)
#else
#define etrace_read_page_get(buffer, cpu, page)				\
	PTR_ERR_OR_ZERO(*(page) = ring_buffer_alloc_read_page(buffer, cpu))
#endif
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 8, 0)
#define etrace_read_page		struct buffer_data_read_page
#define etrace_read_page_data(page)	ring_buffer_read_page_data(page)
#define etrace_read_page_size(buffer)	ring_buffer_subbuf_size_get(buffer)
#define etrace_read_page_fill(buffer, page, cpu)			\
	ring_buffer_read_page(buffer, page, PAGE_SIZE, cpu, 0)
#else
#define etrace_read_page		void
#define etrace_read_page_data(page)	(page)
#define etrace_read_page_size(buffer)	PAGE_SIZE
#define etrace_read_page_fill(buffer, page, cpu)			\
	ring_buffer_read_page(buffer, &(page), PAGE_SIZE, cpu, 0)
#endif

/* 6.2: the buffer remembers the reserved record, so it is no longer an argument. */
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 2, 0)
#define etrace_buffer_commit(buffer, event)	ring_buffer_unlock_commit(buffer)
#else
#define etrace_buffer_commit(buffer, event)	ring_buffer_unlock_commit(buffer, event)
#endif

/* 5.12: the flags and the preempt count of the caller became one argument. */
#if LINUX_VERSION_CODE >= KERNEL_VERSION(5, 12, 0)
#define etrace_trace_buffer_reserve(buffer, file, len)			\
	trace_event_buffer_lock_reserve(buffer, file,			\
					(file)->event_call->event.type, len, 0)
#else
#define etrace_trace_buffer_reserve(buffer, file, len)			\
	trace_event_buffer_lock_reserve(buffer, file,			\
					(file)->event_call->event.type, len, 0, 0)
#endif

/*
 * 6.16: sched_process_exit says whether the whole thread group is dead; earlier kernels
 * require a check, after exit_mm().
 */
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 16, 0)
#define ETRACE_PROTO_SCHED_PROCESS_EXIT \
	void *data, struct task_struct *p, bool group_dead
#define etrace_group_dead(p)	group_dead
#else
#define ETRACE_PROTO_SCHED_PROCESS_EXIT \
	void *data, struct task_struct *p
#define etrace_group_dead(p)	etrace_cost_is_last(p)
#endif

/*
 * The clock that the scheduler uses to charge time to tasks. It may exclude the time of
 * interrupts and of other guests.
 */
#if defined(CONFIG_IRQ_TIME_ACCOUNTING) || defined(CONFIG_PARAVIRT_TIME_ACCOUNTING)
#define etrace_sched_clock(p)	((p)->se.exec_start)
#else
#define etrace_sched_clock(p)	local_clock()
#endif

/*
 * 6.1: requests of an io_uring are in a struct that modules can see. 7.0: names in it
 * may not have been read yet.
 */
#if defined(CONFIG_IO_URING) && defined(CONFIG_KRETPROBES) && \
	LINUX_VERSION_CODE >= KERNEL_VERSION(6, 1, 0)
#define ETRACE_RINGS		1
#else
#define ETRACE_RINGS		0
#endif
#if LINUX_VERSION_CODE >= KERNEL_VERSION(7, 0, 0)
#define etrace_ring_name(f)	NULL
#else
#define etrace_ring_name(f)	((f) ? (f)->name : NULL)
#endif

/*
 * The tracepoint of submitted requests: it gets the request itself since 5.19, and was
 * renamed in 6.6. On other kernels it may fire for something else, or not for every request;
 * 5.10 and 5.15 were checked.
 */
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 6, 0)
#define ETRACE_RING_ASKED	"io_uring_submit_req"
#define etrace_ring_asked_check	check_trace_callback_type_io_uring_submit_req
#define ETRACE_PROTO_RING_ASKED	void *data, struct io_kiocb *req
#define etrace_ring_number(req)	((req)->opcode)
#elif LINUX_VERSION_CODE >= KERNEL_VERSION(6, 1, 0)
#define ETRACE_RING_ASKED	"io_uring_submit_sqe"
#define etrace_ring_asked_check	check_trace_callback_type_io_uring_submit_sqe
#define ETRACE_PROTO_RING_ASKED	void *data, struct io_kiocb *req, bool force_nonblock
#define etrace_ring_number(req)	((req)->opcode)
#elif LINUX_VERSION_CODE >= KERNEL_VERSION(5, 10, 162) && \
	LINUX_VERSION_CODE < KERNEL_VERSION(5, 17, 0) && \
	(LINUX_VERSION_CODE < KERNEL_VERSION(5, 11, 0) || \
	 LINUX_VERSION_CODE >= KERNEL_VERSION(5, 13, 0))
#define ETRACE_RING_ASKED	"io_uring_submit_sqe"
#define etrace_ring_asked_check	check_trace_callback_type_io_uring_submit_sqe
#define ETRACE_PROTO_RING_ASKED						\
	void *data, void *ctx, void *req, u8 opcode, u64 user_data,	\
	u32 flags, bool force_nonblock, bool sq_thread
#define etrace_ring_number(req)	(opcode)
#endif

/* 6.14: the attributes of modules are constant. */
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 14, 0)
#define etrace_module_attribute const struct module_attribute
#else
#define etrace_module_attribute struct module_attribute
#endif

/*
 * May the current task search a directory? Asks the file system if it has its own
 * check, but only for what is in memory (-ECHILD if it is not), and no security
 * module.
 * 5.12: users are seen through the mount's namespace; 6.3: through its mapping.
 */
static inline int etrace_may_search(const struct path *dir)
{
	struct inode *inode = d_inode(dir->dentry);
	const int mask = MAY_EXEC | MAY_NOT_BLOCK;
	int err;

#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 3, 0)
#define ETRACE_IDS	mnt_idmap(dir->mnt),
#elif LINUX_VERSION_CODE >= KERNEL_VERSION(5, 12, 0)
#define ETRACE_IDS	mnt_user_ns(dir->mnt),
#else
#define ETRACE_IDS
#endif
	rcu_read_lock();
	if (inode->i_op->permission)
		err = inode->i_op->permission(ETRACE_IDS inode, mask);
	else
		err = generic_permission(ETRACE_IDS inode, mask);
	rcu_read_unlock();
#undef ETRACE_IDS
	return err;
}

/*
 * Is a cached name still valid in its file system? > 0 if yes, as far as memory
 * shows; -ECHILD if memory does not show it.
 * 6.14: the directory and the name are passed, too.
 */
static inline int etrace_revalidate(struct dentry *dir, const struct qstr *name,
				    struct dentry *dentry)
{
	int ret;

	rcu_read_lock();
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 14, 0)
	ret = dentry->d_op->d_revalidate(d_inode(dir), name, dentry, LOOKUP_RCU);
#else
	ret = dentry->d_op->d_revalidate(dentry, LOOKUP_RCU);
#endif
	rcu_read_unlock();
	return ret;
}

/*
 * When a file was changed, in nanoseconds since 1970.
 * 6.6: readable only through an accessor.
 */
static inline s64 etrace_inode_mtime(const struct inode *inode)
{
	struct timespec64 mtime;

#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 6, 0)
	mtime = inode_get_mtime(inode);
#else
	mtime = inode->i_mtime;
#endif
	return mtime.tv_sec * (s64)NSEC_PER_SEC + mtime.tv_nsec;
}

/*
 * The descriptor table of the current task, in an RCU read-side section of any
 * flavour: the kernel's accessor accepts only rcu_read_lock().
 */
static inline struct fdtable *etrace_fdtable(struct files_struct *files)
{
	return rcu_dereference_raw(files->fdt);
}

/*
 * Keeps a probe of sys_exit on its CPU and in an RCU read-side section.
 * 6.13: probes of system calls must ask for this; before, all probes ran this way.
 */
static inline void etrace_syscall_pin(void)
{
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 13, 0)
	preempt_disable();
#endif
}

static inline void etrace_syscall_unpin(void)
{
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 13, 0)
	preempt_enable();
#endif
}

/*
 * Does a ptracer make this task's system calls itself (PTRACE_SYSEMU)?
 * 5.11: a flag of the generic entry code, where an architecture uses that.
 */
static inline bool etrace_syscalls_emulated(void)
{
#if defined(CONFIG_GENERIC_ENTRY) && LINUX_VERSION_CODE >= KERNEL_VERSION(5, 11, 0)
	return test_syscall_work(SYSCALL_EMU);
#elif defined(TIF_SYSCALL_EMU)
	return test_thread_flag(TIF_SYSCALL_EMU);
#else
	return false;
#endif
}

/*
 * May a task of the same user read this one's memory? Yes if it has none.
 * 7.2: this became a state of the task, before it was one of its memory.
 */
#if LINUX_VERSION_CODE >= KERNEL_VERSION(7, 2, 0)
#include <linux/sched/exec_state.h>

static inline bool etrace_dumpable(struct task_struct *task)
{
	const struct task_exec_state *state;
	bool is;

	rcu_read_lock();
	state = rcu_dereference(task->exec_state);
	is = !state || READ_ONCE(state->dumpable) == TASK_DUMPABLE_OWNER;
	rcu_read_unlock();
	return is;
}
#else
static inline bool etrace_dumpable(struct task_struct *task)
{
	bool is;

	/* The current task keeps its memory, and may hold the lock (tracepoint task_rename). */
	if (task == current)
		return !task->mm || get_dumpable(task->mm) == SUID_DUMP_USER;
	task_lock(task);
	is = !task->mm || get_dumpable(task->mm) == SUID_DUMP_USER;
	task_unlock(task);
	return is;
}
#endif

/*
 * What a hook gets: the registers at a function's entry that hold arguments.
 * 5.11: a separate struct, if the architecture saves the arguments for every
 * callback; 6.2: with an accessor.
 */
#if defined(CONFIG_DYNAMIC_FTRACE_WITH_ARGS) && \
	LINUX_VERSION_CODE >= KERNEL_VERSION(5, 11, 0)
#define ETRACE_FTRACE		1
#define ETRACE_FTRACE_FLAGS	0
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 2, 0)
#define etrace_hook_arg(regs, n)	((void *)ftrace_regs_get_argument(regs, n))
#else
#define etrace_hook_arg(regs, n) \
	((void *)regs_get_kernel_argument(&(regs)->regs, n))
#endif
#define etrace_hook_regs	struct ftrace_regs
#elif defined(CONFIG_DYNAMIC_FTRACE_WITH_REGS) && \
	LINUX_VERSION_CODE >= KERNEL_VERSION(5, 11, 0)
/* arm64 before 6.2: all registers are saved, but only on request. */
#define ETRACE_FTRACE		1
#define ETRACE_FTRACE_FLAGS	FTRACE_OPS_FL_SAVE_REGS
#define etrace_hook_arg(regs, n) \
	((void *)regs_get_kernel_argument(ftrace_get_regs(regs), n))
#define etrace_hook_regs	struct ftrace_regs
#elif defined(CONFIG_DYNAMIC_FTRACE_WITH_REGS)
/* Before 5.11, the kernel also guards against recursion unless a flag says it need not. */
#define ETRACE_FTRACE		1
#define ETRACE_FTRACE_FLAGS	(FTRACE_OPS_FL_SAVE_REGS | FTRACE_OPS_FL_RECURSION_SAFE)
#define etrace_hook_arg(regs, n)	((void *)regs_get_kernel_argument(regs, n))
#define etrace_hook_regs	struct pt_regs
#else
#define ETRACE_FTRACE		0	/* no hooks */
#define etrace_hook_arg(regs, n)	((void *)regs_get_kernel_argument(regs, n))
#define etrace_hook_regs	struct pt_regs
#endif

/*
 * The working directory and the root as getcwd reads them: no reference, so the
 * path is valid only until the caller leaves its RCU read-side section.
 * 6.18: fs_struct::seq is a seqlock_t, before a seqcount_spinlock_t.
 */
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 18, 0)
#define etrace_fs_begin(fs)		read_seqbegin(&(fs)->seq)
#define etrace_fs_retry(fs, n)		read_seqretry(&(fs)->seq, n)
#define etrace_fs_count(fs)		(&(fs)->seq.seqcount.seqcount)
#else
#define etrace_fs_begin(fs)		read_seqcount_begin(&(fs)->seq)
#define etrace_fs_retry(fs, n)		read_seqcount_retry(&(fs)->seq, n)
#define etrace_fs_count(fs)		(&(fs)->seq.seqcount)
#endif

/*
 * Begins a read that does not wait for a writer, which would sleep on PREEMPT_RT: while
 * there is a writer, the read fails.
 */
#define etrace_fs_look(fs)		raw_seqcount_begin(etrace_fs_count(fs))
#define etrace_fs_look_retry(fs, n)	read_seqcount_retry(etrace_fs_count(fs), n)
#define etrace_renames_look()		raw_seqcount_begin(&rename_lock.seqcount.seqcount)
#define etrace_renames_retry(n)		read_seqcount_retry(&rename_lock.seqcount.seqcount, n)

static inline void etrace_fs_pwd_rcu(struct fs_struct *fs, struct path *pwd)
{
	unsigned int seq;

	do {
		seq = etrace_fs_begin(fs);
		*pwd = fs->pwd;
	} while (etrace_fs_retry(fs, seq));
}

static inline void etrace_fs_root_rcu(struct fs_struct *fs, struct path *root)
{
	unsigned int seq;

	do {
		seq = etrace_fs_begin(fs);
		*root = fs->root;
	} while (etrace_fs_retry(fs, seq));
}

/*
 * The program file of an mm, referenced, NULL if none; in an RCU read-side section.
 * 6.7: files are freed without a grace period, so the getter itself checks and retries.
 */
static inline struct file *etrace_exe_file_get(struct mm_struct *mm)
{
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 7, 0)
	return get_file_rcu(&mm->exe_file);
#else
	struct file *file = rcu_dereference_check(mm->exe_file, rcu_read_lock_any_held());

	return file && get_file_rcu(file) ? file : NULL;
#endif
}

/*
 * The socket of a file, NULL if it is not one.
 * 5.11: the error argument is gone.
 */
static inline struct socket *etrace_sock_from_file(struct file *file)
{
#if LINUX_VERSION_CODE >= KERNEL_VERSION(5, 11, 0)
	return sock_from_file(file);
#else
	int err;

	return sock_from_file(file, &err);
#endif
}

#endif /* ETRACE_COMPAT_H */
