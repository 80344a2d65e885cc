// SPDX-License-Identifier: GPL-2.0
/*
 * Output to ftrace: the trace events, the ring buffer that they go to, and
 * whether they arrived.
 *
 * The session of root_pid fires the trace events, for ftrace's instance and
 * whoever else listens. The sessions of /dev/etrace have a ring buffer each,
 * which no other part of the kernel knows: the same records go there.
 */
#include <linux/cred.h>
#include <linux/fs_struct.h>
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

/*
 * What a trace event's own function asks for room. A session's event files belong
 * to no instance: then the room is in the session's buffer. Nobody sees the flags
 * and the preempt count of a record there; they are 0.
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
	/* As ring_buffer_event_data(), but for what comes behind a longer pause. */
	if (unlikely(fb->event->type_len > RINGBUF_TYPE_DATA_TYPE_LEN_MAX))
		entry = ring_buffer_event_data(fb->event);
	else
		entry = (void *)&fb->event->array[!fb->event->type_len];
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
#define ETRACE_BUFFER_SIZE	1441792	/* ftrace's own, for each processor */

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

/* The event files of sessions that have a buffer of their own. */
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

/* Did this processor's buffer take no record because it was full? It counts that. */
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
		return;		/* what it tells of has been counted */
	/* Else ftrace was switched off, which it does not tell us. */
	if ((!s->fire || etrace_trace_events[r->ev].enabled()) &&
	    etrace_was_full(s))
		etrace_count(s, lost_records, 1);
	else
		etrace_count(s, lost_disabled, 1);
	if (!t->lost++)
		t->lost_since = r->time;
}

/**
 * etrace_output_overwritten - records that the ring buffer threw away
 * @s: the session
 *
 * Return: number of records overwritten before they were read.
 */
unsigned long etrace_output_overwritten(const struct etrace_session *s)
{
	return ring_buffer_overruns(s->buffer);
}

/*
 * The top-level buffer has room for two pages until an event is enabled by
 * hand; do what that does.
 */
static int etrace_buffer_init(struct etrace_session *s)
{
	struct ring_buffer_event *event;

	/* Not as an event does it, which a filter of pids may keep out. */
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

/* The root directory of the machine's first process. Return: whether it has one. */
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
 * etrace_output_open - what tracefs says of records, whoever asks
 * @o: which file
 *
 * It is looked up from the first process's root, for what the caller has there may be
 * of its own making.
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

/**
 * etrace_output_read - read the next page of a CPU's buffer
 * @s: the session
 * @cpu: the CPU
 * @to: room for a page
 *
 * May sleep.
 *
 * Return: PAGE_SIZE, with a page as trace_pipe_raw has it in @to; -EAGAIN if there is
 * nothing; -EINVAL if the size of the buffer's pages was changed; or another
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

/* What a kernel thread is to make. */
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

	/* what does not fit is lost, not written over */
	w->buffer = ring_buffer_alloc(w->bytes, 0);
}

/*
 * Has a kernel thread make it. Who asks has been allowed to by the device, or is
 * loading the module; tracefs, which is root's, is not to ask again. And a task
 * that is killed while it makes a ring buffer gets a warning of the kernel:
 * ring_buffer.c stops for the signal, and its caller for CPU hotplug does not
 * expect that.
 */
static void etrace_make(struct etrace_wanted *w, work_func_t make)
{
	INIT_WORK_ONSTACK(&w->work, make);
	schedule_work(&w->work);
	flush_work(&w->work);
	destroy_work_on_stack(&w->work);
}

/**
 * etrace_output_init - let the events of root_pid's session go to its instance
 * @s: the session; its instance is made if need be
 *
 * Return: 0 or a negative error, then nothing is left behind but the instance.
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
		 * It lives as long as the instance, which is held, and this
		 * module; a reference of its own would pin the module.
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
 * etrace_output_exit - root_pid's session writes nothing any more
 * @s: the session; its instance stays, with nothing in it
 *
 * The numbers of its types of records are given away when the module goes. ftrace
 * clears what it has, too, but not of processors that are off.
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
 * etrace_output_make - make a session's own buffer
 * @s: the session; it must not write yet
 * @bytes: for each processor
 *
 * Return: 0 or -ENOMEM.
 */
int etrace_output_make(struct etrace_session *s, unsigned long bytes)
{
	struct etrace_wanted w = { .bytes = bytes };
	unsigned int i;

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
