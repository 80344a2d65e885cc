// SPDX-License-Identifier: GPL-2.0
/*
 * Sessions: the session of the parameter root_pid, and the sessions of /dev/etrace, which
 * live as long as their file is open. The interface is in etrace_ioctl.h.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/capability.h>
#include <linux/compat.h>
#include <linux/cred.h>
#include <linux/file.h>
#include <linux/fs.h>
#include <linux/kref.h>
#include <linux/list.h>
#include <linux/miscdevice.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/poll.h>
#include <linux/rwsem.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>
#include <linux/timekeeping.h>
#include <linux/uaccess.h>
#include <linux/user_namespace.h>
#include <linux/workqueue.h>

#include "session.h"
#include "adopt.h"
#include "calls_print.h"
#include "cgroup.h"
#include "counts.h"
#include "etrace_secrets.h"
#include "hooks.h"
#include "output.h"
#include "rights.h"
#include "session_file.h"
#include "table.h"
#include "task.h"

#define ETRACE_LIST_ROOM	16		/* room for tasks of a bucket, at first */

/* What sessions record on request: the bits are those of etrace_session.record. */
#define ETRACE_SESSION_RECORD						\
	(ETRACE_SESSION_PROBES | ETRACE_SESSION_DIRS | ETRACE_SESSION_ENV |	\
	 ETRACE_SESSION_OUTPUT | ETRACE_SESSION_OUTPUT_ALL)

static_assert(ETRACE_SESSION_PROBES == BIT(ETRACE_WHERE_PROBES));
static_assert(ETRACE_SESSION_DIRS == BIT(ETRACE_WHERE_DIRS));
static_assert(ETRACE_SESSION_ENV == BIT(ETRACE_WHERE_ENV));
static_assert(ETRACE_SESSION_OUTPUT == BIT(ETRACE_WHERE_OUTPUT));

struct etrace_session etrace_root = { .fire = true };

static LIST_HEAD(etrace_files);	/* sessions that have a buffer */
static DEFINE_MUTEX(etrace_files_mutex);
unsigned int etrace_max_sessions = 64;
unsigned int etrace_max_user_sessions = 8;

/**
 * etrace_session_count - count the session in etrace_wanted, for each kind of event it wants
 * @s: the session
 * @add: 1, or -1 when the session ends
 */
void etrace_session_count(const struct etrace_session *s, int add)
{
	unsigned int i;

	for (i = 0; i < ETRACE_NR_WHERE; i++)
		if (etrace_session_wants(s, i))
			atomic_add(add, &etrace_wanted[i]);
	if (etrace_session_wants(s, ETRACE_WHERE_OUTPUT))
		etrace_print_want(add > 0);
}

/* Begins a session that traces nothing yet, without a buffer. */
static int etrace_session_begin(struct etrace_session *s)
{
	atomic64_set(&s->seq, 0);
	atomic_set(&s->tasks, 0);
	init_waitqueue_head(&s->idle);
	s->counts = alloc_percpu_gfp(struct etrace_counts, GFP_KERNEL_ACCOUNT);
	return s->counts ? 0 : -ENOMEM;
}

/**
 * etrace_session_init - set up the session of root_pid, which traces nothing yet
 * @s: zeroed, except @fire, @comm and @instance
 *
 * Return: 0 or a negative error.
 */
int etrace_session_init(struct etrace_session *s)
{
	int err = etrace_session_begin(s);

	if (err)
		return err;
	err = etrace_output_init(s);
	if (err) {
		pr_err_ratelimited("no ftrace instance '%s' (error %d): is CONFIG_EVENT_TRACING on?\n",
				   s->instance, err);
		free_percpu(s->counts);
	}
	return err;
}

/**
 * etrace_session_exit - end the session of root_pid
 * @s: the session; its instance stays, since its reader may not have finished
 */
void etrace_session_exit(struct etrace_session *s)
{
	etrace_tasks_stop(s);
	etrace_output_exit(s);
	free_percpu(s->counts);
}

/*
 * The user that sessions with these credentials are charged to: the creator of their
 * outermost user namespace or, in the initial namespace, their own user.
 */
static kuid_t etrace_charged_user(const struct cred *cred)
{
	const struct user_namespace *ns;
	kuid_t uid = cred->uid;

	for (ns = cred->user_ns; ns != &init_user_ns; ns = ns->parent)
		uid = ns->owner;
	return uid;
}

/*
 * Puts a session into the list unless a limit is reached. Sessions with an owner may use
 * only half of max_sessions, and one user only max_user_sessions of these.
 */
static bool etrace_file_count(struct etrace_file *f)
{
	unsigned int most = READ_ONCE(etrace_max_sessions), all = 0, owned = 0, same = 0;
	const struct etrace_file *other;
	bool fits;

	mutex_lock(&etrace_files_mutex);
	list_for_each_entry(other, &etrace_files, node) {
		all++;
		owned += !!other->session.owner;
		same += other->session.owner && uid_eq(other->user, f->user);
	}
	fits = all < most;
	if (f->session.owner)
		fits &= owned < most / 2 && same < READ_ONCE(etrace_max_user_sessions);
	if (fits)
		list_add_tail(&f->node, &etrace_files);
	mutex_unlock(&etrace_files_mutex);
	return fits;
}

static void etrace_file_uncount(struct etrace_file *f)
{
	mutex_lock(&etrace_files_mutex);
	list_del(&f->node);
	mutex_unlock(&etrace_files_mutex);
}

static int etrace_open(struct inode *inode, struct file *file)
{
	struct etrace_file *f;

	/*
	 * If the device's mode denies access to others, the users that it admits may
	 * trace their own processes.
	 */
	bool all = perfmon_capable();

	if (!all && inode->i_mode & 0007)
		return -EPERM;
	f = kzalloc(sizeof(*f), GFP_KERNEL_ACCOUNT);
	if (!f)
		return -ENOMEM;
	kref_init(&f->refs);
	init_rwsem(&f->lock);
	init_waitqueue_head(&f->polled);
	INIT_DELAYED_WORK(&f->look, etrace_look_work);
	if (!all) {
		f->session.owner = get_cred(file->f_cred);
		f->user = etrace_charged_user(file->f_cred);
	}
	file->private_data = f;
	return nonseekable_open(inode, file);
}

static void etrace_file_stop(struct etrace_file *f)
{
	etrace_cgroup_unwatch(&f->session);
	etrace_tasks_stop(&f->session);
}

/* The session ends, even if one of its buffers is still open. */
static int etrace_release(struct inode *inode, struct file *file)
{
	struct etrace_file *f = file->private_data;

	if (!f->created) {
		etrace_file_put(f);
		return 0;
	}
	etrace_file_stop(f);
	down_write(&f->lock);
	f->closed = true;
	up_write(&f->lock);
	wake_up_interruptible(&f->polled);
	etrace_output_free(&f->session);
	etrace_file_uncount(f);
	etrace_session_count(&f->session, -1);
	free_percpu(f->session.counts);
	etrace_file_put(f);
	return 0;
}

/* ---- requests -------------------------------------------------------------- */

/* Computes the size of each CPU's buffer. Returns 0 or a negative error. */
static int etrace_buffer_size(const struct etrace_file *f, u64 *bytes)
{
	u64 most = (u64)totalram_pages() * PAGE_SIZE / num_possible_cpus();
	u64 fair = clamp_t(u64, most / ETRACE_BUFFER_PART, ETRACE_BUFFER_LEAST, ETRACE_BUFFER_MOST);

	if (!*bytes)
		*bytes = fair;
	if (*bytes <= fair)
		return 0;
	/* Sessions without an owner may use all memory. */
	if (f->session.owner)
		return -EPERM;
	return *bytes > most ? -ENOMEM : 0;
}

static long etrace_ioc_create(struct etrace_file *f, void __user *arg)
{
	struct etrace_create c;
	int err;

	if (f->created)
		return -EBUSY;
	if (copy_from_user(&c, arg, sizeof(c)))
		return -EFAULT;
	if (c.abi != ETRACE_ABI_VERSION) {
		c.abi = ETRACE_ABI_VERSION;
		return copy_to_user(arg, &c, sizeof(c)) ? -EFAULT : -EPROTO;
	}
	if (c.flags & ~(ETRACE_SESSION_COMM | ETRACE_SESSION_RECORD | ETRACE_SESSION_ENV_LISTED) ||
	    c.reserved)
		return -EINVAL;
	err = etrace_buffer_size(f, &c.buffer);
	if (err)
		return err;
	if (!etrace_file_count(f))
		return -EUSERS;

	f->session.comm = c.flags & ETRACE_SESSION_COMM;
	f->session.record = c.flags & ETRACE_SESSION_RECORD;
	f->session.env_listed = c.flags & ETRACE_SESSION_ENV_LISTED;
	err = etrace_session_begin(&f->session);
	if (err)
		goto uncount;
	err = etrace_output_make(&f->session, c.buffer);
	if (err) {
		free_percpu(f->session.counts);
		goto uncount;
	}
	f->created = true;
	etrace_session_count(&f->session, 1);

	c.bits_of_real_pid = etrace_bits_of_real_pid;
	return copy_to_user(arg, &c, sizeof(c)) ? -EFAULT : 0;

uncount:
	etrace_file_uncount(f);
	return err;
}

/* Is @task the caller, or has the caller started it? */
static bool etrace_started_by_caller(struct task_struct *task)
{
	struct task_struct *p;
	bool is = false;

	rcu_read_lock();
	for (p = task; !is && p && p->pid; p = rcu_dereference(p->real_parent))
		is = same_thread_group(p, current);
	rcu_read_unlock();
	return is;
}

static long etrace_ioc_add(struct etrace_file *f, void __user *arg)
{
	struct task_struct *task;
	s32 pid;
	long err;

	if (get_user(pid, (s32 __user *)arg))
		return -EFAULT;
	task = etrace_task_get(pid);
	if (!task)
		return -ESRCH;
	if (f->session.owner && !(etrace_session_may(&f->session, current_cred()) &&
				  etrace_started_by_caller(task))) {
		err = -EPERM;
	} else {
		f->added = true;
		err = etrace_tasks_start(&f->session, task);
	}
	put_task_struct(task);
	return err;
}

static long etrace_ioc_cgroup(struct etrace_file *f, void __user *arg)
{
	s32 fd;

	/* A cgroup may contain tasks of any user. */
	if (f->session.owner)
		return -EPERM;
	if (get_user(fd, (s32 __user *)arg))
		return -EFAULT;
	f->added = true;
	return etrace_cgroup_watch(&f->session, fd);
}

/* The list is set before any task is traced: tasks may read it at any time. */
static long etrace_ioc_keep_env(struct etrace_file *f, void __user *arg)
{
	char names[ETRACE_KEEP_ENV_MAX];
	struct etrace_keep_env k;
	u32 at, n, len;

	if (copy_from_user(&k, arg, sizeof(k)))
		return -EFAULT;
	if (k.len >= sizeof(names) || k.reserved)
		return -EINVAL;
	if (copy_from_user(names, u64_to_user_ptr(k.names), k.len))
		return -EFAULT;
	names[k.len] = '\0';
	if (strlen(names) != k.len || !etrace_list_good(names))
		return -EINVAL;
	if (f->added)
		return -EBUSY;
	memcpy(f->session.keep_env, names, k.len + 1);
	bitmap_zero(f->session.env_names, ETRACE_ENV_HASHES);
	for (at = 0; at < k.len; at += n + 1) {
		n = strcspn(names + at, ",");
		__set_bit(etrace_env_hash(names + at, n, &len), f->session.env_names);
	}
	return 0;
}

static long etrace_ioc_stop(struct etrace_file *f, void __user *arg)
{
	etrace_file_stop(f);
	return 0;
}

static long etrace_ioc_stats(struct etrace_file *f, void __user *arg)
{
	struct etrace_session *s = &f->session;
	struct etrace_stats st = {
#define X(name)	.name = etrace_counts_sum(s->counts, ETRACE_CNT_##name),
		ETRACE_COUNTERS(X)
#undef X
		.overwritten = etrace_output_overwritten(s),
		.tasks = atomic_read(&s->tasks),
		.hooks_missing = etrace_hooks_missing(),
	};

	return copy_to_user(arg, &st, sizeof(st)) ? -EFAULT : 0;
}

/* Lists the tasks of one bucket at a time, which needs little memory. */
static long etrace_ioc_tasks(struct etrace_file *f, void __user *arg)
{
	struct etrace_task_list l;
	struct etrace_task_info __user *to;
	struct etrace_task_info *some = NULL;
	unsigned int bucket = 0;
	u32 room = 0, n = ETRACE_LIST_ROOM;
	long err = 0;

	if (copy_from_user(&l, arg, sizeof(l)))
		return -EFAULT;
	to = u64_to_user_ptr(l.tasks);
	for (l.nr = 0; bucket < ETRACE_TASK_BUCKETS && !err; cond_resched()) {
		if (n > room) {
			kvfree(some);
			room = n;
			some = kvmalloc_array(room, sizeof(*some),
					      GFP_KERNEL_ACCOUNT);
			if (!some)
				return -ENOMEM;
		}
		n = etrace_tasks_list(&f->session, bucket, some, room);
		if (n > room)
			continue;	/* try again, with room for the whole bucket */
		if (l.nr < l.room &&
		    copy_to_user(to + l.nr, some,
				 min(n, l.room - l.nr) * sizeof(*some)))
			err = -EFAULT;
		if (fatal_signal_pending(current))
			err = -EINTR;
		l.nr += n;
		bucket++;
	}
	kvfree(some);
	if (!err && copy_to_user(arg, &l, sizeof(l)))
		err = -EFAULT;
	return err;
}

static long etrace_ioc_open(struct etrace_file *f, void __user *arg)
{
	struct etrace_open o;
	struct file *file;
	int fd;

	if (copy_from_user(&o, arg, sizeof(o)))
		return -EFAULT;
	fd = get_unused_fd_flags(O_CLOEXEC);
	if (fd < 0)
		return fd;
	file = o.what == ETRACE_OPEN_PIPE ? etrace_pipe_open(f, o.cpu) : etrace_output_open(&o);
	if (IS_ERR(file)) {
		put_unused_fd(fd);
		return PTR_ERR(file);
	}
	fd_install(fd, file);
	return fd;
}

static const struct {
	unsigned int cmd;
	bool created;		/* the session must have its buffer */
	long (*fn)(struct etrace_file *f, void __user *arg);
} etrace_requests[] = {
	{ ETRACE_IOC_CREATE,	false,	etrace_ioc_create },
	{ ETRACE_IOC_ADD,	true,	etrace_ioc_add },
	{ ETRACE_IOC_STOP,	true,	etrace_ioc_stop },
	{ ETRACE_IOC_STATS,	true,	etrace_ioc_stats },
	{ ETRACE_IOC_TASKS,	true,	etrace_ioc_tasks },
	{ ETRACE_IOC_KEEP_ENV,	true,	etrace_ioc_keep_env },
	{ ETRACE_IOC_CGROUP,	true,	etrace_ioc_cgroup },
	{ ETRACE_IOC_OPEN,	true,	etrace_ioc_open },
};

static long etrace_ioctl(struct file *file, unsigned int cmd, unsigned long arg)
{
	struct etrace_file *f = file->private_data;
	unsigned int i;
	long err;

	for (i = 0; i < ARRAY_SIZE(etrace_requests); i++)
		if (etrace_requests[i].cmd == cmd)
			break;
	if (i == ARRAY_SIZE(etrace_requests))
		return -ENOTTY;
	down_write(&f->lock);
	if (etrace_requests[i].created && !f->created)
		err = -EINVAL;
	else
		err = etrace_requests[i].fn(f, (void __user *)arg);
	up_write(&f->lock);
	return err;
}

/* Reports POLLHUP while no task is traced. */
static __poll_t etrace_poll(struct file *file, poll_table *wait)
{
	struct etrace_file *f = file->private_data;

	if (!READ_ONCE(f->created))
		return EPOLLERR;
	poll_wait(file, &f->session.idle, wait);
	return atomic_read(&f->session.tasks) ? 0 : EPOLLHUP;
}

static const struct file_operations etrace_fops = {
	.owner = THIS_MODULE,
	.open = etrace_open,
	.release = etrace_release,
	.unlocked_ioctl = etrace_ioctl,
	.compat_ioctl = compat_ptr_ioctl,
	.poll = etrace_poll,
};

/* Anybody may open it: capabilities decide who may trace, unless root changes the mode. */
static struct miscdevice etrace_device = {
	.minor = MISC_DYNAMIC_MINOR,
	.name = "etrace",
	.fops = &etrace_fops,
	.mode = 0666,
};

int etrace_device_register(void)
{
	/* The structs have equal sizes in 32-bit programs, which align a u64 to 4 bytes. */
	BUILD_BUG_ON(sizeof(struct etrace_create) != 24);
	BUILD_BUG_ON(sizeof(struct etrace_task_info) != 16);
	BUILD_BUG_ON(sizeof(struct etrace_task_list) != 16);
	BUILD_BUG_ON(sizeof(struct etrace_keep_env) != 16);
	BUILD_BUG_ON(sizeof(struct etrace_open) != 40);
	return misc_register(&etrace_device);
}

/* No file is open any more: an open one pins the module. */
void etrace_device_unregister(void)
{
	misc_deregister(&etrace_device);
}
