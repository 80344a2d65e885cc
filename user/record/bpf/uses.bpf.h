/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The uses of a program's descriptors: kept with the leader of its threads, and recorded
 * when a descriptor is closed, or else when the program or the leader ends.
 */
#ifndef ETRACE_USES_BPF_H
#define ETRACE_USES_BPF_H

#include "record/bpf/call.bpf.h"

#define S_IFREG		0100000u
#define S_IFSOCK	0140000u
#define FILES_MIXED	1u	/* instead of a table: each use is recorded immediately */

/**
 * struct uses - uses of a process's descriptors
 * @files: their table; uses by a thread with another table are recorded immediately
 * @used: for each group of EB_USES_GROUP descriptors: not 0 if there may be uses to record
 *
 * Threads write to it at the same time, so no byte may depend on a read-modify-write
 * by two of them.
 */
struct uses {
	u64 files;
	union {
		u8 used[EB_USES_MAX / EB_USES_GROUP];
		u64 any;
	};
	struct eb_use use[EB_USES_MAX];
};

struct {
	__uint(type, BPF_MAP_TYPE_TASK_STORAGE);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, int);
	__type(value, struct uses);
} uses SEC(".maps");

/* Uses by task_struct, if task storage is not available. */
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 2048);
	__type(key, u64);
	__type(value, struct uses);
} uses_hash SEC(".maps");

/* The initial value of an entry: zeros, too large for the stack of a BPF program. */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);
	__type(key, u32);
	__type(value, struct uses);
} uses_none SEC(".maps");

static __noinline struct uses *uses_of(struct task_struct *leader, const bool make)
{
	struct uses *u, *none;
	u64 key = (u64)leader;
	u32 zero = 0;

	if (!OLD && !in_hash)
		u = bpf_task_storage_get(&uses, leader, 0, 0);
	else
		u = bpf_map_lookup_elem(&uses_hash, &key);
	/* A leader that is ending has recorded all its uses: nothing more is kept with it. */
	if (u || !make || BPF_CORE_READ(leader, flags) & PF_EXITING)
		return u;
	/* If this fails, for any reason, the current use is recorded immediately. */
	if (!OLD && !in_hash)
		return storage_make(&uses, leader, NULL, false);
	none = bpf_map_lookup_elem(&uses_none, &zero);
	if (!none || bpf_map_update_elem(&uses_hash, &key, none, BPF_NOEXIST))
		return NULL;
	return bpf_map_lookup_elem(&uses_hash, &key);
}

static __noinline void uses_forget(struct task_struct *leader)
{
	u64 key = (u64)leader;

	if (OLD || in_hash)
		bpf_map_delete_elem(&uses_hash, &key);
	else
		bpf_task_storage_delete(&uses, leader);
}

/* ---- recording uses ---- */

/* Copies the uses of a descriptor to the values of a close or a use. */
static __always_inline void put_use(struct scratch *s, struct eb_use *e)
{
	_Static_assert((int)EB_V_CLOSE_read == (int)EB_V_USE_read &&
		       (int)EB_V_CLOSE_mtime == (int)EB_V_USE_mtime, "the same places");

	if (e->did_read)
		put_val(s, EB_V_USE_read, e->read);
	if (e->did_write)
		put_val(s, EB_V_USE_wrote, e->wrote);
	if (e->did_write && !e->not_copied)
		put_val(s, s->rec.kind == EB_USE ? EB_V_USE_copied : EB_V_CLOSE_copied, 1);
	if (e->did_write && e->is_file) {
		put_val(s, EB_V_USE_size, e->size);
		put_val(s, EB_V_USE_mtime, e->mtime);
	}
}

/* If another thread adds a use at this moment, only its byte count can be lost. */
static __always_inline void forget_use(struct eb_use *e)
{
	if (e->did_read) {
		e->did_read = 0;
		e->read = 0;
	}
	if (e->did_write) {
		e->did_write = 0;
		e->wrote = 0;
		e->is_file = 0;
		e->no_file = 0;
		e->not_copied = 0;
	}
	e->from = 0;
	e->to = 0;
}

/* The descriptor now refers to another file. */
static __always_inline void forget_file(struct eb_use *e)
{
	forget_use(e);
	e->user = 0;
	e->turns = 0;
}

static __always_inline void record_use(struct scratch *s, struct slot *t, u32 fd,
				       struct eb_use *e)
{
	rec_init(s, t, EB_USE);
	s->rec.val[EB_V_USE_fd] = (s32)fd;
	put_use(s, e);
	send_event(s, t);
}

/*
 * Takes the uses in @u, to record them: of two threads that end at the same moment, and would
 * both record them, one gets 0. (Before 5.12, programs cannot exchange a word.)
 */
static __always_inline u64 take_uses(struct uses *u)
{
	u64 any;

	if (!u)
		return 0;
	if (!OLD)
		return __sync_lock_test_and_set(&u->any, 0);
	any = u->any;
	u->any = 0;
	return any;
}

/* Sends all uses in @u as one record. @any: from take_uses(); @how: EB_USES_* */
static __always_inline void record_uses(struct scratch *s, struct slot *t, struct uses *u,
					u64 any, u32 how)
{
	u64 n = 0;

	rec_init(s, t, EB_USES);
	s->rec.val[0] = how;
	if (u && any) {
		/* The last group with uses is the highest nonzero byte. */
		if (any >> 32)
			n = any >> 48 ? (any >> 56 ? 8 : 7) : (any >> 40 ? 6 : 5);
		else
			n = any >> 16 ? (any >> 24 ? 4 : 3) : (any >> 8 ? 2 : 1);
		n *= EB_USES_GROUP * sizeof(struct eb_use);
		n = below(EB_DATA, n);
		if (n > sizeof(u->use))
			n = sizeof(u->use);
		if (bpf_probe_read_kernel(s->data, n, u->use))
			n = 0;
	}
	s->fill = n;
	t->last += EB_USES_MAX;	/* each event gets its own time */
	send_event(s, t);
}

/* The task's program or process is over: records all uses. */
static __always_inline void uses_over(struct scratch *s, struct slot *t,
				      struct task_struct *task, bool closes)
{
	struct task_struct *leader = GET(task, group_leader);
	struct uses *u = uses_of(leader, false);
	u64 any = take_uses(u);

	if (any || closes)
		record_uses(s, t, u, any, closes ? EB_USES_EXEC : EB_USES_RECORD);
	if (u)
		uses_forget(leader);
}

/* CO-RE macros must not see struct call, which is not a type of the kernel. */
static __always_inline struct task_struct *leader_of(const struct call *c)
{
	struct task_struct *task = c->task;

	return GET(task, group_leader);
}

static __always_inline struct files_struct *files_of(const struct call *c)
{
	struct task_struct *task = c->task;

	return GET(task, files);
}

/* A descriptor was created: records kept uses of an earlier one with its number. */
static __always_inline void use_new(const struct call *c, s32 fd)
{
	struct uses *u;
	struct eb_use *e;

	if ((u32)fd >= EB_USES_MAX)
		return;
	u = uses_of(leader_of(c), false);
	if (!u)
		return;
	e = &u->use[below(EB_USES_MAX, fd)];
	if (u->files != (u64)files_of(c))
		return;
	if (e->did_read | e->did_write)
		record_use(c->s, c->t, fd, e);
	forget_file(e);
}

/* A descriptor is closed: moves its uses to the record of the close. */
static __always_inline void use_closed(const struct call *c, s32 fd)
{
	struct files_struct *files = files_of(c);
	struct uses *u;
	struct eb_use *e;

	/* Another thread may have opened a new descriptor with this number by now. */
	if (unlikely(GET(files, count.counter) > 1) && fd_file(c->task, fd)) {
		put_val(c->s, EB_V_CLOSE_reused, 1);
		return;
	}
	if ((u32)fd >= EB_USES_MAX)
		return;
	u = uses_of(leader_of(c), false);
	if (!u || u->files != (u64)files)
		return;
	e = &u->use[below(EB_USES_MAX, fd)];
	put_use(c->s, e);
	forget_file(e);
}

/* close_range: sends all uses before the record of the call, which may need them. */
static __always_inline void use_closed_range(const struct call *c)
{
	struct task_struct *leader = leader_of(c);
	struct uses *u = uses_of(leader, false);

	if (!u || !u->any || u->files != (u64)files_of(c))
		return;
	record_uses(c->s, c->t, u, take_uses(u), EB_USES_KEEP);
	uses_forget(leader);
}

/*
 * A task was forked: if another process shares its descriptor table, the uses of both are
 * recorded immediately from now on.
 */
static __always_inline void use_fork(struct scratch *s, struct slot *t,
				     struct task_struct *parent, struct task_struct *child)
{
	struct task_struct *leader = GET(parent, group_leader);
	struct uses *u;

	if (likely(GET(child, files) != GET(parent, files) ||
		   GET(child, tgid) == GET(parent, tgid)))
		return;
	u = uses_of(leader, false);
	if (u && u->any) {
		record_uses(s, t, u, take_uses(u), EB_USES_RECORD);
		uses_forget(leader);
	}
	u = uses_of(leader, true);
	if (u)
		u->files = FILES_MIXED;
	u = uses_of(child, true);
	if (u)
		u->files = FILES_MIXED;
}

#endif
