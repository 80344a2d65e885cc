// SPDX-License-Identifier: GPL-2.0
/* Targets of symbolic links, looked up for somebody else.  See link_target.h. */
#include "link_target.h"
#include "bpf_abi.h"
#include "buf.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/capability.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/fsuid.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#define RESOLVE_NO_MAGICLINKS	0x02
#define RESOLVE_IN_ROOT		0x10

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

/* ---- the look-up ---- */

/* The maker's directory of /proc; false if it is gone. */
static bool find_root(const struct eb_maker *m, int *dir, char *path, size_t size)
{
	char name[64];
	ssize_t n;

	*path = 0;
	*dir = -1;
	if (!(m->flags & EB_OTHER_ROOT))
		return true;
	if (!m->pid)
		return false;
	snprintf(name, sizeof(name), "/proc/%d/root", (int)m->pid);
	*dir = open(name, O_PATH | O_CLOEXEC | O_DIRECTORY);
	if (*dir < 0)
		return false;
	n = readlink(name, path, size - 1);
	path[n > 1 ? n : 0] = 0;		/* "/": nothing to take away */
	return true;
}

/* @dir: the root directory, -1: ours. Return: a descriptor or -errno. */
static int open_in(int dir, const char *path, int flags, uint64_t resolve)
{
	struct {
		uint64_t flags, mode, resolve;
	} how = { (uint64_t)(O_PATH | O_CLOEXEC | flags), 0, resolve };
	int fd;

	if (dir < 0)
		dir = AT_FDCWD;
	else
		how.resolve |= RESOLVE_IN_ROOT;
	fd = (int)syscall(SYS_openat2, dir, path, &how, sizeof(how));
	return fd < 0 ? -errno : fd;
}

/*
 * What a link leads to. What it reaches by way of a process's descriptors and
 * the like is the maker's, and not ours, only where the process is named.
 * Return: a descriptor or -errno; -ENODATA: it leads to what is ours.
 */
static int open_target(int dir, const char *path)
{
	bool named = !strncmp(path, "/proc/", 6) && strncmp(path + 6, "thread-self", 11);
	int fd = open_in(dir, path, 0, named ? 0 : RESOLVE_NO_MAGICLINKS);

	if (fd != -ELOOP || named)
		return fd;
	/* Either of two things. */
	fd = open_in(dir, path, 0, 0);
	if (fd < 0)
		return fd;
	close(fd);
	return -ENODATA;
}

/* Time of birth. Return: false if the file system does not keep it. */
static bool birth(int fd, struct statx_timestamp *t)
{
	struct statx x;

	if (syscall(SYS_statx, fd, "", AT_EMPTY_PATH, STATX_BTIME, &x) ||
	    !(x.stx_mask & STATX_BTIME))
		return false;
	*t = x.stx_btime;
	return true;
}

static bool earlier(const struct statx_timestamp *a, const struct statx_timestamp *b)
{
	return a->tv_sec != b->tv_sec ? a->tv_sec < b->tv_sec : a->tv_nsec < b->tv_nsec;
}

static bool is_gone(int dir, const char *link)
{
	int at = open_in(dir, link, O_NOFOLLOW, 0);

	if (at >= 0)
		close(at);
	return at == -ENOENT || at == -ENOTDIR;
}

/* Is @fd younger than the link? Where nobody knows it is not. */
static bool is_younger(int dir, const char *link, int fd)
{
	struct statx_timestamp made, found;
	int at = open_in(dir, link, O_NOFOLLOW, 0);
	bool younger;

	if (at < 0)
		return false;
	younger = birth(at, &made) && birth(fd, &found) && earlier(&made, &found);
	close(at);
	return younger;
}

/* Length of "/proc/PID" at the beginning of @path, if that is all or a directory. */
static size_t in_proc(const char *path, size_t len, int pid)
{
	char text[32];
	size_t n = (size_t)snprintf(text, sizeof(text), "/proc/%d", pid);

	return len >= n && !memcmp(path, text, n) && (len == n || path[n] == '/') ? n : 0;
}

/* The path of a descriptor, in the root directory whose path is @root. */
static int path_of(const struct eb_maker *m, int fd, const char *root, struct buf *to)
{
	char self[32], path[PATH_MAX];
	size_t skip = strlen(root), own;
	ssize_t n;

	snprintf(self, sizeof(self), "/proc/self/fd/%d", fd);
	n = readlink(self, path, sizeof(path));
	if (n <= 0 || n == sizeof(path))
		return -1;
	if (skip && ((size_t)n < skip || memcmp(path, root, skip) ||
		     ((size_t)n > skip && path[skip] != '/')))
		skip = 0;
	/* By way of /proc/self, which is the maker's. */
	own = in_proc(path, (size_t)n, getpid());
	if (own && (!m->tgid || m->flags & EB_OTHER_PIDS))
		return -1;
	if (own) {
		buf_adds(to, "/proc/");
		buf_addu(to, (uint64_t)m->tgid);
		skip = own;
	}
	if ((size_t)n == skip && !own)
		buf_addc(to, '/');
	buf_add(to, path + skip, (size_t)n - skip);
	return 1;
}

static int look_up(const struct eb_maker *m, const uint32_t *groups, const char *name,
		   const char *link, struct buf *to)
{
	static struct rights own;
	char root[PATH_MAX];
	int dir, fd, found;
	bool theirs;

	if (!find_root(m, &dir, root, sizeof(root)))
		return -1;
	theirs = take_rights(m, groups, &own);
	fd = open_target(dir, name);
	if (theirs)
		give_back(&own);
	switch (fd) {
	case -EMFILE:
	case -ENFILE:
	case -ENOMEM:
	case -ENODATA:
		found = -1;
		break;
	default:
		/* Where the link is gone, its target may have been there, too. */
		found = fd < 0 && is_gone(dir, link) ? -1 : 0;
		if (fd >= 0 && !is_younger(dir, link, fd))
			found = path_of(m, fd, root, to);
	}
	if (fd >= 0)
		close(fd);
	if (dir >= 0)
		close(dir);
	return found;
}

int link_target(void *arg, const struct eb_maker *m, const uint32_t *groups,
		const struct buf *target, const struct buf *link, struct buf *to)
{
	static const char self[] = "/proc/self";
	const size_t self_len = sizeof(self) - 1;
	struct buf name = { 0 }, from = { 0 };
	size_t dir = 0;
	int found = -1;

	(void)arg;
	if (!target->len || !link->len)
		return -1;
	if (target->s[0] != '/')
		for (dir = link->len; dir && link->s[dir - 1] != '/'; dir--)
			;
	if (dir + target->len >= PATH_MAX)
		return -1;		/* too long to be asked for */
	/* To us it would mean ourselves. */
	if (target->len >= self_len && !memcmp(target->s, self, self_len) &&
	    (target->len == self_len || target->s[self_len] == '/')) {
		if (!m->tgid || m->flags & EB_OTHER_PIDS)
			return -1;
		buf_adds(&name, "/proc/");
		buf_addu(&name, (uint64_t)m->tgid);
		/* Itself it had, even if it has ended since. */
		if (target->len == self_len && !(m->flags & EB_OTHER_ROOT)) {
			buf_add(to, name.s, name.len);
			buf_free(&name);
			return 1;
		}
		buf_add(&name, target->s + self_len, target->len - self_len);
	} else {
		buf_add(&name, link->s, dir);
		buf_add(&name, target->s, target->len);
	}
	buf_addc(&name, 0);
	buf_add(&from, link->s, link->len);
	buf_addc(&from, 0);
	found = look_up(m, groups, name.s, from.s, to);
	/* Of what a process had, nobody knows once it is gone. */
	if (!found && in_proc(name.s, name.len - 1, m->tgid) && kill(m->tgid, 0) &&
	    errno == ESRCH)
		found = -1;
	buf_free(&name);
	buf_free(&from);
	return found;
}
