/* SPDX-License-Identifier: GPL-2.0 */
/*
 * When a process ends, adds up the resources that it used, as the module's cost.c does.
 * The sums lack the time that the kernel has not charged to the last thread yet: at most
 * one tick.
 */
#ifndef ETRACE_COST_BPF_H
#define ETRACE_COST_BPF_H

#include "record/bpf/common.bpf.h"

#define div64_u64(a, b)	((a) / (b))

#include "kernel/etrace_cost.h"

#define COST_THREADS_OLD	512u	/* on old kernels, whose verifier checks each step */
#define COST_WAITS		(1u << 18)
#define COST_WAITS_OLD		512u
#define PAGE_BYTES		4096u

/* Processes whose cost has been recorded; used only without TELLS_DEAD. */
struct last {
	u64 signal, start;
};

struct {
	__uint(type, BPF_MAP_TYPE_LRU_HASH);
	__uint(max_entries, 1024);
	__type(key, struct last);
	__type(value, u8);
} lasts SEC(".maps");

static __always_inline void cost_add_io(struct cost *c, struct task_io_accounting *io)
{
	if (bpf_core_field_exists(io->rchar)) {
		c->rchar += BPF_CORE_READ(io, rchar);
		c->wchar += BPF_CORE_READ(io, wchar);
	}
	if (bpf_core_field_exists(io->read_bytes)) {
		c->rbytes += BPF_CORE_READ(io, read_bytes);
		c->wbytes += BPF_CORE_READ(io, write_bytes);
	}
}

/* Adds the next thread. Returns 1 at the end. */
static __noinline long cost_step(struct scratch *s)
{
	struct cost *c = &s->cost;
	struct task_struct *t;

	if (c->pos == c->head || !c->pos)
		return 1;
	t = (void *)c->pos - bpf_core_field_offset(struct task_struct, thread_node);
	c->left |= (u64)BPF_CORE_READ(t, mm);
	c->utime += BPF_CORE_READ(t, utime);
	c->stime += BPF_CORE_READ(t, stime);
	c->ran += BPF_CORE_READ(t, se.sum_exec_runtime);
	c->minflt += BPF_CORE_READ(t, min_flt);
	c->majflt += BPF_CORE_READ(t, maj_flt);
	cost_add_io(c, (void *)t + bpf_core_field_offset(struct task_struct, ioac));
	c->pos = (u64)BPF_CORE_READ(t, thread_node.next);
	return 0;
}

static long cost_step_cb(u32 i, struct scratch **s)
{
	return cost_step(*s);
}

/* For old kernels; not static for the same reason as walk_step_old(). */
__attribute__((noinline)) int cost_step_old(ROOM_REF room)
{
	struct scratch *s = room_at(room);

	return !s || cost_step(s);
}

static __always_inline u32 cost_sequence(struct signal_struct *sig)
{
	return BPF_CORE_READ(sig, stats_lock.seqcount.seqcount.sequence);
}

/* Returns 1 unless an ended thread is being added to the process's sums right now. */
static __noinline long cost_wait(struct scratch *s)
{
	return !(cost_sequence((void *)s->cost.signal) & 1);
}

static long cost_wait_cb(u32 i, struct scratch **s)
{
	return cost_wait(*s);
}

/* For old kernels; not static for the same reason as walk_step_old(). */
__attribute__((noinline)) int cost_wait_old(ROOM_REF room)
{
	struct scratch *s = room_at(room);

	return !s || cost_wait(s);
}

/*
 * Adds up all threads. Returns false if threads started or ended in between. Like readers in the
 * kernel, it waits while another CPU adds an ended thread: only a moment, unless it is a
 * virtual CPU that its host has stopped.
 */
static __always_inline bool cost_try(struct scratch *s, struct signal_struct *sig)
{
	struct scratch *ctx = s;
	struct cost *c = &s->cost;
	u32 seq;

	__builtin_memset(c, 0, sizeof(*c));
	c->signal = (u64)sig;
	REPEAT(COST_WAITS, COST_WAITS_OLD, cost_wait, s, &ctx);
	seq = cost_sequence(sig);
	c->utime = BPF_CORE_READ(sig, utime);
	c->stime = BPF_CORE_READ(sig, stime);
	c->ran = BPF_CORE_READ(sig, sum_sched_runtime);
	c->minflt = BPF_CORE_READ(sig, min_flt);
	c->majflt = BPF_CORE_READ(sig, maj_flt);
	cost_add_io(c, (void *)sig + bpf_core_field_offset(struct signal_struct, ioac));
	c->head = (u64)sig + bpf_core_field_offset(struct signal_struct, thread_head);
	c->pos = (u64)BPF_CORE_READ(sig, thread_head.next);
	REPEAT(ETRACE_COST_THREADS, COST_THREADS_OLD, cost_step, s, &ctx);
	/* The last step may have reached exactly the last thread. */
	return c->pos == c->head && !(seq & 1) && seq == cost_sequence(sig);
}

/* Adds up all threads, in at most three tries. Returns false if all of them failed. */
static __always_inline bool cost_sum(struct scratch *s, struct signal_struct *sig)
{
	return cost_try(s, sig) || cost_try(s, sig) || cost_try(s, sig);
}

/* As the module's etrace_cost_is_last(), for threads that cost_sum() has added up. */
static __always_inline bool cost_is_last(struct scratch *s, struct task_struct *p,
					 struct signal_struct *sig)
{
	struct last last = {
		.signal = (u64)sig,
		.start = BPF_CORE_READ(p, group_leader, start_time),
	};
	u8 one = 1;

	return !s->cost.left && !bpf_map_update_elem(&lasts, &last, &one, BPF_NOEXIST);
}

/* Does the kernel's tracepoint say whether the process ends with the thread? */
#define TELLS_DEAD \
	bpf_core_field_exists(((struct trace_event_raw_sched_process_exit *)0)->group_dead)

/* Does the process end with this thread? @dead: the kernel's answer, if TELLS_DEAD. */
static __always_inline bool is_last(struct task_struct *p, bool dead)
{
	return TELLS_DEAD ? dead : !BPF_CORE_READ(p, signal, live.counter);
}

/* Adds the cost to the record of the process's last thread. @dead: as in is_last() */
static __always_inline void put_cost(struct scratch *s, struct task_struct *p, bool dead)
{
	struct signal_struct *sig = BPF_CORE_READ(p, signal);
	struct cost *c = &s->cost;
	u64 stime;

	if (!is_last(p, dead))
		return;
	if (!cost_sum(s, sig) || (!TELLS_DEAD && !cost_is_last(s, p, sig)))
		return;
	stime = etrace_stime(c->utime, c->stime, c->ran);
	put_val(s, EB_V_EXIT_utime, c->ran - stime);
	put_val(s, EB_V_EXIT_stime, stime);
	put_val(s, EB_V_EXIT_maxrss, BPF_CORE_READ(sig, maxrss) * PAGE_BYTES);
	put_val(s, EB_V_EXIT_minflt, c->minflt);
	put_val(s, EB_V_EXIT_majflt, c->majflt);
	if (bpf_core_field_exists(struct task_io_accounting, rchar)) {
		put_val(s, EB_V_EXIT_rchar, c->rchar);
		put_val(s, EB_V_EXIT_wchar, c->wchar);
	}
	if (bpf_core_field_exists(struct task_io_accounting, read_bytes)) {
		put_val(s, EB_V_EXIT_rbytes, c->rbytes);
		put_val(s, EB_V_EXIT_wbytes, c->wbytes);
	}
}

#endif
