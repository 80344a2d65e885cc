// SPDX-License-Identifier: GPL-2.0
/*
 * Sessions: the one of the parameter root_pid, and those of /dev/etrace, which
 * live as long as their file is open. The interface is in etrace_ioctl.h.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/capability.h>
#include <linux/compat.h>
#include <linux/cred.h>
#include <linux/file.h>
#include <linux/fs.h>
#include <linux/list.h>
#include <linux/miscdevice.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/poll.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>
#include <linux/timekeeping.h>
#include <linux/uaccess.h>
#include <linux/workqueue.h>

#include "session.h"
#include "cgroup.h"
#include "counts.h"
#include "etrace_secrets.h"
#include "hooks.h"
#include "output.h"
#include "table.h"
#include "task.h"

#define ETRACE_REMOVE_DELAY	(HZ / 20)	/* until an instance is retried */
#define ETRACE_LIST_ROOM	16		/* tasks of a bucket, to begin with */

/* What sessions record on request: the bits are those of etrace_session.record. */
#define ETRACE_SESSION_RECORD						\
	(ETRACE_SESSION_PROBES | ETRACE_SESSION_DIRS | ETRACE_SESSION_ENV)

static_assert(ETRACE_SESSION_PROBES == BIT(ETRACE_WHERE_PROBES));
static_assert(ETRACE_SESSION_DIRS == BIT(ETRACE_WHERE_DIRS));
static_assert(ETRACE_SESSION_ENV == BIT(ETRACE_WHERE_ENV));

struct etrace_session etrace_root = { .fire = true };

/**
 * struct etrace_file - an open /dev/etrace
 * @session: the session; its instance is made by ETRACE_IOC_CREATE
 * @lock: serialises the calls
 * @created: the session has its instance
 * @added: a task has been added to it
 * @ended: in etrace_ended, when the file is closed but the instance is busy
 */
struct etrace_file {
	struct etrace_session session;
	struct mutex lock;
	bool created;
	bool added;
	struct list_head ended;
};

/* Sessions whose instance could not be removed yet. */
static LIST_HEAD(etrace_ended);
static DEFINE_MUTEX(etrace_ended_mutex);
static atomic_t etrace_session_id = ATOMIC_INIT(0);
static atomic_t etrace_sessions = ATOMIC_INIT(0);	/* that have an instance */
static atomic_t etrace_owned_sessions = ATOMIC_INIT(0);	/* of these, with an owner */
unsigned int etrace_max_sessions = 64;

/**
 * etrace_session_count - somebody wants what a session wants, or not any more
 * @s: the session
 * @add: 1 or -1
 */
void etrace_session_count(const struct etrace_session *s, int add)
{
	unsigned int i;

	for (i = 0; i < ETRACE_NR_WHERE; i++)
		if (etrace_session_wants(s, i))
			atomic_add(add, &etrace_wanted[i]);
}

/**
 * etrace_session_init - a session that traces nothing yet
 * @s: zeroed, but for @fire, @comm and @instance
 *
 * Return: 0 or a negative error.
 */
int etrace_session_init(struct etrace_session *s)
{
	int err;

	atomic64_set(&s->seq, 0);
	atomic_set(&s->tasks, 0);
	init_waitqueue_head(&s->idle);
	s->counts = alloc_percpu(struct etrace_counts);
	if (!s->counts)
		return -ENOMEM;
	err = etrace_output_init(s);
	if (err) {
		pr_err_ratelimited("no ftrace instance '%s' (error %d): is CONFIG_EVENT_TRACING on?\n",
				   s->instance, err);
		free_percpu(s->counts);
	}
	return err;
}

/**
 * etrace_session_exit - the end of the session of root_pid
 * @s: the session; its instance stays, its reader may not have finished
 */
void etrace_session_exit(struct etrace_session *s)
{
	etrace_tasks_stop(s);
	etrace_output_empty(s);
	etrace_output_exit(s);
	free_percpu(s->counts);
}

/* Those with an owner leave half of what there may be to the others. */
static bool etrace_file_count(const struct etrace_file *f)
{
	unsigned int most = READ_ONCE(etrace_max_sessions);
	bool fits = atomic_inc_return(&etrace_sessions) <= most;

	if (f->session.owner)
		fits &= atomic_inc_return(&etrace_owned_sessions) <= most / 2;
	return fits;
}

static void etrace_file_uncount(const struct etrace_file *f)
{
	if (f->session.owner)
		atomic_dec(&etrace_owned_sessions);
	atomic_dec(&etrace_sessions);
}

static void etrace_file_free(struct etrace_file *f)
{
	etrace_session_count(&f->session, -1);
	free_percpu(f->session.counts);
	etrace_file_uncount(f);
	put_cred(f->session.owner);
	kfree(f);
}

/*
 * An owner that is killed closes the session first and the instance's files
 * after it, so removing the instance may have to wait for that.
 */
static void etrace_remove_work(struct work_struct *work);
static DECLARE_DELAYED_WORK(etrace_remove, etrace_remove_work);

static bool etrace_remove_ended(void)
{
	struct etrace_file *f, *next;
	bool left;

	mutex_lock(&etrace_ended_mutex);
	list_for_each_entry_safe(f, next, &etrace_ended, ended) {
		if (etrace_output_remove(&f->session))
			continue;
		list_del(&f->ended);
		etrace_file_free(f);
	}
	left = !list_empty(&etrace_ended);
	mutex_unlock(&etrace_ended_mutex);
	return left;
}

static void etrace_remove_work(struct work_struct *work)
{
	if (etrace_remove_ended())
		schedule_delayed_work(&etrace_remove, ETRACE_REMOVE_DELAY);
}

static int etrace_open(struct inode *inode, struct file *file)
{
	struct etrace_file *f;

	/*
	 * Who is let in by the device's owner and group, because others are not, may
	 * trace its own processes.
	 */
	bool all = perfmon_capable();

	if (!all && inode->i_mode & 0007)
		return -EPERM;
	f = kzalloc(sizeof(*f), GFP_KERNEL_ACCOUNT);
	if (!f)
		return -ENOMEM;
	mutex_init(&f->lock);
	if (!all)
		f->session.owner = get_cred(file->f_cred);
	file->private_data = f;
	return nonseekable_open(inode, file);
}

static void etrace_file_stop(struct etrace_file *f)
{
	etrace_cgroup_unwatch(&f->session);
	etrace_tasks_stop(&f->session);
}

static int etrace_release(struct inode *inode, struct file *file)
{
	struct etrace_file *f = file->private_data;

	if (!f->created) {
		put_cred(f->session.owner);
		kfree(f);
		return 0;
	}
	etrace_file_stop(f);
	etrace_output_empty(&f->session);
	if (!etrace_output_remove(&f->session)) {
		etrace_file_free(f);
		return 0;
	}
	mutex_lock(&etrace_ended_mutex);
	list_add_tail(&f->ended, &etrace_ended);
	mutex_unlock(&etrace_ended_mutex);
	schedule_delayed_work(&etrace_remove, ETRACE_REMOVE_DELAY);
	return 0;
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
	if (c.flags & ~(ETRACE_SESSION_COMM | ETRACE_SESSION_RECORD) || c.reserved)
		return -EINVAL;
	if (!etrace_file_count(f)) {
		err = -EUSERS;
		goto uncount;
	}

	f->session.comm = c.flags & ETRACE_SESSION_COMM;
	f->session.record = c.flags & ETRACE_SESSION_RECORD;
	/* Unlike any that a session before this load may have left behind. */
	snprintf(f->session.instance, sizeof(c.instance), "etrace-%d-%u-%llx",
		 task_tgid_nr(current), atomic_inc_return(&etrace_session_id),
		 ktime_get_boottime_seconds());
	err = etrace_session_init(&f->session);
	if (err)
		goto uncount;
	f->created = true;
	etrace_session_count(&f->session, 1);

	c.bits_of_real_pid = etrace_bits_of_real_pid;
	c.reserved = 0;
	memset(c.instance, 0, sizeof(c.instance));
	strscpy(c.instance, f->session.instance, sizeof(c.instance));
	return copy_to_user(arg, &c, sizeof(c)) ? -EFAULT : 0;

uncount:
	etrace_file_uncount(f);
	return err;
}

/* Is that the caller, or has the caller started it, and both with the owner's rights? */
static bool etrace_owners(const struct etrace_session *s, pid_t pid)
{
	struct task_struct *p;
	bool is = false;

	if (!etrace_session_may(s, current_cred()))
		return false;
	rcu_read_lock();
	p = pid_task(find_vpid(pid), PIDTYPE_PID);
	if (p && etrace_session_may(s, __task_cred(p)))
		for (; !is && p && p->pid; p = rcu_dereference(p->real_parent))
			is = same_thread_group(p, current);
	rcu_read_unlock();
	return is;
}

static long etrace_ioc_add(struct etrace_file *f, void __user *arg)
{
	s32 pid;

	if (get_user(pid, (s32 __user *)arg))
		return -EFAULT;
	if (pid <= 0)
		return -ESRCH;
	if (f->session.owner && !etrace_owners(&f->session, pid))
		return -EPERM;
	f->added = true;
	return etrace_tasks_start(&f->session, pid);
}

static long etrace_ioc_cgroup(struct etrace_file *f, void __user *arg)
{
	s32 fd;

	/* In a cgroup are tasks of anybody. */
	if (f->session.owner)
		return -EPERM;
	if (get_user(fd, (s32 __user *)arg))
		return -EFAULT;
	f->added = true;
	return etrace_cgroup_watch(&f->session, fd);
}

/* Before there are tasks, which look at it at any time. */
static long etrace_ioc_keep_env(struct etrace_file *f, void __user *arg)
{
	char names[ETRACE_KEEP_ENV_MAX];
	struct etrace_keep_env k;

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

/* A bucket at a time: however many there are, they need little room here. */
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
			continue;	/* once more, with room for all of it */
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

	/* Whose session has no owner can trace anybody: tracefs tells whether it may read that. */
	if (!f->session.owner)
		return -EPERM;
	if (copy_from_user(&o, arg, sizeof(o)))
		return -EFAULT;
	fd = get_unused_fd_flags(O_CLOEXEC);
	if (fd < 0)
		return fd;
	file = etrace_output_open(&f->session, &o);
	if (IS_ERR(file)) {
		put_unused_fd(fd);
		return PTR_ERR(file);
	}
	fd_install(fd, file);
	return fd;
}

static long etrace_ioc_buffer(struct etrace_file *f, void __user *arg)
{
	u64 most = (u64)totalram_pages() * PAGE_SIZE / ETRACE_BUFFER_PART / num_possible_cpus();
	u64 bytes;

	if (!f->session.owner)
		return -EPERM;
	if (get_user(bytes, (u64 __user *)arg))
		return -EFAULT;
	if (!bytes)
		return -EINVAL;
	if (bytes > clamp_t(u64, most, ETRACE_BUFFER_LEAST, ETRACE_BUFFER_MOST))
		return -EPERM;
	return etrace_output_resize(&f->session, bytes);
}

static const struct {
	unsigned int cmd;
	bool created;		/* asks for a session that has its instance */
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
	{ ETRACE_IOC_BUFFER,	true,	etrace_ioc_buffer },
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
	mutex_lock(&f->lock);
	if (etrace_requests[i].created && !f->created)
		err = -EINVAL;
	else
		err = etrace_requests[i].fn(f, (void __user *)arg);
	mutex_unlock(&f->lock);
	return err;
}

/* Hung up while no task is traced. */
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

/* Everybody may try: who may trace is decided by capabilities, unless root says otherwise. */
static struct miscdevice etrace_device = {
	.minor = MISC_DYNAMIC_MINOR,
	.name = "etrace",
	.fops = &etrace_fops,
	.mode = 0666,
};

int etrace_device_register(void)
{
	/* The same for 32-bit programs, which align a u64 to 4. */
	BUILD_BUG_ON(sizeof(struct etrace_create) != 64);
	BUILD_BUG_ON(sizeof(struct etrace_task_info) != 16);
	BUILD_BUG_ON(sizeof(struct etrace_task_list) != 16);
	BUILD_BUG_ON(sizeof(struct etrace_keep_env) != 16);
	BUILD_BUG_ON(sizeof(struct etrace_open) != 40);
	return misc_register(&etrace_device);
}

/* No file is open any more: an open one pins the module. */
void etrace_device_unregister(void)
{
	struct etrace_file *f, *next;

	misc_deregister(&etrace_device);
	cancel_delayed_work_sync(&etrace_remove);
	if (!etrace_remove_ended())
		return;
	list_for_each_entry_safe(f, next, &etrace_ended, ended) {
		pr_warn("instance %s is in use and stays; remove it with rmdir\n",
			f->session.instance);
		list_del(&f->ended);
		etrace_output_exit(&f->session);
		etrace_file_free(f);
	}
}
