// SPDX-License-Identifier: GPL-2.0
/*
 * Hooks: where the kernel shows, in the middle of a system call, what it has
 * resolved.  A hook keeps the names in the task's slot (a hold) until the end
 * of the call tells whether it succeeded.
 *
 * The handlers are kprobes at the entry of functions that the kernel calls
 * with the parents of the names locked: no second look-up, no race.  Where a
 * hook cannot be had, syscalls.c joins the user's strings instead and the
 * record says so.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/binfmts.h>
#include <linux/dcache.h>
#include <linux/fdtable.h>
#include <linux/fs.h>
#include <linux/kprobes.h>
#include <linux/mount.h>
#include <linux/ptrace.h>
#include <linux/rcupdate.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "etrace.h"
#include "abi.h"

#define ETRACE_GFP	(GFP_ATOMIC | __GFP_NOWARN)

void etrace_hold_free(struct etrace_hold *hold)
{
	int i;

	if (!hold)
		return;
	for (i = 0; i < ETRACE_NR_STR; i++)
		kfree(hold->str[i].s);
	kfree(hold->fds);
	kfree(hold);
}

/*
 * The current task's slot, if it is in a system call that waits for @hook.
 * Others reach the same functions too: io_uring, the kernel itself.
 */
static struct etrace_task *etrace_hook_task(enum etrace_hook_id hook)
{
	struct etrace_task *t = etrace_task_find(current);
	const struct etrace_syscall *sc;

	if (!t)
		return NULL;
	sc = etrace_syscall_current();
	return sc && sc->hook == hook ? t : NULL;
}

/* A new hold in the place of what an earlier try of the same call left. */
static struct etrace_hold *etrace_hold_new(struct etrace_task *t,
					   enum etrace_hook_id hook)
{
	etrace_hold_free(t->hold);
	t->hold = kzalloc(sizeof(*t->hold), ETRACE_GFP);
	if (t->hold)
		t->hold->hook = hook;
	return t->hold;
}

static void etrace_hold_drop(struct etrace_task *t)
{
	etrace_hold_free(t->hold);
	t->hold = NULL;
}

/* Keeps the captured strings of @r; without memory, nothing at all. */
static void etrace_hold_keep(struct etrace_task *t, enum etrace_hook_id hook,
			     const struct etrace_rec *r, int nr)
{
	struct etrace_hold *hold = etrace_hold_new(t, hook);
	int i;

	if (!hold)
		return;
	for (i = 0; i < nr; i++) {
		if (!r->str[i].s)
			continue;
		if (r->cut & BIT(i)) {
			etrace_hold_drop(t);
			return;
		}
		hold->str[i].s = kmemdup(r->str[i].s, r->str[i].len ?: 1,
					 ETRACE_GFP);
		hold->str[i].len = r->str[i].len;
		if (!hold->str[i].s) {
			etrace_hold_drop(t);
			return;
		}
	}
}

static void etrace_set_kernel(struct etrace_rec *r, int i, const char *s)
{
	r->str[i].s = s;
	r->str[i].len = s ? strlen(s) : 0;
}

/* int security_bprm_check(struct linux_binprm *bprm) */
static int etrace_hook_bprm_check(struct kprobe *kp, struct pt_regs *regs)
{
	struct linux_binprm *bprm = (void *)regs_get_kernel_argument(regs, 0);
	struct etrace_task *t = etrace_hook_task(ETRACE_HOOK_BPRM_CHECK);
	struct etrace_scratch *sc;
	struct etrace_rec r;

	/* Later calls are for the interpreters of a script, one by one. */
	if (!t || bprm->interp != bprm->filename)
		return 0;
	r.cut = 0;
	sc = etrace_scratch_get();
	etrace_capture_path(&r, 0, sc, &bprm->file->f_path);
	etrace_hold_keep(t, ETRACE_HOOK_BPRM_CHECK, &r, 1);
	etrace_scratch_put();
	return 0;
}

/*
 * int security_path_rename(const struct path *old_dir, struct dentry *old,
 *			    const struct path *new_dir, struct dentry *new,
 *			    unsigned int flags)
 */
static int etrace_hook_path_rename(struct kprobe *kp, struct pt_regs *regs)
{
	struct etrace_task *t = etrace_hook_task(ETRACE_HOOK_PATH_RENAME);
	struct etrace_scratch *sc;
	struct etrace_rec r;

	if (!t)
		return 0;
	r.cut = 0;
	sc = etrace_scratch_get();
	etrace_capture_child(&r, 0, sc, (void *)regs_get_kernel_argument(regs, 0),
			     (void *)regs_get_kernel_argument(regs, 1));
	etrace_capture_child(&r, 1, sc, (void *)regs_get_kernel_argument(regs, 2),
			     (void *)regs_get_kernel_argument(regs, 3));
	etrace_hold_keep(t, ETRACE_HOOK_PATH_RENAME, &r, 2);
	etrace_scratch_put();
	return 0;
}

/*
 * int security_path_link(struct dentry *old, const struct path *new_dir,
 *			  struct dentry *new)
 */
static int etrace_hook_path_link(struct kprobe *kp, struct pt_regs *regs)
{
	struct etrace_task *t = etrace_hook_task(ETRACE_HOOK_PATH_LINK);
	const struct path *dir = (void *)regs_get_kernel_argument(regs, 1);
	struct etrace_scratch *sc;
	struct etrace_rec r;
	struct path old;

	if (!t)
		return 0;
	r.cut = 0;
	/* A link does not cross mounts, so the old name is on the same one. */
	old.mnt = dir->mnt;
	old.dentry = (void *)regs_get_kernel_argument(regs, 0);
	sc = etrace_scratch_get();
	etrace_capture_path(&r, 0, sc, &old);
	etrace_capture_child(&r, 1, sc, dir,
			     (void *)regs_get_kernel_argument(regs, 2));
	etrace_hold_keep(t, ETRACE_HOOK_PATH_LINK, &r, 2);
	etrace_scratch_put();
	return 0;
}

/*
 * int security_path_symlink(const struct path *dir, struct dentry *dentry,
 *			     const char *old_name)
 */
static int etrace_hook_path_symlink(struct kprobe *kp, struct pt_regs *regs)
{
	struct etrace_task *t = etrace_hook_task(ETRACE_HOOK_PATH_SYMLINK);
	struct etrace_scratch *sc;
	struct etrace_rec r;

	if (!t)
		return 0;
	r.cut = 0;
	sc = etrace_scratch_get();
	etrace_set_kernel(&r, 0, (void *)regs_get_kernel_argument(regs, 2));
	etrace_capture_child(&r, 1, sc, (void *)regs_get_kernel_argument(regs, 0),
			     (void *)regs_get_kernel_argument(regs, 1));
	etrace_hold_keep(t, ETRACE_HOOK_PATH_SYMLINK, &r, 2);
	etrace_scratch_put();
	return 0;
}

/*
 * int security_sb_mount(const char *dev_name, const struct path *path,
 *			 const char *type, unsigned long flags, void *data)
 */
static int etrace_hook_sb_mount(struct kprobe *kp, struct pt_regs *regs)
{
	struct etrace_task *t = etrace_hook_task(ETRACE_HOOK_SB_MOUNT);
	struct etrace_scratch *sc;
	struct etrace_rec r;

	if (!t)
		return 0;
	r.cut = 0;
	sc = etrace_scratch_get();
	etrace_set_kernel(&r, 0, (void *)regs_get_kernel_argument(regs, 0));
	etrace_capture_path(&r, 1, sc, (void *)regs_get_kernel_argument(regs, 1));
	etrace_set_kernel(&r, 2, (void *)regs_get_kernel_argument(regs, 2));
	etrace_hold_keep(t, ETRACE_HOOK_SB_MOUNT, &r, 3);
	etrace_scratch_put();
	return 0;
}

/* int security_sb_umount(struct vfsmount *mnt, int flags) */
static int etrace_hook_sb_umount(struct kprobe *kp, struct pt_regs *regs)
{
	struct etrace_task *t = etrace_hook_task(ETRACE_HOOK_SB_UMOUNT);
	struct etrace_scratch *sc;
	struct etrace_rec r;
	struct path root;

	if (!t)
		return 0;
	r.cut = 0;
	root.mnt = (void *)regs_get_kernel_argument(regs, 0);
	root.dentry = root.mnt->mnt_root;
	sc = etrace_scratch_get();
	etrace_capture_path(&r, 0, sc, &root);
	etrace_hold_keep(t, ETRACE_HOOK_SB_UMOUNT, &r, 1);
	etrace_scratch_put();
	return 0;
}

/* Which descriptors close_range() finds open: after it, nobody knows. */
static int etrace_hook_close_range(struct kprobe *kp, struct pt_regs *kregs)
{
	struct etrace_task *t = etrace_hook_task(ETRACE_HOOK_CLOSE_RANGE);
	struct pt_regs *regs = current_pt_regs();
	const struct etrace_syscall *sc;
	struct etrace_hold *hold;
	struct fdtable *fdt;
	unsigned int fd, first, last;

	if (!t)
		return 0;
	sc = etrace_syscall_current();
	first = etrace_syscall_arg(sc, regs, ETRACE_ARG_FD, 0);
	last = etrace_syscall_arg(sc, regs, ETRACE_ARG_FD2, 0);
	hold = etrace_hold_new(t, ETRACE_HOOK_CLOSE_RANGE);
	if (!hold)
		return 0;

	rcu_read_lock();
	fdt = files_fdtable(current->files);
	last = min_t(unsigned int, last, fdt->max_fds - 1);
	if (first <= last) {
		hold->first = first;
		hold->nr_fds = last - first + 1;
		hold->fds = kcalloc(BITS_TO_LONGS(hold->nr_fds), sizeof(long),
				    ETRACE_GFP);
		if (!hold->fds)
			etrace_hold_drop(t);
		else
			for (fd = first; fd <= last; fd++)
				if (rcu_access_pointer(fdt->fd[fd]))
					__set_bit(fd - first, hold->fds);
	}
	rcu_read_unlock();
	return 0;
}

static struct etrace_hook {
	struct kprobe kp;
	bool optional;		/* the kernel may do without: say nothing */
	bool registered;
	bool missing;		/* the latest try to set it failed */
	unsigned long missed;	/* of earlier registrations */
} etrace_hooks[] = {
#define ETRACE_HOOK(symbol, handler)	\
	{ .kp = { .symbol_name = symbol, .pre_handler = handler } }
	ETRACE_HOOK("security_bprm_check", etrace_hook_bprm_check),
	ETRACE_HOOK("security_path_rename", etrace_hook_path_rename),
	ETRACE_HOOK("security_path_link", etrace_hook_path_link),
	ETRACE_HOOK("security_path_symlink", etrace_hook_path_symlink),
	ETRACE_HOOK("security_sb_mount", etrace_hook_sb_mount),
	ETRACE_HOOK("security_sb_umount", etrace_hook_sb_umount),
	ETRACE_HOOK(ETRACE_SYSCALL_SYMBOL(close_range), etrace_hook_close_range),
	{ .kp = { .symbol_name = ETRACE_SYSCALL_SYMBOL_COMPAT(close_range),
		  .pre_handler = etrace_hook_close_range },
	  .optional = true },
#undef ETRACE_HOOK
};

/**
 * etrace_hooks_register - set the hooks
 *
 * A hook that cannot be set is reported, once, and done without.
 */
void etrace_hooks_register(void)
{
	unsigned int i;
	int err;

	for (i = 0; i < ARRAY_SIZE(etrace_hooks); i++) {
		struct etrace_hook *h = &etrace_hooks[i];

		if (!h->kp.symbol_name)
			continue;
		/* An earlier registration has left them. */
		h->kp.addr = NULL;
		h->kp.flags = 0;
		err = register_kprobe(&h->kp);
		h->registered = !err;
		if (err && !h->optional && !h->missing)
			pr_warn("no hook on %s (error %d): records will have the user's strings\n",
				h->kp.symbol_name, err);
		h->missing = err && !h->optional;
	}
}

void etrace_hooks_unregister(void)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(etrace_hooks); i++) {
		if (!etrace_hooks[i].registered)
			continue;
		unregister_kprobe(&etrace_hooks[i].kp);
		etrace_hooks[i].registered = false;
		etrace_hooks[i].missed += etrace_hooks[i].kp.nmissed;
		etrace_hooks[i].kp.nmissed = 0;
	}
}

/**
 * etrace_hooks_missed - how often a hook could not run when it was reached
 */
unsigned long etrace_hooks_missed(void)
{
	unsigned long n = 0;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(etrace_hooks); i++)
		n += etrace_hooks[i].missed + etrace_hooks[i].kp.nmissed;
	return n;
}

/**
 * etrace_hooks_missing - how many hooks this kernel does not offer
 *
 * Known once somebody has been traced.
 */
unsigned int etrace_hooks_missing(void)
{
	unsigned int i, n = 0;

	for (i = 0; i < ARRAY_SIZE(etrace_hooks); i++)
		n += etrace_hooks[i].missing;
	return n;
}
