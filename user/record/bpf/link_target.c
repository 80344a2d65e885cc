// SPDX-License-Identifier: LGPL-2.1
/* Targets of symbolic links, looked up for somebody else.  See link_target.h. */
#include "record/bpf/link_target.h"
#include "record/bpf/bpf_abi.h"
#include "record/bpf/bpf_rec.h"
#include "record/bpf/mounts.h"
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

#define MAX_LINKS	40	/* that the kernel follows in one look-up */

/* ---- another's rights ---- */

/*
 * Rights of this thread, by system calls that know threads: the C library
 * changes groups for the whole process.
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
	/* These tell nothing but what was; so once more, to see. */
	setfsgid(gid);
	setfsuid(uid);
	return (uint32_t)setfsgid((gid_t)-1) == gid && (uint32_t)setfsuid((uid_t)-1) == uid;
}

/* The capabilities that say where a look-up may go. */
#define LOOK_UP	(1u << CAP_DAC_OVERRIDE | 1u << CAP_DAC_READ_SEARCH)

static void give_back(const struct rights *own)
{
	set_caps(own->caps);
	set_ids(own->fsuid, own->fsgid, own->groups, own->ngroups);
	/* A change of the user takes and gives some of them. */
	set_caps(own->caps);
	/* And the kernel does not let a process that did so dump core. */
	if (own->dumpable == 1)
		prctl(PR_SET_DUMPABLE, 1);
}

/*
 * Takes the maker's rights; @own: to give them back with.
 * Return: false if that cannot be done: everything is as before.
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

/* ---- what is kept ---- */

struct link_target {
	struct mounts own;	/* of this process */
	int fd;			/* that tells when they change; -1: not read yet */
	struct rights rights;	/* our own, while we have another's */
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

/* Those of this process, as of now; NULL: they cannot be read. */
static const struct mounts *own_mounts(struct link_target *t)
{
	struct pollfd p = { .fd = t->fd };

	/* That they have changed makes the file ready, once. */
	if (t->fd >= 0 && !poll(&p, 1, 0))
		return &t->own;
	if (t->fd < 0)
		t->fd = open("/proc/self/mountinfo", O_RDONLY | O_CLOEXEC);
	if (t->fd < 0)
		return NULL;
	/* What comes from here on is for the next time. */
	p.fd = t->fd;
	poll(&p, 1, 0);
	if (lseek(t->fd, 0, SEEK_SET) || mounts_read(&t->own, t->fd)) {
		close(t->fd);
		t->fd = -1;
		return NULL;
	}
	return &t->own;
}

/* ---- the way ---- */

/* Of a step: so far nothing is in the way. */
#define GOES_ON	EB_TARGET_FOUND

/**
 * struct place - a file on the way
 * @fd: O_PATH
 * @x: what it is
 */
struct place {
	int fd;
	struct statx x;
};

/**
 * struct walk - a way that is being walked, one name after the other
 * @maker: who made the link
 * @own: the mounts that this process sees
 * @mounts: those that @maker sees, from its root directory: @own or @theirs
 * @root: the maker's root directory
 * @at: how far it has come; never a symbolic link
 * @path: of @at in @root, "" is @root
 * @rest: what is left of the way, from @next on
 * @links: how many symbolic links were followed
 * @through_self: the way leads through the maker's directory of /proc
 *
 * The kernel is never given more than one name, so that what that would bring it
 * to is known before: no file system is asked that asks somebody else.
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

static enum eb_target failed(int error)
{
	return error == EMFILE || error == ENFILE || error == ENOMEM ? EB_TARGET_UNKNOWN :
								       EB_TARGET_NONE;
}

/* What is known of @fd without asking anybody. */
static bool describe(int fd, struct statx *x)
{
	return !syscall(SYS_statx, fd, "",
			AT_EMPTY_PATH | AT_NO_AUTOMOUNT | AT_STATX_DONT_SYNC,
			STATX_BASIC_STATS | STATX_BTIME | STATX_MNT_ID, x) &&
	       x->stx_mask & STATX_MNT_ID;
}

static void leave(struct walk *w)
{
	if (w->at.fd >= 0 && w->at.fd != w->root.fd)
		close(w->at.fd);
}

static void arrive(struct walk *w, const struct place *at)
{
	leave(w);
	w->at = *at;
}

/*
 * The mount that it stands on.  Who has called chroot() sees none for its root
 * directory; it may be one of ours, or NULL.
 */
static const struct mount_point *mount_of(const struct walk *w)
{
	const struct mount_point *on = mounts_find(w->mounts, w->at.x.stx_mnt_id);

	return on ? on : mounts_find(w->own, w->at.x.stx_mnt_id);
}

/* @s is the way to come, or comes before it: the text of a link. */
static void go(struct walk *w, const char *s, size_t len)
{
	struct buf way = { 0 };

	buf_add(&way, s, len);
	if (w->next < w->rest.len)
		buf_add(&way, w->rest.s + w->next, w->rest.len - w->next);
	buf_free(&w->rest);
	w->rest = way;
	w->next = 0;
	if (len && *s == '/') {
		arrive(w, &w->root);
		w->path.len = 0;
	}
}

/* The entry of that name; w->path becomes its path. */
static enum eb_target look(struct walk *w, const char *name, size_t len, struct place *found)
{
	uint64_t mount = w->at.x.stx_mnt_id;
	const struct mount_point *on;
	char text[NAME_MAX + 1];

	buf_addc(&w->path, '/');
	buf_add(&w->path, name, len);
	/* To be led through a mount is to ask it, too. */
	while ((on = mounts_on(w->mounts, mount, w->path.s, w->path.len))) {
		if (!on->answers)
			return EB_TARGET_UNTOLD;
		mount = on->id;
	}
	memcpy(text, name, len);
	text[len] = 0;
	found->fd = openat(w->at.fd, text, O_PATH | O_NOFOLLOW | O_CLOEXEC);
	if (found->fd < 0)
		return failed(errno);
	/* Mounted meanwhile, or to be mounted by whoever goes in. */
	if (!describe(found->fd, &found->x) || found->x.stx_mnt_id != mount ||
	    found->x.stx_attributes & STATX_ATTR_AUTOMOUNT) {
		close(found->fd);
		return EB_TARGET_UNTOLD;
	}
	return GOES_ON;
}

/* "." or "..": who may not search the directory gets to neither. */
static enum eb_target go_dots(struct walk *w, bool up)
{
	struct place to;

	up = up && w->path.len;
	to.fd = openat(w->at.fd, up ? ".." : ".", O_PATH | O_CLOEXEC);
	if (to.fd < 0)
		return failed(errno);
	if (!describe(to.fd, &to.x)) {
		close(to.fd);
		return EB_TARGET_UNTOLD;
	}
	while (up && w->path.s[--w->path.len] != '/')
		;
	arrive(w, &to);
	return GOES_ON;
}

/*
 * Where links are protected (the sysctl fs.protected_symlinks), some in sticky
 * directories are not followed; whether they are is not known here.
 */
static bool may_be_protected(const struct walk *w, const struct statx *link)
{
	const uint16_t sticky = S_ISVTX | 0002;

	return (w->at.x.stx_mode & sticky) == sticky && w->maker->fsuid != link->stx_uid &&
	       w->at.x.stx_uid != link->stx_uid;
}

static bool is(const char *word, const char *name, size_t len)
{
	return !strncmp(word, name, len) && !word[len];
}

static enum eb_target follow(struct walk *w, const struct place *link, bool magic)
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
		return n < 0 ? failed(errno) : EB_TARGET_NONE;
	go(w, text, (size_t)n);
	return GOES_ON;
}

/* To us, "self" would mean ourselves. */
static enum eb_target go_self(struct walk *w, bool thread)
{
	const struct eb_maker *m = w->maker;
	char text[64];

	if (!m->tgid || m->flags & EB_OTHER_PIDS)
		return EB_TARGET_UNKNOWN;
	snprintf(text, sizeof(text), thread ? "%d/task/%d" : "%d", (int)m->tgid, (int)m->pid);
	go(w, text, strlen(text));
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

	if (proc && (is("self", name, len) || is("thread-self", name, len)))
		return go_self(w, *name == 't');
	/* Its links lead to what processes have, whatever their text is, but for two. */
	magic = proc && !is("net", name, len) && !is("mounts", name, len);
	snprintf(own, sizeof(own), "%d", (int)w->maker->tgid);
	if (proc && is(own, name, len)) {
		w->through_self = true;
		/* Itself it had, even if it has ended since. */
		if (w->next == w->rest.len) {
			buf_addc(&w->path, '/');
			buf_add(&w->path, name, len);
			w->at.x.stx_mask = 0;
			return GOES_ON;
		}
	}
	found = look(w, name, len, &to);
	if (found != GOES_ON) {
		w->path.len = had;
		return found;
	}
	if (!S_ISLNK(to.x.stx_mode)) {
		arrive(w, &to);
		return GOES_ON;
	}
	w->path.len = had;
	found = follow(w, &to, magic);
	close(to.fd);
	return found;
}

/* One name, with the slashes before it. */
static enum eb_target step(struct walk *w)
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
	if (is(".", name, len) || is("..", name, len))
		return go_dots(w, len == 2);
	return go_down(w, name, len);
}

static enum eb_target walk(struct walk *w, const char *way, size_t len)
{
	enum eb_target found = GOES_ON;

	w->links = 0;
	w->rest.len = w->next = 0;
	go(w, way, len);
	while (found == GOES_ON && w->next < w->rest.len)
		found = step(w);
	return found;
}

/* ---- from where to where ---- */

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
	if (!describe(w->root.fd, &w->root.x))
		return EB_TARGET_UNTOLD;
	/* Who has that number now need not be who had it. */
	if (m->flags & EB_OTHER_ROOT &&
	    (w->root.x.stx_ino != m->root_ino ||
	     w->root.x.stx_mnt_id != (uint64_t)m->root_mount))
		return EB_TARGET_UNTOLD;
	w->at = w->root;
	on = mount_of(w);
	/* In another namespace: the same file system, mounted here as well? */
	if (!on)
		on = mounts_of(w->own, w->root.x.stx_dev_major, w->root.x.stx_dev_minor);
	return on && on->answers ? GOES_ON : EB_TARGET_UNTOLD;
}

static void close_root(struct walk *w)
{
	leave(w);
	if (w->root.fd >= 0)
		close(w->root.fd);
	w->root.fd = w->at.fd = -1;
}

/* Another root directory than ours, by way of a process that has it, too. */
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

/* To the maker's root directory; the maker may have ended before its parent. */
static enum eb_target begin(struct walk *w)
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

/* To the link's directory: the one that the kernel had, and not what has its name now. */
static enum eb_target to_directory(struct walk *w, const struct buf *link, size_t len)
{
	enum eb_target found;

	if (w->maker->dir_mount < 0)
		return EB_TARGET_UNTOLD;
	found = walk(w, link->s, len);
	if (found == EB_TARGET_NONE)
		return EB_TARGET_UNKNOWN;
	if (found == GOES_ON && (w->at.x.stx_ino != w->maker->dir_ino ||
				 w->at.x.stx_mnt_id != (uint64_t)w->maker->dir_mount))
		return EB_TARGET_UNTOLD;
	return found;
}

static bool earlier(const struct statx_timestamp *a, const struct statx_timestamp *b)
{
	return a->tv_sec != b->tv_sec ? a->tv_sec < b->tv_sec : a->tv_nsec < b->tv_nsec;
}

/* Is @b younger? Where nobody knows it is not. */
static bool is_younger(const struct statx *a, const struct statx *b)
{
	return a->stx_mask & b->stx_mask & STATX_BTIME && earlier(&a->stx_btime, &b->stx_btime);
}

static enum eb_target look_up(struct walk *w, const uint32_t *groups, const struct buf *target,
			      const struct buf *link)
{
	const char *slash = memrchr(link->s, '/', link->len);
	size_t dir_len = slash ? (size_t)(slash + 1 - link->s) : 0;
	enum eb_target found = begin(w), dir, there;
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
		there = look(w, link->s + dir_len, link->len - dir_len, &itself);
		w->path.len = had;
		if (there == GOES_ON)
			close(itself.fd);
		/* Where the link is gone, its target may have been there, too. */
		if (there == EB_TARGET_NONE)
			there = EB_TARGET_UNKNOWN;
	} else if (target->s[0] != '/') {
		return dir;
	}
	w->through_self = false;
	theirs = take_rights(w->maker, groups, own);
	found = walk(w, target->s, target->len);
	if (theirs)
		give_back(own);
	if (found == EB_TARGET_NONE && there != GOES_ON)
		return there;
	/* Of what a process had, nobody knows once it is gone. */
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
