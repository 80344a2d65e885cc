// SPDX-License-Identifier: GPL-2.0
/*
 * Strings of a record: paths that the kernel holds, and user strings.
 *
 * They go to a processor's scratch room, between etrace_scratch_get() and
 * etrace_scratch_put(), and are copied from there into the ring buffer or
 * kept in a hold.  Nothing here sleeps, takes a reference that it would have
 * to drop where that may sleep, or looks a name up.
 *
 * Each function fills string @i of a record.  On failure the string is empty
 * and the record says so (unread, cut); it also says so of a path that does not
 * begin in the task's root directory (outside).
 */
#include <linux/cpu.h>
#include <linux/cpuhotplug.h>
#include <linux/dcache.h>
#include <linux/file.h>
#include <linux/fs.h>
#include <linux/fs_struct.h>
#include <linux/mm.h>
#include <linux/mount.h>
#include <linux/slab.h>
#include <linux/uaccess.h>
#include <linux/vmalloc.h>
#include <asm/word-at-a-time.h>

#include "capture.h"
#include "compat.h"

static DEFINE_PER_CPU(struct etrace_scratch *, etrace_scratch);

/**
 * etrace_scratch_get - this processor's scratch room
 *
 * Preemption is off until etrace_scratch_put(), so that is an RCU read-side
 * section, too.  Users do not nest: a probe does not fire within another one's
 * captures.
 *
 * Return: the room.
 */
struct etrace_scratch *etrace_scratch_get(void)
{
	preempt_disable();
	return __this_cpu_read(etrace_scratch);
}

void etrace_scratch_put(void)
{
	preempt_enable();
}

static void etrace_set(struct etrace_rec *r, int i, const char *s, u32 len)
{
	r->str[i].s = s;
	r->str[i].len = len;
}

static void etrace_set_unread(struct etrace_rec *r, int i)
{
	etrace_set(r, i, "", 0);
	r->unread |= BIT(i);
}

/* Its page in the program's memory is not there. */
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

/* The task's root directory is the top of a mount: is the path on the same one? */
static bool etrace_is_on_root(const struct path *path)
{
	struct fs_struct *fs = current->fs;
	unsigned int seq = etrace_fs_begin(fs);
	bool is = path->mnt == fs->root.mnt &&
		  path->mnt->mnt_root == fs->root.dentry;

	return is && !etrace_fs_retry(fs, seq);
}

/*
 * Is it a path from the task's root directory? If not, as in a mount that lies
 * nowhere, d_path() gives one from the top of its mount.
 */
static noinline bool etrace_is_outside(const struct path *path)
{
	struct path root;

	/* Of a pipe and the like, the name is made up. */
	if (path->dentry->d_op && path->dentry->d_op->d_dname)
		return false;
	etrace_fs_root_rcu(current->fs, &root);
	return !path_is_under(path, &root);
}

/* The path, at the end of string @i's directory room. */
static __always_inline bool etrace_path_to(struct etrace_rec *r, int i,
					   struct etrace_scratch *sc,
					   const struct path *path)
{
	char *room = sc->path[i];
	char *end = room + ETRACE_PATH_BUF - 1;
	char *s;

	*end = '/';
	s = d_path(path, room, ETRACE_PATH_BUF);
	if (IS_ERR(s)) {
		etrace_set_cut(r, i);
		return false;
	}
	if (unlikely(!etrace_is_on_root(path)) && etrace_is_outside(path))
		r->outside |= BIT(i);
	/* A name that a file system makes up need not be at the end. */
	etrace_set(r, i, s, likely(!*end) ? end - s : strlen(s));
	return true;
}

/**
 * etrace_capture_path - a path, as d_path() gives it
 * @r: record
 * @i: string of it
 * @sc: room
 * @path: the path; the caller keeps it valid
 */
void etrace_capture_path(struct etrace_rec *r, int i, struct etrace_scratch *sc,
			 const struct path *path)
{
	etrace_path_to(r, i, sc, path);
}

/* Moves a directory's path to the end of its room, so that more can follow. */
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
 * etrace_capture_child - the name that a directory entry has, or will have
 * @r: record
 * @i: string of it
 * @sc: room
 * @dir: the directory, locked by the caller
 * @dentry: the entry, positive or negative
 *
 * d_path() of a negative entry would tell that it is deleted.
 */
void etrace_capture_child(struct etrace_rec *r, int i, struct etrace_scratch *sc,
			  const struct path *dir, const struct dentry *dentry)
{
	char *end;

	if (!etrace_path_to(r, i, sc, dir))
		return;
	end = etrace_path_end(r, i, sc);
	if (r->str[i].len > 1)		/* not the root */
		*end++ = '/';
	memcpy(end, dentry->d_name.name, dentry->d_name.len);
	r->str[i].len = end + dentry->d_name.len - r->str[i].s;
}

/* The path of an open file. Returns the file, to be put; NULL: it is not open. */
static struct file *etrace_fd_to(struct etrace_rec *r, int i, struct etrace_scratch *sc,
				 int fd)
{
	struct file *file = fget_raw(fd);

	if (file)
		etrace_path_to(r, i, sc, &file->f_path);
	else
		etrace_set_unread(r, i);
	return file;
}

/**
 * etrace_capture_fd - the path of an open file of the current task
 * @r: record
 * @i: string of it
 * @sc: room
 * @fd: its descriptor
 */
void etrace_capture_fd(struct etrace_rec *r, int i, struct etrace_scratch *sc,
		       int fd)
{
	struct file *file = etrace_fd_to(r, i, sc, fd);

	if (file)
		fput(file);	/* the last one is put off, it does not sleep */
}

/* Which file it is, and as it is now, in the values of event @id. */
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

static void etrace_identify(struct etrace_rec *r, const struct inode *inode)
{
	ETRACE_IDENTIFY(r, open, OPEN, inode);
	r->open.type = inode->i_mode & S_IFMT;
	r->have |= BIT(ETRACE_VAL_OPEN_type);
}

/**
 * etrace_capture_program - a program's file
 * @r: record of the kind exec; it gets the file's identity, too
 * @i: string of it
 * @sc: room
 * @file: the file
 */
void etrace_capture_program(struct etrace_rec *r, int i, struct etrace_scratch *sc,
			    const struct file *file)
{
	etrace_capture_path(r, i, sc, &file->f_path);
	ETRACE_IDENTIFY(r, exec, EXEC, file_inode(file));
}

/**
 * etrace_capture_opened - the path of a file that the current task has just opened
 * @r: record of the kind open; it gets the file's identity, too
 * @i: string of it
 * @sc: room
 * @fd: its descriptor
 */
void etrace_capture_opened(struct etrace_rec *r, int i, struct etrace_scratch *sc,
			   int fd)
{
	struct file *file = etrace_fd_to(r, i, sc, fd);

	if (!file)
		return;
	etrace_identify(r, file_inode(file));
	fput(file);
}

/**
 * etrace_capture_found - the same, by a path that an earlier look has kept
 * @r: record of the kind open; it gets the file's identity, too
 * @i: string of it
 * @sc: room
 * @path: the file; @path->mnt NULL: it was closed by then
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
 * etrace_fd_flags - the flags of an open file of the current task
 * @fd: its descriptor
 *
 * Return: as the kernel has them, without those that matter at the opening only;
 * -EBADF: it has been closed.
 */
long etrace_fd_flags(int fd)
{
	struct file *file = fget_raw(fd);
	long flags;

	if (!file)
		return -EBADF;
	flags = file->f_flags;
	fput(file);
	return flags;
}

/**
 * etrace_fds_are_pipe - are these the two ends of one pipe?
 * @fd: descriptors of the current task
 */
bool etrace_fds_are_pipe(const int fd[2])
{
	struct file *from = fget_raw(fd[0]), *to = fget_raw(fd[1]);
	bool are = from && to && file_inode(from) == file_inode(to) &&
		   S_ISFIFO(file_inode(from)->i_mode) &&
		   from->f_mode & FMODE_READ && to->f_mode & FMODE_WRITE;

	if (from)
		fput(from);
	if (to)
		fput(to);
	return are;
}

/**
 * etrace_capture_cwd - the working directory of the current task
 * @r: record
 * @i: string of it
 * @sc: room
 */
void etrace_capture_cwd(struct etrace_rec *r, int i, struct etrace_scratch *sc)
{
	struct path pwd;

	etrace_fs_pwd_rcu(current->fs, &pwd);
	etrace_path_to(r, i, sc, &pwd);
}

/*
 * The words of a user string to @dst, whose room holds PATH_MAX. Returns its
 * length; -EFAULT: it is longer, or the memory around it cannot be read.
 */
static inline long etrace_user_words(char *dst, const char __user *src)
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

/* A user string to @dst, whose room holds PATH_MAX. Returns its length. */
static inline long etrace_user(char *dst, unsigned long uaddr)
{
	const char __user *src = (const char __user *)uaddr;
	long n;

	pagefault_disable();
	n = etrace_user_words(dst, src);
	/* Long ones, and those at the end of a mapping. */
	if (unlikely(n < 0))
		n = strncpy_from_user(dst, src, PATH_MAX);
	pagefault_enable();
	return n;
}

/**
 * etrace_capture_user - a user string, verbatim
 * @r: record
 * @i: string of it
 * @sc: room
 * @uaddr: its address; 0: the record does not have the string
 *
 * The kernel has read the string a moment ago, so its page is there as a rule; if not,
 * the record says so (faulted).
 */
void etrace_capture_user(struct etrace_rec *r, int i, struct etrace_scratch *sc,
			 unsigned long uaddr)
{
	long n;

	if (!uaddr) {
		etrace_set(r, i, NULL, 0);
		return;
	}
	n = etrace_user(sc->path[i], uaddr);
	if (n < 0) {
		etrace_set_faulted(r, i);
		return;
	}
	etrace_set(r, i, sc->path[i], n);
	if (n == PATH_MAX)
		r->cut |= BIT(i);
}

/**
 * etrace_capture_bytes - bytes that the kernel has written to user memory
 * @r: record
 * @i: string of it
 * @sc: room
 * @uaddr: their address
 * @len: how many
 *
 * Up to a null byte: another thread may have put one there.
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
 * etrace_capture_joined - a user's path behind its directory's
 * @r: record
 * @i: string of it
 * @sc: room
 * @dirfd: the directory's descriptor, or AT_FDCWD
 * @uaddr: user address of the path
 *
 * An absolute path stands alone; else directory, '/' and path are joined as
 * they are.
 */
void etrace_capture_joined(struct etrace_rec *r, int i,
			   struct etrace_scratch *sc, int dirfd,
			   unsigned long uaddr)
{
	char *user = sc->path[i] + ETRACE_PATH_BUF;
	long n = etrace_user(user, uaddr);

	if (n < 0) {
		etrace_set_faulted(r, i);
		return;
	}
	if (n == PATH_MAX)
		r->cut |= BIT(i);
	if (user[0] == '/') {
		etrace_set(r, i, user, n);
		return;
	}
	if (dirfd == AT_FDCWD)
		etrace_capture_cwd(r, i, sc);
	else
		etrace_capture_fd(r, i, sc, dirfd);
	if (!r->str[i].len) {
		etrace_set(r, i, user, n);	/* better than nothing */
		return;
	}
	*etrace_path_end(r, i, sc) = '/';
	r->str[i].len += 1 + n;
}

/**
 * etrace_capture_kernel - a path that the kernel has as it was passed
 * @r: record
 * @i: string of it
 * @sc: room
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
		etrace_set(r, i, name, n);	/* better than nothing */
		return;
	}
	end = etrace_path_end(r, i, sc);
	*end++ = '/';
	memcpy(end, name, n);
	r->str[i].len += 1 + n;
}

static int etrace_scratch_up(unsigned int cpu)
{
	per_cpu(etrace_scratch, cpu) = vmalloc_node(sizeof(struct etrace_scratch),
						    cpu_to_node(cpu));
	return per_cpu(etrace_scratch, cpu) ? 0 : -ENOMEM;
}

static int etrace_scratch_down(unsigned int cpu)
{
	vfree(per_cpu(etrace_scratch, cpu));
	per_cpu(etrace_scratch, cpu) = NULL;
	return 0;
}

/* Room for the processors that run: before they do, until they do not. */
static int etrace_scratch_state;

int etrace_capture_init(void)
{
	unsigned int cpu;
	int err = 0, state;

	/*
	 * Those that run already are done here: before 6.10, and in stable
	 * kernels of that time, the call forgets them in this state.
	 */
	cpus_read_lock();
	state = cpuhp_setup_state_nocalls_cpuslocked(CPUHP_BP_PREPARE_DYN,
						     "etrace:scratch",
						     etrace_scratch_up,
						     etrace_scratch_down);
	if (state >= 0)
		for_each_online_cpu(cpu)
			err = err ?: etrace_scratch_up(cpu);
	cpus_read_unlock();
	if (state < 0)
		return state;
	etrace_scratch_state = state;
	if (err)
		etrace_capture_exit();
	return err;
}

void etrace_capture_exit(void)
{
	cpuhp_remove_state(etrace_scratch_state);
}
