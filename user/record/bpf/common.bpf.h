/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Shared by all BPF programs: maps, settings, the state of a traced task, and
 * sending records to the ring buffer.
 *
 * The programs are compiled twice, with OLD being 1 and 0: kernels from 5.17 on have
 * bpf_loop() and task storage; for older ones loops are bounded and the state of a
 * task is in a hash.  Some programs have a variant that perf calls, for kernels
 * where the other variant can be preempted.  The loader picks one.
 */
#ifndef ETRACE_COMMON_BPF_H
#define ETRACE_COMMON_BPF_H

#include <linux/bpf.h>

#include "record/bpf/kernel_types.h"

#include <bpf/bpf_core_read.h>
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_tracing.h>

#include "record/bpf/bpf_abi.h"

#define EB_FULL		8192u	/* bytes from which a part is sent */
#define EB_DATA		16384u	/* maximum bytes in a part: EB_FULL and one text */
#define EB_SLACK	8256u	/* never used: the verifier assumes that a text may reach here */
#define EB_PATH_MAX	4096u
#define EB_NAME_MAX	255u	/* longest name in bytes; a power of two minus 1 */

#define likely(x)	__builtin_expect(!!(x), 1)
#define unlikely(x)	__builtin_expect(!!(x), 0)

#include "record/bpf/arch.bpf.h"

/*
 * A number as the verifier needs it: below @limit, a power of two. Without a
 * branch, which the verifier would have to follow, and in a way that the
 * compiler does not optimise away.
 */
#define below(limit, n)							\
({									\
	u64 _n = (n);							\
									\
	asm volatile("%0 &= %1" : "+r"(_n) : "i"((limit) - 1));		\
	_n;								\
})

/* ---- settings, made by the loader before the programs are loaded ---- */

const volatile struct eb_row rows[EB_MAX_ROWS];
/* Row of each system call number, 0 if not recorded; row_any: nonzero if in any ABI. */
const volatile __u8 row_native[EB_MAX_NR];
const volatile __u8 row_compat[EB_MAX_NR];
const volatile __u8 row_any[EB_MAX_NR];
const volatile bool want_comm;
const volatile bool want_env;
const volatile __u32 want_output;	/* 1: of processes that fail; 2: of all */
const volatile __u32 pid_bits = 22;
const volatile __u32 wake_at;	/* bytes in the ring buffer that wake the reader */
const volatile __u32 nr_cpus;	/* possible processors */
const volatile bool in_hash;	/* slots are in slots_hash, not in task storage */
const volatile __u32 refuse_storage;	/* struct bpf_options */
const volatile bool can_hold;	/* bpf_preempt_disable() is available and needed */

/* ---- shared with the loader while tracing ---- */

bool tracing;			/* new tasks are added */
__u64 tasks;			/* number of living traced tasks */
/* Row of each io_uring operation, 0 if not recorded; or EB_RING_UNSEEN. */
__u8 ring_row[EB_MAX_RING];
__u32 has_ring;			/* enum eb_has_ring */
__u32 nr_cgroups;		/* number of cgroups whose tasks are traced */
bool cgroups_moved;		/* the reader must look for tasks that entered one */
/* arguments and results of the iterator */
__s32 root_pid;			/* root of the tree to add, 0 to list all traced tasks, or EB_* */
__u64 adopted;			/* number of tasks added */
bool adopts_late;		/* added tasks record their programs themselves */
bool root_seen;			/* root_pid is a living task */
__u32 storage_asked;		/* requests for new task storage, if refuse_storage > 1 */
__u64 storage_refused;		/* number of times that allocating it failed */
__u32 slots_late;		/* tasks that wait for their storage, slot_late() */
__u64 slots_unseen;		/* number of times that such a task failed again */
/* The process that reads the records; set by the iterator. */
struct {
	__u64 root_mnt, root_dentry;
	__u64 pid_ns;
	__u32 pid_level;
} reader;

/* ---- maps ---- */

struct {
	__uint(type, BPF_MAP_TYPE_RINGBUF);
	__uint(max_entries, 16 << 20);
} ring SEC(".maps");

/**
 * struct slot - a traced task
 * @last: nanoseconds; its next record must be later, as in the module
 * @lost: number of its lost events that no record reports yet
 * @lost_since: time of the first of these, in nanoseconds
 * @dir_ino, @dir_mount: inode and mount of the directory where a symbolic link is made
 * @nr_fds: number of descriptors that the close_range in progress may close
 * @hold: enum eb_hook: the hook that sent names for the call in progress
 * @cloexec: descriptors were sent that the execve in progress may close
 * @skipped: a seccomp filter has answered the call in progress; the kernel does not run it
 * @ring_req: the request of the io_uring operation in progress
 * @ring_fd: descriptor of that request
 * @ring: table row of that operation, 0 if none
 * @joined: it ran before tracing of it began, and no record reports it yet
 */
struct slot {
	u64 upid;
	u64 last;
	u64 lost_since;
	u64 dir_ino;
	u64 ring_req;
	s32 ring_fd;
	s32 dir_mount;
	u32 lost;
	u32 nr_fds;
	u8 hold;
	u8 cloexec;
	u8 skipped;
	u8 ring;
	u8 joined;
};

struct {
	__uint(type, BPF_MAP_TYPE_TASK_STORAGE);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, int);
	__type(value, struct slot);
} slots SEC(".maps");

/* Slots by task_struct, if task storage is not available, or not yet: slot_late(). */
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 32768);
	__type(key, u64);
	__type(value, struct slot);
} slots_hash SEC(".maps");

/* What to capture as a string of an event. */
enum want {
	W_NONE,
	W_FD,		/* path of descriptor @fd */
	W_PATH,		/* path of @mnt, @dentry */
	W_CWD,
	W_USER,		/* text at user address @addr, no string if 0 */
	W_BYTES,	/* @fd bytes at user address @addr */
	W_KERNEL,	/* text at kernel address @addr, no string if 0 */
	W_JOIN,		/* path of directory @fd, then text at user address @addr */
	W_KERNEL_JOIN,	/* path of directory @fd, then text at kernel address @addr */
	W_HELD,		/* string @fd of the hook's record */
	W_SAME,		/* same as string 0 */
	W_EMPTY,	/* an empty string */
	W_ADDRESS,	/* @fd bytes at scratch.sockaddr, < 0 if unreadable */
};

struct wanted {
	u16 how;
	u8 joined;	/* used instead of a name that the kernel resolved */
	u8 meant;	/* the name as the caller gave it, see etrace_meant() of the module */
	s32 fd;
	u64 addr;
	u64 mnt, dentry;
};

/**
 * struct walk - a walk from a file up to its root
 * @dentry: current position, on the mount @mnt whose root is @mnt_root
 * @steps: number of components so far
 * @mark: EB_* of the string
 * @special: the file has no path, but a synthetic name
 * @done: the root is reached
 */
struct walk {
	u64 dentry, mnt, mnt_root;
	u64 root_dentry, root_mnt;
	u32 steps;
	u8 mark;
	u8 special;
	u8 done;
	u8 pad;
};

/* Resources that a process used, summed over the threads visited so far. */
struct cost {
	u64 signal;		/* the signal_struct of its threads */
	u64 pos, head;		/* in the list of threads */
	u64 left;		/* not 0 if a thread still has its memory */
	u64 ran;
	u64 utime, stime, minflt, majflt;
	u64 rchar, wchar, rbytes, wbytes;
};

/**
 * struct received - messages whose descriptors are being sent
 * @msg: user address of the next message's struct msghdr
 * @cmsg: user address of the next struct cmsghdr of the current message
 * @fds: user address of the next descriptor of the current control message
 * @nr_msg: number of messages from @msg on
 * @left: bytes of control data from @cmsg on
 * @nr_fds: number of descriptors from @fds on
 * @compat: it is a 32-bit program: words have 4 bytes
 * @cloexec: the descriptors are closed by an execve
 */
struct received {
	u64 msg, cmsg, fds;
	u32 nr_msg, left, nr_fds;
	u8 compat;
	u8 cloexec;
	u8 unread;	/* something could not be read */
	u8 pad;
};

/* Output of a call: the remaining entries of its vector. */
struct printing {
	u64 at;			/* user address of the next entry of the vector */
	u64 pieces;		/* number of entries from there on */
	u64 left;		/* bytes of output in these entries */
	u32 fd;
	u32 is_32;		/* a 32-bit program: words have 4 bytes */
};

/*
 * A program's buffer for one event. There is one for each program and CPU, since a
 * program never interrupts itself.  @rec and @data are sent in one piece.
 *
 * Values that differ between branches are kept here and not on the stack: the
 * verifier does not track values in maps, so it need not check the code after
 * a branch once for each value.
 */
struct scratch {
	struct eb_counts counts;
	struct wanted want[EB_NR_STR + 1];
	u64 arg[8];
	s64 ret;		/* result of the current call, and its row */
	u32 row;
	struct walk walk;
	u32 fill;		/* bytes in @data */
	u32 flushed;		/* bytes of this event sent in parts */
	u32 failed;		/* a part was lost */
	u32 which;		/* enum room */
	u32 part_flags;		/* flags of the next part */
	u64 args_pos, args_end;	/* of an argument list that is being sent */
	u32 args_failed;
	struct cost cost;
	struct received received;
	struct printing printing;
	u8 sockaddr[2 * EB_SOCKADDR_MAX];
	struct eb_rec rec;
	u8 data[EB_DATA + EB_SLACK];
};

enum room {
	ROOM_SYS_EXIT, ROOM_FORK, ROOM_EXEC, ROOM_EXIT, ROOM_COMM,
	ROOM_BPRM, ROOM_RENAME, ROOM_LINK, ROOM_SYMLINK, ROOM_MOUNT,
	ROOM_UMOUNT, ROOM_USE, ROOM_PIVOTROOT, ROOM_CLOSE_RANGE, ROOM_CLOSE_RANGE32,
	ROOM_ADOPT, ROOM_RING, ROOM_RING_ASKED, ROOM_JOIN, ROOM_JOINING,
#define ETRACE_HOOK_CHILD(id, name) ROOM_##name,
#define ETRACE_HOOK_PATH(id, name) ROOM_##name,
#include "kernel/etrace_syscalls.def"
	NR_ROOM
};

/*
 * The buffers of each CPU.  They are one array that the reader maps into its memory, not
 * a per-CPU array that it would read by bpf(): while a task is in a call of bpf() that
 * reads or writes a map, even if preempted, its CPU runs none of the programs that
 * perf calls.
 */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(map_flags, BPF_F_MMAPABLE);
	__uint(max_entries, NR_ROOM);	/* for each CPU */
	__type(key, u32);
	__type(value, struct scratch);
} scratches SEC(".maps");

/*
 * Programs that make upids and can interrupt each other on a CPU have separate numbers:
 * the programs of forks, the iterator, and the programs of cgroups.
 */
#define NR_SEQ	3u

/* Sequence numbers per CPU, so that no atomic fetch is needed. */
struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, NR_SEQ);
	__type(key, u32);
	__type(value, u64);
} seqs SEC(".maps");

static __always_inline struct scratch *room_again(u32 i)
{
	i += bpf_get_smp_processor_id() * NR_ROOM;
	return bpf_map_lookup_elem(&scratches, &i);
}

static __always_inline struct scratch *room(u32 i)
{
	struct scratch *s = room_again(i);

	if (s)
		s->which = i;
	return s;
}

/* ---- tasks ---- */

#define PF_EXITING	4u
#define PF_IO_WORKER	0x10u

static __always_inline struct task_struct *current_task(void)
{
	return OLD ? (void *)bpf_get_current_task() : bpf_get_current_task_btf();
}

/* May task storage be allocated? @again: it was refused to this task before */
static __always_inline bool storage_may(bool again)
{
	if (likely(!refuse_storage))
		return true;
	return refuse_storage > 1 && (again || ++storage_asked % refuse_storage);
}

/* Allocates a task's storage, set to @value. NULL if that fails now. @again: it failed before */
static __always_inline void *storage_make(void *map, struct task_struct *task, void *value,
					  bool again)
{
	void *made = NULL;

	if (storage_may(again))
		made = bpf_task_storage_get(map, task, value, BPF_LOCAL_STORAGE_GET_F_CREATE);
	if (!made)
		__sync_fetch_and_add(&storage_refused, 1);
	return made;
}

static __always_inline bool slot_is_late(struct task_struct *task)
{
	u64 key = (u64)task;

	return unlikely(slots_late) && bpf_map_lookup_elem(&slots_hash, &key);
}

/* The task no longer waits for its storage. Returns whether it did. */
static __always_inline bool slot_not_late(struct task_struct *task)
{
	u64 key = (u64)task;

	if (likely(!slots_late) || bpf_map_delete_elem(&slots_hash, &key))
		return false;
	__sync_fetch_and_add(&slots_late, -1);
	return true;
}

/*
 * In newer kernels (7.3) the allocator of task storage does not wait for a lock: if
 * another CPU holds it, allocation fails.  Then the slot waits in slots_hash, and
 * moves to task storage the next time that it is looked up.
 */
static __noinline struct slot *slot_late(struct task_struct *task)
{
	u64 key = (u64)task;
	struct slot *at = bpf_map_lookup_elem(&slots_hash, &key), new, *t;

	if (!at)
		return NULL;
	new = *at;
	t = storage_make(&slots, task, &new, true);
	if (t)
		slot_not_late(task);
	else
		__sync_fetch_and_add(&slots_unseen, 1);
	return t;
}

/* Not inlined, like all that test in_hash: so the kernel removes its dead branch only once. */
static __noinline struct slot *slot_of(struct task_struct *task)
{
	struct slot *t = NULL;

	if (OLD || in_hash) {
		u64 key = (u64)task;

		return bpf_map_lookup_elem(&slots_hash, &key);
	}
	/* Most tasks have no storage at all: seeing that needs no call. */
	if (!bpf_core_field_exists(task->bpf_storage) || task->bpf_storage)
		t = bpf_task_storage_get(&slots, task, 0, 0);
	if (!t && unlikely(slots_late))
		t = slot_late(task);
	return t;
}

/* @which: index below NR_SEQ */
static __always_inline u64 new_upid(u32 pid, u32 which)
{
	u64 *n = bpf_map_lookup_elem(&seqs, &which);
	u64 seq;

	if (!n)
		return 0;
	seq = ((*n)++ * nr_cpus + bpf_get_smp_processor_id()) * NR_SEQ + which + 1;
	return (seq << pid_bits | (pid & ((1ull << pid_bits) - 1))) & (~0ull >> 1);
}

/* Starts tracing a task. @joined: as in struct slot. Returns its upid, 0 if out of memory. */
static __always_inline u64 slot_add(struct task_struct *task, u32 pid, u32 which, bool joined)
{
	struct slot new = { .upid = new_upid(pid, which), .joined = joined };
	const bool hashed = OLD || in_hash;
	u64 key = (u64)task;

	if (hashed || !storage_make(&slots, task, &new, false)) {
		/* Counted first: otherwise slot_of() might not look in slots_hash. */
		if (!hashed)
			__sync_fetch_and_add(&slots_late, 1);
		if (bpf_map_update_elem(&slots_hash, &key, &new, BPF_ANY)) {
			if (!hashed)
				__sync_fetch_and_add(&slots_late, -1);
			return 0;
		}
	}
	__sync_fetch_and_add(&tasks, 1);
	return new.upid;
}

static __always_inline void slot_drop(struct task_struct *task)
{
	if (OLD || in_hash) {
		u64 key = (u64)task;

		bpf_map_delete_elem(&slots_hash, &key);
	} else {
		slot_not_late(task);
		bpf_task_storage_delete(&slots, task);
	}
	__sync_fetch_and_add(&tasks, -1);
}

/* Drops a task that ends or is released, but that slot_of() did not find. */
static __always_inline void slot_drop_late(struct task_struct *task)
{
	if (!OLD && !in_hash && slot_not_late(task))
		__sync_fetch_and_add(&tasks, -1);
}

#define LINES_MAX 64	/* ETRACE_LINES_MAX of the module */

/*
 * How to pass a buffer and the current task's slot to functions that the verifier checks
 * separately: on older kernels these take only numbers.
 */
#if OLD
#define ROOM_REF	u32
#define room_ref(s)	((s)->which)
#define room_at(ref)	room_again(ref)
#define SLOT_REF	u32
#define slot_ref(t)	0
/* The asm keeps @ref used: else the compiler would not pass it, but the verifier expects it. */
#define slot_at(ref)	({ asm volatile("" : : "r"(ref)); slot_of(current_task()); })
#else
#define ROOM_REF	struct scratch *
#define room_ref(s)	(s)
#define room_at(ref)	(ref)
#define SLOT_REF	struct slot *
#define slot_ref(t)	(t)
#define slot_at(ref)	(ref)
#endif

/*
 * Calls name##_cb() with @ctx until it returns 1, at most @max times. On older kernels,
 * without bpf_loop(), it calls name##_old(), which the verifier checks once, at most
 * @max_old times.
 */
#define REPEAT(max, max_old, name, s, ctx)				\
	do {								\
		u32 i_;							\
									\
		if (OLD) {						\
			_Pragma("clang loop unroll(disable)")		\
			for (i_ = 0; i_ < (max_old); i_++)		\
				if (name##_old(room_ref(s)))		\
					break;				\
		} else {						\
			bpf_loop(max, name##_cb, ctx, 0);		\
		}							\
	} while (0)

/* The time of a task's next record, in nanoseconds. */
static __always_inline u64 slot_now(struct slot *t)
{
	u64 now = bpf_ktime_get_ns();

	if (unlikely(now <= t->last))
		now = t->last + 1;
	t->last = now + LINES_MAX;
	return now;
}

/* ---- preemption ---- */

/*
 * A hook that is not a kprobe can be preempted with preempt=full, and until it resumes,
 * all other tasks on that CPU skip the hook.  So it disables preemption if it can (6.10
 * and later), although it can still be preempted just before and just after that.
 */
extern void bpf_preempt_disable(void) __ksym __weak;
extern void bpf_preempt_enable(void) __ksym __weak;
/* For the programs that perf calls; 6.2 and later. */
extern void *bpf_rdonly_cast(const void *p, u32 btf_id) __ksym __weak;
extern struct task_struct *bpf_task_from_pid(s32 pid) __ksym __weak;
extern void bpf_task_release(struct task_struct *task) __ksym __weak;

static __always_inline void hold_cpu(void)
{
	if (!OLD && can_hold)
		bpf_preempt_disable();
}

static __always_inline void free_cpu(void)
{
	if (!OLD && can_hold)
		bpf_preempt_enable();
}

/* ---- rings ---- */

/* Notes that a traced task has an io_uring. */
static __always_inline void ring_there(void)
{
	if (has_ring == EB_RING_NONE)
		has_ring = EB_RING_NEW;
}

/* ---- system calls ---- */

/* The row of a call, 0 if none. */
static __always_inline u32 row_of(struct task_struct *task, u32 nr)
{
	nr = native_nr(nr);
	if (nr >= EB_MAX_NR || !row_any[nr])
		return 0;
	if (unlikely(is_32(task)))
		return row_compat[nr];
	return row_native[nr];
}

/*
 * The user registers of the current task at its entry into the kernel.  Older kernels
 * have another way to get them.
 */
static __always_inline struct pt_regs *task_regs(struct task_struct *task)
{
	if (OLD)
		return old_regs(task);
	return (struct pt_regs *)bpf_task_pt_regs(task);
}

/* The arguments of the current task's call. */
static __always_inline void get_args(struct scratch *s, struct task_struct *task,
				     struct pt_regs *regs)
{
	read_args(s->arg, task, regs);
}

static __always_inline bool has_arg(u32 row, enum eb_arg role)
{
	return rows[row & (EB_MAX_ROWS - 1)].at[role];
}

static __always_inline u64 arg(struct scratch *s, u32 row, enum eb_arg role, u64 absent)
{
	u32 at = rows[row & (EB_MAX_ROWS - 1)].at[role];

	return at ? s->arg[(at - 1) & 7] : absent;
}

/* ---- records ---- */

static __always_inline void rec_init(struct scratch *s, struct slot *t, u32 kind)
{
	s->rec.upid = t->upid;
	s->rec.time = slot_now(t);
	s->rec.lost = 0;
	s->fill = 0;
	s->flushed = 0;
	s->failed = 0;
	s->part_flags = EB_FIRST;
	s->rec.kind = kind;
	s->rec.flags = 0;
	s->rec.error = 0;
	s->rec.have = 0;
	s->rec.pad2 = 0;
	s->rec.cpu = bpf_get_smp_processor_id();
	__builtin_memset(s->rec.val, 0, sizeof(s->rec.val));
	*(u32 *)&s->want[0] = W_NONE;
	*(u32 *)&s->want[1] = W_NONE;
	*(u32 *)&s->want[2] = W_NONE;
	s->rec.str[0].form = EB_S_NONE;
	s->rec.str[1].form = EB_S_NONE;
	s->rec.str[2].form = EB_S_NONE;
}

/* Sets a MAY value of the record, one that may be absent. */
static __always_inline void put_val(struct scratch *s, u32 i, s64 val)
{
	s->rec.val[i] = val;
	s->rec.have |= 1u << i;
}

/*
 * A symbolic link wakes the reader at once: the sooner its target is looked up, the less
 * can have changed.  So does the first io_uring.
 */
static __always_inline u64 wake(struct scratch *s)
{
	return s->rec.kind == EB_SYMLINK || has_ring == EB_RING_NEW ||
	       bpf_ringbuf_query(&ring, BPF_RB_AVAIL_DATA) >= wake_at ?
	       BPF_RB_FORCE_WAKEUP : BPF_RB_NO_WAKEUP;
}

/*
 * Sends the bytes so far as a part of the event. It has few branches, since loops
 * call it.
 */
static __noinline int flush(struct scratch *s)
{
	u64 n = below(EB_DATA, s->fill);
	u8 kind = s->rec.kind, flags = s->rec.flags;

	s->rec.kind = EB_PART;
	s->rec.flags = s->part_flags;
	s->part_flags = 0;
	s->failed |= bpf_ringbuf_output(&ring, &s->rec, sizeof(s->rec) + n, BPF_RB_NO_WAKEUP);
	s->rec.kind = kind;
	s->rec.flags = flags;
	s->flushed += n;
	s->fill = 0;
	return 0;
}

static __always_inline bool send_rec(struct scratch *s)
{
	u64 n = below(EB_DATA, s->fill);

	if (s->failed)
		return false;
	return !bpf_ringbuf_output(&ring, &s->rec, sizeof(s->rec) + n, wake(s));
}

/* Sends an event; its strings are in place. */
static __always_inline void send(struct scratch *s, struct slot *t)
{
	s->rec.lost = t->lost;
	s->rec.lost_since = t->lost_since;
	if (send_rec(s)) {
		s->counts.events++;
		t->lost = 0;
	} else {
		s->counts.lost_records++;
		if (!t->lost++)
			t->lost_since = s->rec.time;
	}
}

#endif
