// SPDX-License-Identifier: GPL-2.0
/*
 * Strings of a record: paths that the kernel holds, and user strings.
 *
 * They go to per-CPU scratch buffers, between etrace_scratch_get() and
 * etrace_scratch_put(), and are copied from there into the ring buffer or
 * kept in a hold.  Nothing here sleeps, looks a name up, or takes a reference
 * whose drop may sleep.
 *
 * Each function fills string @i of a record.  On failure the string is empty
 * and the record says so (unread, cut); it also says so of a path that does not
 * begin in the task's root directory (outside).
 */
#include <linux/dcache.h>
#include <linux/file.h>
#include <linux/fs.h>
#include <linux/fs_struct.h>
#include <linux/mm.h>
#include <linux/mount.h>
#include <linux/uaccess.h>
#include <asm/word-at-a-time.h>

#include "capture.h"
#include "compat.h"

static void etrace_set(struct etrace_rec *r, int i, const char *s, u32 len)
{
	r->str[i].s = s;
	r->str[i].len = len;
	r->plain &= ~BIT(i);
}

/* Clears the plain bit of string @i if @nl shows a possible newline, or if it is too long. */
static __always_inline void etrace_keep_plain(struct etrace_rec *r, int i, unsigned long nl)
{
	if (nl & ETRACE_TOPS || r->str[i].len > ETRACE_PLAIN_MAX)
		r->plain &= ~BIT(i);
}

/* Sets string @i; @nl is etrace_newlines() of its bytes. */
static __always_inline void etrace_set_known(struct etrace_rec *r, int i, const char *s, u32 len,
					     unsigned long nl)
{
	r->str[i].s = s;
	r->str[i].len = len;
	r->plain |= BIT(i);
	etrace_keep_plain(r, i, nl);
}

static void etrace_set_unread(struct etrace_rec *r, int i)
{
	etrace_set(r, i, "", 0);
	r->unread |= BIT(i);
}

/* Marks string @i as not readable now: a page of it is not in memory. */
static void etrace_set_faulted(struct etrace_rec *r, int i)
{
	etrace_set_unread(r, i);
	r->faulted = true;
}

static void etrace_set_cut(struct etrace_rec *r, int i)
{
	etrace_set(r, i, "", 0);
	r->cut |= BIT(i);
}

/* Is the task's root directory the top of a mount, and the path on that mount? */
static bool etrace_is_on_root(const struct path *path)
{
	struct fs_struct *fs = current->fs;
	unsigned int seq = etrace_fs_begin(fs);
	bool is = path->mnt == fs->root.mnt &&
		  path->mnt->mnt_root == fs->root.dentry;

	return is && !etrace_fs_retry(fs, seq);
}

/*
 * Is the path not below the task's root directory, e.g. in a detached mount? Then d_path()
 * returns a path from the top of its mount.
 */
static noinline bool etrace_is_outside(const struct path *path)
{
	struct path root;

	/* Pipes and the like have synthetic names. */
	if (path->dentry->d_op && path->dentry->d_op->d_dname)
		return false;
	etrace_fs_root_rcu(current->fs, &root);
	return !path_is_under(path, &root);
}

/*
 * Writes the path of a file so that it ends at @end. Handles files below the task's root directory
 * on the same mount, as nearly all are. Returns the path's beginning; NULL if d_path() is needed.
 * It walks up as d_path() does, but does not wait for renames: after a rename it returns NULL.
 * Names and directories are freed after an RCU grace period.
 */
static __always_inline char *etrace_walk(const struct path *path, const char *room, char *end)
{
	struct fs_struct *fs = current->fs;
	unsigned int seq = etrace_fs_look(fs), renames = etrace_renames_look();
	const struct dentry *root = READ_ONCE(fs->root.dentry), *d = path->dentry, *parent;
	const char *name;
	char *p = end;
	u32 len;

	if (path->mnt != READ_ONCE(fs->root.mnt) || d_unlinked((struct dentry *)d))
		return NULL;
	while (d != root) {
		parent = READ_ONCE(d->d_parent);
		name = READ_ONCE(d->d_name.name);
		len = READ_ONCE(d->d_name.len);
		p -= len;
		if (unlikely(d == parent))
			return NULL;
		if (unlikely(p <= room))
			return NULL;
		/* The name and its length match only if there was no rename. */
		if (unlikely(etrace_renames_retry(renames)))
			return NULL;
		etrace_copy(p, name, len);
		*--p = '/';
		d = parent;
	}
	if (etrace_renames_retry(renames) || etrace_fs_look_retry(fs, seq))
		return NULL;
	if (p == end)
		*--p = '/';
	return p;
}

/* The path of any file, by d_path(); NULL if it is too long. */
static __always_inline char *etrace_d_path(struct etrace_rec *r, int i, const struct path *path,
					   char *room, char **end)
{
	char *s;

	**end = '/';
	s = d_path(path, room, ETRACE_PATH_BUF);
	if (IS_ERR(s))
		return NULL;
	if (unlikely(!etrace_is_on_root(path)) && etrace_is_outside(path))
		r->outside |= BIT(i);
	/* A synthetic name need not end at the end of the buffer. */
	if (unlikely(**end))
		*end = s + strlen(s);
	return s;
}

/* Captures a path at the end of string @i's directory buffer. */
static __always_inline bool etrace_path_to(struct etrace_rec *r, int i,
					   struct etrace_scratch *sc,
					   const struct path *path)
{
	char *room = sc->path[i];
	char *end = room + ETRACE_PATH_BUF - 1;
	char *s;

	s = etrace_walk(path, room, end);
	if (unlikely(!s)) {
		s = etrace_d_path(r, i, path, room, &end);
		if (!s) {
			etrace_set_cut(r, i);
			return false;
		}
	}
	etrace_set_known(r, i, s, end - s, etrace_newlines_in(s, end - s));
	return true;
}

/**
 * etrace_capture_path - capture a path, as d_path() returns it
 * @r: record
 * @i: index of the string
 * @sc: scratch buffers
 * @path: the path; the caller keeps it valid
 */
void etrace_capture_path(struct etrace_rec *r, int i, struct etrace_scratch *sc,
			 const struct path *path)
{
	etrace_path_to(r, i, sc, path);
}

/* Moves a directory's path to the end of its buffer, so that more can follow. */
static char *etrace_path_end(struct etrace_rec *r, int i,
			     struct etrace_scratch *sc)
{
	char *end = sc->path[i] + ETRACE_PATH_BUF - 1;
	char *s = end - r->str[i].len;

	if (unlikely(s != r->str[i].s)) {
		memmove(s, r->str[i].s, r->str[i].len);
		r->str[i].s = s;
	}
	return end;
}

/**
 * etrace_capture_child - capture the path that a directory entry has, or will have
 * @r: record
 * @i: index of the string
 * @sc: scratch buffers
 * @dir: the directory, locked by the caller
 * @dentry: the entry, positive or negative
 *
 * d_path() is not used: it marks a negative entry as deleted.
 */
void etrace_capture_child(struct etrace_rec *r, int i, struct etrace_scratch *sc,
			  const struct path *dir, const struct dentry *dentry)
{
	const struct qstr *name = &dentry->d_name;
	char *end;

	if (!etrace_path_to(r, i, sc, dir))
		return;
	end = etrace_path_end(r, i, sc);
	if (r->str[i].len > 1)		/* not the root */
		*end++ = '/';
	etrace_copy(end, name->name, name->len);
	r->str[i].len = end + name->len - r->str[i].s;
	etrace_keep_plain(r, i, etrace_newlines_in(name->name, name->len));
}

/*
 * An open file of the current task, NULL if not open. If the task does not share its
 * descriptor table, no other task can close the file, so no reference is needed.
 */
static __always_inline struct file *etrace_file_get(int fd, bool *shared)
{
	struct files_struct *files = current->files;
	const struct fdtable *fdt;

	*shared = unlikely(atomic_read(&files->count) != 1);
	if (*shared)
		return fget_raw(fd);
	fdt = etrace_fdtable(files);
	return (unsigned int)fd < fdt->max_fds ? rcu_dereference_raw(fdt->fd[fd]) : NULL;
}

static __always_inline void etrace_file_put(struct file *file, bool shared)
{
	if (file && unlikely(shared))
		fput(file);	/* does not sleep: the final release is deferred */
}

/**
 * etrace_capture_fd - capture the path of an open file of the current task
 * @r: record
 * @i: index of the string
 * @sc: scratch buffers
 * @fd: its descriptor
 */
void etrace_capture_fd(struct etrace_rec *r, int i, struct etrace_scratch *sc,
		       int fd)
{
	bool shared;
	struct file *file = etrace_file_get(fd, &shared);

	if (file)
		etrace_path_to(r, i, sc, &file->f_path);
	else
		etrace_set_unread(r, i);
	etrace_file_put(file, shared);
}

/* Sets the values of event @id that identify a file, and its current size and time. */
#define ETRACE_IDENTIFY(r, id, ID, inode)				\
	do {								\
		(r)->id.dev = new_encode_dev((inode)->i_sb->s_dev);	\
		(r)->id.ino = (inode)->i_ino;				\
		(r)->id.size = i_size_read(inode);			\
		(r)->id.mtime = etrace_inode_mtime(inode);		\
		(r)->have |= BIT(ETRACE_VAL_##ID##_dev) |		\
			     BIT(ETRACE_VAL_##ID##_ino) |		\
			     BIT(ETRACE_VAL_##ID##_size) |		\
			     BIT(ETRACE_VAL_##ID##_mtime);		\
	} while (0)

static __always_inline void etrace_identify(struct etrace_rec *r, const struct inode *inode)
{
	r->open.type = inode->i_mode & S_IFMT;
	ETRACE_IDENTIFY(r, open, OPEN, inode);
	r->have |= BIT(ETRACE_VAL_OPEN_type);
}

/**
 * etrace_capture_program - capture the path of a program's file
 * @r: record of the kind exec; it gets the file's identity, too
 * @i: index of the string
 * @sc: scratch buffers
 * @file: the file
 */
void etrace_capture_program(struct etrace_rec *r, int i, struct etrace_scratch *sc,
			    const struct file *file)
{
	etrace_capture_path(r, i, sc, &file->f_path);
	ETRACE_IDENTIFY(r, exec, EXEC, file_inode(file));
}

/**
 * etrace_capture_opened - capture the path of a file that the current task has just opened
 * @r: record of the kind open; it gets the file's identity, too
 * @i: index of the string
 * @sc: scratch buffers
 * @fd: its descriptor
 */
void etrace_capture_opened(struct etrace_rec *r, int i, struct etrace_scratch *sc,
			   int fd)
{
	bool shared;
	struct file *file = etrace_file_get(fd, &shared);

	if (!file) {
		etrace_set_unread(r, i);
		return;
	}
	etrace_path_to(r, i, sc, &file->f_path);
	etrace_identify(r, file_inode(file));
	etrace_file_put(file, shared);
}

/**
 * etrace_capture_found - capture the path that was kept at the first look at a call
 * @r: record of the kind open; it gets the file's identity, too
 * @i: index of the string
 * @sc: scratch buffers
 * @path: the file; @path->mnt is NULL if it had been closed by then
 */
void etrace_capture_found(struct etrace_rec *r, int i, struct etrace_scratch *sc,
			  const struct path *path)
{
	if (!path->mnt) {
		etrace_set_unread(r, i);
		return;
	}
	etrace_path_to(r, i, sc, path);
	etrace_identify(r, d_inode(path->dentry));
}

/**
 * etrace_fd_flags - get the flags of an open file of the current task
 * @fd: its descriptor
 *
 * Return: the kernel's flags, without those that only matter when opening;
 * -EBADF if it has been closed.
 */
long etrace_fd_flags(int fd)
{
	bool shared;
	struct file *file = etrace_file_get(fd, &shared);
	long flags = file ? (long)file->f_flags : -EBADF;

	etrace_file_put(file, shared);
	return flags;
}

/**
 * etrace_fds_are_pipe - are two descriptors the ends of one pipe?
 * @fd: descriptors of the current task
 */
bool etrace_fds_are_pipe(const int fd[2])
{
	bool shared[2];
	struct file *from = etrace_file_get(fd[0], &shared[0]);
	struct file *to = etrace_file_get(fd[1], &shared[1]);
	bool are = from && to && file_inode(from) == file_inode(to) &&
		   S_ISFIFO(file_inode(from)->i_mode) &&
		   from->f_mode & FMODE_READ && to->f_mode & FMODE_WRITE;

	etrace_file_put(from, shared[0]);
	etrace_file_put(to, shared[1]);
	return are;
}

/**
 * etrace_capture_cwd - capture the working directory of the current task
 * @r: record
 * @i: index of the string
 * @sc: scratch buffers
 */
void etrace_capture_cwd(struct etrace_rec *r, int i, struct etrace_scratch *sc)
{
	struct path pwd;

	etrace_fs_pwd_rcu(current->fs, &pwd);
	etrace_path_to(r, i, sc, &pwd);
}

/*
 * Copies a user string word by word to @dst, which has room for PATH_MAX bytes. Returns its
 * length; -EFAULT if it is longer, or the memory around it cannot be read. Adds
 * etrace_newlines() of the words to @nl.
 */
static __always_inline long etrace_user_words(char *dst, const char __user *src,
					      unsigned long *nl)
{
	const struct word_at_a_time zero = WORD_AT_A_TIME_CONSTANTS;
	unsigned long word, bits;
	long n;

	if (!user_read_access_begin(src, PATH_MAX))
		return -EFAULT;
	for (n = 0; n < PATH_MAX; n += sizeof(word)) {
		unsafe_get_user(word, (const unsigned long __user *)(src + n),
				fault);
		*(unsigned long *)(dst + n) = word;
		*nl |= etrace_newlines(word);
		if (has_zero(word, &bits, &zero)) {
			user_read_access_end();
			bits = prep_zero_mask(word, bits, &zero);
			return n + find_zero(create_zero_mask(bits));
		}
	}
fault:
	user_read_access_end();
	return -EFAULT;
}

/* As etrace_user_words(), but also copies strings that cannot be read in whole words. */
static __always_inline long etrace_user(char *dst, unsigned long uaddr, unsigned long *nl)
{
	const char __user *src = (const char __user *)uaddr;
	long n;

	pagefault_disable();
	n = etrace_user_words(dst, src, nl);
	/* Long strings, and strings at the end of a mapping. */
	if (unlikely(n < 0)) {
		*nl = ETRACE_TOPS;
		n = strncpy_from_user(dst, src, PATH_MAX);
	}
	pagefault_enable();
	return n;
}

/**
 * etrace_capture_user - capture a user string, unchanged
 * @r: record
 * @i: index of the string
 * @sc: scratch buffers
 * @uaddr: its address, 0 if there is no such string
 *
 * The kernel has just read the string, so its page is usually in memory; if not,
 * @r->faulted is set.
 */
void etrace_capture_user(struct etrace_rec *r, int i, struct etrace_scratch *sc,
			 unsigned long uaddr)
{
	unsigned long nl = 0;
	long n;

	if (!uaddr) {
		etrace_set(r, i, NULL, 0);
		return;
	}
	n = etrace_user(sc->path[i], uaddr, &nl);
	if (n < 0) {
		etrace_set_faulted(r, i);
		return;
	}
	etrace_set_known(r, i, sc->path[i], n, nl);
	if (n == PATH_MAX)
		r->cut |= BIT(i);
}

/**
 * etrace_capture_bytes - capture bytes that the kernel has written to user memory
 * @r: record
 * @i: index of the string
 * @sc: scratch buffers
 * @uaddr: their address
 * @len: number of bytes
 *
 * Stops at a NUL: another thread may have written one.
 */
void etrace_capture_bytes(struct etrace_rec *r, int i, struct etrace_scratch *sc,
			  unsigned long uaddr, unsigned long len)
{
	u32 n = min_t(unsigned long, len, PATH_MAX);

	if (copy_from_user_nofault(sc->path[i], (void __user *)uaddr, n)) {
		etrace_set_faulted(r, i);
		return;
	}
	etrace_set(r, i, sc->path[i], strnlen(sc->path[i], n));
	if (n < len)
		r->cut |= BIT(i);
}

/**
 * etrace_capture_joined - capture a directory's path followed by a user's path
 * @r: record
 * @i: index of the string
 * @sc: scratch buffers
 * @dirfd: the directory's descriptor, or AT_FDCWD
 * @uaddr: user address of the path
 *
 * An absolute path is used alone; otherwise the directory, '/' and the path are joined
 * unchanged.
 */
void etrace_capture_joined(struct etrace_rec *r, int i,
			   struct etrace_scratch *sc, int dirfd,
			   unsigned long uaddr)
{
	char *user = sc->path[i] + ETRACE_PATH_BUF;
	unsigned long nl = 0;
	long n = etrace_user(user, uaddr, &nl);

	if (n < 0) {
		etrace_set_faulted(r, i);
		return;
	}
	if (n == PATH_MAX)
		r->cut |= BIT(i);
	if (user[0] == '/') {
		etrace_set_known(r, i, user, n, nl);
		return;
	}
	if (dirfd == AT_FDCWD)
		etrace_capture_cwd(r, i, sc);
	else
		etrace_capture_fd(r, i, sc, dirfd);
	if (!r->str[i].len) {
		etrace_set(r, i, user, n);	/* keep at least the relative path */
		return;
	}
	*etrace_path_end(r, i, sc) = '/';
	r->str[i].len += 1 + n;
	etrace_keep_plain(r, i, nl);
}

/**
 * etrace_capture_kernel - capture a path from the kernel's copy, as the program passed it
 * @r: record
 * @i: index of the string
 * @sc: scratch buffers
 * @dirfd: the directory's descriptor, or AT_FDCWD
 * @name: the path, relative to that directory unless absolute
 */
void etrace_capture_kernel(struct etrace_rec *r, int i,
			   struct etrace_scratch *sc, int dirfd, const char *name)
{
	size_t n = min_t(size_t, strlen(name), PATH_MAX);
	char *end;

	if (name[0] == '/') {
		etrace_set(r, i, name, n);
		return;
	}
	if (dirfd == AT_FDCWD)
		etrace_capture_cwd(r, i, sc);
	else
		etrace_capture_fd(r, i, sc, dirfd);
	if (!r->str[i].len) {
		etrace_set(r, i, name, n);	/* keep at least the relative path */
		return;
	}
	end = etrace_path_end(r, i, sc);
	*end++ = '/';
	memcpy(end, name, n);
	r->str[i].len += 1 + n;
	r->plain &= ~BIT(i);
}
