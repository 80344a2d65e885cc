// SPDX-License-Identifier: GPL-2.0
/*
 * The ftrace side: the trace events, the instance that they go to, and
 * whether they arrived.
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

#define CREATE_TRACE_POINTS
#include "events.h"

/* Events of one class are written by the same function. */
#define trace_event_raw_event_etrace_rename	trace_event_raw_event_etrace_two_names
#define trace_event_raw_event_etrace_link	trace_event_raw_event_etrace_two_names

#define ETRACE_SYSTEM		"etrace"
#define ETRACE_BUFFER_SIZE	1441792	/* ftrace's own, for each processor */

/**
 * struct etrace_trace_event - a trace event
 * @name: in tracefs
 * @fire: for everybody who has enabled it
 * @enabled: has anybody?
 * @write: to one instance, given by its event file
 */
struct etrace_trace_event {
	const char *name;
	void (*fire)(struct etrace_rec *r);
	bool (*enabled)(void);
	void (*write)(void *file, struct etrace_rec *r);
};

static const struct etrace_trace_event etrace_trace_events[ETRACE_NR_EV] = {
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

/* Counts a record that did not arrive, and remembers that for the task. */
static noinline void etrace_output_lost(struct etrace_task *t,
					const struct etrace_rec *r)
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
 * etrace_output - write one record for one session
 * @t: slot of the current task
 * @r: the record
 *
 * The session of root_pid fires the trace events, so that whoever listens
 * gets them; the others write to their own instance and nowhere else. What is
 * counted is whether the record arrived in the session's instance.
 */
void etrace_output(struct etrace_task *t, struct etrace_rec *r)
{
	const struct etrace_trace_event *ev = &etrace_trace_events[r->ev];
	struct etrace_session *s = t->session;

	/* the buffer that refuses a record is the one that is asked why */
	preempt_disable_notrace();
	r->file = s->files[r->ev];
	r->written = false;
	if (s->fire)
		ev->fire(r);
	else
		ev->write(r->file, r);

	if (likely(r->written))
		etrace_count(s, records, 1);
	else
		etrace_output_lost(t, r);
	preempt_enable_notrace();
}

/**
 * etrace_output_overwritten - records that the ring buffer threw away
 * @s: the session
 *
 * Return: how many were overwritten before anybody read them, by whomever.
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

/**
 * etrace_output_resize - how much waits to be read
 * @s: the session
 * @bytes: for each processor; what does not fit is lost
 *
 * Return: 0 or a negative error.
 */
int etrace_output_resize(struct etrace_session *s, unsigned long bytes)
{
	int err = ring_buffer_resize(s->buffer, bytes, RING_BUFFER_ALL_CPUS);

	if (err < 0)
		return err;
	ring_buffer_change_overwrite(s->buffer, 0);
	return 0;
}

static int etrace_enable(struct etrace_session *s, bool on)
{
	if (!s->fire)
		return 0;
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
 * etrace_output_read - take what is next in a processor's buffer
 * @s: the session
 * @cpu: which processor
 * @to: room for a page
 *
 * May sleep.
 *
 * Return: PAGE_SIZE, with a page as trace_pipe_raw has it in @to; -EAGAIN: there is
 * nothing; -EINVAL: somebody has changed the size of the buffer's pages; or another
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
 * etrace_output_level - how full a processor's buffer is
 * @s: the session
 * @cpu: which processor
 *
 * Return: percent.
 */
unsigned int etrace_output_level(const struct etrace_session *s, unsigned int cpu)
{
	unsigned long size = ring_buffer_size(s->buffer, cpu);

	return size ? 100 * (u64)ring_buffer_bytes_cpu(s->buffer, cpu) / size : 0;
}

/* An instance that somebody wants. */
struct etrace_wanted {
	struct work_struct work;
	const char *name;
	struct trace_array *tr;
};

static void etrace_instance_work(struct work_struct *work)
{
	struct etrace_wanted *w = container_of(work, struct etrace_wanted, work);

	w->tr = etrace_trace_array_get(w->name);
}

/*
 * Finds or makes an instance, in a kernel thread. Who asks has been allowed to
 * by the device, or is loading the module; tracefs, which is root's, is not to
 * ask again. And a task that is killed while it makes one gets a warning of
 * the kernel: ring_buffer.c stops for the signal, and its caller for CPU
 * hotplug does not expect that.
 */
static struct trace_array *etrace_instance(const char *name)
{
	struct etrace_wanted w = { .name = name };

	INIT_WORK_ONSTACK(&w.work, etrace_instance_work);
	schedule_work(&w.work);
	flush_work(&w.work);
	destroy_work_on_stack(&w.work);
	return w.tr;
}

/**
 * etrace_output_init - let a session's events go to its instance
 * @s: the session; its instance is made if need be
 *
 * Return: 0 or a negative error, then nothing is left behind but the instance.
 */
int etrace_output_init(struct etrace_session *s)
{
	struct trace_event_file *file;
	unsigned int i;
	int err;

	if (s->instance[0]) {
		s->tr = etrace_instance(s->instance);
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
		/*
		 * Not only who enables an event writes it: when the module
		 * goes, ftrace is to clear this instance, too. It does not
		 * for processors that are off: see etrace_output_empty().
		 */
		set_bit(EVENT_FILE_FL_WAS_ENABLED_BIT, &file->flags);
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
 * etrace_output_exit - a session writes nothing any more
 * @s: the session; its instance stays, unless etrace_output_remove() follows
 */
void etrace_output_exit(struct etrace_session *s)
{
	etrace_enable(s, false);
	if (s->tr)
		trace_array_put(s->tr);
	s->tr = NULL;
}

/**
 * etrace_output_empty - throw away what nobody has read
 * @s: the session, which writes nothing any more
 *
 * The numbers of its types of records are given away when the module goes.
 */
void etrace_output_empty(struct etrace_session *s)
{
	ring_buffer_reset(s->buffer);
}

/**
 * etrace_output_remove - remove a session's instance
 * @s: the session, which writes nothing any more
 *
 * Return: 0, or -EBUSY if somebody still uses the instance.
 */
int etrace_output_remove(struct etrace_session *s)
{
	int err;

	/*
	 * trace_array_destroy() wants it put first, and takes no name. Who
	 * removes it by hand in between, and makes another that gets the same
	 * memory, loses that one, new and empty.
	 */
	trace_array_put(s->tr);
	err = trace_array_destroy(s->tr);
	s->tr = NULL;
	if (err != -EBUSY)
		return 0;
	/* Hold it again, so that nobody else takes it away before the next try. */
	s->tr = etrace_instance(s->instance);
	return s->tr ? -EBUSY : 0;
}
