// SPDX-License-Identifier: GPL-2.0
/*
 * Finds the target of a new symbolic link: the one name of a call that the kernel does not
 * resolve.
 *
 * The path is walked here, only through what the kernel has in memory: names that it has
 * looked up before, and mounts.  This neither asks a file system for a name, nor waits for
 * a daemon, nor mounts anything, nor shows a security module a look-up that the program
 * never made. A target that is not in memory stays unknown.
 */
#include <linux/cred.h>
#include <linux/dcache.h>
#include <linux/delayed_call.h>
#include <linux/fs.h>
#include <linux/fs_struct.h>
#include <linux/mount.h>
#include <linux/namei.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/stringhash.h>

#include "target.h"
#include "compat.h"

#define ETRACE_NOWHERE	(-ENOENT)
#define ETRACE_UNTOLD	(-EAGAIN)

/**
 * struct etrace_walk - a path walk in progress
 * @at: current position; referenced
 * @root: the task's root directory; referenced
 * @rest: the rest of the path, in @room, up to the NUL at the end
 * @links: number of symbolic links followed
 * @room: buffer for the path; the text of a link is inserted before the rest
 */
struct etrace_walk {
	struct path at;
	struct path root;
	char *rest;
	unsigned int links;
	char room[2 * PATH_MAX];
};

/* Inserts @len bytes of text before the rest of the path. */
static int etrace_walk_text(struct etrace_walk *w, const char *s, size_t len)
{
	if (!len)
		return ETRACE_NOWHERE;
	if (len + 1 > w->rest - w->room)
		return ETRACE_UNTOLD;
	/* The rest begins with '/' or the final NUL, so the text ends there. */
	w->rest -= len;
	memcpy(w->rest, s, len);
	if (*s == '/') {
		path_get(&w->root);
		path_put(&w->at);
		w->at = w->root;
	}
	return 0;
}

/* Enters mounts on a directory; a target behind an automount is unknown. */
static int etrace_walk_mounts(struct etrace_walk *w)
{
	while (d_mountpoint(w->at.dentry))
		if (!follow_down_one(&w->at))
			break;
	if (w->at.dentry->d_flags & (DCACHE_NEED_AUTOMOUNT | DCACHE_MANAGE_TRANSIT))
		return ETRACE_UNTOLD;
	return 0;
}

static int etrace_walk_up(struct etrace_walk *w)
{
	struct dentry *parent;

	for (;;) {
		if (path_equal(&w->at, &w->root))
			break;
		if (w->at.dentry != w->at.mnt->mnt_root) {
			parent = dget_parent(w->at.dentry);
			/* The directory was moved out of the mounted tree: no way up. */
			if (!is_subdir(parent, w->at.mnt->mnt_root)) {
				dput(parent);
				return ETRACE_NOWHERE;
			}
			dput(w->at.dentry);
			w->at.dentry = parent;
			break;
		}
		if (!follow_up(&w->at))
			break;
	}
	return etrace_walk_mounts(w);
}

/*
 * With the sysctl fs.protected_symlinks, some links in sticky directories are not
 * followed; a module cannot see whether it is set.
 */
static bool etrace_may_be_protected(const struct inode *dir,
				    const struct inode *link)
{
	const umode_t sticky = S_ISVTX | 0002;

	return (dir->i_mode & sticky) == sticky &&
	       !uid_eq(current_fsuid(), link->i_uid) &&
	       !uid_eq(dir->i_uid, link->i_uid);
}

static int etrace_walk_link(struct etrace_walk *w, struct dentry *dentry)
{
	struct inode *inode = d_inode(dentry);
	DEFINE_DELAYED_CALL(done);
	const char *text;
	int err;

	if (++w->links > MAXSYMLINKS || w->at.mnt->mnt_flags & MNT_NOSYMFOLLOW)
		return ETRACE_NOWHERE;
	if (etrace_may_be_protected(d_inode(w->at.dentry), inode))
		return ETRACE_UNTOLD;
	rcu_read_lock();
	text = READ_ONCE(inode->i_link);
	/* Without a dentry it returns the text only if it is in memory, else -ECHILD. */
	if (!text)
		text = inode->i_op->get_link ?
		       inode->i_op->get_link(NULL, inode, &done) : NULL;
	if (IS_ERR_OR_NULL(text))
		err = ETRACE_UNTOLD;
	else
		err = strnlen(text, PATH_MAX) < PATH_MAX ? 0 : ETRACE_UNTOLD;
	rcu_read_unlock();
	/* The text is valid up to do_delayed_call(), which frees it unless the inode owns it. */
	if (!err)
		err = etrace_walk_text(w, text, strlen(text));
	do_delayed_call(&done);
	return err;
}

/* Steps to the entry with that name, or inserts the text of a link before the rest. */
static int etrace_walk_down(struct etrace_walk *w, const char *name, u32 len)
{
	struct dentry *dir = w->at.dentry, *dentry;
	struct qstr q = { .len = len, .name = name };
	int err = 0;

	if (len > NAME_MAX)
		return ETRACE_NOWHERE;
	if (dir->d_flags & (DCACHE_OP_HASH | DCACHE_OP_COMPARE))
		return ETRACE_UNTOLD;
	q.hash = full_name_hash(dir, name, len);
	dentry = d_lookup(dir, &q);
	/* A name not in memory is unknown, unless the file system has all names in memory. */
	if (!dentry)
		return d_inode(dir)->i_op->lookup == simple_lookup ?
		       ETRACE_NOWHERE : ETRACE_UNTOLD;
	if (dentry->d_flags & DCACHE_OP_REVALIDATE &&
	    etrace_revalidate(dir, &q, dentry) <= 0) {
		err = ETRACE_UNTOLD;
	} else if (d_is_negative(dentry)) {
		err = ETRACE_NOWHERE;
	} else if (d_is_symlink(dentry)) {
		err = etrace_walk_link(w, dentry);
	} else {
		w->at.dentry = dentry;
		dput(dir);
		return etrace_walk_mounts(w);
	}
	dput(dentry);
	return err;
}

/* Walks to the next component, after the slashes before it. */
static int etrace_walk_step(struct etrace_walk *w)
{
	const char *name;
	u32 len;
	int err;

	if (!d_can_lookup(w->at.dentry))
		return ETRACE_NOWHERE;
	/*
	 * Use the task's own permissions, so that the result is the one that the task would get.
	 */
	err = etrace_may_search(&w->at);
	if (err)
		return err == -ECHILD ? ETRACE_UNTOLD : ETRACE_NOWHERE;

	name = w->rest + strspn(w->rest, "/");
	len = strcspn(name, "/");
	w->rest += name - w->rest + len;
	if (!len || (len == 1 && name[0] == '.'))
		return 0;
	if (len == 2 && name[0] == '.' && name[1] == '.')
		return etrace_walk_up(w);
	return etrace_walk_down(w, name, len);
}

/**
 * etrace_target_find - find the target of a link, as the current task sees it
 * @dir: the directory that contains the link
 * @target: its text
 * @found: set to the target, to be released with path_put()
 *
 * May sleep when it drops the last reference to a file that another task has removed.
 *
 * Return: 0; -ENOENT if the target does not exist; -EAGAIN if only a file system could
 * tell.
 */
int etrace_target_find(const struct path *dir, const struct etrace_str *target,
		       struct path *found)
{
	struct etrace_walk *w;
	int err;

	if (!current->fs)
		return ETRACE_UNTOLD;
	w = kmalloc(sizeof(*w), GFP_KERNEL);
	if (!w)
		return ETRACE_UNTOLD;
	w->links = 0;
	w->rest = w->room + sizeof(w->room) - 1;
	*w->rest = '\0';
	get_fs_root(current->fs, &w->root);
	w->at = *dir;
	path_get(&w->at);

	err = etrace_walk_text(w, target->s, target->len);
	while (!err && *w->rest)
		err = etrace_walk_step(w);

	path_put(&w->root);
	if (err)
		path_put(&w->at);
	else
		*found = w->at;
	kfree(w);
	return err;
}
