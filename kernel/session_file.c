// SPDX-License-Identifier: GPL-2.0
/*
 * An open /dev/etrace: its references, and the ring buffers of its session as files, one for each
 * CPU, which a recorder reads and polls (ETRACE_IOC_OPEN).
 */
#include <linux/anon_inodes.h>
#include <linux/cred.h>
#include <linux/fs.h>
#include <linux/module.h>
#include <linux/poll.h>
#include <linux/slab.h>
#include <linux/uaccess.h>

#include "session_file.h"
#include "output.h"

#define ETRACE_LEVEL_READY	25		/* percent */
#define ETRACE_LOOK_DELAY	(HZ / 50)	/* jiffies until a polled buffer is checked again */

static void etrace_file_free(struct kref *refs)
{
	struct etrace_file *f = container_of(refs, struct etrace_file, refs);

	cancel_delayed_work_sync(&f->look);
	put_cred(f->session.owner);
	kfree(f);
}

/**
 * etrace_file_put - release a reference
 * @f: the file, freed with its last reference
 */
void etrace_file_put(struct etrace_file *f)
{
	kref_put(&f->refs, etrace_file_free);
}

/* A buffer is worth reading when a quarter is full; checking that is cheap. */
static bool etrace_is_ready(const struct etrace_file *f, unsigned int cpu)
{
	return f->closed || etrace_output_level(&f->session, cpu) >= ETRACE_LEVEL_READY;
}

/**
 * etrace_look_work - wake readers that wait for a buffer, once it is worth reading
 * @work: etrace_file.look
 *
 * Writers wake no reader, so while one waits for a buffer, it is checked periodically.
 */
void etrace_look_work(struct work_struct *work)
{
	struct etrace_file *f = container_of(to_delayed_work(work), struct etrace_file, look);
	bool ready = false;
	unsigned int cpu;

	if (!wq_has_sleeper(&f->polled))
		return;
	/* Do not wait: a user-space daemon may have to provide the memory that a request uses. */
	if (down_read_trylock(&f->lock)) {
		for_each_cpu(cpu, &f->opened)
			ready |= etrace_is_ready(f, cpu);
		up_read(&f->lock);
	}
	if (ready)
		wake_up_interruptible(&f->polled);
	else
		schedule_delayed_work(&f->look, ETRACE_LOOK_DELAY);
}

/**
 * struct etrace_pipe - the open buffer of a CPU
 * @f: the session's file
 * @cpu: the CPU
 */
struct etrace_pipe {
	struct etrace_file *f;
	unsigned int cpu;
};

/* Reads one page at a time, like trace_pipe_raw. */
static ssize_t etrace_pipe_read(struct file *file, char __user *buf, size_t len, loff_t *pos)
{
	struct etrace_pipe *p = file->private_data;
	ssize_t n = 0;
	void *page;

	if (len < PAGE_SIZE)
		return -EINVAL;
	page = (void *)__get_free_page(GFP_KERNEL_ACCOUNT);
	if (!page)
		return -ENOMEM;
	down_read(&p->f->lock);
	if (!p->f->closed)
		n = etrace_output_read(&p->f->session, p->cpu, page);
	up_read(&p->f->lock);
	/* Not under the lock: a user-space daemon may have to provide this memory. */
	if (n > 0 && copy_to_user(buf, page, n))
		n = -EFAULT;
	free_page((unsigned long)page);
	return n;
}

static __poll_t etrace_pipe_poll(struct file *file, poll_table *wait)
{
	struct etrace_pipe *p = file->private_data;
	struct etrace_file *f = p->f;
	__poll_t events = 0;

	poll_wait(file, &f->polled, wait);
	down_read(&f->lock);
	if (etrace_is_ready(f, p->cpu))
		events = f->closed ? EPOLLHUP : EPOLLIN | EPOLLRDNORM;
	up_read(&f->lock);
	if (!events)
		schedule_delayed_work(&f->look, ETRACE_LOOK_DELAY);
	return events;
}

static int etrace_pipe_release(struct inode *inode, struct file *file)
{
	struct etrace_pipe *p = file->private_data;

	down_write(&p->f->lock);
	cpumask_clear_cpu(p->cpu, &p->f->opened);
	up_write(&p->f->lock);
	etrace_file_put(p->f);
	kfree(p);
	return 0;
}

static const struct file_operations etrace_pipe_fops = {
	.owner = THIS_MODULE,
	.read = etrace_pipe_read,
	.poll = etrace_pipe_poll,
	.release = etrace_pipe_release,
};

/**
 * etrace_pipe_open - open the buffer of a CPU, which can be open only once
 * @f: the session's file, locked for writing
 * @cpu: the CPU
 *
 * Return: a file that keeps @f, or an error pointer.
 */
struct file *etrace_pipe_open(struct etrace_file *f, unsigned int cpu)
{
	struct etrace_pipe *p;
	struct file *file;

	if (cpu >= nr_cpu_ids || !cpu_possible(cpu))
		return ERR_PTR(-EINVAL);
	if (cpumask_test_cpu(cpu, &f->opened))
		return ERR_PTR(-EBUSY);
	p = kmalloc(sizeof(*p), GFP_KERNEL_ACCOUNT);
	if (!p)
		return ERR_PTR(-ENOMEM);
	p->f = f;
	p->cpu = cpu;
	file = anon_inode_getfile("[etrace-pipe]", &etrace_pipe_fops, p, O_RDONLY | O_NONBLOCK);
	if (IS_ERR(file)) {
		kfree(p);
		return file;
	}
	cpumask_set_cpu(cpu, &f->opened);
	kref_get(&f->refs);
	return file;
}
