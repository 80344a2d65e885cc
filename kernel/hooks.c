// SPDX-License-Identifier: GPL-2.0
/*
 * Hooks: functions of the kernel that show, during a system call, which files it
 * has resolved.  A hook keeps the names in the task's slot (a hold) until the end
 * of the call shows whether it succeeded.
 *
 * The handlers are called by ftrace at the entry of functions that the kernel calls
 * with the parents of the names locked: no second look-up, no race.  They run in the
 * calling task's context, as if that function had called them, and not in an exception
 * handler, as a kprobe may. If a hook cannot be set, calls.c joins the user's strings
 * instead, and the record says so.
 *
 * A kretprobe, a hook of another kind, sees which calls a seccomp filter has answered:
 * the result of such a call says nothing about what happened.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/binfmts.h>
#include <linux/bitmap.h>
#include <linux/dcache.h>
#include <linux/fdtable.h>
#include <linux/fs.h>
#include <linux/ftrace.h>
#include <linux/kprobes.h>
#include <linux/mount.h>
#include <linux/path.h>
#include <linux/rcupdate.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "hooks.h"
#include "abi.h"
#include "capture.h"
#include "compat.h"
#include "counts.h"
#include "hold.h"
#include "return_work.h"
#include "table.h"
#include "task.h"

#define ETRACE_GFP	(GFP_ATOMIC | __GFP_NOWARN | __GFP_ACCOUNT)
#define ETRACE_FDS_MAX	(1024 * 1024)	/* the sysctl fs.nr_open by default */

static void etrace_set_kernel(struct etrace_rec *r, int i, const char *s)
{
	r->str[i].s = s;
	r->str[i].len = s ? strlen(s) : 0;
}

/* Keeps one or two paths from the arguments of a function. */
static void etrace_hook_paths(struct etrace_task *t, u8 id, const struct path *first,
			      const struct path *second)
{
	struct etrace_scratch *sc;
	struct etrace_rec r;

	r.cut = 0;
	r.outside = 0;
	sc = etrace_scratch_get();
	etrace_capture_path(&r, 0, sc, first);
	if (second)
		etrace_capture_path(&r, 1, sc, second);
	etrace_hold_keep(&t->hold, id, &r, second ? 2 : 1);
	etrace_scratch_put();
}

/*
 * Keeps which descriptors execve will close if it succeeds. Another thread may change
 * them before that, so the end of the call checks again.
 */
static void etrace_hold_cloexec(struct etrace_hold *hold)
{
	struct fdtable *fdt = etrace_fdtable(current->files);
	unsigned int i, n = 0;

	for (i = 0; i < BITS_TO_LONGS(fdt->max_fds) && i < BITS_TO_LONGS(ETRACE_FDS_MAX); i++)
		if (fdt->open_fds[i] & fdt->close_on_exec[i])
			n = i + 1;
	if (!n)
		return;
	hold->fds = kmalloc_array(n, sizeof(long), ETRACE_GFP);
	hold->fds_lost = !hold->fds;
	hold->nr_fds = hold->fds ? n * BITS_PER_LONG : 0;
	for (i = 0; hold->fds && i < n; i++)
		hold->fds[i] = fdt->open_fds[i] & fdt->close_on_exec[i];
}

/* int security_bprm_check(struct linux_binprm *bprm) */
static void etrace_hook_bprm_check(struct etrace_task *t, u8 id,
				   etrace_hook_regs *regs)
{
	struct linux_binprm *bprm = etrace_hook_arg(regs, 0);

	/* Ignore later calls: they are for the interpreters of a script, one by one. */
	if (bprm->interp != bprm->filename)
		return;
	etrace_hook_paths(t, id, &bprm->file->f_path, NULL);
	if (!etrace_wants_extended())
		return;
	if (t->hold)
		etrace_hold_cloexec(t->hold);
	else
		etrace_for_each_slot(t, t)
			etrace_count(t->session, lost_fds, 1);
}

/* Keeps names from the arguments of a function, each a directory and an entry of it. */
static __always_inline void etrace_hook_children(struct etrace_task *t, u8 id,
						 etrace_hook_regs *regs, int nr)
{
	struct etrace_scratch *sc;
	struct etrace_rec r;
	int i;

	r.cut = 0;
	r.outside = 0;
	sc = etrace_scratch_get();
	for (i = 0; i < nr; i++)
		etrace_capture_child(&r, i, sc, etrace_hook_arg(regs, 2 * i),
				     etrace_hook_arg(regs, 2 * i + 1));
	etrace_hold_keep(&t->hold, id, &r, nr);
	etrace_scratch_put();
}

/*
 * int security_path_rename(const struct path *old_dir, struct dentry *old,
 *			    const struct path *new_dir, struct dentry *new,
 *			    unsigned int flags)
 */
static void etrace_hook_path_rename(struct etrace_task *t, u8 id,
				    etrace_hook_regs *regs)
{
	etrace_hook_children(t, id, regs, 2);
}

/* The handler of an ETRACE_HOOK_CHILD() in the table. */
static void __maybe_unused etrace_hook_child(struct etrace_task *t, u8 id, etrace_hook_regs *regs)
{
	etrace_hook_children(t, id, regs, 1);
}

/* The handler of an ETRACE_HOOK_PATH() in the table. */
static void __maybe_unused etrace_hook_path(struct etrace_task *t, u8 id, etrace_hook_regs *regs)
{
	etrace_hook_paths(t, id, etrace_hook_arg(regs, 0), NULL);
}

/*
 * int security_path_link(struct dentry *old, const struct path *new_dir,
 *			  struct dentry *new)
 */
static void etrace_hook_path_link(struct etrace_task *t, u8 id,
				  etrace_hook_regs *regs)
{
	const struct path *dir = etrace_hook_arg(regs, 1);
	struct etrace_scratch *sc;
	struct etrace_rec r;
	struct path old;

	r.cut = 0;
	r.outside = 0;
	/* A link does not cross mounts, so the old name is on the same one. */
	old.mnt = dir->mnt;
	old.dentry = etrace_hook_arg(regs, 0);
	sc = etrace_scratch_get();
	etrace_capture_path(&r, 0, sc, &old);
	etrace_capture_child(&r, 1, sc, dir,
			     etrace_hook_arg(regs, 2));
	etrace_hold_keep(&t->hold, id, &r, 2);
	etrace_scratch_put();
}

/*
 * int security_path_symlink(const struct path *dir, struct dentry *dentry,
 *			     const char *old_name)
 */
static void etrace_hook_path_symlink(struct etrace_task *t, u8 id,
				     etrace_hook_regs *regs)
{
	const struct path *dir = etrace_hook_arg(regs, 0);
	struct etrace_scratch *sc;
	struct etrace_work *l;
	struct etrace_rec r;

	r.cut = 0;
	r.outside = 0;
	sc = etrace_scratch_get();
	etrace_set_kernel(&r, 0, etrace_hook_arg(regs, 2));
	etrace_capture_child(&r, 1, sc, dir, etrace_hook_arg(regs, 1));
	etrace_hold_keep(&t->hold, id, &r, 2);
	etrace_scratch_put();
	if (!t->hold)
		return;
	/* The target is looked up from this directory after the link has been made. */
	l = etrace_work_get();
	if (!l)
		return;
	l->dir = *dir;
	path_get(&l->dir);
	t->hold->work = l;
}

/*
 * int security_sb_mount(const char *dev_name, const struct path *path,
 *			 const char *type, unsigned long flags, void *data)
 */
static void etrace_hook_sb_mount(struct etrace_task *t, u8 id,
				 etrace_hook_regs *regs)
{
	struct etrace_scratch *sc;
	struct etrace_rec r;

	r.cut = 0;
	r.outside = 0;
	sc = etrace_scratch_get();
	etrace_set_kernel(&r, 0, etrace_hook_arg(regs, 0));
	etrace_capture_path(&r, 1, sc, etrace_hook_arg(regs, 1));
	etrace_set_kernel(&r, 2, etrace_hook_arg(regs, 2));
	etrace_hold_keep(&t->hold, id, &r, 3);
	etrace_scratch_put();
}

/* int security_sb_umount(struct vfsmount *mnt, int flags) */
static void etrace_hook_sb_umount(struct etrace_task *t, u8 id,
				  etrace_hook_regs *regs)
{
	struct path root;

	root.mnt = etrace_hook_arg(regs, 0);
	root.dentry = root.mnt->mnt_root;
	etrace_hook_paths(t, id, &root, NULL);
}

/*
 * int security_sb_pivotroot(const struct path *old_path,
 *			     const struct path *new_path)
 */
static void etrace_hook_sb_pivotroot(struct etrace_task *t, u8 id,
				     etrace_hook_regs *regs)
{
	etrace_hook_paths(t, id, etrace_hook_arg(regs, 1), etrace_hook_arg(regs, 0));
}

/*
 * Keeps which descriptors close_range() finds open: this is unknown after the call.  Copies
 * only words of the bitmap from the first to the last used one: it may have a million bits.
 */
static void etrace_hook_close_range(struct etrace_task *t, u8 id,
				    etrace_hook_regs *hregs)
{
	const struct etrace_syscall *sc = etrace_syscall_current();
	struct pt_regs *regs = current_pt_regs();
	struct fdtable *fdt = files_fdtable(current->files);
	unsigned int first, start, size;
	struct etrace_hold *hold;

	first = etrace_syscall_arg(sc, regs, ETRACE_ARG_FD, 0);
	size = etrace_syscall_arg(sc, regs, ETRACE_ARG_FD2, 0);
	size = min_t(unsigned int, size, fdt->max_fds - 1) + 1;
	hold = etrace_hold_new(&t->hold, id);
	if (!hold || first >= size)
		return;

	start = round_down(first, BITS_PER_LONG);
	size = min_t(unsigned int, size,
		     find_last_bit(fdt->open_fds, size) + 1);
	if (first >= size)
		return;
	hold->first = start;
	hold->nr_fds = size - start;
	size = BITS_TO_LONGS(hold->nr_fds) * sizeof(long);
	if (hold->nr_fds <= ETRACE_FDS_MAX)
		hold->fds = kmalloc(size, ETRACE_GFP);
	if (!hold->fds) {
		etrace_hold_drop(&t->hold);
		return;
	}
	memcpy(hold->fds, fdt->open_fds + BIT_WORD(start), size);
	hold->fds[0] &= BITMAP_FIRST_WORD_MASK(first);
}

/**
 * struct etrace_hook - a kernel function that shows a resolved name
 * @symbol: the function
 * @id: ETRACE_HOOK_*, as in the rows of the calls that use it
 * @optional: not reported if the kernel lacks it
 * @fn: keeps the function's arguments
 * @ip: address from which ftrace calls, 0 if unknown
 * @missing: this kernel does not offer it
 */
struct etrace_hook {
	const char *symbol;
	u8 id;
	bool optional;
	void (*fn)(struct etrace_task *t, u8 id, etrace_hook_regs *regs);
	unsigned long ip;
	bool missing;
};

static struct etrace_hook etrace_hooks[] = {
#define ETRACE_HOOK_AT(_symbol, _id, _fn)	\
	{ .symbol = _symbol, .id = ETRACE_HOOK_##_id, .fn = _fn }
	ETRACE_HOOK_AT("security_bprm_check", BPRM_CHECK, etrace_hook_bprm_check),
	ETRACE_HOOK_AT("security_path_rename", PATH_RENAME, etrace_hook_path_rename),
	ETRACE_HOOK_AT("security_path_link", PATH_LINK, etrace_hook_path_link),
	ETRACE_HOOK_AT("security_path_symlink", PATH_SYMLINK, etrace_hook_path_symlink),
	ETRACE_HOOK_AT("security_sb_mount", SB_MOUNT, etrace_hook_sb_mount),
	ETRACE_HOOK_AT("security_sb_umount", SB_UMOUNT, etrace_hook_sb_umount),
	ETRACE_HOOK_AT("security_sb_pivotroot", SB_PIVOTROOT, etrace_hook_sb_pivotroot),
	ETRACE_HOOK_AT(ETRACE_SYSCALL_SYMBOL(close_range), CLOSE_RANGE,
		       etrace_hook_close_range),
	{ .symbol = ETRACE_SYSCALL_SYMBOL_COMPAT(close_range),
	  .id = ETRACE_HOOK_CLOSE_RANGE, .fn = etrace_hook_close_range,
	  .optional = true },
#define ETRACE_HOOK_CHILD(id, name) \
	ETRACE_HOOK_AT("security_" #name, id, etrace_hook_child),
#define ETRACE_HOOK_PATH(id, name) \
	ETRACE_HOOK_AT(#name, id, etrace_hook_path),
#include "etrace_syscalls.def"
#undef ETRACE_HOOK_AT
};

#if ETRACE_FTRACE
/* Ftrace's call is within this many bytes of a function's entry: a landing pad may precede it. */
#define ETRACE_ENTRY_SIZE	16

/*
 * Runs in the context of the function's caller: a system call of the table, an operation of
 * an io_uring (uring.c), or the kernel itself.
 */
static void notrace etrace_hook_entry(unsigned long ip, unsigned long parent_ip,
				      struct ftrace_ops *ops,
				      etrace_hook_regs *regs)
{
	const struct etrace_syscall *sc;
	struct etrace_task *t;
	unsigned int i;

	/* First the check that nearly every task fails. */
	if (likely(etrace_task_untraced(current)))
		return;
	rcu_read_lock();
	t = etrace_task_find(current);
	sc = !t ? NULL : t->ring ?: etrace_syscall_current();
	for (i = 0; sc && i < ARRAY_SIZE(etrace_hooks); i++)
		if (etrace_hooks[i].id == sc->hook &&
		    ip - etrace_hooks[i].ip < ETRACE_ENTRY_SIZE)
			etrace_hooks[i].fn(t, sc->hook, regs);
	rcu_read_unlock();
}

/* PERMANENT: the sysctl kernel.ftrace_enabled cannot switch it off. */
static struct ftrace_ops etrace_hook_ops = {
	.func = etrace_hook_entry,
	.flags = ETRACE_FTRACE_FLAGS | FTRACE_OPS_FL_PERMANENT,
};
static bool etrace_hooks_live;

/*
 * Uses kprobes to find the addresses that ftrace passes to callbacks; these never change.
 * The kprobes are unregistered together, since that waits until none of them runs.
 */
int etrace_hooks_init(void)
{
	struct kprobe *probes, *found[ARRAY_SIZE(etrace_hooks)];
	unsigned int i, n = 0;

	probes = kcalloc(ARRAY_SIZE(etrace_hooks), sizeof(*probes), GFP_KERNEL);
	if (!probes)
		return -ENOMEM;
	for (i = 0; i < ARRAY_SIZE(etrace_hooks); i++) {
		struct etrace_hook *h = &etrace_hooks[i];

		probes[i].symbol_name = h->symbol;
		probes[i].flags = KPROBE_FLAG_DISABLED;
		if (!h->symbol || register_kprobe(&probes[i]))
			continue;
		h->ip = (unsigned long)probes[i].addr;
		found[n++] = &probes[i];
	}
	unregister_kprobes(found, n);
	kfree(probes);
	return 0;
}

static int etrace_hook_set(struct etrace_hook *h)
{
	return h->ip ? ftrace_set_filter_ip(&etrace_hook_ops, h->ip, 0, 0) :
		       -ENOENT;
}

static int etrace_hooks_start(void)
{
	int err = register_ftrace_function(&etrace_hook_ops);

	etrace_hooks_live = !err;
	return err;
}

static void etrace_hooks_stop(void)
{
	if (etrace_hooks_live)
		WARN_ON_ONCE(unregister_ftrace_function(&etrace_hook_ops));
	etrace_hooks_live = false;
	ftrace_set_filter(&etrace_hook_ops, NULL, 0, 1);
}
#else
int etrace_hooks_init(void)
{
	return 0;
}

static int etrace_hook_set(struct etrace_hook *h)
{
	return -EOPNOTSUPP;
}

static int etrace_hooks_start(void)
{
	return -EOPNOTSUPP;
}

static void etrace_hooks_stop(void)
{
}
#endif

/* ---- calls that a seccomp filter answers --------------------------------- */

/*
 * Maximum number of tasks that may wait in their filter at a time, e.g. for a supervisor's answer.
 */
#define ETRACE_SECCOMP_MAX	1024

/*
 * The function that runs a call's filters, and the meaning of its result, which 7.3
 * reversed.
 */
static const struct etrace_seccomp_at {
	const char *symbol;
	bool permits;		/* true: a true result permits the call; false: 0 permits it */
} etrace_seccomp_at[] = {
	{ "__secure_computing",		false },
	{ "__seccomp_permit_syscall",	true },
};

static const struct etrace_seccomp_at *etrace_seccomp_here;
static struct kretprobe etrace_seccomp;
static bool etrace_seccomp_live;
static unsigned long etrace_seccomp_missed;	/* missed before the probe was last set */

/* Runs only for tasks with a filter; the return probe runs only for traced ones. */
static int etrace_seccomp_entry(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	return etrace_task_untraced(current);
}

/*
 * Notes whether the filter has answered the call. The task's next call gets here, too,
 * so the note never becomes stale.
 */
static int etrace_seccomp_return(struct kretprobe_instance *ri,
				 struct pt_regs *regs)
{
	bool skipped = etrace_seccomp_here->permits ?
		       !(u8)regs_return_value(regs) :
		       (int)regs_return_value(regs) == -1;
	struct etrace_task *t;

	rcu_read_lock();
	etrace_for_each_slot(t, etrace_task_find(current))
		t->skipped = skipped;
	rcu_read_unlock();
	return 0;
}

static void etrace_seccomp_register(void)
{
	int err = -ENOENT;
	unsigned int i;

	for (i = 0; err == -ENOENT && i < ARRAY_SIZE(etrace_seccomp_at); i++) {
		etrace_seccomp_here = &etrace_seccomp_at[i];
		memset(&etrace_seccomp, 0, sizeof(etrace_seccomp));
		etrace_seccomp.kp.symbol_name = etrace_seccomp_here->symbol;
		etrace_seccomp.entry_handler = etrace_seccomp_entry;
		etrace_seccomp.handler = etrace_seccomp_return;
		etrace_seccomp.maxactive = ETRACE_SECCOMP_MAX;
		err = register_kretprobe(&etrace_seccomp);
	}
	etrace_seccomp_live = !err;
	if (err && IS_ENABLED(CONFIG_SECCOMP_FILTER))
		pr_warn("no hook on __secure_computing (error %d): calls that a seccomp filter answers are recorded as made\n",
			err);
}

static unsigned long etrace_seccomp_nmissed(void)
{
	return etrace_seccomp_live ?
	       etrace_seccomp.nmissed + etrace_seccomp.kp.nmissed : 0;
}

static void etrace_seccomp_unregister(void)
{
	if (!etrace_seccomp_live)
		return;
	unregister_kretprobe(&etrace_seccomp);
	etrace_seccomp_missed += etrace_seccomp_nmissed();
	etrace_seccomp_live = false;
}

/* ---- registration --------------------------------------------------------- */

static void etrace_hook_missing(struct etrace_hook *h, int err)
{
	h->missing = true;
	if (!h->optional)
		pr_warn("no hook on %s (error %d): records will have the user's strings\n",
			h->symbol, err);
}

/**
 * etrace_hooks_register - set the hooks
 *
 * A hook that cannot be set is reported and skipped.
 */
void etrace_hooks_register(void)
{
	unsigned int i, n = 0;
	int err;

	for (i = 0; i < ARRAY_SIZE(etrace_hooks); i++) {
		err = etrace_hook_set(&etrace_hooks[i]);
		etrace_hooks[i].missing = false;
		if (err)
			etrace_hook_missing(&etrace_hooks[i], err);
		else
			n++;
	}
	etrace_seccomp_register();
	/* Without a filter it would be every function of the kernel. */
	err = n ? etrace_hooks_start() : 0;
	for (i = 0; err && i < ARRAY_SIZE(etrace_hooks); i++)
		if (!etrace_hooks[i].missing)
			etrace_hook_missing(&etrace_hooks[i], err);
}

/**
 * etrace_hooks_unregister - remove the hooks
 *
 * On return no hook runs any more.
 */
void etrace_hooks_unregister(void)
{
	etrace_hooks_stop();
	etrace_seccomp_unregister();
}

/**
 * etrace_hooks_missed - number of times that a hook was reached but could not run
 */
unsigned long etrace_hooks_missed(void)
{
	return etrace_seccomp_missed + etrace_seccomp_nmissed();
}

/**
 * etrace_hooks_missing - number of hooks that this kernel does not offer
 */
unsigned int etrace_hooks_missing(void)
{
	unsigned int i, n = 0;

	for (i = 0; i < ARRAY_SIZE(etrace_hooks); i++)
		n += etrace_hooks[i].missing && !etrace_hooks[i].optional;
	return n;
}
