/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the parts of the module know of each other.  The data goes one way:
 *
 *	probes.c, hooks.c -> syscalls.c -> emit.c -> output.c -> print.c
 *
 * with session.c (for whom), task.c (who is traced), capture.c (strings),
 * later.c (what a probe has no time for), target.c (where links lead) and
 * counters.c (what was lost) beside it.
 */
#ifndef ETRACE_H
#define ETRACE_H

#include <linux/atomic.h>
#include <linux/hash.h>
#include <linux/path.h>
#include <linux/percpu.h>
#include <linux/rculist.h>
#include <linux/sched.h>
#include <linux/spinlock.h>
#include <linux/timekeeping.h>
#include <linux/types.h>
#include <linux/wait.h>

#include "etrace_ioctl.h"
#include "schema.h"

struct dentry;
struct file;
struct linux_binprm;
struct pt_regs;
struct trace_array;
struct trace_buffer;
struct trace_event_file;

/* ---- strings and records ---------------------------------------------- */

/**
 * struct etrace_str - a string of a record
 * @s: the bytes, without a null byte at the end; NULL: the record has none
 * @len: number of bytes
 */
struct etrace_str {
	const char *s;
	u32 len;
};

/**
 * struct etrace_rec - one event on its way into the ring buffer
 * @upid: the task that made the call
 * @time: CLOCK_MONOTONIC in nanoseconds
 * @ev: which event
 * @error: 0, or the positive errno of a call that failed
 * @str: the strings, in the order of etrace_events.def
 * @nr_str: how many entries of @str the event has
 * @inl: how many of them are in the event's own record; the others follow in
 *	records of their own
 * @more: records follow this one
 * @joined: bit i: @str[i] is the user's string behind a directory's path, not
 *	a name that the kernel has resolved
 * @unread: bit i: @str[i] could not be read
 * @cut: bit i: @str[i] is not whole
 * @untold: bit i: whether there is an @str[i] cannot be told without asking
 *	somebody
 * @outside: bit i: @str[i] is no path from the task's root directory, but from
 *	the top of a mount that lies nowhere below it
 * @file: where the record should arrive, to tell whether it did
 * @written: set when it did
 * @have: bit i: the event's value i is there; of those that MAY be and do not
 *	tell it themselves
 * @string: a piece of a string: its event's record had no room for it
 * @args: a piece of an argument list
 * @lost: how many records of the task were lost
 *
 * On the stack of probes: only what an event uses is filled in.
 */
struct etrace_rec {
	u64 upid;
	u64 time;
	struct etrace_str str[ETRACE_NR_STR];
	u8 ev;
	u8 nr_str;
	u8 inl;
	u8 more;
	u8 joined;
	u8 unread;
	u8 cut;
	u8 untold;
	u8 outside;
	u8 have;
	bool written;
	s32 error;
	struct trace_event_file *file;
	/* The values of the event, one struct for each. */
	union {
#define EVENT(ID, id, name, category, where, doc) struct {
#define ARGS(ID, id, TAG, name) u32 id##_len; struct etrace_str id;
#define VALUE(ID, id, type, name, means, given) type id;
#define END_EVENT(ID, id) } id;
#include "etrace_events.def"
		struct {
			struct etrace_str piece;
			u32 total;
			s32 part;
			u8 tag;
			u8 state;
			u8 ev;
		} string;
		struct {
			struct etrace_str piece;
			u32 first;
		} args;
		struct {
			u64 count;
			u64 since;
		} lost;
	};
};

/**
 * etrace_rec_init - begin a record: a call that succeeded, no marks
 * @r: the record; its strings and its event's own fields are not touched
 * @ev: which event
 * @nr_str: how many strings it has
 */
static inline void etrace_rec_init(struct etrace_rec *r, enum etrace_event ev,
				   unsigned int nr_str)
{
	r->ev = ev;
	r->nr_str = nr_str;
	r->inl = 0;
	r->more = 0;
	r->joined = 0;
	r->unread = 0;
	r->cut = 0;
	r->untold = 0;
	r->outside = 0;
	r->have = 0;
	r->error = 0;
}

/* etrace_rec.string.state: how a piece lies in its string. */
#define ETRACE_PIECE_CONT	1	/* begins behind a newline */
#define ETRACE_PIECE_OPEN	2	/* the next piece begins behind a newline */
#define ETRACE_PIECE_LAST	4	/* ends the string */

#define ETRACE_PART_MAX		900	/* bytes in a part, by the line format */

/*
 * Lines that may be printed from one record, see emit.c; each takes 1 ns. Far
 * below what writing a record takes, so that times stay those of the clock.
 */
#define ETRACE_LINES_MAX	64

/* ---- counters: counters.c ---------------------------------------------- */

/* What is counted; counters.c says what each means. */
#define ETRACE_COUNTERS(X)		\
	X(records)			\
	X(lost_records)			\
	X(lost_disabled)		\
	X(lost_tasks)			\
	X(lost_fds)			\
	X(strings_joined)		\
	X(strings_unread)		\
	X(strings_cut)			\
	X(strings_untold)

enum etrace_counter {
#define X(name)	ETRACE_CNT_##name,
	ETRACE_COUNTERS(X)
#undef X
	ETRACE_NR_CNT,
};

/**
 * struct etrace_counts - counters of one processor
 * @n: what is counted
 * @full: of a session: what its buffer there had dropped when last asked
 */
struct etrace_counts {
	u64 n[ETRACE_NR_CNT];
	unsigned long full;
};

DECLARE_PER_CPU(struct etrace_counts, etrace_counts);

/* For a session, and for the sum of all. */
#define etrace_count(session, name, add)				\
	do {								\
		this_cpu_add(etrace_counts.n[ETRACE_CNT_##name], add);	\
		this_cpu_add((session)->counts->n[ETRACE_CNT_##name], add); \
	} while (0)

u64 etrace_counts_sum(struct etrace_counts __percpu *counts,
		      enum etrace_counter i);
int etrace_counters_init(void);
void etrace_counters_exit(void);

/* ---- sessions: session.c, output.c -------------------------------------- */

/**
 * struct etrace_session - a trace: who it is for, and where it goes
 * @fire: the events are fired as trace events, for everybody who has enabled
 *	them; else they are written to the session's own instance only. Only
 *	the session of the parameter root_pid does so
 * @comm: changes of thread names are recorded
 * @tracing: tasks may be added
 * @tr: the ftrace instance; NULL: the top level
 * @buffer: its ring buffer
 * @files: its trace events
 * @counts: what was recorded and lost
 * @seq: sequence number of the latest upid
 * @tasks: tasks that are traced now
 * @idle: woken when @tasks gets 0
 * @instance: name of the instance, empty: the top level
 */
struct etrace_session {
	bool fire;
	bool comm;
	bool tracing;
	struct trace_array *tr;
	struct trace_buffer *buffer;
	struct trace_event_file *files[ETRACE_NR_EV];
	struct etrace_counts __percpu *counts;
	atomic64_t seq;
	atomic_t tasks;
	wait_queue_head_t idle;
	char instance[64];
};

int etrace_session_init(struct etrace_session *s);
void etrace_session_exit(struct etrace_session *s);
extern struct etrace_session etrace_root;	/* of the parameter root_pid */
extern unsigned int etrace_max_sessions;	/* of the device, at a time */

int etrace_device_register(void);
void etrace_device_unregister(void);

int etrace_output_init(struct etrace_session *s);
void etrace_output_exit(struct etrace_session *s);
void etrace_output_empty(struct etrace_session *s);
int etrace_output_remove(struct etrace_session *s);
unsigned long etrace_output_overwritten(const struct etrace_session *s);

/* ---- traced tasks: task.c --------------------------------------------- */

struct etrace_hold;

/* Many, so that an untraced task hardly ever meets a traced one's bucket. */
#define ETRACE_TASK_BITS	12
#define ETRACE_TASK_BUCKETS	(1U << ETRACE_TASK_BITS)

/**
 * struct etrace_task - a task that a session traces
 * @node: in the table, by @task
 * @rcu: for freeing
 * @task: the key; never followed, no reference held
 * @session: for which it is traced
 * @upid: its unique identifier in that session
 * @last: time that its next record must be behind: each line that is printed
 *	from a record has a time of its own, and they grow strictly, so that a
 *	reader can put them in order
 * @lost: records of it that were lost and that no record tells of yet
 * @lost_since: time of the first of them
 * @hold: what a hook left for the end of the system call in progress
 * @going_on: has the beginning of an event whose rest the task writes later
 * @skipped: a seccomp filter has answered the call in progress, which is not
 *	made; as of the latest call that a filter has seen
 * @swept: links slots that left the table because tracing stops
 *
 * Only the task itself reads and writes @last, @lost, @hold,
 * @going_on and @skipped.
 */
struct etrace_task {
	struct hlist_node node;
	struct rcu_head rcu;
	struct task_struct *task;
	struct etrace_session *session;
	u64 upid;
	u64 last;
	u64 lost;
	u64 lost_since;
	struct etrace_hold *hold;
	bool going_on;
	bool skipped;
	struct etrace_task *swept;
};

extern unsigned int etrace_bits_of_real_pid;

int etrace_tasks_init(void);
void etrace_tasks_exit(void);
int etrace_tasks_start(struct etrace_session *s, pid_t root);
void etrace_tasks_stop(struct etrace_session *s);
void etrace_tasks_idle(void);
u32 etrace_tasks_list(const struct etrace_session *s, unsigned int bucket,
		      struct etrace_task_info *to, u32 room);
struct etrace_task *etrace_task_fork(struct etrace_task *parent,
				     struct task_struct *child);
void etrace_task_drop(struct task_struct *task);
u64 etrace_task_new_upid(struct etrace_session *s, pid_t pid);

/**
 * struct etrace_bucket - slots whose tasks hash alike
 * @head: the slots; look-ups run under RCU
 * @lock: guards changes of @head
 */
struct etrace_bucket {
	struct hlist_head head;
	spinlock_t lock;
};

extern struct etrace_bucket etrace_buckets[ETRACE_TASK_BUCKETS];

static inline struct etrace_bucket *etrace_bucket(struct task_struct *task)
{
	return &etrace_buckets[hash_ptr(task, ETRACE_TASK_BITS)];
}

/**
 * etrace_task_untraced - a quick look
 * @task: the task; any task
 *
 * Return: true if the task is surely not traced; false: etrace_task_find()
 * tells.
 */
static inline bool etrace_task_untraced(struct task_struct *task)
{
	return hlist_empty(&etrace_bucket(task)->head);
}

/* The first slot of @task from @pos on. */
static inline struct etrace_task *etrace_bucket_find(struct hlist_node *pos,
						     struct task_struct *task)
{
	struct etrace_task *t;

	for (; pos; pos = rcu_dereference_raw(hlist_next_rcu(pos))) {
		t = hlist_entry(pos, struct etrace_task, node);
		if (t->task == task)
			return t;
	}
	return NULL;
}

/**
 * etrace_task_find - a slot of a task
 * @task: the task; any task
 *
 * To be called in an RCU read-side section, which lasts as long as the slot is
 * used, and those that etrace_task_next() finds from there; or with the
 * bucket's lock.
 *
 * Return: its first slot, or NULL if the task is not traced.
 */
static inline struct etrace_task *etrace_task_find(struct task_struct *task)
{
	struct hlist_head *head = &etrace_bucket(task)->head;

	return etrace_bucket_find(rcu_dereference_raw(hlist_first_rcu(head)), task);
}

/**
 * etrace_task_next - the slot of the same task for another session
 * @t: a slot, found by etrace_task_find()
 *
 * Return: its next slot, or NULL.
 */
static inline struct etrace_task *etrace_task_next(struct etrace_task *t)
{
	return etrace_bucket_find(rcu_dereference_raw(hlist_next_rcu(&t->node)),
				  t->task);
}

/* All slots of a task, one for each session that traces it. */
#define etrace_for_each_slot(t, first)	\
	for ((t) = (first); (t); (t) = etrace_task_next(t))

/**
 * etrace_task_now - the time of a task's next record
 * @t: the task's slot
 *
 * Return: CLOCK_MONOTONIC in nanoseconds, later by more than 1 than any line
 * of the task's records before.
 */
static inline u64 etrace_task_now(struct etrace_task *t)
{
	u64 now = ktime_get_ns();

	if (unlikely(now <= t->last))
		now = t->last + 1;
	t->last = now + ETRACE_LINES_MAX;
	return now;
}

/* ---- tracepoints: probes.c -------------------------------------------- */

int etrace_probes_init(void);
int etrace_probes_register(void);
void etrace_probes_unregister(void);

/* ---- the table of system calls: syscalls.c ---------------------------- */

enum etrace_record {
#define ETRACE_RECORD(ID, id, told) ETRACE_REC_##ID,
#include "etrace_syscalls.def"
	ETRACE_NR_REC,
};

enum etrace_hook_id {
#define ETRACE_HOOK(id) ETRACE_HOOK_##id,
#include "etrace_syscalls.def"
};

enum etrace_arg {
#define ETRACE_ROLE(id) ETRACE_ARG_##id,
#include "etrace_syscalls.def"
	ETRACE_NR_ARG,
};

#define ETRACE_MAX_ARGS	6

/**
 * struct etrace_syscall - a row of etrace_syscalls.def
 * @nr: its number in each ABI
 * @record: what it is recorded as
 * @told: how it must end to be an event, ETRACE_TOLD_*
 * @hook: where its names come from
 * @role: what its arguments mean
 * @at: 1 + the place of the argument with a given role, 0: has none
 */
struct etrace_syscall {
	int nr[2];
	u8 record;
	u8 told;
	u8 hook;
	u8 role[ETRACE_MAX_ARGS];
	u8 at[ETRACE_NR_ARG];
};

void etrace_syscalls_init(void);
const struct etrace_syscall *etrace_syscall_current(void);
unsigned long etrace_syscall_arg(const struct etrace_syscall *sc,
				 struct pt_regs *regs, enum etrace_arg role,
				 unsigned long absent);
void etrace_syscall_done(struct pt_regs *regs, long ret);

void etrace_record_fork(struct etrace_task *t, struct task_struct *child);
void etrace_record_exec(struct etrace_task *t, struct linux_binprm *bprm);
void etrace_record_exit(struct etrace_task *t, int code);
void etrace_record_comm(struct etrace_task *t, struct task_struct *target,
			const char *comm);

/* ---- hooks: hooks.c ---------------------------------------------------- */

/**
 * struct etrace_hold - names that the kernel resolved in the middle of a call
 * @hook: which hook left it
 * @outside: as etrace_rec.outside
 * @first: the first descriptor of @fds
 * @nr_fds: bits in @fds
 * @fds: the descriptors that close_range is about to close, a bitmap; kfree
 * @str: the names; each is allocated, NULL where there is none
 * @later: for what is still to be found out; NULL: nothing
 */
struct etrace_hold {
	u8 hook;
	u8 outside;
	u32 first;
	u32 nr_fds;
	unsigned long *fds;
	struct etrace_str str[ETRACE_NR_STR];
	struct etrace_later *later;
};

int etrace_hooks_init(void);
void etrace_hooks_register(void);
void etrace_hooks_unregister(void);
unsigned long etrace_hooks_missed(void);
unsigned int etrace_hooks_missing(void);
void etrace_hold_free(struct etrace_hold *hold);

/* ---- strings: capture.c ------------------------------------------------ */

#define ETRACE_PATH_BUF	(32 * 1024)	/* longest path: any depth that is met */

/**
 * struct etrace_scratch - a processor's room for the strings of one record
 * @path: room for each: a directory's path, '/', and a user's string
 * @argv: room for a piece of an argument list
 */
struct etrace_scratch {
	char path[ETRACE_NR_STR][ETRACE_PATH_BUF + PATH_MAX + 1];
	char argv[2048];
};

int etrace_capture_init(void);
void etrace_capture_exit(void);
struct etrace_scratch *etrace_scratch_get(void);
void etrace_scratch_put(void);
void etrace_capture_path(struct etrace_rec *r, int i, struct etrace_scratch *sc,
			 const struct path *path);
void etrace_capture_child(struct etrace_rec *r, int i, struct etrace_scratch *sc,
			  const struct path *dir, const struct dentry *dentry);
void etrace_capture_fd(struct etrace_rec *r, int i, struct etrace_scratch *sc,
		       int fd);
long etrace_fd_flags(int fd);
bool etrace_fds_are_pipe(const int fd[2]);
void etrace_capture_cwd(struct etrace_rec *r, int i, struct etrace_scratch *sc);
void etrace_capture_user(struct etrace_rec *r, int i, struct etrace_scratch *sc,
			 unsigned long uaddr);
void etrace_capture_joined(struct etrace_rec *r, int i,
			   struct etrace_scratch *sc, int dirfd,
			   unsigned long uaddr);
void etrace_capture_kernel(struct etrace_rec *r, int i,
			   struct etrace_scratch *sc, const char *name);

/* ---- on the way back to the program: later.c, target.c ------------------- */

/**
 * struct etrace_argv - an argument list that is being written out
 * @pos: user address of what comes next
 * @end: user address behind the last byte
 * @index: number of the argument at @pos
 */
struct etrace_argv {
	unsigned long pos;
	unsigned long end;
	u32 index;
};

/**
 * struct etrace_later - work of a task on its way back to its program
 * @node: in a list of later.c
 * @file: whose release does it
 * @fn: what is to be done
 * @dir: a directory; referenced, @dir.mnt NULL: none
 * @hold: what a hook left
 * @pos: how far it has been written: a bit of @hold->fds
 * @argv: how far an argument list has been written
 * @joined: as etrace_rec.joined
 * @unread: as etrace_rec.unread
 * @cut: as etrace_rec.cut
 */
struct etrace_later {
	struct list_head node;
	struct file *file;
	void (*fn)(struct etrace_later *l);
	struct path dir;
	struct etrace_hold *hold;
	u32 pos;
	struct etrace_argv argv;
	u8 joined;
	u8 unread;
	u8 cut;
};

int etrace_later_init(void);
void etrace_later_exit(void);
struct etrace_later *etrace_later_get(void);
void etrace_later_run(struct etrace_later *l, void (*fn)(struct etrace_later *l));
void etrace_later_drop(struct etrace_later *l);

int etrace_target_find(const struct path *dir, const struct etrace_str *target,
		       struct path *found);

/* ---- out: emit.c, output.c, print.c ------------------------------------ */

void etrace_emit(struct etrace_task *t, struct etrace_rec *r);
void etrace_emit_one(struct etrace_task *t, struct etrace_rec *r);
unsigned int etrace_going_on(struct etrace_task *t, bool on);
void etrace_emit_going_on(struct etrace_task *t, struct etrace_rec *r);
void etrace_emit_exec(struct etrace_task *t, struct etrace_rec *r,
		      const struct etrace_argv *argv, struct etrace_scratch *sc);

void etrace_output(struct etrace_task *t, struct etrace_rec *r);

#endif /* ETRACE_H */
