// SPDX-License-Identifier: GPL-2.0
/* Finds the cgroups of a recording, and adds them to the session.  See cgroups.h. */
#include "cli/cgroups.h"
#include "base/xalloc.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/magic.h>
#include <mntent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/vfs.h>
#include <unistd.h>

struct cgroups {
	size_t n;
	int dirs[];
};

/* Return: a descriptor, or -1 with errno, EBADF if it is not a cgroup. */
static int open_cgroup(const char *path)
{
	int fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	struct statfs fs;

	if (fd < 0 || (!fstatfs(fd, &fs) && (uint64_t)fs.f_type == CGROUP2_SUPER_MAGIC))
		return fd;
	close(fd);
	errno = EBADF;
	return -1;
}

/* Where cgroup2 is mounted, "" if nowhere. */
static void mounted_at(char *dir, size_t size)
{
	FILE *mounts = setmntent("/proc/self/mounts", "re");
	const struct mntent *m;

	*dir = 0;
	while (mounts && !*dir && (m = getmntent(mounts)))
		if (!strcmp(m->mnt_type, "cgroup2"))
			snprintf(dir, size, "%s", m->mnt_dir);
	if (mounts)
		endmntent(mounts);
}

static const char *fault_of(int err)
{
	return err == EBADF ? "not a directory of a cgroup2 file system; cgroups of version 1 cannot be recorded" :
	       err == ENOENT ? "no such cgroup; /proc/PID/cgroup shows the cgroup of a process" :
	       err == ENOSPC ? "more cgroups than a session can have" :
	       err == EOPNOTSUPP ? "this kernel does not report which processes join a cgroup" :
			       strerror(err);
}

/*
 * Return: a descriptor of the cgroup's directory, or -1 with errno, EBADF if it is not a cgroup.
 */
static int find_cgroup(const char *path)
{
	char dir[PATH_MAX], file[2 * PATH_MAX];
	int fd = open_cgroup(path), err = errno;

	if (fd >= 0)
		return fd;
	mounted_at(dir, sizeof(dir));
	if (*dir) {
		snprintf(file, sizeof(file), "%s/%s", dir, path);
		fd = open_cgroup(file);
	}
	/* @path itself is an existing directory: report that it is not a cgroup */
	if (fd < 0 && err == EBADF)
		errno = err;
	return fd;
}

struct cgroups *cgroups_add(struct session *s, const char *const *paths, size_t n, char *why,
			    size_t size)
{
	struct cgroups *c = xcalloc(1, sizeof(*c) + n * sizeof(c->dirs[0]));

	for (; c->n < n; c->n++) {
		int fd = find_cgroup(paths[c->n]), err;

		err = fd < 0 ? errno : -s->ops->add_cgroup(s, fd);
		if (err) {
			snprintf(why, size, "--cgroup %s: %s", paths[c->n], fault_of(err));
			if (fd >= 0)
				close(fd);
			cgroups_free(c);
			return NULL;
		}
		c->dirs[c->n] = fd;
	}
	return c;
}

void cgroups_free(struct cgroups *c)
{
	for (size_t i = 0; c && i < c->n; i++)
		close(c->dirs[i]);
	free(c);
}

bool cgroups_there(const struct cgroups *c)
{
	/* the directory of a removed cgroup has no files */
	for (size_t i = 0; i < c->n; i++)
		if (!faccessat(c->dirs[i], "cgroup.procs", F_OK, 0))
			return true;
	return false;
}
