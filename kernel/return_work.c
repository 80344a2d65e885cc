// SPDX-License-Identifier: GPL-2.0
/*
 * Work that a task does on its way back to its program, because it takes too long for a
 * probe, which may run with preemption off, or because it takes references, and dropping
 * them may sleep. It runs after the system call and before the program's next
 * instruction, so the task's records stay in order.
 *
 * task_work_add() would do just that, but is not exported to modules. So this file uses
 * it indirectly: when a system call drops the last reference to a file, the kernel
 * releases the file on the task's way back to user mode. Each work item has such a file.
 * Files are created in advance, because creating one sleeps. They do not pin the module;
 * unloading waits for them instead, since their release never blocks on another task.
 */
#include <linux/anon_inodes.h>
#include <linux/err.h>
#include <linux/file.h>
#include <linux/fs.h>
#include <linux/list.h>
#include <linux/mm.h>
#include <linux/path.h>
#include <linux/rcupdate.h>
#include <linux/slab.h>
#include <linux/spinlock.h>
#include <linux/stat.h>
#include <linux/uaccess.h>
#include <linux/userfaultfd_k.h>
#include <linux/wait.h>
#include <linux/workqueue.h>

#include "compat.h"
#include "return_work.h"

#define ETRACE_LATER_LEAST	64	/* work items that are created in advance */
#define ETRACE_LATER_LOW	32	/* more are created when fewer are left */
#define ETRACE_LATER_MOST	1024

static DEFINE_SPINLOCK(etrace_work_lock);
static LIST_HEAD(etrace_work_pool);	/* ready for use */
static unsigned int etrace_work_left;	/* number in the pool */
static LIST_HEAD(etrace_work_dropped);	/* not needed after all */
static bool etrace_work_going;		/* the pool is closed; the lock guards these four */

static atomic_t etrace_work_files = ATOMIC_INIT(0);
static DECLARE_WAIT_QUEUE_HEAD(etrace_work_wait);

static void etrace_work_clean(struct work_struct *work);
static DECLARE_WORK(etrace_work_cleaner, etrace_work_clean);

static int etrace_work_release(struct inode *inode, struct file *file);
static const struct file_operations etrace_work_fops = {
	.release = etrace_work_release,
};

/* Frees the resources of a work item and clears it. May sleep. */
static void etrace_work_reset(struct etrace_work *l)
{
	if (l->dir.mnt)
		path_put(&l->dir);
	if (l->release)
		l->release(l->hold);
	memset(l, 0, sizeof(*l));
}

/* Puts a work item into the pool. Returns false if the pool is closed. */
static bool etrace_work_put(struct etrace_work *l)
{
	unsigned long flags;
	bool keep;

	spin_lock_irqsave(&etrace_work_lock, flags);
	keep = !etrace_work_going;
	if (keep) {
		list_add(&l->node, &etrace_work_pool);
		etrace_work_left++;
	}
	spin_unlock_irqrestore(&etrace_work_lock, flags);
	return keep;
}

/* Gives @l a file and puts it into the pool, or frees it. */
static int etrace_work_ready(struct etrace_work *l)
{
	struct file *file = anon_inode_getfile("[etrace]", &etrace_work_fops,
					       l, O_RDONLY);

	if (IS_ERR(file)) {
		kfree(l);
		return PTR_ERR(file);
	}
	atomic_inc(&etrace_work_files);
	l->file = file;
	if (!etrace_work_put(l))
		fput(file);
	return 0;
}

static int etrace_work_release(struct inode *inode, struct file *file)
{
	struct etrace_work *l = file->private_data;
	bool last;

	if (l->fn)
		l->fn(l);
	if (l->then)
		l->then(l);
	etrace_work_reset(l);
	/* Make its next file here, where sleeping is allowed. */
	if (READ_ONCE(etrace_work_going))
		kfree(l);
	else
		etrace_work_ready(l);
	last = atomic_dec_and_test(&etrace_work_files);
	if (last)
		wake_up(&etrace_work_wait);
	return 0;
}

/* Creates work items until @most are in the pool. Returns 0 or a negative error. */
static int etrace_work_fill(unsigned int most)
{
	struct etrace_work *l;
	int err = 0;

	while (!err && READ_ONCE(etrace_work_left) < most && !READ_ONCE(etrace_work_going) &&
	       atomic_read(&etrace_work_files) < ETRACE_LATER_MOST) {
		l = kzalloc(sizeof(*l), GFP_KERNEL);
		err = l ? etrace_work_ready(l) : -ENOMEM;
	}
	return err;
}

/* Resets dropped work items, refills a low pool, and empties it at the end. */
static void etrace_work_clean(struct work_struct *work)
{
	struct etrace_work *l, *next;
	struct file *file;
	LIST_HEAD(list);

	spin_lock_irq(&etrace_work_lock);
	list_splice_init(&etrace_work_dropped, &list);
	if (etrace_work_going)
		list_splice_init(&etrace_work_pool, &list);
	spin_unlock_irq(&etrace_work_lock);
	/* If there is no memory, the items in the pool must suffice. */
	etrace_work_fill(ETRACE_LATER_LEAST);

	list_for_each_entry_safe(l, next, &list, node) {
		file = l->file;
		etrace_work_reset(l);
		l->file = file;
		if (!etrace_work_put(l))
			__fput_sync(file);
	}
}

/**
 * etrace_work_get - get a work item for something that may have to be done later
 *
 * Call it from any context but an NMI.
 *
 * Return: a work item, all zero except its file; NULL if too many are in use.
 */
struct etrace_work *etrace_work_get(void)
{
	struct etrace_work *l;
	unsigned long flags;
	bool low;

	spin_lock_irqsave(&etrace_work_lock, flags);
	l = list_first_entry_or_null(&etrace_work_pool, struct etrace_work,
				     node);
	if (l) {
		list_del(&l->node);
		etrace_work_left--;
	}
	low = etrace_work_left < ETRACE_LATER_LOW;
	spin_unlock_irqrestore(&etrace_work_lock, flags);
	if (low)
		schedule_work(&etrace_work_cleaner);
	return l;
}

/**
 * etrace_work_run - run a work item on the current task's way back to its program
 * @l: from etrace_work_get(); must not be used after this
 * @fn: may sleep, but not wait for other tasks; the resources of @l are freed after @fn and
 *	@l->then
 *
 * Call it in a system call of the task, from its own context, preemptible or not.
 */
void etrace_work_run(struct etrace_work *l, void (*fn)(struct etrace_work *l))
{
	l->fn = fn;
	fput(l->file);
}

/**
 * etrace_work_drop - return a work item that is not needed
 * @l: from etrace_work_get(); its resources are freed. NULL does nothing
 *
 * Call it from any context but an NMI.
 */
void etrace_work_drop(struct etrace_work *l)
{
	unsigned long flags;

	if (!l)
		return;
	spin_lock_irqsave(&etrace_work_lock, flags);
	list_add(&l->node, &etrace_work_dropped);
	spin_unlock_irqrestore(&etrace_work_lock, flags);
	schedule_work(&etrace_work_cleaner);
}

/*
 * Can the kernel fill this memory by itself?  Yes for anonymous memory, and for files
 * on a disk or in tmpfs. Anything else may depend on a daemon or the network.
 */
static bool etrace_is_prompt(struct vm_area_struct *vma)
{
	const struct inode *inode;

	if (userfaultfd_armed(vma))
		return false;
	if (!vma->vm_file)
		return true;
	inode = file_inode(vma->vm_file);
	if (!S_ISREG(inode->i_mode) || inode->i_sb->s_magic == FUSE_SUPER_MAGIC)
		return false;
	return inode->i_sb->s_bdev || inode->i_sb->s_magic == TMPFS_MAGIC;
}

/**
 * etrace_work_fault_in - have the kernel bring back a page of the program
 * @uaddr: user address in it
 *
 * Call it only from a work item: it may wait for a disk, or while the kernel moves the page.
 * Memory that another process would have to fill is left alone.
 *
 * Return: false if nothing was done, but the page may be back soon.
 */
bool etrace_work_fault_in(unsigned long uaddr)
{
	struct mm_struct *mm = current->mm;
	struct vm_area_struct *vma;
	bool prompt;

	if (!mm)
		return true;
	/* Do not block: the holder of the lock may be waiting for any other task. */
	if (!mmap_read_trylock(mm))
		return false;
	uaddr = untagged_addr(uaddr);
	vma = find_vma(mm, uaddr);
	prompt = !vma || uaddr < vma->vm_start || etrace_is_prompt(vma);
	if (vma && uaddr >= vma->vm_start && prompt)
		fixup_user_fault(mm, uaddr, 0, NULL);
	mmap_read_unlock(mm);
	return prompt;
}

int etrace_work_init(void)
{
	int err = etrace_work_fill(ETRACE_LATER_LEAST);

	if (err)
		etrace_work_exit();
	return err;
}

/**
 * etrace_work_exit - wait until no task runs this file's code
 *
 * To be called when nothing is registered any more.
 */
void etrace_work_exit(void)
{
	spin_lock_irq(&etrace_work_lock);
	WRITE_ONCE(etrace_work_going, true);
	spin_unlock_irq(&etrace_work_lock);
	schedule_work(&etrace_work_cleaner);
	wait_event(etrace_work_wait, !atomic_read(&etrace_work_files));
	flush_work(&etrace_work_cleaner);
	/* The cleaner may have been about to create another work item. */
	wait_event(etrace_work_wait, !atomic_read(&etrace_work_files));
	/* The last one may still be at the end of etrace_work_release(). */
	synchronize_rcu_tasks();
	synchronize_rcu();
	/* etrace_work_drop() may have scheduled it again after the item was gone. */
	flush_work(&etrace_work_cleaner);
}
