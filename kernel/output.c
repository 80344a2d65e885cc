// SPDX-License-Identifier: GPL-2.0
/*
 * Output to ftrace: the trace events, the ring buffer that they go to, and
 * whether they arrived.
 *
 * The session of root_pid fires the trace events, for ftrace's instance and other
 * listeners. Each session of /dev/etrace has its own ring buffer, which no other
 * part of the kernel knows, and writes the same records to it.
 */
#include <linux/cred.h>
#include <linux/fs_struct.h>
#include <linux/mm.h>
#include <linux/pid.h>
#include <linux/pid_namespace.h>
#include <linux/ring_buffer.h>
#include <linux/sched/task.h>
#include <linux/trace.h>
#include <linux/trace_events.h>
#include <linux/workqueue.h>

#include "output.h"
#include "compat.h"
#include "counts.h"
#include "task.h"

#define ETRACE_UNSET_MAX	16	/* maximum bytes at the end of a record that no field sets */

/*
 * Clears the end of a record of @len bytes, before its fields are set. Behind its last string,
 * no field sets the up to 7 bytes by which the compiler, and the up to 3 (7) by which the ring
 * buffer, rounds sizes up. Readers get them, and a new page may hold old memory of the kernel.
 */
static __always_inline void etrace_clear_end(void *entry, unsigned long len)
{
	const bool wide = IS_ENABLED(CONFIG_HAVE_64BIT_ALIGNED_ACCESS);

	memset(entry + round_up(len, wide ? sizeof(u64) : sizeof(u32)) - ETRACE_UNSET_MAX, 0,
	       ETRACE_UNSET_MAX);
}

/*
 * Called by the function of each trace event to reserve room for a record. If the event
 * file belongs to no instance, the room is in the session's own buffer. Its readers ignore
 * the flags and the preempt count of a record, so these are 0.
 */
static __always_inline void *etrace_reserve(struct trace_event_buffer *fb,
					    struct trace_event_file *file,
					    unsigned long len, struct trace_buffer *buffer)
{
	struct trace_entry *entry;

	if (file->tr)
		return trace_event_buffer_reserve(fb, file, len);
	fb->trace_file = NULL;
	fb->event = ring_buffer_lock_reserve(buffer, len);
	if (unlikely(!fb->event))
		return NULL;
	/* ring_buffer_event_data(), inlined except for an event with an extended timestamp. */
	if (unlikely(fb->event->type_len > RINGBUF_TYPE_DATA_TYPE_LEN_MAX))
		entry = ring_buffer_event_data(fb->event);
	else
		entry = (void *)&fb->event->array[!fb->event->type_len];
	etrace_clear_end(entry, len);
	entry->type = file->event_call->event.type;
	entry->flags = 0;
	entry->preempt_count = 0;
	entry->pid = current->pid;
	return entry;
}

static __always_inline void etrace_commit(struct trace_event_buffer *fb,
					  struct trace_buffer *buffer)
{
	if (fb->trace_file)
		trace_event_buffer_commit(fb);
	else
		etrace_buffer_commit(buffer, fb->event);
}

#define trace_event_buffer_reserve(fb, file, len) etrace_reserve(fb, file, len, r->buffer)
#define trace_event_buffer_commit(fb) etrace_commit(fb, r->buffer)
#define CREATE_TRACE_POINTS
#include "events.h"
#undef trace_event_buffer_reserve
#undef trace_event_buffer_commit

#define ETRACE_SYSTEM		"etrace"
#define ETRACE_BUFFER_SIZE	1441792	/* ftrace's default size, in bytes per CPU */

const struct etrace_trace_event etrace_trace_events[ETRACE_NR_EV] = {
#define ETRACE_TRACE_EVENT(ID, id)					\
	[ETRACE_EV_##ID] = {						\
		"etrace_" #id,						\
		trace_etrace_##id,					\
		trace_etrace_##id##_enabled,				\
		trace_event_raw_event_etrace_##id,			\
	},
#define EVENT(ID, id, name, category, where, doc) ETRACE_TRACE_EVENT(ID, id)
#include "etrace_events.def"
	ETRACE_TRACE_EVENT(STRING, string)
	ETRACE_TRACE_EVENT(ARGS, args)
	ETRACE_TRACE_EVENT(LOST, lost)
#undef ETRACE_TRACE_EVENT
};

/* The event files of sessions with their own buffer. */
static struct trace_event_file etrace_own_files[ETRACE_NR_EV] = {
#define ETRACE_OWN_FILE(ID, id)						\
	[ETRACE_EV_##ID] = { .event_call = &event_etrace_##id },
#define EVENT(ID, id, name, category, where, doc) ETRACE_OWN_FILE(ID, id)
#include "etrace_events.def"
	ETRACE_OWN_FILE(STRING, string)
	ETRACE_OWN_FILE(ARGS, args)
	ETRACE_OWN_FILE(LOST, lost)
#undef ETRACE_OWN_FILE
};

/* Has this CPU's buffer dropped a record since the last call because it was full? */
static bool etrace_was_full(struct etrace_session *s)
{
	int cpu = raw_smp_processor_id();
	struct etrace_counts *counts = per_cpu_ptr(s->counts, cpu);
	unsigned long full = ring_buffer_dropped_events_cpu(s->buffer, cpu) +
			     ring_buffer_commit_overrun_cpu(s->buffer, cpu);
	bool was = full != counts->full;

	counts->full = full;
	return was;
}

/**
 * etrace_output_lost - count a record that did not arrive, and remember that for the task
 * @t: slot of the current task
 * @r: the record
 */
void etrace_output_lost(struct etrace_task *t, const struct etrace_rec *r)
{
	struct etrace_session *s = t->session;

	if (r->ev == ETRACE_EV_LOST)
		return;		/* the loss that it reports is already counted */
	/* If the buffer was not full, ftrace was switched off, which ftrace does not report. */
	if ((!s->fire || etrace_trace_events[r->ev].enabled()) &&
	    etrace_was_full(s))
		etrace_count(s, lost_records, 1);
	else
		etrace_count(s, lost_disabled, 1);
	if (!t->lost++)
		t->lost_since = r->time;
}

/**
 * etrace_output_overwritten - count records that were overwritten
 * @s: the session
 *
 * Return: number of records overwritten before they were read.
 */
unsigned long etrace_output_overwritten(const struct etrace_session *s)
{
	return ring_buffer_overruns(s->buffer);
}

/*
 * ftrace's top-level buffer has only two pages until a user enables an event, so
 * enlarge it in the same way.
 */
static int etrace_buffer_init(struct etrace_session *s)
{
	struct ring_buffer_event *event;

	/* Reserved directly: a filter of pids might reject an event. */
	preempt_disable();
	event = etrace_trace_buffer_reserve(&s->buffer,
					    s->files[ETRACE_EV_CLOSE], 32);
	if (event)
		ring_buffer_discard_commit(s->buffer, event);
	preempt_enable();
	if (!s->buffer)
		return -ENODEV;
	if (ring_buffer_size(s->buffer, raw_smp_processor_id()) >= 16 * PAGE_SIZE)
		return 0;
	return min(ring_buffer_resize(s->buffer, ETRACE_BUFFER_SIZE,
				      RING_BUFFER_ALL_CPUS), 0);
}

static int etrace_enable(struct etrace_session *s, bool on)
{
	if (s->tr)
		return trace_array_set_clr_event(s->tr, ETRACE_SYSTEM, NULL, on);
	return trace_set_clr_event(ETRACE_SYSTEM, NULL, on);
}

/* Gets the root directory of the machine's first process. Return: false if there is none. */
static bool etrace_first_root(struct path *root)
{
	struct task_struct *first;
	bool has = false;

	rcu_read_lock();
	first = pid_task(find_pid_ns(1, &init_pid_ns), PIDTYPE_PID);
	if (first) {
		task_lock(first);
		has = first->fs;
		if (has)
			get_fs_root(first->fs, root);
		task_unlock(first);
	}
	rcu_read_unlock();
	return has;
}

/**
 * etrace_output_open - open a file of tracefs that describes records, for any caller
 * @o: which file
 *
 * It is looked up from the first process's root: below the caller's root, the caller may
 * have put another file at its path.
 *
 * Return: the file, or an error pointer.
 */
struct file *etrace_output_open(const struct etrace_open *o)
{
	char name[96] = "sys/kernel/tracing/events/header_page";
	const struct cred *old;
	struct cred *cred;
	struct file *file;
	struct path root;
	unsigned int i;

	switch (o->what) {
	case ETRACE_OPEN_HEADER:
		break;
	case ETRACE_OPEN_FORMAT:
		for (i = 0; i < ETRACE_NR_EV; i++)
			if (!strncmp(o->name, etrace_trace_events[i].name, sizeof(o->name)))
				break;
		if (i == ETRACE_NR_EV)
			return ERR_PTR(-EINVAL);
		snprintf(name, sizeof(name), "sys/kernel/tracing/events/" ETRACE_SYSTEM "/%s/format",
			 etrace_trace_events[i].name);
		break;
	default:
		return ERR_PTR(-EINVAL);
	}
	if (!etrace_first_root(&root))
		return ERR_PTR(-ENOENT);
	cred = prepare_kernel_cred(&init_task);
	if (!cred) {
		path_put(&root);
		return ERR_PTR(-ENOMEM);
	}
	old = override_creds(cred);
	file = etrace_file_open_root(&root, name, O_RDONLY | O_NONBLOCK);
	revert_creds(old);
	put_cred(cred);
	path_put(&root);
	return file;
}

/* A page of a ring buffer, as the kernel's header_page describes it. */
struct etrace_page {
	u64 time_stamp;
	unsigned long commit;	/* bytes of records; flags above ETRACE_PAGE_BYTES */
	u8 data[];
};

#define ETRACE_PAGE_BYTES	(BIT(20) - 1)

/* Bytes of a record with its header. */
static u32 etrace_event_bytes(const struct ring_buffer_event *event)
{
	switch (event->type_len) {
	case 0:
	case RINGBUF_TYPE_PADDING:
		return sizeof(*event) + event->array[0];
	case RINGBUF_TYPE_TIME_EXTEND:
	case RINGBUF_TYPE_TIME_STAMP:
		return sizeof(*event) + sizeof(event->array[0]);
	default:
		return sizeof(*event) + event->type_len * sizeof(event->array[0]);
	}
}

/*
 * Clears the padding that the ring buffer puts where the next record did not fit: nobody has
 * written its bytes, and if the page was read before in part, they are copied with the rest.
 */
static void etrace_clear_padding(struct etrace_page *page)
{
	u32 end = min_t(u32, page->commit & ETRACE_PAGE_BYTES, PAGE_SIZE - sizeof(*page));
	struct ring_buffer_event *event;
	u32 at, bytes;

	for (at = 0; at + sizeof(*event) + sizeof(u32) <= end; at += bytes) {
		event = (struct ring_buffer_event *)(page->data + at);
		bytes = etrace_event_bytes(event);
		if (bytes > end - at)
			break;
		if (event->type_len == RINGBUF_TYPE_PADDING && bytes > sizeof(*event) + sizeof(u32))
			memset(&event->array[1], 0, bytes - sizeof(*event) - sizeof(u32));
	}
}

/**
 * etrace_output_read - read the next page of a CPU's buffer
 * @s: the session
 * @cpu: the CPU
 * @to: room for a page
 *
 * May sleep.
 *
 * Return: PAGE_SIZE, with a page in @to as read from trace_pipe_raw; -EAGAIN if there is
 * nothing to read; -EINVAL if the size of the buffer's pages was changed; or another
 * negative error.
 */
ssize_t etrace_output_read(const struct etrace_session *s, unsigned int cpu, void *to)
{
	etrace_read_page *page = NULL;
	ssize_t n = -EAGAIN;
	int err;

	if (etrace_read_page_size(s->buffer) != PAGE_SIZE)
		return -EINVAL;
	err = etrace_read_page_get(s->buffer, cpu, &page);
	if (err)
		return err;
	if (etrace_read_page_fill(s->buffer, page, cpu) >= 0) {
		memcpy(to, etrace_read_page_data(page), PAGE_SIZE);
		etrace_clear_padding(to);
		n = PAGE_SIZE;
	}
	ring_buffer_free_read_page(s->buffer, cpu, page);
	return n;
}

/**
 * etrace_output_level - how full a CPU's buffer is
 * @s: the session
 * @cpu: the CPU
 *
 * Return: percent.
 */
unsigned int etrace_output_level(const struct etrace_session *s, unsigned int cpu)
{
	unsigned long size = ring_buffer_size(s->buffer, cpu);

	return size ? 100 * (u64)ring_buffer_bytes_cpu(s->buffer, cpu) / size : 0;
}

/* A request to a kernel thread to create an instance or a buffer. */
struct etrace_wanted {
	struct work_struct work;
	const char *instance;
	struct trace_array *tr;
	struct trace_buffer *buffer;
	unsigned long bytes;
};

static void etrace_make_instance(struct work_struct *work)
{
	struct etrace_wanted *w = container_of(work, struct etrace_wanted, work);

	w->tr = etrace_trace_array_get(w->instance);
}

static void etrace_make_buffer(struct work_struct *work)
{
	struct etrace_wanted *w = container_of(work, struct etrace_wanted, work);

	/* without RB_FL_OVERWRITE: records that do not fit are lost */
	w->buffer = ring_buffer_alloc(w->bytes, 0);
}

/*
 * Lets a kernel thread create an instance or a buffer. The current task has access to the
 * device or is loading the module, so it is allowed to do this, and tracefs, which belongs
 * to root, must not check again. Also, if a task were killed while it created a ring
 * buffer, the kernel would print a warning: ring_buffer.c stops on the signal, and its
 * caller for CPU hotplug does not expect that.
 */
static void etrace_make(struct etrace_wanted *w, work_func_t make)
{
	INIT_WORK_ONSTACK(&w->work, make);
	schedule_work(&w->work);
	flush_work(&w->work);
	destroy_work_on_stack(&w->work);
}

/**
 * etrace_output_init - send the events of root_pid's session to its instance
 * @s: the session; its instance is created if it does not exist
 *
 * Return: 0 or a negative error; then only the instance may be left behind.
 */
int etrace_output_init(struct etrace_session *s)
{
	struct etrace_wanted w = { .instance = s->instance };
	struct trace_event_file *file;
	unsigned int i;
	int err;

	if (s->instance[0]) {
		etrace_make(&w, etrace_make_instance);
		s->tr = w.tr;
		if (!s->tr)
			return -ENOMEM;
	}
	for (i = 0; i < ETRACE_NR_EV; i++) {
		file = trace_get_event_file(s->tr ? s->instance : NULL,
					    ETRACE_SYSTEM,
					    etrace_trace_events[i].name);
		if (IS_ERR(file)) {
			err = PTR_ERR(file);
			goto put;
		}
		/*
		 * The file lives as long as the instance, which is referenced, and
		 * this module; a reference to the file would pin the module.
		 */
		s->files[i] = file;
		trace_put_event_file(file);
	}
	err = etrace_enable(s, true);
	if (err)
		goto put;
	err = etrace_buffer_init(s);
	if (err)
		goto disable;
	return 0;

disable:
	etrace_enable(s, false);
put:
	if (s->tr)
		trace_array_put(s->tr);
	s->tr = NULL;
	return err;
}

/**
 * etrace_output_exit - end the output of root_pid's session
 * @s: the session; its instance stays, but empty
 *
 * The buffer is emptied, since other modules may get the type numbers of its records once
 * this one is unloaded. ftrace also clears its buffers, but not those of offline CPUs.
 */
void etrace_output_exit(struct etrace_session *s)
{
	ring_buffer_reset(s->buffer);
	etrace_enable(s, false);
	if (s->tr)
		trace_array_put(s->tr);
	s->tr = NULL;
}

/**
 * etrace_output_make - create a session's own buffer
 * @s: the session; it must not write yet
 * @bytes: size of the buffer of each CPU
 *
 * Return: 0 or -ENOMEM.
 */
int etrace_output_make(struct etrace_session *s, unsigned long bytes)
{
	struct etrace_wanted w = { .bytes = bytes };
	unsigned int i;

	/* ring_buffer_alloc() warns if only some of the buffers fit. */
	if (bytes / PAGE_SIZE > si_mem_available() / num_online_cpus())
		return -ENOMEM;
	etrace_make(&w, etrace_make_buffer);
	s->buffer = w.buffer;
	for (i = 0; i < ETRACE_NR_EV; i++)
		s->files[i] = &etrace_own_files[i];
	return s->buffer ? 0 : -ENOMEM;
}

/**
 * etrace_output_free - free a session's own buffer, even if unread
 * @s: the session, which no longer has writers or readers
 */
void etrace_output_free(struct etrace_session *s)
{
	ring_buffer_free(s->buffer);
	s->buffer = NULL;
}
