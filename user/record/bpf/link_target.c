// SPDX-License-Identifier: LGPL-2.1
/* Looks up targets of symbolic links on behalf of another task.  See link_target.h. */
#include "record/bpf/link_target.h"
#include "record/bpf/bpf_abi.h"
#include "record/bpf/bpf_rec.h"
#include "record/bpf/mounts.h"
#include "base/bytes.h"
#include "base/xalloc.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/capability.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/fsuid.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#define MAX_LINKS	40	/* symbolic links that the kernel follows in one look-up */

/* ---- privileges of another task ---- */

/*
 * Privileges of this thread. They are changed with raw system calls, which act on one
 * thread: the C library would change groups for the whole process.
 */
struct rights {
	int dumpable;
	uint32_t fsuid, fsgid;
	struct __user_cap_data_struct caps[2];
	int ngroups;
	gid_t groups[EB_GROUPS_MAX];
};

static int get_caps(struct __user_cap_data_struct *caps)
{
	struct __user_cap_header_struct head = { _LINUX_CAPABILITY_VERSION_3, 0 };

	return (int)syscall(SYS_capget, &head, caps);
}

static int set_caps(const struct __user_cap_data_struct *caps)
{
	struct __user_cap_header_struct head = { _LINUX_CAPABILITY_VERSION_3, 0 };

	return (int)syscall(SYS_capset, &head, caps);
}

static bool set_ids(uint32_t uid, uint32_t gid, const gid_t *groups, int ngroups)
{
	if (syscall(SYS_setgroups, ngroups, groups))
		return false;
	/* These return only the previous id, so call them again to check. */
	setfsgid(gid);
	setfsuid(uid);
	return (uint32_t)setfsgid((gid_t)-1) == gid && (uint32_t)setfsuid((uid_t)-1) == uid;
}

/* The capabilities that affect which directories a look-up may search. */
#define LOOK_UP	(1u << CAP_DAC_OVERRIDE | 1u << CAP_DAC_READ_SEARCH)

static void give_back(const struct rights *own)
{
	set_caps(own->caps);
	set_ids(own->fsuid, own->fsgid, own->groups, own->ngroups);
	/* Again, since changing the user id drops and adds capabilities. */
	set_caps(own->caps);
	/* Changing ids also has made the process undumpable. */
	if (own->dumpable == 1)
		prctl(PR_SET_DUMPABLE, 1);
}

/*
 * Takes on the maker's privileges; saves the current ones in @own, for give_back().
 * Return: false if that fails; then nothing has changed.
 */
static bool take_rights(const struct eb_maker *m, const uint32_t *groups, struct rights *own)
{
	struct __user_cap_data_struct caps[2];

	if (!groups || get_caps(own->caps))
		return false;
	own->ngroups = (int)syscall(SYS_getgroups, EB_GROUPS_MAX, own->groups);
	if (own->ngroups < 0)
		return false;
	own->dumpable = prctl(PR_GET_DUMPABLE);
	own->fsuid = (uint32_t)setfsuid((uid_t)-1);
	own->fsgid = (uint32_t)setfsgid((gid_t)-1);
	if (!set_ids(m->fsuid, m->fsgid, groups, (int)m->ngroups)) {
		give_back(own);
		return false;
	}
	memcpy(caps, own->caps, sizeof(caps));
	caps[0].effective &= ~LOOK_UP;
	caps[0].effective |= caps[0].permitted & LOOK_UP & (uint32_t)m->caps;
	if (set_caps(caps)) {
		give_back(own);
		return false;
	}
	return true;
}

/* ---- state kept between look-ups ---- */

struct link_target {
	struct mounts own;	/* mounts of this process */
	int fd;			/* mountinfo, which reports changes; -1 if not read yet */
	struct rights rights;	/* this thread's own, while it has the maker's */
};

struct link_target *link_target_new(void)
{
	struct link_target *t = xcalloc(1, sizeof(*t));

	t->fd = -1;
	return t;
}

void link_target_free(struct link_target *t)
{
	if (!t)
		return;
	if (t->fd >= 0)
		close(t->fd);
	mounts_free(&t->own);
	free(t);
}

/* ---- mounts ---- */

/* The current mounts of this process, NULL if they cannot be read. */
static const struct mounts *own_mounts(struct link_target *t)
{
	struct pollfd p = { .fd = t->fd };

	/* poll() reports each change of the mounts once. */
	if (t->fd >= 0 && !poll(&p, 1, 0))
		return &t->own;
	if (t->fd < 0)
		t->fd = open("/proc/self/mountinfo", O_RDONLY | O_CLOEXEC);
	if (t->fd < 0)
		return NULL;
	/* Clears the change, so that only later ones are reported. */
	p.fd = t->fd;
	poll(&p, 1, 0);
	if (lseek(t->fd, 0, SEEK_SET) || mounts_read(&t->own, t->fd)) {
		close(t->fd);
		t->fd = -1;
		return NULL;
	}
	return &t->own;
}

/* ---- walking a path ---- */

/* Result of a step: the walk continues. */
#define GOES_ON	EB_TARGET_FOUND

/**
 * struct place - a file on the path
 * @fd: opened with O_PATH
 * @x: its metadata
 */
struct place {
	int fd;
	struct statx x;
};

/**
 * struct walk - a path that is being walked, one name after the other
 * @maker: the task that made the link
 * @own: the mounts that this process sees
 * @mounts: the mounts that @maker sees, from its root directory: @own or @theirs
 * @root: the maker's root directory
 * @at: current position; never a symbolic link
 * @path: path of @at from @root, "" if it is @root
 * @rest: the remaining path is @rest from index @next on
 * @links: number of symbolic links followed
 * @through_self: the path leads through the maker's directory in /proc
 *
 * The kernel gets only one name at a time.  So we know in advance which file system
 * will look it up, and can avoid those that ask a daemon or a server.
 */
struct walk {
	struct link_target *kept;
	const struct eb_maker *maker;
	const struct mounts *own, *mounts;
	struct mounts theirs;
	struct place root, at;
	struct buf path, rest;
	size_t next;
	unsigned int links;
	bool through_self;
};

static enum eb_target target_of_error(int error)
{
	return error == EMFILE || error == ENFILE || error == ENOMEM ? EB_TARGET_UNKNOWN :
								       EB_TARGET_NONE;
}

/* Metadata of @fd, without asking a daemon or a server. */
static bool describe_fd(int fd, struct statx *x)
{
	return !syscall(SYS_statx, fd, "",
			AT_EMPTY_PATH | AT_NO_AUTOMOUNT | AT_STATX_DONT_SYNC,
			STATX_BASIC_STATS | STATX_BTIME | STATX_MNT_ID, x) &&
	       x->stx_mask & STATX_MNT_ID;
}

static void leave_place(struct walk *w)
{
	if (w->at.fd >= 0 && w->at.fd != w->root.fd)
		close(w->at.fd);
}

static void arrive_at(struct walk *w, const struct place *at)
{
	leave_place(w);
	w->at = *at;
}

/*
 * The mount of the current position.  A task that has called chroot() may not see the
 * mount of its root directory; then it is one of this process's own mounts, or NULL.
 */
static const struct mount_point *mount_of(const struct walk *w)
{
	const struct mount_point *on = mounts_find(w->mounts, w->at.x.stx_mnt_id);

	return on ? on : mounts_find(w->own, w->at.x.stx_mnt_id);
}

/* Inserts @s, a path or the text of a link, before the remaining path. */
static void prepend_path(struct walk *w, const char *s, size_t len)
{
	struct buf way = { 0 };

	buf_add(&way, s, len);
	if (w->next < w->rest.len)
		buf_add(&way, w->rest.s + w->next, w->rest.len - w->next);
	buf_free(&w->rest);
	w->rest = way;
	w->next = 0;
	if (len && *s == '/') {
		arrive_at(w, &w->root);
		w->path.len = 0;
	}
}

/* Opens the entry @name of the current directory; w->path becomes its path. */
static enum eb_target open_entry(struct walk *w, const char *name, size_t len, struct place *found)
{
	uint64_t mount = w->at.x.stx_mnt_id;
	const struct mount_point *on;
	char text[NAME_MAX + 1];

	buf_addc(&w->path, '/');
	buf_add(&w->path, name, len);
	/* Several mounts may be stacked there: the look-up goes through all of them. */
	while ((on = mounts_on(w->mounts, mount, w->path.s, w->path.len))) {
		if (!on->answers)
			return EB_TARGET_UNTOLD;
		mount = on->id;
	}
	memcpy(text, name, len);
	text[len] = 0;
	found->fd = openat(w->at.fd, text, O_PATH | O_NOFOLLOW | O_CLOEXEC);
	if (found->fd < 0)
		return target_of_error(errno);
	/* Something was just mounted there, or would be when entering it (automount). */
	if (!describe_fd(found->fd, &found->x) || found->x.stx_mnt_id != mount ||
	    found->x.stx_attributes & STATX_ATTR_AUTOMOUNT) {
		close(found->fd);
		return EB_TARGET_UNTOLD;
	}
	return GOES_ON;
}

/* Goes to "." or ".."; opens both, since they need permission to search the directory. */
static enum eb_target go_dots(struct walk *w, bool up)
{
	struct place to;

	up = up && w->path.len;
	to.fd = openat(w->at.fd, up ? ".." : ".", O_PATH | O_CLOEXEC);
	if (to.fd < 0)
		return target_of_error(errno);
	if (!describe_fd(to.fd, &to.x)) {
		close(to.fd);
		return EB_TARGET_UNTOLD;
	}
	while (up && w->path.s[--w->path.len] != '/')
		;
	arrive_at(w, &to);
	return GOES_ON;
}

/*
 * With the sysctl fs.protected_symlinks, the kernel does not follow some links in sticky
 * directories.  Whether it is set is unknown here.
 */
static bool may_be_protected(const struct walk *w, const struct statx *link)
{
	const uint16_t sticky = S_ISVTX | 0002;

	return (w->at.x.stx_mode & sticky) == sticky && w->maker->fsuid != link->stx_uid &&
	       w->at.x.stx_uid != link->stx_uid;
}

static enum eb_target follow_link(struct walk *w, const struct place *link, bool magic)
{
	const struct mount_point *on = mount_of(w);
	char text[PATH_MAX];
	ssize_t n;

	if (++w->links > MAX_LINKS || (on && on->no_links))
		return EB_TARGET_NONE;
	if (magic || may_be_protected(w, &link->x))
		return EB_TARGET_UNTOLD;
	n = readlinkat(link->fd, "", text, sizeof(text));
	if (n <= 0 || n == sizeof(text))
		return n < 0 ? target_of_error(errno) : EB_TARGET_NONE;
	prepend_path(w, text, (size_t)n);
	return GOES_ON;
}

/* Follows "self" or "thread-self" in /proc, which must be the maker and not this process. */
static enum eb_target go_self(struct walk *w, bool thread)
{
	const struct eb_maker *m = w->maker;
	char text[64];

	if (!m->tgid || m->flags & EB_OTHER_PIDS)
		return EB_TARGET_UNKNOWN;
	snprintf(text, sizeof(text), thread ? "%d/task/%d" : "%d", (int)m->tgid, (int)m->pid);
	prepend_path(w, text, strlen(text));
	return GOES_ON;
}

static enum eb_target go_down(struct walk *w, const char *name, size_t len)
{
	const struct mount_point *on = mount_of(w);
	bool proc = on && on->proc, magic;
	size_t had = w->path.len;
	enum eb_target found;
	struct place to;
	char own[32];

	if (proc && (bytes_are(name, len, "self") || bytes_are(name, len, "thread-self")))
		return go_self(w, *name == 't');
	/* All but two links in /proc lead to files of processes, whatever their text is. */
	magic = proc && !bytes_are(name, len, "net") && !bytes_are(name, len, "mounts");
	snprintf(own, sizeof(own), "%d", (int)w->maker->tgid);
	if (proc && bytes_are(name, len, own)) {
		w->through_self = true;
		/* The maker's own directory existed, even if the maker has ended since. */
		if (w->next == w->rest.len) {
			buf_addc(&w->path, '/');
			buf_add(&w->path, name, len);
			w->at.x.stx_mask = 0;
			return GOES_ON;
		}
	}
	found = open_entry(w, name, len, &to);
	if (found != GOES_ON) {
		w->path.len = had;
		return found;
	}
	if (!S_ISLNK(to.x.stx_mode)) {
		arrive_at(w, &to);
		return GOES_ON;
	}
	w->path.len = had;
	found = follow_link(w, &to, magic);
	close(to.fd);
	return found;
}

/* Walks to the next name, after the slashes before it. */
static enum eb_target walk_step(struct walk *w)
{
	const char *s = w->rest.s, *name;
	size_t end = w->next, len;

	while (end < w->rest.len && s[end] == '/')
		end++;
	name = s + end;
	while (end < w->rest.len && s[end] != '/')
		end++;
	w->next = end;
	len = (size_t)(s + end - name);
	if (!S_ISDIR(w->at.x.stx_mode))
		return EB_TARGET_NONE;
	if (!len)
		return GOES_ON;
	if (len > NAME_MAX)
		return EB_TARGET_NONE;
	if (bytes_are(name, len, ".") || bytes_are(name, len, ".."))
		return go_dots(w, len == 2);
	return go_down(w, name, len);
}

static enum eb_target walk_path(struct walk *w, const char *way, size_t len)
{
	enum eb_target found = GOES_ON;

	w->links = 0;
	w->rest.len = w->next = 0;
	prepend_path(w, way, len);
	while (found == GOES_ON && w->next < w->rest.len)
		found = walk_step(w);
	return found;
}

/* ---- start of the walk ---- */

static enum eb_target open_root(struct walk *w, const char *name)
{
	const struct eb_maker *m = w->maker;
	const struct mount_point *on;

	for (size_t i = 0; i < w->mounts->n; i++)
		if (!strcmp(w->mounts->list[i].at, "/") && !w->mounts->list[i].answers)
			return EB_TARGET_UNTOLD;
	w->root.fd = open(name, O_PATH | O_CLOEXEC | O_DIRECTORY);
	if (w->root.fd < 0)
		return EB_TARGET_UNKNOWN;
	if (!describe_fd(w->root.fd, &w->root.x))
		return EB_TARGET_UNTOLD;
	/* The pid may have been reused: check that it is the maker's root directory. */
	if (m->flags & EB_OTHER_ROOT &&
	    (w->root.x.stx_ino != m->root_ino ||
	     w->root.x.stx_mnt_id != (uint64_t)m->root_mount))
		return EB_TARGET_UNTOLD;
	w->at = w->root;
	on = mount_of(w);
	/* In another mount namespace: is its file system mounted here as well? */
	if (!on)
		on = mounts_of(w->own, w->root.x.stx_dev_major, w->root.x.stx_dev_minor);
	return on && on->answers ? GOES_ON : EB_TARGET_UNTOLD;
}

static void close_root(struct walk *w)
{
	leave_place(w);
	if (w->root.fd >= 0)
		close(w->root.fd);
	w->root.fd = w->at.fd = -1;
}

/* Opens a root directory other than this process's, through a process @pid that has it. */
static enum eb_target take_root(struct walk *w, pid_t pid)
{
	char name[64];
	int fd;

	if (!pid)
		return EB_TARGET_UNKNOWN;
	snprintf(name, sizeof(name), "/proc/%d/mountinfo", (int)pid);
	fd = open(name, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return EB_TARGET_UNKNOWN;
	w->mounts = mounts_read(&w->theirs, fd) ? NULL : &w->theirs;
	close(fd);
	if (!w->mounts)
		return EB_TARGET_UNKNOWN;
	snprintf(name, sizeof(name), "/proc/%d/root", (int)pid);
	return open_root(w, name);
}

/* Opens the maker's root directory; if the maker has ended, through its parent. */
static enum eb_target begin_walk(struct walk *w)
{
	const struct eb_maker *m = w->maker;
	enum eb_target found;

	w->own = own_mounts(w->kept);
	w->mounts = w->own;
	if (!w->own)
		return EB_TARGET_UNKNOWN;
	if (!(m->flags & EB_OTHER_ROOT))
		return open_root(w, "/");
	found = take_root(w, m->pid);
	if (found == GOES_ON)
		return found;
	close_root(w);
	return take_root(w, m->parent) == GOES_ON ? GOES_ON : found;
}

/* Walks to the link's directory, and checks that it is still the one in which it was made. */
static enum eb_target to_directory(struct walk *w, const struct buf *link, size_t len)
{
	enum eb_target found;

	if (w->maker->dir_mount < 0)
		return EB_TARGET_UNTOLD;
	found = walk_path(w, link->s, len);
	if (found == EB_TARGET_NONE)
		return EB_TARGET_UNKNOWN;
	if (found == GOES_ON && (w->at.x.stx_ino != w->maker->dir_ino ||
				 w->at.x.stx_mnt_id != (uint64_t)w->maker->dir_mount))
		return EB_TARGET_UNTOLD;
	return found;
}

static bool time_earlier(const struct statx_timestamp *a, const struct statx_timestamp *b)
{
	return a->tv_sec != b->tv_sec ? a->tv_sec < b->tv_sec : a->tv_nsec < b->tv_nsec;
}

/* Is @b younger than @a? False if unknown. */
static bool is_younger(const struct statx *a, const struct statx *b)
{
	return a->stx_mask & b->stx_mask & STATX_BTIME &&
	       time_earlier(&a->stx_btime, &b->stx_btime);
}

static enum eb_target look_up(struct walk *w, const uint32_t *groups, const struct buf *target,
			      const struct buf *link)
{
	const char *slash = memrchr(link->s, '/', link->len);
	size_t dir_len = slash ? (size_t)(slash + 1 - link->s) : 0;
	enum eb_target found = begin_walk(w), dir, there;
	struct rights *own = &w->kept->rights;
	struct place itself = { .fd = -1 };
	bool theirs;
	size_t had;

	if (found != GOES_ON)
		return found;
	dir = to_directory(w, link, dir_len);
	there = dir;
	if (dir == GOES_ON) {
		had = w->path.len;
		there = open_entry(w, link->s + dir_len, link->len - dir_len, &itself);
		w->path.len = had;
		if (there == GOES_ON)
			close(itself.fd);
		/* If the link is gone, its target may have existed and be gone, too. */
		if (there == EB_TARGET_NONE)
			there = EB_TARGET_UNKNOWN;
	} else if (target->s[0] != '/') {
		return dir;
	}
	w->through_self = false;
	theirs = take_rights(w->maker, groups, own);
	found = walk_path(w, target->s, target->len);
	if (theirs)
		give_back(own);
	if (found == EB_TARGET_NONE && there != GOES_ON)
		return there;
	/* Once a process is gone, what was in its directory in /proc is unknown. */
	if (found == EB_TARGET_NONE && w->through_self && kill(w->maker->tgid, 0) &&
	    errno == ESRCH)
		return EB_TARGET_UNKNOWN;
	if (found == EB_TARGET_FOUND && there == GOES_ON && is_younger(&itself.x, &w->at.x))
		return EB_TARGET_NONE;
	return found;
}

int link_target(void *arg, const struct eb_maker *m, const uint32_t *groups,
		const struct buf *target, const struct buf *link, struct buf *to)
{
	struct walk w = { .kept = arg, .maker = m, .root.fd = -1, .at.fd = -1 };
	enum eb_target found;

	if (!target->len || !link->len)
		return EB_TARGET_UNKNOWN;
	found = look_up(&w, groups, target, link);
	if (found == EB_TARGET_FOUND && w.path.len)
		buf_add(to, w.path.s, w.path.len);
	else if (found == EB_TARGET_FOUND)
		buf_addc(to, '/');
	close_root(&w);
	mounts_free(&w.theirs);
	buf_free(&w.path);
	buf_free(&w.rest);
	return found;
}
