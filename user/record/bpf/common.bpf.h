/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Shared by all BPF programs: the state of a traced task, and sending records to the ring
 * buffer.
 *
 * The programs are compiled twice, with OLD being 1 and 0: kernels from 5.17 on have
 * bpf_loop() and task storage; for older ones loops are bounded and the state of a
 * task is in a hash.  Some programs have a variant that perf calls, for kernels
 * where the other variant can be preempted.  The loader picks one.
 */
#ifndef ETRACE_COMMON_BPF_H
#define ETRACE_COMMON_BPF_H

#include "record/bpf/maps.bpf.h"

/* ---- tasks ---- */

#define PF_EXITING	4u
#define PF_IO_WORKER	0x10u

static __always_inline struct task_struct *current_task(void)
{
	return OLD ? (void *)bpf_get_current_task() : bpf_get_current_task_btf();
}

/* May task storage be allocated? @again: it was refused for this task before */
static __always_inline bool storage_may(bool again)
{
	if (likely(!refuse_storage))
		return true;
	return refuse_storage > 1 && (again || ++storage_asked % refuse_storage);
}

/*
 * Allocates a task's storage, set to @value. Returns NULL if that fails now. @again: it failed
 * before
 */
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

/*
 * Not inlined, like all functions that test in_hash, so that the kernel removes the dead branch
 * only once.
 */
static __noinline struct slot *slot_of(struct task_struct *task)
{
	struct slot *t = NULL;

	if (OLD || in_hash) {
		u64 key = (u64)task;

		return bpf_map_lookup_elem(&slots_hash, &key);
	}
	/* Most tasks have no storage at all, which this test shows without a call. */
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
/*
 * The asm keeps @ref in use: otherwise the compiler would not pass it, but the verifier expects
 * it.
 */
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
	const bool own = is_x32_own(nr);

	nr = native_nr(nr);
	if (nr >= EB_MAX_NR || !row_any[nr])
		return 0;
	if (unlikely(is_32(task)))
		return row_compat[nr];
	/* Without the x32 bit, no call has such a number. */
	if (unlikely(nr >= X32_OWN && !own))
		return 0;
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

/* Does the current task's call point to structures of a 32-bit program? */
static __always_inline bool is_narrow(struct task_struct *task)
{
	return is_32(task) || is_x32_own(call_nr(task_regs(task)));
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

static __always_inline u64 row_arg(struct scratch *s, u32 row, enum eb_arg role, u64 absent)
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
 * A symbolic link wakes the reader immediately: the sooner its target is looked up, the
 * less can have changed. So does the first io_uring.
 */
static __always_inline u64 wake_flag(struct scratch *s)
{
	return s->rec.kind == EB_SYMLINK || has_ring == EB_RING_NEW ||
	       bpf_ringbuf_query(&ring, BPF_RB_AVAIL_DATA) >= wake_at ?
	       BPF_RB_FORCE_WAKEUP : BPF_RB_NO_WAKEUP;
}

/*
 * Sends the bytes so far as a part of the event. It has few branches, since loops
 * call it.
 */
static __noinline int flush_part(struct scratch *s)
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
	return !bpf_ringbuf_output(&ring, &s->rec, sizeof(s->rec) + n, wake_flag(s));
}

/* Sends an event; its strings are in place. */
static __always_inline void send_event(struct scratch *s, struct slot *t)
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
