// SPDX-License-Identifier: GPL-2.0
/*
 * Sessions: the one of the parameter root_pid, and those of /dev/etrace, which
 * live as long as their file is open. The interface is in etrace_ioctl.h.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/capability.h>
#include <linux/compat.h>
#include <linux/fs.h>
#include <linux/list.h>
#include <linux/miscdevice.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/poll.h>
#include <linux/slab.h>
#include <linux/timekeeping.h>
#include <linux/uaccess.h>
#include <linux/workqueue.h>

#include "etrace.h"

#define ETRACE_REMOVE_DELAY	(HZ / 20)	/* until an instance is retried */
#define ETRACE_LIST_MAX		65536		/* tasks listed by one call */

struct etrace_session etrace_root = { .fire = true };

/**
 * struct etrace_file - an open /dev/etrace
 * @session: the session; its instance is made by ETRACE_IOC_CREATE
 * @lock: serialises the calls
 * @created: the session has its instance
 * @ended: in etrace_ended, when the file is closed but the instance is busy
 */
struct etrace_file {
	struct etrace_session session;
	struct mutex lock;
	bool created;
	struct list_head ended;
};

/* Sessions whose instance could not be removed yet. */
static LIST_HEAD(etrace_ended);
static DEFINE_MUTEX(etrace_ended_mutex);
static atomic_t etrace_session_id = ATOMIC_INIT(0);

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
		pr_err("no ftrace instance '%s' (error %d): is CONFIG_EVENT_TRACING on?\n",
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
	etrace_output_exit(s);
	free_percpu(s->counts);
}

static void etrace_file_free(struct etrace_file *f)
{
	free_percpu(f->session.counts);
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

	if (!capable(CAP_SYS_ADMIN) && !capable(CAP_PERFMON))
		return -EPERM;
	f = kzalloc(sizeof(*f), GFP_KERNEL_ACCOUNT);
	if (!f)
		return -ENOMEM;
	mutex_init(&f->lock);
	file->private_data = f;
	return nonseekable_open(inode, file);
}

static int etrace_release(struct inode *inode, struct file *file)
{
	struct etrace_file *f = file->private_data;

	if (!f->created) {
		kfree(f);
		return 0;
	}
	etrace_tasks_stop(&f->session);
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
	if (c.flags & ~ETRACE_SESSION_COMM)
		return -EINVAL;

	f->session.comm = c.flags & ETRACE_SESSION_COMM;
	/* Unlike any that a session before this load may have left behind. */
	snprintf(f->session.instance, sizeof(c.instance), "etrace-%d-%u-%llx",
		 task_tgid_nr(current), atomic_inc_return(&etrace_session_id),
		 ktime_get_boottime_seconds());
	err = etrace_session_init(&f->session);
	if (err)
		return err;
	f->created = true;

	c.bits_of_real_pid = etrace_bits_of_real_pid;
	c.reserved = 0;
	memset(c.instance, 0, sizeof(c.instance));
	strscpy(c.instance, f->session.instance, sizeof(c.instance));
	return copy_to_user(arg, &c, sizeof(c)) ? -EFAULT : 0;
}

static long etrace_ioc_add(struct etrace_file *f, void __user *arg)
{
	s32 pid;

	if (get_user(pid, (s32 __user *)arg))
		return -EFAULT;
	if (pid <= 0)
		return -ESRCH;
	return etrace_tasks_start(&f->session, pid);
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

static long etrace_ioc_tasks(struct etrace_file *f, void __user *arg)
{
	struct etrace_task_list l;
	struct etrace_task_info *to;
	u32 room;
	long err = 0;

	if (copy_from_user(&l, arg, sizeof(l)))
		return -EFAULT;
	room = min_t(u32, l.room, ETRACE_LIST_MAX);
	to = kvcalloc(max_t(u32, room, 1), sizeof(*to), GFP_KERNEL_ACCOUNT);
	if (!to)
		return -ENOMEM;
	l.nr = etrace_tasks_list(&f->session, to, room);
	if (copy_to_user(u64_to_user_ptr(l.tasks), to,
			 min(l.nr, room) * sizeof(*to)) ||
	    copy_to_user(arg, &l, sizeof(l)))
		err = -EFAULT;
	kvfree(to);
	return err;
}

static long etrace_ioctl(struct file *file, unsigned int cmd, unsigned long arg)
{
	struct etrace_file *f = file->private_data;
	void __user *uarg = (void __user *)arg;
	long err;

	mutex_lock(&f->lock);
	if (cmd == ETRACE_IOC_CREATE) {
		err = etrace_ioc_create(f, uarg);
	} else if (_IOC_TYPE(cmd) != ETRACE_IOC_MAGIC) {
		err = -ENOTTY;
	} else if (!f->created) {
		err = -EINVAL;
	} else {
		switch (cmd) {
		case ETRACE_IOC_ADD:
			err = etrace_ioc_add(f, uarg);
			break;
		case ETRACE_IOC_STOP:
			etrace_tasks_stop(&f->session);
			err = 0;
			break;
		case ETRACE_IOC_STATS:
			err = etrace_ioc_stats(f, uarg);
			break;
		case ETRACE_IOC_TASKS:
			err = etrace_ioc_tasks(f, uarg);
			break;
		default:
			err = -ENOTTY;
		}
	}
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

/* Everybody may try: who may trace is decided by capabilities. */
static struct miscdevice etrace_device = {
	.minor = MISC_DYNAMIC_MINOR,
	.name = "etrace",
	.fops = &etrace_fops,
	.mode = 0666,
};

int etrace_device_register(void)
{
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
