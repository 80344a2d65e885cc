/* SPDX-License-Identifier: GPL-2.0 */
/* The settings and maps of all BPF programs, and the structs in the maps. */
#ifndef ETRACE_MAPS_BPF_H
#define ETRACE_MAPS_BPF_H

#include <linux/bpf.h>

#include "record/bpf/kernel_types.h"

#include <bpf/bpf_core_read.h>
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_tracing.h>

#include "record/bpf/bpf_abi.h"

#define EB_FULL		8192u	/* number of bytes from which on a part is sent */
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
const volatile __u32 want_output;	/* output of processes: 1: that fail; 2: of all */
const volatile __u32 pid_bits = 22;
const volatile __u32 wake_at;	/* bytes in the ring buffer that wake the reader */
const volatile __u32 nr_cpus;	/* above the number of each possible processor */
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
 * @joined: it ran before it was traced, and no record reports it yet
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
	u8 meant;	/* the name as the caller passed it, see etrace_meant() of the module */
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
	u64 pos, head;		/* list of threads: the current link, and the list's head */
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
	u64 args_pos, args_end;	/* position in an argument list that is being sent; its end */
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

static __always_inline struct scratch *own_room(u32 i)
{
	struct scratch *s = room_again(i);

	if (s)
		s->which = i;
	return s;
}

#endif
